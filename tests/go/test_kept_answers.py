"""What a network said is kept between runs: to the last bit, and never in the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import IgnoredWarning, UsageError
from yardstone.go import evaluation_store
from yardstone.go.analysis import analyse
from yardstone.go.evaluator import TRUNK_KINDS, Evaluator, NetworkAnswer, ask
from yardstone.go.nets.network import Network, load_network
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame

KINDS = ("pick", "after", "candidates", "mean")


@pytest.fixture(scope="module")
def games() -> list[GoGame]:
    return [random_game(k, size=5 + 2 * (k % 3), moves=8) for k in range(4)]


@pytest.fixture
def load(net_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Network]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("YARDSTONE_CACHE", "10MB")
    return lambda: load_network(net_file, threads=1, cache=True)


def answers(
    network: Network, games: list[GoGame], kinds: tuple[str, ...] = KINDS
) -> tuple[list[NetworkAnswer], int]:
    evaluator = Evaluator(network, trunk=kinds)
    result = list(evaluator.answer(ask(games, SkipReport(), network, trunk=True)))
    return result, evaluator.evaluated


def facts(answers: list[NetworkAnswer]) -> list[Any]:
    return [(asdict(each.assessment), each.features) for each in answers]


def test_the_next_run_says_the_same_without_the_network(
    load: Callable[[], Network], network: Network, games: list[GoGame], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    first, three = answers(load(), games[:3])
    _, alone = answers(network, games[3:])
    second, evaluated = answers(load(), games)
    assert 0 < evaluated <= alone < three, "one more game costs that game only"
    np.testing.assert_equal(facts(first), facts(second[:3]))
    third, evaluated = answers(load(), games)
    assert evaluated == 0
    np.testing.assert_equal(facts(second), facts(third))
    other = load_network(small_network(tmp_path, seed=9), threads=1, cache=True)
    assert answers(other, games[:1])[1] > 0, "each network has its own"
    # So it is with a search.
    losses = analyse(games[2], load()).losses
    again = load()
    monkeypatch.setattr(again, "evaluate", lambda *_, **__: pytest.fail("the network was asked"))
    said = analyse(games[2], again).losses
    assert said.points.tobytes() == losses.points.tobytes()


def test_trunks_that_were_not_kept_are_asked_for(
    load: Callable[[], Network], network: Network, games: list[GoGame]
) -> None:
    first, positions = answers(load(), games, ())
    expected, _ = answers(network, games)
    second, evaluated = answers(load(), games)
    assert 0 < evaluated <= positions
    for one, other, before in zip(expected, second, first, strict=True):
        for kind, values in one.features.items():
            theirs = other.features[kind].astype(float)
            np.testing.assert_allclose(values.astype(float), theirs, atol=2e-2)
        # What was said before stands.
        assert before.assessment.policy.tobytes() == other.assessment.policy.tobytes()
    third, evaluated = answers(load(), games)
    assert evaluated == 0
    np.testing.assert_equal(facts(second), facts(third))
    # The whole trunk is never kept.
    whole, evaluated = answers(load(), [game for game in games if game.size == 7], TRUNK_KINDS)
    assert evaluated > 0
    assert whole[0].features["trunk"].shape[-1] == 7


def test_other_inputs_have_other_keys(network: Network) -> None:
    planes = np.random.default_rng(1).integers(0, 2, (22, 9, 9)).astype(np.float32)
    numbers = np.zeros(19, np.float32)
    same = {
        evaluation_store.inputs_key(network, planes.astype(kind), numbers)
        for kind in (np.uint8, np.float64)
    }
    assert len(same) == 1
    others: list[Any] = [planes / 2, planes * 2, 1 - planes, planes.reshape(22, 27, 3)]
    keys = {evaluation_store.inputs_key(network, each, numbers) for each in others}
    assert len({*same, *keys, evaluation_store.inputs_key(network, planes, numbers + 1)}) == 6


def test_a_store_of_bounded_size_forgets_what_was_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.sqlite"
    keys = [k.to_bytes(16, "big") for k in range(500)]
    for start in range(0, 500, 50):
        monkeypatch.setattr(evaluation_store, "_today", lambda now=start: 100 + now)
        store = evaluation_store.EvaluationStore(file, 1 << 18)
        store.get(keys[:20])
        for key in keys[start : start + 50]:
            store.put(key, bytes(1000))
        store.close()
    store = evaluation_store.EvaluationStore(file, 1 << 18)
    result = store.get(keys)
    store.close()
    assert {*keys[:20], *keys[-50:]} <= set(result)  # the first were used every day
    assert 100 < len(result) < 300
    assert file.stat().st_size < 1.5 * (1 << 18)
    # What was kept by a wrong clock, years ahead, does not drive out what is used today.
    store = evaluation_store.EvaluationStore(tmp_path / "clock.sqlite", 100_000)
    for now, some in ((40_000, keys[:20]), (20_000, keys[20:40])):
        monkeypatch.setattr(evaluation_store, "_today", lambda now=now: now)
        for key in some:
            store.put(key, bytes(4000))
            store.flush()
    assert store.get(keys[35:40]).keys() == set(keys[35:40])
    assert len(store.get(keys[:20])) < len(store.get(keys[20:40]))
    store.close()


def test_a_damaged_file_is_thrown_away(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    for damage in (b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000):
        file.write_bytes(damage)
        with pytest.warns(IgnoredWarning, match="damaged and were thrown away"):
            store = evaluation_store.EvaluationStore(file, 1 << 20)
        store.put(b"k", b"value")
        store.close()
        store = evaluation_store.EvaluationStore(file, 1 << 20)
        assert store.get([b"k"]) == {b"k": b"value"}
        store.close()
    # Damage within the file is no value, or no file.
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("UPDATE answer SET value = value || x'00'")
    store = evaluation_store.EvaluationStore(file, 1 << 20)
    assert store.get([b"k"]) == {}
    store.close()
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    store = evaluation_store.EvaluationStore(file, 1 << 20)
    with pytest.warns(IgnoredWarning, match="damaged and were thrown away"):
        assert store.get([b"k"]) == {}
    store.put(b"k", b"value")
    store.close()
    assert (store.works, file.exists()) == (False, False)


def test_several_use_a_file_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda file, **_: connect(file, timeout=0))
    one, two = (evaluation_store.EvaluationStore(tmp_path / "a.sqlite", 1 << 20) for _ in range(2))
    one.put(b"a", b"1")
    one.flush()
    assert two.get([b"a"]) == {b"a": b"1"}
    # Where another writes for long what was to be written is lost, and no harm done.
    with closing(connect(one.file)) as base, base:
        base.execute("BEGIN IMMEDIATE")
        two.put(b"b", b"2")
        two.flush()
        assert two.get([b"a", b"b"]) == {b"a": b"1"}
    two.put(b"b", b"2")
    two.close()
    assert one.get([b"b"]) == {b"b": b"2"}
    one.close()


def test_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert evaluation_store.evaluations_folder() == tmp_path / "yardstone" / "evaluations"
    for text, size in (
        *(("", 1 << 30), ("off", 0), ("no", 0), ("0", 0), ("1.5k", 1536), ("3", 3)),
        *(("500 MB", 500 << 20), ("2g", 2 << 30), ("1TiB", 1 << 40)),
    ):
        monkeypatch.setenv("YARDSTONE_CACHE", text)
        assert evaluation_store.size_limit() == size
        assert size or evaluation_store.open_store() is None
    monkeypatch.setenv("YARDSTONE_CACHE", "much")
    with pytest.raises(UsageError, match="YARDSTONE_CACHE is 'much'"):
        evaluation_store.size_limit()
    # Where nothing can be written nothing is kept.
    (tmp_path / "file").write_text("no folder")
    assert evaluation_store.open_store(tmp_path / "file" / "a.sqlite", 1 << 20) is None
