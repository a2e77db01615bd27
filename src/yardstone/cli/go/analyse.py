"""`yardstone go analyse`: what each move of a game cost."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.go.options import (
    GamePaths,
    Komi,
    NetworkOptions,
    RecordRules,
    Strict,
    Visits,
    chosen_rules,
)
from yardstone.cli.output import Output
from yardstone.cli.reading import report_skipped
from yardstone.errors import UsageError

__all__ = ["analyse"]


def analyse(
    paths: GamePaths,
    network: NetworkOptions,
    output: Output,
    *,
    game: Annotated[
        list[int] | None,
        typer.Option(
            "--game",
            metavar="NUMBER",
            min=1,
            help="Analyse only this game, counted over all files. Repeatable.",
        ),
    ] = None,
    variations: Annotated[
        bool, typer.Option("--variations", help="Analyse every variation as a game of its own.")
    ] = False,
    rules: RecordRules = "record",
    komi: Komi = None,
    phases: Annotated[
        str,
        typer.Option(
            "--phases",
            metavar="MOVE,MOVE",
            help="Last moves of the opening and of the middle game on 19x19.",
        ),
    ] = "50,150",
    mistake: Annotated[
        float,
        typer.Option("--mistake", metavar="POINTS", help="Points lost that count as a mistake."),
    ] = 3.0,
    visits: Visits = None,
    top: Annotated[
        int, typer.Option("--top", metavar="NUMBER", min=0, help="Mistakes to list for each game.")
    ] = 10,
    moves: Annotated[
        bool | None,
        typer.Option("--moves/--no-moves", help="List every move. [default: for a single game]"),
    ] = None,
    strict: Strict = False,
) -> None:
    """Analyse games: winrate, lead, and the points each move lost.

    The network looks at each position once, and searches where a move seems to have cost
    something. Totals are by player and phase; CSV and JSON have every move.

    Examples
    --------
    yardstone go analyse professional.sgf --plot game.svg
    yardstone go analyse professional.sgf -o moves.csv
    """
    from yardstone.go.analysis import Phases

    output.check()
    if not mistake > 0.0:
        raise UsageError(f"--mistake {mistake:g}: it must be more than 0")
    ends = Phases(*_phases(phases))
    shown_rules = chosen_rules(rules)
    loaded = network.load()
    from yardstone.go.analysis import analyse_files
    from yardstone.go.losses import LossEffort
    from yardstone.reports.go.analysis import analysis_document

    result = analyse_files(
        paths,
        loaded,
        numbers=game or (),
        variations=variations,
        rules=shown_rules,
        komi=komi,
        phases=ends,
        mistake=mistake,
        effort=None if visits is None else LossEffort(visits),
        strict=strict,
        progress=output.progress("analysing"),
    )
    every = len(result.games) == 1 if moves is None else moves
    output.emit(analysis_document(result, moves=every, top=top))
    report_skipped(result.skipped, quiet=output.quiet)


def _phases(text: str) -> tuple[int, int]:
    first, _, second = text.partition(",")
    try:
        return int(first), int(second)
    except ValueError:
        raise UsageError(f"--phases {text}: write two numbers of moves, as in 50,150") from None
