"""Recorded rounds paired again by the rules, from the state before each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.kernels import Loops, weighed
from yardstone.tournament.constraints import Constraints
from yardstone.tournament.dutch.brackets import RoundPairs, pair_brackets
from yardstone.tournament.dutch.criteria import may_meet
from yardstone.tournament.dutch.explanation import Obstacle
from yardstone.tournament.dutch.field import dutch_field
from yardstone.tournament.dutch.pairing import allowed_pairs, initial_colour, made
from yardstone.tournament.model import ByeKind

if TYPE_CHECKING:
    from yardstone.tournament.dutch.field import DutchField
    from yardstone.tournament.dutch.pairing import DutchPairing
    from yardstone.tournament.model import Tournament

__all__ = ["RoundCheck", "check_rounds"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundCheck:
    """A recorded round beside the rules.

    Attributes
    ----------
    tournament : Tournament
    round : int
    boards : int
        Recorded games.
    recorded, expected : tuple of (int, int)
        Boards that only one of both has, by numbers of the players, White first; -1 for
        the bye.
    colours : tuple of (int, int)
        Recorded boards whose colours are exchanged, White first.
    reason : Obstacle or None
        The first criterion that the recorded round meets worse. Of players who may not
        meet at all, their names.
    by_rules : DutchPairing or None
        The round by the rules; None if there is none, as when players had to meet again.
    """

    tournament: Tournament
    round: int
    boards: int
    recorded: tuple[tuple[int, int], ...]
    expected: tuple[tuple[int, int], ...]
    colours: tuple[tuple[int, int], ...]
    reason: Obstacle | None
    by_rules: DutchPairing | None

    @property
    def same_pairs(self) -> bool:
        """Whether everybody meets whom the rules say, colours aside."""
        return self.by_rules is not None and not self.recorded and not self.expected

    @property
    def agrees(self) -> bool:
        """Whether pairs and colours are those of the rules."""
        return self.same_pairs and not self.colours


@weighed(
    Loops.PAIRING,
    lambda tournament, *_, **__: 30 * len(tournament.players) ** 2 * max(tournament.rounds, 1),
)
def check_rounds(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[RoundCheck, ...]:
    """Pair a recorded round again by the Dutch system, by default each of them.

    Those are paired who had a game or the bye; so late entries that were paired after
    the others, and boards that an arbiter changed, show as differences.

    Raises
    ------
    InputError
        No round is recorded yet, or that one is not.
    """
    rounds = [round_number] if round_number else sorted({game.round for game in tournament.games})
    if not rounds:
        raise InputError("no round is recorded yet", file=tournament.file or None)
    checks = []
    for done, number in enumerate(rounds, 1):
        checks.append(_checked(tournament, number))
        if progress is not None:
            progress(done, len(rounds))
    return tuple(checks)


def _checked(tournament: Tournament, number: int) -> RoundCheck:
    games = tournament.round_games(number)
    if not games:
        raise InputError(f"round {number} has no games to check", file=tournament.file or None)
    byes = [
        bye.player for bye in tournament.byes if bye.round == number and bye.kind is ByeKind.paired
    ]
    if len(byes) > 1:
        raise InputError(f"round {number} has {len(byes)} byes", file=tournament.file or None)
    pairs = [(game.first, game.second) for game in games] + [(player, -1) for player in byes]
    field = dutch_field(
        tournament.before(number), number, [p for pair in pairs for p in pair if p >= 0]
    )
    allowed, _ = allowed_pairs(field, Constraints())
    n = len(field.players)
    rival = np.full(len(allowed), n, np.int64)
    for one, other in pairs:
        a, b = field.row_of[one], n if other < 0 else field.row_of[other]
        rival[a], rival[b] = b, a
    absolute = _absolute(field, rival, allowed)
    solved = pair_brackets(field, allowed, rival=None if absolute else rival)
    if not isinstance(solved, RoundPairs):
        return RoundCheck(
            tournament=tournament,
            round=number,
            boards=len(games),
            recorded=tuple(pairs),
            expected=(),
            colours=(),
            reason=absolute,
            by_rules=None,
        )
    initial, drawn = initial_colour(tournament)
    ours = made(field, field, solved, allowed, Constraints(), initial, drawn, ())
    expected = [(board.first, board.second) for board in ours.all_boards]
    mine, theirs = ({frozenset(pair) for pair in listed} for listed in (expected, pairs))
    unknown = {frozenset((g.first, g.second)) for g in games if not g.known_colour}
    return RoundCheck(
        tournament=tournament,
        round=number,
        boards=len(games),
        recorded=tuple(pair for pair in pairs if frozenset(pair) not in mine),
        expected=tuple(pair for pair in expected if frozenset(pair) not in theirs),
        colours=tuple(
            pair
            for pair in pairs
            if frozenset(pair) in mine and pair not in expected and frozenset(pair) not in unknown
        ),
        reason=absolute or _worse(solved),
        by_rules=ours,
    )


def _absolute(field: DutchField, mate: np.ndarray, allowed: np.ndarray) -> Obstacle | None:
    """The first recorded board that breaks an absolute criterion."""
    n = len(field.players)
    for row in range(n):
        other = int(mate[row])
        if allowed[row, other] or other < row:
            continue
        one = field.players[row]
        if other >= n:
            return Obstacle(players=(one.player, -1), criterion="C2")
        pair = (one.player, field.players[other].player)
        broken = may_meet(one, field.players[other]) or "forbidden"
        met = [g.round for g in field.tournament.games if {g.first, g.second} == set(pair)]
        return Obstacle(
            players=pair, criterion=broken, round=max(met, default=0) if broken == "C1" else 0
        )
    return None


def _worse(solved: RoundPairs) -> Obstacle | None:
    """The first criterion by which the recorded pairing is the worse."""
    for score, steps in [
        (None, solved.steps),
        *((bracket.score, bracket.steps) for bracket in solved.brackets),
    ]:
        for step in steps:
            if step.rival is not None and step.rival < step.best:
                return Obstacle(players=(-1, -1), criterion=step.criterion, score=score)
    return None
