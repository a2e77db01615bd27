"""The strength of a player from games of Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.records.sgf import SgfReader
from yardstone.web.problems import Problem
from yardstone.web.tasks.context import NeedsPlayer, Task, as_result

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = ["perform"]

#: Names that are offered where the player is not clear.
_NAMES = 100
#: Names that stand in a message.
_SHOWN = 8
_COLOURS = {"black": 1, "white": 2}


def perform(task: Task) -> str:
    """Estimate the player's strength; see `yardstone.web.tasks.perform`."""
    from yardstone.strength.estimate.estimate import estimate_player

    games = _games(task)
    player, colour = task.options.get("player"), task.options.get("colour")
    if player is None and colour is None:
        player = _only_player(games)
    elif player is not None:
        _check_player(games, player)
    task.tell("analysing", 0, sum(len(game.moves) + 1 for game in games))
    estimate = estimate_player(
        games,
        player,
        colour=None if colour is None else _COLOURS[colour],
        net=task.network(),
        scale=task.options["scale"],
        level=task.options["level"],
        skipped=task.skipped,
        progress=lambda done, total: task.tell("analysing", done, total),
    )
    return as_result(estimate.as_dict())


def _games(task: Task) -> list[GoGame]:
    """All games, within the limits."""
    limits = task.settings.limits
    reader = SgfReader.of_sources(
        [file.source for file in task.files],
        progress=lambda done, total: task.tell("reading", done, total),
    )
    games: list[GoGame] = []
    moves = 0
    for game in reader:
        games.append(game)
        moves += len(game.moves)
        if len(games) > limits.go_games:
            raise _too_much(f"There are more than {limits.go_games:,} games.")
        if moves > limits.go_moves:
            raise _too_much(f"The games have more than {limits.go_moves:,} moves together.")
    task.skipped.merge(reader.skipped)
    if not games:
        first = reader.skipped.details[0] if reader.skipped.details else None
        raise InputError(
            "no game could be read" if first is None else first.reason,
            file=task.files[0].label if first is None else first.file,
            line=None if first is None else first.line or None,
            mend="send SGF files of games of Go",
        )
    return games


def _too_much(message: str) -> Problem:
    return Problem(413, "too_many_games", message, "Send fewer games: the newest tell most.")


def _check_player(games: list[GoGame], player: str) -> None:
    """Refuse a name that stands in no game, before the network is asked."""
    from yardstone.strength.estimate.players import plain_name, player_names

    names = player_names(games)
    if plain_name(player) not in map(plain_name, names):
        known = ", ".join(list(names)[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")
        raise Problem(
            422,
            "unknown_player",
            f"No game is by {player}.",
            f"Choose one of these: {known}." if names else "The games name nobody.",
        )


def _only_player(games: list[GoGame]) -> str:
    """The player who is in all games, or a question."""
    from yardstone.strength.estimate.players import (
        AmbiguousPlayerError,
        find_player,
        player_names,
        unique_games,
    )

    different, _ = unique_games(games)
    if not player_names(different):
        raise NeedsPlayer(
            [
                {"name": colour.capitalize(), "games": len(different), "colour": colour}
                for colour in _COLOURS
            ]
        )
    try:
        return find_player(different)
    except AmbiguousPlayerError as error:
        named = list(error.names.items())[:_NAMES]
        raise NeedsPlayer([{"name": name, "games": number} for name, number in named]) from None
