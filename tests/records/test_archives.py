"""Archives and compressed files: read in place, within limits, whatever they say of themselves."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import yardstone
from tests.skipping import read_skipping
from yardstone.errors import InputError, StrictError
from yardstone.files import zstd_module
from yardstone.pool import SkipReport
from yardstone.records import sources
from yardstone.records.sgf import SgfReader
from yardstone.records.sources import (
    ArchiveLimits,
    ArchiveTooLarge,
    Source,
    StreamLimits,
    delimited_rows,
    find_sources,
    is_archive,
    members_of,
    plain_ending,
)

GAME = "(;GM[1]SZ[19]PB[{}]PW[Bob]RE[B+R];B[pd])"
PGN = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1-0\n'
MIB = 1 << 20
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
    "zst": zstd_module().compress,
}  # fmt: skip


def zip_of(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tar_of(path: Path, files: dict[str, bytes], packing: str = "") -> Path:
    with tarfile.open(path, f"w{packing}") as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def source(folder: Path, data: bytes, name: str = "games.pgn", **more: Any) -> Source:
    (folder / name).write_bytes(data)
    return Source(name, folder / name, **more)


def test_a_zip_is_read_in_place(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "games.zip", {
        "a/1.sgf": GAME.format("Ann"), "../../2.sgf": GAME.format("Eve"), "a/read.me": "no games",
        "__MACOSX/a/1.sgf": "junk", "a/.hidden.sgf": "junk", "a/3.pgn": PGN, "inner.zip": b"PK",
    })  # fmt: skip
    pool = read_skipping(path)
    assert [pool.players[k] for k in pool.first] == ["Ann", "Eve", "Ann"]
    assert [str(skipped) for skipped in pool.skipped.details] == [
        f"{path}/inner.zip: an archive within an archive is not opened"
    ]
    assert not (tmp_path.parent / "2.sgf").exists()
    with pytest.raises(StrictError, match="not opened"):
        yardstone.read(path, strict=True)
    assert [game.file for game in SgfReader(tmp_path)] == [f"{path}/a/1.sgf", f"{path}/../../2.sgf"]


def test_a_tar_is_read_in_place(tmp_path: Path) -> None:
    names = ("Ann", "Eve", "Ian")
    for packing in ("", ":gz", ":bz2", ":xz"):
        path = tmp_path / f"games.tar{packing.replace(':', '.')}"
        tar_of(path, {f"{n}.sgf": GAME.format(n).encode() for n in names}, packing)
        assert [game.black for game in SgfReader(path)] == [*names]
        members = list(members_of(path))
        for k in (2, 0):  # and back again
            assert members[k].open().read() == GAME.format(names[k]).encode()
        assert pickle.loads(pickle.dumps(members[1])).open().read() == GAME.format("Eve").encode()
    (tmp_path / "secret.sgf").write_text(GAME.format("Secret"))
    path = tmp_path / "links.tar"
    with tarfile.open(path, "w") as archive:
        data = GAME.format("Ann").encode()
        for name, kind, link in (
            ("1.sgf", tarfile.SYMTYPE, str(tmp_path / "secret.sgf")),
            ("2.sgf", tarfile.LNKTYPE, "../secret.sgf"), ("3.sgf", tarfile.FIFOTYPE, ""),
            ("4.sgf", tarfile.CHRTYPE, ""), ("5.sgf", tarfile.DIRTYPE, ""),
            ("../6.sgf", tarfile.REGTYPE, ""), ("7.sgf", tarfile.LNKTYPE, "../6.sgf"),
        ):  # fmt: skip
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, link
            entry.size = len(data) if kind == tarfile.REGTYPE else 0
            archive.addfile(entry, io.BytesIO(data))
    assert [member.name for member in members_of(path)] == ["../6.sgf"]
    assert [game.black for game in SgfReader(path)] == ["Ann"]


def test_names_in_archives(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "games.zip", dict.fromkeys(["a\x1b[2J.sgf", "古力.sgf", "é.sgf"], ""))
    data = bytearray(path.read_bytes().replace("é".encode(), b"\x81."))
    for head in re.finditer(rb"PK(?:\x01\x02..|\x03\x04)..", bytes(data), re.S):
        data[head.end() : head.end() + 2] = bytes(2)  # that it is UTF-8 is not said
    path.write_bytes(data)
    assert [member.name for member in members_of(path)] == ["a [2J.sgf", "古力.sgf", "ü..sgf"]
    names = ("A.ZIP", "a.tar.zst", "a.tgz", "a.gz", "zip")
    assert [is_archive(name) for name in names] == [True, True, True, False, False]
    members = ["a.zip", "a.RAR", "a.7z", "a.lha", "a.tbz2", "a.gz"]
    path = zip_of(tmp_path / "many.zip", dict.fromkeys(members, ""))
    assert [member.is_archive for member in members_of(path)] == [True] * 5 + [False]
    assert [plain_ending(name) for name in ("a.PGN.zst", "b.gz", "c.d/e")] == [".pgn", "", ""]


def test_how_far_an_archive_may_expand(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"0.sgf": b"", "1.sgf": b""})
    most = 200 * path.stat().st_size + 64 * MIB
    for size in (most - 7, most - 6):  # as the list of the files says
        data, place = bytearray(path.read_bytes()), 0
        for said in (7, size):
            place = data.index(b"PK\x01\x02", place) + 4
            struct.pack_into("<L", data, place + 20, said)
        path.write_bytes(data)
        if size == most - 7:
            assert len(list(members_of(path))) == 2
    with pytest.raises(ArchiveTooLarge, match="more than 200 times its size"):
        list(members_of(path))
    with pytest.raises(InputError, match="more than 200 times its size"):
        yardstone.read(path)
    path = tar_of(tmp_path / "a.tar", {"a.sgf": b"x" * 9000, "b.sgf": b"x" * 1000})
    exact = ArchiveLimits(ratio=0, extra=10_240 + 9 * 1024)
    assert len(list(members_of(path, exact))) == 2
    with pytest.raises(ArchiveTooLarge, match="more than 0 times"):
        list(members_of(path, ArchiveLimits(ratio=0, extra=9_999)))
    bomb = tar_of(tmp_path / "b.tar.xz", {"a.sgf": bytes(3 * MIB)}, ":xz")
    with pytest.raises(InputError, match=r"expands? to more than 0 times"):
        list(members_of(bomb, ArchiveLimits(ratio=0, extra=3 * MIB)))


def test_how_many_files_an_archive_may_hold(tmp_path: Path) -> None:
    names = "abcdefghijklmnopqrst"
    for each in (
        zip_of(tmp_path / "many.zip", dict.fromkeys(names, "")),
        tar_of(tmp_path / "many.tar", dict.fromkeys(names, b"")),
    ):
        assert len(list(members_of(each, ArchiveLimits(members=20)))) == 20
        with pytest.raises(ArchiveTooLarge, match="holds more than 19 files"):
            list(members_of(each, ArchiveLimits(members=19)))
    assert ArchiveLimits().members == 2_000_000
    # A long list is refused before it is read: an entry takes 46 bytes at least, whatever number
    # of them is said.
    path = tmp_path / "a.zip"
    for comment in (0, 65_535):
        for listing, words in (
            (46 * 4 - 1, "damaged zip"), (46 * 4, "more than 3 files"),
            (0xFFFF_FFFF, "more than 3 files"),  # as long as the file
        ):  # fmt: skip
            end = struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, listing, 0, comment)
            path.write_bytes(bytes(46 * 4) + end + bytes(comment))
            with pytest.raises(InputError, match=words):
                list(members_of(path, ArchiveLimits(members=3)))


@pytest.mark.parametrize("kind", PACK)
def test_compressed_files(tmp_path: Path, kind: str) -> None:
    pack = PACK[kind]
    data = bytes(3 * MIB) + bytes(range(256)) * 40
    packed = pack(data)
    limits = StreamLimits(ratio=1, extra=len(data) - len(packed))
    with source(tmp_path, packed).open(limits) as stream:
        pieces = list(stream.pieces())
        assert (stream.damage, stream.consumed) == (None, len(packed))
    assert b"".join(pieces) == data
    assert max(map(len, pieces)) <= MIB  # whatever it makes of itself, memory is enough
    smaller = StreamLimits(ratio=1, extra=len(data) - len(packed) - 1)
    with (
        pytest.raises(InputError, match=r"games\.pgn: expands to more than 1 times its size"),
        source(tmp_path, packed).open(smaller) as stream,
    ):
        list(stream.pieces())
    assert source(tmp_path, pack(b"one ") + pack(b"two")).content() == b"one two"
    if kind != "zst":
        assert source(tmp_path, pack(b"x") + bytes(700) + pack(b"y")).content() == b"xy"
    for damaged in (packed[: len(packed) // 2], pack(b"x" * 9) + b"junk"):
        with source(tmp_path, damaged).open() as stream:
            assert data.startswith(b"".join(stream.pieces()).removeprefix(b"x" * 9))
            assert (stream.damage or "").startswith(f"damaged {stream.compression} data: ")
        with pytest.raises(InputError, match="damaged"):
            source(tmp_path, damaged).content()


def test_limits_of_streams(tmp_path: Path) -> None:
    assert StreamLimits().most(10) == 10_000 + 64 * MIB
    assert StreamLimits(ratio=float("inf")).most(1) == 1 << 62
    text = source(tmp_path, b"0123456789")
    assert text.content(10) == b"0123456789"
    assert source(tmp_path, b"0123456789", limit=4).content() == b"0123"
    assert source(tmp_path, gzip.compress(b"x") + b"junk", limit=21).content() == b"x"
    with source(tmp_path, b"0123456789", limit=8).open() as stream:
        buffer = bytearray(20)
        assert (stream.peek(3), stream.readinto(buffer)) == (b"012", 8)
        assert bytes(buffer[:9]) == b"01234567\0"
    for each, most, message in (
        (text, 9, r"games\.pgn: is larger than 0 MiB"),
        (Source("none", tmp_path / "none"), 9, "no such file"),
        (Source("folder", tmp_path), 9, "cannot be read: Is a directory"),
    ):
        with pytest.raises(InputError, match=message):
            each.content(most)


def test_what_goes_to_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(b"x")
    loaded = source(tmp_path, packed).loaded()
    assert (loaded.data, loaded.path, loaded.loaded() is loaded) == (packed, None, True)
    assert (loaded.size, loaded.content()) == (len(packed), b"x")
    (member,) = find_sources([zip_of(tmp_path / "a.zip", {"a.pgn": PGN})], [".pgn"])
    assert member.loaded().data == PGN.encode()
    monkeypatch.setattr(sources, "_MOST_BYTES", len(PGN) - 1)
    for each in (member, source(tmp_path, PGN.encode())):
        with pytest.raises(InputError, match="is larger than"):
            each.loaded()
    assert source(tmp_path, PGN.encode(), limit=7).loaded().data == b"[White "


def test_utf_16_is_recoded(tmp_path: Path) -> None:
    for text, encoding, read in (
        ("ab[c]", "utf-16", "ab[c]"), ("ab[c]", "utf-16-le", "ab[c]"), ("é]", "utf-8-sig", "é]"),
        ("ab[c]", "utf-16-be", "ab[c]"), ("ab", "utf-8", "ab"), ("a", "utf-16-le", "a\0"),
        ("古力古力", "utf-16-le", None), ("a\0bc", "utf-8", "a\0bc"),
    ):  # fmt: skip
        data = text.encode(encoding)
        for packed in (data, gzip.compress(data)):
            with source(tmp_path, packed).open() as stream:
                stream.recode_utf16()
                assert b"".join(stream.pieces()) == (data if read is None else read.encode())
    with source(tmp_path, "ab".encode("utf-16") + b"c").open() as stream:  # cut within a letter
        stream.recode_utf16()
        assert b"".join(stream.pieces()).decode() == "ab\ufffd"


def test_damage_and_other_trouble_are_reported(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "games.zip", {f"{n}.sgf": GAME.format(n) for n in ("Ann", "Eve")})
    sound = path.read_bytes()
    damaged, secret = bytearray(sound), bytearray(sound)
    damaged[sound.index(zlib.compress(GAME.format("Ann").encode())[2:-4]) + 5] ^= 0xFF
    secret[6] |= 1  # encrypted, in both lists of files
    secret[sound.index(b"PK\x01\x02") + 8] |= 1
    for data, reason in ((damaged, ""), (secret, "it is encrypted")):
        path.write_bytes(data)
        reader = SgfReader(path)
        assert [game.black for game in reader if game.black == "Eve"] == ["Eve"]
        assert "Ann.sgf" in reader.skipped.details[0].file
        assert reason in reader.skipped.details[0].reason
    for end in (len(sound) - 30, *range(0, len(sound), 29)):
        path.write_bytes(sound[:end])
        with pytest.raises(InputError, match=r"games\.zip: .*(damaged zip archive|no records)"):
            yardstone.read(path)
    broken = tmp_path / "broken.tar"
    broken.write_bytes(b"x" * 2000)
    with pytest.raises(InputError, match="damaged tar"):
        yardstone.read(broken)
    changed = tar_of(tmp_path / "a.tar", {"a.sgf": b"x", "b.sgf": b"y"})
    member = list(members_of(changed))[1]
    tar_of(changed, {"a.sgf": b"x"})
    with pytest.raises(OSError, match="the archive has changed"):
        member.open()


def test_what_paths_mean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b/2.pgn.gz", "b/1.PGN", "b/.hidden.pgn", "b/c/3.pgn", "b/x.txt", "b/[d].pgn"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(b"")
    zip_of(Path("b/z.zip"), {"4.pgn.xz": "", "5.txt": "", "6.rar": ""})
    report = SkipReport()

    def found(*paths: str) -> list[str]:
        return [each.name for each in find_sources(paths, [".pgn"], report)]

    below = ["b/1.PGN", "b/2.pgn.gz", "b/[d].pgn", "b/c/3.pgn", "b/z.zip/4.pgn.xz"]
    assert found("b") == below
    assert [str(each) for each in report.details] == [
        "b/z.zip/6.rar: an archive within an archive is not opened"
    ]
    assert found("b/[d].pgn", "b/x.txt", "-") == ["b/[d].pgn", "b/x.txt", "<stdin>"]
    assert found("b/*.pgn", "**/3.*") == ["b/[d].pgn", "b/c/3.pgn"]
    for paths, said in (
        (["-", "-"], "standard input can be read only once"),
        (["none.pgn"], "none.pgn: no such file"),
        (["*.sgf"], "no file matches this pattern"),
        (["s3://a/b.pgn"], "a file behind s3:// is read by a query"),
        (["HTTPS://a/b.pgn"], "a file behind HTTPS:// is read by a query"),
    ):
        with pytest.raises(InputError) as error:
            found(*paths)
        assert said in str(error.value)
    zip_of(Path("empty.zip"), {"x.txt": ""})
    with pytest.raises(InputError, match=r"no file of results in this archive, only x\.txt"):
        found("empty.zip")


def test_a_small_table_of_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table"

    def rows(text: str, most: int = 1000) -> tuple[list[str], list[Any], list[str]]:
        path.write_bytes(text.encode())
        report = SkipReport()
        header, cells = delimited_rows(path, report, most=most)
        return header, cells, [f"{each.line} {each.reason}" for each in report.details]

    assert rows('\ufeff\na;b;c,d\n"1\n2"; x\n\n\'=1;;;\n3;4;5;6\n7\n') == (
        ["a", "b", "c,d"],
        [(3, ["1 2", "x", ""]), (6, ["=1", "", ""]), (8, ["7", "", ""])],
        ["7 4 cells where 3 were expected"],
    )
    assert [rows(f"a{mark}b\n1{mark}2\n")[1] for mark in ",;\t|"] == [[(2, ["1", "2"])]] * 4
    assert rows("a,b\n1,2", most=7)[1] == [(2, ["1", "2"])]
    with pytest.raises(InputError, match="is larger than"):
        rows("a,b\n1,2", most=6)
    with pytest.raises(InputError, match="the table has no rows"):
        rows(" \n,\n")
    with pytest.raises(InputError, match=r"table:2: is no table: field larger than"):
        rows("a,b\n" + "x" * 200_000, most=MIB)
    monkeypatch.setattr(sources, "_MOST_ROWS", 2)
    assert len(rows("a\n1\n2\n")[1]) == 2
    with pytest.raises(InputError, match="more than 2 rows"):
        rows("a\n1\n2\n3\n")
