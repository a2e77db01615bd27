"""`--moves` of `rate`, `history`, `predict` and `evaluate`."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.cli.calls import Command
from tests.strength.estimate_cases import Case, game, sgf

NAMES = ("Ann", "Bob", "Cem", "Dan")


def write_records(file: Path, *pairs: tuple[str, str]) -> None:
    """Short games of these players, on days one after the other."""
    with zipfile.ZipFile(file, "w") as archive:
        for seed, (black, white) in enumerate(pairs):
            archive.writestr(f"g{seed}.sgf", sgf(game(seed, black, white, moves=24, day=seed)))


@pytest.fixture
def options(case: Case, run: Command) -> str:
    pairs = [(NAMES[k % 4], NAMES[(k + 1 + k // 4) % 4]) for k in range(6)]
    write_records(run.folder / "records.zip", *pairs)
    return f"--moves records.zip --net {case.file} --model {case.model_file}"


def test_records_are_results_and_moves_which_predict_and_go_on(options: str, run: Command) -> None:
    out = run(f"history {options} -o ratings.html --top 0 --save kept").out
    for words in ("6 games of 4 players", "rated by fusion", "6 of 6 belong to a game."):
        assert words in out
    page = run.read("ratings.html")
    assert all(words in page for words in ("Moves and results", "Results", "Both", "<svg"))
    assert "a fit takes 50" in run(f"evaluate {options} --fit", status=1).err
    wanted = run.json(f"predict Ann Bob {options}")
    assert run.json("predict Ann Bob --state kept")["expected"] == wanted["expected"]
    assert "6 games were added" in run(f"history --state kept {options}").out
    for option, words in (  # strengths on another scale are other numbers
        ("--moves-scale fox", "scale ogs, and these of tiny, scale fox"),
        ("--fit", "--state has its parameters: leave out --fit"),
    ):
        assert words in run(f"history --state kept {options} {option}", status=2).err


def test_moves_beside_results_from_elsewhere(options: str, run: Command) -> None:
    run.write(
        "results.csv",
        "id,black,white,result,date\ng0,Ann,bob,B+,2024-03-01\nx,Ann,Eve,W+,2024-03-02\n"
        "g1,bob,CEM,B+,2024-03-03\n",
    )
    result = run.json(f"history results.csv {options} --top 0")
    seen = {each["player"]: each["moves_seen"] > 0 for each in result["sources"]}
    assert (seen["Ann"], seen["bob"], seen["Eve"]) == (True, True, False)
    # By the day beside too: the records are of 1 and 2 March.
    assert any("2 of 6 belong to a game (4 of no such game)" in note for note in result["notes"])
    other = run.json(f"history results.csv {options} --match id --top 0")
    assert other["ratings"] == result["ratings"]


def test_moves_join_players_of_a_list(case: Case, run: Command) -> None:
    """Two pairs who never met: only moves say how they compare."""
    write_records(run.folder / "games.zip", ("Ann", "Bob"), ("Cem", "Dan"))
    result = run.json(f"rate --moves games.zip --net {case.file} --model {case.model_file}")
    assert len(result["components"]) == 1
    assert np.isfinite([each["rating"] for each in result["ratings"]]).all()
    assert any("Records of moves: 2 of 2" in each for each in result["caveats"])
    assert len(run.json("rate games.zip")["components"]) == 2
