"""Training: targets, gradients, steps, stopping, and going on after being killed."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tests.strength.made_training import TINY, made_games, set_transformer, torch
from yardstone import parallel
from yardstone.errors import ConvergenceError, InputError, NoGamesError, UsageError
from yardstone_lab.neubauer.moves import Labelled, MoveSets
from yardstone_lab.neubauer.network import training as training_module
from yardstone_lab.neubauer.network.strength_network import (
    Hyperparameters,
    StrengthNetwork,
    gamma,
    moments,
    pack,
    rate_sets,
)
from yardstone_lab.neubauer.network.training import (
    CHECKPOINT,
    EPOCHS_FILE,
    NETWORK,
    STEPS_FILE,
    Epoch,
    History,
    Trained,
    read_history,
    train,
)

TRAINING, VALIDATION = made_games(120), made_games(60, seed=1)


def test_losses_are_those_of_the_thesis() -> None:
    generator = np.random.default_rng(0)
    black, white = generator.normal(size=(2, 8))
    score = np.array([1.0, 0, 1, 0, 1, 1, 0, 0])
    # gamma is s_r ln 10 / 400: the odds are those of eq. 3.1 in rating points.
    expected = 1 / (1 + 10 ** (-315.81 * (black - white) / 400))
    both = tuple(map(torch.tensor, (black, white)))
    answer = set_transformer.score_losses(*both, torch.tensor(score), gamma(315.81)).numpy()
    np.testing.assert_allclose(answer, -np.log(1 - np.abs(score - expected)), rtol=1e-12)
    drawn = set_transformer.score_losses(*both, 0.5, gamma(315.81)).numpy()
    np.testing.assert_allclose(drawn, -0.5 * np.log(expected * (1 - expected)), rtol=1e-12)
    assert set_transformer.score_losses(torch.tensor(1e3), 0.0, 0.0, 1.0).item() == 1e3
    labels = generator.normal(size=(8, 2))
    wanted = (labels[:, 0] - black) ** 2 + (labels[:, 1] - white) ** 2
    answer = set_transformer.rating_losses(*both, torch.tensor(labels)).numpy()
    np.testing.assert_allclose(answer, wanted, rtol=1e-12)


def whole_loss(
    arrays: dict[str, np.ndarray], settings: Hyperparameters, games: Labelled, deviation: float
) -> float:
    """L_t of section 4.7.1 from the network of numpy, in double precision."""
    moves = games.moves
    x, there = moves.padded(np.arange(2 * len(moves)), settings.window)
    ratings = rate_sets(arrays, x.astype(np.float64), there).reshape(-1, 2)
    expected = 1 / (1 + np.exp(-gamma(deviation) * (ratings[:, 0] - ratings[:, 1])))
    score = -np.log(1 - np.abs(games.score - expected)).mean()
    rating = np.square(games.labels - ratings).sum(1).mean()
    flat = np.concatenate([array.ravel() for array in arrays.values()])
    return float(
        score + settings.rating_loss * rating + settings.regularisation * np.square(flat).mean()
    )


def examples_of(games: Labelled, window: int = 30) -> Any:
    normal = games.normalised(1600, 200)
    packed = pack(games.moves, window)
    return set_transformer.Examples(packed, normal.score, normal.labels, torch.device("cpu"))


def stepper_of(settings: Hyperparameters, channels: int = 5) -> tuple[Any, dict[str, np.ndarray]]:
    arrays = set_transformer.initial_arrays(settings, channels, np.random.default_rng(1))
    return set_transformer.Stepper(settings, arrays, 200.0, torch.device("cpu")), arrays


def test_gradients_are_those_of_finite_differences() -> None:
    """Of a batch in which a game occurs twice."""
    settings = Hyperparameters(
        depth=1, width=4, query_width=3, inducing_points=2, window=9,
        rating_loss=0.7, regularisation=3.0,
    )  # fmt: skip
    games, batch = made_games(7, channels=3, longest=9, seed=3), np.array([5, 0, 2, 2, 6, 1])
    stepper, arrays = stepper_of(settings, 3)
    losses = stepper.step(examples_of(games, 9), batch, 0.0, np.random.default_rng(0))
    chosen = games.normalised(1600, 200).select(batch)
    double = {name: array.astype(np.float64) for name, array in arrays.items()}
    assert sum(losses) == pytest.approx(whole_loss(double, settings, chosen, 200.0), rel=1e-5)
    step, checked = 1e-6, 0
    for name, parameter in stepper.network.named_parameters():
        gradient = parameter.grad.numpy().ravel()
        for place in range(gradient.size):
            beside = []
            for sign in (1, -1):
                moved = {key: array.copy() for key, array in double.items()}
                moved[name].ravel()[place] += sign * step
                beside.append(whole_loss(moved, settings, chosen, 200.0))
            wanted = (beside[0] - beside[1]) / (2 * step)
            assert gradient[place] == pytest.approx(wanted, abs=2e-5, rel=2e-4), (name, place)
            checked += 1
    assert checked == settings.parameters(3)


def test_steps_are_those_of_adam_and_the_average_follows() -> None:
    stepper, _ = stepper_of(replace(TINY, averaging=0.7))
    own = [parameter.detach().clone() for parameter in stepper.network.parameters()]
    adam = torch.optim.Adam(own)
    average = stepper.kept()
    for step, rate in enumerate((0.01, 0.03)):
        games = np.random.default_rng(step).integers(120, size=10)
        stepper.step(examples_of(TRAINING), games, rate, np.random.default_rng(0))
        for parameter, mine in zip(stepper.network.parameters(), own, strict=True):
            mine.grad = parameter.grad.clone()
        adam.param_groups[0]["lr"] = rate
        adam.step()
        flat = np.concatenate([mine.numpy().ravel() for mine in own])
        there = np.concatenate([p.detach().numpy().ravel() for p in stepper.network.parameters()])
        np.testing.assert_allclose(there, flat, rtol=0, atol=1e-6)
        average = 0.7 * average + 0.3 * flat
        np.testing.assert_allclose(stepper.kept(), average, rtol=0, atol=1e-6)


def test_a_step_does_not_depend_on_how_a_batch_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    result = []
    for numbers in (1 << 22, 1, 400):
        monkeypatch.setitem(set_transformer._NUMBERS, "cpu", numbers)
        stepper, _ = stepper_of(TINY)
        losses = stepper.step(examples_of(TRAINING), np.arange(50), 0.0, np.random.default_rng(0))
        gradients = torch.cat([p.grad.ravel() for p in stepper.network.parameters()])
        result.append((losses, gradients, *stepper.evaluate(examples_of(VALIDATION))))
    for parts in result[1:]:
        for part, whole in zip(parts, result[0], strict=True):
            np.testing.assert_allclose(part, whole, rtol=1e-5, atol=1e-5)


def same(one: Trained, other: Trained) -> None:
    """Two trainings that gave exactly the same."""
    assert one.history.steps == other.history.steps
    # Epoch 0 has no losses of training, which are not equal to themselves.
    seconds = [
        str([replace(epoch, seconds=0.0) for epoch in each.history.epochs]) for each in (one, other)
    ]
    assert seconds[0] == seconds[1]
    for name, array in one.network.arrays.items():
        np.testing.assert_array_equal(array, other.network.arrays[name])


def test_training_learns_who_is_stronger(tmp_path: Path) -> None:
    settings = replace(TINY, width=16, steps=20, epochs=6, patience=8, batch=32, decay=0.8)
    settings, games = replace(settings, regularisation=0.1), made_games(300)
    reported: list[Epoch] = []
    progress: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: progress.append(told)):
        more: dict[str, Any] = {"report": reported.append, "card": {"features": ["made"]}}
        trained = train(games, VALIDATION, settings, tmp_path / "a", threads=1, **more)
    history = trained.history
    assert list(history.epochs) == reported
    assert [epoch.epoch for epoch in reported] == list(range(7))
    assert trained.loss < min(math.log(2) - 0.05, history.epochs[0].validation_loss)
    assert (progress[0], progress[-1]) == (("training", 1, 120), ("training", 120, 120))
    rates = [3e-3, *(3e-3 * 0.8**k for k in range(6))]
    assert [epoch.learning_rate for epoch in history.epochs] == pytest.approx(rates)
    # What is kept is the best epoch, and the file holds the same network.
    ratings = trained.network.ratings(VALIDATION.moves)
    expected = trained.network.expected(ratings)
    loss = -np.log(np.where(VALIDATION.score == 1, expected, 1 - expected)).mean()
    assert loss == pytest.approx(trained.loss, abs=1e-6)
    assert trained.loss == min(epoch.validation_loss for epoch in history.epochs)
    kept = StrengthNetwork.load(tmp_path / "a" / NETWORK)
    np.testing.assert_allclose(kept.ratings(VALIDATION.moves), ratings, rtol=0, atol=2)
    assert (kept.mean, kept.deviation) == pytest.approx(
        (games.labels.mean(), games.labels.std(ddof=1))
    )
    about = {"features": ["made"], "training_games": 300, "validation_loss": trained.loss}
    assert {**about, "parameters": settings.parameters(5)}.items() <= kept.card.items()
    # A training that is done is not done again, and the tables say what happened.
    same(train(games, VALIDATION, settings, tmp_path / "a", threads=1), trained)
    assert str(read_history(tmp_path / "a")) == str(history)
    assert (tmp_path / "a" / STEPS_FILE).read_text().count("\n") == 121
    assert str(History.from_text(history.as_text())) == str(history)


def test_training_stops_when_nothing_improves(tmp_path: Path) -> None:
    """As in the thesis: no improvement after epoch 1, so it ends after epoch 11."""
    settings = replace(TINY, learning_rate=1e-30, steps=1, epochs=100, patience=10)
    history = train(TRAINING, VALIDATION, settings, tmp_path, threads=1).history
    assert (history.epochs[-1].epoch, history.best.epoch) == (11, 1)


def test_every_variant_trains_another_network(tmp_path: Path) -> None:
    short = replace(TINY, epochs=1)
    variants: dict[str, Any] = {
        "seed": 0, "dropout": 0.3, "sample": 5, "averaging": 0.7, "standardise": True,
        "bfloat16": True,
    }  # fmt: skip
    losses = {
        train(TRAINING, VALIDATION, short.changed({n: v}), tmp_path / n, threads=1).loss
        for n, v in variants.items()
    }
    assert len(losses) == len(variants)
    assert max(losses) < 1.0
    kept = StrengthNetwork.load(tmp_path / "standardise" / NETWORK)
    packed = pack(TRAINING.moves, TINY.window)
    np.testing.assert_allclose(kept.arrays["input.mean"], moments(packed)[0])


class Stop(Exception):
    """In place of a kill."""


@pytest.mark.parametrize(("steps", "half"), [(4, True), (8, False)])
def test_a_training_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int, half: bool
) -> None:
    settings = replace(TINY, dropout=0.2, averaging=0.5, sample=7, standardise=True, bfloat16=half)
    whole = train(TRAINING, VALIDATION, settings, tmp_path / "whole", threads=1)
    monkeypatch.setattr(training_module, "CHECKPOINT_SECONDS", 0.0)  # one after each step

    def stop(what: str, done: int, _: int) -> None:
        if done == steps:
            raise Stop

    with pytest.raises(Stop), parallel.context(progress=stop):
        train(TRAINING, VALIDATION, settings, tmp_path / "part", threads=1)
    seen: list[int] = []
    reported: list[Epoch] = []
    with parallel.context(progress=lambda what, done, _: seen.append(done)):
        again = train(
            TRAINING, VALIDATION, settings, tmp_path / "part", threads=1, report=reported.append
        )
    same(again, whole)
    assert seen[0] == steps  # the step it was stopped in is done again, and no other
    assert [epoch.epoch for epoch in reported] == list(range(len(whole.history.epochs)))
    for name in (EPOCHS_FILE, STEPS_FILE):
        rows = [(tmp_path / place / name).read_text().splitlines() for place in ("whole", "part")]
        assert len(rows[0]) == len(rows[1])


def test_a_folder_is_of_one_training_at_a_time(tmp_path: Path) -> None:
    settings = replace(TINY, epochs=1, steps=1)
    other = replace(settings, seed=5)

    def again(_: object) -> None:
        with pytest.raises(InputError, match="another process is training here"):
            train(TRAINING, VALIDATION, TINY, tmp_path, threads=1)

    first = train(TRAINING, VALIDATION, settings, tmp_path, threads=1, report=again)
    for games, wanted in ((TRAINING, other), (made_games(120, seed=2), settings)):
        with pytest.raises(UsageError, match="other settings or games"):
            train(games, VALIDATION, wanted, tmp_path, threads=1)
    anew = train(TRAINING, VALIDATION, other, tmp_path, resume=False, threads=1)
    assert anew.loss != first.loss
    path = tmp_path / CHECKPOINT
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError, match=r"damaged one \(remove it to begin anew\)"):
        train(TRAINING, VALIDATION, other, tmp_path, threads=1)


def huge_features(scale: float = 1e38) -> Labelled:
    """Games whose features no network can take as they are."""
    moves = TRAINING.moves
    features = np.float32(scale) * moves.features.astype(np.float32).clip(-3, 3)
    return replace(TRAINING, moves=MoveSets(features, moves.rows, moves.starts))


def test_games_that_cannot_be_used(tmp_path: Path) -> None:
    moves = MoveSets(TRAINING.moves.features, np.empty(0, np.int64), np.zeros(1, np.int64))
    nothing = Labelled(moves, np.empty(0, np.float32), np.empty((0, 2)))
    equal, unknown = np.ones((120, 2)), np.full((120, 2), np.nan)
    twice = replace(VALIDATION, score=np.full(60, 2, np.float32))
    (tmp_path / "file").touch()
    for games, others, more, error, words in (
        (nothing, VALIDATION, {}, NoGamesError, "no game to train on"),
        (TRAINING, nothing, {}, NoGamesError, "no game to validate with"),
        (replace(TRAINING, labels=equal), VALIDATION, {}, UsageError, "all labels are equal"),
        (replace(TRAINING, labels=unknown), VALIDATION, {}, InputError, "labels or scores that"),
        (TRAINING, twice, {}, InputError, "labels or scores that are of no use"),
        (TRAINING, made_games(9, channels=4), {}, UsageError, "other features of moves"),
        (TRAINING, VALIDATION, {"device": "nonsense"}, UsageError, "'nonsense' cannot be used"),
        (TRAINING, VALIDATION, {"folder": tmp_path / "file" / "a"}, InputError, "cannot be made"),
        (huge_features(), huge_features(), {}, ConvergenceError, "answers are no numbers"),
    ):
        options: dict[str, Any] = {"folder": tmp_path / "a", "threads": 1, **more}
        with pytest.raises(error, match=words):
            train(games, others, TINY, **options)
    games = huge_features(1e20)
    settings = replace(TINY, standardise=True)
    assert train(games, games, settings, tmp_path / "b", threads=1).loss < 1


def test_a_log_that_is_none(tmp_path: Path) -> None:
    head = ",".join(field.name for field in fields(Epoch))
    with pytest.raises(InputError, match="there is no such file"):
        read_history(tmp_path)
    (tmp_path / STEPS_FILE).write_text("epoch,step,score_loss,rating_loss,regularisation_loss\n")
    for text, words in (
        ("epoch,loss\n", "this is not a table of a training"),
        (f"{head}\n", "has no epochs"),
        (f"{head}\n1,2,3,4,5,6,7,8,9,10,x,True\n", ":2: seconds is 'x', no number"),
        (f"{head}\n1,2\n", ":2: score_loss is None, no number"),
    ):
        (tmp_path / EPOCHS_FILE).write_text(text)
        with pytest.raises(InputError, match=words):
            read_history(tmp_path)
