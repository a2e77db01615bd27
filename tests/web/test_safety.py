"""What holds for every request: headers, floods, proxies, hosts, the log."""

from __future__ import annotations

import json
import logging
import resource
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from starlette.requests import Request

from tests.web.desks import copied, served
from tests.web.serving import LEAGUE, Server, serving, settings_for, small_results
from yardstone.web.middleware import RateLimit
from yardstone.web.problems import RequestProblem
from yardstone.web.service import Service
from yardstone.web.settings import JsonLines, Limits, Settings
from yardstone.web.supervisor import Bell

PAGES = ("/", "/api/limits", "/health", "/nowhere", "/api/jobs/abcdefghijk", "/api/openapi.json")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path) as result:
        yield result


def test_strict_headers_everywhere(server: Server) -> None:
    for path in PAGES:
        answer = server.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http:" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "noindex" in answer.headers["X-Robots-Tag"]
        assert "Set-Cookie" not in answer.headers
        assert "Server" not in answer.headers
        assert "Access-Control-Allow-Origin" not in answer.headers
    assert server.get("/api/jobs/abcdefghijk").headers["Cache-Control"] == "no-store"


def test_errors_have_one_shape(server: Server) -> None:
    for method, path, status in (
        ("GET", "/nowhere", 404),
        ("GET", "/api/nowhere", 404),
        ("PATCH", "/api/jobs", 405),
        ("GET", "/api/jobs/" + "x" * 200, 422),
        ("PUT", "/api/jobs/abcdefghijk/player", 422),
    ):
        answer = server.request(method, path)
        assert answer.status_code == status
        assert set(answer.json()["error"]) == {"code", "message", "hint", "file", "line"}


def test_a_visitor_who_floods_is_told_to_wait(tmp_path: Path) -> None:
    with serving(tmp_path, {"requests_minute": 20, "posts_minute": 5}) as server:
        answers = [server.get("/api/limits") for _ in range(25)]
        late = [answer for answer in answers if answer.status_code == 429]
        assert 1 <= len(late) <= 5
        assert int(late[0].headers["Retry-After"]) >= 1
        assert late[0].json()["error"]["code"] == "too_many_requests"
        other = {"X-Forwarded-For": "192.0.2.7"}
        assert server.get("/api/limits", headers=other).status_code == 200
        sent = [
            server.request("POST", "/api/jobs/abcdefghijk/cancel", headers=other) for _ in range(6)
        ]
        assert [answer.status_code for answer in sent] == [404] * 5 + [429]
        assert server.get("/api/limits", headers=other).status_code == 200
        assert server.get("/health").status_code == 503, "monitors are not counted"


def test_tokens_come_back_with_time() -> None:
    now = [0.0]
    limit = RateLimit(2, clock=lambda: now[0])
    for _ in range(2):
        limit.check("ann")
    with pytest.raises(RequestProblem) as result:
        limit.check("ann")
    assert result.value.retry_after == 30
    limit.check("bob")
    now[0] += 30.0
    limit.check("ann")
    with pytest.raises(RequestProblem):
        limit.check("ann")


def test_too_many_uploads_at_once(server: Server) -> None:
    service = server_service(server)
    with service.place("ann"):
        assert service.receiving["ann"] == 1
    assert not service.receiving


def server_service(server: Server) -> Service:
    return Service(server.settings, server.worker.store, Bell())


def test_forwarded_addresses_count_from_trusted_proxies_only(tmp_path: Path) -> None:
    limits = {"queue_client": 1}
    with serving(tmp_path / "behind", limits, trusted_proxies="127.0.0.1") as server:
        for visitor in ("192.0.2.1", "192.0.2.2", "9.9.9.9, 192.0.2.3"):
            answer = server.send([("r.csv", LEAGUE)], headers={"X-Forwarded-For": visitor})
            assert answer.status_code == 202
        # What a visitor writes before the proxy's own entry does not hide it.
        for spoofed in ("192.0.2.1", "1.2.3.4, 192.0.2.1", "127.0.0.1, 192.0.2.3"):
            answer = server.send([("r.csv", LEAGUE)], headers={"X-Forwarded-For": spoofed})
            assert answer.status_code == 429
            assert answer.json()["error"]["code"] == "queue_client"
    with serving(tmp_path / "open", limits, trusted_proxies="10.0.0.0/8") as server:
        statuses = [
            server.send([("r.csv", LEAGUE)], headers={"X-Forwarded-For": f"192.0.2.{n}"})
            for n in range(2)
        ]
        assert [answer.status_code for answer in statuses] == [202, 429]


