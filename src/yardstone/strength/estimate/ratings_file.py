"""A table of players with what a site says of them."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from yardstone.errors import InputError, NoGamesError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import clean, decode
from yardstone.strength.estimate.players import plain_name

__all__ = ["RatedPlayer", "read_ratings"]

_LARGEST = 64 << 20
_MEND = "the first line names the columns: player,rating and, where known, estimate"


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player of a site.

    Attributes
    ----------
    player : str
    rating : float
        What the site says.
    estimate : float or None
        On the Fox scale, where the table has it.
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
    try:
        with Path(path).open("rb") as opened:
            content = opened.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from None
    if len(content) > _LARGEST:
        raise InputError(f"is larger than {_LARGEST >> 20} MB", file=file)
    text = decode(content.removeprefix(b"\xef\xbb\xbf"))
    header, _, _ = text.partition("\n")
    delimiter = max(",;\t", key=header.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise InputError(f"is no table: {error}", file=file, hint=_MEND) from None
    names = [clean(name).lower() for name in rows[0]] if rows else []
    if "player" not in names or "rating" not in names:
        raise InputError("there are no columns player and rating", file=file, line=1, hint=_MEND)
    players: dict[str, RatedPlayer] = {}
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        reason = _read_row(dict(zip(names, row, strict=False)), players)
        if reason is not None:
            report.add(Skipped(file, line, reason))
    if not players:
        raise NoGamesError("there is no player with a rating in it", file=file, hint=_MEND)
    return list(players.values())


def _read_row(cells: dict[str, str], players: dict[str, RatedPlayer]) -> str | None:
    """Add a player; or say why the row cannot be used."""
    player = clean(cells.get("player", ""))
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
