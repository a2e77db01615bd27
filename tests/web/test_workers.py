"""Workers and what keeps them going: the clock, the processes and the trouble are made up here."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from tests.web.serving import settings_for, small_results
from tests.web.tables import JobTable, Time, refused
from yardstone.cell import lacking
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.parallel import Track
from yardstone.pool import Skipped, SkipReport
from yardstone.web import job as apart
from yardstone.web import notices, supervisor, upkeep, worker
from yardstone.web.kinds import KINDS, NeedsPlayer
from yardstone.web.kinds.kind import Task
from yardstone.web.notices import QUEUED, Listener
from yardstone.web.problems import DatabaseAway, RequestProblem, refusal
from yardstone.web.service import cancel_job
from yardstone.web.supervisor import Bell, Supervisor, listen
from yardstone.web.worker import Worker

Perform = Callable[[Task], dict[str, Any]]


class Hands(Worker):
    """A worker whose kind of job does what a test says, by a clock that stands."""

    store: JobTable

    def send(self, perform: Perform, monkeypatch: pytest.MonkeyPatch) -> str:
        monkeypatch.setitem(KINDS, "results", replace(KINDS["results"], perform=perform))
        return self.store.put(text=small_results().decode())[0]


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    made = Hands(settings_for(tmp_path, keep_choice_hours=24.0), "host/1", threads=2)
    made.store.close()
    made.store = JobTable(made.settings)
    yield made
    made.store.close()


INTERNAL = ("internal", "Something went wrong on this server, not with your files.")
PLAYERS = [{"name": "Ann", "games": 2}]
#: What the work raises or gives: the status, code and message, and the hours of files.
ENDS: list[tuple[Any, str, tuple[str, str] | None, float | None]] = [
    ({"a": 1}, "done", None, None),
    (NeedsPlayer(PLAYERS), "needs_player", None, 24.0),
    (refusal("not_found"), "failed", ("not_found", "There is nothing at this address."), None),
    (RequestProblem(499, "c", "m"), "failed", ("c", "m"), None),
    (RequestProblem(500, "c", "m"), "failed", ("c", "m"), 1.0),
    (InputError("m", file="a.csv", line=3), "failed", ("input", "m"), None),
    (InputError("m", file="/srv/a.csv"), "failed", INTERNAL, None),
    (InputError("in {data}/x"), "failed", INTERNAL, None),
    (ModelError("m"), "failed", ("model", "m"), None),
    (UsageError("m"), "failed", ("usage", "m"), None),
    (ValueError("m"), "failed", INTERNAL, 1.0),
    ({"a": float("nan")}, "failed", INTERNAL, 1.0),
]  # fmt: skip


def test_how_a_job_ends(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    uploads = 0
    for end, status, error, hours in ENDS:
        if isinstance(end, InputError):
            message = end.message.format(data=hands.settings.data)
            end = InputError(message, file=end.file, line=end.line)
        raised = end if isinstance(end, Exception) else None
        perform = Mock(return_value=end, side_effect=raised)
        address = hands.send(perform, monkeypatch)
        assert hands.work()
        job = hands.store.get(address)
        assert job.status == status
        assert job.result == ('{"a":1,"format":1}' if status == "done" else None)
        assert job.players == (PLAYERS if status == "needs_player" else None)
        assert (job.error and (job.error["code"], job.error["message"])) == error
        if job.error and job.error["code"] == "input":
            assert (job.error["file"], job.error["line"]) == ("a.csv", 3)
        assert job.keep == (None if hours is None else hands.store.clock.now + 3600.0 * hours)
        uploads += hours is not None
        assert upkeep.state(hands.store)["uploads"] == uploads
        assert list((hands.settings.data / "work").iterdir()) == []
        assert not hands.work(), "there is nothing more"


def test_a_job_sees_its_own_files(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    def perform(task: Task) -> dict[str, Any]:
        (file,) = task.files
        assert file.path is not None
        folder = file.path.parent
        assert folder == hands.settings.data / "work" / "host_1"
        assert (folder.stat().st_mode & 0o777, list(folder.iterdir())) == (0o700, [file.path])
        assert (file.name, file.path.read_bytes()) == ("a.csv", small_results())
        for line in range(101):
            task.skipped.add(Skipped("a.csv", line, "odd"))
        return {}

    address = hands.send(perform, monkeypatch)
    left = upkeep.work_folder(hands.settings, hands.name)
    (left / "of an earlier job").mkdir(parents=True)
    assert hands.work()
    job = hands.store.get(address)
    assert (job.status, job.skipped_total) == ("done", 101)
    assert [each["line"] for each in job.skipped or ()] == [None, *range(1, 100)]


@pytest.mark.parametrize("notices", [False, True])
def test_lost_work_stops(hands: Hands, monkeypatch: pytest.MonkeyPatch, notices: bool) -> None:
    """It hears so when it tells its progress, or at a sign of life before."""

    def perform(task: Task) -> dict[str, Any]:
        cancel_job(hands.store, address)
        if notices:
            hands.live()
            monkeypatch.setattr(hands.store, "heartbeat", Mock(side_effect=AssertionError()))
        Track("rating", 9)(1)
        raise AssertionError("it went on")

    address = hands.send(perform, monkeypatch)
    assert hands.work()
    assert hands.store.get(address).status == "cancelled"
    assert upkeep.state(hands.store)["counters"]["jobs_stopped"] == 1.0


def test_progress_is_told_twice_a_second(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    time, told = Time(), []
    monkeypatch.setattr(apart, "time", time)
    beat = hands.store.heartbeat

    def noted(job: Any, **state: Any) -> bool:
        told.append((time.now - 1000.0, *state.values()))
        if len(told) == 2:
            raise DatabaseAway  # which is no reason to stop
        return beat(job, **state)

    def perform(task: Task) -> dict[str, Any]:
        monkeypatch.setattr(hands.store, "heartbeat", noted)
        stages = ("reading", "searching", "rating", "fetching", "looking at positions")
        for number, stage in enumerate(stages):
            time.now = 1000.0 + 0.25 * number
            Track(stage, 9)(number + 1)
        Track("analysing", 9)(0)  # a new beginning is told at once
        Track("packing", 9)(0)  # of what is no stage nobody hears
        return {}

    hands.send(perform, monkeypatch)
    assert hands.work()
    assert told == [
        (0.0, "reading", 1, 9), (0.5, "rating", 3, 9), (1.0, "analysing", 5, 9),
        (1.0, "analysing", 0, 9),
    ]  # fmt: skip


def test_a_worker_shows_that_it_lives(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    hands.live()
    assert upkeep.alive_workers(hands.store) == ["host/1"]

    def perform(task: Task) -> dict[str, Any]:
        hands.store.clock.now += 20.0
        hands.live()
        return {"lease": (hands.store.get(address).lease or 0.0) - hands.store.clock.now}

    address = hands.send(perform, monkeypatch)
    assert hands.work()
    assert json.loads(hands.store.get(address).result or "")["lease"] == 30.0
    # Often enough: five times within a lease, and every five seconds at least.
    time = Time()
    monkeypatch.setattr(worker, "time", time)
    for lease in (20.0, 60.0):
        lives = Mock(side_effect=[None, ValueError(), KeyboardInterrupt()])
        other: Any = SimpleNamespace(settings=replace(hands.settings, lease=lease), live=lives)
        with pytest.raises(KeyboardInterrupt):
            worker._live(other)
    assert time.slept == [4.0, 4.0, 5.0, 5.0]


def test_on_a_full_disk_jobs_wait(
    hands: Hands, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    free = [(1 << 20) - 1]
    usage = "yardstone.web.worker.shutil.disk_usage"
    monkeypatch.setattr(usage, lambda _: SimpleNamespace(free=free[0]))

    def perform(task: Task) -> dict[str, Any]:
        free[0] = 0
        raise ValueError

    address = hands.send(perform, monkeypatch)
    assert (hands.work(), hands.work()) == (False, False)
    assert caplog.text.count("the disk is full") == 1
    free[0] = 1 << 20
    assert hands.work()
    job = hands.store.get(address)
    assert (job.status, job.attempts) == ("queued", 0), "perhaps for want of room"


def test_what_was_computed_is_handed_in(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    time, finish = Time(), hands.store.finish
    away = Mock(side_effect=[DatabaseAway(), DatabaseAway(), None])
    monkeypatch.setattr(worker, "time", time)
    monkeypatch.setattr(hands.store, "finish", lambda *job, **how: away() or finish(*job, **how))
    address = hands.send(lambda task: {}, monkeypatch)
    assert hands.work()
    assert (hands.store.status(address), time.slept) == ("done", [0.5, 0.5])


def test_looks_are_rarer_without_work(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    time, waits = Time(), [0.0][:0]
    monkeypatch.setattr(worker, "time", time)
    outcomes = [*[False] * 6, True, False, DatabaseAway(), ValueError(), KeyboardInterrupt()]
    monkeypatch.setattr(hands, "work", Mock(side_effect=outcomes))
    bell = Bell()
    monkeypatch.setattr(bell, "wait", waits.append)
    with pytest.raises(KeyboardInterrupt):
        hands.run(bell)
    assert waits == [0.02, 0.04, 0.08, 0.16, 0.25, 0.25, 0.02]
    assert time.slept == [0.5, 2.0]


def test_the_network_is_loaded_once(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    load = Mock(side_effect=[InputError("none"), "a network"])
    monkeypatch.setattr("yardstone.strength.players.model_network", load)
    assert refused(hands.network) == (503, "no_network", None)
    networks: list[object] = [hands.network(), hands.network()]
    assert networks == ["a network"] * 2
    assert load.call_args.kwargs == {"threads": 2, "cache": False, "device": "auto"}
    assert load.call_count == 2


@dataclass(frozen=True, slots=True)
class Hostile(apart.Work):
    """Work as a file would have it that had taken its process."""

    def result(self, network: object, skipped: SkipReport) -> apart.Ended:
        kind = self.options["kind"]
        if kind in ("SIGKILL", "SIGXCPU"):
            os.kill(os.getpid(), getattr(signal, kind))
        if kind == "memory":
            bytearray(8 << 30)
        if kind == "lost":
            time.sleep(60.0)
        found = {}
        for file in (self.folder / "own", self.settings.data / "jobs.sqlite"):
            with suppress(OSError):
                found[file.name] = file.read_text()
        Track("reading", 9)(1)
        skipped.add(Skipped("own", 1, "odd"))
        found["database"] = self.settings.database
        return {"status": "done", "result": json.dumps(found)}


def test_a_job_that_is_done_apart_reaches_nothing_else(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, database="postgresql://u:secret@h/d")
    folder = settings.data / "work" / "w"
    folder.mkdir(parents=True)
    (folder / "own").write_text("mine")
    (settings.data / "jobs.sqlite").write_text("of others")
    told, skipped, lost = [], SkipReport(), [False]
    apart._PROCESSES.set_forkserver_preload([__name__])

    def done(kind: str) -> apart.Ended:
        work = Hostile(settings, "results", {"kind": kind}, [], [], folder, 1)
        return apart.done_apart(work, lambda *words: told.append(words), lambda: lost[0], skipped)

    found = json.loads(done("look")["result"])
    assert found == {"own": "mine", "database": ""} or "other files" in lacking()
    assert (told, [str(each) for each in skipped.details]) == ([("reading", 1, 9)], ["own:1: odd"])
    for kind, code in (("memory", "too_heavy"), ("SIGXCPU", "too_long")):
        assert done(kind)["error"]["code"] == code
    with pytest.raises(apart.WorkerLost, match="status -9"):
        done("SIGKILL")
    lost[0] = True
    with pytest.raises(apart.Stopped):
        done("lost")


def test_each_ring_wakes_once() -> None:
    bell = Bell.new()
    assert bell.ends is not None
    bell.ring(2)
    bell.wait(60.0)
    bell.wait(60.0)
    with pytest.raises(BlockingIOError):
        os.read(bell.ends[0], 1)
    for _ in range(40):
        bell.ring(10_000)  # a bell that nobody hears does not stop the ringer
    assert len(os.read(bell.ends[0], 1 << 20)) >= 4096
    bell.close()
    bell.ring()


def test_notices_come_after_a_break(monkeypatch: pytest.MonkeyPatch) -> None:
    time, asked, came = Time(), [""][:0], Mock(side_effect=[["a"], [], [], OSError()])
    monkeypatch.setattr(notices, "time", time)
    line = SimpleNamespace(
        execute=asked.append, close=partial(asked.append, "closed"),
        notifies=lambda **how: [SimpleNamespace(payload=text) for text in came()],
    )  # fmt: skip
    own: Any = SimpleNamespace(own_connection=Mock(side_effect=[DatabaseAway(), line, line]))
    listener = Listener(own, QUEUED)
    for pause, result, longest in (
        (0.0, [], 0.25), (1.5, [], 0.25),  # that was tried just now
        (0.125, None, 5.0),  # something may have come before
        (0.0, ["a"], 5.0), (15.0, [], 5.0), (0.5, [], 5.0),  # nothing was heard for long
        (0.0, [], 0.25), (0.0, None, 5.0),
    ):  # fmt: skip
        time.now += pause
        assert (listener.wait(9.0), listener.longest) == (result, longest)
    assert time.slept == [0.25] * 2
    assert asked == ["LISTEN yardstone_queued", "SELECT 1", "closed", "LISTEN yardstone_queued"]


class Process:
    """A process that lives until it is told to end."""

    def __init__(self, command: list[str], **more: Any) -> None:
        self.command, self.more, self.pid = command, more, id(self)
        self.status: int | None = None
        self.poll = lambda: self.status
        self.told: list[bytes] = []
        self.patience: list[float] = []
        nothing = partial(bool)
        self.stdin = SimpleNamespace(write=self.told.append, flush=nothing, close=nothing)

    def wait(self, timeout: float | None = None) -> None:
        if timeout is not None:
            self.patience.append(timeout)
            raise subprocess.TimeoutExpired(self.command, timeout)


class Watch(Supervisor):
    """A supervisor of processes that are none, by a clock of its own."""

    store: JobTable
    time: Time
    made: list[Process]
    signals: list[tuple[int, int]]
    memory = 20 << 20


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    settings = settings_for(tmp_path, {"memory": 20}, cores=7)
    made = Watch(settings, serve=False)
    made.store.close()
    made.store, made.time, made.made, made.signals = JobTable(settings), Time(), [], []

    def start(command: list[str], **more: Any) -> Process:
        made.made.append(Process(command, **more))
        return made.made[-1]

    place = "yardstone.web.supervisor"
    monkeypatch.setattr(supervisor, "time", made.time)
    monkeypatch.setattr(f"{place}.subprocess.Popen", start)
    monkeypatch.setattr(f"{place}.os.killpg", lambda *given: made.signals.append(given))
    monkeypatch.setattr(supervisor, "memory_of", lambda _: made.memory)
    yield made
    if made.bell.ends is not None:
        made._end()


def test_a_worker_is_told_what_to_do(watch: Watch) -> None:
    watch._tick()
    (process,), bell = watch.made, list(watch.bell.ends or ())
    assert process.command == [sys.executable, "-m", "yardstone.web.worker"]
    assert process.more["pass_fds"] == bell
    words = json.loads(b"".join(process.told))
    assert (words["threads"], words["bell"]) == (7, bell)
    assert words["settings"] == json.loads(json.dumps(watch.settings.as_plain()))
    assert len({watch._for_worker(number)["name"] for number in (1, 1, 2)}) == 3
    for cores, workers, threads in ((7, 3, 2), (2, 3, 1), (6, 0, 6)):
        watch.settings = replace(watch.settings, cores=cores, workers=workers)
        assert watch._for_worker(1)["threads"] == threads


def test_a_process_that_ends_is_started_again_after_a_pause(watch: Watch) -> None:
    (child,) = watch.children
    pauses = []
    for lived in (*[0.0] * 10, 60.0, 60.5):
        watch._tick()
        number = len(watch.made)
        watch.time.now += lived
        watch.made[-1].status = 1
        watch._tick()
        pauses.append(child.pause)
        watch.time.now = child.next - 0.0625
        watch._tick()
        assert len(watch.made) == number
        watch.time.now = child.next
    assert pauses == [0.2 * 2**number for number in range(8)] + [30.0] * 3 + [0.2]


def test_the_job_of_a_dead_worker_is_done_again(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    watch._tick()
    name = watch.children[0].name
    upkeep.enter_worker(watch.store, name, 1)
    (address,) = watch.store.put()
    watch.store.take(name)
    watch.made[-1].status = 1
    with monkeypatch.context() as patch:
        patch.setattr(upkeep, "release", Mock(side_effect=DatabaseAway()))
        watch._tick()
        watch._tick()
    assert watch.store.status(address) == "running"
    monkeypatch.setattr(upkeep, "end_late", Mock(side_effect=ValueError()))
    watch._tick()
    job = watch.store.get(address)
    assert (job.status, job.attempts, upkeep.alive_workers(watch.store)) == ("queued", 1, [])
    assert "could not tend the jobs" in caplog.text
    said = [record.getMessage() for record in caplog.records]
    assert said.count("database away") == said.count("database back") == 2, "once a change"


def test_strays_and_the_heavy_are_killed(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    watch._tick()
    strays = {watch.children[0].name, "of another supervisor"}
    (address,) = watch.store.put()
    watch.store.take(watch.children[0].name)
    watch._tick()
    assert watch.signals == []
    killed = (watch.made[-1].pid, signal.SIGKILL)
    watch.memory += 1
    watch._tick()
    assert watch.signals == [killed]
    assert (watch.store.get(address).error or {})["code"] == "too_heavy"
    watch.memory -= 1
    for now, found in ((0.0, strays), (5.0, {"other"}), (6.0, strays), (14.0, strays)):
        monkeypatch.setattr(upkeep, "stray_workers", lambda _, found=found: found)
        watch.time.now = 2000.0 + now
        watch._tick()
        assert watch.signals == [killed], "within eight seconds, and no stray in between"
    watch.time.now += 0.5
    watch._tick()
    assert watch.signals == [killed] * 2


def test_what_is_done_now_and_then(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[float] = []
    recovered: list[float] = []
    monkeypatch.setattr(upkeep, "sweep", lambda _: swept.append(watch.time.now))
    for now in (1000.0, 1020.0, 1020.5, 1030.0, 1041.0):
        watch.time.now = now
        watch._tick()
    assert swept == [1000.0, 1020.5, 1041.0]
    told = lambda store: recovered.append(store.database.contact.seconds)  # noqa: E731
    monkeypatch.setattr(upkeep, "recover", told)
    monkeypatch.setattr(upkeep, "end_late", lambda _: None)
    monkeypatch.setattr(upkeep, "stray_workers", lambda _: set())
    store = watch.store
    for shared, seconds in ((True, 15.0), (True, 15.5), (False, 0.0)):
        contact = SimpleNamespace(seconds=seconds)
        other: Any = SimpleNamespace(database=SimpleNamespace(shared=shared, contact=contact))
        watch.store = other
        watch._tend()
    watch.store = store
    assert recovered == [15.5, 0.0], "after an outage who lives renews its lease first"


def test_the_end_of_a_supervisor(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    (address,) = watch.store.put()

    def tick() -> None:
        Supervisor._tick(watch)
        watch.store.take(watch.children[0].name)
        watch.stop()

    monkeypatch.setattr(watch, "_tick", tick)
    watch.run()
    (process,), again = watch.made, JobTable(watch.settings)
    assert watch.signals == [(process.pid, signal.SIGTERM), (process.pid, signal.SIGKILL)]
    assert process.patience == [10.0]
    job = again.get(address)
    assert (job.status, job.attempts, watch.bell.ends) == ("queued", 0, None)
    again.close()


def test_where_a_server_listens(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to start"):
        Supervisor(settings_for(tmp_path, workers=0), serve=False)
    made = Supervisor(settings_for(tmp_path, workers=2, root_path="/s"))
    assert [child.label for child in made.children] == ["server", "worker 1", "worker 2"]
    assert made.socket is not None
    port = made.socket.getsockname()[1]
    assert (made.address, made.place) == (f"http://127.0.0.1:{port}/s/", str(made.settings.data))
    with pytest.raises(InputError, match=rf"^nothing can listen at 127.0.0.1:{port}: "):
        listen("127.0.0.1", port)
    made._end()
    made.socket = SimpleNamespace(getsockname=lambda: ("::1", 80, 0, 0))  # type: ignore[assignment]
    assert made.address == "http://[::1]:80/s/"
