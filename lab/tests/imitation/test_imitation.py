"""A network that imitates players: its batches, its training, and the file that it becomes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Several processes of tests with several threads each would wait for each other."""
    with torch_threads(1):
        yield


@pytest.fixture(scope="module")
def training() -> Any:
    """The module, which takes its time to import torch."""
    from yardstone_lab.imitation import training

    return training


def networks() -> Any:
    """The module of networks, which takes its time, too."""
    from yardstone_lab.imitation import network

    return network


def game(seed: int, winner: int = 1) -> GoGame:
    """Random moves; each seed another game."""
    made = random_game(seed, size=19, moves=60)
    return replace(made, file=f"{seed}.sgf", winner=winner)


def some_games(number: int = 6) -> ImitationGames:
    sides = {
        f"{k}.sgf": (LearntSide(1, WEAK if k % 2 else STRONG), LearntSide(2, 0))
        for k in range(number)
    }
    return collect_games([game(k) for k in range(number)], sides)


def test_games_that_teach_nothing_are_left_out() -> None:
    plain = game(1)
    others = [
        replace(random_game(2), file="small.sgf"),
        replace(game(3), handicap=3),
        replace(game(4), setup_black=np.array([72], np.int16)),
        replace(game(5), moves=game(5).moves[:10], colours=game(5).colours[:10]),
    ]
    games = collect_games([plain, *others])
    assert [each.file for each in games.games] == ["1.sgf"]
    assert games.colour.tolist() == [1, 2]
    assert games.band.tolist() == [0, 0]
    with pytest.raises(NoGamesError):
        collect_games(others)
    with pytest.raises(NoGamesError):
        collect_games([plain], {"other.sgf": (LearntSide(1),)})


def test_a_batch_has_the_moves_of_its_sides() -> None:
    games = some_games()
    batch = make_batch(games, np.array([0, 3]), 5)
    rows = np.arange(10)
    assert batch.spatial.shape == (10, 22, 19, 19)
    for side, part in ((0, slice(0, 5)), (3, slice(5, 10))):
        mine = games.games[games.game[side]]
        places = games.places(side)
        assert set(batch.point[part].tolist()) <= set(mine.moves[places].tolist())
        assert (mine.colours[places] == games.colour[side]).all()
    # The point is empty, and its move allowed.
    stones = batch.spatial[:, 1] + batch.spatial[:, 2]
    assert not stones.reshape(10, -1)[rows, batch.point].any()
    assert batch.legal[rows, batch.point].all()
    assert batch.band.tolist() == [games.band[0]] * 5 + [games.band[3]] * 5
    assert batch.won.tolist() == [1.0] * 5 + [0.0] * 5  # Black won them all


def test_turned_positions_are_the_same_seen_another_way() -> None:
    games = some_games()
    sides = np.arange(8)
    turned = make_batch(games, sides, 6, np.random.default_rng(3))
    again = make_batch(games, sides, 6, np.random.default_rng(3))
    np.testing.assert_array_equal(turned.spatial, again.spatial)
    whole = make_batch(games, sides, 30)  # all moves, as the board lies
    known = {row.tobytes(): k for k, row in enumerate(whole.spatial)}
    matched, kinds = 0, set()
    stones = (turned.spatial[:, 1] + turned.spatial[:, 2]).sum(axis=(1, 2))
    late = np.flatnonzero(stones > 3)  # all games begin alike, and look alike from many sides
    for row in late.tolist():
        for symmetry, points in enumerate(symmetry_points(19)):
            back = turned.spatial[row].reshape(22, -1)[:, points].reshape(22, 19, 19)
            k = known.get(np.ascontiguousarray(back).tobytes())
            if k is not None:
                assert points[whole.point[k]] == turned.point[row]
                assert (turned.legal[row, points] == whole.legal[k, :-1]).all()
                matched += 1
                kinds.add(symmetry)
                break
    assert matched == len(late) > 30
    assert len(kinds) > 4


