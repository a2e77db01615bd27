"""The command itself: help, hints, and how it ends."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.backgammon.gnubg_here import real_gnubg
from tests.cli.calls import Command
from tests.docs import blocks
from yardstone.cli import commands, table
from yardstone.cli.commands import application
from yardstone.cli.demo import DEMOS
from yardstone.cli.main import INTERRUPTED, main
from yardstone.examples import copy_examples, example_files

YARDSTONE = [sys.executable, "-m", "yardstone"]


def test_help_shows_what_most_need_and_help_all_the_rest(run: Command) -> None:
    said = run("--help")
    listed = [name for names in table.PANELS.values() for name in names]
    assert sorted(listed) == sorted((*table.COMMANDS, *table.OWN_SWITCHES))
    places = [said.out.index(f"\n{panel}:\n") for panel in table.PANELS]
    assert (places, said.err) == (sorted(places), "")
    assert all(f"\n  {name} " in said.out for name in listed)
    # A family lists what most need; the latter has a command that needs no name.
    out = run("tournament --help").out
    assert "\n  generate " not in out
    assert re.search(r"Show all commands, \d more: yardstone tournament --help-all\n", out)
    for family, name in (("tournament", "generate"), ("winprob", "stats")):
        out = run(f"{family} --help-all").out
        assert ("--help-all" in out, f"\n  {name} " in out) == (False, True)

    def options_of(text: str) -> list[str]:
        return re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)

    usual, whole = run("rate --help").out, run("rate --help-all").out
    words = ["\nOptions:\n", "\nInput:\n", "--query", "\nMoves:\n", "\nNetwork:\n", "\nOutput:\n"]
    places = [whole.index(each) for each in (*words, "\nMemory and machines:\n", "--engine")]
    assert places == sorted(places)
    rest = set(options_of(whole)) - set(options_of(usual))
    assert {"--engine", "--memory", "--seed"} < rest
    assert re.search(rf"--help-all +Show all options, {len(rest)} more\.\n", usual)
    assert "Examples:\n    yardstone rate " in usual
    assert "--help-all" not in run("demo --help").out  # there is no more, and none is promised
    for line in ("--version", "--version rate"):
        assert re.fullmatch(r"yardstone \d+\.\d+\S*\n", run(line).out)
    out = run("", status=2).out  # wrong usage, but it helps
    assert all(f"  yardstone {words} " in out for words in ("demo", "rate games.pgn", "--help"))


def test_what_was_meant(run: Command) -> None:
    copy_examples(run.folder)
    for line, status, hint in (
        # Misspelt words get what was meant; where nothing is near, the way to the help.
        ("bogus", 2, "Try 'yardstone --help'."),
        ("rtae", 2, "Did you mean 'yardstone rate'"),
        ("analyse", 2, "mean 'yardstone go analyse' or 'yardstone backgammon analyse'"),
        ("open.xml", 2, "Did you mean 'yardstone tournament standings open.xml'"),
        ("league.csv", 2, "Did you mean 'yardstone rate league.csv'"),
        ("rate --anchr x", 2, "Did you mean --anchor?"),
        # Options that went name what replaces them, if the command has that.
        ("rate x.csv --html x.html", 2, "Say -o FILE.html"),
        ("rate x.csv --prior Ann=2100±50", 2, "Say --anchor NAME=RATING±DEVIATION"),
        ("evaluate x.csv --players a,b", 2, "Say --columns first=COLUMN"),
        ("winprob 2d 4d --model x", 2, "Try 'yardstone winprob between --help'"),
        # Files are looked for among their neighbours and the examples.
        ("rate leage.csv", 1, "Did you mean 'league.csv'?"),
        ("rate none/league.csv", 1, "'yardstone demo --copy .' puts it into this folder"),
    ):
        said = run(line, status=status)
        assert (said.out, said.err[:18]) == ("", "yardstone: error: "), line
        assert hint in said.err, line
        for word in ("--help", "Say --"):
            assert (word in said.err) == (word in hint), line


def test_a_closed_pipe_is_no_noise(run: Command) -> None:
    lines = [f"P{k},P{(k * 7 + 1) % 2000},{k % 2}" for k in range(2000)]
    run.write("many.csv", "\n".join(["white,black,result", *lines]))
    words = [*YARDSTONE, "convert", "many.csv", "--to", "json", "-q"]
    # Unbuffered, Python 3.11 takes a write cut short for a whole one.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(words, stdout=PIPE, stderr=PIPE, env=buffered) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1


def test_an_interrupt_is_quiet(tmp_path: Path) -> None:
    pipe = tmp_path / "games.pgn"
    os.mkfifo(pipe)
    with subprocess.Popen([*YARDSTONE, "rate", pipe], stdout=PIPE, stderr=PIPE) as running:
        with pipe.open("wb"):  # opened, it is being read
            running.send_signal(signal.SIGINT)
            try:
                said = running.communicate(timeout=600)
            finally:
                running.kill()
        assert (running.returncode, said) == (INTERRUPTED, (b"", b""))


@pytest.mark.usefixtures("kept_evaluations")
@pytest.mark.parametrize("name", ["", *DEMOS])
def test_a_demo_shows_what_the_commands_print(
    name: str, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    monkeypatch.setenv("YARDSTONE_GNUBG", "/nowhere/gnubg")
    before = run.names()
    out = run(f"demo {name}").out
    assert run.names() == before
    run("demo --copy .")
    for line in DEMOS[name or "rate"].commands:
        printed = "" if name else run(line).out
        assert f"$ yardstone {line}\n{printed}" in out
    needs = {"go": "Network yardstone-b6c64, model small", "backgammon": "apt-get install gnubg"}
    assert needs.get(name, "Try next") in out
    assert name or all(f"yardstone demo {each}" in out for each in DEMOS)


def test_without_what_runs_a_network_and_copies(
    monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.setattr("yardstone.cli.demo.find_spec", lambda _: None)
    out = run("demo go").out
    assert ("pip install 'yardstone[go]'" in out, "$ yardstone strength" in out) == (True, False)
    run("demo --copy files")
    assert {path.name for path in (run.folder / "files").iterdir()} == set(example_files())
    run.write("files/league.csv", "mine")
    assert "not overwritten" in run("demo --copy files", status=1).err
    assert run.read("files/league.csv") == "mine"


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
    **dict.fromkeys(("go", "go analyse"), "--visits 4"),
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
        assert lines, words
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


@pytest.mark.usefixtures("kept_evaluations")
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
