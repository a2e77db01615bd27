from __future__ import annotations

import pytest

from yardstone.cli import declare
from yardstone.errors import UsageError
from yardstone.ratings.joint import Prior, Relation


def test_anchors_split_at_the_last_equals_sign() -> None:
    assert declare.anchors(["A=2500", " x=y z = -10.5"]) == ({"A": 2500.0, "x=y z": -10.5}, {})


@pytest.mark.parametrize("text", ["A=2500±30", "A=2500,30", "A=2500 +- 30", "A=2500+/-30"])
def test_priors_have_a_deviation(text: str) -> None:
    assert declare.anchors([text])[1] == {"A": Prior(2500.0, 30.0)}


def test_relations_know_the_players() -> None:
    assert declare.relations(["A>B=10±5"], {"A", "B"}) == (Relation("A", "B", 10.0, 5.0),)
    assert declare.relations(["a>b > c=−10±5"], {"a>b", "c"}) == (Relation("a>b", "c", -10.0, 5.0),)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("auto", "auto"),
        ("AUTO", "auto"),
        ("35.5", 35.5),
        ("-20", -20.0),
        ("50%", 0.5),
        ("30±5", Prior(30.0, 5.0)),
        ("45%±5%", Prior(0.45, 0.05)),
    ],
)
def test_parameters(text: str, value: object) -> None:
    assert declare.parameter(text, "--x") == value


@pytest.mark.parametrize(("text", "level"), [("95", 0.95), ("0.95", 0.95), ("99.7%", 0.997)])
def test_levels(text: str, level: float) -> None:
    assert declare.confidence(text) == pytest.approx(level)


def test_columns() -> None:
    assert declare.columns([]) is None
    names = {"first": "White", "second": "Black", "score": "Result"}
    assert declare.columns(["first=White, second=Black", "score=Result"]) == names


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        (declare.anchors, ["A"], "NAME=RATING"),
        (declare.anchors, ["=5"], "NAME=RATING"),
        (declare.anchors, ["A=x"], "--anchor A: 'x' is not a number"),
        (declare.anchors, ["A=inf"], "finite"),
        (declare.anchors, ["A=2500±0"], "positive"),
        (declare.columns, ["first"], "first=NAME"),
    ],
)
def test_what_cannot_be_understood_is_shown(call: object, given: list[str], message: str) -> None:
    assert callable(call)
    with pytest.raises(UsageError, match=message):
        call(given)


@pytest.mark.parametrize("text", ["A=10±5", "A>B", "A>B=10"])
def test_relations_need_all_parts(text: str) -> None:
    with pytest.raises(UsageError):
        declare.relations([text], set())


@pytest.mark.parametrize("text", ["0", "100", "150", "-5", "x"])
def test_levels_out_of_range(text: str) -> None:
    with pytest.raises(UsageError, match="--confidence"):
        declare.confidence(text)
