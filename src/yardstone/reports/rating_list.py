"""A rating list: its plain value, its sentences, its document and its chart.

To add a column: give `PlayerRating` a field and its value, and `_columns` a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate, combinations
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.ratings.connectivity import FEW_GAMES
from yardstone.ratings.result import Effect, Status
from yardstone.reports.document import Column, Document, Lines, Range, Section, Table
from yardstone.reports.words import NAMES, join_names, picked, plain_skipped, plural, spellings

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import RatingList
    from yardstone.reports.chart import Chart
    from yardstone.reports.drawing import Drawn

Record = Mapping[str, Any]
#: Stands above players who won or lost every game.
BOUNDS = "Not ranked: won or lost every game (> or <: where that has an even chance)"
#: Columns of files, in their order.
FILE_COLUMNS = (
    "player", "rating", "deviation", "low", "high", "games", "wins", "draws", "losses", "score",
    "component", "status", "rank", "rank_low", "rank_high",
)  # fmt: skip
#: Up to so many players a page shows the opponents of each.
_DETAILED = 10_000
#: Opponents shown for each player: the most played ones.
OPPONENTS = 50
_MARKS = {"at least": ">", "at most": "<"}


def rating_list_document(
    report: RatingList, *, title: str = "Ratings", top: int | None = None
) -> Document:
    """The document of a list; `top` limits the players of each group for people."""
    return list_document(
        plain_list(report),
        title=title,
        top=top,
        pairs=report.head_to_head if len(report) <= _DETAILED else None,
        remedies=remedies(report),
        skipped=skipped(report),
        drawing=partial(rating_list_chart, report, top=top),
    )


def list_document(
    plain: Mapping[str, Any],
    *,
    title: str = "Ratings",
    top: int | None = None,
    pairs: Callable[[], Sequence[Record]] | None = None,
    remedies: Sequence[str] = (),
    skipped: Sequence[str] = (),
    link: Callable[[Record], str] | None = None,
    drawing: Callable[[], Drawn] | None = None,
) -> Document:
    """The document of a list's plain value.

    Args:
        plain: As `plain_list` or JSON has it.
        top: Players of each group that people see.
        pairs: Gives the games of each two players, for the tables that open on a page.
        remedies, skipped: Options that help, and what was left out when reading.
        link: Takes a record: where the player's name leads on a page.
    """
    columns = _columns(plain, link)
    met = cache(lambda: _met(plain["ratings"], pairs() if pairs else ()))  # when asked for

    def details(record: Record) -> Table | None:
        return opponents(met().get(record["player"], ()))

    shown = Table(columns, (), noun="player", limit=top, remedy="--top 0 shows all", group=True)
    shown = replace(shown, details=details if pairs else None)
    groups, begin = [], 0
    for group in plain["components"]:
        end = begin + group["players"]
        rows = plain["ratings"][begin:end]
        breaks = {group["ranked"]: BOUNDS} if group["ranked"] < len(rows) else {}
        table = replace(shown, rows=rows, breaks=breaks, search=begin == 0)
        heading = "Players without a group"
        if group["number"] > 0:
            members, games = plural(len(rows), "player"), plural(group["games"], "game")
            heading = f"Group {group['number']}: {members}, {games}"
        groups.append(Section(heading if len(plain["components"]) > 1 else "", [table]))
        begin = end
    next_games = Lines(plain.get("advice", ()), bullets=True)
    tail = [
        Section("", [Lines(plain.get("basis", ()))]),
        Section("Note:", [Lines(plain["caveats"], bullets=True)], caution=True),
        Section("Options:", [Lines(remedies, bullets=True)]),
        Section("Most informative games to play next:", [next_games]),
        Section("", [Lines(skipped)]),
    ]
    by_name = {column.name: column for column in columns}
    records = Table([by_name[name] for name in FILE_COLUMNS], plain["ratings"])
    lead, sections = [plain["headline"]], [*groups, *tail]
    return Document(title, lead, sections, records, lambda: plain, drawing)


def _columns(plain: Mapping[str, Any], link: Callable[[Record], str] | None) -> list[Column]:
    """All columns: those that people read come with a heading."""

    def draws(record: Record) -> float | None:
        return 100.0 * record["draws"] / record["games"] if record["games"] else None

    def score(record: Record) -> float | None:
        return None if record["score"] is None else 100.0 * record["score"]

    def half_width(record: Record) -> str:
        if record["status"] in _MARKS or record["deviation"] is None or record["high"] is None:
            return Column.unknown
        return f"{record['high'] - record['rating']:.1f}" if record["deviation"] else "fixed"

    # The first of a group is ranked if anyone is.
    sizes = [group["players"] for group in plain["components"]]
    begins = [end - size for end, size in zip(accumulate(sizes), sizes, strict=True) if size]
    ranged = any(plain["ratings"][begin]["rank_high"] for begin in begins)
    ranks = Column("rank_low", kind="integer", show=_ranks, gives_way=3, ascending=True)
    return [
        Column("rank", heading="Rank", kind="integer", form="d", ascending=True, order="ascending"),
        Column("player", heading="Player", link=link),
        Column("rating", heading="Rating", kind="number", show=_rating, strong=True),
        Column("deviation", heading="±", kind="number", show=half_width),
        Column("", _interval, "Interval", "range"),
        replace(ranks, heading="Range" if ranged else ""),
        Column("games", heading="Games", kind="integer", gives_way=2),
        Column("", score, "Score %", "number", gives_way=4),
        Column("", draws, "Draws %", "number", gives_way=1),
        *Column.files("low", "high", "score"),
        *Column.files("wins", "draws", "losses", "component", "rank_high", kind="integer"),
        Column("status"),
    ]


def _rating(record: Record) -> str:
    """A rating, marked > or < where it is a bound."""
    value = record["rating"]
    if value is None:
        return Column.unknown
    return f"{_MARKS.get(record['status'], '')}{round(value, 1) + 0.0:.1f}"


def _ranks(record: Record) -> str:
    low, high = record["rank_low"], record["rank_high"]
    return Column.unknown if not low else f"{low}" if low == high else f"{low}–{high}"


def _interval(record: Record) -> Range | None:
    value, low, high, status = (record[key] for key in ("rating", "low", "high", "status"))
    if value is None:
        return None
    if status in _MARKS:
        limit = low if status == "at least" else high
        if limit is None:
            return None
        low, high = (limit, inf) if status == "at least" else (-inf, limit)
        return Range(limit, low, high, f"{status} {limit:.0f}")
    if low is None or high is None:
        return Range(value, value, value, f"{value:.0f}, interval unknown")
    return Range(value, low, high, f"{low:.0f} to {high:.0f}")


def _met(records: Sequence[Record], pairs: Sequence[Record]) -> dict[str, list[Record]]:
    """What each player scored against whom, the most played opponents first."""
    listed = {record["player"]: record for record in records}
    met: dict[str, list[Record]] = {}
    for pair in pairs:
        one, other = pair["player"], pair["other"]
        wins, draws, losses = pair["wins"], pair["draws"], pair["losses"]
        for player, opponent, won, lost in ((one, other, wins, losses), (other, one, losses, wins)):
            row = {"opponent": listed[opponent], "wins": won, "draws": draws, "losses": lost}
            met.setdefault(player, []).append({**row, "games": won + draws + lost})
    for rows in met.values():
        rows.sort(key=lambda row: -row["games"])
    return met


def scores_of(
    records: Sequence[Record],
    pairs: Sequence[Record],
    player: str | None,
    link: Callable[[Record], str] | None = None,
) -> Table | None:
    """One player against each opponent; None without games."""
    return opponents(_met(records, pairs).get(player or "", ()), link)


def opponents(rows: Sequence[Record], link: Callable[[Record], str] | None = None) -> Table | None:
    """A player against each opponent; None without games."""
    if not rows:
        return None

    page = None if link is None else lambda row: link(row["opponent"])
    columns = [
        Column("", "opponent.player", "Opponent", link=page),
        Column("", "opponent.rating", "Rating", "number", show=lambda r: _rating(r["opponent"])),
        Column("", "games", "Games", "integer", order="descending"),
        Column(
            "", "wins", "W–D–L", "integer", show=lambda r: f"{r['wins']}–{r['draws']}–{r['losses']}"
        ),
        Column("", lambda r: 100 * (r["wins"] + r["draws"] / 2) / r["games"], "Score %", "number"),
    ]
    return Table(columns, rows, noun="opponent", limit=OPPONENTS, remedy="with fewer games")


def difference_table(report: RatingList) -> Table:
    """Each two listed players of a group once, the stronger first.

    The difference of their ratings, its deviation and interval, and the probability that
    the first is the stronger one. Perfect scorers are left out: they have no deviation.

    Raises ModelError if the covariance was not computed.
    """
    from yardstone.ratings.uncertainty import superiority

    ratings = report.ratings
    spread, sure = ratings.deviation_of_difference(), superiority(ratings)
    rows = []
    for group in report.groups:
        members = [row for row in group.rows if np.isfinite(ratings.deviation[row])]
        for row, other in combinations(members, 2):
            difference = float(ratings.rating[row] - ratings.rating[other])
            deviation = float(spread[row, other])
            reach = report.deviations * deviation
            ends = difference - reach, difference + reach
            players = ratings.players[row], ratings.players[other]
            rows.append((*players, difference, deviation, *ends, float(sure[row, other])))
    figures = ("difference", "deviation", "low", "high", "superiority")
    numbers = Column.files(*(f"{name}={place}" for place, name in enumerate(figures, 2)))
    return Table([*Column.files("player=0", "other=1", kind="text"), *numbers], rows)


class Records(Sequence[dict[str, Any]]):
    """The players of a list, or some of them, as plain values made when they are looked at."""

    def __init__(self, report: RatingList, rows: Sequence[int] | None = None) -> None:
        self._report, self._rows = report, report.rows if rows is None else rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Records(self._report, self._rows[place])
        return self._report.record(self._rows[place])


def plain_list(report: RatingList) -> dict[str, Any]:
    """The whole list as dictionaries, numbers, strings, None, and lists or `Records`."""

    def estimate(of: str, ends: str) -> dict[str, float | None]:
        return picked(report, f"{of}.value", f"{of}.deviation", f"low={ends}.0", f"high={ends}.1")

    return {
        "games": report.games,
        "players": sum(len(group.rows) for group in report.groups),
        **picked(report, "confidence", "relative_to", "ratings.scale", "ratings.points_per_logit"),
        "simulations": report.simulations,
        "first_advantage": estimate("ratings.first_advantage", "advantage_interval"),
        "draw_rate": estimate("draw_rate", "draw_rate_interval"),
        "effects": [
            picked(each, "name", "value", "deviation", "low", "high")
            for each in report.ratings.effects[1:]
        ],
        "components": [
            {"number": group.number, "players": len(group.rows), **picked(group, "ranked", "games")}
            for group in report.groups
        ],
        "ratings": Records(report),
        "headline": headline(report),
        "basis": basis(report),
        "caveats": caveats(report),
        "advice": advice(report),
        "suggestions": [picked(match, "player", "other", "gain") for match in report.suggestions],
        "joining": [{"player": player, "other": other} for player, other in report.joining],
        "skipped": plain_skipped(report.skipped),
    }


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
    advantage, draws = report.ratings.first_advantage, report.draw_rate
    value = f"{round(advantage.value, 1) + 0.0:.1f}"
    known = f"{value} ± {report.deviations * advantage.deviation:.1f} points"
    if not advantage.deviation:
        known = f"{value} points (given)"
    lines = [f"First-move advantage: {known if isfinite(advantage.deviation) else 'unknown'}"]
    lines += [_effect(report, effect) for effect in report.ratings.effects[1:]]
    value, (low, high) = f"{100 * draws.value:.1f} %", report.draw_rate_interval
    known = f"{value}  [{100 * low:.1f}, {100 * high:.1f}]"
    if not draws.deviation:
        known = f"{value} (given)"
    elif not isfinite(draws.deviation):
        known = "unknown"
        if high < 1.0:
            known = f"{value} (no game was drawn: at most {100 * high:.1f} %)"
    lines.append(f"Draw rate of equal players: {known}")
    how = f", from {report.simulations:,} simulated replays" if report.simulations else ""
    if any(report.half_width(row) == report.half_width(row) for row in report.rows):
        basis = f"relative to {report.relative_to}{how}"
        lines.append(f"±: {report.level} confidence interval, {basis}.")
    if report.rank_high.any():
        lines.append(f"Range: {report.level} confidence interval of the rank.")
    return lines


def _effect(report: RatingList, effect: Effect) -> str:
    """What something beside the players is worth, with its interval."""
    each = "a stone" if effect.name == "handicap" else f"each unit of {effect.name}"
    if not effect.deviation:
        return f"Points for {each}: {effect.value:.1f} (given)"
    reach = report.deviations * effect.deviation
    return (
        f"Points for {each}: {effect.value:.3g} ± {reach:.2g}"
        f" (in these games from {effect.low:g} to {effect.high:g})"
    )


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


def caveats(report: RatingList) -> list[str]:
    """Everything that makes the list say less than it seems to."""
    groups = _groups(report) if report.ratings.components > 1 else ()
    return [*report.remarks, *groups, *_perfect(report), *_traps(report)]


def _groups(report: RatingList) -> Iterator[str]:
    count = report.ratings.components
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


def _perfect(report: RatingList) -> Iterator[str]:
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


def _traps(report: RatingList) -> Iterator[str]:
    players, traps = report.ratings.players, report.traps
    listed = set(report.rows)
    few = [row for row in traps.few_games if row in listed]
    if few:
        least = sorted(few, key=lambda row: float(report.ratings.games[row]))
        have = plural(len(few), "player has", "players have")
        yield f"{have} fewer than {FEW_GAMES} games: {_named(report, least)}."
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
    left_out, lines = report.skipped, []
    if len(left_out):
        lines.append(f"Skipped: {plural(len(left_out), 'record')}")
        lines += [f"  {number:,} × {reason}" for reason, number in left_out.reasons.most_common(8)]
    if len(left_out.reasons) > 8:
        lines.append(f"  and {len(left_out.reasons) - 8} other reasons")
    lines += [f"  {record}" for record in left_out.details[:PLACES]]
    if len(left_out) > PLACES and left_out.details:
        lines.append(f"  … and {plural(len(left_out) - PLACES, 'other')}")
    if left_out.repaired:
        lines.append("Repaired:")
    return lines + [f"  {number:,} × {what}" for what, number in left_out.repaired.most_common()]


#: Players in a picture unless more are asked for.
PLAYERS = 60


def rating_list_chart(report: RatingList, *, top: int | None = None) -> Chart:
    """Draw the ratings of the largest group, the strongest on top.

    A dot is a rating, the line through it its interval; a triangle marks
    where a perfect score has an even chance. Other groups have a level of their own, so
    they are not drawn beside it.

    Args:
        top: Draw only the strongest so many; 60 by default. What is left out is said.
    """
    from yardstone.reports.chart import Axis, Chart, Panel, Points

    ratings = report.ratings
    group = next((group for group in report.groups if group.number > 0), None)
    everyone = np.array(group.rows if group else (), np.int64)
    everyone = everyone[np.isfinite(ratings.rating[everyone])]
    rows = everyone[: PLAYERS if top is None else top]
    rating, status = ratings.rating[rows], ratings.status[rows]
    place = np.arange(len(rows))
    reach = np.nan_to_num(report.deviations * ratings.deviation[rows])
    normal = status == Status.NORMAL
    interval = (rating - reach)[normal], (rating + reach)[normal]
    marks = [Points(rating[normal], place[normal], across=interval)]
    for kind, shape in ((Status.PERFECT_WINNER, "right"), (Status.PERFECT_LOSER, "left")):
        bound = status == kind
        marks.append(Points(rating[bound], place[bound], "soft", shape=shape, size=4.5))
    title = f"Ratings with {report.level} intervals"
    if len(rows) < len(everyone):
        title += f": top {len(rows)} of {len(everyone)} players"
    names = [ratings.players[row] for row in rows]
    top_axis = Axis() if len(rows) > 40 else None  # at hand at either end of a long list
    y = Axis(scale="category", names=names)
    panel = Panel(Axis("Rating", grid=True), y, marks, top=top_axis)
    note = f"Intervals are relative to {report.relative_to}."
    if (rest := ratings.components - 1) > 0:
        others = f"{rest} other group{'s' * (rest > 1)}"
        note += f" Only the largest group is drawn: {others} cannot be compared with it."
    if not normal.all():
        note += " Triangles won or lost every game, and stand where that has an even chance."
    return Chart([panel], title, note=note, height=18.0 * max(len(rows), 4))
