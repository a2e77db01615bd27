"""The handicap for two players by several models side by side, and why they differ."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from yardstone.errors import InputError, UsageError
from yardstone.scales import convert
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
from yardstone.winprob.grades import parse_grade, split_grade
from yardstone.winprob.handicap_proposal import (
    Chance,
    HandicapProposal,
    chance_of,
    propose_handicap,
)
from yardstone.winprob.models import DEFAULT, winning_model

if TYPE_CHECKING:
    from yardstone.winprob.models import WinningModel

__all__ = ["SIDE_BY_SIDE", "HandicapAdvice", "JudgedProposal", "PlayerScale", "advise_handicap"]

PlayerScale = Literal["goldis", "uniform", "egf", "ogs", "grade", "rank"]
#: The models that are shown where none is named.
SIDE_BY_SIDE = ("goldis", "egf", DEFAULT)


@dataclass(frozen=True, slots=True)
class JudgedProposal:
    """A handicap by one model, and what another says of it.

    Attributes
    ----------
    proposal : HandicapProposal
    judged : Chance
        Black's chance with it by the judge.
    judged_without_komi : Chance
        The same for its stones without komi.
    """

    proposal: HandicapProposal
    judged: Chance
    judged_without_komi: Chance


@dataclass(frozen=True, slots=True)
class HandicapAdvice:
    """Handicaps for two players.

    Attributes
    ----------
    white, black : str
        The stronger and the weaker player, in the words they came in.
    grades : (float, float)
        Grades of White and Black on the number line (1 dan = 0).
    ratings : (float or None, float or None)
        Goldis' log ratings of both, in the order in which they came; None for a grade that
        his table does not have.
    proposals : tuple of JudgedProposal
        One a model.
    goldis : GoldisHandicap or None
        Goldis' own figures, where his rule is among the models.
    even_komi : float
        Komi of an even game between equals by his rule.
    judge : WinningModel
        Whose chances stand beside all proposals.
    failures : tuple of (str, str)
        Models that give no handicap here, and why.
    stones : int or None
        The stones, where they were fixed.
    level : float
        Of the intervals.
    """

    white: str
    black: str
    grades: tuple[float, float]
    ratings: tuple[float | None, float | None]
    proposals: tuple[JudgedProposal, ...]
    goldis: GoldisHandicap | None
    even_komi: float
    judge: WinningModel
    failures: tuple[tuple[str, str], ...] = ()
    stones: int | None = None
    level: float = 0.95

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

    Parameters
    ----------
    players : sequence of str
        Two log ratings, ranks of Goldis' table, grades, or ratings on a scale.
    scale : str, optional
        What they are; without it numbers are log ratings, and names ranks.
    komi, base : float, optional
        Of Goldis' rule: komi of an even game between equals (8), and ratio of strengths
        between ranks, as for `yardstone.winprob.goldis.handicap`.
    stones : int, optional
        Fix the stones, and let komi make up the rest.
    win : str or path, optional
        A model of winning by its name or file; by default `SIDE_BY_SIDE`. One that has
        intervals judges itself, others are judged by the default.
    level : float
        Of the intervals.

    Raises
    ------
    UsageError
        There are not two players, or they do not fit the scale or each other, or an option
        does not go with the model.
    InputError
        A word is no rank or grade.
    """
    if len(players) != 2:
        raise UsageError("give two ratings or two ranks")
    if scale is None and len({_is_number(word) for word in players}) == 2:
        raise UsageError(
            f"{players[0]} and {players[1]}: one is a name and the other a number, so they are on "
            "different scales (give two grades, or two ratings with --scale)"
        )
    models = [winning_model(each) for each in (SIDE_BY_SIDE if win is None else (win,))]
    if not any(model.name == "goldis" for model in models):
        for name, value in (("komi", komi), ("base", base)):
            if value is not None:
                raise UsageError(f"--{name} belongs to Goldis' rule: leave it out, or --win goldis")
    (one, first), (two, second) = (_strength(word, scale) for word in players)
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
                proposal = _by_goldis(model, goldis, black, white, level)
            else:
                proposal = propose_handicap(model, black, white, stones=stones, level=level)
        except UsageError as error:
            if len(models) == 1 or stones is not None:
                raise
            failures.append((model.name, str(error)))
            continue
        proposals.append(_judged(proposal, judge, black, white, level))
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


def _by_goldis(
    model: WinningModel, own: GoldisHandicap, black: float, white: float, level: float
) -> HandicapProposal:
    """Goldis' handicap by his own rule, which cuts points, with the chances of his margins."""
    return HandicapProposal(
        model.name,
        model.about,
        own.stones,
        own.komi,
        own.tie,
        own.half_point_komi,
        own.exact_stones,
        chance_of(model, black, white, stones=own.stones, komi=own.half_point_komi, level=level),
        chance_of(model, black, white, stones=own.stones, komi=0.0, level=level),
        bool(model.extrapolates(black, white)),
    )


def _judged(
    proposal: HandicapProposal, judge: WinningModel, black: float, white: float, level: float
) -> JudgedProposal:
    with_komi, without = (
        chance_of(judge, black, white, stones=proposal.stones, komi=komi, level=level)
        for komi in (proposal.half_point_komi, 0.0)
    )
    return JudgedProposal(proposal, with_komi, without)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _strength(word: str, scale: PlayerScale | None) -> tuple[float | None, float]:
    """Goldis' log rating and the grade of a word; names are known without naming the scale."""
    if _is_number(word):
        rating = _rating(word, scale)
        return rating, float(grade_of_goldis(rating))
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


def _rating(word: str, scale: PlayerScale | None) -> float:
    """Goldis' log rating of a number on a scale."""
    if scale in (None, "goldis", "uniform"):
        return float(word)
    if scale in ("grade", "rank"):
        raise UsageError(f"{word!r} is not a name such as 4k or 2d")
    return float(convert(float(word), scale, "goldis"))
