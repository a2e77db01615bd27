"""Every place that reads a file has a target; no pattern outgrows its text; faults are seen."""

from __future__ import annotations

import ast
import random
import re
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from itertools import islice, product
from operator import itemgetter
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest

import yardstone
from tests.fuzz import cases
from tests.fuzz.__main__ import campaign, fuzz
from tests.fuzz.mutations import _PACKED, mutants
from yardstone.errors import InputError

PACKAGE = Path(yardstone.__file__).parent
#: `make fuzz` tries more mutations of each target, and of one record among others.
STEPS, DAMAGED = 5, 25
#: Calls that take bytes from a file, or make values of a text that another program wrote.
READS = re.compile(
    r"\.read_bytes$|\.read_text$|\.content$|\bsource\.open$|Source\(.*\)\.open$|\.read_csv$"
    r"|^(json|tomllib|pickle)\.loads?$|^csv\.(reader|DictReader)$|^np\.(load|memmap|fromfile)$"
    r"|^(zipfile\.ZipFile|tarfile\.open)$"
)
OPENS = re.compile(r"\.open\(('rb?'.*|encoding=.*)\)$")
#: What reads no file of anybody's, by its reason.
_NO_FILE_OF_OTHERS = {
    "files of the package itself": (
        "backgammon/formulas:$", "backgammon/gnubg:inside$", "cli/table:about_of$", "facade:",
        "examples/", "reports/", "web/pages/",
    ),
    "scripts that GNU Backgammon runs, and what they answer": (
        "backgammon/_gnubg:", "backgammon/gnubg:_Process.run$",
    ),
    "bytes that go on as they are, to a hash, a copy, a browser or a reader that has a target": (
        "backgammon/file_analysis:MatchFile.read$", "files:_pour$", "go/nets/store:",
        "web/desk/service:WatchedFile", "web/desk/pages:file$", "web/database:insert_chunks$",
        "records/formats:_parquet_pieces$", "records/sources:Source.loaded$",
        "go/patterns/index:_games$", "go/positions:evaluate_file$",
        "strength/trickplay/rating:_is_index$",
    ),
    "between processes of one run, and columns that it keeps on the disk": (
        "parallel/_(processes|ray|work):", "disk:", "web/supervisor:orders$",
        "web/database:Job.as_dict$", "web/database:_Json.", "cell:", "web/job:done_apart$",
    ),
    "a log that the desk writes, whose broken lines are left": (
        "web/desk/sessions:(DeskLog|_entry_of)",
    ),
    "what the system says of itself": ("memory:",),
    "JSON that this function, or DuckDB, has just made": ("records/query_errors:_(fields|place)$",),
}  # fmt: skip
OTHERS = [re.compile(each) for group in _NO_FILE_OF_OTHERS.values() for each in group]


def reading(package: Path) -> Iterator[str]:
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).with_suffix("").as_posix()
        for name, call in _calls(ast.parse(path.read_bytes()), ""):
            if READS.search(ast.unparse(call.func)) or OPENS.search(ast.unparse(call)):
                yield f"{module}:{name}"


def _calls(node: ast.AST, name: str) -> Iterator[tuple[str, ast.Call]]:
    for child in ast.iter_child_nodes(node):
        inside = name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{name}.{child.name}".lstrip(".")
        elif isinstance(child, ast.Call):
            yield name, child
        yield from _calls(child, inside)


def test_every_reader_has_a_target_that_takes_its_examples(tmp_path: Path) -> None:
    called: set[CodeType] = set()
    every = list(cases.targets().values())  # what the targets read at their import does not count
    before = sys.gettrace()
    sys.settrace(lambda frame, *_: called.add(frame.f_code))
    try:
        for target in every:
            examples = target.examples()
            assert examples, f"{target.name} needs an example"
            for name, data in examples.items():
                fault = cases.run_case(target, data, tmp_path, slack=100.0)
                assert fault is None, (target.name, name)
    finally:
        sys.settrace(before)
    reached = set()
    for code in called:
        if (path := Path(code.co_filename)).is_relative_to(PACKAGE):
            module = path.relative_to(PACKAGE).with_suffix("").as_posix()
            parts = (each for each in code.co_qualname.split(".") if not each.startswith("<"))
            reached.add(f"{module}:{'.'.join(parts)}")
    missing = set(reading(PACKAGE)) - reached
    unknown = sorted(place for place in missing if not any(each.match(place) for each in OTHERS))
    assert not unknown, "write a target for it (tests/fuzz/readers), or say here why there is none"
    needless = [each.pattern for each in OTHERS if not any(map(each.match, missing))]
    assert not needless, "these are reached, or gone"


