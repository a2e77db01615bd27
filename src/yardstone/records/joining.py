"""Several pools to one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.pool import Pool, SkipReport

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["join_pools", "without_empty_columns"]


def join_pools(pools: Sequence[Pool]) -> Pool:
    """All games of several pools, in their order; equal names are one player.

    Examples
    --------
    >>> one = Pool.from_names(["Ann"], ["Bob"], [1])
    >>> join_pools([one, Pool.from_names(["Bob"], ["Eve"], [0.5])])
    <Pool: 2 games of 3 players>
    """
    if len(pools) == 1:
        return pools[0]
    number: dict[str, int] = {}
    skipped = SkipReport()
    sides: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
    for pool in pools:
        place = np.array(
            [number.setdefault(name, len(number)) for name in pool.players], dtype=np.int32
        )
        sides.append((place[pool.first], place[pool.second]))
        skipped.merge(pool.skipped)
    time = None
    if any(pool.time is not None for pool in pools):
        unknown = np.datetime64("NaT", "s")
        time = np.concatenate(
            [np.full(len(p), unknown) if p.time is None else p.time for p in pools]
        )
    names = dict.fromkeys(name for pool in pools for name in pool.columns)
    return Pool(
        tuple(number),
        np.concatenate([first for first, _ in sides]),
        np.concatenate([second for _, second in sides]),
        np.concatenate([pool.score for pool in pools]),
        time,
        {name: _column(name, pools) for name in names},
        skipped,
        all(pool.ordered for pool in pools),
    )


def without_empty_columns(pool: Pool, among: Collection[str] | None = None) -> Pool:
    """The pool without further columns (or those `among` them) that say nothing of any game."""
    return replace(
        pool,
        columns={
            name: column
            for name, column in pool.columns.items()
            if (among is not None and name not in among) or not _is_empty(column)
        },
    )


def _is_empty(column: NDArray[Any]) -> bool:
    if column.dtype.kind in "f":
        return bool(np.isnan(column).all())
    return column.dtype.kind not in "iub" and bool((column == "").all())


def _column(name: str, pools: Sequence[Pool]) -> NDArray[Any]:
    known = [pool.columns[name] for pool in pools if name in pool.columns]
    texts = any(column.dtype.kind not in "iufb" for column in known)
    kind: Any = np.dtypes.StringDType() if texts else np.float64
    missing = "" if texts else np.nan
    parts = [
        pool.columns[name].astype(kind)
        if name in pool.columns
        else np.full(len(pool), missing, dtype=kind)
        for pool in pools
    ]
    if len(known) == len(pools) and not texts:
        return np.concatenate(known)
    return np.concatenate(parts)
