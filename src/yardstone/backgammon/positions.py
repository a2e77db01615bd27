"""Positions of backgammon by the IDs that programs write: GNU Backgammon's and XGID.

GNU Backgammon names a position by two texts, the position ID (the chequers, from the
side of the player on roll) and the match ID (cube, score, dice and whose turn it is);
its manual, section 11, says how. eXtreme Gammon writes all of it as one XGID::

    XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10

26 letters from the bar of the player at the top to that of the one at the bottom
(capitals are the bottom player's chequers, ``A`` for one), then the exponent of the cube,
its owner (1 bottom, -1 top), who is on roll, the dice (``00`` before the roll, ``D`` when
doubled), the points of bottom and top, a number for rules (match: 1 in the Crawford
game; money: 1 Jacoby's rule, 2 beavers), the length, and the largest cube as an exponent.

Player 1 of a match ID is the one at the bottom of an XGID. A match ID says nothing of
beavers and of the largest cube, an XGID nothing of resignations, which are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from yardstone.backgammon._gnubg import (
    PLACES,
    match_id,
    pack_position,
    unpack_match,
    unpack_position,
)
from yardstone.errors import InputError, UsageError

#: Of each side, those borne off counted.
CHEQUERS = 15
#: Largest exponent of a cube, and largest score and length, that a match ID can hold.
MOST_CUBE, MOST_POINTS = 15, (1 << 15) - 1


def problem_of(position: Position) -> str:
    """Why there is no such position; empty if there is."""
    own, other = position.own, position.other
    for side in (own, other):
        if len(side) != PLACES or min(side) < 0:
            return "a side has 24 points and a bar, with no negative number of chequers"
        if sum(side) > CHEQUERS:
            return f"a side has {sum(side)} chequers, more than {CHEQUERS}"
        if not sum(side):
            return "a side has borne off all its chequers: the game is over"
    for place in range(PLACES - 1):
        if own[place] and other[PLACES - 2 - place]:
            return f"both sides are on the {place + 1} point of the player on roll"
    cube, dice, owner, on_roll = position.cube, position.dice, position.owner, position.on_roll
    length, score, crawford = position.length, position.score, position.crawford
    problems = {
        f"a cube shows a power of two up to {1 << MOST_CUBE}, not {cube}": (
            cube < 1 or cube & (cube - 1) or cube.bit_length() - 1 > MOST_CUBE
        ),
        "the players are 0 and 1": owner not in (None, 0, 1) or on_roll not in (0, 1),
        "a cube that has an owner shows 2 at least": owner is not None and cube == 1,
        f"dice show two numbers from 1 to 6, not {dice}": (
            dice and (len(dice) != 2 or not all(1 <= die <= 6 for die in dice))
        ),
        "a double is offered before the dice are thrown": position.doubled and dice,
        "a double is offered by a player who has no right to": (
            position.doubled and (crawford or owner == 1 - on_roll)
        ),
        f"length and scores are whole numbers up to {MOST_POINTS}": (
            not all(0 <= each <= MOST_POINTS for each in (length, *score))
        ),
        f"the match to {length} is over at {score[0]} to {score[1]}": (
            length and max(score) >= length
        ),
        "in the Crawford game a player is one point away from the match": (
            crawford and length - 1 not in score
        ),
        "in the Crawford game nobody doubles": crawford and cube != 1,
        "Jacoby's rule and beavers are for money games": (
            length and (position.jacoby or position.beavers)
        ),
    }
    return next((problem for problem, there in problems.items() if there), "")


_NOBODY, _PLAYING = 3, 1
_GNU = re.compile(
    r"(?:(?:gnu\s*backgammon\s*)?position\s*id|gnu\s*(?:bg\s*)?id)?\s*+[:=]?\s*+"
    r"(?P<position>[A-Za-z0-9+/]{14})(?:(?:\s*:\s*|\s+match\s*id\s*[:=]?\s*)(?P<match>\S+))?",
    re.IGNORECASE,
)
_XGID_PARTS = (
    "board", "cube", "owner", "turn", "dice", "points of the bottom", "points of the top",
    "rules", "length", "largest cube",
)  # fmt: skip
_XGID_VALUES = {
    "cube": range(MOST_CUBE + 1),
    "owner": (-1, 0, 1),
    "turn": (-1, 1),
    "rules": (0, 1, 2, 3),
    "largest cube": range(MOST_CUBE + 1),
}
_START = (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A position, with all that a decision depends on; frozen.

    Raises:
        UsageError: There is no such position.

    Examples:
        >>> start = Position(dice=(5, 2), length=7)
        >>> start.gnu_id, start.xgid
        ('4HPwATDgc/ABMA:cInqAAAAAAAA', 'XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10')
    """

    #: `own`, `other`: chequers of the player on roll and of the other: each side's own points from
    #: its ace point to the 24 point, and the bar.
    own: tuple[int, ...] = _START
    other: tuple[int, ...] = _START
    on_roll: int = 1  #: Which player is on roll, or has doubled.
    cube: int = 1  #: Its value.
    owner: int | None = None
    dice: tuple[int, ...] = ()  #: Two numbers; empty before the roll.
    #: Whether the player on roll has doubled, so that the other takes or passes; the cube still has
    #: the value before.
    doubled: bool = False
    length: int = 0  #: Points to win; 0 for money.
    score: tuple[int, int] = (0, 0)  #: Of player 0 and player 1.
    crawford: bool = False  #: Whether this is the Crawford game, without a cube.
    jacoby: bool = False  #: `jacoby`, `beavers`: rules of money games.
    beavers: bool = False
    max_cube: int = 10  #: Largest cube, as an exponent of two.

    def __post_init__(self) -> None:
        if problem := problem_of(self):
            raise UsageError(problem)

    @property
    def to_decide(self) -> int:
        """The player who decides: the one on roll, or the other after a double."""
        return 1 - self.on_roll if self.doubled else self.on_roll

    @property
    def pips(self) -> tuple[int, int]:
        """Points that the player on roll and the other have to go."""
        return pips(self.own), pips(self.other)

    @property
    def position_id(self) -> str:
        """GNU Backgammon's position ID."""
        return pack_position(self.own, self.other)

    @property
    def match_id(self) -> str:
        """GNU Backgammon's match ID."""
        owner = _NOBODY if self.owner is None else self.owner
        return match_id({**asdict(self), "owner": owner}, self.on_roll, self.doubled, self.dice)

    @property
    def gnu_id(self) -> str:
        """Position ID and match ID with a colon between, as ``set gnubgid`` takes them."""
        return f"{self.position_id}:{self.match_id}"

    @property
    def xgid(self) -> str:
        """The XGID, with ``XGID=`` before it."""
        bottom, top = (self.own, self.other) if self.on_roll else (self.other, self.own)
        letters = ["-"] * (PLACES + 1)
        for place in range(PLACES):
            if bottom[place]:
                letters[place + 1] = chr(ord("A") + bottom[place] - 1)
            if top[place]:
                letters[PLACES - 1 - place] = chr(ord("a") + top[place] - 1)
        dice = "D" if self.doubled else "".join(map(str, self.dice)) or "00"
        rules = int(self.crawford) if self.length else self.jacoby + 2 * self.beavers
        fields = (
            "".join(letters),
            self.cube.bit_length() - 1,
            {None: 0, 0: -1, 1: 1}[self.owner],
            1 if self.on_roll else -1,
            dice,
            self.score[1],
            self.score[0],
            rules,
            self.length,
            self.max_cube,
        )
        return "XGID=" + ":".join(map(str, fields))

    @classmethod
    def from_gnu_id(cls, position: str, match: str | None = None) -> Position:
        """From a position ID and a match ID; without the second a money game before the roll."""
        try:
            own, other = unpack_position(position)
        except ValueError as error:
            raise InputError(
                f"{position!r} is not a position ID: {error}",
                hint="it has 14 letters, such as 4HPwATDgc/ABMA",
            ) from None
        try:
            fields = {} if match is None else _match_fields(match)
            return cls(own=own, other=other, **fields)
        except UsageError as error:
            name = position if match is None else f"{position}:{match}"
            raise InputError(f"{name}: {error}") from None

    @classmethod
    def from_xgid(cls, text: str) -> Position:
        """From an XGID, with or without ``XGID=``."""
        plain = re.sub(r"\s*XGID\s*=\s*", "", text.strip(), flags=re.IGNORECASE)
        try:
            return cls(**_xgid_fields(plain.split(":")))
        except UsageError as error:
            raise InputError(
                f"XGID {plain[:80]}: {error}",
                hint="one is XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10",
            ) from None


