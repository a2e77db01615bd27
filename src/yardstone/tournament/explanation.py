"""Why each board of a pairing is as it is, and what any other board would cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Longs
from yardstone.parallel import Track
from yardstone.tournament._pairing import CRITERIA, SideReason, row_values, sides
from yardstone.tournament.matching import force
from yardstone.tournament.model import ByeKind, PairingRules, Result, Tournament
from yardstone.tournament.pairing import (
    Constraints,
    PairedBoard,
    Pairing,
    allowed_boards,
    best_boards,
    costs_wanted,
    enter,
    impossible,
    made_pairing,
    mates,
    pair_round,
    recorded_boards,
    recorded_rounds,
    values_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerState:
    """A player before the round."""

    player: int  #: Number in the tournament
    score: float  #: Main score, in points
    group_score: float  #: Score of the group
    place: int  #: `place`, `size`: place within the score group from 1, and players in the group.
    size: int
    balance: int  #: Even games moved second less even games moved first
    streak: int  #: Last even games with one side: +k moved second k times running, -k first
    drawn_up: int  #: `drawn_up`, `drawn_down`, `byes`: how often so far.
    drawn_down: int
    byes: int
    exempt: bool  #: Clubs, countries and handicap do not matter for this player


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingChange:
    """The best pairing under one more condition, against the one that was made."""

    cost: int  #: By how much its weight is smaller
    criterion: str  #: The criterion that loses most of it; empty if the cost is zero
    losses: dict[str, int]  #: Value lost by each criterion that changes; negative where it gains
    #: Boards that it has and the pairing has not, by numbers of the players; -1 stands for the bye
    boards: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Avoided:
    """An opponent who would have been a better one but for what stands against it."""

    player: int  #: `player`, `opponent`: numbers of the players.
    opponent: int
    reason: Literal["rematch", "club", "club group", "country", "forbidden"]
    round: int = 0  #: Where they met; 0 if they did not


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One board explained."""

    board: PairedBoard
    #: Of the player who moves first and the other, or of the one with the bye
    players: tuple[PlayerState, ...]
    gap: float  #: Difference of their scores, in points
    side_reason: SideReason | None  #: What decided who moves first
    avoided: tuple[Avoided, ...]
    #: What the best pairing without this board costs; None if there is none, or if it was not asked
    #: for
    change: PairingChange | None = None
    unavoidable: bool = False  #: True if without this board nothing else can be paired


def explain(pairing: Pairing, *, costs: bool = True) -> tuple[Explanation, ...]:
    """Explain every board, the bye last.

    With `costs` the round is paired again without each board in turn, for what it is worth: n/2
    pairings.
    """
    met_in = {
        frozenset(game.players): game.round
        for game in sorted(pairing.entrants.tournament.games, key=lambda game: game.round)
        if not game.forfeit
    }
    boards = Track("boards", len(pairing.all_boards)).over(pairing.all_boards)
    return tuple(_explained(pairing, board, costs, met_in) for board in boards)


def _explained(
    pairing: Pairing, board: PairedBoard, costs: bool, met_in: dict[frozenset[int], int]
) -> Explanation:
    costs = costs and not board.fixed
    change = change_for(pairing, without=board) if costs else None
    rows = [pairing.row_of[p] for p in (board.first, board.second) if p >= 0]
    players = tuple(_state(pairing, row) for row in rows)
    explained = Explanation(
        board=board,
        players=players,
        gap=0.0,
        side_reason=None,
        avoided=(),
        change=change,
        unavoidable=costs and change is None,
    )
    if len(rows) == 1:
        return explained
    entrants = pairing.entrants
    return replace(
        explained,
        gap=abs(players[0].score - players[1].score),
        side_reason=sides(entrants.entries, *rows, entrants.numbers)[2],
        avoided=() if board.fixed else tuple(_avoided(pairing, rows, met_in)),
    )


