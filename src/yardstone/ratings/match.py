"""What the result of one match says about two players: Elo with its interval.

A match is known either game by game (losses, draws, wins: the *trinomial* model)
or by pairs of games in which both players had the same opening once with each
side (five counts of a pair's score: the *pentanomial* model). The two games of a
pair are not independent, so the variance must then be taken over pairs.

Notation: a result is worth a (0 to 1, a pair's points halved), s is the mean of a
and w the mean of a (1 - a), so that the variance of a is s (1 - s) - w.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import checked_arguments, no_such, unknown_player
from yardstone.clusters import half_width as deviations_for
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.winprob.laws import ELO_POINTS_PER_LOGIT, normal_cdf, rating_difference

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Longs
    from yardstone.pool import Pool


#: Elo points of one (score - 1/2) / deviation: as many between equals who never draw.
NORMALIZED_ELO = 2.0 * ELO_POINTS_PER_LOGIT

#: Results that a forecast needs, and games that an interval of normalized Elo needs.
LEAST_RESULTS = 10
#: Pairs of games that an interval of normalized Elo needs: of 30, at 95 %, 91 % held.
LEAST_PAIRS = 100


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with the ends of its confidence interval; NaN where unknown."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Match:
    """The result of a match, seen by the first player.

    Examples:
        >>> match = Match.from_results(wins=10, draws=5, losses=5)
        >>> match.games, match.score
        (20.0, 0.625)
    """

    #: From the worst result to the best: three counts of games (losses, draws, wins) or five counts
    #: of pairs of games (of 0, 1/2, 1, 3/2 and 2 points).
    counts: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.counts) not in (3, 5):
            raise UsageError(f"a match has 3 counts of games or 5 of pairs, not {len(self.counts)}")
        if not all(isfinite(count) and count >= 0.0 for count in self.counts):
            raise UsageError("counts of results cannot be negative")

    @classmethod
    def from_results(cls, wins: float, draws: float, losses: float) -> Match:
        """A match known game by game."""
        return cls((losses, draws, wins))

    @classmethod
    def from_counts(cls, counts: Sequence[float], *, pairs_only: bool = False) -> Match:
        """A match of wins, draws and losses, or of five counts of pairs of games.

        Raises `UsageError`: these are neither, or they are of single games and only pairs are
        wanted.
        """
        if len(counts) == 5:
            return cls(tuple(counts))
        if len(counts) != 3 or pairs_only:
            raise UsageError(
                "give wins, draws and losses, or five counts of pairs of games: those in which "
                "the first player scored 0, 1/2, 1, 3/2 and 2 points; or a file of games"
            )
        return cls.from_results(*counts)

    @property
    def paired(self) -> bool:
        """Whether the counts are of pairs of games."""
        return len(self.counts) == 5

    @property
    def size(self) -> float:
        """Number of independent results: games, or pairs."""
        return float(sum(self.counts))

    @property
    def games(self) -> float:
        """Number of games."""
        return self.size * (2.0 if self.paired else 1.0)

    @property
    def values(self) -> tuple[float, ...]:
        """What each counted result is worth, 0 to 1."""
        last = len(self.counts) - 1
        return tuple(place / last for place in range(last + 1))

    def moment(self, power: int, *, centre: float = 0.0) -> float:
        """Mean of (a - centre)^power over the results; NaN without results."""
        if not self.size:
            return nan
        pairs = zip(self.values, self.counts, strict=True)
        return sum(count * (value - centre) ** power for value, count in pairs) / self.size

    @property
    def score(self) -> float:
        """Mean score of a game, 0 to 1; NaN without games."""
        return self.moment(1)

    @property
    def variance(self) -> float:
        """Variance of one result (of the mean score of a pair, if paired)."""
        return self.moment(2, centre=self.score)

    @property
    def standard_error(self) -> float:
        """Standard error of the mean score."""
        return sqrt(self.variance / self.size) if self.size else nan

    @property
    def shared(self) -> float:
        """Share of draws, or of pairs that ended one all; NaN without results."""
        return self.counts[len(self.counts) // 2] / self.size if self.size else nan


def score_interval(match: Match, confidence: float = 0.95) -> Interval:
    """Confidence interval of the expected score of a game.

    Wilson's interval, with draws: the scores s that the mean m of n results does not refute,
    (m - s)^2 <= z^2 (s (1 - s) - w) / n. So it is never empty and stays within 0 to 1: ten wins in
    ten games give 0.72 to 1. For the same reason w is drawn towards 0 by z^2 results without draws;
    otherwise a match of nothing but draws would seem to prove equality.
    """
    z = deviations_for(confidence)
    n, mean = match.size, match.score
    if not n:
        return Interval(nan, 0.0, 1.0)
    within = (mean - match.moment(2)) * n / (n + z * z)
    spread = z * z / n
    centre = (mean + spread / 2.0) / (1.0 + spread)
    root = sqrt(max(centre**2 - (mean**2 + spread * within) / (1.0 + spread), 0.0))
    low = 0.0 if not any(match.counts[1:]) else max(centre - root, 0.0)
    high = 1.0 if not any(match.counts[:-1]) else min(centre + root, 1.0)
    return Interval(mean, low, high)


@checked_arguments()
def elo(match: Match, confidence: float = 0.95) -> Interval:
    """Elo difference of the first player over the second, with its interval.

    Examples:
        >>> difference = elo(Match.from_results(wins=859, draws=1329, losses=772))
        >>> f"{difference.value:.1f} [{difference.low:.1f}, {difference.high:.1f}]"
        '10.2 [0.9, 19.5]'
    """
    score = score_interval(match, confidence)
    return Interval(*map(float, rating_difference([score.value, score.low, score.high])))


@checked_arguments()
def normalized_elo(match: Match, confidence: float = 0.95) -> Interval:
    """Difference in units of a game's deviation: what decides how many games are needed.

    It is `NORMALIZED_ELO` (score - 1/2) / deviation, and does not depend on how drawish or how long
    the games were. The interval is by the delta method, with the skewness and the kurtosis of the
    results. If all results were alike the deviation is 0: the value is infinite, or NaN after draws
    only. Of fewer than `LEAST_RESULTS` games or `LEAST_PAIRS` pairs the deviation is not known well
    enough for any interval.
    """
    z = deviations_for(confidence)
    excess = match.score - 0.5
    variance = match.variance if match.size else nan
    if not variance > 0.0:
        value = inf * excess if match.size and excess else nan
        return Interval(value, -inf, inf)
    t = excess / sqrt(variance)
    skewness = match.moment(3, centre=match.score) / variance**1.5
    kurtosis = match.moment(4, centre=match.score) / variance**2
    error = sqrt(max(1.0 - t * skewness + t * t * (kurtosis - 1.0) / 4.0, 0.0) / match.size)
    unit = NORMALIZED_ELO / sqrt(2.0 if match.paired else 1.0)
    if match.size < (LEAST_PAIRS if match.paired else LEAST_RESULTS):
        return Interval(t * unit, -inf, inf)
    return Interval(t * unit, (t - z * error) * unit, (t + z * error) * unit)


@checked_arguments()
def superiority(match: Match) -> float:
    """Likelihood that the first player is the stronger one (LOS), 0 to 1.

    The normal approximation with the variance of equal players, 1/4 - w, and one result
    more, of variance 1/4, that keeps it from overstating few games. Game by game it is
    Phi((W - L) / sqrt(W + L + 1)), in which draws have no say: one game won gives 0.76, where
    the share of wins being anything beforehand, exactly 0.75 would follow.
    """
    if not match.size:
        return 0.5
    variance = match.size * (0.25 - (match.score - match.moment(2))) + 0.25
    z = match.size * (match.score - 0.5) / sqrt(variance)
    return float(normal_cdf(z))


def games_for_half_width(match: Match, half_width: float, confidence: float = 0.95) -> float:
    """Games in all after which the interval of Elo would be ± `half_width`.

    If those to come are like those seen; NaN without games, or if the score is 0 or 1.
    """
    if not half_width > 0.0:
        raise UsageError("the half-width of an interval must be above 0")
    z = deviations_for(confidence)
    n, mean = match.size, match.score
    if not n or not 0.0 < mean < 1.0:
        return nan
    variance = mean * (1.0 - mean) - (mean - match.moment(2)) * n / (n + z * z)
    slope = ELO_POINTS_PER_LOGIT / (mean * (1.0 - mean))
    return variance * (z * slope / half_width) ** 2 * (2.0 if match.paired else 1.0)


@dataclass(frozen=True, slots=True)
class PairedGames:
    """The games between two players, paired."""

    pairs: Match  #: Five counts of pairs, seen by the first player; of size 0 if none.
    games: Match  #: Three counts of all their games, paired or not.
    unpaired: int  #: Games without a counterpart with the other side.
    by: tuple[str, ...]  #: Columns in which the two games of a pair agree.
    #: By the ``columns`` asked for, ``round``, ``position``, ``order``, or not: ``none``.
    manner: Manner
    #: Three counts, seen by the first player: of games he began, and of the others.
    sides: tuple[Match, Match]

    @property
    def gain(self) -> float:
        """Standard error of the score from pairs over that from single games.

        Below 1 where openings favour one side: the two games of a pair then make
        up for each other. NaN where either cannot be computed.
        """
        single = self.games.standard_error
        return self.pairs.standard_error / single if single > 0.0 else float("nan")


@checked_arguments()
def pentanomial(
    pool: Pool, first: str, second: str, *, by: Sequence[str] | None = None
) -> PairedGames:
    """Pair the games of two players that differ in who moved first.

    Without `by` the games tell which belong together, in the first of these ways that they
    allow; `PairedGames.manner` says which:

    ``round``
        Each round (of an event) has two games at most, with sides swapped, as match
        programs number them. Starting positions, where they are known, are the same.
    ``position``
        Games from the same starting position (``fen``), in their order.
    ``order``
        Of the games in their order each two that follow one another have sides swapped.
    ``none``
        Nothing says which games belong together: there are no pairs.

    Args:
        first, second: The players; the counts are seen by `first`.
        by: Columns of the pool. Among the games that agree in all of them, the k-th game with
            `first` to move is paired with the k-th with `second` to move; where a game of a pair
            may be missing, they must say which games belong together.

    Raises:
        InputError: A player or a column is not in the pool, or the players never met.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names("ABAB", "BABA", [1, 0.5, 0.5, 0.5])
        >>> pentanomial(pool, "A", "B").pairs.counts
        (0.0, 0.0, 1.0, 1.0, 0.0)
    """
    a, b = _number(pool, first), _number(pool, second)
    if a == b:
        raise InputError(f"a match has two players, not {first!r} twice")
    for name in by or ():
        if name not in pool.columns:
            raise InputError(no_such("column", name, pool.columns))
    met, moved, score = _meetings(pool, a, b)
    if not met.any():
        raise NoGamesError(f"{first!r} and {second!r} did not meet")
    columns = {name: column[met] for name, column in pool.columns.items()}
    manner: Manner = "columns"
    if by is None:
        manner, chosen, group = find_pairing(columns, moved)
    else:
        chosen, group = tuple(by), grouped([columns[name] for name in by], len(score))
    points = np.empty(0)
    if group is not None:
        sides = (group[moved], group[~moved])  # then with how many of the group came before
        one, other = (each * (1 << 32) + rank_within(each) for each in sides)
        _, left, right = np.intersect1d(one, other, assume_unique=True, return_indices=True)
        points = score[moved][left] + score[~moved][right]
    return PairedGames(
        _counted(points, 5),
        _counted(score, 3),
        len(score) - 2 * len(points),
        chosen,
        manner,
        (_counted(score[moved], 3), _counted(score[~moved], 3)),
    )


def _meetings(pool: Pool, a: int, b: int) -> tuple[Flags, Flags, Floats]:
    """The games of two players; and of these whether the first moved first, and his scores."""
    met = ((pool.first == a) & (pool.second == b)) | ((pool.first == b) & (pool.second == a))
    moved = pool.first[met] == a
    return met, moved, np.where(moved, pool.score[met], 1.0 - pool.score[met])


def _counted(points: Floats, kinds: int) -> Match:
    counts = np.bincount((points * 2.0).astype(np.int64), minlength=kinds)
    return Match(tuple(float(count) for count in counts))


def _number(pool: Pool, player: str) -> int:
    try:
        return pool.players.index(player)
    except ValueError:
        raise unknown_player(player, pool.players) from None


Manner: TypeAlias = Literal["columns", "round", "position", "order", "none"]

_UNKNOWN = {"", "?", "-"}  #: What a tag says where it says nothing.


def find_pairing(
    columns: Mapping[str, NDArray[Any]], moved: Flags
) -> tuple[Manner, tuple[str, ...], Longs | None]:
    """How games can be paired, the surest way first; see `yardstone.pentanomial`.

    From the columns of the games in order, and whether the first player moved first: the manner,
    the columns in which pairs agree, and equal numbers for games that belong together.
    """
    named = {name.casefold(): name for name in reversed(list(columns))}
    event = [named["event"]] if "event" in named else []
    of_event = [columns[name] for name in event]
    positions = _column(columns, named.get("fen"))
    rounds = _column(columns, named.get("round"))
    if rounds is not None:
        group = grouped([*of_event, rounds], len(moved))
        if _swapped_once(group, moved) and _alike(group, positions):
            return "round", (*event, named["round"]), group
    if positions is not None:
        group = grouped([*of_event, positions], len(moved))
        first = np.bincount(group, moved)
        if 4 * np.minimum(first, np.bincount(group) - first).sum() >= len(moved):
            return "position", (*event, named["fen"]), group
    group = grouped(of_event, len(moved))
    group = grouped([group, rank_within(group) // 2], len(moved))
    if _swapped_once(group, moved) and _alike(group, positions):
        return "order", tuple(event), group
    return "none", (), None


def grouped(columns: Sequence[NDArray[Any]], games: int) -> Longs:
    """Equal numbers for games that agree in all columns."""
    group = np.zeros(games, np.int64)
    for column in columns:
        values, code = np.unique(column, return_inverse=True)
        _, group = np.unique(group * len(values) + code, return_inverse=True)
    return group.astype(np.int64)


def _column(columns: Mapping[str, NDArray[Any]], name: str | None) -> NDArray[Any] | None:
    """A column that says something of every game."""
    if name is None:
        return None
    column = columns[name]
    if column.dtype.kind == "f":
        return None if np.isnan(column).any() else column
    if column.dtype.kind in "iub":
        return column
    return None if {str(value) for value in column.tolist()} & _UNKNOWN else column


def _swapped_once(group: Longs, moved: Flags) -> bool:
    """Whether groups have two games at most, some have two, and those have sides swapped."""
    sizes = np.bincount(group)
    first = np.bincount(group, moved)
    return bool(sizes.max() == 2 and (first[sizes == 2] == 1).all())


def _alike(group: Longs, positions: NDArray[Any] | None) -> bool:
    """Whether the games of each group begin from one position, as far as that is known."""
    if positions is None:
        return True
    return bool(grouped([group, positions], len(group)).max() == group.max())


def rank_within(group: NDArray[np.integer]) -> Longs:
    """How many of its own group came before each; groups are numbers from 0."""
    order = np.argsort(group, kind="stable")
    start = np.flatnonzero(np.diff(group[order], prepend=-1))
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - np.repeat(start, np.diff(np.append(start, len(group))))
    return rank


TIME = "time forfeit"  #: What a loss on time is called, however the file calls it.
#: What files call it: cutechess-cli, fastchess and lichess the first, others in sentences.
_ON_TIME = re.compile(
    r"\btime[ _-]?forfeit|\bon time\b|\btime[ _-]?out\b|\bflag fall", re.IGNORECASE
)
_USUAL = ("", "normal", "?", "-")


@dataclass(frozen=True, slots=True)
class Ending:
    """Games that ended in one way, other than by the rules of the game."""

    name: str  #: As the file calls it, in small letters; ``time forfeit`` for losses on time.
    lost: tuple[int, int]  #: Games that the first and the second player lost so.
    drawn: int  #: Games that ended so and were drawn.

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.lost) + self.drawn


def endings(pool: Pool, first: str, second: str) -> tuple[Ending, ...] | None:
    """How the games of two players ended, by the column ``termination``.

    Losses on time first, then the commonest, without games that ended as usual; None where the pool
    says nothing of it.
    """
    column = next((c for name, c in pool.columns.items() if name.casefold() == "termination"), None)
    if column is None:
        return None
    met, _, score = _meetings(pool, pool.players.index(first), pool.players.index(second))
    names = np.array([_name(str(text)) for text in column[met].tolist()], object)
    found = []
    for name in filter(None, dict.fromkeys(names.tolist())):
        points = score[names == name]
        lost, won, drawn = (int((points == value).sum()) for value in (0.0, 1.0, 0.5))
        found.append(Ending(name, (lost, won), drawn))
    return tuple(sorted(found, key=lambda each: (each.name != TIME, -each.games, each.name)))


def _name(text: str) -> str:
    plain = text.strip().casefold()
    return "" if plain in _USUAL else TIME if _ON_TIME.search(plain) else plain
