"""Reports of the probability of win."""
