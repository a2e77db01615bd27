"""Results by themselves, as JSON and as tables that spreadsheets open without harm."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from yardstone.web.kinds import KINDS
from yardstone.web.names import spreadsheet_safe
from yardstone.web.problems import Problem

__all__ = ["csv_of", "result_of"]


def result_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a job as ``GET /api/jobs/ID`` gives it.

    Raises
    ------
    Problem
        There is none (409).
    """
    result: dict[str, Any] | None = job["result"]
    if result is None:
        raise Problem(
            409, "no_result", f"There is no result: its status is {job['status']}.",
            "Wait until it is done.",
        )  # fmt: skip
    return result


def csv_of(job: Mapping[str, Any]) -> str:
    """The table of a job's result; raises as `result_of` does."""
    columns, rows = KINDS[job["kind"]].table(result_of(job))
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: spreadsheet_safe(row.get(name)) for name in columns})
    return out.getvalue()
