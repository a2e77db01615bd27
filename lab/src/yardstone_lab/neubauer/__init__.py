"""Neubauer's experiment: features of recent moves, training and search of models."""
