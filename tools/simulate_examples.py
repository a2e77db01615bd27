"""Make the example files whose games are simulated: ``python tools/simulate_examples.py``.

Each is drawn from a model of the package with a fixed seed, for jobs of which no real games
can be given away: a Swiss chess tournament, games with Go grades, features of style, and
estimates beside a club's ratings.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from yardstone.grades import format_grade
from yardstone.tournament.formats.trf import write_trf
from yardstone.tournament.model import Player, Result, System, Tournament
from yardstone.tournament.pairing import pair_round
from yardstone.tournament.rules import Scoring
from yardstone.winprob.kaniuk import PUBLISHED

EXAMPLES = Path(__file__).resolve().parents[1] / "src" / "yardstone" / "examples"
SEED = 20260516
FIELD = (
    ("Okafor", "Chidi", "NGR", 2412), ("Lindqvist", "Sara", "SWE", 2376),
    ("Moreno", "Julia", "ESP", 2341), ("Tanaka", "Ken", "JPN", 2298),
    ("Weber", "Jonas", "GER", 2260), ("Dubois", "Claire", "FRA", 2214),
    ("Novak", "Petr", "CZE", 2183), ("Rossi", "Marta", "ITA", 2140),
    ("Kaya", "Deniz", "TUR", 2095), ("Silva", "Rui", "POR", 2038),
    ("Murphy", "Aoife", "IRL", 1987), ("Jansen", "Bram", "NED", 1920),
)  # fmt: skip
DRAWS = 0.3


def swiss() -> Tournament:
    """A Swiss of twelve players and six rounds, five of them played."""
    rng = np.random.default_rng(SEED)
    first_day = date(2026, 5, 16)
    tournament = Tournament(
        name="Lakeside Swiss",
        place="Lakeside",
        discipline="chess",
        begin=first_day,
        end=first_day + timedelta(days=5),
        rounds=6,
        system=System.swiss,
        scoring=Scoring(criteria=("PTS", "BH-C1", "BH", "SB")),
        round_dates=tuple(first_day + timedelta(days=day) for day in range(6)),
        players=tuple(
            Player(name=name, first_name=first, country=country, rating=float(rating))
            for name, first, country, rating in FIELD
        ),
    )
    for number in range(1, 6):
        tournament = pair_round(tournament, number).added_to(tournament)
        games = []
        for game in tournament.games:
            if game.result is Result.unknown:
                white, black = (FIELD[each][3] for each in (game.first, game.second))
                expected = 1.0 / (1.0 + 10.0 ** ((black - white - 35) / 400.0))
                draws = DRAWS * 2.0 * min(expected, 1.0 - expected)
                drawn = rng.random()
                won = expected - draws / 2.0
                result = (
                    Result.first_wins if drawn < won
                    else Result.draw if drawn < won + draws
                    else Result.second_wins
                )  # fmt: skip
                game = replace(game, result=result)
            games.append(game)
        tournament = replace(tournament, games=tuple(games))
    return tournament


def graded_games(games: int = 2000, players: int = 300) -> Iterable[Sequence[object]]:
    """Even games of Go between players with grades, by Kaniuk's published model."""
    rng = np.random.default_rng(SEED)
    grades = np.sort(rng.integers(-11, 6, players))
    yield "date", "event", "black", "black_grade", "white", "white_grade", "result", "expected"
    for number in range(games):
        one = int(rng.integers(players))
        other = int(np.clip(one + rng.integers(-40, 41), 0, players - 1))
        if other == one:
            other = (one + 1) % players
        expected = float(PUBLISHED.probability(grades[one], grades[other]))
        day = date(2016, 1, 1) + timedelta(days=number * 3650 // games)
        yield (
            day.isoformat(), f"Event {number // 50 + 1}",
            f"P{one:03d}", format_grade(int(grades[one])),
            f"P{other:03d}", format_grade(int(grades[other])),
            "1-0" if rng.random() < expected else "0-1", f"{expected:.3f}",
        )  # fmt: skip


def style() -> str:
    """A table in Orange's format: three features of sixty players, two that tell the rank."""
    rng = np.random.default_rng(SEED)
    lines = ["border\tcaptures\tnoise\trank\tplayer", "c\tc\tc\tc\ts", "\t\t\tclass\tmeta"]
    for number in range(60):
        rank = int(rng.integers(-15, 7))
        values = (0.2 * rank + rng.normal(), -0.1 * rank + rng.normal(), rng.normal())
        lines.append("\t".join([*(f"{each:.3f}" for each in values), f"{rank}", f"P{number:02d}"]))
    return "\n".join(lines) + "\n"


def estimates() -> Iterable[Sequence[object]]:
    """Estimates from moves beside a club's ratings."""
    rng = np.random.default_rng(SEED)
    yield "player", "rating", "estimate"
    for number in range(30):
        strength = rng.uniform(-3.0, 8.0)
        rating = 1500.0 + 90.0 * strength + 60.0 * rng.normal()
        yield f"P{number:02d}", round(rating), f"{strength + 0.7 * rng.normal():.2f}"


def write_csv(name: str, rows: Iterable[Sequence[object]]) -> None:
    """Write a table into the package."""
    with (EXAMPLES / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main() -> None:
    """Write all of them."""
    (EXAMPLES / "swiss.trf").write_bytes(write_trf(swiss()))
    write_csv("graded_games_simulated.csv", graded_games())
    write_csv("estimates_simulated.csv", estimates())
    (EXAMPLES / "style_simulated.tab").write_text(style(), encoding="utf-8")


if __name__ == "__main__":
    main()
