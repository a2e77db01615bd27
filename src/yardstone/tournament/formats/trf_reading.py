"""Reads FIDE's Tournament Report Files: TRF06, TRF16 and what TRF26 adds for individuals.

Lines begin with a number (``012`` the name, ``001`` a player, ...) and have fixed
columns; White moves first. Of the extensions by pairing programs, ``XXR`` (number of
rounds), ``XXS`` (points), ``XXC`` (initial colour), ``XXA`` (virtual points) and ``XXP``
(players who do not meet) are used, the others only kept. A tournament of Go has more
in comments (`yardstone.tournament.formats.trf_go`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from yardstone.errors import InputError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import clean, finite_number, whole_number
from yardstone.tournament.dutch_field import baku
from yardstone.tournament.formats.line_files import TextDocument, parse_date, split_lines
from yardstone.tournament.formats.trf_go import with_go
from yardstone.tournament.formats.trf_head import (
    FIRST_ROUND,
    MAX_POINTS,
    MAX_ROUNDS,
    WIDTH,
    TrfHead,
)
from yardstone.tournament.formats.trf_swiss import read_swiss
from yardstone.tournament.formats.trf_teams import read_teams
from yardstone.tournament.model import (
    Adjustment,
    Bye,
    ByeKind,
    Game,
    Player,
    Result,
    Tournament,
)
from yardstone.tournament.rules import SwissSettings, Team, TeamRules

__all__ = ["BYES", "read_trf"]

MAX_PLAYERS = 9_999
_WON, _LOST, _DRAWN = "1W+", "0L-", "=D"
#: Letters of rounds without an opponent.
BYES: Mapping[str, ByeKind] = {
    "F": ByeKind.full,
    "H": ByeKind.half,
    "U": ByeKind.paired,
    "Z": ByeKind.zero,
}

_BYE_POINTS: Mapping[ByeKind, float] = {
    ByeKind.full: 1.0,
    ByeKind.half: 0.5,
    ByeKind.paired: 1.0,
    ByeKind.zero: 0.0,
}


def read_trf(data: bytes, file: str = "", *, skipped: SkipReport | None = None) -> Tournament:
    """A tournament from the bytes of a report file.

    Parameters
    ----------
    data : bytes
        The whole file.
    file : str
        What messages call it.
    skipped : SkipReport, optional
        Takes results that cannot be used; without it the first one is an error.

    Raises
    ------
    InputError
        The file is no such file, or something in it cannot be used.
    """
    document = split_lines(data, file, "trf")
    return _TrfReader(document, file, skipped).tournament()


@dataclass(slots=True)
class _Entry:
    """What a player's line says of a round."""

    opponent: int
    colour: str
    result: str
    line: int
    used: bool = False


