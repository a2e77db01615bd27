"""Why a board of the Dutch system is as it is, and what another one would break."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from yardstone.kernels import Loops, weighed
from yardstone.tournament.dutch.brackets import RoundPairs, pair_brackets
from yardstone.tournament.dutch.criteria import may_meet

if TYPE_CHECKING:
    from yardstone.tournament.dutch.brackets import BracketReport, CriterionStep
    from yardstone.tournament.dutch.field import DutchPlayer
    from yardstone.tournament.dutch.pairing import DutchBoard, DutchPairing

__all__ = ["BoardExplanation", "Obstacle", "explain_dutch", "obstacle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """Why two players do not meet.

    Attributes
    ----------
    players : (int, int)
        Numbers of the players; -1 for the bye.
    criterion : str
        The first criterion that would be met worse (``C1`` to ``C21``, ``order``), empty
        if the others could not be paired at all, ``forbidden`` by the organiser.
    round : int
        Where they met; 0 if they did not.
    score : float or None
        Of the bracket concerned.
    """

    players: tuple[int, int]
    criterion: str
    round: int = 0
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardExplanation:
    """One board explained.

    Attributes
    ----------
    board : DutchBoard
    players : tuple of DutchPlayer
        The higher-ranked first; one for the bye. Empty for boards by hand.
    bracket : BracketReport or None
    role : {"moved down", "homogeneous", "remainder", "bye", "by hand"}
    places : (int, int)
        Places from 1 in the bracket or remainder of so many players (`size`).
    size : int
    instead : Obstacle or None
        The opponent of the first candidate, if another one came of it, and what stood
        against that.
    """

    board: DutchBoard
    players: tuple[DutchPlayer, ...]
    bracket: BracketReport | None
    role: str
    places: tuple[int, int] = (0, 0)
    size: int = 0
    instead: Obstacle | None = None


@weighed(Loops.PAIRING, lambda pairing, **_: 30 * len(pairing.field.players) ** 2)
def explain_dutch(
    pairing: DutchPairing,
    *,
    costs: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[BoardExplanation, ...]:
    """Explain every board, the bye last.

    Parameters
    ----------
    pairing : DutchPairing
    costs : bool
        Pair again with the opponent whom the order of candidates names first, where
        another one came of it, to see which criterion that would break.
    progress : callable, optional
        Called with the boards that are done and all of them.
    """
    explanations = []
    boards = pairing.all_boards
    for done, board in enumerate(boards, 1):
        explanations.append(_explained(pairing, board, costs))
        if progress is not None:
            progress(done, len(boards))
    return tuple(explanations)


def _explained(pairing: DutchPairing, board: DutchBoard, costs: bool) -> BoardExplanation:
    field = pairing.field
    if board.bracket < 0:
        return BoardExplanation(board=board, players=(), bracket=None, role="by hand")
    bracket = pairing.brackets[board.bracket]
    rows = sorted(field.row_of[player] for player in board.players)
    players = tuple(field.players[row] for row in rows)
    if len(rows) == 1:
        return BoardExplanation(board=board, players=players, bracket=bracket, role="bye")
    higher, lower = rows
    moved_pairs = [pair for pair in bracket.pairs if pair[0] in bracket.moved]
    if higher in bracket.moved:
        role, group, first = "moved down", list(bracket.residents), [a for a, _ in moved_pairs]
        usual = group[first.index(higher)]
        places = (bracket.moved.index(higher) + 1, group.index(lower) + 1)
    else:
        taken = {b for _, b in moved_pairs}
        group = [row for row in bracket.residents if row not in taken]
        half = len(bracket.pairs) - len(moved_pairs)
        place = group.index(higher)
        usual = group[place + half] if place < half else -1
        role = "remainder" if moved_pairs else "homogeneous"
        places = (place + 1, group.index(lower) + 1)
    instead = None
    if usual >= 0 and usual != lower:
        instead = obstacle(pairing, higher, usual, search=costs)
    return BoardExplanation(
        board=board,
        players=players,
        bracket=bracket,
        role=role,
        places=places,
        size=len(group),
        instead=instead,
    )


def obstacle(
    pairing: DutchPairing, one: int, other: int, *, search: bool = True
) -> Obstacle | None:
    """Why two players of a pairing do not meet; None if that is not searched for.

    Parameters
    ----------
    one, other : int
        Places in the field; the number of players stands for the bye.
    search : bool
        Whether to pair the round with this board, if it breaks no absolute criterion.
    """
    field = pairing.field
    n = len(field.players)
    numbers = tuple(-1 if row >= n else field.players[row].player for row in (one, other))
    pair = (numbers[0], numbers[1])
    if max(one, other) < n:
        broken = may_meet(field.players[one], field.players[other])
        if broken:
            met = [
                game.round
                for game in field.tournament.games
                if {game.first, game.second} == set(pair) and not game.forfeit
            ]
            return Obstacle(
                players=pair, criterion=broken, round=max(met, default=0) if broken == "C1" else 0
            )
    elif field.players[min(one, other)].bye_barred:
        return Obstacle(players=pair, criterion="C2")
    if not pairing.allowed[one, other]:
        return Obstacle(players=pair, criterion="forbidden")
    if not search:
        return None
    allowed = pairing.allowed.copy()
    allowed[[one, other], :] = allowed[:, [one, other]] = False
    allowed[one, other] = allowed[other, one] = True
    forced = pair_brackets(field, allowed, first=pairing.first)
    if not isinstance(forced, RoundPairs):
        return Obstacle(players=pair, criterion="")
    for mine, theirs in zip_longest(_listed(pairing.pairs), _listed(forced)):
        if mine is None or theirs is None or mine[0].best != theirs[0].best:
            step, score = mine or theirs
            return Obstacle(players=pair, criterion=step.criterion, score=score)
    return Obstacle(players=pair, criterion="order")


def _listed(pairs: RoundPairs) -> list[tuple[CriterionStep, float | None]]:
    """All steps of a round in their order, with the score of the bracket."""
    steps: list[tuple[CriterionStep, float | None]] = [(step, None) for step in pairs.steps]
    for bracket in pairs.brackets:
        steps += [(step, bracket.score) for step in bracket.steps]
    return steps
