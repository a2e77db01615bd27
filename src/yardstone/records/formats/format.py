"""What the registry knows of a format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from yardstone.records.options import Reader

if TYPE_CHECKING:
    from yardstone.pool import Pool, SkipReport
    from yardstone.records.game_rows import GameRows
    from yardstone.records.go_game import GoGame
    from yardstone.records.options import Options
    from yardstone.records.sources import Source

__all__ = [
    "FileFormat",
    "GameReader",
    "Sign",
    "Writer",
    "reader",
    "table_format",
    "tournament_format",
]


class GameReader(Protocol):
    """Gives games with their moves, one after another, and tells what it left out."""

    skipped: SkipReport

    def __iter__(self) -> Iterator[GoGame]:
        """The games."""
        ...


@dataclass(frozen=True, slots=True)
class Sign:
    """Something in the first bytes of a file that shows its format.

    Attributes
    ----------
    rank : int
        Where several formats show, the sign of the lowest rank counts, unless the file's
        ending is that of another of them; one of rank 0 counts in any case.
    shows : callable
        From bytes without a byte order mark to something true.
    """

    rank: int
    shows: Callable[[bytes], object]


def _nothing(_: Pool) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes pools in a format.

    Attributes
    ----------
    name : str
        What the user calls the format.
    endings : tuple of str
    pieces : callable
        From a pool to the file, piece by piece: texts, or bytes if it is `binary`.
    left_out : callable
        The columns of a pool that the format has no place for.
    game : callable, optional
        The text of one game with its moves.
    side : str
        The colour that moves first in it; empty if it has no colours.
    """

    name: str
    endings: tuple[str, ...]
    pieces: Callable[[Pool], Iterable[str | bytes]]
    left_out: Callable[[Pool], Sequence[str]] = _nothing
    game: Callable[[GoGame], str] | None = None
    side: str = ""
    binary: bool = False


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A kind of file: how it is known, read and written.

    Attributes
    ----------
    name : str
        What the user calls it.
    endings : tuple of str
        Endings of files in it, without those of compression.
    signs : tuple of Sign
        How its content shows.
    read : Reader
        From sources and options to a pool.
    games : callable, optional
        From sources, and keywords `strict` and `progress`, to a reader of games with moves.
    writers : tuple of Writer
    moves : bool
        Whether its records hold moves, of which a pool keeps nothing.
    side : str
        The colour that moves first in it; empty if it has no colours.
    web : callable, optional
        From the beginning of an upload and its ending to what the web calls it: the format's
        name, or that of a variety; empty if it is not taken. None takes no such file.
    tournament : str
        For formats of whole tournaments, what the format is, in words.
    rows : callable, optional
        For tables, from a source and options to a context with its `GameRows`.
    """

    name: str
    endings: tuple[str, ...]
    signs: tuple[Sign, ...]
    read: Reader
    games: Callable[..., GameReader] | None = None
    writers: tuple[Writer, ...] = ()
    moves: bool = False
    side: str = ""
    web: Callable[[str, str], str] | None = None
    tournament: str = ""
    rows: Callable[[Source, Options], AbstractContextManager[GameRows]] | None = None


def reader(module: str, function: str, *first: str) -> Callable[..., Any]:
    """A function of another module, which is loaded when something is read."""

    def read(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"yardstone.{module}"), function)(
            *first, *arguments, **options
        )

    return read


def tournament_format(name: str, about: str, endings: tuple[str, ...], *signs: Sign) -> FileFormat:
    """A format of tournaments, which `yardstone.tournament` reads and writes."""
    read = reader("tournament.pools", "read_tournaments", name)
    return FileFormat(name, endings, signs, read, tournament=about)


def table_format(
    name: str,
    endings: tuple[str, ...],
    signs: tuple[Sign, ...],
    rows: Callable[[Source, Options], AbstractContextManager[GameRows]],
    *,
    sent: bool = True,
    **more: Any,
) -> FileFormat:
    """A format of tables, which DuckDB reads: `rows` opens the table of one file.

    With `sent` it does so from the bytes of a file as well, on another machine.
    """

    def read(sources: Sequence[Source], options: Options) -> Pool:
        tables = import_module("yardstone.records.table_files")
        read = tables.read_tables if sent else tables.read_rows
        unplayed = import_module("yardstone.records.unplayed")
        pool: Pool = unplayed.without_repeats(read(rows, sources, options))
        return pool

    return FileFormat(name, endings, signs, read, rows=rows, **more)
