"""Pairs the next round of a tournament."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, count, islice
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Flags, Longs
from yardstone.choices import plural
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.tournament._pairing import (
    CRITERIA,
    ENTRANT,
    board_values,
    match_field,
    place_groups,
    record_games,
    side_list,
)
from yardstone.tournament.matching import Matching, force, maximum_matching
from yardstone.tournament.model import (
    Bye,
    ByeKind,
    Game,
    PairingRules,
    Result,
    Tournament,
)
from yardstone.tournament.notation import listed
from yardstone.tournament.standings_table import (
    Scores,
    category,
    default_criteria,
    initial_score,
    standings,
)

BoardKind = TypeVar("BoardKind", bound="RoundBoard")
Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class RoundBoard:
    """A proposed game, or the bye."""

    table: int  #: From 1; 0 for the bye
    first: int  #: Number of the player who moves first, or who has the bye
    second: int  #: Number of the other player; -1 for the bye
    handicap: int = 0  #: Stones given to `first`

    @property
    def players(self) -> frozenset[int]:
        """Both players, or the one with the bye."""
        return frozenset((self.first, self.second) if self.second >= 0 else (self.first,))


@dataclass(frozen=True, kw_only=True)
class PairedBoard(RoundBoard):
    """A board with its value."""

    values: Mapping[str, int]  #: What the board is worth by each criterion
    fixed: bool = False  #: Demanded by hand

    @property
    def weight(self) -> int:
        """Sum of the values."""
        return sum(self.values.values())


@dataclass(frozen=True, eq=False, kw_only=True)
class BoardsOfRound(Generic[BoardKind]):
    """The boards that were proposed for a round."""

    round: int
    boards: tuple[BoardKind, ...]  #: By tables
    bye: BoardKind | None  #: Of the player without an opponent
    kept: tuple[Game, ...]  #: Games of the round that stood already and were left alone
    #: (n, n) or, for odd n, (n + 1, n + 1): which boards could be, by rows of the players that
    #: were paired; the last row is the bye
    allowed: Flags
    row_of: Mapping[int, int]  #: Row of each of them by the player's number

    @cached_property
    def all_boards(self) -> tuple[BoardKind, ...]:
        """The boards, and the bye behind them if there is one."""
        return self.boards if self.bye is None else (*self.boards, self.bye)

    def games(self) -> tuple[Game, ...]:
        """The boards as games without a result."""
        names = ("table", "first", "second", "handicap")
        return tuple(
            Game(round=self.round, **{name: getattr(board, name) for name in names})
            for board in self.boards
        )

    def added_to(self, tournament: Tournament) -> Tournament:
        """The tournament with these games, and the bye, in the round."""
        byes = () if self.bye is None else (Bye(self.round, self.bye.first),)
        return tournament.with_round(self.games(), byes)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairing(BoardsOfRound[PairedBoard]):
    """A round's boards with their weights."""

    entrants: Entrants  #: Who was paired, with their state before the round

    @property
    def weight(self) -> int:
        """Sum of the weights of all boards; that of the bye counts as well."""
        return sum(board.weight for board in self.all_boards)

    @cached_property
    def values(self) -> dict[str, int]:
        """Total value by each criterion."""
        return {name: sum(board.values[name] for board in self.all_boards) for name in CRITERIA}

    @cached_property
    def mate(self) -> Longs:
        """The opponent of each entrant by row; the number of rows stands for the bye."""
        pairs = ((board.first, board.second) for board in self.boards)
        return mates(pairs, self.row_of, len(self.entrants))


