"""Moves of records, and the games of a pool to which they belong."""

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
from yardstone.pool import Pool, SkipReport
from yardstone.records.sgf import SgfReader
from yardstone.strength import fusion_moves
from yardstone.strength.evidence import KINDS
from yardstone.strength.fusion import MOVE_COLUMNS
from yardstone.strength.fusion_moves import (
    GameMoves,
    match_moves,
    moves_of_records,
    moves_of_store,
    read_moves,
    with_moves,
)
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import take_of_games

#: (Black, White, day of January or None, winner)
Record = tuple[str, str, int | None, int]


def records(*games: Record, labels: Any = None) -> GameMoves:
    """Records whose Black has 10, 11, … moves of strength 1, 2, … and White 1,000 more."""
    number = len(games)
    moves = np.array([[10.0 + row, 1010.0 + row] for row in range(number)])
    days = ["NaT" if day is None else f"2024-01-{day:02d}" for _, _, day, _ in games]
    return GameMoves(
        [black for black, *_ in games],
        [white for _, white, *_ in games],
        np.array(days, "datetime64[s]"),
        np.array([winner for *_, winner in games], np.int8),
        [()] * number if labels is None else labels,
        moves,
        moves - 9.0,
        "model",
        "fox",
        SkipReport(),
    )


def pool(*games: tuple[str, str, int, float]) -> Pool:
    days = np.array([f"2024-01-{day:02d}T12:00" for _, _, day, _ in games], "datetime64[s]")
    return Pool.from_names(
        [first for first, *_ in games],
        [second for _, second, *_ in games],
        [score for *_, score in games],
        time=days,
    )


GAMES = pool(("Ann", "Bob", 1, 1), ("Bob", "Ann", 1, 0), ("Ann", "Cem", 2, 0), ("Cem", "Bob", 5, 1))
ONE = pool(("Ann", "Bob", 1, 1))
TWO = pool(("Ann", "Bob", 1, 1), ("Ann", "Bob", 3, 1))
THREE = pool(("Ann", "Bob", 1, 1), ("Ann", "Bob", 1, 0), ("Ann", "Bob", 1, 1))
WINNER, SEVERAL = "with another winner than the result", "of one of several games of that day"


