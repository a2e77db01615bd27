"""An experiment from its configuration to its predictions, in stages that can be resumed."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import map_array
from yardstone.errors import InputError
from yardstone.evaluation.splits import rating_labels
from yardstone.files import locked, unwritable
from yardstone.go.features import ExtractionSettings
from yardstone.pool import SkipReport
from yardstone.ratings.glicko import Glicko2
from yardstone.records.sources import find_sources
from yardstone_lab.neubauer.experiment import models
from yardstone_lab.neubauer.experiment.games import (
    ListedGames,
    RecordedGames,
    collect_pool,
    judged_pool,
    last_winrates,
    load_pool,
    save_pool,
)
from yardstone_lab.neubauer.experiment.questions import (
    GLICKO,
    RANK,
    TUNED,
    ExperimentPredictions,
    Questions,
    RecentMoves,
    ask_questions,
    gather_moves,
    load_predictions,
    result_predictions,
    save_predictions,
    system_predictions,
)
from yardstone_lab.neubauer.experiment.sets import (
    ExperimentData,
    Sets,
    check_sizes,
    draw_marks,
    exhibition_games,
    glicko_of,
    load_labels,
    save_labels,
    withheld_labels,
)
from yardstone_lab.neubauer.moves import Stores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.evaluation.splits import Labels
    from yardstone.pool import Pool
    from yardstone.ratings.result import Replay
    from yardstone_lab.neubauer.experiment.configuration import Experiment, SetSettings

_ABOUT = "stage.json"
_FORMAT = 1


@dataclass(slots=True)
class Stages:
    """The stages of one experiment in a folder."""

    folder: Path  #: Made if it is not there.
    say: Callable[[str], object] = print  #: Told in words what is kept, done and redone, and why.
    #: Fingerprints of the stages run so far, by name.
    prints: dict[str, str] = field(default_factory=dict)

    def run(
        self,
        name: str,
        make: Callable[[Path], object],
        settings: Mapping[str, Any],
        needs: Sequence[str] = (),
    ) -> Path:
        """The folder of a stage, which is made if it is missing or out of date.

        Args:
            name: Of the stage, and of its folder.
            make: Fills a folder. It is called with the same folder again if it was killed, unless
                something that it depends on has changed since.
            settings: All that the stage depends on beside `needs`; what JSON can hold.
            needs: Stages that it takes from; they have been run.
        """
        about = {
            "format": _FORMAT,
            "settings": json.loads(json.dumps(settings)),
            "needs": {each: self.prints[each] for each in needs},
        }
        text = json.dumps(about, sort_keys=True)
        self.prints[name] = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
        home, part = self.folder / name, self.folder / f".{name}.part"
        known = _read(home / _ABOUT)
        if known is not None and _depends(known) == _depends(about):
            self.say(f"{name}: kept")
            return home
        if home.exists():
            self.say(f"{name}: done again, for {_difference(known, about)}")
        else:
            self.say(f"{name}: begun")
        try:
            if part.exists() and _depends(_read(part / _ABOUT) or {}) != _depends(about):
                shutil.rmtree(part)
            part.mkdir(parents=True, exist_ok=True)
            (part / _ABOUT).write_text(text, "utf-8")
            began = time.monotonic()
            make(part)
            about["seconds"] = round(time.monotonic() - began, 1)
            (part / _ABOUT).write_text(json.dumps(about, indent=2) + "\n", "utf-8")
            if home.exists():
                (home / _ABOUT).unlink(missing_ok=True)  # half removed it is nothing any more
                shutil.rmtree(home)
            part.rename(home)
        except InputError:
            raise
        except OSError as error:
            raise unwritable(error, error.filename or home) from error
        self.say(f"{name}: done in {about['seconds']:.0f} s")
        return home


def file_facts(paths: Sequence[str]) -> list[list[Any]]:
    """What tells whether files have changed: name, size and a digest of what they hold.

    Not the time of the last change, which a copy or a fresh checkout has anew.
    """
    facts = []
    for path in paths:
        try:
            with Path(path).open("rb") as file:
                digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=12))
                facts.append([str(path), file.tell(), digest.hexdigest()])
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    return facts


def _read(path: Path) -> dict[str, Any] | None:
    """What a stage says of itself; None if there is nothing that can be read."""
    try:
        facts = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    parts = [facts, facts.get("settings"), facts.get("needs")] if isinstance(facts, dict) else [[]]
    return facts if all(isinstance(part, dict | NoneType) for part in parts) else None


def _depends(about: Mapping[str, Any]) -> list[Any]:
    return [about.get(name) for name in ("format", "settings", "needs")]


def _difference(known: Mapping[str, Any] | None, about: Mapping[str, Any]) -> str:
    """Why a stage is out of date, in words."""
    if known is None:
        return "its folder is damaged"
    if known.get("format") != about["format"]:
        return "it was made by another version"
    before, now = known.get("settings") or {}, about["settings"]
    for name in now:
        if before.get(name) != now[name]:
            if isinstance(now[name], str | int | float | bool | None):
                return f"{name} is {now[name]}, and was {before.get(name)}"
            return f"{name} has changed"
    changed = [
        name
        for name in about["needs"]
        if (known.get("needs") or {}).get(name) != about["needs"][name]
    ]
    return f"{' and '.join(changed)} changed" if changed else "a setting is gone"


@dataclass(slots=True)
class Preparation:
    """The stages that prepare the data; each takes what those before it gave."""

    experiment: Experiment
    say: Callable[[str], object]  #: Told what is kept, done and redone.
    facts: dict[str, Any] = field(default_factory=dict)  #: What the stages said of themselves.
    stages: Stages = field(init=False)
    #: The games, once something has asked for them.
    source: RecordedGames | ListedGames | None = None

    def __post_init__(self) -> None:
        self.stages = Stages(self.experiment.folder, self.say)

    def _candidates(self) -> RecordedGames | ListedGames:
        if self.source is None:
            self.source = self._read()
        return self.source

    def _read(self) -> RecordedGames | ListedGames:
        games = self.experiment.games
        if games.records:
            return RecordedGames(games.records)
        from yardstone.records.reading import read

        named = (games.key, games.result, games.clock, games.ranked, *games.columns)
        names = [name for name in named if name]
        results = read(
            games.results, columns={name: name for name in names}, first="black", times=True
        )
        return ListedGames(games.moves, results, games.key, games.result, games.clock, games.ranked)

    def games(self) -> Pool:
        """The games that the filters keep."""
        experiment = self.experiment
        games = experiment.games

        def make(folder: Path) -> None:
            pool, report = collect_pool(self._candidates(), experiment.filters)
            save_pool(pool, folder / "pool.npz")
            write_facts(folder / "filters.json", report.as_dict())

        named = _files((*games.records, *games.moves, *filter(None, [games.results])))
        settings = {
            **plain_values(asdict(games)),
            **plain_values(asdict(experiment.filters)),
            "files": file_facts(named),
        }
        home = self.stages.run("games", make, settings)
        self.facts["filters"] = read_facts(home / "filters.json")
        pool = load_pool(home / "pool.npz")
        check_sizes(pool, self._set_settings, experiment.ratings.advance)
        return pool

    def winners(self, pool: Pool) -> Pool:
        """The same with the winners that the network names."""
        experiment = self.experiment
        judge, features = experiment.judge, experiment.features

        def make(folder: Path) -> None:
            if not judge.judge:
                save_pool(pool, folder / "pool.npz")
                write_facts(folder / "judged.json", {})
                return
            keys = set(
                pool.columns["key"][np.isin(pool.columns["decision"], judge.decisions)].tolist()
            )
            known: dict[str, float] = {}
            if features.stores:
                known = Stores.open(features.stores).winrates(self._by)
            missing = keys - set(known)
            if missing:
                known |= last_winrates(self._candidates(), missing, folder, self._settings())
            made, report = judged_pool(pool, known, sure=judge.sure, decisions=judge.decisions)
            save_pool(made, folder / "pool.npz")
            write_facts(folder / "judged.json", asdict(report))

        settings = plain_values(asdict(judge))
        if judge.judge:
            settings |= plain_values(asdict(features)) | self._stores_facts()
        home = self.stages.run("winners", make, settings, ["games"])
        self.facts["judged"] = read_facts(home / "judged.json")
        return load_pool(home / "pool.npz")

    @property
    def _by(self) -> str:
        return "file" if self.experiment.games.records else "name"

    def _settings(self) -> ExtractionSettings:
        features = self.experiment.features
        return ExtractionSettings(
            net=features.net or None,
            engine=features.engine,
            precision=features.precision,
            trunk=tuple(kind for kind in self._stored if kind not in ("head", "chances")),
            rules=None if features.rules == "record" else features.rules,
            komi=features.komi,
        )

    @property
    def _kinds(self) -> tuple[str, ...]:
        """Kinds of features that the models take."""
        chosen = self.experiment.models
        kinds = ["head"]
        if chosen.full is not None:
            kinds.append("pick")
        kinds += [*chosen.pooled, *([RANK] if chosen.rank else [])]
        return tuple(dict.fromkeys(kinds))

    @property
    def _stored(self) -> tuple[str, ...]:
        """Kinds that the stores must have for that."""
        needed = [kind for kind in self._kinds if kind != RANK]
        if RANK in self._kinds:
            from yardstone_lab.neubauer.experiment.models import NEEDED

            needed += NEEDED
        return tuple(dict.fromkeys(needed))

    def _stores_facts(self) -> dict[str, Any]:
        named = [str(Path(path) / "store.json") for path in self.experiment.features.stores]
        return {"made": file_facts(named)}

    def features(self, pool: Pool) -> Stores:
        """The stores: those that are there, or one of the games that are wanted."""
        features = self.experiment.features
        if features.stores:
            stores = Stores.open(features.stores)
            if missing := [kind for kind in self._stored if kind not in stores.kinds]:
                raise InputError(
                    f"the stores have no {' and '.join(missing)}",
                    file=features.stores[0],
                    hint="make them with these features, or choose other models",
                )
            self.stages.prints["features"] = json.dumps(self._stores_facts())
        else:

            def make(folder: Path) -> None:
                from yardstone.go.features import extract_features

                keys = set(pool.columns["key"][self._wanted(pool)].tolist())
                extract_features(
                    lambda: (c.game for c in self._candidates() if c.key in keys),
                    folder / "store",
                    self._settings(),
                )

            sets = self.experiment.sets
            settings = plain_values(asdict(features)) | {
                "kinds": list(self._settings().trunk),
                "newcomer_games": sets.newcomer_games,
                "least_games": sets.least_games,
            }
            stores = Stores.open(
                [self.stages.run("features", make, settings, ["winners"]) / "store"]
            )
        self.facts["network"] = stores.settings
        return stores

    def _wanted(self, pool: Pool) -> NDArray[np.bool_]:
        """The games whose features are made."""
        features, sets = self.experiment.features, self.experiment.sets
        if features.since is None:
            return np.ones(len(pool), np.bool_)
        if pool.time is None:
            raise InputError("the games have no dates, so [features] since cannot choose any")
        inside = pool.time >= features.since
        if features.newcomers:
            newcomers = exhibition_games(pool, sets.newcomer_games, sets.least_games)
            for side in (pool.first, pool.second):
                for game in np.flatnonzero(newcomers).tolist():
                    mine = (pool.first[:game] == side[game]) | (pool.second[:game] == side[game])
                    inside[:game] |= mine
        return np.asarray(inside)

    @property
    def _set_settings(self) -> SetSettings:
        """The sizes of the sets; unless told otherwise they begin where the features do."""
        settings = self.experiment.sets
        if settings.since is None:
            settings = replace(settings, since=self.experiment.features.since)
        return settings

    def check_sets(self, pool: Pool, labels: Labels) -> None:
        """Refuse sets that are too large for the pool before its features are made.

        Stores that are there already cost nothing, and may lack games: they are left to
        `sets`, which knows what is in them.
        """
        if not self.experiment.features.stores:
            draw_marks(pool, labels, self._set_settings, self._wanted(pool))

    def sets(self, pool: Pool, labels: Labels, stores: Stores) -> Sets:
        """The marks of the four sets."""
        experiment = self.experiment
        settings = self._set_settings

        def make(folder: Path) -> None:
            pieces = stores.pieces(pool.columns["key"].tolist(), self._by)
            np.save(folder / "mark.npy", draw_marks(pool, labels, settings, pieces.known).mark)

        plain = plain_values(asdict(experiment.ratings)) | plain_values(asdict(settings))
        for name in ("withhold", "tune", "tune_before"):
            del plain[name]
        home = self.stages.run("sets", make, plain, ["winners", "features"])
        sets = Sets(map_array(home / "mark.npy"))
        self.facts["sets"] = {letter: int(sets.of(letter).sum()) for letter in "TVEX"}
        return sets

    def labels(self, pool: Pool, labels: Labels, sets: Sets) -> Labels:
        """The labels that training may see."""
        withhold = self.experiment.ratings.withhold

        def make(folder: Path) -> None:
            system = glicko_of(self.experiment)
            learned = withheld_labels(pool, labels, sets, system) if withhold else labels
            save_labels(learned, folder / "labels.npz")

        home = self.stages.run("labels", make, {"withhold": withhold}, ["sets"])
        return load_labels(home / "labels.npz")

    def moves(self, pool: Pool, questions: Questions, stores: Stores) -> RecentMoves:
        """The recent moves of both players of each question."""
        experiment = self.experiment

        def make(folder: Path) -> None:
            pieces = stores.pieces(pool.columns["key"].tolist(), self._by)
            window = experiment.models.window
            gather_moves(folder, pool, pieces, questions, stores, self._kinds, window)

        settings = {
            "window": experiment.models.window,
            "kinds": list(self._kinds),
            "hidden": list(experiment.table.hidden),
        }
        home = self.stages.run("moves", make, settings, ["sets", "features"])
        moves = RecentMoves.open(home)
        lengths = np.diff(moves.starts).reshape(-1, 2)
        self.facts["moves"] = {
            letter: float(lengths[questions.of(letter)].mean()) if questions.of(letter).any() else 0
            for letter in "TVEX"
        }
        return moves


def _files(named: tuple[str, ...]) -> list[str]:
    """The files behind names, folders and patterns; archives as a whole."""
    files = set()
    for source in find_sources(named, [""], SkipReport()):
        path = Path(source.name)
        while not path.is_file() and path != path.parent:  # a file in an archive
            path = path.parent
        files.add(str(path))
    return sorted(files)


def plain_values(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as JSON has them."""
    return {
        name: str(value) if isinstance(value, np.datetime64) else value
        for name, value in settings.items()
    }


