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
from scipy import stats
from scipy.optimize import least_squares

from lab.studies.backgammon.formula_fit import fit_formula
from lab.tests.backgammon.made_table import made_table
from yardstone.backgammon.formulas import PUBLISHED
from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.reports.document import Document
from yardstone.reports.text import document_text
from yardstone.winprob import fibs
from yardstone_lab.reports.backgammon import cells_sections
from yardstone_lab.vandendoel import fit as fitting
from yardstone_lab.vandendoel import play, tables
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, FitMethod, LeftOut, StudyModel
from yardstone_lab.vandendoel.comparison import _deal, compare_formulas
from yardstone_lab.vandendoel.fit import fit_study
from yardstone_lab.vandendoel.play import MatchSetting, NoisyPlayer, part_one, part_two
from yardstone_lab.vandendoel.tables import joined, make_cells

BILINEAR, DECISION = StudyModel.bilinear, StudyModel.decision


def record(number: int, *, depths: tuple[int, ...] = (0,)) -> dict[str, Any]:
    setting = MatchSetting(5, NoisyPlayer(), NoisyPlayer(0.02, 0.4), analyses=depths)
    sides = {"X": (60, 0.0, 4, 0.0, 6, 0.125), "O": (64, 1.5, 8, 0.25, 10, -0.125)}
    stats, close = {}, {}
    for who, (unforced, error, number_close, rate, old, luck) in sides.items():
        moves = {"unforced-moves": unforced, "error-skill": error}
        cube = {"close-cube": number_close, "error-skill": rate}
        stats[who] = {"moves": moves, "cube": cube, "dice": {"luck-adjusted-result": luck}}
        close[who] = {"close-2003": old}
    analysis = {"stats": stats, "close": close}
    facts = {"number": number, "seed": 7, "winner": "XO"[number % 2]}
    return setting.as_record() | facts | {"analyses": {str(depth): analysis for depth in depths}}


def test_from_results(tmp_path: Path) -> None:
    failed = {**record(9), "failed": "it hung"}
    bad = record(1)
    del bad["analyses"]["0"]["stats"]["O"]["cube"]

    def results(*records: dict[str, Any]) -> tables.StudyTable:
        path = tmp_path / "r.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
        return tables.from_results([path, path])

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


def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    made = made_table([*part_one((1, 5)), *part_two((3,))], lambda *_: 100.0, 3)
    first = tables.table_text(made)
    path = tmp_path / "t.csv"
    for data in (first.encode(), gzip.compress(first.encode())):
        path.write_bytes(data)
        table = tables.read_table(path)
        assert tables.table_text(table) == first
    shuffled = made.take(np.random.default_rng(1).permutation(len(made)))
    assert tables.table_text(shuffled) == first
    twice = joined([made.take(np.arange(20)), made])
    assert tables.table_text(twice) == first
    place = [made.settings.index(setting) for setting in table.settings]
    made = made.take(np.lexsort((made.number, np.argsort(place)[made.setting])))
    np.testing.assert_array_equal(np.array(place)[table.setting], made.setting)
    for name in ("seed", "number", "won", "unforced", "close_2003", "close_2006"):
        np.testing.assert_array_equal(getattr(table, name), getattr(made, name))
    for name in ("luck_adjusted", "move_error", "cube_error"):  # kept in single precision
        np.testing.assert_allclose(getattr(table, name), getattr(made, name), rtol=2e-6)


def test_what_is_no_table(tmp_path: Path) -> None:
    text = tables.table_text(made_table(part_one((5,)), lambda *_: 0.0, 2))
    lines = text.splitlines()
    path = tmp_path / "t.csv"
    for change in (
        *("length=0", "length=x", "first_chequer_noise=nan", "second_plies=9", "noise=loud"),
        *("won=2", "luck_adjusted=inf", "first_unforced=-1", "second_close_2006=99999999999"),
        *("second_move_error=", "number=1.5"),
    ):
        column, value = change.split("=")
        cells = lines[2].split(",")
        cells[tables.COLUMNS.index(column)] = value
        path.write_text("\n".join([*lines[:2], ",".join(cells), *lines[3:]]))
        with pytest.raises(InputError, match="cannot be used") as caught:
            tables.read_table(path)
        assert (caught.value.file, caught.value.line) == (str(path), 3), change
    for data, error in (
        (b"a,b\n1,2\n", "there is no column"),
        (b"\xff\xfe\x00", "not a table"),
        (lines[0].encode() + b"\n" + b'"' * 300_000, "cannot be used"),
        (lines[0].encode(), "no match"),
    ):
        path.write_bytes(data)
        with pytest.raises((InputError, NoGamesError), match=error):
            tables.read_table(path)


def truth_of_part_one(length: int, epm: float, epc: float, epd: float) -> float:
    return (9000.0 + 30000.0 / length) * epd


