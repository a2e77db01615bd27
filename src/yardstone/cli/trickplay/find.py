"""`yardstone trickplay find`: games in which the positions of problems stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.cli.go.options import Output, Quiet, Strict
from yardstone.cli.options import Form
from yardstone.cli.reading import report_skipped
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yardstone.cli.systems import Views
    from yardstone.go.patterns import GameIndex
    from yardstone.pool import SkipReport
    from yardstone.strength.trickplay import Completion

__all__ = ["find"]


def find(
    paths: Problems,
    games: Games,
    bounds: Bounds = None,
    boards: Boards = 1,
    reduce: Reduce = 3,
    seed: Seed = None,
    change: Changes = None,
    sgf: Sgf = None,
    strict: Strict = False,
    workers: Workers = None,
    form: Form = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Find the positions of problems in games, whichever way they lie.

    All eight symmetries, and the colours as they are and exchanged. No network is
    needed.

    Examples
    --------
    yardstone trickplay find problems.sgf --games games.idx
    yardstone trickplay find joseki.txt --games games.zip --sgf found.sgf
    """
    from yardstone.cli.output import chosen_format
    from yardstone.cli.startup import load_numba
    from yardstone.cli.systems import check_outputs, emit

    chosen = chosen_format(form, output)
    check_outputs(chosen, output, None, sgf, quiet=quiet)
    load_numba()
    from yardstone.strength.trickplay import read_problems

    problems, skipped = read_problems(*paths, bounds=bounds, strict=strict)
    with opened(games, workers=workers, quiet=quiet) as index:
        found = completed(
            problems, index, boards=boards, reduce=reduce, seed=seed, changes=change,
            workers=workers, quiet=quiet,
        )  # fmt: skip
        if sgf is not None:
            write_boards(sgf, found)
        emit(_views(found, index, skipped), chosen, output)
    report_skipped(skipped, quiet=quiet)


def _views(found: Sequence[Completion], index: GameIndex, skipped: SkipReport) -> Views:
    from yardstone.cli.systems import Views
    from yardstone.reports.trickplay import report as report
    from yardstone.reports.trickplay.text import text_found

    def csv() -> str:
        rows = [report.found_row(each) for each in found]
        return report.rows_csv(rows, report.FOUND_COLUMNS)

    def json() -> str:
        from yardstone.reports.json_out import as_json

        return as_json(report.plain_found(found, skipped))

    def html() -> str:
        import yardstone
        from yardstone.reports.trickplay.plot import html_found

        return html_found(found, len(index), index.positions, version=yardstone.__version__)

    return Views(
        text=lambda: text_found(found, len(index), index.positions),
        csv=csv,
        json=json,
        html=html,
        columns=report.FOUND_COLUMNS,
    )
