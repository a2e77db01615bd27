"""Files of arrays: states of systems and ledgers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.evaluation.games import played
from tests.fuzz.targets import Target, Wrong
from yardstone.evaluation.history import rating_history
from yardstone.evaluation.ledger import Ledger, load_ledger, make_system, save_ledger
from yardstone.ratings.sequential import State

__all__ = ["TARGETS"]

_SYSTEMS = ("elo", "glicko", "glicko2", "egf")
_LATER = played(5, 4, 7, days=800.0)


def read_ledger(path: Path) -> None:
    """What ``history --state`` does."""
    history = rating_history(_LATER, state=load_ledger(path), intervals=False, settled=0)
    if not np.isfinite(history.rated.ratings.rating).all():
        raise Wrong("a rating is not finite")


def read_state(path: Path) -> None:
    """What a program does that goes on from a saved state."""
    state = State.load(path)
    for name in _SYSTEMS:
        system = make_system(name, {})
        if repr(system) == state.system:
            _, replay = system.advance(state, _LATER)
            if not np.isfinite(replay.expected).all():
                raise Wrong("an expected score is not finite")


def ledgers() -> dict[str, bytes]:
    """A ledger of each system."""
    return {name: _saved(name, ledger=True) for name in _SYSTEMS}


def states() -> dict[str, bytes]:
    """A state of each system."""
    return {name: _saved(name, ledger=False) for name in _SYSTEMS}


def _saved(name: str, *, ledger: bool) -> bytes:
    kept = Ledger.begin(name, played(20, 4, 1))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kept"
        if ledger:
            save_ledger(kept, path)
        else:
            kept.state.save(path)
        return path.read_bytes()


TARGETS = (
    Target("arrays-ledger", read_ledger, made=ledgers),
    Target("arrays-state", read_state, made=states),
)
