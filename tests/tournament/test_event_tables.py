"""Players and results from files of rows, and players from the lists of federations."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from tests.shared import shared_path
from yardstone.errors import InputError
from yardstone.examples import example
from yardstone.tournament import Result, pair_round
from yardstone.tournament.event import (
    EventEntry,
    GameResult,
    change_file,
    enter_players,
    new_tournament,
    rejoin,
    set_result,
    withdraw,
)
from yardstone.tournament.event.entries import RatingRegister, read_player_table, read_register
from yardstone.tournament.event.rounds import read_result_sheet
from yardstone.tournament.formats.trf import read_trf
from yardstone.tournament.model import ByeKind


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_text(text, encoding)
    return path


def test_a_table_of_players(tmp_path: Path) -> None:
    table = read_player_table(
        written(
            tmp_path / "p.csv",
            "name,grade,rating,club,country,e-mail\n"
            '"Adler, Ruth",3d,2310,Koln,DE,r@x\n'
            "\n"
            "Berg Nils,,1850,,no,\n"
            ",3d,,,,\n"
            "Cruz Ana,2k,high,,,\n",
        )
    )
    assert [(e.name, e.grade, e.rating, e.line) for e in table.entries] == [
        ("Adler, Ruth", "3d", 2310, 2),
        ("Berg Nils", "", 1850, 4),
    ]
    assert table.unused == ("e-mail",)
    assert [(r.line, r.reason) for r in table.skipped.details] == [
        (5, "a row without a name"),
        (6, "rating 'high' is not a number"),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_other_words_for_the_columns(tmp_path: Path, delimiter: str) -> None:
    rows = [
        ("Prénom", "Nom", "Level", "EGF PIN", "Nation"),
        ("Zoé", "Müller", "1P", "123", "FR"),
        ("Max", "Eder", "1915", "", "AT"),
    ]
    text = "\n".join(delimiter.join(row) for row in rows)
    table = read_player_table(written(tmp_path / "p.csv", text, "cp1252"))
    one, two = table.entries
    assert (one.name, one.first_name, one.grade, one.ids) == ("Müller", "Zoé", "1P", {"egf": "123"})
    assert (two.grade, two.rating, two.country) == ("", 1915, "AT")


def test_a_rating_of_the_egf_says_so(tmp_path: Path) -> None:
    table = read_player_table(written(tmp_path / "p.csv", "\ufeffName,GoR\nA B,1500\n"))
    assert table.entries[0].rating_origin == "EGF"


def test_tables_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"p\.csv:1: no column has names, among a, b"):
        read_player_table(written(tmp_path / "p.csv", "a,b\n1,2\n"))
    with pytest.raises(InputError, match="no rows"):
        read_player_table(written(tmp_path / "p.csv", "\n\n"))
    with pytest.raises(InputError, match="no such file"):
        read_player_table(tmp_path / "none.csv")


EGF = """\
   PIN          Name                              Club     Grade P&D    GoR    NT appearance
 10000001  Adler Ruth                        DE  Koln    3d   --   2310    12  T140823A
 10000002  Mueller Jan                       DE  B       1d   --   2101    55  T141004K
 10000003  Mueller Jan                       AT  Graz    5k   --   1620     9  T141004K
 10000004  Dijk Els_van                      NL  xxxx   12k   --    905     1  T040529C
 10000005  Muller Zoe                        FR  75Al    1p   --   2701    80  T141004K
