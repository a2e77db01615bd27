"""A round's boards, why each is as it is by weights or FIDE's Dutch system, and recorded rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from yardstone.grades import format_grade
from yardstone.reports.document import Block, Column, Document, Facts, Lines, Section, Table, reader
from yardstone.reports.words import ordinal, picked, plural
from yardstone.tournament._pairing import CRITERIA, SideReason
from yardstone.tournament.model import Tournament

if TYPE_CHECKING:
    from yardstone.tournament.dutch import (
        BoardExplanation,
        DutchPairing,
        DutchProposal,
        Obstacle,
        RoundCheck,
    )
    from yardstone.tournament.explanation import (
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

    def score(why: Explanation, side: int) -> float | None:
        return why.players[side].score if side < len(why.players) else None

    columns = [
        stones_column("board.handicap", any(board.handicap for board in pairing.boards)),
        Column("fixed", "board.fixed", kind="boolean"),
        Column("weight", "board.weight", kind="integer"),
        *(Column(of, lambda why, of=of: why.board.values[of], kind="integer") for of in CRITERIA),
        Column("cost_without", "change.cost", kind="integer"),
        Column("criterion", "change.criterion"),
        Column("why", lambda why: " ".join(sentences(pairing, why))),
    ]
    lead = [f", total weight {pairing.weight:,}"]
    asked = [Section("", [Lines(change_lines(pairing, *each))]) for each in proposal.questions]
    made = tournament, lead, score, columns, asked, _plain
    return _board_document(proposal, *made, ranks=True, brief=brief)


def _board_document(
    proposal: Any,
    tournament: Tournament,
    lead: Sequence[str],
    score: Callable[[Any, int], float | None],
    more: Sequence[Column],
    answers: Sequence[Section],
    plain: Callable[[Any, Sequence[Column]], Any],
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
    rounds = Column("round", lambda why: pairing.round, kind="integer")
    columns, files = [rounds, Column("table", "board.table", "Table", "integer")], []
    headings = side_names(tournament) if ranks else ("White", "Black")
    for side, field in enumerate(("first", "second")):
        points = partial(lambda side, why: score(why, side), side)
        columns += [
            name_column(tournament, field, f"board.{field}", headings[side], ranks=ranks),
            Column("", points, "Score", "number", "g", unknown=""),
        ]
        files.append(Column(f"{field}_score", points, kind="number"))
    columns += [*files, *more]
    boards = [why for why in explanations if why.board.second >= 0]
    sections = [Section("", [Table(columns, boards, noun="board")])]
    if pairing.bye is not None:
        row = pairing.bye.first
        name = player_name(tournament, row) if ranks else tournament.players[row].full_name
        sections.append(Section("", [Lines([f"Bye: {name}"])]))
    if not brief:
        heads = [str(why.board.table or "Bye") for why in explanations]
        width = max([3, *map(len, heads)])
        whys = map(columns[-1].value, explanations)
        reasons = [(f"{head:>{width}}", why) for head, why in zip(heads, whys, strict=True)]
        sections.append(Section("Why", [Facts(reasons, width=REASONS)]))
    records = Table(columns, explanations, noun="board")
    return Document(title, lines, [*sections, *answers], records, partial(plain, proposal, columns))


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
        boards = _names_of_boards(tournament, change.boards)
        return asdict(change) | {"criterion": change.criterion or None, "boards": boards}

    def board(why: Explanation) -> dict[str, Any]:
        values = Column.record(columns, why)
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
        **_boards_and_bye([board(why) for why in proposal.explanations]),
        "asked": [
            {"board": names_of(tournament, players, None), "change": alternative(change)}
            for players, change in proposal.questions
        ],
    }


def _boards_and_bye(boards: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Separate the bye, which has no table, from the boards."""
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
    return entry.full_name + ("" if entry.rank is None else f" {format_grade(entry.rank)}")


def names_of(tournament: Tournament, players: Iterable[int], nobody: Any) -> list[Any]:
    """The names of players, and `nobody` where the bye stands."""
    return [nobody if row < 0 else tournament.players[row].full_name for row in players]


def board_name(tournament: Tournament, players: Iterable[int], nobody: str = "the bye") -> str:
    """Return the names of the players of a board with a dash between them."""
    return " - ".join(names_of(tournament, players, nobody))


