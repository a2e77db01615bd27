"""Packages whose names are loaded when they are used, so that importing them costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[list[str], Callable[[], list[str]], Callable[[str], Any]]:
    """The ``__all__``, ``__dir__`` and ``__getattr__`` of a package.

    Args:
        package: Its ``__name__``.
        modules: The public names, spaced, by their module: below the package, or with a point
            before it beside the package. NAME=THERE is another there, and listed by the package.
    """
    places: dict[str, tuple[str, str]] = {}
    for module, names in modules.items():
        for name, _, there in (each.partition("=") for each in names.split()):
            places[name] = module, there or name
    listed = sorted(name for name, (_, there) in places.items() if name == there)

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, there = places[name]
        value = getattr(import_module(f".{module}", package), there)
        setattr(sys.modules[package], name, value)
        return value

    return listed, lambda: sorted({*vars(sys.modules[package]), *places}), load
