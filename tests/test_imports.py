"""Starting is quick: nothing heavy is imported before it is needed, and nothing of Unix alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOR_TABLES = {"duckdb", "pandas", "jinja2", "matplotlib"}
HEAVY = FOR_TABLES | {"scipy", "rich", "typer", "zstandard"}
#: `importlib.metadata`, by which plug-ins would be found, is as heavy.
LATE = {"numpy", "onnxruntime", "torch", "importlib.metadata"}
CALL = "from yardstone.cli.main import main; main({!r}.split())"
ORDO = r"""
from pathlib import Path
from yardstone.cli.ordo import main
Path("g.pgn").write_text('[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n')
assert main(["-q", "-p", "g.pgn"]) == 0
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", code]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import yardstone, yardstone.errors, yardstone.parallel", HEAVY | {"numpy"}),
        ("import yardstone.pool", HEAVY),
        (CALL.format("--version"), HEAVY | {"numpy"}),
        (CALL.format("--help"), HEAVY - {"typer", "rich"} | LATE),
        (CALL.format("rate --help"), HEAVY - {"typer", "rich"} | {"numpy"}),
        # Numba itself imports scipy and its linalg.
        (ORDO, FOR_TABLES | {"scipy.sparse", "scipy.special", "rich", "typer"}),
    ],
)
def test_what_is_not_needed_is_not_imported(code: str, absent: set[str], tmp_path: Path) -> None:
    ran = run(f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)", tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert set(ran.stderr.split()) & absent == set()


#: Imports, in a Python that has what it has under Windows, all modules; rates a table, and
#: makes what answers the visitors of `serve` and of a desk. Of the libraries, those that are
#: written for each system are imported before.
WITHOUT_UNIX = """
import asyncio, importlib, os, pathlib, pkgutil, signal, subprocess, sys, types
import multiprocessing.util, psutil, shutil, tempfile, threading
UNIX = dict.fromkeys(("fcntl", "resource", "pwd", "termios", "grp"))
GONE = {
    os: "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown fchmod fchown fork getegid geteuid "
        "getgid getgroups getpgid getpgrp getuid killpg mkfifo pread pwrite register_at_fork "
        "sched_getaffinity setpgid setsid statvfs sysconf uname wait3 wait4",
    signal: "ITIMER_REAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP "
        "SIGUSR1 SIGUSR2 SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm pause pthread_kill "
        "pthread_sigmask setitimer siginterrupt sigpending sigwait",
}
poor = {}
for module, names in GONE.items():
    poor[module.__name__] = types.ModuleType(module.__name__)
    kept = {k: v for k, v in vars(module).items() if k not in names.split()}
    vars(poor[module.__name__]).update(kept)
whole_import = __builtins__.__import__

def poor_import(name, globals=None, *rest, **more):
    if name in UNIX:
        raise ImportError(f"no {name} under Windows")
    ours = str((globals or {}).get("__name__")).startswith("yardstone")
    return poor[name] if ours and name in poor else whole_import(name, globals, *rest, **more)

__builtins__.__import__ = poor_import
sys.modules |= UNIX

import yardstone
for info in pkgutil.walk_packages(yardstone.__path__, "yardstone."):
    if not info.name.endswith("__main__"):
        importlib.import_module(info.name)

from yardstone.cli.main import main
pathlib.Path("games.csv").write_text("white,black,result\\nA,B,1-0\\nB,A,1-0\\nA,B,1/2-1/2\\n")
for words in (
    "rate games.csv -o list.csv",
    "convert games.csv -o games.parquet",
    "rate games.parquet -o list.parquet",
    "tournament new open.xml --rounds 2",
    "tournament enter open.xml --name Ada --grade 3k",
):
    assert main(words.split()) == 0, words
assert pathlib.Path("list.csv").read_text().count("\\n") == 3

from yardstone.signals import kill_group
from yardstone.web.desk.app import DeskSettings, make_desk
from yardstone.web.server import make_app
from yardstone.web.settings import Settings
make_app(Settings(data=pathlib.Path("jobs")))
make_desk(DeskSettings(file=pathlib.Path("open.xml")))

# Without the pipe of the test, which would wait for what is left of it.
words, none = ["sh", "-c", "sleep 9 & wait"], subprocess.DEVNULL
child = subprocess.Popen(words, start_new_session=True, stdout=none, stderr=none)
kill_group(child)
assert child.wait(10) == -9
left = [each for each in os.listdir() if each.startswith(".") and each != ".cache"]
assert not left, left
"""


def test_all_of_it_works_without_what_windows_lacks(tmp_path: Path) -> None:
    result = run(WITHOUT_UNIX, tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
