"""The one table of games: who played whom, who moved first, and the score.

Everything that reads games makes a `Pool`, everything that rates takes one.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import equal_fields
from yardstone.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["PairCounts", "Pool", "Skipped", "SkipReport"]

#: Details of at most so many skipped records are kept; all are counted.
MAX_SKIPPED_DETAILS = 1000
#: From so many pairs on their counts are kept as small integers, and never copied.
MANY_PAIRS = 1 << 22


@dataclass(frozen=True, slots=True)
class Skipped:
    """One record that was left out, and why.

    Attributes
    ----------
    file : str
        Where it stands.
    line : int
        The line at which the record begins or goes wrong, from 1; 0 if unknown.
    reason : str
        What is wrong with it.
    """

    file: str
    line: int
    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", shown(self.reason))

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: {self.reason}"
            if self.line
            else f"{self.file}: {self.reason}"
        )


class SkipReport:
    """Counts of all skipped records, with the details of the first ones.

    A hostile file can hold millions of bad records, so only the first
    `MAX_SKIPPED_DETAILS` are kept one by one. `repaired` counts what was put right in
    records that were used, `known` (by kind) the records left out although they were
    understood, such as unfinished games, and `values` the results that were not;
    `remarks` are sentences on how records were understood. A condition (``where``) left
    `unwanted` games out of `considered`. `doubts` are sentences on where the condition, or what
    was made of the records, may be amiss; commands say them on standard error.
    """

    def __init__(self, skipped: Iterable[Skipped] = ()) -> None:
        self.total = 0
        self.reasons: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.values: Counter[str] = Counter()
        self.details: list[Skipped] = []
        self.remarks: list[str] = []
        self.considered = 0
        self.unwanted = 0
        self.doubts: list[str] = []
        for record in skipped:
            self.add(record)

    @property
    def unread(self) -> int:
        """Number of records that were left out because they are not understood."""
        return self.total - self.known.total()

    def add(self, record: Skipped, *, kind: str | None = None, known: bool = False) -> None:
        """Count one record under `kind` (default: its reason)."""
        self.total += 1
        self.reasons[kind or record.reason] += 1
        if known:
            self.known[kind or record.reason] += 1
        if len(self.details) < MAX_SKIPPED_DETAILS:
            self.details.append(record)

    def add_uncounted(self, kind: str, number: int, *, known: bool = False) -> None:
        """Count `number` further records of a kind whose details are not kept."""
        self.total += number
        self.reasons[kind] += number
        if known:
            self.known[kind] += number

    def remark(self, sentence: str) -> None:
        """Note how records were understood, once."""
        if sentence not in self.remarks:
            self.remarks.append(sentence)

    def doubt(self, sentence: str) -> None:
        """Note where a condition, or the reading, may be amiss, once."""
        if sentence not in self.doubts:
            self.doubts.append(sentence)

    def merge(self, other: SkipReport) -> None:
        """Add all that another report holds."""
        self.total += other.total
        self.reasons.update(other.reasons)
        self.repaired.update(other.repaired)
        self.known.update(other.known)
        self.values.update(other.values)
        for sentence in other.remarks:
            self.remark(sentence)
        self.considered += other.considered
        self.unwanted += other.unwanted
        for sentence in other.doubts:
            self.doubt(sentence)
        self.details.extend(other.details[: MAX_SKIPPED_DETAILS - len(self.details)])

    def __len__(self) -> int:
        return self.total

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, SkipReport) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<SkipReport: {self.total} records, {len(self.reasons)} reasons>"


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Results added up for each ordered pair of players, sorted by (first, second).

    The sufficient statistics of every joint fit: `wins`, `draws` and `losses`
    are counted for the player who moved first. All five arrays have one entry a
    pair that met with those sides. Of very many pairs the counts are small integers
    (see `yardstone.ratings.bradley_terry`); `blocks` gives them as ever.
    """

    players: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    wins: NDArray[np.float64]
    draws: NDArray[np.float64]
    losses: NDArray[np.float64]

    @property
    def games(self) -> NDArray[np.float64]:
        """Number of games of each pair."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> NDArray[np.float64]:
        """Points of the player who moved first, for each pair."""
        return self.wins + 0.5 * self.draws

    def total(self) -> int:
        """Number of all games."""
        return sum(int(column.sum()) for column in (self.wins, self.draws, self.losses))

    def blocks(self, size: int = 1 << 20) -> Iterator[PairCounts]:
        """The same, so many pairs at a time, with counts as floating-point numbers.

        What is summed over pairs block by block needs no more memory for more pairs.
        """
        for start in range(0, len(self.first), size):
            part = slice(start, start + size)
            columns = (self.wins[part], self.draws[part], self.losses[part])
            yield PairCounts(
                self.players,
                self.first[part],
                self.second[part],
                *(column.astype(np.float64, copy=False) for column in columns),
            )

    def select(self, keep: NDArray[np.bool_]) -> PairCounts:
        """Only the pairs where `keep` is true; players keep their numbers."""
        if keep.all():
            return self
        return PairCounts(
            self.players,
            self.first[keep],
            self.second[keep],
            self.wins[keep],
            self.draws[keep],
            self.losses[keep],
        )

    def emptied(self, keep: NDArray[np.bool_]) -> PairCounts:
        """All pairs, those where `keep` is false without games.

        As good as `select` where pairs without games count for nothing; of very many pairs
        the players' numbers need not be copied.
        """
        if keep.all():
            return self
        columns = (np.where(keep, c, c.dtype.type(0)) for c in (self.wins, self.draws, self.losses))
        return PairCounts(self.players, self.first, self.second, *columns)

    def player_totals(self) -> NDArray[np.float64]:
        """Wins, draws and losses of each player over both sides: shape (players, 3)."""
        n = self.players
        totals = np.zeros((n, 3))
        for part in self.blocks():
            columns = (part.wins, part.draws, part.losses)
            for place, (one, other) in enumerate(zip(columns, reversed(columns), strict=True)):
                totals[:, place] += np.bincount(part.first, one, n)
                totals[:, place] += np.bincount(part.second, other, n)
        return totals


def _frozen(values: ArrayLike, dtype: Any = None) -> NDArray[Any]:
    array = np.ascontiguousarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Pool:
    """Games between players; frozen.

    Attributes
    ----------
    players : tuple of str
        Names; a player's number is the place in this tuple.
    first, second : int32 arrays, one entry a game
        Numbers of the player who moved first (White in chess, Black in Go) and
        of the other.
    score : float64 array
        Points of `first`: 1, 0.5 or 0.
    time : datetime64[s] array or None
        When each game was played; NaT where unknown.
    columns : mapping of str to arrays
        Further columns, one entry a game (handicap, komi, event, round, ...).
    skipped : SkipReport
        The records that were left out when the pool was read.
    ordered : bool
        Whether `first` did move first. False where nobody knows, as in a table of
        winners and losers: no advantage of moving first can then be estimated.

    Raises
    ------
    InputError
        From the constructor, if lengths differ, a number is out of range or a
        score is none of 1, 0.5 and 0.
    """

    players: tuple[str, ...]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]
    time: NDArray[np.datetime64] | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    skipped: SkipReport = field(default_factory=SkipReport)
    ordered: bool = True

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "players", tuple(self.players))
        put(self, "first", _frozen(self.first, np.int32))
        put(self, "second", _frozen(self.second, np.int32))
        put(self, "score", _frozen(self.score, np.float64))
        if self.time is not None:
            put(self, "time", _frozen(self.time, "datetime64[s]"))
        put(self, "columns", MappingProxyType({k: _frozen(v) for k, v in self.columns.items()}))
        self._check()

    def _check(self) -> None:
        games = len(self.score)
        others = {"first": self.first, "second": self.second, **self.columns}
        if self.time is not None:
            others["time"] = self.time
        for name, column in others.items():
            if column.ndim != 1 or len(column) != games:
                raise InputError(
                    f"column {name!r} has shape {column.shape}, the scores have ({games},)"
                )
        if games == 0:
            return
        for name in ("first", "second"):
            column = others[name]
            if column.min() < 0 or column.max() >= len(self.players):
                raise InputError(
                    f"column {name!r} has a player's number outside 0 to {len(self.players) - 1}"
                )
        if not np.isin(self.score, (0.0, 0.5, 1.0)).all():
            raise InputError("scores must be 1, 0.5 or 0")

    @classmethod
    def from_names(
        cls,
        first: Sequence[str],
        second: Sequence[str],
        score: ArrayLike,
        *,
        time: NDArray[np.datetime64] | None = None,
        columns: Mapping[str, ArrayLike] | None = None,
    ) -> Pool:
        """A pool from names in place of numbers; players in order of appearance.

        Names that differ only in how accents are encoded are one (NFC).

        Examples
        --------
        >>> Pool.from_names(["Ann", "Bob"], ["Bob", "Ann"], [1, 0.5])
        <Pool: 2 games of 2 players>
        """
        number: dict[str, int] = {}
        ids = np.empty((len(first), 2), np.int32)
        for row, pair in enumerate(zip(first, second, strict=True)):
            names = (unicodedata.normalize("NFC", name) for name in pair)
            ids[row] = [number.setdefault(name, len(number)) for name in names]
        extra = {name: np.asarray(values) for name, values in (columns or {}).items()}
        return cls(tuple(number), ids[:, 0], ids[:, 1], np.asarray(score, np.float64), time, extra)

    def __len__(self) -> int:
        return len(self.score)

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, Pool) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        left_out = f", {len(self.skipped)} records skipped" if len(self.skipped) else ""
        return f"<Pool: {len(self)} games of {len(self.players)} players{left_out}>"

    def select(self, keep: NDArray[np.bool_] | NDArray[np.integer[Any]]) -> Pool:
        """The games where `keep` is true, or those of its numbers; players keep theirs."""
        return replace(
            self,
            first=self.first[keep],
            second=self.second[keep],
            score=self.score[keep],
            time=None if self.time is None else self.time[keep],
            columns={name: column[keep] for name, column in self.columns.items()},
        )

    def played(self) -> NDArray[np.int64]:
        """Number of games of each player."""
        n = len(self.players)
        return np.bincount(self.first, minlength=n) + np.bincount(self.second, minlength=n)

    def pair_counts(self) -> PairCounts:
        """The results added up for each ordered pair of players."""
        from yardstone._pairs import count_pairs

        n = len(self.players)
        return PairCounts(n, *count_pairs(self.first, self.second, self.score, n))
