"""Files of games as match programs write them, and an independent count of what they say."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Literal

Program = Literal["fastchess", "cutechess-cli"]
BOOK = [
    f"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 {number}"
    for number in range(2, 60)
]


@dataclass(frozen=True)
class Played:
    """A game of a match."""

    round: int
    white: str
    black: str
    result: str
    ending: str
    position: str


def play(
    rounds: int, seed: int = 1, first: str = "New 1.1", second: str = "Old 1.0"
) -> list[Played]:
    """A match in rounds of two games with sides swapped, in the order in which games ended."""
    rng = random.Random(seed)
    games = []
    for number in range(1, rounds + 1):
        position = rng.choice(BOOK)
        tilt = rng.uniform(-0.25, 0.35)  # openings favour White more or less
        for white, black in ((first, second), (second, first)):
            better = tilt + (0.04 if white == first else -0.04)
            result = rng.choices(["1-0", "0-1", "1/2-1/2"], [0.3 + better, 0.3 - better, 0.4])[0]
            ending = "normal"
            if result != "1/2-1/2":
                ending = rng.choices(
                    ["normal", "adjudication", "time forfeit", "illegal move", "abandoned"],
                    [60, 30, 6, 2, 2],
                )[0]
            games.append(Played(number, white, black, result, ending, position))
    # Of several games at a time the later can end first.
    return sorted(games, key=lambda game: game.round + rng.uniform(0.0, 2.5))


def written(game: Played, program: Program) -> str:
    """A game as a match program writes it."""
    tags = {
        "Event": "Fastchess Tournament" if program == "fastchess" else "?",
        "Site": "?",
        "Date": "2026.10.05",
        "Round": str(game.round),
        "White": game.white,
        "Black": game.black,
        "Result": game.result,
    }
    clock = {"PlyCount": "6", "TimeControl": "8+0.08"}
    if program == "fastchess":
        tags |= {"SetUp": "1", "FEN": game.position, "GameDuration": "00:00:31"}
        tags |= {"PlyCount": "6", "Termination": game.ending, "TimeControl": "8+0.08"}
    else:  # it names only endings that are not usual
        tags |= {"FEN": game.position, "SetUp": "1", **clock}
        tags |= {} if game.ending == "normal" else {"Termination": game.ending}
    reason = {"time forfeit": "White loses on time", "abandoned": "White disconnects"}
    said = reason.get(game.ending, "Black mates")
    lines = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    moves = "2. Nf3 {+0.31/18 0.41s} Nc6 {-0.22/17 0.38s} 3. Bb5 {+0.36/17 0.36s}\n"
    return f"{lines}\n{moves}a6 {{-0.28/18 0.40s, {said}}} {game.result}\n\n"


def counted(text: str, first: str) -> dict[str, Any]:
    """What a file says of one player, counted without Yardstone."""
    rounds: dict[str, list[float]] = defaultdict(list)
    results: Counter[float] = Counter()
    sides: dict[bool, Counter[float]] = {True: Counter(), False: Counter()}
    on_time: Counter[bool] = Counter()
    for record in re.split(r"(?=^\[Event )", text, flags=re.MULTILINE)[1:]:
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', record, re.MULTILINE))
        white = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(tags["Result"])
        if white is None:
            continue
        mine = white if tags["White"] == first else 1.0 - white
        rounds[tags["Round"]].append(mine)
        results[mine] += 1
        sides[tags["White"] == first][mine] += 1
        if tags.get("Termination") == "time forfeit":
            on_time[mine == 0.0] += 1
    pairs = Counter(sum(games) for games in rounds.values() if len(games) == 2)
    return {
        "counts": [pairs[points / 2] for points in range(5)],
        "games": [results[points / 2] for points in (2, 1, 0)],
        "white": [sides[True][points / 2] for points in (2, 1, 0)],
        "black": [sides[False][points / 2] for points in (2, 1, 0)],
        "on time": [on_time[True], on_time[False]],
        "single": sum(len(games) == 1 for games in rounds.values()),
    }
