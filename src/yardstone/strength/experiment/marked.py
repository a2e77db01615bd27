"""The sets of an experiment, and labels that do not know the games to be predicted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.evaluation.labels import Labels, rating_labels
from yardstone.evaluation.sets import draw_sets
from yardstone.evaluation.splits import earlier_games, since
from yardstone.strength.recent import histories

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.evaluation.sets import Sets
    from yardstone.pool import Pool
    from yardstone.ratings.sequential import Sequential
    from yardstone.strength.experiment.configuration import SetSettings

    Mask = NDArray[np.bool_]

__all__ = ["draw_marks", "exhibition_games", "load_labels", "save_labels", "withheld_labels"]


def exhibition_games(pool: Pool, most: int, least: int = 0) -> Mask:
    """Games of two players who both have `least` to `most` earlier games."""
    played = np.column_stack(earlier_games(pool))
    return np.asarray(((played >= least) & (played <= most)).all(axis=1))


def draw_marks(pool: Pool, labels: Labels, settings: SetSettings, known: Mask) -> Sets:
    """Draw the four sets.

    Parameters
    ----------
    pool : Pool
        In order of time.
    labels : Labels
        Of all games.
    settings : SetSettings
    known : bool array
        Games whose moves are known. An exhibition game is between players all of
        whose earlier games are; games of the other sets are not older than
        `settings.since`.
    """
    recent = np.ones(len(pool), np.bool_)
    if settings.since is not None:
        recent = since(pool, settings.since)
    fresh = exhibition_games(pool, settings.newcomer_games, settings.least_games)
    fresh &= _all_known(pool, known)
    exhibition = int(fresh.sum()) if settings.exhibition < 0 else settings.exhibition
    sizes = (settings.training, settings.validation, settings.test)
    if min(sizes) < 0:
        raise UsageError("only the exhibition set can be all games that fit")
    return draw_sets(
        pool,
        labels,
        training=settings.training,
        validation=settings.validation,
        test=settings.test,
        exhibition=exhibition,
        newcomer_games=settings.newcomer_games,
        eligible={"X": fresh, "T": recent, "V": recent, "E": recent},
        seed=settings.seed,
    )


def _all_known(pool: Pool, known: Mask) -> Mask:
    """Games of two players all of whose earlier games are known."""
    order, place, begins = histories(pool)
    before = np.concatenate([[0], np.cumsum(~known[order // 2])])
    missing = before[place] - before[begins[place]]
    return np.asarray((missing.reshape(-1, 2) == 0).all(axis=1))


def withheld_labels(pool: Pool, labels: Labels, sets: Sets, system: Sequential) -> Labels:
    """Labels computed without the results of the test and exhibition games.

    Those games keep the labels they have; training and validation games, which are
    all that a model learns from, get labels that no hidden result has touched.
    """
    withheld = sets.of("E") | sets.of("X")
    rest = np.flatnonzero(~withheld)
    games = pool.select(rest)
    found = rating_labels(games, system.replay(games), advance=labels.advance)
    columns = {}
    for name in ("first", "second", "first_ahead", "second_ahead"):
        column = getattr(labels, name).copy()
        column[rest] = getattr(found, name)
        columns[name] = column
    return Labels(**columns, advance=labels.advance)


def save_labels(labels: Labels, path: Path) -> None:
    """Write labels to one file (numpy's npz)."""
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            first=labels.first,
            second=labels.second,
            first_ahead=labels.first_ahead,
            second_ahead=labels.second_ahead,
            advance=np.array(labels.advance),
        )


def load_labels(path: Path) -> Labels:
    """Read what `save_labels` wrote."""
    try:
        with np.load(path, allow_pickle=False) as file:
            kept = {name: file[name] for name in file.files}
        return Labels(
            kept["first"],
            kept["second"],
            kept["first_ahead"],
            kept["second_ahead"],
            int(kept["advance"]),
        )
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None
