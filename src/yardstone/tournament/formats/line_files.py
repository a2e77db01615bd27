"""Text files of lines: their encoding, their ends and the dates in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from yardstone.errors import InputError

__all__ = ["TextDocument", "parse_date", "split_lines"]

MAX_BYTES = 64 << 20
MAX_LINES = 200_000
_MONTHS = {
    name: number
    for number, name in enumerate(
        "jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1
    )
}
_ISO = re.compile(r"(\d{4})\s*[./-]\s*(\d{1,2})\s*[./-]\s*(\d{1,2})")
_SHORT = re.compile(r"(\d{2})\s*[./-]\s*(\d{1,2})\s*[./-]\s*(\d{1,2})")
_DAY_FIRST = re.compile(r"(\d{1,2})\s*[./-]\s*(\d{1,2})\s*[./-]\s*(\d{4})")
_ENGLISH = re.compile(r"(?<![A-Za-z])([A-Za-z]{3})[a-z]*+\.?\s++(\d{1,2}),?\s+(\d{4})")


@dataclass(frozen=True, slots=True)
class TextDocument:
    """The lines of a file, as they stand, and how they are encoded.

    Attributes
    ----------
    format : str
        Of what kind the file is.
    lines : tuple of str
        Without their ends.
    encoding, newline : str
        As in the file.
    mark : bool
        Whether it begins with a byte order mark.
    last_newline : bool
        Whether the last line ends.
    number : mapping of int to int
        Number by which the file calls each player, by the place in the tournament.
    """

    format: str
    lines: tuple[str, ...]
    encoding: str = "utf-8"
    newline: str = "\n"
    mark: bool = False
    last_newline: bool = True
    number: Mapping[int, int] = field(default_factory=dict)

    def to_bytes(self, lines: Sequence[str]) -> bytes:
        """Other lines as a file like this one; in UTF-8 if its encoding lacks a letter."""
        text = self.newline.join(lines) + (self.newline if self.last_newline else "")
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError:
            data = text.encode()
        return b"\xef\xbb\xbf" + data if self.mark else data

    def numbered(self, number: Mapping[int, int]) -> TextDocument:
        """The same with the numbers of the players."""
        return replace(self, number=number)


def split_lines(data: bytes, file: str, format: str) -> TextDocument:
    """The lines of a text file in UTF-8 or, failing that, Windows-1252 or Latin-1."""
    if len(data) > MAX_BYTES:
        raise InputError(f"more than {MAX_BYTES >> 20} MiB", file=file)
    mark = data.startswith(b"\xef\xbb\xbf")
    body = data.removeprefix(b"\xef\xbb\xbf")
    for encoding in ("utf-8", "cp1252", "latin-1"):
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError:
            continue
        break
    newline = "\r\n" if "\r\n" in text else "\r" if "\n" not in text and "\r" in text else "\n"
    lines = text.split(newline)
    last = bool(lines) and lines[-1] == ""
    lines = lines[:-1] if last else lines
    if len(lines) > MAX_LINES:
        raise InputError(f"more than {MAX_LINES:,} lines", file=file)
    return TextDocument(format, tuple(lines), encoding, newline, mark, last)


def parse_date(text: str) -> date | None:
    """A date as such files write it: 2020/05/29, 29.05.2020, May 29, 2020; None if it is none."""
    for pattern, places in ((_ISO, (1, 2, 3)), (_DAY_FIRST, (3, 2, 1)), (_SHORT, (1, 2, 3))):
        match = pattern.search(text)
        if match is not None:
            year, month, day = (int(match[place]) for place in places)
            return _date(year + 2000 if year < 100 else year, month, day)
    match = _ENGLISH.search(text)
    if match is not None and match[1].lower() in _MONTHS:
        return _date(int(match[3]), _MONTHS[match[1].lower()], int(match[2]))
    return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
