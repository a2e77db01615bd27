"""Problems as people write them, and as nobody should."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.strength.trickplay_cases import PROBLEM, problems_of
from yardstone.errors import InputError, NoGamesError, StrictError
from yardstone.go.patterns.pattern import ANY, allowed
from yardstone.go.points import BLACK, EMPTY, WHITE, point_name, point_number
from yardstone.strength.trickplay import read_problems

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


def names(points: object, size: int = 19) -> list[str]:
    return [point_name(int(point), size) for point in points]  # type: ignore[attr-defined]


def test_a_record_with_two_variations_is_a_problem(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, PROBLEM)
    assert (problem.name, problem.to_answer, problem.last) == ("p", BLACK, -1)
    assert (problem.bounds, problem.bounds_from) == ("M6:T1", "inferred")
    first, second = problem.variations
    assert (first.name, names(first.points)) == ("refutation", ["R3", "Q4", "Q3"])
    assert (second.name, names(second.points)) == ("failure", ["N4", "Q3", "P4"])
    assert first.colours.tolist() == [BLACK, WHITE, BLACK]
    values = {name: int(problem.pattern.points[point_number(name, 19)]) for name in
              ("P3", "R4", "P5", "Q4", "T1", "M6", "L6", "M7")}  # fmt: skip
    assert values == {
        "P3": allowed(BLACK), "R4": allowed(WHITE), "P5": allowed(WHITE), "Q4": allowed(EMPTY),
        "T1": allowed(EMPTY), "M6": allowed(EMPTY), "L6": ANY, "M7": ANY,
    }  # fmt: skip


def test_bounds_are_told_by_the_record_or_by_the_caller(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, PROBLEM.replace("SZ[19]", "SZ[19]VW[jj:ss]"))
    assert (problem.bounds, problem.bounds_from) == ("K10:T1", "stated")
    problems, _ = read_problems(tmp_path / "p.sgf", bounds="T1:H10")
    assert (problems[0].bounds, problems[0].bounds_from) == ("H10:T1", "stated")
    (problem,), _ = read_problems(tmp_path / "p.sgf", bounds="K10:R2")
    inside = {name: problem.pattern.points[point_number(name, 19)] != ANY for name in
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


def test_which_stone_is_the_last_one_and_who_answers(tmp_path: Path) -> None:
    # White's stone at aa is captured by ab, then White plays the last stone at cc.
    text = "(;SZ[9];B[ba];W[aa];B[ab];W[cc](;B[dd])(;B[aa]))"
    (problem,) = problems_of(tmp_path, text)
    assert problem.pattern.points[0] == allowed(EMPTY)
    assert (problem.to_answer, names([problem.last], 9)) == (BLACK, ["C7"])
    for mark, last in (("[oo]", point_number("P5", 19)), ("[oo][qp]", -1), ("[oq]", -1)):
        marked = PROBLEM.replace("AB[oq]", f"AB[oq]TR{mark}")
        assert problems_of(tmp_path, marked)[0].last == last
    text = "(;SZ[19]AB[oq]AW[qp]PL[W](;W[qq])(;W[mp]))"
    assert problems_of(tmp_path, text)[0].to_answer == WHITE
    # Where a variation leaves the bounds, the point must be empty.
    (problem,) = problems_of(tmp_path, PROBLEM.replace("SZ[19]", "SZ[19]VW[oo:ss]"))
    assert problem.pattern.points[point_number("N4", 19)] == allowed(EMPTY)


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


def test_problems_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for number in (10, 9, 1):
            archive.writestr(f"problem{number}.sgf", PROBLEM)
    problems, _ = read_problems(tmp_path / "all.zip")
    assert [problem.name for problem in problems] == ["problem1", "problem9", "problem10"]


def test_text_with_a_diagram_is_a_problem(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, TEXT, name="p.txt")
    assert (problem.name, problem.line, problem.to_answer) == ("the corner", 3, BLACK)
    assert (problem.bounds, problem.bounds_from) == ("O6:T1", "drawn")
    assert names([problem.last]) == ["Q5"]
    assert [(v.name, names(v.points)) for v in problem.variations] == [
        ("refutation", ["S3", "R4", "R3"]), ("failure 1", ["O4", "R3"]), ("failure 2", ["T1"]),
    ]  # fmt: skip


def test_a_text_file_holds_many_problems(tmp_path: Path) -> None:
    text = "X . |\n. O |\n----+\nrefutation: T2\nfailure: S1\n"
    loose = "to play: white\nsize: 9\n. X .\n. O .\nrefutation: A1 C1\nfailure: C1\n"
    result = problems_of(tmp_path, text + "\n" + text + "problem: loose\n" + loose, name="p.txt")
    assert [problem.name for problem in result] == ["1", "2", "loose"]
    assert result[2].size == 9
    assert (result[2].to_answer, result[2].pattern.loose) == (WHITE, (True, True))
    assert names(result[2].variations[0].points, 9) == ["A1", "C1"]


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
    assert any(at == line and reason in said for at, said in result), result


def test_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_problems(tmp_path / "none.sgf")
    (tmp_path / "big.txt").write_text("? " * (3 << 20))
    with pytest.raises(NoGamesError, match="larger than 4 MiB"):
        read_problems(tmp_path / "big.txt")
