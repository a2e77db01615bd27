"""Tables of the documentation, and the commands that are said to have made them."""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import re
import shlex
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from tests.docs.blocks import ROOT, documents, yardstone

FENCE = re.compile(r"^( *)```(.*)\n((?:.*\n)*?)\1```$", re.MULTILINE)
TABLE = re.compile(r"^(\|.*\n)(\| *:?-.*\n)((?:\|.*\n?)+)", re.MULTILINE)
HEADING = re.compile(r"^##+ ", re.MULTILINE)
INLINE = re.compile(r"`((?:python (?:-m |studies/)|yardstone |make |tests/)[^`]+)`")
INDENTED = re.compile(r"^ {4}((?:python -m |yardstone )(?:.*\\\n)*.*)$", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
#: A cell that somebody measured: a decimal, a percentage, or an error.
FIGURE = re.compile(r"\|[^|`]*(?:\d\.\d|\d %|±)")
#: A table of a guide with so many figures says where they are from.
MANY = 6


class Table(NamedTuple):
    page: Path
    line: int
    text: str
    near: str  #: Its section, and of a study what stands before the first and at the page's end.

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def _without_fences(text: str) -> str:
    return FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def tables(page: Path) -> Iterator[Table]:
    """The tables of a page: those of Markdown, and on a page of a study those in ``text``."""
    text, study = page.read_text("utf-8"), page.parent.name == "studies"
    starts = [0, *(each.start() for each in HEADING.finditer(_without_fences(text))), len(text)]
    head, foot = text[: starts[1]], text.rstrip().rpartition("\n\n")[2]
    for start, end in itertools.pairwise(starts):
        section = text[start:end]
        near = "\n\n".join([head, section, foot]) if study else section
        spots = [(each.start(), each[0]) for each in TABLE.finditer(_without_fences(section))]
        if study:
            spots += [(e.start(), e[3]) for e in FENCE.finditer(section) if e[2] == "text"]
        for at, body in sorted(spots):
            if study or len(FIGURE.findall(body)) >= MANY:
                yield Table(page, text.count("\n", 0, start + at) + 1, body, near)


def all_tables() -> list[Table]:
    return [table for page in documents() for table in tables(page)]


def commands(text: str) -> list[str]:
    result = INLINE.findall(text) + INDENTED.findall(text)
    return [" ".join(command.replace("\\\n", " ").split()) for command in result]


def wrong_with(command: str) -> str:
    words = shlex.split(command)
    if words[0].startswith("tests/"):
        return "" if (ROOT / words[0]).exists() else f"there is no {words[0]}"
    if words[0] == "make":
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return "" if words[1] in targets else f"make has no {words[1]}"
    if words[0] == "yardstone":
        named = itertools.takewhile(re.compile(r"[a-z][a-z0-9-]*").fullmatch, words[1:])
        known = _help_of_command(tuple(named))
    else:
        name = words[2] if words[1] == "-m" else words[1].removesuffix(".py").replace("/", ".")
        if find_spec(name) is None:
            return f"there is no {name}"
        known = help_of_module(name)
    unknown = set(OPTION.findall(command)) - set(OPTION.findall(known))
    return f"{command}: no option {sorted(unknown)}" if unknown else ""


@lru_cache
def _help_of_command(names: tuple[str, ...]) -> str:
    status, printed = yardstone([*names, "--help-all"])
    # A file may be named without an ending or a capital, as `yardstone go analyse games`.
    return printed if status == 0 or len(names) <= 1 else _help_of_command(names[:-1])


@lru_cache
def help_of_module(name: str) -> str:
    module = importlib.import_module(name)
    if hasattr(module, "__path__"):
        module = importlib.import_module(f"{name}.__main__")
    source = Path(str(module.__file__)).read_text("utf-8")
    assert "parse_args" in source, f"{name} takes no --help"
    with (
        contextlib.redirect_stdout(io.StringIO()) as printed,
        contextlib.suppress(SystemExit),
        mock.patch("sys.argv", [name, "--help"]),
    ):
        module.main()
    return printed.getvalue()
