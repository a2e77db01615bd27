from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.go.extracting import run
from tests.go.games import random_game, small_network
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.files import locked
from yardstone.go import feature_store
from yardstone.go.evaluator import TRUNK_KINDS, Evaluator, ask
from yardstone.go.feature_store import PARTS, FeatureStore
from yardstone.go.features import ExtractionSettings, extract_features, move_features
from yardstone.go.nets.network import load_network
from yardstone.go.points import symmetry_points
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame

ROOT = Path(__file__).resolve().parents[2]
GAMES = 12


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_network(tmp_path_factory.mktemp("net"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, network: Path) -> Path:
    """A store made in one go, by this process."""
    store = tmp_path_factory.mktemp("whole") / "store"
    run(store, network, GAMES, 1)
    return store


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory, network: Path) -> Path:
    """A store that was stopped when all its parts were there."""
    store = tmp_path_factory.mktemp("parts") / "store"

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("yardstone.go.features.merge", stop)
        with pytest.raises(KeyboardInterrupt):
            run(store, network, GAMES, 1)
    return store


def contents(store: Path) -> dict[str, bytes]:
    return {str(p.relative_to(store)): p.read_bytes() for p in store.rglob("*") if p.is_file()}


def test_what_is_stored_is_what_the_network_says(whole: Path, network: Path) -> None:
    store = FeatureStore.open(whole)
    assert store.kinds == ("head", "pick", "candidates", "mean", "chances")
    assert len(store) == GAMES
    assert store.array("pick").shape == (GAMES * 30, 16)
    assert store.array("pick").dtype == np.float16
    assert not store.array("pick").flags.writeable
    assert (
        repr(store)
        == "<FeatureStore: head, pick, candidates, mean, chances of 360 moves of 12 games>"
    )
    evaluator = Evaluator(load_network(network, threads=1), trunk=("pick", "candidates", "mean"))
    games = [random_game(k, moves=30) for k in range(GAMES)]
    asked = ask(games, SkipReport(), evaluator.network, rules=TROMP_TAYLOR, trunk=True)
    for place, answer in enumerate(evaluator.answer(asked)):
        wanted = move_features(answer)
        for kind in store.kinds:
            np.testing.assert_allclose(
                store.features(place, kind), wanted.features[kind], rtol=2e-3, atol=1e-4
            )
        black = store.features(place, "head", 1)
        np.testing.assert_array_equal(black, store.features(place, "head")[:15])
        np.testing.assert_array_equal(store.array("point")[store.rows(place)], wanted.point)
        assert store.array("number")[store.rows(place, 2)].tolist() == list(range(2, 31, 2))


def test_the_table_of_games(whole: Path) -> None:
    games = FeatureStore.open(whole).games
    assert games["game"].tolist() == list(range(GAMES))
    assert games["line"].tolist() == list(range(GAMES))
    assert set(games["name"]) == {""}
    assert games["black"][4] == "Player 1"
    assert games["date"][7] == np.datetime64("2024-01-03")
    assert set(games["rules"]) == {"tromp-taylor"}
    assert (games["komi"] == 6.5).all()
    assert (games["moves"] == 30).all()
    assert ((games["white_winrate"] > 0) & (games["white_winrate"] < 1)).all()


def test_players_have_their_games_in_order_of_time(whole: Path) -> None:
    store = FeatureStore.open(whole)
    games = store.players["Player 0"]
    dates = [store.games["date"][game] for game, _ in games]
    assert dates == sorted(dates)
    assert sorted(game for game, _ in games) == [0, 3, 6, 9]
    assert {colour for _, colour in store.players["Player 3"]} == {2}


def test_any_number_of_workers_gives_the_same_bytes(
    whole: Path, network: Path, tmp_path: Path
) -> None:
    run(tmp_path / "store", network, GAMES, 2)
    assert contents(tmp_path / "store") == contents(whole)


