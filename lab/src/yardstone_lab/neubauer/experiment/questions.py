"""The games that each model is asked to predict, and the file of its predictions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile, StoredArrays, map_array
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.result import Ratings
from yardstone.winprob.laws import win_probability
from yardstone_lab.neubauer.moves import WINDOW, MoveSets, Pieces, histories, ranges, recent_moves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.evaluation.splits import Labels
    from yardstone.ratings.result import Replay
    from yardstone.ratings.sequential import Sequential
    from yardstone_lab.neubauer.experiment.sets import Sets
    from yardstone_lab.neubauer.moves import Stores

    Array = NDArray[np.float64]
    Integers = NDArray[np.int64]

__all__ = [
    "Hidden",
    "hidden_games",
    "predict_hidden",
    "EVERYTHING",
    "RANK",
    "Questions",
    "RecentMoves",
    "ask_questions",
    "gather_moves",
    "EVEN",
    "FUTURE",
    "GLICKO",
    "TUNED",
    "ExperimentPredictions",
    "result_predictions",
    "system_predictions",
    "load_predictions",
    "predictions_csv",
    "save_predictions",
]


@dataclass(frozen=True, eq=False)
class Hidden:
    """The last games of both players of some games."""

    games: Integers  #: [g]: the games to be predicted: numbers in the pool.
    past: Integers  #: [n]: games that are seen, of one side after the other, the oldest first.
    #: Side s (0 the first player) of the i-th game has
    #: ``past[starts[2 * i + s]:starts[2 * i + s + 1]]``.
    starts: Integers


def hidden_games(pool: Pool, games: NDArray[Any], last: int) -> Hidden:
    """The last `last` games of both players before each of some games of a pool."""
    if last < 0:
        raise UsageError(f"the last {last} games cannot be taken")
    chosen = np.asarray(games)
    chosen = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.int64)
    order, place, begins = histories(pool)
    here = place[(2 * chosen[:, None] + np.array([0, 1])).ravel()]
    oldest = np.maximum(begins[here], here - last)
    length = here - oldest
    past = order[ranges(oldest, length)] // 2
    return Hidden(chosen, past, np.concatenate([[0], np.cumsum(length)]))


def predict_hidden(
    pool: Pool,
    replay: Replay,
    system: Sequential,
    hidden: Hidden,
    *,
    rating: Array | None = None,
    deviation: Array | None = None,
) -> Array:
    """Expected score of the first player of each game, from the last games alone.

    Both players start as newcomers, or with the ratings given, and are rated by their
    last games. Their opponents there have the ratings that all games gave them; only
    where the opponent is the other player of the game to be predicted is that player
    a newcomer too, for a rating from hidden games would tell of them.

    Args:
        pool: In order of time.
        replay: Of all games under the same system, with deviations.
        system: Rates games one by one.
        rating, deviation (float64 [2 * g]): What each side of each game starts with in place of a
            newcomer's rating and deviation; NaN leaves that.

    Returns:
        float64 [g]
    """
    if replay.first_deviation is None or replay.second_deviation is None:
        raise UsageError("hiding games takes a system with deviations: Glicko-2, for example")
    sides = len(hidden.starts) - 1
    length = np.diff(hidden.starts)
    side = np.repeat(np.arange(sides), length)
    target = hidden.games[side // 2]
    hero = np.where(side % 2 == 0, pool.first[target], pool.second[target])
    rival = np.where(side % 2 == 0, pool.second[target], pool.first[target])
    is_first = pool.first[hidden.past] == hero
    opponent = np.where(is_first, pool.second[hidden.past], pool.first[hidden.past])
    known = opponent != rival
    theirs = np.where(is_first, replay.second_rating[hidden.past], replay.first_rating[hidden.past])
    unsure = np.where(
        is_first, replay.second_deviation[hidden.past], replay.first_deviation[hidden.past]
    )
    opponents = np.concatenate([np.full(sides, np.nan), np.where(known, theirs, np.nan)])
    deviations = np.concatenate([np.full(sides, np.nan), np.where(known, unsure, np.nan)])
    if rating is not None:
        opponents[:sides] = rating
    if deviation is not None:
        deviations[:sides] = deviation
    # Each side is a player of its own, and so is each of its opponents in each game.
    names = tuple(map(str, range(sides + len(side))))
    against = sides + np.arange(len(side))
    first = np.where(is_first, side, against)
    second = np.where(is_first, against, side)
    last = np.arange(0, sides, 2)
    scenes = Pool(
        names,
        np.concatenate([first, last]).astype(np.int32),
        np.concatenate([second, last + 1]).astype(np.int32),
        np.concatenate([pool.score[hidden.past], np.full(len(last), 0.5)]),
    )
    state = system.start(names, Ratings(names, opponents, deviations, system.scale))
    return system.advance(state, scenes)[1].expected[len(side) :]


_MOVES_FILE = ArrayFile("table of recent moves", compressed=False)

#: The kind of features that are the rank model's scores of each move.
RANK = "rank"
#: In place of a number of games: nothing is hidden.
EVERYTHING = -1


@dataclass(frozen=True, eq=False)
class Questions:
    """Games to be predicted; frozen."""

    game: NDArray[np.int64]  #: [q]: numbers in the pool.
    letter: NDArray[np.str_]  #: [q]: the set of each game: T, V, E or X.
    last: NDArray[np.int64]  #: [q]: how many of both players' last games may be seen; -1 for all.

    def __len__(self) -> int:
        return len(self.game)

    def of(self, letter: str, last: int = EVERYTHING) -> NDArray[np.bool_]:
        """True for the games of a set, asked with so many games seen."""
        return np.asarray((self.letter == letter) & (self.last == last))

    @property
    def parts(self) -> list[tuple[str, int]]:
        """The sets, each with how many games are seen, in order."""
        pairs = zip(self.letter.tolist(), self.last.tolist(), strict=True)
        return list(dict.fromkeys(pairs))


def ask_questions(sets: Sets, hidden: Iterable[int] = ()) -> Questions:
    """All games of the four sets, and those of E and X again with games hidden."""
    order = [(letter, EVERYTHING) for letter in "TVEX"]
    order += [(letter, last) for last in dict.fromkeys(hidden) for letter in "EX"]
    games = [np.flatnonzero(sets.of(letter)) for letter, _ in order]
    sizes = [len(each) for each in games]
    return Questions(
        np.concatenate(games).astype(np.int64),
        np.repeat([letter for letter, _ in order], sizes),
        np.repeat([last for _, last in order], sizes).astype(np.int64),
    )


@dataclass(frozen=True, eq=False)
class RecentMoves:
    """The recent moves of both players of each question, kept in a folder."""

    folder: Path  #: Holds `recent.npz` and a file for each kind of features.
    rows: NDArray[np.int64]  #: `rows`, `starts`: as in `MoveSets`.
    starts: NDArray[np.int64]

    @classmethod
    def open(cls, folder: Path) -> RecentMoves:
        """Open what `gather_moves` wrote."""
        return _MOVES_FILE.read(
            folder / "recent.npz", lambda file, _: cls(folder, file["rows"], file["starts"])
        )

    def sets(self, kinds: Sequence[str]) -> MoveSets:
        """The moves with some kinds of features, side by side."""
        columns = [self._features(kind) for kind in kinds]
        features = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)
        return MoveSets(features, self.rows, self.starts)

    def _features(self, kind: str) -> NDArray[Any]:
        return map_array(self.folder / f"{kind}.npy")


def gather_moves(
    folder: Path,
    pool: Pool,
    pieces: Pieces,
    questions: Questions,
    stores: Stores,
    kinds: Sequence[str],
    window: int = WINDOW,
) -> RecentMoves:
    """Write the recent moves of both players of each question into a folder.

    Only features that some question needs are taken, each move's once.

    Args:
        folder: It exists.
        pool, pieces: All games, and where their moves lie in the stores.
        kinds: Kinds of features, each of one row of numbers a move; ``rank`` stands for the scores
            of the rank model.
        window: Moves of each player at most.
    """
    gathered = []
    for last in dict.fromkeys(questions.last.tolist()):
        here = questions.last == last
        limit = None if last == EVERYTHING else last
        rows, starts = recent_moves(
            pool, pieces, questions.game[here], window=window, last_games=limit
        )
        gathered.append((np.flatnonzero(here), rows, starts))
    # Questions of one number of games stand together, but need not: put each in its place.
    pieces_of = [np.empty(0, np.int64)] * (2 * len(questions))
    for places, rows, starts in gathered:
        for k, place in enumerate(places.tolist()):
            for side in (0, 1):
                begin, end = starts[2 * k + side], starts[2 * k + side + 1]
                pieces_of[2 * place + side] = rows[begin:end]
    joined = np.concatenate([np.empty(0, np.int64), *pieces_of])
    starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces_of])])
    used, place_of = np.unique(joined, return_inverse=True)
    for kind in kinds:
        np.save(folder / f"{kind}.npy", _features(stores, kind, used))
    rows_now = place_of.ravel().astype(np.int64)
    arrays = {"rows": rows_now, "starts": starts.astype(np.int64), "used": used}
    _MOVES_FILE.write(folder / "recent.npz", arrays)
    return RecentMoves(folder, rows_now, starts.astype(np.int64))


def _features(stores: Stores, kind: str, rows: NDArray[np.int64]) -> NDArray[Any]:
    if kind == RANK:
        from yardstone_lab.neubauer.experiment.models import rank_scores

        return rank_scores(stores, rows)
    return stores.gather(kind, rows)


EVEN, GLICKO, FUTURE = "50:50", "Glicko-2", "Future Glicko-2"
TUNED = "Glicko-2 tuned"


@dataclass(frozen=True, eq=False)
class ExperimentPredictions:
    """Expected scores of Black, by system; frozen."""

    questions: Questions
    score: Array  #: [q]: Black's points.
    labels: Array  #: [q, 2]: rating labels of Black and White.
    players: NDArray[np.int32]  #: [q, 2]: their numbers in the pool.
    expected: Mapping[str, Array] = field(default_factory=dict)  #: [q]: by the name of the system.
    #: [q, 2]: ratings of Black and White, of the systems that have some.
    ratings: Mapping[str, Array] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)  #: What each system is, in words.

    def with_system(
        self, name: str, expected: Array, ratings: Array | None = None, about: str = ""
    ) -> ExperimentPredictions:
        """The same with a further system.

        Args:
            expected: float64 [q].
            ratings: float64 [2 * q] or [q, 2].
        """
        if expected.shape != (len(self.questions),):
            raise InputError(
                f"{name} has predictions {expected.shape} of {len(self.questions)} games"
            )
        if not ((expected >= 0.0) & (expected <= 1.0)).all():
            raise InputError(f"{name} has a prediction that is not between 0 and 1")
        rated = dict(self.ratings)
        if ratings is not None:
            rated[name] = np.asarray(ratings, np.float64).reshape(len(self.questions), 2)
        return replace(
            self,
            expected={**self.expected, name: np.asarray(expected, np.float64)},
            ratings=rated,
            about={**self.about, name: about},
        )


def result_predictions(
    pool: Pool, replay: Replay, labels: Labels, system: Sequential, questions: Questions
) -> ExperimentPredictions:
    """The systems that see results only: 50:50, Glicko-2, and Glicko-2 from the future.

    Args:
        pool: In order of time.
        replay: Of that pool under `system`.
        labels: Of that replay.

    Returns:
        Where games are hidden, Glicko-2 sees what may be seen; the labels stay.
    """
    game = questions.game
    future = np.column_stack([labels.first[game], labels.second[game]])
    expected, rated = system_predictions(pool, replay, system, questions)
    predictions = ExperimentPredictions(
        questions,
        np.asarray(pool.score[game], np.float64),
        future,
        np.column_stack([pool.first[game], pool.second[game]]),
    )
    predictions = predictions.with_system(
        EVEN, np.full(len(game), 0.5), about="an even chance for both"
    )
    predictions = predictions.with_system(
        GLICKO, expected, rated, about="from the results of earlier games"
    )
    return predictions.with_system(
        FUTURE,
        win_probability(future[:, 0] - future[:, 1]),
        future,
        about="from the rating labels, which know the result: a bound",
    )


def system_predictions(
    pool: Pool, replay: Replay, system: Sequential, questions: Questions
) -> tuple[Array, Array]:
    """What a system of results expects of each question, and its ratings.

    Returns:
        expected (float64 [q])
        ratings (float64 [q, 2]): Of Black and White; NaN where games are hidden.
    """
    game = questions.game
    expected = replay.expected[game].copy()
    rated = np.column_stack([replay.first_rating[game], replay.second_rating[game]])
    for last in dict.fromkeys(questions.last.tolist()):
        if last == EVERYTHING:
            continue
        here = np.flatnonzero(questions.last == last)
        hidden = hidden_games(pool, game[here], last)
        expected[here] = predict_hidden(pool, replay, system, hidden)
        rated[here] = np.nan
    return expected, rated


_PREDICTIONS_FILE = ArrayFile("file of predictions")


def save_predictions(predictions: ExperimentPredictions, pool: Pool, path: Path) -> None:
    """Write predictions to one file (numpy's npz)."""
    questions = predictions.questions
    about = {
        "systems": list(predictions.expected),
        "rated": list(predictions.ratings),
        "about": predictions.about,
    }
    kept: dict[str, Any] = {
        "about": np.array(json.dumps(about | {"about": dict(predictions.about)})),
        "game": questions.game,
        "letter": questions.letter,
        "last": questions.last,
        "score": predictions.score,
        "labels": predictions.labels,
        "players": predictions.players,
    }
    kept |= {f"expected_{k}": values for k, values in enumerate(predictions.expected.values())}
    kept |= {f"rating_{k}": values for k, values in enumerate(predictions.ratings.values())}
    _PREDICTIONS_FILE.write(path, kept)


def load_predictions(path: Path) -> ExperimentPredictions:
    """Read what `save_predictions` wrote.

    Raises:
        InputError: It is something else, or damaged.
    """
    return _PREDICTIONS_FILE.read(path, _predictions)


def _predictions(kept: StoredArrays, _: object) -> ExperimentPredictions:
    about = json.loads(str(kept["about"]))
    return ExperimentPredictions(
        Questions(kept["game"], kept["letter"], kept["last"]),
        kept["score"],
        kept["labels"],
        kept["players"],
        {name: kept[f"expected_{k}"] for k, name in enumerate(about["systems"])},
        {name: kept[f"rating_{k}"] for k, name in enumerate(about["rated"])},
        about["about"],
    )


def predictions_csv(predictions: ExperimentPredictions, pool: Pool) -> str:
    """A row a question: set, games seen, the game, labels, predictions and ratings."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rated = [name for name in predictions.ratings if name in predictions.expected]
    writer.writerow(
        ["set", "games_seen", "game", "time", "black", "white", "score"]
        + ["black_label", "white_label", *predictions.expected]
        + [f"{name} {side}" for name in rated for side in ("black", "white")]
    )
    questions = predictions.questions
    keys = pool.columns["key"]
    for row, game in enumerate(questions.game.tolist()):
        last = int(questions.last[row])
        time = "" if pool.time is None else str(pool.time[game])
        black, white = (pool.players[number] for number in predictions.players[row])
        writer.writerow(
            [questions.letter[row], "all" if last == EVERYTHING else last, keys[game], time]
            + [black, white, f"{predictions.score[row]:g}"]
            + [f"{value:.1f}" for value in predictions.labels[row]]
            + [f"{values[row]:.5f}" for values in predictions.expected.values()]
            + [f"{value:.1f}" for name in rated for value in predictions.ratings[name][row]]
        )
    return out.getvalue()
