from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from tests.strength.rank_cases import (
    CHANNELS,
    WIDTH,
    move_scorer,
    random_evidence,
    random_model,
    with_spread,
)
from yardstone.errors import InputError, UsageError
from yardstone.strength import model as strength_model
from yardstone.strength import rank_scorer as rank_scorer
from yardstone.strength.evidence import PHASES, Evidence, no_evidence
from yardstone.strength.model import SHIPPED, StrengthModel
from yardstone.strength.site_scales import EDGES, GROUP_EDGES, RANKS
from yardstone_lab.neubauer.rank.intervals import knot_probabilities


def plain_score(model: StrengthModel, evidence: Evidence, row: int) -> np.ndarray[Any, Any]:
    """Scores of one move, from the values of all moves."""
    scorer = move_scorer(model)
    x, lifted = scorer.lift(evidence)
    phase = sum(int(evidence.number[row]) > end for end in (20, 50, 90, 140))
    result = x[row] @ scorer.linear[phase] + lifted[row] @ scorer.lifted
    return np.asarray(result - scorer.centre[int(evidence.colour[row]) - 1, phase])


def test_scores_of_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    model, evidence = random_model(), random_evidence([30, 80, 2])
    result = move_scorer(model).move_shares(evidence)
    assert result.shape == (112, WIDTH)
    for row in range(0, 112, 7):
        np.testing.assert_allclose(result[row], plain_score(model, evidence, row), atol=2e-3)
    monkeypatch.setattr(rank_scorer, "_CHUNK", 5)
    np.testing.assert_allclose(
        move_scorer(model).move_shares(evidence), result, rtol=1e-4, atol=1e-4
    )


def test_statistics_are_sums_over_moves_by_game() -> None:
    model, evidence = random_model(), random_evidence([12, 0, 90])
    result = model.game_statistics(evidence)
    scores = move_scorer(model).move_shares(evidence)
    assert result.shape == (3, PHASES + 1 + WIDTH)
    assert result[0].tolist()[: PHASES + 1] == [10, 2, 0, 0, 0, 144]
    assert (result[1] == 0).all()
    np.testing.assert_allclose(result[0, PHASES + 1 :], scores[:12].sum(axis=0), atol=1e-3)
    np.testing.assert_allclose(result[2, PHASES + 1 :], scores[12:].sum(axis=0), atol=1e-3)


def test_posterior_against_normal_distributions() -> None:
    model = random_model()
    statistics = model.game_statistics(random_evidence([40, 55])).sum(axis=0)
    spread = model.scale("fox").spread
    counts, squares, sums = statistics[:PHASES], statistics[PHASES], statistics[PHASES + 1 :]
    moves = counts.sum()
    whole = moves + spread.prior_moves
    alone = moves * spread.move + squares * spread.game
    cases = {True: alone + moves**2 * spread.player, False: alone + squares * spread.player}
    for one_player, covariance in cases.items():
        wanted = np.array(
            [
                multivariate_normal.pdf(sums / whole, counts @ usual / whole, covariance / whole**2)
                for usual in spread.usual
            ]
        )
        result = knot_probabilities(model.scale("fox"), statistics, one_player=one_player)
        np.testing.assert_allclose(result, wanted / wanted.sum(), rtol=1e-6, atol=1e-12)


def test_strengths_lie_between_the_groups() -> None:
    """What is usual in a group is usual in its middle; half way between, the mean of two."""
    model = random_model()
    nothing = np.zeros((WIDTH, WIDTH))
    spread = replace(model.scale().spread, move=1e-4 * np.eye(WIDTH), game=nothing, player=nothing)
    sure = with_spread(model, replace(spread, prior_moves=np.array(0.0)))
    counts = np.array([10.0, 15.0, 20.0, 25.0, 40.0])
    for group in range(len(RANKS) - 1):
        one, two = (counts @ spread.usual[k] for k in (group, group + 1))
        middle = (EDGES[group] + EDGES[group + 1]) / 2
        statistics = np.concatenate([counts, [counts.sum() ** 2], one])
        assert sure.posterior(statistics)[0] == pytest.approx(middle, abs=0.06)
        statistics[PHASES + 1 :] = (one + two) / 2
        between = (middle + (EDGES[group + 1] + EDGES[group + 2]) / 2) / 2
        assert sure.posterior(statistics)[0] == pytest.approx(between, abs=0.06)


