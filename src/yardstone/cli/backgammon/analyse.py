"""`yardstone backgammon analyse`: analysis of match files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.cli.backgammon.options import (
    Choice,
    Offset,
    Weights,
    chosen_formula,
    chosen_offset,
)
from yardstone.cli.options import Form
from yardstone.cli.output import Format
from yardstone.cli.winprob.output import Output
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError

if TYPE_CHECKING:
    from yardstone.backgammon.analyse import Outcome
    from yardstone.backgammon.formulas import Formula
    from yardstone.reports.backgammon.report import AnalysisReport

__all__ = ["analyse"]


def analyse(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS",
            help="Files of matches, folders, patterns, or archives (.zip, .tar.gz …) of them.",
            show_default=False,
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Show this player. Repeatable; all by default."),
    ] = None,
    synonyms: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of one player: lines of NAME,OTHER,OTHER …"),
    ] = None,
    min_matches: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="List only players with so many matches.")
    ] = 1,
    top: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Show so many players; 0 shows all.")
    ] = 20,
    offset: Offset = "fibs",
    formula: Choice = Weights.published,
    confidence: Annotated[
        str, typer.Option(metavar="LEVEL", help="Level of all intervals, in per cent.")
    ] = "90",
    blunders: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Show so many of the worst blunders.")
    ] = 10,
    plies: Annotated[
        int, typer.Option(min=0, max=4, help="Depth of the analysis of chequer play.")
    ] = 0,
    cube_plies: Annotated[
        int | None,
        typer.Option(min=0, max=4, help="Depth of the analysis of the cube; as --plies if not."),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--import",
            metavar="KIND",
            help="Format of the files: auto, mat, gam, oldmoves, empire, party, bgroom, pos, "
            "sgg, snowietxt, tmg or sgf.",
        ),
    ] = "auto",
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep each result in this file as it comes; run again, only what is missing "
            "is analysed.",
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a row for each match too: .csv or .parquet."),
    ] = None,
    gnubg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The program GNU Backgammon.")
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Give a file up after this. [default: 300, more with plies]"
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, help="Processes at the same time; one a core."),
    ] = None,
    form: Form = None,
    output: Output = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a web page that needs no other file."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the trend: a file ending in .svg, .png or .pdf."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if any file gave no match.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No report on standard output, no progress.")
    ] = False,
) -> None:
    """Analyse matches: what the errors say about each player, with blunders and trend.

    Files that hold no whole match are named with the reason, and spoil no other.

    Examples
    --------
    yardstone backgammon analyse matches/*.mat
    yardstone backgammon analyse matches.zip --ledger analysed.jsonl --player Ann --html ann.html
    """
    from yardstone.cli import values
    from yardstone.cli.output import chosen_format
    from yardstone.cli.systems import Views, check_outputs, emit
    from yardstone.reports.backgammon import report as shown

    if not paths:
        raise UsageError("name files of matches, a folder or an archive")
    level = values.confidence(confidence)
    chosen = chosen_format(form, output)
    check_outputs(chosen, output, html, ledger, table, plot=plot, quiet=quiet)
    if table is not None and chosen_format(None, table) not in (Format.csv, Format.parquet):
        raise UsageError(f"--table {table}: the file must end in .csv or .parquet")
    if timeout is not None and not timeout > 0.0:
        raise UsageError("--timeout must be a positive number of seconds")
    weights, perfect = chosen_formula(formula), chosen_offset(offset)
    outcomes, about = _outcomes(
        paths,
        plies=plies,
        cube_plies=plies if cube_plies is None else cube_plies,
        kind=kind,
        ledger=ledger,
        gnubg=gnubg,
        timeout=timeout,
        workers=workers,
        quiet=quiet,
    )
    about["formula"] = weights.name
    report = _report(
        outcomes,
        about,
        weights,
        offset=perfect,
        level=level,
        names=player,
        synonyms=synonyms,
        min_matches=min_matches,
        top=top,
        blunders=blunders,
    )
    title = "Backgammon: " + (Path(paths[0]).name if len(paths) == 1 else "analysed matches")
    views = _views(report, title)
    if table is not None:
        text = shown.csv_matches(report.matches)
        tables = Views(views.text, lambda: text, views.json, views.html, shown.MATCH_COLUMNS)
        emit(tables, chosen_format(None, table), table)
    if html is not None:
        emit(views, Format.html, html)
    if plot is not None:
        from yardstone.reports.backgammon.html import trend_plot
        from yardstone.reports.plot import save_plot

        save_plot(trend_plot(report), plot)
    if output is not None or not quiet:
        emit(views, chosen, output)
    _leave(outcomes, chosen, output, strict=strict, quiet=quiet)


def _views(report: AnalysisReport, title: str) -> Any:
    import yardstone
    from yardstone.cli.systems import Views
    from yardstone.cli.winprob.output import as_text
    from yardstone.reports.backgammon import report as shown
    from yardstone.reports.backgammon.html import html_report

    return Views(
        lambda: shown.text_report(report),
        lambda: shown.csv_players(report),
        lambda: as_text(shown.plain_report(report)),
        lambda: html_report(report, title=title, version=yardstone.__version__),
        shown.PLAYER_COLUMNS,
    )


def _outcomes(
    paths: list[str],
    *,
    plies: int,
    cube_plies: int,
    kind: str,
    ledger: Path | None,
    gnubg: Path | None,
    timeout: float | None,
    workers: int | None,
    quiet: bool,
) -> tuple[list[Outcome], dict[str, Any]]:
    """What became of each file, and how it was analysed."""
    from yardstone.backgammon.analyse import Analysis
    from yardstone.backgammon.analyse import analyse as analyse_files
    from yardstone.backgammon.analysis_file import AnalysisFile
    from yardstone.backgammon.gnubg import find_gnubg, gnubg_version
    from yardstone.backgammon.match_files import MatchFiles
    from yardstone.cli.progress import progress_bar

    how = Analysis(plies, cube_plies, kind)
    program = find_gnubg(gnubg)
    kept = None if ledger is None else AnalysisFile(ledger)
    if kept is not None and kept.damaged and not quiet:
        print(f"yardstone: {ledger}: {kept.damaged} torn lines passed over", file=sys.stderr)
    with MatchFiles(paths) as matches:
        outcomes = analyse_files(
            matches,
            how,
            ledger=kept,
            program=program,
            timeout=timeout,
            workers=workers,
            progress=progress_bar("analysing", quiet=quiet),
        )
    about = {"gnubg": gnubg_version(program), "plies": plies, "cube_plies": cube_plies}
    return outcomes, about


def _report(
    outcomes: list[Outcome],
    about: dict[str, Any],
    formula: Formula,
    *,
    offset: float,
    level: float,
    names: list[str] | None,
    synonyms: Path | None,
    min_matches: int,
    top: int,
    blunders: int,
) -> AnalysisReport:
    from yardstone.backgammon.matches import matches_of
    from yardstone.backgammon.summary import summarise, worst_blunders
    from yardstone.records import read_synonyms
    from yardstone.reports.backgammon.report import AnalysisReport

    main_name = None if synonyms is None else read_synonyms(synonyms).main
    matches = matches_of(outcomes, main_name)
    if not matches:
        first = next((outcome for outcome in outcomes if outcome.reason), None)
        raise NoGamesError(
            f"no match could be analysed{'' if first is None else f': {first.reason}'}",
            file=None if first is None else first.file,
        )
    players = summarise(matches, formula=formula, offset=offset, level=level)
    if names:
        known = {player.name: player for player in players}
        asked = [(main_name or {}).get(name, name) for name in names]
        for name in asked:
            if name not in known:
                raise InputError(f"no match of {name!r}", mend="check the spelling and capitals")
        listed = [known[name] for name in dict.fromkeys(asked)]
    else:
        listed = [player for player in players if len(player.matches) >= min_matches]
        listed = listed[: top or None]
    chosen = [player.name for player in listed] if names else None
    return AnalysisReport(
        outcomes,
        matches,
        listed,
        0 if names else len(players) - len(listed),
        worst_blunders(matches, blunders, chosen),
        offset,
        level,
        about,
    )


def _leave(
    outcomes: list[Outcome], form: Format, output: Path | None, *, strict: bool, quiet: bool
) -> None:
    """Say on standard error which files gave no match, where the report did not."""
    bad = [outcome for outcome in outcomes if outcome.status != "analysed"]
    if not bad:
        return
    if not quiet and (form is not Format.text or output is not None):
        for outcome in bad:
            print(f"yardstone: {outcome.file}: {outcome.reason}", file=sys.stderr)
    if strict:
        raise StrictError(bad[0].reason, file=bad[0].file)
