"""What a rating system returns: ratings with their uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Floats, Ints, Longs, equal_fields
from yardstone.choices import unknown_player
from yardstone.errors import ModelError, UsageError

if TYPE_CHECKING:
    from yardstone.pool import PairCounts, Pool

System = TypeVar("System", bound=Any)
#: Deviations on either side of an interval of 95 %, as `yardstone rate` prints.
_DEVIATIONS = NormalDist().inv_cdf(0.975)
ALL_DRAWN = 1.0 - 1e-6  #: A draw rate of 1 that still leaves room for the games that were won.


class Status(IntEnum):
    """What kind of rating a player has."""

    NORMAL = 0
    #: Won every game: the rating is a lower bound ("floor").
    PERFECT_WINNER = 1
    #: Lost every game: the rating is an upper bound ("ceiling").
    PERFECT_LOSER = 2
    #: Has no game that counts: the rating is NaN.
    NO_GAMES = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its standard deviation.

    The deviation is 0 if the number was given, not estimated, and NaN if it was estimated
    at the edge of what it can be, as a draw rate is where no game was drawn.
    """

    value: float
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class Effect:
    """How much something beside the two players moves the odds of the first."""

    name: str
    value: float  #: Rating points for each unit.
    deviation: float  #: One standard deviation; 0 if it was given, not estimated.
    low: float  #: Least and largest value in the games, in units.
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """Ratings of players; frozen."""

    players: tuple[str, ...]  #: Names, in the order of the pool.
    rating: Floats  #: (players,): On `scale`; NaN for a player who could not be rated.
    deviation: Floats  #: (players,): One standard deviation, on the same scale; NaN if unknown.
    scale: str = "elo"  #: Name of the scale, for example ``"elo"``.
    covariance: Floats | None = None  #: (players, players): Of the ratings, if it was computed.

    def __len__(self) -> int:
        return len(self.players)

    def __iter__(self) -> Iterator[str]:
        return (self.players[row] for row in self.order())

    def __contains__(self, player: object) -> bool:
        return player in self.players

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, Ratings) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def index(self, player: str) -> int:
        """Number of a player; `UnknownPlayerError` if there is none of that name."""
        try:
            return self.players.index(player)
        except ValueError:
            raise unknown_player(player, self.players) from None

    def __getitem__(self, player: str) -> Estimate:
        row = self.index(player)
        return Estimate(float(self.rating[row]), float(self.deviation[row]))

    def order(self) -> Longs:
        """Numbers of the players from strongest to weakest; unrated ones last."""
        return np.argsort(-self.rating, kind="stable")

    def deviation_of_difference(self) -> Floats:
        """Standard deviation of each difference of two ratings: (players, players)."""
        if self.covariance is None:
            raise ModelError("the covariance was not computed: fit with covariance=True")
        variance = np.diag(self.covariance)
        squared = variance[:, None] + variance[None, :] - 2.0 * self.covariance
        return np.sqrt(np.maximum(squared, 0.0))

    def _uncertainty(self, row: int) -> str:
        """What is printed of a player's deviation: of these no test says what it holds."""
        return f"(deviation {self.deviation[row]:.1f})"

    def __repr__(self) -> str:
        lines = [f"<{type(self).__name__}: {len(self)} players>"]
        shown = self.order()[:10]
        width = max((len(self.players[row]) for row in shown), default=0)
        lines += [
            f"  {self.players[row]:<{width}}  {self.rating[row]:8.1f} {self._uncertainty(row)}"
            for row in shown
        ]
        if len(self) > len(shown):
            lines.append(f"  … and {len(self) - len(shown)} more")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, repr=False)
