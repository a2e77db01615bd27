"""What may be known beforehand: priors, anchors and relations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PlayerPriors", "Prior", "Relation"]


@dataclass(frozen=True, slots=True)
class Prior:
    """A Gaussian belief: `mean` with standard `deviation`, which must be positive.

    In rating points for ratings and the first-move advantage, from 0 to 1 for the
    draw rate.
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        check_fields(self)
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
        check_fields(self)
        if not (isfinite(self.difference) and isfinite(self.deviation) and self.deviation > 0.0):
            raise UsageError(
                f"a relation needs a finite difference and a positive deviation, not {self}"
            )


class PlayerPriors(Mapping[str, Prior]):
    """What is known of some players before their first game; frozen.

    Strength from the moves of earlier games, or a grade from elsewhere. Everyone else
    is a newcomer.

    Parameters
    ----------
    priors : mapping of str to Prior, or to (mean, deviation)
        By name, in points of the system that takes them.

    Examples
    --------
    >>> PlayerPriors({"Ann": (1800.0, 120.0)})["Ann"]
    Prior(mean=1800.0, deviation=120.0)
    """

    __slots__ = ("_digest", "_priors")

    def __init__(self, priors: Mapping[str, Prior | tuple[float, float]]) -> None:
        self._priors = {
            name: prior if isinstance(prior, Prior) else Prior(float(prior[0]), float(prior[1]))
            for name, prior in priors.items()
        }
        text = repr(sorted((name, p.mean, p.deviation) for name, p in self._priors.items()))
        self._digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def __getitem__(self, name: str) -> Prior:
        return self._priors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._priors)

    def __len__(self) -> int:
        return len(self._priors)

    @staticmethod
    def check(priors: object) -> None:
        """Raise UsageError for what is neither None nor priors of players."""
        if priors is not None and not isinstance(priors, PlayerPriors):
            raise UsageError(f"priors of players are given as PlayerPriors, not as {priors!r}")

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        # Short, but different for different priors: a state must know what made it.
        return f"<PlayerPriors: {len(self)} players, {self._digest}>"

    def arrays(self, players: tuple[str, ...], prior: Prior) -> NDArray[np.float64]:
        """Mean and deviation of each player, `prior` for those not named: (players, 2)."""
        table = np.empty((len(players), 2))
        table[:] = prior.mean, prior.deviation
        for row, name in enumerate(players):
            if (own := self._priors.get(name)) is not None:
                table[row] = own.mean, own.deviation
        return table
