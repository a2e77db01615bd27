"""Hostile uploads: each is refused with a clear message, and none does any harm."""

from __future__ import annotations

import gzip
import io
import json
import socket
import struct
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.web.serving import SGF, Server, packed, serving, small_results
from yardstone.web.sent_files import file_label

LIMITS = {
    "file_bytes": 200_000,
    "request_bytes": 500_000,
    "files": 12,
    "zip_entries": 50,
    "unpacked_bytes": 1_000_000,
    "idle_seconds": 1,
    "go_games": 3,
    "go_moves": 700,
    "results_games": 500,
    "results_players": 20,
    "queue_client": 1000,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("hostile"), LIMITS) as result:
        yield result


def bomb() -> bytes:
    """40 MB of nothing, in 40 kB."""
    return packed({"a.sgf": b"(;GM[1]C[" + b"a" * 40_000_000 + b"])"})


def lying_bomb() -> bytes:
    """The same, but its list says that it is small."""
    data = bytearray(bomb())
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
    start = data.rfind(b"PK\x01\x02")
    end = data.rfind(b"PK\x05\x06")
    entry = data[start:end]
    tail = bytearray(data[end:])
    tail[8:12] = struct.pack("<HH", 40, 40)
    tail[12:16] = struct.pack("<I", 40 * len(entry))
    return data[:start] + entry * 40 + bytes(tail)


many = packed({f"{number}.sgf": b"(;GM[1];B[aa])" for number in range(51)})
games = b"".join(b"(;GM[1]PB[A]PW[B];B[aa];W[bb])" for _ in range(4))
long_game = b"(;GM[1]PB[A]PW[B]" + b";B[aa];W[bb]" * 400 + b")"
nested = packed({"inner.zip": packed({"a.sgf": SGF})})
crowd = b"white,black,score\n" + b"".join(b"p%d,q%d,1\n" % (i, i) for i in range(30))
rows = b"white,black,score\n" + b"A,B,1\nB,A,1\n" * 300

