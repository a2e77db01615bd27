"""Columns that some systems cannot do without, made up for pools of any games."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from yardstone.pool import Pool
from yardstone.ratings.systems import find_system


def with_needed(pool: Pool, system: str) -> Pool:
    """The pool with error rates, if the system needs them."""
    if find_system(system).needs != "first_epm":
        return pool
    generator = np.random.default_rng(7)
    rates = {
        f"{side}_{name}": generator.gamma(3.0, size / 3.0, len(pool))
        for side in ("first", "second")
        for name, size in (("epm", 0.012), ("epc", 0.03))
    }
    return replace(pool, columns={**pool.columns, **rates})
