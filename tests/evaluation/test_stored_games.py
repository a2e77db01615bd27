"""Games on disk: the same ratings, predictions and reports as in memory, with bounded memory."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluation.games import START, InPieces, played
from yardstone import pool as pools
from yardstone.errors import InputError, UsageError
from yardstone.evaluation import comparison, uncertainty
from yardstone.evaluation.backtest import evaluate, outcome_table
from yardstone.evaluation.comparison import Evaluation
from yardstone.evaluation.history import rating_history
from yardstone.evaluation.ledger import CarriedRatings, KeptRatings, load_state
from yardstone.evaluation.prediction import predict
from yardstone.evaluation.splits import judged_games
from yardstone.pool import Pool, SkipReport, StoredPool, stored_games
from yardstone.ratings import sequential
from yardstone.ratings.systems import find_system
from yardstone.reports.evaluation import plain_evaluation
from yardstone.reports.history import plain_history

PREDICTED = ("expected", "first_rating", "second_rating", "first_deviation", "second_deviation")
#: Every system that rates games as they come, with periods of every kind.
RULES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in "elo elo-normal glicko ogs egf egf-old fibs skt-lr grades".split()),
    *(("glicko", {"period": period}) for period in ("day", "event", 11.5)),
    ("elo", {"period": "week"}), ("glicko2", {"idle_days": 3.0}),
    ("glicko2", {"period": "month"}), ("egf", {"period": "event"}),
]  # fmt: skip


def on_disk(pool: Pool, size: int = 500) -> StoredPool:
    return stored_games(InPieces(pool, size))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that end within days and events, and parts that must be sorted."""
    monkeypatch.setattr(sequential, "BATCH", 211)
    monkeypatch.setattr(pools, "_PART", 300)


