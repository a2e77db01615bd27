"""Files of games as match programs write them."""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

Program = Literal["fastchess", "cutechess-cli"]


class Played(NamedTuple):
    round: int
    white: str
    black: str
    result: str
    ending: str = "normal"


def play(rounds: int) -> list[Played]:
    """A match in rounds of two games with sides swapped, in the order in which games ended."""
    rng = random.Random(1)
    games = []
    for number in range(1, rounds + 1):
        tilt = rng.uniform(-0.25, 0.35)  # openings favour White more or less
        for white, black in (("New 1.1", "Old 1.0"), ("Old 1.0", "New 1.1")):
            better = tilt + (0.04 if white == "New 1.1" else -0.04)
            result = rng.choices(["1-0", "0-1", "1/2-1/2"], [0.3 + better, 0.3 - better, 0.4])[0]
            endings = ["normal", "adjudication", "time forfeit", "illegal move", "abandoned"]
            ending = rng.choices(endings, [60, 30, 6, 2, 2])[0]
            ending = "normal" if result == "1/2-1/2" else ending
            games.append(Played(number, white, black, result, ending))
    # Of several games at a time the later can end first.
    return sorted(games, key=lambda game: game.round + rng.uniform(0.0, 2.5))


def one_sided(rounds: int) -> list[Played]:
    """A match in which the first player wins each first game, and draws each second one."""
    pair = (("A", "B", "1-0"), ("B", "A", "1/2-1/2"))
    return [Played(number, *game) for number in range(rounds) for game in pair]


def written(games: list[Played], program: Program = "fastchess") -> str:
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
