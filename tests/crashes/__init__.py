"""Crashes and faults, driven at every point at which they can come, and a checker that counts what is left."""
