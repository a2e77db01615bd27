"""How well tournaments measure: Kaniuk's quality of a pairing system.

A population of players has true strengths that never change. Tournament after
tournament is played by some of them, results coming from the true strengths, and all
are rated by the rules of the European Go Federation. The rms difference of true and
measured ratings is the quality: the lower, the better (Kaniuk 2011, section 8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone import parallel
from yardstone.choices import check_fields
from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.ratings.egf import EGF
from yardstone.scales import egf_of_grade, grade_of_egf
from yardstone.tournament.model import System
from yardstone.tournament.pairing_rules import PairingRules
from yardstone.tournament.population import EntryList, synthetic_field
from yardstone.tournament.rules import HandicapRules, SeedSystem
from yardstone.tournament.simulation import SimulationPlan, play, tournament_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.tournament.scores import Scores
    from yardstone.tournament.winning_laws import WinningLaw

    Values = NDArray[np.float64]

__all__ = ["Circuit", "Quality", "Variant", "compare_quality", "measure_quality", "usual_pairings"]


@dataclass(frozen=True, kw_only=True)
class Circuit:
    """The tournaments by which a population is measured.

    Attributes
    ----------
    population : int
        Players in all.
    players, rounds : int
        Of each tournament; its players are drawn by lot.
    tournaments : int
        How many are played one after the other; quality is the mean of the second half.
    lowest, highest : int
        Grades of the population (1 dan = 0).
    weight : float
        Weight of the tournaments in the rating: 1 is class A.
    """

    population: int = 192
    players: int = 48
    rounds: int = 5
    tournaments: int = 80
    lowest: int = -15
    highest: int = 5
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not 2 <= self.players <= self.population:
            raise UsageError("a tournament has two players at least, and not more than there are")
        if self.tournaments < 2 or self.rounds < 1:
            raise UsageError("a circuit needs at least two tournaments of a round")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to pair: a system, its bar and floor, and changed rules.

    Attributes
    ----------
    name : str
        For the table.
    system : System
        McMahon, Swiss or round robin.
    bar, floor : int
        Grades of the bar and the floor.
    handicap : HandicapRules
        None by default.
    changes : mapping
        Fields of `PairingRules` by name.
    """

    name: str
    system: System = System.mcmahon
    bar: int = 2
    floor: int = -20
    handicap: HandicapRules = field(default_factory=lambda: HandicapRules(ceiling=0))
    changes: Mapping[str, Any] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True)
class Quality:
    """Result for one variant.

    Attributes
    ----------
    name : str
        Of the variant.
    rms, error : float
        Root mean square of measured less true ratings, in points, and its standard
        error over replicates.
    drift : float
        Mean of measured less true ratings.
    scatter : float
        What is left of the rms when each grade's own mean difference is taken off.
    ahead, ahead_error : float
        rms less that of the first variant, paired by replicate.
    replicates : int
        Independent populations behind the errors.
    course : float array (tournaments,)
        rms after each tournament.
    """

    name: str
    rms: float
    error: float
    drift: float
    scatter: float
    ahead: float
    ahead_error: float
    replicates: int
    course: Values

    @property
    def reach(self) -> float:
        """Standard errors on each side of an interval of 95 %, by Student's t."""
        from scipy.special import stdtrit

        return float(stdtrit(self.replicates - 1, 0.975))


