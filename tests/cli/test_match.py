from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import pytest

from tests.cli.calls import Command, plain
from yardstone.ratings.match import Match
from yardstone.ratings.sprt import Sprt, judge_match
from yardstone.records.reading import growing_sources, whole_games
from yardstone.reports.match import match_document

PLAYERS = "--players 'New 1.1' 'Old 1.0'"


def test_options_reach_the_judgement_and_results_have_every_format(run: Command) -> None:
    rows: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("", (0.0, 5.0, 0.05, 0.05, "logistic"), {}),
        ("--elo0 -3 --elo1 4", (-3.0, 4.0), {}),
        ("--alpha 0.1 --beta 0.2", (0.0, 5.0, 0.1, 0.2), {}),
        ("--model normalized", (0.0, 5.0, 0.05, 0.05, "normalized"), {}),
        ("--confidence 90 --half-width 2", (), {"confidence": 0.9, "half_width": 2.0}),
    ]
    for options, test, more in rows:
        given = {"confidence": 0.95, "half_width": 5.0, **more}
        judgement = judge_match(Match.from_counts([13, 37, 50, 25, 3]), test=Sprt(*test), **given)
        known = plain(match_document(judgement))
        assert run.json(f"match 13 37 50 25 3 {options}") == known, options
    run("match 859 1329 772 -o match.html -o match.txt")
    (row,) = run.rows("match 859 1329 772")
    assert (row["counts"], row["decision"]) == ("772 1329 859", "continue")
    assert float(row["elo_low"]) == pytest.approx(0.916, abs=5e-4)
    assert "Likelihood of superiority" in run.read("match.html")
    assert "+10.2  [+0.9, +19.5] at 95 %" in run.read("match.txt")
    run.write("four.csv", "white,black,result\nA,B,1-0\nA,B,0-1\nB,A,1-0\nA,B,1-0\n")
    assert "Paired by                  nothing: neither" in run("match four.csv").out
    run.write("rounds.csv", "Round,white,black,result\n1,A,B,1-0\n1,B,A,0-1\n2,A,B,1-0\n")
    assert run.json("match rounds.csv")["paired_by"] == ["Round"]


@pytest.mark.parametrize("program", ["fastchess", "cutechess-cli"])
def test_the_counts_of_a_match_that_is_not_finished(program: Program, run: Command) -> None:
    games = play(60)[:-9]
    text = written(games[:-1], program)
    line = text.count("\n") + 1
    text += written(games[-1:], program).replace(games[-1].result, "*")
    run.write("match.pgn", text)
    said = run(f"match match.pgn {PLAYERS} --format json")
    result = json.loads(said.out)
    for name, counts in {  # counted from the file without Yardstone
        "counts": [2, 11, 21, 15, 5],
        "games_between": [38, 43, 29],
        "moving_first": [21, 24, 10],
        "moving_second": [17, 19, 19],
    }.items():
        assert list(result[name].values()) == counts
    assert (result["player"], result["other"], result["unpaired"]) == ("New 1.1", "Old 1.0", 2)
    assert (result["pairing"], result["paired_by"]) == ("round", ["event", "round"])
    paired = run.json(f"match match.pgn {PLAYERS} --pair-by event,round")
    assert paired["counts"] == result["counts"]
    assert (result["endings"][0]["name"], result["endings"][0]["lost"]) == ("time forfeit", [2, 2])
    place = {"file": "match.pgn", "line": line, "reason": "unfinished (result *)"}
    assert result["skipped"]["first"] == [place]
    assert f"match.pgn:{line}: unfinished (result *)" in said.err
    if program == "fastchess":  # the other names only endings that are not usual
        said = run(f"match match.pgn {PLAYERS} --where", "Termination <> 'time forfeit'")
        assert "Losses on time             New 1.1 0, Old 1.0 0" in said.out
        assert "games left out by --where" in said.err


Program = Literal["fastchess", "cutechess-cli"]


class Played(NamedTuple):
    round: int
    white: str
    black: str
    result: str
    ending: str = "normal"


def play(rounds: int) -> list[Played]:
    """A match in rounds of two games with sides swapped, in the order in which games ended."""
    rng = random.Random(1)
    games = []
    for number in range(1, rounds + 1):
        tilt = rng.uniform(-0.25, 0.35)  # openings favour White more or less
        for white, black in (("New 1.1", "Old 1.0"), ("Old 1.0", "New 1.1")):
            better = tilt + (0.04 if white == "New 1.1" else -0.04)
            result = rng.choices(["1-0", "0-1", "1/2-1/2"], [0.3 + better, 0.3 - better, 0.4])[0]
            endings = ["normal", "adjudication", "time forfeit", "illegal move", "abandoned"]
            ending = rng.choices(endings, [60, 30, 6, 2, 2])[0]
            ending = "normal" if result == "1/2-1/2" else ending
            games.append(Played(number, white, black, result, ending))
    # Of several games at a time the later can end first.
    return sorted(games, key=lambda game: game.round + rng.uniform(0.0, 2.5))


