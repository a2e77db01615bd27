"""A whole experiment on made games: its stages, sets, predictions and tables, and its commands."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from lab.tests.refusals import refuse
from lab.tests.strength.made_training import command, write_experiment, write_games
from tests.go.games import small_network
from yardstone import parallel
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.splits import earlier_games, rating_labels
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment import games, models
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.measurement import performance, rating_errors
from yardstone_lab.neubauer.experiment.questions import EVEN, FUTURE, GLICKO, TUNED, predictions_csv
from yardstone_lab.neubauer.experiment.run import ExperimentResult, run_experiment
from yardstone_lab.neubauer.experiment.sets import (
    Sets,
    agree_with_score,
    glicko_of,
    load_labels,
    withheld_labels,
)
from yardstone_lab.neubauer.network.strength_network import PRESETS, TABLE_5_1

#: What came out, and what was said meanwhile.
Done = tuple[ExperimentResult, list[str]]

#: What each stage takes from.
NEEDS = {
    "games": [], "winners": ["games"], "features": ["winners"], "sets": ["winners", "features"],
    "labels": ["sets"], "moves": ["sets", "features"], "basic": ["moves", "labels"],
    "full": ["moves", "labels"], "pooled": ["moves", "labels"],
    "predictions": ["winners", "sets", "moves", "basic", "full", "pooled"],
}  # fmt: skip


def run(path: Path) -> Done:
    said: list[str] = []
    with parallel.context(workers=1):
        return run_experiment(read_experiment(path), say=said.append), said


def changed(path: Path, before: str, after: str) -> Path:
    path.write_text(path.read_text().replace(before, after))
    return path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with games, a network and an experiment."""
    folder = tmp_path_factory.mktemp("experiment")
    write_games(folder)
    write_experiment(folder, small_network(folder))
    return folder


@pytest.fixture
def path(home: Path, tmp_path: Path) -> Path:
    """An experiment of the same games that trains no network."""
    write_games(tmp_path)
    return write_experiment(tmp_path, home / "random1.bin.gz", models=False)


@pytest.fixture(scope="module")
def done(home: Path) -> Done:
    return run(home / "experiment.toml")


def test_every_stage_is_run_and_every_system_asked(done: Done, home: Path) -> None:
    result, said = done
    assert [said_of.split(":")[0] for said_of in said if said_of.endswith(": begun")] == list(NEEDS)
    for stage, needs in NEEDS.items():
        kept = json.loads((home / "work" / stage / "stage.json").read_text())
        assert sorted(kept["needs"]) == sorted(needs), stage
    assert list(result.predictions.expected)[:7] == [
        EVEN, GLICKO, FUTURE, models.STOCHASTIC, models.BASIC, models.FULL, models.POOLED,
    ]  # fmt: skip
    lost = {r["rule"]: r["lost"] for r in result.facts["filters"]["rules"] if r["lost"]}
    assert (result.facts["filters"]["kept"], lost) == (178, {"decision": 1, "clock": 1})
    report = result.facts["judged"]
    assert report["games"] == report["kept"] + report["unsure"] + report["unseen"]
    assert len(result.pool) == 178 - report["unsure"]


def test_sets_keep_the_rules_and_predictions_see_nothing_that_is_not_known_yet(done: Done) -> None:
    result, _ = done
    pool, mark = result.pool, result.pool.columns["set"]
    labels, training = rating_labels(pool, result.replay, advance=2), mark == "T"
    assert training.sum() == 30
    assert agree_with_score(labels, pool.score)[training].all()
    for ahead in (labels.first_ahead, labels.second_ahead):
        assert (ahead[training] == 2).all()
    played = np.column_stack(earlier_games(pool))[mark == "X"]
    assert 1 <= played.min() <= played.max() <= 4
    predictions = result.predictions
    questions = predictions.questions
    here, none, two = (questions.last == last for last in (-1, 0, 2))
    told = result.replay.expected[questions.game[here]]
    np.testing.assert_array_equal(predictions.expected[GLICKO][here], told)
    for name in (GLICKO, models.STOCHASTIC, models.BASIC, models.FULL):
        assert predictions.expected[name][none] == pytest.approx(0.5, abs=1e-6), name
    sides = result.moves.sets(("head",)).lengths().reshape(-1, 2)
    assert (sides.max(), sides[none].any()) == (40, False)
    assert sides[two].max() <= 2 * 12  # each made 12 of a game's 24 moves


