"""A rating list with everything its reader must know, ready to be shown.

`summarise` gathers it once; tables, files and pages only lay it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import ModelError
from yardstone.pool import PairCounts, SkipReport
from yardstone.ratings._bounds import perfect_limits
from yardstone.ratings._draws import draw_rate_interval, unbiased_draw_rate
from yardstone.ratings.result import Status
from yardstone.ratings.superiority import half_width, rank_ranges
from yardstone.ratings.traps import Traps, find_traps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.design import Suggestion
    from yardstone.ratings.result import Estimate, JointRatings

__all__ = ["Group", "RatingList", "summarise"]

#: Further matches named as worth playing.
SUGGESTIONS = 5


@dataclass(frozen=True)
class Group:
    """Players on a common scale.

    Attributes
    ----------
    number : int
        From 1, the largest first.
    rows : tuple of int
        Its players from strongest to weakest; after them those who won or lost every
        game, whose rating is only a bound.
    ranked : int
        How many of them have a rating and so a rank; the others are listed apart.
    games : int
        Games between them.
    joined : str
        What joins it with larger groups, in words; empty for the first group.
    """

    number: int
    rows: tuple[int, ...]
    ranked: int
    games: int
    joined: str = ""


@dataclass(frozen=True)
class RatingList:
    """Ratings in the order in which they are shown, with what qualifies them.

    Attributes
    ----------
    ratings : JointRatings
    counts : PairCounts
        The games, added up for each two players.
    confidence : float
        Level of all intervals, 0 to 1.
    groups : tuple of Group
        The players that are listed.
    rank, rank_low, rank_high : int arrays (players,)
        Place among the rated players of the group, and the places that cannot be
        excluded at `confidence`; 0 where there is none, as for a bound.
    traps : Traps
    suggestions : tuple of Suggestion
        Matches that would tell most.
    joining : tuple of (str, str)
        Matches that would join groups.
    skipped : SkipReport
    unlisted : int
        Players with games who are not listed, for want of games.
    anchor : str or None
        Player that deviations are relative to.
    simulations : int
        Replays behind the deviations; 0 if they were computed directly.
    remarks : tuple of str
        What else the reader must know, in sentences.
    limits : float array (players,)
        What perfect scorers' ratings are at least, or at most, at `confidence`; NaN for
        all others.
    """

    ratings: JointRatings
    counts: PairCounts
    confidence: float
    groups: tuple[Group, ...]
    rank: NDArray[np.int64]
    rank_low: NDArray[np.int64]
    rank_high: NDArray[np.int64]
    traps: Traps = field(default_factory=Traps)
    suggestions: tuple[Suggestion, ...] = ()
    joining: tuple[tuple[str, str], ...] = ()
    skipped: SkipReport = field(default_factory=SkipReport)
    unlisted: int = 0
    anchor: str | None = None
    simulations: int = 0
    remarks: tuple[str, ...] = ()
    limits: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def rows(self) -> list[int]:
        """Numbers of all listed players, group by group."""
        return [row for group in self.groups for row in group.rows]

    @property
    def games(self) -> int:
        """Number of games in all."""
        return int(self.counts.games.sum())

    @cached_property
    def deviations(self) -> float:
        """Standard deviations on either side of an interval."""
        return half_width(self.confidence)

    def half_width(self, row: int) -> float:
        """Half the interval of a player's rating; NaN where unknown."""
        return self.deviations * float(self.ratings.deviation[row])

    @property
    def advantage_interval(self) -> tuple[float, float]:
        """Ends of the interval of the advantage of moving first."""
        advantage = self.ratings.first_advantage
        reach = self.deviations * advantage.deviation
        return advantage.value - reach, advantage.value + reach

    @cached_property
    def draw_rate(self) -> Estimate:
        """The draw rate of equal opponents, freed of the bias of the fit."""
        return unbiased_draw_rate(self.ratings, self.counts)

    @cached_property
    def draw_rate_interval(self) -> tuple[float, float]:
        """Ends of the interval of the draw rate, 0 to 1."""
        return draw_rate_interval(self.ratings, self.counts, self.confidence)

    @property
    def level(self) -> str:
        """The confidence level in words, for example ``95 %``."""
        return f"{100.0 * self.confidence:.6g} %"

    @property
    def relative_to(self) -> str:
        """What the intervals are relative to, in words."""
        reference = self.ratings.reference
        if reference == "prior":
            return "the priors"
        if reference == "anchor":
            return f"the anchor, {self.anchor}" if self.anchor else "the anchors"
        return "the mean of the group"

    def record(self, row: int) -> dict[str, Any]:
        """One player as plain values under stable names; None where there is no value."""
        ratings = self.ratings
        reach = self.half_width(row)
        rating = float(ratings.rating[row])
        games = int(ratings.games[row])
        low, high = rating - reach, rating + reach
        if ratings.status[row] == Status.PERFECT_WINNER:
            low = float(self.limits[row])
        elif ratings.status[row] == Status.PERFECT_LOSER:
            high = float(self.limits[row])
        return {
            "rank": int(self.rank[row]) or None,
            "rank_low": int(self.rank_low[row]) or None,
            "rank_high": int(self.rank_high[row]) or None,
            "player": ratings.players[row],
            "rating": _number(rating),
            "deviation": _number(float(ratings.deviation[row])),
            "low": _number(low),
            "high": _number(high),
            "games": games,
            "wins": int(ratings.wins[row]),
            "draws": int(ratings.draws[row]),
            "losses": int(ratings.losses[row]),
            "score": float(ratings.points[row]) / games if games else None,
            "component": int(ratings.component[row]) + 1 or None,
            "status": STATUS_NAMES[Status(int(ratings.status[row]))],
        }

    def records(self) -> list[dict[str, Any]]:
        """All listed players as plain values."""
        return [self.record(row) for row in self.rows]


