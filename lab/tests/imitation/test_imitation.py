"""A network that imitates players: its batches, its training, and the file that it becomes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import log_softmax

from lab.tests.strength.made_training import LazyModule, torch
from tests.go.games import random_game
from tests.go.nets.test_network import inputs
from tests.go.random_net import ALL_SHAPES, Shape, write_network
from yardstone.errors import ConvergenceError, NoGamesError, UsageError
from yardstone.go.nets import load_network, read_model
from yardstone.go.points import symmetry_points
from yardstone.records.go_game import GoGame
from yardstone_lab.imitation.games import (
    BANDS,
    ImitationGames,
    ImitationSettings,
    LearntSide,
    band_of,
    collect_games,
    make_batch,
)
from yardstone_lab.neubauer.network.training import torch_threads

TINY = ImitationSettings(channels=8, blocks=2, tastes=4, sides=4, moves=4, steps=30, bfloat16=False)
WEAK, STRONG = band_of("ogs", 0), band_of("fox", 10)


training: Any = LazyModule("yardstone_lab.imitation.training")
networks: Any = LazyModule("yardstone_lab.imitation.network")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Several processes of tests with several threads each would wait for each other."""
    with torch_threads(1):
        yield


def game(seed: int, winner: int = 1) -> GoGame:
    """Random moves; each seed another game."""
    return replace(random_game(seed, size=19, moves=60), file=f"{seed}.sgf", winner=winner)


def some_games(number: int = 8) -> ImitationGames:
    sides = {
        f"{k}.sgf": (LearntSide(1, WEAK if k % 2 else STRONG), LearntSide(2, 0))
        for k in range(number)
    }
    return collect_games([game(k) for k in range(number)], sides)


class Trained(NamedTuple):
    games: ImitationGames
    network: Any
    file: Path  #: The network as others read it.


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder, games = tmp_path_factory.mktemp("trained"), some_games()
    network, _ = training.train_network(games, TINY, folder, threads=1)
    networks.write_model(folder / "net.bin.gz", network.model("small"))
    return Trained(games, network, folder / "net.bin.gz")


def test_games_that_teach_nothing_are_left_out() -> None:
    plain, short = game(1), game(5)
    others = [
        replace(random_game(2), file="small.sgf"),
        replace(game(3), handicap=3),
        replace(game(4), setup_black=np.array([72], np.int16)),
        replace(short, moves=short.moves[:10], colours=short.colours[:10]),
    ]
    games = collect_games([plain, *others])
    assert [each.file for each in games.games] == ["1.sgf"]
    assert (games.colour.tolist(), games.band.tolist()) == ([1, 2], [0, 0])
    for nothing in ((others, None), ([plain], {"other.sgf": (LearntSide(1),)})):
        with pytest.raises(NoGamesError):
            collect_games(*nothing)
    # Moves after an illegal one are not learnt from.
    moves = plain.moves.copy()
    moves[20] = moves[0]
    games = collect_games([replace(plain, moves=moves)])
    batch = make_batch(games, np.array([0, 1]), 12)
    assert set(batch.point.tolist()) <= set(moves[:21].tolist())


def test_a_batch_has_the_moves_of_its_sides() -> None:
    games = some_games(6)
    batch = make_batch(games, np.array([0, 3]), 5)
    rows = np.arange(10)
    assert batch.spatial.shape == (10, 22, 19, 19)
    for side, part in ((0, slice(0, 5)), (3, slice(5, 10))):
        mine = games.games[games.game[side]]
        places = games.places(side)
        assert set(batch.point[part].tolist()) <= set(mine.moves[places].tolist())
        assert (mine.colours[places] == games.colour[side]).all()
        assert batch.band[part].tolist() == [games.band[side]] * 5
    # The point is empty, and its move allowed.
    stones = batch.spatial[:, 1] + batch.spatial[:, 2]
    assert not stones.reshape(10, -1)[rows, batch.point].any()
    assert batch.legal[rows, batch.point].all()
    assert batch.won.tolist() == [1.0] * 5 + [0.0] * 5  # Black won them all


