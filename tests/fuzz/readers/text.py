"""Small languages: rules and positions of Go, conditions on games, dates, orders of tie-breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.fuzz.targets import Target
from yardstone.go.positions import parse_position
from yardstone.go.rules import parse_rules_and_komi
from yardstone.grades import parse_grade
from yardstone.records.dates import read_dates
from yardstone.records.decoding import decode
from yardstone.records.where import Where
from yardstone.tournament.standings_table import parse_criteria

_WORDS = ("AND", "or", "NOT", "between", ">=", "in (", "LIKE", "IS NULL")


def _of(parse: Callable[[str], object]) -> Callable[[Path], object]:
    return lambda path: parse(decode(path.read_bytes()))


TARGETS = (
    Target("text-condition", _of(Where), words=_WORDS),
    Target("text-criteria", _of(parse_criteria)),
    Target("text-dates", _of(lambda text: read_dates(text.splitlines()))),
    Target("text-grade", _of(parse_grade)),
    Target("text-position", _of(parse_position)),
    Target("text-rules", _of(parse_rules_and_komi)),
)
