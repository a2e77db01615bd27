"""What commands say of the games that they read."""

from __future__ import annotations

import pytest

from tests.cli.calls import Command, round_table


@pytest.mark.parametrize(
    "line",
    [
        "rate odd.csv -o out.csv", "rate odd.csv -q", "rate odd.csv --memory 500MB",
        "history odd.csv -o out.txt", "predict Ann Bob odd.csv", "convert odd.csv -o out.pgn -q",
        "evaluate odd.csv --systems elo --replicates 0 -o out.csv",
        "match odd.csv --players Ann Bob",
    ],
)  # fmt: skip
def test_every_command_says_what_was_skipped(line: str, run: Command) -> None:
    said = run(line).err
    assert "yardstone: 1 record was skipped: 1 unknown result\n" in said
    assert "  odd.csv:62: result '1-O' is not understood\n" in said


def test_skipped_records_and_values_that_are_not_understood(run: Command) -> None:
    run.write("odd.csv", run.read("odd.csv") + "Ann,Bob,1-O,2020-02-01\n" * 6)
    said = run("rate odd.csv --skip-unread").err.splitlines()
    assert said[0] == "yardstone: 7 records were skipped: 7 unknown result"
    places = [line.partition(": ")[0] for line in said[1:]]
    assert places == [*(f"  odd.csv:{line}" for line in range(62, 67)), "  … and 2 others"]
    run.write("table.csv", round_table("home,away", "V", "N", "1-0", "0-1"))
    error = run("rate table.csv", status=1).err
    assert "30 of 60 records cannot be read: the values 'N' (15), 'V' (15)" in error
    assert run("rate table.csv -q --results V=win,N=draw").err == ""
    assert "30 records were skipped" in run("rate table.csv -q --skip-unread").err


def test_winners_have_no_first_move(run: Command) -> None:
    run.write("table.csv", round_table("winner_name,loser_name", "6-4 6-4", "7-5 6-1"))
    evaluate = "evaluate table.csv --systems elo --replicates 0"
    texts = [run(line).out for line in ("rate table.csv", "history table.csv", evaluate)]
    for text in texts:
        assert "Who moved first is not known, so the first-move advantage is taken as 0" in text
    assert "First-move advantage: 0.0 points (given)" in texts[0]
    assert "first move only" not in texts[2]
    said = run("rate table.csv --first-advantage 30", status=2).err
    assert "do not say who moved first" in said


def test_colours_in_all_commands(run: Command) -> None:
    """Ann wins nearly always, with Black; nothing turns that round."""
    rows = [f"Bob,Ann,{'W+R' if k % 7 == 0 else 'B+R'},2020-01-{k:02}\n" for k in range(1, 29)]
    run.write("go.csv", "white,black,result,date\n" + "".join(rows))
    for columns in ("", "--columns first=black,second=white,score=result", "--first black"):
        assert run.json(f"predict Ann Bob go.csv {columns}")["expected"] > 0.6
    said = run("rate go.csv --columns first=white,second=black", status=1).err
    assert "in Go Black moves first" in said
