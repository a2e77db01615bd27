"""A rating list from results of any game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from yardstone.web.kinds.fields import Choice, Number, level_field
from yardstone.web.kinds.kind import Kind, Limit, Plain, Query, Task, View
from yardstone.web.problems import Problem

if TYPE_CHECKING:
    from yardstone.pool import Pool

__all__ = ["KIND"]

#: Pairs of players whose games are listed.
_PAIRS = 20_000


def _perform(task: Task) -> dict[str, Any]:
    """Rate the players."""
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.rating_list import rate_list
    from yardstone.reports.rating_list.plain import plain_list

    pool = _pool(task)
    task.tell("rating", 0, 1)
    system = BradleyTerry(
        average=task.options["average"],
        first_advantage="free",
        draw_rate="free",
        method="likelihood",
    )
    report = rate_list(pool, system, confidence=task.options["level"])
    plain = plain_list(report)
    games = report.head_to_head()
    return {
        **plain,
        "ratings": list(plain["ratings"]),
        "format": 1,
        "head_to_head": games[:_PAIRS],
        "head_to_head_left_out": max(len(games) - _PAIRS, 0),
    }


def _pool(task: Task) -> Pool:
    """The games of all files, within the limits."""
    from yardstone.records.combine import join_pools
    from yardstone.records.formats import Options, read_format

    most_games, most_players = task.limit("results_games"), task.limit("results_players")
    first = task.options["first"]
    pools = []
    for name, group in groupby(task.files, key=lambda file: file.format):
        options = Options(
            first=first if name == "csv" and first != "auto" else None,
            skip_unread=task.options.get("unread") == "skip",
            progress=lambda done, total: task.tell("reading", done, total),
        )
        pools.append(read_format(name, [file.source for file in group], options))
    pool = join_pools(pools)
    if len(pool) > most_games:
        raise Problem(
            413,
            "too_many_games",
            f"There are {len(pool):,} games; {most_games:,} are allowed.",
            "Send fewer, or use the command `yardstone rate`.",
        )
    if len(pool.players) > most_players:
        raise Problem(
            413,
            "too_many_players",
            f"There are {len(pool.players):,} players; {most_players:,} are allowed.",
            "Send fewer, or use the command `yardstone rate`.",
        )
    task.skipped.merge(pool.skipped)
    return pool


def _view(result: Plain, query: Query) -> View:
    from yardstone.web.pages.results import results_view

    values = results_view(
        result, address=query.address, player=query.player, everyone=query.everyone
    )
    return View("Rating list", "results", values)


def _table(result: Plain) -> tuple[Sequence[str], Sequence[Plain]]:
    from yardstone.reports.rating_list.report import FILE_COLUMNS

    return FILE_COLUMNS, result["ratings"]


KIND = Kind(
    name="results",
    short="Results",
    title="Rating list from the results",
    holds="results of games (PGN or CSV)",
    files="Results of any game: PGN or CSV.",
    offer=(
        "Results of any game",
        "A rating list of all players with intervals, the ranks that cannot be excluded, and who "
        "scored what against whom.",
    ),
    path="/api/ratings",
    summary="Send results of any game",
    about="Make a rating list of results.",
    heading="Rating the players",
    counted=("game", "games"),
    plural="rating lists",
    formats=("pgn", "csv"),
    also=("sgf", "mat"),
    fields=(
        level_field(0.95),
        Choice(
            name="first",
            values=("auto", "white", "black"),
            about="Who moves first in a table; auto: as columns and results tell.",
        ),
        Choice(
            name="unread",
            values=("refuse", "skip"),
            about="What to do if a value of the result is not understood, or more than 5 % of the "
            "records cannot be read: refuse, or skip them.",
        ),
        Number(
            name="average",
            low=-1e6,
            high=1e6,
            default=2300.0,
            about="Mean rating of each group of players.",
        ),
    ),
    limits=(Limit("results_games", 500_000), Limit("results_players", 3_000)),
    allowance=lambda limits: (
        f"{limits['results_games']:,} games of {limits['results_players']:,} players"
    ),
    warm=("yardstone.ratings.bradley_terry", "yardstone.ratings.rating_list"),
    perform=_perform,
    view=_view,
    table=_table,
)
