"""A round's boards, why each is as it is, and recorded rounds beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from yardstone.grades import format_grade
from yardstone.reports.document import (
    Block,
    Column,
    Document,
    Facts,
    Lines,
    Section,
    Table,
    reader,
    record,
)
from yardstone.reports.words import ordinal, picked, plural
from yardstone.tournament._pairing import SideReason
from yardstone.tournament.model import CRITERIA, Tournament

if TYPE_CHECKING:
    from yardstone.tournament.dutch import DutchProposal
    from yardstone.tournament.explanation import (
        Avoided,
        Explanation,
        PairingChange,
        PlayerState,
        Proposal,
        RoundComparison,
    )
    from yardstone.tournament.pairing import PairedBoard, Pairing

#: Lines of reasons are at most so wide.
REASONS = 96


def pairing_document(proposal: Proposal, *, brief: bool = False) -> Document:
    """The board list and, unless `brief`, a paragraph for every board."""
    pairing = proposal.pairing
    tournament = pairing.entrants.tournament
    columns, lead = _columns(pairing), [f", total weight {pairing.weight:,}"]
    answers = [
        Section("", [Lines(change_lines(pairing, players, change))])
        for players, change in proposal.questions
    ]
    plain = partial(_plain, proposal, columns)
    made = tournament, lead, columns, answers, plain
    return board_document(proposal, *made, ranks=True, brief=brief)


def board_document(
    proposal: Proposal | DutchProposal,
    tournament: Tournament,
    lead: Sequence[str],
    columns: Sequence[Column],
    answers: Sequence[Section],
    plain: Callable[[], Any],
    *,
    ranks: bool,
    brief: bool,
) -> Document:
    """A proposed round; the last of the columns says why, and `lead` ends and follows the title."""
    pairing, explanations = proposal.pairing, proposal.explanations
    title = round_title(tournament, pairing.round)
    lines = [f"{title}: {plural(len(pairing.boards), 'board')}{lead[0]}", *lead[1:]]
    if pairing.kept:
        lines.append(f"{plural(len(pairing.kept), 'game')} paired before left as they are.")
    boards = [why for why in explanations if why.board.second >= 0]
    sections = [Section("", [Table(columns, boards, noun="board")])]
    if pairing.bye is not None:
        row = pairing.bye.first
        name = player_name(tournament, row) if ranks else tournament.players[row].full_name
        sections.append(Section("", [Lines([f"Bye: {name}"])]))
    if not brief:
        heads = [str(why.board.table or "Bye") for why in explanations]
        width = max([3, *map(len, heads)])
        reasons = [
            (f"{head:>{width}}", columns[-1].value(why))
            for head, why in zip(heads, explanations, strict=True)
        ]
        sections.append(Section("Why", [Facts(reasons, width=REASONS)]))
    records = Table(columns, explanations, noun="board")
    return Document(title, lines, [*sections, *answers], records, plain)


def board_columns(
    tournament: Tournament,
    number: int,
    headings: Sequence[str],
    score: Callable[[Any, int], float | None],
    *,
    ranks: bool,
) -> list[Column]:
    """Round, table, and of both sides the player and the score, of explained boards."""
    columns = [
        Column("round", lambda why: number, kind="integer"),
        Column("table", "board.table", "Table", "integer"),
    ]
    files = []
    for side, field in enumerate(("first", "second")):
        points = partial(lambda side, why: score(why, side), side)
        columns += [
            name_column(tournament, field, f"board.{field}", headings[side], ranks=ranks),
            Column("", points, "Score", "number", "g", unknown=""),
        ]
        files.append(Column(f"{field}_score", points, kind="number"))
    return columns + files


def name_column(
    tournament: Tournament, name: str, path: str, heading: str, *, ranks: bool = True
) -> Column:
    """A column of players, whose numbers stand at a path; people read their `ranks` too."""
    player = reader(path)
    return Column(
        name,
        lambda row: names_of(tournament, [player(row)], "")[0],
        heading,
        show=(lambda row: player_name(tournament, player(row))) if ranks else None,
    )


def _columns(pairing: Pairing) -> list[Column]:
    """Of people's boards, and of the records, which have the bye as well, with table 0."""
    tournament = pairing.entrants.tournament

    def score(why: Explanation, side: int) -> float | None:
        return why.players[side].score if side < len(why.players) else None

    return [
        *board_columns(tournament, pairing.round, side_names(tournament), score, ranks=True),
        stones_column("board.handicap", any(board.handicap for board in pairing.boards)),
        Column("fixed", "board.fixed", kind="boolean"),
        Column("weight", "board.weight", kind="integer"),
        *(
            Column(name, lambda why, name=name: why.board.values[name], kind="integer")
            for name in CRITERIA
        ),
        Column("cost_without", "change.cost", kind="integer"),
        Column("criterion", "change.criterion"),
        Column("why", lambda why: " ".join(sentences(pairing, why))),
    ]


