"""The container of arrays on disk: what goes in comes out, and whatever is wrong is one error."""

from __future__ import annotations

import io
import json
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


def test_what_is_written_is_read(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {
        "numbers": np.arange(6, dtype=np.float32).reshape(2, 3),
        "turned": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "none": np.empty((0, 4)),
        "one": np.array("text"),
        "days": np.array(["2024-05-31", "NaT"], "datetime64[s]"),
    }
    CAKE.write(tmp_path / "a", arrays, {"colour": "red"})
    back, about = CAKE.read(tmp_path / "a", contents)
    assert about == {"kind": "a cake", "format": 3, "colour": "red"}
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        assert back[name].shape == array.shape
        assert back[name].tobytes() == array.tobytes()
    back["numbers"][0, 0] = 7  # arrays may be changed


def test_a_format_without_a_text(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    PLAIN.write(path, {"x": np.arange(3)})
    with np.load(path) as file:
        assert int(file["format"]) == 1
    assert PLAIN.read(path, lambda arrays, _: arrays["x"].tolist()) == [0, 1, 2]
    np.savez(path, x=np.arange(3), format=np.array(2))
    with pytest.raises(InputError, match="another version"):
        PLAIN.read(path, contents)


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    CAKE.write(path, {"x": np.arange(3)})
    before = path.read_bytes()
    with pytest.raises(ValueError, match="Out of range"):
        CAKE.write(path, {"x": np.arange(3)}, {"size": float("nan")})
    with pytest.raises(ValueError, match="allow_pickle"):
        CAKE.write(path, {"x": np.array([{}], object)})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]


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
    "a list": {"about.npy": npy(np.frombuffer(b"[]", np.uint8))},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_one_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in {"about.npy": ABOUT, **HOSTILE[name]}.items():
            archive.writestr(member, data)
    with pytest.raises(InputError, match=r"a\.npz: this is no cake \(bake it\)"):
        CAKE.read(path, contents)


def test_files_cut_off_or_changed_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    CAKE.write(path, {"x": np.arange(50), "y": np.ones(4)}, {"z": 1})
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place])
        with pytest.raises(InputError):
            CAKE.read(path, contents)
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        path.write_bytes(changed)
        try:
            CAKE.read(path, contents)  # a byte may say nothing, such as that of a date
        except InputError as error:
            assert error.file == str(path)  # noqa: PT017


@pytest.mark.parametrize("error", [KeyError("x"), OverflowError(), NotImplementedError()])
def test_what_the_taker_of_the_arrays_raises(tmp_path: Path, error: Exception) -> None:
    path = tmp_path / "a.npz"
    CAKE.write(path, {})

    def take(*_: object) -> None:
        raise error

    with pytest.raises(InputError, match="no cake"):
        CAKE.read(path, take)


def test_errors_of_ours_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    CAKE.write(path, {})

    def refuse(*_: object) -> None:
        raise UsageError("too sweet")

    with pytest.raises(InputError, match=r"a\.npz: damaged: too sweet \(bake it\)"):
        CAKE.read(path, refuse)
    with pytest.raises(InputError, match="no such file"):
        CAKE.read(tmp_path / "none", contents)
    with pytest.raises(InputError, match="cannot be read"):
        CAKE.read(tmp_path, contents)


def test_mapped_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    for array in (np.arange(6).reshape(2, 3), np.empty((0, 3))):
        np.save(path, array)
        assert np.array_equal(map_array(path), array)
    for data in (b"", b"no", npy(np.array([{}], object), allow_pickle=True), header(HUGE)):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"cannot be read.*made anew"):
            map_array(path, hint="made anew")


def test_what_expands_without_measure_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("format.npy", npy(np.array(1)))
        with archive.open("zeros.npy", "w", force_zip64=True) as file:
            file.write(npy(np.zeros(1)).replace(b"(1,)", b"(99,)"))
            for _ in range(300):
                file.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(InputError, match="no table"):
        PLAIN.read(path, contents)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("format.npy", npy(np.array(1)))
        empty = "{'descr': '<U0', 'fortran_order': False, 'shape': (999999999999,)}"
        archive.writestr("empty.npy", header(empty))
    with pytest.raises(InputError, match="no table"):
        PLAIN.read(path, contents)
