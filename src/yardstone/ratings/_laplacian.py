"""The linear systems of the joint fit: weighted graph Laplacians with a border.

The unknowns are the ratings, joined by one weighted edge a pair (and one a
relation), and the first-move advantage, joined to each rating by `border`. Pairs
are sorted by their first player.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import in_python, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings._problem import Graph

    Floats = NDArray[np.float64]

__all__ = ["centre", "conjugate_gradients"]

#: Conjugate gradients give up after so many steps a player.
_CG_STEPS_PER_UNKNOWN = 20
#: Curvature below this share of the diagonal's counts as none.
_FLAT = 1e-13


@kernel
def _multiply(graph: Graph, x: Floats, out: Floats) -> None:
    """out = H x over the ratings and w, for unknowns that are free."""
    first, second, weight = graph.first, graph.second, graph.weight
    extra, border, free, relations = graph.extra, graph.border, graph.free, graph.relations
    n = len(x) - 1
    for i in range(n):
        out[i] = extra[i] * x[i]
    k = 0
    while k < len(first):  # in runs of one first player
        i = first[k]
        here, total = x[i], 0.0
        while k < len(first) and first[k] == i:
            flow = weight[k] * (here - x[second[k]])
            total += flow
            out[second[k]] -= flow
            k += 1
        out[i] += total
    for k in range(len(relations.player)):
        i, j = relations.player[k], relations.other[k]
        flow = relations.precision[k] * (x[i] - x[j])
        out[i] += flow
        out[j] -= flow
    out[n] = 0.0
    if free[n]:
        total = graph.diagonal[n] * x[n]
        for i in range(n):
            out[i] += border[i] * x[n]
            total += border[i] * x[i]
        out[n] = total
    for i in range(n):
        if not free[i]:
            out[i] = 0.0


@in_python(_multiply)
def _multiply_by_numpy(graph: Graph, x: Floats, out: Floats) -> None:
    n, relations = len(x) - 1, graph.relations
    flow = graph.weight * (x[graph.first] - x[graph.second])
    out[:n] = graph.extra[:n] * x[:n] + np.bincount(graph.first, flow, n)
    out[:n] -= np.bincount(graph.second, flow, n)
    if len(relations.player):
        flow = relations.precision * (x[relations.player] - x[relations.other])
        out[:n] += np.bincount(relations.player, flow, n) - np.bincount(relations.other, flow, n)
    if graph.free[n]:
        out[n] = graph.diagonal[n] * x[n] + graph.border[:n] @ x[:n]
        out[:n] += graph.border[:n] * x[n]
    out[~graph.free] = 0.0


@kernel
def conjugate_gradients(graph: Graph, right: Floats, tolerance: float, step: Floats) -> bool:
    """Solve H step = right by Jacobi-preconditioned conjugate gradients.

    Returns False if H shows a direction of negative curvature.
    """
    n, diagonal, free = len(step), graph.diagonal, graph.free
    residual = np.zeros(n)
    scaled = np.zeros(n)
    direction = np.zeros(n)
    product = np.zeros(n)
    step[:] = 0.0
    rho = 0.0
    for i in range(n):
        if free[i] and diagonal[i] > 0.0:
            residual[i] = right[i]
            scaled[i] = residual[i] / diagonal[i]
            direction[i] = scaled[i]
            rho += residual[i] * scaled[i]
    goal = rho * tolerance * tolerance
    for _ in range(_CG_STEPS_PER_UNKNOWN * n + 100):
        if rho <= goal or rho == 0.0:
            break
        _multiply(graph, direction, product)
        curvature, size = 0.0, 0.0
        for i in range(n):
            curvature += direction[i] * product[i]
            size += direction[i] * direction[i] * diagonal[i]
        if curvature <= _FLAT * size:  # only rounding errors are left, or H is indefinite
            return curvature >= -_FLAT * size
        alpha = rho / curvature
        new_rho = 0.0
        for i in range(n):
            if free[i] and diagonal[i] > 0.0:
                step[i] += alpha * direction[i]
                residual[i] -= alpha * product[i]
                scaled[i] = residual[i] / diagonal[i]
                new_rho += residual[i] * scaled[i]
        beta = new_rho / rho
        rho = new_rho
        for i in range(n):
            direction[i] = scaled[i] + beta * direction[i]
    return True


@in_python(conjugate_gradients)
def _conjugate_gradients_by_numpy(
    graph: Graph, right: Floats, tolerance: float, step: Floats
) -> bool:
    n, diagonal = len(step), graph.diagonal
    used = graph.free & (diagonal > 0.0)
    divisor = np.where(used, diagonal, 1.0)
    residual = np.where(used, right, 0.0)
    scaled = residual / divisor
    direction, product = scaled.copy(), np.zeros(n)
    step[:] = 0.0
    rho = float(residual @ scaled)
    goal = rho * tolerance * tolerance
    for _ in range(_CG_STEPS_PER_UNKNOWN * n + 100):
        if rho <= goal or rho == 0.0:
            break
        _multiply_by_numpy(graph, direction, product)
        curvature = float(direction @ product)
        size = float((direction * direction) @ diagonal)
        if curvature <= _FLAT * size:
            return curvature >= -_FLAT * size
        alpha = rho / curvature
        step += alpha * direction * used
        residual -= alpha * product * used
        scaled = residual / divisor
        new_rho = float(residual @ scaled)
        direction = scaled + new_rho / rho * direction
        rho = new_rho
    return True


@kernel
def centre(vector: Floats, level: NDArray[np.int32]) -> None:
    """Subtract from the entries of each group whose level is free their mean."""
    groups = level.max() + 1
    total = np.zeros(groups)
    members = np.zeros(groups)
    for i in range(len(level)):
        if level[i] >= 0:
            total[level[i]] += vector[i]
            members[level[i]] += 1.0
    for i in range(len(level)):
        if level[i] >= 0:
            vector[i] -= total[level[i]] / members[level[i]]
