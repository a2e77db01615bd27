"""A game move by move: winrate, lead, policy, and what each move cost.

The network looks at each position once, and once more at those that follow its own
choices. Moves that seem to have cost something are searched: `yardstone.go.losses`
says how, and what a loss is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Flags, Floats32, Ints, Longs
from yardstone.errors import InputError, UsageError
from yardstone.go.evaluator import (
    Evaluator,
    NetworkAnswer,
    ask,
    describe_illegal,
    moves_before_passes,
    over_games,
    require_games,
)
from yardstone.go.losses import FirstLook, LossEffort, Losses, move_losses
from yardstone.go.nets.network import Network
from yardstone.go.points import BLACK, WHITE, colour_name
from yardstone.go.rules import Conditions, Rules
from yardstone.parallel import Track
from yardstone.pool import SkipReport
from yardstone.records.go_game import UNKNOWN, GoGame
from yardstone.records.sgf import SgfReader

Made = TypeVar("Made")

#: Parts of a game, in order.
PHASES = ("opening", "middle game", "endgame")
_LARGEST_AREA = 19 * 19
#: Games that go to another machine together.
_ANALYSED_TOGETHER = 4


@dataclass(frozen=True, slots=True)
class Phases:
    """Where the parts of a game end, by the number of the move."""

    #: `opening`, `middle`: last move of the opening and of the middle game on 19x19; on smaller
    #: boards they end earlier, in proportion to the points of the board.
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

    def of(self, numbers: Ints, size: int) -> NDArray[np.int8]:
        """Phase of each move: its place in `PHASES`."""
        return np.searchsorted(self.ends(size), numbers, side="left").astype(np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class GameAnalysis:
    """A game, move by move. There are m moves, and so m + 1 positions."""

    game: GoGame
    conditions: Conditions  #: Rules and komi that the network was told.
    number: Ints  #: [m]: numbers of the moves, from 1.
    colour: NDArray[np.int8]  #: [m]: who moved: 1 Black, 2 White.
    point: NDArray[np.int16]  #: [m]: where; -1 is a pass.
    #: [m + 1]: White's expected score, 0 to 1, before each move and after the last.
    white_winrate: Floats32
    white_lead: Floats32  #: [m + 1]: White's lead in points.
    #: [m]: probability that the network gives to each move before it was played; NaN where the
    #: rules forbid it.
    policy: Floats32
    #: [m]: place of the move among all legal ones by policy, from 1; 0 where the rules forbid it.
    rank: Ints
    best: NDArray[np.int16]  #: [m]: the move that the network likes best; -1 is a pass.
    best_policy: Floats32  #: [m]: its probability.
    phase: NDArray[np.int8]  #: [m]: place in `PHASES`.
    counted: Flags  #: False for the passes at the end, which belong to no total.
    losses: Losses  #: What each move cost; those that are not counted have none.
    remark: str = ""  #: What the reader must know: that an illegal move ended the analysis.

    def __len__(self) -> int:
        """Number of moves."""
        return len(self.number)

    @property
    def win_loss(self) -> Floats32:
        """Winrate that each move cost its player, 0 to 1; NaN where the game is decided."""
        return self.losses.win

    @property
    def point_loss(self) -> Floats32:
        """Points that each move cost its player, 0 or more; NaN where the game is decided."""
        return self.losses.points

    def mistakes(self, points: float) -> Longs:
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

    Raises:
        InputError: The game cannot be shown to a network.
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
) -> Iterator[GameAnalysis]:
    """Analyse games one after the other.

    Args:
        games: Read as they are needed.
        network: From `yardstone.go.nets.load_network`.
        rules, komi: For all games, in place of those of the records.
        phases: Where opening and middle game end.
        effort: How far losses are searched.
        skipped: Takes the games that cannot be shown to a network.

    Yields:
        In the order of the games. A game with an illegal move ends before it, with a remark.
    """
    say = partial(_analysis, Phases() if phases is None else phases, effort)
    return over_games(
        partial(_asked, say, rules=rules, komi=komi),
        games,
        network,
        together=_ANALYSED_TOGETHER,
        positions=lambda game: len(game.moves) + 1,
        skipped=SkipReport() if skipped is None else skipped,
        what="analysing",
    )


def _asked(
    say: Callable[[NetworkAnswer, Network], Made],
    games: Iterable[GoGame],
    network: Network,
    *,
    rules: Rules | None,
    komi: float | None,
    end: bool = False,
    skipped: SkipReport,
    track: Track | None,
) -> Iterator[Made]:
    """What follows from the network's answer to each game, or to its end alone."""
    chosen = (lambda game: np.array([moves_before_passes(game)], np.int32)) if end else None
    questions = ask(games, skipped, network, rules=rules, komi=komi, positions=chosen, whole=end)
    for answer in Evaluator(network, track=track).answer(questions):
        yield say(answer, network)


