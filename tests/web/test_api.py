"""Everything that programs can ask of the server."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args
from unittest.mock import Mock

import pytest

import yardstone
from tests.backgammon.gnubg_here import real_gnubg
from tests.records.ogs_server import game_entry, ogs_server
from tests.web.serving import LEAGUE, MATCH, SGF, small_results
from tests.web.sites import HTML, Site, serving, site
from yardstone.pool import SkipReport
from yardstone.records.ogs import GameSelection, fetch_ogs_games
from yardstone.web import api, middleware, sent_files
from yardstone.web import job as apart
from yardstone.web.api import Progress
from yardstone.web.kinds import KINDS
from yardstone.web.kinds.kind import Task
from yardstone.web.problems import DatabaseAway, RequestProblem, refusal
from yardstone.web.sent_files import import_games
from yardstone.web.settings import Limits
from yardstone.web.upkeep import enter_worker, state

RESULTS = [("league.csv", LEAGUE)]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as result:
        yield result


def put(made: Site, url: str, player: str) -> Any:
    body = json.dumps({"player": player}).encode()
    return made.ask(f"{url}/player", "PUT", body=body, headers={"Content-Type": "application/json"})


def test_a_rating_list_from_upload_to_result(made: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = made.send(RESULTS)
    sent = answer.json()
    url = f"/api/jobs/{sent['id']}"
    assert (answer.status, answer.headers["Location"], sent["url"]) == (202, url, url)
    assert sent["owner_page"] == f"/r/{sent['id']}/own/{sent['owner']}"
    waiting = made.job(sent["id"])
    assert (waiting["kind"], waiting["ahead"], waiting["result"]) == ("results", 0, None)
    assert waiting["files"] == [{"name": "league.csv", "size": len(LEAGUE), "format": "csv"}]
    assert made.ask(f"{url}/result.json").code == (409, "no_result")
    beat = Mock(side_effect=made.store.heartbeat)
    monkeypatch.setattr(made.store, "heartbeat", beat)
    monkeypatch.setattr(apart, "PAUSE", 0.0)
    assert made.worker.work()
    told = {call.kwargs["stage"] for call in beat.call_args_list}
    assert {"rating"} <= told <= {*get_args(Progress.model_fields["stage"].annotation)}
    job = made.job(sent["id"])
    result = job["result"]
    top = result["ratings"][0]
    assert (result["games"], top["player"]) == (112, "LCZero v19.1-11248")
    assert round(top["rating"], 1) == 2455.1  # as `yardstone rate` has it
    pairs = result["head_to_head"]
    assert sum(pair["games"] for pair in pairs) == 112
    assert sum(pair["wins"] for pair in pairs if pair["player"] == top["player"]) == top["wins"]
    assert made.ask(f"{url}/result.json").json() == result
    stream = made.ask(f"{url}/events")
    assert stream.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert json.loads(stream.body.decode().split("data: ")[1].split("\n")[0]) == job
    made.app.state.service.streams["somebody"] += made.worker.settings.limits.streams
    full = made.ask(f"{url}/events")
    assert (full.code, full.headers["Retry-After"]) == ((429, "streams"), "10")
    assert made.ask(f"{url}/cancel", "POST").json()["status"] == "done"
    assert made.ask(f"{url}/retry", "POST").code == (409, "not_failed")
    assert made.ask(url, "DELETE").status == 204
    asked = [("GET", url), ("DELETE", url), ("GET", f"{url}/events")]
    assert {made.ask(path, method).code for method, path in asked} == {(404, "not_found")}


def test_tables(made: Site) -> None:
    real_gnubg()
    files = [("r.csv", small_results("=cmd()", "Bob"))]
    jobs = [made.done(files), made.done([("a.mat", MATCH)], fields=[("offset", "gamesgrid")])]
    tables = [made.ask(f"{job['url']}/result.csv") for job in jobs]
    ratings, errors = (list(csv.DictReader(io.StringIO(t.body.decode()))) for t in tables)
    told = tables[0].headers["Content-Disposition"]
    assert told == 'attachment; filename="yardstone-results.csv"'
    assert {row["player"] for row in ratings} == {"'=cmd()", "Bob"}, "none holds a formula"
    assert {row["player"] for row in jobs[0]["result"]["ratings"]} == {"=cmd()", "Bob"}
    wanted = [row["epm"] for row in jobs[1]["result"]["players"]]
    assert [float(row["epm"]) for row in errors] == wanted


def test_a_player_who_is_not_clear_is_asked_for(made: Site) -> None:
    job = made.done([("game.sgf", SGF)])
    names = ("Park Junghwan", "Jin Siyoung")
    assert job["status"] == "needs_player"
    assert job["players"] == [{"name": name, "games": 1} for name in names]
    assert state(made.store)["uploads"] == 1, "the files are still needed"
    place = job["page"]
    buttons = made.page(place).all("button", name="player")
    assert tuple(each.attributes["value"] for each in buttons) == names
    for body in (b"player=Nobody", b"", b"player=Park+Junghwan&player=b"):
        assert made.post(f"{place}/player", body).status == 422
    assert put(made, job["url"], "Nobody").code == (422, "unknown_player")
    answer = put(made, job["url"], names[1])
    assert (answer.status, answer.json()["status"]) == (202, "queued")
    assert answer.json()["options"]["player"] == names[1]
    assert put(made, job["url"], names[1]).code == (409, "not_asked")
    assert made.ask(job["url"], "DELETE").status == 204
    job = made.done([("a.sgf", b"(;GM[1]SZ[19];B[pd];W[dd];B[pq])")])
    assert [each["name"] for each in job["players"]] == ["Black", "White"]
    told = made.post(f"{job['page']}/player", b"player=White")
    assert told.headers["Location"] == job["page"]
    assert made.job(job["id"])["options"]["colour"] == "white"


def test_a_batch_gives_a_job_a_player(made: Site) -> None:
    fields = [("player", "Ann"), ("player", "Bob"), ("player", "Ann"), ("scale", "egf")]
    answer = made.send([("game.sgf", SGF)], "/api/batches", fields)
    batch = answer.json()
    assert (answer.status, answer.headers["Location"]) == (202, f"/api/batches/{batch['id']}")
    shown, path = made.ask(batch["url"]).json(), batch["page"]
    assert [job["options"]["player"] for job in shown["jobs"]] == ["Ann", "Bob"]
    cells = [line.children for line in made.page(path).one("tbody").children]
    assert [one.text + two.text for one, two, *_ in cells] == ["Annwaiting", "Bobwaiting"]
    for status, done in (("running", 0), ("running", 1), ("done", 2)):
        shown = made.ask(batch["url"]).json()
        assert (shown["status"], shown["done"], shown["total"]) == (status, done, 2)
        assert made.worker.work() == (done < 2)  # nobody is called so in that game
    assert shown["jobs"][0]["error"]["code"] == "unknown_player"
    assert made.ask(path + "/state").json()["words"] == "2 of 2 done."
    # The key of the owner opens the batch and all its jobs.
    assert made.page(path, owned=False).all("form") == []
    places = [path, *(job["page"] for job in batch["jobs"])]
    link = made.ask(f"{path}/own/{batch['owner']}", owned=False)
    cookies = [text for name, text in link.headers.items() if name == "set-cookie"]
    for place, cookie in zip(places, cookies, strict=True):
        assert f"Path={place};" in cookie
        assert made.ask(place + "/delete", "POST", owned=False).status == 403
    assert made.ask(batch["url"], "DELETE", owned=False).code == (403, "not_owner")
    assert made.ask(batch["jobs"][0]["url"], "DELETE").status == 204
    assert made.post(path + "/delete").status == 200
    assert {made.ask(each, headers=HTML).status for each in places} == {404}
    many = [("player", str(number)) for number in range(21)]
    assert made.send([("a.sgf", SGF)], "/api/batches", many).code == (422, "bad_option")


def test_refusals(made: Site) -> None:
    options = [
        [("scale", "stones")], [("level", "1.5")], [("level", "nan")], [("average", "2")],
        [("what", "2")], [("player", "A"), ("player", "B")], [("kind", "chess")],
        [("player", "A"), ("colour", "black")],
    ]  # fmt: skip
    refused: list[tuple[str, list[tuple[str, bytes]], list[tuple[str, str]], str]] = [
        ("jobs", [], [], "no_files"),
        ("jobs", [("a.sgf", SGF), ("r.csv", LEAGUE)], [], "several_kinds"),
        ("ratings", [("a.bin", b"\0" * 50)], [], "unknown_format"),
        ("estimates", RESULTS, [], "wrong_kind"),
        ("backgammon", [("a.sgf", SGF)], [], "wrong_kind"),
        ("jobs", RESULTS, [("player", "Ann")], "bad_option"),
        *(("jobs", [("a.sgf", SGF)], fields, "bad_option") for fields in options),
    ]
    for path, files, fields, code in refused:
        answer = made.send(files, f"/api/{path}", fields)
        assert answer.code == (415 if code == "unknown_format" else 422, code)
        assert answer.json()["error"]["hint"]
    assert state(made.store)["uploads"] == 0
    assert not list(made.worker.settings.uploads.iterdir())


def test_limits_and_health(made: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = made.ask("/api/limits").json()
    assert {**limits, **made.worker.settings.limits.as_plain()} == limits
    assert (limits["keep_days"], limits["importers"]) == (30.0, [])
    assert limits["scales"] == ["best", "fox", "ogs", "ogs-2020", "egf"]

    monkeypatch.setattr(middleware, "_FRESH", 0.0)

    def health(*problems: str) -> None:
        answer = made.ask("/health")
        got, codes = answer.json(), problems or ("ok",)
        assert [each["code"] for each in got.pop("problems")] == [*problems]
        assert (answer.status, got) == (503 if problems else 200, {**usual, "status": codes[0]})

    usual = {"version": yardstone.__version__, "workers": 0, "queued": 1, "running": 0}
    made.send(RESULTS)
    health("no_workers")
    enter_worker(made.store, "w", 1)
    usual["workers"] = 1
    health()
    assert made.store.claim("w")
    usual |= {"queued": 0, "running": 1}
    health()
    made.app.state.health.limits = Limits(disk_free=10**15)
    health("no_disk")
    usual |= {"workers": 0, "running": 0}

    def away(*_: Any, **__: Any) -> None:
        raise DatabaseAway

    monkeypatch.setattr("yardstone.web.upkeep.state", away)
    health("no_database", "no_disk")
    page = made.ask("/health", headers=HTML)
    assert (page.status, page.body.decode().splitlines()) == (503, [
        "The database does not answer. Look at it, and at the line to it.",
        "The disk is almost full, or cannot be written. Make room there.",
    ])  # fmt: skip
    monkeypatch.setattr("yardstone.web.upkeep.state", lambda *_, **__: time.sleep(0.2))
    monkeypatch.setattr(middleware, "_SOON", 0.05)
    health("no_database")
    monkeypatch.setattr(middleware, "_FRESH", 60.0)
    monkeypatch.setattr("yardstone.web.upkeep.state", None)
    health("no_database")


def told(steps: list[Any], monkeypatch: pytest.MonkeyPatch, pause: float = 0.0) -> list[str]:
    """The events of jobs that are as the steps say, one look after the other."""
    now = [0.0]

    def look() -> Any:
        step = steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    async def wait() -> None:
        now[0] += pause

    async def main() -> list[str]:
        return [text async for text in api._events(look(), look, wait)]

    monkeypatch.setattr(api, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(api, "_AWAY", 0.0)
    return asyncio.run(main())


def test_events_tell_what_changes_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def job(status: str, number: int = 1) -> dict[str, Any]:
        return {"id": str(number), "status": status}

    def event(status: str, number: int = 1) -> str:
        return f'event: state\ndata: {{"id":"{number}","status":"{status}"}}\n\n'

    end, alive = "event: end\ndata: {}\n\n", ": still here\n\n"
    waits, runs, done = ([job(status)] for status in ("queued", "running", "done"))
    assert told([waits, waits, DatabaseAway(), runs, runs, done], monkeypatch) == [
        event("queued"), event("running"), event("done"), end,
    ]  # fmt: skip
    both = [[job("done"), job(status, 2)] for status in ("queued", "failed")]
    assert told(both, monkeypatch) == [event("done"), event("queued", 2), event("failed", 2), end]
    assert told([[job("needs_player")]], monkeypatch) == [event("needs_player"), end]
    gone = told([waits, refusal("not_found")], monkeypatch)
    assert gone[1].startswith('event: gone\ndata: {"code": "not_found"')
    assert told([waits] * 4 + [done], monkeypatch, 7.5) == [
        event("queued"), alive, event("done"), end,
    ]  # fmt: skip
    assert told([waits] * 99, monkeypatch, 900.0) == [event("queued"), alive, alive, end]


def test_it_is_off_unless_switched_on(tmp_path: Path) -> None:
    with site(tmp_path) as made:
        assert made.page("/").all("input", id="ogs") == []
        assert made.send([], fields=[("ogs", "Ann")]).code == (422, "no_importer")
        with pytest.raises(RequestProblem, match="fetches no games"):
            import_games(made.worker.settings, "Ann", tmp_path, SkipReport())
    files = [("r.csv", small_results())]
    with site(tmp_path / "on", importer="ogs") as made:
        for sent, path, name, code in (
            (files, "/api/jobs", "Ann", "files_and_name"),
            ([], "/api/ratings", "Ann", "bad_option"),
            ([], "/api/jobs", " ", "no_files"),
            ([], "/api/jobs", "x" * 201, "bad_option"),
        ):
            assert made.send(sent, path, [("ogs", name)]).code == (422, code)


def test_the_latest_games_are_fetched_by_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def perform(task: Task) -> dict[str, Any]:
        return {"of": task.options["player"], "names": [file.name for file in task.files]}

    monkeypatch.setitem(KINDS, "go", replace(KINDS["go"], perform=perform))
    fetch = Mock(side_effect=fetch_ogs_games)
    monkeypatch.setattr(sent_files, "fetch_ogs_games", fetch)
    limits = {"import_games": 2, "imports_hour": 2, "import_bytes": 3000, "import_seconds": 99}
    with (
        ogs_server() as ogs,
        site(tmp_path, limits, importer="ogs", importer_url=ogs.url) as server,
    ):
        server.app.state.service._imports.clock = lambda: 0.0
        ogs.players = {"Ann": 77}
        ogs.games = [game_entry(number, "Ann", "Bob") for number in (3, 2, 1)]
        record = b"(;FF[4]GM[1]SZ[19]PB[Ann]PW[Bob]RE[B+R];B[pd];W[dd];B[pq];W[dp])\n"
        ogs.records = dict.fromkeys(range(4), record)
        assert len(server.page("/").all("input", id="ogs")) == 1
        assert server.ask("/api/limits").json()["importers"] == ["ogs"]
        answer = server.send([], fields=[("ogs", "ann")])
        assert (answer.status, answer.json()["kind"], ogs.asked) == (202, "go", [])
        assert server.worker.work()
        job = server.job(answer.json()["id"])
        assert job["result"] == {"of": "Ann", "names": ["Ann-3.sgf", "Ann-2.sgf"], "format": 3}
        job = server.done([], fields=[("ogs", "Nobody")])
        assert job["error"]["message"] == "OGS knows no user called 'Nobody'"
        late = server.send([], fields=[("ogs", "Ann")])
        assert (late.code, late.headers["Retry-After"]) == ((429, "imports_hour"), "1800")
    selection = GameSelection(games=2, file_bytes=3000, seconds=99.0)
    asked = [call.kwargs for call in fetch.call_args_list]
    assert asked == [{"selection": selection, "url": ogs.url}] * 2


def validate(server: Site, case: Any) -> None:
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    # That sound data are taken cannot be asked for: no description says what stands in a file.
    wanted = [not_a_server_error, checks.status_code_conformance, checks.unsupported_method,
              checks.content_type_conformance, checks.response_headers_conformance,
              checks.response_schema_conformance, checks.negative_data_rejection]  # fmt: skip
    case.call_and_validate(base_url=server.url, checks=wanted, timeout=60.0)


def test_described(tmp_path: Path) -> None:
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.core.result import Ok

    calm = {"database": None, "suppress_health_check": list(HealthCheck)}
    limited = settings(max_examples=3, phases=[Phase.generate], **calm)  # type: ignore[arg-type]
    with serving(tmp_path, {"queue": 100_000, "queue_client": 100_000}) as server:
        schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
        found = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
        assert len(found) >= 18
        for operation in found:
            for mode in schemathesis.GenerationMode:
                if mode.is_negative and not (operation.path_parameters or operation.body):
                    continue
                server.worker.live()  # a server is well as long as it has been heard of
                cases = operation.as_strategy(generation_mode=mode)
                limited(given(cases)(lambda case: validate(server, case)))()
        # Of jobs that are there.
        done, waiting = (server.send([("r.csv", small_results())]).json()["id"] for _ in range(2))
        server.ask(f"/api/jobs/{waiting}/cancel", "POST")
        server.worker.work()
        asked = "GET GET/result.json GET/result.csv GET/events POST/cancel POST/retry DELETE"
        for address in (waiting, done):
            for method, slash, rest in (each.partition("/") for each in asked.split()):
                operation = schema[f"/api/jobs/{{id}}{slash}{rest}"][method]
                validate(server, operation.Case(path_parameters={"id": address}))
