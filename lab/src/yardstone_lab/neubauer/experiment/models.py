"""The models of an experiment: stochastic, basic, by mean features and full."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.metrics import log_likelihood, recalibration
from yardstone.go.features import HEAD, POINTS
from yardstone.go.nets.network import NetworkView
from yardstone.grades import split_grade
from yardstone.strength.evidence import KINDS, Evidence
from yardstone.strength.model import StrengthModel
from yardstone.winprob.laws import ELO_POINTS_PER_LOGIT, logistic, normal_cdf
from yardstone.winprob.scales import convert
from yardstone_lab.neubauer.experiment.questions import GLICKO, RANK
from yardstone_lab.neubauer.experiment.sets import MODELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.feature_store import FeatureStore
    from yardstone.pool import Pool
    from yardstone.ratings.glicko import Glicko2
    from yardstone.ratings.result import Replay
    from yardstone_lab.neubauer.experiment.configuration import ModelSettings
    from yardstone_lab.neubauer.experiment.questions import ExperimentPredictions, RecentMoves
    from yardstone_lab.neubauer.experiment.run import Stages
    from yardstone_lab.neubauer.experiment.sets import ExperimentData, Sets
    from yardstone_lab.neubauer.moves import Labelled, MoveSets, Stores
    from yardstone_lab.neubauer.network.strength_network import Hyperparameters, StrengthNetwork

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = [
    "POINTS",
    "Stochastic",
    "points_lost",
    "RANK_CLASSES",
    "losses_by_rank",
    "losses_by_rating",
    "ratings_in_classes",
    "PENALTIES",
    "SHRINKAGES",
    "Pooled",
    "fit_pooled",
    "NEEDED",
    "rank_scores",
    "BASIC",
    "FULL",
    "POOLED",
    "STOCHASTIC",
    "TrainedModels",
    "Work",
    "fuse_all",
    "predict_all",
    "train_all",
    "tuned_glicko",
]

#: The column of the head features with the points lost.
_COLUMN = HEAD.index("point_loss")
#: Predictions are kept so far from 0 and 1, which they would reach by rounding alone.
_EDGE = 1e-12
#: The thesis' arbitrary small value, against a division by 0.
_LEAST = 1e-9


def points_lost(head: NDArray[Any]) -> Array:
    """Points that moves lost, from their head features [n, 6]."""
    return np.asarray(head[:, _COLUMN], np.float64) * POINTS


@dataclass(frozen=True, slots=True)
class Stochastic:
    """The model with its constants.

    Notes:
        Equation 4.3 wants two moves of each side. A side with one move has its own mean
        and the variance of all players; a side without a move has their mean as well. So
        two sides without a move come out at 0.5.
    """

    #: C: moves of a player after which points are compared; half the mean length of the training
    #: games (127 in the thesis).
    moves: float
    #: `mean`, `variance`: of the points lost by a move over all training moves: what is put in the
    #: place of a player's own where there are too few moves to tell.
    mean: float
    variance: float

    def __post_init__(self) -> None:
        """Refuse constants that make no sense."""
        if not (self.moves > 0.0 and self.variance >= 0.0 and np.isfinite(self.mean)):
            raise UsageError(
                f"{self.moves} moves that lose {self.mean} points with a variance of "
                f"{self.variance} are not a model"
            )

    @classmethod
    def fit(cls, head: MoveSets, pool: Pool, games: Mask) -> Stochastic:
        """The constants of some training games.

        Args:
            head: Head features of the recent moves of the training games.
            pool: With the column ``moves``.
            games (bool array): The training games.
        """
        if head.width != len(HEAD):
            raise InputError(f"moves with {head.width} features are no head features")
        if not len(head.rows) or not games.any():
            raise InputError("there are no moves of training games to learn from")
        lost = points_lost(head.features[head.rows])
        length = float(np.mean(pool.columns["moves"][games]))
        return cls(0.5 * length, float(lost.mean()), float(lost.var()))

    def expected(self, head: MoveSets, window: int | None = None) -> Array:
        """Expected score of Black in each game (eq. 4.3), from the last `window` moves.

        It is never quite 0 or 1, which only rounding would make it.
        """
        mean, variance = self._sides(head, window)
        difference = self.moves * (mean[:, 1] - mean[:, 0])
        spread = np.sqrt(self.moves * variance.sum(axis=1) + _LEAST)
        return np.clip(normal_cdf(difference / spread), _EDGE, 1.0 - _EDGE)

    def _sides(self, head: MoveSets, window: int | None) -> tuple[Array, Array]:
        """Mean and variance of the points lost by both sides: [games, 2] each."""
        if head.width != len(HEAD):
            raise InputError(f"moves with {head.width} features are no head features")
        lost = points_lost(head.features[head.rows])
        stop = head.starts[1:]
        start = head.starts[:-1]
        if window is not None:
            start = np.maximum(start, stop - window)
        number = stop - start
        # Centred, so that sums of squares do not cancel.
        centred = lost - self.mean
        sums = np.concatenate([[0.0], np.cumsum(centred)])
        squares = np.concatenate([[0.0], np.cumsum(centred**2)])
        total = sums[stop] - sums[start]
        mean = total / np.maximum(number, 1)
        spread = np.maximum(squares[stop] - squares[start] - mean * total, 0.0)
        own = spread / np.maximum(number - 1, 1)
        variance = np.where(number > 1, own, self.variance)
        return (mean + self.mean).reshape(-1, 2), variance.reshape(-1, 2)


#: The thesis' classes, by the grade in whose stretch the OGS rating lies.
RANK_CLASSES: Mapping[str, tuple[float, float]] = {
    "10 kyu and below": (-np.inf, -9.5),
    "9 kyu to 1 kyu": (-9.5, -0.5),
    "1 dan and above": (-0.5, np.inf),
}


def ratings_in_classes(ratings: Array, edges: Sequence[float] = ()) -> dict[str, NDArray[np.bool_]]:
    """Which ratings belong to which class.

    Args:
        ratings (float64 array): Glicko-2 points.
        edges: Bounds between classes, in points, rising. Without them the classes are the thesis':
            double-digit kyu, single-digit kyu and dan by the formula of OGS (rank = 23.15 ln(rating
            / 525), 30 being 1 dan).

    Returns:
        dict of str to bool arrays: Classes without a rating are left out.
    """
    if len(edges):
        if list(edges) != sorted(set(edges)):
            raise UsageError("the bounds of the classes must rise")
        bounds = [-np.inf, *edges, np.inf]
        named = {_between(low, high): (low, high) for low, high in pairwise(bounds)}
        value = np.asarray(ratings, np.float64)
    else:
        named = dict(RANK_CLASSES)
        value = convert(np.maximum(ratings, 100.0), "ogs", "grade")
    members = {
        name: np.asarray((value >= low) & (value < high)) for name, (low, high) in named.items()
    }
    return {name: here for name, here in members.items() if here.any()}


def _between(low: float, high: float) -> str:
    if np.isinf(low):
        return f"below {high:g}"
    return f"{low:g} and above" if np.isinf(high) else f"{low:g} to {high:g}"


def losses_by_rating(
    head: MoveSets, labels: Array, column: int, edges: Sequence[float] = ()
) -> dict[str, Array]:
    """What moves lost, by the class of the label of the player who made them.

    Args:
        head: Head features of recent moves.
        labels (float64 [2 * games]): Of each side.
        column: Of the head features.
        edges: As in `ratings_in_classes`.
    """
    number = head.lengths()
    values = np.asarray(head.features[head.rows, column], np.float64)
    side = np.repeat(np.arange(len(number)), number)
    return {name: values[here[side]] for name, here in ratings_in_classes(labels, edges).items()}


def losses_by_rank(store: FeatureStore, column: int) -> dict[str, Array]:
    """What the moves of a store lost, by the rank that the record gives the player.

    A class is a step of ranks: double-digit kyu, single-digit kyu, dan, professional;
    players without a rank are a class of their own.
    """
    games = store.games
    values = np.asarray(store.array("head")[:, column], np.float64)
    named = np.empty(len(values), object)
    for ranks, starts, ends in (
        (games["black_rank"], games["black_start"], games["white_start"]),
        (games["white_rank"], games["white_start"], games["end"]),
    ):
        for rank, start, end in zip(ranks, starts.tolist(), ends.tolist(), strict=True):
            named[start:end] = _class_of(str(rank))
    order = (*RANK_CLASSES, "professional", "no rank")
    return {name: values[named == name] for name in order if (named == name).any()}


def _class_of(rank: str) -> str:
    parts = split_grade(rank)
    if parts is None:
        return "no rank"
    number, kind = parts
    if kind != "kyu":
        return "professional" if kind == "pro" else "1 dan and above"
    return "10 kyu and below" if number >= 10 else "9 kyu to 1 kyu"


#: What is tried: weights of the penalty, for each game, and moves of the average player.
PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SHRINKAGES = (25.0, 100.0, 400.0)
_LEAST_DEVIATION = 1e-6


@dataclass(frozen=True, eq=False)
class Pooled:
    """Ratings from means of features; `fit_pooled` makes one."""

    #: `centre`, `spread` [width]: mean of the features of players, and their standard deviation
    #: over players.
    centre: Array
    spread: Array
    weights: Array  #: [width]: rating points for each standard deviation.
    mean: float  #: Rating of a player of whom nothing is known.
    shrinkage: float  #: So many moves of the average player are added to each player's own.
    penalty: float  #: Of the ridge.
    #: `intercept`, `slope`: of the logit of Black's expected score, against the logit of the
    #: difference of ratings: fitted on the validation games, for ratings from few moves lie too
    #: close together or too far apart.
    intercept: float
    slope: float

    def ratings(self, moves: MoveSets, window: int | None = None) -> Array:
        """Rating points of each side, Black's and White's of the first game first: [2 * g]."""
        number = moves.lengths() if window is None else np.minimum(moves.lengths(), window)
        return self._rated(moves.means(window), number)

    def expected(self, ratings: Array) -> Array:
        """Expected score of Black in each game, from the ratings of both sides [2 * g]."""
        logit = self.slope * (ratings[0::2] - ratings[1::2]) / ELO_POINTS_PER_LOGIT
        return logistic(self.intercept + logit)

    def _rated(self, means: Array, number: NDArray[np.int64]) -> Array:
        standard = _standardised(means, number, self.centre, self.spread, self.shrinkage)
        ratings: Array = self.mean + standard @ self.weights
        return ratings


def fit_pooled(
    training: Labelled,
    validation: Labelled,
    *,
    window: int | None = None,
    penalties: Sequence[float] = PENALTIES,
    shrinkages: Sequence[float] = SHRINKAGES,
) -> Pooled:
    """Fit to the labels of training games; the validation games choose the settings.

    Args:
        training, validation: With labels in rating points.
        window: Only the last so many moves of each player.
        penalties, shrinkages: What is tried. The pair with the best log-likelihood on the
            validation games, after their own intercept and slope, is taken.

    Raises:
        NoGamesError: There is no game to train on, or none to validate with.
    """
    for name, games in (("train on", training), ("validate with", validation)):
        if not len(games):
            raise NoGamesError(f"there is no game to {name}")
    if not penalties or not shrinkages or min(penalties) <= 0.0 or min(shrinkages) < 0.0:
        raise UsageError("penalties must be above 0, shrinkages not below 0")
    means, number = training.moves.means(window), _number(training.moves, window)
    other, other_number = validation.moves.means(window), _number(validation.moves, window)
    played = number > 0
    if not played.any():
        raise NoGamesError("no training game has a recent move")
    centre = np.average(means[played], axis=0, weights=number[played])
    spread = np.maximum(means[played].std(axis=0), _LEAST_DEVIATION)
    labels = training.labels.ravel()
    mean = float(labels.mean())
    best: tuple[float, Pooled] | None = None
    for shrinkage in shrinkages:
        x = _standardised(means, number, centre, spread, shrinkage)
        z = _standardised(other, other_number, centre, spread, shrinkage)
        values, vectors = np.linalg.eigh(x.T @ x)
        projected = vectors.T @ (x.T @ (labels - mean))
        for penalty in penalties:
            weights = vectors @ (projected / (np.maximum(values, 0.0) + penalty * len(labels)))
            ratings = z @ weights
            plain = (ratings[0::2] - ratings[1::2]) / ELO_POINTS_PER_LOGIT
            even = logistic(plain)
            intercept, slope = recalibration(validation.score, even)
            if not np.isfinite(slope):
                intercept, slope = 0.0, 0.0
            tried = Pooled(
                centre, spread, weights, mean, shrinkage, penalty, intercept, max(slope, 0.0)
            )
            likelihood = log_likelihood(validation.score, tried.expected(ratings))
            if best is None or likelihood > best[0]:
                best = likelihood, tried
    if best is None:
        raise NoGamesError("nothing was tried")
    return best[1]


def _number(moves: MoveSets, window: int | None) -> NDArray[np.int64]:
    return moves.lengths() if window is None else np.minimum(moves.lengths(), window)


def _standardised(
    means: Array, number: NDArray[np.int64], centre: Array, spread: Array, shrinkage: float
) -> Array:
    """Means in standard deviations of players, drawn to 0 where there are few moves."""
    trust = np.divide(number, number + shrinkage, out=np.zeros(len(number)), where=number > 0)
    standard: Array = trust[:, None] * ((means - centre) / spread)
    return standard


#: Kinds of features that the stores must have.
NEEDED = ("head", *KINDS, "chances")
#: Moves that are scored at a time.
_TOGETHER = 16_384


def rank_scores(
    stores: Stores, rows: NDArray[np.int64], model: StrengthModel | None = None
) -> NDArray[np.float32]:
    """The rank model's scores of some moves.

    Args:
        rows (int64 [n]): Of the stores.
        model: The one that comes with Yardstone by default.

    Returns:
        float32 [n, k]

    Raises:
        InputError: The features are of another network than the model's, or some are missing.
    """
    chosen = StrengthModel.load("rank") if model is None else model
    if missing := [kind for kind in NEEDED if kind not in stores.kinds]:
        raise InputError(
            f"the rank model needs {' and '.join(missing)}",
            file=str(stores.stores[0].path),
            hint="make the store with these features, or leave the rank model out",
        )
    known, wanted = NetworkView.of(stores.settings), NetworkView.of(chosen.card)
    if known != wanted:
        raise InputError(
            f"the rank model reads features of {wanted}, and these are of {known}",
            file=str(stores.stores[0].path),
            hint="leave the rank model out",
        )
    pieces = [np.empty((0, chosen.scorer.width), np.float32)]
    for start in range(0, len(rows), _TOGETHER):
        part = rows[start : start + _TOGETHER]
        evidence = Evidence(
            game=np.zeros(len(part), np.int32),
            **{name: stores.gather(name, part) for name in ("number", "colour", "point")},
            **{name: stores.gather(name, part) for name in NEEDED},
            games=1,
        )
        pieces.append(np.asarray(chosen.scorer.move_shares(evidence), np.float32))
    return np.concatenate(pieces)


_POOLED = ArrayFile("table of mean features", compressed=False)
STOCHASTIC, BASIC, FULL, POOLED = "Stochastic", "Basic", "Full", "Pooled"
RANKED = "Rank scores"
_ABOUT = {
    STOCHASTIC: "from the points that recent moves lost",
    BASIC: "a Set Transformer on the network's outputs for recent moves",
    FULL: "a Set Transformer on the network's trunk at recent moves",
    POOLED: "ridge regression on mean features of recent moves",
    RANKED: "the same on the rank model's scores of recent moves",
}


@dataclass(frozen=True, eq=False)
class Work:
    """What models are trained on."""

    data: ExperimentData
    settings: ModelSettings
    say: Callable[[str], object]


@dataclass(frozen=True, eq=False)
class TrainedModels:
    """The trained models of an experiment."""

    networks: dict[str, StrengthNetwork]
    pooled: dict[str, Pooled]
    kinds: dict[str, tuple[str, ...]]  #: Features of each pooled model.
    stages: list[str]  #: Those that made them.
    facts: dict[str, Any]  #: What to say about each.


def train_all(work: Work, stages: Stages) -> TrainedModels:
    """Train what the settings ask for; each model is a stage of its own."""
    chosen = work.settings
    networks: dict[str, StrengthNetwork] = {}
    facts: dict[str, Any] = {}
    done: list[str] = []
    for name, settings in ((BASIC, chosen.basic), (FULL, chosen.full)):
        if settings is not None:
            networks[name] = _network(name, settings, work, stages)
            done.append(_slug(name))
            facts[name] = {"settings": settings.as_dict(), **networks[name].card}
    kinds = {POOLED: chosen.pooled, RANKED: (RANK,) if chosen.rank else ()}
    kinds = {name: each for name, each in kinds.items() if each}
    pooled: dict[str, Pooled] = {}
    for name, each in kinds.items():
        model = pooled[name] = _pooled(name, each, work, stages)
        done.append(_slug(name))
        facts[name] = {
            "features": list(each),
            "penalty": model.penalty,
            "shrinkage": model.shrinkage,
            "slope": model.slope,
        }
    return TrainedModels(networks, pooled, kinds, done, facts)


def _slug(name: str) -> str:
    """The stage of a model."""
    return name.lower().replace(" ", "-")


def _network(name: str, settings: Hyperparameters, work: Work, stages: Stages) -> StrengthNetwork:
    from yardstone_lab.neubauer.network.strength_network import StrengthNetwork

    settings = replace(settings, window=work.settings.window)
    kinds = MODELS[_slug(name)]

    def make(folder: Path) -> None:
        from yardstone_lab.neubauer.network.training import train

        train(
            work.data.labelled(kinds, "T"),
            work.data.labelled(kinds, "V"),
            settings,
            folder,
            device=work.settings.device,
            threads=work.settings.threads,
            report=lambda epoch: work.say(f"  {epoch.line()}"),
            card={"features": list(kinds)},
        )

    about = {"settings": settings.as_dict(), "kinds": list(kinds)}
    home = stages.run(_slug(name), make, about, ["moves", "labels"])
    return StrengthNetwork.load(home / "network.npz")


def _pooled(name: str, kinds: tuple[str, ...], work: Work, stages: Stages) -> Pooled:
    arrays = ("centre", "spread", "weights")
    numbers = ("mean", "shrinkage", "penalty", "intercept", "slope")

    def make(folder: Path) -> None:
        model = fit_pooled(work.data.labelled(kinds, "T"), work.data.labelled(kinds, "V"))
        _POOLED.write(folder / "pooled.npz", {name: getattr(model, name) for name in arrays})
        facts = {name: getattr(model, name) for name in numbers}
        (folder / "pooled.json").write_text(json.dumps(facts, indent=2) + "\n", "utf-8")

    home = stages.run(_slug(name), make, {"kinds": list(kinds)}, ["moves", "labels"])
    facts: dict[str, Any] = json.loads((home / "pooled.json").read_text("utf-8"))
    return _POOLED.read(
        home / "pooled.npz",
        lambda file, _: Pooled(file["centre"], file["spread"], file["weights"], **facts),
    )


def predict_all(
    predictions: ExperimentPredictions,
    pool: Pool,
    sets: Sets,
    moves: RecentMoves,
    trained: TrainedModels,
) -> ExperimentPredictions:
    """Add the models' answers to all questions."""
    training = np.flatnonzero(predictions.questions.of("T"))
    head = moves.sets(("head",))
    stochastic = Stochastic.fit(head.select(training), pool, sets.of("T"))
    predictions = predictions.with_system(
        STOCHASTIC, stochastic.expected(head), about=_ABOUT[STOCHASTIC]
    )
    for name, network in trained.networks.items():
        ratings = network.ratings(moves.sets(MODELS[_slug(name)]))
        predictions = predictions.with_system(
            name, network.expected(ratings), ratings, _ABOUT[name]
        )
    for name, model in trained.pooled.items():
        sides = moves.sets(trained.kinds[name])
        ratings = model.ratings(sides)
        predictions = predictions.with_system(name, model.expected(ratings), ratings, _ABOUT[name])
    return predictions


