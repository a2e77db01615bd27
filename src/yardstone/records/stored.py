"""Games that do not fit in memory: a pool whose columns lie on disk, in order of time.

Games are taken batch by batch as they are read. What is kept of each are the numbers of its
players, score and time (some 20 bytes), in temporary files; names are kept once. Games that
came out of order are sorted there, by pieces that fit in memory: the times of a sample tell
what to put together, each part is written in the order of the files, and sorted by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from yardstone.disk import column_on_disk, column_part, let_go, pieces, rows_of, taken
from yardstone.pool import Pool, SkipReport
from yardstone.records._disk_columns import ColumnWriter
from yardstone.records.order_on_disk import dated_columns, sorted_columns, time_rises

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.streaming import GameBatch

__all__ = ["BatchReader", "StoredPool", "in_batches", "stored_games"]

#: What a game takes while its batch is rated or measured, in bytes.
_HELD = 400


class BatchReader(Protocol):
    """Gives games batch by batch in the order of their files; all else is known at the end.

    `yardstone.records.streaming.GameStream` is one.
    """

    def __iter__(self) -> Iterator[GameBatch | Pool]: ...

    @property
    def players(self) -> Sequence[str]:
        """Names by number."""

    @property
    def skipped(self) -> SkipReport:
        """What was left out."""

    @property
    def ordered(self) -> bool:
        """As in `Pool`."""


@dataclass(frozen=True, eq=False, repr=False)
class StoredPool(Pool):
    """A pool whose columns lie on disk; its games are in order of time.

    `select` and `games` give ordinary pools in memory.

    Attributes
    ----------
    most : int
        So many games may be held in memory at once.
    alone, undated : int
        Games of a player against himself and games without a date, which were left out.
    """

    most: int = 1 << 23
    alone: int = 0
    undated: int = 0

    def __post_init__(self) -> None:
        """Nothing is copied and looked through here: `stored_games` made it."""

    def games(self, at: slice) -> Pool:
        """Some of the games, in memory."""
        return Pool(
            self.players,
            taken(self.first, at),
            taken(self.second, at),
            taken(self.score, at).astype(np.float64),
            None if self.time is None else taken(self.time, at),
            {name: taken(column, at) for name, column in self.columns.items()},
            ordered=self.ordered,
        )

    def until(self, games: int) -> StoredPool:
        """The first games, still on disk."""
        at = slice(0, games)
        return replace(
            self,
            first=self.first[at],
            second=self.second[at],
            score=self.score[at],
            time=None if self.time is None else self.time[at],
            columns={name: column_part(column, at) for name, column in self.columns.items()},
        )

    def select(self, keep: NDArray[np.bool_] | NDArray[np.integer[Any]]) -> Pool:
        """Games by their numbers or by a mask, in memory."""
        return Pool(
            self.players,
            rows_of(self.first, keep),
            rows_of(self.second, keep),
            rows_of(self.score, keep),
            None if self.time is None else rows_of(self.time, keep),
            {name: rows_of(column, keep) for name, column in self.columns.items()},
            ordered=self.ordered,
        )

    def renumbered(self, players: tuple[str, ...], number: NDArray[np.int32]) -> StoredPool:
        """The same games with other numbers of their players: `number` of each old one."""
        sides: dict[str, Any] = {
            side: column_on_disk(len(self), np.int32) for side in ("first", "second")
        }
        for at in pieces(len(self)):
            for name, column in sides.items():
                column[at] = number[taken(getattr(self, name), at)]
                let_go(column)
        return replace(self, players=players, **sides)

    def played(self) -> NDArray[np.int64]:
        """Number of games of each player."""
        played = np.zeros(len(self.players), np.int64)
        for at in pieces(len(self)):
            for side in (self.first, self.second):
                played += np.bincount(taken(side, at), minlength=len(played))
        return played


def in_batches(pool: Pool) -> Iterator[Pool]:
    """The games in memory: all of them, or of a pool on disk batch by batch."""
    if isinstance(pool, StoredPool):
        yield from (pool.games(at) for at in pieces(len(pool)))
    else:
        yield pool


def stored_games(reader: BatchReader, *, memory: int = 1 << 31) -> StoredPool:
    """Keep games on disk, in order of time; games of equal time stay in the order given.

    Parameters
    ----------
    reader : BatchReader
        Gives the games as they are read.
    memory : int
        Bytes that the games of one rating period, which are rated at once, may take.
    """
    writer = ColumnWriter()
    for batch in reader:
        writer.add(batch)
    columns = writer.columns()
    undated = writer.undated
    if undated == writer.games:
        columns.pop("time")
    elif undated:
        columns = dated_columns(columns, writer.games - undated)
    if "time" in columns and not time_rises(columns["time"]):
        columns = sorted_columns(columns)
    skipped = SkipReport()
    skipped.merge(reader.skipped)
    fixed = {name: columns.pop(name, None) for name in ("first", "second", "score", "time")}
    return StoredPool(
        tuple(reader.players),
        **fixed,
        columns={name.removeprefix("of "): column for name, column in columns.items()},
        skipped=skipped,
        ordered=reader.ordered,
        most=max(memory // _HELD, 1),
        alone=writer.alone,
        undated=undated if writer.timed else 0,
    )
