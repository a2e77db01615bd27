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
from yardstone.backgammon.gnubg import Completed, find_gnubg, gnubg_version, run_script
from yardstone.backgammon.match_files import MatchFile
from yardstone.errors import InputError, UsageError, WorkerError

__all__ = ["IMPORTS", "Analysis", "Outcome", "analyse", "analyse_match"]

#: What GNU Backgammon can import, as its command calls it; ``sgf`` is its own format.
IMPORTS = (
    "auto", "mat", "gam", "oldmoves", "empire", "party", "bgroom",
    "pos", "sgg", "snowietxt", "tmg", "sgf",
)  # fmt: skip
#: Version of what is kept of an analysis: another one is made anew.
FORMAT = 1
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
class Analysis:
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
class Outcome:
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
    found : dict or None
        What `_gnubg_analysis.analyse_file` left: ``match``, ``analysis``, ``errors``.
    """

    file: str
    status: Status
    reason: str = ""
    found: dict[str, Any] | None = None


def analyse(
    matches: Iterable[MatchFile],
    how: Analysis | None = None,
    *,
    ledger: AnalysisFile | None = None,
    program: Path | None = None,
    workers: int | None = None,
    timeout: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Analyse files of matches; what a ledger holds already is not done again.

    Parameters
    ----------
    matches : iterable of MatchFile
    how : Analysis, optional
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
    list of Outcome
        In the order of the files. Of equal files only the first counts.
    """
    how = how or Analysis()
    listed = list(matches)
    program = find_gnubg(program)
    version = gnubg_version(program)
    keys = [None if match.problem else _key(match, how, version) for match in listed]
    known: dict[str, Outcome] = {}
    todo: dict[str, MatchFile] = {}
    for match, key in zip(listed, keys, strict=True):
        if key is None or key in known or key in todo:
            continue
        kept = ledger.get(key) if ledger is not None else None
        if kept is not None and kept["status"] != "failed":
            known[key] = Outcome(match.name, kept["status"], kept["reason"], kept["found"])
        else:
            todo[key] = match
    stop = threading.Event()
    work = partial(
        _analyse_and_keep, how=how, program=program, timeout=timeout, ledger=ledger, stop=stop
    )
    try:
        made = parallel.map(
            work, list(todo.items()), workers=workers, threads=True, progress=progress
        )
    except BaseException:
        stop.set()  # so that no process outlives the work
        raise
    known.update(zip(todo, made, strict=True))
    outcomes = []
    seen: dict[str, str] = {}
    for match, key in zip(listed, keys, strict=True):
        if key is None:
            outcomes.append(Outcome(match.name, "refused", match.problem))
        elif key in seen and known[key].status == "analysed":
            outcomes.append(Outcome(match.name, "refused", f"the same match as {seen[key]}"))
        else:
            seen.setdefault(key, match.name)
            outcomes.append(replace(known[key], file=match.name))
    return outcomes


def _analyse_and_keep(
    item: tuple[str, MatchFile],
    *,
    how: Analysis,
    program: Path,
    timeout: float | None,
    ledger: AnalysisFile | None,
    stop: threading.Event,
) -> Outcome:
    key, match = item
    outcome = analyse_match(match, how, program=program, timeout=timeout, stop=stop)
    if ledger is not None and not stop.is_set():
        ledger.put(key, {**asdict(outcome), "how": asdict(how)})
    return outcome


def _key(match: MatchFile, how: Analysis, version: str) -> str:
    """What the result depends on, as one short text."""
    about = json.dumps([FORMAT, asdict(how), match.ending, version]).encode()
    return hashlib.sha256(about + b"\0" + match.path.read_bytes()).hexdigest()[:32]


