"""The connection with a Ray: made at the first need, quietly, and ended with what was started."""

from __future__ import annotations

import logging
import os
import socket
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from yardstone.errors import InputError, MissingExtraError, UsageError
from yardstone.parallel._place import available_cores

__all__ = ["connected", "connection"]

_HINT = "`ray start --head` starts a cluster, and --engine ray one of this machine alone"
#: What Ray must know before it starts: no statistics of use go anywhere, and no hints to us.
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # Processes that it starts for clients sometimes crash in gRPC's fork handlers.
    "GRPC_ENABLE_FORK_SUPPORT": "0",
}
#: Ray's message where that has happened; a second attempt works.
_CRASHED = "Initialization failure"
#: Seconds that a cluster may take to answer.
_ANSWER = 5.0
_engine: str | None = None  # the one that we connected with


@contextmanager
def connection() -> Iterator[None]:
    """End within this block what is connected or started in it."""
    before = _engine
    try:
        yield
    finally:
        if before is None:
            _disconnect()


def connected(engine: str) -> Any:
    """The module `ray`, connected with the Ray of this name.

    Raises
    ------
    InputError
        There is none, or it does not go with the versions here.
    UsageError
        This process is connected with another one.
    MissingExtraError
        Ray is not installed.
    """
    global _engine
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "cluster") from None
    if ray.is_initialized():
        if _engine not in (None, engine):
            raise UsageError(f"this process works with {_engine} and cannot turn to {engine}")
        return ray
    with _quietly():
        _connect(ray, engine)
    _silence()
    _engine = engine
    return ray


def _connect(ray: Any, engine: str) -> None:
    if engine == "ray":
        try:
            return _init(ray, "auto")
        except ConnectionError as error:
            if "RAY_ADDRESS" in os.environ:
                raise _unreachable(os.environ["RAY_ADDRESS"], str(error)) from None
        return _init(ray, "local", num_cpus=available_cores(), include_dashboard=False)
    address = engine if engine.startswith("ray://") else engine.removeprefix("ray:")
    if address.startswith("ray://") and find_spec("grpc") is None:
        raise MissingExtraError("grpcio, through which Ray's clients speak,", "cluster")
    for last in (False, True):
        try:
            return _init(ray, address)
        except (ConnectionError, TimeoutError, RuntimeError, ValueError) as error:
            if last or _CRASHED not in str(error):
                raise _unreachable(address, str(error)) from None


def _init(ray: Any, address: str, **options: Any) -> None:
    if address != "local":
        _check_listens(address)
    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)


def _check_listens(address: str) -> None:
    """Raise ConnectionError where nobody listens, which Ray itself would try for minutes.

    A cluster that was killed leaves its address behind for ``auto``.
    """
    from ray._private.services import canonicalize_bootstrap_address

    place = canonicalize_bootstrap_address(address.removeprefix("ray://"))
    if place is None:  # RAY_ADDRESS=local
        return
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER).close()
    except OSError as error:
        raise ConnectionError(error.strerror or str(error)) from None


def _silence() -> None:
    """Keep what Ray tells of lost machines and processes from standard output.

    It writes that there whatever it was asked, between the lines of a table; what matters of
    it arrives as an error.
    """
    from ray._private import worker

    worker.print_to_stdstream = _nothing


def _nothing(*_: object, **__: object) -> None:
    """Say nothing."""


def _unreachable(address: str, why: str) -> InputError:
    where = "on this machine" if address == "auto" else f"at {address}"
    why = why.strip().partition("\n")[0]
    reason = f": {why}" if why and address != "auto" else ""
    return InputError(f"no Ray answers {where}{reason}", hint=_HINT)


def _disconnect() -> None:
    global _engine
    if _engine is None:
        return
    import ray

    _engine = None
    with _quietly():
        ray.shutdown()


@contextmanager
def _quietly(values: Mapping[str, str] = _QUIET) -> Iterator[None]:
    """Keep Ray from saying anything while it starts or ends."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
