"""A call of `yardstone` in the test's own process, and the small files that commands are given."""

from __future__ import annotations

import csv
import io
import json
import shlex
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from yardstone.cli.main import main
from yardstone.errors import YardstoneWarning
from yardstone.reports.document import Document
from yardstone.reports.files import json_pieces

#: Games of three players: everyone wins, draws and loses against everyone.
CIRCLE = [
    ("Ann", "Bob", "1-0"), ("Bob", "Cid", "1-0"), ("Cid", "Ann", "1/2-1/2"), ("Bob", "Ann", "0-1"),
    ("Cid", "Bob", "1-0"), ("Ann", "Cid", "1-0"), ("Bob", "Ann", "1/2-1/2"), ("Ann", "Bob", "0-1"),
    ("Cid", "Bob", "1/2-1/2"), ("Bob", "Cid", "0-1"),
] * 3  # fmt: skip
#: Nine moves and two passes on a small board, with one stone thrown away.
GAME = (
    "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]PB[Ann]PW[Bob]BR[3k]WR[?]DT[2024-05-01]RE[B+5.5]"
    ";B[ee];W[gc];B[cc];W[gg];B[cg];W[aa];B[ge];W[fd];B[fe];W[];B[])"
)
_OTHER = "(;GM[1]SZ[9]KM[6.5]PB[Bob]PW[Cid]RE[W+R];B[ee];W[ce](;B[gc];W[gg])(;B[cc]))"
_ILLEGAL = "(;GM[1]SZ[9]PB[Dan]PW[Eve];B[ee];W[ee])"
_ROUND = [("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Ann"), ("Bob", "Ann"), ("Ann", "Cid")] * 12


class Said(NamedTuple):
    out: str
    err: str


class Command:
    """Calls the command with the words of a line, in a folder of small files."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, line: str, *more: object, status: int = 0) -> Said:
        """Run it; its exit status must be this one."""
        with warnings.catch_warnings():
            warnings.simplefilter("default", YardstoneWarning)  # it is a line of the command's
            ended = main([*shlex.split(line), *map(str, more)])
        out, err = self._capsys.readouterr()
        assert ended == status, err
        return Said(out, err)

    def json(self, line: str, *more: object) -> Any:
        return json.loads(self(line, *more, "--format", "json").out)

    def rows(self, line: str, *more: object) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self(line, *more, "--format", "csv").out)))

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}


def plain(document: Document) -> Any:
    return json.loads("".join(json_pieces(document)))


def pgn(*games: tuple[str, str, str]) -> str:
    return "".join(
        f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{result}\n\n'
        for white, black, result in games
    )


def round_table(columns: str, *results: str) -> str:
    """Sixty games of three players in a table, with these results again and again."""
    rows = [
        f"{one},{two},{results[k % len(results)]},2020-01-{k % 28 + 1:02}\n"
        for k, (one, two) in enumerate(_ROUND)
    ]
    return "".join([f"{columns},result,date\n", *rows])


def write_files(folder: Path) -> None:
    """Write the files of `run`: all that commands read of games."""
    from tests.evaluation.games import played

    others = [("Dee", "Eve", "1-0"), ("Eve", "Dee", "1/2-1/2"), ("Max", "Ann", "1-0")]
    unread = [("Ann", "Bob", "*"), ("Ann", "Bob", "?")]
    pool = played(400, 12, 7, draws=0.2)
    assert pool.time is not None
    results = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
    dated = [
        f"{pool.players[first]},{pool.players[second]},{results[score]},"
        f"{str(time).replace('T', ' ')},{event}"
        for first, second, score, time, event in zip(
            pool.first, pool.second, pool.score, pool.time, pool.columns["event"], strict=True
        )
    ]
    for name, lines in {
        "games.pgn": [pgn(*CIRCLE)],
        "apart.pgn": [pgn(*CIRCLE, *others, *unread)],
        "dated.csv": ["white,black,result,date,event", *dated],
        "odd.csv": [round_table("home,away", "1-0", "0-1", "1/2-1/2") + "Ann,Bob,1-O,2020-02-01"],
        "game.sgf": [GAME],
        "games.sgf": [GAME, _OTHER, _ILLEGAL, GAME.replace("SZ[9]", "SZ[25]")],
        "empty.sgf": ["no game"],
    }.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
