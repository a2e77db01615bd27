"""Sets problems into whole games in which their position occurs.

Neubauer 2024, section 7.2.1, with captures played out on the board, and games whose
turn it really is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.go.patterns.pattern import allowed
from yardstone.go.patterns.search import find_patterns
from yardstone.go.points import EMPTY, opponent
from yardstone.strength.trickplay.settling import Settled, settle, without_history

if TYPE_CHECKING:
    from numpy.random import Generator

    from yardstone.go.patterns.index import GameIndex
    from yardstone.go.patterns.pattern import Pattern
    from yardstone.go.patterns.search import Matches
    from yardstone.records.go_game import GoGame
    from yardstone.strength.trickplay.problem import Problem, Variation

__all__ = ["Completion", "complete_problems"]

#: Ways to take stones off a pattern that are looked at.
_MOST_REDUCTIONS = 2000
#: Matches of one pattern among which games are chosen.
_MOST_MATCHES = 200_000

Stones = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Completion:
    """A problem with the whole boards on which it stands.

    Attributes
    ----------
    problem : Problem
    found : int
        How often its position occurs in the games, runs of positions counted once.
    put_back : tuple of (int, int)
        Stones, as points and colours, that had to be taken off to find it, in the
        order in which they were put back; empty if the position itself occurs.
    found_without : int
        How often what was left of it occurs; 0 if nothing was taken off.
    boards : tuple of Settled
        The games chosen; empty if it was not found at all.
    """

    problem: Problem
    found: int
    put_back: Stones
    found_without: int
    boards: tuple[Settled, ...]

    def game(self, board: Settled, variation: Variation, *, history: bool = True) -> GoGame:
        """The game up to the problem's position, and then a variation.

        Without `history` the position is set up, and the game begins with the variation.
        """
        start = board.game if history else without_history(board.game, self.problem.to_answer)
        return replace(
            start,
            moves=np.concatenate([start.moves, board.shifted(variation.points)]),
            colours=np.concatenate([start.colours, variation.colours]),
        )


def complete_problems(
    problems: Sequence[Problem],
    index: GameIndex,
    *,
    boards: int = 1,
    reduce: int = 3,
    seed: int | None = None,
    changes: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Completion]:
    """Find whole boards for problems.

    Of all games in which a position stands those are taken in which it came earliest,
    is really the turn of the side to answer, and allows all the variations. A position
    that does not occur is reduced: its last stone is taken off, what is left is looked
    for, and the stone is played again. Where the last stone is not known, every stone
    of the opponent is tried, and that is taken off without which the position occurs
    most often; then a stone of the side to answer as well, and so on.

    Parameters
    ----------
    problems : sequence of Problem
    index : GameIndex
    boards : int
        Games for each problem, with different positions; fewer if there are not as many.
    reduce : int
        Stones that may be taken off.
    seed : int, optional
        Take games at random in place of the earliest positions.
    changes : mapping, optional
        By the name of a problem: points of the completed board and the colours (0
        empty) that are put there by hand. The game then begins from that position.
    workers, progress : optional
        As for `yardstone.go.patterns.find_patterns`.

    Returns
    -------
    list of Completion
        One for each problem.
    """
    if boards < 1 or reduce < 0:
        raise UsageError("boards must be at least 1 and reduce at least 0")
    by_hand = changes or {}
    if unknown := set(by_hand) - {problem.name for problem in problems}:
        raise UsageError(f"there is no problem {sorted(unknown)[0]!r} to change")
    generators = np.random.default_rng(seed).spawn(len(problems))
    search = _Search(index, boards, None if seed is None else generators, workers, progress)
    matches_of = search.find(problems, [problem.pattern for problem in problems])
    done: list[Completion | None] = [None] * len(problems)
    for number, (problem, matches) in enumerate(zip(problems, matches_of, strict=True)):
        settled = search.settled(number, problem, matches, (), by_hand.get(problem.name, ()))
        if settled:
            done[number] = Completion(problem, matches.total, (), 0, settled)
    for depth in range(1, reduce + 1):
        left = [number for number, completion in enumerate(done) if completion is None]
        for number, completion in search.reduced(problems, left, depth, matches_of, by_hand):
            done[number] = completion
    return [
        Completion(problem, matches.total, (), 0, ()) if completion is None else completion
        for problem, matches, completion in zip(problems, matches_of, done, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Search:
    """Where to look, and what to take."""

    index: GameIndex
    boards: int
    generators: Sequence[Generator] | None
    workers: int | None
    progress: Callable[[int, int], None] | None

    def find(self, problems: Sequence[Problem], patterns: Sequence[Pattern]) -> list[Matches]:
        return find_patterns(
            self.index,
            patterns,
            also=[problem.points for problem in problems],
            most=_MOST_MATCHES,
            workers=self.workers,
            progress=self.progress,
        )

    def settled(
        self,
        number: int,
        problem: Problem,
        matches: Matches,
        put_back: Stones,
        by_hand: Sequence[tuple[int, int]],
    ) -> tuple[Settled, ...]:
        """The games taken; none if there is no match, or none allows the variations."""
        if self.generators is None:
            order = np.lexsort((matches.game, matches.first))
        else:
            order = self.generators[number].permutation(len(matches))
        return settle(self.index, problem, matches, order, put_back, by_hand, self.boards)

    def reduced(
        self,
        problems: Sequence[Problem],
        left: Sequence[int],
        depth: int,
        matches_of: Sequence[Matches],
        by_hand: Mapping[str, Sequence[tuple[int, int]]],
    ) -> list[tuple[int, Completion]]:
        """What is found of some problems without so many of their stones."""
        tries = [
            (number, removed, pattern)
            for number in left
            for removed, pattern in _reductions(problems[number], depth)
        ]
        if not tries:
            return []
        matches = self.find(
            [problems[number] for number, _, _ in tries], [pattern for _, _, pattern in tries]
        )
        result = []
        for number in left:
            own = [k for k, (owner, _, _) in enumerate(tries) if owner == number]
            own.sort(key=lambda k: -matches[k].total)
            problem = problems[number]
            for k in own:
                put_back = tries[k][1]
                boards = self.settled(
                    number, problem, matches[k], put_back, by_hand.get(problem.name, ())
                )
                if boards:
                    completion = Completion(
                        problem, matches_of[number].total, put_back, matches[k].total, boards
                    )
                    result.append((number, completion))
                    break
        return result


def _reductions(problem: Problem, depth: int) -> list[tuple[Stones, Pattern]]:
    """A pattern without its last stones, and these in the order in which they were played.

    The last stone is the opponent's, the one before it of the side to answer, and so on.
    """
    answer, other = problem.to_answer, opponent(problem.to_answer)
    pattern = problem.pattern
    stones = {
        colour: [int(p) for p in pattern.stones if pattern.colour(int(p)) == colour]
        for colour in (answer, other)
    }
    if len(pattern.stones) <= depth:
        return []
    known = [problem.last] if problem.last >= 0 else []
    rest = [point for point in stones[other] if point not in known]
    theirs = combinations(rest, (depth + 1) // 2 - len(known))
    reductions: list[tuple[Stones, Pattern]] = []
    for others in theirs:
        for mine in combinations(stones[answer], depth // 2):
            if len(reductions) == _MOST_REDUCTIONS:
                return reductions
            off = pattern.changed((point, allowed(EMPTY)) for point in (*others, *known, *mine))
            backwards = [
                (stone, colour)
                for pair in _pairs([*others, *known][::-1], list(mine), other, answer)
                for stone, colour in pair
            ]
            reductions.append((tuple(backwards[::-1]), off))
    return reductions


def _pairs(
    theirs: list[int], mine: list[int], other: int, answer: int
) -> list[list[tuple[int, int]]]:
    """Stones of both sides in turn, beginning with the other's."""
    return [
        [(point, other), *([(mine[k], answer)] if k < len(mine) else [])]
        for k, point in enumerate(theirs)
    ]