class _TrfReader:
    def __init__(self, document: TextDocument, file: str, skipped: SkipReport | None) -> None:
        self.document = document
        self.file = file
        self.skipped = skipped
        self.head = TrfHead(file)
        self.players: list[Player] = []
        self.place: dict[int, int] = {}
        self.start: list[int] = []
        self.entries: list[list[_Entry]] = []
        self.comments: list[tuple[int, str]] = []

    def tournament(self) -> Tournament:
        for number, line in enumerate(self.document.lines, 1):
            kind = line[:3]
            if kind == "001":
                self._player(line, number)
            elif kind == "###":
                self.comments.append((number, line))
            elif kind.strip():
                self.head.add(line, number)
        if not self.players:
            raise InputError(
                "no player (a line that begins with 001)",
                file=self.file,
                hint="is this a tournament report file?",
            )
        games, byes = self._results()
        rounds = max(
            self.head.rounds(),
            max((entry.round for entry in games), default=0),
            max((entry.round for entry in byes), default=0),
        )
        if not 0 <= rounds <= MAX_ROUNDS:
            raise InputError(f"{rounds} rounds", file=self.file)
        byes += self._planned_byes(games, byes, rounds)
        plain = Tournament(
            name=self.head.text("012"),
            place=self.head.text("022"),
            director=self.head.text("102"),
            begin=parse_date(self.head.text("042")),
            end=parse_date(self.head.text("052")),
            discipline="chess",
            size=8,
            rounds=rounds,
            system=self.head.system,
            players=tuple(self.players),
            games=tuple(games),
            byes=tuple(byes),
            scoring=self.head.scoring(),
            swiss=self._swiss(rounds),
            teams=(teams := read_teams(self.head, self.place, self._skip)),
            team_rules=TeamRules(size=_boards(teams, games)),
            time=self.head.time,
            round_dates=self.head.round_dates(rounds),
            adjustments=self._adjustments(rounds),
            extras=self.head.single(),
            document=self.document.numbered({p: n for n, p in self.place.items()}),
            file=self.file,
        )
        return with_go(plain, self.comments, self.place, self.head.error)

    def _number(self, text: str, line: int, what: str) -> int:
        word = text.strip()
        if not word.isdecimal() or not word.isascii():
            raise self.head.error(f"{word!r} is no {what}", line)
        return int(word)

    def _numbered(self, word: str) -> int | None:
        """The player who has a starting number."""
        number = whole_number(word)
        return None if number is None else self.place.get(number)

    def _player(self, line: str, number: int) -> None:
        start = self._number(line[4:8], number, "starting number (columns 5 to 8)")
        if start in self.place:
            raise self.head.error(f"two players have the starting number {start}", number)
        if len(self.players) >= MAX_PLAYERS:
            raise self.head.error(f"more than {MAX_PLAYERS:,} players", number)
        name = clean(line[14:47])
        if not name:
            raise self.head.error(f"player {start} has no name (columns 15 to 47)", number)
        family, comma, first = name.partition(",")
        if not family.strip():
            family, comma, first = first.strip() or name, "", ""
        rating = line[48:52].strip()
        if rating and not rating.isdecimal():
            raise self.head.error(f"{rating!r} is not a rating (columns 49 to 52)", number)
        self.place[start] = len(self.players)
        self.start.append(start)
        self.players.append(
            Player(
                name=family.strip(),
                first_name=first.strip() if comma else "",
                country=clean(line[53:56]),
                rating=float(rating) if rating and int(rating) else None,
                rating_origin="FIDE" if rating else "",
                ids={"fide": clean(line[57:68])} if clean(line[57:68]) else {},
                sex=clean(line[9:10]),
                title=clean(line[10:13]),
                birth=clean(line[69:79]),
                extras={"points": clean(line[80:84]), "rank": clean(line[85:89])},
                line=number,
            )
        )
        self.entries.append(self._rounds(line, number))

    def _rounds(self, line: str, number: int) -> list[_Entry]:
        entries: list[_Entry] = []
        last = len(line.rstrip())
        for begin in range(FIRST_ROUND, last, WIDTH):
            if len(entries) >= MAX_ROUNDS:
                raise self.head.error(f"more than {MAX_ROUNDS} rounds", number)
            cell = line[begin : begin + WIDTH - 2].ljust(WIDTH - 2)
            who, colour, result = cell[:4].strip(), cell[5].strip(), cell[7].strip().upper()
            if who and (not who.isdecimal() or not who.isascii()):
                problem = f"round {len(entries) + 1}: {who!r} is not an opponent"
                raise self.head.error(problem, number, f"columns {begin + 1} to {begin + 4}")
            entries.append(_Entry(int(who or 0), colour.lower(), result, number))
        return entries

    def _skip(self, error: InputError) -> None:
        if self.skipped is None:
            raise error
        self.skipped.add(Skipped(self.file, error.line or 0, error.message), kind="result")

    def _results(self) -> tuple[list[Game], list[Bye]]:
        games: list[Game] = []
        byes: list[Bye] = []
        for player, entries in enumerate(self.entries):
            for number, entry in enumerate(entries, 1):
                if entry.used:
                    continue
                try:
                    if entry.opponent:
                        games.append(self._game(player, number, entry))
                    elif (bye := self._bye(player, number, entry)) is not None:
                        byes.append(bye)
                except InputError as error:
                    self._skip(error)
        return self._with_tables(games, byes), byes

    def _with_tables(self, games: list[Game], byes: list[Bye]) -> list[Game]:
        """Number the tables of each round, as the file has none (FIDE Handbook C.04.2, D.9)."""
        points = dict.fromkeys(range(len(self.players)), 0.0)
        made: list[Game] = []

        def importance(game: Game) -> tuple[float, float, int]:
            one, two = sorted(
                (-points[player], self.start[player]) for player in (game.first, game.second)
            )
            return one[0], two[0], one[1]

        for number in sorted({g.round for g in games} | {bye.round for bye in byes}):
            of_round = sorted((g for g in games if g.round == number), key=importance)
            made += [replace(game, table=table) for table, game in enumerate(of_round, 1)]
            for game in of_round:
                points[game.first] += game.result.points[0]
                points[game.second] += game.result.points[1]
            for bye in byes:
                if bye.round == number:
                    points[bye.player] += _BYE_POINTS[bye.kind]
        return made

    def _bye(self, player: int, number: int, entry: _Entry) -> Bye | None:
        letter = entry.result
        if letter in BYES:
            return Bye(number, player, BYES[letter])
        if letter in ("", "-"):
            return None
        if letter == "+":
            return Bye(number, player, ByeKind.full)
        if letter == "=":
            return Bye(number, player, ByeKind.half)
        raise self.head.error(
            f"round {number}: {letter!r} is not a result without an opponent", entry.line
        )

    def _game(self, player: int, number: int, entry: _Entry) -> Game:
        entry.used = True
        other = self.place.get(entry.opponent)
        if other is None:
            raise self.head.error(
                f"round {number}: there is no player {entry.opponent}", entry.line
            )
        if other == player:
            raise self.head.error(f"round {number}: a player meets himself", entry.line)
        theirs = self.entries[other]
        back = theirs[number - 1] if number <= len(theirs) else None
        own = self.start[player]
        if back is None or back.opponent != own:
            raise self.head.error(
                f"round {number}: player {own} names {entry.opponent}, who does not name {own}",
                entry.line,
                f"compare line {self.players[other].line}",
            )
        back.used = True
        first, second = (other, player) if self._second(entry, back, number) else (player, other)
        a, b = (back, entry) if first == other else (entry, back)
        result, forfeit, rated = self._outcome(a, b, number)
        return Game(
            round=number,
            first=first,
            second=second,
            result=result,
            forfeit=forfeit,
            rated=rated,
            known_colour=entry.colour in ("w", "b") or back.colour in ("w", "b"),
            line=entry.line,
        )

    def _second(self, entry: _Entry, back: _Entry, number: int) -> bool:
        """Whether the player of `entry` moves second."""
        if entry.colour in ("w", "b") and entry.colour == back.colour:
            raise self.head.error(f"round {number}: both players have {entry.colour}", entry.line)
        return entry.colour == "b" or (entry.colour != "w" and back.colour == "w")

    def _outcome(self, a: _Entry, b: _Entry, number: int) -> tuple[Result, bool, bool]:
        letters = a.result, b.result
        points = []
        for letter, entry in ((a.result, a), (b.result, b)):
            if letter and letter not in _WON + _LOST + _DRAWN:
                raise self.head.error(f"round {number}: {letter!r} is not a result", entry.line)
            points.append(
                None if not letter else 1.0 if letter in _WON else 0.0 if letter in _LOST else 0.5
            )
        if points[0] is None and points[1] is None:
            return Result.unknown, False, True
        if None in points:
            raise self.head.error(f"round {number}: only one of the players has a result", a.line)
        forfeit = "+" in letters or "-" in letters
        known = {
            (1.0, 0.0): Result.first_wins,
            (0.0, 1.0): Result.second_wins,
            (0.5, 0.5): Result.draw,
            (1.0, 1.0): Result.both_win,
            (0.0, 0.0): Result.both_lose,
            (0.5, 0.0): Result.first_half,
            (0.0, 0.5): Result.second_half,
        }
        result = known.get((points[0] or 0.0, points[1] or 0.0))
        if result is None:
            raise self.head.error(
                f"round {number}: results {letters} contradict each other", a.line
            )
        return result, forfeit, not any(letter in "WDL" for letter in letters)

    def _planned_byes(self, games: list[Game], byes: list[Bye], rounds: int) -> list[Bye]:
        """Byes that are announced for rounds to come (TRF26, 240; XXZ)."""
        taken = {(g.round, p) for g in games for p in (g.first, g.second)}
        taken |= {(b.round, b.player) for b in byes}
        planned: list[Bye] = []
        for line, text in self.head.lines("240"):
            kind = text[:1].upper()
            words = text[1:].split()
            at = whole_number(words[0]) if words else None
            if kind not in "FHZ" or at is None:
                self._skip(self.head.error("a bye that cannot be read", line))
                continue
            for word in words[1:]:
                who = self._numbered(word)
                if who is None or not 1 <= at <= rounds:
                    self._skip(self.head.error(f"no player {word}, or no round {words[0]}", line))
                elif (at, who) not in taken:
                    taken.add((at, who))
                    planned.append(Bye(at, who, BYES[kind]))
        return planned

    def _adjustments(self, rounds: int) -> tuple[Adjustment, ...]:
        """Points by decision (TRF26, 299): bonuses, and other points for a kind of result."""
        adjustments = []
        for line, text in self.head.lines("299"):
            whole = ("299 " + text).ljust(27)
            kind, points = whole[4].strip().upper(), whole[13:17].strip() or whole[13:18].strip()
            at = whole[19:22].strip()
            words = whole[23:].split()
            value, number = finite_number(points, below=MAX_POINTS), whole_number(at or "0")
            who = [player for word in words if (player := self._numbered(word)) is not None]
            if value is None or number is None or len(who) < len(words):
                self._skip(self.head.error("points by decision that cannot be read", line))
                continue
            for player in who:
                if not kind:
                    adjustments.append(Adjustment(player, value, number))
                    continue
                usual = self.head.usual(kind)
                adjustments += [
                    Adjustment(player, value - usual, r)
                    for r in ([number] if number else range(1, rounds + 1))
                    if self._letter(player, r) == kind
                ]
        return tuple(adjustments)

    def _swiss(self, rounds: int) -> SwissSettings:
        """Settings for pairing; with Baku acceleration if the system is said to have it."""
        swiss = read_swiss(self.head, self.place, self._skip)
        if "BAKU" in self.head.text("192").upper() and not swiss.accelerations:
            order = [self.place[number] for number in sorted(self.place)]
            return replace(swiss, accelerations=baku(order, rounds))
        return swiss

    def _letter(self, player: int, number: int) -> str:
        entries = self.entries[player]
        letter = entries[number - 1].result if number <= len(entries) else ""
        return {"1": "W", "=": "D", "0": "L"}.get(letter, letter)


def _boards(teams: tuple[Team, ...], games: list[Game]) -> int:
    """Boards of a match: the most that any had, or else the players of the smallest team."""
    team_of = {player: k for k, team in enumerate(teams) for player in team.everybody()}
    count: dict[tuple[int, frozenset[int]], int] = {}
    for game in games:
        pair = frozenset(team_of.get(player, -1) for player in (game.first, game.second))
        if len(pair) == 2 and -1 not in pair:
            count[game.round, pair] = count.get((game.round, pair), 0) + 1
    smallest = min((len(team.everybody()) for team in teams), default=0)
    return max(count.values(), default=smallest) or TeamRules().size
