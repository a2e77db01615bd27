"""`yardstone go analyse`: what each move of a game cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.go.options import (
    Engine,
    EngineName,
    GamePaths,
    Komi,
    Net,
    Output,
    Precision,
    PrecisionName,
    Quiet,
    RecordRules,
    Strict,
    Threads,
    Visits,
    check_found,
    chosen_rules,
    network,
)
from yardstone.cli.options import Form
from yardstone.cli.reading import report_skipped
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.cli.systems import Views
    from yardstone.go.analysis import Phases
    from yardstone.records.go_game import GoGame
    from yardstone.records.sgf import SgfReader
    from yardstone.reports.go.analysis import AnalysisReport

__all__ = ["analyse"]


def analyse(
    paths: GamePaths,
    net: Net = None,
    engine: Engine = EngineName.auto,
    precision: Precision = PrecisionName.fp32,
    threads: Threads = None,
    game: Annotated[
        list[int] | None,
        typer.Option(
            "--game",
            metavar="NUMBER",
            min=1,
            help="Only this game, counted over all files. Repeatable.",
        ),
    ] = None,
    variations: Annotated[
        bool, typer.Option("--variations", help="Every line of play, as a game of its own.")
    ] = False,
    rules: RecordRules = "record",
    komi: Komi = None,
    phases: Annotated[
        str,
        typer.Option(
            "--phases",
            metavar="MOVE,MOVE",
            help="Last move of the opening and of the middle game on 19x19.",
        ),
    ] = "50,150",
    mistake: Annotated[
        float, typer.Option("--mistake", metavar="POINTS", help="Points that make a mistake.")
    ] = 3.0,
    visits: Visits = None,
    top: Annotated[
        int, typer.Option("--top", metavar="NUMBER", min=0, help="Mistakes to list for each game.")
    ] = 10,
    moves: Annotated[
        bool | None,
        typer.Option("--moves/--no-moves", help="List every move; by default of a single game."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw winrate and lead: .svg, .png or .pdf."),
    ] = None,
    strict: Strict = False,
    form: Form = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Analyse games: winrate, lead, and what each move cost its player.

    The network looks at each position once, and searches where a move seems to have cost
    something. Totals are by player and phase; CSV and JSON have every move.

    Examples
    --------
    yardstone go analyse game.sgf --plot game.svg
    yardstone go analyse games.zip -o moves.csv
    """
    from yardstone.cli.output import chosen_format
    from yardstone.cli.startup import load_numba
    from yardstone.cli.systems import check_outputs, emit

    chosen = chosen_format(form, output)
    check_outputs(chosen, output, plot=plot, quiet=quiet)
    if not mistake > 0.0:
        raise UsageError(f"--mistake {mistake:g}: it must be more than 0")
    told = chosen_rules(rules)
    loaded = network(net, engine, precision, threads)
    load_numba()
    from yardstone.cli.progress import progress_bar
    from yardstone.go.analysis import analyse_games
    from yardstone.go.losses import LossEffort
    from yardstone.records.sgf import SgfReader
    from yardstone.reports.go.analysis import AnalysisReport

    where = _phases(phases)
    reader = SgfReader(*paths, variations=variations, strict=strict)
    games = _games(reader, game or [])
    positions = sum(len(each.moves) + 1 for each in games)
    bar = progress_bar("analysing", quiet=quiet)
    skipped = reader.skipped
    found = list(
        analyse_games(
            games,
            loaded,
            rules=told,
            komi=komi,
            phases=where,
            effort=None if visits is None else LossEffort(visits),
            skipped=skipped,
            progress=None if bar is None else (lambda done: bar(done, positions)),
        )
    )
    check_found(len(found), skipped, strict=strict)
    report = AnalysisReport(found, loaded.name, where, mistake, skipped)
    if plot is not None:
        from yardstone.reports.charts.go import game_chart

        game_chart(report).save(plot)
    emit(_views(report, len(found) == 1 if moves is None else moves, top), chosen, output)
    report_skipped(skipped, quiet=quiet)


def _phases(text: str) -> Phases:
    from yardstone.go.analysis import Phases

    first, comma, second = text.partition(",")
    try:
        if not comma:
            raise ValueError
        return Phases(int(first), int(second))
    except ValueError:
        raise UsageError(f"--phases {text}: write two numbers of moves, as in 50,150") from None


def _games(reader: SgfReader, numbers: list[int]) -> list[GoGame]:
    """All games, or those of these numbers, counted over all files from 1."""
    from yardstone.errors import InputError

    games = []
    count = 0
    for count, game in enumerate(reader, 1):
        if not numbers or count in numbers:
            games.append(game)
    if missing := [number for number in numbers if number > count]:
        raise InputError(f"there is no game {missing[0]}", mend=f"there are {count}")
    return games


def _views(report: AnalysisReport, moves: bool, top: int) -> Views:
    from yardstone.cli.systems import Views
    from yardstone.reports.go import analysis as go_analysis

    def text() -> str:
        from yardstone.reports.go.analysis_text import text_analysis

        return text_analysis(report, moves=moves, top=top)

    def json() -> str:
        from yardstone.reports.json_out import as_json

        return as_json(go_analysis.plain_analysis(report))

    def html() -> str:
        import yardstone
        from yardstone.reports.go.html import html_analysis

        title = "Analysis" if len(report.games) == 1 else f"Analysis of {len(report.games)} games"
        return html_analysis(report, moves=moves, title=title, version=yardstone.__version__)

    return Views(
        text=text,
        csv=lambda: go_analysis.analysis_csv(report),
        json=json,
        html=html,
        columns=go_analysis.MOVE_COLUMNS,
    )