def truth_of_part_two(length: int, epm: float, epc: float, epd: float) -> float:
    return (7000.0 + 20000.0 / length) * epm + (900.0 - 600.0 / length) * epc


def test_parts_are_told_apart() -> None:
    """So is what the analysis can judge: not players that think more deeply than it."""
    one, two = part_one(), part_two()
    assert [tables.is_part_one(s) for s in one + two] == [True] * len(one) + [False] * len(two)
    assert [tables.is_part_two(s) for s in one + two] == [False] * len(one) + [True] * len(two)
    every = play.measurements()
    deep = {"wclassWclass-wclassExp:5", "1-ply-0-ply:5"}
    assert {name for name, setting in every.items() if not tables.is_judged(setting)} == deep
    others = [*play.depth_check(), *part_one(deterministic=True), *part_two(deterministic=True)]
    others += [every[name] for name in deep]
    assert not any(tables.is_part_one(s) or tables.is_part_two(s) for s in others)
    assert all(tables.is_judged(setting) for setting in play.strong_check() + play.depth_check())
    assert set(play.PUBLISHED_MEASUREMENTS) == set(every)
    cells = make_cells(made_table([every["1-ply-0-ply:5"], *part_one((5,))], truth_of_part_two, 5))
    text = document_text(Document("", sections=cells_sections(cells)))
    assert "thinks more deeply than the analysis" in text
    assert next(line for line in text.splitlines() if "1-ply" in line).count("–") >= 5


def test_a_fit_finds_the_truth_and_its_errors() -> None:
    table = made_table(part_two((3, 5)), truth_of_part_two, 40, noise=0.1, exact=True)
    fit = fit_study(table, BILINEAR, draws=100, seed=3)
    a2, b = fit.coefficients
    assert a2.lengths == b.lengths == (3, 5)
    for each, constant, inverse in ((a2, 7000.0, 20000.0), (b, 900.0, -600.0)):
        assert (each.weight.constant, each.weight.inverse) == pytest.approx((constant, inverse))
        assert each.values == pytest.approx([constant + inverse / 3, constant + inverse / 5])
    np.testing.assert_allclose(fit.fitted, fit.smooth)
    squares, number = fit.chi_square(fit.smooth)
    assert (squares, number, fit.misfit) == pytest.approx((0.0, 32, 1.0), abs=1e-9)
    # By first order, where the fit is exact.
    cells, length = fit.cells, fit.cells.length
    x = cells.terms(BILINEAR)
    columns = np.stack([x, x / length[:, None]], axis=2).reshape(len(cells), 4)
    _, errors = fitting.fit_chance(cells, columns)
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx(errors, rel=0.25)
    slope = fibs.steepness(length) * cells.chance * (1.0 - cells.chance) / cells.chance_error
    design = slope[:, None] * columns
    assert errors == pytest.approx(np.sqrt(np.diag(np.linalg.inv(design.T @ design))))
    _, at_three = fitting.fit_chance(cells.select(length == 3), x[length == 3])
    assert (a2.errors[0], b.errors[0]) == pytest.approx(at_three, rel=0.25)
    for k, each in enumerate(fit.coefficients):
        (one, both), (_, two) = fit.covariance[2 * k : 2 * k + 2, 2 * k : 2 * k + 2].tolist()
        assert (each.constant_error, each.inverse_error) == pytest.approx((sqrt(one), sqrt(two)))
        assert each.correlation == pytest.approx(both / sqrt(one * two))
    # Errors depend on the seed and on no other matches.
    fit = fit_study(table, BILINEAR, draws=5, seed=3)
    others = made_table(part_one((5,)), truth_of_part_one, 40)
    among = fit_study(joined([others, table]), BILINEAR, draws=5, seed=3)
    assert among.coefficients == fit.coefficients
    other = fit_study(table, BILINEAR, draws=5, seed=4)
    assert other.coefficients[0].errors != fit.coefficients[0].errors
    # By the rule of 2003 eight decisions are close in place of five: b is 8/5 as large.
    old = fit_study(table, BILINEAR, rule=CloseRule.old, draws=0)
    assert old.coefficients[1].values == pytest.approx([1.6 * value for value in b.values])
    assert old.coefficients[0].values == pytest.approx(a2.values)


