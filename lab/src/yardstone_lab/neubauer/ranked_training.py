"""Models of strength of any kind from games of known ranks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError, UsageError
from yardstone.go.nets.network import NetworkView
from yardstone.strength.model import StrengthModel
from yardstone.strength.rank_scorer import MoveScorer
from yardstone_lab.neubauer.rank.intervals import Unseen, calibrated, unseen_players
from yardstone_lab.neubauer.rank.pool import RankPool, join_pools, pool_store
from yardstone_lab.neubauer.rank.rated import RatedSettings, RatedSides, with_rated_scale
from yardstone_lab.neubauer.rank.training import (
    RankSettings,
    TrainedRank,
    make_lift,
    train_on_pool,
)
from yardstone_lab.neubauer.scored_model import ScoredModel, pool_of
from yardstone_lab.neubauer.set_model.model import SETTINGS, train_set_model
from yardstone_lab.neubauer.set_model.sides import SetSides, StoreSides, read_sides
from yardstone_lab.neubauer.stochastic_model import train_stochastic_model

if TYPE_CHECKING:
    from yardstone.strength.rank_scorer import Lift

__all__ = ["KINDS", "RankedModel", "train_ranked_model"]

#: Kinds of model.
KINDS = ("rank", "full", "basic", "stochastic")
_FOX, _OGS = "fox", "ogs"
_FOLDS = 5

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, eq=False)
class RankedModel:
    """A trained model, and what was said of players whom it had not seen.

    Attributes
    ----------
    model : StrengthModel
    unseen : dict of str to Unseen
        For each scale that was learnt: players of each fold, by what was learnt from the others.
    """

    model: StrengthModel
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
    progress: Progress | None = None,
) -> RankedModel:
    """Train a model on sides of games, with the scales of Fox and OGS where there are such ranks.

    Parameters
    ----------
    parts : sequence of StoreSides
        Of stores made with one network (`labelled_sides` gives them).
    kind : str
        One of `KINDS`.
    base : StrengthModel, optional
        A rank model that gets the scales it has not; without it a new one is made, which
        needs groups of Fox.
    name : str
        Of the model, on its card.
    seed : int
    folder : path, optional
        Where the networks of the folds of a Set Transformer are kept, so that a training that
        was stopped goes on.
    threads : int
        Of torch.
    progress : callable, optional
        Called with how much is done, and of how much.

    Raises
    ------
    NoGamesError
        There are no sides, or a group has too few.
    UsageError
        There is nothing to begin from, the stores are of several networks, or the kind is none.
    MissingExtraError
        torch is not installed, for a Set Transformer.
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
        return _rank_model(parts, base, card, seed, progress)
    if base is not None:
        raise UsageError("only a rank model can be given another scale")
    sides = read_sides(parts, "full" if kind == "full" else "basic", progress=progress)
    if kind == "stochastic":
        return _ranked(train_stochastic_model(parts, sides, seed=seed, card=card), sides, seed)
    if folder is None:
        raise UsageError("a Set Transformer needs a folder for the networks of its folds")
    trained = train_set_model(
        sides,
        replace(SETTINGS[kind], seed=seed),
        folder=folder,
        folds=_FOLDS,
        card=card,
        threads=threads,
        report=None if progress is None else lambda number: progress(number + 1, _FOLDS + 1),
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
    progress: Progress | None,
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
        pool, rated = _pooled(parts, scale == _FOX, lift, progress)
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


def _pooled(
    parts: Sequence[StoreSides], fox: bool, lift: Lift, progress: Progress | None
) -> tuple[RankPool, RatedSides]:
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
            progress=progress,
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
