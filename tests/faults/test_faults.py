"""A command that is killed, interrupted or refused leaves nothing, or the whole result.

Each case meets two faults here, a heavy one is killed only; `make faults` tries all of them, and
lets each call of the system that changes a file fail once. Where the machine allows it, as root or
in a user's own namespace, commands also run on disks that are really full or read-only.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.cases import CASES, NO_CASE, Case, commands
from tests.faults.trial import DISKS, SIGNALS, Trial
from tests.faults.victim import Server, own_disks, shim
from tests.needed import missing
from yardstone.backgammon.gnubg import find_clock, find_gnubg
from yardstone.errors import YardstoneError

#: Of `make faults`: trials of each fault of a case.
EACH = int(os.environ.get("FAULTS_EACH", "0"))
#: Calls of a case that fail, one at a time; of more, as many, spread over all.
MOST_CALLS = 60
#: When `make faults` begins no more cases.
ENOUGH = time.monotonic() + 20 * 60


def started(clock: Path | None = None) -> Server:
    if shim() is None:
        missing("a C compiler is not installed", "apt-get install gcc libc6-dev")
    return Server(clock)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started() as one:
        yield one


@pytest.fixture(scope="module")
def timed() -> Iterator[Server]:
    clock = find_clock()
    if clock is None:
        missing("libfaketime is not installed", "apt-get install faketime")
    with started(clock) as one:
        yield one


def here() -> list[Case]:
    gnubg = False
    with suppress(YardstoneError):
        gnubg = bool(find_gnubg())
    return [case for case in CASES if (EACH or not case.long) and (gnubg or not case.gnubg)]


@pytest.fixture
def trial(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Trial:
    asked = request.param
    case = asked if isinstance(asked, Case) else next(c for c in CASES if c.command == asked)
    return Trial(case, tmp_path, server)


def test_every_command_has_a_case() -> None:
    named = {case.command for case in CASES}
    assert named | set(NO_CASE) == set(commands()), "add a case, or say why it needs none"
    assert not named & set(NO_CASE)


@pytest.mark.parametrize("trial", here(), ids=str, indirect=True)
def test_faults(trial: Trial, request: pytest.FixtureRequest) -> None:
    if EACH and time.monotonic() > ENOUGH:
        pytest.skip("20 minutes are over")
    server = trial.server
    for fault, call in every_fault(trial) if EACH else some_faults(trial):
        clock = fault.startswith("clock")
        if not clock or find_clock() is not None:
            trial.server = request.getfixturevalue("timed") if clock else server
            noticed = trial.fault(fault, call)
            assert noticed or fault != "locked disk"


def some_faults(trial: Trial) -> Iterator[tuple[str, int]]:
    """A kill, and unless it takes long a failing call or another fault.

    Which, is drawn by the case, so that all the cases together meet each.
    """
    calls = len(trial.undisturbed.calls)
    chance = random.Random(str(trial.case))
    yield "kill", chance.randint(1, calls)
    if not trial.case.heavy:
        faults = ["term", "int", "full", *DISKS, "limit", "twins", "closed", *["call"] * 9]
        fault = chance.choice(faults)
        most = {"limit": 2000, "small disk": trial.most_pages(), "few names": 2}.get(fault, calls)
        yield fault, chance.randint(1 if most == calls else 0, most)


def every_fault(trial: Trial) -> Iterator[tuple[str, int]]:
    case, calls = trial.case, len(trial.undisturbed.calls)
    chance = random.Random(str(case))
    draw = chance.randint
    for _ in range(max(1, EACH // 4) if case.heavy else EACH):
        for fault in (*SIGNALS, "full", "read-only", *(["clock between"] if case.resumed else [])):
            yield fault, draw(1, calls)
        yield "limit", draw(0, 4000)
        yield "small disk", draw(0, trial.most_pages())
    most = MOST_CALLS // 10 if case.heavy else MOST_CALLS
    for number in sorted({1 + i * calls // most for i in range(most)}):
        yield "call", number
    for room in (0, 1, draw(2, 8)):
        yield "small disk", room
    yield "few names", draw(0, 3)
    yield "clock", draw(1, calls)
    for fault in ("locked disk", "closed", "device", "pipe", "deaf", "twins"):
        yield fault, 0


@pytest.mark.parametrize("trial", ["convert rating"], indirect=True)
def test_files_are_on_the_disk_before_they_have_their_names(trial: Trial) -> None:
    assert re.fullmatch(r"([^r]*w+[^wr]*f[^wr]*r[^wr]*f){2}", trial.undisturbed.calls)


@pytest.mark.parametrize("trial", ["trickplay index"], indirect=True)
def test_a_disk_that_is_full(trial: Trial) -> None:
    """What is mapped into memory must have its room: the system kills who finds none."""
    assert trial.fault("small disk", 3)
    assert not trial.fault("small disk", 1000)


@pytest.mark.parametrize("trial", ["go features", "trickplay index", "winprob fit"], indirect=True)
def test_a_clock_that_is_set_back(trial: Trial, timed: Server) -> None:
    """While it runs, and between a command that was killed and the one that goes on."""
    trial.server = timed
    calls = len(trial.undisturbed.calls)
    trial.fault("clock", calls // 2)
    assert trial.fault("clock between", 2 * calls // 3)


def test_a_server_on_a_full_disk(tmp_path: Path) -> None:
    """Visitors are told that there is no room, and no job that was taken is lost."""
    mounting = own_disks()
    if not mounting:
        pytest.skip("no disk can be mounted here (run as root, or allow users' namespaces)")
    words = [*mounting, sys.executable, "-m", "tests.faults.site_on_disk", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
