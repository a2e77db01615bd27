"""What an evaluation finds: metrics of each system, and how sure their order is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from yardstone.choices import no_such
from yardstone.display import Displayed
from yardstone.equality import equal_fields
from yardstone.errors import UsageError
from yardstone.evaluation.metrics import LARGER_IS_BETTER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.evaluation.bootstrap import Bootstrap, MeanInterval
    from yardstone.evaluation.calibration import CalibrationCurve
    from yardstone.evaluation.metrics import Measures
    from yardstone.evaluation.splits import Subset

    Array = NDArray[np.float64]

__all__ = ["Evaluation", "Prediction", "Ranking", "Scored"]

#: The subset of all scored games.
REPRESENTATIVE = "representative"


@dataclass(frozen=True, eq=False)
class Prediction:
    """What one system predicted, before each game; frozen.

    Attributes
    ----------
    name : str
    expected : float64 array (games,)
        Expected score of the player who moved first.
    draw : float64 array (games,), optional
        Probability of a draw.
    own_draws : bool
        Whether the system itself predicts draws; else they were added to it.
    parameters : mapping
        Of the system, by name: those that differ from its own.
    seconds : float, optional
        Time it took to predict and to learn from all games.
    baseline : bool
        Not a system to be ranked, only something to compare with.
    given : tuple of str
        What the system was told beside results and dates: margins, say.
    """

    name: str
    expected: Array
    draw: Array | None = None
    own_draws: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = field(default=None, compare=False)
    baseline: bool = False
    given: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Scored:
    """One system's predictions with their measures; frozen.

    Attributes
    ----------
    prediction : Prediction
    metrics : mapping of str to Measures
        By name of the subset; a subset without a game is missing.
    calibration : CalibrationCurve
        On all scored games.
    """

    prediction: Prediction
    metrics: Mapping[str, Measures]
    calibration: CalibrationCurve

    @property
    def name(self) -> str:
        """Name of the system."""
        return self.prediction.name

    def value(self, metric: str, subset: str = REPRESENTATIVE) -> float | None:
        """One measure; None where there is none."""
        return getattr(self.metrics[subset], metric) if subset in self.metrics else None


@dataclass(frozen=True, eq=False)
class Ranking:
    """The order of the systems by one metric on one subset, and how sure it is; frozen.

    Attributes
    ----------
    metric, subset : str
    confidence : float
        Level of all intervals, 0 to 1.
    unit : str
        What they are over: ``"player"`` or ``"game"``.
    names : tuple of str
        From best to worst.
    behind : tuple of MeanInterval or None
        How much worse than the best each system is, in the metric's own units and
        always positive if it is worse. None for the best itself and for a system
        without a finite value.
    best : tuple of float
        Share of the bootstrap in which each system was the best.
    tied : tuple of str
        Those that cannot be distinguished from the best, all comparisons of two systems
        being right together with the given confidence.
    together : tuple of (float, float) or None
        Ends of the intervals of `behind` that hold together with that confidence,
        whichever two of the systems are compared.
    apart : frozenset of pairs of str
        Of which two systems the first predicts better, all together at that confidence.
    """

    metric: str
    subset: str
    confidence: float
    unit: str
    names: tuple[str, ...]
    behind: tuple[MeanInterval | None, ...]
    best: tuple[float, ...]
    tied: tuple[str, ...]
    together: tuple[tuple[float, float] | None, ...] = ()
    apart: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Displayed):
    """Systems compared on the same games; frozen.

    A sequence of `Scored` from best to worst, without baselines; a system's own by its name.

    Attributes
    ----------
    metric : str
        By which systems are ranked.
    confidence : float
        Level of all intervals, 0 to 1.
    games, players : int
        Games that were scored, and their players (0 where players are unknown).
    systems : tuple of Scored
        From best to worst on all games, then baselines.
    subsets : tuple of Subset
        The first holds all games.
    bootstraps : mapping
        By (subset, metric): the systems' names and their means with replicates.
    period : tuple of datetime64 or None
        Times of the first and the last scored game.
    earlier : int
        Games before them, which systems were tuned on and learned from.
    tuned : int
        Sets of parameters tried for each system; 0 if taken as they are.
    notes : tuple of str
        What a reader must know.
    advantages : mapping of str to float
        Rating points for moving first by system, chosen on the earlier games; 0 where none
        helped there. Systems that have no such advantage are missing.
    unable : mapping of str to str
        Systems that could not take these games, and why.
    """

    _made_by: ClassVar[str] = "reports.evaluation:evaluation_document"

    metric: str
    confidence: float
    games: int
    players: int
    systems: tuple[Scored, ...]
    subsets: tuple[Subset, ...]
    bootstraps: Mapping[tuple[str, str], tuple[tuple[str, ...], Bootstrap]]
    period: tuple[np.datetime64, np.datetime64] | None = None
    earlier: int = 0
    tuned: int = 0
    notes: Sequence[str] = ()
    advantages: Mapping[str, float] = field(default_factory=dict)
    unable: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return str(self)

    def __len__(self) -> int:
        return len(self.ranked)

    def __iter__(self) -> Iterator[Scored]:
        return iter(self.ranked)

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, Evaluation) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, key: str | int) -> Scored: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Scored, ...]: ...

    def __getitem__(self, key: str | int | slice) -> Scored | tuple[Scored, ...]:
        if not isinstance(key, str):
            return self.ranked[key]
        for scored in self.systems:
            if scored.name == key:
                return scored
        names = [scored.name for scored in self.systems]
        raise UsageError(no_such("system", key, names))

    @property
    def ranked(self) -> tuple[Scored, ...]:
        """The systems without baselines, from best to worst."""
        return tuple(scored for scored in self.systems if not scored.prediction.baseline)

    @cached_property
    def ranking(self) -> Ranking:
        """By the chosen metric, on all games."""
        return self.ranking_by(self.metric)

    def metrics_of(self, subset: str = REPRESENTATIVE) -> tuple[str, ...]:
        """Metrics that systems can be ranked by on a subset."""
        return tuple(metric for name, metric in self.bootstraps if name == subset)

    def difference(
        self, system: str, other: str, *, metric: str | None = None, subset: str = REPRESENTATIVE
    ) -> MeanInterval:
        """How much better `system` did than `other`: positive if it did better.

        In the metric's own units (a lower Brier score is a positive difference).
        """
        names, bootstrap, sign = self._bootstrap(metric or self.metric, subset)
        for name in (system, other):
            if name not in names:
                raise UsageError(f"{name!r} has no finite {metric or self.metric} on {subset!r}")
        return bootstrap.interval(sign * _contrast(names, system, other), self.confidence)

    def ranking_by(self, metric: str, subset: str = REPRESENTATIVE) -> Ranking:
        """The order of the systems by a metric on a subset."""
        names, bootstrap, sign = self._bootstrap(metric, subset)
        order = np.argsort(-sign * bootstrap.mean, kind="stable")
        ranked = [names[row] for row in order if names[row] in {s.name for s in self.ranked}]
        if not ranked:
            raise UsageError(f"no system has a finite {metric} on {subset!r}")
        top = ranked[0]
        lag = {name: sign * _contrast(names, top, name) for name in ranked[1:]}
        spreads = [bootstrap.spread(contrast) for contrast in lag.values()]
        behind = np.column_stack([np.zeros(len(bootstrap.replicates)), *spreads])
        ahead = behind == behind.min(axis=1, keepdims=True)
        best = (ahead / ahead.sum(axis=1, keepdims=True)).mean(axis=0)
        # Which looks best may be picked afterwards: all differences of two count (Tukey).
        pairs = [_contrast(names, one, other) for one, other in combinations(ranked, 2)]
        reach = bootstrap.reach(pairs, self.confidence)
        couples = list(combinations(ranked, 2))
        ahead_by = {
            couple: (
                sign * float(bootstrap.mean @ pair),
                reach * bootstrap.standard_error(pair),
            )
            for couple, pair in zip(couples, pairs, strict=True)
        }
        apart = frozenset(couple for couple, (lead, error) in ahead_by.items() if lead > error)
        tied = tuple(name for name in lag if (top, name) not in apart)
        together = [
            (lead - error, lead + error) for lead, error in (ahead_by[top, name] for name in lag)
        ]
        missing = [scored.name for scored in self.ranked if scored.name not in ranked]
        intervals: list[MeanInterval | None] = [None]
        intervals += [bootstrap.interval(contrast, self.confidence) for contrast in lag.values()]
        return Ranking(
            metric=metric,
            subset=subset,
            confidence=self.confidence,
            unit=bootstrap.unit,
            names=(*ranked, *missing),
            behind=(*intervals, *[None] * len(missing)),
            best=(*best.tolist(), *[0.0] * len(missing)),
            tied=tied,
            together=(None, *together, *[None] * len(missing)),
            apart=apart,
        )

    def _bootstrap(self, metric: str, subset: str) -> tuple[tuple[str, ...], Bootstrap, float]:
        if (subset, metric) not in self.bootstraps:
            known = sorted({name for part, name in self.bootstraps if part == subset})
            if not known:
                raise UsageError(no_such("subset", subset, [part for part, _ in self.bootstraps]))
            raise UsageError(no_such(f"metric on {subset!r}", metric, known))
        names, bootstrap = self.bootstraps[subset, metric]
        return names, bootstrap, 1.0 if LARGER_IS_BETTER[metric] else -1.0


def _contrast(names: tuple[str, ...], plus: str, minus: str) -> Array:
    contrast = np.zeros(len(names))
    contrast[names.index(plus)] += 1.0
    contrast[names.index(minus)] -= 1.0
    return contrast
