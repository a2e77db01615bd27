"""Which model and which network are taken where nothing is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import shared_path
from yardstone.errors import InputError
from yardstone.examples import example
from yardstone.go.nets import load_network
from yardstone.go.nets.store import INCLUDED, add_network, file_sha256
from yardstone.strength.estimation import estimate
from yardstone.strength.model import SMALL, StrengthModel, default_model

KATAGO = "nets/g170-b6c96-s175395328-d26788732.bin.gz"


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)


def name_of(model: StrengthModel) -> str:
    return str(model.card["name"])


def test_without_any_network_it_is_the_included_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = name_of(StrengthModel.load(SMALL))
    loaded = load_network(threads=1)
    assert loaded.sha256 == file_sha256(INCLUDED)
    for net in (None, INCLUDED, loaded):
        assert name_of(default_model(net=net)) == small
    assert name_of(default_model("joint")) == name_of(StrengthModel.load("joint"))
    monkeypatch.setenv("YARDSTONE_NET", str(INCLUDED))
    assert name_of(default_model()) == small
    for missing in (tmp_path / "none.bin.gz", "g170-b6c96-s175395328-d26788732"):
        with pytest.raises(InputError, match="no such network"):
            default_model(net=missing)


def test_katagos_network_is_taken_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    file = shared_path(KATAGO)
    usual = name_of(StrengthModel.load())
    for net in (file, load_network(file, threads=1)):
        assert name_of(default_model(net=net)) == usual
    with monkeypatch.context() as patch:
        patch.setenv("YARDSTONE_NET", str(file))
        assert name_of(default_model()) == usual
    add_network(file)
    assert name_of(default_model()) == usual


def test_games_are_estimated_offline_at_once() -> None:
    games = example("professional.sgf")
    result = estimate(games, "Park Junghwan")
    assert (result.network, result.model) == ("yardstone-b6c64", name_of(default_model()))
    assert "small network that comes with Yardstone" in result.notes[-1]
    assert "nets download b6c96" in result.notes[-1]
    assert result.whole.rating > 6.5
