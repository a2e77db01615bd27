"""The Set Transformer of Neubauer 2024 (sections 4.4 to 4.7): its training, its search, its use."""
