"""Games to learn from, to choose by and to test on: cut, described, and made examples of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.arrays import ArrayFile, map_array
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.splits import (
    NEWCOMER_GAMES,
    Labels,
    earlier_games,
    newcomers,
    rating_labels,
    since,
)
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.games import load_pool
from yardstone_lab.neubauer.experiment.questions import RecentMoves, ask_questions
from yardstone_lab.neubauer.moves import Labelled, histories
from yardstone_lab.neubauer.network.strength_network import PRESETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.sequential import Sequential
    from yardstone_lab.neubauer.experiment.configuration import Experiment, SetSettings
    from yardstone_lab.neubauer.experiment.questions import Questions
    from yardstone_lab.neubauer.network.strength_network import Hyperparameters

    Mask = NDArray[np.bool_]

__all__ = [
    "agree_with_score",
    "check_sizes",
    "draw_marks",
    "exhibition_games",
    "load_labels",
    "save_labels",
    "withheld_labels",
    "Sets",
    "draw_sets",
    "ExperimentData",
    "glicko_of",
    "read_experiment_data",
    "MODELS",
    "experiment_examples",
    "experiment_settings",
]

_FILE = ArrayFile("table of labels")
_LABELS = ("first", "second", "first_ahead", "second_ahead")
_SMALLER = (
    "ask for smaller sets under [sets] (training, validation, test, exhibition), "
    "or bring more games"
)


def exhibition_games(pool: Pool, most: int, least: int = 0) -> Mask:
    """Games of two players who both have `least` to `most` earlier games."""
    played = np.column_stack(earlier_games(pool))
    return np.asarray(((played >= least) & (played <= most)).all(axis=1))


def draw_marks(pool: Pool, labels: Labels, settings: SetSettings, known: Mask) -> Sets:
    """Draw the four sets.

    Args:
        pool: In order of time.
        labels: Of all games.
        known (bool array): Games whose moves are known. An exhibition game is between players all
            of whose earlier games are; games of the other sets are not older than `settings.since`.
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


