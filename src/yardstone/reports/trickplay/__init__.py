"""Reports of trick plays."""
