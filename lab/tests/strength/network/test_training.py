"""Strength networks: equations, files, losses and gradients, training, and the search."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tests.refusals import refuse
from lab.tests.strength.made_training import TINY, made_games, set_transformer, torch
from tests.strength.set_cases import plain_layers
from yardstone import parallel
from yardstone.errors import ConvergenceError, InputError, NoGamesError, UsageError
from yardstone.strength.set_transformer import parameter_shapes
from yardstone_lab.neubauer.moves import Labelled, MoveSets
from yardstone_lab.neubauer.network import search, training
from yardstone_lab.neubauer.network import strength_network as networks
from yardstone_lab.neubauer.network.search import Plan, optuna_search, random_search, read_runs
from yardstone_lab.neubauer.network.strength_network import (
    BOUNDS,
    START,
    TABLE_5_1,
    Hyperparameters,
    StrengthNetwork,
)
from yardstone_lab.neubauer.network.training import Epoch, History, Trained, read_history, train

TRAINING, VALIDATION = made_games(120), made_games(60, seed=1)
#: Trainings of no more than a moment, whatever is drawn.
QUICK = replace(START, window=5, batch=2, steps=1, epochs=2)


@pytest.fixture(autouse=True)
def _in_this_process() -> Iterator[None]:
    with parallel.context(workers=1):
        yield


CHANNELS, ROOT = 5, Path(__file__).parents[4]

Arrays = dict[str, np.ndarray]


def made_arrays(built: Hyperparameters, seed: int = 0) -> Arrays:
    """Parameters of a network none of which is at a special value."""
    generator = np.random.default_rng(seed)
    arrays: Arrays = set_transformer.initial_arrays(built, CHANNELS, generator)
    for name, array in arrays.items():
        if "norm" in name:
            arrays[name] = array + generator.normal(0, 0.3, array.shape).astype(np.float32)
    return arrays


SHAPES = [
    Hyperparameters(depth=2, width=6, query_width=4, inducing_points=3),
    Hyperparameters(depth=1, width=4, query_width=9, inducing_points=2),  # folded queries
    Hyperparameters(depth=1, width=9, query_width=1, inducing_points=8),  # plain queries
    Hyperparameters(depth=0, width=3, query_width=2, inducing_points=1),
    Hyperparameters(depth=1, width=1, query_width=1, inducing_points=1),
]


@pytest.mark.parametrize("built", SHAPES)
@pytest.mark.parametrize("standardised", [True, False])
def test_torch_and_numpy_agree_with_the_loops(built: Hyperparameters, standardised: bool) -> None:
    """In double precision but for the order of sums, and numpy in single precision."""
    generator = np.random.default_rng(5)
    arrays, usual = made_arrays(built, 3), None
    x = generator.normal(0, 3, (4, 7, CHANNELS)).astype(np.float32)
    plain = x.astype(float)
    if standardised:
        usual = np.array([[0.5], [2.0]], np.float32) * np.ones(CHANNELS, np.float32)
        arrays["input.mean"], arrays["input.deviation"] = usual
        plain = (plain - 0.5) / 2.0
    there = generator.random((4, 7)) < 0.6
    there[0], there[1] = False, True
    wanted = [0.0]  # a set without moves gets the mean
    for row, some in zip(plain[1:], there[1:], strict=True):
        wanted.append(plain_layers(arrays, built.depth, row[some].tolist())[-1][0][0])
    network = set_transformer.SetTransformer(built, CHANNELS, usual)
    network.load(arrays)
    network = network.double().eval()
    given = torch.tensor(x).double()
    assert network(given, torch.tensor(there)).tolist() == pytest.approx(wanted, abs=1e-11)
    assert network(given[1:2]).item() == pytest.approx(wanted[1], abs=1e-11)
    single = networks.rate_sets(arrays, x, there)
    assert single.dtype == np.float32
    assert single == pytest.approx(wanted, abs=1e-5 * max(1, np.abs(wanted).max()))


def test_parameters_are_as_many_as_published_and_drawn_evenly_within_their_bounds() -> None:
    assert TABLE_5_1.parameters(384) == 2_469_388
    largest = Hyperparameters(depth=5, width=256, query_width=256, inducing_points=64)
    assert largest.parameters(384) == 3_078_400
    for built in SHAPES:
        shapes = parameter_shapes(built.size, CHANNELS)
        assert sum(math.prod(shape) for shape in shapes.values()) == built.parameters(CHANNELS)
        network = set_transformer.SetTransformer(built, CHANNELS)
        assert shapes == {name: tuple(p.shape) for name, p in network.named_parameters()}
    built = Hyperparameters(depth=2, width=64, query_width=16, inducing_points=40)
    arrays: Arrays = set_transformer.initial_arrays(built, 384, np.random.default_rng(0))
    for name, array in arrays.items():
        if "norm" in name:
            np.testing.assert_array_equal(array, name.endswith("weight"))
            continue
        high = 1 / math.sqrt(384 if name == "encode.weight" else 64)
        low, high = (0.0, 1.0) if name == "seed" or name.endswith("points") else (-high, high)
        assert low <= array.min() <= array.max() <= high, name
        if array.size > 1000:
            assert array.std() == pytest.approx((high - low) / math.sqrt(12), rel=0.05), name


def test_packed_moves_are_the_latest_ones_and_samples_are_moves_of_the_set() -> None:
    generator = np.random.default_rng(3)
    starts = np.concatenate([[0], np.cumsum([0, 12, 3, 5, 1, 4])])
    table = generator.normal(size=(15, 3)).astype(np.float16)
    moves = MoveSets(table, generator.integers(15, size=starts[-1]), starts)
    packed = networks.pack(moves, 4)
    assert len(packed.features) == len(set(packed.rows.tolist()))
    wanted, present = moves.padded(np.arange(6), 4)
    rows, there = packed.indices(np.arange(6))
    np.testing.assert_array_equal(present, there)
    np.testing.assert_array_equal(packed.features[rows][present], wanted[present])
    nothing = np.array([[np.nan, 1.0], [2.0, np.nan]], np.float32)  # no numbers
    packed = networks.pack(MoveSets(nothing, np.array([0, 1]), np.array([0, 1, 2])))
    np.testing.assert_array_equal(packed.features, [[0, 1], [2, 0]])
    np.testing.assert_allclose(networks.moments(packed), [[1, 0.5], [1, 0.5]])
    plain = np.arange(66.0).reshape(33, 2)
    packed = networks.pack(MoveSets(plain, np.arange(33), np.array([0, 30, 33])))
    seen = set()
    for seed in range(40):
        rows, there = networks.drawn(packed, np.array([0, 1]), 5, np.random.default_rng(seed))
        assert there is not None
        assert there.sum(1).tolist() == [5, 3]
        assert len(set(rows[0].tolist())) == 5
        assert rows[1, :3].tolist() == [30, 31, 32]
        seen |= set(rows[0].tolist())
    assert seen == set(range(30))


def made_network() -> StrengthNetwork:
    return StrengthNetwork(TINY, made_arrays(TINY), 1600.0, 250.0, {"about": "a test"})


def test_a_network_comes_back_from_its_file(tmp_path: Path) -> None:
    network, path, nowhere = made_network(), tmp_path / "a.npz", tmp_path / "no" / "a.npz"
    network.save(path)
    again = StrengthNetwork.load(path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.npz"]
    facts = (again.settings, dict(again.card), again.mean, again.deviation)
    assert facts == (network.settings, {"about": "a test"}, 1600.0, 250.0)
    for name, array in network.arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array.astype(np.float16))
    generator = np.random.default_rng(8)
    rows, starts = generator.integers(50, size=66), np.array([0, 0, 1, 41, 66])
    moves = MoveSets(generator.normal(size=(50, CHANNELS)).astype(np.float16), rows, starts)
    other = MoveSets(np.zeros((50, 6), np.float16), rows, starts)
    result = again.ratings(moves)
    x, there = moves.padded(np.arange(4), TINY.window)  # only the latest moves count
    rated = networks.rate_sets(again.arrays, x, there)
    assert result == pytest.approx(1600 + 250 * rated, abs=1e-2)
    assert network.ratings(moves) == pytest.approx(result, abs=2.0)  # of 250: float16
    odds = 10 ** ((result[1] - result[0]) / 400)
    assert again.expected(result)[0] == pytest.approx(1 / (1 + odds))
    network.arrays["rate.weight"][0, 0] = 1e6
    with np.errstate(over="ignore"):
        refuse(
            (lambda: again.ratings(other), UsageError, "6 features each; .* was trained on 5"),
            (lambda: again.save(nowhere), InputError, "cannot be written"),
            (lambda: network.save(path), UsageError, r"rate\.weight has .* float16"),
        )
    assert StrengthNetwork.load(path).mean == 1600


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(array), allow_pickle=True)
    return file.getvalue()


def header_only(shape: str) -> bytes:
    """An array that says it is large, and has no data."""
    text = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


HOSTILE: list[tuple[str, bytes | dict[str, Any] | None, str]] = [
    ("seed", None, "seed is missing"),
    ("seed", npy(np.array([{}], object)), "another shape"),
    ("seed", header_only("(1, 999999999999)"), "another shape"),
    ("seed", header_only("(1, 8)"), "seed is cut off"),
    ("seed", npy(np.full((1, 8), np.inf, np.float16)), "not finite"),
    ("about", npy(np.zeros(3, np.uint8)), "no strength network"),
    ("about", {"kind": "a cake"}, "no strength network"),
    ("about", {"format": 2}, "another version"),
    ("about", {"settings": {"width": 4096, "depth": 64}}, "too large"),
    ("about", {"settings": {"colour": 1}}, "no setting 'colour'"),
    ("about", {"deviation": 0}, "scale of its ratings"),
]


def test_damaged_and_hostile_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with pytest.raises(InputError, match="there is no such file"):
        StrengthNetwork.load(path)
    made_network().save(path)
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(np.load(io.BytesIO(members["about.npy"])).tobytes())
    for name, data, words in HOSTILE:
        if isinstance(data, dict):
            data = npy(np.frombuffer(json.dumps(about | data).encode(), np.uint8))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, bytes_ in {**members, f"{name}.npy": data}.items():
                if bytes_ is not None:
                    archive.writestr(member, bytes_)
        with pytest.raises(InputError, match=words) as caught:
            StrengthNetwork.load(path)
        assert caught.value.file == str(path)
    for data in (b"", b"PK\x03\x04" + bytes(100), b"\x80\x04N.", whole[: len(whole) // 2]):
        path.write_bytes(data)
        with pytest.raises(InputError, match="no strength network"):
            StrengthNetwork.load(path)


def test_settings() -> None:
    assert networks.PRESETS["published"] is TABLE_5_1
    assert Hyperparameters.from_dict(TABLE_5_1.as_dict()) == TABLE_5_1
    changed = TABLE_5_1.changed({"learning_rate": "1e-3", "depth": "2", "standardise": "yes"})
    assert changed == replace(TABLE_5_1, learning_rate=1e-3, depth=2, standardise=True)
    rows: list[tuple[str, object, str]] = [
        ("depht", 1, "there is no setting 'depht'"), ("depth", 1.5, "must be a whole number"),
        ("depth", "two", "must be a number"), ("depth", True, "must be a number"),
        ("depth", 1000, "it must be from 0 to 64"), ("width", 0, "it must be from 1 to 4096"),
        ("window", 0, "it must be at least 1"), ("decay", 1.1, "it must be from 0 to 1"),
        ("decay", "nan", "must be a number"),
        ("learning_rate", 0, "it must be above 0 and at most 1000"),
        ("learning_rate", "inf", "it must be above 0 and at most 1000"),
        ("rating_loss", "inf", "it must be at least 0"), ("dropout", 1, r"it must lie in \[0, 1\)"),
        ("standardise", "perhaps", "must be true or false"),
    ]  # fmt: skip
    for name, value, words in rows:
        with pytest.raises(UsageError, match=words):
            Hyperparameters.from_dict({name: value})


def test_without_torch_networks_can_be_used_and_not_trained(tmp_path: Path) -> None:
    made_network().save(tmp_path / "a.npz")
    program = """
