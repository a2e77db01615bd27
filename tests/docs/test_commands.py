"""Each command has its section, and each of its options is explained in the guide."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs import blocks
from yardstone.cli import table

DOCS = blocks.ROOT / "docs"
COMMANDS = sorted((*table.COMMANDS, *table.OWN_SWITCHES))
#: Where the options of a command are explained, if not on a page of its name.
PAGES = {"demo": "recipes", "prep": "ordo", "evaluate": "evaluation", "predict": "history"}
#: What they take of moves is explained on a page that their own leads to.
WITH_MOVES = ("evaluate", "history", "predict", "rate")
LONG_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def help_option(command: str) -> str:
    """Name the option that shows all others."""
    return "--help" if command in table.OWN_SWITCHES else "--help-all"


def help_of(command: str) -> str:
    program = Path(sys.executable).parent / "yardstone"
    result = subprocess.run(
        [program, command, help_option(command)], capture_output=True, text=True, check=True
    )
    return result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_its_section(command: str) -> None:
    page = (DOCS / "reference" / "commands.md").read_text()
    assert (
        f"## yardstone {command}\n\n```console\n$ yardstone {command} {help_option(command)}\n"
        in page
    )


def test_no_section_is_about_a_command_that_is_not() -> None:
    page = (DOCS / "reference" / "commands.md").read_text()
    assert sorted(re.findall(r"^## yardstone (\w+)$", page, re.MULTILINE)) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained(command: str) -> None:
    page = (DOCS / "how-to" / f"{PAGES.get(command, command)}.md").read_text()
    if command in WITH_MOVES:
        assert "(fusion.md" in page
        page += (DOCS / "how-to" / "fusion.md").read_text()
    explained = set(LONG_OPTION.findall(page))
    missing = set(LONG_OPTION.findall(help_of(command))) - explained - {"--help", "--help-all"}
    assert not missing, f"not explained in docs/how-to/: {sorted(missing)}"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    assert f"yardstone {command} " in help_of(command).partition("\n")[2]
