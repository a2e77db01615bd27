"""What a reader of a rating list must know, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING

from yardstone.ratings.connectivity import FEW_GAMES
from yardstone.ratings.result import Status
from yardstone.reports.words import NAMES, join_names, plural, spellings

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import RatingList

__all__ = ["advice", "basis", "caveats", "headline", "list_line", "remedies", "skipped"]

#: So many groups are described one by one.
GROUPS = 5
#: So many skipped records are shown with their place.
PLACES = 5


def headline(report: RatingList) -> str:
    """How many games and players the list stands on."""
    players = int((report.ratings.status != Status.NO_GAMES).sum())
    text = f"{plural(report.games, 'game')} of {plural(players, 'player')}"
    groups = report.ratings.components
    return text + (f" in {groups} groups that cannot be compared" if groups > 1 else "")


def list_line(report: RatingList, most: int = 5) -> str:
    """The list in a line: its games, and the best players with their ratings."""
    rows = report.rows
    names = [
        f"{report.ratings.players[row]} {report.ratings.rating[row]:.0f}"
        + (f" ± {width:.0f}" if isfinite(width := report.half_width(row)) else "")
        for row in rows[:most]
    ]
    more = f" and {len(rows) - most:,} more" if len(rows) > most else ""
    return f"{headline(report)}: {', '.join(names)}{more}"


def basis(report: RatingList) -> list[str]:
    """First-move advantage, draw rate, and how to read the intervals."""
    lines = [_advantage(report), _draw_rate(report)]
    how = f", from {report.simulations:,} simulated replays" if report.simulations else ""
    if any(report.half_width(row) == report.half_width(row) for row in report.rows):
        lines.append(
            f"±: {report.level} confidence interval, relative to {report.relative_to}{how}."
        )
    if report.rank_high.any():
        lines.append(f"Range: {report.level} confidence interval of the rank.")
    return lines


def _advantage(report: RatingList) -> str:
    advantage = report.ratings.first_advantage
    value, name = f"{round(advantage.value, 1) + 0.0:.1f}", "First-move advantage"
    if not advantage.deviation:
        return f"{name}: {value} points (given)"
    if not isfinite(advantage.deviation):
        return f"{name}: unknown"
    return f"{name}: {value} ± {report.deviations * advantage.deviation:.1f} points"


def _draw_rate(report: RatingList) -> str:
    draws = report.draw_rate
    text = f"Draw rate of equal players: {100 * draws.value:.1f} %"
    if not draws.deviation:
        return f"{text} (given)"
    low, high = report.draw_rate_interval
    if not isfinite(draws.deviation):
        if high < 1.0:
            return f"{text} (no game was drawn: at most {100 * high:.1f} %)"
        return "Draw rate of equal players: unknown"
    return f"{text}  [{100 * low:.1f}, {100 * high:.1f}]"


def caveats(report: RatingList) -> list[str]:
    """Everything that makes the list say less than it seems to."""
    return [*report.remarks, *_groups(report), *_perfect(report), *_traps(report)]


def remedies(report: RatingList) -> list[str]:
    """Options of the command that help against what `caveats` says."""
    lines = []
    if report.ratings.components > 1:
        lines.append(
            "--join DEVIATION compares groups by assuming that all players belong to one "
            "population; --anchor NAME=RATING fixes the level of a group."
        )
    if report.traps.similar:
        lines.append("--synonyms FILE merges names of the same player.")
    return lines


def _groups(report: RatingList) -> Iterable[str]:
    count = report.ratings.components
    if count < 2:
        return
    yield (
        f"The players form {count} groups. Ratings in different groups cannot be compared: "
        "each group has its own scale."
    )
    described = [group for group in report.groups if group.joined][:GROUPS]
    for group in described:
        names = [report.ratings.players[row] for row in group.rows[:NAMES]]
        yield f"Group {group.number} ({join_names(names, len(group.rows))}): {group.joined}."
    if (rest := count - 1 - len(described)) > 0 and described:
        yield f"{plural(rest, 'other group')}: the same."


def _named(report: RatingList, rows: Iterable[int]) -> str:
    return join_names([report.ratings.players[row] for row in rows])


def _perfect(report: RatingList) -> Iterable[str]:
    for kind, did, word in (
        (Status.PERFECT_WINNER, "won", "at least"),
        (Status.PERFECT_LOSER, "lost", "at most"),
    ):
        is_kind = (report.ratings.status == kind).tolist()
        rows = [row for row in report.rows if is_kind[row]]
        if not rows:
            continue
        yield f"{_named(report, rows)} {did} every game: no rating or rank can be given."
        limits = [
            f"{report.ratings.players[row]} {report.limits[row]:.1f}"
            for row in rows
            if isfinite(report.limits[row])
        ]
        if limits:
            yield f"With {report.level} confidence {word}: {join_names(limits)}."


def _traps(report: RatingList) -> Iterable[str]:
    players, traps = report.ratings.players, report.traps
    listed = set(report.rows)
    few = [row for row in traps.few_games if row in listed]
    if few:
        least = sorted(few, key=lambda row: float(report.ratings.games[row]))
        yield (
            f"{plural(len(few), 'player has', 'players have')} fewer than {FEW_GAMES} games: "
            f"{_named(report, least)}."
        )
    single = [row for row in traps.one_opponent if row in listed]
    if single:
        yield f"Met only one opponent, so their ratings rest on that one: {_named(report, single)}."
    for bridge in traps.bridges[:3]:
        yield (
            f"{players[bridge.player]} alone links {plural(bridge.cut_off, 'player')} to the "
            "rest of the group: one odd result would shift them all."
        )
    if len(traps.bridges) > 3:
        yield f"{plural(len(traps.bridges) - 3, 'other player')} also hold groups together alone."
    for conflict in traps.anchors:
        yield (
            f"The anchor of {players[conflict.player]} does not fit the games: "
            f"{conflict.points:g} points where {conflict.expected:.1f} were expected "
            f"({abs(conflict.deviations):.1f} standard deviations)."
        )
    yield from spellings(players, traps.similar)
    if report.unlisted:
        yield f"{plural(report.unlisted, 'player')} with fewer games than required, not listed."


def advice(report: RatingList) -> list[str]:
    """Which further games are most informative."""
    lines = [
        f"To join groups: {a} – {b} (until each has scored against the other)"
        for a, b in report.joining
    ]
    lines += [
        f"{match.player} – {match.other}: ten games would reduce the "
        f"uncertainty by {100 * match.gain:.1f} %"
        for match in report.suggestions
        if match.gain >= 0.001
    ]
    return lines


def skipped(report: RatingList) -> list[str]:
    """What was left out when reading, why, and where; and what was put right."""
    left_out = report.skipped
    repaired = [f"  {number:,} × {what}" for what, number in left_out.repaired.most_common()]
    if repaired:
        repaired.insert(0, "Repaired:")
    if not len(left_out):
        return repaired
    lines = [f"Skipped: {plural(len(left_out), 'record')}"]
    lines += [f"  {number:,} × {reason}" for reason, number in left_out.reasons.most_common(8)]
    if len(left_out.reasons) > 8:
        lines.append(f"  and {len(left_out.reasons) - 8} other reasons")
    lines += [f"  {record}" for record in left_out.details[:PLACES]]
    if len(left_out) > PLACES and left_out.details:
        lines.append(f"  … and {plural(len(left_out) - PLACES, 'other')}")
    return lines + repaired
