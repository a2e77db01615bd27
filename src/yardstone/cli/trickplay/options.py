"""What the subcommands of `trickplay` share: which problems, in which games, and how."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from yardstone.cli.go.options import Strict
from yardstone.cli.options import WorkOptions

if TYPE_CHECKING:
    from yardstone.strength.trickplay.problem_files import FoundProblems, Sought

__all__ = ["Boards", "ProblemOptions", "finish"]

Boards = Annotated[
    int, typer.Option("--boards", metavar="NUMBER", min=1, help="Games for each problem.")
]


@dataclass(frozen=True, kw_only=True)
class ProblemOptions(WorkOptions):
    """Options of a command that looks for problems in games."""

    PANEL: ClassVar[str] = "Problems"

    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PROBLEMS",
            help="SGF files with variations or text files with diagrams, folders or archives.",
            show_default=False,
        ),
    ]
    games: Annotated[
        list[str],
        typer.Option(
            "--games",
            metavar="FILE",
            help="An index from `trickplay index`, or files of games. Repeatable.",
            show_default=False,
        ),
    ]
    bounds: Annotated[
        str | None,
        typer.Option(
            "--bounds",
            metavar="CORNERS",
            help="Part of the board that SGF problems show, such as H10:T1. "
            "[default: VW of the record, or inferred]",
        ),
    ] = None
    reduce: Annotated[
        int,
        typer.Option(
            "--reduce",
            metavar="STONES",
            min=0,
            max=6,
            help="Stones to remove, at most, from a position that does not occur.",
        ),
    ] = 3
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="NUMBER",
            min=0,
            help="Choose games at random by this seed. [default: those with the position earliest]",
        ),
    ] = None
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--change",
            metavar="PROBLEM=STONES",
            help="Change the completed board of a problem, such as 24=black:K4,empty:D3. "
            "Repeatable.",
        ),
    ] = None
    sgf: Annotated[
        Path | None,
        typer.Option(
            "--sgf", metavar="FILE", help="Write the completed boards with the variations."
        ),
    ] = None
    strict: Strict = False

    def sought(self, boards: int) -> Sought:
        """The same, as the library takes it."""
        from yardstone.strength.trickplay.problem_files import Sought

        return Sought(
            self.paths,
            self.games,
            bounds=self.bounds,
            boards=boards,
            reduce=self.reduce,
            seed=self.seed,
            changes=self.change or (),
            strict=self.strict,
            workers=self.workers,
        )


def finish(options: ProblemOptions, result: FoundProblems, *, quiet: bool) -> None:
    """Write the boards as SGF if they are wanted, a record each, and say what was skipped."""
    from yardstone.cli.reading import report_skipped

    if options.sgf is not None:
        from yardstone.files import write_text
        from yardstone.reports.trickplay.boards import boards_sgf

        write_text(options.sgf, boards_sgf(result.completions))
        if not any(completion.boards for completion in result.completions):
            print(f"yardstone: no board to write to {options.sgf}", file=sys.stderr)
    report_skipped(result.unread, quiet=quiet)
    report_skipped(result.skipped, quiet=quiet)
