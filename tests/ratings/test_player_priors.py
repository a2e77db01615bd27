from __future__ import annotations

import numpy as np
import pytest

from tests.ratings.made_games import made_games
from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.ratings.whole_history import WholeHistory


@pytest.fixture(scope="module")
def small() -> Pool:
    return made_games(300, 12, draws=0.1)


def test_priors_by_name() -> None:
    priors = PlayerPriors({"Ann": (1800, 120), "Bob": Prior(1500.0, 60.0)})
    assert dict(priors) == {"Ann": Prior(1800.0, 120.0), "Bob": Prior(1500.0, 60.0)}
    assert priors == PlayerPriors({"Bob": (1500.0, 60.0), "Ann": (1800.0, 120.0)})
    assert repr(priors) == repr(PlayerPriors({"Bob": (1500.0, 60.0), "Ann": (1800.0, 120.0)}))
    assert repr(priors) != repr(PlayerPriors({"Ann": (1800.0, 120.0), "Bob": (1500.0, 61.0)}))
    assert repr(priors).startswith("<PlayerPriors: 2 players, ")
    assert len({priors, PlayerPriors({})}) == 2
    result = priors.arrays(("Cem", "Ann"), Prior(1400.0, 300.0))
    assert result.tolist() == [[1400.0, 300.0], [1800.0, 120.0]]
    for wrong in ((1500.0, 0.0), (np.nan, 100.0), (1500.0, np.inf)):
        with pytest.raises(UsageError):
            PlayerPriors({"Ann": wrong})


def test_a_prior_stands_for_the_newcomer_and_fades() -> None:
    """A player of a given prior starts there, and games pull him away from it."""
    pool = Pool.from_names(["New", "Old"] * 20, ["Old", "New"] * 20, [0, 1] * 20)
    priors = PlayerPriors({"New": (1800.0, 100.0), "Old": (1500.0, 1.0)})
    system = WholeHistory(w2=1.0, priors=priors, draw_rate=None)
    replay = system.replay(pool)
    assert replay.first_rating[0] == 1800.0
    assert replay.first_deviation is not None
    assert replay.first_deviation[0] == pytest.approx(100.0)
    expected = system.probability(1800.0, 1500.0, 100.0, 1.0)
    assert replay.expected[0] == pytest.approx(float(expected))
    assert replay.ratings["New"].value < 1500.0
    assert abs(replay.ratings["Old"].value - 1500.0) < 30.0
    fit = system.fit(pool)
    assert fit["New"].value == pytest.approx(replay.ratings["New"].value, abs=5.0)
    start = system.ratings(system.start(pool.players))
    assert start["New"].value == 1800.0
    assert start["New"].deviation == 100.0


def test_equal_priors_are_no_other_model(small: Pool) -> None:
    plain = WholeHistory(w2=20.0).fit(small)
    same = PlayerPriors(dict.fromkeys(small.players[:5], (1500.0, 250.0)))
    fitted = WholeHistory(w2=20.0, priors=same).fit(small)
    assert np.array_equal(plain.day_rating, fitted.day_rating)
    assert np.array_equal(plain.day_deviation, fitted.day_deviation)
