"""The studies count what they say they count, and equal seeds give equal answers."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.tests.refusals import refuse
from tests.tournament.test_simulate import a_plan, as_tournament
from yardstone import parallel
from yardstone.errors import UsageError
from yardstone.reports.text import document_text
from yardstone.tournament import System, standings
from yardstone.tournament.field import winning_law
from yardstone.tournament.simulation import play
from yardstone_lab.reports.tournament import (
    CAUTION,
    quality_document,
    search_document,
    ties_document,
)
from yardstone_lab.tournaments import pairing as studies
from yardstone_lab.tournaments import tiebreaks as ties
from yardstone_lab.tournaments.pairing import (
    Circuit,
    EventQuality,
    SingleEvents,
    Variant,
    compare_quality,
    search_weights,
)
from yardstone_lab.tournaments.tiebreaks import DIRECT, TournamentSetting, compare_tiebreaks

Array = NDArray[np.float64]
KANIUK = winning_law("kaniuk")
USUAL = Variant(name="usual")
ROBIN = Variant(name="robin", system=System.round_robin)
SMALL = TournamentSetting(players=20, rounds=4, lowest=-8)
EVENTS = SingleEvents(players=24, rounds=4, lowest=-6)
CIRCUIT = Circuit(population=24, players=12, rounds=3, tournaments=6, lowest=-6)


@pytest.mark.parametrize("among", ["all", "same-start", "top"])
def test_answers_are_those_of_a_plain_count(among: str) -> None:
    scores, strength = play(a_plan(24, 4), np.random.default_rng(7))
    names = ("SOS", "SODOS", DIRECT, "RATING")
    result = ties._answers(scores, strength, names, among=among)
    whole = as_tournament(scores)
    table = standings(whole, criteria="mms,sos,sodos,rating", everybody=True)
    value = {int(row): np.array(table.values[k]) for k, row in enumerate(table.order)}
    won = {(g.first, g.second): g.result.points[0] - g.result.points[1] for g in whole.games}
    best = max(v[0] for v in value.values())
    counts = np.zeros((2, 4, 3), int)  # of the chosen pairs, and of those who began equal
    for a, b in combinations(range(24), 2):
        equal = scores.mms2[a, 0] == scores.mms2[b, 0]
        if value[a][0] != value[b][0] or (among == "top" and value[a][0] != best):
            continue
        met = won.get((a, b), 0) - won.get((b, a), 0)
        ahead = value[a] - value[b]
        sign = np.sign([ahead[1], ahead[2], met, ahead[3]]) * np.sign(strength[a] - strength[b])
        for part, chosen in enumerate((equal or among != "same-start", equal)):
            counts[part, range(4), np.array([2, 0, 1])[sign.astype(int)]] += chosen
    np.testing.assert_array_equal(np.array(result), counts)


def test_tie_breaks_are_compared_with_the_first_on_any_number_of_workers() -> None:
    """Among all pairs SODOS and EXR lose to a lot only because they count wins twice."""
    options: dict[str, Any] = {"candidates": ("SOS", "SODOS", "RATING"), "seed": 1}
    result = compare_tiebreaks(KANIUK, SMALL, tournaments=40, **options)
    with parallel.context(workers=2):
        assert compare_tiebreaks(KANIUK, SMALL, tournaments=40, **options) == result
    again = compare_tiebreaks(KANIUK, SMALL, tournaments=40, among="same-start", **options)
    place, fair = [score.name for score in result.scores], result.fair
    base = result.scores[place.index("SOS")]
    assert (base.ahead, base.ahead_error) == (0.0, 0.0)
    assert fair is not None
    assert 0 < fair.pairs < base.pairs
    for score in result.scores:
        assert score.pairs == base.pairs
        assert score.value == pytest.approx((score.right + score.tied / 2) / score.pairs)
    assert [s.value for s in result.scores] == sorted(
        (s.value for s in result.scores), reverse=True
    )
    for score in again.scores:
        assert fair.value[place.index(score.name)] == pytest.approx(score.value)
        assert fair.error(place.index(score.name)) == pytest.approx(score.error, rel=0.1)
    sodos = result.scores[place.index("SODOS")]
    assert sodos.value + 3 * sodos.error < 0.5
    text = document_text(ties_document(result))
    assert "began with different scores" in text
    assert "Significantly worse than drawing lots" not in text


def test_verdicts_allow_for_their_number() -> None:
    """One in 30 by chance is believed of a single comparison, and not of ten."""

    def text_of(**ahead: float) -> str:
        qualities = [
            EventQuality(name=name, rms=0.8, error=0.01, ahead=by, ahead_error=1e-3, entry=0.9,
                         replicates=200, order=0.6, order_error=0.01, order_ahead=-10 * max(by, 0),
                         order_ahead_error=0.01, pairs=1000)
            for name, by in {"usual": 0.0, **ahead}.items()
        ]  # fmt: skip
        return document_text(quality_document(qualities, EVENTS, win="kaniuk"))

    others = {f"no{number}": 1e-4 for number in range(9)}
    more = "The games tell significantly more of strengths than with usual: "
    assert f"{more}better." in text_of(better=-2.5e-3)
    assert more not in text_of(better=-2.5e-3, **others)
    assert f"{more}best." in text_of(better=-2.5e-3, **others, best=-4e-3)
    worse = text_of(blind=5e-3)
    assert "significantly less of strengths than with usual: blind." in worse
    assert "The standings order players significantly worse than with usual: blind." in worse
    assert "Not distinguishable from usual in either: better." in text_of(better=1e-3)


def test_ratings_after_a_tournament_follow_the_published_formula() -> None:
    scores, _ = play(a_plan(12, 4), np.random.default_rng(5))
    before = np.linspace(1200.0, 2300.0, 12)
    after = studies._egf_after(scores, before, 0.5)
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


def test_figures_of_kaniuks_quality() -> None:
    measured = np.array([1010.0, 990.0, 2030.0, 2010.0])
    true = np.array([1000.0, 1000.0, 2000.0, 2000.0])
    wanted = np.sqrt([300.0, 100.0, 200.0, 200.0])  # of squares, drift, centred, within grades
    assert studies._figures(measured, true) == pytest.approx(wanted)


@pytest.mark.parametrize("measure", [EVENTS, CIRCUIT], ids=["events", "circuit"])
def test_quality_is_measured_on_the_same_players_and_a_search_begins_with_the_usual_rules(
    measure: SingleEvents | Circuit,
) -> None:
    variants = [USUAL, Variant(name="the same"), Variant(name="swiss", system=System.swiss)]
    usual, same, swiss = compare_quality(variants, KANIUK, measure, replicates=2, seed=4)
    assert same.ahead == same.ahead_error == 0.0
    assert usual.rms == same.rms != swiss.rms
    result = search_weights(KANIUK, measure, trials=3, replicates=2, confirm=2, seed=4)
    first = result.trials[0]
    assert (first.bar, first.changes["maximise_seeding"]) == (2, pytest.approx(5_000_000))
    assert (first.changes["nx1_factor"], first.changes["seed_system_2"]) == (0.5, "fold")
    assert first.rms == pytest.approx(usual.rms, rel=1e-9)
    assert result.best.bar == min(result.trials, key=lambda trial: trial.rms).bar
    assert [each.name for each in result.confirmed] == ["usual", "best found"]
    text = document_text(search_document(result, measure, win="kaniuk"))
    assert "On fresh players: usual rules" in text
    assert ("No conclusion on pairing" in text) == (measure is CIRCUIT)
    text = document_text(quality_document([usual], measure, win="kaniuk"))
    assert (CAUTION.split(":")[0] in " ".join(text.split())) == (measure is CIRCUIT)
    if isinstance(usual, studies.CircuitQuality):  # ratings begin at the truth and leave it
        assert len(usual.course) == 6
        assert 0.0 < usual.course[0] < usual.course[-1]
        assert usual.rms == pytest.approx(usual.course[3:].mean())


def test_nothing_is_learnt_from_lots() -> None:
    """Where games say nothing the estimate is the grade."""

    def lots(first: Array, second: Array, stones: Array) -> tuple[Array, Array]:
        return np.full(first.shape, 0.5), np.zeros(first.shape)

    (blind,) = compare_quality([ROBIN], lots, EVENTS, replicates=4)
    assert (blind.rms, blind.explained) == pytest.approx((blind.entry, 0.0), abs=1e-9)


def test_no_such_study() -> None:
    ties_of = partial(compare_tiebreaks, KANIUK, SMALL)
    wrongs: list[dict[str, Any]] = [
        *({"candidates": names} for names in ([], ["DC"], ["no"])),
        {"tournaments": 1}, {"among": "some"},
    ]  # fmt: skip
    search = partial(search_weights, KANIUK, EVENTS, replicates=2, confirm=2)
    refuse(
        *((partial(ties_of, **wrong), UsageError, "") for wrong in wrongs),
        *(
            (partial(search, **wrong), UsageError, "")
            for wrong in ({"trials": 0}, {"start": ROBIN})
        ),
        (lambda: compare_quality([], KANIUK, CIRCUIT, replicates=2), UsageError, ""),
        (lambda: compare_quality([USUAL], KANIUK, CIRCUIT, replicates=1), UsageError, ""),
        (lambda: Circuit(population=10, players=20), UsageError, ""),
        (lambda: SingleEvents(spread=0.0), UsageError, ""),
        (lambda: SingleEvents(players=1), UsageError, ""),
    )
