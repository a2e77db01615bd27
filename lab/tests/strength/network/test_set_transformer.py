"""The Set Transformer against its equations, written out in loops."""

from __future__ import annotations

import importlib
import io
import json
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from lab.tests.strength.made_training import TINY
from tests.strength.set_cases import plain_layers
from yardstone.errors import InputError, UsageError
from yardstone.strength.set_transformer import parameter_shapes
from yardstone_lab.neubauer.moves import MoveSets
from yardstone_lab.neubauer.network.strength_network import (
    PRESETS,
    TABLE_5_1,
    Hyperparameters,
    StrengthNetwork,
    drawn,
    moments,
    pack,
    rate_sets,
)

if TYPE_CHECKING:
    import torch

    from yardstone_lab.neubauer.network.set_transformer import Block, SetTransformer, initial_arrays

CHANNELS = 5
#: Same sums in another order, in double precision.
EXACT = 1e-11
#: The same in single precision.
SINGLE = 1e-5

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """Torch takes two seconds to import: not while tests are collected."""
    module = importlib.import_module("yardstone_lab.neubauer.network.set_transformer")
    names = ("Block", "SetTransformer", "initial_arrays")
    globals().update({name: getattr(module, name) for name in names})
    globals().update(torch=importlib.import_module("torch"))


# --- what there is to compare -------------------------------------------------------------


def made_arrays(built: Hyperparameters, seed: int = 0, channels: int = CHANNELS) -> Arrays:
    """Parameters of a network none of which is at a special value."""
    generator = np.random.default_rng(seed)
    arrays = initial_arrays(built, channels, generator)
    for name, array in arrays.items():
        if "norm" in name:
            arrays[name] = array + generator.normal(0, 0.3, array.shape).astype(np.float32)
    return arrays


def torch_network(
    built: Hyperparameters, arrays: Arrays, channels: int = CHANNELS
) -> SetTransformer:
    network = SetTransformer(built, channels)
    network.load(arrays)
    return network.eval()


def str_of_shape(built: Hyperparameters) -> str:
    return f"{built.depth}-{built.width}-{built.query_width}-{built.inducing_points}"


SHAPES = [
    Hyperparameters(depth=2, width=6, query_width=4, inducing_points=3),
    Hyperparameters(depth=1, width=4, query_width=9, inducing_points=2),  # folded queries
    Hyperparameters(depth=1, width=9, query_width=1, inducing_points=8),  # plain queries
    Hyperparameters(depth=0, width=3, query_width=2, inducing_points=1),
    Hyperparameters(depth=1, width=1, query_width=1, inducing_points=1),
]


@pytest.mark.parametrize("built", SHAPES, ids=str_of_shape)
def test_every_layer_agrees_with_the_loops(built: Hyperparameters) -> None:
    arrays = made_arrays(built, 3)
    x = np.random.default_rng(5).normal(size=(7, CHANNELS))
    wanted = plain_layers(arrays, built.depth, x.tolist())
    network = torch_network(built, arrays).double()
    with torch.no_grad():
        h = network.encode(torch.tensor(x)[None])
        result = [h]
        for block in network.blocks:
            assert isinstance(block, Block)
            seen = block.gather.gather(block.points, h, None)
            h = block.spread.spread(h, seen)
            result += [seen, h]
        pooled = network.pool.gather(network.seed, h, None)
        result += [pooled, network.rate(pooled)]
    assert len(result) == len(wanted)
    for mine, plain in zip(result, wanted, strict=True):
        np.testing.assert_allclose(mine[0].numpy(), plain, rtol=0, atol=EXACT)
    whole = network(torch.tensor(x)[None]).item()
    assert whole == pytest.approx(wanted[-1][0][0], abs=EXACT)
    double = {name: array.astype(np.float64) for name, array in arrays.items()}
    assert rate_sets(double, x[None])[0] == pytest.approx(whole, abs=EXACT)


