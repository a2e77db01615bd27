"""Kaniuk's fit through the years, and beside other forms: from Python and from the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.studies.winning.simulation import european_games, simulate_pool
from tests.winprob.made_games import write_games
from yardstone.cli.commands import application
from yardstone.errors import NoGamesError, UsageError
from yardstone.winprob.kaniuk import PUBLISHED
from yardstone.winprob.statistics import WinningStatistics
from yardstone_lab.kaniuk import trace
from yardstone_lab.least_squares import fit_least_squares


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_games(tmp_path_factory.mktemp("winprob") / "games.csv")


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("winprob")(
        args=[str(a) for a in arguments], prog_name="winprob", standalone_mode=False
    )
    return capsys.readouterr().out


def test_traces_are_those_of_each_window() -> None:
    pool = simulate_pool(PUBLISHED, european_games(60_000), begin="2001-01-01", seed=6)
    result = trace(pool, years=5, grades=(-10, 1))
    assert result.years.tolist() == list(range(2005, 2011))
    last = WinningStatistics.from_pool(pool, begin="2006-01-01", end="2010-12-31")
    fit = fit_least_squares(last)
    assert result.coefficients[-1] == pytest.approx(fit.values)
    assert result.measured[-1, 0, 4 + 2] == last.ratio()[10, 1]
    assert result.modelled[-1, 1, 4 - 3] == pytest.approx(float(fit.model.probability(1, -2)))
    with pytest.raises(NoGamesError, match="less than"):
        trace(pool, years=20)


def test_traces(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(run(capsys, "trace", games, "--years", "5", "--format", "json"))
    assert [row["year"] for row in result] == list(range(2005, 2011))
    assert set(result[0]["model"]) == {"10k", "2d"}
    for figure in ("measured", "coefficients", "model"):
        path = tmp_path / f"{figure}.svg"
        assert run(capsys, "trace", games, "-o", path, "--figure", figure).startswith("year")
        assert path.exists()
    with pytest.raises(UsageError, match="20k to 7d"):
        run(capsys, "trace", games, "--follow", "25k")


def test_comparison(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(
        run(capsys, "compare", games, "--folds", "2", "--by-event", "--format", "json")
    )
    gains = {row["name"]: row["gain"]["all"] for row in result["candidates"]}
    assert result["chosen"] in gains
    assert next(iter(gains.values()))["value"] == 0.0
    gain = gains["likelihood"]
    assert gain["low"] < gain["value"] < gain["high"]
    assert result["groups"] == 30
