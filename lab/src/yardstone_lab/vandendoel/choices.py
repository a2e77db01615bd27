"""What can be chosen in a study: what is fitted, how, and how decisions are counted."""

from __future__ import annotations

from enum import StrEnum


class CloseRule(StrEnum):
    """Which cube decisions count as close.

    The rule of 2003 is van den Doel's: no double above 1, or within 0.25 of taking or
    of 1. That of 2006 is GNU Backgammon's since then: doubling loses less than 0.16.
    """

    old = "2003"
    new = "2006"


class Averaging(StrEnum):
    """How error rates of several matches become one.

    `matches` is the mean of the rates of the matches, as published; `decisions` divides
    all errors by all decisions, so that long matches count more.
    """

    matches = "matches"
    decisions = "decisions"


class StudyModel(StrEnum):
    """What the rating difference is made of: R = a DEPD, or R = a2 DEPM + b DEPC."""

    decision = "decision"
    bilinear = "bilinear"

    @property
    def names(self) -> tuple[str, ...]:
        """The coefficients, as published."""
        return ("a",) if self is StudyModel.decision else ("a2", "b")


class FitMethod(StrEnum):
    """How a fit weighs its cells."""

    published = "published"
    weighted = "weighted"
    chance = "chance"


class LeftOut(StrEnum):
    """What is left out at a time: a share of the matches of each cell, or all of a length."""

    matches = "matches"
    lengths = "lengths"
