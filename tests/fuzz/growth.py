"""Time against size: a reader that takes four times as long for twice the input is at fault."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.fuzz.cases import Fault, run_case
from tests.fuzz.targets import Target

__all__ = ["growth_fault", "repeated"]

#: Less than this is no growth worth a look.
_FLOOR = 0.25
_TIMES = 4
#: Quadratic growth takes 16 times as long for 4 times the input, sorting 5 times.
_MOST = 8.0
_PIECES = (
    b'"', b"'", b"(", b"[", b"{", b",", b";", b" ", b"\n", b"0", b"a", b"\\", b"<", b"<!--", b"&",
    b"\r", b"\t", b"-", b'""', b"=", b"a,", b"1 ", b"{}", b"(;", b"\xc3\xa9",
)  # fmt: skip


def growth_fault(target: Target, data: bytes, folder: Path) -> Fault | None:
    """The fault if a long input takes far longer than the quarter of it does.

    Both are measured as they are given: `data` is to be made by `repeated`.
    """
    long = _seconds(target, data, folder)
    if isinstance(long, Fault):
        return long
    if long < _FLOOR:
        return None
    quarter = data[: len(data) // _TIMES]
    end = quarter.rfind(b"\n") + 1
    if end > len(quarter) // 2:  # a line cut short would be another input
        quarter = quarter[:end]
    short = _seconds(target, quarter, folder)
    if isinstance(short, Fault) or long / max(short, 1e-3) < _MOST:
        return None
    again = _seconds(target, data, folder)
    if isinstance(again, Fault) or again / max(short, 1e-3) < _MOST:
        return None
    return Fault(
        "growth", f"{short:.2f} s for {len(data) // _TIMES} bytes, {again:.2f} s for {len(data)}"
    )


def repeated(seeds: Sequence[bytes], rng: random.Random, size: int = 1 << 18) -> Iterator[bytes]:
    """A seed's beginning, and then one piece of it, or of what means something, again and again."""
    while True:
        seed = rng.choice(seeds)
        start = rng.randint(0, len(seed))
        kind = rng.randrange(4)
        if kind == 0:
            piece = rng.choice(_PIECES)
        elif kind == 1:
            piece = seed[start : start + rng.randint(1, 12)]
        elif kind == 2:
            piece = rng.choice(seed.splitlines(keepends=True) or [b"x"])
        else:
            piece = seed
        head = seed[: rng.choice((0, start, len(seed)))]
        piece = piece or b"x"
        yield (head + piece * (size // len(piece)))[:size]


def _seconds(target: Target, data: bytes, folder: Path) -> float | Fault:
    begin = time.process_time()
    fault = run_case(target, data, folder)
    seconds = time.process_time() - begin
    return seconds if fault is None else fault
