"""What the result of one match says about two players: Elo with its interval.

A match is known either game by game (losses, draws, wins: the *trinomial* model)
or by pairs of games in which both players had the same opening once with each
side (five counts of a pair's score: the *pentanomial* model). The two games of a
pair are not independent, so the variance must then be taken over pairs.

Notation: a result is worth a (0 to 1, a pair's points halved), s is the mean of a
and w the mean of a (1 - a), so that the variance of a is s (1 - s) - w.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, inf, isfinite, nan, sqrt

from yardstone.choices import checked_arguments
from yardstone.errors import UsageError
from yardstone.ratings.superiority import half_width as deviations_for
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT, rating_difference, win_probability

__all__ = [
    "LEAST_PAIRS",
    "LEAST_RESULTS",
    "NORMALIZED_ELO",
    "Interval",
    "Match",
    "elo",
    "elo_from_score",
    "games_for_half_width",
    "normalized_elo",
    "score_from_elo",
    "score_interval",
    "superiority",
]

#: Elo points of one unit of (score - 1/2) / deviation of a game, so that Elo and
#: normalized Elo agree between equal players who never draw.
NORMALIZED_ELO = 2.0 * ELO_POINTS_PER_LOGIT

#: Results (games, or pairs) that a forecast needs, and games that an interval of
#: normalized Elo needs.
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

    Attributes
    ----------
    counts : tuple of float
        From the worst result to the best: three counts of games (losses, draws,
        wins) or five counts of pairs of games (of 0, 1/2, 1, 3/2 and 2 points).

    Examples
    --------
    >>> match = Match.from_results(wins=10, draws=5, losses=5)
    >>> match.games, match.score
    (20.0, 0.625)
    """

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

        Raises
        ------
        UsageError
            These are neither, or they are of single games and only pairs are wanted.
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
    def deviation_per_game(self) -> float:
        """Standard deviation of a game's score that gives the variance seen.

        With pairs this is the root of twice the variance of a pair's mean score:
        less than that of single games when openings are unbalanced.
        """
        return sqrt(self.variance * (2.0 if self.paired else 1.0))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean score."""
        return sqrt(self.variance / self.size) if self.size else nan

    @property
    def shared(self) -> float:
        """Share of draws, or of pairs that ended one all; NaN without results."""
        return self.counts[len(self.counts) // 2] / self.size if self.size else nan


def elo_from_score(score: float) -> float:
    """Elo difference at which the expected score is `score`; infinite at 0 and 1."""
    if score <= 0.0:
        return -inf
    if score >= 1.0:
        return inf
    return float(rating_difference(score))


def score_from_elo(difference: float) -> float:
    """Expected score at an Elo difference."""
    return float(win_probability(difference))


def score_interval(match: Match, confidence: float = 0.95) -> Interval:
    """Confidence interval of the expected score of a game.

    The ends are the scores s that the mean m of n results does not refute,
    (m - s)^2 <= z^2 (s (1 - s) - w) / n: Wilson's interval, with draws. As in
    Wilson's, the variance is that of the hypothesis, not of the sample, so that
    the interval is never empty and stays within 0 to 1: ten wins in ten games
    give 0.72 to 1. For the same reason w is drawn towards 0 by z^2 results
    without draws; otherwise a match of nothing but draws would seem to prove
    equality. With thousands of games it is the usual m ± z deviation / sqrt(n).
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

    Examples
    --------
    >>> difference = elo(Match.from_results(wins=859, draws=1329, losses=772))
    >>> f"{difference.value:.1f} [{difference.low:.1f}, {difference.high:.1f}]"
    '10.2 [0.9, 19.5]'
    """
    score = score_interval(match, confidence)
    value = elo_from_score(score.value) if match.size else nan
    return Interval(value, elo_from_score(score.low), elo_from_score(score.high))


@checked_arguments()
def normalized_elo(match: Match, confidence: float = 0.95) -> Interval:
    """Difference in units of a game's deviation: what decides how many games are needed.

    It is `NORMALIZED_ELO` (score - 1/2) / deviation, and does not depend on how
    drawish or how long the games were. The interval is by the delta method, with
    the skewness and the kurtosis of the results. If all results were alike the
    deviation is 0: the value is infinite, or NaN after draws only. Of fewer than
    `LEAST_RESULTS` games or `LEAST_PAIRS` pairs the deviation is not known well enough for
    any interval.
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
    return 0.5 * erfc(-z / sqrt(2.0))


def games_for_half_width(match: Match, half_width: float, confidence: float = 0.95) -> float:
    """Games in all after which the interval of Elo would be ± `half_width`.

    If the games to come are like those seen. NaN if there are none, or if the
    score is 0 or 1, from which no finite interval comes.
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
