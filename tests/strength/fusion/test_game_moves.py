from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.strength.estimate_cases import Case, game, sgf
from yardstone.errors import InputError, NoGamesError
from yardstone.go.evaluation_store import EvaluationStore
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.pool import SkipReport
from yardstone.records.sgf import SgfReader
from yardstone.strength import fusion_moves
from yardstone.strength.evidence import KINDS
from yardstone.strength.fusion_moves import GameMoves, moves_of_records, moves_of_store, read_moves
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import take_of_games

NAMES = ("Ann", "Bob", "Cem")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("records") / "games.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for seed in range(4):
            made = game(seed, NAMES[seed % 3], NAMES[(seed + 1) % 3], day=seed, moves=16)
            archive.writestr(f"g{seed}.sgf", sgf(made))
        archive.writestr("again.sgf", sgf(game(2, NAMES[2], NAMES[0], day=2, moves=16)))
        archive.writestr("small.sgf", "(;GM[1]SZ[9]PB[Ann]PW[Bob]RE[B+R];B[cc];W[dd])")
    return file


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many games the network was asked about, each time."""
    numbers: list[int] = []
    real = take_of_games

    def counting(take: Any, games: Sequence[Any], *args: Any, **more: Any) -> Any:
        numbers.append(len(games))
        return real(take, games, *args, **more)

    monkeypatch.setattr(f"{fusion_moves.__name__}.take_of_games", counting)
    return numbers


@pytest.fixture
def kept(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluations are kept, in a place of the test."""
    monkeypatch.setenv("YARDSTONE_CACHE", "100MB")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        case.network, "answers", EvaluationStore(tmp_path / "answers.sqlite", 1 << 30)
    )


def look(case: Case, records: Path, seeds: Sequence[int] | None = None) -> GameMoves:
    games = list(SgfReader(str(records)))
    if seeds is not None:
        games = [games[seed] for seed in seeds]
    return moves_of_records(games, case.network, case.model)


def test_games_are_looked_at_once(case: Case, records: Path, kept: None, asked: list[int]) -> None:
    first, again = (look(case, records, [0, 1, 2]) for _ in range(2))
    more = look(case, records)
    assert asked == [3, 0, 1]
    assert np.array_equal(first.strength, again.strength)
    assert np.isfinite(first.strength).all()
    by_label = {labels[-1]: row for row, labels in enumerate(more.labels)}
    assert more.strength[by_label["g1"]].tolist() == first.strength[1].tolist()


def test_work_that_was_stopped_goes_on(
    case: Case, records: Path, kept: None, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopping(*args: Any, **more: Any) -> Any:
        yield from islice(take_of_games(*args, **more), 3)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"{fusion_moves.__name__}.take_of_games", stopping)
        with pytest.raises(KeyboardInterrupt):
            look(case, records)
    look(case, records)
    assert asked == [1]


def test_nothing_is_kept_where_nothing_is_to_be(
    case: Case, records: Path, asked: list[int]
) -> None:
    for _ in range(2):
        look(case, records, [0, 1])
    assert asked == [2, 2]


def test_what_is_kept_is_of_this_game_this_model_and_this_network_alone(case: Case) -> None:
    model, here = case.model, {"sha256": "a", "engine": "e", "precision": "p", "symmetries": 1}
    played = game(0, "Ann", "Bob", moves=4)
    names = ("setup_black", "setup_white", "moves", "colours")
    others: list[dict[str, Any]] = [
        *[{name: np.append(getattr(played, name), 1).astype(np.int16)} for name in names],
        *[{"size": 13}, {"handicap": 2}, {"to_play": 2}],
    ]
    games = [played, *(replace(played, **other) for other in others)]
    networks: list[Any] = [
        SimpleNamespace(**{**here, **more})
        for more in ({}, {"sha256": "b"}, {"engine": "f"}, {"precision": "q"}, {"symmetries": 2})
    ]
    fox, ogs = model.scale("fox"), model.scale("ogs")
    spread = replace(fox.spread, scatter=2.0 * fox.spread.scatter)
    prior = fox.prior * np.arange(1.0, 12.0)
    changed: list[dict[str, Any]] = [{"prior": prior}, {"spread": spread}, {"further": (spread,)}]
    models = [
        model,
        StrengthModel(model.scorer, [fox, ogs], {**model.card, "name": "other"}),
        *[StrengthModel(model.scorer, [replace(fox, **each), ogs], model.card) for each in changed],
    ]
    identities = [fusion_moves._identity(each, networks[0], None) for each in models]
    identities += [fusion_moves._identity(model, each, None) for each in networks[1:]]
    identities.append(fusion_moves._identity(model, networks[0], "ogs"))
    keys = [fusion_moves._key(identities[0], each) for each in games]
    keys += [fusion_moves._key(each, played) for each in identities[1:]]
    assert len(set(keys)) == len(keys) == 8 + 9
    same = replace(played, black="Zoe", file="b.sgf")
    assert fusion_moves._key(fusion_moves._identity(model, networks[0], "fox"), same) == keys[0]


def test_what_is_left_out_is_said(case: Case, records: Path) -> None:
    report = SkipReport()
    games = list(SgfReader(str(records)))
    result = moves_of_records(games, case.network, case.model, skipped=report)
    assert len(result) == 5  # the small board is a game, without moves that count
    reasons = " ".join(report.reasons)
    assert "the same game occurs again" in reasons
    assert "9x9" in reasons
    small = next(row for row, labels in enumerate(result.labels) if "small" in labels)
    assert result.number[small].tolist() == [0.0, 0.0]
    assert np.isnan(result.strength[small]).all()
    assert result.results().players == ("Ann", "Bob", "Cem")


def test_a_store_says_what_the_records_say(case: Case, records: Path, tmp_path: Path) -> None:
    settings = ExtractionSettings(
        net=str(case.file), trunk=KINDS, rules="tromp-taylor", komi=6.5, size=19
    )
    store = tmp_path / "store"
    extract_features(lambda: SgfReader(str(records)), store, settings)
    result, wanted = read_moves([str(store)], case.model), look(case, records)
    row = {labels[-1]: place for place, labels in enumerate(wanted.labels)}
    same = [(place, row[each[-1]]) for place, each in enumerate(result.labels) if each[-1] in row]
    assert len(same) == 4
    for one, other in same:
        assert result.strength[one] == pytest.approx(wanted.strength[other], abs=0.02)
        assert result.number[one].tolist() == wanted.number[other].tolist()
    assert result.results().score.tolist() == [1.0] * len(result)
    with pytest.raises(InputError, match="the features are of the network"):
        moves_of_store(FeatureStore.open(store), StrengthModel.load())
    card = {**case.model.card, "symmetries": 2}
    averaging = StrengthModel(case.model.scorer, [case.model.scale()], card)
    with pytest.raises(InputError, match=r"reads those of .* under 2 symmetries"):
        moves_of_store(FeatureStore.open(store), averaging)
    with pytest.raises(InputError, match="one store of features"):
        read_moves([str(store), str(records)], case.model)
    nobody = tmp_path / "nobody.sgf"
    nobody.write_text("(;GM[1]SZ[19]KM[6.5];B[pd];W[dd])")
    with pytest.raises(NoGamesError, match="no game has two names"):
        read_moves([str(nobody)], case.model, net=case.network).results()
