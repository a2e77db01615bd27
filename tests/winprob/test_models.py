"""Models of winning by name and file: probabilities, files that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yardstone.errors import InputError, UsageError
from yardstone.grades import head_start
from yardstone.ratings.egf import EGF
from yardstone.ratings.sktlr import SktLr
from yardstone.winprob.kaniuk import PUBLISHED, GradeModel
from yardstone.winprob.model import (
    MODELS,
    WinningModel,
    read_model,
    winning_model,
    with_coefficients,
    write_model,
)

GRADES = np.arange(-30.0, 9.0)
GO = [name for name in MODELS if name != "elo"]


@pytest.mark.parametrize("name", GO)
def test_a_model_of_go_is_sane(name: str) -> None:
    model = winning_model(name)
    one, two = np.meshgrid(GRADES, GRADES, indexing="ij")
    p = model.probability(one, two)
    assert np.all((p >= 0.0) & (p <= 1.0))
    np.testing.assert_allclose(p + model.probability(two, one), 1.0, atol=1e-12)
    # A stronger opponent is never easier, as far apart as any players of real games are.
    near = np.abs(one - two)[:, 1:] <= 21
    assert np.all(np.diff(p, axis=1)[near] <= 1e-15)
    stones = model.probability(-5, 0, handicap=np.arange(0, 10))
    assert np.all(np.diff(stones) > 0.0)
    komi = model.probability(-5, 0, handicap=3, komi=np.array([-5.5, 0.0, 0.5, 6.5]))
    assert np.all(np.diff(komi) < 0.0)
    assert 0.0 <= float(model.probability(0, 1, handicap=36, komi=-150.0)) <= 1.0
    for wrong in ({"handicap": 36.5}, {"komi": 150.5}, {"komi": -150.5}):
        with pytest.raises(UsageError, match="from 0 to 36 stones, komi within 150 points"):
            model.probability(0, 1, **wrong)
    with pytest.raises(UsageError, match="must be numbers"):
        model.probability(np.nan, 1)


def test_the_published_models_are_those_of_the_systems() -> None:
    one, two = np.array([-20.0, -3.0, 5.0]), np.array([-15.0, 0.0, 7.0])
    kaniuk, egf, goldis = (winning_model(name) for name in ("kaniuk", "egf", "goldis"))
    np.testing.assert_allclose(kaniuk.probability(one, two), PUBLISHED.probability(one, two))
    system = EGF().probability(2100 + 100 * one, 2100 + 100 * two)
    np.testing.assert_allclose(egf.probability(one, two), system)
    ahead = EGF().probability(2100 + 100 * (one + 2.5), 2100 + 100 * two)
    np.testing.assert_allclose(egf.probability(one, two, handicap=3), ahead)
    for stones in (0, 1, 4):
        margin = SktLr().win_probability(100 * (one - two), handicap=stones)
        np.testing.assert_allclose(goldis.probability(one, two, handicap=stones), margin)
    assert winning_model("elo").probability(1600, 1400) == pytest.approx(0.759747, abs=1e-6)
    with pytest.raises(UsageError, match="no handicap stones"):
        winning_model("elo").probability(1600, 1400, handicap=2)
    # Moving first without komi is half a stone.
    assert head_start(0, 0) == head_start(1, 0) == 0.5
    fitted = winning_model("fitted")
    assert fitted.probability(-3, 0, komi=0) == fitted.probability(-3, 0, handicap=1)
    turned = fitted.probability(-3, 0, handicap=1, komi=-7)
    assert fitted.probability(-3, 0, handicap=2, komi=7) == turned


def test_what_a_model_was_made_for_and_whether_it_has_intervals() -> None:
    model = winning_model("kaniuk")
    assert model.interval(1, 3) is None
    assert "without errors" in model.no_interval
    first, second = [1, 6, -20, 7, -21, -5, -5], [3, 2, -16, 6, -20, -1, 0]
    outside = [False, False, False, True, True, False, True]  # 20k to 7d, 4 grades apart
    assert model.extrapolates(first, second).tolist() == outside
    assert winning_model("egf").extrapolates([-30, -31], [8, 0]).tolist() == [False, True]
    assert winning_model("goldis").extrapolates([-19, -20, 0], [9, 0, 10]).tolist() == [
        False, True, True,
    ]  # fmt: skip
    shipped = winning_model()
    assert shipped is winning_model("fitted")
    p = shipped.probability([1, -10, 0], [3, -9, 0], handicap=[0, 0, 2])
    ends = shipped.interval([1, -10, 0], [3, -9, 0], handicap=[0, 0, 2])
    assert ends is not None
    assert np.all((ends[0] < p) & (p < ends[1]))


def test_coefficients_set_by_hand() -> None:
    model = winning_model()
    mine = with_coefficients(model, {"u1": 0.25, "black": -0.1})
    assert isinstance(mine.law, GradeModel)
    assert mine.law.core.u[1] == 0.25
    assert mine.law.extras["black"] == -0.1
    assert mine.law.core.k == model.law.core.k  # type: ignore[attr-defined]
    assert mine.about.endswith("; u1 set to 0.25, black set to -0.1")
    assert (mine.region, mine.spread) == (None, None)
    for values in ({"u1": -0.1}, {"lapse": 1.0}, {"w": 1.0}):
        with pytest.raises(UsageError):
            with_coefficients(model, values)
    with pytest.raises(UsageError, match="no coefficients to set"):
        with_coefficients(winning_model("egf"), {"u1": 0.1})


def test_a_file_gives_the_model_back(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    model = winning_model()
    write_model(path, model)
    back = winning_model(path)
    assert winning_model(str(path)).about == back.about == model.about
    one, two = np.meshgrid(GRADES, GRADES)
    np.testing.assert_array_equal(back.probability(one, two), model.probability(one, two))
    mine, theirs = (np.array(each.interval(-4, -2, handicap=1)) for each in (back, model))
    np.testing.assert_array_equal(mine, theirs)
    write_model(path, WinningModel("x", "y", GradeModel(), lowest=-1.0, highest=1.0, apart=2.0))
    assert read_model(path).region is None


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"format": "else"}, "not a model of winning"), ({"version": 2}, "version 2"),
    ({"link": "probit"}, "link"), ({"link": ["erf"]}, "link"), ({"name": None}, "name"),
    ({"about": "x" * 1000}, "about"), ({"coefficients": {"u0": -1.0}}, "u0 is negative"),
    ({"coefficients": {"u0": "1"}}, "u0 is not a number"),
    ({"coefficients": {"u0": True}}, "u0 is not a number"),
    ({"coefficients": {"lapse": 1.0}}, "lapse"), ({"coefficients": {"u9": 1.0}}, "u9"),
    ({"coefficients": 3}, "coefficients"), ({"free": ["u0", "u0", "u0"]}, "twice"),
    ({"free": [["u0"]]}, "free"), ({"free": "u0"}, "free"), ({"peak": [1.0]}, "peak"),
    ({"covariance": [[1.0]]}, "covariance"), ({"covariance": [["a"]]}, "covariance"),
    ({"covariance": [[10**400]]}, "covariance"),
    ({"covariance": [[-1.0, 1, 1], [1, -1, 1], [1, 1, -1]]}, "covariance"),
    ({"covariance": [[1.0, 1, 1], [0, 1, 1], [0, 0, 1]]}, "covariance"),
    ({"freedom": 0}, "freedom"), ({"spread": -1.0}, "spread"),
    ({"grades": {"lowest": 1, "highest": 0, "apart": 3}}, "lowest"),
]  # fmt: skip
NO_MODEL = (b"", b"\xff\xfe", b"[1, 2", b"[]", b"{}", b"[" * 50_000, b'{"format": NaN}',
            b" " * 200_000)  # fmt: skip


def test_a_malformed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    write_model(path, winning_model())
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert len(stored["free"]) == 3
    for change, message in CHANGES:
        path.write_text(json.dumps(stored | change), encoding="utf-8")
        with pytest.raises(InputError, match=message) as caught:
            read_model(path)
        assert "wrong.json" in str(caught.value)
    for content in NO_MODEL:
        path.write_bytes(content)
        with pytest.raises(InputError, match="model of winning"):
            winning_model(path)
    with pytest.raises(UsageError, match="did you mean 'kaniuk'"):
        winning_model("kaniukk")
    with pytest.raises(InputError, match="cannot be read"):
        winning_model(tmp_path)
