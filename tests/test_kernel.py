"""Loops as machine code and as plain Python: which way they run, and that both are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yardstone import parallel
from yardstone.kernels import Loops, in_steps, kernel, weighed, work
from yardstone.kernels.settings import CHOSEN, Way
from yardstone.records import _pgn as tags

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
WORKERS = """
import sys
import numpy as np
from yardstone import parallel
from yardstone.kernels import kernel
@kernel
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result
def made(number):
    total(np.ones(number))
    return sum(total.machine.stats.cache_misses.values())
"""


@kernel
def _half(x: float) -> float:
    return x / 2.0


@kernel
def _halves(values: Any) -> tuple[float, int]:
    total = 0.0
    for value in values:
        total += _half(value)
    return total, len(values)


@kernel
def _functions(x: float) -> tuple[float, float, float]:
    return exp(x), log(x), sqrt(x)


def _way(_: object = None) -> str:
    chosen = CHOSEN.get()
    return "" if chosen is None else chosen.way.name


def test_the_size_chooses_the_way_and_large_work_takes_small_along() -> None:
    assert _way() == ""
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


@pytest.mark.parametrize("threads", [False, True])
def test_workers_run_loops_as_whoever_called_them(threads: bool) -> None:
    with work(Loops.RATING, 0):
        assert parallel.map(_way, range(4), workers=2, threads=threads) == [Way.PLAIN.name] * 4
    with work(Loops.RATING, 1e9):
        assert parallel.map(_way, range(4), workers=2, threads=threads) == [Way.MACHINE.name] * 4


@pytest.mark.parametrize("amount", [0.0, 1e9])
def test_a_kernel_that_calls_another_gives_the_same_in_both_ways(amount: float) -> None:
    with work(Loops.RATING, amount):
        result = _halves(np.array([1, 2, 4]))
    assert result == (3.5, 3)
    assert [type(value) for value in result] == [float, int]


@pytest.mark.parametrize("x", [800.0, 0.0, -1.0, 1.0])
def test_functions_that_raise_in_python_give_what_machine_code_gives(x: float) -> None:
    ways = []
    for amount in (0.0, 1e9):
        with work(Loops.RATING, amount):
            ways.append(_functions(x))
    plain, machine = ways
    np.testing.assert_array_equal(plain, machine)


def test_what_python_does_instead_finds_the_same_bytes() -> None:
    rng = np.random.default_rng(5)
    marks = np.frombuffer(b'[]{};%"\\\r\n \tab1-', np.uint8)
    searches: list[Any] = [tags.next_stop_of_value, tags.next_in_movetext, tags.count_lines]
    searches += [tags.after_blanks, tags.after_name]
    for _ in range(300):
        text = rng.choice(marks, 40)
        text[rng.integers(0, 40, 20)] = rng.integers(0, 256, 20)
        i, n = sorted(rng.integers(0, 30, 2).tolist())
        for search in searches:
            assert search.plain(text, i, n) == search.machine(text, i, n), (search, bytes(text))
        for other in (tags.OPEN_TAG, tags.OPEN_BRACE):
            result = tags.next_in_comment
            assert result.plain(text, i, n, other) == result.machine(text, i, n, other)  # type: ignore[attr-defined]
        assert tags.word_at.plain(text, i) == tags.word_at.machine(text, i)  # type: ignore[attr-defined]
        assert tags.class_at.plain(text, i) == tags.class_at.machine(text, i)  # type: ignore[attr-defined]


def test_an_old_cache_with_bundles_that_are_gone_counts_as_none(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    environment.pop("NUMBA_CACHE_DIR", None)
    for name in ("Old", "New"):
        (tmp_path / "kept.py").write_text(MODULE.format(name=name))
        command = [sys.executable, "-c", "import kept"]
        ran = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert ran.stdout == "3\n", ran.stderr
    assert list((tmp_path / "__pycache__").glob("kept*.nbi"))


@pytest.mark.parametrize("quiet", [False, True])
def test_workers_that_start_together_compile_once_and_say_so_once(
    tmp_path: Path, quiet: bool
) -> None:
    (tmp_path / "made_loops.py").write_text(WORKERS)
    code = (
        "from yardstone import parallel\n"
        "from yardstone.kernels.settings import in_command\n"
        "import made_loops as loops\n"
        "if __name__ == '__main__':\n"
        f"    in_command(quiet={quiet})\n"
        "    print(sum(parallel.map(loops.made, [3] * 3, workers=3)), loops.made(3))\n"
    )
    (tmp_path / "script.py").write_text(code)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment["NUMBA_DISABLE_JIT"] = "0"
    command = [sys.executable, "script.py"]
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    first, again = ran.stdout.split()
    assert (int(first) >= 1, again) == (True, "0")
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == 1
    assert ran.stderr.count("once for this machine") == (0 if quiet else ran.stderr.count("\n"))
    assert ran.stderr.count("\n") <= 1
