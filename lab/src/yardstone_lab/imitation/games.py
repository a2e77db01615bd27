"""`ImitationGames`: whose moves a network learns to choose, and what else is known of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import NoGamesError
from yardstone.go.points import BLACK, PASS, WHITE
from yardstone.pool import Skipped, SkipReport
from yardstone_lab.imitation.settings import UNKNOWN_BAND

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.go_game import GoGame

__all__ = ["SIZE", "ImitationGames", "LearntSide", "collect_games"]

#: Lines of the boards that are learnt from.
SIZE = 19
#: A side with fewer moves is left out.
_FEWEST = 8


@dataclass(frozen=True, slots=True)
class LearntSide:
    """One side of a game that is learnt from.

    Attributes
    ----------
    colour : int
        1 Black, 2 White.
    band : int
        Of the player, in `yardstone_lab.imitation.settings.BANDS`.
    """

    colour: int
    band: int = UNKNOWN_BAND


@dataclass(frozen=True, slots=True, eq=False)
class ImitationGames:
    """Games to learn from; frozen.

    Attributes
    ----------
    games : tuple of GoGame
    game, colour, band : int64 [s]
        Of each side that is learnt from: which game, whose moves, and the player's band.
    """

    games: tuple[GoGame, ...]
    game: NDArray[np.int64]
    colour: NDArray[np.int64]
    band: NDArray[np.int64]

    def __len__(self) -> int:
        """Number of sides."""
        return len(self.game)

    def select(self, sides: NDArray[np.bool_]) -> ImitationGames:
        """Some of the sides."""
        game, colour, band = (each[sides] for each in (self.game, self.colour, self.band))
        return replace(self, game=game, colour=colour, band=band)

    def apart(self, share: int = 50) -> NDArray[np.bool_]:
        """Sides of one game in so many, drawn by what the games are: the same every time."""
        drawn = np.array(
            [
                int.from_bytes(hashlib.sha256(game.moves.tobytes()).digest()[:4]) % share == 0
                for game in self.games
            ]
        )
        if not drawn.any():
            drawn[-1] = True
        return np.asarray(drawn[self.game])

    def places(self, side: int) -> NDArray[np.int64]:
        """The moves of a side that are no passes: their numbers in the game, from 0."""
        game = self.games[self.game[side]]
        mine = (game.colours == self.colour[side]) & (game.moves != PASS)
        return np.flatnonzero(mine)


def collect_games(
    games: Iterable[GoGame],
    sides: Mapping[str, tuple[LearntSide, ...]] | None = None,
    skipped: SkipReport | None = None,
) -> ImitationGames:
    """Games whose moves can be learnt from.

    Even games from an empty board of 19 lines; others are left out, as are sides with hardly
    a move.

    Parameters
    ----------
    games : iterable of GoGame
    sides : mapping, optional
        By the file of a game whose moves count; both players' of every game by default, of
        an unknown band.
    skipped : SkipReport, optional
        Takes the games that are left out.

    Raises
    ------
    NoGamesError
        There is nothing to learn from.
    """
    everybody = (LearntSide(BLACK), LearntSide(WHITE))
    kept: list[GoGame] = []
    rows: list[tuple[int, int, int]] = []
    for record in games:
        own = everybody if sides is None else sides.get(record.file, ())
        if not own:
            continue
        if (reason := _unsuitable(record)) is not None:
            if skipped is not None:
                skipped.add(Skipped(record.file, record.line, reason), known=True)
            continue
        stones = record.moves != PASS
        own = tuple(
            each for each in own if int((stones & (record.colours == each.colour)).sum()) >= _FEWEST
        )
        if not own:
            continue
        rows += [(len(kept), each.colour, each.band) for each in own]
        kept.append(record)
    if not rows:
        raise NoGamesError("there are no games to learn from")
    table = np.array(rows, np.int64)
    game, colour, band = table.T.copy()
    return ImitationGames(tuple(kept), game, colour, band)


def _unsuitable(game: GoGame) -> str | None:
    """Why nothing is learnt from a game; None if something is."""
    if game.size != SIZE:
        return f"a board of {game.size}x{game.size}: networks learn on {SIZE}x{SIZE} only"
    if len(game.setup_black) or len(game.setup_white) or game.handicap > 1:
        return "a handicap game, or one from a position that was set up"
    return None
