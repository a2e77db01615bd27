"""No pattern takes far longer for a text that is longer."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.targets import ROOT

SOURCE = ROOT / "src" / "yardstone"
PIECES = (
    " ", "\t", "\n", "0", "a", "A", ".", "-", "_", ",", ":", ";", "(", "[", "<", '"', "\\", "/",
    "=", "é", "九", "1.", "1-", "0 ", "a ", " a", "a=", "[]", '\\"', "0:", "1k ", "\r\n",
)  # fmt: skip
BEGINNINGS = ("", "a", "1 a", "[", '"')
SIZE = 12_000
#: Used on short texts only.
SHORT = {
    ("records/mat.py", "_SCORES"): "lines of 1,000 letters",
    ("records/results.py", "_SET"): "fields of 200 letters",
    ("web/desk/rounds.py", "_QUICK"): "a field of a form",
    ("web/settings.py", "_MARKUP"): "the settings of whoever runs the server",
}

Use = Callable[[Any], object]


def patterns(part: Path) -> Iterator[tuple[str, str, re.Pattern[Any], str]]:
    """Module, name and pattern of each, and the method that it is used by."""
    for path in sorted(part.rglob("*.py")) if part.is_dir() else [part]:
        text = path.read_text("utf-8") if path.suffix == ".py" else ""
        if "re.compile" not in text:
            continue
        place = path.relative_to(SOURCE)
        module = import_module(f"yardstone.{'.'.join(place.with_suffix('').parts)}")
        for statement in ast.parse(text).body:
            if not isinstance(statement, ast.Assign) or "re.compile" not in ast.unparse(statement):
                continue
            name = ast.unparse(statement.targets[0])
            value = getattr(module, name)
            several = value.values() if isinstance(value, dict) else value
            for pattern in (value,) if isinstance(value, re.Pattern) else several:
                if isinstance(pattern, re.Pattern):
                    uses = re.findall(rf"\b{name}\.(search|sub|finditer|split|fullmatch)\(", text)
                    for use in sorted(set(uses)) or ["match"]:
                        yield place.as_posix(), name, pattern, use


def used(pattern: re.Pattern[Any], use: str) -> Use:
    """The pattern, used so, on a text."""
    if use == "sub":
        return lambda text: pattern.sub(text[:0], text)
    if use == "finditer":
        return lambda text: list(pattern.finditer(text))
    method: Use = getattr(pattern, use)
    return method


def seconds(use: Use, text: str | bytes) -> float:
    """The processor's time."""
    begin = time.process_time()
    use(text)
    return time.process_time() - begin


def grows_too_fast(use: Use, *, encoded: bool = False, least: float = 0.03) -> str | None:
    """A piece of which four times as many take far more than four times as long."""
    for begin, end, piece in product(BEGINNINGS, ("\0", ""), PIECES):
        texts = [begin + piece * (size // len(piece)) + end for size in (SIZE, SIZE // 4)]
        long, short = [text.encode() for text in texts] if encoded else texts
        first = seconds(use, long)
        if first > least and min(first, seconds(use, long)) > 8 * seconds(use, short):
            return repr(begin + piece)
    return None


def test_what_grows_too_fast_is_seen() -> None:
    assert grows_too_fast(re.compile(r"\s*:?\s*x").fullmatch, least=0.003) is not None
    assert grows_too_fast(re.compile(r"\s*+:?\s*+x").fullmatch) is None


@pytest.mark.parametrize("part", sorted(path.name for path in SOURCE.iterdir()))
def test_time_grows_with_the_text(part: str) -> None:
    known = list(patterns(SOURCE / part))
    assert {each[:2] for each in known} >= {each for each in SHORT if each[0].startswith(part)}
    for place, name, pattern, use in known:
        if (place, name) not in SHORT:
            encoded = isinstance(pattern.pattern, bytes)
            slow = grows_too_fast(used(pattern, use), encoded=encoded)
            assert slow is None, f"{place}:{name}.{use}"
