"""The steps of an event: each from one tournament to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tests.tournament.samples import content
from yardstone.errors import InputError, UsageError
from yardstone.tournament import Result, System, Tournament, pair_round, standings
from yardstone.tournament.event import (
    EventChange,
    EventEntry,
    GameResult,
    change_file,
    change_player,
    change_settings,
    enter_players,
    give_bye,
    new_tournament,
    parse_score,
    rejoin,
    remove_player,
    set_result,
    set_results,
    take_bye_back,
    undo_step,
    withdraw,
)
from yardstone.tournament.event.entries import player_of, split_name
from yardstone.tournament.event.file import taken_back
from yardstone.tournament.event.rounds import score_of
from yardstone.tournament.formats.opengotha import read_opengotha, write_opengotha
from yardstone.tournament.model import Bye
from yardstone.tournament.rules import Acceleration, Separation, SwissSettings
from yardstone.tournament.standings_table import Scores

GRADES = ("4d", "2d", "1d", "2k", "4k", "9k", "15k", "24k")


def event(rounds: int = 4, players: int = 8) -> Tournament:
    entries = [
        EventEntry(name=f"Family{n}", first_name="Given", grade=GRADES[n % 8])
        for n in range(players)
    ]
    return enter_players(new_tournament("Open", rounds=rounds), entries).tournament


def paired(tournament: Tournament, number: int) -> Tournament:
    return pair_round(tournament, number).added_to(tournament)


def decided(tournament: Tournament, number: int) -> Tournament:
    results = [
        GameResult(result=Result.first_wins, round=number, table=game.table)
        for game in tournament.round_games(number)
    ]
    return set_results(tournament, results).tournament


def test_a_new_tournament_has_the_settings_of_opengotha() -> None:
    made = new_tournament("Été 2026", begin=date(2026, 7, 4))
    assert (made.system, made.rounds, made.komi, made.size) == (System.mcmahon, 5, 7.5, 19)
    assert (made.scoring.bar, made.scoring.floor, made.scoring.zero) == (3, -20, -30)
    assert made.scoring.criteria == ("MMS", "SOSM", "SOSOSM")
    assert (made.handicap.ceiling, made.handicap.correction, made.handicap.threshold) == (9, 1, 0)
    assert (made.short_name, made.begin, made.end) == ("Ete2026", date(2026, 7, 4), made.begin)
    swiss = new_tournament("S", system="swiss")
    assert (swiss.handicap.ceiling, swiss.scoring.criteria[0]) == (0, "NBW")
    for each in (made, swiss):
        read = read_opengotha(write_opengotha(each))
        assert (read.scoring, read.handicap, read.time) == (each.scoring, each.handicap, each.time)
        assert (read.system, read.begin, read.name) == (each.system, each.begin, each.name)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rounds": 0}, "rounds"),
        ({"rounds": 21}, "rounds"),
        ({"bar": -12}, "bar"),
        ({"bar": -5, "floor": -3}, "floor lies above"),
        ({"komi": 6.3}, "komi 6.3"),
        ({"size": 18}, "board of 18"),
        ({"handicap": 10}, "handicap"),
        ({"criteria": "mms,bh"}, "no criterion BH"),
        ({"criteria": "sos,mms"}, "begin with MMS"),
        ({"criteria": "mms,sos,sos-1,sos-2,sosos,cuss,rating"}, "room for six"),
        ({"system": "swiss", "bar": 3}, "only a McMahon"),
        ({"system": "ladder"}, "ladder"),
        ({"begin": date(2026, 5, 2), "end": date(2026, 5, 1)}, "ends before"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        new_tournament("X", **settings)  # type: ignore[arg-type]


def test_settings_change_later() -> None:
    tournament = paired(event(), 1)
    made = change_settings(tournament, bar=1, rounds=6, komi=None)
    assert "bar" in made.lines[0]
    assert "rounds" in made.lines[0]
    two = paired(decided(tournament, 1), 2)
    with pytest.raises(InputError, match="round 2 is paired"):
        change_settings(two, rounds=1)


@pytest.mark.parametrize(
    ("entry", "rank", "grade", "rating", "origin"),
    [
        (EventEntry(name="A B", grade="3d"), 2, "3D", 2300, "INI"),
        (EventEntry(name="A B", grade="12 kyu", rating=905), -12, "12K", 905, "MAN"),
        (EventEntry(name="A B", rating=2050), 0, "1D", 2050, "MAN"),
        (EventEntry(name="A B", rating=2049), -1, "1K", 2049, "MAN"),
        (EventEntry(name="A B", rating=-900), -30, "30K", -900, "MAN"),
        (EventEntry(name="A B", rating=2949, rating_origin="EGF"), 8, "9D", 2949, "EGF"),
        (EventEntry(name="A B", grade="1p", rating=2700), 6, "1P", 2700, "MAN"),
    ],
)
def test_grade_and_rating(
    entry: EventEntry, rank: int, grade: str, rating: int, origin: str
) -> None:
    player = player_of(entry)
    assert (player.rank, player.grade, player.rating) == (rank, grade, rating)
    assert player.rating_origin == origin


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (EventEntry(name=""), "without a name"),
        (EventEntry(name="A B"), "neither grade nor rating"),
        (EventEntry(name="A B", grade="strong"), "not a Go grade"),
        (EventEntry(name="A B", grade="31k"), "30k to 9d"),
        (EventEntry(name="A B", grade="1.5d"), "whole grades"),
        (EventEntry(name="A B", rating=3100), "rating 3100"),
        (EventEntry(name="A B", grade="1d", country="Germany"), "two letters"),
        (EventEntry(name="A B", grade="1d", correction=5), "from -1 to 2"),
    ],
)
def test_entries_that_cannot_be(entry: EventEntry, said: str) -> None:
    with pytest.raises(InputError, match=said):
        player_of(entry)


def test_names() -> None:
    assert split_name("de la Cruz, Ana") == ("de la Cruz", "Ana")
    assert split_name("Ana DE LA CRUZ") == ("De La Cruz", "Ana")
    assert split_name("Adler Ruth Maria") == ("Adler", "Ruth Maria")
    alone = player_of(EventEntry(name="Cher", grade="5k"))
    assert (alone.first_name, alone.full_name) == ("-", "Cher")


def test_entering_twice_changes_nothing_and_a_contradiction_is_left_out() -> None:
    tournament = event()
    again = enter_players(tournament, [EventEntry(name="Family1", first_name="given", grade="2d")])
    assert not again.made
    assert again.tournament is tournament
    assert again.lines == ("Entered already: Family1 given.",)
    entries = [
        EventEntry(name="Family1", first_name="Given", grade="3d", line=2),
        EventEntry(name="New", first_name="One", grade="3d", line=3),
        EventEntry(name="Bad", first_name="One", grade="??", line=4),
    ]
    change = enter_players(tournament, entries, source="players.csv")
    assert len(change.tournament.players) == 9
    assert [record.line for record in change.skipped.details] == [2, 4]
    assert str(change.skipped.details[0]).startswith("players.csv:2: Family1 Given: entered")


def test_accents_are_another_spelling() -> None:
    one = enter_players(
        event(), [EventEntry(name="Müller", first_name="Jan", grade="1d")]
    ).tournament
    change = enter_players(one, [EventEntry(name="Muller", first_name="Jan", grade="1d")])
    assert change.made
    assert "the same person?" in change.lines[-1]


LATE = EventEntry(name="Late", first_name="Lou", grade="2k")
#: A step on `event()` after its first round, what it says first, what it changes of the first
#: player's place in round 2 on (absent rounds, byes) or else of the event, as a text.
STEPS: dict[str, tuple[Callable[[Tournament], EventChange], str, Callable[[Tournament], object],
                       object]] = {
    "enter": (
        lambda t: enter_players(t, [LATE]),
        "Entered 1 player: Late Lou 2k. 9 are entered now. From round 2 on, "
        "with 28 points, 28 of them by grade.", lambda t: len(t.players), 9,
    ),
    "withdraw": (
        lambda t: withdraw(t, 2), "Family2 Given does not take part from round 2 on: "
        "½ point a round.", lambda t: t.players[2].absent, frozenset(range(2, 21)),
    ),
    "absent": (
        lambda t: withdraw(t, 2, 3, only=True), "Family2 Given does not take part in round 3: "
        "½ point a round.", lambda t: t.players[2].absent, {3},
    ),
    "rejoin": (
        lambda t: rejoin(t, 7), "Family7 Given takes part from round 2 on.",
        lambda t: t.players[7].absent, frozenset(),
    ),
    "rejoin later": (
        lambda t: rejoin(t, 7, 3), "Family7 Given takes part from round 3 on.",
        lambda t: t.players[7].absent, {2},
    ),
    "play": (
        lambda t: rejoin(t, 7, 3, only=True), "Family7 Given takes part in round 3.",
        lambda t: t.players[7].absent, {2, 4},
    ),
    "bye": (
        lambda t: give_bye(t, 4), "Family4 Given has the bye of round 2.",
        lambda t: t.byes, (Bye(2, 4),),
    ),
    "set": (
        lambda t: change_settings(t, bar=1, rounds=6), "", lambda t: (t.scoring.bar, t.rounds),
        (1, 6),
    ),
    "result": (
        lambda t: set_result(
            t, GameResult(result=Result.draw, forfeit=True, round=1, table=4), replace_other=True
        ), "Round 1, table 4, ", lambda t: (t.games[3].result, t.games[3].forfeit),
        (Result.draw, True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_each_step_is_done_once_and_taken_back(name: str, tmp_path: Path) -> None:
    step, says, of, expected = STEPS[name]
    begun = decided(paired(event(), 1), 1)
    away = replace(begun.players[7], absent=frozenset({2, 3, 4}))
    before = begun.with_player(7, away)
    done = step(before)
    assert done.made
    assert done.lines[0].startswith(says)
    assert of(before) != expected
    assert of(done.tournament) == expected
    again = enter_players(done.tournament, [LATE]) if name.startswith("enter") else None
    again = again or step(done.tournament)
    assert (again.made, again.tournament) == (False, done.tournament)
    assert content(taken_back(before, done.tournament, done.tournament)) == content(before)
    file = tmp_path / "open.xml"
    file.write_bytes(write_opengotha(before))
    start = file.read_bytes()
    change_file(file, step)
    assert of(read_opengotha(file.read_bytes())) == expected
    undo_step(file)
    assert file.read_bytes() == start


@pytest.mark.parametrize(("start", "score"), [(1, 28), (2, 28), (3, 29), (4, 29)])
def test_a_late_entry_scores_absences_as_the_rules_say(start: int, score: int) -> None:
    tournament = event()
    for number in range(1, start):
        tournament = decided(paired(tournament, number), number)
    change = enter_players(tournament, [EventEntry(name="Late", first_name="Lou", grade="2k")])
    row = change.tournament.find("Late Lou")
    assert change.tournament.players[row].absent == frozenset(range(1, start))
    scores = Scores.of(change.tournament)
    assert scores.mms2[row, start - 1] == 2 * score
    if start > 1:
        assert f"From round {start} on, with {score} points, 28 of them by grade" in change.lines[0]
    again = paired(change.tournament, start)
    assert (start, row) in again.game_of or (start, row) in again.bye_of


def test_a_late_entry_into_a_round_that_is_paired() -> None:
    tournament = paired(event(), 1)
    late = EventEntry(name="Late", first_name="Lou", grade="2k")
    swiss = enter_players(replace(tournament, system=System.swiss), [late])
    assert swiss.lines[0].endswith("9 are entered now. From round 2 on.")
    change = enter_players(
        tournament,
        [EventEntry(name="Late", first_name=text, grade="2k") for text in ("Ada", "Bo")],
        first_round=1,
    )
    again = pair_round(change.tournament, 1)
    assert [board.table for board in again.boards] == [5]
    assert len(again.added_to(change.tournament).round_games(1)) == 5


def test_no_entry_after_the_last_round() -> None:
    tournament = paired(event(rounds=1), 1)
    with pytest.raises(InputError, match="all 1 rounds are paired"):
        enter_players(tournament, [EventEntry(name="Late", first_name="Lou", grade="2k")])
    with pytest.raises(InputError, match="no round 2"):
        enter_players(tournament, [EventEntry(name="A", first_name="B", grade="2k")], first_round=2)


def test_changing_a_player() -> None:
    tournament = paired(event(), 1)
    change = change_player(tournament, 3, grade="1k")
    player = change.tournament.players[3]
    assert (player.rank, player.rating, player.grade) == (-1, 2000, "1K")
    assert "from 28 to 29" in change.lines[1]
    assert not change_player(change.tournament, 3, grade="1k").made
    renamed = change_player(tournament, 3, name="Other, Name").tournament
    assert renamed.players[3].full_name == "Other Name"
    assert renamed.games == tournament.games
    with pytest.raises(InputError, match="entered already"):
        change_player(tournament, 3, name="Family1, Given")
    rated = change_player(tournament, 3, rating=1999).tournament.players[3]
    assert (rated.rank, rated.rating, rated.rating_origin) == (-2, 1999, "MAN")
    kept = change_player(tournament, 3, club="Oslo Go").tournament.players[3]
    assert (kept.club, kept.rating, kept.rating_origin) == ("Oslo Go", 1900, "INI")


def test_taking_out_an_entry() -> None:
    tournament = decided(paired(event(players=9), 1), 1)
    bye = tournament.byes[0].player
    with pytest.raises(InputError, match="paired in round 1"):
        remove_player(tournament, bye)
    late = enter_players(tournament, [EventEntry(name="Aa", first_name="B", grade="1k")]).tournament
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
    assert (out.players, out.games, out.byes) == (
        tournament.players,
        tournament.games,
        tournament.byes,
    )


def test_withdrawing_and_coming_back() -> None:
    tournament = decided(paired(event(), 1), 1)
    assert (2, 2) not in paired(withdraw(tournament, 2).tournament, 2).game_of
    with pytest.raises(InputError, match="has a game in round 1"):
        withdraw(tournament, 2, 1)
    with pytest.raises(InputError, match="no round 9"):
        withdraw(tournament, 2, 9)


def test_byes() -> None:
    tournament = event(players=7)
    given = give_bye(tournament, 4)
    with pytest.raises(InputError, match="Family4 Given has the bye of round 1"):
        give_bye(given.tournament, 5)
    other = give_bye(given.tournament, 5, replace_other=True)
    assert [bye.player for bye in other.tournament.byes] == [5]
    made = paired(other.tournament, 1)
    assert len(made.round_games(1)) == 3
    with pytest.raises(InputError, match="has a game"):
        give_bye(made, 4, 1)
    assert take_bye_back(made, 5, 1).tournament.byes == ()
    assert not take_bye_back(made, 4, 1).made
    away = withdraw(tournament, 4).tournament
    with pytest.raises(InputError, match="does not take part"):
        give_bye(away, 4)


SCORES = {
    "1-0": (Result.first_wins, False),
    " 0 - 1 ": (Result.second_wins, False),
    "0:1": (Result.second_wins, False),
    "½-½": (Result.draw, False),
    "0.5-0.5": (Result.draw, False),
    "1/2-1/2": (Result.draw, False),
    "0,5-0,5": (Result.draw, False),
    "=": (Result.draw, False),
    "jigo": (Result.draw, False),
    "0-0": (Result.both_lose, False),
    "1-1": (Result.both_win, False),
    "1-0F": (Result.first_wins, True),
    "0-1 !": (Result.second_wins, True),
    "0-0f": (Result.both_lose, True),
    "+--": (Result.first_wins, True),
    "?": (Result.unknown, False),
}


@pytest.mark.parametrize("text", SCORES)
def test_scores(text: str) -> None:
    assert parse_score(text) == SCORES[text]
    result, forfeit = SCORES[text]
    assert parse_score(score_of(result, forfeit=forfeit)) == (result, forfeit)


@pytest.mark.parametrize("text", ["", "2-0", "1-", "0.5-0", "won", "10", "1-0-0", "B+R"])
def test_texts_that_are_no_score(text: str) -> None:
    with pytest.raises(UsageError, match="not a result"):
        parse_score(text)


def test_a_result_once_again_and_another_one() -> None:
    tournament = paired(event(), 1)
    game = tournament.round_games(1)[1]
    given = GameResult(result=Result.first_wins, round=1, table=2)
    change = set_result(tournament, given)
    assert change.tournament.round_games(1)[1].result is Result.first_wins
    assert change.lines[1] == "Round 1: 3 results to come (tables 1, 3, 4)."
    assert not set_result(change.tournament, given).made
    other = GameResult(result=Result.first_wins, round=1, players=(game.second, game.first))
    with pytest.raises(InputError, match=r"table 2, .* has the result 1-0, not 0-1"):
        set_result(change.tournament, other)
    replaced = set_result(change.tournament, other, replace_other=True).tournament
    assert replaced.round_games(1)[1].result is Result.second_wins
    opened = set_result(
        replaced, GameResult(result=Result.unknown, round=1, table=2), replace_other=True
    )
    assert opened.tournament.games == tournament.games
    for wrong, said in (
        (GameResult(result=Result.draw, round=1, table=9), "no table 9"),
        (GameResult(result=Result.draw, round=2, table=1), "not paired yet"),
        (GameResult(result=Result.draw, round=7, table=1), "no round 7"),
        (GameResult(result=Result.draw, round=1, players=(game.first, game.first)), "do not meet"),
    ):
        with pytest.raises(InputError, match=said):
            set_result(tournament, wrong)


def test_forfeits_and_the_standings() -> None:
    tournament = paired(event(players=2), 1)
    given = GameResult(result=Result.both_lose, forfeit=True, round=1, table=1)
    made = set_result(tournament, given)
    assert made.lines == ("Round 1, table 1, " + made.lines[0][18:], "Round 1 is complete.")
    assert standings(made.tournament).values[:, 0].tolist() == [33, 31]
    assert read_opengotha(write_opengotha(made.tournament)).games[0].forfeit


def test_clubs_that_begin_alike_stay_apart() -> None:
    """Until OpenGotha cuts them to four letters, which is no other club."""
    entries = [
        EventEntry(name=f"F{n}", first_name="G", grade="1k", club=club)
        for n, club in enumerate(("Berlin", "Bern"))
    ]
    made = enter_players(new_tournament("Open"), entries).tournament
    assert [player.club for player in made.players] == ["Berlin", "Bern"]
    cut = replace(made, players=tuple(replace(p, club=p.club[:4]) for p in made.players))
    assert not enter_players(cut, entries).made
