"""Estimates of many players from one collection of games, each game looked at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yardstone.go.points import BLACK, WHITE
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.estimate.games import EvaluatedGame, take_of_games, unsuitable
from yardstone.strength.estimate.players import plain_name, unique_games
from yardstone.strength.estimate.strengths import Rater
from yardstone.strength.evidence import evidence_of_games

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame
    from yardstone.strength.model import StrengthModel

    Array = NDArray[np.float64]

__all__ = ["Estimates", "PlayerEstimate", "estimate_players"]


@dataclass(frozen=True, slots=True)
class PlayerEstimate:
    """The strength of one of many players, on one of the model's scales.

    Attributes
    ----------
    player : str
    games, moves : int
        What it rests upon.
    rating, deviation : float
        Mean and standard deviation.
    low, high : float or None
        The calibrated interval; None where it has no end (`Rated`).
    unlikely : bool
        Whether the moves look like those of nobody whom the model knows.
    """

    player: str
    games: int
    moves: int
    rating: float
    deviation: float
    low: float | None
    high: float | None
    unlikely: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Estimates of many players, and the games between them.

    Attributes
    ----------
    players : tuple of PlayerEstimate
        In the order in which they first appear.
    black, white : int64 [n]
        Places of the players of each game with a result between two of them.
    score : float64 [n]
        Black's.
    """

    players: tuple[PlayerEstimate, ...]
    black: NDArray[np.int64]
    white: NDArray[np.int64]
    score: Array


def estimate_players(
    games: Sequence[GoGame],
    network: Network,
    model: StrengthModel,
    *,
    players: Collection[str] | None = None,
    scale: str | None = None,
    level: float = 0.9,
    handicap: bool = False,
    skipped: SkipReport | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Estimates:
    """Estimate many players from the games that they played, perhaps with each other.

    Parameters
    ----------
    games : sequence of GoGame
    network : Network
        The one of the model (`yardstone.strength.estimate.games.model_network`).
    model : StrengthModel
    players : collection of str, optional
        Only these; games without any of them are left out.
    scale : str, optional
        One of the model's scales; by default its first.
    level, handicap, skipped, progress
        As for `estimate_player`.
    """
    report = SkipReport() if skipped is None else skipped
    chosen = None if players is None else {plain_name(name) for name in players}
    sums: dict[str, tuple[str, int, int, Array]] = {}
    results: list[tuple[str, str, float]] = []
    rater = Rater(model, level, scale)
    usable = _usable(games, chosen, report, handicap=handicap)
    take = partial(_sums_of_game, model, chosen)
    for game in take_of_games(take, usable, network, skipped=report, progress=progress):
        for plain, (name, moves, statistics) in game.sums.items():
            first_name, number, before, total = sums.get(
                plain, (name, 0, 0, np.zeros(len(statistics)))
            )
            sums[plain] = (first_name, number + 1, before + moves, total + statistics)
        if game.winner:
            score = {BLACK: 1.0, WHITE: 0.0}.get(game.winner, 0.5)
            results.append((*game.players, score))
    places = {plain: place for place, plain in enumerate(sums)}
    kept = [each for each in results if each[0] in places and each[1] in places]
    return Estimates(
        tuple(_estimate(rater, *each) for each in sums.values()),
        np.array([places[black] for black, _, _ in kept], np.int64),
        np.array([places[white] for _, white, _ in kept], np.int64),
        np.array([score for _, _, score in kept], np.float64),
    )


class _GameSums(NamedTuple):
    """What an estimate needs of a game: by player the name, the moves and the statistics."""

    players: tuple[str, str]
    winner: int
    sums: dict[str, tuple[str, int, Array]]


def _sums_of_game(
    model: StrengthModel, chosen: set[str] | None, evaluated: EvaluatedGame
) -> _GameSums:
    game = evaluated.game
    sums: dict[str, tuple[str, int, Array]] = {}
    for colour, name in ((BLACK, game.black), (WHITE, game.white)):
        plain = plain_name(name)
        if plain and (chosen is None or plain in chosen):
            evidence = evidence_of_games([evaluated.features], [colour])
            statistics = model.game_statistics(evidence).sum(axis=0)
            sums[plain] = (name, len(evidence), statistics)
    return _GameSums((plain_name(game.black), plain_name(game.white)), game.winner, sums)


def _usable(
    games: Sequence[GoGame], chosen: set[str] | None, report: SkipReport, *, handicap: bool
) -> list[GoGame]:
    different, again = unique_games(games)
    for game in again:
        report.add(Skipped(game.file, game.line, "the same game again"))
    usable = []
    for game in different:
        names = {plain_name(game.black), plain_name(game.white)} - {""}
        reason = unsuitable(game, handicap=handicap)
        if len(names) < 2 and plain_name(game.black) == plain_name(game.white):
            reason = "both players have the same name" if names else "the players have no names"
        elif chosen is not None and not names & chosen:
            reason = "no player of it is asked for"
        if reason is None:
            usable.append(game)
        else:
            report.add(Skipped(game.file, game.line, reason))
    return usable


def _estimate(rater: Rater, name: str, games: int, moves: int, statistics: Array) -> PlayerEstimate:
    rated = rater.rate(statistics)
    deviation = float(rater.scale.moments(rater.scale.density(statistics))[1])
    spelling = " ".join(name.split())
    return PlayerEstimate(
        spelling, games, moves, rated.rating, deviation, rated.low, rated.high, rated.unlikely
    )
