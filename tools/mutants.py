"""Put small faults into the package one at a time, and see whether a test fails: `make mutants`.

    python -m tools.mutants [--sample 600] [--seed 1] [--map] [PACKAGE ...]
    python -m tools.mutants --again --tests tests/ratings -- ratings

A sample of the faults that can be made, equal for equal seeds and sources. Coverage tells which
tests run a line: the first run measures it. Those that cover least, as the most specific, run
first. Results are kept in ``build/mutants``, and a second run goes on from there. When tests have
changed, ``--map`` measures anew and forgets the results. ``--again`` runs those that survived once
more, with ``--tests`` on new tests alone, of which only what they kill is kept. Faults that no
test can see are listed in ``tools/mutants.toml``, with the reason.

mutmut and cosmic-ray start Python and import the libraries anew for each fault, which is most of
the time, and know nothing of compiled loops: here one process imports them, each fault gets a fork
of it, and a loop with a fault is compiled first. Coverage does not see inside of loops: they meet
the tests that run the lines which call them.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tokenize
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from typing import IO

__all__ = ["Mutant", "main", "mutants"]

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "mutants"
SOURCE = Path("src/yardstone")
#: Packages and modules of the sample where none are named: what computes, and what guards.
ROOMS = (
    "ratings", "clusters", "evaluation", "records", "winprob", "tournament", "files", "grades",
    *(f"web/{name}" for name in ("database", "middleware", "sent_files", "service", "store",
                                 "supervisor", "upkeep", "uploads", "worker", "desk/service")),
)  # fmt: skip
#: Tests that meet faults. Left out are those that take long and say little of where a fault is:
#: the laboratory's, and those of documentation, of commands that are killed, and of damaged files.
TESTS = ("tests",)
LEFT_OUT = ("tests/docs", "tests/faults", "tests/fuzz", "tests/siege", "tests/test_cluster.py")
#: Tests that a mutant meets at most, and the seconds that they take when all is well.
MOST_TESTS, MOST_SECONDS = 250, 45.0
#: Libraries that a process imports once for all faults; nothing of Yardstone.
_LIBRARIES = (
    "numpy", "scipy.stats", "scipy.optimize", "scipy.sparse.linalg", "hypothesis",
    "hypothesis.extra.numpy", "pytest", "duckdb", "fastapi", "typer", "rich.table", "sqlalchemy",
)  # fmt: skip
#: Bytes of address space that the tests of a fault may take.
_MOST_MEMORY = 12 << 30

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
    if file.endswith(".pyx"):
        yield from _faults_of_loops(file, source)
        return
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


#: Tokens of Cython and what they become; operators stand between blanks, casts and pointers do not.
_TOKENS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
    "*": "/", "/": "*", "//": "*", "+=": "-=", "-=": "+=", "and": "or", "or": "and",
    "True": "False", "False": "True", "break": "continue", "continue": "break", "not": "",
}  # fmt: skip


def _faults_of_loops(file: str, source: str) -> Iterator[Mutant]:
    """Faults of Cython's tokens; none of the sizes and types of arrays."""
    lines = source.splitlines(keepends=True)
    starts = [0, *accumulate(len(line.encode()) for line in lines)]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (row, column), (_, end) = token.start, token.end
        line = token.line
        text, before, after = token.string, line[column - 1 : column], line[end : end + 1]
        if token.type == tokenize.NUMBER and before not in ":[" and "import" not in line:
            whole = text.isdigit() or text[:2] in ("0x", "0b")
            put = str(int(text, 0) + 1) if whole else repr(float(text) * 1.1 or 1.0)
        elif text in _TOKENS and before.isspace() and (after.isspace() or after == ":"):
            put = _TOKENS[text]
        else:
            continue
        place = starts[row - 1] + len(line[:column].encode())
        yield Mutant(file, row, "loop", place, place + len(text.encode()), put)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run: no annotations, messages of errors, or blocks for types."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        if isinstance(node, ast.Raise):
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

    def keep(self, tests: set[str]) -> None:
        """Forget the tests that are gone: to ask for one of them would end as if it failed."""
        self.seconds = {test: each for test, each in self.seconds.items() if test in tests}

    def tests(self, file: str, line: int) -> list[str]:
        """Those to run for a line, within what a mutant may take."""
        lines = self._by_line[file]
        every = self._calling(file, line) if file.endswith(".pyx") else lines[line] - {""}
        naming: set[str] = set()
        if not every:  # run by the import: tests of what it is for, or any of the file
            source = (ROOT / file).read_text("utf-8")
            used = _uses(source, line)
            every = set().union(*(lines[each] for each in used if each in lines)) - {""}
            every = every or set().union(*lines.values())
            names, module = _names(source, line), Path(file).stem
            words = {each: _words(each.partition("::")[0]) for each in self.seconds}
            naming = {each for each in words if names & words[each] and module in words[each]}
            every |= naming
        every = every & self.seconds.keys()
        chosen: list[str] = []
        time = 0.0
        for test in sorted(every, key=lambda each: (each not in naming, self._width[each], each)):
            if time + self.seconds[test] > MOST_SECONDS and chosen:
                continue
            chosen.append(test)
            time += self.seconds[test]
            if len(chosen) == MOST_TESTS:
                break
        return chosen

    def _calling(self, file: str, line: int) -> set[str]:
        """Those that run a line of Python which names what the loop is called by."""
        source = (ROOT / file).read_text("utf-8")
        entries = re.findall(r"^(?:cdef class|def|cpdef .*?) ?(\w+)\(", source, re.MULTILINE)
        above = "\n".join(source.splitlines()[:line])
        within = re.findall(r"^(?:cdef class|def|cpdef .*?) ?(\w+)[(:]", above, re.MULTILINE)
        entries += re.findall(r"^cdef class (\w+)", source, re.MULTILINE)
        for names in ({*within[-1:]}, {*entries}):
            named = re.compile(rf"\b({'|'.join(names)})\b") if names else None
            found: set[str] = set()
            for caller, lines in self._by_line.items():
                text = (ROOT / caller).read_text("utf-8") if named else ""
                if named and Path(file).stem in text:
                    for number, row in enumerate(text.splitlines(), 1):
                        if named.search(row) and number in lines:
                            found |= lines[number] - {""}
            if found:
                return found
        return set()


