"""Sets problems into whole games in which their position occurs.

Neubauer 2024, section 7.2.1, with captures played out on the board, and games whose
turn it really is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, zip_longest
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import IllegalMove, InputError, UsageError
from yardstone.go.board import Board
from yardstone.go.patterns.pattern import Pattern, Placement, allowed, back_to_front
from yardstone.go.patterns.search import Matches, find_patterns
from yardstone.go.points import BLACK, EMPTY, PASS, WHITE, colour_name, opponent, point_name
from yardstone.go.rules import NAMED_RULES
from yardstone.records.go_game import DRAWN, UNKNOWN, GoGame

if TYPE_CHECKING:
    from yardstone.go.patterns.index import GameIndex
    from yardstone.strength.trickplay.problems import Problem, Variation

#: Ways to take stones off a pattern that are looked at.
_MOST_REDUCTIONS = 2000
#: Matches of one pattern among which games are chosen.
_MOST_MATCHES = 200_000

Stones = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Completion:
    """A problem with the whole boards on which it stands."""

    problem: Problem
    found: int  #: How often its position occurs in the games, runs of positions counted once.
    #: Stones, as points and colours, that had to be taken off to find it, in the order in which
    #: they were put back; empty if the position itself occurs.
    put_back: Stones
    found_without: int  #: How often what was left of it occurs; 0 if nothing was taken off.
    boards: tuple[Settled, ...]  #: The games chosen; empty if it was not found at all.

    def game(self, board: Settled, variation: Variation, *, history: bool = True) -> GoGame:
        """The game up to the problem's position, and then a variation.

        Without `history` the position is set up, and the game begins with the variation.
        """
        start = board.game
        if not history:
            start = _set_up(start, _board_after(start).stones, self.problem.to_answer)
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
) -> list[Completion]:
    """Find whole boards for problems.

    Of all games in which a position stands those are taken in which it came earliest, is really the
    turn of the side to answer, and allows all the variations. A position that does not occur is
    reduced: its last stone is taken off, what is left is looked for, and the stone is played again.
    Where the last stone is not known, every stone of the opponent is tried, and that is taken off
    without which the position occurs most often; then a stone of the side to answer as well, and so
    on. There is one for each problem.

    Args:
        boards: Games for each problem, with different positions; fewer if there are not as many.
        reduce: Stones that may be taken off.
        seed: Take games at random in place of the earliest positions.
        changes: By the name of a problem: points of the completed board and the colours (0 empty)
            that are put there by hand. The game then begins from that position.
    """
    if boards < 1 or reduce < 0:
        raise UsageError("boards must be at least 1 and reduce at least 0")
    by_hand = changes or {}
    if unknown := set(by_hand) - {problem.name for problem in problems}:
        raise UsageError(f"there is no problem {sorted(unknown)[0]!r} to change")
    generators = np.random.default_rng(seed).spawn(len(problems))

    def find(numbers: Iterable[int], patterns: Sequence[Pattern]) -> list[Matches]:
        return find_patterns(
            index,
            patterns,
            also=[problems[number].points for number in numbers],
            most=_MOST_MATCHES,
        )

    def settled(number: int, matches: Matches, put_back: Stones) -> tuple[Settled, ...]:
        if seed is None:
            order = np.lexsort((matches.game, matches.first))
        else:
            order = generators[number].permutation(len(matches))
        hand = by_hand.get(problems[number].name, ())
        return settle(index, problems[number], matches, order, put_back, hand, boards)

    found = find(range(len(problems)), [problem.pattern for problem in problems])
    done = [
        Completion(problem, matches.total, (), 0, settled(number, matches, ()))
        for number, (problem, matches) in enumerate(zip(problems, found, strict=True))
    ]
    for depth in range(1, reduce + 1):
        tries = [
            (number, removed, pattern)
            for number, each in enumerate(done)
            if not each.boards
            for removed, pattern in _reductions(each.problem, depth)
        ]
        if not tries:
            continue
        found = find([number for number, _, _ in tries], [pattern for _, _, pattern in tries])
        for k in sorted(range(len(tries)), key=lambda k: -found[k].total):
            number, put_back, _ = tries[k]
            if done[number].boards or not (whole := settled(number, found[k], put_back)):
                continue
            done[number] = replace(
                done[number], put_back=put_back, found_without=found[k].total, boards=whole
            )
    return done


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
            pairs = zip_longest([*others, *known][::-1], mine)
            backwards = [
                (stone, colour)
                for pair in pairs
                for stone, colour in zip(pair, (other, answer), strict=True)
                if stone is not None
            ]
            reductions.append((tuple(backwards[::-1]), off))
    return reductions


#: Matches that are looked at for each problem.
_MOST_TRIED = 3000
#: What a variation may not break: no suicide, no ko taken back at once.
_RULES = NAMED_RULES["japanese"]
_PUT_BACK, _PASS, _BY_HAND = "put back", "pass", "by hand"


@dataclass(frozen=True, slots=True)
class Change:
    """What a completed board has that the game had not."""

    kind: str  #: ``put back``, ``by hand`` or ``pass``.
    point: int  #: Where on the completed board; -1 for a pass.
    colour: int  #: 0 where a stone was taken off by hand.

    def text(self, size: int) -> str:
        """In words, such as ``White R5 put back``."""
        if self.kind == _PASS:
            return f"{colour_name(self.colour)} passes"
        what = "empty" if self.colour == EMPTY else colour_name(self.colour)
        return f"{what} {point_name(self.point, size)} {self.kind}"


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A problem on a whole board."""

    game: GoGame  #: The game, turned and with its colours as in the problem, up to its position.
    number: int  #: The game's number in the index.
    moves: int  #: Moves of that game that were taken over.
    placement: Placement  #: How the problem lies in the game as it was played.
    changes: tuple[Change, ...]

    def shifted(self, points: NDArray[np.int16]) -> NDArray[np.int16]:
        """Where points of the problem lie on this board."""
        by = self.placement.down * self.game.size + self.placement.right
        return np.where(points == PASS, PASS, points + by).astype(np.int16)


