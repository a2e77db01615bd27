"""Who works at a desk: passwords, sessions, one-time links, the log."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastapi import FastAPI
from starlette.requests import Request

from tests.web.asking import FORM, ask
from tests.web.browsing import PHONE, fits, opened, readable
from tests.web.desks import PASSWORD, Helper, copied, plain, served, signed_in
from tests.web.sites import HTML
from tests.web.tables import DAY, Clock, at_once, refused
from yardstone.web.desk import sessions as desk_sessions
from yardstone.web.desk.app import DeskSettings, make_desk
from yardstone.web.desk.service import own_address
from yardstone.web.desk.sessions import COOKIE, Sessions
from yardstone.web.desk.sessions import Helper as SignedIn
from yardstone.web.middleware import RateLimit
from yardstone.web.problems import RequestProblem
from yardstone.web.settings import Limits

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Desk = Callable[..., FastAPI]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return lambda **more: make_desk(
        DeskSettings(file=copied(tmp_path), **{"password": PASSWORD, **more})
    )


def request_of(token: str = "", site: str | None = None) -> Request:
    headers = [(b"cookie", f"{COOKIE}={token}".encode("latin-1"))]
    headers += [] if site is None else [(b"sec-fetch-site", site.encode())]
    return Request({"type": "http", "headers": headers, "client": ("10.0.0.9", 1)})


def test_a_session_ends_at_its_second_and_cannot_be_forged(tmp_path: Path) -> None:
    clock, log = Clock(), tmp_path / "a.log"
    sessions = Sessions(PASSWORD, "/a.xml", log, clock)
    ann = sessions.sign_in(f" {PASSWORD}\n", "  Ann \t of Köln ", "client")
    assert ann.name == "Ann of Köln"
    assert sessions.new_helper("x" * 50).name == "x" * 40
    begun = clock.now
    for age, known in ((0.0, True), (5 * DAY, True), (5 * DAY + 0.5, False), (-0.5, False)):
        clock.now = begun + age
        found = sessions.helper(request_of(ann.token))
        assert (found is not None, len(sessions.sessions())) == (known, int(known))
    clock.now = begun
    again = Sessions(PASSWORD, "/a.xml", log, clock)  # a desk that was started anew
    found = again.helper(request_of(ann.token))
    assert found == ann._replace(address="10.0.0.9")
    forged = ["", "x", ann.token[:-1], ann.token.upper(), ann.mark, sessions.form_key(ann), "é.ü"]
    forged.append(sessions.new_helper("Eve").token)  # nobody has signed her in
    assert [sessions.helper(request_of(token)) for token in forged] == [None] * len(forged)
    assert ann.token not in log.read_text("utf-8"), "only a hash of it is kept"
    for password, place in ((PASSWORD, "/b.xml"), ("another", "/a.xml")):
        other = Sessions(password, place, log, clock)
        assert (other.helper(request_of(ann.token)), other.sessions()) == (None, [])
    # Ended at one of two desks it has ended at the other, and one session is not another.
    bob = again.sign_in(PASSWORD, "Bob", "client")
    sessions.end(bob, ann.mark)
    assert refused(sessions.end, bob, ann.mark) == (409, "gone", None)
    assert [again.helper(request_of(each.token)) is None for each in (ann, bob)] == [True, False]
    again.end_all(bob)
    assert (sessions.helper(request_of(bob.token)), sessions.sessions()) == (None, [])
    assert (sessions.guarded, Sessions("", "", log).guarded) == (True, False)


def test_a_form_of_another_page_is_refused(tmp_path: Path) -> None:
    sessions = Sessions(PASSWORD, "/a.xml", tmp_path / "a.log")
    ann, bob = sessions.new_helper("Ann"), sessions.new_helper("Bob")
    key = sessions.form_key(ann)
    for site in (None, "same-origin", "none"):
        sessions.check_form(request_of(site=site), ann, key)
    wrong: list[tuple[str | None, SignedIn, str]] = [
        ("cross-site", ann, key), ("same-site", ann, key), (None, ann, ""), (None, bob, key),
        (None, ann, ann.token), (None, ann, key[:-1]), (None, ann, "é"),
    ]  # fmt: skip
    for site, helper, sent_with in wrong:
        told = refused(sessions.check_form, request_of(site=site), helper, sent_with)
        assert told == (403, "old_page", None)


def test_guesses_are_slowed_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(desk_sessions, "RateLimit", partial(RateLimit, clock=clock))
    sessions = Sessions(PASSWORD, "/a.xml", tmp_path / "a.log")

    def guess(client: str, password: str = "nearly", address: str = "") -> int:
        told = refused(sessions.sign_in, password, "", client, address)
        return told[0] if told else 200

    def guesses(client: str, address: str = "") -> int:
        """How many are answered at once."""
        return [guess(client, "nearly", address) for _ in range(31)].index(429)

    assert {guess("hall", PASSWORD, "2001:db8::7") for _ in range(40)} == {200}, "they cost nothing"
    assert guesses("eve") == 30
    assert guess("eve", PASSWORD) == 429, "not even the right one passes then"
    clock.now += 6.0
    assert [guess("eve"), guess("eve", PASSWORD)] == [403, 429]
    assert {guess(f"bot {number}") for number in range(1000)} == {403}
    assert guess("ann", PASSWORD) == 200, "whoever guesses, others get in"
    assert [guess("bob"), guess("bob")] == [403, 429], "but a mistake costs them more"
    assert guesses("hall", "2001:db8::8") == 30, "except where helpers are"
    clock.now += 6.0
    assert [guess("bob", PASSWORD), guesses("bot 0"), guesses("cat")] == [200, 1, 1]
    clock.now += 360.0
    assert guesses("bob") == 30


def test_a_hall_with_one_address(desk: Desk) -> None:
    app = desk(limits=Limits(requests_minute=60, posts_minute=50))
    cookies = [signed_in(app)[0] for _ in range(9)]
    token = app.state.service.sessions.make_link(SignedIn("Ann", ""), "Bob", 1)
    wrong = {**FORM, "Accept": "application/json"}
    told = [ask(app, "/sign-in", "POST", body=b"password=x", headers=wrong) for _ in range(60)]
    assert Counter(each.status for each in told) == {403: 30, 429: 30}
    assert ask(app).status == 429, "of who is not signed in"
    for cookie in cookies:
        headers = {**FORM, "Cookie": cookie}
        assert ask(app, "/more", headers=headers).status == 200
        body = f"password={PASSWORD}&name=Bob".encode()
        assert ask(app, "/sign-in", "POST", body=body, headers=headers).status == 303
    told = [ask(app, "/state", headers={"Cookie": cookies[0]}) for _ in range(60)]
    assert told[-1].status == 429, "one helper has a limit, too"
    assert [ask(app, f"/join/{token}", how).status for how in ("GET", "POST")] == [200, 303]


def test_signing_in_and_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_sessions, "RateLimit", partial(RateLimit, clock=Clock()))
    app = desk()
    strange = ("https://example.org/", "//example.org", "/%5Cexample.org", "more", "/a%0Ab", "")
    for next_page, place in {"/more": "/more", **dict.fromkeys(strange, "/")}.items():
        body = f"password={PASSWORD}&next={next_page}".encode()
        answer = ask(app, "/sign-in", "POST", body=body, headers=FORM)
        assert (answer.status, answer.headers["Location"]) == (303, place)
    attributes = {*answer.headers["Set-Cookie"].split("; ")[1:]}
    assert attributes == {"HttpOnly", "Max-Age=432000", "Path=/", "SameSite=lax"}
    for status, retry in [(403, None)] * 30 + [(429, "6")]:
        wrong = ask(app, "/sign-in", "POST", body=b"password=nearly", headers={**FORM, **HTML})
        assert (wrong.status, wrong.headers.get("Retry-After")) == (status, retry)
        assert "Set-Cookie" not in wrong.headers
    cookie, key = signed_in(desk())
    headers = {**FORM, "Cookie": cookie}
    assert ask(app, "/sign-out", "POST", body=b"key=0", headers=headers).code == (403, "old_page")
    out = ask(app, "/sign-out", "POST", body=f"key={key}".encode(), headers=headers)
    assert (out.status, out.headers["Location"]) == (303, "/")
    assert out.headers["Set-Cookie"].startswith(f'{COOKIE}=""; expires=')
    assert ask(app, "/more", headers={"Cookie": cookie}).status == 403, "a copy has ended as well"


def test_a_link_signs_in_once(tmp_path: Path) -> None:
    clock, log = Clock(), tmp_path / "a.log"
    sessions, other = (Sessions(PASSWORD, "/a.xml", log, clock) for _ in range(2))
    ann = sessions.sign_in(PASSWORD, "Ann", "client")
    token = sessions.make_link(ann, " Bob ", 12)
    assert re.fullmatch("([a-z2-9]{4}-){3}[a-z2-9]{4}", token)
    assert [(each.name, each.by) for each in other.links()] == [("Bob", "Ann")]
    assert token not in log.read_text("utf-8"), "only a hash of it is kept"
    joined: list[SignedIn] = []

    def use(number: int) -> None:
        with suppress(RequestProblem):
            joined.append((sessions, other)[number % 2].join(f" {token.upper()}", "10.0.0.7"))

    at_once(8, use)
    (bob,) = joined
    for desk in (sessions, other, Sessions(PASSWORD, "/a.xml", log, clock)):
        found = desk.helper(request_of(bob.token))
        assert found is not None
        assert (found.name, found.full, desk.links()) == ("Bob", False, [])
        assert {(each.name, each.full) for each in desk.sessions()} == {
            ("Ann", True),
            ("Bob", False),
        }
    gone = (410, "link_gone", None)
    assert refused(other.join, "aaaa-bbbb-cccc-dddd", "") == gone
    token, late = (sessions.make_link(ann, "Cat", hours) for hours in (12, 1))
    assert Sessions("another", "/a.xml", log, clock).links() == []
    other.withdraw(ann, other.links()[1].mark)
    clock.now += 3600.0
    assert [refused(sessions.link, each) for each in (token, late)] == [gone, None]
    clock.now += 1.0
    assert refused(sessions.join, late, "") == gone
    assert refused(sessions.make_link, ann, "Cat", 13) == (422, "bad_form", None)


def test_a_link_leads_where_others_reach_the_desk(desk: Desk) -> None:
    local, known, other = (
        "http://localhost:81/s/x",
        f"http://{own_address()}:81/s/x",
        "https://x.org/x",
    )
    told = {"0.0.0.0": (known, other), "127.0.0.1": (local, other)}
    for host, addresses in told.items():
        address = desk(host=host).state.service.address
        assert (address(local), address(other)) == addresses


def test_the_log_is_whole(tmp_path: Path) -> None:
    """A line that broke off is no entry and spoils none; what found no room comes with the next."""
    resource = pytest.importorskip("resource")
    log = tmp_path / "a.log"
    sessions = Sessions(PASSWORD, "/a.xml", log)
    ann = sessions.sign_in(PASSWORD, "Ann", "client")
    with log.open("ab") as stream:
        stream.write(log.read_bytes()[:40])
    kept = log.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(kept) + 20, hard))
    try:
        sessions.log.note(sessions.entry(ann, "results", "A won."))
        assert refused(sessions.sign_in, PASSWORD, "Bob", "client") == (503, "storage", 30)
        assert log.read_bytes() == kept, "whole or not at all"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [each.what for each in sessions.log.entries()][1:] == ["A won."]
    sessions.log.note(sessions.entry(ann, "results", "B\nwon."))
    again = Sessions(PASSWORD, "/a.xml", log)
    for each in (sessions, again):
        assert [entry.what for entry in each.log.entries()][1:] == ["A won.", "B\nwon."]
    assert len(log.read_bytes().splitlines()) == 4
    log.unlink()
    assert (sessions.sessions(), sessions.log.entries()) == ([], [])


def test_who_did_what(tmp_path: Path) -> None:
    with served(copied(tmp_path)) as desk:
        ann = desk.helper("Ann")
        ann.post("/settings", {"place": "Köln", "was_place": desk.tournament.place})
        ann.pair(5)
        first, second = desk.names(5)[0]
        page = ann.post("/helpers/link", {"name": "Bob", "hours": "12"}).text
        token = re.findall(rf"{desk.url}/join/([\w-]+)", page)[0]
        bob = Helper(desk.url)
        assert "I am Bob" in bob.page(f"/join/{token}"), "to look at it does not use it up"
        answer = bob.session.post(f"{desk.url}/join/{token}")
        assert (answer.status_code, bob.get(f"/join/{token}").status_code) == (200, 410)
        bob.key = re.findall(r'name="key" value="(\w+)"', answer.text)[0]
        assert [bob.result(5, first, second, "1-0") for _ in range(2)] == [303, 303]
        assert ann.post("/wishes", {"kind": "never", "a": first, "b": second, "round": 5}).ok
        step = re.findall(r'name="step" value="(\d+)"', ann.page("/more"))[0]
        assert "Take back" not in bob.page("/more")
        assert bob.post("/undo", {"step": step}).status_code == 403
        ann.post("/undo", {"step": step})
        table = csv.DictReader(ann.page("/log.csv").splitlines())
        rows = [*table][::-1]
        told = [(row["name"], row["step"]) for row in rows]
        by_ann = ["sign-in", "settings", "pair/accept", "link"], ["wishes", "undo"]
        assert told == [
            *(("Ann", step) for step in by_ann[0]), ("Bob", "join"), ("Bob", "results"),
            *(("Ann", step) for step in by_ann[1]),
        ]  # fmt: skip
        assert {row["address"] for row in rows} == {"127.0.0.1"}
        assert all(name in rows[5]["what"] for name in (first, second, "1-0"))
        assert rows[5]["what"] in plain(ann.page("/log"))
        session = re.findall(r'name="session" value="(\w+)"', ann.page("/helpers"))
        assert ann.post("/helpers/end", {"session": session[0]}).status_code == 200
        assert bob.result(5, first, second, "0-1") == 403
        for line in desk.file.with_name("open.xml.log").read_text("utf-8").splitlines():
            assert json.loads(line)["time"].endswith("+00:00")


def test_a_helper_by_a_link(browser: Browser, tmp_path: Path) -> None:
    with served(copied(tmp_path)) as desk:
        desk.helper("Ann").pair(5)
        with opened(browser, desk.url, "/sign-in?next=/helpers") as ann:
            ann.get_by_label("Password of the helpers").fill(PASSWORD)
            ann.get_by_label("Your name").fill("Ann")
            ann.get_by_role("button", name="Sign in").click()
            ann.get_by_label("For", exact=True).fill("Bob")
            ann.get_by_role("button", name="Make a link").click()
            link = ann.locator(".address").inner_text()
            fits(ann, "helpers")
            readable(ann, "helpers")
            with opened(browser, desk.url, link.removeprefix(desk.url), calm=False, **PHONE) as bob:
                bob.get_by_role("button", name="I am Bob").click()
                board = bob.locator(".board").first
                board.get_by_role("button").first.click()
                bob.locator(".board.done").first.wait_for()
                assert bob.get_by_role("link", name="Pair").count() == 0
                ann.goto(f"{desk.url}/log")
                ann.get_by_text("Round 5, table 1").wait_for()
                fits(ann, "log")
                readable(ann, "log")
                ann.goto(f"{desk.url}/helpers")
                ann.get_by_role("listitem").filter(has_text="Bob").get_by_role("button").click()
                ann.get_by_text("Bob").wait_for(state="detached")
                bob.locator(".board").nth(1).get_by_role("button").first.click()
                bob.get_by_text("Only helpers can do that").wait_for()
