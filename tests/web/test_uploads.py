"""Hostile uploads: each is refused with a clear message, to the byte, and none does any harm."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import struct
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from tests.web.asking import form
from tests.web.serving import MATCH, SGF, packed, small_results
from tests.web.sites import Site, site
from yardstone.errors import InputError
from yardstone.pool import SkipReport
from yardstone.web import upkeep, uploads
from yardstone.web.problems import RequestProblem
from yardstone.web.sent_files import file_label, look, unpack
from yardstone.web.settings import Limits
from yardstone.web.uploads import Upload, receive_form

LIMITS = {"file_bytes": 100, "request_bytes": 150, "files": 3}
#: Bytes of a whole request, whatever stands around its files.
WHOLE = 150 + 65_536 + 3 * 1024
MULTIPART = "multipart/form-data; boundary=x"
URLENCODED = "application/x-www-form-urlencoded"


def receive(
    folder: Path, body: bytes | Iterable[bytes], kind: str = MULTIPART,
    limits: dict[str, Any] = LIMITS, length: str | None = None,
) -> tuple[Upload | RequestProblem, int]:  # fmt: skip
    """What comes of a body, and how many of its pieces were taken; after an empty one nothing."""
    pieces = [body] if isinstance(body, bytes) else list(body)
    taken = 0

    async def take() -> dict[str, Any]:
        nonlocal taken
        if taken < len(pieces) and pieces[taken] == b"" and len(pieces) > 1:
            await asyncio.sleep(600.0)
        taken += 1
        piece = pieces[taken - 1]
        return {"type": "http.request", "body": piece, "more_body": taken < len(pieces)}

    headers = {b"content-type": kind.encode()}
    if length is not None:
        headers[b"content-length"] = length.encode()
    folder.mkdir(exist_ok=True)
    request = Request({"type": "http", "method": "POST", "headers": [*headers.items()]}, take)
    try:
        return asyncio.run(receive_form(request, folder, Limits.of_plain(limits))), taken
    except RequestProblem as problem:
        assert list(folder.iterdir()) == [], "nothing is left of it"
        return problem, taken


def code(result: Upload | RequestProblem) -> tuple[int, str] | None:
    return (result.status, result.code) if isinstance(result, RequestProblem) else None


def test_a_form_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [("../é.csv", bytes(range(100))), ("b", b"b" * 50), ("", b"")]
    body = form(files, [("player", "Ann"), ("player", "Bob"), ("level", ""), ("", "x")])["body"]
    for piece in (1 << 20, 7):  # kept in memory until it is written, or written at once
        monkeypatch.setattr(uploads, "_PIECE", piece)
        for step in (len(body), 1):
            pieces = [body[at : at + step] for at in range(0, len(body), step)]
            upload, taken = receive(tmp_path / "in", pieces)
            assert isinstance(upload, Upload)
            assert taken == len(pieces)
            assert (upload.files, upload.size) == ([("é.csv", 100), ("b", 50)], 150)
            assert upload.fields == {"player": ["Ann", "Bob"], "level": [""]}
            assert upload.folder == tmp_path / "in" / upload.id
            assert upload.folder.stat().st_mode & 0o777 == 0o700
            stored = {path.name: path.read_bytes() for path in upload.folder.iterdir()}
            assert stored == {f"{n:04d}": data for n, (_, data) in enumerate(files[:2])}
            upload.discard()
            assert list((tmp_path / "in").iterdir()) == []


def sized(*sizes: int) -> bytes:
    """A form of files that have so many bytes."""
    return bytes(form([(f"{n}.csv", b"x" * size) for n, size in enumerate(sizes)])["body"])


def filled(*fields: tuple[str, int]) -> bytes:
    """A form of fields whose values have so many letters."""
    return bytes(form([], [(name, "x" * size) for name, size in fields])["body"])


DISPOSITION = b"--x\r\nContent-Disposition: form-data; "
WRONG: list[tuple[str, bytes, tuple[int, str] | None]] = [
    ("application/json", b"{}", (415, "bad_form")),
    ("", b"hello", (415, "bad_form")),
    ("multipart/form-data", b"--x", (415, "bad_form")),
    ("multipart/mixed; boundary=x", b"--x", (415, "bad_form")),
    (f"{MULTIPART}{'x' * 200}", b"--" + b"x" * 201 + b"--\r\n", (400, "bad_form")),
    (f"{MULTIPART}{'x' * 199}", b"--" + b"x" * 200 + b"--\r\n", None),
    (MULTIPART, sized(100, 50), None),
    (MULTIPART, sized(101), (413, "too_large")),
    (MULTIPART, sized(100, 51), (413, "too_large")),
    (MULTIPART, sized(1, 1, 1), None),
    (MULTIPART, sized(1, 1, 1, 1), (413, "too_many_files")),
    (MULTIPART, filled(("a", 4096)), None),
    (MULTIPART, filled(("a", 4097)), (413, "bad_form")),
    (MULTIPART, filled(*[("a", 1)] * 64), None),
    (MULTIPART, filled(*[("a", 1)] * 65), (413, "bad_form")),
    (MULTIPART, filled(*((f"a{n}", 1) for n in range(65))), (413, "bad_form")),
    (MULTIPART, b"not a part at all", (400, "bad_form")),
    (MULTIPART, b"", (400, "bad_form")),
    (MULTIPART, form([("a", b"x")], end="")["body"], (400, "bad_form")),
    (MULTIPART, DISPOSITION + b'name="file"; filename="a"\r\n\r\nx\r\n--x--', (422, "bad_form")),
    (MULTIPART, DISPOSITION + b'name="other"; filename=""\r\n\r\n\r\n--x--', (422, "bad_form")),
    (MULTIPART, DISPOSITION + b'name="a"\r\n\r\n\xff\r\n--x--', (422, "bad_form")),
    (MULTIPART, b"--x\r\nA: " + b"b" * 4095 + b"\r\n\r\n\r\n--x--\r\n", None),
    (MULTIPART, b"--x\r\nA: " + b"b" * 4096 + b"\r\n\r\n\r\n--x--\r\n", (400, "bad_form")),
    (URLENCODED, b"player=" + b"a" * 4096, None),
    (URLENCODED, b"player=" + b"a" * 4097, (413, "bad_form")),
    (URLENCODED, b"&".join(b"a=" for _ in range(64)), None),
    (URLENCODED, b"&".join(b"a=" for _ in range(65)), (413, "bad_form")),
    (URLENCODED, b"&" * 16_384, None),
    (URLENCODED, b"&" * 16_385, (413, "bad_form")),
    (URLENCODED, b"player=%FF", (422, "bad_form")),
    (URLENCODED, b"player=\xff", (422, "bad_form")),
]  # fmt: skip


def test_forms(tmp_path: Path) -> None:
    for number, (kind, body, expected) in enumerate(WRONG):
        result, _ = receive(tmp_path / f"{number}", body, kind)
        assert code(result) == expected, (kind, body[:100])
    named, _ = receive(tmp_path / "named", sized(101))
    assert getattr(named, "file", "") == "0.csv"


def test_a_body_is_measured_before_and_while_it_comes(tmp_path: Path) -> None:
    body = form([("a", b"x" * 100)])["body"]
    after = b" " * (WHOLE - len(body))  # of what follows the form nothing is kept
    for pieces, length, expected, number in (
        ([body], str(WHOLE), None, 1), ([body], f"{WHOLE + 1}", (413, "too_large"), 0),
        ([body], "many", None, 1), ([body, after], None, None, 2),
        ([body, after, b"x"], None, (413, "too_large"), 3),
    ):  # fmt: skip
        result, taken = receive(tmp_path / f"{length}{len(pieces)}", pieces, length=length)
        assert (code(result), taken) == (expected, number)


def test_a_body_that_stops_coming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = form([("a", b"x" * 100)])["body"]
    for name in ("idle_seconds", "upload_seconds"):
        slow = {**LIMITS, "idle_seconds": 600, "upload_seconds": 600, name: 0.01}
        result, taken = receive(tmp_path, [body[:50], b"", body[50:]], limits=slow)
        assert (code(result), taken) == ((408, "too_slow"), 1)
    dead = {**LIMITS, "upload_seconds": 1e-9}  # what is there at once still comes in
    assert code(receive(tmp_path, [body[:50], body[50:]], limits=dead)[0]) is None
    # Who is refused is still heard: who is busy sending does not read an answer.
    pieces = [form([("a", b"x" * 101)])["body"], *[b"y" * 10] * 5]
    assert receive(tmp_path / "in", pieces)[1] == 6
    monkeypatch.setattr(uploads, "_DRAINED", 20)
    assert receive(tmp_path / "in", pieces)[1] == 4
    monkeypatch.setattr(uploads, "_PATIENCE", 0.01)
    monkeypatch.setattr(uploads, "_DRAINED", 1 << 30)
    assert receive(tmp_path / "in", [pieces[0], b"y", b"", b"y"])[1] == 2


def test_names_that_are_no_names() -> None:
    names = {
        "../../../etc/cron.d/evil.csv": "evil.csv", "..\\..\\evil.csv": "evil.csv",
        "C:\\x\\evil.csv": "evil.csv", "evil\x00.csv": "evil .csv",
        "evil\n\x1b[31m.csv": "evil  [31m.csv", "\u202eevil.csv": "evil.csv",
        "e\u0301.csv": "é.csv", **dict.fromkeys(("", ".", "..", "/", "a/..", " "), "file"),
        "a/b/": "b", "a" * 16 + ".csv": "a" * 16 + ".csv", "a" * 17 + ".csv": "a" * 15 + "….csv",
        "a" * 30 + ".12345678": "a" * 10 + "….12345678", "a" * 30 + ".123456789": "a" * 19 + "…",
        "a" * 30: "a" * 19 + "…", "<script>x</script>.csv": "script>.csv",
    }  # fmt: skip
    assert {name: file_label(name, 20) for name in names} == names


def bomb(size: int, *, lies: bool = False) -> bytes:
    """So many bytes of nothing; its list may say that they are few."""
    data = bytearray(packed({"a.sgf": b"(;GM[1]C[" + b"a" * size + b"])"}))
    if lies:
        place = data.rfind(b"PK\x01\x02")
        data[place + 24 : place + 28] = struct.pack("<I", 100)
    return bytes(data)


def encrypted() -> bytes:
    data = bytearray(packed({"a.sgf": SGF}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.rfind(mark) + place] |= 1
    return bytes(data)


def with_link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo("link.sgf")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    return out.getvalue()


def overlapping() -> bytes:
    """Many entries of a list that all stand for the same bytes."""
    data = packed({"a.sgf": b"(;GM[1]" + b";B[aa]" * 20_000 + b")"})
    start, end = data.rfind(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    entry, tail = data[start:end], bytearray(data[end:])
    tail[8:12] = struct.pack("<HH", 40, 40)
    tail[12:16] = struct.pack("<I", 40 * len(entry))
    return data[:start] + entry * 40 + bytes(tail)


def many(number: int) -> bytes:
    return packed({f"{each}.csv": small_results() for each in range(number)})


FOREIGN = {
    b"\x7fELF\x02": "a program", b"MZ": "a program", b"%PDF-1": "a PDF document",
    b"\x89PNG\r\n": "a picture", b"\xff\xd8\xff": "a picture", b"GIF89a": "a picture",
    b"Rar!": "a RAR archive: pack it as zip", b"7z\xbc\xaf": "a 7z archive: pack it as zip",
    b"SQLite format 3\0": "a database: export it as CSV",
    b"PAR1": "a Parquet file: export it as CSV",
}  # fmt: skip
UNKNOWN = (415, "unknown_format")
#: A file, and its format or why it is refused, after so many files in other archives.
FILES: list[tuple[Any, ...]] = [
    ("a.sgf", SGF, ("sgf", {"sgf": 1})),
    ("a.sgf.gz", gzip.compress(SGF), ("sgf", {"sgf": 1})),
    ("a.zip", packed({"a.sgf": SGF, "b.csv": small_results(), "c": b"hi"}),
     ("zip", {"sgf": 1, "csv": 1, "": 1})),
    ("a.sgf", b"", (422, "empty")),
    ("a.sgf", b" \n\n ", (422, "empty")),
    *[("a.csv", head + bytes(100), UNKNOWN) for head in FOREIGN],
    ("a.pgn", bytes(range(256)) * 20, UNKNOWN),
    ("a.txt", b"Dear Sir or Madam\nhow strong am I\n", UNKNOWN),
    ("a.sgf", b"(;GM[3]PB[a])", UNKNOWN),
    ("a.zip", bomb(1_000_000), (422, "bad_archive")),
    ("a.zip", bomb(200_000), ("zip", {"sgf": 1})),
    ("a.zip", bomb(1_000_000, lies=True), (422, "damaged")),
    ("a.zip", overlapping(), (422, "bad_archive")),
    ("a.zip", many(50), ("zip", {"csv": 50})),
    ("a.zip", many(51), (422, "bad_archive")),
    ("a.zip", many(30), ("zip", {"csv": 30}), 20),
    ("a.zip", many(30), (422, "bad_archive"), 21),
    ("a.zip", many(30), (422, "bad_archive"), 99),
    ("a.zip", encrypted(), (422, "encrypted")),
    ("a.zip", packed({"inner.zip": many(1)}), (422, "nested_archive")),
    ("a.zip", packed({"inner.zip": many(1), "x": b"hi"}), (422, "nested_archive")),
    ("a.zip", packed({"x": b"hi"}), (422, "nothing_usable")),
    ("a.zip", packed({}), (422, "nothing_usable")),
    ("a.zip", many(1)[:-30], (422, "bad_archive")),
    ("a.zip", with_link(), (422, "nothing_usable")),
    ("a.sgf.gz", gzip.compress(SGF)[:12], (422, "damaged")),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(FILES)))
def test_what_files_are(tmp_path: Path, number: int) -> None:
    name, data, expected, *before = FILES[number]
    path = tmp_path / "0000"
    path.write_bytes(data)
    limits = Limits(zip_entries=50)
    if isinstance(expected[0], str):
        found, within = look(path, name, limits, *before)
        assert (found, dict(within)) == expected
        assert path.with_suffix(".zip").exists() == (found == "zip")
        return
    with pytest.raises(RequestProblem) as result:
        look(path, name, limits, *before)
    problem = result.value
    assert (problem.status, problem.code, problem.file) == (*expected, name)
    what = next((what for head, what in FOREIGN.items() if data.startswith(head)), "")
    assert what in problem.message
    assert str(tmp_path) not in json.dumps(problem.as_dict())


def unpacked(
    folder: Path, files: list[tuple[str, bytes, str]], **more: Any
) -> tuple[list[str] | tuple[int, str], list[str]]:
    """Names of the files that come out, or why none does, and what is skipped."""
    sent, out = folder / "sent", folder / "out"
    sent.mkdir()
    out.mkdir()
    rows, skipped = [], SkipReport()
    for number, (name, data, kind) in enumerate(files):
        (sent / f"{number:04d}{'.zip' if kind == 'zip' else ''}").write_bytes(data)
        rows.append({"name": name, "size": len(data), "format": kind, "reason": "odd"})
    try:
        made = unpack(sent, rows, ("csv",), out, Limits(**more), skipped)
    except RequestProblem as problem:
        return (problem.status, problem.code), []
    assert [each.path for each in made] == sorted(out.iterdir())
    names = [f"{each.path.name} {each.name}" for each in made if each.path is not None]
    return names, list(map(str, skipped.details))


CSV = small_results()  # of 4 games, 54 bytes


def test_files_are_unpacked_under_numbers(tmp_path: Path) -> None:
    within = {"../../tmp/evil.csv": CSV, "x.zip": many(1), "y.sgf": SGF, "z": b"hi"}
    files = [("u", b"x", "unknown"), ("r.csv.gz", gzip.compress(CSV), "csv"),
             ("a.zip", packed(within), "zip")]  # fmt: skip
    names, skipped = unpacked(tmp_path, files)
    assert names == ["000000.csv r.csv", "000001.csv a.zip/evil.csv"]
    assert skipped == ["u: odd", "a.zip/x.zip: an archive within an archive is not opened",
                       "a.zip/y.sgf: not of the kind that is wanted",
                       "a.zip/z: no file of games"]  # fmt: skip
    assert not list(tmp_path.parent.rglob("evil.csv"))


@pytest.mark.parametrize(
    ("files", "limits", "expected"),
    [
        ([CSV], {"unpacked_bytes": len(CSV)}, 1),
        ([CSV, CSV], {"unpacked_bytes": 2 * len(CSV)}, 2),
        ([CSV, CSV], {"unpacked_bytes": 2 * len(CSV) - 1}, (413, "too_large")),
        ([CSV + b"\n" * (400 - len(CSV)), CSV], {"file_bytes": 100}, 2),
        ([CSV + b"\n" * (401 - len(CSV)), CSV], {"file_bytes": 100}, 1),
        ([CSV + b"\n" * (401 - len(CSV))], {"file_bytes": 100}, (422, "nothing_usable")),
        ([SGF], {}, (422, "nothing_usable")),
        ([many(30), many(20)], {"zip_entries": 50}, 50),
        ([many(30), many(21)], {"zip_entries": 50}, "more than 20 files"),
        ([bomb(5_000_000)], {}, "expand to more than 100 times"),
        ([gzip.compress(CSV + b"\n" * 1_000_000), CSV], {}, 2),
        ([gzip.compress(CSV + b"\n" * 3_000_000)], {}, "expands to more than 100 times"),
    ],
)
def test_what_is_unpacked(tmp_path: Path, files: list[bytes], limits: Any, expected: Any) -> None:
    named = []
    for number, data in enumerate(files):
        kind = "zip" if data.startswith(b"PK") else "csv"
        named.append((f"{number}.{kind}", data, kind))
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected) as result:
            unpacked(tmp_path, named, **limits)
        assert result.value.file == named[-1][0]
        return
    names, skipped = unpacked(tmp_path, named, **limits)
    assert (len(names) if isinstance(names, list) else names) == expected
    if expected == 1 and len(files) == 2:
        assert skipped == ["0.csv: too long when unpacked"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    limits = {"matches": 1, "go_games": 3, "go_moves": 700, "results_games": 500,
              "results_players": 20, "queue_client": 1000, "zip_entries": 50}  # fmt: skip
    with site(tmp_path_factory.mktemp("hostile"), limits) as result:
        yield result


GAMES = [b"(;GM[1]PB[A]PW[B];B[aa];W[bb])", b"(;GM[1]PB[A]PW[B]" + b";B[aa];W[bb]" * 351 + b")"]
HEAD = b"white,black,score\n"
#: Files that are taken, and the code with which their job fails; '' if it may end in any way.
JOBS: list[tuple[str, bytes, str]] = [
    ("a.sgf", GAMES[0] * 4, "too_many_games"),
    ("a.sgf", GAMES[1], "too_many_games"),
    ("a.zip", packed({"a.mat": MATCH, "b.mat": MATCH}), "too_many_games"),
    ("a.csv", HEAD + b"".join(b"p%d,q%d,1\n" % (i, i) for i in range(11)), "too_many_players"),
    ("a.csv", HEAD + b"A,B,1\n" * 501, "too_many_games"),
    ("a.sgf", b"(;GM[1]SZ[999999999]PB[a]PW[b];B[aa])", "input"),
    ("a.csv", b"a,b,c\n1,2,3\n", "input"),
    ("a.sgf", b"(;GM[1]" * 20_000, ""),
    ("a.sgf", b"(;GM[1];B[aa]" + b"(;W[bb]" * 10_000, ""),
    ("a.mat", b" 5 point match\n\n", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "expected"), JOBS)
def test_jobs_of_hostile_files(made: Site, name: str, data: bytes, expected: str) -> None:
    job, settings = made.done([(name, data)]), made.worker.settings
    if expected:
        assert (job["status"], job["error"]["code"]) == ("failed", expected)
        assert upkeep.state(made.store)["uploads"] == 0
    assert job["status"] in ("failed", "done", "needs_player")
    assert "internal" not in json.dumps(job["error"])
    assert str(settings.data) not in json.dumps(job)
    assert made.ask(job["url"], "DELETE").status == 204
    assert not list(settings.data.glob("work/*"))
    assert not list(settings.uploads.iterdir())
