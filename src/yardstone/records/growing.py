"""Files that another program is writing: as far as they hold whole games."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.records.formats import endings_of, of_source
from yardstone.records.sources import Source, find_sources
from yardstone.records.streams import LONGEST_MAGIC, compression_of

if TYPE_CHECKING:
    import os

__all__ = ["growing_sources", "whole_games"]

#: At first so much of a file's end is looked at, and more if no game ends there.
_TAIL = 1 << 16
_RESULT = re.compile(rb"(?:^|(?<=[ \t}\n]))(?:1-0|0-1|1/2-1/2|\*)[ \t]*\r?\n")


def growing_sources(paths: Sequence[str | os.PathLike[str]]) -> list[Source]:
    """The files of some paths, each PGN file as far as its games are written whole.

    Files that do not exist yet are left out.
    """
    sources = []
    for path in paths:
        try:
            there = find_sources([path], endings_of())
        except InputError:
            if Path(path).exists():
                raise
            continue
        for source in there:
            if source.path is not None and of_source(source).name == "pgn":
                source.limit = whole_games(source.path)
            sources.append(source)
    return sources


def whole_games(path: Path) -> int | None:
    """How many bytes of a PGN file to read so that its last game is whole.

    A game is whole when a result stands at the end of its moves, on a line that has ended.
    None if the file is compressed, which a program that writes game by game does not do.
    """
    with path.open("rb") as file:
        if compression_of(file.read(LONGEST_MAGIC)) is not None:
            return None
        size = file.seek(0, 2)
        length = _TAIL
        while True:
            start = max(size - length, 0)
            file.seek(start)
            tail = file.read(size - start)
            ends = [result.end() for result in _RESULT.finditer(tail)]
            if ends:
                return start + ends[-1]
            if not start:
                return 0
            length *= 8
