"""The columns of an entry list, as compiled loops read it."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Entry", "SideReason"]


class Entry(IntEnum):
    """Columns of an entry list.

    The caller fills all but the last four, which `place_groups` makes of them.
    """

    SCORE = 0  # main score before the round, in half points
    MMS = 1  # McMahon score, in half points
    WINS = 2  # in half points
    ORDER = 3  # place in the order of the field from 0: any criteria, ties broken, all different
    CATEGORY = 4  # from 0, the strongest
    RANK = 5  # grade: 1 dan is 0
    INITIAL = 6  # initial McMahon score, in points
    BALANCE = 7  # even games moved second (White in Go) less even games moved first
    STREAK = 8  # last even games with one side: +k moved second k times running, -k first
    UP = 9  # times drawn up: met a player with a higher score before the game
    DOWN = 10
    BYES = 11  # rounds without an opponent so far
    CLUB = 12  # equal numbers are one club; negative: unknown
    CLUB_GROUP = 13
    COUNTRY = 14
    LOT = 15  # decides lots: 0 to 2**31 - 1, best all different
    GROUP = 16  # score group, from the strongest; steps between groups are steps of the score
    SIZE = 17  # players of the group
    PLACE = 18  # place within the group, from 0
    EXEMPT = 19  # 1 where secondary criteria are off


class SideReason(IntEnum):
    """What decided who moves first."""

    HANDICAP = 0  # the weaker player
    PREFERENCE = 1  # who needs that side more
    BALANCE = 2  # who moved second more often
    LAST = 3  # who moved second last, or for longer
    LOT = 4