def rearmost(side: Sequence[int]) -> int:
    """The point of a side's chequer that is farthest back; the bar is 25, no chequer 0."""
    return max((place for place, number in enumerate(side, 1) if number), default=0)


def pips(side: Sequence[int]) -> int:
    """Points that the chequers of a side have to go."""
    return sum(place * number for place, number in enumerate(side, 1))


def read_position(text: str) -> Position:
    """A position from an ID as programs write it.

    An XGID; ``POSITION:MATCH`` in GNU Backgammon's IDs, or the position ID alone, which is
    taken for a money game before the roll; also with the words that programs put before
    them (``GNUBGID``, ``Position ID: … Match ID: …``).

    Raises:
        InputError: It is not an ID, or of nothing that is played.

    Examples:
        >>> position = read_position("XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:7:10")
        >>> position.gnu_id, read_position(position.gnu_id) == position
        ('4HPwATDgc/ABMA:cInqAAAAAAAA', True)
    """
    plain = " ".join(text.split())
    if plain.upper().startswith("XGID") or plain.count(":") > 2:
        return Position.from_xgid(plain)
    match = _GNU.fullmatch(plain)
    if match is None:
        raise InputError(
            f"{plain[:80]!r} is not an ID of a position",
            hint="give an XGID, or GNU Backgammon's position ID and match ID with a colon "
            "between, such as 4HPwATDgc/ABMA:cIkqAAAAAAAA",
        )
    return Position.from_gnu_id(match["position"], match["match"])


