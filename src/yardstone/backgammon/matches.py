"""Analysed matches as plain values: who played, who won, what went wrong."""

from __future__ import annotations

import datetime
import heapq
import operator
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from math import isfinite, nan
from typing import Any

import numpy as np

from yardstone.arrays import Floats
from yardstone.backgammon._gnubg import PLACES, unpack_position
from yardstone.backgammon.error_rates import Errors
from yardstone.backgammon.file_analysis import FileAnalysis
from yardstone.backgammon.formulas import PUBLISHED, SITE_OFFSET, Formula
from yardstone.backgammon.positions import pips, rearmost
from yardstone.backgammon.rating import (
    MatchEstimate,
    loss_interval,
    luck_adjusted_difference,
    mean_interval,
    ratio_interval,
)
from yardstone.records.decoding import clean

#: Before this day nobody kept a match: such a date stands for none.
_FIRST_DATE = datetime.date(1975, 1, 1)


@dataclass(frozen=True, slots=True)
class Blunder:
    """A decision that cost much: `error`, in normalised equity.

    `game` and `record` number the game and the move or cube action in it, `kind` is one of the
    values of `error_rates.KINDS`. `position` and `match` are GNU Backgammon's IDs; `dice` are empty
    for cube decisions. The equities are normalised, of the player who decided. `remark` says what
    kind of wrong or missed double it was; it is empty for other decisions.
    """

    file: str
    game: int
    record: int
    player: str
    opponent: str
    kind: str
    error: float
    position: str
    match: str
    dice: tuple[int, ...]
    played: str
    best: str
    played_equity: float = nan
    best_equity: float = nan
    remark: str = ""

    @classmethod
    def of(cls, error: Mapping[str, Any], file: str, players: tuple[str, str]) -> Blunder:
        """An error as an analysis lists it."""
        side = int(error["player"])
        same = "kind error position match played best played_equity best_equity".split()
        remark = ""
        if error["kind"] == "wrong double":
            remark = "too good to double" if error["best_equity"] > 1.0 else "too early"
        elif error["kind"] == "missed double":
            remark = "pass" if error["take_equity"] > 1.0 else "take"
        return cls(
            file=file,
            game=int(error["game"]),
            record=int(error["record"]),
            player=players[side],
            opponent=players[1 - side],
            dice=tuple(error.get("dice", ())),
            remark=remark,
            **{name: error[name] for name in same},
        )


@dataclass(frozen=True)
class AnalysedMatch:
    """A match with the errors of both players.

    `length` is 0 for a money session, `score` that at the end, `winner` 0 or 1 (None for a money
    session and where the file ends before the match). `close_2003` counts close cube decisions by
    the rule of 2003, which van den Doel's study used. `luck_adjusted` is the luck-adjusted result
    of the first player as a probability of having won; it can leave 0 to 1, and is NaN where there
    is no winner. `blunders` are the larger errors of both players, `classes` of each the errors by
    class of play.
    """

    file: str
    players: tuple[str, str]
    length: int
    date: datetime.date | None
    score: tuple[int, int]
    winner: int | None
    games: int
    errors: tuple[Errors, Errors]
    close_2003: tuple[int, int]
    luck_adjusted: float
    blunders: tuple[Blunder, ...] = field(default=(), repr=False)
    classes: tuple[Mapping[str, ClassErrors], ...] = field(default=({}, {}), repr=False)

    @classmethod
    def from_file(
        cls, file: FileAnalysis, main_name: Mapping[str, str] | None = None
    ) -> AnalysedMatch:
        """The match of a file whose status is ``analysed``.

        `main_name` gives the main name of each other name of a player.
        """
        content = file.content
        if content is None or content["analysis"] is None:
            raise ValueError(f"{file.file} was not analysed")
        match, analysis = content["match"], content["analysis"]
        names = [clean(name) or f"player {k}" for k, name in enumerate(match["names"], 1)]
        one, two = ((main_name or {}).get(name, name) for name in names)
        games, length = match["games"], int(match["length"])
        first, second = (
            games[0].get(f"score-{who}", 0)
            + sum(game["points-won"] for game in games if game["winner"] == who)
            for who in "XO"
        )
        stats, close = analysis["stats"], analysis["close"]
        winner, adjusted = None, nan
        if length and max(first, second) >= length:
            winner = int(second > first)
            adjusted = 0.5 + float(stats["X"]["dice"].get("luck-adjusted-result", nan))
        return cls(
            file.file,
            (one, two),
            length,
            _date(match["date"]),
            (first, second),
            winner,
            len(games),
            (Errors.from_statistics(stats, 0), Errors.from_statistics(stats, 1)),
            (int(close["X"]["close-2003"]), int(close["O"]["close-2003"])),
            adjusted,
            tuple(Blunder.of(error, file.file, (one, two)) for error in content["errors"]),
            class_errors(content["decisions"]),
        )

    def luck_adjusted_of(self, side: int) -> float:
        """Luck-adjusted result of player 0 or 1; NaN where unknown."""
        if not isfinite(self.luck_adjusted):
            return nan
        return self.luck_adjusted if side == 0 else 1.0 - self.luck_adjusted


