"""The studies: in an order that works, each table with its command; and their charts."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.studies.__main__ import listing, run
from lab.studies.order import ROOT, STUDIES, Made, Shared, studies_named
from tests.docs import tables
from tests.evaluation.games import played
from tests.reports.pictures import check
from yardstone.errors import ModelError
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.description import deviations_by_games, ratings_by_games
from yardstone_lab.reports import strength
from yardstone_lab.reports.tournament import circuit_chart, event_chart
from yardstone_lab.tournaments.pairing import CircuitQuality, EventQuality

STUDIES_AT = ROOT / "lab" / "studies"


def test_every_table_says_which_command_made_it_and_the_command_exists() -> None:
    figures = tables.all_tables()
    assert not [str(table) for table in figures if not tables.commands(table.near)]
    columns = [t for t in figures if t.text.splitlines()[0].endswith("| command |")]
    assert columns
    for table in columns:
        for row in table.text.splitlines()[2:]:
            last = row.rstrip("| ").rpartition("|")[2].strip()
            assert last == "the same" or tables.commands(last), f"{table}: {row}"
    commands = {command for table in figures for command in tables.commands(table.near)}
    wrong = {command: tables.wrong_with(command) for command in sorted(commands)}
    assert not {command: why for command, why in wrong.items() if why}


def test_every_study_has_its_place_and_says_what_it_needs_and_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YARDSTONE_SHARED", str(tmp_path))
    made: dict[str, tuple[str, ...]] = {}
    for study in STUDIES:
        for need in study.needs:
            if isinstance(need, Made):
                assert need.path in made[need.study], f"{study.name} before {need.study}"
        for path in study.makes:
            assert path.startswith("build/") or (ROOT / path).exists(), path
        made[study.name] = study.makes
        first, *missing = listing([study], tmp_path).splitlines()
        assert first.startswith(study.name)
        assert all(str(need) in first for need in study.needs)
        assert len(missing) == len(study.missing(tmp_path))
        shared = [need for need in study.needs if isinstance(need, Shared)]
        assert all(f"no {tmp_path / need.path}" in "\n".join(missing) for need in shared)
        if shared:
            assert run(study, tmp_path).startswith(f"skipped: no {tmp_path}")
        # Some look for what they need before anything else.
        source = (STUDIES_AT / f"{study.name}.py").read_text("utf-8")
        if missing and f'require("{study.name}"' in source:
            monkeypatch.setattr(sys, "argv", [study.name])
            with pytest.raises(SystemExit, match=rf"studies\.{study.name}: no ") as left:
                importlib.import_module(f"lab.studies.{study.name}").main()
            assert len(str(left.value).splitlines()) == len(missing)
    assert len(made) == len(STUDIES)
    assert {path.stem for path in STUDIES_AT.glob("*.py")} - {"__main__", "order"} == set(made)
    assert [each.name for each in studies_named(["fusion", "coverage"])] == ["coverage", "fusion"]


def test_charts_that_no_command_draws() -> None:
    fixed: dict[str, Any] = {"error": 2.0, "replicates": 8, "ahead_error": 0.2}
    circuit = fixed | {"ahead": 0.5, "drift": 0.0, "centred": 1.0, "scatter": 1.0}
    event = fixed | {"rms": 0.8, "entry": 0.9, "order": 0.6, "pairs": 1000, "order_error": 0.01}
    names, course = [(k, f"McMahon, {k}") for k in range(9)], np.linspace(20.0, 40.0, 30)
    circuits = [
        CircuitQuality(name=name, rms=30.0 + k, course=course + k, **circuit) for k, name in names
    ]
    events = [
        EventQuality(name=name, ahead=k, order_ahead=k, order_ahead_error=0.01, **event)
        for k, name in names
    ]
    pool = played(1500, 50, 6)
    replay, edges = Glicko2().replay(pool), np.linspace(500, 2500, 21)
    shares = ratings_by_games(pool, replay, edges, most=20)
    np.testing.assert_allclose(shares.share.sum(axis=1), 1.0)
    halved = ratings_by_games(pool, replay, edges / 1500.0, most=20, convert=lambda r: r / 1500.0)
    np.testing.assert_allclose(halved.share, shares.share)
    rated = strength.ratings_by_games_chart(shares, [f"{edge:.0f}" for edge in edges[:-1]])
    for chart in (circuit_chart(circuits), event_chart(events), rated):
        check(chart)
    deviations = deviations_by_games(pool, replay, most=30).mean
    assert deviations[0] == pytest.approx(350.0, rel=1e-12)
    assert np.all(np.diff(deviations) < 0.0)
    with pytest.raises(ModelError, match="no deviations"):
        deviations_by_games(pool, Elo().replay(pool))
