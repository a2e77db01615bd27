"""A user's name in place of files: only where the operator allows it, and within limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.records.ogs_server import game_entry, ogs_server
from tests.web.serving import settings_for, small_results
from tests.web.sites import site
from yardstone.errors import UsageError
from yardstone.parallel import context
from yardstone.pool import SkipReport
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
    with pytest.raises(UsageError, match="no stable public interface"):
        settings_for(tmp_path, importer="ogs,fox")
    with pytest.raises(UsageError, match="is not an address"):
        settings_for(tmp_path, importer="ogs", importer_url="localhost")


def test_the_latest_games_are_fetched_by_the_worker(tmp_path: Path) -> None:
    limits = {"import_games": 2, "imports_hour": 2}
    with (
        ogs_server() as ogs,
        site(tmp_path, limits, importer="ogs", importer_url=ogs.url) as server,
    ):
        ogs.players = {"Ann": 77}
        ogs.games = [game_entry(number, "Ann", "Bob") for number in (3, 2, 1)]
        ogs.records = dict.fromkeys(range(4), RECORD)
        assert "2 latest public even games" in server.page("/").one("p", id="ogs-hint").text
        assert server.ask("/api/limits").json()["importers"] == ["ogs"]
        answer = server.send([], fields=[("ogs", "ann")])
        assert (answer.status, answer.json()["kind"], ogs.asked) == (202, "go", [])
        calls: list[tuple[str, int, int]] = []
        with context(progress=lambda *state: calls.append(state)):
            user, found = import_games(
                server.worker.settings, "ann", tmp_path / "fetched", SkipReport()
            )
        assert (user, [file.name for file in found]) == ("Ann", ["Ann-3.sgf", "Ann-2.sgf"])
        assert calls[-1] == ("fetching", 2, 2)
        assert server.worker.work()
        job = server.job(answer.json()["id"])
        assert job["options"]["ogs"] == "ann"
        # The games are here; two moves of hers are too few for a rank.
        assert (job["status"], job["error"]["code"]) == ("failed", "input")
        assert job["error"]["message"] == "too few moves of Ann for a rank: 2"
        job = server.done([], fields=[("ogs", "Nobody")])
        assert job["error"]["message"] == "OGS knows no user called 'Nobody'"
        late = server.send([], fields=[("ogs", "Ann")])
        assert late.code == (429, "imports_hour")
        assert 1700 < int(late.headers["Retry-After"]) <= 1800
