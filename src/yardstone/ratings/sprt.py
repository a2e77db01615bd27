"""When to stop a match: the sequential probability ratio test (SPRT).

The test weighs "the first player is elo1 stronger" (H1) against "elo0 stronger"
(H0) after every game or pair, and stops once the log likelihood ratio (LLR)
leaves the bounds log(beta / (1 - alpha)) and log((1 - beta) / alpha). The wrong
one is then accepted with a probability of about alpha (H1) or beta (H0).

Neither hypothesis says how often games are drawn, so each is represented by the distribution of
results that is likeliest within it: the *generalised* SPRT. With observed shares q of results worth
a, the likeliest shares under sum(p c) = 0 are p = q / (1 + x c), where x solves sum(q c / (1 + x
c)) = 0. For a mean score s, c = a - s. For normalized Elo the ratio t = (mean - 1/2) / deviation is
fixed; its linear form at a given mean and deviation is c = a - 1/2 - t deviation (1 + ((a - mean) /
deviation)^2) / 2, repeated until the mean and the deviation are those of p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import expm1, inf, log, nan, sqrt
from numbers import Real
from shlex import quote
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from yardstone.choices import check_fields, checked_arguments
from yardstone.display import Displayed
from yardstone.errors import ConvergenceError, InputError, NoGamesError, UsageError
from yardstone.ratings.match import (
    LEAST_RESULTS,
    NORMALIZED_ELO,
    Ending,
    Interval,
    Match,
    PairedGames,
    elo,
    endings,
    games_for_half_width,
    normalized_elo,
    pentanomial,
    superiority,
)
from yardstone.records.options import ColumnNames
from yardstone.winprob.laws import win_probability

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.pool import Pool, SkipReport

EloModel = Literal["logistic", "normalized"]
Decision = Literal["accept H0", "accept H1", "continue"]

_EMPTY_COUNT = (
    1e-3  #: Takes the place of a count of 0, so that every distribution has a likelihood.
)
_PARTS = 200  #: Parts into which the differences still possible are cut for a forecast.
#: Largest mean step of the ratio in a forecast, as a share of its root mean square.
_STEEPEST = 0.99
TOLERANCE = 1e-9  #: Change of the probabilities at which the search for the likeliest ones ends.


def _tilt(shares: Floats, c: Floats) -> Floats:
    """The likeliest distribution p with sum(p c) = 0, for each row of shares; Newton's method."""
    top, bottom = c.max(-1), c.min(-1)
    if not ((top > 0.0) & (bottom < 0.0)).all():
        raise UsageError("no results at all could have the Elo difference of a hypothesis")
    low, high = -1.0 / top, -1.0 / bottom
    x = np.zeros_like(low)
    for _ in range(200):
        ratio = c / (1.0 + x[..., None] * c)
        value = (shares * ratio).sum(-1)
        low, high = np.where(value > 0.0, x, low), np.where(value > 0.0, high, x)
        step = x + value / (shares * ratio**2).sum(-1)
        inside = (step > low) & (step < high)
        following = np.where(inside, step, (low + high) / 2.0)
        change = np.abs(following - x)
        x = following
        if (change <= 1e-14 * np.abs(x) + 1e-15).all():
            break
    tilted: Floats = shares / (1.0 + x[..., None] * c)
    return tilted


def _likeliest_with_t(shares: Floats, values: Floats, t: float) -> Floats:
    """The likeliest distribution with (mean - 1/2) / deviation = `t`."""
    p = np.full_like(shares, 1.0 / len(values))
    for _ in range(200):
        mean = (p * values).sum(-1, keepdims=True)
        deviation = np.sqrt((p * (values - mean) ** 2).sum(-1, keepdims=True))
        bend = 1.0 + ((values - mean) / deviation) ** 2
        following = _tilt(shares, values - 0.5 - t * deviation * bend / 2.0)
        change = np.abs(following - p).max()
        p = following
        if change < TOLERANCE:
            return p
    raise ConvergenceError("no likeliest results found for the normalized Elo of a hypothesis")


