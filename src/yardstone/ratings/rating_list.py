"""A rating list: from a pool of games to everything its reader must know.

`rate_list` does what `yardstone rate` and the web do, `rate` the same from files and
frames; tables, files and pages only lay the result out.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot, isfinite, nan, sqrt
from typing import Any, ClassVar, cast

import numpy as np

from yardstone.arrays import DisplayedRows, Flags, Floats, Longs
from yardstone.choices import checked_arguments
from yardstone.clusters import half_width
from yardstone.display import Displayed
from yardstone.errors import (
    ConnectionWarning,
    ModelError,
    PerfectScoreWarning,
    SkippedWarning,
    UsageError,
)
from yardstone.pool import PairCounts, Pool, SkipReport
from yardstone.ratings.bradley_terry import BradleyTerry, CountedGames, fit_widely, misfit_of_join
from yardstone.ratings.connectivity import Traps, find_traps
from yardstone.ratings.joint import draw_rate_interval, perfect_limits, unbiased_draw_rate
from yardstone.ratings.result import Estimate, JointRatings, Status
from yardstone.ratings.uncertainty import (
    DEVIATION_ERROR,
    Suggestion,
    joining_games,
    rank_ranges,
    suggest,
)
from yardstone.records.options import ColumnNames
from yardstone.records.reading import games_of
from yardstone.records.unplayed import even_games
from yardstone.winprob.laws import win_draw_loss, win_probability

_SUGGESTIONS = 5  #: Further matches named as worth playing.


@checked_arguments()
def rate_list(
    pool: Pool | CountedGames,
    system: BradleyTerry | None = None,
    *,
    confidence: float = 0.95,
    minimum_games: int = 0,
    simulations: int = 0,
    seed: int = 0,
) -> RatingList:
    """Rate the players of a pool, and gather what must be known of the ratings.

    A first-move advantage or a draw rate that the games alone cannot bound gets a wide
    prior, and `RatingList.remarks` says so; nothing is warned of that the list itself says.

    Args:
        system: By default maximum likelihood with the advantage of moving first and the draw rate
            estimated.
        confidence: Level of all intervals, 0 to 1.
        minimum_games: Players with fewer games count for the others' ratings but are not listed.
        simulations: Replays to get the deviations from; 0 computes them directly.
        seed: Of the replays; see `simulate`.

    Raises:
        NoGamesError, NotConnectedError, ModelError, ConvergenceError, InputError, UsageError: As
            `BradleyTerry.fit` and `simulate`.
    """
    if system is None:
        system = _usual()
    if isinstance(pool, Pool):
        pool = pool if system.handicap is not None else even_games(pool)
        if system.paired is None:  # of the games nothing more is wanted than their counts
            counts = system.counts_of(pool)
            pool = CountedGames(pool.players, counts, pool.skipped, pool.ordered)
    with warnings.catch_warnings():
        # The list itself says all this, with names.
        for category in (ConnectionWarning, PerfectScoreWarning, SkippedWarning):
            warnings.simplefilter("ignore", category)
        system, ratings, remarks = fit_widely(system, pool)
        remarks += misfit_of_join(system, ratings)
        rejected = 0
        if simulations:
            from yardstone.ratings.simulation import simulate

            replays = simulate(system, pool.pair_counts(), ratings, simulations, seed=seed)
            ratings, rejected = replays.applied_to(ratings), replays.rejected
        elif (error := ratings.extras.get(DEVIATION_ERROR)) is not None:
            remarks += (
                "With so many players the deviations are sampled: 99 of 100 are known to "
                f"{100.0 * error:.1f} % (one standard deviation) or better.",
            )
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


@checked_arguments(ColumnNames, BradleyTerry)
def rate(
    games: Any,
    *,
    first: str | None = None,
    second: str | None = None,
    score: str | None = None,
    confidence: float = 0.95,
    minimum_games: int = 0,
    simulations: int = 0,
    seed: int = 0,
    **more: Any,
) -> RatingList:
    """Rate players from files, a frame or a pool: what `yardstone rate` does.

    Args:
        games: Files, folders and patterns; frames of pandas and polars, Arrow tables.
        first, second, score: Columns of the player who moves first, of the other, and of the
            result, where their names do not say.
        confidence, minimum_games, simulations, seed: As in `rate_list`.
        **more: Further words on columns and values (``time``, ``results``, ``columns``, ``side``,
            ``dates``, ``strict``, ``skip_unread``: see `yardstone.records.options.ColumnNames`);
            and parameters of `BradleyTerry`, such as ``average=1500`` or ``anchors={"Ann": 2100}``.
            The first-move advantage and the draw rate are estimated unless given.

    Examples:
        >>> pool = Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
        >>> [player.player for player in rate(pool, average=1500)]
        ['A', 'B', 'C']
    """
    names = {"first": first, "second": second, "score": score}
    names |= {key: more.pop(key) for key in ColumnNames.__annotations__ if key in more}
    system = _usual(**more)
    return rate_list(
        games_of(games, cast("ColumnNames", names)),
        system,
        confidence=confidence,
        minimum_games=minimum_games,
        simulations=simulations,
        seed=seed,
    )


def _usual(**model: Any) -> BradleyTerry:
    """The system of a rating list, with some of its parameters given."""
    usual = {"method": "likelihood", "first_advantage": "auto", "draw_rate": "auto"}
    return BradleyTerry(**{**usual, **model})


def summarise(
    ratings: JointRatings,
    pool: Pool | CountedGames | PairCounts,
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

    `anchors` are the fixed ratings, to warn where results contradict them, and `anchor` the player
    who fixes the level; of `simulations` replays `rejected` fell apart.
    """
    counts = pool if isinstance(pool, PairCounts) else pool.pair_counts()
    listed = (ratings.games > 0) & (ratings.games >= minimum_games)
    groups = groups_of(ratings, counts, listed)
    rank = np.zeros(len(ratings), np.int64)
    for group in groups:
        rank[list(group.rows[: group.ranked])] = np.arange(1, group.ranked + 1)
    limits = perfect_limits(ratings, counts, confidence)
    low, high = rank_limits(ratings, rank, groups, confidence, listed)
    suggestions: list[Suggestion] = []
    with suppress(ModelError):  # too many players for the covariance: nothing to choose by
        suggestions = suggest(ratings, _SUGGESTIONS)
    return RatingList(
        ratings=ratings,
        counts=counts,
        confidence=confidence,
        groups=groups,
        rank=rank,
        rank_low=low,
        rank_high=high,
        traps=find_traps(ratings, counts, anchors=anchors),
        suggestions=tuple(suggestions),
        joining=tuple(joining_games(ratings, _SUGGESTIONS)) if ratings.components > 1 else (),
        skipped=SkipReport() if isinstance(pool, PairCounts) else pool.skipped,
        unlisted=int(((ratings.games > 0) & ~listed).sum()),
        anchor=anchor,
        simulations=simulations,
        remarks=remarks,
        rejected=rejected,
        limits=limits,
    )


