"""`yardstone go judge`: who has won, as a network sees the end of each game."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.go.options import (
    GamePaths,
    Komi,
    NetworkOptions,
    RecordRules,
    Strict,
    chosen_rules,
)
from yardstone.cli.output import TableOutput
from yardstone.cli.reading import report_skipped
from yardstone.errors import UsageError

__all__ = ["judge"]


def judge(
    paths: GamePaths,
    network: NetworkOptions,
    output: TableOutput,
    *,
    sure: Annotated[
        float,
        typer.Option(
            "--sure", metavar="PERCENT", help="Winrate from which a game is decided, 50 to 100."
        ),
    ] = 60.0,
    rules: RecordRules = "record",
    komi: Komi = None,
    top: Annotated[
        int,
        typer.Option(
            "--top", metavar="NUMBER", min=0, help="Number of games to list whose record disagrees."
        ),
    ] = 20,
    strict: Strict = False,
) -> None:
    """Judge who won each game, and compare with the recorded result.

    The network looks at the last position, before the passes that end the game. A
    winner needs a winrate of 60 per cent: else the game is undecided. CSV and JSON
    have every game.

    Examples
    --------
    yardstone go judge professional.sgf -o winners.csv
    """
    output.check()
    if not 50.0 <= sure <= 100.0:
        raise UsageError(f"--sure {sure:g}: it must be 50 to 100")
    shown_rules = chosen_rules(rules)
    loaded = network.load()
    from yardstone.go.analysis import judge_files
    from yardstone.reports.go.judgement import judgement_document

    result = judge_files(
        paths,
        loaded,
        sure=sure / 100.0,
        rules=shown_rules,
        komi=komi,
        strict=strict,
        progress=output.progress("judging"),
    )
    output.emit(judgement_document(result, top=top))
    report_skipped(result.skipped, quiet=output.quiet)
