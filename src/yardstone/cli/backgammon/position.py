"""`yardstone backgammon position`: one position by its ID."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.output import Output
from yardstone.errors import InputError, UsageError

__all__ = ["position"]


def position(
    ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID",
            help="An XGID, or GNU Backgammon's position ID and match ID: POSITION:MATCH.",
            show_default=False,
        ),
    ],
    *,
    plies: Annotated[
        int, typer.Option(min=0, max=4, help="Depth of GNU Backgammon's search for moves.")
    ] = 2,
    cube_plies: Annotated[
        int | None,
        typer.Option(min=0, max=4, help="Depth for the cube. [default: that of --plies]"),
    ] = None,
    moves: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Show this many of the best moves.")
    ] = 5,
    evaluate: Annotated[
        bool,
        typer.Option(
            "--evaluate/--no-evaluate", help="Ask GNU Backgammon, or only show and convert."
        ),
    ] = True,
    gnubg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Path of GNU Backgammon, if it is not found."),
    ] = None,
    output: Output,
) -> None:
    """Show a position by its ID, convert the ID, and evaluate it.

    GNU Backgammon's position ID and match ID and an XGID say the same; the other ones are
    shown. Without GNU Backgammon only the evaluation is missing.

    Examples
    --------
    yardstone backgammon position XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10
    yardstone backgammon position 4HPwATDgc/ABMA:cInqAAAAAAAA --html position.html
    """
    from yardstone.backgammon.file_analysis import evaluate_position
    from yardstone.backgammon.gnubg import find_gnubg
    from yardstone.backgammon.positions import read_position
    from yardstone.reports.backgammon.position import position_document

    output.check()
    text = " ".join(ids)
    position = read_position(text)
    notes = []
    if ":" not in text:
        notes.append(
            "A position ID alone does not say score, cube and dice: a money game before the "
            "roll, without Jacoby's rule, is shown."
        )
    evaluation = None
    if evaluate:
        try:
            program = find_gnubg(gnubg)
        except InputError as error:
            if gnubg is not None:
                raise
            notes.append(f"There is no evaluation: {error}.")
        else:
            evaluation = evaluate_position(
                position, plies=plies, cube_plies=cube_plies, moves=moves, program=program
            )
    elif gnubg is not None:
        raise UsageError("--gnubg and --no-evaluate do not go together")
    output.emit(position_document(position, evaluation, note=" ".join(notes)))
