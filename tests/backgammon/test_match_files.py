from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from yardstone.backgammon.file_analysis import LONGEST, MatchFile, match_files
from yardstone.errors import InputError


def names(files: list[MatchFile]) -> list[str]:
    return [Path(match.name).name for match in files]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "matches"
    (made / "deep").mkdir(parents=True)
    (made / "one.mat").write_text("one")
    (made / "deep" / "two.TXT").write_text("two")
    (made / "deep" / "notes.pdf").write_text("no match")
    (made / "three.mat.gz").write_bytes(gzip.compress(b"three"))
    return made


def test_files_folders_and_patterns(folder: Path) -> None:
    files = match_files([folder])
    assert names(files) == ["two.TXT", "one.mat", "three.mat.gz"]
    assert [match.read() for match in files] == [b"two", b"one", b"three"]
    assert [match.ending for match in files] == [".txt", ".mat", ".mat"]
    files = match_files([folder / "deep" / "notes.pdf", f"{folder}/*.mat"])
    assert names(files) == ["notes.pdf", "one.mat"]


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


def test_links_in_an_archive_are_no_matches(tmp_path: Path) -> None:
    path = tmp_path / "links.tar"
    with tarfile.open(path, "w") as out:
        for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "x.mat")):
            entry = tarfile.TarInfo("link.mat")
            entry.type, entry.linkname = kind, target
            out.addfile(entry)
    assert match_files([path]) == []


def test_what_is_no_match(tmp_path: Path) -> None:
    long = b"0" * (LONGEST + 1)
    bomb = archive_of(tmp_path / "bomb.zip", {"a.mat": long})
    (tmp_path / "long.mat").write_bytes(long)
    (tmp_path / "long.mat.gz").write_bytes(gzip.compress(long))
    for match in match_files([bomb, tmp_path / "long.mat", tmp_path / "long.mat.gz"]):
        with pytest.raises(InputError, match="larger than 4 MiB"):
            match.read()
    os.mkfifo(tmp_path / "pipe.mat")
    with pytest.raises(InputError, match="not a regular file"):
        match_files([tmp_path / "pipe.mat"])[0].read()


def test_an_archive_that_expands_too_far(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "bomb.tar.gz", {f"{k}.mat": bytes(4 << 20) for k in range(20)})
    with pytest.raises(InputError, match="expand"):
        match_files([path])


def test_damaged_archives_are_named_and_spoil_nothing(tmp_path: Path) -> None:
    whole = archive_of(tmp_path / "whole.tar.gz", {f"{k}.mat": bytes(5000) for k in range(5)})
    (tmp_path / "torn.tar.gz").write_bytes(whole.read_bytes()[:90])
    (tmp_path / "no.zip").write_bytes(b"PK\3\4 nothing")
    (tmp_path / "good.mat").write_text("good")
    files = match_files([tmp_path / name for name in ("torn.tar.gz", "no.zip", "good.mat")])
    problems = {Path(match.name).name: match.problem for match in files}
    assert "cannot be read" in problems["torn.tar.gz"]
    assert "cannot be read" in problems["no.zip"]
    assert problems["good.mat"] == ""


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        match_files([tmp_path / "none.mat"])
    with pytest.raises(InputError, match="this folder is empty"):
        match_files([tmp_path])
    with pytest.raises(InputError, match="matches this pattern"):
        match_files([f"{tmp_path}/*.mat"])
