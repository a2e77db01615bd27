"""Tournaments: pairing, standings, simulation and the quality of pairing."""
