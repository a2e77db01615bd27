"""A user's name in place of files: only where the operator allows it, and within limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.records.ogs_server import game_entry, ogs_server
from tests.web.serving import settings_for, small_results
from tests.web.sites import site
from yardstone.pool import SkipReport
from yardstone.records.ogs import OGS, GameSelection
from yardstone.web import sent_files
from yardstone.web.kinds import KINDS
from yardstone.web.kinds.kind import Task
from yardstone.web.problems import RequestProblem
from yardstone.web.sent_files import import_games

RECORD = b"(;FF[4]GM[1]SZ[19]PB[Ann]PW[Bob]RE[B+R];B[pd];W[dd];B[pq];W[dp])\n"


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
    limits = {"import_games": 2, "imports_hour": 2}
    with (
        ogs_server() as ogs,
        site(tmp_path, limits, importer="ogs", importer_url=ogs.url) as server,
    ):
        server.app.state.service._imports.clock = lambda: 0.0
        ogs.players = {"Ann": 77}
        ogs.games = [game_entry(number, "Ann", "Bob") for number in (3, 2, 1)]
        ogs.records = dict.fromkeys(range(4), RECORD)
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
    asked: list[Any] = []

    def fetch(*_: object, **how: Any) -> SimpleNamespace:
        asked.append(how)
        return SimpleNamespace(user="Ann", files=[], left_out=[])

    monkeypatch.setattr(sent_files, "fetch_ogs_games", fetch)
    limits = {"import_games": 2, "import_bytes": 3, "import_seconds": 4}
    import_games(settings_for(tmp_path, limits, importer="ogs"), "Ann", tmp_path, SkipReport())
    assert asked == [{"selection": GameSelection(games=2, file_bytes=3, seconds=4.0), "url": OGS}]
