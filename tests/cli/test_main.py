from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from yardstone.cli.main import INTERRUPTED, main
from yardstone.cli.table import COMMANDS as ALL_COMMANDS
from yardstone.cli.table import OWN_SWITCHES, PANELS
from yardstone.examples import copy_examples

COMMAND = [sys.executable, "-m", "yardstone"]
COMMANDS = ("rate", "match", *OWN_SWITCHES)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out, err = capsys.readouterr()
    assert all(f"  {name} " in out for name in COMMANDS)
    assert "yardstone rate league.csv" in out
    assert err == ""


def test_help_has_panels_and_no_cut_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    places = [out.index(f"\n{panel}:\n") for panel in PANELS]
    assert places == sorted(places)
    assert "…" not in out
    listed = [name for names in PANELS.values() for name in names]
    assert sorted(listed) == sorted((*ALL_COMMANDS, *OWN_SWITCHES))


def test_long_help_has_its_options_in_panels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", "--help-all"]) == 0
    out = capsys.readouterr().out
    assert out.index("\nOptions:\n") < out.index("\nInput:\n") < out.index("\nOutput:\n")
    assert out.index("--query") < out.index("\nOutput:\n") < out.index("--output")
    first = re.findall(r"^  (--[a-z-]+) ", out, re.MULTILINE)[:4]
    assert first == ["--anchor", "--average", "--top", "--min-games"]
    assert out.index("\nOutput:\n") < out.index("\nMemory and machines:\n") < out.index("--engine")
    assert main(["demo", "--help"]) == 0
    assert "\nOutput:\n" not in capsys.readouterr().out


def test_help_shows_what_most_need_and_help_all_the_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = {}
    for option in ("--help", "--help-all"):
        assert main(["rate", option]) == 0
        shown[option] = capsys.readouterr().out
    names = {key: re.findall(r"^  (?:-\w, )?(--[a-z-]+)", out, re.M) for key, out in shown.items()}
    assert {"--anchor", "--top", "--output", "--where"} < set(names["--help"])
    assert {"--engine", "--memory", "--seed"} < set(names["--help-all"]) - set(names["--help"])
    more = len(names["--help-all"]) - len(names["--help"])
    assert re.search(rf"--help-all +Show all options, {more} more\.\n", shown["--help"])
    assert "Show all options.\n" in shown["--help-all"]
    assert main(["demo", "--help-all"]) == 0  # there is no more, and none is promised
    assert "--help-all" not in capsys.readouterr().out


def test_a_family_lists_what_most_need(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "--help"]) == 0
    out = capsys.readouterr().out
    assert "\n  generate " not in out
    assert re.search(r"Show all commands, \d more: yardstone tournament --help-all\n", out)
    for family in ("tournament", "winprob"):  # the latter has a command that needs no name
        assert main([family, "--help-all"]) == 0
        out = capsys.readouterr().out
        assert "--help-all" not in out
        assert f"\n  {'generate' if family == 'tournament' else 'stats'} " in out


@pytest.mark.parametrize("command", ["rate", "match"])
def test_each_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"Examples:\n    yardstone {command} " in capsys.readouterr().out


def test_nothing_is_wrong_usage_but_helps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out = capsys.readouterr().out
    assert all(f"  yardstone {words} " in out for words in ("demo", "rate games.pgn", "--help"))


