from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import yardstone
from tests.evaluation.games import played
from tests.evaluation.needed_columns import with_needed
from yardstone.errors import InputError, MissingExtraError, ModelError, NoGamesError, UsageError
from yardstone.evaluation.backtest import evaluate, fit_draw_rate
from yardstone.evaluation.comparison import Evaluation, Prediction, compare, tune
from yardstone.evaluation.metrics import measure
from yardstone.evaluation.splits import Subset
from yardstone.evaluation.uncertainty import bootstrap
from yardstone.pool import Pool
from yardstone.ratings.elo import Elo
from yardstone.ratings.systems import SEQUENTIAL, SystemEntry, find_system
from yardstone.winprob.laws import win_draw_loss

EXAMPLES = Path(yardstone.__file__).parent / "examples"


def three(games: int = 3000, seed: int = 0) -> Evaluation:
    """The truth, the truth blurred, and a coin, on the same games."""
    generator = np.random.default_rng(seed)
    truth = generator.uniform(0.1, 0.9, games)
    score = (generator.random(games) < truth).astype(float)
    blurred = 0.5 + 0.6 * (truth - 0.5)
    first = generator.integers(0, 80, games).astype(np.int32)
    return compare(
        [
            Prediction("coin", np.full(games, 0.5), baseline=True),
            Prediction("blurred", blurred),
            Prediction("truth", truth),
            Prediction("nearly", truth + 1e-4),
        ],
        score,
        first=first,
        second=((first + 1) % 80).astype(np.int32),
        subsets=[Subset("late", np.arange(games) > 2000), Subset("none", np.zeros(games, bool))],
        replicates=200,
        seed=seed,
    )


def test_order_and_how_sure_it_is() -> None:
    result = three()
    assert [scored.name for scored in result.systems][-1] == "coin"
    assert result.ranking.names[-1] == "blurred"
    assert set(result.ranking.names[:2]) == {"truth", "nearly"}
    assert result.ranking.tied == (result.ranking.names[1],)
    assert math.isclose(sum(result.ranking.best), 1.0)
    behind = result.ranking.behind[2]
    assert behind is not None
    assert behind.clear
    assert behind.estimate > 0.0
    assert [part.name for part in result.subsets] == ["representative", "late"]


def test_every_metric_ranks_and_positive_means_better() -> None:
    result = three()
    metrics = {("representative", metric) for metric in ("log_likelihood", "brier", "accuracy")}
    assert set(result.bootstraps) == {*metrics, ("late", "log_likelihood")}
    for _, metric in metrics:
        difference = result.difference("truth", "coin", metric=metric)
        assert difference.estimate > 0.0
        assert difference.clear
    assert result.ranking_by("brier").names[-1] == "blurred"


def test_difference_is_that_of_the_means() -> None:
    result = three()
    expected = result["truth"].metrics["late"].log_likelihood
    expected -= result["blurred"].metrics["late"].log_likelihood
    assert_allclose(result.difference("truth", "blurred", subset="late").estimate, expected)


def test_an_impossible_result_ranks_last_and_is_said() -> None:
    score = np.array([1.0, 0.0] * 30)
    bold = np.array([1.0, 0.0] * 29 + [0.0, 0.0])
    result = compare([Prediction("bold", bold), Prediction("meek", np.full(60, 0.5))], score)
    assert result.ranking.names == ("meek", "bold")
    assert result.ranking.behind == (None, None)
    assert "bold gave a result that occurred a probability of 0" in result.notes[0]
    assert result.ranking_by("brier").names[0] == "bold"


def test_wrong_use() -> None:
    one = Prediction("one", np.array([0.5, 0.5]))
    with pytest.raises(UsageError, match="the metric is"):
        compare([one], [1, 0], metric="elo")
    with pytest.raises(UsageError, match="same name"):
        compare([one, one], [1, 0])
    with pytest.raises(InputError, match="2 predictions for 3 games"):
        compare([one], [1, 0, 1])
    with pytest.raises(UsageError, match="no system"):
        compare([], [1])
    with pytest.raises(NoGamesError):
        compare([Prediction("none", np.zeros(0))], [])
    with pytest.raises(UsageError, match="both players"):
        compare([one], [1, 0], first=np.array([0, 1], np.int32))
    with pytest.raises(UsageError, match="another metric"):
        compare([one], [1, 0], metric="three_way")
    few = compare([one], [1, 0])
    assert not few.bootstraps
    with pytest.raises(UsageError, match="there is no "):
        few.ranking_by("log_likelihood")
    with pytest.raises(UsageError, match="no system 'two'"):
        few["two"]


