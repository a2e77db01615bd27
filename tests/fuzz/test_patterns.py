"""No pattern takes far longer for a text that is longer."""

from __future__ import annotations

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
SIZE = 12_000
#: Used on short texts only: lines of 1,000 letters, fields of 200 and of a form, and the settings
#: of whoever runs the server.
SHORT = {
    ("records/mat.py", "_SCORES"), ("records/results.py", "_SET"), ("web/desk/rounds.py", "_QUICK"),
    ("web/settings.py", "_MARKUP"),
}  # fmt: skip
USES: dict[str, Callable[[re.Pattern[Any], Any], object]] = {
    "sub": lambda pattern, text: pattern.sub(text[:0], text),
    "finditer": lambda pattern, text: list(pattern.finditer(text)),
    "search": re.Pattern.search,
    "split": re.Pattern.split,
    "fullmatch": re.Pattern.fullmatch,
    "match": re.Pattern.match,
}


def patterns(part: Path) -> Iterator[tuple[str, str, re.Pattern[Any], str]]:
    for path in sorted(part.rglob("*.py")) if part.is_dir() else [part]:
        text = path.read_text("utf-8") if path.suffix == ".py" else ""
        place = path.relative_to(SOURCE)
        for name in re.findall(r"^(\w+)(?:: .+)? = (?=[^=]*re\.compile)", text, re.MULTILINE):
            module = import_module(f"yardstone.{'.'.join(place.with_suffix('').parts)}")
            value = getattr(module, name)
            several = value.values() if isinstance(value, dict) else value
            for pattern in (value,) if isinstance(value, re.Pattern) else several:
                if isinstance(pattern, re.Pattern):
                    uses = re.findall(rf"\b{name}\.(\w+)\(", text)
                    for use in USES.keys() & uses or ["match"]:
                        yield place.as_posix(), name, pattern, use


def grows_too_fast(pattern: re.Pattern[Any], use: str, least: float = 0.03) -> str | None:
    def seconds(text: str) -> float:
        given = text.encode() if isinstance(pattern.pattern, bytes) else text
        begin = time.process_time()
        USES[use](pattern, given)
        return time.process_time() - begin

    for begin, end, piece in product(("", "a", "1 a", "[", '"'), ("\0", ""), PIECES):
        long, short = (begin + piece * (size // len(piece)) + end for size in (SIZE, SIZE // 4))
        first = seconds(long)
        if first > least and min(first, seconds(long)) > 8 * seconds(short):
            return repr(begin + piece)
    return None


def test_what_grows_too_fast_is_seen() -> None:
    assert grows_too_fast(re.compile(r"\s*:?\s*x"), "fullmatch", least=0.003) is not None
    assert grows_too_fast(re.compile(r"\s*+:?\s*+x"), "fullmatch") is None


@pytest.mark.parametrize("part", sorted(path.name for path in SOURCE.iterdir()))
def test_time_grows_with_the_text(part: str) -> None:
    known = list(patterns(SOURCE / part))
    assert {each[:2] for each in known} >= {each for each in SHORT if each[0].startswith(part)}
    for place, name, pattern, use in known:
        slow = None if (place, name) in SHORT else grows_too_fast(pattern, use)
        assert slow is None, f"{place}:{name}.{use}"
