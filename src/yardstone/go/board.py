"""A Go board that knows the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yardstone.arrays import Flags, Ints
from yardstone.errors import IllegalMove, InputError
from yardstone.go._board import Position
from yardstone.go._ladders import LadderReader
from yardstone.go.points import (
    BLACK,
    EMPTY,
    PASS,
    PLAYER_KEYS,
    WHITE,
    check_size,
    colour_name,
    neighbours,
    opponent,
    point_array,
    point_name,
    point_number,
)
from yardstone.go.rules import TROMP_TAYLOR, Rules

_SIGNS = ".XO"


@dataclass(frozen=True, slots=True, eq=False)
class Ladders:
    """Chains that are caught in ladders."""

    #: Stones of chains with one liberty that cannot get away by moving first, and of chains with
    #: two that can be caught by the opponent moving first.
    caught: Flags
    #: By colour (1 Black, 2 White): the moves of the opponent that catch chains of that colour with
    #: two liberties.
    catching: dict[int, Flags]


class Board:
    """A board, the stones on it, and what the past forbids.

    Points are numbers (`yardstone.go.points`), colours 1 for Black and 2 for
    White. Anybody may play at any time; the ko rule looks at who is next, which is
    taken to be the opponent of whoever has just played.

    Args:
        size: 2 to 19.
        rules: What is forbidden, and how to score.
        setup_black, setup_white (array_like of int): Stones that stand there from the beginning.
        to_play: Who is to begin; it matters for situational superko only.

    Attributes:
        size: Number of lines.
        rules: The rules.
        to_play: Who is next: the opponent of whoever played last.

    Raises:
        InputError: If there is no such board, or a stone stands outside it, twice, or without
            liberties.

    Examples:
        >>> board = Board(5)
        >>> for move in ("B3", "A3", "A2", "C3", "A4"):
        ...     captured = board.play_name(move)
        >>> captured.tolist()
        [10]
        >>> print(board)
        5 . . . . .
        4 X . . . .
        3 . X O . .
        2 X . . . .
        1 . . . . .
          A B C D E
    """

    def __init__(
        self,
        size: int = 19,
        rules: Rules = TROMP_TAYLOR,
        *,
        setup_black: ArrayLike = (),
        setup_white: ArrayLike = (),
        to_play: int = BLACK,
    ) -> None:
        self._position = set_up(size, point_array(setup_black), point_array(setup_white))
        self.size = int(size)
        self.rules = rules
        self.to_play = to_play
        self._reached = {self._repetition(self._position.key, to_play)}

    def copy(self) -> Self:
        """Return a board that goes its own way from here."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._position, other._reached = self._position.copy(), set(self._reached)
        return other

    @property
    def stones(self) -> NDArray[np.int8]:
        """Colours of the points, shape [size * size]; a copy."""
        stones: NDArray[np.int8] = self._position.colours
        return stones

    @property
    def captures(self) -> tuple[int, int]:
        """Stones that were taken off of Black, and of White."""
        black, white = self._position.captures
        return black, white

    @property
    def ko(self) -> int:
        """The point that the simple ko forbids, or -1."""
        return int(self._position.ko)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """Keys of the position under the eight symmetries (`yardstone.go.points`); a copy."""
        keys: NDArray[np.uint64] = self._position.keys
        return keys

    def chain(self, point: int) -> NDArray[np.int16]:
        """Stones of the chain at a point, in rising order; empty if there is none."""
        if not self._has(point):
            raise IndexError(f"a {self.size}x{self.size} board has no point {point}")
        return np.array(sorted(self._position.chain(point)), np.int16)

    def liberties(self, point: int) -> NDArray[np.int16]:
        """Liberties of the chain at a point, in rising order."""
        around = np.unique(neighbours(self.size)[self.chain(point)])
        empty = np.append(self.stones, -1)[around] == EMPTY
        return np.asarray(around[empty], dtype=np.int16)

    def legal(self, point: int, colour: int | None = None) -> bool:
        """Whether a move is legal; the colour is by default that of who is next."""
        return self._objection(point, self.to_play if colour is None else colour) is None

    def legal_moves(self, colour: int | None = None) -> Flags:
        """All legal moves: shape [size * size + 1], at last the pass."""
        colour = self.to_play if colour is None else colour
        points = range(self.size**2)
        return np.array([*(self._objection(point, colour) is None for point in points), True])

    def play(
        self, point: int, colour: int | None = None, *, tolerant: bool = False
    ) -> NDArray[np.int16]:
        """Play a move, or pass (-1).

        Args:
            point: Where.
            colour: Whose move it is; by default that of who is next.
            tolerant: Play what ko, superko or the ban on suicide forbids, as long as the point is
                empty and the stone does not vanish alone.

        Returns:
            ndarray of int16: Points whose stones came off, in rising order: captured ones, or the
                own ones of a suicide.

        Raises:
            IllegalMove: If the move is not legal; the board remains as it was.
        """
        colour = self.to_play if colour is None else colour
        reason = self._objection(point, colour, tolerant)
        if reason is not None:
            name = point_name(point, self.size) if self._has(point) else str(point)
            raise IllegalMove(f"{colour_name(colour)} {name}: {reason}")
        before = self.stones
        self._position.play(point, colour)
        self.to_play = opponent(colour)
        self._reached.add(self._repetition(self._position.key, self.to_play))
        if point != PASS:
            before[point] = colour
        return np.flatnonzero((before != EMPTY) & (self.stones == EMPTY)).astype(np.int16)

    def play_name(self, name: str, colour: int | None = None) -> NDArray[np.int16]:
        """Play a move written as ``Q16`` or ``pass``; see `play`."""
        return self.play(point_number(name, self.size), colour)

    def pass_alive(self) -> NDArray[np.int8]:
        """Whose pass-alive stones and territory each point is, or 0; shape [size * size].

        Benson 1976: these stones live even if their owner passes for ever, and
        nothing in the territory can live.
        """
        owner: NDArray[np.int8] = self._position.area(self.rules.suicide, False)
        return owner

    def ladders(self) -> Ladders:
        """Chains that are caught in ladders, as the planes of KataGo's networks show them."""
        caught, black, white = LadderReader(self._position).marks()
        return Ladders(caught, {BLACK: black, WHITE: white})

    def score(
        self,
        komi: float | None = None,
        *,
        dead: ArrayLike = (),
        pass_dead: bool = True,
        handicap: int = 0,
        button: int = EMPTY,
    ) -> BoardScore:
        """Score the game as if it ended now.

        Args:
            komi: What White gets; the default is the usual komi of the rules.
            dead (array_like of int): Points of stones that both players hold for dead; their whole
                chains are taken off.
            pass_dead: Count stones in pass-alive territory of the opponent as dead, even if they
                are not among `dead`. Without it, and without `dead`, this is the counting of Tromp
                and Taylor.
            handicap: Handicap stones, for which White gets what the rules say.
            button: Who took the button (1 or 2), if the rules have one.

        Notes:
            With a tax on seki, a part of the board that touches a point of nobody, or
            has an own stone in atari, is taken for seki: its empty points do not count.
            Territory scoring takes prisoners from `captures`.
        """
        position, rules = self._position.copy(), self.rules
        prisoners = [0, *position.captures]
        for point in point_array(dead).tolist():
            if not self._has(point):
                raise InputError(f"a dead stone is outside the board: point {point}")
            prisoners[position.colours[point]] += position.remove_chain(point)
        basic = position.area(rules.suicide, True) if pass_dead else position.plain_area()
        territory = rules.scoring == "territory"
        counted, groups = position.area_without_seki(basic, not territory, rules.tax == "none")
        stones = position.colours
        points = {}
        if territory:
            counted[counted == stones] = EMPTY
        for colour, living in zip((BLACK, WHITE), groups, strict=True):
            points[colour] = float(np.count_nonzero(counted == colour))
            if territory:
                enemy = opponent(colour)
                lost = (stones == enemy) & (counted == colour)
                points[colour] += float(prisoners[enemy] + np.count_nonzero(lost))
            if rules.tax == "all":
                points[colour] -= 2 * living
        if button != EMPTY:
            points[button] += 0.5
        komi = rules.default_komi if komi is None else komi
        white = points[WHITE] + komi + handicap_bonus(rules, handicap)
        return BoardScore(points[BLACK], white, counted)

    def __str__(self) -> str:
        """Return a diagram: Black X, White O."""
        size = self.size
        rows = self.stones.reshape(size, size).tolist()
        lines = [
            f"{size - number:{len(str(size))}} " + " ".join(_SIGNS[colour] for colour in row)
            for number, row in enumerate(rows)
        ]
        names = [point_name(column, size)[0] for column in range(size)]
        return "\n".join([*lines, " " * len(str(size)) + " " + " ".join(names)])

    def _has(self, point: int) -> bool:
        return 0 <= point < self.size**2

    def _repetition(self, key: int, to_play: int) -> int:
        return key ^ int(PLAYER_KEYS[to_play]) if self.rules.ko == "situational" else key

    def _objection(self, point: int, colour: int, tolerant: bool = False) -> str | None:
        """Why a move is not legal, or None."""
        if colour not in (BLACK, WHITE):
            raise InputError(f"{colour} is not a colour", hint="1 is Black, 2 is White")
        if point == PASS:
            return None
        if not self._has(point):
            return f"the {self.size}x{self.size} board has no such point"
        if self._position.colour(point) != EMPTY:
            return "the point is taken"
        if self._position.is_suicide(point, colour):
            if not self._position.has_friend(point, colour):
                return "the stone would have no liberties"
            if not self.rules.suicide and not tolerant:
                return "suicide is not allowed"
        if tolerant:
            return None
        if self.ko == point and colour == self.to_play:
            return "a ko may not be taken back at once"
        if self.rules.ko != "simple":
            key = self._position.key_after(point, colour)
            if self._repetition(key, opponent(colour)) in self._reached:
                return f"it repeats a position ({self.rules.ko} superko)"
        return None