#: What the files call the kinds of ratings.
STATUS_NAMES: Mapping[Status, str] = {
    Status.NORMAL: "rated",
    Status.PERFECT_WINNER: "at least",
    Status.PERFECT_LOSER: "at most",
    Status.NO_GAMES: "no games",
}


_RANKS = ("rank", "rank_low", "rank_high")
_STATUS = {int(status): name for status, name in STATUS_NAMES.items()}


def _numbers(values: Floats) -> list[float | None]:
    """Plain numbers, None for what is none."""
    return [value if isfinite(value) else None for value in values.tolist()]


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player of a rating list; frozen."""

    rank: int | None  #: Place in the group; None for a bound.
    #: Ranks that cannot be excluded.
    rank_low: int | None
    rank_high: int | None
    player: str
    rating: float | None  #: None where there is none.
    deviation: float | None  #: One standard deviation.
    #: Ends of the interval, at the confidence of the list.
    low: float | None
    high: float | None
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None  #: Share of the points, 0 to 1.
    component: int | None  #: Number of the group, from 1 on: only those within can be compared.
    status: str  #: ``rated``, ``at least`` or ``at most`` (the rating is a bound), or ``no games``.

    def __str__(self) -> str:
        if self.rating is None:
            return f"{self.player}: no rating"
        if self.low is None or self.high is None:
            mark = {"at least": "> ", "at most": "< "}.get(self.status, "")
            return f"{self.player}: {mark}{self.rating:.1f}"
        return f"{self.player}: {self.rating:.1f} ± {self.high - self.rating:.1f}"


@dataclass(frozen=True, eq=False, repr=False)
class RatingList(DisplayedRows[int, PlayerRating]):
    """Ratings in the order in which they are shown, with what qualifies them; frozen.

    A sequence of `PlayerRating` in order of rank: ``ratings[0]`` is the best, ``ratings["Ann"]``
    Ann's, ``ratings[:3]`` the first three. Lists are equal if they hold the same.
    """

    _made_by: ClassVar[str] = "reports.rating_list:rating_list_document"

    ratings: JointRatings
    counts: PairCounts  #: The games, added up for each two players.
    confidence: float  #: Level of all intervals, 0 to 1.
    groups: tuple[Group, ...]  #: The players that are listed.
    #: (players,): Place among the rated players of the group, and the places that cannot be
    #: excluded at `confidence`; 0 where there is none, as for a bound.
    rank: Longs
    rank_low: Longs
    rank_high: Longs
    traps: Traps = field(default_factory=Traps)
    suggestions: tuple[Suggestion, ...] = ()  #: Most informative matches to play next.
    joining: tuple[tuple[str, str], ...] = ()  #: Matches that would join groups.
    skipped: SkipReport = field(default_factory=SkipReport)
    unlisted: int = 0  #: Players with games who are not listed, for want of games.
    anchor: str | None = None  #: Player that deviations are relative to.
    simulations: int = 0  #: Replays behind the deviations; 0 if they were computed directly.
    remarks: tuple[str, ...] = ()  #: What else the reader must know, in sentences.
    rejected: int = 0  #: Replays drawn again because they fell apart.
    #: (players,): At least, or at most, of perfect scorers at `confidence`; else NaN.
    limits: Floats = field(default_factory=lambda: np.zeros(0))

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
        return draw_rate_interval(self.ratings, self.counts, self.confidence, self.draw_rate)

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
        return {name: column[row] for name, column in self._columns.items()}

    def head_to_head(self) -> list[dict[str, Any]]:
        """The games of each two listed players, the stronger first, in the order of the list."""
        return games_between(self.counts, self.ratings.players, self.rows)

    def records(self) -> list[dict[str, Any]]:
        """All listed players as plain values."""
        return [self.record(row) for row in self.rows]

    def _keys(self) -> list[int]:
        return self.rows

    @cached_property
    def _columns(self) -> dict[str, Sequence[Any]]:
        """The fields of `PlayerRating` of all players."""
        ratings, status = self.ratings, self.ratings.status
        reach, games = self.deviations * ratings.deviation, ratings.games
        low, high = ratings.rating - reach, ratings.rating + reach
        low = np.where(status == Status.PERFECT_WINNER, self.limits, low)
        high = np.where(status == Status.PERFECT_LOSER, self.limits, high)
        score = np.divide(ratings.points, games, np.full(len(games), np.nan), where=games > 0)
        return {
            **{name: [place or None for place in getattr(self, name).tolist()] for name in _RANKS},
            "player": ratings.players,
            "rating": _numbers(ratings.rating),
            "deviation": _numbers(ratings.deviation),
            "low": _numbers(low),
            "high": _numbers(high),
            "games": games.astype(int).tolist(),
            "wins": ratings.wins.astype(int).tolist(),
            "draws": ratings.draws.astype(int).tolist(),
            "losses": ratings.losses.astype(int).tolist(),
            "score": _numbers(score),
            "component": [value + 1 or None for value in ratings.component.tolist()],
            "status": [_STATUS[value] for value in status.tolist()],
        }

    def _row(self, key: int) -> PlayerRating:
        return PlayerRating(**self.record(key))

    def _named(self, name: str) -> int:
        return self.ratings.index(name)

    def __contains__(self, player: object) -> bool:
        names = {self.ratings.players[row] for row in self.rows}
        return (player.player if isinstance(player, PlayerRating) else player) in names

    def predict(self, player: str, opponent: str) -> GameForecast:
        """The chances of a game between two players, the first of whom moves first.

        Raises `UnknownPlayerError`: nobody is called so. Raises `ModelError`: A player has a bound
        in place of a rating, or no results join the two.
        """
        return list_forecast(self, player, opponent)


@dataclass(frozen=True)
class Group:
    """Players on a common scale."""

    number: int  #: From 1, the largest first.
    rows: tuple[int, ...]  #: From strongest to weakest, then those whose rating is only a bound.
    ranked: int  #: How many of them have a rating and so a rank.
    games: int  #: Games between them.
    joined: str = ""  #: What joins it with larger groups, in words; empty for the first group.


def groups_of(ratings: JointRatings, counts: PairCounts, listed: Flags) -> tuple[Group, ...]:
    """The listed players by group, the largest first, each from strongest to weakest."""
    order = ratings.order()
    component = ratings.component
    members: dict[int, list[int]] = {}
    for row in order[listed[order]].tolist():
        members.setdefault(int(component[row]), []).append(row)
    size = ratings.components + 1
    within, won, lost = np.zeros(size), np.zeros(size), np.zeros(size)
    for part in counts.blocks():
        first, second = component[part.first] + 1, component[part.second] + 1
        same = first == second
        within += np.bincount(first[same], part.games[same], size)
        scored, conceded = (part.wins + part.draws)[~same], (part.losses + part.draws)[~same]
        won += np.bincount(first[~same], scored, size) + np.bincount(second[~same], conceded, size)
        lost += np.bincount(first[~same], conceded, size) + np.bincount(second[~same], scored, size)
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
    """What joins a group with the others, in words, by points won and lost outside of it."""
    if label <= 0:
        return ""
    if not scored and not conceded:
        return "no game links it to another group"
    if scored and conceded:
        return "against each other group it has only won or only lost"
    return f"it only {'won' if scored else 'lost'} against other groups"


def rank_limits(
    ratings: JointRatings, rank: Longs, groups: Sequence[Group], confidence: float, listed: Flags
) -> tuple[Longs, Longs]:
    """Ranks that cannot be excluded, counted as the list counts them.

    Unlisted players and perfect scorers, who have no interval, keep others from no place.
    """
    nothing = np.zeros_like(rank)
    if ratings.covariance is None:
        return nothing, nothing
    shown = np.where(listed, ratings.deviation, np.nan)
    low, high = rank_ranges(replace(ratings, deviation=shown), confidence)
    for group in groups:
        rows = np.array(group.rows)
        without = ~np.isfinite(shown[rows])
        above = np.cumsum(without)
        for ends in (low, high):
            ends[rows] = np.where(without, 0, ends[rows] + above)
    known = low > 0
    return np.where(known, np.minimum(low, rank), 0), np.where(known, np.maximum(high, rank), 0)


def games_between(
    counts: PairCounts, players: Sequence[str], rows: Sequence[int]
) -> list[dict[str, Any]]:
    """The games of each two of `rows`, the one that stands before the other first."""
    place = np.full(counts.players, -1)
    place[list(rows)] = np.arange(len(rows))
    one, other = place[counts.first], place[counts.second]
    listed = (one >= 0) & (other >= 0)
    one, other = one[listed], other[listed]
    wins, draws, losses = (each[listed] for each in (counts.wins, counts.draws, counts.losses))
    key = np.minimum(one, other) * len(rows) + np.maximum(one, other)
    pair, where = np.unique(key, return_inverse=True)
    turned = one > other
    results = (np.where(turned, losses, wins), draws, np.where(turned, wins, losses))
    sums = np.array([np.bincount(where, each, len(pair)) for each in results]).astype(np.int64)
    return [
        {
            "player": players[rows[at // len(rows)]],
            "other": players[rows[at % len(rows)]],
            "games": won + drawn + lost,
            "wins": won,
            "draws": drawn,
            "losses": lost,
        }
        for at, (won, drawn, lost) in zip(pair.tolist(), sums.T.tolist(), strict=True)
    ]


_POINTS = 30  #: Points at which the normal error of a difference is looked at.


def list_forecast(ratings: RatingList, first: str, second: str) -> GameForecast:
    """Predict a game from a rating list; `first` moves first.

    Chances are means over what the difference of the ratings, and the advantage of moving
    first, may truly be; the interval is that of the expected score at the true ones.
    """
    if first == second:
        raise UsageError("nobody plays against himself: name two players")
    fit = ratings.ratings
    one, other = fit.index(first), fit.index(second)
    for row in (one, other):
        if fit.status[row] != Status.NORMAL:
            reason = "has no games" if fit.status[row] == Status.NO_GAMES else "has only a bound"
            raise ModelError(f"{fit.players[row]!r} {reason}, so there are no chances")
    if fit.component[one] != fit.component[other]:
        raise ModelError(f"no results put {first!r} and {second!r} on a common scale")
    advantage = fit.first_advantage
    error = nan  # of the gap; the covariance may be too large to compute
    if fit.covariance is not None:
        both, shared = fit.covariance[[one, other], [one, other]].sum(), fit.covariance[one, other]
        deviation = sqrt(max(float(both - 2.0 * shared), 0.0))
        error = hypot(deviation, advantage.deviation) if isfinite(deviation) else nan
    gap = float(fit.rating[one] - fit.rating[other])
    logit = fit.points_per_logit

    def chance(points: float) -> float:
        return float(win_probability(points, points_per_logit=logit))

    def mean(points: float) -> float:
        if not isfinite(error):
            return chance(points)
        at, weight = np.polynomial.hermite_e.hermegauss(_POINTS)
        p = win_probability(points + error * at, points_per_logit=logit)
        return float(p @ weight) / sqrt(2.0 * np.pi)

    expected, turned = mean(gap + advantage.value), 1.0 - mean(advantage.value - gap)
    reach = ratings.deviations * error
    win, draw, loss = (float(part) for part in win_draw_loss(expected, ratings.draw_rate.value))
    return GameForecast(
        first=first,
        second=second,
        first_rating=fit[first],
        second_rating=fit[second],
        first_games=int(fit.games[one]),
        second_games=int(fit.games[other]),
        expected=expected,
        win=win,
        draw=draw,
        loss=loss,
        reversed_expected=turned,
        low=chance(gap + advantage.value - reach) if isfinite(reach) else nan,
        high=chance(gap + advantage.value + reach) if isfinite(reach) else nan,
        confidence=ratings.confidence,
        integrated=isfinite(error),
        system="bradley-terry",
        basis=f"Basis: {int(fit.games.sum()) // 2:,} games, all fitted at once, with "
        f"{advantage.value:+.0f} points for moving first (one standard deviation: "
        f"{advantage.deviation:.0f}).",
    )


@dataclass(frozen=True, repr=False)
class GameForecast(Displayed):
    """What is expected of a game; frozen."""

    _made_by: ClassVar[str] = "reports.match:forecast_document"

    #: The players; `first` moves first.
    first: str
    second: str
    #: Their ratings with deviations (NaN where the system has none, or none that is tested).
    first_rating: Estimate
    second_rating: Estimate
    #: Games they have played.
    first_games: int
    second_games: int
    expected: float  #: Expected score of `first`.
    #: Probabilities for `first`; without draws in the games, a draw has none.
    win: float
    draw: float
    loss: float
    reversed_expected: float  #: Expected score of `first` if `second` moved first.
    #: Expected scores between which the one of the true ratings lies, with the level `confidence`;
    #: NaN where there is no such interval.
    low: float = nan
    high: float = nan
    confidence: float = 0.95  #: Level of the interval, 0 to 1.
    #: Whether these are averages over what the ratings may be, not of exact ones.
    integrated: bool = False
    exact: bool = False  #: Whether that was asked for.
    system: str = ""  #: Name of the system that rates the players.
    basis: str = ""  #: What the forecast rests on, in sentences.
    margin: float = nan  #: Points by which `first` wins an even game of Go; NaN if not rated.
    notes: Sequence[str] = ()  #: What a reader must know.

    def __repr__(self) -> str:
        return (
            f"<GameForecast: {self.first} – {self.second}, expected {self.expected:.3f}, "
            f"win {self.win:.3f}, draw {self.draw:.3f}, loss {self.loss:.3f}>"
        )
