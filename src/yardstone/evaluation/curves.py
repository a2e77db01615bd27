"""The rating of players over time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import unknown_player
from yardstone.disk import pieces, rows_of, taken
from yardstone.errors import NoGamesError
from yardstone.evaluation.labels import rating_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay

    Array = NDArray[np.float64]

__all__ = ["RatingCurve", "games_of_players", "rating_curves"]

#: What a replay has of each game.
_PREDICTED = (
    "expected",
    "first_rating",
    "second_rating",
    "first_deviation",
    "second_deviation",
    "draw",
)


@dataclass(frozen=True, eq=False)
class RatingCurve:
    """One player's games with the rating before and after each; frozen.

    Attributes
    ----------
    player : str
    game : int64 array
        The games' places in the pool.
    time : datetime64[s] array or None
    opponents : tuple of str
    first : bool array
        Whether the player moved first.
    score, expected : float64 arrays
        The player's points, and how many were expected.
    rating, deviation : float64 arrays
        Before each game, as it was predicted with; deviations are NaN where the
        system has none.
    after : float64 array
        Ratings after each game.
    final_deviation : float
        After the last game.
    """

    player: str
    game: NDArray[np.int64]
    time: NDArray[np.datetime64] | None
    opponents: tuple[str, ...]
    first: NDArray[np.bool_]
    score: Array
    expected: Array
    rating: Array
    deviation: Array
    after: Array
    final_deviation: float

    def __len__(self) -> int:
        return len(self.game)


def rating_curves(pool: Pool, replay: Replay, players: Sequence[str]) -> list[RatingCurve]:
    """The curves of the named players.

    Raises
    ------
    UnknownPlayerError
        Nobody is called so.
    NoGamesError
        A player has no game.
    """
    if not players:
        return []
    number = {name: row for row, name in enumerate(pool.players)}
    places = games_of_players(pool, [number[name] for name in players if name in number])
    pool, replay = pool.select(places), _selected(replay, places)
    # Of the others games are missing, so only the chosen players' labels say what they should.
    after = rating_labels(pool, replay, advance=0)
    curves = []
    for player in players:
        if player not in number:
            raise unknown_player(player, pool.players)
        row = number[player]
        games = np.flatnonzero((pool.first == row) | (pool.second == row))
        if not len(games):
            raise NoGamesError(f"{player!r} has no game")
        first = pool.first[games] == row
        others = np.where(first, pool.second[games], pool.first[games])
        deviation = np.full(len(games), np.nan)
        if replay.first_deviation is not None and replay.second_deviation is not None:
            deviation = np.where(
                first, replay.first_deviation[games], replay.second_deviation[games]
            )
        curves.append(
            RatingCurve(
                player=player,
                game=places[games],
                time=None if pool.time is None else pool.time[games],
                opponents=tuple(pool.players[other] for other in others),
                first=first,
                score=np.where(first, pool.score[games], 1.0 - pool.score[games]),
                expected=np.where(first, replay.expected[games], 1.0 - replay.expected[games]),
                rating=np.where(first, replay.first_rating[games], replay.second_rating[games]),
                deviation=deviation,
                after=np.where(first, after.first[games], after.second[games]),
                final_deviation=replay.ratings[player].deviation,
            )
        )
    return curves


def games_of_players(pool: Pool, players: Sequence[int]) -> NDArray[np.int64]:
    """Places of the games in which one of some players took part."""
    chosen = np.zeros(len(pool.players), np.bool_)
    chosen[list(players)] = True
    places = [
        at.start + np.flatnonzero(chosen[taken(pool.first, at)] | chosen[taken(pool.second, at)])
        for at in pieces(len(pool))
    ]
    return np.concatenate([np.zeros(0, np.int64), *places])


def _selected(replay: Replay, places: NDArray[np.int64]) -> Replay:
    """What was predicted of some games, in memory."""
    known: dict[str, Any] = {}
    for name in _PREDICTED:
        if (column := getattr(replay, name)) is not None:
            known[name] = rows_of(column, places)
    return replace(replay, **known)
