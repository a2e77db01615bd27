"""How scores and results are written in tables and files: 36½, 12+/b0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from yardstone.grades import format_grade
from yardstone.tournament.model import ByeKind, Game, Result, System, Tournament
from yardstone.tournament.standings_table import Criterion, Standings

_QUARTERS = {0.25: "¼", 0.5: "½", 0.75: "¾"}


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names as a sentence has them, the first ones only where there are many."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def score_text(criterion: Criterion, value: float) -> str:
    """A score as people write it: 36½, categories from 1."""
    if not isfinite(value):
        return "-"
    if criterion.name in ("CAT", "TPN"):
        return str(1 - round(value))
    if criterion.name == "RANK":
        return format_grade(round(value))
    return number_text(value)


def number_text(value: float) -> str:
    """A number whose quarters are written as such: 36½, ¼."""
    sign, whole = ("-" if value < 0 else ""), int(abs(value))
    rest = abs(value) - whole
    if rest in _QUARTERS:
        return f"{sign}{whole or ''}{_QUARTERS[rest]}"
    return f"{value:g}" if rest else f"{sign}{whole}"


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
        mark = "!" if game.forfeit else "/"
        colour = ("b" if row == game.first else "w") if game.known_colour else "?"
        return f"{opponent}{_sign(game, row)}{mark}{colour}{min(game.handicap, 9)}"
    if game is not None:
        return "0="
    return "0" + _free_sign(tournament, row, number)


def _sign(game: Game, row: int) -> str:
    if game.result is Result.unknown:
        return "?"
    points = game.points(row)
    return "+" if points == 1 else "=" if points else "-"


def _free_sign(tournament: Tournament, row: int, number: int) -> str:
    """Whether a round without a game brought a point, half a one or none."""
    rules = tournament.scoring
    mcmahon = tournament.system is System.mcmahon
    bye = tournament.bye_of.get((number, row))
    if bye is None:
        if number not in tournament.players[row].absent:
            return "-"
        points = rules.score_absent if mcmahon else rules.wins_absent
    elif bye.kind is ByeKind.paired:
        points = rules.score_bye if mcmahon else rules.wins_bye
    else:
        points = {ByeKind.full: 1.0, ByeKind.half: 0.5}.get(bye.kind, 0.0)
    return "+" if points == 1 else "=" if points == 0.5 else "-"
