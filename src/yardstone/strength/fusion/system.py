"""`Fusion`: the rating system in which everybody starts from their moves.

A game's result is learned from after the game, and so are its moves: what they say of both
players stands in columns of the pool beside the result, and the system adds it up for each
player as it goes. So no prediction can know moves of its own game or of a later one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_number
from yardstone.errors import InputError, UsageError
from yardstone.ratings.glicko import CENTRE, POINTS
from yardstone.ratings.joint import Prior
from yardstone.strength.fusion.glicko import GlickoFromMoves
from yardstone.strength.fusion.moves_prior import MovesPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.sequential import Arrays, Games, Predictions, State

    Array = NDArray[np.float64]

__all__ = ["MOVE_COLUMNS", "SHIPPED", "Fusion", "moves_by_player", "moves_of_pool", "sides_before"]

#: Columns of a pool: how many moves of the first player in a game were looked at, and what
#: strength they show; then the second player's.
MOVE_COLUMNS = (
    "first_moves",
    "first_moves_strength",
    "second_moves",
    "second_moves_strength",
)
#: What moves are worth in points of Glicko-2 ratings, by the scale of the shipped model on which
#: strengths are: of 325 people of the Online Go Server (the study ``fusion_newcomers``), judged
#: on that server's scale by what was learnt from others.
SHIPPED: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "fox": {"strength": 0.4, "slope": 133.0, "noise": 294.0, "half_moves": 60.0},
        "ogs": {"strength": -11.4, "slope": 64.0, "noise": 166.0, "half_moves": 13.0},
    }
)
_NO_COLUMN = (
    "give the records of the games with --moves, or columns with the number of moves and the "
    "strength that they show"
)


@dataclass(frozen=True, kw_only=True)
class Fusion(GlickoFromMoves):
    """Glicko-2 in which the moves of earlier games say where a player starts; frozen.

    Columns of the pool: ``first_moves`` and ``second_moves``, how many moves of each player
    were looked at in a game (0 or NaN: none), and ``first_moves_strength`` and
    ``second_moves_strength``, the strength that they show, on any scale.
    `yardstone.strength.fusion.records` makes them of SGF files and stores of features. What
    is known of a player before a game is the mean over all moves in earlier games.

    Parameters
    ----------
    strength : float
        What the moves of a player of rating `level` show.
    slope : float
        Rating points for each unit of strength: very many moves are a measurement of a
        player's rating, `level` + `slope` (shown - `strength`).
    noise : float
        Deviation of that measurement in points: what moves do not show of a player's results.
    half_moves : float
        Moves after which half of what moves can tell is known.
    source : str
        Whose strengths these are: the model and its scale. Of other strengths the numbers
        above do not hold.
    level : float, optional
        Rating of the average player whose moves are known; by default `initial`.
    columns, priors : None
        As they are: `GlickoFromMoves` takes such.

    Notes
    -----
    `strength`, `slope`, `noise` and `half_moves` are by default those of `SHIPPED` for strengths
    on the scale of OGS; `fit_fusion` finds them for other games. The others are those of
    Glicko-2.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from yardstone.pool import Pool
    >>> pool = Pool.from_names(["Ann", "Ann"], ["Bob", "Cem"], [0, 0])
    >>> shown = np.array([120.0, 120.0]), np.array([6.0, 6.0]), np.zeros(2), np.zeros(2)
    >>> pool = replace(pool, columns=dict(zip(MOVE_COLUMNS, shown, strict=True)))
    >>> system = Fusion(strength=1.0, slope=100.0, noise=150.0, half_moves=60.0)
    >>> replay = system.replay(pool)
    >>> replay.first_rating.round()  # before the first game nothing is known of Ann
    array([1500., 1649.])
    """

    strength: float = SHIPPED["ogs"]["strength"]
    slope: float = SHIPPED["ogs"]["slope"]
    noise: float = SHIPPED["ogs"]["noise"]
    half_moves: float = SHIPPED["ogs"]["half_moves"]
    level: float | None = None
    source: str = ""
    columns: tuple[str, str, str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if self.columns is not None or self.priors is not None:
            raise UsageError("fusion takes neither columns of ratings nor priors of players")
        check_number("slope", self.slope, least=0.0)
        for name in ("half_moves", "noise"):
            check_number(name, getattr(self, name), above=0.0)
        for name in ("strength", "level"):
            value = getattr(self, name)
            if value is not None and not isfinite(value):
                raise UsageError(f"{name} must be a finite number, not {value}")

    @property
    def moves_prior(self) -> MovesPrior:
        """What moves say of a rating, together with what is known of newcomers."""
        newcomers, noise = self.initial_deviation**2, self.noise**2
        return MovesPrior(
            centre=self.strength,
            level=self.initial if self.level is None else self.level,
            slope=self.slope * newcomers / (newcomers + noise),
            half=self.half_moves,
            deviation=sqrt(newcomers * noise / (newcomers + noise)),
            base=Prior(self.initial, self.initial_deviation),
        )

    def remarks(self, pool: Pool) -> tuple[str, ...]:
        """In how many games moves are known, and what is made of them."""
        number, _ = moves_of_pool(pool)
        known = int((number > 0).any(axis=1).sum())
        level = self.initial if self.level is None else self.level
        return (
            *super().remarks(pool),
            f"Moves are known of {known:,} of {len(pool):,} games.",
            f"Moves: a strength of {self.strength:.2f} is {level:.0f} points, and each unit "
            f"{self.slope:.0f} more, ± {self.noise:.0f} by very many moves; "
            f"{self.half_moves:.0f} moves tell half of that.",
        )

    def results_alone(self, state: State) -> tuple[Array, Array]:
        """Rating and deviation by the results in a state, from a newcomer's on: [players] each."""
        arrays = state.arrays
        return CENTRE + POINTS * arrays["mu"], POINTS * np.sqrt(arrays["phi2"])

    def moves_alone(self, state: State) -> tuple[Array, Array, NDArray[np.int64]]:
        """Rating and deviation by moves, without any result, and the number of moves."""
        number, total = state.arrays["shown"].T
        mean, deviation = self.moves_prior.prior(_mean(number, total), number)
        return mean, deviation, number.astype(np.int64)

    def _newcomers(self, number: int) -> Arrays:
        return {**super()._newcomers(number), "shown": np.zeros((number, 2))}

    def _priors_of(self, arrays: Arrays, games: Games) -> Array:
        from yardstone.strength.fusion._glicko_kernels import earlier_moves

        number, strength = (games.schedule.take(each) for each in moves_of_pool(games.pool))
        before = np.empty((len(games), 2, 2))
        rounds = games.rounds
        earlier_moves(rounds.first, rounds.second, number, strength, arrays["shown"], before)
        priors = np.empty((len(games), 4))
        priors[:, 0::2], priors[:, 1::2] = self._units(before[:, :, 0], before[:, :, 1])
        return priors

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        predictions = super()._play(arrays, games)
        # The moves of each player's last game count for the ratings after it.
        mean, variance = self._units(*arrays["shown"].T)
        base_mean, base_variance = arrays["base"].T
        precision = 1.0 / variance - 1.0 / base_variance
        says = precision > 0.0
        arrays["moves"][:, 0] = np.where(says, precision, 0.0)
        arrays["moves"][:, 1] = np.where(says, mean / variance - base_mean / base_variance, 0.0)
        return predictions

    def _units(self, number: Array, total: Array) -> tuple[Array, Array]:
        """Mean and variance of the prior by moves, on mu's scale; NaN without moves."""
        mean, deviation = self.moves_prior.prior(_mean(number, total), number)
        known = number > 0.0
        return (
            np.where(known, (mean - CENTRE) / POINTS, np.nan),
            np.where(known, np.square(deviation / POINTS), np.nan),
        )


