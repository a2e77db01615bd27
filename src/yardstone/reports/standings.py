"""A tournament: standings of players and teams, cards, prizes, rating changes, and its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from yardstone.errors import YardstoneError
from yardstone.grades import format_grade
from yardstone.reports.document import (
    Alternative,
    Block,
    Choices,
    Column,
    Document,
    Facts,
    Lines,
    Section,
    Table,
)
from yardstone.reports.pairing import (
    board_name,
    name_column,
    names_of,
    player_name,
    round_title,
    side_names,
    stones_column,
)
from yardstone.reports.words import known, picked, plural
from yardstone.tournament.model import ByeKind, Game, Player, Result, System, Tournament, egf_class
from yardstone.tournament.notation import result_text, score_of, score_text
from yardstone.tournament.rules import Team
from yardstone.tournament.standings_table import Criterion, Scores, Standings, standings

if TYPE_CHECKING:
    from yardstone.tournament.event.prizes import Prize, PrizeList
    from yardstone.tournament.rating_change import RatingChange
    from yardstone.tournament.round_robin import RoundRobin
    from yardstone.tournament.teams import TeamMatch, TeamStandings


_SYSTEMS = {
    System.mcmahon: "McMahon",
    System.swiss: "Swiss",
    System.round_robin: "Round robin",
    System.cup: "Cup",
    System.other: "Of an unknown system",
}


class _Line(NamedTuple):
    """A line of a table, from 0, and who stands there."""

    at: int
    row: int
    player: Player


def _grade(player: Player) -> str | None:
    return None if player.rank is None else format_grade(player.rank)


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
    order = table.order.tolist()
    lines = [_Line(at, row, tournament.players[row]) for at, row in enumerate(order)]
    players, criteria, rounds = _columns(table, results, link)
    ordered = Table([*players, *criteria, *rounds], lines, noun="player", limit=top, search=search)

    def plain(line: _Line) -> dict[str, Any]:
        values = (column.value(line) for column in criteria)
        scores = dict(zip([which.name for which in table.criteria], values, strict=True))
        results = [column.value(line) for column in rounds]
        return Column.record(players, line) | {"scores": scores, "results": results}

    def whole() -> dict[str, Any]:
        criteria = [picked(each, "name", "about") for each in table.criteria]
        values = {**_head(tournament), "round": table.round, "criteria": criteria}
        return values | {"players": list(map(plain, lines))}

    about = [f"{c.heading or c.name}: {c.about}" for c in table.criteria]
    head: list[Block] = [] if alone else [Lines(summary_lines(tournament)[1:], aside=True)]
    order = Section("How it is ordered", [Lines(about, aside=True)])
    players_words = f"{plural(len(table), 'player')}, {_after_round(table)}"
    lead = [] if alone else [f"{tournament.name or 'Tournament'}: {players_words}"]
    sections = [Section("", [*head, ordered]), order]
    return Document(tournament.name or "Standings", lead, sections, ordered, whole)


def _after_round(table: Standings | TeamStandings) -> str:
    """Say which round a table is of."""
    if not table.round:
        return "before round 1"
    return f"after round {table.round} of {table.tournament.rounds}"


def _place_column(table: Standings | TeamStandings, at: Callable[[Any], int]) -> Column:
    """The place, shown only for the first of those who share it; `at` gives the line."""

    def show(row: Any) -> str:
        line = at(row)
        shared = line > 0 and table.place[line] == table.place[line - 1]
        return "" if shared else str(table.place[line])

    return Column("place", lambda row: int(table.place[at(row)]), "Pl", "integer", show=show)


def _columns(
    table: Standings, results: bool, link: Callable[[int], str] | None
) -> tuple[list[Column], list[Column], list[Column]]:
    tournament = table.tournament
    go = tournament.discipline == "go"
    clubs = any(player.club for player in tournament.players)
    places = {row: at + 1 for at, row in enumerate(table.order.tolist())}

    def criterion(at: int, which: Criterion) -> Column:
        def value(line: _Line) -> float | None:
            return known(table.values[line.at, at])

        def show(line: _Line) -> str:
            return score_text(which, float(table.values[line.at, at]))

        return Column(which.name.lower(), value, which.heading or which.name, "number", show=show)

    def strength(line: _Line) -> str:
        rating = line.player.rating
        return _grade(line.player) or "" if go else "" if rating is None else f"{rating:.0f}"

    def of_round(number: int) -> Column:
        def result(line: _Line) -> str:
            text = result_text(table, line.row, number, places)
            game = tournament.game_of.get((number, line.row))
            if tournament.discipline != "chess" or game is None:
                return text
            colour = ("w" if line.row == game.first else "b") if game.known_colour else ""
            mark = "!" if game.forfeit else ""
            return text.split("/")[0].split("!")[0] + mark + colour

        heading = f"R{number}" if results else ""
        return Column(f"round_{number}", result, heading, left=False, gives_way=2 + number)

    def country(line: _Line) -> str:
        return line.player.country.upper()

    page = None if link is None else lambda line: link(line.row)
    return (
        [
            _place_column(table, lambda line: line.at),
            Column("line", lambda line: line.at + 1, kind="integer"),
            *_NAMES,
            Column("", "player.full_name", "Name", link=page),
            Column("", strength, "Grade" if go else "Rating", left=False),
            replace(_COUNTRY, heading="Co", show=country, left=False, gives_way=2),
            replace(_CLUB, heading="Club" if clubs else "", left=False, gives_way=1),
            *_STRENGTH,
        ],
        [criterion(at, which) for at, which in enumerate(table.criteria)],
        [of_round(number) for number in range(1, table.round + 1)],
    )


_NAMES = (
    Column("number", lambda line: line.row + 1, kind="integer"),
    *Column.files("player.name", "player.first_name", kind="text"),
)
_COUNTRY, _CLUB = Column.files("player.country", "player.club", kind="text")
_STRENGTH = (Column("grade", lambda line: _grade(line.player)), *Column.files("player.rating"))


def _head(tournament: Tournament) -> dict[str, Any]:
    days = {name: getattr(tournament, name) for name in ("begin", "end")}
    return {
        **picked(tournament, "name", "place"),
        **{name: None if day is None else day.isoformat() for name, day in days.items()},
        "system": str(tournament.system),
        "rounds": tournament.rounds,
    }


def tournament_document(tournament: Tournament) -> Document:
    """What a file says about the whole: a few plain lines; files have the entry list."""
    lines = [_Line(row, row, player) for row, player in enumerate(tournament.players)]
    entries = Table([*_NAMES, _COUNTRY, _CLUB, *_STRENGTH], lines, noun="player")
    title, lead = tournament.name or "Tournament", summary_lines(tournament)

    def plain() -> dict[str, Any]:
        values = _head(tournament) | {"discipline": tournament.discipline}
        values["games_played"] = sum(game.played for game in tournament.games)
        return values | {"players": entries.records()}

    return Document(title, lead, (), entries, plain)


def summary_lines(tournament: Tournament) -> list[str]:
    """What it is called, where and when, and its rules, a line each."""
    days = [d.isoformat() for d in (tournament.begin, tournament.end) if d is not None]
    when = " to ".join(dict.fromkeys(days))
    where = ", ".join(filter(None, (tournament.place, when)))
    played = sum(game.played for game in tournament.games)
    lines = [
        tournament.name or "A tournament without a name",
        *([where] if where else []),
        f"{_SYSTEMS[tournament.system]}, {plural(tournament.rounds, 'round')}, "
        f"{plural(len(tournament.players), 'player')}, {plural(played, 'game')} played",
    ]
    rules = tournament.scoring
    if tournament.system is System.mcmahon:
        lines.append(
            f"Bar {format_grade(rules.bar)}, floor {format_grade(rules.floor)}, "
            f"0 points at {format_grade(rules.zero)}"
        )
    if tournament.discipline == "go":
        handicap, kind = tournament.handicap, egf_class(tournament.time)
        stones = f"handicap less {handicap.correction}, at most {handicap.ceiling}"
        parts = [
            f"Board {tournament.size}",
            "" if tournament.komi is None else f"komi {tournament.komi:g}",
            stones if handicap.ceiling else "no handicap",
            f"EGF class {kind}" if kind else "too fast for a class of the EGF",
        ]
        lines.append(", ".join(filter(None, parts)))
    return lines


def player_card_document(
    tournament: Tournament, player: int, *, link: Callable[[int], str] | None = None
) -> Document:
    """The card of a player (by number from 0).

    On a page the names of opponents lead to the `link` of their numbers.
    """
    rounds = list(_rounds(tournament, player))

    def page_of(row: dict[str, Any]) -> str:
        return "" if row["row"] is None or link is None else link(row["row"])

    stones = "Stones" if any(row["stones"] for row in rounds) else ""
    points = "McMahon score" if tournament.system is System.mcmahon else "Points"
    columns = [
        Column("round", heading="Round", kind="integer"),
        Column("table", heading="Table", kind="integer", gives_way=1),
        Column("opponent", heading="Opponent", link=page_of),
        Column("colour", heading="Colour", left=False),
        Column("stones", heading=stones, left=False),
        Column("result", heading="Result", left=False),
        Column("score", heading=points, kind="number", form="g", unknown=""),
    ]
    table = Table(columns, rounds, noun="round")
    facts = Section("", [Facts([fact for fact in _facts(tournament, player) if fact[1]])])
    name = tournament.players[player].full_name
    return Document(name, (), [facts, Section("Games", [table])], table)


def _facts(tournament: Tournament, player: int) -> Iterator[tuple[str, str]]:
    """What is known of a player; empty texts are left out."""
    from yardstone.tournament.rating_change import rating_changes

    who = tournament.players[player]
    yield "Grade", _grade(who) or ""
    if who.rating is not None:
        now = ""
        with suppress(YardstoneError):  # no game that counts, or too fast for a class
            for each in rating_changes(tournament):
                if each.player == player and each.after is not None and each.before is not None:
                    now = f", with the games so far {each.after:.1f} ({each.change:+.1f})"
        yield "Rating", f"{who.rating:.0f}{now}"
    yield "Club", who.club
    yield "Country", who.country.upper()
    last = max((g.round for g in tournament.games if g.result is not Result.unknown), default=0)
    if last:
        made = standings(tournament, round_number=last)
        so_far = "" if last <= tournament.complete_rounds else " so far"
        for at in np.flatnonzero(made.order == player).tolist():
            yield "Place", f"{made.place[at]} of {len(made)}, after round {last}{so_far}"
    if missed := sorted(each for each in who.absent if each <= tournament.rounds):
        rounds = "round" if len(missed) == 1 else "rounds"
        yield "Absent", f"{rounds} {', '.join(map(str, missed))}"


_RESULTS = {1.0: "won", 0.5: "draw", 0.0: "lost"}


def _rounds(tournament: Tournament, player: int) -> Iterator[dict[str, Any]]:
    """What happened to a player in all rounds up to the last one that is paired."""
    scores = Scores.of(tournament)
    totals = scores.mms2 if tournament.system is System.mcmahon else scores.wins2
    sides = side_names(tournament)
    for number in range(1, tournament.last_round + 1):
        row: dict[str, Any] = {"round": number, "score": float(totals[player, number]) / 2}
        row |= {"table": None, "row": None, "colour": "", "stones": "", "result": ""}
        game = tournament.game_of.get((number, player))
        if game is None:
            away = "not paired" if tournament.players[player].takes_part(number) else "absent"
            if (bye := tournament.bye_of.get((number, player))) is not None:
                away = "bye" if bye.kind is ByeKind.paired else str(bye.kind)
            yield row | {"opponent": away}
            continue
        other, turned = game.opponent(player), player != game.first
        name = player_name(tournament, other)
        row |= {"table": game.table or None, "row": other, "opponent": name}
        if game.known_colour:
            row["colour"] = sides[turned]
        if game.handicap:
            row["stones"] = f"{'gives' if turned else 'takes'} {game.handicap}"
        if game.result is Result.unknown:
            row["score"] = None
        else:
            row["result"] = _RESULTS[game.points(player)] + " by forfeit" * game.forfeit
        yield row


def prizes_document(prizes: PrizeList) -> Document:
    """A table for each group of prizes."""
    table = prizes.table
    tournament, main = table.tournament, table.criteria[0]
    players = tournament.players
    name = tournament.name or "Tournament"
    lead = [f"{name}: prizes after round {table.round} of {tournament.rounds}"]
    if not prizes.final:
        open_ = ((prizes.open_results, "result"), (prizes.rounds_to_come, "round"))
        to_come = [plural(number, noun) for number, noun in open_ if number]
        lead.append(f"Not final: {' and '.join(to_come)} to come.")
    money = any(prize.money is not None for prize in prizes.prizes)
    clubs = any(player.club for player in players)

    def place(prize: Prize) -> str:
        return "" if not prize.place else f"{prize.place}{'=' if prize.shared else ''}"

    def score(prize: Prize) -> float:
        return float(table.values[prize.line, 0])

    def words(prize: Prize) -> str:
        return score_text(main, score(prize))

    def amount(prize: Prize) -> str:
        return "" if not prize.money else f"{prize.money:.2f}".removesuffix(".00")

    columns = [
        Column("group"),
        Column("place", lambda prize: prize.place or None, "Pl", "integer", show=place, left=False),
        Column("shared", kind="boolean"),
        name_column(tournament, "name", "player", "Name"),
        Column("club", lambda row: players[row.player].club, "Club" if clubs else "", left=False),
        Column("country", lambda prize: players[prize.player].country),
        Column(main.name.lower(), score, main.heading or main.name, "number", show=words),
        Column("wins", heading="Wins", kind="integer"),
        Column("money", heading="Prize" if money else "", kind="number", show=amount),
    ]
    sections = [
        Section(group, [Table(columns, list(rows), noun="prize", group=True)])
        for group, rows in groupby(prizes.prizes, key=lambda prize: prize.group)
    ]
    records = Table(columns, prizes.prizes, noun="prize")
    return Document(f"Prizes of {name}", lead, sections, records)


def changes_document(tournament: Tournament, changes: Sequence[RatingChange]) -> Document:
    """All players who played a game that counts, the best rating first."""
    chess = tournament.discipline == "chess"
    factors = {change.factor for change in changes}
    headline = f"{tournament.name}: ratings of {plural(len(changes), 'player')}"
    if not chess and len(factors) == 1:
        headline += f", games weighted {factors.pop():g}"

    def change(each: RatingChange) -> float | None:
        return None if each.before is None else each.change

    columns = [
        Column("number", lambda c: c.player + 1, kind="integer"),
        Column("player", lambda c: tournament.players[c.player].full_name, "Player"),
        Column("before", heading="Before", kind="number"),
        Column("after", heading="After", kind="number"),
        Column("change", change, "Change", "number", "+.1f"),
        Column("games", heading="Games", kind="integer", gives_way=3),
        Column("score", heading="Score", kind="number", form="g", gives_way=2),
        Column("expected", "expected", "Expected", "number", ".2f", gives_way=1),
        Column("factor", heading="K" if chess else "", kind="number", form="g", gives_way=4),
    ]
    rows = sorted(changes, key=lambda c: (c.after is None, -(c.after or 0.0), c.player))
    table = Table(columns, rows, noun="player")
    title = f"Rating changes of {tournament.name}" if tournament.name else "Rating changes"
    return Document(title, [headline], [Section("", [table])], records=table)


_ORIGINS = {"lot": "drawn by lot", "list": "those of the list"}


def round_robin_document(made: RoundRobin) -> Document:
    """The boards, with the numbers of the players in the table."""
    tournament = made.tournament
    players = tournament.players
    number = {player: place for place, player in enumerate(made.numbers, 1)}

    one, two = side_names(tournament)
    columns = [
        Column("round", kind="integer"),
        Column("table", heading="Table", kind="integer"),
        name_column(tournament, "first", "first", one),
        Column("", lambda game: number[game.first], "No.", "integer"),
        name_column(tournament, "second", "second", two),
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

    def plain() -> dict[str, Any]:
        numbers = [players[row].full_name for row in made.numbers]
        byes = [players[bye.player].full_name for bye in made.byes]
        values = picked(made, "tournament=tournament.name", "round", "rounds", "numbering")
        return values | {"numbers": numbers, "boards": table.records(), "byes": byes}

    return Document(title, lead, [Section("", [table])], table, plain)


_ABOUT = {
    "TEAMP": ("MP", "match points: 2 for a match that is won, 1 for a drawn one"),
    "BDW": ("BP", "board points of all matches"),
    "SOST": ("SOST", "sum of the opponents' match points"),
    "SB": ("SB", "the opponents' match points, each times the board points made in the match"),
    "MNR": ("MNR", "mean rating of the first line-up"),
}


def team_standings_document(table: TeamStandings, *, results: bool = True) -> Document:
    """The teams in order, everybody's points and, with `results`, all boards."""
    tournament = table.tournament
    at_place = {team: at + 1 for at, team in enumerate(table.order.tolist())}

    def team(at: int) -> Team:
        return tournament.teams[int(table.order[at])]

    def of_round(number: int) -> Column:
        def result(at: int) -> str:
            """Place of the opponents, the result and the board points: ``3+2.5``."""
            row = int(table.order[at])
            for match in table.matches:
                if match.round == number and row in match.teams:
                    side = match.teams.index(row)
                    sign = "?" if not match.done else "-=+"[match.match_points[side]]
                    return f"{at_place[match.teams[1 - side]]}{sign}{match.board_points[side]:g}"
            return "-"

        return Column(f"round_{number}", result, f"R{number}", left=False, gives_way=1 + number)

    def criterion(which: int, name: str) -> Column:
        values = table.values[:, which].tolist()
        return Column(name.lower(), values.__getitem__, _meaning(name)[0], "number", "g")

    columns = [
        _place_column(table, lambda at: at),
        Column("number", lambda at: team(at).number, kind="integer"),
        Column("name", lambda at: team(at).name, "Team"),
        *(criterion(which, name) for which, name in enumerate(table.criteria)),
        *map(of_round, range(1, table.round + 1)),
    ]
    teams = Table(columns, range(len(table)), noun="team")
    columns = [
        Column("team", lambda score: tournament.teams[score.team].name, "Team"),
        name_column(tournament, "name", "player", "Name", ranks=False),
        Column("points", heading="Points", kind="number", form="g"),
        Column("games", heading="Games", kind="integer"),
    ]
    members = Table(columns, table.members())
    sections = [Section("", [teams])]
    if members.rows:
        sections.append(Section("Players", [members]))
    if results:
        boards: dict[int, list[str]] = {number: [] for number in range(1, table.round + 1)}
        for match in table.matches:
            boards[match.round] += _match_lines(tournament, match)
        sections += [Section(f"Round {n}", [Lines(lines)]) for n, lines in boards.items() if lines]
    about = [": ".join(_meaning(name)) for name in table.criteria]
    sections.append(Section("How it is ordered", [Lines(about, aside=True)]))

    def plain_match(match: TeamMatch) -> dict[str, Any]:
        boards = [
            {"board": each.board, "players": names_of(tournament, each.players, None)}
            | {"points": list(each.points) if each.done else None}
            for each in match.boards
        ]
        return {
            "round": match.round,
            "teams": [tournament.teams[team].name for team in match.teams],
            "match_points": list(match.match_points) if match.done else None,
            "board_points": list(match.board_points),
            "boards": boards,
        }

    def plain() -> dict[str, Any]:
        return {
            **picked(table, "tournament.name", "round", "tournament.rounds"),
            "criteria": [{"name": name, "about": _meaning(name)[1]} for name in table.criteria],
            "teams": teams.records(),
            "players": members.records(),
            "matches": list(map(plain_match, table.matches)),
        }

    name = tournament.name or "Tournament"
    lead = [f"{name}: {plural(len(table), 'team')}, {_after_round(table)}"]
    return Document(f"{name}, teams", lead, sections, teams, plain)


