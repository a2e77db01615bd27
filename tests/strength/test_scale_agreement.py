"""Intervals and headlines of the models that come with Yardstone, on people of OGS and Fox."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from yardstone.strength.model import StrengthModel
from yardstone.strength.strengths import Rated, Rater, best_basis, contradictory, interval_tables

DATA = Path(__file__).parent / "data"
SIDES, APART = DATA / "scale_sides.npz", DATA / "ogs_apart.npz"
BANDS = (-19.0, -9.0, -4.0, 1.0)
DAN, TEN_KYU = 1.0, -9.0
STEP = 2  #: One side in so many is looked at.


def rated(model: StrengthModel, statistics: np.ndarray) -> dict[str, Rated]:
    return {name: Rater(model, 0.9, name).rate(statistics) for name in model.scales}


def by_person(person: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The mean of each person's values: everybody counts alike."""
    _, place = np.unique(person, return_inverse=True)
    return np.asarray(np.bincount(place, values) / np.bincount(place))


@pytest.mark.parametrize("name", ["joint", "small"])
def test_intervals_hold_in_every_band_of_people_kept_apart(name: str) -> None:
    """At least 85 % are held, and what is promised lies within the error of the share.

    Of people whom neither the networks nor the scale has seen (`lab.studies.joint_model`).
    """
    apart = np.load(APART)
    table = interval_tables(StrengthModel.load(name), "ogs")["whole"]
    rank, person = apart[f"{name}_rank"], apart[f"{name}_person"]
    ends = [
        table.interval(density / density.sum(), int(moves), 0.9)
        for density, moves in zip(apart[f"{name}_density"], apart[f"{name}_moves"], strict=True)
    ]
    held = np.array(
        [
            (low is None or low <= true) and (high is None or true <= high)
            for (low, high), true in zip(ends, rank, strict=True)
        ]
    )
    band = np.searchsorted(BANDS, rank, side="right")
    for number in range(len(BANDS) + 1):
        shares = by_person(person[band == number], held[band == number])
        error = np.sqrt(0.9 * 0.1 / len(shares))
        assert 0.85 <= shares.mean() <= 0.9 + 1.96 * error, (number, len(shares), shares.mean())


@pytest.mark.parametrize("name", ["joint", "small"])
def test_hardly_anybody_of_ten_kyu_is_called_a_dan(name: str) -> None:
    model, sides = StrengthModel.load(name), np.load(SIDES)
    rank, person = sides[f"{name}_rank"], sides[f"{name}_person"]
    weak = rank <= TEN_KYU
    called = []
    for statistics in sides[f"{name}_ogs"][weak].astype(np.float64)[::STEP]:
        both = rated(model, statistics)
        basis = best_basis(model, both)
        called.append(not contradictory(both, basis) and both[basis].rating >= DAN)
    assert by_person(person[weak][::STEP], np.array(called)).mean() <= 0.02
    fox = [rated(model, each) for each in sides[f"{name}_fox"].astype(np.float64)[::STEP]]
    refused = [contradictory(both, best_basis(model, both)) for both in fox]
    assert np.mean(refused) <= 0.065
