"""Standings of Go against a plain count, direct confrontation, and who stands where."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tests.tournament.counting import NAMES, Count
from tests.tournament.samples import sample
from yardstone.errors import UsageError
from yardstone.reports.standings import standings_document
from yardstone.reports.text import document_text
from yardstone.tournament import Game, Player, Result, Scoring, Standings, standings
from yardstone.tournament import standings_table as table_module
from yardstone.tournament.model import Bye, ByeKind, System, Tournament
from yardstone.tournament.notation import listed, score_text
from yardstone.tournament.standings_table import (
    CRITERIA,
    Criterion,
    criterion,
    default_criteria,
    direct_confrontation,
    parse_criteria,
    simplified_confrontation,
)

#: Of both winning or losing the odd rounds make half a point.
HALVES = {Result.both_win: Result.first_half, Result.both_lose: Result.second_half}


def made_up(seed: int, *, players: int = 13, rounds: int = 5) -> Tournament:
    """A tournament with everything that scores depend on."""
    rng = random.Random(seed)
    absent = [
        frozenset(r for r in range(1, rounds + 1) if rng.random() < 0.15) for _ in range(players)
    ]
    entries = tuple(
        Player(name=f"P{n}", rank=rng.randrange(-12, 6), rating=float(rng.randrange(900, 2700)),
               smms_correction=rng.choice([0, 0, 1]), absent=absent[n])
        for n in range(players)
    )  # fmt: skip
    games: list[Game] = []
    byes: list[Bye] = []
    for number in range(1, rounds + 1):
        here = [n for n in range(players) if number not in absent[n]]
        rng.shuffle(here)
        if len(here) % 2:
            byes.append(Bye(number, here.pop(), list(ByeKind)[(seed + number) % 4]))
        if rng.random() < 0.3 and here:
            del here[-2:]  # neither paired nor absent
        for first, second in zip(here[::2], here[1::2], strict=True):
            result = rng.choice([r for r in Result if "half" not in r.name])
            forfeit = result is not Result.unknown and rng.random() < 0.15
            result = HALVES.get(result, result) if number % 2 else result
            stones = rng.choice([0, 0, 1, 3, 9])
            games.append(Game(round=number, first=first, second=second, result=result,
                              forfeit=forfeit, handicap=stones))  # fmt: skip
    scoring = Scoring(
        bar=rng.choice([2, 8]), floor=rng.choice([-8, -30]), zero=rng.choice([-30, -20]),
        wins_absent=rng.choice([0.0, 0.5]), wins_bye=rng.choice([0.5, 1.0]),
        score_absent=rng.choice([0.0, 0.5, 1.0]), score_bye=rng.choice([0.5, 1.0]),
        round_down=rng.random() < 0.5, unplayed_as_half=rng.random() < 0.5,
    )  # fmt: skip
    return Tournament(
        rounds=rounds, system=System.mcmahon, discipline="go", players=entries,
        games=tuple(games), byes=tuple(byes), scoring=scoring,
    )  # fmt: skip


def values(table: Standings) -> dict[int, list[float]]:
    return dict(zip(table.order.tolist(), table.values.tolist(), strict=True))


def wins(
    names: str, *beaten: tuple[int, int, int], rank: int = 0, byes: tuple[Bye, ...] = ()
) -> Tournament:
    """Players of one rank, and the round, the winner and the loser of each game."""
    games = tuple(Game(round=r, first=a, second=b, result=Result.first_wins) for r, a, b in beaten)
    players = tuple(Player(name=name, rank=rank) for name in names.split())
    rounds, scoring = max(r for r, _, _ in beaten), Scoring(bar=3)
    return Tournament(rounds=rounds, players=players, games=games, byes=byes, scoring=scoring)


@pytest.mark.parametrize("seed", range(6))
def test_all_criteria_of_go_are_as_counted_by_hand(seed: int) -> None:
    tournament = made_up(seed)
    for after in range(tournament.rounds + 1):
        table = standings(tournament, round_number=after, criteria=NAMES, everybody=True)
        count = Count(tournament, after)
        for row, result in values(table).items():
            counts = [float(count.value(name, row)) for name in NAMES]
            assert dict(zip(NAMES, result, strict=True)) == dict(zip(NAMES, counts, strict=True))


def test_order_and_who_is_listed() -> None:
    made = wins("Dee Cob Bea Abe Eve", (1, 0, 1), (1, 3, 2))
    table = standings(made, criteria="nbw,sos")
    assert [made.players[row].name for row in table.order] == ["Abe", "Dee", "Bea", "Cob"]
    assert table.place.tolist() == [1, 1, 3, 3]
    early = replace(made.players[4], registered=False)
    begun = made.with_player(4, early)
    assert [len(standings(each)) for each in (made.before(1), begun.before(1))] == [5, 4]
    assert len(standings(begun, everybody=True)) == 5
    assert len(standings(replace(made, byes=(Bye(1, 4),)))) == 5
    result = sample("current.xml")
    table = standings(result, criteria="cat,rank,rating", everybody=True)
    assert [result.players[row].name for row in table.order][:2] == ["Ash", 'Birch "B"']
    assert [score_text(table.criteria[0], v) for v in table.values[:, 0]] == list("12233")
    assert score_text(table.criteria[1], table.values[0, 1]) == "3d"
    assert standings(result).round == 2  # the last complete one
    nobody = tuple(replace(player, rank=None, rating=None) for player in result.players)
    table = standings(replace(result, players=nobody), criteria="mms,cat,rank,rating")
    assert [score_text(c, v) for c, v in zip(table.criteria, table.values[0], strict=True)] == [
        "22", "3", "-", "-",
    ]  # fmt: skip


def test_criteria_after_another_round() -> None:
    tournament = made_up(3)
    names = "mms,mms@4,mms@2,mms@-1,mms@-4"
    table = standings(tournament, round_number=4, criteria=names, everybody=True)
    earlier = [values(standings(tournament, round_number=n, criteria="mms", everybody=True))
               for n in (4, 2, 3, 0)]  # fmt: skip
    for row, result in values(table).items():
        assert result[1:] == [each[row][0] for each in earlier]


def test_a_criterion_says_its_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    fewest = Criterion(
        "LOSS", "fewest losses", lambda s: np.array([2.0, 0.0, 1.0]), least_first=True
    )
    monkeypatch.setattr(table_module, "CRITERIA", {**CRITERIA, "LOSS": fewest})
    table = standings(wins("A B C", (1, 0, 1), (2, 2, 0)), criteria="loss,tpn")
    assert (table.order.tolist(), table.values[:, 0].tolist()) == ([1, 2, 0], [0, 1, 2])
    text = document_text(standings_document(table, results=False))
    assert "LOSS" in text
    assert " -1" not in text


def test_scores_and_lists_of_names_are_written_as_people_do() -> None:
    for value, text in ((36.5, "36½"), (0.5, "½"), (7.25, "7¼"), (1.75, "1¾"), (3.0, "3"),
                        (-1.5, "-1½"), (-2.0, "-2"), (0.3, "0.3")):  # fmt: skip
        assert score_text(CRITERIA["MMS"], value) == text
    assert [listed(list("ABCDEF"[:n])) for n in (2, 5, 6)] == [
        "A, B", "A, B, C, D, E", "A, B, C, D, E and 1 more",
    ]  # fmt: skip


def test_strasbourg_and_cup_scores() -> None:
    """Eight players, a knock-out by McMahon scores: three rounds; then two rounds, and byes."""
    games = [(1, 0, 1), (1, 2, 3), (1, 4, 5), (1, 6, 7), (2, 0, 2), (2, 4, 6), (2, 1, 3),
             (2, 5, 7), (3, 0, 4), (3, 2, 6), (3, 1, 5), (3, 3, 7)]  # fmt: skip
    made = wins("a b c d e f g h", *games, rank=5)
    result = values(standings(made, criteria="sts,mms,cps,sosts"))
    assert [result[row] for row in (0, 4, 2, 1)] == [
        [40.0, 36.0, 7.0, 35 + 37 + 39],  # 4 more: the winner of all rounds up to the final
        [39.0, 35.0, 6.0, 34 + 36 + 40],
        [37.0, 35.0, 5.0, 34 + 40 + 36],  # 2 more: won the first round
        [35.0, 35.0, 3.0, 40 + 34 + 34],
    ]
    short = wins("a b c d", (1, 0, 1), (1, 2, 3), (2, 0, 2), (2, 1, 3), rank=5)
    assert values(standings(short, criteria="sts")) == {0: [37], 2: [36], 1: [34], 3: [33]}
    free = wins("a b c", (1, 0, 1), (2, 0, 2), byes=(Bye(1, 2), Bye(2, 1)))
    assert values(standings(free, criteria="cps")) == {0: [3], 1: [1], 2: [1]}


# Direct confrontation -----------------------------------------------------------------------------


def table_of(rows: list[list[int]]) -> list[dict[int, int]]:
    """Only the games that were decided."""
    return [{n: value for n, value in enumerate(row) if value} for row in rows]


CHAIN = [[0, 1, 0], [-1, 0, 1], [0, -1, 0]]
#: A circle decides nothing but stands as one, above the fourth who lost to one of it.
CIRCLE = [[0, 1, -1, 0], [-1, 0, 1, 0], [1, -1, 0, 1], [0, 0, -1, 0]]


@pytest.mark.parametrize(
    ("net", "order", "direct", "simplified"),
    [
        # A beat B, B beat C: in that order, whatever follows.
        (CHAIN, [2, 1, 0], [2, 1, 0], [0, 0, 0]),
        ([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], [0, 0, 0], [2, 1, 0], [2, 1, 0]),
        (CIRCLE, [0, 0, 0, 0], [3, 3, 3, 0], [0, 0, 0, 0]),
        (CIRCLE, [1, 0, 2, 0], [2, 3, 1, 0], [0, 0, 0, 0]),
    ],
)
def test_direct_confrontation(
    net: list[list[int]], order: list[int], direct: list[int], simplified: list[int]
) -> None:
    assert direct_confrontation(table_of(net), order) == direct
    assert simplified_confrontation(table_of(net)) == simplified


def test_confrontations_in_a_table_count_up_to_its_round() -> None:
    made = wins("A B C D", (1, 1, 0), (1, 2, 3), (2, 0, 2))
    for number, names, places in ((2, "BACD", [1, 2, 3, 4]), (1, "BCAD", [1, 1, 3, 3])):
        table = standings(made, round_number=number, criteria="nbw,dc")
        assert [made.players[row].name for row in table.order] == list(names)
        assert table.place.tolist() == places
    assert standings(made, criteria="nbw,sdc").place.tolist() == [1, 1, 1, 4]
    all_met = wins("A B C", (1, 1, 0), (2, 2, 0), (3, 1, 2))
    assert values(standings(all_met, criteria="sdc")) == {1: [2], 2: [1], 0: [0]}
    # Of two games against each other the balance counts: level here, so later criteria decide.
    twice = wins("A B", (1, 0, 1), (2, 1, 0))
    assert values(standings(twice, criteria="dc,tpn")) == {0: [1, 1], 1: [0, 2]}


def test_long_chains_of_wins_are_no_burden() -> None:
    """Six hundred tied players, each of whom beat the next."""
    chain: list[dict[int, int]] = [{} for _ in range(600)]
    for row in range(599):
        chain[row][row + 1], chain[row + 1][row] = 1, -1
    assert direct_confrontation(chain, [0] * 600) == list(range(599, -1, -1))


# Names -------------------------------------------------------------------------------------------


def test_names_of_criteria() -> None:
    assert criterion("sos", System.swiss).name == "SOSW"
    assert [criterion(name).name for name in ("SOS-2", "Median")] == ["SOSM-2", "BH-M1"]
    assert [c.name for c in parse_criteria("mms, sos  sosos,NULL")] == ["MMS", "SOSM", "SOSOSM"]
    assert all(criterion(name).name == name for name in CRITERIA)
    usual = {
        ("go", System.mcmahon): "MMS SOSM SOSOSM", ("go", System.swiss): "NBW SOSW SOSOSW",
        ("chess", System.round_robin): "PTS DE SB WON", ("chess", System.swiss): "PTS BH-C1 BH SB",
    }  # fmt: skip
    for (discipline, system), names in usual.items():
        made = Tournament(discipline=discipline, system=system)  # type: ignore[arg-type]
        assert default_criteria(made) == tuple(names.split())


@pytest.mark.parametrize(
    ("number", "criteria"),
    [
        *((3, text) for text in ("", "mms,xyz", "dc,sdc", "de,dc", "mms@0", "dc@2", "mms@99",
                                 "mms@4", "mms@-4")),
        (-1, None),
        (6, None),
    ],
)  # fmt: skip
def test_what_means_nothing(number: int, criteria: str | None) -> None:
    with pytest.raises(UsageError, match="there is no round" if criteria is None else "."):
        standings(made_up(1), round_number=number, criteria=criteria)
