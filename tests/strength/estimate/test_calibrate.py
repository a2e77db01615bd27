from __future__ import annotations

import json
import re
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import stdtrit

from tests.docs.blocks import ROOT
from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.pool import SkipReport
from yardstone.strength.calibration import (
    Calibration,
    RatedPlayer,
    fit_calibration,
    read_ratings,
    score_cost,
)
from yardstone.strength.model import StrengthModel
from yardstone.strength.site_scales import (
    EGF_DEVIATION,
    EGF_FROM_OGS,
    EGF_SHIFT,
    OGS_DEVIATION,
    SITE_SCALES,
    fox_rank,
    scales_from,
    site_scale,
)
from yardstone.winprob.scales import convert

Array = NDArray[np.float64]
LINE = Calibration(
    "club", "points", "random", "fox", 30, 100.0, 1500.0, 5.0, 20.0, 90.0, 60.0, 0.9, -2.0, 8.0
)


def noisy(number: int, seed: int = 0) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    x = random.uniform(-3.0, 9.0, number)
    return x, 90.0 * x + 1400.0 + random.normal(0.0, 80.0, number)


def test_the_line_is_that_of_least_squares() -> None:
    x, y = noisy(40)
    result = fit_calibration(x, y, site="club")
    slope, intercept = np.polyfit(x, y, 1)
    assert (result.slope, result.intercept) == pytest.approx((slope, intercept))
    residual = y - (slope * x + intercept)
    assert result.deviation == pytest.approx(np.sqrt(residual @ residual / 38))
    assert result.determined == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
    assert result.rating([0.0, 2.0]) == pytest.approx([intercept, intercept + 2 * slope])
    assert (result.players, result.lowest, result.highest) == (40, x.min(), x.max())


def test_the_errors_are_those_of_many_fits() -> None:
    fits = [fit_calibration(*noisy(40, seed), site="club") for seed in range(400)]
    for name in ("slope", "intercept"):
        spread = np.std([getattr(fit, name) for fit in fits])
        claimed = np.mean([getattr(fit, f"{name}_error") for fit in fits])
        assert claimed == pytest.approx(spread, rel=0.12)


def test_what_the_estimates_own_errors_explain_is_not_the_lines() -> None:
    x, y = noisy(40)
    alone = fit_calibration(x, y, site="club")
    with_errors = fit_calibration(x, y, site="club", deviations=np.full(40, 0.5))
    assert alone.unexplained == alone.deviation
    expected = alone.deviation**2 - (0.5 * alone.slope) ** 2
    assert with_errors.unexplained == pytest.approx(np.sqrt(expected))
    assert fit_calibration(x, y, site="club", deviations=np.full(40, 5.0)).unexplained == 0.0


def test_a_line_that_cannot_be() -> None:
    with pytest.raises(NoGamesError, match="at least 3 players"):
        fit_calibration([1.0, 2.0], [1000.0, 1100.0], site="club")
    with pytest.raises(NoGamesError, match="different strength"):
        fit_calibration([1.0, 1.0, 1.0], [1000.0, 1100.0, 1200.0], site="club")
    with pytest.raises(ModelError, match="do not grow"):
        fit_calibration([1.0, 2.0, 3.0], [1300.0, 1100.0, 1000.0], site="club")
    with pytest.raises(UsageError, match="points, ogs, egf"):
        fit_calibration([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], site="club", kind="kgs")
    with pytest.raises(UsageError, match="is called 'ogs'"):
        fit_calibration([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], site="ogs")


def test_the_best_slope_costs_nothing_and_another_one_does() -> None:
    random = np.random.default_rng(0)
    x1, x2 = random.uniform(0, 9, 5000), random.uniform(0, 9, 5000)
    true = 0.7
    score = (random.random(5000) < 1 / (1 + np.exp(-true * (x1 - x2)))).astype(float)
    right = replace(LINE, slope=true * 400 / log(10))
    result = score_cost(right, x1, x2, score)
    assert result.best_slope == pytest.approx(true, abs=0.06)
    assert result.site_slope == pytest.approx(true)
    assert result.best == pytest.approx(result.site, abs=5e-4)
    assert result.best >= result.site > result.even == log(0.5)
    steep = score_cost(replace(right, slope=3 * right.slope), x1, x2, score)
    assert steep.site_slope == pytest.approx(3 * true)
    assert steep.site < result.site - 0.05
    assert steep.best == result.best


