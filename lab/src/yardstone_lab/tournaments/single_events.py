"""What the games of one event tell: the error of the best use that can be made of them.

Players enter with grades; their true strengths scatter about these, as they do in the
European list. After the event the most probable strengths are computed from the grades
and all results, by the very distribution and win probability that the event was drawn
from. What is left of the error is due to chance and to who met whom, and to nothing else:
no system of ratings adds drift or bias of its own, and since all variants have the same
players and grades, what grades tell counts for none of them.

The standings are judged by pairs of players of one grade: of them the entry list tells
nothing, so who of the two comes ahead is decided by games alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.tournament.field import GRADE_SPREAD, LOWEST_GRADE, GamesOver, most_probable
from yardstone.tournament.forecast import final_criteria, places_of
from yardstone.tournament.simulation import play, state_after
from yardstone.tournament.standings_table import criterion
from yardstone_lab.tournaments.events import EventSize, Variant
from yardstone_lab.tournaments.pairing_quality import Quality

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.tournament.field import WinningLaw

    Values = NDArray[np.float64]

__all__ = ["EventQuality", "SingleEvents"]

#: Figures of one event: mean squared error of grades and of estimates, pairs of players of
#: one grade, and those of them in the true order.
_ENTRY, _ESTIMATE, _PAIRS, _RIGHT = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuality(Quality):
    """Result for one variant, errors in grades; see `Quality`.

    Attributes
    ----------
    entry : float
        Root mean square error of the grades at entry, the same for all variants.
    order, order_error : float
        Share of pairs of players of one grade whom the standings put in the true order,
        those who share a place counting half; and its standard error.
    order_ahead, order_ahead_error : float
        The same less that of the first variant, paired by event.
    pairs : int
        Number of such pairs.
    """

    entry: float
    order: float
    order_error: float
    order_ahead: float
    order_ahead_error: float
    pairs: int

    @property
    def explained(self) -> float:
        """Share of the variance of strengths about grades that the games explain."""
        return 1.0 - (self.rms / self.entry) ** 2


@dataclass(frozen=True, kw_only=True)
class SingleEvents(EventSize):
    """Events, each of players of its own."""

    def __post_init__(self) -> None:
        EventSize.__post_init__(self)
        if not self.spread > 0.0:
            raise UsageError("strengths that do not differ from the grades are known already")

    def figures(self, variant: Variant, chance: WinningLaw, rng: Generator) -> Values:
        """Play one event."""
        entered, law = self.entries(rng), self.between_strengths(chance)
        plan = variant.plan(entered, self.rounds, law)
        scores, true = play(plan, rng.spawn(1)[0])
        grade = entered.grade.astype(np.float64)
        deviation = self.spread * GRADE_SPREAD[entered.grade - LOWEST_GRADE]
        games = GamesOver.of(scores, self.rounds, law)
        estimate, _ = most_probable(games, grade, deviation)
        state = state_after(scores, self.rounds)
        names = final_criteria(plan, None)
        system = plan.tournament.system
        place, _ = places_of(
            np.column_stack([criterion(name, system).values(state) for name in names])
        )
        one, two = np.triu_indices(self.players, 1)
        same = entered.grade[one] == entered.grade[two]
        one, two = one[same], two[same]
        agree = np.sign(place[two] - place[one]) * np.sign(true[one] - true[two])
        return np.array(
            [
                ((grade - true) ** 2).mean(),
                ((estimate - true) ** 2).mean(),
                len(one),
                (0.5 + 0.5 * agree).sum(),
            ]
        )

    def qualities(self, names: Sequence[str], figures: Values) -> tuple[EventQuality, ...]:
        """Means over events, their errors by the delta method."""
        squared = figures[:, :, _ESTIMATE]
        rms = np.sqrt(squared.mean(axis=0))
        off = (squared - squared.mean(axis=0)) / (2.0 * rms)
        pairs, right = figures[:, 0, _PAIRS], figures[:, :, _RIGHT]
        total = float(pairs.sum())
        # Without two players of one grade there is no order to judge: NaN.
        order = right.sum(axis=0) / total if total else np.full(len(names), np.nan)
        order_off = (right - order * pairs[:, None]) * (len(pairs) / total if total else np.nan)
        return tuple(
            EventQuality(
                name=name,
                rms=float(rms[k]),
                error=_mean_error(off[:, k]),
                ahead=float(rms[k] - rms[0]),
                ahead_error=_mean_error(off[:, k] - off[:, 0]),
                replicates=len(figures),
                entry=float(np.sqrt(figures[:, 0, _ENTRY].mean())),
                order=float(order[k]),
                order_error=_mean_error(order_off[:, k]),
                order_ahead=float(order[k] - order[0]),
                order_ahead_error=_mean_error(order_off[:, k] - order_off[:, 0]),
                pairs=int(total),
            )
            for k, name in enumerate(names)
        )


def _mean_error(values: Values) -> float:
    """Standard error of the mean of values whose mean is 0."""
    n = len(values)
    return float(np.sqrt((values**2).sum() / (n - 1) / n))
