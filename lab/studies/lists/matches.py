"""Lines of the coverage study on single matches: ``yardstone match``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from yardstone.ratings.match import (
    LEAST_PAIRS,
    LEAST_RESULTS,
    NORMALIZED_ELO,
    Match,
    elo,
    normalized_elo,
    superiority,
)
from yardstone.ratings.sprt import Sprt, log_likelihood_ratio

__all__ = ["MATCH_LINES"]

DRAWS = 0.4


def shares(difference: float, *, paired: bool) -> np.ndarray:
    """Probabilities of the results of a game, or of a pair of correlated games."""
    score = 1.0 / (1.0 + 10.0 ** (-difference / 400.0))
    draws = 2.0 * DRAWS * min(score, 1.0 - score)
    one = np.array([1.0 - score - draws / 2.0, draws, score - draws / 2.0])
    if not paired:
        return one
    # In half of the openings one side wins both games; the pair then ends 1-1.
    tied = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    mean = 0.5 * np.convolve(one, one) + 0.5 * tied
    return np.asarray(mean)


def intervals(
    results: int, paired: bool, measure: str, confidence: float, seed: int, number: int = 1500
) -> tuple[str, int]:
    """How often the interval of Elo or normalized Elo holds; strengths differ by ± 100."""
    generator = np.random.default_rng([seed, results, paired])
    inside = shown = 0
    for _ in range(number):
        p = shares(float(generator.normal(0.0, 100.0)), paired=paired)
        values = np.linspace(0.0, 1.0, len(p))
        mean = float(p @ values)
        match = Match(tuple(map(float, generator.multinomial(results, p))))
        if measure == "elo":
            truth = 400.0 * np.log10(mean / (1.0 - mean))
            result = elo(match, confidence)
        else:
            unit = NORMALIZED_ELO / (2.0**0.5 if paired else 1.0)
            truth = unit * (mean - 0.5) / float(p @ (values - mean) ** 2) ** 0.5
            result = normalized_elo(match, confidence)
        if np.isfinite(result.low) or np.isfinite(result.high):
            shown += 1
            inside += result.low <= truth <= result.high
    return f"{100.0 * inside / max(shown, 1):.1f} %", shown


def likelihoods(results: int, spread: float, seed: int, number: int = 2500) -> tuple[str, int]:
    """What likelihoods of superiority of 90 to 99 % said on average, and how often it was so."""
    generator = np.random.default_rng([seed, results, int(spread)])
    predicted, true = [], []
    for _ in range(number):
        difference = float(generator.normal(0.0, spread))
        counts = generator.multinomial(results, shares(difference, paired=False))
        sure = superiority(Match(tuple(map(float, counts))))
        if 0.9 <= max(sure, 1.0 - sure) <= 0.99:
            predicted.append(max(sure, 1.0 - sure))
            true.append((difference > 0.0) == (sure > 0.5))
    if not predicted:
        return "none said", 0
    return f"said {100.0 * np.mean(predicted):.1f} %, true {100.0 * np.mean(true):.1f} %", len(
        predicted
    )


def forecasts(
    elo1: float, spread: float, start: int, low: float, high: float, seed: int, number: int = 300
) -> tuple[str, int]:
    """Tests of 0 against `elo1`: how often H1 was to be accepted by the forecast, and was."""
    generator = np.random.default_rng([seed, int(elo1), int(spread), start])
    test = Sprt(0.0, elo1)
    lower, upper = test.bounds
    p = np.array([shares(d, paired=False) for d in generator.normal(0.0, spread, number).tolist()])
    counts = np.array([generator.multinomial(start, row) for row in p], float)
    predicted = np.array([test.state(Match(tuple(row))).chance for row in counts])
    going = np.isfinite(predicted) & (predicted >= low) & (predicted < high)
    predicted, p, counts = predicted[going], p[going], counts[going]
    accepted, alive = np.zeros(len(p), bool), np.ones(len(p), bool)
    for _ in range(4000):
        rows = np.flatnonzero(alive)
        if not len(rows):
            break
        counts[rows] += np.array([generator.multinomial(start, p[row]) for row in rows])
        ratio = log_likelihood_ratio(counts[rows], 0.0, elo1)
        accepted[rows] = ratio >= upper
        alive[rows] = (ratio > lower) & (ratio < upper)
    text = f"said {100.0 * predicted.mean():.1f} %, accepted {100.0 * accepted.mean():.1f} %"
    return text, len(predicted)


MATCH_LINES: tuple[tuple[str, str, Callable[[int], tuple[str, int]]], ...] = (
    *(
        (
            f"{name} at {100 * level:.0f} %",
            f"{results} {'pairs' if paired else 'games' if results > 1 else 'game'}",
            partial(intervals, results, paired, measure, level),
        )
        for measure, name in (("elo", "Elo"), ("normalized", "normalized Elo"))
        for paired, sizes in ((False, (1, 3, 6, 10, 30, 300)), (True, (3, 10, 30, 100, 300)))
        for results in sizes
        for level in ((0.95,) if results != 30 else (0.80, 0.95, 0.99))
        if measure == "elo" or results >= (LEAST_PAIRS if paired else LEAST_RESULTS)
    ),
    *(
        (
            "likelihood of superiority of 90 to 99 %",
            f"{results} games, differences of ± {spread:g}",
            partial(likelihoods, results, spread),
        )
        for spread in (20.0, 150.0)
        for results in (3, 10, 100)
    ),
    *(
        (
            "forecast of a sequential test",
            f"{start} games, 0 against {elo1:g}, differences of ± {spread:g}, {words}",
            partial(forecasts, elo1, spread, start, low, high),
        )
        for elo1, spread, start in ((20.0, 100.0, 20), (40.0, 100.0, 30), (40.0, 40.0, 100))
        for low, high, words in (
            (0.0, 0.2, "under 20 % said"),
            (0.2, 0.8, "20 to 80 % said"),
            (0.8, 1.01, "over 80 % said"),
        )
    ),
)
