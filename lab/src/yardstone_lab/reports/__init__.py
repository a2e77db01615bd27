"""What the laboratory finds, as documents."""
