"""Two players: how often one beats the other, whom one beats how often, and a fair handicap.

A handicap makes a game even by a model of winning. Stones come first: the whole number with
which a game without komi is nearest to even, the smaller of two that are equally near. Komi
makes up the rest, to the half point; below zero it is given by White. A half point of komi and
a tie are one: 6 points with ties to White decide as 6.5 do.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isnan
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.choices import check_number
from yardstone.errors import InputError, UsageError
from yardstone.grades import (
    MOST_KOMI,
    MOST_STONES,
    format_grade,
    parse_grade,
    parse_grades,
    split_grade,
)
from yardstone.winprob.goldis import (
    KOMI,
    STONE,
    GoldisHandicap,
    goldis_of_grade,
    grade_of_goldis,
    handicap,
    rank_rating,
    uniform_rank_rating,
)
from yardstone.winprob.laws import bisect
from yardstone.winprob.model import DEFAULT, WinningModel, winning_model
from yardstone.winprob.scales import SCALES, convert

if TYPE_CHECKING:
    Model = WinningModel | str | os.PathLike[str]

#: Grades of players: 30 kyu to 9 dan.
_LOWEST, _HIGHEST = SCALES["grade"].lowest, SCALES["grade"].highest


@dataclass(frozen=True, slots=True)
class PairProbability:
    """How often one player beats another."""

    #: Grades, or ratings on a scale.
    first: str
    second: str
    probability: float  #: That the first wins.
    #: Its interval at `level` in one event; None where nothing is known of the errors of the model.
    low: float | None
    high: float | None
    #: The narrower interval of the average over events, where the model has events.
    average: tuple[float, float] | None
    level: float
    #: In zero-shodan units; points with a model of points.
    first_grade: float
    second_grade: float
    handicap: float  #: Stones of Black.
    komi: float | None  #: Points that Black gives; None is the usual komi.
    first_is_black: bool  #: Whether the first player is Black: always in even games.
    model: WinningModel
    extrapolated: bool  #: Whether the players lie outside what the model was made for.


def probability_between(
    first: str,
    second: str,
    *,
    model: Model = "fitted",
    scale: str = "grade",
    handicap: float = 0.0,
    komi: float | None = None,
    level: float = 0.95,
) -> PairProbability:
    """Probability that `first` beats `second`: grades, or ratings on a scale.

    Numbers are ratings on `scale`, one of `yardstone.winprob.scales.SCALES`, or the points of a
    model of points. `handicap` are the stones of the weaker player, between equals of the first;
    `komi` is what Black gives, by default the usual; `level` that of the interval, 0 to 1. Raises
    `InputError` if a word is no grade; `UsageError` if there is no such scale or model
    (`yardstone.winprob.model`), a rating needs a scale, or a grade lies beyond 30 kyu or 9 dan.

    Examples:
        >>> pair = probability_between("2d", "4d")
        >>> pair.low < pair.probability < pair.high
        True
    """
    by = model if isinstance(model, WinningModel) else winning_model(model)
    one, two = _strength(first, scale, by), _strength(second, scale, by)
    black = handicap == 0 or one <= two
    return _pair((first, second), (one, two), by, handicap, komi, level, first_is_black=black)


def opponent_for(
    first: str,
    probability: float,
    *,
    model: Model = "fitted",
    scale: str = "grade",
    handicap: float = 0.0,
    komi: float | None = None,
    level: float = 0.95,
) -> PairProbability:
    """Whom `first` beats with this probability; all else as in `probability_between`.

    `first` is Black, and has the stones if there are any. The opponent may lie beyond 30 kyu or 9
    dan; that is an extrapolation. Raises `UsageError` if the probability does not lie between 0 and
    1, or nobody is beaten so often.
    """
    check_number("the probability", probability, above=0.0, below=1.0)
    by = model if isinstance(model, WinningModel) else winning_model(model)
    one = _strength(first, scale, by)

    def excess(two: float) -> float:
        return float(by.probability(one, two, handicap=handicap, komi=komi)) - probability

    step = 100.0 if by.scale == "points" else 1.0
    low, high = one - step, one + step
    for _ in range(7):
        if excess(low) >= 0.0 >= excess(high):
            break
        low, high = one + 2.0 * (low - one), one + 2.0 * (high - one)
    else:
        raise UsageError(f"nobody is beaten by {first} with probability {probability:g}")
    two = float(bisect(lambda two: excess(float(two)) < 0.0, low, high))
    name = format_grade(round(two, 2))
    if by.scale == "points":
        name = f"{two:.0f}"
    elif scale != "grade":
        name = f"{float(convert(two, 'grade', scale, extrapolate=True)):.0f}"
    return _pair((first, name), (one, two), by, handicap, komi, level, first_is_black=True)


def _pair(
    names: tuple[str, str],
    strengths: tuple[float, float],
    by: WinningModel,
    handicap: float,
    komi: float | None,
    level: float,
    *,
    first_is_black: bool,
) -> PairProbability:
    black, white = strengths if first_is_black else strengths[::-1]
    probability = float(by.probability(black, white, handicap=handicap, komi=komi))

    def interval(*, average: bool) -> tuple[float, float] | None:
        ends = by.interval(black, white, handicap=handicap, komi=komi, level=level, average=average)
        if ends is None:
            return None
        low, high = map(float, ends)
        return (low, high) if first_is_black else (1.0 - high, 1.0 - low)

    low, high = interval(average=False) or (None, None)
    return PairProbability(
        *names,
        probability if first_is_black else 1.0 - probability,
        low,
        high,
        interval(average=True) if by.of_events else None,
        level,
        *strengths,
        handicap,
        komi,
        first_is_black,
        by,
        bool(by.extrapolates(*strengths)),
    )


def _strength(word: str, scale: str, model: WinningModel) -> float:
    """The grade of a word, or the points where the model is one of points."""
    value = _number(word)
    if model.scale == "points":
        if value is None:
            raise UsageError(f"{word!r} is not a rating: the model {model.name} goes by points")
        return value
    if value is None:
        if scale != "grade" and isnan(parse_grades([word])[0]):
            raise UsageError(f"{word!r} is neither a rating nor a grade")
        grade = parse_grade(word)
        if not _LOWEST <= grade <= _HIGHEST:
            ends = f"{format_grade(_LOWEST)} to {format_grade(_HIGHEST)}"
            raise UsageError(f"{word}: grades lie from {ends}")
        return grade
    if scale == "grade":
        raise UsageError(
            f"{word} is a rating, and grades were expected such as 4k or 2d: say on which scale "
            "ratings are with --scale egf, ogs or goldis"
        )
    return float(convert(value, scale, "grade"))


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


PlayerScale = Literal["goldis", "uniform", "egf", "ogs", "grade", "rank"]
SIDE_BY_SIDE = ("goldis", "egf", DEFAULT)  #: The models that are shown where none is named.


@dataclass(frozen=True, slots=True)
class JudgedProposal:
    """A handicap by one model, and what another says of it."""

    proposal: HandicapProposal
    judged: Chance  #: Black's chance with it by the judge.
    judged_without_komi: Chance  #: The same for its stones without komi.


@dataclass(frozen=True, slots=True)
class HandicapAdvice:
    """Handicaps for two players."""

    #: The stronger and the weaker player, in the words they came in.
    white: str
    black: str
    grades: tuple[float, float]  #: Grades of White and Black on the number line (1 dan = 0).
    #: Goldis' log ratings of both as they came; None for a grade his table does not have.
    ratings: tuple[float | None, float | None]
    proposals: tuple[JudgedProposal, ...]  #: One a model.
    goldis: GoldisHandicap | None  #: Goldis' own figures, where his rule is among the models.
    even_komi: float  #: Komi of an even game between equals by his rule.
    judge: WinningModel  #: Whose chances stand beside all proposals.
    failures: tuple[tuple[str, str], ...] = ()  #: Models that give no handicap here, and why.
    stones: int | None = None  #: The stones, where they were fixed.
    level: float = 0.95  #: Of the intervals.

    @property
    def apart(self) -> float:
        """Grades between the players."""
        return self.grades[0] - self.grades[1]

    def by(self, model: str) -> JudgedProposal | None:
        """The proposal of a model; None if there is none."""
        return next((each for each in self.proposals if each.proposal.model == model), None)


def advise_handicap(
    players: Sequence[str],
    *,
    scale: PlayerScale | None = None,
    komi: float | None = None,
    base: float | None = None,
    stones: int | None = None,
    win: str | os.PathLike[str] | None = None,
    level: float = 0.95,
) -> HandicapAdvice:
    """Handicaps for two players.

    The players are log ratings, ranks of Goldis' table, grades, or ratings on `scale`; without it
    numbers are log ratings, and names ranks. `komi` (of an even game between equals, 8) and `base`
    belong to Goldis' rule (`yardstone.winprob.goldis.handicap`). `stones` fixes the stones, and
    komi makes up the rest. `win` is a model of winning by its name or file, by default
    `SIDE_BY_SIDE`: one that has intervals judges itself, others are judged by the default. Raises
    `UsageError` if there are not two players, or they do not fit the scale or each other, or an
    option does not go with the model; `InputError` if a word is no rank or grade.
    """
    if len(players) != 2:
        raise UsageError("give two ratings or two ranks")
    if scale is None and len({_number(word) is None for word in players}) == 2:
        raise UsageError(
            f"{players[0]} and {players[1]}: one is a name and the other a number, so they are on "
            "different scales (give two grades, or two ratings with --scale)"
        )
    models = [winning_model(each) for each in (SIDE_BY_SIDE if win is None else (win,))]
    if not any(model.name == "goldis" for model in models):
        for name, value in (("komi", komi), ("base", base)):
            if value is not None:
                raise UsageError(f"--{name} belongs to Goldis' rule: leave it out, or --win goldis")
    (one, first), (two, second) = (_goldis_and_grade(word, scale) for word in players)
    strong = 0 if first >= second else 1
    white, black = max(first, second), min(first, second)
    even_komi, ratio = KOMI if komi is None else komi, STONE if base is None else base
    handicap(0.0, 0.0, komi=even_komi, base=ratio, stones=stones)  # refuses what has no meaning
    judge = models[0] if win is not None and models[0].region is not None else winning_model()
    goldis = None
    proposals, failures = [], []
    for model in models:
        try:
            if model.name == "goldis":
                if one is None or two is None:
                    raise UsageError("goldis: his table ends at 27 kyu and 10 dan")
                goldis = handicap(one, two, komi=even_komi, base=ratio, stones=stones)
                komis = goldis.komi, goldis.tie, goldis.half_point_komi
                whole, exact = goldis.stones, goldis.exact_stones
                proposal = _proposal(model, black, white, whole, komis, exact, level)
            else:
                proposal = propose_handicap(model, black, white, stones=stones, level=level)
        except UsageError as error:
            if len(models) == 1 or stones is not None:
                raise
            failures.append((model.name, str(error)))
            continue
        judged, bare = (
            chance_of(judge, black, white, stones=proposal.stones, komi=each, level=level)
            for each in (proposal.half_point_komi, 0.0)
        )
        proposals.append(JudgedProposal(proposal, judged, bare))
    if not proposals:
        raise UsageError(failures[0][1])
    return HandicapAdvice(
        players[strong],
        players[1 - strong],
        (white, black),
        (one, two),
        tuple(proposals),
        goldis,
        even_komi,
        judge,
        tuple(failures),
        stones,
        level,
    )


def _goldis_and_grade(word: str, scale: PlayerScale | None) -> tuple[float | None, float]:
    """Goldis' log rating and the grade of a word; names are known without naming the scale."""
    number = _number(word)
    if number is not None:
        if scale in ("grade", "rank"):
            raise UsageError(f"{word!r} is not a name such as 4k or 2d")
        if scale not in (None, "goldis", "uniform"):
            number = float(convert(number, scale, "goldis"))
        return number, float(grade_of_goldis(number))
    parts = split_grade(word)
    grade = None if parts is None or parts[1] == "pro" else parse_grade(word)
    if scale in ("grade", "egf", "ogs"):
        grade = parse_grade(word)
        return float(goldis_of_grade(grade)), grade
    if scale not in (None, "rank", "uniform"):
        raise UsageError(f"{word!r} is not a rating on the scale {scale}")
    try:
        rating = uniform_rank_rating(word) if scale == "uniform" else rank_rating(word)
    except InputError:
        if grade is None or scale is not None:
            raise
        return None, grade
    return rating, float(grade_of_goldis(rating)) if grade is None else grade


