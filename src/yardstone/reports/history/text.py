"""Ratings over time as aligned text."""

from __future__ import annotations

from collections.abc import Sized
from math import isfinite
from typing import TYPE_CHECKING

from yardstone.reports.aligned import aligned
from yardstone.reports.history.report import curve_reach, game_text, headline, peak, present_reach

if TYPE_CHECKING:
    from yardstone.evaluation.findings import Findings
    from yardstone.reports.history.report import History

__all__ = ["curve_table", "finding_sections", "present_table", "text_history"]

#: Players named in each part of the findings.
NAMED = 20


def text_history(history: History) -> str:
    """The report as text without colours; ends with a newline."""
    blocks = [[headline(history)]]
    if history.curves:
        blocks.append(aligned(curve_table(history), left={0}))
    else:
        blocks.append(aligned(present_table(history), left={1}))
    blocks.append([interval_note(history)])
    for title, lines, table in finding_sections(history):
        blocks.append([title, *lines, *(aligned(table, left={0}) if table else [])])
    if history.notes:
        blocks.append([f"  • {note}" for note in history.notes])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def interval_note(history: History) -> str:
    """What ± means here."""
    level = f"{100 * history.confidence:g} %"
    few = ""
    if history.settled > 1:
        few = f" Players with fewer than {history.settled} games are not listed."
    if history.scale is None or not history.scale.has_intervals:
        return f"{history.rated.name} has no tested deviations, so there are no intervals.{few}"
    return (
        f"± is made to hold the true rating with {level} probability: so many of "
        f"{history.rated.name}'s deviations as were needed for that in {history.scale.pools} "
        f"simulations of these games (newcomers' strengths spread by about "
        f"{history.scale.expected_spread:.0f} points). Intervals of 95 % held 91 to 100 % in "
        f"pools whose truth is known.{few}"
    )


def present_table(history: History) -> list[list[str]]:
    """Headings and cells: the best players now."""
    rated, ratings = history.rated, history.rated.ratings
    played = dict(zip(rated.pool.players, rated.pool.played().tolist(), strict=True))
    last = _last_games(history)
    reach = present_reach(history)
    table = [["Rank", "Player", "Rating", "±", "Games", "Last game"]]
    for place, row in enumerate(history.listed(), 1):
        name = ratings.players[row]
        table.append(
            [
                str(place),
                name,
                f"{ratings.rating[row]:.1f}",
                _reach(float(reach[row])),
                f"{played[name]:,}",
                last.get(name, "–"),
            ]
        )
    return table


def curve_table(history: History) -> list[list[str]]:
    """Headings and cells: the chosen players, now and at their best."""
    table = [
        ["Player", "Rating", "±", "Games", "Score %", "Expected %", "Highest", "at", "Last game"]
    ]
    for curve in history.curves:
        best = peak(curve)
        dates = None if curve.time is None else [str(moment)[:10] for moment in curve.time]
        table.append(
            [
                curve.player,
                f"{curve.after[-1]:.1f}",
                _reach(float(curve_reach(history, curve)[-1])),
                f"{len(curve):,}",
                f"{100 * curve.score.mean():.1f}",
                f"{100 * curve.expected.mean():.1f}",
                f"{curve.after[best]:.1f}",
                f"game {best + 1}" if dates is None else dates[best],
                "–" if dates is None else dates[-1],
            ]
        )
    return table


def _reach(value: float) -> str:
    return f"{value:.1f}" if isfinite(value) else "–"


def _last_games(history: History) -> dict[str, str]:
    pool = history.rated.pool
    if pool.time is None:
        return {}
    last: dict[str, str] = {}
    for column in (pool.first, pool.second):
        # The games are in order of time, so a player's last one is set last.
        moments = dict(
            zip(column.tolist(), pool.time.astype("datetime64[D]").tolist(), strict=True)
        )
        for row, moment in moments.items():
            name = pool.players[row]
            last[name] = max(last.get(name, ""), str(moment))
    return last


def finding_sections(history: History) -> list[tuple[str, list[str], list[list[str]]]]:
    """Parts of the findings: a title, lines and a table."""
    found = history.findings
    if found is None:
        return []
    players = history.rated.pool.players
    few = [f"{players[row]} ({found.played[row]})" for row in found.provisional[:NAMED]]
    parts = [
        _names(f"Provisional players: {len(found.provisional):,}", "games", few, found.provisional)
    ]
    if found.last_game is not None:
        days = found.last_game.astype("datetime64[D]")
        quiet = [f"{players[row]} ({days[row]})" for row in found.idle[:NAMED]]
        parts.append(_names(f"Idle players: {len(found.idle):,}", "last games", quiet, found.idle))
    parts.append(_improbable(history, found))
    return parts


def _names(
    title: str, what: str, names: list[str], everyone: Sized
) -> tuple[str, list[str], list[list[str]]]:
    if not names:
        return title, [], []
    more = len(everyone) - len(names)
    text = ", ".join(names) + (f" … and {more:,} more" if more else "")
    return f"{title}, with their {what}", [text], []


def _improbable(history: History, found: Findings) -> tuple[str, list[str], list[list[str]]]:
    headings = ["Game", "Number", "Expected", "Chance", "Swapped", "Twin"]
    table = [
        [
            game_text(history.rated, item.game),
            str(item.game + 1),
            f"{100 * item.expected:.1f} %",
            f"{100 * item.chance:.2f} %",
            f"{100 * item.swapped:.0f} %",
            "" if item.twin is None else str(item.twin + 1),
        ]
        for item in found.improbable[:NAMED]
    ]
    lines = [
        f"At most {100 * found.swap_share:.2f} % of {found.decided:,} decided games look as if "
        "the players' names were exchanged.",
        "Swapped is the probability of that for one game; a twin is a game of that day with the "
        "names the other way round. It is evidence for a person to check, not a verdict.",
    ]
    return (
        f"Improbable results: {len(found.improbable):,}",
        lines,
        [headings, *table] if table else [],
    )
