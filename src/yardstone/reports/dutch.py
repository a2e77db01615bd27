"""A round of FIDE's Dutch system with its reasons, and recorded rounds beside the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Block, Column, Document, Facts, Lines, Section, Table
from yardstone.reports.pairing import many_points, points_text, round_title
from yardstone.reports.words import ordinal, plural
from yardstone.tournament.dutch_brackets import CRITERIA
from yardstone.tournament.dutch_field import ColourReason, PieceColour

if TYPE_CHECKING:
    from yardstone.tournament.dutch import (
        BoardExplanation,
        DutchPairing,
        DutchProposal,
        Obstacle,
        RoundCheck,
    )
    from yardstone.tournament.dutch_brackets import BracketReport
    from yardstone.tournament.model import Tournament


__all__ = ["check_document", "dutch_document"]


_WIDTH = 96


def dutch_document(proposal: DutchProposal, *, brief: bool = False) -> Document:
    """The board list and, unless `brief`, a paragraph for every board."""
    pairing, explanations = proposal.pairing, proposal.explanations
    tournament = pairing.field.tournament
    title = round_title(tournament, pairing.round)
    lead = [
        f"{title}: {plural(len(pairing.boards), 'board')} by FIDE's Dutch system "
        "(C.04.3, the rules of 2026)"
    ]
    if pairing.drawn:
        lead.append(f"Initial colour, drawn by lot: {pairing.initial.name}.")
    if pairing.kept:
        lead.append(f"{plural(len(pairing.kept), 'game')} paired before left as they are.")
    columns = _columns(pairing)
    boards = [why for why in explanations if why.board.second >= 0]
    sections = [Section("", [Table(columns, boards, noun="board")])]
    if pairing.bye is not None:
        name = tournament.players[pairing.bye.first].full_name
        sections.append(Section("", [Lines([f"Bye: {name}"])]))
    if not brief:
        heads = [str(why.board.table) if why.board.table else "Bye" for why in explanations]
        width = max([3, *map(len, heads)])
        reasons = [
            (f"{head:>{width}}", " ".join(_sentences(pairing, why)))
            for head, why in zip(heads, explanations, strict=True)
        ]
        sections.append(Section("Why", [Facts(reasons, width=_WIDTH)]))
    if proposal.questions:
        answers = [_answer(tournament, pair, why) for pair, why in proposal.questions]
        sections.append(Section("", [Lines(answers)]))
    return Document(
        title,
        lead,
        sections,
        records=Table(columns, explanations, noun="board"),
        plain=lambda: _plain(proposal, columns),
    )


def _columns(pairing: DutchPairing) -> list[Column]:
    tournament = pairing.field.tournament
    players = {each.player: each for each in pairing.field.players}

    def name(player: int) -> str:
        return "" if player < 0 else tournament.players[player].full_name

    def score(
        side: Callable[[BoardExplanation], int],
    ) -> Callable[[BoardExplanation], float | None]:
        return lambda why: players[side(why)].points if side(why) in players else None

    def points(side: Callable[[BoardExplanation], int]) -> Callable[[BoardExplanation], str]:
        return lambda why: points_text(players[side(why)].points) if side(why) in players else ""

    def first(why: BoardExplanation) -> int:
        return why.board.first

    def second(why: BoardExplanation) -> int:
        return why.board.second

    return [
        Column("round", lambda why: pairing.round, kind="integer"),
        Column("table", lambda why: why.board.table, "Table", "integer"),
        Column("first", lambda why: name(why.board.first), "White"),
        Column("", score(first), "Score", "number", show=points(first)),
        Column("second", lambda why: name(why.board.second), "Black"),
        Column("", score(second), "Score", "number", show=points(second)),
        Column("first_score", score(first), kind="number"),
        Column("second_score", score(second), kind="number"),
        Column("bracket", lambda why: why.bracket and why.bracket.score, kind="number"),
        Column("role", lambda why: why.role),
        Column("colours", lambda why: why.board.reason and str(why.board.reason)),
        Column("criterion", lambda why: why.instead and why.instead.criterion),
        Column("why", lambda why: " ".join(_sentences(pairing, why))),
    ]


def _sentences(pairing: DutchPairing, why: BoardExplanation) -> list[str]:
    tournament = pairing.field.tournament
    if why.bracket is None:
        return ["By hand."]
    names = [tournament.players[each.player].full_name for each in why.players]
    if why.role == "bye":
        (player,) = why.players
        return [
            f"{many_points(player.score)}, {plural(player.unplayed, 'round')} without a game: the "
            "lowest score that can have the bye (C5)."
        ]
    higher = why.players[0]
    if why.role == "moved down":
        lines = [
            f"{names[0]} comes down from {many_points(higher.score)} to the bracket of "
            f"{many_points(why.bracket.score)} and meets its {ordinal(why.places[1])}."
        ]
    elif why.size == 2 and why.role == "homogeneous":
        lines = [f"The two with {many_points(higher.score)}."]
    else:
        group = _group(why)
        lines = [f"{ordinal(why.places[0])} and {ordinal(why.places[1])} of {group}."]
    if why.bracket.exchanges and why.role != "moved down":
        lines.append(f"{plural(why.bracket.exchanges, 'exchange')} between its halves.")
    lines.append(_colour_sentence(pairing, why, names))
    if why.instead is not None:
        lines.append(_obstacle_sentence(tournament, why.instead, "First in order:"))
    return lines


def _group(why: BoardExplanation) -> str:
    assert why.bracket is not None
    kind = "left with" if why.role == "remainder" else "with"
    return f"the {why.size} {kind} {many_points(why.bracket.score)}"


def _colour_sentence(pairing: DutchPairing, why: BoardExplanation, names: list[str]) -> str:
    higher = why.players[0]
    white = 0 if why.board.first == higher.player else 1
    reason = why.board.reason
    if reason is ColourReason.initial:
        return (
            f"Colours by the initial colour, {pairing.initial.name}: {names[0]} has pairing "
            f"number {higher.number}."
        )
    if reason is ColourReason.both:
        wishes = [
            f"{name} is due {PieceColour(player.due).name.capitalize()}"
            for name, player in zip(names, why.players, strict=True)
            if player.due
        ]
        return " and ".join(wishes) + "."
    due = PieceColour(higher.due).name.capitalize()
    granted = names[white if higher.due is PieceColour.white else 1 - white]
    ground = {
        ColourReason.stronger: "whose preference is the stronger",
        ColourReason.history: "by the last round in which their colours differed",
        ColourReason.higher: "who is ranked higher",
    }.get(reason or ColourReason.higher, "")
    return f"Both are due {due}: it goes to {granted}, {ground}."


def _obstacle_sentence(tournament: Tournament, why: Obstacle, head: str) -> str:
    names = " - ".join(
        "the bye" if player < 0 else tournament.players[player].full_name for player in why.players
    )
    return f"{head} {names} ({obstacle_words(why)})."


def obstacle_words(why: Obstacle) -> str:
    """What stands against a board."""
    if why.criterion == "C1":
        return f"met in round {why.round}" if why.round else "have met"
    if why.criterion == "C2":
        return "C2: had a bye, or won without playing"
    if why.criterion == "C3":
        return "C3: both must have the same colour"
    if why.criterion == "forbidden":
        return "forbidden by the organiser"
    if not why.criterion:
        return "C4: the others could not be paired"
    where = "" if why.score is None else f" in the bracket of {many_points(why.score)}"
    if why.criterion == "order":
        return f"comes later in the order of candidates{where}"
    return f"{why.criterion}{where}: {CRITERIA[why.criterion]}"


def _answer(tournament: Tournament, pair: tuple[int, int], why: Obstacle | None) -> str:
    names = " - ".join(tournament.players[player].full_name for player in pair)
    if why is None:
        return f"{names}: they do meet."
    return f"{names}: {obstacle_words(why)}."


def _bracket(pairing: DutchPairing, bracket: BracketReport) -> dict[str, Any]:
    def names(rows: Sequence[int]) -> list[str]:
        return [pairing.field.name(row) for row in rows]

    return {
        "score": bracket.score,
        "moved_down": names(bracket.moved),
        "residents": names(bracket.residents),
        "downfloaters": names(bracket.downfloaters),
        "exchanges": bracket.exchanges,
        "criteria": [
            {"criterion": step.criterion, "value": step.best}
            for step in bracket.steps
            if step.criterion != "order"
        ],
    }


def _plain(proposal: DutchProposal, columns: list[Column]) -> dict[str, Any]:
    pairing = proposal.pairing
    tournament = pairing.field.tournament
    boards = [
        {column.name: column.value(why) for column in columns if column.name}
        for why in proposal.explanations
    ]
    return {
        "tournament": tournament.name,
        "round": pairing.round,
        "system": "FIDE Dutch 2026",
        "initial_colour": pairing.initial.name,
        "boards": [board for board in boards if board["table"]],
        "bye": next((board for board in boards if not board["table"]), None),
        "brackets": [_bracket(pairing, each) for each in pairing.brackets],
        "asked": [
            {
                "board": [tournament.players[player].full_name for player in pair],
                "criterion": None if why is None else why.criterion,
                "why": _answer(tournament, pair, why),
            }
            for pair, why in proposal.questions
        ],
    }


def check_document(checks: Sequence[RoundCheck]) -> Document:
    """Recorded rounds beside the rules: which agree, and where the others differ."""
    tournament = checks[0].tournament
    columns = [
        Column("round", lambda c: c.round, "Round", "integer"),
        Column("boards", lambda c: c.boards, "Boards", "integer"),
        Column("agrees", lambda c: c.agrees, kind="boolean"),
        Column("different", lambda c: len(c.recorded), "Different", "integer"),
        Column("colours", lambda c: len(c.colours), "Colours", "integer"),
        Column("criterion", lambda c: c.reason and c.reason.criterion),
        Column("", _verdict, "Verdict"),
    ]
    sections = [Section("", [Table(columns, checks, noun="round")])]
    sections += [
        Section(f"Round {check.round}", _differences(tournament, check))
        for check in checks
        if not check.agrees
    ]
    good = sum(check.agrees for check in checks)
    name = tournament.name or "Tournament"
    return Document(
        f"{name} checked",
        [
            f"{name}: {good} of {plural(len(checks), 'round')} as FIDE's Dutch system pairs them "
            "(C.04.3, the rules of 2026)"
        ],
        sections,
        records=Table(columns, checks, noun="round"),
        plain=lambda: [_plain_check(tournament, check) for check in checks],
    )


def _verdict(check: RoundCheck) -> str:
    if check.agrees:
        return "as the rules say"
    if check.by_rules is None:
        return "no pairing keeps the absolute criteria"
    if check.same_pairs:
        return "the same boards, other colours"
    return "other boards"


def _boards(tournament: Tournament, pairs: Sequence[tuple[int, int]]) -> str:
    return "; ".join(
        " - ".join("bye" if player < 0 else tournament.players[player].full_name for player in pair)
        for pair in pairs
    )


def _differences(tournament: Tournament, check: RoundCheck) -> list[Block]:
    facts = []
    if check.recorded:
        facts.append(("recorded", _boards(tournament, check.recorded)))
    if check.expected:
        facts.append(("by the rules", _boards(tournament, check.expected)))
    if check.colours:
        facts.append(("colours", f"exchanged: {_boards(tournament, check.colours)}"))
    if check.reason is not None:
        named = check.reason.players[0] >= 0
        names = f"{_boards(tournament, [check.reason.players])}: " if named else ""
        words = obstacle_words(check.reason)
        if check.reason.criterion == "order":
            words = words.replace("comes later", "the recorded round comes later")
        facts.append(("reason", f"{names}{words}"))
    return [Facts(facts, width=_WIDTH)]


def _plain_check(tournament: Tournament, check: RoundCheck) -> dict[str, Any]:
    def names(pairs: Sequence[tuple[int, int]]) -> list[list[str | None]]:
        return [
            [None if player < 0 else tournament.players[player].full_name for player in pair]
            for pair in pairs
        ]

    return {
        "round": check.round,
        "boards": check.boards,
        "agrees": check.agrees,
        "recorded": names(check.recorded),
        "by_rules": names(check.expected),
        "colours": names(check.colours),
        "criterion": check.reason and check.reason.criterion,
        "reason": None if check.reason is None else obstacle_words(check.reason),
    }
