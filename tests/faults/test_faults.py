"""A command that is killed, interrupted or refused leaves nothing, or the whole result.

Each case meets three faults here, a heavy one is killed only: `make faults` tries all of them.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.cases import CASES, NO_CASE, Case, commands
from tests.faults.disks import own_disks
from tests.faults.trial import DISKS, Trial
from tests.faults.victim import Server, shim
from tests.needed import missing
from yardstone.backgammon.gnubg import find_clock, find_gnubg
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


@pytest.fixture(scope="module")
def timed() -> Iterator[Server]:
    """A server whose clock can be set."""
    clock = find_clock()
    if clock is None:
        missing("libfaketime is not installed", "apt-get install faketime")
    with Server(clock) as one:
        yield one


def here() -> list[Case]:
    """The cases that this machine can run; tests/backgammon says what it needs besides."""
    return [case for case in CASES if not case.long and (not case.gnubg or has_gnubg())]


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
    calls = trial.undisturbed[0].calls
    if calls:
        trial.call_failed(draw(1, len(calls)))
    match chance.choice(("term", "int", "full", *DISKS, "limit", "twins", "closed")):
        case "term" | "int" as name:
            trial.signalled(name, draw(1, moments), chance.choice(LATER))
        case "full":
            trial.refused("full", draw(1, moments))
        case "small disk" as name:
            trial.on_disk(name, draw(0, trial.most_pages()))
        case "few names" as name:
            trial.on_disk(name, draw(0, 2))
        case "locked disk" as name:
            assert trial.on_disk(name)
        case "limit":
            trial.refused("limit", draw(0, 2000))
        case "twins" | "closed" as name:
            trial.fault(name, 0)


def test_files_are_on_the_disk_before_they_have_their_names(server: Server, tmp_path: Path) -> None:
    """Written, synced, renamed, and the folder synced: the calls that fail above, one at a time."""
    if shim() is None:
        missing("a C compiler is not installed", "apt-get install gcc libc6-dev")
    calls = Trial(_case("convert rating"), tmp_path, server).undisturbed[0].calls
    assert re.fullmatch(r"([^r]*w+[^wr]*f[^wr]*r[^wr]*f){2}", calls)  # list.csv and list.html


def test_a_disk_that_is_full(server: Server, tmp_path: Path) -> None:
    """What is mapped into memory must have its room: the system kills who finds none."""
    trial = Trial(_case("trickplay index"), tmp_path, server)
    assert trial.on_disk("small disk", 3)
    assert not trial.on_disk("small disk", 1000)


@pytest.mark.parametrize("command", ["go features", "trickplay index", "winprob fit"])
def test_a_clock_that_is_set_back(command: str, timed: Server, tmp_path: Path) -> None:
    """While it runs, and between a command that was killed and the one that goes on."""
    trial = Trial(_case(command), tmp_path, timed)
    moments = trial.undisturbed[0].moments
    trial.clock_set_back("clock", moments // 2)
    assert trial.clock_set_back("kill", 2 * moments // 3)


def test_a_server_on_a_full_disk(tmp_path: Path) -> None:
    """Visitors are told that there is no room, and no job that was taken is lost."""
    mounting = own_disks()
    if not mounting:
        pytest.skip("no disk can be mounted here (run as root, or allow users' namespaces)")
    words = [*mounting, sys.executable, "-m", "tests.faults.site_on_disk", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def _case(command: str) -> Case:
    return next(case for case in CASES if case.command == command)
