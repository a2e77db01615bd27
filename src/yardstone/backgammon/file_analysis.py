"""Analyses files of matches with GNU Backgammon, one process a file.

GNU Backgammon ends with status 0 whatever happens, keeps a match that it could read
only in part, and shortens a game at a move it does not understand. So what it says
on both streams is read, and each game must have a winner; else the file is refused,
with the reason that it gave.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from signal import Signals
from typing import Any, Literal

from yardstone import parallel
from yardstone.backgammon.analysis_file import AnalysisFile
from yardstone.backgammon.gnubg import Completed, find_gnubg, gnubg_version, run_script, same_gnubg
from yardstone.backgammon.match_files import MatchFile
from yardstone.errors import MissingFileError, UsageError, WorkerError

__all__ = ["IMPORTS", "AnalysisSettings", "FileAnalysis", "analyse_file", "analyse_files"]

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
    """How matches are analysed.

    Attributes
    ----------
    plies, cube_plies : int
        Depth of the search for chequer play and for the cube, from 0. Luck is always
        analysed at 0 plies.
    kind : str
        One of `IMPORTS`: the format of the files.
    """

    plies: int = 0
    cube_plies: int = 0
    kind: str = "auto"

    def __post_init__(self) -> None:
        for plies in (self.plies, self.cube_plies):
            if not 0 <= plies <= DEEPEST:
                raise UsageError(f"{plies} plies: give 0 to {DEEPEST}")
        if self.kind not in IMPORTS:
            raise UsageError(f"no format {self.kind!r}: choose from {', '.join(IMPORTS)}")


@dataclass(frozen=True)
class FileAnalysis:
    """What became of one file.

    Attributes
    ----------
    file : str
        Its name.
    status : {"analysed", "refused", "failed"}
        Refused: it holds no whole match. Failed: GNU Backgammon crashed, hung or gave
        nothing; another try may help.
    reason : str
        Why it was refused or failed.
    content : dict or None
        What `_gnubg_analysis.analyse_file` left: ``match``, ``analysis``, ``errors``,
        ``decisions``.
    """

    file: str
    status: Status
    reason: str = ""
    content: dict[str, Any] | None = None


def analyse_files(
    matches: Iterable[MatchFile],
    settings: AnalysisSettings | None = None,
    *,
    ledger: AnalysisFile | None = None,
    program: Path | None = None,
    workers: int | None = None,
    timeout: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[FileAnalysis]:
    """Analyse files of matches; what a ledger holds already is not done again.

    Parameters
    ----------
    matches : iterable of MatchFile
    settings : AnalysisSettings, optional
        Depth and format.
    ledger : AnalysisFile, optional
        Where each result is kept as it comes, by the content of the file, the depth
        and the version of GNU Backgammon: a run that was killed goes on from there.
    program : Path, optional
        GNU Backgammon.
    workers : int, optional
        How many processes at the same time; one a core by default.
    timeout : float, optional
        Seconds until a file is given up; by default by the depth, 300 at 0 plies.
    progress : callable, optional
        Called with the number of files done and of all.

    Returns
    -------
    list of FileAnalysis
        In the order of the files. Of equal files only the first counts.
    """
    settings = settings or AnalysisSettings()
    listed = list(matches)
    version = gnubg_version(find_gnubg(program))
    keys = [None if match.problem else _key(match, settings, version) for match in listed]
    results: dict[str, FileAnalysis] = {}
    todo: dict[str, MatchFile] = {}
    for match, key in zip(listed, keys, strict=True):
        if key is None or key in results or key in todo:
            continue
        kept = ledger.get(key) if ledger is not None else None
        if kept is not None and kept["status"] != "failed":
            results[key] = FileAnalysis(match.name, kept["status"], kept["reason"], kept["found"])
        else:
            todo[key] = match
    stop = parallel.StopEvent()
    work = partial(
        _analysed, settings=settings, version=version, program=program, timeout=timeout, stop=stop
    )

    def keep(item: tuple[str, MatchFile], analysis: FileAnalysis) -> FileAnalysis:
        if ledger is not None:
            ledger.put(
                item[0],
                {
                    "file": analysis.file,
                    "status": analysis.status,
                    "reason": analysis.reason,
                    "found": analysis.content,
                    "how": asdict(settings),
                },
            )
        return analysis

    try:
        made = parallel.map(
            work,
            ((key, _sent(match)) for key, match in todo.items()),
            total=len(todo),
            workers=workers,
            threads=True,
            progress=progress,
            receive=keep,
            resource="gnubg",
        )
    except BaseException:
        stop.set()  # so that no process outlives the work
        raise
    results.update(zip(todo, made, strict=True))
    analyses = []
    first_names: dict[str, str] = {}
    for match, key in zip(listed, keys, strict=True):
        if key is None:
            analyses.append(FileAnalysis(match.name, "refused", match.problem))
        elif key in first_names and results[key].status == "analysed":
            analyses.append(
                FileAnalysis(match.name, "refused", f"the same match as {first_names[key]}")
            )
        else:
            first_names.setdefault(key, match.name)
            analyses.append(replace(results[key], file=match.name))
    return analyses


def _sent(match: MatchFile) -> MatchFile:
    """The match as it goes to whoever analyses it: other machines need its bytes."""
    if not parallel.elsewhere() or match.problem:
        return match
    return replace(match, data=match.path.read_bytes())


def _analysed(
    item: tuple[str, MatchFile],
    *,
    settings: AnalysisSettings,
    version: str,
    program: Path | None,
    timeout: float | None,
    stop: threading.Event,
) -> FileAnalysis:
    """Analyse a file; done in a thread, or on another machine."""
    match = item[1]
    analyse = partial(
        analyse_file,
        settings=settings,
        program=same_gnubg(version, program),
        timeout=timeout,
        stop=stop,
    )
    if match.data is None:
        return analyse(match)
    with tempfile.TemporaryDirectory(prefix="yardstone-match-") as folder:
        path = Path(folder) / "match"
        path.write_bytes(match.data)
        return analyse(replace(match, path=path, data=None))


def _key(match: MatchFile, settings: AnalysisSettings, version: str) -> str:
    """What the result depends on, as one short text."""
    about = json.dumps([FORMAT, asdict(settings), match.ending, version]).encode()
    return hashlib.sha256(about + b"\0" + match.path.read_bytes()).hexdigest()[:32]


def analyse_file(
    match: MatchFile,
    settings: AnalysisSettings | None = None,
    *,
    program: Path | None = None,
    timeout: float | None = None,
    stop: threading.Event | None = None,
) -> FileAnalysis:
    """Analyse one file; nothing that stands in it is an error of this function.

    Arguments as for `analyse_files`; the process is killed as soon as `stop` is set.

    Raises
    ------
    InputError
        GNU Backgammon is not there, or there is no room for its files.
    """
    settings = settings or AnalysisSettings()
    if match.problem:
        return FileAnalysis(match.name, "refused", match.problem)
    analysis = FileAnalysis(match.name, "refused", "it holds nothing")
    if not match.path.stat().st_size:
        return analysis
    program = find_gnubg(program)
    for kind in _attempts(match, settings.kind):
        analysis = _attempt(match, kind, settings, program, timeout, stop)
        if analysis.status != "refused" or analysis.content is not None:
            break
    return analysis


def _attempts(match: MatchFile, kind: str) -> list[str]:
    """The imports to try, one after the other."""
    if kind != "auto":
        return [kind]
    with match.path.open("rb") as file:
        head = file.read(512).lstrip(b"\xef\xbb\xbf \t\r\n")
    if match.ending == ".sgf" or head.startswith(b"(;"):
        return ["sgf"]
    named = match.ending.removeprefix(".")
    return ["auto", *([named] if named in IMPORTS and named not in ("auto", "mat") else [])]


def _attempt(
    match: MatchFile,
    kind: str,
    settings: AnalysisSettings,
    program: Path,
    timeout: float | None,
    stop: threading.Event | None,
) -> FileAnalysis:
    short = "match" + (match.ending if re.fullmatch(r"\.[a-z0-9]{1,12}", match.ending) else "")
    command = f'load match "{short}"' if kind == "sgf" else f'import {kind} "{short}"'
    data = {
        "file": short,
        "import": command,
        "plies": settings.plies,
        "cube_plies": settings.cube_plies,
    }
    seconds = timeout or _TIMEOUTS[max(settings.plies, settings.cube_plies)]
    try:
        done = run_script(
            _script(),
            data=data,
            files={short: match.path},
            program=program,
            timeout=seconds,
            stop=stop,
        )
    except (WorkerError, MissingFileError) as error:
        return FileAnalysis(match.name, "failed", str(error))
    complaint = _complaint(f"{done.errors}\n{done.output}", short)
    content = done.result
    if content is None:
        return FileAnalysis(match.name, "failed", _crash(done))
    if content["match"] is None:
        return FileAnalysis(
            match.name, "refused", f"GNU Backgammon: {complaint or 'there is no match'}"
        )
    problem = _problem(content["match"], complaint)
    if problem:
        return FileAnalysis(
            match.name,
            "refused",
            problem,
            {**content, "analysis": None, "errors": [], "decisions": []},
        )
    if content["analysis"] is None:
        return FileAnalysis(match.name, "failed", "GNU Backgammon gave no analysis")
    return FileAnalysis(match.name, "analysed", "", content)


def _crash(done: Completed) -> str:
    """Why there is no result."""
    words = " ".join(done.errors.split())[-200:] or "it said nothing"
    if done.status < 0:
        with suppress(ValueError):
            return f"GNU Backgammon crashed ({Signals(-done.status).name}): {words}"
    return f"GNU Backgammon gave no result (exit status {done.status}): {words}"


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


@cache
def _script() -> str:
    """What runs inside GNU Backgammon: the files, and the call."""
    home = files("yardstone.backgammon")
    parts = [home.joinpath(f"{name}.py").read_text("utf-8") for name in _PARTS]
    future = "from __future__ import annotations\n"
    return future + "\n".join(part.replace(future, "") for part in parts) + "\n\nanalyse_file()\n"


_PARTS: Sequence[str] = ("_gnubg_script", "_gnubg_ids", "_gnubg_analysis")
