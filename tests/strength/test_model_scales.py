"""A model of two scales: what each says, what is kept of it, and which tells a player best."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from tests.strength.rank_cases import WIDTH, model_of_two_scales, random_evidence, with_spread
from yardstone.errors import InputError, UsageError
from yardstone.strength.evidence import PHASES, no_evidence
from yardstone.strength.model import StrengthModel
from yardstone.strength.model_scale import ModelScale, ScoreSpread
from yardstone.strength.site_scales import EDGES
from yardstone.strength.strengths import (
    Rated,
    Rater,
    best_basis,
    contradictory,
    interval_tables,
    phase_means,
    supported_scales,
)

Array = NDArray[np.float64]


def plain_density(scale: ModelScale, statistics: Array) -> Array:
    """The same from normal densities of the mean score, strength by strength."""
    spread, edges = scale.spread, scale.edges
    counts, squares = statistics[:PHASES], statistics[PHASES]
    sums = np.array([statistics[PHASES + 1 + int(column)] for column in spread.columns])
    moves = counts.sum()
    whole = moves + float(spread.prior_moves)
    covariance = moves * spread.move + squares * spread.game + moves**2 * spread.player
    density = []
    for step in range(round((edges[-1] - edges[0]) / 0.05)):
        strength = edges[0] + 0.05 * (step + 0.5)
        group = max(k for k in range(len(edges) - 1) if strength >= edges[k])
        steps = round((edges[group + 1] - edges[group]) / 0.05)
        chance = 1.0
        if moves:
            factor = np.interp(strength, spread.knots, spread.scatter)
            mean = counts @ between_knots(spread, strength) / whole
            chance = multivariate_normal.pdf(sums / whole, mean, factor * covariance / whole**2)
        density.append(chance * scale.prior[group] / steps)
    return np.asarray(np.array(density) / np.sum(density))


def between_knots(spread: ScoreSpread, strength: float) -> Array:
    """On the straight line between two knots; beyond the last ones half as steep."""
    knots, usual = spread.knots, spread.usual
    if strength < knots[0]:
        slope = (usual[1] - usual[0]) / (knots[1] - knots[0])
        return np.asarray(usual[0] + 0.5 * slope * (strength - knots[0]))
    if strength > knots[-1]:
        slope = (usual[-1] - usual[-2]) / (knots[-1] - knots[-2])
        return np.asarray(usual[-1] + 0.5 * slope * (strength - knots[-1]))
    return np.array(
        [
            [np.interp(strength, knots, usual[:, phase, k]) for k in range(spread.width)]
            for phase in range(PHASES)
        ]
    )


def test_each_scale_has_a_density_of_its_own() -> None:
    """Of Fox without scatter, of OGS with one; each reads its own scores."""
    model = model_of_two_scales()
    each = model.game_statistics(random_evidence([40, 3, 95], seed=4))
    for name, scale in model.scales.items():
        for statistics in (each[1], each.sum(axis=0)):
            wanted = plain_density(scale, statistics)
            np.testing.assert_allclose(scale.density(statistics), wanted, rtol=1e-6, atol=1e-12)
        mean, deviation, shares = model.posterior(each, name)
        density = scale.density(each)
        middles = scale.edges[0] + 0.05 * (np.arange(density.shape[-1]) + 0.5)
        np.testing.assert_allclose(density @ middles, mean)
        variance = density @ middles**2 - mean**2
        np.testing.assert_allclose(deviation**2, variance, rtol=1e-6)
        groups = np.searchsorted(scale.edges, middles) - 1
        for group in range(len(scale.edges) - 1):
            wanted = density[:, groups == group].sum(axis=1)
            np.testing.assert_allclose(shares[:, group], wanted)
    assert model.scale() is model.scale("fox")


def test_without_a_move_each_scale_has_its_prior() -> None:
    model = model_of_two_scales()
    for name, scale in model.scales.items():
        score = model.score(no_evidence(6, games=1), name)
        np.testing.assert_allclose(score.probabilities, scale.prior / scale.prior.sum())
        middles = 0.5 * (scale.edges[:-1] + scale.edges[1:])
        assert score.mean == pytest.approx(scale.prior @ middles / scale.prior.sum())
        assert model.prior(name) == pytest.approx((score.mean, score.deviation))
        assert scale.distance(np.zeros(PHASES + 1 + WIDTH + 2)) == 0.0


@settings(max_examples=4, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=3), st.integers(0, 99))
def test_effects_of_moves_add_up_on_each_scale(lengths: list[int], seed: int) -> None:
    model, evidence = model_of_two_scales(seed), random_evidence(lengths, seed)
    whole = model.game_statistics(evidence).sum(axis=0)
    for name, scale in model.scales.items():
        spread = scale.spread
        start = whole.copy()
        columns = PHASES + 1 + spread.columns.astype(int)
        start[columns] = whole[:PHASES] @ between_knots(spread, model.prior(name)[0])
        change = model.posterior(whole, name)[0] - model.posterior(start, name)[0]
        width = scale.edges[-1] - scale.edges[0]
        effects = model.move_scores(evidence, name)
        assert effects.sum() == pytest.approx(change, abs=0.011 * width)


def test_both_scales_are_kept_in_the_file(tmp_path: Path) -> None:
    model, evidence = model_of_two_scales(), random_evidence([40, 21])
    model.save(tmp_path / "model.npz")
    again = StrengthModel.load(tmp_path / "model.npz")
    assert list(again.scales) == again.card["scales"] == ["fox", "ogs"]
    for name, scale in model.scales.items():
        other = again.scale(name)
        np.testing.assert_array_equal(other.edges, scale.edges)
        np.testing.assert_array_equal(other.prior, scale.prior)
        for part, value in scale.spread.arrays().items():
            np.testing.assert_array_equal(other.spread.arrays()[part], value)
        one, two = (each.move_scores(evidence, name) for each in (again, model))
        np.testing.assert_array_equal(one, two)


def test_a_scale_that_a_model_has_not() -> None:
    model, evidence = model_of_two_scales(), random_evidence([5])
    for ask in (
        lambda: model.scale("kgs"),
        lambda: model.score(evidence, "kgs"),
        lambda: model.move_scores(evidence, "kgs"),
        lambda: model.prior("kgs"),
        lambda: Rater(model, 0.9, "kgs"),
    ):
        with pytest.raises(UsageError, match=r"model random has no scale 'kgs', but fox, ogs$"):
            ask()
    with pytest.raises(UsageError, match=r"no scale 'ogs', but fox$"):
        with_spread(model, model.scale().spread).scale("ogs")
    with pytest.raises(ValueError, match="no scale"):
        StrengthModel(model.scorer, [], model.card)


GOOD = model_of_two_scales().scale("ogs").spread


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("scatter", [0.5, 0.8, 0.0, 1.6, 2.5], "a scatter that is none"),
        ("scatter", [0.5, 0.8, 0.0009, 1.6, 2.5], "a scatter that is none"),
        ("scatter", [0.5, 0.8, 1001.0, 1.6, 2.5], "a scatter that is none"),
        ("scatter", [1.0] * 4, r"scatter is of shape \(4,\), not \(5,\)"),
        ("scatter", 1.0, r"scatter is of shape \(\), not \(5,\)"),
        ("columns", [1.0, 1.0], "a score that the model has not"),
        ("columns", [0.0, 5.0], "a score that the model has not"),
        ("columns", [-1.0, 1.0], "a score that the model has not"),
        ("columns", [0.5, 1.0], "a score that the model has not"),
        ("columns", [0.0, 1.0, 2.0], "usual is of shape"),
        ("columns", [], "no scores"), ("columns", [[0.0], [0.0]], "no scores"),
        ("knots", [-30.0, -20.0, -20.0, -3.0, 5.0], "knots that do not grow"),
        ("knots", [1.0], "fewer than two knots"),
        ("knots", [-30.0, -20.0, -10.0, -3.0, 100.1], "of no rank"),
        ("knots", [-30.0, -20.0, -10.0, -3.0, -2.951], "knots that do not grow"),
        ("move", [[1.0, 0.5], [0.4, 1.0]], "a covariance is none"),
        ("game", [[1.0, 2.0], [2.0, 1.0]], "a covariance is none"),
        ("player", [[1.0, 2.0], [2.0, 1.0]], "a covariance is none"),
        ("move", [[1.0, 1.0]] * 2, "the spread of moves is none"),
        ("prior_moves", -0.1, "the spread of moves is none"),
    ],
)  # fmt: skip
def test_a_spread_that_cannot_be(name: str, value: Any, words: str) -> None:
    edge = {"scatter": np.array([0.001, 1000.0, 1.0, 1.0, 1.0]), "prior_moves": np.array(0.0)}
    edge |= {"knots": np.array([-100.0, -20.0, -10.0, -9.949, 100.0]), "game": np.zeros((2, 2))}
    assert ScoreSpread.from_arrays({**GOOD.arrays(), **edge}, WIDTH + 2).width == 2
    with pytest.raises(ValueError, match=words):
        ScoreSpread.from_arrays({**GOOD.arrays(), name: np.array(value)}, WIDTH + 2)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"edges": [-4.0, -1.0, -1.0, 9.0]}, "do not grow"),
        ({"edges": [-4.0, 9.0]}, "do not grow"), ({"edges": [-4.0, 9.0, 9.04]}, "do not grow"),
        ({"edges": [[-4.0, -1.0, 9.0]]}, "do not grow"), ({"edges": [-100.1, -1, 9]}, "no ranks"),
        ({"prior": [0.1] * 10}, "without a probability"),
        ({"prior": [0.0, *[0.1] * 10]}, "without a probability"),
    ],
)  # fmt: skip
def test_a_scale_that_cannot_be(changed: dict[str, Any], words: str) -> None:
    arrays: dict[str, Any] = {name: np.array(values) for name, values in changed.items()}
    with pytest.raises(ValueError, match=words):
        replace(model_of_two_scales().scale("fox"), **arrays)


def test_intervals_are_kept_by_scale() -> None:
    """What was fitted on one scale is not taken for the other."""
    model = model_of_two_scales()
    tables = interval_tables(model, "ogs")
    assert tables["whole"].ends.tolist() == [-34.0, -24.0, 3.0, 10.0]
    narrow = replace(tables["whole"], at=np.full_like(tables["whole"].at, 0.5))
    model.card["intervals"] = {"ogs": dict.fromkeys(tables, narrow.as_dict())}
    assert interval_tables(model, "ogs")["whole"].at.max() == 0.5
    assert interval_tables(model, "fox")["whole"].at.max() > 0.99
    assert interval_tables(model, "fox")["whole"].ends.tolist() == [*EDGES[:2], *EDGES[-2:]]


def test_an_interval_holds_its_rating_and_ends_where_nobody_is_like_that() -> None:
    model = model_of_two_scales()
    statistics = model.game_statistics(random_evidence([30]))[0]
    scale = model.scale("ogs")
    density, distance = scale.density(statistics), float(scale.distance(statistics))
    mean = float(scale.moments(density)[0])
    table = interval_tables(model, "ogs")["whole"]
    low, high = table.interval(density, 30, 0.5)
    rated = Rater(model, 0.5, "ogs").rate(statistics)
    assert rated == Rated(mean, low, high, 30)
    assert rated.ranked
    assert not replace(rated, moves=29).ranked
    told = Rater(model, 0.5, "ogs").rate(statistics, mean=9.9)  # beyond the end
    assert (told.rating, told.low, told.high) == (9.9, low, None if high is None else 9.9)
    told = Rater(model, 0.5, "ogs").rate(statistics, mean=-33.0)
    assert (told.low, told.high) == (None if low is None else -33.0, high)
    for farthest, unlikely in ((distance - 1e-6, True), (distance + 1e-6, False)):
        model.card["farthest"] = {"ogs": {"whole": farthest}}
        found = Rater(model, 0.5, "ogs").rate(statistics)
        assert found == (Rated(mean, None, None, 30, True) if unlikely else rated)
        assert not Rater(model, 0.5, "ogs").rate(statistics, part="opening").unlikely
    model.card["intervals"] = {"ogs": {"whole": table.as_dict()}}
    with pytest.raises(InputError, match="of another version"):
        Rater(model, 0.5, "ogs")


def test_levels_are_supported_where_enough_players_speak_for_them() -> None:
    model = model_of_two_scales()
    tables = interval_tables(model, "fox")
    few = {name: replace(each, players=np.array([40])).as_dict() for name, each in tables.items()}
    model.card["intervals"] = {"fox": few}
    assert supported_scales(model, 0.9) == ["fox", "ogs"]
    assert supported_scales(model, 0.95) == ["ogs"]
    model.card["intervals"] = {"fox": few, "ogs": few}
    with pytest.raises(UsageError, match="nothing is known of intervals of 95 %"):
        supported_scales(model, 0.95)


def test_phases_say_what_all_moves_would_if_they_looked_so() -> None:
    """Of players who are told exactly, each phase as those of another strength usually do."""
    model = model_of_two_scales()
    narrow = {"move": 1e-4 * np.eye(2), "game": np.zeros((2, 2)), "player": np.zeros((2, 2))}
    steady = np.linspace(-1.0, 1.0, 5)[:, None, None] * np.ones((PHASES, 2))
    spread = replace(GOOD, **narrow, usual=steady, scatter=np.ones(5), prior_moves=np.array(0.0))
    scale = replace(model.scale("ogs"), spread=spread)
    counts = np.array([10.0, 20.0, 15.0, 30.0, 0.0])
    columns = PHASES + 1 + spread.columns.astype(int)
    strengths = (-25.0, -12.0, -5.0, -12.0)
    parts = np.zeros((6, PHASES + 1 + WIDTH + 2))
    for phase, strength in enumerate(strengths):
        parts[phase, phase] = counts[phase]
        parts[phase, columns] = counts[phase] * between_knots(spread, strength)[phase]
    whole = parts.sum(axis=0)
    whole[PHASES] = counts.sum() ** 2
    parts[5] = whole
    means = phase_means(scale, parts, whole)
    mean = float(scale.moments(scale.density(whole))[0])
    assert means == pytest.approx([*strengths, mean, mean], abs=0.06)
    nothing = np.zeros_like(whole)
    usual = model.scale("ogs")
    assert phase_means(usual, parts, nothing) == pytest.approx([usual.medium] * 6)


def rated(rating: float, *, unlikely: bool = False) -> Rated:
    return Rated(rating, rating - 1.0, rating + 1.0, 100, unlikely)


@pytest.mark.parametrize(
    ("fox", "ogs", "basis", "apart"),
    [
        (rated(3.0), rated(-3.0), "fox", False), (rated(-1.0), rated(-6.0), "fox", False),
        # In the weakest group of Fox.
        (rated(-1.01), rated(-12.0), "ogs", False),
        (rated(-1.01), rated(-12.0, unlikely=True), "ogs", True),
        (rated(3.0, unlikely=True), rated(-12.0), "ogs", False),
        # Players of 3 dan and a half score -2.8 at OGS, and 1.75 less is too far.
        (rated(3.5), rated(-4.54), "fox", False), (rated(3.5), rated(-4.56), "fox", True),
        (rated(4.0), rated(-2.35 - 1.74), "fox", False),
        (rated(4.0), rated(-2.35 - 1.76), "fox", True),
        # Of the strongest OGS has hardly anybody to compare with.
        (rated(7.99), rated(4.0, unlikely=True), "fox", True),
        (rated(8.0), rated(4.0, unlikely=True), "fox", False),
    ],
)  # fmt: skip
def test_which_scale_tells_a_player_best_and_whether_they_contradict_each_other(
    fox: Rated, ogs: Rated, basis: str, apart: bool
) -> None:
    model = model_of_two_scales()
    both = {"fox": fox, "ogs": ogs}
    assert (best_basis(model, both), contradictory(both, basis)) == (basis, apart)
    assert best_basis(model, {"fox": fox}) == "fox"
    assert not contradictory({"fox": fox}, "fox")
