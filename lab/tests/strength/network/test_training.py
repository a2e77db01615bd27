"""Training: targets, gradients, steps, stopping, and going on after being killed."""

from __future__ import annotations

import importlib
import math
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from lab.tests.strength.made_training import TINY, made_games
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

if TYPE_CHECKING:
    import torch

    from yardstone_lab.neubauer.network import set_transformer
    from yardstone_lab.neubauer.network.set_transformer import (
        Examples,
        SetTransformer,
        Stepper,
        initial_arrays,
        rating_losses,
        score_losses,
    )

TRAINING, VALIDATION = made_games(120), made_games(60, seed=1)


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """Torch takes two seconds to import: not while tests are collected."""
    module = importlib.import_module("yardstone_lab.neubauer.network.set_transformer")
    names = ["Examples", "SetTransformer", "Stepper", "initial_arrays"]
    names += ["rating_losses", "score_losses"]
    globals().update({name: getattr(module, name) for name in names})
    globals().update(torch=importlib.import_module("torch"), set_transformer=module)


# --- the targets --------------------------------------------------------------------------


def test_losses_are_those_of_the_thesis() -> None:
    generator = np.random.default_rng(0)
    black, white = generator.normal(size=(2, 8))
    score = np.array([1.0, 0, 1, 0, 1, 1, 0, 0])
    scale = gamma(315.81)
    expected = np.exp(scale * black) / (np.exp(scale * black) + np.exp(scale * white))
    one, other, result = (torch.tensor(values) for values in (black, white, score))
    answer = score_losses(one, other, result, scale).numpy()
    np.testing.assert_allclose(answer, -np.log(1 - np.abs(score - expected)), rtol=1e-12)
    # gamma is s_r ln 10 / 400: the odds are those of eq. 3.1 in rating points.
    points = 1 / (1 + 10 ** (-315.81 * (black - white) / 400))
    np.testing.assert_allclose(expected, points, rtol=1e-12)
    labels = generator.normal(size=(8, 2))
    wanted = (labels[:, 0] - black) ** 2 + (labels[:, 1] - white) ** 2
    answer = rating_losses(*map(torch.tensor, (black, white, labels))).numpy()
    np.testing.assert_allclose(answer, wanted, rtol=1e-12)


def test_a_draw_is_half_a_win_and_half_a_loss() -> None:
    rating = torch.tensor([0.7, 40.0], dtype=torch.float64)
    zero, one = torch.zeros_like(rating), torch.ones_like(rating)
    both = [score_losses(rating, zero, score, 1.0) for score in (zero, one)]
    drawn = score_losses(rating, zero, one / 2, 1.0)
    np.testing.assert_allclose(drawn, (both[0] + both[1]) / 2)
    assert torch.isfinite(score_losses(1000 * one, zero, zero, 1.0)).all()


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


def test_gradients_are_those_of_finite_differences() -> None:
    settings = Hyperparameters(
        depth=1, width=4, query_width=3, inducing_points=2, window=9,
        rating_loss=0.7, regularisation=3.0, batch=6,
    )  # fmt: skip
    games = made_games(6, channels=3, longest=9, seed=3).normalised(1600, 200)
    deviation = 200.0
    generator = np.random.default_rng(1)
    arrays = initial_arrays(settings, 3, generator)
    stepper = Stepper(settings, arrays, deviation, torch.device("cpu"))
    examples = Examples(pack(games.moves, 9), games.score, games.labels, torch.device("cpu"))
    losses = stepper.step(examples, np.arange(6), 0.0, generator)
    double = {name: array.astype(np.float64) for name, array in arrays.items()}
    value = whole_loss(double, settings, games, deviation)
    assert sum(losses) == pytest.approx(value, rel=1e-5)
    step, checked = 1e-6, 0
    for name, parameter in stepper.network.named_parameters():
        assert parameter.grad is not None
        gradient = parameter.grad.numpy().ravel()
        for place in range(gradient.size):
            beside = []
            for sign in (1, -1):
                moved = {key: array.copy() for key, array in double.items()}
                moved[name].ravel()[place] += sign * step
                beside.append(whole_loss(moved, settings, games, deviation))
            wanted = (beside[0] - beside[1]) / (2 * step)
            assert gradient[place] == pytest.approx(wanted, abs=2e-5, rel=2e-4), (name, place)
            checked += 1
    assert checked == settings.parameters(3)


