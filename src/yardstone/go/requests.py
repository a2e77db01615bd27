"""From recorded games to questions for a network; what cannot be asked is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from yardstone.errors import InputError, NoGamesError, StrictError
from yardstone.go.conditions import Conditions, conditions_of
from yardstone.go.evaluator import NetworkQuestion
from yardstone.go.points import PASS, colour_name, point_name
from yardstone.pool import Skipped, SkipReport

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network
    from yardstone.go.rules import Rules
    from yardstone.records.go_game import GoGame

__all__ = [
    "GameSubject",
    "Positions",
    "ask",
    "describe_illegal",
    "moves_before_passes",
    "require_games",
]

#: Gives the numbers of the positions of a game that are wanted.
Positions: TypeAlias = "Callable[[GoGame], NDArray[np.int32]]"


@dataclass(frozen=True, slots=True)
class GameSubject:
    """What a question is about: a game, and how the network is shown it."""

    game: GoGame
    conditions: Conditions


def ask(
    games: Iterable[GoGame],
    skipped: SkipReport,
    network: Network,
    *,
    rules: Rules | None = None,
    komi: float | None = None,
    positions: Positions | None = None,
    trunk: bool = False,
    whole: bool = False,
) -> Iterator[NetworkQuestion]:
    """Make a question of each game.

    Parameters
    ----------
    games : iterable of GoGame
    skipped : SkipReport
        Takes the games that cannot be shown to the network, with the reason.
    network : Network
        That is to be asked.
    rules, komi : optional
        For all games, in place of their own (`conditions_of`).
    positions : callable, optional
        Gives the numbers of the positions of a game that are wanted; by default all.
    trunk : bool
        Ask for the features of each move at its point.
    whole : bool
        Leave a game out as soon as one of its moves is illegal; otherwise what
        comes before that move is asked about.
    """
    from yardstone.go.inputs import encode_game

    for game in games:
        try:
            wanted = conditions_of(game, rules=rules, komi=komi)
            conditions = network.asked(wanted, game.size)
            encoded = encode_game(
                game.size,
                game.setup_black,
                game.setup_white,
                game.moves,
                game.colours,
                conditions.komi,
                conditions.rules,
                positions=None if positions is None else positions(game),
                to_play=None if len(game.moves) else game.to_play,
                packed=True,
            )
        except InputError as error:
            skipped.add(Skipped(game.file, game.line, error.message))
            continue
        if encoded.illegal_at >= 0 and (whole or not len(encoded)):
            reason = describe_illegal(game, encoded.illegal_at)
            skipped.add(Skipped(game.file, game.line, reason), kind="an illegal move")
            continue
        points = None
        if trunk:
            points = np.append(game.moves, PASS)[encoded.positions].astype(np.int16)
            points[np.isin(encoded.positions, encoded.breaches)] = PASS
        yield NetworkQuestion(encoded, conditions.rules, points, GameSubject(game, conditions))


def describe_illegal(game: GoGame, move: int) -> str:
    """Say which move cannot be played; `move` counts from 0."""
    point = int(game.moves[move])
    inside = PASS <= point < game.size**2
    where = point_name(point, game.size) if inside else "outside the board"
    return f"move {move + 1} is illegal ({colour_name(int(game.colours[move]))} {where})"


def moves_before_passes(game: GoGame) -> int:
    """Number of moves before the passes at the end of a game."""
    stones = np.flatnonzero(game.moves != PASS)
    return int(stones[-1]) + 1 if len(stones) else 0


def require_games(number: int, skipped: SkipReport, *, strict: bool = False) -> None:
    """Refuse to go on if no game could be used, or with `strict` if any could not.

    Raises
    ------
    NoGamesError, StrictError
    """
    if not len(skipped):
        if not number:
            raise NoGamesError("there are no games")
        return
    first = skipped.details[0]
    if strict:
        raise StrictError(first.reason, file=first.file, line=first.line or None)
    if not number:
        reason = f"no game can be used: {first.reason}"
        raise NoGamesError(reason, file=first.file, line=first.line or None)
