"""The data preparation of the strength models, and a whole small experiment, on real games."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone import parallel, records
from yardstone.evaluation.metrics import measure
from yardstone.evaluation.splits import rating_labels
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.games import FilterReport, Filters, ListedGames, collect_pool
from yardstone_lab.neubauer.experiment.questions import FUTURE, GLICKO, hidden_games, predict_hidden
from yardstone_lab.neubauer.experiment.run import run_experiment
from yardstone_lab.neubauer.experiment.sets import draw_sets

GAMES, KEPT = 3710, 3695
#: Games that were lost because a player went offline.
LOST = {"decision": 15}
DECIDED = {"counted": 1163, "resigned": 2241, "timed out": 291}
COLUMNS = {"game_id": "game_id", "result": "result", "clock": "clock"}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first month of the table of results."""
    path = tmp_path_factory.mktemp("tygem") / "results.tsv"
    with gzip.open(shared_path("data/go/tygem_2005_2011.tsv.gz"), "rt") as source:
        path.write_text("".join(islice(source, 5001)))
    return path


@pytest.fixture(scope="module")
def collected(table: Path) -> tuple[Pool, FilterReport]:
    results = records.read(table, columns=COLUMNS, first="black", times=True)
    moves = [str(shared_path("data/go/tygem_moves/2005-11.zip"))]
    source = ListedGames(moves, results, "game_id", "result", "clock")
    return collect_pool(source, Filters(unknown_clock=False))


def test_filters_on_a_month_of_games(collected: tuple[Pool, FilterReport]) -> None:
    pool, report = collected
    assert (report.games, report.kept, report.unread) == (GAMES, KEPT, 0)
    assert dict(report.first) == LOST
    decided, number = np.unique(pool.columns["decision"], return_counts=True)
    assert dict(zip(decided.tolist(), number.tolist(), strict=True)) == DECIDED
    assert pool.time is not None
    assert (np.diff(pool.time.astype(np.int64)) >= 0).all()


def test_hidden_games_cost_glicko_what_it_knew(collected: tuple[Pool, FilterReport]) -> None:
    """With more of the last games seen, predictions come nearer to those from all of them."""
    pool, _ = collected
    system = Glicko2(initial_deviation=200.0)
    replay = system.replay(pool)
    late = np.arange(len(pool) - 1500, len(pool))
    distances = []
    for last in (0, 2, 10, 1000):
        result = predict_hidden(pool, replay, system, hidden_games(pool, late, last))
        distances.append(float(np.abs(result - replay.expected[late]).mean()))
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 0.25 * distances[0]


def test_training_games_do_not_bend_the_test_set(collected: tuple[Pool, FilterReport]) -> None:
    pool, _ = collected
    replay = Glicko2().replay(pool)
    labels = rating_labels(pool, replay)
    few, many = (
        draw_sets(pool, labels, training=number, validation=300, test=1500, exhibition=100, seed=1)
        for number in (10, 300)
    )
    assert np.array_equal(few.of("E"), many.of("E"))
    everything = measure(pool.score, replay.expected).accuracy
    test = measure(pool.score[many.of("E")], replay.expected[many.of("E")]).accuracy
    assert test == pytest.approx(everything, abs=0.04)


DESCRIPTION = """
[games]
moves = ["{moves}"]
results = "{results}"
key = "game_id"
result = "result"
clock = "clock"
[judge]
judge = false
[features]
net = "{net}"
komi = 6.5
since = 2005-11-30T23:00:00
newcomers = false
[sets]
training = 4
validation = 3
test = 6
exhibition = 0
[ratings]
advance = 0
[models]
basic = false
full = false
pooled = []
[table]
hidden = [0]
replicates = 20
"""


def test_a_whole_experiment_on_a_few_games(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text(
        DESCRIPTION.format(
            moves=shared_path("data/go/tygem_moves/2005-11.zip"),
            results=table,
            net=shared_path("nets/g170-b6c96-s175395328-d26788732.bin.gz"),
        )
    )
    with parallel.context(workers=1):
        result = run_experiment(read_experiment(path), say=lambda _: None)
    assert len(result.pool) == KEPT
    predictions = result.predictions
    assert {letter: int(predictions.questions.of(letter).sum()) for letter in "TVE"} == {
        "T": 4, "V": 3, "E": 6,
    }  # fmt: skip
    assert measure(predictions.score[:4], predictions.expected[FUTURE][:4]).accuracy == 1.0
    none = predictions.questions.last == 0
    assert predictions.expected[GLICKO][none] == pytest.approx(0.5)
    assert predictions.expected["Stochastic"][none] == pytest.approx(0.5, abs=1e-6)
    head = result.moves.sets(("head",))
    used = head.features[head.rows]
    assert np.isfinite(used).all()
    assert 0.1 < 10.0 * float(used[:, 5].mean()) < 3.0  # points that a move of a 9 dan loses
