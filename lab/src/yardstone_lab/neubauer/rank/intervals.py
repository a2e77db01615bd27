"""Intervals of a rank model, calibrated on players that models like it have not seen.

What the model says of such players, from one game of theirs and from several, from whole
games and from one phase of them, is compared with their rank groups; its intervals are
fitted to that. In training the players of each fold are judged by the model that was
trained on the other folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.analysis import PHASES as GAME_PHASES
from yardstone.strength.estimate.interval_fit import even_strengths, fit_intervals
from yardstone.strength.estimate.intervals import IntervalTable
from yardstone.strength.estimate.strengths import PARTS
from yardstone.strength.model import StrengthModel
from yardstone.strength.move_phases import PHASES
from yardstone_lab.neubauer.rank.protocol import draw_players

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.model_scale import ModelScale
    from yardstone_lab.neubauer.rank.pool import RankPool
    from yardstone_lab.neubauer.rank.training import TrainedRank

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = [
    "MODEL_PHASES",
    "UNLIKELY",
    "Unseen",
    "calibrated",
    "draw_unseen",
    "fit_tables",
    "unseen_players",
    "with_intervals",
]

#: Share of estimates of players like those of the training that are called unlikely.
UNLIKELY = 0.01
#: A number of games with fewer estimates is fitted together with the next one.
_FEWEST = 100
#: Games of one player that are put together.
_GAMES = (1, 2, 3, 4, 5)
#: The model's phases that make up those of an estimate, nearly: its third ends at move 140.
MODEL_PHASES = dict(zip(GAME_PHASES, ([0, 1], [2, 3], [4]), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Unseen:
    """Estimates of players whom their model has not seen.

    Attributes
    ----------
    density : float64 [n, m]
        `StrengthModel.density` of each.
    statistics : float64 [n, phases + 1 + k]
        What it rests upon.
    distance : float64 [n]
        `StrengthModel.distance` of each.
    strengths : float64 [n, e]
        Strengths that the player may have, all as likely.
    group, player, games, fold : int64 [n]
        The player's group and number, the games put together, the player's fold.
    """

    density: Array
    statistics: Array
    distance: Array
    strengths: Array
    group: Ints
    player: Ints
    games: Ints
    fold: Ints

    @property
    def moves(self) -> Ints:
        """The moves that each rests upon."""
        return np.asarray(self.statistics[:, :PHASES].sum(axis=1), np.int64)

    def __len__(self) -> int:
        """Number of estimates."""
        return len(self.group)

    def select(self, rows: NDArray[Any]) -> Unseen:
        """Some of the estimates."""
        return Unseen(**{each.name: getattr(self, each.name)[rows] for each in fields(self)})

    @classmethod
    def joined(cls, parts: Sequence[Unseen]) -> Unseen:
        """Those of several."""
        return cls(
            **{
                each.name: np.concatenate([getattr(part, each.name) for part in parts])
                for each in fields(cls)
            }
        )

    def table(self, edges: Array, near: Sequence[float] = ()) -> IntervalTable:
        """Intervals on a scale with such groups, fitted for each number of games by itself.

        `near` as in `yardstone.strength.estimate.interval_fit.fit_intervals`.
        """
        return fit_intervals(
            self.density,
            self.group,
            self.moves,
            edges=edges,
            strengths=self.strengths,
            players=self.player,
            classes=self.games,
            fewest=_FEWEST,
            near=near,
        )

    def farthest(self) -> float:
        """The distance from the nearest strength that all but a few of them keep."""
        return float(np.quantile(self.distance, 1.0 - UNLIKELY))


def draw_unseen(
    scale: ModelScale,
    statistics: Array,
    group: Ints,
    player: Ints,
    fold: Ints,
    *,
    strengths: Array | None = None,
    games: Sequence[int],
    draws: int,
    random: np.random.Generator,
) -> Unseen:
    """Put games of each player together, and say what a model makes of them.

    Parameters
    ----------
    scale : ModelScale
        Of a model that has not seen the players.
    statistics : float64 [s, phases + 1 + k]
        Of sides; those without a move are left out.
    group, player, fold : int64 [s]
        Of each side; players have numbers of their own in each group, and one fold.
    strengths : float64 [s], optional
        Of each side's player; by default they are spread evenly over the group.
    games : sequence of int
        Numbers of games; a player with fewer is left out.
    draws : int
        For each player and number of games.
    random : numpy.random.Generator
    """
    some = statistics[:, :PHASES].sum(axis=1) > 0
    whose = np.unique(np.column_stack([group, player, fold])[some], axis=0)
    keys = [(int(of_group), str(number)) for of_group, number, _ in whose]
    drawn = [
        draw_players(
            statistics[some],
            group[some],
            player[some].astype(np.str_),
            games=number,
            draws=draws,
            random=random,
            players=keys,
        )
        for number in games
    ]
    whole = np.concatenate([sums for sums, _, _ in drawn])
    person = np.concatenate([who for _, _, who in drawn])
    if strengths is None:
        known = even_strengths(whose[:, 0], scale.edges)
    else:
        of_player = {int(who): value for who, value in zip(player, strengths, strict=True)}
        known = np.array([[of_player[int(who)]] for who in whose[:, 1]]).reshape(-1, 1)
    return Unseen(
        density=scale.density(whole),
        statistics=whole,
        distance=scale.distance(whole),
        strengths=known[person],
        group=whose[person, 0],
        player=whose[person, 1],
        games=np.repeat(np.array(games, np.int64), [len(who) for _, _, who in drawn]),
        fold=whose[person, 2],
    )


def fit_tables(
    unseen: Mapping[str, Unseen], edges: Array, near: Sequence[float] = ()
) -> dict[str, IntervalTable]:
    """A table of intervals for each of `PARTS`; a phase that no game has is as the whole."""
    return {
        part: (unseen[part] if len(unseen[part]) else unseen["whole"]).table(edges, near)
        for part in PARTS
    }


def unseen_players(
    trained: TrainedRank, pool: RankPool, random: np.random.Generator
) -> dict[str, Unseen]:
    """What models of other folds say of the players of a pool, for each of `PARTS`.

    Parameters
    ----------
    trained : TrainedRank
    pool : RankPool
        What it was trained on.
    random : numpy.random.Generator
    """
    outside = trained.out_of_fold
    named = pool.player != ""
    _, player = np.unique(
        np.char.add(np.char.add(pool.group.astype(str), " "), pool.player), return_inverse=True
    )
    # Who has no name is a player of one game.
    player = np.where(named, player, len(player) + np.arange(len(player))).astype(np.int64)
    parts: dict[str, Unseen] = {}
    for part in PARTS:
        statistics = outside.statistics(MODEL_PHASES.get(part, list(range(PHASES))))
        drawn = []
        for number, model in enumerate(outside.models):
            rows = outside.fold == number
            drawn.append(
                draw_unseen(
                    model.scale(),
                    statistics[rows],
                    pool.group[rows],
                    player[rows],
                    outside.fold[rows],
                    games=_GAMES,
                    draws=1,
                    random=random,
                )
            )
        parts[part] = Unseen.joined(drawn)
    return parts


def with_intervals(trained: TrainedRank, pool: RankPool, seed: int) -> StrengthModel:
    """The trained model with calibrated intervals on its card, as ``intervals``.

    Parameters
    ----------
    trained : TrainedRank
    pool : RankPool
        What it was trained on.
    seed : int
        Of the games that are drawn.
    """
    unseen = unseen_players(trained, pool, np.random.default_rng(seed))
    return calibrated(trained.model, trained.model.scale().name, unseen)


def calibrated(
    model: StrengthModel,
    scale: str,
    unseen: Mapping[str, Unseen],
    near: Sequence[float] = (),
) -> StrengthModel:
    """The model with what is fitted to such estimates on one of its scales on its card.

    For each scale and each of `PARTS` ``intervals`` has a table (`fit_intervals`), and
    ``farthest`` says how far from the nearest strength all but a share `UNLIKELY` of the
    estimates lie.
    """
    tables = fit_tables(unseen, model.scale(scale).edges, near)
    fitted: dict[str, dict[str, Any]] = {
        "intervals": {part: table.as_dict() for part, table in tables.items()},
        "farthest": {part: round(each.farthest(), 2) for part, each in unseen.items() if len(each)},
    }
    card = dict(model.card)
    for name, value in fitted.items():
        card[name] = {**(card.get(name) or {}), scale: value}
    return StrengthModel(model.scorer, list(model.scales.values()), card)
