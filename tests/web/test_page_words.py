"""Ranks on axes, limits, moments and progress in words."""

from __future__ import annotations

from typing import Any

import pytest

from yardstone.web.pages.render import (
    days_words,
    error_lines,
    moment_words,
    progress,
    sentence,
    size_words,
)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "1 byte"),
        (900, "900 bytes"),
        (100_000, "97 kB"),
        (16 << 20, "16 MB"),
        (3 << 19, "1.5 MB"),
    ],
)
def test_sizes(number: int, words: str) -> None:
    assert size_words(number) == words


@pytest.mark.parametrize(
    ("days", "words"), [(30.0, "30 days"), (1.0, "1 day"), (0.5, "12 hours"), (0.001, "1 hour")]
)
def test_days(days: float, words: str) -> None:
    assert days_words(days) == words


def test_moments() -> None:
    assert moment_words("2026-01-31T12:05:00Z") == "31 January 2026, 12:05 UTC"
    assert moment_words(None) == "an unknown day"


def test_sentences() -> None:
    assert sentence("send even games") == "Send even games."
    assert sentence("Why?") == "Why?"
    error = {"message": "it ends early", "file": "a.sgf", "line": 3, "hint": None}
    assert error_lines(error) == ["a.sgf, line 3: it ends early."]
    assert error_lines({"message": "no", "hint": "wait"}) == ["No.", "Wait."]


def job(status: str, stage: str = "waiting", done: int = 0, total: int = 0) -> dict[str, Any]:
    fraction = done / total if total else 0.0
    result = {"stage": stage, "done": done, "total": total, "fraction": fraction}
    return {"status": status, "kind": "backgammon", "ahead": None, "progress": result}


def test_progress() -> None:
    waiting = {**job("queued"), "ahead": 2}
    assert progress(waiting)["words"] == "Waiting: 2 jobs before yours."
    assert progress({**waiting, "ahead": 0})["words"] == "You are next."
    reading = progress(job("running", "reading"))
    assert (reading["share"], reading["words"]) == (None, "Reading the files …")
    assert progress(job("running", "reading", 1, 3))["words"] == "Reading the files: 33 %."
    half = progress(job("running", "analysing", 1, 2))
    assert (half["share"], half["words"]) == (0.5, "Analysing: 1 of 2 matches.")
    assert half["going"]
    assert not progress(job("needs_player"))["going"]
    assert progress(job("running", "packing"))["words"] == "Packing …"