def set_up(size: int, black: Ints, white: Ints) -> Position:
    """Return a board with stones set up, in the form that compiled loops use.

    Raises InputError if a stone stands outside the board, on another one, or without liberties.
    """
    position = Position(check_size(size))
    for colour, points in ((BLACK, black), (WHITE, white)):
        for point in points.tolist():
            if not 0 <= point < size * size:
                raise InputError(f"a stone is set up outside the {size}x{size} board")
            name = point_name(point, size)
            if position.colour(point) != EMPTY:
                raise InputError(f"two stones are set up at {name}")
            if not position.put(point, colour):
                raise InputError(f"the stone set up at {name} leaves stones without liberties")
    return position


@dataclass(frozen=True, slots=True, eq=False)
class BoardScore:
    """What both players have."""

    #: `black`, `white`: their points; White's contain the komi and what handicap stones give.
    black: float
    white: float
    #: Who counts each point (0: nobody). With territory scoring these are the points of territory,
    #: without the stones around them.
    owner: NDArray[np.int8]

    @property
    def lead(self) -> float:
        """Points by which White leads, negative if Black does."""
        return self.white - self.black

    @property
    def winner(self) -> int:
        """1 if Black wins, 2 if White wins, 0 for a draw."""
        return WHITE if self.lead > 0 else BLACK if self.lead < 0 else EMPTY

    def __str__(self) -> str:
        """Return the result as records write it, such as ``W+3.5``."""
        return f"{'0BW'[self.winner]}" + (f"+{abs(self.lead):g}" if self.winner else "")


def handicap_bonus(rules: Rules, stones: int) -> int:
    """Points that White gets for so many handicap stones; one stone is no handicap."""
    if stones < 2 or rules.white_handicap_bonus == "0":
        return 0
    return stones if rules.white_handicap_bonus == "n" else stones - 1
