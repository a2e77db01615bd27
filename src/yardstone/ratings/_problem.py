"""The numbers of a joint fit, in the bundles that its kernels take.

Vectors over unknowns have an entry for each rating, then one for the first-move
advantage and, where it matters, one for the draw parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import PairCounts

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["Beliefs", "Derivatives", "Graph", "Pairs", "Relations", "new_derivatives"]


class Pairs(NamedTuple):
    """Results of each ordered pair of players, in runs of one first player."""

    first: Ints
    second: Ints
    wins: Floats
    draws: Floats
    losses: Floats

    @classmethod
    def of(cls, counts: PairCounts) -> Pairs:
        """Those of counts."""
        return cls(counts.first, counts.second, counts.wins, counts.draws, counts.losses)


class Relations(NamedTuple):
    """Gaussian priors on the differences of two players' ratings."""

    player: Ints
    other: Ints
    difference: Floats
    precision: Floats


class Beliefs(NamedTuple):
    """Gaussian priors of the unknowns (precision 0: none), and relations."""

    mean: Floats
    precision: Floats
    relations: Relations


class Derivatives(NamedTuple):
    """Of the log-likelihood; all filled in place.

    `gradient`, `diagonal` and `border` have one entry an unknown, `weight` one a pair;
    `border` holds the second derivatives between the first-move advantage and
    each rating.
    """

    gradient: Floats
    weight: Floats
    diagonal: Floats
    border: Floats


class Graph(NamedTuple):
    """The matrix H of a joint fit: a weighted graph of the players, with a border.

    The players are joined by one edge a pair (of `weight`) and one a relation, and the
    first-move advantage to each of them by `border`; `extra` stands on the diagonal
    alone, `diagonal` is the whole of it. Only `free` unknowns are solved for.
    """

    first: Ints
    second: Ints
    weight: Floats
    relations: Relations
    extra: Floats
    border: Floats
    diagonal: Floats
    free: NDArray[np.bool_]


def new_derivatives(pairs: int, unknowns: int) -> Derivatives:
    """Room for them."""
    return Derivatives(np.zeros(unknowns), np.zeros(pairs), np.zeros(unknowns), np.zeros(unknowns))
