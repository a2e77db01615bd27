"""The file that describes a whole experiment, in TOML."""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.evaluation.splits import ADVANCE, NEWCOMER_GAMES
from yardstone.files import read_toml
from yardstone.go.analysis import SURE
from yardstone.go.features import RULES
from yardstone_lab.neubauer.experiment.games import JUDGED, Filters
from yardstone_lab.neubauer.moves import WINDOW
from yardstone_lab.neubauer.network.strength_network import PRESETS, Hyperparameters


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSettings:
    """Where the games are: SGF `records`, or lists of `moves` with a table of `results`."""

    records: tuple[str, ...] = ()  #: `records`, `moves`: files, folders, patterns or archives.
    moves: tuple[str, ...] = ()
    results: str = ""  #: The table that tells players, date and result of the lists of moves.
    #: `key`, `result`, `clock`, `ranked`: its columns: what names a game; the text of the result;
    #: the clock; whether a game counted for ratings. '' where there is none.
    key: str = "game_id"
    result: str = ""
    clock: str = ""
    ranked: str = ""
    #: Further columns that tell of a game: size, komi, handicap, rules. Without them a list of
    #: moves is of an even game on 19x19.
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """Whose word on the winner is taken."""

    judge: bool = True  #: Ask the network about games that were not counted.
    sure: float = SURE  #: How sure it must be.
    decisions: tuple[str, ...] = JUDGED  #: How the games were decided that are judged.


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSettings:
    """How features of moves are made, and of which games."""

    net: str = ""  #: The network's file or name; '' as everywhere.
    #: `engine`, `precision`, `rules`, `komi`: as in `yardstone go features`; komi None is that of
    #: each record.
    engine: str = "auto"
    precision: str = "fp32"
    rules: str = RULES
    komi: float | None = None
    #: Stores that are there already. The games they lack have no features.
    stores: tuple[str, ...] = ()
    since: np.datetime64 | None = None  #: Only games from this date on, and what `newcomers` adds.
    newcomers: bool = True  #: Games between newcomers as well, and all that both played before.


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingSettings:
    """The system of results, and the labels it gives."""

    advance: int = ADVANCE  #: A: how many games ahead a label looks.
    #: Compute the labels of training and validation games without the results of the test and
    #: exhibition games.
    withhold: bool = False
    #: `tau`, `deviation`, `volatility`: of Glicko-2: its tau, and deviation and volatility of a
    #: newcomer.
    tau: float = 0.5
    deviation: float = 350.0
    volatility: float = 0.06
    #: Add Glicko-2 with parameters that predict the games outside all sets best, found with so many
    #: trials (optuna), and fuse with that; 0 leaves it out.
    tune: int = 0
    #: Find them on games alone that were played before the first of T, V and E.
    tune_before: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSettings:
    """Sizes of the sets; -1 for the exhibition set takes all games that fit."""

    training: int = 10_000
    validation: int = 5_000
    test: int = 5_000
    exhibition: int = 5_000
    #: Earlier games that a player of an exhibition game has at most.
    newcomer_games: int = NEWCOMER_GAMES
    least_games: int = 0  #: And at least: 1 leaves out players without any earlier game.
    since: np.datetime64 | None = None  #: Games of the first three sets are not older.
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """What is trained."""

    window: int = WINDOW  #: N: recent moves of a player.
    #: `basic`, `full`: of the two Set Transformers, on head and on trunk features; None leaves one
    #: out.
    basic: Hyperparameters | None = field(default_factory=lambda: PRESETS["published"])
    full: Hyperparameters | None = field(default_factory=lambda: PRESETS["published"])
    #: Kinds of features whose means the pooled model takes; () leaves it out.
    pooled: tuple[str, ...] = ("head", "pick")
    rank: bool = False  #: A pooled model of the rank model's scores as well.
    fusion: bool = True  #: Fuse Glicko-2 with the model from moves that predicts V best.
    device: str = "auto"  #: Where networks are trained: cpu, cuda or auto.
    threads: int | None = None  #: Of the training on the processor.


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """What is measured."""

    #: For each of these k, test and exhibition games with all but the last k games of both players
    #: hidden.
    hidden: tuple[int, ...] = (0, 1, 2, 3, 4)
    replicates: int = 1000  #: Of the bootstrap of players.
    confidence: float = 0.95  #: Level of the intervals.
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A whole experiment, from records to the table; frozen."""

    name: str
    folder: Path  #: Where its stages are kept.
    #: `games`, `filters`, `judge`, `features`, `ratings`, `sets`, `models`, `table`: the settings
    #: of its parts.
    games: GameSettings
    filters: Filters = field(default_factory=Filters)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    features: FeatureSettings = field(default_factory=FeatureSettings)
    ratings: RatingSettings = field(default_factory=RatingSettings)
    sets: SetSettings = field(default_factory=SetSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    table: TableSettings = field(default_factory=TableSettings)


#: The parts of a description, by name.
PARTS: Mapping[str, type[Any]] = {
    "games": GameSettings,
    "filters": Filters,
    "judge": JudgeSettings,
    "features": FeatureSettings,
    "ratings": RatingSettings,
    "sets": SetSettings,
    "models": ModelSettings,
    "table": TableSettings,
}
#: Settings that are paths, taken from the folder of the file.
_PATHS = {"games": ("records", "moves", "results"), "features": ("stores",)}


def read_experiment(path: str | os.PathLike[str]) -> Experiment:
    """Read the description of an experiment.

    Paths in it are taken from the folder that the file lies in.

    Raises:
        InputError: The file cannot be read, is not TOML, or has a setting that is unknown, of the
            wrong kind or out of range; the message names it.
    """
    file = Path(path)
    sections = read_toml(file)
    try:
        return _experiment(sections, file)
    except UsageError as error:
        raise InputError(str(error), file=str(file)) from None


def _experiment(sections: Mapping[str, Any], file: Path) -> Experiment:
    known = {"name", "folder", *PARTS}
    if unknown := [name for name in sections if name not in known]:
        raise UsageError(f"there is no setting or part {unknown[0]!r}: {', '.join(sorted(known))}")
    name, folder = sections.get("name", file.stem), sections.get("folder", file.stem)
    if not (isinstance(name, str) and isinstance(folder, str) and name and folder):
        raise UsageError("name and folder must be texts")
    parts: dict[str, Any] = {}
    for part, kind in PARTS.items():
        values = sections.get(part, {})
        if not isinstance(values, Mapping):
            raise UsageError(f"{part} must be a part of its own: [{part}]")
        parts[part] = _part(part, kind, values, file.parent)
    games: GameSettings = parts["games"]
    if bool(games.records) == bool(games.moves):
        raise UsageError("[games] must name either records or moves")
    if games.moves and not games.results:
        raise UsageError("[games] must name the table of results of the lists of moves")
    return Experiment(name=name, folder=file.parent / folder, **parts)


def _part(part: str, kind: type[Any], values: Mapping[str, Any], home: Path) -> Any:
    fields = {each.name: each for each in dataclasses.fields(kind)}
    made: dict[str, Any] = {}
    for name, value in values.items():
        if name not in fields:
            raise UsageError(f"[{part}] has no setting {name!r}: there are {', '.join(fields)}")
        made[name] = _value(f"{part}.{name}", value, str(fields[name].type))
        if name in _PATHS.get(part, ()):
            made[name] = _from(home, made[name])
    return kind(**made)


def _value(name: str, value: Any, kind: str) -> Any:
    """The value of a setting as the kind that it must be."""
    if "Hyperparameters" in kind:
        return _hyperparameters(name, value)
    if "datetime64" in kind:
        if isinstance(value, datetime.date):
            day = value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value
            return np.datetime64(day.isoformat(), "s")
        raise UsageError(f"{name} is {value!r}; it must be a date such as 2006-06-20")
    if kind.startswith("tuple"):
        each = int if "int" in kind else str
        values = value if isinstance(value, list) else [value]
        if any(not isinstance(item, each) or isinstance(item, bool) for item in values):
            raise UsageError(f"{name} is {value!r}; it must be a list of {_WORDS[each]}")
        return tuple(values)
    expected = next(k for k in (bool, int, float, str) if kind.split(" ")[0] == k.__name__)
    if expected is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            value = float(value)
        except OverflowError:
            raise UsageError(f"{name} is too large") from None
    if not isinstance(value, expected) or (expected is not bool and isinstance(value, bool)):
        raise UsageError(f"{name} is {value!r}; it must be {_WORDS_ONE[expected]}")
    if isinstance(value, int) and value < (-1 if name == "sets.exhibition" else 0):
        raise UsageError(f"{name} is {value}; it must not be below 0")
    return value


_WORDS = {int: "whole numbers", str: "texts"}
_WORDS_ONE = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def _hyperparameters(name: str, value: Any) -> Hyperparameters | None:
    """A preset by name, or a table of settings with perhaps a preset to begin from."""
    if value is False:
        return None
    if isinstance(value, str):
        value = {"preset": value}
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} is {value!r}; it must be settings, the name of a preset or false")
    others = dict(value)
    preset = others.pop("preset", "published")
    if preset not in PRESETS:
        raise UsageError(f"{name}: there is no preset {preset!r}, but {', '.join(PRESETS)}")
    return PRESETS[preset].changed(others)


def _from(home: Path, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(str(home / each) for each in value)
    return str(home / value) if value else ""
