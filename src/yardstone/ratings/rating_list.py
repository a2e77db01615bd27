"""A rating list: from a pool of games to everything its reader must know.

`rate_list` does what `yardstone rate` and the web do, `rate` the same from files and
frames; tables, files and pages only lay the result out.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import ConnectionWarning, ModelError, PerfectScoreWarning, SkippedWarning
from yardstone.kernels import Loops, rating_work, weighed
from yardstone.pool import PairCounts, Pool, SkipReport
from yardstone.ratings._bounds import perfect_limits
from yardstone.ratings._draws import draw_rate_interval, unbiased_draw_rate
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.design import joining_games, suggest
from yardstone.ratings.fallback import fit_widely, misfit_of_join
from yardstone.ratings.listing import Group, games_between, groups_of, rank_limits
from yardstone.ratings.result import Status
from yardstone.ratings.simulation import simulate
from yardstone.ratings.superiority import half_width
from yardstone.ratings.traps import Traps, find_traps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.parallel import Progress
    from yardstone.ratings.design import Suggestion
    from yardstone.ratings.result import Estimate, JointRatings

__all__ = ["STATUS_NAMES", "RatingList", "rate", "rate_list", "summarise"]

#: Further matches named as worth playing.
SUGGESTIONS = 5


@dataclass(frozen=True)
class RatingList:
    """Ratings in the order in which they are shown, with what qualifies them; frozen.

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
        Most informative matches to play next.
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
    rejected : int
        Replays drawn again because they fell apart.
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
    rejected: int = 0
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

    def head_to_head(self) -> list[dict[str, Any]]:
        """The games of each two listed players, the stronger first, in the order of the list."""
        return games_between(self.counts, self.ratings.players, self.rows)

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


@weighed(
    Loops.RATING,
    lambda pool, *_, simulations=0, **__: rating_work(
        len(pool), len(pool.players), 1 + simulations
    ),
)
def rate_list(
    pool: Pool,
    system: BradleyTerry | None = None,
    *,
    confidence: float = 0.95,
    minimum_games: int = 0,
    simulations: int = 0,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> RatingList:
    """Rate the players of a pool, and gather what must be known of the ratings.

    A first-move advantage or a draw rate that the games alone cannot bound gets a wide
    prior, and `RatingList.remarks` says so; nothing is warned of that the list itself says.

    Parameters
    ----------
    pool : Pool
    system : BradleyTerry, optional
        By default maximum likelihood with the advantage of moving first and the draw
        rate estimated.
    confidence : float
        Level of all intervals, 0 to 1.
    minimum_games : int
        Players with fewer games count for the others' ratings but are not listed.
    simulations : int
        Replays to get the deviations from; 0 computes them directly.
    seed, workers, progress
        Of the replays; see `simulate`.

    Raises
    ------
    NoGamesError, NotConnectedError, ModelError, ConvergenceError, InputError, UsageError
        As `BradleyTerry.fit` and `simulate`.
    """
    if system is None:
        system = _usual()
    with warnings.catch_warnings():
        # The list itself says all this, with names.
        for category in (ConnectionWarning, PerfectScoreWarning, SkippedWarning):
            warnings.simplefilter("ignore", category)
        system, ratings, remarks = fit_widely(system, pool)
        remarks += misfit_of_join(system, ratings)
        rejected = 0
        if simulations:
            replays = simulate(
                system,
                pool.pair_counts(),
                ratings,
                simulations,
                seed=seed,
                workers=workers,
                progress=progress,
            )
            ratings, rejected = replays.applied_to(ratings), replays.rejected
        only = next(iter(system.anchors)) if len(system.anchors) == 1 else None
        return summarise(
            ratings,
            pool,
            confidence=confidence,
            minimum_games=minimum_games,
            anchors=system.anchors,
            anchor=system.anchor or only,
            simulations=simulations,
            rejected=rejected,
            remarks=remarks,
        )


def rate(
    games: Any,
    *,
    confidence: float = 0.95,
    minimum_games: int = 0,
    simulations: int = 0,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    **model: Any,
) -> RatingList:
    """Rate players from files, a frame or a pool: what `yardstone rate` does.

    Parameters
    ----------
    games : path, list of paths, frame or Pool
        Files are read by `yardstone.read`, frames by `Pool.from_frame`.
    confidence, minimum_games, simulations, seed, workers, progress
        As in `rate_list`.
    **model
        Parameters of `BradleyTerry`, such as ``average=1500`` or ``anchors={"Ann": 2100}``;
        unlike there, the first-move advantage and the draw rate are estimated unless given.

    Examples
    --------
    >>> pool = Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
    >>> [player["player"] for player in rate(pool, average=1500).records()]
    ['A', 'B', 'C']
    """
    return rate_list(
        _pool(games),
        _usual(**model),
        confidence=confidence,
        minimum_games=minimum_games,
        simulations=simulations,
        seed=seed,
        workers=workers,
        progress=progress,
    )


def _usual(**model: Any) -> BradleyTerry:
    """The system of a rating list, with some of its parameters given."""
    usual = {"method": "likelihood", "first_advantage": "free", "draw_rate": "free"}
    return BradleyTerry(**{**usual, **model})


def _pool(games: Any) -> Pool:
    if isinstance(games, Pool):
        return games
    if isinstance(games, str | os.PathLike):
        games = [games]
    if isinstance(games, list | tuple):
        from yardstone.records import read

        return read(*games)
    return Pool.from_frame(games)


def summarise(
    ratings: JointRatings,
    pool: Pool | PairCounts,
    *,
    confidence: float = 0.95,
    minimum_games: int = 0,
    anchors: Mapping[str, float] | None = None,
    anchor: str | None = None,
    simulations: int = 0,
    rejected: int = 0,
    remarks: tuple[str, ...] = (),
) -> RatingList:
    """Make the list of a fit that has been done; `rate_list` does the fit as well.

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
    rejected : int
        Replays drawn again because they fell apart.
    remarks : tuple of str
        What else the reader must know, in sentences.
    """
    counts = pool if isinstance(pool, PairCounts) else pool.pair_counts()
    listed = (ratings.games > 0) & (ratings.games >= minimum_games)
    groups = groups_of(ratings, counts, listed)
    rank = np.zeros(len(ratings), np.int64)
    for group in groups:
        rank[list(group.rows[: group.ranked])] = np.arange(1, group.ranked + 1)
    limits = perfect_limits(ratings, counts, confidence)
    low, high = rank_limits(ratings, rank, groups, confidence, listed)
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
        joining=tuple(joining_games(ratings, SUGGESTIONS)) if ratings.components > 1 else (),
        skipped=SkipReport() if isinstance(pool, PairCounts) else pool.skipped,
        unlisted=int(((ratings.games > 0) & ~listed).sum()),
        anchor=anchor,
        simulations=simulations,
        remarks=remarks,
        rejected=rejected,
        limits=limits,
    )


def _suggestions(ratings: JointRatings) -> tuple[Suggestion, ...]:
    try:
        return tuple(suggest(ratings, SUGGESTIONS))
    except ModelError:  # too many players for the covariance: nothing to choose by
        return ()
