"""Tournaments for tests of pairing: made, and played by lot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from yardstone.tournament import Game, PairingRules, Player, Result, System, Tournament, pair_round
from yardstone.tournament.rules import HandicapRules, Scoring

CLUBS = ("Alm", "Bux", "Cet")


def made(
    players: int,
    *,
    rounds: int = 5,
    system: System = System.mcmahon,
    ranks: tuple[int, int] = (-12, 4),
    seed: int = 1,
) -> Tournament:
    """A tournament before its first round; names sort as the numbers do."""
    rng = np.random.default_rng(seed)
    drawn = np.sort(rng.integers(ranks[0], ranks[1] + 1, players))[::-1]
    entries = tuple(
        Player(name=f"P{row:04d}", first_name="x", rank=int(rank),
               rating=2100.0 + 100.0 * float(rank) - row / 100.0,
               club=CLUBS[row % len(CLUBS)], country=("AA", "BB")[row % 2])
        for row, rank in enumerate(drawn)
    )  # fmt: skip
    mcmahon = system is System.mcmahon
    return Tournament(
        name="Made",
        rounds=rounds,
        system=system,
        discipline="go",
        komi=6.5,
        players=entries,
        handicap=HandicapRules(ceiling=9 if mcmahon else 0),
        scoring=Scoring(criteria=("MMS", "SOSM") if mcmahon else ("NBW", "SOSW"), bar=2, floor=-10),
    )


def with_results(tournament: Tournament, seed: int) -> Tournament:
    """The same with a winner drawn for every open game."""
    rng = np.random.default_rng(seed)

    def ended(game: Game) -> Game:
        if game.result is not Result.unknown:
            return game
        first = rng.random() < 0.5
        return replace(game, result=Result.first_wins if first else Result.second_wins)

    return replace(tournament, games=tuple(map(ended, tournament.games)))


def played(tournament: Tournament, rounds: int, rules: PairingRules | None = None) -> Tournament:
    """Some rounds paired and played."""
    for number in range(1, rounds + 1):
        pairing = pair_round(tournament, number, rules=rules)
        tournament = with_results(pairing.added_to(tournament), seed=number)
    return tournament
