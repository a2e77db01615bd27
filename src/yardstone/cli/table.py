"""All commands: where each stands, and what it is for.

Nothing else is imported to show the help, and only the module of the command that is
called to run it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["COMMANDS", "OWN_SWITCHES", "PANELS", "Command", "Family"]


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes
    ----------
    place : str
        Module under ``yardstone.cli`` and function: ``tournament.pair:pair``.
    about : str
        The first sentence of the function's docstring.
    """

    place: str
    about: str


@dataclass(frozen=True)
class Family:
    """Commands of one subject; `default` is called where none of them is named."""

    about: str
    examples: tuple[str, ...]
    commands: Mapping[str, Command | Family]
    default: str | None = None


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
    "ordo": Command("ordo.commands:main", "Rate with Ordo's switches and in Ordo's formats."),
    "prep": Command("ordo.prep:main", "Remove players from a PGN file, with Ordoprep's switches."),
}

#: All others, in the order of ``--help``.
COMMANDS: Mapping[str, Command | Family] = {
    "rate": Command("rate:rate", "Rate players from results, with the error of each rating."),
    "match": Command(
        "match:match",
        "Judge a match of two players: Elo, superiority, when to stop.",
    ),
    "history": Command("history:history", "Rate games in order, and show ratings over time."),
    "predict": Command(
        "predict:predict", "Predict a game between two players from the games so far."
    ),
    "evaluate": Command(
        "evaluate:evaluate",
        "Compare rating systems by how well they predict later games.",
    ),
    "winprob": Family(
        "Give winning probabilities between Go grades; fit the model.",
        (
            "winprob 2d 4d",
            "winprob fit winning_statistics_simulated.txt",
        ),
        {
            "between": Command(
                "winprob.between:between",
                "Give the probability that one grade beats another.",
            ),
            "stats": Command(
                "winprob.fits:stats",
                "Tabulate how often the weaker player wins, by grade.",
            ),
            "fit": Command(
                "winprob.fits:fit",
                "Fit the model to games or winning statistics, with intervals.",
            ),
            "trace": Command(
                "winprob.fits:trace",
                "Follow ratios and coefficients through a moving window of years.",
            ),
            "compare": Command(
                "winprob.fits:compare",
                "Cross-validate the published form against others.",
            ),
        },
        default="between",
    ),
    "go": Family(
        "Analyse and judge games of Go with KataGo's networks.",
        (
            "go analyse professional.sgf --plot game.svg",
            "go nets download b6c96",
        ),
        {
            "evaluate": Command(
                "go.evaluate:evaluate",
                "Evaluate positions, given as JSON lines, without searching.",
            ),
            "analyse": Command(
                "go.analyse:analyse",
                "Analyse games: winrate, lead, and the points each move lost.",
            ),
            "judge": Command(
                "go.judge:judge", "Judge who won each game, and compare with the recorded result."
            ),
            "features": Command(
                "go.features:features",
                "Extract the features of every move of many games.",
            ),
            "fetch": Command(
                "go.fetch:fetch", "Fetch the latest public games of a user of OGS as SGF files."
            ),
            "nets": Family(
                "Manage KataGo networks: list, add, download, remove.",
                (
                    "go nets list",
                    "go nets download b6c96",
                ),
                {
                    "list": Command("go.nets:list_", "List the installed networks."),
                    "add": Command("go.nets:add", "Install a network from a file."),
                    "download": Command("go.nets:download", "Download a network and verify it."),
                    "show": Command("go.nets:show", "Describe a network."),
                    "train": Command(
                        "go.net_training:train",
                        "Train a small network on games between people.",
                    ),
                    "remove": Command("go.nets:remove", "Remove installed networks."),
                },
            ),
        },
    ),
    "strength": Family(
        "Estimate strength from moves; train models, run experiments.",
        (
            "strength estimate professional.sgf --colour black",
            "strength run experiment.toml",
        ),
        {
            "estimate": Command(
                "strength.estimate:estimate",
                "Estimate how strong a player is from the moves of their games.",
            ),
            "calibrate": Command(
                "strength.calibrate:calibrate",
                "Fit estimates to the ratings of a site or club.",
            ),
            "run": Command(
                "strength.run:run",
                "Run a whole experiment, from game records to results.",
            ),
            "describe": Command(
                "strength.describe:describe",
                "Plot the data: labels, losses of moves, settling of ratings.",
            ),
            "train": Command(
                "strength.train:train",
                "Train a model of strength on an experiment or on ranked games.",
            ),
            "search": Command(
                "strength.search:search",
                "Search for the settings with which a network predicts best.",
            ),
            "style": Command(
                "strength.style:style",
                "Predict ranks from features of style, and test the prediction.",
            ),
        },
    ),
    "trickplay": Family(
        "Find local problems in games, and rate the answers to them.",
        (
            "trickplay index professional.sgf -o games.idx",
            "trickplay find trickplay.txt --games games.idx",
        ),
        {
            "index": Command(
                "trickplay.index:index",
                "Build an index of games that makes searches fast.",
            ),
            "find": Command(
                "trickplay.find:find",
                "Find the positions of problems in games, in any orientation.",
            ),
            "rate": Command(
                "trickplay.rate:rate", "Rate the refutation and the failure of each problem."
            ),
        },
    ),
    "tournament": Family(
        "Run, pair, rank, rate and simulate tournaments.",
        (
            "tournament new cup.xml --rounds 5",
            "tournament standings open.xml",
            "tournament pair swiss.trf",
        ),
        {
            "new": Command(
                "tournament.new:new", "Begin a tournament: write a file that OpenGotha opens."
            ),
            "set": Command(
                "tournament.new:set_",
                "Change the settings of a tournament; those that are not named stay.",
            ),
            "enter": Command(
                "tournament.enter:enter",
                "Enter players: one by name, or all of a table, at any round.",
            ),
            "change": Command(
                "tournament.enter:change",
                "Change what is said of a player: name, grade, rating, club, country.",
            ),
            "withdraw": Command(
                "tournament.attendance:withdraw",
                "Withdraw a player from a round on, or for one round.",
            ),
            "bye": Command(
                "tournament.attendance:bye",
                "Give a player the bye of a round, before the others are paired.",
            ),
            "team": Command(
                "tournament.team:team",
                "Enter a team, or another line-up of it; without options list them.",
            ),
            "wish": Command(
                "tournament.wish:wish", "Keep a wish for the pairings of several rounds."
            ),
            "pair": Command("tournament.pair:pair", "Pair the next round, and explain each board."),
            "result": Command("tournament.result:result", "Enter a result, or a sheet of them."),
            "undo": Command(
                "tournament.result:undo", "Take back the last change of a tournament's file."
            ),
            "standings": Command(
                "tournament.standings:standings",
                "Show the standings after any round, by any criteria.",
            ),
            "ratings": Command(
                "tournament.ratings:ratings",
                "Compute the rating changes before they are published.",
            ),
            "prizes": Command(
                "tournament.prizes:prizes",
                "List the prizes: by place, by group of grades, by wins.",
            ),
            "publish": Command(
                "tournament.publish:publish",
                "Publish boards, standings, results and players as pages.",
            ),
            "serve": Command(
                "tournament.serve:serve",
                "Run the desk of a tournament in the browser.",
            ),
            "show": Command(
                "tournament.show:show",
                "Summarise a tournament file: rounds, players, games and rules.",
            ),
            "convert": Command(
                "tournament.convert:convert",
                "Convert a tournament between OpenGotha, H9 and TRF.",
            ),
            "needs": Command(
                "tournament.needs:needs",
                "Show what a player needs in the last round to reach a place.",
            ),
            "check": Command(
                "tournament.check:check",
                "Check recorded rounds against FIDE's Dutch system.",
            ),
            "generate": Command(
                "tournament.generate:generate",
                "Generate a random Swiss paired by FIDE's Dutch system.",
            ),
            "simulate": Command(
                "tournament.simulate:simulate",
                "Simulate a tournament thousands of times: who finishes where.",
            ),
            "study": Family(
                "Find the best tie-breaks, pairings and weights by simulation.",
                (
                    "tournament study ties --tournaments 1000 --plot ties.svg",
                    "tournament study pairing --replicates 100",
                ),
                {
                    "ties": Command(
                        "tournament.study:ties",
                        "Test how often a tie-break puts the stronger player ahead.",
                    ),
                    "pairing": Command(
                        "tournament.study:pairing",
                        "Compare pairing systems by how well they measure strength.",
                    ),
                    "weights": Command(
                        "tournament.study:weights",
                        "Search for the pairing weights that measure strength best.",
                    ),
                },
            ),
        },
    ),
    "backgammon": Family(
        "Turn errors into ratings, with GNU Backgammon as the judge.",
        (
            "backgammon rating --epm 0.0085 --epc 0.021 --length 7",
            "backgammon analyse backgammon.mat --html match.html",
        ),
        {
            "rating": Command(
                "backgammon.rating:rating",
                "Compute a rating from error rates, or the other way round.",
            ),
            "analyse": Command(
                "backgammon.analyse:analyse",
                "Analyse matches: each player's errors, blunders and rating.",
            ),
            "position": Command(
                "backgammon.position:position",
                "Show a position by its ID, convert the ID, and evaluate it.",
            ),
            "play": Command(
                "backgammon.study:play",
                "Play and analyse matches between GNU Backgammon players.",
            ),
            "study": Family(
                "Repeat van den Doel's studies, or fit a table of matches.",
                (
                    "backgammon study part2 results.jsonl --matches 200",
                    "backgammon study fit",
                ),
                {
                    "part1": Command(
                        "backgammon.study:part1",
                        "Repeat Part I: rating difference and error rate per decision.",
                    ),
                    "part2": Command(
                        "backgammon.study:part2",
                        "Repeat Part II: chequer and cube errors apart.",
                    ),
                    "depth": Command(
                        "backgammon.study:depth",
                        "Pit expert against advanced player, analysed at 0 and 2 plies.",
                    ),
                    "strong": Command(
                        "backgammon.study:strong",
                        "Pit world class (2 plies) against expert (0 plies) at 3 points.",
                    ),
                    "appendix": Command(
                        "backgammon.study:appendix",
                        "Repeat Appendix II: strong with chequers, weak with the cube.",
                    ),
                    "table": Command(
                        "backgammon.study_fits:table",
                        "Make a table of matches from results files, for fits.",
                    ),
                    "fit": Command(
                        "backgammon.study_fits:fit",
                        "Fit the formulas to a table of matches; needs no GNU Backgammon.",
                    ),
                    "compare": Command(
                        "backgammon.study_fits:compare",
                        "Score old and refitted formulas on matches held out.",
                    ),
                },
            ),
        },
    ),
    "handicap": Command(
        "handicap:handicap",
        "Set the handicap for two Go players: stones, komi, ties.",
    ),
    "demo": Command("demo:demo", "Show each main job on real games; copy the example files."),
    "convert": Family(
        "Convert games to other formats, and ratings to other scales.",
        (
            "convert professional.sgf -o results.csv",
            "convert rating 2d --to egf",
        ),
        {
            "game-files": Command(
                "convert.game_files:game_files",
                "Convert games between SGF, PGN, CSV, JSON and Parquet.",
            ),
            "rating": Command(
                "convert.rating:rating", "Convert grades and ratings of Go to other scales."
            ),
        },
        default="game-files",
    ),
    "serve": Command("serve:serve", "Run the web server: pages that measure strength, and an API."),
}
