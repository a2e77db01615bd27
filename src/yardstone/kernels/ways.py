"""Which way a loop runs: decided once for a task, by how much there is to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from functools import cached_property, update_wrapper, wraps
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, ParamSpec, TypeVar, cast

from yardstone.kernels.tasks import Task

__all__ = ["Kernel", "Way", "choose", "chosen_way", "in_steps", "weighed", "work"]

P = ParamSpec("P")
R = TypeVar("R")


class Way(Enum):
    """How loops run."""

    PLAIN = "as plain Python"
    MACHINE = "as machine code"


#: The way that was chosen, and for which task; None where nobody has chosen.
_chosen: ContextVar[tuple[Way, Task] | None] = ContextVar("chosen", default=None)


@contextmanager
def work(task: Task, amount: float) -> Iterator[None]:
    """Run loops as it pays for so much work: all that are called inside, in this thread.

    What is part of larger work that runs as machine code runs so as well, however small.

    Parameters
    ----------
    task : Task
    amount : float
        How much there is to do, in the units of the task.
    """
    chosen = _chosen.get()
    if chosen is not None and chosen[0] is Way.MACHINE:
        new = (Way.MACHINE, task)
    else:
        new = (Way.PLAIN if amount <= task.small else Way.MACHINE, task)
    token = _chosen.set(new)
    try:
        yield
    finally:
        _chosen.reset(token)


def weighed(task: Task, amount: Callable[..., float]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function all of which is one piece of `work`.

    `amount` gets the function's arguments.

    Examples
    --------
    >>> from yardstone.kernels import Task, weighed
    >>> @weighed(Task.REPLAY, len)
    ... def rate(games):
    ...     return sum(games)
    >>> rate([1.0, 0.5])
    1.5
    """

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            with work(task, amount(*args, **kwargs)):
                return function(*args, **kwargs)

        return run

    return mark


def in_steps(task: Task, amount: float, items: Iterator[R]) -> Iterator[R]:
    """The items of a generator, of which making all is one piece of `work`."""
    while True:
        with work(task, amount):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


def choose(chosen: tuple[Way, Task] | None) -> None:
    """Let loops of this thread run in a way that was chosen elsewhere, as for a worker."""
    _chosen.set(chosen)


def chosen_way() -> tuple[Way, Task] | None:
    """What `work` has chosen here."""
    return _chosen.get()


class Kernel:
    """A loop, which runs as machine code or as it stands.

    Attributes
    ----------
    py_func : function
        The function as it was written.
    options : dict
        What numba is told of it.
    quicker : function, optional
        What plain Python does instead, with the same result.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        update_wrapper(self, function)
        self.py_func = cast("FunctionType", function)
        self.options = options
        self.quicker: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Run it in the way that was chosen."""
        chosen = _chosen.get()
        if chosen is None or chosen[0] is Way.MACHINE:
            return self.machine(*arguments)
        import numpy as np

        with np.errstate(all="ignore"):
            return _plain_value(self.plain(*arguments))

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"

    @cached_property
    def machine(self) -> Callable[..., Any]:
        """The machine code; compiled, or taken from disk, when it is first called."""
        from yardstone.kernels._compiler import compiled

        return compiled(self.py_func, self.options)

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The function, in which the names of other kernels mean plain functions too."""
        if self.quicker is not None:
            return self.quicker
        function = self.py_func
        scope = function.__globals__
        names = {name: _plain(scope[name]) for name in _names(function.__code__) if name in scope}
        names |= {"__builtins__": scope["__builtins__"], "__name__": function.__module__}
        plain = FunctionType(
            function.__code__,
            names,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        names.setdefault(function.__name__, plain)
        return plain


def _names(code: CodeType) -> set[str]:
    """Names that may be global in a function, or in one defined inside it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    try:
        return math.log(x)
    except ValueError:
        return math.nan if x < 0.0 else -math.inf


def _sqrt(x: float) -> float:
    try:
        return math.sqrt(x)
    except ValueError:
        return math.nan


#: What machine code gives where Python's functions raise.
_LENIENT: dict[Any, Callable[[float], float]] = {math.exp: _exp, math.log: _log, math.sqrt: _sqrt}


def _plain(value: Any) -> Any:
    if isinstance(value, Kernel):
        return value.plain
    if isinstance(value, BuiltinFunctionType):
        return _LENIENT.get(value, value)
    if isinstance(value, ModuleType) and value.__name__.startswith("yardstone."):
        return SimpleNamespace(**{name: _plain(each) for name, each in vars(value).items()})
    return value


def _plain_value(value: Any) -> Any:
    """What machine code would return: numbers of Python, not of numpy."""
    if isinstance(value, tuple):
        items = [_plain_value(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value
