"""How strong a player is, from the moves of the player's games.

Neubauer 2024, section 7.1, with the rank model in place of the thesis' full model:
a rating, a calibrated interval, and where they come from: phases, games, moves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

from yardstone.arrays import equal_fields
from yardstone.display import Displayed
from yardstone.errors import NoGamesError, UsageError
from yardstone.kernels import Loops, weighed
from yardstone.pool import SkipReport
from yardstone.strength.default_model import default_model
from yardstone.strength.estimate.games import EvaluatedGame, evaluate_games, facts, model_network
from yardstone.strength.estimate.listed_moves import (
    CostlyMove,
    costliest_moves,
    player_losses,
)
from yardstone.strength.estimate.measured import (
    Measured,
    best_basis,
    contradictory,
    measured_on,
    supported_scales,
)
from yardstone.strength.estimate.notes import notes_of
from yardstone.strength.estimate.on_scales import part_on_scale, parts_on_scale, whole_on_scale
from yardstone.strength.estimate.players import AmbiguousPlayerError, find_player
from yardstone.strength.estimate.selection import no_games, requested_side
from yardstone.strength.estimate.site_scales import SiteScale, scales_from, site_scale
from yardstone.strength.estimate.strengths import Rated, RatedGame, by_date
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.model import StrengthModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yardstone.go.losses import LossEffort, Losses
    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame
    from yardstone.strength.estimate.calibrate import Calibration

__all__ = [
    "LEVEL",
    "Measured",
    "AmbiguousPlayerError",
    "StrengthEstimate",
    "Rated",
    "RatedGame",
    "best_basis",
    "estimate_player",
    "estimate_evaluated",
    "find_player",
    "model_and_network",
]

#: Level of an interval, unless told otherwise.
LEVEL = 0.9
#: Fewer moves of a player than this give no rank.
FEWEST_MOVES = 30
#: Skipped records that are listed one by one.
_PLACES = 100


@dataclass(frozen=True, eq=False, repr=False)
class StrengthEstimate(Displayed):
    """How strong a player is.

    Attributes
    ----------
    player : str
    scale : SiteScale
        On which `as_dict` shows it.
    level : float
        Of all intervals, 0 to 1.
    basis : str
        The scale of the model that tells this player's strength best.
    measured : mapping of str to Measured
        What is known on each scale of the model.
    losses : tuple of Losses
        What the player's moves cost in each of the games.
    costliest : tuple of CostlyMove
        The moves that cost most and more than noise explains, the worst first.
    network, model : str
        Which were asked.
    skipped : SkipReport
        Games that were left out.
    """

    _made_by: ClassVar[str] = "reports.strength:strength_document"

    player: str
    scale: SiteScale
    level: float
    basis: str
    measured: Mapping[str, Measured]
    losses: tuple[Losses, ...]
    costliest: tuple[CostlyMove, ...]
    network: str
    model: str
    skipped: SkipReport

    @property
    def here(self) -> Measured:
        """What is known on the scale of the model that `scale` is reached from."""
        return self.measured[self.scale.basis]

    @property
    def whole(self) -> Rated:
        """From all moves."""
        return self.here.whole

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Of the groups of ranks, the weakest first: float64 [g]."""
        return self.here.probabilities

    @property
    def phases(self) -> tuple[tuple[str, Rated], ...]:
        """What all moves would say if they looked as those of each phase do."""
        return self.here.phases

    @property
    def games(self) -> tuple[RatedGame, ...]:
        """The games in the order of their dates; those without a date come last."""
        return self.here.games

    @property
    def scales(self) -> dict[str, SiteScale]:
        """All scales that it can be shown on."""
        return scales_from(self.basis, self.measured)

    @property
    def contradictory(self) -> bool:
        """Whether the scales of the model contradict each other: then no rank is given."""
        return contradictory({name: each.whole for name, each in self.measured.items()}, self.basis)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader must know, in sentences, the gravest first."""
        return notes_of(self)

    def __eq__(self, other: object) -> bool:
        return equal_fields(self, other) if isinstance(other, StrengthEstimate) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return str(self)

    def shown(self, rated: Rated) -> dict[str, Any]:
        """Rank, rating and interval on the scale of this estimate."""
        return part_on_scale(rated, self.scale, self.level)

    def on_scale(self, scale: str | SiteScale | Calibration) -> StrengthEstimate:
        """The same estimate on another scale.

        Raises
        ------
        UsageError
            The model has not the scale that it is reached from.
        """
        return replace(self, scale=_shown_on(scale, self.basis, self.measured))

    def as_dict(self, scales: Sequence[SiteScale] | None = None) -> dict[str, Any]:
        """All of it as dictionaries, lists, finite numbers, strings and None.

        Parameters
        ----------
        scales : sequence of SiteScale, optional
            On which the strength from all moves is given beside the estimate's own; by
            default `scales`.
        """
        scale = self.scale
        parts = parts_on_scale(self)
        others = self.scales.values() if scales is None else scales
        return {
            "format": 3,
            "player": self.player,
            "scale": scale.name,
            **whole_on_scale(self, scale),
            "rank": parts["rank"],
            "contradictory": self.contradictory,
            "level": self.level,
            "games": len(self.games),
            "moves": self.whole.moves,
            "basis": self.basis,
            "scales": {
                each.name: {
                    **whole_on_scale(self, each),
                    "title": each.title,
                    "deviation": each.deviation,
                    "basis": each.basis,
                    "unlikely": self.measured[each.basis].whole.unlikely,
                }
                for each in {each.name: each for each in (*others, scale)}.values()
            },
            "probabilities": parts["probabilities"],
            "unlikely": parts["unlikely"],
            "phases": [
                {"phase": name, **part, "moves": rated.moves}
                for (name, rated), part in zip(self.phases, parts["phases"], strict=True)
            ],
            "by_game": [
                self._game(game, lost) for game, lost in zip(self.games, self.losses, strict=True)
            ],
            "costliest_moves": [
                move.as_dict(self.games[move.game].evaluated) for move in self.costliest
            ],
            "indicative_moves": parts["indicative_moves"],
            "notes": parts["notes"],
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
        evaluated, points = game.evaluated, [float(losses.points[k - 1]) for k in game.numbers]
        return {
            **facts(evaluated.game, game.colour),
            "moves": game.alone.moves,
            **self.shown(game.alone),
            "running": self.shown(game.running),
            "winrate": evaluated.winrate(game.colour),
            "lead": evaluated.lead(game.colour),
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
    model: StrengthModel | None = None,
    scale: str | SiteScale | Calibration | None = None,
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
        The network that the model was trained on; by default it is looked for, and the one
        that comes with Yardstone is taken if it is not there.
    model : StrengthModel, optional
        By default the one of those that come with Yardstone that goes with the network.
    scale : {"fox", "ogs", "ogs-2020", "egf"}, SiteScale or Calibration, optional
        Where to show the strength; by default Fox, and OGS where the player is weaker than
        anybody whom the model knows at Fox, or plays otherwise.
    level : float
        What share of players the intervals hold, 0 to 1.
    handicap : bool
        Take games with handicap stones as well, which the model has never seen.
    effort : LossEffort, optional
        How far losses of moves are searched; by default half as many positions are looked
        at for them as each game has. The strength does not depend on it.
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
        No game of the player can be used, or those have fewer than `FEWEST_MOVES` of their moves.
    InputError
        The network is not there, or it is not the one of the model.
    UsageError
        The level or the scale cannot be.
    """
    if scale is not None:
        site_scale(scale)  # one that cannot be is refused at once
    report = SkipReport() if skipped is None else skipped
    different, side = requested_side(games, player, colour, level=level, report=report)
    usable = side.usable(different, report, handicap=handicap)
    if not usable:
        raise no_games(side.player, report)
    chosen, network = model_and_network(model, net, level)
    evaluated = [
        (game, side.colour_in(game.game))
        for game in evaluate_games(usable, network, skipped=report, progress=progress)
    ]
    if not evaluated:
        raise no_games(side.player, report)
    losses = player_losses(evaluated, network, effort)
    return estimate_evaluated(
        evaluated,
        losses,
        chosen,
        side.player,
        network=network.name,
        scale=scale,
        level=level,
        skipped=report,
    )


