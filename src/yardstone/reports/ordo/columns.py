"""The columns of Ordo's list, by their numbers in switch -U."""

from __future__ import annotations

__all__ = ["COLUMNS", "DEFAULT_COLUMNS", "ERROR_COLUMN", "SUPERIORITY_COLUMN"]

ERROR_COLUMN, SUPERIORITY_COLUMN = 2, 6

#: Header and width of each column, by its number in switch -U.
COLUMNS = (
    ("PLAYER", 0),
    ("RATING", 6),
    ("ERROR", 6),
    ("POINTS", 7),
    ("PLAYED", 7),
    ("(%)", 5),
    ("CFS(%)", 7),
    ("W", 4),
    ("D", 4),
    ("L", 4),
    ("D(%)", 5),
    ("OppAvg", 7),
    ("OppErr", 7),
    ("OppN", 5),
    ("OppDiv", 7),
)
DEFAULT_COLUMNS = (0, 1, 2, 3, 4, 5)
