"""How sure a mean over games is, when games share players.

Games of one player are not independent: a system that misjudges a player errs in all of that
player's games. So players are resampled, not games: each player gets as many copies as a draw with
replacement gives, and a game counts as often as the copies of its two players multiply to (the
vertex bootstrap of Snijders and Borgatti 1999, Owen's pigeonhole bootstrap of 2007).

With every game in two clusters this bootstrap is known to be too wide. Its variance, to first
order, is the sum over players of their summed residuals squared *plus* the same sum over pairs of
players; what is wanted (the variance robust to dyadic clusters, `yardstone.clusters`) is the first
*minus* the second. Both are exact sums, so the spread of the replicates is scaled by the root of
their ratio, never below what independent pairs would give. The replicates say how several means
vary together, as simultaneous statements need; the interval of one of them is Student's, from its
exact standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.clusters import (
    LEAST_EFFECTIVE_PLAYERS,
    cluster_sums,
    degrees_of_freedom,
    effective_players,
    effective_size,
    numbered,
    t_quantile,
)
from yardstone.disk import PIECE, let_go, pieces, taken
from yardstone.errors import NoGamesError, UsageError
from yardstone.evaluation.metrics import (
    CalibrationCurve,
    Measures,
    grouped_curve,
    metric_values,
)
from yardstone.pool import distributed

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Ints, Longs
    from yardstone.evaluation.comparison import Prediction
    from yardstone.evaluation.splits import Subset


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """An estimate with its interval."""

    #: The value, and the ends of its interval; NaN where there are too few players for one.
    estimate: float
    low: float
    high: float
    confidence: float  #: Level of the interval, 0 to 1.

    @property
    def clear(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Means of several rows of values, and how they vary; frozen."""

    #: ``"player"``, ``"game"`` where players are unknown, or ``"none"``: too few players.
    unit: str
    games: int
    mean: Floats  #: (rows,)
    replicates: Floats  #: (replicates, rows): The means in each resampled pool, not yet scaled.
    gram: Floats  #: (rows, rows): Products of the residuals, summed over games.
    #: Summed residuals of each player and pair, one column a row; none where games were resampled.
    player_sums: Floats
    pair_sums: Floats
    freedom: float = inf  #: Degrees of freedom of the standard errors.

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

    def spread(self, contrast: ArrayLike) -> Floats:
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
        """A sum of rows with its interval, by Student's t; `contrast` are their weights."""
        c = np.asarray(contrast, np.float64)
        estimate = float(self.mean @ c)
        reach = t_quantile(0.5 + confidence / 2.0, self.freedom) * self.standard_error(c)
        return MeanInterval(estimate, estimate - reach, estimate + reach, confidence)

    def reach(self, contrasts: Sequence[ArrayLike], confidence: float) -> float:
        """Standard errors that none of some sums is off by, all of them together.

        The largest error among them in each replicate counts (the bootstrap's max-t), at Student's
        level, so which one to look at may be chosen afterwards.
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

    def _squares(self, contrast: Floats) -> tuple[float, float]:
        player, pair = self.player_sums @ contrast, self.pair_sums @ contrast
        return float(player @ player), float(pair @ pair)


def bootstrap(
    values: ArrayLike,
    first: Ints | None = None,
    second: Ints | None = None,
    *,
    replicates: int = 1000,
    seed: int = 0,
) -> Bootstrap:
    """Resample players, and take the mean of each row of values (rows, games) each time.

    Without players games are resampled; with fewer than `LEAST_EFFECTIVE_PLAYERS` there are no
    standard errors. NoGamesError without a game, UsageError for fewer than 2 replicates.
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
            _resample_players(table, a, b, pair, generator, means)
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
    table: Floats,
    first: Ints,
    second: Ints,
    pair: Longs,
    generator: np.random.Generator,
    means: Floats,
) -> None:
    """Means (replicates, rows) of games (rows, games), each counted by its players' copies."""
    _, at, number = np.unique(pair, return_index=True, return_counts=True)
    one, other, players = first[at], second[at], int(max(first.max(), second.max())) + 1
    sums = np.array([np.bincount(pair, row) for row in table])
    for replicate in range(len(means)):
        games = 0.0
        while not games:  # a draw without two players who met says nothing
            copies = np.bincount(generator.integers(0, players, players), minlength=players)
            weight = (copies[one] * copies[other]).astype(np.float64)
            games = float(weight @ number)
        means[replicate] = sums @ weight / games


#: Groups of a calibration, and cells by which they are cut.
_GROUPS, _CELLS = 10, 1 << 16
_MIX = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1 << 16  #: Players whose sums are made one triangle together.


