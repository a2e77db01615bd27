"""Who has won a game, as a network sees its end.

Many games end by resignation or on time in positions that say something else. The
thesis takes the network's winner for them, and leaves out games in which the network
is less than 60 % sure (Neubauer 2024, section 4.1.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.go.evaluator import Evaluator
from yardstone.go.network_shares import over_games
from yardstone.go.points import BLACK, WHITE
from yardstone.go.requests import ask, moves_before_passes
from yardstone.pool import SkipReport
from yardstone.records.go_game import UNKNOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.conditions import Conditions
    from yardstone.go.nets.network import Network
    from yardstone.go.rules import Rules
    from yardstone.records.go_game import GoGame

__all__ = ["SURE", "Agreement", "Judgement", "judge_games"]

#: How sure the network must be of the winner.
SURE = 0.6
#: Games that go to another machine together.
_TOGETHER = 64


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """The winner of a game, as recorded and as the network sees it.

    Attributes
    ----------
    game : GoGame
    conditions : Conditions
        Rules and komi that the network was told.
    moves : int
        Moves before the position that was judged: all but the passes at the end.
    white_winrate : float
        White's expected score, 0 to 1.
    white_lead : float
        White's lead in points.
    winner : int
        1 Black, 2 White, 0 undecided.
    """

    game: GoGame
    conditions: Conditions
    moves: int
    white_winrate: float
    white_lead: float
    winner: int

    @property
    def agrees(self) -> bool | None:
        """Whether the record names the same winner; None if either names none."""
        if self.winner == UNKNOWN or self.game.winner not in (BLACK, WHITE):
            return None
        return self.winner == self.game.winner


@dataclass(slots=True)
class Agreement:
    """Counts of judged games.

    Attributes
    ----------
    games, agreeing, contrary, undecided, unrecorded : int
        All games; those where the record names the same winner, the other one; those
        of which the network is not sure; and those it is sure of, but the record
        names no winner.
    """

    games: int = 0
    agreeing: int = 0
    contrary: int = 0
    undecided: int = 0
    unrecorded: int = 0

    def add(self, judgement: Judgement) -> None:
        """Count one game."""
        self.games += 1
        self.undecided += judgement.winner == UNKNOWN
        self.agreeing += judgement.agrees is True
        self.contrary += judgement.agrees is False
        self.unrecorded += judgement.winner != UNKNOWN and judgement.agrees is None


def judge_games(
    games: Iterable[GoGame],
    network: Network,
    *,
    sure: float = SURE,
    rules: Rules | None = None,
    komi: float | None = None,
    skipped: SkipReport | None = None,
) -> Iterator[Judgement]:
    """Judge the last position of each game, before the passes that end it.

    Parameters
    ----------
    games : iterable of GoGame
        Read as they are needed.
    network : Network
    sure : float
        The least winrate, 0.5 to 1, with which a side is named the winner.
    rules, komi : optional
        For all games, in place of those of the records.
    skipped : SkipReport, optional
        Takes the games that cannot be judged: illegal moves, impossible boards.

    Yields
    ------
    Judgement
        In the order of the games.
    """
    if not 0.5 <= sure <= 1.0:
        raise UsageError(f"sure is {sure:g}; it must be 0.5 to 1")
    return over_games(
        partial(_judged, sure=sure, rules=rules, komi=komi),
        games,
        network,
        together=_TOGETHER,
        positions=lambda _: 1,
        skipped=SkipReport() if skipped is None else skipped,
    )


def _judged(
    games: Iterable[GoGame],
    network: Network,
    *,
    sure: float,
    rules: Rules | None,
    komi: float | None,
    skipped: SkipReport,
    progress: Callable[[int], object] | None = None,
) -> Iterator[Judgement]:
    questions = ask(games, skipped, network, rules=rules, komi=komi, positions=_end, whole=True)
    for answer in Evaluator(network, progress=progress).answer(questions):
        assessment = answer.assessment
        winrate = float(assessment.white_expected[0])
        winner = WHITE if winrate >= sure else BLACK if 1.0 - winrate >= sure else UNKNOWN
        if winrate == 0.5:  # nobody is ahead, however little sureness is asked for
            winner = UNKNOWN
        yield Judgement(
            answer.question.about.game,
            answer.question.about.conditions,
            int(answer.question.encoded.positions[0]),
            winrate,
            float(assessment.white_lead[0]),
            winner,
        )


def _end(game: GoGame) -> NDArray[np.int32]:
    return np.array([moves_before_passes(game)], np.int32)
