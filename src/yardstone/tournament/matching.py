"""Maximum weight matching, with a proof that it is one.

The work is done in `yardstone.tournament._matching`. Here stand what may be asked (pairs that must
not be, vertices that stay alone) and `certify`, which checks an answer by linear programming
duality without knowing how it was found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from yardstone.arrays import Flags, Longs
from yardstone.errors import InputError, ModelError
from yardstone.tournament._matching import INNER, LARGEST, Forest

#: A matrix of so many vertices needs some three gigabytes.
_MOST_VERTICES = 10_000
#: Odd sets of vertices, and twice their duals
Blossoms = tuple[tuple[frozenset[int], int], ...]


@dataclass(frozen=True, eq=False)
class Matching:
    """Result of `maximum_matching`."""

    mate: Longs  #: (n,) Number of each vertex's partner; -1 for those that stay alone
    weight: int  #: Sum of the weights of the pairs
    #: (n + alone,) Twice the duals of the vertices; behind them those of the stand-ins with which
    #: vertices that stay alone are matched
    dual: Longs
    blossoms: Blossoms  #: Odd sets of vertices, and twice their duals
    #: If somebody stays alone, why: groups of vertices that only the vertices of `bottleneck` join,
    #: and there are too few of those. Empty otherwise.
    crowd: tuple[tuple[int, ...], ...] = ()
    bottleneck: tuple[int, ...] = ()

    @property
    def alone(self) -> int:
        """Number of vertices without a partner."""
        return int((self.mate < 0).sum())

    def pairs(self) -> list[tuple[int, int]]:
        """Each pair once, the lower number first, in order of it."""
        return [(v, int(w)) for v, w in enumerate(self.mate) if v < w]


def maximum_matching(weights: ArrayLike, allowed: Flags | None = None) -> Matching:
    """As many pairs as possible and, of all such matchings, one of the largest weight.

    Args:
        weights (integer array (n, n)): Symmetric; may be negative. The diagonal is not read.
        allowed (bool array (n, n)): Which pairs may be; symmetric. All by default.

    Raises:
        InputError: A matrix is not square and symmetric, not of whole numbers, or its numbers are
            too large (2**55 and more) or too many.

    Examples:
        >>> matching = maximum_matching([[0, 5, 6, 1], [5, 0, 1, 6], [6, 1, 0, 5], [1, 6, 5, 0]])
        >>> matching.pairs(), matching.weight
        ([(0, 2), (1, 3)], 12)
    """
    plain, n = _checked(weights), len(np.asarray(weights))
    edges = ~np.eye(n, dtype=np.bool_)
    if allowed is not None:
        open_pairs = np.asarray(allowed, np.bool_)
        if open_pairs.shape != (n, n) or (open_pairs != open_pairs.T).any():
            raise InputError("the allowed pairs are not a symmetric matrix of the weights' size")
        edges &= open_pairs
    mate, dual, blossoms, barrier = _match(edges, plain)
    # Groups that cannot all be served, and the vertices that would have to serve them.
    groups = [np.flatnonzero(barrier == state) for state in np.unique(barrier[barrier <= -2])]
    groups.sort(key=lambda group: int(group[0]))
    crowd = tuple(tuple(group.tolist()) for group in groups)
    bottleneck = tuple(np.flatnonzero(barrier == INNER).tolist())
    if (mate < 0).any():
        alone = int((_match(edges, np.zeros_like(plain))[0] < 0).sum())
        # Stand-ins for the missing partners: whoever is left over is matched with one.
        whole = np.zeros((n + alone, n + alone), np.int64)
        whole[:n, :n] = plain
        edges = np.pad(edges, (0, alone), constant_values=True)
        edges[n:, n:] = False
        mate, dual, blossoms, _ = _match(edges, whole)
        mate = np.where(mate < n, mate, -1)[:n]
    rows = np.flatnonzero(mate > np.arange(n))
    return Matching(mate, int(plain[rows, mate[rows]].sum()), dual, blossoms, crowd, bottleneck)


def _checked(weights: ArrayLike) -> Longs:
    entered = np.asarray(weights)
    if entered.ndim != 2 or entered.shape[0] != entered.shape[1]:
        raise InputError(f"weights have shape {entered.shape}, not (n, n)")
    if len(entered) > _MOST_VERTICES:
        raise InputError(f"{len(entered):,} vertices: at most {_MOST_VERTICES:,} can be matched")
    if entered.size and not np.issubdtype(entered.dtype, np.integer):
        raise InputError("weights must be whole numbers")
    plain = entered.astype(np.int64)
    off = ~np.eye(len(entered), dtype=np.bool_)
    if (plain != plain.T).any():
        raise InputError("weights are not symmetric")
    if np.abs(plain).max(where=off, initial=0) > LARGEST // 2 or (plain == -(2**63)).any():
        raise InputError(f"weights must lie within plus and minus {LARGEST // 2}")
    return plain


def _match(edges: Flags, weights: Longs) -> tuple[Longs, Longs, Blossoms, Longs]:
    rows, columns = np.nonzero(edges)
    return match_edges(len(edges), rows, columns, weights[rows, columns])


def match_edges(
    n: int, rows: Longs, columns: Longs, weights: Longs
) -> tuple[Longs, Longs, Blossoms, Longs]:
    """Match n vertices by their edges, which stand with both their ends, by rows and columns.

    Returns `mate`, `dual` and `blossoms` as in `Matching`, of the largest weight if no vertex stays
    alone, and the last array of `Forest.match`.
    """
    start = np.searchsorted(rows, np.arange(n + 1))
    forest = Forest(start, columns.astype(np.int32), 2 * weights)
    sound, mate, dual, z, up, barrier = forest.match()
    if not sound:
        raise ModelError("the weights are too large for a field of this size")
    members: dict[int, set[int]] = {int(b): set() for b in np.flatnonzero(z)}
    for v in range(n):
        node = int(up[v])
        while node >= 0:
            if node in members:
                members[node].add(v)
            node = int(up[node])
    blossoms = tuple((frozenset(inside), int(z[b])) for b, inside in members.items())
    return mate, dual, blossoms, barrier


def force(allowed: Flags, pairs: Iterable[tuple[int, int]]) -> None:
    """Allow these pairs, and none else of their vertices."""
    for a, b in pairs:
        allowed[[a, b], :] = allowed[:, [a, b]] = False
        allowed[a, b] = allowed[b, a] = True


def certify(weights: ArrayLike, matching: Matching, allowed: Flags | None = None) -> bool:
    """Whether duality proves that no matching of as many pairs weighs more.

    Checked are: that the pairs are a matching of allowed pairs; that no edge has a negative slack,
    blossoms counted; that blossoms are odd sets with a dual that is not negative; and that the
    weight equals the dual objective, so that no matching can weigh more. That no more pairs are
    possible follows from `crowd`: more groups of odd size than vertices that join them, by as many
    as stay alone (Tutte and Berge), which is checked for one deficient tree.
    """
    plain = np.asarray(weights, np.int64)
    n, alone = len(plain), matching.alone
    open_pairs = np.ones((n, n), np.bool_) if allowed is None else np.asarray(allowed, np.bool_)
    mate = matching.mate
    paired = np.flatnonzero(mate >= 0)
    if (mate[mate[paired]] != paired).any() or (mate[paired] == paired).any():
        return False
    if not open_pairs[paired, mate[paired]].all() or len(matching.dual) != n + alone:
        return False
    whole = np.zeros((n + alone, n + alone), np.int64)
    whole[:n, :n] = 2 * plain
    edges = np.zeros(whole.shape, np.bool_)
    edges[:n, :n] = open_pairs
    edges[:n, n:] = edges[n:, :n] = True
    np.fill_diagonal(edges, False)
    slack = matching.dual[:, None] + matching.dual[None, :] - whole
    objective = int(matching.dual.sum())
    for inside, dual in matching.blossoms:
        rows = np.fromiter(inside, np.int64)
        if len(rows) % 2 == 0 or dual < 0:
            return False
        slack[np.ix_(rows, rows)] += dual
        objective += dual * (len(rows) // 2)
    if (slack[edges] < 0).any() or objective != 2 * matching.weight:
        return False
    return alone == 0 or _blocked(open_pairs, matching)


def _blocked(allowed: Flags, matching: Matching) -> bool:
    """Whether the groups of `crowd` are odd, more than the bottleneck, and not joined."""
    if len(matching.crowd) != len(matching.bottleneck) + 1:
        return False
    inner = np.zeros(len(allowed), np.bool_)
    inner[np.array(matching.bottleneck, np.int64)] = True
    for group in matching.crowd:
        others = ~inner
        rows = np.array(group, np.int64)
        others[rows] = False
        if len(rows) % 2 == 0 or allowed[np.ix_(rows, np.flatnonzero(others))].any():
            return False
    return True
