"""Formulas, reader and analysis on other people's files and numbers."""

from __future__ import annotations

import csv
import gzip
import json
import re
import tarfile

import numpy as np
import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.shared import shared_path
from yardstone.backgammon.file_analysis import analyse_files, match_files
from yardstone.backgammon.formulas import PUBLISHED, SITE_OFFSET

#: Half a unit of the last digit printed.
TOTAL, LINE = 0.0005, 0.05
ROUNDING_OF_SUMS = 0.15
#: How far processors differ in totals, for GNU Backgammon takes reciprocals from an instruction
#: whose last bits are the maker's choice.
FIELDS = {
    ("moves", "total-moves"): 0.0, ("moves", "unforced-moves"): 0.0, ("cube", "total-cube"): 0.0,
    ("moves", "error-skill"): 0.006, ("cube", "error-skill"): 0.006, ("dice", "luck"): 0.012,
    ("dice", "luck-adjusted-result"): 0.003,
}  # fmt: skip
#: One in so many of the 60 matches is analysed again.
EVERY = 20


def column(blocks: list[dict[str, str]], name: str) -> np.ndarray:
    """A column of both players: the numbers before a bracket, NaN for none."""
    texts = ([re.match(r"[-+]?[\d.]+", b[f"{name}_{side}"]) for side in (1, 2)] for b in blocks)
    return np.array([[float(text[0]) if text else np.nan for text in both] for both in texts])


def test_the_formulas_reproduce_gnu_backgammons_rating_lines() -> None:
    path = shared_path("data/backgammon/gnubg_stats.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        blocks = list(csv.DictReader(file))
    length = np.array([[float(block["length"])] for block in blocks])
    ratings = column(blocks, "fibs")
    losses, inside = {}, {}
    for name, weight, count, error in (
        ("chk", PUBLISHED.move, "unforced", "chk_err_total"),
        ("cube", PUBLISHED.cube, "close_cube", "cube_err_total"),
    ):
        lines, number, total = (
            column(blocks, each) for each in (f"fibs_{name}_loss", count, error)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            each = weight(length) / number
            low, high = (each * np.maximum(off - total, 0) for off in (-TOTAL, TOTAL))
        printed = ~np.isnan(lines)
        right = (lines >= low - LINE - 0.01) & (lines <= high + LINE + 0.01)
        assert right[printed].all()
        losses[name], inside[name] = lines, int(printed.all(axis=1).sum())
        # A line is missing where a player has no such decision: it prints n/a.
        assert (number[np.isnan(lines).all(axis=1)].min(axis=1) == 0).all()
    assert len(blocks) == 12_299
    assert inside == {"chk": 12_191, "cube": 10_304}
    # Without a cube line the rating is the offset less the chequer line.
    cubes = losses["cube"]
    cubes = np.where(column(blocks, "close_cube") == 0, np.nan_to_num(cubes), cubes)
    sums = np.abs(SITE_OFFSET - losses["chk"] - cubes - ratings)
    assert (sums[~np.isnan(sums)] <= ROUNDING_OF_SUMS + 1e-9).all()
    assert (~np.isnan(sums)).sum() > 20_000


def test_the_reference_matches_again() -> None:
    program = real_gnubg()
    archive = shared_path("reference/gnubg/simulated_matches.tar.gz")
    with tarfile.open(archive) as file:
        member = file.extractfile("index.jsonl")
        assert member is not None
        index = {str(each["seed"]): each["stats"] for each in map(json.loads, member)}
    files = match_files([archive])
    assert len(files) == len(index) == 60
    identical = other_counts = 0
    result = analyse_files(files[::EVERY], program=program)
    for outcome in result:
        assert outcome.content is not None, outcome.reason
        seed = re.search(r"_s(\d+)\.mat", outcome.file)
        assert seed is not None
        mine, reference = outcome.content["analysis"]["stats"], index[seed[1]]
        identical += mine == reference
        for ours, theirs in ((mine[who], reference[who]) for who in "XO"):
            other_counts += ours["cube"]["close-cube"] != theirs["cube"]["close-cube"]
            for (part, name), near in FIELDS.items():
                assert ours[part][name] == pytest.approx(theirs[part][name], abs=near), name
    # All, on a processor of the same make; else a decision may fall on the other side.
    assert identical == len(result) or other_counts <= 1
