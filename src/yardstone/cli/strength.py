"""`yardstone strength`: how strong players are, from moves or features of style."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from yardstone.choices import check_choice
from yardstone.cli.declare import (
    Confidence,
    Seed,
    Strict,
    WorkOptions,
    advanced,
    argument,
    flag,
    option,
    target,
)
from yardstone.cli.go import GamePaths, NetworkOptions, Visits
from yardstone.cli.output import Document, Output, TableOutput
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame


#: Where to show a strength.
ScaleName = Literal["fox", "ogs", "ogs-2020", "egf"]


#: Whose moves.
Colour = Literal["white", "black"]


ModelFile = Annotated[
    str | None,
    advanced(
        "Model of strength: joint, rank, full, basic, stochastic or small, or a file. "
        "[default: joint; small without its network]",
        "--model",
        metavar="NAME|FILE",
    ),
]
Handicap = Annotated[
    bool, flag("Also use handicap games, on which the model was not trained.", advanced=True)
]


def estimate(
    paths: GamePaths,
    *,
    player: str | None = option(
        "Player to estimate. [default: the one who is in all games]", metavar="NAME"
    ),
    colour: Colour | None = option("Use this colour's moves in all games, whoever played it."),
    scale: str | None = option(
        f"Scale to show the strength on: {', '.join(get_args(ScaleName))}, or a site's own, by a "
        "file from `strength calibrate`. [default: fox; ogs for the weaker]",
        metavar="NAME|FILE",
    ),
    confidence: Confidence = 90,
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

    Examples:
        yardstone strength estimate professional.sgf --colour black
        yardstone strength estimate professional.sgf --player 'Park Junghwan' --scale egf
        yardstone strength estimate professional.sgf --colour white --confidence 95 -o white.html
    """
    if colour is not None and player is not None:
        raise UsageError("--player and --colour: name one of them")
    from yardstone.go.losses import LossEffort
    from yardstone.records.sgf import SgfReader
    from yardstone.reports.strength import estimate_document
    from yardstone.strength.calibration import Calibration
    from yardstone.strength.estimation import estimate_player
    from yardstone.strength.model import default_model

    ranks = default_model(model, network.net)
    target: str | Calibration | None = scale
    if scale is not None and scale not in get_args(ScaleName):
        if not Path(scale).is_file():
            check_choice("--scale", scale, get_args(ScaleName))
        target = Calibration.load(scale)
        target.check_model(ranks)
    reader = SgfReader(*paths, strict=strict)
    games = list(reader)
    side = None if colour is None else 1 + (colour == "white")
    if player is None and side is None:
        player = _player(games)
    result = estimate_player(
        games,
        player,
        colour=side,
        net=network.load_for(ranks),
        model=ranks,
        scale=target,
        level=confidence,
        handicap=handicap,
        effort=None if visits is None else LossEffort(visits),
        skipped=reader.skipped,
    )
    output.emit(estimate_document(result.as_dict()), skipped=reader.skipped)


def _player(games: list[GoGame]) -> str | None:
    """The player in all games; on a terminal a question where that is not clear."""
    from yardstone.strength.players import AmbiguousPlayerError, find_player, unique_games

    different, _ = unique_games(games)
    if not different:
        return None
    try:
        return find_player(different)
    except AmbiguousPlayerError as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        listed = list(error.names.items())[:20]
    from yardstone.reports.words import plural

    print("Whose strength?", file=sys.stderr)
    for number, (name, occurrences) in enumerate(listed, 1):
        print(f"  {number}  {name} ({plural(occurrences, 'game')})", file=sys.stderr)
    print("Number or name: ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline().strip()
    if not answer:
        raise UsageError("nobody is named")
    if answer.isdecimal() and 1 <= int(answer) <= len(listed):
        return listed[int(answer) - 1][0]
    return answer


def calibrate(
    ratings: Path = argument(
        "Table with the columns player, rating and, optionally, estimate.", metavar="RATINGS"
    ),
    paths: list[str] | None = argument(
        "Games of these players: SGF files, folders, patterns or archives.",
        default=None,
        metavar="[FILES]...",
    ),
    *,
    save: Path | None = target("Save the calibration, for `estimate --scale`."),
    site: str | None = option("Name of the ratings. [default: the kind]", metavar="NAME"),
    kind: Literal["points", "ogs", "egf"] = option(
        "Ratings of OGS, of the EGF, or points of another site.", default="points"
    ),
    scale: Literal["fox", "ogs"] = option(
        "Scale of the model that the estimates are on.", default="fox"
    ),
    handicap: Handicap = False,
    network: NetworkOptions,
    model: ModelFile = None,
    strict: Strict = False,
    output: TableOutput,
) -> None:
    """Fit estimates to the ratings of a site or club.

    With games the players are estimated from them; without, the table must have their
    estimates. What the line costs is measured on the results of the games.

    Examples:
        yardstone strength calibrate ratings.csv games/ --site Club --save club.json
        yardstone strength calibrate estimates_simulated.csv --site Club --save club.json
    """
    from yardstone.pool import SkipReport
    from yardstone.reports.style import calibration_document
    from yardstone.strength.calibration import calibrate_site, read_ratings
    from yardstone.strength.model import default_model

    name = site or kind
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
        from yardstone.strength.estimation import estimate_players

        reader = SgfReader(*paths, strict=strict)
        net = network.load_for(ranks)
        games = list(reader)
        skipped.merge(reader.skipped)
        estimates = estimate_players(
            games,
            net,
            ranks,
            players=[each.player for each in table],
            scale=scale,
            handicap=handicap,
            skipped=skipped,
        )
    result = calibrate_site(
        table,
        estimates,
        ranks,
        site=name,
        kind=kind,
        basis=scale,
        file=str(ratings),
    )
    if save is not None:
        result.calibration.save(save)
    output.emit(calibration_document(result), skipped=skipped)


def style(
    tables: list[str] = argument(
        "Tables of features (Orange's .tab): one, or several of the same players; also "
        "folders and archives.",
        metavar="FILES",
    ),
    *,
    others: list[str] | None = advanced(
        "Rate the players of this table of the same features. Repeatable, for features in several "
        "files.",
        "--predict",
        metavar="FILE",
    ),
    folds: int = advanced("Parts of the cross-validation.", default=10, min=2),
    seed: Seed = 0,
    work: WorkOptions,
    output: TableOutput,
) -> Document:
    """Predict ranks from features of style, and test the prediction.

    Every player is predicted from the players of the other parts. With --predict the
    model learns from all of the first tables and rates the players of another one.

    Examples:
        yardstone strength style style_simulated.tab
        yardstone strength style style_simulated.tab --predict style_simulated.tab --format csv
    """
    from yardstone.reports.style import style_document
    from yardstone.strength.style import rate_by_style

    return style_document(rate_by_style(tables, others or (), folds=folds, seed=seed))
