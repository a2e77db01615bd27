"""A sample of `make siege`: files of strangers, and results that were acknowledged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.needed import program
from tests.siege.bombs import burst, every
from tests.siege.loss import at_the_desk
from tests.siege.watched import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watches by /proc")
SAMPLE = ("abyss", "reading-out.duckdb", "window.pgn.zst")


@pytest.fixture
def strace() -> str:
    return program("strace", package="strace")


@pytest.mark.parametrize("name", SAMPLE)
def test_a_bomb_ends_with_a_line(name: str, strace: str, tmp_path: Path) -> None:
    (bomb,) = (bomb for _, bomb in every() if bomb.file == name)
    assert bomb.says
    try:
        assert burst(bomb, tmp_path, strace).faults(bomb.says) == []
    finally:  # folders so deep that pytest itself cannot remove them, some runs later
        subprocess.run(["rm", "-rf", tmp_path / "case"], check=True)


def test_whatever_a_command_does_wrong_is_seen(strace: str, tmp_path: Path) -> None:
    code = (
        "import socket, sys; x = b'x' * 1_200_000_000; open(sys.argv[1]).close();"
        "socket.socket().connect_ex(('127.0.0.1', 9)); sys.exit('\\x1b[2J')"
    )
    (tmp_path / "secret").touch()
    (place := tmp_path / "case" / "files").mkdir(parents=True)
    done = run([sys.executable, "-c", code, str(tmp_path / "secret")], place, strace=strace)
    memory, *others, opened = done.faults("no such line")
    assert memory.endswith(" MB")
    assert others == ["control characters", "another line"]
    assert opened.startswith(f"opens {tmp_path}/secret, ")
    assert "127.0.0.1" in opened


def test_what_the_desk_has_taken_is_there_once(tmp_path: Path) -> None:
    row = at_the_desk(tmp_path, 30.0, players=24, rounds=1)
    assert row["kept"], row
    assert (row["acknowledged"], bool(row["blows"])) == (12, True)
