"""`yardstone trickplay` from files to tables, pictures and boards."""

from __future__ import annotations

import re

import pytest

from tests.cli.calls import Command
from tests.strength.estimate_cases import Case
from tests.strength.trickplay_cases import GAME, PROBLEM, moves_sgf, turned
from yardstone.records.sgf import SgfReader

OTHER = "(;SZ[19]GN[other]AB[oq]AW[qp][ql](;B[qq]N[wrong])(;B[mp]N[solution]))"
MISSING = "(;SZ[19]AB[aa][ac][ae]AW[ca][cc][ce][ee][gg](;B[ff])(;B[gf]))"
BROKEN = "(;SZ[19]AB[oq]AW[qp])"
FIND = "trickplay find problems.sgf --games games.idx"


@pytest.fixture(autouse=True)
def _games(run: Command) -> None:
    run.write("problems.sgf", "\n".join([PROBLEM, OTHER, MISSING, BROKEN]))
    second = turned("B oq W qp B cd W fd B dp W dc", 5, swapped=True)
    run.write("records.sgf", "\n".join(map(moves_sgf, [GAME, second, GAME])))
    said = run("trickplay index records.sgf -o games.idx --workers 1").out
    assert said == "2 games, 14 positions in games.idx; 1 game occurred again\n"


def test_positions_are_found_in_games_and_in_an_index(run: Command) -> None:
    text = run(f"{FIND} --workers 1").out
    assert text == run("trickplay find problems.sgf --games records.sgf --workers 1").out
    lines = text.splitlines()
    assert lines[:3] == [
        "3 problems in 2 games (14 positions): 1 found as they are",
        "Found only without the last stones, which were put back: problems #2",
        "Not found: problems #3",
    ]
    rows = [line.split() for line in lines[5:]]
    assert rows[0] == ["problems", "M6:T1", "1", "4", "records.sgf"]
    assert rows[1][4:] == ["3", "records.sgf", "White", "R8", "put", "back"]
    assert rows[2] == ["problems", "#3", "A19:H12", "0"]
    text = run(f"{FIND} --change problems=black:K4,empty:D16").out
    assert "Black K4 by hand; empty D16 by hand" in text
    (run.folder / "cut.idx").write_bytes((run.folder / "games.idx").read_bytes()[:300])
    assert "damaged" in run("trickplay find problems.sgf --games cut.idx", status=1).err
    run("trickplay find empty.sgf --games games.idx", status=1)
    for status, options, message in (
        (2, "--change problems", "write PROBLEM=COLOUR:POINT"),
        (2, "--change none=black:K4", "there is no problem 'none'"),
        (2, "--change problems=red:K4", "'red' is not black, white or empty"),
        (2, "--change problems=black:Z9", "not a point"),
        (2, "--change problems=black:pass", "name a point"),
        (2, "--games records.sgf", "name one index, or files of games"),
        (1, "--strict", "no variation"),
    ):
        said = run(f"{FIND} {options}", status=status).err
        assert (message in said, said.count("\n")) == (True, 1), said
    found_rows = run.rows(f"{FIND} --boards 3 -o found.html")
    found = [(row["found"], row["put_back"], row["boards"]) for row in found_rows]
    assert found == [("1", "", "1"), ("0", "White R8", "2"), ("0", "", "0")]
    assert "problems #2" in run.read("found.html")
    result = run.json(f"{FIND} --sgf boards.sgf")
    assert result["problems"][0]["bounds_from"] == "inferred"
    assert (result["problems"][2]["completed"], result["skipped"]["total"]) == ([], 1)
    first, second = SgfReader("boards.sgf").trees()
    assert second.properties(0)["GN"] == ("problems #2",)
    paths = [tree.path(leaf) for tree in (first, second) for leaf in tree.leaves()]
    assert [len(path) - 1 for path in paths] == [4 + 3, 4 + 3, 4 + 1, 4 + 1]
    assert "White R8 put back" in second.properties(4)["C"][0]
    answers = [second.properties(child)["N"] for child in second.children(4)]
    assert answers == [("failure",), ("refutation",)]


def test_answers_are_rated(case: Case, run: Command) -> None:
    line = "trickplay rate problems.sgf --games games.idx --threads 1 --workers 1"
    line += f" --net {case.file} --model {case.model_file}"
    text = run(f"{line} -o ratings.svg -o page.html").out
    assert "<svg" in run.read("ratings.svg")
    assert "Ratings of the failure and the refutation" in run.read("page.html")
    result = run.json(line)
    assert (result["compared"], result["scale"], result["model"]) == (2, "fox", "tiny")
    first, second, third = result["problems"]
    assert [v["moves"] for v in first["variations"] + second["variations"]] == [2, 2, 1, 1]
    gap = first["refutation_rating"] - first["failure_rating"]
    assert first["difference"] == pytest.approx(gap, abs=0.011)
    assert [v["line"] for v in first["variations"]] == [["R3", "Q4", "Q3"], ["N4", "Q3", "P4"]]
    assert (third["variations"], third["difference"]) == ([], None)
    above = sum(not row["surprising"] for row in result["problems"][:2])
    assert result["refutation_above"] == above
    lines = text.splitlines()
    assert lines[1].startswith("Rated: of each variation as many moves")
    assert lines[2] == f"The refutation is rated above the failure in {above} of 2 problems"
    assert sum(row.endswith("*") for row in lines) == 2 - above
    # Single looks cannot tell what an answer costs, nor which the network prefers.
    assert not re.search("points|prefers", text)
    (row, *_, last) = run.rows(f"{line} --boards 1 --scale egf")
    assert 0 < float(row["failure_rating"]) < 3500
    assert (row["failure_spread"], last["failure_rating"], last["surprising"]) == ("0.0", "", "")
    run.write("problems.sgf", PROBLEM.replace("B[pq])", "B[pq];W[rq];B[rr])"))
    for moves, expected in (("all", [3, 2]), ("equal", [2, 2]), ("1", [1, 1])):
        (problem,) = run.json(f"{line} --no-history --moves {moves}")["problems"]
        assert [variation["moves"] for variation in problem["variations"]] == expected
    for moves in ("0", "some", "-1"):
        assert "write all, equal or a number" in run(f"{line} --moves={moves}", status=2).err
