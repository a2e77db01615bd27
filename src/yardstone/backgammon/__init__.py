"""Backgammon: gnubg as a separate program, error rates and ratings, the two studies."""
