from __future__ import annotations

import random
from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.tournament.counting import NAMES, Count
from tests.tournament.samples import sample
from yardstone.errors import UsageError
from yardstone.reports.standings import standings_document
from yardstone.reports.text import document_text
from yardstone.tournament import Bye, Game, Player, Result, Scoring, System, Tournament
from yardstone.tournament import standings_table as table_module
from yardstone.tournament.notation import score_text
from yardstone.tournament.standings_table import (
    CRITERIA,
    Criterion,
    RoundState,
    Standings,
    criterion,
    direct_confrontation,
    parse_criteria,
    simplified_confrontation,
    standings,
)


def made_up(seed: int, *, players: int = 13, rounds: int = 5) -> Tournament:
    """A tournament with everything that scores depend on."""
    rng = random.Random(seed)
    absent = [
        frozenset(r for r in range(1, rounds + 1) if rng.random() < 0.15) for _ in range(players)
    ]
    entries = tuple(
        Player(
            name=f"P{n}",
            rank=rng.randrange(-12, 6),
            rating=float(rng.randrange(900, 2700)),
            smms_correction=rng.choice([0, 0, 1]),
            absent=absent[n],
        )
        for n in range(players)
    )
    games: list[Game] = []
    byes: list[Bye] = []
    for number in range(1, rounds + 1):
        here = [n for n in range(players) if number not in absent[n]]
        rng.shuffle(here)
        if len(here) % 2:
            byes.append(Bye(number, here.pop()))
        if rng.random() < 0.3 and here:
            del here[-2:]  # neither paired nor absent
        for first, second in zip(here[::2], here[1::2], strict=True):
            result = rng.choice([r for r in Result if "half" not in r.name])
            forfeit = result is not Result.unknown and rng.random() < 0.15
            stones = rng.choice([0, 0, 1, 3, 9])
            games.append(Game(round=number, first=first, second=second, result=result,
                              forfeit=forfeit, handicap=stones))  # fmt: skip
    scoring = Scoring(
        bar=rng.choice([2, 8]),
        floor=rng.choice([-8, -30]),
        zero=rng.choice([-30, -20]),
        wins_absent=rng.choice([0.0, 0.5]),
        wins_bye=rng.choice([0.5, 1.0]),
        score_absent=rng.choice([0.0, 0.5, 1.0]),
        score_bye=rng.choice([0.5, 1.0]),
        round_down=rng.random() < 0.5,
        unplayed_as_half=rng.random() < 0.5,
    )
    return Tournament(
        rounds=rounds, system=System.mcmahon, discipline="go", players=entries,
        games=tuple(games), byes=tuple(byes), scoring=scoring,
    )  # fmt: skip


def values(table: Standings) -> dict[int, list[float]]:
    return dict(zip(table.order.tolist(), table.values.tolist(), strict=True))


def wins(names: str, *beaten: tuple[int, int, int], rank: int = 0) -> Tournament:
    """Players of one rank, and the round, the winner and the loser of each game."""
    games = [Game(round=r, first=a, second=b, result=Result.first_wins) for r, a, b in beaten]
    players = tuple(Player(name=name, rank=rank) for name in names.split())
    rounds = max(r for r, _, _ in beaten)
    return Tournament(rounds=rounds, players=players, games=tuple(games), scoring=Scoring(bar=3))


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
    assert len(standings(made, everybody=True)) == len(standings(made.before(1))) == 5
    result = sample("current.xml")
    table = standings(result, criteria="cat,rank,rating", everybody=True)
    assert [result.players[row].name for row in table.order][:2] == ["Ash", 'Birch "B"']
    assert [score_text(table.criteria[0], v) for v in table.values[:, 0]] == list("12233")
    assert score_text(table.criteria[1], table.values[0, 1]) == "3d"
    assert standings(result).round == 2  # the last complete one


def test_criteria_after_another_round() -> None:
    tournament = made_up(3)
    table = standings(tournament, round_number=4, criteria="mms,mms@2,mms@-1", everybody=True)
    earlier = [values(standings(tournament, round_number=n, criteria="mms", everybody=True))
               for n in (2, 3)]  # fmt: skip
    for row, result in values(table).items():
        assert result[1:] == [each[row][0] for each in earlier]


def test_a_criterion_says_its_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(state: RoundState) -> NDArray[np.float64]:
        none = state.scores.played & (state.scores.points2 == 0)
        return np.asarray(none[:, : state.round].sum(axis=1), np.float64)

    fewest = Criterion("LOSS", "fewest losses", lost, least_first=True)
    monkeypatch.setattr(table_module, "CRITERIA", {**CRITERIA, "LOSS": fewest})
    table = standings(made_up(3), round_number=5, criteria="loss,tpn", everybody=True)
    assert table.values.tolist() == sorted(table.values.tolist())
    losses = [score_text(fewest, value) for value in table.values[:, 0]]
    assert losses == sorted(losses)
    assert {"0", "1", "2"} <= set(losses)
    text = document_text(standings_document(table, results=False))
    assert "LOSS" in text
    assert " -1" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(36.5, "36½"), (0.5, "½"), (7.25, "7¼"), (3.0, "3"), (-1.5, "-1½"), (0.3, "0.3")],
)
def test_scores_are_written_as_people_do(value: float, text: str) -> None:
    assert score_text(CRITERIA["MMS"], value) == text


