"""The first run on a machine: no compiler for small inputs, and no package that is not needed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "src" / "yardstone" / "examples"
LEAGUE = str(EXAMPLES / "league.csv")
OPEN = str(EXAMPLES / "open.xml")
TCEC = str(EXAMPLES / "tcec.pgn.gz")

#: Seconds of processor, with room for slow machines: the compiler alone would take more.
ENOUGH = 4.0

SMALL = (
    ("rate", LEAGUE),
    ("history", LEAGUE),
    ("predict", "Jonny 8.1", "Fizbo 2", LEAGUE),
    ("evaluate", LEAGUE),
    ("match", "30", "20", "10"),
    ("tournament", "standings", OPEN),
    ("tournament", "ratings", OPEN),
    ("convert", str(EXAMPLES / "professional.sgf")),
    ("winprob", "2d", "4d"),
)

#: Runs a command in a process in which some packages are not installed.
WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from yardstone.cli.main import main
sys.exit(main({arguments!r}))
"""


def without(packages: Sequence[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    code = WITHOUT.format(packages=set(packages), arguments=list(arguments))
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", SMALL, ids=" ".join)
def test_small_inputs_answer_at_once_on_a_new_machine(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [sys.executable, "-m", "yardstone", *arguments]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert ran.returncode == 0, ran.stderr
    assert "compiling" not in ran.stderr
    assert not (tmp_path / "cache").exists()
    assert spent < ENOUGH


@pytest.fixture(scope="module")
def small_pgn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import gzip

    path = tmp_path_factory.mktemp("pgn") / "games.pgn"
    games = gzip.decompress((EXAMPLES / "tcec.pgn.gz").read_bytes())
    path.write_bytes(games[: games.index(b"[Event", 150_000)])
    return path


HEAVY = ("scipy", "duckdb", "zstandard", "matplotlib")


@pytest.mark.parametrize("large", [False, True])
def test_a_list_a_chart_and_a_page_need_few_packages(
    small_pgn: Path, tmp_path: Path, large: bool
) -> None:
    games, packages = (TCEC, HEAVY) if large else (str(small_pgn), (*HEAVY, "numba"))
    plot, page = tmp_path / "list.svg", tmp_path / "list.html"
    ran = without(packages, "rate", games, "-o", str(plot), "-o", str(page))
    assert ran.returncode == 0, ran.stderr
    assert "Stockfish" in ran.stdout
    assert plot.read_text().startswith(("<svg", "<?xml"))
    assert "Stockfish" in page.read_text()


@pytest.mark.parametrize(
    ("packages", "arguments", "hint"),
    [
        (["matplotlib"], ["rate", "-o", "list.png"], "pip install 'yardstone[plot]'"),
        (["scipy"], ["evaluate"], "pip install scipy, or make install"),
    ],
)
def test_a_missing_package_is_one_line_that_says_what_to_install(
    small_pgn: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    packages: list[str],
    arguments: list[str],
    hint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = without(packages, *arguments, str(small_pgn))
    errors = [line for line in ran.stderr.splitlines() if "error" in line]
    assert ran.returncode == 1
    assert len(errors) == 1, ran.stderr
    assert errors[0].endswith(hint)


def test_a_missing_package_of_tables_is_named() -> None:
    ran = without(["duckdb"], "rate", LEAGUE)
    assert ran.stderr.strip().endswith("pip install duckdb, or make install")
    assert ran.returncode == 1
