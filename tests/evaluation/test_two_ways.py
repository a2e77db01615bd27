"""Plain Python and machine code on real games: the same to all digits that are shown."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluation.needed_columns import with_needed
from yardstone import Pool, read
from yardstone.evaluation.history import rating_history
from yardstone.kernels import Loops
from yardstone.kernels.settings import CHOSEN, ChosenWay, Way
from yardstone.ratings.rating_list import rate_list
from yardstone.ratings.systems import SEQUENTIAL
from yardstone.records.options import Options
from yardstone.records.pgn import read_pgn
from yardstone.records.sources import Source

EXAMPLES = Path(__file__).resolve().parents[2] / "src" / "yardstone" / "examples"


def both(function: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    results = []
    for way in Way:
        for loops in Loops:
            monkeypatch.setattr(loops, "small", np.inf)
        token = CHOSEN.set(ChosenWay(way, Loops.RATING))
        try:
            results.append(function())
        finally:
            CHOSEN.reset(token)
    return results


@pytest.fixture(scope="module")
def text() -> bytes:
    games = gzip.decompress((EXAMPLES / "tcec.pgn.gz").read_bytes())
    return games[: games.index(b"[Event", 60_000)]


@pytest.fixture
def pool(text: bytes, tmp_path: Path) -> Pool:
    path = tmp_path / "games.pgn"
    path.write_bytes(text)
    return read(str(path))


def test_a_rating_list_is_the_same(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, machine = both(lambda: rate_list(pool), monkeypatch)
    for name in ("rating", "deviation"):
        one, other = getattr(plain.ratings, name), getattr(machine.ratings, name)
        np.testing.assert_allclose(one, other, rtol=1e-11)
    assert [r["rank_low"] for r in plain.records()] == [r["rank_low"] for r in machine.records()]


@pytest.mark.parametrize("system", [*sorted(set(SEQUENTIAL) - {"decaying-bradley-terry"}), "whr"])
def test_a_history_is_the_same(pool: Pool, system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    part = with_needed(pool.select(np.arange(60)), system)

    def rated() -> Any:
        return rating_history(part, system=system, intervals=False).rated.ratings.rating

    plain, machine = both(rated, monkeypatch)
    np.testing.assert_allclose(plain, machine, rtol=1e-11)


def test_damaged_files_are_read_the_same(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    moves = b'1. e4 {a [%clk 0:01] "b"} e5 ; rest [Event "x"]\n% escaped\n2. Nf3 *\n\n'
    whole = np.frombuffer(text[:6000].replace(b"\n\n1", b"\n\n" + moves + b"1"), np.uint8)
    marks = np.frombuffer(b'[]{};%"\\\r\n x*', np.uint8)
    path = tmp_path / "damaged.pgn"

    def games() -> tuple[Any, ...]:
        pool = read_pgn([Source(str(path), path)], Options(), once=False)
        details = [str(each) for each in pool.skipped.details]
        return pool.players, pool.first.tolist(), pool.score.tolist(), details

    for _ in range(25):
        damaged = whole.copy()
        damaged[rng.integers(0, len(damaged), 60)] = rng.choice(marks, 60)
        path.write_bytes(damaged.tobytes())
        plain, machine = both(games, monkeypatch)
        assert plain == machine
