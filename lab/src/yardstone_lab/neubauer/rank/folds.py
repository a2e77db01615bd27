"""Folds of sides of games such that no player's name is in two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["components", "player_folds"]


def components(first: NDArray[Any], second: NDArray[Any]) -> Ints:
    """Which connected part of the graph of pairings each game lies in.

    Parameters
    ----------
    first, second : str array [n]
        Who played each game.

    Returns
    -------
    int64 [n]
        Numbers from 0 in order of appearance; two games have the same if players lead
        from one to the other.
    """
    parent: dict[Any, Any] = {}

    def root(name: Any) -> Any:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    for one, other in pairs:
        parent[root(one)] = root(other)
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(root(one), len(numbers)) for one, _ in pairs], np.int64)


def player_folds(
    first: NDArray[Any], second: NDArray[Any], group: Ints, folds: int, seed: int
) -> Ints:
    """The fold of each game: nobody's games, nor those of any opponent, are in two.

    Large connected parts are dealt out first, each to the fold that holds the fewest
    games of its groups; equal seeds give equal folds.
    """
    part = components(first, second)
    random = np.random.default_rng(seed)
    kinds = int(group.max(initial=0)) + 1
    size = np.zeros((int(part.max(initial=-1)) + 1, kinds))
    np.add.at(size, (part, group), 1.0)
    held = np.zeros((folds, kinds))
    fold_of = np.zeros(len(size), np.int64)
    order = np.argsort(-(size.sum(axis=1) + random.random(len(size))), kind="stable")
    for number in order:
        fold = int(np.argmin(held @ size[number]))
        fold_of[number] = fold
        held[fold] += size[number]
    return fold_of[part]
