"""Players in classes by strength, as pictures of data want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.grades import split_grade
from yardstone.winprob.scales import convert

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.feature_store import FeatureStore
    from yardstone_lab.neubauer.dataset import MoveSets

    Array = NDArray[np.float64]

__all__ = ["RANK_CLASSES", "losses_by_rank", "losses_by_rating", "ratings_in_classes"]

#: The thesis' classes, by the grade in whose stretch the OGS rating lies.
RANK_CLASSES: Mapping[str, tuple[float, float]] = {
    "10 kyu and below": (-np.inf, -9.5),
    "9 kyu to 1 kyu": (-9.5, -0.5),
    "1 dan and above": (-0.5, np.inf),
}


def ratings_in_classes(ratings: Array, edges: Sequence[float] = ()) -> dict[str, NDArray[np.bool_]]:
    """Which ratings belong to which class.

    Parameters
    ----------
    ratings : float64 array
        Glicko-2 points.
    edges : sequence of float
        Bounds between classes, in points, rising. Without them the classes are the
        thesis': double-digit kyu, single-digit kyu and dan by the formula of OGS
        (rank = 23.15 ln(rating / 525), 30 being 1 dan).

    Returns
    -------
    dict of str to bool arrays
        Classes without a rating are left out.
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

    Parameters
    ----------
    head : MoveSets
        Head features of recent moves.
    labels : float64 [2 * games]
        Of each side.
    column : int
        Of the head features.
    edges : sequence of float
        As in `ratings_in_classes`.
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
