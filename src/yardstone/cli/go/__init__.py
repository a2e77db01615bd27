"""The commands of Go."""