# --- steps ---------------------------------------------------------------------------------


def examples_of(games: Labelled, window: int = 30) -> Examples:
    normal = games.normalised(1600, 200)
    return Examples(pack(games.moves, window), normal.score, normal.labels, torch.device("cpu"))


def test_steps_are_those_of_a_loop_over_games_with_torch_s_adam() -> None:
    settings = replace(TINY, regularisation=5.0)
    examples = examples_of(TRAINING)
    generator = np.random.default_rng(0)
    arrays = initial_arrays(settings, 5, generator)
    stepper = Stepper(settings, arrays, 200.0, torch.device("cpu"))
    network = SetTransformer(settings, 5)
    network.load(arrays)
    adam = torch.optim.Adam(network.parameters(), lr=0.01)
    for step in range(2):
        games = np.random.default_rng(step).integers(len(examples), size=10)
        mine = stepper.step(examples, games, 0.01, generator)
        adam.zero_grad()
        total = 0.0
        for game in games.tolist():
            sides = []
            for side in (2 * game, 2 * game + 1):
                moves = examples.moves
                rows = moves.rows[moves.starts[side] : moves.starts[side + 1]]
                x = torch.tensor(moves.features[rows].astype(np.float32))[None]
                sides.append(network(x)[0] if len(rows) else torch.tensor(0.0))
            black, white = torch.stack(sides)[:, None]
            score = score_losses(black, white, examples.score[game], gamma(200.0))
            rating = rating_losses(black, white, examples.labels[game : game + 1])
            loss = (score + settings.rating_loss * rating).sum() / len(games)
            if loss.requires_grad:
                loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        squares = sum(p.square().sum() for p in network.parameters())
        assert isinstance(squares, torch.Tensor)
        penalty = settings.regularisation * squares / settings.parameters(5)
        penalty.backward()  # type: ignore[no-untyped-call]
        adam.step()
        assert sum(mine) == pytest.approx(total + penalty.item(), rel=1e-4)
    for name, parameter in network.named_parameters():
        np.testing.assert_allclose(
            stepper.network.state_dict()[name], parameter.detach(), rtol=0, atol=2e-4
        )


def test_a_step_does_not_depend_on_how_a_batch_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    result = []
    for numbers in (1, 400, 1 << 22):
        monkeypatch.setitem(set_transformer._NUMBERS, "cpu", numbers)
        arrays = initial_arrays(TINY, 5, np.random.default_rng(0))
        stepper = Stepper(TINY, arrays, 200.0, torch.device("cpu"))
        losses = stepper.step(examples_of(TRAINING), np.arange(50), 0.0, np.random.default_rng(0))
        gradients = torch.cat(
            [p.grad.ravel() for p in stepper.network.parameters() if p.grad is not None]
        )
        result.append((losses, gradients, stepper.evaluate(examples_of(VALIDATION))))
    for losses, gradients, (ratings, logarithms) in result[1:]:
        np.testing.assert_allclose(losses, result[0][0], rtol=1e-5)
        np.testing.assert_allclose(gradients, result[0][1], rtol=0, atol=1e-5)
        np.testing.assert_allclose(ratings, result[0][2][0], rtol=0, atol=1e-5)
        np.testing.assert_allclose(logarithms, result[0][2][1], rtol=0, atol=1e-5)


# --- whole trainings -----------------------------------------------------------------------


