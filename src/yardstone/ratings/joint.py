"""Who takes part in a joint fit, on which scales, and what is known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import check_fields
from yardstone.errors import InputError, UsageError
from yardstone.pool import MANY_PAIRS, PairCounts
from yardstone.ratings._joint import bound_perfect
from yardstone.ratings.connectivity import strong_components
from yardstone.ratings.graph import Beliefs, Relations
from yardstone.ratings.result import Estimate, JointRatings, Status
from yardstone.winprob.laws import bisect, logistic, logit

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Ints
    from yardstone.ratings.bradley_terry import BradleyTerry


_PERFECT = (Status.PERFECT_WINNER, Status.PERFECT_LOSER)
_LOOPED = 100  #: So many groups are looked at one by one.


@dataclass(frozen=True)
class Setup:
    """The problem handed to the solver, in units of log odds around `average`.

    `used` holds the pairs inside components. Vectors over unknowns have one entry a player, then
    the first-move advantage, then the draw parameter.
    """

    system: BradleyTerry
    counts: PairCounts
    used: PairCounts
    status: NDArray[np.int8]
    component: Ints
    component_count: int
    floating: Flags  #: Components whose level is free: centred on `average`.
    #: Floating component of each rated player, -1 for all others.
    level: Ints
    anchor: int | None
    reference: str
    start: Floats
    free: Flags
    fixed: Flags
    beliefs: Beliefs

    def to_points(self, x: Floats) -> Floats:
        """Ratings in points, each floating component centred; NaN for the others."""
        rating = self.system.average + self.system.points_per_logit * x
        rated = self.rated
        floating = np.flatnonzero(self.floating)
        for number in floating[:_LOOPED]:
            members = rated & (self.component == number)
            rating[members] += self.system.average - rating[members].mean()
        if len(floating) > _LOOPED:  # all others at once
            rest = rated & (self.component >= floating[_LOOPED])
            rest[rest] = self.floating[self.component[rest]]
            group = self.component[rest]
            mean = np.bincount(group, rating[rest]) / np.maximum(np.bincount(group), 1)
            rating[rest] += self.system.average - mean[group]
        rating[~rated] = np.nan
        return rating

    def shift_to_anchor(self, rating: Floats) -> None:
        """Move the anchor's component so that the anchor stands at `average`."""
        if self.anchor is None or not self.holds_anchor():
            return
        members = self.component == self.component[self.anchor]
        rating[members] += self.system.average - rating[self.anchor]

    def holds_anchor(self) -> bool:
        """Whether the anchor's component is free to move."""
        if self.anchor is None:
            return False
        number = self.component[self.anchor]
        return bool(number >= 0 and (number >= len(self.floating) or self.floating[number]))

    @property
    def draw_rate_estimated(self) -> bool:
        """Whether the draw rate is not given."""
        return not isinstance(self.system.draw_rate, float | int)

    @property
    def rated(self) -> Flags:
        """Players with a rating of their own (not a bound)."""
        return np.asarray(self.status == Status.NORMAL)

    def lonely(self) -> Flags:
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


