"""Every kind of job says all that form, interface, workers and pages want of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.strength.estimate_cases import game, make_case
from tests.web.made_results import backgammon_result, calibration, go_result
from tests.web.serving import settings_for
from tests.web.sites import site
from yardstone.records.formats import FORMATS
from yardstone.strength.estimation import estimate_everyone
from yardstone.web.api import router
from yardstone.web.kinds import ANY_KIND, KINDS, Kind, Query, go
from yardstone.web.kinds.kind import ChoiceField, NumberField, PlayersField, level_field
from yardstone.web.pages.routes import form_fields
from yardstone.web.problems import RequestProblem
from yardstone.web.sent_files import ENDINGS, FILES
from yardstone.web.service import job_options, kind_of
from yardstone.web.settings import Limits

EVERY = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)


@EVERY
def test_a_kind_is_complete(kind: Kind) -> None:
    assert KINDS[kind.name] is kind
    assert kind.path in {getattr(route, "path", "") for route in router.routes}
    assert kind.takes
    assert all(name.partition("-")[0] in FORMATS for name in kind.takes)
    limits = Limits().as_plain()
    assert all(limits[name] == most for name, most in kind.limits.items())
    assert kind.allowance(limits)
    for each in kind.fields:
        assert each.schema()["type"]
        assert each.about or each.label
        if each.label:
            assert each.usual() or not each.offers()


@EVERY
def test_options_have_their_defaults(kind: Kind) -> None:
    (options,) = job_options(kind, {})
    assert options.keys() == {each.name for each in kind.fields}
    for each in kind.fields:
        if isinstance(each, NumberField):
            assert each.low <= options[each.name] == each.default <= each.high
        elif isinstance(each, ChoiceField):
            assert options[each.name] == (None if each.optional else each.values[0])


def test_what_is_asked_decides_and_else_the_files() -> None:
    assert kind_of(["sgf"]).name == "go"
    assert kind_of(["sgf"], "results").name == "results"
    assert kind_of(["mat", "sgf-backgammon"]).name == "backgammon"
    for formats, named in ((["sgf", "csv"], None), (["csv"], "go")):
        with pytest.raises(RequestProblem):
            kind_of(formats, named)
    assert [ANY_KIND.read(values) for values in ([], ["auto"], ["go"])] == ["auto", "auto", "go"]


def test_numbers_keep_to_their_bounds() -> None:
    field = level_field(0.9)
    assert [field.read(each) for each in ([], [" 0.8 "], ["0.5"], ["0.999"])] == [
        0.9,
        0.8,
        0.5,
        0.999,
    ]
    for text in ("1", "nan", "x", "0.4999", "0.9991", "inf"):
        with pytest.raises(RequestProblem, match="level: "):
            field.read([text])
    with pytest.raises(RequestProblem, match="more than once"):
        field.read(["0.8", "0.9"])


def test_names_count_once() -> None:
    field = PlayersField(name="player")
    assert field.read(["Ann", " Ann ", "", "Bob"]) == ["Ann", "Bob"]
    with pytest.raises(RequestProblem, match="200 characters"):
        field.read(["x" * 201])


def test_the_page_asks_for_each_field_once() -> None:
    fields = {each.name: each for each in form_fields()}
    assert fields["player"].label == "Player, for Go"
    assert fields["player"].choices == []
    assert fields["level"].label == "Level of the intervals"
    assert fields["level"].choices[:2] == [
        ("", "As usual: 90 %, for rating lists 95 %"),
        ("0.8", "80 %"),
    ]
    scales = [value for value, _ in fields["scale"].choices]
    assert scales == ["", "fox", "ogs", "ogs-2020", "egf"]


def test_the_files_that_are_taken_are_named() -> None:
    assert FILES == "SGF, PGN, CSV or MAT files"
    assert {".sgf", ".pgn", ".csv", ".mat", ".zip", ".gz"} <= set(ENDINGS)


def test_a_result_is_a_document_with_a_table() -> None:
    for name, result in (("go", go_result(2)), ("backgammon", backgammon_result())):
        kind = KINDS[name]
        view = kind.view(result, Query("/r/x"))
        assert view.document.title
        table = view.document.records if kind.records is None else kind.records(result)
        assert table is not None
        assert len(table.rows) == 2
        assert len({column.name for column in table.kept}) == len(table.kept)


def test_estimates_are_shown_on_the_operators_scale_as_well(tmp_path: Path) -> None:
    case = make_case(tmp_path)
    file = tmp_path / "club.json"
    calibration("").save(file)
    own = go.own_scale(settings_for(tmp_path, calibration=str(file)))
    assert own is not None
    assert own.name == "Club"
    assert go.own_scale(settings_for(tmp_path)) is None
    games = [game(seed, "Ann", "Bob", day=seed) for seed in range(3)]
    estimates = estimate_everyone(games, "Ann", net=case.network, model=case.model)
    result = go.go_result(estimates, own)
    assert list(result["scales"]) == ["fox", "ogs", "ogs-2020", "egf", "Club"]
    fox, club = result["scales"]["fox"], result["scales"]["Club"]
    assert club["rating"] == pytest.approx(1200.0 + 95.0 * fox["rating"], abs=1.0)
    assert club["rank"] is not None
    with site(tmp_path, calibration=str(file)) as made:
        path = made.stored("go", result)
        assert f"{club['rating']:.0f}" in made.page(f"{path}?scale=Club").one("main").text
        assert "Club" in made.page(path).one("main").text, "the other scales are offered"