def _date(parts: list[int]) -> datetime.date | None:
    """A date from day, month and year; None if it is none, or no true one."""
    try:
        day, month, year = parts
        date = datetime.date(year, month, day)
    except ValueError:
        return None
    return date if date >= _FIRST_DATE else None


def matches_of(
    files: Iterable[FileAnalysis], main_name: Mapping[str, str] | None = None
) -> list[AnalysedMatch]:
    """The matches that were analysed, in order."""
    return [AnalysedMatch.from_file(file, main_name) for file in files if file.status == "analysed"]


CHEQUER_CLASSES = (
    "opening", "middle game", "priming game", "holding game", "back game", "crashed",
    "contact bear-in", "contact bear-off", "race", "bear-off",
)  # fmt: skip
#: By what the player did.
CUBE_CLASSES = ("no double", "double", "take", "pass")
#: Least loss of each size of an error, in normalised equity.
SIZES = {"doubtful": 0.03, "error": 0.06, "blunder": 0.12}
_OPENING_TURNS = 3
_CRASHED = 9
_HOME, _HALF = 6, 12
_PRIME = 5

Side = Sequence[int]


@dataclass(frozen=True, slots=True)
class ClassErrors:
    """Decisions of one class and what went wrong; they add up.

    `decisions` are unforced moves, or close cube decisions; `loss` is the sum of the losses in
    normalised equity. Each loss counts once, by the largest size that it reaches.
    """

    decisions: int = 0
    loss: float = 0.0
    doubtful: int = 0
    errors: int = 0
    blunders: int = 0

    def __add__(self, other: ClassErrors) -> ClassErrors:
        return ClassErrors(*map(operator.add, astuple(self), astuple(other)))

    @classmethod
    def of(cls, loss: float) -> ClassErrors:
        """One decision."""
        small, middle, large = SIZES.values()
        size = [int(small <= loss < middle), int(middle <= loss < large), int(loss >= large)]
        return cls(1, loss, *size)


def class_errors(decisions: Iterable[Sequence[Any]]) -> tuple[dict[str, ClassErrors], ...]:
    """What both players did in each class, from the decisions that an analysis lists.

    `decisions` are rows of player, action, loss and, of moves, turn, GNU Backgammon's class
    and position ID. The result has the classes that occurred, for player 0 and player 1.
    """
    result: tuple[dict[str, ClassErrors], ...] = ({}, {})
    for player, action, loss, *move in decisions:
        name = play_class(*unpack_position(move[2]), move[0], move[1]) if move else action
        result[player][name] = result[player].get(name, ClassErrors()) + ClassErrors.of(loss)
    return result


def play_class(own: Side, other: Side, turn: int = 99, gnubg_class: int = 0) -> str:
    """The class of a position in which a player moves.

    `own` and `other` have 25 numbers each, as in `yardstone.backgammon.positions.Position`. `turn`
    counts those of this player in the game, from 1; the default is no opening. Of GNU Backgammon's
    number of the class only 9, crashed, matters.

    Examples:
        >>> from yardstone.backgammon.positions import read_position
        >>> position = read_position("XGID=-B-BBBBAA-A----a--bcbbbAa-:0:0:1:63:0:0:0:7:10")
        >>> play_class(position.own, position.other)
        'priming game'
    """
    if turn <= _OPENING_TURNS:
        return "opening"
    last = rearmost(own)
    if last + rearmost(other) <= PLACES:
        return "bear-off" if last <= _HOME else "race"
    if last <= _HOME:
        return "contact bear-off"
    if last <= _HALF:
        return "contact bear-in"
    sides = ((own, other), (other, own))
    kinds = {"back game": _back_game, "priming game": _priming, "holding game": _holding}
    for name, is_it in kinds.items():
        if any(is_it(*pair) for pair in sides):
            return name
    return "crashed" if gnubg_class == _CRASHED else "middle game"


