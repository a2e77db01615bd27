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
    for amount, way in ((0.0, Way.PLAIN), (1e9, Way.MACHINE)):
        with work(Loops.RATING, amount):
            assert parallel.map(_way, range(2), workers=2, threads=threads) == [way.name] * 2


def test_both_ways_give_the_same_also_where_python_would_raise() -> None:
    ways = []
    for amount in (0.0, 1e9):
        with work(Loops.RATING, amount):
            result = _halves(np.array([1, 2, 4]))
            ways.append([_functions(x) for x in (800.0, 0.0, -1.0, 1.0)])
        assert result == (3.5, 3)
        assert [type(value) for value in result] == [float, int]
    np.testing.assert_array_equal(ways[0], ways[1])


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder in which all that is compiled is compiled anew."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )


def test_an_old_cache_with_bundles_that_are_gone_counts_as_none(tmp_path: Path) -> None:
    for name in ("Old", "New"):
        (tmp_path / "kept.py").write_text(MODULE.format(name=name))
        assert run(tmp_path, "-c", "import kept").stdout == "3\n"
    assert list((tmp_path / "cache").rglob("kept*.nbi"))


@pytest.mark.parametrize("quiet", [False, True])
def test_workers_that_start_together_compile_once_and_say_so_once(
    tmp_path: Path, quiet: bool
) -> None:
    (tmp_path / "made_loops.py").write_text(LOOPS)
    (tmp_path / "script.py").write_text(SCRIPT.format(quiet=quiet))
    ran = run(tmp_path, "script.py")
    first, again = ran.stdout.split()
    assert (int(first) >= 1, again) == (True, "0")
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == 1
    assert ran.stderr.count("once for this machine") == (0 if quiet else ran.stderr.count("\n"))
    assert ran.stderr.count("\n") <= 1
