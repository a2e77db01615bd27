"""Games on disk: the same ratings, predictions and reports as in memory, with bounded memory."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yardstone
from tests.evaluation.games import START, InPieces, played
from tests.shared import shared_path
from yardstone import pool as pools
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.history import rating_history
from yardstone.evaluation.ledger import CarriedRatings, KeptRatings, load_state
from yardstone.evaluation.prediction import predict
from yardstone.evaluation.splits import judged_games
from yardstone.pool import Pool, StoredPool, stored_games
from yardstone.ratings import sequential
from yardstone.ratings.systems import find_system
from yardstone.reports.history import plain_history

TEXT = np.dtypes.StringDType()
PREDICTED = ("expected", "first_rating", "second_rating", "first_deviation", "second_deviation")
#: Every system that rates games as they come, with periods of every kind.
RULES: list[tuple[str, dict[str, Any]]] = [
    ("elo", {}),
    ("elo", {"period": "week"}),
    ("elo-normal", {}),
    ("glicko", {}),
    ("glicko", {"period": "day"}),
    ("glicko", {"period": "event"}),
    ("glicko", {"period": 11.5}),
    ("glicko2", {"idle_days": 3.0}),
    ("glicko2", {"period": "month"}),
    ("ogs", {}),
    ("egf", {}),
    ("egf", {"period": "event"}),
    ("egf-old", {}),
    ("fibs", {}),
    ("skt-lr", {}),
    ("grades", {}),
]


def on_disk(pool: Pool, size: int = 700) -> StoredPool:
    return stored_games(InPieces(pool, size))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that end within days and events, and parts that must be sorted."""
    monkeypatch.setattr(sequential, "BATCH", 311)
    monkeypatch.setattr(pools, "_PART", 500)


