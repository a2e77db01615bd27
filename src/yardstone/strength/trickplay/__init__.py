"""Trick plays: local problems set into whole games, and their answers rated.

Neubauer 2024, section 7.2. The names below are loaded when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.strength.trickplay.completion import Completion, complete_problems
    from yardstone.strength.trickplay.problem import Problem, Variation
    from yardstone.strength.trickplay.problem_files import (
        FoundProblems,
        RatedProblems,
        Sought,
        find_problem_files,
        rate_problem_files,
    )
    from yardstone.strength.trickplay.rating import RatedProblem, rate_problems
    from yardstone.strength.trickplay.reading import read_problems

__all__ = [
    "Completion",
    "FoundProblems",
    "Problem",
    "RatedProblem",
    "RatedProblems",
    "Sought",
    "Variation",
    "complete_problems",
    "find_problem_files",
    "rate_problem_files",
    "rate_problems",
    "read_problems",
]

_PLACES = {
    "Completion": "completion",
    "FoundProblems": "problem_files",
    "Problem": "problem",
    "RatedProblem": "rating",
    "RatedProblems": "problem_files",
    "Sought": "problem_files",
    "Variation": "problem",
    "complete_problems": "completion",
    "find_problem_files": "problem_files",
    "rate_problem_files": "problem_files",
    "rate_problems": "rating",
    "read_problems": "reading",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value