def pair_round(
    tournament: Tournament,
    round_number: int | None = None,
    *,
    rules: PairingRules | None = None,
    constraints: Constraints | None = None,
) -> Pairing:
    """The pairing of the largest weight for a round.

    Games of the round that stand already are kept, and only those players are paired who have
    neither a game nor a bye in it: late entries, for example.

    Args:
        round_number: By default the first round in which nobody is paired.
        rules: By default the tournament's own.
        constraints: Boards fixed and forbidden, absent players, the bye.

    Raises:
        InputError: What is demanded cannot be: no such round, open results, a player fixed twice,
            nobody to pair, an odd field without a bye, or players who could only meet the same few
            opponents. The message says whom it concerns.
    """
    constraints = constraints or Constraints()
    number, kept, players = round_to_fill(tournament, round_number, constraints)
    check_by_hand(tournament, constraints, players)
    entrants = enter(
        tournament.before(number), number, rules or PairingRules.of(tournament), players
    )
    row, n = entrants.row_of, len(entrants)
    fixed = [(row[a], row[b]) for a, b in constraints.fixed]
    if constraints.bye is not None:
        fixed.append((row[constraints.bye], n))
    allowed = allowed_boards(entrants, constraints)
    force(allowed, fixed)
    mate = best_boards(entrants, allowed)
    if mate is None:
        raise impossible(entrants, allowed, constraints)
    return made_pairing(entrants, mate, kept, allowed, fixed)


def best_boards(entrants: Entrants, allowed: Flags) -> Longs | None:
    """The partner of each row in the boards of the largest weight; None if there is no pairing."""
    sound, mate = match_field(entrants.entries, entrants.met, entrants.numbers, allowed)
    if not sound:
        raise ModelError("the weights are too large for a field of this size")
    return None if mate.min() < 0 else mate


def values_of(entrants: Entrants, a: int, b: int) -> dict[str, int]:
    """What the board of two rows is worth by each criterion; b behind the last is the bye."""
    values: dict[str, int] = board_values(entrants.entries, a, b, entrants.met, entrants.numbers)
    return values