def test_sets_without_moves_get_the_mean() -> None:
    built = SHAPES[0]
    arrays = made_arrays(built)
    network = torch_network(built, arrays)
    x = torch.full((3, 4, CHANNELS), 7.0)
    there = torch.tensor([[False] * 4, [True, False, False, False], [True] * 4])
    result = network(x, there)
    assert result[0].item() == 0
    # One move is the whole of its set: so are four equal ones.
    assert result[1].item() == pytest.approx(result[2].item(), abs=1e-6)
    result.sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None
        assert torch.isfinite(parameter.grad).all(), name
    np.testing.assert_allclose(
        rate_sets(arrays, x.numpy(), there.numpy()), result.detach(), rtol=0, atol=SINGLE
    )


@pytest.mark.parametrize("built", SHAPES[:4], ids=str_of_shape)
def test_numpy_gives_what_torch_gives(built: Hyperparameters) -> None:
    """In single precision, with standardised inputs and places that are filled up."""
    generator = np.random.default_rng(7)
    arrays = made_arrays(built, 7)
    moments = generator.normal(size=CHANNELS), generator.uniform(0.5, 2, CHANNELS)
    arrays["input.mean"], arrays["input.deviation"] = (m.astype(np.float32) for m in moments)
    network = SetTransformer(built, CHANNELS, (arrays["input.mean"], arrays["input.deviation"]))
    network.load(arrays)
    x = generator.normal(0, 3, size=(4, 20, CHANNELS)).astype(np.float32)
    there = generator.random((4, 20)) < 0.7
    with torch.no_grad():
        wanted = network.eval()(torch.tensor(x), torch.tensor(there)).numpy()
    result = rate_sets(arrays, x, there)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, wanted, rtol=0, atol=SINGLE * max(1, abs(wanted).max()))


def test_numbers_of_parameters() -> None:
    assert TABLE_5_1.parameters(384) == 2_469_388
    network = SetTransformer(TABLE_5_1, 384)
    assert sum(p.numel() for p in network.parameters()) == 2_469_388
    largest = Hyperparameters(depth=5, width=256, query_width=256, inducing_points=64)
    assert largest.parameters(384) == 3_078_400
    for built in SHAPES:
        shapes = parameter_shapes(built.size, CHANNELS)
        assert sum(math.prod(shape) for shape in shapes.values()) == built.parameters(CHANNELS)
        assert shapes == {
            name: tuple(p.shape) for name, p in SetTransformer(built, CHANNELS).named_parameters()
        }


def test_initial_parameters_lie_within_their_bounds() -> None:
    built = Hyperparameters(depth=2, width=64, query_width=16, inducing_points=40)
    arrays = initial_arrays(built, 384, np.random.default_rng(0))
    for name, array in arrays.items():
        if "norm" in name:
            np.testing.assert_array_equal(array, name.endswith("weight"))
            continue
        low, high = (0.0, 1.0)
        if name != "seed" and not name.endswith("points"):
            high = 1 / math.sqrt(384 if name == "encode.weight" else 64)
            low = -high
        assert low <= array.min() <= array.max() <= high, name
        if array.size > 1000:
            spread = (high - low) / math.sqrt(12)
            assert array.std() == pytest.approx(spread, rel=0.05), name
            assert array.mean() == pytest.approx((low + high) / 2, abs=0.15 * spread), name


# --- sets of moves in memory -----------------------------------------------------------------


def test_packed_moves_are_the_latest_ones() -> None:
    generator = np.random.default_rng(3)
    lengths = [0, 12, 3, 5, 1, 4]
    table = generator.normal(size=(15, 3)).astype(np.float16)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    moves = MoveSets(table, generator.integers(15, size=starts[-1]), starts)
    packed = pack(moves, 4)
    assert packed.lengths().tolist() == [0, 4, 3, 4, 1, 4]
    assert len(packed.features) == len(set(packed.rows.tolist()))
    sides = np.arange(len(lengths))
    wanted, present = moves.padded(sides, 4)
    rows, there = packed.indices(sides)
    assert there is not None
    np.testing.assert_array_equal(present, there)
    np.testing.assert_array_equal(packed.features[rows][present], wanted[present])


