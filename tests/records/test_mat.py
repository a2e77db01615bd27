from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import yardstone
from tests.records.pools import games
from tests.skipping import read_skipping
from yardstone.errors import NoGamesError, StrictError
from yardstone.records.mat import parse_mat

JELLYFISH = """\
; [EventDate "2022.05.24"]
; [EventTime "18.30"]
; [Event "Cup"]

 3 point match

 Game 1
 Ann : 0                        Bob : 0
  1)                             53: 8/3 6/3
  2) 61: 8/7 13/7                54: 13/8 24/20
  3) 33:                          Doubles => 2
  4)  Takes                      11: 6/5* 6/5 5/4* 5/4
                                  Wins 2 points

 Game 2
 Ann : 0                        Bob : 2
  1) 61: 8/7 13/7                54: 13/8 24/20
  2)  Doubles => 2                Drops
      Wins 1 point

 Game 3
 Ann : 1                        Bob : 2
  1) 52: 13/8 24/22              63: 24/15
      Wins 2 points and the match
"""
GALAXY = """\
; [Player 1 "lasse"]
; [EventDate "2024.08.01"]

3 point match

 Game 1
 lasse : 0                       asoka65 : 0
  1) 21: 13/11 6/5               33: 24/21 24/21 13/10 13/10
  2) 33: 2/0 2/0 2/0 2/0          Losses 2 point
      Wins 2 point

 Game 2
 lasse : 2                       asoka65 : 0
  1) 61: 13/7 8/7                42: 8/4 6/4
  2)  Losses 3 point             Wins 3 point and the match
"""
STUDIO = """\
; [Player 1 "BoardLord"]

1 point match


 Game 1
 BoardLord : 0                          Llabba : 0
  1) 51: 24/23 13/8                     42: 8/4 6/4
  2) 53: Cannot Move                    22: bar/21 8/4*(2) 7/3
  3) 21: 3/off                          ????
  4)  Wins 1 point
  5)
"""


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_matches_of_programs() -> None:
    for text, player, won, score in (
        (JELLYFISH, "Ann", [(1, 2), (0, 1), (0, 2)], (3, 2)),
        (GALAXY, "lasse", [(0, 2), (1, 3)], (2, 3)), (STUDIO, "BoardLord", [(0, 1)], (1, 0)),
    ):  # fmt: skip
        (match,) = parse_mat(text.split("\n"))
        assert [(game.winner, game.points) for game in match.games] == won
        assert (match.score, match.winner, match.problem()) == (score, int(score[1] > score[0]), "")
        assert (match.players[0], match.length) == (player, max(score))


def test_a_pool(tmp_path: Path) -> None:
    write(tmp_path, "a.mat", JELLYFISH)
    write(tmp_path, "b.mat", GALAXY + "\n" + STUDIO)
    pool = yardstone.read(tmp_path, columns={"event": "Event"}, times=True)
    assert games(pool) == [
        ("Ann", "Bob", 1.0), ("lasse", "asoka65", 0.0), ("BoardLord", "Llabba", 1.0),
    ]  # fmt: skip
    assert pool.columns["length"].tolist() == [3, 3, 1]
    assert pool.columns["event"].tolist() == ["Cup", "", ""]
    days = np.array(["2022-05-24T18:30", "2024-08-01", "NaT"], "datetime64[s]")
    np.testing.assert_array_equal(pool.time, days)
    assert len(pool.skipped) == 0


UNUSABLE = [
    ("      Wins 2 points and the match\n", "", "the last game has no winner"),
    ("      Wins 1 point\n", "", "game 2 has no winner"),
    ("      Wins 1 point\n", "      Wins 2 points\n", "does not fit"),
    (" Ann : 1 ", " Ann : 2 ", "does not fit"),
    ("Wins 2 points and the match", "Wins 1 point", "unfinished (2 to 2"),
    (JELLYFISH.partition("match\n")[2], "\n", "the match has no games"),
    (" 3 point match", " 0 point match", "money session"),
    (" 3 point match", " unlimited match", "money session"), (" Ann :", "  :", "no name"),
]  # fmt: skip


