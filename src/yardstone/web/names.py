"""Names of files and players from strangers, made fit to be shown."""

from __future__ import annotations

import unicodedata

from yardstone.records.decoding import clean

__all__ = ["file_label", "spreadsheet_safe"]

#: What begins a formula in a spreadsheet.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def file_label(name: str, length: int) -> str:
    r"""The last part of a file's name, without anything that could do harm, not too long.

    It is only shown: files are stored under numbers.

    Examples
    --------
    >>> file_label("..\\..\\etc/passwd", 120), file_label("C:\\games\\a.sgf", 120)
    ('passwd', 'a.sgf')
    >>> file_label("/", 120), file_label("a" * 30 + ".sgf", 12)
    ('file', 'aaaaaaa….sgf')
    """
    last = clean(unicodedata.normalize("NFC", name)).replace("\\", "/").rstrip("/")
    last = last.rpartition("/")[2].strip()
    if last in ("", ".", ".."):
        return "file"
    if len(last) <= length:
        return last
    stem, dot, ending = last.rpartition(".")
    if not dot or len(ending) > 8:
        return last[: length - 1] + "…"
    return stem[: length - len(ending) - 2] + "…." + ending


def spreadsheet_safe(value: object) -> object:
    """A cell of a table that no spreadsheet takes for a formula.

    Examples
    --------
    >>> spreadsheet_safe("=HYPERLINK(1)"), spreadsheet_safe("Ann"), spreadsheet_safe(-1.5)
    ("'=HYPERLINK(1)", 'Ann', -1.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
