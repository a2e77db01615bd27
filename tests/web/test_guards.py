"""What holds for every request: headers, sizes, floods, proxies, hosts, keys, sessions, the log."""

from __future__ import annotations

import json
import logging
import re
import socket
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import uvicorn
from fastapi import FastAPI
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from starlette.datastructures import URL
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from tests.needed import program
from tests.web import sites
from tests.web.asking import FORM, Answer, ask, form
from tests.web.desks import PASSWORD, copied, signed_in
from tests.web.serving import listening, settings_for, small_results
from tests.web.sites import HTML
from tests.web.tables import Clock, refused
from yardstone.errors import InputError, UsageError
from yardstone.web import middleware
from yardstone.web.database import jobs
from yardstone.web.desk import sessions as desk_sessions
from yardstone.web.desk.app import DeskSettings, desk_configuration, make_desk
from yardstone.web.desk.sessions import readable_secret
from yardstone.web.middleware import (
    Metrics,
    Places,
    RateLimit,
    RequestFrame,
    configured,
    visitor_mark,
)
from yardstone.web.problems import DatabaseAway, refusal
from yardstone.web.server import make_app
from yardstone.web.settings import JsonLines, Limits, SiteSettings
from yardstone.web.store import key_mark, remember_key, sent_key
from yardstone.web.upkeep import state

