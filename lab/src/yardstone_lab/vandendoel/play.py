"""Matches of GNU Backgammon against itself: players that err, their settings, results and files."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from importlib.resources import files
from itertools import product
from pathlib import Path
from threading import Event
from typing import IO, Any, Self

from yardstone import parallel
from yardstone.backgammon.gnubg import (
    TIMEOUT,
    find_clock,
    find_gnubg,
    gnubg_version,
    inside,
    run_script,
    same_gnubg,
)
from yardstone.errors import InputError, UsageError, WorkerError
from yardstone.files import changing, unwritable

__all__ = [
    "MatchJob",
    "MatchSetting",
    "NoisyPlayer",
    "play_match",
    "ADVANCED",
    "BEGINNER",
    "CUBE_NOISES",
    "EXPERT",
    "INTERMEDIATE",
    "LENGTHS",
    "LENGTHS_WITH_CUBE",
    "MATCHES",
    "MOVE_NOISES",
    "PAIRINGS",
    "WORLD_CLASS",
    "PUBLISHED_MEASUREMENTS",
    "depth_check",
    "measurements",
    "part_one",
    "part_two",
    "strong_check",
    "ResultsFile",
    "read_results",
    "PlayedMatches",
    "in_rounds",
    "play_jobs",
]

#: Longest match that GNU Backgammon plays with its match equity table.
LONGEST = 64
#: Deepest search that is of use here.
DEEPEST = 4
#: The clocks lie between 1973 and 2036 (seconds since 1970).
_FIRST_CLOCK, _CLOCKS = 100_000_000, 2_000_000_000
#: Noise is kept to so many parts of one when it enters a seed.
_PARTS = 1_000_000
#: Names of the two players inside GNU Backgammon.
_NAMES = ("first", "second")


@dataclass(frozen=True, slots=True)
class NoisyPlayer:
    """How a player of a match thinks."""

    #: `chequer_noise`, `cube_noise`: standard deviation of the noise added to the outputs of the
    #: evaluation, in chequer play and in cube decisions; 0 for none.
    chequer_noise: float = 0.0
    cube_noise: float = 0.0
    plies: int = 0  #: Depth of the search, from 0.
    cube_plies: int = -1  #: Depth in cube decisions, if it is another one.

    def __post_init__(self) -> None:
        for noise in (self.chequer_noise, self.cube_noise):
            if not 0.0 <= noise <= 10.0:
                raise UsageError(f"noise of {noise:g}: it lies between 0 and 10")
        if self.cube_plies == -1:
            object.__setattr__(self, "cube_plies", self.plies)
        for plies in (self.plies, self.cube_plies):
            if not 0 <= plies <= DEEPEST:
                raise UsageError(f"{plies} plies: give 0 to {DEEPEST}")

    def __str__(self) -> str:
        if self.chequer_noise == self.cube_noise:
            noise = f"noise {self.chequer_noise:g}"
        else:
            noise = f"noise {self.chequer_noise:g} and {self.cube_noise:g} (cube)"
        cube = "" if self.cube_plies == self.plies else f" ({self.cube_plies}-ply cube)"
        return f"{self.plies}-ply{cube}, {noise}"


@dataclass(frozen=True, slots=True)
class MatchSetting:
    """A cell of a study: who plays whom, how long, and how it is analysed."""

    length: int  #: Points to win.
    #: `first`, `second`: GNU Backgammon's player 0 (``X``) and player 1 (``O``). Who begins is
    #: decided by the dice.
    first: NoisyPlayer
    second: NoisyPlayer
    #: Plies of each analysis of the match; luck is analysed at 0 plies.
    analyses: tuple[int, ...] = (0,)
    #: Noise computed from the position in place of random noise. It is GNU Backgammon's default,
    #: and biased by 6.9 standard deviations: only for showing that.
    deterministic: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.length <= LONGEST:
            raise UsageError(f"a match of {self.length} points: give 1 to {LONGEST}")
        if not self.analyses or not all(0 <= plies <= DEEPEST for plies in self.analyses):
            raise UsageError(f"analyses at {self.analyses} plies: give 0 to {DEEPEST}")
        if len(set(self.analyses)) < len(self.analyses):
            raise UsageError(f"analyses at {self.analyses} plies: give each depth once")

    def __str__(self) -> str:
        mode = ", deterministic noise" if self.deterministic else ""
        return f"{self.length} points, {self.first} against {self.second}{mode}"

    @property
    def noise_mode(self) -> str:
        """``random`` or ``deterministic``."""
        return "deterministic" if self.deterministic else "random"

    def as_record(self) -> dict[str, Any]:
        """The setting in plain words, as results files have it."""
        return {
            "length": self.length,
            "first": asdict(self.first),
            "second": asdict(self.second),
            "analyses": list(self.analyses),
            "noise": self.noise_mode,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> MatchSetting:
        """Read back what `as_record` wrote.

        Raises:
            KeyError, TypeError, ValueError, UsageError: It is no such record.
        """
        return cls(
            int(record["length"]),
            NoisyPlayer(**record["first"]),
            NoisyPlayer(**record["second"]),
            tuple(int(plies) for plies in record["analyses"]),
            {"random": False, "deterministic": True}[record["noise"]],
        )


@dataclass(frozen=True, slots=True)
class MatchJob:
    """One match of a setting."""

    setting: MatchSetting
    number: int  #: Which match of the setting, from 0.
    seed: int  #: Seed of the whole study.

    def seeds(self) -> tuple[int, int]:
        """Seed of the dice, and the clock (seconds since 1970) that seeds the noise."""
        import numpy as np

        # The analyses do not enter: a match analysed otherwise is the same match.
        setting = self.setting
        key = [setting.length, int(setting.deterministic)]
        for player in (setting.first, setting.second):
            key += [round(player.chequer_noise * _PARTS), round(player.cube_noise * _PARTS)]
            key += [player.plies, player.cube_plies]
        sequence = np.random.SeedSequence(self.seed, spawn_key=(*key, self.number))
        dice, clock = (int(word) for word in sequence.generate_state(2))
        return dice >> 1, _FIRST_CLOCK + clock % _CLOCKS


def play_match(
    job: MatchJob,
    *,
    program: Path | None = None,
    frozen: bool = True,
    timeout: float = TIMEOUT,
    export: bool = False,
    stop: Event | None = None,
) -> dict[str, Any]:
    """Play a match, analyse it, and give everything GNU Backgammon says about it.

    Args:
        program: GNU Backgammon.
        frozen: Let the clock stand still, so that the same job gives the same match. Without it (no
            libfaketime) random noise is new each time, and the record says so.
        timeout: Seconds until the match is given up.
        export: Keep the match itself, as the text of a ``.mat`` file.
        stop: Once it is set, the match is broken off.

    Returns:
        The setting (as `Setting.as_record`), ``number``, ``seed``, ``dice``, ``clock`` (null if it
            ran), ``winner`` (``X`` or ``O``), ``games``, ``score``, and ``analyses``: for each
            depth ``stats`` exactly as GNU Backgammon gives them and ``close``, the close cube
            decisions by the rules of 2003 and 2006; with `export` also ``mat``.

    Raises:
        WorkerError: GNU Backgammon crashed, hung, or gave no complete match.
    """
    dice, clock = job.seeds()
    setting = job.setting
    data = {
        "length": setting.length,
        "players": [asdict(setting.first), asdict(setting.second)],
        "analyses": list(setting.analyses),
        "deterministic": setting.deterministic,
        "dice": dice,
        "names": _NAMES,
        "export": export,
    }
    done = run_script(
        _script(),
        data=data,
        program=program,
        timeout=timeout,
        clock=clock if frozen else None,
        stop=stop,
    )
    answer = done.result
    if answer is None:
        raise WorkerError(f"GNU Backgammon gave no result: {_last_words(done.output, done.errors)}")
    games = answer["games"]
    score = {"X": 0, "O": 0}
    for game in games:
        if game.get("winner") not in score:
            raise WorkerError("GNU Backgammon left a game without a winner")
        score[game["winner"]] += game["points-won"]
    winner = max(score, key=lambda who: score[who])
    if score[winner] < setting.length:
        raise WorkerError(f"GNU Backgammon left the match at {score['X']} to {score['O']}")
    return {
        **setting.as_record(),
        "number": job.number,
        "seed": job.seed,
        "dice": dice,
        "clock": clock if frozen else None,
        "winner": winner,
        "games": len(games),
        "score": [score["X"], score["O"]],
        **{name: answer[name] for name in ("analyses", "mat") if name in answer},
    }


@lru_cache(maxsize=1)
def _script() -> str:
    """What runs inside GNU Backgammon."""
    play = files("yardstone_lab.vandendoel").joinpath("_gnubg_play.py").read_text(encoding="utf-8")
    return inside(f"{play}\n\nplay()")


def _last_words(*streams: str) -> str:
    lines = [line.strip() for stream in streams for line in stream.splitlines() if line.strip()]
    return " / ".join(lines[-3:])[:300] or "it said nothing"


#: GNU Backgammon's levels by their noise; a beginner's is 0.06.
EXPERT, ADVANCED, INTERMEDIATE, BEGINNER = 0.0, 0.015, 0.04, 0.06
#: Plies of its level "world class".
WORLD_CLASS = 2

#: Part I: match lengths, noise of the two players, matches of each cell.
LENGTHS = (1, 3, 5, 7, 11, 23)
PAIRINGS = (
    (0.0, 0.005),
    (0.0, 0.015),
    (0.0, 0.02),
    (0.0, 0.04),
    (0.0, 0.06),
    (0.04, 0.06),
)
#: Part II: match lengths, and noise of the second player in chequer play and cube decisions.
LENGTHS_WITH_CUBE = (3, 5, 7, 11, 23)
MOVE_NOISES = (0.0, 0.02, 0.04, 0.06)
CUBE_NOISES = (0.05, 0.1, 0.4, 0.8)
#: Matches of a cell as published.
MATCHES = {"part1": 1000, "part2": 500, "depth": 40, "strong": 100, "appendix": 1000}


def part_one(
    lengths: Sequence[int] = LENGTHS,
    pairings: Sequence[tuple[float, float]] = PAIRINGS,
    *,
    deterministic: bool = False,
) -> list[MatchSetting]:
    """Both players with equal noise in chequer play and cube decisions (Part I)."""
    return [
        MatchSetting(
            length, NoisyPlayer(one, one), NoisyPlayer(two, two), deterministic=deterministic
        )
        for length, (one, two) in product(lengths, pairings)
    ]


def part_two(
    lengths: Sequence[int] = LENGTHS_WITH_CUBE,
    move_noises: Sequence[float] = MOVE_NOISES,
    cube_noises: Sequence[float] = CUBE_NOISES,
    *,
    deterministic: bool = False,
) -> list[MatchSetting]:
    """An expert against players of separate noise in chequer play and in cube decisions (Part II).

    Raises:
        UsageError: A match of one point, which has no cube.
    """
    if any(length < 2 for length in lengths):
        raise UsageError("part 2 needs matches of 2 points or more: a single point has no cube")
    return [
        MatchSetting(length, NoisyPlayer(), NoisyPlayer(moves, cube), deterministic=deterministic)
        for length, moves, cube in product(lengths, move_noises, cube_noises)
    ]


def depth_check() -> list[MatchSetting]:
    """Matches analysed at 0 and at 2 plies, to see whether they differ in DEPD."""
    return [
        MatchSetting(5, NoisyPlayer(), NoisyPlayer(ADVANCED, ADVANCED), analyses=(0, WORLD_CLASS))
    ]


def strong_check() -> list[MatchSetting]:
    """World class against expert, analysed at 2 plies, to see whether the formula holds there."""
    return [MatchSetting(3, NoisyPlayer(plies=WORLD_CLASS), NoisyPlayer(), analyses=(WORLD_CLASS,))]


#: What Appendix II says of them: rating difference and the ends of its 90 % interval.
PUBLISHED_MEASUREMENTS = {
    "expInt-intExp:5": (472.0, 451.0, 493.0),
    "expBeg-advExp:5": (115.0, 103.0, 127.0),
    "expExp-expBeg:5": (31.0, 21.0, 41.0),
    "expExp-expBeg:11": (29.0, 23.0, 36.0),
    "expExp-expBeg2:5": (191.0, 176.0, 206.0),
    "wclassWclass-wclassExp:5": (6.0, -15.0, 27.0),
    "1-ply-0-ply:5": (13.0, -4.0, 30.0),
}


def measurements() -> dict[str, MatchSetting]:
    """The matches of Appendix II by their names there: level in chequer play, level with the cube.

    `expInt` is an expert at chequer play and an intermediate with the cube.
    """
    expert = NoisyPlayer()
    poor_cube = NoisyPlayer(EXPERT, BEGINNER)
    return {
        "expInt-intExp:5": MatchSetting(
            5, NoisyPlayer(EXPERT, INTERMEDIATE), NoisyPlayer(INTERMEDIATE, EXPERT)
        ),
        "expBeg-advExp:5": MatchSetting(5, poor_cube, NoisyPlayer(ADVANCED, EXPERT)),
        "expExp-expBeg:5": MatchSetting(5, expert, poor_cube),
        "expExp-expBeg:11": MatchSetting(11, expert, poor_cube),
        "expExp-expBeg2:5": MatchSetting(5, expert, NoisyPlayer(EXPERT, 1.0)),
        "wclassWclass-wclassExp:5": MatchSetting(
            5, NoisyPlayer(plies=WORLD_CLASS), NoisyPlayer(plies=WORLD_CLASS, cube_plies=0)
        ),
        "1-ply-0-ply:5": MatchSetting(5, NoisyPlayer(plies=1), expert),
    }


#: A line of results is some kilobytes; with a whole match exported some dozens.
_LONGEST_LINE = 4 * 2**20


class ResultsFile:
    """A file of results open for more; only one run at a time may have it.

    Attributes:
        done: The matches that the file already has, without those that failed.

    Raises:
        InputError: The file cannot be written, another run writes to it, or a line of it is no
            result.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: set[MatchJob] = set()
        self._lock = threading.Lock()
        self._claim = ExitStack()
        try:
            self._file: IO[bytes] = path.open("a+b")
        except OSError as error:
            raise unwritable(error, path) from error
        try:
            self._claim.enter_context(changing(path, wait=0.0))
            self._drop_torn_line()
            self.done = {_job(record) for _, record in read_results(path) if "failed" not in record}
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._claim:
            self._file.close()

    def append(self, record: dict[str, Any]) -> None:
        """Add a line, whole, and hand it to the disk; any thread may call this."""
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            try:
                self._file.write(line)
                self._file.flush()
            except OSError as error:
                raise unwritable(error, self.path) from error

    def _drop_torn_line(self) -> None:
        end = self._file.seek(0, 2)
        start = max(0, end - _LONGEST_LINE)
        self._file.seek(start)
        tail = self._file.read()
        whole = tail.rfind(b"\n") + 1
        if whole < len(tail):
            self._file.truncate(start + whole)
        self._file.seek(0, 2)


