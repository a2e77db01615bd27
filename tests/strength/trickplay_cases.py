"""A small problem and games in which it stands, for tests of trick plays."""

from __future__ import annotations

from pathlib import Path

from yardstone.go.patterns import GameIndex, build_index
from yardstone.strength.trickplay import Problem, read_problems

#: Black to answer the stone at oo: a refutation and a failure.
PROBLEM = "(;SZ[19]AB[oq]AW[qp][oo](;B[qq];W[pp];B[pq])(;B[mp];W[pq];B[op]))"
#: It stands after the fourth move, and Black is to move.
GAME = "B oq W qp B dd W oo B dp W dc"


def moves_sgf(moves: str, *, names: str = "PB[Ann]PW[Bob]") -> str:
    """A game from moves such as ``B oq W qp``; a point of ``-`` is a pass."""
    words = moves.split()
    played = "".join(
        f";{colour}[{'' if point == '-' else point}]"
        for colour, point in zip(words[::2], words[1::2], strict=True)
    )
    return f"(;GM[1]SZ[19]KM[6.5]{names}{played})"


def turned(moves: str, symmetry: int, *, swapped: bool) -> str:
    """The same moves on a board that lies another way, by the letters of SGF."""
    words = moves.split()
    out = []
    for word in words:
        if word in "BW":
            out.append("WB"["BW".index(word)] if swapped else word)
            continue
        column, row = (ord(letter) - 97 for letter in word)
        if symmetry & 4:
            column, row = row, column
        row = 18 - row if symmetry & 1 else row
        column = 18 - column if symmetry & 2 else column
        out.append(chr(97 + column) + chr(97 + row))
    return " ".join(out)


def index_of(folder: Path, *games: str) -> GameIndex:
    file = folder / "games.sgf"
    file.write_text("\n".join(games))
    return build_index([file], folder / "games.idx")[0]


def problems_of(folder: Path, *texts: str, name: str = "p.sgf") -> list[Problem]:
    file = folder / name
    file.write_text("\n".join(texts))
    return read_problems(file)[0]
