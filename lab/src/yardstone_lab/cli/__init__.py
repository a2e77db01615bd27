"""The commands of the laboratory: each turns options into the arguments of a function."""
