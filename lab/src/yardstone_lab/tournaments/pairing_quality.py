"""How well ways to pair measure players: the same replicates, one way after the other.

What is measured, and of what, a `Measure` says: `yardstone_lab.tournaments.single_events`
takes the error that is left when the results of one event are used as well as they can
be, `yardstone_lab.tournaments.circuits` Kaniuk's own quality.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from yardstone import parallel
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.tournament.field import WinningLaw
    from yardstone_lab.tournaments.events import Variant

    Values = NDArray[np.float64]

__all__ = ["Measure", "Quality", "compare_quality"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How well one way to pair measures.

    Attributes
    ----------
    name : str
        Of the variant.
    rms, error : float
        Root mean square error of the measured strengths, and its standard error over
        replicates.
    ahead, ahead_error : float
        rms less that of the first variant, paired by replicate.
    replicates : int
        Independent replicates behind the errors.
    """

    name: str
    rms: float
    error: float
    ahead: float
    ahead_error: float
    replicates: int

    @property
    def reach(self) -> float:
        """Standard errors on each side of an interval of 95 %, by Student's t."""
        from scipy.special import stdtrit

        return float(stdtrit(self.replicates - 1, 0.975))


Q = TypeVar("Q", bound=Quality, covariant=True)


class Measure(Protocol[Q]):
    """What is played, and what is measured of it."""

    @property
    def lowest(self) -> int:
        """The lowest grade of the players."""

    @property
    def highest(self) -> int:
        """The highest grade of the players."""

    def figures(self, variant: Variant, chance: WinningLaw, rng: Generator) -> Values:
        """Play one replicate: shape (figures,). Equal `rng` means equal players."""

    def qualities(self, names: Sequence[str], figures: Values) -> tuple[Q, ...]:
        """What figures of shape (replicates, variants, figures) say of each variant."""


def compare_quality(
    variants: Sequence[Variant],
    chance: WinningLaw,
    measure: Measure[Q],
    *,
    replicates: int,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Q, ...]:
    """Measure variants on the same players, replicate by replicate.

    Parameters
    ----------
    variants : sequence of Variant
        The first is the one that others are compared with.
    chance : callable
        Win probability on grades.
    measure : Measure
        What is played and measured.
    replicates : int
        Independent replicates; errors come from their spread.
    seed, workers, progress
        As in `yardstone.tournament.forecast.simulate`.

    Raises
    ------
    UsageError
        No variant, or fewer than two replicates.
    """
    if not variants or replicates < 2:
        raise UsageError("at least one variant and two replicates are needed")
    measured = parallel.map(
        partial(_replicate, tuple(variants), chance, measure, seed),
        range(replicates),
        workers=workers,
        progress=progress,
    )
    return measure.qualities([variant.name for variant in variants], np.array(measured))


def _replicate(
    variants: tuple[Variant, ...],
    chance: WinningLaw,
    measure: Measure[Quality],
    seed: int,
    replicate: int,
) -> Values:
    return np.array(
        [
            measure.figures(variant, chance, np.random.default_rng([seed, replicate]))
            for variant in variants
        ]
    )
