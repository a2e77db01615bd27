"""A round of FIDE's Dutch system with its reasons, and recorded rounds beside the rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Facts, Lines, Section, Table, record
from yardstone.reports.pairing import (
    REASONS,
    board_columns,
    board_document,
    board_name,
    boards_and_bye,
    many_points,
    names_of,
)
from yardstone.reports.words import ordinal, picked, plural
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
    from yardstone.tournament.model import Tournament


def dutch_document(proposal: DutchProposal, *, brief: bool = False) -> Document:
    """The board list and, unless `brief`, a paragraph for every board."""
    pairing = proposal.pairing
    tournament = pairing.field.tournament
    lead = [f" by FIDE's Dutch system {_RULES}"]
    if pairing.drawn:
        lead.append(f"Initial colour, drawn by lot: {pairing.initial.name}.")
    columns = _columns(pairing)
    words = [_answer(tournament, pair, why) for pair, why in proposal.questions]
    answers = [Section("", [Lines(words)])] if words else []
    made = tournament, lead, columns, answers, partial(_plain, proposal, columns)
    return board_document(proposal, *made, ranks=False, brief=brief)


_RULES = "(C.04.3, the rules of 2026)"


def _columns(pairing: DutchPairing) -> list[Column]:
    tournament = pairing.field.tournament
    points = {each.player: each.points for each in pairing.field.players}

    def score(why: BoardExplanation, side: int) -> float | None:
        return points.get(why.board.second if side else why.board.first)

    return [
        *board_columns(tournament, pairing.round, ("White", "Black"), score, ranks=False),
        Column("bracket", "bracket.score", kind="number"),
        Column("role"),
        Column("colours", lambda why: why.board.reason and str(why.board.reason)),
        Column("criterion", "instead.criterion"),
        Column("why", lambda why: " ".join(_sentences(pairing, why))),
    ]


def _sentences(pairing: DutchPairing, why: BoardExplanation) -> list[str]:
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


_GROUNDS = {
    ColourReason.stronger: "whose preference is the stronger",
    ColourReason.history: "by the last round in which their colours differed",
    ColourReason.higher: "who is ranked higher",
}


def _colour_sentence(pairing: DutchPairing, why: BoardExplanation, names: list[str]) -> str:
    higher, reason = why.players[0], why.board.reason
    if reason is ColourReason.initial:
        return (
            f"Colours by the initial colour, {pairing.initial.name}: {names[0]} has pairing "
            f"number {higher.number}."
        )
    dues = [PieceColour(player.due).name.capitalize() for player in why.players]
    if reason is ColourReason.both:
        wishes = zip(names, dues, why.players, strict=True)
        return " and ".join(f"{name} is due {due}" for name, due, each in wishes if each.due) + "."
    white = why.board.first == higher.player
    granted = names[0 if white == (higher.due is PieceColour.white) else 1]
    ground = _GROUNDS.get(reason or ColourReason.higher, "")
    return f"Both are due {dues[0]}: it goes to {granted}, {ground}."


def _obstacle_words(why: Obstacle) -> str:
    """What stands against a board."""
    if why.criterion == "C1":
        return f"met in round {why.round}" if why.round else "have met"
    if why.criterion in _OBSTACLES:
        return _OBSTACLES[why.criterion]
    where = "" if why.score is None else f" in the bracket of {many_points(why.score)}"
    if why.criterion == "order":
        return f"comes later in the order of candidates{where}"
    return f"{why.criterion}{where}: {CRITERIA[why.criterion]}"


_OBSTACLES = {
    "C2": "C2: had a bye, or won without playing",
    "C3": "C3: both must have the same colour",
    "forbidden": "forbidden by the organiser",
    "": "C4: the others could not be paired",
}


def _answer(tournament: Tournament, pair: tuple[int, int], why: Obstacle | None) -> str:
    words = "they do meet" if why is None else _obstacle_words(why)
    return f"{board_name(tournament, pair)}: {words}."


def _plain(proposal: DutchProposal, columns: list[Column]) -> dict[str, Any]:
    pairing = proposal.pairing
    tournament = pairing.field.tournament

    def names(rows: Sequence[int]) -> list[str]:
        return [pairing.field.name(row) for row in rows]

    return {
        "tournament": tournament.name,
        "round": pairing.round,
        "system": "FIDE Dutch 2026",
        "initial_colour": pairing.initial.name,
        **boards_and_bye([record(columns, why) for why in proposal.explanations]),
        "brackets": [
            {
                "score": bracket.score,
                "moved_down": names(bracket.moved),
                "residents": names(bracket.residents),
                "downfloaters": names(bracket.downfloaters),
                "exchanges": bracket.exchanges,
                "criteria": [
                    picked(step, "criterion", "value=best")
                    for step in bracket.steps
                    if step.criterion != "order"
                ],
            }
            for bracket in pairing.brackets
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

    def names(pairs: Sequence[tuple[int, int]]) -> list[list[str | None]]:
        return [names_of(tournament, pair, None) for pair in pairs]

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
    plain = Table(files, checks).records
    return Document(f"{name} checked", [lead], sections, table, plain)


def _verdict(check: RoundCheck) -> str:
    if check.agrees:
        return "as the rules say"
    if check.by_rules is None:
        return "no pairing keeps the absolute criteria"
    return "the same boards, other colours" if check.same_pairs else "other boards"


def _differences(tournament: Tournament, check: RoundCheck) -> list[tuple[str, str]]:
    def boards(pairs: Sequence[tuple[int, int]]) -> str:
        return "; ".join(board_name(tournament, pair, "bye") for pair in pairs)

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
