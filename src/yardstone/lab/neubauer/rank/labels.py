"""A table of ranks: who had which rank in which game of a store of features.

A row is a side of a game: ``file`` (as the store has it, or the end of that path), ``colour``,
``rank`` (``12k``, ``3d``, or a number such that n dan is n to n + 1 and 1 kyu 0 to 1), ``scale``
(``fox``, of which the rank groups are learnt, or another one, of which the ranks are), and, if
they are known better than the records say, ``player`` and ``sure`` (0 to 1: less where the rank
is provisional).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.points import BLACK, WHITE
from yardstone.lab.neubauer.rank.intervals import Unseen, calibrated, unseen_players
from yardstone.lab.neubauer.rank.pool import join_pools, pool_store
from yardstone.lab.neubauer.rank.rated import RatedSettings, RatedSides, with_rated_scale
from yardstone.lab.neubauer.rank.training import RankSettings, make_lift, train_on_pool
from yardstone.pool import Skipped, SkipReport
from yardstone.scales import fox_of_grade
from yardstone.strength.csv_table import csv_rows
from yardstone.strength.model import StrengthModel
from yardstone.strength.rank.ranks import EDGES, GROUP_EDGES
from yardstone.strength.rank.scorer import MoveScorer
from yardstone.winprob.grades import parse_grade

if TYPE_CHECKING:
    from yardstone.go.feature_store import FeatureStore
    from yardstone.lab.neubauer.rank.pool import RankPool
    from yardstone.strength.rank.lift import Lift

__all__ = ["LabelledModel", "RankLabel", "read_rank_labels", "train_on_labels"]

_FOX = "fox"
_HINT = "the first line names the columns: file,colour,rank,scale"
_COLOURS = {"black": BLACK, "white": WHITE, "b": BLACK, "w": WHITE}
#: Ranks further out than this are none.
_WEAKEST, _STRONGEST = -40.0, 12.0


@dataclass(frozen=True, slots=True)
class RankLabel:
    """The rank of one side of a game.

    Attributes
    ----------
    file : str
    colour : int
        1 Black, 2 White.
    rank : float
        n dan is n to n + 1, 1 kyu 0 to 1; a rank by its name is the middle of its stretch.
    scale : str
    player : str
        Empty where the record knows.
    sure : float
        0 to 1.
    """

    file: str
    colour: int
    rank: float
    scale: str
    player: str = ""
    sure: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class LabelledModel:
    """A trained model, and what was said of players whom it had not seen.

    Attributes
    ----------
    model : StrengthModel
    unseen : dict of str to Unseen
        For each scale that was learnt: players of each fold, by what was learnt from the others.
    """

    model: StrengthModel
    unseen: dict[str, Unseen]


def read_rank_labels(
    path: str | os.PathLike[str], skipped: SkipReport | None = None
) -> list[RankLabel]:
    """Read a table of ranks.

    Parameters
    ----------
    path : path
        CSV, with commas, semicolons or tabs.
    skipped : SkipReport, optional
        Takes the rows that cannot be used.

    Raises
    ------
    InputError
        The file cannot be read, or lacks a column.
    NoGamesError
        There is no rank in it.
    """
    report = SkipReport() if skipped is None else skipped
    labels = []
    for line, row in csv_rows(path, ("file", "colour", "rank", "scale"), _HINT):
        try:
            labels.append(_label(row))
        except ValueError as error:
            report.add(Skipped(os.fspath(path), line, str(error)))
    if not labels:
        raise NoGamesError("there is no rank in it", file=os.fspath(path), hint=_HINT)
    return labels


def _label(row: dict[str, str]) -> RankLabel:
    """One row; ValueError with the reason if it cannot be used."""
    colour = _COLOURS.get(row["colour"].lower())
    if colour is None:
        raise ValueError("the colour is neither black nor white")
    if not row["file"] or row["scale"] not in GROUP_EDGES:
        raise ValueError(f"there is no file, or the scale is none of {', '.join(GROUP_EDGES)}")
    sure = row.get("sure") or "1"
    try:
        share = float(sure)
    except ValueError:
        share = -1.0
    if not 0.0 < share <= 1.0:
        raise ValueError("sure is not above 0 and at most 1")
    return RankLabel(
        row["file"], colour, _rank(row["rank"]), row["scale"], row.get("player", ""), share
    )


def _rank(text: str) -> float:
    try:
        rank = float(text)
    except ValueError:
        try:
            rank = float(fox_of_grade(parse_grade(text)))
        except InputError:
            raise ValueError("the rank is neither a rank nor a number") from None
    if not _WEAKEST <= rank <= _STRONGEST:
        raise ValueError("there is no such rank")
    return rank


def train_on_labels(
    stores: Sequence[FeatureStore],
    labels: Sequence[RankLabel],
    *,
    base: StrengthModel | None = None,
    name: str = "rank-model",
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> LabelledModel:
    """Train a rank model on the games of some stores, with all the scales that are labelled.

    Parameters
    ----------
    stores : sequence of FeatureStore
        All made with one network.
    labels : sequence of RankLabel
    base : StrengthModel, optional
        A rank model that gets the scales it has not; without it a new one is made, which
        needs labels of ``fox``.
    name : str
        Of the model, on its card.
    seed : int
    progress : callable, optional
        Called with the number of sides that are read, and of all in a store.

    Raises
    ------
    NoGamesError
        No game of the stores has a label, or a group has too few.
    UsageError
        There is nothing to begin from, or the stores are of another network.
    """
    if not stores:
        raise NoGamesError("there are no games to learn from")
    networks = {str(store.settings["sha256"]) for store in stores}
    if len(networks) > 1 or (base is not None and networks != {base.card["sha256"]}):
        raise UsageError("the stores and the model are not all of one network")
    wanted = [scale for scale in GROUP_EDGES if any(each.scale == scale for each in labels)]
    model = base
    if model is None and _FOX not in wanted:
        raise UsageError(
            "a new model learns from rank groups of fox first: give such games, or name the "
            "model to begin from (--from rank)"
        )
    if model is not None and not isinstance(model.scorer, MoveScorer):
        raise UsageError("only a rank model can be given another scale")
    settings = RankSettings(seed=seed)
    unseen: dict[str, Unseen] = {}
    scorer = None if model is None else model.scorer
    lift = scorer.lift if isinstance(scorer, MoveScorer) else make_lift(stores[0], settings)
    for scale in wanted:
        if model is not None and scale in model.scales:
            raise UsageError(f"the model has a scale {scale!r}: train a new one")
        pool, rated = _labelled(
            stores, [each for each in labels if each.scale == scale], lift, progress
        )
        if model is None:
            card = {
                "name": name,
                "network": str(stores[0].settings["network"]),
                "sha256": networks.copy().pop(),
            }
            trained = train_on_pool(pool, lift, settings, card)
            parts = unseen_players(trained, pool, np.random.default_rng(seed))
            model = calibrated(trained.model, scale, parts)
        else:
            chosen = RatedSettings(edges=tuple(GROUP_EDGES[scale].tolist()), seed=seed)
            learnt = with_rated_scale(model, pool, rated, scale, chosen)
            model, parts = learnt.model, learnt.unseen
        unseen[scale] = parts["whole"]
    assert model is not None
    return LabelledModel(model, unseen)


def _labelled(
    stores: Sequence[FeatureStore],
    labels: Sequence[RankLabel],
    lift: Lift,
    progress: Callable[[int, int], object] | None,
) -> tuple[RankPool, RatedSides]:
    """The sides of all stores that have a label of one scale."""
    depth = {len(PurePath(each.file).parts) for each in labels}
    by_key = {(_end(each.file, 0), each.colour): each for each in labels}
    pools, ranks, sure = [], [], []
    for store in stores:
        found: dict[tuple[int, int], RankLabel] = {}
        for game, file in enumerate(store.games["file"]):
            for colour in (BLACK, WHITE):
                keys = ((_end(file, number), colour) for number in depth)
                label = next((by_key[key] for key in keys if key in by_key), None)
                if label is not None:
                    found[game, colour] = label
        if not found:
            continue
        sides = np.zeros((len(store), 2), bool)
        names = np.column_stack([store.games["black"], store.games["white"]]).astype(object)
        for (game, colour), label in found.items():
            sides[game, colour - 1] = True
            names[game, colour - 1] = label.player or names[game, colour - 1]
        pool = pool_store(
            store,
            np.zeros(len(store), np.int64),
            lift,
            sides=sides,
            players=names.astype(str),
            progress=progress,
        )
        own = [found[int(g), int(c)] for g, c in zip(pool.game, pool.colour, strict=True)]
        pools.append(pool)
        ranks += [each.rank for each in own]
        sure += [each.sure for each in own]
    if not pools:
        raise NoGamesError("no game of the stores has a rank in the table")
    whole = join_pools(pools)
    rank = np.array(ranks)
    group = np.clip(np.searchsorted(EDGES, rank, side="right") - 1, 0, len(EDGES) - 2)
    some = whole.counts.sum(axis=1) > 0
    whole = replace(whole, group=group.astype(np.int64)).select(some)
    return whole, RatedSides(rank[some], np.array(sure)[some])


def _end(file: str, number: int) -> str:
    """The last parts of a path, so many of them; all if 0."""
    parts = PurePath(file).parts
    return "/".join(parts[-number:])
