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
from tests.backgammon.known_errors import known_error
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


def stats(unforced: int, error: float, close: int, rate: float, luck: float) -> dict[str, Any]:
    return {
        "moves": {"unforced-moves": unforced, "error-skill": error},
        "cube": {"close-cube": close, "error-skill": rate},
        "dice": {"luck-adjusted-result": luck},
    }


def record(number: int, *, luck: float = 0.125, depths: tuple[int, ...] = (0,)) -> dict[str, Any]:
    setting = MatchSetting(5, NoisyPlayer(), NoisyPlayer(0.02, 0.4), analyses=depths)
    analysis = {
        "stats": {"X": stats(60, 0.0, 4, 0.0, luck), "O": stats(64, 1.5, 8, 0.25, -luck)},
        "close": {"X": {"close-2003": 6}, "O": {"close-2003": 10}},
    }
    return {
        **setting.as_record(),
        "number": number,
        "seed": 7,
        "winner": "X" if number % 2 == 0 else "O",
        "analyses": {str(depth): analysis for depth in depths},
    }


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def test_from_results(tmp_path: Path) -> None:
    failed = {**record(9), "failed": "it hung"}
    path = written(tmp_path / "r.jsonl", record(0), failed, record(1), record(0))
    table = from_results([path, path])
    assert len(table) == 2  # a match counts once, and a failed one not at all
    assert table.won.tolist() == [True, False]
    assert table.luck_adjusted.tolist() == [0.625, 0.625]
    assert table.error_per_move()[0].tolist() == [0.0, 1.5 / 64]
    assert table.error_per_cube_decision(CloseRule.new)[0].tolist() == [0.0, 0.25]
    assert table.error_per_cube_decision(CloseRule.old)[0].tolist() == [0.0, 0.2]
    assert table.error_per_decision(CloseRule.new)[0, 1] == pytest.approx(3.5 / 72)
    assert table.error_per_decision(CloseRule.old)[0, 1] == pytest.approx(3.5 / 74)


def test_each_depth_of_analysis_is_a_setting(tmp_path: Path) -> None:
    table = from_results([written(tmp_path / "r.jsonl", record(0, depths=(0, 2)))])
    assert [setting.analyses for setting in table.settings] == [(0,), (2,)]
    assert len(table) == 2


