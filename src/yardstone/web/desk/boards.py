"""The boards of a round as pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.reports.tournament.words import side_names
from yardstone.tournament.event.results import score_of
from yardstone.tournament.model import Game, Result
from yardstone.winprob.grades import format_grade

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament

__all__ = [
    "BoardRow",
    "FreePlayers",
    "NameRow",
    "Seat",
    "choices",
    "free_players",
    "letters",
    "round_boards",
    "seat",
    "seats_by_name",
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
