"""Sound games beside a damaged one: each must be read as it is without the damage.

::

    python -m tests.fuzz.neighbours [--cases 10000] [FORMAT ...]

A file of games of which each is told apart by names that no other has; one of them is damaged by
a mutation, and the file is read. Of the others, a game may be *lost* (said by the report, or not)
or *changed*: read with other names or another score. Real games are taken where the shared data
are there.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.fuzz.mutations import mutate
from tests.fuzz.oracles import Row, games
from tests.shared import shared_folder
from yardstone.errors import YardstoneError
from yardstone.records.formats import read_format
from yardstone.records.options import Options
from yardstone.records.sources import Source

__all__ = ["FORMATS", "Tally", "tried"]

_GAMES = 7
_RESULTS = ("1-0", "0-1", "1/2-1/2")
_SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


@dataclass
class Tally:
    """What became of the sound games of so many damaged files.

    Attributes:
        cases, beside: Damaged files, and sound games in them.
        lost, silent, changed: Games that were not read; those of them in files of which nothing was
            reported; games read with another name or score.
        refused: Files that were refused as a whole, with an error.
        examples: list of (str, bytes).
    """

    cases: int = 0
    beside: int = 0
    lost: int = 0
    silent: int = 0
    changed: int = 0
    refused: int = 0
    examples: list[tuple[str, bytes]] = field(default_factory=list)


def tried(name: str, cases: int, seed: int = 0, *, keep: int = 0) -> Tally:
    """Damage so many files of a format, and count."""
    rng = random.Random(f"{name} {seed}")
    tally = Tally()
    make = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / f"games.{name}"
        for _ in range(cases):
            _case(name, path, make(rng), rng, tally, keep)
    return tally


def _case(
    name: str,
    path: Path,
    made: tuple[bytes, list[bytes], list[Row]],
    rng: random.Random,
    tally: Tally,
    keep: int,
) -> None:
    head, records, rows = made
    which = rng.randrange(len(records))
    broken = list(records)
    body = records[which].rstrip(b"\n")
    end = records[which][len(body) :]  # what parts it from the next one stays
    while broken[which] == records[which]:
        broken[which] = mutate(body, rng) + end
    data = head + b"".join(broken)
    path.write_bytes(data)
    tally.cases += 1
    sound = [row for place, row in enumerate(rows) if place != which]
    try:
        pool = read_format(name, [Source(path.name, path)], Options(skip_unread=True))
    except YardstoneError:
        tally.refused += 1
        return
    tally.beside += len(sound)
    result = games(pool)
    lost = [row for row in sound if row not in result]
    names = {name for row in sound for name in row[:2]}
    # A game that names somebody of a sound one, but is none of them, is a changed one.
    changed = [row for row in result if row not in rows and names & set(row[:2])]
    tally.lost += len(lost)
    tally.silent += len(lost) * (not pool.skipped.total)
    tally.changed += len(changed)
    if (lost or changed) and len(tally.examples) < keep:
        what = f"lost {lost} changed {changed} reported {pool.skipped.details[:5]}"
        tally.examples.append((what, data))


def _people(rng: random.Random, names: Sequence[str]) -> list[tuple[str, str]]:
    """Names that occur once each."""
    chosen = rng.sample(list(dict.fromkeys(names)), 2 * _GAMES)
    return list(zip(chosen[::2], chosen[1::2], strict=True))


@cache
def _chess_players() -> list[str]:
    path = shared_folder() / "data/chess/tcec_headers.pgn.gz"
    if not path.exists():
        return [f"Player {number} of {number % 7}" for number in range(100)]
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as text:
        return sorted({m[1] for line in text if (m := re.match(r'\[White "([^"\\]+)"', line))})


_MOVES = (
    "1. e4 e5 2. Nf3 Nc6 {the [best] move} 3. Bb5 a6",
    "1. d4 {[%clk 0:01:02]} Nf6 2. c4 (2. Nf3 g6) 2... e6 ; a comment\n3. Nc3",
    "1. c4",
)


def _pgn(rng: random.Random) -> tuple[bytes, list[bytes], list[Row]]:
    records, rows = [], []
    for number, (white, black) in enumerate(_people(rng, _chess_players())):
        result = rng.choice(_RESULTS)
        rows.append((white, black, _SCORES[result]))
        records.append(
            f'[Event "Cup"]\n[Site "?"]\n[Date "2024.05.0{number + 1}"]\n[Round "{number + 1}"]\n'
            f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n[ECO "B00"]\n\n'
            f"{rng.choice(_MOVES)} {result}\n\n".encode()
        )
    return b"", records, rows


def _csv(rng: random.Random) -> tuple[bytes, list[bytes], list[Row]]:
    records, rows = [], []
    for white, black in _people(rng, _chess_players()):
        result = rng.choice(_RESULTS)
        rows.append((white, black, _SCORES[result]))
        quoted = rng.random() < 0.5
        cells = (f'"{white}"', f'"{black}"') if quoted else (white, black)
        records.append(f"{cells[0]},{cells[1]},{result}\n".encode())
    return b"white,black,result\n", records, rows


def _sgf(rng: random.Random) -> tuple[bytes, list[bytes], list[Row]]:
    records, rows = [], []
    for black, white in _people(rng, [f"Player{number}" for number in range(100, 200)]):
        black_won = rng.random() < 0.5
        rows.append((black, white, float(black_won)))
        records.append(
            f"(;GM[1]FF[4]SZ[19]PB[{black}]PW[{white}]RE[{'B' if black_won else 'W'}+R]KM[6.5]\n"
            ";B[pd];W[dp]C[kibitz [3d\\]: hello](;B[pp];W[dd])(;B[dd]))\n".encode()
        )
    return b"", records, rows


@cache
def _real_matches() -> list[str]:
    path = shared_folder() / "data/backgammon/human_matches.tar.gz"
    example = Path(__file__).parents[2] / "src/yardstone/examples/backgammon.mat"
    texts = [example.read_text(encoding="utf-8")]
    if path.exists():
        with tarfile.open(path) as archive:
            for member in archive:
                if len(texts) > 60:
                    break
                if member.isfile() and member.size < 12_000:
                    texts.append(archive.extractfile(member).read().decode("utf-8", "replace"))  # type: ignore[union-attr]
    return [text.replace("\r", "") for text in texts]


def _mat(rng: random.Random) -> tuple[bytes, list[bytes], list[Row]]:
    """Real matches under names of their own."""
    records: list[bytes] = []
    rows: list[Row] = []
    while len(records) < _GAMES:
        text = rng.choice(_real_matches())
        one, other = f"Ann{len(records)}", f"Bob{len(records)}"
        if rng.random() < 0.5:  # as programs write them that know no tags
            text = re.sub(r"(?m)^\s*;.*\n", "", text)
        named = re.sub(
            r"(?m)^(\s?)(\S.*?)( : \d+ +)(\S.*?)( : \d+ *)$",
            lambda m, a=one, b=other: f"{m[1]}{a:<{len(m[2])}}{m[3]}{b}{m[5]}",  # type: ignore[misc]
            text,
        )
        score = _match_score(named)
        if score is None:
            continue
        records.append(f"{named.rstrip()}\n\n".encode())
        rows.append((one, other, score))
    return b"", records, rows


def _match_score(text: str) -> float | None:
    from yardstone.records.mat import parse_mat

    matches = list(parse_mat(text.split("\n")))
    if len(matches) != 1 or matches[0].problem() or matches[0].players[0][:3] != "Ann":
        return None
    return float(matches[0].winner == 0)


FORMATS: dict[str, Callable[[random.Random], tuple[bytes, list[bytes], list[Row]]]] = {
    "pgn": _pgn,
    "csv": _csv,
    "sgf": _sgf,
    "mat": _mat,
}


def _lines(tallies: dict[str, Tally]) -> Iterator[str]:
    yield "| format | damaged files | games beside | lost | without a word | changed | refused |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for name, t in tallies.items():
        yield (
            f"| {name} | {t.cases:,} | {t.beside:,} | {t.lost:,} | {t.silent:,} | {t.changed:,} "
            f"| {t.refused:,} |"
        )


def main(arguments: list[str] | None = None) -> int:
    """Print the table, and examples where asked."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.neighbours")
    parser.add_argument("formats", nargs="*")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--examples", type=int, default=0)
    options = parser.parse_args(arguments)
    tallies = {
        name: tried(name, options.cases, options.seed, keep=options.examples)
        for name in options.formats or FORMATS
    }
    print("\n".join(_lines(tallies)))
    for name, tally in tallies.items():
        for what, data in tally.examples:
            print(f"--- {name}: {what}\n{data.decode('utf-8', 'replace')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
