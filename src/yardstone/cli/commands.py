"""The command with all its subcommands, as typer has it."""

from __future__ import annotations

from importlib import import_module

import typer

from yardstone.cli import (
    backgammon,
    convert,
    evaluate,
    go,
    handicap,
    history,
    match,
    predict,
    rate,
    serve,
    strength,
    tournament,
    trickplay,
    winprob,
)
from yardstone.cli.main import OWN_SWITCHES

__all__ = ["application"]


def application() -> typer.Typer:
    """Put the subcommands together."""
    app = typer.Typer(
        name="yardstone",
        help="Measures playing strength: ratings, with their uncertainty, from results of games.",
        epilog="Example: yardstone rate games.pgn --plot ratings.svg",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_everywhere)
    app.command("rate", epilog=rate.EXAMPLES)(rate.rate)
    app.command("match", epilog=match.EXAMPLES)(match.match)
    app.command("history", epilog=history.EXAMPLES)(history.history)
    app.command("predict", epilog=predict.EXAMPLES)(predict.predict)
    app.command("evaluate", epilog=evaluate.EXAMPLES)(evaluate.evaluate)
    app.add_typer(winprob.application(), name="winprob")
    app.add_typer(go.application(), name="go")
    app.add_typer(strength.application(), name="strength")
    app.add_typer(trickplay.application(), name="trickplay")
    app.add_typer(tournament.application(), name="tournament")
    app.add_typer(backgammon.application(), name="backgammon")
    app.command("handicap", epilog=handicap.EXAMPLES)(handicap.handicap)
    app.command("convert", epilog=convert.EXAMPLES)(convert.convert)
    app.command("serve", epilog=serve.EXAMPLES)(serve.serve)
    for name, (module, about) in OWN_SWITCHES.items():
        _register(app, name, module, about)
    return app


def _everywhere(
    version: bool = typer.Option(False, "--version", help="Show the version and leave."),
) -> None:
    if version:
        import yardstone

        print(f"yardstone {yardstone.__version__}")
        raise typer.Exit


def _register(app: typer.Typer, name: str, module: str, about: str) -> None:
    """Let a subcommand with switches of its own appear in the help."""
    passing = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

    def run(context: typer.Context) -> None:
        raise typer.Exit(import_module(module).main(context.args))

    app.command(name, help=about, context_settings=passing, add_help_option=False)(run)
