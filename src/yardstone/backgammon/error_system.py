"""Ratings of backgammon players from the errors of their earlier matches.

Van den Doel's formulas turn error rates into rating points. As a system of ratings they
predict a match from what both players did in the matches *before* it: never from the match
itself. A few matches say little about a player, so a rate is drawn towards the mean of the
players: with S the sum of the losses in n decisions and m the mean of players' own rates,
it is (S + w m)/(n + w), and a newcomer has m. w, in decisions, is the scatter of a
decision's loss by that of players' rates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from yardstone.arrays import Floats
from yardstone.backgammon._errors import Errors
from yardstone.backgammon.error_rates import MOST_EQUITY
from yardstone.backgammon.formulas import FORMULAS, SITE_OFFSET
from yardstone.choices import check_choice
from yardstone.errors import InputError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.egf import Handicap
from yardstone.ratings.fibs import MatchSystem, match_lengths
from yardstone.ratings.result import Ratings
from yardstone.ratings.sequential import Arrays, Games, Period, Predictions, State
from yardstone.records.tables import SIDES
from yardstone.winprob import fibs

#: Unforced moves and close cube decisions of a match to 5 points between people, for matches
#: that come without their numbers.
_USUAL_DECISIONS = (49.0, 7.5)
#: What is put into one rate cannot be this large: such numbers are thousandths.
_LARGEST = 1.5


@dataclass(frozen=True, kw_only=True)
class ErrorRates(MatchSystem):
    """Ratings by van den Doel's formulas from the errors of earlier matches; frozen.

    Columns of the pool: ``first_epm`` and ``second_epm``, errors per unforced move in
    normalised equity, and likewise ``first_epc`` and ``second_epc`` per close or actual cube
    decision (NaN where there was none); ``first_unforced``, ``second_unforced``,
    ``first_close``, ``second_close``, the numbers of those decisions; ``length``. Without
    numbers a match counts as one of the usual length. The table that ``yardstone backgammon
    analyse --table`` writes has all of them.

    Args:
        formula: One of `yardstone.backgammon.formulas.FORMULAS`.
        usual_epm, usual_epc: Mean error rates of players; as good as `usual_players` of them, whom
            those of the matches join.
        epm_weight, epc_weight: What the mean is worth beside a player's own matches, in decisions.
        factor: Number that the weights of the formula are multiplied by.
        perfect: Rating of perfect play.
        length_column: Column of the pool with the points to win in each match.
        length: Length of all matches in a pool without that column, of those in `probability`, and
            of those that the final ratings are about.
        period ({"game", "event", "day", "week", "month", "quarter", "year"} or float): Matches
            predicted at once, all from what was known at the start.
        first_advantage: Must be 0, and `handicap` None: there is neither.

    Notes:
        The defaults of the means and weights are moments of the first 717 of the dated matches
        between people in ``studies/backgammon_people.csv.gz`` (570 players).
    """

    formula: str = "published"
    usual_epm: float = 0.0155
    usual_epc: float = 0.036
    usual_players: float = 20.0
    epm_weight: float = 50.0
    epc_weight: float = 40.0
    factor: float = 1.0
    perfect: float = SITE_OFFSET
    length_column: str = "length"
    length: float = 5.0
    period: Period = "game"
    event_column: str = "event"
    first_advantage: float = 0.0
    handicap: Handicap | None = None

    scale = "fibs"
    joins_all = True  # by the mean of the players
    _above_zero = (
        *("usual_epm", "usual_epc", "usual_players"),
        *("epm_weight", "epc_weight"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("formula", self.formula, FORMULAS)

    def _weights(self, length: ArrayLike) -> Floats:
        """Points for an error of one, of moves and of the cube, in the last axis."""
        formula = FORMULAS[self.formula]
        return np.stack([formula.move(length), formula.cube(length)], axis=-1)

    @property
    def _usual(self) -> tuple[Floats, Floats]:
        """Mean error rates of people, and what each is worth, in decisions."""
        usual, share = (self.usual_epm, self.usual_epc), (self.epm_weight, self.epc_weight)
        return np.array(usual), np.array(share)

    def _newcomers(self, number: int) -> Arrays:
        return {"loss": np.zeros((number, 2)), "decisions": np.zeros((number, 2))}

    def _seed(self, arrays: Arrays, place: Any, rating: Floats, deviation: Floats) -> None:
        raise UsageError("ratings from errors begin with no ratings given")

    def _play(self, arrays: Arrays, games: Games) -> Predictions:
        matches, players = self._matches(games), self._players(arrays)
        steps = Errors(matches, players, *self._usual, self.usual_players, self.perfect)
        record = games.record()
        steps.replay(games.rounds, record)
        return Predictions.of(record)

    def _matches(self, games: Games) -> tuple[Floats, Floats, Floats, Floats]:
        """What `Errors` reads of each match."""
        length = match_lengths(games.pool, self.length_column, self.length)
        rates = _columns(games.pool, ("epm", "epc"))
        if rates is None:
            raise InputError(
                "the matches have no error rates: there is no column 'first_epm'",
                hint="make the table with yardstone backgammon analyse --table, or name the "
                "columns first_epm=NAME,second_epm=NAME,first_epc=NAME,second_epc=NAME",
            )
        known = rates[~np.isnan(rates)]
        if (known < 0.0).any():
            raise InputError("an error rate is negative", hint="errors are losses: 0 or more")
        middle = float(np.median(known)) if len(known) else 0.0
        if middle > _LARGEST / 10.0 or (known > MOST_EQUITY).any():
            raise InputError(
                f"error rates of {middle:g} are not in equity",
                hint="give EPM and EPC in normalised equity: 8.5 thousandths are 0.0085",
            )
        numbers = _columns(games.pool, ("unforced", "close"))
        if numbers is None:
            numbers = np.broadcast_to(_USUAL_DECISIONS, rates.shape)
        decisions = np.where(np.isnan(rates) | np.isnan(numbers), 0.0, numbers)
        loss = np.where(decisions > 0.0, np.nan_to_num(rates), 0.0) * decisions
        take = games.schedule.take
        steepness = np.asarray(fibs.steepness(length), np.float64)
        weights = self.factor * self._weights(length)
        return take(weights), take(steepness), take(loss), take(decisions)

    @staticmethod
    def _players(arrays: Mapping[str, Floats]) -> tuple[Floats, Floats, Floats, Floats]:
        """What is kept of the players, the sums of their own rates, and how many have one."""
        loss, decisions = arrays["loss"], arrays["decisions"]
        known = decisions > 0.0
        rates = np.divide(loss, decisions, out=np.zeros_like(loss), where=known)
        return loss, decisions, rates.sum(axis=0), known.sum(axis=0).astype(float)

    def ratings(self, state: State) -> Ratings:
        """The ratings of a state in matches to `length` points."""
        loss, decisions, rates, number = self._players(state.arrays)
        usual, share = self._usual
        mean = (self.usual_players * usual + rates) / (self.usual_players + number)
        rate = (loss + share * mean) / (decisions + share)
        rating = self.perfect - self.factor * (rate @ self._weights(self.length))
        return Ratings(state.players, rating, self._deviation(state), self.scale)


def _columns(pool: Pool, names: tuple[str, str]) -> Floats | None:
    """Columns of both players, shape (matches, 2 players, 2 kinds); None without the first."""
    if f"{SIDES[0]}_{names[0]}" not in pool.columns:
        return None
    result = np.full((len(pool), 2, 2), np.nan)
    for side, player in enumerate(SIDES):
        for kind, name in enumerate(names):
            column = pool.columns.get(f"{player}_{name}")
            if column is None:
                continue
            try:
                result[:, side, kind] = column.astype(np.float64)
            except ValueError:
                raise InputError(f"the column {player}_{name} holds what is not a number") from None
    return result
