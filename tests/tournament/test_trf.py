from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tests.tournament.samples import DATA, content, sample
from yardstone.errors import InputError
from yardstone.pool import SkipReport
from yardstone.tournament import Bye, ByeKind, Game, Player, Result, System, Tournament, standings
from yardstone.tournament.formats.text_files import parse_date
from yardstone.tournament.formats.trf import read_trf, write_trf
from yardstone.tournament.model import Adjustment
from yardstone.tournament.rules import Acceleration, SwissSettings, TimeSystem

FILES = ["exercise.trf", "trf06.trf", "trf26.trf"]


def test_what_the_versions_of_2026_and_2006_say() -> None:
    result = sample("trf26.trf")
    assert (result.name, result.place, result.director) == (
        "Modern Swiss", "Oslo", "Arb Iter (123456)",
    )  # fmt: skip
    days = date(2026, 3, 7), date(2026, 3, 8)
    assert (result.begin, result.end, result.rounds, result.system) == (*days, 4, System.swiss)
    assert result.round_dates == (days[0], days[0], days[1], days[1])
    rules = result.scoring
    assert (rules.win, rules.draw, rules.loss, rules.bye) == (3.0, 1.0, 0.0, 1.0)
    assert rules.criteria == ("PTS", "BH-C1", "SB")
    tied = (DATA / "trf26.trf").read_bytes().replace(b"202 PTS,BH", b"212 BH")
    assert read_trf(tied).scoring.criteria == rules.criteria  # 212 is of those with equal points
    time = result.time
    assert (time.system, time.basic, time.increment) == (TimeSystem.fischer, 5400, 30)
    assert Bye(4, 1, ByeKind.half) in result.byes
    assert result.adjustments == (Adjustment(4, -1.0, 2), Adjustment(2, 1.0, 2))
    forfeit = result.game_of[2, 3]
    assert (forfeit.first, forfeit.forfeit, forfeit.result) == (3, True, Result.first_wins)
    aas = result.players[0]
    assert (aas.name, aas.first_name, aas.title, aas.rating) == ("Aas", "Atle", "GM", 2600.0)
    assert (aas.ids["fide"], aas.birth, aas.sex) == ("1500001", "1990/05/01", "m")
    assert result.players[5].rating is None
    old = sample("trf06.trf")
    assert (old.begin, old.end) == (date(2005, 10, 1), date(2005, 11, 30))
    assert (old.rounds, old.system, old.players[0].title) == (3, System.round_robin, "FM")


@pytest.mark.parametrize("name", FILES)
def test_a_new_file_and_a_round_put_back_say_the_same(name: str) -> None:
    result = sample(name)
    table = standings(result, round_number=result.last_round, criteria="pts", everybody=True)
    for row, value in zip(table.order.tolist(), table.values[:, 0].tolist(), strict=True):
        planned = 1.0 if (name, row) == ("trf26.trf", 1) else 0.0  # a bye to come
        assert value - planned == float(result.players[row].extras["points"])
    if name == "trf26.trf":
        result = replace(result, byes=tuple(b for b in result.byes if b.round <= 3))
    expected = content(result)
    again = content(read_trf(write_trf(expected)))
    assert set(again.byes) == set(expected.byes)
    assert (again.scoring.win, again.scoring.draw) == (expected.scoring.win, expected.scoring.draw)
    for part in ("games", "players", "begin", "rounds", "system"):
        assert getattr(again, part) == getattr(expected, part)
    whole = sample(name)
    short = read_trf(write_trf(whole.before(3)))
    assert content(short).games == content(whole.before(3)).games
    back = write_trf(replace(short, rounds=whole.rounds, games=whole.games, byes=whole.byes))
    lines = (back.decode().splitlines(), whole.document.lines)
    one, other = ([line[91:] for line in each if line.startswith("001")] for each in lines)
    assert one == other
    assert content(read_trf(back)).games == content(whole).games


