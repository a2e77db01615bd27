"""`yardstone trickplay rate`: how strong a player looks who answers so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.go.options import (
    Engine,
    EngineName,
    Net,
    Output,
    Precision,
    PrecisionName,
    Quiet,
    Strict,
    Threads,
)
from yardstone.cli.options import Form
from yardstone.cli.reading import report_skipped
from yardstone.cli.strength.estimate import ModelFile, ScaleName
from yardstone.cli.trickplay.options import (
    Boards,
    Bounds,
    Changes,
    Games,
    Problems,
    Reduce,
    Seed,
    Sgf,
    Workers,
    completed,
    opened,
    write_boards,
)
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.cli.systems import Views
    from yardstone.reports.trickplay.report import TrickplayReport
    from yardstone.strength.trickplay.rating import Moves

__all__ = ["rate"]


def rate(
    paths: Problems,
    games: Games,
    bounds: Bounds = None,
    boards: Boards = 5,
    reduce: Reduce = 3,
    seed: Seed = None,
    change: Changes = None,
    moves: Annotated[
        str,
        typer.Option(
            "--moves",
            metavar="NUMBER",
            help="Answering moves that are rated: all, the first NUMBER, or equal: as many "
            "as the shortest variation has.",
        ),
    ] = "equal",
    history: Annotated[
        bool,
        typer.Option(
            "--history/--no-history",
            help="Show the network the moves that led to the position, or set it up.",
        ),
    ] = True,
    scale: Annotated[
        ScaleName, typer.Option("--scale", help="Scale to show the ratings on.")
    ] = ScaleName.fox,
    level: Annotated[
        float, typer.Option("--level", metavar="SHARE", help="Players that the intervals hold.")
    ] = 0.9,
    net: Net = None,
    model: ModelFile = None,
    engine: Engine = EngineName.auto,
    precision: Precision = PrecisionName.fp32,
    threads: Threads = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the ratings.")
    ] = None,
    sgf: Sgf = None,
    strict: Strict = False,
    workers: Workers = None,
    form: Form = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Rate the refutation and the failure of each problem.

    Each position is set into games in which it stands, and each variation is rated by
    the moves of the side to answer alone. A star marks the problems whose failure is
    rated as high as the refutation, or higher.

    Examples
    --------
    yardstone trickplay rate problems/ --games games.idx --plot ratings.svg
    yardstone trickplay rate problem.sgf --games games.idx --boards 10 -o problem.json
    """
    from yardstone.cli.output import chosen_format
    from yardstone.cli.progress import progress_bar
    from yardstone.cli.startup import load_numba
    from yardstone.cli.systems import check_outputs, emit

    chosen = chosen_format(form, output)
    check_outputs(chosen, output, None, sgf, plot=plot, quiet=quiet)
    if not 0.0 < level < 1.0:
        raise UsageError(f"--level {level:g}: write a share between 0 and 1, such as 0.9")
    rated_moves = _parse_moves(moves)
    load_numba()
    from yardstone.reports.trickplay.report import TrickplayReport
    from yardstone.strength.estimate.games import model_network
    from yardstone.strength.estimate.site_scales import site_scale
    from yardstone.strength.rank.model import RankModel
    from yardstone.strength.trickplay import rate_problems, read_problems

    ranks = RankModel.load(model)
    problems, skipped = read_problems(*paths, bounds=bounds, strict=strict)
    network = model_network(
        ranks, net, engine=engine.value, precision=precision.value, threads=threads
    )
    with opened(games, workers=workers, quiet=quiet) as index:
        found = completed(
            problems, index, boards=boards, reduce=reduce, seed=seed, changes=change,
            workers=workers, quiet=quiet,
        )  # fmt: skip
        rated = rate_problems(
            found, ranks, network, level=level, moves=rated_moves, history=history,
            progress=progress_bar("looking at positions", quiet=quiet),
        )  # fmt: skip
        report = TrickplayReport(
            rated,
            site_scale(scale.value),
            level,
            rated_moves,
            network.name,
            str(ranks.card["name"]),
            len(index),
            index.positions,
            skipped,
        )
    if sgf is not None:
        write_boards(sgf, found)
    if plot is not None:
        from yardstone.reports.charts.trickplay import trickplay_chart

        trickplay_chart(report).save(plot)
    emit(_views(report), chosen, output)
    report_skipped(skipped, quiet=quiet)


def _parse_moves(text: str) -> Moves:
    """What `--moves` says."""
    if text == "all":
        return "all"
    if text == "equal":
        return "equal"
    if text.isdecimal() and 0 < int(text) < 1000:
        return int(text)
    raise UsageError(f"--moves {text}: write all, equal or a number from 1")


def _views(report: TrickplayReport) -> Views:
    from yardstone.cli.systems import Views
    from yardstone.reports.trickplay import report as trickplay
    from yardstone.reports.trickplay.text import text_trickplay

    def json() -> str:
        from yardstone.reports.json_out import as_json

        return as_json(trickplay.plain_trickplay(report))

    def html() -> str:
        import yardstone
        from yardstone.reports.trickplay.plot import html_trickplay

        return html_trickplay(report, version=yardstone.__version__)

    return Views(
        text=lambda: text_trickplay(report),
        csv=lambda: trickplay.rows_csv(trickplay.trickplay_rows(report), trickplay.COLUMNS),
        json=json,
        html=html,
        columns=trickplay.COLUMNS,
    )
