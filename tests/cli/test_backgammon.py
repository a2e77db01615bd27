from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.backgammon.kept import program_and_ledger, write_matches
from tests.backgammon.known_errors import known_error
from yardstone.backgammon.formulas import REFIT
from yardstone.cli.commands import application
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError

#: Runs `analyse` with more options: what it prints on each stream.
Analysed = Callable[..., tuple[str, str]]


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("backgammon")(
        args=[str(a) for a in arguments], prog_name="backgammon", standalone_mode=False
    )
    return capsys.readouterr().out


def test_a_rating(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["rating", "--epm", "0.0085", "--epc", "0.021", "--length", "7"]
    assert run(capsys, *asked).startswith("Rating 1927.7, -122.3 to perfect play at 2050")
    result = json.loads(run(capsys, *asked, "--offset", "2100", "--format", "json"))
    assert result["rating"] == pytest.approx(1977.655, abs=0.001)
    other = json.loads(run(capsys, *asked, "--offset", "gamesite2000", "--format", "json"))
    assert other["rating"] == pytest.approx(result["rating"] + 100)
    people = json.loads(run(capsys, *asked, "--formula", "people", "--format", "json"))
    assert 2050 - people["rating"] == pytest.approx(0.845 * 122.345, abs=0.001)
    reach = 1.96 * 0.067 * 122.345
    assert people["interval"]["high"] == pytest.approx(people["rating"] + reach, abs=0.01)
    assert "interval" not in result
    refit = json.loads(run(capsys, *asked, "--formula", "refit", "--format", "json"))
    reach = 1.96 * known_error(REFIT.loss_error(0.0085, 0.021, 7))
    assert refit["interval"]["low"] == pytest.approx(refit["rating"] - reach, abs=0.01)
    text = run(capsys, *asked, "--formula", "refit", "--against", "1850")
    assert "was fitted to programs with noise" in text
    assert re.search(r"against 1850 \(95 %: 5\d\.\d\d to 5\d\.\d\d %\)", text)
    assert run(capsys, "rating", "--epm", "8.5", "--epc", "21", "--length", "7") == run(
        capsys, *asked
    )


def test_one_point_matches(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["rating", "--epm", "0.01", "--length", "1", "--format", "json"]
    assert json.loads(run(capsys, *asked))["rating"] == pytest.approx(2050 - 343.24)
    text = json.loads(run(capsys, *asked, "--formula", "text"))
    assert text["rating"] == pytest.approx(2050 - 379.16)


def test_other_questions(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "rating", "--depd", "0.0075", "--length", "5")
    assert "+125.3 points apart" in text
    refit = ["rating", "--depd", "0.0075", "--length", "5", "--formula", "refit"]
    error = known_error(REFIT.decision_error(0.0075, 5))
    result = json.loads(run(capsys, *refit, "--against", "1800", "--format", "json"))
    assert result["difference_interval"]["high"] == pytest.approx(
        result["difference"] + 1.96 * error, abs=0.01
    )
    assert result["interval"]["high"] == pytest.approx(1800 + result["difference_interval"]["high"])
    assert result["probability_interval"]["low"] < result["probability"]
    assert re.search(r"alone: \+1\d\d\.\d to \+1\d\d\.\d points", run(capsys, *refit))
    assert "58.00 %" in text
    assert "add --against" in text
    assert not text.startswith("Rating")
    assert "+157.5 points apart" in run(capsys, "rating", "--win", "0.6", "--length", "5")
    assert "PR 7.48" in run(capsys, "rating", "--from-rating", "1800", "--length", "5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rating", "--length", "5"], "give one of"),
        (["rating", "--length", "5", "--epm", "-0.1"], "EPM"),
        (["rating", "--length", "5", "--epm", "0.5"], "--unit"),
        (["rating", "--length", "5", "--epm", "8.5", "--epc", "0.02"], "one unit"),
        (["rating", "--length", "0", "--epm", "0.01"], "length"),
        (["rating", "--length", "5", "--epm", "0.01", "--offset", "mars"], "--offset"),
        (["analyse"], "name files"),
        (["analyse", "x.mat", "--timeout", "0"], "--timeout"),
        (["analyse", "x.mat", "--table", "x.txt"], "--table"),
        (["analyse", "x.mat", "-o", "x.xlsx"], "-o"),
        (["analyse", "x.mat", "--format", "parquet"], "Parquet"),
        (["analyse", "x.mat", "--import", "pgn"], "no format"),
    ],
)
def test_wrong_usage(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match=message):
        run(capsys, *arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two matches and a broken one; beside it the ledger of their analysis."""
    made = tmp_path_factory.mktemp("analysis") / "matches"
    made.mkdir()
    write_matches(made)
    (made / "synonyms.csv").write_text("Ann,Eva\n")
    return made


@pytest.fixture(scope="module")
def gnubg(folder: Path) -> tuple[str, ...]:
    """The options that name the program and the ledger."""
    program, ledger = program_and_ledger(folder.parent)
    return ("--gnubg", str(program), "--ledger", str(ledger))


@pytest.fixture
def analysed(capsys: pytest.CaptureFixture[str], folder: Path, gnubg: tuple[str, ...]) -> Analysed:
    def analysed(*arguments: str | Path) -> tuple[str, str]:
        application("backgammon")(
            args=["analyse", str(folder), *gnubg, *map(str, arguments)],
            prog_name="backgammon",
            standalone_mode=False,
        )
        result = capsys.readouterr()
        return result.out, result.err

    return analysed


def test_an_analysis_in_words(folder: Path, analysed: Analysed) -> None:
    text, _ = analysed()
    assert text.startswith("2 matches of 3 players, analysed by GNU Backgammon 1.")
    assert "Worst blunders" in text
    assert "Files without a match: 1" in text
    assert "not recognized" in text
    row = next(line.split() for line in text.splitlines() if line.startswith("Bob"))
    assert row[1:3] == ["2", "2"]
    text, _ = analysed("--synonyms", folder / "synonyms.csv", "--player", "Eva", "--blunders", "3")
    assert "2 matches of 2 players" in text
    assert next(line.split()[1] for line in text.splitlines() if line.startswith("Ann")) == "2"


def test_spellings_are_asked_about(tmp_path: Path, analysed: Analysed) -> None:
    assert "the same player?" not in analysed()[0]
    synonyms = tmp_path / "synonyms.csv"
    synonyms.write_text("B ob,Eva\n")
    text, _ = analysed("--synonyms", synonyms)
    flat = " ".join(text.split())
    assert re.search('"B ?ob" and "B ?ob" differ only in capitals or spaces: the same player', flat)
    assert "--synonyms FILE merges names" in flat


def test_an_analysis_for_programs(tmp_path: Path, analysed: Analysed) -> None:
    out, said = analysed("--format", "json", "--offset", "2100")
    assert "broken.mat" in said
    result = json.loads(out)
    assert result["format"] == 1
    assert result["offset"] == 2100
    bob = result["players"][0]
    assert bob["player"] == "Bob"
    assert bob["rating"]["low"] <= bob["rating"]["value"] < 2100
    assert bob["matches"] == 2
    assert len(bob["trend"]) == 2
    assert result["unusable"][0]["status"] == "refused"
    assert {len(blunder["position"]) for blunder in result["blunders"]} == {14}
    out, _ = analysed("--format", "csv", "--table", tmp_path / "table.csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert float(rows[0]["rating"]) == pytest.approx(bob["rating"]["value"] - 50)
    with (tmp_path / "table.csv").open() as file:
        matches = list(csv.DictReader(file))
    assert [row["player_1"] for row in matches] == ["Ann", "Eva"]
    assert [row["winner"] for row in matches] == ["2", "2"]


def test_parquet(tmp_path: Path, analysed: Analysed) -> None:
    import duckdb

    players, matches = tmp_path / "players.parquet", tmp_path / "matches.parquet"
    analysed("-o", players, "--table", matches)
    with duckdb.connect() as connection:
        rows = connection.execute(
            f"SELECT player, matches FROM '{players}' ORDER BY matches DESC"
        ).fetchall()
        assert rows[0] == ("Bob", 2)
        dates = connection.execute(f"SELECT date FROM '{matches}' ORDER BY 1").fetchall()
        assert str(dates[0][0]) == "2024-05-31"


def test_a_page_and_a_picture(tmp_path: Path, analysed: Analysed) -> None:
    pictures = ("-o", tmp_path / "page.html", "-o", tmp_path / "trend.svg")
    assert analysed("--quiet", *pictures)[0] == ""
    page = (tmp_path / "page.html").read_text()
    assert "Worst blunders" in page
    assert page.count("<script") == 1  # the one that all pages have
    assert "<svg" in (tmp_path / "trend.svg").read_text()


def test_what_cannot_be_done(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    gnubg: tuple[str, ...],
    analysed: Analysed,
) -> None:
    with pytest.raises(StrictError, match=r"broken\.mat"):
        analysed("--strict")
    with pytest.raises(InputError, match="no match of 'Zoe'"):
        analysed("--player", "Zoe")
    with pytest.raises(NoGamesError, match="not recognized"):
        run(capsys, "analyse", folder / "broken.mat", *gnubg)
    with pytest.raises(InputError, match="no such file"):
        run(capsys, "analyse", tmp_path / "none.mat", *gnubg)
    with pytest.raises(InputError, match="no such program"):
        run(capsys, "analyse", folder, "--gnubg", tmp_path / "none")
