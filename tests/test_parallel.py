"""The one `map`, on any workers and whatever becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from tests import parallel_tasks as tasks
from yardstone import parallel
from yardstone.errors import InputError, UsageError, WorkerError


@pytest.mark.parametrize(
    "way",
    [{"workers": 1}, {"workers": 2}, {"workers": 2, "chunk": 3}, {"workers": 2, "threads": True}],
    ids=["here", "processes", "chunks", "threads"],
)
def test_any_way_gives_the_same(way: dict[str, Any]) -> None:
    assert parallel.map(abs, [], **way) == []
    seen: list[tuple[int, int]] = []
    with parallel.context(progress=lambda _, *counts: seen.append(counts)):
        results = parallel.map(tasks.slow_first, range(10), what="waiting", **way)
    assert results == list(range(10))  # in the order of the items
    assert seen == sorted(seen)
    assert seen[-1] == (10, 10)
    drawn = [generator.random() for generator in parallel.spawn_generators(7, 9)]
    assert parallel.map(tasks.draw, parallel.spawn_generators(7, 9), **way) == drawn
    assert len(set(drawn)) == 9
    parent = np.random.default_rng(3)  # spawns others each time
    assert len({parallel.spawn_generators(parent, 1)[0].random() for _ in range(2)}) == 2
    here = way.get("workers") == 1 or "threads" in way
    processes = set(parallel.map(tasks.own_process, range(6), **way))
    assert processes == {os.getpid()} if here else os.getpid() not in processes
    if here:
        assert parallel.map(lambda x: x + 1, [1, 2], **way) == [2, 3]
    with pytest.raises(InputError, match=r"numbers\.txt:3: three is refused") as caught:
        parallel.map(tasks.refuse_three, range(8), **way)
    assert caught.value.line == 3
    assert "while working on item 4 of 8: 3" in caught.value.__notes__[0]


def test_what_cannot_be_done_is_told() -> None:
    rows: tuple[tuple[Any, Any, dict[str, Any], Any, str], ...] = (
        (lambda x: x, [1, 2], {}, UsageError, "the function cannot go to another process"),
        (str, [1, tasks.give_lock(0)], {}, UsageError, "item 2 of 2: <unlocked"),
        (tasks.give_lock, [1, 2], {}, UsageError, "a result cannot go to another process"),
        (tasks.raise_stubborn, [0, 0], {}, WorkerError, tasks.STUBBORN),
        (tasks.die_at_three, range(8), {}, WorkerError, "killed by SIGKILL .* item 4 of 8: 3"),
        (tasks.die_at_three, range(8), {"chunk": 2}, WorkerError, "one of the items 3 to 4 of 8"),
        (os._exit, [5, 5], {}, WorkerError, "ended with exit status 5"),
        (abs, [1], {"chunk": 0}, UsageError, "at least 1"),
        (abs, [1], {"workers": 0}, UsageError, "at least 1"),
    )
    for function, items, options, error, message in rows:
        with pytest.raises(error, match=message):
            parallel.map(function, items, **{"workers": 2, **options})


def test_an_error_in_progress_stops_the_work() -> None:
    with parallel.context(progress=Mock(side_effect=KeyError)), pytest.raises(KeyError):
        parallel.map(abs, range(4), what="squaring", workers=2)


def test_a_map_inside_a_worker_runs_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parallel.map(tasks.map_inside, [2, 3], workers=2) == [[0, 1], [0, 1, 4]]
    # It is no worker where another thread imports the processes.
    monkeypatch.setitem(sys.modules, "multiprocessing.process", ModuleType("half of it"))
    assert not parallel.inside()


SLEEPER = """
import os, signal, sys, time
from pathlib import Path
from yardstone import parallel

def sleep(path):
    Path(path).write_text(str(os.getpid()))
    time.sleep(1200)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    with parallel.context(engine=sys.argv[1], workers=2):
        parallel.map(sleep, sys.argv[2:])
"""


#: Seconds: Ray alone may start for one on a busy machine.
PATIENCE = 600.0


def wait_until(condition: Callable[[], object]) -> bool:
    """Whether it comes true, however busy the machine is."""
    end = time.monotonic() + PATIENCE
    while not (true := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return bool(true)


def stopped(folder: Path, number: signal.Signals, engine: str, workers: int) -> str:
    """What a script prints that is stopped, as by a terminal, while its workers sleep."""
    (folder / "sleeper.py").write_text(SLEEPER)
    notes = [folder / str(worker) for worker in range(workers)]
    words = [sys.executable, str(folder / "sleeper.py"), engine, *map(str, notes)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(words, **pipes, start_new_session=True) as parent:
        try:
            assert wait_until(lambda: all(note.exists() and note.read_text() for note in notes))
            os.killpg(parent.pid, number)
            printed = str(parent.communicate(timeout=PATIENCE)[0])
            left = [Path("/proc") / note.read_text() for note in notes]
            assert wait_until(lambda: not any(process.exists() for process in left))
        finally:
            if parent.poll() is None:
                os.killpg(parent.pid, signal.SIGKILL)
    assert parent.returncode != 0
    return printed


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_all_stop_at_once_with_the_parent(tmp_path: Path) -> None:
    for number, told in ((signal.SIGINT, 1), (signal.SIGKILL, 0)):
        (folder := tmp_path / number.name).mkdir()
        assert stopped(folder, number, "local", 2).count("Traceback") == told


def test_a_script_without_its_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text("from yardstone import parallel\nparallel.map(abs, [1, 2], workers=2)\n")
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert (result.returncode, "own work under `if __name__" in result.stderr) == (1, True)