def test_a_formula_is_both_parts_and_their_misfit() -> None:
    def curved(length: int, epm: float, epc: float, epd: float) -> float:
        return truth_of_part_two(length, epm, epc, epd) - 1500.0 * epc**2

    one = made_table(part_one((1, 3, 7)), truth_of_part_one, 4, noise=0.05, exact=True)
    two = made_table(part_two((3, 7)), curved, 4, noise=0.02, exact=True)
    formula = fit_formula(joined([one, two]), "made", draws=20, seed=2)
    first = fit_study(one, DECISION, draws=20, seed=2)
    second = fit_study(two, BILINEAR, draws=20, seed=2)
    assert first.misfit == 1.0
    p = fibs.probability(second.smooth, 0.0, second.cells.length)
    squares = float((((second.cells.chance - p) / second.cells.chance_error) ** 2).sum())
    assert second.misfit == pytest.approx(squares / (32 - 4))
    assert second.misfit > 1.2
    expected = np.zeros((6, 6))
    expected[:4, :4] = second.misfit * second.covariance
    expected[4:, 4:] = first.covariance
    np.testing.assert_allclose(np.array(formula.covariance), expected)
    assert (formula.move, formula.cube) == tuple(each.weight for each in second.coefficients)
    decision = formula.decision
    assert (decision.constant, decision.inverse) == pytest.approx((9000.0, 30000.0))


def test_means_and_intervals_by_hand() -> None:
    """A mean is taken before the logarithm: its results may leave [0, 1]."""
    table = made_table(part_one((5, 1), [(0.0, 0.04)]), truth_of_part_one, 40)
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
    reach = stats.t.ppf(0.95, 39) * error
    expected = [rating(chance) for chance in (mean - reach, mean, mean + reach)]
    assert (low[1], cells.rating[1], high[1]) == pytest.approx(expected)
    step = 1e-6
    slope = (rating(mean + step) - rating(mean - step)) / (2 * step)
    assert cells.rating_error[1] == pytest.approx(slope * error, rel=1e-6)
    epd = (table.move_error + table.cube_error)[rows] / 85
    np.testing.assert_allclose(cells.decision_error[1], epd.mean(axis=0))
    sure = make_cells(replace(table, luck_adjusted=np.full(80, 1.0) + np.arange(80) * 1e-3))
    assert (sure.rating[0], sure.rating_error[0]) == (np.inf, np.inf)
    single = make_cells(made_table(part_one((5,)), truth_of_part_one, 1))
    assert np.isinf(single.chance_error).all(), "one match has no interval"
    with pytest.raises(UsageError, match="confidence"):
        single.rating_interval(1.5)


