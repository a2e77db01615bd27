"""How sure a mean over games is, when games share players.

Games of one player are not independent: a system that misjudges a player errs in
all of that player's games. So players are resampled, not games: each player gets
as many copies as a draw with replacement gives, and a game counts as often as the
copies of its two players multiply to (the vertex bootstrap of Snijders and
Borgatti 1999, Owen's pigeonhole bootstrap of 2007).

With every game in two clusters this bootstrap is known to be too wide. Its
variance, to first order, is the sum over players of their summed residuals
squared *plus* the same sum over pairs of players; what is wanted (the variance
robust to dyadic clusters of Fafchamps and Gubert 2007) is the first *minus* the
second. Both are exact sums, so the spread of the replicates is scaled by the root
of their ratio, never below what independent pairs would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone._kernel import kernel
from yardstone.errors import NoGamesError, UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["LEAST_PLAYERS", "Bootstrap", "Interval", "bootstrap"]

#: With fewer players than this, games are resampled: a handful of players cannot
#: tell how players differ.
LEAST_PLAYERS = 10


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval.

    Attributes
    ----------
    estimate, low, high : float
        The value, and the ends of its interval.
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
        What was resampled: ``"player"`` or ``"game"``.
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
    """

    unit: str
    games: int
    mean: Array
    replicates: Array
    gram: Array
    player_sums: Array
    pair_sums: Array

    def standard_error(self, contrast: ArrayLike) -> float:
        """Standard error of a sum of rows, robust to games that share players.

        Never below that of independent games, nor that of independent pairs.
        """
        c = np.asarray(contrast, np.float64)
        by_player, by_pair = self._squares(c)
        return sqrt(max(by_player - by_pair, by_pair, float(c @ self.gram @ c), 0.0)) / self.games

    def spread(self, contrast: ArrayLike) -> Array:
        """What a sum of rows was in each replicate, scaled about its estimate."""
        c = np.asarray(contrast, np.float64)
        by_player, by_pair = self._squares(c)
        wide = by_player + by_pair if self.unit == "player" else float(c @ self.gram @ c)
        scale = self.standard_error(c) * self.games / sqrt(wide) if wide > 0.0 else 0.0
        estimate = float(self.mean @ c)
        return estimate + scale * (self.replicates @ c - estimate)

    def interval(self, contrast: ArrayLike, confidence: float = 0.95) -> Interval:
        """A sum of rows with its percentile interval.

        Parameters
        ----------
        contrast : array_like (rows,)
            Weight of each row: 1 and -1 for the difference of two.
        confidence : float
            Level, 0 to 1.
        """
        c = np.asarray(contrast, np.float64)
        spread = self.spread(c)
        tail = (1.0 - confidence) / 2.0
        low, high = np.quantile(spread, [tail, 1.0 - tail])
        above = float(np.mean(spread > 0.0) + 0.5 * np.mean(spread == 0.0))
        return Interval(float(self.mean @ c), float(low), float(high), confidence, above)

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
        Without them, or with fewer than `LEAST_PLAYERS` players, games are
        resampled.
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
    if first is not None and second is not None:
        names, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
        if len(names) >= LEAST_PLAYERS:
            a, b = numbers.reshape(2, games).astype(np.int32)
            pair = np.minimum(a, b).astype(np.int64) * len(names) + np.maximum(a, b)
            pair = np.unique(pair, return_inverse=True)[1].ravel()
            _resample_players(np.ascontiguousarray(table.T), a, b, len(names), generator, means)
            by_player = _cluster_sums(residual, np.concatenate([a, b]), len(names))
            return Bootstrap(
                "player", games, mean, means, gram, by_player, _cluster_sums(residual, pair)
            )
    for replicate in range(replicates):
        copies = np.bincount(generator.integers(0, games, games), minlength=games)
        means[replicate] = table @ copies / games
    return Bootstrap("game", games, mean, means, gram, np.zeros((0, rows)), np.zeros((0, rows)))


def _cluster_sums(residual: Array, cluster: NDArray[np.int64], number: int = 0) -> Array:
    """Summed residuals of each cluster, over one minus its share of all games.

    Without that cluster the mean changes by this over the number of games (the
    jackknife, "CR3"): plain sums are too small, for each cluster has pulled the
    mean towards itself. `cluster` may name two clusters a game, one after the other.
    """
    games = residual.shape[1]
    sizes = np.bincount(cluster, minlength=number)
    rest = np.maximum(1.0 - sizes / games, 0.5 / games)[:, None]
    repeated = np.tile(residual, (1, len(cluster) // games))
    sums = np.array([np.bincount(cluster, row, len(sizes)) for row in repeated])
    return np.asarray(sums.T / rest, np.float64)


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
