"""How well formulas predict the results of matches that were left out of the fit.

The score of a prediction P of a result p is p log P + (1 - p) log(1 - P), in nats; for
a win or a loss that is the logarithm of the probability of what happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.backgammon.formulas import Formula
from yardstone.winprob import fibs
from yardstone.winprob.laws import logistic
from yardstone_lab.vandendoel.people_table import MatchTable
from yardstone_lab.vandendoel.refit import Target, WeightModel, maximise, results_of, terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "ResultPrediction",
    "cross_validate",
    "folds_by_player",
    "log_score",
    "other_rates",
    "rarer_player",
]


@dataclass(frozen=True)
class ResultPrediction:
    """How well results that were left out were predicted; frozen.

    Attributes
    ----------
    name : str
    score : float64 array
        Of each match: p log P + (1 - p) log(1 - P), in nats; more is better.
    """

    name: str
    score: Floats

    @property
    def mean(self) -> float:
        """Mean log score a match."""
        return float(self.score.mean())

    def ahead_of(
        self, other: ResultPrediction, clusters: NDArray[np.int64] | None = None
    ) -> tuple[float, float]:
        """Mean gain over another prediction of the same matches, and its standard error."""
        gain = self.score - other.score
        groups = np.arange(len(gain)) if clusters is None else clusters
        _, place = np.unique(groups, return_inverse=True)
        sums = np.bincount(place, gain - gain.mean())
        n = len(sums)
        error = np.sqrt((sums**2).sum() * (n / max(n - 1, 1))) / len(gain)
        return float(gain.mean()), float(error)


def log_score(chance: Floats, result: Floats) -> Floats:
    """p log P + (1 - p) log(1 - P) of each match, in nats."""
    return np.asarray(result * np.log(chance) + (1.0 - result) * np.log1p(-chance), np.float64)


def rarer_player(table: MatchTable) -> NDArray[np.int64]:
    """A number for each match: that of the one of its two players with fewer matches.

    Where one player meets many, the matches of an opponent stay together so.
    """
    names, place = np.unique(table.players, return_inverse=True)
    place = place.reshape(table.players.shape)
    played = np.bincount(place.ravel(), minlength=len(names))
    rarer = np.where(played[place[:, 0]] <= played[place[:, 1]], place[:, 0], place[:, 1])
    return np.asarray(rarer, np.int64)


def folds_by_player(table: MatchTable, folds: int, seed: int) -> NDArray[np.int64]:
    """A fold for each match, all of a `rarer_player` in one: new to the fits of the others."""
    rarer = rarer_player(table)
    generator = np.random.default_rng(seed)
    fold = generator.permutation(int(rarer.max()) + 1) % folds
    return np.asarray(fold[rarer], np.int64)


def cross_validate(
    table: MatchTable,
    formulas: Mapping[str, Formula],
    models: Mapping[str, WeightModel],
    folds: NDArray[np.int64],
    *,
    target: Target = "luck-adjusted",
    test: Target = "won",
    rates: tuple[Floats, Floats, Floats] | None = None,
    by_decisions: frozenset[str] = frozenset(),
) -> list[ResultPrediction]:
    """Log scores of matches left out: of given formulas, and of models fitted to the others.

    Parameters
    ----------
    table : MatchTable
    formulas : mapping of names to formulas
        Used as they are.
    models : mapping of names to models
        Fitted to all folds but one, and used on that one.
    folds : int array
        Fold of each match.
    target, test : {"luck-adjusted", "won"}
        What the models are fitted to, and what the score is about.
    rates : (epm, epc, epd), optional
        As in `fit_weights`.
    by_decisions : set of names
        Formulas used through EPD in place of EPM and EPC.

    Returns
    -------
    list of ResultPrediction
        First ``even``, one half for every match.
    """
    epm, epc, epd = rates or (table.epm, table.epc, table.epd)
    slope = fibs.steepness(table.length)
    result = results_of(table, test)
    predictions = [ResultPrediction("even", log_score(np.full(len(table), 0.5), result))]
    for name, formula in formulas.items():
        if name in by_decisions:
            ahead = formula.decision(table.length) * (epd[:, 1] - epd[:, 0])
        else:
            ahead = formula.difference((epm[:, 0], epc[:, 0]), (epm[:, 1], epc[:, 1]), table.length)
        predictions.append(ResultPrediction(name, log_score(logistic(ahead * slope), result)))
    for name, model in models.items():
        design = terms(model, epm, epc, epd, table.length) * slope[:, None]
        chance = np.empty(len(table))
        for fold in np.unique(folds):
            test_part = folds == fold
            values, _ = maximise(design[~test_part], results_of(table, target)[~test_part])
            chance[test_part] = logistic(design[test_part] @ values)
        predictions.append(ResultPrediction(name, log_score(chance, result)))
    return predictions


def other_rates(table: MatchTable, *, shrink: float = 0.0) -> tuple[Floats, Floats, Floats]:
    """EPM, EPC and EPD of both players over their *other* matches: shapes (matches, 2).

    Parameters
    ----------
    table : MatchTable
    shrink : float
        So many decisions of an average player are added to each, since the rates of a
        player with few other matches are noise. Without any, a player without another
        match has the average rates.
    """
    _, place = np.unique(table.players, return_inverse=True)
    place = place.reshape(table.players.shape)

    def rate(above: Floats, below: Floats) -> Floats:
        mean = float(above.sum() / below.sum()) if below.sum() > 0.0 else 0.0
        rest = np.bincount(place.ravel(), above.ravel())[place] - above
        decisions = np.bincount(place.ravel(), below.ravel())[place] - below
        below_all = decisions + shrink
        rates = np.divide(
            rest + shrink * mean, below_all, out=np.full_like(rest, mean), where=below_all > 0.0
        )
        return np.maximum(rates, 0.0)

    return (
        rate(table.chequer, table.unforced),
        rate(table.cube, table.close),
        rate(table.chequer + table.cube, table.unforced + table.close),
    )
