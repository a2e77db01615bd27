"""Training of a Set Transformer that tells Fox groups and OGS ranks from sides of games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import MissingExtraError, NoGamesError
from yardstone.strength.set_transformer import alike
from yardstone.strength.site_scales import RANKS
from yardstone_lab.neubauer.sides import BANDS, bands_of, targets

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.network.strength_network import Hyperparameters
    from yardstone_lab.neubauer.sides import SetSides

    Arrays = dict[str, NDArray[np.float32]]
    Ints = NDArray[np.int64]

__all__ = [
    "OUTPUTS",
    "train_arrays",
    "usual_attended",
]

try:
    import torch
    from torch import Tensor
    from torch.nn import functional

    from yardstone_lab.neubauer.network.set_transformer import SetTransformer, initial_arrays
except ImportError as error:  # tested by a process that has no torch
    raise MissingExtraError("torch") from error


#: What a network in training says: a number for each Fox group and for each OGS band.
OUTPUTS = len(RANKS) + len(BANDS)
#: A step sees so many OGS sides for each Fox side, and each counts so much.
_OGS_SHARE, _OGS_WEIGHT = 0.25, 1.2
#: Every second set is a stretch of a game, at least so long, so that it does not matter
#: which phases a set has, nor that there are all of them.
_STRETCH = 30
#: The longest gradient.
_CLIP = 1.0
#: Steps until the learning rate is whole.
_WARM = 50
#: Sides with fewer moves teach nothing.
_FEWEST = 10
#: Places for moves that are computed at once.
_MOVES = 8192


def train_arrays(
    sides: SetSides, rows: NDArray[np.bool_], settings: Hyperparameters, *, threads: int = 1
) -> Arrays:
    """The parameters of a network that is trained on some sides.

    Groups are drawn equally often, OGS bands by the root of their number. The learning
    rate falls along half a cosine over all steps; what is kept is the moving average of
    the parameters. Equal settings and sides give equal parameters on equal machines.

    Args:
        rows (bool [s]): Whom it learns from.
        settings: Of which `decay`, `rating_loss`, `window`, `patience` and `standardise` say
            nothing here.
        threads: Of torch.

    Raises:
        NoGamesError: There are none.
    """
    chosen = np.flatnonzero(rows & (sides.moves.lengths() >= _FEWEST))
    fox, ogs = chosen[sides.fox[chosen]], chosen[~sides.fox[chosen]]
    if not len(chosen):
        raise NoGamesError("there are no games to learn from")
    generator = np.random.default_rng([settings.seed, 0])
    torch.manual_seed(settings.seed)
    torch.set_num_threads(threads)
    channels = sides.moves.channels
    network = SetTransformer(settings, channels, outputs=OUTPUTS)
    network.load(initial_arrays(settings, channels, generator, OUTPUTS))
    parameters = list(network.parameters())
    size = sum(each.numel() for each in parameters)
    adam = torch.optim.Adam(parameters, lr=settings.learning_rate)
    average = [each.detach().clone() for each in parameters]
    features = torch.from_numpy(sides.moves.features)
    wanted = torch.from_numpy(targets(sides))
    drawn = _Draw(sides, fox, ogs, settings.batch)
    whole = settings.epochs * settings.steps
    for step in range(whole):
        warm = min(1.0, (step + 1) / _WARM)
        rate = settings.learning_rate * warm * 0.5 * (1.0 + np.cos(np.pi * step / whole))
        adam.param_groups[0]["lr"] = rate
        sets = drawn(generator)
        places, there = _some_moves(sides, sets, settings.sample, generator)
        network.train()
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
            out = network.outputs(_rows(features, places), there)
        loss = _loss(out.float(), wanted[torch.from_numpy(sets)])
        loss = loss + settings.regularisation * sum(p.square().sum() for p in parameters) / size
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, _CLIP)
        adam.step()
        kept = min(settings.averaging, (step + 1) / (step + 10))
        with torch.no_grad():
            for mean, now in zip(average, parameters, strict=True):
                mean.lerp_(now, 1.0 - kept)
    with torch.no_grad():
        for mean, now in zip(average, parameters, strict=True):
            now.copy_(mean)
    return network.arrays()


@torch.no_grad()
def usual_attended(
    sides: SetSides, arrays: Arrays, settings: Hyperparameters
) -> NDArray[np.float32]:
    """What a network's last attention gathers of whole sides, on average: [width]."""
    network = SetTransformer(settings, sides.moves.channels, outputs=len(arrays["rate.weight"]))
    network.load(arrays)
    network.eval()
    features = torch.from_numpy(sides.moves.features)
    some = np.flatnonzero(sides.moves.lengths())
    total = torch.zeros(settings.width, dtype=torch.float64)
    for group in alike(sides.moves.lengths()[some], _MOVES):
        places, there = sides.moves.indices(some[group])
        hidden = None if there is None else torch.from_numpy(there)
        total += network.attended(_rows(features, places), hidden).double().sum(0)
    return np.asarray((total / len(some)).numpy(), np.float32)


