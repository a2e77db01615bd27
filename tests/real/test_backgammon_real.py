"""Formulas, reader and analysis on other people's files and numbers."""

from __future__ import annotations

import csv
import gzip
import json
import re
import tarfile
from pathlib import Path

import numpy as np
import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.shared import shared_path
from tests.skipping import read_skipping
from yardstone.backgammon.file_analysis import analyse_files, match_files
from yardstone.backgammon.formulas import PUBLISHED, SITE_OFFSET

#: Half a unit of the last digit printed.
TOTAL, LINE = 0.0005, 0.05
ROUNDING_OF_SUMS = 0.15
#: How far processors differ: GNU Backgammon takes reciprocals from an instruction whose
#: last bits are the maker's choice.
SKILL, LUCK, RESULT = 0.006, 0.012, 0.003
#: Every fifth of the 60 matches is analysed again: all of them take half a minute.
EVERY = 5


@pytest.fixture(scope="module")
def blocks() -> list[dict[str, str]]:
    path = shared_path("data/backgammon/gnubg_stats.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(text: str) -> float:
    """The number before a bracket; NaN for none."""
    result = re.match(r"[-+]?[\d.]+", text)
    return float(result[0]) if result else float("nan")


def column(blocks: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([[number(block[f"{name}_{side}"]) for side in (1, 2)] for block in blocks])


def test_the_formulas_reproduce_gnu_backgammons_rating_lines(
    blocks: list[dict[str, str]],
) -> None:
    length = np.array([[float(block["length"])] for block in blocks])
    unforced, close = column(blocks, "unforced"), column(blocks, "close_cube")
    with np.errstate(divide="ignore", invalid="ignore"):
        moves = [
            PUBLISHED.move(length) * np.maximum(off - column(blocks, "chk_err_total"), 0) / unforced
            for off in (-TOTAL, TOTAL)
        ]
        cubes = [
            PUBLISHED.cube(length) * np.maximum(off - column(blocks, "cube_err_total"), 0) / close
            for off in (-TOTAL, TOTAL)
        ]
    chequer_lines, cube_lines = column(blocks, "fibs_chk_loss"), column(blocks, "fibs_cube_loss")
    ratings = column(blocks, "fibs")
    inside = {}
    for name, lines, (low, high) in (
        ("chequer", chequer_lines, moves),
        ("cube", cube_lines, cubes),
    ):
        printed = ~np.isnan(lines)
        right = (lines >= low - LINE - 0.01) & (lines <= high + LINE + 0.01)
        assert right[printed].all()
        inside[name] = int(printed.all(axis=1).sum())
    both = ~np.isnan(chequer_lines) & ~np.isnan(cube_lines) & ~np.isnan(ratings)
    sums = SITE_OFFSET - chequer_lines - cube_lines
    assert (np.abs(sums - ratings)[both] <= ROUNDING_OF_SUMS + 1e-9).all()
    # The lines that are missing are those of players without such a decision: it prints n/a.
    assert len(blocks) == 12_299
    assert inside == {"chequer": 12_191, "cube": 10_304}
    missing = np.isnan(cube_lines).all(axis=1)
    assert (close[missing].min(axis=1) == 0).all()
    missing = np.isnan(chequer_lines).all(axis=1)
    assert (unforced[missing].min(axis=1) == 0).all()
    # Without a cube line the rating is the offset less the chequer line.
    only = np.isnan(cube_lines) & ~np.isnan(chequer_lines) & ~np.isnan(ratings)
    alone = np.abs(SITE_OFFSET - chequer_lines - ratings)
    assert (alone[only & (close == 0)] <= ROUNDING_OF_SUMS).all()


def test_peoples_matches_as_a_pool(tmp_path: Path) -> None:
    with tarfile.open(shared_path("data/backgammon/human_matches.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    files = sorted((tmp_path / "human_matches").glob("*.txt"))
    pool = read_skipping(*files, times=True)
    assert len(pool) == 998
    assert pool.skipped.total == 202
    assert pool.skipped.reasons["unfinished"] == 193
    assert pool.skipped.reasons["a player has no name"] == 9
    assert set(pool.columns["length"].tolist()) <= {1, 2, 3, 4, 5, 7, 9, 13, 16, 17}
    assert pool.time is not None
    assert (~np.isnat(pool.time)).mean() > 0.8


def test_the_reference_matches_again() -> None:
    program = real_gnubg()
    index = {}
    folder = "reference/gnubg/simulated_matches.tar.gz"
    with tarfile.open(shared_path(folder)) as archive:
        member = archive.extractfile("index.jsonl")
        assert member is not None
        for line in member:
            record = json.loads(line)
            index[str(record["seed"])] = record["stats"]
    files = match_files([shared_path(folder)])
    assert len(files) == len(index) == 60
    result = analyse_files(files[::EVERY], program=program)
    identical = others_counts = 0
    for outcome in result:
        assert outcome.content is not None, outcome.reason
        seed = re.search(r"_s(\d+)\.mat", outcome.file)
        assert seed is not None
        mine, reference = outcome.content["analysis"]["stats"], index[seed[1]]
        identical += mine == reference
        for who in "XO":
            moves, cube, dice = (mine[who][part] for part in ("moves", "cube", "dice"))
            others = [reference[who][part] for part in ("moves", "cube", "dice")]
            assert moves["total-moves"] == others[0]["total-moves"]
            assert moves["unforced-moves"] == others[0]["unforced-moves"]
            assert cube["total-cube"] == others[1]["total-cube"]
            others_counts += cube["close-cube"] != others[1]["close-cube"]
            assert moves["error-skill"] == pytest.approx(others[0]["error-skill"], abs=SKILL)
            assert cube["error-skill"] == pytest.approx(others[1]["error-skill"], abs=SKILL)
            assert dice["luck"] == pytest.approx(others[2]["luck"], abs=LUCK)
            assert dice["luck-adjusted-result"] == pytest.approx(
                others[2]["luck-adjusted-result"], abs=RESULT
            )
    # All, on a processor of the same make; else a decision may fall on the other side.
    assert identical == len(result) or others_counts <= 1


def test_corrupt_files_are_refused_and_the_good_one_is_not() -> None:
    program = real_gnubg()
    files = match_files([shared_path("reference/gnubg/corrupt")])
    result = {Path(outcome.file).name: outcome for outcome in analyse_files(files, program=program)}
    good = result.pop("good.mat")
    assert good.status == "analysed"
    assert {outcome.status for outcome in result.values()} == {"refused"}
    reasons = {name: outcome.reason for name, outcome in result.items()}
    assert "not a valid .mat file" in reasons["badhdr.mat"]
    assert "holds nothing" in reasons["empty.mat"]
    assert 'Unrecognised move "61: 99/98 3/44"' in reasons["illegal.mat"]
    assert "not recognized" in reasons["nohdr.mat"]
    assert "not recognized" in reasons["random.mat"]
    assert "Invalid move" in reasons["trunc.mat"]


def test_an_independent_analysis_of_peoples_matches(blocks: list[dict[str, str]]) -> None:
    """Counts equal, and error totals within rounding, in the table kept with the studies."""
    path = Path(__file__).resolve().parents[2] / "lab" / "studies" / "backgammon_people.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        ours = {row["file"]: row for row in csv.DictReader(file)}
    compared = 0
    for block in blocks:
        row = ours.get(block["file"])
        if block["level"] != "match" or block["ply"] != "0" or row is None:
            continue
        compared += 1
        sides = (1, 2) if block["player1"] == row["player_1"] else (2, 1)
        for theirs, mine in zip((1, 2), sides, strict=True):
            assert int(block[f"unforced_{theirs}"]) == int(row[f"unforced_{mine}"])
            assert int(block[f"close_cube_{theirs}"]) == int(row[f"close_{mine}"])
            assert -number(block[f"chk_err_total_{theirs}"]) == pytest.approx(
                float(row[f"chequer_{mine}"]), abs=0.005
            )
    assert compared == 392
