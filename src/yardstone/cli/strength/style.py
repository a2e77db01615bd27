"""`yardstone strength style`: ranks from tables of style features, without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.go.options import Output, Quiet
from yardstone.cli.options import Form

if TYPE_CHECKING:
    from yardstone.cli.systems import Views
    from yardstone.reports.strength.style import StyleReport

__all__ = ["style"]


def style(
    tables: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="Tables of features (.tab, as Orange has them): one, or several of the same "
            "players; also folders and archives of them.",
            show_default=False,
        ),
    ],
    unseen: Annotated[
        list[str] | None,
        typer.Option(
            "--predict",
            metavar="FILE",
            help="Rate the players of this table, of the same features. Repeatable, for "
            "features in several files.",
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Parts of the cross-validation.")
    ] = 10,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of the parts.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", min=1, help="Parts worked on at once. [default: one a core]"
        ),
    ] = None,
    form: Form = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Tell ranks from features of style, and how well that works.

    Every player is predicted from the players of the other parts. With --predict the
    model learns from all of the first tables and rates the players of another one.

    Examples
    --------
    yardstone strength style features/*.tab
    yardstone strength style known.tab --predict unknown.tab --format csv
    """
    from yardstone.cli.output import chosen_format
    from yardstone.cli.progress import progress_bar
    from yardstone.cli.systems import check_outputs, emit
    from yardstone.errors import InputError
    from yardstone.reports.strength.style import StyleReport
    from yardstone.strength.style.model import cross_validate, fit_style
    from yardstone.strength.style.table import read_style

    chosen = chosen_format(form, output)
    check_outputs(chosen, output, quiet=quiet)
    known = read_style(*tables)
    if unseen:
        asked = read_style(*unseen)
        if asked.names != known.names:
            raise InputError(
                f"has the features {_listed(asked.names)} in place of {_listed(known.names)}",
                file=unseen[0],
                mend="give the same files in the same order for both",
            )
        rank, deviation = fit_style(known, seed=seed).predict(asked.features)
        report = StyleReport(asked.players, asked.strength, rank, deviation, len(known))
    else:
        found = cross_validate(
            known,
            folds=folds,
            seed=seed,
            workers=workers,
            progress=progress_bar("cross-validation", quiet=quiet),
        )
        players = [
            name for name, rank in zip(known.players, known.strength, strict=True) if rank == rank
        ]
        report = StyleReport(
            tuple(players), found.strength, found.predicted, found.deviation, None, found
        )
    emit(_views(report), chosen, output)


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


def _views(report: StyleReport) -> Views:
    from yardstone.cli.systems import Views
    from yardstone.reports.strength import style as shown

    def json() -> str:
        from yardstone.reports.json_out import as_json

        return as_json(shown.plain_style(report))

    def html() -> str:
        import yardstone
        from yardstone.reports.evaluation.html import Section, html_page

        sections = [Section("By rank", table=shown.style_table(report), left=0)]
        lead = shown.style_summary(report)
        return html_page("Ranks from style", lead, sections, version=yardstone.__version__)

    return Views(
        text=lambda: shown.text_style(report),
        csv=lambda: shown.style_csv(report),
        json=json,
        html=html,
        columns=shown.STYLE_COLUMNS,
    )
