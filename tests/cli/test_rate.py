from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest

from tests.shared import shared_path
from yardstone.cli.main import main

GAME = '[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n{}\n\n'


def pgn(*games: tuple[str, str, str]) -> str:
    return "".join(GAME.format(white, black, result, result) for white, black, result in games)


CIRCLE = [
    ("Ann", "Bob", "1-0"),
    ("Bob", "Cid", "1-0"),
    ("Cid", "Ann", "1/2-1/2"),
    ("Bob", "Ann", "0-1"),
    ("Cid", "Bob", "1-0"),
    ("Ann", "Cid", "1-0"),
    ("Bob", "Ann", "1/2-1/2"),
    ("Ann", "Bob", "0-1"),
    ("Cid", "Bob", "1/2-1/2"),
    ("Bob", "Cid", "0-1"),
] * 3


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(pgn(*CIRCLE))
    return path


@pytest.fixture
def apart(tmp_path: Path) -> Path:
    """Two groups, and somebody who won his only game."""
    path = tmp_path / "apart.pgn"
    others = [("Dee", "Eve", "1-0"), ("Eve", "Dee", "1/2-1/2"), ("Max", "Ann", "1-0")]
    path.write_text(pgn(*CIRCLE, *others, ("Ann", "Bob", "*"), ("Ann", "Bob", "?")))
    return path


def run(capsys: pytest.CaptureFixture[str], *given: object, said: str = "") -> str:
    status = main(["rate", *map(str, given)])
    out, err = capsys.readouterr()
    assert status == 0
    assert said in err if said else err == ""
    return out


def rows(text: str) -> dict[str, dict[str, str]]:
    return {row["player"]: row for row in csv.DictReader(text.splitlines())}


def test_a_list_for_people(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, games)
    lines = out.splitlines()
    assert lines[0] == "30 games of 3 players"
    assert lines[3].split()[:2] == ["1", "Ann"]
    assert "First-move advantage: " in out
    assert "Draw rate of equal players: " in out
    assert "95 % confidence interval, relative to the mean of the group" in out
    assert "\x1b" not in out


