"""The Dutch system: its matchings against all of them, its order against the rules' own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, zip_longest
from pathlib import Path

import numpy as np
import pytest

from tests.tournament.samples import DATA
from yardstone import parallel
from yardstone.errors import InputError
from yardstone.tournament import Bye, Constraints, RoundCheck, pair_dutch, read_tournament, to_bytes
from yardstone.tournament.dutch import check_rounds, explain_dutch, initial_colour, obstacle
from yardstone.tournament.dutch_brackets import (
    BestMatchings,
    Level,
    RoundPairs,
    may_meet,
    pair_brackets,
)
from yardstone.tournament.dutch_field import (
    ColourReason,
    Drift,
    DutchPlayer,
    allocate,
    baku,
    dutch_field,
)
from yardstone.tournament.dutch_field import PieceColour as Piece
from yardstone.tournament.formats.trf import read_trf
from yardstone.tournament.matching import force
from yardstone.tournament.model import Adjustment, ByeKind, Game, Player, Result, System, Tournament
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


@pytest.mark.parametrize("seed", range(20))
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
    assert best.found is bool(every)
    if every:
        sums = [tuple(sum(int(x.values[pair]) for pair in m) for x in levels) for m in every]
        assert tuple(best.narrow(levels)) == max(sums)
        one_by_one = BestMatchings(allowed)
        assert tuple(one_by_one.narrow([level])[0] for level in levels) == max(sums)
        left = {pair for m, s in zip(every, sums, strict=True) if s == max(sums) for pair in m}
        assert all(best.allowed[pair] for pair in left)


def player(number: int, colours: str = "", met: frozenset[int] = frozenset()) -> DutchPlayer:
    sides = tuple(Piece.white if c == "W" else Piece.black for c in colours)
    return DutchPlayer(
        player=number - 1, number=number, score=1.0, points=1.0, colours=sides, opponents=met,
        floats=(Drift.none, Drift.none), bye_barred=False, unplayed=0, top=False,
    )  # fmt: skip


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_rounds_of_another_program(path: Path) -> None:
    checks = check_rounds(read_tournament(path))
    assert checks
    assert all(check.agrees for check in checks), [c.reason for c in checks if not c.agrees]


def test_a_changed_round_is_noticed() -> None:
    whole = read_tournament(RECORDED[-1])
    tournament = replace(whole.before(3), swiss=whole.swiss)
    one, two = [g for g in tournament.games if g.round == 2][:2]

    def checked(**changed: Game) -> RoundCheck:
        games = {one: changed.get("one", one), two: changed.get("two", two)}
        after = tuple(games.get(g, g) for g in tournament.games)
        return check_rounds(replace(tournament, games=after), 2)[0]

    crossed = checked(one=replace(one, second=two.second), two=replace(two, second=one.second))
    assert not crossed.agrees
    assert crossed.recorded == ((one.first, two.second), (two.first, one.second))
    assert set(map(frozenset, crossed.expected)) == {frozenset(g.players) for g in (one, two)}
    assert crossed.reason is not None
    other = replace(one, first=one.second, second=one.first, result=one.result.reversed)
    turned = checked(one=other)
    assert (turned.same_pairs, turned.agrees, turned.colours) == (True, False, (other.players,))
    assert checked(one=replace(other, known_colour=False)).agrees
    first = tuple(g for g in tournament.games if g.round == 1)
    again = replace(tournament, games=first + tuple(replace(g, round=2) for g in first), byes=())
    met = check_rounds(again, 2)[0].reason
    assert met is not None
    assert (met.criterion, met.round) == ("C1", 1)


@pytest.mark.parametrize(
    ("one", "two", "first", "reason"),
    [("", "", Piece.black, ColourReason.initial), ("W", "B", Piece.black, ColourReason.both),
     ("", "W", Piece.white, ColourReason.both),
     ("WBW", "WBBWW", Piece.white, ColourReason.stronger),
     ("WBBWW", "WBW", Piece.black, ColourReason.stronger),
     ("WBWW", "WBWWBWWW", Piece.white, ColourReason.stronger),
     ("WBW", "BWW", Piece.white, ColourReason.stronger),
     ("W", "WBWWB", Piece.black, ColourReason.history),
     ("BWBW", "WBBW", Piece.black, ColourReason.history),
     ("BW", "BW", Piece.black, ColourReason.higher)],
)  # fmt: skip
def test_colours(one: str, two: str, first: Piece, reason: ColourReason) -> None:
    assert allocate(player(1, one), player(2, two), Piece.black) == (first, reason)


def test_who_may_meet() -> None:
    """Topscorers may share an absolute preference; an even number begins with the other colour."""
    one, two = player(1, "WW"), player(2, "WW")
    assert may_meet(one, two) == "C3"
    assert may_meet(replace(one, top=True), two) == may_meet(one, replace(two, top=True)) == ""
    assert may_meet(one, player(2, "BB")) == may_meet(one, player(2, "BW")) == ""
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
    assert [(b.first, b.second, b.handicap) for b in pairing.boards] == [(*b, 0) for b in expected]
    assert pairing.bye is not None
    assert (pairing.bye.first, pairing.drawn) == (8, True)
    paired = pairing.added_to(start(9))
    assert paired.swiss.initial_colour == pairing.initial.name
    assert initial_colour(paired) == (pairing.initial, False)
    assert initial_colour(replace(paired, swiss=start(2).swiss)) == (pairing.initial, False)


def test_what_is_known_of_players_before_a_round() -> None:
    """A win without playing bars the bye and counts as a float down, as half a point does."""
    games = (Game(round=1, first=0, second=1, result=Result.first_wins, forfeit=True),)
    tournament = start(4).with_round(games, [Bye(1, 2, ByeKind.half), Bye(1, 3, ByeKind.zero)])
    players = {p.player: p for p in dutch_field(tournament, 2, range(4)).players}
    assert [(p.bye_barred, p.floats[0], p.unplayed) for _, p in sorted(players.items())] == [
        (True, Drift.down, 1), (False, Drift.none, 1), (False, Drift.down, 1),
        (False, Drift.none, 1),
    ]  # fmt: skip
    assert players[0].opponents == frozenset()
    # Two rounds of four: 0 beat 1, 2 drew with 3; then 0 floats down to 2, and 1 - 3 is open.
    # Player 3 had half a point of the first round taken away, and one of the second given.
    rows = ((1, 0, 1, "first wins"), (1, 3, 2, "draw"), (2, 2, 0, "draw"), (2, 1, 3, "unknown"))
    both = tuple(Game(round=r, first=a, second=b, result=Result(s)) for r, a, b, s in rows)
    changes = (Adjustment(3, -0.5, 1), Adjustment(3, 1.0, 2))
    begun = replace(start(4, rounds=3), games=both, adjustments=changes)
    players = {p.player: p for p in dutch_field(begun, 3, range(4)).players}
    assert [players[k].points for k in range(4)] == [1.5, 0, 1, 1]
    assert [players[k].floats for k in (0, 2)] == [
        (Drift.down, Drift.none), (Drift.up, Drift.none),
    ]  # fmt: skip
    assert [sorted(players[k].opponents) for k in range(4)] == [[1, 2], [0, 3], [0, 3], [1, 2]]
    assert [players[k].top for k in range(4)] == [True, False, False, False]
    assert not any(p.top for p in dutch_field(replace(begun, rounds=4), 3, range(4)).players)


def test_demands_of_the_organiser() -> None:
    demand = Constraints(fixed=((0, 1),), forbidden=((2, 5),), absent=frozenset({7}))
    pairing = pair_dutch(start(8), constraints=demand)
    assert (pairing.boards[0].first, pairing.boards[0].second) == (0, 1)
    assert all(b.players != {2, 5} for b in pairing.boards)
    chosen = pair_dutch(start(7), constraints=Constraints(bye=2))
    assert [each.bye and each.bye.first for each in (pairing, chosen)] == [6, 2]


@pytest.mark.parametrize(
    ("constraints", "message"),
    [(Constraints(no_bye=True), "odd number"),
     (Constraints(fixed=((0, 1), (1, 2))), "two fixed boards"),
     (Constraints(fixed=((0, 1),), forbidden=((1, 0),)), "both fixed and forbidden"),
     (Constraints(bye=0, fixed=((0, 1),)), "cannot have the bye"),
     (None, "the Dutch system is for chess")],
)  # fmt: skip
def test_impossible_demands(constraints: Constraints | None, message: str) -> None:
    made = start(7) if constraints else replace(start(7), discipline="go")
    with pytest.raises(InputError, match=message):
        pair_dutch(made, constraints=constraints)
    every = RandomPlan(players=4, rounds=3, seed=2, forfeits=0, byes=0, late=0, withdrawals=0)
    tournament = replace(random_tournament(every), rounds=4)
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
    met = {frozenset(g.players): g.round for g in before.games if g.played}
    for one, other in combinations(range(6), 2):
        if frozenset((one, other)) not in boards:
            against = obstacle(pairing, one, other)
            assert against is not None
            pair = frozenset(pairing.field.players[row].player for row in (one, other))
            assert (against.criterion == "C1", against.round) == (pair in met, met.get(pair, 0))
    first = explain_dutch(pair_dutch(start(9)))
    assert [(why.role, why.places, why.size) for why in first] == [
        *(("homogeneous", (place, place + 4), 9) for place in (1, 2, 3, 4)), ("bye", (0, 0), 0),
    ]  # fmt: skip


def stages(pairs: RoundPairs) -> Iterator[tuple[object, str, float | None]]:
    """What a round attains by each criterion, and the boards of each bracket."""
    yield from ((step.best, step.criterion, None) for step in pairs.steps)
    for each in pairs.brackets:
        steps = [step for step in each.steps if step.criterion != "order"]
        yield from ((step.best, step.criterion, each.score) for step in steps)
        yield set(each.pairs), "order", each.score


@pytest.mark.parametrize("seed", range(6))
def test_obstacles_are_those_of_the_round_paired_with_the_board(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every board that may be is tried by pairing the whole round with it, which is not done."""
    plan = RandomPlan(players=9 + seed, rounds=4, seed=seed, forfeits=0.1, byes=0.1, late=0.1)
    tournament = random_tournament(plan).before(4)
    pairing = pair_dutch(tournament, 4, constraints=Constraints(rematch=seed == 5))
    monkeypatch.setattr("yardstone.tournament.dutch.pair_brackets", None)
    criteria = set()
    for one, other in combinations(range(len(pairing.allowed)), 2):
        pair = [pairing.field.number(row) for row in (one, other)]
        if not pairing.allowed[one, other] or {*pair} - {-1} in [
            board.players for board in pairing.all_boards
        ]:
            continue
        allowed = pairing.allowed.copy()
        force(allowed, [(one, other)])
        forced = pair_brackets(pairing.field, allowed, first=pairing.first)
        expected: tuple[str, float | None] = "", None
        if isinstance(forced, RoundPairs):
            both = zip_longest(stages(pairing.pairs), stages(forced))
            expected = next((a or b)[1:] for a, b in both if a is None or b is None or a[0] != b[0])
        against = obstacle(pairing, one, other)
        assert against is not None
        assert (against.criterion, against.score) == expected
        criteria.add(against.criterion)
    assert criteria