def model_and_network(
    model: StrengthModel | None, net: str | os.PathLike[str] | Network | None, level: float
) -> tuple[StrengthModel, Network]:
    """The model, or the one that goes with the network, and its network.

    Raises
    ------
    UsageError
        The model does not support the level.
    InputError
        The network is not there, or it is not the one of the model.
    """
    ranks = default_model(net=net) if model is None else model
    supported_scales(ranks, level)  # a level that the model does not support is refused at once
    return ranks, model_network(ranks, net)


def estimate_evaluated(
    evaluated: Sequence[tuple[EvaluatedGame, int]],
    losses: Sequence[Losses],
    model: StrengthModel,
    player: str,
    *,
    network: str,
    scale: str | SiteScale | Calibration | None,
    level: float,
    skipped: SkipReport,
) -> StrengthEstimate:
    """The estimate from games that the network has looked at, each with the player's colour.

    `losses` are those of the player's moves (`player_losses`).
    """
    order = by_date([game.game for game, _ in evaluated])
    sorted_games, lost = [evaluated[place] for place in order], [losses[place] for place in order]
    evidence = evidence_of_games(
        [game.features for game, _ in sorted_games], [colour for _, colour in sorted_games]
    )
    if len(evidence) < FEWEST_MOVES:
        raise NoGamesError(
            f"too few moves of {player} for a rank: {len(evidence)}",
            hint=f"send {FEWEST_MOVES} of them or more, better those of five games",
        )
    measured = {
        name: measured_on(model, name, level, evidence, sorted_games, lost)
        for name in supported_scales(model, level)
    }
    basis = best_basis(model, {name: each.whole for name, each in measured.items()})
    return StrengthEstimate(
        player=player,
        scale=_shown_on(basis if scale is None else scale, basis, measured),
        level=level,
        basis=basis,
        measured=measured,
        losses=tuple(lost),
        costliest=costliest_moves(evidence, lost),
        network=network,
        model=str(model.card["name"]),
        skipped=skipped,
    )


def _shown_on(
    scale: str | SiteScale | Calibration, basis: str, measured: Mapping[str, Measured]
) -> SiteScale:
    """The scale of this name, or the one that a calibration makes, if the model has its basis."""
    known = scales_from(basis, measured)
    chosen = known[scale] if isinstance(scale, str) and scale in known else site_scale(scale)
    if chosen.basis not in measured:
        raise UsageError(
            f"the scale {chosen.title} is reached from {chosen.basis}: the model has not that, or "
            "too few players of it for intervals of this level"
        )
    return chosen
