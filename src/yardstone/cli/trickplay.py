"""`yardstone trickplay`: local problems found in games, and their answers rated."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from yardstone.cli.declare import (
    Confidence,
    Strict,
    WorkOptions,
    advanced,
    argument,
    bundle,
    option,
    target,
)
from yardstone.cli.go import NetworkOptions, Quiet
from yardstone.cli.output import Output, TableOutput, report_skipped
from yardstone.cli.strength import ModelFile, ScaleName
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.strength.trickplay.rating import FoundProblems, Moves, Sought


Boards = Annotated[int, option("Games for each problem.", min=1)]


@bundle
class ProblemOptions(WorkOptions):
    """Options of a command that looks for problems in games."""

    PANEL: ClassVar[str] = "Problems"

    paths: list[str] = argument(
        "SGF files with variations or text files with diagrams, folders or archives.",
        metavar="PROBLEMS",
    )
    games: list[str] = option(
        "An index from `trickplay index`, or files of games. Repeatable.",
        default=...,
        metavar="FILE",
    )
    bounds: str | None = advanced(
        "Part of the board that SGF problems show, such as H10:T1. [default: VW of the record, or "
        "inferred]",
        metavar="CORNERS",
    )
    reduce: int = advanced(
        "Stones to remove, at most, from a position that does not occur.",
        default=3,
        metavar="STONES",
        min=0,
        max=6,
    )
    seed: int | None = advanced(
        "Choose games at random by this seed. [default: those with the position earliest]", min=0
    )
    change: list[str] | None = advanced(
        "Change the completed board of a problem, such as 24=black:K4,empty:D3. Repeatable.",
        metavar="PROBLEM=STONES",
    )
    sgf: Path | None = target("Write the completed boards with the variations.", advanced=True)
    strict: Strict = False

    def sought(self, boards: int) -> Sought:
        """The same, as the library takes it."""
        from yardstone.strength.trickplay.rating import Sought

        return Sought(
            self.paths,
            self.games,
            bounds=self.bounds,
            boards=boards,
            reduce=self.reduce,
            seed=self.seed,
            changes=self.change or (),
            strict=self.strict,
        )


def finish(options: ProblemOptions, result: FoundProblems) -> None:
    """Write the boards as SGF if they are wanted, a record each, and say what was skipped."""
    if options.sgf is not None:
        from yardstone.files import write_text
        from yardstone.reports.trickplay import boards_sgf

        write_text(options.sgf, boards_sgf(result.completions))
        if not any(completion.boards for completion in result.completions):
            print(f"yardstone: no board to write to {options.sgf}", file=sys.stderr)
    report_skipped(result.unread)
    report_skipped(result.skipped)


def index(
    paths: list[str] = argument(
        "SGF files or lists of moves, folders, patterns or archives of them.", metavar="FILES"
    ),
    output: Path = option("Index to write.", "--output", "-o", default=..., writes="beside"),
    *,
    work: WorkOptions,
    quiet: Quiet = False,
) -> None:
    """Build an index of games that makes searches fast.

    A game that occurs twice is taken once. The same command goes on where it was
    stopped; what has been read so far is kept beside the index until it is complete.

    Examples:
        yardstone trickplay index professional.sgf -o games.idx
    """
    from yardstone.go.patterns import build_index
    from yardstone.reports.words import plural

    games, skipped = build_index(paths, output)
    report_skipped(skipped)
    if not quiet:
        again = games.facts["duplicates"]
        note = f"; {plural(again, 'game')} occurred again" if again else ""
        print(f"{plural(len(games), 'game')}, {games.positions:,} positions in {output}{note}")


def find(problems: ProblemOptions, output: TableOutput, boards: Boards = 1) -> None:
    """Find the positions of problems in games, in any orientation.

    All eight symmetries, and the colours as they are and exchanged. No network is
    needed.

    Examples:
        yardstone trickplay find trickplay.txt --games professional.sgf
        yardstone trickplay find trickplay.txt --games professional.sgf --sgf found.sgf
    """
    from yardstone.reports.trickplay import found_document
    from yardstone.strength.trickplay.rating import find_problem_files

    result = find_problem_files(problems.sought(boards))
    output.emit(found_document(result))
    finish(problems, result)


def _parse_moves(text: str, option: str) -> Moves:
    """All of them, as many of each variation, or the first ones."""
    if text == "all":
        return "all"
    if text == "equal":
        return "equal"
    if text.isdecimal() and 0 < int(text) < 1000:
        return int(text)
    raise UsageError(f"{option} {text}: write all, equal or a number from 1")


def rate(
    problems: ProblemOptions,
    network: NetworkOptions,
    output: Output,
    *,
    boards: Boards = 5,
    moves: Any = advanced(
        "Answers to rate: all, the first NUMBER, or equal: as many as the shortest variation has.",
        default="equal",
        read=_parse_moves,
        metavar="NUMBER",
    ),
    history: bool = advanced(
        "Show the network the moves before the position, or only the position.", default=True
    ),
    scale: ScaleName = option("Scale to show the ratings on.", default="fox"),
    confidence: Confidence = 90,
    model: ModelFile = None,
) -> None:
    """Rate the refutation and the failure of each problem.

    Each position is set into games in which it stands, and each variation is rated by
    the moves of the side to answer alone. A star marks the problems whose failure is
    rated as high as the refutation, or higher.

    Examples:
        yardstone trickplay rate trickplay.txt --games professional.sgf -o ratings.svg
        yardstone trickplay rate trickplay.txt --games professional.sgf --boards 1 -o problem.json
    """
    from yardstone.reports.trickplay import ratings_document
    from yardstone.strength.model import default_model
    from yardstone.strength.trickplay.rating import rate_problem_files

    ranks = default_model(model, network.net)
    result = rate_problem_files(
        problems.sought(boards),
        ranks,
        network.load_for(ranks),
        scale=scale,
        level=confidence,
        moves=moves,
        history=history,
    )
    output.emit(ratings_document(result))
    finish(problems, result.found)
