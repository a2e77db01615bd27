"""Chooses among the games in which a pattern stands, and turns them as the problem lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import IllegalMove, InputError
from yardstone.go.board import Board
from yardstone.go.patterns.pattern import back_to_front
from yardstone.go.points import BLACK, EMPTY, PASS, WHITE, colour_name, opponent, point_name
from yardstone.go.rules import NAMED_RULES
from yardstone.records.go_game import DRAWN, UNKNOWN, GoGame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.patterns.index import GameIndex
    from yardstone.go.patterns.pattern import Placement
    from yardstone.go.patterns.search import Matches
    from yardstone.strength.trickplay.problem import Problem, Variation

__all__ = ["Change", "Settled", "settle", "without_history"]

#: Matches that are looked at for each problem.
_MOST_TRIED = 3000
#: What a variation may not break: no suicide, no ko taken back at once.
_RULES = NAMED_RULES["japanese"]
_PUT_BACK, _PASS, _BY_HAND = "put back", "pass", "by hand"


@dataclass(frozen=True, slots=True)
class Change:
    """What a completed board has that the game had not.

    Attributes
    ----------
    kind : str
        ``put back``, ``by hand`` or ``pass``.
    point : int
        Where on the completed board; -1 for a pass.
    colour : int
        0 where a stone was taken off by hand.
    """

    kind: str
    point: int
    colour: int

    def text(self, size: int) -> str:
        """In words, such as ``White R5 put back``."""
        if self.kind == _PASS:
            return f"{colour_name(self.colour)} passes"
        what = "empty" if self.colour == EMPTY else colour_name(self.colour)
        return f"{what} {point_name(self.point, size)} {self.kind}"


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A problem on a whole board.

    Attributes
    ----------
    game : GoGame
        The game, turned and with its colours as in the problem, up to its position.
    number : int
        The game's number in the index.
    moves : int
        Moves of that game that were taken over.
    placement : Placement
        How the problem lies in the game as it was played.
    changes : tuple of Change
    """

    game: GoGame
    number: int
    moves: int
    placement: Placement
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
    chosen: list[Settled] = []
    positions: set[bytes] = set()
    waiting: list[tuple[int, GoGame]] = []
    turn = put_back[0][1] if put_back else problem.to_answer
    for match in order[:_MOST_TRIED].tolist():
        if len(chosen) == number:
            break
        game = index.game(int(matches.game[match]))
        placement = matches.placements[int(matches.way[match])]
        mover = opponent(turn) if placement.swapped else turn
        first, last = int(matches.first[match]), int(matches.last[match])
        moment = next(
            (m for m in (first, first + 1) if m <= last and _turn(game, m) == mover), None
        )
        if moment is None:
            if len(waiting) < number:
                waiting.append((match, game))
            continue
        settled = _settled(problem, game, match, matches, moment, (), put_back, by_hand)
        _keep(settled, chosen, positions)
    if not chosen:
        for match, game in waiting:
            passes = (Change(_PASS, PASS, opponent(turn)),)
            moment = int(matches.first[match])
            settled = _settled(problem, game, match, matches, moment, passes, put_back, by_hand)
            _keep(settled, chosen, positions)
    return tuple(chosen)


def _keep(
    settled: tuple[Settled, bytes] | None, chosen: list[Settled], positions: set[bytes]
) -> None:
    if settled is not None and settled[1] not in positions:
        positions.add(settled[1])
        chosen.append(settled[0])


def _turn(game: GoGame, moment: int) -> int:
    """Who is next after so many moves."""
    if moment < len(game.moves):
        return int(game.colours[moment])
    return opponent(int(game.colours[-1])) if len(game.colours) else game.to_play


def _settled(
    problem: Problem,
    game: GoGame,
    match: int,
    matches: Matches,
    moment: int,
    before: tuple[Change, ...],
    put_back: Sequence[tuple[int, int]],
    by_hand: Sequence[tuple[int, int]],
) -> tuple[Settled, bytes] | None:
    """The problem on a game's board with its stones; None if a variation cannot be played."""
    placement = matches.placements[int(matches.way[match])]
    turned = _turned(game, placement, moment)
    shift = placement.down * game.size + placement.right
    added = [*before, *(Change(_PUT_BACK, point + shift, colour) for point, colour in put_back)]
    turned = replace(
        turned,
        moves=np.concatenate([turned.moves, np.array([c.point for c in added], np.int16)]),
        colours=np.concatenate([turned.colours, np.array([c.colour for c in added], np.int8)]),
    )
    try:
        board = _board_after(turned)
        if by_hand:
            changes = [Change(_BY_HAND, point, colour) for point, colour in by_hand]
            turned, board = _changed(turned, board, changes, problem.to_answer)
            added += changes
        if not _shows(board, problem, placement):
            return None
        for variation in problem.variations:
            _play(board.copy(), variation, shift)
    except (IllegalMove, InputError):
        return None
    number = int(matches.game[match])
    settled = Settled(turned, number, moment, placement, tuple(added))
    return settled, board.stones.tobytes()


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


@cache
def _table(size: int) -> NDArray[np.int32]:
    return back_to_front(size)


def _board_after(game: GoGame) -> Board:
    board = Board(
        game.size, _RULES, setup_black=game.setup_black, setup_white=game.setup_white,
        to_play=game.to_play,
    )  # fmt: skip
    for point, colour in zip(game.moves.tolist(), game.colours.tolist(), strict=True):
        board.play(point, colour, tolerant=True)
    return board


def _changed(
    game: GoGame, board: Board, changes: Sequence[Change], to_play: int
) -> tuple[GoGame, Board]:
    """The position with stones changed by hand, as the beginning of a game."""
    stones = board.stones
    for change in changes:
        stones[change.point] = change.colour
    changed = _set_up(game, stones, to_play)
    return changed, _board_after(changed)


def without_history(game: GoGame, to_play: int) -> GoGame:
    """A game that begins from the last position of another."""
    return _set_up(game, _board_after(game).stones, to_play)


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


def _shows(board: Board, problem: Problem, placement: Placement) -> bool:
    """Whether the problem's position stands on the board."""
    size = problem.size
    moved = np.roll(
        problem.pattern.points.reshape(size, size), (placement.down, placement.right), (0, 1)
    )
    return bool((moved.reshape(-1) >> board.stones & 1).all())


def _play(board: Board, variation: Variation, shift: int) -> None:
    """Play a variation; raises IllegalMove where that is not possible."""
    points, colours = variation.points.tolist(), variation.colours.tolist()
    for point, colour in zip(points, colours, strict=True):
        board.play(point if point == PASS else point + shift, colour)
