"""Counts the house, and holds it: what is counted may fall, and rise only when that is said.

    python -m tools.house                   print the counts beside the table and the budgets
    python -m tools.house --check           fail where a count is above the table (`make lint`)
    python -m tools.house --write           lower the table to today's counts
    python -m tools.house --write --raise   set it to today's counts, those that rose too

``tools/house.toml`` has for each count ``[held, budget]``: what it was when the table was last
written, and what it shall become. A commit that lowers a count writes the table anew; one that
raises a count says in its message why, and what will pay for it.

Counted are physical lines and modules of each package; circles of modules that import one
another when the program runs, in functions and by name too; circles of packages by any import,
those for types included; the modules that a rating list from a PGN loads; lines of the tests
and of the studies; words of the documentation.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = "tools/house.toml"
PACKAGE = "yardstone"
#: The distribution beside the instrument, with studies and tests of its own.
LAB = "lab"
#: Positional parameters that a function may have.
PARAMETERS = 8
_SOURCES = (".py", ".pyx", ".pyi")
#: Folders in which nothing is counted.
_NOT_OURS = {"_build", ".venv", "node_modules", "__pycache__"}
_BY_NAME = {"import_module", "__import__"}


def modules(source: Path) -> dict[str, Path]:
    """Return the names of all modules of the package in a folder, with their files."""
    found: dict[str, Path] = {}
    for path in _files(source / PACKAGE, _SOURCES):
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[f"{name}-stub" if path.suffix == ".pyi" else name] = path
    return found


def _files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in endings and not _NOT_OURS & set(path.relative_to(folder).parts):
            yield path


def _lines(paths: Iterator[Path] | list[Path]) -> int:
    return sum(path.read_text("utf-8").count("\n") for path in paths)


@dataclass
class Imports:
    """Modules that a module imports: when the program runs, and for a type checker alone."""

    running: set[str] = field(default_factory=set)
    typing: set[str] = field(default_factory=set)


def imports(name: str, path: Path, known: Mapping[str, Path]) -> Imports:
    """Return what a module imports of the known ones: at the top, in a function or by name."""
    found = Imports()
    if path.suffix == ".pyx":
        return found
    tree = ast.parse(path.read_text("utf-8"))
    for_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for statement in block.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        kind = found.typing if id(node) in for_types else found.running
        if isinstance(node, ast.Import):
            kind.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, name, path)
            inner = {each.name: f"{base}.{each.name}" for each in node.names}
            kind.update(full if full in known else base for full in inner.values())
        elif isinstance(node, ast.Call) and (other := _named(node)) is not None:
            found.running.add(other)
    for each in (found.running, found.typing):
        each.intersection_update(known)
        each.discard(name)
    return found


def _base(node: ast.ImportFrom, name: str, path: Path) -> str:
    """Return the module that ``from ... import`` names, also where it is relative."""
    if not node.level:
        return node.module or ""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    kept = package[: len(package) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def _named(call: ast.Call) -> str | None:
    """Return the module that is imported by its name, as ``import_module("...")``."""
    function = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if function in _BY_NAME and call.args and isinstance(call.args[0], ast.Constant):
        value = call.args[0].value
        return value if isinstance(value, str) else None
    return None


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of names that lead to one another."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in graph[name]:
            if other not in number:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], number[other])
        if lowest[name] == number[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                groups.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in number:
            visit(name)
    return groups


def module_circles(
    known: Mapping[str, Path], all_imports: Mapping[str, Imports]
) -> list[list[str]]:
    """Return the circles of modules at run time; a module may import the facade above it."""

    def is_facade(other: str, name: str) -> bool:
        return name.startswith(f"{other}.") and known[other].name == "__init__.py"

    return circles(
        {
            name: {other for other in found.running if not is_facade(other, name)}
            for name, found in all_imports.items()
        }
    )


def package_circles(all_imports: Mapping[str, Imports]) -> list[list[str]]:
    """Return the circles of packages, and modules beside them, by any kind of import."""
    between: dict[str, set[str]] = defaultdict(set)
    for name, found in all_imports.items():
        for other in found.running | found.typing:
            if "." in name and "." in other:
                between[_package(name)].add(_package(other))
    graph = {name: others - {name} for name, others in between.items()}
    return circles({name: others & graph.keys() for name, others in graph.items()})


def _package(name: str) -> str:
    return ".".join(name.split(".")[:2])


def from_pgn_to_list(root: Path) -> set[str]:
    """Return the modules that ``yardstone rate games.pgn`` loads."""
    games = next((root / "src" / PACKAGE / "examples").glob("tcec.pgn*"))
    script = "import sys; from yardstone.cli.main import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", script, "rate", str(games), "-q"],
        env=os.environ | {"PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = (
        line.rpartition("|")[2].strip()
        for line in ran.stderr.splitlines()
        if line.startswith("import time")
    )
    return {name for name in loaded if PACKAGE in name}


@dataclass(frozen=True)
class House:
    """What was counted, with the circles themselves."""

    counts: dict[str, int]
    circles: list[list[str]]


def count(root: Path, packages: Callable[[str], bool]) -> House:
    """Count a checkout; `packages` says which have a row of their own, others are the rest."""
    known = modules(root / "src")
    counts: dict[str, int] = defaultdict(int)
    for name, path in known.items():
        package = name.split(".")[1] if name.count(".") else ""
        if not packages(f"{package} lines"):
            package = "rest"
        for row in (package, "all"):
            counts[f"{row} lines"] += path.read_text("utf-8").count("\n")
            counts[f"{row} modules"] += 1
    of_lab = list(_files(root / LAB, (".py", ".pyx")))
    inside = {path: set(path.relative_to(root / LAB).parts) for path in of_lab}
    itself = [path for path in of_lab if not {"tests", "studies"} & inside[path]]
    counts["lab lines"] += _lines(itself)
    counts["lab modules"] += len(itself)
    for name in ("studies", "tests"):
        within = [path for path in of_lab if name in inside[path]]
        counts[f"{name} lines"] = _lines(_files(root / name, (".py", ".pyx"))) + _lines(within)
    pages = [path for folder in ("docs", LAB) for path in _files(root / folder, (".md",))]
    counts["docs words"] = sum(len(path.read_text("utf-8").split()) for path in pages)
    all_imports = {name: imports(name, path, known) for name, path in known.items()}
    of_modules, of_packages = module_circles(known, all_imports), package_circles(all_imports)
    counts["modules in circles"] = sum(map(len, of_modules))
    counts["packages in circles"] = sum(map(len, of_packages))
    counts["modules from a PGN to a list"] = len(from_pgn_to_list(root))
    return House(dict(counts), of_modules + of_packages)


def read_table(path: Path) -> dict[str, tuple[int, int]]:
    """Read the table: what is held of each count, and its budget."""
    held: dict[str, list[int]] = tomllib.loads(path.read_text("utf-8"))
    return {name: (now, budget) for name, (now, budget) in held.items()}


def rises(counts: Mapping[str, int], table: Mapping[str, tuple[int, int]]) -> list[str]:
    """Say which counts are above the table, and by how much."""
    return [
        f"{name}: {number:,}, {number - table[name][0]:,} more than the {table[name][0]:,} held"
        for name, number in counts.items()
        if number > table[name][0]
    ]


def lowered(
    counts: Mapping[str, int], table: Mapping[str, tuple[int, int]], *, raised: bool
) -> dict[str, tuple[int, int]]:
    """Return the table at today's counts: those that fell, with `raised` those that rose too."""
    return {
        name: (counts[name] if raised else min(counts[name], held), budget)
        for name, (held, budget) in table.items()
    }


