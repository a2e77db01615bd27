"""What a player's moves say on each scale of a model, and which of them says most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.strength.estimate.listed_moves import IndicativeMove, indicative_moves
from yardstone.strength.estimate.strengths import Rated, RatedGame, Rater

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.losses import Losses
    from yardstone.strength.estimate.games import EvaluatedGame
    from yardstone.strength.evidence import Evidence
    from yardstone.strength.model import StrengthModel

__all__ = ["Measured", "best_basis", "contradictory", "measured_on", "supported_scales"]

#: What the scale of OGS says of players of Fox, by their strength there: the mean of 17,000 sides
#: (docs/studies/ogs-ranks-tables.md).
_FOX = (-2.5, 0.0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5)
_OGS_OF_FOX = (-6.7, -5.6, -4.5, -3.5, -2.8, -1.9, -1.2, -0.7, -0.4, -0.1)
#: So many ranks below that the scales contradict each other: of players of Fox 19 in 20 keep a
#: rank, and of people of 10 kyu or weaker at OGS 1 in 70 is called a dan
#: (docs/studies/joint-model.md).
_APART = 1.75
#: From this strength at Fox on, OGS has hardly anybody to compare with: being like nobody there
#: contradicts nothing.
_BEYOND_OGS = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What the moves say on one of the model's scales.

    Attributes
    ----------
    whole : Rated
        From all moves.
    probabilities : float64 [g]
        Of the scale's groups of ranks, the weakest first.
    phases : tuple of (str, Rated)
        What all moves would say if they looked as those of each phase do.
    games : tuple of RatedGame
        In the order of their dates; those without a date come last.
    indicative : tuple of IndicativeMove
        The moves that say most of strength and more than noise, the loudest first.
    checked : bool
        Whether the intervals were checked on players.
    """

    whole: Rated
    probabilities: NDArray[np.float64]
    phases: tuple[tuple[str, Rated], ...]
    games: tuple[RatedGame, ...]
    indicative: tuple[IndicativeMove, ...]
    checked: bool


def measured_on(
    model: StrengthModel,
    scale: str,
    level: float,
    evidence: Evidence,
    games: Sequence[tuple[EvaluatedGame, int]],
    losses: Sequence[Losses],
) -> Measured:
    """What the moves of some games say on a scale; `losses` are those of the player's moves."""
    rater = Rater(model, level, scale)
    whole, probabilities = rater.whole(evidence)
    return Measured(
        whole=whole,
        probabilities=probabilities,
        phases=rater.phases(evidence),
        games=rater.games(evidence, games),
        indicative=indicative_moves(evidence, model, games, losses, scale),
        checked=scale in (model.card.get("intervals") or {}),
    )


def supported_scales(model: StrengthModel, level: float) -> list[str]:
    """The scales of a model on which players speak for intervals of a level.

    Raises
    ------
    UsageError
        Too few do on any of them.
    """
    supported, refused = [], None
    for name in model.scales:
        try:
            Rater(model, level, name)
            supported.append(name)
        except UsageError as error:
            refused = refused or error
    if refused is not None and not supported:
        raise refused
    return supported


def best_basis(model: StrengthModel, rated: Mapping[str, Rated]) -> str:
    """The scale of a model that tells a player's strength best.

    That is the first one, unless the player is in its weakest group or like nobody whom the
    model knows there, and it has another scale.
    """
    first, *others = rated
    weak = rated[first].rating < model.scale(first).edges[1]
    return others[0] if others and (weak or rated[first].unlikely) else first


def contradictory(rated: Mapping[str, Rated], basis: str) -> bool:
    """Whether the scales of Fox and OGS contradict each other, so that neither is to be believed.

    They do where OGS sees a far weaker player than one of Fox, or, below 8 dan, one like
    nobody there.

    Parameters
    ----------
    rated : mapping of str to Rated
        The strength on each scale of a model.
    basis : str
        What `best_basis` says of them.
    """
    if "ogs" not in rated or "fox" not in rated:
        return False
    if basis != "fox":
        return rated["ogs"].unlikely
    if rated["ogs"].unlikely:
        return rated["fox"].rating < _BEYOND_OGS
    usual = float(np.interp(rated["fox"].rating, _FOX, _OGS_OF_FOX))
    return rated["ogs"].rating < usual - _APART
