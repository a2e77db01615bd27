"""How well ratings predict: metrics, honest splits, tuning, and comparisons of systems."""
