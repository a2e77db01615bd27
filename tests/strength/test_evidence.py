"""The evidence of moves, from a store of features and from games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import UsageError
from yardstone.go.evaluator import Evaluator, ask
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import ExtractionSettings, GameFeatures, extract_features, move_features
from yardstone.go.nets.network import load_network
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.pool import SkipReport
from yardstone.strength.evidence import (
    KINDS,
    Evidence,
    evidence_of_games,
    evidence_of_store,
    no_evidence,
)

GAMES = [random_game(k, moves=moves) for k, moves in enumerate((21, 30, 4))]


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_network(tmp_path_factory.mktemp("net"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, network: Path) -> FeatureStore:
    path = tmp_path_factory.mktemp("store") / "store"
    settings = ExtractionSettings(net=str(network), trunk=KINDS, batch=2)
    return extract_features(lambda: GAMES, path, settings)


@pytest.fixture(scope="module")
def found(network: Path) -> Sequence[GameFeatures]:
    evaluator = Evaluator(load_network(network, threads=1), trunk=KINDS)
    questions = ask(GAMES, SkipReport(), evaluator.network, rules=TROMP_TAYLOR, trunk=True)
    return [move_features(answer) for answer in evaluator.answer(questions)]


def test_from_a_store_and_from_games(store: FeatureStore, found: Sequence[GameFeatures]) -> None:
    kept = evidence_of_store(store, [(2, 1), (0, 2), (1, 1)])
    asked = evidence_of_games([found[2], found[0], found[1]], [1, 2, 1])
    assert kept.games == asked.games == 3
    assert (len(kept), kept.channels) == (2 + 10 + 15, 16)
    for field in fields(Evidence):
        one, other = (np.asarray(getattr(each, field.name)) for each in (kept, asked))
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one.astype(float), other.astype(float), rtol=2e-3, atol=2e-3)
    assert kept.game.tolist() == [0] * 2 + [1] * 10 + [2] * 15
    assert kept.number.tolist() == [1, 3, *range(2, 21, 2), *range(1, 31, 2)]
    assert kept.colour.tolist() == [1] * 2 + [2] * 10 + [1] * 15
    assert kept.point[12:].tolist() == GAMES[1].moves[::2].tolist()


def test_some_of_the_moves_and_nothing(store: FeatureStore) -> None:
    whole = evidence_of_store(store, [(0, 1), (1, 1)])
    late = whole.select(whole.number > 20)
    assert (late.games, set(late.game.tolist())) == (2, {0, 1})
    np.testing.assert_array_equal(whole.select(np.array([3, 1])).pick, whole.pick[[3, 1]])
    assert len(evidence_of_store(store, [])) == 0
    assert evidence_of_store(store, []).games == 0
    nothing = no_evidence(16, games=4)
    assert (len(nothing), nothing.games, nothing.channels) == (0, 4, 16)
    assert len(evidence_of_games([], [])) == 0


def test_what_is_missing_is_named(store: FeatureStore, found: Sequence[GameFeatures]) -> None:
    poor = FeatureStore(store.path, {**store.settings, "trunk": ["pick"]})
    with pytest.raises(UsageError, match="no after, candidates, mean"):
        evidence_of_store(poor, [(0, 1)])
    with pytest.raises(UsageError, match="3 is not a colour"):
        evidence_of_games(found[:1], [3])
    with pytest.raises(UsageError, match="1 games, but colours for 2"):
        evidence_of_games(found[:1], [1, 2])
