"""The container of arrays on disk: what goes in comes out, and whatever is wrong is one error."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yardstone.arrays import ArrayFile, StoredArrays, map_array
from yardstone.errors import InputError, UsageError

CAKE = ArrayFile(
    "cake", format=3, text="about", kind="a cake", most_bytes=1 << 20, most_arrays=8, hint="bake it"
)
PLAIN = ArrayFile("table", format=1)


def contents(arrays: StoredArrays, about: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return dict(arrays), about


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.npz"


def test_what_is_written_is_read(path: Path) -> None:
    arrays: dict[str, Any] = {
        "numbers": np.arange(6, dtype=np.float32).reshape(2, 3),
        "turned": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "none": np.empty((0, 4)),
        "one": np.array("text"),
        "days": np.array(["2024-05-31", "NaT"], "datetime64[s]"),
    }
    CAKE.write(path, arrays, {"colour": "red"})
    back, about = CAKE.read(path, contents)
    assert about == {"kind": "a cake", "format": 3, "colour": "red"}
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        assert back[name].shape == array.shape
        assert back[name].tobytes() == array.tobytes()
    back["numbers"][0, 0] = 7  # arrays may be changed
    PLAIN.write(path, {"x": np.arange(3)})
    with np.load(path) as file:
        assert int(file["format"]) == 1
    assert PLAIN.read(path, lambda arrays, _: arrays["x"].tolist()) == [0, 1, 2]


def test_a_file_that_cannot_be_written_leaves_the_old_one(path: Path) -> None:
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="Out of range"):
        CAKE.write(path, {"x": np.arange(3)}, {"size": float("nan")})
    with pytest.raises(ValueError, match="allow_pickle"):
        CAKE.write(path, {"x": np.array([{}], object)})
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def npy(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def header(text: str, version: int = 1) -> bytes:
    head = text.ljust(117) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(head).to_bytes(2, "little") + head.encode()


ABOUT = npy(np.frombuffer(json.dumps({"kind": "a cake", "format": 3}).encode(), np.uint8))
HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999,)}"
HOSTILE: dict[str, dict[str, bytes]] = {
    "an object": {"x.npy": npy(np.array([{}], object), allow_pickle=True)},
    "a huge array": {"x.npy": header(HUGE)},
    "a size beyond numbers": {"x.npy": header(HUGE.replace("999,", "9" * 60 + ","))},
    "a negative shape": {"x.npy": header(HUGE.replace("9999", "-9999"))},
    "no header": {"x.npy": b"what is this"},
    "an unknown version": {"x.npy": header(HUGE, version=9)},
    "brackets": {"x.npy": header("(" * 100)},
    "half a token": {"x.npy": header("{'descr': '''")},
    "no type": {"x.npy": header("{'descr': 'cake', 'fortran_order': False, 'shape': ()}")},
    "a bomb": {"x.npy": npy(np.zeros(1 << 18))},
    "many arrays": {f"{k}.npy": npy(np.zeros(1)) for k in range(9)},
    "no text": {"about.npy": npy(np.zeros(3))},
    "no JSON": {"about.npy": npy(np.frombuffer(b"[" * 9999, np.uint8))},
    "an array that breaks off": {"x.npy": npy(np.zeros(9))[:-1]},
    "a list": {"about.npy": npy(np.frombuffer(b"[]", np.uint8))},
}


def write_zip(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            archive.writestr(member, data)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_one_error(path: Path, name: str) -> None:
    write_zip(path, {"about.npy": ABOUT, **HOSTILE[name]})
    with pytest.raises(InputError, match=r"a\.npz: this is no cake \(bake it\)"):
        CAKE.read(path, contents)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("x"), "a.npz: this is no cake (bake it)"),
        (UsageError("too sweet"), "a.npz: damaged: too sweet (bake it)"),
        (InputError("sour"), "a.npz: sour (bake it)"),
        (InputError("sour", hint="add sugar"), "a.npz: sour (add sugar)"),
        (InputError("sour", file="other"), "other: sour"),
    ],
)
def test_what_the_taker_of_the_arrays_raises(path: Path, error: Exception, message: str) -> None:
    def take(*_: object) -> None:
        raise error

    CAKE.write(path, {})
    with pytest.raises(InputError) as said:
        CAKE.read(path, take)
    assert str(said.value).removeprefix(f"{path.parent}{os.sep}") == message


def test_what_is_no_file_of_this_version(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.arange(3), format=np.array(2))
    for name, message in (
        ("a.npz", "another version"),
        ("b", "no such file"),
        ("", "be read"),
    ):
        with pytest.raises(InputError, match=message):
            PLAIN.read(tmp_path / name, contents)


def test_mapped_arrays(path: Path) -> None:
    for array in (np.arange(6).reshape(2, 3), np.empty((0, 3))):
        path.write_bytes(npy(array))
        assert np.array_equal(map_array(path), array)
    for data in (b"", b"no", npy(np.array([{}], object), allow_pickle=True), header(HUGE)):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"cannot be read.*made anew"):
            map_array(path, hint="made anew")


def test_what_expands_without_measure_is_not_read(path: Path) -> None:
    zeros = npy(np.zeros(1)).replace(b"(1,)", b"(99,)") + bytes(300 << 20)
    nothing = header("{'descr': '<U0', 'fortran_order': False, 'shape': (999999999999,)}")
    for data in (zeros, nothing):
        write_zip(path, {"format.npy": npy(np.array(1)), "x.npy": data})
        assert path.stat().st_size < 1 << 20
        with pytest.raises(InputError, match="no table"):
            PLAIN.read(path, contents)
