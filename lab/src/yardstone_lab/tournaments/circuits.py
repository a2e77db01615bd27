"""Kaniuk's quality of pairing: how well ratings follow strengths, event after event.

A population of players has true strengths that never change. Tournament after
tournament is played by some of them, results coming from the true strengths, and all
are rated by the rules of the European Go Federation. The rms difference of true and
measured ratings is the quality: the lower, the better (Kaniuk 2011, section 8).

Nobody joins or leaves, so the bonus of these rules lifts all ratings, and by more where
grades are low: much of the difference measures the rules of rating and not the pairing.
What is left when the mean difference is taken off stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.ratings.egf import EGF
from yardstone.tournament.field import EntryList, synthetic_field
from yardstone.tournament.simulation import play
from yardstone.winprob.scales import egf_of_grade, grade_of_egf
from yardstone_lab.tournaments.events import Variant
from yardstone_lab.tournaments.pairing_quality import Quality

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.tournament.field import WinningLaw
    from yardstone.tournament.standings_table import Scores

    Values = NDArray[np.float64]

__all__ = ["Circuit", "CircuitQuality"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitQuality(Quality):
    """Result for one variant, errors in points (100 a grade); see `Quality`.

    Attributes
    ----------
    drift : float
        Mean of measured less true ratings.
    centred : float
        What is left of the rms when the mean difference is taken off.
    scatter : float
        What is left of it when each grade's own mean difference is taken off.
    course : float array (tournaments,)
        rms after each tournament.
    """

    drift: float
    centred: float
    scatter: float
    course: Values


@dataclass(frozen=True, kw_only=True)
class Circuit:
    """The tournaments by which a population is measured.

    Attributes
    ----------
    population : int
        Players in all.
    players, rounds : int
        Of each tournament; its players are drawn by lot.
    tournaments : int
        How many are played one after the other; quality is the mean of the second half.
    lowest, highest : int
        Grades of the population (1 dan = 0).
    weight : float
        Weight of the tournaments in the rating: 1 is class A.
    """

    population: int = 192
    players: int = 48
    rounds: int = 5
    tournaments: int = 80
    lowest: int = -15
    highest: int = 5
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not 2 <= self.players <= self.population:
            raise UsageError("a tournament has two players at least, and not more than there are")
        if self.tournaments < 2 or self.rounds < 1:
            raise UsageError("a circuit needs at least two tournaments of a round")

    def figures(self, variant: Variant, chance: WinningLaw, rng: Generator) -> Values:
        """Play the tournaments, one after the other.

        Players enter each tournament with the grade that their measured rating gives, as
        they do in Europe; the rating before the first tournament is the true one.

        Returns
        -------
        float array (4 * tournaments,)
            rms, drift, centred and scatter after each tournament.
        """
        people = synthetic_field(self.population, rng, lowest=self.lowest, highest=self.highest)
        true = egf_of_grade(people.strength)
        measured = true.copy()
        played = np.zeros(self.population, bool)
        entry_rng, game_rng = rng.spawn(2)
        figures = np.empty((self.tournaments, 4))
        for number in range(self.tournaments):
            chosen = np.sort(entry_rng.choice(self.population, self.players, replace=False))
            played[chosen] = True
            entered = _entered(people, chosen, measured[chosen])
            scores, _ = play(variant.plan(entered, self.rounds, chance), game_rng)
            measured[chosen] = _egf_after(scores, measured[chosen], self.weight)
            figures[number] = _figures(measured[played], true[played])
        return figures.ravel()

    def qualities(self, names: Sequence[str], figures: Values) -> tuple[CircuitQuality, ...]:
        """Means over populations."""
        replicates = len(figures)
        each = figures.reshape(replicates, len(names), self.tournaments, 4)
        later = each[:, :, self.tournaments // 2 :].mean(axis=2)
        rms = later[:, :, 0]
        ahead = rms - rms[:, :1]
        error, ahead_error = (x.std(axis=0, ddof=1) / np.sqrt(replicates) for x in (rms, ahead))
        mean = later.mean(axis=0)
        return tuple(
            CircuitQuality(
                name=name,
                rms=float(mean[k, 0]),
                error=float(error[k]),
                ahead=float(ahead[:, k].mean()),
                ahead_error=float(ahead_error[k]),
                replicates=replicates,
                drift=float(mean[k, 1]),
                centred=float(mean[k, 2]),
                scatter=float(mean[k, 3]),
                course=each[:, k, :, 0].mean(axis=0),
            )
            for k, name in enumerate(names)
        )


def _figures(measured: Values, true: Values) -> tuple[float, float, float, float]:
    """Rms difference, its mean, and what is left without it and without each grade's own."""
    difference = measured - true
    grade = np.round(true / 100.0).astype(np.int64)
    _, group, size = np.unique(grade, return_inverse=True, return_counts=True)
    mean = np.bincount(group, difference) / size
    left = difference - mean[group]
    free = max(len(true) - len(size), 1)
    return (
        float(np.sqrt((difference**2).mean())),
        float(difference.mean()),
        float(difference.std()),
        float(np.sqrt((left**2).sum() / free)),
    )


def _entered(people: EntryList, chosen: NDArray[np.int64], rating: Values) -> EntryList:
    """Some players, with the grades of their measured ratings."""
    return EntryList(
        names=tuple(people.names[row] for row in chosen),
        grade=np.round(grade_of_egf(rating)).astype(np.int64),
        rating=rating,
        strength=people.strength[chosen],
        club=people.club[chosen],
        country=people.country[chosen],
    )


def _egf_after(scores: Scores, before: Values, weight: float) -> Values:
    """Ratings after the games of a tournament, by the rules of the EGF."""
    one, column = np.nonzero((scores.opponent >= 0) & (scores.first == 1))
    two = scores.opponent[one, column]
    pool = Pool(
        players=tuple(str(row) for row in range(len(before))),
        first=one.astype(np.int32),
        second=two.astype(np.int32),
        score=scores.points2[one, column] / 2,
        columns={
            "first_grade": before[one],
            "second_grade": before[two],
            "handicap": -scores.handicap[one, column],
            "event": np.zeros(len(one), np.int64),
        },
    )
    rated = EGF(weight=weight).replay(pool).ratings
    after = before.copy()
    after[[int(name) for name in rated.players]] = rated.rating
    return np.where(np.isfinite(after), after, before)
