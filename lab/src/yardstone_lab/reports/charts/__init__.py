"""What the laboratory finds, as charts."""