"""
FFG = """\
Echelle au 11/01/2021 07:09:39
ADLER Ruth                              160 L 1234567 38Gr FR
BERG Nils                             -1400 - ------- xxxx NO
"""
AGA = "Adler, Ruth\t15648\tFull\t3.5\t7/2/2008\tLIGC\tNY\nNo, Rating\t1\tFull\t\t\t\t\n"


@pytest.fixture
def egf(tmp_path: Path) -> RatingRegister:
    return read_register(written(tmp_path / "egf.txt", EGF))


def test_who_is_meant(egf: RatingRegister) -> None:
    ruth = egf.find("adler RUTH")
    assert ruth == egf.find("Ruth Adler") == egf.find("Adler, Ruth") == egf.find("10000001")
    assert (ruth.grade, ruth.rating, ruth.club, ruth.country) == ("3d", 2310, "Koln", "DE")
    assert (ruth.ids, ruth.rating_origin) == ({"egf": "10000001"}, "EGF")
    els = egf.find("Dijk")
    assert (els.first_name, els.club) == ("Els van", "")
    assert egf.find("Müller Zoë").country == "FR"
    assert egf.find("Müller Jan", country="at").rating == 1620
    assert egf.find("Mueller Jan", club="Graz Go").rating == 1620
    for name in ("Müller Jan", "Müller"):
        with pytest.raises(InputError, match=r"Mueller Jan \(1d, DE B, number 10000002\); Mueller"):
            egf.find(name)
    with pytest.raises(InputError, match="nobody in the list is called 'Nobody'"):
        egf.find("Nobody")


def test_what_a_list_adds_to_an_entry(egf: RatingRegister) -> None:
    made = egf.completed(EventEntry(name="Adler Ruth", grade="4d", line=7))
    assert made is not None
    assert (made.grade, made.rating, made.club, made.line) == ("4d", 2310, "Koln", 7)
    assert egf.completed(EventEntry(name="Nobody Here", grade="4d")) is None
    by_number = egf.completed(EventEntry(name="Jan", ids={"egf": "10000003"}))
    assert by_number is not None
    assert by_number.country == "AT"
    own = egf.completed(EventEntry(name="Adler Ruth", rating=2000))
    assert own is not None
    assert (own.rating, own.grade, own.rating_origin) == (2000, "", "")


def test_other_lists(tmp_path: Path) -> None:
    ffg = read_register(written(tmp_path / "f.txt", FFG, "latin-1"))
    assert [(e.name, e.rating, e.club, e.ids) for e in ffg.entries] == [
        ("Adler", 2210, "38Gr", {"ffg": "1234567"}),
        ("Berg", 650, "", {}),
    ]
    aga = read_register(written(tmp_path / "a.txt", AGA))
    assert [(e.name, e.rating, e.country) for e in aga.entries] == [("Adler", 2300, "US")]
    with pytest.raises(InputError, match="no player was found"):
        read_register(written(tmp_path / "x.txt", "nothing\n"))


def test_the_list_of_the_egf_of_2014() -> None:
    register = read_register(shared_path("data/go/tournaments/egf_list_2014-11.txt.gz"))
    assert len(register.entries) == 35_506
    assert register.find("Aaij Rene").rating == 2384
    players = enter_players(new_tournament("All"), register.entries[::1000])
    assert len(players.tournament.players) == 36
    assert not len(players.skipped)


def test_a_sheet_of_results(tmp_path: Path) -> None:
    entries = [EventEntry(name=f"Family{n}", first_name="G", grade="1k") for n in range(6)]
    tournament = enter_players(new_tournament("Open"), entries).tournament
    tournament = pair_round(tournament).added_to(tournament)
    game = tournament.round_games(1)[1]
    white, black = (tournament.players[row].full_name for row in (game.second, game.first))
    sheet = written(tmp_path / "s.csv", "Table;Result\n1;1-0\n2;\n3;0-1F\n9;1-0\nx;1-0\n3;won\n")
    results, skipped = read_result_sheet(sheet, tournament, round_number=1)
    assert [(r.table, r.result, r.forfeit) for r in results] == [
        (1, Result.first_wins, False),
        (3, Result.second_wins, True),
        (9, Result.first_wins, False),
    ]
    assert [record.line for record in skipped.details] == [6, 7]
    named = written(tmp_path / "n.csv", f"round,black,white,score\n1,{black},{white},0-1\n")
    (result,), _ = read_result_sheet(named, tournament, round_number=2)
    assert (result.round, result.players, result.result) == (
        1,
        (game.first, game.second),
        Result.second_wins,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("table\n1\n", "needs the columns table and score"),
        ("white,black,score\nA,B,1-0\n", "White stands before Black"),
        ("Table,Weiss,Schwarz,Ergebnis\n1,A,B,1-0\n", "White stands before Black"),
        ("table,board,score\n1,2,1-0\n", "two columns for the same: table and board"),
    ],
)
def test_a_sheet_that_may_be_meant_either_way(tmp_path: Path, text: str, message: str) -> None:
    tournament = new_tournament("Open")
    with pytest.raises(InputError, match=message):
        read_result_sheet(written(tmp_path / "b.csv", text), tournament, round_number=1)


def test_a_sheet_of_chess_names_white_first(tmp_path: Path) -> None:
    data = example("swiss.trf").read_bytes()
    tournament = read_trf(data)
    game = tournament.round_games(1)[0]
    white, black = (tournament.players[row].full_name for row in (game.first, game.second))
    sheet = written(tmp_path / "s.csv", f'white,black,score\n"{white}","{black}",1-0\n')
    (result,), _ = read_result_sheet(sheet, tournament, round_number=1)
    assert (result.players, result.result) == ((game.first, game.second), Result.first_wins)
    other = written(tmp_path / "b.csv", f'black,white,score\n"{black}","{white}",0-1\n')
    with pytest.raises(InputError, match="Black stands before White"):
        read_result_sheet(other, tournament, round_number=1)


def test_a_draw_at_a_komi_with_a_half(tmp_path: Path) -> None:
    entries = [EventEntry(name=f"Family{n}", first_name="G", grade="1k") for n in range(4)]
    for komi, said in ((7.5, "cannot be drawn at komi 7.5"), (7, "")):
        tournament = enter_players(new_tournament("Open", komi=komi), entries).tournament
        tournament = pair_round(tournament).added_to(tournament)
        drawn = GameResult(result=Result.draw, round=1, table=1)
        if said:
            with pytest.raises(InputError, match=said):
                set_result(tournament, drawn)
            shared = set_result(tournament, replace(drawn, forfeit=True))  # nobody came
            assert shared.tournament.round_games(1)[0].result is Result.draw
        else:
            assert set_result(tournament, drawn).made


def test_players_of_a_report_file_withdraw_and_come_back(tmp_path: Path) -> None:
    """Such a file has byes of no points, and no other absences."""
    path = tmp_path / "swiss.trf"
    path.write_bytes(example("swiss.trf").read_bytes())
    before = read_trf(path.read_bytes())
    row = before.find("Kaya Deniz")
    gone = change_file(path, lambda t: withdraw(t, row)).tournament
    assert gone.bye_of[6, row].kind is ByeKind.zero
    assert not change_file(path, lambda t: withdraw(t, row)).made
    back = change_file(path, lambda t: rejoin(t, row)).tournament
    assert back.byes == before.byes
    assert [game.table for game in back.round_games(5)] == [1, 2, 3, 4, 5, 6]


def test_a_table_may_be_compressed_and_says_which_of_its_lines_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "players.csv.gz"
    path.write_bytes(gzip.compress(b'name;grade;club\nAnna;2k;"first\nline"\nBoris;3k;Paris;x\n\n'))
    table = read_player_table(path)
    assert [entry.name for entry in table.entries] == ["Anna"]
    assert [(each.line, each.reason) for each in table.skipped.details] == [
        (4, "4 cells where 3 were expected")
    ]
