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


@pytest.mark.parametrize(("letter", "games", "digits"), [("t", 10_000, 2), ("v", 5_000, 3)])
def test_table_5_2_to_the_printed_digits(letter: str, games: int, digits: int) -> None:
    table = read_predictions(
        shared_path(f"data/go/ogs_neubauer/games_search_{letter}.csv.gz"),
        score="Score",
        predicted={"Full Model": "PredictedScore"},
        ratings={"Future Glicko-2": ("BlackRating", "WhiteRating")},
        players=("Player Black", "Player White"),
        group_by="Set",
    )
    assert (len(table.score), list(table.notes)) == (games, [])
    assert [part.name for part in table.subsets] == [f"Set {letter.upper()}"]
    predictions = [Prediction("50:50", np.full(games, 0.5)), *table.predictions]
    results = {each.name: measure(table.score, each.expected) for each in predictions}
    assert TABLE_5_2[letter] == {
        name: (round(100 * result.accuracy, 1), round(result.log_likelihood, digits))
        for name, result in results.items()
    }
    # The bound is surely ahead of the full model.
    ranking = compare(predictions, table.score).ranking
    assert (ranking.names, ranking.tied) == (("Future Glicko-2", "Full Model", "50:50"), ())


def test_systems_on_go_games_in_order_of_time(tmp_path: Path) -> None:
    """The thesis' whole set-up on TYGEM's first months: sets, labels, bound, deviations."""
    path, table = tmp_path / "games.tsv", shared_path("data/go/tygem_2005_2011.tsv.gz")
    with gzip.open(table, "rt", encoding="utf-8") as source:
        path.write_text("".join(islice(source, 60_001)))
    pool = records.read(path, first="black")
    assert len(pool) == 60_000
    ledger = Ledger.begin("glicko2", pool)
    labels = rating_labels(ledger.pool, ledger.replay)
    sets = draw_sets(ledger.pool, labels, training=5000, exhibition=200)
    score, expected = ledger.pool.score, ledger.replay.expected
    future = win_probability(labels.first - labels.second)
    for letter in "TVEX":
        games = sets.of(letter)
        honest, bound = (measure(score[games], each[games]) for each in (expected, future))
        assert bound.log_likelihood > honest.log_likelihood
        assert bound.accuracy > honest.accuracy
    assert measure(score[sets.of("T")], future[sets.of("T")]).accuracy == 1.0
    deviations = deviations_by_games(ledger.pool, ledger.replay)
    assert deviations.mean[0] == pytest.approx(350.0)
    # "It settles around 73 rating points after 50 games played" (figure 4.4), on OGS.
    assert 65.0 < deviations.mean[50] < 85.0
