"""`yardstone strength`: playing strength from the moves of games."""

from __future__ import annotations

import typer

from yardstone.cli.strength_calibrate import calibrate
from yardstone.cli.strength_describe import describe
from yardstone.cli.strength_estimate import estimate
from yardstone.cli.strength_run import run
from yardstone.cli.strength_search import search
from yardstone.cli.strength_style import style
from yardstone.cli.strength_train import train

__all__ = ["EXAMPLES", "application"]

#: What stands below the help of each subcommand, "" being the whole.
EXAMPLES = {
    name: "\b\nExamples:\n" + "\n".join(f"  yardstone strength {line}" for line in lines)
    for name, lines in {
        "": ("estimate games/*.sgf --player Anna", "run experiment.toml"),
        "estimate": (
            "estimate games/*.sgf",
            "estimate game.sgf --player Anna --scale egf",
            "estimate games.zip --level 0.95 -o anna.html",
        ),
        "calibrate": (
            "calibrate ratings.csv games/*.sgf --site Club -o club.json",
            "calibrate pairs.csv -o club.json",
        ),
        "run": ("run experiment.toml",),
        "describe": ("describe experiment.toml -o figures",),
        "train": ("train experiment.toml",),
        "search": ("search experiment.toml",),
        "style": ("style features/*.tab", "style known.tab --predict unknown.tab --format csv"),
    }.items()
}


def application() -> typer.Typer:
    """The subcommands of `strength`."""
    app = typer.Typer(
        name="strength",
        help="Strength from moves: estimate a player, train models, run experiments.",
        epilog=EXAMPLES[""],
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for command in (estimate, calibrate, run, describe, train, search, style):
        app.command(command.__name__, epilog=EXAMPLES[command.__name__])(command)
    return app
