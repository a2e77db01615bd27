"""Starting is quick and needs little; what another package adds is there, as the guide says."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT
from tests.strength.rank_cases import random_evidence
from yardstone import plugins
from yardstone.cli.table import COMMANDS, LABORATORY, Family, plugged
from yardstone.errors import InputError, YardstoneError
from yardstone.examples import example
from yardstone.ratings.systems import find_system
from yardstone.strength.model import StrengthModel

#: A scorer of another kind: the one of losses under its own name.
SCORER = """
from yardstone.strength.scorers import LossScorer
class Ours(LossScorer):
    kind = "ours"
"""
GUIDE = (ROOT / "docs" / "how-to" / "plugins.md").read_text("utf-8")
PROJECT, CODE = (
    re.findall(rf"^```{kind}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)[0]
    for kind in ("toml", "python")
)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    plugins.declared.cache_clear()
    yield tmp_path
    plugins.declared.cache_clear()


def install(folder: Path, project: str, module: str, code: str) -> None:
    lines = []
    for group, entries in tomllib.loads(project)["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in entries.items())]
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text("\n".join(lines))
    (folder / f"{module}.py").write_text(code)


def python(*words: str, path: str = os.environ.get("PYTHONPATH", "")) -> tuple[int, str, str]:
    environment = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}
    words = (sys.executable, *words)
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout, ran.stderr


def with_plugin(line: str, folder: Path) -> tuple[int, str, str]:
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return python("-m", "yardstone", *line.split(), path=path)


def test_a_command_and_a_system_of_the_guide(tmp_path: Path) -> None:
    install(tmp_path, PROJECT, "yardstone_club", CODE)
    listed = with_plugin("--help", tmp_path)[1]
    assert re.search(r"(?s)\nPlug-ins:.*\n  upsets +Count the games that the player", listed)
    games = example("league.csv").as_posix()
    _, said, errors = with_plugin(f"upsets {games}", tmp_path)
    assert re.fullmatch(r"\d+ upsets in \d+ games\n", said), errors
    assert not errors  # nor do libraries complain of what is left at the end
    assert "Did you mean 'yardstone upsets'?" in with_plugin("upset", tmp_path)[2]
    said = with_plugin(f"evaluate {games} --systems elo,shares --format json", tmp_path)[1]
    assert {row["name"] for row in json.loads(said)["systems"]} >= {"elo", "shares"}


def test_a_plugin_that_cannot_be_loaded_stops_nothing_else(tmp_path: Path) -> None:
    install(tmp_path, PROJECT, "yardstone_club", "import no_such_module\n")
    status, listed, _ = with_plugin("--help", tmp_path)
    words = " ".join(listed.split())
    assert "the plug-in yardstone_club:upsets (yardstone.commands, upsets) cannot" in words
    failed, _, errors = with_plugin("upsets", tmp_path)
    assert (status, failed, "No module named 'no_such_module'" in errors) == (0, 1, True)


def test_a_kind_of_model_is_read(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = '[project.entry-points."yardstone.models"]\nours = "yardstone_ours:Ours"'
    install(installed, project, "yardstone_ours", SCORER)
    model = StrengthModel.load("stochastic")
    ours = plugins.load(plugins.MODELS, "ours")
    scorer = ours.from_arrays(model.scorer.arrays())
    StrengthModel(scorer, list(model.scales.values()), model.card).save(installed / "m.npz")
    again = StrengthModel.load(installed / "m.npz")
    assert isinstance(again.scorer, ours)
    means = [each.score(random_evidence([30, 20])).mean for each in (model, again)]
    assert means[0] == pytest.approx(means[1], abs=0.01)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each != str(installed)])
    plugins.declared.cache_clear()
    with pytest.raises(InputError):
        StrengthModel.load(installed / "m.npz")


def test_what_is_built_in_comes_first(installed: Path) -> None:
    project = '[project.entry-points."yardstone.systems"]\nelo = "no_such_module:Elo"'
    install(installed, project, "yardstone_other", "")
    assert find_system("elo").make(k=30.0).k == 30.0
    with pytest.raises(YardstoneError, match="no_such_module:Elo"):
        plugins.load(plugins.SYSTEMS, "elo")


#: Runs the command, and says so where it has imported the laboratory.
ALONE = """import sys
from yardstone.cli.main import main
status = main(sys.argv[1:])
assert not any(name.startswith("yardstone_lab") for name in sys.modules)
sys.exit(status)"""


def test_the_laboratory_adds_the_commands_that_are_missed_without_it(tmp_path: Path) -> None:
    entries = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text())["project"]
    assert set(entries["entry-points"]["yardstone.commands"]) == LABORATORY
    for name in LABORATORY:
        assert isinstance(COMMANDS[name.partition(".")[0]], Family)
        assert plugged(name).about
    # Links to all installed packages but the laboratory.
    for place in (each for each in map(Path, sys.path) if each.name == "site-packages"):
        for each in place.iterdir():
            if "yardstone_lab" not in each.name and not (tmp_path / each.name).exists():
                (tmp_path / each.name).symlink_to(each)
    alone = partial(python, "-Sc", ALONE, "winprob", path=f"{ROOT / 'src'}{os.pathsep}{tmp_path}")
    status, _, errors = alone("trace", "x.toml")
    assert (status, "pip install yardstone-lab" in errors) == (2, True)
    assert "yardstone winprob trace is part of the laboratory" in errors
    assert "  trace " not in alone("--help-all")[1]
    status, said, errors = alone("fit", str(example("graded_games_simulated.csv")))
    assert (status, "u0" in said) == (0, True), errors


FOR_TABLES = {"duckdb", "pandas", "jinja2", "matplotlib"}
HEAVY = FOR_TABLES | {"scipy", "rich", "typer", "backports.zstd"}
#: `importlib.metadata`, by which plug-ins would be found, is as heavy.
LATE = {"numpy", "onnxruntime", "torch", "importlib.metadata"}
#: What typer converts and draws with.
UNUSED = {"pydantic", "rich.console", "importlib.metadata"}
READERS = {"yardstone.pool", "yardstone.records.reading", "yardstone.records.formats"}
#: What is asked, or made, only where files are large, packed or damaged.
SELDOM = {"psutil", "numpy.ma", "tarfile"}
PAIRING = {"yardstone.tournament.pairing", "yardstone.ratings.sequential"}
CHARTS = {"yardstone.reports.chart", "yardstone.reports.drawing"}
STRENGTH = "strength estimate professional.sgf --colour black"
CALL = "from yardstone.cli.main import main; main({!r}.split())"
ORDO = r"""
from pathlib import Path
from yardstone.cli.ordo import main
Path("g.pgn").write_text('[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n')
assert main(["-q", "-p", "g.pgn"]) == 0
"""


@pytest.fixture(autouse=True)
def _examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("league.csv", "open.xml", "professional.sgf"):
        (tmp_path / name).symlink_to(example(name))
    with gzip.open(example("tcec.pgn.gz")) as file:
        games = file.read(200_000)
    (tmp_path / "small.pgn").write_bytes(games[: games.index(b"[Event", 150_000)])
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import yardstone", {"dataclasses", "inspect", "yardstone.errors"}),
        ("import yardstone, yardstone.errors, yardstone.parallel", HEAVY | {"numpy"}),
        ("import yardstone.pool", HEAVY),
        (CALL.format("--version"), HEAVY | {"numpy"}),
        (CALL.format("--help"), HEAVY - {"typer", "rich"} | LATE),
        (CALL.format("rate --help"), HEAVY - {"typer", "rich"} | {"numpy"}),
        (CALL.format("match 30 20 10"), HEAVY - {"rich", "typer"} | UNUSED | READERS),
        (CALL.format("rate small.pgn"), SELDOM | HEAVY - {"rich", "typer"} | UNUSED | CHARTS),
        (CALL.format("rate league.csv"), SELDOM | FOR_TABLES - {"duckdb"} | {"scipy"} | CHARTS),
        (CALL.format("history small.pgn"), HEAVY - {"rich", "typer"} | UNUSED | CHARTS),
        (
            CALL.format("tournament standings open.xml"),
            PAIRING | HEAVY - {"rich", "typer"} | CHARTS,
        ),
        (CALL.format("evaluate league.csv"), {"scipy", "psutil", "pydantic"} | CHARTS),
        (CALL.format("winprob 2d 4d"), HEAVY - {"rich", "typer"} | UNUSED | READERS | CHARTS),
        (CALL.format("handicap 5k 2d"), HEAVY - {"rich", "typer"} | UNUSED | READERS | CHARTS),
        (CALL.format(STRENGTH), FOR_TABLES | {"scipy", "pydantic", "rich.console"}),
        (ORDO, FOR_TABLES | {"scipy", "rich", "typer", "psutil", "importlib.metadata"}),
    ],
)
def test_what_is_not_needed_is_not_imported(code: str, absent: set[str]) -> None:
    status, _, names = python("-c", f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)")
    assert (status, set(names.split()) & absent) == (0, set()), names


#: Runs commands in a process in which some packages are not installed.
WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from yardstone.cli.main import main
sys.exit(max([main(line.split()) for line in {lines!r}]))
"""
MANY = ["scipy", "duckdb", "backports", "matplotlib"]


