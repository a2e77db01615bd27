"""Tags of PGN, SGF and matches, and files whose content is not what their ending says."""

from __future__ import annotations

from pathlib import Path

import pytest

import yardstone
from yardstone.errors import InputError, UsageError
from yardstone.records.formats import FORMATS, of_content
from yardstone.tournament.files import read_tournament

PGN = "".join(
    f'[Event "Cup"]\n[Round "{n}"]\n[White "{w}"]\n[Black "{b}"]\n[Result "{r}"]\n\n{r}\n\n'
    for n, (w, b, r) in enumerate([("A", "B", "1-0"), ("B", "A", "1/2-1/2"), ("A", "B", "0-1")])
)
SGF = "(;PB[A]PW[B]RE[B+R]EV[Cup];B[pd])(;PB[B]PW[A]RE[B+3.5]EV[Cup];B[pd])"
CSV = "white,black,result\nA,B,1-0\nB,A,1-0\n"
JSON = (
    '[{"white": "A", "black": "B", "result": "1-0"}, {"white": "B", "black": "A", "result": "1-0"}]'
)
H9 = (
    "; CL[A]\n; EV[Cup]\n; DT[2024-05-01,2024-05-02]\n"
    " 1 Ada Able   4d DE Bln  1 0 0 2+/b\n 2 Ben Best   3d DE Bln  0 0 0 1-/w\n"
)
MAT = (
    '; [EventDate "2024.08.??"]\n 1 point match\n\n Game 1\n Ann : 0              Bob : 0\n'
    "  1) 31: 8/5 6/5            42: 8/4 6/4\n  Wins 1 point and the match\n"
)


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    (tmp_path / "games.pgn").write_text(PGN)
    return tmp_path / "games.pgn"


@pytest.fixture
def sgf(tmp_path: Path) -> Path:
    (tmp_path / "games.sgf").write_text(SGF)
    return tmp_path / "games.sgf"


def test_a_tag_that_no_game_has(pgn: Path, sgf: Path) -> None:
    with pytest.raises(InputError, match=r"no tag 'Evnt', did you mean 'Event'.*White, Black"):
        yardstone.read(pgn, columns=["Evnt"])
    with pytest.raises(InputError, match="in no game: there is no tag 'XX': there are PB, PW"):
        yardstone.read(sgf, columns={"other": "XX"})
    assert set(yardstone.read(pgn, columns=["event", "line"]).columns) == {"event", "line"}
    assert list(yardstone.read(sgf, columns=["EV", "komi"]).columns["EV"]) == ["Cup", "Cup"]


def test_players_are_those_of_the_tags(pgn: Path, sgf: Path) -> None:
    assert yardstone.read(sgf, columns={"first": "PB", "second": "PW"}).players == ("A", "B")
    with pytest.raises(UsageError, match=r"the players are PB .first. and PW"):
        yardstone.read(sgf, columns={"first": "PW"})
    with pytest.raises(UsageError, match="in SGF files Black moves first"):
        yardstone.read(sgf, first="white")
    same = {"first": "White", "second": "black", "score": "Result", "event": "Event"}
    pool = yardstone.read(pgn, columns=same)
    assert (pool.players, list(pool.columns)) == (("A", "B"), ["event"])
    for wrong in ({"first": "Black", "second": "White"}, {"score": "Points"}, {"first": "Player"}):
        with pytest.raises(UsageError, match=r"the players are White .first. and Black"):
            yardstone.read(pgn, columns=wrong)
    assert yardstone.read(pgn, first="white").players == ("A", "B")
    with pytest.raises(UsageError, match="in PGN files White moves first"):
        yardstone.read(pgn, first="black")


def test_matches_of_backgammon(tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    path.write_text(MAT)
    pool = yardstone.read(path, times=True, columns=["length"])
    assert pool.time is not None
    assert str(pool.time[0])[:10] == "2024-08-01"
    with pytest.raises(InputError, match="no tag 'Nonsense': there are EventDate, length"):
        yardstone.read(path, columns=["Nonsense"])


def test_content_decides_unless_a_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games"
    for ending in (".pgn", "", ".csv"):
        path = tmp_path / f"games{ending}"
        for text, games in ((PGN, 3), (SGF, 2), (JSON, 2), (H9, 1), (CSV, 2)):
            path.write_text(text)
            assert len(yardstone.read(path)) == games, (text, ending)
    with pytest.raises(InputError, match="it contains no games"):
        yardstone.read(path, format="pgn")
    with pytest.raises(UsageError, match="did you mean 'csv'"):
        yardstone.read(path, format="cvs")
    for name in ("x.h9", "x.txt", "x.xml"):
        (tmp_path / name).write_text("name,first name,grade,country,club\nAble,Ada,4d,DE,Bln\n")
        with pytest.raises(InputError, match="no tournament but csv"):
            read_tournament(tmp_path / name)


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
    with pytest.raises(InputError, match=r"only letter0.docx, .* and 2 more .*\.pgn") as caught:
        yardstone.read(tmp_path)
    assert len(str(caught.value)) < 400