def test_new_players_and_results_are_added_to_the_lines() -> None:
    result = sample("exercise.trf")
    late = Player(name="Late", first_name="Lou", rating=1850.0, country="FRA", sex="w")
    drawn = Game(round=6, first=0, second=16, result=Result.draw, rated=False)
    more = replace(
        result, rounds=6, name="Longer", players=(*result.players, late),
        games=(*result.games, drawn), swiss=SwissSettings(initial_colour="black"),
    )  # fmt: skip
    data = write_trf(more)
    again = read_trf(data)
    assert (again.name, again.rounds, len(again.players)) == ("Longer", 6, 17)
    assert again.players[16].full_name == "Late Lou"
    last = again.game_of[6, 16]
    assert (last.second, last.result, last.rated) == (16, Result.draw, False)
    assert again.players[0].extras["points"] == "4.0"
    assert again.swiss.initial_colour == "black"
    kinds = [line[:8] for line in data.decode().splitlines()]
    at = kinds.index("001    1")
    assert kinds[at - 1] == "152 B"
    assert kinds[at : at + 17] == [f"001 {number:4d}" for number in range(1, 18)]


def test_tables_are_numbered_by_the_score_of_the_higher_player() -> None:
    """FIDE Handbook, C.04.2, D.9: his score, the sum of both, the rank of the higher one."""
    tournament = sample("exercise.trf")
    for number in range(1, tournament.last_round + 1):
        games = tournament.round_games(number)
        assert [game.table for game in games] == [*range(1, len(games) + 1)]
        before = standings(tournament.before(number), round_number=number - 1, criteria="pts",
                           everybody=True)  # fmt: skip
        points = dict(zip(before.order.tolist(), before.values[:, 0].tolist(), strict=True))
        keys = []
        for game in games:
            (high, one), (low, _) = sorted((-points[player], player) for player in game.players)
            keys.append((high, low, one))
        assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("text", "day"),
    [("2020/05/29", date(2020, 5, 29)), ("28. 07. 2005", date(2005, 7, 28)),
     ("May 29, 2020", date(2020, 5, 29)), ("06/03/17", date(2006, 3, 17)), ("2020/13/01", None),
     ("soon", None)],
)  # fmt: skip
def test_dates_are_written_in_many_ways(text: str, day: date | None) -> None:
    assert parse_date(text) == day


