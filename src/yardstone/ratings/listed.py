"""What a rating list holds, and how it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from yardstone.display import Displayed
from yardstone.equality import equal_fields
from yardstone.pool import PairCounts, SkipReport
from yardstone.ratings._draws import draw_rate_interval, unbiased_draw_rate
from yardstone.ratings.listing import Group, games_between
from yardstone.ratings.result import Status
from yardstone.ratings.superiority import half_width
from yardstone.ratings.traps import Traps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.design import Suggestion
    from yardstone.ratings.game_forecast import GameForecast
    from yardstone.ratings.result import Estimate, JointRatings

__all__ = ["STATUS_NAMES", "PlayerRating", "RatingList"]

#: What the files call the kinds of ratings.
STATUS_NAMES: Mapping[Status, str] = {
    Status.NORMAL: "rated",
    Status.PERFECT_WINNER: "at least",
    Status.PERFECT_LOSER: "at most",
    Status.NO_GAMES: "no games",
}
_STATUS = {int(status): name for status, name in STATUS_NAMES.items()}


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player of a rating list; frozen.

    Attributes
    ----------
    player : str
    rating : float or None
        None where there is none.
    deviation : float or None
        One standard deviation.
    low, high : float or None
        Ends of the interval, at the confidence of the list.
    rank : int or None
        Place in the group; None for a bound.
    rank_low, rank_high : int or None
        Ranks that cannot be excluded.
    games, wins, draws, losses : int
    score : float or None
        Share of the points, 0 to 1.
    component : int or None
        Number of the group, from 1 on: only players of one group can be compared.
    status : str
        ``rated``, ``at least`` or ``at most`` (the rating is a bound), or ``no games``.
    """

    player: str
    rating: float | None
    deviation: float | None
    low: float | None
    high: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    component: int | None
    status: str

    def __str__(self) -> str:
        if self.rating is None:
            return f"{self.player}: no rating"
        if self.low is None or self.high is None:
            mark = {"at least": "> ", "at most": "< "}.get(self.status, "")
            return f"{self.player}: {mark}{self.rating:.1f}"
        return f"{self.player}: {self.rating:.1f} ± {self.high - self.rating:.1f}"


@dataclass(frozen=True, eq=False, repr=False)
class RatingList(Displayed):
    """Ratings in the order in which they are shown, with what qualifies them; frozen.

    A sequence of `PlayerRating` in order of rank: ``ratings[0]`` is the best, ``ratings["Ann"]``
    Ann's, ``ratings[:3]`` the first three. Lists are equal if they hold the same.

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

    _made_by: ClassVar[str] = "reports.rating_list.report:rating_list_document"

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

    @cached_property
    def rows(self) -> list[int]:
        """Numbers of all listed players, group by group."""
        return [row for group in self.groups for row in group.rows]

    @property
    def games(self) -> int:
        """Number of games in all."""
        return self.counts.total()

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
        status = _STATUS[ratings.status[row]]
        if status == "at least":
            low = float(self.limits[row])
        elif status == "at most":
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
            "status": status,
        }

    def head_to_head(self) -> list[dict[str, Any]]:
        """The games of each two listed players, the stronger first, in the order of the list."""
        return games_between(self.counts, self.ratings.players, self.rows)

    def records(self) -> list[dict[str, Any]]:
        """All listed players as plain values."""
        return [self.record(row) for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[PlayerRating]:
        return (PlayerRating(**self.record(row)) for row in self.rows)

    def __contains__(self, player: object) -> bool:
        names = {self.ratings.players[row] for row in self.rows}
        return (player.player if isinstance(player, PlayerRating) else player) in names

    @overload
    def __getitem__(self, key: str | int) -> PlayerRating: ...

    @overload
    def __getitem__(self, key: slice) -> list[PlayerRating]: ...

    def __getitem__(self, key: str | int | slice) -> PlayerRating | list[PlayerRating]:
        if isinstance(key, str):
            return PlayerRating(**self.record(self.ratings.index(key)))
        if isinstance(key, slice):
            return [PlayerRating(**self.record(row)) for row in self.rows[key]]
        return PlayerRating(**self.record(self.rows[key]))

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, RatingList) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return str(self)

    def predict(self, player: str, opponent: str) -> GameForecast:
        """The chances of a game between two players, the first of whom moves first.

        Raises
        ------
        UnknownPlayerError
            Nobody is called so.
        ModelError
            A player has a bound in place of a rating, or no results join the two.
        """
        from yardstone.ratings.list_forecast import list_forecast

        return list_forecast(self, player, opponent)