def test_moves_sampled_are_moves_of_the_set() -> None:
    starts = np.array([0, 30, 33])
    packed = pack(MoveSets(np.arange(66.0).reshape(33, 2), np.arange(33), starts))
    seen = set()
    for seed in range(40):
        rows, there = drawn(packed, np.array([0, 1]), 5, np.random.default_rng(seed))
        assert there is not None
        assert there.sum(1).tolist() == [5, 3]
        assert len(set(rows[0].tolist())) == 5
        assert rows[1, :3].tolist() == [30, 31, 32]
        seen |= set(rows[0].tolist())
    assert seen == set(range(30))


def test_features_that_are_no_numbers_count_as_nothing() -> None:
    table = np.array([[np.nan, 1.0], [2.0, np.nan]], np.float32)
    packed = pack(MoveSets(table, np.array([0, 1]), np.array([0, 1, 2])))
    np.testing.assert_array_equal(packed.features, [[0, 1], [2, 0]])
    mean, deviation = moments(packed)
    np.testing.assert_allclose(mean, [1, 0.5])
    np.testing.assert_allclose(deviation, [1, 0.5])


# --- a network in its file -----------------------------------------------------------------


def made_network(built: Hyperparameters = TINY) -> StrengthNetwork:
    return StrengthNetwork(built, made_arrays(built), 1600.0, 250.0, {"about": "a test"})


def some_moves(channels: int = CHANNELS) -> MoveSets:
    generator = np.random.default_rng(8)
    lengths = np.array([0, 1, 40, 25])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    table = generator.normal(size=(50, channels)).astype(np.float16)
    return MoveSets(table, generator.integers(50, size=starts[-1]), starts)


def test_a_network_comes_back_from_its_file(tmp_path: Path) -> None:
    network = made_network()
    network.save(tmp_path / "a.npz")
    again = StrengthNetwork.load(tmp_path / "a.npz")
    assert again.settings == network.settings
    assert again.card == {"about": "a test"}
    assert (again.mean, again.deviation) == (1600, 250)
    for name, array in network.arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array.astype(np.float16))
    moves = some_moves()
    result, before = again.ratings(moves), network.ratings(moves)
    assert result[0] == before[0] == 1600
    np.testing.assert_allclose(result, before, rtol=0, atol=2.0)  # of 250: float16
    # Only the latest moves of the window count.
    late = MoveSets(moves.features, moves.rows[[0, *range(11, 66)]], np.array([0, 0, 1, 31, 56]))
    np.testing.assert_allclose(again.ratings(late), result, rtol=1e-6)
    expected = again.expected(result)
    assert expected[0] == pytest.approx(1 / (1 + 10 ** ((result[1] - result[0]) / 400)))
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_what_cannot_be_rated_or_kept(tmp_path: Path) -> None:
    network = made_network()
    with pytest.raises(UsageError, match="6 features each; this network was trained on 5"):
        network.ratings(some_moves(6))
    with pytest.raises(InputError, match="cannot be written"):
        network.save(tmp_path / "no" / "a.npz")
    network.arrays["rate.weight"][0, 0] = 1e6
    with (
        np.errstate(over="ignore"),
        pytest.raises(UsageError, match=r"rate\.weight has numbers that float16"),
    ):
        network.save(tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())


