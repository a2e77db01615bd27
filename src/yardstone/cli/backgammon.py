"""`yardstone backgammon`: error rates, the analysis of matches, and positions."""

from __future__ import annotations

import sys
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from yardstone.backgammon.error_rates import Unit
from yardstone.cli.declare import (
    Confidence,
    WorkOptions,
    advanced,
    argument,
    bundle,
    flag,
    option,
    target,
)
from yardstone.cli.output import TABLES, Document, Output, TableOutput, write_table
from yardstone.errors import InputError, StrictError, UsageError

#: Formulas from error rates to ratings.
Weights = Literal["published", "text", "people", "refit"]


Gnubg = Annotated[Path | None, advanced("Path of GNU Backgammon, if it is not found.")]
Choice = Annotated[
    Weights,
    advanced(
        "Weights of errors: van den Doel's formulas, those of his text for one point, "
        "or a fit with intervals: to people's matches, or to simulated ones (refit).",
        "--formula",
    ),
]


def _offset(text: str, option: str) -> float:
    """The rating of perfect play that a name or a number means."""
    from yardstone.backgammon.formulas import OFFSETS

    if text.lower() in OFFSETS:
        return OFFSETS[text.lower()]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise UsageError(f"{option} {text}: give a rating, or one of {', '.join(OFFSETS)}")
    return value


Offset = Annotated[
    Any,
    advanced(
        "Rating of perfect play on the site: a number, fibs, gamesite2000 or gamesgrid.",
        read=_offset,
        metavar="RATING",
    ),
]


@bundle
class _KnownRates:
    """What is known of a player."""

    PANEL: ClassVar[str] = "Error rates"

    length: int = option("Length of the match.", default=..., metavar="POINTS")
    epm: float | None = option(
        "Error per unforced chequer move: 0.0085 in equity, or 8.5 thousandths."
    )
    epc: float | None = option("Error per close or actual cube decision, in the same unit.")
    epd: float | None = option("Error per decision, chequers and cube together, in either unit.")
    depd: float | None = advanced(
        "The opponent's error per decision less the player's: gives points between, and with "
        "--against a rating."
    )
    memg: float | None = advanced("GNU Backgammon's error rate: 1000 times --epd.")
    pr: float | None = option("eXtreme Gammon's performance rating: 500 times --epd.")
    snowie: float | None = advanced("Snowie's error rate: per move of both players.")
    moves_per_decision: float | None = advanced(
        "For Snowie's rate: moves of both players by decisions of one."
    )
    from_rating: float | None = option("Show the error rates of this rating.", metavar="RATING")
    win: float | None = option(
        "Result, 0 to 1, luck-adjusted or not: gives the rating difference.", metavar="SHARE"
    )
    against: float | None = advanced(
        "Also show the chance of winning against this rating.", metavar="RATING"
    )
    unit: Unit | None = advanced(
        "Unit of --epm, --epc, --epd and --depd, where the numbers leave it open."
    )


def rating(
    known: _KnownRates,
    *,
    offset: Offset = "fibs",
    formula: Choice = "published",
    output: TableOutput,
) -> Document:
    """Compute a rating from error rates, or the other way round.

    Give --epm (with --epc, or without where no cube was close), or one rate for all
    decisions: --epd, --memg, --pr or --snowie.

    Examples:
        yardstone backgammon rating --epm 0.0085 --epc 0.021 --length 7
        yardstone backgammon rating --depd 0.0075 --length 5 --against 1800
        yardstone backgammon rating --pr 5.2 --length 7 --offset gamesgrid --format json
    """
    from yardstone.backgammon.error_rates import MOVES_PER_DECISION
    from yardstone.backgammon.formulas import FORMULAS
    from yardstone.backgammon.rating import RatingQuestion, rating_answer
    from yardstone.reports.backgammon import rating_document

    moves = known.moves_per_decision or MOVES_PER_DECISION
    question = RatingQuestion(**{**vars(known), "moves_per_decision": moves})
    answer = rating_answer(question, FORMULAS[formula], offset)
    return rating_document(answer)


#: Matches that people are shown.
_MATCHES = 10


