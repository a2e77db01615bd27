"""The steps of an event: each from one tournament to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from tests.tournament.made_events import entered, entry, paired
from tests.tournament.samples import content
from yardstone.errors import InputError, UsageError
from yardstone.tournament import Bye, HandicapRules, Result, System, TimeControl, Tournament
from yardstone.tournament.event import enter_players, rejoin, set_result, set_results, take_bye_back
from yardstone.tournament.event.entries import (
    EventEntry,
    change_player,
    player_of,
    remove_player,
)
from yardstone.tournament.event.file import change_file, taken_back, undo_step
from yardstone.tournament.event.rounds import GameResult, give_bye, parse_score, withdraw
from yardstone.tournament.event.settings import EventChange, change_settings, new_tournament
from yardstone.tournament.formats.opengotha import read_opengotha, write_opengotha
from yardstone.tournament.notation import score_of
from yardstone.tournament.rules import (
    Acceleration,
    PairingSettings,
    SeedSystem,
    Separation,
    SwissSettings,
    TimeSystem,
)
from yardstone.tournament.standings_table import Scores, standings

SLIDE = SeedSystem.slide
GRADES = ("4d", "2d", "1d", "2k", "4k", "9k", "15k", "24k", "4d")
Step = Callable[[Tournament], EventChange]


@cache
def event(rounds: int = 4, players: int = 8, until: int = 0) -> Tournament:
    """An event with its first rounds paired and won by who moved first."""
    made = entered(GRADES[:players], rounds=rounds)
    for number in range(1, until + 1):
        made = paired(made, number)
        won = [GameResult(result=Result.first_wins, round=number, table=game.table)
               for game in made.round_games(number)]  # fmt: skip
        made = set_results(made, won).tournament
    return made


def result(
    result: Result = Result.first_wins, round: int = 1, table: int = 1, forfeit: bool = False
) -> GameResult:
    return GameResult(result=result, round=round, table=table, forfeit=forfeit)


def test_a_new_tournament_has_the_settings_of_opengotha() -> None:
    made = new_tournament("Été 2026", begin=date(2026, 7, 4))
    assert (made.system, made.rounds, made.komi, made.size) == (System.mcmahon, 5, 7.5, 19)
    assert (made.scoring.bar, made.scoring.floor, made.scoring.zero) == (3, -20, -30)
    assert made.scoring.criteria == ("MMS", "SOSM", "SOSOSM")
    assert made.handicap == HandicapRules(ceiling=9)
    assert made.time == TimeControl(system=TimeSystem.byo_yomi, basic=3600, period=30, moves=15,
                                    increment=10)  # fmt: skip
    assert made.pairing == PairingSettings(avoid_mixing_categories=0, seed_system_2=SLIDE)
    assert (made.short_name, made.begin, made.end) == ("Ete2026", date(2026, 7, 4), made.begin)
    swiss, robin = (new_tournament("S", system=kind) for kind in ("swiss", "round-robin"))
    assert swiss.scoring.criteria == ("NBW", "SOSW", "SOSOSW")
    assert robin.scoring.criteria == ("NBW", "SDC")
    assert swiss.pairing == robin.pairing == PairingSettings(
        avoid_mixing_categories=0, seed_system_1=SLIDE, seed_system_2=SLIDE, rank_threshold=-30,
        seed_criterion_2="RATING", secondary=2 * 10**13, avoid_same_geography=0,
        country_difference=0, club_difference=0,
    )  # fmt: skip
    assert swiss.handicap == HandicapRules(by_score=False, threshold=-30, correction=0)
    stones = change_settings(swiss, handicap=3).tournament.handicap
    assert stones == HandicapRules(by_score=False, ceiling=3)
    for each in (made, swiss):
        read = read_opengotha(write_opengotha(each))
        assert (read.scoring, read.handicap, read.time) == (each.scoring, each.handicap, each.time)
        assert (read.system, read.begin, read.name) == (each.system, each.begin, each.name)
    later = change_settings(made, begin=date(2026, 7, 6)).tournament
    assert later.end == date(2026, 7, 6)
    assert change_settings(later, end=date(2026, 7, 5)).tournament.begin == date(2026, 7, 5)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("rounds", 1, 20), ("bar", -10, 8), ("floor", -30, 0), ("handicap", 0, 9),
     ("correction", -9, 9), ("komi", -150, 150)],
)  # fmt: skip
def test_settings_lie_within_limits(name: str, least: int, most: int) -> None:
    base = {"floor": -30, "bar": 8}
    for value in (least, most):
        assert new_tournament("X", **base | {name: value}).rounds  # type: ignore[arg-type]
    for value in (least - 1, most + 1):
        with pytest.raises(UsageError, match=name):
            new_tournament("X", **base | {name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"bar": -5, "floor": -3}, "floor lies above"), ({"komi": 6.3}, "komi 6.3"),
     ({"size": 18}, "board of 18"), ({"criteria": "mms,bh"}, "no criterion BH"),
     ({"criteria": "sos,mms"}, "begin with MMS"),
     ({"criteria": "mms,sos,sos-1,sos-2,sosos,cuss,rating"}, "room for six"),
     ({"system": "swiss", "bar": 3}, "only a McMahon"), ({"system": "ladder"}, "ladder"),
     ({"begin": date(2026, 5, 2), "end": date(2026, 5, 1)}, "ends before")],
)  # fmt: skip
def test_settings_that_cannot_be(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        new_tournament("X", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "expected"),
    [({"grade": "3d"}, (2, "3D", 2300, "INI")),
     ({"grade": "12 kyu", "rating": 905}, (-12, "12K", 905, "MAN")),
     ({"rating": 2050}, (0, "1D", 2050, "MAN")), ({"rating": 2049}, (-1, "1K", 2049, "MAN")),
     ({"rating": -900}, (-30, "30K", -900, "MAN")),
     ({"rating": 2949, "rating_origin": "EGF"}, (8, "9D", 2949, "EGF")),
     ({"grade": "1p", "rating": 2700}, (6, "1P", 2700, "MAN")),
     ({"grade": "9d", "correction": 2, "name": "A" * 60}, (8, "9D", 2900, "INI")),
     ({"grade": "30k", "correction": -1}, (-30, "30K", -900, "INI")),
     ({"name": ""}, "without a name"), ({"name": "A" * 61}, "more than 60 letters"),
     ({}, "neither grade nor rating"), ({"grade": "strong"}, "not a Go grade"),
     ({"grade": "31k"}, "30k to 9d"), ({"grade": "1.5d"}, "whole grades"),
     ({"rating": 2950}, "rating 2950"), ({"rating": -901}, "rating -901"),
     ({"grade": "1d", "country": "Germany"}, "two letters"),
     ({"grade": "1d", "correction": 3}, "from -1 to 2"),
     ({"grade": "1d", "correction": -2}, "from -1 to 2")],
)  # fmt: skip
def test_entries(given: dict[str, object], expected: tuple[object, ...] | str) -> None:
    one = EventEntry(**{"name": "A B"} | given)  # type: ignore[arg-type]
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            player_of(one)
        return
    made = player_of(one)
    assert (made.rank, made.grade, made.rating, made.rating_origin) == expected


def test_entering_twice_changes_nothing_and_a_contradiction_is_left_out() -> None:
    again = enter_players(event(), [entry("F1 g", "2d")])
    assert (again.made, again.lines) == (False, ("Entered already: F1 g.",))
    assert again.tournament is event()
    entries = [entry("F1 G", "3d", line=2), entry("New O", "3d", line=3), entry(grade="??", line=4)]
    change = enter_players(event(), entries, source="players.csv")
    assert len(change.tournament.players) == 9
    assert [record.line for record in change.skipped.details] == [2, 4]
    assert str(change.skipped.details[0]).startswith("players.csv:2: F1 G: entered")
    alone = player_of(EventEntry(name="Cher", grade="5k"))
    assert (alone.first_name, alone.full_name) == ("-", "Cher")
    # Accents are another spelling.
    one = enter_players(event(), [entry("Müller Jan")]).tournament
    change = enter_players(one, [entry("Muller Jan")])
    assert change.made
    assert "the same person?" in change.lines[-1]
    # Clubs that begin alike stay apart until OpenGotha cuts them to four letters: no other club.
    clubs = ("Berlin", "Bern")
    made = entered(("1k", "1k"), clubs)
    assert tuple(player.club for player in made.players) == clubs
    cut = replace(made, players=tuple(replace(p, club=p.club[:4]) for p in made.players))
    both = [entry(f"F{n} G", "1k", club=club) for n, club in enumerate(clubs)]
    assert not enter_players(cut, both).made


#: A step on an event after its first round, from which F7 is absent, what it says first, what it
#: changes, and into what.
STEPS: dict[str, tuple[Step, str, Callable[[Tournament], object], object]] = {
    "enter": (
        lambda t: enter_players(t, [entry()]),
        "Entered 1 player: Late L 2k. 9 are entered now. From round 2 on, "
        "with 28 points, 28 of them by grade.", lambda t: len(t.players), 9,
    ),
    "withdraw": (
        lambda t: withdraw(t, 2), "F2 G does not take part from round 2 on: ½ point a round.",
        lambda t: t.players[2].absent, frozenset(range(2, 21)),
    ),
    "absent": (
        lambda t: withdraw(t, 2, 3, only=True), "F2 G does not take part in round 3: "
        "½ point a round.", lambda t: t.players[2].absent, {3},
    ),
    "rejoin": (
        lambda t: rejoin(t, 7), "F7 G takes part from round 2 on.",
        lambda t: t.players[7].absent, frozenset(),
    ),
    "rejoin later": (
        lambda t: rejoin(t, 7, 3), "F7 G takes part from round 3 on.",
        lambda t: t.players[7].absent, {2},
    ),
    "play": (
        lambda t: rejoin(t, 7, 3, only=True), "F7 G takes part in round 3.",
        lambda t: t.players[7].absent, {2, 4},
    ),
    "bye": (
        lambda t: give_bye(t, 4), "F4 G has the bye of round 2.", lambda t: t.byes, (Bye(2, 4),),
    ),
    "set": (
        lambda t: change_settings(t, bar=1, rounds=6), "", lambda t: (t.scoring.bar, t.rounds),
        (1, 6),
    ),
    "result": (
        lambda t: set_result(t, result(Result.draw, table=4, forfeit=True), replace_other=True),
        "Round 1, table 4, ", lambda t: (t.games[3].result, t.games[3].forfeit),
        (Result.draw, True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_each_step_is_done_once_and_taken_back(name: str, tmp_path: Path) -> None:
    step, says, of, expected = STEPS[name]
    begun = event(until=1)
    before = begun.with_player(7, replace(begun.players[7], absent=frozenset({2, 3, 4})))
    done = step(before)
    assert done.made
    assert done.lines[0].startswith(says)
    assert of(before) != expected
    assert of(done.tournament) == expected
    again = step(done.tournament)
    assert (again.made, again.tournament) == (False, done.tournament)
    assert content(taken_back(before, done.tournament, done.tournament)) == content(before)
    file = tmp_path / "open.xml"
    file.write_bytes(start := write_opengotha(before))
    change_file(file, step)
    assert of(read_opengotha(file.read_bytes())) == expected
    undo_step(file)
    assert file.read_bytes() == start


@pytest.mark.parametrize(("start", "score"), [(1, 28), (2, 28), (3, 29), (4, 29)])
def test_a_late_entry_scores_absences_as_the_rules_say(start: int, score: int) -> None:
    change = enter_players(event(until=start - 1), [entry()])
    row = change.tournament.find("Late L")
    assert change.tournament.players[row].absent == frozenset(range(1, start))
    assert Scores.of(change.tournament).mms2[row, start - 1] == 2 * score
    if start > 1:
        assert f"From round {start} on, with {score} points, 28 of them by grade" in change.lines[0]
    again = paired(change.tournament, start)
    assert (start, row) in again.game_of or (start, row) in again.bye_of


def test_a_late_entry_into_a_round_that_is_paired() -> None:
    tournament = paired(event())
    swiss = enter_players(replace(tournament, system=System.swiss), [entry()])
    assert swiss.lines[0].endswith("9 are entered now. From round 2 on.")
    late = [entry("Late Ada"), entry("Late Bo")]
    again = paired(enter_players(tournament, late, first_round=1).tournament, 1)
    assert [game.table for game in again.round_games(1)] == [1, 2, 3, 4, 5]


def test_changing_a_player() -> None:
    tournament = paired(event())
    change = change_player(tournament, 3, grade="1k")
    assert "from 28 to 29" in change.lines[1]
    assert not change_player(change.tournament, 3, grade="1k").made
    rows = [
        ({"grade": "1k"}, {"rank": -1, "rating": 2000, "grade": "1K"}),
        ({"name": "Other, Name"}, {"full_name": "Other Name", "rating": 1900}),
        ({"rating": 1999}, {"rank": -2, "rating": 1999, "rating_origin": "MAN"}),
        ({"club": "Oslo Go"}, {"club": "Oslo Go", "rating": 1900, "rating_origin": "INI"}),
    ]
    for given, expected in rows:
        after = change_player(tournament, 3, **given).tournament  # type: ignore[arg-type]
        assert {name: getattr(after.players[3], name) for name in expected} == expected
        assert after.games == tournament.games


def test_taking_out_an_entry() -> None:
    tournament = event(players=9, until=1)
    late = enter_players(tournament, [entry()]).tournament
    moved = replace(late, players=(late.players[9], *late.players[:9]),
                    games=tuple(replace(g, first=g.first + 1, second=g.second + 1)
                                for g in late.games),
                    byes=tuple(replace(b, player=b.player + 1) for b in late.byes),
                    swiss=SwissSettings(
                        accelerations=(Acceleration(frozenset({0, 2, 7}), 1, 2, 1.0),),
                        separations=(Separation(frozenset({1, 3}), 1, 9),),
                    ))  # fmt: skip
    out = remove_player(moved, 0).tournament
    assert out.swiss.accelerations == (Acceleration(frozenset({1, 6}), 1, 2, 1.0),)
    assert out.swiss.separations == (Separation(frozenset({0, 2}), 1, 9),)
    for name in ("players", "games", "byes"):
        assert getattr(out, name) == getattr(tournament, name)


def test_byes() -> None:
    given = give_bye(event(players=7), 4).tournament
    other = give_bye(given, 5, replace_other=True).tournament
    assert [bye.player for bye in other.byes] == [5]
    made = paired(other)
    assert len(made.round_games(1)) == 3
    assert take_bye_back(made, 5, 1).tournament.byes == ()
    assert not take_bye_back(made, 4, 1).made


SCORES = {
    "first wins": ("1-0", " 1 - 0 ", "1-0F", "+--"), "second wins": ("0-1", "0:1", "0-1 !", "--+"),
    "draw": ("½-½", "0.5-0.5", "1/2-1/2", "0,5-0,5", "=", "jigo", "½-½ F"), "unknown": ("?",),
    "both lose": ("0-0", "0-0f", "---"), "both win": ("1-1",),
}  # fmt: skip


def test_scores() -> None:
    for name, texts in SCORES.items():
        for text in texts:
            meant = Result(name), text[-1] in "Ff!" or text in ("+--", "--+", "---")
            assert parse_score(text) == meant, text
            assert parse_score(score_of(meant[0], forfeit=meant[1])) == meant


def test_a_result_once_again_and_another_one() -> None:
    tournament = paired(event())
    game = tournament.round_games(1)[1]
    change = set_result(tournament, result(table=2))
    assert change.tournament.round_games(1)[1].result is Result.first_wins
    assert change.lines[1] == "Round 1: 3 results to come (tables 1, 3, 4)."
    assert not set_result(change.tournament, result(table=2)).made
    other = GameResult(result=Result.first_wins, round=1, players=(game.second, game.first))
    with pytest.raises(InputError, match=r"table 2, .* has the result 1-0, not 0-1"):
        set_result(change.tournament, other)
    replaced = set_result(change.tournament, other, replace_other=True).tournament
    assert replaced.round_games(1)[1].result is Result.second_wins
    opened = set_result(replaced, result(Result.unknown, table=2), replace_other=True)
    assert opened.tournament.games == tournament.games
    whole = change_settings(tournament, komi=7).tournament
    assert set_result(whole, result(Result.draw)).made
    two = set_result(paired(event(players=2)), result(Result.both_lose, forfeit=True))
    assert two.lines == ("Round 1, table 1, " + two.lines[0][18:], "Round 1 is complete.")
    assert standings(two.tournament).values[:, 0].tolist() == [33, 31]
    assert read_opengotha(write_opengotha(two.tournament)).games[0].forfeit


SEVEN = {"players": 7}


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (lambda: change_settings(paired(event(until=1)), rounds=1), "round 2 is paired"),
        (lambda: enter_players(paired(event(1)), [entry()]), "all 1 rounds are paired"),
        (lambda: enter_players(event(1), [entry()], first_round=2), "no round 2"),
        (lambda: change_player(event(), 3, name="F1, G"), "entered already"),
        (lambda: remove_player(event(until=1), 0), "paired in round 1"),
        (lambda: remove_player(made := event(players=9, until=1), made.byes[0].player),
         "paired in round 1"),
        (lambda: withdraw(event(until=1), 2, 1), "has a game in round 1"),
        (lambda: withdraw(event(until=1), 2, 9), "no round 9"),
        (lambda: give_bye(give_bye(event(**SEVEN), 4).tournament, 5), "F4 G has the bye of round"),
        (lambda: give_bye(paired(event()), 4, 1), "has a game"),
        (lambda: give_bye(withdraw(event(**SEVEN), 4).tournament, 4), "does not take part"),
        (lambda: set_result(paired(event()), result(table=9)), "no table 9"),
        (lambda: set_result(paired(event()), result(round=2)), "not paired yet"),
        (lambda: set_result(paired(event()), result(round=7)), "no round 7"),
        (lambda: set_result(paired(event()), GameResult(result=Result.draw, round=1,
                                                        players=(0, 0))), "do not meet"),
        (lambda: set_result(paired(event()), result(Result.draw)), "cannot be drawn at komi 7.5"),
        *((lambda text=text: parse_score(text), "not a result")
          for text in ("", "2-0", "1-", "0.5-0", "won", "10", "1-0-0", "B+R")),
    ],
)  # fmt: skip
def test_steps_that_cannot_be(step: Callable[[], object], said: str) -> None:
    with pytest.raises((InputError, UsageError), match=said):
        step()
