from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lab.studies.winning.simulation import european_games, simulate_statistics
from tests.winprob.made_games import write_games
from yardstone.cli.commands import application
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.examples import example
from yardstone.grades import format_grade
from yardstone.reports.files import document_csv
from yardstone.reports.winprob import statistics_document
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone.winprob.model import winning_model, write_model
from yardstone.winprob.statistics import as_published


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("winprob")(
        args=[str(a) for a in arguments], prog_name="winprob", standalone_mode=False
    )
    return capsys.readouterr().out


def test_two_grades(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "2d", "4d", "--win", "kaniuk")
    assert text.startswith("2d beats 4d in 22.16 % of even games.\nBy the model kaniuk: ")
    assert "No interval: it was published without errors" in text
    result = json.loads(run(capsys, "2d", "4d", "--win", "kaniuk", "--format", "json"))
    assert result["probability"] == pytest.approx(0.221603, abs=1e-6)
    assert (result["first"], result["low"], result["model"]) == ("2d", None, "kaniuk")
    assert "in 1.2e-06 %" in run(capsys, "1d", "9d", "--win", "kaniuk")
    rows = run(capsys, "2d", "4d", "--win", "kaniuk", "--format", "csv").splitlines()
    assert rows[0].startswith("first,second,probability")
    assert rows[1].startswith("2d,4d,0.22")
    other = ("2d", "4d", "--win", "kaniuk", "--set", "K=0", "--format", "json")
    assert json.loads(run(capsys, *other))["probability"] > result["probability"]


def test_the_default_has_an_interval_and_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(run(capsys, "2d", "4d", "--format", "json"))
    assert result["low"] < result["probability"] < result["high"]
    assert (result["model"], result["level"], result["extrapolated"]) == ("fitted", 0.95, False)
    text = run(capsys, "2d", "4d")
    ends = f"(95 % for one event: {100 * result['low']:.1f} to {100 * result['high']:.1f}; average"
    assert ends in text
    assert result["low"] < result["average_low"] < result["average_high"] < result["high"] <= 0.5
    assert "has usually earned it" in text
    assert "ratings of both" in text
    assert "ratings of both" not in run(capsys, "2215", "2390", "--scale", "egf")
    assert f"By the model fitted: {result['about']}" in text
    wide = json.loads(run(capsys, "2d", "4d", "--confidence", "99", "--format", "json"))
    assert wide["low"] < result["low"]
    assert "Beyond what that was made for" in run(capsys, "30k", "9d")
    assert "set by hand" in run(capsys, "2d", "4d", "--set", "u1=0.3")


def test_handicap_and_komi(capsys: pytest.CaptureFixture[str]) -> None:
    """The weaker has the stones, whichever is named first."""
    one = json.loads(run(capsys, "5k", "1d", "--handicap", "4", "--format", "json"))
    two = json.loads(run(capsys, "1d", "5k", "--handicap", "4", "--format", "json"))
    assert one["probability"] == pytest.approx(1.0 - two["probability"])
    assert (one["low"], one["high"]) == pytest.approx((1.0 - two["high"], 1.0 - two["low"]))
    assert (one["black"], two["black"]) == ("first", "second")
    text = run(capsys, "1d", "5k", "--handicap", "4", "--komi", "3")
    assert "games with 4 stones and komi 3 (95 %" in text
    assert "5k is Black." in text
    free = json.loads(run(capsys, "3k", "3k", "--komi", "0", "--format", "json"))
    first = json.loads(run(capsys, "3k", "3k", "--handicap", "1", "--format", "json"))
    assert free["probability"] == first["probability"] > 0.5


