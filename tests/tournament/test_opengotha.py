from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from xml.etree import ElementTree

import pytest

from tests.tournament.samples import DATA, content, sample
from yardstone.errors import InputError
from yardstone.pool import SkipReport
from yardstone.tournament import Game, HandicapRules, Result, TeamRules, TimeControl, Tournament
from yardstone.tournament.formats import text_files
from yardstone.tournament.formats.h9 import write_h9
from yardstone.tournament.formats.opengotha import (
    format_rank,
    parse_rank,
    read_opengotha,
    write_opengotha,
)
from yardstone.tournament.model import Bye, Player, System
from yardstone.tournament.rules import FloatMode, PairingSettings, Scoring, SeedSystem, TimeSystem

CURRENT = (DATA / "current.xml").read_bytes()


def test_the_present_format() -> None:
    result = sample("current.xml")
    assert (result.name, result.place, result.director, result.size) == (
        "Trees", "Ghent", "Flo", 13,
    )  # fmt: skip
    assert (result.begin, result.end) == (date(2026, 1, 3), date(2026, 1, 4))
    assert (result.komi, result.rounds, result.system) == (6.5, 3, System.swiss)
    birch = result.players[1]
    assert (birch.full_name, birch.rank, birch.grade) == ('Birch "B" Bob', -1, "1K")
    assert (birch.rating, set(birch.absent), birch.ids["egf"]) == (2004.0, {2}, "10000002")
    assert (birch.line, result.players[0].smms_correction) == (6, 1)
    first = result.games[0]
    assert (first.players, first.handicap, first.result) == ((1, 0), 3, Result.second_wins)
    assert [g.forfeit for g in result.games] == [False, True, True, False, False]
    assert [g.known_colour for g in result.games] == [True, False, True, True, True]
    assert result.byes == (Bye(1, 4),)
    assert result.scoring == Scoring(
        criteria=("CAT", "NBW", "EXT", "EXR", "RATING"), bar=1, floor=-10, round_down=False,
        unplayed_as_half=True, categories=(0, -9),
    )  # fmt: skip
    assert result.handicap == HandicapRules(threshold=3, correction=1, ceiling=9)
    assert result.pairing == PairingSettings(
        nx1_factor=0.7, balance_colours=1000, float_upper=FloatMode.top,
        float_lower=FloatMode.bottom, seed_last_round_1=1, seed_system_1=SeedSystem.slide,
        rank_threshold=3,
    )  # fmt: skip
    time = TimeControl(system=TimeSystem.fischer, basic=2700, period=30, moves=15, increment=15)
    assert result.time == time
    assert result.club_groups == (frozenset({"A", "B"}),)


def test_the_old_format_and_what_is_not_said() -> None:
    result = sample("old.xml")
    assert [(p.rank, p.rating, p.registered) for p in result.players] == [
        (1, 2160.0, True), (-1, 1955.0, True), (-3, 1800.0, True), (6, 2700.0, False),
    ]  # fmt: skip
    assert result.players[1].full_name == "Müller Jürgen"
    assert (result.games[0].players, result.games[1].result) == ((1, 0), Result.draw)
    assert (result.time.system, result.time.basic) == (TimeSystem.sudden_death, 2400)
    assert result.system is System.mcmahon
    assert b"<!DOCTYPE Tournament SYSTEM" in write_opengotha(result)  # kept, not fetched
    # Anything a file omits has OpenGotha's default, as in its source.
    bare = read_opengotha(b'<Tournament><Player name="A"/><Player name="B"/>'
                          b'<Game blackPlayer="A" whitePlayer="B"/></Tournament>')  # fmt: skip
    assert bare.games[0] == Game(round=1, first=0, second=1, table=1, line=1)
    assert (bare.players[0].rank, bare.players[0].rating) == (-30, -900.0)
    assert (bare.rounds, bare.komi, bare.size, bare.system) == (5, 7.5, 19, System.other)
    assert bare.scoring == Scoring(bar=3, floor=-20, wins_bye=0.0, score_absent=0.0, score_bye=0.0)
    assert bare.handicap == HandicapRules(ceiling=9)
    canadian = TimeSystem.canadian
    assert bare.time == TimeControl(system=canadian, basic=3600, period=300, moves=15, increment=10)
    assert bare.team_rules == TeamRules(size=4)
    usual = PairingSettings(balance_colours=1000, seed_last_round_1=2, rank_threshold=3)
    assert bare.pairing == usual


@pytest.mark.parametrize(
    ("text", "rank"),
    [("1D", 0), ("9D", 8), ("12d", 8), ("1K", -1), ("30K", -30), ("35K", -30), ("7", -7),
     ("1P", 6), ("3P", 6), ("4P", 7), ("6P", 7), ("7P", 8)],
)  # fmt: skip
def test_ranks(text: str, rank: int) -> None:
    assert parse_rank(text) == rank
    assert parse_rank(format_rank(rank)) == rank


