"""Maximum weight perfect matching of a dense graph.

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

cimport cython

import numpy as np

LARGEST = 2**57  #: Doubled weights of pairs that may be lie within plus and minus this.
BARRED = -(2**62)  #: Doubled weight of a pair that must not be.
cdef long long NOT_ALLOWED = BARRED
cdef long long NEVER = 2**59  # nothing falls due so late
cdef long long DUAL_LIMIT = 2**58  # duals beyond this could overflow in the next tree

#: Labels of nodes that belong to no blossom; `WITHIN` stands for all others.
cpdef enum:
    WITHIN = -1
    FREE = 0
    OUTER = 1
    INNER = 2


def match(weights):
    """Perfect matching of the largest weight, or of as many vertices as can be matched.

    `weights` (n, n) are symmetric, every entry even and at most `LARGEST` in size, or `BARRED`; the
    diagonal is not read. Returns whether numbers stayed small enough (else the rest means nothing),
    the partner of each vertex or -1, the duals of the vertices, those of the nodes (n + n // 2 +
    1,), which are zero for all but blossoms, the blossom of which each node is a child or -1, and
    the state (n,) when the first tree could not grow any more: `INNER` for inner vertices, -2 minus
    their node for outer ones, 0 elsewhere and if nobody stays alone.
    """
    cdef Forest f = Forest(weights)
    cdef bint sound
    with nogil:
        sound = f.match()
    return sound, *map(np.asarray, (f.mate, f.dual, f.z, f.up, f.barrier))


cdef struct Edge:
    long long x, y


cdef struct Closest:
    long long vertex
    long long slack  # without the dual of the other end


cdef struct Child:
    long long node
    Edge link  # from this child to the next


@cython.final
cdef class Forest:
    """The matching, the duals and the tree; nodes are the vertices, then the blossoms."""

    cdef const long long[:, ::1] weights
    cdef Py_ssize_t n, nodes
    # Of vertices.
    cdef long long[::1] mate  # the partner, or -1
    cdef long long[::1] dual
    cdef long long[::1] barrier  # see `match`
    cdef long long[::1] top  # the outermost node that holds it
    cdef long long[::1] side  # that node's label
    cdef long long[::1] due  # when a free vertex is reached; of an inner one the slack
    cdef long long[::1] reach  # the outer vertex from which
    cdef long long[::1] following  # linked list
    # Of nodes.
    cdef long long[::1] label
    cdef long long[::1] z  # dual of a blossom
    cdef long long[::1] up  # the blossom it is a child of, or -1
    cdef long long[::1] head, tail  # first and last vertex
    cdef long long[::1] base  # the vertex that is matched outside the node
    cdef long long[::1] size  # number of children
    cdef long long[::1] key  # when something happens to the node
    cdef long long[::1] visited  # by which search for a cycle
    cdef Edge[::1] key_edge  # by which an outer node meets another
    cdef Edge[::1] entry  # by which the tree came to an inner node: outer, inner vertex
    # Of blossoms, by node - n.
    cdef Child[:, ::1] child
    cdef Closest[:, ::1] near  # the vertex of an outer blossom that is closest to each vertex
    # Stacks.
    cdef long long[::1] spare, fresh  # unused nodes; nodes that have just become outer
    cdef Edge[::1] moved  # nodes, and the bases that they get
    cdef Py_ssize_t spares, news, cycles

    def __init__(self, weights):
        """Every vertex alone, unmatched."""
        cdef Py_ssize_t node, n = len(weights)
        cdef Py_ssize_t blossoms = n // 2 + 1, nodes = n + blossoms
        edge = np.dtype("i8, i8")
        self.weights, self.n, self.nodes, self.spares = weights, n, nodes, blossoms
        self.mate, self.dual, self.barrier, self.top, self.side, self.due, self.reach, \
            self.following = np.zeros((8, n), np.int64)
        self.label, self.z, self.up, self.head, self.tail, self.base, self.size, self.key, \
            self.visited, self.spare, self.fresh = np.zeros((11, nodes), np.int64)
        self.key_edge, self.entry = np.empty((2, nodes), edge)
        self.child = np.empty((blossoms, n), [("node", "i8"), ("link", edge)])
        self.near = np.empty((blossoms, n), edge)
        self.moved = np.empty(2 * nodes, edge)
        self.mate[:] = -1
        self.following[:] = -1
        self.up[:] = -1
        for node in range(nodes):
            self.head[node] = self.tail[node] = self.base[node] = node
            if node < n:
                self.label[node], self.top[node] = FREE, node
            else:
                self.label[node], self.spare[nodes - 1 - node] = WITHIN, node

    cdef bint match(self) noexcept nogil:
        """Grow tree after tree; False if a dual has become too large."""
        cdef Py_ssize_t root, vertex, v
        cdef bint sound, whole = True
        cdef long long clock
        self.lower_duals()
        for root in range(self.n):
            if self.mate[root] >= 0:
                continue
            vertex, clock = self.search(root)
            if vertex < 0 and whole:
                whole = False
                for v in range(self.n):
                    self.barrier[v] = -2 - self.top[v] if self.side[v] == OUTER else self.side[v]
            sound = self.settle(clock)
            if vertex >= 0:
                self.augment(vertex)
            if not sound:
                return False
            self.dissolve()
        return True

    cdef void lower_duals(self) noexcept nogil:
        """Feasible duals, lowered one by one, and a first matching along tight edges."""
        cdef Py_ssize_t v, w, partner
        cdef long long best, need
        for v in range(self.n):
            best = NOT_ALLOWED
            for w in range(self.n):
                if w != v and self.weights[v, w] > best:
                    best = self.weights[v, w]
            self.dual[v] = 0 if best == NOT_ALLOWED else best // 2
        for v in range(self.n):
            if self.mate[v] >= 0:
                continue
            best, partner = NOT_ALLOWED, -1
            for w in range(self.n):
                if w == v or self.weights[v, w] == NOT_ALLOWED:
                    continue
                need = self.weights[v, w] - self.dual[w]
                if need > best or (need == best and self.mate[w] < 0 <= self.mate[partner]):
                    best, partner = need, w
            if partner < 0:
                continue
            self.dual[v] = best
            if self.mate[partner] < 0:
                self.mate[v], self.mate[partner] = partner, v

    cdef (Py_ssize_t, long long) search(self, Py_ssize_t root) noexcept nogil:
        """Grow a tree from an unmatched vertex: the vertex where it ends or -1, and the clock."""
        cdef Py_ssize_t node, vertex, at
        cdef long long clock = 0, soonest
        self.due[:] = NEVER
        self.side[:] = FREE
        self.key[:] = NEVER
        for node in range(self.nodes):
            if self.label[node] != WITHIN:
                self.label[node] = FREE
        self.fresh[0], self.news = self.top[root], 1
        while True:
            self.make_outer(clock)
            soonest, vertex, at = self.next_event()
            if soonest >= NEVER:
                return -1, clock
            clock = soonest
            if at < 0:
                if not self.grow(vertex, clock):
                    return vertex, clock
            elif self.label[at] == INNER:
                self.open(at, clock)
            else:
                self.shrink(self.key_edge[at], clock)

    cdef (long long, Py_ssize_t, Py_ssize_t) next_event(self) noexcept nogil:
        """When something happens next, and to which free vertex or else to which node."""
        cdef Py_ssize_t v, node, vertex = -1, at = -1
        cdef long long soonest = NEVER
        for v in range(self.n):
            if self.side[v] == FREE and self.due[v] < soonest:
                soonest, vertex = self.due[v], v
        for node in range(self.nodes):
            if self.key[node] < soonest:
                soonest, at = self.key[node], node
        return soonest, vertex, at

    cdef void make_outer(self, long long clock) noexcept nogil:
        """Read the nodes of `fresh` as outer, and note their edges to all other nodes."""
        cdef Py_ssize_t k, node, v
        for k in range(self.news):
            node = self.fresh[k]
            self.label[node] = OUTER
            self.z[node] -= 2 * clock
            v = self.head[node]
            while v >= 0:
                self.dual[v] += 2 * clock if self.side[v] == INNER else clock
                self.side[v] = OUTER
                v = self.next_vertex(node, v)
        for k in range(self.news):
            node = self.fresh[k]
            v = self.head[node]
            while v >= 0:
                self.note_edges(node, v, v == self.head[node])
                v = self.next_vertex(node, v)
            self.find_key(node, clock)
        self.news = 0

    cdef inline Py_ssize_t next_vertex(self, Py_ssize_t node, Py_ssize_t v) noexcept nogil:
        """The vertex of a node behind `v`; -1 behind the last."""
        return -1 if v == self.tail[node] else self.following[v]

    cdef inline Closest closest(self, Py_ssize_t node, Py_ssize_t x) noexcept nogil:
        """The vertex of an outer node that is closest to `x`."""
        if node >= self.n:
            return self.near[node - self.n, x]
        return Closest(node, self.dual[node] - self.weights[node, x])

    cdef void note_edges(self, Py_ssize_t node, Py_ssize_t v, bint leader) noexcept nogil:
        """Note the edges of `v`, which has just become outer as a vertex of `node`.

        The slack is that to an inner vertex, and when the edge to a free one becomes tight.
        """
        cdef Py_ssize_t x
        cdef long long slack
        for x in range(self.n):
            if self.side[x] != OUTER:
                slack = self.dual[v] + self.dual[x] - self.weights[v, x]
                if slack < self.due[x]:
                    self.due[x], self.reach[x] = slack, v
        if node >= self.n:
            self.note_closest(node, v, leader)

    cdef void note_closest(self, Py_ssize_t blossom, Py_ssize_t node, bint leader) noexcept nogil:
        """Note where a node of a blossom is closer to others than those before; `leader`: none."""
        cdef Py_ssize_t x
        cdef Closest* near = &self.near[blossom - self.n, 0]
        cdef Closest closest
        for x in range(self.n):
            closest = self.closest(node, x)
            if leader or closest.slack < near[x].slack:
                near[x] = closest

    cdef void find_key(self, Py_ssize_t node, long long clock) noexcept nogil:
        """When an outer node meets another outer one, and by which edge."""
        cdef Py_ssize_t x
        cdef Closest closest
        cdef long long time
        self.key[node] = NEVER
        for x in range(self.n):
            if self.side[x] != OUTER or self.top[x] == node:
                continue
            closest = self.closest(node, x)
            time = clock + (closest.slack + self.dual[x] - 2 * clock) // 2
            if time < self.key[node]:
                self.key[node], self.key_edge[node] = time, Edge(closest.vertex, x)

    cdef bint grow(self, Py_ssize_t vertex, long long clock) noexcept nogil:
        """Take the free node of a vertex into the tree; False if its base is unmatched."""
        cdef Py_ssize_t v, node = self.top[vertex]
        cdef Py_ssize_t partner = self.mate[self.base[node]]
        if partner < 0:
            return False
        self.entry[node] = Edge(self.reach[vertex], vertex)
        self.make_inner(node, clock)
        v = self.head[node]
        while v >= 0:
            self.dual[v] -= clock
            self.due[v] -= clock
            self.side[v] = INNER
            v = self.next_vertex(node, v)
        self.fresh[0], self.news = self.top[partner], 1
        return True

    cdef void make_inner(self, Py_ssize_t node, long long clock) noexcept nogil:
        """Label a node and, if it is a blossom, note when its dual will be zero."""
        self.label[node] = INNER
        if node >= self.n:
            self.key[node] = clock + self.z[node] // 2
            self.z[node] += 2 * clock

    cdef void shrink(self, Edge edge, long long clock) noexcept nogil:
        """Make one outer node of all on the cycle that an edge closes."""
        cdef Py_ssize_t k, node, v, blossom = self.join(edge, clock)
        cdef Child* child = &self.child[blossom - self.n, 0]
        cdef bint leader = True
        for k in range(self.size[blossom]):
            node = child[k].node
            if self.label[node] != OUTER:
                continue
            self.z[node] = 0 if node < self.n else self.z[node] + 2 * clock
            self.label[node] = WITHIN
            self.key[node] = NEVER
            self.note_closest(blossom, node, leader)
            leader = False
        for k in range(self.size[blossom]):
            node = child[k].node
            if self.label[node] != INNER:
                continue
            if node >= self.n:
                self.z[node] -= 2 * clock
            self.label[node] = WITHIN
            self.key[node] = NEVER
            v = self.head[node]
            while v >= 0:
                self.dual[v] += 2 * clock
                self.side[v] = OUTER
                self.note_edges(blossom, v, False)
                v = self.next_vertex(node, v)
        self.find_key(blossom, clock)

    cdef Py_ssize_t join(self, Edge edge, long long clock) noexcept nogil:
        """A new outer blossom of the cycle that an edge closes in the tree.

        Its edges to other nodes are not set, and the labels of its children are left as they were.
        """
        cdef Py_ssize_t one = self.top[edge.x], two = self.top[edge.y], left = one, right = two
        cdef Py_ssize_t node, inner, meeting, new, k, count = 1
        cdef Child* child
        self.cycles += 1
        while left < 0 or self.visited[left] != self.cycles:
            if left >= 0:
                self.visited[left] = self.cycles
                left = self.parent(left)
            left, right = right, left
        meeting = left
        self.spares -= 1
        new = self.spare[self.spares]
        child = &self.child[new - self.n, 0]
        child[0].node = meeting
        # From the meeting point down to `one`, counted first and written from its end.
        node = one
        while node != meeting:
            count += 2
            node = self.parent(node)
        k = count - 1
        child[k].link = edge
        node = one
        while node != meeting:
            inner = self.top[self.mate[self.base[node]]]
            child[k].node, child[k - 1].node = node, inner
            child[k - 1].link = Edge(self.base[inner], self.base[node])
            child[k - 2].link = self.entry[inner]
            k -= 2
            node = self.parent(node)
        node = two
        while node != meeting:
            inner = self.top[self.mate[self.base[node]]]
            child[count].node, child[count + 1].node = node, inner
            child[count].link = Edge(self.base[node], self.base[inner])
            child[count + 1].link = Edge(self.entry[inner].y, self.entry[inner].x)
            count += 2
            node = self.parent(node)
        self.size[new] = count
        self.base[new] = self.base[meeting]
        self.label[new], self.up[new], self.z[new] = OUTER, -1, -2 * clock
        self.head[new], self.tail[new] = self.head[meeting], self.tail[child[count - 1].node]
        for k in range(count):
            self.up[child[k].node] = new
            if k:
                self.following[self.tail[child[k - 1].node]] = self.head[child[k].node]
        self.set_top(new)
        return new

    cdef Py_ssize_t parent(self, Py_ssize_t node) noexcept nogil:
        """The outer node above an outer node; -1 for the root."""
        cdef Py_ssize_t partner = self.mate[self.base[node]]
        return -1 if partner < 0 else self.top[self.entry[self.top[partner]].x]

    cdef void set_top(self, Py_ssize_t node) noexcept nogil:
        """Write into all vertices of a node that it is the outermost one."""
        cdef Py_ssize_t v = self.head[node]
        while v >= 0:
            self.top[v] = node
            v = self.next_vertex(node, v)

    cdef void open(self, Py_ssize_t blossom, long long clock) noexcept nogil:
        """Put the children of an inner blossom without a dual in its place in the tree.

        Those on the even way from where the tree comes in to the base are inner and outer in turn
        (the outer ones are added to `fresh`), the others are free.
        """
        cdef Child* child = &self.child[blossom - self.n, 0]
        cdef Edge link
        cdef Py_ssize_t count = self.size[blossom], node, v
        cdef Py_ssize_t k = self.place_of(self.entry[blossom].y, blossom)
        cdef Py_ssize_t step = count - 1 if k % 2 == 0 else 1
        self.retire(blossom)
        self.entry[child[k].node] = self.entry[blossom]
        while True:
            self.make_inner(child[k].node, clock)
            if k == 0:
                break
            k = (k + step) % count
            link = child[k].link
            self.label[child[k].node] = OUTER
            self.fresh[self.news] = child[k].node
            self.news += 1
            k = (k + step) % count
            if step > 1:
                link = Edge(child[k].link.y, child[k].link.x)
            self.entry[child[k].node] = link
        for k in range(count):
            node = child[k].node
            if self.label[node] != FREE:
                continue
            v = self.head[node]
            while v >= 0:
                self.dual[v] += clock
                self.due[v] += clock
                self.side[v] = FREE
                v = self.next_vertex(node, v)

    cdef Py_ssize_t place_of(self, Py_ssize_t vertex, Py_ssize_t blossom) noexcept nogil:
        """Place of the child of a blossom that holds a vertex."""
        cdef Py_ssize_t node = vertex, place = 0
        while self.up[node] != blossom:
            node = self.up[node]
        while self.child[blossom - self.n, place].node != node:
            place += 1
        return place

    cdef void retire(self, Py_ssize_t blossom) noexcept nogil:
        """Let the children of a blossom stand for themselves, free; its number is spare."""
        cdef Py_ssize_t k, node
        self.z[blossom] = 0
        self.label[blossom] = WITHIN
        self.key[blossom] = NEVER
        for k in range(self.size[blossom]):
            node = self.child[blossom - self.n, k].node
            self.up[node] = -1
            self.label[node] = FREE
            self.key[node] = NEVER
            self.set_top(node)
        self.spare[self.spares] = blossom
        self.spares += 1

    cdef bint settle(self, long long clock) noexcept nogil:
        """Duals as they are at the end of a tree; False if they have grown too large."""
        cdef Py_ssize_t v, node
        cdef bint sound = True
        for v in range(self.n):
            if self.side[v] == OUTER:
                self.dual[v] -= clock
            elif self.side[v] == INNER:
                self.dual[v] += clock
            self.z[v] = 0
            if abs(self.dual[v]) > DUAL_LIMIT:
                sound = False
        for node in range(self.n, self.nodes):
            if self.label[node] == OUTER:
                self.z[node] += 2 * clock
            elif self.label[node] == INNER:
                self.z[node] -= 2 * clock
        return sound

    cdef void augment(self, Py_ssize_t vertex) noexcept nogil:
        """Match along the path from an unmatched node through the tree to its root."""
        cdef Py_ssize_t outer = self.reach[vertex], partner = vertex, node, behind
        self.put_base(self.top[partner], partner)
        self.mate[partner] = outer
        while True:
            node = self.top[outer]
            behind = self.mate[self.base[node]]
            self.put_base(node, outer)
            self.mate[outer] = partner
            if behind < 0:
                return
            node = self.top[behind]
            outer, partner = self.entry[node].x, self.entry[node].y
            self.put_base(node, partner)
            self.mate[partner] = outer

    cdef void put_base(self, Py_ssize_t node, Py_ssize_t vertex) noexcept nogil:
        """Match a node's vertices among themselves so that `vertex` is left over."""
        cdef Py_ssize_t here, place, first, last, k, count, depth = 1
        cdef Child* child
        cdef Edge link
        self.moved[0] = Edge(node, vertex)
        while depth:
            depth -= 1
            here = self.moved[depth].x
            if here < self.n:
                continue
            vertex = self.base[here] = self.moved[depth].y
            child, count = &self.child[here - self.n, 0], self.size[here]
            place = self.place_of(vertex, here)
            self.moved[depth] = Edge(child[place].node, vertex)
            depth += 1
            # Along the even way round from the new base to the old one edges change sides.
            first, last = 0, place
            if place % 2:
                first, last = place + 1, count
            for k in range(first, last, 2):
                link = child[k].link
                self.mate[link.x], self.mate[link.y] = link.y, link.x
                self.moved[depth] = Edge(child[k].node, link.x)
                self.moved[depth + 1] = Edge(child[(k + 1) % count].node, link.y)
                depth += 2
            if place:
                turn(child, place)
                turn(&child[place], count - place)
                turn(child, count)

    cdef void dissolve(self) noexcept nogil:
        """Take outermost blossoms without a dual apart: the next tree has no use for them."""
        cdef Py_ssize_t node
        cdef bint again = True
        while again:
            again = False
            for node in range(self.n, self.nodes):
                if self.label[node] != WITHIN and self.z[node] == 0:
                    self.retire(node)
                    again = True


cdef void turn(Child* child, Py_ssize_t count) noexcept nogil:
    """Put children into the opposite order, each with its link."""
    cdef Py_ssize_t k
    for k in range(count // 2):
        child[k], child[count - 1 - k] = child[count - 1 - k], child[k]
