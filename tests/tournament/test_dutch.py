"""The Dutch system: its matchings against all of them, its order against the rules' own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

from tests.tournament.samples import DATA
from yardstone import parallel
from yardstone.errors import InputError
from yardstone.tournament import Bye, ByeKind, Constraints, Game, Player, Result, System, Tournament
from yardstone.tournament.dutch import (
    check_rounds,
    explain_dutch,
    initial_colour,
    obstacle,
    pair_dutch,
)
from yardstone.tournament.dutch_brackets import (
    BestMatchings,
    Level,
    PairTable,
    RoundPairs,
    may_meet,
    pair_brackets,
)
from yardstone.tournament.dutch_field import (
    ColourReason,
    Drift,
    DutchField,
    DutchPlayer,
    allocate,
    baku,
    dutch_field,
)
from yardstone.tournament.dutch_field import PieceColour as Piece
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.formats.trf import read_trf
from yardstone.tournament.simulation import RandomPlan, random_tournament

#: Rounds that bbpPairings 6.0.0 generated with odd fields, forfeits, byes and withdrawals.
RECORDED = sorted((DATA / "dutch").glob("*.trf"))


def matchings(rows: list[int]) -> Iterator[list[tuple[int, int]]]:
    if not rows:
        yield []
        return
    first, *others = rows
    for other in others:
        for pairs in matchings([row for row in others if row != other]):
            yield [(first, other), *pairs]


@pytest.mark.parametrize("seed", range(30))
def test_matchings_are_the_best_by_criteria_in_their_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([4, 6, 8]))
    allowed = np.triu(rng.random((n, n)) < 0.75, 1)
    allowed |= allowed.T
    levels = []
    for number in range(6):
        values = np.triu(rng.integers(-2, 3, (n, n)), 1)
        levels.append(Level(str(number), values + values.T, 4 * (n // 2)))
    every = [m for m in matchings(list(range(n))) if all(allowed[pair] for pair in m)]
    best = BestMatchings(allowed)
    assert (not best.matching.alone) is bool(every)
    if every:
        sums = [tuple(sum(int(x.values[pair]) for pair in m) for x in levels) for m in every]
        assert tuple(best.narrow(levels)) == max(sums)
        one_by_one = BestMatchings(allowed)
        assert tuple(one_by_one.narrow([level])[0] for level in levels) == max(sums)
        left = {pair for m, s in zip(every, sums, strict=True) if s == max(sums) for pair in m}
        assert all(best.allowed[pair] for pair in left)


def player(
    number: int, colours: str = "", met: frozenset[int] = frozenset(), *, top: bool = False
) -> DutchPlayer:
    return DutchPlayer(
        player=number - 1,
        number=number,
        score=1.0,
        points=1.0,
        colours=tuple(Piece.white if c == "W" else Piece.black for c in colours),
        opponents=met,
        floats=(Drift.none, Drift.none),
        bye_barred=False,
        unplayed=0,
        top=top,
    )


def first_candidate(players: list[DutchPlayer]) -> set[tuple[int, int]] | None:
    """A homogeneous bracket of an even number, by trying candidates as articles 4.2 and 4.3 say."""
    n, half = len(players), len(players) // 2
    upper, lower = range(half), range(half, n)
    exchanges = [
        (down, up)
        for size in range(half + 1)
        for down in combinations(upper, size)
        for up in combinations(lower, size)
    ]
    exchanges.sort(key=lambda e: (
        len(e[0]), sum(e[1]) - sum(e[0]), [-x for x in sorted(e[0], reverse=True)], sorted(e[1])
    ))  # fmt: skip

    def quality(pairs: list[tuple[int, int]]) -> tuple[int, int]:
        clash = [(players[a], players[b]) for a, b in pairs
                 if players[a].due and players[a].due == players[b].due]  # fmt: skip
        return len(clash), sum(min(a.preference, b.preference) >= 2 for a, b in clash)

    candidates = (
        list(zip(sorted({*upper, *up} - {*down}), order, strict=True))
        for down, up in exchanges
        for order in permutations(sorted({*lower, *down} - {*up}))
    )
    allowed = (
        pairs for pairs in candidates if not any(may_meet(players[a], players[b]) for a, b in pairs)
    )
    best = min(allowed, key=quality, default=None)  # the first of those that are equally good
    return None if best is None else {(min(pair), max(pair)) for pair in best}


@pytest.mark.parametrize("seed", range(25))
def test_order_of_candidates_in_a_homogeneous_bracket(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([4, 6, 6, 8]))
    met: list[set[int]] = [set() for _ in range(n)]
    for a, b in combinations(range(n), 2):
        if rng.random() < 0.45:
            met[a].add(b)
            met[b].add(a)
    colours = ["".join(rng.choice(["W", "B"], 3)) for _ in range(n)]
    players = [player(k + 1, colours[k], frozenset(met[k])) for k in range(n)]
    expected = first_candidate(players)
    entries = tuple(Player(name=f"P{each.number}") for each in players)
    made = Tournament(rounds=9, discipline="chess", players=entries)
    field = DutchField(tournament=made, round=3, players=tuple(players))
    result = pair_brackets(field, PairTable(field.players).allowed)
    if expected is None:
        assert not isinstance(result, RoundPairs)
    else:
        assert isinstance(result, RoundPairs)
        assert {(a, b) for a, b in enumerate(result.mate) if a < b} == expected


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_rounds_of_another_program(path: Path) -> None:
    checks = check_rounds(read_tournament(path))
    assert checks
    assert all(check.agrees for check in checks), [c.reason for c in checks if not c.agrees]


def test_a_changed_round_is_noticed() -> None:
    whole = read_tournament(RECORDED[-1])
    byes = tuple(bye for bye in whole.byes if bye.round <= 2)
    tournament = replace(whole, games=tuple(g for g in whole.games if g.round <= 2), byes=byes)
    one, two = [g for g in tournament.games if g.round == 2][:2]

    swapped = {one: replace(one, second=two.second), two: replace(two, second=one.second)}
    games = tuple(swapped.get(g, g) for g in tournament.games)
    crossed = check_rounds(replace(tournament, games=games), 2)[0]
    assert not crossed.agrees
    assert len(crossed.recorded) == len(crossed.expected) == 2
    assert crossed.reason is not None
    turned = tuple(
        replace(g, first=g.second, second=g.first, result=g.result.reversed) if g is one else g
        for g in tournament.games
    )
    colours = check_rounds(replace(tournament, games=turned), 2)[0]
    assert (colours.same_pairs, colours.agrees, len(colours.colours)) == (True, False, 1)


def test_generated_tournaments_agree_with_the_checker() -> None:
    plan = RandomPlan(
        players=13, rounds=7, seed=5, forfeits=0.1, byes=0.1, late=0.2, withdrawals=0.2
    )
    made = random_tournament(plan)
    assert made == random_tournament(plan)
    assert {bye.kind for bye in made.byes} == {ByeKind.half, ByeKind.paired}
    assert any(game.forfeit for game in made.games)
    checks = check_rounds(read_trf(to_bytes(made, format="trf")))
    assert len(checks) == made.last_round > 3
    assert all(check.agrees for check in checks)


@pytest.mark.parametrize(
    ("one", "two", "first", "reason"),
    [
        ("", "", Piece.black, ColourReason.initial),
        ("W", "B", Piece.black, ColourReason.both),
        ("", "W", Piece.white, ColourReason.both),
        ("WBW", "WBBWW", Piece.white, ColourReason.stronger),
        ("WBWW", "WBWWBWWW", Piece.white, ColourReason.stronger),
        ("WBW", "BWW", None, ColourReason.stronger),
        ("BWBW", "WBBW", Piece.black, ColourReason.history),
        ("BW", "BW", Piece.black, ColourReason.higher),
    ],
)
def test_colours(one: str, two: str, first: Piece | None, reason: ColourReason) -> None:
    colour, why = allocate(player(1, one), player(2, two), Piece.black)
    assert (first or colour, reason) == (colour, why)


def test_who_may_meet() -> None:
    """Topscorers may share an absolute preference; an even number begins with the other colour."""
    one, two = player(1, "WW"), player(2, "WW")
    assert may_meet(one, two) == "C3"
    assert may_meet(replace(one, top=True), two) == ""
    assert may_meet(player(1, met=frozenset({1})), player(2)) == "C1"
    assert allocate(player(2), player(5), Piece.black) == (Piece.white, ColourReason.initial)


def start(players: int, rounds: int = 5) -> Tournament:
    entries = tuple(Player(name=f"P{k:02d}", rating=2500.0 - 10 * k) for k in range(players))
    return Tournament(rounds=rounds, discipline="chess", players=entries, system=System.swiss)


def test_a_first_round_of_nine() -> None:
    pairing = pair_dutch(start(9), seed=1)
    white = pairing.initial is Piece.white
    usual = [(0, 4), (5, 1), (2, 6), (7, 3)]
    expected = usual if white else [(b, a) for a, b in usual]
    assert [(b.first, b.second) for b in pairing.boards] == expected
    assert pairing.bye is not None
    assert (pairing.bye.first, pairing.drawn) == (8, True)
    paired = pairing.added_to(start(9))
    assert paired.swiss.initial_colour == pairing.initial.name
    assert initial_colour(paired) == (pairing.initial, False)
    assert initial_colour(replace(paired, swiss=start(2).swiss)) == (pairing.initial, False)


def test_who_has_had_a_bye_does_not_get_another() -> None:
    tournament, byes = start(3, rounds=3), []
    for number in (1, 2, 3):
        pairing = pair_dutch(tournament, number)
        assert pairing.bye is not None
        byes.append(pairing.bye.first)
        tournament = pairing.added_to(tournament)
        games = tuple(replace(g, result=Result.draw) for g in tournament.games)
        tournament = replace(tournament, games=games)
    assert sorted(byes) == [0, 1, 2]


def test_a_win_without_playing_bars_the_bye_and_counts_as_a_float() -> None:
    games = (Game(round=1, first=0, second=1, result=Result.first_wins, forfeit=True),)
    tournament = start(4).with_round(games, [Bye(1, 2, ByeKind.half), Bye(1, 3, ByeKind.zero)])
    players = {p.player: p for p in dutch_field(tournament, 2, range(4)).players}
    assert [(p.bye_barred, p.floats[0], p.unplayed) for _, p in sorted(players.items())] == [
        (True, Drift.down, 1), (False, Drift.none, 1), (False, Drift.down, 1),
        (False, Drift.none, 1),
    ]  # fmt: skip
    assert players[0].opponents == frozenset()


def test_demands_of_the_organiser() -> None:
    demand = Constraints(fixed=((0, 1),), forbidden=((2, 5),), absent=frozenset({7}))
    pairing = pair_dutch(start(8), constraints=demand)
    assert (pairing.boards[0].first, pairing.boards[0].second) == (0, 1)
    assert all(b.players != {2, 5} for b in pairing.boards)
    chosen = pair_dutch(start(7), constraints=Constraints(bye=2))
    assert [each.bye and each.bye.first for each in (pairing, chosen)] == [6, 2]


@pytest.mark.parametrize(
    ("discipline", "constraints", "message"),
    [
        ("chess", Constraints(no_bye=True), "odd number"),
        ("chess", Constraints(fixed=((0, 1), (1, 2))), "two fixed boards"),
        ("chess", Constraints(fixed=((0, 1),), forbidden=((1, 0),)), "both fixed and forbidden"),
        ("chess", Constraints(bye=0, fixed=((0, 1),)), "cannot have the bye"),
        ("go", None, "the Dutch system is for chess"),
    ],
)
def test_impossible_demands(discipline: str, constraints: Constraints | None, message: str) -> None:
    made = replace(start(7), discipline=discipline)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        pair_dutch(made, constraints=constraints)


def plain(players: int, rounds: int, seed: int, **more: bool) -> Tournament:
    """A tournament in which everybody plays every round."""
    return random_tournament(
        RandomPlan(players=players, rounds=rounds, seed=seed, forfeits=0, byes=0, late=0,
                   withdrawals=0, **more)
    )  # fmt: skip


def test_what_cannot_be_paired_says_whom_it_concerns() -> None:
    tournament = replace(plain(4, 3, seed=2), rounds=4)
    with pytest.raises(InputError, match="absolute criteria: Player 0001: no opponent is left"):
        pair_dutch(tournament, 4)
    again = pair_dutch(tournament, 4, constraints=Constraints(rematch=True))
    assert len(again.boards) == 2


def test_reasons() -> None:
    tournament = read_tournament(DATA / "dutch" / "15_9_6.trf")
    before = tournament.before(6)
    asked = [b for b in tournament.byes if b.round == 6 and b.kind is not ByeKind.paired]
    pairing = pair_dutch(replace(before, byes=(*before.byes, *asked)), 6)
    seen: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: seen.append(told)):
        reasons = explain_dutch(pairing)
    assert seen[-1] == ("boards", len(pairing.all_boards), len(pairing.all_boards))
    assert len(reasons) == len(pairing.all_boards)
    for why in reasons:
        if why.instead is not None:
            assert why.instead.criterion
            assert why.instead.round or why.instead.criterion != "C1"
    boards = {frozenset(pairing.field.row_of[p] for p in b.players) for b in pairing.boards}
    for one, other in combinations(range(6), 2):
        if frozenset((one, other)) not in boards:
            assert obstacle(pairing, one, other) is not None


def test_baku_acceleration_pairs_the_upper_half_among_itself() -> None:
    made = plain(16, 5, seed=3, accelerated=True)
    assert all((g.first < 8) == (g.second < 8) for g in made.games if g.round == 1)
    without = replace(made, swiss=replace(made.swiss, accelerations=()))
    assert not check_rounds(without, 1)[0].agrees
    assert [len(each.players) for each in baku(range(10), 1)] == [6]
    written = read_trf(to_bytes(made, format="trf"))
    assert written.swiss.accelerations == made.swiss.accelerations
    assert all(check.agrees for check in check_rounds(written))