def _log_ratios(
    counts: ArrayLike, elo0: float, elo1: float, model: EloModel
) -> tuple[Floats, Floats]:
    """Numbers of results with none at 0, and what each adds to the LLR."""
    number = np.asarray(counts, np.float64)
    if number.shape[-1] not in (3, 5):
        raise UsageError("a match has 3 counts of games or 5 of pairs")
    number = np.where(number > 0.0, number, _EMPTY_COUNT)
    shares = number / number.sum(-1, keepdims=True)
    values = np.linspace(0.0, 1.0, number.shape[-1])
    if model == "logistic":
        p0, p1 = (_tilt(shares, values - win_probability(e) + 0.0 * shares) for e in (elo0, elo1))
    else:
        unit = NORMALIZED_ELO / (sqrt(2.0) if len(values) == 5 else 1.0)
        p0, p1 = (_likeliest_with_t(shares, values, e / unit) for e in (elo0, elo1))
    return number, np.log(p1 / p0)


def log_likelihood_ratio(
    counts: ArrayLike, elo0: float, elo1: float, *, model: EloModel = "logistic"
) -> Floats:
    """Log likelihood ratio of "elo1 stronger" over "elo0 stronger", in points of `model`.

    `counts` are those of `Match.counts`; one ratio comes back for each row.

    Examples:
        >>> round(float(log_likelihood_ratio([13, 37, 50, 25, 3], 0, 4, model="normalized")), 4)
        -0.5491
    """
    number, ratio = _log_ratios(counts, elo0, elo1, model)
    total: Floats = (number * ratio).sum(-1)
    return total


@dataclass(frozen=True, slots=True)
class SprtState:
    """Where a sequential test stands."""

    #: The log likelihood ratio and the bounds at which the test ends.
    llr: float
    lower: float
    upper: float
    decision: Decision  #: ``"accept H0"``, ``"accept H1"`` or ``"continue"``.
    #: That H1 will be accepted, over the differences still possible; NaN with too few results.
    chance: float
    further_games: float  #: Games until the test ends, expected alike; 0 once it has ended.


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of H1 "elo1 stronger" against H0 "elo0 stronger".

    Examples:
        >>> Sprt(0, 5).state(Match.from_results(wins=2000, draws=4000, losses=1700)).decision
        'accept H1'
    """

    #: The hypotheses, elo0 below elo1, in points of `model`.
    elo0: float = 0.0
    elo1: float = 5.0
    #: Wanted probabilities of accepting H1 where H0 is true, and the reverse.
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = "logistic"  #: Whether the hypotheses are in Elo or in normalized Elo.

    def __post_init__(self) -> None:
        check_fields(self)
        if not -inf < self.elo0 < self.elo1 < inf:
            raise UsageError(f"elo0 ({self.elo0:g}) must be below elo1 ({self.elo1:g})")
        if min(self.alpha, self.beta) <= 0.0 or self.alpha + self.beta >= 1.0:
            raise UsageError("alpha and beta must be above 0 and their sum below 1")

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios at which H0 and H1 are accepted."""
        return log(self.beta / (1.0 - self.alpha)), log((1.0 - self.beta) / self.alpha)

    def state(self, match: Match) -> SprtState:
        """Where the test stands after a match."""
        lower, upper = self.bounds
        if not match.size:
            return SprtState(0.0, lower, upper, "continue", nan, nan)
        llr = float(log_likelihood_ratio(match.counts, self.elo0, self.elo1, model=self.model))
        if llr <= lower or llr >= upper:
            accepted = llr >= upper
            name: Decision = "accept H1" if accepted else "accept H0"
            return SprtState(llr, lower, upper, name, float(accepted), 0.0)
        if match.size < LEAST_RESULTS:
            return SprtState(llr, lower, upper, "continue", nan, nan)
        chance, steps = self._forecast(match, lower - llr, upper - llr)
        games = steps * (2.0 if match.paired else 1.0)
        return SprtState(llr, lower, upper, "continue", chance, games)

    def _forecast(self, match: Match, lower: float, upper: float) -> tuple[float, float]:
        """Chance that the ratio leaves at `upper`, and the mean number of results until then."""
        counts = np.array(match.counts) + 1.0 / len(match.counts)
        number, ratio = _log_ratios(counts, self.elo0, self.elo1, self.model)
        shares = number / number.sum()
        square = float(shares @ ratio**2)
        error = sqrt(square / number.sum())
        most = _STEEPEST * sqrt(square)
        # Mean steps that the results leave possible: the observed one would be too sure.
        steps = np.array([NormalDist().inv_cdf((k + 0.5) / _PARTS) for k in range(_PARTS)])
        drifts = np.clip(float(shares @ ratio) + error * steps, -most, most)
        ends = [_exit(drift, square - drift**2, lower, upper) for drift in drifts.tolist()]
        chance, results = np.mean(ends, axis=0).tolist()
        return chance, results