def read_results(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a results file with their numbers, failed matches too.

    A last line without an end is left out: a run was killed while it wrote.

    Raises:
        InputError: The file cannot be read, or a line of it is no result.
    """
    with _opened(path) as file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), start=1):
            if not line.endswith(b"\n"):
                if len(line) < _LONGEST_LINE:
                    return
                raise _no_result(path, number, "it is too long")
            try:
                record = json.loads(line)
                _job(record)
            except (
                ArithmeticError,
                ValueError,
                KeyError,
                TypeError,
                UsageError,
                RecursionError,
            ) as error:
                raise _no_result(path, number, str(error)) from None
            yield number, record


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    with file:
        yield file


def _no_result(path: Path, line: int, why: str) -> InputError:
    return InputError(
        f"this line is no result of a match: {why[:80]}",
        file=str(path),
        line=line,
        hint="name a file that `yardstone backgammon play` or `study` wrote",
    )


def _job(record: Any) -> MatchJob:
    if not isinstance(record, dict):
        raise TypeError("it is not a JSON object")
    return MatchJob(MatchSetting.from_record(record), int(record["number"]), int(record["seed"]))


#: GNU Backgammon sleeps most of the time, so several processes share a core.
PROCESSES_A_CORE = 6
#: Matches of each setting that are played before the next setting's turn.
ROUND = 25


@dataclass(frozen=True, slots=True)
class PlayedMatches:
    """What a run did."""

    played: int  #: `played`, `kept`: matches played now, and those the file already had.
    kept: int
    failed: tuple[str, ...]  #: The matches that failed, and why.


def in_rounds(
    settings: Sequence[MatchSetting], matches: int, seed: int, *, first: int = 0, size: int = ROUND
) -> list[MatchJob]:
    """The jobs of all settings, a few matches of each in turn, so that all fill evenly."""
    return [
        MatchJob(setting, number, seed)
        for start in range(first, matches, size)
        for setting in settings
        for number in range(start, min(start + size, matches))
    ]


def play_jobs(
    jobs: Iterable[MatchJob],
    path: Path,
    *,
    program: Path | None = None,
    frozen: bool = True,
    timeout: float = TIMEOUT,
    export: bool = False,
) -> PlayedMatches:
    """Play the matches that a results file lacks; append each as it comes.

    A match that fails costs itself only: it becomes a line with ``failed``, and
    is tried again the next time. Ctrl-C, or a kill, leaves a file that the same call
    takes up again.

    Args:
        path: The results file; made if it is not there.
        program: GNU Backgammon.
        frozen: Matches that can be repeated; needs libfaketime.
        timeout: Seconds until a match is given up.
        export: Keep each match as text too.

    Raises:
        InputError: GNU Backgammon or libfaketime is missing, or the file is no results file.
    """
    version = gnubg_version(find_gnubg(program))
    if frozen and find_clock() is None:
        raise InputError(
            "libfaketime is not installed, without which a match cannot be repeated",
            hint="apt-get install faketime, or ask for matches that cannot be repeated",
        )
    stop = parallel.StopEvent()
    with ResultsFile(path) as results:
        ordered = list(dict.fromkeys(jobs))
        todo = [job for job in ordered if job not in results.done]
        play = partial(
            _played,
            version=version,
            program=program,
            frozen=frozen,
            timeout=timeout,
            export=export,
            stop=stop,
        )

        def keep(job: MatchJob, record: dict[str, Any]) -> str | None:
            results.append(record)
            failure = record.get("failed")
            return None if failure is None else f"{job.setting}, match {job.number}: {failure}"

        try:
            reports: list[Any] = parallel.map(
                play,
                todo,
                what="playing",
                cores=1 / PROCESSES_A_CORE,
                threads=True,
                receive=keep,
                resource="gnubg",
            )
        except BaseException:
            stop.set()
            raise
    failed = tuple(line for line in reports if line is not None)
    return PlayedMatches(len(todo) - len(failed), len(ordered) - len(todo), failed)


def _played(
    job: MatchJob,
    *,
    version: str,
    program: Path | None,
    frozen: bool,
    timeout: float,
    export: bool,
    stop: threading.Event,
) -> dict[str, Any]:
    """The line of a results file about a match that was played, or failed, on this machine."""
    there = same_gnubg(version, program)
    try:
        record = play_match(
            job, program=there, frozen=frozen, timeout=timeout, export=export, stop=stop
        )
    except WorkerError as error:
        about = {"number": job.number, "seed": job.seed, "failed": str(error)}
        return {**job.setting.as_record(), **about}
    return {**record, "program": version, "processor": processor()}


def processor() -> str:
    """Name of this machine's processor.

    The fourth digit of GNU Backgammon's statistics depends on it: most likely through
    the approximate reciprocal of its networks, which makers round in their own ways.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return os.uname().machine if hasattr(os, "uname") else "unknown"
