"""Getting started fast."""

from __future__ import annotations

import gc
import sys

__all__ = ["load_numba"]

#: What numba looks for at its start and our kernels never use.
_SPARED = ("scipy", "yaml")


def load_numba() -> None:
    """Import numba without packages that it would load if it found them.

    It looks for linear algebra in scipy, for kernels that multiply matrices, and
    for a YAML reader, for a file of settings; both take longer than all of
    Yardstone. Only a command may do this: in a library it would take matrix
    products from the kernels of others. Collecting garbage, of which an import
    makes none, waits as well.
    """
    if "numba" in sys.modules:
        return
    spared = [name for name in _SPARED if name not in sys.modules]
    for name in spared:
        sys.modules[name] = None  # type: ignore[assignment]
    gc.disable()
    try:
        import numba.np.arraymath  # noqa: F401
        from numba.core.registry import cpu_target

        cpu_target.typing_context.refresh()
    finally:
        for name in spared:
            del sys.modules[name]
        gc.enable()
    gc.freeze()
