"""Files whose content is not what their ending says."""

from __future__ import annotations

from pathlib import Path

import pytest

import yardstone
from tests.records.test_tags import PGN, SGF
from yardstone.errors import InputError, UsageError
from yardstone.records.formats import FORMATS, of_content
from yardstone.tournament.files import read_tournament

CSV = "white,black,result\nA,B,1-0\nB,A,1-0\n"
JSON = (
    '[{"white": "A", "black": "B", "result": "1-0"}, {"white": "B", "black": "A", "result": "1-0"}]'
)
H9 = (
    "; CL[A]\n; EV[Cup]\n; DT[2024-05-01,2024-05-02]\n"
    " 1 Ada Able   4d DE Bln  1 0 0 2+/b\n 2 Ben Best   3d DE Bln  0 0 0 1-/w\n"
)
ENTRANTS = "name,first name,grade,country,club\nAble,Ada,4d,DE,Bln\nBest,Ben,3d,DE,Bln\n"


@pytest.mark.parametrize("ending", [".pgn", ".csv", ".json", ""])
@pytest.mark.parametrize(
    ("text", "games"), [(PGN, 4), (SGF, 2), (CSV, 2), (JSON, 2), (H9, 1)],
    ids=["pgn", "sgf", "csv", "json", "h9"],
)  # fmt: skip
def test_content_decides(text: str, games: int, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"games{ending}"
    path.write_text(text)
    assert len(yardstone.read(path)) == games


def test_a_format_that_is_named_wins(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text(CSV)
    with pytest.raises(InputError, match="it contains no games"):
        yardstone.read(path, format="pgn")
    with pytest.raises(InputError):
        yardstone.read(path, format="h9")
    with pytest.raises(UsageError, match="did you mean 'csv'"):
        yardstone.read(path, format="cvs")


@pytest.mark.parametrize("name", ["x.h9", "x.txt", "x.xml"])
def test_entrants_are_no_tournament(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(ENTRANTS)
    with pytest.raises(InputError, match="no tournament but csv"):
        read_tournament(path)


def test_the_ending_decides_where_the_content_could_be_either() -> None:
    head = b"% made by a, b, c\n" + PGN.encode()
    assert of_content(head) is FORMATS["csv"]
    assert of_content(head, "games.pgn.gz") is FORMATS["pgn"]
    assert of_content(b"nothing of note", "x.trf") is None
    assert of_content(CSV.encode("utf-16")) is FORMATS["csv"]


def test_folders_without_games(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this folder is empty") as caught:
        yardstone.read(tmp_path)
    assert len(str(caught.value)) < 200
    for number in range(7):
        (tmp_path / f"letter{number}.docx").write_text("x")
    with pytest.raises(InputError, match=r"only letter0.docx, .* and 2 more") as caught:
        yardstone.read(tmp_path)
    assert ".pgn" in str(caught.value)
    assert len(str(caught.value)) < 400
