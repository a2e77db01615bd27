"""Rating labels: what a player's rating became some games later.

A model that rates players from their moves needs a target. The rating that a
system reaches A games later is one (Neubauer 2024, section 4.7.1): it has seen
more, the game itself included. So labels must never be used as ratings before
the game; predictions made from them are the bound that no honest system reaches
("Future Glicko-2" in the thesis' Table 5.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT, win_probability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay

    Array = NDArray[np.float64]

__all__ = ["ADVANCE", "Labels", "agree_with_score", "expected_from_ratings", "rating_labels"]

#: The thesis' A: how many games ahead a label looks.
ADVANCE = 10


@dataclass(frozen=True, eq=False)
class Labels:
    """For each game both players' ratings some games later; frozen.

    Attributes
    ----------
    first, second : float64 arrays
        The labels, on the scale of the system.
    first_ahead, second_ahead : int64 arrays
        How many games ahead each label lies: `advance`, or fewer near the end of
        a player's games.
    advance : int
    """

    first: Array
    second: Array
    first_ahead: NDArray[np.int64]
    second_ahead: NDArray[np.int64]
    advance: int

    def normalisation(self, games: NDArray[np.bool_]) -> tuple[float, float]:
        """Mean and standard deviation of the labels of some games (both players)."""
        values = np.concatenate([self.first[games], self.second[games]])
        if len(values) < 2:
            raise UsageError("it takes two labels to normalise by")
        return float(values.mean()), float(values.std(ddof=1))


def rating_labels(pool: Pool, replay: Replay, *, advance: int = ADVANCE) -> Labels:
    """The rating of each player `advance` games after each game.

    If a player is not to play that many games, it is the latest known rating. The
    rating *after* a game is the one before the player's next game, for between
    games no system here changes a rating (only its deviation).

    Parameters
    ----------
    pool : Pool
        In order of time; one that systems take game by game.
    replay : Replay
        Of that pool.
    advance : int
        The thesis' A; 0 labels each game with the rating right after it.
    """
    if advance < 0:
        raise UsageError(f"labels look ahead by 0 games or more, not {advance}")
    games = len(pool)
    if len(replay.expected) != games:
        raise InputError(f"a replay of {len(replay.expected)} games is not of this pool of {games}")
    player = np.column_stack([pool.first, pool.second]).ravel()
    before = np.column_stack([replay.first_rating, replay.second_rating]).ravel()
    order = np.argsort(player, kind="stable")
    grouped = player[order]
    place = np.arange(2 * games)
    ends = np.searchsorted(grouped, grouped, side="right")
    target = np.minimum(place + advance + 1, ends)
    # One past a player's last game stands the rating after it.
    last = target == ends
    rating = np.where(
        last, replay.ratings.rating[grouped], before[order][np.minimum(target, 2 * games - 1)]
    )
    label, ahead = np.empty(2 * games), np.empty(2 * games, np.int64)
    label[order] = rating
    ahead[order] = target - place - 1
    return Labels(label[0::2], label[1::2], ahead[0::2], ahead[1::2], advance)


def agree_with_score(labels: Labels, score: ArrayLike) -> NDArray[np.bool_]:
    """Games whose higher label won: the thesis' rule against noise in training.

    Draws and equal labels agree with nothing.
    """
    s = np.asarray(score, np.float64)
    first_stronger = (labels.first > labels.second) & (s == 1.0)
    second_stronger = (labels.first < labels.second) & (s == 0.0)
    return np.asarray(first_stronger | second_stronger)


def expected_from_ratings(
    first: ArrayLike, second: ArrayLike, *, points_per_logit: float = ELO_POINTS_PER_LOGIT
) -> Array:
    """Expected score of `first` from two ratings, without their deviations (eq. 3.1).

    From labels it gives the pseudo-system *Future* (Neubauer 2024, section 5.3).
    """
    difference = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    return win_probability(difference, points_per_logit=points_per_logit)
