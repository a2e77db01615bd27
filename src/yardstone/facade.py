"""Packages whose names are loaded when they are used, so that importing them costs nothing."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def lazy_names(package: str) -> tuple[Callable[[], list[str]], Callable[[str], Any]]:
    """The ``__dir__`` and ``__getattr__`` of a package, by its ``__name__``.

    Its public names are those that its source imports for type checkers, in the block below
    ``if TYPE_CHECKING``: each name as itself, or all of a module by a star. They are its
    ``__all__``. What is imported under another name can be had, and is listed if an ``__all__`` in
    that block names it. The source is read when the first of them is asked for: most commands ask
    for none.
    """
    module = sys.modules[package]

    @cache
    def places() -> tuple[dict[str, tuple[str, str]], list[str]]:
        found: dict[str, tuple[str, str]] = {}
        further: list[str] = []
        for block in ast.parse(Path(str(module.__file__)).read_text("utf-8")).body:
            for node in block.body if isinstance(block, ast.If) else ():
                if isinstance(node, ast.ImportFrom):
                    home = str(node.module)
                    names = {each.asname or each.name: each.name for each in node.names}
                    if "*" in names:
                        names = {each: each for each in import_module(home).__all__}
                    found |= {name: (home, there) for name, there in names.items()}
                elif isinstance(node, ast.Assign):
                    further = ast.literal_eval(node.value)
        listed = sorted(name for name, (_, there) in found.items() if name == there)
        return found, listed + further

    def load(name: str) -> Any:
        if name == "__all__":
            return places()[1]
        # ``from package import module`` asks here first, and imports what is no name of ours.
        if name.startswith("__") or find_spec(f"{package}.{name}") or name not in places()[0]:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, there = places()[0][name]
        value = getattr(import_module(home), there)
        setattr(module, name, value)
        return value

    return lambda: sorted({*vars(module), *places()[0]}), load