def _meaning(name: str) -> tuple[str, str]:
    """Heading and meaning of a criterion; those not listed count the upper boards."""
    if name in _ABOUT:
        return _ABOUT[name]
    boards = "board" if name[3] == "1" else f"{name[3]} boards"
    return f"B{name[3]}U", f"board points of the upper {boards}"


def _match_lines(tournament: Tournament, match: TeamMatch) -> Iterator[str]:
    one, two = (tournament.teams[team].name for team in match.teams)
    yield f"{one} - {two}  {' : '.join(f'{points:g}' for points in match.board_points)}"
    for board in match.boards:
        names = board_name(tournament, board.players)
        points = " : ".join(f"{each:g}" for each in board.points) if board.done else "open"
        yield f"  {board.board}  {names}  {points}"


def team_round_document(
    document: Document, tournament: Tournament, games: Sequence[Game]
) -> Document:
    """A round of matches, and who sits at which table."""
    one, two = side_names(tournament)
    columns = [
        Column("table", heading="Table", kind="integer"),
        name_column(tournament, "first", "first", one, ranks=False),
        name_column(tournament, "second", "second", two, ranks=False),
    ]
    boards = Table(columns, games, noun="board")
    return replace(document, sections=[*document.sections, Section("Boards", [boards])])


#: The pages of a folder, and what leads to them.
_PAGES = {
    "index.html": "Boards",
    "standings.html": "Standings",
    "results.html": "Results",
    "players.html": "Players",
}


