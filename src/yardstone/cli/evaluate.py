"""`yardstone evaluate` and `predict`: which system predicts best, and what one game may bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from yardstone.choices import words
from yardstone.cli import declare
from yardstone.cli.declare import (
    ADVANCED,
    Confidence,
    Seed,
    advanced,
    argument,
    flag,
    option,
    work_in,
)
from yardstone.cli.games import (
    FUSION,
    ManyGames,
    MovesOptions,
    RatedGamesPaths,
    SystemOptions,
    moment,
    settings,
)
from yardstone.cli.go import NetworkOptions
from yardstone.cli.output import Document, Output, TableOutput, titled
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.evaluation.prediction import PredictionTable


#: What a game takes while it is read and measured, and for each system, in bytes.
_BYTES_A_GAME, _BYTES_A_SYSTEM = 200, 60


def _edges(text: str, option: str) -> list[float]:
    try:
        edges = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"{option} {text!r}: write numbers with commas between them") from None
    if edges != sorted(edges) or any(edge <= 0 for edge in edges):
        raise UsageError(f"{option} {text!r}: the edges must be positive, and rise")
    return edges


def _column(text: str, _: str = "") -> tuple[str, str]:
    name, equals, column = text.partition("=")
    return (name.strip(), column.strip()) if equals else (text.strip(), text.strip())


def _two_columns(text: str, option: str) -> tuple[str, tuple[str, str]]:
    name, both = _column(text)
    parts = [part.strip() for part in both.split(",")]
    if len(parts) != 2 or not all(parts):
        raise UsageError(f"{option} {both!r}: name two columns with a comma between them")
    return name, (parts[0], parts[1])


def evaluate(
    paths: list[str] | None = argument(
        "Files of dated results, or - for standard input; with --predicted or --ratings, one "
        "table.",
        default=None,
    ),
    *,
    systems: str = option(
        "Systems to compare, with commas between them; all: every one that can take the games.",
        default="all",
        metavar="NAMES",
    ),
    parameter: list[str] | None = advanced(
        "Fix a parameter of a system. Repeatable.", "--set", metavar="SYSTEM.NAME=VALUE"
    ),
    first_advantage: Literal["auto", "none"] = advanced(
        "Give systems a first-move advantage where that helps on the earlier games (auto), or "
        "never.",
        default="auto",
    ),
    start_levels: bool = flag(
        "Let systems that can (egf, egf-old, skt-lr) start newcomers at the grades and ratings in "
        "the games, and use handicaps.",
        advanced=True,
    ),
    train_share: float | None = advanced(
        "Share of the games, the earliest, to learn and tune on. [default: 0.7]"
    ),
    train_until: Any = option(
        "Learn and tune on games before this date.", read=moment, metavar="DATE"
    ),
    tune: int = option(
        "Sets of parameters to try for each system, the untuned one among them, on the earlier "
        "games only.",
        default=0,
        min=0,
    ),
    metric: str = option(
        "Rank by log_likelihood, three_way (win, draw, loss), brier or accuracy.",
        default="log_likelihood",
    ),
    newcomers: int = advanced(
        "Players with at most this many earlier games are newcomers.", default=4, min=0
    ),
    gaps: Any = advanced(
        "Bounds of the groups by rating difference; '' for none.",
        default="50,100,200,400",
        read=_edges,
        metavar="POINTS",
    ),
    since: list[Any] | None = advanced(
        "Also score the games from this date on. Repeatable.", read=moment, metavar="DATE"
    ),
    group: str | None = option("Also score the games of each value of a column.", metavar="COLUMN"),
    predicted: list[Any] | None = advanced(
        "Score the expected scores in this column of the table. Repeatable.",
        read=_column,
        metavar="[NAME=]COLUMN",
    ),
    ratings: list[Any] | None = advanced(
        "Score what ratings of the first and the second player predict. Repeatable.",
        read=_two_columns,
        metavar="[NAME=]COLUMN,COLUMN",
    ),
    draws: list[Any] | None = advanced(
        "Draw probabilities that belong to --predicted.", read=_column, metavar="[NAME=]COLUMN"
    ),
    confidence: Confidence = 95,
    replicates: int = advanced(
        "Bootstrap replicates; 0 leaves out all intervals.", default=1000, min=0
    ),
    seed: Seed = 0,
    workers: int | None = advanced(
        "Systems to evaluate in parallel. [default: 1; with --engine all]",
        min=1,
        callback=work_in,
    ),
    moves: MovesOptions,
    network: Annotated[NetworkOptions, ADVANCED],
    games: ManyGames,
    out: Output,
) -> Document:
    """Compare rating systems by how well they predict later games.

    Every game is predicted before it is learned from, and the later games are scored.
    Whether a first-move advantage helps a system is decided on the earlier games only;
    so are parameters, if they are tuned. Predictions made elsewhere are
    scored in the same way. More games than fit in memory are put in order on disk
    and measured from there, except by systems that weigh all games at once.

    Examples:
        yardstone evaluate league.csv
        yardstone evaluate league.csv --systems elo,glicko2 --tune 10
        yardstone evaluate league.csv --train-until 2018-12-15 -o systems.html
        yardstone evaluate --moves records.zip --systems glicko2,fusion --fit
        yardstone evaluate graded_games_simulated.csv --predicted expected --columns score=result
    """
    from yardstone.reports.evaluation import evaluation_document

    shared: dict[str, Any] = {
        "metric": metric,
        "confidence": confidence,
        "replicates": replicates,
        "seed": seed,
    }
    if predicted or ratings:
        from yardstone.evaluation.prediction import compare_table

        table = _table(
            paths or [],
            games,
            predicted=dict(predicted or ()),
            draws=dict(draws or ()),
            ratings=dict(ratings or ()),
            group_by=group,
        )
        evaluation = compare_table(table, **shared)
    else:
        from yardstone.evaluation import backtest
        from yardstone.ratings.systems import SEQUENTIAL, find_system

        options: dict[str, Any] = {
            "start_levels": start_levels,
            "train_share": train_share,
            "train_until": train_until,
            "tune": tune,
            "newcomer_games": newcomers,
            "gap_edges": gaps,
            "since_dates": since or (),
            "group_by": group,
        }
        names = _names(systems)
        chosen = names or SEQUENTIAL
        fixed = settings(parameter or [], chosen)
        entries = {name: find_system(name) for name in chosen}
        levels = any(
            entry.levels or entry.takes_handicap(**fixed[name]) for name, entry in entries.items()
        )
        tags = () if group is None else (group,)
        room = _BYTES_A_GAME + _BYTES_A_SYSTEM * len(chosen)
        notes: list[str] = []
        shown = None
        if moves.moves:
            pool, shown, sentence = moves.games(
                paths,
                games,
                network,
                bytes_a_game=room,
                tags=tags,
                levels=levels,
            )
            notes.append(sentence)
        else:
            pool = games.read_within(
                paths,
                bytes_a_game=room,
                tags=(*tags, *moves.columns(FUSION if names and FUSION in names else "")),
                levels=levels,
            )
        if FUSION in (names or (FUSION,) if moves.moves else names or ()):
            earlier = backtest.earlier_part(
                pool, share=options["train_share"], until=options["train_until"]
            )
            fixed[FUSION], sentence = moves.parameters(earlier, fixed[FUSION], shown)
            notes.append(f"{FUSION}: {sentence}")
        evaluation = backtest.evaluate(
            pool,
            names,
            parameters={name: given for name, given in fixed.items() if given},
            first_advantage=first_advantage,
            **shared,
            **options,
        )
        evaluation = replace(evaluation, notes=[*evaluation.notes, *notes])
    return evaluation_document(evaluation, title=titled("Predictions", paths or moves.moves or []))


def _table(paths: Sequence[str], games: ManyGames, **columns: Any) -> PredictionTable:
    from yardstone.evaluation.prediction import read_predictions

    if len(paths) != 1:
        raise UsageError("name one table with predictions")
    held = declare.columns(games.columns or []) or {}
    if unused := held.keys() - {"first", "second", "score"}:
        raise UsageError(f"--columns {min(unused)}: predictions have first, second and score")
    if ("first" in held) != ("second" in held):
        raise UsageError("--columns: name the columns of both players, first and second")
    return read_predictions(
        paths[0],
        **columns,
        score=held.get("score", "score"),
        players=(held["first"], held["second"]) if "first" in held else None,
        side=games.first,
        results=games.results,
        skip_unread=games.skip_unread,
    )


def _names(text: str) -> list[str] | None:
    """The systems that are named; None for all."""
    names = words(text)
    if not names:
        raise UsageError("--systems: name at least one system")
    return None if names == ["all"] else list(dict.fromkeys(names))


def predict(
    player: str = argument("The player who moves first.", metavar="FIRST"),
    opponent: str = argument("The opponent.", metavar="SECOND"),
    paths: RatedGamesPaths = None,
    *,
    rating: SystemOptions,
    moves: MovesOptions,
    network: Annotated[NetworkOptions, ADVANCED],
    advantage: float | None = advanced(
        "Advantage of moving first and of handicap. [default: the system's]", metavar="POINTS"
    ),
    exact: bool = flag(
        "Take the ratings as exact, which moves the prediction away from even.", advanced=True
    ),
    confidence: Confidence = 95,
    games: ManyGames,
    out: TableOutput,
) -> Document:
    """Predict a game between two players from the games so far.

    Examples:
        yardstone predict 'Fizbo 2' 'Jonny 8.1' league.csv
        yardstone predict 'Jonny 8.1' 'Fizbo 2' league.csv --system elo --format json
    """
    from yardstone.evaluation.prediction import predict as predict_game
    from yardstone.reports.match import forecast_document

    given, notes = rating.read(paths, games, moves, network)
    forecast = predict_game(
        **given,
        player=player,
        opponent=opponent,
        advantage=advantage,
        exact=exact,
        confidence=confidence,
    )
    return forecast_document(replace(forecast, notes=[*forecast.notes, *notes]))
