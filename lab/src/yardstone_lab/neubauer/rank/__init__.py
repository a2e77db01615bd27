"""Training of the rank model and of its intervals."""