@pytest.mark.parametrize("given", [["--version"], ["--version", "rate"]])
def test_version(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(given) == 0
    assert capsys.readouterr().out.startswith("yardstone 0.")


@pytest.mark.parametrize("given", [["bogus"], ["--bogus"]])
def test_unknown_words_are_wrong_usage(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(given) == 2
    err = capsys.readouterr().err
    assert err.startswith("yardstone: error: ")
    assert "Try 'yardstone --help'." in err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["rtae"], "'yardstone rate'"),
        (["tournament", "piar"], "'yardstone tournament pair'"),
        (["standings", "open.xml"], "'yardstone tournament standings'"),
        (["analyse"], "'yardstone go analyse' or 'yardstone backgammon analyse'"),
        (["open.xml"], "'yardstone tournament standings open.xml'"),
        (["league.csv"], "'yardstone rate league.csv'"),
        (["rate", "--anchr", "x"], "--anchor?"),
        (["match", "--half", "x"], "--half-width?"),
        (["--versoin"], "--version?"),
    ],
)
def test_a_misspelt_word_gets_what_was_meant(
    given: list[str],
    meant: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(given) == 2
    err = capsys.readouterr().err
    assert f"Did you mean {meant}" in err
    assert "--help" not in err


@pytest.mark.parametrize(
    ("given", "now"),
    [
        ("rate x.csv --html x.html", "-o FILE.html"),
        ("tournament pair x.xml --plot x.svg", "--boards FILE.svg"),
        ("serve --keep-days 3", "--set keep_days=VALUE"),
        ("rate x.csv --prior Ann=2100±50", "--anchor NAME=RATING±DEVIATION"),
        ("tournament new x.xml --tie-breaks SOS", "--criteria NAMES"),
        ("winprob fit x.csv --method newton", "yardstone winprob published"),
        ("tournament serve x.xml --title x", "--set title=VALUE"),
        ("evaluate x.csv --players a,b", "--columns first=COLUMN"),
    ],
)
def test_an_option_that_went_prints_its_replacement(
    given: str, now: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(given.split()) == 2
    assert f"Say {now}" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["winprob 2d 4d --model x", "rate x.csv --limit games=3"])
def test_no_option_is_named_that_the_command_does_not_have(
    given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(given.split()) == 2
    assert "Say --" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("leage.csv", "Did you mean 'league.csv'?"),
        ("swiss.pgn", "Did you mean 'swiss.trf'?"),
        ("none/league.csv", "'yardstone demo --copy .' puts it into this folder"),
    ],
)
def test_a_misspelt_file_gets_its_neighbours(
    given: str,
    hint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["rate", given]) == 1
    assert hint in capsys.readouterr().err


def imported(*given: str) -> set[str]:
    """Top-level packages that a call imports."""
    script = (
        "import sys; from yardstone.cli.main import main\n"
        f"main({list(given)!r})\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stderr.split())


HEAVY = {"numpy", "scipy", "numba", "duckdb", "matplotlib", "jinja2"}


@pytest.mark.parametrize("given", [("--help",), ("rate", "--help"), ("match", "--help")])
def test_help_imports_nothing_heavy(given: tuple[str, ...]) -> None:
    assert imported(*given).isdisjoint(HEAVY)


def test_version_imports_hardly_anything() -> None:
    assert imported("--version").isdisjoint(HEAVY | {"typer", "rich"})


def test_help_is_quick() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
        return time.perf_counter() - start

    # 0.25 s on an idle machine; a bound that a busy one keeps too.
    assert min(seconds() for _ in range(5)) < 1.0


def test_the_shell_completes_commands() -> None:
    asked = {
        "_YARDSTONE_COMPLETE": "complete_bash",
        "COMP_WORDS": "yardstone ra",
        "COMP_CWORD": "1",
    }
    ran = subprocess.run(
        [*COMMAND], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert ran.stdout.split() == ["rate"]


def test_a_closed_pipe_is_no_noise(tmp_path: Path) -> None:
    games = tmp_path / "games.csv"
    lines = [f"P{k},P{(k * 7 + 1) % 2000},{'1-0' if k % 2 else '0-1'}" for k in range(2000)]
    games.write_text("\n".join(["white,black,result", *lines]) + "\n")
    with subprocess.Popen(
        [*COMMAND, "rate", str(games), "--join", "300", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Unbuffered, Python 3.11 takes a write cut short for a whole one.
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1


def test_an_interrupt_is_quiet(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "rate", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stderr is not None
        # More than a pipe holds: once it is written, the command is reading.
        running.stdin.write(b'[White "A"]\n' * 20_000)
        running.stdin.flush()
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        try:
            status = running.wait(30)
        finally:
            running.kill()
        assert status == INTERRUPTED
        assert running.stderr.read() == b""


def test_python_dash_m_is_the_command() -> None:
    ran = subprocess.run([*COMMAND, "match", "1", "2"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith("yardstone: error: ")


@pytest.mark.parametrize("name", list(OWN_SWITCHES))
def test_commands_with_switches_of_their_own_get_them_untouched(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main([name, "--no-such-switch"])
    out, err = capsys.readouterr()
    assert status == 1
    assert "yardstone: error: no such option" not in out + err
