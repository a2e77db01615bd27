"""`yardstone rate`: a rating list from files of results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from yardstone.cli.options import (
    Columns,
    Confidence,
    First,
    Form,
    Page,
    Query,
    Results,
    SkipUnread,
    Strict,
)
from yardstone.cli.output import Format
from yardstone.errors import UsageError

__all__ = ["rate"]


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
    include: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Use only games of the players in this file."),
    ] = None,
    exclude: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Leave out games of the players in this file."),
    ] = None,
    synonyms: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of one player: lines of NAME,OTHER,OTHER …"),
    ] = None,
    columns: Columns = None,
    first: First = None,
    results: Results = None,
    query: Query = None,
    strict: Strict = False,
    skip_unread: SkipUnread = False,
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
    form: Form = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the list to this file."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the ratings: a file ending in .svg, .png or .pdf."),
    ] = None,
    html: Page = None,
    matrix: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write all differences with their errors (.csv or .parquet)."
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No list on standard output, no progress.")
    ] = False,
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
    from yardstone.cli import startup, values
    from yardstone.cli.output import (
        check_ending,
        check_folder,
        check_page,
        check_picture,
        chosen_format,
        emit_list,
        progress_bar,
        write_matrix,
    )
    from yardstone.cli.reading import Names, Source, read_games

    startup.load_numba()
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.rating_list import rate_list

    level = values.confidence(confidence)
    for path in (output, matrix):
        check_folder(path)
    check_page(html)
    check_picture(plot)
    check_ending("--matrix", matrix, (".csv", ".parquet", ".pq"))
    if chosen_format(form, output) is Format.parquet and output is None and not quiet:
        raise UsageError("Parquet is not text: name a file with -o")
    model: dict[str, Any] = {
        "anchors": values.anchors(anchor or ()),
        "loose_anchors": values.priors(prior or ()),
        "first_advantage": values.parameter(first_advantage, "--first-advantage"),
        "draw_rate": values.parameter(draw_rate, "--draw-rate"),
    }
    wanted = values.columns(columns or [])
    if paired is not None:
        model["paired"] = tuple(tag.strip() for tag in paired.split(","))
        wanted = {**(wanted or {}), **{tag: tag for tag in model["paired"]}}
    names = Names(include, exclude, synonyms)
    source = Source(paths or [], query, wanted, first, results, strict, skip_unread, names=names)
    pool = read_games(source, times=False, quiet=quiet)
    model["relations"] = values.relations(relation or (), set(pool.players))
    report = rate_list(
        pool,
        BradleyTerry(average=average, join=join, method="likelihood", **model),
        confidence=level,
        minimum_games=min_games,
        simulations=simulate,
        seed=seed,
        workers=workers,
        progress=progress_bar("simulating", quiet=quiet),
    )
    if report.rejected:
        print(
            f"yardstone: {report.rejected} replays fell apart and were drawn again",
            file=sys.stderr,
        )
    title = _title(paths or [])
    if html is not None:
        emit_list(report, Format.html, html, top=None, title=title)
    if plot is not None:
        from yardstone.reports.charts.rating_list import rating_list_chart

        rating_list_chart(report, top=top or None).save(plot)
    if matrix is not None:
        write_matrix(report, matrix)
    if output is not None or not quiet:
        emit_list(report, chosen_format(form, output), output, top=top, title=title)


def _title(paths: list[str]) -> str:
    names = [Path(path).name for path in paths if path != "-"]
    return f"Ratings: {names[0]}" if len(names) == 1 else "Ratings"
