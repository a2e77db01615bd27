"""The players of the same games, measured from one look at them, and on every scale."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from tests.strength.estimate_cases import Case, game
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.strength.estimation import SideEstimate, estimate_everyone, estimate_player
from yardstone.strength.site_scales import SITE_SCALES, parts_on_scale, plain_on_scale


@cache
def usual() -> list[GoGame]:
    return [
        game(11, "Anna", "Bob", day=3),
        game(12, "Cid", "anna", day=1),
        game(13, "Anna", "Bob"),
        game(11, "Anna", "Bob", day=3),
        game(14, "Cid", "Bob", day=2, moves=60),
    ]


@pytest.fixture(scope="module")
def everyone(case: Case) -> list[SideEstimate]:
    return estimate_everyone(usual(), "Anna", net=case.network, model=case.model)


def sides(estimates: list[SideEstimate]) -> list[tuple[str, int | None]]:
    return [(each.side.player, each.side.colour) for each in estimates]


def test_each_is_measured_as_if_alone(case: Case, everyone: list[SideEstimate]) -> None:
    assert sides(everyone) == [
        ("Anna", None), ("Anna", BLACK), ("Anna", WHITE), ("Bob", None), ("Cid", None)
    ]  # fmt: skip
    assert [len(each.estimate.games) for each in everyone] == [3, 2, 1, 3, 2]
    reasons = [dict(each.estimate.skipped.reasons) for each in everyone]
    assert reasons[0] == {"the same game again": 1, "not a game of Anna": 1}
    assert reasons[1] == {**reasons[0], "Anna has the other colour": 1}
    alone = estimate_player(usual(), "Bob", net=case.network, model=case.model).as_dict()
    same = everyone[3].estimate.as_dict()
    assert same["rating"] == pytest.approx(alone["rating"], abs=0.011)
    for name in ("skipped", "moves"):
        assert same[name] == alone[name]
    files = [[part["file"] for part in plain["by_game"]] for plain in (same, alone)]
    assert files[0] == files[1]


def test_so_many_others_as_are_asked_for(case: Case) -> None:
    for others, names in ((1, {"Cid", "Anna"}), (0, {"Cid"})):
        report = SkipReport()
        few = estimate_everyone(
            usual()[:2], "Cid", net=case.network, model=case.model, others=others, skipped=report
        )
        assert sides(few)[0] == ("Cid", None)
        assert {each.side.player for each in few} == names
        assert report.total == few[0].estimate.skipped.total == 1


def test_games_that_name_nobody_have_two_colours(case: Case) -> None:
    games = [game(21, "", ""), game(22, "", "")]
    bad = replace(games[0], file="bad.sgf", number=99, handicap=2, setup_black=games[0].moves[:1])
    both = estimate_everyone(
        [*games, bad], colour=WHITE, net=case.network, model=case.model, handicap=True
    )
    assert sides(both) == [("White", WHITE), ("Black", BLACK)]
    for each in both:
        assert len(each.estimate.games) == 2
        assert dict(each.estimate.skipped.reasons) == {"it cannot be replayed": 1}


def test_another_scale_is_what_that_scale_would_have_given(everyone: list[SideEstimate]) -> None:
    fox = everyone[0].estimate.as_dict()
    for name, scale in SITE_SCALES.items():
        direct = everyone[0].estimate.on_scale(name)
        assert plain_on_scale(fox, parts_on_scale(direct)) == direct.as_dict()
        shown = fox["scales"][name]
        assert (shown["deviation"], shown["title"]) == (scale.deviation, scale.title)
    assert everyone[0].estimate.on_scale("ogs").notes != everyone[0].estimate.notes
