"""A game move by move: winrate, lead, policy, and what each move cost.

The network looks at each position once, and once more at those that follow its own
choices. Moves that seem to have cost something are searched: `yardstone.go.losses`
says how, and what a loss is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.go.evaluator import Evaluator, NetworkAnswer
from yardstone.go.losses import FirstLook, LossEffort, Losses, move_losses
from yardstone.go.network_shares import over_games
from yardstone.go.requests import ask, describe_illegal, moves_before_passes
from yardstone.pool import SkipReport

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.conditions import Conditions
    from yardstone.go.nets.network import Network
    from yardstone.go.rules import Rules
    from yardstone.records.go_game import GoGame

    Floats = NDArray[np.float32]

__all__ = ["PHASES", "GameAnalysis", "Phases", "analyse", "analyse_games"]

#: Parts of a game, in order.
PHASES = ("opening", "middle game", "endgame")
_LARGEST_AREA = 19 * 19
#: Games that go to another machine together.
_TOGETHER = 4


@dataclass(frozen=True, slots=True)
class Phases:
    """Where the parts of a game end, by the number of the move.

    Attributes
    ----------
    opening, middle : int
        Last move of the opening and of the middle game on 19x19; on smaller boards
        they end earlier, in proportion to the points of the board.
    """

    opening: int = 50
    middle: int = 150

    def __post_init__(self) -> None:
        """Refuse phases that do not follow each other."""
        if not 0 <= self.opening <= self.middle:
            raise UsageError(
                f"phases end at moves {self.opening} and {self.middle}: write the smaller "
                "number first, both from 0"
            )

    def ends(self, size: int) -> tuple[int, int]:
        """Last moves of opening and middle game on a board of this size."""
        share = size * size / _LARGEST_AREA
        return round(self.opening * share), round(self.middle * share)

    def of(self, numbers: NDArray[np.int32], size: int) -> NDArray[np.int8]:
        """Phase of each move: its place in `PHASES`."""
        return np.searchsorted(self.ends(size), numbers, side="left").astype(np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class GameAnalysis:
    """A game, move by move. There are m moves, and so m + 1 positions.

    Attributes
    ----------
    game : GoGame
    conditions : Conditions
        Rules and komi that the network was told.
    number : int32 [m]
        Numbers of the moves, from 1.
    colour : int8 [m]
        Who moved: 1 Black, 2 White.
    point : int16 [m]
        Where; -1 is a pass.
    white_winrate : float32 [m + 1]
        White's expected score, 0 to 1, before each move and after the last.
    white_lead : float32 [m + 1]
        White's lead in points.
    policy : float32 [m]
        Probability that the network gives to each move before it was played; NaN
        where the rules forbid it.
    rank : int32 [m]
        Place of the move among all legal ones by policy, from 1; 0 where the rules
        forbid it.
    best : int16 [m]
        The move that the network likes best; -1 is a pass.
    best_policy : float32 [m]
        Its probability.
    phase : int8 [m]
        Place in `PHASES`.
    counted : bool [m]
        False for the passes at the end, which belong to no total.
    losses : Losses
        What each move cost; those that are not counted have none.
    remark : str
        What the reader must know: that an illegal move ended the analysis.
    """

    game: GoGame
    conditions: Conditions
    number: NDArray[np.int32]
    colour: NDArray[np.int8]
    point: NDArray[np.int16]
    white_winrate: Floats
    white_lead: Floats
    policy: Floats
    rank: NDArray[np.int32]
    best: NDArray[np.int16]
    best_policy: Floats
    phase: NDArray[np.int8]
    counted: NDArray[np.bool_]
    losses: Losses
    remark: str = ""

    def __len__(self) -> int:
        """Number of moves."""
        return len(self.number)

    @property
    def win_loss(self) -> Floats:
        """Winrate that each move cost its player, 0 to 1; NaN where the game is decided."""
        return self.losses.win

    @property
    def point_loss(self) -> Floats:
        """Points that each move cost its player, 0 or more; NaN where the game is decided."""
        return self.losses.points

    def mistakes(self, points: float) -> NDArray[np.int64]:
        """Places of the moves that cost at least so many points, the worst first.

        Only moves whose loss is more than noise: `Losses.above_noise`.
        """
        loss = np.where(self.losses.above_noise(points), self.point_loss, -np.inf)
        order = np.argsort(-loss, kind="stable")
        return order[: int(np.isfinite(loss).sum())]


def analyse(
    game: GoGame,
    network: Network,
    *,
    rules: Rules | None = None,
    komi: float | None = None,
    phases: Phases | None = None,
    effort: LossEffort | None = None,
) -> GameAnalysis:
    """Analyse one game; see `analyse_games`.

    Raises
    ------
    InputError
        The game cannot be shown to a network.
    """
    skipped = SkipReport()
    for analysis in analyse_games(
        [game], network, rules=rules, komi=komi, phases=phases, effort=effort, skipped=skipped
    ):
        return analysis
    left_out = skipped.details[0]
    raise InputError(left_out.reason, file=left_out.file or None, line=left_out.line or None)


def analyse_games(
    games: Iterable[GoGame],
    network: Network,
    *,
    rules: Rules | None = None,
    komi: float | None = None,
    phases: Phases | None = None,
    effort: LossEffort | None = None,
    skipped: SkipReport | None = None,
    progress: Callable[[int], object] | None = None,
) -> Iterator[GameAnalysis]:
    """Analyse games one after the other.

    Parameters
    ----------
    games : iterable of GoGame
        Read as they are needed.
    network : Network
        From `yardstone.go.nets.load_network`.
    rules, komi : optional
        For all games, in place of those of the records.
    phases : Phases, optional
        Where opening and middle game end.
    effort : LossEffort, optional
        How far losses are searched.
    skipped : SkipReport, optional
        Takes the games that cannot be shown to a network.
    progress : callable, optional
        Called with the number of positions that have been looked at.

    Yields
    ------
    GameAnalysis
        In the order of the games. A game with an illegal move ends before it, with a
        remark.
    """
    where = Phases() if phases is None else phases
    return over_games(
        partial(_analysed, rules=rules, komi=komi, phases=where, effort=effort),
        games,
        network,
        together=_TOGETHER,
        positions=lambda game: len(game.moves) + 1,
        skipped=SkipReport() if skipped is None else skipped,
        progress=progress,
    )


def _analysed(
    games: Iterable[GoGame],
    network: Network,
    *,
    rules: Rules | None,
    komi: float | None,
    phases: Phases,
    effort: LossEffort | None,
    skipped: SkipReport,
    progress: Callable[[int], object] | None = None,
) -> Iterator[GameAnalysis]:
    questions = ask(games, skipped, network, rules=rules, komi=komi)
    for answer in Evaluator(network, progress=progress).answer(questions):
        yield _analysis(answer, phases, network, effort)


def _analysis(
    answer: NetworkAnswer, phases: Phases, network: Network, effort: LossEffort | None
) -> GameAnalysis:
    game: GoGame = answer.question.about.game
    encoded, assessment = answer.question.encoded, answer.assessment
    moves = len(encoded) - 1
    point = game.moves[:moves].astype(np.int16)
    number = np.arange(1, moves + 1, dtype=np.int32)
    policy = assessment.policy[:moves]
    played = policy[number - 1, point]  # a pass is -1, and stands last
    best = np.nanargmax(policy, axis=1) if moves else np.empty(0, np.int64)
    with np.errstate(invalid="ignore"):
        better = (policy > played[:, None]).sum(axis=1)
    choice = np.where(best == game.size**2, -1, best).astype(np.int16)
    counted = number <= moves_before_passes(game)
    illegal = encoded.illegal_at
    conditions: Conditions = answer.question.about.conditions
    looked = FirstLook(
        game, conditions, assessment.white_expected, assessment.white_lead, choice, counted
    )
    return GameAnalysis(
        game=game,
        conditions=conditions,
        number=number,
        colour=game.colours[:moves].astype(np.int8),
        point=point,
        white_winrate=assessment.white_expected,
        white_lead=assessment.white_lead,
        policy=played,
        rank=np.where(np.isnan(played), 0, better + 1).astype(np.int32),
        best=choice,
        best_policy=policy[number - 1, best],
        phase=phases.of(number, game.size),
        counted=counted,
        losses=move_losses([looked], network, effort)[0],
        remark="" if illegal < 0 else f"{describe_illegal(game, illegal)}: analysed up to there",
    )
