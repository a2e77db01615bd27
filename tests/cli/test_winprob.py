from __future__ import annotations

import json
from pathlib import Path

import pytest

from yardstone.cli.commands import application
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.lab.kaniuk.simulation import european_games, simulate_pool, simulate_statistics
from yardstone.reports.faces.files import document_csv
from yardstone.reports.winprob.statistics import statistics_document
from yardstone.winprob.grades import format_grade
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone.winprob.statistics_files import as_published


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("winprob")(
        args=[str(a) for a in arguments], prog_name="winprob", standalone_mode=False
    )
    return capsys.readouterr().out


def test_two_grades(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "2d", "4d") == "2d beats 4d in 22.16 % of even games.\n"
    found = json.loads(run(capsys, "2d", "4d", "--format", "json"))
    assert found["probability"] == pytest.approx(0.221603, abs=1e-6)
    assert found["first"] == "2d"
    assert "1.1885e-06 %" in run(capsys, "1d", "9d")
    rows = run(capsys, "2d", "4d", "--format", "csv").splitlines()
    assert rows[0].startswith("first,second,probability")
    assert rows[1].startswith("2d,4d,0.22")
    other = json.loads(run(capsys, "2d", "4d", "--set", "K=0", "--format", "json"))
    assert other["probability"] > found["probability"]


def test_the_opponent_of_a_probability(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "4k", "--win", "0.35", "--format", "json"))
    assert PUBLISHED.probability(-4, found["second_grade"]) == pytest.approx(0.35)
    assert "1.91k in 35.00 %" in run(capsys, "4k", "--win", "0.35")


def test_other_scales(capsys: pytest.CaptureFixture[str]) -> None:
    assert "22.16 %" in run(capsys, "2200", "2400", "--scale", "egf")
    assert "2390 in 24.81 %" in run(capsys, "2215", "--win", "0.2481", "--scale", "egf")


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "--table")
    assert next(line for line in text.splitlines() if line.startswith("2d")).split()[2] == "22.2"
    rows = run(capsys, "--table", "--format", "csv").splitlines()
    assert rows[0] == "first,second,difference,probability"
    assert len(rows) == 1 + 27 * 9
    assert len(json.loads(run(capsys, "--table", "--format", "json"))) == 27 * 9


@pytest.mark.parametrize("figure", ["curves", "lambda", "contour"])
def test_figures(figure: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{figure}.svg"
    assert run(capsys, "--plot", path, "--figure", figure) == ""
    assert "<svg" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2d"], "two grades"),
        (["2d", "3d", "4d"], "two grades"),
        (["--table", "2d"], "without grades"),
        (["2d", "3d", "--win", "0.3"], "one grade"),
        (["2d", "--win", "1.5"], "strictly between"),
        (["2d", "3d", "--set", "K"], "write it like"),
        (["2d", "3d", "--set", "Q=1"], "no coefficient"),
        (["2d", "x", "--scale", "egf"], "neither a rating nor a grade"),
        (["2000", "2100", "--scale", "fide"], "no scale"),
    ],
)
def test_wrong_usage(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match=message):
        run(capsys, *arguments)


