"""How a game of Go is called in a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.go.points import BLACK, WHITE, colour_name

if TYPE_CHECKING:
    from yardstone.go.analysis import GameAnalysis

__all__ = ["game_title"]


def game_title(analysis: GameAnalysis) -> str:
    """Who played whom, Black first."""
    game = analysis.game

    def player(name: str, rank: str, colour: int) -> str:
        known = f" {rank}" if rank.strip(" ?-") else ""
        return f"{name or colour_name(colour)}{known}"

    black = player(game.black, game.black_rank, BLACK)
    return f"{black} (Black) – {player(game.white, game.white_rank, WHITE)} (White)"
