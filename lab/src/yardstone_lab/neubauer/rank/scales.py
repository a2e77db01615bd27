"""Scales of servers: how scores spread at each rank, and scales of ratings with errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError, UsageError
from yardstone.strength.evidence import PHASES
from yardstone.strength.model import StrengthModel
from yardstone.strength.model_scale import ModelScale, ScoreSpread
from yardstone.strength.rank_scorer import MoveScorer
from yardstone.strength.site_scales import EDGES, GROUP_EDGES, RANKS
from yardstone.strength.strengths import PARTS
from yardstone_lab.neubauer.rank.intervals import MODEL_PHASES, Unseen, calibrated, draw_unseen
from yardstone_lab.neubauer.rank.pool import Regression

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.rank.pool import RankPool

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = [
    "as_statistics",
    "covariances",
    "discriminant_directions",
    "fit_spread",
    "rated_spread",
    "RatedSettings",
    "RatedSides",
    "TrainedScale",
    "fit_rated_scale",
    "pooled_scores",
    "unseen_people",
    "with_rated_scale",
]

#: Covariances are shrunk so far to their diagonal.
_SHRINK = 0.05
_RIDGE, _TINY = 1e-6, 1e-12
#: Where few players have several games, the player's part of the covariance is drawn to
#: this share of what the moves of a game have in common, as if so many pairs said so.
_SHARE, _PAIRS = 0.25, 300.0
#: A typical score of a move is so large: what the file keeps as float16 is in its middle.
_SIZE = 10.0


def as_statistics(counts: NDArray[np.int64], scores: Array) -> Array:
    """Rows as `StrengthModel.game_statistics` gives them.

    Args:
        counts: int64 [s, phases].
        scores (float64 [s, phases, k]): Summed over the moves of each phase.
    """
    moves = counts.sum(axis=1, keepdims=True).astype(np.float64)
    return np.concatenate([counts, moves**2, scores.sum(axis=1)], axis=1)


def discriminant_directions(mean: Array, group: Ints, width: int) -> Array:
    """Directions in which groups lie apart most, for the scatter within them.

    Args:
        mean: float64 [s, m].
        group: int64 [s].
        width: How many.

    Returns:
        float64 [m, width]: The best first; the scatter within the groups is the same in each.
    """
    centre = np.array([mean[group == k].mean(axis=0) for k in range(len(RANKS))])
    inside = mean - centre[group]
    scatter = inside.T @ inside / len(inside)
    scatter = (1.0 - _SHRINK) * scatter + _SHRINK * np.diag(np.diag(scatter))
    scatter += _RIDGE * np.trace(scatter) / len(scatter) * np.eye(len(scatter))
    values, vectors = np.linalg.eigh(scatter)
    white = vectors / np.sqrt(values)
    _, _, right = np.linalg.svd((centre - centre.mean(axis=0)) @ white)
    directions = white @ right[:width].T
    # The first direction grows with the rank; the others have a sign of their own.
    along = (centre @ directions).T @ (np.arange(len(RANKS)) - (len(RANKS) - 1) / 2.0)
    return np.asarray(_SIZE * directions * np.where(along < 0.0, -1.0, 1.0))


def fit_spread(
    scores: Array, pool: RankPool, prior_moves: float, width: int
) -> tuple[Array, ScoreSpread]:
    """What is usual in each group, from scores of players whom their model has not seen.

    Args:
        scores (float64 [s, phases, m]): Summed scores of each side.
        pool: The sides.
        width: Directions that are kept.

    Returns:
        directions (float64 [m, width])
        spread: In those directions.
    """
    counts = pool.counts.astype(np.float64)
    moves = counts.sum(axis=1)
    mean = scores.sum(axis=1) / (moves + prior_moves)[:, None]
    directions = discriminant_directions(mean, pool.group, width)
    projected = scores @ directions
    usual = np.zeros((len(RANKS), PHASES, width))
    for group in range(len(RANKS)):
        rows = pool.group == group
        usual[group] = (
            projected[rows].sum(axis=0) / np.maximum(counts[rows].sum(axis=0), 1.0)[:, None]
        )
    some = moves > 0
    away = (projected - counts[:, :, None] * usual[pool.group])[some]
    players = np.char.add(np.char.add(pool.group.astype(str), " "), pool.player)
    players = np.where(pool.player == "", "", players)[some]
    spread = ScoreSpread(
        columns=np.arange(width, dtype=np.float64),
        knots=0.5 * (EDGES[:-1] + EDGES[1:]),
        usual=usual,
        scatter=np.ones(len(RANKS)),
        **covariances(away, counts[some], players),
        prior_moves=np.array(float(prior_moves)),
    )
    return directions, spread


def covariances(away: Array, counts: Array, players: NDArray[np.str_]) -> dict[str, Array]:
    """The three parts of the covariance of scores about what is usual: see `ScoreSpread`.

    Args:
        away (float64 [s, phases, k]): Summed scores of each side less the usual ones.
        counts (float64 [s, phases]): Moves; none of the sides is without any.
        players (str array [s]): Whose side each is; an empty name is nobody's.
    """
    move, game = _by_moves(away, counts)
    mean_away = away.sum(axis=1) / counts.sum(axis=1)[:, None]
    found_player, pairs = _by_player(mean_away, players)
    player = (pairs * found_player + _PAIRS * _SHARE * game) / (pairs + _PAIRS)
    return {"move": move, "game": _positive(game - player), "player": player}


def _positive(matrix: Array, least: float = 0.0) -> Array:
    """The nearest symmetric matrix whose eigenvalues are at least so large."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)