def stones_column(path: str, given: object) -> Column:
    """The handicap, which people see where any was given."""
    read = reader(path)
    return Column(
        "stones", path, "Stones" if given else "", "integer", show=lambda row: str(read(row) or "")
    )


def _plain(proposal: Proposal, columns: Sequence[Column]) -> dict[str, Any]:
    """All boards with their values, groups and alternatives, and the boards asked about."""
    pairing = proposal.pairing
    tournament = pairing.entrants.tournament

    def name(player: int) -> Any:
        return names_of(tournament, [player], None)[0]

    def alternative(change: PairingChange | None) -> dict[str, Any] | None:
        if change is None:
            return None
        boards = [names_of(tournament, board, None) for board in change.boards]
        return asdict(change) | {"criterion": change.criterion or None, "boards": boards}

    def board(why: Explanation) -> dict[str, Any]:
        values = record(columns, why)
        values["values"] = {criterion: values.pop(criterion) for criterion in CRITERIA}
        values["players"] = [
            {"player": name(each.player), "number": each.player + 1}
            | {field.name: getattr(each, field.name) for field in fields(each)[1:]}
            for each in why.players
        ]
        values["avoided"] = [
            {"player": name(each.player), "opponent": name(each.opponent)}
            | {"reason": each.reason, "round": each.round or None}
            for each in why.avoided
        ]
        del values["criterion"], values["cost_without"]
        return values | {"without": alternative(why.change)}

    return {
        "tournament": tournament.name,
        **picked(pairing, "round", "weight", "values"),
        **boards_and_bye([board(why) for why in proposal.explanations]),
        "asked": [
            {"board": names_of(tournament, players, None), "change": alternative(change)}
            for players, change in proposal.questions
        ],
    }


