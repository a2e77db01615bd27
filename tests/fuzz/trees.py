"""Mutations of JSON: values of other kinds, missing and doubled ones, great depth."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

__all__ = ["changed_json"]

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.5, 1e308, float("nan"), float("inf"), 2**31, 2**63, 2**64,
    10**40, 10**4000, "", "x", "nan", "1", "\u202e\x1b[2J", "a" * 5000, "\ud800", [], {},
    [[]], [1, 2], {"a": 1}, "2024-01-01", "9999-99-99", -(2**63), "../x", "/dev/null",
)  # fmt: skip


def changed_json(data: bytes, rng: random.Random) -> bytes | None:
    """The text with some values changed; None if it is none."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return None
    for _ in range(1 + int(rng.expovariate(1.0))):
        tree = _changed(tree, rng)
    try:
        text = json.dumps(tree, ensure_ascii=rng.random() < 0.5)
    except (ValueError, RecursionError):
        return None
    deep = rng.random()
    if deep < 0.03:
        text = text.replace("1", "[" * 5000, 1)
    elif deep < 0.06:
        text = text.replace("0", "9" * 5000, 1)
    return text.encode(errors="surrogatepass")


def _changed(tree: Any, rng: random.Random) -> Any:
    """The tree with one place changed, which is chosen by going down from the root."""
    if isinstance(tree, dict) and tree and rng.random() < 0.95:
        name = rng.choice(list(tree))
        change = rng.random()
        if change < 0.08:
            del tree[name]
        elif change < 0.12:
            tree[rng.choice(("", "x", "__class__", name + " "))] = tree[name]
        else:
            tree[name] = _changed(tree[name], rng)
        return tree
    if isinstance(tree, list) and tree and rng.random() < 0.95:
        place = rng.randrange(len(tree))
        change = rng.random()
        if change < 0.08:
            del tree[place]
        elif change < 0.14:
            tree.insert(place, tree[rng.randrange(len(tree))])
        elif change < 0.17:
            tree *= 3
        else:
            tree[place] = _changed(tree[place], rng)
        return tree
    number = isinstance(tree, (int, float)) and not isinstance(tree, bool) and abs(tree) < 1e300
    if number and rng.random() < 0.4:
        return tree + rng.choice((-1, 1, 0.5, 1000))
    if isinstance(tree, str) and tree and rng.random() < 0.4:
        return tree[: rng.randrange(len(tree))] + rng.choice(("", "x", "\x07", "é", " ", tree))
    return deepcopy(rng.choice(_VALUES))  # the next change must not change it
