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
        "from yardstone.cli.ordo.commands import main\n"
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
