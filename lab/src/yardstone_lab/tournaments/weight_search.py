"""The search for pairing weights by which strengths are measured best.

Kaniuk 2011, section 8: the parameters of the weights have so far been set by
experience; the quality of pairing (`yardstone_lab.tournaments.pairing_quality`) lets them
be optimised. The search is optuna's; its best trial is judged on players that it
has not seen, since the best of many trials is partly luck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import log10
from typing import TYPE_CHECKING, Any, Generic

from yardstone.errors import MissingExtraError, UsageError
from yardstone.tournament.model import PairingRules, System
from yardstone.tournament.rules import FloatMode, SeedSystem
from yardstone_lab.tournaments.events import Variant
from yardstone_lab.tournaments.pairing_quality import Measure, Q, compare_quality

if TYPE_CHECKING:
    from yardstone.tournament.field import WinningLaw

__all__ = ["Trial", "WeightSearch", "search_weights"]

#: The search begins at these weights; the upper ends are 10^13 and 10^12.
LOWEST_SCORE, LOWEST_SEEDING = 10**8, 10**4


@dataclass(frozen=True, slots=True)
class Trial:
    """One set of rules that was tried, and the rms it got."""

    number: int
    bar: int
    changes: Mapping[str, Any]
    rms: float


@dataclass(frozen=True)
class WeightSearch(Generic[Q]):
    """Result of `search_weights`.

    Attributes
    ----------
    trials : tuple of Trial
        In the order of trying.
    best : Variant
        The rules of the lowest rms in the search.
    confirmed : tuple of two Quality
        The usual rules and the best ones on fresh players.
    measure : Measure
        What was played and measured.
    replicates : int
        Of each trial.
    """

    trials: tuple[Trial, ...]
    best: Variant
    confirmed: tuple[Q, Q]
    measure: Measure[Q]
    replicates: int


def search_weights(
    chance: WinningLaw,
    measure: Measure[Q],
    *,
    trials: int = 40,
    replicates: int,
    confirm: int,
    start: Variant | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> WeightSearch[Q]:
    """Search for the bar and the weights with the lowest rms.

    Varied are the bar, the weights of score difference and of seeding, how one large
    difference compares with many small ones, both seeding systems, and the choice of
    floaters. Every trial has the same players.

    Parameters
    ----------
    chance : callable
        Win probability on grades.
    measure : Measure
        What is played and measured.
    trials : int
        Sets of rules to try; the first is `start`.
    replicates, confirm : int
        Replicates of each trial, and fresh ones for the comparison in the end.
    start : Variant, optional
        The usual rules: by default McMahon with the bar at 3 dan.
    seed, workers
        As in `yardstone.tournament.forecast.simulate`.
    progress : callable, optional
        Called with the trials that are done and all of them.

    Raises
    ------
    MissingExtraError
        If optuna is not installed.
    UsageError
        If nothing is to be tried.
    """
    try:
        import optuna
    except ImportError:
        raise MissingExtraError("optuna", "tune") from None
    if trials < 1 or confirm < 2 or replicates < 2:
        raise UsageError("at least one trial and two replicates are needed")
    start = start or Variant(name="usual")
    if start.system is System.round_robin:
        raise UsageError("a round robin has no weights to search for")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial(_parameters(start))
    done: list[Trial] = []
    for number in range(trials):
        trial = study.ask()
        variant = _suggest(trial, start, measure)
        (quality,) = compare_quality(
            [variant], chance, measure, replicates=replicates, seed=seed, workers=workers
        )
        study.tell(trial, quality.rms)
        done.append(Trial(number, variant.bar, dict(variant.changes), quality.rms))
        if progress is not None:
            progress(number + 1, trials)
    lowest = min(done, key=lambda each: each.rms)
    best = replace(start, name="best found", bar=lowest.bar, changes=lowest.changes)
    usual, better = compare_quality(
        [start, best], chance, measure, replicates=confirm, seed=seed + 1, workers=workers
    )
    return WeightSearch(tuple(done), best, (usual, better), measure, replicates)


def _parameters(start: Variant) -> dict[str, Any]:
    """The usual rules as parameters of the search."""
    rules = PairingRules().changed(start.changes)
    return {
        "bar": start.bar,
        "score": log10(max(rules.minimise_score_difference, LOWEST_SCORE)),
        "seeding": log10(max(rules.maximise_seeding, LOWEST_SEEDING)),
        "nx1": rules.nx1_factor,
        "seed_system_1": rules.seed_system_1.value,
        "seed_system_2": rules.seed_system_2.value,
        "float_upper": rules.float_upper.value,
        "float_lower": rules.float_lower.value,
    }


def _suggest(trial: Any, start: Variant, measure: Measure[Q]) -> Variant:
    """The rules of a trial."""
    lowest = min((measure.lowest + measure.highest) // 2, start.bar)
    bar = trial.suggest_int("bar", lowest, max(measure.highest, start.bar))
    changes = {
        **start.changes,
        "minimise_score_difference": int(
            10 ** trial.suggest_float("score", log10(LOWEST_SCORE), 13.0)
        ),
        "maximise_seeding": int(10 ** trial.suggest_float("seeding", log10(LOWEST_SEEDING), 12.0)),
        "nx1_factor": trial.suggest_float("nx1", 0.0, 1.0),
    }
    for name in ("seed_system_1", "seed_system_2"):
        changes[name] = SeedSystem(trial.suggest_categorical(name, [s.value for s in SeedSystem]))
    for name in ("float_upper", "float_lower"):
        changes[name] = FloatMode(trial.suggest_categorical(name, [f.value for f in FloatMode]))
    return replace(start, name=f"trial {trial.number}", bar=bar, changes=changes)