def test_without_evidence_the_prior() -> None:
    model = random_model()
    groups = np.diff(EDGES)
    middle = (EDGES[:-1] + EDGES[1:]) / 2
    mean = middle.mean()
    deviation = np.sqrt((middle**2 + groups**2 / 12).mean() - mean**2)
    score = model.score(no_evidence(CHANNELS, games=2))
    assert score.mean == pytest.approx(mean, abs=1e-6)
    assert score.deviation == pytest.approx(deviation, abs=1e-3)
    np.testing.assert_allclose(score.probabilities, 1 / 11)
    np.testing.assert_allclose(score.by_game, mean)
    assert model.prior() == pytest.approx((score.mean, score.deviation))
    assert len(model.move_scores(no_evidence(CHANNELS))) == 0


def test_each_game_alone() -> None:
    model, evidence = random_model(), random_evidence([30, 0, 41])
    score = model.score(evidence)
    for game in (0, 1, 2):
        alone = model.score(evidence.select(evidence.game == game))
        assert score.by_game[game] == pytest.approx(alone.mean)
    assert score.probabilities.sum() == pytest.approx(1.0)
    assert EDGES[0] < score.mean < EDGES[-1]


def test_density_is_what_the_rest_comes_from() -> None:
    model = random_model()
    statistics = model.game_statistics(random_evidence([30, 1, 41]))
    density = model.scale().density(statistics)
    mean, deviation, probabilities = model.posterior(statistics)
    width = (EDGES[-1] - EDGES[0]) / density.shape[1]
    middle = EDGES[0] + width * (np.arange(density.shape[1]) + 0.5)
    np.testing.assert_allclose(density @ middle, mean)
    np.testing.assert_allclose(np.sqrt(density @ middle**2 - mean**2), deviation, rtol=1e-6)
    first = density[:, middle < EDGES[1]].sum(axis=1)
    np.testing.assert_allclose(first, probabilities[:, 0])
    np.testing.assert_allclose(model.scale().density(statistics[1]), density[1])
    many = np.repeat(statistics, 400, axis=0)  # more than are judged together
    np.testing.assert_allclose(model.scale().density(many)[799], density[1])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=4), st.integers(0, 99))
def test_effects_of_moves_add_up(lengths: list[int], seed: int) -> None:
    model, evidence = random_model(seed), random_evidence(lengths, seed)
    effects = model.move_scores(evidence)
    assert effects.shape == (len(evidence),)
    assert np.isfinite(effects).all()
    if len(evidence):
        whole = model.game_statistics(evidence).sum(axis=0)
        start = whole.copy()
        start[PHASES + 1 :] = whole[:PHASES] @ usual_at_the_middle(model)
        change = model.posterior(whole)[0] - model.posterior(start)[0]
        assert effects.sum() == pytest.approx(change, abs=0.15)


def usual_at_the_middle(model: StrengthModel) -> np.ndarray[Any, Any]:
    """What a player of the prior's mean strength scores, by linear interpolation."""
    middle = (EDGES[:-1] + EDGES[1:]) / 2
    mean = model.prior()[0]
    usual = model.scale().spread.usual
    return np.array(
        [
            [np.interp(mean, middle, usual[:, phase, k]) for k in range(WIDTH)]
            for phase in range(PHASES)
        ]
    )


def test_order_of_games_and_moves_says_nothing() -> None:
    model, evidence = random_model(), random_evidence([25, 33])
    other = evidence.select(np.argsort(-evidence.game, kind="stable"))
    assert model.score(other).mean == pytest.approx(model.score(evidence).mean, abs=1e-4)


def test_more_moves_leave_less_doubt() -> None:
    model = random_model()
    once = model.game_statistics(random_evidence([60]))[0]
    once[PHASES + 1 :] = once[:PHASES] @ model.scale().spread.usual[5]
    sums = np.array([once * games for games in (1, 4, 16)])
    deviation = model.posterior(sums)[1]
    assert (np.diff(deviation) < 0).all()


def test_another_network_is_refused() -> None:
    with pytest.raises(UsageError, match="7 channels, and the model reads 6: use the network none"):
        random_model().score(random_evidence([3], channels=7))


def test_saved_and_loaded(tmp_path: Path) -> None:
    model, evidence = random_model(), random_evidence([40])
    model.save(tmp_path / "model.npz")
    again = StrengthModel.load(tmp_path / "model.npz")
    assert again.card == {**model.card, "kind": "rank", "scales": ["fox"]}
    assert again.score(evidence).mean == model.score(evidence).mean
    np.testing.assert_array_equal(again.move_scores(evidence), model.move_scores(evidence))
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


