"""Standings of a tournament as text, CSV, JSON and a page to print."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from yardstone.reports.aligned import aligned
from yardstone.reports.json_out import as_json
from yardstone.reports.statements import plural
from yardstone.tournament.classes import egf_class
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.notation import result_text, score_text
from yardstone.winprob.grades import format_grade

if TYPE_CHECKING:
    from yardstone.tournament.standings import Standings

__all__ = [
    "csv_standings",
    "html_standings",
    "json_standings",
    "plain_standings",
    "text_standings",
    "tournament_lines",
]


def text_standings(table: Standings, *, results: bool = True, top: int | None = None) -> str:
    """The table as aligned text, with a line about the tournament above it."""
    rows = _rows(table, results=results, top=top)
    lines = [_headline(table), "", *aligned(rows, left={1})]
    hidden = len(table) - (len(rows) - 1)
    if hidden > 0:
        lines.append(f"… and {plural(hidden, 'more player')}")
    return "\n".join(lines) + "\n"


def _headline(table: Standings) -> str:
    tournament = table.tournament
    name = tournament.name or "Tournament"
    after = f"after round {table.round} of {tournament.rounds}" if table.round else "before round 1"
    return f"{name}: {plural(len(table), 'player')}, {after}"


def _rows(table: Standings, *, results: bool, top: int | None) -> list[list[str]]:
    tournament = table.tournament
    go = tournament.discipline == "go"
    head = ["Pl", "Name", "Grade" if go else "Rating", "Co"]
    clubs = any(player.club for player in tournament.players)
    head += ["Club"] if clubs else []
    head += [c.heading or c.name for c in table.criteria]
    places = {row: at + 1 for at, row in enumerate(table.order.tolist())}
    if results:
        head += [f"R{number}" for number in range(1, table.round + 1)]
    rows = [head]
    for at, row in enumerate(table.order.tolist()[:top]):
        player = tournament.players[row]
        shared = at > 0 and table.place[at] == table.place[at - 1]
        cells = ["" if shared else str(table.place[at]), player.full_name]
        if go:
            cells.append("" if player.rank is None else format_grade(player.rank))
        else:
            cells.append("" if player.rating is None else f"{player.rating:.0f}")
        cells.append(player.country.upper())
        cells += [player.club] if clubs else []
        values = zip(table.criteria, table.values[at].tolist(), strict=True)
        cells += [score_text(c, v) for c, v in values]
        if results:
            cells += [_cell(table, row, r, places) for r in range(1, table.round + 1)]
        rows.append(cells)
    return rows


def _cell(table: Standings, row: int, number: int, places: dict[int, int]) -> str:
    """A result; in chess with the colours of chess and without handicap."""
    text = result_text(table, row, number, places)
    if table.tournament.discipline != "chess":
        return text
    game = table.tournament.game_of.get((number, row))
    if game is None:
        return text
    colour = ("w" if row == game.first else "b") if game.known_colour else ""
    mark = "!" if game.forfeit else ""
    return text.split("/")[0].split("!")[0] + mark + colour


def plain_standings(table: Standings) -> dict[str, Any]:
    """The table as dictionaries, lists, numbers, strings and None."""
    tournament = table.tournament
    places = {row: at + 1 for at, row in enumerate(table.order.tolist())}
    return {
        "name": tournament.name,
        "place": tournament.place,
        "begin": None if tournament.begin is None else tournament.begin.isoformat(),
        "end": None if tournament.end is None else tournament.end.isoformat(),
        "system": str(tournament.system),
        "rounds": tournament.rounds,
        "round": table.round,
        "criteria": [{"name": c.name, "about": c.about} for c in table.criteria],
        "players": [_record(table, at, row, places) for at, row in enumerate(table.order.tolist())],
    }


def _record(table: Standings, at: int, row: int, places: dict[int, int]) -> dict[str, Any]:
    player = table.tournament.players[row]
    values = table.values[at].tolist()
    return {
        "place": int(table.place[at]),
        "line": at + 1,
        "number": row + 1,
        "name": player.name,
        "first_name": player.first_name,
        "country": player.country,
        "club": player.club,
        "grade": None if player.rank is None else format_grade(player.rank),
        "rating": player.rating,
        "scores": {c.name: _number(c.name, v) for c, v in zip(table.criteria, values, strict=True)},
        "results": [_cell(table, row, r, places) for r in range(1, table.round + 1)],
    }


def _number(name: str, value: float) -> float | None:
    if value != value:
        return None
    return 1 - value if name in ("CAT", "TPN") else value


def json_standings(table: Standings) -> str:
    """The table as JSON."""
    return as_json(plain_standings(table))


def csv_standings(table: Standings) -> str:
    """The table as CSV, a row a player: numbers in full, unknown ones empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    plain = plain_standings(table)
    fixed = ("place", "line", "number", "name", "first_name", "country", "club", "grade", "rating")
    rounds = [f"round_{number}" for number in range(1, table.round + 1)]
    writer.writerow([*fixed, *(c.name.lower() for c in table.criteria), *rounds])
    for record in plain["players"]:
        writer.writerow(
            [
                *(record[name] for name in fixed),
                *record["scores"].values(),
                *record["results"],
            ]
        )
    return out.getvalue()


def html_standings(table: Standings, *, version: str) -> str:
    """The table as a page that prints well."""
    from yardstone.reports.evaluation.html import Section, html_page

    tournament = table.tournament
    lead = [_headline(table), *tournament_lines(tournament)[1:]]
    about = [f"{c.heading or c.name}: {c.about}" for c in table.criteria]
    sections = [
        Section(table=_rows(table, results=True, top=None), left=1),
        Section("How it is ordered", about),
    ]
    return html_page(tournament.name or "Standings", lead, sections, version=version)


_SYSTEMS = {
    System.mcmahon: "McMahon",
    System.swiss: "Swiss",
    System.round_robin: "round robin",
    System.cup: "cup",
    System.other: "of an unknown system",
}


def tournament_lines(tournament: Tournament) -> list[str]:
    """What a file says about the whole: a few plain lines."""
    days = [d.isoformat() for d in (tournament.begin, tournament.end) if d is not None]
    when = " to ".join(dict.fromkeys(days))
    where = ", ".join(part for part in (tournament.place, when) if part)
    played = sum(game.played for game in tournament.games)
    lines = [
        tournament.name or "A tournament without a name",
        f"{_SYSTEMS[tournament.system][0].upper()}{_SYSTEMS[tournament.system][1:]}, "
        f"{plural(tournament.rounds, 'round')}, {plural(len(tournament.players), 'player')}, "
        f"{plural(played, 'game')} played",
    ]
    if where:
        lines.insert(1, where)
    rules = tournament.scoring
    if tournament.system is System.mcmahon:
        lines.append(
            f"Bar {format_grade(rules.bar)}, floor {format_grade(rules.floor)}, "
            f"0 points at {format_grade(rules.zero)}"
        )
    if tournament.discipline == "go":
        lines.append(_go_line(tournament))
    return lines


def _go_line(tournament: Tournament) -> str:
    parts = [f"Board {tournament.size}"]
    if tournament.komi is not None:
        parts.append(f"komi {tournament.komi:g}")
    handicap = tournament.handicap
    if handicap.ceiling:
        parts.append(f"handicap less {handicap.correction}, at most {handicap.ceiling}")
    else:
        parts.append("no handicap")
    kind = egf_class(tournament.time)
    parts.append(f"EGF class {kind}" if kind else "too fast for a class of the EGF")
    return ", ".join(parts)
