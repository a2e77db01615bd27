"""Progress of long work, on standard error where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Callable

__all__ = ["progress_bar", "stage_bars"]


def progress_bar(label: str, *, quiet: bool) -> Callable[[int, int], None] | None:
    """A function of (done, all) that draws on standard error; None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        return None
    last = -1

    def show(done: int, whole: int) -> None:
        nonlocal last
        percent = 100 * done // whole if whole else 100
        if percent == last:
            return
        last = percent
        end = "\r\x1b[K" if done >= whole else ""
        sys.stderr.write(f"\r\x1b[K{label} {percent:3d} %{end}")
        sys.stderr.flush()

    return show


def stage_bars(*, quiet: bool) -> Callable[[str, int, int], None] | None:
    """A function of (stage, done, all) that draws one stage after the other, as above."""
    bars = {}

    def show(stage: str, done: int, whole: int) -> None:
        if stage not in bars:
            bars[stage] = progress_bar(stage, quiet=quiet)
        bar = bars[stage]
        if bar is not None and whole:
            bar(done, whole)

    return None if progress_bar("", quiet=quiet) is None else show