def settle(
    index: GameIndex,
    problem: Problem,
    matches: Matches,
    order: NDArray[np.intp],
    put_back: Sequence[tuple[int, int]],
    by_hand: Sequence[tuple[int, int]],
    number: int,
) -> tuple[Settled, ...]:
    """Take the first games, in some order, that suit a problem.

    It must be the turn of the side to answer (or of the first stone to be put back),
    at once or after one more move elsewhere. Where that is so in no game, the other
    side passes.
    """
    chosen: dict[bytes, Settled] = {}
    waiting: list[tuple[int, GoGame]] = []
    turn = put_back[0][1] if put_back else problem.to_answer

    def take(game: GoGame, match: int, moment: int, *before: Change) -> None:
        """Choose a game, unless its board is chosen already or allows not all the variations."""
        placement = matches.placements[int(matches.way[match])]
        turned = _turned(game, placement, moment)
        shift = placement.down * game.size + placement.right
        added = [*before, *(Change(_PUT_BACK, point + shift, colour) for point, colour in put_back)]
        turned = replace(
            turned,
            moves=np.concatenate([turned.moves, np.array([c.point for c in added], np.int16)]),
            colours=np.concatenate([turned.colours, np.array([c.colour for c in added], np.int8)]),
        )
        size = problem.size
        pattern = problem.pattern.points.reshape(size, size)
        pattern = np.roll(pattern, (placement.down, placement.right), (0, 1))
        try:
            board = _board_after(turned)
            if by_hand:
                changes = [Change(_BY_HAND, point, colour) for point, colour in by_hand]
                stones = board.stones
                for change in changes:
                    stones[change.point] = change.colour
                turned = _set_up(turned, stones, problem.to_answer)
                board = _board_after(turned)
                added += changes
            if not (pattern.reshape(-1) >> board.stones & 1).all():
                return
            for variation in problem.variations:
                _play(board.copy(), variation, shift)
        except (IllegalMove, InputError):
            return
        number = int(matches.game[match])
        settled = Settled(turned, number, moment, placement, tuple(added))
        chosen.setdefault(board.stones.tobytes(), settled)

    for match in order[:_MOST_TRIED].tolist():
        if len(chosen) == number:
            break
        game = index.game(int(matches.game[match]))
        mover = opponent(turn) if matches.placements[int(matches.way[match])].swapped else turn
        first, last = int(matches.first[match]), int(matches.last[match])
        moment = next(
            (m for m in (first, first + 1) if m <= last and _turn(game, m) == mover), None
        )
        if moment is not None:
            take(game, match, moment)
        elif len(waiting) < number:
            waiting.append((match, game))
    if not chosen:
        for match, game in waiting:
            take(game, match, int(matches.first[match]), Change(_PASS, PASS, opponent(turn)))
    return tuple(chosen.values())


def _turn(game: GoGame, moment: int) -> int:
    """Who is next after so many moves."""
    if moment < len(game.moves):
        return int(game.colours[moment])
    return opponent(int(game.colours[-1])) if len(game.colours) else game.to_play


def _turned(game: GoGame, placement: Placement, moment: int) -> GoGame:
    """The beginning of a game as the problem lies, with the problem's colours."""
    table = _table(game.size)[placement.symmetry]

    def there(points: NDArray[np.int16]) -> NDArray[np.int16]:
        return np.where(points == PASS, PASS, table[points]).astype(np.int16)

    turned = replace(
        game,
        moves=there(game.moves[:moment]),
        colours=game.colours[:moment].astype(np.int8),
        setup_black=there(game.setup_black),
        setup_white=there(game.setup_white),
        time_left=None,
    )
    if not placement.swapped:
        return turned
    winner = game.winner if game.winner in (DRAWN, UNKNOWN) else opponent(game.winner)
    return replace(
        turned,
        colours=(BLACK + WHITE - turned.colours).astype(np.int8),
        setup_black=turned.setup_white,
        setup_white=turned.setup_black,
        to_play=opponent(game.to_play),
        black=game.white,
        white=game.black,
        black_rank=game.white_rank,
        white_rank=game.black_rank,
        handicap=0,
        winner=winner,
        result="",
    )


_table = cache(back_to_front)


def _board_after(game: GoGame) -> Board:
    board = Board(
        game.size, _RULES, setup_black=game.setup_black, setup_white=game.setup_white,
        to_play=game.to_play,
    )  # fmt: skip
    for point, colour in zip(game.moves.tolist(), game.colours.tolist(), strict=True):
        board.play(point, colour, tolerant=True)
    return board


def _set_up(game: GoGame, stones: NDArray[np.int8], to_play: int) -> GoGame:
    black, white = (np.flatnonzero(stones == colour).astype(np.int16) for colour in (BLACK, WHITE))
    return replace(
        game,
        setup_black=black,
        setup_white=white,
        moves=game.moves[:0],
        colours=game.colours[:0],
        to_play=to_play,
        handicap=0,
    )


def _play(board: Board, variation: Variation, shift: int) -> None:
    """Play a variation; raises IllegalMove where that is not possible."""
    points, colours = variation.points.tolist(), variation.colours.tolist()
    for point, colour in zip(points, colours, strict=True):
        board.play(point if point == PASS else point + shift, colour)
