"""A round's boards, why each is as it is, and recorded rounds beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from yardstone.grades import format_grade
from yardstone.reports.document import Block, Column, Document, Facts, Lines, Section, Table
from yardstone.reports.words import ordinal, plural
from yardstone.tournament._pairing import SideReason
from yardstone.tournament.model import CRITERIA

if TYPE_CHECKING:
    from yardstone.tournament.explanation import (
        Avoided,
        Difference,
        Explanation,
        PairingChange,
        PlayerState,
        Proposal,
        RoundComparison,
    )
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.pairing import PairedBoard, Pairing


__all__ = [
    "pairing_document",
    "CRITERION_WORDS",
    "change_lines",
    "player_name",
    "many_points",
    "points_text",
    "round_title",
    "sentences",
    "side_names",
    "comparison_document",
]


#: Lines of reasons are at most so wide.
_WIDTH = 96


def pairing_document(proposal: Proposal, *, brief: bool = False) -> Document:
    """The board list and, unless `brief`, a paragraph for every board."""
    pairing, explanations = proposal.pairing, proposal.explanations
    tournament = pairing.entrants.tournament
    title = round_title(tournament, pairing.round)
    lead = [f"{title}: {plural(len(pairing.boards), 'board')}, total weight {pairing.weight:,}"]
    if pairing.kept:
        lead.append(f"{plural(len(pairing.kept), 'game')} paired before left as they are.")
    columns = _columns(pairing)
    boards = [why for why in explanations if why.board.second >= 0]
    blocks: list[list[Block]] = [[Table(columns, boards, noun="board")]]
    if pairing.bye is not None:
        blocks.append([Lines([f"Bye: {player_name(tournament, pairing.bye.first)}"])])
    sections = [Section("", each) for each in blocks]
    if not brief:
        heads = [str(why.board.table) if why.board.table else "Bye" for why in explanations]
        width = max([3, *map(len, heads)])
        reasons = [
            (f"{head:>{width}}", " ".join(sentences(pairing, why)))
            for head, why in zip(heads, explanations, strict=True)
        ]
        sections.append(Section("Why", [Facts(reasons, width=_WIDTH)]))
    sections += [
        Section("", [Lines(change_lines(pairing, players, change))])
        for players, change in proposal.questions
    ]
    return Document(
        title,
        lead,
        sections,
        records=Table(columns, explanations, noun="board"),
        plain=lambda: _plain(proposal, columns),
    )


def _columns(pairing: Pairing) -> list[Column]:
    """Of people's boards, and of the records, which have the bye as well, with table 0."""
    tournament = pairing.entrants.tournament
    one, two = side_names(tournament)
    stones = "Stones" if any(board.handicap for board in pairing.boards) else ""

    def second(why: Explanation) -> str:
        player = why.board.second
        return "" if player < 0 else tournament.players[player].full_name

    def score(side: int) -> Callable[[Explanation], float | None]:
        return lambda why: why.players[side].score if side < len(why.players) else None

    def value(name: str) -> Column:
        return Column(name, lambda why: why.board.values[name], kind="integer")

    def points(side: int) -> Callable[[Explanation], str]:
        return lambda why: points_text(why.players[side].score)

    return [
        Column("round", lambda why: pairing.round, kind="integer"),
        Column("table", lambda why: why.board.table, "Table", "integer"),
        Column(
            "first",
            lambda why: tournament.players[why.board.first].full_name,
            one,
            show=lambda why: player_name(tournament, why.board.first),
        ),
        Column("", score(0), "Score", "number", show=points(0)),
        Column("second", second, two, show=lambda why: player_name(tournament, why.board.second)),
        Column("", score(1), "Score", "number", show=points(1)),
        Column("first_score", score(0), kind="number"),
        Column("second_score", score(1), kind="number"),
        Column(
            "stones",
            lambda why: why.board.handicap,
            stones,
            "integer",
            show=lambda why: str(why.board.handicap or ""),
        ),
        Column("fixed", lambda why: why.board.fixed, kind="boolean"),
        Column("weight", lambda why: why.board.weight, kind="integer"),
        *map(value, CRITERIA),
        Column("cost_without", lambda why: why.change and why.change.cost, kind="integer"),
        Column("criterion", lambda why: why.change and why.change.criterion),
        Column("why", lambda why: " ".join(sentences(pairing, why))),
    ]


