"""Rounds of an event: who takes part, pairing, results, sheets of results."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from yardstone.errors import InputError, UsageError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.results import SCORES, meanings, normalized, pair_of
from yardstone.records.sources import delimited_rows
from yardstone.tournament.dutch import DutchProposal, propose_dutch
from yardstone.tournament.event.entries import columns_of, plain_letters, remove_player
from yardstone.tournament.event.settings import (
    EventChange,
    EventWishes,
    check_planned,
    done,
    unchanged,
    with_wishes,
)
from yardstone.tournament.explanation import Proposal, propose_round, without_rounds
from yardstone.tournament.formats.opengotha import LAST_ROUND
from yardstone.tournament.model import Bye, ByeKind, Game, Result, System, Tournament
from yardstone.tournament.notation import number_text, score_of
from yardstone.tournament.pairing import Constraints, to_be_paired
from yardstone.tournament.round_robin import RoundRobin, pair_round_robin


def withdraw(
    tournament: Tournament, player: int, round_number: int | None = None, *, only: bool = False
) -> EventChange:
    """A player (by number from 0) does not take part from a round on, or in it `only`.

    By default it is the first round without boards.

    Raises:
        InputError: There is no such round, or the player has a game or a bye in it or later.
    """
    number = _round(tournament, round_number)
    who = tournament.name_of(player)
    last = number if only else max(tournament.rounds, LAST_ROUND)
    for at in range(number, last + 1):
        bye = tournament.bye_of.get((at, player))
        if (at, player) in tournament.game_of or (bye and bye.kind is not ByeKind.zero):
            thing = "a game" if (at, player) in tournament.game_of else "the bye"
            raise tournament.error(
                f"{who} has {thing} in round {at}",
                hint="enter the result as a forfeit, or take the boards of the round back",
            )
    absent = _absences(tournament, player) | frozenset(range(number, last + 1))
    when = f"in round {number}" if only else f"from round {number} on"
    made = _attending(tournament, player, absent)
    if made is tournament:
        return unchanged(tournament, f"{who} is absent {when} already.")
    rules, mcmahon = tournament.scoring, tournament.system is System.mcmahon
    points = rules.score_absent if mcmahon else rules.wins_absent
    worth = f"{number_text(points)} {'point' if points in (0.5, 1) else 'points'} a round"
    return done(made, f"{who} does not take part {when}: {worth}.")


def rejoin(
    tournament: Tournament, player: int, round_number: int | None = None, *, only: bool = False
) -> EventChange:
    """A player takes part from a round on, by default from the first without boards.

    With `only` it is about that round, and later absences stay.
    """
    number = _round(tournament, round_number)
    who = tournament.name_of(player)
    absent = _absences(tournament, player)
    kept = absent - {number} if only else frozenset(at for at in absent if at < number)
    says = f"{who} takes part " + (f"in round {number}" if only else f"from round {number} on")
    made = _attending(tournament, player, kept)
    if made is tournament:
        return unchanged(tournament, f"{says} already.")
    return done(made, f"{says}.")


def give_bye(
    tournament: Tournament,
    player: int,
    round_number: int | None = None,
    *,
    replace_other: bool = False,
) -> EventChange:
    """Give a player (by number from 0) the bye of a round, before the round is paired or after.

    By default it is the first round without boards. A file of OpenGotha has one bye a round; with
    `replace_other` it may be taken from another player.

    Raises:
        InputError: The player has a game or is absent, or another one has the bye.
    """
    number = _round(tournament, round_number)
    entry = tournament.players[player]
    who = entry.full_name
    if (number, player) in tournament.bye_of:
        return unchanged(tournament, f"{who} has the bye of round {number} already.")
    if (number, player) in tournament.game_of:
        raise tournament.error(f"{who} has a game in round {number}")
    if not entry.takes_part(number):
        raise tournament.error(f"{who} does not take part in round {number}")
    others = _bye_names(tournament, number)
    if others and not replace_other:
        raise tournament.error(
            f"{others[0]} has the bye of round {number}, and a round has one",
            hint="replace it, or let the player be absent",
        )
    byes = [bye for bye in tournament.byes if bye.round != number]
    made = replace(tournament, byes=(*byes, Bye(number, player, ByeKind.paired)))
    lost = [f"{other} has it no longer, and is to be paired." for other in others]
    return done(made, f"{who} has the bye of round {number}.", *lost)


def take_bye_back(
    tournament: Tournament, player: int, round_number: int | None = None
) -> EventChange:
    """The player has no bye in the round, and is to be paired."""
    number = _round(tournament, round_number)
    who = tournament.name_of(player)
    bye = tournament.bye_of.get((number, player))
    if bye is None:
        return unchanged(tournament, f"{who} has no bye in round {number}.")
    made = replace(tournament, byes=tuple(each for each in tournament.byes if each != bye))
    return done(made, f"{who} has no bye in round {number} any more.")


#: What can be done with a player from a round on, or in it alone; an entry goes as a whole.
PLAYER_STEPS: Mapping[str, Callable[[Tournament, int, int | None], EventChange]] = {
    "absent": partial(withdraw, only=True),
    "withdraw": withdraw,
    "play": partial(rejoin, only=True),
    "rejoin": rejoin,
    "bye": give_bye,
    "no-bye": take_bye_back,
    "remove": lambda tournament, player, _: remove_player(tournament, player),
}


def _round(tournament: Tournament, round_number: int | None) -> int:
    number = tournament.next_round if round_number is None else round_number
    if round_number is None and number > tournament.rounds:
        raise tournament.error("all rounds are paired", hint="name the round")
    check_planned(tournament, number)
    return number


def _attending(tournament: Tournament, player: int, absent: frozenset[int]) -> Tournament:
    """The tournament in which a player is absent from these rounds; the same one if so already."""
    chess = tournament.discipline == "chess"
    if chess:
        absent = frozenset(at for at in absent if at <= tournament.rounds)
    if _absences(tournament, player) == absent:
        return tournament
    if not chess:
        return tournament.with_player(player, replace(tournament.players[player], absent=absent))
    byes = tuple(b for b in tournament.byes if b.player != player or b.kind is not ByeKind.zero)
    made = replace(tournament, byes=byes)  # files of FIDE know byes alone
    for at in sorted(absent):
        made = made.with_absent({player}, at)
    return made


def _absences(tournament: Tournament, player: int) -> frozenset[int]:
    """The rounds without the player: by the entry, or by byes of no points."""
    zero = {b.round for b in tournament.byes if b.player == player and b.kind is ByeKind.zero}
    return tournament.players[player].absent | zero


#: By which rules a round is paired: Berger's tables, FIDE's Dutch system, or weights.
PairingSystem = Literal["round-robin", "dutch", "weights"]


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedRound(EventChange):
    """A round with its boards: the step, and what is to be said of it."""

    number: int
    proposal: Proposal | DutchProposal | RoundRobin  #: The boards, and the reasons
    notes: tuple[str, ...] = ()  #: Which wishes were kept


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

    By default the first without boards. In a round with boards only those are paired who have
    neither a game nor a bye, such as late entries. `options` are those of
    `yardstone.tournament.explanation.propose_round`, `yardstone.tournament.dutch.propose_dutch` or
    `yardstone.tournament.round_robin.pair_round_robin`, by the `system` (`usual_system`).
    """
    wishes = wishes or EventWishes()
    number = tournament.next_round if round_number is None else round_number
    demanded = constraints or Constraints()
    system = system or usual_system(tournament, wishes)
    made: Proposal | DutchProposal | RoundRobin
    if system == "round-robin":
        made = pair_round_robin(tournament, number, constraints=demanded, **options)
        paired = made.added_to(tournament.with_absent(demanded.absent, number))
        byes, notes = _bye_names(paired, number), []
        if tournament.discipline == "go" and len(byes) > 1:
            notes = [f"OpenGotha keeps one bye a round, of {', '.join(byes)}."]
    else:
        _check_bye(tournament, number, demanded)
        wanted, notes = with_wishes(demanded, tournament, wishes.wishes, number)
        propose = propose_dutch if system == "dutch" else propose_round
        try:
            made = propose(tournament, number, constraints=wanted, **options)
        except InputError as error:
            plain = {**options, "costs": False, "questions": ()}
            told = error
            if wanted is not demanded:
                with suppress(InputError):  # without the wishes too
                    propose(tournament, number, constraints=demanded, **plain)
                    message = f"{error.message}, with the wishes ({'; '.join(notes)})"
                    told = InputError(message, file=error.file, hint="take a wish back")
            raise told from None
        paired = made.tournament
    games, byes = paired.round_games(number), _bye_names(paired, number)
    boards = f"{len(games)} {'board' if len(games) == 1 else 'boards'}"
    bye = f", bye for {', '.join(byes)}" if byes else ""
    lines = (f"Round {number} is paired: {boards}{bye}.",)
    return PairedRound(
        tournament=paired, lines=lines, number=number, proposal=made, notes=tuple(notes)
    )


