"""Predictions of public rating packages, for the table of systems.

``lab.studies.systems_table`` runs this with an interpreter that has the packages (riix,
elote, glicko2, whr, whole-history-rating); it needs nothing of Yardstone::

    python systems_peers.py NAME PARAMETERS GAMES.npz PREDICTIONS.npz

``GAMES.npz`` holds `first`, `second` (numbers of players), `score` and `time`
(seconds), in order of time, and `cuts`: games before which systems that rate all
games at once are fitted anew. Each game is predicted before the package sees it.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import numpy as np

DAY = 86_400
LOGIT_PER_POINT = math.log(10.0) / 400.0


class Games:
    """The games, as plain lists where loops in Python are faster with them."""

    def __init__(self, path: str) -> None:
        with np.load(path) as file:
            self.first = file["first"]
            self.second = file["second"]
            self.score = file["score"]
            self.time = file["time"]
            self.cuts = file["cuts"].tolist()
        self.players = int(max(self.first.max(), self.second.max())) + 1

    def rows(self) -> zip[tuple[int, int, float]]:
        """First player, second player and score of each game."""
        return zip(self.first.tolist(), self.second.tolist(), self.score.tolist(), strict=True)


def riix(games: Games, name: str, **parameters: float) -> np.ndarray:
    from riix.utils.data_utils import MatchupDataset

    # Days, or hours where they are known: games of one step are predicted together.
    unit = DAY if (games.time % DAY == 0).mean() > 0.5 else 3600
    if "c" in parameters:
        parameters["c"] *= math.sqrt(unit / DAY)
    # Its reader of frames shuffles games under current polars, so arrays go in directly.
    dataset = MatchupDataset.init_from_arrays(
        time_steps=((games.time - games.time[0]) // unit).astype(np.int32),
        matchups=np.ascontiguousarray(np.column_stack([games.first, games.second])),
        outcomes=games.score,
        competitors=[str(number) for number in range(games.players)],
    )
    system = getattr(import_module(f"riix.models.{name.lower()}"), name)
    fitted = system(dataset.competitors, **parameters)
    return np.asarray(fitted.fit_dataset(dataset, return_pre_match_probs=True))


def riix_elo(games: Games, *, k: float = 32.0, scale_points: float = 400.0) -> np.ndarray:
    return riix(games, "Elo", k=k, alpha=math.log(10.0) / scale_points)


def riix_glicko(
    games: Games, *, initial_deviation: float = 350.0, drift: float = 63.2
) -> np.ndarray:
    return riix(games, "Glicko", initial_rating_dev=initial_deviation, c=drift)


def riix_glicko2(
    games: Games,
    *,
    initial_deviation: float = 350.0,
    initial_volatility: float = 0.06,
    tau: float = 0.5,
) -> np.ndarray:
    return riix(
        games,
        "Glicko2",
        initial_rd=initial_deviation,
        initial_sigma=initial_volatility,
        tau=tau,
    )


def elote(games: Games, make: Callable[[], Any], *, timed: bool) -> np.ndarray:
    players = [make() for _ in range(games.players)]
    expected = np.empty(len(games.score))
    times = games.time.tolist()
    for game, (one, other, score) in enumerate(games.rows()):
        first, second = players[one], players[other]
        expected[game] = first.expected_score(second)
        when = {"match_time": datetime.fromtimestamp(times[game], tz=UTC)} if timed else {}
        if score == 1.0:
            first.beat(second, **when)
        elif score == 0.0:
            first.lost_to(second, **when)
        else:
            first.tied(second, **when)
    return expected


def elote_elo(games: Games, *, k: float = 32.0) -> np.ndarray:
    from elote import EloCompetitor

    return elote(games, lambda: EloCompetitor(initial_rating=1500, k_factor=k), timed=False)


def elote_glicko(
    games: Games, *, initial_deviation: float = 350.0, drift: float = 34.6
) -> np.ndarray:
    from elote import GlickoCompetitor

    GlickoCompetitor._c = drift
    return elote(games, lambda: GlickoCompetitor(initial_rd=initial_deviation), timed=True)


def glicko2(
    games: Games,
    *,
    initial_deviation: float = 350.0,
    initial_volatility: float = 0.06,
    tau: float = 0.5,
) -> np.ndarray:
    from glicko2 import Player

    Player._tau = tau
    players = [Player(rd=initial_deviation, vol=initial_volatility) for _ in range(games.players)]
    expected = np.empty(len(games.score))
    for game, (one, other, score) in enumerate(games.rows()):
        first, second = players[one], players[other]
        r1, d1, r2, d2 = first.rating, first.rd, second.rating, second.rd
        # It predicts nothing itself: Glickman's expected score with both deviations.
        variance = (d1 * d1 + d2 * d2) * LOGIT_PER_POINT**2
        certain = 1.0 / math.sqrt(1.0 + 3.0 * variance / math.pi**2)
        expected[game] = 1.0 / (1.0 + math.exp(-certain * LOGIT_PER_POINT * (r1 - r2)))
        first.update_player([r2], [d2], [score])
        second.update_player([r1], [d1], [1.0 - score])
    return expected


def refitted(games: Games, fit: Callable[[int], dict[int, float]]) -> np.ndarray:
    """Predictions of a system that rates all games at once: fitted before each cut."""
    expected = np.full(len(games.score), 0.5)
    for begin, end in zip(games.cuts, [*games.cuts[1:], len(games.score)], strict=True):
        rating = np.zeros(games.players)
        for player, value in fit(begin).items():
            rating[player] = value
        difference = rating[games.first[begin:end]] - rating[games.second[begin:end]]
        expected[begin:end] = 1.0 / (1.0 + np.exp(-LOGIT_PER_POINT * difference))
    return expected


def whr(games: Games, *, w2: float = 300.0) -> np.ndarray:
    from whr import Base

    def fit(until: int) -> dict[int, float]:
        base = Base(w2=w2)
        letters = {1.0: "B", 0.0: "W", 0.5: "D"}
        days = ((games.time - games.time[0]) // DAY).tolist()
        base.create_games(
            [
                [str(one), str(other), letters[score], day]
                for (one, other, score), day in zip(games.rows(), days[:until], strict=False)
            ]
        )
        base.iterate(30)
        seen = np.unique(np.concatenate([games.first[:until], games.second[:until]]))
        return {int(p): base.ratings_for_player(str(p))[-1][1] for p in seen}

    return refitted(games, fit)


def whole_history_rating(games: Games, *, w2: float = 300.0) -> np.ndarray:
    # Two packages call their module whr: this one comes from a folder of its own.
    sys.path.insert(0, os.environ["WHOLE_HISTORY_RATING"])
    from whr import WHR

    def fit(until: int) -> dict[int, float]:
        model = WHR({"w2": w2})
        letters = {1.0: "B", 0.0: "W", 0.5: "D"}
        days = ((games.time - games.time[0]) // DAY).tolist()
        for (one, other, score), day in zip(games.rows(), days[:until], strict=False):
            model.create_game(str(one), str(other), letters[score], day, 0.0)
        model.auto_iterate()
        seen = np.unique(np.concatenate([games.first[:until], games.second[:until]]))
        return {int(p): model.ratings_for_player(str(p), current=True)[0] for p in seen}

    return refitted(games, fit)


PEERS: dict[str, Callable[..., np.ndarray]] = {
    "riix Elo": riix_elo,
    "riix Glicko": riix_glicko,
    "riix Glicko-2": riix_glicko2,
    "elote Elo": elote_elo,
    "elote Glicko": elote_glicko,
    "glicko2 package": glicko2,
    "whr package": whr,
    "whole-history-rating": whole_history_rating,
}


def main() -> None:
    name, parameters, games, output = sys.argv[1:]
    expected = PEERS[name](Games(games), **json.loads(parameters))
    np.savez(output, expected=expected)


if __name__ == "__main__":
    main()
