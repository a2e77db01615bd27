"""A tournament, its standings, a player's card, prizes, rating changes, and round robins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from yardstone.errors import YardstoneError
from yardstone.grades import format_grade
from yardstone.reports.document import Block, Column, Document, Facts, Lines, Section, Table
from yardstone.reports.pairing import player_name, points_text, round_title, side_names
from yardstone.reports.words import known, plural
from yardstone.tournament.model import ByeKind, Result, System, egf_class
from yardstone.tournament.notation import result_text, score_text
from yardstone.tournament.rating_change import rating_changes
from yardstone.tournament.standings_table import standings

if TYPE_CHECKING:
    from yardstone.tournament.event.prizes import Prize, PrizeList
    from yardstone.tournament.model import Player, Tournament
    from yardstone.tournament.rating_change import RatingChange
    from yardstone.tournament.round_robin import RoundRobin
    from yardstone.tournament.standings_table import Criterion, Standings


__all__ = [
    "standings_document",
    "summary_lines",
    "tournament_document",
    "player_card_document",
    "prizes_document",
    "changes_document",
    "round_robin_document",
]


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


@dataclass(frozen=True, slots=True)
class _Round:
    """What happened to a player in a round."""

    number: int
    table: int | None
    opponent: int | None
    instead: str
    colour: str
    handicap: str
    result: str
    score: float | None


def player_card_document(
    tournament: Tournament, player: int, *, link: Callable[[int], str] | None = None
) -> Document:
    """The card of a player (by number from 0).

    On a page the names of opponents lead to the `link` of their numbers.
    """
    rounds = _rounds(tournament, player)
    who = tournament.players[player]

    def opponent(each: _Round) -> str:
        return each.instead if each.opponent is None else player_name(tournament, each.opponent)

    def page_of(each: _Round) -> str:
        return "" if each.opponent is None or link is None else link(each.opponent)

    stones = "Stones" if any(each.handicap for each in rounds) else ""
    table = Table(
        [
            Column("round", lambda each: each.number, "Round", "integer"),
            Column("table", lambda each: each.table, "Table", "integer", gives_way=1),
            Column("opponent", opponent, "Opponent", link=page_of),
            Column("colour", lambda each: each.colour, "Colour", left=False),
            Column("stones", lambda each: each.handicap, stones, left=False),
            Column("result", lambda each: each.result, "Result", left=False),
            Column(
                "score",
                lambda each: each.score,
                "McMahon score" if tournament.system is System.mcmahon else "Points",
                "number",
                show=lambda each: "" if each.score is None else points_text(each.score),
            ),
        ],
        rounds,
        noun="round",
    )
    blocks: list[Block] = [Facts(_facts(tournament, player))]
    return Document(
        who.full_name,
        sections=[Section("", blocks), Section("Games", [table])],
        records=table,
    )


def _facts(tournament: Tournament, player: int) -> list[tuple[str, str]]:
    who = tournament.players[player]
    facts = []
    if who.rank is not None:
        facts.append(("Grade", format_grade(who.rank)))
    if who.rating is not None:
        facts.append(("Rating", f"{who.rating:.0f}" + _new_rating(tournament, player)))
    if who.club:
        facts.append(("Club", who.club))
    if who.country:
        facts.append(("Country", who.country.upper()))
    last = max((g.round for g in tournament.games if g.result is not Result.unknown), default=0)
    if last:
        made = standings(tournament, round_number=last)
        at = {row: line for line, row in enumerate(made.order.tolist())}.get(player)
        if at is not None:
            so_far = "" if last <= tournament.complete_rounds else " so far"
            facts.append(("Place", f"{made.place[at]} of {len(made)}, after round {last}{so_far}"))
    missed = sorted(each for each in who.absent if each <= tournament.rounds)
    if missed:
        facts.append(("Absent", _rounds_text(missed)))
    return facts


def _rounds_text(numbers: list[int]) -> str:
    listed = ", ".join(str(number) for number in numbers)
    return f"round{'' if len(numbers) == 1 else 's'} {listed}"


def _new_rating(tournament: Tournament, player: int) -> str:
    """The rating after the games so far, where the tournament's rules can tell it."""
    try:
        changes = {each.player: each for each in rating_changes(tournament)}
    except YardstoneError:  # no game that counts, or too fast for a class
        return ""
    change = changes.get(player)
    if change is None or change.after is None or change.before is None:
        return ""
    return f", with the games so far {change.after:.1f} ({change.change:+.1f})"


