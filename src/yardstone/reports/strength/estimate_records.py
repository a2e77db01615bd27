"""An estimate of strength as rows of CSV and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from yardstone.reports.document import Column, Table

__all__ = ["estimate_records", "mean_loss"]

#: A mean loss of fewer moves than this is not shown.
_FEWEST = 10

Plain = Mapping[str, Any]


def mean_loss(losses: Sequence[float | None]) -> float | None:
    """Mean loss while the game was not decided; None if that were too few moves."""
    known = [loss for loss in losses if loss is not None]
    return round(sum(known) / len(known), 3) if len(known) >= _FEWEST else None


def estimate_records(plain: Plain) -> Table:
    """A row for all games together, one for each phase, and one for each game."""
    strength = ("rank", "rating", "low", "high")
    facts = ("file", "line", "date", "opponent", "colour", "result", "won", "moves")

    def shown(part: Plain) -> dict[str, Any]:
        return {name: part[name] for name in strength}

    same = {name: plain[name] for name in ("player", "scale", "level")}
    losses = [value for game in plain["by_game"] for value in game["loss"]]
    rows = [
        {**same, "part": "all", "games": plain["games"], "moves": plain["moves"], **shown(plain)}
        | {"points_lost": mean_loss(losses)}
    ]
    rows += [
        {**same, "part": "phase", "phase": part["phase"], "moves": part["moves"], **shown(part)}
        for part in plain["phases"]
    ]
    rows += [
        {**same, "part": "game", "games": 1, **{name: game[name] for name in facts}, **shown(game)}
        | {f"running_{name}": value for name, value in shown(game["running"]).items()}
        | {"points_lost": mean_loss(game["loss"])}
        for game in plain["by_game"]
    ]

    def cell(name: str) -> Callable[[Mapping[str, Any]], Any]:
        return lambda row: row.get(name)

    return Table([Column(name, cell(name), kind=kind) for name, kind in _KINDS.items()], rows)


#: Columns of CSV and Parquet.
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("player", "scale"), "text"),
    "level": "number",
    **dict.fromkeys(("part", "phase", "file"), "text"),
    "line": "integer",
    **dict.fromkeys(("date", "opponent", "colour", "result", "won"), "text"),
    **dict.fromkeys(("games", "moves"), "integer"),
    "rank": "text",
    **dict.fromkeys(("rating", "low", "high"), "number"),
    "running_rank": "text",
    **dict.fromkeys(("running_rating", "running_low", "running_high", "points_lost"), "number"),
}
