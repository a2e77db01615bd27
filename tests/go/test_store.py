from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from tests.go.games import random_game
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.files import locked
from yardstone.go import feature_store
from yardstone.go.evaluator import Evaluator, ask
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import ExtractionSettings, extract_features, move_features
from yardstone.go.nets.network import Network
from yardstone.go.points import symmetry_points
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame

GAMES = 6
KINDS = ("pick", "mean", "candidates")


def run(
    store: Path, net: Path, games: int = GAMES, workers: int = 1, **changed: Any
) -> FeatureStore:
    """Extract features of so many games, two at a time."""
    settings = ExtractionSettings(net=str(net), trunk=KINDS, batch=2)
    with context(workers=workers):
        return extract_features(
            lambda: [random_game(k, moves=30) for k in range(games)],
            store,
            replace(settings, **changed),
        )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, net_file: Path) -> Path:
    """A store made in one go, by this process."""
    store = tmp_path_factory.mktemp("whole") / "store"
    run(store, net_file)
    return store


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory, net_file: Path) -> Path:
    """A store that was stopped when all its parts were there."""
    store = tmp_path_factory.mktemp("parts") / "store"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("yardstone.go.features.merge", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run(store, net_file)
    with pytest.raises(InputError, match="not complete"):
        FeatureStore.open(store)
    return store


def contents(store: Path) -> dict[str, bytes]:
    return {str(p.relative_to(store)): p.read_bytes() for p in store.rglob("*") if p.is_file()}


def test_what_is_stored_is_what_the_network_says(whole: Path, network: Network) -> None:
    store = FeatureStore.open(whole)
    assert store.kinds == ("head", "pick", "candidates", "mean", "chances")
    assert (len(store), store.array("pick").shape) == (GAMES, (GAMES * 30, 16))
    assert store.array("pick").dtype == np.float16
    assert not store.array("pick").flags.writeable
    games = [random_game(k, moves=30) for k in range(GAMES)]
    asked = ask(games, SkipReport(), network, rules=TROMP_TAYLOR, trunk=True)
    for place, answer in enumerate(Evaluator(network, trunk=KINDS).answer(asked)):
        wanted = move_features(answer)
        for kind in store.kinds:
            np.testing.assert_allclose(
                store.features(place, kind), wanted.features[kind], rtol=2e-3, atol=1e-4
            )
        black = store.features(place, "head", 1)
        np.testing.assert_array_equal(black, store.features(place, "head")[:15])
        np.testing.assert_array_equal(store.array("point")[store.rows(place)], wanted.point)
        assert store.array("number")[store.rows(place, 2)].tolist() == list(range(2, 31, 2))
    table = store.games
    for column in ("game", "line"):
        assert table[column].tolist() == list(range(GAMES))
    for column, value in {"name": "", "rules": "tromp-taylor", "komi": 6.5, "moves": 30}.items():
        assert set(table[column].tolist()) == {value}
    assert (table["black"][4], table["date"][3]) == ("Player 1", np.datetime64("2024-01-04"))
    assert ((table["white_winrate"] > 0) & (table["white_winrate"] < 1)).all()
    # Players have their games in the order of time: games 0 and 5 were played on one day.
    assert store.players["Player 2"] == [(5, 1), (2, 1)]
    assert store.players["Player 4"] == [(5, 2), (1, 2), (3, 2)]
    for wrong, message in (
        (lambda: store.array("trunk"), "no 'trunk'"),
        (lambda: store.features(0, "number"), "no 'number'"),
        (lambda: store.rows(0, 3), "not a colour"),
    ):
        with pytest.raises(UsageError, match=message):
            wrong()


def test_any_number_of_workers_gives_the_same_bytes(
    whole: Path, parts: Path, net_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "store", net_file, workers=2)
    assert contents(tmp_path / "store") == contents(whole)
    # So does one that goes on after a stop. What was done before is not done again.
    store = tmp_path / "stopped"
    shutil.copytree(parts, store)
    (store / "parts" / "00000001.npz").unlink()
    kept = {path: path.stat().st_mtime_ns for path in (store / "parts").glob("*.npz")}
    assert len(kept) == 2
    merge = feature_store.merge

    def looking(*arguments: Any) -> Any:
        assert {path: path.stat().st_mtime_ns for path in kept} == kept
        return merge(*arguments)

    monkeypatch.setattr("yardstone.go.features.merge", looking)
    run(store, net_file)
    assert contents(store) == contents(whole)


@pytest.mark.parametrize("step", [1, 3, 4, 7, 14, 15])
def test_a_kill_while_parts_are_put_together(
    step: int, whole: Path, parts: Path, net_file: Path, tmp_path: Path
) -> None:
    """The program stops between two changes on the disk."""
    store = tmp_path / "store"
    shutil.copytree(parts, store)
    steps = 0

    def stopping(change: Callable[..., Any], counts: Callable[..., bool]) -> Callable[..., Any]:
        def changed(*arguments: Any) -> Any:
            nonlocal steps
            steps += counts(*arguments)
            if counts(*arguments) and steps == step:
                raise KeyboardInterrupt
            return change(*arguments)

        return changed

    stopped = False
    with pytest.MonkeyPatch.context() as patch:
        for place, name, counts in (
            (feature_store, "_copy", lambda path, *_: path.name == "pick.npy.unfinished"),
            (Path, "replace", lambda _, target: target.parent.name == "parts"),
            (Path, "rename", lambda *_: True),
        ):
            patch.setattr(place, name, stopping(getattr(place, name), counts))
        try:
            run(store, net_file)
        except KeyboardInterrupt:
            stopped = True
    assert stopped == (step <= 3 + 3 + 8)  # three parts copied and emptied, eight arrays renamed
    run(store, net_file)
    assert contents(store) == contents(whole)


def test_other_games_or_settings_are_refused(whole: Path, net_file: Path, tmp_path: Path) -> None:
    before = contents(whole)
    assert len(run(whole, net_file, trunk=("mean", "candidates", "pick"))) == GAMES
    with pytest.raises(InputError, match="other games"):
        run(whole, net_file, GAMES - 1)
    with pytest.raises(InputError, match="another setting: komi is None, not 7"):
        run(whole, net_file, komi=7.0)
    with pytest.raises(InputError, match="another setting: symmetries is 1, not 2"):
        run(whole, net_file, symmetries=2)
    assert contents(whole) == before
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="something else"):
        run(tmp_path, net_file)
    (tmp_path / "store" / "parts").mkdir(parents=True)
    with (
        locked(tmp_path / "store", "making this store", name="parts/lock"),
        pytest.raises(InputError, match="another process"),
    ):
        run(tmp_path / "store", net_file, 2)


