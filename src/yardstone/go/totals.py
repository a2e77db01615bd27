"""Totals of analysed games by player and phase."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.analysis import PHASES
from yardstone.go.points import BLACK, WHITE, colour_name

if TYPE_CHECKING:
    from yardstone.go.analysis import GameAnalysis

__all__ = ["MISTAKE", "WHOLE_GAME", "MoveTally", "Total", "game_totals", "player_totals"]

#: Points that a move must cost to be called a mistake, unless told otherwise.
MISTAKE = 3.0
#: What the phase of a total over all phases is called.
WHOLE_GAME = "game"


@dataclass(frozen=True, slots=True)
class Total:
    """Moves of a player in a phase, taken together.

    Attributes
    ----------
    player : str
        Name; the colour if the record has none.
    colour : int
        1 Black, 2 White; 0 over games with both.
    phase : str
        One of `PHASES`, or ``game`` for all.
    games, moves : int
        How many.
    judged : int
        Those played while the game was not decided, which alone have a loss.
    point_loss : float
        Mean points that a move cost; NaN if none was judged.
    win_loss : float
        Mean winrate that a move cost, likewise.
    policy : float
        Mean probability that the network gave to the move.
    first_choice : float
        Share of moves that were the network's first choice.
    mistakes : int
        Moves that cost at least the points of a mistake, and more than noise explains.
    """

    player: str
    colour: int
    phase: str
    games: int
    moves: int
    judged: int
    point_loss: float
    win_loss: float
    policy: float
    first_choice: float
    mistakes: int


class MoveTally:
    """Sums of moves, game by game.

    Parameters
    ----------
    mistake : float
        Points that a move must cost to be a mistake.
    """

    def __init__(self, mistake: float) -> None:
        self._mistake = mistake
        self._games = np.zeros(len(PHASES) + 1, np.int64)
        self._sums = np.zeros((len(PHASES), 7))

    def add(self, analysis: GameAnalysis, colour: int) -> None:
        """Add the moves of one side of a game; passes at the end are left out."""
        mine = analysis.counted & (analysis.colour == colour)
        phase, loss = analysis.phase[mine], analysis.point_loss[mine]
        terms = np.column_stack(
            [
                np.ones(len(phase)),
                ~np.isnan(loss),
                np.nan_to_num(loss),
                np.nan_to_num(analysis.win_loss[mine]),
                np.nan_to_num(analysis.policy[mine]),
                analysis.rank[mine] == 1,
                analysis.losses.above_noise(self._mistake)[mine],
            ]
        )
        np.add.at(self._sums, phase, terms)
        self._games[:-1] += np.bincount(phase, minlength=len(PHASES)) > 0
        self._games[-1] += len(phase) > 0

    def totals(self, player: str, colour: int) -> list[Total]:
        """The whole game first, then each phase in which there are moves."""
        rows = [(WHOLE_GAME, self._games[-1], self._sums.sum(axis=0))]
        rows += list(zip(PHASES, self._games, self._sums, strict=False))
        totals = []
        for phase, games, sums in rows:
            moves, judged, lost, chance, policy, first, mistakes = sums.tolist()
            if moves:
                totals.append(
                    Total(
                        player=player,
                        colour=colour,
                        phase=phase,
                        games=int(games),
                        moves=int(moves),
                        judged=int(judged),
                        point_loss=lost / judged if judged else nan,
                        win_loss=chance / judged if judged else nan,
                        policy=policy / moves,
                        first_choice=first / moves,
                        mistakes=int(mistakes),
                    )
                )
        return totals


def game_totals(analysis: GameAnalysis, *, mistake: float = MISTAKE) -> list[Total]:
    """Totals of Black, then of White, in one game."""
    totals = []
    for colour in (BLACK, WHITE):
        tally = MoveTally(mistake)
        tally.add(analysis, colour)
        totals += tally.totals(_name(analysis, colour), colour)
    return totals


def player_totals(games: Iterable[GameAnalysis], *, mistake: float = MISTAKE) -> list[Total]:
    """Totals of each player over all games, those with most moves first."""
    tallies: dict[str, MoveTally] = {}
    for analysis in games:
        for colour in (BLACK, WHITE):
            tallies.setdefault(_name(analysis, colour), MoveTally(mistake)).add(analysis, colour)
    groups = [group for name, tally in tallies.items() if (group := tally.totals(name, 0))]
    groups.sort(key=lambda group: (-group[0].moves, group[0].player))
    return [total for group in groups for total in group]


def _name(analysis: GameAnalysis, colour: int) -> str:
    name = analysis.game.black if colour == BLACK else analysis.game.white
    return name or colour_name(colour)