def test_a_teacher_is_learnt_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, training: Any
) -> None:
    games = some_games(8)
    wise, _ = training.train_network(games, replace(TINY, seed=5), tmp_path / "wise")
    networks().write_model(tmp_path / "wise.bin.gz", wise.model("wise"))
    teacher = load_network(tmp_path / "wise.bin.gz", threads=1)
    batch = make_batch(games, np.arange(16), 10)
    learn = training.Teacher(teacher, batch)
    lesson = learn(batch)
    assert lesson.trunk.shape == (160, 8, 361)
    some = lesson.trunk.std(axis=(0, 2)) > 0.5  # a channel that is always 0 stays so
    np.testing.assert_allclose(lesson.trunk.mean(axis=(0, 2)), 0.0, atol=1e-3)
    np.testing.assert_allclose(lesson.trunk.std(axis=(0, 2))[some], 1.0, atol=1e-3)
    np.testing.assert_allclose(lesson.policy.sum(axis=1), 1.0, rtol=1e-5)
    assert (lesson.policy[~batch.legal] == 0).all()
    output = teacher.evaluate(batch.spatial.astype(np.float32), batch.numbers)
    best = np.where(batch.legal, output.policy_logits, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(lesson.policy.argmax(axis=1), best)
    win = np.exp(output.value_logits)
    np.testing.assert_allclose(lesson.won, win[:, 0] / win[:, :2].sum(axis=1), rtol=1e-4)
    np.testing.assert_allclose(lesson.lead, output.lead)
    monkeypatch.setattr(training, "_WARM", 20)
    monkeypatch.setattr(training, "_LINE", 25)
    settings = replace(TINY, steps=75, sides=8, learning_rate=1e-2)
    training.train_network(games, settings, tmp_path / "taught", teacher=teacher)
    with (tmp_path / "taught" / "losses.csv").open() as file:
        first, *_, last = csv.DictReader(file)
    for name in ("policy", "value", "lead", "trunk"):
        assert float(last[name]) < float(first[name]), name
    with pytest.raises(UsageError, match="other games or settings"):
        training.train_network(games, settings, tmp_path / "taught")


def test_moves_after_an_illegal_one_are_not_learnt_from() -> None:
    made = game(1)
    moves = made.moves.copy()
    moves[20] = moves[0]
    games = collect_games([replace(made, moves=moves)])
    batch = make_batch(games, np.array([0, 1]), 12, np.random.default_rng(0))
    early = set(moves[:21].tolist())
    turned = symmetry_points(19)
    assert all(any(p in turned[:, e] for e in early) for p in batch.point.tolist())


def test_the_file_computes_what_was_trained(tmp_path: Path, training: Any) -> None:
    import torch

    games = some_games()
    network, _ = training.train_network(games, TINY, tmp_path / "training")
    networks().write_model(tmp_path / "net.bin.gz", network.model("small"))
    net = load_network(tmp_path / "net.bin.gz")
    assert (net.name, net.version, net.channels) == ("small", 8, 8)
    batch = make_batch(games, np.arange(4), 5)
    output = net.evaluate(batch.spatial.astype(np.float32), batch.numbers, trunk=True)
    with torch.no_grad():
        wanted = network(torch.from_numpy(batch.spatial).float(), torch.from_numpy(batch.numbers))
    assert output.trunk is not None
    for one, other in (
        (output.policy_logits, wanted.policy),
        (output.value_logits, wanted.value),
        (output.lead, 20.0 * wanted.lead),
        (output.trunk.reshape(wanted.trunk.shape), wanted.trunk),
    ):
        np.testing.assert_allclose(one, other.numpy(), atol=2e-5)


def test_a_training_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, training: Any
) -> None:
    import torch

    monkeypatch.setattr(training, "_LINE", 10)
    games = some_games()
    whole, _ = training.train_network(games, TINY, tmp_path / "whole", until=20, threads=1)
    training.train_network(games, TINY, tmp_path / "part", until=10, threads=1)
    again, done = training.train_network(games, TINY, tmp_path / "part", until=20, threads=1)
    assert done == 20
    for kept in (again, training.load_training(tmp_path / "whole", TINY)):
        for (name, one), other in zip(
            whole.state_dict().items(), kept.state_dict().values(), strict=True
        ):
            assert torch.equal(one, other), name
    files = [(tmp_path / name / training.CHECKPOINT).read_bytes() for name in ("whole", "part")]
    assert files[0] == files[1]
    with (tmp_path / "part" / "losses.csv").open() as file:
        assert [row["step"] for row in csv.DictReader(file)] == ["10", "20"]
    for others, settings in ((games, replace(TINY, tastes=5)), (some_games(5), TINY)):
        with pytest.raises(UsageError, match="other games or settings"):
            training.train_network(others, settings, tmp_path / "part")
    training.train_network(games, replace(TINY, steps=40), tmp_path / "part", until=20)


