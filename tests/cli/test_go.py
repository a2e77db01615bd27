from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import duckdb
import pytest

from tests.cli.calls import Command
from tests.go.nets.server import serve
from tests.go.random_net import ALL_SHAPES, Shape, network_bytes, write_network
from yardstone.go.feature_store import FeatureStore
from yardstone.go.nets import store


@pytest.fixture(autouse=True)
def _network(net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARDSTONE_NET", str(net))


def test_one_game_is_shown_move_by_move(run: Command) -> None:
    text = run("go analyse game.sgf").out
    lines = text.splitlines()
    assert lines[:3] == [
        "Ann 3k (Black) – Bob (White)", "2024-05-01, result B+5.5",
        "11 moves on 9x9, japanese rules, komi 6.5; network random-10-1",
    ]  # fmt: skip
    total = next(line for line in lines if line.startswith("Ann (B)")).split()
    assert total[2:4] == ["all", "5"]  # the passes at the end do not count
    assert "on 9x9 11 and 34" in text
    few = run("go analyse game.sgf --no-moves").out
    assert [bool(re.search(r" 11 +B +pass", each)) for each in (text, few)] == [True, False]
    run("go analyse game.sgf -o a.parquet -o a.html")
    table = duckdb.execute("select count(*), sum(number) from 'a.parquet'")
    assert table.fetchall() == [(11, 66)]
    assert all(words in run.read("a.html") for words in ("<summary>All moves</summary>", "<svg"))
    # What it lost is known of moves that count in a game that was not decided.
    (single,) = run.json("go analyse game.sgf")["games"]
    for move, row in zip(single["moves"], run.rows("go analyse game.sgf"), strict=True):
        assert (str(move["white_lead"]), str(move["rank"])) == (row["white_lead"], row["rank"])
        known = move["counted"] and not move["decided"]
        assert {move[name] is not None for name in ("win_loss", "point_loss")} == {known}
        if move["best"] == move["move"] and known and not move["point_loss"]:
            assert move["better"] is None


def test_several_games(run: Command) -> None:
    said = run("go analyse games.sgf -o games.svg")
    note = "Note: move 2 is illegal (White E5): analysed up to there"
    assert all(words in said.out for words in ("All 3 games, by player", "Bob, 2 games", note))
    assert ("1 record was skipped" in said.err, "<svg" in run.read("games.svg")) == (True, True)
    second = run("go analyse games.sgf --game 2 --no-moves --komi 0.5 --rules chinese").out
    assert re.match(r"(?s)Bob \(Black\) – Cid \(White\).*chinese rules, komi 0\.5", second)
    rows = run.rows("go judge games.sgf --sure 50")
    for each, row in zip(run.json("go judge games.sgf")["games"], rows, strict=True):
        assert row["judged"] == ("white" if each["white_winrate"] > 0.5 else "black")
    every = run.json("go analyse games.sgf --variations")["games"]
    assert [len(each["moves"]) for each in every] == [11, 4, 3, 1]


def test_evaluate_keeps_the_lines(run: Command) -> None:
    lines = ['{"id": 1, "moves": "E5", "size": 9}', "{bad", '{"id": 2, "moves": []}']
    (run.folder / "in.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    said = run("go evaluate in.jsonl.gz")
    result = [json.loads(line) for line in said.out.splitlines()]
    found = [(row.get("id"), len(row.get("policy", ()))) for row in result]
    assert found == [(1, 81), (None, 0), (2, 361)]
    assert "in.jsonl.gz:2: no JSON" in said.err
    run("go evaluate in.jsonl.gz -o out.jsonl.gz")
    assert gzip.decompress((run.folder / "out.jsonl.gz").read_bytes()).decode() == said.out
    run.write("bad.jsonl", '{"moves": "E5"}\n{"moves": "E5 E5"}\n')
    run.write("none.jsonl", "[1, 2]\n")
    for words, message in (
        ("bad.jsonl --strict", "bad.jsonl:2: move 2 is illegal"),
        ("none.jsonl", "no line holds a position"),
    ):
        assert message in run(f"go evaluate {words} -o half.jsonl", status=1).err
    assert "half.jsonl" not in run.names()


def test_features(run: Command) -> None:
    line = "go features games.sgf -o store"
    said = run(f"{line} --workers 1")
    assert said.out == "2 games, 13 moves: head, pick (16 channels of random-10-1) in store\n"
    assert "2 records were skipped: see store/skipped.csv" in said.err
    opened = FeatureStore.open(Path("store"))
    assert opened.features(0, "pick", 2).shape == (4, 16)
    assert opened.array("point")[opened.rows(0, 2)].tolist() == [24, 60, 0, 32]
    assert run(line).out.startswith("2 games, 13 moves")  # again: all is there
    assert "another setting: rules" in run(f"{line} --rules japanese", status=1).err


INCLUDED = store.network_name(store.INCLUDED)


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    return home / "yardstone" / "nets"


def test_a_life_of_networks(cache: Path, run: Command) -> None:
    out = run("go nets list").out
    assert f"{INCLUDED} comes with Yardstone.\nNo other network in {cache}: `yardstone go ne" in out
    one = write_network(run.folder / "one.bin.gz", ALL_SHAPES["v8"])
    assert run("go nets add one.bin.gz").out == f"Added one: {cache}/one.bin.gz\n"
    write_network(run.folder / "y.bin", Shape(9))
    run("go nets add one.bin.gz --name two")
    assert "--replace" in run("go nets add y.bin --name two", status=1).err
    run("go nets add y.bin --name two --replace")
    checksum = hashlib.sha256(one.read_bytes()).hexdigest()
    words = run("go nets list").out.splitlines()[2].split()
    assert (words[:4], words[-1]) == (["one", "8", "2", "16"], checksum[:12])
    rows = run.rows("go nets list")
    assert [(row["name"], row["version"]) for row in rows[1:]] == [("one", "8"), ("two", "9")]
    assert rows[1]["sha256"] == checksum
    # All of them are there, or none is removed.
    assert "no network 'none'" in run("go nets remove two none", status=1).err
    assert run("go nets remove one two").out.count("Removed ") == 2
    assert [row["name"] for row in run.json("go nets list")] == [INCLUDED]


def test_a_network_in_detail_and_a_download(cache: Path, run: Command) -> None:
    write_network(run.folder / "one.bin.gz", ALL_SHAPES["v17-fixed"])
    text = run("go nets show one.bin.gz").out
    for words in ("random-17-1\n", "3 (1 attention, 1 feed-forward, 1 residual)",
                  "spatial root mean square", "as if suicide were legal"):  # fmt: skip
        assert words in text
    run("go nets add one.bin.gz")
    result = run.json("go nets show")
    assert (result["file"], result["policies"]) == (str(cache / "one.bin.gz"), 4)
    data = network_bytes(Shape(8))
    checksum = hashlib.sha256(data).hexdigest()
    with serve() as site:
        site.files["/net.bin"] = data
        line = f"go nets download {site.url}/net.bin --quiet --sha256"
        assert run(line, checksum).out == f"Downloaded net: {cache}/net.bin\nSHA-256 {checksum}\n"
        assert "SHA-256 is" in run(f"{line} {'0' * 64} --name b", status=1).err
    assert run.json("go nets list --known")[0]["url"].startswith("https://")
