"""All commands: where each stands, and what it is for.

Nothing else is imported to show the help, and only the module of the command that is
called to run it. Plug-ins add commands (`yardstone.plugins`); they are looked for only where
help lists commands, or a word is none of those here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from yardstone.errors import YardstoneError
from yardstone.plugins import COMMANDS as GROUP
from yardstone.plugins import declared, load


@dataclass(frozen=True)
class Command:
    """A command."""

    place: str  #: Module under `package` and function: ``evaluate:predict``.
    about: str = ""  #: The first sentence of the function's docstring; `about_of` reads ours.
    package: str = "yardstone.cli"  #: What the module is part of; "" for nothing.
    advanced: bool = False  #: Whether only ``--help-all`` of its family lists it.


@dataclass(frozen=True)
class Family:
    """Commands of one subject; `default` is called where none of them is named.

    If it is `advanced`, only ``--help-all`` of the family above lists it.
    """

    about: str
    examples: tuple[str, ...]
    commands: Mapping[str, Command | Family]
    default: str | None = None
    advanced: bool = False


#: The switch with which a command reads files of strangers.
UNTRUSTED = "--untrusted"

#: The headings of ``yardstone --help``, and the commands under each.
PANELS: Mapping[str, tuple[str, ...]] = {
    "Rate": ("rate", "match", "history", "predict", "evaluate"),
    "Go": ("strength", "go", "winprob", "handicap", "trickplay"),
    "Tournaments": ("tournament",),
    "Backgammon": ("backgammon",),
    "Tools": ("demo", "convert", "serve", "ordo", "prep"),
}

#: Commands that parse switches of their own.
OWN_SWITCHES = {
    "ordo": Command("ordo:main", "Rate with Ordo's switches and in Ordo's formats."),
    "prep": Command("prep:main", "Remove players from a PGN file, with Ordoprep's switches."),
}


def _of(module: str, names: str) -> dict[str, Command | Family]:
    """Return commands of a module by their functions; only ``--help-all`` lists those after a +."""
    made: dict[str, Command | Family] = {}
    for word in names.split():
        function = word.removeprefix("+")
        name = function.rstrip("_").replace("_", "-")
        made[name] = Command(f"{module}:{function}", advanced=word != function)
    return made


def about_of(entry: Command | Family) -> str:
    """Return what a command is for; that of ours is read from its file, which is not imported."""
    if entry.about or not isinstance(entry, Command):
        return entry.about
    module, _, function = entry.place.partition(":")
    source = Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    _, _, below = source.partition(f"\ndef {function}(")
    _, _, docstring = below.partition('\n    """')
    return docstring.partition("\n")[0]


#: All others, in the order of ``--help``.
COMMANDS: Mapping[str, Command | Family] = {
    **_of("rate", "rate"),
    **_of("match", "match"),
    **_of("history", "history"),
    **_of("evaluate", "predict evaluate"),
    "winprob": Family(
        "Give winning probabilities between Go grades; fit the model.",
        ("winprob 2d 4d", "winprob fit winning_statistics_simulated.txt"),
        _of("winprob", "between +stats fit"),
        default="between",
    ),
    "go": Family(
        "Analyse and judge games of Go with KataGo's networks.",
        ("go analyse professional.sgf -o game.svg", "go nets download b6c96"),
        {
            **_of("go", "+evaluate analyse judge features fetch"),
            "nets": Family(
                "Manage KataGo networks: list, add, download, remove.",
                ("go nets list", "go nets download b6c96"),
                _of("go", "list_ +add download +show remove"),
            ),
        },
    ),
    "strength": Family(
        "Estimate strength from moves.",
        ("strength estimate professional.sgf --colour black", "strength style style_simulated.tab"),
        _of("strength", "estimate calibrate style"),
    ),
    "trickplay": Family(
        "Find local problems in games, and rate the answers to them.",
        (
            "trickplay index professional.sgf -o games.idx",
            "trickplay find trickplay.txt --games games.idx",
        ),
        _of("trickplay", "index find rate"),
    ),
    "tournament": Family(
        "Run, pair, rank, rate and simulate tournaments.",
        (
            "tournament new cup.xml --rounds 5",
            "tournament standings open.xml",
            "tournament pair swiss.trf",
        ),
        {
            **_of("event", "new set_ enter change withdraw bye team wish"),
            **_of("pair", "pair"),
            **_of("event", "result undo"),
            **_of("tournament", "standings ratings prizes publish serve show convert needs"),
            **_of("pair", "+check +generate"),
            **_of("tournament", "simulate"),
        },
    ),
    "backgammon": Family(
        "Turn errors into ratings, with GNU Backgammon as the judge.",
        (
            "backgammon rating --epm 0.0085 --epc 0.021 --length 7",
            "backgammon analyse backgammon.mat -o match.html",
        ),
        _of("backgammon", "rating analyse position"),
    ),
    **_of("winprob", "handicap"),
    **_of("demo", "demo"),
    "convert": Family(
        "Convert games to other formats, and ratings to other scales.",
        ("convert professional.sgf -o results.csv", "convert rating 2d --to egf"),
        _of("convert", "game_files rating"),
        default="game-files",
    ),
    **_of("serve", "serve"),
}

#: Commands of the laboratory, a package of its own, with dots between their words.
LABORATORY = frozenset(
    "backgammon.play backgammon.study go.nets.train strength.describe strength.run strength.search "
    "strength.train tournament.study winprob.compare winprob.published winprob.trace".split()
)


def with_plugins(
    commands: Mapping[str, Command | Family] = COMMANDS, *path: str
) -> dict[str, Command | Family]:
    """Return the commands under `path`, and after them those that plug-ins add there.

    A plug-in that cannot be loaded is listed with the reason.
    """
    found = dict(commands)
    for full in declared(GROUP):
        *before, name = full.split(".")
        if tuple(before) == path and name not in found:
            try:
                found[name] = plugged(full)
            except YardstoneError as error:
                found[name] = Command("", str(error))
    return found


def plugged(name: str) -> Command | Family:
    """Load the command that a plug-in adds, by its words with dots between them."""
    from inspect import getdoc

    value = load(GROUP, name)
    if isinstance(value, Command | Family):
        return value
    about = " ".join((getdoc(value) or "").partition("\n\n")[0].split())
    return Command(declared(GROUP)[name], about, package="")
