"""Getting started fast."""

from __future__ import annotations

import sys

__all__ = ["load_numba"]

_BLAS = "scipy.linalg.cython_blas"


def load_numba() -> None:
    """Import numba without the linear algebra of scipy that it looks for.

    It does so for kernels that multiply matrices, which ours never do, and it
    costs a third of a command's start. Only a command may do this: in a library
    it would take matrix products from the kernels of others.
    """
    if "numba" in sys.modules or _BLAS in sys.modules:
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[_BLAS]
