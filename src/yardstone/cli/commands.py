"""The commands of the table as typer has them, loaded when called; hints for misspelt words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from yardstone import plugins
from yardstone.choices import nearest, one_of
from yardstone.cli import declare, table
from yardstone.errors import UsageError

_ABOUT = "Measure playing strength: ratings, with their uncertainty, from results of games."
EXAMPLES = (
    "demo",
    "demo --copy .",
    "rate league.csv -o ratings.svg",
    "tournament standings open.xml",
)
_HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
#: How all commands are shown.
_PLAIN: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False}


def application(*path: str) -> Any:
    """The whole command, or the family or command that `path` leads to."""
    entry: table.Command | table.Family = table.Family(_ABOUT, EXAMPLES, table.COMMANDS)
    for length, name in enumerate(path, 1):
        assert isinstance(entry, table.Family)
        entry = entry.commands.get(name) or table.plugged(".".join(path[:length]))
    return _command(path[-1], entry) if isinstance(entry, table.Command) else _group(path, entry)


class _Lazy(declare.Sparing, TyperGroup):
    """A group that knows its commands by name, and loads the one that is called."""

    family: table.Family
    path: tuple[str, ...]

    def list_commands(self, ctx: Any) -> list[str]:
        own = table.OWN_SWITCHES if not self.path else ()
        return [*table.with_plugins(self.family.commands, *self.path), *own]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if not self.path and cmd_name in table.OWN_SWITCHES:
            return _own_switches(cmd_name, table.OWN_SWITCHES[cmd_name])
        entry = self.family.commands.get(cmd_name)
        if entry is None and self._is_added(cmd_name):
            entry = table.plugged(self._full(cmd_name))
        if isinstance(entry, table.Command):
            return _command(cmd_name, entry)
        return None if entry is None else _group((*self.path, cmd_name), entry)

    def _full(self, name: str) -> str:
        return ".".join((*self.path, name))

    def _is_added(self, name: str) -> bool:
        return self._full(name) in plugins.declared(plugins.COMMANDS)

    def _is_known(self, name: str) -> bool:
        """Whether it is a command here, built in, of a plug-in, or of the laboratory."""
        own = name in self.family.commands or (not self.path and name in table.OWN_SWITCHES)
        return own or self._full(name) in table.LABORATORY or self._is_added(name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        default = self.family.default
        help_asked = args and args[0] in ("-h", "--help", "--help-all")
        if default and args and not help_asked and not self._is_known(args[0]):
            args = [default, *args]
        return list(super().parse_args(ctx, args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if not self._is_known(name) and not name.startswith("-"):
            ctx.fail(unknown_command(name, ctx.command_path, self.list_commands(ctx)))
        if self._full(name) in table.LABORATORY and not self._is_added(name):
            raise UsageError(
                f"{ctx.command_path} {name} is part of the laboratory, a package of its own: "
                "pip install yardstone-lab, or make install in a checkout"
            )
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self.format_commands(ctx, formatter)
        options = [each.get_help_record(ctx) for each in self.get_params(ctx)]
        if ctx.parent is None:
            with formatter.section("Options"):
                formatter.write_dl([each for each in options if each and each[1]])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = table.with_plugins(self.family.commands, *self.path)
        if self.path:
            shown = [name for name, entry in commands.items() if not entry.advanced]
            if declare.shows_all(ctx) or not shown:
                shown = list(commands)
            declare.write_commands(formatter, commands, {"Commands": tuple(shown)})
            if more := len(commands) - len(shown):
                formatter.write_paragraph()
                formatter.write_text(
                    f"Show all commands, {more} more: {ctx.command_path} --help-all"
                )
            return
        added = tuple(name for name in commands if name not in table.COMMANDS)
        panels = {**table.PANELS, "Plug-ins": added} if added else table.PANELS
        declare.write_commands(formatter, {**commands, **table.OWN_SWITCHES}, panels)


def _group(path: tuple[str, ...], family: table.Family) -> Any:
    whole = not path
    app = typer.Typer(
        name=path[-1] if path else "yardstone",
        cls=_Lazy,
        help=family.about,
        epilog=declare.epilog(f"yardstone {line}" for line in family.examples),
        no_args_is_help=True,
        add_completion=whole,
        context_settings=_HELP,
        **_PLAIN,
    )
    app.callback()(_everywhere if whole else _nothing)
    group = get_command(app)
    group.family, group.path = family, path  # type: ignore[attr-defined]
    return group


def _nothing(help_all: declare.HelpAll = False) -> None:
    """Let a group have no options of its own."""


def _everywhere(
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
    help_all: declare.HelpAll = False,
) -> None:
    if version:
        import yardstone

        print(f"yardstone {yardstone.__version__}")
        raise typer.Exit


def _function(entry: table.Command) -> Callable[..., Any]:
    module, _, name = entry.place.partition(":")
    function: Callable[..., Any] = getattr(
        import_module(f"{entry.package}.{module}".lstrip(".")), name
    )
    return function


def _command(name: str, entry: table.Command) -> Any:
    function = _function(entry)
    about, _, examples = (getdoc(function) or "").partition("\n\nExamples:\n")
    whole, advanced = declare.expanded(function)
    command = _made(
        name,
        whole,
        cls=declare.PanelledCommand,
        help=about,
        epilog=declare.epilog(line.strip() for line in examples.splitlines()),
        context_settings=_HELP,
    )
    command.advanced = advanced
    return command


def _made(name: str, function: Callable[..., Any], **settings: Any) -> Any:
    app = typer.Typer(add_completion=False, **_PLAIN)
    app.command(name, **settings)(function)
    return get_command(app)


def _own_switches(name: str, entry: table.Command) -> Any:
    """A command that is given its words as they are."""
    passing = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

    def run(context: typer.Context) -> None:
        raise typer.Exit(_function(entry)(context.args))

    return _made(name, run, help=entry.about, context_settings=passing, add_help_option=False)


_MOST = 3
#: What a file is most likely for, where it stands in the place of a command.
_FOR_FILES = {
    **dict.fromkeys((".pgn", ".csv", ".json", ".parquet"), "rate"),
    **dict.fromkeys((".xml", ".h9", ".trf"), "tournament standings"),
    ".sgf": "strength estimate",
    ".mat": "backgammon analyse",
}


def unknown_command(word: str, path: str, names: list[str]) -> str:
    """The message for a command that is not there.

    Args:
        word: What was typed.
        path: The command before it, such as ``yardstone go``.
        names: The commands that there are in its place.
    """
    message = f"no such command: {word}"
    if (near := nearest(word, names)) is not None:
        return f"{message}. Did you mean '{path} {near}'?"
    suffixes = [each.lower() for each in Path(word).suffixes if each != ".gz"]
    if (used := _FOR_FILES.get(suffixes[-1] if suffixes else "")) and Path(word).is_file():
        return f"{message}. Did you mean 'yardstone {used} {word}'?"
    places = {
        " ".join(each): each[-1] for each in _paths((), {**table.COMMANDS, **table.OWN_SWITCHES})
    }
    near = nearest(word, places.values())
    meant = [f"yardstone {place}" for place, name in places.items() if name == near]
    return f"{message}. Did you mean {one_of(meant[:_MOST])}?" if meant else message


def _paths(
    path: tuple[str, ...], entries: Mapping[str, table.Command | table.Family]
) -> Iterator[tuple[str, ...]]:
    for name, entry in table.with_plugins(entries, *path).items():
        yield (*path, name)
        if isinstance(entry, table.Family):
            yield from _paths((*path, name), entry.commands)


#: What options of all reports that went are now; `{report}` is the option that names its file.
_OF_REPORTS = {
    "--html": "{report} FILE.html, the page beside the report on the screen",
    "--page": "{report} FILE.html",
    "--plot": "{report} FILE.svg, the chart beside the report on the screen",
}
#: The same of single commands.
_REPLACED = {
    "rate --prior": "--anchor NAME=RATING±DEVIATION",
    "match --games": "--players, and the files as they are",
    "evaluate --score": "--columns score=COLUMN",
    "evaluate --players": "--columns first=COLUMN,second=COLUMN",
    "strength estimate --calibration": "--scale FILE",
    "tournament new --tie-breaks": "--criteria NAMES",
    "tournament set --tie-breaks": "--criteria NAMES",
    "tournament simulate --draws": "--draw-rate RATE",
    "serve --limit": "--set NAME=VALUE",
    "winprob fit --method": "yardstone winprob published, the laboratory's least squares",
    "winprob fit --bootstrap": "yardstone winprob published --bootstrap SAMPLES",
}
#: Commands whose rare options became settings, which the help of ``--set`` names.
_BY_SETTING = ("serve", "tournament serve", "tournament generate")


def option_hint(word: str, context: Any) -> str:
    """A question that names the option meant; empty if none is near."""
    parameters = context.command.get_params(context) if context is not None else ()
    command = "" if context is None else context.command_path.partition(" ")[2]
    report = next((each.opts[-1] for each in parameters if each.name == "output"), None)
    now = _REPLACED.get(f"{command} {word}")
    if now is None and report is not None and word in _OF_REPORTS:
        now = _OF_REPORTS[word].format(report=report)
    if now is None and command in _BY_SETTING:
        name = word.lstrip("-").replace("-", "_")
        told = next(each.help or "" for each in parameters if "--set" in each.opts)
        now = f"--set {name}=VALUE" if name in re.findall(r"\w+", told) else None
    if now is not None:
        return f"Say {now}."
    options = {name for each in parameters for name in (*each.opts, *each.secondary_opts)}
    begins = sorted(name for name in options if name.startswith(word) and word != "--")
    near = nearest(word, sorted(options))
    meant = begins[:_MOST] if begins else [near] if near is not None else []
    return f"Did you mean {' or '.join(meant)}?" if meant else ""


def file_hint(name: str | None) -> str:
    """A question that names the files meant, or where the example of that name is."""
    from yardstone.examples import example_files

    if not name:
        return ""
    path = Path(name)
    if path.name in example_files():
        return f"{path.name} is an example: 'yardstone demo --copy .' puts it into this folder."
    try:
        there = {each.name.casefold(): each.name for each in path.parent.iterdir()}
    except OSError:
        return ""
    close = get_close_matches(path.name.casefold(), there, n=_MOST, cutoff=0.75)
    stem = path.name.partition(".")[0].casefold()
    close += [key for key in there if key.partition(".")[0] == stem and key not in close]
    meant = [str(path.with_name(there[key])) for key in close[:_MOST]]
    return f"Did you mean {one_of(meant)}?" if meant else ""
