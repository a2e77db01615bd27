"""What is typed as the value of an option."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from yardstone.cli import declare
from yardstone.errors import UsageError
from yardstone.ratings.joint import Prior, Relation


def relations(text: str) -> object:
    return declare.relations([text], {"A", "B", "a>b", "c"})


def anchors(text: str) -> object:
    return declare.anchors(text.split("|"))


def columns(text: str) -> object:
    return declare.columns(text.split("|"))


PARAMETER = partial(declare.parameter, option="--x")
LOOSE: tuple[object, ...] = ({}, {"A": Prior(2500.0, 30.0)})
VALUES: list[tuple[Callable[[str], object], dict[str, object]]] = [
    # The last equals sign counts: names may hold others.
    (anchors, {"A=2500| x=y z = -10.5": ({"A": 2500.0, "x=y z": -10.5}, {})}),
    (anchors, {f"A=2500{sign}30": LOOSE for sign in ("±", ",", " +- ", "+/-", ";")}),
    (relations, {"A>B=10±5": (Relation("A", "B", 10.0, 5.0),)}),
    (relations, {"a>b > c=−10±5": (Relation("a>b", "c", -10.0, 5.0),)}),
    (relations, {"x>y=1±2": (Relation("x", "y", 1.0, 2.0),)}),
    (PARAMETER, {"auto": "auto", " Free": "auto", "-20.5": -20.5, "50%": 0.5}),
    (PARAMETER, {"30±5": Prior(30.0, 5.0), "45%±5%": Prior(0.45, 0.05)}),
    (declare.confidence, {"95": 0.95, "1": 0.01, "0.95": 0.95, "99.7%": pytest.approx(0.997)}),
    (columns, {"first=W, second=B|score=R": {"first": "W", "second": "B", "score": "R"}}),
    (lambda text: declare.named_values([text]), {"a-b = 1": {"a_b": "1"}, "c=x=y": {"c": "x=y"}}),
    (lambda text: declare.named_values([text], "k"), {"k=1": {"k": "1"}}),
    (declare.plain_value, {"None": None, "": None, "True": True, "false": False}),
    (declare.plain_value, {"12": 12, "1e3": 1000.0, "month": "month"}),
]


def test_what_is_typed_has_a_value() -> None:
    for read, values in VALUES:
        for text, value in values.items():
            assert read(text) == value, text
    assert [type(declare.plain_value(text)) for text in ("12", "1e3", "True")] == [int, float, bool]


def test_what_cannot_be_understood_is_shown() -> None:
    rows: list[tuple[Callable[[Any], object], str, str]] = [
        (anchors, "A", "NAME=RATING"),
        (anchors, "=5", "NAME=RATING"),
        (anchors, "A=x", "--anchor A: 'x' is not a number"),
        (anchors, "A=inf", "finite"),
        (anchors, "A=2500±0", "positive"),
        (anchors, "A=1±2±3", "write a mean and a deviation"),
        (columns, "first", "first=NAME"),
        (columns, "first= ", "first=NAME"),
        (relations, "A=10±5", "A>B=POINTS±DEVIATION"),
        (relations, "A>B", "A>B=POINTS±DEVIATION"),
        (relations, "A>B=10", "a mean and a deviation"),
        (lambda text: declare.named_values([text], "k", "tau"), "tua=1", "did you mean 'tau'"),
        (PARAMETER, "x", "--x: 'x' is not a number"),
        *((declare.confidence, text, "--confidence") for text in ("0", "100", "150", "-5", "x")),
    ]
    for read, text, message in rows:
        with pytest.raises(UsageError, match=message):
            read(text)
