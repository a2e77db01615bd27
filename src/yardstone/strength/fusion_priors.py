"""The parameters by which `Fusion` believes moves, fitted to games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError, UsageError
from yardstone.evaluation.splits import earlier_games, in_time_order
from yardstone.ratings.glicko import CENTRE, POINTS, Glicko2
from yardstone.ratings.joint import Prior
from yardstone.strength.fusion import (
    SHIPPED,
    Fusion,
    Sides,
    fit_moves_prior,
    moves_by_player,
    sides_before,
)
from yardstone.winprob.laws import ELO_POINTS_PER_LOGIT

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Longs
    from yardstone.evaluation.rated_games import RatedGames
    from yardstone.pool import Pool
    from yardstone.ratings.sequential import State


#: Parameters of `Fusion` that are fitted.
FITTED = ("strength", "slope", "noise", "half_moves", "level")
#: Least precision of moves, for the case that they tell nothing.
_LEAST = 1e-10
#: The prior is for newcomers: it is fitted to games of players with at most so many before.
FEW_GAMES = 20
#: Fewer games of such players with known moves fit nothing.
LEAST_GAMES = 50


def fit_fusion(pool: Pool, system: Fusion | None = None) -> tuple[Fusion, int]:
    """The system that believes moves as much as these games say.

    Strength, level, slope, noise and half_moves become those under which the results of games with
    a newcomer whose moves are known are most likely, each predicted from earlier games; everything
    else stays. `pool`: with the columns `MOVE_COLUMNS`. No game whose prediction is to be judged
    may be among them. Returns also to how many games it was fitted. Raises `NoGamesError` if
    there are fewer than 50 such games.
    """
    start = Fusion() if system is None else system
    games = in_time_order(pool)
    plain = Glicko2(**{part.name: getattr(start, part.name) for part in fields(Glicko2)})
    replay = plain.replay(games)
    if replay.first_deviation is None or replay.second_deviation is None:
        raise UsageError("the system has no deviations")
    strength, number = sides_before(games)
    before = np.column_stack(earlier_games(games))
    few = np.asarray(((number > 0) & (before <= FEW_GAMES)).any(axis=1))
    if few.sum() < LEAST_GAMES:
        raise NoGamesError(
            f"{int(few.sum())} games are of players with 1 to {FEW_GAMES} earlier games whose "
            f"moves are known, and a fit takes {LEAST_GAMES}",
            hint="leave --fit out",
        )
    sides = Sides(
        np.column_stack([replay.first_rating, replay.second_rating]),
        np.column_stack([replay.first_deviation, replay.second_deviation]),
        strength,
        number.astype(np.int64),
    ).select(few)
    base = Prior(start.initial, start.initial_deviation)
    known = (sides.moves > 0) & np.isfinite(sides.moves_rating)
    centre = float(sides.moves_rating[known].mean())
    # Strengths on the scale of ratings, as wide as newcomers are.
    unit = base.deviation / max(float(sides.moves_rating[known].std()), 1e-6)
    scaled = replace(sides, moves_rating=base.mean + unit * (sides.moves_rating - centre))
    prior = fit_moves_prior(scaled, games.score[few], plain, base)
    # The newcomer's density is divided out: what is left are the moves as a measurement.
    noise = 1.0 / sqrt(max(1.0 / prior.deviation**2 - 1.0 / base.deviation**2, _LEAST))
    shrunk = base.deviation**2 / (base.deviation**2 + noise**2)
    fitted = replace(
        start,
        strength=centre + (prior.centre - base.mean) / unit,
        slope=prior.slope * unit / shrunk,
        noise=noise,
        half_moves=prior.half,
        level=prior.level,
    )
    return fitted, int(few.sum())


def centred_fusion(pool: Pool, system: Fusion | None = None) -> Fusion:
    """The system that takes the average player of these games for one of its `level`.

    Raises `NoGamesError` if no moves are known of any player.
    """
    number, strength = moves_by_player(pool)
    known = number > 0.0
    if not known.any():
        raise NoGamesError("no moves are known of any player in these games")
    start = Fusion() if system is None else system
    return replace(start, strength=float(np.mean(strength[known])))


def fusion_parameters(
    pool: Pool, given: Mapping[str, Any], *, fit: bool, scale: str | None = None
) -> tuple[dict[str, Any], str]:
    """Parameters of `Fusion` for games like these, and what was done, in a sentence.

    Raises `UsageError` if nothing is shipped for the scale; or a parameter is given and to be
    fitted.

    Args:
        pool: Games that may be learned from: none whose prediction is to be judged.
        given: Parameters that are fixed.
        fit: Fit what moves say to the results (`fit_fusion`); else only their mean is taken from
            the games, and the rest is as shipped.
        scale: Of the strengths. By default that of OGS is assumed.
    """
    if fit:
        if fixed := sorted(set(FITTED) & given.keys()):
            raise UsageError(f"--fit finds {fixed[0]}: leave out --set {fixed[0]}, or --fit")
        system, games = fit_fusion(pool, Fusion(**given))
        sentence = f"What moves say was fitted to {games:,} games of newcomers."
        return {**given, **{name: getattr(system, name) for name in FITTED}}, sentence
    name = "ogs" if scale is None else scale
    if name not in SHIPPED and not {"slope", "noise", "half_moves"} <= given.keys():
        raise UsageError(
            f"nothing is shipped of what strengths on the scale {name} are worth: --fit finds it"
        )
    chosen = {**SHIPPED.get(name, {}), **given}
    if "strength" not in given:
        chosen["strength"] = centred_fusion(pool, Fusion(**chosen)).strength
    return (
        chosen,
        f"What moves say is as shipped for strengths on the scale {name}, by ratings of the "
        "Online Go Server; --fit would fit it to these games.",
    )


def moves_priors(
    pool: Pool,
    system: Fusion,
    *,
    average: float = 2300.0,
    join: float | None = None,
    points_per_logit: float = ELO_POINTS_PER_LOGIT,
) -> dict[str, Prior]:
    """Priors for `loose_anchors` of `BradleyTerry`, of the players whose moves are known.

    A list tells no future, so all moves count. It has no newcomers either, whose prior moves
    could replace: what is left when a newcomer's prior is divided out stands alone.

    Args:
        pool: With the columns `yardstone.strength.fusion.MOVE_COLUMNS`.
        system: How moves are believed; its `level` (or `initial`) becomes the average.
        average: Rating of the average player whose moves are known.
        join: That of the list: the deviation of its players around the average, which players with
            a prior of their own would not have.
        points_per_logit: Of the list's scale.
    """
    number, strength = moves_by_player(pool)
    prior = system.moves_prior
    mean, deviation = prior.prior(strength, number)
    precision = 1.0 / np.square(deviation) - 1.0 / prior.base.deviation**2
    says = (number > 0.0) & (precision > 0.0)
    weighted = mean / np.square(deviation) - prior.base.mean / prior.base.deviation**2
    unit = points_per_logit / ELO_POINTS_PER_LOGIT
    with np.errstate(divide="ignore", invalid="ignore"):
        above, width = unit * (weighted / precision - prior.level), unit / np.sqrt(precision)
    priors = {}
    for row in np.flatnonzero(says).tolist():
        one, known = 1.0 / width[row] ** 2, 0.0 if join is None else 1.0 / join**2
        share = one / (one + known)
        priors[pool.players[row]] = Prior(
            average + share * float(above[row]), float((one + known) ** -0.5)
        )
    return priors


@dataclass(frozen=True, slots=True, eq=False)
class RatingSources:
    """Where the present ratings of n players come from; frozen."""

    #: [n]: by results alone, from a newcomer's rating on. They were learned where both together had
    #: put the players.
    results: Floats
    results_deviation: Floats
    #: [n]: by moves alone: a newcomer's where there are none.
    moves: Floats
    moves_deviation: Floats
    number: Longs  #: [n]: how many moves those are.
    #: [n]: the rating.
    both: Floats
    both_deviation: Floats


def rating_sources(rated: RatedGames) -> RatingSources:
    """Take the present ratings under `Fusion` apart, in the order of the ratings.

    Raises `UsageError` if they are not ratings under `Fusion`.
    """
    system = rated.system
    if not isinstance(system, Fusion):
        raise UsageError(f"{rated.name} knows no moves")
    state: State = rated.state  # type: ignore[attr-defined]  # both kinds of kept ratings have it
    both, arrays = system.ratings(state), state.arrays
    number, total = arrays["shown"].T
    shown = np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0.0)
    return RatingSources(
        CENTRE + POINTS * arrays["mu"],
        POINTS * np.sqrt(arrays["phi2"]),
        *system.moves_prior.prior(shown, number),
        number.astype(np.int64),
        both.rating,
        both.deviation,
    )