def _state(pairing: Pairing, row: int) -> PlayerState:
    entry = pairing.entrants.entries[row]
    unit = 1 if pairing.entrants.rules.half_points else 2
    return PlayerState(
        player=int(pairing.entrants.players[row]),
        score=float(entry["score"]) / 2,
        group_score=float(entry["score"] // unit * unit) / 2,
        place=int(entry["place"]) + 1,
        size=int(entry["size"]),
        balance=int(entry["balance"]),
        streak=int(entry["streak"]),
        drawn_up=int(entry["up"]),
        drawn_down=int(entry["down"]),
        byes=int(entry["byes"]),
        exempt=bool(entry["exempt"]),
    )


def _avoided(
    pairing: Pairing, rows: list[int], met_in: dict[frozenset[int], int]
) -> Iterable[Avoided]:
    """For each player of a board, the opponent who fits best but for one of three reasons."""
    entrants = pairing.entrants
    entries, number = entrants.entries, entrants.players.tolist()
    for row, other in (rows, rows[::-1]):
        values = row_values(entries, row, entrants.met, entrants.numbers)
        soft = [values[name] for name in CRITERIA if name not in ("rematch", "geography")]
        plain = np.sum(soft, axis=0)
        plain[row] = np.iinfo(np.int64).min
        best = int(plain.argmax())
        if plain[best] <= plain[other]:
            continue
        against = partial(Avoided, player=number[row], opponent=number[best])
        if entrants.met[row, best]:
            if not entrants.met[row, other]:
                met = met_in.get(frozenset((number[row], number[best])), 0)
                yield against(reason="rematch", round=met)
        elif not pairing.allowed[row, best]:
            yield against(reason="forbidden")
        elif values["geography"][best] < values["geography"][other]:
            yield against(reason=_common(entries, row, best))


def _common(entries: NDArray[np.void], a: int, b: int) -> Literal["club", "club group", "country"]:
    club, group = (
        entries[of][a] >= 0 and entries[of][a] == entries[of][b] for of in ("club", "club_group")
    )
    return "club" if club else "club group" if group else "country"


def change_for(
    pairing: Pairing,
    *,
    without: PairedBoard | None = None,
    instead: tuple[int, int] | None = None,
) -> PairingChange | None:
    """What the best pairing costs without one board, or with another; None if there is none.

    Args:
        without: A board of the pairing that must not be.
        instead (int, int): Numbers of two entrants who must meet, even if they have met before.
    """
    entrants = pairing.entrants
    n = len(entrants)
    allowed = pairing.allowed.copy()
    if without is not None:
        a = pairing.row_of[without.first]
        b = pairing.row_of[without.second] if without.second >= 0 else n
        allowed[a, b] = allowed[b, a] = False
    if instead is not None:
        force(allowed, [(pairing.row_of[instead[0]], pairing.row_of[instead[1]])])
    mate = best_boards(entrants, allowed)
    if mate is None:
        return None
    now, then = _pairs(pairing.mate, n), _pairs(mate[:n], n)
    losses = Counter[str]()
    for a, b in now - then:
        losses.update(values_of(entrants, a, b))
    for a, b in then - now:
        losses.subtract(values_of(entrants, a, b))
    named = {name: losses[name] for name in CRITERIA if losses[name]}
    cost = sum(named.values())
    number = [*entrants.players.tolist(), -1]
    return PairingChange(
        cost=cost,
        criterion=max(named, key=lambda name: named[name]) if cost > 0 else "",
        losses=named,
        boards=tuple((number[a], number[b]) for a, b in sorted(then - now)),
    )


def _pairs(mate: Longs, n: int) -> set[tuple[int, int]]:
    return {(a, int(b)) for a, b in enumerate(mate.tolist()) if a < b <= n}


@dataclass(frozen=True, eq=False)
class RoundComparison:
    """A round as it was paired, as the weights pair it, and the exchanges between both."""

    recorded: Pairing
    ours: Pairing
    exchanges: tuple[Difference, ...]

    @property
    def same(self) -> int:
        """Boards that are the same in both."""
        changed = (board for exchange in self.exchanges for board in exchange.recorded)
        return len(self.recorded.boards) - sum(board.second >= 0 for board in changed)


def compare_rounds(
    tournament: Tournament, round_number: int | None = None, *, rules: PairingRules | None = None
) -> tuple[RoundComparison, ...]:
    """Pair a recorded round again, by default each of them, and say what differs.

    Raises:
        InputError: No round is recorded yet, or that one is not.
    """
    comparisons = []
    for number in recorded_rounds(tournament, round_number):
        recorded, ours = recorded_round(tournament, number, rules=rules)
        comparisons.append(RoundComparison(recorded, ours, differences(recorded, ours)))
    return tuple(comparisons)


def recorded_round(
    tournament: Tournament, round_number: int, *, rules: PairingRules | None = None
) -> tuple[Pairing, Pairing]:
    """A round as it was paired, and as it would be paired from the same state.

    Both pair the same players: those who had a game or the bye. Rematches are allowed if the
    recorded round has any.
    """
    rules = rules or PairingRules.of(tournament)
    games, pairs = recorded_boards(tournament, round_number)
    players = [player for pair in pairs for player in pair if player >= 0]
    entrants = enter(tournament.before(round_number), round_number, rules, players)
    n, row = len(entrants), entrants.row_of
    mate = mates(pairs, row, n + n % 2)
    rematch = any(entrants.met[row[game.first], row[game.second]] for game in games)
    allowed = allowed_boards(entrants, Constraints(rematch=rematch))
    best = best_boards(entrants, allowed)
    if best is None:
        raise impossible(entrants, allowed, Constraints(rematch=rematch))
    recorded = made_pairing(entrants, mate, (), allowed)
    as_played = tuple(
        replace(
            board, table=game.table, first=game.first, second=game.second, handicap=game.handicap
        )
        for board in recorded.boards
        for game in [tournament.game_of[round_number, board.first]]
    )
    ours = made_pairing(entrants, best, (), allowed)
    return replace(recorded, boards=as_played), ours


@dataclass(frozen=True, slots=True)
class Difference:
    """Players who are paired differently, without all others: one connected exchange."""

    #: `recorded`, `ours`: the boards of these players in both pairings.
    recorded: tuple[PairedBoard, ...]
    ours: tuple[PairedBoard, ...]
    gain: int  #: By how much ours weigh more; negative if less
    gains: dict[str, int]  #: By criterion, those that differ


def differences(recorded: Pairing, ours: Pairing) -> tuple[Difference, ...]:
    """The exchanges that lead from one pairing of some players to another, in the order of tables.

    Boards that differ in nothing but table, colours or handicap count as the same.
    """
    theirs = {player: board for board in recorded.all_boards for player in board.players}
    mine = {player: board for board in ours.all_boards for player in board.players}
    exchanges = []
    done: set[int] = set()
    for start in recorded.all_boards:
        if start.players & done or mine[min(start.players)].players == start.players:
            continue
        group: set[int] = set()
        left = set(start.players)
        while left:
            player = left.pop()
            group.add(player)
            left |= (theirs[player].players | mine[player].players) - group
        done |= group
        before = tuple(b for b in recorded.all_boards if b.players <= group)
        after = tuple(b for b in ours.all_boards if b.players <= group)
        gains = {
            name: gain
            for name in CRITERIA
            if (gain := sum(b.values[name] for b in after) - sum(b.values[name] for b in before))
        }
        exchanges.append(Difference(before, after, sum(gains.values()), gains))
    return tuple(exchanges)


@dataclass(frozen=True, eq=False, kw_only=True)
class Proposal:
    """Result of `propose_round`."""

    pairing: Pairing
    explanations: tuple[Explanation, ...]  #: Of every board, the bye last
    #: Boards asked about, by the numbers of both players, and what each would change; None where
    #: the others could not be paired
    questions: tuple[tuple[tuple[int, int], PairingChange | None], ...]
    tournament: Tournament  #: The one that was paired, with the round


def propose_round(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    rules: PairingRules | None = None,
    constraints: Constraints | None = None,
    questions: Sequence[tuple[int, int]] = (),
    costs: bool | None = None,
) -> Proposal:
    """Pair a round and explain it.

    Args:
        tournament, round_number, rules, constraints: As in
            `yardstone.tournament.pairing.pair_round`.
        questions (sequence of (int, int)): Boards whose costs are asked for.
        costs: Whether to say what is lost without each board; by default up to 200 players.
    """
    pairing = pair_round(tournament, round_number, rules=rules, constraints=constraints)
    costs = costs_wanted(pairing, tournament, questions, costs)
    absent = frozenset() if constraints is None else constraints.absent
    return Proposal(
        pairing=pairing,
        explanations=explain(pairing, costs=costs),
        questions=tuple((pair, change_for(pairing, instead=pair)) for pair in questions),
        tournament=pairing.added_to(tournament.with_absent(absent, pairing.round)),
    )


def without_rounds(
    tournament: Tournament, round_number: int | None = None, *, keep_results: bool = False
) -> tuple[Tournament, int]:
    """The tournament before a round with boards, by default the last, and that round's number.

    With `keep_results` it is an error to lose results.
    """
    number = tournament.last_round if round_number is None else round_number
    played = [g for g in tournament.games if g.round >= number and g.result is not Result.unknown]
    if played and keep_results:
        raise tournament.error(
            f"round {played[0].round} has results, which would be lost",
            line=played[0].line,
            hint="without -o the new boards are shown only",
        )
    announced = tuple(
        bye for bye in tournament.byes if bye.round < number or bye.kind is not ByeKind.paired
    )
    return replace(tournament.before(number), byes=announced), number
