"""Training of models that look at the moves of one side of a game as a set."""
