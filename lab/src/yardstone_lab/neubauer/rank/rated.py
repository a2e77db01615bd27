"""A second scale for a rank model, learnt from players of another server with ratings.

The moves of these players are scored by weights of their own, for what the model looks at in a
move is the same for all: a ridge regression of the rank (`Regression`), as for the groups of
Fox. Then what players of each rank score is measured on those whom the regression has not
seen, from folds that no person is in two of. Neither scale is shifted onto the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError, UsageError
from yardstone.strength.evidence import PHASES
from yardstone.strength.model import StrengthModel
from yardstone.strength.model_scale import ModelScale
from yardstone.strength.rank_scorer import MoveScorer
from yardstone.strength.site_scales import GROUP_EDGES
from yardstone.strength.strengths import PARTS
from yardstone_lab.neubauer.rank.intervals import MODEL_PHASES, Unseen, calibrated, draw_unseen
from yardstone_lab.neubauer.rank.rated_spread import rated_spread
from yardstone_lab.neubauer.rank.regression import Regression
from yardstone_lab.neubauer.rank.spread import as_statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.rank.pool import RankPool

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = [
    "RatedSettings",
    "RatedSides",
    "TrainedScale",
    "fit_rated_scale",
    "pooled_scores",
    "unseen_people",
    "with_rated_scale",
]

#: Fewer players than this teach no scale.
_FEWEST = 30


@dataclass(frozen=True, slots=True, eq=False)
class RatedSides:
    """What is known of the players of a pool's sides.

    Attributes
    ----------
    rank : float64 [s]
        When the game began, as a number: n dan is n to n + 1, 1 kyu 0 to 1.
    sure : float64 [s]
        How much the rank counts, 0 to 1: less where it is provisional.
    """

    rank: Array
    sure: Array


@dataclass(frozen=True, slots=True)
class RatedSettings:
    """How a scale is learnt.

    Attributes
    ----------
    ridge, by_phase, lifted : float
        Of the regression (`RankSettings`).
    prior_moves : float
        So many moves without a say are added to those of each side.
    edges : tuple of float
        Where groups of ranks begin, and where the last one ends; those of `GROUP_EDGES` for
        the scale if there are none.
    knots : tuple of float
        Ranks at which the usual scores are kept.
    smooth : float
        How strongly the usual scores are drawn to a straight line, in players.
    others : int
        How many of the model's own scores, the first ones, are read as well.
    folds : int
        Into how many the players are divided.
    games : tuple of int
        Numbers of games that intervals are fitted for.
    near : tuple of float
        Strengths near which they are fitted by themselves.
    seed : int
    """

    ridge: float = 3.0
    by_phase: float = 0.2
    lifted: float = 0.5
    prior_moves: float = 30.0
    edges: tuple[float, ...] = ()
    knots: tuple[float, ...] = (-30.0, -24.0, -19.0, -14.0, -10.0, -6.0, -2.0, 2.0, 6.0)
    smooth: float = 3.0
    others: int = 1
    folds: int = 5
    games: tuple[int, ...] = (1, 2, 3)
    near: tuple[float, ...] = (-26.0, -16.0, -8.0, -2.0, 5.0)
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class TrainedScale:
    """A model with a new scale, and what is said of players whom it has not seen.

    Attributes
    ----------
    model : StrengthModel
        With calibrated intervals.
    unseen : dict of str to Unseen
        For each of `PARTS`: players of each fold, by what was learnt from the others.
    scores : float64 [s, phases, k]
        Summed scores of each side: those of the model, which has not seen the players, and
        last the one that was learnt from the other folds.
    fold : int64 [s]
    scales : tuple of ModelScale
        For each fold what was learnt from the others.
    near : tuple of float
        Strengths near which intervals are fitted by themselves.
    """

    model: StrengthModel
    unseen: dict[str, Unseen]
    scores: Array
    fold: Ints
    scales: tuple[ModelScale, ...]
    near: tuple[float, ...]

    def statistics(self, counts: Ints) -> Array:
        """Rows as `StrengthModel.game_statistics` gives them, for sides with such moves."""
        return as_statistics(counts, self.scores)


def with_rated_scale(
    model: StrengthModel,
    pool: RankPool,
    rated: RatedSides,
    name: str,
    settings: RatedSettings,
    about: Mapping[str, Any] | None = None,
) -> TrainedScale:
    """A rank model with one scale more.

    Parameters
    ----------
    model : StrengthModel
        A rank model.
    pool : RankPool
        Sides of games by players of the server, made with the model's own lift; each
        player's name is in `RankPool.player`.
    rated : RatedSides
    name : str
        Of the scale.
    settings : RatedSettings
    about : mapping, optional
        What the card is to say of the data.

    Raises
    ------
    UsageError
        The model is no rank model, or has a scale of that name.
    NoGamesError
        There are too few players.
    """
    if not isinstance(model.scorer, MoveScorer):
        raise UsageError("only a rank model can be given another scale")
    people, person = _people(model, pool, name)
    random = np.random.default_rng(settings.seed)
    fold = (random.permutation(len(people)) % settings.folds)[person]
    regression = Regression(
        pool,
        model.scorer.lift,
        settings.prior_moves,
        rated.rank[:, None],
        _weight(rated, person),
    )
    parts = [regression.moments(fold == k) for k in range(settings.folds)]
    gram = np.sum([part[0] for part in parts], axis=0)
    cross = np.sum([part[1] for part in parts], axis=0)

    def solved(without: int | None) -> Any:
        own = (0.0, 0.0) if without is None else parts[without]
        return regression.solve(
            gram - own[0],
            cross - own[1],
            ridge=settings.ridge,
            by_phase=settings.by_phase,
            lifted=settings.lifted,
        )

    own = model.scorer.width
    scores = np.empty((len(pool), PHASES, own + 1))
    scores[..., :own] = pooled_scores(model.scorer, pool)
    for k in range(settings.folds):
        rows = fold == k
        scores[rows, :, own:] = regression.phase_scores(solved(k), rows)
    scorer = _joined(model.scorer, regression.scorer(solved(None), np.eye(1)))
    whole = StrengthModel(scorer, list(model.scales.values()), model.card)
    return fit_rated_scale(whole, pool, rated, name, settings, scores, fold, about)


def fit_rated_scale(
    model: StrengthModel,
    pool: RankPool,
    rated: RatedSides,
    name: str,
    settings: RatedSettings,
    scores: Array,
    fold: Ints,
    about: Mapping[str, Any] | None = None,
) -> TrainedScale:
    """A model of any kind with one scale more, which reads its last score.

    Parameters
    ----------
    model, pool, rated, name, settings, about
        As in `with_rated_scale`; of the pool neither values nor lifted values are read.
    scores : float64 [s, phases, k]
        Summed scores of each side, by weights that have not seen the players of its fold.
    fold : int64 [s]

    Raises
    ------
    UsageError
        The model has a scale of that name.
    NoGamesError
        There are too few players.
    """
    _, person = _people(model, pool, name)
    if not settings.edges:
        settings = replace(settings, edges=tuple(GROUP_EDGES[name].tolist()))
    weight = _weight(rated, person)
    group = _groups(rated.rank, person, np.asarray(settings.edges))
    columns = np.array([*range(settings.others), model.scorer.width - 1], np.float64)

    def scale(rows: NDArray[np.bool_]) -> ModelScale:
        read = scores[rows][..., columns.astype(np.int64)]
        spread = replace(
            rated_spread(read, pool.select(rows), rated.rank[rows], weight[rows], settings),
            columns=columns,
        )
        return ModelScale(name, np.array(settings.edges), _prior(group, person, settings), spread)

    every = np.ones(len(pool), bool)
    card = {**model.card, "rated": {**(model.card.get("rated") or {}), name: dict(about or {})}}
    whole = StrengthModel(model.scorer, [*model.scales.values(), scale(every)], card)
    scales = tuple(scale(fold != k) for k in range(settings.folds))
    unseen = unseen_people(pool, rated, scores, fold, scales, settings)
    fitted = calibrated(whole, name, unseen, settings.near)
    return TrainedScale(fitted, unseen, scores, fold, scales, settings.near)


def _people(
    model: StrengthModel, pool: RankPool, name: str
) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """The players of a new scale, and the number of each side's."""
    if name in model.scales:
        raise UsageError(f"the model has a scale {name!r}")
    people, person = np.unique(pool.player, return_inverse=True)
    if len(people) < _FEWEST:
        raise NoGamesError(f"{len(people)} players are too few to learn a scale: {_FEWEST} or more")
    return people, person