def test_points_are_for_elo(capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(run(capsys, "1500", "1700", "--win", "elo", "--format", "json"))
    assert result["probability"] == pytest.approx(0.240253, abs=1e-6)
    assert result["first_rating"] == 1500.0


def test_a_model_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.json"
    write_model(path, winning_model())
    assert run(capsys, "2d", "4d", "--win", path) == run(capsys, "2d", "4d")


def test_the_opponent_of_a_probability(capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(
        run(capsys, "4k", "--chance", "0.35", "--win", "kaniuk", "--format", "json")
    )
    assert PUBLISHED.probability(-4, result["second_grade"]) == pytest.approx(0.35)
    assert "1.91k in 35.00 %" in run(capsys, "4k", "--chance", "0.35", "--win", "kaniuk")


def test_other_scales(capsys: pytest.CaptureFixture[str]) -> None:
    assert "22.16 %" in run(capsys, "2200", "2400", "--scale", "egf", "--win", "kaniuk")
    assert "2390 in 24.81 %" in run(
        capsys, "2215", "--chance", "0.2481", "--scale", "egf", "--win", "kaniuk"
    )


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "--table", "--win", "kaniuk")
    assert next(line for line in text.splitlines() if line.startswith("2d")).split()[2] == "22.2"
    rows = run(capsys, "--table", "--win", "kaniuk", "--format", "csv").splitlines()
    assert rows[0] == "first,second,difference,probability"
    pairs = 30 * 9 + sum(range(9))  # nobody is stronger than 9 dan
    assert len(rows) == 1 + pairs
    with_ends = json.loads(run(capsys, "--table", "--format", "json"))
    assert len(with_ends) == pairs
    assert all(row["low"] < row["probability"] < row["high"] for row in with_ends)
    lines = run(capsys, "--table").splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("2d"))
    assert lines[at].split()[2] == "27.7"
    assert lines[at + 1].split()[1] == "8-50"