def test_a_killed_extraction_goes_on_to_the_same_bytes(
    whole: Path, network: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    command = [sys.executable, "-m", "tests.go.extracting", str(store), str(network), str(GAMES)]
    process = subprocess.Popen([*command, "1"], cwd=ROOT, start_new_session=True)
    try:
        end = time.monotonic() + 60
        while not [*(store / PARTS).glob("0*")]:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.002)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done = [p.name for p in sorted((store / PARTS).glob("0*"))]
    assert 0 < len(done) < GAMES // 2, "it was killed too late"
    before = {name: (store / PARTS / name).stat().st_mtime_ns for name in done}
    with pytest.raises(InputError, match="not complete"):
        FeatureStore.open(store)
    kept: dict[str, int] = {}
    with pytest.MonkeyPatch.context() as patch:
        # What was done before the kill is not done again.
        merge = feature_store.merge

        def looking(folder: Path, *rest: object) -> object:
            kept.update({n: (folder / PARTS / n).stat().st_mtime_ns for n in done})
            return merge(folder, *rest)  # type: ignore[arg-type]

        patch.setattr("yardstone.go.features.merge", looking)
        run(store, network, GAMES, 1)
    assert kept == before
    assert contents(store) == contents(whole)


@pytest.mark.parametrize("step", [1, 2, 5, 6, 7, 8, 10, 14, 15, 16, 20, 21])
def test_a_kill_while_parts_are_put_together(
    step: int, whole: Path, parts: Path, network: Path, tmp_path: Path
) -> None:
    """The program stops between two changes on the disk."""
    store = tmp_path / "store"
    shutil.copytree(parts, store)
    steps = 0

    def stop() -> None:
        nonlocal steps
        steps += 1
        if steps == step:
            raise KeyboardInterrupt

    real_copy, real_replace, real_rename = feature_store._copy, Path.replace, Path.rename

    def copy(path: Path, *rest: object) -> None:
        if path.name == "pick.npy.unfinished":
            stop()
        real_copy(path, *rest)  # type: ignore[arg-type]

    def replace(path: Path, target: Path) -> Path:
        if target.parent.name == PARTS:
            stop()
        return real_replace(path, target)

    def rename(path: Path, target: Path) -> Path:
        stop()
        return real_rename(path, target)

    stopped = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feature_store, "_copy", copy)
        patch.setattr(Path, "replace", replace)
        patch.setattr(Path, "rename", rename)
        try:
            run(store, network, GAMES, 1)
        except KeyboardInterrupt:
            stopped = True
    assert stopped == (step <= 6 + 6 + 8)  # six parts copied and emptied, eight arrays renamed
    run(store, network, GAMES, 1)
    assert contents(store) == contents(whole)


def test_games_that_cannot_be_used_are_left_out(network: Path, tmp_path: Path) -> None:
    good = random_game(1, moves=8)
    taken = replace(good, moves=np.array([3, 3], np.int16), colours=np.array([1, 2], np.int8))
    stones = replace(good, setup_black=np.array([500], np.int16))
    large = replace(good, size=25)
    store = extract_features(
        lambda: [taken, good, stones, large],
        tmp_path / "store",
        ExtractionSettings(net=str(network)),
    )
    assert len(store) == 1
    assert store.settings["skipped"] == 3
    lines = (tmp_path / "store" / "skipped.csv").read_text().splitlines()
    assert lines[1] == "games.sgf,1,move 2 is illegal (White D9)"
    assert len(lines) == 4
    np.testing.assert_array_equal(store.array("point")[:2], good.moves[[0, 2]])


def test_whole_trunks_are_of_one_size(network: Path, tmp_path: Path) -> None:
    games = [random_game(1, size=5, moves=6), random_game(2, size=7, moves=6)]
    settings = ExtractionSettings(net=str(network), trunk=("trunk",), size=7)
    store = extract_features(lambda: games, tmp_path / "s", settings)
    assert store.array("trunk").shape == (6, 16, 7, 7)
    assert "the board is 5x5" in (tmp_path / "s" / "skipped.csv").read_text()
    with pytest.raises(UsageError, match="boards of one size"):
        ExtractionSettings(trunk=("trunk",))