def write_table(path: Path, table: Mapping[str, tuple[int, int]]) -> None:
    """Write the table, below the comment that it begins with."""
    text = path.read_text("utf-8")
    head = [line for line in text.splitlines() if line.startswith("#")]
    rows = [f'"{name}" = [{held}, {budget}]' for name, (held, budget) in table.items()]
    path.write_text("\n".join([*head, *rows, ""]), "utf-8")


def _tree(path: Path) -> ast.Module:
    """What a module says; nothing for Cython."""
    return ast.parse("" if path.suffix == ".pyx" else path.read_text("utf-8"))


def classes(known: Mapping[str, Path]) -> dict[str, list[str]]:
    """Return the public class names that stand in several modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, path in known.items():
        for node in _tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def long_signatures(known: Mapping[str, Path]) -> list[tuple[int, str, str]]:
    """Return functions with more positional parameters than anybody can keep in order."""
    result = []
    for name, path in known.items():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.FunctionDef):
                positional = [*node.args.posonlyargs, *node.args.args]
                count = len([each for each in positional if each.arg not in ("self", "cls")])
                is_command = ".cli." in name  # all are named there
                if count > PARAMETERS and not is_command:
                    result.append((count, name, node.name))
    return sorted(result, reverse=True)


def main() -> None:
    """Print the counts, and check or write the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.house", description="Count the house.")
    parser.add_argument("--check", action="store_true", help="fail where a count rose")
    parser.add_argument("--write", action="store_true", help="write today's counts where lower")
    parser.add_argument("--raise", dest="raised", action="store_true", help="and where higher")
    options = parser.parse_args()
    if options.raised and not options.write:
        parser.error("--raise goes with --write")
    path = ROOT / TABLE
    table = read_table(path)
    house = count(ROOT, table.__contains__)
    if not options.check:
        print(f"{'':28} {'now':>8} {'held':>8} {'budget':>8}")
        for name, (held, budget) in table.items():
            print(f"{name:28} {house.counts[name]:8,} {held:8,} {budget:8,}")
        for circle in house.circles:
            print("Circle: " + ", ".join(name.removeprefix(f"{PACKAGE}.") for name in circle))
    if options.write:
        table = lowered(house.counts, table, raised=options.raised)
        write_table(path, table)
    if rose := rises(house.counts, table):
        print("\n".join(rose))
        if options.check:
            sys.exit(
                f"The house grew. Take out what the change made superfluous; or, if it is worth"
                f" it, `python -m tools.house --write --raise` and say why: {TABLE} may only fall."
            )
    elif options.check and lowered(house.counts, table, raised=False) != table:
        print(f"The house shrank: `python -m tools.house --write` holds it ({TABLE}).")


if __name__ == "__main__":
    main()
