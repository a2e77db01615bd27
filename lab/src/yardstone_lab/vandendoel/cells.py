"""Cells of a study: the matches of one setting, averaged, with the rating difference they show.

As van den Doel did it: error rates and luck-adjusted results are averaged over the
matches, and only then does a mean result become a rating difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.backgammon.formulas import PUBLISHED, Weight
from yardstone.errors import UsageError
from yardstone.winprob import fibs
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, StudyModel
from yardstone_lab.vandendoel.table import StudyTable, ratio, setting_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.vandendoel.play import MatchSetting

    Array = NDArray[np.float64]

__all__ = [
    "LEVEL",
    "Cells",
    "is_judged",
    "is_part_one",
    "is_part_two",
    "make_cells",
    "published_weight",
]

#: Confidence of the intervals, as published.
LEVEL = 0.90


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Means over the matches of each setting; the rows of all arrays are the cells.

    Attributes
    ----------
    settings : tuple of MatchSetting
    matches : float64 array (c,)
        Number of matches.
    chance : float64 array (c,)
        The first player's mean luck-adjusted result. With few matches it may leave [0, 1].
    chance_error : float64 array (c,)
        Its standard error; infinite where there is one match.
    move_error, cube_error, decision_error : float64 arrays (c, 2)
        EPM, EPC and EPD of both players.
    cube_error_per_move : float64 array (c, 2)
        Errors of cube decisions by the number of unforced moves, which no rule of
        closeness enters.
    """

    settings: tuple[MatchSetting, ...]
    matches: Array
    chance: Array
    chance_error: Array
    move_error: Array
    cube_error: Array
    decision_error: Array
    cube_error_per_move: Array

    def __len__(self) -> int:
        return len(self.settings)

    def __repr__(self) -> str:
        return f"<Cells: {len(self)}, of {self.matches.sum():.0f} matches>"

    @property
    def length(self) -> Array:
        """Points to win."""
        return np.array([setting.length for setting in self.settings], np.float64)

    @property
    def rating(self) -> Array:
        """Points that the first player is ahead; infinite where the mean result is 0 or 1."""
        return _rating(self.chance, self.length)

    @property
    def rating_error(self) -> Array:
        """Standard error of `rating`, to first order; infinite where that is."""
        inside = (self.chance > 0.0) & (self.chance < 1.0)
        slope = fibs.steepness(self.length) * self.chance * (1.0 - self.chance)
        error = np.full(len(self), np.inf)
        np.divide(self.chance_error, slope, out=error, where=inside)
        return error

    def rating_interval(self, level: float = LEVEL) -> tuple[Array, Array]:
        """Where the rating difference lies, by Student's t on the mean result.

        An end is infinite where the mean result with its error reaches 0 or 1.
        """
        from scipy.special import stdtrit

        if not 0.0 < level < 1.0:
            raise UsageError("a confidence level lies between 0 and 1")
        freedom = np.maximum(self.matches - 1.0, 1.0)
        reach = stdtrit(freedom, 0.5 + level / 2.0) * self.chance_error
        return (
            _rating(self.chance - reach, self.length),
            _rating(self.chance + reach, self.length),
        )

    @property
    def depd(self) -> Array:
        """The second player's EPD less the first's."""
        return np.asarray(self.decision_error[:, 1] - self.decision_error[:, 0])

    def terms(self, model: StudyModel) -> Array:
        """Differences of error rates (second minus first), one column a coefficient."""
        if model is StudyModel.decision:
            return np.diff(self.decision_error, axis=1)
        return np.hstack([np.diff(self.move_error, axis=1), np.diff(self.cube_error, axis=1)])

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Cells analysed as deeply as their players think; the errors of others tell nothing."""
        return np.array([is_judged(setting) for setting in self.settings], bool)

    def belongs(self, model: StudyModel) -> NDArray[np.bool_]:
        """Cells of the part of the study that fits a model."""
        part = is_part_one if model is StudyModel.decision else is_part_two
        return np.array([part(setting) for setting in self.settings], bool)

    def published_rating(self, model: StudyModel) -> Array:
        """Rating difference by the published formula of a model."""
        weights = [published_weight(name)(self.length) for name in model.names]
        return np.asarray(np.sum(np.column_stack(weights) * self.terms(model), axis=1), np.float64)

    def deviations(self, rating: Array) -> Array:
        """Standard errors that the mean result lies above what a rating difference gives."""
        expected = fibs.probability(rating, 0.0, self.length)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((self.chance - expected) / self.chance_error, np.float64)

    def select(self, rows: NDArray[np.bool_]) -> Cells:
        """Some of the cells."""
        return Cells(
            tuple(setting for setting, kept in zip(self.settings, rows, strict=True) if kept),
            *(getattr(self, name)[rows] for name in list(self.__dataclass_fields__)[1:]),
        )


def published_weight(name: str) -> Weight:
    """The published a(N), a2(N) or b(N)."""
    return {"a": PUBLISHED.decision, "a2": PUBLISHED.move, "b": PUBLISHED.cube}[name]


def _rating(chance: Array, length: Array) -> Array:
    return fibs.difference(np.clip(chance, 0.0, 1.0), length)


def make_cells(
    table: StudyTable,
    rule: CloseRule = CloseRule.new,
    averaging: Averaging = Averaging.matches,
    *,
    times: Array | None = None,
) -> Cells:
    """Average the matches of each setting.

    Parameters
    ----------
    table : StudyTable
    rule : CloseRule
        Which cube decisions count as close.
    averaging : Averaging
        How rates of matches become one.
    times : float64 array (n,), optional
        How often each match counts: once by default.

    Returns
    -------
    Cells
        Of the settings that have a match, ordered by length and noise.
    """
    groups = len(table.settings)
    times = np.ones(len(table)) if times is None else times
    number = np.asarray(np.bincount(table.setting, times, groups), np.float64)
    some = number > 0.0
    order = sorted(np.flatnonzero(some), key=lambda row: setting_order(table.settings[row]))

    def total(values: NDArray[Any]) -> Array:
        if values.ndim == 2:
            return np.column_stack([total(values[:, 0]), total(values[:, 1])])
        return np.asarray(np.bincount(table.setting, times * values, groups)[order], np.float64)

    number = number[order]
    chance = total(table.luck_adjusted) / number
    # Squares about the mean of each cell, so that no digits are lost.
    mean = np.zeros(groups)
    mean[order] = chance
    squares = total((table.luck_adjusted - mean[table.setting]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / (number - 1.0) / number)
    error[number <= 1.0] = np.inf

    close = table.close(rule)
    lost = table.move_error + table.cube_error
    if averaging is Averaging.matches:
        rates = (
            total(table.error_per_move()) / number[:, None],
            total(table.error_per_cube_decision(rule)) / number[:, None],
            total(table.error_per_decision(rule)) / number[:, None],
            total(ratio(table.cube_error, table.unforced)) / number[:, None],
        )
    else:
        rates = (
            ratio(total(table.move_error), total(table.unforced)),
            ratio(total(table.cube_error), total(close)),
            ratio(total(lost), total(table.unforced + close)),
            ratio(total(table.cube_error), total(table.unforced)),
        )
    settings = tuple(table.settings[row] for row in order)
    return Cells(settings, number, chance, error, *rates)


def _plain(setting: MatchSetting) -> bool:
    players = (setting.first, setting.second)
    return (
        not setting.deterministic
        and setting.analyses == (0,)
        and all(player.plies == player.cube_plies == 0 for player in players)
    )


def is_judged(setting: MatchSetting) -> bool:
    """Whether the analysis of a setting is as deep as both players think."""
    players = (setting.first, setting.second)
    deepest = max(plies for player in players for plies in (player.plies, player.cube_plies))
    return min(setting.analyses) >= deepest


def is_part_one(setting: MatchSetting) -> bool:
    """Whether a cell is of Part I: noise is random and each player's the same everywhere."""
    players = (setting.first, setting.second)
    return _plain(setting) and all(p.chequer_noise == p.cube_noise for p in players)


def is_part_two(setting: MatchSetting) -> bool:
    """Whether a cell is of Part II: no noise against separate noise for moves and cube."""
    first, second = setting.first, setting.second
    return (
        _plain(setting)
        and setting.length > 1
        and first.chequer_noise == first.cube_noise == 0.0
        and second.chequer_noise != second.cube_noise
    )
