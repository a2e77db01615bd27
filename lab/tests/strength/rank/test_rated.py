"""A scale learnt from players with ratings, on players whose ranks are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.strength.rank_cases import random_evidence, random_model
from yardstone.errors import NoGamesError, UsageError
from yardstone.strength.evidence import PHASES
from yardstone.strength.model import StrengthModel
from yardstone.strength.rank_scorer import MoveScorer
from yardstone.strength.strengths import PARTS, interval_tables
from yardstone_lab.neubauer.rank.pool import RankPool
from yardstone_lab.neubauer.rank.scales import (
    RatedSettings,
    RatedSides,
    TrainedScale,
    with_rated_scale,
)

Array = NDArray[np.float64]

EDGES = (-14.0, -10.0, -6.0, -2.0, 2.0, 6.0)
SETTINGS = RatedSettings(
    ridge=0.05, edges=EDGES, knots=(-12.0, -8.0, -4.0, 0.0, 4.0), games=(1, 3), folds=3
)
PLAYERS, GAMES, CHANNELS = 200, 3, 2


class Simulated(NamedTuple):
    """Players of known rank, and a model that was never told of them."""

    model: StrengthModel
    pool: RankPool
    rated: RatedSides


def simulated(players: int = PLAYERS) -> Simulated:
    """Sides whose values grow with the rank along one direction, and players lie about it."""
    model = random_model(channels=CHANNELS)
    assert isinstance(model.scorer, MoveScorer)
    lift = model.scorer.lift
    slope = np.random.default_rng(7).normal(size=lift.values)
    random = np.random.default_rng(0)
    rank = random.uniform(-13.0, 5.0, players)
    number = np.repeat(np.arange(players), GAMES)
    own = random.normal(0.0, 0.25, (players, lift.values))
    mean = (0.02 * (rank + 4.0)[:, None] * slope + own)[number]
    shape = (len(number), PHASES)
    counts = random.integers(5, 25, shape)
    root = np.sqrt(counts)[..., None]
    values = counts[..., None] * mean[:, None] + root * random.normal(size=(*shape, lift.values))
    lifted = root * random.normal(size=(*shape, lift.lifted))
    pool = RankPool(
        values=values.astype(np.float32),
        lifted=lifted.astype(np.float32),
        counts=counts,
        group=np.zeros(len(number), np.int64),
        game=np.arange(len(number)),
        colour=1 + np.arange(len(number)) % 2,
        player=np.array([f"player {each}" for each in number]),
        opponent=np.full(len(number), "program"),
        year=np.full(len(number), 2020),
    )
    return Simulated(model, pool, RatedSides(rank[number], np.ones(len(number))))


@pytest.fixture(scope="module")
def case() -> Simulated:
    return simulated()


@pytest.fixture(scope="module")
def trained(case: Simulated) -> TrainedScale:
    return with_rated_scale(case.model, case.pool, case.rated, "ogs", SETTINGS, {"of": "nobody"})


def test_ranks_of_players_never_seen_are_recovered(trained: TrainedScale) -> None:
    result = trained.unseen["whole"]
    assert np.ptp(result.strengths) > 15.0
    width = (EDGES[-1] - EDGES[0]) / result.density.shape[1]
    told = result.density @ (EDGES[0] + width * (np.arange(result.density.shape[1]) + 0.5))
    for games in (1, 3):
        mean, true = (each[result.games == games] for each in (told, result.strengths[:, 0]))
        assert np.corrcoef(mean, true)[0, 1] > 0.88
        assert np.median(np.abs(mean - true)) < 2.0


def test_the_model_carries_the_scale_beside_its_own(case: Simulated, trained: TrainedScale) -> None:
    model = trained.model
    assert list(model.scales) == ["fox", "ogs"]
    assert model.scorer.width == case.model.scorer.width + 1
    assert model.card["rated"] == {"ogs": {"of": "nobody"}}
    assert set(interval_tables(model, "ogs")) == set(PARTS)
    assert set(model.card["farthest"]) == set(model.card["intervals"]) == {"ogs"}
    evidence = random_evidence([30, 60], channels=CHANNELS)
    one = case.model.score(evidence)
    same = model.score(evidence, "fox")
    assert (same.mean, same.deviation) == pytest.approx((one.mean, one.deviation), abs=1e-4)
    assert EDGES[0] < model.score(evidence, "ogs").mean < EDGES[-1]
    # Without a move: as many of each group as there are players of it.
    rank = case.rated.rank[::GAMES]
    share = np.histogram(rank, EDGES)[0] / PLAYERS
    empty = np.zeros(PHASES + 1 + model.scorer.width)
    assert model.posterior(empty, "ogs")[2] == pytest.approx(share, abs=0.1)
    usual = model.scale("ogs").spread.usual[..., -1].mean(axis=1)
    assert (np.diff(usual) > -0.05 * np.ptp(usual)).all()


def test_what_teaches_no_scale_is_refused(case: Simulated, trained: TrainedScale) -> None:
    few = simulated(29)
    scorer: Any = SimpleNamespace(kind="set", width=1, channels=0)
    other = StrengthModel(scorer, list(case.model.scales.values()), {})
    for model, of, name, error, words in (
        (trained.model, case, "ogs", UsageError, "the model has a scale 'ogs'"),
        (case.model, case, "fox", UsageError, "the model has a scale 'fox'"),
        (few.model, few, "ogs", NoGamesError, "29 players are too few to learn a scale: 30"),
        (other, case, "ogs", UsageError, "only a rank model"),
    ):
        with pytest.raises(error, match=words):
            with_rated_scale(model, of.pool, of.rated, name, SETTINGS)