def test_everything_that_a_file_holds_comes_back() -> None:
    for ends in (b"\r\n", b"\r"):
        data = CURRENT.replace(b"\n", ends)
        assert write_opengotha(read_opengotha(data)) == data
    wide = CURRENT.decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert write_opengotha(read_opengotha(wide)).decode("utf-16") == wide.decode("utf-16")
    for name in ("old.xml", "current.xml", "published.xml"):
        result = content(sample(name))
        again = content(read_opengotha(write_opengotha(result)))
        assert again == replace(result, club_groups=())
    sets = "".join(
        f"\n{' ' * 8}<{name}ParameterSet/>" for name in ("General", "Handicap", "Pairing")
    )
    parts = f"<Players/>+<Games/>+<TournamentParameterSet>{sets}+</TournamentParameterSet>"
    written = f"<Tournament>+{parts}\n</Tournament><!-- > -->".replace("+", "\n    ")
    for bare in (b"<Tournament/><!-- > -->", b"<Tournament></Tournament><!-- > -->"):
        assert write_opengotha(read_opengotha(bare)).decode() == written


def elements(data: bytes) -> object:
    def plain(element: ElementTree.Element) -> object:
        children = [plain(child) for child in element]
        return element.tag, element.attrib, (element.text or "").strip(), children

    return plain(ElementTree.fromstring(data))


def test_a_round_put_back_and_a_result_leave_everything_else_alone() -> None:
    result = sample("current.xml")
    stripped = read_opengotha(write_opengotha(result.before(2)))
    assert content(stripped) == content(result.before(2))
    data = write_opengotha(replace(stripped, games=result.games, byes=result.byes))
    assert content(read_opengotha(data)) == content(result)
    assert elements(data) == elements(CURRENT)
    games = (*result.games[:-1], replace(result.games[-1], result=Result.first_wins))
    new = write_opengotha(replace(result, games=games))
    assert new == CURRENT.replace(b"RESULT_UNKNOWN", b"RESULT_BLACKWINS")


def test_changes_of_players_and_settings_are_written() -> None:
    result = sample("current.xml")
    late = Player(name="Fir", first_name="Flo", rank=2, rating=2250.0, absent=frozenset({1}))
    time = TimeControl(system=TimeSystem.canadian, basic=1800, period=600, moves=20, increment=15)
    changed = replace(
        result, name="Trees & more", komi=7.5, rounds=4, time=time, system=System.mcmahon, byes=(),
        players=(*result.players[:-1], replace(result.players[-1], club="New"), late),
        scoring=replace(result.scoring, criteria=("MMS", "SOSM"), categories=(), bar=3),
        handicap=replace(result.handicap, ceiling=0),
        pairing=replace(result.pairing, seed_system_2=SeedSystem.slide),
    )  # fmt: skip
    data = write_opengotha(changed)
    again = read_opengotha(data)
    assert content(again) == content(changed)
    for kept in (b"unknownAttribute=", b"<Deep>text &lt; kept</Deep>"):
        assert kept in data
    assert b"ByePlayer" not in data
    more = replace(again, byes=(Bye(1, 4),), scoring=replace(again.scoring, categories=(0, -5)))
    assert content(read_opengotha(write_opengotha(more))) == content(more)


def test_a_game_outside_of_the_games_is_read_and_not_lost_when_written() -> None:
    text = (DATA / "published.xml").read_text("utf-8")
    begin = text.index("<Game ")
    game = text[begin : text.index("/>", begin) + 2]
    moved = text.replace(game, "", 1).replace("<Games>", f"<Other>{game}</Other><Games>", 1)
    read = read_opengotha(moved.encode(), file="moved.xml")
    assert len(read.games) == len(sample("published.xml").games)
    with pytest.raises(InputError, match=r"moved.xml: \d+ of \d+ elements Game stand in Games"):
        write_opengotha(replace(read, games=read.games[:-1]))


@pytest.mark.parametrize("write", [write_opengotha, write_h9])
def test_a_result_that_a_format_lacks_is_refused(write: Callable[[Tournament], bytes]) -> None:
    players = tuple(Player(name=name, first_name="x", rank=0) for name in "AB")
    game = Game(round=1, table=1, first=0, second=1, result=Result.first_half)
    with pytest.raises(InputError, match=r"round 1, A x – B x: .* half a point against none"):
        write(Tournament(rounds=1, players=players, games=(game,)))


