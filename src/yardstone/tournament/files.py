"""Tournament files of any known format: read, and made into bytes."""

from __future__ import annotations

import os
from pathlib import Path

from yardstone.choices import no_such
from yardstone.errors import InputError, UsageError
from yardstone.pool import SkipReport
from yardstone.records import formats
from yardstone.records.sources import Source, find_sources
from yardstone.tournament.formats import FORMATS, TournamentFormat
from yardstone.tournament.model import Tournament

__all__ = [
    "format_named",
    "format_of_bytes",
    "format_to_write",
    "read_source",
    "read_tournament",
    "to_bytes",
]

MAX_BYTES = 64 << 20


def read_tournament(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    skipped: SkipReport | None = None,
) -> Tournament:
    """Read one tournament from a file.

    Parameters
    ----------
    path : path
        The file, compressed or not; ``-`` is standard input.
    format : str, optional
        ``opengotha``, ``h9`` or ``trf``; by default the content tells, or the ending.
    skipped : SkipReport, optional
        Takes games that cannot be used; without it the first one is an error.

    Raises
    ------
    InputError
        The file cannot be read, is of no known format, or something in it is wrong.
    UsageError
        There is no such format.
    """
    sources = find_sources([path], [end for known in FORMATS.values() for end in known.endings])
    if len(sources) != 1:
        raise InputError(f"{len(sources)} files are meant", file=str(path), hint="name one")
    return read_source(sources[0], format=format, skipped=skipped)


def read_source(
    source: Source, *, format: str | None = None, skipped: SkipReport | None = None
) -> Tournament:
    """The same from an opened place."""
    data = source.content(MAX_BYTES)
    known = format_named(format) if format is not None else _guess(source, data)
    return known.read(data, source.name, skipped=skipped)


def format_named(name: str) -> TournamentFormat:
    """The format of that name, or UsageError."""
    if name not in FORMATS:
        raise UsageError(no_such("format", name, FORMATS))
    return FORMATS[name]


def _guess(source: Source, data: bytes) -> TournamentFormat:
    return format_of_bytes(data, source.name, ending=source.ending)


def format_of_bytes(data: bytes, file: str, *, ending: str | None = None) -> TournamentFormat:
    """The format of a file by its content, or else by its ending.

    Raises
    ------
    InputError
        It holds no tournament.
    """
    format = formats.of_content(data[: formats.HEAD], file)
    name = None if format is None else format.name
    if name is None:
        last = Path(file).suffix.lower() if ending is None else ending
        name = next((n for n, known in FORMATS.items() if last in known.endings), None)
    if name is None or name not in FORMATS:
        held = "no tournament" if name is None else f"no tournament but {name}"
        raise InputError(
            f"it holds {held}",
            file=file,
            hint="name a file of OpenGotha (.xml), H9 (.h9) or TRF (.trf)",
        )
    return FORMATS[name]


def to_bytes(
    tournament: Tournament, path: Path | None = None, *, format: str | None = None
) -> bytes:
    """The tournament in the format named, or else that of the ending of `path`.

    Raises
    ------
    UsageError
        Neither tells.
    """
    return format_to_write(path, format).write(tournament)


def format_to_write(path: Path | None = None, format: str | None = None) -> TournamentFormat:
    """The format named, or else that of the ending of `path`."""
    if format is not None:
        return format_named(format)
    ending = "" if path is None else path.suffix.lower()
    for known in FORMATS.values():
        if ending in known.endings:
            return known
    endings = " ".join(end for known in FORMATS.values() for end in known.endings)
    raise UsageError(f"which format? Use one of the endings {endings}, or name it")
