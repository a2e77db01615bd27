"""Maximum weight perfect matching of a graph.

Edmonds' primal-dual method. One alternating tree at a time is grown from an unmatched vertex, as
Dijkstra's algorithm grows a tree of shortest paths: the *clock* is how far the duals have moved
since the tree was a root, every event (an edge becomes tight, the dual of a blossom reaches zero)
falls due at some time, and the earliest, on a heap, is handled next. Duals are kept so that the
clock only has to be taken off (outer) or added (inner) to read them. A tree of t vertices with m
edges takes O(m log t + t²), and a tree that finds an unmatched vertex nearby stays small.

With weights doubled all numbers stay integers: along tight edges the duals of two vertices have the
same parity, so every vertex of a tree has its root's, and half the slack of an edge between two
outer vertices is whole.

J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", 1965; Z. Galil, "Efficient
algorithms for finding maximum matching in graphs", ACM Computing Surveys 18, 1986.
"""

cimport cython

import numpy as np

LARGEST = 2**57  #: Doubled weights lie within plus and minus this.
cdef long long NEVER = 2**59  # nothing falls due so late
cdef long long DUAL_LIMIT = 2**58  # duals beyond this could overflow in the next tree

#: Labels of nodes that belong to no blossom; `WITHIN` stands for all others.
cpdef enum:
    WITHIN = -1
    FREE = 0
    OUTER = 1
    INNER = 2


cdef struct Edge:
    long long x, y


cdef struct Vertex:
    long long mate  # the partner, or -1
    long long dual
    long long top  # the outermost node that holds it
    long long side  # that node's label
    long long due  # when a free vertex is reached; of an inner one the slack
    long long reach  # the outer vertex from which
    long long meeting  # when an outer vertex meets the closest outer one of another node
    long long met  # that one
    long long following  # linked list
    long long barrier  # see `match`


cdef struct Node:
    long long label
    long long z  # dual of a blossom
    long long up  # the blossom it is a child of, or -1
    long long head, tail  # first and last vertex
    long long base  # the vertex that is matched outside the node
    long long visited  # by which search for a cycle
    Edge meeting  # by which an outer node meets another
    Edge entry  # by which the tree came to an inner node: outer, inner vertex
    # Children of a blossom are a ring that begins with the one that holds the base.
    long long first
    long long next, previous
    Edge link  # from this child to the next