def test_turned_positions_are_the_same_seen_another_way() -> None:
    games = some_games(6)
    sides = np.arange(8)
    turned, again = (make_batch(games, sides, 6, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(turned.spatial, again.spatial)
    whole = make_batch(games, sides, 30)  # all moves, as the board lies
    known = {row.tobytes(): k for k, row in enumerate(whole.spatial)}
    kinds = []
    stones = (turned.spatial[:, 1] + turned.spatial[:, 2]).sum(axis=(1, 2))
    late = np.flatnonzero(stones > 3)  # all games begin alike, and look alike from many sides
    for row in late.tolist():
        for symmetry, points in enumerate(symmetry_points(19)):
            back = turned.spatial[row].reshape(22, -1)[:, points].reshape(22, 19, 19)
            k = known.get(np.ascontiguousarray(back).tobytes())
            if k is not None:
                assert points[whole.point[k]] == turned.point[row]
                assert (turned.legal[row, points] == whole.legal[k, :-1]).all()
                kinds.append(symmetry)
                break
    assert len(kinds) == len(late) > 30
    assert len(set(kinds)) > 4


def test_a_teacher_is_learnt_from(
    trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = trained.games
    teacher = load_network(trained.file, threads=1)
    batch = make_batch(games, np.arange(16), 10)
    lesson = training.Teacher(teacher, batch)(batch)
    assert lesson.trunk.shape == (160, 8, 361)
    some = lesson.trunk.std(axis=(0, 2)) > 0.5  # a channel that is always 0 stays so
    np.testing.assert_allclose(lesson.trunk.mean(axis=(0, 2)), 0.0, atol=1e-3)
    np.testing.assert_allclose(lesson.trunk.std(axis=(0, 2))[some], 1.0, atol=1e-3)
    output = teacher.evaluate(batch.spatial.astype(np.float32), batch.numbers)
    policy = np.where(batch.legal, np.exp(output.policy_logits), 0.0)
    wanted = policy / policy.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(lesson.policy, wanted, rtol=1e-4, atol=1e-8)
    win = np.exp(output.value_logits)
    np.testing.assert_allclose(lesson.won, win[:, 0] / win[:, :2].sum(axis=1), rtol=1e-4)
    np.testing.assert_allclose(lesson.lead, output.lead)
    monkeypatch.setattr(f"{training.name}._WARM", 10)
    monkeypatch.setattr(f"{training.name}._LINE", 15)
    settings = replace(TINY, steps=45, learning_rate=1e-2)
    training.train_network(games, settings, tmp_path / "taught", teacher=teacher)
    with (tmp_path / "taught" / "losses.csv").open() as file:
        first, *_, last = csv.DictReader(file)
    for name in ("policy", "value", "lead", "strength", "trunk"):
        assert float(last[name]) < float(first[name]), name
    with pytest.raises(UsageError, match="other games or settings"):
        training.train_network(games, settings, tmp_path / "taught")


def test_the_file_computes_what_was_trained(trained: Trained) -> None:

    net = load_network(trained.file)
    assert (net.name, net.version, net.channels) == ("small", 8, 8)
    batch = make_batch(trained.games, np.arange(4), 5)
    output = net.evaluate(batch.spatial.astype(np.float32), batch.numbers, trunk=True)
    with torch.no_grad():
        wanted = trained.network(
            torch.from_numpy(batch.spatial).float(), torch.from_numpy(batch.numbers)
        )
    assert output.trunk is not None
    for one, other in (
        (output.policy_logits, wanted.policy),
        (output.value_logits, wanted.value),
        (output.lead, 20.0 * wanted.lead),
        (output.trunk.reshape(wanted.trunk.shape), wanted.trunk),
    ):
        np.testing.assert_allclose(one, other.numpy(), atol=2e-5)


def test_moves_are_judged_by_the_choices_of_each_band_and_learnt_by_those_of_their_own(
    trained: Trained,
) -> None:
    """Likelihoods by hand; what is made small in training is minus those of the same moves."""

    games, network = trained.games, trained.network
    judged = training.judge_network(network, games, moves=4, bfloat16=False)
    batch = make_batch(games, np.arange(len(games)), 4)
    rows = np.arange(len(batch))
    with torch.no_grad():
        outputs = network(torch.from_numpy(batch.spatial).float(), torch.from_numpy(batch.numbers))
        differ = network.bands.numpy() @ outputs.tastes.numpy()  # [moves, bands, points]
        answers = network.ranks(outputs, torch.from_numpy(batch.point), 4).numpy()
    policy = outputs.policy.numpy()
    every = np.where(batch.legal, policy, -np.inf)
    assert judged.all.everybody == pytest.approx(log_softmax(every, 1)[rows, batch.point], abs=1e-4)
    assert np.ptp(judged.all.likelihood, axis=1).min() > 0.0
    own = np.zeros(len(batch))
    for band in range(len(BANDS)):
        choices = every.copy()
        choices[:, :-1] += differ[:, band]
        wanted = log_softmax(choices, 1)[rows, batch.point]
        assert judged.all.likelihood[:, band] == pytest.approx(wanted, abs=1e-4)
        assert judged.by_side()[:, band] == pytest.approx(wanted.reshape(-1, 4).mean(1), abs=1e-4)
        own = np.where(batch.band == band, wanted, own)
    assert judged.own == pytest.approx(own, abs=1e-4)
    with torch.no_grad():
        _, losses = training.targets(network, batch, None, TINY)
    assert losses.move == pytest.approx(-own.mean(), abs=1e-4)
    assert losses.policy == pytest.approx(-judged.all.everybody.mean(), abs=1e-4)
    assert losses.top == pytest.approx(judged.all.top.mean())
    # How strong a player is, is told among the groups of the player's own scale.
    scales = np.array([scale for scale, _ in BANDS[1:]])
    told = []
    for side in np.flatnonzero(games.band):
        band = games.band[side] - 1
        same = np.flatnonzero(scales == scales[band])
        told.append(log_softmax(answers[side, same])[band - same[0]])
    assert losses.strength == pytest.approx(-np.mean(told), abs=1e-4)


def test_a_training_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setattr(f"{training.name}._LINE", 10)
    games = some_games(6)
    whole, _ = training.train_network(games, TINY, tmp_path / "whole", until=20, threads=1)
    training.train_network(games, TINY, tmp_path / "part", until=10, threads=1)
    again, done = training.train_network(games, TINY, tmp_path / "part", until=20, threads=1)
    assert done == 20
    for kept in (again, training.load_training(tmp_path / "whole", TINY)):
        for name, one in whole.state_dict().items():
            assert torch.equal(one, kept.state_dict()[name]), name
    files = [(tmp_path / name / training.CHECKPOINT).read_bytes() for name in ("whole", "part")]
    assert files[0] == files[1]
    with (tmp_path / "part" / "losses.csv").open() as file:
        assert [row["step"] for row in csv.DictReader(file)] == ["10", "20"]
    for others, settings in ((games, replace(TINY, tastes=5)), (some_games(5), TINY)):
        with pytest.raises(UsageError, match="other games or settings"):
            training.train_network(others, settings, tmp_path / "part")
    training.train_network(games, replace(TINY, steps=40), tmp_path / "part", until=20)
    wild = replace(TINY, learning_rate=1e30)
    with pytest.raises(ConvergenceError, match=r"diverged after .* steps"):
        training.train_network(games, wild, tmp_path / "wild")
    assert not list((tmp_path / "wild").glob(training.CHECKPOINT))


@pytest.mark.parametrize("filter_side", [3, 5])
def test_a_network_is_the_same_after_it_was_written(tmp_path: Path, filter_side: int) -> None:
    write_model, model_bytes = networks.write_model, networks.model_bytes
    shape = Shape(8, ("residual", "pooling", "residual"), filter=(filter_side, filter_side))
    first = load_network(write_network(tmp_path / "first.bin.gz", shape))
    write_model(tmp_path / "second.bin.gz", first.model)
    second = load_network(tmp_path / "second.bin.gz")
    assert second.name == first.name
    assert model_bytes(second.model) == model_bytes(first.model)
    write_model(tmp_path / "third.bin.gz", second.model)
    files = [(tmp_path / f"{name}.bin.gz").read_bytes() for name in ("second", "third")]
    assert files[0] == files[1]
    spatial, numbers = inputs(2, 9)
    one, other = (
        net.evaluate(spatial, numbers, trunk=True, ownership=True) for net in (first, second)
    )
    for name in ("policy_logits", "value_logits", "lead", "score_mean", "trunk", "ownership"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("name", sorted(set(ALL_SHAPES) - {"v8"}))
def test_other_versions_are_refused(tmp_path: Path, name: str) -> None:
    write_model = networks.write_model
    model = read_model(write_network(tmp_path / "net.bin.gz", ALL_SHAPES[name]))
    with pytest.raises(UsageError, match="only 8"):
        write_model(tmp_path / "other.bin.gz", model)
    if name != "v9" and name != "v10":  # whose trunks are like those of version 8
        plain = read_model(write_network(tmp_path / "plain.bin.gz", Shape(8)))
        with pytest.raises(UsageError, match="version 8 knows"):
            write_model(tmp_path / "other.bin.gz", replace(plain, trunk=model.trunk))
    assert not (tmp_path / "other.bin.gz").exists()
