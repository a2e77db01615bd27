"""The loop over rating periods, once for all systems that rate games as they come.

A system gives two to four functions of its own, and `batch_kernel` makes the loop with
them in it. They are kernels that take

- `rounds`: the games in the order of rating (`Rounds`);
- `rule`: what the system's parameters say, a NamedTuple of its own;
- `players`: what is kept of each player, a NamedTuple of arrays;
- `record`: what was predicted, and how each game changes its players (`Record`);
- `at`: numbers of the game, of its row in `record.change`, and of its period (`Place`).

Before a period `enter` is called for each of its games, then `predict`; after it `learn`
for each, then `settle`. `predict` must look at `players` and not change them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from yardstone.kernels import inlined_kernel
from yardstone.ratings.sequential import Place

if TYPE_CHECKING:
    from yardstone.ratings.sequential import Record, Rounds

__all__ = ["batch_kernel"]

#: One of the functions of a system.
Step = Callable[[Any, Any, Any, Any, Place], None]
Replay = Callable[[Any, Any, Any, Any], None]


@inlined_kernel
def _nothing(rounds: Rounds, rule: Any, players: Any, record: Record, at: Place) -> None:
    """What a system does that has nothing to do."""


enter = predict = learn = settle = _nothing


def _replay(rounds: Rounds, rule: Any, players: Any, record: Record) -> None:
    """Predict and learn, period after period."""
    start, actions = rounds.start, rounds.actions
    if len(start) == 0:
        for g in range(len(rounds.first)):
            enter(rounds, rule, players, record, Place(g, 0, g))
            predict(rounds, rule, players, record, Place(g, 0, g))
            learn(rounds, rule, players, record, Place(g, 0, g))
            settle(rounds, rule, players, record, Place(g, 0, g))
        return
    by_turns = len(actions) == 0
    for step in range(2 * (len(start) - 1)):
        action = step if by_turns else actions[step]
        batch = action >> 1
        games = range(start[batch], start[batch + 1])
        if action & 1 == 0:
            for g in games:
                enter(rounds, rule, players, record, Place(g, g, batch))
            for g in games:
                predict(rounds, rule, players, record, Place(g, g, batch))
        else:
            for g in games:
                learn(rounds, rule, players, record, Place(g, g, batch))
            for g in games:
                settle(rounds, rule, players, record, Place(g, g, batch))


def batch_kernel(
    predict: Step, learn: Step, *, enter: Step = _nothing, settle: Step = _nothing
) -> Replay:
    """The loop with a system's functions in it: ``replay(rounds, rule, players, record)``.

    Each is a kernel of its own, kept with the file of `predict`.
    """
    home: Any = getattr(predict, "py_func", predict)
    code = _replay.__code__.replace(
        co_filename=home.__code__.co_filename,
        co_firstlineno=home.__code__.co_firstlineno,
        co_name="replay",
        co_qualname=f"{home.__name__}_replay",
    )
    steps = {"enter": enter, "predict": predict, "learn": learn, "settle": settle}
    names = {**steps, "Place": Place, "__builtins__": builtins, "__name__": home.__module__}
    return inlined_kernel(FunctionType(code, names))