def test_baku_acceleration_pairs_the_upper_half_among_itself() -> None:
    """Of generated tournaments, which agree with the rules when they are read again."""
    plan = RandomPlan(players=16, rounds=5, seed=3, forfeits=0.1, byes=0.1, accelerated=True)
    made = random_tournament(plan)
    assert made == random_tournament(plan)
    assert {bye.kind for bye in made.byes} == {ByeKind.half, ByeKind.paired}
    assert any(game.forfeit for game in made.games)
    assert sum((g.first < 8) != (g.second < 8) for g in made.games if g.round == 1) <= 1
    without = replace(made, swiss=replace(made.swiss, accelerations=()))
    assert not check_rounds(without, 1)[0].agrees
    stages = {1: [(6, 1, 1, 1.0)], 2: [(6, 1, 1, 1.0)], 4: [(6, 1, 1, 1.0), (6, 2, 2, 0.5)]}
    for rounds, expected in stages.items():
        told = [(len(a.players), a.first, a.last, a.points) for a in baku(range(10), rounds)]
        assert told == expected
    written = read_trf(to_bytes(made, format="trf"))
    assert written.swiss.accelerations == made.swiss.accelerations
    checks = check_rounds(written)
    assert len(checks) == 5
    assert all(check.agrees for check in checks)
