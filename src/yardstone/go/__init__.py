"""Go: board, rules, network inputs and network files, judging a position."""
