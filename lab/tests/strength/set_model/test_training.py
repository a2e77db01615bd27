"""Training of models of sets: what is learnt, from whom, and going on after a stop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

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
from yardstone_lab.neubauer import set_training
from yardstone_lab.neubauer.scored_model import SETTINGS, ScoredModel, train_set_model
from yardstone_lab.neubauer.sides import BANDS, SetSides, StoreSides, bands_of, read_sides, targets

CHANNELS = INPUTS["basic"].channels(0)
SMALL = replace(
    SETTINGS["basic"], width=8, query_width=6, inducing_points=3, steps=40, epochs=2, sample=12
)


def made_sides(fox: int = 220, ogs: int = 120, seed: int = 0) -> SetSides:
    """Sides whose moves lie along their strength in two of the inputs, amid noise."""
    random = np.random.default_rng(seed)
    number = fox + ogs
    group = np.where(np.arange(number) < fox, np.arange(number) // 2 % len(RANKS), -1)
    rank = np.where(group < 0, random.uniform(-26.0, 8.0, number), np.nan)
    lengths = random.integers(20, 40, number)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    strength = np.where(group < 0, (rank + 9.0) / 9.0, (group - 5.0) / 3.0)
    moves = random.normal(size=(starts[-1], CHANNELS))
    own = np.repeat(strength, lengths)
    moves[:, 0] += own
    moves[:, 1] -= 0.5 * own
    counts = np.zeros((number, 5), np.int64)
    counts[:, :4], counts[:, 4] = 4, lengths - 16
    return SetSides(
        "basic",
        PackedMoves(moves.astype(np.float16), np.arange(starts[-1]), starts),
        np.zeros(CHANNELS, np.float32),
        np.ones(CHANNELS, np.float32),
        counts,
        group=group,
        rank=rank,
        sure=np.ones(number),
        game=np.arange(number) // 2,
        colour=1 + np.arange(number) % 2,
        player=np.array([f"p{k}" for k in range(number)]),
        opponent=np.array([f"p{k + 1 - 2 * (k % 2)}" for k in range(number)]),
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[SetSides, ScoredModel, Path]:
    sides, folder = made_sides(), tmp_path_factory.mktemp("sets")
    return sides, train_set_model(sides, SMALL, folder=folder, folds=3, card={"name": "x"}), folder


def test_the_model_scores_as_those_of_the_folds(
    trained: tuple[SetSides, ScoredModel, Path],
) -> None:
    sides, result, _ = trained
    scorer = result.model.scorer
    assert isinstance(scorer, SetScorer)
    assert (scorer.inputs.name, scorer.width) == ("basic", 3)
    assert list(result.model.scales) == ["fox", "ogs"]
    assert {"folds": 3, "name": "x"}.items() <= result.model.card.items()
    shares = shares_of_moves(scorer.network, scorer.usual, _exact(sides))
    said = np.add.reduceat(shares, sides.moves.starts[:-1], axis=0)
    said /= sides.moves.lengths()[:, None]
    fox = sides.fox
    assert result.ogs is not None
    outside = result.fox.scores.sum(axis=1)[:, 0] / sides.moves.lengths()[fox]
    assert np.corrcoef(said[fox, 0], outside)[0, 1] > 0.9
    # The first score grows with the group, the last with the rank of OGS.
    assert np.corrcoef(said[fox, 0], sides.group[fox])[0, 1] > 0.8
    assert np.corrcoef(said[~fox, 2], sides.rank[~fox])[0, 1] > 0.8


def _exact(sides: SetSides) -> PackedMoves:
    return replace(sides.moves, features=sides.moves.features.astype(np.float32))


def test_without_ogs_there_is_one_scale(tmp_path: Path) -> None:
    short = replace(SMALL, steps=3, epochs=1)
    result = train_set_model(made_sides(220, 0), short, folder=tmp_path, folds=2)
    assert (result.ogs, list(result.model.scales), result.model.scorer.width) == (None, ["fox"], 2)
    with pytest.raises(NoGamesError):
        train_set_model(made_sides(0, 20), short, folder=tmp_path)
    with pytest.raises(NoGamesError):
        read_sides([], "basic")


def test_a_fold_knows_nothing_of_its_players(trained: tuple[SetSides, ScoredModel, Path]) -> None:
    sides, result, folder = trained
    fold = result.fold
    for name, other, number in zip(sides.player, sides.opponent, fold, strict=True):
        mates = sides.fox & ((sides.player == name) | (sides.player == other))
        assert set(fold[mates]) <= {number} or not sides.fox[sides.player == name].any()
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
    trained: tuple[SetSides, ScoredModel, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sides, result, folder = trained
    done: list[int] = []
    trains: list[np.bool_] = []
    train = set_training.train_arrays

    def counted(*arguments: object, **named: object) -> object:
        trains.append(np.bool_(True))
        return train(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(set_training, "train_arrays", counted)
    again = train_set_model(sides, SMALL, folder=folder, folds=3, report=done.append)
    assert (len(trains), done) == (0, [0, 1, 2, 3])
    np.testing.assert_array_equal(again.fox.scores, result.fox.scores)
    for name, array in again.model.scorer.arrays().items():
        np.testing.assert_array_equal(array, result.model.scorer.arrays()[name])
    (folder / "fold_1.npz").write_bytes(b"broken")
    short = replace(SMALL, steps=2, epochs=1)
    train_set_model(sides, short, folder=folder, folds=3)
    assert len(trains) == 4  # other settings: everything anew


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
    pairs = list(zip(game.tolist(), colour.tolist(), strict=True))
    evidence = evidence_of_store(store, pairs)
    rows = INPUTS[inputs](evidence).astype(np.float16).astype(np.float32)
    wanted = standardised(rows, sides.mean, sides.deviation)
    np.testing.assert_allclose(sides.moves.features[: len(wanted)], wanted, atol=4e-3)
    np.testing.assert_array_equal(sides.counts.sum(axis=1), sides.moves.lengths())
    _refuses_another_network(part, store)


def _refuses_another_network(part: StoreSides, store: FeatureStore) -> None:
    other = FeatureStore(store.path, {**store.settings, "sha256": "0"})
    with pytest.raises(UsageError, match="different networks"):
        read_sides([part, replace(part, store=other)], "basic")