def changed(old: str, new: str) -> bytes:
    text = (DATA / "exercise.trf").read_text()
    assert old in text
    return text.replace(old, new, 1).encode()


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [("001    1", "001    x", "'x' is no starting number", 8),
     ("001    2", "001    1", "two players have the starting number 1", 9),
     ("Player, N3 ", "           ", "player 3 has no name", 10),
     ("N2" + " " * 28, "N2" + " " * 24 + "21x0", "'21x0' is not a rating", 9),
     ("  9 w 1", " 99 w 1", "there is no player 99", 8), ("  9 w 1", "  1 w 1", "meets himself", 8),
     ("  9 w 1", "  8 w 1", "who does not name 1", 8),
     ("  9 w 1", "  9 b 1", "both players have the same colour", 8),
     ("  9 w 1", "  9 w ?", "'?' is not a result", 8),
     ("  9 w 1", "  9 w  ", "only one of the players", 8),
     ("  9 w 1", " x9 w 1", "'x9' is not an opponent", 8),
     ("0000 - U", "0000 - X", "'X' is not a result without an opponent", 13),
     ("142 5", "142 five", "not a number of rounds", 7),
     ("142 5", "142 " + "9" * 5000, "not a number of rounds", 7)],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, message: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_trf(changed(old, new), "a.trf")
    assert message in str(caught.value)
    assert (caught.value.file, caught.value.line) == ("a.trf", line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("162  Q 3.0", "not a kind of result"),
        ("240 H 009    1", "no player 1, or no round 009"),
        ("240 X 001    1", "a bye that cannot be read"),
        ("299           x.0   001    1", "points by decision"),
        ("299           nan   001    1", "points by decision"),
        ("240 H 001 " + "9" * 5000, "no player 9+ … 9+, or no round"),
        ("250      99e1   1   2    1    1", "250: a line that cannot be read"),
        ("XXA    1 99e1", "XXA: a line that cannot be read"),
        ("260   1", "260: a line that cannot be read"),
        ("BBW nan", "'nan' is not a number of points"),
        ("162  W " + "9" * 400, "is not a number of points"),
        ("202 " + ",".join(["BH"] * 101), "more than 100 criteria"),
        *((wrong, wrong[:3]) for wrong in ("152 G", "250 x", "XXA   99  1.0", "XXP 1 99",
                                           "260   a")),
    ],
)  # fmt: skip
def test_extra_lines_that_make_no_sense(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_trf(changed("142 5", f"142 5\n{line}"))


def test_lines_that_are_read_all_the_same() -> None:
    assert read_trf(b"001    1      Alm                               2000\n").rounds == 0
    assert read_trf(changed("  9 w 1", "  9 w =")).game_of[1, 0].result is Result.first_half
    player = read_trf(changed("Player, N3 ", "  , Pele   ")).players[2]
    assert (player.name, player.first_name) == ("Pele", "")
    assert read_trf(changed("Player, N3 ", "  ,        ")).players[2].name == ","
    assert not read_trf(changed("142 5", "142 5\n222 5400+9999999")).time.basic
    skipped = SkipReport()
    result = read_trf(changed("  9 w 1", "  8 w 1"), "a.trf", skipped=skipped)
    assert skipped.total == 2  # what 1 and 9 say of their boards
    assert len(result.games) == len(sample("exercise.trf").games) - 1


def test_a_name_that_just_fits_is_not_cut() -> None:
    for given in ("Arthur Elvis", "Arthur Elvis II"):
        players = (Player(name="Alpha-Beta-Gammason", first_name=given), Player(name="Bo"))
        data = write_trf(Tournament(rounds=1, players=players, discipline="chess"))
        assert read_trf(data).players[0].first_name == "Arthur Elvis"


def test_latin_letters_and_marks_come_back_and_files_without_players_are_refused() -> None:
    for nobody in (b"", b"012 Name\n", b"\xff\xfe\x00", b"<xml/>"):
        with pytest.raises(InputError, match="no player"):
            read_trf(nobody)
    text = changed("Player, N1 ", "Müller, Ö  ").decode()
    for data in (text.encode("latin-1"), b"\xef\xbb\xbf" + text.encode()):
        result = read_trf(data)
        assert result.players[0].full_name == "Müller Ö"
        assert write_trf(result) == data


def test_results_by_decision_of_the_arbiter() -> None:
    results = (Result.both_lose, Result.first_half, Result.both_win)
    games = tuple(Game(round=1, first=2 * k, second=2 * k + 1, result=r)
                  for k, r in enumerate(results))  # fmt: skip
    players = tuple(Player(name=name) for name in "ABCDEF")
    made = Tournament(rounds=1, players=players, games=games, discipline="chess")
    read = read_trf(write_trf(made)).games
    assert [(g.players, g.result) for g in read] == [(g.players, g.result) for g in games]


def test_extensions_of_pairing_programs() -> None:
    rows = [f"001 {k:4d}      Name{k}".ljust(84) for k in range(1, 5)]
    lines = ["XXR 5", "XXS W=3 D=1", "XXC black1", "XXA    2  1.0  0.5", "XXP 1 3",
             "250       1.5   1   2    2    3", "260   2   3    2    4", *rows, ""]  # fmt: skip
    result = read_trf("\n".join(lines).encode())
    assert (result.rounds, result.scoring.win, result.scoring.draw) == (5, 3.0, 1.0)
    swiss = result.swiss
    assert swiss.initial_colour == "black"
    assert swiss.accelerations[0] == Acceleration(frozenset({1, 2}), 1, 2, 1.5)
    assert [swiss.virtual_points(1, r) for r in (1, 2, 3)] == [2.5, 2.0, 0.0]
    assert [swiss.virtual_points(p, 2) for p in (0, 1, 2, 3)] == [0.0, 2.0, 1.5, 0.0]
    pair, never = frozenset({1, 3}), frozenset({0, 2})
    groups = [swiss.forbidden_in(number) for number in (1, 2, 3, 4, 199)]
    assert groups == [[never], [pair, never], [pair, never], [never], [never]]
    longer = write_trf(replace(result, rounds=9)).decode()
    assert "XXR 9" in longer
    assert "XXC black1" in longer