#: What every answer says.
STRICT = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Robots-Tag": "noindex, nofollow",
}
JOB = "/api/jobs/abcdefgh"
Site = Callable[..., FastAPI]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Makes applications for which no time passes."""
    made: list[FastAPI] = []
    for place in (middleware, desk_sessions):
        monkeypatch.setattr(place, "RateLimit", partial(RateLimit, clock=lambda: 0.0))

    def new(limits: Any = None, **more: Any) -> FastAPI:
        made.append(make_app(settings_for(tmp_path / f"site{len(made)}", limits, **more)))
        return made[-1]

    yield new
    for app in made:
        app.state.service.store.close()


@pytest.fixture
def desk(tmp_path: Path, site: Site) -> Site:
    return lambda **more: make_desk(DeskSettings(file=copied(tmp_path), **more))


def sent(app: FastAPI, *, headers: Mapping[str, str] = {}, **more: Any) -> Answer:
    """Send some results."""
    whole = form([("r.csv", small_results())])
    headers = {**whole["headers"], **headers}
    return ask(app, "/api/jobs", "POST", body=whole["body"], headers=headers, **more)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_strict_headers_everywhere(site: Site, desk: Site) -> None:
    app = site({"requests_minute": 9}, allowed_hosts="127.0.0.1")
    paths = "/ /health /nowhere /static/yardstone.css /api/limits /api/openapi.json"
    asked = [ask(app, path) for path in (*paths.split(), "/api/jobs/abcdefg")]
    asked += [ask(app, headers={"Host": "evil.example"}), ask(app, "/api/limits", "PATCH")]
    asked += [ask(app, "/api/jobs/abcdefgh/player", "PUT", body=bytes(70_000))]
    asked += [ask(app) for _ in range(3)]
    statuses = {answer.status for answer in asked}
    assert statuses == {200, 400, 404, 405, 413, 422, 429, 503}
    helpers = desk(password=PASSWORD)
    asked += [ask(helpers, path) for path in ("/", "/nowhere", "/sign-in", "/static/desk.js")]
    for answer in asked:
        assert {name: answer.headers.get(name) for name in STRICT} == STRICT
        for name in ("Set-Cookie", "Server", "Access-Control-Allow-Origin"):
            assert name not in answer.headers
        assert "Strict-Transport-Security" not in answer.headers
    fresh = site()
    kept = {"/api/limits": "no-store", "/nowhere": "no-store", "/": "public, max-age=300",
            "/static/yardstone.css": "no-cache"}  # fmt: skip
    asked_for = {path: ask(fresh, path, headers=HTML).headers["Cache-Control"] for path in kept}
    assert asked_for == kept
    for scheme, proto, client, over_tls in (
        ("https", "", "192.0.2.1", True), ("http", "https", "127.0.0.1", True),
        ("http", "https", "192.0.2.1", False), ("http", "http", "127.0.0.1", False),
    ):  # fmt: skip
        answer = ask(fresh, headers={"X-Forwarded-Proto": proto}, scheme=scheme, client=client)
        told = answer.headers.get("Strict-Transport-Security")
        assert told == ("max-age=31536000" if over_tls else None)
    # Nothing but the files of pages is served.
    names = ("../app.py", "..%2frender.py", "/etc/passwd", "nothing.css")
    assert {ask(fresh, f"/static/{name}").status for name in names} == {404}


def test_the_path_of_a_proxy_may_be_left_on_or_off() -> None:
    seen: list[tuple[str, str]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope["path"], scope["root_path"]))
        await Response()(scope, receive, send)

    for root, path in (("/s", "/s/x"), ("/s", "/s"), ("/s", "/x"), ("/s", "/sx"), ("", "/x")):
        ask(RequestFrame(app, root), path)
    assert seen == [("/s/x", "/s"), ("/s", "/s"), ("/s/x", "/s"), ("/s/sx", "/s"), ("/x", "")]


def test_bodies_have_an_end(site: Site, desk: Site) -> None:
    most = 65_536
    bodies: list[tuple[Any, int]] = [(bytes(most), 422), (bytes(most + 1), 413)]
    bodies.append(([bytes(most), b"x"], 413))
    for root in ("", "/s"):
        app = site(root_path=root)
        for body, status in bodies:
            assert ask(app, f"{root}{JOB}/player", "PUT", body=body).status == status
        for place in "jobs batches estimates ratings backgammon".split():
            answer = ask(app, f"{root}/api/{place}", "POST", body=bytes(most + 1))
            assert answer.code == (415, "bad_form"), "it counts by itself what it receives"
    made = desk(password=PASSWORD)
    cookie, key = signed_in(made)
    for size, status in ((2 << 20, 303), ((2 << 20) + 1, 413)):
        body = f"key={key}&line=".encode()
        body += b"x" * (size - len(body))
        answer = ask(made, "/settings", "POST", body=body, headers={**FORM, "Cookie": cookie})
        assert answer.status == status
    for path, number, field, status in (
        ("/settings", 4000, ("key", key), 303), ("/settings", 4001, ("key", key), 400),
        ("/sign-in", 8, ("password", "x"), 403), ("/sign-in", 9, ("password", "x"), 400),
    ):  # fmt: skip
        whole = form([], [field] * number)
        headers = {**whole["headers"], "Cookie": cookie}
        assert ask(made, path, "POST", body=whole["body"], headers=headers).status == status


def test_tokens_come_back_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(0.0)
    limit = RateLimit(2, clock=clock)
    for now, waits in (
        (0.0, [None, None, 30, 30]),  # who is refused loses nothing
        (10.0, [20]), (29.75, [1]), (30.0, [None, 30]),
        (1000.0, [None, None, 30]),  # no more than all of them come back
    ):  # fmt: skip
        clock.now = now
        told = [refused(limit.check, "ann") for _ in waits]
        assert [each and each[2] for each in told] == waits
    monkeypatch.setattr(middleware, "_REMEMBERED", 2)
    for name in ("bob", "eve", "bob"):
        limit.check(name)
    assert list(limit._buckets) == ["eve", "bob"], "the longest unseen is forgotten"
    hourly = RateLimit(2, "imports_hour", 3600.0, clock)
    told = [refused(hourly.check, "ann") for _ in range(3)]
    assert told == [None, None, (429, "imports_hour", 1800)]


def test_a_visitor_who_floods_is_told_to_wait(site: Site) -> None:
    app = site({"requests_minute": 6, "posts_minute": 2})
    cancel = f"{JOB}/cancel"
    asked = [("GET", "/", 200), ("OPTIONS", "/", 405), ("POST", cancel, 404),
             ("DELETE", cancel, 405), ("PUT", cancel, 429), ("HEAD", "/", 200),
             ("HEAD", "/", 429)]  # fmt: skip
    for method, path, status in asked:
        assert ask(app, path, method).status == status
    late = ask(app, "/api/limits")
    assert (late.code, late.headers["Retry-After"]) == ((429, "too_many_requests"), "10")
    for path, status in (("/health", 503), ("/metrics", 200), ("/static/icon.svg", 200)):
        assert [ask(app, path).status for _ in range(7)] == [status] * 7, path
    assert ask(app, client="192.0.2.7").status == 200


def test_places_are_given_back(site: Site, desk: Site) -> None:
    places, limits = Places(), Limits(streams=3, streams_client=2)
    app = site({"uploads": 3, "uploads_client": 2})
    service = app.state.service
    nothing: Any = iter(())

    def stream(client: str) -> None:
        places.stream(client, limits, nothing, refusal("streams"))

    def upload(client: str) -> None:
        with service.place(client):
            pass

    with places.hold("ann"), places.hold("bob"):
        stream("ann")
        with places.hold("ann"):  # two of one visitor, and three in all
            assert {refused(stream, each) for each in ("ann", "eve")} == {(429, "streams", 10)}
    with service.place("ann"), service.place("ann"):
        assert refused(upload, "ann") == (429, "uploads_client", 5)
        assert refused(upload, "bob") is None
        with service.place("bob"):
            assert refused(upload, "eve") == (503, "uploads", 5)
    assert not places
    assert not service.receiving
    service.receiving["somebody"] += 3
    answer = sent(app)
    assert (answer.code, answer.taken) == ((503, "uploads"), 0)
    helpers = desk()
    helpers.state.service.streams["somebody"] += 600
    assert ask(helpers, "/events").code == (429, "streams")


def test_many_addresses_of_one_network_are_one_visitor() -> None:
    def mark(host: str | None, secret: bytes = b"s") -> str:
        client = None if host is None else (host, 1)
        return visitor_mark(Request({"type": "http", "client": client}), secret)

    alike = {"2001:db8:1:2::1": "2001:db8:1:2:ffff::9", "192.0.2.1": "::ffff:192.0.2.1",
             "fe80::1%eth0": "fe80::2", "": None}  # fmt: skip
    assert all(mark(one) == mark(other) for one, other in alike.items())
    others = ["2001:db8:1:2::1", "2001:db8:1:3::1", "192.0.2.1", "192.0.2.2", "no address", ""]
    assert len({*map(mark, others), mark("", b"t")}) == 7
    assert len(mark("")) == 24


def test_forwarded_addresses_count_from_trusted_proxies_only(site: Site) -> None:
    one, two = "192.0.2.1", "192.0.2.2"
    for trusted, first, second, same in (
        ("127.0.0.1", one, two, False),
        ("127.0.0.1", one, f"1.2.3.4, {one}", True),  # whatever stands before
        ("127.0.0.1", one, f"127.0.0.1, {one}", True),
        ("127.0.0.1", one, f"{one}, 192.0.2.9", False),
        ("10.0.0.0/8", one, two, True),
        ("", one, two, True),
    ):
        app = site({"requests_minute": 1, "queue_client": 1}, trusted_proxies=trusted)
        statuses = [ask(app, headers={"X-Forwarded-For": each}).status for each in (first, second)]
        assert statuses == [200, 429 if same else 200], (trusted, second)


def test_who_is_answered(site: Site, desk: Site) -> None:
    names = ("127.0.0.1", "localhost:8000", "evil.example", "localhost.evil.example")
    guarded, half = site(allowed_hosts="127.0.0.1,localhost"), [200, 200, 400, 400]
    open_to_all = (site(), [200] * 4), (desk(password=PASSWORD), [200] * 4)
    for app, statuses in ((guarded, half), (desk(), half), *open_to_all):
        assert [ask(app, headers={"Host": name}).status for name in names] == statuses
    clients = ("127.0.0.1", "10.9.9.9", "192.0.2.1", "nobody")
    for allowed, statuses in (("127.0.0.1,10.0.0.0/8", [200, 200, 404, 404]), ("", [404] * 4)):
        app = site(metrics_from=allowed)
        assert [ask(app, "/metrics", client=each).status for each in clients] == statuses
    app, three = site({"queue_client": 1}), ("2001:db8::1", "2001:db8::2", "192.0.2.1")
    answers = [sent(app, client=client) for client in three]
    codes = [(*answer.code, answer.taken) for answer in answers]
    full = (429, "queue_client", 0)  # nothing is read of who is refused
    assert codes == [(202, "", 1), full, (202, "", 1)], "one place in the line"


def test_errors_have_one_shape(site: Site) -> None:
    app = site()
    errors: dict[str, tuple[Exception, tuple[int, str], str | None]] = {
        "away": (DatabaseAway(), (503, "storage"), "5"),
        "sql": (OperationalError("SELECT secret", {}, Exception("secret")), (503, "storage"), "30"),
        "disk": (OSError(28, "full"), (503, "storage"), "30"),
        "input": (InputError("m", hint="h"), (422, "input"), None),
        "usage": (UsageError("m"), (422, "usage"), None),
        "teapot": (HTTPException(418), (418, "refused"), None),
        "broken": (ClientDisconnect(), (400, "broken_off"), None),
        "secret": (ValueError("/srv/secret"), (500, "internal"), None),
    }

    @app.get("/raise/{name}")
    def fail(name: str) -> None:
        raise errors[name][0]

    for name, (_, code, retry) in errors.items():
        answer = ask(app, f"/raise/{name}")
        assert (answer.code, answer.headers.get("Retry-After")) == (code, retry), name
        assert set(answer.json()["error"]) == {"code", "message", "hint", "file", "line"}
        assert b"secret" not in answer.body
    page = ask(app, "/raise/away", headers=HTML)
    assert (page.status, page.headers["Retry-After"], b"<h1" in page.body) == (503, "5", True)
    for method, path, status, word in (
        ("PATCH", "/api/jobs", 405, "not_allowed"), ("PUT", f"{JOB}/player", 422, "invalid"),
        ("GET", "/api/jobs/" + "x" * 65, 422, "invalid"),
        ("GET", "/api/jobs/" + "x" * 64, 404, "not_found"),
    ):  # fmt: skip
        answer = ask(app, path, method, headers=HTML)
        assert answer.code == (status, word), "programs are answered whatever they say they read"


def test_only_the_owner_changes_a_job(site: Site) -> None:
    app = site()
    made, second = (sent(app).json() for _ in range(2))
    url, page, key, other = made["url"], made["page"], made["owner"], second["owner"]
    acts = [("DELETE", url, b""), ("POST", f"{url}/cancel", b""), ("POST", f"{url}/retry", b""),
            ("PUT", f"{url}/player", b'{"player": "Ann"}'), ("POST", f"{page}/cancel", b""),
            ("POST", f"{page}/retry", b""), ("POST", f"{page}/delete", b""),
            ("POST", f"{page}/player", b"player=Ann")]  # fmt: skip
    wrong = [{}, bearer(other), bearer(""), {"Authorization": f"Basic {key}"}]
    wrong += [bearer(key_mark(key)), {"Cookie": f"yardstone_desk={key}"}]
    for headers in wrong:
        for method, path, body in acts:
            answer = ask(app, path, method, body=body, headers={**headers, **(
                {"Content-Type": "application/json"} if method == "PUT" else FORM)})  # fmt: skip
            assert answer.code == (403, "not_owner"), (headers, path)
    assert ask(app, url).json()["status"] == "queued"
    assert "owner" not in ask(app, url).json()
    assert ask(app, f"{page}/own/{other}").code == (403, "not_owner")
    link = ask(app, f"{page}/own/{key}")
    assert (link.status, link.headers["Location"]) == (303, page), "no key stays in the address"
    cookie = link.headers["Set-Cookie"]
    parts = {f"yardstone_owner={key}", f"Path={page}", "HttpOnly", "SameSite=lax"}
    assert {*cookie.split("; ")} == parts | {"Max-Age=2592000"}
    by_cookie = {"Cookie": cookie.partition(";")[0]}
    assert ask(app, f"{url}/cancel", "POST", headers=by_cookie).json()["status"] == "cancelled"
    assert ask(app, url, "DELETE", headers=bearer(key)).status == 204
    assert ask(app, url).code == (404, "not_found")
    for file in app.state.service.settings.data.glob("jobs.sqlite*"):
        assert key.encode() not in file.read_bytes(), "only a hash of it is kept"
    gone = ask(app, page.replace(made["id"], "x" * 24) + "/delete", "POST", headers=bearer(key))
    assert gone.code == (404, "not_found")
    ownerless = update(jobs).values(owner=None)  # as before jobs had owners
    app.state.service.store.database.write(lambda connection: connection.execute(ownerless))
    assert ask(app, f"{second['url']}/cancel", "POST").json()["status"] == "cancelled"
    assert ask(app, second["url"], "DELETE", headers=bearer(other)).code == (403, "no_owner")


def test_a_key_is_sent_as_a_header_or_a_cookie() -> None:
    for sent_with, wanted in ((b"bEaReR  abc ", "abc"), (b"Basic abc", "def")):
        headers = [(b"authorization", sent_with), (b"cookie", b"yardstone_owner=def")]
        assert sent_key(Request({"type": "http", "headers": headers})) == wanted
    assert sent_key(Request({"type": "http", "headers": []})) == ""
    for scheme, seconds, secure, age in (("https", 9.9, True, 9), ("http", 0.1, False, 1)):
        answer = Response()
        request = SimpleNamespace(url=URL(f"{scheme}://x.org/"))
        remember_key(request, answer, "k", "/r/x", seconds)  # type: ignore[arg-type]
        cookie = answer.headers["Set-Cookie"]
        assert ("Secure" in cookie, f"Max-Age={age};" in cookie) == (secure, True)


def test_a_request_that_comes_again_is_the_same_job(site: Site) -> None:
    app = site({"queue_client": 2})

    def made(key: str, **more: Any) -> tuple[str, str]:
        answer = sent(app, headers={"Idempotency-Key": key}, **more).json()
        return answer["id"], answer["owner"]

    first = made("k" * 100)
    assert made("k" * 100) == first
    assert made("k" * 100, client="192.0.2.1") != first, "of the same visitor"
    assert made("other") != first
    assert made("k" * 100) == first, "also where nothing more is taken"
    assert sent(app, headers={"Idempotency-Key": "k" * 101}).code == (422, "bad_option")
    assert state(app.state.service.store)["counters"]["uploads"] == 3.0
    settings = app.state.service.settings
    assert not list(settings.uploads.iterdir())
    for file in settings.data.glob("jobs.sqlite*"):
        assert b"k" * 100 not in file.read_bytes(), "only a hash of it is kept"


def test_where_a_password_is_wanted(tmp_path: Path, desk: Site) -> None:
    def guarded(**more: Any) -> bool:
        return DeskSettings(file=tmp_path, **more).with_password().guarded

    assert [guarded(), guarded(host="localhost"), guarded(host="127.8.0.1")] == [False] * 3
    reached: list[dict[str, str]] = [{"host": "0.0.0.0"}, {"host": "::1"}, {"root_path": "/s"}]
    assert all(guarded(**more) for more in [*reached, {"public_url": "https://x.org"}])
    assert DeskSettings(file=tmp_path, password="secret").with_password().password == "secret"
    with pytest.raises(UsageError, match="6 characters"):
        DeskSettings(file=tmp_path, password="12345")
    made = {readable_secret(4, 4, 2) for _ in range(50)}
    assert (len(made), {*map(len, made)}, {*"".join(made)} & {*"0o1li"}) == (50, {12}, set())
    # Without one everybody is a helper, whose cookie comes with the first page.
    app = desk()
    first = ask(app, "/results/4")
    cookie = first.headers["Set-Cookie"].partition(";")[0]
    body = b"key=" + first.body.partition(b'name="key" value="')[2][:64]
    fields = b"&who=Adler+Ruth&there=0"
    for sent_with, status in (({}, 403), ({"Cookie": cookie}, 303)):
        answer = ask(app, "/here/5", "POST", body=body + fields, headers={**FORM, **sent_with})
        assert answer.status == status


def test_the_log_names_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    name = "Secretive-Sam"
    with sites.site(tmp_path) as made:
        address = made.done([(f"{name}.csv", small_results(name))])["id"]
        for path in (f"/api/jobs/{address}", f"/r/{address}", f"/{address}"):
            made.ask(path, headers=HTML)
    logging.getLogger("x").error("m", exc_info=ValueError(name))
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    text = json.dumps(lines)
    assert (name in text, address in text) == (False, False)
    routes = {line.get("route") for line in lines if line["event"] == "request"}
    assert routes == {"/api/jobs", "/api/jobs/{id}", "/r/{address}", "none"}
    assert any(line["event"] == "job" and line["status"] == "done" for line in lines)
    assert (lines[-1]["error"], lines[-1]["level"]) == ("ValueError", "error")


def test_numbers_for_those_who_run_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "memory_of", lambda _: 12_345)
    numbers = Metrics()
    for seconds in (0.005, 0.0051, 0.0051, 11.0):
        numbers.add("GET", '/"x"', 200, seconds)
    counters = {"jobs_go_done": 6.0, "seconds_go": 7.25, "uploads": 8.0, "upload_bytes": 9.0}
    state = {"jobs": {"queued": 2}, "oldest_queued_seconds": 1.5, "workers": 3, "uploads": 4,
             "upload_bytes": 5, "counters": counters}  # fmt: skip
    lines = numbers.text(state).splitlines()
    told = """jobs{status="queued"} 2|jobs{status="done"} 0|oldest_queued_seconds 1.5|workers 3
