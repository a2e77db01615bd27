"""Go in FIDE's report files: nothing of a tournament is lost on the way there and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from yardstone.errors import InputError
from yardstone.examples import example
from yardstone.tournament import Bye, ByeKind, Game, HandicapRules, Player, Result, Scoring
from yardstone.tournament.files import read_tournament
from yardstone.tournament.formats.opengotha import read_opengotha, write_opengotha
from yardstone.tournament.formats.trf import read_trf, write_trf
from yardstone.tournament.model import System, Tournament


@pytest.fixture(scope="module")
def start() -> Tournament:
    return read_tournament(example("open.xml"))


@pytest.fixture(scope="module")
def data(start: Tournament) -> bytes:
    return write_trf(start)


def bare(tournament: Tournament) -> Tournament:
    """All that a tournament says, without where it stood."""
    players = tuple(replace(player, line=0) for player in tournament.players)
    games = sorted((replace(game, line=0) for game in tournament.games), key=str)
    byes = sorted(tournament.byes, key=str)
    return replace(
        tournament, document=None, file="", players=players, games=tuple(games), byes=tuple(byes)
    )


def test_a_file_of_opengotha_comes_back_whole(start: Tournament, data: bytes) -> None:
    result = read_trf(data)
    assert bare(result) == bare(start)
    assert write_trf(result) == data
    assert bare(read_opengotha(write_opengotha(result))) == bare(start)
    for line in data.decode().splitlines():  # for chess it is a report file with comments
        assert line[:3].isdecimal() or line.startswith("### go ")
    by_hand = data.replace(b'"club": "Oslo"', b'"club":   "Oslo"')
    assert by_hand != data
    assert write_trf(read_trf(by_hand)) == by_hand
    two = (Player(name="Ann"), Player(name="Bo"))
    assert b"###" not in write_trf(Tournament(discipline="chess", rounds=1, players=two))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
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
SCORING = st.builds(
    Scoring,
    criteria=st.lists(st.sampled_from(["MMS", "SOSM", "NBW"]), unique=True).map(tuple),
    bar=st.integers(-5, 8),
    categories=st.lists(st.integers(-20, 5), max_size=2).map(tuple),
    wins_absent=st.sampled_from([0.0, 0.5, 1.0]),
)


@st.composite
def tournaments(draw: st.DrawFn) -> Tournament:
    players = draw(st.lists(PLAYERS, min_size=2, max_size=5))
    rounds = draw(st.integers(0, 3))
    games, byes = [], []
    for number in range(1, rounds + 1):
        order = draw(st.permutations(range(len(players))))
        pairs = draw(st.integers(0, len(players) // 2))
        for first, second in zip(order[: 2 * pairs : 2], order[1 : 2 * pairs : 2], strict=True):
            game = st.builds(
                Game,
                round=st.just(number),
                first=st.just(first),
                second=st.just(second),
                table=st.integers(0, 50),
                result=st.sampled_from(Result),
                forfeit=st.booleans(),
                handicap=st.integers(0, 9),
                komi=st.none() | st.floats(-50.0, 50.0),
                known_colour=st.booleans(),
                rated=st.booleans(),
                line=st.just(0),
            )
            games.append(draw(game))
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
        scoring=draw(SCORING),
        handicap=HandicapRules(ceiling=draw(st.integers(0, 9))),
        club_groups=tuple(draw(st.lists(st.frozensets(TEXT, max_size=2), max_size=2))),
        extras=draw(st.dictionaries(TEXT, TEXT, max_size=2)),
    )


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tournaments())
def test_whatever_a_tournament_of_go_says_comes_back(made: Tournament) -> None:
    data = write_trf(made)
    result = read_trf(data)
    assert bare(result) == bare(made)
    assert write_trf(result) == data


def test_a_change_is_written_and_the_rest_stays(data: bytes) -> None:
    start = read_trf(data)
    players = (replace(start.players[0], rank=4, club="Bonn"), *start.players[1:])
    changed = replace(start, players=players, scoring=replace(start.scoring, bar=1))
    after = write_trf(changed)
    assert bare(read_trf(after)) == bare(changed)
    lines = zip(after.splitlines(), data.splitlines(), strict=True)
    different = [one for one, other in lines if one != other]
    assert [line.split(b"{")[0] for line in different if line.startswith(b"#")] == [
        b"### go tournament ",
        b"### go player 1 ",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("player 1 {", "cannot be read"),
        ("player 99 {}", "no such player or game"),
        ("game 1 1 99 {}", "no such player or game"),
        ("game 9 1 2 {}", "no such player or game"),
        ("game 1 1 {}", "cannot be read"),
        ('player 1 {"rank": "high"}', "rank cannot be 'high'"),
        ('player 1 {"rank": 99}', "rank cannot be 99"),
        ('player 1 {"shoe": 44}', "no field 'shoe'"),
        ('player 1 {"line": 4}', "no field 'line'"),
        ('tournament {"komi": NaN}', "komi cannot be nan"),
        (f'tournament {{"komi": {10**400}}}', "komi cannot be 1000"),
        ('tournament {"rounds": 1000}', "rounds cannot be 1000"),
        ('tournament {"scoring": [1]}', "not a list of fields"),
        ('tournament {"scoring": {"bar": true}}', "bar cannot be True"),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, line: str, message: str) -> None:
    text = data + f"### go {line}\n".encode()
    with pytest.raises(InputError, match=message) as caught:
        read_trf(text, "open.trf")
    assert caught.value.line == text.count(b"\n")


def test_a_second_player_of_a_name_is_told_apart() -> None:
    rows = [f"001 {n:4d}      Lee, Ann".ljust(91) for n in (1, 2)]
    made = read_trf("\n".join(["012 Open", *rows, ""]).encode())
    result = read_opengotha(write_opengotha(made))
    assert [p.full_name for p in result.players] == ["Lee Ann", "Lee Ann (2)"]
    assert result.rounds == 1
