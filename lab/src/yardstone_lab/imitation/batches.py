"""Batches of positions: inputs, the moves that were chosen, and the other targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.inputs import Encoded, encode_game
from yardstone.go.points import SYMMETRIES, symmetry_points
from yardstone.go.rules import TROMP_TAYLOR
from yardstone_lab.imitation.games import SIZE, ImitationGames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.go_game import GoGame

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

__all__ = ["KOMI", "TrainingBatch", "make_batch"]

#: Of every game, as for the features that strength is judged by.
KOMI = 6.5


@dataclass(frozen=True, slots=True, eq=False)
class TrainingBatch:
    """n positions, as many of each side, one side after the other.

    Attributes
    ----------
    spatial : uint8 [n, 22, 19, 19]
    numbers : float32 [n, 19]
    point : int64 [n]
        The move that was chosen.
    band : int64 [n]
        Of who chose it.
    won : float32 [n]
        1 if the player to move won, 0 if not; NaN if not known.
    legal : bool [n, 362]
    """

    spatial: NDArray[np.uint8]
    numbers: Floats
    point: Ints
    band: Ints
    won: Floats
    legal: NDArray[np.bool_]

    def __len__(self) -> int:
        """Number of positions."""
        return len(self.point)


def make_batch(
    games: ImitationGames,
    sides: Ints,
    moves: int,
    generator: np.random.Generator | None = None,
) -> TrainingBatch:
    """Some moves of each of some sides.

    Parameters
    ----------
    games : ImitationGames
    sides : int64 [s]
        Which; one of them may come again.
    moves : int
        Of each. A side with fewer has some of them twice.
    generator : numpy.random.Generator, optional
        Draws the moves, and turns each position by a symmetry; without it the moves are
        spread evenly over the game, and the board is as it lies.
    """
    pieces = []
    for side in sides.tolist():
        places = games.places(side)
        if generator is None:
            chosen = places[np.linspace(0, len(places) - 1, moves).astype(np.int64)]
        elif len(places) < moves:
            chosen = generator.choice(places, moves)
        else:
            chosen = generator.choice(places, moves, replace=False)
        pieces.append(_positions(games, side, np.sort(chosen)))
    spatial, numbers, point, won, legal = (
        np.concatenate([piece[k] for piece in pieces]) for k in range(5)
    )
    if generator is not None:
        turns = generator.integers(0, SYMMETRIES, len(point))
        spatial, point, legal = _turned(spatial, point, legal, turns)
    band = np.repeat(games.band[sides], moves)
    return TrainingBatch(spatial, numbers, point, band, won, legal)


def _encoded(game: GoGame, places: Ints) -> Encoded:
    return encode_game(
        SIZE,
        moves=game.moves,
        colours=game.colours,
        komi=KOMI,
        rules=TROMP_TAYLOR,
        positions=places,
        packed=True,
    )


def _positions(
    games: ImitationGames, side: int, wanted: Ints
) -> tuple[
    NDArray[np.uint8], Floats, Ints, Floats, NDArray[np.bool_]
]:  # in the order of `TrainingBatch`, without the band
    game = games.games[games.game[side]]
    encoded = _encoded(game, wanted)
    if not len(encoded):  # all of them come after a move that cannot be played
        encoded = _encoded(game, games.places(side)[:1])
    # Positions before such a move stand in for those after it.
    rows = np.minimum(np.arange(len(wanted)), len(encoded) - 1)
    places = encoded.positions[rows].astype(np.int64)
    won = np.full(len(places), np.nan, np.float32)
    if game.winner in (1, 2):
        won[:] = game.winner == games.colour[side]
    return (
        encoded.spatial[rows],  # type: ignore[return-value]
        encoded.globals[rows],
        game.moves[places].astype(np.int64),
        won,
        encoded.legal[rows].astype(bool),
    )


def _turned(
    spatial: NDArray[np.uint8], point: Ints, legal: NDArray[np.bool_], turns: Ints
) -> tuple[NDArray[np.uint8], Ints, NDArray[np.bool_]]:
    """Each position turned by a symmetry."""
    table = symmetry_points(SIZE)[turns].astype(np.int64)  # [n, 361]: where each point goes
    rows = np.arange(len(point))[:, None]
    flat = np.empty_like(spatial.reshape(*spatial.shape[:2], -1))
    flat[rows[:, :, None], np.arange(spatial.shape[1])[None, :, None], table[:, None]] = (
        spatial.reshape(*spatial.shape[:2], -1)
    )
    allowed = legal.copy()
    allowed[rows, table] = legal[:, :-1]
    return flat.reshape(spatial.shape), table[rows[:, 0], point], allowed
