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
    lines = []
    for group, entries in tomllib.loads(project)["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in entries.items())]
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text("\n".join(lines))
    (folder / f"{module}.py").write_text(code)


def guide(kind: str) -> str:
    page = (ROOT / "docs" / "how-to" / "plugins.md").read_text("utf-8")
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return str(found)


def run(line: str, *places: Path | str, start: str = "-m yardstone") -> tuple[int, str, str]:
    ran = subprocess.run(
        [sys.executable, *start.split(" ", 1), *line.split()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places)), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def with_plugin(line: str, folder: Path) -> tuple[int, str, str]:
    return run(line, folder, *filter(None, [os.environ.get("PYTHONPATH")]))


def test_a_command_and_a_system_of_the_guide(tmp_path: Path) -> None:
    install(tmp_path, guide("toml"), "yardstone_club", guide("python"))
    listed = with_plugin("--help", tmp_path)[1]
    assert "\nPlug-ins:\n" in listed
    assert re.search(r"^  upsets +Count the games that the player with the lower", listed, re.M)
    games = example("league.csv").as_posix()
    _, said, errors = with_plugin(f"upsets {games}", tmp_path)
    assert re.fullmatch(r"\d+ upsets in \d+ games\n", said), errors
    assert "Did you mean 'yardstone upsets'?" in with_plugin("upset", tmp_path)[2]
    said = with_plugin(f"evaluate {games} --systems elo,shares --format json", tmp_path)[1]
    assert {row["name"] for row in json.loads(said)["systems"]} >= {"elo", "shares"}


def test_a_plugin_that_cannot_be_loaded_stops_nothing_else(tmp_path: Path) -> None:
    install(tmp_path, guide("toml"), "yardstone_club", "import no_such_module\n")
    status, listed, _ = with_plugin("--help", tmp_path)
    assert status == 0
    words = " ".join(listed.split())
    assert "the plug-in yardstone_club:upsets (yardstone.commands, upsets) cannot" in words
    status, _, errors = with_plugin("upsets", tmp_path)
    assert status == 1
    assert "No module named 'no_such_module'" in errors


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    plugins.declared.cache_clear()
    yield tmp_path
    plugins.declared.cache_clear()


def test_a_kind_of_model_is_read(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = '[project.entry-points."yardstone.models"]\nours = "yardstone_ours:Ours"'
    install(installed, project, "yardstone_ours", SCORER)
    model = StrengthModel.load("stochastic")
    ours = plugins.load(plugins.MODELS, "ours")
    scorer = ours.from_arrays(model.scorer.arrays())
    StrengthModel(scorer, list(model.scales.values()), model.card).save(installed / "m.npz")
    again = StrengthModel.load(installed / "m.npz")
    assert isinstance(again.scorer, ours)
    means = [each.score(random_evidence([30, 20])).mean for each in (model, again)]
    assert means[0] == pytest.approx(means[1], abs=0.01)
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


#: Runs the command, and says so where it has imported the laboratory.
ALONE = """-Sc import sys
from yardstone.cli.main import main
status = main(sys.argv[1:])
assert not any(name.startswith("yardstone_lab") for name in sys.modules)
sys.exit(status)"""


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
    places = (ROOT / "src", tmp_path)
    for command in ("strength train", "winprob trace"):
        status, _, errors = run(f"{command} x.toml", *places, start=ALONE)
        assert status == 2
        assert f"yardstone {command} is part of the laboratory" in errors
        assert "pip install yardstone-lab" in errors
    assert "  trace " not in run("winprob --help-all", *places, start=ALONE)[1]
    graded = example("graded_games_simulated.csv")
    status, said, errors = run(f"winprob fit {graded}", *places, start=ALONE)
    assert status == 0, errors
    assert "u0" in said
