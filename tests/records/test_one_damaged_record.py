"""One damaged record among thirty: the others are read as before, none wrong in silence."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import yardstone
from tests.records.pools import Game, games
from yardstone.errors import YardstoneError

pytestmark = [
    pytest.mark.filterwarnings("ignore::yardstone.errors.SkippedWarning"),
    pytest.mark.usefixtures("one_database"),
]
RECORDS = 30
FIRST = ("Ashkar", "Boulian", "Cervo", "Dahlem", "Etxea", "Fjeld")
RESULTS = ("1-0", "0-1", "1/2-1/2", "0-1", "1-0")
LAST = ("Moreno", "Nowak", "Oduya", "Petit", "Quist")


def players(number: int) -> tuple[str, str]:
    """Return two names that occur in one record alone."""
    return (
        f"{LAST[number % 5]}, {FIRST[number // 5 % 6]}",
        f"{FIRST[number % 6]}-{LAST[number // 6 % 5]} {chr(65 + number % 26)}.",
    )


def pgn(number: int) -> bytes:
    (white, black), result = players(number), RESULTS[number % 5]
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 {the Spanish [main line]} 4. Ba4 Nf6"
    return (
        f'[Event "League {number // 4}"]\n[Site "Lyon"]\n[Date "2024.03.{number % 28 + 1:02}"]\n'
        f'[Round "{number}"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n'
        f"\n{moves} {result}\n\n"
    ).encode()


def sgf(number: int) -> bytes:
    black, white = players(number)
    won = ("B+R", "W+2.5", "B+12.5", "W+T", "W+R")[number % 5]
    return (
        f"(;GM[1]FF[4]CA[UTF-8]SZ[19]\nPB[{black}]PW[{white}]\nDT[2024-03-{number % 28 + 1:02}]"
        f"KM[6.5]RE[{won}]\n;B[qd];W[dd]C[not (yet) joseki];B[pq];W[dp]\n;B[fq];W[cn])\n"
    ).encode()


def mat(number: int) -> bytes:
    one, other = players(number)
    wins = f"{'' if number % 3 else ' ' * 28}Wins 1 point"
    return (
        f'; [EventDate "2024.03.{number % 28 + 1:02}"]\n\n 1 point match\n\n Game 1\n'
        f" {one + ' : 0':<31}{other} : 0\n 1) {'31: 8/5 6/5':<28}42: 8/4 6/4\n"
        f" 2) {'65: 24/13':<28}21: 13/11 6/5\n 3) {wins} and the match\n\n"
    ).encode()


def row(number: int) -> bytes:
    white, black = players(number)
    return (
        f'{number},2024-03-{number % 28 + 1:02},"{white}",{black},{RESULTS[number % 5]}\n'.encode()
    )


def line(number: int) -> bytes:
    white, black = players(number)
    record = {"id": number, "white": white, "black": black, "result": RESULTS[number % 5]}
    return json.dumps(record).encode() + b"\n"


def array(number: int) -> bytes:
    begin, end = (b"[" if number == 0 else b""), (b"]" if number == RECORDS - 1 else b",")
    return begin + line(number).rstrip() + end + b"\n"


FORMATS: dict[str, tuple[bytes, Callable[[int], bytes], int]] = {
    "pgn": (b"", pgn, 60), "sgf": (b"", sgf, 60), "mat": (b"", mat, 60),
    "csv": (b"id,date,white,black,result\n", row, 6), "jsonl": (b"", line, 6),
    "json": (b"", array, 6),
}  # fmt: skip
KEYS = b'White Black Result PB PW RE point Game Wins white black result , " [ (; :'.split()


def damage(record: bytes, chance: random.Random) -> bytes:
    """Return a record damaged in one of eight ways."""
    at = chance.randrange(len(record))
    lines = record.splitlines(keepends=True)
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    swapped = list(lines)
    swapped[one], swapped[other] = lines[other], lines[one]
    key = chance.choice([key for key in KEYS if key in record])
    place = chance.choice([m for m in range(len(record)) if record.startswith(key, m)])
    place += chance.randrange(len(key))
    ways = [
        record[:at] + bytes([record[at] ^ 1 << chance.randrange(8)]) + record[at + 1 :],
        record[:at] + record[at + 1 + chance.randrange(4) :],
        record[:at] + bytes([chance.randrange(256)]) + record[at:],
        record[:at],
        b"".join([*lines[: one + 1], *lines[one:]]),
        b"".join(swapped),
        record[:at] + record[at + chance.randrange(1, 40) :],
        record[:place] + bytes([chance.choice(b'(x#~1["')]) + record[place + 1 :],
    ]
    return chance.choice(ways)


def read(path: Path, data: bytes) -> tuple[Counter[Game], int]:
    """Return the games of a file, and how many records were reported."""
    path.write_bytes(data)
    pool = yardstone.read(path)
    return Counter(games(pool)), pool.skipped.total


@pytest.mark.parametrize("ending", FORMATS)
def test_no_damage_to_one_record_is_read_wrong_in_silence(tmp_path: Path, ending: str) -> None:
    head, write, ways = FORMATS[ending]
    records = [write(number) for number in range(RECORDS)]
    path = tmp_path / f"games.{ending}"
    before, said = read(path, head + b"".join(records))
    assert (before.total(), said) == (RECORDS, 0)
    refused = 0
    chance = random.Random(2024)
    for _ in range(ways):
        number = chance.randrange(RECORDS)
        damaged = damage(records[number], chance)
        try:
            data = head + b"".join([*records[:number], damaged, *records[number + 1 :]])
            got, said = read(path, data)
        except YardstoneError:
            refused += 1
            continue
        own = next(game for game in before if set(game[:2]) == set(players(number)))
        gone = not any(name.encode() in damaged for name in own[:2])
        missing, new = before - got, got - before
        # One line that was made of two is reported once; of some records no player is left.
        assert missing.total() - missing[own] <= said, damaged
        assert said or new or gone or not missing[own], damaged
        for game in new:
            assert game[2] == own[2], damaged
            assert set(game[:2]) & set(own[:2]), damaged
    assert refused <= 0.1 * ways


def test_damage_once_read_wrong_in_silence_and_matches_that_break_off(tmp_path: Path) -> None:
    for ending, old, new, read_as in (
        ("sgf", b"PW[Boulian", b"PW[B]ulian", None), ("sgf", b"PB[Oduya", b"PB[O]uya", None),
        ("sgf", b"RE[B+12.5", b"RE[B+12]5", None), ("json", b'"white": ', b'"white" ', None),
        ("json", b"Oduya", b"O\x8duya", "O uya, Boulian"),
        ("jsonl", b"Oduya", b"O\x8duya", "O uya, Boulian"),
    ):  # fmt: skip
        path = tmp_path / f"games.{ending}"
        records = [FORMATS[ending][1](number) for number in range(RECORDS)]
        before, _ = read(path, b"".join(records))
        assert old in records[7]
        records[7] = records[7].replace(old, new, 1)
        got, said = read(path, b"".join(records))
        missing, other = before - got, got - before
        assert missing.total() == 1
        assert [game[0] for game in other] == ([] if read_as is None else [read_as])
        assert said == (read_as is None)
    records = [mat(number) for number in range(8, 11)]
    path = tmp_path / "games.mat"
    before, _ = read(path, b"".join(records))
    for at in range(1, records[1].index(b"Wins"), 3):
        got, said = read(path, records[0] + records[1][:at] + records[2])
        lost = (before - got).total(), (got - before).total(), said
        assert lost == (1, 0, 1), records[1][:at]