uploads 4|upload_bytes 5|uploads_total 8|upload_bytes_total 9|job_seconds_total{kind="go"} 7.25
jobs_ended_total{kind="go",status="done"} 6|jobs_ended_total{kind="go",status="failed"} 0
process_resident_bytes 12345|requests_total{method="GET",ROUTE,status="200"} 4
request_seconds_bucket{ROUTE,le="0.005"} 1|request_seconds_bucket{ROUTE,le="0.01"} 3
request_seconds_bucket{ROUTE,le="10.0"} 3|request_seconds_bucket{ROUTE,le="+Inf"} 4
request_seconds_sum{ROUTE} 11.0152|request_seconds_count{ROUTE} 4"""
    wanted = re.split("[|\n]", told.replace("ROUTE", r'route="/\"x\""'))
    assert {f"yardstone_{line}" for line in wanted} - {*lines} == set()
    kinds = Counter(line.split()[3] for line in lines if "# TYPE" in line)
    assert kinds == {"gauge": 6, "counter": 5, "histogram": 1}


HEAD = b"GET / HTTP/1.1\r\nHost: x\r\nX"
FILES = (
    b"POST /api/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n"
    b"Content-Type: multipart/form-data; boundary=b\r\nExpect: 100-continue\r\n\r\n"
)
BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"


def connected(url: str, data: bytes) -> socket.socket:
    place = urlsplit(url)
    line = socket.create_connection((place.hostname or "", place.port or 0), timeout=60.0)
    line.sendall(data)
    return line


def closed(line: socket.socket) -> bool:
    """Wait until the other side closes it."""
    with suppress(ConnectionError):
        while line.recv(1 << 16):
            pass
    line.close()
    return True


@pytest.mark.parametrize("bound", ["connections", "connections_client"])
def test_half_sent_requests_keep_nobody_out(tmp_path: Path, bound: str) -> None:
    """The longest silent ones are closed; and who waits for a body takes no place of requests."""
    limits = {"header_seconds": 600, "idle_seconds": 600, "requests": 3, bound: 4}
    with sites.serving(tmp_path, limits) as server:
        lines: list[socket.socket] = []
        for number in range(6):
            if number == 4:
                lines[0].sendall(b"-")
            lines.append(connected(server.url, FILES))
            assert lines[-1].recv(100).startswith(b"HTTP/1.1 100 "), "it is let in"
        assert all(closed(line) for line in lines[1:3]), "not who sent something since"
        assert requests.get(server.url + "/api/limits", timeout=60).status_code == 200
        assert closed(lines[3])
        for line in (lines[0], lines[4], lines[5]):
            line.settimeout(0.05)
            with pytest.raises(TimeoutError):
                line.recv(1)
            line.close()


def test_more_than_can_be_answered_are_told_at_once(tmp_path: Path) -> None:
    entered, enough = threading.Semaphore(0), threading.Event()
    with sites.site(tmp_path, {"requests": 2, "requests_client": 1}) as made:

        @made.app.get("/slow")
        def slow() -> None:
            entered.release()
            enough.wait(60.0)

        config = configured(made.app, made.worker.settings, farewell=1)
        with listening(uvicorn.Server(config)) as url, ThreadPoolExecutor() as threads:

            def get(path: str, client: str) -> requests.Response:
                forwarded = {"X-Forwarded-For": client}
                return requests.get(url + path, headers=forwarded, timeout=60.0)

            slow_ones = [threads.submit(get, "/slow", f"192.0.2.{last}") for last in (1, 2)]
            for _ in slow_ones:
                assert entered.acquire(timeout=60.0)
            full = [get("/", f"192.0.2.{last}") for last in (1, 3)]
            told = [(answer.status_code, answer.headers["Retry-After"]) for answer in full]
            assert told == [(429, "2"), (503, "2")]
            assert get("/static/icon.svg", "192.0.2.3").status_code == 200
            enough.set()
            assert {each.result().status_code for each in slow_ones} == {200}
            assert get("/", "192.0.2.1").status_code == 200, "places are given back"


def test_half_sent_requests_do_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "_GRACE", 0.0)
    with sites.serving(tmp_path, {"header_seconds": 1, "idle_seconds": 1}) as server:
        waiting, slow = connected(server.url, BODY), connected(server.url, HEAD)
        slow.settimeout(0.1)
        with suppress(ConnectionError):
            for _ in range(600):  # however slowly it comes, it must be whole in time
                slow.sendall(b"x")
                with suppress(TimeoutError):
                    if not slow.recv(1):
                        break
            else:
                raise AssertionError("it stays")
        slow.close()
        assert closed(waiting)


def test_tls_by_files_of_ones_own(tmp_path: Path) -> None:
    """Who does not come to speak it is watched as all the others are."""
    openssl = program("openssl", package="openssl")
    pem, key, other = (str(tmp_path / name) for name in ("a.pem", "a.key", "b.key"))
    for made in (key, other):
        about = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=a"
        about += f" -addext subjectAltName=IP:127.0.0.1 -keyout {made} -out {made}.pem"
        subprocess.run([openssl, "req", *about.split()], check=True, capture_output=True)
    Path(f"{key}.pem").rename(pem)
    for first, second, problem in (
        (pem, other, "another one"), (key, "", "no certificate and key"),
        (pem, "none", "cannot be read"), (pem, "", "no certificate and key"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=problem):
            SiteSettings(tls_certificate=first, tls_key=second).tls()
    Path(pem).write_text(Path(pem).read_text() + Path(key).read_text())
    limits = {"connections_client": 3, "header_seconds": 600}
    with sites.serving(tmp_path, limits, tls_certificate=pem) as server:
        lines = [connected(server.url, b"") for _ in range(5)]
        assert all(closed(line) for line in lines[:2])
        last = {"Connection": "close"}
        answer = requests.get(f"https{server.url[4:]}/", verify=pem, headers=last, timeout=60)
        assert (answer.status_code, answer.headers.get("Strict-Transport-Security")) == (
            200, "max-age=31536000")  # fmt: skip
        with pytest.raises(requests.ConnectionError):
            requests.get(f"{server.url}/", timeout=60)
        for line in lines:
            line.close()


def test_a_server_may_open_as_many_files_as_the_system_allows() -> None:
    resource = pytest.importorskip("resource", reason="Windows knows no such limit")
    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before, 1000), hard))
    try:
        for number, most in ((10, 10), (10**9, None)):
            settings = SiteSettings(limits=Limits(connections=number))
            config = configured(None, settings, farewell=1)
            files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            assert config.http.most == (most or files - files // 4)  # type: ignore[union-attr]
        assert files == hard or files >= 10_240
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))


def test_how_a_server_runs(tmp_path: Path) -> None:
    desk = desk_configuration(DeskSettings(file=copied(tmp_path)))
    assert issubclass(desk.http, middleware._Protocol)  # type: ignore[arg-type]
    assert (desk.http.most, desk.h11_max_incomplete_event_size) == (6000, 16_384)  # type: ignore[union-attr]
    assert (desk.proxy_headers, desk.server_header, desk.access_log) == (False, False, False)
