"""Messages that show something of the input are short and steer no terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.cases import bad_message
from yardstone.errors import InputError, SkippedWarning, UsageError, YardstoneError, shown
from yardstone.pool import Skipped

HOSTILE = "\x1b[2J\u202egnp.exe\r\ud800\x9b31m\u2028"


def test_plain_text_stays_as_it_is() -> None:
    for text in ("no such file", "Dvořák – 九段 “x”\nsecond line", "a\u00a0b"):
        assert shown(text) == text


def test_control_characters_are_written_out() -> None:
    assert shown(HOSTILE) == "\\x1b[2J\\u202egnp.exe\\r\\ud800\\x9b31m\\u2028"


def test_long_text_keeps_its_beginning_and_its_end() -> None:
    text = shown(f"column {'x' * 60_000} is not known")
    assert len(text) <= 400
    assert text.startswith("column xxx")
    assert text.endswith("xxx is not known")


@given(st.text(st.characters(), max_size=600))
def test_whatever_is_shown_is_harmless(text: str) -> None:
    assert len(shown(text)) <= 400
    assert bad_message(shown(text)) is None


@pytest.mark.parametrize(
    "message",
    [
        InputError(f"{HOSTILE} is no result", file="a.csv", line=3, hint="x" * 60_000),
        InputError("x" * 60_000, file=f"{HOSTILE}.pgn"),
        UsageError(f"{HOSTILE * 1000} is no system"),
        SkippedWarning("left out: " + "x" * 60_000),
        Skipped("a.pgn", 3, f"result {HOSTILE * 1000}"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_all_messages_are(message: YardstoneError | SkippedWarning | Skipped) -> None:
    assert bad_message(str(message)) is None
