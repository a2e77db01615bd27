"""A rating list from results of games."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from yardstone.records.combine import join_pools
from yardstone.records.formats import Options, read_format
from yardstone.web.problems import Problem
from yardstone.web.tasks.context import Task, as_result

if TYPE_CHECKING:
    from yardstone.pool import Pool

__all__ = ["perform"]

#: Pairs of players whose games are listed.
_PAIRS = 20_000


def perform(task: Task) -> str:
    """Rate the players; see `yardstone.web.tasks.perform`."""
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
    found = plain_list(report)
    found["ratings"] = list(found["ratings"])
    found["format"] = 1
    games = report.head_to_head()
    found["head_to_head"] = games[:_PAIRS]
    found["head_to_head_left_out"] = max(len(games) - _PAIRS, 0)
    return as_result(found)


def _pool(task: Task) -> Pool:
    """The games of all files, within the limits."""
    limits = task.settings.limits
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
    if len(pool) > limits.results_games:
        raise Problem(
            413,
            "too_many_games",
            f"There are {len(pool):,} games; {limits.results_games:,} are allowed.",
            "Send fewer, or use the command `yardstone rate`.",
        )
    if len(pool.players) > limits.results_players:
        raise Problem(
            413,
            "too_many_players",
            f"There are {len(pool.players):,} players; {limits.results_players:,} are allowed.",
            "Send fewer, or use the command `yardstone rate`.",
        )
    task.skipped.merge(pool.skipped)
    return pool
