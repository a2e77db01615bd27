from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from yardstone.cli.commands import application
from yardstone.errors import InputError, UsageError
from yardstone.winprob.model import winning_model, write_model


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("handicap")(
        args=[str(a) for a in arguments], prog_name="handicap", standalone_mode=False
    )
    return capsys.readouterr().out


def plain(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(run(capsys, *arguments, "--format", "json"))


def test_the_worked_example(capsys: pytest.CaptureFixture[str]) -> None:
    result = plain(capsys, "2673", "2235")
    assert {k: result["goldis"][k] for k in ("stones", "komi", "tie", "even_game_margin")} == {
        "stones": 2,
        "komi": 3,
        "tie": "black",
        "even_game_margin": 13,
    }
    assert (result["white"], result["black"]) == ("2673", "2235")
    text = run(capsys, "2673", "2235")
    assert text.startswith("White 2673, Black 2235: 4.38 grades apart (7.73d and 3.35d).\n")
    assert (
        "Goldis: exactly 2.742 stones of 8 points; in an even game White should win by 13 " in text
    )


def test_the_models_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    """Five grades are five stones by tradition and 3.2 of Goldis'."""
    result = plain(capsys, "2d", "4k")
    proposals = {each["model"]: each for each in result["proposals"]}
    assert list(proposals) == ["goldis", "egf", "fitted"]
    assert (proposals["goldis"]["stones"], proposals["egf"]["stones"]) == (3, 5)
    assert proposals["egf"]["exact_stones"] == pytest.approx(5.5, abs=1e-6)
    fitted = winning_model()
    for each in proposals.values():
        assert each["chance"]["probability"] == pytest.approx(0.5, abs=0.03)
        for name, komi in (("judged", each["half_point_komi"]), ("judged_without_komi", 0.0)):
            chance = each[name]
            p = fitted.probability(-4.0, 1.0, handicap=each["stones"], komi=komi)
            assert chance["probability"] == pytest.approx(float(p))
            assert chance["low"] < chance["probability"] < chance["high"]
    assert proposals["egf"]["chance"]["low"] is None
    assert proposals["fitted"]["chance"] == proposals["fitted"]["judged"]
    narrow = plain(capsys, "2d", "4k", "--confidence", "50")["proposals"][2]["chance"]
    assert proposals["fitted"]["chance"]["low"] < narrow["low"] < narrow["high"]


def test_why_they_differ_is_computed(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "2d", "4k")
    assert "Tradition says 5 and Goldis 3: tradition counts a stone for each of 5 grades" in text
    assert "1.259, so 5 grades for 3.16" in text
    p = winning_model().probability(-4.0, 1.0, handicap=[5, 3], komi=0.0)
    for stones, chance in zip((5, 3), p, strict=True):
        assert f"{stones} stones without komi {100 * chance:.0f} % (" in text
    assert "both give the first move" in run(capsys, "2d", "1d")
    assert "1.995" in run(capsys, "2d", "4k", "--base", "1.9952623")
    assert "Tradition" not in run(capsys, "2d", "4k", "--stones", "4")


def test_one_model_by_name_or_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write_model(tmp_path / "mine.json", replace(winning_model(), name="mine"))
    for name in ("kaniuk", "fitted", str(tmp_path / "mine.json")):
        result = plain(capsys, "2d", "4k", "--win", name)
        assert len(result["proposals"]) == 1
        assert result["goldis"] is None
        own = "fitted" if name in ("kaniuk", "fitted") else "mine"
        assert result["judge"]["model"] == own
    assert "7 grades apart" in run(capsys, "6d", "2k", "--win", "fitted")


def test_grades_that_goldis_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    result = plain(capsys, "20k", "28k")
    assert [each["model"] for each in result["proposals"]] == ["egf", "fitted"]
    assert result["failures"][0]["model"] == "goldis"
    assert (result["white_grade"], result["black_grade"]) == (-20, -28)
    assert plain(capsys, "10d", "20k")["grades_apart"] == 29


@pytest.mark.parametrize(
    ("arguments", "ratings"),
    [
        (["6d", "2k"], [2500, 1800]),
        (["7aml", "3step"], [2600, 1700]),
        (["1p", "10aml"], [3000, 2900]),
        (["2315", "1987", "--scale", "egf"], [2215, 1887]),
        (["3d", "1k", "--scale", "grade"], [2200, 1900]),
        (["10k", "20k", "--scale", "uniform"], [1000, 0]),
        (["2d", "2000", "--scale", "egf"], [2100, 1900]),
        (["1960.4", "1272.7", "--scale", "ogs"], [2000, 1000]),
    ],
)
def test_ranks_and_other_scales(
    arguments: list[str], ratings: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    result = plain(capsys, *arguments)
    assert result["ratings"] == pytest.approx(ratings, abs=0.5)


def test_komi_base_and_fixed_stones(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "2673", "2235", "--komi", "6.5", "-o", tmp_path / "out")
    goldis = next(
        line for line in (tmp_path / "out").read_text().splitlines() if line.startswith("goldis")
    )
    assert goldis.split()[1:6] == ["2", "Black", "gives", "2", "White"]
    fixed = plain(capsys, "2673", "2235", "--stones", "1")["proposals"]
    assert [each["stones"] for each in fixed] == [1, 1, 1]
    assert fixed[0]["komi"] == -5
    assert fixed[1]["half_point_komi"] == pytest.approx(-14 * 4.38 + 7, abs=0.5)
    elo = plain(capsys, "2100", "2000", "--base", "3.1622776602")
    assert elo["goldis"]["exact_stones"] == pytest.approx(3.16228, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["2673"], UsageError, "two ratings"),
        (["2673", "2235", "--komi", "0"], UsageError, "komi"),
        (["6x", "2k"], InputError, "not a rank"),
        (["2000", "2100", "--scale", "grade"], UsageError, "not a name"),
        (["2d", "x", "--scale", "egf"], InputError, "not a Go grade"),
        (["6d", "2235"], UsageError, "one is a name and the other a number"),
        (["7aml", "19step", "--win", "goldis"], UsageError, "316 stones, and up to 36 have a mea"),
        (["2d", "4k", "--win", "elo"], UsageError, "no handicap stones"),
        (["2d", "4k", "--win", "nobody"], UsageError, "no model of winning"),
        (["2d", "4k", "--win", "egf", "--komi", "6"], UsageError, "belongs to Goldis"),
        (["2d", "30k", "--win", "egf", "--stones", "1"], UsageError, "no meaning"),
        (["2500", "1000", "--stones", "2"], UsageError, "a komi of"),
        (["2673", "2235", "--komi", "800"], UsageError, "komi must be a number above 0 to 150"),
        (["2673", "2235", "--stones", "316"], UsageError, "stones must be a whole number"),
        (["2673", "2235", "-o", "x.xlsx"], UsageError, "must end in"),
        (["2673", "2235", "-o", "x.json", "--format", "text"], UsageError, "say --format json"),
    ],
)
def test_wrong_usage(
    arguments: list[str],
    error: type[Exception],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(error, match=message):
        run(capsys, *arguments)
