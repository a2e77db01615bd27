"""From the scales of a model, on which strength is estimated, to those that people know.

On a model's scale n dan is n to n + 1, 1 kyu 0 to 1, 2 kyu -1 to 0 (`fox_of_grade` in
`yardstone.winprob.scales` ties it to the number line of grades). The model that comes with
Yardstone has two, learnt from the players of Fox and of OGS. Other scales are reached from
one of them by a difference of ranks, which nobody has published as a measurement: `SITE_SCALES`
has the source of each figure and how uncertain it is, and that uncertainty widens every interval.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.clusters import t_quantile
from yardstone.errors import UsageError
from yardstone.grades import nearest_grade
from yardstone.winprob.scales import convert, grade_of_fox

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.strength.calibration import Calibration
    from yardstone.strength.estimation import StrengthEstimate
    from yardstone.strength.intervals import Interval
    from yardstone.strength.strengths import Rated

#: The rank groups of the Fox games, the weakest first.
RANKS = ("3-5k", "1-2k", *(f"{dan}d" for dan in range(1, 10)))
#: Where they begin and end on the Fox scale.
EDGES = np.array([-4.0, -1.0, *range(1, 11)])
#: Whom the models know, on one scale or the other: what pages and guides say.
KNOWN_RANKS = "30 kyu to 9 dan"
#: Where groups begin and end by scale. Those of OGS are 26 kyu and weaker, 21 to 25 kyu, 16 to
#: 20, 11 to 15, 6 to 10, 1 to 5 kyu, 1 and 2 dan, and 3 dan and stronger.
GROUP_EDGES: Mapping[str, Floats] = MappingProxyType(
    {
        "fox": EDGES,
        "ogs": np.array([-34.0, -24.0, -19.0, -14.0, -9.0, -4.0, 1.0, 3.0, 10.0]),
    }
)


_SMALL = 1e-9

FOX = "fox"
#: What is added to the ranks of Fox to have those of the EGF, and one standard deviation of the
#: error, in which people's spread about the shift, the shift's own error and the doubt whether
#: other collections have the same are put together (docs/studies/ogs-shift-tables.md).
EGF_SHIFT, EGF_DEVIATION = -4.5, 3.2
#: One standard deviation of the error of taking the ranks of the OGS games that the model has
#: learnt from, of 2020, for those of OGS today (docs/studies/ogs-ranks-tables.md), and for those
#: of the EGF.
OGS_DEVIATION, EGF_FROM_OGS = 1.7, 3.6


def fox_rank(value: float) -> str:
    """The rank at a place of a model's scale: ``3d`` for 3.7, ``2k`` for -0.4."""
    return nearest_grade(float(grade_of_fox(value)))


@dataclass(frozen=True, slots=True)
class SiteScale:
    """A scale on which an estimate is shown."""

    #: What the command and what people call it.
    name: str
    title: str
    rating: Callable[[float], float] = field(repr=False)  #: The rating at a place of its basis.
    #: The rank there, as a number that is n to n + 1 for n dan and 0 to 1 for 1 kyu; None if the
    #: scale has no ranks.
    number: Callable[[float], float] | None = field(repr=False)
    deviation: float  #: One standard deviation of the error of going there, in ranks of the basis.
    digits: int  #: Digits after the point that its ratings are shown with.
    source: str  #: Where the relation comes from, and what it is worth, in words.
    #: Degrees of freedom of that error: it follows Student's t; None for a normal distribution.
    freedom: int | None = None
    basis: str = FOX  #: The scale of the model that it is reached from.

    @property
    def known(self) -> tuple[float, float]:
        """Between which places of the basis the model tells ranks apart.

        Below, weaker players all look like its weakest group, and above, stronger ones like its
        strongest.
        """
        edges = GROUP_EDGES[self.basis]
        return float(edges[1]), float(edges[-2])

    def value(self, place: float) -> float:
        """The rating of a place of the basis."""
        return round(float(self.rating(place)), self.digits) + 0.0

    def rank(self, place: float) -> str | None:
        """The rank's name; where the model tells no ranks apart it says "or weaker"."""
        if self.number is None:
            return None
        weakest, strongest = self.known
        if place < weakest:
            return f"{fox_rank(self.number(weakest - _SMALL))} or weaker"
        if place >= strongest:
            name = fox_rank(self.number(strongest))
            return name if self.name == FOX else f"{name} or stronger"
        return fox_rank(self.number(place))

    def end_ranks(self, low: float | None, high: float | None) -> tuple[str | None, str | None]:
        """Ranks of the ends of an interval, `widened` on the basis; None without an end."""
        if self.number is None:
            return None, None
        return (
            None if low is None else fox_rank(self.number(low)),
            None if high is None else fox_rank(self.number(high) - _SMALL),
        )

    def widened(
        self, value: float, low: float | None, high: float | None, level: float
    ) -> Interval:
        """Ends of an interval on the basis, with the error of going to this scale.

        `low`, `high`: an end that is not there stays away. `level`: of the interval, 0 to 1.
        """
        share = 0.5 * (1.0 + level)
        more = t_quantile(share, inf if self.freedom is None else self.freedom) * self.deviation

        def reach(end: float) -> float:
            return sqrt((end - value) ** 2 + more * more)

        return (
            None if low is None else value - reach(low),
            None if high is None else value + reach(high),
        )


