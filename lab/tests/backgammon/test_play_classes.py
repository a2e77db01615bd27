"""Classes of play of many matches: where an interval holds, and where it is left out."""

from __future__ import annotations

from math import isfinite, isnan

import numpy as np
import pytest

from lab.studies.coverage_classes import coverage, read_matches
from tests.backgammon.gnubg_stats import outcome_of
from yardstone.backgammon.matches import (
    FEWEST_FOR_CLASSES,
    SIZES,
    STEADY_CLASSES,
    ClassErrors,
    class_errors,
    matches_of,
    summarise,
)

START = "4HPwATDgc/ABMA"


@pytest.fixture(scope="module")
def matches() -> dict[str, np.ndarray]:
    return read_matches()


@pytest.mark.parametrize("name", sorted(STEADY_CLASSES))
def test_where_there_is_an_interval_it_holds(name: str, matches: dict[str, np.ndarray]) -> None:
    generator = np.random.default_rng(4)
    held = coverage(matches[name], FEWEST_FOR_CLASSES, 300, generator)
    assert 0.85 <= held <= 0.96  # 0.90 is promised; two standard errors are 0.035


def test_where_there_is_none_it_would_not(matches: dict[str, np.ndarray]) -> None:
    generator = np.random.default_rng(5)
    for name in ("race", "bear-off"):
        assert coverage(matches[name], FEWEST_FOR_CLASSES, 200, generator) < 0.8
    for name in STEADY_CLASSES:
        if name != "middle game":
            assert coverage(matches[name], 10, 200, generator) < 0.88


def test_errors_by_size() -> None:
    losses = [0.0, 0.029, *SIZES.values(), 0.5]
    total = sum((ClassErrors.of(loss) for loss in losses), ClassErrors())
    assert (total.decisions, total.doubtful, total.errors, total.blunders) == (6, 1, 1, 2)
    assert total.loss == pytest.approx(sum(losses))


def test_classes_of_a_player() -> None:
    rows = (
        (0, "move", 0.05, 1, 10, START),
        (0, "move", 0.0, 4, 10, START),
        (1, "move", 0.2, 2, 10, START),
        (0, "take", 0.1),
    )
    ann, bob = class_errors(rows)
    assert list(ann) == ["opening", "middle game", "take"]
    assert bob["opening"].blunders == 1
    number = FEWEST_FOR_CLASSES
    files = [outcome_of(f"{k}.mat", decisions=rows) for k in range(number)]
    players = {each.name: each for each in summarise(matches_of(files))}
    result = {each.name: each for each in players["Ann"].classes}
    assert result["opening"].errors.decisions == number
    assert result["take"].rate.value == pytest.approx(0.1)
    assert isfinite(result["take"].rate.low)
    fewer = summarise(matches_of(files[1:]))
    assert all(isnan(each.rate.low) for player in fewer for each in player.classes)
