"""What a person should look at: unsettled and idle players, and unlikely results.

Nothing here decides anything. A result may be unlikely because the players' names were exchanged
when it was written down; then the other result, with the colours the other way round, would have
been the likely one. How often that happens in a pool, and which games it probably happened to, can
be estimated; whether it did, a person must find out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.disk import pieces, taken
from yardstone.errors import UsageError
from yardstone.evaluation.metrics import recalibration_of
from yardstone.ratings.sequential import SECONDS_PER_DAY
from yardstone.winprob.laws import bisect, logistic, logit

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Longs, Times
    from yardstone.pool import Pool
    from yardstone.ratings.result import Replay

_MOST = 1000  #: So many improbable results are named at most.


@dataclass(frozen=True, slots=True)
class Improbable:
    """A result that was given little chance; frozen."""

    game: int  #: Its place in the pool.
    expected: float  #: What the winner was expected to score.
    chance: float  #: Of the result, if not drawn, by the line that fits the decided games.
    swapped: float  #: Probability that the names were exchanged, as often as that happens here.
    #: Another game of the two on that day, in which the same side won with the names the other way
    #: round: one of both must be wrong if they are one game.
    twin: int | None


@dataclass(frozen=True, eq=False)
class Findings:
    """What was found in a pool; frozen."""

    provisional: Longs  #: Players of an unsettled rating: too few games, too large a deviation.
    idle: Longs  #: Players whose last game is long ago, longest first; empty without times.
    last_game: Times | None  #: Of every player; NaT without a game.
    played: Longs  #: Games of every player.
    improbable: tuple[Improbable, ...]  #: The least likely results first.
    #: Estimated share of games with exchanged names: at most, for upsets count here too.
    swap_share: float
    decided: int  #: Games that were not drawn.


def examine(
    pool: Pool,
    replay: Replay,
    *,
    settled_games: int = 10,
    idle_days: float = 365.0,
    improbable: float = 0.01,
) -> Findings:
    """Look for what a person should look at.

    Args:
        pool, replay: Games in order of time, and their replay.
        settled_games: A player with fewer games is provisional.
        idle_days: A player is idle whose last game is so long before the last of the pool.
        improbable: A result is improbable if it had at most this chance, draws aside; the 1,000
            least likely ones are named.
    """
    if not 0.0 < improbable <= 0.5:
        raise UsageError(f"an improbable result has a chance of 0 to 1/2, not {improbable}")
    played = pool.played()
    unsettled = (played > 0) & (played < settled_games)
    last = last_games(pool)
    idle = np.zeros(0, np.int64)
    if last is not None and len(pool):
        quiet = (np.nanmax(last) - last).astype(np.float64) / SECONDS_PER_DAY
        candidates = np.flatnonzero((played > 0) & (quiet > idle_days))
        idle = candidates[np.argsort(-quiet[candidates], kind="stable")]
    chances = _Chances(pool, replay)
    share = swap_share(lambda: (chance for _, chance in chances.every()))
    rows, chance = chances.least(improbable)
    twins = _twins(pool, rows)
    won, predicted = pool.score[rows] == 1.0, replay.expected[rows]
    expected = np.where(won, predicted, 1.0 - predicted)
    exchanged = share * (1.0 - chance)
    whole = exchanged + (1.0 - share) * chance
    swapped = np.divide(exchanged, whole, out=np.zeros(len(rows)), where=whole > 0.0)
    results = tuple(
        Improbable(
            game=row,
            expected=float(expected[place]),
            chance=float(chance[place]),
            swapped=float(swapped[place]),
            twin=twins.get(row),
        )
        for place, row in enumerate(rows.tolist())
    )
    return Findings(
        provisional=np.flatnonzero(unsettled),
        idle=idle,
        last_game=last,
        played=played,
        improbable=results,
        swap_share=share,
        decided=chances.decided,
    )


class _Chances:
    """Probabilities of the decided games' results, recalibrated to fit all of them on average."""

    def __init__(self, pool: Pool, replay: Replay) -> None:
        self._score, self._expected = pool.score, replay.expected
        self.decided = sum(len(score) for _, score, _ in self._games())
        line = recalibration_of(lambda: ((s, p) for _, s, p in self._games()))
        usable = np.isfinite(line).all() and line[1] > 0.0
        self._line = line if usable else (0.0, 1.0)

    def _games(self) -> Iterator[tuple[Longs, Floats, Floats]]:
        """Places, scores and predictions of the decided games, by pieces."""
        for at in pieces(len(self._score)):
            score, expected = taken(self._score, at), taken(self._expected, at)
            decided = np.flatnonzero(score != 0.5)
            yield at.start + decided, score[decided], expected[decided]

    def every(self) -> Iterator[tuple[Longs, Floats]]:
        """Places of the decided games and their chances, by pieces."""
        for rows, score, expected in self._games():
            p = np.clip(expected, 1e-12, 1.0 - 1e-12)
            odds = self._line[0] + self._line[1] * logit(p)
            yield rows, logistic(np.where(score == 1.0, odds, -odds))

    def least(self, most_chance: float) -> tuple[Longs, Floats]:
        """The games of at most that chance, least likely first, and their chances."""
        rows, chances = np.zeros(0, np.int64), np.zeros(0)
        for places, chance in self.every():
            here = chance <= most_chance
            rows = np.concatenate([rows, places[here]])
            chances = np.concatenate([chances, chance[here]])
            order = np.argsort(chances, kind="stable")[:_MOST]
            rows, chances = rows[order], chances[order]
        return rows, chances