def test_two_ways_to_average() -> None:
    table = replace(
        made_table(part_one((3,), [(0.0, 0.04)]), truth_of_part_one, 2),
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
def test_each_method_is_the_least_squares_that_it_says(method: FitMethod) -> None:
    cells = make_cells(made_table(part_two((3, 5, 11)), truth_of_part_two, 30, noise=0.1))
    result = fitting.fit_cells(cells, BILINEAR, method)
    x, lengths = cells.terms(BILINEAR), np.unique(cells.length)

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


def test_what_the_cells_do_not_determine() -> None:
    made = made_table(part_one((5,)), truth_of_part_one, 20)
    (a,) = fit_study(made, DECISION, draws=5).coefficients
    assert np.isfinite(a.values[0])
    assert np.isnan([a.weight.constant, a.weight.inverse]).all()
    two = made_table(part_two((5,), cube_noises=(0.05,)), truth_of_part_two, 20)
    assert np.isfinite(fitting.fit_cells(make_cells(two), BILINEAR, FitMethod.chance)[:, 2]).all()
    with pytest.raises(NoGamesError, match="Part I"):
        fit_study(two, DECISION)
    # A formula needs both parts, at two lengths.
    with pytest.raises(NoGamesError, match="Part II"):
        fit_formula(made, "x", draws=3)
    with pytest.raises(ModelError, match="two lengths"):
        fit_formula(joined([made, two]), "x", draws=3)
    # Cells near a sure win: a fit of ratings leaves them out, one of chances does not.
    table = made_table(part_one((23,)), lambda n, m, c, d: 60000.0 * d, 60, noise=0.1, exact=True)
    table.luck_adjusted[table.setting == 5] += 0.2
    for method, used in ((FitMethod.published, False), (FitMethod.chance, True)):
        fit = fit_study(table, DECISION, method, draws=0)
        assert fit.used.all() == used


def test_a_bump_is_found_where_it_is() -> None:
    table = made_table(part_one((1, 5)), truth_of_part_one, 20, noise=0.1, exact=True)
    cells = make_cells(table)
    for bump, rating in zip(fitting.find_bumps(cells), (39000.0, 15000.0), strict=True):
        assert (bump.free, bump.noisy) == pytest.approx((rating, rating))
        free = [s.length == bump.length and not s.first.cube_noise for s in cells.settings]
        some = cells.select(np.array(free))
        _, error = fitting.fit_chance(some, np.diff(some.decision_error, axis=1))
        assert bump.free_error == pytest.approx(error[0])
    noisy = np.array([s.length == 1 and s.first.chequer_noise > 0 for s in table.settings])
    raised = table.luck_adjusted + 0.06 * noisy[table.setting]
    one, five = fitting.find_bumps(make_cells(replace(table, luck_adjusted=raised)))
    assert one.noisy > one.free == pytest.approx(39000.0)
    assert five.noisy == pytest.approx(15000.0)
    # By hand.
    bumps = [fitting.Bump(1, 100.0, 10.0, 130.0, 20.0), fitting.Bump(3, 100.0, 10.0, 90.0, 20.0)]
    assert bumps[0].deviations == pytest.approx(30.0 / sqrt(500.0))
    reach = stats.norm.ppf(0.95) * sqrt(0.1**2 + (2 / 13) ** 2)
    ends = [1.3 * np.exp(-reach), 1.3 * np.exp(reach)]
    assert bumps[0].ratio_interval(0.9) == pytest.approx(ends)
    less = 1.0 - 2.0 * stats.norm.sf(30.0 / sqrt(500.0))
    assert fitting.chance_of_largest(bumps) == pytest.approx(1.0 - less**2)


def another_truth(length: int, epm: float, epc: float, epd: float) -> float:
    return (12000.0 + 40000.0 / length) * epm + (500.0 + 1000.0 / length) * epc


def log_scores(chance: Any, result: Any) -> Any:
    return -(result * np.log(chance) + (1 - result) * np.log(1 - chance))


@pytest.mark.parametrize(("curve", "right"), [(0.0, {3, 4, 5}), (1500.0, {5})])
def test_the_true_forms_say_the_chances_of_a_length_not_seen(curve: float, right: set[int]) -> None:
    """Errors per move are as many times those per cube decision in all of these matches."""

    def truth(length: int, epm: float, epc: float, epd: float) -> float:
        return another_truth(length, epm, epc, epd) - curve * epc**2

    table = made_table([*part_one(), *part_two()], truth, 2, exact=True)
    result = compare_formulas(table, left_out=LeftOut.lengths)
    assert (result.matches, result.parts) == (len(table), 6)
    cells = make_cells(table)
    least = log_scores(cells.chance, cells.chance).mean()
    scores = [score.log_score for score in result.scores]
    assert {k for k, score in enumerate(scores) if score == pytest.approx(least, rel=1e-7)} == right
    assert min(scores) == pytest.approx(least, rel=1e-7)


@pytest.mark.parametrize("left_out", list(LeftOut))
def test_scores_by_hand(left_out: LeftOut) -> None:
    table = made_table([*part_one((1, 3, 5)), *part_two((3, 5, 7))], another_truth, 8)
    part = _deal(table, 5, seed=3)
    p = np.empty((2, len(table)))
    for k in range(5):
        seen = table if left_out is LeftOut.lengths else table.take(part != k)
        cells = make_cells(seen)
        move, cube, all_errors = (
            np.diff(rates, axis=1)[:, 0]
            for rates in (cells.move_error, cells.cube_error, cells.decision_error)
        )
        n = cells.length
        losses = (
            PUBLISHED.decision(n) * all_errors,
            PUBLISHED.move(n) * move + PUBLISHED.cube(n) * cube,
        )
        for row, loss in zip(p, losses, strict=True):
            chances = dict(zip(cells.settings, fibs.probability(loss, 0.0, n), strict=True))
            each = np.array([chances[setting] for setting in table.settings])[table.setting]
            row[part == k] = each[part == k]
    result = compare_formulas(table, left_out=left_out, folds=5, seed=3)
    assert result.parts == (4 if left_out is LeftOut.lengths else 5)
    for chance, score in zip(p, result.scores, strict=False):
        by_luck = log_scores(chance, table.luck_adjusted)
        off = by_luck - log_scores(p[0], table.luck_adjusted)
        assert score.log_score == pytest.approx(by_luck.mean())
        assert score.outcome_score == pytest.approx(log_scores(chance, table.won).mean())
        assert score.difference == pytest.approx(off.mean())
        assert score.difference_error == pytest.approx(off.std(ddof=1) / sqrt(len(table)))
    # The deal is even and does not see the order.
    part = _deal(table, 7, seed=3)
    for k in range(len(table.settings)):
        counts = np.bincount(part[table.setting == k], minlength=7)
        assert counts.max() - counts.min() <= 1
    order = np.random.default_rng(1).permutation(len(table))
    np.testing.assert_array_equal(_deal(table.take(order), 7, seed=3), part[order])


def test_what_cannot_be_compared() -> None:
    for lengths, matches, options, message in (
        ((3, 5), 9, {"folds": 1}, "2 or more"),
        ((3, 5), 9, {"left_out": LeftOut.lengths}, "three or more"),
        ((), 9, {}, "Part I"),
        ((3,), 1, {}, "enough matches"),
    ):
        table = made_table(part_one(lengths) or play.depth_check(), another_truth, matches)
        with pytest.raises((UsageError, NoGamesError), match=message):
            compare_formulas(table, **options)
