"""Which games a system learns from, and which parts it is scored on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import no_such, plural
from yardstone.disk import column_on_disk, computed, let_go, on_disk, pieces, taken
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.pool import Pool, StoredPool, in_batches
from yardstone.ratings.match import rank_within
from yardstone.ratings.result import NO_ORDER, Replay
from yardstone.ratings.sequential import order_of_time
from yardstone.records.columns import HANDICAP_GAME
from yardstone.records.unplayed import even_games

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Longs

NEWCOMER_GAMES = 4  #: A newcomer has at most so many earlier games (Neubauer 2024, section 4.1.1).
#: How to come by a further column of a pool.
READ_COLUMN = "name it among the columns when the games are read"
#: So many groups of games on disk at most.
_MOST_GROUPS = 50
_NO_DATES = "No game has a date: the games are taken in the order in which they stand."
#: Edges of the groups by difference of ratings, in points of the reference system.
GAP_EDGES = (50.0, 100.0, 200.0, 400.0)


@dataclass(frozen=True, eq=False)
class Subset:
    """Some of the games that predictions are scored on; frozen."""

    name: str
    games: Flags
    about: str = ""  #: What the games have in common, in words.

    @cached_property
    def number(self) -> int:
        """Number of games."""
        return sum(int(taken(self.games, at).sum()) for at in pieces(len(self.games)))


def in_time_order(pool: Pool) -> Pool:
    """The games in order of time; games of equal time stay in the order given.

    A pool without times is in order already. InputError if only some games have a time.
    """
    if pool.time is not None and np.isnat(pool.time).all():
        return replace(pool, time=None)
    order = order_of_time(pool)
    return pool if order is None else pool.select(order)


def judged_games(pool: Pool, even: Sequence[str] = ()) -> tuple[Pool, list[str]]:
    """The games that can be judged, in order of time, and what was left out.

    If systems are named that need `even` games, those with a handicap are left out.
    """
    if even and not isinstance(pool, StoredPool):
        pool = even_games(pool)
    notes = [*pool.skipped.remarks, *([] if pool.ordered else [NO_ORDER])]
    if isinstance(pool, StoredPool):
        return pool, notes + _left_out_notes(pool.alone, pool.undated, dated=pool.time is not None)
    alone = pool.first == pool.second
    if even and (stones := pool.skipped.reasons[HANDICAP_GAME]):
        whom = even[0] if len(even) == 1 else f"{even[0]} and {len(even) - 1} other systems"
        notes.append(
            _left_out(stones, "with a handicap")[:-1]
            + f": {whom} cannot use it unless told its column (--set handicap=handicap)."
        )
    if alone.any():
        pool = pool.select(~alone)
    unknown = np.zeros(len(pool), np.bool_) if pool.time is None else np.isnat(pool.time)
    notes += _left_out_notes(int(alone.sum()), int(unknown.sum()), dated=not unknown.all())
    if unknown.any() and not unknown.all():
        pool = pool.select(~unknown)
    return in_time_order(pool), notes


def _left_out_notes(alone: int, undated: int, *, dated: bool) -> list[str]:
    """What is said of games of players against themselves, and of those without a date."""
    notes = [_left_out(alone, "of a player against himself")] if alone else []
    if undated:
        notes.append(_left_out(undated, "without a date") if dated else _NO_DATES)
    return notes


def _left_out(number: int, which: str) -> str:
    return f"{plural(number, 'game')} {which} {'was' if number == 1 else 'were'} left out."


def earlier_number(
    pool: Pool, *, share: float | None = None, until: np.datetime64 | None = None
) -> int:
    """How many games, in order of time, are earlier ones, which a system may be tuned on.

    Either a `share` of all games, 0 to 1 (those of the moment of the cut are later games), or those
    before the moment `until`. UsageError for both or none, or if one side has no game.
    """
    if (share is None) == (until is None):
        raise UsageError("give either the share of the earlier games or a date, and not both")
    if len(pool) < 2:
        raise NoGamesError("it takes at least two games to learn from one and predict the other")
    time = None if pool.time is None or np.isnat(pool.time[-1]) else pool.time
    if share is not None:
        if not 0.0 < share < 1.0:
            raise UsageError(f"the share of earlier games lies between 0 and 1, {share} does not")
        number = min(max(round(share * len(pool)), 1), len(pool) - 1)
        if time is not None:
            number = int(np.searchsorted(time, time[number]))
    elif until is None or time is None:
        raise UsageError("the games have no times, so a date cannot divide them")
    else:
        number = int(np.searchsorted(time, np.asarray(until, "datetime64[s]")))
    if number in (0, len(pool)):
        side = "earlier" if number == 0 else "later"
        raise UsageError(f"there is no {side} game: nothing can be {_USE[side]}")
    return number


def first_games(pool: Pool, number: int) -> Pool:
    """The first games of a pool; of one on disk they stay there."""
    if isinstance(pool, StoredPool):
        return pool.until(number)
    return pool.select(np.arange(number))


_USE = {"later": "scored", "earlier": "learned from"}


def earlier_games(pool: Pool) -> tuple[Longs, Longs]:
    """How many earlier games of the pool both players of each game have: (first, second).

    Examples:
        >>> from yardstone.pool import Pool
        >>> earlier_games(Pool.from_names(["A", "B", "A"], ["B", "C", "B"], [1, 1, 0]))
        (array([0, 1, 1]), array([0, 0, 2]))
    """
    count = rank_within(np.column_stack([pool.first, pool.second]).ravel())
    return count[0::2], count[1::2]


def newcomers(pool: Pool, most: int = NEWCOMER_GAMES) -> Flags:
    """Games in which both players have at most `most` earlier games."""
    played = np.zeros(len(pool.players), np.int64)
    made = column_on_disk if on_disk(pool.first) else np.empty
    mask = made(len(pool), np.bool_)
    place = 0
    for games in in_batches(pool):
        before = zip(earlier_games(games), (games.first, games.second), strict=True)
        first, second = (count + played[side] for count, side in before)
        at = slice(place, place + len(games))
        mask[at] = (first <= most) & (second <= most)
        let_go(mask)
        played += games.played()
        place = at.stop
    return mask


def since(pool: Pool, moment: np.datetime64) -> Flags:
    """Games at or after a moment."""
    if pool.time is None:
        raise UsageError("the games have no times, so none can be chosen by a date")
    time = pool.time
    return computed(lambda at: np.asarray(taken(time, at) >= moment), time, np.bool_)


def rating_gap_subsets(
    first_rating: Floats, second_rating: Floats, edges: Sequence[float] = GAP_EDGES
) -> list[Subset]:
    """Groups of games by the distance of both ratings before the game.

    Matchmaking brings players of equal rating together, whose games are hard to predict for the
    system that made the match (Neubauer 2024, section 6.3): look at each distance by itself.
    """
    bounds = [0.0, *edges, np.inf]
    groups = []
    for low, high in pairwise(bounds):

        def between(at: slice, low: float = low, high: float = high) -> Flags:
            gap = np.abs(taken(first_rating, at) - taken(second_rating, at))
            return np.asarray((gap >= low) & (gap < high))

        above = f"gap {low:.0f}+" if np.isinf(high) else f"gap {low:.0f}-{high:.0f}"
        mask = computed(between, first_rating, np.bool_)
        groups.append(Subset(above, mask, "by distance of ratings"))
    return groups


def usual_subsets(
    pool: Pool,
    *,
    newcomer_games: int = NEWCOMER_GAMES,
    since_dates: Sequence[np.datetime64] = (),
    group_by: str | None = None,
) -> list[Subset]:
    """Newcomers, games since dates, and groups by a column of the pool."""
    parts = [
        Subset(
            "newcomers",
            newcomers(pool, newcomer_games),
            f"both players have at most {newcomer_games} earlier games",
        )
    ]
    parts += [Subset(f"since {moment}", since(pool, moment)) for moment in since_dates]
    if group_by is not None:
        if group_by not in pool.columns:
            raise InputError(no_such("column", group_by, pool.columns), hint=READ_COLUMN)
        parts += _groups(pool, group_by)
    return parts


def _groups(pool: Pool, name: str) -> list[Subset]:
    """The games of each value of a column."""
    column: Any = pool.columns[name]
    values: NDArray[Any] = np.unique(taken(column, slice(0, 0)))
    for at in pieces(len(column)):
        values = np.unique(np.concatenate([values, np.unique(taken(column, at))]))
        if on_disk(column) and len(values) > _MOST_GROUPS:
            raise InputError(
                f"the column {name!r} has more than {_MOST_GROUPS} values: too many parts of games "
                "that do not fit in memory",
                hint="leave out --group, or give more --memory",
            )

    def equal(value: Any, at: slice) -> Flags:
        return np.asarray(taken(column, at) == value)

    return [
        Subset(f"{name} {value}", computed(partial(equal, value), column, np.bool_))
        for value in values
    ]


ADVANCE = 10  #: The thesis' A: how many games ahead a label looks.


@dataclass(frozen=True, eq=False)
class Labels:
    """For each game both players' ratings some games later; frozen."""

    #: The labels, on the scale of the system.
    first: Floats
    second: Floats
    #: How many games ahead each label lies: `advance`, or fewer near the end of a player's games.
    first_ahead: Longs
    second_ahead: Longs
    advance: int

    def normalisation(self, games: Flags) -> tuple[float, float]:
        """Mean and standard deviation of the labels of some games (both players)."""
        values = np.concatenate([self.first[games], self.second[games]])
        if len(values) < 2:
            raise UsageError("it takes two labels to normalise by")
        return float(values.mean()), float(values.std(ddof=1))


