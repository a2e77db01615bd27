"""Moves and results in one rating."""