def many_points(score: float) -> str:
    """A score with its noun: 1 point, 2.5 points."""
    return f"{score:g} {'point' if score == 1 else 'points'}"


def _names_of_boards(tournament: Tournament, boards: Iterable[Iterable[int]]) -> list[list[Any]]:
    return [names_of(tournament, board, None) for board in boards]


def _boards_text(tournament: Tournament, boards: Iterable[Iterable[int]], nobody: str) -> str:
    return "; ".join(board_name(tournament, board, nobody) for board in boards)


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
        against = _AGAINST.get(avoided.reason, "")
        if avoided.reason == "rematch":
            against = f"met in round {avoided.round}" if avoided.round else "they have met"
        lines.append(f"Avoided: {names} ({against}).")
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


def _score_sentence(tournament: Tournament, why: Explanation) -> str:
    one, two = sorted(why.players, key=lambda s: (-s.group_score, s.place))
    if one.group_score == two.group_score:
        if one.size == 2:
            return f"The two with {many_points(one.group_score)}."
        return f"{ordinal(one.place)} and {ordinal(two.place)} of {_group(one)}."
    names = names_of(tournament, (one.player, two.player), "")
    up = f"{names[1]} up from {_group(two)}{_notes(two)}"
    return f"{names[0]} comes down from {_group(one)}{_notes(one)}, {up}."


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
    needs = "" if why.side_reason is SideReason.BALANCE else ", who needs it more"
    return f"{first} for {name}{needs} ({second} less {first}: {one} against {two})."


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
    boards = _boards_text(tournament, change.boards, "the bye")
    return [f"{names} {loss}: {gains}.", f"  Boards then: {boards}."]


def comparison_document(comparisons: Sequence[RoundComparison]) -> Document:
    """Every round paired again, and where the boards differ."""
    tournament = comparisons[0].recorded.entrants.tournament

    def rows_of(listed: Sequence[PairedBoard]) -> list[tuple[int, int]]:
        return [(board.first, board.second) for board in listed]

    def boards(listed: Sequence[PairedBoard]) -> str:
        return _boards_text(tournament, rows_of(listed), "bye")

    columns = [
        Column("round", "0", kind="integer"),
        Column("recorded", lambda row: boards(row[1].recorded)),
        Column("ours", lambda row: boards(row[1].ours)),
        Column("gain", "1.gain", kind="integer"),
        *(Column(of, lambda r, of=of: r[1].gains.get(of, 0), kind="integer") for of in CRITERIA),
    ]
    rows = [(each.recorded.round, exchange) for each in comparisons for exchange in each.exchanges]
    sections = []
    for each in comparisons:
        recorded = each.recorded
        gain = each.ours.weight - recorded.weight
        weighs = "as much as" if gain == 0 else f"{gain:,} more than"
        head = (
            f"{round_title(tournament, recorded.round)} paired again: "
            f"{each.same} of {plural(len(recorded.boards), 'board')} the same, "
            f"and the whole weighs {weighs} the recorded one."
        )
        blocks: list[Block] = [Lines([head])]
        for exchange in each.exchanges:
            gains = "the same weight: both are best"
            if exchange.gains:
                gains = f"{exchange.gain:+,}: {_gains(exchange.gains)}"
            both = {"  recorded": exchange.recorded, "  here": exchange.ours}
            facts = [(label, boards(listed)) for label, listed in both.items()]
            blocks += [Lines([""]), Facts([*facts, ("", gains)], width=REASONS)]
        sections.append(Section("", blocks))

    names = partial(_names_of_boards, tournament)

    def plain(comparison: RoundComparison) -> dict[str, Any]:
        recorded = comparison.recorded
        return {
            "round": recorded.round,
            "boards": len(recorded.boards),
            "same": comparison.same,
            "recorded_weight": recorded.weight,
            "weight": comparison.ours.weight,
            "differences": [
                {"recorded": names(rows_of(each.recorded)), "ours": names(rows_of(each.ours))}
                | picked(each, "gain", "gains")
                for each in comparison.exchanges
            ],
        }

    title = f"{tournament.name or 'Tournament'} paired again"
    records = Table(columns, rows, noun="exchange")
    return Document(title, (), sections, records, lambda: list(map(plain, comparisons)))


