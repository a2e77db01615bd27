"""Predictions of several systems for the same games, measured and compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import check_choice
from yardstone.clusters import LEAST_EFFECTIVE_PLAYERS, effective_size, places_of_players
from yardstone.disk import PIECE, on_disk, pieces, taken
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.calibration import calibrate
from yardstone.evaluation.metrics import (
    GAME_METRICS,
    LARGER_IS_BETTER,
    Measures,
    game_metrics,
    measure_pieces,
)
from yardstone.evaluation.result import REPRESENTATIVE, Evaluation, Prediction, Scored
from yardstone.evaluation.splits import Subset

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from yardstone.evaluation.bootstrap import Bootstrap
    from yardstone.evaluation.paired_games import GamesByPair

    Array = NDArray[np.float64]

__all__ = ["compare"]

#: Differences on fewer games than this are not worth an interval.
LEAST_GAMES = 20
#: More games than this are compared by what is added up for each player and pair.
MANY_GAMES = PIECE


def compare(
    predictions: Sequence[Prediction],
    score: ArrayLike,
    *,
    first: NDArray[np.int32] | None = None,
    second: NDArray[np.int32] | None = None,
    subsets: Sequence[Subset] = (),
    metric: str = "log_likelihood",
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    notes: Sequence[str] = (),
) -> Evaluation:
    """Measure predictions, rank their systems, and say how sure that is.

    Parameters
    ----------
    predictions : sequence of Prediction
        All for the same games. Where they come from does not matter.
    score : array_like (games,)
        Scores of the players who moved first.
    first, second : int32 arrays (games,), optional
        Numbers of the players. Without them the intervals treat games as
        independent, which makes them too narrow.
    subsets : sequence of Subset
        Parts of the games to measure as well.
    metric : str
        Ranks the systems: ``"log_likelihood"``, ``"three_way"``, ``"brier"`` or
        ``"accuracy"``. On all games there are intervals for every metric, on the
        subsets only for this one.
    confidence : float
        Level of intervals, 0 to 1.
    replicates, seed : int
        Of the bootstrap; 0 replicates leave intervals out.
    notes : sequence of str
        Passed on to the result.
    """
    s: Any = score if on_disk(score) else np.asarray(score, np.float64)
    _check(predictions, s, metric)
    if (first is None) != (second is None):
        raise UsageError("both players of each game must be known, or none")
    all_games = np.broadcast_to(np.True_, len(s))
    everything = Subset(REPRESENTATIVE, all_games, "all scored games")
    parts = (everything, *(part for part in subsets if part.number))
    ends = None if first is None or second is None else (first, second)
    paired = None
    if ends is not None and len(s) > MANY_GAMES:
        from yardstone.evaluation.paired_games import GamesByPair

        paired = GamesByPair.of(predictions, s, ends, parts)
    scored = [_scored(prediction, s, parts, confidence, ends, paired) for prediction in predictions]
    if metric == "three_way" and all(item.value(metric) is None for item in scored):
        raise UsageError("no prediction of draws: rank by another metric")
    scored.sort(key=lambda item: _place(item, metric))
    remarks = (*notes, *(note for item in scored if (note := _impossible(item))))
    bootstraps = {}
    for part in parts:
        if replicates and part.number >= LEAST_GAMES and _enough_players(ends, part):
            metrics = GAME_METRICS if part is everything else (metric,)
            if paired is None:
                of_part = _bootstraps(predictions, s, ends, part, metrics, replicates, seed)
            else:
                means = {item.name: item.metrics[part.name] for item in scored}
                of_part = paired.bootstraps(means, part, metrics, replicates, seed)
            bootstraps.update(of_part)
    players = 0 if ends is None else int(np.count_nonzero(places_of_players(*ends)))
    return Evaluation(
        metric=metric,
        confidence=confidence,
        games=len(s),
        players=players,
        systems=tuple(scored),
        subsets=parts,
        bootstraps=bootstraps,
        notes=remarks,
    )


def _enough_players(
    players: tuple[NDArray[np.int32], NDArray[np.int32]] | None, part: Subset
) -> bool:
    """Whether there is an interval over the players of a part; unknown ones are no obstacle."""
    if players is None:
        return True
    number = effective_size(places_of_players(*players, part.games))
    return number >= LEAST_EFFECTIVE_PLAYERS


def _check(predictions: Sequence[Prediction], score: Array, metric: str) -> None:
    check_choice("the metric", metric, LARGER_IS_BETTER)
    if not predictions:
        raise UsageError("there is no system to evaluate")
    if not len(score):
        raise NoGamesError("there is no game to measure predictions on")
    names = [prediction.name for prediction in predictions]
    if len(set(names)) < len(names):
        raise UsageError("two systems have the same name")
    for prediction in predictions:
        for values in (prediction.expected, prediction.draw):
            if values is not None and len(values) != len(score):
                raise InputError(
                    f"{prediction.name} has {len(values)} predictions for {len(score)} games"
                )


def _impossible(item: Scored) -> str:
    number = item.metrics[REPRESENTATIVE].impossible
    if not number:
        return ""
    results = "a result" if number == 1 else f"{number} results"
    return (
        f"{item.name} gave {results} that occurred a probability of 0: "
        "its log-likelihood is minus infinity."
    )


def _scored(
    prediction: Prediction,
    score: Array,
    parts: Sequence[Subset],
    confidence: float,
    players: tuple[NDArray[np.int32], NDArray[np.int32]] | None,
    paired: GamesByPair | None,
) -> Scored:
    metrics = {part.name: _measures(prediction, score, part) for part in parts}
    if paired is None:
        groups = calibrate(score, prediction.expected, confidence=confidence, players=players)
    else:
        groups = paired.calibration(prediction, score, confidence)
    return Scored(prediction, metrics, groups)


def _measures(prediction: Prediction, score: Array, part: Subset) -> Measures:
    """The measures of a prediction on a part of the games, by pieces."""
    columns = (score, prediction.expected, prediction.draw)

    def games() -> Iterator[tuple[Array, Array, Array | None]]:
        for at in pieces(len(score)):
            chosen = taken(part.games, at)
            if chosen.any():
                s, p, d = (None if each is None else taken(each, at)[chosen] for each in columns)
                assert s is not None
                assert p is not None
                yield s, p, d

    return measure_pieces(games())


def _place(item: Scored, metric: str) -> tuple[bool, float]:
    """Baselines last, then from best to worst."""
    value = item.value(metric)
    if value is None:
        value = -np.inf
    return item.prediction.baseline, -value if LARGER_IS_BETTER[metric] else value


def _bootstraps(
    predictions: Sequence[Prediction],
    score: Array,
    players: tuple[NDArray[np.int32], NDArray[np.int32]] | None,
    part: Subset,
    metrics: Sequence[str],
    replicates: int,
    seed: int,
) -> dict[tuple[str, str], tuple[tuple[str, ...], Bootstrap]]:
    """For each metric the systems with finite values, and their resampled means.

    All metrics are resampled at once: players are the same for all.
    """
    from yardstone.evaluation.bootstrap import bootstrap

    rows: list[tuple[str, str, Array]] = []
    for prediction in predictions:
        draw = None if prediction.draw is None else prediction.draw[part.games]
        values = game_metrics(score[part.games], prediction.expected[part.games], draw)
        rows += [
            (name, prediction.name, values[name])
            for name in metrics
            if name in values and np.isfinite(values[name]).all()
        ]
    if not rows:
        return {}
    ends = [None, None] if players is None else [column[part.games] for column in players]
    whole = bootstrap([row[2] for row in rows], *ends, replicates=replicates, seed=seed)
    bootstraps = {}
    for name in metrics:
        chosen = [place for place, row in enumerate(rows) if row[0] == name]
        if chosen:
            names = tuple(rows[place][1] for place in chosen)
            bootstraps[part.name, name] = (names, whole.rows(chosen))
    return bootstraps
