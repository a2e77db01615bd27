"""What the network says of the moves that people chose, who are kept apart from its training."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from lab.studies.rank.stages import note
from yardstone.files import replaced
from yardstone.strength.evidence import PHASES, evidence_of_store, phases_of
from yardstone.strength.site_scales import RANKS
from yardstone_lab.imitation.games import BANDS, make_batch
from yardstone_lab.imitation.training import judge_moves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.feature_store import FeatureStore
    from yardstone_lab.imitation.games import ImitationGames
    from yardstone_lab.imitation.network import ImitationNetwork

    Array = NDArray[np.float64]

#: A move that a network holds for less likely counts as if it were so likely: it keeps
#: probabilities no finer.
LEAST = 1e-7
#: The bands of the groups of Fox are these columns.
_FOX = slice(1, 1 + len(RANKS))


@dataclass(frozen=True, eq=False)
class Choices:
    """Sides of games, whose moves were looked at one by one.

    Attributes:
        key (str [s]): Of the record in its archive, and the colour; growing.
        band (int64 [s]): Of the player, in `BANDS`.
        moves: int64 [s].
        top (int64 [s]): Moves that the choices of the player's band like best.
        likelihood (float64 [s, bands]): Summed logarithms of the probability of the moves by each
            band's choices.
        scores (float64 [s, phases, 22]): What they say of each group of Fox, summed by phase:
            log-likelihoods less their mean, and the answers of the head that was trained to tell
            the strength.
    """

    key: NDArray[np.str_]
    band: NDArray[np.int64]
    moves: NDArray[np.int64]
    top: NDArray[np.int64]
    likelihood: Array
    scores: Array

    def select(self, rows: NDArray[np.generic]) -> Choices:
        """Some of the sides."""
        return Choices(*(getattr(self, each.name)[rows] for each in fields(self)))

    @property
    def own(self) -> Array:
        """Summed log-likelihoods by the choices of each player's band: [s]."""
        return np.asarray(self.likelihood[np.arange(len(self.band)), self.band])


def side_key(file: str, colour: int) -> str:
    """A side of a game of an archive, wherever that lies."""
    return f"{file.rpartition('.zip/')[2]} {colour}"


def read_choices(network: ImitationNetwork, games: ImitationGames, path: Path) -> Choices:
    """What the network says of all moves of some sides; kept in a file."""
    if not path.exists():
        torch.set_num_threads(2)
        rows = [_of_side(network, games, side) for side in _noted(len(games))]
        with replaced(path) as temporary, temporary.open("wb") as file:
            rows.sort(key=lambda row: str(row["key"]))
            columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
            np.savez(file, allow_pickle=False, **columns)
    with np.load(path, allow_pickle=False) as kept:
        return Choices(**{each.name: kept[each.name] for each in fields(Choices)})


def _noted(number: int) -> range:
    note(f"looking at the moves of {number:,} sides")
    return range(number)


def _of_side(network: ImitationNetwork, games: ImitationGames, side: int) -> dict[str, object]:
    places = games.places(side)
    batch = make_batch(games, np.array([side]), len(places))
    each = judge_moves(network, batch)
    fox = each.likelihood[:, _FOX].astype(np.float64)
    head = network.strength.weight[: len(RANKS)].detach().numpy()
    answers = each.signs.astype(np.float64) @ head.T
    scores = np.zeros((PHASES, 2 * len(RANKS)))
    columns = np.concatenate([fox - fox.mean(axis=1, keepdims=True), answers], axis=1)
    np.add.at(scores, phases_of((places + 1).astype(np.int16)), columns)
    return {
        "key": side_key(games.games[games.game[side]].file, int(games.colour[side])),
        "band": games.band[side],
        "moves": len(places),
        "top": int(each.top.sum()),
        "likelihood": each.likelihood.sum(axis=0, dtype=np.float64),
        "scores": scores,
    }


def policy_of_store(store: FeatureStore) -> dict[str, tuple[int, int, float]]:
    """Moves, first choices and summed log-likelihoods by a network's policy, by side."""
    result = {}
    for game, file in enumerate(store.games["file"]):
        for colour in (1, 2):
            evidence = evidence_of_store(store, [(game, colour)])
            stone = evidence.point >= 0
            chance = np.maximum(np.nan_to_num(evidence.policy[stone].astype(np.float64)), LEAST)
            best = evidence.policy[stone] >= evidence.best_policy[stone]
            result[side_key(file, colour)] = (
                int(stone.sum()),
                int(best.sum()),
                float(np.log(chance).sum()),
            )
    return result


def band_name(band: int) -> str:
    """What to call a band in a table."""
    scale, group = BANDS[band]
    return f"Fox {RANKS[group]}" if scale == "fox" else f"OGS {_OGS[group]}"


_OGS = ("26k and weaker", "21-25k", "16-20k", "11-15k", "6-10k", "1-5k", "1-2d", "3d and stronger")
