"""Problems in files, found in games and rated: from the names of files to a plain result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.errors import InputError, UsageError
from yardstone.files import scratch_folder
from yardstone.go.patterns.index import MARK, GameIndex, build_index
from yardstone.go.points import PASS, point_number
from yardstone.pool import SkipReport
from yardstone.strength.estimate.site_scales import site_scale
from yardstone.strength.trickplay.completion import complete_problems
from yardstone.strength.trickplay.rating import rate_problems
from yardstone.strength.trickplay.reading import read_problems

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network
    from yardstone.strength.estimate.site_scales import SiteScale
    from yardstone.strength.model import StrengthModel
    from yardstone.strength.trickplay.completion import Completion
    from yardstone.strength.trickplay.problem import Problem
    from yardstone.strength.trickplay.rating import Moves, RatedProblem

__all__ = ["FoundProblems", "RatedProblems", "Sought", "find_problem_files", "rate_problem_files"]

Progress = Callable[[str, int, int], None]
_COLOURS = {"black": 1, "b": 1, "white": 2, "w": 2, "empty": 0, "e": 0}


@dataclass(frozen=True, slots=True)
class Sought:
    """Which problems are looked for, in which games, and how.

    Attributes
    ----------
    problems : sequence of str
        Files of problems.
    games : sequence of str
        An index, or files of games.
    bounds : str, optional
        Part of the board that SGF problems show, as `read_problems` has it.
    boards, reduce, seed : optional
        As `complete_problems` has them.
    changes : sequence of str
        Stones put on the boards of a problem by hand: ``24=black:K4,empty:D3``.
    strict : bool
        Raise at the first problem that cannot be used.
    workers : int, optional
    """

    problems: Sequence[str]
    games: Sequence[str]
    bounds: str | None = None
    boards: int = 1
    reduce: int = 3
    seed: int | None = None
    changes: Sequence[str] = ()
    strict: bool = False
    workers: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FoundProblems:
    """Problems on boards of games.

    Attributes
    ----------
    completions : sequence of Completion
    games, positions : int
        Of the index.
    skipped : SkipReport
        Problems that could not be used.
    unread : SkipReport
        Games that could not be, where an index was made of them.
    """

    completions: Sequence[Completion]
    games: int
    positions: int
    skipped: SkipReport
    unread: SkipReport


@dataclass(frozen=True, slots=True, eq=False)
class RatedProblems:
    """Rated problems, and what they were rated with.

    Attributes
    ----------
    problems : sequence of RatedProblem
    scale : SiteScale
        On which ratings are shown.
    level : float
        Of the intervals, 0 to 1.
    moves : int or str
        Which moves were rated, as `rate_problems` has it.
    network, model : str
    found : FoundProblems
    """

    problems: Sequence[RatedProblem]
    scale: SiteScale
    level: float
    moves: Moves
    network: str
    model: str
    found: FoundProblems

    @property
    def compared(self) -> list[RatedProblem]:
        """Problems with a refutation and a failure."""
        return [problem for problem in self.problems if problem.difference is not None]

    def difference(self, problem: RatedProblem) -> float | None:
        """Refutation less failure on the scale shown."""
        if problem.refutation is None or problem.failure is None:
            return None
        rate = self.scale.rating
        difference = rate(problem.refutation.rating) - rate(problem.failure.rating)
        return round(float(difference), self.scale.digits) + 0.0


def find_problem_files(sought: Sought, *, progress: Progress | None = None) -> FoundProblems:
    """Find the positions of problems in games.

    Parameters
    ----------
    sought : Sought
    progress : callable, optional
        Called with what is being done, how much of it is done and how much there is.

    Raises
    ------
    InputError
        A file does not exist or is damaged, or no problem can be used.
    """
    problems, skipped = read_problems(*sought.problems, bounds=sought.bounds, strict=sought.strict)
    note = _noting(progress)
    with _index(sought, note("reading games")) as (index, unread):
        completions = complete_problems(
            problems,
            index,
            boards=sought.boards,
            reduce=sought.reduce,
            seed=sought.seed,
            changes=_changes(sought.changes, problems),
            workers=sought.workers,
            progress=note("searching"),
        )
        return FoundProblems(completions, len(index), index.positions, skipped, unread)


def rate_problem_files(
    sought: Sought,
    model: StrengthModel,
    network: Network,
    *,
    scale: str = "fox",
    level: float = 0.9,
    moves: Moves = "equal",
    history: bool = True,
    progress: Progress | None = None,
) -> RatedProblems:
    """Find problems in games, and rate their variations.

    The parameters are those of `find_problem_files` and `rate_problems`; `scale` is the one
    to show the ratings on.
    """
    shown_scale = site_scale(scale)
    found = find_problem_files(sought, progress=progress)
    rated = rate_problems(
        found.completions,
        model,
        network,
        scale=shown_scale.basis,
        level=level,
        moves=moves,
        history=history,
        progress=_noting(progress)("looking at positions"),
    )
    name = str(model.card["name"])
    return RatedProblems(rated, shown_scale, level, moves, network.name, name, found)


def _noting(progress: Progress | None) -> Callable[[str], Callable[[int, int], None] | None]:
    return lambda stage: None if progress is None else partial(progress, stage)


@contextmanager
def _index(
    sought: Sought, progress: Callable[[int, int], None] | None
) -> Iterator[tuple[GameIndex, SkipReport]]:
    """The index named, or one of the games named that is gone afterwards."""
    paths = sought.games
    if len(paths) == 1 and _is_index(Path(paths[0])):
        yield GameIndex(paths[0]), SkipReport()
        return
    if any(_is_index(Path(path)) for path in paths):
        raise UsageError("--games: name one index, or files of games")
    with scratch_folder() as folder:
        place = folder / "games.idx"
        yield build_index(paths, place, workers=sought.workers, progress=progress)


def _is_index(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


def _changes(texts: Sequence[str], problems: Sequence[Problem]) -> dict[str, list[tuple[int, int]]]:
    """Points and colours by the name of the problem."""
    sizes = {problem.name: problem.size for problem in problems}
    changes: dict[str, list[tuple[int, int]]] = {}
    for text in texts:
        name, equals, stones = text.rpartition("=")
        if not equals or not stones:
            raise UsageError(f"--change {text}: write PROBLEM=COLOUR:POINT,…")
        if name not in sizes:
            raise UsageError(f"--change {text}: there is no problem {name!r}")
        for stone in stones.split(","):
            colour, _, point = stone.strip().partition(":")
            if colour.lower() not in _COLOURS:
                raise UsageError(f"--change {text}: {colour!r} is not black, white or empty")
            try:
                place = point_number(point, sizes[name])
            except InputError as error:
                raise UsageError(f"--change {text}: {error}") from None
            if place == PASS:
                raise UsageError(f"--change {text}: name a point")
            changes.setdefault(name, []).append((place, _COLOURS[colour.lower()]))
    return changes