def dutch_document(proposal: DutchProposal, *, brief: bool = False) -> Document:
    """The board list and, unless `brief`, a paragraph for every board."""
    pairing = proposal.pairing
    tournament = pairing.field.tournament
    lead = [f" by FIDE's Dutch system {_RULES}"]
    if pairing.drawn:
        lead.append(f"Initial colour, drawn by lot: {pairing.initial.name}.")
    points = {each.player: each.points for each in pairing.field.players}

    def score(why: BoardExplanation, side: int) -> float | None:
        return points.get(why.board.second if side else why.board.first)

    columns = [
        Column("bracket", "bracket.score", kind="number"),
        Column("role"),
        Column("colours", lambda why: why.board.reason and str(why.board.reason)),
        Column("criterion", "instead.criterion"),
        Column("why", lambda why: " ".join(_dutch_sentences(pairing, why))),
    ]
    words = [_answer(tournament, pair, why) for pair, why in proposal.questions]
    asked = [Section("", [Lines(words)])]
    made = tournament, lead, score, columns, asked, _dutch_plain
    return _board_document(proposal, *made, ranks=False, brief=brief)


_RULES = "(C.04.3, the rules of 2026)"


def _dutch_sentences(pairing: DutchPairing, why: BoardExplanation) -> list[str]:
    tournament = pairing.field.tournament
    if why.bracket is None:
        return ["By hand."]
    names = names_of(tournament, [each.player for each in why.players], "")
    higher = why.players[0]
    if why.role == "bye":
        return [
            f"{many_points(higher.score)}, {plural(higher.unplayed, 'round')} without a game: the "
            "lowest score that can have the bye (C5)."
        ]
    bracket = many_points(why.bracket.score)
    if why.role == "moved down":
        lines = [
            f"{names[0]} comes down from {many_points(higher.score)} to the bracket of "
            f"{bracket} and meets its {ordinal(why.places[1])}."
        ]
    elif why.size == 2 and why.role == "homogeneous":
        lines = [f"The two with {many_points(higher.score)}."]
    else:
        kind = "left with" if why.role == "remainder" else "with"
        one, two = map(ordinal, why.places)
        lines = [f"{one} and {two} of the {why.size} {kind} {bracket}."]
    if why.bracket.exchanges and why.role != "moved down":
        lines.append(f"{plural(why.bracket.exchanges, 'exchange')} between its halves.")
    lines.append(_colour_sentence(pairing, why, names))
    if why.instead is not None:
        board = board_name(tournament, why.instead.players)
        lines.append(f"First in order: {board} ({_obstacle_words(why.instead)}).")
    return lines


def _colour_sentence(pairing: DutchPairing, why: BoardExplanation, names: list[str]) -> str:
    from yardstone.tournament.dutch_field import ColourReason, PieceColour

    higher, reason = why.players[0], why.board.reason
    if reason is ColourReason.initial:
        number = f"{names[0]} has pairing number {higher.number}"
        return f"Colours by the initial colour, {pairing.initial.name}: {number}."
    dues = [PieceColour(player.due).name.capitalize() for player in why.players]
    if reason is ColourReason.both:
        wishes = zip(names, dues, why.players, strict=True)
        return " and ".join(f"{name} is due {due}" for name, due, each in wishes if each.due) + "."
    white = why.board.first == higher.player
    granted = names[0 if white == (higher.due is PieceColour.white) else 1]
    ground = {
        ColourReason.stronger: "whose preference is the stronger",
        ColourReason.history: "by the last round in which their colours differed",
        ColourReason.higher: "who is ranked higher",
    }.get(reason or ColourReason.higher, "")
    return f"Both are due {dues[0]}: it goes to {granted}, {ground}."


def _obstacle_words(why: Obstacle) -> str:
    """What stands against a board."""
    if why.criterion == "C1":
        return f"met in round {why.round}" if why.round else "have met"
    if why.criterion in _OBSTACLES:
        return _OBSTACLES[why.criterion]
    from yardstone.tournament.dutch_brackets import CRITERIA as DEMANDS

    where = "" if why.score is None else f" in the bracket of {many_points(why.score)}"
    if why.criterion == "order":
        return f"comes later in the order of candidates{where}"
    return f"{why.criterion}{where}: {DEMANDS[why.criterion]}"


