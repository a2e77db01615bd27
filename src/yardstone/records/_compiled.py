"""Compiling loops over bytes that allocate nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

from yardstone import kernels

__all__ = ["kernel"]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile as `yardstone.kernels.kernel` does, without counting references.

    A loop over bytes calls small functions all the time, and each call counts the
    references to every array it is given: two locked additions a time, which took
    two thirds of the time of reading a file. Functions marked so must make no
    arrays and keep none.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
    try:
        compiled = numba.njit(cache=True, **options)(function)
        _kernel.forgive_old_cache(compiled)
    except RuntimeError:  # there is no folder in which machine code could be kept
        compiled = numba.njit(**options)(function)
    except KeyError:  # this numba does not know the option
        return kernels.kernel(function)
    return cast("Callable[P, R]", compiled)
