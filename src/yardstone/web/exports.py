"""Results by themselves, as JSON and as tables that spreadsheets open without harm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yardstone.reports.faces.files import records_of, table_csv
from yardstone.web.kinds import KINDS, Query
from yardstone.web.names import spreadsheet_safe
from yardstone.web.problems import RequestProblem

__all__ = ["csv_of", "result_of"]


def result_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a job as ``GET /api/jobs/ID`` gives it.

    Raises
    ------
    RequestProblem
        There is none (409).
    """
    result: dict[str, Any] | None = job["result"]
    if result is None:
        raise RequestProblem(
            409, "no_result", f"There is no result: its status is {job['status']}.",
            "Wait until it is done.",
        )  # fmt: skip
    return result


def csv_of(job: Mapping[str, Any]) -> str:
    """The table of a job's result; raises as `result_of` does."""
    kind, result = KINDS[job["kind"]], result_of(job)
    if kind.records is not None:
        return table_csv(kind.records(result), spreadsheet_safe)
    return table_csv(records_of(kind.view(result, Query("")).document), spreadsheet_safe)
