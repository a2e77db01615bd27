"""The server on real games with the real network."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.shared import shared_path
from tests.web.serving import SGF, packed, serving
from yardstone.records.sgf import read_games
from yardstone.strength.estimation import estimate_player

NET = "nets/g170-b6c96-s175395328-d26788732.bin.gz"


def test_an_estimate_is_that_of_the_library(tmp_path: Path) -> None:
    net = str(shared_path(NET))
    archive = packed({"a/game.sgf": SGF, "a/again.sgf": SGF, "notes.txt": b"mine"})
    with serving(tmp_path, net=net) as server:
        address = server.accepted([("games.zip", archive)], path="/api/estimates")
        job = server.done(address)
        assert job["status"] == "needs_player"
        assert [player["games"] for player in job["players"]] == [1, 1], "it is one game"
        name = job["players"][1]["name"]
        server.request("PUT", f"{job['url']}/player", json={"player": name})
        job = server.done(address)
        assert job["status"] == "done", job["error"]
        network = server.worker.network()
        table = server.get(f"{job['url']}/result.csv").text
        page = server.get(f"/r/{address}", headers={"Accept": "text/html"})
    result = job["result"]
    game = tmp_path / "game.sgf"
    game.write_bytes(SGF)
    expected = estimate_player(list(read_games(game)), name, net=network).as_dict()
    for key in ("player", "rank", "rating", "low", "high", "moves", "phases", "probabilities"):
        assert result[key] == expected[key]
    assert result["by_game"][0]["file"] == "games.zip/game.sgf"
    assert {each["reason"] for each in job["skipped"]} == {
        "the same game again",
        "no file of games",
    }
    (row,) = csv.DictReader(io.StringIO(table))
    assert float(row["rating"]) == expected["by_game"][0]["rating"]
    assert page.status_code == 200
    assert name in page.text