def rating_labels(pool: Pool, replay: Replay, *, advance: int = ADVANCE) -> Labels:
    """The rating of each player `advance` games after each game.

    If a player is not to play that many games, it is the latest known rating. The
    rating *after* a game is the one before the player's next game, for between
    games no system here changes a rating (only its deviation).

    Args:
        pool: In order of time; one that systems take game by game.
        replay: Of that pool.
        advance: The thesis' A; 0 labels each game with the rating right after it.
    """
    if advance < 0:
        raise UsageError(f"labels look ahead by 0 games or more, not {advance}")
    games = len(pool)
    if len(replay.expected) != games:
        raise InputError(f"a replay of {len(replay.expected)} games is not of this pool of {games}")
    player = np.column_stack([pool.first, pool.second]).ravel()
    before = np.column_stack([replay.first_rating, replay.second_rating]).ravel()
    order = np.argsort(player, kind="stable")
    grouped = player[order]
    place = np.arange(2 * games)
    ends = np.searchsorted(grouped, grouped, side="right")
    target = np.minimum(place + advance + 1, ends)
    # One past a player's last game stands the rating after it.
    last = target == ends
    rating = np.where(
        last, replay.ratings.rating[grouped], before[order][np.minimum(target, 2 * games - 1)]
    )
    label, ahead = np.empty(2 * games), np.empty(2 * games, np.int64)
    label[order] = rating
    ahead[order] = target - place - 1
    return Labels(label[0::2], label[1::2], ahead[0::2], ahead[1::2], advance)
