"""`yardstone rate`: a rating list from files of results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.cli import values
from yardstone.cli.games import GameOptions, Names
from yardstone.cli.options import Confidence
from yardstone.cli.output import Output, check_ending, write_table

if TYPE_CHECKING:
    from yardstone.reports.document import Drawing

__all__ = ["rate"]

#: Players of each group on a terminal, unless more are asked for.
TERMINAL_PLAYERS = 40


def rate(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS",
            help="Files of results (PGN, CSV, Parquet, JSON …, also compressed), folders, or - "
            "for standard input.",
            show_default=False,
        ),
    ] = None,
    *,
    names: Names,
    games: GameOptions,
    anchor: Annotated[
        list[str] | None, typer.Option(metavar="NAME=RATING", help="Fix a rating. Repeatable.")
    ] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=RATING±DEV", help="A rating known roughly. Repeatable."),
    ] = None,
    relation: Annotated[
        list[str] | None,
        typer.Option(metavar="A>B=POINTS±DEV", help="A difference known roughly. Repeatable."),
    ] = None,
    average: Annotated[
        float, typer.Option(metavar="RATING", help="Mean rating of each group of players.")
    ] = 2300.0,
    join: Annotated[
        float | None,
        typer.Option(
            help="Join groups without common games: everybody lies around the average, with "
            "this standard deviation.",
            metavar="DEVIATION",
        ),
    ] = None,
    first_advantage: Annotated[
        str,
        typer.Option(
            help="Points for moving first: auto, a number, or NUMBER±DEVIATION.", metavar="VALUE"
        ),
    ] = "auto",
    draw_rate: Annotated[
        str,
        typer.Option(
            help="Draw rate of equal players: auto, 0 to 1 (or per cent), or VALUE±DEVIATION.",
            metavar="VALUE",
        ),
    ] = "auto",
    paired: Annotated[
        str | None,
        typer.Option(
            help="Tags or columns that name games which belong together, such as two games of "
            "one opening with sides swapped: Event,Round. Intervals then allow for it.",
            metavar="TAGS",
        ),
    ] = None,
    simulate: Annotated[
        int,
        typer.Option(
            help="Get intervals from so many simulated replays; 0 computes them directly.",
            metavar="NUMBER",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the simulation.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Processors to simulate on; all by default."),
    ] = None,
    confidence: Confidence = "95",
    min_games: Annotated[
        int, typer.Option(help="List only players with so many games.", metavar="NUMBER")
    ] = 0,
    top: Annotated[
        int | None,
        typer.Option(
            help="Show the best so many of each group; 0 shows all. On a terminal 40 by default.",
            min=0,
            metavar="NUMBER",
        ),
    ] = None,
    matrix: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write all differences with their errors (.csv or .parquet)."
        ),
    ] = None,
    output: Output,
) -> None:
    """Rate players from results, with the uncertainty of each rating.

    Every rating is the likeliest one given all games at once, with the advantage
    of moving first and the frequency of draws estimated along with them.

    Examples
    --------
    yardstone rate games.pgn.gz
    yardstone rate games.pgn --anchor 'Engine 1=3000' --plot list.svg -o list.csv
    yardstone rate results.csv --columns first=White,second=Black,score=Result
    """
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.rating_list import rate_list
    from yardstone.reports.rating_list.report import difference_table, rating_list_document

    level = values.confidence(confidence)
    output.check(matrix)
    check_ending("--matrix", matrix, (".csv", ".parquet", ".pq"))
    model: dict[str, Any] = {
        "anchors": values.anchors(anchor or ()),
        "loose_anchors": values.priors(prior or ()),
        "first_advantage": values.parameter(first_advantage, "--first-advantage"),
        "draw_rate": values.parameter(draw_rate, "--draw-rate"),
        "paired": None if paired is None else tuple(tag.strip() for tag in paired.split(",")),
    }
    tags = model["paired"] or ()
    pool = games.read(paths, tags=tags, times=False, names=names, quiet=output.quiet)
    model["relations"] = values.relations(relation or (), set(pool.players))
    report = rate_list(
        pool,
        BradleyTerry(average=average, join=join, method="likelihood", **model),
        confidence=level,
        minimum_games=min_games,
        simulations=simulate,
        seed=seed,
        workers=workers,
        progress=output.progress("simulating"),
    )
    if report.rejected:
        print(
            f"yardstone: {report.rejected} replays fell apart and were drawn again",
            file=sys.stderr,
        )
    if matrix is not None:
        write_table(difference_table(report), matrix)

    def drawing() -> Drawing:
        from yardstone.reports.charts.rating_list import rating_list_chart

        return rating_list_chart(report, top=top or None)

    if output.wanted:
        output.emit(
            rating_list_document(
                report,
                title=_title(paths or []),
                top=top or None,
                drawing=drawing,
            ),
            rows=TERMINAL_PLAYERS if top is None else None,
        )


def _title(paths: list[str]) -> str:
    names = [Path(path).name for path in paths if path != "-"]
    return f"Ratings: {names[0]}" if len(names) == 1 else "Ratings"
