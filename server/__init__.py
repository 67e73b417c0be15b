"""Estafette."""
