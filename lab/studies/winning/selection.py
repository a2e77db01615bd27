"""The selection effect of McMahon pairing, and a fit that allows for it.

A McMahon tournament pairs players of equal score, and the score is the grade
plus the wins so far. So a 3 kyu who meets a 1 kyu has, as a rule, already won
two games more than that opponent: he is likely to be stronger than his grade, and
the other weaker. Win ratios by grade difference then say how *selected* pairs
do, not how any two players of those grades would: the curves come out too flat.

Who meets whom depends on grades and on earlier results alone. So a likelihood of
*all* results of the tournaments, in which each player has a strength of his own,
needs no model of the pairing: given the results, it cancels. Here the strength
is the grade plus a normal deviation, common to all grades, integrated out by
Laplace's approximation. What the pairing cannot be seen to do (a director who
knows that a grade is wrong) is not covered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import ConvergenceError, InputError, NoGamesError
from yardstone.grades import EVEN_KOMI
from yardstone.winprob.kaniuk import ALL_PARAMETERS, INITIAL, TABLE_1, GradeModel, log_probabilities

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool

    Array = NDArray[np.float64]

__all__ = ["SelectionFit", "fit_with_strengths"]

_BLACK = ALL_PARAMETERS.index("black")
_LAPSE = ALL_PARAMETERS.index("lapse")
#: Stands for an impossible point in the outer optimisation.
_FAR = 1e9
#: Columns of an inverse at a time.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class SelectionFit:
    """Result of `fit_with_strengths`.

    Attributes:
        model: Probability between *strengths*, in grades.
        names: Its fitted parameters.
        deviation: Standard deviation of a player's strength about the grade, in grades.
        log_likelihood: Marginal, by Laplace's approximation.
        players: Players with games that count, named as given.
        offset, offset_deviation (arrays (players,)): Estimated strength less grade, and its
            standard deviation where model and spread are taken as known. They are not: 1.96 of it
            held the truth in 80 of 100.
    """

    model: GradeModel
    names: tuple[str, ...]
    deviation: float
    log_likelihood: float
    players: tuple[str, ...]
    offset: Array
    offset_deviation: Array

    def probability(self, first: ArrayLike, second: ArrayLike) -> Array:
        """Probability for two players of these grades who were not selected.

        The model averaged over both players' deviations (Gauss and Hermite, 15
        points each).
        """
        r, s = np.broadcast_arrays(np.asarray(first, np.float64), np.asarray(second, np.float64))
        nodes, weights = np.polynomial.hermite_e.hermegauss(15)
        weights = weights / weights.sum()
        total = np.zeros(r.shape)
        for a, wa in zip(nodes, weights, strict=True):
            for b, wb in zip(nodes, weights, strict=True):
                p = self.model.probability(r + self.deviation * a, s + self.deviation * b)
                total += wa * wb * p
        return total


@dataclass(frozen=True, eq=False)
class _Games:
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    first_grade: Array
    second_grade: Array
    won: NDArray[np.bool_]
    players: int


def _slopes(vector: Array, games: _Games, offset: Array) -> tuple[float, Array, Array, Array]:
    """Log-likelihood; derivatives of each game by both strengths; information."""
    one = games.first_grade + offset[games.first]
    two = games.second_grade + offset[games.second]
    zero, komi = np.zeros(len(one)), np.full(len(one), EVEN_KOMI)
    log_win, log_loss, win_slope, loss_slope, jacobian = log_probabilities(
        vector, "erf", one, two, zero, komi
    )
    mirrored = log_probabilities(vector, "erf", two, one, zero, komi)[4]
    by_first, by_second = jacobian[_BLACK], -mirrored[_BLACK]
    pull = np.where(games.won, win_slope, loss_slope)
    information = np.exp(log_win) * win_slope**2 + np.exp(log_loss) * loss_slope**2
    value = float(np.where(games.won, log_win, log_loss).sum())
    slopes = np.stack([by_first, by_second])
    return value, slopes, pull, information


def _laplace(
    vector: Array, deviation: float, games: _Games, offset: Array
) -> tuple[float, Array, Any]:
    """Marginal log-likelihood, best offsets, and the information about them."""
    from scipy.sparse import csc_matrix, diags_array
    from scipy.sparse.linalg import splu

    size = games.players
    rows = np.concatenate([games.first, games.second])
    columns = np.tile(np.arange(len(games.won)), 2)

    def posterior(at: Array) -> tuple[float, Array, Any]:
        value, slopes, pull, information = _slopes(vector, games, at)
        design = csc_matrix((slopes.ravel(), (rows, columns)), (size, len(games.won)))
        gradient = design @ pull - at / deviation**2
        matrix = design @ diags_array(information) @ design.T
        matrix = csc_matrix(matrix + diags_array(np.full(size, deviation**-2)))
        return value - 0.5 * float(at @ at) / deviation**2, gradient, matrix

    value, gradient, matrix = posterior(offset)
    for _ in range(100):
        if not (np.isfinite(value) and np.all(np.isfinite(matrix.data))):
            raise ConvergenceError("the players' strengths overflow")
        factor = splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
        step = factor.solve(gradient)
        gain = float(gradient @ step)
        length = 1.0
        trial = posterior(offset + step)
        # A step must keep a part of its promise, or it would swing to and fro.
        while not trial[0] >= value + 0.2 * length * gain and gain > 1e-6 and length > 1e-6:
            length *= 0.5
            trial = posterior(offset + length * step)
        offset = offset + length * step
        value, gradient, matrix = trial
        if gain < 1e-6:
            break
    if not gain < 1e-2:
        raise ConvergenceError("the players' strengths did not settle")
    factor = splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    half_log_det = 0.5 * float(np.log(np.abs(factor.U.diagonal())).sum())
    marginal = value - size * np.log(deviation) - half_log_det
    return marginal, offset, matrix


def fit_with_strengths(
    pool: Pool,
    *,
    free: Iterable[str] = TABLE_1,
    start: GradeModel | None = None,
    deviation: float = 1.0,
    most_steps: int = 60,
) -> SelectionFit:
    """Fit the model together with every player's deviation from his grade.

    Args:
        pool: Whole tournaments, with ``first_grade`` and ``second_grade``; the even, decided games
            count. A player who enters with another grade counts as another player.
        free: Parameters of the model to fit; the others stay as in `start`.
        start: First point: table 1's "initial" by default. No lapses are modelled.
        deviation: First value of the spread of strengths, in grades.
        most_steps: Of the outer optimisation.
    """
    from scipy.optimize import minimize

    begin = start or GradeModel(INITIAL)
    base = begin.vector
    if base[_LAPSE] or begin.link != "erf" or "lapse" in (chosen := set(free)):
        raise InputError("strengths are fitted without lapses and with the error function")
    names = tuple(name for name in ALL_PARAMETERS if name in chosen)
    games, labels = _numbered(pool)
    index = [ALL_PARAMETERS.index(name) for name in names]
    scale = np.maximum(np.abs(base[index]), 1e-3)
    state = np.zeros(games.players)

    def negative(values: Array) -> float:
        nonlocal state
        vector = base.copy()
        vector[index] = values[:-1] * scale
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                marginal, state, _ = _laplace(vector, float(np.exp(values[-1])), games, state)
        except ConvergenceError:  # a step out of bounds: the line search comes back
            state = np.zeros(games.players)
            return _FAR
        return -marginal

    first = np.append(base[index] / scale, np.log(deviation))
    bounds = [(0.0, None)] * len(names) + [(np.log(0.05), np.log(10.0))]
    optimum = minimize(
        negative,
        first,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": most_steps, "ftol": 1e-8, "eps": 1e-5},
    )
    vector = base.copy()
    vector[index] = optimum.x[:-1] * scale
    spread = float(np.exp(optimum.x[-1]))
    marginal, offset, matrix = _laplace(vector, spread, games, state)
    return SelectionFit(
        GradeModel.from_vector(vector),
        names,
        spread,
        marginal,
        labels,
        offset,
        _deviations(matrix),
    )


def _deviations(information: Any) -> Array:
    """Square roots of the diagonal of the inverse: opponents' doubts are in it."""
    from scipy.sparse.linalg import splu

    size = information.shape[0]
    factor = splu(information, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    variance = np.empty(size)
    for begin in range(0, size, _BLOCK):
        block = np.arange(begin, min(begin + _BLOCK, size))
        unit = np.zeros((size, len(block)))
        unit[block, block - begin] = 1.0
        variance[block] = factor.solve(unit)[block, block - begin]
    return np.sqrt(variance)


def _numbered(pool: Pool) -> tuple[_Games, tuple[str, ...]]:
    """The games that count, with players numbered by name and grade."""
    from yardstone.winprob.games import between_grades
    from yardstone.winprob.statistics import even

    keep = between_grades(pool) & even(pool)
    if not keep.any():
        raise NoGamesError("there is no even, decided game between players of known grades")
    grades = [np.asarray(pool.columns[f"{side}_grade"], np.float64)[keep] for side in _SIDES]
    entry = np.column_stack(
        [
            np.concatenate([pool.first[keep], pool.second[keep]]),
            np.concatenate(grades),
        ]
    )
    entries, number = np.unique(entry, axis=0, return_inverse=True)
    first, second = number.ravel().reshape(2, -1)
    names = tuple(pool.players[int(player)] for player in entries[:, 0])
    games = _Games(first, second, grades[0], grades[1], pool.score[keep] == 1.0, len(entries))
    return games, names


_SIDES = ("first", "second")