import sys
sys.modules["torch"] = None
from yardstone.errors import MissingExtraError
from lab.tests.strength.made_training import made_games
from yardstone_lab.neubauer.network.strength_network import StrengthNetwork
from yardstone_lab.neubauer.network.training import train
network, games = StrengthNetwork.load(sys.argv[1]), made_games(2)
print(network.ratings(games.moves).shape)
try:
    train(games, games, network.settings, sys.argv[1] + ".out")
except MissingExtraError as error:
    print(error)
"""
    command = [sys.executable, "-c", program, str(tmp_path / "a.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "(4,)\ntorch is not installed: pip install torch\n"


def test_losses_are_those_of_the_thesis() -> None:
    generator, gamma = np.random.default_rng(0), networks.gamma(315.81)
    black, white = generator.normal(size=(2, 8))
    score = np.array([1.0, 0, 1, 0, 1, 1, 0, 0])
    # gamma is s_r ln 10 / 400: the odds are those of eq. 3.1 in rating points.
    expected = 1 / (1 + 10 ** (-315.81 * (black - white) / 400))
    both = tuple(map(torch.tensor, (black, white)))
    answer = set_transformer.score_losses(*both, torch.tensor(score), gamma).numpy()
    np.testing.assert_allclose(answer, -np.log(1 - np.abs(score - expected)), rtol=1e-12)
    drawn = set_transformer.score_losses(*both, 0.5, gamma).numpy()
    np.testing.assert_allclose(drawn, -0.5 * np.log(expected * (1 - expected)), rtol=1e-12)
    assert set_transformer.score_losses(torch.tensor(1e3), 0.0, 0.0, 1.0).item() == 1e3
    labels = generator.normal(size=(8, 2))
    wanted = (labels[:, 0] - black) ** 2 + (labels[:, 1] - white) ** 2
    answer = set_transformer.rating_losses(*both, torch.tensor(labels)).numpy()
    np.testing.assert_allclose(answer, wanted, rtol=1e-12)


def whole_loss(
    arrays: dict[str, np.ndarray], settings: Hyperparameters, games: Labelled, deviation: float
) -> float:
    """L_t of section 4.7.1 from the network of numpy, in double precision."""
    moves = games.moves
    x, there = moves.padded(np.arange(2 * len(moves)), settings.window)
    ratings = networks.rate_sets(arrays, x.astype(np.float64), there).reshape(-1, 2)
    expected = 1 / (1 + np.exp(-networks.gamma(deviation) * (ratings[:, 0] - ratings[:, 1])))
    score = -np.log(1 - np.abs(games.score - expected)).mean()
    rating = np.square(games.labels - ratings).sum(1).mean()
    weights = np.square(np.concatenate([array.ravel() for array in arrays.values()])).mean()
    return float(score + settings.rating_loss * rating + settings.regularisation * weights)


def examples_of(games: Labelled, window: int = 30) -> Any:
    normal, packed = games.normalised(1600, 200), networks.pack(games.moves, window)
    return set_transformer.Examples(packed, normal.score, normal.labels, torch.device("cpu"))


def stepper_of(settings: Hyperparameters, channels: int = 5) -> tuple[Any, dict[str, np.ndarray]]:
    arrays = set_transformer.initial_arrays(settings, channels, np.random.default_rng(1))
    return set_transformer.Stepper(settings, arrays, 200.0, torch.device("cpu")), arrays


def test_gradients_are_those_of_finite_differences() -> None:
    """Of a batch in which a game occurs twice."""
    settings = Hyperparameters(
        depth=1, width=4, query_width=3, inducing_points=2, window=9,
        rating_loss=0.7, regularisation=3.0,
    )  # fmt: skip
    games, batch = made_games(7, channels=3, longest=9, seed=3), np.array([5, 0, 2, 2, 6, 1])
    stepper, arrays = stepper_of(settings, 3)
    losses = stepper.step(examples_of(games, 9), batch, 0.0, np.random.default_rng(0))
    chosen = games.normalised(1600, 200).select(batch)
    double = {name: array.astype(np.float64) for name, array in arrays.items()}
    assert sum(losses) == pytest.approx(whole_loss(double, settings, chosen, 200.0), rel=1e-5)
    step, checked = 1e-6, 0
    for name, parameter in stepper.network.named_parameters():
        gradient = parameter.grad.numpy().ravel()
        for place in range(gradient.size):
            beside = []
            for sign in (1, -1):
                moved = {key: array.copy() for key, array in double.items()}
                moved[name].ravel()[place] += sign * step
                beside.append(whole_loss(moved, settings, chosen, 200.0))
            wanted = (beside[0] - beside[1]) / (2 * step)
            assert gradient[place] == pytest.approx(wanted, abs=2e-5, rel=2e-4), (name, place)
            checked += 1
    assert checked == settings.parameters(3)


def test_steps_are_those_of_adam_and_the_average_follows() -> None:
    stepper, _ = stepper_of(replace(TINY, averaging=0.7))
    own = [parameter.detach().clone() for parameter in stepper.network.parameters()]
    adam, average = torch.optim.Adam(own), stepper.kept()
    for step, rate in enumerate((0.01, 0.03)):
        games = np.random.default_rng(step).integers(120, size=10)
        stepper.step(examples_of(TRAINING), games, rate, np.random.default_rng(0))
        for parameter, mine in zip(stepper.network.parameters(), own, strict=True):
            mine.grad = parameter.grad.clone()
        adam.param_groups[0]["lr"] = rate
        adam.step()
        flat = np.concatenate([mine.numpy().ravel() for mine in own])
        there = np.concatenate([p.detach().numpy().ravel() for p in stepper.network.parameters()])
        np.testing.assert_allclose(there, flat, rtol=0, atol=1e-6)
        average = 0.7 * average + 0.3 * flat
        np.testing.assert_allclose(stepper.kept(), average, rtol=0, atol=1e-6)


def test_a_step_does_not_depend_on_how_a_batch_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    result = []
    for numbers in (1 << 22, 1, 400):
        monkeypatch.setitem(set_transformer._NUMBERS, "cpu", numbers)
        stepper, _ = stepper_of(TINY)
        losses = stepper.step(examples_of(TRAINING), np.arange(50), 0.0, np.random.default_rng(0))
        gradients = torch.cat([p.grad.ravel() for p in stepper.network.parameters()])
        result.append((losses, gradients, *stepper.evaluate(examples_of(VALIDATION))))
    for parts in result[1:]:
        for part, whole in zip(parts, result[0], strict=True):
            np.testing.assert_allclose(part, whole, rtol=1e-5, atol=1e-5)


def same(one: Trained, other: Trained) -> None:
    """Two trainings that gave exactly the same."""
    assert one.history.steps == other.history.steps
    # Epoch 0 has no losses of training, which are not equal to themselves.
    alike = [str([replace(e, seconds=0.0) for e in each.history.epochs]) for each in (one, other)]
    assert alike[0] == alike[1]
    for name, array in one.network.arrays.items():
        np.testing.assert_array_equal(array, other.network.arrays[name])


def test_training_learns_who_is_stronger(tmp_path: Path) -> None:
    settings = replace(TINY, width=16, steps=20, epochs=6, patience=8, batch=32, decay=0.8)
    settings, games = replace(settings, regularisation=0.1), made_games(300)
    reported: list[Epoch] = []
    progress: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: progress.append(told)):
        more: dict[str, Any] = {"report": reported.append, "card": {"features": ["made"]}}
        trained = train(games, VALIDATION, settings, tmp_path, threads=1, **more)
    history = trained.history
    assert list(history.epochs) == reported
    assert [epoch.epoch for epoch in reported] == list(range(7))
    assert trained.loss < min(math.log(2) - 0.05, history.epochs[0].validation_loss)
    assert (progress[0], progress[-1]) == (("training", 1, 120), ("training", 120, 120))
    rates = [3e-3, *(3e-3 * 0.8**k for k in range(6))]
    assert [epoch.learning_rate for epoch in history.epochs] == pytest.approx(rates)
    # What is kept is the best epoch, and the file holds the same network.
    ratings = trained.network.ratings(VALIDATION.moves)
    expected = trained.network.expected(ratings)
    loss = -np.log(np.where(VALIDATION.score == 1, expected, 1 - expected)).mean()
    assert loss == pytest.approx(trained.loss, abs=1e-6)
    assert trained.loss == min(epoch.validation_loss for epoch in history.epochs)
    kept = StrengthNetwork.load(tmp_path / training.NETWORK)
    np.testing.assert_allclose(kept.ratings(VALIDATION.moves), ratings, rtol=0, atol=2)
    labels = games.labels
    assert (kept.mean, kept.deviation) == pytest.approx((labels.mean(), labels.std(ddof=1)))
    about = {"features": ["made"], "training_games": 300, "validation_loss": trained.loss}
    assert {**about, "parameters": settings.parameters(5)}.items() <= kept.card.items()
    # A training that is done is not done again, and the tables say what happened.
    same(train(games, VALIDATION, settings, tmp_path, threads=1), trained)
    assert str(read_history(tmp_path)) == str(History.from_text(history.as_text())) == str(history)


def test_every_variant_trains_another_network_until_nothing_improves(tmp_path: Path) -> None:
    variants: dict[str, Any] = {
        "seed": 0, "dropout": 0.3, "sample": 5, "averaging": 0.7, "standardise": True,
        "bfloat16": True,
    }  # fmt: skip
    learn = partial(train, TRAINING, VALIDATION, threads=1)
    short = replace(TINY, epochs=1)
    losses = {learn(short.changed({n: v}), tmp_path / n).loss for n, v in variants.items()}
    assert len(losses) == len(variants)
    kept = StrengthNetwork.load(tmp_path / "standardise" / training.NETWORK)
    usual = networks.moments(networks.pack(TRAINING.moves, TINY.window))[0]
    np.testing.assert_allclose(kept.arrays["input.mean"], usual)
    # As in the thesis: no improvement after epoch 1, so it ends after epoch 11.
    still = replace(TINY, learning_rate=1e-30, steps=1, epochs=100, patience=10)
    history = learn(still, tmp_path / "still").history
    assert (history.epochs[-1].epoch, history.best.epoch) == (11, 1)


@pytest.mark.parametrize(("steps", "half"), [(4, True), (8, False)])
def test_a_training_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int, half: bool
) -> None:
    settings = replace(TINY, dropout=0.2, averaging=0.5, sample=7, standardise=True, bfloat16=half)
    learn = partial(train, TRAINING, VALIDATION, settings, threads=1)
    whole = learn(tmp_path / "whole")
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)  # one after each step

    def stop(what: str, done: int, _: int) -> None:
        if done == steps:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), parallel.context(progress=stop):
        learn(tmp_path / "part")
    seen: list[int] = []
    reported: list[Epoch] = []
    with parallel.context(progress=lambda what, done, _: seen.append(done)):
        same(learn(tmp_path / "part", report=reported.append), whole)
    assert seen[0] == steps  # the step it was stopped in is done again, and no other
    assert [epoch.epoch for epoch in reported] == list(range(len(whole.history.epochs)))
    for name in (training.EPOCHS_FILE, training.STEPS_FILE):
        rows = [(tmp_path / place / name).read_text().splitlines() for place in ("whole", "part")]
        assert len(rows[0]) == len(rows[1])


def test_a_folder_is_of_one_training_at_a_time(tmp_path: Path) -> None:
    settings = replace(TINY, epochs=1, steps=1)
    learn = partial(train, TRAINING, VALIDATION, replace(settings, seed=5), tmp_path, threads=1)

    def again(_: object) -> None:
        refuse((learn, InputError, "another process is training here"))

    first = train(TRAINING, VALIDATION, settings, tmp_path, threads=1, report=again)
    others, words = made_games(120, seed=2), "other settings or games"
    refuse(
        (learn, UsageError, words),
        (lambda: train(others, VALIDATION, settings, tmp_path), UsageError, words),
    )
    assert learn(resume=False).loss != first.loss
    path = tmp_path / training.CHECKPOINT
    path.write_bytes(path.read_bytes()[:500])
    refuse((learn, InputError, r"damaged one \(remove it to begin anew\)"))


def huge_features(scale: float = 1e38) -> Labelled:
    """Games whose features no network can take as they are."""
    moves = TRAINING.moves
    features = np.float32(scale) * moves.features.astype(np.float32).clip(-3, 3)
    return replace(TRAINING, moves=MoveSets(features, moves.rows, moves.starts))


def test_games_and_logs_that_cannot_be_used(tmp_path: Path) -> None:
    moves = MoveSets(TRAINING.moves.features, np.empty(0, np.int64), np.zeros(1, np.int64))
    nothing = Labelled(moves, np.empty(0, np.float32), np.empty((0, 2)))
    equal, unknown = (replace(TRAINING, labels=np.full((120, 2), x)) for x in (1.0, np.nan))
    twice, narrow = replace(VALIDATION, score=np.full(60, 2, np.float32)), made_games(9, channels=4)
    for games, others, error, words in (
        (nothing, VALIDATION, NoGamesError, "no game to train on"),
        (TRAINING, nothing, NoGamesError, "no game to validate with"),
        (equal, VALIDATION, UsageError, "all labels are equal"),
        (unknown, VALIDATION, InputError, "labels or scores that are of no use"),
        (TRAINING, twice, InputError, "labels or scores that are of no use"),
        (TRAINING, narrow, UsageError, "other features of moves"),
        (huge_features(), huge_features(), ConvergenceError, "answers are no numbers"),
    ):
        refuse((partial(train, games, others, TINY, tmp_path / "a", threads=1), error, words))
    (tmp_path / "file").touch()
    learn, read = partial(train, TRAINING, VALIDATION, TINY), partial(read_history, tmp_path)
    refuse(
        (lambda: learn(tmp_path / "a", device="no"), UsageError, "'no' cannot be used"),
        (lambda: learn(tmp_path / "file" / "a"), InputError, "cannot be made"),
        (read, InputError, "there is no such file"),
    )
    games = huge_features(1e20)
    assert train(games, games, replace(TINY, standardise=True), tmp_path / "b", threads=1).loss < 1
    head = ",".join(field.name for field in fields(Epoch))
    steps = "epoch,step,score_loss,rating_loss,regularisation_loss\n"
    (tmp_path / training.STEPS_FILE).write_text(steps)
    for text, words in (
        ("epoch,loss\n", "this is not a table of a training"), (f"{head}\n", "has no epochs"),
        (f"{head}\n1,2,3,4,5,6,7,8,9,10,x,True\n", ":2: seconds is 'x', no number"),
        (f"{head}\n1,2\n", ":2: score_loss is None, no number"),
    ):  # fmt: skip
        (tmp_path / training.EPOCHS_FILE).write_text(text)
        refuse((read, InputError, words))


def examples() -> tuple[Labelled, Labelled]:
    return made_games(40), made_games(20, seed=1)


def test_the_plan_of_a_search_is_the_published_one() -> None:
    plan, start = Plan(), START
    assert (plan.iterations, plan.runs, plan.start) == (5, 15, start)
    assert [plan.scale(k) for k in range(5)] == pytest.approx([1, 0.6, 0.36, 0.216, 0.1296])
    losses = (start.learning_rate, start.decay, start.rating_loss, start.regularisation)
    shape = (start.depth, start.width, start.query_width, start.inducing_points)
    assert (losses, shape) == ((1e-3, 0.95, 1.0, 10.0), (3, 64, 64, 32))
    assert dict(BOUNDS) == {
        "learning_rate": (1e-5, 1), "decay": (0.9, 1), "rating_loss": (0.001, 10),
        "regularisation": (0.001, 100), "depth": (1, 5), "width": (8, 256),
        "query_width": (8, 256), "inducing_points": (1, 64),
    }  # fmt: skip
    refuse(
        (lambda: Plan(runs=0), UsageError, "at least one iteration of one training"),
        (lambda: Plan(shrink=0.0), UsageError, "shrink is 0.0"),
        (lambda: Plan(windows=(5, 4)), UsageError, "no window from 5 to 4"),
        (lambda: Plan(windows=(0, 4)), UsageError, "no window from 0 to 4"),
    )


class Drawn:
    """A generator whose every number lies at the same share of its range."""

    def __init__(self, share: float) -> None:
        self.share = share

    def uniform(self, low: float, high: float) -> float:
        return low + self.share * (high - low)

    def integers(self, low: int, high: int | None = None, *, endpoint: bool = False) -> int:
        begin, end = (0, low - 1) if high is None else (low, high if endpoint else high - 1)
        return math.floor(begin + self.share * (end - begin) + 0.5)


@pytest.mark.parametrize("scale", [1.0, 0.36])
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_proposals_are_drawn_as_published(scale: float, share: float) -> None:
    generator: Any = Drawn(share)
    drawn = search.propose(START, scale, generator, (10, 13))
    span = scale * (2 * share - 1)
    assert drawn.learning_rate == pytest.approx(min(max(1e-3 * 10 ** (3 * span), 1e-5), 1.0))
    assert drawn.decay == pytest.approx(0.95 + 0.05 * span)
    assert drawn.rating_loss == pytest.approx(2 ** (3 * span))
    assert drawn.regularisation == pytest.approx(10 * 2 ** (3 * span))
    assert drawn.depth == math.floor(1 + 4 * share + 0.5)
    wide = min(max(math.ceil(64 * 2 ** (2 * span)), 8), 256)
    assert (drawn.width, drawn.query_width) == (wide, wide)
    low, high = math.floor(-32 * scale + 0.5), math.floor(32 * scale + 0.5)
    points = 32 + math.floor(low + share * (high - low) + 0.5)
    assert drawn.inducing_points == min(max(points, 1), 64)
    assert drawn.window == math.floor(10 + 3 * share + 0.5)
    assert (drawn.batch, search.propose(START, scale, generator).window) == (START.batch, 500)
    if share in (0.0, 1.0):  # what lies at an end of its domain stays there
        edge = {name: bounds[int(share)] for name, bounds in BOUNDS.items()}
        there = search.propose(START.changed(edge), 1.0, generator)
        assert {name: getattr(there, name) for name in BOUNDS} == edge


def test_a_search_goes_around_the_best_and_trains_only_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(iterations=2, runs=2, start=QUICK, seed=4, windows=(3, 5))
    runs = random_search(examples, tmp_path, plan)
    assert runs == read_runs(tmp_path)
    # The second iteration lies around the best of the first, at 0.6 of the distance.
    centre = search.best_run(runs[:2]).settings
    for run in runs[2:]:
        assert abs(math.log2(run.settings.rating_loss / centre.rating_loss)) <= 1.8
        assert abs(run.settings.decay - centre.decay) <= 0.03
    trained = []

    def counted(*arguments: Any, **options: Any) -> object:
        trained.append(arguments[3])
        return train(*arguments, **options)

    monkeypatch.setattr(search, "train", counted)
    folder, table = Path(runs[3].folder), tmp_path / search.RUNS_FILE
    (folder / "result.json").unlink()
    assert random_search(examples, tmp_path, plan) == runs
    assert trained == [folder]
    item = (2, 2, replace(runs[3].settings, epochs=3), folder)
    do_run = partial(search.do_run, item, examples=examples, threads=1, device="cpu")
    refuse((do_run, UsageError, "other settings"))
    (folder / "result.json").write_text("[]")
    table.write_text(table.read_text().replace("iteration", "number", 1))
    huge, hopeless = huge_features(), Plan(iterations=1, runs=2, start=QUICK)
    failing = partial(random_search, lambda: (huge, huge), tmp_path / "huge", hopeless)
    refuse(
        (do_run, InputError, "not a result of a training"),
        (lambda: read_runs(tmp_path), InputError, ":2: this is not a table of a search"),
        (lambda: read_runs(folder), InputError, "there is no such file"),
        (failing, ConvergenceError, "every training failed"),
    )


def test_optuna_goes_on_and_takes_up_a_trial_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*arguments: object, **options: object) -> object:
        raise how

    look = partial(optuna_search, examples, tmp_path, windows=(3, 5))
    for how in (SystemExit, KeyboardInterrupt):
        with monkeypatch.context() as patch:
            patch.setattr(search, "train", stopped)
            with pytest.raises(how):
                look(2, QUICK)
    runs = look(2, QUICK)
    # The first one is the start, but for the window.
    assert replace(runs[0].settings, window=QUICK.window) == QUICK
    for name, (low, high) in BOUNDS.items():
        assert low <= getattr(runs[1].settings, name) <= high
    more = look(3, QUICK)
    assert (more[:2], len(more)) == (runs, 3)
    huge = huge_features()
    failing = partial(optuna_search, lambda: (huge, huge), tmp_path / "huge", 2, QUICK)
    refuse(
        (failing, ConvergenceError, "every training failed"),
        (lambda: look(3, TINY), UsageError, "holds another search"),
        (lambda: look(0, TINY), UsageError, "at least one training"),
    )
