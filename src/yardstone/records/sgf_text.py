"""The texts of SGF values: escapes and line breaks, both ways."""

from __future__ import annotations

import re

__all__ = ["escaped", "plain_text", "unescaped"]

_ESCAPES = re.compile(r"\\(?:\r\n|\n\r|\n|\r|(.))", re.DOTALL)
_BLANKS = str.maketrans({"\t": " ", "\v": " ", "\f": " "})
_SPECIAL = re.compile(r"([\\\]])")
_SPECIAL_COMPOSED = re.compile(r"([\\\]:])")


def unescaped(text: str) -> str:
    r"""The text that a value stands for.

    A backslash takes the meaning from the next character; before a line break both
    are left out. Line breaks become ``\n``, other white space becomes blanks.

    Examples
    --------
    >>> unescaped("a\\]b\\\\c\\\nd\r\ne\tf")
    'a]b\\cd\ne f'
    """
    if "\\" in text:
        text = _ESCAPES.sub(r"\1", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\n\r", "\n").replace("\r", "\n")
    return text.translate(_BLANKS) if "\t" in text or "\v" in text or "\f" in text else text


def plain_text(data: bytes) -> str:
    """The text of a value in UTF-8; bytes that are none become U+FFFD."""
    text = data.decode("utf-8", "replace")
    return text if text.isprintable() and "\\" not in text else unescaped(text)


def escaped(text: str, *, composed: bool = False) -> str:
    r"""The text as a value, or, if `composed`, as one of the two parts of a value.

    Examples
    --------
    >>> escaped("a]b\\c:d"), escaped("a:b", composed=True)
    ('a\\]b\\\\c:d', 'a\\:b')
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_BLANKS)
    return (_SPECIAL_COMPOSED if composed else _SPECIAL).sub(r"\\\1", text)
