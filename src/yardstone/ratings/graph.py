"""The games, beliefs and the matrix of a joint fit, in the bundles that its loops take.

Vectors over unknowns have an entry for each rating, then one for the first-move
advantage and, where it matters, one for the draw parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Ints
    from yardstone.pool import PairCounts


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
        table = counts.first, counts.second, counts.wins, counts.draws, counts.losses
        return cls(*map(np.ascontiguousarray, table))


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


class Graph(NamedTuple):
    """The matrix H of a joint fit: a weighted graph of the players, with a border.

    The first-move advantage is joined to each player by `border`; `extra` stands on the diagonal
    alone, `diagonal` is the whole of it. Only `free` unknowns are solved for.
    """

    first: Ints
    second: Ints
    weight: Floats
    relations: Relations
    extra: Floats
    border: Floats
    diagonal: Floats
    free: Flags


_SPARSE, _PLAYERS = 2.5, 200_000  #: Pairs a player up to which elimination is tried, and players.


def direct_solver(graph: Graph, level: Ints) -> Callable[[Floats], Floats] | None:
    """What solves H x = right by elimination; None where the graph may be too dense.

    Of each group whose level is free (`level`, -1 for none) one player stays at 0.
    """
    n = len(graph.extra) - 1
    used = graph.weight > 0.0
    if not n or n > _PLAYERS or used.sum() > _SPARSE * n:
        return None
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import splu

    relations = graph.relations
    i = np.concatenate([graph.first[used], relations.player])
    j = np.concatenate([graph.second[used], relations.other])
    weight = np.concatenate([graph.weight[used], relations.precision])
    solved = graph.free[:n] & (graph.diagonal[:n] > 0.0)
    groups, grounded = np.unique(level, return_index=True)
    solved[grounded[groups >= 0]] = False
    diagonal = np.where(solved, graph.diagonal[:n], 1.0)
    inner = solved[i] & solved[j]
    i, j, weight = i[inner], j[inner], weight[inner]
    at = np.arange(n)
    matrix = coo_array(
        (
            np.concatenate([diagonal, -weight, -weight]),
            (np.concatenate([at, i, j]), np.concatenate([at, j, i])),
        ),
        shape=(n, n),
    ).tocsc()
    try:
        factors = splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:  # singular: left to conjugate gradients
        return None
    border = np.where(solved, graph.border[:n], 0.0)
    toward = factors.solve(border)
    rest = float(graph.diagonal[n] - border @ toward)
    free = bool(graph.free[n]) and rest > 0.0

    def solve(right: Floats) -> Floats:
        step = np.zeros(n + 1)
        plain = factors.solve(np.where(solved, right[:n], 0.0))
        if free:
            step[n] = (right[n] - border @ plain) / rest
        step[:n] = plain - toward * step[n]
        return step

    return solve
