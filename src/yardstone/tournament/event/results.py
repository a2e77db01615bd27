"""Results: one, or a whole sheet of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from yardstone.errors import InputError, UsageError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.results import SCORES, meanings, normalized, pair_of
from yardstone.tournament.event.changes import EventChange, check_planned, refused, unchanged
from yardstone.tournament.model import Game, Result, Tournament

__all__ = ["GameResult", "find_game", "parse_score", "score_of", "set_result", "set_results"]

#: So many tables without a result are named.
_TABLES = 8
_FORFEIT = re.compile(r" ?\(?(?:ff?|!|forfeit|by forfeit|by default)\)?$")
#: Points of the first-named and of the other player.
_SCORES: Mapping[tuple[float, float], Result] = MappingProxyType(
    {
        (1.0, 0.0): Result.first_wins,
        (0.0, 1.0): Result.second_wins,
        (0.5, 0.5): Result.draw,
        (0.0, 0.0): Result.both_lose,
        (1.0, 1.0): Result.both_win,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """A result as somebody reports it.

    Attributes
    ----------
    result : Result
        Of the game as it stands on the wall: its first-named player is the one who
        moves first.
    forfeit : bool
        Decided without play.
    round : int
    table : int or None
        Table of the game.
    players : pair of int, or None
        Both players by number instead; then the result is that of the first one named.
    line : int
        Where a sheet says it; 0 if unknown.
    """

    result: Result
    forfeit: bool = False
    round: int
    table: int | None = None
    players: tuple[int, int] | None = None
    line: int = 0


def parse_score(text: str) -> tuple[Result, bool]:
    """A result, and whether it is one by forfeit, from ``1-0`` and the like.

    The first-named player comes first: ``1-0``, ``0-1``, ``½-½`` (or ``0.5-0.5``,
    ``1/2-1/2``, ``=``), ``0-0`` if both lose, ``1-1`` if both win, ``?`` if it is open
    again. A forfeit has an F or ! behind it, or is written ``+--``, ``--+``, ``---``.

    Raises
    ------
    UsageError
        It is no such text.

    Examples
    --------
    >>> parse_score("1-0"), parse_score("0-1 F")
    ((<Result.first_wins: 'first wins'>, False), (<Result.second_wins: 'second wins'>, True))
    """
    key = normalized(text)
    if key == "?":
        return Result.unknown, False
    plain, forfeits = _FORFEIT.subn("", key)
    points = pair_of(plain)
    if points is not None:
        forfeits += plain[0] in "+-"
    elif (value := (said := meanings(plain)).get("", said.get("points"))) is not None:
        points = (SCORES[value], SCORES[-value])
    result = None if points is None else _SCORES.get(points)
    if result is None:
        raise UsageError(
            f"{text!r} is not a result: write 1-0, 0-1, ½-½ (or 0.5-0.5), 0-0 if both lose, "
            "with an F behind it for a forfeit, ? if it is open"
        )
    return result, bool(forfeits)


def score_of(result: Result, *, forfeit: bool = False) -> str:
    """The inverse of `parse_score`.

    Examples
    --------
    >>> score_of(Result.draw), score_of(Result.second_wins, forfeit=True), score_of(Result.unknown)
    ('½-½', '0-1 F', '?')
    """
    if result is Result.unknown:
        return "?"
    one, two = ("½" if points == 0.5 else f"{points:.0f}" for points in result.points)
    return f"{one}-{two}{' F' if forfeit else ''}"


def find_game(
    tournament: Tournament,
    round_number: int,
    *,
    table: int | None = None,
    players: tuple[int, int] | None = None,
) -> Game:
    """The game of a round at a table, or between two players.

    Raises
    ------
    InputError
        There is none.
    """
    check_planned(tournament, round_number)
    games = tournament.round_games(round_number)
    if not games:
        raise refused(tournament, f"round {round_number} is not paired yet", hint="pair it first")
    if players is not None:
        candidates = [g for g in games if {g.first, g.second} == set(players)]
        names = " and ".join(tournament.players[row].full_name for row in players)
        missing = f"{names} do not meet in round {round_number}"
    else:
        candidates = [g for g in games if g.table == table]
        missing = f"round {round_number} has no table {table}"
    if not candidates:
        tables = f"tables {games[0].table} to {games[-1].table}"
        raise refused(tournament, missing, hint=f"it has {tables}")
    if len(candidates) > 1:
        raise refused(tournament, f"round {round_number} has {len(candidates)} tables {table}")
    return candidates[0]


def set_result(
    tournament: Tournament,
    result: GameResult,
    *,
    replace_other: bool = False,
) -> EventChange:
    """Set the result of one game.

    Parameters
    ----------
    tournament : Tournament
    result : GameResult
    replace_other : bool
        Whether another result of the game may be replaced.

    Raises
    ------
    InputError
        There is no such game, it has another result, or it is a draw at a komi with a half.
    """
    game = find_game(tournament, result.round, table=result.table, players=result.players)
    turned = result.players is not None and result.players[0] != game.first
    value = result.result.reversed if turned else result.result
    played = value is Result.draw and not result.forfeit
    if played and value is not game.result and not tournament.can_be_drawn(game):
        komi = tournament.komi if game.komi is None else game.komi
        raise refused(
            tournament,
            f"{_where(tournament, game)} cannot be drawn at komi {komi:g}",
            hint="1-0 or 0-1 says who won; ½-½ F gives half a point to both without a game",
        )
    made = replace(game, result=value, forfeit=result.forfeit and value is not Result.unknown)
    sentence = _sentence(tournament, made)
    if (made.result, made.forfeit) == (game.result, game.forfeit):
        return unchanged(tournament, f"{sentence} already.")
    if game.result is not Result.unknown and not replace_other:
        raise refused(
            tournament,
            f"{_where(tournament, game)} has the result "
            f"{score_of(game.result, forfeit=game.forfeit)}, not {_score(made)}",
            hint="--replace if that was wrong",
        )
    games = tuple(made if each is game else each for each in tournament.games)
    after = replace(tournament, games=games)
    return EventChange(tournament=after, lines=(f"{sentence}.", _open(after, result.round)))


def set_results(
    tournament: Tournament,
    results: Iterable[GameResult],
    *,
    replace_other: bool = False,
    source: str = "",
) -> EventChange:
    """Set the results of a sheet; those that cannot be set are left out and counted.

    Parameters
    ----------
    tournament : Tournament
    results : iterable of GameResult
    replace_other : bool
        Whether other results may be replaced.
    source : str
        The sheet that the lines of the results are of.
    """
    made, new, same = tournament, 0, 0
    rounds: set[int] = set()
    skipped = SkipReport()
    for each in results:
        try:
            change = set_result(made, each, replace_other=replace_other)
        except InputError as error:
            skipped.add(Skipped(source or tournament.file, each.line, error.message), kind="result")
            continue
        rounds.add(each.round)
        made, new, same = change.tournament, new + change.made, same + (not change.made)
    lines = [f"Entered {new} {'result' if new == 1 else 'results'}."]
    if same:
        lines = [*(lines if new else []), f"{same} {'was' if same == 1 else 'were'} there already."]
    lines += [_open(made, number) for number in sorted(rounds)]
    return EventChange(tournament=made, lines=tuple(lines), made=bool(new), skipped=skipped)


def _score(game: Game) -> str:
    return score_of(game.result, forfeit=game.forfeit)


def _where(tournament: Tournament, game: Game) -> str:
    one, two = (tournament.players[row].full_name for row in (game.first, game.second))
    return f"round {game.round}, table {game.table}, {one} - {two},"


def _sentence(tournament: Tournament, game: Game) -> str:
    where = _where(tournament, game).rstrip(",")
    text = f"{where}: " + ("no result" if game.result is Result.unknown else _score(game))
    return text[0].upper() + text[1:]


def _open(tournament: Tournament, number: int) -> str:
    """How many results of a round are missing."""
    games = tournament.round_games(number)
    missing = [game for game in games if game.result is Result.unknown]
    if not missing:
        return f"Round {number} is complete."
    tables = ", ".join(str(game.table) for game in missing[:_TABLES])
    more = ", …" if len(missing) > _TABLES else ""
    if len(missing) == 1:
        return f"Round {number}: 1 result to come (table {tables})."
    return f"Round {number}: {len(missing)} results to come (tables {tables}{more})."
