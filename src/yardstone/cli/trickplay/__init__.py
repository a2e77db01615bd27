"""The commands of trick plays."""
