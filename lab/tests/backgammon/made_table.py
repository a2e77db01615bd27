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
) -> StudyTable:
    """Matches whose chance follows `truth` exactly, seen through luck of deviation `noise`.

    A second player loses 0.6 of the noise of moves for each move, half the noise of the
    cube for each of five decisions that are close by the rule of 2006, eight by that of 2003.
    """
    generator = np.random.default_rng(seed)
    setting = np.repeat(np.arange(len(settings)), matches)
    number = len(setting)
    close = np.zeros((number, 2), np.int64)
    lost, cube, chance = np.zeros((number, 2)), np.zeros((number, 2)), np.zeros(number)
    for k, each in enumerate(settings):
        mine = setting == k
        decisions = 5 if each.length > 1 else 0
        close[mine] = decisions
        losses = []
        for side, player in enumerate((each.first, each.second)):
            move, cubes = 0.6 * player.chequer_noise, 0.5 * player.cube_noise * (decisions > 0)
            spread = 1.0 + 0.1 * generator.standard_normal((2, matches))
            lost[mine, side] = 80 * move * spread[0]
            cube[mine, side] = decisions * cubes * spread[1]
            epd = (80 * move + decisions * cubes) / (80 + decisions)
            losses.append(truth(each.length, move, cubes, epd))
        chance[mine] = fibs.probability(losses[1] - losses[0], 0.0, each.length)
    return StudyTable(
        tuple(settings),
        setting=setting,
        seed=np.full(number, seed),
        number=np.tile(np.arange(matches), len(settings)),
        luck_adjusted=chance + noise * generator.standard_normal(number),
        won=generator.random(number) < chance,
        unforced=np.full((number, 2), 80),
        close_2003=np.where(close > 0, 8, 0),
        close_2006=close,
        move_error=lost,
        cube_error=cube,
    )
