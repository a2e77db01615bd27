"""Files of arrays: states of systems and ledgers."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.evaluation.games import played
from tests.fuzz.targets import Target, finite, saved
from yardstone.evaluation.history import rating_history
from yardstone.evaluation.ledger import Ledger, load_ledger, make_system, save_ledger
from yardstone.ratings.sequential import State

_SYSTEMS = ("elo", "glicko", "glicko2", "egf")
_LATER = played(5, 4, 7, days=800.0)


def read_ledger(path: Path) -> None:
    history = rating_history(_LATER, state=load_ledger(path), intervals=False, settled=0)
    finite(history.rated.ratings.rating)


def read_state(path: Path) -> None:
    state = State.load(path)
    for name in _SYSTEMS:
        system = make_system(name, {})
        if repr(system) == state.system:
            _, replay = system.advance(state, _LATER)
            finite(replay.expected, "expected score")


def _ledgers() -> dict[str, Ledger]:
    return {name: Ledger.begin(name, played(20, 4, 1)) for name in _SYSTEMS}


def ledgers() -> dict[str, bytes]:
    return {name: saved(partial(save_ledger, kept)) for name, kept in _ledgers().items()}


def states() -> dict[str, bytes]:
    return {name: saved(kept.state.save) for name, kept in _ledgers().items()}


TARGETS = (
    Target("arrays-ledger", read_ledger, made=ledgers),
    Target("arrays-state", read_state, made=states),
)
