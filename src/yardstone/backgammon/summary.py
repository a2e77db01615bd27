"""What analysed matches say about each player: ratings, error rates, luck, blunders."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING

import numpy as np

from yardstone.backgammon.error_rates import Errors
from yardstone.backgammon.formulas import PUBLISHED, SITE_OFFSET, Formula
from yardstone.backgammon.intervals import (
    MatchEstimate,
    loss_interval,
    luck_adjusted_difference,
    mean_interval,
    ratio_interval,
)
from yardstone.backgammon.matches import AnalysedMatch, Blunder
from yardstone.backgammon.play_classes import CHEQUER_CLASSES, CUBE_CLASSES, ClassErrors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "FEW_DECISIONS",
    "ClassSummary",
    "PlayerSummary",
    "match_rating",
    "moving_means",
    "summarise",
    "worst_blunders",
]

#: Matches in a moving mean of the trend.
WINDOW = 20
#: Players with fewer decisions come last: with as many moves, half of a rate is still the
#: mean of all players (`yardstone.backgammon.error_system`).
FEW_DECISIONS = 50
#: Classes of play whose losses scatter little enough for an interval, and the fewest
#: matches for one (`docs/studies/coverage-classes-tables.md`).
STEADY_CLASSES = frozenset({"opening", "middle game", "holding game", *CUBE_CLASSES})
FEWEST_FOR_CLASSES = 160


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """One class of play of a player, over all matches; frozen.

    Attributes
    ----------
    name : str
        One of `play_classes.CHEQUER_CLASSES` or `CUBE_CLASSES`.
    errors : ClassErrors
    rate : MatchEstimate
        Loss per decision in normalised equity; its interval only for `STEADY_CLASSES`
        and players of `FEWEST_FOR_CLASSES` matches, else NaN.
    """

    name: str
    errors: ClassErrors
    rate: MatchEstimate


@dataclass(frozen=True)
class PlayerSummary:
    """A player over all matches; frozen.

    Attributes
    ----------
    name : str
    matches : tuple of (AnalysedMatch, int)
        In order of date (those without one in order of the files, first), each with
        the player's side, 0 or 1.
    won, lost : int
        Matches; the others have no winner.
    errors : Errors
        All of them added up.
    relative : MatchEstimate
        Rating minus that of perfect play: the mean over the matches of what the
        formula says of each, as in van den Doel's appendix I, with the interval of
        `yardstone.backgammon.intervals.loss_interval`, wider by the doubt about the
        formula where that is known.
    rating : MatchEstimate
        The same with the site's offset added.
    pooled : MatchEstimate
        Rating from errors and decisions added up over all matches first; matches
        with more decisions count more, and it is less noisy.
    luck_adjusted : MatchEstimate
        Rating points ahead of the opponents met, from the luck-adjusted results.
    luck_adjusted_score : MatchEstimate
        Mean of the luck-adjusted results, as a probability.
    luck_per_move : float
        Luck per move in normalised equity.
    match_ratings : float64 array
        Rating of each match by itself; NaN without an unforced move, and for money.
    classes : tuple of ClassSummary
        Of the classes of play that occurred, in the order of `play_classes`.
    """

    name: str
    matches: tuple[tuple[AnalysedMatch, int], ...]
    won: int
    lost: int
    errors: Errors
    relative: MatchEstimate
    rating: MatchEstimate
    pooled: MatchEstimate
    luck_adjusted: MatchEstimate
    luck_adjusted_score: MatchEstimate
    luck_per_move: float
    match_ratings: Floats
    classes: tuple[ClassSummary, ...] = ()

    def trend(self, window: int = WINDOW, level: float = 0.9) -> list[MatchEstimate]:
        """Moving means of the match ratings: of each match and the `window` - 1 before it."""
        perfect = self.rating.value - self.relative.value
        return moving_means(self.match_ratings, perfect, window, level)


def moving_means(
    ratings: Floats, offset: float, window: int = WINDOW, level: float = 0.9
) -> list[MatchEstimate]:
    """The mean of each rating and the `window` - 1 before it, with its interval.

    `offset` is the rating of perfect play.
    """
    losses = offset - np.asarray(ratings, np.float64)
    return [
        loss_interval(losses[max(0, end - window) : end], level).moved(offset, -1.0)
        for end in range(1, len(losses) + 1)
    ]


def match_rating(errors: Errors, length: int, formula: Formula, offset: float) -> float:
    """Rating from one match; NaN for money and without an unforced move.

    Without a close cube decision nothing is taken off for the cube, as GNU Backgammon
    has it.
    """
    if not length or not errors.unforced:
        return nan
    epc = errors.epc if errors.close else 0.0
    return float(formula.rating(errors.epm, epc, length, offset))


def summarise(
    matches: Sequence[AnalysedMatch],
    *,
    formula: Formula = PUBLISHED,
    offset: float = SITE_OFFSET,
    level: float = 0.9,
) -> list[PlayerSummary]:
    """A summary of each player, the one with the most matches first, then by rating.

    Parameters
    ----------
    matches : sequence of AnalysedMatch
    formula : Formula
        From error rates to ratings.
    offset : float
        Rating of perfect play on the site.
    level : float
        Of all intervals, 0 to 1.
    """
    sides: dict[str, list[tuple[AnalysedMatch, int]]] = defaultdict(list)
    for match in sorted(matches, key=_moment):
        for side, name in enumerate(match.players):
            sides[name].append((match, side))
    players = [_player(name, played, formula, offset, level) for name, played in sides.items()]

    def place(player: PlayerSummary) -> tuple[bool, int, float, str]:
        rating = -player.rating.value if isfinite(player.rating.value) else np.inf
        few = player.errors.decisions < FEW_DECISIONS
        return few, -len(player.matches), rating, player.name

    return sorted(players, key=place)


def _moment(match: AnalysedMatch) -> str:
    return "" if match.date is None else match.date.isoformat()


def _player(
    name: str,
    played: list[tuple[AnalysedMatch, int]],
    formula: Formula,
    offset: float,
    level: float,
) -> PlayerSummary:
    errors = [match.errors[side] for match, side in played]
    total = Errors.total(errors)
    ratings = np.array(
        [match_rating(match.errors[side], match.length, formula, offset) for match, side in played]
    )
    loss = loss_interval(offset - ratings, level)
    loss = loss.widened(_formula_error(played, formula), level)
    adjusted = np.array([match.luck_adjusted_of(side) for match, side in played])
    length = np.array([max(match.length, 1) for match, _ in played], np.float64)
    winners = [match.winner == side for match, side in played if match.winner is not None]
    return PlayerSummary(
        name,
        tuple(played),
        sum(winners),
        len(winners) - sum(winners),
        total,
        loss.moved(0.0, -1.0),
        loss.moved(offset, -1.0),
        _pooled(played, formula, level).moved(offset, -1.0),
        luck_adjusted_difference(adjusted, length, level),
        mean_interval(adjusted, level),
        total.luck / total.moves if total.moves else nan,
        ratings,
        _classes(played, level),
    )


def _classes(played: list[tuple[AnalysedMatch, int]], level: float) -> tuple[ClassSummary, ...]:
    """The classes of play that occurred."""
    own = [match.classes[side] for match, side in played]
    summaries = []
    for name in (*CHEQUER_CLASSES, *CUBE_CLASSES):
        parts = [each.get(name, ClassErrors()) for each in own]
        total = sum(parts, ClassErrors())
        if not total.decisions:
            continue
        rate = MatchEstimate(total.loss / total.decisions, number=len(parts))
        if name in STEADY_CLASSES and len(parts) >= FEWEST_FOR_CLASSES:
            losses = np.array([each.loss for each in parts])
            numbers = np.array([each.decisions for each in parts], np.float64)
            rate = ratio_interval([(losses, numbers)], level)
        summaries.append(ClassSummary(name, total, rate))
    return tuple(summaries)


def _formula_error(played: list[tuple[AnalysedMatch, int]], formula: Formula) -> float | None:
    """Standard error of the mean loss a match for the doubt about the formula."""
    rows = [
        (errors.epm, errors.epc if errors.close else 0.0, match.length)
        for match, side in played
        for errors in [match.errors[side]]
        if match.length and errors.unforced
    ]
    return formula.mean_loss_error(*zip(*rows, strict=True)) if rows else None


def _pooled(
    played: list[tuple[AnalysedMatch, int]], formula: Formula, level: float
) -> MatchEstimate:
    """Points below perfect play, each match's errors weighted for its length."""
    rows = [(match.length, match.errors[side]) for match, side in played if match.length]
    if not rows:
        return MatchEstimate()
    length = np.array([row[0] for row in rows], np.float64)
    errors = [row[1] for row in rows]

    def column(name: str) -> Floats:
        return np.array([getattr(error, name) for error in errors], np.float64)

    parts = [
        (formula.move(length) * column("chequer"), column("unforced")),
        (formula.cube(length) * column("cube"), column("close")),
    ]
    return ratio_interval(parts, level).widened(_formula_error(played, formula), level)


def worst_blunders(
    matches: Iterable[AnalysedMatch], number: int, players: Iterable[str] | None = None
) -> list[Blunder]:
    """The largest errors, the worst first, of some players or of all."""
    named = None if players is None else set(players)
    every = (
        blunder
        for match in matches
        for blunder in match.blunders
        if named is None or blunder.player in named
    )
    return heapq.nlargest(number, every, key=lambda blunder: blunder.error)