#: What the files call the kinds of ratings.
STATUS_NAMES: Mapping[Status, str] = {
    Status.NORMAL: "rated",
    Status.PERFECT_WINNER: "at least",
    Status.PERFECT_LOSER: "at most",
    Status.NO_GAMES: "no games",
}


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def summarise(
    ratings: JointRatings,
    pool: Pool | PairCounts,
    *,
    confidence: float = 0.95,
    minimum_games: int = 0,
    anchors: Mapping[str, float] | None = None,
    anchor: str | None = None,
    simulations: int = 0,
    remarks: tuple[str, ...] = (),
) -> RatingList:
    """Make the list of a fit.

    Parameters
    ----------
    ratings : JointRatings
    pool : Pool or PairCounts
        What it was fitted to.
    confidence : float
        Level of all intervals, 0 to 1.
    minimum_games : int
        Players with fewer games count for the others' ratings but are not listed.
    anchors : mapping of str to float, optional
        The fixed ratings, to warn where results contradict them.
    anchor : str, optional
        The player whose rating fixes the level.
    simulations : int
        Replays behind the deviations, 0 if there were none.
    remarks : tuple of str
        What else the reader must know, in sentences.
    """
    counts = pool if isinstance(pool, PairCounts) else pool.pair_counts()
    listed = (ratings.games > 0) & (ratings.games >= minimum_games)
    groups = _groups(ratings, counts, listed)
    rank = np.zeros(len(ratings), np.int64)
    for group in groups:
        rank[list(group.rows[: group.ranked])] = np.arange(1, group.ranked + 1)
    limits = perfect_limits(ratings, counts, confidence)
    low, high = _ranges(ratings, rank, groups, confidence, listed)
    return RatingList(
        ratings=ratings,
        counts=counts,
        confidence=confidence,
        groups=groups,
        rank=rank,
        rank_low=low,
        rank_high=high,
        traps=find_traps(ratings, counts, anchors=anchors),
        suggestions=_suggestions(ratings),
        joining=_joining(ratings),
        skipped=SkipReport() if isinstance(pool, PairCounts) else pool.skipped,
        unlisted=int(((ratings.games > 0) & ~listed).sum()),
        anchor=anchor,
        simulations=simulations,
        remarks=remarks,
        limits=limits,
    )


def _groups(
    ratings: JointRatings, counts: PairCounts, listed: NDArray[np.bool_]
) -> tuple[Group, ...]:
    order = ratings.order()
    component = ratings.component
    members: dict[int, list[int]] = {}
    for row in order[listed[order]].tolist():
        members.setdefault(int(component[row]), []).append(row)
    first, second = component[counts.first] + 1, component[counts.second] + 1
    same, size = first == second, ratings.components + 1
    within = np.bincount(first[same], counts.games[same], size)
    won, lost = (
        np.bincount(first[~same], of_first[~same], size)
        + np.bincount(second[~same], of_second[~same], size)
        for of_first, of_second in (
            (counts.wins + counts.draws, counts.losses + counts.draws),
            (counts.losses + counts.draws, counts.wins + counts.draws),
        )
    )
    is_bound = np.isin(ratings.status, (Status.PERFECT_WINNER, Status.PERFECT_LOSER))
    return tuple(
        Group(
            label + 1,
            tuple(sorted(rows, key=lambda row: bool(is_bound[row]))),
            int((~is_bound[rows]).sum()),
            int(within[label + 1]),
            _joined(label, bool(won[label + 1]), bool(lost[label + 1])),
        )
        for label, rows in sorted(members.items())
    )


def _joined(label: int, scored: bool, conceded: bool) -> str:
    """What joins a group with the others, in words; empty for the largest group.

    `scored` and `conceded` say whether points were won and lost outside the group.
    """
    if label <= 0:
        return ""
    if not scored and not conceded:
        return "no game joins it with another group"
    if scored and conceded:
        return "its games with other groups never went both ways with any of them"
    return f"it only {'won' if scored else 'lost'} against other groups"


def _ranges(
    ratings: JointRatings,
    rank: NDArray[np.int64],
    groups: Sequence[Group],
    confidence: float,
    listed: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ranks that cannot be excluded, counted as the list counts them.

    Unlisted players and perfect scorers, who have no interval, keep others from
    no place: the ranges of `rank_ranges` are moved by other players above who have none.
    """
    nothing = np.zeros_like(rank)
    if ratings.covariance is None:
        return nothing, nothing
    shown = np.where(listed, ratings.deviation, np.nan)
    from dataclasses import replace

    ranges = rank_ranges(replace(ratings, deviation=shown), confidence)
    low, high = ranges.low.copy(), ranges.high.copy()
    for group in groups:
        rows = np.array(group.rows)
        without = ~np.isfinite(shown[rows])
        above = np.cumsum(without)
        for ends in (low, high):
            ends[rows] = np.where(without, 0, ends[rows] + above)
    known = low > 0
    return np.where(known, np.minimum(low, rank), 0), np.where(known, np.maximum(high, rank), 0)


def _suggestions(ratings: JointRatings) -> tuple[Suggestion, ...]:
    from yardstone.ratings.design import suggest

    try:
        return tuple(suggest(ratings, SUGGESTIONS))
    except ModelError:  # too many players for the covariance: nothing to choose by
        return ()


def _joining(ratings: JointRatings) -> tuple[tuple[str, str], ...]:
    from yardstone.ratings.design import joining_games

    return tuple(joining_games(ratings, SUGGESTIONS)) if ratings.components > 1 else ()
