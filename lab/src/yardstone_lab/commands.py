"""The commands that the laboratory adds to `yardstone`; `pyproject.toml` says where each stands."""

from __future__ import annotations

from yardstone.cli.table import Command, Family


def _command(place: str, about: str, *, advanced: bool = False) -> Command:
    return Command(place, about, package="yardstone_lab.cli", advanced=advanced)


TRACE = _command(
    "kaniuk:trace",
    "Follow ratios and coefficients through a moving window of years.",
    advanced=True,
)

PUBLISHED = _command(
    "kaniuk:published",
    "Fit the model as Kaniuk did: weighted least squares on ratios.",
    advanced=True,
)

COMPARE = _command(
    "kaniuk:compare",
    "Cross-validate the published form against others.",
    advanced=True,
)

TRAIN_NETWORK = _command(
    "net_training:train",
    "Train a small network on games between people.",
    advanced=True,
)

RUN = _command(
    "strength:run",
    "Run a whole experiment, from game records to results.",
    advanced=True,
)

DESCRIBE = _command(
    "strength:describe",
    "Plot the data: labels, losses of moves, settling of ratings.",
    advanced=True,
)

TRAIN = _command(
    "strength:train",
    "Train a model of strength on an experiment or on ranked games.",
)

SEARCH = _command(
    "strength:search",
    "Search for the settings with which a network predicts best.",
    advanced=True,
)

TOURNAMENT_STUDY = Family(
    "Find the best tie-breaks, pairings and weights by simulation.",
    (
        "tournament study ties --tournaments 1000 -o ties.svg",
        "tournament study pairing --replicates 100",
    ),
    {
        "ties": _command(
            "kaniuk:ties",
            "Test how often a tie-break puts the stronger player ahead.",
        ),
        "pairing": _command(
            "kaniuk:pairing",
            "Compare pairing systems by how well they measure strength.",
        ),
        "weights": _command(
            "kaniuk:weights",
            "Search for the pairing weights that measure strength best.",
        ),
    },
    advanced=True,
)

PLAY = _command(
    "backgammon:play",
    "Play and analyse matches between GNU Backgammon players.",
    advanced=True,
)

BACKGAMMON_STUDY = Family(
    "Repeat van den Doel's studies, or fit a table of matches.",
    (
        "backgammon study part2 results.jsonl --matches 200",
        "backgammon study fit",
    ),
    {
        "part1": _command(
            "backgammon:part1",
            "Repeat Part I: rating difference and error rate per decision.",
        ),
        "part2": _command(
            "backgammon:part2",
            "Repeat Part II: chequer and cube errors apart.",
        ),
        "depth": _command(
            "backgammon:depth",
            "Pit expert against advanced player, analysed at 0 and 2 plies.",
        ),
        "strong": _command(
            "backgammon:strong",
            "Pit world class (2 plies) against expert (0 plies) at 3 points.",
        ),
        "appendix": _command(
            "backgammon:appendix",
            "Repeat Appendix II: strong with chequers, weak with the cube.",
        ),
        "table": _command(
            "backgammon:table",
            "Make a table of matches from results files, for fits.",
        ),
        "fit": _command(
            "backgammon:fit",
            "Fit the formulas to a table of matches; needs no GNU Backgammon.",
        ),
        "compare": _command(
            "backgammon:compare",
            "Score old and refitted formulas on matches held out.",
        ),
    },
    advanced=True,
)
