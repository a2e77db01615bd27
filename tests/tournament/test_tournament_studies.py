"""The studies count what they say they count, and equal seeds give equal answers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tournament.test_simulate import a_plan, as_tournament
from yardstone.errors import UsageError
from yardstone.lab.tournaments.pairing_quality import (
    Circuit,
    Quality,
    Variant,
    _egf_after,
    _figures,
    compare_quality,
    measure_quality,
)
from yardstone.lab.tournaments.tiebreaks import (
    DIRECT,
    TournamentSetting,
    _answers,
    compare_tiebreaks,
)
from yardstone.lab.tournaments.weight_search import search_weights
from yardstone.reports.faces.text import document_text
from yardstone.reports.tournament.pairing_quality import quality_document
from yardstone.reports.tournament.tiebreaks import ties_document
from yardstone.tournament.model import System
from yardstone.tournament.simulation import play
from yardstone.tournament.standings_table import standings
from yardstone.tournament.winning_laws import winning_law

KANIUK = winning_law("kaniuk")
SMALL = TournamentSetting(players=20, rounds=4, lowest=-8)
CIRCUIT = Circuit(population=24, players=12, rounds=3, tournaments=6, lowest=-6)


@pytest.mark.parametrize("among", ["all", "same-start", "top"])
def test_answers_are_those_of_a_plain_count(among: str) -> None:
    plan = a_plan(24, 4)
    scores, strength = play(plan, np.random.default_rng(7))
    names = ("SOS", "SODOS", DIRECT, "RATING")
    found = _answers(scores, strength, names, among=among)
    whole = as_tournament(scores)
    table = standings(whole, criteria="mms,sos,sodos,rating", everybody=True)
    value = {int(row): table.values[k] for k, row in enumerate(table.order)}
    won = {(g.first, g.second): g.result.points[0] - g.result.points[1] for g in whole.games}
    best = max(v[0] for v in value.values())
    counts = np.zeros((4, 3), int)
    for a in range(24):
        for b in range(a):
            if value[a][0] != value[b][0] or (among == "top" and value[a][0] != best):
                continue
            if among == "same-start" and scores.mms2[a, 0] != scores.mms2[b, 0]:
                continue
            truth = strength[a] - strength[b]
            met = won.get((a, b), 0) - won.get((b, a), 0)
            answers = [value[a][1] - value[b][1], value[a][2] - value[b][2], met,
                       value[a][3] - value[b][3]]  # fmt: skip
            for place, answer in enumerate(answers):
                sign = np.sign(answer) * np.sign(truth)
                counts[place, 0 if sign > 0 else 1 if sign < 0 else 2] += 1
    np.testing.assert_array_equal(found[0], counts)
    equal = _answers(scores, strength, names, among="same-start")
    np.testing.assert_array_equal(equal[0], equal[1])
    assert (found[1] <= found[0]).all()
    if among == "all":
        np.testing.assert_array_equal(found[1], equal[0])


def test_conclusions_come_from_pairs_who_began_equal() -> None:
    """Among all pairs SODOS and EXR lose to a lot only because they count wins twice."""
    found = compare_tiebreaks(
        KANIUK, SMALL, candidates=("SOS", "SODOS", "RATING"), tournaments=40, seed=1, workers=1
    )
    fair = found.fair
    assert fair is not None
    assert 0 < fair.pairs < found.scores[0].pairs
    again = compare_tiebreaks(
        KANIUK,
        SMALL,
        candidates=("SOS", "SODOS", "RATING"),
        tournaments=40,
        among="same-start",
        seed=1,
        workers=1,
    )
    place = [score.name for score in found.scores]
    for score in again.scores:
        assert fair.value[place.index(score.name)] == pytest.approx(score.value)
        assert fair.error(place.index(score.name)) == pytest.approx(score.error, rel=0.1)
    sodos = next(score for score in found.scores if score.name == "SODOS")
    assert sodos.value + 3 * sodos.error < 0.5
    text = document_text(ties_document(found))
    assert "began with different scores" in text
    assert "Significantly worse than drawing lots" not in text


def test_verdicts_allow_for_their_number() -> None:
    """One in 30 by chance is believed of a single comparison, and not of ten."""

    def quality(name: str, ahead: float) -> Quality:
        return Quality(name, 100.0, 1.0, 0.0, 0.0, ahead, 1.0, 200, np.zeros(2))

    def text_of(qualities: list[Quality]) -> str:
        return document_text(quality_document(qualities, CIRCUIT, win="kaniuk"))

    base, better = quality("usual", 0.0), quality("better", -2.15)
    alone = text_of([base, better])
    among = [base, better, *(quality(f"no {number}", 0.1) for number in range(9))]
    assert "Significantly better than usual: better." in alone
    assert "Surely better" not in text_of(among)
    assert "Significantly better than usual: best." in text_of([*among, quality("best", -4.0)])


def test_grades_without_spread_are_never_wrong() -> None:
    setting = TournamentSetting(players=20, rounds=4, lowest=-8, spread=0.0)
    found = compare_tiebreaks(
        KANIUK, setting, candidates=["SOS", "RATING"], tournaments=30, workers=1
    )
    rating = next(score for score in found.scores if score.name == "RATING")
    assert rating.wrong == 0
    assert rating.right > 0
    assert rating.right_of_decided == 1.0


def test_tie_breaks_are_compared_with_the_first() -> None:
    one, two = (
        compare_tiebreaks(KANIUK, SMALL, tournaments=45, seed=3, workers=workers)
        for workers in (1, 2)
    )
    assert one == two
    base = next(score for score in one.scores if score.name == "SOS")
    assert (base.ahead, base.ahead_error) == (0.0, 0.0)
    for score in one.scores:
        assert score.pairs == base.pairs
        assert score.value == pytest.approx((score.right + score.tied / 2) / score.pairs)
    assert [s.value for s in one.scores] == sorted((s.value for s in one.scores), reverse=True)


def test_the_error_of_a_share_is_that_of_repeated_studies() -> None:
    runs = [
        compare_tiebreaks(
            KANIUK, SMALL, candidates=["SOS"], tournaments=20, seed=seed, workers=1
        ).scores[0]
        for seed in range(24)
    ]
    spread = np.std([run.value for run in runs], ddof=1)
    error = np.sqrt(np.mean([run.error**2 for run in runs]))
    assert 0.55 < error / spread < 1.8


@pytest.mark.parametrize(
    "wrong",
    [
        {"candidates": []},
        {"candidates": ["DC"]},
        {"candidates": ["nothing"]},
        {"tournaments": 1},
        {"among": "some"},
    ],
)
def test_no_such_comparison(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        compare_tiebreaks(KANIUK, SMALL, **wrong)  # type: ignore[arg-type]


def test_ratings_after_a_tournament_follow_the_published_formula() -> None:
    scores, _ = play(a_plan(12, 4), np.random.default_rng(5))
    before = np.linspace(1200.0, 2300.0, 12)
    after = _egf_after(scores, before, 0.5)
    beta = -7.0 * np.log(3300.0 - before)
    for row in range(12):
        change = 0.0
        for column in range(4):
            other = scores.opponent[row, column]
            expected = 1.0 / (1.0 + np.exp(beta[other] - beta[row]))
            score = scores.points2[row, column] / 2
            con = ((3300.0 - before[row]) / 200.0) ** 1.6
            bonus = np.log1p(np.exp((2300.0 - before[row]) / 80.0)) / 5.0
            change += 0.5 * (con * (score - expected) + bonus)
        assert after[row] == pytest.approx(before[row] + change, abs=1e-9)


def test_figures_of_quality() -> None:
    measured = np.array([1010.0, 990.0, 2030.0, 2010.0])
    true = np.array([1000.0, 1000.0, 2000.0, 2000.0])
    rms, drift, scatter = _figures(measured, true)
    assert rms == pytest.approx(np.sqrt((100 + 100 + 900 + 100) / 4))
    assert drift == pytest.approx(10.0)
    assert scatter == pytest.approx(np.sqrt(400.0 / 2))


def test_quality_is_measured_on_the_same_populations() -> None:
    variants = [
        Variant(name="usual"),
        Variant(name="the same"),
        Variant(name="swiss", system=System.swiss),
    ]
    one, two = (
        compare_quality(variants, KANIUK, CIRCUIT, replicates=3, seed=5, workers=workers)
        for workers in (1, 2)
    )
    for a, b in zip(one, two, strict=True):
        assert (a.name, a.rms, a.error, a.ahead) == (b.name, b.rms, b.error, b.ahead)
    usual, same, swiss = one
    assert same.ahead == 0.0
    assert usual.rms == same.rms != swiss.rms
    assert len(usual.course) == 6
    assert usual.rms == pytest.approx(usual.course[3:].mean(), rel=0.2)


def test_ratings_begin_at_the_truth_and_leave_it() -> None:
    _, course = measure_quality(Variant(name="usual"), KANIUK, CIRCUIT, np.random.default_rng(2))
    assert 0.0 < course[0] < course[-1]


def test_a_search_begins_with_the_usual_rules() -> None:
    found = search_weights(KANIUK, CIRCUIT, trials=3, replicates=2, confirm=2, seed=4, workers=1)
    first = found.trials[0]
    assert first.bar == 2
    assert first.changes["maximise_seeding"] == pytest.approx(5_000_000)
    assert first.changes["nx1_factor"] == 0.5
    assert first.changes["seed_system_2"] == "fold"
    (usual,) = compare_quality(
        [Variant(name="usual")], KANIUK, CIRCUIT, replicates=2, seed=4, workers=1
    )
    assert first.rms == pytest.approx(usual.rms, rel=1e-9)
    lowest = min(found.trials, key=lambda trial: trial.rms)
    assert found.best.bar == lowest.bar
    assert [each.name for each in found.confirmed] == ["usual", "best found"]


def test_no_such_study() -> None:
    with pytest.raises(UsageError):
        compare_quality([], KANIUK, CIRCUIT)
    with pytest.raises(UsageError):
        compare_quality([Variant(name="usual")], KANIUK, CIRCUIT, replicates=1)
    with pytest.raises(UsageError):
        search_weights(KANIUK, CIRCUIT, trials=0)
    with pytest.raises(UsageError):
        search_weights(KANIUK, CIRCUIT, start=Variant(name="r", system=System.round_robin))
    with pytest.raises(UsageError):
        Circuit(population=10, players=20)
