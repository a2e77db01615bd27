"""`yardstone evaluate` and `predict`: which system predicts best, and what one game may bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from yardstone.cli import declare
from yardstone.cli.declare import (
    ADVANCED,
    Confidence,
    Memory,
    Seed,
    advanced,
    argument,
    flag,
    option,
)
from yardstone.cli.games import (
    FUSION,
    GameOptions,
    MovesOptions,
    RatedGamesPaths,
    SystemOptions,
    moment,
    settings,
)
from yardstone.cli.go import NetworkOptions
from yardstone.cli.output import Output, TableOutput, stage_bars
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.evaluation.prediction import PredictionTable


#: What a game takes while it is read and measured, and for each system, in bytes.
_BYTES_A_GAME, _BYTES_A_SYSTEM = 200, 60


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
    train_until: str | None = option("Learn and tune on games before this date.", metavar="DATE"),
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
    gaps: str = advanced(
        "Bounds of the groups by rating difference; '' for none.",
        default="50,100,200,400",
        metavar="POINTS",
    ),
    since: list[str] | None = advanced(
        "Also score the games from this date on. Repeatable.", metavar="DATE"
    ),
    group: str | None = option("Also score the games of each value of a column.", metavar="COLUMN"),
    predicted: list[str] | None = advanced(
        "Score the expected scores in this column of the table. Repeatable.",
        metavar="[NAME=]COLUMN",
    ),
    ratings: list[str] | None = advanced(
        "Score what ratings of the first and the second player predict. Repeatable.",
        metavar="[NAME=]COLUMN,COLUMN",
    ),
    draws: list[str] | None = advanced(
        "Draw probabilities that belong to --predicted.", metavar="[NAME=]COLUMN"
    ),
    score: str = advanced(
        "Column with the score of the player who moved first.", default="score", metavar="COLUMN"
    ),
    players: str | None = advanced(
        "Columns with the players of a table of predictions.", metavar="COLUMN,COLUMN"
    ),
    confidence: Confidence = "95",
    memory: Memory = None,
    replicates: int = advanced(
        "Bootstrap replicates; 0 leaves out all intervals.", default=1000, min=0
    ),
    seed: Seed = 0,
    workers: int | None = advanced(
        "Systems to evaluate in parallel. [default: 1; with --engine all]", min=1
    ),
    moves: MovesOptions,
    network: Annotated[NetworkOptions, ADVANCED],
    games: GameOptions,
    out: Output,
) -> None:
    """Compare rating systems by how well they predict later games.

    Every game is predicted before it is learned from, and the later games are scored.
    Whether a first-move advantage helps a system is decided on the earlier games only;
    so are parameters, if they are tuned. Predictions made elsewhere are
    scored in the same way. More games than fit in memory are put in order on disk
    and measured from there, except by systems that weigh all games at once.

    Examples:
        yardstone evaluate league.csv
        yardstone evaluate league.csv --systems elo,glicko2 --tune 10
        yardstone evaluate league.csv --train-until 2018-12-15 --html systems.html
        yardstone evaluate --moves records.zip --systems glicko2,fusion --fit
        yardstone evaluate graded_games_simulated.csv --predicted expected --score result
    """
    from yardstone.reports.evaluation import evaluation_document

    out.check()
    shared: dict[str, Any] = {
        "metric": metric,
        "confidence": declare.confidence(confidence),
        "replicates": replicates,
        "seed": seed,
    }
    if predicted or ratings:
        from yardstone.evaluation.prediction import compare_table

        table = _table(
            paths or [],
            games,
            score=score,
            predicted=dict(map(_column, predicted or ())),
            draws=dict(map(_column, draws or ())),
            ratings={n: _pair(both, "--ratings") for n, both in map(_column, ratings or ())},
            players=None if players is None else _pair(players, "--players"),
            group_by=group,
        )
        evaluation = compare_table(table, **shared)
    else:
        from yardstone.evaluation import backtest
        from yardstone.ratings.systems import SEQUENTIAL, find_system

        options: dict[str, Any] = {
            "start_levels": start_levels,
            "train_share": train_share,
            "train_until": None if train_until is None else moment(train_until, "--train-until"),
            "tune": tune,
            "newcomer_games": newcomers,
            "gap_edges": _edges(gaps),
            "since_dates": [moment(date, "--since") for date in since or ()],
            "group_by": group,
            "workers": workers,
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
                memory=memory,
                bytes_a_game=room,
                tags=tags,
                levels=levels,
                quiet=out.quiet,
            )
            notes.append(sentence)
        else:
            pool = games.read_within(
                paths,
                memory,
                bytes_a_game=room,
                tags=(*tags, *moves.columns(FUSION if names and FUSION in names else "")),
                levels=levels,
                quiet=out.quiet,
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
            progress=stage_bars(quiet=out.quiet),
            **shared,
            **options,
        )
        evaluation = replace(evaluation, notes=[*evaluation.notes, *notes])
    out.emit(evaluation_document(evaluation, title=_title(paths or moves.moves or [])))


def _table(paths: Sequence[str], games: GameOptions, **columns: Any) -> PredictionTable:
    from yardstone.evaluation.prediction import read_predictions

    if len(paths) != 1:
        raise UsageError("name one table with predictions")
    return read_predictions(
        paths[0],
        **columns,
        side=games.first,
        results=games.results,
        skip_unread=games.skip_unread,
    )


def _names(text: str) -> list[str] | None:
    """The systems that are named; None for all."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("--systems: name at least one system")
    return None if names == ["all"] else list(dict.fromkeys(names))


def _edges(text: str) -> list[float]:
    try:
        edges = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"--gaps {text!r}: write numbers with commas between them") from None
    if edges != sorted(edges) or any(edge <= 0 for edge in edges):
        raise UsageError(f"--gaps {text!r}: the edges must be positive, and rise")
    return edges


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
    confidence: Confidence = "95",
    memory: Memory = None,
    games: GameOptions,
    out: TableOutput,
) -> None:
    """Predict a game between two players from the games so far.

    Examples:
        yardstone predict 'Fizbo 2' 'Jonny 8.1' league.csv
        yardstone predict 'Jonny 8.1' 'Fizbo 2' league.csv --system elo --format json
    """
    from yardstone.evaluation.prediction import predict as predict_game
    from yardstone.reports.match import forecast_document

    level = declare.confidence(confidence)
    out.check()
    given, notes = rating.read(paths, games, moves, network, memory=memory, quiet=True)
    forecast = predict_game(
        **given,
        player=player,
        opponent=opponent,
        advantage=advantage,
        exact=exact,
        confidence=level,
    )
    out.emit(forecast_document(replace(forecast, notes=[*forecast.notes, *notes])))
