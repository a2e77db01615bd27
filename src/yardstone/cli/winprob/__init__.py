"""The commands of the probability of win."""