def publication(tournament: Tournament) -> Mapping[str, Document]:
    """Pages by the names of their files; each leads to the others."""
    name, lead, pages = tournament.name or "Tournament", _lead(tournament), {}
    for (file, title), sections in zip(_PAGES.items(), _contents(tournament), strict=True):
        links = [Alternative(text, address=to, chosen=to == file) for to, text in _PAGES.items()]
        sections = [Section("", [Choices("Pages", links)]), *sections]
        pages[file] = Document(f"{name}: {title.lower()}", lead, sections)
    return pages


def publication_page(tournament: Tournament) -> Document:
    """All of it on one page."""
    boards, ranking, results, players = _contents(tournament)
    results = [replace(each, folded=True) for each in results]
    sections = [*boards, *ranking, *results, *players]
    return Document(tournament.name or "Tournament", _lead(tournament), sections)


def _lead(tournament: Tournament) -> list[str]:
    """Where and when, and how far it is."""
    number = tournament.last_round
    missing = sum(game.result is Result.unknown for game in tournament.round_games(number))
    state = "All rounds are over."
    if not number:
        state = f"{plural(len(tournament.players), 'player')} entered; round 1 is not paired yet."
    elif missing:
        state = f"Round {number} of {tournament.rounds}: {plural(missing, 'result')} to come."
    elif number < tournament.rounds:
        state = f"Round {number} of {tournament.rounds} is over."
    return [*summary_lines(tournament)[1:2], state]


