"""Players, boards and fields as the pages of a desk show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from yardstone.grades import format_grade, parse_grade
from yardstone.reports.pairing import side_names
from yardstone.tournament.event.rounds import score_of
from yardstone.tournament.model import Result
from yardstone.web.problems import RequestProblem

if TYPE_CHECKING:
    from yardstone.tournament.model import Game, Player, Tournament
    from yardstone.web.desk.pages import Form


__all__ = [
    "EVENT_FIELDS",
    "PLAYER_FIELDS",
    "VIEW",
    "BoardRow",
    "DeskField",
    "FreePlayers",
    "NameRow",
    "Seat",
    "changed_fields",
    "changed_texts",
    "choices",
    "field_values",
    "free_players",
    "letters",
    "round_boards",
    "round_byes",
    "rows_by_name",
    "seat",
    "seats_by_name",
    "shown_values",
]


class Seat(NamedTuple):
    """A player at a board: number from 1, name, and grade or rating."""

    number: int
    name: str
    grade: str


class BoardRow(NamedTuple):
    """A board; `first` moves first, `winner` is 1 or 2, and 0 for none or both."""

    table: int
    first: Seat
    second: Seat
    handicap: int
    score: str
    winner: int

    @property
    def mark(self) -> str:
        """Anchor on the page."""
        return f"b{self.first.number}-{self.second.number}"

    @property
    def open(self) -> bool:
        """Whether the result is missing."""
        return self.score == "?"

    @property
    def shown(self) -> str:
        """The score for people: with a real dash, nothing while it is open."""
        return "" if self.open else self.score.replace("-", "–")


class NameRow(NamedTuple):
    """A player of a round in the list by names: the table is 0 for the bye, without opponent."""

    player: Seat
    table: int
    colour: str
    opponent: Seat | None


def letters(tournament: Tournament) -> tuple[str, str]:
    """What stands for a win of each side in a line that is typed."""
    one, two = side_names(tournament)
    return one[0].casefold(), two[0].casefold()


def choices(tournament: Tournament) -> Sequence[tuple[str, str]]:
    """Results beside a win of one of both, as forms send them and as people read them."""
    one, two = side_names(tournament)
    return (
        ("½-½", "Draw"),
        ("1-0 F", f"{two} did not come: {one} wins"),
        ("0-1 F", f"{one} did not come: {two} wins"),
        ("0-0 F", "Neither came"),
        ("0-0", "Both lose"),
        ("1-1", "Both win"),
        ("?", "No result yet"),
    )


def seat(tournament: Tournament, row: int) -> Seat:
    """A player by number from 0."""
    player = tournament.players[row]
    rating = "" if player.rating is None else f"{player.rating:.0f}"
    grade = rating if player.rank is None else format_grade(player.rank)
    return Seat(row + 1, player.full_name, grade)


def rows_by_name(tournament: Tournament) -> list[int]:
    """The numbers from 0 of all players, by names."""
    names = [(each.name, each.first_name) for each in tournament.players]
    return sorted(range(len(names)), key=lambda row: [part.casefold() for part in names[row]])


def round_boards(tournament: Tournament, number: int) -> list[BoardRow]:
    """The boards of a round, by tables."""
    return [_board(tournament, game) for game in tournament.round_games(number)]


def _board(tournament: Tournament, game: Game) -> BoardRow:
    winner = {Result.first_wins: 1, Result.second_wins: 2}.get(game.result, 0)
    score = score_of(game.result, forfeit=game.forfeit)
    first, second = seat(tournament, game.first), seat(tournament, game.second)
    return BoardRow(game.table, first, second, game.handicap, score, winner)


def round_byes(tournament: Tournament, number: int) -> list[Seat]:
    """Who has the bye in a round."""
    return [seat(tournament, bye.player) for bye in tournament.byes if bye.round == number]


def seats_by_name(tournament: Tournament, number: int) -> list[NameRow]:
    """Everybody who is paired in a round, by names."""
    lines = []
    for game in tournament.round_games(number):
        one, two = side_names(tournament) if game.known_colour else ("", "")
        first, second = seat(tournament, game.first), seat(tournament, game.second)
        lines.append(NameRow(first, game.table, one, second))
        lines.append(NameRow(second, game.table, two, first))
    lines += [NameRow(player, 0, "", None) for player in round_byes(tournament, number)]
    return sorted(lines, key=lambda line: line.player.name.casefold())


class FreePlayers(NamedTuple):
    """Who has no board in a round: with the bye, absent, and left to be paired."""

    byes: list[Seat]
    absent: list[Seat]
    unpaired: list[Seat]


def free_players(tournament: Tournament, number: int) -> FreePlayers:
    """Everybody without a board in a round."""
    free = FreePlayers([], [], [])
    for row, player in enumerate(tournament.players):
        if (number, row) in tournament.game_of:
            continue
        if (number, row) in tournament.bye_of:
            free.byes.append(seat(tournament, row))
        elif player.takes_part(number):
            free.unpaired.append(seat(tournament, row))
        elif player.registered:
            free.absent.append(seat(tournament, row))
    return free


#: What templates ask of the tournament that they show, by the names they have there.
VIEW: dict[str, Callable[..., Any]] = {
    "boards_of": round_boards,
    "by_name": seats_by_name,
    "free_in": free_players,
    "sides_of": side_names,
    "letters_of": letters,
    "choices_of": choices,
    "seat_of": seat,
    "rows_by_name": rows_by_name,
}


class DeskField(NamedTuple):
    """A field: what it shows of a player or a tournament, and what a text in it means."""

    name: str
    label: str
    hint: str
    show: Callable[[Any], object]
    parse: Callable[[str], Any] = str


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))


PLAYER_FIELDS = (
    DeskField("name", "Family name", "", attrgetter("name")),
    DeskField("first_name", "Given name", "", attrgetter("first_name")),
    DeskField("grade", "Grade", "3d, 12k or 1p; from the rating if empty", attrgetter("grade")),
    DeskField(
        "rating",
        "Rating",
        "EGF's scale; from the grade if empty",
        attrgetter("rating"),
        lambda text: _decimal(text) if text else None,
    ),
    DeskField("club", "Club", "", attrgetter("club")),
    DeskField("country", "Country", "two letters", attrgetter("country")),
    DeskField(
        "correction",
        "McMahon correction",
        "points added at the start, from -1 to 2",
        attrgetter("smms_correction"),
        lambda text: int(text.replace(",", ".")) if text else None,
    ),
)


EVENT_FIELDS = (
    DeskField("name", "Name", "", attrgetter("name")),
    DeskField("place", "Place", "", attrgetter("place")),
    DeskField("director", "Director", "", attrgetter("director")),
    DeskField("begin", "First day", "", attrgetter("begin"), date.fromisoformat),
    DeskField("end", "Last day", "", attrgetter("end"), date.fromisoformat),
    DeskField("rounds", "Rounds", "", attrgetter("rounds"), int),
    DeskField(
        "bar",
        "McMahon bar",
        "3d: all from here on start equal",
        lambda tournament: format_grade(tournament.scoring.bar),
        lambda text: int(parse_grade(text)),
    ),
    DeskField(
        "floor",
        "McMahon floor",
        "20k: all down to here start equal",
        lambda tournament: format_grade(tournament.scoring.floor),
        lambda text: int(parse_grade(text)),
    ),
    DeskField(
        "handicap",
        "Most handicap stones",
        "0 for even games",
        attrgetter("handicap.ceiling"),
        int,
    ),
    DeskField(
        "correction",
        "Stones less than the difference",
        "1 is usual",
        attrgetter("handicap.correction"),
        int,
    ),
    DeskField("komi", "Komi", "", attrgetter("komi"), _decimal),
    DeskField(
        "criteria",
        "Tie-breaks",
        "in order, such as mms,sos,sosos",
        lambda tournament: ",".join(tournament.scoring.criteria).lower(),
    ),
)


def shown_values(fields: Sequence[DeskField], what: Any) -> dict[str, str]:
    """The texts that fields show of a player or a tournament."""
    values = {field.name: field.show(what) for field in fields}
    return {
        name: "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in values.items()
    }


def field_values(
    fields: Sequence[DeskField], texts: dict[str, str], wrong: str = "is not a number."
) -> dict[str, Any]:
    """What texts of fields mean; a text of which `wrong` must be said is a RequestProblem."""
    values: dict[str, Any] = {}
    for field in fields:
        if field.name in texts:
            text = texts[field.name]
            try:
                values[field.name] = field.parse(text)
            except ValueError:
                raise RequestProblem(
                    422, "bad_number", f"{field.label}: {text!r} {wrong}"
                ) from None
    return values


def changed_texts(
    form: Form,
    fields: Sequence[DeskField],
    what: Any,
    clash: Callable[[str, str, str, str], RequestProblem],
) -> dict[str, str]:
    """What a helper has changed, as far as nobody else has changed the same.

    The form says what it showed (``was_grade``) and what stands in it now (``grade``); what
    the helper has left alone stays as it is by now. `clash` takes the label, what it showed,
    what stands, and what was sent.
    """
    now = shown_values(fields, what)
    changes: dict[str, str] = {}
    for field in fields:
        text, was = form.text(field.name), form.text(f"was_{field.name}")
        if text in (was, now[field.name]):
            continue
        if now[field.name] != was:
            raise clash(field.label, was, now[field.name], text)
        changes[field.name] = text
    return changes


def changed_fields(form: Form, player: Player) -> dict[str, Any]:
    """What a helper has changed of a player; raises RequestProblem where others have too."""

    def clash(label: str, was: str, now: str, text: str) -> RequestProblem:
        return RequestProblem(
            409,
            "changed_meanwhile",
            f"{label} of {player.full_name}: it was {was or 'empty'} when you began, is "
            f"{now or 'empty'} by now, and you sent {text or 'nothing'}.",
            "Nothing was changed. Look at the player as it is now, and change it again.",
        )

    values = field_values(PLAYER_FIELDS, changed_texts(form, PLAYER_FIELDS, player, clash))
    if "rating" in values and values["rating"] is None:
        raise RequestProblem(422, "bad_number", "The rating cannot be empty.", "Write a number.")
    return values
