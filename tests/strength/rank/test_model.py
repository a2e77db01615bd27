"""A rank model: its scores, its statistics, and files that are none."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.strength.rank_cases import (
    CHANNELS,
    WIDTH,
    move_scorer,
    random_evidence,
    random_model,
)
from yardstone.errors import InputError, UsageError
from yardstone.strength import model as strength_model
from yardstone.strength import rank_scorer as rank_scorer
from yardstone.strength.evidence import PHASES, Evidence, no_evidence
from yardstone.strength.model import SHIPPED, StrengthModel
from yardstone.strength.site_scales import EDGES, GROUP_EDGES


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
    for row in range(0, 112, 7):
        np.testing.assert_allclose(result[row], plain_score(model, evidence, row), atol=2e-3)
    monkeypatch.setattr(rank_scorer, "_CHUNK", 5)
    again = move_scorer(model).move_shares(evidence)
    np.testing.assert_allclose(again, result, rtol=1e-4, atol=1e-4)


def test_statistics_are_sums_over_moves_by_game() -> None:
    model, evidence = random_model(), random_evidence([12, 0, 90])
    result = model.game_statistics(evidence)
    scores = move_scorer(model).move_shares(evidence)
    assert result.shape == (3, PHASES + 1 + WIDTH)
    assert result[0].tolist()[: PHASES + 1] == [10, 2, 0, 0, 0, 144]
    assert (result[1] == 0).all()
    np.testing.assert_allclose(result[0, PHASES + 1 :], scores[:12].sum(axis=0), atol=1e-3)
    np.testing.assert_allclose(result[2, PHASES + 1 :], scores[12:].sum(axis=0), atol=1e-3)


def test_sums_of_many_games_are_judged_like_one() -> None:
    model = random_model()
    statistics = model.game_statistics(random_evidence([30, 1, 41]))
    density = model.scale().density(statistics)
    np.testing.assert_allclose(model.scale().density(statistics[1]), density[1])
    many = np.repeat(statistics, 400, axis=0).reshape(4, 300, -1)  # more than are judged together
    np.testing.assert_allclose(model.scale().density(many)[3, 299], density[2])
    assert len(model.move_scores(no_evidence(CHANNELS))) == 0


def test_another_network_is_refused() -> None:
    with pytest.raises(UsageError, match="7 channels, and the model reads 6: use the network none"):
        random_model().score(random_evidence([3], channels=7))


def saved_arrays(path: Path) -> dict[str, Any]:
    random_model().save(path)
    with np.load(path) as file:
        return dict(file)


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
    arrays = {**saved_arrays(path), name: value}
    if value is None:
        del arrays[name]
    np.savez_compressed(path, **arrays)
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
    assert (len(str(model.card["sha256"])), model.scorer.channels) == (64, 96)
    folder = Path(strength_model.__file__).parent / "data"
    assert [path.stem for path in sorted(folder.glob("*.npz"))] == sorted(SHIPPED)
    assert all("fox" in StrengthModel.load(name).scales for name in SHIPPED)
    assert list(model.scales) == ["fox", "ogs"]
    for name, scale in model.scales.items():
        np.testing.assert_array_equal(scale.edges, GROUP_EDGES[name])
    # On the first direction the groups of Fox follow each other, over all phases.
    assert (np.diff(model.scale("fox").spread.usual[:, :, 0].mean(axis=1)) > 0).all()
