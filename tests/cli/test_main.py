"""The command itself: help, hints, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

from tests.cli.calls import Command
from yardstone.cli import table
from yardstone.cli.main import INTERRUPTED
from yardstone.examples import copy_examples

YARDSTONE = [sys.executable, "-m", "yardstone"]


def test_help_names_every_command_in_its_panel(run: Command) -> None:
    said = run("--help")
    places = [said.out.index(f"\n{panel}:\n") for panel in table.PANELS]
    assert places == sorted(places)
    listed = [name for names in table.PANELS.values() for name in names]
    assert sorted(listed) == sorted((*table.COMMANDS, *table.OWN_SWITCHES))
    assert all(f"\n  {name} " in said.out for name in listed)
    assert "yardstone rate league.csv" in said.out
    assert ("…" in said.out, said.err) == (False, "")
    # A family lists what most need; the latter has a command that needs no name.
    out = run("tournament --help").out
    assert "\n  generate " not in out
    assert re.search(r"Show all commands, \d more: yardstone tournament --help-all\n", out)
    for family, name in (("tournament", "generate"), ("winprob", "stats")):
        out = run(f"{family} --help-all").out
        assert ("--help-all" in out, f"\n  {name} " in out) == (False, True)


def test_help_shows_what_most_need_and_help_all_the_rest(run: Command) -> None:
    def options_of(text: str) -> list[str]:
        return re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)

    usual, whole = run("rate --help").out, run("rate --help-all").out
    panels = ["Arguments", "Options", "Input", "Moves", "Network", "Output", "Memory and machines"]
    places = [whole.index(f"\n{panel}:\n") for panel in panels]
    assert places == sorted(places)
    assert whole.index("\nInput:\n") < whole.index("--query") < whole.index("\nOutput:\n")
    assert whole.index("\nMemory and machines:\n") < whole.index("--engine")
    assert options_of(whole)[:4] == ["--anchor", "--average", "--top", "--min-games"]
    assert {"--anchor", "--top", "--output", "--where"} < set(options_of(usual))
    rest = set(options_of(whole)) - set(options_of(usual))
    assert {"--engine", "--memory", "--seed"} < rest
    assert re.search(rf"--help-all +Show all options, {len(rest)} more\.\n", usual)
    assert "Show all options.\n" in whole
    assert "Examples:\n    yardstone rate " in usual
    for few in ("--help", "--help-all"):  # there is no more, and none is promised
        assert not re.search("\nOutput:\n|--help-all", run(f"demo {few}").out)
    for line in ("--version", "--version rate"):
        assert re.fullmatch(r"yardstone \d+\.\d+\S*\n", run(line).out)
    out = run("", status=2).out  # wrong usage, but it helps
    assert all(f"  yardstone {words} " in out for words in ("demo", "rate games.pgn", "--help"))


def test_what_was_meant(run: Command) -> None:
    copy_examples(run.folder)
    for line, status, hint in (
        # Misspelt words get what was meant; where nothing is near, the way to the help.
        ("bogus", 2, "Try 'yardstone --help'."),
        ("--bogus", 2, "Try 'yardstone --help'."),
        ("rtae", 2, "Did you mean 'yardstone rate'"),
        ("tournament piar", 2, "Did you mean 'yardstone tournament pair'"),
        ("standings open.xml", 2, "Did you mean 'yardstone tournament standings'"),
        ("analyse", 2, "mean 'yardstone go analyse' or 'yardstone backgammon analyse'"),
        ("open.xml", 2, "Did you mean 'yardstone tournament standings open.xml'"),
        ("league.csv", 2, "Did you mean 'yardstone rate league.csv'"),
        ("rate --anchr x", 2, "Did you mean --anchor?"),
        ("match --half x", 2, "Did you mean --half-width?"),
        ("--versoin", 2, "Did you mean --version?"),
        # Options that went name what replaces them, if the command has that.
        ("rate x.csv --html x.html", 2, "Say -o FILE.html"),
        ("tournament pair x.xml --plot x.svg", 2, "Say --boards FILE.svg"),
        ("serve --keep-days 3", 2, "Say --set keep_days=VALUE"),
        ("rate x.csv --prior Ann=2100±50", 2, "Say --anchor NAME=RATING±DEVIATION"),
        ("tournament new x.xml --tie-breaks SOS", 2, "Say --criteria NAMES"),
        ("winprob fit x.csv --method newton", 2, "Say yardstone winprob published"),
        ("tournament serve x.xml --title x", 2, "Say --set title=VALUE"),
        ("evaluate x.csv --players a,b", 2, "Say --columns first=COLUMN"),
        ("winprob 2d 4d --model x", 2, "Try 'yardstone winprob between --help'"),
        ("rate x.csv --limit games=3", 2, "no such option: --limit\nTry 'yardstone rate --help'"),
        # Files are looked for among their neighbours and the examples.
        ("rate leage.csv", 1, "Did you mean 'league.csv'?"),
        ("rate swiss.pgn", 1, "Did you mean 'swiss.trf'?"),
        ("rate none/league.csv", 1, "'yardstone demo --copy .' puts it into this folder"),
    ):
        said = run(line, status=status)
        assert (said.out, said.err[:18]) == ("", "yardstone: error: "), line
        assert hint in said.err, line
        for word in ("--help", "Say --"):
            assert (word in said.err) == (word in hint), line


def test_the_shell_completes_commands() -> None:
    asked = {"_YARDSTONE_COMPLETE": "complete_bash"}
    asked |= {"COMP_WORDS": "yardstone ra", "COMP_CWORD": "1"}
    ran = subprocess.run(YARDSTONE, env={**os.environ, **asked}, capture_output=True, check=False)
    assert ran.stdout.split() == [b"rate"]


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
