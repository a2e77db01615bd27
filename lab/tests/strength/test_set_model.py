"""Training of models of sets: what is learnt, from whom, and going on after a stop."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tests.refusals import refuse
from lab.tests.strength.made_training import set_training
from tests.go.games import random_game, small_network
from yardstone.errors import NoGamesError, UsageError
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.strength.evidence import KINDS, evidence_of_store
from yardstone.strength.rank_features import standardised
from yardstone.strength.set_scorer import INPUTS, SetScorer, shares_of_moves
from yardstone.strength.set_transformer import PackedMoves
from yardstone.strength.site_scales import RANKS
from yardstone_lab.neubauer.scored_model import SETTINGS, ScoredModel, train_set_model
from yardstone_lab.neubauer.sides import BANDS, SetSides, StoreSides, bands_of, read_sides, targets

CHANNELS = INPUTS["basic"].channels(0)
Trained = tuple[SetSides, ScoredModel, Path]
SMALL = replace(
    SETTINGS["basic"], width=8, query_width=6, inducing_points=3, steps=40, epochs=2, sample=12
)


def made_sides(fox: int = 220, ogs: int = 120) -> SetSides:
    """Sides whose moves lie along their strength in two of the inputs, amid noise."""
    random, each = np.random.default_rng(0), np.arange(fox + ogs)
    group = np.where(each < fox, each // 2 % len(RANKS), -1)
    rank = np.where(group < 0, random.uniform(-26.0, 8.0, len(each)), np.nan)
    lengths = random.integers(20, 40, len(each))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    strength = np.where(group < 0, (rank + 9.0) / 9.0, (group - 5.0) / 3.0)
    moves = random.normal(size=(starts[-1], CHANNELS))
    moves[:, :2] += np.outer(np.repeat(strength, lengths), [1.0, -0.5])
    packed = PackedMoves(moves.astype(np.float16), np.arange(starts[-1]), starts)
    counts = np.full((len(each), 5), 4)
    counts[:, 4] = lengths - 16
    zero, one = np.zeros(CHANNELS, np.float32), np.ones(CHANNELS, np.float32)
    players, opponents = (np.array([f"p{k ^ other}" for k in each]) for other in (0, 1))
    sides = (group, rank, np.ones(len(each)), each // 2, 1 + each % 2, players, opponents)
    return SetSides("basic", packed, zero, one, counts, *sides)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    sides, folder = made_sides(), tmp_path_factory.mktemp("sets")
    return sides, train_set_model(sides, SMALL, folder=folder, folds=2, card={"name": "x"}), folder


def test_the_model_scores_as_those_of_the_folds(trained: Trained, tmp_path: Path) -> None:
    sides, result, _ = trained
    scorer = result.model.scorer
    assert isinstance(scorer, SetScorer)
    assert (scorer.inputs.name, scorer.width) == ("basic", 3)
    assert list(result.model.scales) == ["fox", "ogs"]
    exact = replace(sides.moves, features=sides.moves.features.astype(np.float32))
    shares = shares_of_moves(scorer.network, scorer.usual, exact)
    said = np.add.reduceat(shares, sides.moves.starts[:-1], axis=0)
    said /= sides.moves.lengths()[:, None]
    fox = sides.fox
    outside = result.fox.scores.sum(axis=1)[:, 0] / sides.moves.lengths()[fox]
    assert np.corrcoef(said[fox, 0], outside)[0, 1] > 0.9
    # The first score grows with the group, the last with the rank of OGS.
    assert np.corrcoef(said[fox, 0], sides.group[fox])[0, 1] > 0.8
    assert np.corrcoef(said[~fox, 2], sides.rank[~fox])[0, 1] > 0.8
    # Targets lie about the rank.
    wanted = targets(sides)
    np.testing.assert_allclose(wanted.sum(axis=1), 1.0, rtol=1e-5)
    near = bands_of(sides.rank[~fox])
    np.testing.assert_array_equal(wanted[fox].argmax(axis=1), sides.group[fox])
    np.testing.assert_array_equal(wanted[~fox].argmax(axis=1), len(RANKS) + near)
    assert np.abs(BANDS[near] - sides.rank[~fox]).max() <= 3.0
    # Without sides of OGS there is one scale.
    short = replace(SMALL, steps=3, epochs=1)
    alone = train_set_model(made_sides(220, 0), short, folder=tmp_path, folds=2)
    assert (alone.ogs, list(alone.model.scales), alone.model.scorer.width) == (None, ["fox"], 2)
    without = made_sides(0, 20)
    refuse(
        (lambda: train_set_model(without, short, folder=tmp_path), NoGamesError, ""),
        (lambda: read_sides([], "basic"), NoGamesError, ""),
    )


def test_a_fold_knows_nothing_of_its_players(trained: Trained) -> None:
    sides, result, folder = trained
    games = result.fold.reshape(-1, 2)
    assert (games[:, 0] == games[:, 1])[sides.fox[::2]].all()
    # Other moves of the fold's own players leave its network as it is.
    moves = sides.moves.features.copy()
    moves[np.repeat(result.fold == 0, sides.moves.lengths())] = 0.0
    changed = replace(sides, moves=replace(sides.moves, features=moves))
    before = np.load(folder / "fold_0.npz")
    for name, array in set_training.train_arrays(changed, result.fold != 0, SMALL).items():
        np.testing.assert_array_equal(array, before[name])


def test_a_stopped_training_goes_on(
    trained: Trained, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sides, result, folder = trained
    done: list[int] = []
    trains: list[object] = []
    train = set_training.train_arrays

    def counted(*arguments: Any, **named: Any) -> Any:
        trains.append(arguments)
        return train(*arguments, **named)

    monkeypatch.setattr("yardstone_lab.neubauer.set_training.train_arrays", counted)
    again = train_set_model(sides, SMALL, folder=folder, folds=2, report=done.append)
    assert (len(trains), done) == (0, [0, 1, 2])
    np.testing.assert_array_equal(again.fox.scores, result.fox.scores)
    for name, array in again.model.scorer.arrays().items():
        np.testing.assert_array_equal(array, result.model.scorer.arrays()[name])
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "fold_1.npz").write_bytes(b"broken")
    train_set_model(sides, replace(SMALL, steps=2, epochs=1), folder=copy, folds=2)
    assert len(trains) == 3  # other settings: everything anew


@pytest.mark.parametrize("inputs", INPUTS)
def test_sides_are_read_as_a_scorer_sees_them(inputs: str, tmp_path: Path) -> None:
    settings = ExtractionSettings(net=str(small_network(tmp_path)), trunk=KINDS, batch=4)
    games = [random_game(k, moves=24 + k % 3) for k in range(4)]
    store = extract_features(lambda: games, tmp_path / "store", settings)
    names, zero, ranks = np.array([*"abc"]), np.zeros(3), np.array([2, 3, -1])
    which = (np.array([0, 1, 3]), np.array([1, 2, 2]))
    part = StoreSides(store, *which, ranks, zero, zero + 1.0, names, names)
    sides = read_sides([part, part], inputs)
    assert (sides.game.tolist(), sides.group.tolist()) == ([0, 1, 3, 4, 5, 7], [2, 3, -1] * 2)
    evidence = evidence_of_store(store, [(0, 1), (1, 2), (3, 2)])
    rows = INPUTS[inputs](evidence).astype(np.float16).astype(np.float32)
    wanted = standardised(rows, sides.mean, sides.deviation)
    np.testing.assert_allclose(sides.moves.features[: len(wanted)], wanted, atol=4e-3)
    np.testing.assert_array_equal(sides.counts.sum(axis=1), sides.moves.lengths())
    other = replace(part, store=FeatureStore(store.path, {**store.settings, "sha256": "0"}))
    refuse((lambda: read_sides([part, other], inputs), UsageError, "different networks"))
