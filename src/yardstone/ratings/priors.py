"""What may be known beforehand: priors, anchors and relations."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from yardstone.errors import UsageError

__all__ = ["Prior", "Relation"]


@dataclass(frozen=True, slots=True)
class Prior:
    """A Gaussian belief: `mean` with standard `deviation`, which must be positive.

    In rating points for ratings and the first-move advantage, from 0 to 1 for the
    draw rate.
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        if not (isfinite(self.mean) and isfinite(self.deviation) and self.deviation > 0.0):
            raise UsageError(f"a prior needs a finite mean and a positive deviation, not {self}")


@dataclass(frozen=True, slots=True)
class Relation:
    """A belief about two players: `player` is `difference` points above `other`.

    Ordo's relative anchors (switch ``-r``); `deviation` must be positive.
    """

    player: str
    other: str
    difference: float
    deviation: float

    def __post_init__(self) -> None:
        if not (isfinite(self.difference) and isfinite(self.deviation) and self.deviation > 0.0):
            raise UsageError(
                f"a relation needs a finite difference and a positive deviation, not {self}"
            )
