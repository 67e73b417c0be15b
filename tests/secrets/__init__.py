"""Secrets that stay: whole matches through the whole product, twice, differing in what a viewer may not know."""