_OBSTACLES = {
    "C2": "C2: had a bye, or won without playing",
    "C3": "C3: both must have the same colour",
    "forbidden": "forbidden by the organiser",
    "": "C4: the others could not be paired",
}


def _answer(tournament: Tournament, pair: tuple[int, int], why: Obstacle | None) -> str:
    words = "they do meet" if why is None else _obstacle_words(why)
    return f"{board_name(tournament, pair)}: {words}."


def _dutch_plain(proposal: DutchProposal, columns: Sequence[Column]) -> dict[str, Any]:
    pairing = proposal.pairing
    tournament = pairing.field.tournament
    name = pairing.field.name
    return {
        "tournament": tournament.name,
        "round": pairing.round,
        "system": "FIDE Dutch 2026",
        "initial_colour": pairing.initial.name,
        **_boards_and_bye([Column.record(columns, why) for why in proposal.explanations]),
        "brackets": [
            {
                "score": bracket.score,
                "moved_down": list(map(name, bracket.moved)),
                "residents": list(map(name, bracket.residents)),
                "downfloaters": list(map(name, bracket.downfloaters)),
                "exchanges": bracket.exchanges,
                "criteria": [
                    picked(step, "criterion", "value=best")
                    for step in bracket.steps
                    if step.criterion != "order"
                ],
            }
            for bracket in pairing.pairs.brackets
        ],
        "asked": [
            {
                "board": names_of(tournament, pair, None),
                "criterion": None if why is None else why.criterion,
                "why": _answer(tournament, pair, why),
            }
            for pair, why in proposal.questions
        ],
    }


def check_document(checks: Sequence[RoundCheck]) -> Document:
    """Recorded rounds beside the rules: which agree, and where the others differ."""
    tournament = checks[0].tournament

    names = partial(_names_of_boards, tournament)
    columns = [
        Column("round", heading="Round", kind="integer"),
        Column("boards", heading="Boards", kind="integer"),
        Column("agrees", kind="boolean"),
        Column("different", lambda check: len(check.recorded), "Different", "integer"),
        Column("colours", lambda check: len(check.colours), "Colours", "integer"),
        Column("criterion", "reason.criterion"),
        Column("", _verdict, "Verdict"),
    ]
    files = [
        *columns[:3],
        Column("recorded", lambda check: names(check.recorded)),
        Column("by_rules", lambda check: names(check.expected)),
        Column("colours", lambda check: names(check.colours)),
        Column("criterion", "reason.criterion"),
        Column("reason", lambda check: check.reason and _obstacle_words(check.reason)),
    ]
    table = Table(columns, checks, noun="round")
    sections = [Section("", [table])]
    sections += [
        Section(f"Round {check.round}", [Facts(_differences(tournament, check), width=REASONS)])
        for check in checks
        if not check.agrees
    ]
    good, rounds = sum(check.agrees for check in checks), plural(len(checks), "round")
    name = tournament.name or "Tournament"
    lead = f"{name}: {good} of {rounds} as FIDE's Dutch system pairs them {_RULES}"
    return Document(f"{name} checked", [lead], sections, table, Table(files, checks).records)


def _verdict(check: RoundCheck) -> str:
    if check.agrees:
        return "as the rules say"
    if check.by_rules is None:
        return "no pairing keeps the absolute criteria"
    return "the same boards, other colours" if check.same_pairs else "other boards"


def _differences(tournament: Tournament, check: RoundCheck) -> list[tuple[str, str]]:
    boards = partial(_boards_text, tournament, nobody="bye")
    facts = []
    if check.recorded:
        facts.append(("recorded", boards(check.recorded)))
    if check.expected:
        facts.append(("by the rules", boards(check.expected)))
    if check.colours:
        facts.append(("colours", f"exchanged: {boards(check.colours)}"))
    if check.reason is not None:
        names = f"{boards([check.reason.players])}: " if check.reason.players[0] >= 0 else ""
        words = _obstacle_words(check.reason)
        if check.reason.criterion == "order":
            words = words.replace("comes later", "the recorded round comes later")
        facts.append(("reason", f"{names}{words}"))
    return facts
