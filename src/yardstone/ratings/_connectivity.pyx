"""Who is joined with whom by results: strong components, and players who hold parts together."""

import numpy as np

from yardstone.ratings._tally cimport Counts


cdef class Edges:
    """Edges of node i are target[start[i] : start[i + 1]]; counted first, then filled in."""

    cdef readonly object arrays
    cdef long long[::1] start, place
    cdef int[::1] target
    cdef bint fills

    def __init__(self, players):
        self.arrays = (np.zeros(players + 1, np.int64), np.zeros(0, np.int32))
        self.start, self.target = self.arrays

    cdef inline void join(self, int source, int goal) noexcept nogil:
        if self.fills:
            self.target[self.place[source]] = goal
            self.place[source] += 1
        else:
            self.start[source + 1] += 1

    def fill(self):
        """All edges are counted: from now on they are filled in."""
        start = np.cumsum(self.arrays[0])
        players = len(start) - 1
        self.arrays = (start, np.zeros(start[players], np.int32))
        self.start, self.target = self.arrays
        self.place, self.fills = start[:players].copy(), True


def edges(pairs, const int[::1] group, const int[:, ::1] ties, bint weak):
    """Edges from losers to winners of a group, both ways for draws and ties, or all (`weak`).

    Returns start (players + 1,) and target (edges,): see `Edges`.
    """
    cdef const int[::1] first = pairs.first, second = pairs.second
    cdef Counts wins = Counts(pairs.wins), draws = Counts(pairs.draws)
    cdef Counts losses = Counts(pairs.losses)
    cdef Edges made = Edges(len(group))
    cdef Py_ssize_t k, i, j
    cdef bint scored, conceded
    for fills in (False, True):
        if fills:
            made.fill()
        with nogil:
            for k in range(first.shape[0]):
                i, j = first[k], second[k]
                if group[i] < 0 or group[i] != group[j]:
                    continue
                scored, conceded = wins.at(k) + draws.at(k) > 0.0, losses.at(k) + draws.at(k) > 0.0
                if scored or (weak and conceded):
                    made.join(j, i)
                if conceded or (weak and scored):
                    made.join(i, j)
            for k in range(ties.shape[0]):
                made.join(ties[k, 0], ties[k, 1])
                made.join(ties[k, 1], ties[k, 0])
    return made.arrays


def components(const long long[::1] start, const int[::1] target):
    """Number of each node's strong component: (nodes,) (Tarjan 1972)."""
    n = len(start) - 1
    label_array = np.full(n, -1, np.int32)
    cdef int[::1] label = label_array, order = np.full(n, -1, np.int32)
    cdef int[::1] low = np.zeros(n, np.int32)
    cdef int[::1] stack = np.empty(n, np.int32), path = np.empty(n, np.int32)
    cdef unsigned char[::1] on_stack = np.zeros(n, np.uint8)
    cdef long long[::1] position = np.array(start[:n])
    cdef Py_ssize_t root, depth, height = 0, node, other, member, parent
    cdef int visited = 0, labels = 0
    cdef bint descended
    with nogil:
        for root in range(order.shape[0]):
            if order[root] >= 0:
                continue
            path[0] = root
            depth = 1
            while depth > 0:
                node = path[depth - 1]
                if order[node] < 0:
                    order[node] = low[node] = visited
                    visited += 1
                    stack[height] = node
                    height += 1
                    on_stack[node] = True
                descended = False
                while position[node] < start[node + 1]:
                    other = target[position[node]]
                    if order[other] < 0:
                        path[depth] = other
                        depth += 1
                        descended = True
                        break
                    if on_stack[other]:
                        low[node] = min(low[node], low[other])
                    position[node] += 1
                if descended:
                    continue
                if low[node] == order[node]:
                    while True:
                        height -= 1
                        member = stack[height]
                        on_stack[member] = False
                        label[member] = labels
                        if member == node:
                            break
                    labels += 1
                depth -= 1
                if depth > 0:
                    parent = path[depth - 1]
                    low[parent] = min(low[parent], low[node])
    return label_array


def met_one(pairs, players):
    """Who met one opponent and no other: bool (players,)."""
    cdef const int[::1] first = pairs.first, second = pairs.second
    cdef Counts wins = Counts(pairs.wins), draws = Counts(pairs.draws)
    cdef Counts losses = Counts(pairs.losses)
    met_array = np.full(players, -1, np.int32)  # -1 nobody yet, -2 several
    cdef int[::1] met = met_array
    cdef Py_ssize_t k
    with nogil:
        for k in range(first.shape[0]):
            if first[k] != second[k] and wins.at(k) + draws.at(k) + losses.at(k) > 0.0:
                note(met, first[k], second[k])
                note(met, second[k], first[k])
    return met_array >= 0


cdef inline void note(int[::1] met, int player, int other) noexcept nogil:
    if met[player] == -1:
        met[player] = other
    elif met[player] != other:
        met[player] = -2


def cut_off(const long long[::1] start, const int[::1] near):
    """How many players each one alone links to the rest: (players,) (Hopcroft and Tarjan 1973)."""
    players = len(start) - 1
    result_array = np.zeros(players, np.int64)
    cdef long long[::1] result = result_array, at = np.array(start[:players])
    cdef int[::1] met = np.zeros(players, np.int32)  # in which order, from 1
    cdef int[::1] reach = np.zeros(players, np.int32)
    cdef int[::1] below = np.ones(players, np.int32)
    cdef int[::1] largest = np.zeros(players, np.int32)  # of the parts that hang on a player only
    cdef int[::1] hanging = np.zeros(players, np.int32)  # players in all of them
    cdef int[::1] parent = np.full(players, -1, np.int32)
    cdef int[::1] order = np.empty(players, np.int32), path = np.empty(players, np.int32)
    cdef Py_ssize_t root, depth, node, other, above, k, begin, others
    cdef int number = 0
    cdef bint descended
    with nogil:
        for root in range(met.shape[0]):
            if met[root] or start[root] == start[root + 1]:
                continue
            begin = number
            order[number] = root
            number += 1
            met[root] = reach[root] = number
            path[0] = root
            depth = 1
            while depth > 0:
                node = path[depth - 1]
                descended = False
                while at[node] < start[node + 1]:
                    other = near[at[node]]
                    at[node] += 1
                    if not met[other]:
                        order[number] = other
                        number += 1
                        met[other] = reach[other] = number
                        parent[other] = node
                        path[depth] = other
                        depth += 1
                        descended = True
                        break
                    if other != parent[node]:
                        reach[node] = min(reach[node], met[other])
                if descended:
                    continue
                depth -= 1
                above = parent[node]
                if above >= 0:
                    below[above] += below[node]
                    reach[above] = min(reach[above], reach[node])
                    if reach[node] >= met[above]:
                        largest[above] = max(largest[above], below[node])
                        hanging[above] += below[node]
            others = number - begin - 1
            for k in range(begin, number):
                node = order[k]
                result[node] = others - max(largest[node], others - hanging[node], 0)
    return result_array
