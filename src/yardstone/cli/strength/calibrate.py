"""`yardstone strength calibrate`: estimates brought to a site's own ratings."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.go.options import (
    Engine,
    EngineName,
    Net,
    Precision,
    PrecisionName,
    Quiet,
    Strict,
    Threads,
)
from yardstone.cli.reading import report_skipped
from yardstone.cli.strength.estimate import Handicap, ModelFile
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yardstone.pool import SkipReport
    from yardstone.reports.strength.calibration import CalibrationReport
    from yardstone.strength.estimate.collection import Estimates
    from yardstone.strength.estimate.ratings_file import RatedPlayer
    from yardstone.strength.rank.model import RankModel

__all__ = ["calibrate"]


class Kind(StrEnum):
    """What a site's ratings are."""

    points = "points"
    ogs = "ogs"
    egf = "egf"


class Form(StrEnum):
    """How the result is shown."""

    text = "text"
    csv = "csv"
    json = "json"


def calibrate(
    ratings: Annotated[
        Path,
        typer.Argument(
            metavar="RATINGS", help="Table with the columns player, rating and perhaps estimate."
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
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Keep the calibration in this file."),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            "--site", metavar="NAME", help="What to call the ratings. [default: the kind]"
        ),
    ] = None,
    kind: Annotated[
        Kind, typer.Option("--kind", help="Ratings of OGS, of the EGF, or points of another site.")
    ] = Kind.points,
    handicap: Handicap = False,
    net: Net = None,
    model: ModelFile = None,
    engine: Engine = EngineName.auto,
    precision: Precision = PrecisionName.fp32,
    threads: Threads = None,
    strict: Strict = False,
    form: Annotated[Form, typer.Option("--format", help="Text, CSV or JSON.")] = Form.text,
    quiet: Quiet = False,
) -> None:
    """Fit a line from estimates to the ratings that a site gives its players.

    With games the players are estimated from them; without, the table must have their
    estimates. What the line costs is measured on the results of the games.

    Examples
    --------
    yardstone strength calibrate ratings.csv games/*.sgf --site Club -o club.json
    yardstone strength calibrate pairs.csv -o club.json
    """
    from yardstone.cli.output import check_folder
    from yardstone.cli.startup import load_numba
    from yardstone.pool import SkipReport
    from yardstone.strength.estimate.ratings_file import read_ratings
    from yardstone.strength.rank.model import RankModel

    check_folder(output)
    name = site or kind.value
    if not name.isprintable() or len(name) > 80:
        raise UsageError("--site: a name of at most 80 letters")
    skipped = SkipReport()
    table = read_ratings(ratings, skipped)
    if strict and len(skipped):
        first = skipped.details[0]
        raise InputError(first.reason, file=first.file, line=first.line)
    ranks = RankModel.load(model)
    found: Estimates | None = None
    if paths:
        load_numba()
        settings = (net, engine.value, precision.value, threads)
        found = _estimated(
            table, paths, ranks, skipped, settings, handicap=handicap, strict=strict, quiet=quiet
        )
    report = _report(table, found, ranks, name, kind.value, str(ratings))
    if output is not None:
        report.calibration.save(output)
    print(_shown(report, form), end="")
    if output is not None and not quiet and form is Form.text:
        print(f"\nKept in {output}: yardstone strength estimate --calibration {output} …")
    report_skipped(skipped, quiet=quiet)


def _estimated(
    table: Sequence[RatedPlayer],
    paths: Sequence[str],
    ranks: RankModel,
    skipped: SkipReport,
    settings: tuple[str | None, str, str, int | None],
    *,
    handicap: bool,
    strict: bool,
    quiet: bool,
) -> Estimates:
    from yardstone.cli.progress import progress_bar
    from yardstone.records.sgf import SgfReader
    from yardstone.strength.estimate.collection import estimate_players
    from yardstone.strength.estimate.games import model_network

    net, engine, precision, threads = settings
    network = model_network(ranks, net, engine=engine, precision=precision, threads=threads)
    reader = SgfReader(*paths, strict=strict)
    games = list(reader)
    skipped.merge(reader.skipped)
    return estimate_players(
        games,
        network,
        ranks,
        players=[each.player for each in table],
        handicap=handicap,
        skipped=skipped,
        progress=progress_bar("looking at positions", quiet=quiet),
    )


def _report(
    table: Sequence[RatedPlayer],
    found: Estimates | None,
    ranks: RankModel,
    site: str,
    kind: str,
    file: str,
) -> CalibrationReport:
    from yardstone.reports.strength.calibration import CalibrationReport
    from yardstone.strength.estimate.calibrate import fit_calibration, score_cost
    from yardstone.strength.estimate.collection import PlayerEstimate
    from yardstone.strength.estimate.players import plain_name

    if found is None:
        if all(each.estimate is None for each in table):
            raise InputError(
                "there is no column with estimates, and no game is given",
                file=file,
                mend="name the players' games after the table",
            )
        known = {
            plain_name(each.player): PlayerEstimate(
                each.player, 0, 0, each.estimate, 0.0, each.estimate, each.estimate
            )
            for each in table
            if each.estimate is not None
        }
    else:
        known = {plain_name(each.player): each for each in found.players}
    pairs = [
        (known[plain_name(each.player)], each.rating)
        for each in table
        if plain_name(each.player) in known
    ]
    calibration = fit_calibration(
        [each.rating for each, _ in pairs],
        [rating for _, rating in pairs],
        site=site,
        kind=kind,
        model=str(ranks.card["name"]),
        deviations=None if found is None else [each.deviation for each, _ in pairs],
    )
    cost = None
    if found is not None and len(found.score):
        strengths = [each.rating for each in found.players]
        cost = score_cost(
            calibration,
            [strengths[place] for place in found.black],
            [strengths[place] for place in found.white],
            found.score,
        )
    missing = [each.player for each in table if plain_name(each.player) not in known]
    return CalibrationReport(calibration, pairs, cost, missing)


def _shown(report: CalibrationReport, form: Form) -> str:
    from yardstone.reports.strength import calibration as strength_calibration

    if form is Form.json:
        from yardstone.reports.json_out import as_json

        return as_json(strength_calibration.plain_calibration(report))
    if form is Form.csv:
        return strength_calibration.calibration_csv(report)
    return strength_calibration.calibration_text(report)
