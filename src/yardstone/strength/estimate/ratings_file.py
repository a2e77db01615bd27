"""A table of players with what a site says of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import isfinite

from yardstone.errors import NoGamesError
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.csv_table import csv_rows
from yardstone.strength.estimate.players import plain_name

__all__ = ["RatedPlayer", "read_ratings"]

_HINT = "the first line names the columns: player,rating and, where known, estimate"


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player of a site.

    Attributes
    ----------
    player : str
    rating : float
        What the site says.
    estimate : float or None
        On the scale of the model, where the table has it.
    """

    player: str
    rating: float
    estimate: float | None = None


def read_ratings(
    path: str | os.PathLike[str], skipped: SkipReport | None = None
) -> list[RatedPlayer]:
    """Read a table with the columns ``player``, ``rating`` and perhaps ``estimate``.

    Parameters
    ----------
    path : path
        CSV, with commas, semicolons or tabs.
    skipped : SkipReport, optional
        Takes the rows that cannot be used.

    Raises
    ------
    InputError
        The file cannot be read, or lacks a column.
    NoGamesError
        There is no player in it.
    """
    file = os.fspath(path)
    report = SkipReport() if skipped is None else skipped
    players: dict[str, RatedPlayer] = {}
    for line, row in csv_rows(path, ("player", "rating"), _HINT):
        reason = _read_row(row, players)
        if reason is not None:
            report.add(Skipped(file, line, reason))
    if not players:
        raise NoGamesError("there is no player with a rating in it", file=file, hint=_HINT)
    return list(players.values())


def _read_row(cells: dict[str, str], players: dict[str, RatedPlayer]) -> str | None:
    """Add a player; or say why the row cannot be used."""
    player = cells.get("player", "")
    if not plain_name(player):
        return "there is no name"
    if plain_name(player) in players:
        return "the player stands there already"
    numbers: dict[str, float | None] = {}
    for name in ("rating", "estimate"):
        text = cells.get(name, "").strip()
        try:
            value = float(text) if text else None
        except ValueError:
            return f"the {name} is not a number"
        if value is not None and not isfinite(value):
            return f"the {name} is not a number"
        numbers[name] = value
    rating = numbers["rating"]
    if rating is None:
        return "there is no rating"
    players[plain_name(player)] = RatedPlayer(player, rating, numbers["estimate"])
    return None