#: Points of komi beside the nearest stones; more says that the model's formula has ended.
_MOST_REST = 50.0
_EQUAL = 1e-9  #: Two handicaps whose chances differ by less from an even game are equally near.


@dataclass(frozen=True, slots=True)
class Chance:
    """A probability with its interval."""

    probability: float
    #: Ends of the interval; None where nothing is known of the model's error.
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class HandicapProposal:
    """A handicap by one model."""

    model: str  #: Its name.
    about: str  #: What it is, in one line.
    stones: int  #: Stones of the weaker player, who is Black; 1 means that he only moves first.
    komi: int  #: Points that Black gives; below zero White gives them.
    tie: Literal["black", "white"]  #: Who wins when the points are equal then.
    half_point_komi: float  #: The same as one komi without ties.
    #: Stones that make the game even without komi, if the first move does not suffice.
    exact_stones: float | None
    chance: Chance  #: Black's, with this handicap, by the model itself.
    without_komi: Chance  #: The same for the stones alone, without komi.
    outside: bool  #: Whether the players are outside what the model was made for.


def chance_of(
    model: WinningModel,
    black: float,
    white: float,
    *,
    stones: float,
    komi: float,
    level: float = 0.95,
) -> Chance:
    """Black's chance with its interval; grades in zero-shodan units."""
    value = float(model.probability(black, white, handicap=stones, komi=komi))
    ends = model.interval(black, white, handicap=stones, komi=komi, level=level)
    return Chance(value, *map(float, ends or ()))