def _back_game(side: Side, other: Side) -> bool:
    anchors = sum(number >= 2 for number in side[19:24])
    return anchors >= 2 and pips(side) > pips(other)


def _priming(side: Side, other: Side) -> bool:
    """A prime of one side with a chequer of the other behind it, which must still pass it."""
    behind = PLACES - rearmost(other)  # where that chequer is, by this side's points
    run = 0
    for place, number in enumerate(side[:24], 1):
        run = run + 1 if number >= 2 else 0
        if run >= _PRIME and place - run + 1 > behind:
            return True
    return False


def _holding(side: Side, other: Side) -> bool:
    held = any(side[place - 1] >= 2 for place in (18, 20, 21))
    return held and rearmost(other) <= 18 and pips(side) > pips(other)


#: Matches in a moving mean of the trend.
WINDOW = 20
#: Players with fewer decisions come last: with as many moves, half of a rate is still the
#: mean of all players (`yardstone.backgammon.error_system`).
FEW_DECISIONS = 50
#: Classes of play whose losses scatter little enough for an interval, and the fewest
#: matches for one (`docs/studies/coverage-classes-tables.md`).
STEADY_CLASSES = frozenset({"opening", "middle game", "holding game", *CUBE_CLASSES})
FEWEST_FOR_CLASSES = 160


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """One class of play of a player, over all matches.

    `rate` is the loss per decision in normalised equity; its interval only for `STEADY_CLASSES` and
    players of `FEWEST_FOR_CLASSES` matches, else NaN.
    """

    name: str
    errors: ClassErrors
    rate: MatchEstimate


@dataclass(frozen=True)
class PlayerSummary:
    """A player over all matches; frozen."""

    name: str
    #: In order of date (those without one in order of the files, first), each with the player's
    #: side, 0 or 1.
    matches: tuple[tuple[AnalysedMatch, int], ...]
    won: int  #: `won`, `lost`: matches; the others have no winner.
    lost: int
    errors: Errors  #: All of them added up.
    #: Rating minus that of perfect play: the mean over the matches of what the formula says of
    #: each, as in van den Doel's appendix I, with the interval of
    #: `yardstone.backgammon.rating.loss_interval`, wider by the doubt about the formula where that
    #: is known.
    relative: MatchEstimate
    rating: MatchEstimate  #: The same with the site's offset added.
    #: Rating from errors and decisions added up over all matches first; matches with more decisions
    #: count more, and it is less noisy.
    pooled: MatchEstimate
    #: Rating points ahead of the opponents met, from the luck-adjusted results.
    luck_adjusted: MatchEstimate
    luck_adjusted_score: MatchEstimate  #: Mean of the luck-adjusted results, as a probability.
    luck_per_move: float  #: Luck per move in normalised equity.
    #: Rating of each match by itself; NaN without an unforced move, and for money.
    match_ratings: Floats
    #: Of the classes of play that occurred, in the order of `play_classes`.
    classes: tuple[ClassSummary, ...] = ()

    def trend(self, window: int = WINDOW, level: float = 0.9) -> list[MatchEstimate]:
        """Moving means of the match ratings: of each match and the `window` - 1 before it."""
        offset = self.rating.value - self.relative.value
        losses = offset - np.asarray(self.match_ratings, np.float64)
        return [
            loss_interval(losses[max(0, end - window) : end], level).moved(offset, -1.0)
            for end in range(1, len(losses) + 1)
        ]


def match_rating(errors: Errors, length: int, formula: Formula, offset: float) -> float:
    """Rating from one match; NaN for money and without an unforced move.

    Without a close cube decision nothing is taken off for the cube, as GNU Backgammon
    has it.
    """
    if not length or not errors.unforced:
        return nan
    epc = errors.epc if errors.close else 0.0
    return float(formula.rating(errors.epm, epc, length, offset))


