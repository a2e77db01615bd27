"""The search for patterns finds what a look at every position finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.go.slow_patterns import crowded_game, slow_search
from yardstone import parallel
from yardstone.errors import UsageError
from yardstone.go.patterns import (
    GameIndex,
    Matches,
    Pattern,
    build_index,
    find_patterns,
    read_diagram,
)
from yardstone.go.patterns.pattern import ANY, allowed
from yardstone.go.points import BLACK, EMPTY, WHITE
from yardstone.records.sgf import write_sgf


def runs(matches: list[Matches]) -> set[tuple[int, int, int, int, int]]:
    """Pattern, way to lie, game, first and last position."""
    return {
        (pattern, *row)
        for pattern, match in enumerate(matches)
        for row in np.column_stack([match.way, match.game, match.first, match.last]).tolist()
    }


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> GameIndex:
    """Long random games on small boards: full of captures, kos and repeated positions.

    There are more than 64 of size 4: bits for more do not fit into a word.
    """
    folder = tmp_path_factory.mktemp("crowded")
    sizes = [4] * 70 + [5] * 15 + [6] * 15
    games = [crowded_game(seed, size=size, moves=80) for seed, size in enumerate(sizes)]
    (folder / "games.sgf").write_text(write_sgf(games))
    return build_index([folder / "games.sgf"], folder / "games.idx")[0]


def random_patterns(size: int, number: int, seed: int) -> list[Pattern]:
    random = np.random.default_rng(seed)
    result = []
    for k in range(number):
        points = np.full(size * size, ANY, np.uint8)
        known = random.choice(size * size, size=int(random.integers(2, 7)), replace=False)
        values = [allowed(EMPTY), allowed(BLACK), allowed(WHITE), allowed(BLACK, EMPTY),
                  allowed(WHITE, EMPTY), allowed(BLACK, WHITE)]  # fmt: skip
        points[known] = random.choice(values, size=len(known))
        points[known[0]] = allowed(BLACK)
        loose = (bool(k % 2), bool(k % 3 == 0))
        result.append(Pattern(size, points, loose, f"pattern {k}"))
    return result


def test_it_agrees_with_a_look_at_every_position(crowded: GameIndex) -> None:
    captured = 0
    for size in crowded.sizes:
        patterns = random_patterns(size, 12, size)
        group = crowded.group(size)
        assert group is not None
        games = range(group.first, group.first + len(group))
        expected = slow_search(patterns, crowded, games)
        result = find_patterns(crowded, patterns)
        assert runs(result) == expected
        assert sum(match.total for match in result) == len(expected) > 500
        repeated = {(p, w, g) for p, w, g, _, _ in expected}
        captured += len(expected) - len(repeated)
    assert captured > 500  # runs that came back in the same game, after captures


def test_threads_and_room_for_matches_change_nothing(
    crowded: GameIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = random_patterns(4, 6, 3)
    with parallel.context(workers=1):
        one = find_patterns(crowded, patterns)
    monkeypatch.setattr("yardstone.go.patterns.search._WORDS", 1)
    monkeypatch.setattr("yardstone.go.patterns.search.FIRST_ROOM", 1)
    with parallel.context(workers=2):
        two = find_patterns(crowded, patterns)
    for left, right in zip(one, two, strict=True):
        for name in ("game", "first", "last", "way"):
            assert getattr(left, name).tolist() == getattr(right, name).tolist()
    # Of many the first are kept, and all are counted: over several shares as well.
    for most in (0, 7, one[0].total - 1):
        some = find_patterns(crowded, patterns, most=most)[0]
        assert (len(some), some.total) == (most, one[0].total)
        assert some.first.tolist() == one[0].first[:most].tolist()
        assert some.game.tolist() == one[0].game[:most].tolist()


def test_a_captured_stone_is_gone(tmp_path: Path) -> None:
    # White is caught at A9, then the point is empty, and later Black's.
    (tmp_path / "g.sgf").write_text("(;SZ[9];B[ba];W[aa];B[ab];W[ee];B[ge];W[eg];B[aa])")
    index, _ = build_index([tmp_path / "g.sgf"], tmp_path / "g.idx")
    for corner, expected in ((".", (3, 6)), ("X", (7, 7)), ("b", (3, 7))):
        (match,) = find_patterns(index, [read_diagram(f"--\n|{corner} X\n|X .", size=9).pattern])
        placed = [match.placements[way] for way in match.way]
        result = {
            (first, last)
            for first, last, place in zip(match.first, match.last, placed, strict=True)
            if not place.swapped
        }
        assert result == {expected}, corner
    (match,) = find_patterns(index, [read_diagram("--\n|O X\n|X .", size=9).pattern])
    assert match.total == 0


def test_a_ko_that_goes_to_and_fro_is_a_new_run_each_time(tmp_path: Path) -> None:
    ko = (
        ";B[cb];W[db];B[bc];W[ec];B[cd];W[dd];B[gg];W[cc];B[dc];W[hh];B[ga];W[cc];B[ha];W[ia];B[dc]"
    )
    (tmp_path / "g.sgf").write_text(f"(;SZ[9]{ko})")
    index, _ = build_index([tmp_path / "g.sgf"], tmp_path / "g.idx")
    points = np.full(81, ANY, np.uint8)
    points[2 * 9 + 2], points[2 * 9 + 3] = allowed(EMPTY), allowed(BLACK)
    points[1 * 9 + 2] = allowed(BLACK)
    (match,) = find_patterns(index, [Pattern(9, points)])
    own = [k for k, way in enumerate(match.way) if match.placements[way].symmetry == 0
           and not match.placements[way].swapped]  # fmt: skip
    assert [(int(match.first[k]), int(match.last[k])) for k in own] == [(9, 11), (15, 15)]


def test_how_a_pattern_is_drawn_does_not_matter(crowded: GameIndex) -> None:
    drawn = ["|X .\n|O ?\n---", ". X|\n? O|\n---"]
    edges = [read_diagram(text, size=5).pattern for text in drawn]
    totals = [match.total for match in find_patterns(crowded, edges)]
    assert totals[0] == totals[1] > 0
    # Boards of another size are left alone.
    (match,) = find_patterns(crowded, [read_diagram("--\n|X", size=13).pattern])
    assert (len(match), match.total) == (0, 0)


def test_too_many_ways_to_lie_are_refused(
    crowded: GameIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = read_diagram("X O", size=5).pattern
    ways = len(pattern.placements())
    monkeypatch.setattr("yardstone.go.patterns.search._MOST_PLACEMENTS", 4 * ways)
    find_patterns(crowded, [pattern] * 4)
    with pytest.raises(UsageError, match="too many loose patterns"):
        find_patterns(crowded, [pattern] * 5)
