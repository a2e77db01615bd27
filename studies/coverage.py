"""How often 95 % intervals hold the truth: ``python studies/coverage.py``.

Pools are drawn from known ratings, rated, and compared with the truth. The table is
written to ``docs/studies/coverage.md``.
"""

from __future__ import annotations

import argparse
import platform
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone import parallel
from yardstone.pool import PairCounts
from yardstone.ratings import BradleyTerry, Status
from yardstone.winprob.davidson import win_draw_loss
from yardstone.winprob.logistic import expected_score

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

TABLE = Path(__file__).resolve().parent.parent / "docs" / "studies" / "coverage.md"
NORMAL_95 = 1.959964
FIRST_ADVANTAGE = 30.0
Method = Literal["score", "likelihood"]


@dataclass(frozen=True)
class Setting:
    """A kind of pool.

    Attributes
    ----------
    players : int
        How many, their ratings normal.
    deviation : float
        Of the true ratings.
    games : int
        Of each pair of players, an even number: half of them with either side.
    draw_rate : float
        Of equal players.
    """

    players: int
    deviation: float
    games: int
    draw_rate: float


SETTINGS = (
    Setting(8, 50.0, 4, 0.5),
    Setting(8, 50.0, 20, 0.5),
    Setting(8, 150.0, 20, 0.5),
    Setting(20, 100.0, 2, 0.3),
    Setting(20, 100.0, 10, 0.7),
    Setting(50, 150.0, 4, 0.5),
)


@dataclass(frozen=True)
class Replay:
    """One pool of a setting, drawn and rated; which of its intervals hold the truth."""

    setting: Setting
    method: Method

    def __call__(self, generator: np.random.Generator) -> list[tuple[int, int]]:
        """Held and all: ratings, differences, first advantage, draw rate."""
        setting = self.setting
        truth = generator.normal(0.0, setting.deviation, setting.players)
        truth -= truth.mean()
        pairs = np.array(list(permutations(range(setting.players), 2)), np.int32)
        first, second = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
        system = BradleyTerry(
            average=0.0, first_advantage="free", draw_rate="free", method=self.method
        )
        expected = expected_score(
            truth[first] + FIRST_ADVANTAGE - truth[second],
            points_per_logit=system.points_per_logit,
        )
        chances = np.column_stack(win_draw_loss(expected, setting.draw_rate))
        results = generator.multinomial(setting.games // 2, chances).astype(np.float64)
        wins, draws, losses = (np.ascontiguousarray(column) for column in results.T)
        counts = PairCounts(setting.players, first, second, wins, draws, losses)
        ratings = system.fit_counts([str(number) for number in range(setting.players)], counts)
        if ratings.components > 1 or (ratings.status != Status.NORMAL).any():
            return []
        upper = np.triu_indices(setting.players, 1)
        difference = ratings.rating[:, None] - ratings.rating[None, :]
        true_difference = truth[:, None] - truth[None, :]
        advantage, draw_rate = ratings.first_advantage, ratings.draw_rate
        return [
            held(ratings.rating - truth, ratings.deviation),
            held((difference - true_difference)[upper], ratings.deviation_of_difference()[upper]),
            held(advantage.value - FIRST_ADVANTAGE, advantage.deviation),
            held(draw_rate.value - setting.draw_rate, draw_rate.deviation),
        ]


def held(error: ArrayLike, deviation: ArrayLike) -> tuple[int, int]:
    """How many intervals hold the truth, and of how many."""
    inside = np.abs(np.asarray(error)) <= NORMAL_95 * np.asarray(deviation)
    return int(inside.sum()), inside.size


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pools", type=int, default=1000, help="of each kind (default 1000)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    lines = [
        "| players | spread of ratings | games of a pair | draw rate | solved by "
        "| ratings | differences | first advantage | draw rate |",
        "|--:|--:|--:|--:|---|--:|--:|--:|--:|",
    ]
    methods: tuple[Method, ...] = ("score", "likelihood")
    for setting in SETTINGS:
        for method in methods:
            replays = parallel.map(
                Replay(setting, method),
                parallel.spawn_generators(arguments.seed, arguments.pools),
                chunk=100,
            )
            sums = np.array([replay for replay in replays if replay]).sum(axis=0)
            cells = [f"{100.0 * inside / number:.1f} %" for inside, number in sums]
            lines.append(
                f"| {setting.players} | {setting.deviation:g} | {setting.games} "
                f"| {100 * setting.draw_rate:g} % | {method} | {' | '.join(cells)} |"
            )
            print(lines[-1], flush=True)
    made = (
        f"`python studies/coverage.py --pools {arguments.pools} --seed {arguments.seed}`, "
        f"{date.today():%Y-%m-%d}; Yardstone {version('yardstone')}, numpy {np.__version__}, "
        f"Python {platform.python_version()}. Each line: {arguments.pools} pools, without those in "
        "which somebody had a perfect score."
    )
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + f"\n\n{made}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
