from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from math import floor
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.strength.estimate_cases import Case, game, make_case, sgf
from yardstone.cli.commands import application
from yardstone.cli.main import main
from yardstone.errors import UsageError
from yardstone.strength import strengths
from yardstone.strength.calibration import Calibration

Run: TypeAlias = Callable[..., str]
GAMES = [
    game(11, "Anna", "Bob", day=3),
    game(12, "Cid", "Anna", day=1),
    game(13, "Anna", "Dora", day=2),
]


@pytest.fixture(autouse=True)
def _scales_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of random moves the scales say what contradicts each other; tests/strength looks at that."""
    monkeypatch.setattr(strengths, "_APART", 99.0)


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_case(tmp_path_factory.mktemp("case"))


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.sgf"
    path.write_text("\n".join(map(sgf, GAMES)))
    return path


@pytest.fixture
def run(case: Case, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a subcommand with the small network, and gives what it printed."""

    def command(*arguments: object) -> str:
        given = [*map(str, arguments), "--net", str(case.file), "--model", str(case.model_file)]
        application("strength")(args=given, prog_name="strength", standalone_mode=False)
        return capsys.readouterr().out

    return command


def test_an_estimate_as_text(run: Run, games: Path) -> None:
    text = run("estimate", games)
    blocks = text.rstrip("\n").split("\n\n")
    assert re.fullmatch(
        r"Anna: \S+ \(-?\d\.\d\) on the scale of Fox\n"
        r"90 % interval \S+ to \S+: .*; from 96 moves in 3 games\n"
        r"On other scales: OGS .*, OGS 2020 .*, EGF .*",
        blocks[0],
    )
    assert blocks[1].startswith("Fox rank  3-5k  1-2k  1d")
    assert [line.split()[0] for line in blocks[2].splitlines()] == [
        "Phase",
        "opening",
        "middle",
        "endgame",
    ]
    rows = [line.split() for line in blocks[3].splitlines()[1:]]
    assert [row[1:4] for row in rows] == [
        ["2024-03-02", "Cid", "W"],
        ["2024-03-03", "Dora", "B"],
        ["2024-03-04", "Bob", "B"],
    ]
    assert blocks[4].startswith(("The costliest moves", "No move stands out"))
    assert blocks[-2].startswith("Note:\n  • ")
    assert blocks[-1].startswith("Network ")


