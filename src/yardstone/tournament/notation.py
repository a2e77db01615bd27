"""How scores and results are written in tables and files: 36½, 12+/b0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from yardstone.tournament.model import Result, System
from yardstone.tournament.standings_table import Criterion, Standings, points_without_game

_QUARTERS = {0.25: "¼", 0.5: "½", 0.75: "¾"}


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names as a sentence has them, the first ones only where there are many."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def score_text(criterion: Criterion, value: float) -> str:
    """A score as people write it: 36½, ranks as grades."""
    return (criterion.show or number_text)(value) if isfinite(value) else "-"


def number_text(value: float) -> str:
    """A number whose quarters are written as such: 36½, ¼."""
    sign, whole = ("-" if value < 0 else ""), int(abs(value))
    rest = abs(value) - whole
    if rest in _QUARTERS:
        return f"{sign}{whole or ''}{_QUARTERS[rest]}"
    return f"{value:g}" if rest else f"{sign}{whole}"


def score_of(result: Result, *, forfeit: bool = False) -> str:
    """The inverse of `yardstone.tournament.event.rounds.parse_score`.

    Examples:
        >>> score_of(Result.draw), score_of(Result.second_wins, forfeit=True)
        ('½-½', '0-1 F')
        >>> score_of(Result.unknown)
        '?'
    """
    if result is Result.unknown:
        return "?"
    one, two = ("½" if points == 0.5 else f"{points:.0f}" for points in result.points)
    return f"{one}-{two}{' F' if forfeit else ''}"


def result_text(
    table: Standings,
    row: int,
    number: int,
    places: Mapping[int, int],
    *,
    keep_forfeits: bool = True,
) -> str:
    """What happened to a player in a round, opponents by their `places`: 12+/b0, 7-!w0, 0=."""
    tournament = table.tournament
    game = tournament.game_of.get((number, row))
    if game is not None and (keep_forfeits or not game.forfeit):
        opponent = places.get(game.opponent(row), 0)
        sign = "?" if game.result is Result.unknown else _sign(game.points(row))
        mark = "!" if game.forfeit else "/"
        colour = ("b" if row == game.first else "w") if game.known_colour else "?"
        return f"{opponent}{sign}{mark}{colour}{min(game.handicap, 9)}"
    if game is not None:
        return "0="
    points = points_without_game(tournament, row, number)[tournament.system is System.mcmahon]
    return "0" + _sign(points if points in (0.5, 1) else 0.0)


def _sign(points: float) -> str:
    return "+" if points == 1 else "=" if points else "-"
