"""Columns that some systems cannot do without, made up for pools of any games."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from yardstone.pool import Pool
from yardstone.ratings.systems import find_system


def with_needed(pool: Pool, system: str) -> Pool:
    """The pool with error rates, grades or ratings, if the system needs them."""
    generator = np.random.default_rng(7)
    needs = find_system(system).needs
    if needs == "first_grade":
        grades = {
            f"{side}_grade": generator.choice(["3k", "1d", "4d"], len(pool))
            for side in ("first", "second")
        }
        return replace(pool, columns={**pool.columns, **grades})
    if needs == "first_rating":
        ratings = {f"{side}_rating": generator.normal(2800, 200, len(pool)).round()
                   for side in ("first", "second")}  # fmt: skip
        return replace(pool, columns={**pool.columns, **ratings})
    if needs != "first_epm":
        return pool
    rates = {
        f"{side}_{name}": generator.gamma(3.0, size / 3.0, len(pool))
        for side in ("first", "second")
        for name, size in (("epm", 0.012), ("epc", 0.03))
    }
    return replace(pool, columns={**pool.columns, **rates})
