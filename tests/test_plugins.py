"""What another package adds by entry points is there, as the guide says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT
from tests.strength.rank_cases import random_evidence
from yardstone import plugins
from yardstone.cli.table import COMMANDS, LABORATORY, Family, plugged
from yardstone.errors import InputError, YardstoneError
from yardstone.examples import example
from yardstone.ratings.systems import find_system
from yardstone.strength.model import StrengthModel

PAGE = (ROOT / "docs" / "how-to" / "plugins.md").read_text("utf-8")
#: A scorer of another kind: the one of losses under its own name.
SCORER = """
from yardstone.strength.scorers import LossScorer
class Ours(LossScorer):
    kind = "ours"
"""


def install(folder: Path, project: str, module: str, code: str) -> None:
    """Put a package into a folder as an installer does: its module and its entry points."""
    groups = tomllib.loads(project)["project"]["entry-points"]
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
    ]
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text("\n".join(lines))
    (folder / f"{module}.py").write_text(code)


def block(kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """The package of the guide, installed into a folder."""
    install(tmp_path, block("toml"), "yardstone_club", block("python"))
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "yardstone", *words],
        env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_command_is_listed_and_runs(club: Path) -> None:
    listed = run(club, "--help").stdout
    assert "\nPlug-ins:\n" in listed
    assert re.search(r"^  upsets +Count the games that the player with the lower", listed, re.M)
    assert "Count the games" in run(club, "upsets", "--help").stdout
    ran = run(club, "upsets", example("league.csv").as_posix())
    assert re.fullmatch(r"\d+ upsets in \d+ games\n", ran.stdout), ran.stderr
    assert "Did you mean 'yardstone upsets'?" in run(club, "upset").stderr


def test_a_system_is_compared_with_those_that_come_with_yardstone(club: Path) -> None:
    games = example("league.csv").as_posix()
    ran = run(club, "evaluate", games, "--systems", "elo,shares", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    assert {row["name"] for row in json.loads(ran.stdout)["systems"]} >= {"elo", "shares"}
    wrong = run(club, "evaluate", games, "--systems", "shaers")
    assert wrong.returncode == 2
    assert "shares" in wrong.stderr


def test_a_plugin_that_cannot_be_loaded_stops_nothing_else(tmp_path: Path) -> None:
    install(tmp_path, block("toml"), "yardstone_club", "import no_such_module\n")
    listed = run(tmp_path, "--help")
    assert listed.returncode == 0
    words = " ".join(listed.stdout.split())
    assert "the plug-in yardstone_club:upsets (yardstone.commands, upsets) cannot" in words
    ran = run(tmp_path, "upsets")
    assert ran.returncode == 1
    assert "No module named 'no_such_module'" in ran.stderr
    assert run(tmp_path, "convert", "rating", "2d", "--to", "egf").returncode == 0


def test_a_kind_of_model_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = '[project.entry-points."yardstone.models"]\nours = "yardstone_ours:Ours"'
    install(tmp_path, project, "yardstone_ours", SCORER)
    model = StrengthModel.load("stochastic")
    expected = model.score(random_evidence([30, 20])).mean
    with monkeypatch.context() as path:
        path.syspath_prepend(tmp_path)
        plugins.declared.cache_clear()
        ours = plugins.load(plugins.MODELS, "ours")
        scorer = ours.from_arrays(model.scorer.arrays())
        StrengthModel(scorer, list(model.scales.values()), model.card).save(tmp_path / "m.npz")
        again = StrengthModel.load(tmp_path / "m.npz")
        assert isinstance(again.scorer, ours)
        assert again.score(random_evidence([30, 20])).mean == pytest.approx(expected, abs=0.01)
    plugins.declared.cache_clear()
    with pytest.raises(InputError):
        StrengthModel.load(tmp_path / "m.npz")


def test_what_is_built_in_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = '[project.entry-points."yardstone.systems"]\nelo = "no_such_module:Elo"'
    install(tmp_path, project, "yardstone_other", "")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.declared.cache_clear()
    try:
        assert find_system("elo").make(k=30.0).k == 30.0
        with pytest.raises(YardstoneError, match="no_such_module:Elo"):
            plugins.load(plugins.SYSTEMS, "elo")
    finally:
        plugins.declared.cache_clear()


def test_the_laboratory_adds_the_commands_that_are_missed_without_it() -> None:
    entries = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text())["project"]
    assert set(entries["entry-points"]["yardstone.commands"]) == LABORATORY
    for name in LABORATORY:
        family = COMMANDS[name.partition(".")[0]]
        assert isinstance(family, Family)
        assert plugged(name).about


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Links to all installed packages but the laboratory."""
    folder = tmp_path_factory.mktemp("site")
    for place in map(Path, sys.path):
        if place.name == "site-packages":
            for each in place.iterdir():
                if "yardstone_lab" not in each.name and not (folder / each.name).exists():
                    (folder / each.name).symlink_to(each)
    return folder


@pytest.mark.parametrize(
    "command", ["strength train x.toml", "tournament study ties", "winprob trace a.csv"]
)
def test_without_the_laboratory_its_commands_say_how_to_get_it(command: str, without: Path) -> None:
    *words, _ = command.split()
    ran = alone(without, *command.split())
    assert ran.returncode == 2
    assert f"yardstone {' '.join(words[:2])} is part of the laboratory" in ran.stderr
    assert "pip install yardstone-lab" in ran.stderr
    assert f"  {words[1]} " not in alone(without, words[0], "--help-all").stdout


def test_without_the_laboratory_a_fit_works(without: Path) -> None:
    games = example("graded_games_simulated.csv").as_posix()
    ran = alone(without, "winprob", "fit", games)
    assert ran.returncode == 0, ran.stderr
    assert "u0" in ran.stdout


def alone(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command with the instrument alone."""
    code = (
        f"import sys; sys.path += [{str(ROOT / 'src')!r}, {str(site)!r}]; "
        "from yardstone.cli.main import main; status = main(sys.argv[1:]); "
        "assert not any(name.startswith('yardstone_lab') for name in sys.modules); "
        "sys.exit(status)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-S", "-c", code, *words],
        env=environment | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_finds_plugins_without_a_heavy_import() -> None:
    code = (
        "import sys; from yardstone.cli.main import main; main(['--help']); "
        "print('importlib.metadata' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("False\n")
