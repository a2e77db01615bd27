"""A rating list as a document, made of its plain value.

To add a column: give `RatingList.record` its value, and `_columns` a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.document import (
    UNKNOWN,
    Column,
    Document,
    Drawing,
    Lines,
    Range,
    Section,
    Table,
)
from yardstone.reports.rating_list import sentences
from yardstone.reports.rating_list.plain import plain_list
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import RatingList

__all__ = [
    "FILE_COLUMNS",
    "difference_table",
    "list_document",
    "opponents",
    "rating_list_document",
    "scores_of",
]

Record = Mapping[str, Any]
#: Stands above players who won or lost every game.
BOUNDS = "Not ranked: won or lost every game (> or <: where that has an even chance)"
#: Columns of files, in their order.
FILE_COLUMNS = (
    "player", "rating", "deviation", "low", "high", "games", "wins", "draws", "losses", "score",
    "component", "status", "rank", "rank_low", "rank_high",
)  # fmt: skip
#: Up to so many players a page shows the opponents of each.
DETAILED = 10_000
#: Opponents shown for each player: the most played ones.
OPPONENTS = 50
_MARKS = {"at least": ">", "at most": "<"}


def rating_list_document(
    report: RatingList,
    *,
    title: str = "Ratings",
    top: int | None = None,
) -> Document:
    """The document of a list; `top` limits the players of each group for people."""

    def draw() -> Drawing:
        from yardstone.reports.charts.rating_list import rating_list_chart

        return rating_list_chart(report, top=top)

    return list_document(
        plain_list(report),
        title=title,
        top=top,
        pairs=report.head_to_head if len(report) <= DETAILED else None,
        remedies=sentences.remedies(report),
        skipped=sentences.skipped(report),
        drawing=draw,
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
    drawing: Callable[[], Drawing] | None = None,
) -> Document:
    """The document of a list's plain value.

    Parameters
    ----------
    plain : mapping
        As `plain_list` or JSON has it.
    title : str
    top : int, optional
        Players of each group that people see.
    pairs : callable, optional
        Gives the games of each two players, for the tables that open on a page.
    remedies, skipped : sequence of str
        Options that help, and what was left out when reading.
    link : callable, optional
        Takes a record: where the player's name leads on a page.
    drawing : callable, optional
    """
    columns = _columns(plain, link)
    details = None if pairs is None else _Details(plain["ratings"], pairs)
    groups = []
    begin = 0
    for group in plain["components"]:
        end = begin + group["players"]
        rows = _Part(plain["ratings"], begin, end)
        table = Table(
            columns,
            rows,
            {group["ranked"]: BOUNDS} if group["ranked"] < len(rows) else {},
            noun="player",
            limit=top,
            remedy="--top 0 shows all",
            details=details,
            search=begin == 0,
            group=True,
        )
        groups.append(Section(_group_title(group, len(plain["components"])), [table]))
        begin = end
    tail = [
        Section("", [Lines(plain.get("basis", ()))]),
        Section("Note:", [Lines(plain["caveats"], bullets=True)], caution=True),
        Section("Options:", [Lines(remedies, bullets=True)]),
        Section(
            "Most informative games to play next:", [Lines(plain.get("advice", ()), bullets=True)]
        ),
        Section("", [Lines(skipped)]),
    ]
    by_name = {column.name: column for column in columns}
    return Document(
        title,
        [plain["headline"]],
        [*groups, *tail],
        Table([by_name[name] for name in FILE_COLUMNS], plain["ratings"]),
        lambda: plain,
        drawing,
    )


def _columns(plain: Mapping[str, Any], link: Callable[[Record], str] | None) -> list[Column]:
    """All columns: those that people read come with a heading."""

    def value(name: str) -> Callable[[Record], Any]:
        return lambda record: record[name]

    def share(name: str) -> Callable[[Record], float | None]:
        return lambda record: 100.0 * record[name] / record["games"] if record["games"] else None

    def file_only(*names: str, kind: Any = "number") -> list[Column]:
        return [Column(name, value(name), kind=kind) for name in names]

    # The first of a group is ranked if anyone is.
    sizes = [group["players"] for group in plain["components"]]
    begins = [end - size for end, size in zip(accumulate(sizes), sizes, strict=True) if size]
    ranged = any(plain["ratings"][begin]["rank_high"] for begin in begins)
    return [
        Column("rank", value("rank"), "Rank", "integer", "d", ascending=True, order="ascending"),
        Column("player", value("player"), "Player", link=link),
        Column("rating", value("rating"), "Rating", "number", show=_rating, strong=True),
        Column("deviation", value("deviation"), "±", "number", show=_half_width),
        Column("", _interval, "Interval", "range"),
        Column(
            "rank_low",
            value("rank_low"),
            "Range" if ranged else "",
            "integer",
            show=_ranks,
            gives_way=3,
            ascending=True,
        ),
        Column("games", value("games"), "Games", "integer", gives_way=2),
        Column("", _score, "Score %", "number", gives_way=4),
        Column("", share("draws"), "Draws %", "number", gives_way=1),
        *file_only("low", "high", "score"),
        *file_only("wins", "draws", "losses", "component", "rank_high", kind="integer"),
        *file_only("status", kind="text"),
    ]


def _rating(record: Record) -> str:
    """A rating, marked > or < where it is a bound."""
    value = record["rating"]
    if value is None:
        return UNKNOWN
    return f"{_MARKS.get(record['status'], '')}{round(value, 1) + 0.0:.1f}"


def _half_width(record: Record) -> str:
    if record["status"] in _MARKS or record["deviation"] is None or record["high"] is None:
        return UNKNOWN
    return f"{record['high'] - record['rating']:.1f}" if record["deviation"] else "fixed"


def _ranks(record: Record) -> str:
    low, high = record["rank_low"], record["rank_high"]
    return UNKNOWN if not low else f"{low}" if low == high else f"{low}–{high}"


def _score(record: Record) -> float | None:
    return None if record["score"] is None else 100.0 * record["score"]


def _interval(record: Record) -> Range | None:
    value = record["rating"]
    if value is None:
        return None
    low, high, status = record["low"], record["high"], record["status"]
    if status in _MARKS:
        limit = low if status == "at least" else high
        if limit is None:
            return None
        words = f"{status} {limit:.0f}"
        if status == "at least":
            return Range(limit, limit, inf, words)
        return Range(limit, -inf, limit, words)
    if low is None or high is None:
        return Range(value, value, value, f"{value:.0f}, interval unknown")
    return Range(value, low, high, f"{low:.0f} to {high:.0f}")


class _Part(Sequence[Record]):
    """Some of the records, which are made when they are looked at."""

    def __init__(self, whole: Sequence[Record], begin: int, end: int) -> None:
        self._whole, self._places = whole, range(begin, end)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, place: Any) -> Any:
        places = self._places[place]
        if isinstance(places, range):
            return self._whole[places.start : places.stop]
        return self._whole[places]

    def __iter__(self) -> Iterator[Record]:
        return (self._whole[place] for place in self._places)


def _group_title(group: Mapping[str, Any], groups: int) -> str:
    if groups < 2:
        return ""
    if group["number"] < 1:
        return "Players without a group"
    players, games = plural(group["players"], "player"), plural(group["games"], "game")
    return f"Group {group['number']}: {players}, {games}"


class _Details:
    """The opponents of each player, gathered when the first are asked for."""

    def __init__(self, records: Sequence[Record], pairs: Callable[[], Sequence[Record]]) -> None:
        self._records, self._pairs = records, pairs
        self._met: dict[str, list[Record]] | None = None

    def __call__(self, record: Record) -> Table | None:
        if self._met is None:
            self._met = _met(self._records, self._pairs())
        return opponents(self._met.get(record["player"], ()))


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
    columns = [
        Column(
            "",
            lambda row: row["opponent"]["player"],
            "Opponent",
            link=None if link is None else lambda row: link(row["opponent"]),
        ),
        Column(
            "", lambda row: row["opponent"]["rating"], "Rating", "number",
            show=lambda row: _rating(row["opponent"]),
        ),
        Column("", lambda row: row["games"], "Games", "integer", order="descending"),
        Column(
            "", lambda row: row["wins"], "W–D–L", "integer",
            show=lambda row: f"{row['wins']}–{row['draws']}–{row['losses']}",
        ),
        Column(
            "",
            lambda row: 100.0 * (row["wins"] + row["draws"] / 2) / row["games"],
            "Score %",
            "number",
        ),
    ]  # fmt: skip
    return Table(columns, rows, noun="opponent", limit=OPPONENTS, remedy="with fewer games")


def difference_table(report: RatingList) -> Table:
    """Each two listed players of a group once, the stronger first.

    The difference of their ratings, its deviation and interval, and the probability that
    the first is the stronger one. Perfect scorers are left out: they have no deviation.

    Raises ModelError if the covariance was not computed.
    """
    from yardstone.ratings.uncertainty import superiority

    ratings = report.ratings
    spread = ratings.deviation_of_difference()
    sure = superiority(ratings)
    rows: list[tuple[str | float, ...]] = []
    for group in report.groups:
        members = [row for row in group.rows if np.isfinite(ratings.deviation[row])]
        for place, row in enumerate(members):
            for other in members[place + 1 :]:
                difference = float(ratings.rating[row] - ratings.rating[other])
                reach = report.deviations * float(spread[row, other])
                rows.append(
                    (
                        ratings.players[row],
                        ratings.players[other],
                        difference,
                        float(spread[row, other]),
                        difference - reach,
                        difference + reach,
                        float(sure[row, other]),
                    )
                )
    names = ("player", "other", "difference", "deviation", "low", "high", "superiority")
    columns = [
        Column(name, itemgetter(place), kind="number" if place > 1 else "text")
        for place, name in enumerate(names)
    ]
    return Table(columns, rows)
