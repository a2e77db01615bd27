"""Neubauer's experiment (2024, chapters 4 and 5) on any games, from records to the table."""
