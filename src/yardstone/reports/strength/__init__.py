"""Reports of strength from moves."""