def made_pairing(
    entrants: Entrants,
    mate: Longs,
    kept: tuple[Game, ...],
    allowed: Flags,
    fixed: Collection[tuple[int, int]] = (),
) -> Pairing:
    """The pairing in which every row has the partner that `mate` names."""
    n = len(entrants)
    by_hand = {frozenset(pair) for pair in fixed}
    player = [*entrants.players.tolist(), -1]

    def board(table: int, a: int, b: int, handicap: int) -> PairedBoard:
        return PairedBoard(
            table=table,
            first=player[a],
            second=player[b],
            handicap=handicap,
            values=values_of(entrants, a, b),
            fixed=frozenset((a, b)) in by_hand,
        )

    seated = (each.tolist() for each in side_list(entrants.entries, mate[:n], entrants.numbers))
    return Pairing(
        round=entrants.round,
        boards=tuple(map(board, free_tables(kept, n // 2), *seated)),
        bye=board(0, int(np.flatnonzero(mate[:n] == n)[0]), n, 0) if n % 2 else None,
        kept=kept,
        allowed=allowed,
        row_of=entrants.row_of,
        entrants=entrants,
    )


_LOTS = 2**31


@dataclass(frozen=True, eq=False)
class Entrants:
    """The players of one round's pairing, as arrays."""

    tournament: Tournament  #: The state before the round
    round: int
    rules: PairingRules
    #: (n,) Numbers of the players in the tournament; all other arrays count by place in this one
    players: Longs
    entries: NDArray[np.void]  #: (n,) Their scores, groups and history
    met: NDArray[np.int8]  #: (n, n) Games that two of them have played with each other
    numbers: Mapping[str, float]  #: `PairingRules.numbers` of the round

    def __len__(self) -> int:
        return len(self.players)

    @cached_property
    def row_of(self) -> dict[int, int]:
        """Row of each player by the number in the tournament."""
        return {player: row for row, player in enumerate(self.players.tolist())}

    def name(self, row: int) -> str:
        """Full name of a player by row; the row behind the last is the bye."""
        if row == len(self):
            return "the bye"
        return self.tournament.name_of(int(self.players[row]))


def enter(
    before: Tournament, round_number: int, rules: PairingRules, players: Collection[int]
) -> Entrants:
    """Collect what pairing needs to know of some players, by number, before a round.

    `before` is the tournament without games of that round and later ones (`Tournament.before`).
    """
    chosen = np.array(sorted(players), np.int64)
    n = len(before.players)
    scores = Scores.of(before)
    now = round_number - 1
    lacking = (0, 0), (0, max(now + 1 - scores.mms2.shape[1], 0))
    mms2, wins2 = (np.pad(each, lacking, "edge") for each in (scores.mms2, scores.wins2))
    main2 = mms2 if rules.by_mcmahon else wins2
    entries = np.zeros(n, ENTRANT)
    met = _fill_history(before, entries, main2, rules.half_points)
    entries["score"] = main2[:, now]
    entries["mms"] = mms2[:, now]
    entries["wins"] = wins2[:, now]
    entries["lot"] = _lots(before)
    entries["order"] = _order(before, round_number, rules)
    for row, player in enumerate(before.players):
        entries["category"][row] = category(player, before.scoring)
        entries["rank"][row] = rules.zero if player.rank is None else player.rank
        entries["initial"][row] = initial_score(player, before.scoring)
    _fill_geography(before, entries)
    mine = np.ascontiguousarray(entries[chosen])
    numbers = rules.numbers(round_number)
    place_groups(mine, numbers)
    whole = np.ascontiguousarray(met[np.ix_(chosen, chosen)])
    return Entrants(before, round_number, rules, chosen, mine, whole, numbers)


def _order(before: Tournament, round_number: int, rules: PairingRules) -> Longs:
    """Place of every player in the standings, with the further criterion of seeding."""
    early = round_number <= rules.seed_last_round_1
    extra = (rules.seed_criterion_1 if early else rules.seed_criterion_2).upper()
    names = [*default_criteria(before), *([] if extra in ("", "NULL") else [extra])]
    main = "MMS" if rules.by_mcmahon else "NBW"
    if main not in names:
        names.insert(0, main)
    now = min(round_number - 1, max(before.rounds, before.last_round))
    reached = [name for name in names if "@" not in name]
    table_of = partial(standings, before, round_number=now, everybody=True)
    try:
        table = table_of(criteria=names)
    except UsageError:  # criteria of a round that has not been reached yet
        if reached == names:
            raise
        table = table_of(criteria=reached)
    place = np.empty(len(before.players), np.int64)
    place[table.order] = np.arange(len(place))
    return place


def _lots(before: Tournament) -> Longs:
    """A number for every player that depends on the name alone, all different."""
    lots: dict[int, None] = {}
    for player in before.players:
        digest = hashlib.blake2b(player.full_name.encode("utf-8", "replace"), digest_size=8)
        lot = int.from_bytes(digest.digest(), "big") % _LOTS
        while lot in lots:
            lot = (lot + 1) % _LOTS
        lots[lot] = None
    return np.array([*lots], np.int64)


def _fill_geography(before: Tournament, entries: NDArray[np.void]) -> None:
    """Numbers for clubs, groups of clubs and countries; -1 where nothing is known."""
    group_of = {
        club.strip().casefold(): f"\0{number}"
        for number, group in enumerate(before.club_groups)
        for club in group
    }
    codes: dict[str, dict[str, int]] = {"club": {}, "club_group": {}, "country": {}}
    for row, player in enumerate(before.players):
        club, country = player.club.strip().casefold(), player.country.strip().casefold()
        texts = (club, group_of.get(club, club), country)
        for text, (column, known) in zip(texts, codes.items(), strict=True):
            entries[column][row] = known.setdefault(text, len(known)) if text else -1


def _fill_history(
    before: Tournament, entries: NDArray[np.void], main2: Longs, half_points: bool
) -> NDArray[np.int8]:
    """Colours, floats and byes so far; returns who has met whom how often."""
    n = len(entries)
    met, forfeited = np.zeros((2, n, n), np.int8)
    for number in range(1, before.last_round + 1):
        entries["score"] = main2[:, number - 1]
        for forfeit, counted in ((False, met), (True, forfeited)):
            games = [g for g in before.games if g.round == number and g.forfeit is forfeit]
            one, two = (np.array([g.players[side] for g in games], np.int64) for side in (0, 1))
            uneven = [forfeit or g.handicap > 0 or not g.known_colour for g in games]
            record_games(entries, counted, one, two, np.array(uneven, np.int64), half_points)
    for game in before.games:
        if game.forfeit:
            for player in game.players:
                entries["byes"][player] += game.points(player) > 0
    for bye in before.byes:
        entries["byes"][bye.player] += bye.kind in (ByeKind.paired, ByeKind.full)
    return met


#: So many names stand in an error.
_MOST_NAMES = 8


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """What the organiser demands of a round. Players are named by their numbers from 0."""

    fixed: tuple[tuple[int, int], ...] = ()  #: Boards that must be
    forbidden: tuple[tuple[int, int], ...] = ()  #: Boards that must not be
    #: Players who do not take part, beside those whom the file says to be absent
    absent: frozenset[int] = frozenset()
    bye: int | None = None  #: Who stays without an opponent
    no_bye: bool = False  #: Refuse a field of odd size
    rematch: bool = False  #: Allow games between players who have met before
    #: Pair although results of earlier rounds are missing; such games count nothing
    open_results: bool = False


def round_to_fill(
    tournament: Tournament, round_number: int | None, constraints: Constraints
) -> tuple[int, tuple[Game, ...], list[int]]:
    """The round to pair (the first without boards), its games so far, and who is to play."""
    number = tournament.next_round if round_number is None else round_number
    check_round(tournament, number, constraints)
    kept = tournament.round_games(number)
    players = to_be_paired(tournament, number, constraints)
    if not players:
        raise tournament.error(
            f"round {number}: no players are left to pair",
            hint="it is paired already; take its boards back to pair it again" if kept else None,
        )
    if constraints.no_bye and len(players) % 2:
        raise tournament.error(
            f"round {number}: {len(players)} players, an odd number",
            hint="allow a bye, or let a player sit out",
        )
    return number, kept, players


def check_round(tournament: Tournament, number: int, constraints: Constraints) -> None:
    """Refuse a round that does not exist, comes too early, or follows open results."""
    if not 1 <= number <= tournament.rounds:
        raise tournament.error(
            f"round {number} cannot be paired: the tournament has {tournament.rounds} rounds",
            hint="change the number of rounds first" if number > tournament.rounds else None,
        )
    if number > 1 and not any(game.round == number - 1 for game in tournament.games):
        raise tournament.error(f"round {number} cannot be paired before round {number - 1}")
    open_games = [
        game for game in tournament.games if game.round < number and game.result is Result.unknown
    ]
    if open_games and not constraints.open_results:
        game = open_games[0]
        names = map(tournament.name_of, game.players)
        raise tournament.error(
            f"{plural(len(open_games), 'game')} of earlier rounds without a result: "
            f"round {game.round}, table {game.table}, {' - '.join(names)}",
            line=game.line,
            hint="enter the results, or allow open ones",
        )


def to_be_paired(tournament: Tournament, number: int, constraints: Constraints) -> list[int]:
    """Numbers of the players who have neither a game nor a bye in the round."""
    busy = {p for game in tournament.round_games(number) for p in game.players}
    busy |= {bye.player for bye in tournament.byes if bye.round == number}
    for pair in constraints.fixed:
        for player in pair:
            who = tournament.name_of(player)
            if player in busy:
                raise InputError(f"{who} is paired already in round {number}")
            if player in constraints.absent or not tournament.players[player].takes_part(number):
                raise InputError(f"{who} does not take part in round {number}")
    return [
        row
        for row, player in enumerate(tournament.players)
        if player.takes_part(number) and row not in busy and row not in constraints.absent
    ]


def check_by_hand(
    tournament: Tournament, constraints: Constraints, waiting: Collection[int]
) -> set[int]:
    """The players on fixed boards, and who has the bye by hand; refuse what contradicts itself."""
    banned = {frozenset(pair) for pair in constraints.forbidden}
    taken: set[int] = set()
    for pair in constraints.fixed:
        one, two = map(tournament.name_of, pair)
        if pair[0] == pair[1]:
            raise InputError(f"board {one} - {two}: a player cannot meet himself")
        if frozenset(pair) in banned:
            raise InputError(f"board {one} - {two} is both fixed and forbidden")
        if twice := taken & set(pair):
            raise InputError(f"{one if pair[0] in twice else two} is on two fixed boards")
        taken |= set(pair)
    if constraints.bye is not None:
        who = tournament.name_of(constraints.bye)
        if len(waiting) % 2 == 0:
            raise InputError(f"no bye for {who}: the number of players is even")
        if constraints.bye not in waiting:
            raise InputError(f"no bye for {who}, who is not to be paired")
        if constraints.bye in taken:
            raise InputError(f"{who} is on a fixed board and cannot have the bye")
        taken.add(constraints.bye)
    return taken


def allowed_boards(entrants: Entrants, constraints: Constraints) -> Flags:
    """Which boards may be, by rows; the row behind the last is the bye."""
    n = len(entrants)
    whole = n + n % 2
    allowed = np.ones((whole, whole), np.bool_)
    np.fill_diagonal(allowed, False)
    if not constraints.rematch:
        allowed[:n, :n] &= entrants.met == 0
    row = entrants.row_of
    for a, b in constraints.forbidden:
        if a in row and b in row:
            allowed[row[a], row[b]] = allowed[row[b], row[a]] = False
    for a, b in constraints.fixed:
        allowed[row[a], row[b]] = allowed[row[b], row[a]] = True
    return allowed


def impossible(entrants: Entrants, allowed: Flags, constraints: Constraints) -> InputError:
    """Why there is no pairing: whom the players concerned could meet."""
    matching = maximum_matching(np.zeros(allowed.shape, np.int64), allowed)
    forbid = "forbid fewer boards"
    return entrants.tournament.error(
        f"round {entrants.round} cannot be paired: {nobody_left(entrants.name, matching)}",
        hint=forbid if constraints.rematch else f"allow rematches, or {forbid}",
    )


def nobody_left(name: Callable[[int], str], matching: Matching) -> str:
    """Whom the players could meet for whom no opponent is left, called by the `name` of a row."""

    def names(rows: Iterable[int]) -> str:
        return listed(list(map(name, rows)), _MOST_NAMES)

    crowd = matching.crowd
    singles = [group[0] for group in crowd if len(group) == 1]
    others = len(crowd) - len(singles)
    who = names(singles) + (f" and {plural(others, 'other group')}" if others and singles else "")
    if not singles:
        who = f"{others} groups of players ({names(crowd[0])}; ...)"
    if matching.bottleneck:
        return f"{who} could only meet {names(matching.bottleneck)}"
    if len(crowd[0]) > 1:
        return f"{names(crowd[0])} could only meet each other, and are an odd number"
    return f"{who}: no opponent is left"


def free_tables(kept: Collection[Game], needed: int) -> list[int]:
    """The lowest numbers of tables that are not in use."""
    taken = {game.table for game in kept}
    free = (number for number in count(1) if number not in taken)
    return list(islice(free, needed))


def recorded_rounds(tournament: Tournament, round_number: int | None) -> list[int]:
    """The round named, or else all that have games."""
    rounds = [round_number] if round_number else sorted({game.round for game in tournament.games})
    if not rounds:
        raise tournament.error("no round is recorded yet")
    return rounds


def mates(pairs: Iterable[tuple[int, int]], row_of: Mapping[int, int], size: int) -> Longs:
    """The opponent of each row in these boards by players; -1 and the row behind all: the bye."""
    row = {**row_of, -1: len(row_of)}
    mate = np.full(size, len(row_of), np.int64)
    for one, other in pairs:
        mate[row[one]], mate[row[other]] = row[other], row[one]
    return mate


def recorded_boards(
    tournament: Tournament, number: int
) -> tuple[tuple[Game, ...], list[tuple[int, int]]]:
    """The games of a round, and all its boards by players; -1 stands for the bye."""
    games, byes = tournament.round_games(number), tournament.round_byes(number)
    if not games:
        raise tournament.error(f"round {number} has no games to compare with")
    if len(byes) > 1:
        raise tournament.error(f"round {number} has {len(byes)} byes")
    return games, [g.players for g in games] + [(player, -1) for player in byes]


#: Boards are paired again one by one, to see what each is worth, up to so many players.
_COSTS_UP_TO = 200


def costs_wanted(
    pairing: BoardsOfRound[Any],
    tournament: Tournament,
    questions: Iterable[tuple[int, int]],
    costs: bool | None,
) -> bool:
    """Whether boards are paired again, if nobody says; refuse questions about other players."""
    for player in chain.from_iterable(questions):
        if player not in pairing.row_of:
            raise InputError(f"{tournament.name_of(player)} is not to be paired")
    return len(pairing.row_of) <= _COSTS_UP_TO if costs is None else costs
