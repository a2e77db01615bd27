"""Every place of the package that reads a file has a target, which takes what it is given."""

from __future__ import annotations

import ast
import random
import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import CodeType

import pytest

import yardstone
from tests.fuzz.cases import run_case
from tests.fuzz.mutations import mutants
from tests.fuzz.targets import FUZZ, MODULES, contents, group, targets

PACKAGE = Path(yardstone.__file__).parent
#: `make fuzz` tries more mutations of each target.
STEPS = 5
#: Calls that take bytes from a file, or make values of a text that another program wrote.
READS = re.compile(
    r"\.read_bytes$|\.read_text$|\.content$|\bsource\.open$|Source\(.*\)\.open$|\.read_csv$"
    r"|^(json|tomllib|pickle)\.loads?$|^csv\.(reader|DictReader)$|^np\.(load|memmap|fromfile)$"
    r"|^(zipfile\.ZipFile|tarfile\.open)$"
)
#: What reads no file of anybody's, by its reason.
_NO_FILE_OF_OTHERS = {
    "files of the package itself": (
        "backgammon/formulas:$", "backgammon/gnubg:inside$", "cli/table:about_of$", "facade:",
        "examples/", "plugins:_entry_points$", "reports/", "web/pages/",
    ),
    "scripts that GNU Backgammon runs, and what they answer": (
        "backgammon/_gnubg:", "backgammon/gnubg:(_run|run_script)$",
    ),
    "bytes that go on as they are, to a hash, a copy, a browser or a reader that has a target": (
        "backgammon/file_analysis:MatchFile.read$",
        "files:_pour$", "go/nets/store:",
        "web/desk/service:WatchedFile",
        "web/desk/pages:file$", "web/database:insert_chunks$", "records/formats:_parquet_pieces$",
        "records/sources:Source.loaded$",
        "go/patterns/index:_games$", "go/positions:evaluate_file$",
        "strength/trickplay/rating:_is_index$", "tournament/files:read_source$",
    ),
    "between processes of one run, and columns that it keeps on the disk": (
        "parallel/_(processes|ray|work):", "disk:", "web/supervisor:orders$",
        "web/database:Job.as_dict$", "web/database:_Json.", "web/desk/service:Sessions\\.",
    ),
    "what the system says of itself": ("memory:",),
    "JSON that this function, or DuckDB, has just made": ("records/query_errors:_(fields|place)$",),
}  # fmt: skip
OTHERS = [re.compile(each) for group in _NO_FILE_OF_OTHERS.values() for each in group]


def reading(package: Path) -> Iterator[str]:
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).with_suffix("").as_posix()
        for name, call in _calls(ast.parse(path.read_bytes()), ""):
            if READS.search(ast.unparse(call.func)) or _opens(call):
                yield f"{module}:{name}"


def _calls(node: ast.AST, name: str) -> Iterator[tuple[str, ast.Call]]:
    for child in ast.iter_child_nodes(node):
        inside = name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{name}.{child.name}".lstrip(".")
        elif isinstance(child, ast.Call):
            yield name, child
        yield from _calls(child, inside)


def _opens(call: ast.Call) -> bool:
    modes = [each.value for each in call.args if isinstance(each, ast.Constant)]
    text = not call.args and "encoding" in {each.arg for each in call.keywords}
    is_open = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
    return is_open and (modes in (["rb"], ["r"]) or text)


def test_every_reader_has_a_target_that_takes_its_examples(tmp_path: Path) -> None:
    called: set[CodeType] = set()
    every = list(targets().values())  # what the targets read at their import does not count
    before = sys.gettrace()
    sys.settrace(lambda frame, *_: called.add(frame.f_code))
    try:
        for target in every:
            examples = target.examples()
            assert examples, f"{target.name} needs an example"
            for name, data in examples.items():
                fault = run_case(target, data, tmp_path, slack=100.0)
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


@pytest.mark.parametrize("module", MODULES)
def test_what_once_was_a_fault_and_some_mutations(module: str, tmp_path: Path) -> None:
    for name, target in group(module).items():
        kept = contents(FUZZ / "regressions" / name)
        made = mutants(list(target.seeds().values()), target.words, 1 << 14, random.Random(0))
        for what, data in [*kept.items(), *enumerate(islice(made, STEPS))]:
            assert run_case(target, data, tmp_path, slack=10.0) is None, (name, what)
