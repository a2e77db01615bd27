"""A game between two players predicted from the games before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import checked_arguments
from yardstone.errors import InputError, MissingFileError, NoGamesError, UsageError
from yardstone.evaluation.comparison import Evaluation, Prediction, compare
from yardstone.evaluation.history import dated_games, rate_games
from yardstone.evaluation.interval_scale import forecast
from yardstone.evaluation.splits import Subset
from yardstone.pool import SkipReport
from yardstone.ratings.rating_list import GameForecast
from yardstone.records.columns import words
from yardstone.records.options import UNKNOWN_RESULT, ColumnNames, check_unread
from yardstone.records.results import ResultColumn, Side, read_column, stated_scores
from yardstone.records.table_files import connection_for, csv_table, first_line_dialect
from yardstone.records.table_results import quoted, sql_text
from yardstone.records.tables import numbers_of
from yardstone.winprob.laws import win_probability

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Ints
    from yardstone.evaluation.ledger import KeptRatings, Ledger


@checked_arguments(ColumnNames)
def predict(
    games: Any,
    player: str,
    opponent: str,
    *,
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    state: Ledger | KeptRatings | None = None,
    advantage: float | None = None,
    exact: bool = False,
    confidence: float = 0.95,
    **names: Unpack[ColumnNames],
) -> GameForecast:
    """Predict the game of two players from the games before: what `yardstone predict` does.

    Args:
        games: None with a state: nothing is added to it.
        player, opponent: The players; the first of them moves first.
        system, parameters, state: As in `yardstone.evaluation.history.rate_games`.
        advantage, exact, confidence: As in `forecast`.
        **names: Which columns hold what, where `games` is no pool; see
            `yardstone.records.options.ColumnNames`.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
        >>> predict(pool, "A", "C", system="elo", exact=True).expected > 0.5
        True
    """
    pool = None if games is None else dated_games(games, names, system, state, parameters)
    rated, notes = rate_games(pool, system=system, parameters=parameters, state=state)
    expected = forecast(
        rated, player, opponent, advantage=advantage, exact=exact, confidence=confidence
    )
    return replace(expected, notes=notes)


_READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
_COMPRESSED = (".gz", ".zst")
_LISTED = 20  #: So many columns are named in a message.


@dataclass(frozen=True, eq=False)
class PredictionTable:
    """Predictions read from a table; frozen.

    Numbers of the players where their columns were named, a subset for each value of the group
    column, and `notes`: rows that were left out, and why.
    """

    score: Floats
    predictions: tuple[Prediction, ...]
    first: Ints | None = None
    second: Ints | None = None
    subsets: tuple[Subset, ...] = ()
    notes: tuple[str, ...] = ()


def compare_table(table: PredictionTable, **options: Any) -> Evaluation:
    """Measure the predictions of a table, and an even chance beside them.

    `options` are `metric`, `confidence`, `replicates` and `seed` of `compare`.
    """
    notes = list(table.notes)
    if table.first is None:
        notes.append("The players are not known (--columns), so intervals are too narrow.")
    even = Prediction("50:50", np.full(len(table.score), 0.5), baseline=True)
    return compare(
        (*table.predictions, even),
        table.score,
        first=table.first,
        second=table.second,
        subsets=table.subsets,
        notes=notes,
        **options,
    )


def read_predictions(
    path: str | Path,
    *,
    score: str,
    predicted: Mapping[str, str] | None = None,
    draws: Mapping[str, str] | None = None,
    ratings: Mapping[str, tuple[str, str]] | None = None,
    players: tuple[str, str] | None = None,
    group_by: str | None = None,
    side: Side | None = None,
    results: Mapping[str, object] | str | None = None,
    skip_unread: bool = False,
) -> PredictionTable:
    """Read scores and predictions from a file of CSV, TSV, Parquet or JSON.

    Args:
        path: CSV and TSV may be compressed (.gz, .zst); their columns need names.
        score: Column with the score of the player who moved first: 1, 0.5, 0 or a result such as
            1-0.
        predicted: Column with expected scores, by name of what predicted them.
        draws: Column with probabilities of draws, by the same names.
        ratings: Two columns with ratings, of the first and the second player, which give an
            expected score by the logistic law (400 points for a factor of ten).
        players: Columns with the players' names, so that intervals know who played whom.
        group_by: Column whose values divide the games into subsets.
        side ({"white", "black"}): Who moved first, where results are written as B+3.5; the names of
            the columns of players tell it as well.
        results: What values of the score mean, as in `yardstone.read`.
        skip_unread: Go on where values of the score are not understood.
    """
    predicted, draws, ratings = predicted or {}, draws or {}, ratings or {}
    sources = {**predicted, **ratings}
    if not sources or len(sources) < len(predicted) + len(ratings):
        raise UsageError("name at least one column with predictions, each by a name of its own")
    if unknown := set(draws) - set(predicted):
        raise UsageError(f"draws for {min(unknown)!r}, which has no predictions")
    names = [score, *predicted.values(), *draws.values()]
    names += [name for pair in ratings.values() for name in pair]
    names += [*(players or ()), *([] if group_by is None else [group_by])]
    texts = _columns(Path(path), list(dict.fromkeys(names)))
    results_there = texts[score].astype(str).tolist()
    column = ResultColumn(
        score,
        dict(sorted(Counter(results_there).items())),
        ("", ""),
        players or ("the first player", "the second player"),
        str(path),
        colour=side or _colour(players),
        stated=stated_scores(results),
    )
    scores = _scores(results_there, column, skip_unread=skip_unread)
    values = {
        name: (numbers_of(texts[column]), numbers_of(texts[draws[name]]) if name in draws else None)
        for name, column in predicted.items()
    }
    for name, (one, other) in ratings.items():
        ahead = numbers_of(texts[one]) - numbers_of(texts[other])
        values[name] = (win_probability(ahead), None)
    good, notes = np.ones(len(scores), np.bool_), []

    def keep(right: Flags, lacking: str) -> None:
        if number := int((good & ~right).sum()):
            notes.append(f"{number:,} rows were left out: {lacking}.")
        good[~right] = False

    keep(~np.isnan(scores), f"no score of 1, 0.5 or 0 in {score!r}")
    for name, (expected, draw) in values.items():
        within = (expected >= 0.0) & (expected <= 1.0)
        keep(within, f"no prediction between 0 and 1 for {name!r}")
        if draw is not None:
            most = 2.0 * np.minimum(expected, 1.0 - expected) + 1e-12  # that of 0.8 is 0.4
            within = (draw >= 0.0) & (draw <= most)
            keep(within, f"no probability of a draw that goes with {name!r}")
    if not good.any():
        raise NoGamesError("no row has a score and predictions", file=str(path))
    ends: list[Ints | None] = [None, None]
    if players is not None:
        both = np.concatenate([texts[column].astype(str)[good] for column in players])
        numbers = np.unique(both, return_inverse=True)[1].astype(np.int32)
        ends = list(np.split(numbers, 2))
    subsets: tuple[Subset, ...] = ()
    if group_by is not None:
        group = texts[group_by].astype(str)[good]
        subsets = tuple(Subset(f"{group_by} {one}", group == one) for one in np.unique(group))
    return PredictionTable(
        scores[good],
        tuple(
            Prediction(name, e[good], None if d is None else d[good], own_draws=d is not None)
            for name, (e, d) in values.items()
        ),
        ends[0],
        ends[1],
        subsets,
        tuple(notes),
    )


def _columns(path: Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The named columns as texts."""
    if not path.is_file():
        raise MissingFileError("there is no such file", file=str(path))
    ending = Path(path.stem).suffix if path.suffix.lower() in _COMPRESSED else path.suffix
    reader = _READERS.get(ending.lower())
    if reader:
        table = f"{reader}({sql_text(path)})"
    else:
        dialect = first_line_dialect(path, str(path))
        table = csv_table(path, dialect, f"header = true, skip = {dialect.header - 1}")
    with connection_for(str(path)) as connection:
        described = connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
        there = [row[0] for row in described]
        by_name = {name.casefold(): name for name in reversed(there)}
        by_name |= {name: name for name in there}
        chosen = [by_name.get(name) or by_name.get(name.casefold()) for name in names]
        if None in chosen:
            raise InputError(
                f"there is no column {names[chosen.index(None)]!r}",
                file=str(path),
                hint=f"the columns are {', '.join(there[:_LISTED])}"
                + (" …" if len(there) > _LISTED else ""),
            )
        listed = ", ".join(
            f"coalesce(CAST({quoted(str(column))} AS VARCHAR), '') AS c{place}"
            for place, column in enumerate(chosen)
        )
        values = connection.execute(f"SELECT {listed} FROM {table}").fetchnumpy()
    return {name: np.asarray(values[f"c{place}"]) for place, name in enumerate(names)}


def _scores(texts: list[str], column: ResultColumn, *, skip_unread: bool) -> Floats:
    """Scores of the player who moved first; NaN for what is none."""
    reading, report = read_column(column), SkipReport()
    for text, number in column.counts.items():
        if text in reading.left_out:
            report.add_uncounted(reading.left_out[text], number, known=True)
        elif text not in reading.scores:
            report.add_uncounted(UNKNOWN_RESULT, number)
            report.values[text] += number
    games = len(texts) - report.total
    check_unread(report, games, file=column.file, skip_unread=skip_unread, named=column.name)
    return np.array([reading.scores.get(text, np.nan) for text in texts])


def _colour(players: tuple[str, str] | None) -> Side | None:
    """The colour of the first player, as the columns of the players are called."""
    for place, name in enumerate(players or ()):
        if "white" in words(name):
            return "white" if place == 0 else "black"
        if "black" in words(name):
            return "black" if place == 0 else "white"
    return None