def swap_share(chances: Callable[[], Iterable[Floats]]) -> float:
    """Share of games that were recorded with exchanged names, by maximum likelihood.

    From the probability of each decided game's result: had the names been exchanged, the other one
    would have happened, so that each has the chance (1 - e) p + e (1 - p) with the share e.
    `chances` gives those probabilities in pieces, each time it is called.
    """

    def slope(share: float) -> float:
        total = 0.0
        for chance in chances():
            p = np.clip(chance, 1e-12, 1.0 - 1e-12)
            difference = 1.0 - 2.0 * p
            total += float(np.sum(difference / (p + share * difference)))
        return total

    # The log-likelihood is concave in the share, so its slope has at most one zero.
    if slope(0.0) <= 0.0:
        return 0.0
    return float(bisect(lambda share: slope(float(share)) <= 0.0, 0.0, 0.5))


def last_games(pool: Pool) -> Times | None:
    """The time of each player's last game; NaT without a game, None without times."""
    if pool.time is None:
        return None
    last = np.full(len(pool.players), np.iinfo(np.int64).min)
    for at in pieces(len(pool)):
        stamp = taken(pool.time, at).view(np.int64)
        np.maximum.at(last, taken(pool.first, at), stamp)
        np.maximum.at(last, taken(pool.second, at), stamp)
    return last.view("datetime64[s]")


def _twins(pool: Pool, rows: Longs) -> dict[int, int]:
    """For each of some games another of the day with names exchanged and the same result."""
    if pool.time is None:
        return {}
    meetings = zip(rows.tolist(), _meetings(pool.select(rows)), strict=True)
    mirrored = {(day, two, one, score): row for row, (day, one, two, score) in meetings}
    days = [day for day, *_ in mirrored]
    twins: dict[int, int] = {}
    for at in pieces(len(pool)):
        near = at.start + np.flatnonzero(np.isin(_days_of(taken(pool.time, at)), days))
        for row, key in zip(near.tolist(), _meetings(pool.select(near)), strict=True):
            if key in mirrored and mirrored[key] != row:
                twins[mirrored[key]] = row
    return twins


def _days_of(time: Times) -> Longs:
    return time.astype("datetime64[D]").astype(np.int64)


def _meetings(games: Pool) -> Iterator[tuple[int, int, int, float]]:
    """Day, players and score of each game."""
    time = np.zeros(len(games), "datetime64[s]") if games.time is None else games.time
    columns = (_days_of(time), games.first, games.second, games.score)
    return zip(*(column.tolist() for column in columns), strict=True)