def _match_fields(match: str) -> dict[str, Any]:
    """What a match ID says, as fields of a position; UsageError if nothing is to be decided."""
    try:
        fields = unpack_match(match)
    except ValueError as error:
        raise UsageError(f"{match!r} is not a match ID: {error}") from None
    doubled, problem = bool(fields["doubled"]), ""
    if fields["state"] != _PLAYING:
        states = {0: "no game is on", 2: "the game is over", 3: "a side has resigned"}
        problem = states.get(fields["state"], "the game ended with a pass")
    elif fields["resigned"]:
        problem = "a resignation is offered, which no XGID can say"
    elif fields["owner"] == 2:
        problem = "the cube has an owner that there is not"
    elif fields["to_decide"] != fields["on_roll"] ^ doubled:
        problem = "the wrong player is to decide"
    if problem:
        raise UsageError(f"match ID {match}: {problem}")
    money = not fields["length"]
    dice = (fields["die_1"], fields["die_2"])
    return {
        "on_roll": fields["on_roll"],
        "cube": 1 << fields["cube"],
        "owner": None if fields["owner"] == _NOBODY else fields["owner"],
        "dice": dice if any(dice) else (),
        "doubled": doubled,
        "length": fields["length"],
        "score": (fields["score_0"], fields["score_1"]),
        "crawford": bool(fields["crawford"]),
        "jacoby": money and not fields["no_jacoby"],
    }


