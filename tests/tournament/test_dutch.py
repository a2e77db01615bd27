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
    PieceColour,
    allocate,
    baku,
    dutch_field,
)
from yardstone.tournament.files import read_tournament, to_bytes
from yardstone.tournament.model import Bye, ByeKind, Game, Player, Result, System, Tournament
from yardstone.tournament.pairing import Constraints
from yardstone.tournament.simulation import RandomPlan, random_tournament

#: Rounds that bbpPairings 6.0.0 generated with odd fields, forfeits, byes and withdrawals.
RECORDED = sorted((DATA / "dutch").glob("*.trf"))
W, B = PieceColour.white, PieceColour.black


def matchings(rows: list[int]) -> Iterator[list[tuple[int, int]]]:
    if not rows:
        yield []
        return
    first, *others = rows
    for other in others:
        rest = [row for row in others if row != other]
        for pairs in matchings(rest):
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
    number: int,
    *,
    score: float = 0.0,
    colours: str = "",
    met: frozenset[int] = frozenset(),
    floats: tuple[Drift, Drift] = (Drift.none, Drift.none),
    **more: object,
) -> DutchPlayer:
    values = {"bye_barred": False, "unplayed": 0, "top": False} | more
    return DutchPlayer(
        player=number - 1,
        number=number,
        score=score,
        points=score,
        colours=tuple(W if c == "W" else B for c in colours),
        opponents=met,
        floats=floats,
        **values,  # type: ignore[arg-type]
    )


def field(players: list[DutchPlayer], rounds: int = 9) -> DutchField:
    entries = tuple(Player(name=f"P{each.number}") for each in players)
    made = Tournament(rounds=rounds, discipline="chess", players=entries)
    order = sorted(players, key=lambda p: (-p.score, p.number))
    return DutchField(tournament=made, round=3, players=tuple(order))


def first_candidate(players: list[DutchPlayer]) -> set[tuple[int, int]] | None:
    """A homogeneous bracket of an even number, by trying candidates as articles 4.2 and 4.3 say."""
    n, half = len(players), len(players) // 2
    upper, lower = range(half), range(half, n)

    def exchanges() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        listed = [
            (down, up)
            for size in range(half + 1)
            for down in combinations(upper, size)
            for up in combinations(lower, size)
        ]
        return iter(sorted(listed, key=lambda e: (
            len(e[0]), sum(e[1]) - sum(e[0]), [-x for x in sorted(e[0], reverse=True)], sorted(e[1])
        )))  # fmt: skip

    def quality(pairs: list[tuple[int, int]]) -> tuple[int, int]:
        clash = [(players[a], players[b]) for a, b in pairs
                 if players[a].due and players[a].due == players[b].due]  # fmt: skip
        strong = sum(min(a.preference, b.preference) >= 2 for a, b in clash)
        return len(clash), strong

    best: tuple[tuple[int, int], list[tuple[int, int]]] | None = None
    for down, up in exchanges():
        one = sorted({*upper, *up} - {*down})
        two = sorted({*lower, *down} - {*up})
        for order in permutations(two):
            pairs = list(zip(one, order, strict=True))
            if any(may_meet(players[a], players[b]) for a, b in pairs):
                continue
            if best is None or quality(pairs) < best[0]:
                best = quality(pairs), pairs
    return None if best is None else {tuple(sorted(pair)) for pair in best[1]}  # type: ignore[misc]


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
    players = [
        player(k + 1, colours=colours[k], met=frozenset(met[k]), score=1.0) for k in range(n)
    ]
    expected = first_candidate(players)
    everybody = field(players)
    result = pair_brackets(everybody, PairTable(everybody.players).allowed)
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
    tournament = read_tournament(RECORDED[-1])
    games = [g for g in tournament.games if g.round == 2]
    one, two = games[0], games[1]
    changed = tuple(
        replace(g, second=two.second)
        if g is one
        else replace(g, second=one.second)
        if g is two
        else g
        for g in tournament.games
        if g.round <= 2
    )
    byes = tuple(bye for bye in tournament.byes if bye.round <= 2)
    check = check_rounds(replace(tournament, games=changed, byes=byes), 2)[0]
    assert not check.agrees
    assert len(check.recorded) == len(check.expected) == 2
    assert check.reason is not None
    turned = tuple(replace(g, first=g.second, second=g.first, result=g.result.reversed)
                   if g is one else g for g in tournament.games)  # fmt: skip
    colours = check_rounds(replace(tournament, games=turned), 2)[0]
    assert colours.same_pairs
    assert not colours.agrees
    assert len(colours.colours) == 1


