"""The strong house players: they play matches on in their heads, with what they cannot see drawn by lot."""
