"""What was left out of what commands read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yardstone.pool import SkipReport

__all__ = ["report_skipped"]

#: So many records that were left out are shown with their places.
_PLACES = 5


def report_skipped(skipped: SkipReport, *, quiet: bool = False) -> None:
    """Say on standard error what was left out, and where the first of it stands."""
    if quiet:
        return
    from yardstone.records.where import left_out_line

    line = left_out_line(skipped)
    said = [f"  {each}" if line else f"yardstone: {each}" for each in skipped.doubts]
    if line or said:
        print("\n".join([f"yardstone: {line}", *said] if line else said), file=sys.stderr)
    if not len(skipped):
        return
    from yardstone.records.skipped_records import skipped_line

    lines = [f"yardstone: {skipped_line(skipped)}"]
    lines += [f"  {record}" for record in skipped.details[:_PLACES]]
    if len(skipped) > _PLACES:
        rest = len(skipped) - _PLACES
        lines.append(f"  … and {rest:,} other{'' if rest == 1 else 's'}")
    print("\n".join(lines), file=sys.stderr)
