"""Starting is quick: nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

HEAVY = ("numba", "scipy", "duckdb", "matplotlib", "rich", "typer", "jinja2", "pandas", "zstandard")
#: What only the commands for people need; `yardstone ordo` starts without it. (Numba
#: itself imports scipy and its linalg.)
NOT_FOR_ORDO = (
    "scipy.sparse",
    "scipy.special",
    "duckdb",
    "matplotlib",
    "rich",
    "typer",
    "jinja2",
    "pandas",
)


def imported(code: str) -> set[str]:
    """Modules that are there after some code has run in a new process."""
    report = "import sys; print(*sys.modules, sep='\\n')"
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return set(result.stdout.splitlines())


@pytest.mark.parametrize("module", ["yardstone", "yardstone.errors", "yardstone.parallel"])
def test_light_modules_import_nothing_heavy(module: str) -> None:
    assert not imported(f"import {module}") & {*HEAVY, "numpy"}


def test_the_pool_needs_numpy_only() -> None:
    assert not imported("import yardstone.pool") & set(HEAVY) - {"numba"}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_command_answers_without_numpy(option: str) -> None:
    code = (
        "import contextlib, io, sys\n"
        f"sys.argv = ['yardstone', {option!r}]\n"
        "from yardstone.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main()\n"
    )
    assert not imported(code) & {"numpy", "numba", "scipy", "duckdb", "matplotlib", "jinja2"}


def test_ordo_starts_light() -> None:
    games = '[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n'
    code = (
        "import contextlib, io, pathlib, tempfile\n"
        "from yardstone.cli.ordo import main\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    games = pathlib.Path(folder) / 'games.pgn'\n"
        f"    games.write_text({games!r})\n"
        "    with contextlib.redirect_stdout(io.StringIO()):\n"
        "        assert main(['-q', '-p', str(games)]) == 0\n"
    )
    assert not imported(code) & set(NOT_FOR_ORDO)


def test_the_direction_of_imports() -> None:
    """The contract in pyproject.toml: layers import downwards only."""
    code = "import sys, importlinter.cli as cli; sys.exit(cli.lint_imports(no_cache=True))"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


#: Imports, in a Python that has what it has under Windows, all modules; rates a table, and
#: makes what answers the visitors of `serve` and of a desk. Of the libraries, those that are
#: written for each system are imported before.
WITHOUT_UNIX = """
import asyncio, importlib, os, pathlib, pkgutil, signal, subprocess, sys, types
import multiprocessing.util, psutil, shutil, tempfile, threading
os.chdir(sys.argv[1])
UNIX = {"fcntl", "resource", "pwd", "termios", "grp"}
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
for name in UNIX:
    sys.modules[name] = None

import yardstone
for info in pkgutil.walk_packages(yardstone.__path__, "yardstone."):
    if not info.name.endswith("__main__"):
        importlib.import_module(info.name)

from yardstone.cli.main import main
from yardstone.signals import kill_group
pathlib.Path("games.csv").write_text("white,black,result\\nA,B,1-0\\nB,A,1-0\\nA,B,1/2-1/2\\n")
for words in (
    "rate games.csv -o list.csv",
    "convert games.csv -o games.parquet",
    "rate games.parquet -o list.parquet",
    "tournament new open.xml --rounds 2",
    "tournament enter open.xml --name Ada --grade 3k",
):
    sys.argv = ["yardstone", *words.split()]
    try:
        status = main()
    except SystemExit as end:
        status = end.code
    assert not status, words
assert pathlib.Path("list.csv").read_text().count("\\n") == 3

from yardstone.web.server import make_app
from yardstone.web.desk.app import make_desk
from yardstone.web.desk.app import DeskSettings
from yardstone.web.settings import Settings
make_app(Settings(data=pathlib.Path("jobs")))
make_desk(DeskSettings(file=pathlib.Path("open.xml")))

child = subprocess.Popen(["sh", "-c", "sleep 60 & wait"], start_new_session=True)
kill_group(child)
assert child.wait(10) == -9
left = [each for each in os.listdir() if each.startswith(".") and each != ".cache"]
assert not left, left
"""


def test_all_of_it_works_without_what_windows_lacks(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX, tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