def changed(*changes: tuple[str, str]) -> bytes:
    text = CURRENT.decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text.encode()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [('rank="5K" rating', 'rank="much" grade="?" rating', "duplicate attribute"),
     ('grade="5K" name="Cedar"', 'grade="?" name=""', "without a name"),
     ('rating="2004"', 'rating="high"', 'rating="high": no such number'),
     ('roundNumber="2" tableNumber="2"', 'roundNumber="x" tableNumber="2"', "no number"),
     ('"RESULT_UNKNOWN"', '"RESULT_MAYBE"', "'RESULT_MAYBE' is not a result"),
     ('blackPlayer="ELMED"', 'blackPlayer="OAKO"', "no player is called 'OAKO'"),
     ('blackPlayer="ELMED"', 'blackPlayer="ASHANN"', "meets himself"),
     ('roundNumber="3" tab', 'roundNumber="2"  tab', "is paired twice in round 2"),
     ('genMMBar="2D"', 'genMMBar="top"', "not a rank such as"),
     ('genMMBar="2D"', 'genMMBar=""', "genMMBar"), ('komi="6.5"', 'komi="six"', 'komi="six"'),
     ('numberOfRounds="3"', 'numberOfRounds="9999"', "9999 rounds"),
     ('beginDate="2026-01-03"', 'beginDate="yesterday"', "beginDate"),
     ('"SPLITANDSLIP"', '"SHUFFLE"', "no seeding"),
     ('lowerLimit="9K"', 'lowerLimit="?"', "a category cannot be read"),
     ('name="NBW" number="2"', 'name="NBW" number="two"', "no number"),
     ("</ClubsGroups>\n", "</ClubsGroup>\n", "no well-formed XML")],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, message: str) -> None:
    data = changed((old, new))
    before = data.decode().rpartition(new)[0]
    with pytest.raises(InputError, match=message) as caught:
        read_opengotha(data, "a.xml")
    assert (caught.value.file, caught.value.line) == ("a.xml", before.count("\n") + 1)


def test_what_can_be_read_all_the_same() -> None:
    rank = ('rank="5K"', 'rank="much"')
    assert read_opengotha(changed(rank)).players[2].rank == -5  # by the grade
    with pytest.raises(InputError, match="'much' is not a rank"):
        read_opengotha(changed(rank, ('grade="5K"', 'grade=""')))
    # A bye of round 3 makes the tournament longer.
    assert read_opengotha(changed(('numberOfRounds="3"', 'numberOfRounds="1"'))).rounds == 3
    skipped = SkipReport()
    wrong = (("RESULT_UNKNOWN", "RESULT_MAYBE"), ('blackPlayer="ELMED"', 'blackPlayer="OAKO"'))
    assert len(read_opengotha(changed(*wrong), "a", skipped=skipped).games) == 3
    assert skipped.total == 2
    with pytest.raises(InputError, match="Ash Ann is entered twice"):
        read_opengotha(changed(('firstName="Cy"', 'firstName="Ann"'), ("Cedar", "Ash")))


HOSTILE = {
    "entities": '<!DOCTYPE T [<!ENTITY a "b">]><Tournament>&a;</Tournament>',
    "external": '<!DOCTYPE T [<!ENTITY a SYSTEM "file:///etc/passwd">]><Tournament>&a;</Tournament>',
    "undefined entity": "<Tournament>&a;</Tournament>",
    "other root": "<html/>",
    "nothing": "",
    "binary": "\0\1\2",
    "deep": "<Tournament>" + "<a>" * 64 + "</a>" * 64 + "</Tournament>",
    "attributes": "<Tournament " + " ".join(f'a{n}=""' for n in range(201)) + "/>",
    "encoding": '<?xml version="1.0" encoding="no-such"?><Tournament/>',
    "rounds": '<Tournament><GeneralParameterSet numberOfRounds="201"/></Tournament>',
}


def test_hostile_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, text in HOSTILE.items():
        with pytest.raises(InputError) as caught:
            read_opengotha(text.encode(), "a.xml")
        assert caught.value.file == "a.xml", kind
    most = "<Tournament " + " ".join(f'a{n}=""' for n in range(200)) + ">"
    most += "<a>" * 63 + "</a>" * 63 + "</Tournament>"
    assert read_opengotha(most.encode()).players == ()
    elements = CURRENT.count(b"<") - CURRENT.count(b"</") - CURRENT.count(b"<!") - 1
    for limit, least, message in (("MAX_ELEMENTS", elements, "elements"),
                                  ("MAX_BYTES", len(CURRENT), "MiB")):  # fmt: skip
        with monkeypatch.context() as patched:
            patched.setattr(text_files, limit, least)
            assert read_opengotha(CURRENT).players
            patched.setattr(text_files, limit, least - 1)
            with pytest.raises(InputError, match=message):
                read_opengotha(CURRENT)
