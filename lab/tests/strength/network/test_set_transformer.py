"""The Set Transformer against its equations, written out in loops."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tests.strength.made_training import TINY, set_transformer, torch
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

CHANNELS = 5

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
    result = network(torch.tensor(x).double(), torch.tensor(there))
    assert result.tolist() == pytest.approx(wanted, abs=1e-11)
    assert network(torch.tensor(x[1:2]).double()).item() == pytest.approx(wanted[1], abs=1e-11)
    result.sum().backward()
    for name, parameter in network.named_parameters():
        assert torch.isfinite(parameter.grad).all(), name
    double = {name: array.astype(np.float64) for name, array in arrays.items()}
    assert rate_sets(double, x.astype(float), there) == pytest.approx(wanted, abs=1e-11)
    single = rate_sets(arrays, x, there)
    assert single.dtype == np.float32
    assert single == pytest.approx(wanted, abs=1e-5 * max(1, np.abs(wanted).max()))


def test_numbers_of_parameters() -> None:
    assert TABLE_5_1.parameters(384) == 2_469_388
    largest = Hyperparameters(depth=5, width=256, query_width=256, inducing_points=64)
    assert largest.parameters(384) == 3_078_400
    for built in SHAPES:
        shapes = parameter_shapes(built.size, CHANNELS)
        assert sum(math.prod(shape) for shape in shapes.values()) == built.parameters(CHANNELS)
        network = set_transformer.SetTransformer(built, CHANNELS)
        assert shapes == {name: tuple(p.shape) for name, p in network.named_parameters()}


def test_initial_parameters_lie_within_their_bounds() -> None:
    built = Hyperparameters(depth=2, width=64, query_width=16, inducing_points=40)
    arrays: Arrays = set_transformer.initial_arrays(built, 384, np.random.default_rng(0))
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


def test_packed_moves_are_the_latest_ones() -> None:
    generator = np.random.default_rng(3)
    lengths = [0, 12, 3, 5, 1, 4]
    table = generator.normal(size=(15, 3)).astype(np.float16)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    moves = MoveSets(table, generator.integers(15, size=starts[-1]), starts)
    packed = pack(moves, 4)
    assert packed.lengths().tolist() == [0, 4, 3, 4, 1, 4]
    assert len(packed.features) == len(set(packed.rows.tolist()))
    wanted, present = moves.padded(np.arange(6), 4)
    rows, there = packed.indices(np.arange(6))
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
    np.testing.assert_allclose(moments(packed), [[1, 0.5], [1, 0.5]])


def made_network() -> StrengthNetwork:
    return StrengthNetwork(TINY, made_arrays(TINY), 1600.0, 250.0, {"about": "a test"})


def some_moves(channels: int = CHANNELS) -> MoveSets:
    generator = np.random.default_rng(8)
    starts = np.array([0, 0, 1, 41, 66])
    table = generator.normal(size=(50, channels)).astype(np.float16)
    return MoveSets(table, generator.integers(50, size=66), starts)


def test_a_network_comes_back_from_its_file(tmp_path: Path) -> None:
    network = made_network()
    network.save(tmp_path / "a.npz")
    again = StrengthNetwork.load(tmp_path / "a.npz")
    assert (again.settings, again.card) == (network.settings, {"about": "a test"})
    assert (again.mean, again.deviation) == (1600, 250)
    for name, array in network.arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array.astype(np.float16))
    moves = some_moves()
    result = again.ratings(moves)
    x, there = moves.padded(np.arange(4), TINY.window)  # only the latest moves count
    assert result == pytest.approx(1600 + 250 * rate_sets(again.arrays, x, there), abs=1e-2)
    assert network.ratings(moves) == pytest.approx(result, abs=2.0)  # of 250: float16
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
            data = npy(np.frombuffer(json.dumps({**about, **data}).encode(), np.uint8))
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


def test_settings_by_name() -> None:
    assert PRESETS["published"] is TABLE_5_1
    assert Hyperparameters.from_dict(TABLE_5_1.as_dict()) == TABLE_5_1
    changed = TABLE_5_1.changed({"learning_rate": "1e-3", "depth": "2", "standardise": "yes"})
    assert (changed.learning_rate, changed.depth, changed.standardise) == (1e-3, 2, True)
    assert changed.width == 254


def test_settings_that_are_of_no_use() -> None:
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
