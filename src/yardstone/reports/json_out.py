"""Moved: see `yardstone.reports.faces.files`."""

from yardstone.reports.faces.files import as_json

__all__ = ["as_json"]