def _as_rating(scale: str, shift: float = 0.0) -> Callable[[float], float]:
    """From a place of the basis to a rating on another scale, so many ranks away."""
    return lambda place: float(
        convert(grade_of_fox(place + shift), "grade", scale, extrapolate=True)
    )


_OGS = "ogs"
_EGF_FROM_FOX = (
    f"{-EGF_SHIFT:g} ranks lower than Fox, as OGS, whose ranks were adjusted to those of the EGF "
    f"in 2021, give or take {EGF_DEVIATION:g} ranks; 100 rating points a rank"
)
_FROM_OGS = (
    f"as OGS, whose ranks were adjusted to those of the EGF in 2021, give or take "
    f"{EGF_FROM_OGS:g} ranks; 100 rating points a rank"
)
_OGS_NOW = (
    "the ranks of people who played programs at OGS in June 2020, which hold for players of a "
    f"league at OGS in 2021 and 2022 too, give or take {OGS_DEVIATION:g} ranks; ratings by the "
    "formula of 2021, 23.15 ln(rating / 525)"
)
_OGS_2020 = (
    "the scale of the games of people against programs at OGS in June 2020 that the model was "
    "trained on; ratings by the formula of that time, ln(rating / 850) / 0.032"
)
_FROM_MODEL = "the scale of the games that the model was trained on"

#: All scales by name, as they are reached where the Fox scale tells a player's strength.
SITE_SCALES: Mapping[str, SiteScale] = MappingProxyType(
    {
        scale.name: scale
        for scale in (
            SiteScale(FOX, "Fox", float, float, 0.0, 2, _FROM_MODEL),
            SiteScale(
                _OGS, "OGS", _as_rating(_OGS), float, OGS_DEVIATION, 0, _OGS_NOW, basis=_OGS
            ),
            SiteScale(
                "ogs-2020", "OGS 2020", _as_rating("ogs-2020"), float, 0.0, 0, _OGS_2020,
                basis=_OGS,
            ),
            SiteScale(
                "egf", "EGF", _as_rating("egf", EGF_SHIFT), lambda place: place + EGF_SHIFT,
                EGF_DEVIATION, 0, _EGF_FROM_FOX,
            ),
        )
    }
)  # fmt: skip
#: The EGF's scale where Fox has nobody so weak.
_EGF_OF_OGS = SiteScale(
    "egf", "EGF", _as_rating("egf"), float, EGF_FROM_OGS, 0, _FROM_OGS, basis=_OGS
)  # fmt: skip


def scales_from(basis: str, bases: Collection[str]) -> dict[str, SiteScale]:
    """The scales that can be shown of a player whose strength is told best on one basis.

    `basis`: ``fox`` or ``ogs``: where the EGF's is reached from. `bases`: what the model has.
    """
    scales = {**SITE_SCALES, **({"egf": _EGF_OF_OGS} if basis == _OGS else {})}
    return {name: scale for name, scale in scales.items() if scale.basis in bases}


def site_scale(scale: str | SiteScale | Calibration) -> SiteScale:
    """The scale of this name, or the one that a calibration makes.

    Raises `UsageError` if there is none of this name.
    """
    if isinstance(scale, SiteScale):
        return scale
    if isinstance(scale, str):
        if scale not in SITE_SCALES:
            raise UsageError(f"no scale is called {scale!r}: there are {', '.join(SITE_SCALES)}")
        return SITE_SCALES[scale]
    return scale.site_scale()


