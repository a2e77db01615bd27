"""The pages of the reference, from the package itself: ``python -m tests.docs.reference``.

Beside ``docs/reference/python/index.md``, which is written by hand, there is one with all other
public names for each subpackage, one for what is a single module, and one for the laboratory.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import yardstone
import yardstone_lab
from tests.docs.blocks import ROOT

PAGES = ROOT / "docs" / "reference" / "python"
BY_HAND = PAGES / "index.md"
ENTRY = re.compile(r"^\.\. auto(?:class|function|exception|data):: ([\w.]+)$", re.MULTILINE)
MODULE = re.compile(r"^\.\. automodule:: ([\w.]+)\n((?: {3}:.*\n)*)", re.MULTILINE)
EXCLUDED = re.compile(r":exclude-members: (.*)")


@cache
def public_modules() -> list[ModuleType]:
    result = []
    for package in (yardstone, yardstone_lab):
        found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for each in sorted(found, key=str):
            if not any(part.startswith("_") for part in each.name.split(".")):
                module = import_module(each.name)
                if hasattr(module, "__all__") or not hasattr(module, "__path__"):
                    result.append(module)
    return result


@cache
def public_names(module: ModuleType) -> list[str]:
    """Names in `__all__`; without it those that the module defines, but for an underscore."""
    names = list(getattr(module, "__all__", ()))
    for node in () if names else ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [each.id for each in targets if isinstance(each, ast.Name)]
    return [name for name in names if not name.startswith("_")]


def public_objects(module: ModuleType) -> dict[str, Any]:
    objects = ((name, getattr(module, name)) for name in public_names(module))
    return {k: each for k, each in objects if inspect.isclass(each) or inspect.isroutine(each)}


def by_hand() -> dict[str, Any]:
    names = ENTRY.findall(BY_HAND.read_text("utf-8"))
    assert len(names) == len(set(names))
    return {name: pkgutil.resolve_name(name) for name in names}


def documented(text: str) -> list[Any]:
    objects: list[Any] = []
    for name, options in MODULE.findall(text):
        if ":no-members:" not in options:
            excluded = EXCLUDED.search(options)
            names = excluded[1].split(", ") if excluded else []
            public = public_objects(import_module(name))
            objects += [each for key, each in public.items() if key not in names]
    return objects


def _section(module: ModuleType, known: dict[str, Any]) -> str:
    public = public_objects(module)
    described = {id(each) for each in known.values()}
    elsewhere: dict[str, list[str]] = {}
    for name in public_names(module):
        each = public.get(name)  # none for a value that is neither class nor function
        if id(each) in described or (each is None and f"{module.__name__}.{name}" in known):
            elsewhere.setdefault("[](index.md)", []).append(name)
        elif each is not None and each.__module__ != module.__name__:
            elsewhere.setdefault(f"`{each.__module__}`", []).append(name)
    excluded = sorted(name for names in elsewhere.values() for name in names)
    options = f"   :exclude-members: {', '.join(excluded)}\n" if excluded else ""
    if hasattr(module, "__path__") and set(excluded) >= set(public):
        options = "   :no-members:\n"
    text = f"## {module.__name__}\n\n"
    text += f"```{{eval-rst}}\n.. automodule:: {module.__name__}\n{options}```\n"
    for place, names in sorted(elsewhere.items()):
        text += f"\nIn {place}: {', '.join(f'`{name}`' for name in sorted(names))}.\n"
    return text


def pages() -> dict[Path, str]:
    known = by_hand()
    parts: dict[str, list[ModuleType]] = {}
    for module in public_modules():
        package, part, *_ = module.__name__.split(".")
        parts.setdefault("lab" if package == "yardstone_lab" else part, []).append(module)
    result, single = {}, ["# Single modules\n"]
    for part, modules in parts.items():
        texts = [_section(module, known) for module in modules]
        if len(modules) == 1:
            single += texts
            continue
        whole = "yardstone_lab" if part == "lab" else f"yardstone.{part}"
        head = f"# {whole}\n"
        if modules[0].__name__ != whole:  # it has no section of its own
            head += f"\n{inspect.getdoc(import_module(whole))}\n"
        result[PAGES / f"{part}.md"] = "\n".join([head, *texts])
    result[PAGES / "modules.md"] = "\n".join(single)
    return result


if __name__ == "__main__":
    written = pages()
    for path in set(PAGES.glob("*.md")) - {BY_HAND, *written}:
        path.unlink()  # that of a subpackage that is no more
    for path, text in written.items():
        path.write_text(text, "utf-8")
