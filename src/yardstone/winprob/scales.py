"""The scales on which Go players are measured, and the conversion between any two.

Every scale is tied to the *grade* on the number line of `yardstone.grades` (1 dan = 0, 1 kyu = -1),
which is what the scales have in common by definition or by a published formula. The ratings of one
player on two scales need not agree with these: they come from different games.

=========  =================================================  ==================
scale      formula, g being the grade                         range of g
=========  =================================================  ==================
grade      g                                                  30 kyu to 9 dan
egf        2100 + 100 g                                       30 kyu to 9 dan
ogs        525 exp((g + 30.5) / 23.15)                        30 kyu to 9 dan
ogs-2020   850 exp(0.032 (g + 30.5))                          30 kyu to 9 dan
goldis     2000 + 100 g (log rating in thousandths)           19 kyu to 10 dan
elo        integral of the slope of Kaniuk's model            20 kyu to 9 dan
elo-egf    (400/ln 10) (-7) ln(3300 - rating), rating of egf  30 kyu to 9 dan
=========  =================================================  ==================

Sources: EGF, *EGF Official ratings system* (europeangodatabase.eu; grades 100 points apart, 1 dan
at 2100, floor -900; the expected score since 2021 is a logistic of ``-7 ln(3300 - rating)``). OGS,
rank formula of 2021 (forums.online-go.com, "2021 rating and rank adjustments"), and the one before
it, by which the ranks in records of 2020 follow from the ratings beside them. Goldis: see
`yardstone.winprob.goldis`. Elo: differences, not values, have a meaning; both are set to 2100 at 1
dan. ``elo`` is where two players of a small difference have Kaniuk's probability, and beyond a few
grades that model and any one Elo scale part.

Scales differ in where a number stands for a grade. The EGF's 2100 is the middle of
1 dan, which reaches from 2050 to 2150. OGS counts from the beginning: its rank 30 (1918
points) is where 1 dan begins, and 31 (2003) where 2 dan does; so does Fox, whose 1 dan is
1 to 2. Grades stand for the middle of their stretch here, and half a grade is added where
a site counts from the beginning: for OGS in its formula, for Fox in `fox_of_grade`.

A grade such as ``4k`` is a grade on every scale, a number has a meaning only on a scale that is
named, and a professional rank such as ``3p`` has a rating from the EGF and Goldis alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, pi, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from yardstone.choices import no_such
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError, YardstoneError
from yardstone.grades import (
    format_grade,
    nearest_grade,
    parse_grade,
    parse_professional,
    split_grade,
)
from yardstone.winprob.goldis import goldis_of_grade, grade_of_goldis, rank_rating
from yardstone.winprob.kaniuk import PUBLISHED, Kaniuk
from yardstone.winprob.laws import EGF_POLE, EGF_STEEPNESS, ELO_POINTS_PER_LOGIT, bisect

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.pool import SkipReport


_SHODAN, _EGF_GRADE = 2100.0, 100.0  #: The EGF's rating of 1 dan, and the points of a grade.
#: OGS counts from 30 kyu at 0, and a rank's stretch begins with its number.
_OGS_FIRST, _OGS_STEP, _OGS_SHODAN = 525.0, 23.15, 30.5
_OGS_2020_FIRST, _OGS_2020_RATE = 850.0, 0.032
_FOX_SHODAN = 1.5  #: The same of Fox, where 1 dan is 1 to 2.


@dataclass(frozen=True, slots=True)
class Scale:
    """One scale, by its relation to the grade."""

    #: What it is called, where the relation comes from, and the relation for people.
    name: str
    source: str
    formula: str
    #: The relation and its inverse, on arrays.
    from_grade: Callable[[Floats], Floats]
    to_grade: Callable[[Floats], Floats]
    #: Grades between which it is defined.
    lowest: float = -30.0
    highest: float = 8.0

    def reaches(self, grade: float) -> bool:
        """Whether a grade lies on it: half a grade beyond the last one still has its name."""
        return self.lowest - 0.5 <= grade <= self.highest + 0.5


def egf_of_grade(grade: ArrayLike) -> Floats:
    """EGF rating at the middle of a grade: 2100 at 1 dan, 100 points a grade."""
    return _SHODAN + _EGF_GRADE * np.asarray(grade, np.float64)


def grade_of_egf(rating: ArrayLike) -> Floats:
    """The inverse of `egf_of_grade`."""
    return (np.asarray(rating, np.float64) - _SHODAN) / _EGF_GRADE


def fox_of_grade(grade: ArrayLike) -> Floats:
    """A grade's place on the Fox scale, on which n dan is n to n + 1 and 1 kyu 0 to 1.

    That counts ranks as Fox does; how many ranks Fox lies above other sites is measured in
    `yardstone.strength.site_scales`.
    """
    return np.asarray(grade, np.float64) + _FOX_SHODAN


def grade_of_fox(place: ArrayLike) -> Floats:
    """The inverse of `fox_of_grade`."""
    return np.asarray(place, np.float64) - _FOX_SHODAN


def kaniuk_elo(grade: ArrayLike, model: Kaniuk = PUBLISHED) -> Floats:
    """Elo whose slope at each grade is that of Kaniuk's probability at equality.

    Near equality p = 1/2 - Lambda / sqrt(pi), so one grade is worth ``(400/ln 10) (4/sqrt(pi)) sum
    of u_n exp(n K g)`` points; this is the integral, 2100 at 1 dan.
    """
    g = np.asarray(grade, np.float64)
    total = model.u[0] * g
    for n in range(1, 4):
        growth = n * model.k
        total = total + model.u[n] * (np.expm1(growth * g) / growth if growth else g)
    return np.asarray(_SHODAN + ELO_POINTS_PER_LOGIT * 4.0 / sqrt(pi) * total)


def _egf_elo(grade: Floats) -> Floats:
    rating = egf_of_grade(grade)
    with np.errstate(invalid="ignore", divide="ignore"):
        logit = -EGF_STEEPNESS * np.log((EGF_POLE - rating) / (EGF_POLE - _SHODAN))
    return np.asarray(_SHODAN + ELO_POINTS_PER_LOGIT * logit)


def _inverse_egf_elo(elo: Floats) -> Floats:
    left = (EGF_POLE - _SHODAN) * np.exp(-(elo - _SHODAN) / (EGF_STEEPNESS * ELO_POINTS_PER_LOGIT))
    return grade_of_egf(EGF_POLE - left)


#: All scales by name.
SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        scale.name: scale
        for scale in (
            Scale(
                "grade",
                "Kaniuk 2011: zero-shodan units",
                "1d is 0, 1k is -1",
                lambda g: g,
                lambda g: g,
            ),
            Scale("egf", "EGF Official ratings system", "2100 + 100 g", egf_of_grade, grade_of_egf),
            Scale(
                "ogs",
                "OGS, rating and rank adjustments of 2021",
                "525 exp((g + 30.5) / 23.15)",
                lambda g: _OGS_FIRST * np.exp((g + _OGS_SHODAN) / _OGS_STEP),
                lambda rating: _OGS_STEP * np.log(rating / _OGS_FIRST) - _OGS_SHODAN,
            ),
            Scale(
                "ogs-2020",
                "OGS until January 2021, as its records of 2020 have it",
                "850 exp(0.032 (g + 30.5))",
                lambda g: _OGS_2020_FIRST * np.exp((g + _OGS_SHODAN) * _OGS_2020_RATE),
                lambda rating: np.log(rating / _OGS_2020_FIRST) / _OGS_2020_RATE - _OGS_SHODAN,
            ),
            Scale(
                "goldis",
                "Pratesi, table 1",
                "2000 + 100 g",
                goldis_of_grade,
                grade_of_goldis,
                lowest=-19.0,
                highest=9.0,
            ),
            Scale(
                "elo",
                "slope of Kaniuk's probability, 2100 at 1 dan",
                "integral of the slope",
                kaniuk_elo,
                lambda elo: bisect(lambda grade: kaniuk_elo(grade) > elo, -100.0, 40.0, 80),
                lowest=-20.0,
            ),
            Scale(
                "elo-egf",
                "EGF's expected score since 2021, 2100 at 1 dan",
                "2100 - 1216 ln(1 - g / 12)",
                _egf_elo,
                _inverse_egf_elo,
            ),
        )
    }
)
_OF_RATINGS = tuple(name for name in SCALES if name != "grade")  #: Those of ratings.


def convert(value: ArrayLike, source: str, target: str, *, extrapolate: bool = False) -> Floats:
    """Convert values from one of `SCALES` to another; grades are in zero-shodan units.

    `extrapolate` allows values outside the range of either scale. Raises `UsageError` if there is
    no such scale, or a value is outside the range of one of them.

    Examples:
        >>> float(convert(2100, "egf", "grade"))
        0.0
    """
    _check_names(source, target)
    one, two = SCALES[source], SCALES[target]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        grade = np.asarray(one.to_grade(np.asarray(value, np.float64)))
    # Half a grade beyond the last one still has that grade's name.
    lowest, highest = max(one.lowest, two.lowest) - 0.5, min(one.highest, two.highest) + 0.5
    if not extrapolate and np.any(~((grade >= lowest) & (grade <= highest))):
        raise UsageError(
            f"between {source} and {target} only grades from {format_grade(lowest + 0.5)} to "
            f"{format_grade(highest - 0.5)} can be converted"
        )
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return np.asarray(two.from_grade(grade))


def _check_names(*names: str) -> None:
    for name in names:
        if name not in SCALES:
            raise UsageError(no_such("scale", name, SCALES))


def egf_of_pro(dan: ArrayLike) -> Floats:
    """EGF rating of a professional rank: 2700 for 1p, 30 more for each further dan."""
    return 2700.0 + 30.0 * (np.asarray(dan, np.float64) - 1.0)


#: Ratings of professional ranks.
_PROFESSIONAL: Mapping[str, Callable[[int], float]] = MappingProxyType(
    {"egf": lambda dan: float(egf_of_pro(dan)), "goldis": lambda dan: rank_rating(f"{dan}p")}
)


@dataclass(frozen=True, slots=True)
class ConvertedRating:
    """A rating on other scales."""

    text: str  #: As it was given.
    source: str  #: Its scale; ``"grade"`` for a grade, ``"pro"`` for a professional rank.
    rank: str  #: The grade in whose stretch it lies, or the professional rank.
    strength: float | None  #: Place on the line of grades (1 dan = 0), if no professional rank.
    values: Mapping[str, float | None]  #: By scale; None where the scale does not reach so far.
    #: By scale: where the stretch of `rank` begins and ends; None for professional ranks.
    stretches: Mapping[str, tuple[float, float] | None]


def convert_rating(
    text: str, *, source: str | None = None, targets: Sequence[str] = ()
) -> ConvertedRating:
    """Convert a grade, a professional rank or a rating to other scales.

    `text` is ``2d``, ``12 kyu``, ``3p``, or a number on the scale `source`; `targets` are scales,
    none means all, of which those that do not reach so far are left empty. Raises `InputError` if
    it is neither a grade nor a number; `UsageError`: a number without a scale, no scale of such a
    name, a value outside the range of a scale that was asked for.

    Examples:
        >>> convert_rating("2d", targets=["egf"]).values["egf"]
        2200.0
        >>> converted = convert_rating("1850", source="ogs", targets=["egf"])
        >>> converted.rank, round(converted.values["egf"])
        ('1k', 1966)
    """
    _check_names(*([] if source is None else [source]), *targets)
    dan = parse_professional(text)
    if dan is not None:
        return _professional(text.strip(), dan, targets)
    scale, value = _place(text, source)
    strength = float(convert(value, scale, "grade", extrapolate=True))
    if not isfinite(strength):
        raise UsageError(f"{text} is not a rating on the scale {scale}")
    for name in (scale, *targets):
        _check_range(text, name, strength)
    values: dict[str, float | None] = {}
    stretches: dict[str, tuple[float, float] | None] = {}
    middle = floor(strength + 0.5)
    places = [strength, middle - 0.5, middle + 0.5]
    for name in targets or _OF_RATINGS:
        values[name] = stretches[name] = None
        if SCALES[name].reaches(strength):
            values[name], low, high = convert(places, "grade", name, extrapolate=True).tolist()
            stretches[name] = low, high
    return ConvertedRating(
        text.strip(),
        scale,
        nearest_grade(strength),
        strength,
        MappingProxyType(values),
        MappingProxyType(stretches),
    )


def _place(text: str, source: str | None) -> tuple[str, float]:
    """The scale and the value of a grade or a number."""
    if split_grade(text) is not None:
        value = parse_grade(text)
        if source == "ogs" and value != floor(value):
            raise UsageError(
                f"{text}: decimals of OGS count from the end of a rank (its 5.2k is a 6k): give "
                "the rating, or a whole grade"
            )
        return "grade", value
    try:
        value = float(text)
    except ValueError:
        raise InputError(
            f"{text!r} is neither a grade nor a number", hint="write a grade like 4k or 2d"
        ) from None
    if source is None:
        raise UsageError(f"{text} is a number: say on which scale with --from (in Python source=)")
    return source, value


def _check_range(text: str, name: str, strength: float) -> None:
    """Refuse a strength that a scale does not reach."""
    scale = SCALES[name]
    if scale.reaches(strength):
        return
    ends = f"{format_grade(scale.lowest)} to {format_grade(scale.highest)}"
    if name != "grade":
        low, high = convert([scale.lowest, scale.highest], "grade", name, extrapolate=True)
        ends += f" ({low:.0f} to {high:.0f})"
    raise UsageError(f"{text} is outside the scale {name}, which reaches from {ends}")


def _professional(text: str, dan: int, targets: Sequence[str]) -> ConvertedRating:
    for name in targets:
        if name not in _PROFESSIONAL:
            raise UsageError(
                f"{text}: professional ranks have ratings on {' and '.join(_PROFESSIONAL)}, "
                f"and none on {name}"
            )
    chosen = targets or _OF_RATINGS
    values = {name: _PROFESSIONAL[name](dan) if name in _PROFESSIONAL else None for name in chosen}
    nothing = dict.fromkeys(chosen)
    return ConvertedRating(
        text, "pro", f"{dan}p", None, MappingProxyType(values), MappingProxyType(nothing)
    )


_MAX_BYTES = 64 << 20
#: Number, name, country, club, grade, promotion, rating; nothing is looked at twice.
_LINE = re.compile(
    r"\s*+(\d++)\s++(\S++(?:\s\S++)*+)\s\s++(\S\S)\s++(\S++)\s++(\d{1,2}[kdp])\s++(\S++)"
    r"\s++(-?\d{1,6})\s++\d++(?:\s++\w++)?\s*+"
)


@dataclass(frozen=True, slots=True)
class EgfPlayer:
    """A line of the list; what is not known is ``xx`` in it."""

    line: int  #: From 1.
    number: str
    name: str
    country: str
    club: str
    grade: str
    rating: float


def list_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a list of players, compressed or not.

    Raises `InputError` if it cannot be read, or is far longer than any list.
    """
    from yardstone.records.decoding import decode
    from yardstone.records.sources import find_sources

    sources = find_sources([path], [".txt", ".html", ".htm", ".lst"])
    if len(sources) != 1:
        raise InputError(f"{len(sources)} files are meant", file=str(path), hint="name one")
    return decode(sources[0].content(_MAX_BYTES)).splitlines()