def analyse_match(
    match: MatchFile,
    how: Analysis | None = None,
    *,
    program: Path | None = None,
    timeout: float | None = None,
    stop: threading.Event | None = None,
) -> Outcome:
    """Analyse one file; nothing that stands in it is an error of this function.

    Arguments as for `analyse`; the process is killed as soon as `stop` is set.

    Raises
    ------
    InputError
        GNU Backgammon is not there.
    """
    how = how or Analysis()
    if match.problem:
        return Outcome(match.name, "refused", match.problem)
    outcome = Outcome(match.name, "refused", "it holds nothing")
    if not match.path.stat().st_size:
        return outcome
    program = find_gnubg(program)
    for kind in _attempts(match, how.kind):
        outcome = _attempt(match, kind, how, program, timeout, stop)
        if outcome.status != "refused" or outcome.found is not None:
            break
    return outcome


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
    how: Analysis,
    program: Path,
    timeout: float | None,
    stop: threading.Event | None,
) -> Outcome:
    short = "match" + (match.ending if re.fullmatch(r"\.[a-z0-9]{1,12}", match.ending) else "")
    command = f'load match "{short}"' if kind == "sgf" else f'import {kind} "{short}"'
    data = {"file": short, "import": command, "plies": how.plies, "cube_plies": how.cube_plies}
    seconds = timeout or _TIMEOUTS[max(how.plies, how.cube_plies)]
    try:
        done = run_script(
            _script(),
            data=data,
            files={short: match.path},
            program=program,
            timeout=seconds,
            stop=stop,
        )
    except (WorkerError, InputError) as error:
        return Outcome(match.name, "failed", str(error))
    said = _complaint(f"{done.errors}\n{done.output}", short)
    found = done.result
    if found is None:
        return Outcome(match.name, "failed", _crash(done))
    if found["match"] is None:
        return Outcome(match.name, "refused", f"GNU Backgammon: {said or 'there is no match'}")
    problem = _problem(found["match"], said)
    if problem:
        return Outcome(match.name, "refused", problem, {**found, "analysis": None, "errors": []})
    if found["analysis"] is None:
        return Outcome(match.name, "failed", "GNU Backgammon gave no analysis")
    return Outcome(match.name, "analysed", "", found)


def _crash(done: Completed) -> str:
    """Why there is no result."""
    words = " ".join(done.errors.split())[-200:] or "it said nothing"
    if done.status < 0:
        with suppress(ValueError):
            return f"GNU Backgammon crashed ({Signals(-done.status).name}): {words}"
    return f"GNU Backgammon gave no result (exit status {done.status}): {words}"


def _problem(match: dict[str, Any], said: str) -> str:
    """Why a match that was imported cannot be trusted; empty if it can."""
    if said:
        return f"GNU Backgammon: {said}"
    if match["variation"] not in ("", "Standard"):
        return f"{match['variation']} is another game than standard backgammon"
    if match["more_games"]:
        return f"more than {len(match['games'])} games: this is no match"
    if not match["games"]:
        return "there is no game in it"
    for number, game in enumerate(match["games"], 1):
        if game.get("winner") not in ("X", "O"):
            return f"game {number} has no winner: the file breaks off or holds an invalid move"
    return ""


def _complaint(said: str, short: str) -> str:
    """The first line in which GNU Backgammon finds fault with the file."""
    for line in said.splitlines():
        text = line.strip()
        if _COMPLAINT.search(text) and not _HARMLESS.search(text):
            text = text.replace(f"'{short}'", "the file").replace(f"{short}: ", "")
            return "".join(letter for letter in text if letter.isprintable())[:200]
    return ""


@cache
def _script() -> str:
    """What runs inside GNU Backgammon: the two files, and the call."""
    home = files("yardstone.backgammon")
    parts = [home.joinpath(f"{name}.py").read_text("utf-8") for name in _PARTS]
    future = "from __future__ import annotations\n"
    return future + "\n".join(part.replace(future, "") for part in parts) + "\n\nanalyse_file()\n"


_PARTS: Sequence[str] = ("_gnubg_script", "_gnubg_analysis")