def _plain(proposal: Proposal, columns: list[Column]) -> dict[str, Any]:
    """All boards with their values, groups and alternatives, and the boards asked about."""
    pairing = proposal.pairing
    tournament = pairing.entrants.tournament

    def name(player: int) -> str | None:
        return None if player < 0 else tournament.players[player].full_name

    def state(player: PlayerState) -> dict[str, Any]:
        figures = {each.name: getattr(player, each.name) for each in fields(player)[1:]}
        return {"player": name(player.player), "number": player.player + 1, **figures}

    def alternative(change: PairingChange | None) -> dict[str, Any] | None:
        return (
            None
            if change is None
            else {
                "cost": change.cost,
                "criterion": change.criterion or None,
                "losses": change.losses,
                "boards": [[name(player) for player in board] for board in change.boards],
            }
        )

    boards = []
    for why in proposal.explanations:
        record = {column.name: column.value(why) for column in columns if column.name}
        record["values"] = {criterion: record.pop(criterion) for criterion in CRITERIA}
        record["players"] = [state(player) for player in why.players]
        record["avoided"] = [
            {
                "player": name(avoided.player),
                "opponent": name(avoided.opponent),
                "reason": avoided.reason,
                "round": avoided.round or None,
            }
            for avoided in why.avoided
        ]
        del record["criterion"], record["cost_without"]
        record["without"] = alternative(why.change)
        boards.append(record)
    return {
        "tournament": tournament.name,
        "round": pairing.round,
        "weight": pairing.weight,
        "values": pairing.values,
        "boards": [board for board in boards if board["table"]],
        "bye": next((board for board in boards if not board["table"]), None),
        "asked": [
            {"board": [name(player) for player in players], "change": alternative(change)}
            for players, change in proposal.questions
        ],
    }


#: What a criterion is called in a sentence.
CRITERION_WORDS = {
    "rematch": "a rematch, or a second bye",
    "bye": "the choice of the bye",
    "absolute_colour": "a third game more with one colour",
    "categories": "mixing categories",
    "score": "score difference",
    "floats": "choice of floaters",
    "seeding": "seeding",
    "colours": "colour balance",
    "colour_preference": "colour preference",
    "handicap": "handicap",
    "geography": "clubs and countries",
    "lot": "the lot",
}
_AGAINST = {
    "club": "the same club",
    "club group": "neighbouring clubs",
    "country": "the same country",
    "forbidden": "forbidden by hand",
}


def side_names(tournament: Tournament) -> tuple[str, str]:
    """What the two sides are called, the first mover's first."""
    return ("White", "Black") if tournament.discipline == "chess" else ("Black", "White")


def player_name(tournament: Tournament, player: int) -> str:
    """Name and, in Go, rank."""
    entry = tournament.players[player]
    rank = "" if entry.rank is None else f" {format_grade(entry.rank)}"
    return entry.full_name + rank


def points_text(score: float) -> str:
    """A score without needless zeros."""
    return f"{score:g}"


def many_points(score: float) -> str:
    """A score with its noun: 1 point, 2.5 points."""
    return f"{points_text(score)} {'point' if score == 1 else 'points'}"


def round_title(tournament: Tournament, round_number: int) -> str:
    """Which round of which tournament."""
    name = f" of {tournament.name}" if tournament.name else ""
    return f"Round {round_number}{name}"


