"""The table of analysed matches, and columns that other tables of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from yardstone.backgammon.error_rates import Errors
from yardstone.reports.document import UNKNOWN, Column, Table
from yardstone.reports.words import known

if TYPE_CHECKING:
    from yardstone.reports.document import Kind

__all__ = ["ERRORS", "field", "match_table", "short"]

#: The counts and sums of `Errors`, with the kinds of their columns.
ERRORS: dict[str, Kind] = {
    field.name: "integer" if field.type == "int" else "number" for field in fields(Errors)
}

Plain = Mapping[str, Any]


def field(name: str, heading: str = "", kind: Kind = "number", **more: Any) -> Column:
    """A column that reads one field of a row."""
    return Column(name, lambda row: row[name], heading, kind, **more)


def short(file: str) -> str:
    """The name of a file without its folder."""
    return file.rpartition("/")[2]


def match_table(plain: Plain, *, limit: int | None = None) -> Table:
    """A row for each match; files have the errors of both players, all that fits need."""
    ratings = {
        (player["player"], match["file"], match["date"]): match["rating"]
        for player in plain["players"]
        for match in player["trend"]
    }

    def sides(cell: Callable[[Plain, int], str], mark: str = " / ") -> Callable[[Plain], str]:
        return lambda row: mark.join(cell(row, side) for side in (1, 2))

    def rating(row: Plain, side: int) -> str:
        value = ratings.get((row[f"player_{side}"], row["file"], row["date"]))
        return UNKNOWN if value is None else f"{value:.0f}"

    def pr(row: Plain, side: int) -> str:
        names = [name for name in ERRORS if name != "opponent_moves"]
        value = known(Errors(**{name: row[f"{name}_{side}"] for name in names}).pr)
        return UNKNOWN if value is None else f"{value:.2f}"

    columns = [
        field("file", "Match", "text", show=lambda row: short(row["file"])),
        field("date", "Date", "date", left=True, gives_way=3),
        field(
            "length", "Length", "integer", gives_way=2,
            show=lambda row: str(row["length"]) if row["length"] else "money",
        ),
        Column("", sides(lambda row, side: row[f"player_{side}"], " – "), "Players"),
        field("player_1", kind="text"),
        field("player_2", kind="text"),
        field("points_1", kind="integer"),
        field("points_2", kind="integer"),
        field("winner", kind="integer"),
        field("games", kind="integer"),
        field("luck_adjusted_1"),
        Column("", sides(lambda row, side: str(row[f"points_{side}"]), "–"), "Points", left=False),
        Column("", sides(rating), "Ratings", left=False, gives_way=4),
        Column("", sides(pr), "PR", left=False),
        Column(
            "", sides(lambda row, side: f"{row[f'luck_{side}']:+.2f}"), "Luck", left=False,
            gives_way=1,
        ),
    ]  # fmt: skip
    for side in (1, 2):
        columns += [
            field(f"{name}_{side}", kind=kind)
            for name, kind in {**ERRORS, "close_2003": "integer"}.items()
            if name != "opponent_moves"
        ]
    return Table(
        columns,
        plain["matches"],
        noun="match",
        limit=limit,
        remedy="--table FILE writes all",
        caption="Both players’ figures, in the order of their names",
    )
