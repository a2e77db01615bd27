"""Small languages: rules and positions of Go, conditions on games, dates, orders of tie-breaks."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.targets import Target
from yardstone.go.positions import parse_position
from yardstone.go.rules import parse_rules_and_komi
from yardstone.grades import parse_grade
from yardstone.records.dates import read_dates
from yardstone.records.decoding import decode
from yardstone.records.where import Where
from yardstone.tournament.standings_table import parse_criteria

__all__ = ["TARGETS"]


def _text(path: Path) -> str:
    return decode(path.read_bytes())


def read_rules(path: Path) -> None:
    """Rules of Go, as a name or as JSON."""
    parse_rules_and_komi(_text(path))


def read_position(path: Path) -> None:
    """A position to be judged: a line of JSON."""
    parse_position(_text(path))


def read_condition(path: Path) -> None:
    """A condition on games."""
    Where(_text(path))


def read_times(path: Path) -> None:
    """Dates of games."""
    read_dates(_text(path).splitlines())


def read_criteria(path: Path) -> None:
    """The order of tie-breaks."""
    parse_criteria(_text(path))


def read_grade(path: Path) -> None:
    """A grade."""
    parse_grade(_text(path))


TARGETS = (
    Target("text-condition", read_condition, words=("and", "or", "not", "between", ">=", "in (")),
    Target("text-criteria", read_criteria),
    Target("text-dates", read_times),
    Target("text-grade", read_grade),
    Target("text-position", read_position),
    Target("text-rules", read_rules),
)