def test_strasbourg_and_cup_scores() -> None:
    """Eight players, a knock-out by McMahon scores: three rounds."""
    games = [(1, 0, 1), (1, 2, 3), (1, 4, 5), (1, 6, 7), (2, 0, 2), (2, 4, 6), (2, 1, 3),
             (2, 5, 7), (3, 0, 4), (3, 2, 6), (3, 1, 5), (3, 3, 7)]  # fmt: skip
    result = values(standings(wins("a b c d e f g h", *games, rank=5), criteria="sts,mms,cps"))
    assert [result[row] for row in (0, 4, 2, 1)] == [
        [40.0, 36.0, 7.0],  # 4 more: the winner of all rounds up to the final
        [39.0, 35.0, 6.0],
        [37.0, 35.0, 5.0],  # 2 more: won the first round
        [35.0, 35.0, 3.0],
    ]


# Direct confrontation -----------------------------------------------------------------------------


def table_of(rows: list[list[int]]) -> list[dict[int, int]]:
    """Only the games that were decided."""
    return [{n: value for n, value in enumerate(row) if value} for row in rows]


@pytest.mark.parametrize(
    ("net", "order", "direct", "simplified"),
    [
        # A beat B, B beat C: in that order, whatever follows.
        ([[0, 1, 0], [-1, 0, 1], [0, -1, 0]], [2, 1, 0], [2, 1, 0], [0, 0, 0]),
        ([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], [0, 0, 0], [2, 1, 0], [2, 1, 0]),
        # A circle decides nothing but stands as one, above the fourth who lost to one of it.
        ([[0, 1, -1, 0], [-1, 0, 1, 0], [1, -1, 0, 1], [0, 0, -1, 0]],
         [0, 0, 0, 0], [3, 3, 3, 0], [0, 0, 0, 0]),
        ([[0, 1, -1, 0], [-1, 0, 1, 0], [1, -1, 0, 1], [0, 0, -1, 0]],
         [1, 0, 2, 0], [2, 3, 1, 0], [0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_direct_confrontation(
    net: list[list[int]], order: list[int], direct: list[int], simplified: list[int]
) -> None:
    assert direct_confrontation(table_of(net), order) == direct
    assert simplified_confrontation(table_of(net)) == simplified


def test_winners_stand_above_those_they_beat() -> None:
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    for signs in product((-1, 0, 1), repeat=6):
        net = [[0] * 4 for _ in range(4)]
        for (i, j), sign in zip(pairs, signs, strict=True):
            net[i][j], net[j][i] = sign, -sign
        result = direct_confrontation(table_of(net), [0, 1, 2, 3])
        reach = [[net[i][j] > 0 for j in range(4)] for i in range(4)]
        for k, i, j in product(range(4), repeat=3):
            reach[i][j] = reach[i][j] or (reach[i][k] and reach[k][j])
        for i, j in permutations(range(4), 2):
            if net[i][j] > 0 and not reach[j][i]:
                assert result[i] > result[j]


def test_direct_confrontation_in_a_table() -> None:
    made = wins("A B C D", (1, 1, 0), (1, 2, 3), (2, 0, 2), (2, 3, 1))
    order = [made.players[row].name for row in standings(made, criteria="nbw,dc").order]
    assert order.index("B") < order.index("A") < order.index("C") or order == list("ABCD")
    assert standings(made, criteria="nbw,sdc").place.tolist() == [1, 1, 1, 1]


def test_long_chains_of_wins_are_no_burden() -> None:
    """Six hundred tied players, each of whom beat the next."""
    chain: list[dict[int, int]] = [{} for _ in range(600)]
    for row in range(599):
        chain[row][row + 1], chain[row + 1][row] = 1, -1
    assert direct_confrontation(chain, [0] * 600) == list(range(599, -1, -1))


# Names -------------------------------------------------------------------------------------------


def test_names_of_criteria() -> None:
    assert criterion("sos", System.swiss).name == "SOSW"
    assert criterion("SOS-2", System.mcmahon).name == "SOSM-2"
    assert criterion("Median").name == "BH-M1"
    assert [c.name for c in parse_criteria("mms, sos  sosos,NULL")] == ["MMS", "SOSM", "SOSOSM"]
    assert all(criterion(name).name == name for name in CRITERIA)


@pytest.mark.parametrize(
    ("number", "criteria"),
    [
        *((3, text) for text in ("", "mms,xyz", "dc,sdc", "de,dc", "mms@0", "dc@2", "mms@99",
                                 "mms@-9")),
        (-1, None),
        (6, None),
    ],
)  # fmt: skip
def test_what_means_nothing(number: int, criteria: str | None) -> None:
    with pytest.raises(UsageError, match="there is no round" if criteria is None else "."):
        standings(made_up(1), round_number=number, criteria=criteria)
