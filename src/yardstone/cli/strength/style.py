"""`yardstone strength style`: ranks from tables of style features, without a network."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.options import WorkOptions
from yardstone.cli.output import TableOutput

__all__ = ["style"]


def style(
    tables: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="Tables of features (Orange's .tab): one, or several of the same players; also "
            "folders and archives.",
            show_default=False,
        ),
    ],
    *,
    others: Annotated[
        list[str] | None,
        typer.Option(
            "--predict",
            metavar="FILE",
            help="Rate the players of this table of the same features. Repeatable, for features "
            "in several files.",
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Parts of the cross-validation.")
    ] = 10,
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Seed of the division into parts.")
    ] = 0,
    work: WorkOptions,
    output: TableOutput,
) -> None:
    """Predict ranks from features of style, and test the prediction.

    Every player is predicted from the players of the other parts. With --predict the
    model learns from all of the first tables and rates the players of another one.

    Examples
    --------
    yardstone strength style style_simulated.tab
    yardstone strength style style_simulated.tab --predict style_simulated.tab --format csv
    """
    from yardstone.reports.strength.style import style_document
    from yardstone.strength.style.rating import rate_by_style

    output.check()
    ratings = rate_by_style(
        tables,
        others or (),
        folds=folds,
        seed=seed,
        workers=work.workers,
        progress=output.progress("cross-validation"),
    )
    output.emit(style_document(ratings))
