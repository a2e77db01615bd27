"""A model of winning fitted to graded games, with errors that count events or players."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_number
from yardstone.errors import NoGamesError, UsageError
from yardstone.winprob.cluster_covariance import region_by_event, region_by_player
from yardstone.winprob.game_columns import GameColumns, between_grades
from yardstone.winprob.grade_model import LOW_GRADE, GradeModel, Link
from yardstone.winprob.head_start import head_start, usual_komi
from yardstone.winprob.kaniuk import INITIAL, Kaniuk
from yardstone.winprob.likelihood import LikelihoodFit, fit_likelihood
from yardstone.winprob.model import WinningModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.winprob.coefficient_region import CoefficientRegion
    from yardstone.winprob.statistics import WinningStatistics

    Array = NDArray[np.float64]

__all__ = ["EVENT_GAMES", "FREE", "WinningFit", "fit_games", "fit_winning_model", "model_of_counts"]

#: The coefficients of the model that ships: what a grade decides, how that grows, a stone.
FREE = ("u1", "K", "stone")
#: Independent games that an event counts as at most, in the model that ships.
EVENT_GAMES = 100.0
#: Games reach to where there are so many at a grade, or a difference of grades, or beyond it.
_ENOUGH = 10


@dataclass(frozen=True, eq=False)
class WinningFit:
    """A fit, and the model made of it; frozen."""

    fit: LikelihoodFit
    model: WinningModel


def fit_winning_model(
    pool: Pool,
    *,
    name: str = "mine",
    free: Iterable[str] = FREE,
    link: Link = "logistic",
    event_games: float | None = None,
) -> WinningFit:
    """Fit a model to all decided games between known grades, handicap games too.

    Its intervals count events, or players where there are no events. There is none with too few
    of them, nor where ``lapse`` is free: the likelihood bends too much in it for a covariance.

    Parameters
    ----------
    pool : Pool
        With ``first_grade`` and ``second_grade`` (zero-shodan units) and, where known,
        ``handicap``, ``komi`` and ``event``.
    name : str
        What the model is to be called.
    free : iterable of str
        Coefficients that are fitted (`ALL_PARAMETERS`). ``stone`` is a grade if it is not among
        them, and the others of Kaniuk's are zero.
    link : {"logistic", "erf"}
        From Lambda to a probability.
    event_games : float, optional
        Independent games that an event counts as at most; all its games by default. Large
        events otherwise decide alone what holds for others.

    Raises
    ------
    NoGamesError
        There is no decided game between known grades.
    UsageError
        There is no such coefficient, the games say nothing of one, or there are no events to
        weigh.
    """
    counted = pool.select(between_grades(pool))
    games = GameColumns.from_pool(_with_events(counted), group="event")
    events = _has_events(counted)
    if event_games is not None and not events:
        raise UsageError("the games name no events, so they cannot be weighed by events")
    fit = fit_games(games, free=free, link=link, event_games=event_games)
    region: CoefficientRegion | None
    if "lapse" in fit.names:
        region = None
    elif events:
        weight = None if event_games is None else games.group_weights(event_games)
        region = region_by_event(fit.model, fit.names, games, weight=weight)
    else:
        region = region_by_player(fit.model, fit.names, games, counted.first, counted.second)
    reason = "" if "stone" in fit.names else "the worth of a stone was not fitted"
    if "lapse" in fit.names:
        reason = "lapses were fitted, whose errors bend too much for one"
    elif region is None:
        reason = "its games are of too few {} for one".format("events" if events else "players")
    grades = np.sort(np.concatenate([games.first, games.second]))
    apart = np.sort(np.abs(games.first - games.second)[games.handicap == 0])
    model = WinningModel(
        name,
        _about(counted),
        fit.model,
        lowest=float(grades[: 2 * _ENOUGH][-1]),
        highest=float(grades[-2 * _ENOUGH :][0]),
        apart=float(apart[-_ENOUGH:][0]) if len(apart) else 0.0,
        region=region,
        no_interval=reason,
        made=_made(),
    )
    return WinningFit(fit, model)


def fit_games(
    games: GameColumns,
    *,
    free: Iterable[str] = FREE,
    link: Link = "logistic",
    event_games: float | None = None,
    start: GradeModel | None = None,
) -> LikelihoodFit:
    """The fit of `fit_winning_model` to games whose groups are events.

    `start` has the coefficients that are not free: by default none of Kaniuk's, and a
    handicap stone is a grade.
    """
    if not len(games):
        raise NoGamesError("there is no decided game between players of known grades")
    weight = None
    if event_games is not None:
        check_number("event_games", event_games, above=0.0)
        weight = games.group_weights(event_games)
    names = tuple(dict.fromkeys(free))
    ahead = head_start(games.handicap, games.komi)
    for name, says in (
        ("stone", np.any(ahead != 0.0)),
        ("komi", np.any(games.komi != usual_komi(games.handicap))),
        ("low", np.any(np.minimum(games.first, games.second) < LOW_GRADE)),
    ):
        if name in names and not says:
            raise UsageError(
                f"the games say nothing of {name!r}: leave it out of the free coefficients"
            )
    return fit_likelihood(games.graded(weight), free=names, start=start or _start(names, link))


def _start(names: tuple[str, ...], link: Link) -> GradeModel:
    """The first point: table 1's with the coefficients that are free, and a stone a grade."""
    known = {name: value for name, value in INITIAL.parameters.items() if name in names}
    return GradeModel(Kaniuk.from_parameters(known), {"stone": 1.0}, link)


def model_of_counts(law: GradeModel, statistics: WinningStatistics) -> WinningModel:
    """The model of a fit to winning statistics of even games, which leave it no interval."""
    rows, columns = np.nonzero(statistics.games)
    grades = statistics.lowest + rows
    return WinningModel(
        "mine",
        f"winning statistics of {statistics.games.sum():,.0f} even games; a handicap stone "
        "counts as a grade",
        law,
        lowest=float(grades.min()),
        highest=float((grades + columns + 1).max()),
        apart=float(columns.max() + 1),
        no_interval="counts do not say which games belong together",
        made=_made(),
    )


def _made() -> str:
    return f"{date.today():%Y-%m-%d}, Yardstone {version('yardstone')}"


def _has_events(pool: Pool) -> bool:
    return "event" in pool.columns and bool(np.any(np.asarray(pool.columns["event"]) != ""))


def _with_events(pool: Pool) -> Pool:
    """The games, where they name no event by the pair of players."""
    low, high = np.minimum(pool.first, pool.second), np.maximum(pool.first, pool.second)
    pair = np.array([f"\0{one} {two}" for one, two in zip(low, high, strict=True)])
    event = np.asarray(pool.columns.get("event", np.full(len(pool), ""))).astype(str)
    return replace(pool, columns={**pool.columns, "event": np.where(event == "", pair, event)})


def _about(pool: Pool) -> str:
    """Such as ``7,715 games of 106 events, 2011 to 2024``."""
    events = np.unique(np.asarray(pool.columns.get("event", np.zeros(0, str))))
    number = int(np.sum(events != ""))
    players = len(np.union1d(pool.first, pool.second))
    where = f"{number:,} events" if number else f"{players:,} players"
    text = f"{len(pool):,} games of {where}"
    days = np.zeros(0, "datetime64[s]") if pool.time is None else pool.time
    years = days[~np.isnat(days)].astype("datetime64[Y]")
    if len(years):
        first, last = (str(each) for each in (np.min(years), np.max(years)))
        text += f", {first}" if first == last else f", {first} to {last}"
    return text
