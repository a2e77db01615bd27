"""The commands of strength from moves."""
