"""Loops over games: machine code where there is much to do, plain Python where there is little.

Such a loop is a function of arrays and numbers, marked with `kernel`. To import this module
loads nothing: numba (0.3 s), and at the first use on a machine its compiler (seconds), come
only when a loop is to run as machine code.

Which of the two it is to be is decided once, by whoever knows how much there is to do::

    with work(Loops.RATING, games):
        ...  # all loops called in here run one way

It depends on the size of the input and on nothing else, so that the same input gives the
same numbers on every machine. Where nobody has decided, loops run as machine code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from yardstone.kernels.settings import Loops, rating_work
from yardstone.kernels.ways import Kernel, in_steps, weighed, work

__all__ = [
    "Loops",
    "bare_kernel",
    "in_python",
    "in_steps",
    "inlined_kernel",
    "kernel",
    "rating_work",
    "weighed",
    "work",
]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function of plain arrays and numbers as one that can run as machine code.

    The machine code is kept on disk beside the module that defines the function
    (or in the user's cache folder where that cannot be written), so only the
    first call on a machine waits for the compiler. A kernel releases the GIL and
    divides as numpy does: by zero gives infinity or NaN, not an exception.

    As plain Python (see `work`) it must give the same: numbers of numpy divide so as well,
    numbers of Python do not.

    With ``NUMBA_DISABLE_JIT=1`` in the environment the function is returned as it
    stands, for debuggers and for tests of what the loop itself says.

    Examples:
        >>> import numpy as np
        >>> @kernel
        ... def total(values):
        ...     result = 0.0
        ...     for value in values:
        ...         result += value
        ...     return result
        >>> total(np.array([1.0, 0.5, 0.0]))
        1.5
    """
    return _marked(function)


def bare_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Mark as `kernel` does; the machine code counts no references to arrays.

    That takes most of the time of a loop that calls small functions. Functions marked so must
    make no arrays and keep none.
    """
    return _marked(function, _nrt=False)


def inlined_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Mark as `bare_kernel` does; the machine code becomes part of each loop that calls it."""
    return _marked(function, _nrt=False, forceinline=True)


def in_python(loop: Callable[P, R]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark what plain Python does in place of a kernel over bytes: the same, sooner."""

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        if isinstance(loop, Kernel):
            loop.quicker = function
        return function

    return mark


def _marked(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return function
    return cast("Callable[P, R]", Kernel(function, **options))