def one_sided(rounds: int) -> list[Played]:
    """A match in which the first player wins each first game, and draws each second one."""
    pair = (("A", "B", "1-0"), ("B", "A", "1/2-1/2"))
    return [Played(number, *game) for number in range(rounds) for game in pair]


def written(games: list[Played], program: Program = "fastchess") -> str:
    texts = []
    for game in games:
        tags = {"Event": "Fastchess Tournament" if program == "fastchess" else "?", "Site": "?"}
        tags |= {"Date": "2026.10.05", "Round": str(game.round), "White": game.white}
        tags |= {"Black": game.black, "Result": game.result, "PlyCount": "6"}
        # cutechess-cli names only endings that are not usual.
        if program == "fastchess" or game.ending != "normal":
            tags["Termination"] = game.ending
        lines = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        moves = "1. e4 {+0.31/18 0.41s} e5 {-0.22/17 0.38s} 2. Bb5 {+0.36/17 0.36s}\n"
        texts.append(f"{lines}\n{moves}a6 {{-0.28/18 0.40s, a reason}} {game.result}\n\n")
    return "".join(texts)


#: Seconds until a command that hangs is given up.
PATIENCE = 120


def watch(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "yardstone", *words, "--watch", "--interval", "0.05"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever starts the tests in the background may have left it ignored.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def line_of(stream: IO[str] | None, words: str) -> str:
    """The first line with these words."""
    assert stream is not None
    while words not in (line := stream.readline()):
        assert line, "the command has ended"
    return line


def append(name: str, text: str) -> None:
    with Path(name).open("a") as file:
        file.write(text)


def ended(watching: subprocess.Popen[str]) -> tuple[str, str]:
    """What a watch prints after Ctrl-C."""
    watching.send_signal(signal.SIGINT)
    said = watching.communicate(timeout=PATIENCE)
    assert watching.returncode == 130
    return said


def test_it_stops_when_the_test_is_decided(run: Command) -> None:
    watching = watch("match", "new.pgn", "--elo1", "50")  # before there is a file
    line_of(watching.stderr, "yardstone: waiting for new.pgn\n")
    run.write("new.pgn", written(one_sided(60)))
    out, err = watching.communicate(timeout=PATIENCE)
    assert (watching.returncode, err) == (0, "")
    assert "finished: H1 accepted" in out


def test_ctrl_c_ends_with_the_last_result(run: Command) -> None:
    text = written(play(40), "cutechess-cli")
    half = text.index("[Event", len(text) // 2)
    run.write("new.pgn", text[: half + 60])  # the next game is broken off
    watching = watch("match", "new.pgn", "--players", "New 1.1", "Old 1.0", "--elo1", "1")
    whole = text[:half].count("[Event")
    assert line_of(watching.stdout, "games").split()[1] == str(whole)
    append("new.pgn", text[half + 60 :] + '[Event "?"]\n[White "New 1.1"]\n[Bla')
    line_of(watching.stdout, " 80 games")
    out, err = ended(watching)
    assert "Games                      80 (+31 =31 -18)" in out
    assert "40 (LL 1, LD 8, LW+DD 13, DW 13, WW 5)" in out
    assert "no Black tag" in err  # only now, at the end


def test_a_list_and_its_page_are_made_again(run: Command) -> None:
    games = one_sided(8)
    broken = '[Event "?"]\n[White "C"]\n[Result "1-0"]\n\n1-0\n\n'
    run.write("new.pgn", written(games[:10]) + broken)
    watching = watch("rate", "new.pgn", "-o", "list.html")
    line_of(watching.stdout, "10 games of 2 players: A ")
    append("new.pgn", written(games[10:]))
    line_of(watching.stdout, "16 games of 2 players")
    assert "16 games" in run.read("list.html")
    out, err = ended(watching)
    assert "Rank  Player" in out
    assert err.count("no Black tag") == 3  # when it was seen, and all at the end


def test_whole_games_at_every_byte(tmp_path: Path) -> None:
    """However a file is broken off: what is read is whole games, and all of those before."""
    games = [written([game]).encode() for game in one_sided(2)]
    text = b"".join(games)
    ends = [0, *accumulate(map(len, games))]
    path = tmp_path / "games.pgn"
    for size in range(len(text) + 1):
        path.write_bytes(text[:size])
        # The last line of a game is followed by an empty one, which need not be there yet.
        whole = max(end for end in ends if end - 1 <= size)
        assert whole_games(path) in (whole, whole - 1), size
    path.write_bytes(games[0] + b'[Event "x"]\n\n' + b"1. e4 {+0.1/8 0.2s} e5\n" * 20_000)
    assert whole_games(path) == len(games[0]) - 1
    packed, table = tmp_path / "games.pgn.gz", tmp_path / "games.csv"
    packed.write_bytes(b"\x1f\x8b" + os.urandom(20))
    assert whole_games(packed) is None
    table.write_text("white,black,result\nA,B,1-0\n")
    (source,) = growing_sources([str(table), str(tmp_path / "none.pgn")])
    assert source.limit is None
