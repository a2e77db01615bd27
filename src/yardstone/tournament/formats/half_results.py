"""Half a point against nothing, which the formats of Go have no sign for."""

from __future__ import annotations

from yardstone.errors import InputError
from yardstone.tournament.model import Result, Tournament

__all__ = ["check_half_results"]


def check_half_results(tournament: Tournament, format: str) -> None:
    """Refuse a tournament with such a result: written as another, it would change the scores.

    Raises
    ------
    InputError
        A game brought half a point to one player and none to the other.
    """
    for game in tournament.games:
        if game.result in (Result.first_half, Result.second_half):
            first, second = (tournament.players[p].full_name for p in (game.first, game.second))
            raise InputError(
                f"round {game.round}, {first} – {second}: {format} has no result of half a "
                "point against none",
                file=tournament.file or None,
                hint="enter it as a draw or as a loss of both",
            )
