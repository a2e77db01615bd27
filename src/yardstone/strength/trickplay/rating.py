"""Find trick plays in files, and rate the answers by the moves of the side to answer alone.

Neubauer 2024, section 7.2.2, with the rank model in place of the thesis' full model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.files import scratch_folder
from yardstone.go.evaluator import Evaluator, ask, over_games
from yardstone.go.features import move_features
from yardstone.go.patterns.index import MARK, GameIndex, build_index
from yardstone.go.points import PASS, point_number
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.parallel import Track
from yardstone.pool import SkipReport
from yardstone.strength.evidence import KINDS, Evidence, evidence_of_games
from yardstone.strength.players import BOARD, KOMI
from yardstone.strength.site_scales import SiteScale, site_scale
from yardstone.strength.strengths import Rated, Rater
from yardstone.strength.trickplay.completion import Completion, complete_problems
from yardstone.strength.trickplay.problems import (
    FAILURE,
    REFUTATION,
    Problem,
    Variation,
    read_problems,
)

if TYPE_CHECKING:
    from yardstone.arrays import Ints
    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame
    from yardstone.strength.model import StrengthModel

#: Which moves of the side to answer are rated: the first so many, or as named.
Moves: TypeAlias = int | Literal["all", "equal"]


#: Moves before a variation that the network looks at as well: the last one of either side.
_BEFORE = 2
#: Answers that go to another machine together.
_TOGETHER = 16


@dataclass(frozen=True, slots=True, eq=False)
class RatedVariation:
    """How strong a player looks who answers so."""

    variation: Variation
    #: From the moves of the side to answer, on each of the completed boards.
    boards: tuple[Rated, ...]
    #: Points that its moves cost together by single looks, mean of the boards: too rough to be told
    #: of one variation (`yardstone.go.losses` says why).
    loss: float

    @property
    def rating(self) -> float:
        """On the Fox scale, the mean of the boards."""
        return float(np.mean([board.rating for board in self.boards]))

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The interval of the strength, the mean of those of the boards.

        None where that of a board has no end.
        """
        return _mean(board.low for board in self.boards), _mean(board.high for board in self.boards)

    @property
    def spread(self) -> float:
        """Standard deviation of the rating between boards; 0 with one board."""
        if len(self.boards) < 2:
            return 0.0
        return float(np.std([board.rating for board in self.boards], ddof=1))

    @property
    def moves(self) -> int:
        """Moves of the side to answer."""
        return self.boards[0].moves


@dataclass(frozen=True, slots=True, eq=False)
class RatedProblem:
    """A problem with its answers rated."""

    completion: Completion
    #: In the order of the problem; empty if no board was found.
    variations: tuple[RatedVariation, ...]

    @property
    def problem(self) -> Problem:
        """What was rated."""
        return self.completion.problem

    @property
    def refutation(self) -> RatedVariation | None:
        """The first refutation."""
        return next((each for each in self.variations if each.variation.kind == REFUTATION), None)

    @property
    def failure(self) -> RatedVariation | None:
        """The failure that is rated highest."""
        failures = [each for each in self.variations if each.variation.kind == FAILURE]
        return max(failures, key=lambda rated: rated.rating, default=None)

    @property
    def difference(self) -> float | None:
        """Refutation less failure, in ranks; None if one of them is missing."""
        if self.refutation is None or self.failure is None:
            return None
        return self.refutation.rating - self.failure.rating

    @property
    def surprising(self) -> bool:
        """Whether a failure is rated as high as the refutation, or higher."""
        return self.difference is not None and self.difference <= 0.0


def rate_problems(
    completions: Sequence[Completion],
    model: StrengthModel,
    network: Network,
    *,
    scale: str | None = None,
    level: float = 0.9,
    moves: Moves = "equal",
    history: bool = True,
) -> list[RatedProblem]:
    """Rate all variations of completed problems.

    Few moves say little, so a rating from few moves stays near that of nobody in particular; and
    books play a local position to its end where a player would have turned elsewhere. Either way
    the length of a variation has a say, so as many moves of each variation are rated unless told
    otherwise. Raises `UsageError` if a board has another size, or the level or the number of moves
    cannot be.

    Args:
        completions: From `complete_problems`, on boards of 19x19.
        network: The one that the model was trained on (`yardstone.strength.players.model_network`).
        scale: One of the model's scales; by default its first.
        level: Of the intervals, 0 to 1.
        moves (int, "all" or "equal"): Moves of the side to answer that are rated: the first so
            many; all of them, as in the thesis; or of each variation as many as the shortest of the
            problem has.
        history: Show the network the moves that led to the position; without them the position is
            set up, as in the thesis.
    """
    _check(completions, level, moves)
    answers = answer_evidence(completions, network, history=history)
    return rate_answers(completions, answers, model, scale=scale, level=level, moves=moves)


