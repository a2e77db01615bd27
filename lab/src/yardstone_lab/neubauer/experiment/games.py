"""The games of an experiment: candidates, which are left out and why, and their judgements."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone import parallel
from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.splits import in_time_order
from yardstone.go.analysis import SURE
from yardstone.go.features import ExtractionSettings, load, plain
from yardstone.go.nets.store import find_network
from yardstone.pool import Pool, SkipReport
from yardstone.records.go_game import BLACK, DRAWN, PASS, WHITE, GoGame
from yardstone_lab.neubauer.moves import file_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "MOVES_A_PLAYER",
    "clock_of_game",
    "seconds_a_move",
    "Candidate",
    "Decision",
    "ListedGames",
    "RecordedGames",
    "decision_of",
    "RULES",
    "FilterReport",
    "Filters",
    "filtered",
    "collect_pool",
    "load_pool",
    "save_pool",
    "JUDGED",
    "JudgedReport",
    "judged_pool",
    "last_winrates",
]

#: Moves of a player over which the main time is spread: half the mean length of the
#: counted games of Neubauer 2024 (section 4.3).
MOVES_A_PLAYER = 127

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_NUMBER = r"(\d+(?:\.\d+)?)"
_TIME = rf"{_NUMBER}\s*([smhd]?)[a-z]*"
#: 5x30 byo-yomi, 3 x 1m Japanese, 5*30
_PERIODS = re.compile(rf"(\d+)\s*[x*×]\s*{_TIME}", re.IGNORECASE)
#: 30/3 5m: three periods of thirty seconds, and five minutes before them.
_ASIAN = re.compile(rf"{_NUMBER}\s*/\s*(\d+)\s+{_TIME}", re.IGNORECASE)
#: 25/600 Canadian, 15 stones in 300 s
_STONES = re.compile(rf"(\d+)\s*+(?:moves?|stones?|st)?\s*+(?:/|in|per)\s*+{_TIME}", re.IGNORECASE)
#: 30 sec byo-yomi, 10s fischer, +10
_SINGLE = re.compile(rf"\+?\s*{_TIME}", re.IGNORECASE)


def seconds_a_move(main: str = "", overtime: str = "", clock: str = "") -> float | None:
    """Seconds that a player can use for a move, on average over a whole game.

    The time of a period of byo-yomi, an increment or a share of Canadian overtime,
    plus the main time spread over `MOVES_A_PLAYER` moves.

    Args:
        main: Main time in seconds, as SGF has it in TM; units (``10m``) are understood.
        overtime: As SGF has it in OT: ``5x30 byo-yomi``, ``25/600 Canadian``, ``10 fischer``.
        clock: Both in one, as Asian servers write it: ``30/3 5m`` are three periods of 30 seconds
            and 5 minutes before them.

    Returns:
        None if the words are not understood, or there are none.

    Examples:
        >>> round(seconds_a_move("600", "3x30 byo-yomi"), 2)
        34.72
        >>> seconds_a_move(clock="10/3 0m")
        10.0
        >>> seconds_a_move("254")
        2.0
    """
    if clock.strip():
        match = _ASIAN.fullmatch(clock.strip())
        if match is None:
            return None
        return float(match[1]) + _seconds(match[3], match[4]) / MOVES_A_PLAYER
    first = _main_time(main)
    later = _overtime(overtime)
    if later is None or (first is None and not overtime.strip()):
        return None
    return (first or 0.0) / MOVES_A_PLAYER + later


def clock_of_game(game: GoGame) -> float | None:
    """Seconds a move by a record's TM and OT, or None."""
    texts = (game.properties.get(name, ("",))[0] for name in ("TM", "OT"))
    return seconds_a_move(*texts)


def _seconds(number: str, unit: str) -> float:
    return float(number) * _UNITS[unit.lower()]


def _main_time(text: str) -> float | None:
    match = re.fullmatch(_TIME, text.strip(), re.IGNORECASE)
    return None if match is None else _seconds(match[1], match[2])


def _overtime(text: str) -> float | None:
    """Seconds a move in overtime; 0 without any, None if it is not understood."""
    text = text.strip()
    if not text or text.lower() in ("none", "no", "-", "absolute"):
        return 0.0
    if match := _PERIODS.match(text):
        return _seconds(match[2], match[3])
    if match := _STONES.match(text):
        return _seconds(match[2], match[3]) / max(int(match[1]), 1)
    if match := _SINGLE.match(text):
        return _seconds(match[1], match[2])
    return None