def boards_and_bye(boards: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The plain boards, and apart from them the bye, which has no table."""
    return {
        "boards": [board for board in boards if board["table"]],
        "bye": next((board for board in boards if not board["table"]), None),
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


def names_of(tournament: Tournament, players: Iterable[int], nobody: Any) -> list[Any]:
    """The names of players, and `nobody` where the bye stands."""
    return [nobody if row < 0 else tournament.players[row].full_name for row in players]


def board_name(tournament: Tournament, players: Iterable[int], nobody: str = "the bye") -> str:
    """Return the names of the players of a board with a dash between them."""
    return " - ".join(names_of(tournament, players, nobody))


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
    tournament, board = pairing.entrants.tournament, why.board
    if board.second < 0:
        standing = why.players[0]
        byes = plural(standing.byes, "bye") if standing.byes else "no bye"
        lines = [f"{many_points(standing.score)}, {byes} so far: the last who may have it."]
        met = False
    else:
        lines = [_score_sentence(tournament, why), _side_sentence(tournament, why)]
        met = pairing.entrants.met[pairing.row_of[board.first], pairing.row_of[board.second]]
    for avoided in why.avoided:
        names = board_name(tournament, (avoided.player, avoided.opponent))
        lines.append(f"Avoided: {names} ({_against(avoided)}).")
    if met or board.values["rematch"] < 0:
        lines.append("They have met before.")
    if board.fixed:
        lines.append("Fixed by hand.")
    elif why.unavoidable:
        lines.append("Without it nothing can be paired.")
    elif why.change is not None and why.change.cost == 0:
        lines.append("Without it another pairing weighs the same.")
    elif why.change is not None:
        words = CRITERION_WORDS[why.change.criterion]
        lines.append(f"Without it {why.change.cost:,} are lost ({words}).")
    return lines


def _against(avoided: Avoided) -> str:
    if avoided.reason == "rematch":
        return f"met in round {avoided.round}" if avoided.round else "they have met"
    return _AGAINST.get(avoided.reason, "")


def _score_sentence(tournament: Tournament, why: Explanation) -> str:
    one, two = sorted(why.players, key=lambda s: (-s.group_score, s.place))
    if one.group_score == two.group_score:
        if one.size == 2:
            return f"The two with {many_points(one.group_score)}."
        return f"{ordinal(one.place)} and {ordinal(two.place)} of {_group(one)}."
    names = names_of(tournament, (one.player, two.player), "")
    return (
        f"{names[0]} comes down from {_group(one)}{_notes(one)}, "
        f"{names[1]} up from {_group(two)}{_notes(two)}."
    )


def _notes(standing: PlayerState) -> str:
    """Place in the group and earlier floats, which decide who is drawn down or up."""
    notes = [ordinal(standing.place)] if standing.size > 1 else []
    floats = ((standing.drawn_up, "up"), (standing.drawn_down, "down"))
    if earlier := ", ".join(f"{times} {word}" for times, word in floats if times):
        notes.append(f"before {earlier}")
    return f" ({'; '.join(notes)})" if notes else ""


def _group(standing: PlayerState) -> str:
    if standing.size == 1:
        return f"{many_points(standing.group_score)}, alone there"
    return f"the {standing.size} with {many_points(standing.group_score)}"


def _side_sentence(tournament: Tournament, why: Explanation) -> str:
    first, second = side_names(tournament)
    name = tournament.players[why.players[0].player].full_name
    if why.side_reason is SideReason.HANDICAP:
        return f"{name} takes {plural(why.board.handicap, 'stone')}."
    if why.side_reason is SideReason.LOT:
        return "Colours by lot."
    if why.side_reason is SideReason.LAST:
        return f"{first} for {name}, who had {second} last."
    one, two = (f"{each.balance:+d}" if each.balance else "0" for each in why.players)
    more = f"({second} less {first}: {one} against {two})"
    if why.side_reason is SideReason.BALANCE:
        return f"{first} for {name} {more}."
    return f"{first} for {name}, who needs it more {more}."


def _gains(gains: Mapping[str, int]) -> str:
    """What each criterion gains, the largest first."""
    largest = sorted(gains.items(), key=lambda item: -abs(item[1]))
    return ", ".join(f"{CRITERION_WORDS[name]} {gain:+,}" for name, gain in largest)


def change_lines(
    pairing: Pairing, players: tuple[int, int], change: PairingChange | None
) -> list[str]:
    """What a board that is not in the pairing would cost."""
    tournament = pairing.entrants.tournament
    names = board_name(tournament, players)
    if change is None:
        return [f"{names}: with this board the others cannot be paired."]
    if not change.boards:
        return [f"{names}: this board is in the pairing."]
    loss = f"costs {change.cost:,}" if change.cost else "costs nothing"
    gains = _gains({name: -loss for name, loss in change.losses.items()})
    boards = "; ".join(board_name(tournament, board) for board in change.boards)
    return [f"{names} {loss}: {gains}.", f"  Boards then: {boards}."]


def comparison_document(comparisons: Sequence[RoundComparison]) -> Document:
    """Every round paired again, and where the boards differ."""
    tournament = comparisons[0].recorded.entrants.tournament

    def boards(listed: Sequence[PairedBoard]) -> str:
        return "; ".join(board_name(tournament, (b.first, b.second), "bye") for b in listed)

    def plain_boards(listed: Sequence[PairedBoard]) -> list[list[str | None]]:
        return [names_of(tournament, (board.first, board.second), None) for board in listed]

    columns = [
        Column("round", "0", kind="integer"),
        Column("recorded", lambda row: boards(row[1].recorded)),
        Column("ours", lambda row: boards(row[1].ours)),
        Column("gain", "1.gain", kind="integer"),
        *(
            Column(name, lambda row, name=name: row[1].gains.get(name, 0), kind="integer")
            for name in CRITERIA
        ),
    ]
    rows = [(each.recorded.round, exchange) for each in comparisons for exchange in each.exchanges]
    sections = []
    for each in comparisons:
        blocks: list[Block] = [Lines([_headline(each)])]
        for exchange in each.exchanges:
            gains = "the same weight: both are best"
            if exchange.gains:
                gains = f"{exchange.gain:+,}: {_gains(exchange.gains)}"
            recorded, here = boards(exchange.recorded), boards(exchange.ours)
            facts = [("  recorded", recorded), ("  here", here), ("", gains)]
            blocks += [Lines([""]), Facts(facts, width=REASONS)]
        sections.append(Section("", blocks))

    def plain(comparison: RoundComparison) -> dict[str, Any]:
        recorded = comparison.recorded
        return {
            "round": recorded.round,
            "boards": len(recorded.boards),
            "same": comparison.same,
            "recorded_weight": recorded.weight,
            "weight": comparison.ours.weight,
            "differences": [
                {"recorded": plain_boards(each.recorded), "ours": plain_boards(each.ours)}
                | picked(each, "gain", "gains")
                for each in comparison.exchanges
            ],
        }

    title = f"{tournament.name or 'Tournament'} paired again"
    records = Table(columns, rows, noun="exchange")
    return Document(title, (), sections, records, lambda: list(map(plain, comparisons)))


def _headline(comparison: RoundComparison) -> str:
    recorded = comparison.recorded
    gain = comparison.ours.weight - recorded.weight
    weighs = "as much as" if gain == 0 else f"{gain:,} more than"
    return (
        f"{round_title(recorded.entrants.tournament, recorded.round)} paired again: "
        f"{comparison.same} of {plural(len(recorded.boards), 'board')} the same, "
        f"and the whole weighs {weighs} the recorded one."
    )