def _exit(drift: float, variance: float, lower: float, upper: float) -> tuple[float, float]:
    """Chance of Brownian motion to leave (lower, upper) at the top, and the mean time, from 0."""
    width = upper - lower
    bend = 2.0 * drift / variance
    if abs(bend * width) < 1e-6:
        return -lower / width, -lower * upper / variance
    if drift > 0.0:
        chance = expm1(bend * lower) / expm1(-bend * width)
    else:  # the mirror image, so that nothing overflows
        chance = 1.0 - expm1(-bend * -upper) / expm1(bend * width)
    return chance, (chance * upper + (1.0 - chance) * lower) / drift


_LISTED = 8  #: Matches that are listed where it is not clear which is meant.


@dataclass(frozen=True, repr=False)
class MatchJudgement(Displayed):
    """What a match says; frozen."""

    _made_by: ClassVar[str] = "reports.match:match_document"

    match: Match  #: What was judged, seen by the first player: pairs of games where there are any.
    confidence: float  #: Level of the intervals, 0 to 1.
    elo: Interval
    normalized_elo: Interval
    superiority: float  #: Likelihood that the first player is the stronger one.
    #: After how many games in all the interval of Elo would be ± `half_width`; NaN where nobody can
    #: know.
    half_width: float
    games_needed: float
    test: Sprt
    state: SprtState  #: Where that sequential test stands.
    #: The games that were paired, if the games themselves are known.
    paired: PairedGames | None = None
    players: tuple[str, str] | None = None
    endings: tuple[Ending, ...] | None = None  #: Losses on time and the like; None if unknown.
    skipped: SkipReport | None = None  #: What was left out where the games were read.

    def __repr__(self) -> str:
        return str(self)


@checked_arguments(ColumnNames)
def match(
    games: Any,
    players: tuple[str, str] | None = None,
    *,
    by: Sequence[str] | None = None,
    pairs_only: bool = False,
    test: Sprt | None = None,
    confidence: float = 0.95,
    half_width: float = 5.0,
    **names: Unpack[ColumnNames],
) -> MatchJudgement:
    """Judge a match of two players: what `yardstone match` does.

    Args:
        games: Wins, draws and losses; or five counts of pairs of games, those in which the first
            player scored 0, 1/2, 1, 3/2 and 2 points; or the games themselves.
        players: Whose games; by default the two players that there are.
        by, pairs_only, test, confidence, half_width: As in `judge_games`.
        **names: Which columns hold what, where `games` is no pool; see
            `yardstone.records.options.ColumnNames`.

    Examples:
        >>> round(match((859, 1329, 772)).elo.value, 1)
        10.2
    """
    if isinstance(games, list | tuple) and games and all(isinstance(n, Real) for n in games):
        if players is not None or by is not None or names:
            raise UsageError("counts have neither players nor columns: give the games for those")
        counts = tuple(map(float, games))
        judged = Match.from_counts(counts, pairs_only=pairs_only)
        return judge_match(judged, test=test, confidence=confidence, half_width=half_width)
    from yardstone.pool import Pool
    from yardstone.records.reading import games_of

    if by is not None and not isinstance(games, Pool):
        names["columns"] = {**{name: name for name in by}, **names.get("columns", {})}
    return judge_games(
        games_of(games, names, everything=by is None),
        *(players or ()),
        by=by,
        pairs_only=pairs_only,
        test=test,
        confidence=confidence,
        half_width=half_width,
    )