class _Part(NamedTuple):
    """Games of some pairs: all games of each, one pair after another."""

    column: Callable[[str], Any]  #: A column of these games.
    first: Ints
    second: Ints
    pair: Longs


@dataclass(frozen=True, eq=False, repr=False)
class GamesByPair:
    """Predictions and results by pairs of players, for very many games; frozen.

    `columns` are players, scores, predictions and subsets of the games; `ends` is where each part
    ends; `players` one more than the largest number of a player.
    """

    columns: Mapping[str, Any]
    ends: Longs
    players: int

    @classmethod
    def of(
        cls,
        predictions: Sequence[Prediction],
        score: Floats,
        ends: tuple[Ints, Ints],
        parts: Sequence[Subset],
    ) -> GamesByPair:
        """Put the games in order of pairs."""
        first, second = ends
        columns: dict[str, Any] = {"first": first, "second": second, "score": score}
        for prediction in predictions:
            columns[f"expected {prediction.name}"] = prediction.expected
            if prediction.draw is not None:
                columns[f"draw {prediction.name}"] = prediction.draw
        columns |= {f"part {part.name}": part.games for part in parts}
        players = 1 + max(int(taken(side, at).max()) for side in ends for at in pieces(len(score)))
        number = -(-len(score) // PIECE)

        def part_of(at: slice) -> NDArray[np.integer]:
            key = _key(taken(first, at), taken(second, at), players).astype(np.uint64)
            mixed = (key * _MIX) >> np.uint64(33)
            return (mixed % np.uint64(number)).astype(np.int32)

        result, last = distributed(columns, part_of, number)
        for begin, end in zip(np.append(0, last[:-1]).tolist(), last.tolist(), strict=True):
            at = slice(begin, end)
            key = _key(taken(result["first"], at), taken(result["second"], at), players)
            order = np.argsort(key, kind="stable")
            for column in result.values():
                column[at] = taken(column, at)[order]
                let_go(column)
        return cls(result, last, players)

    def _parts(self, name: str | None = None) -> Iterator[_Part]:
        """The parts of a subset, or of all games without one."""
        begin = 0
        for end in self.ends.tolist():
            at = slice(begin, end)
            begin = end
            chosen: Any = slice(None)
            if name is not None:
                chosen = np.flatnonzero(taken(self.columns[f"part {name}"], at))

            def column(name: str, at: slice = at, chosen: Any = chosen) -> Any:
                return taken(self.columns[name], at)[chosen]

            first, second = column("first"), column("second")
            if len(first):
                key = _key(first, second, self.players)
                pair = np.cumsum(np.append(False, key[1:] != key[:-1]))
                yield _Part(column, first, second, pair)

    def bootstraps(
        self,
        means: Mapping[str, Measures],
        part: Subset,
        metrics: Sequence[str],
        replicates: int,
        seed: int,
    ) -> dict[tuple[str, str], tuple[tuple[str, ...], Bootstrap]]:
        """For each metric the systems with finite values, and how their means vary together."""
        result = {}
        for metric in metrics:
            known = {name: getattr(each, metric) for name, each in means.items()}
            mean = {n: each for n, each in known.items() if each is not None and np.isfinite(each)}
            if mean:
                bootstrap = self._bootstrap(metric, mean, part, replicates, seed)
                result[part.name, metric] = (tuple(mean), bootstrap)
        return result

    def _bootstrap(
        self, metric: str, means: Mapping[str, float], part: Subset, replicates: int, seed: int
    ) -> Bootstrap:
        games, rows = part.number, len(means)
        mean = np.array(list(means.values()))
        sums, size = np.zeros((rows, self.players)), np.zeros(self.players, np.int64)
        gram, by_pair = np.zeros((rows, rows)), np.zeros((0, rows))
        for some in self._parts(part.name):
            residual = _values(metric, tuple(means), some) - mean[:, None]
            gram += residual @ residual.T
            for side in (some.first, some.second):
                np.add.at(size, side, 1)
                for row in range(rows):
                    np.add.at(sums[row], side, residual[row])
            length = np.bincount(some.pair)
            starts = np.cumsum(length) - length
            pairs = np.add.reduceat(residual, starts, axis=1) / _rest(length, games)
            by_pair = _triangle(np.vstack([by_pair, pairs.T]))
        sums /= _rest(size, games)
        by_player = np.zeros((0, rows))
        for at in pieces(self.players, _BLOCK):
            by_player = _triangle(np.vstack([by_player, sums[:, at].T]))
        spread = np.vstack([by_player, by_pair])
        normal = np.random.default_rng(seed).standard_normal((replicates, len(spread)))
        freedom = max(effective_size(size) - 2.0, 1.0)
        drawn = mean + normal @ spread / games
        return Bootstrap("player", games, mean, drawn, gram, by_player, by_pair, freedom)

    def calibration(
        self, prediction: Prediction, score: Floats, confidence: float
    ) -> CalibrationCurve:
        """As `yardstone.evaluation.metrics.calibrate`; groups are cut by fine cells."""
        edges = _edges(prediction.expected)

        def errors(mean: Floats, games: Longs) -> tuple[Floats, Floats]:
            error, alone, freedom = self._errors(prediction.name, edges, mean, games)
            certain = (error > 0.0) & (alone > 0.0)
            worth = np.divide(alone, error, out=np.ones(len(games)), where=certain) ** 2
            quantile = [t_quantile(0.5 + confidence / 2.0, each) for each in freedom]
            return worth, np.where(np.isnan(error), np.inf, quantile)

        return grouped_curve(score, prediction.expected, edges, confidence, errors)

    def _errors(
        self, name: str, edges: Floats, mean: Floats, games: Longs
    ) -> tuple[Floats, Floats, Floats]:
        """Of each group the error of its mean score (NaN: few players), its least, and freedom."""
        number = len(mean)
        sums = np.zeros(self.players * number)
        size = np.zeros(self.players * number, np.int32)
        alone, by_pair = np.zeros((2, number))
        for some in self._parts():
            score = np.asarray(some.column("score"), np.float64)
            expected = some.column(f"expected {name}")
            group = np.searchsorted(edges, expected, side="right")
            residual = score - mean[group]
            alone += np.bincount(group, residual**2, number)
            for side in (some.first, some.second):
                place = side.astype(np.int64) * number + group
                np.add.at(sums, place, residual)
                np.add.at(size, place, 1)
            place = some.pair * number + group
            length = np.bincount(place, minlength=number * (int(some.pair[-1]) + 1))
            total = np.bincount(place, residual, len(length)).astype(np.float64)
            by_pair += _squares(total.reshape(-1, number), length.reshape(-1, number), games)
        sizes = size.reshape(-1, number)
        by_player = _squares(sums.reshape(-1, number), sizes, games)
        players = np.array(
            [effective_size(sizes[:, column].astype(np.int64)) for column in range(number)]
        )
        wide = np.maximum(np.maximum(by_player - by_pair, by_pair), alone)
        count = np.maximum(games, 1)
        error = np.where(players >= LEAST_EFFECTIVE_PLAYERS, np.sqrt(wide) / count, np.nan)
        return error, np.sqrt(alone) / count, np.maximum(players - 2.0, 1.0)


def _values(metric: str, names: Sequence[str], part: _Part) -> Floats:
    """The metric of each system and game; shape (systems, games)."""
    score, rows = part.column("score"), []
    for name in names:
        draw = part.column(f"draw {name}") if metric == "three_way" else None
        rows.append(metric_values(metric, score, part.column(f"expected {name}"), draw))
    return np.array(rows)


def _squares(sums: Floats, size: NDArray[np.integer], games: Longs) -> Floats:
    """Of each group the sum of the clusters' squared sums; shapes (clusters, groups)."""
    total = np.zeros(len(games))
    for column, number in enumerate(games.tolist()):
        if number:
            off = sums[:, column] / _rest(size[:, column], number)
            total[column] = float(off @ off)
    return total


def _key(first: Ints, second: Ints, players: int) -> Longs:
    """The number of each game's pair."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low.astype(np.int64) * players + high


def _rest(size: NDArray[np.integer], games: int) -> Floats:
    """One minus the share of all games that a cluster has (the jackknife)."""
    return np.asarray(np.maximum(1.0 - size / games, 0.5 / games), np.float64)


def _triangle(rows: Floats) -> Floats:
    """The triangle whose rows have the same products as these: it stands for all of them."""
    triangle = np.linalg.qr(rows, mode="r")
    sign = np.where(np.diagonal(triangle) < 0.0, -1.0, 1.0)
    return np.asarray(triangle * sign[:, None], np.float64)


def _edges(expected: Floats) -> Floats:
    """Predictions that cut about equal numbers of games, on a fine grid."""
    counts = np.zeros(_CELLS, np.int64)
    for at in pieces(len(expected)):
        cell = np.minimum((taken(expected, at) * _CELLS).astype(np.int64), _CELLS - 1)
        counts += np.bincount(cell, minlength=_CELLS)
    wanted = np.arange(1, _GROUPS) / _GROUPS * len(expected)
    cells = np.searchsorted(np.cumsum(counts), wanted)
    return np.unique((cells + 1) / _CELLS)
