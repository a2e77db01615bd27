"""Which way a loop runs: decided once, by how much there is to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, update_wrapper, wraps
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, ParamSpec, TypeVar, cast

from yardstone.kernels.settings import CHOSEN, ChosenWay, Loops, Way

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def work(loops: Loops, amount: float) -> Iterator[None]:
    """Run loops as it pays for so much work (`amount`, in the units of the loops) in this thread.

    What is part of larger work that runs as machine code runs so as well, however small.
    """
    chosen = CHOSEN.get()
    large = amount > loops.small or (chosen is not None and chosen.way is Way.MACHINE)
    token = CHOSEN.set(ChosenWay(Way.MACHINE if large else Way.PLAIN, loops))
    try:
        yield
    finally:
        CHOSEN.reset(token)


def weighed(
    loops: Loops, amount: Callable[..., float]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function all of which is one piece of `work`.

    `amount` gets the function's arguments.

    Examples:
        >>> from yardstone.kernels import Loops, weighed
        >>> @weighed(Loops.REPLAY, len)
        ... def rate(games):
        ...     return sum(games)
        >>> rate([1.0, 0.5])
        1.5
    """

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            with work(loops, amount(*args, **kwargs)):
                return function(*args, **kwargs)

        return run

    return mark


def in_steps(loops: Loops, amount: float, items: Iterator[R]) -> Iterator[R]:
    """The items of a generator, of which making all is one piece of `work`."""
    while True:
        with work(loops, amount):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


class Kernel:
    """A loop that runs as machine code or as it stands (`py_func`), or as something `quicker`."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        update_wrapper(self, function)
        self.py_func = cast("FunctionType", function)
        self.options = options
        self.quicker: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Run it in the way that was chosen."""
        chosen = CHOSEN.get()
        if chosen is None or chosen.way is Way.MACHINE:
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

        return compiled(self.py_func, self.options, Kernel)

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The function, in which the names of other kernels mean plain functions too."""
        if self.quicker is not None:
            return self.quicker
        function = self.py_func
        scope = function.__globals__
        used = _names(function.__code__) - {function.__name__}
        names = {name: _plain(scope[name]) for name in used if name in scope}
        names |= {"__builtins__": scope["__builtins__"], "__name__": function.__module__}
        plain = FunctionType(
            function.__code__,
            names,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        names[function.__name__] = plain  # in case that it calls itself
        return plain


def _names(code: CodeType) -> set[str]:
    """Names that may be global in a function, or in one defined inside it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _lenient(
    function: Callable[[float], float], failing: Callable[[float], float]
) -> Callable[[float], float]:
    def run(x: float) -> float:
        try:
            return function(x)
        except (OverflowError, ValueError):
            return failing(x)

    return run


#: What machine code gives where Python's functions raise.
_LENIENT: dict[Any, Callable[[float], float]] = {
    math.exp: _lenient(math.exp, lambda _: math.inf),
    math.log: _lenient(math.log, lambda x: math.nan if x < 0.0 else -math.inf),
    math.sqrt: _lenient(math.sqrt, lambda _: math.nan),
}


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