def test_json_csv_parquet_and_page_say_the_same(run: Run, games: Path, tmp_path: Path) -> None:
    result = json.loads(run("estimate", games, "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(run("estimate", games, "--format", "csv"))))
    assert [row["part"] for row in rows] == ["all", "phase", "phase", "phase", *["game"] * 3]
    assert {row["player"] for row in rows} == {"Anna"}
    for name in ("rating", "low", "high", "rank", "games", "moves"):
        assert rows[0][name] == str(result[name])
    for row, each in zip(rows[4:], result["by_game"], strict=True):
        assert row["opponent"] == each["opponent"]
        assert row["rating"] == str(each["rating"])
        assert row["running_high"] == str(each["running"]["high"])
    run("estimate", games, "-o", tmp_path / "anna.parquet")
    import duckdb

    with duckdb.connect() as connection:
        table = connection.execute(
            "select count(*), sum(moves) from read_parquet(?) where part = 'game'",
            [str(tmp_path / "anna.parquet")],
        )
        assert table.fetchall() == [(3, 96)]
    run("estimate", games, "-o", tmp_path / "anna.html")
    page = (tmp_path / "anna.html").read_text()
    assert "<h1>How strong is Anna?</h1>" in page
    assert page.count("<figure>") >= 5
    assert f"{floor(10 * result['rating']) / 10:.1f}" in page


def test_scales_levels_and_a_picture(run: Run, games: Path, tmp_path: Path) -> None:
    picture = tmp_path / "anna.svg"
    text = run("estimate", games, "--scale", "egf", "--confidence", "50", "-o", picture)
    assert "on the scale of EGF" in text
    assert "\n50 % interval " in text
    assert picture.read_text().startswith("<?xml")


def test_names_from_strangers_stay_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(sgf(game(14, "<script>alert(1)</script>", "$x_1$ & \\\\frac")))
    run("estimate", path, "--colour", "black", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    run("estimate", path, "--colour", "black", "-o", tmp_path / "a.png")


def complaint(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = main(["strength", *map(str, arguments)])
    return status, capsys.readouterr().err


def test_one_game_asks_whose_strength(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(sgf(GAMES[0]))
    net = ("--net", case.file, "--model", case.model_file)
    status, error = complaint(capsys, "estimate", path, *net)
    assert status == 2
    assert error == (
        "yardstone: error: whose strength? This game is between Anna and Bob: "
        "name the player with --player NAME\n"
    )


def test_on_a_terminal_it_is_asked(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(sgf(GAMES[0]))

    class Terminal(io.StringIO):
        buffer = io.BytesIO()

        def isatty(self) -> bool:
            return True

    for answer in ("2\n", "bob\n"):
        stderr = Terminal()
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        monkeypatch.setattr(sys, "stderr", stderr)
        assert run("estimate", path).lower().startswith("bob: ")
        shown = stderr.getvalue()
        assert "Whose strength?\n  1  Anna (1 game)\n  2  Bob (1 game)\n" in shown
    monkeypatch.setattr(sys, "stdin", Terminal("\n"))
    with pytest.raises(UsageError, match="nobody is named"):
        run("estimate", path, "-q")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--confidence", "0"), "a level lies between 0 and 100 %"),
        (("--player", "Anna", "--colour", "black"), "name one of them"),
        (("--scale", "club.json"), "--scale is 'fox'"),
        (("--scale", "kgs"), "kgs"),
        (("-o", "anna.doc"), ".svg, .png or .pdf"),
    ],
)
def test_wrong_usage(
    games: Path, arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, error = complaint(capsys, "estimate", games, *arguments)
    assert status == 2
    assert words in error


def test_bad_input_is_one_clear_line(
    case: Case, games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ("--model", case.model_file)
    net = (*model, "--net", case.file)
    empty = tmp_path / "empty.sgf"
    empty.write_text("no game")
    for arguments, words in (
        ((games, "--player", "Zoe", *net), "no game is by 'Zoe' (there are Anna, Bob, Cid, Dora)"),
        ((empty, *net), "no game can be used"),
        ((games, "--net", empty, *model), "empty.sgf"),
        ((games, "--model", games), "no rank model"),
        ((games, "--scale", games, *net), "not a calibration"),
        ((games, "-o", tmp_path / "no" / "a.json", *net), "no such folder"),
    ):
        status, error = complaint(capsys, "estimate", *arguments)
        assert status == 1
        assert error.count("\n") == 1
        assert words in error


def test_broken_records_are_skipped_and_reported(
    run: Run,
    games: Path,
    case: Case,
    capsys: pytest.CaptureFixture[str],
) -> None:
    same = json.loads(run("estimate", games, "--format", "json"))
    small = game(15, "Anna", "Bob", moves=4)
    games.write_text(
        games.read_text() + "\n(;SZ[19;B[" + "\n" + sgf(small).replace("SZ[19]", "SZ[23]")
    )
    net = ("--net", case.file, "--model", case.model_file)
    assert main(["strength", "estimate", str(games), "--format", "json", *map(str, net)]) == 0
    out, error = capsys.readouterr()
    result = json.loads(out)
    assert result["rating"] == same["rating"]
    assert result["skipped"]["total"] == 2
    words = "2 records were skipped: 1 board size not supported, 1 not a game of Anna\n"
    assert f"yardstone: {words}" in error


RATINGS = "player,rating\nAnna,1800\nBob,1500\nCid,1650\nDora,1400\nZoe,1900\n"


def test_a_calibration_from_games_and_back(
    run: Run,
    games: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table, line = tmp_path / "ratings.csv", tmp_path / "club.json"
    table.write_text(RATINGS)
    estimates = csv.DictReader(
        io.StringIO(calibrated(run, table, games, capsys, "--format", "csv"))
    )
    by_player = {row["player"]: float(row["estimate"]) for row in estimates}
    ordered = sorted(by_player, key=lambda name: by_player[name])
    table.write_text(
        "player,rating\nZoe,1900\n"
        + "".join(f"{name},{1400 + 100 * place}\n" for place, name in enumerate(ordered))
    )
    text = calibrated(run, table, games, capsys, "--site", "club", "--save", line)
    assert text.startswith("club = ")
    assert "4 players from" in text
    assert "Predicting 3 games between them" in text
    assert "Without a game: Zoe" in text
    kept = Calibration.load(line)
    assert (kept.site, kept.players, kept.kind) == ("club", 4, "points")
    result = json.loads(run("estimate", games, "--scale", line, "--format", "json"))
    expected = kept.slope * result["scales"]["fox"]["rating"] + kept.intercept
    assert result["rating"] == pytest.approx(expected, abs=0.01 * kept.slope + 0.5)
    assert (result["scale"], result["rank"]) == ("club", None)
    assert "on the scale of club" in run("estimate", games, "--scale", line)


def calibrated(
    run: Run, table: Path, games: Path, capsys: pytest.CaptureFixture[str], *more: object
) -> str:
    """What calibrate prints; a fit that is refused is tried with the ratings turned round."""
    from yardstone.errors import ModelError

    try:
        return run("calibrate", table, games, *more)
    except ModelError:
        capsys.readouterr()
        rows = [line.split(",") for line in table.read_text().splitlines()[1:]]
        turned = [f"{name},{3000 - float(rating)}" for name, rating in rows]
        table.write_text("\n".join(["player,rating", *turned]))
        return run("calibrate", table, games, *more)


def test_a_calibration_from_a_table_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "pairs.csv"
    table.write_text("player,rating,estimate\nAnna,1500,2\nBob,1700,4\nCid,1610,3\nEve,?,5\n")
    assert main(["strength", "calibrate", str(table), "--format", "json"]) == 0
    out, error = capsys.readouterr()
    result = json.loads(out)
    assert result["calibration"]["slope"] == pytest.approx(100.0)
    assert result["cost"] is None
    assert "the rating is not a number" in error
    assert main(["strength", "calibrate", str(table)]) == 0
    assert "what the line costs in prediction is unknown" in capsys.readouterr().out
    status, error = complaint(capsys, "calibrate", table, "--strict")
    assert (status, "pairs.csv:5" in error) == (1, True)
    table.write_text("player,rating\nAnna,1500\n")
    status, error = complaint(capsys, "calibrate", table)
    assert status == 1
    assert "name the players' games after the table" in error


def test_help_is_light() -> None:
    import subprocess

    heavy = "numba,scipy,duckdb,matplotlib,onnxruntime,torch,numpy"
    code = (
        "import sys; from yardstone.cli.commands import application; application();"
        f"print([m for m in {heavy!r}.split(',') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
