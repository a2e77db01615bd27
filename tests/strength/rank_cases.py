"""Evidence and rank models made from random numbers, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from yardstone.strength.evidence import PHASES, Evidence
from yardstone.strength.model import StrengthModel
from yardstone.strength.model_scale import ModelScale, ScoreSpread
from yardstone.strength.rank_features import SCALARS
from yardstone.strength.rank_scorer import Lift, MoveScorer
from yardstone.strength.site_scales import EDGES, GROUP_EDGES, RANKS

CHANNELS = 6
WIDTH = 3


def random_evidence(
    lengths: list[int], seed: int = 0, channels: int = CHANNELS, **changed: Any
) -> Evidence:
    """Moves of a player, who has Black in even games, with so many moves in each."""
    random = np.random.default_rng(seed)
    number = sum(lengths)
    game = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    place = np.concatenate([np.empty(0, np.int64), *(np.arange(length) for length in lengths)])
    chances = -np.sort(-random.dirichlet(np.ones(7), number)[:, :5], axis=1)
    rest = 1.0 - chances.sum(axis=1)
    policy = rest * random.random(number)
    winrate, loss = random.random(number) - 0.5, random.normal(0.0, 0.1, number)
    head = [winrate, random.normal(0, 1, number), policy - 0.5]
    head += [np.maximum(policy, chances[:, 0]) - 0.5, loss, random.normal(0.1, 0.3, number)]

    def half(*shape: int) -> np.ndarray[Any, np.dtype[np.float16]]:
        return random.normal(size=(number, *shape)).astype(np.float16)

    arrays = {
        "game": game,
        "number": (1 + 2 * place + game % 2).astype(np.int16),
        "colour": (1 + game % 2).astype(np.int8),
        "point": random.integers(0, 361, number).astype(np.int16),
        "head": np.column_stack(head).astype(np.float32),
        "pick": half(channels),
        "after": half(channels),
        "mean": half(channels),
        "candidates": half(5, channels),
        "chances": chances.astype(np.float16),
    }
    return Evidence(**{**arrays, **changed}, games=len(lengths))


def random_model(seed: int = 0, channels: int = CHANNELS, width: int = WIDTH) -> StrengthModel:
    """A model whose ranks lie along a line, with random weights."""
    random = np.random.default_rng(seed)
    values = 4 * channels + len(SCALARS)

    def single(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        # As they are in a file, so that a saved model is the same.
        return random.normal(0.0, 0.3, shape).astype(np.float16).astype(np.float32)

    lift = Lift(
        mean=single(values),
        deviation=(1.0 + np.abs(single(values))).astype(np.float16).astype(np.float32),
        pick_weights=single(channels, 3),
        pick_bias=single(3),
        weights=single(values, 4),
        bias=single(4),
        pairs=single(2, len(SCALARS)),
        spell=np.abs(single(len(SCALARS))),
    )
    scorer = MoveScorer(
        lift=lift,
        linear=single(PHASES, values, width),
        lifted=single(lift.lifted, width),
        centre=single(2, PHASES, width),
    )
    spread = random_spread(random, columns=np.arange(width), knots=0.5 * (EDGES[:-1] + EDGES[1:]))
    scale = ModelScale("fox", EDGES, np.full(len(RANKS), 1.0 / len(RANKS)), spread)
    return StrengthModel(scorer, [scale], {"name": "random", "network": "none", "sha256": "0" * 64})


def random_spread(
    random: np.random.Generator,
    *,
    columns: Sequence[int] | np.ndarray[Any, Any],
    knots: Sequence[float] | np.ndarray[Any, Any],
) -> ScoreSpread:
    """What players of growing strength score in some of a model's scores, without scatter."""
    width = len(columns)
    along = np.linspace(-1.0, 1.0, len(knots))[:, None, None]
    usual = along * (1.0 + 0.1 * random.random((PHASES, width)))
    half = random.normal(size=(3, width, width))
    move, game, player = (part @ part.T / width for part in half)
    return ScoreSpread(
        columns=np.asarray(columns, np.float64),
        knots=np.asarray(knots, np.float64),
        usual=usual,
        scatter=np.ones(len(knots)),
        move=20.0 * move + 10.0 * np.eye(width),
        game=0.05 * game,
        player=0.01 * player,
        prior_moves=np.array(10.0),
    )


def model_of_two_scales(seed: int = 0) -> StrengthModel:
    """A model with a scale of Fox and one of OGS, which reads other scores and has a scatter."""
    model = random_model(seed, width=WIDTH + 2)
    random = np.random.default_rng(seed + 1)
    edges = GROUP_EDGES["ogs"]
    fox = random_spread(random, columns=range(WIDTH), knots=model.scale().spread.knots)
    ogs = random_spread(random, columns=(WIDTH + 1, 1), knots=(-30.0, -20.0, -11.0, -3.0, 5.0))
    ogs = replace(ogs, scatter=np.array([0.5, 0.8, 1.0, 1.6, 2.5]))
    share = random.dirichlet(np.full(len(edges) - 1, 4.0))
    scales = [replace(model.scale(), spread=fox), ModelScale("ogs", edges, share, ogs)]
    return StrengthModel(model.scorer, scales, model.card)


def move_scorer(model: StrengthModel) -> MoveScorer:
    assert isinstance(model.scorer, MoveScorer)
    return model.scorer
