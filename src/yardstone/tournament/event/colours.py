"""The colours of a game exchanged, where the players sat down the other way round."""

from __future__ import annotations

from dataclasses import replace

from yardstone.tournament.event.changes import Change, refused, unchanged
from yardstone.tournament.event.results import find_game
from yardstone.tournament.model import Tournament

__all__ = ["set_first_mover"]


def set_first_mover(tournament: Tournament, round_number: int, first: int, second: int) -> Change:
    """Say who moved first in a game between two players (by numbers from 0).

    A result stays with the players.

    Raises
    ------
    InputError
        They do not meet in the round, or one takes handicap stones.
    """
    game = find_game(tournament, round_number, players=(first, second))
    who = tournament.players[first].full_name
    if game.first == first and game.known_colour:
        return unchanged(tournament, f"{who} moves first already.")
    if game.handicap:
        raise refused(tournament, "in a handicap game whoever takes the stones moves first")
    turned = game.result if game.first == first else game.result.reversed
    made = replace(game, first=first, second=second, result=turned, known_colour=True)
    games = tuple(made if each is game else each for each in tournament.games)
    return Change(
        tournament=replace(tournament, games=games),
        lines=(f"Round {round_number}, table {game.table}: {who} moves first.",),
    )
