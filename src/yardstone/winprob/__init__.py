"""From a difference of strength to the probability of each result."""
