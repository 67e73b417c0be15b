"""The rules core: pure scripts of the games, standard library only."""
