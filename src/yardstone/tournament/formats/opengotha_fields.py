"""Which attribute of an OpenGotha file is which field of a tournament, both ways.

Defaults are those which OpenGotha itself takes for attributes that a file lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from yardstone.errors import InputError
from yardstone.grades import format_grade, split_grade
from yardstone.tournament.model import Result
from yardstone.tournament.rules import FloatMode, SeedSystem, TimeSystem

__all__ = [
    "GENERAL",
    "HANDICAP",
    "LAST_ROUND",
    "PAIRING",
    "RESULTS",
    "SCORING",
    "TIME",
    "LOWEST",
    "Attribute",
    "format_criterion",
    "format_rank",
    "fields_of",
    "parse_rank",
    "texts_of",
]

#: A file says for so many rounds who takes part.
LAST_ROUND = 20
LOWEST, HIGHEST = -30, 8
_LARGEST = 10**18


@dataclass(frozen=True, slots=True)
class Codec:
    """From the text of an attribute to a value and back; `parse` may raise ValueError."""

    parse: Callable[[str], Any]
    format: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute, the name of the field, how it is written, and its default."""

    attribute: str
    name: str
    codec: Codec
    default: str


def parse_rank(text: str) -> int:
    """A rank such as ``3D``, ``20K`` or ``1P`` (1 dan = 0), from 30 kyu to 9 dan.

    A professional has the amateur rank that OpenGotha gives him: 1P to 3P 7 dan, 4P to
    6P 8 dan, others 9 dan. A number alone means kyu.
    """
    word = text.strip()
    parts = split_grade(f"{word}k" if word.isdecimal() else word)
    if parts is None or not parts[0].is_integer() or parts[0] >= 1000:
        raise ValueError(f"{text!r} is not a rank such as 3D or 12K")
    number, kind = int(parts[0]), parts[1]
    if kind == "pro":
        return 6 if number <= 3 else 7 if number <= 6 else 8
    return max(LOWEST, min(HIGHEST, number - 1 if kind == "dan" else -number))


def format_rank(rank: int) -> str:
    """The inverse of `parse_rank`: 3D, 20K."""
    return format_grade(rank).upper()


def _whole(text: str) -> int:
    number = int(text.strip())
    if abs(number) > _LARGEST:
        raise ValueError("the number is too large")
    return number


def _decimal(text: str) -> float:
    number = float(text.strip())
    if not abs(number) <= 1e9:
        raise ValueError("no number of a sensible size")
    return number


def _truth(text: str) -> bool:
    return text.strip().lower() == "true"


def _date(text: str) -> date | None:
    return date.fromisoformat(text.strip()) if text.strip() else None


def _choice(values: Mapping[str, Any], *, name: str) -> Codec:
    texts = {value: text for text, value in reversed(list(values.items()))}

    def parse(text: str) -> Any:
        try:
            return values[text.strip()]
        except KeyError:
            raise ValueError(f"{text!r} is no {name} ({', '.join(values)})") from None

    return Codec(parse, lambda value: texts.get(value, next(iter(values))))


def _short(number: float) -> str:
    return f"{number:g}" if number != int(number) else f"{number:.1f}"


_TEXT = Codec(str, str)
_WHOLE = Codec(_whole, str)
_DECIMAL = Codec(_decimal, _short)
_KOMI = Codec(
    lambda text: _decimal(text) if text.strip() else None,
    lambda value: "" if value is None else f"{value:g}",
)
_TRUTH = Codec(_truth, lambda value: "true" if value else "false")
_DATE = Codec(_date, lambda value: "" if value is None else value.isoformat())
_RANK = Codec(parse_rank, format_rank)
_HALVES = Codec(lambda text: _whole(text) / 2, lambda value: str(round(2 * value)))
_MINUTES = Codec(lambda text: 60 * _whole(text), lambda value: str(round(value / 60)))
_FLOAT = _choice(
    {"MID": FloatMode.middle, "TOP": FloatMode.top, "BOT": FloatMode.bottom}, name="choice"
)
_SEED = _choice(
    {
        "SPLITANDRANDOM": SeedSystem.random,
        "SPLITANDFOLD": SeedSystem.fold,
        "SPLITANDSLIP": SeedSystem.slide,
    },
    name="seeding",
)
_SYSTEM = _choice(
    {
        "SUDDENDEATH": TimeSystem.sudden_death,
        "STDBYOYOMI": TimeSystem.byo_yomi,
        "CANBYOYOMI": TimeSystem.canadian,
        "FISCHER": TimeSystem.fischer,
    },
    name="time system",
)
_MIXED = {"RANK": "Rank", "RATING": "Rating"}
_CRITERION = Codec(lambda text: text.strip().upper(), lambda name: _MIXED.get(name, name))