def propose_handicap(
    model: WinningModel,
    black: float,
    white: float,
    *,
    stones: int | None = None,
    level: float = 0.95,
) -> HandicapProposal:
    """The handicap that makes a game even between grades, in zero-shodan units.

    `black` is the weaker player. `stones` fixes the stones and leaves the rest to komi. Raises
    `UsageError` if the model is not on grades, or the players lie too far apart.

    Examples:
        >>> from yardstone.winprob.model import winning_model
        >>> even = propose_handicap(winning_model("egf"), black=-4, white=1)
        >>> even.stones, even.half_point_komi, even.exact_stones
        (5, -6.5, 5.5)
    """
    if model.scale != "grades":
        raise UsageError(f"{model.name}: rating points have no handicap stones")

    def ahead(stones: float, komi: float) -> float:
        """By how much Black's chance is above one half."""
        return float(model.probability(black, white, handicap=stones, komi=komi)) - 0.5

    chosen, most = stones, MOST_KOMI
    if chosen is None:
        every = np.arange(1, MOST_STONES + 1)
        p = model.probability(black, white, handicap=every, komi=0.0)
        if p[-1] < 0.5:
            raise UsageError(
                f"{model.name}: the players lie too far apart for a handicap: {MOST_STONES} stones "
                f"would leave Black {100.0 * p[-1]:.2g} % (are both on the same scale?)"
            )
        off = np.abs(p - 0.5)
        chosen, most = int(every[np.flatnonzero(off <= off.min() + _EQUAL)[0]]), _MOST_REST
    else:
        check_number("stones", chosen, least=1, most=MOST_STONES, whole=True)
    if ahead(chosen, -most) < _EQUAL or ahead(chosen, most) > -_EQUAL:
        if most < MOST_KOMI:
            raise UsageError(
                f"{model.name}: no komi makes {chosen} stones even; the players are outside what "
                "the model was made for"
            )
        raise UsageError(
            f"{model.name}: {chosen} stones are too few or too many: a komi of more than "
            f"{MOST_KOMI:g} points has no meaning"
        )
    komi = float(bisect(lambda komi: ahead(chosen, komi) <= 0.0, -most, most))
    exact = None
    if ahead(1.0, 0.0) <= _EQUAL and ahead(MOST_STONES, 0.0) >= 0.0:
        exact = round(float(bisect(lambda each: ahead(each, 0.0) > 0.0, 1.0, MOST_STONES)), 9)
    return _proposal(model, black, white, chosen, tie_and_komi(komi), exact, level)


