"""The table of commands and the functions that it names agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import getdoc, signature
from typing import ClassVar

import pytest
import typer

from yardstone.cli.commands import application
from yardstone.cli.declare import advanced, bundle, expanded, flag, option
from yardstone.cli.table import COMMANDS, OWN_SWITCHES, Command, Family, about_of, with_plugins


def paths(entries: Mapping[str, Command | Family], *before: str) -> Iterator[tuple[str, ...]]:
    for name, entry in with_plugins(entries, *before).items():
        if isinstance(entry, Command):
            yield (*before, name)
        else:
            yield from paths(entry.commands, *before, name)


@pytest.mark.parametrize("path", list(paths(COMMANDS)), ids=" ".join)
def test_a_command_says_what_the_table_says(path: tuple[str, ...]) -> None:
    entry: Command | Family = Family("", (), COMMANDS)
    is_default = False
    for length, name in enumerate(path):
        assert isinstance(entry, Family)
        is_default = entry.default == name
        entry = with_plugins(entry.commands, *path[:length])[name]
    assert isinstance(entry, Command)
    command = application(*path)
    assert " ".join(command.help.split("\n\n")[0].split()) == about_of(entry)
    assert "Examples:" in command.epilog
    lines = [line.strip() for line in command.epilog.splitlines()[2:]]
    assert lines
    shown = f"yardstone {' '.join(path[:-1] if is_default else path)}"
    assert all(line.startswith(shown) for line in lines)


def listed(entries: Mapping[str, Command | Family], *before: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of all that ``--help`` lists, families and commands."""
    for name, entry in with_plugins(entries, *before).items():
        if not entry.advanced:
            yield (*before, name)
            if isinstance(entry, Family):
                yield from listed(entry.commands, *before, name)


def test_help_is_no_longer_than_people_read() -> None:
    pages = [(), *listed(COMMANDS), *OWN_SWITCHES]
    assert len(pages) <= 60
    commands = set(paths(COMMANDS)) & set(pages)
    options = 0
    for command in (application(*path) for path in commands):
        common = [each for each in command.params if each.name not in command.advanced]
        options += sum(each.param_type_name == "option" for each in common)
    assert options + len(commands) <= 600  # and --help


@pytest.mark.parametrize("name", list(OWN_SWITCHES))
def test_commands_with_switches_of_their_own_are_described(name: str) -> None:
    module, _, _ = OWN_SWITCHES[name].place.partition(":")
    assert getdoc(__import__(f"yardstone.cli.{module}", fromlist=["main"]).main)


def test_a_bundle_and_a_command_declare_options_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @bundle
    class Bounds:
        PANEL: ClassVar[str] = "Bounds"

        low: int = option("The least.", default=1, min=0)

    @bundle
    class Limits(Bounds):
        high: int | None = advanced("The most.", "--most", "-m")

    assert Limits(low=3) == Limits(low=3, high=None)  # made in Python, it has the defaults

    def measure(*, limits: Limits, deep: bool = flag("Look twice.")) -> None:
        print(limits.low, limits.high, deep)

    measure.__annotations__["limits"] = Limits  # not at the top of a module
    whole, less_common = expanded(measure)
    assert less_common == {"high"}
    parameters = signature(whole).parameters
    assert list(parameters) == ["low", "high", "deep", "help_all"]
    assert parameters["low"].default == 1
    app = typer.Typer(add_completion=False)
    app.command()(whole)
    app(["--most", "5", "--deep"], standalone_mode=False)
    assert capsys.readouterr().out == "1 5 True\n"