def test_the_best_slope_is_at_the_top_of_the_likelihood() -> None:
    x1, x2 = np.array([1.0, 2.0, 4.0, 3.0, 5.0]), np.array([2.0, 1.0, 1.0, 4.0, 2.0])
    score = np.array([0.0, 1.0, 1.0, 1.0, 0.5])
    result = score_cost(LINE, x1, x2, score)

    def likelihood(slope: float) -> float:
        p = 1 / (1 + np.exp(-slope * (x1 - x2)))
        return float(np.mean(score * np.log(p) + (1 - score) * np.log(1 - p)))

    assert result.best == pytest.approx(likelihood(result.best_slope))
    assert result.best >= max(likelihood(result.best_slope + d) for d in (-0.01, 0.01))
    worse = score_cost(LINE, x2, x1, score)
    assert (worse.best_slope, worse.best) == pytest.approx((0.0, log(0.5)))


def test_ratings_of_the_egf_have_its_probabilities() -> None:
    egf = replace(LINE, kind="egf", slope=100.0, intercept=1950.0)
    result = score_cost(egf, [2.5], [1.5], [1.0])  # 2200 against 2100
    assert result.site == pytest.approx(-np.log1p((1100 / 1200) ** 7))


def test_no_results_no_cost() -> None:
    with pytest.raises(NoGamesError):
        score_cost(LINE, [], [], [])


def test_a_calibration_is_kept_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "club.json"
    LINE.save(path)
    assert Calibration.load(path) == LINE
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InputError, match="cannot be written"):
        LINE.save(tmp_path / "no" / "club.json")


def test_a_file_of_earlier_times_is_of_estimates_on_the_fox_scale(tmp_path: Path) -> None:
    path = tmp_path / "club.json"
    replace(LINE, basis="ogs").save(path)
    assert Calibration.load(path).basis == "ogs"
    kept = json.loads(path.read_text())
    del kept["basis"]
    path.write_text(json.dumps({**kept, "format": 1}))
    assert Calibration.load(path) == LINE
    path.write_text(json.dumps(kept))
    with pytest.raises(InputError, match="damaged"):
        Calibration.load(path)


def test_a_calibration_knows_the_scale_of_its_estimates() -> None:
    fox, ogs = (
        site_scale(replace(LINE, kind="ogs")),
        site_scale(replace(LINE, kind="ogs", basis="ogs")),
    )
    assert (fox.basis, fox.known, ogs.basis, ogs.known) == ("fox", (-1, 9), "ogs", (-24, 3))
    assert str(fox.rank(-3.0)).endswith("k or weaker")
    assert not str(ogs.rank(-3.0)).endswith("or weaker")
    with pytest.raises(UsageError, match="no scale of a model is called 'kgs': fox, ogs"):
        fit_calibration([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], site="club", basis="kgs")
    assert (
        fit_calibration([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], site="club", basis="ogs").basis == "ogs"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"slope": "steep"},
        {"slope": -1.0},
        {"slope": float("inf")},
        {"players": 2.5},
        {"kind": "kgs"},
        {"basis": "kgs"},
        {"basis": ["fox"]},
        {"format": 9},
        {"more": 1},
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "club.json"
    LINE.save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match="strength calibrate"):
        Calibration.load(path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]", b"[" * 60000, b" " * 70000])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "club.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"not a calibration|too large for a calibration"):
        Calibration.load(path)
    with pytest.raises(InputError, match="there is no such file"):
        Calibration.load(tmp_path / "none.json")


def test_a_calibration_belongs_to_its_model() -> None:
    model = StrengthModel.load()
    name = model.card["name"]
    replace(LINE, model=name).check_model(model)
    with pytest.raises(InputError, match=f"is for the model random, and this is {name}"):
        LINE.check_model(model)


def test_a_calibrated_scale_shows_the_sites_ratings() -> None:
    scale = site_scale(LINE)
    assert (scale.value(2.0), scale.rank(2.0)) == (1700.0, None)
    line = LINE.deviation * np.sqrt(2.0 / LINE.players)  # its two parameters' own error
    error = float(np.hypot(LINE.unexplained, line)) / LINE.slope
    assert scale.deviation == pytest.approx(error)
    assert scale.freedom == LINE.players - 2
    reach = float(stdtrit(LINE.players - 2, 0.95)) * error
    low, high = scale.widened(2.0, 2.0, 2.0, 0.9)
    assert (low, high) == pytest.approx((2.0 - reach, 2.0 + reach), abs=1e-3)


