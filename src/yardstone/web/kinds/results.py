"""A rating list from results of any game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from yardstone.parallel import Track
from yardstone.reports.document import Block, Document, Lines, Section, Table
from yardstone.reports.words import per_cent, plural
from yardstone.web.kinds.kind import (
    Card,
    ChoiceField,
    Kind,
    NumberField,
    Plain,
    Query,
    Task,
    View,
    card_ranges,
    glanced,
    level_field,
)

#: Pairs of players whose games are listed.
_PAIRS = 20_000
#: Players listed unless all are asked for.
_PLAYERS_A_PAGE = 500
#: Players in the sample of the start page.
_GLANCED = 5
_GLANCED_COLUMNS = ("Rank", "Player", "Rating", "Interval")
#: With at most so many players, everyone's score against everyone stands in one table.
_CROSS_TABLE_PLAYERS = 12


def _perform(task: Task) -> dict[str, Any]:
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.rating_list import rate_list
    from yardstone.records import formats, joining
    from yardstone.records.options import Options
    from yardstone.reports.rating_list import plain_list

    first = task.options.get("first", "auto")
    pools = []
    for name, group in groupby(task.files, key=lambda file: file.format):
        options = Options(
            first=first if name == "csv" and first != "auto" else None,
            skip_unread=task.options.get("unread") == "skip",
        )
        pools.append(formats.read_format(name, [*group], options))
    pool = joining.join_pools(pools)
    hint = "Send fewer, or use the command `yardstone rate`."
    task.check("results_games", len(pool), "games", hint)
    task.check("results_players", len(pool.players), "players", hint)
    task.skipped.merge(pool.skipped)
    Track("rating", 1)(0)
    system = BradleyTerry(
        average=task.options["average"],
        first_advantage="auto",
        draw_rate="auto",
        method="likelihood",
    )
    report = rate_list(pool, system, confidence=task.options["level"])
    plain = plain_list(report)
    games = report.head_to_head()
    return {
        **plain,
        "ratings": list(plain["ratings"]),
        "head_to_head": games[:_PAIRS],
        "head_to_head_left_out": max(len(games) - _PAIRS, 0),
    }


def _view(result: Plain, query: Query) -> View:
    """The list, with one player's scores, or everyone's against everyone."""
    from yardstone.reports.rating_list import list_document, scores_of

    def link(record: Plain) -> str:
        return query.link(player=record["player"]) + "#against"

    players = result["ratings"]
    document = list_document(result, title="Rating list", link=link)
    most = len(players) if query.everyone else _PLAYERS_A_PAGE
    sections = list(_first_players(document.sections, most, query.player))
    if any(each["player"] == query.player for each in players):
        table = scores_of(players, result["head_to_head"], query.player, link)
        blocks = [Lines(["No games against others."]) if table is None else table]
        title = f"{query.player} against each opponent"
        sections.insert(0, Section(title, blocks, name="against"))
    elif 1 < len(players) <= _CROSS_TABLE_PLAYERS:
        sections.append(Section("Head to head", [_cross_table(result)], name="cross"))
    links = []
    if query.player is not None:
        links.append(("The whole list", query.address))
    if len(players) > most:
        links.append((f"Show all {len(players):,} players", f"{query.address}?all=1"))
    lead = [*document.lead, "A click on a player shows the scores against each opponent."]
    return View(replace(document, lead=lead, sections=sections), links)


def _first_players(sections: Iterable[Section], most: int, player: str | None) -> Iterator[Section]:
    """The sections with so many players in all, of whom one may stand out."""
    for section in sections:
        blocks: list[Block] = []
        for block in section.blocks:
            if isinstance(block, Table) and block.group:
                block = replace(
                    block, rows=block.rows[:most], marked=lambda row: row["player"] == player
                )
                most -= len(block.rows)
            blocks.append(block)
        yield replace(section, blocks=blocks)


def _glance(result: Plain) -> Document:
    from yardstone.reports.rating_list import list_document

    document = list_document(result, title="Rating list")
    return glanced("Rating list", document, *_GLANCED_COLUMNS, rows=_GLANCED)


def _cross_table(result: Plain) -> Table:
    scores: dict[tuple[str, str], str] = {}
    for pair in result["head_to_head"]:
        wins, draws, losses = pair["wins"], pair["draws"], pair["losses"]
        scores[pair["player"], pair["other"]] = f"{wins}–{draws}–{losses}"
        scores[pair["other"], pair["player"]] = f"{losses}–{draws}–{wins}"
    names = [each["player"] for each in result["ratings"]]
    rows = [
        [
            f"{place} {name}",
            *("" if name == other else scores.get((name, other), "–") for other in names),
        ]
        for place, name in enumerate(names, 1)
    ]
    headings = ["Player", *map(str, range(1, len(names) + 1))]
    caption = "Wins–draws–losses of the player on the left against the one above"
    return replace(Table.of_cells(headings, rows, left=len(headings)), caption=caption)


def _card(result: Plain) -> Card:
    rated = [each for each in result["ratings"] if each["rating"] is not None]
    values = [each["rating"] for each in rated]
    games = plural(result["games"], "game")
    level = per_cent(result["confidence"])
    reach = f", rated from {min(values):.0f} to {max(values):.0f}" if values else ""
    return Card(
        f"Rating list of {plural(result['players'], 'player')}",
        f"From {games}{reach}, with {level} intervals.",
        card_ranges(rated, "rating"),
    )


KIND = Kind(
    name="results",
    short="Results",
    title="Rating list from the results",
    holds="results of games (PGN or CSV)",
    files="Results of any game: PGN or CSV.",
    offer=(
        "Results of any game",
        "A rating list of a league, a club or an engine tournament: ratings and ranks with their "
        "intervals, who scored what against whom, and which games to play next.",
    ),
    glance=_glance,
    path="/api/ratings",
    summary="Send results of any game",
    about="Make a rating list of results.",
    heading="Rating the players",
    counted=("game", "games"),
    plural="rating lists",
    formats=("pgn", "csv"),
    also=("sgf", "mat"),
    fields=(
        level_field(0.95),
        ChoiceField(
            name="first",
            values=("auto", "white", "black"),
            about="Who moves first in a table; auto: as columns and results tell.",
        ),
        ChoiceField(
            name="unread",
            values=("refuse", "skip"),
            about="What to do if a value of the result is not understood, or more than 5 % of the "
            "records cannot be read: refuse, or skip them.",
        ),
        NumberField(
            name="average",
            low=-1e6,
            high=1e6,
            default=2300.0,
            about="Mean rating of each group of players.",
        ),
    ),
    limits={"results_games": 500_000, "results_players": 3_000},
    allowance=lambda limits: (
        f"{limits['results_games']:,} games of {limits['results_players']:,} players"
    ),
    warm=(
        "yardstone._pairs",
        "yardstone.ratings.rating_list",
        "yardstone.records.reading",
        "yardstone.records.table_files",
        "yardstone.reports.rating_list",
        "duckdb",
    ),
    perform=_perform,
    view=_view,
    card=_card,
)