def summarise(
    matches: Sequence[AnalysedMatch],
    *,
    formula: Formula = PUBLISHED,
    offset: float = SITE_OFFSET,
    level: float = 0.9,
) -> list[PlayerSummary]:
    """A summary of each player, the one with the most matches first, then by rating.

    Args:
        formula: From error rates to ratings.
        offset: Rating of perfect play on the site.
        level: Of all intervals, 0 to 1.
    """
    sides: dict[str, list[tuple[AnalysedMatch, int]]] = defaultdict(list)
    for match in sorted(matches, key=lambda match: str(match.date or "")):
        for side, name in enumerate(match.players):
            sides[name].append((match, side))
    players = [_player(name, played, formula, offset, level) for name, played in sides.items()]

    def place(player: PlayerSummary) -> tuple[bool, int, float, str]:
        rating = -player.rating.value if isfinite(player.rating.value) else np.inf
        few = player.errors.decisions < FEW_DECISIONS
        return few, -len(player.matches), rating, player.name

    return sorted(players, key=place)


def _player(
    name: str,
    played: list[tuple[AnalysedMatch, int]],
    formula: Formula,
    offset: float,
    level: float,
) -> PlayerSummary:
    errors = [match.errors[side] for match, side in played]
    total = Errors.total(errors)
    ratings = np.array(
        [match_rating(match.errors[side], match.length, formula, offset) for match, side in played]
    )
    loss = loss_interval(offset - ratings, level)
    loss = loss.widened(_formula_error(played, formula), level)
    adjusted = np.array([match.luck_adjusted_of(side) for match, side in played])
    length = np.array([max(match.length, 1) for match, _ in played], np.float64)
    winners = [match.winner == side for match, side in played if match.winner is not None]
    return PlayerSummary(
        name,
        tuple(played),
        sum(winners),
        len(winners) - sum(winners),
        total,
        loss.moved(0.0, -1.0),
        loss.moved(offset, -1.0),
        _pooled(played, formula, level).moved(offset, -1.0),
        luck_adjusted_difference(adjusted, length, level),
        mean_interval(adjusted, level),
        total.luck / total.moves if total.moves else nan,
        ratings,
        _classes(played, level),
    )


def _classes(played: list[tuple[AnalysedMatch, int]], level: float) -> tuple[ClassSummary, ...]:
    """The classes of play that occurred."""
    own = [match.classes[side] for match, side in played]
    summaries = []
    for name in (*CHEQUER_CLASSES, *CUBE_CLASSES):
        parts = [each.get(name, ClassErrors()) for each in own]
        total = sum(parts, ClassErrors())
        if not total.decisions:
            continue
        rate = MatchEstimate(total.loss / total.decisions, number=len(parts))
        if name in STEADY_CLASSES and len(parts) >= FEWEST_FOR_CLASSES:
            losses = np.array([each.loss for each in parts])
            numbers = np.array([each.decisions for each in parts], np.float64)
            rate = ratio_interval([(losses, numbers)], level)
        summaries.append(ClassSummary(name, total, rate))
    return tuple(summaries)


def _formula_error(played: list[tuple[AnalysedMatch, int]], formula: Formula) -> float | None:
    """Standard error of the mean loss a match for the doubt about the formula."""
    rows = [
        (errors.epm, errors.epc if errors.close else 0.0, match.length)
        for match, side in played
        for errors in [match.errors[side]]
        if match.length and errors.unforced
    ]
    return formula.mean_loss_error(*zip(*rows, strict=True)) if rows else None


def _pooled(
    played: list[tuple[AnalysedMatch, int]], formula: Formula, level: float
) -> MatchEstimate:
    """Points below perfect play, each match's errors weighted for its length."""
    rows = [(match.length, match.errors[side]) for match, side in played if match.length]
    if not rows:
        return MatchEstimate()
    length, chequer, unforced, cube, close = np.array(
        [(n, each.chequer, each.unforced, each.cube, each.close) for n, each in rows], np.float64
    ).T
    parts = [
        (formula.move(length) * chequer, unforced),
        (formula.cube(length) * cube, close),
    ]
    return ratio_interval(parts, level).widened(_formula_error(played, formula), level)


def worst_blunders(
    matches: Iterable[AnalysedMatch], number: int, players: Iterable[str] | None = None
) -> list[Blunder]:
    """The largest errors, the worst first, of some players or of all."""
    every = [blunder for match in matches for blunder in match.blunders]
    if players is not None:
        named = set(players)
        every = [blunder for blunder in every if blunder.player in named]
    return heapq.nlargest(number, every, key=operator.attrgetter("error"))
