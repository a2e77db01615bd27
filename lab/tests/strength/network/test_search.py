"""The search for hyperparameters, at random and with optuna."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.tests.strength.made_training import TINY, made_games
from lab.tests.strength.network.test_training import huge_features
from yardstone import parallel
from yardstone.errors import ConvergenceError, InputError, UsageError
from yardstone_lab.neubauer.moves import Labelled
from yardstone_lab.neubauer.network import search
from yardstone_lab.neubauer.network.search import (
    RUNS_FILE,
    Cached,
    Plan,
    SearchRun,
    best_run,
    do_run,
    optuna_search,
    propose,
    random_search,
    read_runs,
    write_runs,
)
from yardstone_lab.neubauer.network.strength_network import BOUNDS, START, Hyperparameters
from yardstone_lab.neubauer.network.training import train

#: Trainings of no more than a moment, whatever is drawn.
QUICK = replace(START, window=5, batch=2, steps=1, epochs=2)


def examples() -> tuple[Labelled, Labelled]:
    return made_games(40), made_games(20, seed=1)


# --- what is proposed ----------------------------------------------------------------------


def test_the_plan_is_the_published_one() -> None:
    plan = Plan()
    assert (plan.iterations, plan.runs) == (5, 15)
    scales = [plan.scale(iteration) for iteration in range(5)]
    assert scales == pytest.approx([1, 0.6, 0.36, 0.216, 0.1296])
    start = plan.start
    assert (start.learning_rate, start.decay) == (1e-3, 0.95)
    assert (start.rating_loss, start.regularisation) == (1.0, 10.0)
    assert (start.depth, start.width, start.query_width, start.inducing_points) == (3, 64, 64, 32)
    assert dict(BOUNDS) == {
        "learning_rate": (1e-5, 1),
        "decay": (0.9, 1),
        "rating_loss": (0.001, 10),
        "regularisation": (0.001, 100),
        "depth": (1, 5),
        "width": (8, 256),
        "query_width": (8, 256),
        "inducing_points": (1, 64),
    }


@pytest.mark.parametrize("scale", [1.0, 0.36, 0.1296])
def test_proposals_are_drawn_as_published(scale: float) -> None:
    generator = np.random.default_rng(1)
    drawn = [propose(START, scale, generator) for _ in range(4000)]

    def of(name: str) -> np.ndarray:
        return np.array([getattr(each, name) for each in drawn], float)

    def uniform(values: np.ndarray, low: float, high: float) -> None:
        """Mean, deviation and ends of a uniform distribution."""
        width = high - low
        assert values.mean() == pytest.approx((low + high) / 2, abs=0.03 * width)
        assert values.std() == pytest.approx(width / math.sqrt(12), rel=0.05)
        assert low - 1e-9 <= values.min() < low + 0.02 * width
        assert high - 0.02 * width < values.max() <= high + 1e-9

    if scale < 2 / 3:  # beyond, some are clamped to 10^-5: the next test but one
        uniform(np.log10(of("learning_rate")), -3 - 3 * scale, -3 + 3 * scale)
    uniform(of("decay"), 0.95 - 0.05 * scale, 0.95 + 0.05 * scale)
    uniform(np.log2(of("rating_loss")), -3 * scale, min(3 * scale, 3))
    uniform(np.log2(of("regularisation") / 10), -3 * scale, 3 * scale)
    assert {int(depth) for depth in of("depth")} == {1, 2, 3, 4, 5}
    assert np.bincount(of("depth").astype(int))[1:].min() > 700
    for name in ("width", "query_width"):
        values = of(name)
        low, high = (math.ceil(64 * 2 ** (sign * 2 * scale)) for sign in (-1, 1))
        assert values.min() in (low, low + 1)
        assert 0.97 * high <= values.max() <= high
        assert (values == np.round(values)).all()
        assert np.median(values) == pytest.approx(64, rel=0.12)
    reach = math.floor(32 * scale + 0.5)
    points = of("inducing_points")
    assert points.min() == max(1, 32 + math.floor(-32 * scale + 0.5))
    assert points.max() == min(64, 32 + reach)
    inside = points[(points > 1) & (points < 64)]
    assert len(np.unique(inside)) == len(range(int(inside.min()), int(inside.max()) + 1))
    assert len({each.seed for each in drawn}) > 3990
    assert {each.window for each in drawn} == {500}


def test_proposals_stay_in_their_domain() -> None:
    generator = np.random.default_rng(0)
    for corner in (0, 1):
        at = {name: bounds[corner] for name, bounds in BOUNDS.items()}
        edge = START.changed(at)
        drawn = [propose(edge, 1.0, generator) for _ in range(300)]
        for name, (low, high) in BOUNDS.items():
            values = [getattr(each, name) for each in drawn]
            assert low <= min(values) <= max(values) <= high, name
            if name != "depth":  # half of the changes lead out of the domain
                share = np.mean(np.array(values) == at[name])
                assert 0.4 < share < 0.62, name


def test_the_learning_rate_is_clamped_below() -> None:
    generator = np.random.default_rng(0)
    rates = np.array([propose(START, 1.0, generator).learning_rate for _ in range(4000)])
    # Uniform on [-6, 0] in the exponent: a sixth lies below 10^-5.
    assert np.mean(rates == 1e-5) == pytest.approx(1 / 6, abs=0.02)
    assert np.mean(rates > 1e-3) == pytest.approx(1 / 2, abs=0.03)
    assert rates.max() <= 1


def test_windows_can_be_searched() -> None:
    generator = np.random.default_rng(0)
    result = {propose(START, 0.1, generator, (10, 13)).window for _ in range(100)}
    assert result == {10, 11, 12, 13}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"runs": 0}, "at least one iteration of one training"),
        ({"shrink": 0.0}, "shrink is 0.0"),
        ({"windows": (5, 4)}, "no window from 5 to 4"),
        ({"windows": (0, 4)}, "no window from 0 to 4"),
    ],
)
def test_plans_that_make_no_sense(values: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Plan(**values)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _in_this_process() -> Iterator[None]:
    with parallel.context(workers=1):
        yield


# --- the random search ---------------------------------------------------------------------


def test_a_search_goes_around_the_best_and_trains_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(iterations=2, runs=2, start=QUICK, seed=4, windows=(3, 5))
    reported: list[SearchRun] = []
    progress: list[tuple[str, int, int]] = []
    with parallel.context(workers=1, progress=lambda *told: progress.append(told)):
        runs = random_search(examples, tmp_path / "a", plan, report=reported.append)
    assert runs == reported
    assert progress == [("searching", done, 4) for done in (1, 2, 3, 4)]
    assert [(run.iteration, run.number) for run in runs] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    best = best_run(runs)
    assert best.loss == min(run.loss for run in runs)
    # The second iteration lies around the best of the first, at 0.6 of the distance.
    centre = best_run(runs[:2]).settings
    for run in runs[2:]:
        change = math.log2(run.settings.rating_loss / centre.rating_loss)
        assert abs(change) <= 1.8
        assert abs(run.settings.decay - centre.decay) <= 0.03
        assert 3 <= run.settings.window <= 5
    assert read_runs(tmp_path / "a") == runs
    for run in runs:
        known = json.loads((Path(run.folder) / "result.json").read_text())
        assert known["loss"] == run.loss
    # A search that is over, or was stopped, trains only what is missing.
    trained = []
    real = train

    def counted(*arguments: object, **options: object) -> object:
        trained.append(arguments[3])
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(search, "train", counted)
    assert random_search(examples, tmp_path / "a", plan) == runs
    assert not trained
    (Path(runs[3].folder) / "result.json").unlink()
    again = random_search(examples, tmp_path / "a", plan)
    assert trained == [Path(runs[3].folder)]
    assert again == runs
    longer = random_search(examples, tmp_path / "a", replace(plan, iterations=3))
    assert longer[:4] == runs
    assert len(longer) == 6
    with pytest.raises(UsageError, match="holds another search"):
        random_search(examples, tmp_path / "a", replace(plan, seed=5))


def test_workers_do_not_change_a_search(tmp_path: Path) -> None:
    plan = Plan(iterations=1, runs=2, start=QUICK, seed=4)
    found = []
    for workers in (1, 2):
        with parallel.context(workers=workers):
            found.append(random_search(Cached(examples), tmp_path / str(workers), plan, threads=1))
    one, two = found
    assert [(run.settings, run.loss) for run in one] == [(run.settings, run.loss) for run in two]


def test_examples_are_read_once_and_not_sent(tmp_path: Path) -> None:
    calls = []

    def read() -> tuple[Labelled, Labelled]:
        calls.append(1)
        return examples()

    cached = Cached(read)
    assert cached() is cached()
    assert len(calls) == 1
    sent = Cached(examples)
    sent()
    assert len(pickle.dumps(sent)) < 500


def huge() -> tuple[Labelled, Labelled]:
    return huge_features(), huge_features()


def test_a_search_in_which_all_fails_says_so(tmp_path: Path) -> None:
    plan = Plan(iterations=1, runs=2, start=QUICK)
    with pytest.raises(ConvergenceError, match="every training failed: the network's answers"):
        random_search(huge, tmp_path, plan)
    runs = read_runs(tmp_path)
    assert [run.loss for run in runs] == [math.inf, math.inf]
    assert "no numbers" in runs[0].line()


# --- one run, and the table ----------------------------------------------------------------


def run_of(settings: Hyperparameters, loss: float = 0.6) -> SearchRun:
    return SearchRun(1, 2, settings, loss, 0.7, 3, 13, 8.25, "", "somewhere")


def test_the_table_of_runs_comes_back(tmp_path: Path) -> None:
    runs = [run_of(TINY), run_of(replace(TINY, standardise=True, learning_rate=1.23e-5))]
    write_runs(tmp_path, runs)
    assert read_runs(tmp_path) == runs
    assert "0.6000 after 3 of 13 epochs" in runs[0].line()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: None, "there is no such file"),
        (lambda text: "a,b\n1,2\n", ":2: this is not a table of a search"),
        (lambda text: text.replace("0.6", "much"), ":2: this is not a table of a search"),
        (lambda text: text.replace("13", "1.5"), ":2: this is not a table of a search"),
    ],
)
def test_a_table_that_is_none(
    tmp_path: Path, change: Callable[[str], str | None], words: str
) -> None:
    write_runs(tmp_path, [run_of(TINY)])
    path = tmp_path / RUNS_FILE
    text = change(path.read_text())
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_runs(tmp_path)


def test_a_result_of_other_settings_or_damaged_is_refused(tmp_path: Path) -> None:
    settings = replace(TINY, epochs=1)
    item = (1, 1, settings, tmp_path)
    run = do_run(item, examples=examples, threads=1, device="cpu")
    assert do_run(item, examples=examples, threads=1, device="cpu") == run
    with pytest.raises(UsageError, match="other settings"):
        do_run((1, 1, TINY, tmp_path), examples=examples, threads=1, device="cpu")
    (tmp_path / "result.json").write_text("[]")
    with pytest.raises(InputError, match="not a result of a training"):
        do_run(item, examples=examples, threads=1, device="cpu")


# --- optuna --------------------------------------------------------------------------------


def test_optuna_searches_goes_on_and_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: progress.append(told)):
        runs = optuna_search(examples, tmp_path / "a", 2, QUICK, windows=(3, 5))
    assert progress == [("searching", done, 2) for done in (0, 1, 2)]
    assert len(runs) == 2
    # The first one is the start, but for the window.
    assert replace(runs[0].settings, window=QUICK.window) == QUICK
    for name, (low, high) in BOUNDS.items():
        assert low <= getattr(runs[1].settings, name) <= high
    assert read_runs(tmp_path / "a") == runs
    more = optuna_search(examples, tmp_path / "a", 3, QUICK, windows=(3, 5))
    assert more[:2] == runs
    assert len(more) == 3
    # Equal seeds give equal searches, here in one go.
    whole = optuna_search(examples, tmp_path / "b", 2, QUICK, windows=(3, 5))
    assert [(run.settings, run.loss) for run in whole] == [(r.settings, r.loss) for r in runs]
    with pytest.raises(UsageError, match="holds another search"):
        optuna_search(examples, tmp_path / "a", 3, TINY)
    with pytest.raises(UsageError, match="at least one training"):
        optuna_search(examples, tmp_path / "c", 0, TINY)


class Killed(BaseException):
    """In place of a kill."""


def test_optuna_takes_up_a_trial_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = train

    def stopped(*arguments: object, **options: object) -> object:
        raise Killed

    monkeypatch.setattr(search, "train", stopped)
    with pytest.raises(Killed):
        optuna_search(examples, tmp_path, 1, QUICK)
    monkeypatch.setattr(search, "train", real)
    runs = optuna_search(examples, tmp_path, 1, QUICK)
    assert [run.settings for run in runs] == [QUICK]


def test_optuna_lists_what_failed(tmp_path: Path) -> None:
    with pytest.raises(ConvergenceError, match="every training failed"):
        optuna_search(huge, tmp_path, 1, QUICK)
    assert [run.loss for run in read_runs(tmp_path)] == [math.inf]
