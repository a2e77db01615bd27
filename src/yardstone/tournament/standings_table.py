"""Scores of a tournament after every round: wins, McMahon score and what opponents have.

As OpenGotha counts: in half points, so that whole numbers are compared. Column r of a table of
scores holds the state after r rounds, column 0 that before the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Flags, Floats, Longs
from yardstone.errors import UsageError
from yardstone.grades import format_grade
from yardstone.tournament.fide import (
    FideScores,
    Unplayed,
    average_rating,
    perfect_performance,
    performance,
    rules_for,
)
from yardstone.tournament.model import ByeKind, Player, System, Tournament
from yardstone.tournament.rules import Scoring


def initial_score(player: Player, scoring: Scoring) -> int:
    """McMahon score before the first round: the rank between floor and bar, and a correction.

    Examples:
        >>> initial_score(Player(name="Ann", rank=5), Scoring(bar=3, floor=-20))
        33
    """
    rank = scoring.zero if player.rank is None else player.rank
    return min(max(rank, scoring.floor), scoring.bar) - scoring.zero + player.smms_correction


def category(player: Player, scoring: Scoring) -> int:
    """Number of the category by rank, 0 being the strongest."""
    rank = scoring.zero if player.rank is None else player.rank
    reached = (number for number, limit in enumerate(scoring.categories) if rank >= limit)
    return next(reached, len(scoring.categories))


def taking_part(tournament: Tournament) -> Flags:
    """Which players have a game or a bye in any round, or are expected in one to come."""
    if not tournament.games:
        return np.array([player.registered for player in tournament.players], bool)
    there = np.zeros(len(tournament.players), bool)
    there[[player for game in tournament.games for player in game.players]] = True
    there[[bye.player for bye in tournament.byes]] = True
    return there


@dataclass(frozen=True, eq=False)
class Scores:
    """Everything that criteria are computed from; see the module for rounds and units."""

    tournament: Tournament  #: What was scored
    opponent: Longs  #: (players, rounds) Number of the opponent, -1 without a game
    points2: Longs  #: Half points from games
    handicap: Longs  #: Stones that the player gave; negative those received
    #: 1 where the player moved first, 0 where second, -1 where unknown or no game
    first: NDArray[np.int8]
    played: Flags  #: Games with a result that is no forfeit
    wins2: Longs  #: `wins2`, `mms2`: (players, rounds + 1) Wins and McMahon scores in half points.
    mms2: Longs

    @classmethod
    def of(cls, tournament: Tournament) -> Scores:
        """Score all rounds of a tournament."""
        n, rounds = len(tournament.players), max(tournament.rounds, tournament.last_round)
        shape = (n, rounds)
        opponent = np.full(shape, -1, np.int64)
        points2, handicap = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        first, played = np.full(shape, -1, np.int8), np.zeros(shape, bool)
        for game in tournament.games:
            column = game.round - 1
            one, two = game.first, game.second
            opponent[one, column], opponent[two, column] = two, one
            a, b = game.result.points
            points2[one, column], points2[two, column] = round(2 * a), round(2 * b)
            handicap[one, column], handicap[two, column] = -game.handicap, game.handicap
            if game.known_colour:
                first[one, column], first[two, column] = 1, 0
            played[[one, two], column] = game.played
        free_wins, free_score = _without_game(tournament, opponent)
        start = 2 * np.array(
            [initial_score(p, tournament.scoring) for p in tournament.players], np.int64
        ).reshape(n, 1)
        won = np.cumsum(points2, axis=1)
        zero = np.zeros((n, 1), np.int64)
        wins2 = np.hstack([zero, won + free_wins])
        mms2 = np.hstack([start, start + won + free_score])
        return cls(tournament, opponent, points2, handicap, first, played, wins2, mms2)

    @cached_property
    def _virtual(self) -> Longs:
        """Half points from played games, each other round counting half a point."""
        earned = np.where(self.played, self.points2, 1)
        zero = np.zeros((len(earned), 1), np.int64)
        return np.hstack([zero, np.cumsum(earned, axis=1)])

    def for_opponents(self, score2: Longs, round_number: int) -> Longs:
        """What each player's score counts in sums over opponents, after a round."""
        if not self.tournament.scoring.unplayed_as_half:
            return score2[:, round_number]
        return score2[:, 0] + self._virtual[:, round_number]

    def of_opponents(self, values: Longs, round_number: int, missing: Longs) -> Longs:
        """Each opponent's value up to a round; `missing` of the player without one."""
        against = self.opponent[:, :round_number]
        return np.where(against >= 0, values[against], missing[:, None])