#: What is sent, the status at once or of the job, and the code.
HOSTILE = {
    "an empty file": ("a.sgf", b"", "empty"),
    "blanks only": ("a.sgf", b" \n\n ", "empty"),
    "a program": ("a.sgf", b"\x7fELF\x02\x01\x01" + b"\0" * 100, "unknown_format"),
    "a picture": ("a.sgf", b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "unknown_format"),
    "random bytes": ("a.pgn", bytes(range(256)) * 20, "unknown_format"),
    "prose": ("a.txt", b"Dear Sir or Madam\nhow strong am I\n", "unknown_format"),
    "chess in SGF": ("a.sgf", b"(;GM[3]PB[a])", "unknown_format"),
    "a database": ("a.csv", b"SQLite format 3\0" + b"\0" * 100, "unknown_format"),
    "a file too large": ("a.sgf", b"(;GM[1]" + b" " * 300_000, "too_large"),
    "a zip bomb": ("a.zip", bomb(), "bad_archive"),
    "a zip bomb that lies": ("a.zip", lying_bomb(), "damaged"),
    "a gzip bomb": ("a.sgf.gz", gzip.compress(b"(;GM[1]C[" + b"a" * 40_000_000), "job:too_large"),
    "overlapping entries": ("a.zip", overlapping(), "bad_archive"),
    "too many entries": ("a.zip", many, "bad_archive"),
    "an encrypted zip": ("a.zip", encrypted(), "encrypted"),
    "a zip in a zip": ("a.zip", nested, "nested_archive"),
    "a zip that breaks off": ("a.zip", packed({"a.sgf": SGF})[:-30], "bad_archive"),
    "a link in a zip": ("a.zip", with_link(), "nothing_usable"),
    "an empty zip": ("a.zip", packed({}), "nothing_usable"),
    "a gzip that breaks off": ("a.sgf.gz", gzip.compress(SGF)[:12], "damaged"),
    "too many games": ("a.sgf", games, "job:too_many_games"),
    "too many moves": ("a.sgf", long_game, "job:too_many_games"),
    "too many players": ("a.csv", crowd, "job:too_many_players"),
    "too many results": ("a.csv", rows, "job:too_many_games"),
    "an SGF without end": ("a.sgf", b"(;GM[1]" * 20_000, "job:"),
    "deep variations": ("a.sgf", b"(;GM[1];B[aa]" + b"(;W[bb]" * 10_000, "job:"),
    "an SGF of a huge board": ("a.sgf", b"(;GM[1]SZ[999999999]PB[a]PW[b];B[aa])", "job:input"),
    "a match without games": ("a.mat", b" 5 point match\n\n", "job:"),
    "a table without results": ("a.csv", b"a,b,c\n1,2,3\n", "job:input"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files(server: Server, what: str) -> None:
    name, data, code = HOSTILE[what]
    begun = time.monotonic()
    answer = server.send([(name, data)])
    if code.startswith("job:"):
        assert answer.status_code == 202, answer.text
        job = server.done(answer.json()["id"])
        if code == "job:":  # whatever it makes of it, it comes to an end
            assert job["status"] in ("done", "failed", "needs_player")
            error = job["error"] or {"message": "none", "code": ""}
            server.request("DELETE", f"/api/jobs/{job['id']}")
        else:
            assert job["status"] == "failed", job
            error = job["error"]
    else:
        assert 400 <= answer.status_code < 500, answer.text
        error = answer.json()["error"]
    assert code.removeprefix("job:") in error["code"]
    assert error["message"]
    assert "internal" not in error["code"]
    assert str(server.settings.data) not in json.dumps(error)
    assert not server.uploads()
    assert not list(server.settings.data.glob("work/*"))
    assert time.monotonic() - begun < 20.0


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../../etc/cron.d/evil.csv", "evil.csv"),
        ("..\\..\\evil.csv", "evil.csv"),
        ("/etc/passwd.csv", "passwd.csv"),
        ("C:\\x\\evil.csv", "evil.csv"),
        ("evil\x00.csv", "evil .csv"),
        ("evil\n\x1b[31m.csv", "evil  [31m.csv"),
        ("\u202eevil.csv", "evil.csv"),
        ("..", "file"),
        ("a" * 500 + ".csv", "a" * 115 + "….csv"),
        ("<script>alert(1)</script>.csv", "script>.csv"),
        ("<img src=x onerror=alert(1)>.csv", "<img src=x onerror=alert(1)>.csv"),
    ],
)
def test_names_that_are_no_names(name: str, shown: str) -> None:
    assert file_label(name, 120) == shown


def test_names_in_an_archive_lead_nowhere(server: Server) -> None:
    archive = packed({"../../../../tmp/yardstone-evil.csv": small_results()})
    job = server.done(server.accepted([("a.zip", archive)]))
    assert job["status"] == "done"
    assert not Path("/tmp/yardstone-evil.csv").exists()


def raw(server: Server, request: bytes, *, pause: float = 0.0) -> str:
    """What the server answers to bytes that no client would send."""
    place = urlsplit(server.url)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=20.0) as line:
        line.sendall(request)
        time.sleep(pause)
        answer = b""
        while piece := line.recv(65536):
            answer += piece
            if b"\r\n\r\n" in answer and answer.rstrip().endswith(b"}"):
                break
    return answer.decode("utf-8", "replace")


def form(name: bytes, data: bytes, *, length: int | None = None, end: bytes = b"--\r\n") -> bytes:
    body = (
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="' + name + b'"\r\n\r\n'
        + data + b"\r\n--x" + end
    )  # fmt: skip
    size = len(body) if length is None else length
    return (
        b"POST /api/jobs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\n"
        b"Content-Length: %d\r\n\r\n" % size
    ) + body


def test_a_name_with_a_path_reaches_no_other_folder(server: Server) -> None:
    answer = raw(server, form(b"../../../evil.csv", small_results()))
    assert " 202 " in answer.splitlines()[0]
    job = json.loads(answer.partition("\r\n\r\n")[2])
    result = server.done(job["id"])
    assert result["files"][0]["name"] == "evil.csv"
    assert not list(server.settings.data.parent.rglob("evil.csv"))


