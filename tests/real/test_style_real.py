"""Ranks from the style features of players of KGS (Moudřík, Baudiš and Neruda 2015)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone.strength.style import fit_style, folds_of, read_style


def test_ranks_of_players_never_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """One part of ten; the study has all of them, with 800 players for the lengths."""
    table = read_style(shared_path("data/go/kgs_style"))
    assert (table.features.shape, len(set(table.players))) == ((3120, 36), 3120)
    ranks, number = np.unique(table.strength, return_counts=True)
    assert (ranks.tolist(), number.tolist()) == (list(range(-5, 21)), [120] * 26)
    monkeypatch.setattr("yardstone.strength.style.LENGTHS_FROM", 400)
    unseen = folds_of(table.strength, 10, seed=0) == 0
    rank, deviation = fit_style(table.select(~unseen)).predict(table.features[unseen])
    apart = rank - table.strength[unseen]
    assert np.sqrt(np.mean(np.square(apart))) < 3.7
    assert 0.75 < np.mean(np.abs(apart) < 1.645 * deviation) < 0.95
