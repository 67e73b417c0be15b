"""Small mistakes put into the rules, and how many of them a game's own tests notice."""
