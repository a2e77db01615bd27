from __future__ import annotations

import io
import pickle
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

import yardstone
from tests.skipping import read_skipping
from yardstone.errors import InputError, StrictError
from yardstone.records.sgf import SgfReader
from yardstone.records.sources import ArchiveLimits, members_of

GAME = "(;GM[1]SZ[19]PB[{}]PW[Bob]RE[B+R];B[pd])"
PGN = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1-0\n'


def zip_of(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_a_zip_is_read_in_place(tmp_path: Path) -> None:
    path = zip_of(
        tmp_path / "games.zip",
        {
            "a/1.sgf": GAME.format("Ann"),
            "../../2.sgf": GAME.format("Eve"),
            "a/read.me": "no games",
            "__MACOSX/a/1.sgf": "junk",
            "a/.hidden.sgf": "junk",
            "a/3.pgn": PGN,
            "inner.zip": b"PK",
        },
    )
    pool = read_skipping(path)
    assert [pool.players[k] for k in pool.first] == ["Ann", "Eve", "Ann"]
    assert [str(skipped) for skipped in pool.skipped.details] == [
        f"{path}/inner.zip: an archive within an archive is not opened"
    ]
    assert not (tmp_path.parent / "2.sgf").exists()
    with pytest.raises(StrictError, match="not opened"):
        yardstone.read(path, strict=True)
    assert [game.file for game in SgfReader(tmp_path)] == [f"{path}/a/1.sgf", f"{path}/../../2.sgf"]


@pytest.mark.parametrize("packing", ["", ":gz", ":bz2", ":xz"])
def test_a_tar_is_read_in_place(tmp_path: Path, packing: str) -> None:
    path = tmp_path / f"games.tar{packing.replace(':', '.')}"
    with tarfile.open(path, f"w{packing}") as archive:  # type: ignore[call-overload]
        for name in ("Ann", "Eve", "Ian"):
            data = GAME.format(name).encode()
            entry = tarfile.TarInfo(f"{name}.sgf")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    assert [game.black for game in SgfReader(path)] == ["Ann", "Eve", "Ian"]
    members = list(members_of(path))
    assert members[2].open().read() == GAME.format("Ian").encode()
    assert members[0].open().read() == GAME.format("Ann").encode()  # back again
    assert pickle.loads(pickle.dumps(members[1])).open().read() == GAME.format("Eve").encode()


def test_an_archive_too_big_is_refused(tmp_path: Path) -> None:
    bomb = zip_of(tmp_path / "bomb.zip", {f"{k}.sgf": b"\0" * 40_000_000 for k in range(3)})
    with pytest.raises(InputError, match="more than 200 times"):
        yardstone.read(bomb)
    many = zip_of(tmp_path / "many.zip", {f"{k}.sgf": "" for k in range(50)})
    with pytest.raises(InputError, match="more than 20 files"):
        list(members_of(many, ArchiveLimits(members=20)))


def test_damage_is_reported(tmp_path: Path) -> None:
    path = zip_of(
        tmp_path / "games.zip", {f"{name}.sgf": GAME.format(name) for name in ("Ann", "Eve")}
    )
    data = bytearray(path.read_bytes())
    packed = zlib.compress(GAME.format("Ann").encode())[2:-4]
    place = data.index(packed)
    data[place + 5] ^= 0xFF
    path.write_bytes(data)
    reader = SgfReader(path)
    assert [game.black for game in reader if game.black == "Eve"] == ["Eve"]
    assert "Ann.sgf" in reader.skipped.details[0].file
    path.write_bytes(data[:-30])
    with pytest.raises(InputError, match="damaged zip archive"):
        yardstone.read(path)
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        with pytest.raises(InputError, match=r"games\.zip"):
            yardstone.read(path)


def test_other_trouble_is_reported(tmp_path: Path) -> None:
    empty = zip_of(tmp_path / "empty.zip", {"x.txt": ""})
    with pytest.raises(InputError, match="no file of results in this archive"):
        yardstone.read(empty)
    secret = zip_of(tmp_path / "secret.zip", {"a.sgf": GAME.format("Ann")})
    data = bytearray(secret.read_bytes())
    data[6] |= 1  # encrypted, in both lists of files
    data[data.index(b"PK\x01\x02") + 8] |= 1
    secret.write_bytes(data)
    reader = SgfReader(secret)
    assert list(reader) == []
    assert "encrypted" in reader.skipped.details[0].reason
    broken = tmp_path / "broken.tar"
    broken.write_bytes(b"x" * 2000)
    with pytest.raises(InputError, match="damaged tar"):
        yardstone.read(broken)
