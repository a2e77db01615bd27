"""What commands refuse: the exit status, one line that says why, and nothing is written."""

from __future__ import annotations

import numpy as np
import pytest

from tests.backgammon.kept import write_matches
from tests.cli.calls import Command
from tests.tournament.samples import DATA
from yardstone.examples import example
from yardstone.go.nets import engines

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
    ("rate games.pgn --anchor Ann", 2, "--anchor 'Ann': write it as NAME=RATING"),
    ("rate games.pgn --anchor Zoe=2500", 1, "'Zoe'"),
    ("rate games.pgn --confidence 100", 2, "--confidence: a level lies between 0 and 100 %"),
    ("rate games.pgn --draw-rate 3", 2, "draw rate"),
    ("rate games.pgn --top -1", 2, "--top"),
    ("rate games.pgn games.pgn --query 'SELECT 1'", 2, "--query takes one database at most"),
    ("rate games.pgn --no-such", 2, "no such option: --no-such"),
    ("rate games.pgn --memory much", 2, "such as 2GB or 500MB"),
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
    ("rate odd.csv --first-advantage x", 2, "--first-advantage: 'x' is not a number"),
    ("match", 2, "counts"),
    ("match 1 2", 2, "counts"),
    ("match 1 2 3 --pairs", 2, "five counts"),
    ("match 1 2 x", 2, "'x' is not a number of games"),
    ("match 1 2 3 --elo0 5", 2, "elo"),
    ("match 1 2 3 --half-width 0", 2, "half"),
    ("match 1 2 3 --model bayes", 2, "bayes"),
    ("match 1 2 3 --pair-by round", 2, "--pair-by needs a file of games"),
    ("match 1 2 3 --players A B", 2, "--players needs a file of games"),
    ("match games.pgn", 1, "these are 3 matches"),
    ("match games.pgn --players Ann Zoe", 1, "no player is called 'Zoe'"),
    ("match games.pgn --players Ann Bbo", 1, "did you mean 'Bob'?"),
    ("match few.csv --players C D --pairs", 2, "no two games form a pair"),
    ("evaluate", 2, "name a file of results"),
    ("evaluate dated.csv --systems elk", 2, "elk"),
    ("evaluate dated.csv --systems ''", 2, "--systems: name at least one system"),
    ("evaluate dated.csv --group leauge", 2, "no column 'leauge', only white, black, result"),
    ("evaluate dated.csv --train-share 2", 2, "share"),
    ("evaluate dated.csv --train-until soon", 2, "--train-until 'soon': write a date as 2024-"),
    ("evaluate dated.csv --since never", 2, "--since 'never': write a date"),
    ("evaluate dated.csv --train-until 2020-01-01 --train-share 0.5", 2, "not both"),
    ("evaluate dated.csv --gaps 5,4", 2, "the edges must be positive, and rise"),
    ("evaluate dated.csv --gaps 0,4", 2, "the edges must be positive, and rise"),
    ("evaluate dated.csv --gaps a", 2, "write numbers with commas between them"),
    ("evaluate dated.csv --set glicko2.tau=1 --systems elo", 2, "is not among the systems"),
    ("evaluate dated.csv --set k", 2, "write it as SYSTEM.PARAMETER=VALUE"),
    ("evaluate dated.csv --tune -1", 2, "--tune"),
    ("evaluate --predicted P", 2, "name one table with predictions"),
    ("evaluate table.csv --predicted P", 1, "there is no column 'score'"),
    ("evaluate table.csv --predicted Z --columns score=R", 1, "the columns are R, P, Q, A"),
    ("evaluate table.csv --ratings P --columns score=R", 2, "'P': name two columns with a comma"),
    ("evaluate table.csv --predicted P --draws Z=Q --columns score=R", 2, "draws for 'Z'"),
    ("evaluate table.csv --predicted A --columns score=R", 1, "no row has a score and predic"),
    ("evaluate table.csv --predicted P --columns score=R,time=A", 2, "--columns time: predictions"),
    ("evaluate table.csv --predicted P --columns score=R,first=A", 2, "the columns of both playe"),
    ("history", 2, "name a file"),
    ("history dated.csv --player nobody", 1, "no player is called 'nobody'"),
    ("history dated.csv --annul 0", 1, "no game 0"),
    ("history dated.csv --annul 'a|b|c|d'", 2, "FIRST | SECOND | DATE"),
    ("history dated.csv --merge 0.1", 2, "write it as KEPT=OTHER"),
    ("history dated.csv --merge 0.1=", 2, "write it as KEPT=OTHER"),
    ("history dated.csv --improbable 0.9 --report", 2, "0 to 1/2"),
    ("history dated.csv --system whr --save x", 2, "rates all games at once"),
    ("history dated.csv --match id", 2, "--match goes with --moves"),
    ("history dated.csv --model rank", 2, "--model goes with --moves"),
    ("history dated.csv --fit", 2, "--fit is for the system fusion"),
    ("history dated.csv --system fusion", 2, "there is no column 'first_moves'"),
    ("history --moves games.sgf --system elo", 2, "--moves is for the system fusion, not for elo"),
    ("predict 0.1", 2, "SECOND"),
    ("predict 0.1 0.1 dated.csv", 2, "himself"),
    ("convert games.sgf -o out.xyz", 2, "out.xyz: which format?"),
    ("convert games.sgf --to parquet", 2, "Parquet is not text"),
    ("convert --quiet", 2, "name a file of results"),
    ("convert games.sgf --strict -o out.csv", 1, "games.sgf:3: no result"),
    ("convert games.sgf --from tarot", 2, "there is no format 'tarot'"),
    ("convert rating 1850", 2, "say on which scale with --from"),
    ("convert rating 2d --to egff", 2, "did you mean 'egf'"),
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
    ("winprob 2d 3d --set K", 2, "write NAME=VALUE"),
    ("winprob 2d 3d --set K=x", 2, "--set: write numbers, as in K=0.2"),
    ("winprob 2d 3d --win egf --set K=1", 2, "the model egf has no coefficients to set"),
    ("winprob 2d 4d --win elo", 2, "goes by points"),
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
    ("handicap 2000 2100 --scale grade", 2, "'2000' is not a name such as 4k or 2d"),
    ("handicap 7aml 19step --win goldis", 2, "it would be 316 stones, and up to 36 have a meaning"),
    ("handicap 2500 1000 --stones 2", 2, "has no meaning: 150 are the most"),
    ("handicap 2d 30k --win egf --stones 1", 2, "a komi of more than 150 points has no meaning"),
    ("backgammon rating --length 5", 2, "give one of"),
    ("backgammon rating --length 5 --epm -0.1", 2, "EPM"),
    ("backgammon rating --length 5 --epm 0.01 --offset mars", 2, "--offset mars: give a rating"),
    ("backgammon rating --length 5 --epm 0.01 --offset inf", 2, "--offset inf: give a rating"),
    ("backgammon analyse", 2, "name files of matches"),
    ("backgammon analyse x.mat --timeout 0", 2, "--timeout must be a positive number"),
    ("backgammon analyse one.mat --gnubg /none", 1, "no such program"),
    ("backgammon position 4HPwATDgc/ABMA --gnubg /none", 1, "no such program"),
    ("go evaluate positions", 2, "positions means 2 files: name one"),
    ("go analyse game.sgf --phases 50", 2, "--phases 50: write two numbers of moves"),
    ("go analyse game.sgf --phases 50,10", 2, "smaller"),
    ("go analyse game.sgf --mistake 0", 2, "it must be more than 0"),
    ("go analyse game.sgf --rules chess", 2, "--rules: "),
    ("go analyse empty.sgf", 1, "no game"),
    ("go judge games.sgf --strict", 1, "25"),
    ("go judge game.sgf --sure 40", 2, "it must be 50 to 100"),
    ("go judge game.sgf --sure 100.5", 2, "it must be 50 to 100"),
    ("go judge game.sgf --device cuda", 2, "cuda cannot be used: no card is wanted here"),
    ("go features game.sgf -o store --features head,tree", 2, "no features tree"),
    ("go features - -o store", 2, "read twice"),
    ("go features game.sgf -o game.sgf", 1, "game.sgf: this is a file (name a folder)"),
    ("strength estimate games.sgf --player Ann --colour black", 2, "name one of them"),
    ("strength estimate games.sgf --scale kgs", 2, "--scale is 'fox'"),
    ("strength calibrate ratings.csv", 1, "name the players' games after the table"),
    ("strength style ratings.csv --folds 1", 2, "folds"),
    ("serve --set files", 2, "NAME=VALUE"),
    ("serve --set fils=3", 2, "there is no limit 'fils'"),
    ("serve --set files=-3", 2, "limit files must be a number above 0"),
    ("serve --port 99999", 2, "port must be a whole number from 0 to 65535"),
    ("serve --port x", 2, "nvalid value for '--port'"),
    ("serve --set trusted-proxies=proxy", 2, "is not an address or network"),
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
    ("tournament simulate --criteria nothing", 2, "nothing"),
    ("tournament simulate --floor 5d --bar 1k", 2, "the floor lies above the bar"),
    ("trickplay find games.sgf --games none.zip", 1, "none.zip: no such file"),
    ("trickplay rate games.sgf --games games.sgf --confidence 0", 2, "--confidence"),
]


