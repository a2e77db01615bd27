"""Players and boards as the pages of a desk show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yardstone.grades import format_grade
from yardstone.reports.pairing import side_names
from yardstone.tournament.event.rounds import score_of
from yardstone.tournament.model import Game, Result
from yardstone.web.problems import RequestProblem

if TYPE_CHECKING:
    from yardstone.tournament.model import Player, Tournament
    from yardstone.web.desk.pages import Form


__all__ = [
    "PLAYER_FIELDS",
    "BoardRow",
    "FreePlayers",
    "NameRow",
    "Seat",
    "changed_fields",
    "choices",
    "field_values",
    "free_players",
    "letters",
    "round_boards",
    "seat",
    "seats_by_name",
    "shown_values",
]


@dataclass(frozen=True, slots=True)
class Seat:
    """A player at a board: number from 1, name, and grade or rating."""

    number: int
    name: str
    grade: str


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A board.

    Attributes
    ----------
    table : int
    first, second : Seat
        The one who moves first, and the other.
    handicap : int
    score : str
        Such as ``1-0``; ``?`` while it is open.
    winner : int
        1 or 2; 0 for none or both.
    mark : str
        Anchor on the page.
    """

    table: int
    first: Seat
    second: Seat
    handicap: int
    score: str
    winner: int
    mark: str

    @property
    def open(self) -> bool:
        """Whether the result is missing."""
        return self.score == "?"

    @property
    def shown(self) -> str:
        """The score for people: with a real dash, nothing while it is open."""
        return "" if self.open else self.score.replace("-", "–")


def seat(tournament: Tournament, row: int) -> Seat:
    """A player by number from 0."""
    player = tournament.players[row]
    if player.rank is not None:
        grade = format_grade(player.rank)
    else:
        grade = "" if player.rating is None else f"{player.rating:.0f}"
    return Seat(row + 1, player.full_name, grade)


def round_boards(tournament: Tournament, number: int) -> list[BoardRow]:
    """The boards of a round, by tables."""
    return [_board(tournament, game) for game in tournament.round_games(number)]


def _board(tournament: Tournament, game: Game) -> BoardRow:
    winner = {Result.first_wins: 1, Result.second_wins: 2}.get(game.result, 0)
    return BoardRow(
        table=game.table,
        first=seat(tournament, game.first),
        second=seat(tournament, game.second),
        handicap=game.handicap,
        score=score_of(game.result, forfeit=game.forfeit),
        winner=winner,
        mark=f"b{game.first + 1}-{game.second + 1}",
    )


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


def letters(tournament: Tournament) -> tuple[str, str]:
    """What stands for a win of the first and of the other side in a line that is typed."""
    one, two = side_names(tournament)
    return one[0].casefold(), two[0].casefold()


@dataclass(frozen=True, slots=True)
class NameRow:
    """A player of a round, as the list by names has it.

    Attributes
    ----------
    player : Seat
    table : int
        0 for the bye.
    colour : str
        The side played.
    opponent : Seat or None
        None for the bye.
    """

    player: Seat
    table: int
    colour: str
    opponent: Seat | None


def seats_by_name(tournament: Tournament, number: int) -> list[NameRow]:
    """Everybody who is paired in a round, by names."""
    sides = side_names(tournament)
    lines = []
    for game in tournament.round_games(number):
        both = seat(tournament, game.first), seat(tournament, game.second)
        for at in (0, 1):
            colour = sides[at] if game.known_colour else ""
            lines.append(NameRow(both[at], game.table, colour, both[1 - at]))
    lines += [
        NameRow(seat(tournament, bye.player), 0, "", None)
        for bye in tournament.byes
        if bye.round == number
    ]
    return sorted(lines, key=lambda line: line.player.name.casefold())


@dataclass(frozen=True, slots=True)
class FreePlayers:
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


#: Name of a field, its label, and a hint.
PLAYER_FIELDS = (
    ("name", "Family name", ""),
    ("first_name", "Given name", ""),
    ("grade", "Grade", "3d, 12k or 1p; from the rating if empty"),
    ("rating", "Rating", "EGF's scale; from the grade if empty"),
    ("club", "Club", ""),
    ("country", "Country", "two letters"),
    ("correction", "McMahon correction", "points added at the start, from -1 to 2"),
)
_KINDS = {"rating": float, "correction": int}


def shown_values(player: Player) -> dict[str, str]:
    """A player's fields as a form shows them."""
    return {
        "name": player.name,
        "first_name": player.first_name,
        "grade": player.grade,
        "rating": "" if player.rating is None else f"{player.rating:g}",
        "club": player.club,
        "country": player.country,
        "correction": str(player.smms_correction),
    }


def field_values(texts: dict[str, str]) -> dict[str, Any]:
    """What fields of a form say; None where nothing stands.

    Raises
    ------
    RequestProblem
        A text is not a number.
    """
    return {name: _value(name, text) for name, text in texts.items()}


def _value(name: str, text: str) -> Any:
    kind = _KINDS.get(name)
    if kind is None:
        return text
    if not text:
        return None
    try:
        return kind(text.replace(",", "."))
    except ValueError:
        label = next(each[1] for each in PLAYER_FIELDS if each[0] == name)
        raise RequestProblem(422, "bad_number", f"{label}: {text!r} is not a number.") from None


def changed_fields(form: Form, player: Player) -> dict[str, Any]:
    """What a helper has changed, as far as nobody else has changed the same.

    The form says what it showed (``was_grade``) and what stands in it now (``grade``); what
    the helper has left alone stays as it is by now.

    Raises
    ------
    RequestProblem
        Somebody else has changed one of these fields meanwhile.
    """
    now = shown_values(player)
    changes: dict[str, str] = {}
    for name, label, _ in PLAYER_FIELDS:
        text, was = form.text(name), form.text(f"was_{name}")
        if text in (was, now[name]):
            continue
        if now[name] != was:
            raise RequestProblem(
                409,
                "changed_meanwhile",
                f"{label} of {player.full_name}: it was {was or 'empty'} when you began, is "
                f"{now[name] or 'empty'} by now, and you sent {text or 'nothing'}.",
                "Nothing was changed. Look at the player as it is now, and change it again.",
            )
        changes[name] = text
    values = field_values(changes)
    if "rating" in values and values["rating"] is None:
        raise RequestProblem(422, "bad_number", "The rating cannot be empty.", "Write a number.")
    return values
