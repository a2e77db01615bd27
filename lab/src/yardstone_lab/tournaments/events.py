"""The events that the studies play: who enters, and the ways to pair them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from yardstone.choices import check_fields
from yardstone.errors import UsageError
from yardstone.tournament.field import EntryList, between_strengths, synthetic_field
from yardstone.tournament.model import PairingRules, System
from yardstone.tournament.rules import HandicapRules, SeedSystem
from yardstone.tournament.simulation import SimulationPlan, tournament_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from yardstone.tournament.field import WinningLaw

__all__ = ["EventSize", "Variant", "usual_pairings"]


@dataclass(frozen=True, kw_only=True)
class EventSize:
    """Players and rounds of an event.

    Attributes
    ----------
    players, rounds : int
        How many.
    lowest, highest : int
        Grades of the players (1 dan = 0).
    spread : float
        Factor on the deviation of true strengths about grades.
    """

    players: int = 100
    rounds: int = 5
    lowest: int = -20
    highest: int = 6
    spread: float = 1.0

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
