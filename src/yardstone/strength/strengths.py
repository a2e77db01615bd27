"""Strengths with calibrated intervals from evidence: whole, by phase, game by game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.go.analysis import PHASES, Phases
from yardstone.strength.evidence import PHASES as MODEL_PHASES
from yardstone.strength.evidence import Evidence
from yardstone.strength.intervals import IntervalTable
from yardstone.strength.listed_moves import IndicativeMove, indicative_moves
from yardstone.strength.players import BOARD, EvaluatedGame

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats
    from yardstone.go.losses import Losses
    from yardstone.strength.model import StrengthModel
    from yardstone.strength.model_scale import ModelScale


#: Fewer moves of a player than this give no rank: nor do those of one game or one phase.
FEWEST_MOVES = 30
#: What intervals are calibrated for: all moves of games, and those of each phase.
PARTS = ("whole", *PHASES)


@dataclass(frozen=True, slots=True)
class Rated:
    """A strength on one of a model's scales, with its interval."""

    rating: float  #: n dan is n to n + 1, 1 kyu 0 to 1, 2 kyu -1 to 0.
    #: None where the interval reaches into the weakest or the strongest rank group: how weak or
    #: strong the player may be the model does not know. Neither is there where the moves are
    #: `unlikely`: of such players no interval has been checked.
    low: float | None
    high: float | None
    moves: int  #: The player's moves that it rests upon.
    #: Whether the moves look like those of nobody of any strength that the model knows.
    unlikely: bool = False

    @property
    def ranked(self) -> bool:
        """Whether the moves are enough for a rank: else nothing of the strength is shown."""
        return self.moves >= FEWEST_MOVES


@dataclass(frozen=True, slots=True, eq=False)
class RatedGame:
    """One game of an estimate."""

    evaluated: EvaluatedGame
    colour: int  #: The player's: 1 Black, 2 White.
    alone: Rated  #: From this game's moves alone.
    running: Rated  #: From this game and those before it.
    numbers: list[int]  #: Which of the game's moves, from 1, are the player's.


def interval_tables(model: StrengthModel, scale: str) -> dict[str, IntervalTable]:
    """The tables of intervals that a model carries; if it has none, its own distributions.

    `scale`: one of its scales. There is one for each of `PARTS`. Raises `InputError` if they are
    damaged, or of another version.
    """
    tables = (model.card.get("intervals") or {}).get(scale)
    if tables is None:
        return dict.fromkeys(PARTS, IntervalTable.plain(model.scale(scale).edges))
    if not isinstance(tables, dict) or not set(PARTS) <= set(tables):
        raise InputError(
            "the model's intervals are of another version of Yardstone", hint="train it anew"
        )
    return {part: IntervalTable.from_dict(tables[part]) for part in PARTS}


