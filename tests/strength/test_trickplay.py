"""Trick plays: problems as people write them, set into games, and their answers rated."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.strength.estimate_cases import Case
from tests.strength.trickplay_cases import GAME, PROBLEM, index_of, moves_sgf, problems_of, turned
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.go.board import Board
from yardstone.go.patterns.pattern import ANY, allowed
from yardstone.go.points import BLACK, EMPTY, WHITE, point_name, point_number
from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.players import evaluate_games
from yardstone.strength.site_scales import site_scale
from yardstone.strength.strengths import Rated, Rater
from yardstone.strength.trickplay import (
    Completion,
    RatedProblem,
    RatedProblems,
    Variation,
    complete_problems,
    rate_problems,
    read_problems,
)
from yardstone.strength.trickplay.rating import RatedVariation

TEXT = """
# A comment, and a problem of the corner.
problem: the corner
? ? . . . . |
. . O . . . |
. . . . O . |
. . X . . . |
. . . . . . |
. . . . . . |
------------+
last: Q5
refutation: S3 R4 R3
failure: O4 R3
failure: T1
"""


def at(name: str) -> int:
    return point_number(name, 19)


def names(points: Iterable[Any], size: int = 19) -> list[str]:
    return [point_name(int(point), size) for point in points]


def test_a_record_with_two_variations_is_a_problem(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, PROBLEM)
    assert (problem.name, problem.to_answer, problem.last) == ("p", BLACK, -1)
    assert (problem.bounds, problem.bounds_from) == ("M6:T1", "inferred")
    first, second = problem.variations
    assert (first.name, names(first.points)) == ("refutation", ["R3", "Q4", "Q3"])
    assert (second.name, names(second.points)) == ("failure", ["N4", "Q3", "P4"])
    assert first.colours.tolist() == [BLACK, WHITE, BLACK]
    values = {name: int(problem.pattern.points[at(name)]) for name in
              ("P3", "R4", "P5", "Q4", "T1", "M6", "L6", "M7")}  # fmt: skip
    assert values == {
        "P3": allowed(BLACK), "R4": allowed(WHITE), "P5": allowed(WHITE), "Q4": allowed(EMPTY),
        "T1": allowed(EMPTY), "M6": allowed(EMPTY), "L6": ANY, "M7": ANY,
    }  # fmt: skip
    # Bounds are told by the record or by the caller.
    (problem,) = problems_of(tmp_path, PROBLEM.replace("SZ[19]", "SZ[19]VW[jj:ss]"))
    assert (problem.bounds, problem.bounds_from) == ("K10:T1", "stated")
    problems, _ = read_problems(tmp_path / "p.sgf", bounds="T1:H10")
    assert (problems[0].bounds, problems[0].bounds_from) == ("H10:T1", "stated")
    (problem,), _ = read_problems(tmp_path / "p.sgf", bounds="K10:R2")
    inside = {name: problem.pattern.points[at(name)] != ANY for name in
              ("K10", "R10", "K2", "R2", "K11", "J10", "S2", "R1")}  # fmt: skip
    assert list(inside.values()) == [True] * 4 + [False] * 4
    with pytest.raises(NoGamesError, match="outside the bounds"):
        read_problems(tmp_path / "p.sgf", bounds="A1:C3")
    with pytest.raises(NoGamesError, match="not bounds"):
        read_problems(tmp_path / "p.sgf", bounds="everything")


def test_names_and_marks_tell_the_kinds(tmp_path: Path) -> None:
    texts = {
        "(;SZ[19]AB[oq]AW[qp](;B[qq]N[Wrong])(;B[mp]N[Solution]))": ["failure", "refutation"],
        "(;SZ[19]AB[oq]AW[qp](;B[qq]BM[1])(;B[mp]TE[1]))": ["failure", "refutation"],
        "(;SZ[19]AB[oq]AW[qp](;B[qq])(;B[mp])(;B[pp]))": ["refutation", "failure 1", "failure 2"],
        "(;SZ[19]AB[oq]AW[qp];B[qq];W[pp])": ["refutation"],
    }
    problems = problems_of(tmp_path, *texts)
    assert [[v.name for v in p.variations] for p in problems] == list(texts.values())
    assert [p.name for p in problems] == ["p", "p #2", "p #3", "p #4"]
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for number in (10, 9, 1):  # they are read in the order of their numbers
            archive.writestr(f"problem{number}.sgf", PROBLEM)
    problems, _ = read_problems(tmp_path / "all.zip")
    assert [problem.name for problem in problems] == ["problem1", "problem9", "problem10"]


def test_which_stone_is_the_last_one_and_who_answers(tmp_path: Path) -> None:
    # White's stone at aa is captured by ab, then White plays the last stone at cc.
    text = "(;SZ[9];B[ba];W[aa];B[ab];W[cc](;B[dd])(;B[aa]))"
    (problem,) = problems_of(tmp_path, text)
    assert problem.pattern.points[0] == allowed(EMPTY)
    assert (problem.to_answer, names([problem.last], 9)) == (BLACK, ["C7"])
    for mark, last in (("[oo]", at("P5")), ("[oo][qp]", -1), ("[oq]", -1)):
        marked = PROBLEM.replace("AB[oq]", f"AB[oq]TR{mark}")
        assert problems_of(tmp_path, marked)[0].last == last
    text = "(;SZ[19]AB[oq]AW[qp]PL[W](;W[qq])(;W[mp]))"
    assert problems_of(tmp_path, text)[0].to_answer == WHITE
    # Where a variation leaves the bounds, the point must be empty.
    (problem,) = problems_of(tmp_path, PROBLEM.replace("SZ[19]", "SZ[19]VW[oo:ss]"))
    assert problem.pattern.points[at("N4")] == allowed(EMPTY)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;SZ[19]AB[oq]AW[qp])", "no variation"),
        ("(;SZ[19](;B[qq])(;B[mp]))", "no stone"),
        ("(;SZ[19]AB[oq]AW[oq](;B[qq])(;B[mp]))", "P3 is set up twice"),
        ("(;SZ[19]AB[oq][zz]AW[qp](;B[qq]))", "not a point of a 19x19 board"),
        ("(;SZ[19]AB[oq]AW[qp](;B[qq];W[qq])(;B[mp]))", "move 2 of the refutation is illegal"),
        ("(;SZ[19]AB[oq]AW[qp](;B[oq])(;B[mp]))", "move 1 of the refutation is illegal"),
        ("(;SZ[19]AB[oq]AW[qp](;B[qq])(;W[mp]))", "the failure is begun by the other side"),
        ("(;SZ[19]PL[W]AB[oq]AW[qp](;B[qq])(;B[mp]))", "begun by the other side"),
        ("(;SZ[25]AB[oq]AW[qp](;B[qq]))", "boards of size 25 are not supported"),
        ("(;SZ[9:13]AB[cc]AW[dd](;B[ee]))", "not a size of a board"),
        ("(;SZ[9]AB[oq]AW[qp](;B[qq]))", "not a point of a 9x9 board"),
        ("(;GM[2]AB[oq](;B[qq])(;B[mp]))", "not a game of Go"),
        ("(;SZ[9]AB[aa]AW[ab][ba](;B[cc])(;B[dd]))", "liberties"),
        ("(;SZ[19]AB[oq]AW[qp](;B[qq];AW[aa])(;B[mp]))", "set up within a variation"),
        ("(;SZ[19]AB[oq]AW[qp](;C[nothing])(;B[mp]))", "the refutation has no move"),
        ("(;SZ[9]VW[aa:cc]AB[dd]AW[ee](;B[ff]))", "outside the bounds"),
    ],
)
def test_what_is_no_problem_is_skipped_with_the_reason(
    tmp_path: Path, text: str, reason: str
) -> None:
    (tmp_path / "p.sgf").write_text(f"{PROBLEM}\n{text}")
    problems, skipped = read_problems(tmp_path / "p.sgf")
    assert (len(problems), len(skipped), skipped.details[0].line) == (1, 1, 2)
    assert reason in skipped.details[0].reason
    with pytest.raises(StrictError, match=r"p\.sgf:2: "):
        read_problems(tmp_path / "p.sgf", strict=True)


def test_deep_and_broad_trees_are_no_trouble(tmp_path: Path) -> None:
    free = [chr(97 + x) + chr(97 + y) for y in range(5) for x in range(19)]
    passes = "".join(f";{'BW'[k % 2]}[]" for k in range(400))
    nested = "(" * 30_000 + ";B[aa]" + ")" * 30_000
    branches = [
        f"{passes};B[aa]",
        "".join(f"(;B[{point}])" for point in free[:65]),
        f"{nested}(;B[bb]))",
        passes,
        "".join(f"(;B[{point}])" for point in free[:64]),
    ]
    problems = [*(f"(;SZ[19]AB[oq]AW[qp]{each})" for each in branches), PROBLEM]
    (tmp_path / "p.sgf").write_text("\n".join(problems))
    read, skipped = read_problems(tmp_path / "p.sgf")
    reasons = " ".join(record.reason for record in skipped.details)
    assert "more than 400 moves" in reasons
    assert "more than 64 variations" in reasons
    assert [len(problem.variations) for problem in read[-3:]] == [1, 64, 2]
    assert len(read[-3].variations[0]) == 400


def test_text_with_diagrams_holds_problems(tmp_path: Path) -> None:
    short = "X . |\n. O |\n----+\nrefutation: T2\nfailure: S1\n"
    loose = "problem: loose\nto play: white\nsize: 9\n. X .\n. O .\nrefutation: A1 C1\n"
    first, *_, last = result = problems_of(tmp_path, TEXT, short, loose, name="p.txt")
    assert [problem.name for problem in result] == ["the corner", "2", "loose"]
    assert (first.line, first.to_answer, names([first.last])) == (3, BLACK, ["Q5"])
    assert (first.bounds, first.bounds_from) == ("O6:T1", "drawn")
    assert [(v.name, names(v.points)) for v in first.variations] == [
        ("refutation", ["S3", "R4", "R3"]), ("failure 1", ["O4", "R3"]), ("failure 2", ["T1"]),
    ]  # fmt: skip
    assert (last.size, last.to_answer, last.pattern.loose) == (9, WHITE, (True, True))
    assert names(last.variations[0].points, 9) == ["A1", "C1"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("X . |\n. O\nrefutation: T1", 2, "other"),
        ("X O |\nrefutation: Z9", 2, "'Z9' is not a point"),
        ("X O |\nsize: many\nrefutation: T1", 2, "not a size of a board"),
        ("X O |\nto play: red\nrefutation: T1", 2, "not a colour"),
        ("X O |\nlast: S1\nrefutation: R1", 1, "no stone of the opponent"),
        ("refutation: T1", 1, "no diagram"),
        ("X O |\n", 1, "no variation"),
        ("size: 3\nX . . . |\nrefutation: T1", 2, "4 columns, the board 3"),
        ("X O |\nrefutation: T2\nand so on", 3, "neither a row of a diagram"),
    ],
)
def test_text_that_is_no_problem_is_skipped_with_its_line(
    tmp_path: Path, text: str, line: int, reason: str
) -> None:
    (tmp_path / "p.txt").write_text(text)
    try:
        _, skipped = read_problems(tmp_path / "p.txt")
        result = [(record.line, record.reason) for record in skipped.details]
    except NoGamesError as error:
        result = [(error.line or 0, error.message)]
    assert any(place == line and reason in said for place, said in result), result


def stones(game: GoGame) -> list[int]:
    board = Board(19, setup_black=game.setup_black, setup_white=game.setup_white)
    for point, colour in zip(game.moves.tolist(), game.colours.tolist(), strict=True):
        board.play(point, colour, tolerant=True)
    return [int(colour) for colour in board.stones]


def complete(folder: Path, problem: str, *games: str, **options: object) -> Completion:
    index = index_of(folder, *(game if "(;" in game else moves_sgf(game) for game in games))
    problems = problems_of(folder, problem)
    return complete_problems(problems, index, **options)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("symmetry", range(8))
def test_a_game_is_turned_as_the_problem_lies(tmp_path: Path, symmetry: int, swapped: bool) -> None:
    result = complete(tmp_path, PROBLEM, turned(GAME, symmetry, swapped=swapped))
    (board,) = result.boards
    assert (result.found, result.put_back, board.moves, board.changes) == (1, (), 4, ())
    expected = [0] * 361
    for name, colour in (("P3", 1), ("R4", 2), ("D16", 1), ("P5", 2)):
        expected[at(name)] = colour
    assert stones(board.game) == expected
    assert (board.game.black, board.game.white) == (("Bob", "Ann") if swapped else ("Ann", "Bob"))
    assert board.game.file.endswith("games.sgf")
    game = result.game(board, result.problem.variations[0])
    assert game.moves.tolist() == [at(n) for n in ("P3", "R4", "D16", "P5", "R3", "Q4", "Q3")]
    assert game.colours.tolist() == [1, 2, 1, 2, 1, 2, 1]


def test_the_side_to_answer_must_be_to_move(tmp_path: Path) -> None:
    late = "W oo B oq W qp"  # Black is to move
    wrong = "W oo W qp B oq W dd"  # White is, and then plays elsewhere
    result = complete(tmp_path, PROBLEM, wrong, late, boards=2)
    boards = [(board.number, board.moves, board.changes) for board in result.boards]
    assert boards == [(0, 4, ()), (1, 3, ())]
    # Where that is nowhere so, the other side passes.
    result = complete(tmp_path, PROBLEM, "W oo W qp B oq")
    (board,) = result.boards
    assert [change.text(19) for change in board.changes] == ["White passes"]
    assert board.game.moves.tolist()[-1] == -1
    assert board.game.colours.tolist()[-1] == 2


def test_earliest_positions_come_first_and_seeds_decide_otherwise(tmp_path: Path) -> None:
    games = [
        "B oq W qp " + " ".join(f"B {x}d W {x}f" for x in "abcdefgh"[: 8 - k]) + " B dd W oo"
        for k in range(8)
    ]
    chosen = [
        [board.number for board in complete(tmp_path, PROBLEM, *games, boards=3, seed=seed).boards]
        for seed in (None, 1, 1, 2)
    ]
    assert chosen[:2] == [[7, 6, 5], chosen[2]]
    assert len({tuple(each) for each in chosen}) > 2
    again = complete(tmp_path, PROBLEM, GAME, GAME + " B qf", boards=5)
    assert (again.found, len(again.boards)) == (2, 1)  # equal positions are taken once


def test_a_position_that_does_not_occur_is_reduced_by_its_last_stones(tmp_path: Path) -> None:
    games = ["B oq W qp B dd W qf B dp W dc", "W oo B oq W dd"]
    for mark in ("", "TR[oo]"):
        result = complete(tmp_path, PROBLEM.replace("AB", f"{mark}AB"), *games)
        (board,) = result.boards
        assert (result.found, result.put_back) == (0, ((at("P5"), 2),))
        assert (result.found_without, board.moves) == (1, 3)
        assert [change.text(19) for change in board.changes] == ["White P5 put back"]
        assert stones(board.game)[at("P5")] == 2
    other = complete(tmp_path, PROBLEM.replace("AB", "TR[qp]AB"), *games)
    assert other.put_back == ((at("R4"), 2),)
    assert complete(tmp_path, PROBLEM, *games, reduce=0).boards == ()
    result = complete(tmp_path, PROBLEM.replace("AB", "TR[oo]AB"), "B dd W qp B dp W dc")
    assert result.put_back == ((at("P3"), 1), (at("P5"), 2))
    (board,) = result.boards
    changes = [change.text(19) for change in board.changes]
    assert changes == ["Black P3 put back", "White P5 put back"]
    assert board.game.colours.tolist() == [1, 2, 1, 2]  # R4 stood after two moves
    # In the first game two stones beyond the bounds make a move at T1 suicide.
    forbidden = "(;SZ[19]VW[qq][ss]AB[qq](;B[ss])(;B[qr]))"
    wall = "W rs B dd W sr B dp B ff W dk B qq W kk"
    result = complete(tmp_path, forbidden, wall, "B gg W hh B qq W kk", boards=3)
    assert result.found == 4  # under two symmetries each, which leave the corner where it is
    assert [board.number for board in result.boards] == [1]
    nothing = complete(tmp_path, PROBLEM, "B dd W dp")
    assert (nothing.found, nothing.put_back, nothing.boards) == (0, (), ())


def test_boards_are_changed_by_hand(tmp_path: Path) -> None:
    changes = {"p": [(at("K10"), 1), (at("D16"), 0)]}
    (board,) = complete(tmp_path, PROBLEM, GAME, changes=changes).boards
    assert [each.text(19) for each in board.changes] == ["Black K10 by hand", "empty D16 by hand"]
    assert (len(board.game.moves), board.game.to_play) == (0, 1)
    result = stones(board.game)
    assert (result[at("K10")], result[at("D16")], result[at("P5")]) == (1, 0, 2)
    broken = complete(tmp_path, PROBLEM, GAME, changes={"p": [(at("P5"), 0)]}, reduce=0)
    assert broken.boards == ()


def test_a_loose_pattern_moves_its_variations_along(tmp_path: Path) -> None:
    text = ". X .\n. O .\n. . .\nrefutation: A1 C1\nfailure: C1\n"
    (problem,) = problems_of(tmp_path, text, name="p.txt")
    index = index_of(tmp_path, moves_sgf("B kk W kl"))
    (result,) = complete_problems([problem], index)
    (board,) = result.boards
    game = result.game(board, problem.variations[0])
    placed = stones(board.game)
    black, white = placed.index(1), placed.index(2)
    assert white - black == 19  # as it is drawn
    assert game.moves[2:].tolist() == [white + 19 - 1, white + 19 + 1]


def test_only_the_moves_of_the_side_to_answer_count(tmp_path: Path, case: Case) -> None:
    other = GAME.replace("dd", "cd")
    answer = complete(tmp_path, PROBLEM, GAME, turned(other, 3, swapped=True), boards=2)
    calls: list[tuple[str, int, int]] = []
    with context(progress=lambda *each: calls.append(each)):
        (rated,) = rate_problems([answer], case.model, case.network)
    # Two variations of three moves on two boards, and the two moves before them.
    assert calls[-1] == ("looking at positions", 24, 24)
    rater = Rater(case.model, 0.9)
    for variation, result in zip(answer.problem.variations, rated.variations, strict=True):
        for board, each in zip(answer.boards, result.boards, strict=True):
            game = answer.game(board, variation)
            (seen,) = evaluate_games([game], case.network, skipped=SkipReport())
            evidence = evidence_of_games([seen.features], [1])
            own = evidence.number > 4
            assert evidence.point[own].tolist() == variation.points[::2].tolist()
            expected, _ = rater.whole(evidence, own)  # scored as parts of the whole game
            assert each.moves == 2
            assert each.rating == pytest.approx(expected.rating, abs=1e-4)
            assert (each.low, each.high) == pytest.approx((expected.low, expected.high), abs=1e-3)


def test_fewer_moves_may_be_rated_and_without_the_history(tmp_path: Path, case: Case) -> None:
    longer = PROBLEM.replace("B[pq])", "B[pq];W[rq];B[rr])")  # three answers against two
    result = complete(tmp_path, longer, GAME)

    def rated(**how: Any) -> tuple[list[int], list[float], list[float | None]]:
        (problem,) = rate_problems([result], case.model, case.network, **how)
        each = problem.variations
        return [v.moves for v in each], [v.rating for v in each], [v.loss for v in each]

    whole, equal, one, nine = (rated(moves=moves) for moves in ("all", "equal", 1, 9))
    assert [each[0] for each in (whole, equal, one, nine)] == [[3, 2], [2, 2], [1, 1], [3, 2]]
    assert (whole[1][0] != equal[1][0], whole[1][1] == equal[1][1]) == (True, True)
    variation = result.problem.variations[0]
    game = result.game(result.boards[0], variation, history=False)
    assert (game.moves.tolist(), game.to_play) == (variation.points.tolist(), 1)
    assert stones(game) == stones(result.game(result.boards[0], variation))
    bare = rated(history=False, moves="all")
    assert (bare[0], bare[2][0] != whole[2][0]) == ([3, 2], True)


def test_figures_of_rated_variations() -> None:
    def variation(kind: str, *boards: Rated) -> RatedVariation:
        moves = Variation(kind, kind, np.zeros(1, np.int16), np.ones(1, np.int8))
        return RatedVariation(moves, boards, 0.0)

    one, two = Rated(1.0, 0.0, 2.0, 5), Rated(4.0, None, 5.0, 5)
    both, alone = variation("failure", one, two), variation("failure", one)
    assert (both.rating, both.interval, both.moves) == (2.5, (None, 3.5), 5)
    assert (both.spread, alone.spread) == pytest.approx((3 / 2**0.5, 0.0))
    completion: Any = None
    right = variation("refutation", one, two)
    even = RatedProblem(completion, (alone, both, right, variation("refutation", one)))
    assert (even.refutation, even.failure) == (right, both)
    assert (even.difference, even.surprising) == (0.0, True)
    better = RatedProblem(completion, (right, alone))
    assert (better.difference, better.surprising) == (1.5, False)
    shown = RatedProblems([], site_scale("egf"), 0.9, "all", "net", "model", completion)
    assert (shown.difference(better), shown.difference(even)) == (150.0, 0.0)
    assert shown.difference(RatedProblem(completion, (alone,))) is None


def test_what_cannot_be_read_completed_or_rated(tmp_path: Path, case: Case) -> None:
    index = index_of(tmp_path, "(;SZ[9];B[cc];W[gg];B[cg])")
    problems = problems_of(tmp_path, "(;SZ[9]AB[cc]AW[gg](;B[cg])(;B[ee]))")
    small = complete_problems(problems, index)
    assert small[0].boards
    (tmp_path / "big.txt").write_text("? " * (3 << 20))
    rows: list[tuple[type[Exception], str, Any]] = [
        (InputError, "no such file", lambda: read_problems(tmp_path / "none.sgf")),
        (NoGamesError, "larger than 4 MiB", lambda: read_problems(tmp_path / "big.txt")),
        (UsageError, "19x19 only", lambda: rate_problems(small, case.model, case.network)),
        (UsageError, "between 0 and 1",
         lambda: rate_problems([], case.model, case.network, level=1.5)),
        (UsageError, "at least 1", lambda: rate_problems([], case.model, case.network, moves=0)),
        (UsageError, "at least 1", lambda: complete_problems(problems, index, boards=0)),
    ]  # fmt: skip
    for error, words, ask in rows:
        with pytest.raises(error, match=words):
            ask()
