"""Strength from the moves of one side of a game as a set: Set Transformers in numpy."""
