"""Words and numbers given by the caller, checked against what there is.

`check_fields` reads what a dataclass of parameters takes from its annotations, so that a class says
it once, and `checked_arguments` what a function takes; the other functions serve single arguments.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from enum import IntEnum, StrEnum
from functools import cache, wraps
from inspect import get_annotations
from math import inf, isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypeVar, cast, get_args, get_origin

from yardstone.errors import UnknownPlayerError, UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Settings = TypeVar("Settings", bound=DataclassInstance)

P = ParamSpec("P")
R = TypeVar("R")


#: More names than this are not listed in a message.
_MOST = 60
_LITERAL = re.compile(r"(?:typing\.)?Literal\[([^\]]*)\]")
#: A part of a union, with what stands in brackets kept whole.
_TOKEN = re.compile(r"[^|\[]+(?:\[[^\]]*\])?")


def plural(number: int, noun: str, many: str | None = None) -> str:
    """A number with its noun: 1 game, 27,605 games."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def words(text: str) -> list[str]:
    """The parts of a list that somebody has typed, between commas or semicolons."""
    return [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The one of `words` that `word` may have been meant for, capitals aside.

    Examples:
        >>> nearest("likelihod", ["score", "likelihood"]), nearest("x", ["score"])
        ('likelihood', None)
    """
    known = {each.casefold(): each for each in words}
    asked = word.casefold()
    swapped = [each for each in known if sorted(each) == sorted(asked)]
    close = swapped or get_close_matches(asked, known, n=1, cutoff=0.7)
    return known[close[0]] if close else None


def no_such(what: str, word: str, words: Iterable[str], *, likely: Collection[str] = ()) -> str:
    """A sentence for a name that is not among those there are; it means one of `likely`, if any.

    Examples:
        >>> no_such("column", "whte", ["white", "black"])
        "there is no column 'whte', did you mean 'white'? There are white, black"
    """
    known = list(words)
    near = nearest(word, likely or known)
    hint = "" if near is None else f", did you mean {near!r}?"
    if not known:
        return f"there is no {what} {word!r}, and no other"
    more = "" if len(known) <= _MOST else f" and {len(known) - _MOST} more"
    listed = ", ".join(known[:_MOST]) + more
    return f"there is no {what} {word!r}{hint}{' There are' if hint else ': there are'} {listed}"


class CheckedParameters:
    """Base of dataclasses that refuse parameters they do not have, and say which may be meant."""

    def __new__(cls, *values: Any, **given: Any) -> Self:
        """Check the names of the parameters."""
        known = [part.name for part in fields(cast("Any", cls)) if part.init]
        if unknown := sorted(given.keys() - set(known)):
            raise UsageError(no_such(f"parameter of {cls.__name__}", unknown[0], known))
        return super().__new__(cls)


def checked_arguments(*further: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function that refuses keywords it does not take, and says which may be meant.

    `further` are classes whose fields it takes as well (``**more``). A mapping is likely
    meant for an argument that takes one.

    Examples:
        >>> @checked_arguments()
        ... def rate(games: list[str], anchor: str = "", anchors: Mapping[str, float] = {}) -> int:
        ...     return len(games)
        >>> rate([], anchr={"Ann": 2100})
        Traceback (most recent call last):
        yardstone.errors.UsageError: there is no argument 'anchr', did you mean 'anchors'? There \
are games, anchor, anchors
    """

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        plain: Any = function
        while hasattr(plain, "__wrapped__"):
            plain = plain.__wrapped__
        code = plain.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        taken = {n: plain.__annotations__[n] for n in names if n in plain.__annotations__}
        for kind in further:
            taken |= kind.__annotations__

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name, value in kwargs.items():
                if name not in taken:
                    if name in ("progress", "workers"):
                        raise UsageError(
                            f"{name} is set for all that is called within "
                            f"`with yardstone.parallel.context({name}=...):`"
                        )
                    kind = "Mapping" if isinstance(value, Mapping) else None
                    likely = [each for each, of in taken.items() if kind and kind in str(of)]
                    raise UsageError(no_such("argument", name, taken, likely=likely))
            return function(*args, **kwargs)

        return checked

    return mark


def unknown_player(player: object, players: Iterable[str]) -> UnknownPlayerError:
    """The error for a player who is not there, with those who may be meant.

    Examples:
        >>> print(unknown_player("Ana", ["Anna", "Bob"]))
        no player is called 'Ana' (did you mean 'Anna'?)
    """
    asked = str(player).casefold()
    known = {each.casefold(): each for each in players}
    close = get_close_matches(asked, known, n=3, cutoff=0.6)
    close += [key for key in known if asked in key and key not in close][: 3 - len(close)]
    meant = " or ".join(repr(known[key]) for key in close)
    return UnknownPlayerError(
        f"no player is called {player!r}", hint=f"did you mean {meant}?" if close else None
    )


def one_of(words: Iterable[str]) -> str:
    """Names as a sentence lists them: ``'a', 'b' or 'c'``."""
    *some, last = [repr(word) for word in words]
    return f"{', '.join(some)} or {last}" if some else last


def check_choice(what: str, value: object, choices: Collection[str]) -> None:
    """Raise UsageError unless `value` is one of `choices`.

    Examples:
        >>> check_choice("the metric", "acuracy", ["accuracy", "brier"])
        Traceback (most recent call last):
        yardstone.errors.UsageError: the metric is 'accuracy' or 'brier', not 'acuracy' \
(did you mean 'accuracy'?)
    """
    if isinstance(value, str) and value in choices:
        return
    raise UsageError(f"{what} is {one_of(choices)}, not {value!r}{_meant(value, choices)}")


def _meant(value: object, words: Iterable[str]) -> str:
    near = nearest(value, words) if isinstance(value, str) else None
    return "" if near is None else f" (did you mean {near!r}?)"


def check_number(
    what: str,
    value: object,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    whole: bool = False,
) -> None:
    """Raise UsageError unless `value` is a finite number within the limits.

    `least` and `most` are allowed themselves, `above` and `below` are not.
    """
    wanted = "a whole number" if whole else "a number"
    limits = [
        f"{word} {limit:g}"
        for word, limit in (("from", least), ("above", above), ("to", most), ("below", below))
        if limit is not None
    ]
    # A sentence only where there is something to complain of: this runs often.
    if (
        isinstance(value, Real)
        and _is_finite(value)
        and (not whole or isinstance(value, Integral))
        and (least is None or float(value) >= least)
        and (most is None or float(value) <= most)
        and (above is None or float(value) > above)
        and (below is None or float(value) < below)
    ):
        return
    raise UsageError(f"{what} must be {' '.join([wanted, *limits])}, not {value!r}")


def _is_finite(value: Real) -> bool:
    """Whether a number is finite as a float: a whole number may be too large for one."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


class _Form(IntEnum):
    """What a field takes, in the order in which fields are checked."""

    NAME = 0
    NUMBERS = 1
    VALUE = 2


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a field takes; all but the first two fields say what values other than names may be."""

    form: _Form
    name: str
    words: tuple[str, ...]
    number: bool
    whole: bool
    none: bool
    other: bool
    infinite: bool

    def fits(self, value: object, *, infinite: bool) -> bool:
        if value is None:
            return self.none
        if isinstance(value, str):
            return self.form is _Form.NAME or value in self.words
        if not isinstance(value, Real):
            return self.other
        if not self.number or (self.whole and not isinstance(value, Integral)):
            return False
        return _is_finite(value) or ((self.infinite or infinite) and value in (inf, -inf))


def check_fields(owner: Any, *, infinite: Collection[str] = ()) -> None:
    """Raise UsageError if a field of a dataclass holds what its annotation does not allow.

    Words must be among those of a ``Literal``, numbers must be numbers, whole ones where ``int``
    stands, and finite but for fields whose default is not, and those named in `infinite`. Names
    must be texts, and mappings of numbers hold numbers. Other types are left alone.
    """
    owning: Any = type(owner)
    kinds = _kinds(owning)
    for kind in kinds:
        name, value = kind.name, getattr(owner, kind.name)
        if kind.form is _Form.NUMBERS:
            if not isinstance(value, Mapping):
                raise UsageError(
                    f"{name} must name numbers, such as {{'Ann': 2100}}, not {value!r}"
                )
            for key, number in value.items():
                check_number(f"{name} of {key}", number)
        elif not kind.fits(value, infinite=name in infinite):
            if kind.form is _Form.NAME:
                mappings = [each.name for each in kinds if each.form is _Form.NUMBERS]
                hint = _meant(name, mappings) if isinstance(value, Mapping) else ""
                raise UsageError(f"{name} must be a name, not {value!r}{hint}")
            wanted = ["a whole number" if kind.whole else "a number"] if kind.number else []
            wanted += [repr(word) for word in kind.words] + (["None"] if kind.none else [])
            hint = _meant(value, kind.words)
            raise UsageError(f"{name} must be {' or '.join(wanted)}, not {value!r}{hint}")


@cache
def _kinds(owner: Any) -> tuple[_Kind, ...]:
    """The fields of a class that can be checked, in the order of their forms."""
    kinds = []
    for part in fields(owner):
        text = _spelled_out(owner, part.name)
        words = tuple(
            word.strip().strip("\"'")
            for inside in _LITERAL.findall(text)
            for word in inside.split(",")
        )
        rest = {token.strip() for token in _LITERAL.sub("", text).split("|")} - {""}
        number = bool(rest & {"float", "int"})
        if text == "Mapping[str, float]":
            form = _Form.NUMBERS
        elif rest - {"None"} == {"str"} and not words:
            form = _Form.NAME
        elif "str" in rest or not (number or words):
            continue
        else:
            form = _Form.VALUE
        default = part.default
        kinds.append(
            _Kind(
                form,
                part.name,
                words,
                number,
                whole="int" in rest and "float" not in rest,
                none="None" in rest,
                other=form is _Form.VALUE and bool(rest - {"float", "int", "None"}),
                infinite=isinstance(default, Real) and not isfinite(default),
            )
        )
    return tuple(sorted(kinds, key=lambda kind: kind.form))


def _spelled_out(owner: type, field: str) -> str:
    """The annotation of a field; a name that its module gives to a union is written out."""
    home = next(each for each in owner.__mro__ if field in get_annotations(each))
    names = getattr(sys.modules.get(home.__module__), "__dict__", {})
    parts = []
    for token in _TOKEN.findall(str(get_annotations(home)[field])):
        meant = names.get(token.strip())
        if get_origin(meant) is Literal:
            parts.append(str(meant))
        elif union := get_args(meant):
            parts += [str(part) if get_args(part) else part.__name__ for part in union]
        else:
            parts.append(token)
    return " | ".join(parts)


_WORDS = dict.fromkeys(("true", "yes", "on", "1"), True)
_WORDS |= dict.fromkeys(("false", "no", "off", "0"), False)


def with_values(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The same with other values, which may be texts such as ``"1e-3"``.

    Args:
        settings: Its values are numbers, truth values, texts and words of an enumeration; others
            cannot be set.

    Raises:
        UsageError: There is no such setting, or its value is of no use.
    """
    now = {field.name: getattr(settings, field.name) for field in fields(settings)}
    kinds = {name: type(value) for name, value in now.items() if isinstance(value, (Real, str))}
    made: dict[str, Any] = {}
    for name, value in values.items():
        if name not in kinds:
            raise UsageError(f"there is no setting {name!r}: there are {', '.join(kinds)}")
        made[name] = _converted(name, value, kinds[name])
    return replace(settings, **made)


def _converted(name: str, value: Any, kind: type) -> Any:
    word = str(value).strip()
    if kind is bool:
        made, wanted = _WORDS.get(word.lower()), "true or false"
        if made is not None and isinstance(value, (bool, str)):
            return made
    elif issubclass(kind, str):
        with suppress(ValueError):
            return kind(word.lower() if issubclass(kind, StrEnum) else word)
        wanted = one_of(map(str, cast("type[StrEnum]", kind)))
    else:
        wanted = "a number"
        with suppress(TypeError, ValueError, OverflowError):
            number = float(value)
            if not isinstance(value, bool) and not math.isnan(number):
                if kind is not int:
                    return number
                if number.is_integer():
                    return int(number)
                wanted = "a whole number"
    raise UsageError(f"{name} is {value!r}; it must be {wanted}")