GENERAL = (
    Attribute("shortName", "short_name", _TEXT, "defaultshortname"),
    Attribute("name", "name", _TEXT, "default Name"),
    Attribute("location", "place", _TEXT, ""),
    Attribute("director", "director", _TEXT, ""),
    Attribute("beginDate", "begin", _DATE, ""),
    Attribute("endDate", "end", _DATE, ""),
    Attribute("size", "size", _WHOLE, "19"),
    Attribute("komi", "komi", _KOMI, "7.5"),
    Attribute("numberOfRounds", "rounds", _WHOLE, "5"),
)
TIME = (
    Attribute("complementaryTimeSystem", "system", _SYSTEM, "CANBYOYOMI"),
    Attribute("basicTime", "basic", _MINUTES, "60"),
    Attribute("nbMovesCanTime", "moves", _WHOLE, "15"),
    Attribute("fischerTime", "increment", _WHOLE, "10"),
    Attribute("bInternet", "internet", _TRUTH, "false"),
)
SCORING = (
    Attribute("genMMFloor", "floor", _RANK, "20K"),
    Attribute("genMMBar", "bar", _RANK, "4D"),
    Attribute("genMMZero", "zero", _RANK, "30K"),
    Attribute("genNBW2ValueAbsent", "wins_absent", _HALVES, "0"),
    Attribute("genNBW2ValueBye", "wins_bye", _HALVES, "0"),
    Attribute("genMMS2ValueAbsent", "score_absent", _HALVES, "0"),
    Attribute("genMMS2ValueBye", "score_bye", _HALVES, "0"),
    Attribute("genRoundDownNBWMMS", "round_down", _TRUTH, "true"),
    Attribute("genCountNotPlayedGamesAsHalfPoint", "unplayed_as_half", _TRUTH, "false"),
)
HANDICAP = (
    Attribute("hdBasedOnMMS", "by_score", _TRUTH, "true"),
    Attribute("hdNoHdRankThreshold", "threshold", _RANK, "1D"),
    Attribute("hdCorrection", "correction", _WHOLE, "1"),
    Attribute("hdCeiling", "ceiling", _WHOLE, "9"),
)
PAIRING = (
    Attribute("paiStandardNX1Factor", "nx1_factor", _DECIMAL, "0.5"),
    Attribute("paiBaAvoidDuplGame", "avoid_rematch", _WHOLE, "500000000000000"),
    Attribute("paiBaRandom", "randomness", _WHOLE, "0"),
    Attribute("paiBaDeterministic", "deterministic", _TRUTH, "true"),
    Attribute("paiBaBalanceWB", "balance_colours", _WHOLE, "1000"),
    Attribute("paiMaAvoidMixingCategories", "avoid_mixing_categories", _WHOLE, "20000000000000"),
    Attribute("paiMaMinimizeScoreDifference", "minimise_score_difference", _WHOLE, "100000000000"),
    Attribute("paiMaDUDDWeight", "float_weight", _WHOLE, "100000000"),
    Attribute("paiMaCompensateDUDD", "compensate_floats", _TRUTH, "true"),
    Attribute("paiMaDUDDUpperMode", "float_upper", _FLOAT, "MID"),
    Attribute("paiMaDUDDLowerMode", "float_lower", _FLOAT, "MID"),
    Attribute("paiMaMaximizeSeeding", "maximise_seeding", _WHOLE, "5000000"),
    Attribute("paiMaLastRoundForSeedSystem1", "seed_last_round_1", _WHOLE, "2"),
    Attribute("paiMaSeedSystem1", "seed_system_1", _SEED, "SPLITANDRANDOM"),
    Attribute("paiMaSeedSystem2", "seed_system_2", _SEED, "SPLITANDFOLD"),
    Attribute("paiMaAdditionalPlacementCritSystem1", "seed_criterion_1", _CRITERION, "Rating"),
    Attribute("paiMaAdditionalPlacementCritSystem2", "seed_criterion_2", _CRITERION, "NULL"),
    Attribute("paiSeRankThreshold", "rank_threshold", _RANK, "4D"),
    Attribute("paiSeNbWinsThresholdActive", "wins_threshold", _TRUTH, "true"),
    Attribute("paiSeBarThresholdActive", "bar_threshold", _TRUTH, "true"),
    Attribute("paiSeDefSecCrit", "secondary", _WHOLE, "100000000000"),
    Attribute("paiSeMinimizeHandicap", "minimise_handicap", _WHOLE, "0"),
    Attribute("paiSeAvoidSameGeo", "avoid_same_geography", _WHOLE, "100000000000"),
    Attribute("paiSePreferMMSDiffRatherThanSameCountry", "country_difference", _WHOLE, "1"),
    Attribute("paiSePreferMMSDiffRatherThanSameClub", "club_difference", _WHOLE, "3"),
)
#: Name of each result, with and without play; White moves second.
RESULTS: Mapping[str, tuple[Result, bool]] = {
    "RESULT_UNKNOWN": (Result.unknown, False),
    **{
        f"RESULT_{name}{ending}": (result, forfeit)
        for name, result in (
            ("WHITEWINS", Result.second_wins),
            ("BLACKWINS", Result.first_wins),
            ("EQUAL", Result.draw),
            ("BOTHWIN", Result.both_win),
            ("BOTHLOSE", Result.both_lose),
        )
        for ending, forfeit in (("", False), ("_BYDEF", True))
    },
}


def fields_of(
    fields: Iterable[Attribute], attributes: Mapping[str, str], file: str, line: int
) -> dict[str, Any]:
    """The values of fields from the attributes of an element.

    Raises
    ------
    InputError
        An attribute cannot be read.
    """
    values = {}
    for field in fields:
        text = attributes.get(field.attribute, field.default)
        try:
            values[field.name] = field.codec.parse(text)
        except ValueError as error:
            message = str(error)
            reason = message if message.startswith(repr(text)) else "this cannot be used"
            raise InputError(
                f'{field.attribute}="{text}": {reason}', file=file, line=line
            ) from None
    return values


def texts_of(fields: Iterable[Attribute], owner: Any) -> dict[str, str]:
    """The attributes of an element from the values of fields."""
    return {field.attribute: field.codec.format(getattr(owner, field.name)) for field in fields}


def format_criterion(name: str) -> str:
    """The name of a criterion as OpenGotha writes it."""
    return _MIXED.get(name, name)
