"""A player's rank from style features: the baseline that needs no network.

A Gaussian process with one length for each feature ("automatic relevance
determination"; Rasmussen and Williams 2006, sections 2.2 and 5.1). Features are
replaced by the normal scores of their places among the training players, for some have
very long tails. Lengths, signal and noise are those under which the training players'
own ranks are most likely: no other player has a say.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone import parallel
from yardstone.choices import plural
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.pool import SkipReport
from yardstone.records.decoding import clean, decode
from yardstone.records.sources import Source, find_sources

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Longs


#: Standard deviation in ranks that Moudřík, Baudiš and Neruda 2015 give (as cited by
#: Neubauer 2024, section 3.4), with features of patterns besides.
PUBLISHED = 2.66
#: Lengths and noise are found with so many players at most; all are used to predict.
LENGTHS_FROM = 800
_STEPS = 60
_LEAST_PLAYERS = 10
#: Bounds of the logarithms of precisions (1/length squared), signal and noise variances.
_BOUNDS = ((-12.0, 2.0), (-6.0, 8.0), (-8.0, 3.0))
#: Normal scores stay within the quantiles of this and 1 less this.
_EDGE = 1e-4


@dataclass(frozen=True, eq=False)
class StyleModel:
    """Predicts ranks; `fit_style` makes one."""

    names: tuple[str, ...]  #: Of the features.
    sorted_features: Floats  #: [n, d]: each feature of the training players, sorted.
    known: Floats  #: [n, d]: their normal scores, over the lengths.
    #: [d]: in standard deviations: ranks differ over such distances. A large one says that the
    #: feature matters little.
    lengths: Floats
    #: Mean rank; standard deviations, in ranks, of what features tell and what not.
    mean: float
    signal: float
    noise: float
    #: [n] and [n, n]: of the training players.
    weights: Floats
    inverse: Floats
    lowest: float
    highest: float

    def predict(self, features: Floats) -> tuple[Floats, Floats]:
        """Rank and its standard deviation for the features of some players: [n, d].

        Ranks stay within those of the training players; the deviation includes what
        players of equal features differ by.
        """
        values = np.asarray(features, np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.names):
            raise UsageError(f"features {values.shape} are not those of {len(self.names)} columns")
        near = self.signal**2 * _similar(
            normal_scores(values, self.sorted_features) / self.lengths, self.known
        )
        explained = np.einsum("nk,kl,nl->n", near, self.inverse, near, optimize=True)
        variance = np.maximum(self.signal**2 - explained, 0.0) + self.noise**2
        rank = np.clip(self.mean + near @ self.weights, self.lowest, self.highest)
        return rank, np.sqrt(variance)


def fit_style(table: StyleTable, *, seed: int = 0) -> StyleModel:
    """Fit to the players whose strength is known.

    `seed`: draws the players that lengths and noise are found with, where there are many. Raises
    `NoGamesError` if fewer than ten players have a strength.
    """
    known = np.isfinite(table.strength)
    if known.sum() < _LEAST_PLAYERS:
        raise NoGamesError(
            f"the strength of {int(known.sum())} players is known: it takes {_LEAST_PLAYERS}"
        )
    features, strength = table.features[known], table.strength[known]
    ordered = np.sort(features, axis=0)
    scores = normal_scores(features, ordered)
    mean = float(strength.mean())
    rest = strength - mean
    chosen = np.arange(len(rest))
    if len(rest) > LENGTHS_FROM:
        chosen = np.sort(np.random.default_rng(seed).choice(len(rest), LENGTHS_FROM, replace=False))
    lengths, signal, noise = _most_likely(scores[chosen], rest[chosen])
    scaled = scores / lengths
    covariance = signal**2 * _similar(scaled, scaled) + noise**2 * np.eye(len(rest))
    inverse = np.linalg.inv(covariance).astype(np.float64)
    return StyleModel(
        table.names,
        ordered,
        scaled,
        lengths,
        mean,
        signal,
        noise,
        inverse @ rest,
        inverse,
        float(strength.min()),
        float(strength.max()),
    )


@dataclass(frozen=True, eq=False)
class Validation:
    """What a cross-validation found; frozen."""

    #: [n]: True rank of each player, and the one predicted without him, with its deviation.
    strength: Floats
    predicted: Floats
    deviation: Floats
    fold: Longs  #: [n]: which part each player was in.
    #: [n]: the mean rank of the other parts: what a prediction without features says.
    baseline: Floats

    @property
    def error(self) -> float:
        """Root of the mean squared error, in ranks."""
        return float(np.sqrt(np.mean(np.square(self.predicted - self.strength))))

    @property
    def absolute_error(self) -> float:
        """Mean distance, in ranks."""
        return float(np.mean(np.abs(self.predicted - self.strength)))

    @property
    def baseline_error(self) -> float:
        """The error of predicting the mean, in ranks."""
        return float(np.sqrt(np.mean(np.square(self.baseline - self.strength))))

    def interval(self, *, level: float = 0.95, replicates: int = 1000, seed: int = 0) -> Floats:
        """Interval of `error` by bootstrap over players: [2]."""
        squares = np.square(self.predicted - self.strength)
        generator = np.random.default_rng(seed)
        rows = generator.integers(0, len(squares), (replicates, len(squares)))
        drawn = np.sqrt(squares[rows].mean(axis=1))
        return np.asarray(np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0]))

    def coverage(self, deviations: float = 1.645) -> float:
        """Share of players within so many of their own deviations of the prediction."""
        return float(np.mean(np.abs(self.predicted - self.strength) <= deviations * self.deviation))


def folds_of(strength: Floats, folds: int, seed: int) -> Longs:
    """Parts of equal size at random, with equal shares of each rank."""
    generator = np.random.default_rng(seed)
    order = np.lexsort([generator.random(len(strength)), strength])
    fold = np.empty(len(strength), np.int64)
    fold[order] = np.arange(len(strength)) % folds
    return fold


def cross_validate(table: StyleTable, *, folds: int = 10, seed: int = 0) -> Validation:
    """Predict every player from the others: each part by a model fitted to the rest.

    Args:
        table: Players of unknown strength are left out.
        folds: Parts, at least 2.
        seed: Equal seeds give equal parts and models, on any number of workers.
    """
    table = table.select(np.isfinite(table.strength))
    if folds < 2 or len(table) < folds * 2:
        raise UsageError(f"{plural(len(table), 'player')} cannot be parted into {folds} folds")
    fold = folds_of(table.strength, folds, seed)
    one_fold = partial(_one_fold, table, fold, seed)
    parts = parallel.map(one_fold, range(folds), what="cross-validation")
    predicted, deviation, baseline = (np.empty(len(table)) for _ in range(3))
    for number, (rank, spread, usual) in enumerate(parts):
        here = fold == number
        predicted[here], deviation[here], baseline[here] = rank, spread, usual
    return Validation(table.strength, predicted, deviation, fold, baseline)


def _one_fold(
    table: StyleTable, fold: Longs, seed: int, number: int
) -> tuple[Floats, Floats, float]:
    others = table.select(fold != number)
    rank, deviation = fit_style(others, seed=seed).predict(table.features[fold == number])
    return rank, deviation, float(others.strength.mean())


def normal_scores(features: Floats, ordered: Floats) -> Floats:
    """Normal scores of the places of features among sorted ones, ties in the middle."""
    from scipy.special import ndtri

    scores = np.empty_like(features)
    for column in range(features.shape[1]):
        known = ordered[:, column]
        low = np.searchsorted(known, features[:, column], side="left")
        high = np.searchsorted(known, features[:, column], side="right")
        place = (low + high + 1.0) / (2.0 * (len(known) + 1.0))
        scores[:, column] = ndtri(np.clip(place, _EDGE, 1.0 - _EDGE))
    return scores


def _similar(one: Floats, other: Floats) -> Floats:
    """exp(-|x - y|^2/2) of every two rows."""
    squared = np.square(one).sum(axis=1)[:, None] + np.square(other).sum(axis=1)[None, :]
    similarity: Floats = np.exp(-0.5 * np.maximum(squared - 2.0 * one @ other.T, 0.0))
    return similarity


def _most_likely(scores: Floats, rest: Floats) -> tuple[Floats, float, float]:
    """Lengths, signal and noise of the greatest marginal likelihood."""
    from scipy.optimize import minimize

    width = scores.shape[1]
    spread = max(float(rest.std()), 1e-9)
    start = np.concatenate([np.full(width, -np.log(width)), [0.0, -1.0]])
    bounds: Sequence[tuple[float, float]] = [_BOUNDS[0]] * width + [_BOUNDS[1], _BOUNDS[2]]
    optimum = minimize(
        _against,
        start,
        args=(scores, rest / spread),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": _STEPS},
    ).x
    lengths = np.exp(-0.5 * optimum[:width])
    signal, noise = spread * np.exp(0.5 * optimum[width:])
    return lengths, float(signal), float(noise)


def _against(unknowns: Floats, scores: Floats, rest: Floats) -> tuple[float, Floats]:
    """Minus the log marginal likelihood, and its gradient (ibid., equations 2.30 and 5.9)."""
    width = scores.shape[1]
    # Logarithms of 1/length^2 of each feature, of the signal's variance and of the noise's.
    precision = np.exp(unknowns[:width])
    signal, noise = np.exp(unknowns[width:])
    scaled = scores * np.sqrt(precision)
    covariance = signal * _similar(scaled, scaled)
    factor = np.linalg.cholesky(covariance + noise * np.eye(len(rest)))
    inverse_factor = np.linalg.inv(factor)
    inverse = inverse_factor.T @ inverse_factor
    weights = inverse @ rest
    value = 0.5 * float(rest @ weights) + float(np.log(np.diag(factor)).sum())
    outer = np.outer(weights, weights) - inverse
    pull = outer * covariance
    row = pull.sum(axis=1)
    by_feature = 2.0 * (row @ np.square(scores)) - 2.0 * np.einsum(
        "nk,nk->k", scores, pull @ scores
    )
    gradient = np.concatenate(
        [
            0.25 * precision * by_feature,
            [-0.5 * pull.sum(), -0.5 * noise * np.trace(outer)],
        ]
    )
    return value, gradient


_HEADINGS = 3
#: A table may not be larger than this, decompressed, nor have more columns.
_MOST_BYTES = 256 << 20
_MOST_COLUMNS = 4096


@dataclass(frozen=True, eq=False)
class StyleTable:
    """Features of players; frozen."""

    features: Floats  #: [n, d]
    strength: Floats  #: [n]: what is to be predicted, in ranks; NaN where it is not known.
    names: tuple[str, ...]  #: Of the features.
    #: What the table calls each player (or sample of games); empty where it does not.
    players: tuple[str, ...]

    def __len__(self) -> int:
        """Number of players."""
        return len(self.features)

    def __repr__(self) -> str:
        return f"<StyleTable: {len(self.names)} features of {len(self)} players>"

    def select(self, rows: NDArray[Any]) -> StyleTable:
        """Some of the players."""
        chosen = np.arange(len(self))[rows]
        return StyleTable(
            self.features[chosen],
            self.strength[chosen],
            self.names,
            tuple(self.players[row] for row in chosen),
        )


def read_style(*paths: str | os.PathLike[str]) -> StyleTable:
    """Read one table, or several with different features of the same players.

    ``*paths``: files (.tab), compressed or not, or folders and archives of them. Players stand in
    the same order in all of them. The features of all files stand side by side. Raises
    `InputError` if a file is no such table, a field is no number, or two files are not of the same
    players; the message names the line.
    """
    parts = [_read(source) for source in find_sources(paths, [".tab"], SkipReport())]
    if not parts:
        raise NoGamesError("there is no table of style features (.tab)")
    file, first = parts[0]
    strength = first.strength.copy()
    for other, table in parts[1:]:
        if len(table) != len(first):
            raise InputError(
                f"has {len(table):,} players, but {file} has {len(first):,}", file=other
            )
        known = np.isfinite(first.strength) & np.isfinite(table.strength)
        differ = known & (table.strength != first.strength)
        names = [one != two for one, two in zip(table.players, first.players, strict=True)]
        for apart in (np.flatnonzero(names), np.flatnonzero(differ)):
            if len(apart):
                raise InputError(
                    f"this player is another one than in {file}",
                    file=other,
                    line=int(apart[0]) + _HEADINGS + 1,
                    hint="give the players in the same order in all tables",
                )
        strength = np.where(np.isfinite(strength), strength, table.strength)
    tables = [table for _, table in parts]
    return StyleTable(
        np.hstack([table.features for table in tables]),
        strength,
        tuple(name for table in tables for name in table.names),
        first.players,
    )


def _read(source: Source) -> tuple[str, StyleTable]:
    text = decode(source.content(_MOST_BYTES))
    lines = [line.rstrip("\r") for line in text.rstrip("\r\n").split("\n")]
    fail = partial(InputError, file=source.name)
    if len(lines) <= _HEADINGS:
        raise fail("has no player: three lines of headings come first")
    names, kinds, roles = (_fields(line) for line in lines[:_HEADINGS])
    if len(names) > _MOST_COLUMNS:
        raise fail(f"has more than {_MOST_COLUMNS} columns", line=1)
    roles += [""] * (len(names) - len(roles))
    if len(kinds) != len(names) or len(roles) != len(names):
        raise fail(
            f"the headings have {len(names)}, {len(kinds)} and {len(roles)} fields",
            line=2,
            hint="this is not a table with the headings of Orange",
        )
    columns = [c for c, role in enumerate(roles) if not role and kinds[c].startswith("c")]
    target = next((c for c, role in enumerate(roles) if role == "class"), None)
    named = next((c for c, role in enumerate(roles) if role == "meta" and kinds[c] == "string"), -1)
    if not columns:
        raise fail("has no column of numbers that is a feature", line=3)
    features, strength, players = [], [], []
    for line, row in enumerate(lines[_HEADINGS:], start=_HEADINGS + 1):
        cells = _fields(row)
        if len(cells) != len(names):
            raise fail(f"has {len(cells)} fields in place of {len(names)}", line=line)
        wrong = partial(fail, line=line)
        features.append([_number(cells[c], names[c], wrong) for c in columns])
        if target is None or cells[target] in ("", "?"):
            strength.append(np.nan)
        else:
            strength.append(_number(cells[target], names[target], wrong))
        players.append(cells[named] if named >= 0 else "")
    return source.name, StyleTable(
        np.array(features, np.float64),
        np.array(strength, np.float64),
        tuple(names[c] for c in columns),
        tuple(players),
    )


def _fields(line: str) -> list[str]:
    return [clean(field) for field in line.split("\t")]


def _number(text: str, name: str, wrong: Callable[..., InputError]) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        hint = "leave the player out, or fill the field"
        raise wrong(f"{name!r} is {text!r} in place of a number", hint=hint)
    return value


@dataclass(frozen=True, slots=True)
class StyleRatings:
    """Players with the ranks that their style tells."""

    players: tuple[str, ...]
    strength: Floats  #: Their true ranks; NaN where unknown.
    predicted: Floats
    deviation: Floats
    #: Number of players of the other table that the model was fitted to; None after a
    #: cross-validation.
    learned_from: int | None
    validation: Validation | None = None  #: Of a cross-validation.

    @property
    def known(self) -> Flags:
        """Players whose true rank is known."""
        return np.isfinite(self.strength)

    @property
    def error(self) -> float | None:
        """Root mean square distance from the true ranks; None where none is known."""
        known = self.known
        if not known.any():
            return None
        return float(np.sqrt(np.mean(np.square(self.predicted[known] - self.strength[known]))))


def rate_by_style(
    tables: Sequence[str], others: Sequence[str] = (), *, folds: int = 10, seed: int = 0
) -> StyleRatings:
    """Ranks from tables of style features.

    `tables`: files of the players to learn from; without `others` each of them is rated by a model
    that has seen the other parts of `folds`. `others`: files of players to rate, of the same
    features. `folds`, `seed`: of the cross-validation. Raises `InputError`
    if the features of `others` are not those of `tables`, or a file cannot be read.
    """
    known = read_style(*tables)
    if others:
        table = read_style(*others)
        if table.names != known.names:
            raise InputError(
                f"has the features {_listed(table.names)} in place of {_listed(known.names)}",
                file=others[0],
                hint="give the same files in the same order for both",
            )
        rank, deviation = fit_style(known, seed=seed).predict(table.features)
        return StyleRatings(table.players, table.strength, rank, deviation, len(known))
    validation = cross_validate(known, folds=folds, seed=seed)
    rows = zip(known.players, known.strength, strict=True)
    return StyleRatings(
        tuple(name for name, rank in rows if rank == rank),
        validation.strength,
        validation.predicted,
        validation.deviation,
        None,
        validation,
    )


def _listed(names: tuple[str, ...]) -> str:
    first = ", ".join(names[:3])
    return f"{first} and {len(names) - 3} more" if len(names) > 3 else first
