"""What is tried of a page from an installed package."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import Workplace
from tests.docs.installed import main, tried


@pytest.mark.parametrize(
    ("command", "done", "problem"),
    [
        ("yardstone match 520 1010 470", "run", ""),
        ("yardstone match 520 -1010 470", "run", "$ yardstone match 520 -1010 470"),
        ("yardstone rate games.pgn.gz --min-games 3", "looked up", ""),
        ("yardstone rate games.pgn.gz --least-games 3", "looked up", "no option"),
        ("yardstone convert league.csv --to pgn", "run", ""),
        ("yardstone convert league.csv --to morse", "run", "morse"),
        ("yardstone serve", "looked up", ""),
        ("yardstone go nets download b6c96", "looked up", ""),
        ("yardstone go nets download --networks b6c96", "looked up", "no option"),
    ],
)
def test_a_command_is_run_where_its_files_are(
    command: str, done: str, problem: str, tmp_path: Path
) -> None:
    did, wrong = tried(command, Workplace.prepare(tmp_path))
    assert did == done
    assert problem in wrong
    assert bool(problem) == bool(wrong)


def test_the_package_of_the_checkout_is_not_an_installed_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main() == 1
    assert "of the checkout" in capsys.readouterr().out
