from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest

from tests.go.games import small_network
from yardstone.cli.commands import application
from yardstone.cli.main import main
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.go.feature_store import FeatureStore
from yardstone.go.nets import engines

#: Nine moves and two passes on a small board, with one stone thrown away.
GAME = (
    "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]PB[Ann]PW[Bob]BR[3k]WR[?]DT[2024-05-01]RE[B+5.5]"
    ";B[ee];W[gc];B[cc];W[gg];B[cg];W[aa];B[ge];W[fd];B[fe];W[];B[])"
)
OTHER = "(;GM[1]SZ[9]KM[6.5]PB[Bob]PW[Cid]RE[W+R];B[ee];W[ce](;B[gc];W[gg])(;B[cc]))"
ILLEGAL = "(;GM[1]SZ[9]PB[Dan]PW[Eve];B[ee];W[ee])"


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_network(tmp_path_factory.mktemp("net"))


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.sgf"
    path.write_text(GAME)
    return path


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.sgf"
    path.write_text("\n".join([GAME, OTHER, ILLEGAL, GAME.replace("SZ[9]", "SZ[25]")]))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("go")(args=[str(a) for a in arguments], standalone_mode=False)
    return capsys.readouterr().out


def test_one_game_is_shown_move_by_move(
    net: Path, game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(capsys, "analyse", game, "--net", net)
    lines = text.splitlines()
    assert lines[0] == "Ann 3k (Black) – Bob (White)"
    assert lines[1] == "2024-05-01, result B+5.5"
    assert lines[2] == ("11 moves on 9x9, japanese rules, komi 6.5; network random-10-1")
    moves = [words for line in lines[3:] if (words := line.split()) and words[0].isdigit()]
    assert [row[:3] for row in moves[:2]] == [["1", "B", "E5"], ["2", "W", "G7"]]
    assert len(moves[0]) == 11
    assert re.search(r" 11 +B +pass", text)
    total = next(line for line in lines if line.startswith("Ann (B)")).split()
    assert total[2:4] == ["all", "5"]  # the passes at the end do not count
    assert "on 9x9 11 and 34" in text
    short = run(capsys, "analyse", game, "--net", net, "--no-moves")
    assert not re.search(r" 11 +B +pass", short)


def test_csv_json_parquet_and_page_say_the_same(
    net: Path, game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = list(
        csv.DictReader(io.StringIO(run(capsys, "analyse", game, "--net", net, "--format", "csv")))
    )
    assert len(rows) == 11
    assert rows[0]["colour"] == "black"
    assert rows[10]["counted"] == "false"
    result = json.loads(run(capsys, "analyse", game, "--net", net, "--format", "json"))
    assert result["network"] == "random-10-1"
    (single,) = result["games"]
    assert (single["black"], single["komi"], single["rules"]) == ("Ann", 6.5, "japanese")
    for move, row in zip(single["moves"], rows, strict=True):
        assert str(move["white_lead"]) == row["white_lead"]
        assert str(move["rank"]) == row["rank"]
    for move in single["moves"]:
        known = move["counted"] and not move["decided"]
        for name in ("win_loss", "point_loss", "point_error"):
            assert (move[name] is not None) == known
        assert not known or (move["point_loss"] >= 0.0 and move["win_loss"] >= 0.0)
        if move["best"] == move["move"] and known and not move["point_loss"]:
            assert move["better"] is None
    run(capsys, "analyse", game, "--net", net, "-o", tmp_path / "a.parquet")
    import duckdb

    with duckdb.connect() as connection:
        table = connection.execute(
            "select count(*), sum(number) from read_parquet(?)", [str(tmp_path / "a.parquet")]
        )
        assert table.fetchall() == [(11, 66)]
    run(capsys, "analyse", game, "--net", net, "-o", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "<summary>All moves</summary>" in page
    assert "<svg" in page


def test_several_games(
    net: Path, games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "games.svg"
    assert main(["go", "analyse", str(games), "--net", str(net), "-o", str(picture)]) == 0
    out, error = capsys.readouterr()
    assert "All 3 games, by player" in out
    assert "Bob, 2 games" in out
    assert "Note: move 2 is illegal (White E5): analysed up to there" in out
    assert "1 record was skipped" in error
    assert "25" in error
    assert "Ann 3k (Black)" in picture.read_text()
    second = run(capsys, "analyse", games, "--net", net, "--game", "2", "--no-moves")
    assert second.startswith("Bob (Black) – Cid (White)")
    lines = run(capsys, "analyse", games, "--net", net, "--variations", "--format", "json")
    assert [len(each["moves"]) for each in json.loads(lines)["games"]] == [11, 4, 3, 1]


def test_judge(net: Path, games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "judge", games, "--net", net, "--sure", "50")
    assert text.startswith("2 games judged by random-10-1\nDecided (at least 50 % sure): 2;")
    csv_text = run(capsys, "judge", games, "--net", net, "--sure", "50", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(csv_text)))
    result = json.loads(run(capsys, "judge", games, "--net", net, "--format", "json"))
    analysed = json.loads(run(capsys, "analyse", games, "--net", net, "--format", "json"))
    for row, judged, whole, moves in zip(
        rows, result["games"], analysed["games"], (9, 4), strict=False
    ):
        share = judged["white_winrate"]
        assert judged["moves"] == moves
        assert share == pytest.approx(whole["moves"][moves - 1]["white_winrate"], abs=1e-5)
        assert row["judged"] == ("white" if share > 0.5 else "black")
        assert row["agrees"] == str(row["judged"] == row["recorded"]).lower()
        wanted = "white" if share >= 0.6 else "black" if share <= 0.4 else "undecided"
        assert judged["judged"] == wanted
    contrary = sum(row["agrees"] == "false" for row in rows)
    assert ("The other winner" in text) == (contrary > 0)
    page = run(capsys, "judge", games, "--net", net, "--format", "html")
    assert "<title>Judged games</title>" in page


def test_evaluate_keeps_the_lines(
    net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in.jsonl.gz"
    lines = ['{"id": 1, "moves": "E5", "size": 9}', "{bad", '{"id": 2, "moves": []}']
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    application("go")(args=["evaluate", str(path), "--net", str(net)], standalone_mode=False)
    out, error = capsys.readouterr()
    result = [json.loads(line) for line in out.splitlines()]
    assert [row.get("id") for row in result] == [1, None, 2]
    assert [len(row.get("policy", ())) for row in result] == [81, 0, 361]
    assert f"{path}:2: no JSON" in error
    packed = tmp_path / "out.jsonl.gz"
    run(capsys, "evaluate", path, "--net", net, "-o", packed)
    assert gzip.decompress(packed.read_bytes()).decode() == out
    again = tmp_path / "out.jsonl"
    run(capsys, "evaluate", packed, "--net", net, "-o", again)
    values = [json.loads(line) for line in again.read_text().splitlines()]
    assert [row["policy"] for row in values[::2]] == [row["policy"] for row in result[::2]]


def test_evaluate_leaves_nothing_half_written(
    net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"moves": "E5"}\n{"moves": "E5 E5"}\n')
    with pytest.raises(StrictError, match=r"in\.jsonl:2: move 2 is illegal"):
        run(capsys, "evaluate", path, "--net", net, "--strict", "-o", out)
    path.write_text("[1, 2]\n")
    with pytest.raises(NoGamesError, match="no line holds a position"):
        run(capsys, "evaluate", path, "--net", net, "-o", out)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl"]


def test_features(
    net: Path, games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store"
    command: list[str | Path] = ["features", games, "--net", net, "-o", store, "--workers", "1"]
    application("go")(args=[str(word) for word in command], standalone_mode=False)
    out, error = capsys.readouterr()
    assert out == (f"2 games, 13 moves: head, pick (16 channels of random-10-1) in {store}\n")
    assert "2 records were skipped" in error
    skipped = (store / "skipped.csv").read_text()
    assert "move 2 is illegal (White E5)" in skipped
    assert "25" in skipped
    opened = FeatureStore.open(store)
    assert opened.games["black"].tolist() == ["Ann", "Bob"]
    assert opened.features(0, "pick", 2).shape == (4, 16)
    assert opened.array("point")[opened.rows(0, 2)].tolist() == [24, 60, 0, 32]
    assert run(capsys, *command).startswith("2 games, 13 moves")  # again: all is there
    with pytest.raises(InputError, match="another setting: symmetries is 1, not 2"):
        run(capsys, *command, "--symmetries", "2")
    other = [*command[:-2], "--rules", "japanese"]
    with pytest.raises(InputError, match="another setting: rules"):
        run(capsys, *other)


def test_the_network_can_come_from_the_environment(
    net: Path, game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YARDSTONE_NET", str(net))
    assert "random-10-1" in run(capsys, "judge", game)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["analyse", "GAME", "--phases", "50"], "two numbers"),
        (["analyse", "GAME", "--phases", "50,10"], "smaller"),
        (["analyse", "GAME", "--mistake", "0"], "more than 0"),
        (["analyse", "GAME", "--rules", "chess"], "--rules"),
        (["analyse", "GAME", "-o", "x.gif"], "must end in"),
        (["analyse", "GAME", "--format", "parquet"], "Parquet is not text"),
        (["judge", "GAME", "--sure", "40"], "50 to 100"),
        (["features", "GAME", "-o", "store", "--features", "head,tree"], "no features tree"),
        (["features", "-", "-o", "store"], "read twice"),
        (["evaluate", "EMPTY"], "name one"),
        (["judge", "GAME", "--precision", "bf16", "--runtime", "onnxruntime"], "bf16 needs"),
        (["judge", "GAME", "--device", "cuda", "--precision", "bf16"], "cuda computes in fp32"),
        (["judge", "GAME", "--device", "cuda"], "cuda cannot be used: no card is wanted here"),
        (["features", "GAME", "-o", "store", "--device", "cuda"], "no card is wanted here"),
    ],
)
def test_wrong_usage(
    arguments: list[str],
    message: str,
    net: Path,
    game: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "_fault", lambda _: "no card is wanted here")
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.jsonl").touch()
    words = {"GAME": str(game), "EMPTY": str(folder), "store": str(tmp_path / "store")}
    with pytest.raises(UsageError, match=message):
        run(capsys, *(words.get(word, word) for word in arguments), "--net", net)
    assert not (tmp_path / "store").exists()


def test_errors_in_the_input(
    net: Path, game: Path, games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="no such file"):
        run(capsys, "analyse", tmp_path / "none.sgf", "--net", net)
    with pytest.raises(InputError, match="there is no game 3"):
        run(capsys, "analyse", game, "--net", net, "--game", "3")
    with pytest.raises(StrictError, match="25"):
        run(capsys, "judge", games, "--net", net, "--strict")
    with pytest.raises(InputError, match="this is a file"):
        run(capsys, "features", game, "--net", net, "-o", game)
    broken = tmp_path / "broken.sgf"
    broken.write_text("no game at all")
    with pytest.raises(NoGamesError):
        run(capsys, "analyse", broken, "--net", net)
    assert main(["go", "analyse", str(broken), "--net", str(net)]) == 1
    assert "yardstone: error:" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["evaluate", "analyse", "judge", "features"])
def test_every_option_is_explained(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    guide = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "go.md").read_text()
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", run(capsys, command, "--help-all")))
    missing = {option for option in options if option not in guide} - {
        "--help",
        "--help-all",
        "--output",
    }
    assert len(options) > 5
    assert not missing
