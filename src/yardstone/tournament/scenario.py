"""What is to be simulated, in the words of an organiser, and the simulation of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import UsageError
from yardstone.tournament.forecast import TournamentForecast, simulate
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.population import LOWEST_GRADE, known_strength, synthetic_field
from yardstone.tournament.rules import HandicapRules
from yardstone.tournament.simulation import SimulationPlan, tournament_of
from yardstone.tournament.strength_law import between_strengths, entrants_law
from yardstone.tournament.winning_laws import usual_model, winning_law
from yardstone.winprob.models import winning_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.winning_laws import ModelLaw, WinningLaw
    from yardstone.winprob.models import WinningModel

__all__ = ["Scenario", "Simulation", "simulate_scenarios"]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A tournament to be played, real or made up, with changes of its rules.

    Attributes
    ----------
    tournament : Tournament, optional
        Its players and rules; without it players are drawn as European tournaments have
        them: so many `players`, with grades from `lowest` to `highest` (1 dan is 0).
    restart : bool
        Whether the rounds that are over are played again.
    rounds, system, bar, floor, handicap : optional
        In place of the tournament's; `handicap` is the most stones.
    win : str or path, optional
        Model of winning by its name or file; by default the fitted one, in chess ``elo``, with
        `advantage` and `draw_rate` as in `yardstone.tournament.winning_laws`.
    deviation : float, optional
        Of true strengths about the entry list; by default that of real tournaments, or
        none for players who are made up.
    seed : int
        Of the players.
    """

    tournament: Tournament | None = None
    players: int = 64
    lowest: int = LOWEST_GRADE
    highest: int = 6
    restart: bool = False
    rounds: int | None = None
    system: System | None = None
    bar: int | None = None
    floor: int | None = None
    handicap: int | None = None
    win: str | os.PathLike[str] | None = None
    advantage: float = 0.0
    draw_rate: float = 0.0
    deviation: float | None = None
    seed: int = 0

    @property
    def model(self) -> WinningModel:
        """The model of winning."""
        return winning_model(self.win or usual_model(self.tournament))

    @property
    def points(self) -> bool:
        """Whether strengths are points of Elo; else they are grades."""
        return self.model.scale == "points"

    def plan(self) -> SimulationPlan:
        """All that stays the same when it is played many times.

        Raises
        ------
        UsageError
            The rules contradict each other, or nothing is left to be played.
        """
        law = winning_law(
            self.win or usual_model(self.tournament),
            advantage=self.advantage,
            draw_rate=self.draw_rate,
        )
        start, strength = self._entries()
        changed = replace(start, **self._changes(start))
        if changed.scoring.floor > changed.scoring.bar:
            raise UsageError("the floor lies above the bar")
        if changed.rounds < start.complete_rounds:
            raise UsageError("more rounds are over than are to be played: add --restart")
        true_law, spread = self._between_strengths(law, strength)
        plan = SimulationPlan(changed, strength, true_law, deviation=spread)
        if plan.done == plan.tournament.rounds:
            raise UsageError("all rounds are over: add --restart to play them again")
        return plan

    def _between_strengths(
        self, law: ModelLaw, strength: NDArray[np.float64]
    ) -> tuple[WinningLaw, float | NDArray[np.float64]]:
        """The law between true strengths, and how far these lie from the entry list."""
        if self.deviation is not None:
            true_law = law if self.points else between_strengths(law, deviation=self.deviation)
            return true_law, self.deviation
        if self.tournament is None:  # their strengths were drawn about grades, and are known
            return between_strengths(law), 0.0
        return entrants_law(law, strength)

    def _entries(self) -> tuple[Tournament, NDArray[np.float64]]:
        if self.tournament is not None:
            start = self.tournament.before(1) if self.restart else self.tournament
            return start, known_strength(start, points=self.points)
        if self.points:
            raise UsageError("--win elo goes with a file of players who have ratings")
        rng = np.random.default_rng(self.seed)
        field = synthetic_field(self.players, rng, lowest=self.lowest, highest=self.highest)
        return tournament_of(field, rounds=5, bar=2, floor=LOWEST_GRADE), field.strength

    def _changes(self, start: Tournament) -> dict[str, Any]:
        changes: dict[str, Any] = {"rounds": self.rounds, "system": self.system}
        if self.handicap is not None:
            changes["handicap"] = HandicapRules(ceiling=self.handicap, threshold=start.scoring.bar)
        scoring: dict[str, Any] = {"bar": self.bar, "floor": self.floor}
        if self.system is not None:
            scoring["criteria"] = ()
        changes["scoring"] = replace(start.scoring, **_given(scoring))
        return _given(changes)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulation:
    """Result of `simulate_scenarios`.

    Attributes
    ----------
    scenario : Scenario
        The last one; the others differ from it by `varied`.
    plan : SimulationPlan
        Of it.
    varied : str
        The field in which the scenarios differ; "" for a single one.
    forecasts : tuple of (str, TournamentForecast)
        By what is varied.
    """

    scenario: Scenario
    plan: SimulationPlan
    varied: str
    forecasts: tuple[tuple[str, TournamentForecast], ...]

    @property
    def tournaments(self) -> int:
        """Replays of each scenario."""
        return self.forecasts[0][1].tournaments

    @property
    def grades(self) -> bool:
        """Whether strengths are grades; else they are points."""
        return not self.scenario.points


def simulate_scenarios(
    scenario: Scenario,
    tournaments: int = 1000,
    *,
    varied: str = "",
    values: Sequence[tuple[str, Any]] = (("", None),),
    criteria: str | None = None,
    workers: int | None = None,
    progress: Callable[[str], Callable[[int, int], None] | None] = lambda label: None,
) -> Simulation:
    """Play a tournament many times, or several that differ in one thing.

    Parameters
    ----------
    scenario : Scenario
    tournaments : int
        Replays of each.
    varied : str
        Field of the scenario that is to vary, if any.
    values : sequence of (str, value)
        What it becomes, and what that is called.
    criteria, workers
        As in `yardstone.tournament.forecast.simulate`.
    progress : callable
        From what is being played to a function of replays done and all of them.
    """
    forecasts = []
    for label, value in values:
        each = replace(scenario, **{varied: value}) if varied else scenario
        plan = each.plan()
        forecast = simulate(
            plan,
            tournaments,
            criteria=criteria,
            seed=scenario.seed,
            workers=workers,
            progress=progress(f"{varied} {label}".strip() or "tournaments"),
        )
        forecasts.append((label, forecast))
    return Simulation(scenario=each, plan=plan, varied=varied, forecasts=tuple(forecasts))
