"""Moved: see `yardstone.reports.words`."""

from yardstone.reports.words import join_names, plural

__all__ = ["join_names", "plural"]
