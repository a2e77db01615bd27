"""What a network said is kept between runs: to the last bit, and never in the way."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import IgnoredWarning, UsageError
from yardstone.go import evaluation_store
from yardstone.go.analysis import analyse
from yardstone.go.evaluation_store import (
    EvaluationStore,
    evaluations_folder,
    inputs_key,
    open_store,
    size_limit,
)
from yardstone.go.evaluator import TRUNK_KINDS, Evaluator, NetworkAnswer, ask
from yardstone.go.nets.network import Network, load_network
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame

KINDS = ("pick", "after", "candidates", "mean")


@pytest.fixture(scope="module")
def games() -> list[GoGame]:
    return [random_game(k, size=5 + 2 * (k % 3), moves=12) for k in range(4)]


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


def assert_same(some: list[NetworkAnswer], others: list[NetworkAnswer]) -> None:
    for one, other in zip(some, others, strict=True):
        for name in ("white_win", "no_result", "white_lead", "white_score", "policy"):
            mine, theirs = getattr(one.assessment, name), getattr(other.assessment, name)
            assert mine.tobytes() == theirs.tobytes()
        assert one.features.keys() == other.features.keys()
        for kind, values in one.features.items():
            assert values.dtype == other.features[kind].dtype
            assert values.tobytes() == other.features[kind].tobytes()


def test_the_next_run_says_the_same_without_the_network(
    load: Callable[[], Network], network: Network, games: list[GoGame], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    first, three = answers(load(), games[:3])
    _, alone = answers(network, games[3:])
    second, evaluated = answers(load(), games)
    assert 0 < evaluated <= alone < three, "one more game costs that game only"
    assert_same(first, second[:3])
    third, evaluated = answers(load(), games)
    assert evaluated == 0
    assert_same(second, third)
    other = load_network(small_network(tmp_path, seed=9), threads=1, cache=True)
    assert answers(other, games[:1])[1] > 0, "each network has its own"
    # So it is with a search.
    losses = analyse(games[2], load()).losses
    again = load()
    monkeypatch.setattr(again, "evaluate", lambda *_, **__: pytest.fail("the network was asked"))
    for name in ("points", "visits"):
        said = getattr(analyse(games[2], again).losses, name)
        assert said.tobytes() == getattr(losses, name).tobytes()


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
    assert_same(second, third)
    # The whole trunk is never kept.
    whole, evaluated = answers(load(), [game for game in games if game.size == 7], TRUNK_KINDS)
    assert evaluated > 0
    assert whole[0].features["trunk"].shape[-1] == 7


def test_other_inputs_have_other_keys(network: Network) -> None:
    planes = np.random.default_rng(1).integers(0, 2, (22, 9, 9)).astype(np.float32)
    numbers = np.zeros(19, np.float32)
    same = {inputs_key(network, planes.astype(kind), numbers) for kind in (np.uint8, np.float64)}
    assert len(same) == 1
    others: list[tuple[Any, Any]] = [
        (each, numbers) for each in (planes / 2, planes * 2, 1 - planes)
    ]
    others += [(planes, numbers + 1), (planes.reshape(22, 27, 3), numbers)]
    assert len({*same, *(inputs_key(network, *each) for each in others)}) == 6


def test_a_store_of_bounded_size_forgets_what_was_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.sqlite"
    values = {k.to_bytes(16, "big"): os.urandom(1000) for k in range(500)}
    keys = list(values)
    for day, start in enumerate(range(0, 500, 50)):
        monkeypatch.setattr(evaluation_store, "_today", lambda now=day: 100 + now)
        store = EvaluationStore(file, 1 << 18)
        store.get(keys[:20])
        for key in keys[start : start + 50]:
            store.put(key, values[key])
        store.close()
    store = EvaluationStore(file, 1 << 18)
    result = store.get(keys)
    store.close()
    assert all(values[key] == value for key, value in result.items())
    assert {*keys[:20], *keys[-50:]} <= set(result)  # the first were used every day
    assert 100 < len(result) < 300
    assert file.stat().st_size < 1.5 * (1 << 18)


def test_a_damaged_file_is_thrown_away(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    for damage in (b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000):
        file.write_bytes(damage)
        with pytest.warns(IgnoredWarning, match="damaged and were thrown away"):
            store = EvaluationStore(file, 1 << 20)
        store.put(b"k", b"value")
        store.close()
        assert EvaluationStore(file, 1 << 20).get([b"k"]) == {b"k": b"value"}
    # Damage within the file is no error and no value.
    values = {k.to_bytes(16, "big"): os.urandom(3000) for k in range(100)}
    rng = np.random.default_rng(1)
    for _ in range(4):
        file.unlink(missing_ok=True)
        store = EvaluationStore(file, 1 << 22)
        for key, value in values.items():
            store.put(key, value)
        store.close()
        data = bytearray(file.read_bytes())
        for at in rng.integers(4096, len(data), 20).tolist():
            data[at] ^= 0xFF
        file.write_bytes(data)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("warnings.warn", lambda *_, **__: None)
            again = EvaluationStore(file, 1 << 22)
            result = again.get(list(values))
            again.put(b"new", b"value")
            again.close()
        assert all(values[key] == value for key, value in result.items())


WORK = """
import os, sys
from pathlib import Path
from yardstone.go.evaluation_store import EvaluationStore
store = EvaluationStore(Path(sys.argv[1]), 1 << 24)
for k in range(300):
    key = (k * 7919 % 1000).to_bytes(16, "big")
    for found in store.get([key]).values():
        assert found == key * 100
    store.put(key, key * 100)
    if k % 40 == 0:
        store.flush()
store.close()
"""


def test_several_processes_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    workers = [subprocess.Popen([sys.executable, "-c", WORK, str(file)]) for _ in range(3)]
    assert [worker.wait(600) for worker in workers] == [0] * 3
    with closing(sqlite3.connect(file)) as base, base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert base.execute("SELECT count(*) FROM answer").fetchone() == (300,)


def test_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert evaluations_folder() == tmp_path / "yardstone" / "evaluations"
    for text, size in (
        *(("", 1 << 30), ("off", 0), ("no", 0), ("0", 0), ("1.5k", 1536), ("3", 3)),
        *(("500 MB", 500 << 20), ("2g", 2 << 30), ("1TiB", 1 << 40)),
    ):
        monkeypatch.setenv("YARDSTONE_CACHE", text)
        assert size_limit() == size
        if size == 0:
            assert open_store() is None
    monkeypatch.setenv("YARDSTONE_CACHE", "much")
    with pytest.raises(UsageError, match="YARDSTONE_CACHE is 'much'"):
        size_limit()
    # Where nothing can be written nothing is kept.
    (tmp_path / "file").write_text("no folder")
    assert open_store(tmp_path / "file" / "a.sqlite", 1 << 20) is None


def test_a_clock_that_was_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept by a wrong clock, years ahead, does not drive out what is used today."""
    monkeypatch.setattr(evaluation_store, "_today", lambda: 40_000)
    store = EvaluationStore(tmp_path / "kept.sqlite", 100_000)
    old = [b"old %d" % k for k in range(20)]
    new = [b"new %d" % k for k in range(20)]
    for key in old:
        store.put(key, bytes(4000))
    store.flush()
    monkeypatch.setattr(evaluation_store, "_today", lambda: 20_000)
    for key in new:
        store.put(key, bytes(4000))
        store.flush()
    assert store.get(new[-5:]).keys() == set(new[-5:])
    assert len(store.get(old)) < len(store.get(new))
    store.close()