def test_what_cannot_be_used(tmp_path: Path) -> None:
    good = write(tmp_path, "good.mat", GALAXY)
    for old, new, reason in UNUSABLE:
        bad = write(tmp_path, "bad.mat", JELLYFISH.replace(old, new))
        pool = read_skipping(bad, good)
        assert (len(pool), pool.skipped.details[0].line) == (1, 5)
        assert reason in pool.skipped.details[0].reason
        with pytest.raises(StrictError, match=r"bad\.mat:5"):
            yardstone.read(bad, good, strict=True)


def test_no_match_at_all_and_hostile_lines(tmp_path: Path) -> None:
    nothing = write(tmp_path, "no.mat", "hello\n")
    with pytest.raises(NoGamesError, match="5 point match"):
        yardstone.read(nothing)
    pool = read_skipping(nothing, write(tmp_path, "match.txt", GALAXY))  # known by its bytes
    assert (pool.players, pool.skipped.total) == (("lasse", "asoka65"), 1)
    lines = [" 5 point match", " Game 1", " A : 0        B : 0"]
    lines += ["  1) " + "11: 1/2 " * 10_000, "\x1b[31m" * 1000, "9" * 100_000, "; [" * 5000]
    path = write(tmp_path, "long.mat", "\n".join([*lines, GALAXY]))
    assert len(read_skipping(path)) == 1


#: Two matches, to stand one behind the other without tags.
ONE = JELLYFISH.partition("\n\n")[2]
OTHER = ONE.replace("Ann", "Eva").replace("Bob", "Kim")


def test_the_match_before_a_damaged_header_stays(tmp_path: Path) -> None:
    other = OTHER
    for line in ("3 point match", "Game 1", "Eva : 0                        Kim : 0"):
        other = other.replace(line, line[:1] + "\xef" + line[2:].replace(":", "?"), 1)
        pool = read_skipping(write(tmp_path, "a.mat", f"{ONE}\n{other}\n{ONE}"))
        assert (pool.players, len(pool)) == (("Ann", "Bob"), 2)
        (skipped,) = pool.skipped.details
        assert skipped.reason == "the line with the length of the match is missing"
        assert skipped.line > ONE.count("\n")


def test_a_damaged_match_is_skipped_alone(tmp_path: Path) -> None:
    for old, new, reason in (
        ("Ann : 1 ", "Axn : 1 ", "the names of its players change"),
        ("3 point", "2 point", "the match goes on after 2 points"),
        ("      Wins 2 points and", "                Wins 2 points and", "has no winner"),
        ("                                  Wins 2 points", "", "game 1 has no winner"),
        ("      Wins 1 point\n", "      Wins 3 points\n", "after game 2 does not fit"),
    ):
        assert old in ONE
        text = f"{OTHER}\n{ONE.replace(old, new, 1)}\n{OTHER}"
        pool = read_skipping(write(tmp_path, "a.mat", text))
        assert (pool.players, pool.score.tolist()) == (("Eva", "Kim"), [1.0, 1.0])
        assert [reason in each.reason for each in pool.skipped.details] == [True]


def test_lines_of_a_game_that_are_damaged_are_made_up_for(tmp_path: Path) -> None:
    game, players = " Game 2\n", " Ann : 0                        Bob : 2\n"
    for damaged in (
        ONE.replace(game, ""), ONE.replace(players, ""), ONE.replace(game, game * 2),
        ONE.rstrip("\n") + ' ; [Event "x"]\n',
    ):  # fmt: skip
        pool = yardstone.read(write(tmp_path, "a.mat", f"{damaged}\n{OTHER}"))
        assert pool.players == ("Ann", "Bob", "Eva", "Kim")
    tags = '; [EventDate "2024.01.02"]\n'
    cut = f"{tags}{ONE}\n{tags}\n3 poi\n{tags}{OTHER}"
    pool = read_skipping(write(tmp_path, "a.mat", cut))
    assert len(pool) == 2
    assert [each.reason for each in pool.skipped.details] == [
        "the line with the length of the match is missing"
    ]
