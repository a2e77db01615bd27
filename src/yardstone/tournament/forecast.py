"""What thousands of simulated tournaments say: places, chances and how well they rank."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np

from yardstone import parallel
from yardstone.arrays import Floats, Longs
from yardstone.errors import UsageError
from yardstone.tournament.field import (
    LOWEST_GRADE,
    WinningLaw,
    between_strengths,
    entrants_law,
    known_strength,
    synthetic_field,
    usual_model,
    winning_law,
)
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.rules import HandicapRules
from yardstone.tournament.simulation import SimulationPlan, play, state_after, tournament_of
from yardstone.tournament.standings_table import (
    Scores,
    criterion,
    default_criteria,
    parse_criteria,
    shared_places,
)
from yardstone.winprob.model import WinningModel, winning_model

#: So many replays are one piece of work; fixed, so that results do not depend on workers.
_CHUNK = 25

#: What is measured of each replay, and what it means.
MEASURES = {
    "strongest wins": "share of tournaments whose strongest player wins",
    "winner behind": "strength of the strongest less that of the winner",
    "order": "Kendall's rank correlation of true strengths and places, ties halved",
    "game gap": "mean difference of strength in a game",
    "even games": "share of games between players of the same main score",
    "tied for first": "number of players who share the first place",
}


@dataclass(frozen=True, eq=False)
class TournamentForecast:
    """Result of `simulate`."""

    names: tuple[str, ...]  #: Players, as the tournament lists them
    strength: Floats  #: (players,) Their strengths; the mean of what was drawn
    #: (players,) Standard deviation of what is known of each strength; 0: taken as exact
    deviation: Floats
    tournaments: int  #: Number of replays
    #: (players, players) Share of replays in which each player takes each place; players tied on
    #: all criteria share their places evenly, so rows and columns add up to one
    places: Floats
    wins: Floats  #: (players,) Mean points from games and byes
    measures: dict[str, Floats]  #: (replays,) By the names of `MEASURES`
    criteria: tuple[str, ...]  #: What ordered the players

    @property
    def first(self) -> Floats:
        """Chance of each player to win the tournament."""
        return np.asarray(self.places[:, 0])

    def at_least(self, place: int) -> Floats:
        """Chance of each player to be among the first so many."""
        return np.asarray(self.places[:, :place].sum(axis=1))

    @property
    def mean_place(self) -> Floats:
        """Mean place of each player, from 1."""
        return np.asarray(self.places @ np.arange(1.0, len(self.places) + 1.0))

    def place_range(self, level: float = 0.9) -> Longs:
        """Places between which each player ends with this probability: shape (players, 2)."""
        below = np.cumsum(self.places, axis=1)
        tail = 0.5 * (1.0 - level)
        low = (below < tail - 1e-12).sum(axis=1) + 1
        high = (below < 1.0 - tail - 1e-12).sum(axis=1) + 1
        return np.column_stack([low, np.minimum(high, len(self.places))])

    def measure(self, name: str) -> tuple[float, float]:
        """Mean of a measure over the replays, and its standard error."""
        values = self.measures[name]
        spread = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
        return float(values.mean()), spread / np.sqrt(len(values))


def simulate(
    plan: SimulationPlan,
    tournaments: int = 1000,
    *,
    criteria: str | Sequence[str] | None = None,
    seed: int = 0,
) -> TournamentForecast:
    """Play a tournament many times.

    Args:
        plan: Players, true strengths, win probability and rules.
        tournaments: Number of replays.
        criteria: What orders the players in the end; by default the tournament's. Criteria that
            compare tied players only (DC, SDC, DE) cannot be used.
        seed: Equal seeds give equal results on any number of workers.

    Raises:
        UsageError: Nothing is to be played, or a criterion cannot be used.
    """
    if tournaments < 1:
        raise UsageError(f"{tournaments} tournaments cannot be played")
    chosen = final_criteria(plan, criteria)
    sizes = [min(_CHUNK, tournaments - start) for start in range(0, tournaments, _CHUNK)]
    generators = parallel.spawn_generators(seed, len(sizes))
    pieces = list(zip(sizes, generators, strict=True))
    parts = parallel.map(partial(_replays, plan, chosen), pieces, what="tournaments")
    sums = {name: reduce(np.add, [part[name] for part in parts]) for name in _SUMS}
    mean: dict[str, Floats] = {name: total / tournaments for name, total in sums.items()}
    return TournamentForecast(
        names=tuple(p.full_name for p in plan.tournament.players),
        **mean,
        deviation=np.broadcast_to(plan.known.deviation, plan.strength.shape),
        tournaments=tournaments,
        measures={name: np.concatenate([part[name] for part in parts]) for name in MEASURES},
        criteria=chosen,
    )


def final_criteria(plan: SimulationPlan, criteria: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names of the criteria that order a simulated tournament's players."""
    if criteria is None:
        criteria = [c for c in default_criteria(plan.tournament) if c not in ("DC", "SDC", "DE")]
    text = criteria if isinstance(criteria, str) else ",".join(criteria)
    chosen = parse_criteria(text, plan.tournament.system)
    unfit = [c.name for c in chosen if c.compute is None]
    if unfit:
        raise UsageError(f"{unfit[0]} compares tied players only and cannot be simulated")
    return tuple(c.name for c in chosen)


