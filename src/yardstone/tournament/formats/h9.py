"""Reads and writes the results format of the European Go Database, known as H9.

A line a player in the order of places: place, name, grade, country, club, up to a few scores, then
the results, ``12+/b0`` being a win with Black without handicap against the player in line 12. What
follows ``;`` is a comment, but tags such as ``; EV[Name]`` are read. Black moves first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from yardstone.errors import InputError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.decoding import clean, finite_number
from yardstone.tournament.formats.opengotha import format_rank, parse_rank
from yardstone.tournament.formats.text_files import (
    TextDocument,
    check_half_results,
    parse_date,
    split_lines,
)
from yardstone.tournament.model import (
    Bye,
    ByeKind,
    Game,
    Player,
    Result,
    System,
    Tournament,
    adjusted_time,
    egf_class,
)
from yardstone.tournament.notation import result_text, score_text
from yardstone.tournament.rules import HandicapRules, Scoring, TimeControl, TimeSystem
from yardstone.tournament.standings_table import CRITERIA, Scores, Standings, standings

__all__ = ["RESULT", "RoundCell", "read_h9", "write_h9"]


MAX_PLAYERS = 20_000
MAX_ROUNDS = 200
MAX_LINE = 10_000
#: One result: opponent, sign, and in either order what follows a slash or an exclamation mark.
RESULT = re.compile(
    r"(?P<who>\d{0,5})(?P<sign>[+\-=?])"
    r"(?:(?P<mark>[/!]{1,2})(?P<colour>[wbWB?])?(?:h?(?P<handicap>\d))?)?"
)
_TAG = re.compile(r";\s*([A-Z]{2})\[([^\]]*)\]")
_GRADE = re.compile(r"\d{1,2}\s?[kKdDpP]")
_SCORE = re.compile(r"-?\d{0,5}(?:[.,]\d+|[½¼¾])?")
_QUARTERS = re.compile("[½¼¾]")
_PIN = re.compile(r"\|\s*(\d{1,12})\s*$")
_TIMES = {
    "sudden": TimeSystem.sudden_death,
    "canadian": TimeSystem.canadian,
    "standard": TimeSystem.byo_yomi,
    "byo": TimeSystem.byo_yomi,
    "fischer": TimeSystem.fischer,
}


@dataclass(slots=True)
class RoundCell:
    """One result of a line."""

    who: int
    sign: str
    forfeit: bool
    colour: str
    handicap: int
    used: bool = False


@dataclass(slots=True)
class _PlayerRow:
    line: int
    printed: int
    player: Player
    scores: tuple[str, ...]
    cells: list[RoundCell] = field(default_factory=list)


def read_h9(data: bytes, file: str = "", *, skipped: SkipReport | None = None) -> Tournament:
    """A tournament from the bytes of an H9 file, in UTF-8 or Latin-1.

    `file` is what messages call it; `skipped` takes results that cannot be used, without it the
    first one is an error.
    """
    document = split_lines(data, file, "h9")
    tags: dict[str, str] = {}
    rows: list[_PlayerRow] = []
    for number, line in enumerate(document.lines, 1):
        if len(line) > MAX_LINE:
            raise InputError(f"more than {MAX_LINE:,} letters", file=file, line=number)
        content, semicolon, _ = line.partition(";")
        if semicolon and not content.strip():
            tags |= {tag: clean(text) for tag, text in _TAG.findall(line)}
        elif content.strip():
            rows.append(_row(content, number, file))
        if len(rows) > MAX_PLAYERS:
            raise InputError(f"more than {MAX_PLAYERS:,} players", file=file)
    if not rows:
        raise InputError("no line of a player", file=file, hint="is this a file of results?")
    games, byes = _Matcher(rows, file, skipped).games()
    rounds = max((len(row.cells) for row in rows), default=0)
    absent = _absences(rows, games, byes)
    players = tuple(
        replace(row.player, absent=frozenset(absent.get(place, ())))
        for place, row in enumerate(rows)
    )
    place, _, city = tags.get("PC", "").partition(",")
    days = [parse_date(day) for day in tags.get("DT", "").split(",")]
    criteria = _criteria(document.lines, rows)
    made = Tournament(
        name=tags.get("EV", ""),
        place=", ".join(part.strip() for part in (city, place) if part.strip()),
        begin=days[0],
        end=days[-1],
        discipline="go",
        komi=_number(tags.get("KM", "")),
        rounds=rounds,
        system=System.mcmahon if "MMS" in criteria else System.swiss,
        players=players,
        games=games,
        byes=byes,
        scoring=Scoring(criteria=criteria, score_absent=0.0),
        handicap=_handicap(tags.get("HA", "")),
        time=_time(tags),
        extras=tags,
        document=document,
        file=file,
    )
    return _with_initial_scores(made, rows)


def _with_initial_scores(tournament: Tournament, rows: list[_PlayerRow]) -> Tournament:
    """Start everyone so as to reach the McMahon score in the file, which tells no bar."""
    criteria = tournament.scoring.criteria
    if "MMS" not in criteria:
        return tournament
    at = criteria.index("MMS")
    final2 = Scores.of(tournament).mms2[:, tournament.rounds].tolist()
    players = []
    for player, row, score2 in zip(tournament.players, rows, final2, strict=True):
        entered = (
            _number(_QUARTERS.sub(_decimals, row.scores[at])) if at < len(row.scores) else None
        )
        missing2 = 0 if entered is None else round(2 * entered) - score2
        players.append(replace(player, smms_correction=missing2 // 2))
    return replace(tournament, players=tuple(players))


def _decimals(match: re.Match[str]) -> str:
    return {"¼": ".25", "½": ".5", "¾": ".75"}[match[0]]


def _number(text: str) -> float | None:
    return finite_number(text.replace(",", "."), below=1000)


def _row(content: str, number: int, file: str) -> _PlayerRow:
    """One player from a line."""
    pin = _PIN.search(content)
    words = (content[: pin.start()] if pin else content).split()
    printed = int(words[0]) if words[0].rstrip(".").isdecimal() and len(words[0]) < 7 else 0
    begin = 1 if printed else 0
    # The first word of a name may look like a grade.
    at = next((n for n in range(begin + 1, len(words)) if _GRADE.fullmatch(words[n])), None)
    if at is None:
        nameless = begin < len(words) and _GRADE.fullmatch(words[begin])
        problem = (
            "a player without a name" if nameless else "no grade such as 3d or 12k in this line"
        )
        raise InputError(problem, file=file, line=number)
    names = words[begin:at]
    cells_at = len(words)
    while cells_at > at + 1 and RESULT.fullmatch(words[cells_at - 1]):
        cells_at -= 1
    between = words[at + 1 : cells_at]
    scores: list[str] = []
    while between and _SCORE.fullmatch(between[-1]) and len(between) > 1:
        scores.insert(0, between.pop())
    cells = [_cell(match) for word in words[cells_at:] if (match := RESULT.fullmatch(word))]
    if len(cells) > MAX_ROUNDS:
        raise InputError(f"more than {MAX_ROUNDS} rounds", file=file, line=number)
    family, first = _names(names)
    if not family:
        raise InputError("a player without a name", file=file, line=number)
    grade = words[at].upper()
    try:
        rank = parse_rank(grade)
    except ValueError as error:
        raise InputError(str(error), file=file, line=number) from None
    player = Player(
        name=family,
        first_name=first,
        country=clean(between[0]) if between else "",
        club=clean(" ".join(between[1:])),
        rank=rank,
        grade=grade,
        ids={"egf": pin[1]} if pin else {},
        line=number,
    )
    return _PlayerRow(number, printed, player, tuple(scores), cells)


def _cell(match: re.Match[str]) -> RoundCell:
    return RoundCell(
        int(match["who"] or 0),
        match["sign"],
        "!" in (match["mark"] or ""),
        (match["colour"] or "?").lower(),
        int(match["handicap"] or 0),
    )


def _names(words: list[str]) -> tuple[str, str]:
    """Family name and given name: with a comma between, else the last word is the latter."""
    family, comma, first = clean(" ".join(words)).partition(",")
    if not comma and len(words) > 1:
        family, first = " ".join(words[:-1]), words[-1]
    return clean(family.replace("_", " ")), clean(first.replace("_", " "))


def _criteria(lines: tuple[str, ...], rows: list[_PlayerRow]) -> tuple[str, ...]:
    """The criteria above the columns of scores, where they can be understood."""
    width = max((len(row.scores) for row in rows), default=0)
    head = next((line for line in lines if re.match(r";\s*Pl\s+Name", line, re.I)), "")
    words = re.findall(r"SOSOS|SODOS|SOS-?[12]?|CUSS|[A-Z]+", head.upper().partition("CLUB")[2])
    names = []
    score = "MMS" if "MMS" in words else "NBW"
    kind = "M" if score == "MMS" else "W"
    for word in words[:width]:
        stem, dash, cut = word.partition("-")
        name = f"{stem}{kind}{dash}{cut}" if stem in ("SOS", "SOSOS", "SODOS", "CUSS") else word
        if name in CRITERIA:
            names.append(name)
    return tuple(names)


def _handicap(text: str) -> HandicapRules:
    match = re.fullmatch(r"h(\d)", text.strip())
    return HandicapRules(correction=int(match[1]), ceiling=9) if match else HandicapRules()


def _time(tags: dict[str, str]) -> TimeControl:
    """The adjusted time as basic time: that is all that the format says."""
    minutes = _number(tags.get("TM", ""))
    word = tags.get("CM", "").lower()
    system = next((kind for name, kind in _TIMES.items() if name in word), TimeSystem.unknown)
    return TimeControl(
        system=system, basic=round(60 * (minutes or 0)), internet=tags.get("CL", "") == "D"
    )


class _Matcher:
    """Puts both halves of each game together."""

    def __init__(self, rows: list[_PlayerRow], file: str, skipped: SkipReport | None) -> None:
        self.rows = rows
        self.file = file
        self.skipped = skipped
        printed = [row.printed for row in rows]
        distinct = len(set(printed)) == len(printed) and all(printed)
        self.number = {p: place for place, p in enumerate(printed)} if distinct else {}
        self.number = self.number or {place + 1: place for place in range(len(rows))}
        self.own = {place: number for number, place in self.number.items()}

    def games(self) -> tuple[tuple[Game, ...], tuple[Bye, ...]]:
        games: list[Game] = []
        byes: list[Bye] = []
        for place, row in enumerate(self.rows):
            for number, cell in enumerate(row.cells, 1):
                if cell.used:
                    continue
                if not cell.who:
                    kind = {"+": ByeKind.paired, "=": ByeKind.half}.get(cell.sign)
                    if kind is not None:
                        byes.append(Bye(number, place, kind))
                    continue
                try:
                    games.append(self._game(place, number, cell))
                except InputError as error:
                    if self.skipped is None:
                        raise
                    self.skipped.add(
                        Skipped(self.file, error.line or 0, error.message), kind="result"
                    )
        games.sort(key=lambda game: (game.round, min(game.first, game.second)))
        return tuple(games), tuple(byes)

    def _game(self, place: int, number: int, cell: RoundCell) -> Game:
        row = self.rows[place]
        cell.used = True

        def error(text: str) -> InputError:
            return InputError(f"round {number}: {text}", file=self.file, line=row.line)

        other = self.number.get(cell.who)
        if other is None or other == place:
            raise error(f"there is no opponent {cell.who}")
        theirs = self.rows[other].cells
        back = theirs[number - 1] if number <= len(theirs) else None
        if back is None or self.number.get(back.who) != place:
            raise error(f"player {cell.who} does not name player {self.own[place]}")
        back.used = True
        if "?" not in (cell.colour, back.colour) and cell.colour == back.colour:
            raise error("both players have the same colour")
        second = cell.colour == "w" or (cell.colour == "?" and back.colour == "b")
        a, b = (back, cell) if second else (cell, back)
        result = _SIGNS.get((a.sign, b.sign))
        if result is None:
            raise error(f"results {a.sign} and {b.sign} contradict each other")
        return Game(
            round=number,
            first=other if second else place,
            second=place if second else other,
            result=result,
            forfeit=cell.forfeit or back.forfeit,
            handicap=max(cell.handicap, back.handicap),
            known_colour=cell.colour != "?" or back.colour != "?",
            line=row.line,
        )


_SIGNS = {
    ("+", "-"): Result.first_wins,
    ("-", "+"): Result.second_wins,
    ("=", "="): Result.draw,
    ("+", "+"): Result.both_win,
    ("-", "-"): Result.both_lose,
    ("?", "?"): Result.unknown,
}


def _absences(
    rows: list[_PlayerRow], games: tuple[Game, ...], byes: tuple[Bye, ...]
) -> dict[int, list[int]]:
    """Rounds in which each player has neither a game nor a bye."""
    there = {(g.round, p) for g in games for p in (g.first, g.second)}
    there |= {(bye.round, bye.player) for bye in byes}
    missing: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        for number in range(1, len(row.cells) + 1):
            if (number, place) not in there:
                missing.setdefault(place, []).append(number)
    return missing


_COLUMNS = 4
_NAMES = {
    TimeSystem.sudden_death: "Sudden death",
    TimeSystem.byo_yomi: "Standard byo-yomi",
    TimeSystem.canadian: "Canadian byo-yomi",
    TimeSystem.fischer: "Fischer",
}


def write_h9(
    tournament: Tournament, *, encoding: str = "utf-8", keep_forfeits: bool = True
) -> bytes:
    """The tournament as the bytes of an H9 file, ordered by its standings.

    One that was read from such a file and not changed comes back as it was. Letters that `encoding`
    lacks become question marks. Without `keep_forfeits` games decided without play are half a point
    without an opponent, since they are not rated, in place of ``12+!w0``.
    """
    document = tournament.document
    if isinstance(document, TextDocument) and document.format == "h9":
        before = read_h9(document.to_bytes(document.lines), tournament.file)
        if replace(before, document=None) == replace(tournament, document=None):
            return document.to_bytes(document.lines)
    check_half_results(tournament, "this format")
    table = standings(tournament, round_number=tournament.last_round)
    lines = [*_head(tournament), _columns(table), *_rows(table, keep_forfeits)]
    return ("\n".join(lines) + "\n").encode(encoding, "replace")


def _head(tournament: Tournament) -> list[str]:
    days = [day.isoformat() for day in (tournament.begin, tournament.end) if day is not None]
    tags = {
        "CL": egf_class(tournament.time) or tournament.extras.get("CL", "") or "?",
        "EV": tournament.name,
        "PC": tournament.extras.get("PC", f",{tournament.place}"),
        "DT": ",".join(days),
    }
    if tournament.handicap.correction > 0 and tournament.handicap.ceiling > 0:
        tags["HA"] = f"h{tournament.handicap.correction}"
    if tournament.komi is not None:
        tags["KM"] = f"{tournament.komi:g}"
    if tournament.time.basic:
        tags["TM"] = str(adjusted_time(tournament.time) // 60)
    if tournament.time.system in _NAMES:
        tags["CM"] = _NAMES[tournament.time.system]
    known = {tag: text.replace("]", ")") for tag, text in tags.items() if text != "?"}
    return [*(f"; {tag}[{text}]" for tag, text in known.items()), ";"]


def _columns(table: Standings) -> str:
    names = "".join(f"{(c.heading or c.name)[:5]:>5}" for c in table.criteria)
    return f"; Pl {'Name':<32}Rk Co Club{names}"


def _rows(table: Standings, keep_forfeits: bool) -> list[str]:
    tournament = table.tournament
    number = {row: place + 1 for place, row in enumerate(table.order.tolist())}
    rows = []
    for at, row in enumerate(table.order.tolist()):
        player = tournament.players[row]
        shared = at > 0 and table.place[at] == table.place[at - 1]
        place = "" if shared else str(table.place[at])
        name = " ".join(part.replace(" ", "_") for part in (player.name, player.first_name or "x"))
        if player.rank is None:
            raise InputError(
                f"{player.full_name} has no grade, which this format needs",
                file=tournament.file or None,
            )
        rank = format_rank(player.rank)
        scores = [
            f"{score_text(c, v)[:4]:>4}"
            for c, v in zip(table.criteria, table.values[at].tolist(), strict=True)
        ]
        scores += ["0"] * (_COLUMNS - len(scores))
        cells = [
            f"{text:>8}" if len(text) > 3 else f"{text:>5}   "
            for r in range(1, table.round + 1)
            for text in [result_text(table, row, r, number, keep_forfeits=keep_forfeits)]
        ]
        parts = [
            f"{place:>4}", f"{name:<30.30}", f"{rank:>3}", f"{player.country.strip() or 'XX':>2.2}",
            f"{player.club.strip().replace(' ', '_') or 'xxxx':>4.4}", *scores, *cells,
        ]  # fmt: skip
        pin = player.ids.get("egf", "")
        rows.append(" ".join(parts).rstrip() + (f" |{pin}" if pin else ""))
    return rows