def compare_quality(
    variants: Sequence[Variant],
    chance: WinningLaw,
    circuit: Circuit | None = None,
    *,
    replicates: int = 10,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Quality, ...]:
    """Measure variants on the same populations, entries and replicates.

    Parameters
    ----------
    variants : sequence of Variant
        The first is the one that others are compared with.
    chance : callable
        Win probability on grades.
    circuit : Circuit, optional
        What is played.
    replicates : int
        Independent populations; errors come from their spread.
    seed, workers, progress
        As in `yardstone.tournament.forecast.simulate`.

    Raises
    ------
    UsageError
        No variant, or fewer than two replicates.
    """
    circuit = circuit or Circuit()
    if not variants or replicates < 2:
        raise UsageError("at least one variant and two replicates are needed")
    items = [(variant, replicate) for replicate in range(replicates) for variant in variants]
    measured = parallel.map(
        partial(_one, chance, circuit, seed), items, workers=workers, progress=progress
    )
    parts = np.array([part[0] for part in measured]).reshape(replicates, len(variants), 3)
    courses = np.array([part[1] for part in measured])
    courses = courses.reshape(replicates, len(variants), circuit.tournaments)
    root = np.sqrt(replicates)
    rows = []
    for place, variant in enumerate(variants):
        rms = parts[:, place, 0]
        ahead = rms - parts[:, 0, 0]
        rows.append(
            Quality(
                name=variant.name,
                rms=float(rms.mean()),
                error=float(rms.std(ddof=1) / root),
                drift=float(parts[:, place, 1].mean()),
                scatter=float(parts[:, place, 2].mean()),
                ahead=float(ahead.mean()),
                ahead_error=float(ahead.std(ddof=1) / root),
                replicates=replicates,
                course=courses[:, place].mean(axis=0),
            )
        )
    return tuple(rows)


def _one(
    chance: WinningLaw, circuit: Circuit, seed: int, item: tuple[Variant, int]
) -> tuple[tuple[float, float, float], Values]:
    variant, replicate = item
    return measure_quality(variant, chance, circuit, np.random.default_rng([seed, replicate]))


def measure_quality(
    variant: Variant, chance: WinningLaw, circuit: Circuit, rng: Generator
) -> tuple[tuple[float, float, float], Values]:
    """One replicate of one variant.

    Players enter each tournament with the grade that their measured rating gives, as
    they do in Europe; the rating before the first tournament is the true one.

    Returns
    -------
    rms, drift, scatter : float
        Means over the second half of the tournaments, in points; see `Quality`.
    course : float array (tournaments,)
        rms after each tournament.
    """
    people = synthetic_field(
        circuit.population, rng, lowest=circuit.lowest, highest=circuit.highest
    )
    true = egf_of_grade(people.strength)
    measured = true.copy()
    played = np.zeros(circuit.population, bool)
    entry_rng, game_rng = rng.spawn(2)
    figures = np.full((circuit.tournaments, 3), np.nan)
    for number in range(circuit.tournaments):
        chosen = np.sort(entry_rng.choice(circuit.population, circuit.players, replace=False))
        played[chosen] = True
        measured[chosen] = _rated(people, chosen, measured, variant, chance, circuit, game_rng)
        figures[number] = _figures(measured[played], true[played])
    later = figures[circuit.tournaments // 2 :]
    rms, drift, scatter = later.mean(axis=0).tolist()
    return (rms, drift, scatter), figures[:, 0]


def _figures(measured: Values, true: Values) -> tuple[float, float, float]:
    difference = measured - true
    grade = np.round(true / 100.0).astype(np.int64)
    _, group, size = np.unique(grade, return_inverse=True, return_counts=True)
    mean = np.bincount(group, difference) / size
    left = difference - mean[group]
    free = max(len(true) - len(size), 1)
    return (
        float(np.sqrt((difference**2).mean())),
        float(difference.mean()),
        float(np.sqrt((left**2).sum() / free)),
    )


def _rated(
    people: EntryList,
    chosen: NDArray[np.int64],
    measured: Values,
    variant: Variant,
    chance: WinningLaw,
    circuit: Circuit,
    rng: Generator,
) -> Values:
    """Ratings after one tournament of some players."""
    before = measured[chosen]
    entered = EntryList(
        names=tuple(people.names[row] for row in chosen),
        grade=np.round(grade_of_egf(before)).astype(np.int64),
        rating=before,
        strength=people.strength[chosen],
        club=people.club[chosen],
        country=people.country[chosen],
    )
    tournament = tournament_of(
        entered,
        rounds=circuit.rounds,
        system=variant.system,
        bar=variant.bar,
        floor=variant.floor,
        handicap=variant.handicap,
    )
    rules = PairingRules.of(tournament).changed(variant.changes)
    scores, _ = play(SimulationPlan(tournament, entered.strength, chance, rules), rng)
    return _egf_after(scores, before, circuit.weight)


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
