"""Who takes part in a joint fit, on which scales, and what is known beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.pool import MANY_PAIRS, PairCounts
from yardstone.ratings._problem import Beliefs, Relations
from yardstone.ratings.connectivity import strong_components, weak_components
from yardstone.ratings.priors import Prior
from yardstone.ratings.result import Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.bradley_terry import BradleyTerry

    Floats = NDArray[np.float64]

__all__ = ["Setup", "prepare"]

#: So many groups are looked at one by one.
_LOOPED = 100


@dataclass(frozen=True)
class Setup:
    """The problem handed to the solver, in units of log odds around `average`.

    `used` holds the pairs inside components only. Vectors over unknowns have one
    entry a player, then the first-move advantage, then the draw parameter.
    """

    average: float
    points_per_logit: float
    counts: PairCounts
    used: PairCounts
    status: NDArray[np.int8]
    component: NDArray[np.int32]
    component_count: int
    #: Components whose level is free: centred on `average`.
    floating: NDArray[np.bool_]
    #: Floating component of each rated player, -1 for all others.
    level: NDArray[np.int32]
    anchor: int | None
    reference: str
    likelihood: bool
    draw_rate_estimated: bool
    start: Floats
    free: NDArray[np.bool_]
    fixed: NDArray[np.bool_]
    beliefs: Beliefs

    def to_points(self, x: Floats) -> Floats:
        """Ratings in points, each floating component centred; NaN for the others."""
        rating = self.average + self.points_per_logit * x
        rated = self.rated
        floating = np.flatnonzero(self.floating)
        for number in floating[:_LOOPED]:
            members = rated & (self.component == number)
            rating[members] += self.average - rating[members].mean()
        if len(floating) > _LOOPED:  # all others at once
            rest = rated & (self.component >= floating[_LOOPED])
            rest[rest] = self.floating[self.component[rest]]
            group = self.component[rest]
            mean = np.bincount(group, rating[rest]) / np.maximum(np.bincount(group), 1)
            rating[rest] += self.average - mean[group]
        rating[~rated] = np.nan
        return rating

    def shift_to_anchor(self, rating: Floats) -> None:
        """Move the anchor's component so that the anchor stands at `average`."""
        if self.anchor is None or not self.holds_anchor():
            return
        members = self.component == self.component[self.anchor]
        rating[members] += self.average - rating[self.anchor]

    def holds_anchor(self) -> bool:
        """Whether the anchor's component is free to move."""
        if self.anchor is None:
            return False
        number = self.component[self.anchor]
        return bool(number >= 0 and (number >= len(self.floating) or self.floating[number]))

    @property
    def rated(self) -> NDArray[np.bool_]:
        """Players with a rating of their own (not a bound)."""
        return np.asarray(self.status == Status.NORMAL)

    def lonely(self) -> NDArray[np.bool_]:
        """Rated players on a scale of their own, about whom nothing is known."""
        size = np.bincount(self.component[self.rated], minlength=self.component_count)
        alone = self.rated & (size[self.component] == 1)
        return np.asarray(alone & ~self.fixed & (self.beliefs.precision[: len(alone)] == 0.0))

    def notes(self) -> tuple[str, ...]:
        """What a reader of the list must know."""
        notes = []
        if self.component_count > 1:
            notes.append(
                f"{self.component_count} groups of players cannot be compared: "
                "ratings are comparable only within a group."
            )
        for kind, text in (
            (Status.PERFECT_WINNER, "won every game: the rating is a lower bound."),
            (Status.PERFECT_LOSER, "lost every game: the rating is an upper bound."),
        ):
            number = int((self.status == kind).sum())
            if number:
                notes.append(f"{number} player{'s' if number > 1 else ''} {text}")
        if self.anchor is not None and not self.holds_anchor():
            notes.append("The anchor has no effect: priors or fixed ratings set the level.")
        return tuple(notes)


def _numbers(players: tuple[str, ...], names: Iterable[str], what: str) -> dict[str, int]:
    wanted = set(names)
    rows = {name: row for row, name in enumerate(players) if name in wanted}
    missing = sorted(wanted - rows.keys())
    if missing:
        raise InputError(
            f"{what} {missing[0]!r} has no games", hint="check spelling, capitals and spaces"
        )
    return rows


def _status(system: BradleyTerry, totals: Floats, exempt: NDArray[np.bool_]) -> NDArray[np.int8]:
    games = totals.sum(axis=1)
    status = np.zeros(len(totals), np.int8)
    if system.join is None:
        status[(totals[:, 0] == games) & ~exempt] = Status.PERFECT_WINNER
        status[(totals[:, 2] == games) & ~exempt] = Status.PERFECT_LOSER
    status[games == 0] = Status.NO_GAMES
    return status