def group_probabilities(
    scale: SiteScale, probabilities: Floats | Sequence[float]
) -> list[dict[str, Any]]:
    """The probability of each group, named and bordered on a scale.

    `probabilities` [g]: of the groups of the scale's basis (`RANKS`). Returns ``rank``: the ranks
    of the scale that the group covers, or the ratings where it has no ranks; ``low`` and ``high``:
    ratings at its borders, None at the ends, beyond which the model tells nobody apart;
    ``probability``.
    """
    edges = GROUP_EDGES[scale.basis].tolist()
    last = len(edges) - 2
    return [
        {
            "rank": RANKS[number] if scale.name == FOX else _name(scale, edges, number),
            "low": None if number == 0 else scale.value(edges[number]),
            "high": None if number == last else scale.value(edges[number + 1]),
            "probability": round(float(share), 4),
        }
        for number, share in enumerate(probabilities)
    ]


def _name(scale: SiteScale, edges: Sequence[float], number: int) -> str:
    """What a group is called: at the ends "or weaker" and "or stronger"."""
    low, high = edges[number], edges[number + 1]
    first, last = number == 0, number == len(edges) - 2
    if scale.number is None:
        below, above = (f"{scale.value(end):g}" for end in (low, high))
        return f"below {above}" if first else f"from {below}" if last else f"{below}–{above}"
    weak = fox_rank(scale.number(low) + _SMALL)
    strong = fox_rank(scale.number(high) - _SMALL)
    if first:
        return f"≤{strong}"
    if last:
        return f"≥{weak}"
    if weak == strong:
        return weak
    if weak[-1] == strong[-1] == "k":
        return f"{strong[:-1]}-{weak}"
    return f"{weak[:-1]}-{strong}" if weak[-1] == strong[-1] else f"{weak}-{strong}"


def part_on_scale(rated: Rated, scale: SiteScale, level: float) -> dict[str, Any]:
    """Rank, rating and interval of all moves or of some, on a scale; None from too few moves."""
    if not rated.ranked:
        return dict.fromkeys(("rank", "rating", "low", "high"))
    low, high = scale.widened(rated.rating, rated.low, rated.high, level)
    return {
        "rank": scale.rank(rated.rating),
        "rating": scale.value(rated.rating),
        "low": None if low is None else scale.value(low),
        "high": None if high is None else scale.value(high),
    }


def whole_on_scale(estimate: StrengthEstimate, scale: SiteScale) -> dict[str, Any]:
    """The same from all moves, with the ranks of the ends of the interval."""
    whole = estimate.measured[scale.basis].whole
    ends = scale.widened(whole.rating, whole.low, whole.high, estimate.level)
    low_rank, high_rank = scale.end_ranks(*ends)
    part = part_on_scale(whole, scale, estimate.level)
    return {**part, "low_rank": low_rank, "high_rank": high_rank}


def parts_on_scale(estimate: StrengthEstimate) -> dict[str, Any]:
    """All of an estimate's plain value that depends on its scale."""
    scale, level = estimate.scale, estimate.level
    return {
        "scale": scale.name,
        **whole_on_scale(estimate, scale),
        **({"rank": None} if estimate.contradictory else {}),
        "probabilities": group_probabilities(scale, estimate.probabilities),
        "phases": [part_on_scale(rated, scale, level) for _, rated in estimate.phases],
        "by_game": [
            {
                **part_on_scale(game.alone, scale, level),
                "running": part_on_scale(game.running, scale, level),
            }
            for game in estimate.games
        ],
        "indicative_moves": [
            move.as_dict(estimate.games[move.game].evaluated) for move in estimate.here.indicative
        ],
        "unlikely": estimate.whole.unlikely,
        "notes": list(estimate.notes),
    }


def plain_on_scale(plain: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """An estimate's plain value with the parts of another scale in place of its own.

    `plain`: as `StrengthEstimate.as_dict` gives it. `parts`: as `parts_on_scale` gives them, of the
    same estimate.
    """
    lists = {
        name: [{**own, **other} for own, other in zip(plain[name], parts[name], strict=True)]
        for name in ("phases", "by_game")
    }
    return {**plain, **parts, **lists}
