"""Ratings over time in words, as rows and as plain values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.evaluation.curves import Curve
    from yardstone.evaluation.findings import Findings
    from yardstone.evaluation.interval_scale import IntervalScale
    from yardstone.evaluation.rated_games import RatedGames

__all__ = [
    "CSV_COLUMNS",
    "History",
    "csv_history",
    "curve_reach",
    "game_text",
    "plain_history",
    "present_reach",
]

#: Version of the shape of `plain_history`; keys are only ever added to one.
FORMAT = 1
#: Columns of the games of the chosen players, with their types in SQL.
CSV_COLUMNS = {
    "player": "VARCHAR",
    "number": "BIGINT",
    "game": "BIGINT",
    "time": "TIMESTAMP",
    "opponent": "VARCHAR",
    "first": "BOOLEAN",
    "score": "DOUBLE",
    "expected": "DOUBLE",
    "rating": "DOUBLE",
    "deviation": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "after": "DOUBLE",
}


@dataclass(frozen=True, eq=False)
class History:
    """What a report of ratings over time shows; frozen.

    Attributes
    ----------
    rated : RatedGames
        All games and ratings.
    curves : sequence of Curve
        Of the chosen players.
    confidence : float
        Level of the bands, 0 to 1.
    top : int
        Players in the list of present ratings; 0 shows all.
    settled : int
        Players with fewer games are not in that list, unless all have fewer.
    findings : Findings, optional
        What a person should look at, if it was asked for.
    notes : sequence of str
    scale : IntervalScale, optional
        How many of the system's deviations its intervals must reach to hold; without
        it there are no intervals.
    """

    rated: RatedGames
    curves: Sequence[Curve]
    confidence: float = 0.95
    top: int = 20
    settled: int = 0
    findings: Findings | None = None
    notes: Sequence[str] = ()
    scale: IntervalScale | None = None

    def reach(self, games: ArrayLike) -> NDArray[np.float64]:
        """Deviations on either side of a rating after so many games; NaN without intervals."""
        if self.scale is None:
            return np.full(np.shape(games), np.nan)
        return self.scale.reach(games)

    def listed(self) -> list[int]:
        """Numbers of the best players in the list of present ratings, strongest first."""
        ratings = self.rated.ratings
        played = dict(zip(self.rated.pool.players, self.rated.pool.played(), strict=True))
        games = np.array([played.get(name, 0) for name in ratings.players], np.int64)
        enough = games >= max(self.settled, 1)
        if not enough.any():
            enough = games >= 1
        order = ratings.order()
        found: list[int] = order[enough[order] & np.isfinite(ratings.rating[order])].tolist()
        return found[: self.top] if self.top else found


def headline(history: History) -> str:
    """What was rated how."""
    pool = history.rated.pool
    text = f"{len(pool):,} games of {int((pool.played() > 0).sum()):,} players"
    if pool.time is not None and len(pool):
        text += f", {str(pool.time[0])[:10]} to {str(pool.time[-1])[:10]}"
    return f"{text}, rated by {history.rated.name}"


def game_text(rated: RatedGames, game: int) -> str:
    """A game in a few words: its number, date, players and result."""
    pool = rated.pool
    score = {1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}[float(pool.score[game])]
    names = f"{pool.players[pool.first[game]]} {score} {pool.players[pool.second[game]]}"
    when = "" if pool.time is None else f"{str(pool.time[game])[:10]}  "
    return f"{when}{names}"


def rows(history: History) -> Iterator[dict[str, Any]]:
    """A row for each game of each chosen player; None where nothing is known."""
    for curve in history.curves:
        reach = curve_reach(history, curve)
        for place in range(len(curve)):
            rating, deviation = float(curve.rating[place]), float(curve.deviation[place])
            known = isfinite(deviation)
            off = float(reach[place])
            yield {
                "player": curve.player,
                "number": place + 1,
                "game": int(curve.game[place]) + 1,
                "time": None if curve.time is None else str(curve.time[place]),
                "opponent": curve.opponents[place],
                "first": bool(curve.first[place]),
                "score": float(curve.score[place]),
                "expected": float(curve.expected[place]),
                "rating": rating,
                "deviation": deviation if known else None,
                "low": rating - off if isfinite(off) else None,
                "high": rating + off if isfinite(off) else None,
                "after": float(curve.after[place]),
            }


def curve_reach(history: History, curve: Curve) -> NDArray[np.float64]:
    """Half the width of the interval before each game and after the last; NaN without one.

    Whole histories look back: all games of a player count for each of his days.
    """
    games = np.arange(len(curve) + 1)
    if history.rated.name == "whr":
        games = np.full(len(curve) + 1, len(curve))
    deviation = np.append(curve.deviation, curve.final_deviation)
    return np.asarray(history.reach(games) * deviation, np.float64)


def csv_history(history: History) -> str:
    """The games of the chosen players as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(CSV_COLUMNS), lineterminator="\n")
    writer.writeheader()
    for row in rows(history):
        writer.writerow({**row, "first": str(row["first"]).lower()})
    return out.getvalue()