class _Draw:
    """Draws the sides of a step."""

    def __init__(self, sides: SetSides, fox: Ints, ogs: Ints, batch: int) -> None:
        others = 0 if not len(ogs) else batch if not len(fox) else round(batch * _OGS_SHARE)
        self._parts = (
            (fox, batch if len(fox) else 0, _weights(sides.group[fox], 1.0)),
            (ogs, others, _weights(bands_of(sides.rank[ogs]), 0.5)),
        )

    def __call__(self, generator: Generator) -> Ints:
        drawn = [
            generator.choice(rows, number, p=weights)
            for rows, number, weights in self._parts
            if number
        ]
        return np.concatenate(drawn)


def _weights(kind: Ints, power: float) -> NDArray[np.float64]:
    """Chance of each side, less where there are many of its kind."""
    if not len(kind):
        return np.empty(0)
    weights = np.bincount(kind)[kind].astype(np.float64) ** -power
    return np.asarray(weights / weights.sum())


def _some_moves(
    sides: SetSides, sets: Ints, sample: int, generator: Generator
) -> tuple[Ints, Tensor]:
    """Some moves of each set: where they stand, and which places hold one."""
    lengths = sides.moves.lengths()[sets]
    width = min(sample, int(lengths.max())) if sample else int(lengths.max())
    places = np.zeros((len(sets), width), np.int64)
    there = np.zeros((len(sets), width), np.bool_)
    for row, (first, length) in enumerate(zip(sides.moves.starts[sets], lengths, strict=True)):
        begin, end = 0, int(length)
        if length > _STRETCH and generator.random() < 0.5:
            long = int(generator.integers(_STRETCH, length + 1))
            begin = int(generator.integers(0, length - long + 1))
            end = begin + long
        moves = first + begin + generator.permutation(end - begin)[:width]
        places[row, : len(moves)] = sides.moves.rows[moves]
        there[row, : len(moves)] = True
    return places, torch.from_numpy(there)


def _rows(features: Tensor, places: Ints) -> Tensor:
    """Moves side by side: far quicker than by indexing."""
    flat = features.index_select(0, torch.from_numpy(places.ravel())).float()
    return flat.view(*places.shape, features.shape[1])


def _loss(out: Tensor, wanted: Tensor) -> Tensor:
    """Cross-entropies of the groups and of the bands, each a mean over all sides."""
    groups = functional.log_softmax(out[:, : len(RANKS)], 1)
    bands = functional.log_softmax(out[:, len(RANKS) :], 1)
    group_loss = -(wanted[:, : len(RANKS)] * groups).sum()
    band_loss = -(wanted[:, len(RANKS) :] * bands).sum()
    loss: Tensor = (group_loss + _OGS_WEIGHT * band_loss) / len(out)
    return loss