def test_generated_tournaments_agree_with_the_checker(tmp_path: Path) -> None:
    plan = RandomPlan(
        players=13, rounds=7, seed=5, forfeits=0.1, byes=0.1, late=0.2, withdrawals=0.2
    )
    made = random_tournament(plan)
    assert made == random_tournament(plan)
    assert {bye.kind for bye in made.byes} == {ByeKind.half, ByeKind.paired}
    assert any(game.forfeit for game in made.games)
    file = tmp_path / "made.trf"
    file.write_bytes(to_bytes(made, file))
    checks = check_rounds(read_tournament(file))
    assert len(checks) == made.last_round > 3
    assert all(check.agrees for check in checks)


def test_colours() -> None:
    def between(one: str, two: str) -> tuple[PieceColour, ColourReason]:
        return allocate(player(1, colours=one), player(2, colours=two), B)

    assert between("", "") == (B, ColourReason.initial)
    assert allocate(player(2), player(5), B) == (W, ColourReason.initial)
    assert between("W", "B") == (B, ColourReason.both)
    assert between("", "W") == (W, ColourReason.both)
    assert between("WBW", "WBBWW") == (W, ColourReason.stronger)
    assert between("WBWW", "WBWWBWWW") == (W, ColourReason.stronger)
    assert between("WBW", "BWW")[1] is ColourReason.stronger
    assert between("BWBW", "WBBW") == (B, ColourReason.history)
    assert between("BW", "BW") == (B, ColourReason.higher)


def test_topscorers_may_share_an_absolute_preference() -> None:
    one, two = player(1, colours="WW"), player(2, colours="WW")
    assert may_meet(one, two) == "C3"
    assert may_meet(replace(one, top=True), two) == ""
    assert may_meet(player(1, met=frozenset({1})), player(2)) == "C1"


def start(players: int, rounds: int = 5, **more: object) -> Tournament:
    entries = tuple(Player(name=f"P{k:02d}", rating=2500.0 - 10 * k) for k in range(players))
    values = {"system": System.swiss} | more
    return Tournament(rounds=rounds, discipline="chess", players=entries, **values)  # type: ignore[arg-type]


def test_a_first_round_of_nine() -> None:
    pairing = pair_dutch(start(9), seed=1)
    white = pairing.initial is W
    boards = [(b.first, b.second) for b in pairing.boards]
    usual = [(0, 4), (5, 1), (2, 6), (7, 3)]
    assert boards == (usual if white else [(b, a) for a, b in usual])
    assert pairing.bye is not None
    assert pairing.bye.first == 8
    paired = pairing.added_to(start(9))
    assert pairing.drawn
    assert paired.swiss.initial_colour == pairing.initial.name
    assert initial_colour(paired) == (pairing.initial, False)
    assert initial_colour(replace(paired, swiss=start(2).swiss)) == (pairing.initial, False)


def test_who_has_had_a_bye_does_not_get_another() -> None:
    tournament = start(3, rounds=3)
    byes = []
    for number in (1, 2, 3):
        pairing = pair_dutch(tournament, number)
        assert pairing.bye is not None
        byes.append(pairing.bye.first)
        tournament = pairing.added_to(tournament)
        games = tuple(replace(g, result=Result.draw) if g.round == number else g
                      for g in tournament.games)  # fmt: skip
        tournament = replace(tournament, games=games)
    assert sorted(byes) == [0, 1, 2]


def test_a_win_without_playing_bars_the_bye_and_counts_as_a_float() -> None:
    games = (Game(round=1, first=0, second=1, result=Result.first_wins, forfeit=True),)
    tournament = start(4).with_round(games, [Bye(1, 2, ByeKind.half), Bye(1, 3, ByeKind.zero)])
    by_player = {p.player: p for p in dutch_field(tournament, 2, range(4)).players}
    assert [by_player[k].bye_barred for k in range(4)] == [True, False, False, False]
    assert [by_player[k].floats[0] for k in range(4)] == [
        Drift.down, Drift.none, Drift.down, Drift.none,
    ]  # fmt: skip
    assert by_player[0].opponents == frozenset()
    assert [by_player[k].unplayed for k in range(4)] == [1, 1, 1, 1]


