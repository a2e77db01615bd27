"""The state of a matching in the making, and what happens to its blossoms; compiled.

Nodes 0 to n-1 are the vertices, those above are blossoms. A blossom keeps its
children in the order of its cycle, the child with the base first, and the edge from
each child to the next. Its vertices are a stretch of one linked list (`following`),
from `head` to `tail`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Wide = NDArray[np.int64]

__all__ = [
    "BARRED",
    "FREE",
    "INNER",
    "NEVER",
    "OUTER",
    "WITHIN",
    "Forest",
    "dissolve",
    "join",
    "lower_duals",
    "new_forest",
    "open_blossom",
    "put_base",
]

#: Doubled weight of a pair that must not be.
BARRED = -(2**62)
#: Nothing falls due so late.
NEVER = 2**59

#: Labels of nodes that belong to no blossom; `WITHIN` stands for all others.
WITHIN, FREE, OUTER, INNER = -1, 0, 1, 2


class Forest(NamedTuple):
    """All that the search knows, as arrays over vertices, nodes or blossoms."""

    # Vertices.
    mate: Wide  # the partner, or -1
    dual: Wide
    top: Wide  # the outermost node that holds it
    side: Wide  # that node's label
    due: Wide  # when a free vertex is reached; of an inner one the slack
    reach: Wide  # the outer vertex from which
    following: Wide  # linked list
    # Nodes.
    label: Wide
    z: Wide  # dual of a blossom
    up: Wide  # the blossom it is a child of, or -1
    head: Wide
    tail: Wide
    base: Wide  # the vertex that is matched outside the node
    size: Wide  # number of children
    key: Wide  # when something happens to the node
    key_edge: Wide  # the edge by which an outer node meets another
    entry: Wide  # the edge by which the tree came to an inner node: outer, inner vertex
    visited: Wide
    # Blossoms, by node - n.
    child: Wide
    link: Wide  # the edge from a child to the next
    near: Wide  # the vertex of an outer blossom that is closest to each vertex
    # Work.
    stack: Wide
    spare: Wide  # unused nodes
    fresh: Wide  # nodes that have just become outer
    number: Wide  # how many of `spare` and of `fresh` count; the stamp of `visited`


SPARES, NEWS, STAMP = 0, 1, 2


@kernel
def new_forest(n: int) -> Forest:
    """Every vertex alone, unmatched."""
    nodes = n + n // 2 + 1
    blossoms = nodes - n
    own = np.arange(nodes)
    label = np.full(nodes, WITHIN, np.int64)
    label[:n] = FREE
    number = np.zeros(3, np.int64)
    number[SPARES] = blossoms
    return Forest(
        np.full(n, -1, np.int64),
        np.zeros(n, np.int64),
        own[:n].copy(),
        np.zeros(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.full(n, -1, np.int64),
        label,
        np.zeros(nodes, np.int64),
        np.full(nodes, -1, np.int64),
        own.copy(),
        own.copy(),
        own.copy(),
        np.zeros(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty((nodes, 2), np.int64),
        np.empty((nodes, 2), np.int64),
        np.zeros(nodes, np.int64),
        np.empty((blossoms, n), np.int64),
        np.empty((blossoms, n, 2), np.int64),
        np.empty((blossoms, n), np.int64),
        np.empty((2 * nodes, 2), np.int64),
        own[n:][::-1].copy(),
        np.empty(nodes, np.int64),
        number,
    )


@kernel
def lower_duals(weights: Wide, f: Forest) -> None:
    """Feasible duals, lowered one by one, and a first matching along tight edges."""
    dual, mate = f.dual, f.mate
    n = len(dual)
    for v in range(n):
        best = BARRED
        for w in range(n):
            if w != v and weights[v, w] > best:
                best = weights[v, w]
        dual[v] = 0 if best == BARRED else best // 2
    for v in range(n):
        if mate[v] >= 0:
            continue
        best, partner = BARRED, -1
        for w in range(n):
            if w == v or weights[v, w] == BARRED:
                continue
            need = weights[v, w] - dual[w]
            if need > best or (need == best and mate[w] < 0 and mate[partner] >= 0):
                best, partner = need, w
        if partner < 0:
            continue
        dual[v] = best
        if mate[partner] < 0:
            mate[v], mate[partner] = partner, v


@kernel
def claim(f: Forest, node: int, owner: int) -> None:
    """Write into all vertices of a node that `owner` is the outermost one."""
    v = f.head[node]
    f.top[v] = owner
    while v != f.tail[node]:
        v = f.following[v]
        f.top[v] = owner


@kernel
def put_base(f: Forest, node: int, vertex: int) -> None:
    """Match a node's vertices among themselves so that `vertex` is left over."""
    n = len(f.mate)
    stack, child, link = f.stack, f.child, f.link
    stack[0, 0], stack[0, 1] = node, vertex
    depth = 1
    while depth:
        depth -= 1
        here, left = stack[depth, 0], stack[depth, 1]
        if here < n:
            continue
        f.base[here] = left
        b, count = here - n, f.size[here]
        part = left
        while f.up[part] != here:
            part = f.up[part]
        place = 0
        while child[b, place] != part:
            place += 1
        stack[depth, 0], stack[depth, 1] = part, left
        depth += 1
        # Along the even way round from the new base to the old one edges change sides.
        first, last = (0, place) if place % 2 == 0 else (place + 1, count)
        for k in range(first, last, 2):
            x, y = link[b, k, 0], link[b, k, 1]
            f.mate[x], f.mate[y] = y, x
            stack[depth, 0], stack[depth, 1] = child[b, k], x
            depth += 1
            stack[depth, 0], stack[depth, 1] = child[b, (k + 1) % count], y
            depth += 1
        if place:
            order, edges = child[b, :count].copy(), link[b, :count].copy()
            for k in range(count):
                child[b, k] = order[(place + k) % count]
                link[b, k] = edges[(place + k) % count]


