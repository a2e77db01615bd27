"""Strength from moves: what the moves of a few games of Go say about a player."""
