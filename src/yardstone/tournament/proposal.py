"""A round proposed: its boards, the reason for each, and the tournament with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.tournament.explanation import Explanation, PairingChange, change_for, explain
from yardstone.tournament.model import ByeKind, Result, Tournament
from yardstone.tournament.pairing import Pairing, pair_round

if TYPE_CHECKING:
    from yardstone.tournament.constraints import Constraints
    from yardstone.tournament.pairing_rules import PairingRules

__all__ = ["Proposal", "propose_round", "without_rounds"]

#: Boards are paired again one by one, to see what each is worth, up to so many players.
COSTS_UP_TO = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class Proposal:
    """Result of `propose_round`.

    Attributes
    ----------
    pairing : Pairing
    explanations : tuple of Explanation
        Of every board, the bye last.
    questions : tuple
        Boards asked about, by the numbers of both players, and what each would change;
        None where the others could not be paired.
    tournament : Tournament
        The one that was paired, with the round.
    """

    pairing: Pairing
    explanations: tuple[Explanation, ...]
    questions: tuple[tuple[tuple[int, int], PairingChange | None], ...]
    tournament: Tournament


def propose_round(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    rules: PairingRules | None = None,
    constraints: Constraints | None = None,
    questions: Sequence[tuple[int, int]] = (),
    costs: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Proposal:
    """Pair a round and explain it.

    Parameters
    ----------
    tournament, round_number, rules, constraints
        As in `yardstone.tournament.pairing.pair_round`.
    questions : sequence of (int, int)
        Boards whose costs are asked for.
    costs : bool, optional
        Whether to say what is lost without each board; by default up to 200 players.
    progress : callable, optional
        Called with the boards that are explained and all of them.
    """
    pairing = pair_round(tournament, round_number, rules=rules, constraints=constraints)
    for player in (player for players in questions for player in players):
        if player not in pairing.row_of:
            raise InputError(f"{tournament.players[player].full_name} is not to be paired")
    if costs is None:
        costs = len(pairing.entrants) <= COSTS_UP_TO
    absent = frozenset() if constraints is None else constraints.absent
    return Proposal(
        pairing=pairing,
        explanations=explain(pairing, costs=costs, progress=progress),
        questions=tuple((pair, change_for(pairing, instead=pair)) for pair in questions),
        tournament=pairing.added_to(tournament.with_absent(absent, pairing.round)),
    )


def without_rounds(
    tournament: Tournament, round_number: int | None = None, *, keep_results: bool = False
) -> tuple[Tournament, int]:
    """The tournament before a round that has boards, and the number of that round.

    Parameters
    ----------
    tournament : Tournament
    round_number : int, optional
        By default the last round with boards.
    keep_results : bool
        Whether it is an error to lose results.
    """
    number = tournament.last_round if round_number is None else round_number
    played = [g for g in tournament.games if g.round >= number and g.result is not Result.unknown]
    if played and keep_results:
        raise InputError(
            f"round {played[0].round} has results, which would be lost",
            file=tournament.file,
            line=played[0].line or None,
            hint="without -o the new boards are shown only",
        )
    announced = tuple(
        bye for bye in tournament.byes if bye.round < number or bye.kind is not ByeKind.paired
    )
    return replace(tournament.before(number), byes=announced), number
