"""Counts what the house is made of: lines, circles of imports, names and signatures.

    python tools/house.py [FOLDER]

FOLDER is a checkout, by default the one that this file is in.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "yardstone"
#: Positional parameters that a function may have.
PARAMETERS = 8
#: Lines that a module may have.
LINES = 400


def modules(source: Path) -> dict[str, Path]:
    """Names of all modules under a folder, with their files."""
    names = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def code_lines(text: str) -> int:
    """Lines that hold neither nothing nor only a comment or a docstring."""
    tree = ast.parse(text)
    lines: set[int] = set()
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped and token.type != tokenize.ENDMARKER:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                lines.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines)


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def _statements(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker sees."""
    for node in body:
        if _is_for_types(node):
            continue
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _statements([child]) if isinstance(child, ast.stmt) else ast.walk(child)


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Modules of the package that one imports, at the top or in a function."""
    result = set()
    for node in _statements(ast.parse(path.read_text("utf-8")).body):
        if isinstance(node, ast.Import):
            result |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                result.add(inner if inner in known else node.module)
    return {each for each in result if each in known} - {name}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import one another, in groups."""
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


def classes(known: dict[str, Path]) -> dict[str, list[str]]:
    """Public class names that stand in several modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, path in known.items():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def long_signatures(known: dict[str, Path]) -> list[tuple[int, str, str]]:
    """Functions with more positional parameters than anybody can keep in order."""
    result = []
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                positional = [*node.args.posonlyargs, *node.args.args]
                count = len([each for each in positional if each.arg not in ("self", "cls")])
                is_command = name.startswith(f"{PACKAGE}.cli.")  # all are named there
                if count > PARAMETERS and not is_command:
                    result.append((count, name, node.name))
    return sorted(result, reverse=True)


def main() -> None:
    """Print all counts."""
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    known = modules(root / "src")
    texts = {name: path.read_text("utf-8") for name, path in known.items()}
    lines = {name: text.count("\n") for name, text in texts.items()}
    code = {name: code_lines(text) for name, text in texts.items()}
    print(f"{len(known):,} modules, {sum(lines.values()):,} lines, {sum(code.values()):,} of code")
    folders: Counter[str] = Counter()
    for name, count in code.items():
        parts = name.split(".")
        is_folder = len(parts) > 2 or (len(parts) == 2 and known[name].name == "__init__.py")
        folders[parts[1] if is_folder else "(top)"] += count
    print("  " + ", ".join(f"{name} {count:,}" for name, count in folders.most_common()))
    long = {name: count for name, count in lines.items() if count > LINES}
    print(f"Modules over {LINES} lines: {len(long)} {long or ''}")
    groups = circles({name: imports(name, path, known) for name, path in known.items()})
    print(f"Import circles: {len(groups)}")
    for group in groups:
        print("  " + " - ".join(group))
    twice = classes(known)
    print(f"Class names in several modules: {len(twice)}")
    for name, where in twice.items():
        print(f"  {name}: {', '.join(where)}")
    functions = long_signatures(known)
    print(f"Functions of more than {PARAMETERS} positional parameters: {len(functions)}")
    for count, name, function in functions:
        print(f"  {count} {name}.{function}")


if __name__ == "__main__":
    main()
