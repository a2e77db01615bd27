"""The fuzzers see what they are made to see."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from io import BytesIO
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.__main__ import campaign, fuzz
from tests.fuzz.cases import growth_fault, run_case, smaller
from tests.fuzz.mutations import _PACKED, mutants
from tests.fuzz.readers.archive import compressed, tars, zips
from tests.fuzz.targets import Target, Wrong
from yardstone.errors import InputError


class Steering(InputError):
    def __str__(self) -> str:
        return "\x1b[2J"


def act(path: Path) -> None:
    """Do what the file says."""
    match path.read_text():
        case "refuse":
            raise InputError("no such thing", file=str(path))
        case "steer":
            raise Steering("x")
        case "lie":
            raise Wrong("3 games in place of 4")
        case "warn":
            np.float64(1.0) / np.zeros(1)
        case "leave open":
            path.open("rb")
        case "take memory":
            np.ones(12 << 20)
        case "take time":
            while True:
                pass
        case text if "x" in text:
            raise KeyError("x")


@pytest.mark.parametrize(
    ("what", "signature"),
    [
        ("refuse", None),
        ("x", "KeyError: test_harness.py act"),
        ("lie", "Wrong 3 games in place of 4: test_harness.py act"),
        ("warn", "RuntimeWarning: test_harness.py act"),
        ("steer", "control character in a message: test_harness.py act"),
        ("leave open", "ResourceWarning: test_harness.py act"),
        ("take time", "time"),
        ("take memory", "memory"),
    ],
)
def test_faults_are_seen(what: str, signature: str | None, tmp_path: Path) -> None:
    target = Target("t", act, seconds=0.1 if what == "take time" else 10.0, megabytes=64)
    fault = run_case(target, what.encode(), tmp_path)
    assert (fault and fault.signature) == signature


def test_growth_is_seen(tmp_path: Path) -> None:
    def quadratic(path: Path) -> None:
        for _ in range((len(path.read_bytes()) // 45) ** 2):
            pass

    def linear(path: Path) -> None:
        for _ in range(120):
            sum(path.read_bytes())

    long = b"a" * (1 << 18)
    assert growth_fault(Target("t", linear, seconds=60), long, tmp_path) is None
    slow = growth_fault(Target("t", quadratic, seconds=60), long, tmp_path)
    assert slow is not None
    assert slow.signature == "growth"


def test_the_smallest_input_with_a_fault_is_found(tmp_path: Path) -> None:
    data = b"much that does not matter " * 40 + b"x" + b" and more" * 40
    assert smaller(Target("t", act), data, tmp_path) == b"x"


def test_what_is_packed_is_changed_inside() -> None:
    np.save(array := BytesIO(), np.frombuffer(b'{"a": [1, 2]}', np.uint8))
    samples = [*zips().values(), *tars().values(), *compressed().values(), b'{"a": [1, 2]}']
    for data in (*samples, array.getvalue()):
        (change,) = (each for place, mark, each in _PACKED if data.startswith(mark, place))
        made = set()
        for k in range(20):
            inside: Callable[[bytes], bytes] = itemgetter(slice(k, None))
            made.add(change(data, random.Random(k), inside))
        assert len(made) > 9, data
    assert len(next(mutants([b"1-0 A B\n" * 9], (), 5, random.Random(1)))) <= 5


def test_a_campaign_counts_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = []
    for _ in range(2):
        assert campaign(["text-grade"], tmp_path, 1.0, 1) == 0
        row = re.search(r"^\| text-grade \| ([\d,]+) \| 0 \| 0 \|$", capsys.readouterr().out, re.M)
        assert row is not None
        cases.append(int(row[1].replace(",", "")))
    assert 0 < cases[0] < cases[1]


def test_an_input_that_ends_the_process_is_kept(tmp_path: Path) -> None:
    reading = tmp_path / "reading" / "mutations"
    reading.mkdir(parents=True)
    (reading / "input.txt").write_bytes(b"x")
    fuzz("no-such", tmp_path, "mutations", 0.1)
    (fault,) = (tmp_path / "faults").glob("*.txt")
    assert "no target 'no-such'" in fault.read_text()
    assert fault.with_suffix(".input").read_bytes() == b"x"
