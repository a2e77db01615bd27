"""Every example of the help runs in a folder with the example files."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import getdoc
from pathlib import Path

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.shared import shared_path
from yardstone.cli import commands, table
from yardstone.examples import copy_examples

NETWORK = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
#: Examples that no test can run, by how they begin, with the reason.
NOT_RUN = {
    "serve": "it runs until it is stopped",
    "tournament serve": "it runs until it is stopped",
    "match games.pgn --watch": "it runs until it is stopped",
    "go fetch": "it asks a server on the internet",
    "go nets": "it works on the user's own networks, or downloads one",
    "history --moves": "it needs records of many games",
    "rate --moves": "it needs records of many games",
    "evaluate --moves": "it needs records of many games",
    "strength run": "it takes hours",
    "strength describe": "it needs an experiment that has been run, in hours",
    "strength train": "it needs an experiment that has been run, in hours",
    "strength search": "it needs an experiment that has been run, in hours",
    "strength calibrate ratings.csv": "it needs games of many players of known rating",
    "backgammon play": "it takes an hour",
    "backgammon study": "it takes hours, or works on what took hours",
    "tournament study": "it takes minutes to hours",
    "demo": "tests of its own run it",
}
#: What must have been done before an example.
BEFORE = {
    "tournament undo": "yardstone tournament result open.xml --round 5 --table 3 --score 1-0",
}
NETWORKS = ("go ", "strength estimate", "trickplay rate")
#: Seconds that an example may take.
PATIENCE = 300


def examples_of(
    path: tuple[str, ...], entries: Mapping[str, table.Command | table.Family]
) -> Iterator[tuple[str, list[str]]]:
    """The commands with the examples of each."""
    for name, entry in table.with_plugins(entries, *path).items():
        place = " ".join((*path, name))
        if isinstance(entry, table.Family):
            yield place, [f"yardstone {line}" for line in entry.examples]
            yield from examples_of((*path, name), entry.commands)
            continue
        module, _, function = entry.place.partition(":")
        result = getattr(import_module(f"{entry.package}.{module}"), function)
        written = (getdoc(result) or "").partition("\n\nExamples:\n")[2]
        yield place, [line.strip() for line in written.splitlines() if line.strip()]


EXAMPLES = {
    "yardstone": [f"yardstone {line}" for line in commands.EXAMPLES],
    **dict(examples_of((), table.COMMANDS)),
}


def reason_not_to_run(line: str) -> str | None:
    words = line.removeprefix("yardstone ")
    return next((why for begin, why in NOT_RUN.items() if words.startswith(begin)), None)


RUN = {
    command: [line for line in lines if reason_not_to_run(line) is None]
    for command, lines in EXAMPLES.items()
}


@pytest.mark.parametrize("command", list(EXAMPLES))
def test_every_command_has_examples(command: str) -> None:
    lines = EXAMPLES[command]
    assert lines, "no examples"
    assert all(line.startswith("yardstone ") for line in lines)


@pytest.mark.parametrize("command", [command for command, lines in RUN.items() if lines])
def test_the_examples_run_where_the_reader_stands(command: str, tmp_path: Path) -> None:
    run = [*filter(None, [BEFORE.get(command)]), *RUN[command]]
    copy_examples(tmp_path)
    environment = {**os.environ, "COLUMNS": "88", "NO_COLOR": "1"}
    if any(line.removeprefix("yardstone ").startswith(NETWORKS) for line in run):
        environment["YARDSTONE_NET"] = str(shared_path(NETWORK))
    if any("backgammon analyse" in line for line in run):
        real_gnubg()
    for line in run:
        words = [sys.executable, "-m", *shlex.split(line)]
        ran = subprocess.run(
            words,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ran.returncode == 0, f"{line}\n{ran.stderr}"


def test_what_is_not_run_is_still_there() -> None:
    every = [line.removeprefix("yardstone ") for lines in EXAMPLES.values() for line in lines]
    for begin in NOT_RUN:
        assert any(line.startswith(begin) for line in every), f"{begin}: no example begins so"
