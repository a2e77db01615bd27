"""The rules of pairing: every weight and every choice, under its name.

The pairing of a round is the one whose boards together have the largest weight. The
weight of a board is the sum of one value a criterion, each at most the criterion's
own weight; a criterion that matters more has a weight that the later ones cannot
outweigh together. `docs/how-to/pairing.md` has the formulas.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import UsageError
from yardstone.tournament.model import System
from yardstone.tournament.rules import FloatMode, HandicapRules, PairingSettings, SeedSystem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.model import Tournament

__all__ = ["CRITERIA", "LARGEST_WEIGHT", "PairingRules", "Rule"]

#: No weight may be larger, so that sums of any field stay exact integers.
LARGEST_WEIGHT = 10**15
#: Initial McMahon scores may be corrected so far, in points.
CORRECTION_DOWN, CORRECTION_UP = 1, 2

_SEEDS = (SeedSystem.fold, SeedSystem.slide, SeedSystem.adjacent, SeedSystem.random)
_FLOATS = (FloatMode.top, FloatMode.middle, FloatMode.bottom)

#: Criteria in the order of the columns that `yardstone.tournament.weights` gives them.
CRITERIA = (
    "rematch",
    "bye",
    "absolute_colour",
    "categories",
    "score",
    "floats",
    "seeding",
    "colours",
    "colour_preference",
    "handicap",
    "geography",
    "lot",
)


class Rule(IntEnum):
    """Places of the numbers that compiled loops read: `PairingRules.packed`."""

    REMATCH = 0
    BYE_AGAIN = 1
    BYE = 2
    ABSOLUTE_COLOUR = 3
    CATEGORIES = 4
    SCORE = 5
    FLOATS = 6
    SEEDING = 7
    COLOURS = 8
    COLOUR_PREFERENCE = 9
    HANDICAP = 10
    GEOGRAPHY = 11
    LOT = 12
    UNIT = 13  # half points in one step of the score: 2, or 1 where halves count
    CATEGORY_COUNT = 14
    SPAN = 15  # scores from the highest to the lowest that can occur, in steps
    TOP = 16  # the highest of them
    NX1 = 17
    COMPENSATE = 18
    UPPER = 19
    LOWER = 20
    SEED = 21
    BAR_OFF = 22  # initial score from which secondary criteria are off; huge: never
    RANK_OFF = 23
    WINS_OFF = 24  # in half points
    SECONDARY_SPAN = 25
    COUNTRY = 26
    CLUB = 27
    HD_BY_SCORE = 28
    HD_THRESHOLD = 29
    HD_CORRECTION = 30
    HD_CEILING = 31
    ZERO = 32  # rank whose initial score is 0
    DRAW_SEED = 33  # of the lots


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingRules(PairingSettings):
    """Everything that decides a pairing; the settings of a file, and what files lack.

    Attributes
    ----------
    rounds : int
        Number of rounds of the tournament.
    by_mcmahon : bool
        Whether the McMahon score is the main score; otherwise the number of wins.
    bar, floor, zero : int
        Ranks of the bar and the floor, and the rank whose initial score is 0.
    category_count : int
        Number of categories that are to be kept apart.
    half_points : bool
        Whether half a point parts score groups (draws, as in chess).
    handicap : HandicapRules
        How many stones a game gets.
    repeated_bye, choose_bye : int
        Weight against a second bye of the same player; weight of giving the bye to the
        last of the order.
    absolute_colour, colour_preference : int
        Weights against boards on which both players must have the same colour (two
        games more with the other one, or the other one twice running), and on which
        both would rather have it. Zero, as in Go, leaves only `balance_colours`.
    seed : int
        Of the lots, from 0 to 2**31 - 1.
    """

    rounds: int = 5
    by_mcmahon: bool = True
    bar: int = 8
    floor: int = -30
    zero: int = -30
    category_count: int = 1
    half_points: bool = False
    handicap: HandicapRules = field(default_factory=HandicapRules)
    repeated_bye: int = 100_000_000_000_000
    choose_bye: int = 10_000_000_000_000
    absolute_colour: int = 0
    colour_preference: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        for name in WEIGHTS:
            value = getattr(self, name)
            if not 0 <= value <= LARGEST_WEIGHT:
                raise UsageError(f"weight {name} = {value}: weights lie from 0 to 10^15")
        if not 0.0 <= self.nx1_factor <= 1.0:
            raise UsageError(f"nx1_factor = {self.nx1_factor}: it lies from 0 to 1")
        if not 0 <= self.seed < 2**31:
            raise UsageError(f"seed {self.seed}: seeds of lots lie from 0 to 2147483647")
        if self.bar < self.floor:
            raise UsageError(f"the bar ({self.bar}) lies below the floor ({self.floor})")
        for part in dataclasses.fields(self):
            value = getattr(self, part.name)
            if isinstance(value, int) and abs(value) > LARGEST_WEIGHT:
                raise UsageError(f"{part.name} = {value}: rules lie from -10^15 to 10^15")

    @classmethod
    def of(cls, tournament: Tournament) -> PairingRules:
        """The rules that a tournament's own settings describe.

        Tournaments of chess, whose files have no such settings, get those of ``chess``.
        """
        scoring = tournament.scoring
        if tournament.discipline == "chess":
            return cls.preset("chess", rounds=max(tournament.rounds, 1))
        settings = {f.name: getattr(tournament.pairing, f.name) for f in _SETTINGS}
        return cls(
            **settings,
            rounds=max(tournament.rounds, 1),
            by_mcmahon=tournament.system is System.mcmahon,
            bar=max(scoring.bar, scoring.floor),
            floor=scoring.floor,
            zero=scoring.zero,
            category_count=len(scoring.categories) + 1,
            half_points=not scoring.round_down,
            handicap=tournament.handicap,
        )

    @classmethod
    def preset(cls, system: System | str, **changes: Any) -> PairingRules:
        """Weights that suit a system, changed by what is given.

        ``mcmahon`` keeps clubs and countries apart while that costs few points of
        score; ``swiss`` does not, and pairs by wins; ``chess`` comes near the Dutch system:
        the upper half of a score group against the lower one in the same order, the
        lowest floats down, and colours before all but rematches and scores.
        """
        if system not in _PRESETS:
            raise UsageError(f"no rules for {system!r}: {', '.join(_PRESETS)}")
        return cls(**{**_PRESETS[system], **changes})

    def with_system(self, system: str) -> PairingRules:
        """The same tournament paired by the weights of a system (`preset`)."""
        preset = PairingRules.preset(system)
        kept = ("rounds", "bar", "floor", "zero", "category_count", "handicap", "seed")
        own = {name: getattr(self, name) for name in kept}
        if system == "chess":
            del own["handicap"]
        return dataclasses.replace(preset, **own)

    def changed(self, values: Mapping[str, Any]) -> PairingRules:
        """The same with some fields changed, by name; text is read as the field's type.

        Raises
        ------
        UsageError
            There is no such field, or its value is out of range.
        """
        fields = {f.name: f for f in dataclasses.fields(self)}
        new: dict[str, Any] = {}
        for name, value in values.items():
            key = name.replace("-", "_").strip()
            if key not in fields or key == "handicap":
                raise UsageError(f"no rule is called {name!r}: {', '.join(sorted(fields))}")
            new[key] = _typed(key, getattr(self, key), value)
        return dataclasses.replace(self, **new)

    def packed(self, round_number: int) -> NDArray[np.float64]:
        """The numbers of one round as compiled loops read them, by `Rule`."""
        early = round_number <= self.seed_last_round_1
        seeding = self.seed_system_1 if early else self.seed_system_2
        unit = 1 if self.half_points else 2
        steps = 2 // unit
        if self.by_mcmahon:
            bottom = self.floor - CORRECTION_DOWN - self.zero
            top = self.bar + CORRECTION_UP + round_number - 1 - self.zero
        else:
            bottom, top = 0, round_number - 1
        span = (top - bottom + 1) * steps + 1
        spread = self.bar - self.floor + CORRECTION_UP + CORRECTION_DOWN
        never = 10**9
        values = {
            Rule.REMATCH: self.avoid_rematch,
            Rule.BYE_AGAIN: self.repeated_bye,
            Rule.BYE: self.choose_bye,
            Rule.ABSOLUTE_COLOUR: self.absolute_colour,
            Rule.CATEGORIES: self.avoid_mixing_categories,
            Rule.SCORE: self.minimise_score_difference,
            Rule.FLOATS: self.float_weight,
            Rule.SEEDING: self.maximise_seeding,
            Rule.COLOURS: self.balance_colours,
            Rule.COLOUR_PREFERENCE: self.colour_preference,
            Rule.HANDICAP: self.minimise_handicap,
            Rule.GEOGRAPHY: self.avoid_same_geography,
            Rule.LOT: self.randomness,
            Rule.UNIT: unit,
            Rule.CATEGORY_COUNT: max(self.category_count, 1),
            Rule.SPAN: span,
            Rule.TOP: top * steps + steps - 1,
            Rule.NX1: self.nx1_factor,
            Rule.COMPENSATE: self.compensate_floats,
            Rule.UPPER: _FLOATS.index(self.float_upper),
            Rule.LOWER: _FLOATS.index(self.float_lower),
            Rule.SEED: _SEEDS.index(seeding),
            Rule.BAR_OFF: self.bar - self.zero if self.bar_threshold else never,
            Rule.RANK_OFF: self.rank_threshold,
            Rule.WINS_OFF: self.rounds if self.wins_threshold else never,
            Rule.SECONDARY_SPAN: span if self.by_mcmahon else spread + round_number,
            Rule.COUNTRY: self.country_difference,
            Rule.CLUB: self.club_difference,
            Rule.HD_BY_SCORE: self.handicap.by_score,
            Rule.HD_THRESHOLD: self.handicap.threshold,
            Rule.HD_CORRECTION: self.handicap.correction,
            Rule.HD_CEILING: self.handicap.ceiling,
            Rule.ZERO: self.zero,
            Rule.DRAW_SEED: self.seed if self.deterministic else self.seed + 7919 * round_number,
        }
        packed = np.empty(len(Rule), np.float64)
        for rule, value in values.items():
            packed[rule] = value
        return packed


_SETTINGS = dataclasses.fields(PairingSettings)

#: Fields that are weights.
WEIGHTS = (
    "avoid_rematch",
    "repeated_bye",
    "choose_bye",
    "absolute_colour",
    "avoid_mixing_categories",
    "minimise_score_difference",
    "float_weight",
    "maximise_seeding",
    "balance_colours",
    "colour_preference",
    "minimise_handicap",
    "avoid_same_geography",
    "randomness",
)

_PRESETS: dict[str, dict[str, Any]] = {
    "mcmahon": {},
    "swiss": {
        "by_mcmahon": False,
        "avoid_same_geography": 0,
        "seed_system_1": SeedSystem.slide,
        "seed_system_2": SeedSystem.fold,
    },
    "chess": {
        "by_mcmahon": False,
        "half_points": True,
        "avoid_same_geography": 0,
        "seed_system_1": SeedSystem.slide,
        "seed_system_2": SeedSystem.slide,
        "float_upper": FloatMode.bottom,
        "float_lower": FloatMode.top,
        "balance_colours": 0,
        "absolute_colour": 50_000_000_000_000,
        "colour_preference": 20_000_000,
        "handicap": HandicapRules(ceiling=0),
    },
}


def _typed(name: str, current: Any, value: Any) -> Any:
    """A value given as text, in the type of the field."""
    if not isinstance(value, str):
        if (
            isinstance(current, str)
            or isinstance(current, bool) != isinstance(value, bool)
            or not isinstance(value, (int, float))
        ):
            raise UsageError(f"rule {name}: {value!r} does not fit")
        try:
            return type(current)(value)
        except (ValueError, OverflowError):
            raise UsageError(f"rule {name}: {value!r} does not fit") from None
    text = value.strip().lower()
    if isinstance(current, bool):
        if text in ("true", "yes", "on", "1"):
            return True
        if text in ("false", "no", "off", "0"):
            return False
        raise UsageError(f"rule {name}: {value!r} is neither yes nor no")
    if isinstance(current, StrEnum):
        kinds = list(type(current))
        for kind in kinds:
            if text in (kind.value, kind.name):
                return kind
        raise UsageError(f"rule {name}: {value!r} is none of {', '.join(kinds)}")
    if isinstance(current, str):
        return value.strip()
    try:
        number = float(text)
    except ValueError:
        raise UsageError(f"rule {name}: {value!r} is not a number") from None
    if isinstance(current, int):
        if not number.is_integer():
            raise UsageError(f"rule {name}: {value!r} is not a whole number")
        return int(number)
    return number
