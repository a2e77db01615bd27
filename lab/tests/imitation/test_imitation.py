"""A network that imitates players: its batches, its training, and the file that it becomes."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import log_softmax

from lab.tests.refusals import refuse
from lab.tests.strength.made_training import LazyModule, torch
from tests.go.games import random_game
from tests.go.nets.test_network import inputs
from tests.go.random_net import ALL_SHAPES, Shape, write_network
from tests.shared import shared_path
from yardstone.cli.main import main
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
    refuse(
        (lambda: collect_games(others), NoGamesError, ""),
        (lambda: collect_games([plain], {"other.sgf": (LearntSide(1),)}), NoGamesError, ""),
    )
    # Moves after an illegal one are not learnt from.
    moves = plain.moves.copy()
    moves[20] = moves[0]
    batch = make_batch(collect_games([replace(plain, moves=moves)]), np.array([0, 1]), 12)
    assert set(batch.point.tolist()) <= set(moves[:21].tolist())


def test_a_batch_has_the_moves_of_its_sides() -> None:
    games = some_games(6)
    batch = make_batch(games, np.array([0, 3]), 5)
    assert batch.spatial.shape == (10, 22, 19, 19)
    for side, part in ((0, slice(0, 5)), (3, slice(5, 10))):
        mine, places = games.games[games.game[side]], games.places(side)
        assert set(batch.point[part].tolist()) <= set(mine.moves[places].tolist())
        assert (mine.colours[places] == games.colour[side]).all()
        assert batch.band[part].tolist() == [games.band[side]] * 5
    # The point is empty, and its move allowed.
    rows, stones = np.arange(10), batch.spatial[:, 1] + batch.spatial[:, 2]
    assert not stones.reshape(10, -1)[rows, batch.point].any()
    assert batch.legal[rows, batch.point].all()
    assert batch.won.tolist() == [1.0] * 5 + [0.0] * 5  # Black won them all


def test_turned_positions_are_the_same_seen_another_way() -> None:
    games, sides = some_games(6), np.arange(8)
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
    win = np.exp(output.value_logits[:, :2])
    np.testing.assert_allclose(lesson.won, win[:, 0] / win.sum(axis=1), rtol=1e-4)
    np.testing.assert_allclose(lesson.lead, output.lead)
    monkeypatch.setattr(f"{training.name}._WARM", 10)
    monkeypatch.setattr(f"{training.name}._LINE", 15)
    train = partial(training.train_network, games, replace(TINY, steps=45, learning_rate=1e-2))
    train(tmp_path, teacher=teacher)
    first, *_, last = csv.DictReader((tmp_path / "losses.csv").read_text().splitlines())
    for name in ("policy", "value", "lead", "strength", "trunk"):
        assert float(last[name]) < float(first[name]), name
    refuse((lambda: train(tmp_path), UsageError, "other games or settings"))


def test_moves_are_judged_by_the_choices_of_each_band_and_kept_so(
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
    # The file computes what was trained.
    net = load_network(trained.file)
    assert (net.name, net.version, net.channels) == ("small", 8, 8)
    known = net.evaluate(batch.spatial.astype(np.float32), batch.numbers, trunk=True)
    assert known.trunk is not None
    for one, other in (
        (known.policy_logits, outputs.policy), (known.value_logits, outputs.value),
        (known.lead, 20.0 * outputs.lead),
        (known.trunk.reshape(outputs.trunk.shape), outputs.trunk),
    ):  # fmt: skip
        np.testing.assert_allclose(one, other.numpy(), atol=2e-5)
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
        own = np.where(batch.band == band, wanted, own)
    assert judged.own == pytest.approx(own, abs=1e-4)
    with torch.no_grad():
        _, losses = training.targets(network, batch, None, TINY)
    assert losses.move == pytest.approx(-own.mean(), abs=1e-4)
    assert losses.policy == pytest.approx(-judged.all.everybody.mean(), abs=1e-4)
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
    rows = csv.DictReader((tmp_path / "part" / "losses.csv").read_text().splitlines())
    assert [row["step"] for row in rows] == ["10", "20"]
    part, wild = partial(training.train_network, folder=tmp_path / "part"), tmp_path / "wild"
    refuse(
        (lambda: part(games, replace(TINY, tastes=5)), UsageError, "other games or settings"),
        (lambda: part(some_games(5), TINY), UsageError, "other games or settings"),
    )
    training.train_network(games, replace(TINY, steps=40), tmp_path / "part", until=20)
    with pytest.raises(ConvergenceError, match=r"diverged after .* steps"):
        training.train_network(games, replace(TINY, learning_rate=1e30), wild)
    assert not (wild / training.CHECKPOINT).exists()


@pytest.mark.parametrize("filter_side", [3, 5])
def test_a_network_is_the_same_after_it_was_written(tmp_path: Path, filter_side: int) -> None:
    shape = Shape(8, ("residual", "pooling", "residual"), filter=(filter_side, filter_side))
    first = load_network(write_network(tmp_path / "first.bin.gz", shape))
    networks.write_model(tmp_path / "second.bin.gz", first.model)
    second = load_network(tmp_path / "second.bin.gz")
    assert second.name == first.name
    networks.write_model(tmp_path / "third.bin.gz", second.model)
    files = [(tmp_path / f"{name}.bin.gz").read_bytes() for name in ("second", "third")]
    assert files[0] == files[1]
    spatial, numbers = inputs(2, 9)
    one, other = (
        net.evaluate(spatial, numbers, trunk=True, ownership=True) for net in (first, second)
    )
    for name in ("policy_logits", "value_logits", "lead", "score_mean", "trunk", "ownership"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def test_other_versions_are_refused(tmp_path: Path) -> None:
    plain, made = read_model(write_network(tmp_path / "plain.gz", Shape(8))), tmp_path / "other.gz"
    for name in set(ALL_SHAPES) - {"v8"}:
        model = read_model(write_network(tmp_path / "net.gz", ALL_SHAPES[name]))
        refuse((partial(networks.write_model, made, model), UsageError, "only 8"))
        if name not in ("v9", "v10"):  # whose trunks are like those of version 8
            strange = replace(plain, trunk=model.trunk)
            refuse((partial(networks.write_model, made, strange), UsageError, "version 8 knows"))
    assert not made.exists()


SETTINGS = ("steps=6", "channels=8", "blocks=2", "sides=4", "moves=2", "bfloat16=no")
OPTIONS = ["--threads", "1", *(word for each in SETTINGS for word in ("--set", each))]


def test_the_command_trains_on_real_games_and_refuses_what_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some games of the weakest and of the strongest group, and a table of their ranks."""
    data, games, ranks = shared_path("data/go/fox_ranked"), tmp_path / "games", tmp_path / "r.csv"
    with gzip.open(data / "index.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    games.mkdir()
    lines = ["file,colour,rank,scale"]
    with zipfile.ZipFile(data / "games.zip") as archive:
        for group, rank in (("3-5k", "4k"), ("9d", "9d")):
            for row in islice((row for row in rows if row["group"] == group), 4):
                name = f"{group}-{Path(row['file']).name}"
                (games / name).write_bytes(archive.read(row["file"]))
                lines += [f"{name},{colour},{rank},fox" for colour in ("black", "white")]
    ranks.write_text("\n".join([*lines, ""]))
    (games / "small.sgf").write_text("(;GM[1]SZ[9];B[ee];W[cc])")
    made, report, picture = (tmp_path / name for name in ("club.bin.gz", "a.json", "b.svg"))
    net = shared_path("nets/g170-b6c96-s175395328-d26788732.bin.gz")
    words = [games, "--ranks", ranks, "--teacher", net, "--save", made, "-o", report, "-o", picture]
    command = ["go", "nets", "train", *map(str, words), *OPTIONS, "-q"]
    assert main([*command, "--minutes", "0"]) == 0
    assert "0 of 6 steps are done: the same command goes on." in capsys.readouterr().out
    assert not made.exists()
    assert main(command) == 0
    known = json.loads(report.read_text())
    assert {row["players"] for row in known} <= {"fox, 5k to 3k", "fox, 9d"}
    assert all(0 <= row["top"] < 0.5 and row["log_loss"] < 6.5 for row in known)
    assert "First choice right, %" in picture.read_text()
    assert main(["go", "nets", "show", str(made)]) == 0
    assert "club" in capsys.readouterr().out
    # Done is done: the same bytes again, at once.
    first = made.read_bytes()
    assert main(command) == 0
    assert made.read_bytes() == first
    # What cannot be trained on.
    (tmp_path / "short").mkdir()
    (tmp_path / "short" / "a.sgf").write_text("(;GM[1]SZ[19];B[aa];W[bb];B[aa];W[bb])")
    begin = ["go", "nets", "train", str(tmp_path / "short"), *OPTIONS]
    for refused, message in (
        (["--save", "net.gz"], "must end in .bin.gz"),
        (["--set", "depth=3"], "there is no setting 'depth'"),
        (["--set", "steps=many"], "it must be a number"),
        (["--set", "steps=2.5"], "it must be a whole number"),
        (["--set", "learning_rate=inf"], "learning_rate must be above 0"),
        (["--set", "trunk=inf"], "the weights of the targets"),
        (["--set", "seed=-1"], "seed must not be below 0"),
        (["--set", "steps=0"], "steps must be at least 1"),
        (["--ranks", str(ranks)], "no game has a rank in the table"),
        ([], "there are no games to learn from"),
    ):
        assert main([*begin, "--save", "net.bin.gz", *refused]) != 0
        assert message in capsys.readouterr().err