@pytest.mark.parametrize("module", cases.MODULES)
def test_what_once_was_a_fault_and_some_mutations(module: str, tmp_path: Path) -> None:
    for name, target in cases.group(module).items():
        kept = cases.contents(cases.FUZZ / "regressions" / name)
        seeds, rng = list(target.seeds().values()), random.Random(0)
        made = mutants(seeds, target.words, 1 << 14, rng, target.ways)
        steps = DAMAGED if target.ways else STEPS
        for what, data in [*kept.items(), *enumerate(islice(made, steps))]:
            assert cases.run_case(target, data, tmp_path, slack=10.0) is None, (name, what)


SOURCE = cases.ROOT / "src" / "yardstone"
PIECES = (
    " ", "\t", "\n", "0", "a", "A", ".", "-", "_", ",", ":", ";", "(", "[", "<", '"', "\\", "/",
    "=", "é", "九", "1.", "1-", "0 ", "a ", " a", "a=", "[]", '\\"', "0:", "1k ", "\r\n",
)  # fmt: skip
SIZE = 12_000
#: Used on short texts only: lines of 1,000 letters, fields of 200 and of a form, and the settings
#: of whoever runs the server.
SHORT = {
    ("records/mat.py", "_SCORES"), ("records/results.py", "_SET"), ("web/desk/rounds.py", "_QUICK"),
    ("web/settings.py", "_MARKUP"),
}  # fmt: skip
USES = ("sub", "finditer", "search", "split", "fullmatch", "match")


def patterns(part: Path) -> Iterator[tuple[str, str, re.Pattern[Any], str]]:
    for path in sorted(part.rglob("*.py")) if part.is_dir() else [part]:
        text = path.read_text("utf-8") if path.suffix == ".py" else ""
        place = path.relative_to(SOURCE)
        for name in re.findall(r"^(\w+)(?:: .+)? = (?=[^=]*re\.compile)", text, re.MULTILINE):
            module = import_module(f"yardstone.{'.'.join(place.with_suffix('').parts)}")
            value = getattr(module, name)
            several = value.values() if isinstance(value, dict) else value
            for pattern in (value,) if isinstance(value, re.Pattern) else several:
                if isinstance(pattern, re.Pattern):
                    uses = re.findall(rf"\b{name}\.(\w+)\(", text)
                    for use in {*USES} & {*uses} or {"match"}:
                        yield place.as_posix(), name, pattern, use