class Decision(StrEnum):
    """How a game was decided."""

    counted = "counted"
    unstated = "unstated"
    resigned = "resigned"
    timed_out = "timed out"
    forfeited = "forfeited"
    cancelled = "cancelled"
    unknown = "unknown"


_RESULT = re.compile(r"(?:black|white|b|w)\s*\+\s*(.*)", re.IGNORECASE | re.DOTALL)
_WORDS = (
    (Decision.resigned, ("r", "res", "resign", "resigned", "resignation")),
    (Decision.timed_out, ("t", "time", "timeout", "timed out")),
    (Decision.forfeited, ("f", "forfeit", "forfeited", "offline", "disconnection", "a", "abandon")),
)
_RANKED = re.compile(r"\b(un)?(?:ranked|rated)\b|\b(free)\b", re.IGNORECASE)


def decision_of(result: str) -> Decision:
    """How a game was decided, as the text of its result has it.

    Examples:
        >>> decision_of("B+3.5").value, decision_of("W+R").value, decision_of("B+").value
        ('counted', 'resigned', 'unstated')
    """
    text = result.strip().lower()
    if text in ("0", "jigo", "draw"):
        return Decision.counted
    if text in ("void", "cancelled", "annulled"):
        return Decision.cancelled
    match = _RESULT.fullmatch(text)
    if match is None:
        return Decision.unknown
    how = match[1].strip()
    if not how:
        return Decision.unstated
    for decision, words in _WORDS:
        if how in words:
            return decision
    try:
        return Decision.counted if float(how.replace(",", ".")) >= 0.0 else Decision.unknown
    except ValueError:
        return Decision.unknown


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recorded game."""

    key: str  #: What names it among all.
    game: GoGame
    decision: Decision
    seconds: float | None = None  #: For a move, on average; None if the record does not tell.
    ranked: bool | None = None  #: Whether it counted for ratings; None if the record does not tell.


@dataclass(slots=True)
class RecordedGames:
    """Candidates from SGF files; can be gone through again and again."""

    paths: Sequence[str]  #: Files, folders, patterns or archives.
    #: Records that could not be read in the latest pass.
    skipped: SkipReport = field(default_factory=SkipReport)
    by = "file"

    def __iter__(self) -> Iterator[Candidate]:
        from yardstone.records.sgf import SgfReader

        reader = SgfReader(*self.paths)
        self.skipped = reader.skipped
        for game in reader:
            key = file_key(game.file, game.number)
            yield Candidate(key, game, decision_of(game.result), clock_of_game(game), _ranked(game))


@dataclass(slots=True)
class ListedGames:
    """Candidates from lists of moves, joined to a table of results."""

    moves: Sequence[str]  #: Files, patterns or archives of lists of moves.
    results: Pool  #: Who played and who won, `first` being Black.
    key: str = "game_id"  #: The column of `results` that names a game, as the lists of moves do.
    #: `result`, `clock`, `ranked`: columns of `results` with the text of the result, the clock's
    #: words, and whether a game counted (1 or 0); '' if there is none.
    result: str = ""
    clock: str = ""
    ranked: str = ""
    #: Records that could not be read in the latest pass.
    skipped: SkipReport = field(default_factory=SkipReport)
    by = "name"

    def __post_init__(self) -> None:
        """Refuse names of columns that are not there."""
        for name in (self.key, self.result, self.clock, self.ranked):
            if name and name not in self.results.columns:
                known = ", ".join(self.results.columns) or "none"
                raise UsageError(f"the results have no column {name!r}, only {known}")

    def __iter__(self) -> Iterator[Candidate]:
        from yardstone.records.sgf import MoveListReader

        reader = MoveListReader(*self.moves, results=self.results, key=self.key)
        self.skipped = reader.skipped
        place = {str(name): row for row, name in enumerate(self.results.columns[self.key].tolist())}
        columns = self.results.columns
        for game in reader:
            key = game.properties["GN"][0]
            row = place[key]
            text = str(columns[self.result][row]) if self.result else game.result
            clock = str(columns[self.clock][row]) if self.clock else ""
            ranked = bool(columns[self.ranked][row]) if self.ranked else None
            seconds = seconds_a_move(clock=clock) if clock else None
            yield Candidate(key, game, decision_of(text), seconds, ranked)


def _ranked(game: GoGame) -> bool | None:
    """What servers write into a record's name, event or comment."""
    for name in ("GN", "EV", "GC", "RU"):
        match = _RANKED.search(" ".join(game.properties.get(name, ())))
        if match is not None:
            return not (match[1] or match[2])
    return None


