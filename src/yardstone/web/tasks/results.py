"""A rating list from results of games."""

from __future__ import annotations

import warnings
from itertools import groupby
from typing import TYPE_CHECKING, Any

from yardstone.errors import YardstoneWarning
from yardstone.records.combine import join_pools
from yardstone.records.formats import Options, read_format
from yardstone.web.problems import Problem
from yardstone.web.tasks.context import Task, as_result

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.reports.summary import RatingList

__all__ = ["perform"]

#: Pairs of players whose games are listed.
_PAIRS = 20_000


def perform(task: Task) -> str:
    """Rate the players; see `yardstone.web.tasks.perform`."""
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.fallback import fit_widely
    from yardstone.reports.json_out import plain_list
    from yardstone.reports.summary import summarise

    pool = _pool(task)
    task.tell("rating", 0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", YardstoneWarning)  # the list says all this
        system = BradleyTerry(
            average=task.options["average"],
            first_advantage="free",
            draw_rate="free",
            method="likelihood",
        )
        _, ratings, remarks = fit_widely(system, pool)
        report = summarise(ratings, pool, confidence=task.options["level"], remarks=remarks)
    found = plain_list(report)
    found["format"] = 1
    found |= _head_to_head(report)
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


def _head_to_head(report: RatingList) -> dict[str, Any]:
    """The games of each two players, the stronger first, in the order of the list."""
    place = {row: number for number, row in enumerate(report.rows)}
    counts, players = report.counts, report.ratings.players
    sums: dict[tuple[int, int], list[float]] = {}
    columns = (counts.first, counts.second, counts.wins, counts.draws, counts.losses)
    for first, second, wins, draws, losses in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        if first not in place or second not in place:
            continue
        if place[first] > place[second]:
            first, second, wins, losses = second, first, losses, wins
        known = sums.setdefault((first, second), [0.0, 0.0, 0.0])
        for column, value in enumerate((wins, draws, losses)):
            known[column] += value
    ordered = sorted(sums.items(), key=lambda item: (place[item[0][0]], place[item[0][1]]))
    return {
        "head_to_head": [
            {
                "player": players[first],
                "other": players[second],
                "games": int(wins + draws + losses),
                "wins": int(wins),
                "draws": int(draws),
                "losses": int(losses),
            }
            for (first, second), (wins, draws, losses) in ordered[:_PAIRS]
        ],
        "head_to_head_left_out": max(len(ordered) - _PAIRS, 0),
    }
