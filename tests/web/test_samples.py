"""The results on the start page are what the examples give today."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.shared import shared_path
from tests.web.made_results import calibration
from tools.samples import sample_result as made_today
from yardstone.web.pages.job_pages import sample_result
from yardstone.web.settings import Settings


def compare(kept: Any, made: Any, tolerance: float, where: str = "result") -> None:
    """Values as before; numbers but for what machines differ in, and no sentences."""
    if isinstance(kept, dict):
        assert kept.keys() == made.keys(), where
        for name in kept.keys() - {"basis", "caveats", "remedies", "notes"}:
            compare(kept[name], made[name], tolerance, f"{where}.{name}")
    elif isinstance(kept, list):
        assert len(kept) == len(made), where
        for place, (one, other) in enumerate(zip(kept, made, strict=True)):
            compare(one, other, tolerance, f"{where}[{place}]")
    elif isinstance(kept, float | int) and not isinstance(kept, bool):
        assert made == pytest.approx(kept, rel=tolerance, abs=tolerance), where
    else:
        assert kept == made, where


def test_of_results(tmp_path: Path) -> None:
    compare(sample_result("results"), made_today("results", tmp_path), 1e-3)


def test_of_backgammon(tmp_path: Path) -> None:
    real_gnubg()
    made, kept = made_today("backgammon", tmp_path), sample_result("backgammon")
    if made["gnubg"] != kept["gnubg"]:
        pytest.skip(f"the sample is of GNU Backgammon {kept['gnubg']}, this is {made['gnubg']}")
    compare(kept, made, 5e-3)  # its networks are of single precision: processors differ


def test_of_go_and_on_the_operators_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = shared_path("nets/g170-b6c96-s175395328-d26788732.bin.gz")
    monkeypatch.setenv("YARDSTONE_NET", str(net))
    file = tmp_path / "club.json"
    replace(calibration(""), highest=12.0).save(file)
    settings = Settings(data=tmp_path, calibration=str(file))
    made, kept = made_today("go", tmp_path, settings), sample_result("go")
    for one, other in zip([kept, *kept["others"]], [made, *made["others"]], strict=True):
        club = 1200.0 + 95.0 * other["scales"]["fox"]["rating"]
        assert other["scales"].pop("Club")["rating"] == pytest.approx(club, abs=1.0)
        assert one.keys() == other.keys()
        for name in ("player", "colour", "rank", "games", "moves", "skipped", "scales"):
            compare(one[name], other[name], 0.02, name)
        for old, new in zip(one["costliest_moves"], other["costliest_moves"], strict=True):
            assert [old[name] == new[name] for name in ("point", "position", "best")] == [True] * 3