def _by_moves(away: Array, counts: Array) -> tuple[Array, Array]:
    """Parts of the covariance of sums that grow with the moves, and with their square.

    Moves of different phases of a game have in common what the game has; what is left
    of a whole game's variance is due to its moves.
    """
    width = away.shape[2]
    whole, moves = away.sum(axis=1), counts.sum(axis=1)
    products = whole.T @ whole
    between = products - np.einsum("spk,spl->kl", away, away)
    pairs = float((moves**2 - (counts**2).sum(axis=1)).sum())
    game = _positive(between / max(pairs, 1.0))
    move = (products - float((moves**2).sum()) * game) / float(moves.sum())
    least = 0.01 * float(np.trace(products)) / (width * float(moves.sum()))
    return _positive(move, max(least, _TINY)), game


def _by_player(away: Array, players: NDArray[np.str_]) -> tuple[Array, float]:
    """Covariance between different games of one player, and from how many pairs it is."""
    width = away.shape[1]
    named = players != ""
    away = away[named]
    _, number = np.unique(players[named], return_inverse=True)
    size = np.bincount(number)
    several = size > 1
    # A player with n games has n (n - 1) / 2 pairs, but hardly more than n - 1 facts.
    facts = float((size[several] - 1).sum())
    if facts == 0.0:
        return np.zeros((width, width)), 0.0
    total = np.zeros((len(size), width))
    np.add.at(total, number, away)
    own = np.zeros((len(size), width, width))
    np.add.at(own, number, away[:, :, None] * away[:, None, :])
    pairs = total[several, :, None] * total[several, None, :] - own[several]
    return _positive((pairs / size[several, None, None]).sum(axis=0) / facts), facts


#: Games of one player that the spread is measured on: who has many must not decide.
_MOST_GAMES = 6
#: People that a knot without any counts for.
_FEW = 1e-3
#: The scatter is measured in so many classes of players, and kept between these: where it is
#: wide, whoever plays like nobody would else be put.
_CLASSES = 6
_SCATTER = (0.7, 1.6)
#: What phases differ by is drawn so strongly to be the same at all ranks.
_BY_PHASE = 30.0


def _hat(rank: Array, knots: Array) -> Array:
    """Shares of the knots at each rank: float64 [s, n]."""
    at = np.clip(rank, knots[0], knots[-1])
    right = np.clip(np.searchsorted(knots, at), 1, len(knots) - 1)
    share = (at - knots[right - 1]) / (knots[right] - knots[right - 1])
    hat = np.zeros((len(rank), len(knots)))
    hat[np.arange(len(rank)), right - 1] = 1.0 - share
    hat[np.arange(len(rank)), right] = share
    return hat


def _usual(mean: Array, hat: Array, weight: Array, pull: Array) -> Array:
    """Mean scores at the knots [n, k]: weighted least squares with a pull on the differences.

    Args:
        mean: float64 [s, k].
        hat: float64 [s, n].
        weight: float64 [s].
        pull (float64 [d, n]): What is drawn to 0.
    """
    products = hat.T @ (hat * weight[:, None]) + pull.T @ pull
    return np.asarray(np.linalg.solve(products, hat.T @ (weight[:, None] * mean)))


def _slopes(knots: Array) -> Array:
    """Takes values at the knots to the slopes between them: float64 [n - 1, n]."""
    return np.diff(np.eye(len(knots)), axis=0) / np.diff(knots)[:, None]


def rated_spread(
    scores: Array, pool: RankPool, rank: Array, weight: Array, settings: RatedSettings
) -> ScoreSpread:
    """What players of each rank score, and how far they lie about it."""
    from scipy.optimize import isotonic_regression

    knots = np.asarray(settings.knots)
    counts = pool.counts.astype(np.float64)
    moves = counts.sum(axis=1)
    hat = _hat(rank, knots)
    mean = scores.sum(axis=1) / np.maximum(moves, 1.0)[:, None]
    slopes = np.diff(knots).mean() * _slopes(knots)
    straight = np.sqrt(settings.smooth) * np.diff(slopes, axis=0)
    whole = _usual(mean, hat, weight * (moves > 0), straight)
    people = (hat * weight[:, None]).sum(axis=0) + _FEW
    for column in (0, -1):  # the scores that grow with the rank
        whole[:, column] = isotonic_regression(whole[:, column], weights=people).x
    # As if one player at each knot had said that phases do not differ.
    alike = np.concatenate([_BY_PHASE * slopes, np.eye(len(knots))])
    usual = np.empty((len(knots), PHASES, scores.shape[2]))
    for phase in range(PHASES):
        own = counts[:, phase]
        mean = scores[:, phase] / np.maximum(own, 1.0)[:, None]
        # A phase of few moves is as the whole game is.
        share = weight * own / np.maximum(own, 1.0).mean()
        usual[:, phase] = whole + _usual(mean - hat @ whole, hat, share, alike)
    return _scattered(scores, pool, rank, usual, settings)


