"""`yardstone evaluate`: which system predicts these games best."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.cli.options import (
    Columns,
    Confidence,
    Dates,
    First,
    Form,
    Page,
    Query,
    Results,
    Side,
    SkipUnread,
    Strict,
)
from yardstone.cli.output import Format
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.evaluation.result import Evaluation

__all__ = ["evaluate"]

_GAMES = "Games"
_TABLE = "Predictions from elsewhere"
_SHOW = "Output"


def evaluate(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files of dated results, or - for standard input; with --predicted or --ratings "
            "one table.",
            show_default=False,
        ),
    ] = None,
    systems: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Systems to compare, with commas between them; all: every one there is.",
        ),
    ] = "elo,glicko,glicko2",
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="SYSTEM.NAME=VALUE", help="Fix a parameter of a system. Repeatable."
        ),
    ] = None,
    train_share: Annotated[
        float | None,
        typer.Option(help="Share of the games, the earliest, to learn and tune on. [default: 0.7]"),
    ] = None,
    train_until: Annotated[
        str | None, typer.Option(metavar="DATE", help="Learn and tune on games before this date.")
    ] = None,
    tune: Annotated[
        int,
        typer.Option(
            metavar="NUMBER",
            min=0,
            help="Sets of parameters to try for each system, on the earlier games only.",
        ),
    ] = 0,
    metric: Annotated[
        str,
        typer.Option(
            help="Rank by log_likelihood, three_way (win, draw, loss), brier or accuracy."
        ),
    ] = "log_likelihood",
    newcomers: Annotated[
        int, typer.Option(metavar="NUMBER", help="Most earlier games of a newcomer.", min=0)
    ] = 4,
    gaps: Annotated[
        str,
        typer.Option(metavar="POINTS", help="Edges of groups by distance of ratings; '' for none."),
    ] = "50,100,200,400",
    since: Annotated[
        list[str] | None,
        typer.Option(metavar="DATE", help="Measure games from a date on as well. Repeatable."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Measure the games of each value of a column as well."),
    ] = None,
    predicted: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]COLUMN",
            help="Score the expected scores in this column of the table. Repeatable.",
        ),
    ] = None,
    ratings: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]COLUMN,COLUMN",
            help="Score what ratings of the first and the second player predict. Repeatable.",
        ),
    ] = None,
    draws: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]COLUMN", help="Probabilities of draws that go with --predicted."
        ),
    ] = None,
    score: Annotated[
        str, typer.Option(metavar="COLUMN", help="Score of the player who moved first.")
    ] = "score",
    players: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,COLUMN", help="Names of the players of a table of predictions."
        ),
    ] = None,
    columns: Columns = None,
    first: First = None,
    results: Results = None,
    dates: Dates = None,
    query: Query = None,
    strict: Strict = False,
    skip_unread: SkipUnread = False,
    confidence: Confidence = "95",
    replicates: Annotated[
        int,
        typer.Option(metavar="NUMBER", help="Of the bootstrap; 0 leaves out all intervals.", min=0),
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the tuning and the bootstrap.")] = 0,
    workers: Annotated[int, typer.Option(help="Systems to work on at the same time.", min=1)] = 1,
    form: Form = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the table to this file."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the calibration: .svg, .png or .pdf."),
    ] = None,
    html: Page = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No table on standard output, no progress.")
    ] = False,
) -> None:
    """Compare rating systems by how well they predict later games from earlier ones.

    Every game is predicted before it is learned from. Parameters are tuned on the
    earlier games only, with equally many trials for every system, and the later
    ones are scored. Predictions made elsewhere are scored in the same way.

    Examples
    --------
    yardstone evaluate games.csv --systems elo,glicko2 --tune 30
    yardstone evaluate games.csv --train-until 2011-01-01 --html systems.html
    yardstone evaluate table.csv --predicted P --score Result --format json
    """
    from yardstone.cli import values
    from yardstone.cli.output import chosen_format
    from yardstone.cli.systems import check_outputs, emit

    level = values.confidence(confidence)
    shape = chosen_format(form, output)
    check_outputs(shape, output, html, plot=plot, quiet=quiet)
    shared: dict[str, Any] = {
        "metric": metric,
        "confidence": level,
        "replicates": replicates,
        "seed": seed,
    }
    if predicted or ratings:
        found = _from_table(
            paths or [],
            score=score,
            predicted=predicted or [],
            ratings=ratings or [],
            draws=draws or [],
            players=players,
            group=group,
            first=first,
            results=results,
            skip_unread=skip_unread,
            shared=shared,
        )
    else:
        from yardstone.cli.reading import Source, read_games
        from yardstone.cli.systems import moment

        options: dict[str, Any] = {
            "train_share": train_share,
            "train_until": None if train_until is None else moment(train_until, "--train-until"),
            "tune": tune,
            "newcomer_games": newcomers,
            "gap_edges": _edges(gaps),
            "since_dates": [moment(date, "--since") for date in since or ()],
            "group_by": group,
            "workers": workers,
        }
        wanted = values.columns(columns or []) or {}
        if group is not None:
            wanted = {group: group, **wanted}
        chosen = _systems(systems, parameter or [])
        source = Source(
            paths or [],
            query,
            wanted or None,
            first,
            results,
            strict,
            skip_unread,
            dates=dates,
            levels=any(entry.levels for entry in chosen),
        )
        pool = read_games(source, quiet=quiet)
        found = _replayed(pool, chosen, {**shared, **options}, quiet=quiet)
    views = _views(found, _title(paths or []))
    if html is not None:
        emit(views, Format.html, html)
    if plot is not None:
        from yardstone.reports.charts.calibration import calibration_chart

        calibration_chart(found).save(plot)
    if output is not None or not quiet:
        emit(views, shape, output)


def _edges(text: str) -> list[float]:
    try:
        edges = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"--gaps {text!r}: write numbers with commas between them") from None
    if edges != sorted(edges) or any(edge <= 0 for edge in edges):
        raise UsageError(f"--gaps {text!r}: the edges must be positive, and rise")
    return edges


def _systems(names: str, parameters: Sequence[str]) -> list[Any]:
    """Entries of the chosen systems, with their fixed parameters."""
    from dataclasses import replace

    from yardstone.cli.systems import settings
    from yardstone.ratings.systems import SEQUENTIAL, find_system

    listed = [name.strip() for name in names.split(",") if name.strip()]
    if listed == ["all"]:
        listed = list(SEQUENTIAL)
    if not listed:
        raise UsageError("--systems: name at least one system")
    fixed = settings(parameters, listed)
    entries = []
    for name in dict.fromkeys(listed):
        entry = find_system(name)
        kept = tuple(knob for knob in entry.knobs if knob.name not in fixed[name])
        chosen = replace(entry, fixed={**entry.fixed, **fixed[name]}, knobs=kept)
        chosen.make()
        entries.append(chosen)
    return entries


def _replayed(pool: Any, systems: Any, options: dict[str, Any], *, quiet: bool) -> Evaluation:
    from yardstone.evaluation.run import evaluate as run

    def show(name: str, done: int, trials: int) -> None:
        end = "\r\x1b[K" if done >= trials else ""
        sys.stderr.write(f"\r\x1b[Ktuning {name}: {done} of {trials}{end}")
        sys.stderr.flush()

    watched = sys.stderr.isatty() and not quiet
    return run(pool, systems, progress=show if watched else None, **options)


def _from_table(
    paths: Sequence[str],
    *,
    score: str,
    predicted: Sequence[str],
    ratings: Sequence[str],
    draws: Sequence[str],
    players: str | None,
    group: str | None,
    first: Side | None,
    results: str | None,
    skip_unread: bool,
    shared: Mapping[str, Any],
) -> Evaluation:
    import numpy as np

    from yardstone.evaluation.compare import compare
    from yardstone.evaluation.result import Prediction
    from yardstone.evaluation.table import read_predictions

    if len(paths) != 1:
        raise UsageError("name one table with predictions")
    table = read_predictions(
        paths[0],
        score=score,
        predicted=dict(_column(text) for text in predicted),
        draws=dict(_column(text) for text in draws),
        ratings={
            name: _pair(pair, "--ratings") for name, pair in (_column(text) for text in ratings)
        },
        players=None if players is None else _pair(players, "--players"),
        group_by=group,
        side=None if first is None else first.value,
        results=results,
        skip_unread=skip_unread,
    )
    notes = list(table.notes)
    if table.first is None:
        notes.append("The players are not known (--players), so intervals are too narrow.")
    even = Prediction("50:50", np.full(len(table.score), 0.5), baseline=True)
    return compare(
        (*table.predictions, even),
        table.score,
        first=table.first,
        second=table.second,
        subsets=table.subsets,
        notes=notes,
        **shared,
    )


def _column(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    return (name.strip(), column.strip()) if equals else (text.strip(), text.strip())


def _pair(text: str, option: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise UsageError(f"{option} {text!r}: name two columns with a comma between them")
    return parts[0], parts[1]


def _title(paths: Sequence[str]) -> str:
    names = [Path(path).name for path in paths if path != "-"]
    return f"Predictions: {names[0]}" if len(names) == 1 else "Predictions"


def _views(found: Evaluation, title: str) -> Any:
    from yardstone.cli.systems import Views
    from yardstone.reports.evaluation.report import CSV_COLUMNS, csv_evaluation, plain_evaluation
    from yardstone.reports.json_out import as_json

    def text() -> str:
        from yardstone.reports.evaluation.text import text_evaluation

        return text_evaluation(found)

    def html() -> str:
        import yardstone
        from yardstone.reports.evaluation.html import html_evaluation

        return html_evaluation(found, title=title, version=yardstone.__version__)

    return Views(
        text=text,
        csv=lambda: csv_evaluation(found),
        json=lambda: as_json(plain_evaluation(found)),
        html=html,
        columns=CSV_COLUMNS,
    )
