"""What errors cost, by their kind: what GNU Backgammon says against what results show.

The analysis says of each error how much match winning chance was lost. Were that so, the
luck-adjusted result of a match would be one half plus what the opponent lost less what the
player lost, whatever the players; luck is fair, so the mean holds for any analysis of it.
So the luck-adjusted results are regressed on the chances that the analysis calls lost, and
the coefficients are the *shares* that were truly lost: 1 where the analysis is right, less
where it sees errors that are none. Error bars keep the matches of a person together.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.backgammon.cube_errors import KINDS_OF_CUBE_ERRORS, CubeErrors
from yardstone import parallel
from yardstone.errors import ModelError, UsageError
from yardstone.winprob import fibs
from yardstone_lab.vandendoel.tables import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "CostShares",
    "WithError",
    "Mix",
    "cost_shares",
    "difference",
    "error_mix",
    "matches_needed",
    "points_for_a_unit",
    "rarer_players",
]

#: Names of the shares: of chequer play, of all cube errors, of each kind.
CHEQUER, CUBE = "chequer play", "cube"


@dataclass(frozen=True, slots=True)
class WithError:
    """A number with its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.error:.2f}"


@dataclass(frozen=True)
class CostShares:
    """Shares of the chances called lost that were lost; frozen.

    Attributes:
        values: float64 array (k,).
        covariance (float64 array (k, k)): The sandwich, by cluster.
    """

    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    clusters: int
    matches: int

    def __getitem__(self, name: str) -> WithError:
        k = self.names.index(name)
        return WithError(float(self.values[k]), float(np.sqrt(self.covariance[k, k])))


@dataclass(frozen=True)
class Mix:
    """What the cube errors of some players are made of; frozen.

    Attributes:
        epm, epc, epc_2003: Errors per unforced move and per close decision by both rules, of all
            added up.
        shares: Of the sum of cube errors, by `KINDS_OF_CUBE_ERRORS`.
        per_match: Numbers of errors of a player in a match, by kind.
        mean: Size of an error, by kind; NaN where there is none.
        correlation: Of a player's EPM and EPC in a match, as ranks.
    """

    epm: WithError
    epc: WithError
    epc_2003: WithError
    shares: tuple[WithError, ...]
    per_match: tuple[WithError, ...]
    mean: tuple[WithError, ...]
    correlation: WithError


def rarer_players(table: CubeErrors) -> NDArray[np.int64]:
    """A number for each match: that of the player with fewer matches.

    Matches of programs, all of the same two names, are each their own.
    """
    names, place = np.unique(table.players, return_inverse=True)
    place = place.reshape(table.players.shape)
    if len(names) < 3:
        return np.arange(len(table))
    number = np.bincount(place.ravel())
    rarer = np.where(number[place[:, 0]] <= number[place[:, 1]], place[:, 0], place[:, 1])
    return np.unique(rarer, return_inverse=True)[1].astype(np.int64)


def cost_shares(
    table: CubeErrors,
    *,
    by_kind: bool = False,
    won: bool = False,
    clusters: NDArray[np.int64] | None = None,
) -> CostShares:
    """Shares of what the analysis calls lost that the results show to be lost.

    Args:
        by_kind: A share for each kind of cube error, in place of one for all.
        won: Explain who won, which no analysis enters, in place of luck-adjusted results.
        clusters (int array (n,)): Matches of one number belong together; `rarer_players` by
            default.

    Raises:
        ModelError: The matches do not determine the shares: an error of some kind is in none.
    """
    lost = _claimed(table, by_kind)
    names = (CHEQUER, *(KINDS_OF_CUBE_ERRORS if by_kind else (CUBE,)))
    used = np.abs(lost).sum(axis=0) > 0.0
    lost, names = lost[:, used], tuple(n for n, u in zip(names, used, strict=True) if u)
    if not lost.shape[1] or np.linalg.matrix_rank(lost) < lost.shape[1]:
        raise ModelError("the matches do not tell what errors cost")
    result = (table.won if won else table.luck_adjusted) - 0.5
    inverse = np.linalg.inv(lost.T @ lost)
    values = inverse @ (lost.T @ result)
    groups = rarer_players(table) if clusters is None else clusters
    place = np.unique(groups, return_inverse=True)[1]
    count = int(place.max()) + 1
    scores = np.zeros((count, len(names)))
    np.add.at(scores, place, lost * (result - lost @ values)[:, None])
    covariance = inverse @ (scores.T @ scores) @ inverse * (count / max(count - 1, 1))
    return CostShares(names, values, covariance, count, len(table))


def _claimed(table: CubeErrors, by_kind: bool) -> Floats:
    """Chance that the second player is said to have lost, less the first's: a column a kind."""
    cube = table.cube_cost if by_kind else table.cube_cost.sum(axis=2, keepdims=True)
    claimed = np.concatenate([table.chequer_cost[:, :, None], cube], axis=2)
    return np.asarray(claimed[:, 1] - claimed[:, 0], np.float64)


