"""The data of an experiment in stages: from records to the recent moves of each game."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import map_array
from yardstone.errors import InputError
from yardstone.go.features import ExtractionSettings
from yardstone.pool import SkipReport
from yardstone.records.sources import find_sources
from yardstone_lab.neubauer.experiment.candidates import ListedGames, RecordedGames
from yardstone_lab.neubauer.experiment.collection import collect_pool, load_pool, save_pool
from yardstone_lab.neubauer.experiment.description import glicko_of
from yardstone_lab.neubauer.experiment.judgements import judged_pool, last_winrates
from yardstone_lab.neubauer.experiment.questions import RANK, Questions, RecentMoves, gather_moves
from yardstone_lab.neubauer.experiment.sets import (
    Sets,
    check_sizes,
    draw_marks,
    exhibition_games,
    load_labels,
    save_labels,
    withheld_labels,
)
from yardstone_lab.neubauer.experiment.stages import Stages, file_facts
from yardstone_lab.neubauer.stores import Stores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.evaluation.splits import Labels
    from yardstone.pool import Pool
    from yardstone_lab.neubauer.experiment.configuration import Experiment, SetSettings

__all__ = ["Preparation", "Progress", "plain_values", "read_facts", "write_facts"]

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Preparation:
    """The stages that prepare the data; each takes what those before it gave.

    Attributes
    ----------
    experiment : Experiment
    workers : int or None
        Processes that judge and take features; one a core if None.
    say : callable
        Told what is kept, done and redone.
    progress : callable or None
        Called with what is being done, how much of it is done and how much there is.
    facts : dict
        What the stages said of themselves.
    stages : Stages
    source : RecordedGames, ListedGames or None
        The games, once something has asked for them.
    """

    experiment: Experiment
    workers: int | None
    say: Callable[[str], object]
    progress: Progress | None
    facts: dict[str, Any] = field(default_factory=dict)
    stages: Stages = field(init=False)
    source: RecordedGames | ListedGames | None = None

    def __post_init__(self) -> None:
        self.stages = Stages(self.experiment.folder, self.say)

    def note(self, what: str) -> Callable[[int, int], object] | None:
        """A function of (done, all) for what is being done; None where nobody looks."""
        progress = self.progress
        return None if progress is None else lambda done, whole: progress(what, done, whole)

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
            note = self.note("games")
            pool, report = collect_pool(
                self._candidates(),
                experiment.filters,
                progress=None if note is None else lambda done: note(done, 0),
            )
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
                known |= last_winrates(
                    self._candidates(),
                    missing,
                    folder,
                    self._settings(),
                    workers=self.workers,
                    progress=self.note("judging"),
                )
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
            from yardstone_lab.neubauer.experiment.rank_features import NEEDED

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
                    workers=self.workers,
                    progress=self.progress,
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
