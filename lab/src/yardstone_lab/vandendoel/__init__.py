"""Van den Doel's studies: matches of GNU Backgammon against itself, and formulas fitted to them."""
