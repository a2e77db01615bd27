"""Problems set into games, and their answers rated."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from tests.strength.estimate_cases import Case
from tests.strength.trickplay_cases import GAME, PROBLEM, index_of, moves_sgf, problems_of, turned
from yardstone.errors import UsageError
from yardstone.go.board import Board
from yardstone.go.points import point_number
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
)
from yardstone.strength.trickplay.rating import RatedVariation


def at(name: str) -> int:
    return point_number(name, 19)


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


def test_a_position_that_does_not_occur_is_reduced_by_its_last_stone(tmp_path: Path) -> None:
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


def test_two_stones_are_put_back_in_their_order(tmp_path: Path) -> None:
    result = complete(tmp_path, PROBLEM.replace("AB", "TR[oo]AB"), "B dd W qp B dp W dc")
    assert result.put_back == ((at("P3"), 1), (at("P5"), 2))
    (board,) = result.boards
    changes = [change.text(19) for change in board.changes]
    assert changes == ["Black P3 put back", "White P5 put back"]
    assert board.game.colours.tolist() == [1, 2, 1, 2]  # R4 stood after two moves
    nothing = complete(tmp_path, PROBLEM, "B dd W dp")
    assert (nothing.found, nothing.put_back, nothing.boards) == (0, (), ())


def test_a_board_that_forbids_a_variation_is_passed_over(tmp_path: Path) -> None:
    # In the first game two stones beyond the bounds make a move at T1 suicide.
    problem = "(;SZ[19]VW[qq][ss]AB[qq](;B[ss])(;B[qr]))"
    wall = "W rs B dd W sr B dp B ff W dk B qq W kk"
    free = "B gg W hh B qq W kk"
    result = complete(tmp_path, problem, wall, free, boards=3)
    assert result.found == 4  # under two symmetries each, which leave the corner where it is
    assert [board.number for board in result.boards] == [1]


def test_boards_are_changed_by_hand(tmp_path: Path) -> None:
    changes = {"p": [(at("K10"), 1), (at("D16"), 0)]}
    answer = complete(tmp_path, PROBLEM, GAME, changes=changes)
    (board,) = answer.boards
    texts = [change.text(19) for change in board.changes]
    assert texts == ["Black K10 by hand", "empty D16 by hand"]
    assert len(board.game.moves) == 0
    assert board.game.to_play == 1
    result = stones(board.game)
    assert (result[at("K10")], result[at("D16")], result[at("P5")]) == (1, 0, 2)
    broken = complete(tmp_path, PROBLEM, GAME, changes={"p": [(at("P5"), 0)]}, reduce=0)
    assert broken.boards == ()
    with pytest.raises(UsageError, match="there is no problem 'q'"):
        complete(tmp_path, PROBLEM, GAME, changes={"q": [(0, 1)]})


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


def test_fewer_moves_may_be_rated(tmp_path: Path, case: Case) -> None:
    longer = PROBLEM.replace("B[pq])", "B[pq];W[rq];B[rr])")  # three answers against two
    result = complete(tmp_path, longer, GAME)

    def rated(moves: int | Literal["all", "equal"]) -> tuple[list[int], list[float]]:
        (problem,) = rate_problems([result], case.model, case.network, moves=moves)
        return [v.moves for v in problem.variations], [v.rating for v in problem.variations]

    whole, equal, one, nine = (rated(moves) for moves in ("all", "equal", 1, 9))
    assert [each[0] for each in (whole, equal, one, nine)] == [[3, 2], [2, 2], [1, 1], [3, 2]]
    same = [a == b for a, b in zip(whole[1], equal[1], strict=True)]
    assert same == [False, True]
    with pytest.raises(UsageError, match="at least 1"):
        rated(0)


def test_a_position_may_be_shown_without_its_history(tmp_path: Path, case: Case) -> None:
    result = complete(tmp_path, PROBLEM, GAME)
    variation = result.problem.variations[0]
    game = result.game(result.boards[0], variation, history=False)
    assert (game.moves.tolist(), game.to_play) == (variation.points.tolist(), 1)
    assert stones(game) == stones(result.game(result.boards[0], variation))
    rated = [
        rate_problems([result], case.model, case.network, history=history)[0].variations[0]
        for history in (True, False)
    ]
    assert [each.moves for each in rated] == [2, 2]
    assert rated[0].loss != rated[1].loss


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


def test_other_boards_and_levels_are_refused(tmp_path: Path, case: Case) -> None:
    index = index_of(tmp_path, "(;SZ[9];B[cc];W[gg];B[cg])")
    problems = problems_of(tmp_path, "(;SZ[9]AB[cc]AW[gg](;B[cg])(;B[ee]))")
    result = complete_problems(problems, index)
    assert result[0].boards
    with pytest.raises(UsageError, match="the model knows 19x19 only"):
        rate_problems(result, case.model, case.network)
    with pytest.raises(UsageError, match="between 0 and 1"):
        rate_problems([], case.model, case.network, level=1.5)
    with pytest.raises(UsageError, match="at least 1"):
        complete_problems(problems, index, boards=0)