def winner_known(game: GoGame) -> bool:
    """Whether the record names a winner, or a draw."""
    return game.winner in (BLACK, WHITE, DRAWN)


#: The rules in the order in which they are applied, with what each loses.
RULES = {
    "incomplete": "a player's name, the date or the winner is missing",
    "same player": "a player against himself",
    "board": "another size of board",
    "handicap": "handicap, or stones set up",
    "unranked": "did not count for ratings",
    "decision": "decided in a way that tells nothing",
    "draw": "a draw",
    "clock": "too little time for a move, or not known",
    "short": "too few moves",
    "early pass": "a pass in the opening",
    "illegal": "an illegal move",
    "repeated": "the same game again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What games must be like."""

    size: int | None = 19  #: Lines of the board; None takes all.
    even: bool = True  #: Leave out handicap and stones set up.
    dated: bool = True  #: Leave out games without a date.
    #: A move must have more than so many seconds, on average
    #: (`yardstone_lab.neubauer.experiment.games`); 0 takes all.
    seconds: float = 5.0
    #: Keep games whose record says nothing that is understood about the clock.
    unknown_clock: bool = True
    least_moves: int = 20  #: Moves that a game must have.
    ranked: bool = True  #: Leave out games that are marked as not counting for ratings.
    #: How games may have been decided; see `candidates.Decision`.
    decisions: tuple[str, ...] = (
        Decision.counted.value,
        Decision.unstated.value,
        Decision.resigned.value,
        Decision.timed_out.value,
    )
    draws: bool = False  #: Keep draws.
    #: A pass before this move is an early one; 0 lets players pass when they like.
    first_pass: int = 50

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        known = {each.value for each in Decision}
        if unknown := set(self.decisions) - known:
            raise UsageError(
                f"there is no decision {sorted(unknown)[0]!r}, but {', '.join(sorted(known))}"
            )
        if self.least_moves < 0 or self.first_pass < 0 or not self.seconds >= 0.0:
            raise UsageError("a filter is below 0")

    def failing(self, candidate: Candidate) -> list[str]:
        """The rules that a game breaks, by name, but for illegal and repeated ones."""
        game = candidate.game
        reasons = {
            "incomplete": not (game.black and game.white and winner_known(game))
            or (self.dated and bool(np.isnat(game.date))),
            "same player": bool(game.black) and game.black == game.white,
            "board": self.size is not None and game.size != self.size,
            "handicap": self.even and _uneven(game),
            "unranked": self.ranked and candidate.ranked is False,
            "decision": candidate.decision.value not in self.decisions,
            "draw": not self.draws and game.winner == DRAWN,
            "clock": self._too_fast(candidate.seconds),
            "short": len(game.moves) < self.least_moves,
            "early pass": bool((game.moves[: max(self.first_pass - 1, 0)] == PASS).any()),
        }
        return [name for name in RULES if reasons.get(name)]

    def _too_fast(self, seconds: float | None) -> bool:
        if seconds is None:
            return not self.unknown_clock
        return self.seconds > 0.0 and seconds <= self.seconds


@dataclass(slots=True)
class FilterReport:
    """Games lost to each rule."""

    games: int = 0  #: Games that were looked at.
    kept: int = 0
    #: By rule, the games that it was the first to leave out: these add up.
    first: Counter[str] = field(default_factory=Counter)
    #: By rule, the games that break it, whatever else they break. Illegal moves and repetitions are
    #: looked for in games that break no other rule.
    broken: Counter[str] = field(default_factory=Counter)
    unread: int = 0  #: Records that could not be read at all.

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: every rule, in order."""
        return {
            "games": self.games,
            "kept": self.kept,
            "unread": self.unread,
            "rules": [
                {
                    "rule": name,
                    "about": about,
                    "lost": self.first[name],
                    "broken": self.broken[name],
                }
                for name, about in RULES.items()
            ],
        }


def filtered(
    candidates: Iterable[Candidate], filters: Filters, report: FilterReport
) -> Iterator[Candidate]:
    """The games that keep all rules; `report` counts the others.

    Args:
        report: Filled as the games go by.
    """
    keys: set[str] = set()
    contents: set[bytes] = set()
    for candidate in candidates:
        report.games += 1
        broken = filters.failing(candidate)
        same = b"" if broken else _content(candidate.game)
        if not broken and (candidate.key in keys or same in contents):
            broken = ["repeated"]
        if not broken and not is_legal(candidate.game):
            broken = ["illegal"]
        if broken:
            report.first[broken[0]] += 1
            report.broken.update(broken)
            continue
        keys.add(candidate.key)
        contents.add(same)
        report.kept += 1
        yield candidate
    report.unread = len(getattr(candidates, "skipped", ()))


def is_legal(game: GoGame) -> bool:
    """Whether every move can be played (ko and suicide apart)."""
    from yardstone.go.inputs import game_positions

    try:
        return game_positions(game).illegal_at < 0
    except InputError:
        return False


def _content(game: GoGame) -> bytes:
    """A fingerprint of who played what when."""
    names = f"{game.black}\0{game.white}\0{game.date}\0".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(names + game.moves.tobytes(), digest_size=16).digest()


def _uneven(game: GoGame) -> bool:
    return game.handicap > 1 or len(game.setup_black) > 0 or len(game.setup_white) > 0


_POOL_FILE = ArrayFile("saved pool")
_SCORES = {BLACK: 1.0, DRAWN: 0.5}


def collect_pool(candidates: Iterable[Candidate], filters: Filters) -> tuple[Pool, FilterReport]:
    """A pool of the games that keep all rules.

    Returns:
        The pool in order of time, Black first, with the columns ``key``, ``decision`` and ``moves``
        (of the record, passes included), and the report.

    Raises:
        NoGamesError: No game is left; the message names the rule that most fell to.
    """
    report = FilterReport()
    black, white, score, time = [], [], [], []
    columns: dict[str, list[Any]] = {"key": [], "decision": [], "moves": []}
    track = parallel.Track("games")
    for candidate in filtered(candidates, filters, report):
        game = candidate.game
        black.append(game.black)
        white.append(game.white)
        score.append(_SCORES.get(game.winner, 0.0))
        time.append(game.date)
        columns["key"].append(candidate.key)
        columns["decision"].append(candidate.decision.value)
        columns["moves"].append(len(game.moves))
        if report.games % 500 == 0:
            track(report.games)
    if not black:
        if not report.games:
            raise NoGamesError("there is no game to make a pool of")
        rule, number = report.first.most_common(1)[0]
        raise NoGamesError(
            f"none of {report.games:,} games is left; {number:,} fell to the rule {rule!r}",
            hint="change the filters",
        )
    when = np.array(time, "datetime64[s]")
    pool = Pool.from_names(
        black, white, score, time=None if np.isnat(when).all() else when, columns=columns
    )
    return in_time_order(pool), report


def save_pool(pool: Pool, path: Path) -> None:
    """Write a pool to one file (numpy's npz, compressed)."""
    kept: dict[str, Any] = {
        "players": np.array(pool.players, np.str_),
        "first": pool.first,
        "second": pool.second,
        "score": pool.score,
    }
    if pool.time is not None:
        kept["time"] = pool.time
    kept |= {f"column_{name}": np.asarray(column) for name, column in pool.columns.items()}
    _POOL_FILE.write(path, kept)


def load_pool(path: Path) -> Pool:
    """Read what `save_pool` wrote.

    Raises:
        InputError: It is something else, or damaged.
    """
    return _POOL_FILE.read(path, _pool)


def _pool(kept: StoredArrays, _: object) -> Pool:
    columns = {
        name.removeprefix("column_"): kept[name] for name in kept if name.startswith("column_")
    }
    time = kept.get("time")
    pool = Pool(tuple(kept["players"].tolist()), kept["first"], kept["second"], kept["score"], time)
    return replace(pool, columns=columns)


#: How games were decided whose winner the network names.
JUDGED = (Decision.resigned.value, Decision.timed_out.value)
#: Games that are judged, or lost by a kill, together.
_BATCH = 512
_JUDGEMENTS_FILE = ArrayFile("file of judgements", compressed=False)


@dataclass(frozen=True, slots=True)
class JudgedReport:
    """What judging did to the results."""

    #: `games`, `kept`, `contrary`, `unsure`, `unseen`: games that were to be judged; those kept; of
    #: these, those whose winner is not the recorded one; those left out because the network is not
    #: sure; and those left out because it could not be shown them.
    games: int
    kept: int
    contrary: int
    unsure: int
    unseen: int


def judged_pool(
    pool: Pool,
    winrates: Mapping[str, float],
    *,
    sure: float = SURE,
    decisions: Collection[str] = JUDGED,
) -> tuple[Pool, JudgedReport]:
    """The pool with the network's winners, without the games it is not sure of.

    Args:
        pool: With the columns ``key`` and ``decision``.
        winrates: White's winrate in the last position, by key.
        sure: The least winrate, above 0.5 up to 1, that names a winner.
        decisions: How the games were decided that are to be judged.
    """
    if not 0.5 < sure <= 1.0:
        raise UsageError(f"sure is {sure:g}; it must be above 0.5 and up to 1")
    uncertain = np.isin(pool.columns["decision"], list(decisions))
    keys = pool.columns["key"].tolist()
    white = np.array([winrates.get(key, np.nan) for key in keys])
    unseen = uncertain & np.isnan(white)
    with np.errstate(invalid="ignore"):
        unsure = uncertain & ~unseen & (np.maximum(white, 1.0 - white) < sure)
        score = np.where(uncertain & ~unseen, np.where(white > 0.5, 0.0, 1.0), pool.score)
    kept = ~(unseen | unsure)
    report = JudgedReport(
        games=int(uncertain.sum()),
        kept=int((uncertain & kept).sum()),
        contrary=int((uncertain & kept & (score != pool.score)).sum()),
        unsure=int(unsure.sum()),
        unseen=int(unseen.sum()),
    )
    return replace(pool, score=score).select(kept), report


def last_winrates(
    candidates: Iterable[Candidate],
    keys: Collection[str],
    folder: Path,
    settings: ExtractionSettings,
) -> dict[str, float]:
    """White's winrate in the last position of games, before the passes that end them.

    Called again with the same folder it goes on where it was killed.

    Args:
        keys: Keys of the games to be looked at.
        folder: Keeps what is done; it exists.
        settings: Network, precision, rules and komi.
    """
    winrates: dict[str, float] = {}
    files = sorted(folder.glob("winrates-*.npz"))
    for path in files:
        winrates.update(_read(path))
    number = 1 + max((int(path.stem.rpartition("-")[2]) for path in files), default=-1)
    chosen = (each for each in candidates if each.key in keys and each.key not in winrates)
    network = find_network(settings.net).absolute()

    def keep(batch: _Judging, white: NDArray[np.float64]) -> None:
        _JUDGEMENTS_FILE.write(
            batch.path, {"key": np.array(batch.keys, np.str_), "white_winrate": white}
        )
        winrates.update(zip(batch.keys, white.tolist(), strict=True))
        track(len(winrates))

    with parallel.Track("judging", len(keys)) as track:
        parallel.map(
            _judge,
            _batches(chosen, folder, replace(settings, net=str(network)), number),
            total=-(-(len(keys) - len(winrates)) // _BATCH),
            receive=keep,
            files=[network],
        )
        track(len(keys))
    return {key: value for key, value in winrates.items() if not np.isnan(value)}


def _read(path: Path) -> dict[str, float]:
    return _JUDGEMENTS_FILE.read(
        path,
        lambda file, _: dict(
            zip(file["key"].tolist(), file["white_winrate"].tolist(), strict=True)
        ),
    )


@dataclass(frozen=True, slots=True)
class _Judging:
    """Games that one worker judges into one file."""

    path: Path
    keys: tuple[str, ...]
    games: tuple[GoGame, ...]
    settings: ExtractionSettings


def _batches(
    candidates: Iterable[Candidate], folder: Path, settings: ExtractionSettings, number: int
) -> Iterator[_Judging]:
    remaining = iter(candidates)
    while batch := tuple(islice(remaining, _BATCH)):
        yield _Judging(
            folder / f"winrates-{number:05d}.npz",
            tuple(each.key for each in batch),
            tuple(plain(each.game) for each in batch),
            settings,
        )
        number += 1


def _judge(batch: _Judging) -> NDArray[np.float64]:
    """Ask the network about the last positions of a batch; done in a worker."""
    from yardstone.go.analysis import judge_games
    from yardstone.go.rules import parse_rules

    settings = batch.settings
    rules = None if settings.rules is None else parse_rules(settings.rules)
    place = {id(game): row for row, game in enumerate(batch.games)}
    winrate = np.full(len(batch.games), np.nan)
    for judged in judge_games(batch.games, load(settings), rules=rules, komi=settings.komi):
        winrate[place[id(judged.game)]] = judged.white_winrate
    return winrate