def points_without_game(tournament: Tournament, row: int, number: int) -> tuple[float, float]:
    """What a round without a game brings a player: wins, McMahon score."""
    rules, bye = tournament.scoring, tournament.bye_of.get((number, row))
    if bye is None:
        absent = number in tournament.players[row].absent
        return (rules.wins_absent, rules.score_absent) if absent else (0.0, 0.0)
    if bye.kind is ByeKind.paired:
        return rules.wins_bye, rules.score_bye
    points = {ByeKind.full: 1.0, ByeKind.half: 0.5}.get(bye.kind, 0.0)
    return points, points


def _without_game(tournament: Tournament, opponent: Longs) -> Longs:
    """Half points of all rounds so far without a game: wins, McMahon score."""
    points2 = np.zeros((2, *opponent.shape), np.int64)
    rows, columns = np.nonzero(opponent < 0)
    places = zip(rows.tolist(), (columns + 1).tolist(), strict=True)
    points = [points_without_game(tournament, *place) for place in places]
    points2[:, rows, columns] = np.rint(2.0 * np.array(points).reshape(-1, 2)).T
    total2 = np.cumsum(points2, axis=2)
    return total2 // 2 * 2 if tournament.scoring.round_down else total2


_Net = Sequence[Mapping[int, int]]


def _wins_between(
    tournament: Tournament, group: Sequence[int], round_number: int
) -> list[dict[int, int]]:
    """Wins less losses of each of a group against those of the others met, up to a round."""
    place = {player: n for n, player in enumerate(group)}
    net: list[dict[int, int]] = [{} for _ in group]
    for game in tournament.games:
        if game.round > round_number or game.first not in place or game.second not in place:
            continue
        one, two = place[game.first], place[game.second]
        a, b = game.result.points
        sign = (a > b) - (a < b)
        net[one][two] = net[one].get(two, 0) + sign
        net[two][one] = net[two].get(one, 0) - sign
    return net


def simplified_confrontation(net: _Net) -> list[int]:
    """Wins of each inside the group; all 0 unless every two of them are decided."""
    if any(len(row) < len(net) - 1 or 0 in row.values() for row in net):
        return [0] * len(net)
    return [sum(value > 0 for value in row.values()) for row in net]


def direct_confrontation(net: _Net, later: Sequence[int]) -> list[int]:
    """Order of a tied group, the best having the largest number.

    `net` are wins less losses of each player against each other one met, `later` the place of each
    by the criteria that follow, 0 being the best; equal where tied.
    """
    from scipy.sparse.csgraph import connected_components

    n = len(net)
    won = np.array([[row.get(j, 0) > 0 for j in range(n)] for row in net])
    # A circle of wins stands as one: it is above each circle in which one of its players won.
    circle = connected_components(won, connection="strong")[1].tolist()
    below: dict[int, set[int]] = {c: set() for c in circle}
    for i, j in np.argwhere(won).tolist():
        below[circle[i]] |= {circle[j]} - {circle[i]}
    left = set(range(n))
    value = [0] * n
    done = 0
    while left:
        # From below: of those who beat nobody that is left, the worst by later criteria.
        alive = {circle[i] for i in left}
        free = [i for i in left if not below[circle[i]] & alive]
        worst = max(later[i] for i in free)
        last = {i for i in free if later[i] == worst}
        done += len(last) if len(left) < n else 0
        for i in last:
            value[i] = done
        left -= last
    return value