def _place_perfect(
    counts: PairCounts, status: NDArray[np.int8], component: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Give perfect scorers the component of most of their opponents.

    Those who met only perfect scorers form components of their own.
    """
    placed = component.copy()
    perfect = np.flatnonzero((status == Status.PERFECT_WINNER) | (status == Status.PERFECT_LOSER))
    if not len(perfect):
        return placed
    is_perfect = np.zeros(counts.players, np.bool_)
    is_perfect[perfect] = True
    counts = counts.select(is_perfect[counts.first] | is_perfect[counts.second])
    source = np.concatenate([counts.first, counts.second])
    target = np.concatenate([counts.second, counts.first])
    games = np.concatenate([counts.games, counts.games])
    kept = is_perfect[source] & (component[target] >= 0)
    weight: dict[int, dict[int, float]] = {}
    for player, other, number in zip(source[kept], target[kept], games[kept], strict=True):
        tally = weight.setdefault(int(player), {})
        label = int(component[other])
        tally[label] = tally.get(label, 0.0) + float(number)
    for player, tally in weight.items():
        placed[player] = min(tally, key=lambda label: (-tally[label], label))
    alone = is_perfect & (placed < 0)
    if alone.any():
        extra = weak_components(counts, alone)
        placed[alone] = extra[alone] + int(placed.max(initial=-1)) + 1
    return placed


def prepare(system: BradleyTerry, players: tuple[str, ...], counts: PairCounts) -> Setup:
    """Sort players into components and write down all priors as numbers."""
    n = counts.players
    logit = system.points_per_logit
    anchor = None
    if system.anchor is not None:
        anchor = _numbers(players, [system.anchor], "the anchor")[system.anchor]
    fixed_at = _numbers(players, system.anchors, "the anchor")
    loose_at = _numbers(players, system.loose_anchors, "the loose anchor")
    ends = [end for relation in system.relations for end in (relation.player, relation.other)]
    related = _numbers(players, ends, "the relation's player")

    fixed = np.zeros(n, np.bool_)
    fixed[list(fixed_at.values())] = True
    exempt = fixed.copy()
    exempt[[*loose_at.values(), *related.values()]] = True
    totals = counts.player_totals()
    status = _status(system, totals, exempt)
    absent = [name for name, row in (fixed_at | loose_at).items() if status[row] == Status.NO_GAMES]
    if anchor is not None and status[anchor] == Status.NO_GAMES:
        absent.append(players[anchor])
    if absent:
        raise InputError(f"the anchor {absent[0]!r} has no games")

    start = np.zeros(n + 2)
    mean = np.zeros(n + 2)
    precision = np.zeros(n + 2)
    for name, row in fixed_at.items():
        start[row] = (system.anchors[name] - system.average) / logit
    if system.join is not None:
        precision[:n] = (logit / system.join) ** 2
    for name, row in loose_at.items():
        prior = system.loose_anchors[name]
        mean[row] = (prior.mean - system.average) / logit
        precision[row] = (logit / prior.deviation) ** 2
        start[row] = start[row] if fixed[row] else mean[row]
    if isinstance(system.first_advantage, Prior):
        start[n] = mean[n] = system.first_advantage.mean / logit
        precision[n] = (logit / system.first_advantage.deviation) ** 2
    elif system.first_advantage != "auto":
        start[n] = system.first_advantage / logit
    if isinstance(system.draw_rate, Prior):
        mean[n + 1] = system.draw_rate.mean
        precision[n + 1] = system.draw_rate.deviation**-2

    active = status == Status.NORMAL
    relations = [
        relation
        for relation in system.relations
        if active[related[relation.player]] and active[related[relation.other]]
    ]
    relation_player = np.array([related[r.player] for r in relations], np.int32)
    relation_other = np.array([related[r.other] for r in relations], np.int32)
    grounded = np.flatnonzero(active & (fixed | (precision[:n] > 0.0)))
    ties = np.column_stack(
        [
            np.concatenate([relation_player, grounded[:-1]]),
            np.concatenate([relation_other, grounded[1:]]),
        ]
    ).astype(np.int32)
    component = strong_components(counts, active, ties=ties, names=players)
    components = int(component.max(initial=-1)) + 1
    floating = np.ones(components, np.bool_)
    floating[component[grounded]] = False
    level = np.full(n, -1, np.int32)
    level[active] = np.where(floating[component[active]], component[active], -1)
    keep = np.empty(len(counts.first), np.bool_)
    begin = 0
    for part in counts.blocks():
        same = component[part.first] == component[part.second]
        keep[begin : begin + len(same)] = same & active[part.first] & active[part.second]
        begin += len(same)
    used = counts.emptied(keep) if len(keep) >= MANY_PAIRS else counts.select(keep)
    component = _place_perfect(counts, status, component)

    # A floating player starts where the score against average opponents would put him.
    points = totals[:, 0] + 0.5 * totals[:, 1]
    odds = np.log((points + 0.5) / (totals.sum(axis=1) - points + 0.5))
    start[:n] = np.where(level >= 0, odds, start[:n])

    free = np.zeros(n + 2, np.bool_)
    free[:n] = active & ~fixed
    free[n] = system.first_advantage == "auto" or isinstance(system.first_advantage, Prior)
    if precision[:n].any():
        reference = "prior"
    elif fixed.any() or (anchor is not None and system.reference == "anchor"):
        reference = "anchor"
    else:
        reference = "mean"
    return Setup(
        average=system.average,
        points_per_logit=logit,
        counts=counts,
        used=used,
        status=status,
        component=component,
        component_count=int(component.max(initial=-1)) + 1,
        floating=floating,
        level=level,
        anchor=anchor,
        reference=reference,
        likelihood=system.likelihood,
        draw_rate_estimated=not isinstance(system.draw_rate, float | int),
        start=start,
        free=free,
        fixed=fixed,
        beliefs=Beliefs(
            mean,
            precision,
            Relations(
                relation_player,
                relation_other,
                np.array([r.difference / logit for r in relations], np.float64),
                np.array([(logit / r.deviation) ** 2 for r in relations], np.float64),
            ),
        ),
    )
