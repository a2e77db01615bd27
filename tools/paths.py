"""Counts the modules that three paths through the package enter.

    python tools/paths.py [FOLDER]

FOLDER is a checkout, by default the one that this file is in. Counted are the modules that
are loaded, and those of which a function runs, in the command and in the processes that it
starts. The third path needs a network (``YARDSTONE_NET``).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Imported by every process before anything else: notes each module that is loaded, and
#: each of which a function runs.
_WATCH = """
import os, sys, threading
_noted = set()
def _watch(frame, event, argument):
    if event != "call":
        return
    name = frame.f_globals.get("__name__", "")
    if name.startswith("yardstone."):
        code = frame.f_code
        body = code.co_name == "<module>" or "__qualname__" in code.co_names
        note = ("loaded " if body else "entered ") + name
        if note not in _noted and code.co_name != "__getattr__":
            _noted.add(note)
            with open(os.environ["NOTES"], "a") as file:
                file.write(note + "\\n")
threading.setprofile(_watch)
sys.setprofile(_watch)
"""
_EXAMPLES = "src/yardstone/examples"
_COMMANDS = {
    "a PGN to a list": ("rate", "GAMES.pgn"),
    "a table to a comparison": ("evaluate", f"{_EXAMPLES}/league.csv", "--systems", "elo,glicko2"),
    "an SGF to an estimate": (
        "strength", "estimate", f"{_EXAMPLES}/professional.sgf", "--colour", "black",
    ),
}  # fmt: skip
_PGN = '[Event "?"]\n[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n{}\n\n'


def main() -> None:
    """Print the number of modules of each path."""
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    for name, words in _COMMANDS.items():
        _count(name, root, partial(_run, root, words))


def _count(name: str, root: Path, walk: Callable[[dict[str, str]], None]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sitecustomize.py").write_text(_WATCH)
        notes = Path(folder) / "notes"
        notes.touch()
        path = os.pathsep.join([folder, str(root / "src")])
        walk({**os.environ, "PYTHONPATH": path, "NOTES": str(notes)})
        kinds = Counter(line.split()[0] for line in set(notes.read_text().splitlines()))
    print(f"{name}: {kinds['loaded']} modules loaded, {kinds['entered']} entered", flush=True)


def _run(root: Path, words: tuple[str, ...], environment: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder) / "games.pgn"
        results = [("Ann", "Bob", "1-0"), ("Bob", "Ann", "1/2-1/2"), ("Bob", "Ann", "1-0")]
        games.write_text("".join(_PGN.format(*each, each[2]) for each in results))
        command = [str(games) if word == "GAMES.pgn" else word for word in words]
        subprocess.run(
            [sys.executable, "-m", "yardstone", *command],
            cwd=root,
            env=environment,
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    main()
