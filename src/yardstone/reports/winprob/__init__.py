"""Reports of the win probability."""
