"""What commands refuse: the exit status, one line that says why, and nothing is written."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.cli.calls import Command
from tests.tournament.samples import DATA
from yardstone.cli import declare
from yardstone.errors import UsageError
from yardstone.examples import example
from yardstone.ratings.joint import Prior, Relation

#: What stands for the name of a file.
FILES = {
    "GRADED": example("graded_games_simulated.csv"),
    "COUNTED": example("winning_statistics_simulated.txt"),
    "PUBLISHED": DATA / "published.xml",
    "TRF26": DATA / "trf26.trf",
}
#: A line, its exit status, and what is said; `rate`'s of all commands stand for what is common.
REFUSED = [
    ("rate", 2, "name a file of results"),
    ("rate games.pgn -o gone/list.csv", 1, "gone: there is no such folder"),
    ("rate games.pgn -o .", 1, "this is a folder (name a file)"),
    ("rate games.pgn -o list.gif", 2, "-o list.gif: the file must end in .txt, .text, .csv"),
    ("rate games.pgn -o x.csv --format json", 2, "the ending says csv, and json is to be written"),
    ("rate games.pgn --matrix x.xlsx", 2, "x.xlsx: the file must end in .csv, .parquet or .pq"),
    ("rate games.pgn --format parquet", 2, "Parquet is not text: name a file with -o"),
    ("rate games.pgn games.pgn --query 'SELECT 1'", 2, "--query takes one database at most"),
    ("rate odd.csv --columns first", 2, "write it as first=NAME,second=NAME,score=NAME"),
    ("rate odd.csv --columns frist=home", 2, "unknown key 'frist'; did you mean first?"),
    ("history odd.csv --columns first=hom", 2, "no column 'hom', only home, away, result, date ("),
    ("evaluate odd.csv --columns first=home,second=home", 2, "'home' is named for both"),
    ("convert odd.csv --columns first=home,first=away", 2, "'first' is named twice"),
    ("rate games.pgn --memory 1GB --paired Round", 2, "--paired needs each game"),
    ("rate games.pgn --memory 1GB --watch", 2, "--watch needs each game"),
    ("rate games.pgn --engine onnxruntime", 2, "what runs a network is named by --runtime"),
    ("rate games.pgn --fit", 2, "--fit goes with --moves"),
    ("rate --moves games.sgf --watch", 2, "--moves cannot be used with --watch"),
    ("rate --moves games.sgf --anchor Ann=2000", 2, "and --anchor elsewhere: leave one out"),
    ("rate games.pgn --watch --interval 0", 2, "--interval must be above 0 seconds"),
    ("match --query 'SELECT 1' --watch", 2, "--watch needs files that grow, not a query"),
    ("match 1 2 3 --watch", 2, "--watch needs a file of games"), ("match", 2, "counts"),
    ("match 1 2 3 --pairs", 2, "five counts"), ("match 1 2 x", 2, "'x' is not a number of games"),
    ("match 1 2 3 --pair-by round", 2, "--pair-by needs a file of games"),
    ("match games.pgn", 1, "these are 3 matches"),
    ("match few.csv --players C D --pairs", 2, "no two games form a pair"),
    ("evaluate", 2, "name a file of results"),
    ("evaluate dated.csv --systems ''", 2, "--systems: name at least one system"),
    ("evaluate dated.csv --train-until soon", 2, "--train-until 'soon': write a date as 2024-"),
    ("evaluate dated.csv --gaps 5,4", 2, "the edges must be positive, and rise"),
    ("evaluate dated.csv --gaps a", 2, "write numbers with commas between them"),
    ("evaluate dated.csv --set glicko2.tau=1 --systems elo", 2, "is not among the systems"),
    ("evaluate dated.csv --set k", 2, "write it as SYSTEM.PARAMETER=VALUE"),
    ("evaluate --predicted P", 2, "name one table with predictions"),
    ("evaluate table.csv --ratings P --columns score=R", 2, "'P': name two columns with a comma"),
    ("evaluate table.csv --predicted P --columns score=R,time=A", 2, "--columns time: predictions"),
    ("evaluate table.csv --predicted P --columns score=R,first=A", 2, "the columns of both playe"),
    ("history", 2, "name a file"),
    ("history dated.csv --annul 'a|b|c|d'", 2, "FIRST | SECOND | DATE"),
    ("history dated.csv --merge 0.1=", 2, "write it as KEPT=OTHER"),
    ("history dated.csv --match id", 2, "--match goes with --moves"),
    ("history dated.csv --fit", 2, "--fit is for the system fusion"),
    ("history dated.csv --system fusion", 2, "there is no column 'first_moves'"),
    ("history --moves games.sgf --system elo", 2, "--moves is for the system fusion, not for elo"),
    ("convert games.sgf -o out.xyz", 2, "out.xyz: which format?"),
    ("convert rating 1850", 2, "say on which scale with --from"),
    ("convert rating", 2, "give a grade such as 2d"),
    ("convert rating --list 2d", 2, "--list stands alone"),
    ("convert rating ratings.csv --column level", 1, "ratings.csv:1: there is no column 'level'"),
    ("convert rating a b --column rating", 2, "--column takes one table"),
    ("demo rate --copy .", 2, "give a name or --copy, not both"),
    ("demo chess", 2, "the demo is 'rate', 'go', 'tournament' or 'backgammon'"),
    ("winprob --table 2d", 2, "--table stands without grades"),
    ("winprob 2d 3d 4d", 2, "give two grades"),
    ("winprob 2d 3d --chance 0.3", 2, "--chance needs one grade"),
    ("winprob 2d 3d --set K=x", 2, "--set: write numbers, as in K=0.2"),
    ("winprob --table --win elo", 2, "goes by points, not by grades: give two ratings"),
    ("winprob --win egf --figure lambda -o x.svg", 2, "no Lambda"),
    ("winprob stats COUNTED GRADED", 2, "not both"),
    ("winprob stats COUNTED --from 2001-01-01", 2, "need games"),
    ("winprob fit graded.csv --probability 2d", 2, "write two grades like 2d,4d"),
    ("winprob fit graded.csv --event-games 100", 2, "go with --all-games"),
    ("winprob fit graded.csv --all-games -o x.svg", 2, "--all-games has no chart"),
    ("winprob published graded.csv --bootstrap 39 --method conjugate", 2, "--method newton"),
    ("backgammon rating --length 5 --epm 0.01 --offset mars", 2, "--offset mars: give a rating"),
    ("backgammon rating --length 5", 2, "give one of"),
    ("backgammon analyse", 2, "name files of matches"),
    ("backgammon analyse x.mat --timeout 0", 2, "--timeout must be a positive number"),
    ("go evaluate positions", 2, "positions means 2 files: name one"),
    ("go analyse game.sgf --phases 50", 2, "--phases 50: write two numbers of moves"),
    ("go judge game.sgf --sure 40", 2, "it must be 50 to 100"),
    ("go features - -o store", 2, "read twice"),
    ("go features game.sgf -o game.sgf", 1, "game.sgf: this is a file (name a folder)"),
    ("strength estimate games.sgf --player Ann --colour black", 2, "name one of them"),
    ("strength estimate games.sgf --scale kgs", 2, "--scale is 'fox'"),
    ("strength calibrate ratings.csv", 1, "name the players' games after the table"),
    ("serve --port 99999", 2, "port must be a whole number from 0 to 65535"),
    ("serve --data game.sgf/below", 1, "cannot be used"),
    ("tournament standings PUBLISHED --format csv --top 3", 2, "are for text"),
    ("tournament convert PUBLISHED -o x.xml --no-forfeits", 2, "for H9 files"),
    ("tournament ratings PUBLISHED -k 20", 2, "-k is for FIDE"),
    ("tournament ratings TRF26 --class A", 2, "-k is for FIDE"),
    ("tournament simulate --vary colour=1", 2, "--vary"),
    ("tournament simulate --grades 5k", 2, "--grades"),
    ("tournament simulate --bar 4p", 2, "--bar"),
    ("trickplay find games.sgf --games none.zip", 1, "none.zip: no such file"),
]  # fmt: skip


def test_one_line_says_why_and_nothing_is_written(run: Command) -> None:
    chances = np.linspace(0.1, 0.9, 20)
    rows = [f"{k % 2},{p},{1 - p},p{k % 4}" for k, p in enumerate(chances)]
    (run.folder / "positions").mkdir()
    for name, text in {
        "table.csv": "\n".join(["R,P,Q,A", *rows]),
        "ratings.csv": "player,rating\nAnna,1500\n",
        "positions/a.jsonl": "",
        "positions/b.jsonl": "",
        "graded.csv": "grade,difference,wins,games\n2,1,40,100\n2,2,20,90\n",
        "few.csv": "white,black,result\nA,B,1-0\nB,A,1-0\nC,D,0-1\n",
    }.items():
        run.write(name, text)
    before = run.names()
    for line, status, message in REFUSED:
        for word, path in FILES.items():
            line = line.replace(word, str(path))
        said = run(line, status=status)
        lines = [each for each in said.err.splitlines() if "warning: games left out" not in each]
        assert lines[0].startswith("yardstone: error: "), line
        assert (said.out, len(lines) <= 2) == ("", True), line
        assert message in said.err, line
        assert run.names() == before, line


def test_limits_are_listed_and_a_server_says_what_it_lacks(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = run("serve --limits --set files=7 --set 'ratio = 3.5'").out.splitlines()
    assert {"files = 7", "ratio = 3.5", "file_bytes = 16_777_216"} <= set(lines)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "nothing can listen" in run(f"serve --port {port}", status=1).err
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "pip install 'yardstone[web]'" in run("serve", status=1).err


def relations(text: str) -> object:
    return declare.relations([text], {"A", "B", "a>b", "c"})


def anchors(text: str) -> object:
    return declare.anchors(text.split("|"))


def columns(text: str) -> object:
    return declare.columns(text.split("|"))


PARAMETER = partial(declare.parameter, option="--x")
LOOSE: tuple[object, ...] = ({}, {"A": Prior(2500.0, 30.0)})
VALUES: list[tuple[Callable[[str], object], dict[str, object]]] = [
    # The last equals sign counts: names may hold others.
    (anchors, {"A=2500| x=y z = -10.5": ({"A": 2500.0, "x=y z": -10.5}, {})}),
    (anchors, {f"A=2500{sign}30": LOOSE for sign in ("±", ",", " +- ", "+/-", ";")}),
    (relations, {"A>B=10±5": (Relation("A", "B", 10.0, 5.0),)}),
    (relations, {"a>b > c=−10±5": (Relation("a>b", "c", -10.0, 5.0),)}),
    (PARAMETER, {"auto": "auto", " Free": "auto", "-20.5": -20.5, "50%": 0.5}),
    (PARAMETER, {"30±5": Prior(30.0, 5.0), "45%±5%": Prior(0.45, 0.05)}),
    (declare.confidence, {"95": 0.95, "1": 0.01, "0.95": 0.95, "99.7%": pytest.approx(0.997)}),
    (columns, {"first=W, second=B|score=R": {"first": "W", "second": "B", "score": "R"}}),
    (lambda text: declare.named_values([text]), {"a-b = 1": {"a_b": "1"}, "c=x=y": {"c": "x=y"}}),
    (lambda text: declare.named_values([text], "k"), {"k=1": {"k": "1"}}),
    (declare.plain_value, {"None": None, "": None, "True": True, "false": False}),
    (declare.plain_value, {"12": 12, "1e3": 1000.0, "month": "month"}),
]


def test_what_is_typed_has_a_value() -> None:
    for read, values in VALUES:
        for text, value in values.items():
            assert read(text) == value, text
    assert [type(declare.plain_value(text)) for text in ("12", "1e3", "True")] == [int, float, bool]


def test_what_cannot_be_understood_is_shown() -> None:
    rows: list[tuple[Callable[[Any], object], str, str]] = [
        (anchors, "A", "NAME=RATING"),
        (anchors, "=5", "NAME=RATING"),
        (anchors, "A=x", "--anchor A: 'x' is not a number"),
        (anchors, "A=inf", "finite"),
        (anchors, "A=2500±0", "positive"),
        (columns, "first", "first=NAME"),
        (relations, "A=10±5", "A>B=POINTS±DEVIATION"),
        (relations, "A>B=10", "a mean and a deviation"),
        (lambda text: declare.named_values([text], "k", "tau"), "tua=1", "did you mean 'tau'"),
        (PARAMETER, "x", "--x: 'x' is not a number"),
        *((declare.confidence, text, "--confidence") for text in ("0", "100", "150", "-5", "x")),
    ]
    for read, text, message in rows:
        with pytest.raises(UsageError, match=message):
            read(text)
