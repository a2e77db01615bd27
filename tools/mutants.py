"""Small faults put into the package one at a time, and whether a test fails: `make mutants`.

    python -m tools.mutants [--sample 300] [--seed 1] [--map] [PACKAGE ...]

A sample of the faults that can be made, equal for equal seeds and sources. The tests that run a
line are known by coverage, which the first run measures (``--map`` measures it anew); those that
cover least, as the most specific, are run first. What is done is kept in ``build/mutants``, and a
second run goes on from there. cosmic-ray would bring twenty packages, walks each file once an
operator and changes annotations, which no test can see.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue

__all__ = ["Mutant", "main", "mutants"]

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "mutants"
SOURCE = Path("src/yardstone")
#: Packages of the sample where none are named: what computes, and what guards.
ROOMS = ("ratings", "evaluation", "records", "winprob", "tournament", "web", "clusters", "go")
#: Tests that a mutant meets at most, and the seconds that they take when all is well.
MOST_TESTS, MOST_SECONDS = 60, 90.0

_SWAPS: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "//",
    ast.Pow: "*", ast.And: "or", ast.Or: "and",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A fault: the bytes from `start` to `end` of a file become `text`."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    text: str

    def source(self, before: str) -> str:
        """The file with the fault."""
        raw = before.encode()
        return (raw[: self.start] + self.text.encode() + raw[self.end :]).decode()


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """All faults of a file: operators, numbers, conditions, calls and errors left out."""
    raw = source.encode()  # ast counts columns in bytes
    starts = [0, *accumulate(map(len, raw.splitlines(keepends=True)))]

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    def fault(kind: str, node: ast.expr | ast.stmt, text: str) -> Mutant:
        start = place(node.lineno, node.col_offset)
        end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return Mutant(file, node.lineno, kind, start, end, text)

    def swap(kind: str, left: ast.expr, right: ast.expr, text: str) -> Mutant:
        start = place(left.end_lineno or 0, left.end_col_offset or 0)
        end = place(right.lineno, right.col_offset)
        between = raw[start:end].decode()
        words = between.strip(" ()\n\t")
        put = between.replace(words, text, 1) if words else between
        return Mutant(file, left.end_lineno or left.lineno, kind, start, end, put)

    for node in _code(ast.parse(source)):
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                for one, operator, other in zip([left, *others], ops, others, strict=False):
                    yield swap("comparison", one, other, _SWAPS[type(operator)])
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _SWAPS:
                yield swap("arithmetic", left, right, _SWAPS[type(operator)])
            case ast.BoolOp(op=operator, values=[first, second, *_]):
                yield swap("and-or", first, second, _SWAPS[type(operator)])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield fault("not", node, ast.get_source_segment(source, operand) or "")
            case ast.Constant(value=bool(value)):
                yield fault("true-false", node, str(not value))
            case ast.Constant(value=int(value)):
                yield fault("number", node, str(value + 1))
            case ast.Constant(value=float(value)):
                yield fault("number", node, repr(value * 1.1 or 1.0))
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                if not isinstance(test, ast.Compare | ast.UnaryOp | ast.BoolOp | ast.NamedExpr):
                    text = ast.get_source_segment(source, test) or ""
                    yield fault("condition", test, f"not ({text})")
            case ast.Expr(value=ast.Call()) | ast.Raise():
                yield fault("left out", node, "pass")
            case ast.Break() | ast.Continue():
                yield fault("loop", node, "continue" if isinstance(node, ast.Break) else "break")


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run: no annotations, messages of errors, or blocks for types."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        if isinstance(node, ast.Raise):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from _code(each)


# ----------------------------------------------------------------- what runs a line


class Measure:
    """A plugin of pytest: which lines each test runs, how long it takes, whether it passes."""

    def __init__(self, folder: Path) -> None:
        import coverage

        name = os.environ.get("PYTEST_XDIST_WORKER", "main")
        self.coverage = coverage.Coverage(
            data_file=str(folder / f"lines.{name}"), source=[str(SOURCE)], config_file=False
        )
        self.times = folder / f"times.{name}.json"
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_sessionstart(self) -> None:
        self.coverage.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: object) -> None:
        test, outcome = report.nodeid, report.outcome  # type: ignore[attr-defined]
        self.seconds[test] = self.seconds.get(test, 0.0) + report.duration  # type: ignore[attr-defined]
        if outcome != "passed":
            self.failed.add(test)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        self.coverage.save()
        passed = {test: s for test, s in self.seconds.items() if test not in self.failed}
        self.times.write_text(json.dumps(passed))


def pytest_configure(config: object) -> None:
    """Called by pytest where this module is named with ``-p``."""
    folder = os.environ.get("YARDSTONE_MUTANTS")
    is_worker = hasattr(config, "workerinput")
    if folder and (is_worker or not config.getoption("numprocesses", None)):  # type: ignore[attr-defined]
        config.pluginmanager.register(Measure(Path(folder)))  # type: ignore[attr-defined]


class Lines:
    """Tests by the lines that they run, the most specific first."""

    def __init__(self, folder: Path) -> None:
        from coverage import CoverageData

        self.seconds: dict[str, float] = {}
        for file in folder.glob("times.*.json"):
            self.seconds |= json.loads(file.read_text())
        self._by_line: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        width: dict[str, int] = defaultdict(int)
        for path in folder.glob("lines.*"):
            data = CoverageData(str(path))
            data.read()
            for measured in data.measured_files():
                name = str(SOURCE / measured.rpartition("/src/yardstone/")[2])
                for line, tests in data.contexts_by_lineno(measured).items():
                    for test in tests:
                        width[test] += 1
                        self._by_line[name][line].add(test)
        self._width = width

    def tests(self, file: str, line: int) -> list[str]:
        """Those to run for a line, within what a mutant may take."""
        every = self._by_line[file][line]
        if "" in every:  # run by the import: any test of the file may see it
            every = set().union(*self._by_line[file].values())
        every = every & self.seconds.keys()
        chosen: list[str] = []
        time = 0.0
        for test in sorted(every, key=lambda each: (self._width[each], each)):
            if len(chosen) == MOST_TESTS or (chosen and time + self.seconds[test] > MOST_SECONDS):
                break
            chosen.append(test)
            time += self.seconds[test]
        return chosen


# ----------------------------------------------------------------------------- the work


def _copy(folder: Path) -> Path:
    """The checkout, in a place where it may be spoilt."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def _pytest(folder: Path, words: Sequence[str], *, seconds: float | None, measure: str = "") -> int:
    paths = os.pathsep.join(str(folder / each) for each in ("src", "lab/src", "."))
    environment = {**os.environ, "PYTHONPATH": paths, "YARDSTONE_MUTANTS": measure}
    environment.setdefault("YARDSTONE_SHARED", str(ROOT.parent / "shared"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    ) as running:  # fmt: skip
        try:
            return running.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, 9)
            return 124


