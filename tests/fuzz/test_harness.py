"""The fuzzers see what they are made to see."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.__main__ import campaign, fuzz
from tests.fuzz.cases import growth_fault, smaller
from tests.fuzz.mutations import mutants, mutate
from tests.fuzz.targets import ROOT, Target, Wrong
from yardstone.errors import InputError


def refuses(path: Path) -> None:
    raise InputError("no such thing", file=str(path))


def breaks(path: Path) -> None:
    if b"x" in path.read_bytes():
        raise KeyError("x")


def is_wrong(path: Path) -> None:
    raise Wrong("3 games in place of 4")


def warns(path: Path) -> None:
    np.float64(1.0) / np.zeros(1)


def steers(path: Path) -> None:
    class Own(InputError):
        def __str__(self) -> str:
            return "\x1b[2J"

    raise Own("x")


def leaves_open(path: Path) -> None:
    path.open("rb")


def takes_long(path: Path) -> None:
    while True:
        pass


def takes_memory(path: Path) -> None:
    np.ones(12 << 20)


SEEN = {
    refuses: None,
    breaks: "KeyError: test_harness.py breaks",
    is_wrong: "Wrong 3 games in place of 4: test_harness.py is_wrong",
    warns: "RuntimeWarning: test_harness.py warns",
    steers: "control character in a message: test_harness.py steers",
    leaves_open: "ResourceWarning: test_harness.py leaves_open",
    takes_long: "time",
    takes_memory: "memory",
}
#: Reads a byte by each of these functions; says as what the fault is known.
SHOW = """
import json, sys
from pathlib import Path
from tests.fuzz.cases import run_case
from tests.fuzz.targets import Target
from tests.fuzz.test_harness import SEEN

for read in SEEN:
    seconds = 0.1 if read.__name__ == "takes_long" else 10.0
    target = Target("t", read, seconds=seconds, megabytes=64)
    fault = run_case(target, b"x", Path(sys.argv[1]))
    print(json.dumps(fault and fault.signature))
"""


def test_faults_are_seen(tmp_path: Path) -> None:
    # In a process of its own: it is stopped by a signal, and its memory is measured.
    words = [sys.executable, "-c", SHOW, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == list(SEEN.values())


def test_growth_is_seen(tmp_path: Path) -> None:
    def quadratic(path: Path) -> None:
        for _ in range((len(path.read_bytes()) // 45) ** 2):
            pass

    def linear(path: Path) -> None:
        for _ in range(250):
            sum(path.read_bytes())

    long = b"a" * (1 << 18)
    assert growth_fault(Target("t", linear, seconds=60), long, tmp_path) is None
    slow = growth_fault(Target("t", quadratic, seconds=60), long, tmp_path)
    assert slow is not None
    assert slow.signature == "growth"


def test_the_smallest_input_with_a_fault_is_found(tmp_path: Path) -> None:
    data = b"much that does not matter " * 40 + b"x" + b" and more" * 40
    assert smaller(Target("t", breaks), data, tmp_path) == b"x"


def test_what_is_packed_is_changed_inside() -> None:
    packed = BytesIO()
    np.savez(packed, a=np.zeros(5), text=np.frombuffer(b'{"a": [1, 2]}', np.uint8))
    whole = changed = 0
    for step in range(60):
        data = mutate(packed.getvalue(), random.Random(step))
        assert data == mutate(packed.getvalue(), random.Random(step))
        with suppress(Exception), zipfile.ZipFile(BytesIO(data)) as archive:
            assert archive.testzip() is None
            whole += 1
            text = archive.read("text.npy")[128:]
            changed += json.loads(text) != {"a": [1, 2]}
    assert whole > 30
    assert changed > 3
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
