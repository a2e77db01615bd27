"""Analyses files of matches with GNU Backgammon, one process for many.

GNU Backgammon ends with status 0 whatever happens, keeps a match that it could read
only in part, and shortens a game at a move it does not understand. So what it says
on both streams is read, and each game must have a winner; else the file is refused,
with the reason that it gave.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from signal import Signals
from typing import Any, Literal

from yardstone import parallel
from yardstone.backgammon.gnubg import (
    Completed,
    Processes,
    find_gnubg,
    gnubg_version,
    inside,
    run_script,
    same_gnubg,
)
from yardstone.backgammon.positions import Position
from yardstone.choices import check_number
from yardstone.errors import InputError, UsageError, WorkerError
from yardstone.files import unwritable
from yardstone.records.sources import (
    ArchiveTooLarge,
    Source,
    find_files,
    is_archive,
    members_of,
    plain_ending,
)

#: What GNU Backgammon can import, as its command calls it; ``sgf`` is its own format.
IMPORTS = (
    "auto", "mat", "gam", "oldmoves", "empire", "party", "bgroom",
    "pos", "sgg", "snowietxt", "tmg", "sgf",
)  # fmt: skip
#: Version of what is kept of an analysis: another one is made anew.
FORMAT = 2
#: Deepest search offered.
DEEPEST = 4
#: Seconds that a file may take, by plies.
_TIMEOUTS = (300.0, 1800.0, 7200.0, 36_000.0, 36_000.0)
_COMPLAINT = re.compile(
    r"not a valid|not recogni[sz]ed|^Unrecognised move|^WARNING: Invalid move|"
    r"^Illegal|^Error|does not exist|cannot|could not|unable to",
    re.IGNORECASE,
)
#: What is no complaint, or none that matters: some sites write a loss beside the win.
_HARMLESS = re.compile(
    r'will (not )?|has been set|^Copyright|WARRANTY|^Unrecognised move "Losses \d', re.IGNORECASE
)

Status = Literal["analysed", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """How matches are analysed."""

    #: `plies`, `cube_plies`: depth of the search for chequer play and for the cube, from 0. Luck is
    #: always analysed at 0 plies.
    plies: int = 0
    cube_plies: int = 0
    kind: str = "auto"  #: One of `IMPORTS`: the format of the files.

    def __post_init__(self) -> None:
        for plies in (self.plies, self.cube_plies):
            if not 0 <= plies <= DEEPEST:
                raise UsageError(f"{plies} plies: give 0 to {DEEPEST}")
        if self.kind not in IMPORTS:
            raise UsageError(f"no format {self.kind!r}: choose from {', '.join(IMPORTS)}")


@dataclass(frozen=True)
class FileAnalysis:
    """What became of one file."""

    file: str  #: Its name.
    #: Refused: it holds no whole match. Failed: GNU Backgammon crashed, hung or gave nothing;
    #: another try may help.
    status: Status
    reason: str = ""  #: Why it was refused or failed.
    #: What `_gnubg.analyse_file` left: ``match``, ``analysis``, ``errors``, ``decisions``.
    content: dict[str, Any] | None = None


def analyse_files(
    matches: Iterable[MatchFile],
    settings: AnalysisSettings | None = None,
    *,
    ledger: AnalysisFile | None = None,
    program: Path | None = None,
    timeout: float | None = None,
) -> list[FileAnalysis]:
    """Analyse files of matches; what a ledger holds already is not done again.

    Args:
        settings: Depth and format.
        ledger: Where each result is kept as it comes, by the content of the file, the depth and the
            version of GNU Backgammon: a run that was killed goes on from there.
        program: GNU Backgammon.
        timeout: Seconds until a file is given up; by default by the depth, 300 at 0 plies.

    Returns:
        In the order of the files. Of equal files only the first counts.
    """
    settings = settings or AnalysisSettings()
    version = gnubg_version(find_gnubg(program))
    listed: list[tuple[MatchFile, str]] = []
    results: dict[str, FileAnalysis] = {}
    todo: dict[str, MatchFile] = {}
    for match in matches:
        try:
            key = _key(match, settings, version)
        except InputError as error:
            listed.append((replace(match, problem=error.message), ""))
            continue
        listed.append((match, key))
        if key in results or key in todo:
            continue
        kept = ledger.get(key) if ledger is not None else None
        if kept is not None and kept["status"] != "failed":
            results[key] = FileAnalysis(match.name, kept["status"], kept["reason"], kept["found"])
        else:
            todo[key] = match
    stop = parallel.StopEvent()

    def keep(item: tuple[str, MatchFile], made: FileAnalysis) -> FileAnalysis:
        if ledger is not None:
            about = {"file": made.file, "status": made.status, "reason": made.reason}
            ledger.put(item[0], {**about, "found": made.content, "how": asdict(settings)})
        return made

    with Processes() as processes:
        work = partial(
            _analysed,
            settings=settings,
            version=version,
            program=program,
            timeout=timeout,
            stop=stop,
            processes=processes,
        )
        try:
            made = parallel.map(
                work,
                (
                    (key, MatchFile(match.name, None, data=match.read()))
                    for key, match in todo.items()
                ),
                what="analysing",
                total=len(todo),
                threads=True,
                receive=keep,
                resource="gnubg",
            )
        except BaseException:
            stop.set()  # so that no process outlives the work
            raise
    results.update(zip(todo, made, strict=True))
    analyses = []
    first_names: dict[str, str] = {}
    for match, key in listed:
        if match.problem:
            analysis = FileAnalysis(match.name, "refused", match.problem)
        elif key in first_names and results[key].status == "analysed":
            analysis = FileAnalysis(match.name, "refused", f"the same match as {first_names[key]}")
        else:
            first_names.setdefault(key, match.name)
            analysis = replace(results[key], file=match.name)
        analyses.append(analysis)
    return analyses


def _analysed(
    item: tuple[str, MatchFile],
    *,
    settings: AnalysisSettings,
    version: str,
    program: Path | None,
    timeout: float | None,
    stop: threading.Event,
    processes: Processes,
) -> FileAnalysis:
    """Analyse a file; done in a thread, or on another machine."""
    program = same_gnubg(version, program)
    return analyse_file(
        item[1], settings, program=program, timeout=timeout, stop=stop, processes=processes
    )


def _key(match: MatchFile, settings: AnalysisSettings, version: str) -> str:
    """What the result depends on, as one short text."""
    about = json.dumps([FORMAT, asdict(settings), match.ending, version]).encode()
    return hashlib.sha256(about + b"\0" + match.read()).hexdigest()[:32]


def analyse_file(
    match: MatchFile,
    settings: AnalysisSettings | None = None,
    *,
    program: Path | None = None,
    timeout: float | None = None,
    stop: threading.Event | None = None,
    processes: Processes | None = None,
) -> FileAnalysis:
    """Analyse one file: arguments as for `analyse_files`, the process is killed once `stop` is set.

    With `processes` it is done by one of these, which stays there if the match was sound.
    Whatever stands in the file is no error; that GNU Backgammon is not there is an InputError.
    """
    settings = settings or AnalysisSettings()
    try:
        data = match.read()
    except InputError as error:
        return FileAnalysis(match.name, "refused", error.message)
    if not data:
        return FileAnalysis(match.name, "refused", "it holds nothing")
    program = find_gnubg(program)
    for kind in _attempts(match.ending, data, settings.kind):
        analysis = _attempt(match, data, kind, settings, program, timeout, stop, processes)
        if analysis.status != "refused" or analysis.content is not None:
            break
    return analysis


def _attempts(ending: str, data: bytes, kind: str) -> list[str]:
    """The imports to try, one after the other."""
    if kind != "auto":
        return [kind]
    if ending == ".sgf" or data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"(;"):
        return ["sgf"]
    named = ending.removeprefix(".")
    return ["auto", *([named] if named in IMPORTS and named not in ("auto", "mat") else [])]


def _attempt(
    match: MatchFile,
    data: bytes,
    kind: str,
    settings: AnalysisSettings,
    program: Path,
    timeout: float | None,
    stop: threading.Event | None,
    processes: Processes | None,
) -> FileAnalysis:
    """What becomes of a match by one import."""
    short = "match" + (match.ending if re.fullmatch(r"\.[a-z0-9]{1,12}", match.ending) else "")
    command = f'load match "{short}"' if kind == "sgf" else f'import {kind} "{short}"'
    plies, cube_plies = settings.plies, settings.cube_plies
    try:
        done = run_script(
            inside("analyse_file()"),
            data={"file": short, "import": command, "plies": plies, "cube_plies": cube_plies},
            files={short: data},
            program=program,
            timeout=timeout or _TIMEOUTS[max(plies, cube_plies)],
            stop=stop,
            processes=processes,
            sound=lambda done: (
                kind != "sgf" and _judge(match.name, short, done).status == "analysed"
            ),
        )
    except WorkerError as error:
        return FileAnalysis(match.name, "failed", str(error))
    return _judge(match.name, short, done)


def _judge(name: str, short: str, done: Completed) -> FileAnalysis:
    """What became of a match, by what GNU Backgammon left and said."""
    say = partial(FileAnalysis, name)
    complaint = _complaint(f"{done.errors}\n{done.output}", short)
    content = done.result
    if content is None:
        return say("failed", _crash(done))
    if content["match"] is None:
        return say("refused", f"GNU Backgammon: {complaint or 'there is no match'}")
    if problem := _problem(content["match"], complaint):
        content |= {"analysis": None, "errors": [], "decisions": []}
        return say("refused", problem, content)
    if content["analysis"] is None:
        return say("failed", "GNU Backgammon gave no analysis")
    return say("analysed", content=content)


def _crash(done: Completed) -> str:
    """Why there is no result."""
    if done.status < 0:
        with suppress(ValueError):
            return f"GNU Backgammon crashed ({Signals(-done.status).name}): {done.last_words}"
    return f"GNU Backgammon gave no result (exit status {done.status}): {done.last_words}"


def _problem(match: dict[str, Any], complaint: str) -> str:
    """Why a match that was imported cannot be trusted; empty if it can."""
    if complaint:
        return f"GNU Backgammon: {complaint}"
    if match["variation"] not in ("", "Standard"):
        return f"{match['variation']} is another game than standard backgammon"
    if match["more_games"]:
        return f"more than {len(match['games'])} games: not a match"
    if not match["games"]:
        return "it contains no games"
    for number, game in enumerate(match["games"], 1):
        if game.get("winner") not in ("X", "O"):
            return f"game {number} has no winner: the file is cut short or holds an invalid move"
    return ""


def _complaint(output: str, short: str) -> str:
    """The first line in which GNU Backgammon finds fault with the file."""
    for line in output.splitlines():
        text = line.strip()
        if _COMPLAINT.search(text) and not _HARMLESS.search(text):
            text = text.replace(f"'{short}'", "the file").replace(f"{short}: ", "")
            return "".join(letter for letter in text if letter.isprintable())[:200]
    return ""


#: GNU Backgammon's classes of positions by number: which network or database evaluates them.
GNUBG_CLASSES = {
    0: "over", 4: "bear-off", 5: "bear-off", 6: "bear-off", 7: "bear-off", 8: "race",
    9: "crashed", 10: "contact",
}  # fmt: skip
#: Seconds for one position, by plies.
_POSITION_TIMEOUTS = (60.0, 60.0, 120.0, 600.0, 3600.0)


@dataclass(frozen=True)
class EvaluatedMove:
    """A move in the usual notation, with its equity, normalised, of the player on roll.

    `chances` are the probabilities after it that the player wins, wins a gammon or more, a
    backgammon, loses a gammon or more, a backgammon.
    """

    move: str
    equity: float
    chances: tuple[float, ...]


@dataclass(frozen=True)
class PositionEvaluation:
    """What GNU Backgammon says of a position; frozen."""

    gnubg: str  #: Its version.
    plies: int
    cube_plies: int
    position_class: str  #: One of `GNUBG_CLASSES`.
    #: The best moves, best first; empty before the roll and where none is legal.
    moves: tuple[EvaluatedMove, ...] = ()
    #: `no_double`, `take`: normalised equities, of the player on roll, without a double and after a
    #: double that is taken; one that is passed is 1. None after the roll.
    no_double: float | None = None
    take: float | None = None
    #: What to do with the cube, in GNU Backgammon's words; empty where there is no decision.
    verdict: str = ""
    chances: tuple[float, ...] = ()  #: As in `EvaluatedMove`, before the roll; empty after it.


def evaluate_position(
    position: Position,
    *,
    plies: int = 2,
    cube_plies: int | None = None,
    moves: int = 5,
    program: Path | None = None,
    timeout: float | None = None,
) -> PositionEvaluation:
    """Evaluate a position with GNU Backgammon.

    Args:
        plies, cube_plies: Depth of the search for moves and for the cube, from 0; the same by
            default.
        moves: The most that are kept.
        program: GNU Backgammon.
        timeout: Seconds.

    Raises:
        InputError: GNU Backgammon is not there.
        WorkerError: It crashed, took too long, or understood another position.
    """
    cube_plies = plies if cube_plies is None else cube_plies
    for name, number in (("plies", plies), ("cube_plies", cube_plies)):
        check_number(name, number, least=0, most=DEEPEST, whole=True)
    check_number("moves", moves, least=1, whole=True)
    program = find_gnubg(program)
    job = {
        "gnu_id": position.gnu_id,
        "position": position.position_id,
        "dice": list(position.dice),
        "beavers": position.beavers,
    }
    done = run_script(
        inside("evaluate_position()"),
        data={**job, "plies": plies, "cube_plies": cube_plies, "moves": moves},
        program=program,
        timeout=timeout or _POSITION_TIMEOUTS[max(plies, cube_plies)],
    )
    content = done.result
    if content is None:
        raise WorkerError(f"GNU Backgammon gave no result: {done.last_words}")
    if content["position"] != position.position_id:
        raise WorkerError(
            f"GNU Backgammon understood {content['position']} in place of {position.position_id}"
        )
    answer: dict[str, Any] = {}
    if position.dice:
        answer["moves"] = tuple(
            EvaluatedMove(move, equity, tuple(chances))
            for move, equity, chances in content["moves"]
        )
    else:
        answer = {"no_double": content["no_double"], "chances": tuple(content["chances"])}
        if not position.crawford and position.owner in (None, position.on_roll):
            answer |= {"take": content["take"], "verdict": content["verdict"]}
    kind = GNUBG_CLASSES.get(content["class"], "unknown")
    return PositionEvaluation(gnubg_version(program), plies, cube_plies, kind, **answer)


#: Longer lines are not ours.
_LONGEST_LINE = 16 << 20
_KEYS = {"key", "file", "status", "reason", "found"}


class AnalysisFile:
    """Analyses by key, kept in a file of JSON lines; the last one of a key counts.

    Safe to use from several threads.

    Args:
        path: The file; made with the first result if it does not exist.

    Raises:
        InputError: The file cannot be read, or is another kind of file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        #: Lines that were cut off.
        self.damaged = 0
        self._places: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._ends_in_line = False
        if path.exists():
            self._scan()

    def __len__(self) -> int:
        return len(self._places)

    def _scan(self) -> None:
        start = 0
        try:
            with self.path.open("rb") as file:
                for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
                    key = self._key(line)
                    if key is not None:
                        self._places[key] = (start, len(line))
                    elif line.strip():
                        self.damaged += 1
                        if number == 1 and line.endswith(b"\n"):
                            raise InputError(
                                "this is not a file of analyses",
                                file=str(self.path),
                                line=1,
                                hint="name another file: a new one will be created",
                            )
                    start += len(line)
                    self._ends_in_line = not line.endswith(b"\n")
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=str(self.path)) from None

    @staticmethod
    def _key(line: bytes) -> str | None:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return None
        known = isinstance(value, dict) and value.keys() >= _KEYS
        return value["key"] if known and isinstance(value["key"], str) else None

    def get(self, key: str) -> dict[str, Any] | None:
        """What was kept under a key; None if nothing."""
        place = self._places.get(key)
        if place is None:
            return None
        with self._lock, self.path.open("rb") as file:
            file.seek(place[0])
            value: dict[str, Any] = json.loads(file.read(place[1]))
        return value

    def put(self, key: str, value: dict[str, Any]) -> None:
        """Append a result, on the disk before this returns; InputError if it cannot be written."""
        text = json.dumps({"key": key, **value}, ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8", "replace") + b"\n"
        with self._lock:
            try:
                with self.path.open("ab") as file:
                    if self._ends_in_line:
                        file.write(b"\n")
                        self._ends_in_line = False
                    start = file.tell()
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise unwritable(error, self.path) from error
            self._places[key] = (start, len(data))


#: Endings of matches in folders and archives: those that GNU Backgammon imports.
ENDINGS = (
    ".mat", ".txt", ".sgf", ".sgg", ".gam", ".pos", ".tmg",
    ".oldmoves", ".empire", ".party", ".bgroom", ".snowietxt",
)  # fmt: skip


#: Bytes of the longest match.
LONGEST = 4 << 20


@dataclass(slots=True)
class MatchFile(Source):
    """A file of one match: its name, as reports call it, and where it is read.

    A member of an archive has the archive's name before its own.
    """

    problem: str = ""  #: Why it cannot be used; empty if nothing is wrong with it yet.

    def read(self) -> bytes:
        """Return its bytes, decompressed; InputError if it cannot be read, or is too long."""
        regular = self.path is None or self.path.is_file()
        if self.problem or not regular:
            raise InputError(self.problem or "not a regular file", file=self.name)
        return self.content(LONGEST)


def match_files(paths: Iterable[str | os.PathLike[str]]) -> list[MatchFile]:
    """Find the files of matches that paths mean; they are read when they are analysed.

    Args:
        paths: Files of any name, folders (all files below them with one of `ENDINGS`), patterns,
            and archives (zip, tar, compressed tar). Single files may be compressed with gzip,
            Zstandard, bzip2 or xz.

    Raises:
        InputError: A path means nothing, or an archive holds too much.
    """
    files = []
    for source in (source for path in paths for source in find_files(path, ENDINGS)):
        if source.path is None or not is_archive(source.path):
            files.append(MatchFile(source.name, source.path))
            continue
        try:
            files.extend(
                MatchFile(f"{source.name}/{member.name}", None, member=member)
                for member in members_of(source.path)
                if plain_ending(member.name) in ENDINGS
            )
        except ArchiveTooLarge:
            raise
        except (InputError, OSError) as error:
            reason = error.message if isinstance(error, InputError) else error.strerror
            problem = f"this archive cannot be read: {reason}"
            files.append(MatchFile(source.name, source.path, problem=problem))
    return files
