"""Reads and writes the results format of the European Go Database, known as H9.

A line a player in the order of places: place, name, grade, country, club, up to a few scores, then
the results, ``12+/b0`` being a win with Black without handicap against the player in line 12. What
follows ``;`` is a comment, but tags such as ``; EV[Name]`` are read. Black moves first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from yardstone.errors import InputError
from yardstone.pool import SkipReport
from yardstone.records.decoding import clean, finite_number
from yardstone.tournament.formats.opengotha import format_rank, parse_rank
from yardstone.tournament.formats.text_files import (
    Half,
    TextDocument,
    check_half_results,
    join_halves,
    parse_date,
    split_lines,
)
from yardstone.tournament.model import (
    ByeKind,
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

MAX_PLAYERS = 20_000
MAX_ROUNDS = 200
_MAX_LINE = 10_000
#: One result: opponent, sign, and in either order what follows a slash or an exclamation mark.
RESULT = re.compile(
    r"(?P<who>\d{0,5})(?P<sign>[+\-=?])"
    r"(?:(?P<mark>[/!]{1,2})(?P<colour>[wbWB?])?(?:h?(?P<handicap>\d))?)?"
)
_GAME = re.compile(r"\d{1,5}[+\-=?](?:[/!].*)?")
_TAG = re.compile(r";\s*([A-Z]{2})\[([^\]]*)\]")
_GRADE = re.compile(r"\d{1,2}\s?[kKdDpP]")
_SCORE = re.compile(r"-?\d{0,5}(?:[.,]\d+|[½¼¾])?")
_PIN = re.compile(r"\|\s*(\w{1,12})\s*$")
_NAMES = {
    TimeSystem.sudden_death: "Sudden death",
    TimeSystem.byo_yomi: "Standard byo-yomi",
    TimeSystem.canadian: "Canadian byo-yomi",
    TimeSystem.fischer: "Fischer",
}
_TIMES = {name.lower().split()[0]: system for system, name in _NAMES.items()}
_TIMES["byo"] = TimeSystem.byo_yomi
_SIGNS = {
    "+-": Result.first_wins,
    "-+": Result.second_wins,
    "==": Result.draw,
    "++": Result.both_win,
    "--": Result.both_lose,
    "??": Result.unknown,
}
_BYES = {"+": ByeKind.paired, "=": ByeKind.half}
_DECIMALS = str.maketrans({"¼": ".25", "½": ".5", "¾": ".75"})
_COLUMNS = 4


@dataclass(slots=True)
class _PlayerRow:
    printed: int
    player: Player
    scores: tuple[str, ...]
    cells: list[Half] = field(default_factory=list)


def read_h9(data: bytes, file: str = "", *, skipped: SkipReport | None = None) -> Tournament:
    """A tournament from the bytes of an H9 file, in UTF-8 or Latin-1.

    `file` is what messages call it; `skipped` takes results that cannot be used, without it the
    first one is an error.
    """
    document = split_lines(data, file, "h9")
    tags: dict[str, str] = {}
    rows: list[_PlayerRow] = []
    for number, line in enumerate(document.lines, 1):
        if len(line) > _MAX_LINE:
            raise InputError(f"more than {_MAX_LINE:,} letters", file=file, line=number)
        content, semicolon, _ = line.partition(";")
        if semicolon and not content.strip():
            tags |= {tag: clean(text) for tag, text in _TAG.findall(line)}
        elif content.strip():
            rows.append(_row(content, number, file))
        if len(rows) > MAX_PLAYERS:
            raise InputError(f"more than {MAX_PLAYERS:,} players", file=file)
    if not rows:
        raise InputError("no line of a player", file=file, hint="is this a file of results?")
    printed = [row.printed for row in rows]
    distinct = len(set(printed)) == len(printed) and all(printed)
    numbers = printed if distinct else range(1, len(rows) + 1)
    games, byes = join_halves(
        [row.cells for row in rows],
        numbers,
        lambda a, b: (_SIGNS.get(a.result + b.result), a.forfeit or b.forfeit, True),
        lambda half: _BYES.get(half.result),
        file,
        skipped,
    )
    games.sort(key=lambda game: (game.round, min(game.players)))
    there = {(game.round, player) for game in games for player in game.players}
    there |= {(bye.round, bye.player) for bye in byes}
    players = []
    for place, row in enumerate(rows):
        absent = (each.round for each in row.cells if (each.round, place) not in there)
        players.append(replace(row.player, absent=frozenset(absent)))
    region, _, city = tags.get("PC", "").partition(",")
    days = [parse_date(day) for day in tags.get("DT", "").split(",")]
    criteria = _criteria(document.lines, rows)
    word = tags.get("CM", "").lower()
    time = TimeControl(
        system=next((kind for name, kind in _TIMES.items() if name in word), TimeSystem.unknown),
        basic=round(60 * (_number(tags.get("TM", "")) or 0)),  # all that the format says
        internet=tags.get("CL", "") == "D",
    )
    less = re.fullmatch(r"h(\d)", tags.get("HA", "").strip())
    made = Tournament(
        name=tags.get("EV", ""),
        place=", ".join(part.strip() for part in (city, region) if part.strip()),
        begin=days[0],
        end=days[-1],
        discipline="go",
        komi=_number(tags.get("KM", "")),
        rounds=max(len(row.cells) for row in rows),
        system=System.mcmahon if "MMS" in criteria else System.swiss,
        players=tuple(players),
        games=tuple(games),
        byes=tuple(byes),
        scoring=Scoring(criteria=criteria, score_absent=0.0),
        handicap=HandicapRules(correction=int(less[1]), ceiling=9) if less else HandicapRules(),
        time=time,
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
        entered = _number(row.scores[at].translate(_DECIMALS)) if at < len(row.scores) else None
        missing2 = 0 if entered is None else round(2 * entered) - score2
        players.append(replace(player, smms_correction=missing2 // 2))
    return replace(tournament, players=tuple(players))


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
    if any(_GAME.fullmatch(word) for word in between):
        raise InputError("results stand before other words", file=file, line=number)
    matches = [match for word in words[cells_at:] if (match := RESULT.fullmatch(word))]
    cells = [
        Half(
            place,
            number,
            int(match["who"] or 0),
            match["sign"],
            {"b": True, "w": False}.get((match["colour"] or "").lower()),
            int(match["handicap"] or 0),
            "!" in (match["mark"] or ""),
        )
        for place, match in enumerate(matches, 1)
    ]
    if len(cells) > MAX_ROUNDS:
        raise InputError(f"more than {MAX_ROUNDS} rounds", file=file, line=number)
    # Family name and given name: with a comma between, else the last word is the latter.
    family, comma, first = clean(" ".join(names)).partition(",")
    if not comma and len(names) > 1:
        family, first = " ".join(names[:-1]), names[-1]
    family, first = (clean(part.replace("_", " ")) for part in (family, first))
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
    return _PlayerRow(printed, player, tuple(scores), cells)


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
    names = "".join(f"{(c.heading or c.name)[:5]:>5}" for c in table.criteria)
    columns = f"; Pl {'Name':<32}Rk Co Club{names}"
    lines = [*_head(tournament), columns, *_rows(table, keep_forfeits)]
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
            raise tournament.error(f"{player.full_name} has no grade, which this format needs")
        rank = format_rank(player.rank)
        values = zip(table.criteria, table.values[at].tolist(), strict=True)
        scores = [f"{score_text(criterion, value)[:4]:>4}" for criterion, value in values]
        scores += ["0"] * (_COLUMNS - len(scores))
        texts = (
            result_text(table, row, r, number, keep_forfeits=keep_forfeits)
            for r in range(1, table.round + 1)
        )
        cells = [f"{text:>8}" if len(text) > 3 else f"{text:>5}   " for text in texts]
        parts = [
            f"{place:>4}", f"{name:<30.30}", f"{rank:>3}", f"{player.country.strip() or 'XX':>2.2}",
            f"{player.club.strip().replace(' ', '_') or 'xxxx':>4.4}", *scores, *cells,
        ]  # fmt: skip
        pin = player.ids.get("egf", "")
        end = f" |{pin}" if pin else ""
        if end and not _PIN.fullmatch(end, 1):
            raise tournament.error(
                f"{player.full_name} has the EGF number {pin!r}: this format takes 12 letters and "
                "digits at most"
            )
        rows.append(" ".join(parts).rstrip() + end)
    return rows