@kernel
def open_blossom(f: Forest, blossom: int, clock: int) -> None:
    """Put the children of an inner blossom without a dual in its place in the tree.

    Those on the even way from where the tree comes in to the base are inner and
    outer in turn (the outer ones are added to `fresh`), the others are free.
    """
    n = len(f.mate)
    b, count = blossom - n, f.size[blossom]
    child, link, entry = f.child, f.link, f.entry
    part = entry[blossom, 1]
    while f.up[part] != blossom:
        part = f.up[part]
    place = 0
    while child[b, place] != part:
        place += 1
    _retire(f, blossom)
    step = -1 if place % 2 == 0 else 1
    k = place
    entry[part] = entry[blossom]
    while True:
        node = child[b, k]
        f.label[node] = INNER
        if node >= n:
            f.key[node] = clock + f.z[node] // 2
            f.z[node] += 2 * clock
        if k == 0:
            break
        k = (k + step) % count
        node = child[b, k]
        f.label[node] = OUTER
        f.fresh[f.number[NEWS]] = node
        f.number[NEWS] += 1
        into = (k + step) % count
        if step < 0:  # the link from `into` to k, read backwards
            x, y = link[b, into, 1], link[b, into, 0]
        else:
            x, y = link[b, k, 0], link[b, k, 1]
        k = into
        entry[child[b, k], 0], entry[child[b, k], 1] = x, y
    for k in range(count):
        node = child[b, k]
        if f.label[node] != FREE:
            continue
        v = f.head[node]
        while True:
            f.dual[v] += clock
            f.due[v] += clock
            f.side[v] = FREE
            if v == f.tail[node]:
                break
            v = f.following[v]


@kernel
def _retire(f: Forest, blossom: int) -> None:
    """Let the children of a blossom stand for themselves, free; its number is spare."""
    b = blossom - len(f.mate)
    f.z[blossom] = 0
    f.label[blossom] = WITHIN
    f.key[blossom] = NEVER
    for k in range(f.size[blossom]):
        node = f.child[b, k]
        f.up[node] = -1
        f.label[node] = FREE
        f.key[node] = NEVER
        claim(f, node, node)
    f.spare[f.number[SPARES]] = blossom
    f.number[SPARES] += 1


@kernel
def dissolve(f: Forest) -> None:
    """Take outermost blossoms without a dual apart: the next tree has no use for them."""
    n = len(f.mate)
    again = True
    while again:
        again = False
        for node in range(n, len(f.label)):
            if f.label[node] != WITHIN and f.z[node] == 0:
                _retire(f, node)
                again = True


@kernel
def _parent(f: Forest, node: int) -> int:
    """The outer node above an outer node; -1 for the root."""
    partner = f.mate[f.base[node]]
    if partner < 0:
        return -1
    return int(f.top[f.entry[f.top[partner], 0]])


@kernel
def join(f: Forest, x: int, y: int, clock: int) -> int:
    """A new outer blossom of the cycle that the edge from x to y closes in the tree.

    Only its children, vertices and labels are set, not its edges to other nodes; the
    labels of its children are left as they were.
    """
    n = len(f.mate)
    child, link, entry, base = f.child, f.link, f.entry, f.base
    one, two = f.top[x], f.top[y]
    f.number[STAMP] += 1
    left, right = one, two
    while left < 0 or f.visited[left] != f.number[STAMP]:
        if left >= 0:
            f.visited[left] = f.number[STAMP]
            left = _parent(f, left)
        left, right = right, left
    meeting = left
    f.number[SPARES] -= 1
    new = f.spare[f.number[SPARES]]
    b = new - n
    # From the meeting point down to `one`, counted first and written from its end.
    count = 1
    node = one
    while node != meeting:
        count += 2
        node = _parent(f, node)
    child[b, 0] = meeting
    k = count - 1
    node = one
    while node != meeting:
        inner = f.top[f.mate[base[node]]]
        child[b, k], child[b, k - 1] = node, inner
        link[b, k - 1, 0], link[b, k - 1, 1] = base[inner], base[node]
        link[b, k - 2] = entry[inner]
        k -= 2
        node = _parent(f, node)
    link[b, count - 1, 0], link[b, count - 1, 1] = x, y
    node = two
    while node != meeting:
        inner = f.top[f.mate[base[node]]]
        child[b, count], child[b, count + 1] = node, inner
        link[b, count, 0], link[b, count, 1] = base[node], base[inner]
        link[b, count + 1, 0], link[b, count + 1, 1] = entry[inner, 1], entry[inner, 0]
        count += 2
        node = _parent(f, node)
    f.size[new] = count
    base[new] = base[meeting]
    f.label[new] = OUTER
    f.up[new] = -1
    f.z[new] = -2 * clock
    f.head[new] = f.head[child[b, 0]]
    f.tail[new] = f.tail[child[b, count - 1]]
    for k in range(count):
        f.up[child[b, k]] = new
        if k:
            f.following[f.tail[child[b, k - 1]]] = f.head[child[b, k]]
    claim(f, new, new)
    return int(new)
