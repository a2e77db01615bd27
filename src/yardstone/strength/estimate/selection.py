"""Whose strength is asked for, and which of the games can be used for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.estimate.games import unsuitable
from yardstone.strength.estimate.players import (
    colour_of,
    find_player,
    names_of,
    player_names,
    unique_games,
)

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = ["Side", "no_games", "requested_side"]

#: Names that are listed where a player is not found.
_NAMED = 8


def requested_side(
    games: Sequence[GoGame],
    player: str | None,
    colour: int | None,
    *,
    level: float,
    report: SkipReport,
) -> tuple[list[GoGame], Side]:
    """The games, each once, and whose moves of them are asked for.

    The report takes the games that occur again.

    Raises
    ------
    UsageError
        The request cannot be.
    NoGamesError
        There are no games.
    AmbiguousPlayerError, InputError
        The games do not tell who is meant, or nobody is.
    """
    _check_request(level, player, colour)
    different = _different_games(games, report)
    if not different:
        raise no_games(player, report)
    return different, Side(_name(different, player, colour), colour, anybody=colour is not None)


def _check_request(level: float, player: str | None, colour: int | None) -> None:
    """Refuse what cannot be asked for (UsageError)."""
    if not 0.0 < level < 1.0:
        raise UsageError(f"a level of {level:g} is not between 0 and 1")
    if colour is not None and player is not None:
        raise UsageError("name a player or a colour, not both")
    if colour not in (None, BLACK, WHITE):
        raise UsageError(f"{colour} is not a colour: 1 is Black, 2 is White")


def _different_games(games: Sequence[GoGame], report: SkipReport) -> list[GoGame]:
    """The games, each once; the report takes those that occur again."""
    different, again = unique_games(games)
    for game in again:
        report.add(Skipped(game.file, game.line, "the same game again"))
    return different


def _name(games: Sequence[GoGame], player: str | None, colour: int | None) -> str:
    """Whose strength it is: the player given, the one of a colour, or the one in all games."""
    if colour is not None:
        named = {game.black if colour == BLACK else game.white for game in games}
        only = named.pop() if len(named) == 1 else ""
        return only or ("Black" if colour == BLACK else "White")
    if player is None:
        return find_player(games)
    for game in games:
        if colour := colour_of(game, player):
            return " ".join(names_of(game)[colour - 1].split())
    names = player_names(games)
    known = ", ".join(list(names)[:_NAMED]) + (" and others" if len(names) > _NAMED else "")
    raise InputError(
        f"no game is by {player!r}", hint=f"there are {known}" if names else "nobody is named"
    )


@dataclass(frozen=True, slots=True)
class Side:
    """Whose moves are measured.

    Attributes
    ----------
    player : str
        What the estimate calls the player.
    colour : int or None
        1 Black, 2 White: only games in which the player had it; None for all.
    anybody : bool
        Take that colour whoever had it.
    """

    player: str
    colour: int | None = None
    anybody: bool = False

    def colour_in(self, game: GoGame) -> int:
        """The colour that is measured in a game; 0 if the game is not asked for."""
        if self.anybody:
            return self.colour or 0
        own = colour_of(game, self.player)
        return own if self.colour in (None, own) else 0

    def usable(
        self, games: Sequence[GoGame], report: SkipReport, *, handicap: bool = False
    ) -> list[GoGame]:
        """The games that the model can say something about; the others are reported."""
        usable = []
        for game in games:
            if self.colour_in(game):
                reason = unsuitable(game, handicap=handicap)
            elif colour_of(game, self.player):
                reason = f"{self.player} has the other colour"
            else:
                reason = f"not a game of {self.player}"
            if reason is None:
                usable.append(game)
            else:
                report.add(Skipped(game.file, game.line, reason))
        return usable


def no_games(player: str | None, report: SkipReport) -> NoGamesError:
    """No game is left: say why the first of them is not."""
    if not report.details:
        return NoGamesError("there are no games")
    first = report.details[0]
    reasons = ", ".join(f"{number} × {reason}" for reason, number in report.reasons.most_common(3))
    hint = "--handicap takes handicap games" if "handicap" in reasons else None
    whose = "" if player is None else f" of {player}"
    return NoGamesError(
        f"no game{whose} can be used: {reasons}",
        file=first.file or None,
        line=first.line or None,
        hint=hint,
    )
