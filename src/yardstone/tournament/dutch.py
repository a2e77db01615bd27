"""A round paired by FIDE's Dutch system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from yardstone.arrays import Flags
from yardstone.errors import InputError
from yardstone.parallel import Track
from yardstone.tournament.dutch_brackets import (
    Alternatives,
    BracketReport,
    CriterionStep,
    Level,
    PairTable,
    RoundPairs,
    may_meet,
    pair_brackets,
)
from yardstone.tournament.dutch_field import (
    ColourReason,
    DutchField,
    DutchPlayer,
    PieceColour,
    allocate,
    dutch_field,
)
from yardstone.tournament.model import Game, Tournament
from yardstone.tournament.pairing import (
    BoardsOfRound,
    Constraints,
    RoundBoard,
    check_by_hand,
    costs_wanted,
    free_tables,
    mates,
    nobody_left,
    recorded_boards,
    recorded_rounds,
    round_to_fill,
)


@dataclass(frozen=True, kw_only=True)
class DutchBoard(RoundBoard):
    """A game, or the bye; `first` has White."""

    #: What decided the colours; None for the bye and for boards fixed by hand
    reason: ColourReason | None = None
    bracket: int = -1  #: In which it was paired, from 0; -1 if fixed by hand


@dataclass(frozen=True, eq=False, kw_only=True)
class DutchPairing(BoardsOfRound[DutchBoard]):
    """Result of `pair_dutch`."""

    field: DutchField  #: The players with their state before the round
    initial: PieceColour  #: The initial colour
    drawn: bool  #: Whether it was drawn by lot now
    pairs: RoundPairs  #: The brackets with their criteria
    first: tuple[Level, ...] = ()  #: Criteria that came before those of the rules

    @cached_property
    def alternatives(self) -> Alternatives:
        """What stands against other boards."""
        return Alternatives(self.field, self.pairs, self.first)

    def added_to(self, tournament: Tournament) -> Tournament:
        """The tournament with these games, the bye, and the initial colour if it was drawn."""
        made = super().added_to(tournament)
        if not self.drawn:
            return made
        return replace(made, swiss=replace(made.swiss, initial_colour=self.initial.name))


def initial_colour(tournament: Tournament, seed: int = 0) -> tuple[PieceColour, bool]:
    """The initial colour, and whether it had to be drawn.

    It is what the file says; else what the first round shows; else a lot.
    """
    if tournament.swiss.initial_colour:
        return PieceColour[tournament.swiss.initial_colour], False
    if tournament.games:
        number = min(game.round for game in tournament.games)
        players = [p for g in tournament.round_games(number) for p in g.players]
        players += tournament.round_byes(number)
        order = dutch_field(tournament.before(number), number, players).players
        for place, each in enumerate(sorted(order, key=lambda p: p.number)):
            game = tournament.game_of.get((number, each.player))
            if game is not None and game.known_colour:
                white = (game.first == each.player) == (place % 2 == 0)
                return (PieceColour.white if white else PieceColour.black), False
    lot = np.random.default_rng(seed).integers(2)
    return (PieceColour.white if lot else PieceColour.black), True


def pair_dutch(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
) -> DutchPairing:
    """Pair a round by the rules of FIDE's Dutch system.

    FIDE Handbook C.04.3, the version applied from 2026: criteria C1 to C21, then the order in which
    its candidates are tried. Games of the round that stand already are kept.

    Args:
        round_number: By default the first round in which nobody is paired.
        constraints: Boards fixed by hand are no part of the pairing by rules.
        seed: Of the lot for the initial colour, where the tournament has none.

    Raises:
        InputError: The round cannot be paired; the message says why.
    """
    constraints = constraints or Constraints()
    number, kept, waiting = round_to_fill(tournament, round_number, constraints)
    by_hand = check_by_hand(tournament, constraints, waiting)
    everybody = dutch_field(tournament.before(number), number, waiting)
    players = replace(
        everybody, players=tuple(p for p in everybody.players if p.player not in by_hand)
    )
    allowed, first = _allowed_pairs(players, constraints)
    if len(players.players) % 2 and constraints.bye is not None:
        raise InputError("the bye is given by hand, and the other players are odd in number")
    pairs = pair_brackets(players, allowed, first=first)
    if not isinstance(pairs, RoundPairs):
        reason = nobody_left(players.name, pairs)
        raise tournament.error(
            f"round {number} cannot be paired by the absolute criteria: {reason}",
            hint="forbid fewer boards" if constraints.rematch else "allow rematches, or fix boards",
        )
    colour = initial_colour(tournament, seed)
    return _made(everybody, players, pairs, allowed, constraints, colour, kept, first)


def _allowed_pairs(players: DutchField, constraints: Constraints) -> tuple[Flags, list[Level]]:
    """Pairs that may be, and the criteria that come before those of the rules."""
    table = PairTable(players.players)
    allowed = table.allowed.copy()
    levels = []
    place = players.row_of
    if constraints.rematch:
        allowed |= table.met
        levels.append(Level("C1", -table.met.astype(np.int64), table.size // 2))
    forbidden = [frozenset(pair) for pair in constraints.forbidden]
    forbidden += players.tournament.swiss.forbidden_in(players.round)
    for group in forbidden:
        rows = [place[player] for player in group if player in place]
        allowed[np.ix_(rows, rows)] = False
    return allowed, levels


def _made(
    everybody: DutchField,
    players: DutchField,
    pairs: RoundPairs,
    allowed: Flags,
    constraints: Constraints,
    colour: tuple[PieceColour, bool],
    kept: tuple[Game, ...],
    first: Sequence[Level] = (),
) -> DutchPairing:
    """The pairing with its colours and tables.

    Tables go by the score of the higher-ranked player, of both, and pairing number (C.04.2, D.9).
    """
    n = len(players.players)
    sides = {frozenset(pair): pair for pair in constraints.fixed}
    boards = [
        (players.players[a], players.players[b], number)
        for number, bracket in enumerate(pairs.brackets)
        for a, b in bracket.pairs
    ]
    for pair in constraints.fixed:
        a, b = sorted(everybody.row_of[player] for player in pair)
        boards.append((everybody.players[a], everybody.players[b], -1))

    def importance(item: tuple[DutchPlayer, DutchPlayer, int]) -> tuple[float, float, int]:
        higher, lower = sorted(item[:2], key=lambda p: (-p.points, p.number))
        return -higher.points, -lower.points, higher.number

    def board(table: int, item: tuple[DutchPlayer, DutchPlayer, int]) -> DutchBoard:
        higher, lower, bracket = item
        given, reason = allocate(higher, lower, colour[0])
        both = higher.player, lower.player
        white, black = sides.get(
            frozenset(both), both[::-1] if given is PieceColour.black else both
        )
        why = None if bracket < 0 else reason
        return DutchBoard(table=table, first=white, second=black, reason=why, bracket=bracket)

    bye = None
    if n % 2:
        row = pairs.mate.index(n)
        last = next(k for k, each in enumerate(pairs.brackets) if row in each.downfloaters)
        bye = DutchBoard(table=0, first=players.players[row].player, second=-1, bracket=last)
    elif constraints.bye is not None:
        bye = DutchBoard(table=0, first=constraints.bye, second=-1)
    tables = free_tables(kept, len(boards))
    return DutchPairing(
        round=players.round,
        boards=tuple(map(board, tables, sorted(boards, key=importance))),
        bye=bye,
        kept=kept,
        allowed=allowed,
        row_of=players.row_of,
        field=players,
        initial=colour[0],
        drawn=colour[1],
        pairs=pairs,
        first=tuple(first),
    )


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
) -> DutchProposal:
    """Pair a round by the Dutch system and explain it.

    Args:
        tournament, round_number, constraints, seed: As in `pair_dutch`.
        questions (sequence of (int, int)): Boards of which is asked why they are not.
        costs: Whether to search for the criterion that stands against the first choice; by default
            up to 200 players.
    """
    pairing = pair_dutch(tournament, round_number, constraints=constraints, seed=seed)
    costs = costs_wanted(pairing, tournament, questions, costs)
    rows = pairing.row_of
    absent = frozenset() if constraints is None else constraints.absent
    paired = {board.players for board in pairing.all_boards}

    def obstacle_of(pair: tuple[int, int]) -> Obstacle | None:
        if frozenset(pair) in paired:
            return None
        return obstacle(pairing, rows[pair[0]], rows[pair[1]])

    return DutchProposal(
        pairing=pairing,
        explanations=explain_dutch(pairing, costs=costs),
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


def explain_dutch(pairing: DutchPairing, *, costs: bool = True) -> tuple[BoardExplanation, ...]:
    """Explain every board, the bye last.

    With `costs` the opponent is tried whom the order of candidates names first, where another one
    came of it, to see which criterion that would break.
    """
    boards = Track("boards", len(pairing.all_boards)).over(pairing.all_boards)
    return tuple(_explained(pairing, board, costs) for board in boards)


def _explained(pairing: DutchPairing, board: DutchBoard, costs: bool) -> BoardExplanation:
    field = pairing.field
    if board.bracket < 0:
        return BoardExplanation(board=board, players=(), bracket=None, role="by hand")
    bracket = pairing.pairs.brackets[board.bracket]
    rows = sorted(field.row_of[player] for player in board.players)
    players = tuple(field.players[row] for row in rows)
    bye = BoardExplanation(board=board, players=players, bracket=bracket, role="bye")
    if len(rows) == 1:
        return bye
    higher, lower = rows
    moved = dict(pair for pair in bracket.pairs if pair[0] in bracket.moved)
    if higher in moved:
        role, group, place = "moved down", list(bracket.residents), bracket.moved.index(higher)
        usual = group[list(moved).index(higher)]
    else:
        role = "remainder" if moved else "homogeneous"
        group = [row for row in bracket.residents if row not in moved.values()]
        half, place = len(bracket.pairs) - len(moved), group.index(higher)
        usual = group[place + half] if place < half else lower
    other = None if usual == lower else obstacle(pairing, higher, usual, search=costs)
    places = place + 1, group.index(lower) + 1
    return replace(bye, role=role, places=places, size=len(group), instead=other)


def obstacle(
    pairing: DutchPairing, one: int, other: int, *, search: bool = True
) -> Obstacle | None:
    """Why two players of a pairing do not meet; None if that is not searched for.

    They are named by their places in the field; the number of players stands for the bye. With
    `search` pairings with this board are tried, if it breaks no absolute criterion.
    """
    broken = _broken(pairing.field, pairing.allowed, one, other)
    if broken is not None or not search:
        return broken
    pair = pairing.field.number(one), pairing.field.number(other)
    criterion, score = pairing.alternatives.against(one, other)
    return Obstacle(players=pair, criterion=criterion, score=score)


def _broken(field: DutchField, allowed: Flags, one: int, other: int) -> Obstacle | None:
    """The absolute criterion that a board of two rows would break, if any."""
    pair = field.number(one), field.number(other)
    if -1 in pair:
        barred = field.players[min(one, other)].bye_barred
        criterion = "C2" if barred else ""
    else:
        criterion = may_meet(field.players[one], field.players[other])
    if not criterion and not allowed[one, other]:
        criterion = "forbidden"
    if not criterion:
        return None
    met = [
        game.round
        for game in field.tournament.games
        if criterion == "C1" and set(game.players) == set(pair) and not game.forfeit
    ]
    return Obstacle(players=pair, criterion=criterion, round=max(met, default=0))


def _listed(pairs: RoundPairs) -> list[tuple[CriterionStep, float | None]]:
    """All steps of a round in their order, with the score of the bracket."""
    steps: list[tuple[CriterionStep, float | None]] = [(step, None) for step in pairs.steps]
    return steps + [(step, each.score) for each in pairs.brackets for step in each.steps]


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


def check_rounds(tournament: Tournament, round_number: int | None = None) -> tuple[RoundCheck, ...]:
    """Pair a recorded round again by the Dutch system, by default each of them.

    Those are paired who had a game or the bye; so late entries that were paired after the others,
    and boards that an arbiter changed, show as differences.

    Raises:
        InputError: No round is recorded yet, or that one is not.
    """
    rounds = recorded_rounds(tournament, round_number)
    track = Track("rounds", len(rounds))
    return tuple(_checked(tournament, number) for number in track.over(rounds))


def _checked(tournament: Tournament, number: int) -> RoundCheck:
    games, pairs = recorded_boards(tournament, number)
    field = dutch_field(
        tournament.before(number), number, [p for pair in pairs for p in pair if p >= 0]
    )
    allowed, _ = _allowed_pairs(field, Constraints())
    rival = mates(pairs, field.row_of, len(allowed))
    # The first recorded board that breaks an absolute criterion.
    boards = ((a, b) for a, b in enumerate(rival.tolist()) if a < b and not allowed[a, b])
    absolute = next((_broken(field, allowed, *board) for board in boards), None)
    solved = pair_brackets(field, allowed, rival=None if absolute else rival)
    check = RoundCheck(
        tournament=tournament,
        round=number,
        boards=len(games),
        recorded=tuple(pairs),
        expected=(),
        colours=(),
        reason=absolute,
        by_rules=None,
    )
    if not isinstance(solved, RoundPairs):
        return check
    ours = _made(field, field, solved, allowed, Constraints(), initial_colour(tournament), ())
    expected = [(board.first, board.second) for board in ours.all_boards]
    mine, theirs = ({frozenset(pair) for pair in each} for each in (expected, pairs))
    unknown = {frozenset(g.players) for g in games if not g.known_colour}
    worse = (
        Obstacle(players=(-1, -1), criterion=step.criterion, score=score)
        for step, score in _listed(solved)
        if step.rival is not None and step.rival < step.best
    )
    turned = (pair for pair in pairs if frozenset(pair) in mine - unknown and pair not in expected)
    return replace(
        check,
        recorded=tuple(pair for pair in pairs if frozenset(pair) not in mine),
        expected=tuple(pair for pair in expected if frozenset(pair) not in theirs),
        colours=tuple(turned),
        reason=absolute or next(worse, None),
        by_rules=ours,
    )