def _place_perfect(counts: PairCounts, status: NDArray[np.int8], component: Ints) -> Ints:
    """Give perfect scorers the component of most of their opponents, or else one of their own."""
    placed = component.copy()
    is_perfect = np.isin(status, _PERFECT)
    if not is_perfect.any():
        return placed
    counts = counts.select(is_perfect[counts.first] | is_perfect[counts.second])
    source = np.concatenate([counts.first, counts.second])
    target = np.concatenate([counts.second, counts.first])
    games = np.concatenate([counts.games, counts.games])
    kept = is_perfect[source] & (component[target] >= 0)
    groups = int(component.max(initial=-1)) + 1
    met = source[kept].astype(np.int64) * groups + component[target[kept]]
    pair, where = np.unique(met, return_inverse=True)
    player, label = np.divmod(pair, max(groups, 1))
    number = np.bincount(where, games[kept], len(pair))
    order = np.lexsort((label, -number, player))
    who, first = np.unique(player[order], return_index=True)
    placed[who] = label[order][first]
    alone = is_perfect & (placed < 0)
    if alone.any():
        extra = strong_components(counts, alone, weak=True)
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
    games = totals.sum(axis=1)
    status = np.zeros(n, np.int8)
    if system.join is None:
        status[(totals[:, 0] == games) & ~exempt] = Status.PERFECT_WINNER
        status[(totals[:, 2] == games) & ~exempt] = Status.PERFECT_LOSER
    status[games == 0] = Status.NO_GAMES
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
    if counts.terms is not None:
        pass  # moving first is one of the effects
    elif isinstance(system.first_advantage, Prior):
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
    ends_of_ties = (relation_player, grounded[:-1]), (relation_other, grounded[1:])
    ties = np.column_stack([np.concatenate(each) for each in ends_of_ties]).astype(np.int32)
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
    odds = np.log((points + 0.5) / (games - points + 0.5))
    start[:n] = np.where(level >= 0, odds, start[:n])

    free = np.zeros(n + 2, np.bool_)
    free[:n] = active & ~fixed
    estimated = system.first_advantage == "auto" or isinstance(system.first_advantage, Prior)
    free[n] = estimated and counts.terms is None
    if precision[:n].any():
        reference = "prior"
    elif fixed.any() or (anchor is not None and system.reference == "anchor"):
        reference = "anchor"
    else:
        reference = "mean"
    return Setup(
        system=system,
        counts=counts,
        used=used,
        status=status,
        component=component,
        component_count=int(component.max(initial=-1)) + 1,
        floating=floating,
        level=level,
        anchor=anchor,
        reference=reference,
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


@dataclass(frozen=True, slots=True)
class Prior:
    """A Gaussian belief: `mean` with standard `deviation`, which must be positive.

    In rating points for ratings and the first-move advantage, from 0 to 1 for the draw rate.
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.deviation > 0.0:
            raise UsageError(f"a prior needs a positive deviation, not {self}")


@dataclass(frozen=True, slots=True)
class Relation:
    """A belief about two players: `player` is `difference` points above `other`.

    Ordo's relative anchors (switch ``-r``); `deviation` must be positive.
    """

    player: str
    other: str
    difference: float
    deviation: float

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.deviation > 0.0:
            raise UsageError(f"a relation needs a positive deviation, not {self}")


class PlayerPriors(Mapping[str, Prior]):
    """What is known of some players before their first game; frozen.

    Strength from the moves of earlier games, or a grade from elsewhere. Everyone else
    is a newcomer.

    Args:
        priors (mapping of str to Prior, or to (mean, deviation)): By name, in points of the system
            that takes them.

    Examples:
        >>> PlayerPriors({"Ann": (1800.0, 120.0)})["Ann"]
        Prior(mean=1800.0, deviation=120.0)
    """

    __slots__ = ("_digest", "_priors")

    def __init__(self, priors: Mapping[str, Prior | tuple[float, float]]) -> None:
        import hashlib

        self._priors = {
            name: prior if isinstance(prior, Prior) else Prior(float(prior[0]), float(prior[1]))
            for name, prior in priors.items()
        }
        text = repr(sorted((name, p.mean, p.deviation) for name, p in self._priors.items()))
        self._digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def __getitem__(self, name: str) -> Prior:
        return self._priors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._priors)

    def __len__(self) -> int:
        return len(self._priors)

    @staticmethod
    def check(priors: object) -> None:
        """Raise UsageError for what is neither None nor priors of players."""
        if priors is not None and not isinstance(priors, PlayerPriors):
            raise UsageError(f"priors of players are given as PlayerPriors, not as {priors!r}")

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        # Short, but different for different priors: a state must know what made it.
        return f"<PlayerPriors: {len(self)} players, {self._digest}>"

    def arrays(self, players: tuple[str, ...], prior: Prior) -> Floats:
        """Mean and deviation of each player, `prior` for those not named: (players, 2)."""
        table = np.empty((len(players), 2))
        table[:] = prior.mean, prior.deviation
        for row, name in enumerate(players):
            if (own := self._priors.get(name)) is not None:
                table[row] = own.mean, own.deviation
        return table


def squared_spread(draw_rate: float) -> float:
    """((1 - d0)/d0)^2, the parameter of the loops; -1 ("no draws") at d0 = 0."""
    return ((1.0 - draw_rate) / draw_rate) ** 2 if draw_rate > 0.0 else -1.0


def davidson_root(p: Floats, u2: float) -> Floats:
    """S of Davidson's law at the expected scores; infinite without draws (u2 < 0)."""
    if u2 < 0.0:
        return np.full_like(p, np.inf)
    return np.asarray(np.sqrt((1.0 - 2.0 * p) ** 2 + 4.0 * u2 * (p * (1.0 - p))))


def unbiased_draw_rate(ratings: JointRatings, counts: PairCounts) -> Estimate:
    """The draw rate freed of what fitting the ratings did to it.

    Fitted ratings differ more than the true ones, so draws look too frequent. The correction is one
    step of the likelihood adjusted for its other parameters (Cox and Reid 1987). Rates that were
    given, or lie at an edge, stay.
    """
    rate, deviation = ratings.draw_rate.value, ratings.draw_rate.deviation
    if not (deviation > 0.0 and 0.0 < rate < 1.0):
        return ratings.draw_rate
    points, u2 = ratings.points_per_logit, squared_spread(rate)
    push = 0.0
    for part in counts.blocks():
        i, j = part.first, part.second
        x = ratings.logits(part)
        spread = ratings.deviation[i] ** 2 + ratings.deviation[j] ** 2
        if ratings.covariance is not None:
            spread = spread - 2.0 * ratings.covariance[i, j]
        same = ratings.component[i] == ratings.component[j]
        known = np.isfinite(x) & np.isfinite(spread) & same
        p = logistic(x[known])
        variance = p * (1.0 - p)
        root = davidson_root(p, u2)
        fall = part.games[known] * 4.0 * u2 * variance**2 / root**3
        push += float(fall @ (spread[known] + ratings.first_advantage.deviation**2) / points**2)
    step = 0.5 * push * (deviation / (rate * (1.0 - rate))) ** 2
    corrected = logistic(logit(rate) - min(step, 1.0))
    scale = corrected * (1.0 - corrected) / (rate * (1.0 - rate))
    return Estimate(float(corrected), float(deviation * scale))


def draw_rate_interval(
    ratings: JointRatings, counts: PairCounts, confidence: float, estimate: Estimate | None = None
) -> tuple[float, float]:
    """Ends of the interval of the draw rate of equal opponents, 0 to 1.

    `estimate` is what `unbiased_draw_rate` gives, if that is known already.
    Symmetric in the log odds. Where no game was drawn, from 0 to the rate at which that had the
    probability 1 - `confidence`.
    """
    from yardstone.clusters import half_width

    estimate = estimate or unbiased_draw_rate(ratings, counts)
    rate, deviation = estimate.value, estimate.deviation
    if deviation > 0.0 and 0.0 < rate < 1.0:
        reach = half_width(confidence) * deviation / (rate * (1.0 - rate))
        low, high = logistic(logit(rate) + np.array([-reach, reach]))
        return float(low), float(high)
    if deviation == 0.0:
        return rate, rate
    if rate > 0.0:
        return 0.0, 1.0
    x = ratings.logits(counts)
    known = np.isfinite(x)
    p = logistic(x[known])
    variance, games = p * (1.0 - p), counts.games[known]

    def improbable(rate: float) -> bool:
        root = davidson_root(p, squared_spread(rate))
        none = float((games * np.log1p(-4.0 * variance / (1.0 + root))).sum())
        return bool(none <= np.log(1.0 - confidence))

    return 0.0, float(bisect(improbable, 0.0, 1.0))


def rate_perfect(setup: Setup, rating: Floats, ahead: Floats | float, draw_rate: float) -> None:
    """Fill in, in place, a floor or ceiling for everyone with a perfect score.

    `ahead` are the points of the first player of each pair beside the ratings.
    In order of the players' numbers, as Ordo does: a perfect opponent counts with his bound if he
    has one already, else with the average.
    """
    system = setup.system
    scale = system.points_per_logit, squared_spread(draw_rate), system.average
    chance = -1.0 if system.bounds == "ordo" else 0.5
    results = _perfect_results(setup.status, setup.counts, ahead)
    bound_perfect(*results, *scale, chance, rating, rating)


def perfect_limits(ratings: JointRatings, counts: PairCounts, confidence: float) -> Floats:
    """What perfect scorers' ratings are at least, or at most, NaN for others: (players,).

    There the perfect score against the rated opponents has the probability 1 - `confidence`.
    """
    limit = np.full(len(ratings), np.nan)
    known = np.where(ratings.status == Status.NORMAL, ratings.rating, np.nan)
    u2 = squared_spread(ratings.draw_rate.value)
    scale = ratings.points_per_logit, u2, np.nan
    results = _perfect_results(ratings.status, counts, ratings.ahead(counts))
    bound_perfect(*results, *scale, 1.0 - confidence, known, limit)
    return limit


def _perfect_results(
    status: NDArray[np.int8], counts: PairCounts, ahead: Floats | float
) -> tuple[NDArray[Any], ...]:
    """Perfect scorers, whether each won, where his results end, and the results, his own together.

    Of these the opponent, the number of games, and the points the opponent had beside his rating.
    """
    perfect = np.isin(status, _PERFECT)
    keep = perfect[counts.first] | perfect[counts.second]
    counts, ahead = counts.select(keep), np.broadcast_to(ahead, len(keep))[keep]
    one, other = perfect[counts.first], perfect[counts.second]
    player = np.concatenate([counts.first[one], counts.second[other]])
    opponent = np.concatenate([counts.second[one], counts.first[other]])
    games = np.concatenate([counts.games[one], counts.games[other]]).astype(np.float64)
    order = np.argsort(player, kind="stable")
    chosen = np.flatnonzero(perfect)
    end = np.searchsorted(player[order], chosen, side="right")
    won = (status[chosen] == Status.PERFECT_WINNER).astype(np.uint8)
    against = np.concatenate([-ahead[one], ahead[other]])
    return chosen, won, end, opponent[order], games[order], against[order]
