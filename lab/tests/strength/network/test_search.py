"""The search for hyperparameters, at random and with optuna."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.tests.strength.made_training import TINY, made_games
from lab.tests.strength.network.test_training import huge_features
from yardstone import parallel
from yardstone.errors import ConvergenceError, InputError, UsageError
from yardstone_lab.neubauer.moves import Labelled
from yardstone_lab.neubauer.network import search
from yardstone_lab.neubauer.network.search import (
    RUNS_FILE,
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
from yardstone_lab.neubauer.network.strength_network import BOUNDS, START
from yardstone_lab.neubauer.network.training import train

#: Trainings of no more than a moment, whatever is drawn.
QUICK = replace(START, window=5, batch=2, steps=1, epochs=2)


@pytest.fixture(autouse=True)
def _in_this_process() -> Iterator[None]:
    with parallel.context(workers=1):
        yield


def examples() -> tuple[Labelled, Labelled]:
    return made_games(40), made_games(20, seed=1)


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
        "learning_rate": (1e-5, 1), "decay": (0.9, 1), "rating_loss": (0.001, 10),
        "regularisation": (0.001, 100), "depth": (1, 5), "width": (8, 256),
        "query_width": (8, 256), "inducing_points": (1, 64),
    }  # fmt: skip
    rows: dict[str, dict[str, Any]] = {
        "at least one iteration of one training": {"runs": 0},
        "shrink is 0.0": {"shrink": 0.0},
        "no window from 5 to 4": {"windows": (5, 4)},
        "no window from 0 to 4": {"windows": (0, 4)},
    }
    for words, values in rows.items():
        with pytest.raises(UsageError, match=words):
            Plan(**values)


class Drawn:
    """A generator whose every number lies at the same share of its range."""

    def __init__(self, share: float) -> None:
        self.share = share

    def uniform(self, low: float, high: float) -> float:
        return low + self.share * (high - low)

    def integers(self, low: int, high: int | None = None, *, endpoint: bool = False) -> int:
        begin, end = (0, low - 1) if high is None else (low, high if endpoint else high - 1)
        return math.floor(begin + self.share * (end - begin) + 0.5)


@pytest.mark.parametrize("scale", [1.0, 0.36])
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_proposals_are_drawn_as_published(scale: float, share: float) -> None:
    generator: Any = Drawn(share)
    drawn = propose(START, scale, generator, (10, 13))
    span = scale * (2 * share - 1)
    assert drawn.learning_rate == pytest.approx(min(max(1e-3 * 10 ** (3 * span), 1e-5), 1.0))
    assert drawn.decay == pytest.approx(0.95 + 0.05 * span)
    assert drawn.rating_loss == pytest.approx(2 ** (3 * span))
    assert drawn.regularisation == pytest.approx(10 * 2 ** (3 * span))
    assert drawn.depth == math.floor(1 + 4 * share + 0.5)
    wide = min(max(math.ceil(64 * 2 ** (2 * span)), 8), 256)
    assert (drawn.width, drawn.query_width) == (wide, wide)
    low, high = math.floor(-32 * scale + 0.5), math.floor(32 * scale + 0.5)
    points = 32 + math.floor(low + share * (high - low) + 0.5)
    assert drawn.inducing_points == min(max(points, 1), 64)
    assert drawn.window == math.floor(10 + 3 * share + 0.5)
    assert (drawn.batch, propose(START, scale, generator).window) == (START.batch, 500)
    if share in (0.0, 1.0):  # what lies at an end of its domain stays there
        edge = {name: bounds[int(share)] for name, bounds in BOUNDS.items()}
        there = propose(START.changed(edge), 1.0, generator)
        assert {name: getattr(there, name) for name in BOUNDS} == edge


def test_a_search_goes_around_the_best_and_trains_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(iterations=2, runs=2, start=QUICK, seed=4, windows=(3, 5))
    reported: list[SearchRun] = []
    progress: list[tuple[str, int, int]] = []
    with parallel.context(workers=1, progress=lambda *told: progress.append(told)):
        runs = random_search(examples, tmp_path, plan, report=reported.append)
    assert runs == reported == read_runs(tmp_path)
    assert progress == [("searching", done, 4) for done in (1, 2, 3, 4)]
    assert [(run.iteration, run.number) for run in runs] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert best_run(runs).loss == min(run.loss for run in runs)
    # The second iteration lies around the best of the first, at 0.6 of the distance.
    centre = best_run(runs[:2]).settings
    for run in runs[2:]:
        change = math.log2(run.settings.rating_loss / centre.rating_loss)
        assert abs(change) <= 1.8
        assert abs(run.settings.decay - centre.decay) <= 0.03
        assert 3 <= run.settings.window <= 5
        known = json.loads((Path(run.folder) / "result.json").read_text())
        assert known["loss"] == run.loss
    # A search that is over, or was stopped, trains only what is missing.
    trained = []

    def counted(*arguments: Any, **options: Any) -> object:
        trained.append(arguments[3])
        return train(*arguments, **options)

    monkeypatch.setattr(search, "train", counted)
    (Path(runs[3].folder) / "result.json").unlink()
    assert random_search(examples, tmp_path, plan) == runs
    assert trained == [Path(runs[3].folder)]
    with pytest.raises(UsageError, match="holds another search"):
        random_search(examples, tmp_path, replace(plan, seed=5))


def huge() -> tuple[Labelled, Labelled]:
    return huge_features(), huge_features()


def test_a_search_in_which_all_fails_says_so(tmp_path: Path) -> None:
    one, other = tmp_path / "random", tmp_path / "optuna"
    with pytest.raises(ConvergenceError, match="every training failed"):
        random_search(huge, one, Plan(iterations=1, runs=2, start=QUICK))
    with pytest.raises(ConvergenceError, match="every training failed"):
        optuna_search(huge, other, 2, QUICK)
    for folder in (one, other):
        assert [run.loss for run in read_runs(folder)] == [math.inf, math.inf]


def test_tables_and_results_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_runs(tmp_path)
    for before, after in (("iteration", "number"), ("0.6", "much"), ("13", "1.5")):
        write_runs(tmp_path, [SearchRun(1, 2, TINY, 0.6, 0.7, 3, 13, 8.25, "", "somewhere")])
        path = tmp_path / RUNS_FILE
        path.write_text(path.read_text().replace(before, after))
        with pytest.raises(InputError, match=":2: this is not a table of a search"):
            read_runs(tmp_path)
    where: dict[str, Any] = {"examples": examples, "threads": 1, "device": "cpu"}
    item = (1, 1, replace(TINY, epochs=1), tmp_path)
    run = do_run(item, **where)
    assert do_run(item, **where) == run
    with pytest.raises(UsageError, match="other settings"):
        do_run((1, 1, TINY, tmp_path), **where)
    (tmp_path / "result.json").write_text("[]")
    with pytest.raises(InputError, match="not a result of a training"):
        do_run(item, **where)


def test_optuna_searches_and_goes_on(tmp_path: Path) -> None:
    progress: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: progress.append(told)):
        runs = optuna_search(examples, tmp_path / "a", 2, QUICK, windows=(3, 5))
    assert progress == [("searching", done, 2) for done in (0, 1, 2)]
    # The first one is the start, but for the window.
    assert replace(runs[0].settings, window=QUICK.window) == QUICK
    for name, (low, high) in BOUNDS.items():
        assert low <= getattr(runs[1].settings, name) <= high
    assert read_runs(tmp_path / "a") == runs
    more = optuna_search(examples, tmp_path / "a", 3, QUICK, windows=(3, 5))
    assert (more[:2], len(more)) == (runs, 3)
    with pytest.raises(UsageError, match="holds another search"):
        optuna_search(examples, tmp_path / "a", 3, TINY)
    with pytest.raises(UsageError, match="at least one training"):
        optuna_search(examples, tmp_path / "c", 0, TINY)


class Killed(BaseException):
    """In place of a kill."""


@pytest.mark.parametrize("how", [Killed, KeyboardInterrupt])
def test_optuna_takes_up_a_trial_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: type[BaseException]
) -> None:
    def stopped(*arguments: object, **options: object) -> object:
        raise how

    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(search, "train", stopped)
            with pytest.raises(how):
                optuna_search(examples, tmp_path, 2, QUICK)
    runs = optuna_search(examples, tmp_path, 2, QUICK)
    assert [run.settings == QUICK for run in runs] == [True, False]
