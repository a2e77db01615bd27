from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import duckdb
import pytest

from tests.cli.calls import Command
from yardstone.go.feature_store import FeatureStore


@pytest.fixture(autouse=True)
def _network(net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARDSTONE_NET", str(net))


def test_one_game_is_shown_move_by_move(run: Command) -> None:
    text = run("go analyse game.sgf").out
    lines = text.splitlines()
    assert lines[:3] == [
        "Ann 3k (Black) – Bob (White)",
        "2024-05-01, result B+5.5",
        "11 moves on 9x9, japanese rules, komi 6.5; network random-10-1",
    ]
    moves = [words for line in lines[3:] if (words := line.split()) and words[0].isdigit()]
    assert [row[:3] for row in moves[:2]] == [["1", "B", "E5"], ["2", "W", "G7"]]
    assert len(moves[0]) == 11
    total = next(line for line in lines if line.startswith("Ann (B)")).split()
    assert total[2:4] == ["all", "5"]  # the passes at the end do not count
    assert "on 9x9 11 and 34" in text
    few = run("go analyse game.sgf --no-moves").out
    assert [bool(re.search(r" 11 +B +pass", each)) for each in (text, few)] == [True, False]


def test_every_format_says_the_same(run: Command) -> None:
    run("go analyse game.sgf -o a.parquet -o a.html")
    rows, result = run.rows("go analyse game.sgf"), run.json("go analyse game.sgf")
    assert (len(rows), rows[0]["colour"], rows[10]["counted"]) == (11, "black", "false")
    (single,) = result["games"]
    assert (result["network"], single["black"], single["komi"]) == ("random-10-1", "Ann", 6.5)
    for move, row in zip(single["moves"], rows, strict=True):
        assert (str(move["white_lead"]), str(move["rank"])) == (row["white_lead"], row["rank"])
        known = move["counted"] and not move["decided"]
        for name in ("win_loss", "point_loss", "point_error"):
            assert (move[name] is not None) == known
        assert not known or (move["point_loss"] >= 0.0 and move["win_loss"] >= 0.0)
        if move["best"] == move["move"] and known and not move["point_loss"]:
            assert move["better"] is None
    table = duckdb.execute("select count(*), sum(number) from 'a.parquet'")
    assert table.fetchall() == [(11, 66)]
    assert all(words in run.read("a.html") for words in ("<summary>All moves</summary>", "<svg"))


def test_several_games(run: Command) -> None:
    said = run("go analyse games.sgf -o games.svg")
    note = "Note: move 2 is illegal (White E5): analysed up to there"
    assert all(words in said.out for words in ("All 3 games, by player", "Bob, 2 games", note))
    assert "1 record was skipped" in said.err
    assert "Ann 3k (Black)" in run.read("games.svg")
    second = run("go analyse games.sgf --game 2 --no-moves --komi 0.5 --rules chinese").out
    assert re.match(r"(?s)Bob \(Black\) – Cid \(White\).*chinese rules, komi 0\.5", second)
    every = run.json("go analyse games.sgf --variations")["games"]
    assert [len(each["moves"]) for each in every] == [11, 4, 3, 1]


def test_judge(run: Command) -> None:
    line = "go judge games.sgf"
    text = run(f"{line} --sure 50").out
    assert text.startswith("2 games judged by random-10-1\nDecided (at least 50 % sure): 2;")
    rows, judged = run.rows(f"{line} --sure 50"), run.json(line)["games"]
    analysed = run.json("go analyse games.sgf")["games"]
    assert [each["moves"] for each in judged] == [9, 4]
    for row, each, whole in zip(rows, judged, analysed, strict=False):
        share = each["white_winrate"]
        assert share == pytest.approx(whole["moves"][each["moves"] - 1]["white_winrate"], abs=1e-5)
        assert row["judged"] == ("white" if share > 0.5 else "black")
        assert row["agrees"] == str(row["judged"] == row["recorded"]).lower()
        wanted = "white" if share >= 0.6 else "black" if share <= 0.4 else "undecided"
        assert each["judged"] == wanted
    contrary = sum(row["agrees"] == "false" for row in rows)
    assert ("The other winner" in text) == (contrary > 0)
    assert "<title>Judged games</title>" in run(f"{line} --format html").out


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
    run("go evaluate out.jsonl.gz -o again.jsonl")  # what comes out can go in
    values = [json.loads(line) for line in run.read("again.jsonl").splitlines()]
    assert [row["policy"] for row in values[::2]] == [row["policy"] for row in result[::2]]
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
    assert all(words in run.read("store/skipped.csv") for words in ("illegal (White E5)", "25"))
    opened = FeatureStore.open(Path("store"))
    assert opened.games["black"].tolist() == ["Ann", "Bob"]
    assert opened.features(0, "pick", 2).shape == (4, 16)
    assert opened.array("point")[opened.rows(0, 2)].tolist() == [24, 60, 0, 32]
    assert opened.settings["rules"] == "koPOSITIONALscoreAREAtaxNONEsui1"
    assert run(line).out.startswith("2 games, 13 moves")  # again: all is there
    for option, message in (
        ("--symmetries 2", "symmetries is 1, not 2"), ("--rules japanese", "rules"),
        ("--features head", "trunk"), ("--batch 8", "batch is 16, not 8"),
    ):  # fmt: skip
        assert f"another setting: {message}" in run(f"{line} {option}", status=1).err
