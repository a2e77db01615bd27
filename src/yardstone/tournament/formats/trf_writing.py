"""Writes FIDE's Tournament Report Files (TRF16, and the lines of TRF26 that are needed).

A tournament that was read from such a file is written over its lines: only the columns
whose meaning differs are touched, everything else comes back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from yardstone.errors import InputError
from yardstone.records.decoding import clean
from yardstone.tournament.fide import FideScores, rules_for
from yardstone.tournament.formats.line_files import TextDocument
from yardstone.tournament.formats.trf_go import GO_LINE, go_lines, same_go
from yardstone.tournament.formats.trf_head import FIRST_ROUND, WIDTH
from yardstone.tournament.formats.trf_reading import BYES, MAX_PLAYERS, read_trf
from yardstone.tournament.formats.trf_swiss import swiss_lines
from yardstone.tournament.formats.trf_teams import team_lines
from yardstone.tournament.model import Game, Player, Result, System, Tournament
from yardstone.tournament.standings_table import standings

__all__ = ["write_trf"]

_LETTERS = {kind: letter for letter, kind in BYES.items()}
_NO_GAME = " " * WIDTH
_SYSTEMS = {
    System.swiss: "Individual: Swiss-System",
    System.round_robin: "Individual: Round-Robin",
    System.cup: "Individual: Knock-out",
    System.mcmahon: "Individual: McMahon system",
}
#: First and last column (from 0) of each part of a player's line.
_PARTS = {
    "sex": (9, 10), "title": (10, 13), "name": (14, 47), "rating": (48, 52),
    "country": (53, 56), "fide": (57, 68), "birth": (69, 79), "points": (80, 84),
    "rank": (85, 89),
}  # fmt: skip
_RIGHT = ("title", "rating", "fide", "points", "rank")


def write_trf(tournament: Tournament) -> bytes:
    """The tournament as the bytes of a report file.

    Players are numbered as in the file it was read from, else in their order. White is
    the player who moves first.

    Examples
    --------
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
    rows = [
        _whole_line(numbers[row], cells) for row, cells in enumerate(_fresh(tournament, numbers))
    ]
    return _with_go(
        tournament,
        TextDocument("trf", ()),
        [
            *_head(tournament),
            *swiss_lines(tournament, numbers),
            *rows,
            *team_lines(tournament, numbers),
        ],
        numbers,
    )


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


def _blank(number: int) -> str:
    return f"001 {number:4d}".ljust(FIRST_ROUND - 2)


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


def _day(day: date | None) -> str:
    return "" if day is None else day.strftime("%Y/%m/%d")


def _head(tournament: Tournament) -> list[str]:
    rules = tournament.scoring
    rated = sum(player.rating is not None for player in tournament.players)
    records = [
        ("012", tournament.name),
        ("022", tournament.place),
        ("042", _day(tournament.begin)),
        ("052", _day(tournament.end)),
        ("062", str(len(tournament.players))),
        ("072", str(rated)),
        *([("082", str(len(tournament.teams)))] if tournament.teams else []),
        ("092", _SYSTEMS.get(tournament.system, "")),
        ("102", tournament.director),
        ("142", str(tournament.rounds)),
    ]
    points = {"W": (rules.win, 1.0), "D": (rules.draw, 0.5), "L": (rules.loss, 0.0)}
    points |= {"A": (rules.absence, 0.0)}
    if rules.bye is not None:
        points |= {"P": (rules.bye, rules.win)}
    if rules.open_game is not None:
        points |= {"X": (rules.open_game, rules.draw)}
    values = [f" {name}{value:4.1f}".ljust(9) for name, (value, usual) in points.items()
            if value != usual]  # fmt: skip
    if values:
        records.append(("162", "".join(values).rstrip()))
    if tournament.discipline == "chess" and rules.criteria:
        names = ",".join(name.replace("-", "/") for name in rules.criteria)
        records.append(("212", names))
    lines = [f"{kind} {_one_line(text)}".rstrip() for kind, text in records]
    if any(tournament.round_dates):
        days = [d.strftime("%y/%m/%d") if d else "" for d in tournament.round_dates]
        cells = "".join(day.ljust(WIDTH) for day in days)
        lines.insert(-1, ("132".ljust(FIRST_ROUND) + cells).rstrip())
    lines += [
        f"299          {change.points:4.1f}  {change.round:03d} {change.player + 1:4d}"
        for change in tournament.adjustments
    ]
    return lines


#: Which line holds which field, and how it is written.
_HEAD_FIELDS = ("012", "022", "042", "052", "102", "142")


def _updated(tournament: Tournament, document: TextDocument) -> bytes:
    before = read_trf(document.to_bytes(document.lines), tournament.file)
    numbers = dict(document.number)
    start = max(numbers.values(), default=0)
    for row in range(len(tournament.players)):
        if row not in numbers:
            start += 1
            numbers[row] = start
    lines = list(document.lines)
    rows = _fresh(tournament, numbers)
    earlier = _fresh(before, numbers)
    last = max(player.line for player in before.players)
    for row, player in enumerate(before.players):
        old, new = earlier[row], rows[row]
        lines[player.line - 1] = _patched(lines[player.line - 1], old, new)
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


def _fresh(
    tournament: Tournament, numbers: Mapping[int, int]
) -> list[tuple[dict[str, str], list[str]]]:
    """What each player's line would say: its parts, and the cells of its rounds."""
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


def _whole_line(number: int, fresh: tuple[dict[str, str], list[str]]) -> str:
    line = _blank(number)
    for part, text in fresh[0].items():
        line = _put(line, part, text)
    return (line.ljust(FIRST_ROUND) + "".join(fresh[1])).rstrip()


def _patched(
    line: str, old: tuple[dict[str, str], list[str]], new: tuple[dict[str, str], list[str]]
) -> str:
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
    for kind in _HEAD_FIELDS:
        if old.get(kind) == new.get(kind):
            continue
        place = next((n for n, line in enumerate(lines) if line[:3] == kind), None)
        if place is None and kind == "142":
            place = next((n for n, line in enumerate(lines) if line[:3] == "XXR"), None)
            if place is not None:
                lines[place] = "XXR" + new[kind][3:]
                continue
        if place is None:
            first = next(n for n, line in enumerate(lines) if line[:3] == "001")
            lines.insert(first, new[kind])
        else:
            lines[place] = new[kind]