def write_facts(path: Path, facts: dict[str, Any]) -> None:
    """Write plain values to a file of JSON."""
    path.write_text(json.dumps(facts, indent=2) + "\n", "utf-8")


def read_facts(path: Path) -> Any:
    """Read what `write_facts` wrote."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path)) from None


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """What an experiment has come to; frozen."""

    experiment: Experiment
    pool: Pool  #: With the marks in its column ``set``.
    replay: Replay  #: Under Glicko-2.
    predictions: ExperimentPredictions
    moves: RecentMoves
    facts: dict[str, Any]  #: What the stages said of themselves: filters, judging, sets, models.


def run_experiment(
    experiment: Experiment, *, say: Callable[[str], object] = print
) -> ExperimentResult:
    """Do all of an experiment that is not done yet.

    It can be killed at any moment and started again. A changed setting does those
    stages again that depend on it, and no others.

    Args:
        experiment: `yardstone_lab.neubauer.experiment.configuration.read_experiment` reads one.
        say: Told what is kept, done and redone.
    """
    try:
        experiment.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot be made: {error.strerror}", file=str(experiment.folder)
        ) from error
    with locked(experiment.folder, "training here"):
        return _run(Preparation(experiment, say))


def _run(data: Preparation) -> ExperimentResult:
    """All stages, one after the other."""
    experiment = data.experiment
    pool = data.winners(data.games())
    system = glicko_of(experiment)
    replay = system.replay(pool)
    labels = rating_labels(pool, replay, advance=experiment.ratings.advance)
    data.check_sets(pool, labels)
    stores = data.features(pool)
    sets = data.sets(pool, labels, stores)
    learned = data.labels(pool, labels, sets)
    questions = ask_questions(sets, experiment.table.hidden)
    moves = data.moves(pool, questions, stores)
    examples = ExperimentData(pool, questions, learned, moves)
    work = models.Work(examples, experiment.models, data.say)
    trained = models.train_all(work, data.stages)
    data.facts["models"] = trained.facts
    predictions = result_predictions(pool, replay, labels, system, questions)
    predictions = _predict(data, predictions, _Basis(pool, sets, moves, replay), trained)
    return ExperimentResult(
        experiment, sets.applied_to(pool), replay, predictions, moves, data.facts
    )


@dataclass(frozen=True, eq=False)
class _Basis:
    """What predictions are made from."""

    pool: Pool
    sets: Sets
    moves: RecentMoves
    replay: Replay


def _predict(
    data: Preparation,
    predictions: ExperimentPredictions,
    basis: _Basis,
    trained: models.TrainedModels,
) -> ExperimentPredictions:
    """Ask all systems about every game."""
    experiment, pool = data.experiment, basis.pool
    tuned = _tuned(data, basis)

    def make(folder: Path) -> None:
        made, system, base, replay = predictions, glicko_of(experiment), GLICKO, basis.replay
        if tuned is not None:
            system, base, replay = tuned, TUNED, tuned.replay(pool)
            results = system_predictions(pool, replay, system, predictions.questions)
            made = made.with_system(TUNED, *results, "the same with parameters for these games")
        made = models.predict_all(made, pool, basis.sets, basis.moves, trained)
        if experiment.models.fusion:
            made = models.fuse_all(made, pool, replay, system, basis.moves, base=base)
        save_predictions(made, pool, folder / "predictions.npz")

    needs = ["winners", "sets", "moves", *trained.stages, *(["tuned"] if tuned else [])]
    settings = plain_values(asdict(experiment.ratings)) | {"fusion": experiment.models.fusion}
    home = data.stages.run("predictions", make, settings, needs)
    return load_predictions(home / "predictions.npz")


def _tuned(data: Preparation, basis: _Basis) -> Glicko2 | None:
    """Glicko-2 with parameters for these games, if asked for."""
    settings = data.experiment.ratings
    if not settings.tune:
        return None

    def make(folder: Path) -> None:
        system = models.tuned_glicko(
            basis.pool,
            basis.sets,
            settings.tune,
            before=settings.tune_before,
        )
        usual = asdict(Glicko2())
        chosen = {name: value for name, value in asdict(system).items() if value != usual[name]}
        write_facts(folder / "glicko.json", chosen)

    about = {"trials": settings.tune, "before": settings.tune_before}
    home = data.stages.run("tuned", make, about, ["sets"])
    data.facts["tuned"] = read_facts(home / "glicko.json")
    return Glicko2(**data.facts["tuned"])
