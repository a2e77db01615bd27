"""Machine code: made once for a machine, by one process at a time, and kept on disk."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from yardstone.kernels import settings
from yardstone.kernels.settings import CHOSEN

#: What numba looks for at its start and our kernels never use.
_SPARED = ("scipy", "yaml")


def compiled(
    function: Callable[..., Any], options: dict[str, Any], kind: type
) -> Callable[..., Any]:
    """A function as numba has it, which kernels may call as `machine` of what is a `kind`."""
    numba = _numba(kind)
    options = {"nogil": True, "error_model": "numpy", **options}
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
        _share_cache(dispatcher)
    except RuntimeError:  # there is no folder in which machine code could be kept
        dispatcher = numba.njit(**options)(function)
    except KeyError:  # this numba does not know the options
        return compiled(function, {}, kind)
    made: Callable[..., Any] = dispatcher
    return made


@cache
def _numba(kind: type) -> Any:
    """Numba, to which things of this type mean their machine code."""
    if "numba" not in sys.modules and settings.spares_packages():
        _import_sparingly()
    import numba
    from numba.extending import typeof_impl

    @typeof_impl.register(kind)
    def _(kernel: Any, _context: Any) -> Any:
        return numba.types.Dispatcher(kernel.machine)

    return numba


def _import_sparingly() -> None:
    """Import numba without packages that take long and only others' kernels use."""
    spared = [name for name in _SPARED if name not in sys.modules]
    for name in spared:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        import numba.np.arraymath  # noqa: F401
        from numba.core.registry import cpu_target

        cpu_target.typing_context.refresh()
    finally:
        for name in spared:
            del sys.modules[name]


def _share_cache(dispatcher: Any) -> None:
    """Let processes that need the same machine code make it once, and old code count as none."""
    files = dispatcher._cache._cache_file
    load_index, load_overload = files._load_index, dispatcher._cache.load_overload
    compile_here = dispatcher.compile

    def load() -> Any:
        """The index that another Yardstone has left may name bundles that are gone."""
        try:
            return load_index()
        except (AttributeError, ImportError):
            return {}

    def load_or_wait(signature: Any, context: Any) -> Any:
        code = load_overload(signature, context)
        if code is None and _turn.take(dispatcher._cache.cache_path):
            code = load_overload(signature, context)  # somebody else may have made it meanwhile
        return code

    def compile_in_turn(signature: Any) -> Any:
        with _turn.lasting():
            return compile_here(signature)

    files._load_index = load
    dispatcher._cache.load_overload = load_or_wait
    dispatcher.compile = compile_in_turn


class _Turn(threading.local):
    """The turn of this thread to compile; other processes wait until it ends."""

    def __init__(self) -> None:
        self._depth = 0
        self._file: IO[bytes] | None = None

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """The turn, if it is taken in here, ends here."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0 and self._file is not None:
                self._file.close()  # and with it the lock
                self._file = None

    def take(self, folder: str) -> bool:
        """Wait for the turn; false if it is ours already."""
        if self._file is not None:
            return False
        chosen = CHOSEN.get()
        title = "" if chosen is None else f" {chosen.loops.title}"
        if title not in _announced:
            _announced.add(title)
            settings.tell(f"compiling{title} once for this machine (up to a minute) …")
        with suppress(OSError):  # without locks the work is done twice, no worse
            from filelock import lock_descriptor

            Path(folder).mkdir(parents=True, exist_ok=True)
            self._file = (Path(folder) / "yardstone.lock").open("wb")
            lock_descriptor(self._file.fileno())
        return True


_turn = _Turn()
#: What was said to be compiled, which is said once.
_announced: set[str] = set()
