"""What another package adds by entry points is there, as the guide says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
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

#: A scorer of another kind: the one of losses under its own name.
SCORER = """
from yardstone.strength.scorers import LossScorer
class Ours(LossScorer):
    kind = "ours"
"""


def install(folder: Path, project: str, module: str, code: str) -> None:
    """Put a package into a folder as an installer does: its module and its entry points."""
    lines = []
    for group, entries in tomllib.loads(project)["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in entries.items())]
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text("\n".join(lines))
    (folder / f"{module}.py").write_text(code)


def guide(kind: str) -> str:
    """The package of the guide: its project or its code."""
    page = (ROOT / "docs" / "how-to" / "plugins.md").read_text("utf-8")
    found = re.search(rf"^```{kind}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def run(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "yardstone", *line.split()],
        env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_command_and_a_system_of_the_guide(tmp_path: Path) -> None:
    install(tmp_path, guide("toml"), "yardstone_club", guide("python"))
    listed = run(tmp_path, "--help").stdout
    assert "\nPlug-ins:\n" in listed
    assert re.search(r"^  upsets +Count the games that the player with the lower", listed, re.M)
    games = example("league.csv").as_posix()
    ran = run(tmp_path, f"upsets {games}")
    assert re.fullmatch(r"\d+ upsets in \d+ games\n", ran.stdout), ran.stderr
    assert "Did you mean 'yardstone upsets'?" in run(tmp_path, "upset").stderr
    ran = run(tmp_path, f"evaluate {games} --systems elo,shares --format json")
    assert {row["name"] for row in json.loads(ran.stdout)["systems"]} >= {"elo", "shares"}
    wrong = run(tmp_path, f"evaluate {games} --systems shaers")
    assert wrong.returncode == 2
    assert "shares" in wrong.stderr


def test_a_plugin_that_cannot_be_loaded_stops_nothing_else(tmp_path: Path) -> None:
    install(tmp_path, guide("toml"), "yardstone_club", "import no_such_module\n")
    listed = run(tmp_path, "--help")
    assert listed.returncode == 0
    words = " ".join(listed.stdout.split())
    assert "the plug-in yardstone_club:upsets (yardstone.commands, upsets) cannot" in words
    ran = run(tmp_path, "upsets")
    assert ran.returncode == 1
    assert "No module named 'no_such_module'" in ran.stderr


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which this process finds packages."""
    monkeypatch.syspath_prepend(tmp_path)
    plugins.declared.cache_clear()
    yield tmp_path
    plugins.declared.cache_clear()


def test_a_kind_of_model_is_read(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = '[project.entry-points."yardstone.models"]\nours = "yardstone_ours:Ours"'
    install(installed, project, "yardstone_ours", SCORER)
    model = StrengthModel.load("stochastic")
    expected = model.score(random_evidence([30, 20])).mean
    ours = plugins.load(plugins.MODELS, "ours")
    scorer = ours.from_arrays(model.scorer.arrays())
    StrengthModel(scorer, list(model.scales.values()), model.card).save(installed / "m.npz")
    again = StrengthModel.load(installed / "m.npz")
    assert isinstance(again.scorer, ours)
    assert again.score(random_evidence([30, 20])).mean == pytest.approx(expected, abs=0.01)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each != str(installed)])
    plugins.declared.cache_clear()
    with pytest.raises(InputError):
        StrengthModel.load(installed / "m.npz")


def test_what_is_built_in_comes_first(installed: Path) -> None:
    project = '[project.entry-points."yardstone.systems"]\nelo = "no_such_module:Elo"'
    install(installed, project, "yardstone_other", "")
    assert find_system("elo").make(k=30.0).k == 30.0
    with pytest.raises(YardstoneError, match="no_such_module:Elo"):
        plugins.load(plugins.SYSTEMS, "elo")


def test_the_laboratory_adds_the_commands_that_are_missed_without_it(tmp_path: Path) -> None:
    entries = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text())["project"]
    assert set(entries["entry-points"]["yardstone.commands"]) == LABORATORY
    for name in LABORATORY:
        assert isinstance(COMMANDS[name.partition(".")[0]], Family)
        assert plugged(name).about
    # Links to all installed packages but the laboratory.
    for place in (each for each in map(Path, sys.path) if each.name == "site-packages"):
        for each in place.iterdir():
            if "yardstone_lab" not in each.name and not (tmp_path / each.name).exists():
                (tmp_path / each.name).symlink_to(each)
    for command in ("strength train", "tournament study", "winprob trace"):
        ran = alone(tmp_path, f"{command} x.toml")
        assert ran.returncode == 2
        assert f"yardstone {command} is part of the laboratory" in ran.stderr
        assert "pip install yardstone-lab" in ran.stderr
    assert "  trace " not in alone(tmp_path, "winprob --help-all").stdout
    ran = alone(tmp_path, f"winprob fit {example('graded_games_simulated.csv')}")
    assert ran.returncode == 0, ran.stderr
    assert "u0" in ran.stdout


def alone(site: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run the command with the instrument alone."""
    code = (
        f"import sys; sys.path += [{str(ROOT / 'src')!r}, {str(site)!r}]; "
        "from yardstone.cli.main import main; status = main(sys.argv[1:]); "
        "assert not any(name.startswith('yardstone_lab') for name in sys.modules); "
        "sys.exit(status)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-S", "-c", code, *line.split()],
        env=environment | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
