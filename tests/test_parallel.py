"""The one `map`: order, errors, dead workers, Ctrl-C, equal results on any workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests import parallel_tasks as tasks
from yardstone import parallel
from yardstone.errors import InputError, UsageError, WorkerError

WAYS: list[dict[str, Any]] = [
    {"workers": 1},
    {"workers": 2},
    {"workers": 2, "chunk": 3},
    {"workers": 2, "threads": True},
]
IDS = ["here", "processes", "chunks", "threads"]


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_results_stand_in_the_order_of_the_items(way: dict[str, Any]) -> None:
    assert parallel.map(tasks.slow_first, range(10), **way) == list(range(10))


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_no_items_give_no_results(way: dict[str, Any]) -> None:
    assert parallel.map(tasks.square, [], **way) == []


def test_one_worker_stays_in_this_process_and_two_do_not() -> None:
    assert set(parallel.map(tasks.own_process, range(3), workers=1)) == {os.getpid()}
    assert os.getpid() not in parallel.map(tasks.own_process, range(3), workers=2)
    assert set(parallel.map(tasks.own_process, range(3), workers=2, threads=True)) == {os.getpid()}


def test_lambdas_are_welcome_where_nothing_is_sent() -> None:
    assert parallel.map(lambda x: x + 1, [1, 2], workers=1) == [2, 3]
    assert parallel.map(lambda x: x + 1, [1, 2], workers=2, threads=True) == [2, 3]


def test_a_lambda_cannot_go_to_a_process() -> None:
    with pytest.raises(UsageError, match="the function cannot go to another process"):
        parallel.map(lambda x: x, [1, 2], workers=2)


def test_an_item_that_cannot_be_sent_is_named() -> None:
    with pytest.raises(UsageError, match="item 2 of 2: <unlocked"):
        parallel.map(str, [1, threading.Lock()], workers=2)


def test_a_result_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(UsageError, match="a result cannot go to another process"):
        parallel.map(tasks.give_lock, [1, 2], workers=2)


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_an_exception_comes_out_as_it_is_and_names_the_item(way: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"numbers\.txt:3: three is refused") as caught:
        parallel.map(tasks.refuse_three, range(8), **way)
    assert caught.value.line == 3
    assert "while working on item 4 of 8: 3" in caught.value.__notes__[0]


def test_an_exception_that_cannot_be_sent_still_tells_its_traceback() -> None:
    with pytest.raises(WorkerError, match=r"(?s)item [12] of 2: 0.*raise_stubborn.*Stubborn"):
        parallel.map(tasks.raise_stubborn, [0, 0], workers=2)


def test_a_killed_worker_is_an_error_that_names_the_item() -> None:
    with pytest.raises(WorkerError, match=r"killed by SIGKILL .* item 4 of 8: 3"):
        parallel.map(tasks.die_at_three, range(8), workers=2)


def test_a_killed_worker_names_its_chunk() -> None:
    with pytest.raises(WorkerError, match="one of the items 3 to 4 of 8"):
        parallel.map(tasks.die_at_three, range(8), workers=2, chunk=2)


def test_a_worker_that_leaves_is_an_error() -> None:
    with pytest.raises(WorkerError, match="ended with exit status 5"):
        parallel.map(tasks.leave_at_one, range(4), workers=2)


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_progress_reaches_the_total(way: dict[str, Any]) -> None:
    seen: list[tuple[int, int]] = []
    with parallel.context(progress=lambda _, *counts: seen.append(counts)):
        parallel.map(tasks.square, range(7), what="squaring", **way)
    assert seen[-1] == (7, 7)
    assert seen == sorted(seen)


def test_an_error_in_progress_stops_the_work() -> None:
    def fail(what: str, done: int, total: int) -> None:
        raise RuntimeError("enough")

    with parallel.context(progress=fail), pytest.raises(RuntimeError, match="enough"):
        parallel.map(tasks.square, range(4), what="squaring", workers=2)


@pytest.mark.parametrize("wrong", [{"chunk": 0}, {"workers": 0}, {"workers": -2}])
def test_senseless_numbers_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        parallel.map(tasks.square, [1], **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_equal_seeds_give_equal_results_on_any_number_of_workers(way: dict[str, Any]) -> None:
    expected = [generator.random() for generator in parallel.spawn_generators(7, 9)]
    assert parallel.map(tasks.draw, parallel.spawn_generators(7, 9), **way) == expected
    assert len(set(expected)) == 9


def test_a_generator_spawns_others_each_time() -> None:
    parent = np.random.default_rng(3)
    first, second = parallel.spawn_generators(parent, 1), parallel.spawn_generators(parent, 1)
    assert first[0].random() != second[0].random()


def test_no_worker_where_another_thread_imports_the_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "multiprocessing.process", ModuleType("half of it"))
    assert not parallel.inside()


def test_a_map_inside_a_worker_runs_there() -> None:
    assert parallel.map(tasks.map_inside, [2, 3], workers=2) == [[0, 1], [0, 1, 4]]


SLEEPER = """
    import sys, time
    from pathlib import Path
    from yardstone import parallel

    def sleep(path):
        import os
        Path(path).write_text(str(os.getpid()))
        time.sleep(120)

    if __name__ == "__main__":
        parallel.map(sleep, sys.argv[1:], workers=2)
"""


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Any, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals to groups are POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill"])
def test_all_stop_at_once_with_the_parent(tmp_path: Path, number: signal.Signals) -> None:
    script = tmp_path / "sleeper.py"
    script.write_text(textwrap.dedent(SLEEPER))
    notes = [tmp_path / "one", tmp_path / "two"]
    parent = subprocess.Popen(
        [sys.executable, script, *notes], stderr=subprocess.PIPE, start_new_session=True, text=True
    )
    try:
        assert wait_until(lambda: all(note.exists() and note.read_text() for note in notes))
        workers = [int(note.read_text()) for note in notes]
        os.killpg(parent.pid, number)  # as a terminal does
        started = time.monotonic()
        _, errors = parent.communicate(timeout=20)
        assert time.monotonic() - started < 5
        assert wait_until(lambda: not any(alive(worker) for worker in workers), 5)
        assert parent.returncode != 0
        assert errors.count("Traceback") == (1 if number == signal.SIGINT else 0)
    finally:
        if parent.poll() is None:
            os.killpg(parent.pid, signal.SIGKILL)
            parent.communicate()


def test_a_script_without_its_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text("from yardstone import parallel\nparallel.map(abs, [1, 2], workers=2)\n")
    result = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 1
    assert "own work under `if __name__" in result.stderr