def _rounds(tournament: Tournament, player: int) -> list[_Round]:
    """All rounds up to the last one that is paired."""
    from yardstone.tournament.standings_table import Scores

    scores = Scores.of(tournament)
    totals = scores.mms2 if tournament.system is System.mcmahon else scores.wins2
    sides = side_names(tournament)
    rounds = []
    for number in range(1, tournament.last_round + 1):
        total = float(totals[player, number]) / 2
        game = tournament.game_of.get((number, player))
        if game is None:
            rounds.append(
                _Round(number, None, None, _free(tournament, player, number), "", "", "", total)
            )
            continue
        turned = player != game.first
        known = game.result is not Result.unknown
        stones = (-game.handicap if turned else game.handicap) if game.handicap else 0
        rounds.append(
            _Round(
                number=number,
                table=game.table or None,
                opponent=game.opponent(player),
                instead="",
                colour=sides[turned] if game.known_colour else "",
                handicap=f"{'takes' if stones > 0 else 'gives'} {abs(stones)}" if stones else "",
                result=_card_result(game.points(player), forfeit=game.forfeit) if known else "",
                score=total if known else None,
            )
        )
    return rounds


def _card_result(points: float, *, forfeit: bool) -> str:
    word = {1.0: "won", 0.5: "draw", 0.0: "lost"}[points]
    return f"{word} by forfeit" if forfeit else word


def _free(tournament: Tournament, player: int, number: int) -> str:
    bye = tournament.bye_of.get((number, player))
    if bye is not None:
        return "bye" if bye.kind is ByeKind.paired else str(bye.kind)
    return "absent" if not tournament.players[player].takes_part(number) else "not paired"


def prizes_document(prizes: PrizeList) -> Document:
    """A table for each group of prizes."""
    tournament = prizes.table.tournament
    name = tournament.name or "Tournament"
    lead = [f"{name}: prizes after round {prizes.table.round} of {tournament.rounds}"]
    if not prizes.final:
        to_come = [
            plural(number, noun)
            for number, noun in ((prizes.open_results, "result"), (prizes.rounds_to_come, "round"))
            if number
        ]
        lead.append(f"Not final: {' and '.join(to_come)} to come.")
    columns = _prize_columns(prizes)
    sections = [
        Section(group, [Table(columns, list(rows), noun="prize", group=True)])
        for group, rows in groupby(prizes.prizes, key=lambda prize: prize.group)
    ]
    return Document(
        f"Prizes of {name}", lead, sections, records=Table(columns, prizes.prizes, noun="prize")
    )


def _prize_columns(prizes: PrizeList) -> list[Column]:
    table = prizes.table
    players = table.tournament.players
    money = any(prize.money is not None for prize in prizes.prizes)
    clubs = any(player.club for player in players)

    def place(prize: Prize) -> str:
        return "" if not prize.place else f"{prize.place}{'=' if prize.shared else ''}"

    def amount(prize: Prize) -> str:
        return "" if not prize.money else f"{prize.money:.2f}".removesuffix(".00")

    main = table.criteria[0]
    return [
        Column("group", lambda prize: prize.group),
        Column("place", lambda prize: prize.place or None, "Pl", "integer", show=place, left=False),
        Column("shared", lambda prize: prize.shared, kind="boolean"),
        Column(
            "name",
            lambda prize: players[prize.player].full_name,
            "Name",
            show=lambda prize: player_name(table.tournament, prize.player),
        ),
        Column(
            "club", lambda prize: players[prize.player].club, "Club" if clubs else "", left=False
        ),
        Column("country", lambda prize: players[prize.player].country),
        Column(
            main.name.lower(),
            lambda prize: float(table.values[prize.line, 0]),
            main.heading or main.name,
            "number",
            show=lambda prize: score_text(main, float(table.values[prize.line, 0])),
        ),
        Column("wins", lambda prize: prize.wins, "Wins", "integer"),
        Column(
            "money",
            lambda prize: prize.money,
            "Prize" if money else "",
            "number",
            show=amount,
        ),
    ]