def plain_history(history: History) -> dict[str, Any]:
    """The report as dictionaries, lists, numbers, strings and None."""
    rated = history.rated
    games: dict[str, list[dict[str, Any]]] = {curve.player: [] for curve in history.curves}
    for row in rows(history):
        games[row.pop("player")].append(row)
    pool = rated.pool
    now = present_reach(history)
    found: dict[str, Any] = {
        "format": FORMAT,
        "system": rated.name,
        "parameters": dict(rated.parameters),
        "confidence": history.confidence,
        "games": len(pool),
        "players": int((pool.played() > 0).sum()),
        "replayed": rated.replayed,
        "ratings": [_present(history, row, float(now[row])) for row in history.listed()],
        "curves": [
            {
                "player": curve.player,
                "final": {
                    "rating": float(curve.after[-1]),
                    "deviation": _finite(curve.final_deviation),
                    "low": _finite(float(curve.after[-1] - curve_reach(history, curve)[-1])),
                    "high": _finite(float(curve.after[-1] + curve_reach(history, curve)[-1])),
                },
                "games": games[curve.player],
            }
            for curve in history.curves
        ],
        "notes": list(history.notes),
    }
    if history.findings is not None:
        found["findings"] = _plain_findings(rated, history.findings)
    return found


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def present_reach(history: History) -> NDArray[np.float64]:
    """Half the width of each player's interval now, in the order of the ratings."""
    ratings = history.rated.ratings
    played = dict(zip(history.rated.pool.players, history.rated.pool.played(), strict=True))
    games = np.array([played.get(name, 0) for name in ratings.players], np.int64)
    return history.reach(games) * ratings.deviation


def _present(history: History, row: int, reach: float) -> dict[str, Any]:
    ratings = history.rated.ratings
    rating = float(ratings.rating[row])
    return {
        "player": ratings.players[row],
        "rating": rating,
        "deviation": _finite(float(ratings.deviation[row])),
        "low": _finite(rating - reach),
        "high": _finite(rating + reach),
    }


def _plain_findings(rated: RatedGames, found: Findings) -> dict[str, Any]:
    pool = rated.pool
    last = found.last_game
    return {
        "provisional": [
            {"player": pool.players[row], "games": int(found.played[row])}
            for row in found.provisional
        ],
        "idle": [
            {
                "player": pool.players[row],
                "last_game": None if last is None else str(last[row]),
                "games": int(found.played[row]),
            }
            for row in found.idle
        ],
        "decided_games": found.decided,
        "swap_share": found.swap_share,
        "improbable": [
            {
                "game": item.game + 1,
                "time": None if pool.time is None else str(pool.time[item.game]),
                "first": pool.players[pool.first[item.game]],
                "second": pool.players[pool.second[item.game]],
                "score": float(pool.score[item.game]),
                "expected_of_winner": item.expected,
                "chance": item.chance,
                "swapped": item.swapped,
                "twin": None if item.twin is None else item.twin + 1,
            }
            for item in found.improbable
        ],
    }


def peak(curve: Curve) -> int:
    """The place of the game after which the rating was highest."""
    return int(np.argmax(curve.after))
