"""Go in FIDE's report files: nothing of a tournament is lost on the way there and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from yardstone.errors import InputError
from yardstone.tournament.files import read_tournament
from yardstone.tournament.formats.opengotha import read_opengotha, write_opengotha
from yardstone.tournament.formats.trf import read_trf, write_trf
from yardstone.tournament.model import Bye, ByeKind, Game, Player, Result, System, Tournament
from yardstone.tournament.rules import HandicapRules, Scoring

EXAMPLE = Path("src/yardstone/examples/open.xml")
#: Results that OpenGotha does not know.
_HALVES = (Result.first_half, Result.second_half)


def bare(tournament: Tournament) -> Tournament:
    """All that a tournament says, without where it stood."""
    players = tuple(replace(player, line=0) for player in tournament.players)
    games = sorted((replace(game, line=0) for game in tournament.games), key=str)
    byes = sorted(tournament.byes, key=str)
    return replace(
        tournament, document=None, file="", players=players, games=tuple(games), byes=tuple(byes)
    )


def test_a_file_of_opengotha_comes_back_whole() -> None:
    start = read_tournament(EXAMPLE)
    data = write_trf(start)
    result = read_trf(data)
    assert bare(result) == bare(start)
    assert write_trf(result) == data
    assert bare(read_opengotha(write_opengotha(result))) == bare(start)
    for line in data.decode().splitlines():  # for chess it is a report file with comments
        assert line[:3].isdecimal() or line.startswith("### go ")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
PLAYERS = st.builds(
    Player,
    name=TEXT,
    first_name=TEXT,
    country=TEXT,
    club=TEXT,
    rank=st.none() | st.integers(-30, 8),
    grade=TEXT,
    rating=st.none() | st.floats(-900.0, 2900.0),
    rating_origin=TEXT,
    ids=st.dictionaries(st.sampled_from(["egf", "ffg", "aga", "fide"]), TEXT),
    smms_correction=st.integers(-3, 3),
    absent=st.frozensets(st.integers(1, 5)),
    registered=st.booleans(),
    extras=st.dictionaries(TEXT, TEXT, max_size=2),
)


@st.composite
def tournaments(draw: st.DrawFn) -> Tournament:
    players = draw(st.lists(PLAYERS, min_size=2, max_size=7))
    rounds = draw(st.integers(0, 4))
    games, byes = [], []
    for number in range(1, rounds + 1):
        order = draw(st.permutations(range(len(players))))
        pairs = draw(st.integers(0, len(players) // 2))
        games += [
            Game(
                round=number,
                first=order[2 * table],
                second=order[2 * table + 1],
                table=draw(st.integers(0, 50)),
                result=draw(st.sampled_from(Result)),
                forfeit=draw(st.booleans()),
                handicap=draw(st.integers(0, 9)),
                komi=draw(st.none() | st.floats(-50.0, 50.0)),
                known_colour=draw(st.booleans()),
                rated=draw(st.booleans()),
            )
            for table in range(pairs)
        ]
        byes += [Bye(number, p, draw(st.sampled_from(ByeKind))) for p in order[2 * pairs :][:1]]
    return Tournament(
        name=draw(TEXT),
        place=draw(TEXT),
        director=draw(TEXT),
        begin=draw(st.none() | st.dates()),
        discipline="go",
        size=draw(st.sampled_from([9, 13, 19])),
        komi=draw(st.none() | st.floats(-10.0, 10.0)),
        rounds=rounds,
        system=draw(st.sampled_from(System)),
        players=tuple(players),
        games=tuple(games),
        byes=tuple(byes),
        scoring=Scoring(
            criteria=tuple(draw(st.lists(st.sampled_from(["MMS", "SOSM", "NBW"]), unique=True))),
            bar=draw(st.integers(-5, 8)),
            categories=tuple(draw(st.lists(st.integers(-20, 5), max_size=2))),
            wins_absent=draw(st.sampled_from([0.0, 0.5, 1.0])),
        ),
        handicap=HandicapRules(ceiling=draw(st.integers(0, 9))),
        club_groups=tuple(draw(st.lists(st.frozensets(TEXT, max_size=2), max_size=2))),
        extras=draw(st.dictionaries(TEXT, TEXT, max_size=2)),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tournaments())
def test_whatever_a_tournament_of_go_says_comes_back(start: Tournament) -> None:
    data = write_trf(start)
    result = read_trf(data)
    assert bare(result) == bare(start)
    assert write_trf(result) == data


def test_a_change_is_written_and_the_rest_stays() -> None:
    start = read_trf(write_trf(read_tournament(EXAMPLE)))
    data = write_trf(start)
    players = (replace(start.players[0], rank=4, club="Bonn"), *start.players[1:])
    changed = replace(start, players=players, scoring=replace(start.scoring, bar=1))
    after = write_trf(changed)
    assert bare(read_trf(after)) == bare(changed)
    different = [
        one
        for one, other in zip(after.splitlines(), data.splitlines(), strict=True)
        if one != other
    ]
    assert [line.split(b"{")[0] for line in different if line.startswith(b"#")] == [
        b"### go tournament ",
        b"### go player 1 ",
    ]


def test_lines_by_hand_stay_as_they_are() -> None:
    data = write_trf(read_tournament(EXAMPLE)).replace(b'"club": "Oslo"', b'"club":   "Oslo"')
    assert b'"club":   "Oslo"' in data
    assert write_trf(read_trf(data)) == data


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("### go player 1 {", "cannot be read"),
        ("### go player 99 {}", "no such player or game"),
        ("### go game 1 1 99 {}", "no such player or game"),
        ("### go game 9 1 2 {}", "no such player or game"),
        ("### go game 1 1 {}", "cannot be read"),
        ('### go player 1 {"rank": "high"}', "rank cannot be 'high'"),
        ('### go player 1 {"rank": 99}', "rank cannot be 99"),
        ('### go player 1 {"shoe": 44}', "no field 'shoe'"),
        ('### go player 1 {"line": 4}', "no field 'line'"),
        ('### go tournament {"komi": NaN}', "komi cannot be nan"),
        ('### go tournament {"rounds": 1000}', "rounds cannot be 1000"),
        ('### go tournament {"scoring": [1]}', "not a list of fields"),
        ('### go tournament {"scoring": {"bar": true}}', "bar cannot be True"),
    ],
)
def test_what_cannot_be_read_is_named(line: str, message: str) -> None:
    data = write_trf(read_tournament(EXAMPLE)).decode() + line + "\n"
    with pytest.raises(InputError, match=message) as caught:
        read_trf(data.encode(), "open.trf")
    assert caught.value.line == data.count("\n")


def test_chess_gets_no_such_lines() -> None:
    players = (Player(name="Ann"), Player(name="Bo"))
    assert b"###" not in write_trf(Tournament(discipline="chess", rounds=1, players=players))


def test_a_second_player_of_a_name_is_told_apart() -> None:
    data = b"012 Open\n" + b"".join(
        f"001 {n:4d}      Lee, Ann".ljust(91).encode() + b"\n" for n in (1, 2)
    )
    result = read_opengotha(write_opengotha(read_trf(data)))
    assert [p.full_name for p in result.players] == ["Lee Ann", "Lee Ann (2)"]
    assert result.rounds == 1