def grows_too_fast(pattern: re.Pattern[Any], use: str, least: float = 0.03) -> str | None:
    def seconds(text: str) -> float:
        given: Any = text.encode() if isinstance(pattern.pattern, bytes) else text
        begin = time.process_time()
        found = getattr(pattern, use)(*([given[:0]] if use == "sub" else []), given)
        list(found if use == "finditer" else [])
        return time.process_time() - begin

    for begin, end, piece in product(("", "a", "1 a", "[", '"'), ("\0", ""), PIECES):
        long, short = (begin + piece * (size // len(piece)) + end for size in (SIZE, SIZE // 4))
        first = seconds(long)
        if first > least and min(first, seconds(long)) > 8 * seconds(short):
            return repr(begin + piece)
    return None


def test_what_grows_too_fast_is_seen() -> None:
    assert grows_too_fast(re.compile(r"\s*:?\s*x"), "fullmatch", least=0.003) is not None
    assert grows_too_fast(re.compile(r"\s*+:?\s*+x"), "fullmatch") is None


@pytest.mark.parametrize("part", sorted(path.name for path in SOURCE.iterdir()))
def test_time_grows_with_the_text(part: str) -> None:
    known = list(patterns(SOURCE / part))
    assert {each[:2] for each in known} >= {each for each in SHORT if each[0].startswith(part)}
    for place, name, pattern, use in known:
        slow = None if (place, name) in SHORT else grows_too_fast(pattern, use)
        assert slow is None, f"{place}:{name}.{use}"


class Steering(InputError):
    def __str__(self) -> str:
        return "\x1b[2J"


def raising(error: Exception) -> Any:
    def read(_: Path) -> None:
        raise error

    return read


def endless(_: Path) -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("read", "signature"),
    [
        (raising(InputError("no such thing")), None),
        (raising(KeyError("x")), "KeyError: test_readers.py read"),
        (raising(cases.Wrong("3 games")), "Wrong 3 games: test_readers.py read"),
        (raising(Steering("x")), "control character in a message: test_readers.py read"),
        (lambda _: np.float64(1.0) / np.zeros(1), "RuntimeWarning: test_readers.py <lambda>"),
        (lambda path: path.open("rb"), "ResourceWarning: cases.py _outcome"),
        (lambda _: np.ones(12 << 20), "memory"),
        (endless, "time"),
    ],
)
def test_faults_are_seen(read: Any, signature: str | None, tmp_path: Path) -> None:
    target = cases.Target("t", read, seconds=0.1 if read is endless else 10.0, megabytes=64)
    fault = cases.run_case(target, b"x", tmp_path)
    assert (fault and fault.signature) == signature


@pytest.mark.parametrize(("power", "signature"), [(1, None), (2, "growth")])
def test_growth_is_seen(power: int, signature: str | None, tmp_path: Path) -> None:
    def read(path: Path) -> None:
        for _ in range((len(path.read_bytes()) // 60) ** 2 if power == 2 else 120):
            sum(path.read_bytes() if power == 1 else b"")

    fault = cases.growth_fault(cases.Target("t", read, seconds=60), b"a" * (1 << 18), tmp_path)
    assert (fault and fault.signature) == signature


def test_the_smallest_input_with_a_fault_is_found(tmp_path: Path) -> None:
    data = b"much that does not matter " * 40 + b"x" + b" and more" * 40
    target = cases.Target("t", lambda path: 1 // (b"x" not in path.read_bytes()))
    assert cases.smaller(target, data, tmp_path) == b"x"


def test_what_is_packed_is_changed_inside() -> None:
    np.save(array := BytesIO(), np.frombuffer(b'{"a": [1, 2]}', np.uint8))
    packed = [path.read_bytes() for path in (cases.FUZZ / "corpus").glob("archive-*/*")]
    for data in (*packed, b'{"a": [1, 2]}', array.getvalue()):
        (change,) = (each for place, mark, each in _PACKED if data.startswith(mark, place))
        made = {change(data, random.Random(k), itemgetter(slice(k, None))) for k in range(20)}
        assert len(made) > 9, data
    assert len(packed) == 13
    assert len(next(mutants([b"1-0 A B\n" * 9], (), 5, random.Random(1)))) <= 5


def test_a_campaign_counts_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = []
    for _ in range(2):
        assert campaign(["text-grade"], tmp_path, 1.0, 1) == 0
        row = re.search(r"^\| text-grade \| ([\d,]+) \| 0 \| 0 \|$", capsys.readouterr().out, re.M)
        counts.append(int(row[1].replace(",", "")) if row else 0)
    assert 0 < counts[0] < counts[1]


def test_an_input_that_ends_the_process_is_kept(tmp_path: Path) -> None:
    reading = tmp_path / "reading" / "mutations"
    reading.mkdir(parents=True)
    (reading / "input.txt").write_bytes(b"x")
    fuzz("no-such", tmp_path, "mutations", 0.1)
    (fault,) = (tmp_path / "faults").glob("*.txt")
    assert "no target 'no-such'" in fault.read_text()
    assert fault.with_suffix(".input").read_bytes() == b"x"