def _check(completions: Sequence[Completion], level: float, moves: Moves) -> None:
    if isinstance(moves, int) and moves < 1:
        raise UsageError(f"{moves} moves say nothing: rate at least 1")
    if not 0.0 < level < 1.0:
        raise UsageError(f"a level of {level:g} is not between 0 and 1")
    for completion in completions:
        if completion.boards and completion.problem.size != BOARD:
            size = completion.problem.size
            raise UsageError(
                f"{completion.problem.name}: a board of {size}x{size}; the model knows "
                f"{BOARD}x{BOARD} only"
            )


def answer_evidence(
    completions: Sequence[Completion], network: Network, *, history: bool = True
) -> list[Evidence]:
    """What the network says of the moves of the side to answer: the slow part of rating.

    Returns for each completion, each of its variations and each of its boards: the moves of the
    side to answer, and before them its last move of the game, if there is one. What is said of a
    move depends on both what went before and what comes after.
    """
    answers = [
        _Answer(completion.game(board, variation, history=history), variation)
        for completion in completions
        for variation in completion.problem.variations
        for board in completion.boards
    ]
    return list(
        over_games(
            _evidence_of_answers,
            answers,
            network,
            together=_TOGETHER,
            positions=lambda answer: answer.positions,
            skipped=SkipReport(),
            what="looking at positions",
        )
    )


class _Answer(NamedTuple):
    """A variation at the end of a game."""

    game: GoGame
    variation: Variation

    @property
    def start(self) -> int:
        """Number of the first position that the network looks at."""
        return max(len(self.game.moves) - len(self.variation) - _BEFORE, 0)

    @property
    def positions(self) -> int:
        """Positions that it looks at."""
        return len(self.game.moves) + 1 - self.start


def _evidence_of_answers(
    answers: Iterable[_Answer], network: Network, *, skipped: SkipReport, track: Track | None
) -> Iterator[Evidence]:
    given = list(answers)
    starts = {id(answer.game): answer.start for answer in given}

    def positions(game: GoGame) -> Ints:
        return np.arange(starts[id(game)], len(game.moves) + 1, dtype=np.int32)

    questions = ask(
        (answer.game for answer in given), skipped, network, rules=TROMP_TAYLOR, komi=KOMI,
        positions=positions, trunk=True,
    )  # fmt: skip
    network_answers = Evaluator(network, trunk=KINDS, track=track).answer(questions)
    for each, (_, variation) in zip(network_answers, given, strict=True):
        yield evidence_of_games([move_features(each)], [int(variation.colours[0])])


def rate_answers(
    completions: Sequence[Completion],
    answers: Sequence[Evidence],
    model: StrengthModel,
    *,
    scale: str | None = None,
    level: float = 0.9,
    moves: Moves = "equal",
) -> list[RatedProblem]:
    """Rate what `answer_evidence` gave; the parameters are those of `rate_problems`."""
    _check(completions, level, moves)
    rater, remaining, rated = Rater(model, level, scale), iter(answers), []
    for completion in completions:
        problem = completion.problem
        own = [
            int(np.count_nonzero((each.colours == problem.to_answer) & (each.points != PASS)))
            for each in problem.variations
        ]
        most = moves if isinstance(moves, int) else min(own) if moves == "equal" else max(own)
        variations = []
        pairs = zip(problem.variations, own, strict=True) if completion.boards else ()
        for variation, answered in pairs:
            boards = []
            lost = 0.0
            for _ in completion.boards:
                evidence = next(remaining)
                # Rated as parts of the whole variation: how it goes on is part of a move.
                row = np.arange(len(evidence)) - (len(evidence) - answered)
                chosen = (row >= 0) & (row < most)
                boards.append(rater.whole(evidence, chosen)[0])
                lost += float(np.nansum(evidence.points_lost[chosen]))
            variations.append(RatedVariation(variation, tuple(boards), lost / len(boards)))
        rated.append(RatedProblem(completion, tuple(variations)))
    return rated


def _mean(ends: Iterable[float | None]) -> float | None:
    """The mean of the ends of intervals, if all of them have one."""
    values = list(ends)
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


_COLOURS = {"black": 1, "b": 1, "white": 2, "w": 2, "empty": 0, "e": 0}


