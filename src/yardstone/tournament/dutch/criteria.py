"""The criteria of the Dutch system as sums over pairs (C.04.3, chapter 3).

A bracket's pairing is part of a perfect matching of all players who are not yet paired,
with the bye as one more vertex if they are odd. That keeps the completion of the round
(C4) and the score of the bye (C5) at every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from yardstone.tournament.dutch.best_matchings import Level
from yardstone.tournament.dutch.field import Drift, Preference

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.dutch.field import DutchField, DutchPlayer

__all__ = ["CRITERIA", "Bracket", "PairTable", "bye_level", "may_meet", "quality"]

#: What each criterion demands.
CRITERIA = {
    "C1": "no two players meet twice",
    "C2": "nobody has the bye who had it before, or won without playing",
    "C3": "no two players who are not topscorers meet with the same absolute colour preference",
    "C4": "the other players can still be paired",
    "C5": "the lowest score of the player with the bye",
    "C6": "the fewest downfloaters",
    "C7": "the lowest scores of the downfloaters",
    "C8": "the fewest downfloaters, of the lowest scores, from the next bracket",
    "C9": "the fewest unplayed games of the player with the bye",
    "C10": "the fewest topscorers or their opponents with a colour difference beyond 2",
    "C11": "the fewest topscorers or their opponents with one colour three times in a row",
    "C12": "the fewest players without their colour preference",
    "C13": "the fewest players without their strong colour preference",
    "C14": "the fewest downfloaters of the bracket who floated down in the last round",
    "C15": "the fewest opponents of moved-down players who floated up in the last round",
    "C16": "the fewest downfloaters of the bracket who floated down two rounds before",
    "C17": "the fewest opponents of moved-down players who floated up two rounds before",
    "C18": "the least score differences of players who floated down in the last round",
    "C19": "the least score differences of players who floated up in the last round",
    "C20": "the least score differences of players who floated down two rounds before",
    "C21": "the least score differences of players who floated up two rounds before",
    "order": "the first in the order in which candidates are tried",
}


def may_meet(one: DutchPlayer, other: DutchPlayer) -> str:
    """The absolute criterion that two players would break, or an empty text."""
    if other.player in one.opponents:
        return "C1"
    if one.top or other.top:
        return ""
    both = one.preference is Preference.absolute and other.preference is Preference.absolute
    return "C3" if both and one.due == other.due else ""


@dataclass(frozen=True, eq=False)
class Bracket:
    """The players of one bracket and of the next, by rows among those not yet paired.

    Attributes
    ----------
    moved : int
        Moved-down players: the rows before this one.
    end : int
        The residents' rows lie from `moved` to this.
    next_end : int
        The rows of the next scoregroup lie from `end` to this.
    """

    moved: int
    end: int
    next_end: int


class PairTable:
    """Facts of all pairs of some players, as matrices; the last row is the bye if they are odd.

    Parameters
    ----------
    players : tuple of DutchPlayer
        In the order of article 1.2.
    """

    def __init__(self, players: tuple[DutchPlayer, ...]) -> None:
        self.players = players
        self.count = len(players)
        self.size = self.count + self.count % 2

    @classmethod
    def of(cls, field: DutchField, rows: list[int]) -> PairTable:
        """The table of some rows of a field."""
        return cls(tuple(field.players[row] for row in rows))

    def _column(self, values: list[int]) -> NDArray[np.int64]:
        return np.array(values + [0] * (self.size - self.count), np.int64)

    @cached_property
    def due(self) -> NDArray[np.int64]:
        """Colour due, 0 for none."""
        return self._column([int(p.due) for p in self.players])

    @cached_property
    def strength(self) -> NDArray[np.int64]:
        """Strength of the preference."""
        return self._column([int(p.preference) for p in self.players])

    @cached_property
    def balance(self) -> NDArray[np.int64]:
        """Colour difference."""
        return self._column([p.balance for p in self.players])

    @cached_property
    def repeated(self) -> NDArray[np.int64]:
        """Colour of the last two games, 0 if they differ."""
        return self._column([int(p.repeated) for p in self.players])

    @cached_property
    def unplayed(self) -> NDArray[np.int64]:
        """Rounds without a game."""
        return self._column([p.unplayed for p in self.players])

    def floated(self, back: int, drift: Drift) -> NDArray[np.bool_]:
        """Who floated so in the last round (`back` = 0) or the one before."""
        return np.array(
            [p.floats[back] is drift for p in self.players] + [False] * (self.size - self.count)
        )

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Scores; that of the bye lies below all."""
        return np.array([p.score for p in self.players] + [-np.inf] * (self.size - self.count))

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Pairs that break no absolute criterion (C1 to C3)."""
        n = self.count
        allowed = np.zeros((self.size, self.size), np.bool_)
        place = {p.player: row for row, p in enumerate(self.players)}
        absolute = self.strength[:n] == Preference.absolute
        top = np.array([p.top for p in self.players])
        clash = (
            (absolute[:, None] & absolute[None, :])
            & (self.due[:n, None] == self.due[None, :n])
            & ~(top[:, None] | top[None, :])
        )
        allowed[:n, :n] = ~clash
        for row, each in enumerate(self.players):
            for other in each.opponents:
                if other in place:
                    allowed[row, place[other]] = allowed[place[other], row] = False
        if self.size > n:
            allowed[:n, n] = allowed[n, :n] = [not p.bye_barred for p in self.players]
        np.fill_diagonal(allowed, False)
        return allowed


def bye_level(table: PairTable) -> Level:
    """C5: the bye for the lowest possible score."""
    n = table.count
    order = np.unique(table.scores[:n])
    values = np.zeros((table.size, table.size), np.int64)
    values[:n, n] = values[n, :n] = -np.searchsorted(order, table.scores[:n])
    return Level("C5", values, len(order))


def quality(table: PairTable, bracket: Bracket) -> list[Level]:
    """C6 to C8 for a bracket."""
    return [*_downfloaters(table, bracket), *_downfloaters(table, bracket, following=True)]


def _inside(table: PairTable, low: int, high: int) -> NDArray[np.bool_]:
    """Pairs whose lower player is one of these rows; only players of the bracket or the next."""
    rows = np.arange(table.size)
    lower = np.maximum(rows[:, None], rows[None, :])
    return (lower >= low) & (lower < high)


def _downfloaters(table: PairTable, bracket: Bracket, *, following: bool = False) -> list[Level]:
    if following and bracket.end == bracket.next_end:
        return []
    low, high = (bracket.end, bracket.next_end) if following else (0, bracket.end)
    inside = _inside(table, low, high)
    name = "C8" if following else "C6"
    count = high // 2 + 1
    levels = [Level(name, inside.astype(np.int64), count)]
    # Of as many pairs, those that leave the highest scores are the better: each pair has one
    # player at least of the scoregroup itself, so only the other one's score matters.
    upper = np.minimum(np.arange(table.size)[:, None], np.arange(table.size)[None, :])
    floating = range(bracket.end if following else bracket.moved)
    for score in sorted({table.players[row].score for row in floating}, reverse=True):
        values = inside & (table.scores[upper] == score)
        size = sum(table.players[row].score == score for row in floating)
        levels.append(Level("C8" if following else "C7", values.astype(np.int64), size))
    return levels


def bye_games(table: PairTable, bracket: Bracket) -> Level:
    """C9: the bye for the player with the fewest unplayed games."""
    n = table.count
    values = np.zeros((table.size, table.size), np.int64)
    values[:n, n] = values[n, :n] = -table.unplayed[:n]
    return Level("C9", values, int(table.unplayed.max(initial=0)))


def colours_and_floats(table: PairTable, bracket: Bracket) -> list[Level]:
    """C10 to C21 for a bracket."""
    return [*_colours(table, bracket), *_floats(table, bracket), *_differences(table, bracket)]


def _avoided(name: str, bad: NDArray[np.bool_], bracket: Bracket) -> Level:
    """As few as possible of some pairs."""
    bad = bad | bad.T
    return Level(name, -bad.astype(np.int64), bracket.end // 2 + 1 if bad.any() else 0)


def _colours(table: PairTable, bracket: Bracket) -> list[Level]:
    due, strength, repeated = table.due, table.strength, table.repeated
    inside = _inside(table, bracket.moved, bracket.end)
    clash = inside & (due[:, None] == due[None, :]) & (due != 0)[:, None]
    wide = np.abs(table.balance) > 1
    absolute, strong = strength == Preference.absolute, strength >= Preference.strong
    both = absolute[:, None] & absolute[None, :]
    # Of two, the one with the smaller colour difference yields; equal ones are told apart
    # by their last games unless these were the same.
    size = np.abs(table.balance)
    smaller = np.where(size[:, None] > size[None, :], repeated[None, :], repeated[:, None])
    third_time = np.where(
        size[:, None] == size[None, :],
        (repeated != 0)[:, None] & (repeated[:, None] == repeated[None, :]),
        smaller == -due[:, None],
    )
    tests = {
        "C10": clash & wide[:, None] & wide[None, :],
        "C11": clash & both & third_time,
        "C12": clash,
        "C13": clash & strong[:, None] & strong[None, :] & ~both,
    }
    return [_avoided(name, bad, bracket) for name, bad in tests.items()]


def _floats(table: PairTable, bracket: Bracket) -> list[Level]:
    """C14 to C17: who floats again."""
    inside = _inside(table, bracket.moved, bracket.end)
    rows = np.arange(table.size)
    resident = (rows >= bracket.moved) & (rows < bracket.end)
    higher = table.scores[:, None] > table.scores[None, :]
    levels = []
    for back, (down, up) in enumerate((("C14", "C15"), ("C16", "C17"))):
        stays = (table.floated(back, Drift.down) & resident).astype(np.int64)
        paired = np.where(inside, stays[:, None] + stays[None, :], 0)
        levels.append(Level(down, paired, int(stays.sum())))
        levels.append(
            _avoided(up, inside & higher & table.floated(back, Drift.up)[None, :], bracket)
        )
    return levels


def _differences(table: PairTable, bracket: Bracket) -> list[Level]:
    """C18 to C21: how far those float who float again, the widest differences first.

    Opponents of one bracket have one score, so a difference is as wide as the score of the
    moved-down player is high.
    """
    inside = _inside(table, bracket.moved, bracket.end)
    higher = table.scores[:, None] > table.scores[None, :]
    scores = sorted({table.players[row].score for row in range(bracket.moved)}, reverse=True)
    levels = []
    for back, (down, up) in enumerate((("C18", "C19"), ("C20", "C21"))):
        for score in scores:
            mine = table.floated(back, Drift.down) & (table.scores == score)
            paired = inside & (mine[:, None] | mine[None, :])
            levels.append(Level(down, paired.astype(np.int64), int(mine.sum())))
        for score in scores:
            those = (table.scores == score)[:, None] & table.floated(back, Drift.up)[None, :]
            levels.append(_avoided(up, inside & higher & those, bracket))
    return levels