class Rater:
    """Rates games by what the model keeps of each.

    `level`: of the intervals, 0 to 1. `scale`: one of the model's scales; by default its first.
    Raises `UsageError` if the level is none, or too few players speak for it.
    """

    def __init__(self, model: StrengthModel, level: float, scale: str | None = None) -> None:
        self._model = model
        self.scale = model.scale(scale)
        self._tables = interval_tables(model, self.scale.name)
        farthest = (model.card.get("farthest") or {}).get(self.scale.name)
        self._farthest: dict[str, float] = dict(farthest or {})
        self._level = level
        for table in self._tables.values():
            table.check_level(level)

    def rate(self, statistics: Floats, *, part: str = "whole", mean: float | None = None) -> Rated:
        """A strength from the sum of statistics of games.

        `statistics`: [phases + 1 + k]. `part`: which of `PARTS` the moves are. `mean`: the rating,
        if it is not the mean of the distribution.
        """
        moves = int(statistics[:MODEL_PHASES].sum())
        density = self.scale.density(statistics)
        rating = float(self.scale.moments(density)[0]) if mean is None else mean
        if self.scale.distance(statistics) > self._farthest.get(part, inf):
            return Rated(rating, None, None, moves, unlikely=True)
        low, high = self._tables[part].interval(density, moves, self._level)
        return Rated(
            rating,
            None if low is None else min(low, rating),
            None if high is None else max(high, rating),
            moves,
        )

    def whole(self, evidence: Evidence, chosen: Flags | None = None) -> tuple[Rated, Floats]:
        """The strength from all moves, and the probabilities of the groups.

        `chosen` [n]: rate these moves alone, each as a part of what is around it.
        """
        part = np.zeros(len(evidence), np.int64) if chosen is None else np.where(chosen, 0, -1)
        statistics = self._model.part_statistics(evidence, part, 1)[0].sum(axis=0)
        return self.rate(statistics), self.scale.shares(self.scale.density(statistics))

    def phases(self, evidence: Evidence) -> tuple[tuple[str, Rated], ...]:
        """The strength in each phase of the game."""
        place = Phases().of(evidence.number.astype(np.int32), BOARD)
        parts = self._model.part_statistics(evidence, place, len(PHASES)).sum(axis=1)
        whole = self._model.game_statistics(evidence).sum(axis=0)
        means = phase_means(self.scale, parts, whole)
        return tuple(
            (name, self.rate(part, part=name, mean=float(mean) if part.any() else None))
            for name, part, mean in zip(PHASES, parts, means, strict=True)
        )

    def games(
        self, evidence: Evidence, evaluated: Sequence[tuple[EvaluatedGame, int]]
    ) -> tuple[RatedGame, ...]:
        """Each game alone, and how the estimate moved with it."""
        each = self._model.game_statistics(evidence)
        running = np.cumsum(each, axis=0)
        return tuple(
            RatedGame(
                evaluated=game,
                colour=colour,
                alone=self.rate(each[number]),
                running=self.rate(running[number]),
                numbers=evidence.number[evidence.game == number].tolist(),
            )
            for number, (game, colour) in enumerate(evaluated)
        )

    def measure(
        self,
        evidence: Evidence,
        games: Sequence[tuple[EvaluatedGame, int]],
        losses: Sequence[Losses],
    ) -> Measured:
        """Return what the moves of some games say; `losses` are those of the player's moves."""
        model, scale = self._model, self.scale.name
        whole, probabilities = self.whole(evidence)
        return Measured(
            whole=whole,
            probabilities=probabilities,
            phases=self.phases(evidence),
            games=self.games(evidence, games),
            indicative=indicative_moves(evidence, model, games, losses, scale),
            checked=scale in (model.card.get("intervals") or {}),
        )


#: Strengths at which scores are compared: they are carried on beyond the scale, so that
#: the sum of the phases is still their sum there.
_FAR, _STEP = 12.0, 0.05
#: The direction is the difference of what is usual so many ranks below and above.
_SIDE = 0.5


def phase_means(scale: ModelScale, parts: Floats, whole: Floats) -> Floats:
    """What all moves would say if they looked as those of each part do.

    `parts` [p, phases + 1 + k]: statistics of the parts (`StrengthModel.part_statistics`), summed
    over the games. `whole` [phases + 1 + k]: statistics of all moves. Returns [p]: means on the
    scale; that of `whole` lies between them. A part without moves has that of `whole`.
    """
    spread, edges = scale.spread, scale.edges
    if not whole[:MODEL_PHASES].any():
        return np.full(len(parts), scale.moments(scale.density(whole))[0])
    columns = MODEL_PHASES + 1 + spread.columns.astype(np.int64)
    counts = whole[:MODEL_PHASES]
    strengths = np.arange(edges[0] - _FAR, edges[-1] + _FAR + _STEP, _STEP)
    usual = spread.usual_of(strengths)
    likeliest = scale.strengths[int(np.argmax(scale.density(whole)))]
    mode = float(np.clip(likeliest, edges[0] + _SIDE, edges[-1] - _SIDE))
    below, above = spread.usual_of(np.array([mode - _SIDE, mode + _SIDE]))
    slope = counts @ (above - below)
    direction = np.linalg.solve(spread.covariance(whole), slope)
    along = usual @ direction

    def place(statistics: Floats) -> float:
        """Where the scores along the direction are the usual ones."""
        expected = np.maximum.accumulate(along @ statistics[:MODEL_PHASES])
        # Where stronger players score no more, the weakest of them stand for all.
        grows = np.concatenate([[True], np.diff(expected) > 0.0])
        score = statistics[columns] @ direction
        strength = np.interp(score, expected[grows], strengths[grows])
        return float(np.clip(strength, edges[0], edges[-1]))

    here = place(whole)
    at = np.array([here, *(place(part) if part[:MODEL_PHASES].sum() else here for part in parts)])
    moved = np.repeat(whole[None], len(at), axis=0)
    for each in scale.spreads:
        own = MODEL_PHASES + 1 + each.columns.astype(np.int64)
        expected = np.einsum("p,rpk->rk", counts, each.usual_of(at))
        moved[:, own] = whole[own] + expected - expected[0]
    means, _ = scale.moments(scale.density(moved))
    return np.asarray(means[1:])