def _scattered(
    scores: Array, pool: RankPool, rank: Array, usual: Array, settings: RatedSettings
) -> ScoreSpread:
    knots = np.asarray(settings.knots)
    counts = pool.counts.astype(np.float64)
    moves = counts.sum(axis=1)
    random = np.random.default_rng(settings.seed)
    order = random.permutation(len(pool))
    chosen = np.array(
        [
            row
            for name in np.unique(pool.player)
            for row in order[pool.player[order] == name][:_MOST_GAMES]
        ]
    )
    chosen = chosen[moves[chosen] > 0]
    hat = _hat(rank, knots)
    away = scores - np.einsum("sn,npk,sp->spk", hat, usual, counts)
    mean = away[..., -1].sum(axis=1) / (moves + settings.prior_moves)
    _, person = np.unique(pool.player[chosen], return_inverse=True)
    number = np.bincount(person)
    square = np.bincount(person, mean[chosen] ** 2) / number
    at = np.bincount(person, rank[chosen]) / number
    classes = np.array_split(np.argsort(at, kind="stable"), _CLASSES)
    middle = np.array([at[each].mean() for each in classes])
    factor = np.array([square[each].mean() for each in classes]) / square.mean()
    scatter = np.clip(np.interp(knots, middle, factor), *_SCATTER)
    by_rank = np.sqrt(hat @ scatter)
    even = away / by_rank[:, None, None]
    parts = covariances(even[chosen], counts[chosen], pool.player[chosen])
    return ScoreSpread(
        columns=np.arange(scores.shape[2], dtype=np.float64),
        knots=knots,
        usual=usual,
        scatter=scatter,
        **parts,
        prior_moves=np.array(settings.prior_moves),
    )


#: Fewer players than this teach no scale.
_FEWEST = 30


@dataclass(frozen=True, slots=True, eq=False)
class RatedSides:
    """What is known of the players of a pool's sides."""

    rank: Array  #: [s]: when the game began, as a number: n dan is n to n + 1, 1 kyu 0 to 1.
    sure: Array  #: [s]: how much the rank counts, 0 to 1: less where it is provisional.


@dataclass(frozen=True, slots=True)
class RatedSettings:
    """How a scale is learnt."""

    ridge: float = 3.0  #: `ridge`, `by_phase`, `lifted`: of the regression (`RankSettings`).
    by_phase: float = 0.2
    lifted: float = 0.5
    prior_moves: float = 30.0  #: So many moves without a say are added to those of each side.
    #: Where groups of ranks begin, and where the last one ends; those of `GROUP_EDGES` for the
    #: scale if there are none.
    edges: tuple[float, ...] = ()
    #: Ranks at which the usual scores are kept.
    knots: tuple[float, ...] = (-30.0, -24.0, -19.0, -14.0, -10.0, -6.0, -2.0, 2.0, 6.0)
    smooth: float = 3.0  #: How strongly the usual scores are drawn to a straight line, in players.
    others: int = 1  #: How many of the model's own scores, the first ones, are read as well.
    folds: int = 5  #: Into how many the players are divided.
    games: tuple[int, ...] = (1, 2, 3)  #: Numbers of games that intervals are fitted for.
    #: Strengths near which they are fitted by themselves.
    near: tuple[float, ...] = (-26.0, -16.0, -8.0, -2.0, 5.0)
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class TrainedScale:
    """A model with a new scale, and what is said of players whom it has not seen."""

    model: StrengthModel  #: With calibrated intervals.
    #: For each of `PARTS`: players of each fold, by what was learnt from the others.
    unseen: dict[str, Unseen]
    #: [s, phases, k]: summed scores of each side: those of the model, which has not seen the
    #: players, and last the one that was learnt from the other folds.
    scores: Array
    fold: Ints  #: [s]
    scales: tuple[ModelScale, ...]  #: For each fold what was learnt from the others.
    near: tuple[float, ...]  #: Strengths near which intervals are fitted by themselves.

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

    Args:
        model: A rank model.
        pool: Sides of games by players of the server, made with the model's own lift; each player's
            name is in `RankPool.player`.
        name: Of the scale.
        about: What the card is to say of the data.

    Raises:
        UsageError: The model is no rank model, or has a scale of that name.
        NoGamesError: There are too few players.
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

    Args:
        model, pool, rated, name, settings, about: As in `with_rated_scale`; of the pool neither
            values nor lifted values are read.
        scores (float64 [s, phases, k]): Summed scores of each side, by weights that have not seen
            the players of its fold.
        fold: int64 [s].

    Raises:
        UsageError: The model has a scale of that name.
        NoGamesError: There are too few players.
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

    Args:
        pool, rated, scores, fold, settings: As in `fit_rated_scale`.
        scales: For each fold what was learnt from the others.

    Returns:
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
