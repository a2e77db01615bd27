"""The study of van den Doel again: its table of matches, its fits, comparisons, and commands."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import log, log10, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import least_squares

from lab.tests.refusals import refuse
from tests.backgammon.gnubg_here import real_gnubg
from yardstone.backgammon.formulas import PUBLISHED
from yardstone.cli.main import main
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.winprob import fibs
from yardstone_lab.vandendoel import fit as fitting
from yardstone_lab.vandendoel import play, tables
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, FitMethod, LeftOut, StudyModel
from yardstone_lab.vandendoel.comparison import _deal, compare_formulas
from yardstone_lab.vandendoel.fit import fit_study
from yardstone_lab.vandendoel.play import MatchSetting, NoisyPlayer, part_one, part_two
from yardstone_lab.vandendoel.tables import joined, make_cells

BILINEAR, DECISION = StudyModel.bilinear, StudyModel.decision


def made_table(
    settings: Sequence[MatchSetting],
    truth: Callable[[int, float, float, float], float],
    matches: int,
    *,
    noise: float = 0.15,
    exact: bool = False,
) -> tables.StudyTable:
    """Matches whose chance follows `truth`, of length, EPM, EPC and EPD, amid luck.

    A player loses 0.6 of the noise of moves for each move, half the noise of the cube for each of
    five decisions that are close by the rule of 2006, eight by that of 2003. With `exact` that is
    so in each match, and luck is as often good as bad.
    """
    generator, number = np.random.default_rng(1), len(settings) * matches
    lost, cube, chance = np.zeros((number, 2)), np.zeros((number, 2)), np.zeros(number)
    decisions = np.repeat([5 * (each.length > 1) for each in settings], matches)
    for k, each in enumerate(settings):
        mine = slice(k * matches, (k + 1) * matches)
        close = int(decisions[mine][0])
        losses: list[float] = []
        for side, player in enumerate((each.first, each.second)):
            move, cubes = 0.6 * player.chequer_noise, 0.5 * player.cube_noise * (close > 0)
            spread = 1.0 + (0.0 if exact else 0.1) * generator.standard_normal((2, matches))
            epd = (80 * move + close * cubes) / (80 + close)
            lost[mine, side] = 80 * move * spread[0]
            cube[mine, side] = close * cubes * spread[1]
            losses.append(truth(each.length, move, cubes, epd))
        chance[mine] = fibs.probability(losses[1] - losses[0], 0.0, each.length)
    luck = (-1.0) ** np.arange(number) if exact else generator.standard_normal(number)
    return tables.StudyTable(
        tuple(settings), setting=np.repeat(np.arange(len(settings)), matches),
        seed=np.full(number, 1), number=np.tile(np.arange(matches), len(settings)),
        luck_adjusted=chance + noise * luck, won=generator.random(number) < chance,
        unforced=np.full((number, 2), 80), close_2003=np.stack([8 * (decisions > 0)] * 2, axis=1),
        close_2006=np.stack([decisions] * 2, axis=1), move_error=lost, cube_error=cube,
    )  # fmt: skip


def record(number: int, *, depths: tuple[int, ...] = (0,)) -> dict[str, Any]:
    setting = MatchSetting(5, NoisyPlayer(), NoisyPlayer(0.02, 0.4), analyses=depths)
    sides = {"X": (60, 0.0, 4, 0.0, 6, 0.125), "O": (64, 1.5, 8, 0.25, 10, -0.125)}
    said, close = {}, {}
    for who, (unforced, error, number_close, rate, old, luck) in sides.items():
        moves = {"unforced-moves": unforced, "error-skill": error}
        cube = {"close-cube": number_close, "error-skill": rate}
        said[who] = {"moves": moves, "cube": cube, "dice": {"luck-adjusted-result": luck}}
        close[who] = {"close-2003": old}
    analyses = {str(depth): {"stats": said, "close": close} for depth in depths}
    facts = {"number": number, "seed": 7, "winner": "XO"[number % 2]}
    return setting.as_record() | facts | {"analyses": analyses}


def test_from_results(tmp_path: Path) -> None:
    failed, bad, path = {**record(9), "failed": "it hung"}, record(1), tmp_path / "r.jsonl"
    del bad["analyses"]["0"]["stats"]["O"]["cube"]

    def results(*records: dict[str, Any]) -> tables.StudyTable:
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
    refuse(
        (lambda: results(record(0), bad), InputError, ":2: .*lacks what the fits need"),
        (lambda: results(failed), NoGamesError, ""),
    )


def test_tables_come_back_as_they_were_and_what_is_none_is_refused(tmp_path: Path) -> None:
    made = made_table([*part_one((1, 5)), *part_two((3,))], lambda *_: 100.0, 3)
    first, path = tables.table_text(made), tmp_path / "t.csv"
    for data in (first.encode(), gzip.compress(first.encode())):
        path.write_bytes(data)
        table = tables.read_table(path)
        assert tables.table_text(table) == first
    shuffled = made.take(np.random.default_rng(1).permutation(len(made)))
    for other in (shuffled, joined([made.take(np.arange(20)), made])):
        assert tables.table_text(other) == first
    place = np.array([made.settings.index(setting) for setting in table.settings])
    made = made.take(np.lexsort((made.number, np.argsort(place)[made.setting])))
    np.testing.assert_array_equal(place[table.setting], made.setting)
    for name in ("seed", "number", "won", "unforced", "close_2003", "close_2006"):
        np.testing.assert_array_equal(getattr(table, name), getattr(made, name))
    for name in ("luck_adjusted", "move_error", "cube_error"):  # kept in single precision
        np.testing.assert_allclose(getattr(table, name), getattr(made, name), rtol=2e-6)
    lines = first.splitlines()
    for change in (
        *("length=0", "length=x", "first_chequer_noise=nan", "second_plies=9", "noise=loud"),
        *("won=2", "luck_adjusted=inf", "first_unforced=-1", "second_close_2006=99999999999"),
        *("second_move_error=", "number=1.5"),
    ):
        column, value = change.split("=")
        cells = lines[2].split(",")
        cells[tables.COLUMNS.index(column)] = value
        path.write_text("\n".join([*lines[:2], ",".join(cells), *lines[3:]]))
        refuse((lambda: tables.read_table(path), InputError, r"t\.csv:3: .*cannot be used"))
    for data, error in (
        (b"a,b\n1,2\n", "there is no column"), (b"\xff\xfe\x00", "not a table"),
        (lines[0].encode() + b"\n" + b'"' * 300_000, "cannot be used"),
        (lines[0].encode(), "no match"),
    ):  # fmt: skip
        path.write_bytes(data)
        with pytest.raises((InputError, NoGamesError), match=error):
            tables.read_table(path)


def truth_of_part_one(length: int, epm: float, epc: float, epd: float) -> float:
    return (9000.0 + 30000.0 / length) * epd


def truth_of_part_two(length: int, epm: float, epc: float, epd: float) -> float:
    return (7000.0 + 20000.0 / length) * epm + (900.0 - 600.0 / length) * epc


def test_parts_are_told_apart() -> None:
    """So is what the analysis can judge: not players that think more deeply than it."""
    one, two, every = part_one(), part_two(), play.measurements()
    assert [tables.is_part_one(s) for s in one + two] == [True] * len(one) + [False] * len(two)
    assert [tables.is_part_two(s) for s in one + two] == [False] * len(one) + [True] * len(two)
    deep = {"wclassWclass-wclassExp:5", "1-ply-0-ply:5"}
    assert {name for name, setting in every.items() if not tables.is_judged(setting)} == deep
    others = [*play.depth_check(), *part_one(deterministic=True), *part_two(deterministic=True)]
    others += [every[name] for name in deep]
    assert not any(tables.is_part_one(s) or tables.is_part_two(s) for s in others)
    assert all(tables.is_judged(setting) for setting in play.strong_check() + play.depth_check())


def test_a_fit_finds_the_truth_and_its_errors() -> None:
    table = made_table(part_two((3, 5)), truth_of_part_two, 40, noise=0.1, exact=True)
    fit = fit_study(table, BILINEAR, draws=100, seed=3)
    a2, b = fit.coefficients
    for each, constant, inverse in ((a2, 7000.0, 20000.0), (b, 900.0, -600.0)):
        assert each.lengths == (3, 5)
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
    others = made_table(part_one((5,)), truth_of_part_one, 40)
    alone, among, other = (
        fit_study(part, BILINEAR, draws=5, seed=seed).coefficients
        for part, seed in ((table, 3), (joined([others, table]), 3), (table, 4))
    )
    assert among == alone
    assert other[0].errors != alone[0].errors
    # By the rule of 2003 eight decisions are close in place of five: b is 8/5 as large.
    old = fit_study(table, BILINEAR, rule=CloseRule.old, draws=0).coefficients
    assert old[1].values == pytest.approx([1.6 * value for value in b.values])
    assert old[0].values == pytest.approx(a2.values)


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
    reach, step = stats.t.ppf(0.95, 39) * error, 1e-6
    expected = [rating(chance) for chance in (mean - reach, mean, mean + reach)]
    assert (low[1], cells.rating[1], high[1]) == pytest.approx(expected)
    slope = (rating(mean + step) - rating(mean - step)) / (2 * step)
    assert cells.rating_error[1] == pytest.approx(slope * error, rel=1e-6)
    epd = (table.move_error + table.cube_error)[rows] / 85
    np.testing.assert_allclose(cells.decision_error[1], epd.mean(axis=0))
    sure = make_cells(replace(table, luck_adjusted=np.full(80, 1.0) + np.arange(80) * 1e-3))
    assert (sure.rating[0], sure.rating_error[0]) == (np.inf, np.inf)
    single = make_cells(made_table(part_one((5,)), truth_of_part_one, 1))
    assert np.isinf(single.chance_error).all(), "one match has no interval"
    refuse((lambda: single.rating_interval(1.5), UsageError, "confidence"))
    # Rates of each match, or of all decisions.
    table = replace(
        made_table(part_one((3,), [(0.0, 0.04)]), truth_of_part_one, 2),
        unforced=np.array([[10, 10], [90, 90]]), move_error=np.array([[0.0, 1.0], [0.0, 1.8]]),
        close_2006=np.array([[0, 0], [4, 4]]), cube_error=np.array([[0.0, 0.0], [0.0, 0.4]]),
    )  # fmt: skip
    by_match, by_decision = make_cells(table), make_cells(table, averaging=Averaging.decisions)
    for name, match, decision in (
        ("move_error", (0.1 + 0.02) / 2, 2.8 / 100), ("cube_error", 0.05, 0.1),
        ("decision_error", (0.1 + 2.2 / 94) / 2, 3.2 / 104),
    ):  # fmt: skip
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
    (a,) = fit_study(
        made_table(part_one((5,)), truth_of_part_one, 20), DECISION, draws=5
    ).coefficients
    assert np.isfinite(a.values[0])
    assert np.isnan([a.weight.constant, a.weight.inverse]).all()
    two = made_table(part_two((5,), cube_noises=(0.05,)), truth_of_part_two, 20)
    refuse((lambda: fit_study(two, DECISION), NoGamesError, "Part I"))
    # Cells near a sure win: a fit of ratings leaves them out, one of chances does not.
    table = made_table(part_one((23,)), lambda n, m, c, d: 60000.0 * d, 60, noise=0.1, exact=True)
    table.luck_adjusted[table.setting == 5] += 0.2
    for method, used in ((FitMethod.published, False), (FitMethod.chance, True)):
        assert fit_study(table, DECISION, method, draws=0).used.all() == used


def test_a_bump_is_found_where_it_is() -> None:
    table = made_table(part_one((1, 5)), truth_of_part_one, 20, noise=0.1, exact=True)
    noisy = np.array([s.length == 1 and s.first.chequer_noise > 0 for s in table.settings])
    raised = table.luck_adjusted + 0.06 * noisy[table.setting]
    cells = make_cells(replace(table, luck_adjusted=raised))
    one, five = fitting.find_bumps(cells)
    assert one.noisy > one.free == pytest.approx(39000.0)
    assert (five.free, five.noisy) == pytest.approx((15000.0, 15000.0))
    free = [s.length == 5 and not s.first.cube_noise for s in cells.settings]
    some = cells.select(np.array(free))
    _, error = fitting.fit_chance(some, np.diff(some.decision_error, axis=1))
    assert five.free_error == pytest.approx(error[0])
    bump = fitting.Bump(1, 100.0, 10.0, 130.0, 20.0)
    reach = stats.norm.ppf(0.95) * sqrt(0.1**2 + (2 / 13) ** 2) * np.array([-1, 1])
    assert np.log(bump.ratio_interval(0.9)) == pytest.approx(log(1.3) + reach)
    less = 1.0 - 2.0 * stats.norm.sf(30.0 / sqrt(500.0))
    assert fitting.chance_of_largest([bump, bump]) == pytest.approx(1.0 - less**2)


def another_truth(length: int, epm: float, epc: float, epd: float) -> float:
    return (12000.0 + 40000.0 / length) * epm + (500.0 + 1000.0 / length) * epc


def log_scores(chance: Any, result: Any) -> Any:
    return -(result * np.log(chance) + (1 - result) * np.log(1 - chance))


@pytest.mark.parametrize("left_out", list(LeftOut))
def test_scores_by_hand(left_out: LeftOut) -> None:
    table = made_table([*part_one((1, 3, 5)), *part_two((3, 5, 7))], another_truth, 8)
    part = _deal(table, 5, seed=3)
    p = np.empty((2, len(table)))
    for k in range(5):
        cells = make_cells(table if left_out is LeftOut.lengths else table.take(part != k))
        move, cube, every = (
            np.diff(rates, axis=1)[:, 0]
            for rates in (cells.move_error, cells.cube_error, cells.decision_error)
        )
        n = cells.length
        both = PUBLISHED.move(n) * move + PUBLISHED.cube(n) * cube
        for row, loss in zip(p, (PUBLISHED.decision(n) * every, both), strict=True):
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
        assert np.ptp(np.bincount(part[table.setting == k], minlength=7)) <= 1
    order = np.random.default_rng(1).permutation(len(table))
    np.testing.assert_array_equal(_deal(table.take(order), 7, seed=3), part[order])
    some, few = (made_table(part_one(n), another_truth, m) for n, m in (((3, 5), 9), ((3,), 1)))
    other, lengths = made_table(play.depth_check(), another_truth, 9), LeftOut.lengths
    refuse(
        (lambda: compare_formulas(some, folds=1), UsageError, "2 or more"),
        (lambda: compare_formulas(some, left_out=lengths), UsageError, "three or more"),
        (lambda: compare_formulas(other), NoGamesError, "Part I"),
        (lambda: compare_formulas(few), NoGamesError, "enough matches"),
    )


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "matches.csv"
    settings = [*part_one((3, 5, 7)), *part_two((3, 5)), play.measurements()["1-ply-0-ply:5"]]
    path.write_text(tables.table_text(made_table(settings, another_truth, 8)))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], line: str, status: int = 0) -> str:
    assert main(["backgammon", *line.split()]) == status
    output = capsys.readouterr()
    return output.out if status == 0 else output.err


def test_fits_and_a_comparison(
    capsys: pytest.CaptureFixture[str], table: str, tmp_path: Path
) -> None:
    fit = f"study fit {table} --draws 3"
    text = run(capsys, f"{fit} --plot {tmp_path}/figures")
    for words in ("R = a(N) DEPD", "R = a2(N) DEPM + b(N) DEPC", "published: 8798 + 25526/N"):
        assert words in text
    assert text.count("\n 3  0") + text.count("\n3  0") >= 20  # a row each cell
    names = {"part1-coefficient", "part1", "part2-coefficients", "part2"}
    assert {path.stem for path in (tmp_path / "figures").glob("*.svg")} == names
    result = json.loads(run(capsys, f"{fit} --format json"))
    assert [fit["model"] for fit in result["fits"]] == ["decision", "bilinear"]
    assert [len(fit["cells"]) for fit in result["fits"]] == [18, 32]
    a = result["fits"][0]["coefficients"][0]
    assert [row["length"] for row in a["lengths"]] == [3, 5, 7]
    assert a["lengths"][0]["published"] == pytest.approx(11971 + 23681 / 3)
    text = run(capsys, f"{fit} --model bilinear --format csv")
    row, *rows = csv.DictReader(io.StringIO(text))
    assert len(rows) == 31
    assert float(row["rating_low"]) < float(row["rating"]) < float(row["rating_high"])
    for known in (("published", "2003"), ("weighted", "2006"), ("chance", "2006")):
        given = "--method {} --rule {} --averaging decisions --model decision".format(*known)
        (found,) = json.loads(run(capsys, f"{fit} {given} --format json"))["fits"]
        shown = (found["method"], found["close_rule"], found["averaging"])
        assert shown == (*known, "decisions")
    assert "one in 4 left out" in run(capsys, f"study compare {table} --parts 4")
    line = f"study compare {table} --leave-out lengths --format json"
    result = json.loads(run(capsys, line))
    assert (result["parts"], len(result["scores"])) == (3, 6)


def test_what_is_refused(capsys: pytest.CaptureFixture[str], table: str, tmp_path: Path) -> None:
    results, none, bad = (tmp_path / name for name in ("r.jsonl", "none", "bad.jsonl"))
    bad.write_text("no\n")
    for status, line, said in (
        (2, f"study fit {table} --format csv", "--model"),
        (2, f"study fit {table} --confidence 200", "--confidence"),
        (2, f"study part1 {results} --pairings 0-1", "--pairings"),
        (2, f"study part1 {results} --lengths 3,x", "--lengths"),
        (2, f"study part1 {results} --lengths 99", "99 points"),
        (2, f"study part2 {results} --lengths 1", "no cube"),
        (2, f"study appendix {results} --only me", "expExp-expBeg:5"),
        (2, f"play {results} --first 1,2,3", "--first"),
        (2, f"play {results} --second-plies x", "--second-plies"),
        (2, f"play {results} --second -1", "noise of -1"),
        (1, f"study fit {none}.csv", "no such file"),
        (1, f"study table {bad}", "bad.jsonl:1: this line is no result"),
        (1, f"play {results} --gnubg {none}", "no such program"),
        (1, f"play {none}/r.jsonl", "no such folder"),
    ):
        assert said in run(capsys, line, status)
    assert not results.exists()


def test_from_matches_to_a_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    real_gnubg(clock=True)
    results, made = tmp_path / "r.jsonl", tmp_path / "t.csv.gz"
    line = f"study part1 {results} --lengths 1 --pairings 0:0.06,0:0.04 --matches 2 --seed 4"
    text = run(capsys, line)
    assert "2 cells of 4 matches" in text
    before = results.read_bytes()
    assert run(capsys, line) == text
    assert results.read_bytes() == before  # nothing is played twice
    run(capsys, f"study table {results} -o {made}")
    table = tables.read_table(made)
    assert len(table) == 4
    assert table.luck_adjusted.tolist() != [0.5] * 4
    assert run(capsys, f"study table {results}") == tables.table_text(table)
