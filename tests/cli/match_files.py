"""Files of games as match programs write them, and an independent count of what they say."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Literal

Program = Literal["fastchess", "cutechess-cli"]


@dataclass(frozen=True)
class Played:
    """A game of a match."""

    round: int
    white: str
    black: str
    result: str
    ending: str = "normal"


def play(rounds: int, *, first: str = "New 1.1", second: str = "Old 1.0") -> list[Played]:
    """A match in rounds of two games with sides swapped, in the order in which games ended."""
    rng = random.Random(1)
    games = []
    for number in range(1, rounds + 1):
        tilt = rng.uniform(-0.25, 0.35)  # openings favour White more or less
        for white, black in ((first, second), (second, first)):
            better = tilt + (0.04 if white == first else -0.04)
            result = rng.choices(["1-0", "0-1", "1/2-1/2"], [0.3 + better, 0.3 - better, 0.4])[0]
            endings = ["normal", "adjudication", "time forfeit", "illegal move", "abandoned"]
            ending = rng.choices(endings, [60, 30, 6, 2, 2])[0]
            if result == "1/2-1/2":
                ending = "normal"
            games.append(Played(number, white, black, result, ending))
    # Of several games at a time the later can end first.
    return sorted(games, key=lambda game: game.round + rng.uniform(0.0, 2.5))


def one_sided(rounds: int) -> list[Played]:
    """A match in which the first player wins each first game, and draws each second one."""
    return [
        Played(number, *players, result)
        for number in range(rounds)
        for players, result in ((("A", "B"), "1-0"), (("B", "A"), "1/2-1/2"))
    ]


def written(games: list[Played], program: Program = "fastchess") -> str:
    """Games as a match program writes them."""
    texts = []
    for game in games:
        tags = {"Event": "Fastchess Tournament" if program == "fastchess" else "?", "Site": "?"}
        tags |= {"Date": "2026.10.05", "Round": str(game.round), "White": game.white}
        tags |= {"Black": game.black, "Result": game.result, "PlyCount": "6"}
        # cutechess-cli names only endings that are not usual.
        if program == "fastchess" or game.ending != "normal":
            tags["Termination"] = game.ending
        lines = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        moves = "1. e4 {+0.31/18 0.41s} e5 {-0.22/17 0.38s} 2. Bb5 {+0.36/17 0.36s}\n"
        texts.append(f"{lines}\n{moves}a6 {{-0.28/18 0.40s, a reason}} {game.result}\n\n")
    return "".join(texts)


def counted(text: str, first: str) -> dict[str, Any]:
    """What a file says of one player, counted without Yardstone."""
    rounds: dict[str, list[float]] = defaultdict(list)
    sides: dict[str, Counter[float]] = {first: Counter(), "": Counter()}
    on_time: Counter[bool] = Counter()
    for record in re.split(r"(?=^\[Event )", text, flags=re.MULTILINE)[1:]:
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', record, re.MULTILINE))
        white = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(tags["Result"])
        if white is None:
            continue
        own = tags["White"] == first
        mine = white if own else 1.0 - white
        rounds[tags["Round"]].append(mine)
        sides[first if own else ""][mine] += 1
        if tags.get("Termination") == "time forfeit":
            on_time[mine == 0.0] += 1
    pairs = Counter(sum(games) for games in rounds.values() if len(games) == 2)
    one, other = ([side[points / 2] for points in (2, 1, 0)] for side in sides.values())
    return {
        "counts": [pairs[points / 2] for points in range(5)],
        "games_between": [a + b for a, b in zip(one, other, strict=True)],
        "moving_first": one,
        "moving_second": other,
        "on time": [on_time[True], on_time[False]],
        "single": sum(len(games) == 1 for games in rounds.values()),
    }
