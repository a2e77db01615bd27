"""What the subcommands of `backgammon` share: the formula and the site's offset."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.backgammon.formulas import Formula

__all__ = ["Choice", "Offset", "Weights", "chosen_formula", "chosen_offset"]


class Weights(StrEnum):
    """Formulas from error rates to ratings."""

    published = "published"
    text = "text"
    people = "people"
    refit = "refit"


Offset = Annotated[
    str,
    typer.Option(
        metavar="RATING",
        help="Rating of perfect play on the site: a number, fibs, gamesite2000 or gamesgrid.",
    ),
]
Choice = Annotated[
    Weights,
    typer.Option(
        "--formula",
        help="Weights of errors: van den Doel's formulas, those of his text for one point, "
        "or a fit with intervals: to people's matches, or to simulated ones (refit).",
    ),
]


def chosen_offset(text: str) -> float:
    """The rating of perfect play that a name or a number means."""
    from math import isfinite

    from yardstone.backgammon.formulas import OFFSETS

    if text.lower() in OFFSETS:
        return OFFSETS[text.lower()]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise UsageError(f"--offset {text}: give a rating, or one of {', '.join(OFFSETS)}")
    return value


def chosen_formula(choice: Weights) -> Formula:
    """The formula of that name."""
    from yardstone.backgammon.formulas import FORMULAS

    return FORMULAS[choice.value]
