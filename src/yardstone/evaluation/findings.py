"""What a person should look at: unsettled and idle players, and unlikely results.

Nothing here decides anything. A result may be unlikely because the players' names
were exchanged when it was written down; then the other result, with the colours
the other way round, would have been the likely one. How often that happens in a
pool, and which games it probably happened to, can be estimated; whether it did, a
person must find out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.evaluation.calibration import recalibration
from yardstone.winprob.logistic import logistic, logit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay

    Array = NDArray[np.float64]

__all__ = ["Findings", "Improbable", "examine", "last_games", "swap_share"]

SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Improbable:
    """A result that was given little chance; frozen.

    Attributes
    ----------
    game : int
        Its place in the pool.
    expected : float
        What the winner was expected to score.
    chance : float
        Of the result, given that the game was not drawn; from `expected` by the
        line that fits the decided games of the pool best.
    swapped : float
        Probability that the players' names were exchanged, given how often that
        seems to happen in the pool.
    twin : int or None
        Another game of the two on the same day, in which the same side won with the
        names the other way round: strong evidence, for one of both must be wrong if
        they are one game.
    """

    game: int
    expected: float
    chance: float
    swapped: float
    twin: int | None


@dataclass(frozen=True, eq=False)
class Findings:
    """What was found in a pool; frozen.

    Attributes
    ----------
    provisional : int64 array
        Players whose rating is not settled: too few games, or too large a deviation.
    idle : int64 array
        Players whose last game is long ago, longest first; empty without times.
    last_game : datetime64[s] array or None
        Of every player; NaT without a game.
    played : int64 array
        Games of every player.
    improbable : tuple of Improbable
        The least likely results first.
    swap_share : float
        Estimated share of games recorded with exchanged names. Upsets that the
        system does not understand count here too, so it is an upper bound.
    decided : int
        Games that were not drawn.
    """

    provisional: NDArray[np.int64]
    idle: NDArray[np.int64]
    last_game: NDArray[np.datetime64] | None
    played: NDArray[np.int64]
    improbable: tuple[Improbable, ...]
    swap_share: float
    decided: int


def examine(
    pool: Pool,
    replay: Replay,
    *,
    settled_games: int = 10,
    settled_deviation: float | None = None,
    idle_days: float = 365.0,
    improbable: float = 0.01,
    most: int = 1000,
) -> Findings:
    """Look for what a person should look at.

    Parameters
    ----------
    pool, replay : Pool, Replay
        Games in order of time, and their replay.
    settled_games : int
        A player with fewer games is provisional.
    settled_deviation : float, optional
        So is one with a larger deviation, if the system has deviations.
    idle_days : float
        A player is idle whose last game is so long before the last of the pool.
    improbable : float
        A result is improbable if it had at most this chance, draws aside.
    most : int
        Name at most so many improbable results, the least likely.
    """
    if not 0.0 < improbable <= 0.5:
        raise UsageError(f"an improbable result has a chance of 0 to 1/2, not {improbable}")
    played = pool.played()
    unsettled = (played > 0) & (played < settled_games)
    if settled_deviation is not None:
        with np.errstate(invalid="ignore"):
            unsettled |= (played > 0) & (replay.ratings.deviation > settled_deviation)
    last = last_games(pool)
    idle = np.zeros(0, np.int64)
    if last is not None and len(pool):
        quiet = (np.nanmax(last) - last).astype(np.float64) / SECONDS_PER_DAY
        candidates = np.flatnonzero((played > 0) & (quiet > idle_days))
        idle = candidates[np.argsort(-quiet[candidates], kind="stable")]
    decided = pool.score != 0.5
    expected = np.where(pool.score == 1.0, replay.expected, 1.0 - replay.expected)
    chance = _chances(pool.score, replay.expected, decided)
    share = swap_share(chance[decided])
    rows = np.flatnonzero(decided & (chance <= improbable))
    rows = rows[np.argsort(chance[rows], kind="stable")][:most]
    twins = _twins(pool, rows)
    results = tuple(
        Improbable(
            game=row,
            expected=float(expected[row]),
            chance=float(chance[row]),
            swapped=_posterior(float(chance[row]), share),
            twin=twins.get(row),
        )
        for row in rows.tolist()
    )
    return Findings(
        provisional=np.flatnonzero(unsettled),
        idle=idle,
        last_game=last,
        played=played,
        improbable=results,
        swap_share=share,
        decided=int(decided.sum()),
    )


def _chances(score: Array, expected: Array, decided: NDArray[np.bool_]) -> Array:
    """Probability of each decided game's result, recalibrated to fit all of them on average."""
    intercept, slope = 0.0, 1.0
    if decided.any():
        line = recalibration(score[decided], expected[decided])
        if np.isfinite(line).all() and line[1] > 0.0:
            intercept, slope = line
    p = np.clip(expected, 1e-12, 1.0 - 1e-12)
    odds = intercept + slope * logit(p)
    return logistic(np.where(score == 1.0, odds, -odds))


def swap_share(chance: Array) -> float:
    """Share of games that were recorded with exchanged names, by maximum likelihood.

    Parameters
    ----------
    chance : float64 array
        Probability that each decided game was given to its recorded result. Had the
        names been exchanged, the other result would have happened, with the
        complement of it; so each result has the chance (1 - e) p + e (1 - p) where
        e is the share to be found.
    """
    if not len(chance):
        return 0.0
    p = np.clip(chance, 1e-12, 1.0 - 1e-12)
    difference = 1.0 - 2.0 * p
    # The log-likelihood is concave in e, so its slope has at most one zero.
    low, high = 0.0, 0.5
    if np.sum(difference / p) <= 0.0:
        return 0.0
    for _ in range(60):
        e = 0.5 * (low + high)
        slope = np.sum(difference / (p + e * difference))
        low, high = (e, high) if slope > 0.0 else (low, e)
    return 0.5 * (low + high)


def _posterior(chance: float, share: float) -> float:
    exchanged = share * (1.0 - chance)
    whole = exchanged + (1.0 - share) * chance
    return exchanged / whole if whole > 0.0 else 0.0


def last_games(pool: Pool) -> NDArray[np.datetime64] | None:
    """The time of each player's last game; NaT without a game, None without times."""
    if pool.time is None:
        return None
    last = np.full(len(pool.players), np.iinfo(np.int64).min)
    stamp = pool.time.view(np.int64)
    np.maximum.at(last, pool.first, stamp)
    np.maximum.at(last, pool.second, stamp)
    return last.view("datetime64[s]")


def _twins(pool: Pool, rows: NDArray[np.int64]) -> dict[int, int]:
    """For each of some games another of the day with names exchanged and the same result."""
    if pool.time is None:
        return {}
    day = pool.time.astype("datetime64[D]").astype(np.int64)
    mirrored: dict[tuple[int, int, int, float], int] = {}
    for row in rows.tolist():
        names = (int(pool.second[row]), int(pool.first[row]))
        mirrored[(int(day[row]), *names, float(pool.score[row]))] = row
    twins: dict[int, int] = {}
    near = np.flatnonzero(np.isin(day, day[rows]))
    for row in near.tolist():
        key = (int(day[row]), int(pool.first[row]), int(pool.second[row]), float(pool.score[row]))
        if key in mirrored and mirrored[key] != row:
            twins[mirrored[key]] = row
    return twins