@pytest.mark.parametrize("kind", ["ogs", "egf"])
def test_ratings_of_ogs_and_egf_have_ranks(kind: str) -> None:
    first = SITE_SCALES[kind]
    slope = (first.rating(6.0) - first.rating(4.0)) / 2.0
    scale = replace(LINE, kind=kind, slope=slope, intercept=first.rating(5.0) - 5.0 * slope)
    assert first.number is not None
    assert site_scale(scale).rank(5.0) == fox_rank(first.number(5.0))


@pytest.mark.parametrize(
    ("value", "rank"),
    [
        (3.0, "3d"),
        (3.99, "3d"),
        (1.0, "1d"),
        (0.99, "1k"),
        (0.0, "1k"),
        (-0.01, "2k"),
        (-4.0, "5k"),
    ],
)
def test_ranks_of_fox(value: float, rank: str) -> None:
    assert fox_rank(value) == rank


def test_ogs_has_its_public_formula() -> None:
    # 23.15 ln(rating / 525) is the rank, and 30 is where 1 dan begins.
    scale = SITE_SCALES["ogs"]
    for fox in (-0.5, 1.0, 4.3, 8.9):
        number = 23.15 * np.log(scale.rating(fox) / 525.0)
        assert scale.number is not None
        assert number - 29.0 == pytest.approx(scale.number(fox))
    assert fox_rank(23.15 * np.log(1918.6 / 525.0) - 29.0) == "1d"


def test_ogs_of_2020_has_the_formula_of_its_time() -> None:
    """As the index of its games has it: 1500 is 12.2 kyu, which is 17.75 ranks from 30 kyu."""
    scale = SITE_SCALES["ogs-2020"]
    for place in (-33.0, -12.0, 0.5, 6.0):
        number = np.log(scale.rating(place) / 850.0) / 0.032
        assert scale.number is not None
        assert number - 29.0 == pytest.approx(scale.number(place))
    assert scale.value(17.75 - 29.0) == 1500.0
    assert scale.rank(17.75 - 29.0) == "13k"  # 12.25 ranks below 1 dan


def test_an_egf_rating_of_2100_is_the_middle_of_1_dan() -> None:
    scale = SITE_SCALES["egf"]
    assert scale.number is not None
    shift = scale.number(0.0)
    assert scale.rating(1.5 - shift) == pytest.approx(2100.0)
    assert float(convert(2100.0, "egf", "grade")) == 0.0


def test_where_the_model_tells_nothing_apart_the_rank_says_so() -> None:
    assert SITE_SCALES["fox"].rank(-2.5) == "3k or weaker"
    assert SITE_SCALES["fox"].rank(9.5) == SITE_SCALES["fox"].rank(10.0) == "9d"
    assert SITE_SCALES["egf"].rank(-2.5) == "7k or weaker"
    assert SITE_SCALES["egf"].rank(9.5) == "4d or stronger"
    for scale in scales_from("ogs", ("fox", "ogs")).values():
        if scale.basis == "ogs":  # where other ranks are told apart
            assert (scale.rank(-24.1), scale.rank(-24.0)) == ("26k or weaker", "25k")
            assert (scale.rank(2.9), scale.rank(3.0)) == ("2d", "3d or stronger")


def test_scales_of_a_model() -> None:
    """Those that are reached from what it has, the EGF's from where it tells best."""
    both = ("fox", "ogs")
    assert list(scales_from("fox", both)) == ["fox", "ogs", "ogs-2020", "egf"]
    assert list(scales_from("fox", ("fox",))) == ["fox", "egf"]
    assert list(scales_from("ogs", ("ogs",))) == ["ogs", "ogs-2020", "egf"]
    strong, weak = scales_from("fox", both), scales_from("ogs", both)
    assert list(weak) == list(strong)
    assert [name for name in strong if strong[name] is not weak[name]] == ["egf"]
    assert (strong["egf"].basis, weak["egf"].basis) == ("fox", "ogs")
    # 20 kyu of OGS is that of the EGF, 100 points at its middle; 5 dan of Fox is weaker there.
    assert (weak["egf"].rank(-18.5), weak["egf"].value(-18.5)) == ("20k", 100.0)
    assert strong["egf"].value(5.5) == pytest.approx(2500.0 + 100.0 * EGF_SHIFT)


def test_the_end_of_an_interval_beyond_the_model_is_the_scales_error() -> None:
    scale = SITE_SCALES["ogs"]
    assert scale.number is not None
    assert scale.end_ranks(-3.0, 9.6) == (
        fox_rank(scale.number(-3.0)),
        fox_rank(scale.number(9.6)),
    )


def test_scales_that_are_not() -> None:
    with pytest.raises(UsageError, match="'kgs': there are fox, ogs, ogs-2020, egf"):
        site_scale("kgs")


