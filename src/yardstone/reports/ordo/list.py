"""What all of Ordo's reports are made from: one rated list of players."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings.result import Estimate, Status
from yardstone.reports.ordo.text import listing_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import PairCounts

__all__ = ["OpponentSummary", "OrdoList", "Row", "SYMBOLS", "rank_players", "superiority_percent"]

#: The mark after the name: lost everything, won everything, no games.
SYMBOLS = {
    Status.NORMAL: " ",
    Status.PERFECT_LOSER: "<",
    Status.PERFECT_WINNER: ">",
    Status.NO_GAMES: "*",
}


@dataclass(frozen=True, kw_only=True)
class OrdoList:
    """A rated list.

    Attributes
    ----------
    names : tuple of str
        As they stand in a PGN tag; every player of the input, with or without games.
    rating : float64 array (players,)
        0 for a player without games.
    status : int8 array (players,)
        Values of `Status`.
    counts : PairCounts
        The games that are rated.
    first_advantage, draw_rate : Estimate
        Rating points; 0 to 1.
    deviation : float64 array (players,), optional
        One standard deviation; None where no errors are shown.
    deviation_of_difference : float64 array (players, players), optional
        Of the difference of each two ratings.
    confidence_factor : float
        Standard deviations in the error margin.
    discarded : int
        Games of the input that are not rated.
    """

    names: tuple[str, ...]
    rating: NDArray[np.float64]
    status: NDArray[np.int8]
    counts: PairCounts
    first_advantage: Estimate
    draw_rate: Estimate
    deviation: NDArray[np.float64] | None = None
    deviation_of_difference: NDArray[np.float64] | None = None
    confidence_factor: float = 1.0
    discarded: int = 0

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """Wins, draws and losses of each player: shape (players, 3)."""
        return self.counts.player_totals()

    @cached_property
    def games(self) -> NDArray[np.float64]:
        """Games of each player."""
        games: NDArray[np.float64] = self.totals.sum(axis=1)
        return games

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """Points of each player."""
        return self.totals[:, 0] + 0.5 * self.totals[:, 1]

    def score_percent(self, player: int) -> float:
        """Points per game of a player, in per cent; 0 without games."""
        games = float(self.games[player])
        return 100.0 * float(self.points[player]) / games if games else 0.0

    def superiority(self, player: int, other: int) -> float | None:
        """Confidence, in per cent, that `player` is the stronger; None if unknown."""
        if self.deviation_of_difference is None:
            return None
        difference = float(self.rating[player] - self.rating[other])
        return superiority_percent(difference, float(self.deviation_of_difference[player, other]))

    def sorted_players(self) -> list[int]:
        """Every player of the input from the highest rating down."""
        return listing_order(range(len(self.names)), self.rating)


def superiority_percent(difference: float, deviation: float) -> float | None:
    """Confidence for superiority: the normal probability of a positive difference.

    None where the deviation is unknown or zero.
    """
    if not deviation > 0.0:
        return None
    return 100.0 * NormalDist().cdf(difference / deviation)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list: a player, his rank, and whether the rank is shown."""

    player: int
    rank: int
    ranked: bool
    superiority: float | None


def rank_players(
    listed: OrdoList,
    *,
    threshold: int | None = None,
    older: frozenset[int] = frozenset(),
    hide_older: bool = False,
) -> list[Row]:
    """The lines of the list, from the highest rating down.

    Parameters
    ----------
    listed : OrdoList
        The ratings.
    threshold : int, optional
        Leave out players with fewer games.
    older : frozenset of int
        Players listed without a rank (the older versions of relations).
    hide_older : bool
        Leave those out.
    """
    least = max(threshold or 0, 1)
    shown = [int(player) for player in np.flatnonzero(listed.games >= least)]
    lines: list[tuple[int, int, bool]] = []
    rank = 0
    for player in listing_order(shown, listed.rating):
        ranked = player not in older
        rank += ranked
        if ranked or not hide_older:
            lines.append((player, rank, ranked))
    following = [player for player, _, _ in lines[1:]]
    above = [
        listed.superiority(line[0], other) for line, other in zip(lines, following, strict=False)
    ]
    return [Row(*line, known) for line, known in zip(lines, [*above, None], strict=False)]


@dataclass(frozen=True)
class OpponentSummary:
    """About the opponents of each player: arrays (players,).

    Attributes
    ----------
    rating : float64 array
        Average rating, weighted by games.
    deviation : float64 array
        Average deviation, likewise; 0 where deviations are unknown.
    number : int64 array
        How many there were.
    diversity : float64 array
        Effective number: exponential of the entropy of the games over opponents
        (Ordo's manual, equation 1, with the sign of its sum repaired).
    """

    rating: NDArray[np.float64]
    deviation: NDArray[np.float64]
    number: NDArray[np.int64]
    diversity: NDArray[np.float64]

    @classmethod
    def of(cls, listed: OrdoList) -> OpponentSummary:
        """Summarise the opponents of everybody on a list."""
        counts, n = listed.counts, len(listed.names)
        player = np.concatenate([counts.first, counts.second]).astype(np.int64)
        other = np.concatenate([counts.second, counts.first]).astype(np.int64)
        games = np.concatenate([counts.games, counts.games])
        total = np.maximum(np.bincount(player, games, n), 1.0)
        rating = np.bincount(player, games * listed.rating[other], n) / total
        deviation = np.zeros(n)
        if listed.deviation is not None:
            known = np.nan_to_num(listed.deviation)
            deviation = np.bincount(player, games * known[other], n) / total
        once = np.ones(len(player), np.bool_)
        once[len(counts.first) :] = counts.first != counts.second  # a game with oneself
        pairs, where = np.unique(player[once] * n + other[once], return_inverse=True)
        met = np.bincount(where, games[once])
        who = pairs // n
        share = met / np.bincount(who, met, n)[who]
        entropy = np.bincount(who, -share * np.log(share), n)
        return cls(rating, deviation, np.bincount(who, minlength=n), np.exp(entropy))
