"""What the page shows of analysed backgammon matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from yardstone.backgammon.error_rates import KINDS, Errors
from yardstone.reports.statements import plural
from yardstone.reports.svg_charts import Span, Tick, curve_chart, nice_ticks
from yardstone.web.pages.tables import Cell, Column, Row, Table, number_cell, text_cell

__all__ = ["TREND_MATCHES", "backgammon_view"]

#: A curve of the ratings is drawn of players with so many matches.
TREND_MATCHES = 5
#: Players whose curves are drawn.
_TRENDS = 4
#: How many errors of each kind, by the names of the sums.
_NUMBERS = {
    "chequer": "chequer_errors",
    "missed_double": "missed_doubles",
    "wrong_double": "wrong_doubles",
    "wrong_take": "wrong_takes",
    "wrong_pass": "wrong_passes",
}

Plain = Mapping[str, Any]


def _errors(row: Plain, ending: str = "") -> Errors:
    """The sums in a row, whose names may end in the number of a side."""
    names = [field.name for field in fields(Errors) if field.name + ending in row]
    return Errors(**{name: row[name + ending] for name in names})


def backgammon_view(result: Plain) -> dict[str, Any]:
    """What the template wants of what ``backgammon analyse --format json`` has."""
    players = result["players"]
    names = [each["player"] for each in players]
    matches = len(result["matches"])
    level = f"{100 * result['confidence']:g} %"
    return {
        "title": " and ".join(names) if len(names) <= 2 else plural(len(names), "player"),
        "headline": (
            f"{plural(matches, 'match', 'matches')} of {plural(len(names), 'player')}, analysed "
            f"by GNU Backgammon {result['gnubg']} at {plural(result['plies'], 'ply', 'plies')}"
        ),
        "players": _players(players, level),
        "notes": [
            f"Rating: perfect play is {result['offset']:g}; the mean of what the "
            f"{result['formula']} formula says of each match, with its {level} "
            "interval; a single match has none.",
            "EPM and EPC: equity lost a chequer decision and a cube decision, in thousandths of "
            "equity. PR: equity lost a decision, times 500.",
        ],
        "luck": _luck(players, level),
        "kinds": _kinds(players),
        "trends": [
            _trend(each, level)
            for each in players
            if sum(match["rating"] is not None for match in each["trend"]) >= TREND_MATCHES
        ][:_TRENDS],
        "matches": _matches(result),
        "blunders": _blunders(result["blunders"]),
    }


def _name_column() -> Column:
    return Column("Player", "text", "ascending", classes="name", head=True)


def _ends(found: Plain) -> Cell:
    ends = [number_cell(found[end]).text for end in ("low", "high")]
    return Cell("–" if "–" in ends else f"{ends[0]} to {ends[1]}")


def _scaled(value: float | None, scale: float, digits: int) -> Cell:
    return number_cell(None if value is None else scale * value, digits)


def _players(players: Sequence[Plain], level: str) -> Table:
    columns = [
        _name_column(),
        Column("Matches", sorted="descending"),
        Column("Won", classes="extra"),
        Column("Lost", classes="extra"),
        Column("Rating"),
        Column(f"{level} interval", ""),
        Column("To perfect play", classes="extra"),
        Column("EPM", first="ascending"),
        Column("EPC", first="ascending"),
        Column("PR", first="ascending"),
    ]
    rows = [
        Row(
            [
                text_cell(each["player"]),
                number_cell(each["matches"]),
                number_cell(each["won"]),
                number_cell(each["lost"]),
                number_cell(each["rating"]["value"]),
                _ends(each["rating"]),
                number_cell(each["relative"]["value"], sign=True),
                _scaled(each["epm"], 1000.0, 1),
                _scaled(each["epc"], 1000.0, 1),
                number_cell(each["pr"], 2),
            ]
        )
        for each in players
    ]
    return Table("Players, those with the most matches first", columns, rows)


def _luck(players: Sequence[Plain], level: str) -> Table:
    columns = [
        _name_column(),
        Column("Luck a move"),
        Column("Luck in all"),
        Column("Luck-adjusted result %"),
        Column("Luck-adjusted points"),
        Column(f"{level} interval", "", classes="extra"),
    ]
    rows = []
    for each in players:
        adjusted, score = each["luck_adjusted"], each["luck_adjusted_score"]["value"]
        ends = [number_cell(adjusted[end], sign=True).text for end in ("low", "high")]
        rows.append(
            Row(
                [
                    text_cell(each["player"]),
                    number_cell(each["luck_per_move"], 4, sign=True),
                    number_cell(each["luck"], 2, sign=True),
                    _scaled(score, 100.0, 1),
                    number_cell(adjusted["value"], sign=True),
                    Cell("–" if "–" in ends else f"{ends[0]} to {ends[1]}"),
                ]
            )
        )
    return Table("Luck of the dice, in points of normalised equity", columns, rows)


def _kinds(players: Sequence[Plain]) -> Table:
    columns = [_name_column(), Column("Decisions"), Column("Equity lost", first="ascending")]
    columns += [Column(words.capitalize(), first="ascending") for words in KINDS.values()]
    rows = []
    for each in players:
        errors = _errors(each)
        whole = errors.chequer + errors.cube
        cells = [
            text_cell(each["player"]),
            number_cell(errors.decisions),
            number_cell(whole, 3),
        ]
        for name in KINDS:
            number, share = each[_NUMBERS[name]], 100.0 * each[name] / whole if whole else 0.0
            cells.append(Cell(f"{number:,} ({share:.0f} %)", number))
        rows.append(Row(cells))
    return Table("Errors by kind of decision, with their share of the equity lost", columns, rows)


def _trend(player: Plain, level: str) -> dict[str, Any]:
    spans = [
        None
        if (mean := match["moving_mean"])["value"] is None
        else Span(mean["value"], mean["low"], mean["high"])
        for match in player["trend"]
    ]
    known = [span for span in spans if span is not None]
    # The first means rest upon two or three matches: their intervals would flatten the rest.
    settled = known[min(2, len(known) - 1) :]
    low = min(span.value if span.low is None else span.low for span in settled)
    high = max(span.value if span.high is None else span.high for span in settled)
    feet = [tick for tick in nice_ticks(1, len(spans)) if tick.value == int(tick.value)]
    name = player["player"]
    return {
        "title": f"How the rating of {name} moved",
        "words": f"Mean rating of the last 20 matches, with its {level} interval.",
        "picture": curve_chart(
            f"Moving mean of the rating of {name} over {len(spans)} matches, "
            f"{settled[0].value:.0f} at first and {settled[-1].value:.0f} at last.",
            spans,
            nice_ticks(low, high, 5),
            low,
            high,
            across=[Tick(tick.value, f"match {tick.label}") for tick in feet],
            start=1.0,
            dots=len(spans) <= 60,
        ),
    }


def _matches(result: Plain) -> Table:
    columns = [
        Column("Match", "text", "ascending", classes="name", head=True),
        Column("Date", "text", classes="left extra"),
        Column("Length", classes="extra"),
        Column("Players", "text", "ascending", classes="name"),
        Column("Points", "", classes="extra"),
        Column("Ratings", ""),
        Column("PR", ""),
        Column("Luck", "", classes="extra"),
    ]
    ratings = _match_ratings(result["players"])
    rows = []
    for match in result["matches"]:
        sides = (1, 2)
        names = [match[f"player_{side}"] for side in sides]
        errors = [_errors(match, f"_{side}") for side in sides]
        found = [
            number_cell(ratings.get((name, match["file"], match["date"]))).text for name in names
        ]
        rows.append(
            Row(
                [
                    text_cell(match["file"].rpartition("/")[2]),
                    text_cell(match["date"]),
                    number_cell(match["length"]) if match["length"] else Cell("money", 0),
                    text_cell(" – ".join(names)),
                    Cell("–".join(str(match[f"points_{side}"]) for side in sides)),
                    Cell(" / ".join(found)),
                    Cell(" / ".join(number_cell(each.pr, 2).text for each in errors)),
                    Cell(" / ".join(number_cell(each.luck, 2, sign=True).text for each in errors)),
                ]
            )
        )
    return Table("Both players’ figures, in the order of their names", columns, rows)


def _match_ratings(players: Sequence[Plain]) -> dict[tuple[str, str, str | None], float | None]:
    return {
        (player["player"], match["file"], match["date"]): match["rating"]
        for player in players
        for match in player["trend"]
    }


def _blunders(blunders: Sequence[Plain]) -> Table:
    columns = [
        Column("Lost", sorted="descending"),
        Column("Player", "text", "ascending", classes="name", head=True),
        Column("Kind", "text", "ascending", classes="left"),
        Column("Dice", "", classes="left"),
        Column("Played", "", classes="left"),
        Column("Best", "", classes="left"),
        Column("Where", "text", "ascending", classes="left extra"),
        Column("Position ID:Match ID", "", classes="left extra"),
    ]
    rows = [
        Row(
            [
                number_cell(each["error"], 3),
                text_cell(each["player"]),
                text_cell(each["kind"]),
                text_cell("".join(map(str, each["dice"]))),
                text_cell(each["played"]),
                text_cell(each["best"]),
                text_cell(f"{each['file'].rpartition('/')[2]}, game {each['game']}"),
                text_cell(f"{each['position']}:{each['match']}"),
            ]
        )
        for each in blunders
    ]
    return Table("Equity lost, the most first", columns, rows)
