"""Bytes of unknown encoding to clean text."""

from __future__ import annotations

import unicodedata

__all__ = ["clean", "decode"]

#: Categories of characters that could spoil a terminal: control characters and
#: separators of lines; and the marks that turn the direction of writing.
_CATEGORIES = frozenset({"Cc", "Zl", "Zp", "Cs"})
_DIRECTION_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def decode(data: bytes) -> str:
    """UTF-8 if it is, else Windows-1252 (which contains Latin-1).

    Examples
    --------
    >>> decode("Müller".encode()), decode("Müller".encode("latin-1"))
    ('Müller', 'Müller')
    """
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def clean(text: str) -> str:
    r"""The text without blanks around it; control characters become blanks.

    Examples
    --------
    >>> clean(" Ann\tLee\x1b[31m ")
    'Ann Lee [31m'
    """
    if not text.isprintable():
        text = "".join(
            " "
            if unicodedata.category(character) in _CATEGORIES or character in _DIRECTION_MARKS
            else character
            for character in text
        )
    return text.strip()
