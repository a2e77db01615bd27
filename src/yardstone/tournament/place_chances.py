"""How probable a place is before the last round: combinations of results with their chances.

`last_round_needs` counts combinations as if every game were open. Here each weighs what a model
of winning gives it. Strengths are drawn as `tournament simulate` draws them, about the entry
list and corrected by the rounds that are over, so that one player's games belong together.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.tournament.population import known_strength
from yardstone.tournament.scores import Scores
from yardstone.tournament.strength_law import entrants_law
from yardstone.tournament.true_strength import Strengths
from yardstone.tournament.winning_laws import ModelLaw, usual_model, winning_law
from yardstone.winprob.handicap_proposal import Chance
from yardstone.winprob.model_draws import model_draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.last_round import LastRoundNeeds
    from yardstone.tournament.model import Game, Tournament
    from yardstone.tournament.winning_laws import WinningLaw

    Values = NDArray[np.float64]

__all__ = ["PlaceChances", "place_chances"]

#: Strengths, and models, that are drawn; with a fixed seed, so equal files give equal chances.
_STRENGTHS, _MODELS, _SEED = 200, 200, 0


@dataclass(frozen=True)
class PlaceChances:
    """Chances of a place.

    Attributes
    ----------
    model, about : str
        The model of winning, and what it is.
    no_interval : str
        Why there are no intervals, where there are none.
    overall : Chance
        Of the place or a better one.
    results : tuple of (Chance, Chance)
        For each own result of `LastRoundNeeds.results`: its chance, and that of the place
        after it.
    level : float
        Of the intervals.
    """

    model: str
    about: str
    no_interval: str
    overall: Chance
    results: tuple[tuple[Chance, Chance], ...]
    level: float = 0.95


def place_chances(
    tournament: Tournament,
    needs: LastRoundNeeds,
    *,
    win: str | os.PathLike[str] | None = None,
    draw_rate: float = 0.0,
    level: float = 0.95,
) -> PlaceChances:
    """The chances of the place that was asked about.

    Parameters
    ----------
    tournament : Tournament
        Of which `needs` was computed.
    needs : LastRoundNeeds
        With all combinations (`exact`).
    win : str or path, optional
        Model of winning; by default the fitted one, in chess Elo's.
    draw_rate : float
        Of equal players, on rating points.
    level : float
        Of the intervals.

    Raises
    ------
    UsageError
        The combinations were not tried, or there is no such model.
    InputError
        A player has neither grade nor rating, or games can be drawn and no draw rate is given.
    """
    if not needs.exact:
        raise UsageError("chances need all combinations: allow more of them")
    law = winning_law(win or usual_model(tournament), draw_rate=draw_rate)
    points = law.model.scale == "points"
    if points and needs.draws and not draw_rate:
        raise InputError(
            "games can be drawn, and no draw rate is given",
            hint="name that of equal players with --draw-rate (in Python draw_rate=)",
        )
    strength = known_strength(tournament, points=points)
    before = tournament.before(tournament.rounds)
    rng = np.random.default_rng(_SEED)
    noise = rng.standard_normal((_STRENGTHS, len(strength)))

    def shares(law: ModelLaw) -> Values:
        true_law, spread = entrants_law(law, strength)
        known = Strengths.known(
            strength, spread, true_law, Scores.of(before), tournament.rounds - 1
        )
        root = known.root
        drawn = known.mean + (noise * root if root.ndim == 1 else noise @ root.T)
        return _shares(needs, _outcomes(true_law, needs.open_games, drawn, draws=needs.draws))

    middle = shares(law)
    models = model_draws(law.model, _MODELS, rng)
    drawn = [shares(replace(law, model=each)) for each in models]
    low, high = _ends(drawn, level)

    def chance(*at: int) -> Chance:
        if low is None or high is None:
            return Chance(float(middle[at]))
        # Draws may lie to one side of what is most probable; the interval holds that too.
        value = float(middle[at])
        return Chance(value, min(value, float(low[at])), max(value, float(high[at])))

    return PlaceChances(
        law.model.name,
        law.model.about,
        "" if drawn else law.model.no_interval,
        chance(len(needs.results), 1),
        tuple((chance(row, 0), chance(row, 1)) for row in range(len(needs.results))),
        level,
    )


def _ends(drawn: list[Values], level: float) -> tuple[Values | None, Values | None]:
    if not drawn:
        return None, None
    tail = 0.5 * (1.0 - level)
    chances = np.stack(drawn)
    unknown = np.isnan(chances).all(axis=0)  # of the place after a result that cannot be
    ends = np.nanquantile(np.where(unknown, 0.0, chances), [tail, 1.0 - tail], axis=0)
    low, high = np.where(unknown, np.nan, ends)
    return np.asarray(low), np.asarray(high)


def _outcomes(
    law: WinningLaw, games: Sequence[Game], strength: Values, *, draws: bool
) -> list[Values]:
    """For each open game the chances of its results, as in `LastRoundNeeds.places`.

    Each of shape (draws of strengths, results).
    """
    outcomes = []
    for game in games:
        stones = np.full(len(strength), float(game.handicap))
        win, draw = law(strength[:, game.first], strength[:, game.second], stones)
        loss = 1.0 - win - draw
        if draws:
            outcomes.append(np.column_stack([win, loss, draw]))
        else:
            whole = win + loss
            outcomes.append(np.column_stack([win / whole, loss / whole]))
    return outcomes


def _shares(needs: LastRoundNeeds, outcomes: list[Values]) -> Values:
    """Chance of each own result, and of the place after it; in the last row of the place.

    Returns
    -------
    float array (own results + 1, 2)
    """
    reached = (needs.places <= needs.place).astype(np.float64)
    shape = tuple(each.shape[1] for each in outcomes)
    own = needs.own_game
    mean = np.zeros((len(needs.results), 2))
    for row, result in enumerate(needs.results):
        at = None if own is None else _axis_place(needs, own, result.points)
        left = reached.reshape(shape)
        if own is not None and at is not None:
            left = np.take(left, at, axis=own)
        total = np.broadcast_to(left, (len(outcomes[0]), *left.shape))
        for number, each in enumerate(outcomes):
            if number != own:
                weights = each.reshape(*each.shape, *[1] * (total.ndim - 2))
                total = np.asarray((total * weights).sum(axis=1))
        happens = np.ones(len(total)) if own is None else outcomes[own][:, at]
        mean[row] = happens.mean(), (total * happens).mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        after = mean[:, 1] / mean[:, 0]
    return np.vstack([np.column_stack([mean[:, 0], after]), [1.0, mean[:, 1].sum()]])


def _axis_place(needs: LastRoundNeeds, own: int, points: float | None) -> int:
    """Where an own result stands in the order of `LastRoundNeeds.places`."""
    if points == 0.5:
        return 2
    return int((points == 1.0) != (needs.open_games[own].first == needs.player))