@dataclass(eq=False)
class RoundState:
    """A tournament after a round, with the scores that criteria need."""

    scores: Scores  #: Those of the whole tournament
    round: int  #: Only this many rounds count
    unplayed: Unplayed  #: FIDE's rules for rounds without a game

    @property
    def tournament(self) -> Tournament:
        """What is scored."""
        return self.scores.tournament

    @cached_property
    def fide(self) -> FideScores:
        """The same as FIDE counts."""
        return FideScores(self.tournament, self.round, self.unplayed)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion."""

    name: str  #: As in files and on the command line; `heading` above a column
    about: str  #: What it is
    #: From a state to the values of all players, as people read them. None for those that compare
    #: tied players only (DC, SDC, DE).
    compute: Callable[[RoundState], Floats] | None
    heading: str = ""
    #: Rounds before the one asked for (negative), or the round itself (positive); 0 for now
    shift: int = 0
    least_first: bool = False  #: Whether the least value is the best, as of places or losses
    #: How a value is written, where not as a number
    show: Callable[[float], str] | None = None

    def values(self, state: RoundState) -> Floats:
        """What orders every player: more is better, so `least_first` turns signs; NaN is last."""
        if self.compute is None:
            raise UsageError(f"{self.name} compares tied players only")
        if self.shift:
            when = self.shift if self.shift > 0 else state.round + self.shift
            if not 0 <= when <= state.round:
                raise UsageError(f"{self.name}: there is no round {when} before {state.round}")
            state = replace(state, round=when)
        return self.turned(self.compute(state))

    def turned(self, values: Floats) -> Floats:
        """Values as people read them from those that order, and the other way round."""
        return -values if self.least_first else values


def _total(columns: Longs) -> Longs:
    """The sum over rounds."""
    return np.asarray(columns.sum(axis=1), np.int64)


def _opponents(kind: str, state: RoundState) -> Longs:
    """Doubled score of each opponent that counts in SOS, one column a round."""
    scores, now = state.scores, state.round
    if kind == "W":
        counted = scores.for_opponents(scores.wins2, now)
        return scores.of_opponents(counted, now, np.zeros_like(counted))
    base = _strasbourg2(scores) if kind == "S" else scores.mms2
    counted = scores.for_opponents(base, now)
    sums2 = scores.of_opponents(counted, now, scores.mms2[:, 0])
    return sums2 + 2 * scores.handicap[:, :now]


def _sos(kind: str, cut: int, state: RoundState) -> Floats:
    columns = _opponents(kind, state)
    if cut:
        if state.round <= cut:
            return np.zeros(len(columns))
        columns = np.sort(columns, axis=1)[:, cut:]
    return _total(columns) / 2


def _sodos(kind: str, state: RoundState) -> Floats:
    met = state.scores.opponent[:, : state.round] >= 0
    points2 = np.where(met, state.scores.points2[:, : state.round], 0)
    return _total(_opponents(kind, state) * points2) / 4


def _sosos(kind: str, state: RoundState) -> Floats:
    scores, now = state.scores, state.round
    sos2 = _total(_opponents(kind, state))
    missing = np.zeros_like(sos2) if kind == "W" else scores.mms2[:, 0] * now
    return _total(scores.of_opponents(sos2, now, missing)) / 2


def _cuss(kind: str, state: RoundState) -> Floats:
    score2 = state.scores.wins2 if kind == "W" else state.scores.mms2
    return _total(score2[:, 1 : state.round + 1]) / 2


def _exploits(won_only: bool, state: RoundState) -> Floats:
    """Opponents' wins times 0 to 3, by how bold the handicap was."""
    scores, now = state.scores, state.round
    ranks = np.array([p.rank or 0 for p in state.tournament.players], np.int64)
    against = scores.opponent[:, :now]
    natural = ranks[:, None] - ranks[against]
    bold = np.clip(scores.handicap[:, :now] - natural + 1, 0, 3)
    factor = np.where(against >= 0, bold, 0)
    if won_only:
        factor = np.where(scores.points2[:, :now] == 2, factor, 0)
    return _total(scores.wins2[against, now] * factor) / 2


def _strasbourg2(scores: Scores) -> Longs:
    """McMahon scores with 2 points more for each of two rounds of a cup among the best."""
    rules = scores.tournament.scoring
    rounds = scores.mms2.shape[1] - 1
    scores2 = scores.mms2.copy()
    top = rules.bar - rules.zero
    for before in (2, 1):
        now = rounds - before
        if now < 1:
            continue
        winners = scores.mms2[:, now] == 2 * (top + now)
        scores2[winners, now:] += 4
    return scores2


def _cup(state: RoundState) -> Floats:
    """Cup score: a win counts twice as much as one a round later."""
    scores = state.scores
    total = np.zeros(len(scores.opponent), np.int64)
    for column in range(state.round):
        total = 2 * total + scores.points2[:, column]
    free = scores.wins2[:, state.round] - _total(scores.points2[:, : state.round])
    return (total + free) / 2


def _each(state: RoundState, value: Callable[[Any], float | None]) -> Floats:
    values = [value(player) for player in state.tournament.players]
    return np.array([np.nan if v is None else v for v in values], np.float64)


def _fide(method: str, keywords: Mapping[str, Any], state: RoundState) -> Floats:
    scores = state.fide
    function = getattr(scores, method)
    return np.array([function(p, **keywords) for p in range(len(scores.points))], np.float64)


