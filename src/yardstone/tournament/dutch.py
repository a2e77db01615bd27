"""A round paired by FIDE's Dutch system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.kernels import Loops, weighed
from yardstone.tournament.dutch_brackets import (
    Level,
    PairTable,
    RoundPairs,
    may_meet,
    pair_brackets,
)
from yardstone.tournament.dutch_field import (
    ColourReason,
    DutchField,
    PieceColour,
    allocate,
    dutch_field,
)
from yardstone.tournament.model import Bye, ByeKind, Game
from yardstone.tournament.pairing import (
    Constraints,
    check_round,
    free_tables,
    round_to_pair,
    to_be_paired,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.dutch_brackets import BestMatchings, BracketReport, CriterionStep
    from yardstone.tournament.dutch_field import DutchPlayer
    from yardstone.tournament.model import Tournament


__all__ = [
    "DutchBoard",
    "DutchPairing",
    "allowed_pairs",
    "initial_colour",
    "made",
    "pair_dutch",
    "DutchProposal",
    "propose_dutch",
    "BoardExplanation",
    "Obstacle",
    "explain_dutch",
    "obstacle",
    "RoundCheck",
    "check_rounds",
]


#: So many names stand in an error.
_NAMES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DutchBoard:
    """A game, or the bye."""

    table: int  #: From 1; 0 for the bye
    #: `first`, `second`: numbers of the players; `first` has White. `second` is -1 for the bye.
    first: int
    second: int
    #: What decided the colours; None for the bye and for boards fixed by hand
    reason: ColourReason | None = None
    bracket: int = -1  #: Number of the bracket in which it was paired, from 0; -1 if fixed by hand

    @property
    def players(self) -> frozenset[int]:
        """Both players, or the one with the bye."""
        return frozenset((self.first, self.second) if self.second >= 0 else (self.first,))


@dataclass(frozen=True, eq=False, kw_only=True)
class DutchPairing:
    """Result of `pair_dutch`."""

    field: DutchField  #: The players with their state before the round
    initial: PieceColour  #: The initial colour
    drawn: bool  #: Whether it was drawn by lot now
    boards: tuple[DutchBoard, ...]  #: By tables
    bye: DutchBoard | None
    kept: tuple[Game, ...]  #: Games of the round that stood already
    pairs: RoundPairs  #: The brackets with their criteria
    #: (n, n) or, for odd n, (n + 1, n + 1) Which pairs could be, by places in the field; the last
    #: row is the bye
    allowed: NDArray[np.bool_]
    first: tuple[Level, ...] = ()  #: Criteria that came before those of the rules

    @property
    def round(self) -> int:
        """The round that is paired."""
        return self.field.round

    @property
    def brackets(self) -> tuple[BracketReport, ...]:
        """The brackets from the top."""
        return self.pairs.brackets

    @cached_property
    def all_boards(self) -> tuple[DutchBoard, ...]:
        """The boards, and the bye behind them if there is one."""
        return self.boards if self.bye is None else (*self.boards, self.bye)

    def games(self) -> tuple[Game, ...]:
        """The boards as games without a result."""
        return tuple(
            Game(round=self.round, table=board.table, first=board.first, second=board.second)
            for board in self.boards
        )

    def added_to(self, tournament: Tournament) -> Tournament:
        """The tournament with these games, the bye, and the initial colour if it was drawn."""
        byes = () if self.bye is None else (Bye(self.round, self.bye.first),)
        colour = "white" if self.initial is PieceColour.white else "black"
        swiss = replace(tournament.swiss, initial_colour=colour) if self.drawn else tournament.swiss
        return replace(tournament.with_round(self.games(), byes), swiss=swiss)


def initial_colour(tournament: Tournament, seed: int = 0) -> tuple[PieceColour, bool]:
    """The initial colour of a tournament, and whether it had to be drawn.

    It is what the file says; else what the first round shows; else a lot.
    """
    if tournament.swiss.initial_colour:
        return PieceColour[tournament.swiss.initial_colour], False
    for number in range(1, tournament.last_round + 1):
        players = [p for g in tournament.round_games(number) for p in (g.first, g.second)]
        if not players:
            continue
        byes = [
            bye.player
            for bye in tournament.byes
            if bye.round == number and bye.kind is ByeKind.paired
        ]
        order = dutch_field(tournament.before(number), number, [*players, *byes]).players
        for place, each in enumerate(sorted(order, key=lambda p: p.number)):
            game = tournament.game_of.get((number, each.player))
            if game is not None and game.known_colour:
                white = (game.first == each.player) == (place % 2 == 0)
                return (PieceColour.white if white else PieceColour.black), False
        break
    lot = np.random.default_rng(seed).integers(2)
    return (PieceColour.white if lot else PieceColour.black), True


@weighed(Loops.PAIRING, lambda tournament, *_, **__: 30 * len(tournament.players) ** 2)
def pair_dutch(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
) -> DutchPairing:
    """Pair a round by the rules of FIDE's Dutch system.

    FIDE Handbook C.04.3, the version applied from 2026: criteria C1 to C21, then the order
    in which its candidates are tried. Games of the round that stand already are kept.

    Parameters
    ----------
    tournament : Tournament
    round_number : int, optional
        By default the first round in which nobody is paired.
    constraints : Constraints, optional
        Boards fixed and forbidden, absent players, the bye. Boards fixed by hand are no
        part of the pairing by rules.
    seed : int
        Of the lot for the initial colour, where the tournament has none.

    Raises
    ------
    InputError
        The round cannot be paired; the message says why.
    """
    constraints = constraints or Constraints()
    number = round_to_pair(tournament) if round_number is None else round_number
    check_round(tournament, number, constraints)
    kept = tournament.round_games(number)
    waiting = to_be_paired(tournament, number, constraints)
    if not waiting:
        raise InputError(
            f"round {number}: no players are left to pair", file=tournament.file or None
        )
    if constraints.no_bye and len(waiting) % 2:
        raise InputError(
            f"round {number}: {len(waiting)} players, an odd number",
            file=tournament.file or None,
            hint="allow a bye, or let a player sit out",
        )
    by_hand = _checked_by_hand(tournament, constraints, waiting)
    before = tournament.before(number)
    everybody = dutch_field(before, number, waiting)
    players = replace(
        everybody, players=tuple(p for p in everybody.players if p.player not in by_hand)
    )
    allowed, first = allowed_pairs(players, constraints)
    if len(players.players) % 2 and constraints.bye is not None:
        raise InputError("the bye is given by hand, and the other players are odd in number")
    pairs = pair_brackets(players, allowed, first=first)
    if not isinstance(pairs, RoundPairs):
        raise _impossible(players, pairs, constraints)
    initial, drawn = initial_colour(tournament, seed)
    pairing = made(everybody, players, pairs, allowed, constraints, initial, drawn, kept)
    return replace(pairing, first=tuple(first))


def _checked_by_hand(
    tournament: Tournament, constraints: Constraints, waiting: list[int]
) -> set[int]:
    """Players on fixed boards, and who has the bye by hand."""
    taken: set[int] = set()
    banned = {frozenset(pair) for pair in constraints.forbidden}
    for pair in constraints.fixed:
        names = " - ".join(tournament.players[p].full_name for p in pair)
        if pair[0] == pair[1]:
            raise InputError(f"board {names}: a player cannot meet himself")
        if frozenset(pair) in banned:
            raise InputError(f"board {names} is both fixed and forbidden")
        for player in pair:
            if player in taken:
                raise InputError(f"{tournament.players[player].full_name} is on two fixed boards")
            taken.add(player)
    if constraints.bye is not None:
        who = tournament.players[constraints.bye].full_name
        if len(waiting) % 2 == 0:
            raise InputError(f"no bye for {who}: the number of players is even")
        if constraints.bye not in waiting:
            raise InputError(f"no bye for {who}, who is not to be paired")
        if constraints.bye in taken:
            raise InputError(f"{who} is on a fixed board and cannot have the bye")
        taken.add(constraints.bye)
    return taken


def allowed_pairs(
    players: DutchField, constraints: Constraints
) -> tuple[NDArray[np.bool_], list[Level]]:
    """Pairs that may be, and the criteria that come before those of the rules."""
    table = PairTable(players.players)
    allowed = table.allowed.copy()
    levels = []
    place = players.row_of
    if constraints.rematch:
        met = np.zeros(allowed.shape, np.int64)
        for row, each in enumerate(players.players):
            for other in each.opponents:
                if other in place:
                    met[row, place[other]] = 1
        allowed |= met > 0
        levels.append(Level("C1", -met, table.size // 2))
    forbidden = [frozenset(pair) for pair in constraints.forbidden]
    forbidden += players.tournament.swiss.forbidden_in(players.round)
    for group in forbidden:
        rows = [place[player] for player in group if player in place]
        allowed[np.ix_(rows, rows)] = False
    return allowed, levels


def made(
    everybody: DutchField,
    players: DutchField,
    pairs: RoundPairs,
    allowed: NDArray[np.bool_],
    constraints: Constraints,
    initial: PieceColour,
    drawn: bool,
    kept: tuple[Game, ...],
) -> DutchPairing:
    """The pairing with its colours and tables.

    Tables are numbered by the score of the higher-ranked player, the score of both, and
    the pairing number (C.04.2, D.9).
    """
    n = len(players.players)
    entries = everybody.players
    bracket_of = {row: number for number, each in enumerate(pairs.brackets)
                  for pair in each.pairs for row in pair}  # fmt: skip
    rows = [(a, b, bracket_of[a]) for a, b in enumerate(pairs.mate) if a < b < n]
    place = everybody.row_of
    unordered = [
        (place[players.players[a].player], place[players.players[b].player], k) for a, b, k in rows
    ]
    by_hand = {frozenset(pair): pair for pair in constraints.fixed}
    for pair in constraints.fixed:
        a, b = sorted(place[player] for player in pair)
        unordered.append((a, b, -1))

    def importance(item: tuple[int, int, int]) -> tuple[float, float, int]:
        one, two = entries[item[0]], entries[item[1]]
        higher = min((one, two), key=lambda p: (-p.points, p.number))
        return -higher.points, -min(one.points, two.points), higher.number

    unordered.sort(key=importance)
    boards = []
    for table, (a, b, number) in zip(free_tables(kept, len(unordered)), unordered, strict=True):
        higher, lower = entries[a], entries[b]
        fixed = by_hand.get(frozenset((higher.player, lower.player)))
        colour, reason = allocate(higher, lower, initial)
        first, second = higher.player, lower.player
        if fixed is not None:
            first, second = fixed
        elif colour is PieceColour.black:
            first, second = second, first
        boards.append(
            DutchBoard(
                table=table,
                first=first,
                second=second,
                reason=None if fixed is not None else reason,
                bracket=number,
            )
        )
    bye = None
    if n % 2:
        row = pairs.mate.index(n)
        last = next(k for k, each in enumerate(pairs.brackets) if row in each.downfloaters)
        bye = DutchBoard(table=0, first=players.players[row].player, second=-1, bracket=last)
    elif constraints.bye is not None:
        bye = DutchBoard(table=0, first=constraints.bye, second=-1)
    return DutchPairing(
        field=players,
        initial=initial,
        drawn=drawn,
        boards=tuple(boards),
        bye=bye,
        kept=kept,
        pairs=pairs,
        allowed=allowed,
    )


def _impossible(players: DutchField, best: BestMatchings, constraints: Constraints) -> InputError:
    def names(rows: Iterable[int]) -> str:
        n = len(players.players)
        listed = [players.name(row) if row < n else "the bye" for row in rows]
        more = f" and {len(listed) - _NAMES} more" if len(listed) > _NAMES else ""
        return ", ".join(listed[:_NAMES]) + more

    singles = names(group[0] for group in best.crowd if len(group) == 1)
    reason = f"{singles or names(best.crowd[0])}: no opponent is left"
    if best.bottleneck:
        reason = f"{singles or names(best.crowd[0])} could only meet {names(best.bottleneck)}"
    hint = "forbid fewer boards" if constraints.rematch else "allow rematches, or fix boards"
    return InputError(
        f"round {players.round} cannot be paired by the absolute criteria: {reason}",
        file=players.tournament.file or None,
        hint=hint,
    )


#: Boards are paired again one by one, to see what stands against the first choice, up to
#: so many players.
COSTS_UP_TO = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class DutchProposal:
    """Result of `propose_dutch`."""

    pairing: DutchPairing
    explanations: tuple[BoardExplanation, ...]  #: Of every board, the bye last
    #: Boards asked about, by the numbers of both players, and what stands against each; None where
    #: the pairing has the board
    questions: tuple[tuple[tuple[int, int], Obstacle | None], ...]
    tournament: Tournament  #: The one that was paired, with the round


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
        As in `pair_dutch`.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """Why two players do not meet."""

    players: tuple[int, int]  #: Numbers of the players; -1 for the bye
    #: The first criterion that would be met worse (``C1`` to ``C21``, ``order``), empty if the
    #: others could not be paired at all, ``forbidden`` by the organiser
    criterion: str
    round: int = 0  #: Where they met; 0 if they did not
    score: float | None = None  #: Of the bracket concerned


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardExplanation:
    """One board explained."""

    board: DutchBoard
    #: The higher-ranked first; one for the bye. Empty for boards by hand.
    players: tuple[DutchPlayer, ...]
    bracket: BracketReport | None
    role: str  #: {"moved down", "homogeneous", "remainder", "bye", "by hand"}
    #: Places from 1 in the bracket or remainder of so many players (`size`)
    places: tuple[int, int] = (0, 0)
    size: int = 0
    #: The opponent of the first candidate, if another one came of it, and what stood against that
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


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundCheck:
    """A recorded round beside the rules."""

    tournament: Tournament
    round: int
    boards: int  #: Recorded games
    #: `recorded`, `expected`: boards that only one of both has, by numbers of the players, White
    #: first; -1 for the bye.
    recorded: tuple[tuple[int, int], ...]
    expected: tuple[tuple[int, int], ...]
    #: Recorded boards whose colours are exchanged, White first
    colours: tuple[tuple[int, int], ...]
    #: The first criterion that the recorded round meets worse. Of players who may not meet at all,
    #: their names.
    reason: Obstacle | None
    #: The round by the rules; None if there is none, as when players had to meet again
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