def test_a_form_that_breaks_off(server: Server) -> None:
    answer = raw(server, form(b"a.csv", small_results(), end=b""))
    assert " 400 " in answer.splitlines()[0]
    assert "bad_form" in answer


def test_a_body_that_stops_coming(server: Server) -> None:
    answer = raw(server, form(b"a.csv", small_results(), length=100_000), pause=1.2)
    assert " 408 " in answer.splitlines()[0]
    assert not server.uploads()


def test_a_body_that_is_announced_too_long(server: Server) -> None:
    answer = raw(server, form(b"a.csv", b"x", length=10**12))
    assert " 413 " in answer.splitlines()[0]


def test_a_body_that_is_too_long_without_saying_so(server: Server) -> None:
    head = (
        b"POST /api/jobs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        b"Connection: close\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n"
    )
    part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
    chunk = b"a" * 100_000
    body = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in (part, *[chunk] * 8))
    answer = raw(server, head + body + b"0\r\n\r\n")
    assert " 413 " in answer.splitlines()[0]
    assert "too_large" in answer


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("application/json", b"{}"),
        ("text/plain", b"hello"),
        ("multipart/form-data", b"--x"),
        ("multipart/form-data; boundary=" + "x" * 500, b"--x"),
        ("multipart/form-data; boundary=x", b"not a part at all"),
        ("multipart/form-data; boundary=x", b"--x\r\nA" + b"b" * 9000 + b": c\r\n\r\n"),
        ("multipart/form-data; boundary=x", b""),
        ("application/x-www-form-urlencoded", b"player=" + b"a" * 9000),
        ("application/x-www-form-urlencoded", b"&".join(b"a=b" for _ in range(200))),
        ("application/x-www-form-urlencoded", b"player=Ann"),
    ],
)
def test_forms_that_are_no_forms(server: Server, head: str, body: bytes) -> None:
    answer = server.request("POST", "/api/jobs", data=body, headers={"Content-Type": head})
    assert answer.status_code in (400, 413, 415, 422), answer.text
    assert answer.json()["error"]["message"]
    assert not server.uploads()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"&".join(b"a=b" for _ in range(200)), 413),
        (b"player=" + b"a" * 9000, 413),
        (b"player=%FF", 422),
        (b"player=\xff", 422),
    ],
)
def test_forms_of_a_page_that_are_no_forms(server: Server, body: bytes, status: int) -> None:
    job = server.accepted([("r.csv", small_results())])
    server.done(job)  # nothing waits for the tests after this one
    head = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = server.request("POST", f"/r/{job}/player", data=body, headers=head)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"] == "bad_form"


def test_too_many_files(server: Server) -> None:
    answer = server.send([("a.csv", small_results())] * 13)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_many_files"


def test_many_archives_share_one_limit(server: Server) -> None:
    archive = packed({f"{number}.csv": small_results() for number in range(30)})
    files = [(f"{number}.zip", archive) for number in range(3)]
    job = server.done(server.accepted(files))
    assert [file["format"] for file in job["files"]] == ["zip", "unknown", "unknown"]
    assert job["result"]["games"] == 30 * 4
    assert job["skipped_total"] == 2


def test_too_much_in_all(server: Server) -> None:
    answer = server.send([("a.csv", b"a,b,c\n" * 30_000)] * 3)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"


def test_a_file_under_another_name_of_the_form(server: Server) -> None:
    answer = server.session.post(server.url + "/api/jobs", files={"file": ("a.sgf", SGF)})
    assert answer.status_code == 422
    assert "'files'" in answer.json()["error"]["message"]


def test_scripts_in_player_names_stay_text(server: Server) -> None:
    evil = '<script>alert("x")</script>'
    job = server.done(server.accepted([("r.csv", small_results(evil.replace('"', "'"), "Bob"))]))
    assert job["status"] == "done"
    answer = server.get(f"/api/jobs/{job['id']}")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    page = server.get(f"/r/{job['id']}", headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "alert(" in page.text


def test_big_bodies_elsewhere(server: Server) -> None:
    answer = server.request("PUT", "/api/jobs/abcdefghijk/player", data=b"x" * 100_000)
    assert answer.status_code == 413
