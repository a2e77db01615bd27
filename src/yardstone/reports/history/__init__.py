"""Reports of ratings over time."""
