"""Ratings over time: what `yardstone history` shows, and how it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, overload

import numpy as np

from yardstone.display import Displayed
from yardstone.equality import equal_fields
from yardstone.evaluation.curves import RatingCurve, rating_curves
from yardstone.evaluation.findings import Findings
from yardstone.evaluation.interval_scale import IntervalScale
from yardstone.evaluation.rated_games import RatedGames

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.ratings.game_forecast import GameForecast

__all__ = ["PresentRating", "RatingHistory"]

#: Curves of a picture for which no player was chosen.
DRAWN = 10


@dataclass(frozen=True, slots=True)
class PresentRating:
    """A player's rating after the last game; frozen.

    Attributes
    ----------
    player : str
    rating : float
    deviation : float
        The system's own; NaN where it has none.
    low, high : float
        Ends of the interval; NaN where there is none.
    games : int
    """

    player: str
    rating: float
    deviation: float
    low: float
    high: float
    games: int


@dataclass(frozen=True, eq=False, repr=False)
class RatingHistory(Displayed):
    """Ratings over time; frozen.

    A sequence of `PresentRating` of the listed players, the highest first; ``history["Ann"]``
    is that of any player, ``history.curve("Ann")`` her games.

    Attributes
    ----------
    rated : RatedGames
        All games and ratings.
    curves : sequence of RatingCurve
        Of the chosen players.
    confidence : float
        Level of the bands, 0 to 1.
    top : int
        Players in the list of present ratings; 0 shows all.
    settled : int
        Players with fewer games are not in that list, unless all have fewer.
    findings : Findings, optional
        What a person should look at, if it was asked for.
    notes : sequence of str
    scale : IntervalScale, optional
        How many of the system's deviations its intervals must reach to hold; without
        it there are no intervals.
    """

    _made_by: ClassVar[str] = "reports.history:history_document"

    rated: RatedGames
    curves: Sequence[RatingCurve]
    confidence: float = 0.95
    top: int = 20
    settled: int = 0
    findings: Findings | None = None
    notes: Sequence[str] = ()
    scale: IntervalScale | None = None

    def reach(self, games: ArrayLike) -> NDArray[np.float64]:
        """Deviations on either side of a rating after so many games; NaN without intervals."""
        if self.scale is None:
            return np.full(np.shape(games), np.nan)
        return self.scale.reach(games)

    def half_widths(self, curve: RatingCurve) -> NDArray[np.float64]:
        """Half the interval before each game and after the last; NaN without one.

        Whole histories look back: all games of a player count for each of his days.
        """
        games = np.arange(len(curve) + 1)
        if self.rated.name == "whr":
            games = np.full(len(curve) + 1, len(curve))
        deviation = np.append(curve.deviation, curve.final_deviation)
        return np.asarray(self.reach(games) * deviation, np.float64)

    @property
    def played(self) -> NDArray[np.int64]:
        """Games of each player, in the order of the ratings."""
        return self.rated.played

    @cached_property
    def present_half_widths(self) -> NDArray[np.float64]:
        """Half of each player's interval now, in the order of the ratings."""
        return self.reach(self.played) * self.rated.ratings.deviation

    def __len__(self) -> int:
        return len(self.listed())

    def __iter__(self) -> Iterator[PresentRating]:
        return map(self.present, self.listed())

    @overload
    def __getitem__(self, key: str | int) -> PresentRating: ...

    @overload
    def __getitem__(self, key: slice) -> list[PresentRating]: ...

    def __getitem__(self, key: str | int | slice) -> PresentRating | list[PresentRating]:
        if isinstance(key, str):
            return self.present(self.rated.ratings.index(key))
        if isinstance(key, slice):
            return [self.present(row) for row in self.listed()[key]]
        return self.present(self.listed()[key])

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, RatingHistory) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return str(self)

    def present(self, row: int) -> PresentRating:
        """The rating of the player of that number."""
        ratings, reach = self.rated.ratings, float(self.present_half_widths[row])
        rating = float(ratings.rating[row])
        return PresentRating(
            player=ratings.players[row],
            rating=rating,
            deviation=float(ratings.deviation[row]),
            low=rating - reach,
            high=rating + reach,
            games=int(self.played[row]),
        )

    def curve(self, player: str) -> RatingCurve:
        """The rating of a player, game by game."""
        return rating_curves(self.rated.pool, self.rated.replay, [player])[0]

    def predict(self, player: str, opponent: str) -> GameForecast:
        """The chances of a game between two players, the first of whom moves first."""
        from yardstone.evaluation.forecast import forecast

        return forecast(self.rated, player, opponent, confidence=self.confidence, scale=self.scale)

    @cached_property
    def drawn(self) -> Sequence[RatingCurve]:
        """The curves of the picture: those chosen, or of the highest ratings."""
        if self.curves:
            return self.curves
        names = [self.rated.ratings.players[row] for row in self.ranked()[:DRAWN]]
        return rating_curves(self.rated.pool, self.rated.replay, names)

    def listed(self) -> list[int]:
        """Numbers of the best players in the list of present ratings, strongest first."""
        rows = self.ranked()
        return rows[: self.top] if self.top else rows

    def ranked(self) -> list[int]:
        """Numbers of all players with enough games, strongest first; if nobody has, of all."""
        ratings, games = self.rated.ratings, self.played
        enough = games >= max(self.settled, 1)
        if not enough.any():
            enough = games >= 1
        order = ratings.order()
        rows: list[int] = order[enough[order] & np.isfinite(ratings.rating[order])].tolist()
        return rows
