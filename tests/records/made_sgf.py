"""Archives of SGF files, made: with what the real ones hold, where those are missing."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _place(point: int) -> str:
    return _LETTERS[point % 19] + _LETTERS[point // 19]


def _moves(rng: Generator, number: int, first: str = "B") -> list[str]:
    """Moves on different points, in turn, a pass among them."""
    points = [_place(int(p)) for p in rng.permutation(361)[:number]]
    points[number // 2] = ""
    colours = "BW" if first == "B" else "WB"
    return [f";{colours[i % 2]}[{point}]" for i, point in enumerate(points)]


def _in_chinese(rng: Generator, number: int) -> str:
    """As Fox writes: names in Chinese, komi in hundredths of a point, a long root."""
    return (
        f"(;GM[1]FF[4]\nSZ[19]\nGN[]\nDT[2019-0{1 + number % 9}-1{number % 9}]\n"
        f"PB[绝艺{number}]\nPW[野狐\\]围棋]\nBR[9段]\nWR[{1 + number % 9}段]\n"
        f"KM[375]HA[0]RU[Chinese]\nAP[GNU Go:3.8]RE[B+R]TM[3600]TC[3]TT[30]AP[foxwq]RL[0]\n"
        f"{''.join(_moves(rng, 60 + number))})\n"
    )


def _with_handicap(rng: Generator, number: int) -> str:
    """Stones placed before White's first move in every third game."""
    stones = 2 + number % 3 if number % 3 == 0 else 0
    placed = f"HA[{stones}]AB{'[dd][pp][dp][pd]'[: 4 * stones]}" if stones else "HA[0]"
    return (
        f"(;GM[1]FF[4]CA[UTF-8]SZ[19]PB[a{number}]PW[b{number}]BR[{9 - number % 9}k]WR[1d]"
        f"KM[{0.5 if stones else 6.5}]{placed}RE[W+{number}.5]DT[2020-02-03]RU[japanese]"
        f"{''.join(_moves(rng, 40 + number, 'W' if stones else 'B'))})"
    )


def _with_variations(rng: Generator, number: int) -> str:
    """Comments, marks, times and lines that were not played."""
    moves = _moves(rng, 50)
    timed = "\n".join(f"{move}BL[{900 - i}.25]" for i, move in enumerate(moves[:30]))
    played, other = "".join(moves[30:]), "".join(_moves(rng, 5))
    return (
        f"(;FF[4]\nCA[UTF-8]\nGM[1]\nGC[league\\: round {number}]\nPW[Wéi {number}]PB[Héi {number}]"
        f"\nBR[3k]\nWR[{1 + number % 5}d]\nTM[1800]OT[5x30 byo-yomi]RE[{'BW'[number % 2]}+T]"
        f"SZ[19]KM[6.5]RU[AGA]\nC[Good\nluck \\] \\\\ !]\n{timed}\n"
        f"({played}C[played]LB[dd:A][pp:B])\n({other}C[a better line](;B[ss])(;B[sr])))"
    )


_KINDS: dict[str, Callable[[Generator, int], str]] = {
    "fox_sgf.zip": _in_chinese, "games.zip": _with_handicap, "ogs_league.zip": _with_variations,
}  # fmt: skip


def archive(name: str, games: int = 30) -> bytes:
    """An archive of the kind of the real one of that name, one game a file."""
    rng = np.random.default_rng(len(name))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for number in range(games):
            file.writestr(f"{number % 4}d/{number:04d}.sgf", _KINDS[name](rng, number))
    return stream.getvalue()
