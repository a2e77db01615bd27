"""The criteria by which a table of standings is ordered: their names and values.

Those of Go count as OpenGotha does, in half points of `Scores`; those of chess as FIDE
does (`FideScores`). `criterion` finds one by its name: ``SOSM-1``, ``BH-C1``, ``MMS@3``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import UsageError
from yardstone.tournament.fide import FideScores, Unplayed
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.scores import Scores, category

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

__all__ = ["CRITERIA", "Criterion", "RoundState", "criterion", "default_criteria", "parse_criteria"]


@dataclass(eq=False)
class RoundState:
    """A tournament after a round, with the scores that criteria need.

    Parameters
    ----------
    scores : Scores
        Those of the whole tournament.
    round : int
        Only this many rounds count.
    unplayed : Unplayed
        FIDE's rules for rounds without a game.
    """

    scores: Scores
    round: int
    unplayed: Unplayed
    _fide: FideScores | None = None

    @property
    def tournament(self) -> Tournament:
        """What is scored."""
        return self.scores.tournament

    @property
    def fide(self) -> FideScores:
        """The same as FIDE counts."""
        if self._fide is None:
            self._fide = FideScores(self.tournament, self.round, self.unplayed)
        return self._fide

    def at(self, round_number: int) -> RoundState:
        """The state after another round."""
        return RoundState(self.scores, round_number, self.unplayed)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion.

    Attributes
    ----------
    name : str
        As in files and on the command line; `heading` above a column.
    about : str
        What it is.
    compute : callable or None
        From a state to the values of all players, more being better. None for those that
        compare tied players only (DC, SDC, DE).
    shift : int
        Rounds before the one asked for (negative), or the round itself (positive); 0 for now.
    """

    name: str
    about: str
    compute: Callable[[RoundState], Values] | None
    heading: str = ""
    shift: int = 0

    def values(self, state: RoundState) -> Values:
        """The value of every player; more is better, NaN is least."""
        if self.compute is None:
            raise UsageError(f"{self.name} compares tied players only")
        if self.shift:
            when = self.shift if self.shift > 0 else state.round + self.shift
            if not 0 <= when <= state.round:
                raise UsageError(f"{self.name}: there is no round {when} before {state.round}")
            state = state.at(when)
        return self.compute(state)


def _wins(state: RoundState) -> Values:
    return state.scores.wins2[:, state.round] / 2


def _mms(state: RoundState) -> Values:
    return state.scores.mms2[:, state.round] / 2


