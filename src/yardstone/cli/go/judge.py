"""`yardstone go judge`: who has won, as a network sees the end of each game."""

from __future__ import annotations

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
    check_found,
    chosen_rules,
    network,
)
from yardstone.cli.options import Form
from yardstone.cli.reading import report_skipped
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.cli.systems import Views
    from yardstone.reports.go.judge import JudgeReport

__all__ = ["judge"]


def judge(
    paths: GamePaths,
    net: Net = None,
    engine: Engine = EngineName.auto,
    precision: Precision = PrecisionName.fp32,
    threads: Threads = None,
    sure: Annotated[
        float,
        typer.Option("--sure", metavar="PERCENT", help="Winrate that makes a winner, 50 to 100."),
    ] = 60.0,
    rules: RecordRules = "record",
    komi: Komi = None,
    top: Annotated[
        int,
        typer.Option(
            "--top", metavar="NUMBER", min=0, help="Games to list that contradict their records."
        ),
    ] = 20,
    strict: Strict = False,
    form: Form = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Judge who has won each game, and compare that with the record.

    The network looks at the last position, before the passes that end the game. A
    winner needs a winrate of 60 per cent: else the game is undecided. CSV and JSON
    have every game.

    Examples
    --------
    yardstone go judge games/*.sgf -o winners.csv
    """
    from yardstone.cli.output import chosen_format
    from yardstone.cli.progress import progress_bar
    from yardstone.cli.startup import load_numba
    from yardstone.cli.systems import check_outputs, emit

    chosen = chosen_format(form, output)
    check_outputs(chosen, output, quiet=quiet)
    if not 50.0 <= sure <= 100.0:
        raise UsageError(f"--sure {sure:g}: it must be 50 to 100")
    told = chosen_rules(rules)
    loaded = network(net, engine, precision, threads)
    load_numba()
    from yardstone.go.judgement import Agreement, judge_games
    from yardstone.records.sgf import SgfReader
    from yardstone.reports.go.judge import JudgeReport, judged_row

    reader = SgfReader(*paths, strict=strict, progress=progress_bar("judging", quiet=quiet))
    counts, rows = Agreement(), []
    for found in judge_games(
        reader, loaded, sure=sure / 100.0, rules=told, komi=komi, skipped=reader.skipped
    ):
        counts.add(found)
        rows.append(judged_row(found))
    check_found(len(rows), reader.skipped, strict=strict)
    report = JudgeReport(rows, counts, loaded.name, sure / 100.0, reader.skipped)
    emit(_views(report, top), chosen, output)
    report_skipped(reader.skipped, quiet=quiet)


def _views(report: JudgeReport, top: int) -> Views:
    from yardstone.cli.systems import Views
    from yardstone.reports.go import judge as go_judge

    def json() -> str:
        from yardstone.reports.json_out import as_json

        return as_json(go_judge.plain_judgements(report))

    def html() -> str:
        import yardstone
        from yardstone.reports.evaluation.html import Section, html_page

        sections = [Section("The other winner", table=go_judge.judge_table(report, top))]
        lead = go_judge.summary(report)
        return html_page("Judged games", lead, sections, version=yardstone.__version__)

    return Views(
        text=lambda: go_judge.text_judgements(report, top=top),
        csv=lambda: go_judge.judge_csv(report),
        json=json,
        html=html,
        columns=go_judge.JUDGE_COLUMNS,
    )
