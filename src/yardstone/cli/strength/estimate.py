"""`yardstone strength estimate`: how strong a player is, from the moves of games."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.go.options import (
    Engine,
    EngineName,
    GamePaths,
    Net,
    Output,
    Precision,
    PrecisionName,
    Quiet,
    Strict,
    Threads,
    Visits,
)
from yardstone.cli.options import Form
from yardstone.cli.reading import report_skipped
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.cli.systems import Views
    from yardstone.records.go_game import GoGame
    from yardstone.strength.estimate.calibrate import Calibration
    from yardstone.strength.estimate.estimate import Estimate

__all__ = ["Colour", "Handicap", "ModelFile", "ScaleName", "estimate"]


class ScaleName(StrEnum):
    """Where to show a strength."""

    fox = "fox"
    ogs = "ogs"
    egf = "egf"


class Colour(StrEnum):
    """Whose moves."""

    black = "black"
    white = "white"


ModelFile = Annotated[
    Path | None,
    typer.Option(
        "--model", metavar="FILE", help="Rank model. [default: the one that comes with Yardstone]"
    ),
]
Handicap = Annotated[
    bool,
    typer.Option("--handicap", help="Take handicap games as well, which the model never saw."),
]


def estimate(
    paths: GamePaths,
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="Whose strength. [default: the one player in all games]",
        ),
    ] = None,
    colour: Annotated[
        Colour | None,
        typer.Option("--colour", help="Take this colour's moves of all games, whoever it is."),
    ] = None,
    scale: Annotated[
        ScaleName, typer.Option("--scale", help="Scale to show the strength on.")
    ] = ScaleName.fox,
    calibration: Annotated[
        Path | None,
        typer.Option(
            "--calibration",
            metavar="FILE",
            help="Show a site's ratings, from `strength calibrate`.",
        ),
    ] = None,
    level: Annotated[
        float, typer.Option("--level", metavar="SHARE", help="Players that the intervals hold.")
    ] = 0.9,
    handicap: Handicap = False,
    net: Net = None,
    model: ModelFile = None,
    engine: Engine = EngineName.auto,
    precision: Precision = PrecisionName.fp32,
    threads: Threads = None,
    visits: Visits = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the estimate game by game."),
    ] = None,
    strict: Strict = False,
    form: Form = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Estimate how strong a player is from the moves of some games.

    The result does not count: only how the moves look to a network, and players of
    known rank of the Fox server, 5 kyu to 9 dan. The interval says how sure that is.

    Examples
    --------
    yardstone strength estimate games/*.sgf
    yardstone strength estimate game.sgf --player Anna --scale egf
    yardstone strength estimate games.zip --level 0.95 -o anna.html
    """
    from yardstone.cli.output import chosen_format
    from yardstone.cli.progress import progress_bar
    from yardstone.cli.startup import load_numba
    from yardstone.cli.systems import check_outputs, emit

    chosen = chosen_format(form, output)
    check_outputs(chosen, output, plot=plot, quiet=quiet)
    if not 0.0 < level < 1.0:
        raise UsageError(f"--level {level:g}: write a share between 0 and 1, such as 0.9")
    if colour is not None and player is not None:
        raise UsageError("--player and --colour: name one of them")
    if calibration is not None and scale is not ScaleName.fox:
        raise UsageError("--calibration and --scale: name one of them")
    load_numba()
    from yardstone.go.losses import LossEffort
    from yardstone.pool import SkipReport
    from yardstone.records.sgf import SgfReader
    from yardstone.strength.estimate.calibrate import Calibration
    from yardstone.strength.estimate.estimate import estimate_player
    from yardstone.strength.estimate.games import model_network
    from yardstone.strength.rank.model import RankModel

    shown: str | Calibration = scale.value
    if calibration is not None:
        shown = Calibration.load(calibration)
    ranks = RankModel.load(model)
    if isinstance(shown, Calibration):
        shown.check_model(ranks)
    reader = SgfReader(*paths, strict=strict)
    games = list(reader)
    skipped: SkipReport = reader.skipped
    side = None if colour is None else 1 + (colour is Colour.white)
    if player is None and side is None:
        player = _player(games)
    network = model_network(
        ranks, net, engine=engine.value, precision=precision.value, threads=threads
    )
    found = estimate_player(
        games,
        player,
        colour=side,
        net=network,
        model=ranks,
        scale=shown,
        level=level,
        handicap=handicap,
        effort=None if visits is None else LossEffort(visits),
        skipped=skipped,
        progress=progress_bar("looking at positions", quiet=quiet),
    )
    if plot is not None:
        from yardstone.reports.charts.strength import estimate_chart

        estimate_chart(found.as_dict()).save(plot)
    emit(_views(found), chosen, output)
    report_skipped(skipped, quiet=quiet)


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
        return _asked(error.names)


def _asked(names: dict[str, int]) -> str:
    from yardstone.reports.statements import plural

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


def _views(found: Estimate) -> Views:
    from yardstone.cli.systems import Views
    from yardstone.reports.strength import text as strength_text

    plain = found.as_dict()

    def json() -> str:
        from yardstone.reports.json_out import as_json

        return as_json(plain)

    def html() -> str:
        import yardstone
        from yardstone.reports.strength.estimate_html import estimate_html

        return estimate_html(plain, version=yardstone.__version__)

    return Views(
        text=lambda: strength_text.estimate_text(plain),
        csv=lambda: strength_text.estimate_csv(plain),
        json=json,
        html=html,
        columns=strength_text.COLUMNS,
    )
