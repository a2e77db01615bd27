"""A record with all its variations, as a tree without recursion.

Nodes are numbers in the order of the file, the root is 0. Properties are decoded when
they are asked for, so that a tree of millions of nodes takes a few bytes for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.records._sgf_scan import COLUMNS, NODE_NUMBER
from yardstone.records.sgf_records import property_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records._sgf_scan import PropertyRows
    from yardstone.records.sgf_records import SgfRecord

__all__ = ["SgfTree"]


class SgfTree:
    """One game with its variations.

    Made by `yardstone.records.sgf.read_trees`, or by hand from an empty one with `add`.

    Attributes
    ----------
    file : str
        Where it was read; '' if it was not.
    line : int
        The line at which it begins, from 1.
    number : int
        Its number within the file, from 1.

    Examples
    --------
    >>> tree = SgfTree()
    >>> root = tree.add(None, {"GM": ["1"], "SZ": ["9"]})
    >>> first = tree.add(root, {"B": ["ee"]})
    >>> _ = tree.add(first, {"W": ["gc"]}), tree.add(first, {"W": ["cg"], "C": ["or here"]})
    >>> tree.children(first), tree.main_line(), tree.properties(3)["C"]
    ([2, 3], [0, 1, 2], ('or here',))
    """

    def __init__(self, record: SgfRecord | None = None) -> None:
        self.file = "" if record is None else record.file
        self.line = 0 if record is None else record.line
        self.number = 1 if record is None else record.number
        self._data = b""
        self._rows = np.empty((0, COLUMNS), np.int64)
        self._parents = np.empty(0, np.int32)
        self._made: list[tuple[int, dict[str, tuple[str, ...]]]] = []
        self._children: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        if record is not None:
            rows = record.rows
            self._data = record.data
            self._rows = rows.table.copy()
            self._parents = rows.parents[: rows.nodes].copy()
            self._rows_at = np.searchsorted(self._rows[:, NODE_NUMBER], np.arange(rows.nodes + 1))

    def __len__(self) -> int:
        return len(self._parents) + len(self._made)

    def __repr__(self) -> str:
        return f"<SgfTree: {len(self)} nodes>"

    def parent(self, node: int) -> int | None:
        """The node before this one; None for the root."""
        self._check(node)
        read = len(self._parents)
        parent = int(self._parents[node]) if node < read else self._made[node - read][0]
        return None if parent < 0 else parent

    def children(self, node: int) -> list[int]:
        """The nodes that follow this one, the main line's first."""
        self._check(node)
        order, starts = self._links()
        return [int(child) for child in order[starts[node + 1] : starts[node + 2]]]

    def properties(self, node: int) -> Mapping[str, tuple[str, ...]]:
        """The values of each property of a node, without escapes."""
        self._check(node)
        read = len(self._parents)
        if node >= read:
            return self._made[node - read][1]
        first, last = self._rows_at[node : node + 2].tolist()
        return property_values(self._data, self._rows[first:last])

    def main_line(self) -> list[int]:
        """The nodes of the main line, from the root on."""
        order, starts = self._links()
        line, node = [], -1
        while starts[node + 1] < starts[node + 2]:
            node = int(order[starts[node + 1]])
            line.append(node)
        return line

    def leaves(self) -> Iterator[int]:
        """The last node of every line of play, in the order of the file."""
        has_child = np.zeros(len(self) + 1, bool)
        has_child[self._all_parents() + 1] = True
        yield from np.flatnonzero(~has_child[1:]).tolist()

    def path(self, node: int) -> list[int]:
        """The nodes from the root to this one."""
        line = [node]
        while (parent := self.parent(line[-1])) is not None:
            line.append(parent)
        return line[::-1]

    def add(self, parent: int | None, properties: Mapping[str, Sequence[str] | str]) -> int:
        """Add a node behind `parent` (None: the root), and give its number.

        Raises
        ------
        UsageError
            If there is a root already, no such parent, or a name that is none: names
            of properties are capital letters.
        """
        if parent is None:
            if len(self):
                raise UsageError("the tree has its root already")
            parent = -1
        else:
            self._check(parent)
        made = {}
        for name, values in properties.items():
            if not (name.isascii() and name.isalpha() and name.isupper()):
                raise UsageError(f"{name!r} is not a property name: use capital letters")
            made[name] = (values,) if isinstance(values, str) else tuple(values)
        self._made.append((parent, made))
        self._children = None
        return len(self) - 1

    def line_rows(self, path: Sequence[int]) -> PropertyRows:
        """The rows of the nodes on a path, for `GameBuilder.line`."""
        nodes = np.asarray(path)
        starts, counts = self._rows_at[nodes], np.diff(self._rows_at)[nodes]
        begins = np.cumsum(counts) - counts
        places = np.arange(counts.sum()) + np.repeat(starts - begins, counts)
        rows: PropertyRows = self._rows[places]
        return rows

    def _check(self, node: int) -> None:
        if not 0 <= node < len(self):
            raise UsageError(f"there is no node {node}, only 0 to {len(self) - 1}")

    def _all_parents(self) -> NDArray[np.int64]:
        made = np.array([parent for parent, _ in self._made], np.int64)
        return np.concatenate([self._parents, made])

    def _links(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Children in order of their parents, and where those of each parent (from -1) begin."""
        if self._children is None:
            parents = self._all_parents()
            order = np.argsort(parents, kind="stable")
            starts = np.searchsorted(parents[order], np.arange(-1, len(parents) + 1))
            self._children = order, starts
        return self._children
