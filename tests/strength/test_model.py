"""Models of strength: their scores, scales and intervals, how they are joined, and their files."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from tests.strength.rank_cases import (
    CHANNELS,
    WIDTH,
    model_of_two_scales,
    move_scorer,
    random_evidence,
    random_model,
)
from tests.strength.set_cases import random_scorer
from yardstone.errors import InputError, UsageError
from yardstone.strength import model as strength_model
from yardstone.strength import rank_scorer
from yardstone.strength.evidence import PHASES, no_evidence
from yardstone.strength.model import SHIPPED, JoinedScorer, StrengthModel
from yardstone.strength.model_scale import ModelScale, ScoreSpread
from yardstone.strength.scorers import LossScorer, Scorer, loss_moments
from yardstone.strength.site_scales import EDGES, GROUP_EDGES
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

TWO, OTHER = model_of_two_scales(), model_of_two_scales(5)
EVIDENCE = random_evidence([40, 3, 95], seed=4)


def joined() -> StrengthModel:
    """Of Fox the first; of OGS both."""
    one, other = TWO.scale("ogs"), OTHER.scale("ogs")
    spread = replace(other.spread, columns=other.spread.columns + TWO.scorer.width)
    scorer = JoinedScorer((TWO.scorer, OTHER.scorer))
    return StrengthModel(scorer, [TWO.scale("fox"), replace(one, further=(spread,))], TWO.card)


def scored_by(scorer: Scorer | JoinedScorer) -> StrengthModel:
    """A model of one scale with this scorer."""
    return StrengthModel(scorer, [random_model().scale()], random_model().card)


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
    each = TWO.game_statistics(EVIDENCE)
    for name, scale in TWO.scales.items():
        density = scale.density(each)
        wanted = plain_density(scale, each[1])
        assert_allclose(density[1], wanted, rtol=1e-6, atol=1e-12)
        whole = each.sum(axis=0)
        assert_allclose(scale.density(whole), plain_density(scale, whole), rtol=1e-6, atol=1e-12)
        mean, deviation, shares = TWO.posterior(each, name)
        middles = scale.edges[0] + 0.05 * (np.arange(density.shape[-1]) + 0.5)
        assert_allclose(density @ middles, mean)
        assert_allclose(deviation**2, density @ middles**2 - mean**2, rtol=1e-6)
        groups = np.searchsorted(scale.edges, middles) - 1
        for group in range(len(scale.edges) - 1):
            assert_allclose(shares[:, group], density[:, groups == group].sum(axis=1))
        many = np.repeat(each, 400, axis=0).reshape(4, 300, -1)  # more than are judged together
        assert_allclose(scale.density(many)[3, 299], density[2])
        # Without a move it has its prior.
        score = TWO.score(no_evidence(6, games=1), name)
        assert_allclose(score.probabilities, scale.prior / scale.prior.sum())
        middles = 0.5 * (scale.edges[:-1] + scale.edges[1:])
        assert score.mean == pytest.approx(scale.prior @ middles / scale.prior.sum())
        assert TWO.prior(name) == pytest.approx((score.mean, score.deviation))
        assert scale.distance(np.zeros(PHASES + 1 + WIDTH + 2)) == 0.0
    assert TWO.scale() is TWO.scale("fox")
    assert len(TWO.move_scores(no_evidence(CHANNELS))) == 0


@pytest.mark.parametrize(("lengths", "seed"), [([1], 0), ([60, 7], 31), ([12, 1, 33], 99)])
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


def test_scores_and_statistics_of_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    model, evidence = random_model(), random_evidence([30, 0, 80, 2])
    scorer = move_scorer(model)
    result, (x, lifted) = scorer.move_shares(evidence), scorer.lift(evidence)
    for row in range(0, 112, 7):
        phase = sum(int(evidence.number[row]) > end for end in (20, 50, 90, 140))
        score = x[row] @ scorer.linear[phase] + lifted[row] @ scorer.lifted
        wanted = score - scorer.centre[int(evidence.colour[row]) - 1, phase]
        assert_allclose(result[row], wanted, atol=2e-3)
    sums = model.game_statistics(evidence)
    assert sums.shape == (4, PHASES + 1 + WIDTH)
    assert sums[0].tolist()[: PHASES + 1] == [10, 15, 5, 0, 0, 900]
    assert (sums[1] == 0).all()
    for game, rows in ((0, slice(30)), (2, slice(30, 110))):
        assert_allclose(sums[game, PHASES + 1 :], result[rows].sum(axis=0), atol=1e-3)
    monkeypatch.setattr(rank_scorer, "_CHUNK", 5)
    assert_allclose(scorer.move_shares(evidence), result, rtol=1e-4, atol=1e-4)


def test_points_lost_are_scores_up_to_a_limit_whose_parts_add_up() -> None:
    evidence = random_evidence([30, 20])
    evidence.named("point_loss")[:5] = [0.3, -0.2, 1.4, -1.4, np.nan]  # in tens of points
    moments = loss_moments(evidence)
    assert_allclose(moments[:5], [[3, 9], [-2, 4], [10, 100], [-10, 100], [0, 0]], rtol=1e-6)
    scorer = LossScorer(np.array([[1.0, 0.5], [0.2, -1.0]]))
    wanted = moments @ scorer.directions
    assert_allclose(scorer.move_shares(evidence), wanted)
    model = StrengthModel(scorer, list(TWO.scales.values()), {})
    whole = model.game_statistics(evidence)[:, PHASES + 1 :]
    assert_allclose(whole, [wanted[:30].sum(axis=0), wanted[30:].sum(axis=0)])
    part = np.arange(len(evidence)) % 3 - 1
    parts = model.part_statistics(evidence, part, 2)[..., PHASES + 1 :]
    for number, game in np.ndindex(2, 2):
        mine = (part == number) & (evidence.game == game)
        assert_allclose(parts[number, game], wanted[mine].sum(axis=0))


def test_joined_scores_stand_side_by_side_and_a_density_is_the_mean_of_the_members() -> None:
    model = joined()
    scorer = model.scorer
    assert (scorer.width, scorer.channels) == (2 * (WIDTH + 2), TWO.scorer.channels)
    each = [one.scorer.move_shares(EVIDENCE) for one in (TWO, OTHER)]
    assert_array_equal(scorer.move_shares(EVIDENCE), np.concatenate(each, axis=1))
    statistics = model.game_statistics(EVIDENCE)
    ogs = replace(OTHER.scale("ogs"), prior=TWO.scale("ogs").prior)  # theirs is the first one's
    members = [(TWO.scale("ogs"), TWO.game_statistics(EVIDENCE))]
    members.append((ogs, OTHER.game_statistics(EVIDENCE)))
    wanted = np.mean([scale.density(rows) for scale, rows in members], axis=0)
    assert_allclose(model.scale("ogs").density(statistics), wanted, rtol=1e-9, atol=1e-15)
    far = np.mean([scale.distance(rows) for scale, rows in members], axis=0)
    assert_allclose(model.scale("ogs").distance(statistics), far)
    assert_allclose(model.scale().density(statistics), TWO.scale().density(members[0][1]))
    nothing = np.zeros(PHASES + 1 + scorer.width)
    alone = TWO.scale("ogs").density(nothing[: PHASES + 1 + TWO.scorer.width])
    assert model.scale("ogs").density(nothing) == pytest.approx(alone)


MODELS = {
    "two scales": TWO,
    "joined": joined(),
    "basic": scored_by(random_scorer("basic")),
    "full": scored_by(random_scorer("full")),
    "losses": scored_by(LossScorer(np.array([[1.0, 0.5, 0.0], [0.25, -1.0, 0.5]]))),
}


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_is_the_same_after_it_was_kept(kind: str, tmp_path: Path) -> None:
    model = MODELS[kind]
    model.save(tmp_path / "model.npz")
    again = StrengthModel.load(tmp_path / "model.npz")
    assert type(again.scorer) is type(model.scorer)
    assert list(again.scales) == again.card["scales"] == list(model.scales)
    assert_array_equal(again.game_statistics(EVIDENCE), model.game_statistics(EVIDENCE))
    for name, scale in model.scales.items():
        other = again.scale(name)
        assert_array_equal(other.edges, scale.edges)
        assert_array_equal(other.prior, scale.prior)
        for one, two in zip(other.spreads, scale.spreads, strict=True):
            for part, value in two.arrays().items():
                assert_array_equal(one.arrays()[part], value)
        effects = model.move_scores(EVIDENCE, name)
        assert_array_equal(again.move_scores(EVIDENCE, name), effects)
        assert np.isfinite(effects).all()


def test_what_a_model_has_not_or_a_file_cannot_hold(tmp_path: Path) -> None:
    seven, five = random_evidence([3], channels=7), random_evidence([5])
    weights = move_scorer(random_model())
    weights = replace(weights, linear=np.full_like(weights.linear, 1e6))
    unknown = r"model random has no scale 'kgs', but fox, ogs$"
    rows: list[tuple[str, Any]] = [
        (unknown, lambda: TWO.scale("kgs")), (unknown, lambda: TWO.score(five, "kgs")),
        (unknown, lambda: TWO.move_scores(five, "kgs")), (unknown, lambda: TWO.prior("kgs")),
        (unknown, lambda: Rater(TWO, 0.9, "kgs")),
        (r"no scale 'ogs', but fox$", lambda: random_model().scale("ogs")),
        ("7 channels, and the model reads 6: use the network none", lambda: TWO.score(seven)),
        ("7 channels", lambda: MODELS["full"].score(seven)),
        ("scorer_linear has numbers that the file cannot hold",
         lambda: scored_by(weights).save(tmp_path / "model.npz")),
    ]  # fmt: skip
    for words, ask in rows:
        with pytest.raises(UsageError, match=words):
            ask()
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="no scale"):
        StrengthModel(TWO.scorer, [], TWO.card)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scorer_linear", np.zeros((2, 2))), ("scorer_deviation", np.zeros(1)),
        ("scorer_mean", np.full(4 * CHANNELS + 2, np.nan)), ("scorer_bias", np.float64(1.0)),
        ("scorer_bias", np.zeros((5, 5))), ("scorer_pick_bias", np.zeros((3, 3))),
        ("scorer_centre", np.full((2, PHASES, WIDTH), 1.05e12)),
        ("scale_fox_usual", np.zeros((10, PHASES, WIDTH))), ("scale_fox_knots", np.zeros(11)),
        ("scale_fox_game", np.array(["a", "b"])), ("scale_fox_edges", EDGES - 0.5),
        ("scale_fox_prior", np.zeros(11)), ("scale_fox_edges", None), ("scale_fox_player", None),
        ("card", np.frombuffer(b"{}", np.uint8)),
        ("card", np.frombuffer(b'{"kind": "yardstone rank model", "card": 1}', np.uint8)),
        ("card", np.frombuffer(b"[" * 100_000, np.uint8)), ("bomb", np.zeros((1 << 23) + 1)),
    ],
)  # fmt: skip
def test_a_damaged_file(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "model.npz"
    arrays = {**saved_arrays(path, random_model()), name: value}
    if value is None:
        del arrays[name]
    np.savez_compressed(path, **arrays)
    with pytest.raises(InputError, match=r"model\.npz: this is no rank model \(take a file"):
        StrengthModel.load(path)


def saved_arrays(path: Path, model: StrengthModel) -> dict[str, Any]:
    model.save(path)
    with np.load(path) as file:
        return dict(file)


def test_other_files(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    pickled, newer = io.BytesIO(), io.BytesIO()
    np.save(pickled, np.array([{}], object), allow_pickle=True)
    with zipfile.ZipFile(whole := io.BytesIO(), "w") as archive:
        archive.writestr("card.npy", pickled.getvalue())
    files = [(b"not a zip", "this is no rank model"), (whole.getvalue(), "this is no rank model")]
    unlike = JoinedScorer((TWO.scorer, random_model(channels=4).scorer))
    without = JoinedScorer((TWO.scorer,))  # a member that a scale reads
    for scorer, scales in ((without, [*joined().scales.values()]), (unlike, [TWO.scale()])):
        StrengthModel(scorer, scales, TWO.card).save(path)
        files.append((path.read_bytes(), "this is no rank model"))
    arrays = saved_arrays(path, TWO)
    about = json.dumps({**json.loads(arrays["card"].tobytes()), "format": 9})
    np.savez(newer, **{**arrays, "card": np.frombuffer(about.encode(), np.uint8)})
    for content, words in [*files, (newer.getvalue(), "saved by another version")]:
        path.write_bytes(content)
        with pytest.raises(InputError, match=words):
            StrengthModel.load(path)
    for place, words in (
        (tmp_path / "none", "there is no such file"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(InputError, match=words):
            StrengthModel.load(place)
    for names in ({}, {"1_rank_x": np.zeros(1)}, {"rank": np.zeros(1)}, {"0_none_x": np.zeros(1)}):
        with pytest.raises((ValueError, KeyError)):
            JoinedScorer.from_arrays(names)
    for directions in (np.ones((3, 2)), np.ones((2, 0)), np.ones(2)):
        with pytest.raises(ValueError, match="shape"):
            LossScorer.from_arrays({"directions": directions})


def test_the_models_that_come_with_yardstone() -> None:
    model = StrengthModel.load()
    assert model.card["network"] == "g170-b6c96-s175395328-d26788732"
    assert (len(str(model.card["sha256"])), model.scorer.channels) == (64, 96)
    folder = Path(strength_model.__file__).parent / "data"
    assert [path.stem for path in sorted(folder.glob("*.npz"))] == sorted(SHIPPED)
    assert all("fox" in StrengthModel.load(name).scales for name in SHIPPED)
    assert list(model.scales) == ["fox", "ogs"]
    for name, scale in model.scales.items():
        assert_array_equal(scale.edges, GROUP_EDGES[name])
    # On the first direction the groups of Fox follow each other, over all phases.
    assert (np.diff(model.scale("fox").spread.usual[:, :, 0].mean(axis=1)) > 0).all()


GOOD = TWO.scale("ogs").spread


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


def test_a_scale_that_cannot_be() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"edges": [-4.0, -1.0, -1.0, 9.0]}, "do not grow"),
        ({"edges": [-4.0, 9.0]}, "do not grow"), ({"edges": [-4.0, 9.0, 9.04]}, "do not grow"),
        ({"edges": [[-4.0, -1.0, 9.0]]}, "do not grow"), ({"edges": [-100.1, -1, 9]}, "no ranks"),
        ({"prior": [0.1] * 10}, "without a probability"),
        ({"prior": [0.0, *[0.1] * 10]}, "without a probability"),
    ]  # fmt: skip
    for changed, words in rows:
        arrays: dict[str, Any] = {name: np.array(values) for name, values in changed.items()}
        with pytest.raises(ValueError, match=words):
            replace(TWO.scale("fox"), **arrays)


def test_intervals_are_kept_by_scale_and_supported_by_enough_players() -> None:
    """What was fitted on one scale is not taken for the other."""
    model = model_of_two_scales()
    fox, ogs = (interval_tables(model, name) for name in ("fox", "ogs"))
    assert ogs["whole"].ends.tolist() == [-34.0, -24.0, 3.0, 10.0]
    narrow = replace(ogs["whole"], at=np.full_like(ogs["whole"].at, 0.5))
    model.card["intervals"] = {"ogs": dict.fromkeys(ogs, narrow.as_dict())}
    assert interval_tables(model, "ogs")["whole"].at.max() == 0.5
    assert interval_tables(model, "fox")["whole"].at.max() > 0.99
    assert interval_tables(model, "fox")["whole"].ends.tolist() == [*EDGES[:2], *EDGES[-2:]]
    few = {name: replace(each, players=np.array([40])).as_dict() for name, each in fox.items()}
    model.card["intervals"] = {"fox": few}
    assert list(supported_scales(model, 0.9)) == ["fox", "ogs"]
    assert list(supported_scales(model, 0.95)) == ["ogs"]
    model.card["intervals"] = {"fox": few, "ogs": few}
    with pytest.raises(UsageError, match="nothing is known of intervals of 95 %"):
        supported_scales(model, 0.95)


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
