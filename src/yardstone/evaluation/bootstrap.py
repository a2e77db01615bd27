"""How sure a mean over games is, when games share players.

Games of one player are not independent: a system that misjudges a player errs in
all of that player's games. So players are resampled, not games: each player gets
as many copies as a draw with replacement gives, and a game counts as often as the
copies of its two players multiply to (the vertex bootstrap of Snijders and
Borgatti 1999, Owen's pigeonhole bootstrap of 2007).

With every game in two clusters this bootstrap is known to be too wide. Its
variance, to first order, is the sum over players of their summed residuals
squared *plus* the same sum over pairs of players; what is wanted (the variance
robust to dyadic clusters, `yardstone.clusters`) is the first *minus* the
second. Both are exact sums, so the spread of the replicates is scaled by the root
of their ratio, never below what independent pairs would give. The replicates say how
several means vary together, as simultaneous statements need; the interval of one of
them is Student's, from its exact standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from yardstone.clusters import (
    LEAST_EFFECTIVE_PLAYERS,
    cluster_sums,
    degrees_of_freedom,
    effective_players,
    numbered,
    t_quantile,
)
from yardstone.errors import NoGamesError, UsageError
from yardstone.kernels import Loops, in_python, kernel, work

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Bootstrap", "MeanInterval", "bootstrap"]


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """An estimate with its interval.

    Attributes
    ----------
    estimate, low, high : float
        The value, and the ends of its interval; NaN where there are too few players
        for one.
    confidence : float
        Level of the interval, 0 to 1.
    positive : float
        Share of the bootstrap in which the value was above zero.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    positive: float

    @property
    def clear(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Means of several rows of values, and how they vary; frozen.

    Attributes
    ----------
    unit : str
        What intervals are over: ``"player"``, ``"game"`` where players are unknown, or
        ``"none"`` where there are too few players for any
        (`yardstone.clusters.LEAST_EFFECTIVE_PLAYERS`).
    games : int
        Number of games.
    mean : float64 array (rows,)
        Of each row of values.
    replicates : float64 array (replicates, rows)
        The means in each resampled pool, not yet scaled.
    gram : float64 array (rows, rows)
        Products of the residuals, summed over games.
    player_sums, pair_sums : float64 arrays
        Summed residuals of each player and of each pair, one column a row;
        without entries where games were resampled.
    freedom : float
        Degrees of freedom of the standard errors.
    """

    unit: str
    games: int
    mean: Array
    replicates: Array
    gram: Array
    player_sums: Array
    pair_sums: Array
    freedom: float = inf

    def standard_error(self, contrast: ArrayLike) -> float:
        """Standard error of a sum of rows, robust to games that share players.

        Never below that of independent games, nor that of independent pairs. NaN with
        too few players.
        """
        if self.unit == "none":
            return float("nan")
        c = np.asarray(contrast, np.float64)
        by_player, by_pair = self._squares(c)
        return sqrt(max(by_player - by_pair, by_pair, float(c @ self.gram @ c), 0.0)) / self.games

    def spread(self, contrast: ArrayLike) -> Array:
        """What a sum of rows was in each replicate, scaled about its estimate."""
        c = np.asarray(contrast, np.float64)
        if self.unit == "none":
            return np.asarray(self.replicates @ c, np.float64)
        by_player, by_pair = self._squares(c)
        wide = by_player + by_pair if self.unit == "player" else float(c @ self.gram @ c)
        scale = self.standard_error(c) * self.games / sqrt(wide) if wide > 0.0 else 0.0
        estimate = float(self.mean @ c)
        return estimate + scale * (self.replicates @ c - estimate)

    def interval(self, contrast: ArrayLike, confidence: float = 0.95) -> MeanInterval:
        """A sum of rows with its interval, by Student's t.

        Parameters
        ----------
        contrast : array_like (rows,)
            Weight of each row: 1 and -1 for the difference of two.
        confidence : float
            Level, 0 to 1.
        """
        c = np.asarray(contrast, np.float64)
        spread, estimate = self.spread(c), float(self.mean @ c)
        reach = t_quantile(0.5 + confidence / 2.0, self.freedom) * self.standard_error(c)
        above = float(np.mean(spread > 0.0) + 0.5 * np.mean(spread == 0.0))
        return MeanInterval(estimate, estimate - reach, estimate + reach, confidence, above)

    def reach(self, contrasts: Sequence[ArrayLike], confidence: float) -> float:
        """Standard errors that none of some sums is off by, all of them together.

        The largest error among them in each replicate counts (the bootstrap's max-t), so
        which one to look at may be chosen afterwards; and its level is Student's, as the
        standard errors come from few players.
        """
        largest = np.zeros(len(self.replicates))
        for contrast in contrasts:
            c = np.asarray(contrast, np.float64)
            error = self.standard_error(c)
            if error > 0.0:
                off = np.abs(self.spread(c) - float(self.mean @ c)) / error
                np.maximum(largest, off, out=largest)
        one = NormalDist().inv_cdf(0.5 + confidence / 2.0)
        normal = max(float(np.quantile(largest, confidence)), one)
        return t_quantile(NormalDist().cdf(normal), self.freedom)

    def rows(self, rows: Sequence[int]) -> Bootstrap:
        """The same for some of the rows."""
        return replace(
            self,
            mean=self.mean[rows],
            replicates=self.replicates[:, rows],
            gram=self.gram[np.ix_(rows, rows)],
            player_sums=self.player_sums[:, rows],
            pair_sums=self.pair_sums[:, rows],
        )

    def _squares(self, contrast: Array) -> tuple[float, float]:
        player, pair = self.player_sums @ contrast, self.pair_sums @ contrast
        return float(player @ player), float(pair @ pair)


def bootstrap(
    values: ArrayLike,
    first: NDArray[np.int32] | None = None,
    second: NDArray[np.int32] | None = None,
    *,
    replicates: int = 1000,
    seed: int = 0,
) -> Bootstrap:
    """Resample players, and take the mean of each row of values each time.

    Parameters
    ----------
    values : array_like (rows, games)
        One row for each quantity, such as the log-likelihoods of one system.
    first, second : int32 arrays (games,), optional
        Numbers of the players of each game; nobody plays against himself.
        Without them games are resampled; with fewer than
        `LEAST_EFFECTIVE_PLAYERS` there are no standard errors.
    replicates : int
        Resampled pools; at least 2.
    seed : int
        Equal seeds give equal results.

    Raises
    ------
    NoGamesError
        There is no game.
    UsageError
        Fewer than 2 replicates.
    """
    table = np.atleast_2d(np.asarray(values, np.float64))
    rows, games = table.shape
    if not games:
        raise NoGamesError("there is no game to measure predictions on")
    if replicates < 2:
        raise UsageError(f"{replicates} replicates are too few: take at least 2")
    generator = np.random.default_rng(seed)
    mean = table.mean(axis=1)
    residual = table - mean[:, None]
    gram = residual @ residual.T
    means = np.empty((replicates, rows))
    none = np.zeros((0, rows))
    unit, freedom = "game", inf
    if first is not None and second is not None:
        if effective_players(first, second) >= LEAST_EFFECTIVE_PLAYERS:
            a, b, pair, players = numbered(first, second)
            with work(Loops.REPLAY, replicates * games / 1000):
                _resample_players(np.ascontiguousarray(table.T), a, b, players, generator, means)
            by_player = cluster_sums(residual, np.concatenate([a, b]), players)
            by_pair = cluster_sums(residual, pair)
            degrees = degrees_of_freedom(first, second)
            return Bootstrap("player", games, mean, means, gram, by_player, by_pair, degrees)
        unit, freedom = "none", 1.0
    for replicate in range(replicates):
        copies = np.bincount(generator.integers(0, games, games), minlength=games)
        means[replicate] = table @ copies / games
    return Bootstrap(unit, games, mean, means, gram, none, none, freedom)


def _resample_players(
    table: Array,
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    players: int,
    generator: np.random.Generator,
    means: Array,
) -> None:
    for replicate in range(len(means)):
        games = 0.0
        while not games:  # a draw without two players who met says nothing
            copies = np.bincount(generator.integers(0, players, players), minlength=players)
            games = _weighted_sums(table, first, second, copies, means[replicate])
        means[replicate] /= games


@kernel
def _weighted_sums(
    table: Array,
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    copies: NDArray[np.int64],
    sums: Array,
) -> float:
    """Sums of each column over games, each counted by its players' copies; and the games."""
    games, columns = table.shape
    sums[:] = 0.0
    total = 0.0
    for game in range(games):
        weight = float(copies[first[game]] * copies[second[game]])
        if weight > 0.0:
            total += weight
            for column in range(columns):
                sums[column] += weight * table[game, column]
    return total


@in_python(_weighted_sums)
def _weighted_sums_by_numpy(
    table: Array,
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    copies: NDArray[np.int64],
    sums: Array,
) -> float:
    weight = (copies[first] * copies[second]).astype(np.float64)
    np.matmul(weight, table, out=sums)
    return float(weight.sum())
