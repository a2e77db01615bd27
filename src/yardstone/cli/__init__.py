"""The command `yardstone`."""
