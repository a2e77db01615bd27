"""The search for patterns finds what a look at every position finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.go.slow_patterns import SlowSearch, crowded_game
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
    """Long random games on small boards: full of captures, kos and repeated positions."""
    folder = tmp_path_factory.mktemp("crowded")
    games = [crowded_game(seed, size=4 + seed % 3, moves=150) for seed in range(150)]
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
        expected = SlowSearch(patterns).index(crowded, games)
        result = find_patterns(crowded, patterns)
        assert runs(result) == expected
        assert sum(match.total for match in result) == len(expected) > 1000
        repeated = {(p, w, g) for p, w, g, _, _ in expected}
        captured += len(expected) - len(repeated)
    assert captured > 1000  # runs that came back in the same game, after captures


def test_threads_and_room_for_matches_change_nothing(
    crowded: GameIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = random_patterns(5, 6, 3)
    with parallel.context(workers=1):
        one = find_patterns(crowded, patterns)
    monkeypatch.setattr("yardstone.go.patterns.search._WORDS", 1)
    monkeypatch.setattr("yardstone.go.patterns.search.FIRST_ROOM", 1)
    with parallel.context(workers=2):
        two = find_patterns(crowded, patterns)
    for left, right in zip(one, two, strict=True):
        for name in ("game", "first", "last", "way"):
            assert getattr(left, name).tolist() == getattr(right, name).tolist()


def test_the_first_matches_are_kept_and_all_are_counted(crowded: GameIndex) -> None:
    (pattern,) = random_patterns(5, 1, 8)
    (whole,) = find_patterns(crowded, [pattern])
    (some,) = find_patterns(crowded, [pattern], most=7)
    assert (len(some), some.total) == (7, whole.total)
    assert some.first.tolist() == whole.first[:7].tolist()
    assert some.game.tolist() == whole.game[:7].tolist()


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


def test_boards_of_another_size_are_left_alone(crowded: GameIndex) -> None:
    (match,) = find_patterns(crowded, [read_diagram("--\n|X", size=13).pattern])
    assert (len(match), match.total) == (0, 0)


def test_it_does_not_matter_how_the_pattern_is_drawn(crowded: GameIndex) -> None:
    drawn = ["|X .\n|O ?\n---", ". X|\n? O|\n---", "---\nO ?\nX .", "---\n|O X\n|? ."]
    edges = [
        read_diagram(text.replace("---\nO ?\nX .", "---\n|X ?\n|O ."), size=5) for text in drawn
    ]
    totals = [match.total for match in find_patterns(crowded, [each.pattern for each in edges[:2]])]
    assert totals[0] == totals[1] > 0


def test_too_many_ways_to_lie_are_refused(
    crowded: GameIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("yardstone.go.patterns.search._MOST_PLACEMENTS", 100)
    with pytest.raises(UsageError, match="too many loose patterns"):
        find_patterns(crowded, [read_diagram("X O", size=5).pattern] * 4)
