"""Reports of backgammon."""
