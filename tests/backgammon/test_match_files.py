from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from yardstone.backgammon.file_analysis import match_files
from yardstone.errors import InputError


def test_files_folders_and_patterns(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("one.mat", "deep/two.TXT", "deep/notes.pdf"):
        (tmp_path / name).write_text(name)
    (tmp_path / "three.mat.gz").write_bytes(gzip.compress(b"three"))
    files = match_files([tmp_path])
    assert [(Path(match.name).name, match.read(), match.ending) for match in files] == [
        ("two.TXT", b"deep/two.TXT", ".txt"),
        ("one.mat", b"one.mat", ".mat"),
        ("three.mat.gz", b"three", ".mat"),
    ]
    files = match_files([tmp_path / "deep" / "notes.pdf", f"{tmp_path}/*.mat"])
    assert [Path(match.name).name for match in files] == ["notes.pdf", "one.mat"]
    (tmp_path / "empty").mkdir()
    for path, message in (
        ("none.mat", "no such file"),
        ("empty", "this folder is empty"),
        ("empty/*.mat", "matches this pattern"),
    ):
        with pytest.raises(InputError, match=message):
            match_files([f"{tmp_path}/{path}"])


def archive_of(path: Path, members: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as out:
            for name, data in members.items():
                out.writestr(name, data)
        return path
    with tarfile.open(path, "w:gz") as out:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
        for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "x.mat")):
            entry = tarfile.TarInfo("link.mat")  # links are no matches
            entry.type, entry.linkname = kind, target
            out.addfile(entry)
    return path


@pytest.mark.parametrize("kind", ["matches.zip", "matches.tar.gz"])
def test_archives(kind: str, tmp_path: Path) -> None:
    members = {
        "../../escape.mat": b"one",
        "/etc/absolute.txt": b"two",
        "same.mat": b"three",
        "deep/same.mat": b"four",
        "picture.png": b"no match",
        "\x1b[31mred.mat": b"five",
    }
    path = archive_of(tmp_path / kind, members)
    files = match_files([path])
    assert [match.read() for match in files] == [b"one", b"two", b"three", b"four", b"five"]
    assert files[4].name == f"{path}/[31mred.mat"
    assert files[0].name == f"{path}/../../escape.mat"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_match(tmp_path: Path) -> None:
    long = b"0" * ((4 << 20) + 1)
    (tmp_path / "longest.mat").write_bytes(long[1:])
    assert len(match_files([tmp_path / "longest.mat"])[0].read()) == 4 << 20
    bomb = archive_of(tmp_path / "bomb.zip", {"a.mat": long})
    (tmp_path / "long.mat").write_bytes(long)
    (tmp_path / "long.mat.gz").write_bytes(gzip.compress(long))
    for match in match_files([bomb, tmp_path / "long.mat", tmp_path / "long.mat.gz"]):
        with pytest.raises(InputError, match="larger than 4 MiB"):
            match.read()
    os.mkfifo(tmp_path / "pipe.mat")
    with pytest.raises(InputError, match="not a regular file"):
        match_files([tmp_path / "pipe.mat"])[0].read()
    path = archive_of(tmp_path / "bomb.tar.gz", {f"{k}.mat": bytes(4 << 20) for k in range(20)})
    with pytest.raises(InputError, match="expand"):
        match_files([path])
    # Damaged archives are named, and spoil nothing.
    whole = archive_of(tmp_path / "whole.tar.gz", {f"{k}.mat": bytes(5000) for k in range(5)})
    (tmp_path / "torn.tar.gz").write_bytes(whole.read_bytes()[:90])
    (tmp_path / "no.zip").write_bytes(b"PK\3\4 nothing")
    files = match_files([tmp_path / name for name in ("torn.tar.gz", "no.zip", "longest.mat")])
    problems = {Path(match.name).name: match.problem.count("cannot be read") for match in files}
    assert problems == {"torn.tar.gz": 1, "no.zip": 1, "longest.mat": 0}