@cython.final
cdef class Forest:
    """The matching, the duals and the tree; nodes are the vertices, then the blossoms.

    The neighbours of vertex v (int32, increasing) are `other[start[v]:start[v + 1]]`, with int64
    `weights`, which are even and at most `LARGEST` in size; each edge stands with both its ends.
    """

    # The neighbours of all vertices one after another, and where those of each begin.
    cdef const long long[::1] start
    cdef const int[::1] other
    cdef const long long[::1] weight
    cdef Py_ssize_t n, nodes
    cdef bint begun
    cdef unsigned char[::1] room  # of both
    cdef Vertex* vertex
    cdef Node* node
    # Stacks.
    cdef long long[::1] spare, fresh  # unused nodes; nodes that have just become outer
    cdef Edge[::1] moved  # nodes, and the bases that they get
    cdef Py_ssize_t spares, news, cycles
    # A heap of what happens: free vertices are reached, and, as n + node, nodes change.
    cdef long long[::1] time, heap, place  # of each; in their order; where each stands, or -1
    cdef Py_ssize_t waiting
    cdef long long limit  # when the tree will reach an unmatched vertex at the latest

    def __init__(self, start, other, weights):
        """Every vertex alone, unmatched."""
        cdef Py_ssize_t node, n = len(start) - 1
        cdef Py_ssize_t blossoms = n // 2 + 1, nodes = n + blossoms
        self.start, self.other, self.weight = start, other, weights
        self.n, self.nodes, self.spares = n, nodes, blossoms
        self.room = np.zeros(n * sizeof(Vertex) + nodes * sizeof(Node), np.uint8)
        self.vertex = <Vertex*>&self.room[0]
        self.node = <Node*>&self.room[n * sizeof(Vertex)]
        self.spare, self.fresh = np.zeros((2, nodes), np.int64)
        self.moved = np.empty(2 * nodes, "i8, i8")
        self.time, self.heap, self.place = np.full((3, n + nodes), -1, np.int64)
        for node in range(n):
            self.vertex[node].mate = self.vertex[node].following = -1
            self.vertex[node].top = node
        for node in range(nodes):
            self.node[node].up = -1
            self.node[node].head = self.node[node].tail = self.node[node].base = node
            if node >= n:
                self.node[node].label, self.spare[nodes - 1 - node] = WITHIN, node

    def match(self):
        """Find the perfect matching of the largest weight, or one of as many vertices as can be.

        Returns whether numbers stayed small enough (else the rest means nothing), the partner of
        each vertex or -1, the duals of the vertices, those of the nodes (n + n // 2 + 1,), which
        are zero for all but blossoms, the blossom of which each node is a child or -1, and the
        state (n,) when the first tree could not grow any more: `INNER` for inner vertices, -2 minus
        their node for outer ones, 0 elsewhere and if nobody stays alone.
        """
        cdef Py_ssize_t v
        cdef bint sound
        of_vertices, of_nodes = np.empty((3, self.n), np.int64), np.empty((2, self.nodes), np.int64)
        cdef long long[:, ::1] vertices = of_vertices, nodes = of_nodes
        with nogil:
            if not self.begun:
                self.begun = True
                self.lower_duals()
            sound = self.grow_trees()
            for v in range(self.n):
                vertices[0, v], vertices[1, v] = self.vertex[v].mate, self.vertex[v].dual
                vertices[2, v] = self.vertex[v].barrier
            for v in range(self.nodes):
                nodes[0, v], nodes[1, v] = self.node[v].z, self.node[v].up
        return sound, of_vertices[0], of_vertices[1], of_nodes[0], of_nodes[1], of_vertices[2]

    def extend(self, start, other, weights):
        """Go on with more edges: vertices that have one with a negative slack are unmatched."""
        cdef Py_ssize_t v, w, e, node
        cdef long long slack
        self.start, self.other, self.weight = start, other, weights
        with nogil:
            for v in range(self.n):
                self.cycles += 1
                node = v
                while node >= 0:
                    self.node[node].visited = self.cycles
                    node = self.node[node].up
                for e in range(self.start[v], self.start[v + 1]):
                    w = self.other[e]
                    slack = self.vertex[v].dual + self.vertex[w].dual - self.weight[e]
                    if slack >= 0:
                        continue
                    # The duals of blossoms that hold both count.
                    node = self.node[w].up
                    while node >= 0:
                        if self.node[node].visited == self.cycles:
                            slack += self.node[node].z
                        node = self.node[node].up
                    if slack < 0:
                        self.isolate(v)
                        slack = self.vertex[v].dual + self.vertex[w].dual - self.weight[e]
                        self.vertex[v].dual -= min(slack, 0)

    cdef void isolate(self, Py_ssize_t v) noexcept nogil:
        """Unmatch a vertex, and give the duals of all blossoms that hold it to their vertices."""
        cdef Py_ssize_t blossom = self.vertex[v].top, w
        while blossom >= self.n:
            w = self.node[blossom].head
            while w >= 0:
                self.vertex[w].dual += self.node[blossom].z // 2
                w = self.next_vertex(blossom, w)
            self.unmatch(self.node[blossom].base)
            self.retire(blossom)
            blossom = self.vertex[v].top
        self.unmatch(v)

    cdef void unmatch(self, Py_ssize_t v) noexcept nogil:
        """Leave a vertex and its partner alone."""
        if self.vertex[v].mate >= 0:
            self.vertex[self.vertex[v].mate].mate = -1
            self.vertex[v].mate = -1

    cdef bint grow_trees(self) noexcept nogil:
        """Grow tree after tree; False if a dual has become too large."""
        cdef Py_ssize_t root, vertex, v
        cdef bint sound, whole = True
        cdef long long clock
        cdef Vertex* one
        for root in range(self.n):
            if self.vertex[root].mate >= 0:
                continue
            vertex, clock = self.search(root)
            if vertex < 0 and whole:
                whole = False
                for v in range(self.n):
                    one = &self.vertex[v]
                    one.barrier = -2 - one.top if one.side == OUTER else one.side
            sound = self.settle(clock)
            if vertex >= 0:
                self.augment(vertex)
            if not sound:
                return False
            self.dissolve()
        return True

    cdef void lower_duals(self) noexcept nogil:
        """Feasible duals, lowered one by one, and a first matching along tight edges."""
        cdef Py_ssize_t v, w, partner, e
        cdef long long best, need
        for v in range(self.n):
            best = -NEVER if self.start[v] < self.start[v + 1] else 0
            for e in range(self.start[v], self.start[v + 1]):
                best = max(best, self.weight[e])
            self.vertex[v].dual = best // 2
        for v in range(self.n):
            if self.vertex[v].mate >= 0:
                continue
            best, partner = 0, -1
            for e in range(self.start[v], self.start[v + 1]):
                w = self.other[e]
                need = self.weight[e] - self.vertex[w].dual
                if (
                    partner < 0 or need > best
                    or (need == best and self.vertex[w].mate < 0 <= self.vertex[partner].mate)
                ):
                    best, partner = need, w
            if partner < 0:
                continue
            self.vertex[v].dual = best
            if self.vertex[partner].mate < 0:
                self.vertex[v].mate, self.vertex[partner].mate = partner, v

    cdef (Py_ssize_t, long long) search(self, Py_ssize_t root) noexcept nogil:
        """Grow a tree from an unmatched vertex: the vertex where it ends or -1, and the clock."""
        cdef Py_ssize_t node, v, at
        cdef long long clock = 0
        for v in range(self.n):
            self.vertex[v].due = self.vertex[v].meeting = NEVER
            self.vertex[v].side = FREE
        for node in range(self.nodes):
            if self.node[node].label != WITHIN:
                self.node[node].label = FREE
        while self.waiting:
            self.waiting -= 1
            self.place[self.heap[self.waiting]] = -1
        self.limit = NEVER - 1
        self.fresh[0], self.news = self.vertex[root].top, 1
        while True:
            self.make_outer(clock)
            if not self.waiting:
                return -1, clock
            at = self.heap[0]
            clock = self.time[at]
            if at < self.n:
                if not self.grow(at, clock):
                    return at, clock
            elif self.node[at - self.n].label == INNER:
                self.open(at - self.n, clock)
            else:
                self.shrink(self.node[at - self.n].meeting, clock)

    cdef void make_outer(self, long long clock) noexcept nogil:
        """Read the nodes of `fresh` as outer, and note their edges to all other nodes."""
        cdef Py_ssize_t k, node, v
        cdef Vertex* one
        for k in range(self.news):
            node = self.fresh[k]
            self.node[node].label = OUTER
            self.node[node].z -= 2 * clock
            v = self.node[node].head
            while v >= 0:
                one = &self.vertex[v]
                one.dual += 2 * clock if one.side == INNER else clock
                one.side = OUTER
                self.forget(v)
                v = self.next_vertex(node, v)
        for k in range(self.news):
            node = self.fresh[k]
            v = self.node[node].head
            while v >= 0:
                self.note_edges(node, v)
                v = self.next_vertex(node, v)
            self.find_meeting(node)
        self.news = 0

    cdef inline Py_ssize_t next_vertex(self, Py_ssize_t node, Py_ssize_t v) noexcept nogil:
        """The vertex of a node behind `v`; -1 behind the last."""
        return -1 if v == self.node[node].tail else self.vertex[v].following

    cdef void note_edges(self, Py_ssize_t node, Py_ssize_t v) noexcept nogil:
        """Note the edges of `v`, which has just become outer as a vertex of `node`.

        The slack is that to an inner vertex, when the edge to a free one becomes tight, and twice
        when that to an outer one does.
        """
        cdef Py_ssize_t x, e
        cdef long long slack
        cdef Vertex* one = &self.vertex[v]
        cdef Vertex* two
        for e in range(self.start[v], self.start[v + 1]):
            x = self.other[e]
            two = &self.vertex[x]
            slack = one.dual + two.dual - self.weight[e]
            if two.side == OUTER:
                if two.top != node:
                    note_meeting(one, slack // 2, x)
                    note_meeting(two, slack // 2, v)
            elif slack < two.due:
                two.due, two.reach = slack, v
                if two.side == FREE:
                    self.await_vertex(x)

    cdef void await_vertex(self, Py_ssize_t x) noexcept nogil:
        """A free vertex will be reached."""
        cdef long long due = self.vertex[x].due
        if due > self.limit:
            return
        if self.vertex[self.node[self.vertex[x].top].base].mate < 0:
            self.limit = due
        self.expect(x, due)

    cdef void find_meeting(self, Py_ssize_t node) noexcept nogil:
        """When an outer node meets another outer one, and by which edge."""
        cdef Py_ssize_t v = self.node[node].head, e, x
        cdef long long time = NEVER
        cdef Edge edge
        cdef Vertex* one
        while v >= 0:
            one = &self.vertex[v]
            if one.meeting < NEVER and self.vertex[one.met].top == node:
                one.meeting = NEVER
                for e in range(self.start[v], self.start[v + 1]):
                    x = self.other[e]
                    if self.vertex[x].side == OUTER and self.vertex[x].top != node:
                        note_meeting(
                            one, (one.dual + self.vertex[x].dual - self.weight[e]) // 2, x
                        )
            if one.meeting < time or (one.meeting == time < NEVER and one.met < edge.y):
                time, edge = one.meeting, Edge(v, one.met)
            v = self.next_vertex(node, v)
        if time <= self.limit:
            self.node[node].meeting = edge
            self.expect(self.n + node, time)

    cdef bint grow(self, Py_ssize_t vertex, long long clock) noexcept nogil:
        """Take the free node of a vertex into the tree; False if its base is unmatched."""
        cdef Py_ssize_t v, node = self.vertex[vertex].top
        cdef Py_ssize_t partner = self.vertex[self.node[node].base].mate
        if partner < 0:
            return False
        self.node[node].entry = Edge(self.vertex[vertex].reach, vertex)
        self.make_inner(node, clock)
        v = self.node[node].head
        while v >= 0:
            self.vertex[v].dual -= clock
            self.vertex[v].due -= clock
            self.vertex[v].side = INNER
            self.forget(v)
            v = self.next_vertex(node, v)
        self.fresh[0], self.news = self.vertex[partner].top, 1
        return True

    cdef void make_inner(self, Py_ssize_t node, long long clock) noexcept nogil:
        """Label a node and, if it is a blossom, note when its dual will be zero."""
        cdef Node* inner = &self.node[node]
        inner.label = INNER
        if node >= self.n:
            if clock + inner.z // 2 <= self.limit:
                self.expect(self.n + node, clock + inner.z // 2)
            inner.z += 2 * clock

    cdef void shrink(self, Edge edge, long long clock) noexcept nogil:
        """Make one outer node of all on the cycle that an edge closes."""
        cdef Py_ssize_t node, v, blossom = self.join(edge, clock)
        cdef Py_ssize_t first = self.node[blossom].first
        cdef Node* child
        node = first
        while True:
            child = &self.node[node]
            self.forget(self.n + node)
            if child.label == OUTER:
                child.z = 0 if node < self.n else child.z + 2 * clock
            else:
                if node >= self.n:
                    child.z -= 2 * clock
                v = child.head
                while v >= 0:
                    self.vertex[v].dual += 2 * clock
                    self.vertex[v].side = OUTER
                    self.note_edges(blossom, v)
                    v = self.next_vertex(node, v)
            child.label = WITHIN
            node = child.next
            if node == first:
                break
        self.find_meeting(blossom)

    cdef Py_ssize_t join(self, Edge edge, long long clock) noexcept nogil:
        """A new outer blossom of the cycle that an edge closes in the tree.

        Its edges to other nodes are not set, and the labels of its children are left as they were.
        """
        cdef Py_ssize_t one = self.vertex[edge.x].top, two = self.vertex[edge.y].top
        cdef Py_ssize_t left = one, right = two, node, inner, new
        cdef Node* blossom
        cdef Edge entry
        self.cycles += 1
        while left < 0 or self.node[left].visited != self.cycles:
            if left >= 0:
                self.node[left].visited = self.cycles
                left = self.parent(left)
            left, right = right, left
        # From the meeting point, where both ways end, down to `one`, over the edge, and up again.
        self.chain(one, two, edge)
        node = one
        while node != left:
            inner = self.partner(node)
            entry = self.node[inner].entry
            self.chain(inner, node, Edge(self.node[inner].base, self.node[node].base))
            node = self.vertex[entry.x].top
            self.chain(node, inner, entry)
        node = two
        while node != left:
            inner = self.partner(node)
            entry = self.node[inner].entry
            self.chain(node, inner, Edge(self.node[node].base, self.node[inner].base))
            node = self.vertex[entry.x].top
            self.chain(inner, node, Edge(entry.y, entry.x))
        self.spares -= 1
        new = self.spare[self.spares]
        blossom = &self.node[new]
        blossom.first, blossom.base = left, self.node[left].base
        blossom.label, blossom.up, blossom.z = OUTER, -1, -2 * clock
        blossom.head = self.node[left].head
        blossom.tail = self.node[self.node[left].previous].tail
        node = left
        while True:
            self.node[node].up = new
            self.vertex[self.node[node].tail].following = self.node[self.node[node].next].head
            node = self.node[node].next
            if node == left:
                break
        self.set_top(new)
        return new

    cdef inline void chain(self, Py_ssize_t one, Py_ssize_t two, Edge link) noexcept nogil:
        """Let one child of a blossom follow another."""
        self.node[one].next, self.node[one].link = two, link
        self.node[two].previous = one

    cdef inline Py_ssize_t partner(self, Py_ssize_t node) noexcept nogil:
        """The node with which another, which is not unmatched, is matched."""
        return self.vertex[self.vertex[self.node[node].base].mate].top

    cdef Py_ssize_t parent(self, Py_ssize_t node) noexcept nogil:
        """The outer node above an outer node; -1 for the root."""
        if self.vertex[self.node[node].base].mate < 0:
            return -1
        return self.vertex[self.node[self.partner(node)].entry.x].top

    cdef void set_top(self, Py_ssize_t node) noexcept nogil:
        """Write into all vertices of a node that it is the outermost one."""
        cdef Py_ssize_t v = self.node[node].head
        while v >= 0:
            self.vertex[v].top = node
            v = self.next_vertex(node, v)

    cdef void open(self, Py_ssize_t blossom, long long clock) noexcept nogil:
        """Put the children of an inner blossom without a dual in its place in the tree.

        Those on the even way from where the tree comes in to the base are inner and outer in turn
        (the outer ones are added to `fresh`), the others are free.
        """
        cdef Py_ssize_t first = self.node[blossom].first, v
        cdef Py_ssize_t node = self.child_of(self.node[blossom].entry.y, blossom)
        cdef bint back = self.distance(first, node) % 2 == 0
        cdef Edge link
        self.retire(blossom)
        self.node[node].entry = self.node[blossom].entry
        while True:
            self.make_inner(node, clock)
            if node == first:
                break
            node = self.node[node].previous if back else self.node[node].next
            link = self.node[node].link
            self.node[node].label = OUTER
            self.fresh[self.news] = node
            self.news += 1
            node = self.node[node].previous if back else self.node[node].next
            if back:
                link = Edge(self.node[node].link.y, self.node[node].link.x)
            self.node[node].entry = link
        while True:
            if self.node[node].label == FREE:
                v = self.node[node].head
                while v >= 0:
                    self.vertex[v].dual += clock
                    self.vertex[v].due += clock
                    self.vertex[v].side = FREE
                    self.await_vertex(v)
                    v = self.next_vertex(node, v)
            node = self.node[node].next
            if node == first:
                break

    cdef Py_ssize_t child_of(self, Py_ssize_t vertex, Py_ssize_t blossom) noexcept nogil:
        """The child of a blossom that holds a vertex."""
        cdef Py_ssize_t node = vertex
        while self.node[node].up != blossom:
            node = self.node[node].up
        return node

    cdef Py_ssize_t distance(self, Py_ssize_t first, Py_ssize_t child) noexcept nogil:
        """Number of steps from one child of a blossom to another."""
        cdef Py_ssize_t steps = 0
        while first != child:
            first = self.node[first].next
            steps += 1
        return steps

    cdef void retire(self, Py_ssize_t blossom) noexcept nogil:
        """Let the children of a blossom stand for themselves, free; its number is spare."""
        cdef Py_ssize_t first = self.node[blossom].first, node = first
        self.node[blossom].z = 0
        self.node[blossom].label = WITHIN
        self.forget(self.n + blossom)
        while True:
            self.node[node].up = -1
            self.node[node].label = FREE
            self.set_top(node)
            node = self.node[node].next
            if node == first:
                break
        self.spare[self.spares] = blossom
        self.spares += 1

    cdef bint settle(self, long long clock) noexcept nogil:
        """Duals as they are at the end of a tree; False if they have grown too large."""
        cdef Py_ssize_t v
        cdef bint sound = True
        cdef Vertex* one
        cdef Node* node
        for v in range(self.n):
            one = &self.vertex[v]
            if one.side == OUTER:
                one.dual -= clock
            elif one.side == INNER:
                one.dual += clock
            self.node[v].z = 0
            if abs(one.dual) > DUAL_LIMIT:
                sound = False
        for v in range(self.n, self.nodes):
            node = &self.node[v]
            if node.label == OUTER:
                node.z += 2 * clock
            elif node.label == INNER:
                node.z -= 2 * clock
        return sound

    cdef void augment(self, Py_ssize_t vertex) noexcept nogil:
        """Match along the path from an unmatched node through the tree to its root."""
        cdef Py_ssize_t outer = self.vertex[vertex].reach, partner = vertex, node, behind
        self.put_base(self.vertex[partner].top, partner)
        self.vertex[partner].mate = outer
        while True:
            node = self.vertex[outer].top
            behind = self.vertex[self.node[node].base].mate
            self.put_base(node, outer)
            self.vertex[outer].mate = partner
            if behind < 0:
                return
            node = self.vertex[behind].top
            outer, partner = self.node[node].entry.x, self.node[node].entry.y
            self.put_base(node, partner)
            self.vertex[partner].mate = outer

    cdef void put_base(self, Py_ssize_t node, Py_ssize_t vertex) noexcept nogil:
        """Match a node's vertices among themselves so that `vertex` is left over."""
        cdef Py_ssize_t here, first, child, last, depth = 1
        cdef Edge link
        self.moved[0] = Edge(node, vertex)
        while depth:
            depth -= 1
            here = self.moved[depth].x
            if here < self.n:
                continue
            vertex = self.node[here].base = self.moved[depth].y
            first, child = self.node[here].first, self.child_of(vertex, here)
            self.node[here].first = child
            self.moved[depth] = Edge(child, vertex)
            depth += 1
            # Along the even way round from the new base to the old one edges change sides.
            last = child
            if self.distance(first, child) % 2:
                first, last = self.node[child].next, self.node[first].next
            while first != last:
                link = self.node[first].link
                self.vertex[link.x].mate, self.vertex[link.y].mate = link.y, link.x
                self.moved[depth] = Edge(first, link.x)
                self.moved[depth + 1] = Edge(self.node[first].next, link.y)
                depth += 2
                first = self.node[self.node[first].next].next

    cdef void dissolve(self) noexcept nogil:
        """Take outermost blossoms without a dual apart: the next tree has no use for them."""
        cdef Py_ssize_t node
        cdef bint again = True
        while again:
            again = False
            for node in range(self.n, self.nodes):
                if self.node[node].label != WITHIN and self.node[node].z == 0:
                    self.retire(node)
                    again = True

    cdef void expect(self, Py_ssize_t event, long long time) noexcept nogil:
        """Let something happen, at a time that is not later than it was."""
        cdef Py_ssize_t at = self.place[event]
        self.time[event] = time
        if at < 0:
            at = self.waiting
            self.waiting += 1
        self.rise(event, at)

    cdef void forget(self, Py_ssize_t event) noexcept nogil:
        """Let something not happen."""
        cdef Py_ssize_t at = self.place[event], last, below
        if at < 0:
            return
        self.place[event] = -1
        self.waiting -= 1
        if at == self.waiting:
            return
        last = self.heap[self.waiting]
        while True:
            below = 2 * at + 1
            if below + 1 < self.waiting and self.sooner(self.heap[below + 1], self.heap[below]):
                below += 1
            if below >= self.waiting or not self.sooner(self.heap[below], last):
                break
            self.heap[at] = self.heap[below]
            self.place[self.heap[at]] = at
            at = below
        self.rise(last, at)

    cdef void rise(self, Py_ssize_t event, Py_ssize_t at) noexcept nogil:
        """Put an event into its place on the heap, upwards from one that is empty."""
        while at and self.sooner(event, self.heap[(at - 1) // 2]):
            self.heap[at] = self.heap[(at - 1) // 2]
            self.place[self.heap[at]] = at
            at = (at - 1) // 2
        self.heap[at], self.place[event] = event, at

    cdef inline bint sooner(self, Py_ssize_t one, Py_ssize_t two) noexcept nogil:
        return self.time[one] < self.time[two] or (self.time[one] == self.time[two] and one < two)


cdef inline void note_meeting(Vertex* one, long long time, Py_ssize_t met) noexcept nogil:
    """Note when an outer vertex meets another outer one, of two at once the lower."""
    if time < one.meeting or (time == one.meeting and met < one.met):
        one.meeting, one.met = time, met
