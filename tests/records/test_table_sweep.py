"""Tables as strangers have them: read as a careful person reads them, asked about, or refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import yardstone
from tests.records.pools import Game, games
from yardstone.errors import InputError

pytestmark = pytest.mark.usefixtures("one_database")

# The cases stand in ``tables.txt``: a heading (``=== NAME``, with another ending than ``.csv``
# where there is one), the table, and what must come of it: ``==> refused: WORDS OF THE MESSAGE``,
# or the games (``Anna>Ben 1`` where Anna moved first, ``Anna-Ben 1`` where nobody knows), then,
# behind a bar each, what is left out (``1 REASON``) and sentences that must be said.
CASES = re.compile(
    r"^=== (?P<name>.*?)(?: (?P<ending>\.\w+))?\n(?P<table>.*?)\n==> (?P<wanted>.*)$", re.M | re.S
)
TEXT = Path(__file__).with_name("tables.txt").read_text("utf-8")
BLOCKS = [match for block in TEXT.split("\n\n=== ") if (match := CASES.match("=== " + block))]


def unsided(first: str, second: str, score: float) -> Game:
    return (first, second, score) if first < second else (second, first, 1.0 - score)


def test_each_case_stands_once() -> None:
    names = [block["name"] for block in BLOCKS]
    assert len(names) == len(set(names)) == TEXT.count("\n=== ") + TEXT.startswith("=== ")


@pytest.mark.filterwarnings("ignore::yardstone.errors.SkippedWarning")
@pytest.mark.parametrize("case", BLOCKS, ids=[block["name"] for block in BLOCKS])
def test_no_table_is_read_wrong_in_silence(tmp_path: Path, case: re.Match[str]) -> None:
    path = tmp_path / f"games{case['ending'] or '.csv'}"
    table = re.sub(r"<U\+([0-9A-F]{4})>\n?", lambda found: chr(int(found[1], 16)), case["table"])
    path.write_bytes(f"{table}\n".encode())
    wanted, *said = case["wanted"].strip().split(" | ")
    if wanted.startswith("refused: "):
        with pytest.raises(InputError, match=re.escape(wanted.removeprefix("refused: "))):
            yardstone.read(path)
        return
    pool = yardstone.read(path)
    expected = []
    for each in re.split(r"(?<=\d); ", wanted):
        names, score = each.rsplit(" ", 1)
        first, mark, second = names.partition(">" if ">" in names else "-")
        expected.append((first, second, float(score), mark == ">"))
    read = games(pool)
    assert len(read) == len(expected)
    for one, (first, second, points, sided) in zip(read, expected, strict=True):
        other = first, second, points
        assert one == other if sided else unsided(*one) == unsided(*other)
    known = all(sided for *_, sided in expected)
    assert pool.ordered or not known or table.startswith("winner")
    report = pool.skipped
    told = [f"{number} {reason}" for reason, number in report.reasons.items()]
    told += [*report.remarks, *report.doubts]
    assert len(told) == len(said), told
    for sentence in said:
        assert any(sentence in each for each in told), told
