"""Hiddema's test of tie-breaks: how often the stronger of two tied players comes ahead.

Tournaments of synthetic players are played from strengths that the organiser does not
know. Every two players who end with the same main score (McMahon score or wins) are a
question; a tie-break answers it rightly if the truly stronger one comes out ahead.
Kaniuk 2011, section 7, proposes it with his win probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from yardstone import parallel
from yardstone.errors import UsageError
from yardstone.tournament.model import System
from yardstone.tournament.simulation import SimulationPlan, play, state_after
from yardstone.tournament.standings_table import criterion
from yardstone_lab.tournaments.pairing import EventSize, Variant

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.tournament.field import WinningLaw
    from yardstone.tournament.standings_table import Scores

    Values = NDArray[np.float64]

__all__ = [
    "CANDIDATES",
    "DIRECT",
    "FairPairs",
    "TournamentSetting",
    "TiebreakScore",
    "TiebreakComparison",
    "compare_tiebreaks",
]

#: The result of the game between the two, where they met.
DIRECT = "direct result"
CANDIDATES = (
    "SOS", "SOS-1", "SOS-2", "SOSOS", "SODOS", "CUSS", "SOSW", "EXR", DIRECT, "RATING",
)  # fmt: skip
#: Who is asked about: all who are tied, those of them who also began with the same
#: score, or those tied for the first place.
AMONG = ("all", "same-start", "top")
_CHUNK = 20


@dataclass(frozen=True, kw_only=True)
class TournamentSetting(EventSize):
    """The tournaments of a test."""

    system: System = System.mcmahon  #: McMahon, Swiss or round robin.
    bar: int = 2  #: `bar`, `floor`: grades of the bar and the floor (1 dan = 0).
    floor: int = -20

    def plan(self, chance: WinningLaw, rng: Generator) -> SimulationPlan:
        """A fresh tournament of this kind."""
        variant = Variant(name="", system=self.system, bar=self.bar, floor=self.floor)
        return variant.plan(self.entries(rng), self.rounds, self.between_strengths(chance))


@dataclass(frozen=True, slots=True)
class TiebreakScore:
    """How one tie-break did."""

    name: str  #: Of the criterion.
    #: `right`, `wrong`, `tied`: pairs that it put in the true order, in the other one, and left
    #: tied.
    right: int
    wrong: int
    tied: int
    #: `value`, `error`: share of pairs in the true order, those left tied counting half, as by lot;
    #: and its standard error over tournaments.
    value: float
    error: float
    #: `ahead`, `ahead_error`: the same less that of the first candidate, paired by tournament.
    ahead: float
    ahead_error: float

    @property
    def pairs(self) -> int:
        """Number of questions."""
        return self.right + self.wrong + self.tied

    @property
    def decided(self) -> float:
        """Share of pairs that are not left tied."""
        return (self.right + self.wrong) / self.pairs if self.pairs else float("nan")

    @property
    def right_of_decided(self) -> float:
        """Share of right answers among those given."""
        answers = self.right + self.wrong
        return self.right / answers if answers else float("nan")


@dataclass(frozen=True, eq=False)
class FairPairs:
    """The pairs that conclusions are drawn from: those who began with equal scores; frozen.

    Who began lower in a McMahon tournament, and ends level, has won more games; a
    tie-break made of wins then counts for the second time what the score counts already.
    """

    pairs: int  #: How many of the pairs asked about.
    tournaments: int  #: In which there is one at least.
    #: (candidates,): share of them put in the true order, in the order of
    #: `TiebreakComparison.scores`.
    value: Values
    covariance: Values  #: (candidates, candidates): of these shares, over tournaments.

    def against(self, one: int, other: int) -> tuple[float, float]:
        """Difference of two candidates' shares, and its standard error."""
        c = self.covariance
        squared = c[one, one] + c[other, other] - 2.0 * c[one, other]
        return float(self.value[one] - self.value[other]), float(np.sqrt(max(squared, 0.0)))

    def error(self, one: int) -> float:
        """Standard error of a candidate's share."""
        return float(np.sqrt(self.covariance[one, one]))


@dataclass(frozen=True)
class TiebreakComparison:
    """Result of `compare_tiebreaks`: the candidates, best first, and what was played.

    `fair` is None where no two of the players asked about began with equal scores.
    """

    scores: tuple[TiebreakScore, ...]
    setting: TournamentSetting
    tournaments: int
    among: str
    baseline: str
    fair: FairPairs | None = field(default=None, compare=False)


