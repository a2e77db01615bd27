"""A site's calibration from a table of its ratings and the players' games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.strength.estimate.calibrate import (
    Calibration,
    ScoreCost,
    fit_calibration,
    score_cost,
)
from yardstone.strength.estimate.collection import PlayerEstimate
from yardstone.strength.estimate.players import plain_name
from yardstone.strength.estimate.site_scales import FOX

if TYPE_CHECKING:
    from yardstone.strength.estimate.collection import Estimates
    from yardstone.strength.estimate.ratings_file import RatedPlayer
    from yardstone.strength.model import StrengthModel

__all__ = ["SiteCalibration", "calibrate_site"]


@dataclass(frozen=True, slots=True)
class SiteCalibration:
    """A calibration and what it rests upon.

    Attributes
    ----------
    calibration : Calibration
    players : sequence of (PlayerEstimate, float)
        Each with the site's rating.
    cost : ScoreCost or None
        None if there are no results between the players.
    missing : sequence of str
        Players with a rating of whom there is no game.
    """

    calibration: Calibration
    players: Sequence[tuple[PlayerEstimate, float]]
    cost: ScoreCost | None
    missing: Sequence[str]


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

    Parameters
    ----------
    table : sequence of RatedPlayer
    estimates : Estimates or None
        Of these players; None takes those of the table.
    model : StrengthModel
    site, kind, basis
        See `Calibration`.
    file : str
        Where the table stood, for errors.

    Raises
    ------
    InputError
        There are neither estimates in the table nor games.
    """
    if estimates is not None:
        known = {plain_name(each.player): each for each in estimates.players}
    elif all(each.estimate is None for each in table):
        raise InputError(
            "there is no column with estimates, and no game is given",
            file=file,
            hint="name the players' games after the table",
        )
    else:
        known = {
            plain_name(each.player): PlayerEstimate(
                each.player, 0, 0, each.estimate, 0.0, each.estimate, each.estimate
            )
            for each in table
            if each.estimate is not None
        }
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