def _bye_names(tournament: Tournament, number: int) -> list[str]:
    """Who has a bye in a round."""
    return [tournament.name_of(bye.player) for bye in tournament.byes if bye.round == number]


def _check_bye(tournament: Tournament, number: int, constraints: Constraints) -> None:
    """Refuse a second bye in a round of Go: OpenGotha keeps one."""
    byes = _bye_names(tournament, number)
    if tournament.discipline != "go" or not byes or not 1 <= number <= tournament.rounds:
        return
    left = len(to_be_paired(tournament, number, constraints))
    if left % 2:
        players = "1 player is" if left == 1 else f"{left} players are"
        raise tournament.error(
            f"round {number}: {byes[0]} has the bye, and {players} to be paired, an odd number",
            hint="take the bye back, or let somebody be absent in this round",
        )


def unpair_round(tournament: Tournament, round_number: int | None = None) -> EventChange:
    """Take back the boards of the last round, or of a round and all later ones, without results."""
    number = tournament.last_round if round_number is None else round_number
    if not number or not tournament.round_games(number):
        raise tournament.error(f"round {number or 1} is not paired")
    made, _ = without_rounds(tournament, number, keep_results=True)
    return done(made, f"The boards of round {number} are taken back.")


#: So many tables without a result are named.
_TABLES = 8
_FORFEIT = re.compile(r" ?\(?(?:ff?|!|forfeit|by forfeit|by default)\)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """A result as somebody reports it."""

    #: Of the game as it stands on the wall: its first-named player is the one who moves first
    result: Result
    forfeit: bool = False  #: Decided without play
    round: int
    table: int | None = None  #: Table of the game
    #: Both players by number instead; then the result is that of the first one named
    players: tuple[int, int] | None = None
    line: int = 0  #: Where a sheet says it; 0 if unknown


def parse_score(text: str) -> tuple[Result, bool]:
    """A result, and whether it is one by forfeit, from ``1-0`` and the like.

    The first-named player comes first: ``1-0``, ``0-1``, ``½-½`` (or ``0.5-0.5``, ``1/2-1/2``,
    ``=``), ``0-0`` if both lose, ``1-1`` if both win, ``?`` if it is open again. A forfeit has an F
    or ! behind it, or is written ``+--``, ``--+``, ``---``.

    Raises:
        UsageError: It is no such text.

    Examples:
        >>> parse_score("1-0"), parse_score("0-1 F")
        ((<Result.first_wins: 'first wins'>, False), (<Result.second_wins: 'second wins'>, True))
    """
    key = normalized(text)
    if key == "?":
        return Result.unknown, False
    plain, forfeits = _FORFEIT.subn("", key)
    points = pair_of(plain)
    if points is not None:
        forfeits += plain[0] in "+-"
    elif (value := (said := meanings(plain)).get("", said.get("points"))) is not None:
        points = (SCORES[value], SCORES[-value])
    result = None if points is None else Result.of(points)
    if result in (None, Result.first_half, Result.second_half):
        raise UsageError(
            f"{text!r} is not a result: write 1-0, 0-1, ½-½ (or 0.5-0.5), 0-0 if both lose, "
            "with an F behind it for a forfeit, ? if it is open"
        )
    return result, bool(forfeits)


def find_game(
    tournament: Tournament,
    round_number: int,
    *,
    table: int | None = None,
    players: tuple[int, int] | None = None,
) -> Game:
    """The game of a round at a table, or between two players."""
    check_planned(tournament, round_number)
    games = tournament.round_games(round_number)
    if not games:
        raise tournament.error(f"round {round_number} is not paired yet", hint="pair it first")
    if players is not None:
        candidates = [g for g in games if set(g.players) == set(players)]
        names = " and ".join(tournament.name_of(row) for row in players)
        missing = f"{names} do not meet in round {round_number}"
    else:
        candidates = [g for g in games if g.table == table]
        missing = f"round {round_number} has no table {table}"
    if not candidates:
        tables = f"tables {games[0].table} to {games[-1].table}"
        raise tournament.error(missing, hint=f"it has {tables}")
    if len(candidates) > 1:
        raise tournament.error(f"round {round_number} has {len(candidates)} tables {table}")
    return candidates[0]


def set_result(
    tournament: Tournament,
    result: GameResult,
    *,
    replace_other: bool = False,
) -> EventChange:
    """Set the result of one game, with `replace_other` in place of another result.

    Raises:
        InputError: There is no such game, it has another result, or it is a draw at a komi with a
            half.
    """
    game = find_game(tournament, result.round, table=result.table, players=result.players)
    one, two = tournament.name_of(game.first), tournament.name_of(game.second)
    where = f"table {game.table}, {one} - {two}"
    turned = result.players is not None and result.players[0] != game.first
    value = result.result.reversed if turned else result.result
    played = value is Result.draw and not result.forfeit
    if played and value is not game.result and not tournament.can_be_drawn(game):
        komi = tournament.komi if game.komi is None else game.komi
        raise tournament.error(
            f"round {game.round}, {where}, cannot be drawn at komi {komi:g}",
            hint="1-0 or 0-1 says who won; ½-½ F gives half a point to both without a game",
        )
    made = replace(game, result=value, forfeit=result.forfeit and value is not Result.unknown)
    told = "no result" if value is Result.unknown else game_score(made)
    sentence = f"Round {game.round}, {where}: {told}"
    if (made.result, made.forfeit) == (game.result, game.forfeit):
        return unchanged(tournament, f"{sentence} already.")
    if game.result is not Result.unknown and not replace_other:
        stands = f"has the result {game_score(game)}, not {game_score(made)}"
        raise tournament.error(
            f"round {game.round}, {where}, {stands}", hint="--replace if that was wrong"
        )
    after = tournament.with_game(game, made)
    return done(after, f"{sentence}.", _open(after, result.round))


def set_results(
    tournament: Tournament,
    results: Iterable[GameResult],
    *,
    replace_other: bool = False,
    source: str = "",
) -> EventChange:
    """Set the results of a sheet (`source`); those that cannot be set are left out and counted.

    With `replace_other` they take the place of other results.
    """
    made, new, same = tournament, 0, 0
    rounds: set[int] = set()
    skipped = SkipReport()
    for each in results:
        try:
            change = set_result(made, each, replace_other=replace_other)
        except InputError as error:
            skipped.add(Skipped(source or tournament.file, each.line, error.message), kind="result")
            continue
        rounds.add(each.round)
        made, new, same = change.tournament, new + change.made, same + (not change.made)
    lines = [f"Entered {new} {'result' if new == 1 else 'results'}."]
    if same:
        lines = [*(lines if new else []), f"{same} {'was' if same == 1 else 'were'} there already."]
    lines += [_open(made, number) for number in sorted(rounds)]
    return EventChange(tournament=made, lines=tuple(lines), made=bool(new), skipped=skipped)


def game_score(game: Game) -> str:
    """The result of a game, by `score_of`."""
    return score_of(game.result, forfeit=game.forfeit)


def _open(tournament: Tournament, number: int) -> str:
    """How many results of a round are missing."""
    games = tournament.round_games(number)
    missing = [game for game in games if game.result is Result.unknown]
    if not missing:
        return f"Round {number} is complete."
    tables = ", ".join(str(game.table) for game in missing[:_TABLES])
    more = ", …" if len(missing) > _TABLES else ""
    many = "s" if len(missing) > 1 else ""
    return f"Round {number}: {len(missing)} result{many} to come (table{many} {tables}{more})."


_WHITE = ("white", "weiss", "blanc")
_BLACK = ("black", "schwarz", "noir")
_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "round": ("round", "rd", "runde", "ronde"),
        "table": ("table", "board", "tisch", "brett", "no"),
        "score": ("score", "result", "res", "ergebnis"),
    }
)


def read_result_sheet(
    path: str | os.PathLike[str], tournament: Tournament, *, round_number: int
) -> tuple[list[GameResult], SkipReport]:
    """Results from the columns ``round``, ``table`` and ``score``; and rows left out.

    In place of the table both players may be named, ``black`` and ``white`` or ``first`` and
    ``second``; the score is then that of the side that moves first, or of the first one, first: in
    chess White's, in Go Black's. A sheet that names the other colour before that one is refused, as
    its scores may be meant either way. Rows without a score are games that are not over;
    `round_number` holds where there is no column for it.

    Raises:
        InputError: The file cannot be read, lacks a column, has one twice, or names the colour that
            moves second first.
    """
    sides = {"Black": _BLACK, "White": _WHITE}
    ahead, behind = ("White", "Black") if tournament.discipline == "chess" else ("Black", "White")
    names = {
        **_NAMES,
        "first": ("first", "player1", *sides[ahead]),
        "second": ("second", "player2", *sides[behind]),
    }
    report = SkipReport()
    head, rows = delimited_rows(path, report)
    wrong = partial(InputError, file=str(path), line=1)
    columns, unused = columns_of(head, names)
    again, _ = columns_of(unused, names)
    for kind, place in again.items():
        raise wrong(
            f"two columns for the same: {head[columns[kind]]} and {unused[place]}", hint="keep one"
        )
    if "score" not in columns or not ("table" in columns or {"first", "second"} <= set(columns)):
        raise wrong(
            f"a sheet needs the columns table and score, and has {', '.join(head)}",
            hint=f"or {ahead.lower()}, {behind.lower()} and score",
        )
    if plain_letters(head[columns.get("second", 0)]) in (*_WHITE, *_BLACK) and (
        columns["second"] < columns.get("first", 0)
    ):
        raise wrong(
            f"{behind} stands before {ahead}, so that 1-0 may be a win of either",
            hint=f"put {ahead.lower()} before {behind.lower()}, and {ahead}'s score first",
        )
    results = []
    for line, cells in rows:
        values = {at: cells[place] for at, place in columns.items()}
        if not values.get("score"):
            continue
        try:
            results.append(_result(values, tournament, round_number, line))
        except (InputError, UsageError) as error:
            message = getattr(error, "message", str(error))
            report.add(Skipped(str(path), line, message), kind="result")
    return results, report


def _result(
    values: Mapping[str, str], tournament: Tournament, round_number: int, line: int
) -> GameResult:
    result, forfeit = parse_score(values["score"])
    number = _whole(values["round"], "round") if values.get("round") else round_number
    players = None
    if values.get("first") and values.get("second"):
        players = (tournament.find(values["first"]), tournament.find(values["second"]))
    table = None if players is not None else _whole(values.get("table", ""), "table")
    return GameResult(
        result=result, forfeit=forfeit, round=number, table=table, players=players, line=line
    )


def _whole(text: str, what: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise InputError(f"{what} {text!r} is not a number")
    return int(text)


def set_first_mover(
    tournament: Tournament, round_number: int, first: int, second: int
) -> EventChange:
    """Say who moved first in a game between two players (from 0); the result stays theirs."""
    game = find_game(tournament, round_number, players=(first, second))
    who = tournament.name_of(first)
    if game.first == first and game.known_colour:
        return unchanged(tournament, f"{who} moves first already.")
    if game.handicap:
        raise tournament.error("in a handicap game whoever takes the stones moves first")
    turned = game.result if game.first == first else game.result.reversed
    made = replace(game, first=first, second=second, result=turned, known_colour=True)
    sentence = f"Round {round_number}, table {game.table}: {who} moves first."
    return done(tournament.with_game(game, made), sentence)
