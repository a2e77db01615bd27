"""The sentences of a pairing: what is to be said of every board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.grades import format_grade
from yardstone.reports.words import plural
from yardstone.tournament._pairing import SideReason

if TYPE_CHECKING:
    from yardstone.tournament.explanation import Avoided, Explanation, PairingChange, PlayerState
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.pairing import PairedBoard, Pairing

__all__ = [
    "CRITERION_WORDS",
    "change_lines",
    "player_name",
    "points_text",
    "round_title",
    "sentences",
    "side_names",
]

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
    return f"{_many_points(standing.score)}, {byes}: the last who may have it."


def _score_sentence(tournament: Tournament, why: Explanation) -> str:
    one, two = sorted(why.players, key=lambda s: (-s.group_score, s.place))
    if one.group_score == two.group_score:
        if one.size == 2:
            return f"The two with {_many_points(one.group_score)}."
        return f"{_nth(one.place)} and {_nth(two.place)} of {_group(one)}."
    down = f"{_who(tournament, one)} comes down from {_group(one)}"
    up = f"{_who(tournament, two)} up from {_group(two)}"
    places = [
        f" ({'; '.join(notes)})" if (notes := _notes(standing)) else "" for standing in (one, two)
    ]
    return f"{down}{places[0]}, {up}{places[1]}."


def _notes(standing: PlayerState) -> list[str]:
    """Place in the group and earlier floats, which decide who is drawn down or up."""
    notes = [_nth(standing.place)] if standing.size > 1 else []
    floats = ((standing.drawn_up, "up"), (standing.drawn_down, "down"))
    if earlier := ", ".join(f"{times} {word}" for times, word in floats if times):
        notes.append(f"before {earlier}")
    return notes


def _many_points(score: float) -> str:
    return f"{points_text(score)} {'point' if score == 1 else 'points'}"


def _nth(place: int) -> str:
    if place % 100 in (11, 12, 13):
        return f"{place}th"
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th') }"


def _group(standing: PlayerState) -> str:
    if standing.size == 1:
        return f"{_many_points(standing.group_score)}, alone there"
    return f"the {standing.size} with {_many_points(standing.group_score)}"


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
