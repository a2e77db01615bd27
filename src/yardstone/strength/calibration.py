"""Estimates brought to a site's own ratings by a straight line, and the tables of them.

Neubauer 2024, section 7.1: f(x) = a x + b, fitted by least squares to players whose
rating on the site is known. What that costs is measured on the results of their games:
the line that fits the ratings best is not the one that predicts results best.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from math import isfinite, log, nan, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.files import read_bytes, write_text
from yardstone.pool import Skipped, SkipReport
from yardstone.records.sources import delimited_rows
from yardstone.strength.estimation import Estimates, PlayerEstimate
from yardstone.strength.players import plain_name
from yardstone.strength.site_scales import FOX, GROUP_EDGES, SITE_SCALES, SiteScale
from yardstone.winprob.laws import EGF_POLE, EGF_STEEPNESS, ELO_POINTS_PER_LOGIT, log_logistic
from yardstone.winprob.scales import SCALES, convert, fox_of_grade

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.strength.model import StrengthModel


#: Files of the first format are all of estimates on the Fox scale.
_FORMAT, _EARLIER = 2, 1
_FEWEST = 3
#: Of a line.
_PARAMETERS = 2
_LARGEST_FILE = 1 << 16
#: What a site's ratings can be: those of OGS, of the EGF, or points of another site, of
#: which 400 are a factor of ten in the odds.
KINDS_OF_RATING = ("points", "ogs", "egf")


@dataclass(frozen=True, slots=True)
class Calibration:
    """A line from estimates to ratings: ``rating = slope * estimate + intercept``."""

    site: str  #: What the ratings are called.
    kind: str  #: What they are; those of OGS and the EGF have ranks.
    model: str  #: The model that the estimates are from.
    basis: str  #: Its scale that they are on.
    players: int  #: Number of players fitted.
    #: Rating points a rank of that scale, and the rating at 0, where 1 kyu begins.
    slope: float
    intercept: float
    #: Their standard errors, allowing for a spread that depends on the estimate.
    slope_error: float
    intercept_error: float
    deviation: float  #: Standard deviation of the ratings about the line, in points.
    unexplained: float  #: What of that is not the estimates' own error, in points.
    determined: float  #: Share of the ratings' variance that the line explains (R²).
    #: Estimates fitted.
    lowest: float
    highest: float

    def rating(self, estimate: ArrayLike) -> Floats:
        """Ratings of estimates on the scale of the model."""
        return np.asarray(self.slope * np.asarray(estimate, np.float64) + self.intercept)

    def check_model(self, model: StrengthModel) -> None:
        """Refuse a model other than that of the estimates.

        Raises `InputError` if the line was fitted to estimates of another model.
        """
        name = str(model.card["name"])
        if self.model and name != self.model:
            raise InputError(
                f"the calibration {self.site!r} is for the model {self.model}, and this is {name}",
                hint="make it anew with `yardstone strength calibrate`",
            )

    def site_scale(self) -> SiteScale:
        """The scale on which an estimate shows the site's ratings."""

        def number(fox: float) -> float:
            rating = max(float(self.rating(fox)), 1.0)
            return float(fox_of_grade(convert(rating, self.kind, "grade", extrapolate=True)))

        line = self.deviation**2 * _PARAMETERS / self.players  # the line's own error
        return SiteScale(
            name=self.site,
            title=self.site,
            rating=lambda fox: float(self.rating(fox)),
            number=number if self.kind in SCALES else None,
            deviation=sqrt(self.unexplained**2 + line) / self.slope,
            freedom=self.players - _PARAMETERS,
            digits=0,
            basis=self.basis,
            source=(
                f"{self.slope:.1f} points a rank and {self.intercept:.0f} where 1 kyu begins, "
                f"fitted to {self.players} players from {self.lowest:.1f} to {self.highest:.1f}, "
                f"whose ratings lie {self.deviation:.0f} points about that line"
            ),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the calibration as JSON."""
        text = json.dumps({"format": _FORMAT, **asdict(self)}, ensure_ascii=False, indent=2)
        write_text(Path(path), f"{text}\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Calibration:
        """Read what `save` wrote.

        Raises `InputError` if the file is missing, damaged or of another version.
        """
        file = os.fspath(path)
        hint = "make it anew with `yardstone strength calibrate`"
        content = read_bytes(Path(path), _LARGEST_FILE, "a calibration")
        try:
            values = json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError):
            raise InputError("this is not a calibration", file=file, hint=hint) from None
        number = values.pop("format", None) if isinstance(values, dict) else None
        if number not in (_FORMAT, _EARLIER):
            raise InputError("this is not a calibration of this version", file=file, hint=hint)
        if number == _EARLIER:
            values["basis"] = FOX

        def sound(value: Any, kind: Any) -> bool:
            if kind == "float":
                return isinstance(value, int | float) and abs(value) < 1e300
            return bool(type(value).__name__ == kind)

        kinds = {each.name: each.type for each in fields(cls)}
        if not (
            values.keys() == kinds.keys()
            and all(sound(values[name], kind) for name, kind in kinds.items())
            and values["basis"] in GROUP_EDGES
            and values["kind"] in KINDS_OF_RATING
            and values["slope"] > 0
            and values["unexplained"] >= 0
        ):
            raise InputError("the calibration is damaged", file=file, hint=hint)
        return cls(**values)


def fit_calibration(
    estimates: ArrayLike,
    ratings: ArrayLike,
    *,
    site: str,
    kind: str = "points",
    model: str = "",
    basis: str = FOX,
    deviations: ArrayLike | None = None,
) -> Calibration:
    """Fit a line from estimates to the ratings of a site by least squares.

    Raises `NoGamesError` if there are fewer than three players, or all have the same estimate;
    `ModelError` if the ratings do not grow with the estimates; `UsageError` if there is no such
    kind of rating.

    Args:
        estimates (float array [n]): On the scale of the model, one a player.
        ratings (float array [n]): What the site says of them.
        site: What to call the ratings.
        kind ({"points", "ogs", "egf"}): What they are.
        model: The model that the estimates are from.
        basis: Its scale that they are on.
        deviations (float array [n]): One standard deviation of each estimate, in ranks: what they
            explain of the spread about the line is not counted as the line's.
    """
    if kind not in KINDS_OF_RATING:
        raise UsageError(f"no ratings are called {kind!r}: {', '.join(KINDS_OF_RATING)}")
    if basis not in GROUP_EDGES:
        raise UsageError(f"no scale of a model is called {basis!r}: {', '.join(GROUP_EDGES)}")
    if site in SITE_SCALES and kind != site:
        raise UsageError(f"the site is called {site!r}, but its ratings are {kind}")
    x, y = np.asarray(estimates, np.float64), np.asarray(ratings, np.float64)
    if len(x) < _FEWEST or np.ptp(x) <= 0.0:
        raise NoGamesError(
            f"a line needs at least {_FEWEST} players of different strength, not {len(x)}"
        )
    design = np.column_stack([x, np.ones(len(x))])
    bread = np.linalg.inv(design.T @ design)
    slope, intercept = (float(value) for value in bread @ (design.T @ y))
    residual = y - design @ np.array([slope, intercept])
    leverage = np.einsum("ij,jk,ik->i", design, bread, design)
    corrected = residual / np.maximum(1.0 - leverage, 1e-9)
    covariance = bread @ ((design.T * corrected**2) @ design) @ bread  # HC3
    variance = float(residual @ residual) / max(len(x) - 2, 1)
    own = 0.0 if deviations is None else float(np.mean(np.asarray(deviations, np.float64) ** 2))
    total = float(((y - y.mean()) ** 2).sum())
    if slope <= 0.0 or np.ptp(y) <= 0.0:  # equal ratings give a slope of rounding errors
        raise ModelError(
            f"the ratings do not grow with the estimates (slope {slope:.1f} points a rank): "
            "are players and ratings paired rightly?"
        )
    return Calibration(
        site=site,
        kind=kind,
        model=model,
        basis=basis,
        players=len(x),
        slope=slope,
        intercept=intercept,
        slope_error=sqrt(covariance[0, 0]),
        intercept_error=sqrt(covariance[1, 1]),
        deviation=sqrt(variance),
        unexplained=sqrt(max(variance - own * slope * slope, 0.0)),
        determined=1.0 - float(residual @ residual) / total,
        lowest=float(x.min()),
        highest=float(x.max()),
    )


@dataclass(frozen=True, slots=True)
class ScoreCost:
    """How well results are predicted by estimates, and by the ratings made of them."""

    games: int  #: Games between players with an estimate.
    even: float  #: Log-likelihood a game if both players always have equal chances.
    best: float  #: With the slope that fits the results best.
    site: float  #: With the ratings of the calibration, and the site's own probabilities.
    best_slope: float  #: Logits a rank that fit best.
    site_slope: float  #: Mean logits a rank of the calibration.


def score_cost(
    calibration: Calibration, first: ArrayLike, second: ArrayLike, score: ArrayLike
) -> ScoreCost:
    """What a calibration costs in log-likelihood when results are predicted.

    `first`, `second` [n]: estimates of the two players of each game, on the scale of the
    calibration. `score` [n]: of the first player: 1, 0.5 or 0.
    """
    from scipy.optimize import bisect

    x1, x2 = np.asarray(first, np.float64), np.asarray(second, np.float64)
    s = np.asarray(score, np.float64)
    if not len(s):
        raise NoGamesError("there is no game with a result between players with an estimate")
    difference = x1 - x2
    logit = _logits(calibration, x1) - _logits(calibration, x2)

    def derivative(slope: float) -> float:
        expected = 0.5 * (1.0 + np.tanh(0.5 * slope * difference))
        return float(difference @ (s - expected))

    slope, most = 0.0, 20.0  # logits a rank, of the maximum likelihood
    if derivative(slope) > 0.0:
        slope = bisect(derivative, slope, most, xtol=1e-15) if derivative(most) < 0.0 else most
    spread = float(difference @ difference)
    return ScoreCost(
        games=len(s),
        even=log(0.5),
        best=_log_likelihood(slope * difference, s),
        site=_log_likelihood(logit, s),
        best_slope=slope,
        site_slope=float(logit @ difference) / spread if spread else 0.0,
    )


def _logits(calibration: Calibration, estimates: Floats) -> Floats:
    rating = calibration.rating(estimates)
    if calibration.kind == "egf":  # the EGF's expected score since 2021
        return np.asarray(-EGF_STEEPNESS * np.log(EGF_POLE - np.minimum(rating, EGF_POLE - 1.0)))
    return np.asarray(rating / ELO_POINTS_PER_LOGIT)


def _log_likelihood(logit: Floats, score: Floats) -> float:
    return float(np.mean(score * log_logistic(logit) + (1 - score) * log_logistic(-logit)))


@dataclass(frozen=True, slots=True)
class SiteCalibration:
    """A calibration and what it rests upon."""

    calibration: Calibration
    players: Sequence[tuple[PlayerEstimate, float]]  #: Each with the site's rating.
    cost: ScoreCost | None  #: None if there are no results between the players.
    missing: Sequence[str]  #: Players with a rating of whom there is no game.


def calibrate_site(
    table: Sequence[RatedPlayer],
    estimates: Estimates | None,
    model: StrengthModel,
    *,
    site: str,
    kind: str = "points",
    basis: str = FOX,
    file: str = "",
) -> SiteCalibration:
    """Fit the line from estimates to a site's ratings, and measure what it costs.

    `estimates`: of these players; None takes those of the table. `site`, `kind`, `basis`: see
    `Calibration`. `file`: where the table stood, for errors. Raises `InputError` if there are
    neither estimates in the table nor games.
    """
    rated: Sequence[PlayerEstimate]
    if estimates is not None:
        rated = estimates.players
    elif all(each.estimate is None for each in table):
        raise InputError(
            "there is no column with estimates, and no game is given",
            file=file,
            hint="name the players' games after the table",
        )
    else:
        rated = [
            PlayerEstimate(each.player, 0, 0, each.estimate, 0.0, each.estimate, each.estimate)
            for each in table
            if each.estimate is not None
        ]
    known = {plain_name(each.player): each for each in rated}
    pairs = [
        (known[plain_name(each.player)], each.rating)
        for each in table
        if plain_name(each.player) in known
    ]
    calibration = fit_calibration(
        [each.rating for each, _ in pairs],
        [rating for _, rating in pairs],
        site=site,
        kind=kind,
        model=str(model.card["name"]),
        basis=basis,
        deviations=None if estimates is None else [each.deviation for each, _ in pairs],
    )
    cost = None
    if estimates is not None and len(estimates.score):
        strengths = [each.rating for each in estimates.players]
        cost = score_cost(
            calibration,
            [strengths[place] for place in estimates.black],
            [strengths[place] for place in estimates.white],
            estimates.score,
        )
    missing = [each.player for each in table if plain_name(each.player) not in known]
    return SiteCalibration(calibration, pairs, cost, missing)


_HINT = "the first line names the columns: player,rating and, where known, estimate"


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player of a site."""

    player: str
    rating: float  #: What the site says.
    estimate: float | None = None  #: On the scale of the model, where the table has it.


def read_ratings(
    path: str | os.PathLike[str], skipped: SkipReport | None = None
) -> list[RatedPlayer]:
    """Read a table with the columns ``player``, ``rating`` and perhaps ``estimate``.

    `path`: CSV, with commas, semicolons or tabs. `skipped`: takes the rows that cannot be used.
    Raises `InputError` if the file cannot be read, or lacks a column; `NoGamesError` if there is no
    player in it.
    """
    file = os.fspath(path)
    report = SkipReport() if skipped is None else skipped
    players: dict[str, RatedPlayer] = {}
    for line, row in csv_rows(path, ("player", "rating"), _HINT, report):
        reason = _read_row(row, players)
        if reason is not None:
            report.add(Skipped(file, line, reason))
    if not players:
        raise NoGamesError("there is no player with a rating in it", file=file, hint=_HINT)
    return list(players.values())


def _read_row(cells: dict[str, str], players: dict[str, RatedPlayer]) -> str | None:
    """Add a player; or say why the row cannot be used."""
    player = cells.get("player", "")
    if not plain_name(player):
        return "there is no name"
    if plain_name(player) in players:
        return "the player stands there already"
    numbers: dict[str, float | None] = {}
    for name in ("rating", "estimate"):
        text = cells.get(name, "").strip()
        try:
            value = float(text) if text else None
        except ValueError:
            value = nan
        if value is not None and not isfinite(value):
            return f"the {name} is not a number"
        numbers[name] = value
    rating = numbers["rating"]
    if rating is None:
        return "there is no rating"
    players[plain_name(player)] = RatedPlayer(player, rating, numbers["estimate"])
    return None


def csv_rows(
    path: str | os.PathLike[str], columns: Sequence[str], hint: str, skipped: SkipReport
) -> list[tuple[int, dict[str, str]]]:
    """The rows of a table with their lines, each value by the name of its column.

    Raises `InputError` if the file cannot be read, or lacks a column.

    Args:
        path: CSV, with commas, semicolons or tabs.
        columns: That must be there. Names are compared in small letters.
        hint: What such a table looks like, for errors.
        skipped: Takes rows that cannot be used.
    """
    header, rows = delimited_rows(path, skipped)
    names = [name.lower() for name in header]
    if not set(columns) <= set(names):
        words = " and ".join([", ".join(columns[:-1]), columns[-1]])
        raise InputError(f"there are no columns {words}", file=os.fspath(path), line=1, hint=hint)
    return [(line, dict(zip(names, cells, strict=True))) for line, cells in rows]
