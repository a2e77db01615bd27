"""The one way in which Yardstone compiles a loop.

Loops over games and pairs are written as plain functions of arrays and numbers
and marked with `kernel`. Importing this module imports numba (0.4 s), so only
modules that hold kernels import it, and only code about to run one imports them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

__all__ = ["bare_kernel", "inlined_kernel", "kernel"]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of plain arrays and numbers to machine code.

    The machine code is kept on disk beside the module that defines the function
    (or in the user's cache folder where that cannot be written), so only the
    first call on a machine waits for the compiler. A kernel releases the GIL and
    divides as numpy does: by zero gives infinity or NaN, not an exception.

    With ``NUMBA_DISABLE_JIT=1`` in the environment the function is returned as it
    stands, for debuggers and for tests of what the loop itself says.

    Examples
    --------
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
    return _compiled(function)


def bare_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile as `kernel` does, without counting references.

    A loop that calls small functions all the time counts the references to every array
    it hands them: two locked additions a time, which take most of the time of reading a
    file, or of rating a game. Functions marked so must make no arrays and keep none.
    """
    return _compiled(function, _nrt=False)


def inlined_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile as `bare_kernel` does, as part of each loop that calls it."""
    return _compiled(function, _nrt=False, forceinline=True)


def _compiled(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        compiled = numba.njit(cache=True, **options)(function)
        _forgive_old_cache(compiled)
    except RuntimeError:  # there is no folder in which machine code could be kept
        compiled = numba.njit(**options)(function)
    except KeyError:  # this numba does not know the options
        return kernel(function)
    return cast("Callable[P, R]", compiled)


def _forgive_old_cache(compiled: Any) -> None:
    """Let machine code that another Yardstone has left count as none.

    Its index may name bundles of arrays that are gone, at which numba would fail.
    """
    file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if file is None:
        return
    load_index = file._load_index

    def load() -> Any:
        try:
            return load_index()
        except (AttributeError, ImportError):
            return {}

    file._load_index = load