@pytest.mark.parametrize(("line", "status", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_one_line_says_why_and_nothing_is_written(
    line: str, status: int, message: str, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_fault", lambda _: "no card is wanted here")
    chances = np.linspace(0.1, 0.9, 20)
    rows = [f"{k % 2},{p},{1 - p},p{k % 4}" for k, p in enumerate(chances)]
    run.write("table.csv", "\n".join(["R,P,Q,A", *rows]))
    run.write("ratings.csv", "player,rating\nAnna,1500\n")
    run.write("heads.csv", "player,rating\n")
    (run.folder / "positions").mkdir()
    for name in "ab":
        run.write(f"positions/{name}.jsonl", "")
    run.write("graded.csv", "grade,difference,wins,games\n2,1,40,100\n2,2,20,90\n")
    run.write("few.csv", "white,black,result\nA,B,1-0\nB,A,1-0\nC,D,0-1\n")
    write_matches(run.folder)
    before = run.names()
    for word, path in FILES.items():
        line = line.replace(word, str(path))
    said = run(line, status=status)
    assert said.out == ""
    first, *more = [each for each in said.err.splitlines() if "warning: games left out" not in each]
    assert first.startswith("yardstone: error: ")
    assert message in said.err
    assert len(more) <= 1
    assert run.names() == before


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
