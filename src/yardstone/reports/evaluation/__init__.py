"""Reports of comparisons of rating systems."""
