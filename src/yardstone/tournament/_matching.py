"""Maximum weight perfect matching of a dense graph, compiled.

Edmonds' primal-dual method in cubic time. One alternating tree at a time is grown from an unmatched
vertex, as Dijkstra's algorithm grows a tree of shortest paths: the *clock* is how far the duals
have moved since the tree was a root, every event (an edge becomes tight, the dual of a blossom
reaches zero) falls due at some time, and the earliest is handled next. Duals are kept so that the
clock only has to be taken off (outer) or added (inner) to read them; an event costs O(n).

With weights doubled all numbers stay integers: along tight edges the duals of two vertices have the
same parity, so every vertex of a tree has its root's, and half the slack of an edge between two
outer vertices is whole.

J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", 1965; Z. Galil, "Efficient
algorithms for finding maximum matching in graphs", ACM Computing Surveys 18, 1986.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.kernels import kernel

Wide = NDArray[np.int64]

#: Doubled weights of pairs that may be lie within plus and minus this.
LARGEST = 2**57
#: Duals beyond this could overflow in the next tree.
_DUAL_LIMIT = 2**58


@kernel
def _welcome(weights: Wide, f: Forest, clock: int) -> None:
    """Read the nodes of `fresh` as outer, and note their edges to all other nodes."""
    news = f.number[_NEWS]
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
    f.number[_NEWS] = 0


@kernel
def _note_edges(weights: Wide, f: Forest, node: int, v: int, leader: bool) -> None:
    """Edges of `v`, which has just become outer as a vertex of `node`.

    The sum below is an inner vertex' slack, and when the edge to a free vertex becomes tight.
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
    f.number[_NEWS] = 1
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
    """Grow a tree from an unmatched vertex: the vertex where it ends or -1, and the clock."""
    clock = int(np.int64(0))  # a plain 0 would have the compiler try every kernel twice
    f.due[:] = NEVER
    f.side[:] = FREE
    f.key[:] = NEVER
    for node in range(len(f.label)):
        if f.label[node] != WITHIN:
            f.label[node] = FREE
    f.fresh[0] = f.top[root]
    f.number[_NEWS] = 1
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

    `weights` (n, n) are symmetric, every entry even and at most `LARGEST` in size, or `BARRED`; the
    diagonal is not read. Returns whether numbers stayed small enough (else the rest means nothing),
    the partner of each vertex or -1, the duals of the vertices, those of the nodes (n + n // 2 +
    1,), which are zero for all but blossoms, the blossom of which each node is a child or -1, and
    the state (n,) when the first tree could not grow any more: `INNER` for inner vertices, -2 minus
    their node for outer ones, 0 elsewhere and if nobody stays alone.
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


_SPARES, _NEWS, _STAMP = 0, 1, 2


@kernel
def new_forest(n: int) -> Forest:
    """Every vertex alone, unmatched."""
    nodes = n + n // 2 + 1
    blossoms = nodes - n
    own = np.arange(nodes)
    label = np.full(nodes, WITHIN, np.int64)
    label[:n] = FREE
    number = np.zeros(3, np.int64)
    number[_SPARES] = blossoms
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
def _claim(f: Forest, node: int, owner: int) -> None:
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

    Those on the even way from where the tree comes in to the base are inner and outer in turn (the
    outer ones are added to `fresh`), the others are free.
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
        f.fresh[f.number[_NEWS]] = node
        f.number[_NEWS] += 1
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
        _claim(f, node, node)
    f.spare[f.number[_SPARES]] = blossom
    f.number[_SPARES] += 1


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

    Its edges to other nodes are not set, and the labels of its children are left as they were.
    """
    n = len(f.mate)
    child, link, entry, base = f.child, f.link, f.entry, f.base
    one, two = f.top[x], f.top[y]
    f.number[_STAMP] += 1
    left, right = one, two
    while left < 0 or f.visited[left] != f.number[_STAMP]:
        if left >= 0:
            f.visited[left] = f.number[_STAMP]
            left = _parent(f, left)
        left, right = right, left
    meeting = left
    f.number[_SPARES] -= 1
    new = f.spare[f.number[_SPARES]]
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
    _claim(f, new, new)
    return int(new)
