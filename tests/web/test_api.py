"""Everything that programs can ask of the server."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.web.serving import LEAGUE, MATCH, SGF, Server, packed, serving, small_results
from yardstone.records.sgf import read_games
from yardstone.web import worker
from yardstone.web.api import Progress
from yardstone.web.database import Job

RESULTS = [("league.csv", LEAGUE)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("api"), {"queue_client": 100}) as result:
        yield result


def test_a_rating_list_from_the_upload_to_the_result(server: Server) -> None:
    address = server.accepted(RESULTS)
    waiting = server.job(address)
    assert waiting["kind"] == "results"
    assert waiting["ahead"] == 0
    assert waiting["result"] is None
    assert waiting["files"] == [{"name": "league.csv", "size": len(LEAGUE), "format": "csv"}]
    job = server.done(address)
    assert job["status"] == "done"
    assert job["progress"]["fraction"] == 1.0
    assert job["ahead"] is None
    result = job["result"]
    assert result["games"] == 112
    assert result["ratings"][0]["player"] == "LCZero v19.1-11248"
    assert round(result["ratings"][0]["rating"], 1) == 2455.1  # as `yardstone rate` has it
    pairs = result["head_to_head"]
    assert sum(pair["games"] for pair in pairs) == 112
    assert pairs[0]["player"] == "LCZero v19.1-11248"
    won = sum(pair["wins"] for pair in pairs if pair["player"] == "LCZero v19.1-11248")
    assert won == result["ratings"][0]["wins"]


def test_progress_has_the_stages_of_the_interface(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    beat = server.worker.store.heartbeat

    def noted(job: Job, **state: Any) -> bool:
        told.append(state["stage"])
        return beat(job, **state)

    monkeypatch.setattr(server.worker.store, "heartbeat", noted)
    monkeypatch.setattr(worker, "_PAUSE", 0.0)
    server.done(server.accepted(RESULTS))
    assert "rating" in told
    assert set(told) <= set(get_args(Progress.model_fields["stage"].annotation))


def test_the_upload_is_gone_when_the_job_is_done(server: Server) -> None:
    address = server.accepted(RESULTS)
    assert server.uploads()
    server.done(address)
    assert not server.uploads()
    assert not list((server.settings.data / "work").iterdir())


def test_matches_of_backgammon(server: Server) -> None:
    real_gnubg()
    job = server.done(server.accepted([("a.mat", MATCH)], fields=[("offset", "gamesgrid")]))
    assert job["kind"] == "backgammon"
    assert job["status"] == "done"
    players = job["result"]["players"]
    assert len(players) == 2
    assert all(player["epm"] > 0.0 for player in players)
    table = list(csv.DictReader(io.StringIO(server.get(f"{job['url']}/result.csv").text)))
    assert [row["player"] for row in table] == [player["player"] for player in players]
    assert float(table[0]["epm"]) == players[0]["epm"]


def test_a_player_who_is_not_clear_is_asked_for(server: Server, tmp_path: Path) -> None:
    address = server.accepted([("game.sgf", SGF)])
    job = server.done(address)
    assert job["status"] == "needs_player"
    path = tmp_path / "game.sgf"
    path.write_bytes(SGF)
    game = next(iter(read_games(path)))
    assert job["players"] == [{"name": name, "games": 1} for name in (game.black, game.white)]
    assert server.uploads(), "the files are still needed"
    wrong = server.request("PUT", f"{job['url']}/player", json={"player": "Nobody"})
    assert wrong.status_code == 422
    assert wrong.json()["error"]["code"] == "unknown_player"
    chosen = server.request("PUT", f"{job['url']}/player", json={"player": game.white})
    assert chosen.status_code == 202
    assert chosen.json()["status"] == "queued"
    assert chosen.json()["options"]["player"] == game.white
    again = server.request("PUT", f"{job['url']}/player", json={"player": game.white})
    assert again.status_code == 409
    assert server.request("DELETE", job["url"]).status_code == 204


def test_games_without_names_ask_for_a_colour(server: Server) -> None:
    job = server.done(server.accepted([("a.sgf", b"(;GM[1]SZ[19];B[pd];W[dd];B[pq])")]))
    assert [each["name"] for each in job["players"]] == ["Black", "White"]
    chosen = server.request("PUT", f"{job['url']}/player", json={"player": "White"})
    assert chosen.json()["options"]["colour"] == "white"
    server.request("DELETE", job["url"])


def test_what_cannot_be_used_is_told_with_its_place(server: Server) -> None:
    sound = b"Bob,Ann,0\nBob,Ann,1\nAnn,Bob,0.5\n" * 10
    broken = b"white,black,score\nAnn,Bob,1\nAnn,Bob,1-O\n" + sound
    job = server.done(server.accepted([("r.csv", broken)]))
    assert job["status"] == "done"
    assert job["skipped_total"] == 1
    assert job["skipped"][0]["file"] == "r.csv"
    assert job["skipped"][0]["line"] == 3


def test_files_that_are_no_games_beside_others_are_left_out(server: Server) -> None:
    files = [("readme.bin", b"\0\1\2" * 100), ("r.csv", small_results())]
    job = server.done(server.accepted(files))
    assert job["status"] == "done"
    assert job["files"][0]["format"] == "unknown"
    assert job["skipped"][0]["file"] == "readme.bin"


def test_an_archive_is_looked_into(server: Server) -> None:
    archive = packed({"a/r.csv": small_results(), "b/s.csv": small_results("Eve"), "x.txt": b"hi"})
    job = server.done(server.accepted([("all.zip", archive)]))
    assert job["kind"] == "results"
    assert {row["player"] for row in job["result"]["ratings"]} == {"Ann", "Bob", "Eve"}
    assert job["skipped"] == [{"file": "all.zip/x.txt", "line": None, "reason": "no file of games"}]


def test_a_failure_names_the_reason(server: Server) -> None:
    job = server.done(server.accepted([("r.csv", b"white,black,score\nAnn,Bob,what\n")]))
    assert job["status"] == "failed"
    assert job["error"]["message"]
    assert not job["can_retry"]
    refused = server.request("POST", f"{job['url']}/retry")
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "files_gone"
    assert str(server.settings.data) not in json.dumps(job)


def test_cancel_before_the_work_begins(server: Server) -> None:
    address = server.accepted(RESULTS)
    assert server.request("POST", f"/api/jobs/{address}/cancel").json()["status"] == "cancelled"
    assert server.done(address)["status"] == "cancelled"
    again = server.request("POST", f"/api/jobs/{address}/cancel")
    assert again.json()["status"] == "cancelled"
    assert server.request("POST", f"/api/jobs/{address}/retry").status_code == 409


def test_delete(server: Server) -> None:
    address = server.accepted(RESULTS)
    assert server.request("DELETE", f"/api/jobs/{address}").status_code == 204
    for method in ("GET", "DELETE"):
        answer = server.request(method, f"/api/jobs/{address}")
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "not_found"


def test_exports(server: Server) -> None:
    address = server.accepted([("r.csv", small_results("=cmd()", "Bob"))])
    early = server.get(f"/api/jobs/{address}/result.json")
    assert early.status_code == 409
    job = server.done(address)
    assert server.get(f"/api/jobs/{address}/result.json").json() == job["result"]
    table = server.get(f"/api/jobs/{address}/result.csv")
    assert table.headers["Content-Type"].startswith("text/csv")
    assert "attachment" in table.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert {row["player"] for row in rows} == {"'=cmd()", "Bob"}
    assert {row["player"] for row in job["result"]["ratings"]} == {"=cmd()", "Bob"}


def test_a_batch_gives_a_job_a_player(server: Server) -> None:
    fields = [("player", "Ann"), ("player", "Bob"), ("player", "Ann"), ("scale", "egf")]
    answer = server.send([("game.sgf", SGF)], "/api/batches", fields)
    assert answer.status_code == 202, answer.text
    batch = answer.json()
    assert len(batch["jobs"]) == 2
    result = server.get(batch["url"]).json()
    assert [job["options"]["player"] for job in result["jobs"]] == ["Ann", "Bob"]
    assert result["status"] == "running"
    assert result["jobs"][0]["batch"] == result["id"]
    server.worker.work()  # nobody is called Ann in that game
    result = server.get(batch["url"]).json()
    assert result["done"] == 1
    assert result["jobs"][0]["error"]["code"] == "unknown_player"
    assert server.uploads(), "the other job needs the files"
    server.worker.work()
    assert server.get(batch["url"]).json()["status"] == "done"
    assert not server.uploads()
    assert server.request("DELETE", batch["url"]).status_code == 204
    assert server.get(batch["url"]).status_code == 404
    assert server.get(batch["jobs"][0]["url"]).status_code == 404


def test_a_request_that_comes_again_is_the_same_job(server: Server) -> None:
    def send(key: str, files: list[tuple[str, bytes]]) -> str:
        answer = server.send(files, headers={"Idempotency-Key": key})
        assert answer.status_code == 202
        return str(answer.json()["id"])

    before = server.uploads()
    first = send("one", RESULTS)
    assert send("one", RESULTS) == first
    other = send("two", RESULTS)
    assert other != first
    assert server.uploads() == before + 2
    server.worker.work()
    server.worker.work()
    assert send("one", RESULTS) == first, "also when it is done"
    assert server.uploads() == before
    for address in (first, other):
        server.request("DELETE", f"/api/jobs/{address}")
    again = send("one", RESULTS)
    assert again != first
    server.request("DELETE", f"/api/jobs/{again}")


def events_of(text: str) -> list[tuple[str, dict[str, object]]]:
    result = []
    for block in text.strip().split("\n\n"):
        name, _, data = block.partition("\n")
        result.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return result


def test_events_end_with_the_result(server: Server) -> None:
    address = server.accepted(RESULTS)
    with server.get(f"/api/jobs/{address}/events", stream=True) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        lines = (line.decode() for line in stream.iter_lines())
        assert next(lines) == "event: state"
        first = json.loads(next(lines).removeprefix("data: "))
        assert first["status"] == "queued"
        server.worker.work()
        rest = "\n".join(["", *lines])
    result = events_of(rest)
    # On a busy machine the state is also told while the job runs.
    assert {name for name, _ in result[:-1]} == {"state"}
    assert result[-1][0] == "end"
    assert result[-2][1]["status"] == "done"
    assert result[-2][1]["result"] is not None


def test_events_of_a_job_that_is_deleted_end(server: Server) -> None:
    address = server.accepted(RESULTS)
    with server.get(f"/api/jobs/{address}/events", stream=True) as stream:
        lines = stream.iter_lines()
        next(lines)
        server.request("DELETE", f"/api/jobs/{address}")
        rest = list(lines)
    assert b"event: gone" in rest


@pytest.mark.parametrize(
    ("path", "files", "fields", "code"),
    [
        ("/api/jobs", [], [], "no_files"),
        ("/api/jobs", [("a.sgf", SGF), ("r.csv", LEAGUE)], [], "several_kinds"),
        ("/api/ratings", [("a.bin", b"\0" * 50)], [], "unknown_format"),
        ("/api/estimates", [("r.csv", LEAGUE)], [], "wrong_kind"),
        ("/api/backgammon", [("a.sgf", SGF)], [], "wrong_kind"),
        ("/api/estimates", [("a.sgf", SGF)], [("scale", "stones")], "bad_option"),
        ("/api/estimates", [("a.sgf", SGF)], [("level", "1.5")], "bad_option"),
        ("/api/estimates", [("a.sgf", SGF)], [("level", "nan")], "bad_option"),
        ("/api/estimates", [("a.sgf", SGF)], [("average", "2")], "bad_option"),
        ("/api/estimates", [("a.sgf", SGF)], [("what", "2")], "bad_option"),
        ("/api/estimates", [("a.sgf", SGF)], [("player", "A"), ("player", "B")], "bad_option"),
        ("/api/estimates", [("a.sgf", SGF)], [("player", "A"), ("colour", "black")], "bad_option"),
        ("/api/jobs", [("a.sgf", SGF)], [("kind", "chess")], "bad_option"),
        ("/api/jobs", [("r.csv", LEAGUE)], [("player", "Ann")], "bad_option"),
    ],
)
def test_refusals(
    server: Server,
    path: str,
    files: list[tuple[str, bytes]],
    fields: list[tuple[str, str]],
    code: str,
) -> None:
    before = server.uploads()
    answer = server.send(files, path, fields or [("level", "")])
    assert answer.status_code in (415, 422)
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]
    assert server.uploads() == before


def test_a_kind_that_is_named_settles_a_mixture(server: Server) -> None:
    files = [("a.sgf", SGF), ("r.csv", LEAGUE)]
    job = server.done(server.accepted(files, fields=[("kind", "results")]))
    assert job["status"] == "done"
    assert job["result"]["games"] == 113  # a game of Go has a result too


def test_limits_health_and_description(server: Server) -> None:
    limits = server.get("/api/limits").json()
    assert limits["file_bytes"] == server.settings.limits.file_bytes
    assert limits["keep_days"] == 30.0
    health = server.get("/health")
    assert health.status_code == 503, "no worker shows itself here"
    server.worker.live()
    assert server.get("/health").json()["status"] == "ok"
    paths = server.get("/api/openapi.json").json()["paths"]
    assert {"/api/estimates", "/api/jobs/{id}", "/health"} <= set(paths)


def test_metrics_count_without_naming_jobs(server: Server) -> None:
    address = server.accepted(RESULTS)
    server.done(address)
    text = server.get("/metrics").text
    assert address not in text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    assert float(values['yardstone_jobs_ended_total{kind="results",status="done"}']) >= 1
    assert float(values["yardstone_process_resident_bytes"]) > 1e7
    bucket = 'yardstone_request_seconds_bucket{route="/api/jobs/{id}",le="+Inf"}'
    assert float(values[bucket]) >= 1


def test_addresses_are_long_and_never_alike(server: Server) -> None:
    result = {server.accepted([("r.csv", small_results())]) for _ in range(20)}
    assert len(result) == 20
    assert all(len(address) * 6 >= 128 for address in result)
    for address in result:
        server.request("DELETE", f"/api/jobs/{address}")