def test_draw_rate_is_found_again() -> None:
    generator = np.random.default_rng(3)
    expected = generator.uniform(0.2, 0.8, 40_000)
    win, draw, _ = win_draw_loss(expected, 0.35)
    u = generator.random(len(expected))
    score = np.where(u < win, 1.0, np.where(u < win + draw, 0.5, 0.0))
    assert fit_draw_rate(score, expected) == pytest.approx(0.35, abs=0.01)
    assert fit_draw_rate([1, 0], [0.5, 0.5]) == 0.0


@pytest.mark.filterwarnings("ignore::yardstone.errors.SkippedWarning")
def test_the_untuned_run_is_among_the_trials() -> None:
    """With its advantage of moving first, where that helps on the earlier games."""
    pool = yardstone.read(EXAMPLES / "tcec.pgn.gz", times=True)
    untuned = evaluate(pool, ["elo"], replicates=0)
    tuned = evaluate(pool, ["elo"], tune=1, replicates=0)
    assert untuned.advantages["elo"] > 20.0
    assert tuned["elo"].prediction.parameters == untuned["elo"].prediction.parameters
    assert tuned["elo"].value("log_likelihood") == untuned["elo"].value("log_likelihood")
    assert "1 trial per system, the untuned one among them." in str(tuned)


def test_evaluate_predicts_only_later_games_and_only_from_earlier_ones() -> None:
    """Changing later results changes no earlier prediction, and no tuned parameter."""
    pool = played(2000, 40, 1, draws=0.2)
    result = evaluate(pool, ["elo"], train_share=0.5, tune=4, replicates=0, gap_edges=())
    score = pool.score.copy()
    score[-1] = 1.0 - score[-1] if score[-1] != 0.5 else 1.0
    other = Pool(pool.players, pool.first, pool.second, score, pool.time)
    again = evaluate(other, ["elo"], train_share=0.5, tune=4, replicates=0, gap_edges=())
    assert np.array_equal(result["elo"].prediction.expected, again["elo"].prediction.expected)
    assert result["elo"].prediction.parameters == again["elo"].prediction.parameters
    assert result.games == 1000
    assert result.earlier == 1000
    assert result["elo"].value("three_way") is not None


def test_evaluate_is_the_replay_measured() -> None:
    pool = played(1500, 30, 2)
    result = evaluate(pool, {"mine": Elo(k=25.0)}, train_share=0.6, replicates=50, tune=3)
    expected = Elo(k=25.0).replay(pool).expected
    measured = dataclasses.asdict(measure(pool.score[900:], expected[900:]))
    assert dataclasses.asdict(result["mine"].metrics["representative"]) == pytest.approx(
        measured, nan_ok=True
    )
    assert result["mine"].prediction.parameters == {"k": 25.0}
    names = [part.name for part in result.subsets]
    assert names[0] == "representative"
    assert "gap 0-50" in names
    assert result.period == (pool.time[900], pool.time[-1])  # type: ignore[index]


def test_tuning_improves_on_the_earlier_games_and_is_repeatable() -> None:
    pool = played(3000, 40, 5, spread=300.0)
    entry = find_system("elo")
    one = tune(entry, pool, 12, seed=3)
    two = tune(entry, pool, 12, seed=3)
    assert one == two
    untuned = tune(entry, pool, 1)
    assert untuned.parameters == {}
    assert one.value > untuned.value
    assert one.trials == 12


