"""Tournaments by chance, to test pairing programs: a Swiss by the Dutch system.

Players have ratings and results follow from them; some come late, leave early, ask for a
bye or do not appear at a game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.kernels import Loops, weighed
from yardstone.tournament.dutch.acceleration import baku
from yardstone.tournament.dutch.field import seeding
from yardstone.tournament.dutch.pairing import pair_dutch
from yardstone.tournament.model import Bye, ByeKind, Game, Player, Result, System, Tournament
from yardstone.tournament.rules import Scoring, SwissSettings
from yardstone.winprob.logistic import win_probability

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["RandomPlan", "random_tournament"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomPlan:
    """What a tournament by chance is like.

    Attributes
    ----------
    players, rounds, seed : int
    rating, spread : float
        Mean and standard deviation of the ratings.
    draws : float
        Share of draws between equal players; fewer between others.
    forfeits : float
        Share of games to which a player does not come.
    byes : float
        Share of rounds in which a player asks for half a point.
    late, withdrawals : float
        Share of players who come after the first round, and who leave before the last.
    accelerated : bool
        Baku acceleration.
    """

    players: int = 40
    rounds: int = 9
    seed: int = 0
    rating: float = 2000.0
    spread: float = 250.0
    draws: float = 0.3
    forfeits: float = 0.02
    byes: float = 0.02
    late: float = 0.03
    withdrawals: float = 0.05
    accelerated: bool = False

    def __post_init__(self) -> None:
        if self.players < 2 or self.players > 9_999:
            raise UsageError(f"{self.players} players: from 2 to 9999")
        if not 1 <= self.rounds <= 99:
            raise UsageError(f"{self.rounds} rounds: from 1 to 99")
        if self.seed < 0:
            raise UsageError(f"seed {self.seed}: seeds are not negative")
        if not 0 <= self.rating <= 9_999 or self.spread < 0:
            raise UsageError("ratings lie from 0 to 9999, and their spread is not negative")
        for name in ("draws", "forfeits", "byes", "late", "withdrawals"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} {getattr(self, name)}: a share lies from 0 to 1")


@weighed(Loops.PAIRING, lambda plan, **_: 30 * plan.players**2 * plan.rounds)
def random_tournament(
    plan: RandomPlan, *, progress: Callable[[int, int], None] | None = None
) -> Tournament:
    """Play a tournament by chance.

    Where no further round can be paired by the rules, the tournament ends before its time;
    its number of rounds stays as planned.

    Parameters
    ----------
    plan : RandomPlan
    progress : callable, optional
        Called with the rounds that are played and all of them.
    """
    rng = np.random.default_rng(plan.seed)
    tournament = _entries(plan, rng)
    for number in range(1, plan.rounds + 1):
        requested = [
            Bye(number, row, ByeKind.half)
            for row, player in enumerate(tournament.players)
            if player.takes_part(number) and rng.random() < plan.byes
        ]
        with_byes = replace(tournament, byes=(*tournament.byes, *requested))
        try:
            pairing = pair_dutch(with_byes, number, seed=plan.seed)
        except InputError:
            break
        paired = pairing.added_to(with_byes)
        games = tuple(
            _played(game, plan, paired, rng) if game.round == number else game
            for game in paired.games
        )
        tournament = replace(paired, games=games)
        if progress is not None:
            progress(number, plan.rounds)
    return tournament


def _entries(plan: RandomPlan, rng: Generator) -> Tournament:
    ratings = np.sort(rng.normal(plan.rating, plan.spread, plan.players).clip(1, 9_999))[::-1]
    players = []
    for number, rating in enumerate(ratings, 1):
        first, last = 1, plan.rounds
        if plan.rounds > 1 and rng.random() < plan.late:
            first = int(rng.integers(2, plan.rounds + 1))
        if plan.rounds > 1 and rng.random() < plan.withdrawals:
            last = int(rng.integers(first, plan.rounds + 1))
        absent = {r for r in range(1, plan.rounds + 1) if not first <= r <= last}
        players.append(
            Player(
                name=f"Player {number:04d}",
                rating=float(round(rating)),
                rating_origin="FIDE",
                absent=frozenset(absent),
            )
        )
    colour = "white" if rng.integers(2) else "black"
    made = Tournament(
        name=f"Random tournament {plan.seed}",
        discipline="chess",
        size=8,
        rounds=plan.rounds,
        system=System.swiss,
        players=tuple(players),
        scoring=Scoring(wins_absent=0.0, score_absent=0.0, round_down=False),
    )
    stages = baku(seeding(made), plan.rounds) if plan.accelerated else ()
    return replace(made, swiss=SwissSettings(initial_colour=colour, accelerations=stages))


def _played(game: Game, plan: RandomPlan, tournament: Tournament, rng: Generator) -> Game:
    """The game with a result."""
    if rng.random() < plan.forfeits:
        forms = (Result.first_wins, Result.second_wins, Result.both_lose)
        return replace(game, result=forms[rng.choice(3, p=(0.45, 0.45, 0.1))], forfeit=True)
    one, two = (tournament.players[p].rating or 0.0 for p in (game.first, game.second))
    expected = float(win_probability(one - two))
    drawn = min(4 * plan.draws * expected * (1 - expected), 2 * min(expected, 1 - expected))
    lot = rng.random()
    if lot < drawn:
        return replace(game, result=Result.draw)
    wins = expected - drawn / 2
    return replace(game, result=Result.first_wins if lot < drawn + wins else Result.second_wins)
