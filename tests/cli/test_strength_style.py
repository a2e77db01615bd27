from __future__ import annotations

import csv
import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from yardstone.cli.main import main

HEAD = "corner\tcaptures\trank\tname\ncontinuous\tcontinuous\tcontinuous\tstring\n\t\tclass\tmeta\n"


@dataclass(frozen=True)
class Done:
    exit_code: int
    stdout: str
    stderr: str


def run(*arguments: str | Path) -> Done:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors:
        status = main(["strength", "style", *map(str, arguments)])
    return Done(status, out.getvalue(), errors.getvalue())


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """Sixty players of known rank, and six whose ranks are not told."""
    generator = np.random.default_rng(0)
    features = generator.normal(size=(66, 2))
    ranks = np.round(3.0 * features[:, 0] + 0.5 * generator.normal(size=66))
    rows = [
        f"{one:.4f}\t{two:.4f}\t{rank:g}\tPlayer {number}\n"
        for number, ((one, two), rank) in enumerate(zip(features, ranks, strict=True))
    ]
    known, unknown = tmp_path / "known.tab", tmp_path / "unknown.tab"
    known.write_text(HEAD + "".join(rows[:60]))
    blank = ["\t".join([*row.split("\t")[:2], "?", row.split("\t")[3]]) for row in rows[60:]]
    unknown.write_text(HEAD + "".join(blank))
    (tmp_path / "truth.txt").write_text("\n".join(f"{rank:g}" for rank in ranks[60:]))
    return known, unknown


def test_how_well_style_tells_ranks(tables: tuple[Path, Path]) -> None:
    result = run(tables[0], "--folds", "4", "--workers", "1")
    assert result.exit_code == 0, result.stderr
    assert "60 players, each rated from the other parts of 4" in result.stdout
    error = re.search(r"Error \(standard deviation\): ([\d.]+) ranks", result.stdout)
    assert error is not None
    assert float(error[1]) < 1.5
    assert "Always the mean rank instead: " in result.stdout
    assert "-0  " not in result.stdout


def test_rating_players_of_another_table(tables: tuple[Path, Path]) -> None:
    known, unknown = tables
    truth = np.array((known.parent / "truth.txt").read_text().split(), np.float64)
    result = run(known, "--predict", unknown, "--format", "csv")
    assert result.exit_code == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["player"] for row in rows] == [f"Player {number}" for number in range(60, 66)]
    assert {row["rank"] for row in rows} == {""}
    apart = np.array([float(row["predicted"]) for row in rows]) - truth
    assert np.abs(apart).max() < 3.0
    text = run(known, "--predict", unknown).stdout
    assert text.startswith("6 players rated from the style of 60 others\n")
    assert "Player 61" in text


def test_all_formats(tables: tuple[Path, Path], tmp_path: Path) -> None:
    known, unknown = tables
    page, frame = tmp_path / "style.html", tmp_path / "style.parquet"
    for output in (page, frame):
        assert run(known, "--predict", unknown, "-o", output).exit_code == 0
    assert "Ranks from style" in page.read_text()
    assert frame.read_bytes()[:4] == b"PAR1"
    result = run(known, "--folds", "3", "--workers", "1", "--format", "json")
    plain = json.loads(result.stdout)
    assert plain["validation"]["folds"] == 3
    assert plain["validation"]["error"] == pytest.approx(plain["error"])
    assert len(plain["players"]) == 60
    assert {player["fold"] for player in plain["players"]} == {1, 2, 3}


def test_what_cannot_be_done(tables: tuple[Path, Path], tmp_path: Path) -> None:
    known, _ = tables
    other = tmp_path / "other.tab"
    other.write_text(HEAD.replace("captures", "edge") + "1\t2\t?\tAnn\n")
    result = run(known, "--predict", other)
    assert result.exit_code == 1
    assert "has the features corner, edge in place of corner, captures" in result.stderr
    assert run(tmp_path / "none.tab").exit_code == 1
    assert run(known, "--folds", "1").exit_code == 2
