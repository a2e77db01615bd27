"""A cell is real here: a process enters one, and tries what it must not."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from yardstone.cell import lacking

#: Run within a cell: tries each, and prints what came of it.
ATTEMPTS = """
import json, os, socket, subprocess, sys
from yardstone import cell

folder, port = sys.argv[1], int(sys.argv[2])
os.chdir(folder)
cell.enter(["games.csv"], ["out"], cell.CellLimits(memory=1 << 30, seconds=60, file_bytes=1 << 20))

def outcome(attempt):
    try:
        return str(attempt())
    except (OSError, MemoryError) as error:
        return type(error).__name__

def child(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stderr.strip().rpartition("\\n")[2].partition(":")[0]

print(json.dumps({
    "named": outcome(lambda: open("games.csv").read()),
    "change": outcome(lambda: open("games.csv", "a")),
    "other": outcome(lambda: open("other.csv").read()),
    "link": outcome(lambda: os.symlink("../other.csv", "out/link") or open("out/link").read()),
    "system": outcome(lambda: open("/etc/passwd").read()),
    "list": outcome(lambda: os.listdir(".")),
    "environment": outcome(lambda: open(f"/proc/{os.getppid()}/environ").read()),
    "write": outcome(lambda: open("out/new", "w").write("x")),
    "outside": outcome(lambda: open("new", "w")),
    "large": outcome(lambda: open("out/large", "wb", 0).write(bytes(2 << 20)) > 1 << 20),
    "memory": outcome(lambda: len(bytearray(2 << 30))),
    "connect": outcome(lambda: socket.create_connection(("127.0.0.1", port))),
    "datagram": outcome(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    "signal": outcome(lambda: os.kill(os.getppid(), 0)),
    "child": child("open('other.csv')"),
    "numbers": outcome(lambda: __import__("numpy").ones(3).sum()),
}))
"""
DENIED = {
    "other files": ("change", "other", "link", "system", "list", "environment", "outside", "child"),
    "the network": ("connect", "datagram"),
}


def run(*words: str, status: int = 0) -> str:
    """What a command says on both streams."""
    done = subprocess.run(
        [sys.executable, *words], stdout=-1, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lacks cells")
def test_what_a_process_in_a_cell_can_do(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("mine")
    (tmp_path / "other.csv").write_text("secret")
    (tmp_path / "out").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        did = json.loads(run("-c", ATTEMPTS, str(tmp_path), str(port)))
    denied = {name for what, names in DENIED.items() if what not in lacking() for name in names}
    assert {name: did[name] for name in denied} == dict.fromkeys(denied, "PermissionError")
    if "other files" not in lacking():
        assert did["signal"] in ("PermissionError", "None")  # since Linux 6.12
    assert (did["named"], did["write"], did["numbers"]) == ("mine", "1", "3.0")
    if sys.platform == "linux":
        assert (did["large"], did["memory"]) == ("False", "MemoryError")


def yardstone(folder: Path, *words: str, status: int = 0, text: str = "", seconds: int = 60) -> str:
    """What a command says that is given a text for ever, and so much processor time."""
    import resource

    with subprocess.Popen(["yes", text], stdout=subprocess.PIPE) as endless:
        done = subprocess.run(
            [sys.executable, "-m", "yardstone", *words, "--untrusted"],
            cwd=folder,
            stdin=endless.stdout,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, -1)),
        )
        endless.kill()
    assert done.returncode == status, done.stderr
    return done.stderr


GAMES = "white,black,result\nAnn,Bob,1-0\nBob,Cid,1-0\nCid,Ann,1-0\n"
needs_cell = pytest.mark.skipif("other files" in lacking(), reason="this system lacks Landlock")


@needs_cell
def test_a_command_reads_what_it_was_given_and_writes_what_it_was_told(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games/games.csv").write_text(GAMES)
    assert yardstone(tmp_path, "rate", "games", "-o", "list.csv", "-o", "list.html") == ""
    assert (tmp_path / "list.csv").read_text().count("\n") == 4
    (tmp_path / "other.csv").write_text(GAMES)
    (tmp_path / "games/link.csv").symlink_to("../other.csv")
    said = yardstone(tmp_path, "rate", "games", "-o", "new.csv", status=1)
    assert said == (
        "yardstone: error: games/link.csv: cannot be read: Permission denied "
        "(check the name and the permissions)\n"
    )
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "games", "list.csv", "list.html", "other.csv",
    ]  # fmt: skip


@needs_cell
def test_a_limit_that_strikes_is_named(tmp_path: Path) -> None:
    game = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1-0\n'
    said = yardstone(tmp_path, "rate", "-", "-o", "l.csv", status=1, text=game, seconds=1)
    assert said == (
        "yardstone: error: takes more than 1 second of processor time "
        "(if you trust it, leave out --untrusted)\n"
    )
    assert not list(tmp_path.iterdir())
    hungry = "cell.confine([], [], cell.CellLimits(memory=1 << 28)), bytearray(1 << 30)"
    code = f"from yardstone import cell; cell.run(lambda: ({hungry}))"
    assert "InputError: takes more than 256 MiB of memory" in run("-c", code, status=1)
