"""Options that the commands of tournaments share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from yardstone.cli.options import WorkOptions
from yardstone.errors import InputError, UsageError
from yardstone.tournament.formats import FORMATS

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament

__all__ = ["Criteria", "Runs", "TournamentFile", "Unplayed", "Win", "grade"]


@dataclass(frozen=True)
class TournamentFile:
    """The file of a tournament, and its format."""

    PANEL: ClassVar[str] = "Input"

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Tournament: OpenGotha XML, H9 or FIDE's TRF, also compressed; - for standard "
            "input.",
            show_default=False,
        ),
    ]
    kind: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="|".join(FORMATS),
            help="Format of the file. [default: by its ending or content]",
        ),
    ] = None

    def read(self) -> Tournament:
        """The tournament."""
        from yardstone.tournament.files import read_tournament

        return read_tournament(self.file, format=self.kind)


Criteria = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Criteria in order, such as mms,sos,sosos. [default: the file's]",
    ),
]
Unplayed = Annotated[
    Literal["2026", "2024", "2009", "none"] | None,
    typer.Option(
        help="FIDE's rules for unplayed rounds. [default: those in force when it began]",
    ),
]
Win = Annotated[
    str | None,
    typer.Option(
        "--win",
        metavar="NAME|FILE",
        help="Model of winning: fitted, kaniuk, egf or goldis by grades, elo by ratings, or a file "
        "of winprob fit --save. [default: fitted; in chess elo]",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Runs(WorkOptions):
    """Chance, and the processes that draw it."""

    seed: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Seed of the random numbers.")
    ] = 0


def grade(text: str, option: str) -> int:
    """A grade as a whole number, 1 dan being 0."""
    from yardstone.winprob.grades import parse_grade

    try:
        value = parse_grade(text)
    except InputError as error:
        raise UsageError(f"{option}: {error}") from None
    if value != int(value):
        raise UsageError(f"{option}: {text!r} is not a whole grade")
    return int(value)