def made_games(games: int = 3000) -> Pool:
    """Games out of order, some without a date, some of a player against himself."""
    rng = np.random.default_rng(5)
    day = rng.integers(0, 200, games)
    time = START + day * 86_400
    time[rng.random(games) < 0.01] = np.datetime64("NaT")
    grades = np.array(["4k", "1d", "", "2k"], TEXT)
    columns = {
        "event": np.array([f"event {each}" for each in day // 9 * 4 + rng.integers(0, 4, games)]),
        "length": rng.integers(1, 9, games),
        "handicap": rng.integers(0, 3, games),
        "first_grade": grades[rng.integers(0, 4, games)],
        "second_grade": grades[rng.integers(0, 4, games)],
    }
    first, second = rng.integers(0, 90, (2, games))
    names = tuple(f"player {number}" for number in range(90))
    return Pool(names, first, second, rng.choice([0.0, 0.5, 1.0], games), time, columns)


def assert_rated_alike(pool: Pool, name: str, parameters: dict[str, Any]) -> None:
    """Every prediction and every rating, to the last bit."""
    system = find_system(name).make(**parameters)
    judged, _ = judged_games(pool)
    kept = on_disk(pool)
    result, wanted = system.replay(kept), system.replay(judged)
    assert len(list(sequential.rating_batches(system, kept))) > 1
    for column in PREDICTED:
        one, other = getattr(result, column), getattr(wanted, column)
        assert (one is None) == (other is None)
        if other is not None:
            assert isinstance(one, np.memmap)
            assert np.array_equal(one, other, equal_nan=True), column
    assert np.array_equal(result.ratings.rating, wanted.ratings.rating, equal_nan=True)
    assert np.array_equal(result.ratings.deviation, wanted.ratings.deviation, equal_nan=True)
    assert system.remarks(kept) == system.remarks(judged)


@pytest.mark.parametrize(("name", "parameters"), RULES)
def test_games_on_disk_are_rated_as_in_memory(name: str, parameters: dict[str, Any]) -> None:
    assert_rated_alike(made_games(), name, parameters)


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


@pytest.mark.parametrize("name", ["whr", "decaying-bradley-terry"])
def test_what_weighs_all_games_at_once_is_refused(name: str) -> None:
    kept = on_disk(played(400, 20, seed=1))
    with pytest.raises(InputError, match=r"weighs all games at once.*--memory"):
        find_system(name).make().replay(kept)


def test_a_history_of_whole_games_is_refused() -> None:
    with pytest.raises(InputError, match="all games at once"):
        rating_history(on_disk(played(400, 20, seed=1)), system="whr")


def test_a_period_that_does_not_fit_is_refused() -> None:
    pool = stored_games(InPieces(played(2000, 20, seed=1), 100), memory=400 * 400)
    with pytest.raises(InputError, match=r"one rating period.*--memory"):
        find_system("glicko").make(period="year").replay(pool)


@pytest.mark.parametrize("system", ["glicko2", "elo"])
def test_a_history_of_games_on_disk_is_that_in_memory(system: str) -> None:
    pool = played(3000, 60, seed=3, draws=0.3)
    options: dict[str, Any] = {"system": system, "players": ["0.3", "0.7"], "report": True}
    result = rating_history(on_disk(pool), **options)
    wanted = rating_history(pool, **options)
    assert plain_history(result) == plain_history(wanted)
    assert [curve.player for curve in rating_history(on_disk(pool), system=system).drawn]
    assert str(result.predict("0.3", "0.7")) == str(wanted.predict("0.3", "0.7"))


def test_kept_ratings_go_on(tmp_path: Path) -> None:
    pool = played(3000, 60, seed=3, draws=0.3)
    half = np.arange(1700)
    file = tmp_path / "kept.ratings"
    first = rating_history(on_disk(pool.select(half)), system="glicko2", save=file)
    assert "saved without the games" in first.notes[-1]
    state = load_state(file)
    assert isinstance(state, KeptRatings)
    assert rating_history(state=state)[0] == first[0]
    rest = pool.select(np.arange(1700, 3000))
    for games in (on_disk(rest), rest):
        result = rating_history(games, state=state, top=0)
        wanted = rating_history(pool, system="glicko2", top=0)
        assert [each.player for each in result] == [each.player for each in wanted]
        for one, other in zip(result, wanted, strict=True):
            assert (one.rating, one.deviation, one.games) == (
                other.rating,
                other.deviation,
                other.games,
            )
            assert (one.low, one.high) == pytest.approx((other.low, other.high))
        assert result.rated.period == wanted.rated.period
        assert str(result.rated.last_game) == str(wanted.rated.last_game)
    forecast = predict(None, "0.3", "0.7", state=state)
    assert 0.0 < forecast.low < forecast.expected < forecast.high < 1.0


def test_kept_ratings_take_no_earlier_games_and_no_corrections(tmp_path: Path) -> None:
    pool = played(800, 20, seed=3)
    file = tmp_path / "kept.ratings"
    rating_history(on_disk(pool), system="elo", save=file)
    state = load_state(file)
    with pytest.raises(InputError, match="before the state's last game"):
        rating_history(pool.select(np.arange(5)), state=state)
    with pytest.raises(UsageError, match="without their games"):
        rating_history(state=state, annul=[1])
    with pytest.raises(UsageError, match="leave out --system"):
        rating_history(state=state, system="elo")


def test_a_state_that_ends_within_a_period_says_so() -> None:
    pool = played(800, 20, seed=3)
    kept = CarriedRatings.begin("glicko", pool.select(np.arange(400)), period="year").kept()
    history = rating_history(pool.select(np.arange(400, 800)), state=kept)
    assert "a period of their own" in " ".join(history.notes)


def test_a_damaged_file_of_kept_ratings_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "kept.ratings"
    rating_history(on_disk(played(800, 20, seed=3)), system="elo", save=file)
    data = dict(np.load(file))
    for name, wrong in [
        ("played", data["played"][:-1]),
        ("of rating", data["of rating"] * np.inf),
        ("outcomes", data["outcomes"] - 1.0),
        ("opening first", data["opening first"] + 1000),
    ]:
        bad = tmp_path / "bad.ratings"
        with bad.open("wb") as stream:
            np.savez(stream, **{**data, name: wrong})
        with pytest.raises(InputError):
            load_state(bad)


KINGBASE = ("data/chess/kingbase_1990_2012.tsv.gz", "2011-", 4000)
TYGEM = ("data/go/tygem_2005_2011.tsv.gz", "", 6000)


def real_games(name: str, begins: str, lines: int, folder: Path) -> Pool:
    """The first games of a shared table whose line begins so."""
    path = folder / "games.tsv"
    with gzip.open(shared_path(name), "rt") as source, path.open("w") as target:
        target.write(next(source))
        target.writelines(islice((line for line in source if line.startswith(begins)), lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", yardstone.SkippedWarning)
        return yardstone.read(path, times=True)


@pytest.mark.parametrize("table", [KINGBASE, TYGEM])
def test_real_games_on_disk_are_rated_as_in_memory(
    table: tuple[str, str, int], tmp_path: Path
) -> None:
    pool = real_games(*table, tmp_path)
    rules: list[tuple[str, dict[str, Any]]] = [
        ("elo", {"period": "day"}),
        ("glicko", {"period": 3}),
        ("glicko2", {}),
        ("ogs", {"idle_days": 3.0}),
        ("egf", {"period": "day"}),
        ("skt-lr", {}),
    ]
    for name, parameters in rules:
        assert_rated_alike(pool, name, parameters)


MEMORY = """
import json, resource, sys
import numpy as np
from yardstone.evaluation.history import rating_history
from yardstone.pool import Pool
from yardstone.pool import stored_games

games, step, players = int(sys.argv[1]), 100_000, 1000
names = tuple(f"player {number}" for number in range(players))

class Games:
    players, ordered = names, True
    skipped = Pool.from_names([], [], []).skipped
    def __iter__(self):
        rng = np.random.default_rng(1)
        for begin in range(0, games, step):
            first = rng.integers(0, players, step, dtype=np.int32)
            second = (first + 1) % players
            time = np.datetime64("2020-01-01", "s") + rng.integers(0, 10**8, step)
            score = rng.integers(0, 2, step).astype(float)
            yield Pool(names, first, second, score, time)

history = rating_history(stored_games(Games()), system="glicko2", intervals=False)
print(json.dumps([len(history.rated.pool), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


def test_memory_does_not_grow_with_the_games() -> None:
    peaks = []
    for games in (2_400_000, 4_800_000):
        run = subprocess.run(
            [sys.executable, "-c", MEMORY, str(games)], capture_output=True, text=True, check=True
        )
        number, peak = json.loads(run.stdout)
        assert number == games
        peaks.append(peak * 1024)
    # 2.4 million games more would take 156 MB in a pool with its predictions.
    assert peaks[1] - peaks[0] < 50e6, peaks
