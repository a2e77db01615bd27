"""The commands of the table as typer has them, each loaded when it is called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import getdoc
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from yardstone.cli.bundles import expanded
from yardstone.cli.help import PanelledCommand, epilog, write_commands
from yardstone.cli.table import COMMANDS, OWN_SWITCHES, PANELS, Command, Family

__all__ = ["EXAMPLES", "application"]

_ABOUT = "Measure playing strength: ratings, with their uncertainty, from results of games."
EXAMPLES = (
    "demo",
    "demo --copy .",
    "rate league.csv --plot ratings.svg",
    "tournament standings open.xml",
)
_HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


def application(*path: str) -> Any:
    """The whole command, or the family or command that `path` leads to."""
    entry: Command | Family = Family(_ABOUT, EXAMPLES, COMMANDS)
    for name in path:
        assert isinstance(entry, Family)
        entry = entry.commands[name]
    if isinstance(entry, Command):
        return _command(path[-1], entry)
    return _group(path[-1] if path else "yardstone", entry, whole=not path)


class _Lazy(TyperGroup):
    """A group that knows its commands by name, and loads the one that is called."""

    family: Family

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.family.commands, *(OWN_SWITCHES if ctx.parent is None else ())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if ctx.parent is None and cmd_name in OWN_SWITCHES:
            return _own_switches(cmd_name, OWN_SWITCHES[cmd_name])
        entry = self.family.commands.get(cmd_name)
        if isinstance(entry, Command):
            return _command(cmd_name, entry)
        return None if entry is None else _group(cmd_name, entry)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        default = self.family.default
        if default and args and args[0] not in (*self.family.commands, "-h", "--help"):
            args = [default, *args]
        return list(super().parse_args(ctx, args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            from yardstone.cli.suggestions import unknown_command

            ctx.fail(unknown_command(args[0], ctx.command_path, names))
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self.format_commands(ctx, formatter)
        options = [each.get_help_record(ctx) for each in self.get_params(ctx)]
        if ctx.parent is None:
            with formatter.section("Options"):
                formatter.write_dl([each for each in options if each is not None])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        if ctx.parent is None:
            write_commands(formatter, {**self.family.commands, **OWN_SWITCHES}, PANELS)
        else:
            names = tuple(self.family.commands)
            write_commands(formatter, self.family.commands, {"Commands": names})


def _group(name: str, family: Family, *, whole: bool = False) -> Any:
    app = typer.Typer(
        name=name,
        cls=_Lazy,
        help=family.about,
        epilog=epilog(f"yardstone {line}" for line in family.examples),
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=whole,
        context_settings=_HELP,
    )
    app.callback()(_everywhere if whole else _nothing)
    group = get_command(app)
    group.family = family  # type: ignore[attr-defined]
    return group


def _nothing() -> None:
    """Let a group have no options of its own."""


def _everywhere(
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    if version:
        import yardstone

        print(f"yardstone {yardstone.__version__}")
        raise typer.Exit


def _function(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    function: Callable[..., Any] = getattr(import_module(f"yardstone.cli.{module}"), name)
    return function


def _command(name: str, entry: Command) -> Any:
    function = _function(entry.place)
    about, _, examples = (getdoc(function) or "").partition("\n\nExamples\n--------\n")
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    app.command(
        name,
        cls=PanelledCommand,
        help=about,
        epilog=epilog(examples.splitlines()),
        context_settings=_HELP,
    )(expanded(function))
    return get_command(app)


def _own_switches(name: str, entry: Command) -> Any:
    """A command that is given its words as they are."""
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    passing = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

    def run(context: typer.Context) -> None:
        raise typer.Exit(_function(entry.place)(context.args))

    app.command(name, help=entry.about, context_settings=passing, add_help_option=False)(run)
    return get_command(app)
