"""All commands: where each stands, and what it is for.

Nothing else is imported to show the help, and only the module of the command that is
called to run it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["COMMANDS", "OWN_SWITCHES", "Command", "Family"]


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


#: Commands that parse switches of their own.
OWN_SWITCHES = {
    "ordo": Command("ordo.commands:main", "Rate with Ordo's switches and in Ordo's formats."),
    "prep": Command("ordo.prep:main", "Take players out of a PGN file, with Ordoprep's switches."),
}

#: All others, in the order of ``--help``.
COMMANDS: Mapping[str, Command | Family] = {
    "rate": Command("rate:rate", "Rate players from results, with the uncertainty of each rating."),
    "match": Command(
        "match:match",
        "Judge a match of two players: Elo difference, superiority, and when to stop.",
    ),
    "history": Command("history:history", "Rate games as they come, and show ratings over time."),
    "predict": Command(
        "predict:predict", "Predict the game of two players from the ratings of the games before."
    ),
    "evaluate": Command(
        "evaluate:evaluate",
        "Compare rating systems by how well they predict later games from earlier ones.",
    ),
    "winprob": Family(
        "Probability of win between Go grades (Kaniuk's model), and fits of it to games.",
        (
            "winprob 2d 4d",
            "winprob fit games.csv",
        ),
        {
            "between": Command(
                "winprob.between:between",
                "Probability that a player of one grade beats one of another in an even game.",
            ),
            "stats": Command(
                "winprob.fits:stats",
                "Winning statistics: how often the weaker player wins, by grade and difference.",
            ),
            "fit": Command(
                "winprob.fits:fit",
                "Fit the model to games or to winning statistics, with intervals.",
            ),
            "trace": Command(
                "winprob.fits:trace",
                "Follow ratios and coefficients through a moving window of years.",
            ),
            "compare": Command(
                "winprob.fits:compare",
                "Cross-validate the published form, a plain logistic and richer forms.",
            ),
        },
        default="between",
    ),
    "go": Family(
        "Go with KataGo's networks: evaluate positions, analyse and judge games.",
        (
            "go nets download b6c96",
            "go analyse game.sgf --plot game.svg",
        ),
        {
            "evaluate": Command(
                "go.evaluate:evaluate",
                "Evaluate positions, given as JSON lines, without searching.",
            ),
            "analyse": Command(
                "go.analyse:analyse",
                "Analyse games: winrate, lead, and what each move cost its player.",
            ),
            "judge": Command(
                "go.judge:judge", "Judge who has won each game, and compare that with the record."
            ),
            "features": Command(
                "go.features:features",
                "Take the features of every move of many games into a store.",
            ),
            "fetch": Command(
                "go.fetch:fetch", "Fetch the latest public games of a user of OGS as SGF files."
            ),
            "nets": Family(
                "Networks of KataGo: list what is kept, add a file, download a known one.",
                (
                    "go nets download b6c96",
                    "go nets list",
                ),
                {
                    "list": Command("go.nets:list_", "List the networks that are kept."),
                    "add": Command("go.nets:add", "Copy a network file to those that are kept."),
                    "download": Command("go.nets:download", "Download a network and verify it."),
                    "show": Command("go.nets:show", "Describe a network."),
                    "remove": Command("go.nets:remove", "Delete networks that are kept."),
                },
            ),
        },
    ),
    "strength": Family(
        "Strength from moves: estimate a player, train models, run experiments.",
        (
            "strength estimate games/*.sgf --player Anna",
            "strength run experiment.toml",
        ),
        {
            "estimate": Command(
                "strength.estimate:estimate",
                "Estimate how strong a player is from the moves of some games.",
            ),
            "calibrate": Command(
                "strength.calibrate:calibrate",
                "Fit a line from estimates to the ratings that a site gives its players.",
            ),
            "run": Command(
                "strength.run:run",
                "Run a whole experiment with models from moves, from records to the table.",
            ),
            "describe": Command(
                "strength.describe:describe",
                "Draw the data: labels, what moves lose, how ratings settle, lengths of games.",
            ),
            "train": Command(
                "strength.train:train", "Train a Set Transformer on the games of an experiment."
            ),
            "search": Command(
                "strength.search:search",
                "Search for the settings with which a network predicts best.",
            ),
            "style": Command(
                "strength.style:style",
                "Tell ranks from features of style, and how well that works.",
            ),
        },
    ),
    "trickplay": Family(
        "Trick plays: find local problems in games, and rate the answers to them.",
        (
            "trickplay index games.zip -o games.idx",
            "trickplay rate problems.sgf --games games.idx",
        ),
        {
            "index": Command(
                "trickplay.index:index",
                "Build an index of games: one file, which searches map into memory.",
            ),
            "find": Command(
                "trickplay.find:find",
                "Find the positions of problems in games, whichever way they lie.",
            ),
            "rate": Command(
                "trickplay.rate:rate", "Rate the refutation and the failure of each problem."
            ),
        },
    ),
    "tournament": Family(
        "Tournaments: files, pairing, standings, rating changes, simulations.",
        (
            "tournament standings open.xml",
            "tournament pair open.xml",
        ),
        {
            "show": Command(
                "tournament.show:show",
                "What a tournament file holds: rounds, players, games and rules.",
            ),
            "standings": Command(
                "tournament.standings:standings",
                "Standings by any criteria after any round; tied players share a place.",
            ),
            "convert": Command(
                "tournament.convert:convert",
                "Write a tournament in another format, or the same one.",
            ),
            "ratings": Command(
                "tournament.ratings:ratings",
                "Rating changes by the ratings in the file, before they are published.",
            ),
            "needs": Command(
                "tournament.needs:needs",
                "What a player needs in the last round for which place.",
            ),
            "pair": Command(
                "tournament.pair:pair", "Propose the next round's boards, each with its reasons."
            ),
            "simulate": Command(
                "tournament.simulate:simulate",
                "Play a tournament thousands of times, and say who comes where.",
            ),
            "study": Family(
                "Which tie-breaks, pairings and weights are best, by simulated tournaments.",
                (
                    "tournament study ties --tournaments 1000 --plot ties.svg",
                    "tournament study pairing --replicates 20",
                ),
                {
                    "ties": Command(
                        "tournament.study:ties",
                        "Test tie-breaks: how often the stronger of two tied players comes ahead.",
                    ),
                    "pairing": Command(
                        "tournament.study:pairing",
                        "Compare pairing systems by how well ratings come to measure strengths.",
                    ),
                    "weights": Command(
                        "tournament.study:weights",
                        "Search the weights of pairing for those that measure best (needs optuna).",
                    ),
                },
            ),
        },
    ),
    "backgammon": Family(
        "Backgammon: from errors to ratings, with GNU Backgammon as the judge.",
        (
            "backgammon rating --epm 0.0085 --epc 0.021 --length 7",
            "backgammon analyse matches/*.mat --html me.html",
        ),
        {
            "rating": Command(
                "backgammon.rating:rating",
                "Rating of a player from error rates in a match, or the error rates of a rating.",
            ),
            "analyse": Command(
                "backgammon.analyse:analyse",
                "Analyse matches: what the errors say about each player, with blunders and trend.",
            ),
            "play": Command(
                "backgammon.study:play",
                "Play matches between GNU Backgammon's players of given noise, and analyse them.",
            ),
            "study": Family(
                "Van den Doel's studies: play them again, or fit a table of matches.",
                (
                    "backgammon study part2 results.jsonl --matches 200",
                    "backgammon study fit",
                ),
                {
                    "part1": Command(
                        "backgammon.study:part1",
                        "Part I: rating difference and error rate per decision of any kind.",
                    ),
                    "part2": Command(
                        "backgammon.study:part2",
                        "Part II: errors of moves and of cube decisions apart.",
                    ),
                    "depth": Command(
                        "backgammon.study:depth",
                        "Expert against advanced player, analysed at 0 and at 2 plies.",
                    ),
                    "strong": Command(
                        "backgammon.study:strong",
                        "World class (2 plies) against expert (0 plies) at 3 points.",
                    ),
                    "appendix": Command(
                        "backgammon.study:appendix",
                        "Appendix II: players of one level with moves, another with the cube.",
                    ),
                    "table": Command(
                        "backgammon.study_fits:table",
                        "Make a small table of the matches in results files, for fits.",
                    ),
                    "fit": Command(
                        "backgammon.study_fits:fit",
                        "Fit the formulas to a table of matches; needs no GNU Backgammon.",
                    ),
                    "compare": Command(
                        "backgammon.study_fits:compare",
                        "Score old and refitted formulas on matches that were left out of the fit.",
                    ),
                },
            ),
        },
    ),
    "handicap": Command(
        "handicap:handicap",
        "Handicap for two players by Goldis' rule: stones, komi, and who wins ties.",
    ),
    "convert": Command(
        "convert:convert", "Convert results of games between SGF, PGN, CSV, JSON and Parquet."
    ),
    "serve": Command(
        "serve:serve", "Serve the page that measures strength, and its interface for programs."
    ),
}