def same(one: Trained, other: Trained) -> None:
    """Two trainings that gave exactly the same."""
    assert one.history.steps == other.history.steps
    seconds = [replace(epoch, seconds=0.0) for epoch in one.history.epochs]
    # Epoch 0 has no losses of training, which are not equal to themselves.
    assert str(seconds) == str([replace(epoch, seconds=0.0) for epoch in other.history.epochs])
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
    assert kept.mean == pytest.approx(games.labels.mean())
    assert kept.deviation == pytest.approx(games.labels.std(ddof=1))
    about = {"features": ["made"], "training_games": 300, "validation_loss": trained.loss}
    assert {**about, "parameters": settings.parameters(5)}.items() <= kept.card.items()
    # A training that is done is not done again, and the tables say what happened.
    same(train(games, VALIDATION, settings, tmp_path / "a", threads=1), trained)
    assert str(read_history(tmp_path / "a")) == str(history)
    assert (tmp_path / "a" / STEPS_FILE).read_text().count("\n") == 121
    assert str(History.from_text(history.as_text())) == str(history)


def test_training_stops_when_nothing_improves(tmp_path: Path) -> None:
    settings = replace(TINY, learning_rate=1e-30, steps=1, epochs=100, patience=10)
    trained = train(TRAINING, VALIDATION, settings, tmp_path, threads=1)
    # As in the thesis: no improvement after epoch 1, so it ends after epoch 11.
    assert trained.history.epochs[-1].epoch == 11
    assert trained.history.best.epoch == 1


def test_every_variant_trains_another_network(tmp_path: Path) -> None:
    short = replace(TINY, epochs=1)
    losses = [train(TRAINING, VALIDATION, short, tmp_path / "plain", threads=1).loss]
    variants: list[dict[str, float]] = [
        {"dropout": 0.3}, {"sample": 5}, {"averaging": 0.7}, {"standardise": True},
        {"bfloat16": True}, {"seed": 1},
    ]  # fmt: skip
    for changes in variants:
        (name,) = changes
        settings = short.changed(changes)
        losses.append(train(TRAINING, VALIDATION, settings, tmp_path / name, threads=1).loss)
    assert len(set(losses)) == len(losses)
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
    reported: list[int] = []
    with parallel.context(progress=lambda what, done, _: seen.append(done)):
        report: Any = lambda epoch: reported.append(epoch.epoch)  # noqa: E731
        again = train(TRAINING, VALIDATION, settings, tmp_path / "part", threads=1, report=report)
    same(again, whole)
    assert seen[0] == steps  # the step it was stopped in is done again, and no other
    assert reported == list(range(len(whole.history.epochs)))
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


def test_a_training_that_fails_is_an_error(tmp_path: Path) -> None:
    games = huge_features()
    with pytest.raises(ConvergenceError, match="answers are no numbers"):
        train(games, games, TINY, tmp_path / "a", threads=1)
    games = huge_features(1e20)
    settings = replace(TINY, standardise=True)
    assert train(games, games, settings, tmp_path / "b", threads=1).loss < 1


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
    ):
        settings: dict[str, Any] = {"folder": tmp_path, "threads": 1, **more}
        with pytest.raises(error, match=words):
            train(games, others, TINY, **settings)


# --- the log -------------------------------------------------------------------------------


def test_a_log_that_is_none(tmp_path: Path) -> None:
    head = ",".join(field.name for field in fields(Epoch))
    columns = "epoch,step,score_loss,rating_loss,regularisation_loss"
    with pytest.raises(InputError, match="there is no such file"):
        read_history(tmp_path)
    for text, words in (
        ("epoch,loss\n", "this is not a table of a training"),
        (f"{head}\n", "has no epochs"),
        (f"{head}\n1,2,3,4,5,6,7,8,9,10,x,True\n", ":2: seconds is 'x', no number"),
        (f"{head}\n1,2\n", ":2: score_loss is None, no number"),
    ):
        (tmp_path / EPOCHS_FILE).write_text(text)
        (tmp_path / STEPS_FILE).write_text(f"{columns}\n")
        with pytest.raises(InputError, match=words):
            read_history(tmp_path)