def _count(test: Callable[[Any], bool], state: RoundState) -> Floats:
    return np.array([sum(map(test, rounds)) for rounds in state.fide.rounds], np.float64)


def _go() -> list[Criterion]:
    criteria = [
        Criterion("NBW", "number of wins", lambda s: s.scores.wins2[:, s.round] / 2),
        Criterion("MMS", "McMahon score", lambda s: s.scores.mms2[:, s.round] / 2),
        Criterion("STS", "Strasbourg score: McMahon with a cup among the best",
                  lambda s: _strasbourg2(s.scores)[:, s.round] / 2),
        Criterion("CPS", "cup score: a win counts twice as much as one a round later", _cup),
        Criterion("SOSTS", "sum of opponents' Strasbourg scores", partial(_sos, "S", 0)),
        Criterion("EXT", "exploits attempted", partial(_exploits, False)),
        Criterion("EXR", "exploits achieved", partial(_exploits, True)),
        Criterion("CAT", "category by rank",
                  lambda s: _each(s, lambda p: category(p, s.tournament.scoring) + 1),
                  least_first=True),
        Criterion("RANK", "rank", lambda s: _each(s, lambda p: p.rank),
                  show=lambda rank: format_grade(round(rank))),
        Criterion("RATING", "rating", lambda s: _each(s, lambda p: p.rating)),
        Criterion("DC", "direct confrontation", None),
        Criterion("SDC", "simplified direct confrontation", None),
    ]  # fmt: skip
    for kind, score in (("W", "wins"), ("M", "McMahon scores")):
        of = f"({score})"
        criteria += [
            Criterion(f"SOS{kind}", f"sum of opponents' {score}", partial(_sos, kind, 0), "SOS"),
            *(
                Criterion(f"SOS{kind}-{n}", f"the same without the {n} lowest",
                          partial(_sos, kind, n), f"SOS-{n}")
                for n in (1, 2)
            ),
            Criterion(f"SODOS{kind}", f"sum of defeated opponents' {score}",
                      partial(_sodos, kind), "SODOS"),
            Criterion(f"SOSOS{kind}", f"sum of opponents' SOS {of}",
                      partial(_sosos, kind), "SOSOS"),
            Criterion(f"CUSS{kind}", f"cumulative sum of scores {of}",
                      partial(_cuss, kind), "CUSS"),
        ]  # fmt: skip
    return criteria


#: How many of the least and of the greatest are left out, and how that is said.
_CUTS = {
    "": (0, 0, ""),
    "-C1": (1, 0, ", without the least"),
    "-C2": (2, 0, ", without the two least"),
    "-M1": (1, 1, ", without the least and the greatest"),
    "-M2": (2, 2, ", without the two least and the two greatest"),
}


def _chess() -> list[Criterion]:
    def cut(name: str, about: str, method: str = "summed", **keywords: Any) -> list[Criterion]:
        return [
            Criterion(name + which, about + words,
                      partial(_fide, method, {"low": low, "high": high, **keywords}))
            for which, (low, high, words) in _CUTS.items()
        ]  # fmt: skip

    return [
        Criterion("PTS", "points", lambda s: np.array(s.fide.points, np.float64)),
        *cut("BH", "Buchholz: sum of opponents' points"),
        *cut("FB", "fore Buchholz: as if the last round were drawn", fore=True),
        *cut("SB", "Sonneborn-Berger: opponents' points times own result", weighted=True),
        Criterion("AOB", "average of opponents' Buchholz", partial(_fide, "average_buchholz", {})),
        *(
            Criterion(f"PS{cut}", f"progressive score{words}",
                      partial(_fide, "progressive", {"low": low}))
            for low, cut, words in (
                (0, "", ": sum of the scores after each round"),
                (1, "-C1", ", without the first round"),
                (2, "-C2", ", without the first two rounds"),
            )
        ),
        Criterion("KS", "Koya: points against those with half of all points",
                  partial(_fide, "koya", {})),
        Criterion("WIN", "rounds with the points of a win", partial(_count, lambda r: r.full)),
        Criterion("WON", "games won", partial(_count, lambda r: r.played and r.rated_points == 1)),
        Criterion("BPG", "games played moving second",
                  partial(_count, lambda r: r.played and r.first is False)),
        Criterion("BWG", "games won moving second",
                  partial(_count, lambda r: r.played and r.first is False and r.rated_points == 1)),
        Criterion("GE", "games one elected to play", partial(_count, lambda r: not r.voluntary)),
        *cut("ARO", "average rating of opponents", "rated",
             of=lambda _, ratings: average_rating(ratings)),
        *(
            Criterion(name, about, partial(_fide, method, {"of": function}))
            for name, about, method, function in (
                ("TPR", "tournament performance rating", "rated", performance),
                ("PTP", "perfect tournament performance", "rated", perfect_performance),
                ("APRO", "average performance of opponents", "average_performance", performance),
                ("APPO", "average perfect performance of opponents", "average_performance",
                 perfect_performance),
            )
        ),
        Criterion("TPN", "number in the list of players",
                  lambda s: np.arange(1.0, len(s.tournament.players) + 1.0), least_first=True),
        Criterion("DE", "direct encounter", None),
    ]  # fmt: skip


