"""Messages that show something of the input are short and steer no terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import yardstone
from tests.fuzz.cases import bad_message
from yardstone.errors import InputError, SkippedWarning, UsageError, shown
from yardstone.pool import Skipped

HOSTILE = "\x1b[2J\u202egnp.exe\r\ud800\x9b31m\u2028"


@given(st.text(st.characters(), max_size=600))
def test_whatever_is_shown_is_short_and_harmless(text: str) -> None:
    assert len(shown(text)) <= 400
    assert bad_message(shown(text)) is None


def test_messages_are_short_and_harmless() -> None:
    for text in ("no such file", "Dvořák – 九段 “x”\nsecond line", "a\u00a0b", "x" * 400):
        assert shown(text) == text
    assert shown(HOSTILE) == "\\x1b[2J\\u202egnp.exe\\r\\ud800\\x9b31m\\u2028"
    assert shown(f"column {'x' * 394}") == f"column {'x' * 240} … {'x' * 150}"
    for message in (
        InputError(f"{HOSTILE} is no result", file="a.csv", line=3, hint="x" * 60_000),
        InputError("x" * 60_000, file=f"{HOSTILE}.pgn"),
        UsageError(f"{HOSTILE * 1000} is no system"),
        SkippedWarning("left out: " + "x" * 60_000),
        Skipped("a.pgn", 3, f"result {HOSTILE * 1000}"),
    ):
        assert bad_message(str(message)) is None


def test_a_message_has_its_place_and_a_hint() -> None:
    error = InputError("gone", file="a.pgn", line=3, hint="look")
    assert (str(error), error.advice) == ("a.pgn:3: gone (look)", "gone (look)")
    assert str(InputError("gone", file="a.pgn")) == "a.pgn: gone"
    assert str(yardstone.UnknownPlayerError("nobody")) == "nobody"  # a KeyError shows quotes
    for extra, install in ((None, "pandas"), ("plot", "'yardstone[plot]'")):
        missing = yardstone.MissingExtraError("pandas (or polars)", extra)
        assert str(missing) == f"pandas (or polars) is not installed: pip install {install}"


def test_errors_are_pythons_own_as_well() -> None:
    for error, own in (
        (yardstone.InputError, ValueError),
        (yardstone.UsageError, ValueError),
        (yardstone.WrongTypeError, TypeError),
        (yardstone.UnknownPlayerError, KeyError),
        (yardstone.MissingFileError, FileNotFoundError),
        (yardstone.MissingExtraError, ImportError),
    ):
        assert {yardstone.YardstoneError, own} <= set(error.__mro__)
