"""A rating list as one self-contained web page.

Nothing is fetched from elsewhere, and the page's own policy allows no style and
no script but the two it was made with: a script in a player's name stays text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.ratings.rating_list import STATUS_NAMES
from yardstone.ratings.result import Status
from yardstone.reports import statements
from yardstone.reports.columns import columns, rating_text

if TYPE_CHECKING:
    from jinja2 import Template

    from yardstone.ratings.rating_list import Group, RatingList

__all__ = ["html_list"]

#: Opponents shown for each player: the most played ones.
OPPONENTS = 50
#: Columns that a narrow screen leaves out.
_EXTRA = {"Range", "Games", "Score %", "Draws %"}


def html_list(report: RatingList, *, title: str = "Ratings", version: str = "") -> str:
    """The list as an HTML document that needs nothing but itself."""
    style, script = _asset("ratings.css"), _asset("ratings.js")
    games = _games(report)
    return _template().render(
        title=title,
        version=version,
        headline=statements.headline(report),
        basis=statements.basis(report),
        caveats=statements.caveats(report),
        advice=statements.advice(report),
        skipped=statements.skipped(report),
        headings=_headings(report),
        groups=[_group(report, group) for group in report.groups],
        opponents_limit=OPPONENTS if any(entry["more"] for entry in games["games"].values()) else 0,
        games=_embedded(games),
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


@cache
def _asset(name: str) -> str:
    return resources.files("yardstone.reports").joinpath("templates", name).read_text("utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(_asset("ratings.html.j2"))


def _hash(text: str) -> str:
    """What the page's policy calls a text that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(value: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _headings(report: RatingList) -> list[dict[str, str]]:
    found = []
    for column in columns(report):
        text = column.heading
        found.append(
            {
                "text": text,
                "kind": "text" if column.left else "number",
                "first": "ascending" if column.left or text in ("Rank", "Range") else "descending",
                "classes": "name" if column.left else "extra" if text in _EXTRA else "",
            }
        )
        if text == "±":
            bar = {"text": "Interval", "kind": "number", "first": "descending", "classes": "bar"}
            found.append(bar)
    return found


def _group(report: RatingList, group: Group) -> dict[str, Any]:
    ratings = report.ratings
    rows = [row for row in group.rows if isfinite(ratings.rating[row])]
    reach = np.nan_to_num(report.deviations * ratings.deviation[rows])
    low = float((ratings.rating[rows] - reach).min(initial=np.inf))
    high = float((ratings.rating[rows] + reach).max(initial=-np.inf))
    width = max(high - low, 1.0)

    def place(value: float) -> float:
        return round(2.0 + 96.0 * (value - low) / width, 2)

    title = ""
    if len(report.groups) > 1:
        title = f"Group {group.number}: {statements.plural(len(group.rows), 'player')}"
    middle = place(float(np.mean(ratings.rating[rows]))) if rows else 50.0
    return {
        "title": title,
        "middle": middle,
        "rows": [_row(report, row, place) for row in group.rows[: group.ranked]],
        "apart": [_row(report, row, place) for row in group.rows[group.ranked :]],
        "about_apart": statements.BOUNDS,
    }


def _row(report: RatingList, row: int, place: Any) -> dict[str, Any]:
    return {"number": row, "cells": _cells(report, row, place)}


def _cells(report: RatingList, row: int, place: Any) -> list[dict[str, Any]]:
    record = report.record(row)
    value = {
        "Rank": record["rank"],
        "Rating": record["rating"],
        "±": record["deviation"],
        "Range": record["rank_low"],
        "Games": record["games"],
        "Score %": record["score"],
        "Draws %": record["draws"] / record["games"] if record["games"] else None,
    }
    cells = []
    for column in columns(report):
        if column.left:
            cells.append({"kind": "name", "text": column.cell(row)})
            continue
        key = value[column.heading]
        cells.append(
            {
                "kind": "number",
                "text": column.cell(row),
                "value": "" if key is None else key,
                "classes": "extra" if column.heading in _EXTRA else "",
            }
        )
        if column.heading == "±":
            cells.append(_bar(report, row, place))
    return cells


def _bar(report: RatingList, row: int, place: Any) -> dict[str, Any]:
    rating = float(report.ratings.rating[row])
    if not isfinite(rating):
        return {"kind": "bar", "value": "", "at": None, "text": ""}
    status = Status(int(report.ratings.status[row]))
    reach = report.half_width(row)
    at = low = high = place(rating)
    text = rating_text(report, row)
    if status != Status.NORMAL:
        limit = float(report.limits[row])
        if not isfinite(limit):
            return {"kind": "bar", "value": rating, "at": None, "text": ""}
        at = min(max(place(limit), 0.0), 100.0)
        low, high = (at, 100.0) if status == Status.PERFECT_WINNER else (0.0, at)
        text = f"{STATUS_NAMES[status]} {limit:.0f}"
    elif isfinite(reach):
        low, high = place(rating - reach), place(rating + reach)
        text = f"{rating - reach:.0f} to {rating + reach:.0f}"
    return {
        "kind": "bar",
        "value": rating,
        "at": at,
        "low": low,
        "high": high,
        "bound": status != Status.NORMAL,
        "text": text,
    }


def _games(report: RatingList) -> dict[str, Any]:
    """Results against each opponent, the most played first and at most `OPPONENTS`."""
    counts, n = report.counts, len(report.ratings)
    low = np.minimum(counts.first, counts.second).astype(np.int64)
    high = np.maximum(counts.first, counts.second).astype(np.int64)
    pair, where = np.unique(low * n + high, return_inverse=True)
    forward = counts.first == low
    won = np.bincount(where, np.where(forward, counts.wins, counts.losses))
    lost = np.bincount(where, np.where(forward, counts.losses, counts.wins))
    drawn = np.bincount(where, counts.draws)
    low, high = pair // n, pair % n
    met: dict[int, list[tuple[int, int, int, int]]] = {row: [] for row in report.rows}
    for i, j, *results in zip(low, high, won, drawn, lost, strict=True):
        if i == j:
            continue
        wins, draws, losses = map(int, results)
        if i in met:
            met[i].append((int(j), wins, draws, losses))
        if j in met:
            met[j].append((int(i), losses, draws, wins))
    games = {}
    shown: set[int] = set()
    for row, against in met.items():
        against.sort(key=lambda result: (-sum(result[1:]), result[0]))
        most = against[:OPPONENTS]
        shown.update(result[0] for result in most)
        games[str(row)] = {"opponents": most, "more": len(against) - len(most)}
    players = {
        str(row): (report.ratings.players[row], rating_text(report, row)) for row in sorted(shown)
    }
    return {"players": players, "games": games}
