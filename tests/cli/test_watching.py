"""`--watch`: files that another process is writing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.match_files import Played, counted, play, written
from yardstone.cli.main import main
from yardstone.records.reading import growing_sources, whole_games

#: Writes the games of a file to another one, in pieces that break games off anywhere.
WRITER = """
import sys, time
text = open(sys.argv[1]).read()
step = len(text) // 12 + 1
with open(sys.argv[2], "a") as file:
    for start in range(0, len(text), step):
        file.write(text[start:start + step])
        file.flush()
        time.sleep(0.25)
"""


def one_sided(rounds: int) -> list[Played]:
    """A match in which the first player wins each first game, and draws each second one."""
    return [
        Played(number, *players, result, "normal", f"position {number}")
        for number in range(rounds)
        for players, result in ((("A", "B"), "1-0"), (("B", "A"), "1/2-1/2"))
    ]


def watch(command: str, path: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "yardstone",
            command,
            str(path),
            "--watch",
            "--interval",
            "0.1",
            *more,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def write_slowly(text: str, path: Path, folder: Path) -> subprocess.Popen[bytes]:
    source = folder / "all.pgn"
    source.write_text(text)
    return subprocess.Popen([sys.executable, "-c", WRITER, str(source), str(path)])


def test_it_stops_when_the_test_is_decided(tmp_path: Path) -> None:
    text = "".join(written(game, "fastchess") for game in one_sided(60))
    path = tmp_path / "games.pgn"
    watching = watch("match", path, "--elo1", "50")  # before there is a file
    assert watching.stderr is not None
    assert watching.stderr.readline() == f"yardstone: waiting for {path}\n"
    writer = write_slowly(text, path, tmp_path)
    out, err = watching.communicate(timeout=120)
    writer.kill()
    writer.wait()
    assert watching.returncode == 0, err
    *lines, _ = out.partition("Match ")[0].splitlines() or [""]
    assert "finished: H1 accepted" in out
    assert "skipped" not in err
    assert all(" games (+" in line for line in lines)


def test_ctrl_c_ends_with_the_last_result(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    text = "".join(written(game, "cutechess-cli") for game in play(40))
    broken = '[Event "?"]\n[White "New 1.1"]\n[Bla'
    writer = write_slowly(text + broken, path, tmp_path)
    watching = watch("match", path, "--players", "New 1.1", "Old 1.0", "--elo1", "1")
    writer.wait()
    deadline = time.monotonic() + 60
    assert watching.stdout is not None
    lines: list[str] = []
    while not any(line.split()[1] == "80" for line in lines) and time.monotonic() < deadline:
        lines.append(watching.stdout.readline())
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=60)
    assert watching.returncode == 130
    expected = counted(text, "New 1.1")
    assert f"Games                      80 (+{expected['games'][0]}" in out
    pairs = ", ".join(
        f"{name} {number}"
        for name, number in zip(("LL", "LD", "LW+DD", "DW", "WW"), expected["counts"], strict=True)
    )
    assert f"40 ({pairs})" in out
    assert "no Black tag" in err  # only now, at the end
    assert err.count("\n") <= 3


def test_a_list_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    games = one_sided(8)
    path.write_text("".join(written(game, "fastchess") for game in games[:10]))
    page = tmp_path / "list.html"
    watching = watch("rate", path, "-o", str(page))
    assert watching.stdout is not None
    assert "10 games of 2 players: A " in watching.stdout.readline()
    with path.open("a") as file:
        file.write("".join(written(game, "fastchess") for game in games[10:]))
    assert "16 games of 2 players" in watching.stdout.readline()
    assert "16 games" in page.read_text()
    watching.send_signal(signal.SIGINT)
    out, _ = watching.communicate(timeout=60)
    assert watching.returncode == 130
    assert "Rank  Player" in out


@pytest.mark.parametrize(
    "given",
    [["match", "1", "2", "3"], ["rate", "-"], ["rate"], ["match", "--query", "SELECT 1"]],
)
def test_what_cannot_be_watched(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*given, "--watch"]) == 2
    assert "--watch needs" in capsys.readouterr().err
    assert main(["rate", "x.pgn", "--watch", "--interval", "0"]) == 2


def test_whole_games_at_every_byte(tmp_path: Path) -> None:
    """However a file is broken off: what is read is whole games, and all of those before."""
    games = [written(game, "fastchess") for game in one_sided(2)]
    text = "".join(games).encode()
    ends = [0]
    for game in games:
        ends.append(ends[-1] + len(game.encode()))
    path = tmp_path / "games.pgn"
    for size in range(len(text) + 1):
        path.write_bytes(text[:size])
        limit = whole_games(path)
        # The last line of a game is followed by an empty one, which need not be there yet.
        whole = max(end for end in ends if end - 1 <= size)
        assert limit in (whole, whole - 1), size


def test_a_long_last_game_and_other_files(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    first = written(one_sided(1)[0], "fastchess")
    path.write_text(first + '[Event "x"]\n\n' + "1. e4 {+0.1/8 0.2s} e5\n" * 20_000)
    assert whole_games(path) == len(first) - 1
    packed = tmp_path / "games.pgn.gz"
    packed.write_bytes(b"\x1f\x8b" + os.urandom(20))
    assert whole_games(packed) is None
    table = tmp_path / "games.csv"
    table.write_text("white,black,result\nA,B,1-0\n")
    (source,) = growing_sources([str(table), str(tmp_path / "none.pgn")])
    assert source.limit is None


def test_files_are_written_at_each_look(tmp_path: Path) -> None:
    path, result = tmp_path / "games.pgn", tmp_path / "match.json"
    path.write_text("".join(written(game, "fastchess") for game in one_sided(3)))
    watching = watch("match", path, "-o", str(result))
    deadline = time.monotonic() + 60
    while not result.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert json.loads(result.read_text())["games"] == 6
    watching.send_signal(signal.SIGINT)
    out, _ = watching.communicate(timeout=60)
    assert (out, watching.returncode) == ("", 130)