def _total(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum over rounds."""
    return np.asarray(columns.sum(axis=1), np.int64)


def _opponents(kind: str, state: RoundState) -> NDArray[np.int64]:
    """Doubled score of each opponent that counts in SOS, one column a round."""
    scores, now = state.scores, state.round
    if kind == "W":
        counted = scores.for_opponents(scores.wins2, now)
        return scores.of_opponents(counted, now, np.zeros_like(counted))
    base = _strasbourg2(scores) if kind == "S" else scores.mms2
    counted = scores.for_opponents(base, now)
    sums2 = scores.of_opponents(counted, now, scores.initial2)
    return sums2 + 2 * scores.handicap[:, :now]


def _sos(kind: str, cut: int, state: RoundState) -> Values:
    columns = _opponents(kind, state)
    if cut:
        if state.round <= cut:
            return np.zeros(len(columns))
        columns = np.sort(columns, axis=1)[:, cut:]
    return _total(columns) / 2


def _sodos(kind: str, state: RoundState) -> Values:
    met = state.scores.opponent[:, : state.round] >= 0
    points2 = np.where(met, state.scores.points2[:, : state.round], 0)
    return _total(_opponents(kind, state) * points2) / 4


def _sosos(kind: str, state: RoundState) -> Values:
    scores, now = state.scores, state.round
    sos2 = _total(_opponents(kind, state))
    missing = np.zeros_like(sos2) if kind == "W" else scores.initial2 * now
    return _total(scores.of_opponents(sos2, now, missing)) / 2


def _cuss(kind: str, state: RoundState) -> Values:
    score2 = state.scores.wins2 if kind == "W" else state.scores.mms2
    return _total(score2[:, 1 : state.round + 1]) / 2


def _exploits(won_only: bool, state: RoundState) -> Values:
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


def _strasbourg2(scores: Scores) -> NDArray[np.int64]:
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


def _cup(state: RoundState) -> Values:
    """Cup score: a win counts twice as much as one a round later."""
    scores = state.scores
    total = np.zeros(len(scores.opponent), np.int64)
    for column in range(state.round):
        total = 2 * total + scores.points2[:, column]
    free = scores.wins2[:, state.round] - _total(scores.points2[:, : state.round])
    return (total + free) / 2


def _each(state: RoundState, value: Callable[[Any], float | None]) -> Values:
    values = [value(player) for player in state.tournament.players]
    return np.array([np.nan if v is None else v for v in values], np.float64)


def _fide(method: str, keywords: Mapping[str, Any], state: RoundState) -> Values:
    scores = state.fide
    function = getattr(scores, method)
    return np.array([function(p, **keywords) for p in range(len(scores.points))], np.float64)


def _count(test: Callable[[Any], bool], state: RoundState) -> Values:
    return np.array([sum(map(test, rounds)) for rounds in state.fide.rounds], np.float64)


def _numbers(state: RoundState) -> Values:
    return -np.arange(len(state.tournament.players), dtype=np.float64)


def _go() -> list[Criterion]:
    criteria = [
        Criterion("NBW", "number of wins", _wins),
        Criterion("MMS", "McMahon score", _mms),
        Criterion("STS", "Strasbourg score: McMahon with a cup among the best",
                  lambda s: _strasbourg2(s.scores)[:, s.round] / 2),
        Criterion("CPS", "cup score: a win counts twice as much as one a round later", _cup),
        Criterion("SOSTS", "sum of opponents' Strasbourg scores", partial(_sos, "S", 0)),
        Criterion("EXT", "exploits attempted", partial(_exploits, False)),
        Criterion("EXR", "exploits achieved", partial(_exploits, True)),
        Criterion("CAT", "category by rank",
                  lambda s: -_each(s, lambda p: category(p, s.tournament.scoring))),
        Criterion("RANK", "rank", lambda s: _each(s, lambda p: p.rank)),
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


def _chess() -> list[Criterion]:
    def summed(name: str, about: str, **keywords: Any) -> list[Criterion]:
        cuts = {"": (0, 0), "-C1": (1, 0), "-C2": (2, 0), "-M1": (1, 1), "-M2": (2, 2)}
        words = {
            "": "", "-C1": ", without the least", "-C2": ", without the two least",
            "-M1": ", without the least and the greatest",
            "-M2": ", without the two least and the two greatest",
        }  # fmt: skip
        return [
            Criterion(
                name + cut,
                about + words[cut],
                partial(_fide, "summed", {"low": low, "high": high, **keywords}),
            )
            for cut, (low, high) in cuts.items()
        ]

    return [
        Criterion("PTS", "points", lambda s: np.array(s.fide.points, np.float64)),
        *summed("BH", "Buchholz: sum of opponents' points"),
        *summed("FB", "fore Buchholz: as if the last round were drawn", fore=True),
        *summed("SB", "Sonneborn-Berger: opponents' points times own result", weighted=True),
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
        *(
            Criterion(f"ARO{cut}", f"average rating of opponents{words}",
                      partial(_fide, "average_opponent", {"low": low, "high": high}))
            for cut, words, low, high in (
                ("", "", 0, 0), ("-C1", ", without the least", 1, 0),
                ("-C2", ", without the two least", 2, 0),
                ("-M1", ", without the least and the greatest", 1, 1),
                ("-M2", ", without the two least and the two greatest", 2, 2),
            )
        ),
        Criterion("TPR", "tournament performance rating", partial(_fide, "performance", {})),
        Criterion("PTP", "perfect tournament performance",
                  partial(_fide, "perfect_performance", {})),
        Criterion("APRO", "average performance of opponents",
                  partial(_fide, "average_performance", {})),
        Criterion("APPO", "average perfect performance of opponents",
                  partial(_fide, "average_performance", {"perfect": True})),
        Criterion("TPN", "number in the list of players", _numbers),
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

    ``SOS`` alone means opponents' McMahon scores in a McMahon tournament, else their
    wins. ``MMS@3`` is the value after round 3, ``MMS@-1`` that one round earlier.

    Raises
    ------
    UsageError
        There is none.

    Examples
    --------
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