class JointRatings(Ratings):
    """Ratings from one fit of all games, with what else that fit found."""

    #: (players,): Over the games that were used.
    wins: Floats = field(default_factory=lambda: np.zeros(0))
    draws: Floats = field(default_factory=lambda: np.zeros(0))
    losses: Floats = field(default_factory=lambda: np.zeros(0))
    #: (players,): Values of `Status`.
    status: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    #: (players,): Players of equal number are on a common scale; -1 for a player without games.
    #: Component 0 is the largest. A perfect scorer carries the component of the opponents the bound
    #: was computed from.
    component: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    #: Rating points for moving first; draw rate (0 to 1) of equal opponents.
    first_advantage: Estimate = Estimate(0.0)
    draw_rate: Estimate = Estimate(0.5)
    #: What else bears on a game, one for each of its terms; of these the first is moving first.
    effects: tuple[Effect, ...] = ()
    points_per_logit: float = 175.25  #: Rating points for one unit of log odds (Ordo's 1/beta).
    #: What deviations are relative to: ``"mean"`` of the component, ``"anchor"``, ``"prior"``.
    reference: str = "mean"
    converged_in: int = 0  #: Newton steps taken.
    #: What a reader of the list must know: what cannot be compared, bounds, traps.
    notes: Sequence[str] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)  #: Further results by name.

    def _uncertainty(self, row: int) -> str:
        return f"± {_DEVIATIONS * self.deviation[row]:.1f}"

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n±: 95 % confidence interval"

    @cached_property
    def games(self) -> Floats:
        """Games of each player that were used."""
        return self.wins + self.draws + self.losses

    @cached_property
    def points(self) -> Floats:
        """Points of each player over those games."""
        return self.wins + 0.5 * self.draws

    def ahead(self, counts: PairCounts) -> Floats | float:
        """Rating points that the first player of each pair has beside the ratings."""
        if counts.terms is None:
            return self.first_advantage.value
        return counts.shift([effect.value for effect in self.effects])

    def logits(self, counts: PairCounts) -> Floats:
        """Log odds of the first player of each pair."""
        ahead = self.rating[counts.first] + self.ahead(counts)
        return (ahead - self.rating[counts.second]) / self.points_per_logit

    @property
    def components(self) -> int:
        """Number of groups of players with a common scale."""
        return int(self.component.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class Replay:
    """One pass over a pool in order of time; frozen."""

    expected: Floats  #: Expected score of `first`, before the game was known.
    #: Ratings of both players before the game.
    first_rating: Floats
    second_rating: Floats
    ratings: Ratings  #: After the last game.
    #: Their deviations, where the system has them.
    first_deviation: Floats | None = None
    second_deviation: Floats | None = None
    draw: Floats | None = None  #: Probability of a draw, where the system predicts one.

    def columns(self) -> dict[str, Floats]:
        """What is known of each game, by name: all but the ratings."""
        known = {part.name: getattr(self, part.name) for part in fields(self)}
        return {n: column for n, column in known.items() if n != "ratings" and column is not None}


class Predicts(Protocol):
    """A system that predicts a game of two players from their ratings."""

    def expected_score(
        self, ratings: Any, first: str, second: str, *, advantage: float | None = None
    ) -> float:
        """Expected score of `first`, moving first, against `second`.

        `advantage` are rating points for moving first and handicap, instead of its own.
        Raises InputError for an unknown name.
        """


class JointSystem(Predicts, Protocol):
    """A system that rates all games at once; a frozen dataclass of its parameters."""

    def fit(self, pool: Pool) -> Ratings:
        """Rate the players of a pool."""


class SequentialSystem(Predicts, Protocol):
    """A system that rates games as they come; a frozen dataclass of its parameters."""

    def replay(self, pool: Pool) -> Replay:
        """Predict each game, then learn from it, in order of time."""


#: What a system says of games that do not tell who moved first.
NO_ORDER = "Who moved first is not known, so the first-move advantage is taken as 0."


def without_first_move(system: System) -> System:
    """The system with a first-move advantage of 0 where it would estimate one.

    UsageError if it has an advantage given.
    """
    if system.first_advantage in ("auto", 0.0):
        changed: System = replace(system, first_advantage=0.0)
        return changed
    raise UsageError("the games do not say who moved first: leave out the first-move advantage")


def check_order(system: object, pool: Any) -> None:
    """Raise UsageError for a first-move advantage if the games do not tell who began."""
    advantage = getattr(system, "first_advantage", 0.0)
    if not pool.ordered and advantage != 0.0:
        raise UsageError("the games do not say who moved first: take a first-move advantage of 0")
