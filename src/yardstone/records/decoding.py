"""Bytes of unknown encoding to clean text."""

from __future__ import annotations

import unicodedata

__all__ = ["clean", "decode", "finite_number", "whole_number"]

#: What has more digits is no number of a player, a round or a year.
_MOST_DIGITS = 9

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

    A letter with its accent is one character (NFC), however it was written.

    Examples
    --------
    >>> clean(" Ann\tLee\x1b[31m "), len(clean("Jose\u0301"))
    ('Ann Lee [31m', 4)
    """
    if not text.isprintable():
        text = "".join(
            " "
            if unicodedata.category(character) in _CATEGORIES or character in _DIRECTION_MARKS
            else character
            for character in text
        )
    return unicodedata.normalize("NFC", text).strip()


def whole_number(text: str) -> int | None:
    """The number from 0 on that up to nine digits write, or None.

    Examples
    --------
    >>> whole_number(" 007 "), whole_number("-1"), whole_number("9" * 5000)
    (7, None, None)
    """
    digits = text.strip()
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None


def finite_number(text: str, *, below: float) -> float | None:
    """The number that a text writes, of an absolute value under `below`, or None.

    Examples
    --------
    >>> [finite_number(text, below=10) for text in ("-1.5", "nan", "1e9")]
    [-1.5, None, None]
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < below else None
