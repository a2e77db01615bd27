"""Takes the features of every move of many games into a store.

The work can be killed at any moment and started again: what is lost is the batches
of games in hand, and the store has the same bytes in the end, on any number of
workers.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone import parallel
from yardstone.errors import InputError, NoGamesError
from yardstone.files import unwritable
from yardstone.go.evaluator import TRUNK_KINDS
from yardstone.go.extraction_batch import (
    Batch,
    ExtractionSettings,
    game_facts,
    load,
    make_part,
    plain,
)
from yardstone.go.feature_parts import (
    PARTS,
    locked,
    merge,
    part_folder,
    read_part,
    write_part,
    write_whole,
)
from yardstone.go.feature_store import ABOUT, FORMAT, FeatureStore, read_about
from yardstone.go.nets.devices import CPU
from yardstone.go.nets.store import find_network
from yardstone.go.rules import parse_rules
from yardstone.pool import SkipReport

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.go_game import GoGame

__all__ = ["extract_features"]


def extract_features(
    games: Callable[[], Iterable[GoGame]],
    store: str | os.PathLike[str],
    settings: ExtractionSettings | None = None,
    *,
    workers: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> FeatureStore:
    """Take the features of every move of the games into a store.

    Called again with the same games and settings it goes on where it was killed; a
    store that is complete is opened.

    Parameters
    ----------
    games : callable
        Gives the games, in the same order each time; it is called twice, and the
        games are read as they are needed: ``lambda: SgfReader("games")``. If what it
        gives has a report `skipped`, as an `SgfReader` has, the records that could
        not be read are listed in the store among those left out.
    store : path
        The folder; made if it is not there.
    settings : ExtractionSettings, optional
    workers : int, optional
        Processes, each with a network of its own; one a core by default.
    progress : callable, optional
        Called with what is being done, how much of it is done and how much there is.

    Raises
    ------
    InputError
        The folder holds something else, or a store of other games or settings;
        another process is making it; or it cannot be written.
    NoGamesError
        There are no games.
    """
    chosen = ExtractionSettings() if settings is None else settings
    chosen = replace(chosen, net=str(find_network(chosen.net).absolute()))
    folder = Path(store)
    about = _described(chosen)
    chosen = replace(chosen, device=about.get("device", CPU))
    try:
        complete = _check_folder(folder, about)
        source = games()
        prints = _fingerprints(source, chosen.batch, progress)
        if not prints:
            raise NoGamesError("there are no games to take features of")
        digest = hashlib.blake2b("".join(prints).encode(), digest_size=16).hexdigest()
        if complete:
            if read_about(folder).get("inputs") != digest:
                raise _other_games(folder)
            shutil.rmtree(folder / PARTS, ignore_errors=True)
            return FeatureStore.open(folder)
        with locked(folder):
            write_whole(folder / ABOUT, _as_text({**about, "complete": False}))
            _check_parts(folder, prints)
            _make_parts(folder, games, prints, chosen, workers, progress)
            unread = getattr(source, "skipped", SkipReport())
            note = None if progress is None else partial(progress, "putting together")
            number, moves, skipped = merge(folder, len(prints), unread.details, note)
            counts = {"games": number, "moves": moves, "skipped": skipped, "inputs": digest}
            write_whole(folder / ABOUT, _as_text({**about, "complete": True, **counts}))
        shutil.rmtree(folder / PARTS, ignore_errors=True)
    except InputError:
        raise
    except OSError as error:
        raise unwritable(error, error.filename or folder) from error
    return FeatureStore.open(folder)


def _described(settings: ExtractionSettings) -> dict[str, Any]:
    """What decides the features, as it is kept in the store."""
    network = load(settings)
    chosen = asdict(settings)
    del chosen["net"], chosen["device"]
    if network.device != CPU:  # stores of the processor do not name it
        chosen["device"] = network.device
    rules = None if settings.rules is None else parse_rules(settings.rules)
    if rules is not None and network.knowledge is not None and not network.knowledge.knows(rules):
        rules = network.knowledge.rules
    return {
        "format": FORMAT,
        "network": network.name,
        "sha256": network.sha256,
        "model_version": network.version,
        "channels": network.channels,
        **chosen,
        "engine": network.engine,
        "trunk": [kind for kind in TRUNK_KINDS if kind in settings.trunk],
        "rules": None if rules is None else str(rules),
    }


def _as_text(about: dict[str, Any]) -> str:
    return json.dumps(about, indent=2) + "\n"


def _check_folder(folder: Path, about: dict[str, Any]) -> bool:
    """Whether a complete store is there; an error if it is another one, or none at all."""
    if not (folder / ABOUT).exists():
        others = [path.name for path in folder.iterdir()] if folder.exists() else []
        if [name for name in others if name != PARTS and not name.startswith(ABOUT)]:
            raise InputError(
                "this folder holds something else than features",
                file=str(folder),
                hint="name a new folder",
            )
        return False
    known = read_about(folder)
    different = [name for name, value in about.items() if known.get(name) != value]
    if different:
        name = different[0]
        raise InputError(
            f"the store was made with another setting: {name} is {known.get(name)}, "
            f"not {about[name]}",
            file=str(folder),
            hint="give the same settings, or name a new folder",
        )
    return bool(known.get("complete"))


def _batches(games: Iterable[GoGame], size: int) -> Iterator[tuple[GoGame, ...]]:
    remaining = iter(games)
    while batch := tuple(islice(remaining, size)):
        yield batch


def _fingerprints(
    games: Iterable[GoGame], size: int, progress: Callable[[str, int, int], None] | None
) -> list[str]:
    """A fingerprint for each batch of games: all that its part depends on."""
    prints = []
    for batch in _batches(games, size):
        hashed = hashlib.blake2b(digest_size=16)
        for game in batch:
            hashed.update(repr(game_facts(game)).encode())
            for values in (game.setup_black, game.setup_white, game.moves, game.colours):
                hashed.update(values.tobytes() + b"|")
        prints.append(hashed.hexdigest())
        if progress is not None:
            progress("reading games", len(prints) * size, 0)
    return prints


def _other_games(folder: Path) -> InputError:
    return InputError(
        "the store was made from other games",
        file=str(folder),
        hint="name the same files in the same order, or a new folder",
    )


def _check_parts(folder: Path, prints: list[str]) -> None:
    for number, fingerprint in enumerate(prints):
        part = read_part(folder, number)
        if part is not None and part["fingerprint"] != fingerprint:
            raise _other_games(folder)
    if part_folder(folder, len(prints)).exists():
        raise _other_games(folder)


def _make_parts(
    folder: Path,
    games: Callable[[], Iterable[GoGame]],
    prints: list[str],
    settings: ExtractionSettings,
    workers: int | None,
    progress: Callable[[str, int, int], None] | None,
) -> None:
    """Make the parts that are missing, some batches at a time."""
    missing = {k for k in range(len(prints)) if not part_folder(folder, k).exists()}
    if not missing:
        return
    done = len(prints) - len(missing)
    jobs = (
        Batch(number, prints[number], tuple(map(plain, batch)), settings)
        for number, batch in enumerate(_batches(games(), settings.batch))
        if number in missing
    )

    def keep(job: Batch, part: tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]) -> None:
        write_part(folder, job.number, *part)

    def note(now: int, _: int) -> None:
        if progress is not None:
            progress("features", done + now, len(prints))

    parallel.map(
        make_part,
        jobs,
        workers=workers,
        total=len(missing),
        receive=keep,
        progress=note,
        files=[Path(settings.net)] if settings.net else [],
    )
