"""Settings of a dataclass by their names, from texts such as those of ``--set``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Settings = TypeVar("Settings", bound=DataclassInstance)

__all__ = ["with_values"]

_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def with_values(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The same with other values, which may be texts such as ``"1e-3"``.

    Parameters
    ----------
    settings : dataclass
        Its values are numbers and truth values.
    values : mapping

    Raises
    ------
    UsageError
        There is no such setting, or its value is of no use.
    """
    kinds = {field.name: type(getattr(settings, field.name)) for field in fields(settings)}
    made: dict[str, Any] = {}
    for name, value in values.items():
        if name not in kinds:
            raise UsageError(f"there is no setting {name!r}: there are {', '.join(kinds)}")
        made[name] = _converted(name, value, kinds[name])
    return replace(settings, **made)


def _converted(name: str, value: Any, kind: type) -> Any:
    if kind is bool:
        if isinstance(value, bool):
            return value
        if str(value).strip().lower() in _WORDS:
            return _WORDS[str(value).strip().lower()]
        raise UsageError(f"{name} is {value!r}; it must be true or false")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name} is {value!r}; it must be a number") from None
    if isinstance(value, bool) or math.isnan(number):
        raise UsageError(f"{name} is {value!r}; it must be a number")
    if kind is int:
        if not number.is_integer():
            raise UsageError(f"{name} is {value!r}; it must be a whole number")
        return int(number)
    return number