def sentences(pairing: Pairing, why: Explanation) -> list[str]:
    """Everything that is to be said of one board."""
    tournament = pairing.entrants.tournament
    if why.board.second < 0:
        lines = [_bye_sentence(why)]
    else:
        lines = [_score_sentence(tournament, why), _side_sentence(tournament, why)]
    lines += [_avoided_sentence(tournament, avoided) for avoided in why.avoided]
    if why.board.values["rematch"] < 0 or (why.board.second >= 0 and _met(pairing, why.board)):
        lines.append("They have met before.")
    if why.board.fixed:
        lines.append("Fixed by hand.")
    elif why.unavoidable:
        lines.append("Without it nothing can be paired.")
    elif why.change is not None:
        lines.append(_cost_sentence(why.change))
    return lines


def _met(pairing: Pairing, board: PairedBoard) -> bool:
    a, b = pairing.row_of[board.first], pairing.row_of[board.second]
    return bool(pairing.entrants.met[a, b])


def _bye_sentence(why: Explanation) -> str:
    standing = why.players[0]
    byes = "no bye so far" if not standing.byes else f"{plural(standing.byes, 'bye')} so far"
    return f"{many_points(standing.score)}, {byes}: the last who may have it."


def _score_sentence(tournament: Tournament, why: Explanation) -> str:
    one, two = sorted(why.players, key=lambda s: (-s.group_score, s.place))
    if one.group_score == two.group_score:
        if one.size == 2:
            return f"The two with {many_points(one.group_score)}."
        return f"{ordinal(one.place)} and {ordinal(two.place)} of {_group(one)}."
    down = f"{_who(tournament, one)} comes down from {_group(one)}"
    up = f"{_who(tournament, two)} up from {_group(two)}"
    places = [
        f" ({'; '.join(notes)})" if (notes := _notes(standing)) else "" for standing in (one, two)
    ]
    return f"{down}{places[0]}, {up}{places[1]}."


def _notes(standing: PlayerState) -> list[str]:
    """Place in the group and earlier floats, which decide who is drawn down or up."""
    notes = [ordinal(standing.place)] if standing.size > 1 else []
    floats = ((standing.drawn_up, "up"), (standing.drawn_down, "down"))
    if earlier := ", ".join(f"{times} {word}" for times, word in floats if times):
        notes.append(f"before {earlier}")
    return notes


def _group(standing: PlayerState) -> str:
    if standing.size == 1:
        return f"{many_points(standing.group_score)}, alone there"
    return f"the {standing.size} with {many_points(standing.group_score)}"


def _who(tournament: Tournament, standing: PlayerState) -> str:
    return tournament.players[standing.player].full_name


def _side_sentence(tournament: Tournament, why: Explanation) -> str:
    first, second = side_names(tournament)
    one, two = why.players
    name = _who(tournament, one)
    if why.side_reason is SideReason.HANDICAP:
        return f"{name} takes {plural(why.board.handicap, 'stone')}."
    if why.side_reason is SideReason.LOT:
        return "Colours by lot."
    if why.side_reason is SideReason.LAST:
        return f"{first} for {name}, who had {second} last."
    more = f"{second} less {first}: {_signed(one.balance)} against {_signed(two.balance)}"
    if why.side_reason is SideReason.BALANCE:
        return f"{first} for {name} ({more})."
    return f"{first} for {name}, who needs it more ({more})."


def _signed(number: int) -> str:
    return f"{number:+d}" if number else "0"


def _avoided_sentence(tournament: Tournament, avoided: Avoided) -> str:
    names = " - ".join(
        tournament.players[player].full_name for player in (avoided.player, avoided.opponent)
    )
    reason = _AGAINST.get(avoided.reason, "")
    if avoided.reason == "rematch":
        reason = f"met in round {avoided.round}" if avoided.round else "they have met"
    return f"Avoided: {names} ({reason})."


def _cost_sentence(change: PairingChange) -> str:
    if change.cost == 0:
        return "Without it another pairing weighs the same."
    return f"Without it {change.cost:,} are lost ({CRITERION_WORDS[change.criterion]})."