def _contents(tournament: Tournament) -> tuple[list[Section], ...]:
    """The boards of the last round that is paired, the standings, all results, and the players."""
    number, done = tournament.last_round, tournament.complete_rounds
    boards: list[Section] = []
    if number:
        boards = [
            Section(f"Round {number}", _round_blocks(tournament, number), name=f"round-{number}"),
            Section("Where do I play?", [_by_name(tournament, number)], name="names"),
        ]
    ranking: list[Section] = []
    if done:
        table, *others = standings_document(standings(tournament)).sections
        shown = [block for block in table.blocks if isinstance(block, Table)]
        ranking.append(Section(f"Standings after round {done}", shown, name="standings"))
        ranking += [replace(section, folded=True) for section in others]
    results = [
        Section(f"Results of round {played}", _round_blocks(tournament, played))
        for played in range(number, 0, -1)
        if any(game.result is not Result.unknown for game in tournament.round_games(played))
    ]
    return boards, ranking, results, [_players_section(tournament)]


def _round_blocks(tournament: Tournament, number: int) -> list[Block]:
    games = tournament.round_games(number)
    first, second = side_names(tournament)

    def result(game: Game) -> str:
        known = game.result is not Result.unknown
        return score_of(game.result, forfeit=game.forfeit) if known else ""

    columns = [
        Column("table", heading="Table", kind="integer"),
        name_column(tournament, "first", "first", first),
        Column("result", result, "Result" if any(map(result, games)) else "", left=False),
        name_column(tournament, "second", "second", second),
        stones_column("handicap", any(game.handicap for game in games)),
    ]
    blocks: list[Block] = [Table(columns, games, noun="board")]
    byes = [bye.player for bye in tournament.byes if bye.round == number]
    if byes:
        blocks.append(Lines([f"Bye: {', '.join(player_name(tournament, row) for row in byes)}"]))
    return blocks