@dataclass(frozen=True, slots=True)
class Sought:
    """Which problems are looked for, in which games, and how."""

    problems: Sequence[str]  #: Files of problems.
    games: Sequence[str]  #: An index, or files of games.
    #: Part of the board that SGF problems show, as `read_problems` has it.
    bounds: str | None = None
    #: As `complete_problems` has them.
    boards: int = 1
    reduce: int = 3
    seed: int | None = None
    #: Stones put on the boards of a problem by hand: ``24=black:K4,empty:D3``.
    changes: Sequence[str] = ()
    strict: bool = False  #: Raise at the first problem that cannot be used.


@dataclass(frozen=True, slots=True, eq=False)
class FoundProblems:
    """Problems on boards of games."""

    completions: Sequence[Completion]
    #: Of the index.
    games: int
    positions: int
    skipped: SkipReport  #: Problems that could not be used.
    unread: SkipReport  #: Games that could not be, where an index was made of them.


@dataclass(frozen=True, slots=True, eq=False)
class RatedProblems:
    """Rated problems, and what they were rated with."""

    problems: Sequence[RatedProblem]
    scale: SiteScale  #: On which ratings are shown.
    level: float  #: Of the intervals, 0 to 1.
    moves: Moves  #: Which moves were rated, as `rate_problems` has it.
    network: str
    model: str
    found: FoundProblems

    @property
    def compared(self) -> list[RatedProblem]:
        """Problems with a refutation and a failure."""
        return [problem for problem in self.problems if problem.difference is not None]

    def difference(self, problem: RatedProblem) -> float | None:
        """Refutation less failure on the scale shown."""
        if problem.refutation is None or problem.failure is None:
            return None
        rate = self.scale.rating
        difference = rate(problem.refutation.rating) - rate(problem.failure.rating)
        return round(float(difference), self.scale.digits) + 0.0


def find_problem_files(sought: Sought) -> FoundProblems:
    """Find the positions of problems in games.

    Raises `InputError` if a file does not exist or is damaged, or no problem can be used.
    """
    problems, skipped = read_problems(*sought.problems, bounds=sought.bounds, strict=sought.strict)
    indices = [path for path in sought.games if _is_index(Path(path))]
    if indices and len(sought.games) > 1:
        raise UsageError("--games: name one index, or files of games")
    with ExitStack() as stack:
        if indices:
            index, unread = GameIndex(indices[0]), SkipReport()
        else:
            folder = stack.enter_context(scratch_folder())  # gone afterwards
            index, unread = build_index(sought.games, folder / "games.idx")
        completions = complete_problems(
            problems,
            index,
            boards=sought.boards,
            reduce=sought.reduce,
            seed=sought.seed,
            changes=_changes(sought.changes, problems),
        )
        return FoundProblems(completions, len(index), index.positions, skipped, unread)


def rate_problem_files(
    sought: Sought,
    model: StrengthModel,
    network: Network,
    *,
    scale: str = "fox",
    level: float = 0.9,
    moves: Moves = "equal",
    history: bool = True,
) -> RatedProblems:
    """Find problems in games, and rate their variations.

    The parameters are those of `find_problem_files` and `rate_problems`; `scale` is the one
    to show the ratings on.
    """
    shown_scale = site_scale(scale)
    found = find_problem_files(sought)
    rated = rate_problems(
        found.completions,
        model,
        network,
        scale=shown_scale.basis,
        level=level,
        moves=moves,
        history=history,
    )
    name = str(model.card["name"])
    return RatedProblems(rated, shown_scale, level, moves, network.name, name, found)


def _is_index(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


def _changes(texts: Sequence[str], problems: Sequence[Problem]) -> dict[str, list[tuple[int, int]]]:
    """Points and colours by the name of the problem."""
    sizes = {problem.name: problem.size for problem in problems}
    changes: dict[str, list[tuple[int, int]]] = {}
    for text in texts:
        name, equals, stones = text.rpartition("=")
        if not equals or not stones:
            raise UsageError(f"--change {text}: write PROBLEM=COLOUR:POINT,…")
        if name not in sizes:
            raise UsageError(f"--change {text}: there is no problem {name!r}")
        for stone in stones.split(","):
            colour, _, point = stone.strip().partition(":")
            if colour.lower() not in _COLOURS:
                raise UsageError(f"--change {text}: {colour!r} is not black, white or empty")
            try:
                place = point_number(point, sizes[name])
            except InputError as error:
                raise UsageError(f"--change {text}: {error}") from None
            if place == PASS:
                raise UsageError(f"--change {text}: name a point")
            changes.setdefault(name, []).append((place, _COLOURS[colour.lower()]))
    return changes
