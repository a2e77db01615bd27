"""`yardstone strength estimate`: how strong a player is, from the moves of games."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.go.options import GamePaths, NetworkOptions, Strict, Visits
from yardstone.cli.output import Output
from yardstone.cli.reading import report_skipped
from yardstone.cli.values import confidence as parse_confidence
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = ["Colour", "Handicap", "ModelFile", "ScaleName", "estimate"]


class ScaleName(StrEnum):
    """Where to show a strength."""

    fox = "fox"
    ogs = "ogs"
    ogs_2020 = "ogs-2020"
    egf = "egf"


class Colour(StrEnum):
    """Whose moves."""

    black = "black"
    white = "white"


ModelFile = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME|FILE",
        help="Model of strength: joint, rank, full, basic, stochastic or small, or a file. "
        "[default: joint; small without its network]",
    ),
]
Handicap = Annotated[
    bool,
    typer.Option("--handicap", help="Also use handicap games, on which the model was not trained."),
]


def estimate(
    paths: GamePaths,
    *,
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="Player to estimate. [default: the one who is in all games]",
        ),
    ] = None,
    colour: Annotated[
        Colour | None,
        typer.Option("--colour", help="Use this colour's moves in all games, whoever played it."),
    ] = None,
    scale: Annotated[
        ScaleName | None,
        typer.Option(
            "--scale",
            help="Scale to show the strength on. [default: fox; ogs for the weaker]",
        ),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(
            "--calibration",
            metavar="FILE",
            help="Show ratings of a site, by a file from `strength calibrate`.",
        ),
    ] = None,
    confidence: Annotated[
        str, typer.Option(metavar="LEVEL", help="Confidence level of the intervals, in per cent.")
    ] = "90",
    handicap: Handicap = False,
    network: NetworkOptions,
    model: ModelFile = None,
    visits: Visits = None,
    strict: Strict = False,
    output: Output,
) -> None:
    """Estimate how strong a player is from the moves of their games.

    The result does not count: only how the moves look to a network, and players of
    known rank of Fox and OGS, 30 kyu to 9 dan. The interval says how sure that is.

    Examples
    --------
    yardstone strength estimate professional.sgf --colour black
    yardstone strength estimate professional.sgf --player 'Park Junghwan' --scale egf
    yardstone strength estimate professional.sgf --colour white --confidence 95 -o white.html
    """
    level = parse_confidence(confidence)
    output.check()
    if colour is not None and player is not None:
        raise UsageError("--player and --colour: name one of them")
    if calibration is not None and scale is not None:
        raise UsageError("--calibration and --scale: name one of them")
    from yardstone.go.losses import LossEffort
    from yardstone.records.sgf import SgfReader
    from yardstone.reports.strength.estimate import estimate_document
    from yardstone.strength.default_model import default_model
    from yardstone.strength.estimate.calibrate import Calibration
    from yardstone.strength.estimate.estimate import estimate_player
    from yardstone.strength.estimate.games import model_network

    ranks = default_model(model, network.net)
    target: str | Calibration | None = None if scale is None else scale.value
    if calibration is not None:
        target = Calibration.load(calibration)
        target.check_model(ranks)
    reader = SgfReader(*paths, strict=strict)
    games = list(reader)
    side = None if colour is None else 1 + (colour is Colour.white)
    if player is None and side is None:
        player = _player(games)
    result = estimate_player(
        games,
        player,
        colour=side,
        net=model_network(ranks, **network.as_arguments()),
        model=ranks,
        scale=target,
        level=level,
        handicap=handicap,
        effort=None if visits is None else LossEffort(visits),
        skipped=reader.skipped,
        progress=output.progress("looking at positions"),
    )
    output.emit(estimate_document(result.as_dict()))
    report_skipped(reader.skipped, quiet=output.quiet)


def _player(games: list[GoGame]) -> str | None:
    """The player in all games; on a terminal a question where that is not clear."""
    from yardstone.strength.estimate.players import AmbiguousPlayerError, find_player, unique_games

    different, _ = unique_games(games)
    if not different:
        return None
    try:
        return find_player(different)
    except AmbiguousPlayerError as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        return _chosen_name(error.names)


def _chosen_name(names: dict[str, int]) -> str:
    from yardstone.reports.words import plural

    listed = list(names.items())[:20]
    print("Whose strength?", file=sys.stderr)
    for number, (name, games) in enumerate(listed, 1):
        print(f"  {number}  {name} ({plural(games, 'game')})", file=sys.stderr)
    print("Number or name: ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline().strip()
    if not answer:
        raise UsageError("nobody is named")
    if answer.isdecimal() and 1 <= int(answer) <= len(listed):
        return listed[int(answer) - 1][0]
    return answer