def judge_match(
    match: Match | PairedGames,
    *,
    test: Sprt | None = None,
    confidence: float = 0.95,
    half_width: float = 5.0,
    players: tuple[str, str] | None = None,
) -> MatchJudgement:
    """Judge a match of which the results are counted; of paired games the pairs, if any.

    `test` is by default 5 Elo against 0. `half_width`: for how many games to come, until the
    interval is ± so many Elo.

    Examples:
        >>> judgement = judge_match(Match.from_results(wins=859, draws=1329, losses=772))
        >>> round(judgement.elo.value, 1), round(judgement.superiority, 3)
        (10.2, 0.984)
    """
    paired = match if isinstance(match, PairedGames) else None
    counts = match if isinstance(match, Match) else match.pairs if match.pairs.size else match.games
    test = test or Sprt()
    return MatchJudgement(
        match=counts,
        confidence=confidence,
        elo=elo(counts, confidence),
        normalized_elo=normalized_elo(counts, confidence),
        superiority=superiority(counts),
        half_width=half_width,
        games_needed=games_for_half_width(counts, half_width, confidence),
        test=test,
        state=test.state(counts),
        paired=paired,
        players=players,
    )


def judge_games(
    pool: Pool,
    first: str | None = None,
    second: str | None = None,
    *,
    by: Sequence[str] | None = None,
    pairs_only: bool = False,
    **options: Any,
) -> MatchJudgement:
    """Judge the games of two players, paired as `pentanomial` does.

    `options` are `test`, `confidence` and `half_width` of `judge_match`.

    Without names they are the two players that there are, the one who moves first in the first game
    before the other. InputError if there are more, or they never met; UsageError if `pairs_only`
    and no two games are a pair.
    """
    from yardstone.records.unplayed import even_games

    pool = even_games(pool)
    if first is None or second is None:
        first, second = match_players(pool)
    paired = pentanomial(pool, first, second, by=by)
    if pairs_only and not paired.pairs.size:
        raise UsageError("no two games form a pair")
    judgement = judge_match(paired, players=(first, second), **options)
    return replace(judgement, endings=endings(pool, first, second), skipped=pool.skipped)


def match_players(pool: Pool) -> tuple[str, str]:
    """The two players of a match, the one who moves first in the first game before the other.

    NoGamesError without a game; InputError if there are more players: it lists who met.
    """
    if not len(pool):
        raise NoGamesError("there is no game with a result")
    low, high = np.minimum(pool.first, pool.second), np.maximum(pool.first, pool.second)
    met = low.astype(np.int64) * len(pool.players) + high
    _, begins, games = np.unique(met, return_index=True, return_counts=True)
    if len(games) == 1:
        return pool.players[pool.first[0]], pool.players[pool.second[0]]
    order = np.lexsort((begins, -games))
    listed = [
        f"{pool.players[pool.first[begins[k]]]} – {pool.players[pool.second[begins[k]]]} "
        f"({games[k]:,} game{'' if games[k] == 1 else 's'})"
        for k in order[:_LISTED].tolist()
    ]
    rest = len(games) - len(listed)
    first, second = (pool.players[side[begins[order[0]]]] for side in (pool.first, pool.second))
    raise InputError(
        f"these are {len(games):,} matches: {', '.join(listed)}"
        + (f" and {rest:,} more" if rest else ""),
        hint=f"name the players of one: --players {quote(first)} {quote(second)}, "
        f"in Python players=({first!r}, {second!r})",
    )