def saved_arrays(path: Path) -> dict[str, Any]:
    random_model().save(path)
    with np.load(path) as file:
        return dict(file)


@pytest.mark.parametrize(
    "changed",
    [
        {"scorer_linear": np.zeros((2, 2), np.float16)},
        {"scorer_mean": np.full(4 * CHANNELS + 2, np.nan, np.float16)},
        {"scorer_deviation": np.zeros(1, np.float16)},
        {"scorer_bias": np.float16(1.0)},
        {"scorer_bias": np.zeros((5, 5), np.float16)},
        {"scorer_pick_bias": np.zeros((3, 3), np.float16)},
        {"scorer_centre": np.full((2, PHASES, WIDTH), 1e300)},
        {"scale_fox_move": -np.eye(WIDTH)},
        {"scale_fox_move": np.arange(9.0).reshape(3, 3)},
        {"scale_fox_prior_moves": np.array(-1.0)},
        {"scale_fox_usual": np.zeros((10, PHASES, WIDTH))},
        {"scale_fox_game": np.array(["a", "b"])},
        {"scale_fox_columns": np.array([0.0, 1.0, 3.0])},
        {"scale_fox_columns": np.array([0.0, 1.0, 1.0])},
        {"scale_fox_columns": np.array([0.0, 1.0, 1.5])},
        {"scale_fox_scatter": np.zeros(11)},
        {"scale_fox_scatter": np.ones(10)},
        {"scale_fox_knots": np.zeros(11)},
        {"scale_fox_edges": EDGES[::-1].copy()},
        {"scale_fox_prior": np.zeros(11)},
        {"scale_fox_prior": np.full(10, 0.1)},
        {"scale_fox_edges": None},
        {"card": np.frombuffer(b"{}", np.uint8)},
        {"card": np.frombuffer(b'{"kind": "yardstone rank model", "card": 1}', np.uint8)},
        {"card": np.frombuffer(b"[" * 100_000, np.uint8)},
        {"scale_fox_player": None},
        {"bomb": np.zeros(1 << 24)},
    ],
)
def test_a_damaged_file(tmp_path: Path, changed: dict[str, Any]) -> None:
    path = tmp_path / "model.npz"
    arrays = {**saved_arrays(path), **changed}
    np.savez_compressed(
        path, **{name: value for name, value in arrays.items() if value is not None}
    )
    with pytest.raises(InputError, match=r"model\.npz: this is no rank model \(take a file"):
        StrengthModel.load(path)


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        StrengthModel.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match="cannot be read"):
        StrengthModel.load(tmp_path)
    path = tmp_path / "model.npz"
    path.write_bytes(b"not a zip")
    with pytest.raises(InputError, match="this is no rank model"):
        StrengthModel.load(path)
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}], object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("card.npy", pickled.getvalue())
    with pytest.raises(InputError, match="this is no rank model"):
        StrengthModel.load(path)
    arrays = saved_arrays(path)
    about = json.loads(arrays["card"].tobytes())
    arrays["card"] = np.frombuffer(json.dumps({**about, "format": 9}).encode(), np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(InputError, match="saved by another version"):
        StrengthModel.load(path)


def test_weights_that_a_file_cannot_hold(tmp_path: Path) -> None:
    model = random_model()
    scorer = move_scorer(model)
    scorer = replace(scorer, linear=np.full_like(scorer.linear, 1e6))
    with pytest.raises(UsageError, match="scorer_linear has numbers that the file cannot hold"):
        StrengthModel(scorer, [model.scale()], model.card).save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


def test_the_model_that_comes_with_yardstone() -> None:
    model = StrengthModel.load()
    assert model.card["network"] == "g170-b6c96-s175395328-d26788732"
    assert len(str(model.card["sha256"])) == 64
    assert model.scorer.channels == 96
    folder = Path(strength_model.__file__).parent / "data"
    assert [path.stem for path in sorted(folder.glob("*.npz"))] == sorted(SHIPPED)
    assert (folder / "rank.npz").stat().st_size < 3_000_000
    assert list(model.scales) == ["fox", "ogs"]
    evidence = random_evidence([50], channels=96)
    for name, scale in model.scales.items():
        np.testing.assert_array_equal(scale.edges, GROUP_EDGES[name])
        first = scale.spread.usual[:, :, 0].mean(axis=1)
        assert first[-1] > first[0]
        assert np.isfinite(model.score(evidence, name).mean)
    # On the first direction the groups of Fox follow each other, over all phases.
    assert (np.diff(model.scale("fox").spread.usual[:, :, 0].mean(axis=1)) > 0).all()
