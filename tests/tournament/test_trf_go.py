"""Go in FIDE's report files: nothing of a tournament is lost on the way there and back."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date
from functools import partial

import pytest

from tests.tournament.test_standings import made_up
from yardstone.errors import InputError
from yardstone.examples import example
from yardstone.tournament import HandicapRules, Player, System, Tournament, read_tournament
from yardstone.tournament.formats.opengotha import read_opengotha, write_opengotha
from yardstone.tournament.formats.trf import read_trf, write_trf


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


#: What may stand in a name, and moves columns, ends lines or looks like something else.
TEXTS = ("", " a  b ", "Ä|;,\t\n\r\"'{}[]\\", "x" * 60, "### go note {", "\0\x1f\x85\u2028🙂")


@pytest.mark.parametrize("seed", range(12))
def test_whatever_a_tournament_of_go_says_comes_back(seed: int) -> None:
    rng = random.Random(seed)
    base = made_up(seed, players=5, rounds=3)
    text = partial(rng.choice, TEXTS)
    players = tuple(
        replace(p, name=text(), first_name=text(), country=text(), club=text(), grade=text(),
                rank=rng.choice([None, -30, 8]), rating=rng.choice([None, -900.0, 2050.25]),
                rating_origin=text(), ids={"egf": text(), "fide": text()},
                registered=rng.random() < 0.5, extras={text(): text()})
        for p in base.players
    )  # fmt: skip
    games = tuple(
        replace(g, table=rng.randrange(50), komi=rng.choice([None, -50.0, 0.5]),
                known_colour=rng.random() < 0.5, rated=rng.random() < 0.5)
        for g in base.games
    )  # fmt: skip
    made = replace(
        base, players=players, games=games, name=text(), place=text(), director=text(),
        begin=rng.choice([None, date(2026, 2, 28)]), size=rng.choice([9, 19]), komi=6.5,
        system=rng.choice(list(System)), extras={text(): text()},
        club_groups=(frozenset((text(), text())),), handicap=HandicapRules(ceiling=seed % 10),
        scoring=replace(base.scoring, criteria=("MMS", "SOSM"), categories=(3, -5)),
    )  # fmt: skip
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
    [("player 1 {", "cannot be read"), ("player 99 {}", "no such player or game"),
     ("game 1 1 99 {}", "no such player or game"), ("game 9 1 2 {}", "no such player or game"),
     ("game 1 1 {}", "cannot be read"), ('player 1 {"rank": "high"}', "rank cannot be 'high'"),
     ('player 1 {"rank": 21}', "rank cannot be 21"),
     ('player 1 {"rank": -51}', "rank cannot be -51"),
     ('tournament {"size": 1}', "size cannot be 1"), ('player 1 {"shoe": 44}', "no field 'shoe'"),
     ('player 1 {"line": 4}', "no field 'line'"),
     ('tournament {"komi": NaN}', "komi cannot be nan"),
     (f'tournament {{"komi": {10**400}}}', "komi cannot be 1000"),
     ('tournament {"rounds": 201}', "rounds cannot be 201"),
     ('tournament {"scoring": [1]}', "not a list of fields"),
     ('tournament {"scoring": {"bar": true}}', "bar cannot be True")],
)  # fmt: skip
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
