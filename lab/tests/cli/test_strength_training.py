"""`yardstone strength train` and `search`, and their pictures."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.tests.cli.test_strength_run import run
from lab.tests.strength.made_run import TRAINING, VALIDATION, write_run
from lab.tests.strength.made_training import TINY
from tests.reports.pictures import check, texts
from tests.strength.estimate_cases import game, make_case, sgf
from yardstone.cli.main import main
from yardstone.errors import InputError, UsageError
from yardstone.reports.chart import Points
from yardstone.reports.text import document_text
from yardstone.strength.model import StrengthModel
from yardstone_lab.neubauer.experiment.sets import experiment_examples
from yardstone_lab.neubauer.network.search import SearchRun
from yardstone_lab.neubauer.network.strength_network import StrengthNetwork
from yardstone_lab.neubauer.network.training import Epoch, History
from yardstone_lab.reports.strength import search_chart, search_document, training_chart


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_run(tmp_path)


def test_train(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("train", file, "--model", "basic", "--threads", "1")
    out, err = run(capsys, *command, "-o", tmp_path / "a.svg")
    network = StrengthNetwork.load(tmp_path / "work/training-basic/network.npz")
    assert (network.channels, network.settings.window, network.settings.width) == (6, 9, 8)
    assert network.card["features"] == ["head"]
    for line, wanted in zip(
        out.splitlines(),
        (
            f"{network.settings.parameters(6):,} parameters, 6 features a move",
            f"trained on 60 games, best after epoch {network.card['epoch']} of 2",
            f"validation on 30 games: log-likelihood {-network.card['validation_loss']:.4f}, accur",
        ),
        strict=False,
    ):
        assert line.startswith(wanted)
    assert [line[:9] for line in err.splitlines()] == ["epoch   0", "epoch   1", "epoch   2"]
    assert "training: score" in (tmp_path / "a.svg").read_text()
    # Once more: nothing is trained, and all is shown again.
    assert run(capsys, *command) == (out, err)
    with pytest.raises(UsageError, match="other settings"):
        run(capsys, *command, "--set", "seed=1")
    again = run(capsys, *command, "--set", "seed=1", "--anew", "--quiet", "--format", "text")
    assert (again[0] != out, again[1]) == (True, "")


def test_search(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command: list[str | Path] = [
        "search", file, "--model", "basic", "--workers", "1", "--iterations", "2", "--runs", "2",
        "--windows", "3,9", "--set", "steps=1", "--set", "epochs=1", "--set", "batch=2",
    ]  # fmt: skip
    out, err = run(capsys, *command, "-o", tmp_path / "a.svg", "--limits", "0,9")
    lines = out.splitlines()
    assert lines[0].split()[:4] == ["run", "loss", "accuracy", "epochs"]
    losses = [line.split()[1] for line in lines[1:]]
    assert losses == sorted(losses)
    assert len(losses) == err.count("after 1 of 1 epochs") == 4
    best = err.splitlines()[-1].removeprefix("best network in ")
    network = StrengthNetwork.load(best)
    assert f"{network.card['validation_loss']:.4f}" == losses[0]
    assert 3 <= network.settings.window <= 9
    assert "iteration 2" in (tmp_path / "a.svg").read_text()
    result = json.loads(run(capsys, *command, "--format", "json")[0])
    assert [f"{each['loss']:.4f}" for each in result] == losses
    with pytest.raises(UsageError, match="holds another search"):
        run(capsys, *command, "--seed", "1")
    options = "--model basic --method optuna --trials 1 --workers 1 --set steps=1 --set epochs=1"
    folder = tmp_path / "found"
    out, err = run(capsys, "search", file, *options.split(), "--start", "small", "--folder", folder)
    assert out.splitlines()[1].startswith("1.01  0.")
    assert "best network in" in err
    assert (folder / "journal.log").exists()


def test_what_is_refused(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line, words in (
        ("train --set width", "write NAME=VALUE"),
        ("train --set widht=3", "no setting 'widht'"),
        ("train --preset small --set width=0", "width is 0"),
        ("search --windows 5", "--windows 5: write two numbers"),
        ("search --windows 9,3", "the first number must be below the second"),
        ("search --limits a,b", "--limits a,b: write two numbers"),
        ("search --shrink 0", "shrink is 0"),
    ):
        name, *options = line.split()
        with pytest.raises(UsageError, match=words):
            run(capsys, name, file, *options)
    training, validation = experiment_examples(str(file), "full")
    assert (len(training), len(validation)) == (TRAINING, VALIDATION)
    assert training.moves.width == 12
    with pytest.raises(UsageError, match="no model 'large'"):
        experiment_examples(str(file), "large")
    (tmp_path / "work/moves/recent.npz").unlink()
    with pytest.raises(InputError, match="run it with `yardstone strength run` first"):
        experiment_examples(str(file), "full")
    assert main(["strength", "train", str(file)]) == 1
    assert "has not been run so far" in capsys.readouterr().err


def test_a_rank_model_gets_a_scale_from_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = make_case(tmp_path)
    rows = ["file,colour,rank,scale,player"]
    names = ("games", "fox.npz", "store", "mine.npz", "no.npz", "ranks.csv")
    games, base, features, model, other, table = (tmp_path / name for name in names)
    games.mkdir()
    for number in range(30):  # no scale is learnt from fewer players
        played = game(number, f"p{number}", "program", moves=16)
        (games / f"{number}.sgf").write_text(sgf(played))
        rows.append(f"{number}.sgf,black,{number - 25},ogs,p{number}")
    table.write_text("\n".join(rows))
    rank = StrengthModel.load("rank")
    StrengthModel(rank.scorer, [rank.scale("fox")], case.model.card).save(base)
    taken = ["go", "features", games, "-o", features, "--net", case.file]
    taken += ["--komi", "6.5", "--features", "pick,after,candidates,mean", "-q"]
    assert main(list(map(str, taken))) == 0
    capsys.readouterr()
    learn: list[str | Path] = ["train", table, "--store", features, "--format", "json", "-q"]
    said = json.loads(run(capsys, *learn, "--from", base, "--save", model)[0])
    assert said["scales"] == ["fox", "ogs"]
    assert [each["players"] for each in said["unseen"] if each["games"] == 1] == [30]
    assert set(StrengthModel.load(model).scales) == {"fox", "ogs"}
    with pytest.raises(UsageError, match="the model has a scale 'ogs'"):
        run(capsys, *learn, "--from", model, "--save", other)
    assert not other.exists()


def epoch(number: int, loss: float, *, best: bool = False) -> Epoch:
    return Epoch(number, 1e-3, 0.6, 0.9, 0.3, loss, 1.1, 0.5, 0.6, 0.62, 1.0, best)


def test_the_picture_of_a_training_shows_all_its_losses() -> None:
    steps = tuple((0.6, 0.9, 0.3) for _ in range(40))
    epochs = (epoch(0, 3.0), epoch(1, 0.65, best=True), epoch(2, 0.61, best=True), epoch(3, 0.66))
    chart = training_chart(History(epochs, steps[:39]), title="A training")
    check(chart)
    (panel,) = chart.panels
    assert [name for mark in panel.marks if (name := getattr(mark, "name", ""))] == [
        *("training: score", "training: ratings", "training: regularisation"),
        *("validation: ratings", "validation: score"),
    ]
    assert "epoch 2: 0.6100" in texts(chart)
    assert panel.y.high is not None
    assert 1.8 < panel.y.high < 2.2  # what was before training does not count
    check(training_chart(History((epoch(0, math.nan),))))


def test_the_picture_of_a_search_shows_what_was_varied_and_its_table_the_best_first() -> None:
    runs = [
        SearchRun(k // 4 + 1, k % 4 + 1, replace(TINY, width=8 + k, decay=0.9 + k / 100),
                  0.6 + k / 100 if k else math.inf, 0.6, 3, 13, 5.0, "" if k else "no numbers", "x")
        for k in range(8)
    ]  # fmt: skip
    chart = search_chart(runs, limits=(0.6, 0.65))
    check(chart)
    labels = [panel.x.label for panel in chart.panels]
    assert labels == ["learning rate decay β", "hidden dimensions d"]
    points = [mark for mark in chart.panels[1].marks if isinstance(mark, Points)]
    assert [np.size(mark.x) for mark in points] == [3, 2]  # shapes: one an iteration
    assert chart.title.endswith("5 of 8 trainings")
    assert len(search_chart(runs[:2]).panels) == 1
    document = search_document(runs, title="Search")
    lines = document_text(document).splitlines()
    assert lines[1].split()[:2] == ["1.02", "0.6100"]
    assert lines[-1].split()[:3] == ["1.01", "–", "–"]
    assert document.plain is not None
    result = document.plain()
    assert (result[-1]["loss"], result[-1]["failure"]) == (None, "no numbers")
    json.dumps(result, allow_nan=False)
