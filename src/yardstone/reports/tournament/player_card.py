"""The card of a player: who it is, and every round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.errors import YardstoneError
from yardstone.grades import format_grade
from yardstone.reports.document import Block, Column, Document, Facts, Section, Table
from yardstone.reports.tournament.words import player_name, points_text, side_names
from yardstone.tournament.model import ByeKind, Result, System
from yardstone.tournament.rating_change import rating_changes
from yardstone.tournament.standings_table import standings

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament

__all__ = ["player_card_document"]


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
                result=_result(game.points(player), forfeit=game.forfeit) if known else "",
                score=total if known else None,
            )
        )
    return rounds


def _result(points: float, *, forfeit: bool) -> str:
    word = {1.0: "won", 0.5: "draw", 0.0: "lost"}[points]
    return f"{word} by forfeit" if forfeit else word


def _free(tournament: Tournament, player: int, number: int) -> str:
    bye = tournament.bye_of.get((number, player))
    if bye is not None:
        return "bye" if bye.kind is ByeKind.paired else str(bye.kind)
    return "absent" if not tournament.players[player].takes_part(number) else "not paired"
