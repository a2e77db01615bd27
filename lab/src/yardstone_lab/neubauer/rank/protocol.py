"""How well ranks are told: games drawn from a rank group, and games of one player.

The protocol of Chen, Shih and Wu (ICLR 2025) and of Kuboki and others (AIIDE 2025): the
games of n draws from a group are put together, and the group is to be named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["Accuracy", "accuracy", "draw_games", "draw_players", "judged_by_fold"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often the group was named.

    Attributes
    ----------
    draws : int
    exact, near : float
        Share of draws with the right group, and with it or a neighbour.
    error : float
        Mean distance from the right group, in groups.
    log_likelihood : float
        Mean logarithm of the probability of the right group.
    """

    draws: int
    exact: float
    near: float
    error: float
    log_likelihood: float


def accuracy(probabilities: Array, truth: Ints) -> Accuracy:
    """Accuracy of probabilities of the groups.

    Parameters
    ----------
    probabilities : float64 [n, groups]
    truth : int64 [n]
    """
    if not len(truth):
        raise NoGamesError("there is nothing to judge")
    away = np.abs(probabilities.argmax(axis=1) - truth)
    right = probabilities[np.arange(len(truth)), truth]
    return Accuracy(
        draws=len(truth),
        exact=float((away == 0).mean()),
        near=float((away <= 1).mean()),
        error=float(away.mean()),
        log_likelihood=float(np.log(np.maximum(right, np.finfo(float).tiny)).mean()),
    )


def draw_games(
    statistics: Array,
    group: Ints,
    game: Ints,
    *,
    games: int,
    draws: int,
    random: np.random.Generator,
    one_colour: bool = False,
) -> tuple[Array, Ints]:
    """Sums over the sides of games drawn from a group, without putting them back.

    Parameters
    ----------
    statistics : float64 [s, m]
        A row a side, that are added up (`StrengthModel.game_statistics`).
    group, game : int64 [s]
        Of each side.
    games : int
        Games of a draw; a group with fewer gives no draw.
    draws : int
        For each group.
    random : numpy.random.Generator
    one_colour : bool
        Take one side of each game, drawn as well, in place of both.

    Returns
    -------
    float64 [groups × draws, m], int64 [groups × draws]
        The sums, and the group of each.
    """
    sums, truth = [], []
    for number in np.unique(group):
        rows = np.flatnonzero(group == number)
        _, place = np.unique(game[rows], return_inverse=True)
        order = rows[np.argsort(place, kind="stable")]
        size = np.bincount(place)
        if len(size) < games:
            continue
        start = np.concatenate([[0], np.cumsum(size)[:-1]])
        whole = np.add.reduceat(statistics[order], start, axis=0)
        for _ in range(draws):
            chosen = random.choice(len(size), games, replace=False)
            if one_colour:
                side = start[chosen] + random.integers(0, size[chosen])
                sums.append(statistics[order[side]].sum(axis=0))
            else:
                sums.append(whole[chosen].sum(axis=0))
            truth.append(number)
    return np.array(sums).reshape(-1, statistics.shape[1]), np.array(truth, np.int64)


def draw_players(
    statistics: Array,
    group: Ints,
    player: NDArray[Any],
    *,
    games: int,
    draws: int,
    random: np.random.Generator,
    players: Sequence[tuple[int, str]] | None = None,
) -> tuple[Array, Ints, Ints]:
    """Sums over games drawn from those of one player within one group.

    Parameters
    ----------
    statistics, group, games, random
        As in `draw_games`.
    player : str array [s]
    draws : int
        For each player.
    players : sequence of (int, str), optional
        Groups and names of the players wanted; all by default.

    Returns
    -------
    float64 [n, m], int64 [n], int64 [n]
        The sums, the group of each, and a number that tells the players apart. A player
        with fewer games is left out; without a name nobody is a player.
    """
    place: dict[tuple[int, str], list[int]] = {}
    for row, key in enumerate(zip(group.tolist(), player.tolist(), strict=True)):
        if key[1]:
            place.setdefault(key, []).append(row)
    sums, truth, who = [], [], []
    for number, key in enumerate(place if players is None else players):
        rows = np.array(place.get(key, []), np.int64)
        if len(rows) < games:
            continue
        for _ in range(draws):
            sums.append(statistics[random.choice(rows, games, replace=False)].sum(axis=0))
            truth.append(key[0])
            who.append(number)
    drawn = np.array(sums).reshape(-1, statistics.shape[1])
    return drawn, np.array(truth, np.int64), np.array(who, np.int64)


def judged_by_fold(
    drawn: Callable[[Ints], tuple[Array, Ints]],
    judge: Callable[[int, Array], Array],
    fold: Ints,
) -> tuple[Array, Ints]:
    """Draws from each fold, judged by the model that has not seen it.

    Parameters
    ----------
    drawn : callable
        Gives sums and groups of draws from the sides at some rows.
    judge : callable
        Probabilities of the groups by a fold's model.
    fold : int64 [s]

    Returns
    -------
    float64 [n, groups], int64 [n]
        For `accuracy`.
    """
    judged = []
    for number in np.unique(fold):
        sums, truth = drawn(np.flatnonzero(fold == number))
        if len(truth):
            judged.append((judge(int(number), sums), truth))
    if not judged:
        raise NoGamesError("there is nothing to judge")
    probabilities, groups = zip(*judged, strict=True)
    return np.concatenate(probabilities), np.concatenate(groups)
