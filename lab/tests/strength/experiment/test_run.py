"""A whole experiment on made games: its stages, sets, predictions and tables."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from lab.tests.strength.made_experiment import write_experiment, write_games
from tests.go.games import small_network
from yardstone import parallel
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.splits import earlier_games, rating_labels
from yardstone.ratings.glicko import Glicko2
from yardstone.reports.text import document_text
from yardstone_lab.neubauer.experiment import games, models
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.measurement import Measurement, performance, rating_errors
from yardstone_lab.neubauer.experiment.questions import EVEN, FUTURE, GLICKO, TUNED, predictions_csv
from yardstone_lab.neubauer.experiment.run import ExperimentResult, run_experiment
from yardstone_lab.neubauer.experiment.sets import (
    Sets,
    agree_with_score,
    glicko_of,
    load_labels,
    withheld_labels,
)
from yardstone_lab.reports.strength import experiment_document

#: What came out, and what was said meanwhile.
Done = tuple[ExperimentResult, list[str]]


def run(path: Path) -> Done:
    said: list[str] = []
    with parallel.context(workers=1):
        return run_experiment(read_experiment(path), say=said.append), said


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with games and a network."""
    folder = tmp_path_factory.mktemp("experiment")
    small_network(folder)
    write_games(folder)
    return folder


@pytest.fixture(scope="module")
def path(home: Path) -> Path:
    return write_experiment(home, home / "random1.bin.gz")


@pytest.fixture(scope="module")
def done(path: Path) -> Done:
    return run(path)


def test_every_stage_is_run_and_every_system_asked(done: Done) -> None:
    result, said = done
    stages = [words.split(":")[0] for words in said if words.endswith(": begun")]
    assert stages == [
        "games", "winners", "features", "sets", "labels", "moves", "basic", "full", "pooled",
        "predictions",
    ]  # fmt: skip
    assert list(result.predictions.expected)[:7] == [
        EVEN, GLICKO, FUTURE, models.STOCHASTIC, models.BASIC, models.FULL, models.POOLED,
    ]  # fmt: skip
    assert result.facts["filters"]["kept"] == 178
    lost = {r["rule"]: r["lost"] for r in result.facts["filters"]["rules"] if r["lost"]}
    assert lost == {"decision": 1, "clock": 1}
    report = result.facts["judged"]
    assert report["games"] == report["kept"] + report["unsure"] + report["unseen"]
    assert len(result.pool) == 178 - report["unsure"]


def test_the_sets_keep_the_rules(done: Done) -> None:
    pool = done[0].pool
    mark = pool.columns["set"]
    labels = rating_labels(pool, done[0].replay, advance=2)
    training = mark == "T"
    assert training.sum() == 30
    assert agree_with_score(labels, pool.score)[training].all()
    for ahead in (labels.first_ahead, labels.second_ahead):
        assert (ahead[training] == 2).all()
    played = np.column_stack(earlier_games(pool))[mark == "X"]
    assert 1 <= played.min() <= played.max() <= 4


def test_predictions_see_nothing_that_is_not_known_yet(done: Done) -> None:
    result, _ = done
    predictions = result.predictions
    questions = predictions.questions
    here = questions.last == -1
    assert np.array_equal(
        predictions.expected[GLICKO][here], result.replay.expected[questions.game[here]]
    )
    none = questions.last == 0
    for name in (GLICKO, models.STOCHASTIC, models.BASIC, models.FULL):
        assert predictions.expected[name][none] == pytest.approx(0.5, abs=1e-6), name
    sides = result.moves.sets(("head",)).lengths().reshape(-1, 2)
    assert sides.max() == 40
    assert not sides[none].any()
    two = questions.last == 2
    assert sides[two].max() <= 2 * 12  # each made 12 of a game's 24 moves


def test_the_same_again_keeps_every_stage_and_a_changed_setting_redoes_what_depends_on_it(
    path: Path, done: Done
) -> None:
    again, said = run(path)
    assert all(words.endswith(": kept") for words in said)
    for name, expected in done[0].predictions.expected.items():
        assert np.array_equal(again.predictions.expected[name], expected)
    path.write_text(path.read_text().replace("window = 40", "window = 30"))
    _, said = run(path)
    again_done = [words for words in said if "done again" in words]
    assert [words.split(":")[0] for words in again_done] == [
        "moves", "basic", "full", "pooled", "predictions",
    ]  # fmt: skip
    assert again_done[0] == "moves: done again, for window is 30, and was 40"
    assert again_done[-1].startswith("predictions: done again, for moves and basic")
    path.write_text(path.read_text().replace("window = 30", "window = 40"))
    run(path)  # as the other tests find it


