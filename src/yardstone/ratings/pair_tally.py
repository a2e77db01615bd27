"""Results added up for each two players while the games come piece by piece.

The table of pairs grows with the pairs, never with the games: games wait in a buffer, which is
sorted and merged into the table from behind, in place. Counts take as few bytes as they need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from yardstone.kernels import Loops, kernel, weighed
from yardstone.pool import MANY_PAIRS, PairCounts, SkipReport
from yardstone.records.strength_columns import HANDICAP_GAME
from yardstone.records.unplayed import with_handicap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.streaming import GameStream

__all__ = ["CountedGames", "PairTally"]

#: Games that wait to be added up.
BUFFER = 1 << 23
_WIDER = (np.uint8, np.uint16, np.uint32)


class _Games(Protocol):
    """What is added up: games as in a pool."""

    @property
    def first(self) -> NDArray[np.int32]: ...
    @property
    def second(self) -> NDArray[np.int32]: ...
    @property
    def score(self) -> NDArray[np.float64]: ...


@kernel
def _survey(
    keys: NDArray[np.uint64],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    wins: NDArray[np.uint32],
    draws: NDArray[np.uint32],
    losses: NDArray[np.uint32],
) -> tuple[int, int]:
    """How many pairs of the sorted `keys` are new, and the most games of a pair afterwards."""
    new, most, k, at = 0, 0, 0, 0
    while at < len(keys):
        pair = keys[at] >> np.uint64(2)
        begin = at
        while at < len(keys) and keys[at] >> np.uint64(2) == pair:
            at += 1
        total = at - begin
        i, j = int(pair >> np.uint64(31)), int(pair & np.uint64(0x7FFFFFFF))
        while k < len(first) and (first[k] < i or (first[k] == i and second[k] < j)):
            k += 1
        if k < len(first) and first[k] == i and second[k] == j:
            total += int(wins[k]) + int(draws[k]) + int(losses[k])
        else:
            new += 1
        most = max(most, total)
    return new, most


@kernel
def _merge(
    keys: NDArray[np.uint64],
    known: int,
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    wins: NDArray[np.uint32],
    draws: NDArray[np.uint32],
    losses: NDArray[np.uint32],
) -> None:
    """Add the games of the sorted `keys` to the table, of which `known` rows are filled."""
    place, k, at = len(first) - 1, known - 1, len(keys) - 1
    while at >= 0:
        pair = keys[at] >> np.uint64(2)
        i, j = int(pair >> np.uint64(31)), int(pair & np.uint64(0x7FFFFFFF))
        while k >= 0 and (first[k] > i or (first[k] == i and second[k] > j)):
            first[place], second[place] = first[k], second[k]
            wins[place], draws[place], losses[place] = wins[k], draws[k], losses[k]
            place -= 1
            k -= 1
        won, drawn, lost = 0, 0, 0
        if k >= 0 and first[k] == i and second[k] == j:
            won, drawn, lost = int(wins[k]), int(draws[k]), int(losses[k])
            k -= 1
        while at >= 0 and keys[at] >> np.uint64(2) == pair:
            result = int(keys[at] & np.uint64(3))
            won += result == 2
            drawn += result == 1
            lost += result == 0
            at -= 1
        first[place], second[place] = i, j
        wins[place], draws[place], losses[place] = won, drawn, lost
        place -= 1


class PairTally:
    """Wins, draws and losses of each ordered pair of players, in order of the pairs.

    Examples
    --------
    >>> from yardstone.pool import Pool
    >>> tally = PairTally()
    >>> tally.add(Pool.from_names("ABA", "BAB", [1, 0.5, 0]))
    >>> counts = tally.counts(2)
    >>> counts.wins.tolist(), counts.draws.tolist(), counts.losses.tolist()
    ([1.0, 0.0], [0.0, 1.0], [1.0, 0.0])
    """

    def __init__(self) -> None:
        self._first = np.zeros(0, np.int32)
        self._second = np.zeros(0, np.int32)
        self._results: list[NDArray[Any]] = [np.zeros(0, np.uint8) for _ in range(3)]
        self._waiting: list[NDArray[np.uint64]] = []
        self._number = 0

    def add(self, games: _Games) -> None:
        """Count more games."""
        keys = games.first.astype(np.uint64)
        keys <<= np.uint64(31)
        keys |= games.second.astype(np.uint64)
        keys <<= np.uint64(2)
        keys |= (2.0 * games.score).astype(np.uint64)
        self._waiting.append(keys)
        self._number += len(keys)
        if self._number >= BUFFER:
            self._fold()

    def counts(self, players: int) -> PairCounts:
        """The counts for so many players; nothing can be added afterwards."""
        self._fold()
        results = self._results
        if len(self._first) < MANY_PAIRS:
            results = [column.astype(np.float64) for column in results]
        return PairCounts(players, self._first, self._second, *results)

    @weighed(Loops.RATING, lambda tally: tally._number)
    def _fold(self) -> None:
        """Add what waits to the table."""
        keys = np.concatenate(self._waiting) if self._waiting else np.zeros(0, np.uint64)
        self._waiting, self._number = [], 0
        keys.sort()
        known = len(self._first)
        new, most = _survey(keys, self._first, self._second, *self._results)
        if most > np.iinfo(self._results[0].dtype).max:
            kind = next(kind for kind in _WIDER if most <= np.iinfo(kind).max)
            for number in range(3):
                self._results[number] = self._results[number].astype(kind)
        for column in (self._first, self._second, *self._results):
            column.resize(known + new, refcheck=False)  # grows where it lies
        _merge(keys, known, self._first, self._second, *self._results)


@dataclass(frozen=True)
class CountedGames:
    """Games of which only the counts of pairs are kept; for `rate_list` as good as a `Pool`.

    Attributes
    ----------
    players : tuple of str
    counts : PairCounts
    skipped : SkipReport
    ordered : bool
        As in `Pool`.
    """

    players: tuple[str, ...]
    counts: PairCounts
    skipped: SkipReport
    ordered: bool = True

    @classmethod
    def of_stream(cls, stream: GameStream) -> CountedGames:
        """The counts of all games of a stream.

        Examples
        --------
        >>> from yardstone.examples import example
        >>> from yardstone.records.streaming import game_stream
        >>> CountedGames.of_stream(game_stream(example("league.csv"), rows=50))
        <CountedGames: 112 games of 8 players>
        """
        tally = PairTally()
        stones = 0
        for batch in stream:
            uneven = with_handicap(batch)
            tally.add(batch.select(~uneven) if uneven.any() else batch)
            stones += int(uneven.sum())
        counts = tally.counts(len(stream.players))
        if stones:
            stream.skipped.add_uncounted(HANDICAP_GAME, stones, known=True)
        return cls(tuple(stream.players), counts, stream.skipped, stream.ordered)

    def pair_counts(self) -> PairCounts:
        """The results added up for each ordered pair of players."""
        return self.counts

    def __len__(self) -> int:
        return self.counts.total()

    def __repr__(self) -> str:
        return f"<CountedGames: {len(self)} games of {len(self.players)} players>"
