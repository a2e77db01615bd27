"""An experiment from its configuration to the performance of its models."""
