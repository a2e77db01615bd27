"""Files of games of any size, the same on every machine: games of simulated engines.

Strengths are normal with a standard deviation of 250 points, as in lists of
engines; moving first is worth 30 points; equal players draw 45 % of their games.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np

DEVIATION = 250.0
FIRST_ADVANTAGE = 30.0
DRAW_RATE = 0.45
POINTS_PER_LOGIT = 400.0 / math.log(10.0)
RESULTS = ("0-1", "1/2-1/2", "1-0")
#: Games are written in batches of so many.
BATCH = 100_000
#: Tables spread their games over so many days.
DAYS = 1_000

FOLDER = Path(tempfile.gettempdir()) / "yardstone-benchmarks"


@dataclass(frozen=True)
class Size:
    """What a file of games holds."""

    players: int
    games: int
    plies: int  #: Length of the text of the moves, in half-moves.
    tags: int  #: Further tags of each game, beyond those that a rating needs.

    @property
    def path(self) -> Path:
        """Where the file is kept."""
        return FOLDER / f"{self.games}-games-{self.players}-players-{self.plies}-plies.pgn"


#: 175 MB, 73 MB, and two games to measure the start of a program with.
MILLION = Size(players=2_000, games=1_000_000, plies=10, tags=0)
HUNDRED_THOUSAND = Size(players=500, games=100_000, plies=94, tags=3)
TINY = Size(players=2, games=20, plies=4, tags=0)

MOVES = (
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 Bc2 Re8 "
    "Nf1 Bf8 Ng3 g6 a4 c5 d5 c4 Bg5 h6 Be3 Nc5 Qd2 h5 Bg5 Be7 Ra3 Rb8 axb5 axb5 Rea1 Ra8 Qe3 "
    "Rxa3 Rxa3 Qb8 Nd2 Bc8 Nf3 Bd7 Nd2 Qb6 Qf3 Kg7 Be3 Ra8 Rxa8 Bxa8 Nf1 Qa5 Nd2 Qa1+ Kh2 Qxb2 "
    "Bxc5 dxc5 Qe3 Qxc3 Qxc3 b4 Qe3 c3 Nf3 b3 Bd3 c4 Bxc4 b2 Qb3 c2 Qxb2 c1=Q Bd3 Qf4+ Kg1 Qc1+ "
    "Kh2 Bd6 Nxe5 Bxe5+ f4 Qxf4+ Kg1 Qe3+ Kh1"
).split()


def movetext(plies: int) -> str:
    """So many half-moves of a game, numbered, in lines of at most 80 characters."""
    words: list[str] = []
    for ply, move in enumerate(MOVES[:plies]):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        words.append(move)
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) >= 80:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def draw_results(
    difference: np.ndarray[tuple[int], np.dtype[np.float64]], generator: np.random.Generator
) -> list[int]:
    """0 for a loss, 1 for a draw and 2 for a win, by Davidson's model."""
    root = np.exp(0.5 * difference / POINTS_PER_LOGIT)
    draw = 2.0 * DRAW_RATE / (1.0 - DRAW_RATE)
    total = root + draw + 1.0 / root
    place = generator.random(len(difference)) * total
    drawn: list[int] = ((place > 1.0 / root).astype(int) + (place > 1.0 / root + draw)).tolist()
    return drawn


def draw_games(size: Size) -> Iterator[list[tuple[int, int, int]]]:
    """Batches of games: numbers of White and Black, and the result for White."""
    generator, strength = draw_players(size)
    for start in range(0, size.games, BATCH):
        number = min(BATCH, size.games - start)
        white = generator.integers(0, size.players, number)
        black = (white + generator.integers(1, size.players, number)) % size.players
        results = draw_results(strength[white] + FIRST_ADVANTAGE - strength[black], generator)
        yield list(zip(white.tolist(), black.tolist(), results, strict=True))


def draw_players(
    size: Size,
) -> tuple[np.random.Generator, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The generator of a file, and the strengths of its players."""
    generator = np.random.default_rng([20260101, size.players, size.games])
    return generator, generator.normal(0.0, DEVIATION, size.players)


def write(size: Size) -> Path:
    """Write the PGN file of games if it is not there yet, and say where it is."""
    if size.path.exists():
        return size.path
    FOLDER.mkdir(parents=True, exist_ok=True)
    names = [f"Engine {number:04d}" for number in range(size.players)]
    extra = ["[WhiteElo", "[BlackElo", '[TimeControl "40/900"]'][: size.tags]
    moves = movetext(size.plies)
    rounded = [str(round(3000 + value)) for value in draw_players(size)[1]]
    unfinished = size.path.with_suffix(".part")
    game = 0
    with unfinished.open("w", encoding="ascii", newline="\n") as file:
        for batch in draw_games(size):
            for one, other, result in batch:
                game += 1
                tags = (
                    f'{extra[0]} "{rounded[one]}"]\n{extra[1]} "{rounded[other]}"]\n{extra[2]}\n'
                    if extra
                    else ""
                )
                file.write(
                    f'[Event "Benchmark"]\n[Date "2026.01.01"]\n[Round "{game}"]\n'
                    f'[White "{names[one]}"]\n[Black "{names[other]}"]\n'
                    f'[Result "{RESULTS[result]}"]\n{tags}\n{moves} {RESULTS[result]}\n\n'
                )
    return unfinished.rename(size.path)


def write_table(size: Size) -> Path:
    """Write the same games as CSV, with dates in order over three years, if not there yet."""
    path = size.path.with_suffix(".csv")
    if path.exists():
        return path
    FOLDER.mkdir(parents=True, exist_ok=True)
    days = [(date(2023, 1, 1) + timedelta(day)).isoformat() for day in range(DAYS)]
    unfinished = path.with_suffix(".part")
    game = 0
    with unfinished.open("w", encoding="ascii", newline="\n") as file:
        file.write("date,white,black,result\n")
        for batch in draw_games(size):
            for one, other, result in batch:
                day = days[game * DAYS // size.games]
                file.write(f"{day},Engine {one:04d},Engine {other:04d},{RESULTS[result]}\n")
                game += 1
    return unfinished.rename(path)


if __name__ == "__main__":
    for each in (TINY, HUNDRED_THOUSAND, MILLION):
        written = write(each)
        print(f"{written}: {written.stat().st_size / 1e6:.1f} MB")