def points_for_a_unit(
    table: CubeErrors,
    length: float,
    shares: CostShares | None = None,
    *,
    side: int | None = None,
    samples: int = 400,
    seed: int = 1,
) -> WithError:
    """Rating points that one unit of EPC costs in matches of a length: b(N) without a fit.

    The chance that a player loses a match by cube errors, over the mean of EPC over the
    matches (as published; close decisions by the rule of 2006), in points by the slope of
    the curve of FIBS at even chances.

    Args:
        length: Only matches of this length count.
        shares: The chance lost of each kind is what the analysis says times its share; all of it
            without. Its own error enters.
        side: Errors of the first (0) or second (1) player only.
        samples, seed: Clusters are drawn anew so often for the error.
    """
    part = table.select(table.length == length)
    if len(part) < 2:
        raise UsageError(f"there are no two matches to {length:g} points")
    sides = slice(None) if side is None else slice(side, side + 1)
    lost = part.cube_cost[:, sides].sum(axis=1)
    epc = ratio(part.cube.sum(axis=2), part.close)[:, sides].sum(axis=1)
    kinds = list(KINDS_OF_CUBE_ERRORS)

    def weights(values: Floats | None) -> Floats:
        if shares is None or values is None:
            return np.ones(len(kinds))
        known = dict(zip(shares.names, values, strict=True))
        return np.array([known.get(kind, known.get(CUBE, 0.0)) for kind in kinds])

    def points(times: Floats, values: Floats | None) -> float:
        chance = float(times @ (lost @ weights(values)))
        return 4.0 * chance / (float(fibs.steepness(length)) * float(times @ epc))

    best = points(np.ones(len(part)), None if shares is None else shares.values)
    place = np.unique(rarer_players(part), return_inverse=True)[1]
    count = int(place.max()) + 1
    drawn = []
    for generator in parallel.spawn_generators(seed, samples):
        times = np.bincount(generator.integers(0, count, count), minlength=count)[place]
        values = None
        if shares is not None:
            values = generator.multivariate_normal(shares.values, shares.covariance)
        drawn.append(points(times.astype(np.float64), values))
    return WithError(best, float(np.std(drawn, ddof=1)))


def error_mix(table: CubeErrors, *, samples: int = 400, seed: int = 1) -> Mix:
    """What the cube errors of both players are made of, with errors by drawing clusters anew."""
    place = np.unique(rarer_players(table), return_inverse=True)[1]
    count = int(place.max()) + 1
    kinds = len(KINDS_OF_CUBE_ERRORS)
    totals = [table.chequer.sum(1), table.unforced.sum(1), table.close.sum(1)]
    totals += [table.close_2003.sum(1)]
    each = np.column_stack([*totals, table.cube.sum(1), table.numbers.sum(1), np.ones(len(table))])
    grouped = np.zeros((count, each.shape[1]))
    np.add.at(grouped, place, each)
    members = [np.flatnonzero(place == k) for k in range(count)]

    def numbers(drawn: NDArray[np.int64]) -> Floats:
        chequer, unforced, close, old, *rest = grouped[drawn].sum(axis=0)
        sums, number = np.array(rest[:kinds]), np.array(rest[kinds:-1])
        cube = sums.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            size = sums / number
        rows = np.concatenate([members[k] for k in drawn])
        return np.array(
            [
                chequer / unforced,
                cube / close,
                cube / old,
                *(sums / cube),
                *(number / (2.0 * rest[-1])),
                *size,
                _rank_correlation(table, rows),
            ]
        )

    best = numbers(np.arange(count))
    drawn = np.array(
        [
            numbers(generator.integers(0, count, count))
            for generator in parallel.spawn_generators(seed, samples)
        ]
    )
    # What a draw lacks (a kind of error that it does not have) stays out of the spread.
    spread = np.array(
        [
            column[np.isfinite(column)].std(ddof=1) if np.isfinite(one) else np.nan
            for one, column in zip(best, drawn.T, strict=True)
        ]
    )
    estimates = [WithError(float(v), float(e)) for v, e in zip(best, spread, strict=True)]
    at = 3 + kinds * np.arange(4)
    shares, per_match, mean = (tuple(estimates[a:b]) for a, b in pairwise(at))
    return Mix(estimates[0], estimates[1], estimates[2], shares, per_match, mean, estimates[-1])


def _rank_correlation(table: CubeErrors, rows: NDArray[np.int64]) -> float:
    """Of EPM and EPC of the second player, where both have decisions."""
    from scipy.stats import rankdata

    moves, close = table.unforced[rows, 1], table.close[rows, 1]
    some = (moves > 0) & (close > 0)
    if some.sum() < 3:
        return float("nan")
    epm = rankdata(table.chequer[rows, 1][some] / moves[some])
    epc = rankdata(table.cube[rows, 1][some].sum(axis=1) / close[some])
    if epm.std() == 0.0 or epc.std() == 0.0:
        return float("nan")
    return float(np.corrcoef(epm, epc)[0, 1])


def matches_needed(error: float, matches: int, wanted: float) -> int:
    """Matches of the same kind that bring a standard error from `error` down to `wanted`."""
    return int(np.ceil(matches * (error / wanted) ** 2))


def difference(one: WithError, other: WithError) -> tuple[float, float, float]:
    """One less the other, its standard error, and how many of them that is."""
    error = float(np.hypot(one.error, other.error))
    return one.value - other.value, error, (one.value - other.value) / error
