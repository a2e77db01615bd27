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
def pool(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    games = gzip.decompress((EXAMPLES / "tcec.pgn.gz").read_bytes())
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    path.write_bytes(games[: games.index(b"[Event", 60_000)])
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
