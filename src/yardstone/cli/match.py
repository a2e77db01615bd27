"""`yardstone match`: what the result of one match says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from yardstone.cli import values
from yardstone.cli.games import GameOptions
from yardstone.cli.options import Confidence
from yardstone.cli.output import TableOutput
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.ratings.matches import Match

__all__ = ["match"]


def match(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COUNTS",
            help="Three counts of games, or five counts of pairs of games by the points scored "
            "in both: 0, 1/2, 1, 3/2 and 2. With --games: the two players.",
            show_default=False,
        ),
    ] = None,
    *,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Insist on five counts of pairs; with --games, pair.")
    ] = False,
    games: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Take the games of two players from this file. Repeatable."
        ),
    ] = None,
    pair_by: Annotated[
        str | None,
        typer.Option(
            help="With --games: columns that the two games of a pair have in common, such as "
            "event,round.",
            metavar="COLUMNS",
        ),
    ] = None,
    elo0: Annotated[
        float, typer.Option(metavar="ELO", help="Sequential test: hypothesis H0.")
    ] = 0.0,
    elo1: Annotated[
        float, typer.Option(metavar="ELO", help="Sequential test: hypothesis H1.")
    ] = 5.0,
    alpha: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Wanted probability of accepting H1 where H0 is true."),
    ] = 0.05,
    beta: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Wanted probability of accepting H0 where H1 is true."),
    ] = 0.05,
    model: Annotated[
        Literal["logistic", "normalized"],
        typer.Option(help="Points of H0 and H1: Elo or normalized Elo."),
    ] = "logistic",
    confidence: Confidence = "95",
    half_width: Annotated[
        float,
        typer.Option(metavar="ELO", help="How many games until the interval is ± this many Elo?"),
    ] = 5.0,
    reading: GameOptions,
    out: TableOutput,
) -> None:
    """Judge a match of two players: Elo difference, superiority, and when to stop.

    Counts of pairs of games (the same opening once with each side) tell more than
    counts of games: the variance is then taken over pairs.

    Examples
    --------
    yardstone match 859 1329 772
    yardstone match 13 37 50 25 3 --elo1 4 --model normalized
    yardstone match --games match.pgn 'New 1.1' 'Old 1.0'
    """
    from yardstone.ratings.judgement import judge_games, judge_match
    from yardstone.ratings.sprt import Sprt
    from yardstone.reports.match import match_document

    out.check()
    level = values.confidence(confidence)
    test = Sprt(elo0, elo1, alpha, beta, model)
    words = arguments or []
    if games or reading.query is not None:
        if len(words) != 2:
            raise UsageError("--games needs the names of the two players")
        by = (
            None
            if pair_by is None
            else [part.strip() for part in pair_by.split(",") if part.strip()]
        )
        paths = [str(path) for path in games or ()]
        judgement = judge_games(
            reading.read(paths, tags=by or (), every=by is None, times=False, quiet=True),
            *words,
            by=by,
            pairs_only=pairs,
            test=test,
            confidence=level,
            half_width=half_width,
        )
    elif pair_by is not None:
        raise UsageError("--pair-by needs --games")
    else:
        counts = _counts(words, pairs=pairs)
        judgement = judge_match(counts, test=test, confidence=level, half_width=half_width)
    out.emit(match_document(judgement))


def _counts(words: Sequence[str], *, pairs: bool) -> Match:
    from yardstone.ratings.matches import Match

    if len(words) not in (3, 5) or (pairs and len(words) != 5):
        raise UsageError(
            "give wins, draws and losses, or five counts of pairs: those in which the first "
            "player scored 0, 1/2, 1, 3/2 and 2 points"
        )
    for text in words:
        if not text.isascii() or not text.isdigit():
            raise UsageError(f"{text!r} is not a number of games")
    counts = tuple(map(float, words))
    return Match.from_results(*counts) if len(counts) == 3 else Match(counts)
