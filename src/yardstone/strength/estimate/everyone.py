"""The strength of one player, and of all others in the same games, from one look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.errors import NoGamesError
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.estimate.estimate import (
    LEVEL,
    StrengthEstimate,
    estimate_evaluated,
    model_and_network,
)
from yardstone.strength.estimate.games import EvaluatedGame, evaluate_games, unsuitable
from yardstone.strength.estimate.listed_moves import player_losses
from yardstone.strength.estimate.players import colour_of, plain_name, player_names
from yardstone.strength.estimate.selection import Side, no_games, requested_side
from yardstone.strength.estimate.site_scales import SiteScale, site_scale

if TYPE_CHECKING:
    import os

    from yardstone.go.losses import Losses
    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame
    from yardstone.strength.estimate.calibrate import Calibration
    from yardstone.strength.model import StrengthModel

__all__ = ["OTHERS", "SideEstimate", "estimate_everyone"]

#: Players who are measured beside the one that was asked for.
OTHERS = 100
_COLOURS = {BLACK: "Black", WHITE: "White"}
#: A game's losses are of the moves of one colour: the game's place, and the colour.
_Half = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class SideEstimate:
    """The strength of a player in all games, or in those of one colour."""

    side: Side
    estimate: StrengthEstimate


def estimate_everyone(
    games: Sequence[GoGame],
    player: str | None = None,
    *,
    colour: int | None = None,
    net: str | os.PathLike[str] | Network | None = None,
    model: StrengthModel | None = None,
    scale: str | SiteScale | Calibration | None = None,
    level: float = LEVEL,
    others: int = OTHERS,
    skipped: SkipReport | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[SideEstimate]:
    """Estimate a player as `estimate_player` does, and the others in the same games.

    The network looks at each game once. Handicap games are left out.

    Parameters
    ----------
    games, player, colour, net, model, scale, level, skipped, progress
        As of `estimate_player`; the report takes the games that are left out for the player
        asked for.
    others : int
        How many other players are measured at most, those with the most games first; with 0
        there is one estimate, that of `estimate_player`.

    Returns
    -------
    list of SideEstimate
        First the player asked for. Whoever has had both colours has three entries: all
        games, those as Black, and those as White. Where a colour was asked for, the other
        colour follows.

    Raises
    ------
    AmbiguousPlayerError, NoGamesError, InputError, UsageError
        As of `estimate_player`.
    """
    if scale is not None:
        site_scale(scale)  # one that cannot be is refused at once
    report = SkipReport() if skipped is None else skipped
    different, chosen = requested_side(games, player, colour, level=level, report=report)
    before = SkipReport()
    before.merge(report)
    if not chosen.usable(different, report):
        raise no_games(chosen.player, report)
    ranks, network = model_and_network(model, net, level)
    suitable = [game for game in different if unsuitable(game) is None]
    sides = [chosen, *_further_sides(suitable, chosen, others)]
    played = [game for game in suitable if any(side.colour_in(game) for side in sides)]
    unplayable = SkipReport()
    evaluated = list(evaluate_games(played, network, skipped=unplayable, progress=progress))
    halves = [_halves(evaluated, side) for side in sides]
    losses = _losses(evaluated, halves, network)
    estimates = []
    for number, (side, own) in enumerate(zip(sides, halves, strict=True)):
        left_out = report if number == 0 else _left_out(before, different, side)
        _note_unplayable(left_out, unplayable, side.usable(played, SkipReport()), evaluated)
        if not own:
            if number == 0:
                raise no_games(side.player, report)
            continue
        try:
            estimate = estimate_evaluated(
                [(evaluated[place], mine) for place, mine in own],
                [losses[half] for half in own],
                ranks,
                side.player,
                network=network.name,
                scale=scale,
                level=level,
                skipped=left_out,
            )
        except NoGamesError:
            if number == 0:
                raise
            continue  # the others have no rank either from so few moves
        estimates.append(SideEstimate(side, estimate))
    return estimates


def _further_sides(games: Sequence[GoGame], chosen: Side, others: int) -> Iterator[Side]:
    """The colours of the player who was asked for, then the others with theirs."""
    if not others:
        return
    if chosen.anybody:
        other = BLACK + WHITE - (chosen.colour or BLACK)
        named = {game.black if other == BLACK else game.white for game in games}
        yield Side((named.pop() if len(named) == 1 else "") or _COLOURS[other], other, True)
        return
    yield from _colours_of(games, chosen.player)
    names = [name for name in player_names(games) if plain_name(name) != plain_name(chosen.player)]
    for name in names[:others]:
        if any(colour_of(game, name) for game in games):
            yield Side(name)
            yield from _colours_of(games, name)


def _colours_of(games: Sequence[GoGame], player: str) -> list[Side]:
    """A player's games by colour; none if there was one colour only."""
    had = {colour_of(game, player) for game in games} - {0}
    return [Side(player, colour) for colour in sorted(had)] if len(had) > 1 else []


def _halves(evaluated: Sequence[EvaluatedGame], side: Side) -> list[_Half]:
    """The places of a side's games, each with its colour."""
    colours = [side.colour_in(look.game) for look in evaluated]
    return [(place, colour) for place, colour in enumerate(colours) if colour]


def _losses(
    evaluated: Sequence[EvaluatedGame], halves: Sequence[Sequence[_Half]], network: Network
) -> dict[_Half, Losses]:
    """Losses of all halves: first those of the player asked for, as if alone."""
    own = list(halves[0])
    rest = sorted({half for each in halves for half in each} - set(own))
    losses: dict[_Half, Losses] = {}
    for group in (own, rest):
        lost = player_losses([(evaluated[place], colour) for place, colour in group], network)
        losses.update(zip(group, lost, strict=True))
    return losses


def _left_out(before: SkipReport, games: Sequence[GoGame], side: Side) -> SkipReport:
    """What was left out before, and the games that are of no use for a side."""
    report = SkipReport()
    report.merge(before)
    side.usable(games, report)
    return report


def _note_unplayable(
    report: SkipReport,
    unplayable: SkipReport,
    games: Sequence[GoGame],
    evaluated: Sequence[EvaluatedGame],
) -> None:
    """Report those of a side's games that the network could not be shown."""
    shown = {(look.game.file, look.game.number) for look in evaluated}
    reasons = {(each.file, each.line): each.reason for each in unplayable.details}
    for game in games:
        if (game.file, game.number) not in shown:
            reason = reasons.get((game.file, game.line), "it cannot be replayed")
            report.add(Skipped(game.file, game.line, reason))
    report.repaired.update(unplayable.repaired)
