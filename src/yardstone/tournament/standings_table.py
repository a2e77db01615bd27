"""Tables of standings: players in the order of any criteria, after any round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.tournament.confrontation import (
    direct_confrontation,
    simplified_confrontation,
    wins_between,
)
from yardstone.tournament.criteria import (
    Criterion,
    RoundState,
    criterion,
    default_criteria,
    parse_criteria,
)
from yardstone.tournament.fide import Unplayed, rules_for
from yardstone.tournament.model import Tournament
from yardstone.tournament.scores import Scores, taking_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

__all__ = ["Standings", "standings"]


@dataclass(frozen=True, eq=False)
class Standings:
    """Players in order of place.

    Attributes
    ----------
    tournament : Tournament
        What the table is of.
    round : int
        After which round.
    criteria : tuple of Criterion
        In their order.
    order : int array
        Numbers of the listed players, the best first; tied ones by name.
    place : int array
        Place of each in that order, from 1; tied players share the best place of theirs.
    values : float array, shape (players listed, criteria)
        In the order of places; NaN where a criterion has no value.
    scores : Scores
        All scores, of all players.
    """

    tournament: Tournament
    round: int
    criteria: tuple[Criterion, ...]
    order: NDArray[np.int64]
    place: NDArray[np.int64]
    values: Values
    scores: Scores

    def __len__(self) -> int:
        return len(self.order)


def standings(
    tournament: Tournament,
    *,
    round_number: int | None = None,
    criteria: str | Sequence[str] | None = None,
    unplayed: Unplayed | str | None = None,
    everybody: bool = False,
) -> Standings:
    """The table after a round.

    Parameters
    ----------
    tournament : Tournament
        Players and results.
    round_number : int, optional
        After which round; by default the last one without an open result.
    criteria : str or sequence of str, optional
        Names in their order, such as ``"mms,sos,sosos"``; by default the tournament's.
    unplayed : Unplayed, optional
        FIDE's rules for rounds without a game; by default those in force when the
        tournament began.
    everybody : bool
        List also players who never had a game or a bye.

    Raises
    ------
    UsageError
        There is no such round or criterion.

    Examples
    --------
    >>> from yardstone.tournament.model import Game, Player, Result
    >>> players = tuple(Player(name=name, rank=0) for name in ("Ann", "Bob"))
    >>> game = Game(round=1, first=0, second=1, result=Result.second_wins)
    >>> made = standings(Tournament(rounds=1, players=players, games=(game,)), criteria="nbw")
    >>> [made.tournament.players[row].name for row in made.order]
    ['Bob', 'Ann']
    """
    last = max(tournament.rounds, tournament.last_round)
    now = tournament.complete_rounds if round_number is None else round_number
    if not 0 <= now <= last:
        raise UsageError(f"there is no round {now}, only 1 to {last}")
    if criteria is None:
        criteria = default_criteria(tournament)
    if isinstance(criteria, str):
        chosen = parse_criteria(criteria, tournament.system)
    else:
        chosen = tuple(criterion(name, tournament.system) for name in criteria)
    rules = rules_for(tournament.begin) if unplayed is None else Unplayed(unplayed)
    state = RoundState(Scores.of(tournament), now, rules)
    return _table(state, chosen, everybody=everybody)


def _table(state: RoundState, chosen: tuple[Criterion, ...], *, everybody: bool) -> Standings:
    tournament = state.tournament
    n = len(tournament.players)
    listed = np.arange(n) if everybody else np.flatnonzero(taking_part(tournament))
    columns = [np.zeros(n) if c.compute is None else c.values(state) for c in chosen]
    for number, which in enumerate(chosen):
        if which.compute is None:
            columns[number] = _among_tied(which, state, listed, columns, number)
    values = np.column_stack([*columns, np.zeros(n)])[:, :-1]
    ranked = np.round(np.nan_to_num(values, nan=-np.inf), 6)
    names = sorted(listed.tolist(), key=lambda row: _name(tournament, row))
    order = sorted(names, key=lambda row: tuple(-ranked[row]))
    place = np.ones(len(order), np.int64)
    for where in range(1, len(order)):
        same = bool((ranked[order[where]] == ranked[order[where - 1]]).all())
        place[where] = place[where - 1] if same else where + 1
    rows = np.array(order, np.int64)
    return Standings(tournament, state.round, chosen, rows, place, values[rows], state.scores)


def _name(tournament: Tournament, row: int) -> tuple[str, str, int]:
    player = tournament.players[row]
    return player.name, player.first_name, row


def _among_tied(
    which: Criterion,
    state: RoundState,
    listed: NDArray[np.int64],
    columns: Sequence[Values],
    number: int,
) -> Values:
    """A criterion that compares the players tied on all that stand before it."""
    values = np.zeros(len(state.tournament.players))
    before = np.round(np.column_stack([*columns[:number], values]), 6)
    after = np.round(np.column_stack([*columns[number + 1 :], values]), 6)
    groups: dict[tuple[float, ...], list[int]] = {}
    for row in listed.tolist():
        groups.setdefault(tuple(before[row].tolist()), []).append(row)
    for group in groups.values():
        if len(group) < 2:
            continue
        if which.name == "DE":
            place = state.fide.direct_encounter(group)
            values[group] = [len(group) - 1 - p for p in place]
            continue
        net = wins_between(state.tournament, group, state.round)
        if which.name == "SDC":
            values[group] = simplified_confrontation(net)
            continue
        later = [tuple((-after[row]).tolist()) for row in group]
        ranks = {value: n for n, value in enumerate(sorted(set(later)))}
        values[group] = direct_confrontation(net, [ranks[value] for value in later])
    return values
