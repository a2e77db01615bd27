"""The registry of formats: each has a file here, which says all that is to be known of it.

Whatever asks what a file is, which endings there are, or what can be read, written or
uploaded, asks here; a new format is one new file and its name in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from yardstone.choices import no_such
from yardstone.errors import UsageError
from yardstone.records.formats import (
    arrow,
    csv,
    database,
    h9,
    json,
    mat,
    opengotha,
    parquet,
    pgn,
    sgf,
    trf,
)
from yardstone.records.formats.format import FileFormat, Sign, Writer
from yardstone.records.options import Options
from yardstone.records.skipped_records import check_group
from yardstone.records.sources import plain_ending

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.records.sources import Source

__all__ = [
    "FORMATS",
    "HEAD",
    "WRITERS",
    "FileFormat",
    "Options",
    "Sign",
    "Writer",
    "endings_of",
    "for_web",
    "format_named",
    "of_content",
    "of_source",
    "read_format",
]

_MODULES = (pgn, sgf, mat, csv, parquet, json, arrow, opengotha, h9, trf, database)
#: All formats by name.
FORMATS: Mapping[str, FileFormat] = MappingProxyType(
    {module.FORMAT.name: module.FORMAT for module in _MODULES}
)
#: What writes pools, by the name of the format.
WRITERS: Mapping[str, Writer] = MappingProxyType(
    {writer.name: writer for format in FORMATS.values() for writer in format.writers}
)
#: Bytes at the beginning of a file that are looked at.
HEAD = 4096
_BY_ENDING = {ending: format for format in FORMATS.values() for ending in format.endings}
_SIGNS = sorted(
    ((sign, format) for format in FORMATS.values() for sign in format.signs),
    key=lambda pair: pair[0].rank,
)
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def endings_of(formats: Sequence[FileFormat] | None = None) -> list[str]:
    """The endings of files of some formats, or of all."""
    known = FORMATS.values() if formats is None else formats
    return [ending for format in known for ending in format.endings]


def format_named(name: str) -> FileFormat:
    """The format of this name; UsageError if there is none."""
    if name not in FORMATS:
        raise UsageError(no_such("format", name, FORMATS))
    return FORMATS[name]


def of_content(head: bytes, name: str = "") -> FileFormat | None:
    """The format that the first bytes of a file show; None where they show none.

    Where they could be of several, the ending of the file's name decides.

    Examples
    --------
    >>> of_content(b'[White "Ann"]').name, of_content(b"white,black,result").name
    ('pgn', 'csv')
    >>> of_content(b"hello", "hello.pgn")
    """
    text = head
    for mark in _MARKS:
        text = text.removeprefix(mark)
    text = text.replace(b"\0", b"").lstrip()
    formats = []
    for sign, format in _SIGNS:
        if sign.shows(head if sign.rank == 0 else text):
            if sign.rank == 0:
                return format
            formats.append(format)
    by_ending = _BY_ENDING.get(plain_ending(name))
    return by_ending if by_ending in formats else next(iter(formats), None)


def of_source(source: Source) -> FileFormat:
    """The format of a source: what its first bytes say, or else its ending."""
    by_ending = _BY_ENDING.get(source.ending)
    # Going back in an archive can mean reading all of it again.
    if by_ending is not None and source.member is not None:
        return by_ending
    with source.open() as stream:
        head = stream.peek(HEAD)
        if source.path is None:
            source.keep(stream)
    return of_content(head, source.name) or by_ending or pgn.FORMAT


def for_web(head: bytes, name: str) -> str:
    """What the web calls an upload that begins so; empty if it takes no such file.

    Examples
    --------
    >>> for_web(b"(;GM[1]SZ[19])", "a.sgf"), for_web(b"(;GM[6])", "a.sgf"), for_web(b"MZ", "a.csv")
    ('sgf', 'sgf-backgammon', '')
    """
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not wide and head.count(b"\0") > 2:
        return ""
    format = of_content(head, name)
    if format is None or format.web is None:
        return ""
    text = head.decode("utf-16", "ignore") if wide else head.decode("utf-8-sig", "replace")
    return format.web(text, plain_ending(name))


def read_format(name: str, sources: Sequence[Source], options: Options) -> Pool:
    """The games of sources of one format.

    Raises
    ------
    InputError
        If too much of them cannot be read, unless that was allowed.
    """
    from yardstone.records.unplayed import without_byes

    pool = without_byes(FORMATS[name].read(sources, options), strict=options.strict)
    check_group(sources, pool.skipped, len(pool), skip_unread=options.skip_unread)
    return pool