@pytest.mark.parametrize("figure", ["curves", "lambda", "contour"])
def test_figures(figure: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{figure}.svg"
    assert run(capsys, "-o", path, "--figure", figure) == ""
    assert "<svg" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2d"], "two grades"),
        (["2d", "3d", "4d"], "two grades"),
        (["--table", "2d"], "without grades"),
        (["2d", "3d", "--chance", "0.3"], "one grade"),
        (["2d", "--chance", "1.5"], "below 1"),
        (["2d", "3d", "--set", "K"], "write NAME=VALUE"),
        (["2d", "3d", "--set", "Q=1"], "no coefficient"),
        (["2d", "x", "--scale", "egf"], "neither a rating nor a grade"),
        (["2000", "2100", "--scale", "fide"], "no scale"),
        (["35k", "1d"], "grades lie from 30k to 9d"),
        (["2d", "4d", "--win", "elo"], "goes by points"),
        (["--table", "--win", "elo"], "goes by points"),
        (["2d", "4d", "--win", "kanuik"], "did you mean 'kaniuk'"),
        (["2d", "4d", "--win", "egf", "--set", "K=1"], "no coefficients"),
        (["2d", "4d", "--set", "lapse=1"], "below 1"),
        (["--win", "egf", "--figure", "lambda", "-o", "x.svg"], "no Lambda"),
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
    return write_games(tmp_path_factory.mktemp("winprob") / "games.csv")


def test_statistics_both_ways(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(capsys, "stats", games, "-o", tmp_path / "figure.png")
    assert text.startswith("Winning Statistics - Even Games\n")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    (tmp_path / "table.txt").write_text(text)
    as_rows = run(capsys, "stats", tmp_path / "table.txt", "--format", "csv")
    assert as_rows == run(capsys, "stats", games, "--format", "csv")
    result = json.loads(run(capsys, "stats", games, "--from", "2006-01-01", "--format", "json"))
    assert 0 < sum(row["games"] for row in result) < 8_000
    assert all(0 <= row["ratio"] <= 1 for row in result)


def test_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = simulate_statistics(PUBLISHED, european_games(400_000), seed=2)
    (tmp_path / "table").write_text(as_published(made))
    result = json.loads(run(capsys, "fit", tmp_path / "table", "--format", "json"))
    for row in result["parameters"]:
        assert row["interval"]["low"] < row["published"] < row["interval"]["high"]
        assert row["interval"]["method"] == "profile likelihood"
    assert [row["rms"] < 0.02 for row in result["rms"]] == [True] * 4
    text = run(capsys, "fit", tmp_path / "table", "-o", tmp_path / "fit.svg")
    assert "published" in text
    assert (tmp_path / "fit.svg").exists()


def test_the_published_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = simulate_statistics(PUBLISHED, european_games(100_000), seed=2)
    (tmp_path / "table.csv").write_text(document_csv(statistics_document(made)))
    arguments: list[str | Path] = ["published", tmp_path / "table.csv"]
    for method in ("newton", "conjugate"):
        result = json.loads(run(capsys, *arguments, "--method", method, "--format", "json"))
        assert all("interval" not in row for row in result["parameters"])
        assert result["method"] == method
        text = run(capsys, *arguments, "--method", method)
        assert ("cycles" in text) == (method == "conjugate")
        assert "Least squares has no intervals of its own" in text
    path, where = tmp_path / "counts.json", tmp_path / "out.txt"
    run(capsys, *arguments, "--bootstrap", "39", "--save", path, "-o", where)
    assert "95 % (simulated tables)" in where.read_text()
    text = run(capsys, "2d", "4d", "--win", path)
    assert "No interval: counts do not say which games belong together" in text
    with pytest.raises(UsageError, match="--method newton"):
        run(capsys, *arguments, "--bootstrap", "39", "--method", "conjugate")
    with pytest.raises(UsageError, match="39"):
        run(capsys, *arguments, "--bootstrap", "8")


def test_a_fit_to_all_games(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "fit", games, "--all-games", "--free", "u0,u1,K,lapse,black")
    assert "lapse" in text
    assert "8,006 games of 30 events" in text
    result = json.loads(
        run(capsys, "fit", games, "--probability", "2d,4d", "--free", "u0,K", "--format", "json")
    )
    (pair,) = result["probabilities"]
    assert (pair["first"], pair["second"]) == ("2d", "4d")
    assert pair["interval"]["low"] < pair["probability"] < pair["interval"]["high"]
    with pytest.raises(UsageError, match="two grades"):
        run(capsys, "fit", games, "--probability", "2d")
    with pytest.raises(UsageError, match="go with --all-games"):
        run(capsys, "fit", games, "--event-games", "100")
    with pytest.raises(UsageError, match="nothing of 'stone'"):
        run(capsys, "fit", games, "--all-games", "--free", "u1,K,stone")


def test_a_fit_is_saved_and_used_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, table = tmp_path / "mine.json", example("graded_games_simulated.csv")
    arguments = ("fit", table, "--all-games", "--free", "u1,K", "--link", "logistic")
    text = run(capsys, *arguments, "--event-games", "50", "--probability", "2d,4d", "--save", path)
    assert "(over 40 events)" in text
    assert "2,000 games of 40 events, 2016 to 2025" in text
    told = next(line for line in text.splitlines() if line.startswith("2d beats 4d"))
    result = json.loads(run(capsys, "2d", "4d", "--win", path, "--format", "json"))
    assert result["model"] == "mine"
    assert f"{100 * result['probability']:.2f} %" in told
    assert f"{100 * result['low']:.2f} to {100 * result['high']:.2f}" in told
    # Nothing was learnt of handicap games, so nothing is claimed.
    assert "No interval: the worth of a stone was not fitted" in run(
        capsys, "4k", "1k", "--handicap", "3", "--win", path
    )
    part = run(capsys, *arguments, "--from", "2020-01-01", "--to", "2020-12-31")
    assert "events, 2020;" in part


def test_a_fit_to_counts_is_saved_without_an_interval(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "counts.json"
    run(capsys, "fit", games, "--save", path)
    text = run(capsys, "2d", "4d", "--win", path)
    assert "No interval: counts do not say which games belong together" in text


def test_games_outside_tournaments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Game records with grades and no events: players are counted."""
    rng = np.random.default_rng(1)
    grade = rng.integers(-10, 5, 30)
    for number in range(300):
        one, two = (int(each) for each in rng.choice(30, 2, replace=False))
        p = PUBLISHED.probability(grade[one], grade[two])
        words = [format_grade(grade[one]), format_grade(grade[two])]
        result = "B+R" if rng.random() < p else "W+R"
        (tmp_path / f"{number}.sgf").write_text(
            f"(;GM[1]FF[4]SZ[19]PB[P{one}]PW[P{two}]BR[{words[0]}]WR[{words[1]}]KM[7.5]"
            f"RE[{result}];B[dd];W[pp])"
        )
    path = tmp_path / "mine.json"
    text = run(capsys, "fit", tmp_path, "--all-games", "--free", "u1,K", "--save", path)
    assert "(over 30 players)" in text
    assert "300 games of 30 players" in text
    answer = json.loads(run(capsys, "2k", "1d", "--win", path, "--format", "json"))
    assert answer["low"] < PUBLISHED.probability(-2, 0) < answer["high"]


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
