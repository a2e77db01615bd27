"""The study of van den Doel again: its table of matches, its fits, and its formulas compared."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from math import log, log10, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.studies.backgammon.formula_fit import fit_formula
from lab.tests.backgammon.made_table import made_table
from yardstone.backgammon.formulas import PUBLISHED
from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.reports.document import Document
from yardstone.reports.text import document_text
from yardstone.winprob import fibs
from yardstone_lab.reports.backgammon import cells_sections
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, FitMethod, LeftOut, StudyModel
from yardstone_lab.vandendoel.comparison import _deal, compare_formulas
from yardstone_lab.vandendoel.fit import (
    chance_of_largest,
    find_bumps,
    fit_cells,
    fit_study,
)
from yardstone_lab.vandendoel.play import (
    PUBLISHED_MEASUREMENTS,
    MatchSetting,
    NoisyPlayer,
    depth_check,
    measurements,
    part_one,
    part_two,
    strong_check,
)
from yardstone_lab.vandendoel.tables import (
    COLUMNS,
    StudyTable,
    from_results,
    is_judged,
    is_part_one,
    is_part_two,
    joined,
    make_cells,
    read_table,
    table_text,
)


def record(number: int, *, depths: tuple[int, ...] = (0,)) -> dict[str, Any]:
    setting = MatchSetting(5, NoisyPlayer(), NoisyPlayer(0.02, 0.4), analyses=depths)
    sides = {"X": (60, 0.0, 4, 0.0, 6, 0.125), "O": (64, 1.5, 8, 0.25, 10, -0.125)}
    analysis = {
        "stats": {
            who: {
                "moves": {"unforced-moves": unforced, "error-skill": error},
                "cube": {"close-cube": close, "error-skill": rate},
                "dice": {"luck-adjusted-result": luck},
            }
            for who, (unforced, error, close, rate, _, luck) in sides.items()
        },
        "close": {who: {"close-2003": side[4]} for who, side in sides.items()},
    }
    return {
        **setting.as_record(),
        "number": number,
        "seed": 7,
        "winner": "X" if number % 2 == 0 else "O",
        "analyses": {str(depth): analysis for depth in depths},
    }


def test_from_results(tmp_path: Path) -> None:
    failed = {**record(9), "failed": "it hung"}
    bad = record(1)
    del bad["analyses"]["0"]["stats"]["O"]["cube"]

    def results(*records: dict[str, Any]) -> StudyTable:
        path = tmp_path / "r.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
        return from_results([path, path])

    table = results(record(0), failed, record(1), record(0))
    assert len(table) == 2  # a match counts once, and a failed one not at all
    assert table.won.tolist() == [True, False]
    assert table.luck_adjusted.tolist() == [0.625, 0.625]
    assert table.error_per_move()[0].tolist() == [0.0, 1.5 / 64]
    for rule, cube, each in ((CloseRule.new, 0.25, 3.5 / 72), (CloseRule.old, 0.2, 3.5 / 74)):
        assert table.error_per_cube_decision(rule)[0].tolist() == [0.0, cube]
        assert table.error_per_decision(rule)[0, 1] == pytest.approx(each)
    table = results(record(0, depths=(0, 2)))
    assert [setting.analyses for setting in table.settings] == [(0,), (2,)]
    assert len(table) == 2
    with pytest.raises(InputError, match="lacks what the fits need") as caught:
        results(record(0), bad)
    assert caught.value.line == 2
    with pytest.raises(NoGamesError):
        results(failed)


@pytest.mark.parametrize("packed", [False, True])
def test_a_table_comes_back_as_it_was(tmp_path: Path, packed: bool) -> None:
    made = made_table([*part_one((1, 5)), *part_two((3,))], lambda *_: 100.0, 3)
    first = table_text(made)
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(first.encode()) if packed else first.encode())
    table = read_table(path)
    assert table_text(table) == first
    assert set(table.settings) == set(made.settings)
    assert table_text(made.take(np.random.default_rng(1).permutation(len(made)))) == first
    assert table_text(joined([made.take(np.arange(20)), made])) == first  # equal ones count once
    place = [made.settings.index(setting) for setting in table.settings]
    order = np.lexsort((made.number, np.argsort(place)[made.setting]))
    made = made.take(order)
    np.testing.assert_array_equal(np.array(place)[table.setting], made.setting)
    for name in ("seed", "number", "won", "unforced", "close_2003", "close_2006"):
        np.testing.assert_array_equal(getattr(table, name), getattr(made, name))
    for name in ("luck_adjusted", "move_error", "cube_error"):  # kept in single precision
        np.testing.assert_allclose(getattr(table, name), getattr(made, name), rtol=2e-6)


def test_what_is_no_table(tmp_path: Path) -> None:
    text = table_text(made_table(part_one((5,)), lambda *_: 0.0, 2))
    lines = text.splitlines()
    path = tmp_path / "t.csv"
    for change in (
        *("length=0", "length=x", "first_chequer_noise=nan", "second_plies=9", "noise=loud"),
        *("won=2", "luck_adjusted=inf", "first_unforced=-1", "second_close_2006=99999999999"),
        *("second_move_error=", "number=1.5"),
    ):
        column, value = change.split("=")
        cells = lines[2].split(",")
        cells[COLUMNS.index(column)] = value
        path.write_text("\n".join([*lines[:2], ",".join(cells), *lines[3:]]))
        with pytest.raises(InputError, match="cannot be used") as caught:
            read_table(path)
        assert (caught.value.file, caught.value.line) == (str(path), 3), change
    for data, error in (
        (b"", "there is no column"),
        (b"a,b\n1,2\n", "there is no column"),
        (b"\xff\xfe\x00", "not a table"),
        (gzip.compress(text.encode())[:-30], "damaged gzip"),
        (lines[0].encode() + b"\n" + b'"' * 300_000, "cannot be used"),
        (text.encode().replace(b"random", b"random\x00", 1), "cannot be used"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError, match=error):
            read_table(path)
    path.write_text(lines[0] + "\n")
    with pytest.raises(NoGamesError, match="no match"):
        read_table(path)
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "none.csv")


def truth_of_part_one(length: int, epm: float, epc: float, epd: float) -> float:
    return (9000.0 + 30000.0 / length) * epd


def truth_of_part_two(length: int, epm: float, epc: float, epd: float) -> float:
    return (7000.0 + 20000.0 / length) * epm + (900.0 - 600.0 / length) * epc


@pytest.fixture(scope="module")
def one() -> StudyTable:
    return made_table(part_one(), truth_of_part_one, 100, noise=0.1)


@pytest.fixture(scope="module")
def two() -> StudyTable:
    return made_table(part_two(), truth_of_part_two, 60, noise=0.1)


def test_parts_are_told_apart() -> None:
    """So is what the analysis can judge: not players that think more deeply than it."""
    assert all(is_part_one(s) and not is_part_two(s) for s in part_one())
    assert all(is_part_two(s) and not is_part_one(s) for s in part_two())
    every = measurements()
    deep = {"wclassWclass-wclassExp:5", "1-ply-0-ply:5"}
    assert {name for name, setting in every.items() if not is_judged(setting)} == deep
    others = [*depth_check(), *part_one(deterministic=True), *part_two(deterministic=True)]
    others += [every[name] for name in deep]
    assert not any(is_part_one(s) or is_part_two(s) for s in others)
    assert all(is_judged(setting) for setting in strong_check() + depth_check())
    assert set(PUBLISHED_MEASUREMENTS) == set(every)
    cells = make_cells(made_table([every["1-ply-0-ply:5"], *part_one((5,))], truth_of_part_two, 5))
    text = document_text(Document("", sections=cells_sections(cells)))
    row = next(line for line in text.splitlines() if "1-ply" in line)
    assert row.count("–") >= 5
    assert "thinks more deeply than the analysis" in text


def test_part_two_finds_the_truth(one: StudyTable, two: StudyTable) -> None:
    fit = fit_study(two, StudyModel.bilinear, draws=40, seed=3)
    a2, b = fit.coefficients
    assert a2.lengths == b.lengths == (3, 5, 7, 11, 23)
    for result, constant, inverse in ((a2, 7000.0, 20000.0), (b, 900.0, -600.0)):
        assert abs(result.weight.constant - constant) < 3.5 * result.constant_error
        assert abs(result.weight.inverse - inverse) < 3.5 * result.inverse_error
    chi, number = fit.chi_square(fit.smooth)
    assert number == 80
    assert chi == pytest.approx(80 - 4, abs=4 * sqrt(2 * 76))
    wrong, _ = fit.chi_square(2.0 * fit.smooth)
    assert wrong > 10 * chi
    # Errors depend on the seed and on no other matches.
    among = fit_study(joined([one, two]), StudyModel.bilinear, draws=40, seed=3)
    assert among.coefficients == fit.coefficients
    other = fit_study(two, StudyModel.bilinear, draws=5, seed=4)
    assert other.coefficients[0].errors != a2.errors
    # By the rule of 2003 eight decisions are close in place of five: b is 8/5 as large.
    old = fit_study(two, StudyModel.bilinear, rule=CloseRule.old, draws=0)
    assert old.coefficients[1].values == pytest.approx([1.6 * value for value in b.values])
    assert old.coefficients[0].values == pytest.approx(a2.values)


def test_means_and_intervals_by_hand() -> None:
    """A mean is taken before the logarithm: its results may leave [0, 1]."""
    from scipy.stats import t as student

    settings = [
        MatchSetting(5, NoisyPlayer(), NoisyPlayer(0.04, 0.04)),
        MatchSetting(1, NoisyPlayer(), NoisyPlayer(0.02, 0.02)),
    ]
    table = made_table(settings, truth_of_part_one, 40)
    table.luck_adjusted[:2] = 1.3, -0.2
    cells = make_cells(table)
    assert [setting.length for setting in cells.settings] == [1, 5]  # ordered
    rows = table.setting == 0
    p = table.luck_adjusted[rows]
    mean, error = p.mean(), p.std(ddof=1) / sqrt(40)
    assert (cells.chance[1], cells.chance_error[1]) == pytest.approx((mean, error))

    def rating(chance: float) -> float:
        return 2000.0 / sqrt(5) * (log10(chance) - log10(1 - chance))

    low, high = cells.rating_interval(0.9)
    reach = student.ppf(0.95, 39) * error
    expected = [rating(chance) for chance in (mean - reach, mean, mean + reach)]
    assert (low[1], cells.rating[1], high[1]) == pytest.approx(expected)
    step = 1e-6
    slope = (rating(mean + step) - rating(mean - step)) / (2 * step)
    assert cells.rating_error[1] == pytest.approx(slope * error, rel=1e-6)
    epd = (table.move_error + table.cube_error)[rows] / 85
    np.testing.assert_allclose(cells.decision_error[1], epd.mean(axis=0))
    back = fibs.probability(cells.rating, 0.0, cells.length)
    np.testing.assert_allclose(back, cells.chance)  # a rating is what its chance says
    sure = make_cells(replace(table, luck_adjusted=np.full(80, 1.0) + np.arange(80) * 1e-3))
    assert (sure.rating[0], sure.rating_error[0]) == (np.inf, np.inf)
    single = make_cells(made_table(part_one((5,)), truth_of_part_one, 1))
    assert np.isinf(single.chance_error).all(), "one match has no interval"
    with pytest.raises(UsageError, match="confidence"):
        single.rating_interval(1.5)


def test_two_ways_to_average() -> None:
    table = replace(
        made_table([MatchSetting(3, NoisyPlayer(), NoisyPlayer(0.04, 0.04))], truth_of_part_one, 2),
        unforced=np.array([[10, 10], [90, 90]]),
        move_error=np.array([[0.0, 1.0], [0.0, 1.8]]),
        close_2006=np.array([[0, 0], [4, 4]]),
        cube_error=np.array([[0.0, 0.0], [0.0, 0.4]]),
    )
    by_match, by_decision = make_cells(table), make_cells(table, averaging=Averaging.decisions)
    for name, match, decision in (
        ("move_error", (0.1 + 0.02) / 2, 2.8 / 100),
        ("cube_error", 0.05, 0.1),
        ("decision_error", (0.1 + 2.2 / 94) / 2, 3.2 / 104),
    ):
        assert getattr(by_match, name)[0, 1] == pytest.approx(match)
        assert getattr(by_decision, name)[0, 1] == pytest.approx(decision)
    assert by_decision.cube_error_per_move[0, 1] == pytest.approx(0.4 / 100)


@pytest.mark.parametrize("method", list(FitMethod))
def test_each_method_is_the_least_squares_that_it_says(two: StudyTable, method: FitMethod) -> None:
    from scipy.optimize import least_squares

    cells = make_cells(two)
    result = fit_cells(cells, StudyModel.bilinear, method)
    x, lengths = cells.terms(StudyModel.bilinear), np.unique(cells.length)

    def off(v: NDArray[np.float64], rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        terms = np.hstack([x, x / cells.length[:, None]])[rows, : len(v)]
        slope = log(10.0) * np.sqrt(cells.length[rows]) / 2000.0
        expected = 1.0 / (1.0 + np.exp(-slope * (terms @ v)))
        return np.asarray((cells.chance[rows] - expected) / cells.chance_error[rows], np.float64)

    if method is FitMethod.chance:
        sizes = [1e3, 1e2, 1e4, 1e2]
        for chosen, scale, fitted in (
            (cells.length > 0, sizes, result[:, :2].T.ravel()),
            *((cells.length == n, sizes[:2], result[:, 2 + k]) for k, n in enumerate(lengths)),
        ):
            best = least_squares(off, scale, x_scale=scale, xtol=1e-14, args=(chosen,))
            np.testing.assert_allclose(fitted, best.x, rtol=1e-5)
        return
    error = cells.rating_error if method is FitMethod.weighted else np.ones(len(cells))
    errors = np.empty((len(lengths), 2))
    for k, length in enumerate(lengths):
        rows = (cells.length == length) & np.isfinite(cells.rating) & np.isfinite(error)
        left = x[rows] / error[rows, None]
        values = np.linalg.lstsq(left, cells.rating[rows] / error[rows], rcond=None)[0]
        np.testing.assert_allclose(result[:, 2 + k], values)
        errors[k] = np.sqrt(np.diag(np.linalg.inv(left.T @ left)))
    for row in range(2):
        weights = 1.0 / (lengths * errors[:, row]) if method is FitMethod.weighted else None
        line = np.polyfit(lengths, lengths * result[row, 2:], 1, w=weights)
        np.testing.assert_allclose(result[row, :2], line)


def test_what_the_cells_do_not_determine(one: StudyTable, two: StudyTable) -> None:
    made = made_table(part_one((5,)), truth_of_part_one, 20)
    (a,) = fit_study(made, StudyModel.decision, draws=5).coefficients
    assert np.isfinite(a.values[0])
    assert np.isnan([a.weight.constant, a.weight.inverse]).all()
    no_cube = make_cells(made_table(part_two((5,), cube_noises=(0.05,)), truth_of_part_two, 20))
    assert np.isfinite(fit_cells(no_cube, StudyModel.bilinear, FitMethod.chance)[:, 2]).all()
    with pytest.raises(NoGamesError, match="Part I"):
        fit_study(two, StudyModel.decision)
    # A formula needs both parts.
    with pytest.raises(NoGamesError, match="Part II"):
        fit_formula(one, "x", draws=3)
    table = made_table(part_one((5,)) + part_two((5,)), truth_of_part_two, 10)
    with pytest.raises(ModelError, match="two lengths"):
        fit_formula(table, "x", draws=3)
    # Cells near a sure win: a fit of ratings leaves them out, one of chances does not.
    table = made_table(part_one((23,)), lambda n, m, c, d: 60000.0 * d, 60, noise=0.1)
    for method, used in ((FitMethod.published, False), (FitMethod.chance, True)):
        fit = fit_study(table, StudyModel.decision, method, draws=0)
        assert fit.used.all() == used
    assert fit.coefficients[0].values[0] == pytest.approx(60000.0, rel=0.1)


def test_a_bump_is_found_where_it_is() -> None:
    table = made_table(part_one((1, 5)), truth_of_part_one, 200, noise=0.1)
    flat = find_bumps(make_cells(table))
    assert [bump.length for bump in flat] == [1, 5]
    for bump in flat:
        low, high = bump.ratio_interval(0.999)
        assert abs(bump.deviations) < 3.5
        assert low < 1.0 < high
    noisy = [s.length == 1 and s.first.chequer_noise > 0 for s in table.settings]
    raised = table.luck_adjusted + 0.06 * np.array(noisy)[table.setting]
    bumps = find_bumps(make_cells(replace(table, luck_adjusted=raised)))
    assert bumps[0].deviations > 4.0
    assert bumps[0].ratio_interval()[0] > 1.0
    assert chance_of_largest(bumps) < 0.001 < chance_of_largest(flat)
    assert bumps[0].free == pytest.approx(39000.0, abs=3.5 * bumps[0].free_error)
    assert bumps[1] == flat[1]


def test_a_formula_with_intervals_that_hold() -> None:
    first, second = part_one((1, 3, 7)), part_two((3, 7), (0.0, 0.03), (0.05, 0.4))
    held: list[bool] = []
    for seed in range(8):
        one = made_table(first, truth_of_part_one, 25, seed=seed)
        table = joined([one, made_table(second, truth_of_part_two, 25, seed=seed)])
        formula = fit_formula(table, "made", draws=30, seed=seed)
        for length in (3, 7):
            decisions = truth_of_part_one(length, 0.0, 0.0, 0.01)
            pairs = [
                (formula.loss_of_decisions(0.01, length) - decisions,
                 formula.decision_error(0.01, length))
            ]  # fmt: skip
            for epm, epc in ((0.01, 0.0), (0.01, 0.02), (0.0, 0.02)):
                true = truth_of_part_two(length, epm, epc, 0.0)
                off = formula.loss(epm, epc, length) - true
                pairs.append((off, formula.loss_error(epm, epc, length)))
            held += [abs(float(off)) < 1.96 * float(np.asarray(error)) for off, error in pairs]
    assert 0.85 < np.mean(held) < 1.0  # nor are they so wide that they always hold


NAMES = [
    "a(N), published",
    "a2(N), b(N), published",
    "a(N), refitted",
    "a2(N), b(N), refitted",
    "a2(N), b(N), cube errors per move, refitted",
    "a2(N), b(N), c(N) for EPC squared, refitted",
]


def another_truth(length: int, epm: float, epc: float, epd: float) -> float:
    return (12000.0 + 40000.0 / length) * epm + (500.0 + 1000.0 / length) * epc


@pytest.fixture(scope="module")
def table() -> StudyTable:
    return made_table([*part_one(), *part_two()], another_truth, 40)


def test_a_curve_is_worth_its_coefficients_where_there_is_one() -> None:
    """A refit of the published truth hardly costs."""

    def scores(curve: float, truth: Any) -> list[float]:
        def made(length: int, epm: float, epc: float, epd: float) -> float:
            return float(truth(epm, epc, length)) - curve * epc**2

        table = made_table([*part_one(), *part_two()], made, 50)
        return [score.log_score for score in compare_formulas(table).scores]

    published = scores(0.0, PUBLISHED.loss)
    assert published[3] - published[1] == pytest.approx(0.0, abs=4e-4)
    curved = scores(1500.0, lambda epm, epc, length: another_truth(length, epm, epc, 0.0))
    assert int(np.argmin(curved)) == len(NAMES) - 1


@pytest.mark.parametrize("left_out", list(LeftOut))
def test_the_true_form_wins(table: StudyTable, left_out: LeftOut) -> None:
    result = compare_formulas(table, left_out=left_out)
    assert result.matches == len(table)
    assert result.parts == (10 if left_out is LeftOut.matches else 6)
    scores = {score.name: score for score in result.scores}
    assert list(scores) == NAMES
    best = scores["a2(N), b(N), refitted"]
    assert best.log_score == min(score.log_score for score in result.scores[:4])
    assert best.difference < -5 * best.difference_error
    assert result.scores[0].difference == 0.0


def test_scores_by_hand(table: StudyTable) -> None:
    answer = compare_formulas(table, left_out=LeftOut.lengths)
    cells = make_cells(table)
    loss = PUBLISHED.decision(cells.length) * np.diff(cells.decision_error, axis=1)[:, 0]
    chance = dict(zip(cells.settings, fibs.probability(loss, 0.0, cells.length), strict=True))
    p = np.array([chance[setting] for setting in table.settings])[table.setting]
    for result, score in (
        (table.luck_adjusted, answer.scores[0].log_score),
        (table.won, answer.scores[0].outcome_score),
    ):
        expected = -np.mean(result * np.log(p) + (1 - result) * np.log(1 - p))
        assert score == pytest.approx(float(expected))
    # The deal is even and does not see the order.
    part = _deal(table, 7, seed=3)
    for k in range(len(table.settings)):
        counts = np.bincount(part[table.setting == k], minlength=7)
        assert counts.max() - counts.min() <= 1
    order = np.random.default_rng(1).permutation(len(table))
    np.testing.assert_array_equal(_deal(table.take(order), 7, seed=3), part[order])


def test_what_cannot_be_compared(table: StudyTable) -> None:
    with pytest.raises(UsageError, match="2 or more"):
        compare_formulas(table, folds=1)
    with pytest.raises(UsageError, match="three or more"):
        compare_formulas(made_table(part_one((3, 5)), another_truth, 9), left_out=LeftOut.lengths)
    for settings, matches, message in (
        (depth_check(), 9, "Part I"),
        (part_one((3,)), 1, "enough matches"),
    ):
        with pytest.raises(NoGamesError, match=message):
            compare_formulas(made_table(settings, another_truth, matches))
