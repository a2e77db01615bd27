"""Positions, kept analyses and tables of studies of backgammon."""

from __future__ import annotations

from pathlib import Path

from lab.studies.backgammon import cube_errors
from tests.fuzz.targets import Target, Wrong
from yardstone.backgammon.file_analysis import AnalysisFile
from yardstone.backgammon.positions import read_position
from yardstone.records.decoding import decode
from yardstone_lab.vandendoel import tables
from yardstone_lab.vandendoel.play import read_results


def read_id(path: Path) -> None:
    position = read_position(decode(path.read_bytes()))
    if read_position(position.xgid) != position:
        raise Wrong("a position does not come back from its XGID")


def studies() -> dict[str, bytes]:
    names = dict.fromkeys((*cube_errors.COLUMNS, *tables.COLUMNS))
    return {"table": f"{','.join(names)}\n{','.join('1' for _ in names)}\n".encode()}


TARGETS = (
    Target("backgammon-analyses", lambda path: AnalysisFile(path).get("k"), ".jsonl"),
    Target("backgammon-position", read_id, ".txt"),
    Target("backgammon-cube-errors", cube_errors.read_cube_errors, ".csv", made=studies),
    Target("backgammon-matches", tables.read_match_table, ".csv"),
    Target("backgammon-study", tables.read_table, ".csv", made=studies),
    Target("backgammon-study-results", lambda path: list(read_results(path)), ".jsonl"),
)
