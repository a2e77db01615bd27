"""Players and results from files of rows, and players from the lists of federations."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.shared import shared_path
from tests.tournament.made_events import entered, paired
from yardstone.errors import InputError
from yardstone.examples import example
from yardstone.tournament import ByeKind, Result
from yardstone.tournament.event import EventEntry, change_file, enter_players
from yardstone.tournament.event.entries import RatingRegister, read_player_table, read_register
from yardstone.tournament.event.rounds import read_result_sheet, rejoin, withdraw
from yardstone.tournament.event.settings import new_tournament
from yardstone.tournament.formats.trf import read_trf


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_text(text, encoding)
    return path


def test_a_table_of_players(tmp_path: Path) -> None:
    path = tmp_path / "p.csv.gz"
    path.write_bytes(gzip.compress(
        b'name,grade,rating,club,country,e-mail\n"Adler, Ruth",3d,2310,"Ko\nln",DE,r@x\n\n'
        b"Berg Nils,,1850,,no,\n,3d,,,,\nCruz Ana,2k,high,,,\nDean,2k,,,,,x\n"
    ))  # fmt: skip
    table = read_player_table(path)
    assert [(e.name, e.grade, e.rating, e.line) for e in table.entries] == [
        ("Adler, Ruth", "3d", 2310, 2), ("Berg Nils", "", 1850, 5),
    ]  # fmt: skip
    assert table.unused == ("e-mail",)
    assert sorted((r.line, r.reason) for r in table.skipped.details) == [
        (6, "a row without a name"),
        (7, "rating 'high' is not a number"),
        (8, "7 cells where 6 were expected"),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_other_words_for_the_columns(tmp_path: Path, delimiter: str) -> None:
    rows = "Prénom,Nom,Level,EGF PIN,Nation\nZoé,Müller,1P,123,FR\nMax,Eder,1915,,AT"
    path = written(tmp_path / "p.csv", rows.replace(",", delimiter), "cp1252")
    one, two = read_player_table(path).entries
    assert (one.name, one.first_name, one.grade, one.ids) == ("Müller", "Zoé", "1P", {"egf": "123"})
    assert (two.grade, two.rating, two.country) == ("", 1915, "AT")
    table = read_player_table(written(path, "\ufeffName,GoR\nA B,1500\n"))
    assert table.entries[0].rating_origin == "EGF"


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,b\n1,2\n", r"p\.csv:1: no column has names, among a, b"), ("\n\n", "no rows"),
     (None, "no such file")],
)  # fmt: skip
def test_tables_that_cannot_be_used(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "p.csv"
    if text is not None:
        written(path, text)
    with pytest.raises(InputError, match=message):
        read_player_table(path)


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


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (EventEntry(name="Adler Ruth", grade="4d", line=7),
         {"grade": "4d", "rating": 2310, "club": "Koln", "line": 7}),
        (EventEntry(name="Nobody Here", grade="4d"), None),
        (EventEntry(name="Jan", ids={"egf": "10000003"}), {"country": "AT"}),
        (EventEntry(name="Adler Ruth", rating=2000),
         {"rating": 2000, "grade": "", "rating_origin": ""}),
    ],
)  # fmt: skip
def test_what_a_list_adds_to_an_entry(
    egf: RatingRegister, given: EventEntry, expected: dict[str, object] | None
) -> None:
    made = egf.completed(given)
    assert (made and {name: getattr(made, name) for name in expected or {}}) == expected


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
    assert (len(players.tournament.players), len(players.skipped)) == (36, 0)


def test_a_sheet_of_results(tmp_path: Path) -> None:
    tournament = paired(entered(("1k",) * 6))
    game = tournament.round_games(1)[1]
    white, black = (tournament.players[row].full_name for row in (game.second, game.first))
    sheet = written(tmp_path / "s.csv", "Table;Result\n1;1-0\n2;\n3;0-1F\n9;1-0\nx;1-0\n3;won\n")
    results, skipped = read_result_sheet(sheet, tournament, round_number=1)
    assert [(r.table, r.result, r.forfeit) for r in results] == [
        (1, Result.first_wins, False), (3, Result.second_wins, True), (9, Result.first_wins, False),
    ]  # fmt: skip
    assert [record.line for record in skipped.details] == [6, 7]
    named = written(tmp_path / "n.csv", f"round,black,white,score\n1,{black},{white},0-1\n")
    (result,), _ = read_result_sheet(named, tournament, round_number=2)
    assert (result.round, result.players) == (1, (game.first, game.second))
    assert result.result is Result.second_wins
    # Sheets of chess name White first.
    tournament = read_trf(example("swiss.trf").read_bytes())
    game = tournament.round_games(1)[0]
    white, black = (tournament.players[row].full_name for row in game.players)
    named = written(tmp_path / "c.csv", f'white,black,score\n"{white}","{black}",1-0\n')
    (result,), _ = read_result_sheet(named, tournament, round_number=1)
    assert (result.players, result.result) == ((game.first, game.second), Result.first_wins)
    other = written(tmp_path / "b.csv", f'black,white,score\n"{black}","{white}",0-1\n')
    with pytest.raises(InputError, match="Black stands before White"):
        read_result_sheet(other, tournament, round_number=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [("table\n1\n", "needs the columns table and score"),
     ("white,black,score\nA,B,1-0\n", "White stands before Black"),
     ("Table,Weiss,Schwarz,Ergebnis\n1,A,B,1-0\n", "White stands before Black"),
     ("table,board,score\n1,2,1-0\n", "two columns for the same: table and board")],
)  # fmt: skip
def test_a_sheet_that_may_be_meant_either_way(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_result_sheet(written(tmp_path / "b.csv", text), new_tournament("Open"), round_number=1)


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