def test_many_addresses_of_one_network_are_one_visitor(server: Server) -> None:
    service = server_service(server)

    def mark(host: str) -> str:
        return service.client(Request({"type": "http", "client": (host, 1)}))

    assert mark("2001:db8:1:2::1") == mark("2001:db8:1:2:ffff::9") != mark("2001:db8:1:3::1")
    assert mark("192.0.2.1") == mark("::ffff:192.0.2.1") != mark("192.0.2.2")
    assert mark("no address") != mark("")
    assert "192" not in mark("192.0.2.1")[:3]


def test_metrics_are_for_those_who_run_the_server(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert server.get("/metrics").status_code == 200
        answer = server.get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"})
        assert answer.status_code == 404


def test_under_a_path_and_a_name(tmp_path: Path) -> None:
    with serving(
        tmp_path, root_path="/strength", public_url="https://example.org", allowed_hosts="127.0.0.1"
    ) as server:
        answer = server.send([("r.csv", small_results())])
        job = answer.json()
        assert job["url"] == f"https://example.org/strength/api/jobs/{job['id']}"
        assert answer.headers["Location"] == job["url"]
        assert server.get(f"/strength/api/jobs/{job['id']}").status_code == 200
        assert server.get("/", headers={"Host": "evil.example"}).status_code == 400
        secure = server.get("/api/limits", headers={"X-Forwarded-Proto": "https"})
        assert "Strict-Transport-Security" in secure.headers


def test_the_log_names_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    with serving(tmp_path) as server:
        address = server.accepted([("Secretive-Sam.csv", small_results("Secretive-Sam"))])
        server.done(address)
        server.get(f"/r/{address}", headers={"Accept": "text/html"})
        server.get(f"/{address}")
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    text = json.dumps(lines)
    assert "Secretive" not in text
    assert address not in text
    routes = {line.get("route") for line in lines if line["event"] == "request"}
    assert {"/api/jobs", "/api/jobs/{id}", "none"} <= routes
    assert any(line["event"] == "job" and line["status"] == "done" for line in lines)


def test_an_error_is_logged_without_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("yardstone.web.test")
    try:
        raise ValueError("Secretive-Sam")
    except ValueError:
        record = logger.makeRecord("x", logging.ERROR, "f", 1, "it failed", (), sys.exc_info())
    result = json.loads(JsonLines().format(record))
    assert result["error"] == "ValueError"
    assert "test_an_error_is_logged" in result["trace"][-1]
    assert "Secretive" not in json.dumps(result)


def test_a_full_disk_is_no_mystery(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.settings.uploads.rmdir()
        answer = server.send([("r.csv", LEAGUE)])
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "storage"


def test_settings_of_a_worker_are_those_of_its_supervisor(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, {"seconds": 7}, net="b6", keep_days=2.5)
    assert Settings.of_plain(json.loads(json.dumps(settings.as_plain()))) == settings


@pytest.mark.parametrize(
    "head",
    ["GET / HTTP/1.1\r\nHost: x\r\nX", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"],
)
@pytest.mark.parametrize("what", ["serve", "desk"])
def test_half_sent_requests_keep_nobody_out(tmp_path: Path, what: str, head: str) -> None:
    """1,500 from the address of somebody who is served meanwhile, and they do not stay."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard[1], hard[1]))
    limits: Any = {
        "header_seconds": 8,
        "idle_seconds": 8,
        "requests_minute": 9000,
        "posts_minute": 9000,
    }
    opened: AbstractContextManager[Any] = (
        serving(tmp_path, limits=limits)
        if what == "serve"
        else served(copied(tmp_path), limits=Limits(**limits))
    )
    half: list[socket.socket] = []
    with opened as server:
        host, port = urlsplit(server.url).hostname or "", urlsplit(server.url).port or 0
        try:
            for number in range(1500):
                half.append(socket.create_connection((host, port), timeout=10))
                half[-1].sendall(head.encode())
                if number % 300 == 299:  # after the first, what had come before is answered
                    assert requests.get(server.url + "/", timeout=10).status_code == 200
                    begun = time.monotonic()
                    assert requests.get(server.url + "/", timeout=10).status_code == 200
                    assert time.monotonic() - begun < 1.0
            half[-1].settimeout(20)
            with suppress(ConnectionResetError):
                while half[-1].recv(1 << 16):
                    pass
            assert requests.get(server.url + "/", timeout=10).status_code == 200
        finally:
            for each in half:
                each.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, hard)