def _analysis(
    phases: Phases, effort: LossEffort | None, answer: NetworkAnswer, network: Network
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


#: Points that a move must cost to be called a mistake, unless told otherwise.
MISTAKE = 3.0
#: What the phase of a total over all phases is called.
WHOLE_GAME = "game"


@dataclass(frozen=True, slots=True)
class Total:
    """Moves of a player in a phase, taken together."""

    player: str  #: Name; the colour if the record has none.
    colour: int  #: 1 Black, 2 White; 0 over games with both.
    phase: str  #: One of `PHASES`, or ``game`` for all.
    games: int  #: `games`, `moves`: how many.
    moves: int
    judged: int  #: Those played while the game was not decided, which alone have a loss.
    point_loss: float  #: Mean points that a move cost; NaN if none was judged.
    win_loss: float  #: Mean winrate that a move cost, likewise.
    policy: float  #: Mean probability that the network gave to the move.
    first_choice: float  #: Share of moves that were the network's first choice.
    #: Moves that cost at least the points of a mistake, and more than noise explains.
    mistakes: int


class MoveTally:
    """Sums of moves, game by game; one that costs at least `mistake` points is a mistake."""

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
    return (analysis.game.black if colour == BLACK else analysis.game.white) or colour_name(colour)


#: How sure the network must be of the winner.
SURE = 0.6
#: Games that go to another machine together.
_JUDGED_TOGETHER = 64


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """The winner of a game, as recorded and as the network sees it."""

    game: GoGame
    conditions: Conditions  #: Rules and komi that the network was told.
    moves: int  #: Moves before the position that was judged: all but the passes at the end.
    white_winrate: float  #: White's expected score, 0 to 1.
    white_lead: float  #: White's lead in points.
    winner: int  #: 1 Black, 2 White, 0 undecided.

    @property
    def agrees(self) -> bool | None:
        """Whether the record names the same winner; None if either names none."""
        if self.winner == UNKNOWN or self.game.winner not in (BLACK, WHITE):
            return None
        return self.winner == self.game.winner


@dataclass(slots=True)
class Agreement:
    """Counts of judged games.

    The record names the same winner (`agreeing`) or the other one (`contrary`), or none where the
    network is sure (`unrecorded`); the network is not sure (`undecided`).
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

    Args:
        games: Read as they are needed.
        sure: The least winrate, 0.5 to 1, with which a side is named the winner.
        rules, komi: For all games, in place of those of the records.
        skipped: Takes the games that cannot be judged: illegal moves, impossible boards.

    Yields:
        In the order of the games.
    """
    if not 0.5 <= sure <= 1.0:
        raise UsageError(f"sure is {sure:g}; it must be 0.5 to 1")
    return over_games(
        partial(_asked, partial(_judgement, sure), rules=rules, komi=komi, end=True),
        games,
        network,
        together=_JUDGED_TOGETHER,
        positions=lambda _: 1,
        skipped=SkipReport() if skipped is None else skipped,
    )


def _judgement(sure: float, answer: NetworkAnswer, _: Network) -> Judgement:
    winrate = float(answer.assessment.white_expected[0])
    winner = WHITE if winrate >= sure else BLACK if 1.0 - winrate >= sure else UNKNOWN
    if winrate == 0.5:  # nobody is ahead, however little sureness is asked for
        winner = UNKNOWN
    about = answer.question.about
    moves = int(answer.question.encoded.positions[0])
    lead = float(answer.assessment.white_lead[0])
    return Judgement(about.game, about.conditions, moves, winrate, lead, winner)


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedGames:
    """Analysed games, and what they were analysed with."""

    games: Sequence[GameAnalysis]
    network: str  #: Name of the network.
    phases: Phases
    mistake: float  #: Points that a move must cost to be a mistake.
    skipped: SkipReport  #: Games that could not be read, or not be shown to the network.

    def totals(self, game: GameAnalysis) -> list[Total]:
        """Of both sides of a game."""
        return game_totals(game, mistake=self.mistake)

    def players(self) -> list[Total]:
        """Of each player over all games."""
        return player_totals(self.games, mistake=self.mistake)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedGames:
    """Judged games."""

    games: Sequence[Judgement]  #: Without the moves of the games.
    agreement: Agreement  #: Their counts.
    network: str  #: Name of the network.
    sure: float  #: How sure it must be.
    skipped: SkipReport


def analyse_files(
    paths: Sequence[str],
    network: Network,
    *,
    numbers: Sequence[int] = (),
    variations: bool = False,
    rules: Rules | None = None,
    komi: float | None = None,
    phases: Phases | None = None,
    mistake: float = MISTAKE,
    effort: LossEffort | None = None,
    strict: bool = False,
) -> AnalysedGames:
    """Analyse the games of some SGF files.

    Args:
        paths: Files, folders, patterns, archives, or - for standard input.
        numbers: Only these games, counted over all files from 1.
        variations: Take every line of play as a game of its own.
        rules, komi, phases, effort: As for `yardstone.go.analysis.analyse_games`.
        mistake: Points that a move must cost to be a mistake.
        strict: Raise at the first record that cannot be used.

    Raises:
        InputError: There is no such file or game, or none can be used.
        StrictError: With `strict`.
    """
    if not mistake > 0.0:
        raise UsageError(f"a mistake costs {mistake:g} points: it must be more than 0")
    reader = SgfReader(*paths, variations=variations, strict=strict)
    games = _numbered(reader, numbers)
    skipped = reader.skipped
    ends = Phases() if phases is None else phases
    analyses = partial(analyse_games, rules=rules, komi=komi, phases=ends, effort=effort)
    analysed = list(analyses(games, network, skipped=skipped))
    require_games(len(analysed), skipped, strict=strict)
    return AnalysedGames(analysed, network.name, ends, mistake, skipped)


def _numbered(games: Iterable[GoGame], numbers: Sequence[int]) -> list[GoGame]:
    """All games, or those of these numbers."""
    if not numbers:
        return list(games)
    chosen, count = [], 0
    for count, game in enumerate(games, 1):
        if count in numbers:
            chosen.append(game)
    if missing := [number for number in numbers if number > count]:
        raise InputError(f"there is no game {missing[0]}", hint=f"there are {count}")
    return chosen


def judge_files(
    paths: Sequence[str],
    network: Network,
    *,
    sure: float = SURE,
    rules: Rules | None = None,
    komi: float | None = None,
    strict: bool = False,
) -> JudgedGames:
    """Judge who has won each game of some SGF files; the parameters are those of `judge_games`.

    Only one game at a time is held with its moves.
    """
    reader = SgfReader(*paths, strict=strict)
    skipped = reader.skipped
    agreement = Agreement()
    judgements = []
    judged = partial(judge_games, sure=sure, rules=rules, komi=komi, skipped=skipped)
    for judgement in judged(reader, network):
        agreement.add(judgement)
        game = judgement.game
        moves, colours = game.moves[:0].copy(), game.colours[:0].copy()
        game = replace(game, moves=moves, colours=colours, properties={}, time_left=None)
        judgements.append(replace(judgement, game=game))
    require_games(len(judgements), skipped, strict=strict)
    return JudgedGames(judgements, agreement, network.name, sure, skipped)
