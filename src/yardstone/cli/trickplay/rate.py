"""`yardstone trickplay rate`: how strong a player looks who answers so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli import values
from yardstone.cli.go.options import NetworkOptions
from yardstone.cli.options import Confidence
from yardstone.cli.output import Output
from yardstone.cli.progress import stage_bars
from yardstone.cli.strength.estimate import ModelFile, ScaleName
from yardstone.cli.trickplay.options import Boards, ProblemOptions, finish
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.strength.trickplay.rating import Moves

__all__ = ["rate"]


def rate(
    problems: ProblemOptions,
    network: NetworkOptions,
    output: Output,
    *,
    boards: Boards = 5,
    moves: Annotated[
        str,
        typer.Option(
            "--moves",
            metavar="NUMBER",
            help="Answers to rate: all, the first NUMBER, or equal: as many as the shortest "
            "variation has.",
        ),
    ] = "equal",
    history: Annotated[
        bool,
        typer.Option(
            "--history/--no-history",
            help="Show the network the moves before the position, or only the position.",
        ),
    ] = True,
    scale: Annotated[
        ScaleName, typer.Option("--scale", help="Scale to show the ratings on.")
    ] = ScaleName.fox,
    confidence: Confidence = "90",
    model: ModelFile = None,
) -> None:
    """Rate the refutation and the failure of each problem.

    Each position is set into games in which it stands, and each variation is rated by
    the moves of the side to answer alone. A star marks the problems whose failure is
    rated as high as the refutation, or higher.

    Examples
    --------
    yardstone trickplay rate trickplay.txt --games professional.sgf --plot ratings.svg
    yardstone trickplay rate trickplay.txt --games professional.sgf --boards 1 -o problem.json
    """
    output.check(problems.sgf)
    level = values.confidence(confidence)
    rated_moves = _parse_moves(moves)
    from yardstone.reports.trickplay.problems import ratings_document
    from yardstone.strength.default_model import default_model
    from yardstone.strength.trickplay.problem_files import rate_problem_files

    ranks = default_model(model, network.net)
    result = rate_problem_files(
        problems.sought(boards),
        ranks,
        network.load_for(ranks),
        scale=scale.value,
        level=level,
        moves=rated_moves,
        history=history,
        progress=stage_bars(quiet=output.quiet),
    )
    output.emit(ratings_document(result))
    finish(problems, result.found, quiet=output.quiet)


def _parse_moves(text: str) -> Moves:
    """All of them, as many of each variation, or the first ones."""
    if text == "all":
        return "all"
    if text == "equal":
        return "equal"
    if text.isdecimal() and 0 < int(text) < 1000:
        return int(text)
    raise UsageError(f"--moves {text}: write all, equal or a number from 1")
