"""Training of models of sets: what is learnt, from whom, and going on after a stop."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tests.strength.made_training import set_training
from tests.go.games import random_game, small_network
from yardstone import parallel
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
    random = np.random.default_rng(0)
    number = fox + ogs
    each = np.arange(number)
    group = np.where(each < fox, each // 2 % len(RANKS), -1)
    rank = np.where(group < 0, random.uniform(-26.0, 8.0, number), np.nan)
    lengths = random.integers(20, 40, number)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    strength = np.where(group < 0, (rank + 9.0) / 9.0, (group - 5.0) / 3.0)
    moves = random.normal(size=(starts[-1], CHANNELS))
    moves[:, :2] += np.outer(np.repeat(strength, lengths), [1.0, -0.5])
    counts = np.full((number, 5), 4)
    counts[:, 4] = lengths - 16
    return SetSides(
        "basic",
        PackedMoves(moves.astype(np.float16), np.arange(starts[-1]), starts),
        np.zeros(CHANNELS, np.float32),
        np.ones(CHANNELS, np.float32),
        counts,
        group=group,
        rank=rank,
        sure=np.ones(number),
        game=each // 2,
        colour=1 + each % 2,
        player=np.array([f"p{k}" for k in each]),
        opponent=np.array([f"p{k ^ 1}" for k in each]),
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    sides, folder = made_sides(), tmp_path_factory.mktemp("sets")
    return sides, train_set_model(sides, SMALL, folder=folder, folds=2, card={"name": "x"}), folder


def test_the_model_scores_as_those_of_the_folds(trained: Trained) -> None:
    sides, result, _ = trained
    scorer = result.model.scorer
    assert isinstance(scorer, SetScorer)
    assert (scorer.inputs.name, scorer.width) == ("basic", 3)
    assert list(result.model.scales) == ["fox", "ogs"]
    assert {"folds": 2, "name": "x"}.items() <= result.model.card.items()
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


def test_without_ogs_there_is_one_scale(tmp_path: Path) -> None:
    short = replace(SMALL, steps=3, epochs=1)
    result = train_set_model(made_sides(220, 0), short, folder=tmp_path, folds=2)
    assert (result.ogs, list(result.model.scales), result.model.scorer.width) == (None, ["fox"], 2)
    with pytest.raises(NoGamesError):
        train_set_model(made_sides(0, 20), short, folder=tmp_path)
    with pytest.raises(NoGamesError):
        read_sides([], "basic")


def test_a_fold_knows_nothing_of_its_players(trained: Trained) -> None:
    sides, result, folder = trained
    fold = result.fold
    games = fold.reshape(-1, 2)
    assert (games[:, 0] == games[:, 1])[sides.fox[::2]].all()
    # Other moves of the fold's own players leave its network as it is.
    own = np.repeat(fold == 0, sides.moves.lengths())
    moves = sides.moves.features.copy()
    moves[own] = 0.0
    changed = replace(sides, moves=replace(sides.moves, features=moves))
    arrays = set_training.train_arrays(changed, fold != 0, SMALL)
    before = np.load(folder / "fold_0.npz")
    for name, array in arrays.items():
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
    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy" / "fold_1.npz").write_bytes(b"broken")
    short = replace(SMALL, steps=2, epochs=1)
    train_set_model(sides, short, folder=tmp_path / "copy", folds=2)
    assert len(trains) == 3  # other settings: everything anew


def test_targets_lie_about_the_rank() -> None:
    sides = made_sides()
    wanted = targets(sides)
    np.testing.assert_allclose(wanted.sum(axis=1), 1.0, rtol=1e-5)
    fox = sides.fox
    np.testing.assert_array_equal(wanted[fox].argmax(axis=1), sides.group[fox])
    near = len(RANKS) + bands_of(sides.rank[~fox])
    np.testing.assert_array_equal(wanted[~fox].argmax(axis=1), near)
    assert np.abs(BANDS[near - len(RANKS)] - sides.rank[~fox]).max() <= 3.0


@pytest.mark.parametrize("inputs", INPUTS)
def test_sides_are_read_as_a_scorer_sees_them(inputs: str, tmp_path: Path) -> None:
    settings = ExtractionSettings(net=str(small_network(tmp_path)), trunk=KINDS, batch=4)
    games = [random_game(k, moves=24 + k % 3) for k in range(4)]
    store = extract_features(lambda: games, tmp_path / "store", settings)
    game, colour = np.array([0, 1, 3]), np.array([1, 2, 2])
    names, zero = np.array(["a", "b", "c"]), np.zeros(3)
    part = StoreSides(store, game, colour, np.array([2, 3, -1]), zero, zero + 1.0, names, names)
    steps: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *step: steps.append(step)):
        sides = read_sides([part, part], inputs)
    assert steps[-1] == ("learning", 6, 6)
    assert (sides.game.tolist(), sides.group.tolist()) == ([0, 1, 3, 4, 5, 7], [2, 3, -1] * 2)
    evidence = evidence_of_store(store, [(0, 1), (1, 2), (3, 2)])
    rows = INPUTS[inputs](evidence).astype(np.float16).astype(np.float32)
    wanted = standardised(rows, sides.mean, sides.deviation)
    np.testing.assert_allclose(sides.moves.features[: len(wanted)], wanted, atol=4e-3)
    np.testing.assert_array_equal(sides.counts.sum(axis=1), sides.moves.lengths())
    other = FeatureStore(store.path, {**store.settings, "sha256": "0"})
    with pytest.raises(UsageError, match="different networks"):
        read_sides([part, replace(part, store=other)], inputs)