def test_results_without_what_is_needed(tmp_path: Path) -> None:
    bad = record(1)
    del bad["analyses"]["0"]["stats"]["O"]["cube"]
    path = written(tmp_path / "r.jsonl", record(0), bad)
    with pytest.raises(InputError, match="lacks what the fits need") as caught:
        from_results([path])
    assert caught.value.line == 2
    with pytest.raises(NoGamesError):
        from_results([written(tmp_path / "none.jsonl", {**record(9), "failed": "it hung"})])


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
    place = [made.settings.index(setting) for setting in table.settings]
    order = np.lexsort((made.number, np.argsort(place)[made.setting]))
    made = made.take(order)
    np.testing.assert_array_equal(np.array(place)[table.setting], made.setting)
    for name in ("seed", "number", "won", "unforced", "close_2003", "close_2006"):
        np.testing.assert_array_equal(getattr(table, name), getattr(made, name))
    for name in ("luck_adjusted", "move_error", "cube_error"):  # kept in single precision
        np.testing.assert_allclose(getattr(table, name), getattr(made, name), rtol=2e-6)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("length", "0"),
        ("length", "x"),
        ("first_chequer_noise", "nan"),
        ("second_plies", "9"),
        ("noise", "loud"),
        ("won", "2"),
        ("luck_adjusted", "inf"),
        ("first_unforced", "-1"),
        ("second_close_2006", "99999999999"),
        ("second_move_error", ""),
        ("number", "1.5"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(tmp_path: Path, column: str, value: str) -> None:
    lines = table_text(made_table(part_one((5,)), lambda *_: 0.0, 2)).splitlines()
    cells = lines[2].split(",")
    cells[COLUMNS.index(column)] = value
    path = tmp_path / "t.csv"
    path.write_text("\n".join([*lines[:2], ",".join(cells), *lines[3:]]))
    with pytest.raises(InputError, match="cannot be used") as caught:
        read_table(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)


def test_what_is_no_table(tmp_path: Path) -> None:
    text = table_text(made_table(part_one((5,)), lambda *_: 0.0, 2))
    path = tmp_path / "t.csv"
    for data, error in (
        (b"", "there is no column"),
        (b"a,b\n1,2\n", "there is no column"),
        (b"\xff\xfe\x00", "not a table"),
        (gzip.compress(text.encode())[:-30], "damaged gzip"),
        (text.encode().splitlines(keepends=True)[0] + b'"' * 300_000, "cannot be used"),
        (text.encode().replace(b"random", b"random\x00", 1), "cannot be used"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError, match=error):
            read_table(path)
    path.write_text(text.splitlines()[0] + "\n")
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
    return made_table(part_two(), truth_of_part_two, 100, noise=0.1)


def test_parts_are_told_apart() -> None:
    assert all(is_part_one(s) and not is_part_two(s) for s in part_one())
    assert all(is_part_two(s) and not is_part_one(s) for s in part_two())
    others = [*depth_check(), *part_one(deterministic=True), *part_two(deterministic=True)]
    assert not any(is_part_one(s) or is_part_two(s) for s in others)
    plies = [s for name, s in measurements().items() if "1-ply" in name or "wclass" in name]
    assert len(plies) == 2
    assert not any(is_part_one(s) or is_part_two(s) for s in plies)


def test_means_and_intervals_by_hand() -> None:
    from scipy.stats import t as student

    settings = [
        MatchSetting(5, NoisyPlayer(), NoisyPlayer(0.04, 0.04)),
        MatchSetting(1, NoisyPlayer(), NoisyPlayer(0.02, 0.02)),
    ]
    table = made_table(settings, truth_of_part_one, 40)
    cells = make_cells(table)
    assert [setting.length for setting in cells.settings] == [1, 5]  # ordered
    rows = table.setting == 0
    p = table.luck_adjusted[rows]
    mean, error = p.mean(), p.std(ddof=1) / sqrt(40)
    assert cells.chance[1] == pytest.approx(mean)
    assert cells.chance_error[1] == pytest.approx(error)
    points = 2000.0 / sqrt(5)

    def rating(chance: float) -> float:
        return points * (log10(chance) - log10(1 - chance))

    low, high = cells.rating_interval(0.9)
    reach = student.ppf(0.95, 39) * error
    assert cells.rating[1] == pytest.approx(rating(mean))
    assert low[1] == pytest.approx(rating(mean - reach))
    assert high[1] == pytest.approx(rating(mean + reach))
    step = 1e-6
    slope = (rating(mean + step) - rating(mean - step)) / (2 * step)
    assert cells.rating_error[1] == pytest.approx(slope * error, rel=1e-6)
    epd = (table.move_error + table.cube_error)[rows] / 85
    np.testing.assert_allclose(cells.decision_error[1], epd.mean(axis=0))
    back = fibs.probability(cells.rating, 0.0, cells.length)
    np.testing.assert_allclose(back, cells.chance)  # a rating is what its chance says


def test_a_mean_is_taken_before_the_logarithm() -> None:
    # A luck-adjusted result leaves [0, 1] where a cell of them has an ordinary rating.
    table = made_table(
        [MatchSetting(3, NoisyPlayer(), NoisyPlayer(0.02, 0.02))], truth_of_part_one, 30
    )
    wild = table.luck_adjusted.copy()
    wild[:2] = [1.3, -0.2]
    cells = make_cells(_with(table, luck_adjusted=wild))
    assert np.isfinite(cells.rating[0])
    sure = make_cells(_with(table, luck_adjusted=np.full(30, 1.0) + np.arange(30) * 1e-3))
    assert sure.rating[0] == np.inf
    assert sure.rating_error[0] == np.inf
    single = make_cells(made_table(part_one((5,)), truth_of_part_one, 1))
    assert np.isinf(single.chance_error).all(), "one match has no interval"
    with pytest.raises(UsageError, match="confidence"):
        single.rating_interval(1.5)


def _with(table: StudyTable, **changed: object) -> StudyTable:
    fields = {name: getattr(table, name) for name in table.__dataclass_fields__}
    return StudyTable(**{**fields, **changed})


def test_two_ways_to_average() -> None:
    table = made_table(
        [MatchSetting(3, NoisyPlayer(), NoisyPlayer(0.04, 0.04))], truth_of_part_one, 2
    )
    table = _with(
        table,
        unforced=np.array([[10, 10], [90, 90]]),
        move_error=np.array([[0.0, 1.0], [0.0, 1.8]]),
        close_2006=np.array([[0, 0], [4, 4]]),
        cube_error=np.array([[0.0, 0.0], [0.0, 0.4]]),
    )
    by_match = make_cells(table)
    assert by_match.move_error[0, 1] == pytest.approx((0.1 + 0.02) / 2)
    assert by_match.cube_error[0, 1] == pytest.approx(0.05)
    assert by_match.decision_error[0, 1] == pytest.approx((0.1 + 2.2 / 94) / 2)
    by_decision = make_cells(table, averaging=Averaging.decisions)
    assert by_decision.move_error[0, 1] == pytest.approx(2.8 / 100)
    assert by_decision.cube_error[0, 1] == pytest.approx(0.1)
    assert by_decision.decision_error[0, 1] == pytest.approx(3.2 / 104)
    assert by_decision.cube_error_per_move[0, 1] == pytest.approx(0.4 / 100)


def test_part_two_finds_the_truth(two: StudyTable) -> None:
    fit = fit_study(two, StudyModel.bilinear, draws=60)
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


def test_the_rule_of_2003_makes_smaller_cube_errors(two: StudyTable) -> None:
    # Eight close decisions in place of five: EPC is 5/8, so b is 8/5 as large.
    new = fit_study(two, StudyModel.bilinear, rule=CloseRule.new, draws=0)
    old = fit_study(two, StudyModel.bilinear, rule=CloseRule.old, draws=0)
    for k in range(5):
        assert old.coefficients[1].values[k] == pytest.approx(1.6 * new.coefficients[1].values[k])
        assert old.coefficients[0].values[k] == pytest.approx(new.coefficients[0].values[k])


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


def test_errors_are_what_repetition_shows() -> None:
    settings = part_one((5, 11))
    repeated = []
    for seed in range(40):
        table = made_table(settings, truth_of_part_one, 40, seed=seed)
        repeated.append(fit_cells(make_cells(table), StudyModel.decision, FitMethod.chance)[0])
    said = fit_study(made_table(settings, truth_of_part_one, 40, seed=99), StudyModel.decision)
    (a,) = said.coefficients
    shown = np.std(repeated, axis=0, ddof=1)
    np.testing.assert_allclose([a.constant_error, a.inverse_error, *a.errors], shown, rtol=0.35)


def test_cells_near_a_sure_win() -> None:
    # Their rating is infinite, so a fit of ratings leaves them out; a fit of chances does not.
    table = made_table(part_one((23,)), lambda n, m, c, d: 60000.0 * d, 60, noise=0.1)
    cells = make_cells(table)
    assert not np.isfinite(cells.rating).all()
    by_rating = fit_study(table, StudyModel.decision, FitMethod.published, draws=0)
    by_chance = fit_study(table, StudyModel.decision, FitMethod.chance, draws=0)
    assert not by_rating.used.all()
    assert by_chance.used.all()
    assert by_chance.coefficients[0].values[0] == pytest.approx(60000.0, rel=0.1)


def test_what_the_cells_do_not_determine(one: StudyTable, two: StudyTable) -> None:
    one_length = fit_study(
        made_table(part_one((5,)), truth_of_part_one, 20), StudyModel.decision, draws=5
    )
    (a,) = one_length.coefficients
    assert np.isfinite(a.values[0])
    assert np.isnan([a.weight.constant, a.weight.inverse]).all()
    no_cube = made_table(part_two((5,), cube_noises=(0.05,)), truth_of_part_two, 20)
    single = make_cells(no_cube)
    assert np.isfinite(fit_cells(single, StudyModel.bilinear, FitMethod.chance)[:, 2]).all()
    with pytest.raises(NoGamesError, match="Part I"):
        fit_study(two, StudyModel.decision)
    # A formula needs both parts.
    with pytest.raises(NoGamesError, match="Part II"):
        fit_formula(one, "x", draws=3)
    table = made_table(part_one((5,)) + part_two((5,)), truth_of_part_two, 10)
    with pytest.raises(ModelError, match="two lengths"):
        fit_formula(table, "x", draws=3)


def test_errors_depend_on_the_seed_and_on_no_other_matches(
    one: StudyTable, two: StudyTable
) -> None:
    first = fit_study(one, StudyModel.decision, draws=5, seed=3)
    among = fit_study(joined([one, two]), StudyModel.decision, draws=5, seed=3)
    assert among.coefficients == first.coefficients
    other = fit_study(one, StudyModel.decision, draws=5, seed=4)
    assert other.coefficients[0].errors != first.coefficients[0].errors


def test_a_bump_is_found_where_it_is() -> None:
    table = made_table(part_one((1, 5)), truth_of_part_one, 200, noise=0.1)
    flat = find_bumps(make_cells(table))
    assert [bump.length for bump in flat] == [1, 5]
    assert all(abs(bump.deviations) < 3.5 for bump in flat)
    assert all(low < 1.0 < high for low, high in (bump.ratio_interval(0.999) for bump in flat))
    assert chance_of_largest(flat) > 0.001
    noisy = [s.length == 1 and s.first.chequer_noise > 0 for s in table.settings]
    raised = table.luck_adjusted + 0.06 * np.array(noisy)[table.setting]
    bumps = find_bumps(make_cells(_with(table, luck_adjusted=raised)))
    assert bumps[0].deviations > 4.0
    assert bumps[0].ratio_interval()[0] > 1.0
    assert chance_of_largest(bumps) < 0.001
    assert bumps[0].free == pytest.approx(39000.0, abs=3.5 * bumps[0].free_error)
    assert bumps[1] == flat[1]


def test_a_formula_with_intervals_that_hold() -> None:
    first, second = part_one((1, 3, 7)), part_two((3, 7), (0.0, 0.03), (0.05, 0.4))
    held: list[bool] = []
    for seed in range(8):
        one = made_table(first, truth_of_part_one, 25, seed=seed)
        table = joined([one, made_table(second, truth_of_part_two, 25, seed=seed)])
        formula = fit_formula(table, "made", draws=30, seed=seed)
        assert formula.covariance is not None
        for length in (3, 7):
            for epm, epc in ((0.01, 0.0), (0.01, 0.02), (0.0, 0.02)):
                true = truth_of_part_two(length, epm, epc, 0.0)
                off = float(formula.loss(epm, epc, length)) - true
                held.append(abs(off) < 1.96 * known_error(formula.loss_error(epm, epc, length)))
            off = float(formula.loss_of_decisions(0.01, length)) - truth_of_part_one(
                length, 0.0, 0.0, 0.01
            )
            held.append(abs(off) < 1.96 * known_error(formula.decision_error(0.01, length)))
    assert np.mean(held) > 0.85
    assert np.mean(held) < 1.0  # nor are they so wide that they always hold


def test_cells_that_the_analysis_cannot_judge() -> None:
    every = measurements()
    deep = {"wclassWclass-wclassExp:5", "1-ply-0-ply:5"}
    assert {name for name, setting in every.items() if not is_judged(setting)} == deep
    assert all(is_judged(setting) for setting in strong_check() + depth_check())
    assert set(PUBLISHED_MEASUREMENTS) == set(every)
    cells = make_cells(made_table([every["1-ply-0-ply:5"], *part_one((5,))], truth_of_part_two, 5))
    document = Document("", sections=cells_sections(cells))
    text = document_text(document)
    row = next(line for line in text.splitlines() if "1-ply" in line)
    assert row.count("–") >= 5
    assert "thinks more deeply than the analysis" in text


def test_tables_are_joined(one: StudyTable, two: StudyTable) -> None:
    both = joined([one, two])
    assert len(both) == len(one) + len(two)
    again = joined([both, one])  # equal matches count once
    assert table_text(again) == table_text(both)
    moved = replace(one, luck_adjusted=one.luck_adjusted + 0.25)
    assert joined([one, moved]).luck_adjusted.mean() == pytest.approx(
        one.luck_adjusted.mean() + 0.25
    )


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


def published_truth(length: int, epm: float, epc: float, epd: float) -> float:
    return float(PUBLISHED.loss(epm, epc, length))


@pytest.fixture(scope="module")
def table() -> StudyTable:
    return made_table([*part_one(), *part_two()], another_truth, 60)


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


def test_a_refit_of_the_truth_hardly_costs() -> None:
    made = made_table([*part_one(), *part_two()], published_truth, 60)
    result = compare_formulas(made)
    old, new = result.scores[1], result.scores[3]
    assert new.log_score - old.log_score == pytest.approx(0.0, abs=3e-4)


def test_a_curve_is_worth_its_coefficients_where_there_is_one() -> None:
    def curved(length: int, epm: float, epc: float, epd: float) -> float:
        return another_truth(length, epm, epc, epd) - 1500.0 * epc**2

    made = made_table([*part_one(), *part_two()], curved, 60)
    scores = {score.name: score.log_score for score in compare_formulas(made).scores}
    assert min(scores, key=lambda name: scores[name]) == NAMES[-1]


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
        assert score == pytest.approx(
            float(-np.mean(result * np.log(p) + (1 - result) * np.log(1 - p)))
        )


def test_the_deal_is_even_and_does_not_see_the_order(table: StudyTable) -> None:
    part = _deal(table, 7, seed=3)
    for k in range(len(table.settings)):
        counts = np.bincount(part[table.setting == k], minlength=7)
        assert counts.max() - counts.min() <= 1
    order = np.random.default_rng(1).permutation(len(table))
    np.testing.assert_array_equal(_deal(table.take(order), 7, seed=3), part[order])
    shuffled = compare_formulas(table.take(order))
    for one, two in zip(shuffled.scores, compare_formulas(table).scores, strict=True):
        assert one.log_score == pytest.approx(two.log_score, abs=1e-7)


def test_what_cannot_be_compared(table: StudyTable) -> None:
    with pytest.raises(UsageError, match="2 or more"):
        compare_formulas(table, folds=1)
    with pytest.raises(UsageError, match="three or more"):
        compare_formulas(made_table(part_one((3, 5)), another_truth, 9), left_out=LeftOut.lengths)
    with pytest.raises(NoGamesError, match="Part I"):
        compare_formulas(made_table(depth_check(), another_truth, 9))
    with pytest.raises(NoGamesError, match="enough matches"):
        compare_formulas(made_table(part_one((3,)), another_truth, 1))
