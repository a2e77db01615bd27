"""`yardstone go`: what KataGo's networks say of positions and games."""

from __future__ import annotations

import typer

from yardstone.cli import go_nets
from yardstone.cli.go_analyse import analyse
from yardstone.cli.go_evaluate import evaluate
from yardstone.cli.go_features import features
from yardstone.cli.go_judge import judge

__all__ = ["EXAMPLES", "application"]

#: What stands below the help of each subcommand, "" being the whole.
EXAMPLES = {
    name: "\b\nExamples:\n" + "\n".join(f"  yardstone go {line}" for line in lines)
    for name, lines in {
        "": ("nets download b6c96", "analyse game.sgf --plot game.svg"),
        "evaluate": ("evaluate positions.jsonl -o evaluated.jsonl.gz",),
        "analyse": ("analyse game.sgf --plot game.svg", "analyse games.zip -o moves.csv"),
        "judge": ("judge games/*.sgf -o winners.csv",),
        "features": ("features games.zip -o store --features head,pick",),
    }.items()
}


def application() -> typer.Typer:
    """The subcommands of `go`."""
    app = typer.Typer(
        name="go",
        help="Go with KataGo's networks: evaluate positions, analyse and judge games.",
        epilog=EXAMPLES[""],
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command("evaluate", epilog=EXAMPLES["evaluate"])(evaluate)
    app.command("analyse", epilog=EXAMPLES["analyse"])(analyse)
    app.command("judge", epilog=EXAMPLES["judge"])(judge)
    app.command("features", epilog=EXAMPLES["features"])(features)
    app.add_typer(go_nets.application(), name="nets")
    return app
