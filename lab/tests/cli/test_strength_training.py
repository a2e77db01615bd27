"""`yardstone strength train` and `search`, and their pictures."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from lab.tests.refusals import refuse
from lab.tests.strength.made_training import TINY, TRAINING, VALIDATION, command, write_run
from tests.reports.pictures import check
from tests.strength.estimate_cases import game, make_case, sgf
from tests.strength.rank_cases import random_model
from yardstone.cli.main import main
from yardstone.errors import InputError, UsageError
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
    train = ("train", file, "--model", "basic", "--threads", "1")
    out, err = command(capsys, *train, "-o", tmp_path / "a.svg")
    network = StrengthNetwork.load(tmp_path / "work/training-basic/network.npz")
    card = network.card
    assert (network.channels, network.settings.window, card["features"]) == (6, 9, ["head"])
    wanted = f"""{network.settings.parameters(6):,} parameters, 6 features a move
trained on 60 games, best after epoch {card["epoch"]} of 2
validation on 30 games: log-likelihood {-card["validation_loss"]:.4f}, accur"""
    assert out.startswith(wanted)
    assert [line[:9] for line in err.splitlines()] == ["epoch   0", "epoch   1", "epoch   2"]
    assert "training: score" in (tmp_path / "a.svg").read_text()
    # Once more: nothing is trained, and all is shown again.
    assert command(capsys, *train) == (out, err)
    with pytest.raises(UsageError, match="other settings"):
        command(capsys, *train, "--set", "seed=1")
    again = command(capsys, *train, "--set", "seed=1", "--anew", "--quiet", "--format", "text")
    assert (again[0] != out, again[1]) == (True, "")


def test_search(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search: list[str | Path] = ["search", file, "--model", "basic", "--workers", "1"]
    search += "--set steps=1 --set epochs=1 --set batch=2".split()
    plan = "--iterations 2 --runs 2 --windows 3,9 --limits 0,9".split()
    out, err = command(capsys, *search, *plan, "-o", tmp_path / "a.svg")
    losses = [line.split()[1] for line in out.splitlines()[1:]]
    assert losses == sorted(losses)
    assert len(losses) == err.count("after 1 of 1 epochs") == 4
    best = StrengthNetwork.load(err.splitlines()[-1].removeprefix("best network in "))
    assert f"{best.card['validation_loss']:.4f}" == losses[0]
    assert 3 <= best.settings.window <= 9
    assert "iteration 2" in (tmp_path / "a.svg").read_text()
    result = json.loads(command(capsys, *search, *plan, "--format", "json")[0])
    assert [f"{each['loss']:.4f}" for each in result] == losses
    with pytest.raises(UsageError, match="holds another search"):
        command(capsys, *search, *plan, "--seed", "1")
    options = "--method optuna --trials 1 --start small --folder".split()
    out, err = command(capsys, *search, *options, tmp_path / "found")
    assert out.splitlines()[1].startswith("1.01  0.")
    assert (tmp_path / "found" / "journal.log").exists()


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
            command(capsys, name, file, *options)
    training, validation = experiment_examples(str(file), "full")
    assert (len(training), len(validation), training.moves.width) == (TRAINING, VALIDATION, 12)
    (tmp_path / "work/moves/recent.npz").unlink()
    words = "run it with `yardstone strength run` first"
    refuse(
        (lambda: experiment_examples(str(file), "large"), UsageError, "no model 'large'"),
        (lambda: experiment_examples(str(file), "full"), InputError, words),
    )


def test_a_rank_model_gets_a_scale_from_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = make_case(tmp_path, random_model(channels=2))
    rows = ["file,colour,rank,scale,player"]
    names = ("games", "store", "mine.npz", "no.npz", "ranks.csv")
    games, features, model, other, table = (tmp_path / name for name in names)
    games.mkdir()
    for number in range(30):  # no scale is learnt from fewer players
        played = game(number, f"p{number}", "program", moves=16)
        (games / f"{number}.sgf").write_text(sgf(played))
        rows.append(f"{number}.sgf,black,{number - 25},ogs,p{number}")
    table.write_text("\n".join(rows))
    taken = ["go", "features", games, "-o", features, "--net", case.file]
    taken += ["--komi", "6.5", "--features", "pick,after,candidates,mean", "-q"]
    assert main(list(map(str, taken))) == 0
    capsys.readouterr()
    learn: list[str | Path] = ["train", table, "--store", features, "--format", "json", "-q"]
    said = json.loads(command(capsys, *learn, "--from", case.model_file, "--save", model)[0])
    assert said["scales"] == ["fox", "ogs"]
    assert [each["players"] for each in said["unseen"] if each["games"] == 1] == [30]
    assert set(StrengthModel.load(model).scales) == {"fox", "ogs"}
    with pytest.raises(UsageError, match="the model has a scale 'ogs'"):
        command(capsys, *learn, "--from", model, "--save", other)
    assert not other.exists()


def test_pictures_show_what_was_varied_and_what_failed() -> None:
    epoch = Epoch(0, 1e-3, 0.6, 0.9, 0.3, math.nan, 1.1, 0.5, 0.6, 0.62, 1.0, False)
    runs = [
        SearchRun(k // 4 + 1, k % 4 + 1, replace(TINY, width=8 + k, decay=0.9 + k / 100),
                  0.6 + k / 100 if k else math.inf, 0.6, 3, 13, 5.0, "" if k else "no numbers", "x")
        for k in range(8)
    ]  # fmt: skip
    varied = search_chart(runs, limits=(0.6, 0.65))
    assert varied.title.endswith("5 of 8 trainings")
    for chart in (varied, training_chart(History((epoch,)))):
        check(chart)
    document = search_document(runs, title="Search")
    assert document_text(document).splitlines()[-1].split()[:3] == ["1.01", "–", "–"]
    assert document.plain is not None
    json.dumps(document.plain(), allow_nan=False)