def compare_tiebreaks(
    chance: WinningLaw,
    setting: TournamentSetting | None = None,
    *,
    candidates: Sequence[str] = CANDIDATES,
    tournaments: int = 1000,
    among: str = "all",
    seed: int = 0,
) -> TiebreakComparison:
    """Test tie-breaks on simulated tournaments.

    Args:
        chance: Win probability on grades (`yardstone.tournament.field`).
        setting: What is played.
        candidates: Criteria by name, and `DIRECT`; the first is what others are compared with.
        tournaments: How many to play; each has players of its own.
        among ({"all", "same-start", "top"}): Whom to ask about (`AMONG`).
        seed: As in `yardstone.tournament.forecast.simulate`.

    Raises:
        UsageError: No candidate, or one that compares tied players only (take `DIRECT`), or fewer
            than two tournaments.
    """
    setting = setting or TournamentSetting()
    if among not in AMONG:
        raise UsageError(f"among whom: {', '.join(AMONG)}, not {among!r}")
    if tournaments < 2:
        raise UsageError("a test needs at least two tournaments")
    names = tuple(dict.fromkeys(candidates))
    if not names:
        raise UsageError("no tie-break to test")
    for name in names:
        if name != DIRECT and criterion(name, setting.system).compute is None:
            raise UsageError(f"{name} compares tied players only: test {DIRECT!r} in its place")
    sizes = [min(_CHUNK, tournaments - start) for start in range(0, tournaments, _CHUNK)]
    generators = parallel.spawn_generators(seed, len(sizes))
    parts = parallel.map(
        partial(_questions, chance, setting, names, among),
        list(zip(sizes, generators, strict=True)),
        what="tournaments",
    )
    return _summary(np.concatenate(parts), names, setting, among=among)


def _questions(
    chance: WinningLaw,
    setting: TournamentSetting,
    names: tuple[str, ...],
    among: str,
    piece: tuple[int, Generator],
) -> NDArray[np.int64]:
    """Right, wrong and tied answers: shape (tournaments, 2, candidates, 3).

    Of all pairs asked about, and of those of them who began with equal scores.
    """
    number, rng = piece
    counts = np.zeros((number, 2, len(names), 3), np.int64)
    for row in range(number):
        scores, strength = play(setting.plan(chance, rng), rng)
        counts[row] = _answers(scores, strength, names, among=among)
    return counts


def _answers(
    scores: Scores, strength: Values, names: tuple[str, ...], *, among: str
) -> NDArray[np.int64]:
    last = scores.tournament.rounds
    system = scores.tournament.system
    main = (scores.mms2 if system is System.mcmahon else scores.wins2)[:, last]
    one, two = np.triu_indices(len(main), 1)
    tied = main[one] == main[two]
    if among == "top":
        tied &= main[one] == main.max()
    elif among == "same-start":
        tied &= scores.mms2[one, 0] == scores.mms2[two, 0]
    one, two = one[tied], two[tied]
    truth = np.sign(strength[one] - strength[two])
    state = state_after(scores, last)
    level = scores.mms2[one, 0] == scores.mms2[two, 0]
    if system is not System.mcmahon:
        level[:] = True
    counts = np.zeros((2, len(names), 3), np.int64)
    for place, name in enumerate(names):
        if name == DIRECT:
            answer = _direct(scores, one, two)
        else:
            values = np.nan_to_num(criterion(name, system).values(state), nan=-np.inf)
            answer = np.sign(np.round(values[one], 6) - np.round(values[two], 6))
        for row, chosen in enumerate((np.ones(len(one), bool), level)):
            right = int((answer * truth > 0)[chosen].sum())
            wrong = int((answer * truth < 0)[chosen].sum())
            counts[row, place] = right, wrong, int(chosen.sum()) - right - wrong
    return counts


def _direct(scores: Scores, one: NDArray[np.int64], two: NDArray[np.int64]) -> Values:
    """1 where the first of a pair beat the second, -1 where he lost, 0 without a game."""
    met = scores.opponent[one] == two[:, None]
    won = np.where(met, scores.points2[one] - 1, 0).sum(axis=1)
    return np.asarray(np.sign(won), np.float64)


def _summary(
    answers: NDArray[np.int64], names: tuple[str, ...], setting: TournamentSetting, *, among: str
) -> TiebreakComparison:
    counts = answers[:, 0]
    good = counts[:, :, 0] + 0.5 * counts[:, :, 2]
    pairs = counts[:, 0].sum(axis=1).astype(np.float64)
    total = pairs.sum()
    if total == 0:
        raise UsageError("no two players were ever tied: play more, or larger, tournaments")
    value = good.sum(axis=0) / total
    residual = good - value * pairs[:, None]

    def error(each: Values) -> float:
        n = len(each)
        return float(np.sqrt((each**2).sum() * n / (n - 1)) / total)

    results = [
        TiebreakScore(
            name=name,
            right=int(counts[:, place, 0].sum()),
            wrong=int(counts[:, place, 1].sum()),
            tied=int(counts[:, place, 2].sum()),
            value=float(value[place]),
            error=error(residual[:, place]),
            ahead=float(value[place] - value[0]),
            ahead_error=error(residual[:, place] - residual[:, 0]),
        )
        for place, name in enumerate(names)
    ]
    order = sorted(range(len(results)), key=lambda place: -results[place].value)
    return TiebreakComparison(
        tuple(results[place] for place in order),
        setting,
        len(counts),
        among,
        names[0],
        _fair(answers[:, 1][:, order]),
    )


def _fair(counts: NDArray[np.int64]) -> FairPairs | None:
    pairs = counts[:, 0].sum(axis=1).astype(np.float64)
    n, total = int((pairs > 0).sum()), float(pairs.sum())
    if n < 2:
        return None
    good = counts[:, :, 0] + 0.5 * counts[:, :, 2]
    value = good.sum(axis=0) / total
    residual = good - value * pairs[:, None]
    covariance = residual.T @ residual * n / (n - 1) / total**2
    return FairPairs(int(total), n, value, covariance)
