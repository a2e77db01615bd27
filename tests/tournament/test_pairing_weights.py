"""What a board is worth, against a plain count player by player, and the best of all pairings."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import floor

import pytest

from tests.tournament.counting import HALF, Count
from tests.tournament.pairing_fields import made, played
from tests.tournament.test_standings import made_up
from yardstone.tournament import ByeKind, PairingRules, Player, System, Tournament, standings
from yardstone.tournament._pairing import SideReason, lot, sides
from yardstone.tournament.explanation import explain
from yardstone.tournament.pairing import Constraints, Entrants, Pairing, pair_round, values_of
from yardstone.tournament.rules import FloatMode, HandicapRules, SeedSystem


class Counted:
    """One player before a round, counted from the games one by one."""

    def __init__(self, before: Tournament, row: int, number: int, rules: PairingRules) -> None:
        count = Count(before, number - 1)
        step = HALF if rules.half_points else Fraction(1)

        def main(player: int, until: int) -> Fraction:
            score = count.mms if rules.by_mcmahon else count.wins
            return floor(score(player, until) / step) * step

        player = before.players[row]
        self.player, self.step = player, step
        self.score, self.mms = main(row, number - 1), count.mms(row, number - 1)
        self.exact = (count.mms if rules.by_mcmahon else count.wins)(row, number - 1)
        self.wins, self.initial = count.wins(row, number - 1), count.start(row)
        self.category = sum((player.rank or 0) < lowest for lowest in before.scoring.categories)
        self.up = self.down = self.byes = self.balance = self.streak = 0
        for at in range(1, number):
            for game in before.round_games(at):
                if row not in game.players:
                    continue
                own, other = main(row, at - 1), main(game.opponent(row), at - 1)
                self.up += own < other
                self.down += own > other
                self.byes += game.forfeit and game.points(row) > 0
                if game.forfeit or game.handicap or not game.known_colour:
                    continue
                turn = -1 if game.first == row else 1
                self.balance += turn
                self.streak = self.streak + turn if self.streak * turn > 0 else turn
        gives = (ByeKind.paired, ByeKind.full)
        self.byes += sum(bye.player == row and bye.kind in gives for bye in before.byes)
        rank = player.rank or 0
        self.exempt = bool(
            rank + self.wins >= rules.rank_threshold
            or (rules.wins_threshold and 2 * self.wins >= rules.rounds)
            or (rules.bar_threshold and self.initial >= rules.bar - rules.zero)
        )

    @property
    def wish(self) -> int:
        """Which side is due: below 0 the first move; 2 of either is absolute."""
        if abs(self.balance) >= 2 or abs(self.streak) >= 2:
            high = self.balance >= 2 or self.streak >= 2
            return -2 if high else 2
        lead = self.balance or self.streak
        return -1 if lead > 0 else 1 if lead < 0 else 0


class Sheet:
    """All boards of a round by hand."""

    def __init__(self, entrants: Entrants) -> None:
        self.rules, self.number = entrants.rules, entrants.round
        before = entrants.tournament
        self.before = before
        rows = entrants.players.tolist()
        self.all = [Counted(before, row, self.number, self.rules) for row in rows]
        self.lots = entrants.entries["lot"].tolist()
        rules, apart = self.rules, 2 if self.rules.half_points else 1
        early = self.number <= rules.seed_last_round_1
        self.seeds = rules.seed_system_1 if early else rules.seed_system_2
        self.seed = rules.seed + (0 if rules.deterministic else 7919 * self.number)
        further = rules.seed_criterion_1 if early else rules.seed_criterion_2
        names = [*before.scoring.criteria, further.upper()]
        main = "MMS" if rules.by_mcmahon else "NBW"
        names = [*([] if main in names else [main]), *names]
        names = [name for name in names if name != "NULL" and "@" not in name]
        table = standings(before, round_number=self.number - 1, criteria=names, everybody=True)
        order = table.order.tolist()
        self.order = [order.index(row) for row in rows]
        steps = rules.bar - rules.floor + self.number + 3 if rules.by_mcmahon else self.number
        self.span = steps * apart + 1
        self.groups = self.span * max(rules.category_count, 1)

    def bend(self, x: Fraction) -> Fraction:
        return (1 - x) * (1 + Fraction(self.rules.nx1_factor) * x)

    def group(self, a: int) -> tuple[int, int]:
        """Size of the group of a player, and the place in it."""
        mine = [b for b in range(len(self.all)) if not self.gap(a, b)]
        return len(mine), sorted(self.order[b] for b in mine).index(self.order[a])

    def gap(self, a: int, b: int) -> int:
        """Groups between two players; positive where the second stands lower."""
        one, two = self.all[a], self.all[b]
        return (two.category - one.category) * self.span + int((one.score - two.score) / one.step)

    def stones(self, a: int, b: int) -> int:
        rules, handicap = self.rules, self.rules.handicap
        heights = []
        for each in (self.all[a], self.all[b]):
            by_score = floor(each.mms) + rules.zero if handicap.by_score else each.player.rank or 0
            heights.append(min(by_score, handicap.threshold))
        if heights[0] == heights[1]:
            return 0
        size = min(max(abs(heights[0] - heights[1]) - handicap.correction, 0), handicap.ceiling)
        return size if heights[0] > heights[1] else -size

    def colours(self, a: int, b: int) -> tuple[bool, int, int]:
        """Whether the first of two moves first, the stones, and why."""
        given = self.stones(a, b)
        if given:
            return given < 0, abs(given), SideReason.HANDICAP
        one, two = self.all[a], self.all[b]
        wished = self.rules.colour_preference or self.rules.absolute_colour
        keys = [(SideReason.BALANCE, one.balance, two.balance),
                (SideReason.LAST, one.streak, two.streak)]  # fmt: skip
        if wished:
            keys.insert(0, (SideReason.PREFERENCE, -one.wish, -two.wish))
        for reason, mine, other in keys:
            if mine != other:
                return mine > other, 0, reason
        lots = self.lots[a], self.lots[b]
        even = lot(*lots, self.seed + 1) % 2 == 0
        return even == (lots[0] < lots[1]), 0, SideReason.LOT

    def floats(self, a: int, b: int) -> Fraction:
        gap = self.gap(a, b)
        if not 0 < abs(gap) < 4:
            return Fraction(0)
        above, below = (a, b) if gap > 0 else (b, a)
        upper, lower = self.all[above], self.all[below]
        state = 2 - (lower.up > 0) - (upper.down > 0)
        for earned in (upper.up > upper.down, lower.down > lower.up):
            state += bool(state and earned)
        state = state if self.rules.compensate_floats else min(state, 2)
        places = Fraction(0)
        for row, mode in ((above, self.rules.float_upper), (below, self.rules.float_lower)):
            size, place = self.group(row)
            from_top = {FloatMode.top: size - 1 - place, FloatMode.bottom: place,
                        FloatMode.middle: min(2 * place, 2 * (size - 1 - place))}  # fmt: skip
            places += HALF * Fraction(from_top[mode], size)
        return (state + places) / 5 / (1 + abs(upper.category - lower.category)) ** 4

    def seeding(self, a: int, b: int) -> Fraction:
        if self.gap(a, b):
            return Fraction(0)
        (size, one), (_, two) = self.group(a), self.group(b)
        if self.seeds is SeedSystem.random:
            crosses = (2 * one < size) != (2 * two < size)
            return crosses * (1 - self.drawn(a, b) / 5)
        off = {
            SeedSystem.fold: Fraction(one + two - size + 1, size - 1),
            SeedSystem.slide: Fraction(2 * abs(one - two) - size, size),
            SeedSystem.adjacent: Fraction(abs(one - two) - 1, size - 1),
        }[self.seeds]
        return 1 - off**2

    def drawn(self, a: int, b: int) -> Fraction:
        return Fraction(lot(self.lots[a], self.lots[b], self.seed), 2**31)

    def geography(self, one: Player, two: Player) -> Fraction:
        def groups(club: str) -> set[object]:
            groups = enumerate(self.before.club_groups)
            named: set[object] = {n for n, each in groups if club in map(str.casefold, each)}
            return named or {club}

        parts = [Fraction(0), Fraction(0)]
        places = [{p.country.strip().casefold() for p in (one, two)}]
        clubs = [player.club.strip().casefold() for player in (one, two)]
        if len(places[0]) > 1 or "" in places[0]:
            parts[0] = Fraction(self.rules.country_difference, self.groups)
        if not clubs[0] or clubs[0] != clubs[1]:
            near = bool(clubs[0] and groups(clubs[0]) & groups(clubs[1]))
            worth = Fraction("0.5") if near else Fraction("1.2")
            parts[1] = worth * self.rules.club_difference / self.groups
        parts = [min(part, Fraction(1)) for part in parts]
        x = max(parts) + HALF * min(parts)
        if x:
            x = min(x + HALF / self.groups, Fraction(1))
        return 1 - self.bend(x)

    def board(self, a: int, b: int) -> dict[str, Fraction]:
        rules, one, two = self.rules, self.all[a], self.all[b]
        row = {id(each.player): k for k, each in enumerate(self.all)}
        met = sum(
            not game.forfeit
            and {row.get(id(self.before.players[p])) for p in game.players} == {a, b}
            for game in self.before.games
        )
        apart, full = abs(one.category - two.category), Fraction(1)
        clash = one.wish * two.wish
        worth = {"rematch": Fraction(rules.avoid_rematch) * (1 - met)}
        wished = rules.absolute_colour or rules.colour_preference
        worth["absolute_colour"] = rules.absolute_colour * full * (bool(wished) and clash != 4)
        worth["colour_preference"] = rules.colour_preference * full * (clash <= 0)
        mixed = self.bend(Fraction(apart, max(rules.category_count, 1)))
        worth["categories"] = rules.avoid_mixing_categories * mixed * (rules.category_count > 1)
        near = self.bend(min(Fraction(abs(self.gap(a, b)), self.groups), full))
        worth["score"] = rules.minimise_score_difference * near * (apart == 0)
        worth["floats"] = rules.float_weight * self.floats(a, b)
        worth["seeding"] = rules.maximise_seeding * self.seeding(a, b)
        share = 0 if self.stones(a, b) else self.balance_share(one.balance, two.balance)
        worth["colours"] = rules.balance_colours * share * full
        gap = abs(floor(one.mms) - floor(two.mms))
        spread = rules.bar - rules.floor + 3 + self.number
        reach = self.span if rules.by_mcmahon else spread
        out = HALF * (one.exempt + two.exempt)
        small = self.bend(min(Fraction(gap, reach), full))
        worth["handicap"] = rules.minimise_handicap * (small + out * (1 - small))
        far = self.geography(one.player, two.player)
        worth["geography"] = rules.avoid_same_geography * (far + out * (1 - far))
        worth["lot"] = rules.randomness * self.drawn(a, b)
        return worth

    @staticmethod
    def balance_share(one: int, two: int) -> Fraction:
        if one * two < 0:
            return Fraction(1)
        return HALF if 0 in (one, two) and abs(one + two) >= 2 else Fraction(0)

    def bye(self, a: int) -> dict[str, Fraction]:
        def key(b: int) -> tuple[Fraction, int, int]:
            return self.all[b].exact, self.all[b].player.rank or 0, -self.order[b]

        behind = sum(key(b) < key(a) for b in range(len(self.all)))
        last = Fraction(len(self.all) - behind, len(self.all))
        return {"rematch": Fraction(self.rules.repeated_bye) * (1 - self.all[a].byes),
                "bye": self.rules.choose_bye * last}  # fmt: skip


def drawn(seed: int) -> Pairing:
    """A field with everything that weights depend on, and rules by lot, in its fifth round."""
    rng = random.Random(seed)
    base = made_up(seed, players=15, rounds=6)
    players = tuple(
        replace(p, club=rng.choice(["", "Alm", " alm", "Bux", "Cet"]),
                country=rng.choice(["", "AA", "aa ", "BB"]))
        for p in base.players
    )  # fmt: skip
    categories = rng.choice([(), (0,), (1, -6)])
    criteria = rng.choice([("MMS", "SOSM"), ("MMS",), ("SOSM",), ("NBW", "MMS@9")])
    base = replace(
        base,
        players=players,
        scoring=replace(base.scoring, categories=categories, criteria=criteria),
        club_groups=(frozenset({"Alm", "Bux"}),),
        games=tuple(replace(g, known_colour=rng.random() < 0.9,
                            handicap=g.handicap if rng.random() < 0.4 else 0)
                    for g in base.games),
    )  # fmt: skip
    chess, kinds = rng.choice([0, 7 * 10**12]), list(FloatMode)
    rules = replace(
        PairingRules.of(base),
        by_mcmahon=rng.random() < 0.7, half_points=rng.random() < 0.5,
        nx1_factor=rng.choice([0.0, 0.5, 1.0]), compensate_floats=rng.random() < 0.7,
        float_upper=rng.choice(kinds), float_lower=rng.choice(kinds),
        seed_last_round_1=rng.choice([4, 5]),
        seed_system_1=rng.choice([SeedSystem.fold, SeedSystem.slide, SeedSystem.random]),
        seed_system_2=rng.choice([SeedSystem.adjacent, SeedSystem.fold]),
        seed_criterion_1=rng.choice(["NULL", "rating"]),
        seed_criterion_2=rng.choice(["NULL", "RANK"]),
        absolute_colour=chess, colour_preference=rng.choice([0, chess // 10]),
        minimise_handicap=rng.choice([0, 10**9]), avoid_same_geography=10**11,
        country_difference=rng.choice([1, 3, 99]), club_difference=rng.choice([1, 3, 99]),
        rank_threshold=rng.choice([-2, 2, 99]), wins_threshold=rng.random() < 0.5,
        bar_threshold=rng.random() < 0.5, randomness=rng.choice([0, 10**9]),
        deterministic=rng.random() < 0.5, seed=rng.randrange(100),
        handicap=HandicapRules(by_score=rng.random() < 0.5, threshold=rng.choice([0, 3]),
                               correction=rng.choice([-1, 0, 1]), ceiling=rng.choice([0, 3, 9])),
    )  # fmt: skip
    every = Constraints(rematch=True, open_results=True)
    return pair_round(base.before(5), 5, rules=rules, constraints=every)


@pytest.mark.parametrize("seed", range(16))
def test_boards_are_worth_what_a_plain_count_says(seed: int) -> None:
    pairing = drawn(seed)
    entrants = pairing.entrants
    sheet, n = Sheet(entrants), len(entrants)
    for a, b in product(range(n), range(n + n % 2)):
        if a == b:
            continue
        counted = sheet.board(a, b) if b < n else sheet.bye(a)
        values = values_of(entrants, a, b)
        for name, value in values.items():
            # Weights reach 10^15, where numbers of the processor end within one of the true ones.
            assert abs(value - counted.get(name, Fraction(0))) <= 1, (name, a, b)
        if b < n:
            assert sides(entrants.entries, a, b, entrants.numbers) == sheet.colours(a, b)
    tables = []
    for why in explain(pairing, costs=False):
        rows = [pairing.row_of[p] for p in (why.board.first, why.board.second) if p >= 0]
        for row, state in zip(rows, why.players, strict=True):
            own, (size, place) = sheet.all[row], sheet.group(row)
            assert state.score == own.exact
            assert state.group_score == own.score
            assert (state.place, state.size, state.exempt) == (place + 1, size, own.exempt)
            assert (state.balance, state.streak, state.byes) == (own.balance, own.streak, own.byes)
            assert (state.drawn_up, state.drawn_down) == (own.up, own.down)
        if len(rows) == 2:
            told = True, why.board.handicap, why.side_reason
            assert sheet.colours(*rows) == told
            assert why.gap == abs(sheet.all[rows[0]].exact - sheet.all[rows[1]].exact)
            tables.append(min(sheet.order[row] for row in rows))
    assert tables == sorted(tables)


def test_lots_are_the_same_for_ever() -> None:
    """A round paired again, by whatever version, has the lots that it had."""
    entries = pair_round(made(8)).entrants.entries
    assert entries["lot"][:3].tolist() == [755171731, 2127924196, 596030788]
    assert [lot(5, 9, 3), lot(9, 5, 3)] == [125930449] * 2
    assert lot(2**31 - 1, 10**9, 2**31 - 1) == 956034095


def test_more_than_twenty_meetings_and_byes_count_as_twenty() -> None:
    entrants = pair_round(made(7)).entrants
    for often in (20, 30):
        entrants.met[0, 1], entrants.entries["byes"][0] = often, often
        rules = entrants.rules
        assert values_of(entrants, 0, 1)["rematch"] == -19 * rules.avoid_rematch
        assert values_of(entrants, 0, 7)["rematch"] == -19 * rules.repeated_bye


@pytest.mark.parametrize("players", [7, 8])
@pytest.mark.parametrize("system", [System.mcmahon, System.swiss])
def test_no_pairing_weighs_more(players: int, system: System) -> None:
    pairing = pair_round(played(made(players, system=system), 3), 4)

    @cache
    def best(left: tuple[int, ...]) -> int:
        """The largest weight of all pairings, by trying them."""
        if not left:
            return 0
        a, rest = left[0], left[1:]
        tries = [
            sum(values_of(pairing.entrants, a, b).values()) + best(tuple(c for c in rest if c != b))
            for b in rest
            if pairing.allowed[a, b]
        ]
        return max(tries, default=-(10**18))

    assert pairing.weight == best(tuple(range(len(pairing.allowed))))
    assert pairing.weight == sum(pairing.values.values())
