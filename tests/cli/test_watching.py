"""`--watch`: files that another process is writing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import IO

from tests.cli.calls import Command
from tests.cli.match_files import one_sided, play, written
from yardstone.records.reading import growing_sources, whole_games

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
    assert err.count("\n") <= 3


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
