"""How strong a player is, from the moves of the player's games.

Neubauer 2024, section 7.1, with the rank model in place of the thesis' full model:
a rating, a calibrated interval, and where they come from: phases, games, moves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.points import BLACK, WHITE
from yardstone.kernels import Loops, weighed
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.estimate.games import SeenGame, facts, model_network, see_games, unsuitable
from yardstone.strength.estimate.groups import group_probabilities
from yardstone.strength.estimate.listed_moves import (
    CostlyMove,
    IndicativeMove,
    costliest_moves,
    indicative_moves,
    player_losses,
)
from yardstone.strength.estimate.notes import notes_of
from yardstone.strength.estimate.players import (
    AmbiguousPlayerError,
    colour_of,
    find_player,
    player_names,
    unique_games,
)
from yardstone.strength.estimate.site_scales import SITE_SCALES, Ends, SiteScale, site_scale
from yardstone.strength.estimate.strengths import Rated, RatedGame, Rater, by_date
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.rank.model import RankModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yardstone.go.losses import LossEffort, Losses
    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame
    from yardstone.strength.estimate.calibrate import Calibration

__all__ = [
    "LEVEL",
    "AmbiguousPlayerError",
    "StrengthEstimate",
    "Rated",
    "RatedGame",
    "estimate_player",
    "estimate_seen",
    "find_player",
]

#: Level of an interval, unless told otherwise.
LEVEL = 0.9
#: Skipped records that are listed one by one.
_PLACES = 100
#: Names that are listed where a player is not found.
_NAMED = 8


@dataclass(frozen=True, slots=True, eq=False)
class StrengthEstimate:
    """How strong a player is.

    Attributes
    ----------
    player : str
    scale : SiteScale
        On which `as_dict` shows it.
    level : float
        Of all intervals, 0 to 1.
    whole : Rated
        From all moves.
    probabilities : float64 [11]
        Of the rank groups (`yardstone.strength.RANKS`), the weakest first.
    phases : tuple of (str, Rated)
        What all moves would say if they looked as those of each phase do.
    games : tuple of RatedGame
        In the order of their dates; those without a date come last.
    losses : tuple of Losses
        What the player's moves cost in each of the games.
    costliest : tuple of CostlyMove
        The moves that cost most and more than noise explains, the worst first.
    indicative : tuple of IndicativeMove
        The moves that say most of strength and more than noise, the loudest first.
    notes : tuple of str
        What the reader must know, in sentences.
    network, model : str
        Which were asked.
    skipped : SkipReport
        Games that were left out.
    """

    player: str
    scale: SiteScale
    level: float
    whole: Rated
    probabilities: NDArray[np.float64]
    phases: tuple[tuple[str, Rated], ...]
    games: tuple[RatedGame, ...]
    losses: tuple[Losses, ...]
    costliest: tuple[CostlyMove, ...]
    indicative: tuple[IndicativeMove, ...]
    notes: tuple[str, ...]
    network: str
    model: str
    skipped: SkipReport

    def shown(self, rated: Rated) -> dict[str, Any]:
        """Rank, rating and interval on the scale of this estimate."""
        low, high = self._ends(rated)
        return {
            "rank": self.scale.rank(rated.rating),
            "rating": self.scale.value(rated.rating),
            "low": None if low is None else self.scale.value(low),
            "high": None if high is None else self.scale.value(high),
        }

    def _ends(self, rated: Rated) -> Ends:
        return self.scale.widened(rated.rating, rated.low, rated.high, self.level)

    def as_dict(self) -> dict[str, Any]:
        """All of it as dictionaries, lists, finite numbers, strings and None."""
        low_rank, high_rank = self.scale.end_ranks(*self._ends(self.whole))
        fox = SITE_SCALES["fox"]
        return {
            "format": 2,
            "player": self.player,
            "scale": self.scale.name,
            **self.shown(self.whole),
            "low_rank": low_rank,
            "high_rank": high_rank,
            "level": self.level,
            "games": len(self.games),
            "moves": self.whole.moves,
            "fox": {
                name: None if value is None else fox.value(value)
                for name, value in (
                    ("rating", self.whole.rating),
                    ("low", self.whole.low),
                    ("high", self.whole.high),
                )
            },
            "probabilities": group_probabilities(self.scale, self.probabilities),
            "unlikely": self.whole.unlikely,
            "phases": [
                {"phase": name, **self.shown(rated), "moves": rated.moves}
                for name, rated in self.phases
            ],
            "by_game": [
                self._game(game, lost) for game, lost in zip(self.games, self.losses, strict=True)
            ],
            "costliest_moves": [
                move.as_dict(self.games[move.game].seen) for move in self.costliest
            ],
            "indicative_moves": [
                move.as_dict(self.games[move.game].seen) for move in self.indicative
            ],
            "notes": list(self.notes),
            "network": self.network,
            "model": self.model,
            "skipped": {
                "total": len(self.skipped),
                "reasons": dict(self.skipped.reasons.most_common()),
                "first": [
                    {"file": each.file, "line": each.line or None, "reason": each.reason}
                    for each in self.skipped.details[:_PLACES]
                ],
            },
        }

    def _game(self, game: RatedGame, losses: Losses) -> dict[str, Any]:
        seen, points = game.seen, [float(losses.points[k - 1]) for k in game.numbers]
        return {
            **facts(seen.game, game.colour),
            "moves": game.alone.moves,
            **self.shown(game.alone),
            "running": self.shown(game.running),
            "winrate": seen.winrate(game.colour),
            "lead": seen.lead(game.colour),
            "numbers": game.numbers,
            "loss": [None if isnan(lost) else round(lost, 2) + 0.0 for lost in points],
        }


@weighed(Loops.BOARD, lambda games, *_, **__: 2 * sum(len(game.moves) for game in games))
def estimate_player(
    games: Sequence[GoGame],
    player: str | None = None,
    *,
    colour: int | None = None,
    net: str | os.PathLike[str] | Network | None = None,
    model: RankModel | None = None,
    scale: str | SiteScale | Calibration = "fox",
    level: float = LEVEL,
    handicap: bool = False,
    effort: LossEffort | None = None,
    skipped: SkipReport | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> StrengthEstimate:
    """Estimate how strong a player is from the moves of some games.

    Parameters
    ----------
    games : sequence of GoGame
        From `yardstone.records.sgf.read_games`. A game that occurs twice counts once.
    player : str, optional
        Whose strength; capitals and outer blanks do not matter. By default the one
        player who occurs in all the games.
    colour : int, optional
        Take this colour's moves (1 Black, 2 White) of all games, whoever played it.
    net : path, str or Network, optional
        The network that the model was trained on; by default it is looked for.
    model : RankModel, optional
        By default the one that comes with Yardstone.
    scale : {"fox", "ogs", "egf"}, SiteScale or Calibration
        Where to show the strength.
    level : float
        What share of players the intervals hold, 0 to 1.
    handicap : bool
        Take games with handicap stones as well, which the model has never seen.
    effort : LossEffort, optional
        How far losses of moves are searched; by default about as much is spent on them as
        on looking at all the positions. The strength does not depend on it.
    skipped : SkipReport, optional
        Takes the games that are left out; what it holds already is reported as well.
    progress : callable, optional
        Called with the number of positions that are done, and of all.

    Returns
    -------
    StrengthEstimate

    Raises
    ------
    AmbiguousPlayerError
        The games do not tell whose strength is asked for.
    NoGamesError
        No game of the player can be used.
    InputError
        The network is not there, or it is not the one of the model.
    UsageError
        The level or the scale cannot be.
    """
    site = site_scale(scale)
    _check(level, player, colour)
    report = SkipReport() if skipped is None else skipped
    different, again = unique_games(games)
    for game in again:
        report.add(Skipped(game.file, game.line, "the same game again"))
    if not different:
        raise _nothing(player, report)
    name = _name(different, player, colour)
    usable = _usable(different, name, colour, report, handicap=handicap)
    if not usable:
        raise _nothing(name, report)
    chosen = RankModel.load() if model is None else model
    Rater(chosen, level)  # a level that the model does not support is refused at once
    network = model_network(chosen, net)
    seen = [
        (game, colour or colour_of(game.game, name))
        for game in see_games(usable, network, skipped=report, progress=progress)
    ]
    if not seen:
        raise _nothing(name, report)
    losses = player_losses(seen, network, effort)
    return estimate_seen(
        seen, losses, chosen, name, network=network.name, scale=site, level=level, skipped=report
    )


def estimate_seen(
    seen: Sequence[tuple[SeenGame, int]],
    losses: Sequence[Losses],
    model: RankModel,
    player: str,
    *,
    network: str,
    scale: SiteScale,
    level: float,
    skipped: SkipReport,
) -> StrengthEstimate:
    """The estimate from games that the network has looked at, each with the player's colour.

    `losses` are those of the player's moves (`player_losses`).
    """
    order = by_date([game.game for game, _ in seen])
    sorted_games, lost = [seen[place] for place in order], [losses[place] for place in order]
    evidence = evidence_of_games(
        [game.features for game, _ in sorted_games], [colour for _, colour in sorted_games]
    )
    rater = Rater(model, level)
    whole, probabilities = rater.whole(evidence)
    estimate = StrengthEstimate(
        player=player,
        scale=scale,
        level=level,
        whole=whole,
        probabilities=probabilities,
        phases=rater.phases(evidence),
        games=rater.games(evidence, sorted_games),
        losses=tuple(lost),
        costliest=costliest_moves(evidence, lost),
        indicative=indicative_moves(evidence, model, sorted_games, lost),
        notes=(),
        network=network,
        model=str(model.card["name"]),
        skipped=skipped,
    )
    return replace(estimate, notes=notes_of(estimate, model))


def _check(level: float, player: str | None, colour: int | None) -> None:
    if not 0.0 < level < 1.0:
        raise UsageError(f"a level of {level:g} is not between 0 and 1")
    if colour is not None and player is not None:
        raise UsageError("name a player or a colour, not both")
    if colour not in (None, BLACK, WHITE):
        raise UsageError(f"{colour} is no colour: 1 is Black, 2 is White")


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
            return " ".join((game.black if colour == BLACK else game.white).split())
    names = player_names(games)
    known = ", ".join(list(names)[:_NAMED]) + (" and others" if len(names) > _NAMED else "")
    raise InputError(
        f"no game is by {player!r}", hint=f"there are {known}" if names else "nobody is named"
    )


def _usable(
    games: Sequence[GoGame],
    name: str,
    colour: int | None,
    report: SkipReport,
    *,
    handicap: bool,
) -> list[GoGame]:
    """The games that the model can say something about; the others are reported."""
    usable = []
    for game in games:
        if colour is None and not colour_of(game, name):
            reason: str | None = f"not a game of {name}"
        else:
            reason = unsuitable(game, handicap=handicap)
        if reason is None:
            usable.append(game)
        else:
            report.add(Skipped(game.file, game.line, reason))
    return usable


def _nothing(player: str | None, report: SkipReport) -> NoGamesError:
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