def analyse(
    paths: list[str] | None = argument(
        "Files of matches, folders, patterns, or archives (.zip, .tar.gz).",
        default=None,
        metavar="PATHS",
    ),
    *,
    player: list[str] | None = option(
        "Show this player. Repeatable; all by default.", metavar="NAME"
    ),
    synonyms: Path | None = advanced("Treat names as one player: lines of NAME,OTHER,OTHER,..."),
    min_matches: int = advanced(
        "List only players with at least this many matches.", default=1, min=0
    ),
    top: int = option("Show this many players; 0 shows all.", default=20, min=0),
    offset: Offset = "fibs",
    formula: Choice = "published",
    confidence: Confidence = 90,
    blunders: int = advanced("Show this many of the worst blunders.", default=10, min=0),
    plies: int = advanced("Depth of the analysis of chequer play.", default=0, min=0, max=4),
    cube_plies: int | None = advanced(
        "Depth of the analysis of the cube. [default: that of --plies]", min=0, max=4
    ),
    kind: str = advanced(
        "Format of the files: auto, mat, gam, oldmoves, empire, party, bgroom, pos, sgg, "
        "snowietxt, tmg or sgf.",
        "--import",
        default="auto",
        metavar="KIND",
    ),
    ledger: Path | None = target(
        "Keep each result in this file; a second run analyses only new files.",
        advanced=True,
        writes="beside",
    ),
    table: Path | None = target(
        "Also write a row for each match: .csv or .parquet.", endings=TABLES
    ),
    gnubg: Gnubg = None,
    timeout: float | None = advanced(
        "Give up a file after this time. [default: 300, more with plies]", metavar="SECONDS"
    ),
    work: WorkOptions,
    strict: bool = flag("Fail if any file holds no match.", advanced=True),
    output: Output,
) -> None:
    """Analyse matches: each player's errors, blunders and rating.

    Files that hold no whole match are named with the reason, and spoil no other.

    Examples:
        yardstone backgammon analyse backgammon.mat
        yardstone backgammon analyse backgammon.mat --ledger done.jsonl --player Ann -o ann.html
    """
    from yardstone.backgammon.analysis import ListedPlayers, RatingRule, analyse_matches
    from yardstone.backgammon.file_analysis import AnalysisFile, AnalysisSettings, match_files
    from yardstone.backgammon.formulas import FORMULAS
    from yardstone.records.names import read_synonyms
    from yardstone.reports import backgammon as report
    from yardstone.reports.backgammon import match_table

    if not paths:
        raise UsageError("name files of matches, a folder or an archive")
    if timeout is not None and not timeout > 0.0:
        raise UsageError("--timeout must be a positive number of seconds")
    settings = AnalysisSettings(plies, plies if cube_plies is None else cube_plies, kind)
    rule = RatingRule(FORMULAS[formula], offset, confidence)
    main_name = None if synonyms is None else read_synonyms(synonyms).main
    file = None if ledger is None else AnalysisFile(ledger)
    if file is not None and file.damaged and not output.quiet:
        print(f"yardstone: {ledger}: {file.damaged} torn lines passed over", file=sys.stderr)
    analysis = analyse_matches(
        match_files(paths),
        settings,
        rule,
        ListedPlayers(player or (), main_name, min_matches, top or None),
        blunders=blunders,
        ledger=file,
        program=gnubg,
        timeout=timeout,
    )
    plain = report.backgammon_plain(analysis)
    if table is not None:
        write_table(match_table(plain), table)
    title = "Backgammon: " + (Path(paths[0]).name if len(paths) == 1 else "analysed matches")
    output.emit(report.backgammon_document(plain, title=title, matches=_MATCHES))
    if not output.quiet and not (output.prints and output.formats == ["text"]):
        for bad in analysis.unusable:
            print(f"yardstone: {bad.file}: {bad.reason}", file=sys.stderr)
    if strict and analysis.unusable:
        bad = analysis.unusable[0]
        raise StrictError(bad.reason, file=bad.file)


def position(
    ids: list[str] = argument(
        "An XGID, or GNU Backgammon's position ID and match ID: POSITION:MATCH.", metavar="ID"
    ),
    *,
    plies: int = advanced("Depth of GNU Backgammon's search for moves.", default=2, min=0, max=4),
    cube_plies: int | None = advanced(
        "Depth for the cube. [default: that of --plies]", min=0, max=4
    ),
    moves: int = option("Show this many of the best moves.", default=5, min=1),
    evaluate: bool = option("Ask GNU Backgammon, or only show and convert.", default=True),
    gnubg: Gnubg = None,
    output: Output,
) -> Document:
    """Show a position by its ID, convert the ID, and evaluate it.

    GNU Backgammon's position ID and match ID and an XGID say the same; the other ones are
    shown. Without GNU Backgammon only the evaluation is missing.

    Examples:
        yardstone backgammon position XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10
        yardstone backgammon position 4HPwATDgc/ABMA:cInqAAAAAAAA -o position.html
    """
    from yardstone.backgammon.file_analysis import evaluate_position
    from yardstone.backgammon.gnubg import find_gnubg
    from yardstone.backgammon.positions import read_position
    from yardstone.reports.backgammon import position_document

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
    return position_document(position, evaluation, note=" ".join(notes))
