from __future__ import annotations

import json
from pathlib import Path

import pytest

from yardstone.cli.commands import application
from yardstone.errors import InputError, UsageError


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    application("handicap")(
        args=[str(a) for a in arguments], prog_name="handicap", standalone_mode=False
    )
    return capsys.readouterr().out


def test_the_worked_example(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "2673", "2235", "--format", "json"))
    assert {k: found[k] for k in ("stones", "komi", "tie", "even_game_margin")} == {
        "stones": 2,
        "komi": 3,
        "tie": "black",
        "even_game_margin": 13,
    }
    assert (found["white"], found["black"]) == ("2673", "2235")
    assert run(capsys, "2673", "2235") == (
        "Black 2235, White 2673: 2 handicap stones.\n"
        "Black gives 3 points of komi; Black wins a tie (the same as 2.5 points from Black).\n"
        "Exactly 2.742 stones. In an even game White should win by 13 points (13.93).\n\n"
        "That is Goldis' rule. For 4.38 grades a stone a grade (EGF) gives 4.9 stones "
        "without komi; fitted to real handicap games, where a stone is worth 1.08 grades "
        "(95 %: 0.78 to 1.38), it is 4.6.\nGoldis' forecasts of those games are worse than a "
        "coin's (log loss 0.916, 95 %: 0.820 to 1.012; a coin 0.693), those of a stone a grade "
        "are not (0.667, 95 %: 0.640 to 0.695).\n"
    )


def test_other_rules_stand_beside_goldis(capsys: pytest.CaptureFixture[str]) -> None:
    """Five ranks are 3.2 of Goldis' stones, which real games contradict."""
    found = json.loads(run(capsys, "2d", "4k", "--scale", "grade", "--format", "json"))
    assert found["rule"] == "goldis"
    assert found["stones"] == 3
    assert found["others"]["EGF"]["stones"] == 5
    fitted = found["others"]["fitted"]
    assert fitted["low"] < fitted["grades_a_stone"] < fitted["high"]
    assert "worse than a coin's" in run(capsys, "2d", "4k", "--scale", "grade")


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
        (["1918.47", "1245.5", "--scale", "ogs"], [2000, 1000]),
    ],
)
def test_ranks_and_other_scales(
    arguments: list[str], ratings: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(run(capsys, *arguments, "--format", "json"))
    assert found["ratings"] == pytest.approx(ratings, abs=0.5)


def test_komi_base_and_fixed_stones(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "2673", "2235", "--komi", "6.5", "-o", tmp_path / "out")
    assert "Black gives 2 points of komi; White wins a tie" in (tmp_path / "out").read_text()
    assert "White gives 5 points" in run(capsys, "2673", "2235", "--stones", "1")
    elo = json.loads(run(capsys, "2100", "2000", "--base", "3.1622776602", "--format", "json"))
    assert elo["exact_stones"] == pytest.approx(3.16228, abs=1e-5)
    assert "no handicap stones" in run(capsys, "2000", "2000")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["2673"], UsageError, "two ratings"),
        (["2673", "2235", "--komi", "0"], UsageError, "komi"),
        (["6x", "2k"], InputError, "not a rank"),
        (["2000", "2100", "--scale", "grade"], UsageError, "not a name"),
        (["2d", "x", "--scale", "egf"], InputError, "not a Go grade"),
        (["6d", "2235"], UsageError, "one is a name and the other a number"),
        (["7aml", "19step"], UsageError, "316 stones, and up to 36 have a meaning"),
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
