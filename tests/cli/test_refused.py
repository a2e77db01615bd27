"""What commands refuse: the exit status, one line that says why, and nothing is written."""

from __future__ import annotations

import socket
import sys

import numpy as np
import pytest

from tests.cli.calls import Command
from tests.tournament.samples import DATA
from yardstone.examples import example

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
    ("rate gone.pgn", 1, "gone.pgn: no such file"),
    ("rate games.pgn -o gone/list.csv", 1, "gone: there is no such folder"),
    ("rate games.pgn -o .", 1, "this is a folder (name a file)"),
    ("rate games.pgn -o list.gif", 2, "-o list.gif: the file must end in .txt, .text, .csv"),
    ("rate games.pgn -o list.gif", 2, ".html, .htm, .svg, .png or .pdf, or say what"),
    ("rate games.pgn -o x.csv --format json", 2, "the ending says csv, and json is to be written"),
    ("rate games.pgn --matrix x.xlsx", 2, "x.xlsx: the file must end in .csv, .parquet or .pq"),
    ("rate games.pgn --format parquet", 2, "Parquet is not text: name a file with -o"),
    ("rate games.pgn --format xml", 2, "xml"),
    ("rate games.pgn --anchor Zoe=2500", 1, "'Zoe'"),
    ("rate games.pgn --top -1", 2, "--top"),
    ("rate games.pgn games.pgn --query 'SELECT 1'", 2, "--query takes one database at most"),
    ("rate games.pgn --memory 1GB --paired Round", 2, "--paired needs each game"),
    ("rate games.pgn --memory 1GB --watch", 2, "--watch needs each game"),
    ("rate games.pgn --engine onnxruntime", 2, "what runs a network is named by --runtime"),
    ("rate games.pgn --fit", 2, "--fit goes with --moves"),
    ("rate --moves games.sgf --watch", 2, "--moves cannot be used with --watch"),
    ("rate --moves games.sgf --anchor Ann=2000", 2, "and --anchor elsewhere: leave one out"),
    ("rate games.pgn --watch --interval 0", 2, "--interval must be above 0 seconds"),
    ("rate --watch", 2, "--watch needs files that grow"),
    ("match --query 'SELECT 1' --watch", 2, "--watch needs files that grow, not a query"),
    ("match 1 2 3 --watch", 2, "--watch needs a file of games"),
    ("rate odd.csv --results V=maybe", 2, "maybe"),
    ("match", 2, "counts"),
    ("match 1 2", 2, "counts"),
    ("match 1 2 3 --pairs", 2, "five counts"),
    ("match 1 2 x", 2, "'x' is not a number of games"),
    ("match 1 2 3 --model bayes", 2, "bayes"),
    ("match 1 2 3 --pair-by round", 2, "--pair-by needs a file of games"),
    ("match 1 2 3 --players A B", 2, "--players needs a file of games"),
    ("match games.pgn", 1, "these are 3 matches"),
    ("match few.csv --players C D --pairs", 2, "no two games form a pair"),
    ("evaluate", 2, "name a file of results"),
    ("evaluate dated.csv --systems ''", 2, "--systems: name at least one system"),
    ("evaluate dated.csv --train-until soon", 2, "--train-until 'soon': write a date as 2024-"),
    ("evaluate dated.csv --since never", 2, "--since 'never': write a date"),
    ("evaluate dated.csv --gaps 5,4", 2, "the edges must be positive, and rise"),
    ("evaluate dated.csv --gaps 0,4", 2, "the edges must be positive, and rise"),
    ("evaluate dated.csv --gaps a", 2, "write numbers with commas between them"),
    ("evaluate dated.csv --set glicko2.tau=1 --systems elo", 2, "is not among the systems"),
    ("evaluate dated.csv --set k", 2, "write it as SYSTEM.PARAMETER=VALUE"),
    ("evaluate dated.csv --tune -1", 2, "--tune"),
    ("evaluate --predicted P", 2, "name one table with predictions"),
    ("evaluate table.csv --ratings P --columns score=R", 2, "'P': name two columns with a comma"),
    ("evaluate table.csv --predicted P --columns score=R,time=A", 2, "--columns time: predictions"),
    ("evaluate table.csv --predicted P --columns score=R,first=A", 2, "the columns of both playe"),
    ("history", 2, "name a file"),
    ("history dated.csv --annul 'a|b|c|d'", 2, "FIRST | SECOND | DATE"),
    ("history dated.csv --merge 0.1=", 2, "write it as KEPT=OTHER"),
    ("history dated.csv --system whr --save x", 2, "rates all games at once"),
    ("history dated.csv --match id", 2, "--match goes with --moves"),
    ("history dated.csv --model rank", 2, "--model goes with --moves"),
    ("history dated.csv --fit", 2, "--fit is for the system fusion"),
    ("history dated.csv --system fusion", 2, "there is no column 'first_moves'"),
    ("history --moves games.sgf --system elo", 2, "--moves is for the system fusion, not for elo"),
    ("predict 0.1", 2, "SECOND"),
    ("convert games.sgf -o out.xyz", 2, "out.xyz: which format?"),
    ("convert games.sgf --to parquet", 2, "Parquet is not text"),
    ("convert --quiet", 2, "name a file of results"),
    ("convert games.sgf --strict -o out.csv", 1, "games.sgf:3: no result"),
    ("convert rating 1850", 2, "say on which scale with --from"),
    ("convert rating 0 --from ogs", 2, "not a rating on the scale ogs"),
    ("convert rating 5.2k --from ogs", 2, "decimals of OGS count from the end of a rank"),
    ("convert rating 3p --to ogs", 2, "professional ranks have ratings on egf and goldis, and no"),
    ("convert rating heads.csv --column rating", 1, "heads.csv: the table has no rows"),
    ("convert rating ratings.csv --column level", 1, "ratings.csv:1: there is no column 'level'"),
    ("convert rating ratings.csv --column player", 1, "ratings.csv:2: 'Anna' is neither a grade"),
    ("convert rating", 2, "give a grade such as 2d"),
    ("convert rating --list 2d", 2, "--list stands alone"),
    ("convert rating a b --column rating", 2, "--column takes one table"),
    ("demo chess", 2, "the demo is 'rate', 'go', 'tournament' or 'backgammon'"),
    ("demo rate --copy .", 2, "give a name or --copy, not both"),
    ("winprob 2d", 2, "give two grades"),
    ("winprob 2d 3d 4d", 2, "give two grades"),
    ("winprob --table 2d", 2, "--table stands without grades"),
    ("winprob 2d 3d --chance 0.3", 2, "--chance needs one grade"),
    ("winprob 2d 3d --set K=x", 2, "--set: write numbers, as in K=0.2"),
    ("winprob --table --win elo", 2, "goes by points, not by grades: give two ratings"),
    ("winprob --win egf --figure lambda -o x.svg", 2, "no Lambda"),
    ("winprob stats none.csv", 1, "no such file"),
    ("winprob stats COUNTED --from 2001-01-01", 2, "need games"),
    ("winprob stats COUNTED GRADED", 2, "not both"),
    ("winprob stats GRADED --from 2050-01-01", 1, "no "),
    ("winprob fit graded.csv --probability 2d", 2, "write two grades like 2d,4d"),
    ("winprob fit graded.csv --event-games 100", 2, "go with --all-games"),
    ("winprob fit graded.csv --link logistic", 2, "go with --all-games"),
    ("winprob fit graded.csv --all-games -o x.svg", 2, "--all-games has no chart"),
    ("winprob published graded.csv --bootstrap 39 --method conjugate", 2, "--method newton"),
    ("handicap 2500 1000 --stones 2", 2, "has no meaning: 150 are the most"),
    ("backgammon rating --length 5", 2, "give one of"),
    ("backgammon rating --length 5 --epm -0.1", 2, "EPM"),
    ("backgammon rating --length 5 --epm 0.01 --offset mars", 2, "--offset mars: give a rating"),
    ("backgammon rating --length 5 --epm 0.01 --offset inf", 2, "--offset inf: give a rating"),
    ("backgammon analyse", 2, "name files of matches"),
    ("backgammon analyse x.mat --timeout 0", 2, "--timeout must be a positive number"),
    ("backgammon position 4HPwATDgc/ABMA --gnubg /none", 1, "no such program"),
    ("go evaluate positions", 2, "positions means 2 files: name one"),
    ("go analyse game.sgf --phases 50", 2, "--phases 50: write two numbers of moves"),
    ("go analyse game.sgf --mistake 0", 2, "it must be more than 0"),
    ("go analyse game.sgf --rules chess", 2, "--rules: "),
    ("go judge games.sgf --strict", 1, "25"),
    ("go judge game.sgf --sure 40", 2, "it must be 50 to 100"),
    ("go judge game.sgf --sure 100.5", 2, "it must be 50 to 100"),
    ("go features - -o store", 2, "read twice"),
    ("go features game.sgf -o game.sgf", 1, "game.sgf: this is a file (name a folder)"),
    ("strength estimate games.sgf --player Ann --colour black", 2, "name one of them"),
    ("strength estimate games.sgf --scale kgs", 2, "--scale is 'fox'"),
    ("strength calibrate ratings.csv", 1, "name the players' games after the table"),
    ("strength style ratings.csv --folds 1", 2, "folds"),
    ("serve --port 99999", 2, "port must be a whole number from 0 to 65535"),
    ("serve --port x", 2, "nvalid value for '--port'"),
    ("serve --data game.sgf/below", 1, "cannot be used"),
    ("tournament standings PUBLISHED --format csv --top 3", 2, "are for text"),
    ("tournament convert PUBLISHED -o x.xml --no-forfeits", 2, "for H9 files"),
    ("tournament convert PUBLISHED -o x.h9 --encoding nope", 2, "no encoding"),
    ("tournament ratings PUBLISHED -k 20", 2, "-k is for FIDE"),
    ("tournament ratings TRF26 --class A", 2, "-k is for FIDE"),
    ("tournament simulate --vary colour=1", 2, "--vary"),
    ("tournament simulate --grades 5k", 2, "--grades"),
    ("tournament simulate --bar 4p", 2, "--bar"),
    ("tournament simulate --win elo", 2, "players who have ratings"),
    ("tournament simulate --floor 5d --bar 1k", 2, "the floor lies above the bar"),
    ("trickplay find games.sgf --games none.zip", 1, "none.zip: no such file"),
]


def test_one_line_says_why_and_nothing_is_written(run: Command) -> None:
    chances = np.linspace(0.1, 0.9, 20)
    rows = [f"{k % 2},{p},{1 - p},p{k % 4}" for k, p in enumerate(chances)]
    (run.folder / "positions").mkdir()
    for name, text in {
        "table.csv": "\n".join(["R,P,Q,A", *rows]),
        "ratings.csv": "player,rating\nAnna,1500\n",
        "heads.csv": "player,rating\n",
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


def test_columns_mean_the_same_to_all_commands(run: Command) -> None:
    for columns, message in {
        "first": "write it as first=NAME,second=NAME,score=NAME",
        "frist=home": "unknown key 'frist'; did you mean first?",
        "White=home": "unknown key 'White'",
        "first=hom": "no column 'hom', only home, away, result, date (did you mean 'home'?)",
        "first=home,second=home": "'home' is named for both",
        "first=home,first=away": "'first' is named twice",
    }.items():
        for command in ("rate", "history", "evaluate", "convert"):
            assert message in run(f"{command} odd.csv --columns {columns}", status=2).err
