"""Kaniuk's fits by least squares, their traces over time, and tests of other forms."""
