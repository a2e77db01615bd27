"""What the page shows of a rating list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from yardstone.reports.statements import plural
from yardstone.reports.svg_charts import Span, interval_bar
from yardstone.web.pages.tables import Cell, Column, Row, Table, number_cell, text_cell

__all__ = ["CROSS_TABLE_PLAYERS", "PLAYERS_A_PAGE", "results_view"]

#: Players listed unless all are asked for.
PLAYERS_A_PAGE = 500
#: With at most so many players, everyone's score against everyone stands in one table.
CROSS_TABLE_PLAYERS = 12
_BOUNDS = {"at least": ">", "at most": "<"}

Plain = Mapping[str, Any]


def results_view(
    result: Plain, *, address: str, player: str | None = None, everyone: bool = False
) -> dict[str, Any]:
    """What the template wants.

    Parameters
    ----------
    result : mapping
        As ``rate --format json`` has it, with ``head_to_head``.
    address : str
        Of the page, for links to the scores of each player.
    player : str, optional
        Whose scores against each opponent are asked for.
    everyone : bool
        List all players, however many.
    """
    ratings: Sequence[Plain] = result["ratings"]
    shown = ratings if everyone else ratings[:PLAYERS_A_PAGE]
    pairs = _Pairs(result.get("head_to_head") or ())
    known = {each["player"] for each in ratings}
    hidden = len(ratings) - len(shown)
    return {
        "headline": f"{plural(result['games'], 'game')} of {plural(result['players'], 'player')}",
        "basis": _basis(result),
        "caveats": result["caveats"],
        "chosen": _chosen(player, ratings, pairs, address) if player in known else None,
        "groups": _groups(result, shown, address, player),
        "more": {
            "text": f"{plural(hidden, 'further player')} are not shown.",
            "link": f"{address}?all=1",
        }
        if hidden > 0
        else None,
        "cross": _cross(ratings, pairs) if 1 < len(ratings) <= CROSS_TABLE_PLAYERS else None,
        "advice": _advice(result),
    }


class _Pairs:
    """Who scored what against whom, from either side."""

    def __init__(self, rows: Sequence[Plain]) -> None:
        self.of: dict[str, dict[str, tuple[int, int, int]]] = {}
        for row in rows:
            first, second = row["player"], row["other"]
            wins, draws, losses = row["wins"], row["draws"], row["losses"]
            self.of.setdefault(first, {})[second] = (wins, draws, losses)
            self.of.setdefault(second, {})[first] = (losses, draws, wins)


def _level(result: Plain) -> str:
    return f"{100 * result['confidence']:.6g} %"


def _basis(result: Plain) -> list[str]:
    advantage, draws = result["first_advantage"], result["draw_rate"]
    lines = [
        f"Moving first is worth {advantage['value']:.0f} points; between equal players "
        f"{100 * draws['value']:.0f} % of the games are drawn.",
        f"Intervals hold the true rating with {_level(result)} confidence, relative to "
        f"{result['relative_to']}.",
    ]
    if any(each.get("rank_high") for each in result["ratings"]):
        lines.append("Places: those that cannot be excluded at the same level.")
    return lines


def _link(address: str, player: str) -> str:
    return f"{address}?{urlencode({'player': player})}#against"


def _columns(result: Plain) -> list[Column]:
    return [
        Column("Place", first="ascending", sorted="ascending"),
        Column("Player", "text", "ascending", classes="name", head=True),
        Column("Rating"),
        Column("±", first="ascending"),
        Column(f"{_level(result)} interval", classes="bar left"),
        Column("Places", first="ascending", classes="extra"),
        Column("Games"),
        Column("Won", classes="extra"),
        Column("Drawn", classes="extra"),
        Column("Lost", classes="extra"),
        Column("Score %", classes="extra"),
    ]


def _groups(
    result: Plain, ratings: Sequence[Plain], address: str, chosen: str | None
) -> list[dict[str, Any]]:
    """A table for each group of players that can be compared."""
    members: dict[Any, list[Plain]] = {}
    for each in ratings:
        members.setdefault(each["component"], []).append(each)
    columns, groups = _columns(result), []
    for number, found in members.items():
        title = f"Group {number}: {plural(len(found), 'player')}" if len(members) > 1 else ""
        low, high = _ends(found)
        rows = [
            Row(_cells(each, address, low, high), chosen=each["player"] == chosen) for each in found
        ]
        caption = "Players from strongest to weakest"
        groups.append({"title": title, "table": Table(caption, columns, rows)})
    return groups


def _ends(found: Sequence[Plain]) -> tuple[float, float]:
    values = [
        value for each in found for name in ("rating", "low", "high")
        if (value := each[name]) is not None
    ]  # fmt: skip
    return (min(values), max(values)) if values else (0.0, 1.0)


def _cells(each: Plain, address: str, low: float, high: float) -> list[Cell]:
    rating, bound = each["rating"], _BOUNDS.get(each["status"], "")
    known = None not in (rating, each["low"], each["high"])
    half = each["high"] - rating if known else None
    places = "–"
    if each["rank_low"] is not None and each["rank_high"] is not None:
        same = each["rank_low"] == each["rank_high"]
        places = str(each["rank_low"]) if same else f"{each['rank_low']}–{each['rank_high']}"
    score = each["score"]
    return [
        number_cell(each["rank"]),
        text_cell(each["player"], _link(address, each["player"])),
        Cell(bound + number_cell(rating).text, "" if rating is None else rating),
        number_cell(half),
        _bar(each, low, high),
        Cell(places, "" if each["rank_low"] is None else each["rank_low"]),
        number_cell(each["games"]),
        number_cell(each["wins"]),
        number_cell(each["draws"]),
        number_cell(each["losses"]),
        number_cell(None if score is None else 100.0 * score, 1),
    ]


def _bar(each: Plain, low: float, high: float) -> Cell:
    rating = each["rating"]
    if rating is None:
        return Cell("–", "")
    if each["status"] in _BOUNDS:
        limit = each["low"] if each["status"] == "at least" else each["high"]
        if limit is None:
            return Cell("–", rating)
        span = Span(limit, each["low"], each["high"])
        words = f"{each['status']} {limit:.0f}"
    elif each["low"] is None or each["high"] is None:
        span, words = Span(rating), f"{rating:.0f}, interval unknown"
    else:
        span = Span(rating, each["low"], each["high"])
        words = f"{each['low']:.0f} to {each['high']:.0f}"
    return Cell(interval_bar(words, span, low, high), rating)


def _chosen(
    player: str | None, ratings: Sequence[Plain], pairs: _Pairs, address: str
) -> dict[str, Any] | None:
    """One player against each opponent, the most played first."""
    if player is None:
        return None
    met = pairs.of.get(player, {})
    rating = {each["player"]: each["rating"] for each in ratings}
    order = sorted(met, key=lambda name: (-sum(met[name]), name))
    columns = [
        Column("Opponent", "text", "ascending", classes="name", head=True),
        Column("Rating"),
        Column("Games", sorted="descending"),
        Column("Won"),
        Column("Drawn"),
        Column("Lost"),
        Column("Score %"),
    ]
    rows = []
    for name in order:
        wins, draws, losses = met[name]
        games = wins + draws + losses
        rows.append(
            Row(
                [
                    text_cell(name, _link(address, name)),
                    number_cell(rating.get(name)),
                    number_cell(games),
                    number_cell(wins),
                    number_cell(draws),
                    number_cell(losses),
                    number_cell(100.0 * (wins + draws / 2) / games if games else None, 1),
                ]
            )
        )
    return {
        "title": f"{player} against each opponent",
        "table": Table(f"Scores of {player}, the most played opponents first", columns, rows),
    }


def _cross(ratings: Sequence[Plain], pairs: _Pairs) -> Table:
    """Wins, draws and losses of everyone against everyone."""
    names = [each["player"] for each in ratings]
    columns = [Column("Player", "", classes="name", head=True)]
    columns += [Column(str(k + 1), "", classes="left") for k in range(len(names))]
    rows = []
    for k, name in enumerate(names):
        cells = [Cell(f"{k + 1}  {name}")]
        for other in names:
            found = pairs.of.get(name, {}).get(other)
            cells.append(Cell("" if name == other else "–" if found is None else _score(found)))
        rows.append(Row(cells))
    return Table("Wins–draws–losses of the player on the left against the one above", columns, rows)


def _score(found: tuple[int, int, int]) -> str:
    return "–".join(map(str, found))


def _advice(result: Plain) -> list[str]:
    lines = [
        f"To join groups: {each['player']} – {each['other']} (until each has scored against the "
        "other)"
        for each in result["joining"]
    ]
    lines += [
        f"{each['player']} – {each['other']}: ten games would remove {100 * each['gain']:.1f} % "
        "of the uncertainty"
        for each in result["suggestions"]
        if each["gain"] >= 0.001
    ]
    return lines