#: What is added up over the replays.
_SUMS = ("strength", "places", "wins")


def _replays(
    plan: SimulationPlan, names: tuple[str, ...], piece: tuple[int, np.random.Generator]
) -> dict[str, Floats]:
    """Sums over some replays, and the measures of each."""
    number, rng = piece
    n, last = len(plan.strength), plan.tournament.rounds
    criteria = [criterion(name, plan.tournament.system) for name in names]
    part = {"strength": np.zeros(n), "places": np.zeros((n, n)), "wins": np.zeros(n)}
    part |= {name: np.empty(number) for name in MEASURES}
    for replay in range(number):
        scores, strength = play(plan, rng)
        state = state_after(scores, last)
        first, shared = places_of(np.column_stack([c.values(state) for c in criteria]))
        for offset in range(int(shared.max())):
            rows = np.flatnonzero(shared > offset)
            part["places"][rows, first[rows] + offset] += 1.0 / shared[rows]
        part["strength"] += strength
        part["wins"] += scores.wins2[:, last] / 2
        for name, value in _measured(scores, strength, first, shared).items():
            part[name][replay] = value
    return part


def places_of(values: Floats) -> tuple[Longs, Longs]:
    """Best place of each player (from 0) by `values` (players, criteria), and how many share it."""
    keys = np.round(np.nan_to_num(values, nan=-np.inf), 6)
    order = np.lexsort(-keys.T[::-1])
    first = np.empty(len(values), np.int64)
    first[order] = shared_places(keys[order]) - 1
    return first, np.bincount(first)[first]


