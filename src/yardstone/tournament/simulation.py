"""Whole tournaments played again and again, from true strengths and a win probability.

The rounds are paired by the same loops as real ones (`yardstone.tournament._pairing`) and scored by
the same criteria. Rounds that were played already stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Flags, Floats, Longs
from yardstone.choices import check_fields, check_number
from yardstone.errors import InputError, ModelError
from yardstone.parallel import Track
from yardstone.tournament._pairing import pair_field, record_games
from yardstone.tournament.dutch import pair_dutch
from yardstone.tournament.dutch_field import baku, seeding
from yardstone.tournament.fide import rules_for
from yardstone.tournament.field import EntryList, Strengths, WinningLaw
from yardstone.tournament.model import (
    Bye,
    ByeKind,
    Game,
    PairingRules,
    Player,
    Result,
    System,
    Tournament,
)
from yardstone.tournament.pairing import enter
from yardstone.tournament.round_robin import berger_round
from yardstone.tournament.rules import HandicapRules, Scoring, SwissSettings
from yardstone.tournament.standings_table import RoundState, Scores, criterion, default_criteria
from yardstone.winprob.laws import win_probability

#: Lots are drawn below this.
_LOTS = 2**31
#: Probabilities of all pairs are kept for at most so many players.
_TABLE_PLAYERS = 1000


def tournament_of(
    entered: EntryList,
    *,
    rounds: int,
    system: System = System.mcmahon,
    bar: int = 8,
    floor: int = -30,
    handicap: HandicapRules | None = None,
    criteria: Sequence[str] = (),
    name: str = "simulated",
) -> Tournament:
    """A tournament that has not begun yet, of the players of a entered.

    Args:
        entered: Its players enter with their grades and ratings.
        rounds: Number of rounds.
        system: How they are paired.
        bar, floor: Ranks from which on, and up to which, all start with the same McMahon score.
        handicap: By default there is none.
        criteria: Of the standings; by default those usual for the system.
    """
    players = tuple(
        Player(
            name=entered.names[row],
            rank=int(entered.grade[row]),
            rating=float(entered.rating[row]),
            club=f"club {entered.club[row]}" if entered.club[row] >= 0 else "",
            country=f"country {entered.country[row]}" if entered.country[row] >= 0 else "",
        )
        for row in range(len(entered))
    )
    return Tournament(
        name=name,
        discipline="go",
        rounds=rounds,
        system=system,
        players=players,
        scoring=Scoring(criteria=tuple(criteria), bar=bar, floor=floor),
        handicap=handicap or HandicapRules(ceiling=0),
    )


@dataclass(eq=False)
class SimulationPlan:
    """What is to be simulated; everything that stays the same in all replays.

    Args:
        tournament: Players and rules. Rounds that are over stay as they are; the others are
            simulated, and what the file has of them is left out.
        strength (float array (players,)): True strengths, on the scale of `chance`.
        chance: Win probability; see `yardstone.tournament.field`.
        rules: How to pair; by default as the tournament's settings say.
        deviation (float or float array (players,)): Standard deviation of true strengths about
            these, with which they are drawn anew for each replay; rounds that are over correct both
            (`yardstone.tournament.field`).

    Raises:
        InputError: Strengths do not fit the players, or fewer than two take part in a round.
        ModelError: The system of the tournament is one that cannot be simulated.
    """

    tournament: Tournament
    strength: Floats
    chance: WinningLaw
    rules: InitVar[PairingRules | None] = None
    deviation: float | Floats = 0.0
    pairing: PairingRules = field(init=False)
    done: int = field(init=False)
    start: Scores = field(init=False)
    known: Strengths = field(init=False)

    def __post_init__(self, rules: PairingRules | None) -> None:
        whole = self.tournament
        n = len(whole.players)
        if whole.system not in (System.mcmahon, System.swiss, System.round_robin):
            raise ModelError(f"a tournament of the system {whole.system} cannot be simulated")
        self.strength = np.asarray(self.strength, np.float64)
        if self.strength.shape != (n,) or not np.isfinite(self.strength).all():
            raise InputError(f"{n} finite strengths are needed, one a player")
        self.done = whole.complete_rounds
        self.tournament = before = whole.before(self.done + 1)
        self.pairing = rules or PairingRules.of(before)
        self.start = Scores.of(before)
        self.known = Strengths.known(
            self.strength, self.deviation, self.chance, self.start, self.done
        )
        rounds = range(1, whole.rounds + 1)
        self._present = np.array([[p.takes_part(r) for p in whole.players] for r in rounds], bool)
        left = self._present[self.done :]
        if len(left) and left.sum(axis=1).min() < 2:
            raise whole.error("fewer than two players take part in a round")
        entrants = enter(before, min(self.done + 1, whole.rounds), self.pairing, range(n))
        self._entries, self._met = entrants.entries, entrants.met
        self._numbers = [self.pairing.numbers(r) for r in rounds]
        self._order = [self._criteria(r) for r in rounds]
        if whole.system is System.round_robin:
            table = [[b for b in berger_round(n, r) if max(b) < n] for r in rounds]
            self._table = [np.array(boards, np.int64).reshape(-1, 2).T for boards in table]

    @cached_property
    def even_chances(self) -> tuple[Floats, Floats] | None:
        """Probabilities of every two players in even games; None where strengths vary."""
        n = len(self.strength)
        if not self.known.exact or n > _TABLE_PLAYERS:
            return None
        first, second = np.broadcast_arrays(self.strength[:, None], self.strength)
        return self.chance(first, second, np.zeros((n, n)))

    def _criteria(self, round_number: int) -> list[str]:
        """What orders the field before a round; direct confrontation is left out."""
        early = round_number <= self.pairing.seed_last_round_1
        further = self.pairing.seed_criterion_1 if early else self.pairing.seed_criterion_2
        main = "MMS" if self.pairing.by_mcmahon else "NBW"
        names = [main, *default_criteria(self.tournament), further]
        known = [n for n in dict.fromkeys(names) if n.upper() not in ("", "NULL") and "@" not in n]
        return [n for n in known if criterion(n, self.tournament.system).compute is not None]


def play(plan: SimulationPlan, rng: np.random.Generator) -> tuple[Scores, Floats]:
    """One replay to its end: its scores (`state_after`), and the strengths (players,)."""
    strength = plan.known.draw(rng)
    run = _ReplayArrays(plan, rng)
    for number in range(plan.done + 1, plan.tournament.rounds + 1):
        run.pair_and_play(number, strength)
    return run.scores(plan.tournament.rounds), strength


def state_after(scores: Scores, round_number: int) -> RoundState:
    """The state of a replay after a round, for criteria to be computed from."""
    return RoundState(scores, round_number, rules_for(scores.tournament.begin))


#: The arrays of `Scores` that games fill, and what stands there before.
_OF_GAMES = {"opponent": -1, "points2": 0, "handicap": 0, "first": -1, "played": False}


class _ReplayArrays:
    """The arrays of one replay as it goes on."""

    def __init__(self, plan: SimulationPlan, rng: np.random.Generator) -> None:
        self.plan, self.rng = plan, rng
        begun, done = plan.start, plan.done
        n, rounds = len(plan.strength), plan.tournament.rounds
        self.entries, self.met = plan._entries.copy(), plan._met.copy()
        self.entries["lot"] = rng.integers(_LOTS, size=n)
        self.games: dict[str, NDArray[Any]] = {}
        for name, empty in _OF_GAMES.items():
            known = getattr(begun, name)
            self.games[name] = np.full((n, rounds), empty, known.dtype)
            self.games[name][:, :done] = known[:, :done]
        won = self.games["points2"][:, :done]
        self.free_wins, self.free_score = np.zeros((2, n, rounds), np.int64)
        self.free_wins[:, :done] = np.diff(begun.wins2, axis=1)[:, :done] - won
        self.free_score[:, :done] = np.diff(begun.mms2, axis=1)[:, :done] - won
        self.random_order = rng.permutation(n)

    def scores(self, after: int) -> Scores:
        """All that has been played so far; later rounds count nothing."""
        won = np.cumsum(self.games["points2"], axis=1)
        totals = []
        for free, start in (
            (self.free_wins, np.zeros((len(won), 1), np.int64)),
            (self.free_score, self.plan.start.mms2[:, :1]),
        ):
            gained = np.cumsum(free, axis=1)
            if self.plan.tournament.scoring.round_down:
                gained = gained // 2 * 2
            totals.append(np.hstack([start, (start + won + gained)[:, :after]]))
        games = {name: values[:, :after] for name, values in self.games.items()}
        return Scores(self.plan.tournament, **games, wins2=totals[0], mms2=totals[1])

    def pair_and_play(self, number: int, strength: Floats) -> None:
        """Pair a round, draw its results, and take both into the arrays."""
        first, second, stones, without = self._pair(number)
        column = number - 1
        table = self.plan.even_chances
        if table is not None and not stones.any():
            win, draw = table[0][first, second], table[1][first, second]
        else:
            given = stones.astype(np.float64)
            win, draw = self.plan.chance(strength[first], strength[second], given)
        lot = self.rng.random(len(first))
        points = np.where(lot < win, 2, np.where(lot < win + draw, 1, 0))
        for one, values in (
            (first, (second, points, -stones, 1, True)),
            (second, (first, 2 - points, stones, 0, True)),
        ):
            for name, value in zip(_OF_GAMES, values, strict=True):
                self.games[name][one, column] = value
        scoring = self.plan.tournament.scoring
        present = self.plan._present[column]
        self.free_wins[~present, column] = round(2 * scoring.wins_absent)
        self.free_score[~present, column] = round(2 * scoring.score_absent)
        if without >= 0:
            self.free_wins[without, column] = round(2 * scoring.wins_bye)
            self.free_score[without, column] = round(2 * scoring.score_bye)
            self.entries["byes"][without] += 1
        half_points = self.plan.pairing.half_points
        record_games(self.entries, self.met, first, second, stones, half_points)

    def _pair(self, number: int) -> tuple[Longs, Longs, Longs, int]:
        """Who moves first and second, the stones, and who has no opponent (-1: all have)."""
        plan = self.plan
        present = np.flatnonzero(plan._present[number - 1])
        if plan.tournament.system is System.round_robin:
            return self._scheduled(number, plan._present[number - 1])
        self._order(number)
        everybody = len(present) == len(self.entries)
        entries = self.entries if everybody else self.entries[present]
        met = self.met if everybody else np.ascontiguousarray(self.met[np.ix_(present, present)])
        sound, first, second, stones, bye = pair_field(entries, met, plan._numbers[number - 1])
        if not sound:
            raise ModelError("the weights of the pairing are too large for so many players")
        return present[first], present[second], stones, int(present[bye]) if bye >= 0 else -1

    def _scheduled(self, number: int, present: Flags) -> tuple[Longs, Longs, Longs, int]:
        first, second = self.plan._table[number - 1]
        meet = present[first] & present[second]
        first, second = first[meet], second[meet]
        alone = present.copy()
        alone[first] = alone[second] = False
        free = np.flatnonzero(alone)
        return first, second, np.zeros(len(first), np.int64), int(free[0]) if len(free) else -1

    def _order(self, number: int) -> None:
        """Scores and places before a round; what criteria leave tied is drawn by lot."""
        now = number - 1
        scores = self.scores(now)
        entries, rules = self.entries, self.plan.pairing
        entries["mms"] = scores.mms2[:, now]
        entries["wins"] = scores.wins2[:, now]
        entries["score"] = (scores.mms2 if rules.by_mcmahon else scores.wins2)[:, now]
        state = state_after(scores, now)
        criteria = [criterion(name, self.plan.tournament.system) for name in self.plan._order[now]]
        columns = [-np.nan_to_num(c.values(state), nan=-1e9) for c in criteria]
        order = np.lexsort([self.random_order, *columns[::-1]])
        entries["order"][order] = np.arange(len(order))


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomPlan:
    """What a tournament by chance is like."""

    players: int = 40
    rounds: int = 9
    seed: int = 0
    rating: float = 2000.0  #: `rating`, `spread`: mean and standard deviation of the ratings.
    spread: float = 250.0
    draws: float = 0.3  #: Share of draws between equal players; fewer between others
    forfeits: float = 0.02  #: Share of games to which a player does not come
    byes: float = 0.02  #: Share of rounds in which a player asks for half a point
    #: `late`, `withdrawals`: share of players who come after the first round, and who leave before
    #: the last.
    late: float = 0.03
    withdrawals: float = 0.05
    accelerated: bool = False  #: Baku acceleration

    def __post_init__(self) -> None:
        check_fields(self)
        shares = ("draws", "forfeits", "byes", "late", "withdrawals")
        limits: dict[str, tuple[int, int | None]] = {
            "players": (2, 9_999), "rounds": (1, 99), "seed": (0, None), "rating": (0, 9_999),
            "spread": (0, None), **dict.fromkeys(shares, (0, 1)),
        }  # fmt: skip
        for name, (least, most) in limits.items():
            check_number(name, getattr(self, name), least=least, most=most)


def random_tournament(plan: RandomPlan) -> Tournament:
    """Play a tournament by chance.

    Where no further round can be paired by the rules, the tournament ends before its time; its
    number of rounds stays as planned.
    """
    rng = np.random.default_rng(plan.seed)
    tournament = _entries(plan, rng)
    for number in Track("rounds", plan.rounds).over(range(1, plan.rounds + 1)):
        requested = [
            Bye(number, row, ByeKind.half)
            for row, player in enumerate(tournament.players)
            if player.takes_part(number) and rng.random() < plan.byes
        ]
        with_byes = replace(tournament, byes=(*tournament.byes, *requested))
        try:
            pairing = pair_dutch(with_byes, number, seed=plan.seed)
        except InputError:
            break
        paired = pairing.added_to(with_byes)
        games = tuple(
            _played(game, plan, paired, rng) if game.round == number else game
            for game in paired.games
        )
        tournament = replace(paired, games=games)
    return tournament


def _entries(plan: RandomPlan, rng: np.random.Generator) -> Tournament:
    ratings = np.sort(rng.normal(plan.rating, plan.spread, plan.players).clip(1, 9_999))[::-1]
    players = []
    for number, rating in enumerate(ratings, 1):
        first, last = 1, plan.rounds
        if plan.rounds > 1 and rng.random() < plan.late:
            first = int(rng.integers(2, plan.rounds + 1))
        if plan.rounds > 1 and rng.random() < plan.withdrawals:
            last = int(rng.integers(first, plan.rounds + 1))
        absent = {r for r in range(1, plan.rounds + 1) if not first <= r <= last}
        players.append(
            Player(
                name=f"Player {number:04d}",
                rating=float(round(rating)),
                rating_origin="FIDE",
                absent=frozenset(absent),
            )
        )
    colour = "white" if rng.integers(2) else "black"
    made = Tournament(
        name=f"Random tournament {plan.seed}",
        discipline="chess",
        size=8,
        rounds=plan.rounds,
        system=System.swiss,
        players=tuple(players),
        scoring=Scoring(wins_absent=0.0, score_absent=0.0, round_down=False),
    )
    stages = baku(seeding(made), plan.rounds) if plan.accelerated else ()
    return replace(made, swiss=SwissSettings(initial_colour=colour, accelerations=stages))


def _played(game: Game, plan: RandomPlan, tournament: Tournament, rng: np.random.Generator) -> Game:
    """The game with a result."""
    if rng.random() < plan.forfeits:
        forms = (Result.first_wins, Result.second_wins, Result.both_lose)
        return replace(game, result=forms[rng.choice(3, p=(0.45, 0.45, 0.1))], forfeit=True)
    one, two = (tournament.players[p].rating or 0.0 for p in game.players)
    expected = float(win_probability(one - two))
    drawn = min(4 * plan.draws * expected * (1 - expected), 2 * min(expected, 1 - expected))
    lot = rng.random()
    if lot < drawn:
        return replace(game, result=Result.draw)
    wins = expected - drawn / 2
    return replace(game, result=Result.first_wins if lot < drawn + wins else Result.second_wins)