def test_a_training_that_diverges_is_an_error(tmp_path: Path, training: Any) -> None:
    settings = replace(TINY, learning_rate=1e30, steps=50)
    with pytest.raises(ConvergenceError, match=r"diverged after .* steps"):
        training.train_network(some_games(), settings, tmp_path)
    assert not (tmp_path / training.CHECKPOINT).exists()


def habits(number: int) -> ImitationGames:
    """Black plays on the edge where he is weak, and on the fourth line where he is strong."""
    made, sides = [], {}
    rows = np.arange(361).reshape(19, 19)
    for k in range(number):
        weak = bool(k % 2)
        order = np.random.default_rng(k).permutation(19)
        own = rows[0 if weak else 3][order]
        moves = np.stack([own, rows[9][order]], 1).ravel().astype(np.int16)
        colours = np.tile(np.array([1, 2], np.int8), 19)
        made.append(GoGame(file=f"{k}.sgf", moves=moves, colours=colours, winner=1 if weak else 2))
        sides[f"{k}.sgf"] = (LearntSide(1, WEAK if weak else STRONG),)
    return collect_games(made, sides)


def test_choices_of_the_weak_and_of_the_strong_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, training: Any
) -> None:
    monkeypatch.setattr(training, "_WARM", 20)
    # In so few steps the statistics of the norms must keep up with the weights.
    monkeypatch.setattr(networks(), "_MOMENTUM", 0.1)
    games = habits(40)
    settings = replace(TINY, channels=16, steps=300, sides=8, learning_rate=5e-3)
    network, _ = training.train_network(games, settings, tmp_path)
    # On the empty board nothing but the band says where Black will play.
    first = training.judge_network(network, games, moves=1, bfloat16=False)
    assert first.all.likelihood.shape == first.by_side().shape == (40, len(BANDS))
    weak = first.band == WEAK
    gain = first.all.likelihood[:, WEAK] - first.all.likelihood[:, STRONG]
    assert gain[weak].mean() > 0.5
    assert gain[~weak].mean() < -0.5
    assert first.own.mean() > first.all.everybody.mean() + 0.2


@pytest.mark.parametrize("filter_side", [3, 5])
def test_a_network_is_the_same_after_it_was_written(tmp_path: Path, filter_side: int) -> None:
    shape = Shape(8, ("residual", "pooling", "residual"), filter=(filter_side, filter_side))
    first = load_network(write_network(tmp_path / "first.bin.gz", shape))
    networks().write_model(tmp_path / "second.bin.gz", first.model)
    second = load_network(tmp_path / "second.bin.gz")
    assert second.name == first.name
    assert networks().model_bytes(second.model) == networks().model_bytes(first.model)
    networks().write_model(tmp_path / "third.bin.gz", second.model)
    files = [(tmp_path / f"{name}.bin.gz").read_bytes() for name in ("second", "third")]
    assert files[0] == files[1]
    for size in (9, 19):
        spatial, numbers = inputs(2, size)
        one, other = (
            net.evaluate(spatial, numbers, trunk=True, ownership=True) for net in (first, second)
        )
        for name in ("policy_logits", "value_logits", "lead", "score_mean", "trunk", "ownership"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("name", sorted(set(ALL_SHAPES) - {"v8"}))
def test_other_versions_are_refused(tmp_path: Path, name: str) -> None:
    model = read_model(write_network(tmp_path / "net.bin.gz", ALL_SHAPES[name]))
    with pytest.raises(UsageError, match="only 8"):
        networks().write_model(tmp_path / "other.bin.gz", model)
    if name != "v9" and name != "v10":  # whose trunks are like those of version 8
        plain = read_model(write_network(tmp_path / "plain.bin.gz", Shape(8)))
        with pytest.raises(UsageError, match="version 8 knows"):
            networks().write_model(tmp_path / "other.bin.gz", replace(plain, trunk=model.trunk))
    assert not (tmp_path / "other.bin.gz").exists()