def test_features_of_several_symmetries_do_not_depend_on_how_the_board_lies(
    net_file: Path, tmp_path: Path
) -> None:
    game = random_game(1, moves=40)
    quarter = symmetry_points(game.size)[5]
    points = np.where(game.moves < 0, game.moves, quarter[game.moves])
    other = replace(game, moves=points.astype(game.moves.dtype))
    settings = ExtractionSettings(net=str(net_file), trunk=(*KINDS, "after"), symmetries=4)
    store = extract_features(lambda: [game, other], tmp_path / "s", settings)
    assert store.settings["symmetries"] == 4
    for kind in ("head", "pick", "after", "mean", "chances"):
        for colour in (1, 2):
            here, there = (store.features(k, kind, colour) for k in (0, 1))
            np.testing.assert_allclose(here, there, rtol=2e-3, atol=2e-3, err_msg=kind)
    # An earlier store, which does not say, was made with one.
    about = tmp_path / "s" / "store.json"
    said = json.loads(about.read_text())
    del said["symmetries"]
    about.write_text(json.dumps(said))
    with pytest.raises(InputError, match="symmetries is 1, not 4"):
        extract_features(lambda: [game, other], tmp_path / "s", settings)


def test_damaged_stores(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a store"):
        FeatureStore.open(tmp_path)
    pick = (whole / "pick.npy").read_bytes()
    about = json.loads((whole / "store.json").read_text())
    damage: list[tuple[str, bytes, str]] = [
        *(("store.json", data, "cannot be read") for data in (b"", b"{")),
        *(("store.json", data, "another version") for data in (b"[]", b'{"format": 1}')),
        ("store.json", b'{"format": 2, "complete": true}', "damaged"),
        *(("pick.npy", data, r"pick\.npy") for data in (b"", pick[:50], pick[:-1])),
        *(
            ("store.json", json.dumps({**about, "games": number}).encode(), "damaged")
            for number in (2**64, -1, "2")
        ),
        ("store.json", json.dumps({**about, "moves": 7}).encode(), "180 rows in place of 7"),
    ]
    for place, (name, data, message) in enumerate(damage):
        folder = tmp_path / str(place)
        shutil.copytree(whole, folder)
        (folder / name).write_bytes(data)
        with pytest.raises(InputError, match=message):
            FeatureStore.open(folder)
    shutil.copytree(whole, tmp_path / "table")
    (tmp_path / "table" / "games.csv").write_bytes(b"file,game\na,b\n")
    with pytest.raises(InputError, match=r"games\.csv"):
        FeatureStore.open(tmp_path / "table").games  # noqa: B018


def test_games_that_cannot_be_used_are_left_out(net_file: Path, tmp_path: Path) -> None:
    good = random_game(1, size=7, moves=6)
    taken = replace(good, moves=np.array([3, 3], np.int16), colours=np.array([1, 2], np.int8))
    stones = replace(good, setup_black=np.array([500], np.int16))
    games = [taken, good, stones, replace(good, size=25), random_game(1, size=5, moves=6)]
    settings = ExtractionSettings(net=str(net_file), trunk=("trunk",), size=7)
    store = extract_features(lambda: games, tmp_path / "s", settings)
    assert (len(store), store.settings["skipped"]) == (1, 4)
    lines = (tmp_path / "s" / "skipped.csv").read_text().splitlines()
    assert lines[1] == "games.sgf,1,move 2 is illegal (White D7)"
    assert (len(lines), "the board is 5x5" in lines[4]) == (5, True)
    np.testing.assert_array_equal(store.array("point")[:2], good.moves[[0, 2]])
    assert store.array("trunk").shape == (6, 16, 7, 7)
    # A store of nothing: all games are left out. None at all is an error.
    empty = extract_features(lambda: games[4:], tmp_path / "e", settings)
    assert empty.array("trunk").shape == (0, 16, 7, 7)
    assert (len(empty.games["black"]), empty.players) == (0, {})
    with pytest.raises(NoGamesError):
        extract_features(list[GoGame], tmp_path / "t", settings)
    assert replace(settings, batch=1).batch == 1
    for changed, message in (
        ({"size": None}, "boards of one size"),
        ({"symmetries": 9}, "symmetries is 9"),
        ({"batch": 0}, "at least 1"),
        ({"trunk": ("head",)}, "no features head"),
    ):
        with pytest.raises(UsageError, match=message):
            replace(settings, **changed)
