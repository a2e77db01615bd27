"""Maximum weight perfect matching of a dense graph, compiled.

Edmonds' primal-dual method in cubic time. One alternating tree at a time is grown
from an unmatched vertex, as Dijkstra's algorithm grows a tree of shortest paths: the
*clock* is how far the duals have moved since the tree was a root, every event (an
edge becomes tight, the dual of a blossom reaches zero) falls due at some time, and
the earliest is handled next. Duals are kept so that the clock only has to be taken
off (outer) or added (inner) to read them; an event costs O(n).

With weights doubled all numbers stay integers: along tight edges the duals of two
vertices have the same parity, so every vertex of a tree has its root's, and half the
slack of an edge between two outer vertices is whole.

J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", 1965; Z. Galil,
"Efficient algorithms for finding maximum matching in graphs", ACM Computing Surveys
18, 1986.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import kernel
from yardstone.tournament._blossoms import (
    BARRED,
    FREE,
    INNER,
    NEVER,
    NEWS,
    OUTER,
    WITHIN,
    dissolve,
    join,
    lower_duals,
    new_forest,
    open_blossom,
    put_base,
)

if TYPE_CHECKING:
    from yardstone.tournament._blossoms import Forest, Wide

__all__ = ["BARRED", "INNER", "LARGEST", "match"]

#: Doubled weights of pairs that may be lie within plus and minus this.
LARGEST = 2**57
#: Duals beyond this could overflow in the next tree.
_DUAL_LIMIT = 2**58


@kernel
def _welcome(weights: Wide, f: Forest, clock: int) -> None:
    """Read the nodes of `fresh` as outer, and note their edges to all other nodes."""
    news = f.number[NEWS]
    for k in range(news):
        node = f.fresh[k]
        f.label[node] = OUTER
        f.z[node] -= 2 * clock
        v = f.head[node]
        while True:
            f.dual[v] += 2 * clock if f.side[v] == INNER else clock
            f.side[v] = OUTER
            if v == f.tail[node]:
                break
            v = f.following[v]
    for k in range(news):
        node = f.fresh[k]
        f.key[node] = NEVER
        v, leader = f.head[node], True
        while True:
            _note_edges(weights, f, node, v, leader)
            leader = False
            if v == f.tail[node]:
                break
            v = f.following[v]
        _find_key(weights, f, node, clock)
    f.number[NEWS] = 0


@kernel
def _note_edges(weights: Wide, f: Forest, node: int, v: int, leader: bool) -> None:
    """Edges of `v`, which has just become outer as a vertex of `node`.

    The sum below is the slack of an edge to an inner vertex, which stays, and for a
    free vertex the time at which the edge becomes tight.
    """
    n = len(f.mate)
    top, side, due, reach, dual = f.top, f.side, f.due, f.reach, f.dual
    for x in range(n):
        if side[x] == OUTER or top[x] == node:
            continue
        time = dual[v] + dual[x] - weights[v, x]
        if time < due[x]:
            due[x], reach[x] = time, v
    if node >= n:
        near = f.near[node - n]
        for x in range(n):
            rival = near[x]
            if leader or dual[v] - weights[v, x] < dual[rival] - weights[rival, x]:
                near[x] = v


@kernel
def _find_key(weights: Wide, f: Forest, node: int, clock: int) -> None:
    """When an outer node meets another outer one, and by which edge."""
    n = len(f.mate)
    f.key[node] = NEVER
    for x in range(n):
        if f.side[x] != OUTER or f.top[x] == node:
            continue
        v = node if node < n else f.near[node - n, x]
        slack = f.dual[v] + f.dual[x] - weights[v, x] - 2 * clock
        if clock + slack // 2 < f.key[node]:
            f.key[node] = clock + slack // 2
            f.key_edge[node, 0], f.key_edge[node, 1] = v, x


@kernel
def _shrink(weights: Wide, f: Forest, x: int, y: int, clock: int) -> None:
    """Make one outer node of all on the cycle that the edge from x to y closes."""
    n = len(f.mate)
    new = join(f, x, y, clock)
    b = new - n
    leader = True
    for k in range(f.size[new]):
        node = f.child[b, k]
        if f.label[node] != OUTER:
            continue
        f.z[node] = 0 if node < n else f.z[node] + 2 * clock
        f.label[node] = WITHIN
        f.key[node] = NEVER
        for v in range(n):
            closest = node if node < n else f.near[node - n, v]
            rival = f.near[b, v]
            if leader or f.dual[closest] - weights[closest, v] < f.dual[rival] - weights[rival, v]:
                f.near[b, v] = closest
        leader = False
    for k in range(f.size[new]):
        node = f.child[b, k]
        if f.label[node] != INNER:
            continue
        if node >= n:
            f.z[node] -= 2 * clock
        f.label[node] = WITHIN
        f.key[node] = NEVER
        v = f.head[node]
        while True:
            f.dual[v] += 2 * clock
            f.side[v] = OUTER
            _note_edges(weights, f, new, v, False)
            if v == f.tail[node]:
                break
            v = f.following[v]
    _find_key(weights, f, new, clock)


@kernel
def _grow(f: Forest, vertex: int, clock: int) -> bool:
    """Take the free node of a vertex into the tree; False if its base is unmatched."""
    node = f.top[vertex]
    partner = f.mate[f.base[node]]
    if partner < 0:
        return False
    f.label[node] = INNER
    f.entry[node, 0], f.entry[node, 1] = f.reach[vertex], vertex
    v = f.head[node]
    while True:
        f.dual[v] -= clock
        f.due[v] -= clock
        f.side[v] = INNER
        if v == f.tail[node]:
            break
        v = f.following[v]
    if node >= len(f.mate):
        f.key[node] = clock + f.z[node] // 2
        f.z[node] += 2 * clock
    f.fresh[0] = f.top[partner]
    f.number[NEWS] = 1
    return True


@kernel
def _augment(f: Forest, vertex: int) -> None:
    """Match along the path from an unmatched node through the tree to its root."""
    a, partner = f.reach[vertex], int(vertex)
    put_base(f, f.top[partner], partner)
    f.mate[partner] = a
    while True:
        node = f.top[a]
        behind = f.mate[f.base[node]]
        put_base(f, node, a)
        f.mate[a] = partner
        if behind < 0:
            return
        inner = f.top[behind]
        a, partner = f.entry[inner, 0], f.entry[inner, 1]
        put_base(f, inner, partner)
        f.mate[partner] = a


@kernel
def _next_event(f: Forest) -> tuple[int, int, int]:
    """When something happens next, and to which free vertex or else to which node."""
    soonest, vertex, at = NEVER, -1, -1
    for v in range(len(f.mate)):
        if f.side[v] == FREE and f.due[v] < soonest:
            soonest, vertex = f.due[v], v
    for node in range(len(f.label)):
        if f.label[node] > FREE and f.key[node] < soonest:
            soonest, at = f.key[node], node
    return soonest, vertex, at


@kernel
def _search(weights: Wide, f: Forest, root: int) -> tuple[int, int]:
    """Grow a tree from an unmatched vertex: the vertex by which it ends, and the clock.

    The vertex is -1 if nothing unmatched can be reached.
    """
    clock = int(np.int64(0))  # a plain 0 would have the compiler try every kernel twice
    f.due[:] = NEVER
    f.side[:] = FREE
    f.key[:] = NEVER
    for node in range(len(f.label)):
        if f.label[node] != WITHIN:
            f.label[node] = FREE
    f.fresh[0] = f.top[root]
    f.number[NEWS] = 1
    while True:
        _welcome(weights, f, clock)
        soonest, vertex, at = _next_event(f)
        if soonest >= NEVER:
            return -1, clock
        clock = soonest
        if at < 0:
            if not _grow(f, vertex, clock):
                return vertex, clock
        elif f.label[at] == INNER:
            open_blossom(f, at, clock)
        else:
            _shrink(weights, f, f.key_edge[at, 0], f.key_edge[at, 1], clock)


@kernel
def _settle(f: Forest, clock: int) -> bool:
    """Duals as they are at the end of a tree; False if they have grown too large."""
    n = len(f.mate)
    sound = True
    for v in range(n):
        if f.side[v] == OUTER:
            f.dual[v] -= clock
        elif f.side[v] == INNER:
            f.dual[v] += clock
        f.z[v] = 0
        if abs(f.dual[v]) > _DUAL_LIMIT:
            sound = False
    for node in range(n, len(f.label)):
        if f.label[node] == OUTER:
            f.z[node] += 2 * clock
        elif f.label[node] == INNER:
            f.z[node] -= 2 * clock
    return sound


@kernel
def match(weights: Wide) -> tuple[bool, Wide, Wide, Wide, Wide, Wide]:
    """Perfect matching of the largest weight, or of as many vertices as can be matched.

    Parameters
    ----------
    weights : int64 array (n, n)
        Symmetric, every entry even and at most `LARGEST` in size, or `BARRED`; the
        diagonal is not read.

    Returns
    -------
    sound : bool
        False if numbers grew too large to go on; the rest then means nothing.
    mate : int64 array (n,)
        Number of the partner, or -1.
    dual : int64 array (n,)
        Duals of the vertices.
    blossom_dual : int64 array (n + n // 2 + 1,)
        Duals of the nodes; zero for all but blossoms.
    up : int64 array (n + n // 2 + 1,)
        The blossom of which a node is a child, or -1.
    barrier : int64 array (n,)
        If a vertex stays alone: the state when the first such tree could not grow any
        more, `INNER` for inner vertices, -2 minus their node for outer ones and 0 for
        those that were not reached. All zero otherwise.
    """
    n = len(weights)
    f = new_forest(n)
    lower_duals(weights, f)
    barrier = np.zeros(n, np.int64)
    alone = 0
    for root in range(n):
        if f.mate[root] >= 0:
            continue
        vertex, clock = _search(weights, f, root)
        if vertex < 0:
            alone += 1
            if alone == 1:
                for v in range(n):
                    barrier[v] = -2 - f.top[v] if f.side[v] == OUTER else f.side[v]
        sound = _settle(f, clock)
        if vertex >= 0:
            _augment(f, vertex)
        if not sound:
            return False, f.mate, f.dual, f.z, f.up, barrier
        dissolve(f)
    return True, f.mate, f.dual, f.z, f.up, barrier
