"""Declared grades with a model of winning, as a system among the others."""

from __future__ import annotations

import numpy as np
import pytest

import yardstone
from tests.shared import shared_path
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.grades import DeclaredGrades
from yardstone.winprob.model import winning_model

GRADED = Pool.from_names(
    ["Ann", "Ann", "Bob", "Eve"],
    ["Bob", "Bob", "Eve", "Ida"],
    [1, 0, 1, 0],
    columns={
        "first_grade": ["2d", "", "4k", "?"],
        "second_grade": ["4k", "3k", "1p", ""],
        "handicap": [0, 3, 0, 0],
        "komi": [6.5, 0.5, np.nan, 7.0],
    },
)


@pytest.mark.parametrize("name", ["fitted", "kaniuk", "egf", "goldis"])
def test_expected_scores_are_those_of_the_model(name: str) -> None:
    replay = DeclaredGrades(win=name).replay(GRADED)
    p = winning_model(name).probability(
        [1, 1, -4, 6], [-4, -3, 6, -1], handicap=[0, 3, 0, 0], komi=[6.5, 0.5, 7.0, 7.0]
    )
    assert replay.expected == pytest.approx(p)


def test_ratings_are_the_last_grades_in_points_of_the_egf() -> None:
    system = DeclaredGrades(win="egf")
    replay = system.replay(GRADED)
    assert {name: replay.ratings[name].value for name in GRADED.players} == {
        "Ann": 2200, "Bob": 1700, "Eve": 2700, "Ida": 2000,
    }  # fmt: skip
    assert replay.first_rating.tolist() == [2200, 2200, 1700, 2700]
    assert float(system.probability(2100, 2100)) == pytest.approx(0.5)
    said = system.remarks(GRADED)
    assert "1 players have no grade" in said[-1]
    assert "egf" in said[0]


def test_wrong_use() -> None:
    for name, says in (("elo", "on grades is needed"), ("nobody", "no model of winning")):
        with pytest.raises(UsageError, match=says):
            DeclaredGrades(win=name)
    with pytest.raises(InputError, match="no player has a grade"):
        DeclaredGrades().remarks(Pool.from_names(["Ann"], ["Bob"], [1]))


def test_real_tournaments() -> None:
    """With published coefficients, which have not seen these games: better than EGF and a coin."""
    path = shared_path("data/go/tournaments/games.csv.gz")
    parameters = {"grades": {"win": "kaniuk"}}
    result = yardstone.evaluate(path, ["grades", "egf"], parameters=parameters, replicates=0)
    grades, egf = (result[name].value("brier") for name in ("grades", "egf"))
    assert grades is not None
    assert egf is not None
    assert grades < egf < 0.25
