"""What there is to draw of the data that models learn from: figures 4.1 to 4.6 of Neubauer 2024.

The data are an experiment that was run, a store of features, or files of results; each has
a part of the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone import records
from yardstone.errors import ModelError, NoGamesError, UsageError
from yardstone.evaluation.splits import earlier_games, judged_games, rating_labels
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import HEAD
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.models import (
    POINTS,
    losses_by_rank,
    losses_by_rating,
    ratings_in_classes,
)
from yardstone_lab.neubauer.experiment.sets import glicko_of, read_experiment_data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.result import Replay

    Array = NDArray[np.float64]

__all__ = [
    "DataDescription",
    "DeviationsByGames",
    "RatingsByGames",
    "describe_data",
    "deviations_by_games",
    "ratings_by_games",
]

_POINT_LOSS, _WIN_LOSS = HEAD.index("point_loss"), HEAD.index("win_loss")
#: Ratings that settle are counted in classes of so many points.
_STEP = 50.0


@dataclass(frozen=True, eq=False)
class DataDescription:
    """What there is to draw of some data; what they do not have is empty or None."""

    #: Rating labels of both sides of games, by class of players.
    labels: Mapping[str, Array] = field(default_factory=dict)
    training: bool = False  #: The labels are those of the training games alone.
    #: `points`, `winrates`: what each move lost, by class of players.
    points: Mapping[str, Array] = field(default_factory=dict)
    winrates: Mapping[str, Array] = field(default_factory=dict)
    deviations: DeviationsByGames | None = None
    settling: RatingsByGames | None = None
    lengths: NDArray[Any] | None = None  #: How many moves the games have.
    counted: bool = False  #: The lengths are those of the counted games alone.


def describe_data(data: Sequence[str], edges: Sequence[float] = ()) -> DataDescription:
    """Look at data as figures 4.1 to 4.6 do.

    Args:
        data: The description of an experiment that was run (TOML), a store of features, or files of
            results.
        edges: Bounds between classes of players, as in `ratings_in_classes`; the classes of a store
            are always those of the ranks in its records.

    Raises:
        InputError: The data cannot be read, or the experiment was not run.
        UsageError: There is more than one experiment or store, or the bounds do not rise.
    """
    first = Path(data[0])
    if first.suffix.lower() == ".toml":
        _check_alone(data, "experiment")
        return _of_experiment(first, edges)
    if (first / "store.json").exists():
        _check_alone(data, "store")
        return _of_store(first)
    pool, _ = judged_games(records.read(*data, first="black", times=True))
    replay = Glicko2().replay(pool)
    labels = rating_labels(pool, replay)
    return _of_pool(pool, replay, np.concatenate([labels.first, labels.second]), edges)


def _check_alone(data: Sequence[str], what: str) -> None:
    if len(data) > 1:
        raise UsageError(f"one {what} at a time, please")


def _of_experiment(file: Path, edges: Sequence[float]) -> DataDescription:
    """Of its training games, and of its whole pool."""
    experiment = read_experiment(file)
    data = read_experiment_data(experiment)
    training = data.labelled(("head",), "T")
    labels = training.labels.ravel()
    points = losses_by_rating(training.moves, labels, _POINT_LOSS, edges)
    return replace(
        _of_pool(data.pool, glicko_of(experiment).replay(data.pool), labels, edges),
        training=True,
        points={name: POINTS * values for name, values in points.items()},
        winrates=losses_by_rating(training.moves, labels, _WIN_LOSS, edges),
    )


def _of_store(folder: Path) -> DataDescription:
    store = FeatureStore.open(folder)
    points = losses_by_rank(store, _POINT_LOSS)
    return DataDescription(
        points={name: POINTS * values for name, values in points.items()},
        winrates=losses_by_rank(store, _WIN_LOSS),
        lengths=store.games["moves"],
    )


def _of_pool(pool: Pool, replay: Replay, labels: Array, edges: Sequence[float]) -> DataDescription:
    classes = ratings_in_classes(labels, edges)
    low, high = np.quantile(labels, [0.005, 0.995])
    bounds = np.arange(
        _STEP * np.floor(low / _STEP), _STEP * np.ceil(high / _STEP) + _STEP + 1.0, _STEP
    )
    moves, decision = pool.columns.get("moves"), pool.columns.get("decision")
    if moves is not None and decision is not None:
        moves = moves[decision == "counted"]
    return DataDescription(
        labels={name: labels[rows] for name, rows in classes.items()},
        deviations=deviations_by_games(pool, replay),
        settling=ratings_by_games(pool, replay, bounds),
        lengths=moves if moves is not None and len(moves) else None,
        counted=decision is not None,
    )


@dataclass(frozen=True, eq=False)
class DeviationsByGames:
    """Rating deviations after 0, 1, 2, … games; frozen.

    Attributes:
        mean (float64 array (most + 1,)): Over all players with so many games; NaN where there is
            none.
        players (int64 array (most + 1,)): How many those are.
        sample (float64 array (most + 1, sample)): Deviations of players drawn at random for each
            number of games; NaN where there are fewer.
    """

    mean: Array
    players: NDArray[np.int64]
    sample: Array


@dataclass(frozen=True, eq=False)
class RatingsByGames:
    """Distribution of ratings after 1, 2, … games; frozen.

    Attributes:
        edges (float64 array (classes + 1,)): Of the classes, in what the ratings were turned into.
        share (float64 array (most, classes)): Row i: shares of the players after i + 1 games; a row
            sums to 1, or is NaN where no player has so many games.
        players: int64 array (most,).
    """

    edges: Array
    share: Array
    players: NDArray[np.int64]


def deviations_by_games(
    pool: Pool, replay: Replay, *, most: int = 50, sample: int = 20, seed: int = 0
) -> DeviationsByGames:
    """Deviation of players before their next game, by how many they have played.

    The deviation is the one that the system predicts the next game with, so it
    includes what idle time has added.

    Raises:
        ModelError: The system has no deviations.
    """
    if replay.first_deviation is None or replay.second_deviation is None:
        raise ModelError("this system has no deviations: take Glicko-2, for example")
    played = np.concatenate(earlier_games(pool))
    deviation = np.concatenate([replay.first_deviation, replay.second_deviation])
    kept = played <= most
    played, deviation = played[kept], deviation[kept]
    players = np.bincount(played, minlength=most + 1)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(played, deviation, most + 1) / players
    generator = np.random.default_rng(seed)
    shuffled = generator.permutation(len(played))
    order = shuffled[np.argsort(played[shuffled], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(players)])
    drawn = np.full((most + 1, sample), np.nan)
    for games in range(most + 1):
        chosen = deviation[order[starts[games] : starts[games] + min(players[games], sample)]]
        drawn[games, : len(chosen)] = chosen
    return DeviationsByGames(mean, players, drawn)


def ratings_by_games(
    pool: Pool,
    replay: Replay,
    edges: Array,
    *,
    most: int = 50,
    convert: Callable[[Array], Array] | None = None,
) -> RatingsByGames:
    """Histogram of the players' ratings right after each of their first games.

    Args:
        edges (float64 array): Edges of the classes; ratings beyond them fall in the outermost ones.
        most: Up to so many games.
        convert: Turns ratings into what the edges are in: ranks, for example.
    """
    if not len(pool):
        raise NoGamesError("there is no game whose players could settle")
    after = rating_labels(pool, replay, advance=0)
    played = np.concatenate(earlier_games(pool))
    value = np.concatenate([after.first, after.second])
    kept = played < most
    played, value = played[kept], value[kept]
    if convert is not None:
        value = np.asarray(convert(value), np.float64)
    edges = np.asarray(edges, np.float64)
    classes = len(edges) - 1
    place = np.clip(np.searchsorted(edges, value, side="right") - 1, 0, classes - 1)
    counts = np.bincount(played * classes + place, minlength=most * classes).reshape(most, classes)
    players = counts.sum(axis=1)
    with np.errstate(invalid="ignore"):
        share = counts / players[:, None]
    return RatingsByGames(edges, share, players)
