"""`yardstone demo`: each main job on the example files, and these files for the user."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shlex import split

from yardstone.choices import check_choice
from yardstone.cli.declare import argument, option
from yardstone.errors import UsageError, YardstoneError
from yardstone.examples import copy_examples
from yardstone.files import scratch_folder

_FIRST = "rate"


@dataclass(frozen=True)
class Demo:
    """Commands that show one job."""

    about: str  #: What they show.
    commands: tuple[str, ...]  #: Commands that run everywhere, without ``yardstone``.
    next: tuple[str, ...]  #: What to try afterwards.
    more: tuple[str, ...] = ()  #: Commands that need what `missing` looks for.
    missing: Callable[[], str] = lambda: ""  #: How to get what `more` needs; empty if it is there.


def _missing_runtime() -> str:
    if find_spec("onnxruntime") is None and find_spec("openvino") is None:
        return (
            "With what runs a network Yardstone also analyses games and estimates strength from "
            "moves:\n  pip install 'yardstone[go]'"
        )
    return ""


def _missing_gnubg() -> str:
    from yardstone.backgammon.gnubg import find_gnubg

    try:
        find_gnubg()
    except YardstoneError:
        return (
            "With GNU Backgammon (on Debian: apt-get install gnubg) Yardstone also analyses "
            "matches:\n  yardstone backgammon analyse backgammon.mat"
        )
    return ""


DEMOS = {
    "rate": Demo(
        "Rate chess engines from the results of a league",
        ("rate league.csv", "predict 'LCZero v19.1-11248' 'Fritz 16.10' league.csv"),
        (
            "rate league.csv -o ratings.html",
            "evaluate league.csv",
            "rate tcec.pgn.gz --top 20 --min-games 150",
        ),
    ),
    "go": Demo(
        "Winning chances, handicap and strength in Go",
        (
            "winprob 2d 4d",
            "handicap 2k 4d",
            "trickplay find trickplay.txt --games professional.sgf",
        ),
        (
            "strength estimate professional.sgf --colour black -o strength.html",
            "go analyse professional.sgf -o game.svg",
        ),
        ("strength estimate professional.sgf --colour black",),
        _missing_runtime,
    ),
    "tournament": Demo(
        "Standings and pairings of tournaments",
        ("tournament standings open.xml", "tournament pair swiss.trf"),
        (
            "tournament needs open.xml Claes --place 3",
            "tournament simulate open.xml",
            "tournament ratings open.xml",
        ),
    ),
    "backgammon": Demo(
        "Ratings from error rates in backgammon",
        ("backgammon rating --pr 5.2 --length 7",),
        (
            "backgammon rating --from-rating 1900 --length 7",
            "backgammon analyse backgammon.mat -o match.html",
        ),
        ("backgammon analyse backgammon.mat",),
        _missing_gnubg,
    ),
}


def demo(
    name: str | None = argument(
        "rate, go, tournament or backgammon; without it, list them and run rate.",
        default=None,
        metavar="NAME",
    ),
    copy: Path | None = option("Copy the example files to this folder.", metavar="FOLDER"),
) -> int:
    """Show each main job on real games; copy the example files.

    Each demo prints the commands it runs, and what to try next. The example
    files come with Yardstone: after `demo --copy .` every command of the
    help and the documentation runs in that folder.

    Examples:
        yardstone demo
        yardstone demo tournament
        yardstone demo --copy .
    """
    if copy is not None:
        if name is not None:
            raise UsageError("give a name or --copy, not both")
        paths = copy_examples(copy)
        names = [f"  {path.name}" for path in paths]
        print(f"{len(paths)} example files in {copy}:", *names, sep="\n")
        print("Try there: yardstone rate league.csv")
        return 0
    if name is not None:
        check_choice("the demo", name, DEMOS)
    else:
        width = max(map(len, DEMOS))
        for key, each in DEMOS.items():
            print(f"yardstone demo {key:{width}}  {each.about}")
        print(flush=True)
    return _run(DEMOS[name or _FIRST])


def _run(shown: Demo) -> int:
    """Run the commands of a demo in a folder of their own, as if they were typed there."""
    from yardstone.cli.main import main

    advice = shown.missing()
    with scratch_folder() as folder, chdir(folder):
        copy_examples(folder)
        for line in (*shown.commands, *(() if advice else shown.more)):
            print(f"$ yardstone {line}", flush=True)
            if status := main(split(line)):
                return status
            print(flush=True)
    if advice:
        print(f"{advice}\n")
    print("Try next, after 'yardstone demo --copy .':")
    print("\n".join(f"  yardstone {line}" for line in shown.next))
    return 0
