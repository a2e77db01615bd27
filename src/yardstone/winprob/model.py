"""A model of winning: a law with what is known of its errors, and what it was made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from yardstone.errors import UsageError
from yardstone.winprob.head_start import head_start

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.winprob.coefficient_region import CoefficientRegion

    Array = NDArray[np.float64]

__all__ = ["ProbabilityFormula", "WinningModel"]


class ProbabilityFormula(Protocol):
    """What gives a probability."""

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Array:
        """Probability that the first, who is Black and moves first, wins."""
        ...


@dataclass(frozen=True, eq=False)
class WinningModel:
    """A model of winning; frozen.

    Attributes
    ----------
    name : str
        One of `MODELS`, or the name of a file.
    about : str
        In one line, what it was fitted to or where it is from.
    law : ProbabilityFormula
        Its formula.
    scale : {"grades", "points"}
        What strengths are: grades in zero-shodan units (1 dan is 0, 1 kyu -1), or points.
    lowest, highest, apart : float
        Weakest and strongest grade, and largest difference of grades in even games, of what
        it was made for; beyond them it extrapolates.
    region : CoefficientRegion, optional
        What is known of the errors of its coefficients.
    no_interval : str
        Why there is no interval, where there is none.
    spread : float, optional
        Standard deviation of players' true strengths about their grades, in grades, where it
        was fitted.
    made : str
        The day and the version of Yardstone, of a model from a file.
    """

    name: str
    about: str
    law: ProbabilityFormula
    scale: Literal["grades", "points"] = "grades"
    lowest: float = -np.inf
    highest: float = np.inf
    apart: float = np.inf
    region: CoefficientRegion | None = None
    no_interval: str = "it was published without errors"
    spread: float | None = None
    made: str = ""

    def __repr__(self) -> str:
        return f"<WinningModel {self.name}: {self.about}>"

    @property
    def of_events(self) -> bool:
        """Whether it is known how much events differ, so that intervals are for one event."""
        return self.region is not None and self.region.between is not None

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Array:
        """Probability that `first` beats `second`; shapes broadcast.

        Parameters
        ----------
        first, second : array_like
            Strengths of the player who moves first (Black in Go) and of the other, on `scale`.
        handicap : array_like
            Stones of the first; 0 is an even game, and with 1 he only moves first.
        komi : array_like, optional
            Points that the first gives: by default what is usual, 7 in an even game (8 with
            Goldis) and none with stones.

        Raises
        ------
        UsageError
            A strength is no number, or stones or komi are such as nobody gives.
        """
        if not (np.all(np.isfinite(first)) and np.all(np.isfinite(second))):
            raise UsageError("strengths must be numbers")
        return self.law.probability(first, second, handicap=handicap, komi=komi)

    def interval(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
        level: float = 0.95,
        average: bool = False,
    ) -> tuple[Array, Array] | None:
        """Return the interval of `probability` in one event, its parameters alike.

        Parameters
        ----------
        level : float
            0 to 1.
        average : bool
            Give the narrower interval of the average over events. Models that were fitted to
            games without events have no other.

        Returns
        -------
        low, high : arrays
            None where nothing is known of the errors of the coefficients, or not of the worth
            of a stone where there are stones or another komi (`no_interval` says why).
        """
        if self.region is None:
            return None
        if "stone" not in self.region.free and np.any(head_start(handicap, komi) != 0.0):
            return None
        return self.region.interval(
            first, second, handicap=handicap, komi=komi, level=level, average=average
        )

    def extrapolates(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.bool_]:
        """Whether these strengths lie outside what the model was made for."""
        one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
        outside = (np.minimum(one, two) < self.lowest) | (np.maximum(one, two) > self.highest)
        return np.asarray(outside | (np.abs(one - two) > self.apart))
