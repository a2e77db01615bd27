"""How well pairings serve: single events, circuits of events, and the best weights of criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import log10
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from yardstone import parallel
from yardstone.choices import check_fields
from yardstone.clusters import t_quantile
from yardstone.errors import MissingExtraError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.egf import EGF
from yardstone.tournament.field import (
    GRADE_SPREAD,
    LOWEST_GRADE,
    EntryList,
    GamesOver,
    between_strengths,
    most_probable,
    synthetic_field,
)
from yardstone.tournament.forecast import final_criteria, places_of
from yardstone.tournament.model import PairingRules, System
from yardstone.tournament.rules import FloatMode, HandicapRules, SeedSystem
from yardstone.tournament.simulation import SimulationPlan, play, state_after, tournament_of
from yardstone.tournament.standings_table import criterion
from yardstone.winprob.scales import egf_of_grade, grade_of_egf

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.tournament.field import WinningLaw
    from yardstone.tournament.standings_table import Scores

    Values = NDArray[np.float64]

__all__ = [
    "EventSize",
    "Variant",
    "usual_pairings",
    "Measure",
    "Quality",
    "compare_quality",
    "EventQuality",
    "SingleEvents",
    "Circuit",
    "CircuitQuality",
    "Trial",
    "WeightSearch",
    "search_weights",
]


@dataclass(frozen=True, kw_only=True)
class EventSize:
    """Players and rounds of an event."""

    players: int = 100  #: `players`, `rounds`: how many.
    rounds: int = 5
    lowest: int = -20  #: `lowest`, `highest`: grades of the players (1 dan = 0).
    highest: int = 6
    spread: float = 1.0  #: Factor on the deviation of true strengths about grades.

    def __post_init__(self) -> None:
        check_fields(self)
        if self.players < 2 or self.rounds < 1:
            raise UsageError("an event has two players and a round at least")

    def entries(self, rng: Generator) -> EntryList:
        """Those who enter one event."""
        return synthetic_field(
            self.players, rng, lowest=self.lowest, highest=self.highest, spread=self.spread
        )

    def between_strengths(self, chance: WinningLaw) -> WinningLaw:
        """The law by which they play, if `chance` is that between their grades."""
        return between_strengths(chance, self.spread)


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to pair: a system, its bar and floor, and changed rules."""

    name: str  #: For the table.
    system: System = System.mcmahon  #: McMahon, Swiss or round robin.
    bar: int = 2  #: `bar`, `floor`: grades of the bar and the floor.
    floor: int = -20
    #: None by default.
    handicap: HandicapRules = field(default_factory=lambda: HandicapRules(ceiling=0))
    changes: Mapping[str, Any] = field(default_factory=dict)  #: Fields of `PairingRules` by name.

    def plan(self, entered: EntryList, rounds: int, chance: WinningLaw) -> SimulationPlan:
        """An event of these players, paired this way; `chance` is that between strengths."""
        event = tournament_of(
            entered,
            rounds=rounds,
            system=self.system,
            bar=self.bar,
            floor=self.floor,
            handicap=self.handicap,
        )
        rules = PairingRules.of(event).changed(self.changes)
        return SimulationPlan(event, entered.strength, chance, rules)