def check_sizes(pool: Pool, settings: SetSettings, advance: int) -> None:
    """Refuse sets that these games can never fill, before a network is asked about them.

    Only what holds whatever the network will say: judging takes games away and changes
    winners, so that a pool that passes may still turn out too small (`draw_marks`).

    Args:
        pool: The games that the filters keep, in order of time.
        advance: Games that both players of a training game must have before them.

    Raises:
        InputError: There are too few games; the message says how many there are.
    """
    recent = np.ones(len(pool), np.bool_)
    if settings.since is not None:
        recent = since(pool, settings.since)
    players = np.bincount(np.concatenate([pool.first, pool.second]), minlength=len(pool.players))
    ahead = np.ones(len(pool), np.bool_)
    for side, played in zip((pool.first, pool.second), earlier_games(pool), strict=True):
        ahead &= players[side] - played - 1 >= advance
    after = "" if settings.since is None else f" since {str(settings.since)[:10]}"
    there = {
        "training": (int((recent & ahead).sum()), f" with {advance} games ahead of both players"),
        "validation": (int(recent.sum()), ""),
        "test": (int(recent.sum()), ""),
    }
    for name, (number, whose) in there.items():
        if (games := getattr(settings, name)) > number:
            raise InputError(
                f"the {name} set is to have {games:,} games, and of {len(pool):,} that the "
                f"filters keep only {number:,} can be in it{whose}{after}",
                hint=_SMALLER,
            )
    sizes = (settings.training, settings.validation, settings.test, max(settings.exhibition, 0))
    if sum(sizes) > len(pool):
        raise InputError(
            f"the sets are to have {sum(sizes):,} games, and the filters keep {len(pool):,}",
            hint=_SMALLER,
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
    own_labels = rating_labels(games, system.replay(games), advance=labels.advance)
    columns = {}
    for name in ("first", "second", "first_ahead", "second_ahead"):
        column = getattr(labels, name).copy()
        column[rest] = getattr(own_labels, name)
        columns[name] = column
    return Labels(**columns, advance=labels.advance)


def save_labels(labels: Labels, path: Path) -> None:
    """Write labels to one file (numpy's npz)."""
    arrays = {name: getattr(labels, name) for name in _LABELS}
    _FILE.write(path, {**arrays, "advance": np.array(labels.advance)})


def load_labels(path: Path) -> Labels:
    """Read what `save_labels` wrote."""
    return _FILE.read(
        path,
        lambda kept, _: Labels(
            kept["first"],
            kept["second"],
            kept["first_ahead"],
            kept["second_ahead"],
            int(kept["advance"]),
        ),
    )


@dataclass(frozen=True, eq=False)
class Sets:
    """A letter a game: T training, V validation, E test, X exhibition; frozen."""

    mark: NDArray[np.str_]  #: Empty for games in no set.

    def of(self, letter: str) -> Mask:
        """True for the games of one set."""
        if letter not in ("T", "V", "E", "X"):
            raise UsageError(f"there is no set {letter!r}: the sets are T, V, E and X")
        return np.asarray(self.mark == letter)

    def applied_to(self, pool: Pool) -> Pool:
        """The pool with the marks as its column ``set``."""
        return replace(pool, columns={**pool.columns, "set": self.mark})


def draw_sets(
    pool: Pool,
    labels: Labels,
    *,
    training: int = 10_000,
    validation: int = 5_000,
    test: int = 5_000,
    exhibition: int = 5_000,
    newcomer_games: int = NEWCOMER_GAMES,
    eligible: Mask | Mapping[str, Mask] | None = None,
    seed: int = 0,
) -> Sets:
    """Draw the four sets at random from a pool; no game is in two.

    The rules are the thesis': a training game has labels that agree with its
    score and look the full number of games ahead for both players; an exhibition
    game is between players with at most `newcomer_games` earlier games; validation
    and test games are any games, so that they stand for the pool. Exhibition games
    are drawn first, being few, and training games last: drawn before the others, they
    would leave them the games in which the higher label lost.

    Args:
        pool: In order of time.
        labels: Of that pool.
        training, validation, test, exhibition: How many games to draw for each.
        eligible (bool array or mapping): Games that may be drawn: those whose moves are known, for
            example; or those of some sets by their letters, others being free.
        seed: Equal seeds give equal sets.

    Raises:
        UsageError: There are not so many games; the message says how many there are.
    """
    everything = np.ones(len(pool), np.bool_)
    allowed = eligible if isinstance(eligible, Mapping) else {}
    common = everything if eligible is None or allowed is eligible else np.asarray(eligible)
    full = (labels.first_ahead >= labels.advance) & (labels.second_ahead >= labels.advance)
    generator = np.random.default_rng(seed)
    mark = np.full(len(pool), "", "U1")
    wishes = (
        ("X", exhibition, newcomers(pool, newcomer_games), "exhibition"),
        ("V", validation, everything, "validation"),
        ("E", test, everything, "test"),
        ("T", training, full & agree_with_score(labels, pool.score), "training"),
    )
    for letter, number, fit, name in wishes:
        free = allowed.get(letter, common)
        candidates = np.flatnonzero(free & fit & (mark == ""))
        if number > len(candidates):
            raise UsageError(
                f"only {len(candidates)} games can be in the {name} set, {number} were asked for"
            )
        mark[generator.choice(candidates, number, replace=False)] = letter
    return Sets(mark)


@dataclass(frozen=True, eq=False)
class ExperimentData:
    """The games of an experiment, with what training may know of them."""

    pool: Pool
    questions: Questions
    labels: Labels  #: That training may see.
    moves: RecentMoves  #: Of both players of each question.

    def labelled(self, kinds: Sequence[str], letter: str) -> Labelled:
        """The games of a set with some kinds of features."""
        here = np.flatnonzero(self.questions.of(letter))
        game = self.questions.game[here]
        return Labelled(
            self.moves.sets(kinds).select(here),
            self.pool.score[game].astype(np.float32),
            np.column_stack([self.labels.first[game], self.labels.second[game]]),
        )


def glicko_of(experiment: Experiment) -> Glicko2:
    """The experiment's Glicko-2."""
    ratings = experiment.ratings
    return Glicko2(
        tau=ratings.tau,
        initial_deviation=ratings.deviation,
        initial_volatility=ratings.volatility,
    )


def read_experiment_data(experiment: Experiment) -> ExperimentData:
    """Read what an experiment's stages have left.

    Raises:
        InputError: It was not run, or not far enough.
    """
    folder = experiment.folder
    pool, mark, labels, moves = (
        folder / name
        for name in ("winners/pool.npz", "sets/mark.npy", "labels/labels.npz", "moves/recent.npz")
    )
    for file in (pool, mark, labels, moves):
        if not file.is_file():
            raise InputError(
                f"the experiment has not been run so far: there is no stage {file.parent.name!r}",
                file=str(file),
                hint="run it with `yardstone strength run` first",
            )
    games = load_pool(pool)
    marks = map_array(mark)
    if marks.shape != (len(games),):
        raise InputError("is not of this experiment's pool", file=str(mark))
    questions = ask_questions(Sets(marks), experiment.table.hidden)
    return ExperimentData(games, questions, load_labels(labels), RecentMoves.open(moves.parent))


#: The features of moves that each model takes.
MODELS = {"basic": ("head",), "full": ("pick",)}


def experiment_settings(
    experiment: Experiment,
    model: str,
    preset: str | None = None,
    changes: Mapping[str, str] | None = None,
) -> Hyperparameters:
    """The settings of a model.

    Args:
        model: ``basic`` or ``full``.
        preset: Of `PRESETS`, in place of the experiment's settings; ``published`` where the
            experiment has no such model.
        changes: Settings by name that are other than those.
    """
    settings = experiment.models.basic if model == "basic" else experiment.models.full
    if preset is not None or settings is None:
        settings = PRESETS[preset or "published"]
    return settings.changed({"window": experiment.models.window}).changed(changes or {})


def experiment_examples(file: str, model: str) -> tuple[Labelled, Labelled]:
    """The training and the validation games of an experiment.

    Args:
        file: The description of an experiment that has been run as far as its recent moves.
        model: ``basic`` or ``full``: the features of moves that are taken.

    Raises:
        InputError: The description cannot be read, or the experiment has not been run.
    """
    if model not in MODELS:
        raise UsageError(f"there is no model {model!r}: there are {', '.join(MODELS)}")
    data = read_experiment_data(read_experiment(Path(file)))
    return data.labelled(MODELS[model], "T"), data.labelled(MODELS[model], "V")


def agree_with_score(labels: Labels, score: ArrayLike) -> NDArray[np.bool_]:
    """Games whose higher label won: the thesis' rule against noise in training.

    Draws and equal labels agree with nothing.
    """
    s = np.asarray(score, np.float64)
    first_stronger = (labels.first > labels.second) & (s == 1.0)
    second_stronger = (labels.first < labels.second) & (s == 0.0)
    return np.asarray(first_stronger | second_stronger)