def altered(path: Path, change: Callable[[dict[str, bytes]], object]) -> None:
    """Rewrite the members of an archive."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def with_about(**values: object) -> Callable[[dict[str, bytes]], object]:
    def change(members: dict[str, bytes]) -> None:
        about = json.loads(np.load(io.BytesIO(members["about.npy"])).tobytes())
        text = json.dumps({**about, **values})
        members["about.npy"] = npy(np.frombuffer(text.encode(), np.uint8))

    return change


def replaced(name: str, data: bytes) -> Callable[[dict[str, bytes]], object]:
    return lambda members: members.__setitem__(name, data)


def header_only(shape: str) -> bytes:
    """An array that says it is large, and has no data."""
    text = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


HOSTILE = {
    "a missing array": (lambda members: members.pop("seed.npy"), "seed is missing"),
    "a pickle": (replaced("seed.npy", npy(np.array([{}], object))), "another shape"),
    "a huge array": (replaced("seed.npy", header_only("(1, 999999999999)")), "another shape"),
    "an array cut off": (replaced("seed.npy", header_only("(1, 8)")), "seed is cut off"),
    "infinite": (replaced("seed.npy", npy(np.full((1, 8), np.inf, np.float16))), "not finite"),
    "no JSON": (replaced("about.npy", npy(np.zeros(3, np.uint8))), "no strength network"),
    "other JSON": (with_about(kind="a cake"), "no strength network"),
    "another version": (with_about(format=2), "another version"),
    "a huge network": (with_about(settings={"width": 4096, "depth": 64}), "too large"),
    "an unknown setting": (with_about(settings={"colour": 1}), "no setting 'colour'"),
    "no scale": (with_about(deviation=0), "scale of its ratings"),
}


def test_damaged_and_hostile_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with pytest.raises(InputError, match="there is no such file"):
        StrengthNetwork.load(path)
    for change, words in HOSTILE.values():
        made_network().save(path)
        altered(path, change)
        with pytest.raises(InputError, match=words) as caught:
            StrengthNetwork.load(path)
        assert caught.value.file == str(path)
    made_network().save(path)
    whole = path.read_bytes()
    for data in (b"", b"PK\x03\x04" + bytes(100), b"\x80\x04N.", whole[: len(whole) // 2]):
        path.write_bytes(data)
        with pytest.raises(InputError, match="no strength network"):
            StrengthNetwork.load(path)


# --- settings ------------------------------------------------------------------------------


def test_settings_by_name() -> None:
    assert PRESETS["published"] is TABLE_5_1
    assert Hyperparameters.from_dict(TABLE_5_1.as_dict()) == TABLE_5_1
    changed = TABLE_5_1.changed({"learning_rate": "1e-3", "depth": "2", "standardise": "yes"})
    assert (changed.learning_rate, changed.depth, changed.standardise) == (1e-3, 2, True)
    assert changed.width == 254


def test_settings_that_are_of_no_use() -> None:
    rows: list[tuple[str, object, str]] = [
        ("depht", 1, "there is no setting 'depht'"),
        ("depth", 1.5, "must be a whole number"),
        ("depth", "two", "must be a number"),
        ("depth", True, "must be a number"),
        ("depth", 1000, "it must be from 0 to 64"),
        ("width", 0, "it must be from 1 to 4096"),
        ("window", 0, "it must be at least 1"),
        ("decay", 1.1, "it must be from 0 to 1"),
        ("decay", "nan", "must be a number"),
        ("learning_rate", 0, "it must be above 0 and at most 1000"),
        ("learning_rate", "inf", "it must be above 0 and at most 1000"),
        ("rating_loss", "inf", "it must be at least 0"),
        ("dropout", 1, r"it must lie in \[0, 1\)"),
        ("standardise", "perhaps", "must be true or false"),
    ]
    for name, value, words in rows:
        with pytest.raises(UsageError, match=words):
            Hyperparameters.from_dict({name: value})


def test_without_torch_networks_can_be_used_and_not_trained(tmp_path: Path) -> None:
    made_network().save(tmp_path / "a.npz")
    program = f"""
import sys
sys.modules["torch"] = None
import numpy as np
from yardstone.errors import MissingExtraError
from yardstone_lab.neubauer.moves import Labelled, MoveSets
from yardstone_lab.neubauer.network.strength_network import drawn, moments, StrengthNetwork
network = StrengthNetwork.load({str(tmp_path / "a.npz")!r})
moves = MoveSets(np.ones((3, 5), np.float16), np.arange(3), np.array([0, 1, 3]))
print(network.ratings(moves).shape)
from yardstone_lab.neubauer.network.training import train
games = Labelled(moves, np.ones(1, np.float32), np.array([[1500.0, 1600.0]]))
try:
    train(games, games, network.settings, {str(tmp_path / "out")!r})
except MissingExtraError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "(2,)\ntorch is not installed: pip install torch\n"
