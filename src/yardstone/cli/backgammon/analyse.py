"""`yardstone backgammon analyse`: analysis of match files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.backgammon.options import Choice, Offset, Weights, chosen_formula, chosen_offset
from yardstone.cli.options import Confidence, WorkOptions
from yardstone.cli.output import Format, Output, check_ending, write_table
from yardstone.errors import StrictError, UsageError

__all__ = ["analyse"]

#: Matches that people are shown.
_MATCHES = 10


def analyse(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS",
            help="Files of matches, folders, patterns, or archives (.zip, .tar.gz).",
            show_default=False,
        ),
    ] = None,
    *,
    player: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Show this player. Repeatable; all by default."),
    ] = None,
    synonyms: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Treat names as one player: lines of NAME,OTHER,OTHER,..."
        ),
    ] = None,
    min_matches: Annotated[
        int,
        typer.Option(
            metavar="NUMBER", min=0, help="List only players with at least this many matches."
        ),
    ] = 1,
    top: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Show this many players; 0 shows all.")
    ] = 20,
    offset: Offset = "fibs",
    formula: Choice = Weights.published,
    confidence: Confidence = "90",
    blunders: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Show this many of the worst blunders.")
    ] = 10,
    plies: Annotated[
        int, typer.Option(min=0, max=4, help="Depth of the analysis of chequer play.")
    ] = 0,
    cube_plies: Annotated[
        int | None,
        typer.Option(
            min=0, max=4, help="Depth of the analysis of the cube. [default: that of --plies]"
        ),
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
            help="Keep each result in this file; a second run analyses only new files.",
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write a row for each match: .csv or .parquet."),
    ] = None,
    gnubg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Path of GNU Backgammon, if it is not found."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Give up a file after this time. [default: 300, more with plies]",
        ),
    ] = None,
    work: WorkOptions,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if any file holds no match.")
    ] = False,
    output: Output,
) -> None:
    """Analyse matches: each player's errors, blunders and rating.

    Files that hold no whole match are named with the reason, and spoil no other.

    Examples
    --------
    yardstone backgammon analyse backgammon.mat
    yardstone backgammon analyse backgammon.mat --ledger analysed.jsonl --player Ann --html ann.html
    """
    from yardstone.backgammon.analysis import ListedPlayers, RatingRule, analyse_matches
    from yardstone.backgammon.file_analysis import AnalysisFile, AnalysisSettings, MatchFiles
    from yardstone.cli import values
    from yardstone.records import read_synonyms
    from yardstone.reports.backgammon import analysis as report
    from yardstone.reports.backgammon.match_table import match_table

    if not paths:
        raise UsageError("name files of matches, a folder or an archive")
    output.check(ledger, table)
    check_ending("--table", table, (".csv", ".parquet", ".pq"))
    if timeout is not None and not timeout > 0.0:
        raise UsageError("--timeout must be a positive number of seconds")
    settings = AnalysisSettings(plies, plies if cube_plies is None else cube_plies, kind)
    rule = RatingRule(chosen_formula(formula), chosen_offset(offset), values.confidence(confidence))
    main_name = None if synonyms is None else read_synonyms(synonyms).main
    file = None if ledger is None else AnalysisFile(ledger)
    if file is not None and file.damaged and not output.quiet:
        print(f"yardstone: {ledger}: {file.damaged} torn lines passed over", file=sys.stderr)
    with MatchFiles(paths) as files:
        analysis = analyse_matches(
            files,
            settings,
            rule,
            ListedPlayers(player or (), main_name, min_matches, top or None),
            blunders=blunders,
            ledger=file,
            program=gnubg,
            timeout=timeout,
            workers=work.workers,
            progress=output.progress("analysing"),
        )
    plain = report.backgammon_plain(analysis)
    if table is not None:
        write_table(match_table(plain), table)
    title = "Backgammon: " + (Path(paths[0]).name if len(paths) == 1 else "analysed matches")
    output.emit(report.backgammon_document(plain, title=title, matches=_MATCHES))
    named = output.format is Format.text and output.output is None
    if not output.quiet and not named:
        for bad in analysis.unusable:
            print(f"yardstone: {bad.file}: {bad.reason}", file=sys.stderr)
    if strict and analysis.unusable:
        bad = analysis.unusable[0]
        raise StrictError(bad.reason, file=bad.file)