def made_games(games: int = 700) -> Pool:
    """Games out of order, some without a date, some of a player against himself."""
    rng = np.random.default_rng(5)
    day = rng.integers(0, 200, games)
    time = START + day * 86_400
    time[rng.random(games) < 0.01] = np.datetime64("NaT")
    grades = np.array(["4k", "1d", "", "2k"], np.dtypes.StringDType())
    columns = {
        "event": np.array([f"event {each}" for each in day // 9 * 4 + rng.integers(0, 4, games)]),
        "length": rng.integers(1, 9, games),
        "handicap": rng.integers(0, 3, games),
        **{f"{side}_grade": grades[rng.integers(0, 4, games)] for side in ("first", "second")},
    }
    first, second = rng.integers(0, 90, (2, games))
    names = tuple(f"player {number}" for number in range(90))
    return Pool(names, first, second, rng.choice([0.0, 0.5, 1.0], games), time, columns)


@pytest.mark.parametrize(("name", "parameters"), RULES)
def test_games_on_disk_are_rated_as_in_memory(name: str, parameters: dict[str, Any]) -> None:
    """Every prediction and every rating, to the last bit."""
    system = find_system(name).make(**parameters)
    judged, _ = judged_games(made_games())
    kept = on_disk(made_games())
    result, wanted = system.replay(kept), system.replay(judged)
    assert len(list(sequential.rating_batches(system, kept))) > 1
    both = [(result, wanted, column) for column in PREDICTED]
    both += [(result.ratings, wanted.ratings, column) for column in ("rating", "deviation")]
    for one, other, column in both:
        mine, its = getattr(one, column), getattr(other, column)
        assert (mine is None) == (its is None)
        if its is not None:
            assert isinstance(mine, np.memmap) == (one is result)
            assert np.array_equal(mine, its, equal_nan=True), column
    assert system.remarks(kept) == system.remarks(judged)


def test_games_are_put_in_order_as_in_memory() -> None:
    pool = made_games()
    wanted, notes = judged_games(pool)
    kept = on_disk(pool)
    assert kept.games(slice(0, len(kept))) == wanted
    assert judged_games(kept)[1] == notes
    assert np.array_equal(kept.played(), wanted.played())
    assert kept.until(10).select(np.arange(10)) == wanted.select(np.arange(10))


def test_columns_that_only_some_batches_have() -> None:
    one = Pool.from_names("AB", "BC", [1, 0], columns={"komi": [6, 7]})
    other = Pool.from_names("CA", "AB", [1, 1], columns={"event": ["x", "y"]})
    third = Pool.from_names("BC", "CA", [0, 1], columns={"komi": ["5.5", ""], "event": ["z", "x"]})

    class Three(InPieces):
        def __iter__(self) -> Iterator[Pool]:
            return iter((one, other, third))

    kept = stored_games(Three(one, 1)).games(slice(0, 6))
    assert kept.columns["event"].tolist() == ["", "", "x", "y", "z", "x"]
    assert kept.columns["komi"].tolist() == ["6.0", "7.0", "nan", "nan", "5.5", ""]


def test_what_does_not_fit_is_refused() -> None:
    kept = on_disk(played(400, 20, seed=1))
    unable = evaluate(kept, replicates=0).unable
    for name in ("whr", "decaying-bradley-terry"):
        assert "do not fit in memory" in unable[name]
        with pytest.raises(InputError, match=r"weighs all games at once.*--memory"):
            find_system(name).make().replay(kept)
    for refused in (lambda: evaluate(kept, ["whr"]), lambda: rating_history(kept, system="whr")):
        with pytest.raises(InputError, match=r"do not fit in memory|all games at once"):
            refused()
    pool = stored_games(InPieces(played(2000, 20, seed=1), 100), memory=400 * 400)
    with pytest.raises(InputError, match=r"one rating period.*--memory"):
        find_system("glicko").make(period="year").replay(pool)


@pytest.mark.parametrize("system", ["glicko2", "elo"])
def test_a_history_of_games_on_disk_is_that_in_memory(system: str) -> None:
    pool = played(1200, 30, seed=3, draws=0.3)
    options: dict[str, Any] = {"system": system, "players": ["0.3", "0.7"], "report": True}
    result, wanted = (rating_history(each, **options) for each in (on_disk(pool), pool))
    assert plain_history(result) == plain_history(wanted)
    assert [curve.player for curve in rating_history(on_disk(pool), system=system).drawn]
    assert str(result.predict("0.3", "0.7")) == str(wanted.predict("0.3", "0.7"))


def test_kept_ratings_go_on(tmp_path: Path) -> None:
    pool = played(1200, 30, seed=3, draws=0.3)
    half = np.arange(700)
    file = tmp_path / "kept.ratings"
    first = rating_history(on_disk(pool.select(half)), system="glicko2", save=file)
    assert "saved without the games" in first.notes[-1]
    state = load_state(file)
    assert isinstance(state, KeptRatings)
    assert rating_history(state=state)[0] == first[0]
    assert str(predict(None, "0.3", "0.7", state=state)) == str(first.predict("0.3", "0.7"))
    rest = pool.select(np.arange(700, 1200))
    wanted = rating_history(pool, system="glicko2", top=0)
    rated = wanted.rated
    for games in (on_disk(rest), rest):
        result = rating_history(games, state=state, top=0)
        for one, other in zip(result, wanted, strict=True):
            same = ("player", "rating", "deviation", "games")
            assert all(getattr(one, name) == getattr(other, name) for name in same)
            assert (one.low, one.high) == pytest.approx((other.low, other.high))
        for name in ("period", "number"):
            assert getattr(result.rated, name) == getattr(rated, name)
        assert str(result.rated.last_game) == str(rated.last_game)
        opening, expected = result.rated.opening(1000)
        assert opening.score.tolist() == rated.pool.score[:1000].tolist()
        assert np.array_equal(expected, rated.replay.expected[:1000])
        later = outcome_table(pool.score[350:], rated.replay.expected[350:])
        assert np.allclose(result.rated.outcomes, later)


def test_kept_ratings_take_no_earlier_games_no_corrections_and_no_damage(tmp_path: Path) -> None:
    pool = played(600, 20, seed=3)
    file = tmp_path / "kept.ratings"
    rating_history(on_disk(pool), system="elo", save=file, intervals=False)
    refused: list[tuple[Pool | None, dict[str, Any], type[Exception], str]] = [
        (pool.select(np.arange(5)), {}, InputError, "before the state's last game"),
        (None, {"annul": [1]}, UsageError, "without their games"),
        (None, {"system": "elo"}, UsageError, "leave out --system"),
    ]
    for games, options, error, message in refused:
        with pytest.raises(error, match=message):
            rating_history(games, state=load_state(file), **options)
    data = dict(np.load(file))
    for name, wrong in (
        ("played", data["played"][:-1]), ("of rating", data["of rating"] * np.inf),
        ("outcomes", data["outcomes"] - 1.0), ("opening first", data["opening first"] + 1000),
    ):  # fmt: skip
        with file.open("wb") as stream:
            np.savez(stream, **{**data, name: wrong})
        with pytest.raises(InputError):
            load_state(file)


def test_a_state_that_ends_within_a_period_says_so() -> None:
    pool = played(200, 20, seed=3)
    for period, cut in (("year", True), ("game", False)):
        begun = CarriedRatings.begin("glicko", pool.select(np.arange(100)), period=period)
        rest = pool.select(np.arange(100, 200))
        history = rating_history(rest, state=begun.kept(), intervals=False)
        assert ("a period of their own" in " ".join(history.notes)) == cut


class ManyGames:
    """So many games of a thousand players, made as they are asked for."""

    skipped, ordered = SkipReport(), True
    players = tuple(f"player {number}" for number in range(1000))

    def __init__(self, games: int) -> None:
        self.games = games

    def __iter__(self) -> Iterator[Pool]:
        rng, step = np.random.default_rng(1), 100_000
        for _ in range(0, self.games, step):
            first = rng.integers(0, 1000, step, dtype=np.int32)
            time = START + rng.integers(0, 10**8, step)
            score = rng.integers(0, 2, step).astype(float)
            yield Pool(self.players, first, (first + 1) % 1000, score, time)


def peak_of(games: int) -> int:
    """Bytes that a process of its own takes for the ratings of so many games."""
    history = rating_history(stored_games(ManyGames(games)), system="glicko2", intervals=False)
    assert len(history.rated.pool) == games
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_memory_does_not_grow_with_the_games() -> None:
    fresh = get_context("spawn")
    peaks = []
    for games in (1_200_000, 2_800_000):
        with ProcessPoolExecutor(1, fresh) as process:
            peaks.append(process.submit(peak_of, games).result())
    # 1.6 million games more would take 104 MB in a pool with its predictions.
    assert peaks[1] - peaks[0] < 60e6, peaks


# ------------------------------------------------- evaluation of many games

GAMES, SINCE = played(1200, 40, seed=2, draws=0.3), START + 86_400 * 300
OPTIONS: dict[str, Any] = {"systems": ["elo", "glicko2"], "since_dates": [SINCE], "replicates": 100}


def reported(evaluation: Evaluation) -> dict[str, Any]:
    """All that is reported, without the time it took."""
    values = plain_evaluation(evaluation)
    for system in values["systems"]:
        del system["seconds"]
    return values


def test_games_on_disk_are_evaluated_as_in_memory() -> None:
    pool = replace(GAMES, columns={"round": np.arange(len(GAMES)) % 3})
    tuned = {"first_advantage": "none", "systems": ["elo"], "tune": 3, "replicates": 0}
    for options in ({"first_advantage": "auto", "group_by": "round"}, tuned):
        result, wanted = (evaluate(each, **OPTIONS | options) for each in (on_disk(pool), pool))
        assert reported(result) == reported(wanted)


def test_many_games_are_summed_as_they_are_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = evaluate(GAMES, **OPTIONS)
    monkeypatch.setattr(comparison, "MANY_GAMES", 300)
    monkeypatch.setattr(uncertainty, "PIECE", 150)
    stored, result = (evaluate(each, **OPTIONS) for each in (on_disk(GAMES), GAMES))
    assert reported(stored) == reported(result)
    for one, other in zip(result.systems, wanted.systems, strict=True):
        assert (one.name, one.metrics) == (other.name, other.metrics)
        assert str(one.calibration.slope) == str(other.calibration.slope)
    assert result.bootstraps.keys() == wanted.bootstraps.keys()
    for subset, metric in wanted.bootstraps:
        ours, theirs = (
            each.difference("elo", "glicko2", metric=metric, subset=subset)
            for each in (result, wanted)
        )
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-6)
