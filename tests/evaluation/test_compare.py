"""Systems compared on the same games: order, leads and their intervals by their definitions."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.evaluation.games import played
from tests.evaluation.needed_columns import with_needed
from yardstone.errors import InputError, MissingExtraError, ModelError, NoGamesError, UsageError
from yardstone.evaluation.comparison import Evaluation, Prediction, compare, tune
from yardstone.evaluation.metrics import calibrate, measure
from yardstone.evaluation.splits import Subset
from yardstone.evaluation.uncertainty import bootstrap
from yardstone.pool import Pool
from yardstone.ratings.systems import SEQUENTIAL, SystemEntry, find_system

GAMES = 3000
LATE = np.arange(GAMES) > 2000


def drawn() -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """True chances, results, and players."""
    generator = np.random.default_rng(0)
    truth = generator.uniform(0.1, 0.9, GAMES)
    score = (generator.random(GAMES) < truth).astype(float)
    first = generator.integers(0, 80, GAMES).astype(np.int32)
    return truth, score, (first, ((first + 1) % 80).astype(np.int32))


def three(**options: Any) -> Evaluation:
    """The truth, one near it, the truth blurred, and a coin, on the same games."""
    truth, score, (first, second) = drawn()
    return compare(
        [
            Prediction("coin", np.full(GAMES, 0.5), baseline=True),
            Prediction("blurred", 0.5 + 0.6 * (truth - 0.5)),
            Prediction("truth", truth, np.full(GAMES, 0.05)),
            Prediction("nearly", truth + 1e-4),
        ],
        score,
        first=first,
        second=second,
        subsets=[Subset("late", LATE), Subset("none", np.zeros(GAMES, bool))],
        replicates=200,
        **options,
    )


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return three()


def test_the_intervals_of_a_verdict_hold_together(evaluation: Evaluation) -> None:
    """Three systems of known mean differences: all leads of the best at once, in 95 of 100."""
    held = 0
    names, means = ("a", "b", "c"), np.array([0.0, -0.1, -0.2])
    systems = tuple(
        replace(scored, prediction=replace(scored.prediction, name=name))
        for scored, name in zip(evaluation.systems[:1] * 3, names, strict=True)
    )
    for seed in range(60):
        generator = np.random.default_rng(seed)
        first = generator.integers(0, 30, 500).astype(np.int32)
        second = ((first + 1 + generator.integers(0, 29, 500)) % 30).astype(np.int32)
        each = generator.normal(0.0, 0.3, (3, 30))
        noise = generator.normal(size=(3, 500))
        values = means[:, None] + each[:, first] + each[:, second] + noise
        drawn = bootstrap(values, first, second, replicates=200, seed=seed)
        order = replace(
            evaluation,
            systems=systems,
            bootstraps={("representative", "log_likelihood"): (names, drawn)},
        ).ranking
        truth = dict(zip(names, means, strict=True))
        right = [
            ends is None or ends[0] <= truth[order.names[0]] - truth[name] <= ends[1]
            for name, ends in zip(order.names, order.together, strict=True)
        ]
        held += all(right) and all(truth[one] > truth[other] for one, other in order.apart)
    assert held >= 54


def test_baselines_come_last_and_each_metric_ranks(evaluation: Evaluation) -> None:
    assert [scored.name for scored in evaluation.systems][2:] == ["blurred", "coin"]
    assert [scored.name for scored in evaluation.ranked] == list(evaluation.ranking.names)
    assert set(evaluation.ranking.names[:2]) == {"truth", "nearly"}
    metrics = {("representative", m) for m in ("log_likelihood", "brier", "accuracy", "three_way")}
    assert set(evaluation.bootstraps) == {*metrics, ("late", "log_likelihood")}
    assert [part.name for part in evaluation.subsets] == ["representative", "late"]
    assert (evaluation.games, evaluation.players) == (GAMES, 80)
    assert evaluation.ranking_by("three_way").names[0] == "truth"
    assert evaluation.ranking_by("three_way").behind == (None, None, None)
    by_brier = [scored.value("brier") for scored in three(metric="brier").ranked]
    assert by_brier == sorted(by_brier)  # type: ignore[type-var]
    assert evaluation["truth"].value("brier", "nowhere") is None


@pytest.mark.parametrize(("metric", "sign"), [("log_likelihood", 1), ("brier", -1)])
def test_leads_have_intervals_alone_and_together(
    evaluation: Evaluation, metric: str, sign: int
) -> None:
    """Positive means better; all differences of two count where the best is picked afterwards."""
    order = evaluation.ranking_by(metric)
    names, means = evaluation.bootstraps["representative", metric]
    assert (order.metric, order.subset, order.unit) == (metric, "representative", "player")
    assert order.confidence == 0.95

    def contrast(one: str, other: str) -> np.ndarray:
        return np.asarray(sign * (np.eye(4)[names.index(one)] - np.eye(4)[names.index(other)]))

    reach = means.reach([contrast(*pair) for pair in combinations(order.names, 2)], 0.95)
    top, *others = order.names
    apart = set()
    for one, other in combinations(order.names, 2):
        lead, error = means.mean @ contrast(one, other), means.standard_error(contrast(one, other))
        assert lead >= 0.0
        if lead > reach * error:
            apart.add((one, other))
        if one == top:
            place = order.names.index(other)
            together = order.together[place]
            assert together is not None
            assert_allclose(together, [lead - reach * error, lead + reach * error])
            assert order.behind[place] == means.interval(contrast(one, other), 0.95)
            alone = evaluation.difference(one, other, metric=metric)
            assert alone == order.behind[place]
            differ = [evaluation[name].value(metric) for name in (one, other)]
            assert alone.estimate == pytest.approx(sign * (differ[0] - differ[1]))  # type: ignore[operator]
    assert order.apart == apart
    assert (top, "blurred") in apart
    assert order.tied == tuple(name for name in others if (top, name) not in apart) != ()
    spreads = [np.zeros(200), *(means.spread(contrast(top, name)) for name in others)]
    ahead = np.column_stack(spreads)
    best = [np.mean(ahead[:, k] == ahead.min(axis=1)) for k in range(3)]
    assert_allclose(order.best, best)
    assert (order.behind[0], order.together[0]) == (None, None)


def test_subsets_are_measured_by_themselves(evaluation: Evaluation) -> None:
    _, result, ends = drawn()
    for scored in evaluation:
        expected, draw = scored.prediction.expected, scored.prediction.draw
        chosen = expected[LATE], None if draw is None else draw[LATE]
        assert scored.metrics["late"] == measure(result[LATE], *chosen)
        assert scored.calibration.as_dict() == calibrate(result, expected, players=ends).as_dict()
    apart = evaluation.difference("truth", "blurred", subset="late")
    wanted = (evaluation[name].value("log_likelihood", "late") for name in ("truth", "blurred"))
    assert apart.estimate == pytest.approx(next(wanted) - next(wanted))  # type: ignore[operator]


def test_equal_predictions_share_the_first_place() -> None:
    generator = np.random.default_rng(1)
    score = (generator.random(100) < 0.6).astype(float)
    same = [Prediction(name, np.full(100, 0.6)) for name in ("one", "two")]
    order = compare([*same, Prediction("bad", np.full(100, 0.1))], score, replicates=50).ranking
    assert order.best == (0.5, 0.5, 0.0)
    assert order.unit == "game"
    assert order.tied == ("two",)


@pytest.mark.parametrize(("games", "players", "there"), [(20, 4, 1), (19, 4, 0), (30, 3, 0)])
def test_too_few_games_or_players_have_no_interval(games: int, players: int, there: int) -> None:
    first = (np.arange(games) % players).astype(np.int32)
    second = ((first + 1) % players).astype(np.int32)
    score = (np.arange(games) % 2).astype(float)
    systems = [Prediction("one", np.full(games, 0.4)), Prediction("two", np.full(games, 0.6))]
    options: dict[str, Any] = {"first": first, "second": second, "replicates": 10}
    assert len(compare(systems, score, **options).bootstraps) == 3 * there
    assert not compare(systems, score, **{**options, "replicates": 0}).bootstraps


@pytest.mark.parametrize(("zeros", "said"), [(1, "a result that"), (2, "2 results that")])
def test_an_impossible_result_ranks_last_and_is_said(zeros: int, said: str) -> None:
    score = np.array([1.0, 0.0] * 30)
    bold = np.array([1.0, 0.0] * (30 - zeros) + [0.0, 0.0] * zeros)
    result = compare([Prediction("bold", bold), Prediction("meek", np.full(60, 0.5))], score)
    assert result.ranking.names == ("meek", "bold")
    assert result.ranking.behind == (None, None)
    assert result.ranking.best == (1.0, 0.0)
    assert f"bold gave {said} occurred a probability of 0" in result.notes[0]
    assert result.ranking_by("brier").names[0] == "bold"
    with pytest.raises(UsageError, match="'bold' has no finite log_likelihood"):
        result.difference("bold", "meek")
    alone = compare(
        [Prediction("bold", bold), Prediction("c", bold * 0 + 0.5, baseline=True)], score
    )
    with pytest.raises(UsageError, match="no system has a finite"):
        _ = alone.ranking


def test_wrong_use() -> None:
    one = Prediction("one", np.array([0.5, 0.5]))
    for predictions, score, options, error, message in [
        ([one], [1, 0], {"metric": "elo"}, UsageError, "the metric is"),
        ([one, one], [1, 0], {}, UsageError, "same name"),
        ([one], [1, 0, 1], {}, InputError, "2 predictions for 3 games"),
        ([], [1], {}, UsageError, "no system"),
        ([Prediction("none", np.zeros(0))], [], {}, NoGamesError, "no game"),
        ([one], [1, 0], {"first": np.array([0, 1], np.int32)}, UsageError, "both players"),
        ([one], [1, 0], {"metric": "three_way"}, UsageError, "another metric"),
    ]:
        with pytest.raises(error, match=message):
            compare(predictions, score, **options)  # type: ignore[arg-type]
    few = compare([one], [1, 0])
    with pytest.raises(UsageError, match="there is no "):
        few.ranking_by("log_likelihood")
    with pytest.raises(UsageError, match="no system 'two'"):
        few["two"]
    enough = compare([Prediction("x", np.full(20, 0.5))], [1, 0] * 10, replicates=2)
    with pytest.raises(UsageError, match="no metric on 'representative' 'elo'"):
        enough.ranking_by("elo")


# ------------------------------------------------------------------- tuning


def test_tuning_improves_on_the_later_half_of_the_earlier_games() -> None:
    pool = played(1000, 40, 5, spread=300.0)
    entry = find_system("elo")
    one, two = (tune(entry, pool, 8, seed=3) for _ in range(2))
    assert one == two
    assert (one.trials, one.failed) == (8, 0)
    untuned = tune(entry, pool, 1, untuned={"k": 25.0})
    assert untuned.parameters == {"k": 25.0}
    for tuned in (one, untuned):
        expected = entry.make(**tuned.parameters).replay(pool).expected[500:]
        value = measure(pool.score[500:], expected).log_likelihood
        assert tuned.value == pytest.approx(value, rel=1e-12)
        assert tuned.system == entry.make(**tuned.parameters)
    assert one.value > untuned.value
    assert tune(entry, pool, 0, untuned={"k": 25.0}).system == entry.make(k=25.0)


def test_tuning_counts_only_scored_games_and_can_be_cut_short() -> None:
    pool = played(400, 20, 6)
    entry = find_system("elo")
    scored = np.arange(400) % 2 == 0
    later = np.arange(400) >= 200
    expected = entry.make().replay(pool).expected[scored & later]
    value = measure(pool.score[scored & later], expected).log_likelihood
    assert tune(entry, pool, 1, scored=scored).value == pytest.approx(value)
    assert tune(entry, pool, 500, seconds=0.0).trials == 1
    with pytest.raises(UsageError, match="too few"):
        tune(entry, pool, 2, scored=np.zeros(400, np.bool_))
    with pytest.raises(UsageError, match="0 or more"):
        tune(entry, pool, -1)


def test_a_system_that_refuses_every_trial_and_one_that_cannot_be_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    entry = SystemEntry("bad", "", "elo:Elo", (), {"period": "event"})
    pool = played(50, 5, 0)
    bare = Pool(pool.players, pool.first, pool.second, pool.score, pool.time)
    with pytest.raises(ModelError, match="no set of parameters could be used"):
        tune(entry, bare, 2)
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'yardstone\[tune\]'"):
        tune(find_system("elo"), pool, 1)


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_every_system_can_be_made_at_both_ends_of_every_knob(name: str) -> None:
    entry = find_system(name)
    # What must stay positive is sought by ratios.
    assert {each.name for each in entry.knobs if not each.log} <= {"initial", "first_advantage"}
    pool = with_needed(played(30, 5, 8), name)
    for end in ("low", "high"):
        system = entry.make(**{knob.name: getattr(knob, end) for knob in entry.knobs})
        expected = system.replay(pool).expected
        assert ((expected >= 0.0) & (expected <= 1.0)).all()