def test_one_that_was_killed_ends_like_one_that_was_not_and_redoes_only_what_changed(
    done: Done, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the judge's batches, and before the predictions."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    work = path.parent / "work"
    with monkeypatch.context() as patch:
        patch.setattr(games, "_BATCH", 20)
        patch.setattr("yardstone_lab.neubauer.experiment.run.judged_pool", stop)
        with pytest.raises(KeyboardInterrupt):
            run(path)
    kept = sorted((work / ".winners.part").glob("winrates-*.npz"))
    assert len(kept) == 6
    times = [each.stat().st_mtime_ns for each in kept]
    kept[-1].unlink()
    with monkeypatch.context() as patch:
        patch.setattr(models, "predict_all", stop)
        with pytest.raises(KeyboardInterrupt):
            run(path)
    made = sorted((work / "winners").glob("winrates-*.npz"))
    assert [each.stat().st_mtime_ns for each in made[:5]] == times[:5]
    result, said = run(path)
    assert "pooled: kept" in said
    os.utime(path.parent / "moves.txt", (0, 0))  # which holds the same
    again, said = run(path)
    assert all(words.endswith(": kept") for words in said)
    for name, expected in result.predictions.expected.items():
        np.testing.assert_array_equal(done[0].predictions.expected[name], expected, name)
        np.testing.assert_array_equal(again.predictions.expected[name], expected, name)
    # Half of a stage is of no use to one with other settings; a damaged or older one to nobody.
    (work / ".moves.part").mkdir()
    (work / ".moves.part" / "left").touch()
    (work / "games" / "stage.json").write_text("{")
    about = json.loads((work / "labels" / "stage.json").read_text())
    (work / "labels" / "stage.json").write_text(json.dumps(about | {"format": 0}))
    _, said = run(changed(path, "window = 40", "window = 30"))
    assert [words for words in said if "done again" in words] == [
        "games: done again, for its folder is damaged",
        "labels: done again, for it was made by another version",
        "moves: done again, for window is 30, and was 40",
        "pooled: done again, for moves changed",
        "predictions: done again, for moves and pooled changed",
    ]
    assert not (work / "moves" / "left").exists()
    assert not list(work.glob(".*.part"))


def test_labels_without_the_results_of_the_games_to_predict(path: Path) -> None:
    result, _ = run(changed(path, "advance = 2", "advance = 2\nwithhold = true\ntune = 3"))
    expected = result.predictions.expected
    assert not np.array_equal(expected[TUNED], expected[GLICKO])
    assert set(result.facts["tuned"]) <= {field.name for field in fields(Glicko2)}
    pool = result.pool
    learned = load_labels(path.parent / "work" / "labels" / "labels.npz")
    sets = Sets(pool.columns["set"])
    published = rating_labels(pool, result.replay, advance=2)
    hidden = sets.of("E") | sets.of("X")
    np.testing.assert_array_equal(learned.first[hidden], published.first[hidden])
    assert not np.array_equal(learned.first[sets.of("T")], published.first[sets.of("T")])
    # Turning every hidden result round changes no label that training sees.
    turned = replace(pool, score=np.where(hidden, 1.0 - pool.score, pool.score))
    system = glicko_of(result.experiment)
    other = rating_labels(turned, system.replay(turned), advance=2)
    again = withheld_labels(turned, other, sets, system)
    np.testing.assert_array_equal(again.first[~hidden], learned.first[~hidden])
    np.testing.assert_array_equal(again.second[~hidden], learned.second[~hidden])


def test_tables_of_what_was_found(done: Done) -> None:
    asked = done[0].predictions
    measured, other = (performance(asked, base=base, replicates=50) for base in (GLICKO, EVEN))
    even = other.cell(GLICKO, "E").ahead["log_likelihood"].estimate
    assert even == pytest.approx(-measured.cell(EVEN, "E").ahead["log_likelihood"].estimate)
    refuse(
        (lambda: performance(asked, base="Elo"), UsageError, "no system 'Elo'"),
        (lambda: rating_errors(asked, GLICKO, "Z"), NoGamesError, "no rating in the set Z"),
    )
    assert len(predictions_csv(asked, done[0].pool).splitlines()) == 1 + len(asked.questions)


@pytest.mark.parametrize(
    ("before", "after", "error", "said", "made"),
    [
        ("moves.txt", "other.txt", InputError, "no such file", 0),
        ("[features]", '[features]\nstores = ["no"]', InputError, "no.*cannot be read", 1),
        ("training = 30", "training = 300", InputError,
         r"training set is to have 300 games, and of 178 .* only \d+ can be", 1),
        ("validation = 20", "validation = 200", InputError,
         "validation set is to have 200 games, and of 178", 1),
        ("test = 20", "test = 170", InputError,
         "sets are to have 220 games, and the filters keep 178", 1),
        # Sizes that only the winners tell to be too large cost no features either.
        ("training = 30", "training = 120", UsageError,
         r"only \d+ games can be in the training set", 2),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_before_what_takes_long(
    path: Path, before: str, after: str, error: type[Exception], said: str, made: int
) -> None:
    with pytest.raises(error, match=said):
        run(changed(path, before, after))
    stages = [(path.parent / "work" / name).exists() for name in ("games", "winners", "features")]
    assert stages == [number < made for number in range(3)]


def test_commands_show_and_describe_an_experiment(
    done: Done, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, work, table = home / "experiment.toml", home / "work", tmp_path / "table.csv"
    out, err = command(capsys, "run", file, "--workers", "1")
    words = ("kept          178          of 180 games", "Exhibition set", "Label from", "k = 2")
    for shown in (*words, *done[0].predictions.expected):
        assert shown in out
    assert [line for line in err.splitlines() if line.partition(":")[0] in NEEDS] == [
        f"{name}: kept" for name in NEEDS
    ]
    assert (work / "table.txt").read_text() == out
    pictures = {picture.name for picture in (work / "figures").iterdir()}
    assert {"scores-glicko-2.svg", "ratings-glicko-2.svg", "ratings-pooled.svg"} <= pictures
    out, err = command(capsys, "run", file, "--format", "json", "--no-figures", "--quiet")
    result = json.loads(out)
    assert (err, {cell["set"] for cell in result["cells"]}) == ("", set("TVEX"))
    command(capsys, "run", file, "--format", "csv", "-o", table, "--no-figures", "-q")
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert len(rows) == len(result["cells"])
    assert {row["system"] for row in rows} == set(result["systems"])
    for source, options, names in (
        (file, ["--classes", "1500,1600"], "labels points winrates deviations settling lengths"),
        (work / "features" / "store", [], "points winrates lengths"),
        (home / "results.tsv", ["--type", "png"], "labels deviations settling"),
    ):
        out, _ = command(capsys, "describe", source, "-o", tmp_path / source.name, *options)
        assert {Path(line).stem for line in out.splitlines()} == set(names.split())
    pngs = (tmp_path / "results.tsv").glob("*.png")
    assert {picture.read_bytes()[:4] for picture in pngs} == {b"\x89PNG"}
    assert "no rank" in (tmp_path / "store" / "points.svg").read_text()
    fresh = tmp_path / "fresh" / "experiment.toml"
    fresh.parent.mkdir()
    fresh.write_text(file.read_text())
    for arguments, error, said in (
        ([fresh], InputError, "not been run so far: there is no stage 'winners'"),
        ([file, file], UsageError, "one experiment at a time"),
        ([file, "--type", "gif"], UsageError, "svg, png or pdf"),
        ([file, "--classes", "strong"], UsageError, "must be numbers"),
        ([home / "results.tsv", "--classes", "1600,1500"], UsageError, "must rise"),
        ([tmp_path / "none.csv"], InputError, "no such file"),
    ):
        with pytest.raises(error, match=said):
            command(capsys, "describe", *arguments, "-o", tmp_path)


LEAST = '[games]\nrecords = ["games"]\n'


def test_what_is_said_and_what_is_not_is_as_published(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text(LEAST)
    result = read_experiment(path)
    assert (result.name, result.folder) == ("some", tmp_path / "some")
    assert result.games.records == (str(tmp_path / "games"),)
    assert (result.filters.size, result.filters.seconds, result.filters.first_pass) == (19, 5.0, 50)
    assert (result.judge.judge, result.judge.sure) == (True, 0.6)
    assert (result.ratings.advance, result.ratings.withhold) == (10, False)
    sizes = (result.sets.training, result.sets.validation, result.sets.test, result.sets.exhibition)
    assert sizes == (10_000, 5_000, 5_000, 5_000)
    assert (result.models.window, result.table.hidden) == (500, (0, 1, 2, 3, 4))
    assert result.models.full == result.models.basic == TABLE_5_1
    path.write_text("""
folder = "there"
games = { moves = "lists/*.zip", results = "/data/results.csv" }
filters = { decisions = ["counted"], seconds = 0 }
features = { since = 2006-06-20, komi = 7, stores = ["a", "/b"] }
sets = { since = 2006-06-23T10:00:00 }
models = { basic = "small", full = { preset = "small", width = 32, learning_rate = 1e-4 } }
""")
    result = read_experiment(path)
    paths = (result.folder, result.games.moves, result.games.results)
    assert paths == (tmp_path / "there", (str(tmp_path / "lists/*.zip"),), "/data/results.csv")
    assert (result.filters.decisions, result.filters.seconds) == (("counted",), 0.0)
    assert result.features.since == np.datetime64("2006-06-20T00:00:00")
    assert result.sets.since == np.datetime64("2006-06-23T10:00:00")
    assert (result.features.komi, result.features.stores) == (7.0, (str(tmp_path / "a"), "/b"))
    small = PRESETS["small"]
    assert result.models.basic == small
    assert result.models.full == small.changed({"width": 32, "learning_rate": 1e-4})


MEANT_BY_NOBODY: list[tuple[str | bytes, str]] = [
    (b"\xff\xfe\x00", "is not TOML"), (b"[games", "is not TOML"), ("#" * (2 << 20), "too large"),
    ("", "must name either records or moves"), ("games = 3", "must be a part"),
    ('[games]\nrecords = ["a"]\nmoves = ["b"]\n', "either records or moves"),
    ('[games]\nmoves = ["b"]\n', "table of results"),
    (LEAST + "[filters]\nsise = 19", r"\[filters\] has no setting 'sise'"),
    (LEAST + "[filter]\nsize = 19", "no setting or part 'filter'"),
    (LEAST + '[filters]\nsize = "big"', "must be a whole number"),
    (LEAST + "[filters]\nsize = true", "must be a whole number"),
    (LEAST + "[filters]\nranked = 1", "must be true or false"),
    (LEAST + "[filters]\ndecisions = ['won']", "no decision 'won'"),
    (LEAST + "[filters]\nseconds = -1.0", "below 0"),
    (LEAST + f"[filters]\nseconds = 1{'0' * 400}", "filters.seconds is too large"),
    (LEAST + f"[models]\nfull = {{ width = 1{'0' * 400} }}", "must be a number"),
    (f"{'a.' * 101}a = 1\n{LEAST}", ":1: a name of more than 100 parts .*a line of its own"),
    (LEAST + "[features]\nsince = 2006", "must be a date"),
    (LEAST + "[features]\nstores = [1]", "list of texts"), ("name = 3\n" + LEAST, "be texts"),
    (LEAST + "[sets]\ntraining = -5", "must not be below 0"),
    (LEAST + "[table]\nhidden = [1, true]", "list of whole numbers"),
    (LEAST + "[models]\nfull = 7", "name of a preset or false"),
    (LEAST + "[models]\nfull = 'huge'", "no preset 'huge'"),
    (LEAST + "[models]\nfull = { widht = 7 }", "no setting 'widht'"),
]  # fmt: skip


def test_what_cannot_be_meant(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    for text, trouble in MEANT_BY_NOBODY:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        with pytest.raises(InputError, match=trouble) as raised:
            read_experiment(path)
        assert raised.value.file == str(path)
    with pytest.raises(InputError, match="there is no such file"):
        read_experiment(tmp_path / "none.toml")
