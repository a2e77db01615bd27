"""Games that were not counted get the winner that the network sees.

Who resigns or runs out of time need not be behind. So the winner of such games is
the side that the network sees ahead in the last position, and games in which it is
less than 60 % sure are thrown out (Neubauer 2024, section 4.1.1).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone import parallel
from yardstone.arrays import ArrayFile
from yardstone.errors import UsageError
from yardstone.go.analysis import SURE
from yardstone.go.features import ExtractionSettings, load, plain
from yardstone.go.nets.store import find_network
from yardstone_lab.neubauer.experiment.candidates import Decision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.records.go_game import GoGame
    from yardstone_lab.neubauer.experiment.candidates import Candidate

__all__ = ["JUDGED", "JudgedReport", "judged_pool", "last_winrates"]

#: How games were decided whose winner the network names.
JUDGED = (Decision.resigned.value, Decision.timed_out.value)
#: Games that are judged, or lost by a kill, together.
_BATCH = 512
_FILE = ArrayFile("file of judgements", compressed=False)


@dataclass(frozen=True, slots=True)
class JudgedReport:
    """What judging did to the results.

    Attributes
    ----------
    games, kept, contrary, unsure, unseen : int
        Games that were to be judged; those kept; of these, those whose winner is not
        the recorded one; those left out because the network is not sure; and those
        left out because it could not be shown them.
    """

    games: int
    kept: int
    contrary: int
    unsure: int
    unseen: int


def judged_pool(
    pool: Pool,
    winrates: Mapping[str, float],
    *,
    sure: float = SURE,
    decisions: Collection[str] = JUDGED,
) -> tuple[Pool, JudgedReport]:
    """The pool with the network's winners, without the games it is not sure of.

    Parameters
    ----------
    pool : Pool
        With the columns ``key`` and ``decision``.
    winrates : mapping
        White's winrate in the last position, by key.
    sure : float
        The least winrate, above 0.5 up to 1, that names a winner.
    decisions : collection of str
        How the games were decided that are to be judged.
    """
    if not 0.5 < sure <= 1.0:
        raise UsageError(f"sure is {sure:g}; it must be above 0.5 and up to 1")
    uncertain = np.isin(pool.columns["decision"], list(decisions))
    keys = pool.columns["key"].tolist()
    white = np.array([winrates.get(key, np.nan) for key in keys])
    unseen = uncertain & np.isnan(white)
    with np.errstate(invalid="ignore"):
        unsure = uncertain & ~unseen & (np.maximum(white, 1.0 - white) < sure)
        score = np.where(uncertain & ~unseen, np.where(white > 0.5, 0.0, 1.0), pool.score)
    kept = ~(unseen | unsure)
    report = JudgedReport(
        games=int(uncertain.sum()),
        kept=int((uncertain & kept).sum()),
        contrary=int((uncertain & kept & (score != pool.score)).sum()),
        unsure=int(unsure.sum()),
        unseen=int(unseen.sum()),
    )
    return replace(pool, score=score).select(kept), report


def last_winrates(
    candidates: Iterable[Candidate],
    keys: Collection[str],
    folder: Path,
    settings: ExtractionSettings,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, float]:
    """White's winrate in the last position of games, before the passes that end them.

    Called again with the same folder it goes on where it was killed.

    Parameters
    ----------
    candidates : iterable of Candidate
    keys : collection of str
        Keys of the games to be looked at.
    folder : Path
        Keeps what is done; it exists.
    settings : ExtractionSettings
        Network, precision, rules and komi.
    workers : int, optional
    progress : callable, optional
        Called with the games done and all of them.
    """
    winrates: dict[str, float] = {}
    files = sorted(folder.glob("winrates-*.npz"))
    for path in files:
        winrates.update(_read(path))
    number = 1 + max((int(path.stem.rpartition("-")[2]) for path in files), default=-1)
    chosen = (each for each in candidates if each.key in keys and each.key not in winrates)
    network = find_network(settings.net).absolute()

    def keep(batch: _Judging, white: NDArray[np.float64]) -> None:
        _FILE.write(batch.path, {"key": np.array(batch.keys, np.str_), "white_winrate": white})
        winrates.update(zip(batch.keys, white.tolist(), strict=True))
        if progress is not None:
            progress(len(winrates), len(keys))

    parallel.map(
        _judge,
        _batches(chosen, folder, replace(settings, net=str(network)), number),
        workers=workers,
        total=-(-(len(keys) - len(winrates)) // _BATCH),
        receive=keep,
        files=[network],
    )
    if progress is not None:
        progress(len(keys), len(keys))
    return {key: value for key, value in winrates.items() if not np.isnan(value)}


def _read(path: Path) -> dict[str, float]:
    return _FILE.read(
        path,
        lambda file, _: dict(
            zip(file["key"].tolist(), file["white_winrate"].tolist(), strict=True)
        ),
    )


@dataclass(frozen=True, slots=True)
class _Judging:
    """Games that one worker judges into one file."""

    path: Path
    keys: tuple[str, ...]
    games: tuple[GoGame, ...]
    settings: ExtractionSettings


def _batches(
    candidates: Iterable[Candidate], folder: Path, settings: ExtractionSettings, number: int
) -> Iterator[_Judging]:
    remaining = iter(candidates)
    while batch := tuple(islice(remaining, _BATCH)):
        yield _Judging(
            folder / f"winrates-{number:05d}.npz",
            tuple(each.key for each in batch),
            tuple(plain(each.game) for each in batch),
            settings,
        )
        number += 1


def _judge(batch: _Judging) -> NDArray[np.float64]:
    """Ask the network about the last positions of a batch; done in a worker."""
    from yardstone.go.analysis import judge_games
    from yardstone.go.rules import parse_rules

    settings = batch.settings
    rules = None if settings.rules is None else parse_rules(settings.rules)
    place = {id(game): row for row, game in enumerate(batch.games)}
    winrate = np.full(len(batch.games), np.nan)
    for judged in judge_games(batch.games, load(settings), rules=rules, komi=settings.komi):
        winrate[place[id(judged.game)]] = judged.white_winrate
    return winrate
