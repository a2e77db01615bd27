"""Reports of games of Go."""
