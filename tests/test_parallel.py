"""The one `map`, on any workers and whatever becomes of them; loops as machine code and Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from math import exp, log, sqrt
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from tests import parallel_tasks as tasks
from yardstone import parallel
from yardstone.errors import InputError, UsageError, WorkerError
from yardstone.kernels import Loops, in_steps, kernel, weighed, work
from yardstone.kernels.settings import CHOSEN, Way
from yardstone.records import _pgn as tags


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
    time.sleep(120)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    with parallel.context(engine=sys.argv[1], workers=2):
        parallel.map(sleep, sys.argv[2:])
"""


def wait_until(condition: Callable[[], object]) -> bool:
    """Whether it comes true, however busy the machine is."""
    end = time.monotonic() + 60
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
            printed = str(parent.communicate(timeout=60)[0])
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


MODULE = """
from typing import NamedTuple
import numpy as np
from yardstone.kernels import bare_kernel
class {name}(NamedTuple):
    values: np.ndarray
@bare_kernel
def first(bundle):
    return bundle.values[0]
print(first({name}(np.array([3, 4]))))
"""
LOOPS = """
import numpy as np
from yardstone.kernels import kernel
@kernel
def total(values):
    return values[0] + len(values)
def made(number):
    total(np.ones(number))
    return sum(total.machine.stats.cache_misses.values())
"""
SCRIPT = """
from yardstone import parallel
from yardstone.kernels.settings import in_command
import made_loops as loops
if __name__ == "__main__":
    in_command(quiet={quiet})
    print(sum(parallel.map(loops.made, [3] * 2, workers=2)), loops.made(3))
"""


@kernel
def _half(x: float) -> float:
    return x / 2.0


@kernel
def _functions(x: float) -> tuple[float, float, float, float, int]:
    return exp(x), log(x), sqrt(x), _half(x), int(x > 0.0)


def _way(_: object = None) -> str:
    chosen = CHOSEN.get()
    return "" if chosen is None else chosen.way.name


def test_the_size_chooses_the_way_and_large_work_takes_small_along() -> None:
    with work(Loops.RATING, Loops.RATING.small):
        assert _way() == Way.PLAIN.name
        with work(Loops.REPLAY, Loops.REPLAY.small + 1):
            assert _way() == Way.MACHINE.name
            with work(Loops.RATING, 0):
                assert _way() == Way.MACHINE.name
        assert _way() == Way.PLAIN.name
    assert weighed(Loops.RATING, len)(_way)([]) == Way.PLAIN.name
    ways = (_way() for _ in range(2))
    for way in in_steps(Loops.SGF, 0, ways):
        assert (way, _way()) == (Way.PLAIN.name, "")
    for amount, chosen in ((0.0, Way.PLAIN.name), (1e9, Way.MACHINE.name)):
        for threads in (False, True):  # workers run loops as whoever called them
            with work(Loops.RATING, amount):
                assert parallel.map(_way, range(2), workers=2, threads=threads) == [chosen] * 2


def test_both_ways_give_the_same_also_where_python_would_raise() -> None:
    ways = []
    for amount in (0.0, 1e9):
        with work(Loops.RATING, amount):
            ways.append([_functions(x) for x in (800.0, 0.0, -1.0, 1.0)])
        assert [type(value) for value in ways[-1][0]] == [float, float, float, float, int]
    np.testing.assert_array_equal(ways[0], ways[1])


def test_what_python_does_instead_finds_the_same_bytes() -> None:
    rng = np.random.default_rng(5)
    marks = np.frombuffer(b'[]{};%"\\\r\n \tab1-', np.uint8)
    between: list[Any] = [tags.next_stop_of_value, tags.next_in_movetext, tags.count_lines]
    between += [tags.after_blanks, tags.after_name]
    calls: list[tuple[Any, int, tuple[int, ...]]] = [(search, 2, ()) for search in between]
    calls += [(search, 1, ()) for search in (tags.word_at, tags.class_at)]
    calls += [(tags.next_in_comment, 2, (mark,)) for mark in (tags.OPEN_TAG, tags.OPEN_BRACE)]
    for _ in range(300):
        text = rng.choice(marks, 40)
        text[rng.integers(0, 40, 20)] = rng.integers(0, 256, 20)
        ends = sorted(rng.integers(0, 30, 2).tolist())
        for search, number, rest in calls:
            given = (text, *ends[:number], *rest)
            assert search.plain(*given) == search.machine(*given), (search, bytes(text))


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder in which all that is compiled is compiled anew."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    settings: dict[str, Any] = {"cwd": folder, "env": environment, "text": True, "check": True}
    return subprocess.run([sys.executable, *words], capture_output=True, **settings)


def test_an_old_cache_with_bundles_that_are_gone_counts_as_none(tmp_path: Path) -> None:
    for name in ("Old", "New"):
        (tmp_path / "kept.py").write_text(MODULE.format(name=name))
        assert run(tmp_path, "-c", "import kept").stdout == "3\n"
    assert list((tmp_path / "cache").rglob("kept*.nbi"))


@pytest.mark.parametrize("quiet", [False, True])
def test_workers_that_start_together_compile_once(tmp_path: Path, quiet: bool) -> None:
    (tmp_path / "made_loops.py").write_text(LOOPS)
    (tmp_path / "script.py").write_text(SCRIPT.format(quiet=quiet))
    ran = run(tmp_path, "script.py")
    first, again = ran.stdout.split()
    assert (int(first) >= 1, again) == (True, "0")
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == 1
    assert ran.stderr.count("once for this machine") == (0 if quiet else ran.stderr.count("\n"))
    assert ran.stderr.count("\n") <= 1
