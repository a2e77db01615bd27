"""Reads problems from SGF and text files; what is none is skipped and reported."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.sources import Source, find_sources
from yardstone.strength.trickplay.sgf_problems import problem_of_tree
from yardstone.strength.trickplay.text_problems import text_problems

if TYPE_CHECKING:
    from yardstone.strength.trickplay.problem import Problem

__all__ = ["read_problems"]

_ENDINGS = (".sgf", ".txt")
#: Text files are small, and there are not more problems than this in a collection.
_MOST_BYTES = 4 << 20
_MOST_PROBLEMS = 10_000


def read_problems(
    *paths: str | os.PathLike[str], bounds: str | None = None, strict: bool = False
) -> tuple[list[Problem], SkipReport]:
    """Read all problems of some files.

    Parameters
    ----------
    *paths : str or path
        SGF files (a problem a record) and text files with diagrams, folders, patterns
        and archives; problem 2 comes before problem 10.
    bounds : str, optional
        Two corners, such as ``H10:T1``: the part of the board that all SGF problems
        show. Without it a record's property VW tells it, or else it is inferred.
    strict : bool
        Raise at the first problem that cannot be used.

    Returns
    -------
    list of Problem, SkipReport

    Raises
    ------
    InputError
        A file does not exist, or no problem can be used.
    StrictError
        With `strict`, at the first problem that cannot be used.
    """
    if not paths:
        raise UsageError("no file of problems is given")
    skipped = SkipReport()
    problems: list[Problem] = []
    for source in sorted(find_sources(paths, _ENDINGS, skipped), key=_natural):
        for problem in _problems(source, bounds):
            if isinstance(problem, Skipped):
                if strict:
                    raise StrictError(problem.reason, file=problem.file, line=problem.line or None)
                skipped.add(problem)
            elif len(problems) == _MOST_PROBLEMS:
                raise InputError(f"more than {_MOST_PROBLEMS:,} problems", file=source.name)
            else:
                problems.append(problem)
    if not problems:
        if skipped.details:
            first = skipped.details[0]
            raise NoGamesError(
                f"no problem can be used: {first.reason}", file=first.file, line=first.line or None
            )
        raise NoGamesError("there are no problems")
    return problems, skipped


def _natural(source: Source) -> list[tuple[int, int, str]]:
    """Order by name, with numbers in it as numbers."""
    parts = re.split(r"([0-9]{1,18})", source.name)
    return [(1, int(part), "") if k % 2 else (0, 0, part) for k, part in enumerate(parts)]


def _problems(source: Source, bounds: str | None) -> Iterator[Problem | Skipped]:
    from yardstone.records.sgf import SgfReader

    if source.ending == ".txt":
        yield from _from_text(source)
        return
    stem = PurePath(source.name).name.split(".")[0] or source.name
    reader = SgfReader(source)
    for tree in reader.trees():
        try:
            name = stem if tree.number == 1 else f"{stem} #{tree.number}"
            yield problem_of_tree(tree, name, bounds)
        except InputError as error:
            yield Skipped(source.name, error.line or tree.line, _reason(error))
    yield from reader.skipped.details


def _from_text(source: Source) -> Iterator[Problem | Skipped]:
    try:
        text = source.content(_MOST_BYTES).decode("utf-8-sig", "replace")
    except InputError as error:
        yield Skipped(source.name, 0, error.message)
        return
    yield from text_problems(text.splitlines(), source.name)


def _reason(error: InputError) -> str:
    return error.message + ("" if error.hint is None else f" ({error.hint})")