@pytest.mark.parametrize(
    ("packages", "line", "hint"),
    [
        (MANY, "rate small.pgn -o list.svg -o list.html", None),
        (["matplotlib"], "rate small.pgn -o list.png", "pip install 'yardstone[plot]'"),
        (["scipy"], "tournament simulate open.xml", "pip install scipy, or make install"),
        (["duckdb"], "rate league.csv", "pip install duckdb, or make install"),
    ],
)
def test_a_missing_package_is_not_needed_or_one_line_says_what_to_install(
    packages: list[str], line: str, hint: str | None
) -> None:
    status, said, messages = python("-c", WITHOUT.format(packages=packages, lines=[line]))
    errors = [each for each in messages.splitlines() if "error" in each]
    if hint is None:
        assert status == 0, messages
        pages = [Path(f"list.{end}").read_text() for end in ("svg", "html")]
        assert all("Stockfish" in each for each in (said, *pages))
    else:
        assert (status, len(errors), errors[0].endswith(hint)) == (1, 1, True), errors


def test_the_runtime_of_networks_reports_to_nobody(tmp_path: Path) -> None:
    """By default it writes an identifier of the machine into the cache, and starts threads."""
    begin = "import os; os.environ |= {{'HOME': {0!r}, 'XDG_CACHE_HOME': {0!r}}}; "
    line = "from yardstone.go.nets.engines import available_devices; available_devices()"
    home = tmp_path / "home"
    status, _, errors = python("-c", begin.format(str(home)) + line)
    assert (status, errors, list(home.rglob("*"))) == (0, "", [])