def measure(workers: int) -> None:
    """Which tests run which lines, by running all of them once."""
    shutil.rmtree(KEPT / "lines", ignore_errors=True)
    (KEPT / "lines").mkdir(parents=True)
    folder = _copy(KEPT / "copy0")
    words = ["-p", "tools.mutants", "-n", str(workers), "--dist", "worksteal"]
    _pytest(folder, words, seconds=None, measure=str(KEPT / "lines"))


def sample(packages: Iterable[str], number: int, seed: int) -> list[Mutant]:
    """So many faults, each line of code as likely as any other."""
    by_line: dict[tuple[str, int], list[Mutant]] = defaultdict(list)
    for package in packages:
        place = ROOT / SOURCE / package
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
        for file in files:
            name = str(file.relative_to(ROOT))
            for each in mutants(name, file.read_text("utf-8")):
                by_line[each.file, each.line].append(each)
    generator = random.Random(seed)
    chosen = generator.sample(sorted(by_line), min(number, len(by_line)))
    return [generator.choice(by_line[each]) for each in chosen]


def _judge(mutant: Mutant, folder: Path, lines: Lines) -> str:
    tests = lines.tests(mutant.file, mutant.line)
    if not tests:
        return "not run"
    file = folder / mutant.file
    before = (ROOT / mutant.file).read_text("utf-8")
    try:
        file.write_text(mutant.source(before), "utf-8")
        expected = sum(lines.seconds[test] for test in tests)
        status = _pytest(folder, ["-x", *tests], seconds=60.0 + 5.0 * expected)
    finally:
        file.write_text(before, "utf-8")
    return {0: "survived", 124: "killed (no end)"}.get(status, "killed")


def main(words: Sequence[str] | None = None) -> int:
    """Make the sample, run it, and print what survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="*", help="all that compute or guard by default")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--map", action="store_true", help="measure anew which tests run a line")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(words)
    if asked.map or not any((KEPT / "lines").glob("lines.*")):
        print("Running all tests once, to know which lines each of them runs ...", flush=True)
        measure(asked.workers)
    lines = Lines(KEPT / "lines")
    kept = KEPT / "results.jsonl"
    done = {}
    if kept.exists():
        for row in map(json.loads, kept.read_text("utf-8").splitlines()):
            if row["outcome"] != "not run":
                done[row.pop("digest"), Mutant(**row.pop("mutant"))] = row["outcome"]
    chosen = sample(asked.packages or ROOMS, asked.sample, asked.seed)
    digests = {each.file: "" for each in chosen}
    for file in digests:
        digests[file] = hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]
    outcomes = {each: done.get((digests[each.file], each)) for each in chosen}
    folders: SimpleQueue[Path] = SimpleQueue()
    for number in range(asked.workers):
        folders.put(_copy(KEPT / f"copy{number}"))

    def judge(mutant: Mutant) -> tuple[Mutant, str]:
        folder = folders.get()
        try:
            return mutant, _judge(mutant, folder, lines)
        finally:
            folders.put(folder)

    with ThreadPoolExecutor(asked.workers) as pool, kept.open("a", encoding="utf-8") as stream:
        work = [pool.submit(judge, each) for each, known in outcomes.items() if known is None]
        for number, each in enumerate(as_completed(work), 1):
            mutant, outcome = each.result()
            outcomes[mutant] = outcome
            row = {"digest": digests[mutant.file], "mutant": asdict(mutant), "outcome": outcome}
            print(json.dumps(row), file=stream, flush=True)
            print(f"\r{number} of {len(work)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(report({each: outcome or "" for each, outcome in outcomes.items()}))
    return 0


def report(outcomes: dict[Mutant, str]) -> str:
    """How many of each package were killed, and what survived."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    survived = []
    for mutant, outcome in sorted(outcomes.items(), key=lambda each: (each[0].file, each[0].line)):
        package = mutant.file.removeprefix(f"{SOURCE}/").partition("/")[0]
        killed = outcome.startswith("killed")
        for name in (package, "all"):
            counts[name][0] += 1
            counts[name][1] += killed
        if not killed:
            before = (ROOT / mutant.file).read_text("utf-8")
            was = " ".join(before.encode()[mutant.start : mutant.end].decode().split())
            survived.append(
                f"{mutant.file}:{mutant.line}: {mutant.kind}: {was} → {mutant.text} ({outcome})"
            )
    table = [f"{name:12} {k:4} of {n:4} killed, {k / n:.0%}" for name, (n, k) in counts.items()]
    return "\n".join([*survived, "", *table])


if __name__ == "__main__":
    sys.exit(main())