def change_lines(
    pairing: Pairing, players: tuple[int, int], change: PairingChange | None
) -> list[str]:
    """What a board that is not in the pairing would cost."""
    tournament = pairing.entrants.tournament
    names = " - ".join(tournament.players[player].full_name for player in players)
    if change is None:
        return [f"{names}: with this board the others cannot be paired."]
    if not change.boards:
        return [f"{names}: this board is in the pairing."]
    loss = f"costs {change.cost:,}" if change.cost else "costs nothing"
    parts = [
        f"{CRITERION_WORDS[name]} {-loss:+,}"
        for name, loss in sorted(change.losses.items(), key=lambda item: -abs(item[1]))
    ]
    others = [
        " - ".join(
            "the bye" if player < 0 else tournament.players[player].full_name for player in board
        )
        for board in change.boards
    ]
    return [f"{names} {loss}: {', '.join(parts)}.", f"  Boards then: {'; '.join(others)}."]


#: Lines of names are at most so wide.


def comparison_document(comparisons: Sequence[RoundComparison]) -> Document:
    """Every round paired again, and where the boards differ."""
    tournament = comparisons[0].recorded.entrants.tournament

    def boards(listed: Sequence[PairedBoard]) -> str:
        return "; ".join(" - ".join(_names(tournament, board, "bye")) for board in listed)

    def gain(name: str) -> Column:
        return Column(name, lambda row: row[1].gains.get(name, 0), kind="integer")

    columns: list[Column] = [
        Column("round", lambda row: row[0], kind="integer"),
        Column("recorded", lambda row: boards(row[1].recorded)),
        Column("ours", lambda row: boards(row[1].ours)),
        Column("gain", lambda row: row[1].gain, kind="integer"),
        *map(gain, CRITERIA),
    ]
    rows = [(each.recorded.round, exchange) for each in comparisons for exchange in each.exchanges]
    sections = []
    for each in comparisons:
        blocks: list[Block] = [Lines([_headline(each)])]
        for exchange in each.exchanges:
            texts = [boards(exchange.recorded), boards(exchange.ours), _gains(exchange)]
            labels = ["  recorded", "  here", ""]
            blocks += [Lines([""]), Facts(list(zip(labels, texts, strict=True)), width=_WIDTH)]
        sections.append(Section("", blocks))
    return Document(
        f"{tournament.name or 'Tournament'} paired again",
        sections=sections,
        records=Table(columns, rows, noun="exchange"),
        plain=lambda: [_plain_comparison(each) for each in comparisons],
    )


def _headline(comparison: RoundComparison) -> str:
    recorded = comparison.recorded
    gain = comparison.ours.weight - recorded.weight
    weighs = "as much as" if gain == 0 else f"{gain:,} more than"
    return (
        f"{round_title(recorded.entrants.tournament, recorded.round)} paired again: "
        f"{comparison.same} of {plural(len(recorded.boards), 'board')} the same, "
        f"and the whole weighs {weighs} the recorded one."
    )


def _gains(exchange: Difference) -> str:
    if not exchange.gains:
        return "the same weight: both are best"
    largest = sorted(exchange.gains.items(), key=lambda item: -abs(item[1]))
    parts = [f"{CRITERION_WORDS[name]} {gain:+,}" for name, gain in largest]
    return f"{exchange.gain:+,}: {', '.join(parts)}"


def _names(tournament: Tournament, board: PairedBoard, nobody: Any) -> list[Any]:
    return [
        nobody if player < 0 else tournament.players[player].full_name
        for player in (board.first, board.second)
    ]


def _plain_comparison(comparison: RoundComparison) -> dict[str, Any]:
    recorded, ours = comparison.recorded, comparison.ours
    tournament = recorded.entrants.tournament
    return {
        "round": recorded.round,
        "boards": len(recorded.boards),
        "same": comparison.same,
        "recorded_weight": recorded.weight,
        "weight": ours.weight,
        "differences": [
            {
                "recorded": [_names(tournament, board, None) for board in exchange.recorded],
                "ours": [_names(tournament, board, None) for board in exchange.ours],
                "gain": exchange.gain,
                "gains": exchange.gains,
            }
            for exchange in comparison.exchanges
        ],
    }
