"""What format a file is in, by its content; by its ending where the content is silent."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["content_of"]

_MAGIC = (
    (0, b"PAR1", "parquet"),
    (0, b"ARROW1", "arrow"),
    (0, b"FEA1", "arrow"),
    (0, b"SQLite format 3\0", "database"),
    (8, b"DUCK", "database"),
)
_MAT = re.compile(rb"^[ \t]*\d{1,5}[ \t]*point[ \t]+match\b", re.IGNORECASE | re.MULTILINE)
_SGF = re.compile(rb"\(\s*;\s*[A-Za-z]{1,12}\s*\[")
_TAG = re.compile(rb'^[ \t]*\[\s*\w+\s+"', re.MULTILINE)
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|\})|\[\s*\]')
_XML = re.compile(rb"(?:<\?xml|<!--|<!DOCTYPE\s+Tournament|<Tournament)\b")
_TRF = re.compile(rb"(?:012|022|042|001|###)[ \r\n]")
_H9 = re.compile(rb";[ \t]*[A-Z]{2}\[")
#: A player of an H9 file: place, names, grade, country, club, then scores and rounds.
_H9_PLAYER = re.compile(
    rb"^[ \t]*\d+[ \t]+\S+.*?[ \t]\d+[kdp]\b.*[ \t]\d+[=+\-?]", re.IGNORECASE | re.MULTILINE
)
_HEADER = re.compile(rb"[^\n\r\"\[]*[,;\t|][^\n\r\[]*[,;\t|]")
_QUOTED_HEADER = re.compile(rb'(?:"[^"\n\r]*"[,;\t|]){2}')


#: Signs of each format, the surest first; ``match`` at the beginning, ``search`` anywhere.
_SIGNS: tuple[tuple[str, Callable[[bytes], object]], ...] = (
    ("json", _JSON.match),
    ("opengotha", _XML.match),
    ("trf", _TRF.match),
    ("h9", _H9.match),
    ("sgf", _SGF.match),
    ("mat", _MAT.search),
    ("pgn", _TAG.match),
    ("csv", _HEADER.match),
    ("csv", _QUOTED_HEADER.match),
    ("pgn", _TAG.search),
    ("sgf", _SGF.search),
    ("h9", _H9_PLAYER.search),
)


def content_of(head: bytes, ending: str | None = None) -> str | None:
    """The format that the first bytes of a file show; None where they show none.

    Parameters
    ----------
    head : bytes
    ending : str, optional
        The format of the file's ending: it decides where the content could be either.

    Examples
    --------
    >>> content_of(b'[White "Ann"]'), content_of(b"white,black,result"), content_of(b"hello")
    ('pgn', 'csv', None)
    """
    for place, magic, name in _MAGIC:
        if head[place:].startswith(magic):
            return name
    text = head.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf")
    text = text.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").lstrip()
    names = [name for name, shows in _SIGNS if shows(text)]
    return ending if ending in names else next(iter(names), None)
