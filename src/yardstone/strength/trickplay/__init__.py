"""Trick plays: local problems set into whole games, and their answers rated.

Neubauer 2024, section 7.2. The names below are loaded when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.strength.trickplay.completion import Completion, complete_problems
    from yardstone.strength.trickplay.problems import Problem, Variation, read_problems
    from yardstone.strength.trickplay.rating import (
        FoundProblems,
        RatedProblem,
        RatedProblems,
        Sought,
        find_problem_files,
        rate_problem_files,
        rate_problems,
    )

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

__getattr__ = lazy_names(
    __name__,
    {
        "completion": ("Completion", "complete_problems"),
        "problems": ("Problem", "Variation", "read_problems"),
        "rating": (
            "FoundProblems",
            "RatedProblem",
            "RatedProblems",
            "Sought",
            "find_problem_files",
            "rate_problem_files",
            "rate_problems",
        ),
    },
)