def usual_pairings() -> tuple[Variant, ...]:
    """The ways to pair that are compared as a rule; the first is the usual one."""
    seeded = [
        Variant(
            name=f"McMahon, {system} seeding",
            changes={"seed_system_1": system, "seed_system_2": system},
        )
        for system in SeedSystem
    ]
    return (
        Variant(name="McMahon, bar 3d"),
        Variant(name="McMahon, bar 1d", bar=0),
        Variant(name="McMahon, bar 5k", bar=-5),
        Variant(name="McMahon, handicap", handicap=HandicapRules(ceiling=9, threshold=2)),
        *seeded,
        Variant(name="McMahon, no groups", changes={"minimise_score_difference": 0}),
        Variant(name="Swiss", system=System.swiss),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How well one way to pair measures."""

    name: str  #: Of the variant.
    #: `rms`, `error`: root mean square error of the measured strengths, and its standard error over
    #: replicates.
    rms: float
    error: float
    #: `ahead`, `ahead_error`: rms less that of the first variant, paired by replicate.
    ahead: float
    ahead_error: float
    replicates: int  #: Independent replicates behind the errors.

    @property
    def reach(self) -> float:
        """Standard errors on each side of an interval of 95 %, by Student's t."""
        return t_quantile(0.975, self.replicates - 1)


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
) -> tuple[Q, ...]:
    """Measure variants on the same players, replicate by replicate.

    Args:
        variants: The first is the one that others are compared with.
        chance: Win probability on grades.
        measure: What is played and measured.
        replicates: Independent replicates; errors come from their spread.
        seed: As in `yardstone.tournament.forecast.simulate`.

    Raises:
        UsageError: No variant, or fewer than two replicates.
    """
    if not variants or replicates < 2:
        raise UsageError("at least one variant and two replicates are needed")
    measured = parallel.map(
        partial(_replicate, tuple(variants), chance, measure, seed),
        range(replicates),
        what="replicates",
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


#: Figures of one event: mean squared error of grades and of estimates, pairs of players of
#: one grade, and those of them in the true order.
_ENTRY, _ESTIMATE, _PAIRS, _RIGHT = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuality(Quality):
    """Result for one variant, errors in grades; see `Quality`."""

    entry: float  #: Root mean square error of the grades at entry, the same for all variants.
    #: `order`, `order_error`: share of pairs of players of one grade whom the standings put in the
    #: true order, those who share a place counting half; and its standard error.
    order: float
    order_error: float
    #: `order_ahead`, `order_ahead_error`: the same less that of the first variant, paired by event.
    order_ahead: float
    order_ahead_error: float
    pairs: int  #: Number of such pairs.

    @property
    def explained(self) -> float:
        """Share of the variance of strengths about grades that the games explain."""
        return 1.0 - (self.rms / self.entry) ** 2


@dataclass(frozen=True, kw_only=True)
class SingleEvents(EventSize):
    """Events, each of players of its own."""

    def __post_init__(self) -> None:
        EventSize.__post_init__(self)
        if not self.spread > 0.0:
            raise UsageError("strengths that do not differ from the grades are known already")

    def figures(self, variant: Variant, chance: WinningLaw, rng: Generator) -> Values:
        """Play one event."""
        entered, law = self.entries(rng), self.between_strengths(chance)
        plan = variant.plan(entered, self.rounds, law)
        scores, true = play(plan, rng.spawn(1)[0])
        grade = entered.grade.astype(np.float64)
        deviation = self.spread * GRADE_SPREAD[entered.grade - LOWEST_GRADE]
        games = GamesOver.of(scores, self.rounds, law)
        estimate, _ = most_probable(games, grade, deviation)
        state = state_after(scores, self.rounds)
        names = final_criteria(plan, None)
        system = plan.tournament.system
        place, _ = places_of(
            np.column_stack([criterion(name, system).values(state) for name in names])
        )
        one, two = np.triu_indices(self.players, 1)
        same = entered.grade[one] == entered.grade[two]
        one, two = one[same], two[same]
        agree = np.sign(place[two] - place[one]) * np.sign(true[one] - true[two])
        return np.array(
            [
                ((grade - true) ** 2).mean(),
                ((estimate - true) ** 2).mean(),
                len(one),
                (0.5 + 0.5 * agree).sum(),
            ]
        )

    def qualities(self, names: Sequence[str], figures: Values) -> tuple[EventQuality, ...]:
        """Means over events, their errors by the delta method."""
        squared = figures[:, :, _ESTIMATE]
        rms = np.sqrt(squared.mean(axis=0))
        off = (squared - squared.mean(axis=0)) / (2.0 * rms)
        pairs, right = figures[:, 0, _PAIRS], figures[:, :, _RIGHT]
        total = float(pairs.sum())
        # Without two players of one grade there is no order to judge: NaN.
        order = right.sum(axis=0) / total if total else np.full(len(names), np.nan)
        order_off = (right - order * pairs[:, None]) * (len(pairs) / total if total else np.nan)
        return tuple(
            EventQuality(
                name=name,
                rms=float(rms[k]),
                error=_mean_error(off[:, k]),
                ahead=float(rms[k] - rms[0]),
                ahead_error=_mean_error(off[:, k] - off[:, 0]),
                replicates=len(figures),
                entry=float(np.sqrt(figures[:, 0, _ENTRY].mean())),
                order=float(order[k]),
                order_error=_mean_error(order_off[:, k]),
                order_ahead=float(order[k] - order[0]),
                order_ahead_error=_mean_error(order_off[:, k] - order_off[:, 0]),
                pairs=int(total),
            )
            for k, name in enumerate(names)
        )


def _mean_error(values: Values) -> float:
    """Standard error of the mean of values whose mean is 0."""
    n = len(values)
    return float(np.sqrt((values**2).sum() / (n - 1) / n))


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitQuality(Quality):
    """Result for one variant, errors in points (100 a grade); see `Quality`."""

    drift: float  #: Mean of measured less true ratings.
    centred: float  #: What is left of the rms when the mean difference is taken off.
    scatter: float  #: What is left of it when each grade's own mean difference is taken off.
    course: Values  #: (tournaments,): rms after each tournament.


@dataclass(frozen=True, kw_only=True)
class Circuit:
    """The tournaments by which a population is measured."""

    population: int = 192  #: Players in all.
    players: int = 48  #: `players`, `rounds`: of each tournament; its players are drawn by lot.
    rounds: int = 5
    #: How many are played one after the other; quality is the mean of the second half.
    tournaments: int = 80
    lowest: int = -15  #: `lowest`, `highest`: grades of the population (1 dan = 0).
    highest: int = 5
    weight: float = 1.0  #: Weight of the tournaments in the rating: 1 is class A.

    def __post_init__(self) -> None:
        check_fields(self)
        if not 2 <= self.players <= self.population:
            raise UsageError("a tournament has two players at least, and not more than there are")
        if self.tournaments < 2 or self.rounds < 1:
            raise UsageError("a circuit needs at least two tournaments of a round")

    def figures(self, variant: Variant, chance: WinningLaw, rng: Generator) -> Values:
        """Play the tournaments, one after the other.

        Players enter each tournament with the grade that their measured rating gives, as
        they do in Europe; the rating before the first tournament is the true one.

        Returns:
            float array (4 * tournaments,): rms, drift, centred and scatter after each tournament.
        """
        people = synthetic_field(self.population, rng, lowest=self.lowest, highest=self.highest)
        true = egf_of_grade(people.strength)
        measured = true.copy()
        played = np.zeros(self.population, bool)
        entry_rng, game_rng = rng.spawn(2)
        figures = np.empty((self.tournaments, 4))
        for number in range(self.tournaments):
            chosen = np.sort(entry_rng.choice(self.population, self.players, replace=False))
            played[chosen] = True
            entered = _entered(people, chosen, measured[chosen])
            scores, _ = play(variant.plan(entered, self.rounds, chance), game_rng)
            measured[chosen] = _egf_after(scores, measured[chosen], self.weight)
            figures[number] = _figures(measured[played], true[played])
        return figures.ravel()

    def qualities(self, names: Sequence[str], figures: Values) -> tuple[CircuitQuality, ...]:
        """Means over populations."""
        replicates = len(figures)
        each = figures.reshape(replicates, len(names), self.tournaments, 4)
        later = each[:, :, self.tournaments // 2 :].mean(axis=2)
        rms = later[:, :, 0]
        ahead = rms - rms[:, :1]
        error, ahead_error = (x.std(axis=0, ddof=1) / np.sqrt(replicates) for x in (rms, ahead))
        mean = later.mean(axis=0)
        return tuple(
            CircuitQuality(
                name=name,
                rms=float(mean[k, 0]),
                error=float(error[k]),
                ahead=float(ahead[:, k].mean()),
                ahead_error=float(ahead_error[k]),
                replicates=replicates,
                drift=float(mean[k, 1]),
                centred=float(mean[k, 2]),
                scatter=float(mean[k, 3]),
                course=each[:, k, :, 0].mean(axis=0),
            )
            for k, name in enumerate(names)
        )


def _figures(measured: Values, true: Values) -> tuple[float, float, float, float]:
    """Rms difference, its mean, and what is left without it and without each grade's own."""
    difference = measured - true
    grade = np.round(true / 100.0).astype(np.int64)
    _, group, size = np.unique(grade, return_inverse=True, return_counts=True)
    mean = np.bincount(group, difference) / size
    left = difference - mean[group]
    free = max(len(true) - len(size), 1)
    return (
        float(np.sqrt((difference**2).mean())),
        float(difference.mean()),
        float(difference.std()),
        float(np.sqrt((left**2).sum() / free)),
    )


def _entered(people: EntryList, chosen: NDArray[np.int64], rating: Values) -> EntryList:
    """Some players, with the grades of their measured ratings."""
    return EntryList(
        names=tuple(people.names[row] for row in chosen),
        grade=np.round(grade_of_egf(rating)).astype(np.int64),
        rating=rating,
        strength=people.strength[chosen],
        club=people.club[chosen],
        country=people.country[chosen],
    )


def _egf_after(scores: Scores, before: Values, weight: float) -> Values:
    """Ratings after the games of a tournament, by the rules of the EGF."""
    one, column = np.nonzero((scores.opponent >= 0) & (scores.first == 1))
    two = scores.opponent[one, column]
    pool = Pool(
        players=tuple(str(row) for row in range(len(before))),
        first=one.astype(np.int32),
        second=two.astype(np.int32),
        score=scores.points2[one, column] / 2,
        columns={
            "first_grade": before[one],
            "second_grade": before[two],
            "handicap": -scores.handicap[one, column],
            "event": np.zeros(len(one), np.int64),
        },
    )
    rated = EGF(weight=weight).replay(pool).ratings
    after = before.copy()
    after[[int(name) for name in rated.players]] = rated.rating
    return np.where(np.isfinite(after), after, before)


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
    """Result of `search_weights`."""

    trials: tuple[Trial, ...]  #: In the order of trying.
    best: Variant  #: The rules of the lowest rms in the search.
    confirmed: tuple[Q, Q]  #: The usual rules and the best ones on fresh players.
    measure: Measure[Q]  #: What was played and measured.
    replicates: int  #: Of each trial.


def search_weights(
    chance: WinningLaw,
    measure: Measure[Q],
    *,
    trials: int = 40,
    replicates: int,
    confirm: int,
    start: Variant | None = None,
    seed: int = 0,
) -> WeightSearch[Q]:
    """Search for the bar and the weights with the lowest rms.

    Varied are the bar, the weights of score difference and of seeding, how one large
    difference compares with many small ones, both seeding systems, and the choice of
    floaters. Every trial has the same players.

    Args:
        chance: Win probability on grades.
        measure: What is played and measured.
        trials: Sets of rules to try; the first is `start`.
        replicates, confirm: Replicates of each trial, and fresh ones for the comparison in the end.
        start: The usual rules: by default McMahon with the bar at 3 dan.
        seed: As in `yardstone.tournament.forecast.simulate`.

    Raises:
        MissingExtraError: If optuna is not installed.
        UsageError: If nothing is to be tried.
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
    with parallel.Track("trials", trials) as track:
        for number in track.over(range(trials)):
            trial = study.ask()
            variant = _suggest(trial, start, measure)
            (quality,) = compare_quality(
                [variant], chance, measure, replicates=replicates, seed=seed
            )
            study.tell(trial, quality.rms)
            done.append(Trial(number, variant.bar, dict(variant.changes), quality.rms))
    lowest = min(done, key=lambda each: each.rms)
    best = replace(start, name="best found", bar=lowest.bar, changes=lowest.changes)
    usual, better = compare_quality(
        [start, best], chance, measure, replicates=confirm, seed=seed + 1
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