def _proposal(
    model: WinningModel,
    black: float,
    white: float,
    stones: int,
    komi: tuple[int, Literal["black", "white"], float],
    exact_stones: float | None,
    level: float,
) -> HandicapProposal:
    """A handicap with the chances that the model itself gives Black with it."""
    half = komi[2]
    return HandicapProposal(
        model.name,
        model.about,
        stones,
        *komi,
        exact_stones,
        chance_of(model, black, white, stones=stones, komi=half, level=level),
        chance_of(model, black, white, stones=stones, komi=0.0, level=level),
        bool(model.extrapolates(black, white)),
    )


def tie_and_komi(exact: float) -> tuple[int, Literal["black", "white"], float]:
    """Whole points that Black gives, who wins ties, and both as one half point.

    The half point nearest to the exact komi; of two the one nearer to zero.

    Examples:
        >>> tie_and_komi(6.8), tie_and_komi(7.0), tie_and_komi(-0.4)
        ((6, 'white', 6.5), (6, 'white', 6.5), (0, 'black', -0.5))
    """
    rounded = round(abs(exact), 6)
    whole = floor(rounded)
    if whole == rounded and whole > 0:
        whole -= 1
    if exact < 0.0:
        return -whole, "black", -(whole + 0.5)
    return whole, "white", whole + 0.5
