"""The thesis' Table 5.2, and systems on real games."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone import records
from yardstone.evaluation.comparison import Prediction, compare
from yardstone.evaluation.ledger import Ledger
from yardstone.evaluation.metrics import measure
from yardstone.evaluation.prediction import read_predictions
from yardstone.evaluation.splits import rating_labels
from yardstone.winprob.laws import win_probability
from yardstone_lab.neubauer.description import deviations_by_games
from yardstone_lab.neubauer.experiment.sets import draw_sets

#: Neubauer 2024, Table 5.2: accuracy in per cent, and log-likelihood; the digits printed.
TABLE_5_2 = {
    "t": {"50:50": (70.1, -0.69), "Full Model": (83.5, -0.44), "Future Glicko-2": (100.0, -0.34)},
    "v": {"50:50": (61.1, -0.693), "Full Model": (69.0, -0.578), "Future Glicko-2": (74.6, -0.515)},
}


def thesis_set(letter: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    table = read_predictions(
        shared_path(f"data/go/ogs_neubauer/games_search_{letter}.csv.gz"),
        score="Score",
        predicted={"Full Model": "PredictedScore"},
        ratings={"Future Glicko-2": ("BlackRating", "WhiteRating")},
        players=("Player Black", "Player White"),
        group_by="Set",
    )
    assert not table.notes
    assert [part.name for part in table.subsets] == [f"Set {letter.upper()}"]
    result = {each.name: each.expected for each in table.predictions}
    return table.score, {"50:50": np.full(len(table.score), 0.5), **result}


@pytest.mark.parametrize(("letter", "games", "digits"), [("t", 10_000, 2), ("v", 5_000, 3)])
def test_table_5_2_to_the_printed_digits(letter: str, games: int, digits: int) -> None:
    score, expected = thesis_set(letter)
    assert len(score) == games
    results = {name: measure(score, values) for name, values in expected.items()}
    assert TABLE_5_2[letter] == {
        name: (round(100 * result.accuracy, 1), round(result.log_likelihood, digits))
        for name, result in results.items()
    }


def test_the_bound_is_surely_ahead_of_the_full_model() -> None:
    score, expected = thesis_set("v")
    result = compare([Prediction(name, values) for name, values in expected.items()], score)
    assert result.ranking.names == ("Future Glicko-2", "Full Model", "50:50")
    assert result.ranking.tied == ()


def some_games(name: str, games: int, folder: Path) -> Path:
    """The first games of a large file of tab-separated values."""
    path = folder / "games.tsv"
    with gzip.open(shared_path(name), "rt", encoding="utf-8") as source, path.open("w") as target:
        target.writelines(islice(source, games + 1))
    return path


def test_systems_on_go_games_in_order_of_time(tmp_path: Path) -> None:
    """The thesis' whole set-up on TYGEM's first months: sets, labels, bound, deviations."""
    path = some_games("data/go/tygem_2005_2011.tsv.gz", 60_000, tmp_path)
    pool = records.read(path, first="black")
    assert len(pool) == 60_000
    ledger = Ledger.begin("glicko2", pool)
    labels = rating_labels(ledger.pool, ledger.replay)
    sets = draw_sets(ledger.pool, labels, training=5000, exhibition=200)
    score, expected = ledger.pool.score, ledger.replay.expected
    future = win_probability(labels.first - labels.second)
    for letter in "TVEX":
        games = sets.of(letter)
        honest, bound = measure(score[games], expected[games]), measure(score[games], future[games])
        assert bound.log_likelihood > honest.log_likelihood
        assert bound.accuracy > honest.accuracy
    assert measure(score[sets.of("T")], future[sets.of("T")]).accuracy == 1.0
    deviations = deviations_by_games(ledger.pool, ledger.replay)
    assert deviations.mean[0] == pytest.approx(350.0)
    # "It settles around 73 rating points after 50 games played" (figure 4.4), on OGS.
    assert 65.0 < deviations.mean[50] < 85.0
