"""The strong house players: they play on in their heads, with what they cannot see drawn by lot, or judge closely."""
