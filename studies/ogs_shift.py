"""Ranks of Fox against those of OGS: ``python -m studies.ogs_shift --net FILE``.

Estimates the players of the league in ``data/go/ogs_league.zip`` (psygo/go-brasil-ranking,
2021 and 2022) from their even games, and compares them with the ranks that the records name.
The difference is the shift of `yardstone.strength.estimate.site_scales`; players whom the
model cannot place, below its weakest group's upper edge or at 9 dan, are left out. The table
goes to
``docs/studies/ogs-shift-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
from collections import defaultdict
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

from yardstone.errors import InputError
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import read_games
from yardstone.strength.estimate.many import PlayerEstimate, estimate_players
from yardstone.strength.estimate.players import plain_name
from yardstone.strength.estimate.seen import model_network
from yardstone.strength.estimate.site_scales import fox_rank
from yardstone.strength.rank.model import EDGES, RankModel

ROOT = Path(__file__).resolve().parent.parent
LEAGUE = ROOT.parent / "shared" / "data" / "go" / "ogs_league.zip"
TABLE = ROOT / "docs" / "studies" / "ogs-shift-tables.md"
#: Ranks at OGS outside of these are beyond what the model knows on any mapping.
WEAKEST, STRONGEST = -7.0, 9.0


def rank_number(text: str) -> float | None:
    """The middle of a rank such as ``3k`` or ``2d?``: n + 0.5 for n dan, 0.5 for 1 kyu."""
    found = re.match(r"(\d+)([kd])", text.strip().lower())
    if found is None:
        return None
    number = int(found[1])
    return (number if found[2] == "d" else 1 - number) + 0.5


def site_ranks(games: list[GoGame]) -> dict[str, float]:
    """Mean rank that the records give each player."""
    ranks: dict[str, list[float]] = defaultdict(list)
    for game in games:
        for name, rank in ((game.black, game.black_rank), (game.white, game.white_rank)):
            if (number := rank_number(rank)) is not None:
                ranks[plain_name(name)].append(number)
    return {name: float(np.mean(found)) for name, found in ranks.items()}


def shift(pairs: list[tuple[PlayerEstimate, float]]) -> tuple[float, float, float, int]:
    """Weighted mean difference of OGS and Fox, its standard error, the spread, and how many."""
    inside = [
        (each, rank)
        for each, rank in pairs
        if EDGES[1] < each.rating < EDGES[-2] and WEAKEST < rank < STRONGEST
    ]
    weight = np.array([1.0 / (each.deviation**2 + 1.0) for each, _ in inside])
    difference = np.array([rank - each.rating for each, rank in inside])
    mean = float(np.average(difference, weights=weight))
    spread = float(np.sqrt(np.average((difference - mean) ** 2, weights=weight)))
    return mean, spread / np.sqrt(len(inside)), spread, len(inside)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--net")
    parser.add_argument("--games", type=Path, default=LEAGUE)
    options = parser.parse_args()
    model = RankModel.load()
    try:
        network = model_network(model, options.net)
        games = [game for game in read_games(options.games) if game.handicap < 2]
    except InputError as problem:
        sys.exit(str(problem))
    found = estimate_players(games, network, model)
    ranks = site_ranks(games)
    pairs = [
        (each, ranks[plain_name(each.player)])
        for each in found.players
        if plain_name(each.player) in ranks
    ]
    mean, error, spread, number = shift(pairs)
    lines = [
        "| rank at OGS | estimate (Fox) | 90 % interval | games | moves |",
        "|---|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {fox_rank(rank)} | {each.rating:.1f} | {each.low:.1f} to {each.high:.1f} "
        f"| {each.games} | {each.moves:,} |"
        for each, rank in sorted(pairs, key=lambda pair: pair[1])
    ]
    lines += [
        "",
        f"OGS less Fox: {mean:.1f} ± {error:.1f} ranks (one standard error), with a spread of "
        f"{spread:.1f} ranks over {number} players whom the model can place.",
        "",
        f"`python -m studies.ogs_shift`, {date.today():%Y-%m-%d}; Yardstone "
        f"{version('yardstone')}, model {model.card['name']}, numpy {version('numpy')}, "
        f"Python {platform.python_version()}.",
    ]
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")
    print(TABLE.read_text("utf-8"))


if __name__ == "__main__":
    main()
