"""Where work is done: on this machine, or by a Ray; said once for all that is called then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from yardstone.errors import UsageError
from yardstone.parallel._place import inside

__all__ = ["LOCAL", "chosen_engine", "elsewhere", "engine"]

LOCAL = "local"
_AMBIENT: ContextVar[str] = ContextVar("yardstone_engine", default=LOCAL)


def chosen_engine(name: str | None) -> str:
    """The engine of a call: the one that it names, or else that of `engine`."""
    return _AMBIENT.get() if name is None else _checked(name)


def elsewhere() -> bool:
    """Whether the work of `map` may go to other machines, which need not have our files."""
    return _AMBIENT.get() != LOCAL and not inside()


def _checked(name: str) -> str:
    if name in (LOCAL, "ray") or (name.startswith("ray:") and name.removeprefix("ray:").strip("/")):
        return name
    raise UsageError(
        f"there is no engine {name!r}: local, ray, ray:auto, ray:HOST:PORT or ray://HOST:PORT"
    )


@contextmanager
def engine(name: str | None) -> Iterator[None]:
    """Have all work of `map` within this block done there, unless a call names another place.

    Parameters
    ----------
    name : str, optional
        ``local``, the default: processes of this machine. ``ray``: the Ray that runs on this
        machine or that ``RAY_ADDRESS`` names, or else one that is started for the block.
        ``ray:auto``: as ``ray``, but none is started. ``ray:HOST:PORT``: the cluster with this
        address, to which this machine belongs. ``ray://HOST:PORT``: a cluster to which it does
        not belong, through Ray's client.

    Raises
    ------
    UsageError
        There is no such engine.

    Examples
    --------
    >>> with engine("local"):
    ...     pass
    """
    token = _AMBIENT.set(_checked(name or LOCAL))
    try:
        if _AMBIENT.get() == LOCAL:
            yield
        else:
            from yardstone.parallel._cluster import connection

            with connection():
                yield
    finally:
        _AMBIENT.reset(token)