#: All criteria by name.
CRITERIA: Mapping[str, Criterion] = MappingProxyType({c.name: c for c in (*_go(), *_chess())})
#: Names that mean the McMahon kind in a McMahon tournament and that of wins elsewhere.
_EITHER = ("SOS-1", "SOS-2", "SOSOS", "SODOS", "CUSS", "SOS")
_ALSO = {
    "WINS": "NBW", "SCORE": "NBW", "POINTS": "PTS", "BUCHHOLZ": "BH", "MEDIAN": "BH-M1",
    "MBH": "BH-M1", "SONNEBORN-BERGER": "SB", "REP": "GE", "RTNG": "RATING", "GRADE": "RANK",
    "CATEGORY": "CAT", "SDSW": "SODOSW", "SDSM": "SODOSM", "CUSW": "CUSSW", "CUSM": "CUSSM",
}  # fmt: skip
_LATER = re.compile(r"(.+)@(-?\d{1,3})")


def criterion(name: str, system: System = System.mcmahon) -> Criterion:
    """The criterion of that name; capitals do not matter.

    ``SOS`` alone means opponents' McMahon scores in a McMahon tournament, else their wins.
    ``MMS@3`` is the value after round 3, ``MMS@-1`` that one round earlier.

    Raises:
        UsageError: There is none.

    Examples:
        >>> criterion("sos-1").name, criterion("BH/C1").name
        ('SOSM-1', 'BH-C1')
    """
    word = name.strip().upper().replace("/", "-").replace("_", "-")
    later = _LATER.fullmatch(word)
    if later is not None:
        whole = criterion(later[1], system)
        shift = int(later[2])
        if whole.compute is None or shift == 0:
            raise UsageError(f"{name}: @ takes a round, after a criterion other than DC, SDC, DE")
        return replace(whole, name=word, heading=word, shift=shift)
    word = _ALSO.get(word, word)
    if word in _EITHER:
        kind = "M" if system is System.mcmahon else "W"
        base, dash, cut = word.partition("-")
        word = base + kind + dash + cut
    if word in CRITERIA:
        return CRITERIA[word]
    raise UsageError(f"no criterion is called {name!r} (there are {', '.join(CRITERIA)})")


def parse_criteria(text: str, system: System = System.mcmahon) -> tuple[Criterion, ...]:
    """Criteria from their names with commas between: ``mms,sos,sosos``."""
    names = [word for word in re.split(r"[,\s]+", text.strip()) if word]
    if not names:
        raise UsageError("no criterion is named")
    criteria = tuple(criterion(name, system) for name in names if name.upper() != "NULL")
    if sum(c.compute is None for c in criteria) > 1:
        raise UsageError("only one of DC, SDC and DE can be used")
    return criteria


def default_criteria(tournament: Tournament) -> tuple[str, ...]:
    """The criteria that the tournament names, or else those usual for its kind."""
    if tournament.scoring.criteria:
        return tournament.scoring.criteria
    if tournament.discipline == "chess":
        if tournament.system is System.round_robin:
            return ("PTS", "DE", "SB", "WON")
        return ("PTS", "BH-C1", "BH", "SB")
    if tournament.system is System.mcmahon:
        return ("MMS", "SOSM", "SOSOSM")
    return ("NBW", "SOSW", "SOSOSW")


@dataclass(frozen=True, eq=False)
class Standings:
    """Players in order of place."""

    tournament: Tournament  #: What the table is of
    round: int  #: After which round
    criteria: tuple[Criterion, ...]  #: In their order
    order: Longs  #: Numbers of the listed players, the best first; tied ones by name
    #: Place of each in that order, from 1; tied players share the best place of theirs
    place: Longs
    #: (players listed, criteria) In the order of places, as people read them; NaN where a
    #: criterion has no value
    values: Floats
    scores: Scores  #: All scores, of all players

    def __len__(self) -> int:
        return len(self.order)


