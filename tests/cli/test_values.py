from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from yardstone.cli import declare
from yardstone.errors import UsageError
from yardstone.ratings.joint import Prior, Relation


def parameter(text: str) -> object:
    return declare.parameter(text, "--x")


def relations(texts: list[str]) -> object:
    return declare.relations(texts, {"A", "B", "a>b", "c"})


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        # The last equals sign counts: names may hold others.
        (declare.anchors, ["A=2500", " x=y z = -10.5"], ({"A": 2500.0, "x=y z": -10.5}, {})),
        *(
            (declare.anchors, [text], ({}, {"A": Prior(2500.0, 30.0)}))
            for text in ("A=2500±30", "A=2500,30", "A=2500 +- 30", "A=2500+/-30", "A=2500;30")
        ),
        (relations, ["A>B=10±5"], (Relation("A", "B", 10.0, 5.0),)),
        (relations, ["a>b > c=−10±5"], (Relation("a>b", "c", -10.0, 5.0),)),
        (relations, ["x>y=1±2"], (Relation("x", "y", 1.0, 2.0),)),
        (parameter, "auto", "auto"),
        (parameter, " Free", "auto"),
        (parameter, "35.5", 35.5),
        (parameter, "-20", -20.0),
        (parameter, "50%", 0.5),
        (parameter, "30±5", Prior(30.0, 5.0)),
        (parameter, "45%±5%", Prior(0.45, 0.05)),
        (declare.confidence, "95", 0.95),
        (declare.confidence, "1", 0.01),
        (declare.confidence, "0.95", 0.95),
        (declare.confidence, "99.7%", 0.997),
        (declare.columns, [], None),
        (
            declare.columns,
            ["first=White, second=Black", "score=Result"],
            {"first": "White", "second": "Black", "score": "Result"},
        ),
        (declare.named_values, ["a-b = 1", "c=x=y"], {"a_b": "1", "c": "x=y"}),
        (declare.named_values, None, {}),
        (declare.plain_value, "None", None),
        (declare.plain_value, "", None),
        (declare.plain_value, "True", True),
        (declare.plain_value, "false", False),
        (declare.plain_value, "12", 12),
        (declare.plain_value, "1e3", 1000.0),
        (declare.plain_value, "month", "month"),
    ],
)
def test_what_is_typed_has_a_value(read: Callable[[Any], object], text: Any, value: object) -> None:
    made = read(text)
    assert made == (pytest.approx(value) if isinstance(value, float) else value)
    assert type(made) is type(value)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (declare.anchors, ["A"], "NAME=RATING"),
        (declare.anchors, ["=5"], "NAME=RATING"),
        (declare.anchors, ["A=x"], "--anchor A: 'x' is not a number"),
        (declare.anchors, ["A=inf"], "finite"),
        (declare.anchors, ["A=2500±0"], "positive"),
        (declare.anchors, ["A=1±2±3"], "write a mean and a deviation"),
        (declare.columns, ["first"], "first=NAME"),
        (declare.columns, ["first= "], "first=NAME"),
        (relations, ["A=10±5"], "A>B=POINTS±DEVIATION"),
        (relations, ["A>B"], "A>B=POINTS±DEVIATION"),
        (relations, ["A>B=10"], "a mean and a deviation"),
        *((declare.confidence, text, "--confidence") for text in ("0", "100", "150", "-5", "x")),
    ],
)
def test_what_cannot_be_understood_is_shown(
    read: Callable[[Any], object], text: Any, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        read(text)


def test_only_settings_that_there_are() -> None:
    assert declare.named_values(["k=1"], "k", "tau") == {"k": "1"}
    with pytest.raises(UsageError, match="did you mean 'tau'"):
        declare.named_values(["tua=1"], "k", "tau")
