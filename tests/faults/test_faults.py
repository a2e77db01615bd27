"""A command that is killed, interrupted or refused leaves nothing, or the whole result.

Each case meets two faults here, a heavy one is killed only: `make faults` tries all of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.cases import CASES, NO_CASE, Case, commands
from tests.faults.trial import Trial
from tests.faults.victim import Server
from yardstone.backgammon.gnubg import find_gnubg
from yardstone.errors import YardstoneError

#: Calls between a moment and a signal: before the change, just after it, and while it is written.
LATER = (0, 1, 6)


def has_gnubg() -> bool:
    try:
        find_gnubg()
    except YardstoneError:
        return False
    return True


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as one:
        yield one


def here() -> list[Case]:
    """The cases that this machine can run; tests/backgammon says what it needs besides."""
    return [case for case in CASES if not case.gnubg or has_gnubg()]


def test_every_command_has_a_case() -> None:
    named = {case.command for case in CASES} | set(NO_CASE)
    assert set(commands()) - named == set(), "a new command: add a case, or say why it needs none"
    assert named - set(commands()) == set(), "no such command"
    assert not {case.command for case in CASES} & set(NO_CASE)


@pytest.mark.parametrize("case", here(), ids=str)
def test_faults(case: Case, server: Server, tmp_path: Path) -> None:
    trial = Trial(case, tmp_path, server)
    moments = trial.undisturbed[0].moments
    chance = random.Random(str(case))
    draw = chance.randint
    trial.signalled("kill", draw(1, moments), chance.choice(LATER))
    if case.heavy:
        return
    # One fault more: which, is drawn by the case, so that all the cases together meet each.
    match chance.choice(("term", "int", "full", "read-only", "limit")):
        case "term" | "int" as name:
            trial.signalled(name, draw(1, moments), chance.choice(LATER))
        case "full":
            trial.refused("full", 1)
        case "read-only":
            assert trial.refused("read-only", 1)
        case "limit":
            trial.refused("limit", draw(0, 2000))