def standings(
    tournament: Tournament,
    *,
    round_number: int | None = None,
    criteria: str | Sequence[str] | None = None,
    unplayed: Unplayed | str | None = None,
    everybody: bool = False,
) -> Standings:
    """The table after a round.

    Args:
        tournament: Players and results.
        round_number: After which round; by default the last one without an open result.
        criteria: Names in their order, such as ``"mms,sos,sosos"``; by default the tournament's.
        unplayed: FIDE's rules for rounds without a game; by default those in force when the
            tournament began.
        everybody: List also players who never had a game or a bye.

    Raises:
        UsageError: There is no such round or criterion.

    Examples:
        >>> from yardstone.tournament.model import Game, Player, Result
        >>> players = tuple(Player(name=name, rank=0) for name in ("Ann", "Bob"))
        >>> game = Game(round=1, first=0, second=1, result=Result.second_wins)
        >>> made = standings(Tournament(rounds=1, players=players, games=(game,)), criteria="nbw")
        >>> [made.tournament.players[row].name for row in made.order]
        ['Bob', 'Ann']
    """
    now = round_shown(tournament, round_number)
    if criteria is None:
        criteria = default_criteria(tournament)
    if isinstance(criteria, str):
        chosen = parse_criteria(criteria, tournament.system)
    else:
        chosen = tuple(criterion(name, tournament.system) for name in criteria)
    rules = rules_for(tournament.begin) if unplayed is None else Unplayed(unplayed)
    state = RoundState(Scores.of(tournament), now, rules)
    n = len(tournament.players)
    listed = np.arange(n) if everybody else np.flatnonzero(taking_part(tournament))
    columns = [np.zeros(n) if c.compute is None else c.values(state) for c in chosen]
    for number, which in enumerate(chosen):
        if which.compute is None:
            columns[number] = _among_tied(which, state, listed, columns, number)
    values = np.column_stack([*columns, np.zeros(n)])[:, :-1]
    ranked = np.round(np.nan_to_num(values, nan=-np.inf), 6)

    def place_of(row: int) -> tuple[Any, ...]:
        player = tournament.players[row]
        return *(-ranked[row]).tolist(), player.name, player.first_name, row

    rows = np.array(sorted(listed.tolist(), key=place_of), np.int64)
    place = shared_places(ranked[rows])
    shown = values[rows]
    for number, which in enumerate(chosen):
        shown[:, number] = which.turned(shown[:, number])
    return Standings(tournament, now, chosen, rows, place, shown, state.scores)


def round_shown(tournament: Tournament, round_number: int | None) -> int:
    """A round that there is, by default the last one without an open result; else UsageError."""
    last = max(tournament.rounds, tournament.last_round)
    now = tournament.complete_rounds if round_number is None else round_number
    if not 0 <= now <= last:
        raise UsageError(f"there is no round {now}, only 1 to {last}")
    return now


def shared_places(ranked: NDArray[Any]) -> Longs:
    """Places from 1 of rows of values in their order; equal rows share the best of theirs."""
    begins = np.append(True, (ranked[1:] != ranked[:-1]).any(axis=1))[: len(ranked)]
    return np.asarray(np.maximum.accumulate(np.where(begins, np.arange(1, len(ranked) + 1), 1)))


def _among_tied(
    which: Criterion,
    state: RoundState,
    listed: Longs,
    columns: Sequence[Floats],
    number: int,
) -> Floats:
    """A criterion that compares the players tied on all that stand before it."""
    values = np.zeros(len(state.tournament.players))
    before = np.round(np.column_stack([*columns[:number], values]), 6)
    after = np.round(np.column_stack([*columns[number + 1 :], values]), 6)
    groups: dict[tuple[float, ...], list[int]] = {}
    for row in listed.tolist():
        groups.setdefault(tuple(before[row].tolist()), []).append(row)
    for group in groups.values():
        if len(group) < 2:
            continue
        if which.name == "DE":
            place = state.fide.direct_encounter(group)
            values[group] = [len(group) - 1 - p for p in place]
            continue
        net = _wins_between(state.tournament, group, state.round)
        if which.name == "SDC":
            values[group] = simplified_confrontation(net)
            continue
        later = [tuple((-after[row]).tolist()) for row in group]
        ranks = {value: n for n, value in enumerate(sorted(set(later)))}
        values[group] = direct_confrontation(net, [ranks[value] for value in later])
    return values