def _by_name(tournament: Tournament, number: int) -> Table:
    """One line for everybody who has a game or the bye."""
    colours = side_names(tournament)
    lines = []
    for row, player in enumerate(tournament.players):
        key, name = player.full_name.casefold(), player_name(tournament, row)
        if (game := tournament.game_of.get((number, row))) is not None:
            colour = colours[row != game.first] if game.known_colour else "?"
            opponent = player_name(tournament, game.opponent(row))
            lines.append((key, name, str(game.table), colour, opponent))
        elif (number, row) in tournament.bye_of:
            lines.append((key, name, "bye", "", ""))
    columns = [
        Column("name", "1", "Name", order="ascending"),
        Column("table", "2", "Table", left=False),
        Column("colour", "3", "Colour", left=False),
        Column("opponent", "4", "Opponent"),
    ]
    return Table(columns, sorted(lines, key=itemgetter(0)), noun="player", search=True)


def _players_section(tournament: Tournament) -> Section:
    """Who is entered, by names."""
    players = sorted(tournament.players, key=lambda player: player.full_name.casefold())

    def column(name: str, value: Callable[[Player], str], heading: str) -> Column:
        """One that people see where anything stands in it."""
        return Column(name, value, heading if any(map(value, players)) else "", left=False)

    rounds = range(1, tournament.rounds + 1)
    columns = [
        Column("name", "full_name", "Name", order="ascending"),
        Column("grade", lambda each: _grade(each) or "", "Grade", left=False),
        column("country", lambda each: each.country.upper(), "Co"),
        column("club", lambda each: each.club, "Club"),
        column(
            "absent",
            lambda each: ", ".join(str(n) for n in rounds if n in each.absent),
            "Absent in",
        ),
    ]
    count = plural(len(players), "player")
    table = Table(columns, players, noun="player", caption=count, search=True)
    return Section("Players", [table], name="players")