def _xgid_fields(parts: list[str]) -> dict[str, Any]:
    """What the parts of an XGID say, as fields of a position."""
    if len(parts) != len(_XGID_PARTS):
        raise UsageError(f"it has {len(parts)} parts between colons in place of 10")
    texts = dict(zip(_XGID_PARTS, parts, strict=True))
    board, dice = texts.pop("board"), texts.pop("dice")
    bottom, top = _xgid_board(board)
    numbers = {}
    for name, part in texts.items():
        if re.fullmatch(r"-?[0-9]{1,6}", part) is None:
            raise UsageError(f"{name} is {part!r}, which is not a number")
        numbers[name] = int(part)
    for name, known in _XGID_VALUES.items():
        if numbers[name] not in known:
            raise UsageError(
                f"{name} is {numbers[name]}: it is one of {', '.join(map(str, known))}"
            )
    length, rules = numbers["length"], numbers["rules"]
    if length and rules > 1:
        raise UsageError(f"rules are {rules}: in a match 1 is the Crawford game, 0 any other")
    on_roll = 1 if numbers["turn"] == 1 else 0
    own, other = (bottom, top) if on_roll else (top, bottom)
    if re.fullmatch(r"00|[1-6]{2}|D", dice) is None:
        beavered = dice in ("B", "R")
        raise UsageError(
            f"dice are {dice!r}: "
            + ("beavers are not known here" if beavered else "write 00, two numbers, or D")
        )
    return {
        "own": own,
        "other": other,
        "on_roll": on_roll,
        "cube": 1 << numbers["cube"],
        "owner": {0: None, 1: 1, -1: 0}[numbers["owner"]],
        "dice": tuple(map(int, dice)) if dice not in ("00", "D") else (),
        "doubled": dice == "D",
        "length": length,
        "score": (numbers["points of the top"], numbers["points of the bottom"]),
        "crawford": bool(length and rules),
        "jacoby": not length and bool(rules & 1),
        "beavers": not length and bool(rules & 2),
        "max_cube": numbers["largest cube"],
    }


def _xgid_board(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The chequers of bottom and top."""
    if len(text) != PLACES + 1:
        raise UsageError(f"the board has {len(text)} letters in place of {PLACES + 1}")
    bottom, top = [0] * PLACES, [0] * PLACES
    for place, letter in enumerate(text):
        if letter == "-":
            continue
        number = ord(letter.upper()) - ord("A") + 1 if letter.isascii() else 0
        if not (letter.isalpha() and 0 < number <= CHEQUERS):
            raise UsageError(f"the board has a {letter!r}: chequers are A to O and a to o")
        if place == 0 and letter.isupper():
            raise UsageError("the first letter is the bar of the top, a small letter")
        if place == PLACES and letter.islower():
            raise UsageError("the last letter is the bar of the bottom, a capital")
        if letter.isupper():
            bottom[place - 1] = number
        else:
            top[PLACES - 1 - place] = number
    return tuple(bottom), tuple(top)


#: The bar and the place of chequers borne off, as numbers of points.
BAR, OFF = 25, 0
_NAMED = {"bar": BAR, "off": OFF}
_PART = re.compile(r"([0-9]{1,2}|bar|off)", re.IGNORECASE)
_STEP = re.compile(
    r"(?P<places>(?:[0-9]{1,2}|bar)(?:/(?:[0-9]{1,2}|off)\*?)+)(?:\((?P<times>[1-4])\))?",
    re.IGNORECASE,
)


def move_steps(move: str) -> list[tuple[int, int]]:
    """The steps of a move, each from one of the player's own points to another.

    Points on the way are kept as steps of their own; hits are not marked. Raises InputError where
    it is not a move.

    Examples:
        >>> move_steps("bar/21 6/off(2)"), move_steps("24/18*/16")
        ([(25, 21), (6, 0), (6, 0)], [(24, 18), (18, 16)])
    """
    steps: list[tuple[int, int]] = []
    for word in move.split():
        match = _STEP.fullmatch(word)
        parts = [] if match is None else _PART.findall(match["places"].lower())
        places = [_NAMED[part] if part in _NAMED else int(part) for part in parts]
        pairs = list(pairwise(places))
        if match is None or not all(BAR >= one > other >= OFF for one, other in pairs):
            raise InputError(f"{move!r} is not a move", hint="one is 24/18 13/11")
        steps += pairs * int(match["times"] or 1)
    return steps
