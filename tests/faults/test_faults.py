"""A command that is killed, interrupted or refused leaves nothing, or the whole result.

Each case meets two faults here, a heavy one is killed only; `make faults` tries all of them, and
lets each call of the system that changes a file fail once; where the machine allows it also on
disks that are really full or read-only. Each call of the server's database fails once, too.
"""

from __future__ import annotations

import os
import random
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.cases import CASES, NO_CASE, Case, commands
from tests.faults.trial import DISKS, SIGNALS, Trial
from tests.faults.victim import Server, own_disks, shim
from tests.needed import missing
from yardstone.backgammon.gnubg import find_clock, find_gnubg
from yardstone.errors import YardstoneError

if TYPE_CHECKING:
    from yardstone.web.store import JobStore


#: Of `make faults`: trials of each fault of a case.
EACH = int(os.environ.get("FAULTS_EACH", "0"))
#: Calls of a case that fail, one at a time; of more, as many, spread over all.
MOST_CALLS = 60
#: Where it notes each trial that was survived: command and fault.
SURVIVED = os.environ.get("FAULTS_SURVIVED")
#: When `make faults` begins no more cases.
ENOUGH = time.monotonic() + 20 * 60


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if shim() is None:
        missing("a C compiler is not installed", "apt-get install gcc libc6-dev")
    with Server() as one:
        yield one


@pytest.fixture(scope="module")
def timed(server: Server) -> Iterator[Server]:
    if (clock := find_clock()) is None:
        missing("libfaketime is not installed", "apt-get install faketime")
    with Server(clock) as one:
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
    named = [*{case.command for case in CASES}, *NO_CASE]
    assert sorted(named) == sorted(commands()), "add a case, or say why it needs none"


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
            if SURVIVED:
                with Path(SURVIVED).open("a", encoding="utf-8") as file:
                    file.write(f"{trial.case.command}\t{fault}\n")


def some_faults(trial: Trial) -> Iterator[tuple[str, int]]:
    """A kill, and unless it takes long another fault, drawn so that all cases meet each."""
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


NOW = 1_000_000.0
#: Faults, and what SQLite says.
FAULTS = {
    "busy": sqlite3.SQLITE_BUSY,
    "ill": sqlite3.SQLITE_IOERR,
    "lost before": sqlite3.SQLITE_MISUSE,
    "lost after": sqlite3.SQLITE_MISUSE,
}
#: Columns whose values differ between any two runs; `value` in the table of secrets alone.
HIDDEN = {"id", "batch", "mark"}


@contextmanager
def failing(store: JobStore, kind: str, number: int) -> Iterator[list[int]]:
    import sqlalchemy as sa

    engine, calls = store.database._engine, list[int]()
    commit = engine.dialect.do_commit

    def call(*_: Any) -> Any:
        calls.append(len(calls) + 1)
        if calls[-1] == number:
            error = sqlite3.OperationalError("made up")
            error.sqlite_errorcode = FAULTS[kind]
            if kind.startswith("lost"):
                raise sa.exc.OperationalError("", None, error, connection_invalidated=True)
            raise error

    if kind == "lost after":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine.dialect, "do_commit", lambda line: (commit(line), call()))
            yield calls
    else:
        sa.event.listen(engine, "do_execute", call)
        yield calls
        sa.event.remove(engine, "do_execute", call)


def content(store: JobStore) -> dict[str, list[str]]:
    import sqlalchemy as sa

    from yardstone.web.database import METADATA

    result = {}
    for table in METADATA.sorted_tables:
        hidden = HIDDEN | ({"value"} if table.name == "secrets" else set())
        rows = [row._mapping.items() for row in store.database.rows(sa.select(table))]
        result[table.name] = sorted(repr([e for e in row if e[0] not in hidden]) for row in rows)
    return result


def added(store: JobStore, _: object = None) -> str:
    path = store.settings.data / "sent"
    path.write_bytes(b"abc" * 200_000)
    file = {"name": "a.csv", "size": 600_000, "format": "csv"}
    return store.add("results", "ann", "upload", [file], [{}, {}], stored={0: path}, key="k")[0]


def claimed(store: JobStore) -> Any:
    added(store)
    job = store.claim("w")
    assert job is not None
    return job


def failed(store: JobStore) -> str:
    job = claimed(store)
    assert store.finish(job, "failed", error={"code": "worker_died"}, keep_seconds=100.0)
    return str(job.id)


def expired(store: JobStore) -> None:
    added(store)
    store.clock = lambda: NOW + 1e9


def of(module: str, name: str) -> Callable[[JobStore, Any], object]:
    def act(store: JobStore, job: object) -> object:
        function = getattr(import_module(f"yardstone.web.{module}"), name)
        return function(store) if job is None else function(store, job)

    return act


#: What is there before, and what is done with it.
STEPS: dict[str, tuple[Callable[[JobStore], Any], Callable[[JobStore, Any], object]]] = {
    "add": (lambda _: None, added),
    "claim": (added, lambda store, _: store.claim("w")),
    "heartbeat": (claimed, lambda store, job: store.heartbeat(job, stage="rating", done=1)),
    "finish": (claimed, lambda store, job: store.finish(job, "done", result="{}")),
    "retry": (failed, of("service", "retry_job")),
    "cancel": (added, of("service", "cancel_job")),
    "delete": (added, of("service", "delete_job")),
    "sweep": (expired, of("upkeep", "sweep")),
    "secret": (lambda _: None, lambda store, _: len(store.secret("client"))),
}


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("name", STEPS)
def test_each_call_fails_once(name: str, kind: str, tmp_path: Path) -> None:
    from tests.web.serving import settings_for
    from yardstone.web.problems import DatabaseAway
    from yardstone.web.store import JobStore

    prepare, step = STEPS[name]
    whole: dict[str, list[str]] = {}
    number, there = -1, True
    while there:
        number += 1  # the first time without a fault
        store = JobStore(settings_for(tmp_path / str(number)), lambda: NOW)
        given = prepare(store)
        before = content(store)
        what = f"{name}: {kind} at call {number}"
        away = False
        with failing(store, kind, number) as calls:
            try:
                step(store, given)
            except DatabaseAway:
                assert kind == "ill", what  # else the same call is made again at once
                away = True
        there = len(calls) >= number
        if away:
            assert name == "sweep" or content(store) == before, what  # a sweep is many transactions
            step(store, given)
        whole = whole or content(store)
        assert content(store) == whole, what
        store.close()
    assert number > 1
