"""What a report file says for the pairing of a Swiss: initial colour, virtual points, bans.

TRF26 has the lines 152 (initial colour), 250 (accelerated rounds) and 260 (players who do
not meet); older files those of pairing programs, XXC, XXA and XXP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from yardstone.records.decoding import finite_number
from yardstone.tournament.formats.trf_head import MAX_POINTS
from yardstone.tournament.rules import Acceleration, Separation, SwissSettings

if TYPE_CHECKING:
    from yardstone.errors import InputError
    from yardstone.tournament.formats.trf_head import TrfHead
    from yardstone.tournament.model import Tournament

__all__ = ["read_swiss", "swiss_lines"]

_EVER = 999


def read_swiss(
    head: TrfHead, place: Mapping[int, int], skip: Callable[[InputError], None]
) -> SwissSettings:
    """The settings of a file.

    Parameters
    ----------
    head : TrfHead
        Its lines.
    place : mapping of int to int
        Place of each player by the starting number.
    skip : callable
        Takes lines that cannot be used.
    """
    accelerations: list[Acceleration] = []
    separations: list[Separation] = []
    for kind in ("250", "XXA", "260", "XXP"):
        for line, text in head.lines(kind):
            try:
                if kind == "250":
                    accelerations.append(_accelerated(text, place))
                elif kind == "XXA":
                    accelerations += _points_by_round(text, place)
                elif kind == "260":
                    separations.append(_separated(text, place))
                else:
                    who = frozenset(place[int(word)] for word in text.split())
                    separations.append(Separation(who, 1, _EVER))
            except (ValueError, KeyError, IndexError):
                skip(head.error(f"{kind}: a line that cannot be read: {text.strip()!r}", line))
    return SwissSettings(
        initial_colour=_initial_colour(head, skip),
        accelerations=tuple(accelerations),
        separations=tuple(separations),
    )


def _initial_colour(head: TrfHead, skip: Callable[[InputError], None]) -> str:
    for line, text in head.lines("152"):
        word = text.strip().upper()
        if word in ("W", "B"):
            return "white" if word == "W" else "black"
        skip(head.error(f"152: {word!r} is no colour: W or B", line))
    for _, text in head.lines("XXC"):
        words = text.lower().split()
        if "white1" in words:
            return "white"
        if "black1" in words:
            return "black"
    return ""


def _accelerated(text: str, place: Mapping[int, int]) -> Acceleration:
    """``250 MMMM GGGG RRR RRR PPPP PPPP``: points, rounds and players from and to."""
    whole = ("250 " + text).ljust(32)
    points = _points(whole[9:13].strip() or "0")
    first, last = int(whole[14:17]), int(whole[18:21])
    one, two = int(whole[22:26]), int(whole[27:31])
    who = frozenset(row for number, row in place.items() if one <= number <= two)
    return Acceleration(who, first, last, points)


def _points_by_round(text: str, place: Mapping[int, int]) -> list[Acceleration]:
    """``XXA NNNN pp.p pp.p``: a player, and virtual points before each round."""
    whole = "XXA " + text
    who = frozenset((place[int(whole[4:8])],))
    cells = [whole[begin : begin + 4].strip() for begin in range(9, len(whole), 5)]
    points = [_points(cell or "0") for cell in cells]
    return [Acceleration(who, at, at, each) for at, each in enumerate(points, 1) if each]


def _points(text: str) -> float:
    """Virtual points; ValueError if they have no room in their four columns."""
    points = finite_number(text, below=MAX_POINTS)
    if points is None:
        raise ValueError(text)
    return points


def _separated(text: str, place: Mapping[int, int]) -> Separation:
    """``260 RRR RRR NNNN NNNN``: rounds from and to, and players."""
    words = text.split()
    who = frozenset(place[int(word)] for word in words[2:])
    return Separation(who, int(words[0]), int(words[1]))


def swiss_lines(tournament: Tournament, numbers: Mapping[int, int]) -> list[str]:
    """The lines of TRF26 for these settings."""
    swiss = tournament.swiss
    lines = [f"152 {swiss.initial_colour[0].upper()}"] if swiss.initial_colour else []
    for each in swiss.accelerations:
        for one, two in _runs(sorted(numbers[player] for player in each.players)):
            lines.append(
                f"250      {each.points:4.1f} {each.first:3d} {each.last:3d} {one:4d} {two:4d}"
            )
    for group in swiss.separations:
        who = " ".join(f"{number:4d}" for number in sorted(numbers[p] for p in group.players))
        lines.append(f"260 {group.first:3d} {min(group.last, tournament.rounds):3d} {who}")
    return lines


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """First and last of each run of successive numbers."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