#: In a Python that has what it has under Windows imports all modules, rates, and makes a server and
#: a desk. Of the libraries, those that are written for each system are imported before.
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
# Without locks a process that has them would take what lies here for a dead one's, and remove it.
tempfile.tempdir = os.getcwd()

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
    "tournament new cup.xml --rounds 2",
    "tournament enter cup.xml --name Ada --grade 3k",
):
    assert main(words.split()) == 0, words
assert pathlib.Path("list.csv").read_text().count("\\n") == 3

from yardstone.signals import kill_group
from yardstone.web.desk.app import DeskSettings, make_desk
from yardstone.web.server import make_app
from yardstone.web.settings import Settings
make_app(Settings(data=pathlib.Path("jobs")))
make_desk(DeskSettings(file=pathlib.Path("cup.xml")))

# Without the pipe of the test, which would wait for what is left of it.
words, none = ["sh", "-c", "sleep 9 & wait"], subprocess.DEVNULL
child = subprocess.Popen(words, start_new_session=True, stdout=none, stderr=none)
kill_group(child)
assert child.wait(10) == -9
left = [each for each in os.listdir() if each.startswith(".") and each != ".cache"]
assert not left, left
"""


def test_all_of_it_works_without_what_windows_lacks() -> None:
    status, said, errors = python("-c", WITHOUT_UNIX)
    assert status == 0, said + errors