def _weight(rated: RatedSides, person: NDArray[np.intp]) -> Array:
    """How much each side counts: less for each of those who have many."""
    weight = rated.sure / np.sqrt(np.bincount(person))[person]
    return np.asarray(weight / weight.mean())


def pooled_scores(scorer: MoveScorer, pool: RankPool) -> Array:
    """Summed scores of a pool's sides by phase: float64 [s, phases, k]."""
    scores = np.einsum("spv,pvk->spk", pool.values, scorer.linear, optimize=True)
    scores = scores + pool.lifted @ scorer.lifted
    return np.asarray(scores - pool.counts[..., None] * scorer.centre[pool.colour - 1], np.float64)


def _joined(one: MoveScorer, more: MoveScorer) -> MoveScorer:
    """A scorer with the scores of two that share a lift."""
    return MoveScorer(
        one.lift,
        np.concatenate([one.linear, more.linear], axis=2),
        np.concatenate([one.lifted, more.lifted], axis=1),
        np.concatenate([one.centre, more.centre], axis=2),
    )


def _groups(rank: Array, person: Ints, edges: Array) -> Ints:
    """The group of each side's player, by the mean of the player's ranks."""
    mean = np.bincount(person, rank) / np.bincount(person)
    place = np.searchsorted(edges, mean, side="right") - 1
    return np.asarray(np.clip(place, 0, len(edges) - 2)[person], np.int64)


