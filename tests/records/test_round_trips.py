"""What is written of a pool can be read, in every format of games, whatever the names are."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.records.pools import games
from yardstone.pool import Pool
from yardstone.records.decoding import clean
from yardstone.records.formats import FORMATS, Writer, read_format
from yardstone.records.options import Options
from yardstone.records.sources import Source
from yardstone.records.unplayed import NOBODY

pytestmark = pytest.mark.usefixtures("one_database")

WRITERS = [(format.name, writer) for format in FORMATS.values() for writer in format.writers]
_ODD = "\"'\\,;|\t[](){}%#=&<>:/*?-+.1 aÄ段\u00a0\u2028\U0001f600"
#: Names as a reader may give them: cleaned, not empty, and of somebody.
NAMES = st.sampled_from(["Ann 3d", "古力九段", "1-0", "*", "null", "NaN", "1.0", "2024-01-02"]) | (
    st.text(st.sampled_from(_ODD) | st.characters(codec="utf-8"), max_size=12)
    .map(clean)
    .filter(lambda name: name and not re.fullmatch("|".join(NOBODY.values()), name.lower()))
)


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    players = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    pair = st.permutations(range(len(players)))
    game = st.tuples(pair, st.sampled_from([0.0, 0.5, 1.0]), st.integers(-8000, 20000))
    sides, score, days = zip(*draw(st.lists(game, min_size=1, max_size=6)), strict=True)
    first, second = np.array(sides)[:, :2].T
    time = np.array(days, "datetime64[D]").astype("datetime64[s]")
    return Pool(tuple(players), first, second, np.array(score), time)


@pytest.mark.parametrize(("name", "writer"), WRITERS, ids=[writer.name for _, writer in WRITERS])
def test_whatever_the_names(name: str, writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / f"games{writer.endings[0]}"

    @settings(max_examples=15)
    @given(pools())
    def tried(pool: Pool) -> None:
        pieces = [p if isinstance(p, bytes) else p.encode() for p in writer.pieces(pool)]
        path.write_bytes(b"".join(pieces))
        again = read_format(name, [Source(path.name, path)], Options(times=True))
        assert (games(again), again.skipped.total) == (games(pool), 0)
        np.testing.assert_array_equal(again.time, pool.time)

    tried()