def test_what_cannot_be_compared_is_said(apart: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skipped = "yardstone: 2 records were skipped: 1 unfinished (result *), 1 unknown result\n"
    out = run(capsys, apart, said=skipped)
    assert "Group 2 (Dee and Eve): no game links it to another group." in out
    assert out.count("(> or <: where that has an even chance)") == 1
    assert out.count("Max won every game: no rating or rank can be given.") == 1
    assert "With 95 % confidence at least: Max " in out
    assert "Skipped: 2 records" in out
    assert f"{apart}:" in out
    joined = run(capsys, apart, "--join", 200, said=skipped)
    assert "Group 2" not in joined
    assert "relative to the priors" in joined


def test_formats_follow_the_ending(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("list.csv", "list.json", "list.parquet", "list.txt"):
        assert run(capsys, games, "-o", tmp_path / name) == ""
    assert "30 games" in run(capsys, games, "-o", tmp_path / "list.html")
    result = rows((tmp_path / "list.csv").read_text())
    assert list(result) == ["Ann", "Cid", "Bob"]
    plain = json.loads((tmp_path / "list.json").read_text())
    assert [row["player"] for row in plain["ratings"]] == ["Ann", "Cid", "Bob"]
    with duckdb.connect() as connection:
        table = connection.read_parquet(str(tmp_path / "list.parquet"))
        assert [row[0] for row in table.select("player").fetchall()] == ["Ann", "Cid", "Bob"]
    assert (tmp_path / "list.html").read_text().startswith("<!DOCTYPE html>")
    assert "30 games" in (tmp_path / "list.txt").read_text()
    assert run(capsys, games, "--format", "csv") == (tmp_path / "list.csv").read_text()
    assert run(capsys, games, "--format", "json", "-o", tmp_path / "x") == ""
    assert json.loads((tmp_path / "x").read_text()) == plain
    assert main(["rate", str(games), "--format", "json", "-o", str(tmp_path / "x.csv")]) == 2
    assert "the ending says csv, and json is to be written" in capsys.readouterr().err


def test_several_outputs_at_once(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {name: tmp_path / name for name in ("p.svg", "h.html", "m.csv", "m.parquet")}
    pictures = ("-o", files["p.svg"], "-o", files["h.html"])
    assert "30 games" in run(capsys, games, *pictures, "--matrix", files["m.csv"])
    assert run(capsys, games, "-q", "--matrix", files["m.parquet"]) == ""
    assert all(path.stat().st_size for path in files.values())
    matrix = list(csv.DictReader(files["m.csv"].read_text().splitlines()))
    assert [(row["player"], row["other"]) for row in matrix] == [
        ("Ann", "Cid"),
        ("Ann", "Bob"),
        ("Cid", "Bob"),
    ]
    assert {path.name for path in tmp_path.iterdir()} == {*files, "games.pgn"}


def test_anchors_priors_and_relations(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = rows(run(capsys, games, "--format", "csv", "--anchor", "Bob=1500"))
    assert float(result["Bob"]["rating"]) == pytest.approx(1500)
    assert float(result["Bob"]["deviation"]) == 0.0
    assert "relative to the anchor, Bob" in run(capsys, games, "--anchor", "Bob=1500")
    result = rows(run(capsys, games, "--format", "csv", "--anchor", "Bob=1000±1"))
    assert float(result["Bob"]["rating"]) == pytest.approx(1000, abs=1)
    result = rows(run(capsys, games, "--format", "csv", "--relation", "Bob>Ann=50±0.1"))
    assert float(result["Bob"]["rating"]) - float(result["Ann"]["rating"]) == pytest.approx(
        50, abs=1
    )


def test_model_options(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fixed = json.loads(
        run(capsys, games, "--format", "json", "--first-advantage", 35, "--draw-rate", "30%")
    )
    assert fixed["first_advantage"]["value"] == pytest.approx(35)
    assert fixed["draw_rate"]["value"] == pytest.approx(0.3)
    prior = json.loads(run(capsys, games, "--format", "json", "--first-advantage", "35±0.01"))
    assert prior["first_advantage"]["value"] == pytest.approx(35, abs=0.1)
    result = rows(run(capsys, games, "--format", "csv", "--average", 0))
    assert sum(float(row["rating"]) for row in result.values()) == pytest.approx(0, abs=1e-6)


def test_confidence_widens_the_intervals(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def width(level: str) -> float:
        result = rows(run(capsys, games, "--format", "csv", "--confidence", level))["Ann"]
        return float(result["high"]) - float(result["low"])

    assert width("99") / width("95") == pytest.approx(2.5758 / 1.96, rel=1e-3)
    assert "99 % confidence" in run(capsys, games, "--confidence", "99")


def test_simulation_is_repeatable(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = (games, "--format", "csv", "--simulate", 60, "--seed", 3)
    assert main(["rate", *map(str, given), "--workers", "1"]) == 0
    one = rows(capsys.readouterr().out)
    assert main(["rate", *map(str, given), "--workers", "2"]) == 0
    assert rows(capsys.readouterr().out) == one
    direct = rows(run(capsys, games, "--format", "csv"))
    ratio = float(one["Ann"]["deviation"]) / float(direct["Ann"]["deviation"])
    assert 0.6 < ratio < 1.7


def test_an_unbounded_advantage_gets_a_wide_prior(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "white.pgn"
    path.write_text(pgn(("A", "B", "1-0"), ("B", "A", "1-0"), ("A", "B", "1-0")))
    out = run(capsys, path)
    assert "The games say little about the first-move advantage" in out
    assert main(["rate", str(path), "--first-advantage", "20"]) == 0
    assert "say little of the advantage" not in capsys.readouterr().out


def test_a_handful_of_games_keeps_its_weak_priors_when_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first move came out as 397 ± 425, draws as "100.0 % (given)", which nobody gave."""
    path = tmp_path / "few.csv"
    path.write_text("first,second,score\nAnn,Bob,1\nBob,Cid,1\nCid,Dan,1\nDan,Ann,0.5\n")
    for joined in ((), ("--join", "300")):
        result = json.loads(run(capsys, path, *joined, "--format", "json"))
        assert abs(result["first_advantage"]["value"]) < 200
        assert 0.1 < result["draw_rate"]["low"] < result["draw_rate"]["high"] < 0.95
        assert sum("say little about" in line for line in result["caveats"]) == 2
    assert "(given)" not in run(capsys, path, "--join", 300)
    assert "30.0 points (given)" in run(capsys, path, "--first-advantage", 30)


def test_joined_replays_agree_with_the_direct_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Replays that kept the prior of --join where it was said ± 138 in place of ± 478."""
    path = tmp_path / "two.csv"
    path.write_text("first,second,score\nAnn,Bob,1\nBob,Ann,0\nCid,Dan,0.5\nDan,Cid,0.5\n")
    options = ("--join", 300, "--format", "csv", "--draw-rate", "50%", "--first-advantage", 0)
    direct = rows(run(capsys, path, *options))
    replayed = rows(run(capsys, path, *options, "--simulate", 300, "--seed", 1))
    for name, row in direct.items():
        assert float(replayed[name]["deviation"]) == pytest.approx(
            float(row["deviation"]), rel=0.15
        )


def test_a_spread_that_join_does_not_fit_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "close.csv"
    games = [f"P{i},P{j},{score}" for i in range(8) for j in range(8) if i != j for score in (1, 0)]
    path.write_text("first,second,score\n" + "\n".join(games) + "\n")
    assert "not 1000 as given" in run(capsys, path, "--join", 1000)


def test_names(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "names.csv"
    fixed = ("--format", "csv")
    names.write_text("Ann\nCid\n")
    assert set(rows(run(capsys, games, *fixed, "--include", names))) == {"Ann", "Cid"}
    names.write_text("Bob\n")
    assert "Bob" not in rows(run(capsys, games, *fixed, "--exclude", names))
    names.write_text("Ann,Cid\n")
    assert set(rows(run(capsys, games, *fixed, "--synonyms", names))) == {"Ann", "Bob"}


def test_min_games_and_top(apart: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Max" not in rows(
        run(capsys, apart, "--format", "csv", "--min-games", 5, said="2 records were skipped")
    )
    out = run(capsys, apart, "--top", 1, said="2 records were skipped")
    assert "more players (--top 0 shows all)" in out


def test_neutral_ground_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{home},{away},{k == 1},{result}" for k, (home, away, result) in enumerate(CIRCLE)]
    (table := tmp_path / "neutral.csv").write_text("\n".join(["home,away,neutral,result", *lines]))
    said = f"yardstone: {table}: neutral ground in 'neutral' is not used: in 1 of {len(CIRCLE)} "
    run(capsys, table, said=said)
    run(capsys, table, "--where", "NOT neutral", said="1 of ")


def test_tables_and_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "results.csv"
    lines = [f"{white},{black},{result}" for white, black, result in CIRCLE]
    table.write_text("\n".join(["W,B,R", *lines]) + "\n")
    given = ("--columns", "first=W,second=B,score=R", "--format", "csv")
    answer = rows(run(capsys, table, *given))
    assert list(answer) == ["Ann", "Cid", "Bob"]
    sql = f"SELECT W AS white, B AS black, R AS result FROM '{table}'"
    queried = rows(run(capsys, "--query", sql, "--format", "csv"))
    assert queried == answer
    names = tmp_path / "names.csv"
    names.write_text("Bob\n")
    fixed = ("--exclude", names, "--format", "csv")
    assert set(rows(run(capsys, "--query", sql, *fixed))) == {"Ann", "Cid"}


@pytest.mark.parametrize(
    ("given", "status", "message"),
    [
        ([], 2, "name a file of results"),
        (["{tmp}/gone.pgn"], 1, "gone.pgn"),
        (["{games}", "-o", "{tmp}/gone/list.csv"], 1, "there is no such folder"),
        (["{games}", "-o", "{tmp}"], 1, "folder"),
        (["{games}", "-o", "{tmp}/list.gif"], 2, "must end in"),
        (["{games}", "--format", "parquet"], 2, "name a file with -o"),
        (["{games}", "--format", "xml"], 2, "xml"),
        (["{games}", "--anchor", "Ann"], 2, "NAME=RATING"),
        (["{games}", "--anchor", "Zoe=2500"], 1, "'Zoe'"),
        (["{games}", "--confidence", "100"], 2, "--confidence"),
        (["{games}", "--draw-rate", "3"], 2, "draw rate"),
        (["{games}", "--join", "-3"], 2, "join"),
        (["{games}", "--simulate", "1"], 2, "whole number from 2"),
        (["{games}", "--top", "-1"], 2, "--top"),
        (["{games}", "{games}", "--query", "SELECT 1"], 2, "one database"),
        (["{games}", "--no-such"], 2, "--no-such"),
    ],
)
def test_errors_are_one_clear_line(
    given: list[str],
    status: int,
    message: str,
    games: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    filled = [text.format(tmp=tmp_path, games=games) for text in given]
    assert main(["rate", *filled]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("yardstone: error: ")
    assert message in err
    assert len(err.splitlines()) <= 2
    assert {path.name for path in tmp_path.iterdir()} == {"games.pgn"}


def test_strict_stops_at_the_first_bad_record(
    apart: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rate", str(apart), "--strict"]) == 1
    assert capsys.readouterr().err.startswith(f"yardstone: error: {apart}:")


def test_an_unwritable_file_leaves_the_old_one(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "list.csv"
    path.write_text("old")
    assert main(["rate", str(games), "-o", str(path), "--anchor", "Zoe=1"]) == 1
    assert path.read_text() == "old"
    capsys.readouterr()


def test_a_perfect_score_is_no_first_rank(capsys: pytest.CaptureFixture[str]) -> None:
    tcec = str(shared_path("data/chess/tcec_headers.pgn.gz"))
    assert main(["rate", tcec, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    largest = [row for row in rows if row["component"] == "1"]
    bounds = [row["status"] != "rated" for row in largest]
    assert bounds == sorted(bounds)
    assert 0 < sum(bounds) < len(bounds)
    assert all((row["rank"] == "") == bound for row, bound in zip(largest, bounds, strict=True))
    ranked = [row for row in largest if row["rank"]]
    assert [int(row["rank"]) for row in ranked] == list(range(1, len(ranked) + 1))
    for row in ranked:
        low, high = (int(row[f"rank_{end}"]) for end in ("low", "high"))
        assert 1 <= low <= int(row["rank"]) <= high <= len(ranked)
        assert int(row["games"]) > 2 or 0.0 < float(row["score"]) < 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "x.xlsx"], "-o x.xlsx: the file must end in .txt"),
        (["-o", "x.xlsx"], ".html, .htm, .svg, .png or .pdf, or say what"),
        (["--matrix", "x.xlsx"], "--matrix x.xlsx: the file must end in .csv, .parquet or .pq"),
    ],
)
def test_endings_that_are_not_ours(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("rate", "history", "evaluate"):
        if command == "rate" or options[0] != "--matrix":
            assert main([command, "games.pgn", *options]) == 2
            assert message in capsys.readouterr().err


@pytest.mark.parametrize("form", ["json", "csv", "text"])
def test_with_little_memory_the_list_is_the_same(
    form: str, apart: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = []
    for more in ([], ["--memory", "500MB"]):
        assert main(["rate", str(apart), "--format", form, *more]) == 0
        lists.append(capsys.readouterr())
    assert lists[0] == lists[1]


def test_memory_is_for_lists_from_counts(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", str(games), "--memory", "1GB", "--paired", "Round"]) == 2
    assert "--paired needs each game" in capsys.readouterr().err
    assert main(["rate", str(games), "--memory", "much"]) == 2
    assert "such as 2GB or 500MB" in capsys.readouterr().err