def changes_document(tournament: Tournament, changes: Sequence[RatingChange]) -> Document:
    """All players who played a game that counts, the best rating first."""
    chess = tournament.discipline == "chess"
    factors = {change.factor for change in changes}
    headline = f"{tournament.name}: ratings of {plural(len(changes), 'player')}"
    if not chess and len(factors) == 1:
        headline += f", games weighted {factors.pop():g}"
    columns: list[Column] = [
        Column("number", lambda c: c.player + 1, kind="integer"),
        Column("player", lambda c: tournament.players[c.player].full_name, "Player"),
        Column("before", lambda c: c.before, "Before", "number"),
        Column("after", lambda c: c.after, "After", "number"),
        Column(
            "change",
            lambda c: None if c.before is None else c.change,
            "Change",
            "number",
            form="+.1f",
        ),
        Column("games", lambda c: c.games, "Games", "integer", gives_way=3),
        Column("score", lambda c: c.score, "Score", "number", form="g", gives_way=2),
        Column("expected", lambda c: known(c.expected), "Expected", "number", ".2f", gives_way=1),
        Column("factor", lambda c: c.factor, "K" if chess else "", "number", form="g", gives_way=4),
    ]
    rows = sorted(changes, key=lambda c: (c.after is None, -(c.after or 0.0), c.player))
    table = Table(columns, rows, noun="player")
    return Document(
        f"Rating changes of {tournament.name}" if tournament.name else "Rating changes",
        [headline],
        [Section("", [table])],
        records=table,
    )


_ORIGINS = {"lot": "drawn by lot", "list": "those of the list"}


def round_robin_document(made: RoundRobin) -> Document:
    """The boards, with the numbers of the players in the table."""
    tournament = made.tournament
    number = {player: place for place, player in enumerate(made.numbers, 1)}
    one, two = side_names(tournament)
    columns: list[Column] = [
        Column("round", lambda game: game.round, kind="integer"),
        Column("table", lambda game: game.table, "Table", "integer"),
        Column(
            "first",
            lambda game: tournament.players[game.first].full_name,
            one,
            show=lambda game: player_name(tournament, game.first),
        ),
        Column("", lambda game: number[game.first], "No.", "integer"),
        Column(
            "second",
            lambda game: tournament.players[game.second].full_name,
            two,
            show=lambda game: player_name(tournament, game.second),
        ),
        Column("", lambda game: number[game.second], "No.", "integer"),
    ]
    table = Table(columns, made.games, noun="board")
    title = round_title(tournament, made.round)
    lead = [
        f"{title}: {plural(len(made.games), 'board')}",
        f"Round {made.round} of {made.rounds} of the Berger table of "
        f"{plural(len(made.numbers), 'player')}; numbers are "
        f"{_ORIGINS.get(made.numbering, f'by {made.numbering}')}.",
        *(f"No opponent: {player_name(tournament, bye.player)}" for bye in made.byes),
    ]
    return Document(
        title, lead, [Section("", [table])], records=table, plain=lambda: _plain_rounds(made, table)
    )


def _plain_rounds(made: RoundRobin, table: Table) -> dict[str, Any]:
    players = made.tournament.players
    return {
        "tournament": made.tournament.name,
        "round": made.round,
        "rounds": made.rounds,
        "numbering": made.numbering,
        "numbers": [players[row].full_name for row in made.numbers],
        "boards": [{c.name: c.value(game) for c in table.kept} for game in made.games],
        "byes": [players[bye.player].full_name for bye in made.byes],
    }
