"""`yardstone rate`: a rating list from files of results."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from yardstone.cli import declare
from yardstone.cli.declare import (
    ADVANCED,
    Confidence,
    Seed,
    WorkOptions,
    advanced,
    argument,
    option,
    target,
)
from yardstone.cli.games import ManyGames, MovesOptions, Names, News, Watching
from yardstone.cli.go import NetworkOptions
from yardstone.cli.output import TABLES, Output, titled, write_table
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.ratings.bradley_terry import CountedGames
    from yardstone.ratings.rating_list import RatingList
    from yardstone.records.sources import Source

#: Memory in which a game is read, at most; larger files are read piece by piece.
_BYTES_A_GAME = 400
#: Players of each group on a terminal, unless more are asked for.
_TERMINAL_PLAYERS = 40


def rate(
    paths: list[str] | None = argument(
        "Files of results (PGN, SGF, CSV, Parquet, JSON; also compressed), folders, or - for "
        "standard input.",
        default=None,
        metavar="PATHS",
    ),
    *,
    names: Names,
    games: ManyGames,
    anchor: list[str] | None = option(
        "Fix a player's rating, or say roughly what it is, with a deviation. Repeatable.",
        metavar="NAME=RATING[±DEV]",
    ),
    average: float = option(
        "Mean rating of each group of players.", default=2300.0, metavar="RATING"
    ),
    top: int | None = option(
        "Show this many of the best of each group; 0 shows all. [default: 40 on a terminal, else "
        "all]",
        min=0,
    ),
    min_games: int = option("List only players with at least this many games.", default=0),
    confidence: Confidence = 95,
    first_advantage: Any = advanced(
        "Points for moving first: auto, a number, or NUMBER±DEVIATION.",
        default="auto",
        read=declare.parameter,
        metavar="VALUE",
    ),
    draw_rate: Any = advanced(
        "Draw rate of equal players: auto, 0 to 1 (or per cent), or VALUE±DEVIATION.",
        default="auto",
        read=declare.parameter,
        metavar="VALUE",
    ),
    join: float | None = advanced(
        "Join groups without games in common by a prior: all players around the average, with "
        "this standard deviation.",
        metavar="DEVIATION",
    ),
    relation: list[str] | None = advanced(
        "Difference that is roughly known. Repeatable.", metavar="A>B=POINTS±DEV"
    ),
    covariate: list[str] | None = option(
        "Estimate what else bears on a game: a column with a number that speaks for the first "
        "player, or two, one a player. Repeatable.",
        metavar="[NAME=]COLUMN[,COLUMN]",
    ),
    handicap: Any = option(
        "Use handicap games of Go, with this many points for a stone, or as fitted: fit.",
        read=declare.stone,
        metavar="POINTS",
    ),
    neutral: str | None = advanced(
        "Column that says yes where nobody had the advantage of moving first, or of the venue.",
        metavar="COLUMN",
    ),
    count: str | None = advanced(
        "Column with the number of games that each row stands for.", metavar="COLUMN"
    ),
    paired: str | None = advanced(
        "Tags or columns that identify games played as a pair, such as one opening with sides "
        "swapped: Event,Round. Intervals then allow for it.",
        metavar="TAGS",
    ),
    simulate: int = advanced(
        "Get intervals from this many simulated replays; 0 computes them directly.", default=0
    ),
    seed: Seed = 0,
    matrix: Path | None = target(
        "Write all rating differences with their errors (.csv or .parquet).",
        endings=TABLES,
        advanced=True,
    ),
    work: WorkOptions,
    moves: MovesOptions,
    network: Annotated[NetworkOptions, ADVANCED],
    watching: Watching,
    output: Output,
) -> int:
    """Rate players from results, with the error of each rating.

    Every rating is the likeliest one given all games at once, with the advantage of moving first
    and the frequency of draws estimated along with them. With --moves what the moves of games of Go
    show of a player is a prior of the rating, which also joins players whom no result connects.

    Examples:
        yardstone rate league.csv
        yardstone rate league.csv --anchor 'Fizbo 2=3000' -o list.svg -o list.csv
        yardstone rate --moves records.zip -o ratings.html
        yardstone rate tcec.pgn.gz --min-games 150 --top 20 -o ratings.html
    """
    from yardstone.memory import working_memory
    from yardstone.ratings.bradley_terry import BradleyTerry, CountedGames
    from yardstone.ratings.rating_list import rate_list
    from yardstone.reports.rating_list import difference_table, list_line, rating_list_document

    covariates = declare.covariates(covariate or ())
    each_game = {
        "--watch": watching.watch,
        "--paired": paired is not None,
        "--covariate": bool(covariates),
        "--handicap": handicap is not None,
        "--neutral": neutral is not None,
        "--count": count is not None,
    }
    given = [option for option, is_given in each_game.items() if is_given]
    if games.memory is not None and given:
        raise UsageError(f"{given[0]} needs each game, so it cannot be used with --memory")
    if moves.moves and watching.watch:
        raise UsageError("--moves cannot be used with --watch")
    if moves.moves and anchor:
        raise UsageError(
            "--moves places players around --average, and --anchor elsewhere: leave one out"
        )
    if moves.fit and not moves.moves:
        raise UsageError("--fit goes with --moves")
    fixed, roughly = declare.anchors(anchor or ())
    model: dict[str, Any] = {
        "anchors": fixed,
        "loose_anchors": roughly,
        "first_advantage": first_advantage,
        "draw_rate": draw_rate,
        "paired": None if paired is None else tuple(tag.strip() for tag in paired.split(",")),
        "covariates": covariates,
        "neutral": neutral,
        "count": count,
        **(handicap or {}),
    }
    tags = [*(model["paired"] or ()), *(column for column in (neutral, count) if column)]
    tags += [column for columns in covariates.values() for column in columns]
    rows = _TERMINAL_PLAYERS if top is None else None

    def taken(sources: Sequence[str | Source] | None, *, tell: bool) -> Pool | CountedGames:
        if not given and not (
            games.memory is None and games.fits(sources, bytes_a_game=_BYTES_A_GAME)
        ):
            limit = working_memory(games.memory)
            return games.counted(sources, memory=limit, names=names)
        pool = games.read(
            sources,
            tags=tags,
            levels=handicap is not None,
            times=False,
            names=names,
            report=tell,
        )
        return pool if given else CountedGames.of_pool(pool)

    def listed(sources: Sequence[str | Source] | None, *, tell: bool = True) -> RatingList:
        notes: tuple[str, ...] = ()
        if moves.moves:
            played, shown, note = moves.games(
                paths, games, network, bytes_a_game=_BYTES_A_GAME, tags=tags, names=names
            )
            pool: Pool | CountedGames = played
            model["loose_anchors"], said = moves.priors(played, shown, average=average, join=join)
            notes = (note, said)
        else:
            pool = taken(sources, tell=tell)
        model["relations"] = declare.relations(relation or (), set(pool.players))
        report = rate_list(
            pool,
            BradleyTerry(average=average, join=join, method="likelihood", **model),
            confidence=confidence,
            minimum_games=min_games,
            simulations=simulate,
            seed=seed,
        )
        if report.rejected:
            said = f"{report.rejected} replays fell apart and were drawn again"
            print(f"yardstone: {said}", file=sys.stderr)
        if matrix is not None:
            write_table(difference_table(report), matrix)
        return replace(report, remarks=(*report.remarks, *notes))

    document = partial(rating_list_document, title=titled("Ratings", paths or []), top=top or None)
    if watching.watch:
        news = News()

        def look(sources: Sequence[Source], last: bool) -> bool:
            report = listed(sources, tell=last)
            if not last:
                news.tell(report.skipped)
            output.emit_passing(document(report), list_line(report), rows=rows, last=last)
            return False

        return watching.follow(paths or [], look, query=games.query)
    report = listed(paths)
    if output.wanted:
        output.emit(document(report), rows=rows)
    return 0
