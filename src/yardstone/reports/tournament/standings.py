"""A tournament as its file has it, and its standings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from yardstone.grades import format_grade
from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import plural
from yardstone.tournament.model import System, egf_class
from yardstone.tournament.notation import result_text, score_text

if TYPE_CHECKING:
    from yardstone.tournament.model import Player, Tournament
    from yardstone.tournament.standings_table import Criterion, Standings

__all__ = ["standings_document", "summary_lines", "tournament_document"]

_SYSTEMS = {
    System.mcmahon: "McMahon",
    System.swiss: "Swiss",
    System.round_robin: "round robin",
    System.cup: "cup",
    System.other: "of an unknown system",
}


def standings_document(
    table: Standings,
    *,
    results: bool = True,
    top: int | None = None,
    link: Callable[[int], str] | None = None,
    search: bool = False,
    alone: bool = False,
) -> Document:
    """The table with the results of each round, under a line about the tournament.

    People see the `top` players only, and without `results` no games. On a page names lead
    to the `link` of a player's number, and with `search` players can be found. The table
    stands `alone` where the page says by itself what tournament it is.
    """
    tournament = table.tournament
    after = f"after round {table.round} of {tournament.rounds}" if table.round else "before round 1"
    name = tournament.name or "Tournament"
    ordered = Table(
        _columns(table, results, link),
        range(len(table)),
        noun="player",
        limit=top,
        search=search,
    )
    about = [f"{c.heading or c.name}: {c.about}" for c in table.criteria]
    return Document(
        tournament.name or "Standings",
        [] if alone else [f"{name}: {plural(len(table), 'player')}, {after}"],
        [
            Section(
                "",
                [ordered] if alone else [Lines(summary_lines(tournament)[1:], aside=True), ordered],
            ),
            Section("How it is ordered", [Lines(about, aside=True)]),
        ],
        records=ordered,
        plain=lambda: _plain(table),
    )


def _columns(
    table: Standings, results: bool, link: Callable[[int], str] | None = None
) -> list[Column]:
    """Of rows that are lines of the table, from 0."""
    page_of = None if link is None else lambda at: link(int(table.order[at]))
    tournament = table.tournament
    go = tournament.discipline == "go"
    clubs = any(player.club for player in tournament.players)
    places = {row: at + 1 for at, row in enumerate(table.order.tolist())}

    def player(at: int) -> Player:
        return tournament.players[int(table.order[at])]

    def place(at: int) -> str:
        shared = at > 0 and table.place[at] == table.place[at - 1]
        return "" if shared else str(table.place[at])

    def of_round(number: int) -> Column:
        return Column(
            f"round_{number}",
            lambda at: _result(table, int(table.order[at]), number, places),
            f"R{number}" if results else "",
            left=False,
            gives_way=2 + number,
        )

    def criterion(at: int, which: Criterion) -> Column:
        return Column(
            which.name.lower(),
            lambda line: _number(which.name, float(table.values[line, at])),
            which.heading or which.name,
            "number",
            show=lambda line: score_text(which, float(table.values[line, at])),
        )

    def strength(at: int) -> str:
        entry = player(at)
        if go:
            return "" if entry.rank is None else format_grade(entry.rank)
        return "" if entry.rating is None else f"{entry.rating:.0f}"

    return [
        Column("place", lambda at: int(table.place[at]), "Pl", "integer", show=place),
        Column("line", lambda at: at + 1, kind="integer"),
        Column("number", lambda at: int(table.order[at]) + 1, kind="integer"),
        Column("name", lambda at: player(at).name),
        Column("first_name", lambda at: player(at).first_name),
        Column("", lambda at: player(at).full_name, "Name", link=page_of),
        Column("", strength, "Grade" if go else "Rating", left=False),
        Column(
            "country",
            lambda at: player(at).country,
            "Co",
            show=lambda at: player(at).country.upper(),
            left=False,
            gives_way=2,
        ),
        Column(
            "club", lambda at: player(at).club, "Club" if clubs else "", left=False, gives_way=1
        ),
        *_strength_columns(player),
        *(criterion(at, which) for at, which in enumerate(table.criteria)),
        *(of_round(number) for number in range(1, table.round + 1)),
    ]


def _strength_columns(player: Callable[[int], Player]) -> list[Column]:
    def grade(row: int) -> str | None:
        rank = player(row).rank
        return None if rank is None else format_grade(rank)

    return [Column("grade", grade), Column("rating", lambda row: player(row).rating, kind="number")]


def _result(table: Standings, row: int, number: int, places: dict[int, int]) -> str:
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


def _number(name: str, value: float) -> float | None:
    if value != value:
        return None
    return 1 - value if name in ("CAT", "TPN") else value


#: Columns before those of criteria.
_OF_PLAYERS = 9


def _plain(table: Standings) -> dict[str, Any]:
    columns = [column for column in _columns(table, results=True) if column.name]
    first, last = _OF_PLAYERS, _OF_PLAYERS + len(table.criteria)

    def record(at: int) -> dict[str, Any]:
        return {
            **{column.name: column.value(at) for column in columns[:first]},
            "scores": {
                which.name: column.value(at)
                for which, column in zip(table.criteria, columns[first:last], strict=True)
            },
            "results": [column.value(at) for column in columns[last:]],
        }

    return {
        **_head(table.tournament),
        "round": table.round,
        "criteria": [{"name": c.name, "about": c.about} for c in table.criteria],
        "players": [record(at) for at in range(len(table))],
    }


def _head(tournament: Tournament) -> dict[str, Any]:
    return {
        "name": tournament.name,
        "place": tournament.place,
        "begin": None if tournament.begin is None else tournament.begin.isoformat(),
        "end": None if tournament.end is None else tournament.end.isoformat(),
        "system": str(tournament.system),
        "rounds": tournament.rounds,
    }


def tournament_document(tournament: Tournament) -> Document:
    """What a file says about the whole: a few plain lines; files have the entry list."""
    entries = Table(
        [
            Column("number", lambda row: row + 1, kind="integer"),
            Column("name", lambda row: tournament.players[row].name),
            Column("first_name", lambda row: tournament.players[row].first_name),
            Column("country", lambda row: tournament.players[row].country),
            Column("club", lambda row: tournament.players[row].club),
            *_strength_columns(tournament.players.__getitem__),
        ],
        range(len(tournament.players)),
        noun="player",
    )
    return Document(
        tournament.name or "Tournament",
        summary_lines(tournament),
        records=entries,
        plain=lambda: {
            **_head(tournament),
            "discipline": tournament.discipline,
            "games_played": sum(game.played for game in tournament.games),
            "players": [{c.name: c.value(row) for c in entries.kept} for row in entries.rows],
        },
    )


def summary_lines(tournament: Tournament) -> list[str]:
    """What it is called, where and when, and its rules, a line each."""
    days = [d.isoformat() for d in (tournament.begin, tournament.end) if d is not None]
    when = " to ".join(dict.fromkeys(days))
    where = ", ".join(part for part in (tournament.place, when) if part)
    played = sum(game.played for game in tournament.games)
    system = _SYSTEMS[tournament.system]
    lines = [
        tournament.name or "A tournament without a name",
        f"{system[0].upper()}{system[1:]}, "
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
