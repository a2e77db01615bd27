"""Ranks from style features of players, without a network."""
