"""All commands: where each stands, and what it is for.

Nothing else is imported to show the help, and only the module of the command that is
called to run it. Plug-ins add commands (`yardstone.plugins`); they are looked for only where
help lists commands, or a word is none of those here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command."""

    place: str  #: Module under `package` and function: ``evaluate:predict``.
    about: str  #: The first sentence of the function's docstring.
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


def _of(module: str, /, *advanced: str, **abouts: str | Family) -> dict[str, Command | Family]:
    """Return the commands of a module, given what each of its functions is for."""
    return {
        function.rstrip("_").replace("_", "-"): about
        if isinstance(about, Family)
        else Command(f"{module}:{function}", about, advanced=function in advanced)
        for function, about in abouts.items()
    }


#: All others, in the order of ``--help``.
COMMANDS: Mapping[str, Command | Family] = {
    "rate": Command("rate:rate", "Rate players from results, with the error of each rating."),
    "match": Command(
        "match:match", "Judge a match of two players: Elo, superiority, when to stop."
    ),
    "history": Command("history:history", "Rate games in order, and show ratings over time."),
    "predict": Command(
        "evaluate:predict", "Predict a game between two players from the games so far."
    ),
    "evaluate": Command(
        "evaluate:evaluate", "Compare rating systems by how well they predict later games."
    ),
    "winprob": Family(
        "Give winning probabilities between Go grades; fit the model.",
        ("winprob 2d 4d", "winprob fit winning_statistics_simulated.txt"),
        _of(
            "winprob",
            "stats",
            between="Give the probability that one grade beats another.",
            stats="Tabulate how often the weaker player wins, by grade.",
            fit="Fit the model to games or winning statistics, with intervals.",
        ),
        default="between",
    ),
    "go": Family(
        "Analyse and judge games of Go with KataGo's networks.",
        ("go analyse professional.sgf --plot game.svg", "go nets download b6c96"),
        _of(
            "go",
            "evaluate",
            evaluate="Evaluate positions, given as JSON lines, without searching.",
            analyse="Analyse games: winrate, lead, and the points each move lost.",
            judge="Judge who won each game, and compare with the recorded result.",
            features="Extract the features of every move of many games.",
            fetch="Fetch the latest public games of a user of OGS as SGF files.",
            nets=Family(
                "Manage KataGo networks: list, add, download, remove.",
                ("go nets list", "go nets download b6c96"),
                _of(
                    "go",
                    "add",
                    "show",
                    list_="List the installed networks.",
                    add="Install a network from a file.",
                    download="Download a network and verify it.",
                    show="Describe a network.",
                    remove="Remove installed networks.",
                ),
            ),
        ),
    ),
    "strength": Family(
        "Estimate strength from moves.",
        ("strength estimate professional.sgf --colour black", "strength style style_simulated.tab"),
        _of(
            "strength",
            estimate="Estimate how strong a player is from the moves of their games.",
            calibrate="Fit estimates to the ratings of a site or club.",
            style="Predict ranks from features of style, and test the prediction.",
        ),
    ),
    "trickplay": Family(
        "Find local problems in games, and rate the answers to them.",
        (
            "trickplay index professional.sgf -o games.idx",
            "trickplay find trickplay.txt --games games.idx",
        ),
        _of(
            "trickplay",
            index="Build an index of games that makes searches fast.",
            find="Find the positions of problems in games, in any orientation.",
            rate="Rate the refutation and the failure of each problem.",
        ),
    ),
    "tournament": Family(
        "Run, pair, rank, rate and simulate tournaments.",
        (
            "tournament new cup.xml --rounds 5",
            "tournament standings open.xml",
            "tournament pair swiss.trf",
        ),
        _of(
            "event",
            new="Begin a tournament: write a file that OpenGotha opens.",
            set_="Change the settings of a tournament; those that are not named stay.",
            enter="Enter players: one by name, or all of a table, at any round.",
            change="Change what is said of a player: name, grade, rating, club, country.",
            withdraw="Withdraw a player from a round on, or for one round.",
            bye="Give a player the bye of a round, before the others are paired.",
            team="Enter a team, or another line-up of it; without options list them.",
            wish="Keep a wish for the pairings of several rounds.",
        )
        | _of("pair", pair="Pair the next round, and explain each board.")
        | _of(
            "event",
            result="Enter a result, or a sheet of them.",
            undo="Take back the last change of a tournament's file.",
        )
        | _of(
            "tournament",
            standings="Show the standings after any round, by any criteria.",
            ratings="Compute the rating changes before they are published.",
            prizes="List the prizes: by place, by group of grades, by wins.",
            publish="Publish boards, standings, results and players as pages.",
            serve="Run the desk of a tournament in the browser.",
            show="Summarise a tournament file: rounds, players, games and rules.",
            convert="Convert a tournament between OpenGotha, H9 and TRF.",
            needs="Show what a player needs in the last round to reach a place.",
        )
        | _of(
            "pair",
            "check",
            "generate",
            check="Check recorded rounds against FIDE's Dutch system.",
            generate="Generate a random Swiss paired by FIDE's Dutch system.",
        )
        | _of(
            "tournament", simulate="Simulate a tournament thousands of times: who finishes where."
        ),
    ),
    "backgammon": Family(
        "Turn errors into ratings, with GNU Backgammon as the judge.",
        (
            "backgammon rating --epm 0.0085 --epc 0.021 --length 7",
            "backgammon analyse backgammon.mat --html match.html",
        ),
        _of(
            "backgammon",
            rating="Compute a rating from error rates, or the other way round.",
            analyse="Analyse matches: each player's errors, blunders and rating.",
            position="Show a position by its ID, convert the ID, and evaluate it.",
        ),
    ),
    "handicap": Command(
        "winprob:handicap", "Set the handicap for two Go players: stones, komi, ties."
    ),
    "demo": Command("demo:demo", "Show each main job on real games; copy the example files."),
    "convert": Family(
        "Convert games to other formats, and ratings to other scales.",
        ("convert professional.sgf -o results.csv", "convert rating 2d --to egf"),
        _of(
            "convert",
            game_files="Convert games between SGF, PGN, CSV, JSON and Parquet.",
            rating="Convert grades and ratings of Go to other scales.",
        ),
        default="game-files",
    ),
    "serve": Command("serve:serve", "Run the web server: pages that measure strength, and an API."),
}

#: Commands of the laboratory, a package of its own, with dots between their words.
LABORATORY = frozenset(
    {
        "backgammon.play",
        "backgammon.study",
        "go.nets.train",
        "strength.describe",
        "strength.run",
        "strength.search",
        "strength.train",
        "tournament.study",
        "winprob.compare",
        "winprob.trace",
    }
)


def with_plugins(
    commands: Mapping[str, Command | Family] = COMMANDS, *path: str
) -> dict[str, Command | Family]:
    """Return the commands under `path`, and after them those that plug-ins add there.

    A plug-in that cannot be loaded is listed with the reason.
    """
    from yardstone.errors import YardstoneError
    from yardstone.plugins import COMMANDS as GROUP
    from yardstone.plugins import declared

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

    from yardstone.plugins import COMMANDS as GROUP
    from yardstone.plugins import declared, load

    value = load(GROUP, name)
    if isinstance(value, Command | Family):
        return value
    about = " ".join((getdoc(value) or "").partition("\n\n")[0].split())
    return Command(declared(GROUP)[name], about, package="")