#: What the scale of OGS says of players of Fox, by their strength there: the mean of 17,000 sides
#: (docs/studies/ogs-ranks-tables.md).
_FOX = (-2.5, 0.0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5)
_OGS_OF_FOX = (-6.7, -5.6, -4.5, -3.5, -2.8, -1.9, -1.2, -0.7, -0.4, -0.1)
#: So many ranks below that the scales contradict each other: of players of Fox 19 in 20 keep a
#: rank, and of people of 10 kyu or weaker at OGS 1 in 70 is called a dan
#: (docs/studies/joint-model.md).
_APART = 1.75
#: From this strength at Fox on, OGS has hardly anybody to compare with: being like nobody there
#: contradicts nothing.
_BEYOND_OGS = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What the moves say on one of the model's scales."""

    whole: Rated  #: From all moves.
    probabilities: Floats  #: [g]: of the scale's groups of ranks, the weakest first.
    #: What all moves would say if they looked as those of each phase do.
    phases: tuple[tuple[str, Rated], ...]
    games: tuple[RatedGame, ...]  #: In the order of their dates; those without a date come last.
    #: The moves that say most of strength and more than noise, the loudest first.
    indicative: tuple[IndicativeMove, ...]
    checked: bool  #: Whether the intervals were checked on players.


def supported_scales(model: StrengthModel, level: float) -> dict[str, Rater]:
    """Return the scales of a model on which players speak for intervals of a level.

    Raises `UsageError` if too few do on any of them.
    """
    supported: dict[str, Rater] = {}
    refused = None
    for name in model.scales:
        try:
            supported[name] = Rater(model, level, name)
        except UsageError as error:
            refused = refused or error
    if refused is not None and not supported:
        raise refused
    return supported


def best_basis(model: StrengthModel, rated: Mapping[str, Rated]) -> str:
    """The scale of a model that tells a player's strength best.

    That is the first one, unless the player is in its weakest group or like nobody whom the
    model knows there, and it has another scale.
    """
    first, *others = rated
    weak = rated[first].rating < model.scale(first).edges[1]
    return others[0] if others and (weak or rated[first].unlikely) else first


def contradictory(rated: Mapping[str, Rated], basis: str) -> bool:
    """Whether the scales of Fox and OGS contradict each other, so that neither is to be believed.

    They do where OGS sees a far weaker player than one of Fox, or, below 8 dan, one like nobody
    there. `rated`: the strength on each scale of a model. `basis`: what `best_basis` says of them.
    """
    if "ogs" not in rated or "fox" not in rated:
        return False
    if basis != "fox":
        return rated["ogs"].unlikely
    if rated["ogs"].unlikely:
        return rated["fox"].rating < _BEYOND_OGS
    usual = float(np.interp(rated["fox"].rating, _FOX, _OGS_OF_FOX))
    return rated["ogs"].rating < usual - _APART
