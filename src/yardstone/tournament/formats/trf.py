"""Reads and writes FIDE's Tournament Report Files: TRF06, TRF16, and TRF26's lines of individuals.

Lines begin with a number (``012`` the name, ``001`` a player, ...) and have fixed columns; White
moves first. Of the extensions by pairing programs, ``XXR`` (number of rounds), ``XXS`` (points),
``XXC`` (initial colour), ``XXA`` (virtual points) and ``XXP`` (players who do not meet) are used,
the others only kept. A tournament of Go has more in comments
(`yardstone.tournament.formats.trf_lines`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from yardstone.errors import InputError
from yardstone.pool import SkipReport
from yardstone.records.decoding import clean, finite_number, whole_number
from yardstone.tournament.dutch_field import baku
from yardstone.tournament.fide import FideScores, rules_for
from yardstone.tournament.formats.text_files import (
    Half,
    TextDocument,
    join_halves,
    parse_date,
    skip_or_raise,
    split_lines,
)
from yardstone.tournament.formats.trf_lines import (
    FIRST_ROUND,
    GO_LINE,
    MAX_POINTS,
    MAX_ROUNDS,
    RESULT_POINTS,
    WIDTH,
    TrfHead,
    go_lines,
    read_swiss,
    read_teams,
    same_go,
    swiss_lines,
    team_lines,
    with_go,
)
from yardstone.tournament.model import (
    Adjustment,
    Bye,
    ByeKind,
    Game,
    Player,
    Result,
    System,
    Tournament,
)
from yardstone.tournament.rules import Scoring, SwissSettings, Team, TeamRules
from yardstone.tournament.standings_table import standings

MAX_PLAYERS = 9_999
#: Points by the letter of a game's result.
_POINTS = {**dict.fromkeys("1W+", 1.0), **dict.fromkeys("=D", 0.5), **dict.fromkeys("0L-", 0.0)}
#: Letters of rounds without an opponent.
BYES: Mapping[str, ByeKind] = {
    "F": ByeKind.full,
    "H": ByeKind.half,
    "U": ByeKind.paired,
    "Z": ByeKind.zero,
}

#: Which line holds which field: texts, and days.
_NAMES = {"012": "name", "022": "place", "102": "director"}
_DAYS = {"042": "begin", "052": "end"}
#: First and last column (from 0) of each part of a player's line.
_PARTS = {
    "sex": (9, 10), "title": (10, 13), "name": (14, 47), "rating": (48, 52),
    "country": (53, 56), "fide": (57, 68), "birth": (69, 79), "points": (80, 84),
    "rank": (85, 89),
}  # fmt: skip
_RIGHT = ("title", "rating", "fide", "points", "rank")


def read_trf(data: bytes, file: str = "", *, skipped: SkipReport | None = None) -> Tournament:
    """A tournament from the bytes of a report file.

    `file` is what messages call it; `skipped` takes results that cannot be used, without it the
    first one is an error.
    """
    document = split_lines(data, file, "trf")
    return _TrfReader(document, file, skipped).tournament()


class _TrfReader:
    def __init__(self, document: TextDocument, file: str, skipped: SkipReport | None) -> None:
        self.document = document
        self.file = file
        self.skipped = skipped
        self.head = TrfHead(file)
        self.players: list[Player] = []
        self.place: dict[int, int] = {}
        self.start: list[int] = []
        self.entries: list[list[Half]] = []
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
        games, byes = join_halves(
            self.entries, self.start, self._outcome, self._bye, self.file, self.skipped
        )
        games = self._with_tables(games, byes)
        rounds = max([self.head.rounds(), *(g.round for g in games), *(bye.round for bye in byes)])
        if not 0 <= rounds <= MAX_ROUNDS:
            raise InputError(f"{rounds} rounds", file=self.file)
        byes += self._planned_byes(games, byes, rounds)
        head: dict[str, Any] = {name: self.head.text(kind) for kind, name in _NAMES.items()}
        head |= {name: parse_date(self.head.text(kind)) for kind, name in _DAYS.items()}
        plain = Tournament(
            **head,
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
            document=replace(self.document, number={p: n for n, p in self.place.items()}),
            file=self.file,
        )
        return with_go(plain, self.comments, self.place, self.head.error)

    def _numbered(self, word: str) -> int | None:
        """The player who has a starting number."""
        number = whole_number(word)
        return None if number is None else self.place.get(number)

    def _player(self, line: str, number: int) -> None:
        word = line[4:8].strip()
        if not word.isdecimal() or not word.isascii():
            raise self.head.error(f"{word!r} is no starting number (columns 5 to 8)", number)
        start = int(word)
        if start in self.place:
            raise self.head.error(f"two players have the starting number {start}", number)
        if len(self.players) >= MAX_PLAYERS:
            raise self.head.error(f"more than {MAX_PLAYERS:,} players", number)
        cells: dict[str, Any]
        cells = {part: clean(line[begin:end]) for part, (begin, end) in _PARTS.items()}
        name, rating = cells["name"], cells["rating"]
        if not name:
            raise self.head.error(f"player {start} has no name (columns 15 to 47)", number)
        family, comma, first = name.partition(",")
        if not family.strip():
            family, comma, first = first.strip() or name, "", ""
        if rating and not rating.isdecimal():
            raise self.head.error(f"{rating!r} is not a rating (columns 49 to 52)", number)
        self.place[start] = len(self.players)
        self.start.append(start)
        self.players.append(
            Player(
                name=family.strip(),
                first_name=first.strip() if comma else "",
                rating=float(rating) if rating and int(rating) else None,
                rating_origin="FIDE" if rating else "",
                ids={"fide": cells["fide"]} if cells["fide"] else {},
                **{part: cells[part] for part in ("country", "sex", "title", "birth")},
                extras={part: cells[part] for part in ("points", "rank")},
                line=number,
            )
        )
        self.entries.append(self._rounds(line, number))

    def _rounds(self, line: str, number: int) -> list[Half]:
        entries: list[Half] = []
        last = len(line.rstrip())
        for begin in range(FIRST_ROUND, last, WIDTH):
            if len(entries) >= MAX_ROUNDS:
                raise self.head.error(f"more than {MAX_ROUNDS} rounds", number)
            cell = line[begin : begin + WIDTH - 2].ljust(WIDTH - 2)
            who, result = cell[:4].strip(), cell[7].strip().upper()
            if who and (not who.isdecimal() or not who.isascii()):
                problem = f"round {len(entries) + 1}: {who!r} is not an opponent"
                raise self.head.error(problem, number, f"columns {begin + 1} to {begin + 4}")
            first = {"w": True, "b": False}.get(cell[5].lower())
            entries.append(Half(len(entries) + 1, number, int(who or 0), result, first))
        return entries

    def _skip(self, error: InputError) -> None:
        skip_or_raise(self.skipped, error, "result")

    def _with_tables(self, games: list[Game], byes: list[Bye]) -> list[Game]:
        """Number the tables of each round, as the file has none (FIDE Handbook C.04.2, D.9)."""
        points = dict.fromkeys(range(len(self.players)), 0.0)
        made: list[Game] = []

        def importance(game: Game) -> tuple[float, float, int]:
            one, two = sorted((-points[player], self.start[player]) for player in game.players)
            return one[0], two[0], one[1]

        for number in sorted({g.round for g in games} | {bye.round for bye in byes}):
            of_round = sorted((g for g in games if g.round == number), key=importance)
            made += [replace(game, table=table) for table, game in enumerate(of_round, 1)]
            for game in of_round:
                points[game.first] += game.result.points[0]
                points[game.second] += game.result.points[1]
            for bye in byes:
                if bye.round == number:
                    usual = {ByeKind.half: 0.5, ByeKind.zero: 0.0}
                    points[bye.player] += usual.get(bye.kind, 1.0)
        return made

    def _bye(self, half: Half) -> ByeKind | None:
        kinds = {**BYES, "+": ByeKind.full, "=": ByeKind.half, "": None, "-": None}
        if half.result in kinds:
            return kinds[half.result]
        raise half.error(self.file, f"{half.result!r} is not a result without an opponent")

    def _outcome(self, a: Half, b: Half) -> tuple[Result | None, bool, bool]:
        letters = [half.result for half in (a, b) if half.result]
        for half in (a, b):
            if half.result and half.result not in _POINTS:
                raise half.error(self.file, f"{half.result!r} is not a result")
        if not letters:
            return Result.unknown, False, True
        if len(letters) == 1:
            raise a.error(self.file, "only one of the players has a result")
        result = Result.of((_POINTS[letters[0]], _POINTS[letters[1]]))
        return result, "+" in letters or "-" in letters, not set(letters) & set("WDL")

    def _planned_byes(self, games: list[Game], byes: list[Bye], rounds: int) -> list[Bye]:
        """Byes that are announced for rounds to come (TRF26, 240; XXZ)."""
        taken = {(g.round, p) for g in games for p in g.players}
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
    pairs = [
        (game.round, frozenset(team_of.get(player, -1) for player in game.players))
        for game in games
    ]
    count = Counter(each for each in pairs if len(each[1]) == 2 and -1 not in each[1])
    smallest = min((len(team.everybody()) for team in teams), default=0)
    return max(count.values(), default=smallest) or TeamRules().size


_LETTERS = {kind: letter for letter, kind in BYES.items()}
_NO_GAME = " " * WIDTH
_SYSTEMS = {
    System.swiss: "Individual: Swiss-System",
    System.round_robin: "Individual: Round-Robin",
    System.cup: "Individual: Knock-out",
    System.mcmahon: "Individual: McMahon system",
}


def write_trf(tournament: Tournament) -> bytes:
    """The tournament as the bytes of a report file.

    Players are numbered as in the file it was read from, else in their order. White is the player
    who moves first.

    Examples:
        >>> from yardstone.tournament.model import Bye, Player, Tournament
        >>> made = Tournament(rounds=1, players=(Player(name="Lee", first_name="Ann"),),
        ...                   byes=(Bye(1, 0),))
        >>> write_trf(made).decode().splitlines()[-1][84:].split()
        ['1', '0000', '-', 'U']
    """
    document = tournament.document
    if isinstance(document, TextDocument) and document.format == "trf":
        return _updated(tournament, document)
    numbers = {row: row + 1 for row in range(len(tournament.players))}
    if len(numbers) > MAX_PLAYERS:
        raise InputError(f"a report file has room for {MAX_PLAYERS:,} players")
    rows = _fresh(tournament, numbers)
    lines = [
        *_head(tournament),
        *swiss_lines(tournament, numbers),
        *(_whole_line(numbers[row], cells) for row, cells in enumerate(rows)),
        *team_lines(tournament, numbers),
    ]
    return _with_go(tournament, TextDocument("trf", ()), lines, numbers)


def _with_go(
    tournament: Tournament,
    document: TextDocument,
    lines: list[str],
    numbers: Mapping[int, int],
) -> bytes:
    """The bytes of these lines and, in Go, of what must be said beyond them."""
    old = [line for line in lines if GO_LINE.fullmatch(line)]
    rest = [line for line in lines if not GO_LINE.fullmatch(line)]
    if tournament.discipline != "go":
        return document.to_bytes(rest)
    plain = read_trf(document.to_bytes(rest), tournament.file)
    new = go_lines(tournament, plain, numbers)
    return document.to_bytes(lines if same_go(old, new) else [*rest, *new])


def _put(line: str, part: str, text: str) -> str:
    begin, end = _PARTS[part]
    room = end - begin
    cut = text[:room]
    cell = cut.rjust(room) if part in _RIGHT else cut.ljust(room)
    return line[:begin].ljust(begin) + cell + line[end:]


def _texts(player: Player, points: float, rank: int) -> dict[str, str]:
    name = player.name + (f", {player.first_name}" if player.first_name else "")
    room = _PARTS["name"][1] - _PARTS["name"][0]
    if len(name) > room and player.first_name:
        name = f"{player.name},{player.first_name}"
    name = name if clean(_one_line(name)[:room]) else "?"
    texts = {
        "sex": player.sex,
        "title": player.title,
        "name": name,
        "rating": "" if player.rating is None else f"{max(round(player.rating), 0):d}"[:4],
        "country": player.country,
        "fide": player.ids.get("fide", ""),
        "birth": player.birth,
        "points": f"{points:.1f}",
        "rank": str(rank),
    }
    return {part: _one_line(text) for part, text in texts.items()}


def _one_line(text: str) -> str:
    """A text without ends of lines and tabs, which would move the columns."""
    return re.sub(r"[\x00-\x1f\x7f]", " ", text)


def _cell(tournament: Tournament, numbers: Mapping[int, int], row: int, number: int) -> str:
    """Ten columns: opponent, colour and result of a round, with two blanks behind."""
    game = tournament.game_of.get((number, row))
    bye = tournament.bye_of.get((number, row))
    if game is not None:
        colour = ("w" if row == game.first else "b") if game.known_colour else "-"
        return f"{numbers[game.opponent(row)]:4d} {colour} {_letter(game, row)}  "
    if bye is not None:
        return f"0000 - {_LETTERS[bye.kind]}  "
    return _NO_GAME


def _letter(game: Game, row: int) -> str:
    if game.result is Result.unknown:
        return " "
    points = game.points(row)
    if game.forfeit:
        return "+" if points == 1 else "=" if points else "-"
    letters = "1=0" if game.rated else "WDL"
    return letters[0] if points == 1 else letters[1] if points else letters[2]


def _head(tournament: Tournament) -> list[str]:
    rules = tournament.scoring
    rated = sum(player.rating is not None for player in tournament.players)
    begin_end = {kind: getattr(tournament, name) for kind, name in _DAYS.items()}
    records = {
        **{kind: getattr(tournament, name) for kind, name in _NAMES.items()},
        **{kind: day.strftime("%Y/%m/%d") if day else "" for kind, day in begin_end.items()},
        "062": str(len(tournament.players)),
        "072": str(rated),
        "092": _SYSTEMS.get(tournament.system, ""),
        "142": str(tournament.rounds),
    }
    if tournament.teams:
        records["082"] = str(len(tournament.teams))
    usual = Scoring(bye=rules.win, open_game=rules.draw)
    values = [
        f" {letter}{value:4.1f}".ljust(9)
        for letter, name in RESULT_POINTS["162"].items()
        if letter != "Z" and (value := getattr(rules, name)) not in (None, getattr(usual, name))
    ]
    if values:
        records["162"] = "".join(values).rstrip()
    if tournament.discipline == "chess" and rules.criteria:
        records["212"] = ",".join(name.replace("-", "/") for name in rules.criteria)
    lines = [f"{kind} {_one_line(records[kind])}".rstrip() for kind in sorted(records)]
    if any(tournament.round_dates):
        days = [d.strftime("%y/%m/%d") if d else "" for d in tournament.round_dates]
        cells = "".join(day.ljust(WIDTH) for day in days)
        lines.insert(-1, ("132".ljust(FIRST_ROUND) + cells).rstrip())
    lines += [
        f"299          {change.points:4.1f}  {change.round:03d} {change.player + 1:4d}"
        for change in tournament.adjustments
    ]
    return lines


def _updated(tournament: Tournament, document: TextDocument) -> bytes:
    before = read_trf(document.to_bytes(document.lines), tournament.file)
    numbers = dict(document.number)
    after = max(numbers.values(), default=0) + 1
    new = (row for row in range(len(tournament.players)) if row not in numbers)
    numbers |= {row: number for number, row in enumerate(new, after)}
    lines = list(document.lines)
    rows = _fresh(tournament, numbers)
    last = max(player.line for player in before.players)
    for player, earlier, now in zip(before.players, _fresh(before, numbers), rows, strict=False):
        lines[player.line - 1] = _patched(lines[player.line - 1], earlier, now)
    _update_head(lines, tournament, before)
    if tournament.swiss.initial_colour != before.swiss.initial_colour:
        place = next(n for n, line in enumerate(lines) if line[:3] == "001")
        lines.insert(place, f"152 {tournament.swiss.initial_colour[0].upper()}")
    last += len(lines) - len(document.lines)
    added = [_whole_line(numbers[row], rows[row]) for row in range(len(before.players), len(rows))]
    lines[last:last] = added
    if tournament.teams != before.teams:
        lines = [line for line in lines if line[:3] != "013"] + team_lines(tournament, numbers)
    return _with_go(tournament, document, lines, numbers)


#: What a player's line would say: its parts, and the cells of its rounds.
_Fresh = tuple[dict[str, str], list[str]]


def _fresh(tournament: Tournament, numbers: Mapping[int, int]) -> list[_Fresh]:
    points = FideScores(tournament, tournament.last_round, rules_for(tournament.begin)).points
    table = standings(tournament, round_number=tournament.last_round, everybody=True)
    rank = dict(zip(table.order.tolist(), table.place.tolist(), strict=True))
    return [
        (
            _texts(player, points[row], rank[row]),
            [_cell(tournament, numbers, row, r) for r in range(1, tournament.last_round + 1)],
        )
        for row, player in enumerate(tournament.players)
    ]


def _whole_line(number: int, fresh: _Fresh) -> str:
    line = f"001 {number:4d}"
    for part, text in fresh[0].items():
        line = _put(line, part, text)
    return (line.ljust(FIRST_ROUND) + "".join(fresh[1])).rstrip()


def _patched(line: str, old: _Fresh, new: _Fresh) -> str:
    for part, text in new[0].items():
        if old[0][part] != text:
            line = _put(line, part, text)
    for number, cell in enumerate(new[1]):
        if number >= len(old[1]) or old[1][number] != cell:
            begin = FIRST_ROUND + WIDTH * number
            line = (line.ljust(begin)[:begin] + cell + line[begin + WIDTH :]).rstrip()
    gone = FIRST_ROUND + WIDTH * len(new[1])
    return line[:gone].rstrip() if len(old[1]) > len(new[1]) else line


def _update_head(lines: list[str], tournament: Tournament, before: Tournament) -> None:
    old = {line[:3]: line for line in _head(before)}
    new = {line[:3]: line for line in _head(tournament)}
    for kind in sorted((*_NAMES, *_DAYS, "142")):
        if old.get(kind) == new.get(kind):
            continue
        places: dict[str, int] = {}
        for place, line in enumerate(lines):
            places.setdefault(line[:3], place)
        if kind in places:
            lines[places[kind]] = new[kind]
        elif kind == "142" and "XXR" in places:
            lines[places["XXR"]] = "XXR" + new[kind][3:]
        else:
            lines.insert(places["001"], new[kind])
