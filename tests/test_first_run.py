"""Commands need no package that they do not use."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from yardstone.examples import example

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


@pytest.fixture(autouse=True)
def _examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the examples, and a few games in PGN."""
    for name in ("league.csv", "open.xml", "professional.sgf"):
        (tmp_path / name).symlink_to(example(name))
    games = gzip.decompress(example("tcec.pgn.gz").read_bytes())
    (tmp_path / "small.pgn").write_bytes(games[: games.index(b"[Event", 150_000)])
    monkeypatch.chdir(tmp_path)


def without(packages: tuple[str, ...], *lines: str) -> subprocess.CompletedProcess[str]:
    code = WITHOUT.format(packages=packages, lines=lines)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_a_list_a_chart_and_a_page_need_few_packages() -> None:
    heavy = ("scipy", "duckdb", "zstandard", "matplotlib")
    ran = without(heavy, "rate small.pgn -o list.svg -o list.html")
    assert ran.returncode == 0, ran.stderr
    assert "Stockfish" in ran.stdout
    assert Path("list.svg").read_text().startswith(("<svg", "<?xml"))
    assert "Stockfish" in Path("list.html").read_text()


@pytest.mark.parametrize(
    ("package", "line", "hint"),
    [
        ("matplotlib", "rate small.pgn -o list.png", "pip install 'yardstone[plot]'"),
        ("scipy", "evaluate small.pgn", "pip install scipy, or make install"),
        ("duckdb", "rate league.csv", "pip install duckdb, or make install"),
    ],
)
def test_a_missing_package_is_one_line_that_says_what_to_install(
    package: str, line: str, hint: str
) -> None:
    ran = without((package,), line)
    (error,) = [each for each in ran.stderr.splitlines() if "error" in each]
    assert ran.returncode == 1
    assert error.endswith(hint)