def test_a_wrong_grade_is_an_error_in_the_input(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="not a Go grade"):
        run(capsys, "2d", "4x")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dated simulated games, as a table."""
    pool = simulate_pool(PUBLISHED, european_games(8_000), begin="2001-01-01", seed=1)
    path = tmp_path_factory.mktemp("winprob") / "games.csv"
    assert pool.time is not None
    with path.open("w") as out:
        out.write("black,white,b_rank,w_rank,result,date,event\n")
        for k in range(len(pool)):
            first, second = (pool.columns[f"{side}_grade"][k] for side in ("first", "second"))
            out.write(
                f"p{first:.0f},p{second:.0f},{format_grade(first)},{format_grade(second)},"
                f"{'B+' if pool.score[k] else 'W+'},{pool.time[k].astype('datetime64[D]')},"
                f"e{k % 30}\n"
            )
    return path


def test_statistics_both_ways(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(capsys, "stats", games, "--plot", tmp_path / "figure.png")
    assert text.startswith("Winning Statistics - Even Games\n")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    (tmp_path / "table.txt").write_text(text)
    as_rows = run(capsys, "stats", tmp_path / "table.txt", "--format", "csv")
    assert as_rows == run(capsys, "stats", games, "--format", "csv")
    found = json.loads(run(capsys, "stats", games, "--from", "2006-01-01", "--format", "json"))
    assert 0 < sum(row["games"] for row in found) < 8_000
    assert all(0 <= row["ratio"] <= 1 for row in found)


@pytest.mark.parametrize("method", ["likelihood", "newton", "conjugate"])
def test_fits(method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = simulate_statistics(PUBLISHED, european_games(400_000), seed=2)
    (tmp_path / "table").write_text(as_published(made))
    found = json.loads(
        run(capsys, "fit", tmp_path / "table", "--method", method, "--format", "json")
    )
    for row in found["parameters"]:
        if method == "likelihood":
            assert row["interval"]["low"] < row["published"] < row["interval"]["high"]
            assert row["interval"]["method"] == "profile likelihood"
        else:
            assert "interval" not in row
    assert [row["rms"] < 0.02 for row in found["rms"]] == [True] * 4
    text = run(capsys, "fit", tmp_path / "table", "--method", method)
    assert "published" in text
    assert ("cycles" in text) == (method == "conjugate")


def test_a_fit_with_bootstrap_and_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = simulate_statistics(PUBLISHED, european_games(100_000), seed=2)
    (tmp_path / "table.csv").write_text(document_csv(statistics_document(made)))
    where = tmp_path / "out.txt"
    arguments: list[str | Path] = [
        "fit",
        tmp_path / "table.csv",
        "--method",
        "newton",
        "--bootstrap",
        "39",
    ]
    run(capsys, *arguments, "--plot", tmp_path / "fit.svg", "-o", where)
    assert "95 % (simulated tables)" in where.read_text()
    assert (tmp_path / "fit.svg").exists()
    with pytest.raises(UsageError, match="least squares"):
        run(capsys, "fit", tmp_path / "table.csv", "--bootstrap", "39")
    with pytest.raises(UsageError, match="39"):
        run(capsys, *arguments[:-1], "8")


def test_a_fit_to_all_games(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "fit", games, "--all-games", "--free", "u0,u1,K,lapse,black")
    assert "lapse" in text
    assert "AIC" in text
    found = json.loads(
        run(capsys, "fit", games, "--probability", "2d,4d", "--free", "u0,K", "--format", "json")
    )
    (pair,) = found["probabilities"]
    assert (pair["first"], pair["second"]) == ("2d", "4d")
    assert pair["interval"]["low"] < pair["probability"] < pair["interval"]["high"]
    with pytest.raises(UsageError, match="two grades"):
        run(capsys, "fit", games, "--probability", "2d")
    with pytest.raises(UsageError, match="likelihood"):
        run(capsys, "fit", games, "--probability", "2d,4d", "--method", "newton")
    with pytest.raises(UsageError, match="one file of games"):
        run(capsys, "fit", games, "--all-games", "--method", "newton")


def test_traces(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "trace", games, "--years", "5", "--format", "json"))
    assert [row["year"] for row in found] == list(range(2005, 2011))
    assert set(found[0]["model"]) == {"10k", "2d"}
    for figure in ("measured", "coefficients", "model"):
        path = tmp_path / f"{figure}.svg"
        text = run(capsys, "trace", games, "--plot", path, "--figure", figure)
        assert text.startswith("year")
        assert path.exists()
    with pytest.raises(UsageError, match="20k to 7d"):
        run(capsys, "trace", games, "--follow", "25k")


def test_comparison(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(
        run(capsys, "compare", games, "--folds", "2", "--by-event", "--format", "json")
    )
    names = [row["name"] for row in found["candidates"]]
    assert found["chosen"] in names
    assert found["candidates"][0]["gain"]["all"]["value"] == 0.0
    fitted = next(row for row in found["candidates"] if row["name"] == "likelihood")
    gain = fitted["gain"]["all"]
    assert gain["low"] < gain["value"] < gain["high"]
    assert found["groups"] == 30


def test_what_cannot_be_read(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="no such file"):
        run(capsys, "stats", tmp_path / "none.csv")
    table = tmp_path / "table"
    table.write_text(as_published(simulate_statistics(PUBLISHED, european_games(100), seed=2)))
    with pytest.raises(UsageError, match="not both"):
        run(capsys, "stats", table, games)
    with pytest.raises(UsageError, match="need games"):
        run(capsys, "stats", table, "--from", "2001-01-01")
    with pytest.raises(UsageError, match="not a date"):
        run(capsys, "stats", games, "--from", "yesterday")
    with pytest.raises(NoGamesError):
        run(capsys, "stats", games, "--from", "2050-01-01")
