"""Whose games are these: the player found in the names of many records.

Neubauer 2024, section 7.1, infers the player as the unique one who occurs in all the
games. Names are compared without regard to capitals, outer blanks and the width of
letters, for servers and people write them differently.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.points import BLACK, WHITE

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = [
    "AmbiguousPlayerError",
    "colour_of",
    "find_player",
    "names_of",
    "plain_name",
    "player_names",
    "unique_games",
]

#: Names that stand in a message; the others are counted.
_NAMED = 8
#: Games of so few moves can be equal by chance.
_EQUAL_BY_CHANCE = 10


class AmbiguousPlayerError(UsageError):
    """The games do not tell whose strength is asked for.

    Attributes
    ----------
    names : mapping of str to int
        In how many of the games each player occurs, the most frequent first. Those
        with as many games stand in the order in which they appear.
    """

    def __init__(self, names: Mapping[str, int], games: int) -> None:
        self.names = dict(names)
        listed = [f"{name} ({number})" for name, number in list(self.names.items())[:_NAMED]]
        rest = len(self.names) - len(listed)
        others = f" and {rest:,} more" if rest else ""
        if games == 1:
            what = f"whose strength? This game is between {' and '.join(self.names)}"
        elif sum(number == games for number in self.names.values()) > 1:
            what = f"whose strength? Both {' and '.join(list(self.names)[:2])} play in every game"
        else:
            what = (
                f"whose strength? No player occurs in all {games:,} games; there are "
                f"{', '.join(listed)}{others}"
            )
        super().__init__(f"{what}: name the player with --player NAME")


def plain_name(name: str) -> str:
    """A name as it is compared: folded, without outer and repeated blanks."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def names_of(game: GoGame) -> tuple[str, str]:
    """What the players of a game are called: with the colour where both have the same name."""
    if game.black and plain_name(game.black) == plain_name(game.white):
        return f"{game.black} (Black)", f"{game.white} (White)"
    return game.black, game.white


def player_names(games: Iterable[GoGame]) -> dict[str, int]:
    """In how many of the games each named player occurs, the most frequent first.

    A player is called as in the first game; who stand under one name on both sides of a game
    are told apart by colour (`names_of`).
    """
    count: Counter[str] = Counter()
    called: dict[str, str] = {}
    for game in games:
        present = {}
        for name in names_of(game):
            if plain := plain_name(name):
                present[plain] = " ".join(name.split())
        for plain, name in present.items():
            called.setdefault(plain, name)
        count.update(present.keys())
    return {called[plain]: number for plain, number in count.most_common()}


def find_player(games: Sequence[GoGame]) -> str:
    """The one player who occurs in all the games; records of no move and no name count for none.

    Parameters
    ----------
    games : sequence of GoGame

    Returns
    -------
    str
        The name, as the first game has it.

    Raises
    ------
    AmbiguousPlayerError
        No player occurs in all games, or two do, as always with a single game.
    InputError
        The games name nobody.
    """
    if not games:
        raise NoGamesError("there are no games")
    games = [game for game in games if names_of(game) == (game.black, game.white)] or games
    names = player_names(games)
    if not names:
        raise InputError(
            "the games name no player",
            file=games[0].file or None,
            hint="say which colour is meant: --colour black, or white",
        )
    number = sum(bool(game.moves.size or game.black or game.white) for game in games)
    everywhere = [name for name, occurrences in names.items() if occurrences == number]
    if number == 1 or len(everywhere) != 1:
        raise AmbiguousPlayerError(names, number)
    return everywhere[0]


def colour_of(game: GoGame, player: str) -> int:
    """The colour of a player in a game, called as in `names_of`: 1 Black, 2 White; 0 if neither."""
    plain = plain_name(player)
    black, white = map(plain_name, names_of(game))
    return BLACK if black == plain else WHITE if white == plain else 0


def unique_games(games: Iterable[GoGame]) -> tuple[list[GoGame], list[GoGame]]:
    """The games without those that occur again, and these.

    Two records are of one game if players, board, stones set up and moves are equal,
    whatever else they say; of very short games also the dates must be.
    """
    keys: set[tuple[object, ...]] = set()
    first: list[GoGame] = []
    again: list[GoGame] = []
    for game in games:
        key: tuple[object, ...] = (
            game.size,
            plain_name(game.black),
            plain_name(game.white),
            np.sort(game.setup_black).tobytes(),
            np.sort(game.setup_white).tobytes(),
            game.moves.tobytes(),
            game.colours.tobytes(),
            game.date.item() if len(game.moves) < _EQUAL_BY_CHANCE else None,
        )
        (again if key in keys else first).append(game)
        keys.add(key)
    return first, again
