"""What may be asked for beside the files: a field checks, describes and offers itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from yardstone.records.decoding import clean
from yardstone.web.problems import RequestProblem

__all__ = [
    "ChoiceField",
    "Field",
    "NumberField",
    "PlayersField",
    "UserField",
    "bad_option",
    "level_field",
    "only_value",
]

_LONGEST_NAME = 200
#: Levels of intervals that the page offers.
_LEVELS = (0.8, 0.9, 0.95, 0.99)


def bad_option(name: str, reason: str) -> RequestProblem:
    """A field that cannot be used."""
    return RequestProblem(422, "bad_option", f"{name}: {reason}.", "Correct it and send again.")


def only_value(name: str, values: Sequence[str]) -> str:
    """The only value of a field; '' if it was not sent or left empty."""
    filled = [text for value in values if (text := value.strip())]
    if len(filled) > 1:
        raise bad_option(name, "it was sent more than once")
    return filled[0] if filled else ""


@dataclass(frozen=True, kw_only=True)
class Field(ABC):
    """A field of the form.

    Attributes
    ----------
    name : str
    about : str
        For the description of the interface.
    label, hint : str
        For the page, which has only the fields with a label.
    optional : bool
        Whether it may have no value at all; batches do without it.
    """

    name: str
    about: str = ""
    label: str = ""
    hint: str = ""
    optional: bool = False

    @abstractmethod
    def read(self, values: Sequence[str]) -> Any:
        """The value of the option; raises `RequestProblem` if it is none of those offered."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """What OpenAPI says of it."""

    def usual(self) -> str:
        """What it is if it is left empty, in words; '' if that needs none."""
        return ""

    def offers(self) -> list[tuple[str, str]]:
        """Other values that the page offers, with their words; none if it takes any text."""
        return []


@dataclass(frozen=True, kw_only=True)
class ChoiceField(Field):
    """One of some words, the usual one first.

    Attributes
    ----------
    values : sequence of str
    words : sequence of str
        What the page says of them.
    """

    values: Sequence[str]
    words: Sequence[str] = ()

    def read(self, values: Sequence[str]) -> str | None:
        """The word; the first one, or None, if there is none."""
        value = only_value(self.name, values).lower()
        if not value:
            return None if self.optional else self.values[0]
        if value not in self.values:
            raise bad_option(self.name, f"choose {', '.join(self.values)}")
        return value

    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        schema: dict[str, Any] = {"type": "string", "enum": list(self.values)}
        return schema if self.optional else {**schema, "default": self.values[0]}

    def usual(self) -> str:
        """The words of the first value."""
        return self.words[0]

    def offers(self) -> list[tuple[str, str]]:
        """The others."""
        return list(zip(self.values, self.words, strict=True))[1:]


@dataclass(frozen=True, kw_only=True)
class NumberField(Field):
    """A number between bounds.

    Attributes
    ----------
    low, high, default : float
    offered : tuple of float
        Those that the page offers.
    form : str
        How it says them.
    """

    low: float
    high: float
    default: float
    offered: tuple[float, ...] = ()
    form: str = "g"

    def read(self, values: Sequence[str]) -> float:
        """The number."""
        text = only_value(self.name, values)
        if not text:
            return self.default
        try:
            value = float(text)
        except ValueError:
            raise bad_option(self.name, "this is not a number") from None
        if not (isfinite(value) and self.low <= value <= self.high):
            raise bad_option(self.name, f"give {self.low:g} to {self.high:g}")
        return value

    def schema(self) -> dict[str, Any]:
        """A number with its bounds."""
        bounds = {"minimum": self.low, "maximum": self.high}
        return {"type": "number", **bounds, "default": self.default}

    def usual(self) -> str:
        """The default."""
        return self._words(self.default)

    def offers(self) -> list[tuple[str, str]]:
        """Those offered, as the page says them."""
        return [(f"{value:g}", self._words(value)) for value in self.offered]

    def _words(self, value: float) -> str:
        return format(value, self.form).replace("%", " %")


@dataclass(frozen=True, kw_only=True)
class UserField(Field):
    """The name of a user of a server of games, whose games take the place of files."""

    def read(self, values: Sequence[str]) -> str | None:
        """The name, or None."""
        name = clean(only_value(self.name, values))
        if len(name) > _LONGEST_NAME:
            raise bad_option(self.name, f"a name has at most {_LONGEST_NAME} characters")
        return name or None

    def schema(self) -> dict[str, Any]:
        """A name."""
        return {"type": "string", "maxLength": _LONGEST_NAME}


@dataclass(frozen=True, kw_only=True)
class PlayersField(Field):
    """Names of players: one, or in a batch some, each of which makes a job."""

    def read(self, values: Sequence[str]) -> list[str]:
        """The names, each once."""
        names = list(dict.fromkeys(name for each in values if (name := clean(each))))
        if any(len(name) > _LONGEST_NAME for name in names):
            raise bad_option(self.name, f"a name has at most {_LONGEST_NAME} characters")
        return names

    def schema(self) -> dict[str, Any]:
        """A name."""
        return {"type": "string", "minLength": 1, "maxLength": _LONGEST_NAME}


def level_field(default: float) -> NumberField:
    """The level of the intervals."""
    return NumberField(
        name="level",
        low=0.5,
        high=0.999,
        default=default,
        offered=_LEVELS,
        form=".0%",
        about="Level of the intervals.",
        label="Level of the intervals",
    )
