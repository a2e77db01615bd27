"""What the subcommands of `trickplay` share: options, and how they find their boards."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.reading import report_skipped
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.go.patterns import GameIndex
    from yardstone.strength.trickplay import Completion, Problem

__all__ = [
    "Boards",
    "Bounds",
    "Changes",
    "Games",
    "Problems",
    "Reduce",
    "Seed",
    "Sgf",
    "Workers",
    "completed",
    "opened",
    "write_boards",
]

Problems = Annotated[
    list[str],
    typer.Argument(
        metavar="PROBLEMS",
        help="SGF files with variations or text files with diagrams, folders or archives.",
        show_default=False,
    ),
]
Games = Annotated[
    list[str],
    typer.Option(
        "--games",
        metavar="FILE",
        help="An index from `trickplay index`, or files of games. Repeatable.",
        show_default=False,
    ),
]
Bounds = Annotated[
    str | None,
    typer.Option(
        "--bounds",
        metavar="CORNERS",
        help="Part of the board that SGF problems show, such as H10:T1. "
        "[default: VW of the record, or inferred]",
    ),
]
Boards = Annotated[
    int, typer.Option("--boards", metavar="NUMBER", min=1, help="Games for each problem.")
]
Reduce = Annotated[
    int,
    typer.Option(
        "--reduce",
        metavar="STONES",
        min=0,
        max=6,
        help="Stones taken off a position that does not occur, and put back.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="NUMBER",
        min=0,
        help="Take games at random. [default: those in which the position came earliest]",
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--change",
        metavar="PROBLEM=STONES",
        help="Change the completed boards of a problem by hand, such as "
        "24=black:K4,empty:D3. Repeatable.",
    ),
]
Sgf = Annotated[
    Path | None,
    typer.Option("--sgf", metavar="FILE", help="Write the completed boards with the variations."),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="NUMBER", min=1, help="Processors to use; all by default."),
]
_COLOURS = {"black": 1, "b": 1, "white": 2, "w": 2, "empty": 0, "e": 0}


@contextmanager
def opened(paths: Sequence[str], *, workers: int | None, quiet: bool) -> Iterator[GameIndex]:
    """The index named, or one of the games named that is gone afterwards."""
    from yardstone.cli.progress import progress_bar
    from yardstone.go.patterns import GameIndex, build_index

    if len(paths) == 1 and _is_index(Path(paths[0])):
        yield GameIndex(paths[0])
        return
    if any(_is_index(Path(path)) for path in paths):
        raise UsageError("--games: name one index, or files of games")
    with tempfile.TemporaryDirectory(prefix="yardstone-") as folder:
        made, skipped = build_index(
            paths,
            Path(folder) / "games.idx",
            workers=workers,
            progress=progress_bar("reading games", quiet=quiet),
        )
        report_skipped(skipped, quiet=quiet)
        yield made


def _is_index(path: Path) -> bool:
    from yardstone.go.patterns.index_file import MARK

    try:
        with path.open("rb") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


def completed(
    problems: Sequence[Problem],
    index: GameIndex,
    *,
    boards: int,
    reduce: int,
    seed: int | None,
    changes: Sequence[str] | None,
    workers: int | None,
    quiet: bool,
) -> list[Completion]:
    """The problems on boards of games."""
    from yardstone.cli.progress import progress_bar
    from yardstone.strength.trickplay import complete_problems

    return complete_problems(
        problems,
        index,
        boards=boards,
        reduce=reduce,
        seed=seed,
        changes=_parse_changes(changes or (), problems),
        workers=workers,
        progress=progress_bar("searching", quiet=quiet),
    )


def _parse_changes(
    texts: Sequence[str], problems: Sequence[Problem]
) -> dict[str, list[tuple[int, int]]]:
    """What `--change` says, by the name of the problem."""
    from yardstone.go.points import PASS, point_number

    sizes = {problem.name: problem.size for problem in problems}
    found: dict[str, list[tuple[int, int]]] = {}
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
            found.setdefault(name, []).append((place, _COLOURS[colour.lower()]))
    return found


def write_boards(path: Path, completions: Sequence[Completion]) -> None:
    """Write every completed board with its variations as SGF, a record each."""
    from yardstone.files import write_text
    from yardstone.reports.trickplay.sgf import boards_sgf

    write_text(path, boards_sgf(completions))
    if not any(completion.boards for completion in completions):
        print(f"yardstone: no board to write to {path}", file=sys.stderr)