def egf_players(lines: Iterable[str]) -> Iterator[EgfPlayer]:
    """The players in these lines; other lines are passed over."""
    for line, text in enumerate(lines, 1):
        if (row := _LINE.fullmatch(text)) is not None:
            yield EgfPlayer(line, row[1], row[2], row[3], row[4], row[5], float(row[7]))


_MOST_BYTES = 256 << 20
_BLANK = frozenset(("", "-", "?", "--", "none", "nan", "null", "n/a"))


@dataclass(frozen=True, eq=False)
class ConvertedColumn:
    """A table whose ratings were converted; frozen."""

    names: tuple[str, ...]  #: Its columns.
    rows: tuple[tuple[str, ...], ...]  #: Its cells as they stood, a row a player.
    column: str  #: The one that was converted.
    targets: tuple[str, ...]  #: The scales.
    #: One a row; None where the cell is empty or cannot be converted.
    converted: tuple[ConvertedRating | None, ...]
    skipped: SkipReport  #: The cells that cannot be converted, with their lines.

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)


def convert_column(
    path: str | os.PathLike[str],
    column: str,
    *,
    source: str | None = None,
    targets: Sequence[str] = (),
    strict: bool = False,
) -> ConvertedColumn:
    """Convert a column of grades or ratings of a CSV table; capitals of its name do not matter.

    The table has commas, semicolons or tabs, and its first line names the columns; it may be
    compressed; ``-`` is standard input. `source` and `targets` are scales, as for `convert_rating`.
    The row of a cell that cannot be converted is reported, and the new cells stay empty. Raises
    `InputError` if the file cannot be read or has no such column, or no cell can be converted;
    `StrictError` if one cannot with `strict`; `NoGamesError` if there is no row.
    """
    from yardstone.pool import Skipped, SkipReport
    from yardstone.records.sources import delimited_rows

    file = os.fspath(path)
    report = SkipReport()
    header, rows = delimited_rows(path, report, most=_MOST_BYTES)
    if not rows:
        raise NoGamesError("the table has no rows", file=file)
    names = tuple(name or f"column{number}" for number, name in enumerate(header, 1))
    place = {name.casefold(): number for number, name in enumerate(names)}
    if column.casefold() not in place:
        raise InputError(no_such("column", column, names), file=file, line=1)
    at = place[column.casefold()]
    converted: list[ConvertedRating | None] = []
    known: dict[str, ConvertedRating | str | None] = {}
    for line, row in rows:
        text = row[at]
        if text not in known:
            known[text] = _converted(text, source, targets)
        value = known[text]
        if isinstance(value, str):
            report.add(Skipped(file, line, value))
        converted.append(None if isinstance(value, str) else value)
    if strict and len(report):
        raise StrictError(report.details[0].reason, file=file, line=report.details[0].line)
    if len(report) and not any(converted):
        raise InputError(report.details[0].reason, file=file, line=report.details[0].line)
    cells = tuple(tuple(row) for _, row in rows)
    chosen = tuple(targets) or _OF_RATINGS
    return ConvertedColumn(names, cells, names[at], chosen, tuple(converted), report)


def _converted(
    text: str, source: str | None, targets: Sequence[str]
) -> ConvertedRating | str | None:
    """What a cell becomes; None if it is blank, and why it cannot be converted."""
    if text.casefold() in _BLANK:
        return None
    try:
        return convert_rating(text, source=source, targets=targets)
    except YardstoneError as error:
        return str(error)
