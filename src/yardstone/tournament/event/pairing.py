"""A round of an event is paired: by the file's rules, and the wishes beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from yardstone.errors import InputError
from yardstone.tournament.dutch import DutchProposal, propose_dutch
from yardstone.tournament.event.changes import EventChange, refused
from yardstone.tournament.event.wishes import EventWishes, with_wishes
from yardstone.tournament.explanation import Proposal, propose_round
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.pairing import Constraints, round_to_pair, to_be_paired
from yardstone.tournament.round_robin import RoundRobin, pair_round_robin

__all__ = ["PairedRound", "PairingSystem", "pair_event", "unpair_round", "usual_system"]

#: By which rules a round is paired: Berger's tables, FIDE's Dutch system, or weights.
PairingSystem = Literal["round-robin", "dutch", "weights"]


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedRound:
    """A round with its boards.

    Attributes
    ----------
    number : int
    change : EventChange
        The tournament with the round.
    proposal : Proposal, DutchProposal or RoundRobin
        The boards, and the reasons.
    notes : tuple of str
        Which wishes were kept.
    """

    number: int
    change: EventChange
    proposal: Proposal | DutchProposal | RoundRobin
    notes: tuple[str, ...] = ()


def usual_system(tournament: Tournament, wishes: EventWishes) -> PairingSystem:
    """By which rules a round is paired where nobody names them."""
    if (wishes.system or tournament.system) is System.round_robin:
        return "round-robin"
    return "dutch" if tournament.discipline == "chess" else "weights"


def pair_event(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    system: PairingSystem | None = None,
    wishes: EventWishes | None = None,
    constraints: Constraints | None = None,
    **options: Any,
) -> PairedRound:
    """Pair a round, with the wishes.

    Parameters
    ----------
    tournament : Tournament
    round_number : int, optional
        By default the first without boards. In a round with boards only those are paired
        who have neither a game nor a bye, such as late entries.
    system : str, optional
        By default `usual_system`.
    wishes : EventWishes, optional
    constraints : Constraints, optional
        What is demanded of this round alone.
    options
        Those of `yardstone.tournament.explanation.propose_round`; of
        `yardstone.tournament.dutch.propose_dutch`; or for a round robin of
        `yardstone.tournament.round_robin.pair_round_robin`.

    Raises
    ------
    InputError
        The round cannot be paired, or not with these wishes.
    """
    wishes = wishes or EventWishes()
    number = round_to_pair(tournament) if round_number is None else round_number
    demanded = constraints or Constraints()
    system = system or usual_system(tournament, wishes)
    if system == "round-robin":
        made = pair_round_robin(tournament, number, constraints=demanded, **options)
        paired = made.added_to(tournament.with_absent(demanded.absent, number))
        return PairedRound(
            number=number,
            change=_change(paired, number),
            proposal=made,
            notes=_dropped_byes(paired, number),
        )
    _check_bye(tournament, number, demanded)
    wanted, notes = with_wishes(demanded, tournament, wishes.wishes, number)
    propose: Callable[..., Proposal | DutchProposal] = (
        propose_dutch if system == "dutch" else propose_round
    )
    try:
        proposal = propose(tournament, number, constraints=wanted, **options)
    except InputError as error:
        plain = {**options, "costs": False, "questions": (), "progress": None}
        if wanted is demanded or not _possible(
            lambda: propose(tournament, number, constraints=demanded, **plain)
        ):
            raise
        raise InputError(
            f"{error.message}, with the wishes ({'; '.join(notes)})",
            file=error.file,
            hint="take a wish back",
        ) from None
    return PairedRound(
        number=number,
        change=_change(proposal.tournament, number),
        proposal=proposal,
        notes=tuple(notes),
    )


def _check_bye(tournament: Tournament, number: int, constraints: Constraints) -> None:
    """Refuse a second bye in a round of Go: OpenGotha keeps one."""
    byes = [bye for bye in tournament.byes if bye.round == number]
    if tournament.discipline != "go" or not byes or not 1 <= number <= tournament.rounds:
        return
    left = len(to_be_paired(tournament, number, constraints))
    if left % 2:
        holder = tournament.players[byes[0].player].full_name
        players = "1 player is" if left == 1 else f"{left} players are"
        raise refused(
            tournament,
            f"round {number}: {holder} has the bye, and {players} to be paired, an odd number",
            hint="take the bye back, or let somebody be absent in this round",
        )


def _dropped_byes(tournament: Tournament, number: int) -> tuple[str, ...]:
    """What OpenGotha does not keep of a round robin whose players are absent."""
    byes = [bye.player for bye in tournament.byes if bye.round == number]
    if tournament.discipline != "go" or len(byes) < 2:
        return ()
    names = ", ".join(tournament.players[row].full_name for row in byes)
    return (f"OpenGotha keeps one bye a round, of {names}.",)


def _possible(propose: Callable[[], object]) -> bool:
    """Whether a round can be paired."""
    try:
        propose()
    except InputError:
        return False
    return True


def _change(paired: Tournament, number: int) -> EventChange:
    return EventChange(tournament=paired, lines=_paired_lines(paired, number))


def _paired_lines(tournament: Tournament, number: int) -> tuple[str, ...]:
    games = tournament.round_games(number)
    byes = [tournament.players[bye.player].full_name for bye in tournament.byes
            if bye.round == number]  # fmt: skip
    boards = f"{len(games)} {'board' if len(games) == 1 else 'boards'}"
    bye = f", bye for {', '.join(byes)}" if byes else ""
    return (f"Round {number} is paired: {boards}{bye}.",)


def unpair_round(tournament: Tournament, round_number: int | None = None) -> EventChange:
    """Take back the boards of the last round, or of a round and all later ones.

    Raises
    ------
    InputError
        The round is not paired, or has results, which would be lost.
    """
    from yardstone.tournament.explanation import without_rounds

    number = tournament.last_round if round_number is None else round_number
    if not number or not tournament.round_games(number):
        raise refused(tournament, f"round {number or 1} is not paired")
    made, _ = without_rounds(tournament, number, keep_results=True)
    return EventChange(tournament=made, lines=(f"The boards of round {number} are taken back.",))
