"""Tables of matches whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from yardstone.winprob import fibs
from yardstone_lab.vandendoel.play import MatchSetting
from yardstone_lab.vandendoel.tables import StudyTable

#: Rating difference of a setting from its length, and the second player's EPM, EPC and EPD.
Truth = Callable[[int, float, float, float], float]


def made_table(
    settings: Sequence[MatchSetting],
    truth: Truth,
    matches: int,
    *,
    noise: float = 0.15,
    seed: int = 1,
    exact: bool = False,
) -> StudyTable:
    """Matches whose chance follows `truth`, seen through luck of deviation `noise`.

    A player loses 0.6 of the noise of moves for each move, half the noise of the cube for each of
    five decisions that are close by the rule of 2006, eight by that of 2003. With `exact` that is
    so in each match, and luck is as often good as bad.
    """
    generator = np.random.default_rng(seed)
    number = len(settings) * matches
    lost, cube, chance = np.zeros((number, 2)), np.zeros((number, 2)), np.zeros(number)
    decisions = np.repeat([5 * (each.length > 1) for each in settings], matches)
    for k, each in enumerate(settings):
        mine = slice(k * matches, (k + 1) * matches)
        close = int(decisions[mine][0])
        losses = []
        for side, player in enumerate((each.first, each.second)):
            move, cubes = 0.6 * player.chequer_noise, 0.5 * player.cube_noise * (close > 0)
            spread = 1.0 + (0.0 if exact else 0.1) * generator.standard_normal((2, matches))
            lost[mine, side] = 80 * move * spread[0]
            cube[mine, side] = close * cubes * spread[1]
            epd = (80 * move + close * cubes) / (80 + close)
            losses.append(truth(each.length, move, cubes, epd))
        chance[mine] = fibs.probability(losses[1] - losses[0], 0.0, each.length)
    luck = (-1.0) ** np.arange(number) if exact else generator.standard_normal(number)
    return StudyTable(
        tuple(settings), setting=np.repeat(np.arange(len(settings)), matches),
        seed=np.full(number, seed), number=np.tile(np.arange(matches), len(settings)),
        luck_adjusted=chance + noise * luck, won=generator.random(number) < chance,
        unforced=np.full((number, 2), 80), close_2003=np.stack([8 * (decisions > 0)] * 2, axis=1),
        close_2006=np.stack([decisions] * 2, axis=1), move_error=lost, cube_error=cube,
    )  # fmt: skip