def _measured(scores: Scores, strength: Floats, first: Longs, shared: Longs) -> dict[str, float]:
    winners = first == 0
    best = strength.argmax()
    one, column = np.nonzero(scores.opponent >= 0)
    other = scores.opponent[one, column]
    main2 = scores.mms2 if scores.tournament.system == "mcmahon" else scores.wins2
    even = main2[one, column] == main2[other, column]
    above = np.sign(strength[:, None] - strength)
    ahead = np.sign(first - first[:, None])
    pairs = len(strength) * (len(strength) - 1)
    return {
        "strongest wins": 1.0 / shared[best] if winners[best] else 0.0,
        "winner behind": float(strength[best] - strength[winners].mean()),
        "order": float((above * ahead).sum() / pairs) if pairs else 1.0,
        "game gap": float(np.abs(strength[one] - strength[other]).mean()) if len(one) else 0.0,
        "even games": float(even.mean()) if len(one) else 0.0,
        "tied for first": float(winners.sum()),
    }


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A tournament to be played, real or made up, with changes of its rules."""

    #: Its players and rules; without it players are drawn as European tournaments have them: so
    #: many `players`, with grades from `lowest` to `highest` (1 dan is 0)
    tournament: Tournament | None = None
    players: int = 64
    lowest: int = LOWEST_GRADE
    highest: int = 6
    restart: bool = False  #: Whether the rounds that are over are played again
    #: `rounds`, `system`, `bar`, `floor`, `handicap`: in place of the tournament's; `handicap` is
    #: the most stones.
    rounds: int | None = None
    system: System | None = None
    bar: int | None = None
    floor: int | None = None
    handicap: int | None = None
    #: Model of winning by its name or file; by default the fitted one, in chess ``elo``, with
    #: `advantage` and `draw_rate` as in `yardstone.tournament.field`
    win: str | os.PathLike[str] | None = None
    advantage: float = 0.0
    draw_rate: float = 0.0
    #: Of true strengths about the entry list; by default that of real tournaments, or none for
    #: players who are made up
    deviation: float | None = None
    seed: int = 0  #: Of the players

    @property
    def model(self) -> WinningModel:
        """The model of winning."""
        return winning_model(self.win or usual_model(self.tournament))

    @property
    def points(self) -> bool:
        """Whether strengths are points of Elo; else they are grades."""
        return self.model.scale == "points"

    def plan(self) -> SimulationPlan:
        """All that stays the same when it is played many times."""
        law = winning_law(
            self.win or usual_model(self.tournament),
            advantage=self.advantage,
            draw_rate=self.draw_rate,
        )
        start, strength = self._entries()
        changes: dict[str, Any] = {"rounds": self.rounds, "system": self.system}
        if self.handicap is not None:
            changes["handicap"] = HandicapRules(ceiling=self.handicap, threshold=start.scoring.bar)
        scoring = {
            "bar": self.bar,
            "floor": self.floor,
            "criteria": None if self.system is None else (),
        }
        changes["scoring"] = replace(start.scoring, **_given(scoring))
        changed = replace(start, **_given(changes))
        if changed.scoring.floor > changed.scoring.bar:
            raise UsageError("the floor lies above the bar")
        if changed.rounds < start.complete_rounds:
            raise UsageError("more rounds are over than are to be played: add --restart")
        true_law: WinningLaw
        spread: float | Floats
        if self.deviation is not None:
            spread = self.deviation
            true_law = law if self.points else between_strengths(law, deviation=spread)
        elif self.tournament is None:  # their strengths were drawn about grades, and are known
            true_law, spread = between_strengths(law), 0.0
        else:
            true_law, spread = entrants_law(law, strength)
        plan = SimulationPlan(changed, strength, true_law, deviation=spread)
        if plan.done == plan.tournament.rounds:
            raise UsageError("all rounds are over: add --restart to play them again")
        return plan

    def _entries(self) -> tuple[Tournament, Floats]:
        if self.tournament is not None:
            start = self.tournament.before(1) if self.restart else self.tournament
            return start, known_strength(start, points=self.points)
        if self.points:
            raise UsageError("--win elo goes with a file of players who have ratings")
        rng = np.random.default_rng(self.seed)
        field = synthetic_field(self.players, rng, lowest=self.lowest, highest=self.highest)
        return tournament_of(field, rounds=5, bar=2, floor=LOWEST_GRADE), field.strength


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulation:
    """Result of `simulate_scenarios`."""

    scenario: Scenario  #: The last one; the others differ from it by `varied`
    plan: SimulationPlan  #: Of it
    varied: str  #: The field in which the scenarios differ; "" for a single one
    forecasts: tuple[tuple[str, TournamentForecast], ...]  #: By what is varied

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
) -> Simulation:
    """Play a tournament many times, or several that differ in one thing.

    Args:
        tournaments: Replays of each.
        varied: Field of the scenario that is to vary, if any.
        values (sequence of (str, value)): What it becomes, and what that is called.
        criteria: As in `yardstone.tournament.forecast.simulate`.
    """
    forecasts = []
    for label, value in values:
        each = replace(scenario, **{varied: value}) if varied else scenario
        plan = each.plan()
        forecast = simulate(plan, tournaments, criteria=criteria, seed=scenario.seed)
        forecasts.append((label, forecast))
    return Simulation(scenario=each, plan=plan, varied=varied, forecasts=tuple(forecasts))
