"""Direct solution of the linear systems of a joint fit, where few players met many others.

Conjugate gradients take as many steps as a chain is long: thousands for a ladder of players
of whom each met the next. Such graphs fall to pieces when few players are taken out, so that
elimination in a good order makes hardly any new entries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings._problem import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["direct_solver"]

#: Pairs a player up to which elimination is tried, and players.
_SPARSE, _PLAYERS = 2.5, 200_000


def direct_solver(graph: Graph, level: NDArray[np.int32]) -> Callable[[Floats], Floats] | None:
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
