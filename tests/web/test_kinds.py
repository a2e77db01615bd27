"""Every kind of job says all that form, interface, workers and pages want of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.strength.estimate_cases import game, make_case
from tests.web.made_results import calibration
from tests.web.serving import settings_for
from tests.web.sites import site
from yardstone.strength.estimation import estimate_everyone
from yardstone.web.kinds import ANY_KIND, KINDS, go
from yardstone.web.kinds.kind import PlayersField, level_field
from yardstone.web.problems import RequestProblem
from yardstone.web.service import job_options, kind_of


def test_kinds_and_options_are_what_is_asked_and_else_usual() -> None:
    kinds = {("sgf",): "go", ("mat", "sgf-backgammon"): "backgammon", ("csv",): "results"}
    assert {formats: kind_of(formats).name for formats in kinds} == kinds
    assert kind_of(["sgf"], "results").name == "results"
    assert [ANY_KIND.read(values) for values in ([], ["auto"], ["go"])] == ["auto", "auto", "go"]
    usual = {
        "go": {"player": None, "ogs": None, "colour": None, "scale": "best", "level": 0.9,
               "others": "no"},
        "results": {"level": 0.95, "first": "auto", "unread": "refuse", "average": 2300.0},
        "backgammon": {"level": 0.9, "offset": "fibs"},
    }  # fmt: skip
    assert {name: job_options(kind, {})[0] for name, kind in KINDS.items()} == usual


def test_fields_keep_to_their_bounds() -> None:
    level, player = level_field(0.9), PlayersField(name="player")
    texts: list[list[str]] = [[], [" 0.8 "], ["0.5"], ["0.999"]]
    assert [level.read(each) for each in texts] == [0.9, 0.8, 0.5, 0.999]
    for text in ("1", "nan", "x", "0.4999", "0.9991", "inf"):
        with pytest.raises(RequestProblem, match="level: "):
            level.read([text])
    with pytest.raises(RequestProblem, match="more than once"):
        level.read(["0.8", "0.9"])
    assert player.read(["Ann", " Ann ", "", "Bob"]) == ["Ann", "Bob"]
    with pytest.raises(RequestProblem, match="200 characters"):
        player.read(["x" * 201])


def test_estimates_are_shown_on_the_operators_scale_as_well(tmp_path: Path) -> None:
    case = make_case(tmp_path)
    file = tmp_path / "club.json"
    calibration("").save(file)
    own = go.own_scale(settings_for(tmp_path, calibration=str(file)))
    assert own is not None
    assert go.own_scale(settings_for(tmp_path)) is None
    games = [game(seed, "Ann", "Bob", day=seed) for seed in range(2)]
    estimates = estimate_everyone(games, "Ann", net=case.network, model=case.model)
    result = go.go_result(estimates, own)
    scales = result["scales"]
    assert list(scales) == ["fox", "ogs", "ogs-2020", "egf", "Club"]
    club = scales["Club"]
    assert club["rating"] == pytest.approx(1200.0 + 95.0 * scales["fox"]["rating"], abs=1.0)
    with site(tmp_path, calibration=str(file)) as made:
        path = made.stored("go", result)
        assert f"{club['rating']:.0f}" in made.page(f"{path}?scale=Club").one("main").text
