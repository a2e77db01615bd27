"""`yardstone match`: what the result of one match says."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.options import Columns, Confidence, First, Results, SkipUnread
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.cli.reading import Source
    from yardstone.ratings.matches import Match
    from yardstone.ratings.pairs import PairedGames

__all__ = ["match"]


class MatchFormat(StrEnum):
    """How the findings are written."""

    text = "text"
    json = "json"


class Model(StrEnum):
    """Points in which the hypotheses of a sequential test are given."""

    logistic = "logistic"
    normalized = "normalized"


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
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Insist on five counts of pairs; with --games, pair.")
    ] = False,
    games: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Take the games of two players from this file. Repeatable."
        ),
    ] = None,
    columns: Columns = None,
    first: First = None,
    results: Results = None,
    skip_unread: SkipUnread = False,
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
        Model, typer.Option(help="Points of H0 and H1: Elo or normalized Elo.")
    ] = Model.logistic,
    confidence: Confidence = "95",
    half_width: Annotated[
        float,
        typer.Option(metavar="ELO", help="How many games until the interval is ± this many Elo?"),
    ] = 5.0,
    form: Annotated[MatchFormat, typer.Option("--format", help="Text or JSON.")] = MatchFormat.text,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
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
    from yardstone.cli.output import check_report
    from yardstone.cli.values import confidence as level_of
    from yardstone.ratings.sprt import Sprt

    check_report(output, form)
    level = level_of(confidence)
    test = Sprt(elo0, elo1, alpha, beta, model.value)
    given = arguments or []
    paired: PairedGames | None = None
    names: tuple[str, str] | None = None
    if games:
        from yardstone.cli import reading
        from yardstone.cli.values import columns as columns_of

        source = reading.Source(
            [str(path) for path in games],
            columns=columns_of(columns or []),
            first=first,
            results=results,
            skip_unread=skip_unread,
        )
        paired, names = _from_games(source, given, pair_by)
        found = paired.pairs if paired.pairs.size else paired.games
        if pairs and not paired.pairs.size:
            raise UsageError("no two of the games are a pair")
    elif pair_by is not None:
        raise UsageError("--pair-by needs --games")
    else:
        found = _from_counts(given, pairs=pairs)
    from yardstone.reports.json_out import as_json
    from yardstone.reports.match_text import match_text, plain_match

    if form is MatchFormat.json:
        values = plain_match(
            found, confidence=level, half_width=half_width, test=test, paired=paired
        )
        if names is not None:
            values = {"player": names[0], "other": names[1], **values}
        text = as_json(values)
    else:
        text = match_text(
            found, confidence=level, half_width=half_width, test=test, paired=paired, names=names
        )
    if output is None:
        sys.stdout.write(text)
        return
    from yardstone.files import write_text

    write_text(output, text)


def _from_counts(given: list[str], *, pairs: bool) -> Match:
    from yardstone.ratings.matches import Match

    if len(given) not in (3, 5) or (pairs and len(given) != 5):
        raise UsageError(
            "give wins, draws and losses, or five counts of pairs: those in which the first "
            "player scored 0, 1/2, 1, 3/2 and 2 points"
        )
    counts = []
    for text in given:
        if not text.isascii() or not text.isdigit():
            raise UsageError(f"{text!r} is not a number of games")
        counts.append(float(text))
    if len(counts) == 3:
        return Match.from_results(*counts)
    return Match(tuple(counts))


def _from_games(
    source: Source, given: list[str], pair_by: str | None
) -> tuple[PairedGames, tuple[str, str]]:
    if len(given) != 2:
        raise UsageError("--games needs the names of the two players")
    from yardstone.cli.reading import read_games
    from yardstone.ratings.pairs import pentanomial

    names = (given[0], given[1])
    wanted = None
    if pair_by is not None:
        wanted = [name.strip() for name in pair_by.split(",") if name.strip()]
        pool = read_games(
            replace(source, columns={**{name: name for name in wanted}, **(source.columns or {})}),
            times=False,
            quiet=True,
        )
    else:
        pool = read_games(replace(source, columns=source.columns or "all"), times=False, quiet=True)
    return pentanomial(pool, *names, by=wanted), names