def moves_of_pool(pool: Pool) -> tuple[Array, Array]:
    """Of both sides of each game the number of moves and the strength: [games, 2] each.

    A pool without the columns has no moves.

    Raises
    ------
    InputError
        Some of the columns are missing, or hold something else.
    """
    present = [name for name in MOVE_COLUMNS if name in pool.columns]
    if not present:
        return np.zeros((len(pool), 2)), np.zeros((len(pool), 2))
    values = np.empty((len(pool), 4))
    for place, name in enumerate(MOVE_COLUMNS):
        if name not in pool.columns:
            raise InputError(f"the games have no column {name!r}", hint=_NO_COLUMN)
        column = pool.columns[name]
        if column.dtype.kind not in "biuf":  # a table with empty cells
            column = np.where(column == "", "nan", column)
        try:
            values[:, place] = column.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError(f"the column {name!r} holds something that is not a number") from None
    number, strength = values[:, 0::2], values[:, 1::2]
    if (number < 0.0).any() or np.isinf(number).any():
        raise InputError("a number of moves is negative or infinite")
    known = (number > 0.0) & np.isfinite(strength)
    return np.where(known, number, 0.0), np.where(known, strength, 0.0)


def moves_by_player(pool: Pool) -> tuple[Array, Array]:
    """How many moves of each player are known, and the mean strength (NaN without): [players]."""
    number, strength = moves_of_pool(pool)
    moves, total = np.zeros(len(pool.players)), np.zeros(len(pool.players))
    for side, player in enumerate((pool.first, pool.second)):
        np.add.at(moves, player, number[:, side])
        np.add.at(total, player, number[:, side] * strength[:, side])
    return moves, _mean(moves, total)


def sides_before(pool: Pool) -> tuple[Array, Array]:
    """What the moves of earlier games show of both players of each game of a whole history.

    Parameters
    ----------
    pool : Pool
        In order of time.

    Returns
    -------
    strength, number : float64 [games, 2]
        The mean strength (NaN without moves), and on how many moves it rests.
    """
    from yardstone.strength.fusion._glicko_kernels import earlier_moves

    number, strength = moves_of_pool(pool)
    before = np.empty((len(pool), 2, 2))
    shown = np.zeros((len(pool.players), 2))
    earlier_moves(pool.first, pool.second, number, strength, shown, before)
    return _mean(before[:, :, 0], before[:, :, 1]), before[:, :, 0]


def _mean(number: Array, total: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(total / np.where(number > 0.0, number, np.nan))
