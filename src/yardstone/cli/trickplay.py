"""`yardstone trickplay`: local problems set into games, and their answers rated."""

from __future__ import annotations

import typer

from yardstone.cli.trickplay_find import find
from yardstone.cli.trickplay_index import index
from yardstone.cli.trickplay_rate import rate

__all__ = ["EXAMPLES", "application"]

#: What stands below the help of each subcommand, "" being the whole.
EXAMPLES = {
    name: "\b\nExamples:\n" + "\n".join(f"  yardstone trickplay {line}" for line in lines)
    for name, lines in {
        "": ("index games.zip -o games.idx", "rate problems.sgf --games games.idx"),
        "index": ("index games.zip more/ -o games.idx",),
        "find": (
            "find problems.sgf --games games.idx",
            "find joseki.txt --games games.zip --sgf found.sgf",
        ),
        "rate": (
            "rate problems/ --games games.idx --plot ratings.svg",
            "rate problem.sgf --games games.idx --boards 10 -o problem.json",
        ),
    }.items()
}


def application() -> typer.Typer:
    """The subcommands of `trickplay`."""
    app = typer.Typer(
        name="trickplay",
        help="Trick plays: find local problems in games, and rate the answers to them.",
        epilog=EXAMPLES[""],
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command("index", epilog=EXAMPLES["index"])(index)
    app.command("find", epilog=EXAMPLES["find"])(find)
    app.command("rate", epilog=EXAMPLES["rate"])(rate)
    return app