def test_one_that_was_killed_ends_like_one_that_was_not(
    done: Done, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the judge's batches, and before the predictions."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    write_games(tmp_path)
    path = write_experiment(tmp_path, home / "random1.bin.gz", models=False)
    with monkeypatch.context() as patch:
        patch.setattr(games, "_BATCH", 20)
        patch.setattr("yardstone_lab.neubauer.experiment.run.judged_pool", stop)
        with pytest.raises(KeyboardInterrupt):
            run(path)
    part = tmp_path / "work" / ".winners.part"
    kept = sorted(part.glob("winrates-*.npz"))
    assert len(kept) == 6
    times = [each.stat().st_mtime_ns for each in kept]
    kept[-1].unlink()
    with monkeypatch.context() as patch:
        patch.setattr(models, "predict_all", stop)
        with pytest.raises(KeyboardInterrupt):
            run(path)
    made = sorted((tmp_path / "work" / "winners").glob("winrates-*.npz"))
    assert [each.stat().st_mtime_ns for each in made[:5]] == times[:5]
    result, said = run(path)
    assert "pooled: kept" in said
    for name, expected in result.predictions.expected.items():
        assert np.array_equal(done[0].predictions.expected[name], expected), name


def test_labels_without_the_results_of_the_games_to_predict(home: Path, tmp_path: Path) -> None:
    write_games(tmp_path)
    path = write_experiment(tmp_path, home / "random1.bin.gz", models=False)
    path.write_text(
        path.read_text().replace("advance = 2", "advance = 2\nwithhold = true\ntune = 3")
    )
    result, _ = run(path)
    assert TUNED in result.predictions.expected
    assert not np.array_equal(
        result.predictions.expected[TUNED], result.predictions.expected[GLICKO]
    )
    assert set(result.facts["tuned"]) <= {field.name for field in fields(Glicko2)}
    pool = result.pool
    learned = load_labels(tmp_path / "work" / "labels" / "labels.npz")
    sets = Sets(pool.columns["set"])
    published = rating_labels(pool, result.replay, advance=2)
    hidden = sets.of("E") | sets.of("X")
    assert np.array_equal(learned.first[hidden], published.first[hidden])
    assert not np.array_equal(learned.first[sets.of("T")], published.first[sets.of("T")])
    # Turning every hidden result round changes no label that training sees.
    turned = replace(pool, score=np.where(hidden, 1.0 - pool.score, pool.score))
    system = glicko_of(result.experiment)
    other = rating_labels(turned, system.replay(turned), advance=2)
    again = withheld_labels(turned, other, sets, system)
    assert np.array_equal(again.first[~hidden], learned.first[~hidden])
    assert np.array_equal(again.second[~hidden], learned.second[~hidden])


def test_tables_of_what_was_found(done: Done) -> None:
    result, _ = done
    predictions = result.predictions
    measured = performance(predictions, replicates=50)
    for cell in measured.cells:
        assert cell.metrics.games == predictions.questions.of(cell.letter, cell.last).sum()
    base = measured.cell(GLICKO, "E").ahead["accuracy"]
    assert (base.low, base.high) == (0.0, 0.0)
    other = performance(predictions, base=EVEN, replicates=50)
    even = other.cell(GLICKO, "E").ahead["log_likelihood"].estimate
    assert even == pytest.approx(-measured.cell(EVEN, "E").ahead["log_likelihood"].estimate)
    errors = rating_errors(predictions, GLICKO, "E")
    assert errors.players.sum() == predictions.labels[predictions.questions.of("E")].size
    with pytest.raises(UsageError, match="no system 'Elo'"):
        performance(predictions, base="Elo")
    with pytest.raises(NoGamesError, match="no rating in the set Z"):
        rating_errors(predictions, GLICKO, "Z")
    text = document_text(experiment_document(Measurement(result, [measured], [errors])))
    for name in (*predictions.expected, "Exhibition", "k = 2", "Mean of rating less label"):
        assert name in text
    lines = predictions_csv(predictions, result.pool).splitlines()
    assert (len(lines), lines[1][:6]) == (1 + len(predictions.questions), "T,all,")


@pytest.mark.parametrize(
    ("before", "after", "error", "said", "made"),
    [
        ("moves.txt", "other.txt", InputError, "no such file", []),
        ("[features]", '[features]\nstores = ["nowhere"]', InputError, "nowhere.*cannot be read",
         ["games"]),
        ("training = 30", "training = 300", InputError,
         r"training set is to have 300 games, and of 178 .* only \d+ can be", ["games"]),
        ("validation = 20", "validation = 200", InputError,
         "validation set is to have 200 games, and of 178", ["games"]),
        ("test = 20", "test = 170", InputError,
         "sets are to have 220 games, and the filters keep 178", ["games"]),
        # Sizes that only the winners tell to be too large cost no features either.
        ("training = 30", "training = 120", UsageError,
         r"only \d+ games can be in the training set", ["games", "winners"]),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_before_what_takes_long(
    home: Path, tmp_path: Path, before: str, after: str, error: type[Exception], said: str,
    made: list[str],
) -> None:  # fmt: skip
    write_games(tmp_path)
    path = write_experiment(tmp_path, home / "random1.bin.gz", models=False)
    path.write_text(path.read_text().replace(before, after))
    with pytest.raises(error, match=said):
        run(path)
    stages = ("games", "winners", "features")
    assert [stage for stage in stages if (tmp_path / "work" / stage).exists()] == made
