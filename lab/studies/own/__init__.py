"""The network of our own: which games it learns from, and what it is worth."""
