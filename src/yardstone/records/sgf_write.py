"""Writing SGF: games and trees, as FF[4] in UTF-8."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from yardstone.errors import UsageError
from yardstone.records.go_game import BLACK, DRAWN, PASS, UNKNOWN, WHITE, GoGame
from yardstone.records.sgf_text import escaped
from yardstone.records.sgf_tree import SgfTree
from yardstone.records.sgf_values import WRITER, parse_go_date, parse_komi, split_rank

__all__ = ["write_sgf"]

#: Properties that a `GoGame` tells itself, in the order in which they are written.
_OWN = (
    "GM FF CA SZ PB BR BT PW WR WT EV PC DT RU KM HA RE AB AW AE PL B W BL WL".split()
)  # fmt: skip
_RESULTS = {BLACK: "B+", WHITE: "W+", DRAWN: "0"}
_LETTERS = "abcdefghijklmnopqrs"
#: A new line is begun after so many moves.
_MOVES_A_LINE = 12


def write_sgf(what: GoGame | SgfTree | Iterable[GoGame | SgfTree]) -> str:
    """The SGF text of a game, a tree, or several of them (a collection).

    Reading it again gives the same game: FF[4], UTF-8, one record after another. A
    game's own attributes count where its `properties` say otherwise; komi is written
    in points and handicap stones as stones set up, so repaired games stay repaired.

    Examples
    --------
    >>> from yardstone.records.go_game import GoGame
    >>> game = GoGame(black="Ann", white="Bob", komi=6.5, result="B+R")
    >>> print(write_sgf(game), end="")
    (;GM[1]FF[4]CA[UTF-8]SZ[19]PB[Ann]PW[Bob]KM[6.5]RE[B+R])
    """
    if isinstance(what, GoGame):
        return "".join(_game(what))
    if isinstance(what, SgfTree):
        return "".join(_tree(what))
    return "".join(write_sgf(one) for one in what)


def _property(name: str, values: Sequence[str]) -> str:
    return name + "".join(f"[{escaped(value)}]" for value in values)


def _game(game: GoGame) -> Iterator[str]:
    yield "(;"
    for name, values in root_properties(game).items():
        yield _property(name, values)
    clocks = [] if game.time_left is None else game.time_left.tolist()
    for place, (move, colour) in enumerate(
        zip(game.moves.tolist(), game.colours.tolist(), strict=True)
    ):
        if place % _MOVES_A_LINE == 0:
            yield "\n"
        letter = "B" if colour == BLACK else "W"
        yield f";{letter}[{_point(move, game.size)}]"
        if clocks and not np.isnan(clocks[place]):
            yield f"{letter}L[{_seconds(clocks[place])}]"
    yield ")\n"


def root_properties(game: GoGame) -> Mapping[str, Sequence[str]]:
    """What the first node of a game's record says."""
    own: dict[str, Sequence[str]] = {
        "GM": ("1",),
        "FF": ("4",),
        "CA": ("UTF-8",),
        "SZ": (str(game.size),),
    }
    texts = {
        "PB": game.black, "BR": game.black_rank, "BT": game.black_team,
        "PW": game.white, "WR": game.white_rank, "WT": game.white_team,
        "EV": game.event, "PC": game.place, "DT": _date(game), "RU": game.rules,
        "KM": _komi(game),
        "HA": str(game.handicap) if game.handicap else "",
        "RE": game.result or ("" if game.winner == UNKNOWN else _RESULTS[game.winner]),
    }  # fmt: skip
    own |= {name: (text,) for name, text in texts.items() if text}
    for name, stones in (("AB", game.setup_black), ("AW", game.setup_white)):
        if len(stones):
            own[name] = [_point(point, game.size) for point in stones.tolist()]
    first = int(game.colours[0]) if len(game.colours) else 0
    if game.to_play != (first or BLACK):
        own["PL"] = ("B" if game.to_play == BLACK else "W",)
    others = {name: values for name, values in game.properties.items() if name not in _OWN}
    if any(
        split_rank(name, rank)[0] != name
        for name, rank in ((game.black, game.black_rank), (game.white, game.white_rank))
    ):
        others["AP"] = (WRITER,)  # so that the reader leaves the rank in the name
    return own | others


def _point(move: int, size: int) -> str:
    if move == PASS:
        return ""
    if not 0 <= move < size * size:
        raise UsageError(f"{move} is not a point of a board of {size} lines")
    return _LETTERS[move % size] + _LETTERS[move // size]


def _date(game: GoGame) -> str:
    written = " ".join(game.properties.get("DT", ("",))[:1])
    moment = parse_go_date(written)
    if moment == game.date or (np.isnat(moment) and np.isnat(game.date)):
        return written
    if np.isnat(game.date):
        return ""
    return str(game.date).replace("T", " ").removesuffix(" 00:00:00")


def _komi(game: GoGame) -> str:
    if game.komi is None:
        return ""
    text = f"{game.komi:g}"
    if parse_komi(text) != (game.komi, None):
        raise UsageError(f"a komi of {text} cannot be written")
    return text


def _seconds(value: float) -> str:
    return np.format_float_positional(np.float32(value), trim="-")


def _tree(tree: SgfTree) -> Iterator[str]:
    """The text of a tree; a parenthesis opens at the root and at each variation."""
    if not len(tree):
        raise UsageError("a tree without nodes cannot be written")
    todo: list[int | None] = [0]  # None closes a parenthesis
    opens = {0}
    while todo:
        node = todo.pop()
        if node is None:
            yield ")"
            continue
        if node in opens:
            opens.discard(node)
            yield "("
            todo.append(None)
        yield ";"
        for name, values in tree.properties(node).items():
            # A reader takes "(;GM[" for another game, even within one that is not closed.
            inner = node > 0 and name in ("GM", "FF")
            yield f"{name} {_property('', values)}" if inner else _property(name, values)
        children = tree.children(node)
        if len(children) > 1:
            opens.update(children)
        todo += children[::-1]
    yield "\n"
