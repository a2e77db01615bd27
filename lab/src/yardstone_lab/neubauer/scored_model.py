"""Models that score a side's moves and read its rank from the score: their training."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.nets.network import NetworkView
from yardstone.parallel import Track
from yardstone.strength.evidence import PHASES, evidence_of_store, phases_of
from yardstone.strength.model import StrengthModel
from yardstone.strength.model_scale import ModelScale
from yardstone.strength.rank_scorer import MoveScorer
from yardstone.strength.scorers import LossScorer, loss_moments
from yardstone.strength.set_scorer import SetScorer, shares_of_moves
from yardstone.strength.set_transformer import PackedMoves
from yardstone.strength.site_scales import EDGES, RANKS
from yardstone_lab.neubauer.network.strength_network import SMALL, Hyperparameters
from yardstone_lab.neubauer.rank.intervals import Unseen, calibrated, unseen_players, with_intervals
from yardstone_lab.neubauer.rank.pool import RankPool, join_pools, pool_store
from yardstone_lab.neubauer.rank.scales import (
    RatedSettings,
    RatedSides,
    TrainedScale,
    discriminant_directions,
    fit_rated_scale,
    fit_spread,
    with_rated_scale,
)
from yardstone_lab.neubauer.rank.training import (
    OutOfFold,
    RankSettings,
    TrainedRank,
    make_lift,
    train_on_pool,
)
from yardstone_lab.neubauer.sides import BANDS, SetSides, StoreSides, read_sides

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.model_scale import ScoreSpread
    from yardstone.strength.rank_scorer import Lift
    from yardstone.strength.scorers import Scorer

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Arrays = dict[str, NDArray[np.float32]]

__all__ = [
    "ScoredModel",
    "model_of_scores",
    "pool_of",
    "summed_losses",
    "train_stochastic_model",
    "SETTINGS",
    "train_set_model",
    "KINDS",
    "RankedModel",
    "train_ranked_model",
]

#: So many moves without a say are added to those of each side.
_PRIOR_MOVES = 30.0
#: The regression of the OGS rank, and the size of its score, as of those of the groups.
_RIDGE, _SIZE = 1e-2, 10.0


@dataclass(frozen=True, slots=True, eq=False)
class ScoredModel:
    """A model, and what is said of players whom its scorer has not seen."""

    #: With the scale of Fox, and that of OGS if there were sides of OGS; its scores are `width` for
    #: the groups of Fox, and then one for the ranks of OGS.
    model: StrengthModel
    fold: Ints  #: [s]: the fold of each side: its scorer has seen the other folds alone.
    #: The scores of the sides of Fox, by the scorers of their folds, with the models to judge them
    #: by.
    fox: OutOfFold
    #: The scale of OGS, with the scores of the sides of OGS in the same way.
    ogs: TrainedScale | None


def model_of_scores(
    sides: SetSides,
    outside: Array,
    fold: Ints,
    scorer: Callable[[Array], Scorer],
    about: Mapping[str, Any],
    *,
    seed: int,
    width: int = 3,
    weak: float | None = None,
) -> ScoredModel:
    """A model with the scales of Fox and, if there are sides of OGS, of OGS.

    Args:
        sides: Those of Fox groups, and perhaps some with OGS ranks.
        outside (float64 [s, phases, m]): Summed scores of each side, by a scorer that has not seen
            its player.
        fold (int64 [s]): The fold of each side.
        scorer: Takes directions [m, k] of such scores, gives a scorer with k scores along them.
        about: The card.
        seed: Of the games that are drawn for intervals.
        width: Directions for the groups of Fox.
        weak: People of lower OGS ranks than this stand with the weakest group of Fox when
            directions are chosen, though not in what is usual there: along them the weak are weak
            on either scale.
    """
    fox, ogs = np.flatnonzero(sides.fox), np.flatnonzero(~sides.fox)
    pool = pool_of(sides, fox)
    width, folds = min(width, outside.shape[2]), int(fold.max()) + 1
    mean = outside.sum(axis=1) / (sides.counts.sum(axis=1) + _PRIOR_MOVES)[:, None]

    def directions(without: int | None) -> tuple[Array, ScoreSpread]:
        own, people = fold[fox] != without, ogs[fold[ogs] != without]
        basis, scores = np.eye(outside.shape[2]), outside[fox][own]
        if weak is not None:
            members = np.concatenate([fox[own], people[sides.rank[people] < weak]])
            group = np.maximum(sides.group[members], 0)
            basis = discriminant_directions(mean[members], group, width)
        turned, spread = fit_spread(scores @ basis, pool.select(own), _PRIOR_MOVES, width)
        basis = basis @ turned
        if len(ogs):
            along = _rank_direction(mean[people], sides.select(people))
            basis = np.concatenate([basis, along], axis=1)
        return basis, spread

    whole, spread = directions(None)
    scored = scorer(whole)
    scores = np.zeros((len(sides), PHASES, whole.shape[1]))
    models = []
    for number in range(folds):
        along, own_spread = directions(number)
        rows = np.flatnonzero(fold == number)
        scores[rows] = outside[rows] @ along
        models.append(StrengthModel(scored, [_fox_scale(own_spread)], about))
    held_out = OutOfFold(pool.counts, scores[fox], fold[fox], tuple(models))
    model = StrengthModel(scored, [_fox_scale(spread)], about)
    model = with_intervals(TrainedRank(model, held_out), pool, seed)
    if not len(ogs):
        return ScoredModel(model, fold, held_out, None)
    rated = fit_rated_scale(
        model,
        pool_of(sides, ogs),
        RatedSides(sides.rank[ogs], sides.sure[ogs]),
        "ogs",
        RatedSettings(folds=folds, seed=seed),
        scores[ogs],
        fold[ogs],
    )
    return ScoredModel(rated.model, fold, held_out, rated)


def pool_of(sides: SetSides, rows: Ints) -> RankPool:
    """Some of the sides, without what a rank model sees of their moves."""
    nothing = np.zeros((len(rows), PHASES, 0), np.float32)
    return RankPool(
        values=nothing,
        lifted=nothing,
        counts=sides.counts[rows],
        group=sides.group[rows],
        game=sides.game[rows],
        colour=sides.colour[rows],
        player=sides.player[rows],
        opponent=sides.opponent[rows],
        year=np.zeros(len(rows), np.int64),
    )


def _fox_scale(spread: ScoreSpread) -> ModelScale:
    return ModelScale("fox", EDGES, np.full(len(RANKS), 1.0 / len(RANKS)), spread)


def _rank_direction(mean: Array, sides: SetSides) -> Array:
    """The direction in which OGS ranks grow: [m, 1]."""
    _, person = np.unique(sides.player, return_inverse=True)
    weight = sides.sure / np.sqrt(np.bincount(person))[person]
    weight /= weight.sum()
    away = mean - weight @ mean
    products = away.T @ (away * weight[:, None])
    products += _RIDGE * np.trace(products) / len(products) * np.eye(len(products))
    slope = np.linalg.solve(products, away.T @ (weight * (sides.rank - weight @ sides.rank)))
    left = sides.rank - sides.rank.mean() - away @ slope
    return np.asarray(_SIZE * slope / np.sqrt(weight @ left**2))[:, None]


_GAMES = 40


def summed_losses(parts: Sequence[StoreSides]) -> Array:
    """Points lost and their squares, summed over the moves of each phase: [s, phases, 2]."""
    sums = []
    for part in parts:
        pairs = list(zip(part.game.tolist(), part.colour.tolist(), strict=True))
        for start in range(0, len(pairs), _GAMES):
            few = pairs[start : start + _GAMES]
            evidence = evidence_of_store(part.store, few)
            each = np.zeros((len(few), PHASES, 2))
            place = (evidence.game, phases_of(evidence.number))
            np.add.at(each, place, loss_moments(evidence))
            sums.append(each)
    return np.concatenate(sums)


def train_stochastic_model(
    parts: Sequence[StoreSides],
    sides: SetSides,
    *,
    folds: int = 5,
    seed: int = 0,
    card: Mapping[str, Any] | None = None,
) -> ScoredModel:
    """What losses are usual at each rank, of the sides of some stores.

    Args:
        sides: The same sides, read by `read_sides`.
        folds, seed: Of the players.
        card: What the model is to say of itself.
    """
    fold = sides.folds(folds, seed)
    about = {"folds": folds, **(card or {})}
    return model_of_scores(sides, summed_losses(parts), fold, LossScorer, about, seed=seed)


#: How the models that come with Yardstone were trained, by what they see of a move.
SETTINGS: Mapping[str, Hyperparameters] = {
    "full": replace(
        SMALL,
        learning_rate=3e-3,
        regularisation=1.0,
        depth=1,
        width=32,
        query_width=32,
        inducing_points=16,
        batch=80,
        steps=100,
        epochs=9,
        sample=48,
        dropout=0.25,
        averaging=0.995,
    ),
    "basic": replace(
        SMALL,
        learning_rate=3e-3,
        regularisation=1.0,
        depth=1,
        width=32,
        query_width=16,
        inducing_points=8,
        batch=80,
        steps=100,
        epochs=9,
        sample=48,
        dropout=0.15,
        averaging=0.995,
    ),
}
#: Directions for the groups of Fox, and below which OGS rank people are surely weaker than
#: those groups (`model_of_scores`).
_FOX_SCALE, _WEAK = 2, -12.0
#: Sides that the usual is taken from.
_USUAL = 2000
#: Sides looked at together.
_TOGETHER = 64
_NAME = "usual"
_KEPT = ArrayFile("network of a fold", text="about", hint="remove it to train the fold anew")


def train_set_model(
    sides: SetSides,
    settings: Hyperparameters | None = None,
    *,
    folder: str | os.PathLike[str],
    folds: int = 5,
    card: Mapping[str, Any] | None = None,
    threads: int = 1,
    report: Callable[[int], object] | None = None,
) -> ScoredModel:
    """Train a model of sets on sides of games whose players' ranks are known.

    Args:
        sides: `read_sides` gives them.
        settings: `SETTINGS` for what the sides show of a move, if not given.
        folder: Where the network of each fold is kept, so that a training that was stopped goes on;
            with other settings or sides they are trained anew.
        folds: Into how many the players are divided.
        card: What the model is to say of itself.
        threads: Of torch.
        report: Called with the number of each fold when it is done, and with `folds` at the end.

    Raises:
        MissingExtraError: torch is not installed.
        NoGamesError: There are no Fox games.
    """
    chosen = SETTINGS[sides.inputs] if settings is None else settings
    if not sides.fox.any():
        raise NoGamesError("there are no games of Fox groups to learn from")
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    fold = sides.folds(folds, chosen.seed)
    outside = np.zeros((len(sides), PHASES, len(RANKS) + len(BANDS)))
    for number in range(folds):
        arrays, usual = _kept(home / f"fold_{number}.npz", sides, fold != number, chosen, threads)
        rows = np.flatnonzero(fold == number)
        outside[rows] = _by_phase(sides.select(rows), arrays, usual)
        if report is not None:
            report(number)
    everybody = np.ones(len(sides), bool)
    arrays, usual = _kept(home / "all.npz", sides, everybody, chosen, threads)
    if report is not None:
        report(folds)

    def scorer(directions: Array) -> SetScorer:
        return SetScorer(_along(arrays, directions), sides.mean, sides.deviation, usual)

    about = {"folds": folds, "settings": chosen.as_dict(), **(card or {})}
    return model_of_scores(
        sides,
        outside @ _centring(),
        fold,
        scorer,
        about,
        seed=chosen.seed,
        width=_FOX_SCALE,
        weak=_WEAK,
    )


def _along(arrays: Arrays, directions: Array) -> Arrays:
    """The network whose outputs are those of another along some directions."""
    rate = (_centring() @ directions).T @ arrays["rate.weight"].astype(np.float64)
    network = {**arrays, "rate.weight": rate.astype(np.float32)}
    # The weights have the precision that they are kept in.
    return {k: v.astype(np.float16).astype(np.float32) for k, v in network.items()}


def _by_phase(sides: SetSides, arrays: Arrays, usual: NDArray[np.float32]) -> Array:
    """What a network says of sides, summed over the moves of each phase: [s, phases, outputs]."""
    sums = np.zeros((len(sides), PHASES, len(arrays["rate.weight"])))
    for number in range(0, len(sides), _TOGETHER):
        few = sides.select(np.arange(number, min(number + _TOGETHER, len(sides))))
        rows = few.moves.features[few.moves.rows].astype(np.float32)
        packed = PackedMoves(rows, np.arange(len(rows)), few.moves.starts)
        shares = shares_of_moves(arrays, usual, packed)
        side = np.repeat(np.arange(len(few)), packed.lengths())
        phase = np.concatenate(
            [np.empty(0, np.int64), *(np.repeat(np.arange(PHASES), n) for n in few.counts)]
        )
        np.add.at(sums, (number + side, phase), shares)
    return sums


def _centring() -> Array:
    """Takes the mean off the numbers of either scale: a constant there says nothing."""
    groups, bands = len(RANKS), len(BANDS)
    centring = np.eye(groups + bands)
    centring[:groups, :groups] -= 1.0 / groups
    centring[groups:, groups:] -= 1.0 / bands
    return centring


def _kept(
    path: Path,
    sides: SetSides,
    rows: NDArray[np.bool_],
    settings: Hyperparameters,
    threads: int,
) -> tuple[Arrays, NDArray[np.float32]]:
    """The network of a fold and what is usual of it, from its file if it is there."""
    from yardstone_lab.neubauer.set_training import train_arrays, usual_attended

    digest = hashlib.sha256(json.dumps(settings.as_dict(), sort_keys=True).encode())
    for array in (rows, sides.moves.starts, sides.group, sides.rank, sides.moves.features[::97]):
        digest.update(np.ascontiguousarray(array).tobytes())
    mark = digest.hexdigest()
    if path.exists():
        try:
            return _KEPT.read(path, lambda stored, about: _same(stored, about, mark))
        except InputError:
            pass  # of another training, or damaged: it is made anew
    arrays = train_arrays(sides, rows, settings, threads=threads)
    chosen = np.flatnonzero(rows)
    some = sides.select(chosen[:: max(len(chosen) // _USUAL, 1)])
    usual = usual_attended(some, arrays, settings).astype(np.float16).astype(np.float32)
    _KEPT.write(path, {**arrays, _NAME: usual}, {"fingerprint": mark})
    return arrays, usual


def _same(
    stored: Mapping[str, NDArray[Any]], about: Mapping[str, Any], mark: str
) -> tuple[Arrays, NDArray[np.float32]]:
    if about["fingerprint"] != mark:
        raise ValueError("another training")
    arrays = {name: np.asarray(stored[name], np.float32) for name in stored}
    return arrays, arrays.pop(_NAME)


#: Kinds of model.
KINDS = ("rank", "full", "basic", "stochastic")
_FOX, _OGS = "fox", "ogs"
_FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class RankedModel:
    """A trained model, and what was said of players whom it had not seen."""

    model: StrengthModel
    #: For each scale that was learnt: players of each fold, by what was learnt from the others.
    unseen: dict[str, Unseen]


def train_ranked_model(
    parts: Sequence[StoreSides],
    kind: str = "rank",
    *,
    base: StrengthModel | None = None,
    name: str = "rank-model",
    seed: int = 0,
    folder: str | os.PathLike[str] | None = None,
    threads: int = 1,
) -> RankedModel:
    """Train a model on sides of games, with the scales of Fox and OGS where there are such ranks.

    Args:
        parts: Of stores made with one network (`labelled_sides` gives them).
        kind: One of `KINDS`.
        base: A rank model that gets the scales it has not; without it a new one is made, which
            needs groups of Fox.
        name: Of the model, on its card.
        folder: Where the networks of the folds of a Set Transformer are kept, so that a training
            that was stopped goes on.
        threads: Of torch.

    Raises:
        NoGamesError: There are no sides, or a group has too few.
        UsageError: There is nothing to begin from, the stores are of several networks, or the kind
            is none.
        MissingExtraError: torch is not installed, for a Set Transformer.
    """
    if kind not in KINDS:
        raise UsageError(f"no kind of model is called {kind!r}: {', '.join(KINDS)}")
    if not parts:
        raise NoGamesError("there are no games to learn from")
    views = {NetworkView.of(part.store.settings) for part in parts}
    if len(views) > 1 or (base is not None and views != {NetworkView.of(base.card)}):
        raise UsageError(
            "the stores and the model are not all of one network and number of symmetries"
        )
    if base is None and not any((part.group >= 0).any() for part in parts):
        raise UsageError(
            "a new model learns from rank groups of fox first: give such games, or name the rank "
            "model to begin from (--from rank)"
        )
    card = {"name": name, **views.pop().card()}
    if kind == "rank":
        return _rank_model(parts, base, card, seed)
    if base is not None:
        raise UsageError("only a rank model can be given another scale")
    sides = read_sides(parts, "full" if kind == "full" else "basic")
    if kind == "stochastic":
        return _ranked(train_stochastic_model(parts, sides, seed=seed, card=card), sides, seed)
    if folder is None:
        raise UsageError("a Set Transformer needs a folder for the networks of its folds")
    with Track("learning", _FOLDS + 1) as track:
        trained = train_set_model(
            sides,
            replace(SETTINGS[kind], seed=seed),
            folder=folder,
            folds=_FOLDS,
            card=card,
            threads=threads,
            report=lambda number: track(number + 1),
        )
    return _ranked(trained, sides, seed)


def _ranked(trained: ScoredModel, sides: SetSides, seed: int) -> RankedModel:
    pool = pool_of(sides, np.flatnonzero(sides.fox))
    known = TrainedRank(trained.model, trained.fox)
    unseen = {_FOX: unseen_players(known, pool, np.random.default_rng(seed))["whole"]}
    if trained.ogs is not None:
        unseen[_OGS] = trained.ogs.unseen["whole"]
    return RankedModel(trained.model, unseen)


def _rank_model(
    parts: Sequence[StoreSides],
    base: StrengthModel | None,
    card: Mapping[str, Any],
    seed: int,
) -> RankedModel:
    """A rank model, or a given one with the scales that it has not."""
    if base is not None and not isinstance(base.scorer, MoveScorer):
        raise UsageError("only a rank model can be given another scale")
    settings = RankSettings(seed=seed)
    lift = (
        base.scorer.lift
        if base is not None and isinstance(base.scorer, MoveScorer)
        else make_lift(parts[0].store, settings)
    )
    model, unseen = base, dict[str, Unseen]()
    for scale in (_FOX, _OGS):
        if not any(((part.group >= 0) == (scale == _FOX)).any() for part in parts):
            continue
        if model is not None and scale in model.scales:
            raise UsageError(f"the model has a scale {scale!r}: train a new one")
        pool, rated = _pooled(parts, scale == _FOX, lift)
        if model is None:
            trained = train_on_pool(pool, lift, settings, card)
            by_part = unseen_players(trained, pool, np.random.default_rng(seed))
            model = calibrated(trained.model, scale, by_part)
        else:
            chosen = RatedSettings(seed=seed)
            learnt = with_rated_scale(model, pool, rated, scale, chosen)
            model, by_part = learnt.model, learnt.unseen
        unseen[scale] = by_part["whole"]
    assert model is not None
    return RankedModel(model, unseen)


def _pooled(parts: Sequence[StoreSides], fox: bool, lift: Lift) -> tuple[RankPool, RatedSides]:
    """The sides of one scale, as a rank model learns from them."""
    pools, ranks, sure = [], [], []
    for part in parts:
        rows = np.flatnonzero((part.group >= 0) == fox)
        if not len(rows):
            continue
        store = part.store
        sides = np.zeros((len(store), 2), bool)
        names = np.column_stack([store.games["black"], store.games["white"]]).astype(object)
        sides[part.game[rows], part.colour[rows] - 1] = True
        names[part.game[rows], part.colour[rows] - 1] = part.player[rows]
        pool = pool_store(
            store,
            np.zeros(len(store), np.int64),
            lift,
            sides=sides,
            players=names.astype(str),
        )
        place = {
            (int(g), int(c)): row
            for row, g, c in zip(rows, part.game[rows], part.colour[rows], strict=True)
        }
        own = [place[int(g), int(c)] for g, c in zip(pool.game, pool.colour, strict=True)]
        pools.append(replace(pool, group=np.maximum(part.group[own], 0)))
        ranks.append(part.rank[own])
        sure.append(part.sure[own])
    return join_pools(pools), RatedSides(np.concatenate(ranks), np.concatenate(sure))
