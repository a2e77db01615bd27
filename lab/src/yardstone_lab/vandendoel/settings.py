"""The settings of van den Doel's two studies and of his other measurements, as published."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from yardstone.errors import UsageError
from yardstone_lab.vandendoel.play import MatchSetting, NoisyPlayer

__all__ = [
    "ADVANCED",
    "BEGINNER",
    "CUBE_NOISES",
    "EXPERT",
    "INTERMEDIATE",
    "LENGTHS",
    "LENGTHS_WITH_CUBE",
    "MATCHES",
    "MOVE_NOISES",
    "PAIRINGS",
    "WORLD_CLASS",
    "PUBLISHED_MEASUREMENTS",
    "depth_check",
    "measurements",
    "part_one",
    "part_two",
    "strong_check",
]

#: GNU Backgammon's levels by their noise; a beginner's is 0.06.
EXPERT, ADVANCED, INTERMEDIATE, BEGINNER = 0.0, 0.015, 0.04, 0.06
#: Plies of its level "world class".
WORLD_CLASS = 2

#: Part I: match lengths, noise of the two players, matches of each cell.
LENGTHS = (1, 3, 5, 7, 11, 23)
PAIRINGS = (
    (0.0, 0.005),
    (0.0, 0.015),
    (0.0, 0.02),
    (0.0, 0.04),
    (0.0, 0.06),
    (0.04, 0.06),
)
#: Part II: match lengths, and noise of the second player in chequer play and cube decisions.
LENGTHS_WITH_CUBE = (3, 5, 7, 11, 23)
MOVE_NOISES = (0.0, 0.02, 0.04, 0.06)
CUBE_NOISES = (0.05, 0.1, 0.4, 0.8)
#: Matches of a cell as published.
MATCHES = {"part1": 1000, "part2": 500, "depth": 40, "strong": 100, "appendix": 1000}


def part_one(
    lengths: Sequence[int] = LENGTHS,
    pairings: Sequence[tuple[float, float]] = PAIRINGS,
    *,
    deterministic: bool = False,
) -> list[MatchSetting]:
    """Both players with equal noise in chequer play and cube decisions (Part I)."""
    return [
        MatchSetting(
            length, NoisyPlayer(one, one), NoisyPlayer(two, two), deterministic=deterministic
        )
        for length, (one, two) in product(lengths, pairings)
    ]


def part_two(
    lengths: Sequence[int] = LENGTHS_WITH_CUBE,
    move_noises: Sequence[float] = MOVE_NOISES,
    cube_noises: Sequence[float] = CUBE_NOISES,
    *,
    deterministic: bool = False,
) -> list[MatchSetting]:
    """An expert against players of separate noise in chequer play and in cube decisions (Part II).

    Raises
    ------
    UsageError
        A match of one point, which has no cube.
    """
    if any(length < 2 for length in lengths):
        raise UsageError("part 2 needs matches of 2 points or more: a single point has no cube")
    return [
        MatchSetting(length, NoisyPlayer(), NoisyPlayer(moves, cube), deterministic=deterministic)
        for length, moves, cube in product(lengths, move_noises, cube_noises)
    ]


def depth_check() -> list[MatchSetting]:
    """Matches analysed at 0 and at 2 plies, to see whether they differ in DEPD."""
    return [
        MatchSetting(5, NoisyPlayer(), NoisyPlayer(ADVANCED, ADVANCED), analyses=(0, WORLD_CLASS))
    ]


def strong_check() -> list[MatchSetting]:
    """World class against expert, analysed at 2 plies, to see whether the formula holds there."""
    return [MatchSetting(3, NoisyPlayer(plies=WORLD_CLASS), NoisyPlayer(), analyses=(WORLD_CLASS,))]


#: What Appendix II says of them: rating difference and the ends of its 90 % interval.
PUBLISHED_MEASUREMENTS = {
    "expInt-intExp:5": (472.0, 451.0, 493.0),
    "expBeg-advExp:5": (115.0, 103.0, 127.0),
    "expExp-expBeg:5": (31.0, 21.0, 41.0),
    "expExp-expBeg:11": (29.0, 23.0, 36.0),
    "expExp-expBeg2:5": (191.0, 176.0, 206.0),
    "wclassWclass-wclassExp:5": (6.0, -15.0, 27.0),
    "1-ply-0-ply:5": (13.0, -4.0, 30.0),
}


def measurements() -> dict[str, MatchSetting]:
    """The matches of Appendix II by their names there: level in chequer play, level with the cube.

    `expInt` is an expert at chequer play and an intermediate with the cube.
    """
    expert = NoisyPlayer()
    poor_cube = NoisyPlayer(EXPERT, BEGINNER)
    return {
        "expInt-intExp:5": MatchSetting(
            5, NoisyPlayer(EXPERT, INTERMEDIATE), NoisyPlayer(INTERMEDIATE, EXPERT)
        ),
        "expBeg-advExp:5": MatchSetting(5, poor_cube, NoisyPlayer(ADVANCED, EXPERT)),
        "expExp-expBeg:5": MatchSetting(5, expert, poor_cube),
        "expExp-expBeg:11": MatchSetting(11, expert, poor_cube),
        "expExp-expBeg2:5": MatchSetting(5, expert, NoisyPlayer(EXPERT, 1.0)),
        "wclassWclass-wclassExp:5": MatchSetting(
            5, NoisyPlayer(plies=WORLD_CLASS), NoisyPlayer(plies=WORLD_CLASS, cube_plies=0)
        ),
        "1-ply-0-ply:5": MatchSetting(5, NoisyPlayer(plies=1), expert),
    }
