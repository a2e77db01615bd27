"""Every command is described, its options explained, and its examples run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import getdoc
from pathlib import Path

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.cli.calls import Command
from tests.docs import blocks
from yardstone.cli import commands, table
from yardstone.cli.commands import application
from yardstone.cli.main import main
from yardstone.examples import copy_examples

DOCS = blocks.ROOT / "docs"
#: Where the options of a command are explained, if not on a page of its name.
PAGES = {"demo": "recipes", "prep": "ordo", "evaluate": "evaluation", "predict": "history"}
#: What they take of moves is explained on a page that their own leads to.
WITH_MOVES = ("evaluate", "history", "predict", "rate")
LONG_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
#: Examples that no test can run, by how they begin: they run until stopped, ask a server, need
#: networks, many records, players or an experiment of hours, take hours, or have their own tests.
NOT_RUN = (
    "serve", "tournament serve", "match games.pgn --watch", "go fetch", "go nets",
    "history --moves", "rate --moves", "evaluate --moves", "strength calibrate ratings.csv",
    "strength run", "strength describe", "strength train", "strength search",
    "backgammon play", "backgammon study", "tournament study", "demo",
)  # fmt: skip
#: What must have been done before an example.
BEFORE = {"tournament undo": "tournament result open.xml --round 5 --table 3 --score 1-0"}
#: Options that make an example small.
SMALL = {
    "winprob compare": "--folds 2",
    "winprob published": "--bootstrap 40",
    "tournament simulate": "--tournaments 4 --workers 1",
    "strength style": "--folds 2 --workers 1",
}


def examples_of(
    path: tuple[str, ...], entries: Mapping[str, table.Command | table.Family]
) -> Iterator[tuple[str, list[str]]]:
    for name, entry in table.with_plugins(entries, *path).items():
        words = (*path, name)
        if isinstance(entry, table.Family):
            yield " ".join(words), [f"yardstone {line}" for line in entry.examples]
            yield from examples_of(words, entry.commands)
            continue
        command = application(*words)
        assert " ".join(command.help.split("\n\n")[0].split()) == table.about_of(entry)
        lines = [line.strip() for line in command.epilog.splitlines()[2:]]
        family = table.COMMANDS.get(path[0]) if path else None
        shown = path if isinstance(family, table.Family) and family.default == name else words
        assert all(line.startswith(f"yardstone {' '.join(shown)}") for line in lines), words
        yield " ".join(words), lines


@cache
def shown_commands() -> set[str]:
    consoles = (
        b for page in blocks.documents() for b in blocks.blocks(page) if b.kind == "console"
    )
    every = (each for block in consoles for each in blocks.commands(block))
    return {" ".join(command.split()) for command, _ in every}


def test_every_command_has_examples_and_those_that_are_not_run_are_there() -> None:
    every = dict(examples_of((), table.COMMANDS))
    assert [command for command, lines in every.items() if not lines] == []
    lines = [line.removeprefix("yardstone ") for lines in every.values() for line in lines]
    for begin in NOT_RUN:
        assert any(line.startswith(begin) for line in lines), f"{begin}: no example begins so"
    for name, entry in table.OWN_SWITCHES.items():
        module, _, function = entry.place.partition(":")
        home = __import__(f"yardstone.cli.{module}", fromlist=[function])
        assert getdoc(getattr(home, function)), name


@pytest.mark.filterwarnings("ignore::yardstone.errors.SkippedWarning")
@pytest.mark.parametrize("first", ["", *table.COMMANDS])
def test_the_examples_run_where_the_reader_stands(
    first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All but those that the documentation shows with what they print, where they are run too."""
    shown = shown_commands()
    every = {"": [f"yardstone {line}" for line in commands.EXAMPLES]}
    if first:
        every = dict(examples_of((), {first: table.COMMANDS[first]}))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    done = set()
    for command, lines in every.items():
        wanted = [line.removeprefix("yardstone ") for line in lines if line not in shown]
        wanted = [line for line in wanted if not line.startswith(NOT_RUN)]
        folder = tmp_path / (command or "all")
        copy_examples(folder)
        monkeypatch.chdir(folder)
        for line in [*filter(None, [BEFORE.get(command)]), *wanted] if wanted else ():
            if line.startswith("backgammon analyse"):
                real_gnubg()
            if line not in done or command in BEFORE:
                assert main(shlex.split(f"{line} {SMALL.get(command, '')}")) == 0, line
                done.add(line)
                capsys.readouterr()


def test_every_option_is_explained_in_the_guide(run: Command) -> None:
    page = (DOCS / "reference" / "commands.md").read_text("utf-8")
    named = re.findall(r"^## yardstone (\w+)$", page, re.MULTILINE)
    assert sorted(named) == sorted((*table.COMMANDS, *table.OWN_SWITCHES))
    for command in named:
        option = "--help" if command in table.OWN_SWITCHES else "--help-all"
        assert f"## yardstone {command}\n\n```console\n$ yardstone {command} {option}\n" in page
        guide = (DOCS / "how-to" / f"{PAGES.get(command, command)}.md").read_text("utf-8")
        if command in WITH_MOVES:
            assert "(fusion.md" in guide
            guide += (DOCS / "how-to" / "fusion.md").read_text("utf-8")
        texts = [run(f"{command} {option}").out]
        if command == "go":
            names = ("evaluate", "analyse", "judge", "features")
            texts += [run(f"go {name} --help-all").out for name in names]
            guide += "--output"
        options = {name for text in texts for name in LONG_OPTION.findall(text)}
        known = {*LONG_OPTION.findall(guide), "--help", "--help-all"}
        assert options - known == set(), f"{command}: not explained in docs/how-to/"