def test_demands_of_the_organiser() -> None:
    tournament = start(8)
    pairing = pair_dutch(
        tournament,
        constraints=Constraints(fixed=((0, 1),), forbidden=((2, 5),), absent=frozenset({7})),
    )
    assert (pairing.boards[0].first, pairing.boards[0].second) == (0, 1)
    assert all(b.players != {2, 5} for b in pairing.boards)
    assert pairing.bye is not None
    assert pairing.bye.first == 6
    chosen = pair_dutch(start(7), constraints=Constraints(bye=2))
    assert chosen.bye is not None
    assert chosen.bye.first == 2
    for wrong, message in (
        (Constraints(no_bye=True), "odd number"),
        (Constraints(fixed=((0, 1), (1, 2))), "two fixed boards"),
        (Constraints(fixed=((0, 1),), forbidden=((1, 0),)), "both fixed and forbidden"),
        (Constraints(bye=0, fixed=((0, 1),)), "cannot have the bye"),
    ):
        with pytest.raises(InputError, match=message):
            pair_dutch(start(7), constraints=wrong)


def played_out(players: int, rounds: int) -> Tournament:
    plan = RandomPlan(
        players=players, rounds=rounds, seed=2, forfeits=0, byes=0, late=0, withdrawals=0
    )
    return random_tournament(plan)


def test_what_cannot_be_paired_says_whom_it_concerns() -> None:
    tournament = replace(played_out(4, 3), rounds=4)
    with pytest.raises(InputError, match="absolute criteria: Player 0001: no opponent is left"):
        pair_dutch(tournament, 4)
    again = pair_dutch(tournament, 4, constraints=Constraints(rematch=True))
    assert len(again.boards) == 2


def test_reasons() -> None:
    tournament = read_tournament(DATA / "dutch" / "15_9_6.trf")
    before = tournament.before(6)
    asked = [b for b in tournament.byes if b.round == 6 and b.kind is not ByeKind.paired]
    before = replace(before, byes=(*before.byes, *asked))
    pairing = pair_dutch(before, 6)
    seen: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: seen.append(told)):
        reasons = explain_dutch(pairing)
    assert seen[-1] == ("boards", len(pairing.all_boards), len(pairing.all_boards))
    assert len(reasons) == len(pairing.all_boards)
    for why in reasons:
        if why.instead is not None:
            assert why.instead.criterion
            if why.instead.criterion == "C1":
                assert why.instead.round
    boards = {frozenset(pairing.field.row_of[p] for p in b.players) for b in pairing.boards}
    n = len(pairing.field.players)
    for one, other in combinations(range(min(n, 6)), 2):
        if frozenset((one, other)) not in boards:
            stands = obstacle(pairing, one, other)
            assert stands is not None


def test_baku_acceleration_pairs_the_upper_half_among_itself() -> None:
    plan = RandomPlan(players=16, rounds=5, seed=3, accelerated=True, late=0, withdrawals=0, byes=0,
                      forfeits=0)  # fmt: skip
    made = random_tournament(plan)
    first = [g for g in made.games if g.round == 1]
    assert all((g.first < 8) == (g.second < 8) for g in first)
    assert all(check.agrees for check in check_rounds(made))
    plain = replace(made, swiss=replace(made.swiss, accelerations=()))
    assert not check_rounds(plain, 1)[0].agrees
    assert [len(each.players) for each in baku(range(10), 1)] == [6]
    written = read_back(made)
    assert written.swiss.accelerations == made.swiss.accelerations
    assert all(check.agrees for check in check_rounds(written))


def read_back(tournament: Tournament) -> Tournament:
    from yardstone.tournament.formats.trf import read_trf

    return read_trf(to_bytes(tournament, Path("x.trf")))


def test_lines_for_pairing_in_report_files() -> None:
    from yardstone.tournament.formats.trf import read_trf

    rows = "\n".join(f"001 {k:4d}      Name{k}".ljust(84) for k in range(1, 5))
    text = "XXR 5\nXXC black1\nXXA    2  1.0  0.5\nXXP 1 3\n260   2   3    2    4\n" + rows + "\n"
    swiss = read_trf(text.encode()).swiss
    assert swiss.initial_colour == "black"
    assert [swiss.virtual_points(1, r) for r in (1, 2, 3)] == [1.0, 0.5, 0.0]
    assert swiss.forbidden_in(1) == [frozenset({0, 2})]
    assert swiss.forbidden_in(2) == [frozenset({1, 3}), frozenset({0, 2})]
    for wrong in ("152 G", "250 x", "XXA    9  1.0", "XXP 1 9", "260   a"):
        with pytest.raises(InputError, match=f"{wrong[:3]}: "):
            read_trf(f"{wrong}\n{rows}\n".encode())


def test_go_is_refused() -> None:
    go = replace(start(4), discipline="go")
    with pytest.raises(InputError, match="the Dutch system is for chess"):
        pair_dutch(go)
