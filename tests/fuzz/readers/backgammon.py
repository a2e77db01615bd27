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
from yardstone_lab.vandendoel.tables import read_match_table

__all__ = ["TARGETS"]


def read_analyses(path: Path) -> None:
    """Kept analyses of GNU Backgammon."""
    kept = AnalysisFile(path)
    kept.get("k")


def read_matches(path: Path) -> None:
    """A table of analysed matches."""
    read_match_table(path)


def read_cubes(path: Path) -> None:
    """A table of cube errors."""
    cube_errors.read_cube_errors(path)


def read_study(path: Path) -> None:
    """The table of a study."""
    tables.read_table(path)


def read_lines_of_study(path: Path) -> None:
    """What a study has played."""
    for _ in read_results(path):
        pass


def read_id(path: Path) -> None:
    """An ID of a position of backgammon, there and back."""
    position = read_position(decode(path.read_bytes()))
    if read_position(position.xgid) != position:
        raise Wrong("a position does not come back from its XGID")


def studies() -> dict[str, bytes]:
    """A table with all columns of all of them."""
    names = dict.fromkeys((*cube_errors.COLUMNS, *tables.COLUMNS))
    return {"table": f"{','.join(names)}\n{','.join('1' for _ in names)}\n".encode()}


TARGETS = (
    Target("backgammon-analyses", read_analyses, ".jsonl"),
    Target("backgammon-position", read_id, ".txt"),
    Target("backgammon-cube-errors", read_cubes, ".csv", made=studies),
    Target("backgammon-matches", read_matches, ".csv"),
    Target("backgammon-study", read_study, ".csv", made=studies),
    Target("backgammon-study-results", read_lines_of_study, ".jsonl"),
)