def tuned_glicko(
    pool: Pool,
    sets: Sets,
    trials: int,
    *,
    before: bool = False,
) -> Glicko2:
    """Glicko-2 with the parameters that predict the games outside all sets best.

    Args:
        pool: In order of time.
        before: Look at games alone that were played before the first of T, V and E.

    Raises:
        NoGamesError: No game was.
    """
    from yardstone.evaluation.comparison import tune
    from yardstone.ratings.systems import find_system

    outside = np.asarray(sets.mark == "")
    if before:
        end = int(np.argmax(np.isin(sets.mark, ("T", "V", "E"))))
        if not end:
            raise NoGamesError("no game was played before the sets to tune on")
        pool, outside = pool.select(np.arange(end)), outside[:end]
    tuning = tune(find_system("glicko2"), pool, trials, scored=outside)
    return cast("Glicko2", tuning.system)


def fuse_all(
    predictions: ExperimentPredictions,
    pool: Pool,
    replay: Replay,
    system: Glicko2,
    moves: RecentMoves,
    *,
    base: str = GLICKO,
) -> ExperimentPredictions:
    """Add the rows of moves and results together, from the model that predicts V best.

    Args:
        replay: Of `system`.
        base: The row of `system`.
    """
    from yardstone_lab.neubauer.fusion_rows import add_fusion

    here = predictions.questions.of("V")
    names = [name for name in (BASIC, FULL, POOLED, RANKED) if name in predictions.ratings]
    if not names or not here.any():
        return predictions
    score = predictions.score[here]
    best = max(names, key=lambda name: log_likelihood(score, predictions.expected[name][here]))
    number = np.diff(moves.starts).reshape(-1, 2)
    under = replace(
        predictions, expected={**predictions.expected, GLICKO: predictions.expected[base]}
    )
    made = add_fusion(under, pool, replay, system, best, number)[0]
    return replace(made, expected={**made.expected, GLICKO: predictions.expected[GLICKO]})