def test_a_store_of_nothing(network: Path, tmp_path: Path) -> None:
    """All games are left out; none at all is an error."""
    large = replace(random_game(1), size=25)
    settings = ExtractionSettings(net=str(network))
    store = extract_features(lambda: [large], tmp_path / "s", settings)
    assert store.array("pick").shape == (0, 16)
    assert len(store.games["black"]) == 0
    assert store.players == {}
    with pytest.raises(NoGamesError):
        extract_features(list[GoGame], tmp_path / "t", settings)


def test_other_games_or_settings_are_refused(whole: Path, network: Path, tmp_path: Path) -> None:
    def again(games: int, settings: ExtractionSettings) -> FeatureStore:
        return extract_features(
            lambda: [random_game(k, moves=30) for k in range(games)], whole, settings
        )

    same = ExtractionSettings(net=str(network), trunk=("mean", "candidates", "pick"), batch=2)
    before = contents(whole)
    assert len(again(GAMES, same)) == GAMES
    with pytest.raises(InputError, match="other games"):
        again(GAMES - 1, same)
    with pytest.raises(InputError, match="another setting: komi is None, not 7"):
        again(GAMES, replace(same, komi=7.0))
    with pytest.raises(InputError, match="another setting: symmetries is 1, not 2"):
        again(GAMES, replace(same, symmetries=2))
    with pytest.raises(UsageError, match="symmetries is 9"):
        replace(same, symmetries=9)
    assert contents(whole) == before
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="something else"):
        extract_features(list[GoGame], tmp_path, same)


def test_features_of_several_symmetries_do_not_depend_on_how_the_board_lies(
    network: Path, tmp_path: Path
) -> None:
    game = random_game(1, moves=40)
    quarter = symmetry_points(game.size)[5]
    points = np.where(game.moves < 0, game.moves, quarter[game.moves])
    other = replace(game, moves=points.astype(game.moves.dtype))
    settings = ExtractionSettings(net=str(network), trunk=TRUNK_KINDS[:4], symmetries=4)
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


def test_two_processes_do_not_make_one_store(network: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    (store / PARTS).mkdir(parents=True)
    with (
        locked(store, "making this store", name=f"{PARTS}/lock"),
        pytest.raises(InputError, match="another process"),
    ):
        run(store, network, 2, 1)


def test_damaged_stores(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a store"):
        FeatureStore.open(tmp_path)

    def damaged(name: str, data: bytes) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for file, content in contents(whole).items():
            (folder / file).write_bytes(content)
        (folder / name).write_bytes(data)
        return folder

    for data in (b"", b"{", b"[]", b'{"format": 1, "complete": true}'):
        with pytest.raises(InputError):
            FeatureStore.open(damaged("store.json", data))
        for file in (tmp_path / "store.json").iterdir():
            file.unlink()
        (tmp_path / "store.json").rmdir()
    pick = (whole / "pick.npy").read_bytes()
    for place, data in enumerate((b"", pick[:50], pick[:-1])):
        folder = damaged("pick.npy", data).rename(tmp_path / f"broken{place}")
        with pytest.raises(InputError, match=r"pick\.npy"):
            FeatureStore.open(folder)
    short = damaged("games.csv", b"file,game\na,b\n")
    with pytest.raises(InputError, match=r"games\.csv"):
        FeatureStore.open(short).games  # noqa: B018
    about = json.loads((whole / "store.json").read_text())
    for place, number in enumerate((2**64, -1, "2")):
        data = json.dumps({**about, "games": number}).encode()
        folder = damaged("store.json", data).rename(tmp_path / f"games{place}")
        with pytest.raises(InputError, match="damaged"):
            FeatureStore.open(folder)
    more = damaged("store.json", json.dumps({**about, "moves": 7}).encode())
    with pytest.raises(InputError, match="360 rows in place of 7"):
        FeatureStore.open(more)


def test_wrong_questions_to_a_store(whole: Path) -> None:
    store = FeatureStore.open(whole)
    with pytest.raises(UsageError, match="no 'trunk'"):
        store.array("trunk")
    with pytest.raises(UsageError, match="no 'number'"):
        store.features(0, "number")
    with pytest.raises(UsageError, match="not a colour"):
        store.rows(0, 3)