def _prior(group: Ints, person: Ints, settings: RatedSettings) -> Array:
    """Probabilities of the groups: as many as have played, and one more."""
    _, first = np.unique(person, return_index=True)
    people = np.bincount(group[first], minlength=len(settings.edges) - 1) + 1.0
    return np.asarray(people / people.sum())


def unseen_people(
    pool: RankPool,
    rated: RatedSides,
    scores: Array,
    fold: Ints,
    scales: Sequence[ModelScale],
    settings: RatedSettings,
) -> dict[str, Unseen]:
    """Estimates of the players of each fold, by what was learnt from the other folds.

    Parameters
    ----------
    pool, rated, scores, fold, settings
        As in `fit_rated_scale`.
    scales : sequence of ModelScale
        For each fold what was learnt from the others.

    Returns
    -------
    dict of str to Unseen
        For each of `PARTS`.
    """
    _, person = np.unique(pool.player, return_inverse=True)
    group = _groups(rated.rank, person, scales[0].edges)
    sure = rated.sure >= 1.0
    mean_rank = (np.bincount(person, rated.rank) / np.bincount(person))[person]
    unseen: dict[str, Unseen] = {}
    for part in PARTS:
        phases = MODEL_PHASES.get(part, list(range(PHASES)))
        keep = np.isin(np.arange(PHASES), phases)
        statistics = as_statistics(pool.counts * keep, scores * keep[:, None])
        random = np.random.default_rng(settings.seed)
        unseen[part] = Unseen.joined(
            [
                draw_unseen(
                    scales[k],
                    statistics[rows],
                    group[rows],
                    person[rows].astype(np.int64),
                    fold[rows].astype(np.int64),
                    strengths=mean_rank[rows],
                    games=settings.games,
                    draws=3,
                    random=random,
                )
                for k in range(len(scales))
                for rows in [np.flatnonzero((fold == k) & sure)]
                if len(rows)
            ]
        )
    return unseen
