"""Plug-ins: what other packages add to Yardstone by entry points.

A package names what it adds in its ``pyproject.toml``, in one of three groups:

- ``yardstone.commands``: a command, as ``"strength.train" = "package.module:train"``, with dots
  between its words; a function, a `yardstone.cli.table.Command` or a `Family` of them.
- ``yardstone.systems``: a rating system by its name; a class or a
  `yardstone.ratings.systems.SystemEntry`.
- ``yardstone.models``: a kind of model of strength; a `yardstone.strength.scorers.Scorer`.

What is built in comes first: a plug-in adds names, and changes none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from yardstone.errors import YardstoneError

COMMANDS, SYSTEMS, MODELS = "yardstone.commands", "yardstone.systems", "yardstone.models"
_INSTALLED = (".dist-info", ".egg-info")


@cache
def declared(group: str) -> Mapping[str, str]:
    """Return the names that installed packages add to a group, with their ``module:object``.

    The files are read here and not by `importlib.metadata`, whose import alone takes half the
    time in which a command starts.
    """
    found: dict[str, str] = {}
    for text in _entry_points():
        section = ""
        for line in map(str.strip, text.splitlines()):
            if line.startswith("["):
                section = line.strip("[]")
            elif section == group and "=" in line:
                name, _, place = line.partition("=")
                found.setdefault(name.strip(), place.partition("[")[0].strip())
    return found


def load(group: str, name: str) -> Any:
    """Load what a plug-in adds under a name.

    Raises:
        YardstoneError: It cannot be imported; the message names it.
    """
    place = declared(group)[name]
    module, _, path = place.partition(":")
    try:
        value: Any = import_module(module)
        for part in path.split("."):
            value = getattr(value, part)
    except Exception as error:
        raise YardstoneError(
            f"the plug-in {place} ({group}, {name}) cannot be loaded: {error}"
        ) from error
    return value


def _entry_points() -> Iterator[str]:
    """Yield the entry points of each installed package that names a group of ours."""
    for folder in sys.path:
        try:
            with os.scandir(folder or ".") as entries:
                installed = sorted(each.path for each in entries if each.name.endswith(_INSTALLED))
        except OSError:
            continue
        for path in installed:
            try:
                with open(f"{path}/entry_points.txt", "rb") as file:  # noqa: PTH123, a Path is slow
                    content = file.read()
            except OSError:
                continue
            if b"[yardstone." in content:
                yield content.decode("utf-8", "replace")