@pytest.mark.parametrize(
    ("games", "given", "record", "unmatched"),
    [
        # Players, day and colours tell the game; names are compared as people write them.
        (
            GAMES,
            [
                ("Cem", "Bob", 5, 1), ("ＡＮＮ ", "bob", 1, 1), ("Bob", "Ann", 1, 2),
                ("Dan", "Bob", 1, 1), ("Ann", "Cem", 20, 2), ("", "Bob", 1, 1),
            ],
            [1, 2, -1, 0],
            {"of no such game": 2, "without a name": 1},
        ),
        # A record of the day beside, if it is the only one.
        (GAMES, [("Ann", "Cem", 3, 2)], [-1, -1, 0, -1], {}),
        (ONE, [("Ann", "Bob", 2, 1)], [0], {}),
        (pool(("Ann", "Bob", 3, 1)), [("Ann", "Bob", 2, 1)], [0], {}),
        (ONE, [("Ann", "Bob", 3, 1)], [-1], {"of no such game": 1}),
        (TWO, [("Ann", "Bob", 2, 1)], [-1, -1], {"of no such game": 1}),
        (TWO, [("Ann", "Bob", 2, 1), ("Ann", "Bob", 1, 1)], [1, 0], {}),  # the day goes before
        # Another winner is another game; a record need not tell.
        (GAMES, [("Cem", "Bob", 5, 2), ("Ann", "Bob", 1, 0)], [1, -1, -1, -1], {WINNER: 1}),
        (pool(("Ann", "Bob", 1, 0.5)), [("Ann", "Bob", 1, -1)], [0], {}),
        (ONE, [("Ann", "Bob", 1, -1)], [-1], {WINNER: 1}),
        # Several games of a day are told apart by their order, or by a result.
        (THREE, [("Ann", "Bob", 1, 1), ("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 1)], [0, 1, 2], {}),
        (THREE, [("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 1)], [-1, 0, -1], {SEVERAL: 1}),
        (THREE, [("Ann", "Bob", 1, 2), ("Ann", "Bob", 1, 2)], [-1, -1, -1], {SEVERAL: 2}),
        # Without dates a pair must have met once.
        (replace(GAMES, time=None), [("Ann", "Bob", 7, 1), ("Cem", "Bob", None, 1)],
         [0, -1, -1, 1], {}),
        (GAMES, [("Ann", "Bob", 7, 1), ("Cem", "Bob", None, 1)], [-1, -1, -1, 1],
         {"of no such game": 1}),
        (TWO, [("Ann", "Bob", None, 1)], [-1, -1], {SEVERAL: 1}),
        # Players with like names are told apart by what is written.
        (pool(("ann", "Bob", 1, 1), ("Ann", "Bob", 1, 1)),
         [("Ann", "BOB", 1, 1), ("ANN", "Bob", 1, 1)], [-1, 0], {"of no such game": 1}),
    ],
)  # fmt: skip
def test_which_record_belongs_to_a_game(
    games: Pool, given: list[Record], record: list[int], unmatched: dict[str, int]
) -> None:
    result = match_moves(games, records(*given))
    assert (result.record.tolist(), result.unmatched) == (record, unmatched)
    assert not result.swapped.any()


def test_a_column_may_name_the_games() -> None:
    def named(*ids: float) -> Pool:
        return replace(GAMES, columns={"id": np.array(ids)})

    given = records(
        ("Cem", "Bob", None, 1), ("Bob", "Ann", 30, 2), ("Ann", "Dan", 1, 1), ("Ann", "Cem", 2, 1),
        labels=[("x", "10"), ("8",), ("7",), ("9",)],
    )  # fmt: skip
    texts = np.array(["7", "8", "9", "10"], np.dtypes.StringDType())
    for pool in (named(7.0, 8.0, 9.0, 10.0), replace(GAMES, columns={"id": texts})):
        result = match_moves(pool, given, column="id")
        assert result.record.tolist() == [-1, 1, -1, 0]
        assert result.unmatched == {"of other players than the result": 1, WINNER: 1}
    one = records(("Ann", "Bob", 1, 1), labels=[("7",)])
    result = match_moves(named(7.0, 7.0, 9.0, 10.0), one, column="id")
    assert result.unmatched == {"of several games": 1}
    with pytest.raises(InputError, match="no column 'ID'"):
        match_moves(pool, given, column="ID")


def test_the_columns_are_of_both_players_and_records_are_results_too() -> None:
    turned, anyhow = records(("Cem", "Ann", 2, 1)), replace(GAMES, ordered=False)
    assert match_moves(GAMES, turned).record.tolist() == [-1, -1, -1, -1]
    # Colours do not matter where nobody knows who moved first.
    joined, result = with_moves(anyhow, turned)
    assert result.record.tolist() == [-1, -1, 0, -1]
    assert joined.columns["first_moves"].tolist() == [0, 0, 1010, 0]
    assert joined.columns["second_moves_strength"][2] == 1.0
    joined, result = with_moves(GAMES, records(("Cem", "Bob", 5, 1), ("Ann", "Bob", 1, 1)))
    assert result.unmatched == {}
    assert result.sentence == "Records of moves: 2 of 2 belong to a game."
    values = np.column_stack([joined.columns[name] for name in MOVE_COLUMNS])
    assert values[[0, 3]].tolist() == [[11.0, 2.0, 1011.0, 1002.0], [10.0, 1.0, 1010.0, 1001.0]]
    np.testing.assert_array_equal(values[1], [0.0, np.nan, 0.0, np.nan])
    with pytest.raises(InputError, match=r"no record of moves.*: 0 of 1 belong to a game \("):
        with_moves(GAMES, records(("Dan", "Eve", 1, 1)))
    given = records(
        ("Ann", "Bob", 1, 1), ("Bob", "Ann", 2, -1), ("Ann", "", 3, 1), ("A", "B", 4, 0)
    )
    games = given.results()
    assert (games.score.tolist(), games.skipped.total) == ([1.0, 0.5], 2)
    joined, matched = with_moves(games, given)
    assert matched.record.tolist() == [0, 1]
    assert joined.columns["first_moves"].tolist() == [10.0, 11.0]


NAMES = ("Ann", "Bob", "Cem")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("archive") / "games.zip"
    with zipfile.ZipFile(file, "w") as out:
        for seed in range(4):
            made = game(seed, NAMES[seed % 3], NAMES[(seed + 1) % 3], day=seed, moves=16)
            out.writestr(f"g{seed}.sgf", sgf(made))
        out.writestr("again.sgf", sgf(game(2, NAMES[2], NAMES[0], day=2, moves=16)))
        out.writestr("small.sgf", "(;GM[1]SZ[9]PB[Ann]PW[Bob]RE[B+R];B[cc];W[dd])")
    return file


def look(case: Case, archive: Path, seeds: Sequence[int] | None = None) -> GameMoves:
    games = list(SgfReader(str(archive)))
    if seeds is not None:
        games = [games[seed] for seed in seeds]
    return moves_of_records(games, case.network, case.model)


def test_games_are_looked_at_once_also_in_work_that_was_stopped(
    case: Case, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []  # how many games the network was asked about, each time

    def counting(take: Any, games: Sequence[Any], *args: Any, **more: Any) -> Any:
        asked.append(len(games))
        return take_of_games(take, games, *args, **more)

    def stopping(*args: Any, **more: Any) -> Any:
        yield from islice(take_of_games(*args, **more), 1)
        raise KeyboardInterrupt

    take = f"{fusion_moves.__name__}.take_of_games"
    monkeypatch.setattr(take, counting)
    for _ in range(2):  # nothing is kept where nothing is to be
        look(case, archive, [0, 1])
    assert asked == [2, 2]
    monkeypatch.setenv("YARDSTONE_CACHE", "100MB")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    answers = EvaluationStore(tmp_path / "answers.sqlite", 1 << 30)
    monkeypatch.setattr(case.network, "answers", answers)
    asked.clear()
    first, again = (look(case, archive, [0, 1]) for _ in range(2))
    with monkeypatch.context() as patch:
        patch.setattr(take, stopping)
        with pytest.raises(KeyboardInterrupt):
            look(case, archive)
    more = look(case, archive)
    assert asked == [2, 0, 1]
    assert np.array_equal(first.strength, again.strength)
    assert np.isfinite(first.strength).all()
    by_label = {labels[-1]: row for row, labels in enumerate(more.labels)}
    assert more.strength[by_label["g1"]].tolist() == first.strength[1].tolist()


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


def test_a_store_says_what_the_records_say(case: Case, archive: Path, tmp_path: Path) -> None:
    settings = ExtractionSettings(
        net=str(case.file), trunk=KINDS, rules="tromp-taylor", komi=6.5, size=19
    )
    store = tmp_path / "store"
    extract_features(lambda: SgfReader(str(archive)), store, settings)
    result, report = read_moves([str(store)], case.model), SkipReport()
    games = list(SgfReader(str(archive)))
    wanted = moves_of_records(games, case.network, case.model, skipped=report)
    assert len(wanted) == 5  # the small board is a game, without moves that count
    reasons = " ".join(report.reasons)
    assert ("the same game occurs again" in reasons, "9x9" in reasons) == (True, True)
    small = next(place for place, labels in enumerate(wanted.labels) if "small" in labels)
    assert wanted.number[small].tolist() == [0.0, 0.0]
    assert np.isnan(wanted.strength[small]).all()
    assert wanted.results().players == NAMES
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
        read_moves([str(store), str(archive)], case.model)
    nobody = tmp_path / "nobody.sgf"
    nobody.write_text("(;GM[1]SZ[19]KM[6.5];B[pd];W[dd])")
    with pytest.raises(NoGamesError, match="no game has two names"):
        read_moves([str(nobody)], case.model, net=case.network).results()
