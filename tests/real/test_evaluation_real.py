"""The thesis' Table 5.2, systems on real games, and Kaniuk's model with its fits and scales."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone import records
from yardstone.errors import YardstoneWarning
from yardstone.evaluation.comparison import Prediction, compare
from yardstone.evaluation.ledger import Ledger
from yardstone.evaluation.metrics import measure
from yardstone.evaluation.prediction import read_predictions
from yardstone.evaluation.splits import rating_labels
from yardstone.winprob.fit import EVENT_GAMES, fit_winning_model
from yardstone.winprob.games import read_games_csv
from yardstone.winprob.laws import win_probability
from yardstone.winprob.likelihood import GradedGames, fit_likelihood, parameter_interval
from yardstone.winprob.model import winning_model
from yardstone.winprob.scales import convert
from yardstone.winprob.statistics import WinningStatistics, statistics_of_files
from yardstone_lab.kaniuk import fit_grades, read_egf_list
from yardstone_lab.least_squares import fit_least_squares
from yardstone_lab.neubauer.description import deviations_by_games

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


def test_glicko2_on_go_games_in_order_of_time(tmp_path: Path) -> None:
    """The thesis' labels and deviations, on TYGEM's first months."""
    path, table = tmp_path / "games.tsv", shared_path("data/go/tygem_2005_2011.tsv.gz")
    with gzip.open(table, "rt", encoding="utf-8") as source:
        path.write_text("".join(islice(source, 60_001)))
    pool = records.read(path, first="black")
    assert len(pool) == 60_000
    ledger = Ledger.begin("glicko2", pool)
    labels = rating_labels(ledger.pool, ledger.replay)
    future = win_probability(labels.first - labels.second)
    honest, bound = (measure(ledger.pool.score, each) for each in (ledger.replay.expected, future))
    assert bound.log_likelihood > honest.log_likelihood > np.log(0.5)
    deviations = deviations_by_games(ledger.pool, ledger.replay)
    assert deviations.mean[0] == pytest.approx(350.0)
    # "It settles around 73 rating points after 50 games played" (figure 4.4), on OGS.
    assert 65.0 < deviations.mean[50] < 85.0


GAMES = "data/go/tournaments/games.csv.gz"


def test_every_row_of_a_table_is_counted_or_told_with_a_reason() -> None:
    path = shared_path(GAMES)
    rows = len(gzip.decompress(path.read_bytes()).splitlines()) - 1
    with pytest.warns(YardstoneWarning) as told:
        counted = statistics_of_files([path]).games.sum()
    left_out, unused = (str(each.message) for each in told)
    assert left_out.startswith("games left out: ")
    reasons = left_out.removeprefix("games left out: ").split(", ")
    assert sum(int(reason.split()[0]) for reason in reasons) == rows - counted == 4260
    assert unused == "grades decide; the ratings in 3,934 games are not used"


def test_fits_with_their_uncertainty_and_the_model_that_ships() -> None:
    pool = read_games_csv(shared_path(GAMES))
    statistics = WinningStatistics.from_pool(pool)
    squares = fit_least_squares(statistics)
    likely = fit_likelihood(GradedGames.from_statistics(statistics))
    assert squares.values == pytest.approx([0.03185, 0, 0.10995, 0, 0.29573], abs=2e-4)
    assert likely.values == pytest.approx([0.00033, 0.003724, 0.10942, 0, 0.28693], abs=2e-4)
    # So few games say little: K is 0.29 give or take 0.05, and u3 is at its bound.
    assert likely.standard_errors[4] == pytest.approx(0.051, abs=0.002)
    assert np.isnan(likely.standard_errors[3])
    # u3 with K at a third of that would fit as well, and the interval reaches over both.
    low, high = parameter_interval(likely, "K")
    assert (low, high) == pytest.approx((0.073, 0.374), abs=0.003)
    result, ships = fit_winning_model(pool, name="fitted", event_games=EVENT_GAMES), winning_model()
    assert result.model.about == ships.about
    one, two = np.meshgrid(np.arange(-30.0, 9.0), np.arange(-30.0, 9.0))
    known = ships.probability(one, two)
    np.testing.assert_allclose(result.model.probability(one, two), known, atol=1e-7)
    games, stones = ([1.0, -10.0, -5.0], [3.0, -9.0, 0.0]), [0.0, 0.0, 4.0]
    ours, theirs = (each.interval(*games, handicap=stones) for each in (result.model, ships))
    np.testing.assert_allclose(np.array(ours), np.array(theirs), atol=1e-5)


def test_grade_against_rating() -> None:
    grades, ratings = read_egf_list(shared_path("data/go/tournaments/egf_list_2014-11.txt.gz"))
    fit = fit_grades(grades, ratings)
    assert (len(grades), fit.players) == (35506, 35345)
    assert fit.slope == pytest.approx(95.9, abs=0.2)
    assert fit.intercept == pytest.approx(2049, abs=1)
    assert fit.correlation == pytest.approx(0.992, abs=0.001)
    # By definition 100 a grade and 2100 at 1 dan: declared grades flatter a little.
    shortfall = convert(fit.grades, "grade", "egf") - fit.mean
    assert np.all(shortfall[(fit.grades >= -12) & (fit.grades <= 2)] > 5)
