"""The strong house players: they play on in their heads, with what they cannot see drawn by lot, or judge closely.

Of matches in which every other seat is one of theirs they won against the usual ones: `regions`, short, at two seats 22
of 30; `crusade` at three seats 53.5 of 60, at four 165 of 200, at eight 49 of 60. A shared win counts in parts.
"""
