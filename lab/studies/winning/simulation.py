"""Games drawn from a model: counts, dated pools, and McMahon tournaments.

For checking fits and their intervals against a known truth. Equal seeds give
equal games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.winprob.statistics import WinningStatistics

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = [
    "GradeProbability",
    "european_games",
    "simulate_mcmahon",
    "simulate_pool",
    "simulate_statistics",
]


class GradeProbability(Protocol):
    """Anything that gives the probability between two grades."""

    def probability(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Probability that `first` beats `second`."""
        ...


def european_games(total: float, *, lowest: int = -20, highest: int = 6) -> Array:
    """A table of even games by grade and difference 1 to 4, like Europe's.

    Most games around 1 kyu, fewer at larger differences, none against players
    above `highest`; about 15 % of the games have a player below 12 kyu, the
    share Kaniuk reports. A stand-in for the published counts, which are not
    part of this package.
    """
    grades = np.arange(lowest, highest + 1)
    players = np.exp(-0.5 * ((grades + 0.5) / 8.6) ** 2)
    games = np.outer(players, [1.0, 0.62, 0.36, 0.2])
    for d in range(1, 5):
        games[len(grades) - d :, d - 1] = 0.0
    scaled: Array = np.round(games * (total / games.sum()))
    return scaled


def simulate_statistics(
    model: GradeProbability, games: Array, *, lowest: int = -20, seed: int = 0, label: str = ""
) -> WinningStatistics:
    """Winning statistics of simulated games, as many in each cell as `games` says."""
    grades = (lowest + np.arange(games.shape[0]))[:, None].astype(np.float64)
    p = model.probability(grades, grades + 1.0 + np.arange(games.shape[1])[None, :])
    wins = np.random.default_rng(seed).binomial(games.astype(np.int64), p)
    return WinningStatistics(lowest, wins.astype(np.float64), games, label)


def simulate_pool(
    model: GradeProbability,
    games: Array,
    *,
    lowest: int = -20,
    begin: str = "1996-01-01",
    end: str = "2010-12-31",
    seed: int = 0,
) -> Pool:
    """Dated even games in a pool, as many in each cell as `games` says.

    Each grade has one nominal player (``-3`` for 3 kyu); colours and dates are
    drawn at random. The pool carries ``first_grade`` and ``second_grade``.
    """
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(games)
    count = games[rows, columns].astype(np.int64)
    weaker = np.repeat(lowest + rows, count)
    stronger = weaker + np.repeat(columns + 1, count)
    black = rng.random(len(weaker)) < 0.5
    first, second = np.where(black, weaker, stronger), np.where(black, stronger, weaker)
    p = model.probability(first.astype(np.float64), second.astype(np.float64))
    won = rng.random(len(first)) < p
    span = np.array([begin, end], "datetime64[D]").astype(np.int64)
    days = rng.integers(span[0], span[1] + 1, len(first)).astype("datetime64[D]")
    order = np.argsort(days, kind="stable")
    names = tuple(str(g) for g in range(lowest, int(stronger.max()) + 1))
    return Pool(
        names,
        (first - lowest)[order].astype(np.int32),
        (second - lowest)[order].astype(np.int32),
        won[order].astype(np.float64),
        days[order].astype("datetime64[s]"),
        {
            "first_grade": first[order].astype(np.float64),
            "second_grade": second[order].astype(np.float64),
        },
    )


def simulate_mcmahon(
    model: GradeProbability,
    *,
    tournaments: int,
    players: int = 80,
    rounds: int = 5,
    deviation: float = 0.0,
    centre: float = -2.0,
    spread: float = 6.0,
    bar: int = 3,
    seed: int = 0,
) -> Pool:
    """McMahon tournaments between players whose grade is not quite their strength.

    Each player's grade is drawn around `centre`, his strength is the grade plus
    a normal deviation. Games are decided by the strengths; pairing knows only
    grades and results: each round pairs neighbours in the order of McMahon
    score (grade, up to the bar, plus wins), at random among equals. That makes
    who meets whom depend on the results so far, which is the selection effect.

    Returns:
        With ``first_grade``, ``second_grade``, ``round`` and the true strengths ``first_strength``,
            ``second_strength``.
    """
    if players % 2:
        raise UsageError("an even number of players is needed")
    rng = np.random.default_rng(seed)
    parts: list[NDArray[np.float64]] = []
    for tournament in range(tournaments):
        grade = np.clip(np.round(rng.normal(centre, spread, players)), -20, 6)
        strength = grade + rng.normal(0.0, 1.0, players) * deviation
        score = np.minimum(grade, bar)
        for turn in range(rounds):
            order = np.lexsort((rng.random(players), -score))
            flip = rng.random(players // 2) < 0.5
            black = np.where(flip, order[0::2], order[1::2])
            white = np.where(flip, order[1::2], order[0::2])
            won = rng.random(len(black)) < model.probability(strength[black], strength[white])
            score[black] += won
            score[white] += ~won
            base = tournament * players
            parts.append(
                np.column_stack(
                    [
                        black + base,
                        white + base,
                        won,
                        grade[black],
                        grade[white],
                        np.full(len(black), turn + 1.0),
                        strength[black],
                        strength[white],
                    ]
                )
            )
    table = np.concatenate(parts)
    return Pool(
        tuple(f"player {number}" for number in range(tournaments * players)),
        table[:, 0].astype(np.int32),
        table[:, 1].astype(np.int32),
        table[:, 2],
        None,
        {
            "first_grade": table[:, 3],
            "second_grade": table[:, 4],
            "round": table[:, 5].astype(np.int32),
            "first_strength": table[:, 6],
            "second_strength": table[:, 7],
        },
    )
