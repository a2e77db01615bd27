"""A round of the Dutch system proposed: its boards, the reasons, and the tournament with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.tournament.dutch.explanation import (
    BoardExplanation,
    Obstacle,
    explain_dutch,
    obstacle,
)
from yardstone.tournament.dutch.pairing import DutchPairing, pair_dutch

if TYPE_CHECKING:
    from yardstone.tournament.constraints import Constraints
    from yardstone.tournament.model import Tournament

__all__ = ["DutchProposal", "propose_dutch"]

#: Boards are paired again one by one, to see what stands against the first choice, up to
#: so many players.
COSTS_UP_TO = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class DutchProposal:
    """Result of `propose_dutch`.

    Attributes
    ----------
    pairing : DutchPairing
    explanations : tuple of BoardExplanation
        Of every board, the bye last.
    questions : tuple
        Boards asked about, by the numbers of both players, and what stands against each;
        None where the pairing has the board.
    tournament : Tournament
        The one that was paired, with the round.
    """

    pairing: DutchPairing
    explanations: tuple[BoardExplanation, ...]
    questions: tuple[tuple[tuple[int, int], Obstacle | None], ...]
    tournament: Tournament


def propose_dutch(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
    questions: Sequence[tuple[int, int]] = (),
    costs: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> DutchProposal:
    """Pair a round by the Dutch system and explain it.

    Parameters
    ----------
    tournament, round_number, constraints, seed
        As in `yardstone.tournament.dutch.pairing.pair_dutch`.
    questions : sequence of (int, int)
        Boards of which is asked why they are not.
    costs : bool, optional
        Whether to search for the criterion that stands against the first choice; by
        default up to 200 players.
    progress : callable, optional
        Called with the boards that are explained and all of them.
    """
    pairing = pair_dutch(tournament, round_number, constraints=constraints, seed=seed)
    rows = pairing.field.row_of
    for player in (player for players in questions for player in players):
        if player not in rows:
            raise InputError(f"{tournament.players[player].full_name} is not to be paired")
    if costs is None:
        costs = len(pairing.field.players) <= COSTS_UP_TO
    absent = frozenset() if constraints is None else constraints.absent
    paired = {board.players for board in pairing.all_boards}

    def obstacle_of(pair: tuple[int, int]) -> Obstacle | None:
        if frozenset(pair) in paired:
            return None
        return obstacle(pairing, rows[pair[0]], rows[pair[1]])

    return DutchProposal(
        pairing=pairing,
        explanations=explain_dutch(pairing, costs=costs, progress=progress),
        questions=tuple((pair, obstacle_of(pair)) for pair in questions),
        tournament=pairing.added_to(tournament.with_absent(absent, pairing.round)),
    )
