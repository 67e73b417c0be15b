"""Readers fed with anything, and an instance to which anything happens in any order."""