def test_tuning_counts_only_scored_games_and_can_be_cut_short() -> None:
    pool = played(400, 20, 6)
    entry = find_system("elo")
    scored = np.arange(400) % 2 == 0
    assert tune(entry, pool, 2, scored=scored).value != tune(entry, pool, 2).value
    assert tune(entry, pool, 500, seconds=0.0).trials < 500
    with pytest.raises(UsageError, match="too few"):
        tune(entry, pool, 2, scored=np.zeros(400, np.bool_))
    with pytest.raises(UsageError, match="0 or more"):
        tune(entry, pool, -1)


def test_a_system_that_refuses_every_trial() -> None:
    entry = SystemEntry("bad", "", "elo:Elo", (), {"period": "event"})
    pool = played(50, 5, 0)
    bare = Pool(pool.players, pool.first, pool.second, pool.score, pool.time)
    with pytest.raises(ModelError, match="no set of parameters could be used"):
        tune(entry, bare, 2)


def test_without_optuna_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'yardstone\[tune\]'"):
        tune(find_system("elo"), played(50, 5, 0), 1)


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_every_system_can_be_made_at_both_ends_of_every_knob(name: str) -> None:
    entry = find_system(name)
    pool = with_needed(played(60, 6, 8), name)
    for end in ("low", "high"):
        system = entry.make(**{knob.name: getattr(knob, end) for knob in entry.knobs})
        expected = system.replay(pool).expected
        assert ((expected >= 0.0) & (expected <= 1.0)).all()


def test_unknown_systems() -> None:
    with pytest.raises(UsageError, match="there is no system 'elk': there are elo"):
        find_system("elk")
    with pytest.raises(UsageError, match="list of systems"):
        evaluate(played(50, 5, 0), "elo")


def test_games_that_cannot_be_judged_are_left_out_and_said() -> None:
    pool = played(300, 10, 9)
    assert pool.time is not None
    time = pool.time.copy()
    time[[3, 7]] = np.datetime64("NaT")
    second = pool.second.copy()
    second[0] = pool.first[0]
    spoiled = Pool(pool.players, pool.first, second, pool.score, time)
    result = evaluate(spoiled, ["elo"], replicates=0)
    assert result.games + result.earlier == 297
    assert "1 game of a player against himself was left out." in result.notes
    assert "2 games without a date were left out." in result.notes


def test_groups_and_dates() -> None:
    pool = played(1000, 20, 10)
    result = evaluate(
        pool,
        ["elo"],
        replicates=0,
        gap_edges=(),
        since_dates=[np.datetime64("2020-11-01")],
        group_by="event",
    )
    names = [part.name for part in result.subsets]
    assert "since 2020-11-01" in names
    assert sum(name.startswith("event ") for name in names) == 60
    with pytest.raises(InputError, match="no column 'place'"):
        evaluate(pool, ["elo"], group_by="place")


def test_the_intervals_of_a_verdict_hold_together() -> None:
    """Three systems of known mean differences: all leads of the best at once, in 95 of 100."""
    held = 0
    pools = 120
    for seed in range(pools):
        generator = np.random.default_rng(seed)
        first = generator.integers(0, 30, 500)
        second = (first + 1 + generator.integers(0, 29, 500)) % 30
        each = generator.normal(0.0, 0.3, (3, 30))
        means = np.array([0.0, -0.1, -0.2])
        noise = generator.normal(size=(3, 500))
        values = means[:, None] + each[:, first] + each[:, second] + noise
        players = first.astype(np.int32), second.astype(np.int32)
        names = ("a", "b", "c")
        drawn = bootstrap(values, *players, replicates=200, seed=seed)
        plain = three(100)
        evaluation = dataclasses.replace(
            plain,
            systems=tuple(
                dataclasses.replace(
                    plain.systems[0],
                    prediction=dataclasses.replace(plain.systems[0].prediction, name=name),
                )
                for name in names
            ),
            bootstraps={("representative", "log_likelihood"): (names, drawn)},
        )
        order = evaluation.ranking
        truth = dict(zip(names, means, strict=True))
        right = [
            ends is None or ends[0] <= truth[order.names[0]] - truth[name] <= ends[1]
            for name, ends in zip(order.names, order.together, strict=True)
        ]
        wrong_order = [pair for pair in order.apart if truth[pair[0]] <= truth[pair[1]]]
        held += all(right) and not wrong_order
    assert held >= 0.90 * pools