def _names(source: str, line: int) -> set[str]:
    """What an assignment on that line sets."""
    return {
        each.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and node.lineno <= line <= (node.end_lineno or line)
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


@cache
def _words(file: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", (ROOT / file).read_text("utf-8")))


def _uses(source: str, line: int) -> set[int]:
    """Lines that use what a line defines: those of its function, or that name what it sets."""
    names = _names(source, line)
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(body=[first, *_]) if node.lineno <= line < first.lineno:
                return set(range(first.lineno, (node.end_lineno or line) + 1))
    return {
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id in names)
        or (isinstance(node, ast.Attribute) and node.attr in names)
    }


# ----------------------------------------------------------------------------- the work


class Copy:
    """The checkout in a place where it may be spoilt, and a process that runs tests in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._serve: subprocess.Popen[str] | None = None
        self._changes = 0
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        )  # fmt: skip
        names = [name for name in listed.stdout.decode().split("\0") if name]
        names += [str(each.relative_to(ROOT)) for each in (ROOT / SOURCE).rglob("*.so")]
        names += [str(each.relative_to(ROOT)) for each in (ROOT / "build" / "c").rglob("*.c")]
        for name in names:
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    def environment(self, **more: str) -> dict[str, str]:
        """For a process that runs tests in the copy."""
        paths = os.pathsep.join(str(self.folder / each) for each in ("src", "lab/src", "."))
        shared = os.environ.get("YARDSTONE_SHARED", str(ROOT.parent / "shared"))
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        return {**os.environ, **threads, "PYTHONPATH": paths, "YARDSTONE_SHARED": shared, **more}

    def collected(self) -> set[str]:
        """All tests that there are. SystemExit if pytest does not run here even without a fault."""
        words = [*TESTS, *(f"--ignore={each}" for each in LEFT_OUT), "--collect-only", "-q"]
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
        listed = subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        tests = {line for line in listed.stdout.splitlines() if "::" in line}
        status = self._ask({"words": ["tests/test_tools.py"], "seconds": 300.0})
        if listed.returncode != 0 or status != 0:
            sys.exit(f"pytest cannot run in {self.folder}: every fault would count as killed")
        return tests

    def run(self, mutant: Mutant, tests: Sequence[str], seconds: float) -> int:
        """The exit status of pytest with the fault in place; 124 after so many seconds."""
        file = self.folder / mutant.file
        before = file.read_text("utf-8")
        with _Kept(self.folder, mutant.file):
            file.write_text(mutant.source(before), "utf-8")
            self._changes += 1  # a time of its own, by which what was compiled of it is old
            when = file.stat().st_mtime_ns + self._changes * 2_000_000_000
            os.utime(file, ns=(when, when))
            if file.suffix == ".pyx":
                words = [sys.executable, "-m", "tools.loops"]
                subprocess.run(
                    words, cwd=self.folder, env=self.environment(), capture_output=True, check=True
                )
            return self._ask({"words": ["-x", *tests], "seconds": seconds})

    def _ask(self, order: dict[str, object]) -> int:
        if self._serve is None or self._serve.poll() is not None:
            self._serve = subprocess.Popen(
                [sys.executable, "-m", "tools.mutants", "--serve"], cwd=self.folder, text=True,
                env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        assert self._serve.stdin is not None
        assert self._serve.stdout is not None
        print(json.dumps(order), file=self._serve.stdin, flush=True)
        return int(self._serve.stdout.readline())


class _Kept:
    """A file and what was compiled of it are afterwards as they were before."""

    def __init__(self, folder: Path, name: str) -> None:
        file = folder / name
        compiled = file.parent.glob(f"{file.stem}.*.so") if file.suffix == ".pyx" else ()
        c = folder / "build" / "c" / Path(name).with_suffix(".c")
        self._files = [file, *compiled, *([c] if c.exists() else [])]

    def __enter__(self) -> None:
        self._before = [(each, each.read_bytes(), each.stat()) for each in self._files]

    def __exit__(self, *error: object) -> None:
        for file, content, status in self._before:
            file.unlink()  # a module of machine code may be in use
            file.write_bytes(content)
            file.chmod(status.st_mode)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def serve(orders: IO[str], answers: IO[str]) -> None:
    """Run pytest as each line asks, in a fork that has the libraries, and answer its status."""
    import importlib

    for library in _LIBRARIES:
        importlib.import_module(library)
    for line in orders:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _run_tests(order["words"])
        end = time.monotonic() + order["seconds"]
        status = 124
        while time.monotonic() < end:
            done, code = os.waitpid(child, os.WNOHANG)
            if done:
                status = os.waitstatus_to_exitcode(code)
                break
            time.sleep(0.02)
        with suppress(ProcessLookupError):  # what the tests have started, too
            os.killpg(child, signal.SIGKILL)
        if status == 124:
            os.waitpid(child, 0)
        print(status, file=answers, flush=True)


def _run_tests(words: Sequence[str]) -> None:
    import pytest

    status = 70
    try:
        os.setsid()
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silent, stream)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        # What is imported already cannot be rewritten: pytest warns, and our warnings are errors.
        quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *quiet]
        status = int(pytest.main([*options, *words]))
    finally:
        os._exit(status)


def measure(workers: int) -> None:
    """Which tests run which lines, by running them once; results of other tests go."""
    (KEPT / "results.jsonl").unlink(missing_ok=True)
    shutil.rmtree(KEPT / "lines", ignore_errors=True)
    (KEPT / "lines").mkdir(parents=True)
    copy = Copy(KEPT / "copy0")
    words = ["-p", "tools.mutants", "-n", str(workers), "--dist", "worksteal", *TESTS]
    words += [f"--ignore={each}" for each in LEFT_OUT]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    environment = copy.environment(YARDSTONE_MUTANTS=str(KEPT / "lines"))
    subprocess.run(command, cwd=copy.folder, env=environment, check=False)


def sample(rooms: Iterable[str], number: int, seed: int) -> list[Mutant]:
    """So many faults, each line of code as likely as any other, wherever it stands in its file.

    The first faults of one room are those that it has in a sample of all.
    """
    drawn: list[tuple[float, str, int, Mutant]] = []
    for room in rooms:
        place = ROOT / SOURCE / room
        inside = [*place.rglob("*.py"), *place.rglob("*.pyx")]
        for file in sorted(inside) if place.is_dir() else [place.with_suffix(".py")]:
            name, text = str(file.relative_to(ROOT)), file.read_text("utf-8")
            by_line: dict[int, list[Mutant]] = defaultdict(list)
            for each in mutants(name, text):
                by_line[each.line].append(each)
            lines = [line.strip() for line in text.splitlines()]
            for line, faults in sorted(by_line.items()):
                which = lines[:line].count(lines[line - 1])
                chance = random.Random(f"{seed} {name} {which} {lines[line - 1]}")
                drawn.append((chance.random(), name, line, chance.choice(faults)))
    return [mutant for *_, mutant in sorted(drawn, key=lambda each: each[:3])[:number]]


def _judge(mutant: Mutant, copy: Copy, lines: Lines, tests: Sequence[str]) -> str:
    seconds = 300.0
    if not tests:
        tests = lines.tests(mutant.file, mutant.line)
        seconds = 40.0 + 4.0 * sum(lines.seconds[test] for test in tests)
    if not tests:
        return "not run"
    status = copy.run(mutant, tests, seconds)
    return {0: "survived", 124: "killed (no end)"}.get(status, "killed")


def equivalent() -> dict[tuple[str, str, str], str]:
    """Faults that no test can see, and why: by file, line of code without its indent, and fault."""
    listed = tomllib.loads((ROOT / "tools" / "mutants.toml").read_text("utf-8"))
    return {
        (f"{SOURCE}/{each['file']}", each["line"], each["fault"]): each["reason"]
        for each in listed.get("equivalent", [])
    }


def main(words: Sequence[str] | None = None) -> int:
    """Make the sample, run it, and print what survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="*", help="all that compute or guard by default")
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--map", action="store_true", help="measure anew which tests run a line")
    parser.add_argument("--again", action="store_true", help="run those that survived once more")
    parser.add_argument("--tests", nargs="*", default=[], help="run these for every fault")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if asked.serve:
        serve(sys.stdin, os.fdopen(os.dup(1), "w"))
        return 0
    if asked.map or not any((KEPT / "lines").glob("lines.*")):
        print("Running the tests once, to know which lines each of them runs ...", flush=True)
        measure(asked.workers)
    lines = Lines(KEPT / "lines")
    kept = KEPT / "results.jsonl"
    done = {}
    if kept.exists():
        for row in map(json.loads, kept.read_text("utf-8").splitlines()):
            if row["outcome"] != "not run" and not (asked.again and row["outcome"] == "survived"):
                done[row.pop("digest"), Mutant(**row.pop("mutant"))] = row["outcome"]
    chosen = sample(asked.packages or ROOMS, asked.sample, asked.seed)
    digests = {each.file: "" for each in chosen}
    for file in digests:
        digests[file] = hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]
    outcomes = {each: done.get((digests[each.file], each)) for each in chosen}
    copies: SimpleQueue[Copy] = SimpleQueue()
    for number in range(asked.workers):
        copy = Copy(KEPT / f"copy{number}")
        if number == 0:
            lines.keep(copy.collected())
        copies.put(copy)

    def judge(mutant: Mutant) -> tuple[Mutant, str]:
        copy = copies.get()
        try:
            return mutant, _judge(mutant, copy, lines, asked.tests)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(asked.workers) as pool, kept.open("a", encoding="utf-8") as stream:
        work = [pool.submit(judge, each) for each, known in outcomes.items() if known is None]
        for number, each in enumerate(as_completed(work), 1):
            mutant, outcome = each.result()
            outcomes[mutant] = outcome
            row = {"digest": digests[mutant.file], "mutant": asdict(mutant), "outcome": outcome}
            if not asked.tests or outcome != "survived":  # what others may kill is not kept
                print(json.dumps(row), file=stream, flush=True)
            print(f"\r{number} of {len(work)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(report({each: outcome or "" for each, outcome in outcomes.items()}))
    return 0


def report(outcomes: dict[Mutant, str]) -> str:
    """How many of each package were killed, and what survived."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    survived = []
    known = equivalent()
    for mutant, outcome in sorted(outcomes.items(), key=lambda each: (each[0].file, each[0].line)):
        package = mutant.file.removeprefix(f"{SOURCE}/").partition("/")[0]
        before = (ROOT / mutant.file).read_text("utf-8")
        was = " ".join(before.encode()[mutant.start : mutant.end].decode().split())
        fault = f"{was} → {mutant.text}"
        line = before.splitlines()[mutant.line - 1].strip()
        is_killed = outcome.startswith("killed")
        is_equivalent = not is_killed and (mutant.file, line, fault) in known
        for name in (package, "all"):
            counts[name][0] += not is_equivalent
            counts[name][1] += is_killed
            counts[name][2] += is_equivalent
        if not is_killed and not is_equivalent:
            survived.append(f"{mutant.file}:{mutant.line}: {fault}   {line} ({outcome})")
    table = [
        f"{name:12} {killed:4} of {all_:4} killed, {killed / max(all_, 1):.0%}; {same} equivalent"
        for name, (all_, killed, same) in counts.items()
    ]
    return "\n".join([*survived, "", *table])


if __name__ == "__main__":
    sys.exit(main())
