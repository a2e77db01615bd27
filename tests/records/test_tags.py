"""What is asked of PGN, SGF, matches and tournaments, which have tags of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import yardstone
from yardstone.cli.main import main
from yardstone.errors import InputError, UsageError

PGN = "".join(
    f'[Event "Cup"]\n[Round "{n}"]\n[White "{w}"]\n[Black "{b}"]\n[Result "{r}"]\n\n{r}\n\n'
    for n, (w, b, r) in enumerate(
        [("A", "B", "1-0"), ("B", "A", "1/2-1/2"), ("A", "B", "0-1"), ("B", "A", "1-0")]
    )
)
SGF = "(;PB[A]PW[B]RE[B+R]EV[Cup];B[pd])(;PB[B]PW[A]RE[B+3.5]EV[Cup];B[pd])"


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    return path


@pytest.fixture
def sgf(tmp_path: Path) -> Path:
    path = tmp_path / "games.sgf"
    path.write_text(SGF)
    return path


def test_a_tag_that_no_game_has(pgn: Path, sgf: Path) -> None:
    with pytest.raises(InputError, match=r"no tag 'Evnt', did you mean 'Event'.*White, Black"):
        yardstone.read(pgn, columns=["Evnt"])
    with pytest.raises(InputError, match="in no game: there is no tag 'XX': there are PB, PW"):
        yardstone.read(sgf, columns={"other": "XX"})
    assert set(yardstone.read(pgn, columns=["event", "line"]).columns) == {"event", "line"}
    assert list(yardstone.read(sgf, columns=["EV", "komi"]).columns["EV"]) == ["Cup", "Cup"]


def test_players_of_pgn_are_those_of_its_tags(pgn: Path) -> None:
    same = {"first": "White", "second": "black", "score": "Result", "event": "Event"}
    pool = yardstone.read(pgn, columns=same)
    assert pool.players == ("A", "B")
    assert list(pool.columns) == ["event"]
    for wrong in ({"first": "Black", "second": "White"}, {"score": "Points"}, {"first": "Player"}):
        with pytest.raises(UsageError, match=r"the players are White .first. and Black"):
            yardstone.read(pgn, columns=wrong)
    assert yardstone.read(pgn, first="white").players == ("A", "B")
    with pytest.raises(UsageError, match="in PGN files White moves first"):
        yardstone.read(pgn, first="black")


def test_players_of_sgf(sgf: Path) -> None:
    assert yardstone.read(sgf, columns={"first": "PB", "second": "PW"}).players == ("A", "B")
    with pytest.raises(UsageError, match=r"the players are PB .first. and PW"):
        yardstone.read(sgf, columns={"first": "PW"})
    with pytest.raises(UsageError, match="in SGF files Black moves first"):
        yardstone.read(sgf, first="white")


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        (["rate", "{sgf}", "--paired", "Nonsense"], 1, "there is no tag 'Nonsense': there are"),
        (["match", "{pgn}", "--pair-by", "Nonsense"], 1, "no tag 'Nonsense'"),
        (["evaluate", "{pgn}", "--group", "Nonsense"], 1, "no tag 'Nonsense'"),
    ],
)
def test_commands_say_so(
    command: list[str], status: int, message: str, pgn: Path, sgf: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main([part.format(pgn=pgn, sgf=sgf) for part in command]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_matches_of_backgammon(tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    path.write_text(
        '; [EventDate "2024.08.??"]\n 1 point match\n\n Game 1\n Ann : 0              Bob : 0\n'
        "  1) 31: 8/5 6/5            42: 8/4 6/4\n  Wins 1 point and the match\n"
    )
    pool = yardstone.read(path, times=True, columns=["length"])
    assert pool.time is not None
    assert str(pool.time[0])[:10] == "2024-08-01"
    with pytest.raises(InputError, match="no tag 'Nonsense': there are EventDate, length"):
        yardstone.read(path, columns=["Nonsense"])
