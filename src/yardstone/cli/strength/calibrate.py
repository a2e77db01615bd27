"""`yardstone strength calibrate`: estimates brought to a site's own ratings."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.go.options import NetworkOptions, Strict
from yardstone.cli.output import TableOutput
from yardstone.cli.progress import progress_bar
from yardstone.cli.reading import report_skipped
from yardstone.cli.strength.estimate import Handicap, ModelFile
from yardstone.errors import InputError, UsageError

__all__ = ["calibrate"]


class RatingKind(StrEnum):
    """What a site's ratings are."""

    points = "points"
    ogs = "ogs"
    egf = "egf"


class ModelScaleName(StrEnum):
    """A scale of the model."""

    fox = "fox"
    ogs = "ogs"


def calibrate(
    ratings: Annotated[
        Path,
        typer.Argument(
            metavar="RATINGS",
            help="Table with the columns player, rating and, optionally, estimate.",
        ),
    ],
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES]...",
            help="Games of these players: SGF files, folders, patterns or archives.",
            show_default=False,
        ),
    ] = None,
    *,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save the calibration, for `estimate --calibration`."),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option("--site", metavar="NAME", help="Name of the ratings. [default: the kind]"),
    ] = None,
    kind: Annotated[
        RatingKind,
        typer.Option("--kind", help="Ratings of OGS, of the EGF, or points of another site."),
    ] = RatingKind.points,
    scale: Annotated[
        ModelScaleName,
        typer.Option("--scale", help="Scale of the model that the estimates are on."),
    ] = ModelScaleName.fox,
    handicap: Handicap = False,
    network: NetworkOptions,
    model: ModelFile = None,
    strict: Strict = False,
    output: TableOutput,
) -> None:
    """Fit estimates to the ratings of a site or club.

    With games the players are estimated from them; without, the table must have their
    estimates. What the line costs is measured on the results of the games.

    Examples
    --------
    yardstone strength calibrate ratings.csv games/ --site Club --save club.json
    yardstone strength calibrate estimates_simulated.csv --site Club --save club.json
    """
    from yardstone.pool import SkipReport
    from yardstone.reports.strength.calibration import calibration_document
    from yardstone.strength.default_model import default_model
    from yardstone.strength.estimate.ratings_file import read_ratings
    from yardstone.strength.estimate.site_calibration import calibrate_site

    output.check(save)
    name = site or kind.value
    if not name.isprintable() or len(name) > 80:
        raise UsageError("--site: a name of at most 80 letters")
    skipped = SkipReport()
    table = read_ratings(ratings, skipped)
    if strict and len(skipped):
        first = skipped.details[0]
        raise InputError(first.reason, file=first.file, line=first.line)
    ranks = default_model(model, network.net)
    estimates = None
    if paths:
        from yardstone.records.sgf import SgfReader
        from yardstone.strength.estimate.collection import estimate_players
        from yardstone.strength.estimate.games import model_network

        reader = SgfReader(*paths, strict=strict)
        net = model_network(ranks, **network.as_arguments())
        games = list(reader)
        skipped.merge(reader.skipped)
        estimates = estimate_players(
            games,
            net,
            ranks,
            players=[each.player for each in table],
            scale=scale.value,
            handicap=handicap,
            skipped=skipped,
            progress=progress_bar("looking at positions", quiet=output.quiet),
        )
    result = calibrate_site(
        table,
        estimates,
        ranks,
        site=name,
        kind=kind.value,
        basis=scale.value,
        file=str(ratings),
    )
    if save is not None:
        result.calibration.save(save)
    output.emit(calibration_document(result))
    report_skipped(skipped, quiet=output.quiet)
