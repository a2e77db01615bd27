"""Players, boards and fields as the pages of a desk show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from yardstone.grades import format_grade, parse_grade
from yardstone.reports.pairing import side_names
from yardstone.tournament.event.rounds import score_of
from yardstone.tournament.model import Result
from yardstone.web.problems import RequestProblem

if TYPE_CHECKING:
    from yardstone.tournament.model import Game, Tournament
    from yardstone.web.desk.pages import Form


__all__ = [
    "EVENT_FIELDS",
    "PLAYER_FIELDS",
    "Board",
    "FormField",
    "Seat",
    "TournamentView",
    "changed_texts",
    "field_values",
    "shown_values",
]


class Seat(NamedTuple):
    """A player at a board: number from 1, name, and grade or rating."""

    number: int
    name: str
    grade: str


class Board(NamedTuple):
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


class PlayerLine(NamedTuple):
    """A player of a round in the list by names: the table is 0 for the bye, without opponent."""

    player: Seat
    table: int
    colour: str
    opponent: Seat | None


class TournamentView:
    """A tournament as templates ask it; rounds count from 1, rows of players from 0."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament

    @cached_property
    def sides(self) -> tuple[str, str]:
        """What the side that moves first is called, and the other."""
        return side_names(self.tournament)

    @property
    def letters(self) -> tuple[str, str]:
        """What stands for a win of each side in a line that is typed."""
        one, two = self.sides
        return one[0].casefold(), two[0].casefold()

    @property
    def choices(self) -> Sequence[tuple[str, str]]:
        """Results beside a win of one of both, as forms send them and as people read them."""
        one, two = self.sides
        return (
            ("½-½", "Draw"),
            ("1-0 F", f"{two} did not come: {one} wins"),
            ("0-1 F", f"{one} did not come: {two} wins"),
            ("0-0 F", "Neither came"),
            ("0-0", "Both lose"),
            ("1-1", "Both win"),
            ("?", "No result yet"),
        )

    def seat(self, row: int) -> Seat:
        """A player."""
        player = self.tournament.players[row]
        rating = "" if player.rating is None else f"{player.rating:.0f}"
        grade = rating if player.rank is None else format_grade(player.rank)
        return Seat(row + 1, player.full_name, grade)

    def players(self) -> list[int]:
        """The rows of all players, by names."""
        names = [(each.name, each.first_name) for each in self.tournament.players]
        return sorted(range(len(names)), key=lambda row: [part.casefold() for part in names[row]])

    def boards(self, number: int) -> list[Board]:
        """The boards of a round, by tables."""
        return [self._board(game) for game in self.tournament.round_games(number)]

    def _board(self, game: Game) -> Board:
        winner = {Result.first_wins: 1, Result.second_wins: 2}.get(game.result, 0)
        score = score_of(game.result, forfeit=game.forfeit)
        first, second = self.seat(game.first), self.seat(game.second)
        return Board(game.table, first, second, game.handicap, score, winner)

    def byes(self, number: int) -> list[Seat]:
        """Who has the bye in a round."""
        return [self.seat(bye.player) for bye in self.tournament.byes if bye.round == number]

    def by_name(self, number: int) -> list[PlayerLine]:
        """Everybody who is paired in a round, by names."""
        lines = [PlayerLine(player, 0, "", None) for player in self.byes(number)]
        for game in self.tournament.round_games(number):
            one, two = self.sides if game.known_colour else ("", "")
            first, second = self.seat(game.first), self.seat(game.second)
            lines.append(PlayerLine(first, game.table, one, second))
            lines.append(PlayerLine(second, game.table, two, first))
        return sorted(lines, key=lambda line: line.player.name.casefold())

    def free(self, number: int) -> dict[str, list[Seat]]:
        """Who has no board in a round: with one of the ``byes``, ``absent`` and ``unpaired``."""
        made: dict[str, list[Seat]] = {"byes": [], "absent": [], "unpaired": []}
        for row, player in enumerate(self.tournament.players):
            if (number, row) in self.tournament.game_of:
                continue
            if (number, row) in self.tournament.bye_of:
                made["byes"].append(self.seat(row))
            elif player.takes_part(number):
                made["unpaired"].append(self.seat(row))
            elif player.registered:
                made["absent"].append(self.seat(row))
        return made


class FormField(NamedTuple):
    """A field: what it shows of a player or a tournament, and what a text in it means."""

    name: str
    label: str
    hint: str
    show: Callable[[Any], object]
    parse: Callable[[str], Any] = str


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))


PLAYER_FIELDS = (
    FormField("name", "Family name", "", attrgetter("name")),
    FormField("first_name", "Given name", "", attrgetter("first_name")),
    FormField("grade", "Grade", "3d, 12k or 1p; from the rating if empty", attrgetter("grade")),
    FormField(
        "rating",
        "Rating",
        "EGF's scale; from the grade if empty",
        attrgetter("rating"),
        lambda text: _decimal(text) if text else None,
    ),
    FormField("club", "Club", "", attrgetter("club")),
    FormField("country", "Country", "two letters", attrgetter("country")),
    FormField(
        "correction",
        "McMahon correction",
        "points added at the start, from -1 to 2",
        attrgetter("smms_correction"),
        lambda text: int(text.replace(",", ".")) if text else None,
    ),
)


EVENT_FIELDS = (
    FormField("name", "Name", "", attrgetter("name")),
    FormField("place", "Place", "", attrgetter("place")),
    FormField("director", "Director", "", attrgetter("director")),
    FormField("begin", "First day", "", attrgetter("begin"), date.fromisoformat),
    FormField("end", "Last day", "", attrgetter("end"), date.fromisoformat),
    FormField("rounds", "Rounds", "", attrgetter("rounds"), int),
    FormField(
        "bar",
        "McMahon bar",
        "3d: all from here on start equal",
        lambda tournament: format_grade(tournament.scoring.bar),
        lambda text: int(parse_grade(text)),
    ),
    FormField(
        "floor",
        "McMahon floor",
        "20k: all down to here start equal",
        lambda tournament: format_grade(tournament.scoring.floor),
        lambda text: int(parse_grade(text)),
    ),
    FormField(
        "handicap",
        "Most handicap stones",
        "0 for even games",
        attrgetter("handicap.ceiling"),
        int,
    ),
    FormField(
        "correction",
        "Stones less than the difference",
        "1 is usual",
        attrgetter("handicap.correction"),
        int,
    ),
    FormField("komi", "Komi", "", attrgetter("komi"), _decimal),
    FormField(
        "criteria",
        "Tie-breaks",
        "in order, such as mms,sos,sosos",
        lambda tournament: ",".join(tournament.scoring.criteria).lower(),
    ),
)


def shown_values(fields: Sequence[FormField], what: Any) -> dict[str, str]:
    """The texts that fields show of a player or a tournament."""
    values = {field.name: field.show(what) for field in fields}
    return {
        name: "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in values.items()
    }


def field_values(
    fields: Sequence[FormField], texts: dict[str, str], wrong: str = "is not a number."
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
    fields: Sequence[FormField],
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
