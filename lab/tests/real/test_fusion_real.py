"""Priors beside results on real games: the FIDE's Elo stands for an estimate from elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import yardstone
from tests.shared import shared_path
from yardstone.evaluation.metrics import log_likelihood
from yardstone.evaluation.splits import newcomers
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko2
from yardstone.ratings.joint import Prior
from yardstone.strength.fusion import COLUMNS, GlickoFromMoves, Sides, fit_moves_prior, fuse
from yardstone_lab.neubauer.fusion_rows import fit_start

Array = NDArray[np.float64]
GAMES = 40_000
START = 2200.0


@pytest.fixture(scope="module")
def games() -> Pool:
    # In order of time, though most of the dates lack a day.
    path = shared_path("data/chess/kingbase_1990_2012.tsv.gz")
    columns = {"white_elo": "white_elo", "black_elo": "black_elo"}
    pool = yardstone.read(path, columns=columns).select(np.arange(GAMES))
    return replace(pool, time=None)


def elo(pool: Pool) -> Array:
    """Both players' Elo before each game; NaN where there was none."""
    both = np.column_stack([pool.columns["white_elo"], pool.columns["black_elo"]])
    result = both.astype(np.float64)
    result[~(result > 0.0)] = np.nan
    return result


def test_elo_as_prior_beats_results_and_elo_alone(games: Pool) -> None:
    system = Glicko2(initial=START, initial_deviation=200.0)
    replay = system.replay(games)
    assert replay.first_deviation is not None
    assert replay.second_deviation is not None
    rating = elo(games)
    assert np.isfinite(rating).mean() > 0.5
    sides = Sides(
        np.column_stack([replay.first_rating, replay.second_rating]),
        np.column_stack([replay.first_deviation, replay.second_deviation]),
        np.nan_to_num(rating),
        np.where(np.isfinite(rating), 100, 0),
    )
    early, late = np.arange(GAMES // 2), np.arange(GAMES // 2, GAMES)
    prior = fit_moves_prior(sides.select(early), games.score[early], system, Prior(START, 200.0))
    assert prior.slope > 0.3
    mean, deviation = prior.prior(sides.moves_rating, sides.moves)
    priors = (mean[:, 0], deviation[:, 0], mean[:, 1], deviation[:, 1])
    pool = replace(games, columns={**games.columns, **dict(zip(COLUMNS, priors, strict=True))})
    fused = GlickoFromMoves(initial=START, initial_deviation=200.0).replay(pool).expected
    at_end = prior.expected(sides, system)
    alone = prior.from_moves_alone(sides, system)
    few = newcomers(games, 4)[late]
    for part in (np.ones(len(late), np.bool_), few):
        here = late[part]
        likely = [
            log_likelihood(games.score[here], each[here])
            for each in (fused, at_end, replay.expected, alone)
        ]
        assert min(likely[:2]) > likely[2] + 0.002
        assert likely[0] > likely[3] - 0.001
    rating_now, _ = fuse(2400.0, 60.0, np.nan, np.nan, Prior(START, 200.0))
    assert float(rating_now) == 2400.0


def test_a_start_that_suits_the_pool(games: Pool) -> None:
    """Players of one list lie closer together than Glicko-2's usual 350 points."""
    half = np.arange(GAMES) >= GAMES // 2
    half[::2] = False  # every other game is kept to look at
    fitted = fit_start(games, Glicko2(initial=START), half)
    assert 80.0 < fitted.initial_deviation < 300.0
    other = np.arange(GAMES // 2, GAMES, 2)
    before, after = (
        log_likelihood(games.score[other], system.replay(games).expected[other])
        for system in (Glicko2(initial=START), fitted)
    )
    assert after > before + 0.002
    assert fit_start(games, fitted, half & (np.arange(GAMES) < 20_100)) is fitted
