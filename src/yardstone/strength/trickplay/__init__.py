"""Trick plays: local problems set into whole games, and their answers rated.

Neubauer 2024, section 7.2. The names below are loaded when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.strength.trickplay.completion import Completion as Completion
    from yardstone.strength.trickplay.completion import complete_problems as complete_problems
    from yardstone.strength.trickplay.problems import Problem as Problem
    from yardstone.strength.trickplay.problems import Variation as Variation
    from yardstone.strength.trickplay.problems import read_problems as read_problems
    from yardstone.strength.trickplay.rating import FoundProblems as FoundProblems
    from yardstone.strength.trickplay.rating import RatedProblem as RatedProblem
    from yardstone.strength.trickplay.rating import RatedProblems as RatedProblems
    from yardstone.strength.trickplay.rating import Sought as Sought
    from yardstone.strength.trickplay.rating import find_problem_files as find_problem_files
    from yardstone.strength.trickplay.rating import rate_problem_files as rate_problem_files
    from yardstone.strength.trickplay.rating import rate_problems as rate_problems


__dir__, __getattr__ = lazy_names(__name__)
