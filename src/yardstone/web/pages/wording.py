"""What the pages say of limits, moments and the state of a job."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from yardstone.reports.words import plural
from yardstone.web.kinds import KINDS

__all__ = [
    "days_words",
    "error_lines",
    "limit_words",
    "limits_table",
    "moment_words",
    "progress",
    "sentence",
    "size_words",
]

Plain = Mapping[str, Any]

_STAGES = {
    "waiting": "Waiting",
    "reading": "Reading the files",
    "fetching": "Fetching the games",
    "analysing": "Analysing",
    "searching": "Searching the costly moves",
    "rating": "Rating",
    "finished": "Finished",
}
_MONTHS = (
    "January February March April May June July August September October November December"
).split()


def size_words(number: int) -> str:
    """Bytes for people.

    Examples
    --------
    >>> size_words(16 << 20), size_words(1500), size_words(3 << 19)
    ('16 MB', '1 kB', '1.5 MB')
    """
    if number >= 1 << 20:
        return f"{number / (1 << 20):.1f}".removesuffix(".0") + " MB"
    return f"{number >> 10} kB" if number >= 1 << 10 else plural(number, "byte")


def days_words(days: float) -> str:
    """A stretch of time in days, or in hours if it is less than one."""
    if days >= 1.0:
        return plural(round(days), "day")
    return plural(max(round(24.0 * days), 1), "hour")


def limit_words(limits: Plain) -> dict[str, str]:
    """The limits that stand beside the drop zone."""
    return {
        "files": f"{limits['files']:,}",
        "file_bytes": size_words(limits["file_bytes"]),
        "request_bytes": size_words(limits["request_bytes"]),
    }


def limits_table(limits: Plain) -> list[tuple[str, str]]:
    """All limits that a visitor can run into, and what happens with the files."""
    return [
        ("Files at once", f"{limits['files']:,}"),
        ("One file", size_words(limits["file_bytes"])),
        ("All files together", size_words(limits["request_bytes"])),
        ("Files within archives", f"{limits['zip_entries']:,}"),
        ("Unpacked", size_words(limits["unpacked_bytes"])),
        *((kind.short, kind.allowance(limits)) for kind in KINDS.values()),
        ("Time to compute", plural(max(limits["seconds"] // 60, 1), "minute")),
        ("Jobs at once", plural(limits["queue_client"], "job")),
        ("Results are kept for", days_words(limits["keep_days"])),
    ]


def moment_words(moment: str | None) -> str:
    """A moment for people, in UTC.

    Examples
    --------
    >>> moment_words("2026-12-01T09:05:00Z")
    '1 December 2026, 09:05 UTC'
    """
    if moment is None:
        return "an unknown day"
    at = datetime.fromisoformat(moment)
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}, {at:%H:%M} UTC"


def sentence(text: str, place: str = "") -> str:
    """A message as a sentence, after the place that it is about.

    Examples
    --------
    >>> sentence("send even games"), sentence("there is no move", "a.sgf, line 2")
    ('Send even games.', 'a.sgf, line 2: there is no move.')
    """
    whole = f"{place}: {text}" if place else text[:1].upper() + text[1:]
    return whole if whole.endswith((".", "!", "?", "…")) else whole + "."


def error_lines(error: Plain) -> list[str]:
    """An error as JSON has it: where and what, then what to do."""
    place, hint = error.get("file") or "", error.get("hint")
    if place and error.get("line"):
        place += f", line {error['line']}"
    return [sentence(error["message"], place), *([sentence(hint)] if hint else [])]


def progress(job: Plain) -> dict[str, Any]:
    """The state of a job for a bar and a sentence: ``going, share, words, stage``.

    The share is None while nobody knows how much there is to do.
    """
    status, state = job["status"], job["progress"]
    going = status in ("queued", "running")
    if status == "queued":
        ahead = job["ahead"] or 0
        words = f"Waiting: {plural(ahead, 'job')} before yours." if ahead else "You are next."
        return {"going": going, "share": None, "words": words, "stage": "queued"}
    stage = str(state["stage"])
    done, total = state["done"], state["total"]
    text = _STAGES.get(stage, stage.capitalize() or "Working")
    if not total:
        return {"going": going, "share": None, "words": f"{text} …", "stage": stage}
    words = f"{text}: {100 * done // total} %."
    if stage == "analysing":
        words = f"{text}: {min(done, total):,} of {plural(total, *KINDS[job['kind']].counted)}."
    return {"going": going, "share": round(state["fraction"], 4), "words": words, "stage": stage}
