"""Entry lists for simulated tournaments: real ones, and synthetic ones like them.

Strengths and grades are numbers of grades, 1 dan = 0; ratings are those of the European Go
Federation, on which 1 dan is 2100 and a grade 100 points.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from yardstone.arrays import Floats, Longs
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.tournament.model import Tournament
from yardstone.tournament.standings_table import Scores
from yardstone.winprob.laws import normal_cdf
from yardstone.winprob.model import DEFAULT, WinningModel, winning_model
from yardstone.winprob.scales import egf_of_grade, grade_of_egf

WinningLaw = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]

LOWEST_GRADE = -20

#: Tournaments that players of each grade, 20 kyu to 8 dan, had taken part in: sums over
#: the list of the European Go Federation of 9 November 2014. Its 20 kyu, where all
#: newcomers begin, is given the number of 19 kyu.
APPEARANCES = np.array(
    [
        3079, 3079, 4364, 3877, 4398, 5682, 5237, 5459, 6879, 5667,
        9242, 7934, 12754, 12144, 15918, 17593, 16281, 17846, 18227, 22072,
        25312, 19297, 19357, 14781, 10774, 6250, 2972, 252,
    ],
    np.float64,
)  # fmt: skip

#: Standard deviation of ratings within a grade, in grades: 20 kyu to 8 dan, among the
#: players of that list with at least ten tournaments, the last of them since 2010,
#: smoothed to a straight line down to 4 dan.
GRADE_SPREAD = np.interp(np.arange(LOWEST_GRADE, 8), [-20.0, 3.0, 6.0], [1.2, 0.65, 0.5])


@dataclass(frozen=True, slots=True)
class EntryList:
    """The players of a tournament, with what the organiser knows and what he does not."""

    names: tuple[str, ...]  #: One a player
    grade: Longs  #: Grade with which each enters, 1 dan = 0
    rating: Floats  #: Rating with which each enters, in points of the EGF
    strength: Floats  #: True strength, in grades
    club: Longs  #: `club`, `country`: numbers of clubs and countries; -1 for none.
    country: Longs

    def __len__(self) -> int:
        return len(self.names)


def synthetic_field(
    number: int,
    rng: np.random.Generator,
    *,
    lowest: int = LOWEST_GRADE,
    highest: int = 6,
    spread: float = 1.0,
    clubs: int = 0,
    countries: int = 0,
) -> EntryList:
    """A field as European tournaments have it.

    Grades are drawn as often as they take part (`APPEARANCES`), strengths from a normal
    distribution about the grade (`GRADE_SPREAD`), as Hiddema proposes for his test of tie-breaks;
    the rating with which a player enters is that of the grade.

    Args:
        number: Players.
        rng: Source of chance.
        lowest, highest: Grades between which to draw, 1 dan = 0: from 20 kyu (-20) to 8 dan (7) at
            most.
        spread: Factor on the deviation of strengths about grades; 0: strengths are the grades.
        clubs, countries: Number of clubs and of countries over which players are spread evenly.

    Raises:
        UsageError: If there are no such grades, or nobody.
    """
    if number < 1:
        raise UsageError(f"a field of {number} players cannot be made")
    if not LOWEST_GRADE <= lowest <= highest < LOWEST_GRADE + len(APPEARANCES):
        raise UsageError("grades are drawn from 20k to 8d, the lowest first")
    if not (spread >= 0.0 and np.isfinite(spread)):
        raise UsageError(f"the spread of strengths must not be negative: {spread}")
    grades = np.arange(lowest, highest + 1)
    share = APPEARANCES[grades - LOWEST_GRADE]
    grade = np.sort(rng.choice(grades, number, p=share / share.sum()))[::-1].copy()
    deviation = spread * GRADE_SPREAD[grade - LOWEST_GRADE]
    strength = grade + deviation * rng.standard_normal(number)
    return EntryList(
        names=tuple(f"Player {place}" for place in range(1, number + 1)),
        grade=grade,
        rating=egf_of_grade(grade),
        strength=strength,
        club=rng.integers(clubs, size=number) if clubs > 0 else np.full(number, -1),
        country=rng.integers(countries, size=number) if countries > 0 else np.full(number, -1),
    )


def known_strength(tournament: Tournament, *, points: bool = False) -> Floats:
    """Strengths of a tournament's players as the entry list tells them.

    In grades, from the rating on the European scale or else the grade; with `points` the ratings as
    they stand. InputError if a player lacks what is needed.
    """
    strength = np.empty(len(tournament.players))
    for row, player in enumerate(tournament.players):
        if player.rating is not None:
            strength[row] = player.rating
        elif player.rank is not None and not points:
            strength[row] = egf_of_grade(player.rank)
        else:
            lacks = "no rating" if points else "neither grade nor rating"
            raise tournament.error(
                f"{player.full_name} has {lacks}", line=player.line, hint="enter one"
            )
    return strength if points else grade_of_egf(strength)


#: True strengths scatter about declared grades by so many times the spread of ratings
#: within a grade: of 0.5, 1, 1.5 and 2 the likeliest in 92 events (rather too small:
#: ``studies.true_strengths``).
ENTRY_FACTOR = 1.5
#: Points of Elo by which true strengths of chess players scatter about their ratings: the
#: same study finds 30 to 47 in months of KingBase, and 30 to 42 where 60 is the truth.
ELO_SPREAD = 60.0
#: Steps of differences, in grades or points of the scale at hand.
_DIFFERENCE_STEP = 1e-4
_MOST_STEPS = 100
#: A step shortened to this leads nowhere: the top is reached.
_LEAST_SHARE = 1e-6


def entry_spread(strength: Floats, *, points: bool = False) -> Floats:
    """Standard deviation of true strengths (n,) about a list of grades, or `points` of Elo."""
    if points:
        return np.full(len(strength), ELO_SPREAD)
    grades = np.arange(LOWEST_GRADE, LOWEST_GRADE + len(GRADE_SPREAD))
    return ENTRY_FACTOR * np.interp(strength, grades, GRADE_SPREAD)


@dataclass(frozen=True, eq=False)
class Strengths:
    """What is known of true strengths: normal, with these means; frozen."""

    mean: Floats  #: (players,)
    #: (players, players) or (players,) Lower triangular root of the covariance, or deviations of
    #: independent strengths
    root: Floats

    @property
    def deviation(self) -> Floats:
        """Standard deviation of each."""
        if self.root.ndim == 1:
            return self.root
        return np.asarray(np.sqrt((self.root**2).sum(axis=1)))

    @property
    def exact(self) -> bool:
        """Whether nothing is uncertain."""
        return not self.root.any()

    def draw(self, rng: np.random.Generator) -> Floats:
        """Strengths that may be the true ones."""
        if self.exact:
            return self.mean
        noise = rng.standard_normal(len(self.mean))
        return self.mean + (self.root * noise if self.root.ndim == 1 else self.root @ noise)

    @classmethod
    def known(
        cls,
        strength: Floats,
        deviation: ArrayLike,
        chance: WinningLaw,
        played: Scores,
        rounds: int,
    ) -> Strengths:
        """Strengths (players,) by the entry list, corrected by the rounds that are over.

        `deviation`, a number or one a player, is that of the true ones about it; 0: the list is
        exact. InputError for a negative one, ModelError if no most probable strengths are found.
        """
        sigma = np.broadcast_to(np.asarray(deviation, np.float64), strength.shape).copy()
        if not (np.isfinite(sigma) & (sigma >= 0.0)).all():
            raise InputError("a deviation of strengths is a number, and not negative")
        games = GamesOver.of(played, rounds, chance)
        if not len(games.first) or not sigma.any():
            return cls(strength, sigma)
        # Who is known exactly gets a spread too small to matter.
        sigma = np.maximum(sigma, 1e-6 * sigma.max())
        mean, precision = most_probable(games, strength, sigma)
        return cls(mean, np.linalg.cholesky(np.linalg.inv(precision)))


@dataclass(frozen=True, eq=False)
class GamesOver:
    """Games that are over; frozen."""

    #: `first`, `second`: (games,) Rows of the players who moved first and second.
    first: Longs
    second: Longs
    score: Floats  #: (games,) Points of the first, 0 to 1
    stones: Floats  #: (games,) Handicap stones of the first
    chance: WinningLaw  #: Win probability

    @classmethod
    def of(cls, played: Scores, rounds: int, chance: WinningLaw) -> GamesOver:
        """The games of so many rounds."""
        one, column = np.nonzero((played.opponent >= 0) & played.played & (played.first == 1))
        over = column < rounds
        one, column = one[over], column[over]
        return cls(
            one,
            played.opponent[one, column],
            played.points2[one, column] / 2.0,
            np.maximum(-played.handicap[one, column], 0).astype(np.float64),
            chance,
        )

    def expected(self, strength: Floats, shift: float = 0.0, other: float = 0.0) -> Floats:
        """Expected scores if all first, or all second, players were stronger by some."""
        win, draw = self.chance(
            strength[self.first] + shift, strength[self.second] + other, self.stones
        )
        return np.clip(win + 0.5 * draw, 1e-9, 1.0 - 1e-9)

    def likelihood(self, strength: Floats) -> float:
        """Logarithm, draws as half a win and half a loss."""
        p = self.expected(strength)
        return float(np.sum(self.score * np.log(p) + (1.0 - self.score) * np.log1p(-p)))


def most_probable(games: GamesOver, centre: Floats, sigma: Floats) -> tuple[Floats, Floats]:
    """Most probable strengths (players,) given games and an entry list, and their precision.

    `centre` and `sigma` (players,) are strengths by the entry list, and deviations of the true ones
    about it, above 0. The precision (players, players) is the expected information there, that of
    the entry list included. ModelError if none are found.
    """
    n, step = len(centre), _DIFFERENCE_STEP * float(sigma.max())

    def posterior(x: Floats) -> float:
        return games.likelihood(x) - 0.5 * float(np.sum(((x - centre) / sigma) ** 2))

    x, value = centre.copy(), posterior(centre)
    for _ in range(_MOST_STEPS):
        p = games.expected(x)
        slope_1 = (games.expected(x, step) - games.expected(x, -step)) / (2.0 * step)
        slope_2 = (games.expected(x, 0.0, step) - games.expected(x, 0.0, -step)) / (2.0 * step)
        information = 1.0 / (p * (1.0 - p))
        pull = (games.score - p) * information
        pulls = (
            np.bincount(games.first, pull * slope_1, n),
            np.bincount(games.second, pull * slope_2, n),
        )
        gradient = pulls[0] + pulls[1] - (x - centre) / sigma**2
        precision = np.diag(sigma**-2.0)
        for a, b, weight in (
            (games.first, games.first, slope_1 * slope_1),
            (games.second, games.second, slope_2 * slope_2),
            (games.first, games.second, slope_1 * slope_2),
            (games.second, games.first, slope_1 * slope_2),
        ):
            np.add.at(precision, (a, b), information * weight)
        move = np.linalg.solve(precision, gradient)
        share, reached = 1.0, posterior(x + move)
        # Upsets bend the likelihood more than is expected of it: whole steps would swing.
        while share > _LEAST_SHARE:
            half = posterior(x + 0.5 * share * move)
            if reached >= value and reached >= half:
                break
            share, reached = 0.5 * share, half
        x, value = x + share * move, reached
        if np.max(np.abs(share * move) / sigma) < 1e-3 or share <= _LEAST_SHARE:
            return x, precision
    raise ModelError("no most probable strengths were found for the rounds that are over")


#: A law is not made steeper than by this: where it would be, players of one grade who
#: scatter so much could not have the model's chances at all (Kaniuk's above 6 dan).
MOST_STRETCH = 1.6
#: Half of the difference of strength from which the slope of a law is taken, in grades.
_STEP = 0.05
#: Where the quantile of a probability is finite.
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class StrengthLaw:
    """A law between true strengths in Go; frozen. It is a `WinningLaw` itself."""

    chance: WinningLaw  #: Between grades
    grades: Floats  #: (n,) Increasing
    #: (n,) By how much the quantile (probit) of a chance is larger between strengths that are on
    #: average of these grades
    stretch: Floats

    def __call__(self, first: Floats, second: Floats, stones: Floats) -> tuple[Floats, Floats]:
        """Chance that the first wins, and that nobody does, which is 0."""
        win, _ = self.chance(first, second, stones)
        factor = np.interp(0.5 * (first + second), self.grades, self.stretch)
        from scipy.special import ndtri

        quantile = ndtri(np.clip(win, _LEAST, 1.0 - _LEAST))
        return normal_cdf(factor * quantile), np.zeros(np.shape(win))


def between_strengths(
    chance: WinningLaw, spread: float = 1.0, *, deviation: float | None = None
) -> WinningLaw:
    """The law between true strengths of which `chance`, without draws, is the one between grades.

    Near even chances a law is a normal one, Phi(b d) for a difference d. If both strengths scatter
    with the standard deviation s about the grades, it comes from Phi(b d / sqrt(1 - 2 b^2 s^2))
    between strengths. s is `spread` times `GRADE_SPREAD`, or one `deviation` for all grades; with 0
    grades are strengths.
    """
    sigma = spread * GRADE_SPREAD if deviation is None else np.full(len(GRADE_SPREAD), deviation)
    if not sigma.any():
        return chance
    grades = np.arange(LOWEST_GRADE, LOWEST_GRADE + len(GRADE_SPREAD), dtype=np.float64)
    even = np.zeros(len(grades))
    from scipy.special import ndtri

    high, low = (ndtri(chance(grades + step, grades - step, even)[0]) for step in (_STEP, -_STEP))
    slope = (high - low) / (4.0 * _STEP)
    left = 1.0 - 2.0 * (slope * sigma) ** 2
    return StrengthLaw(chance, grades, 1.0 / np.sqrt(np.maximum(left, MOST_STRETCH**-2.0)))


def entrants_law(law: ModelLaw, strength: Floats) -> tuple[WinningLaw, Floats]:
    """The law between the true strengths of entrants, and how far these lie from the list.

    `law` is between grades (or rating points), and so are strengths (players,) by the entry list.
    Returns the law with the scatter counted once, and the standard deviations of true strengths
    (players,): the model's own where it was fitted, or else `entry_spread`.
    """
    if law.model.scale == "points":
        return law, entry_spread(strength, points=True)
    own = law.model.spread
    if own is not None:
        return between_strengths(law, deviation=own), np.full(len(strength), own)
    return between_strengths(law, ENTRY_FACTOR), entry_spread(strength)


@dataclass(frozen=True, eq=False)
class ModelLaw:
    """The law of a model of winning; frozen. It is a `WinningLaw` itself."""

    model: WinningModel
    advantage: float  #: On rating points: what moving first is worth
    draw_rate: float  #: On rating points: how often equal players draw (Davidson)

    def __call__(self, first: Floats, second: Floats, stones: Floats) -> tuple[Floats, Floats]:
        """Chance that the first wins, and that nobody does."""
        if self.model.scale == "grades":
            win = self.model.probability(first, second, handicap=stones)
            return win, np.zeros(np.shape(win))
        from yardstone.winprob.laws import win_draw_loss

        expected = self.model.probability(np.add(first, self.advantage), second, handicap=stones)
        win, draw, _ = win_draw_loss(expected, self.draw_rate)
        return win, draw


def usual_model(tournament: Tournament | None) -> str:
    """The model where none is named: Elo's in chess, the fitted one in Go."""
    chess = tournament is not None and tournament.discipline == "chess"
    return "elo" if chess else DEFAULT


def winning_law(
    win: str | os.PathLike[str], *, advantage: float = 0.0, draw_rate: float = 0.0
) -> ModelLaw:
    """The law of a model by its name or file (`yardstone.winprob.model`).

    On rating points (``elo``) with `advantage` of moving first, in points, and `draw_rate` of equal
    players.

    Raises:
        UsageError: There is none of that name, or a number is out of range.
        InputError: The file holds no model.
    """
    model = winning_model(win)
    if model.scale == "grades" and (advantage or draw_rate):
        raise UsageError(f"{model.name}: an advantage and draws go with rating points (elo) only")
    if not 0.0 <= draw_rate < 1.0 or not np.isfinite(advantage):
        raise UsageError("a draw rate lies from 0 to 1, an advantage is a number of points")
    return ModelLaw(model, advantage, draw_rate)