def test_a_table_of_ratings(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("Rating;Player;Estimate\n1500;Anna;2.5\n\n1600.5; Bob ;\n", "utf-8-sig")
    assert read_ratings(path) == [RatedPlayer("Anna", 1500.0, 2.5), RatedPlayer("Bob", 1600.5)]


def test_bad_rows_of_a_table_are_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    rows = ["player,rating", "Anna,1500", "Bob,high", "anna,1400", ",1300", "Cid,", "Eve,nan"]
    path.write_text("\n".join(rows))
    skipped = SkipReport()
    assert [each.player for each in read_ratings(path, skipped)] == ["Anna"]
    assert [record.line for record in skipped.details] == [3, 4, 5, 6, 7]
    assert skipped.reasons["the rating is not a number"] == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no rows"),
        ("name,elo\nAnna,1500\n", "no columns player and rating"),
        ("player,rating\n", "no player"),
        ("player,rating\n\0,\0\n", "no player"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=words):
        read_ratings(path)
    with pytest.raises(InputError, match="no such file"):
        read_ratings(tmp_path / "none.csv")


def test_the_guide_has_the_shifts_of_the_scales() -> None:
    page = (ROOT / "docs" / "how-to" / "strength.md").read_text("utf-8")
    rows = {
        name: line for name in SITE_SCALES for line in page.splitlines() if f"| `{name}` |" in line
    }
    errors = {name: re.findall(r"give or take ([\d.]*\d)", line) for name, line in rows.items()}
    assert errors["ogs"] == [f"{OGS_DEVIATION:g}"]
    assert errors["egf"] == [f"{EGF_DEVIATION:g}", f"{EGF_FROM_OGS:g}"]
    assert errors["ogs-2020"] == []
    assert f"{-EGF_SHIFT:g} lower than Fox" in rows["egf"]
    table = (ROOT / "docs" / "studies" / "ogs-shift-tables.md").read_text("utf-8")
    pattern = r"OGS less Fox.*: (\S+) ± (\S+) ranks .* spread by (\S+) ranks"
    league = re.findall(pattern, table.partition("People against bots")[0])
    assert len(league) == 2
    for mean, error, spread in (map(float, each) for each in league):
        assert mean == pytest.approx(EGF_SHIFT, abs=error)
        # The spread, the shift's own error, a rank of doubt, and one for OGS being the EGF.
        assert np.sqrt(spread**2 + error**2 + 2.0) == pytest.approx(EGF_DEVIATION, abs=0.45)
    table = (ROOT / "docs" / "studies" / "ogs-ranks-tables.md").read_text("utf-8")
    result = re.search(r"15 kyu and stronger: (\S+) ± (\S+) ranks", table)
    assert result is not None
    # How far players of a league are off, and what is not known of that; then the EGF's error.
    off = np.hypot(float(result[1]), float(result[2]))
    assert pytest.approx(off, abs=0.1) == OGS_DEVIATION
    assert np.hypot(OGS_DEVIATION, EGF_DEVIATION) == pytest.approx(EGF_FROM_OGS, abs=0.1)


@pytest.mark.parametrize("number", [6, 30])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
def test_intervals_on_a_sites_scale_hold(number: int, level: float) -> None:
    """For another player, whose strength is known: all error is that of the site's line."""
    random = np.random.default_rng(number)
    held = []
    for _ in range(600):
        strength = random.uniform(0.0, 9.0, number + 1)
        rating = 1200.0 + 90.0 * strength + random.normal(0.0, 60.0, number + 1)
        scale = fit_calibration(strength[1:], rating[1:], site="club").site_scale()
        new = float(strength[0])
        low, high = scale.widened(new, new, new, level)
        assert low is not None
        assert high is not None
        held.append(scale.rating(low) <= rating[0] <= scale.rating(high))
    assert np.mean(held) == pytest.approx(level, abs=0.05)


def test_a_bound_stays_a_bound_on_every_scale() -> None:
    for scale in SITE_SCALES.values():
        low, high = scale.widened(-3.2, None, -1.0, 0.9)
        assert low is None
        assert high is not None
        assert scale.end_ranks(low, high)[0] is None
        assert scale.end_ranks(None, None) == (None, None)
    fox = SITE_SCALES["fox"]
    assert fox.end_ranks(None, -1.0) == (None, "3k")
    assert fox.end_ranks(9.0, None) == ("9d", None)
    assert fox.end_ranks(3.2, 5.0) == ("3d", "4d")
