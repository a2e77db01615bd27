"""Tasks of Ray behind `yardstone.parallel.map`.

Ray decides what runs where, and does the work of a machine that is lost again on another. A task is
one chunk of items. Processes of Ray serve one task after the other, and keep what a function keeps
in its process: a network is loaded once in each. Only so many tasks are handed to Ray as keep it
busy, so millions of items need no memory here. Files go to other machines through Ray's store of
objects, once a machine, and are kept there under the digest of their content. The connection is
made at the first need, quietly, and ended with what was started; machines with other versions of
what computes are refused.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import platform
import socket
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from yardstone import files
from yardstone.errors import InputError, MissingExtraError, UsageError, WorkerError
from yardstone.parallel import _work

#: Packages whose versions can change a result.
_PACKAGES = ("numpy", "scipy", "onnxruntime", "openvino")


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions of what computes, by name; of Yardstone a digest of its code."""
    root = Path(__file__).parents[1]
    digest = hashlib.blake2b(digest_size=6)
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    by_name = {"Yardstone": f"of code {digest.hexdigest()}", "Python": platform.python_version()}
    for package in _PACKAGES:
        by_name[package] = "not installed"
        with suppress(PackageNotFoundError):
            by_name[package] = version(package)
    return by_name


def _check_versions(others: dict[str, str]) -> None:
    """Refuse to work for a machine with other versions."""
    own = versions()
    for name, theirs in others.items():
        if own[name] != theirs:
            raise WorkerError(
                f"{name} is {own[name]} on {platform.node()}, and {theirs} where the work comes "
                "from: install the same on all machines of the cluster"
            )


#: Bytes that are put into one object, so that no machine needs the whole in memory twice.
_PIECE = 64 << 20


class _CarriedFile(NamedTuple):
    """A file on its way: its path where it comes from, its content, and where that is sent."""

    path: str
    sha256: str
    pieces: tuple[Any, ...]


def _carried(ray: Any, paths: Iterable[str | os.PathLike[str]]) -> tuple[_CarriedFile, ...]:
    """Put files where all machines can get them."""
    sent = []
    for path in paths:
        digest = hashlib.sha256()
        pieces = []
        try:
            with Path(path).open("rb") as file:
                while piece := file.read(_PIECE):
                    digest.update(piece)
                    pieces.append(ray.put(piece))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
        sent.append(_CarriedFile(os.fspath(path), digest.hexdigest(), tuple(pieces)))
    return tuple(sent)


def _kept_copy(ray: Any, file: _CarriedFile) -> Path:
    """Where the file lies on this machine; it is fetched if it is not there."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    copy = cache / "yardstone" / "cluster" / file.sha256 / Path(file.path).name
    if not copy.exists():
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}", file=str(copy.parent)) from None
        with files.replaced(copy) as temporary, temporary.open("wb") as target:
            for piece in file.pieces:
                target.write(ray.get(piece))
    return copy


@contextmanager
def marked(folders: Sequence[Path], mark: str) -> Iterator[None]:
    """Lay a mark into folders, by which other machines see that theirs are the same ones."""
    marks = [folder / f".{mark}" for folder in folders]
    try:
        for each in marks:
            each.touch()
        yield
    except OSError as error:
        raise InputError(f"cannot be written to: {error.strerror}", file=error.filename) from error
    finally:
        for each in marks:
            each.unlink(missing_ok=True)


def _check_shared(folders: Sequence[Path], mark: str) -> None:
    """Refuse to work where a folder is not the one of the machine that asked."""
    for folder in folders:
        if not (folder / f".{mark}").exists():
            raise InputError(
                f"this folder is not on {platform.node()}",
                file=str(folder),
                hint="this work needs a folder that all machines of the cluster share, under one "
                "name: NFS or the like",
            )


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
    global _engine
    before = _engine
    try:
        yield
    finally:
        if before is None and _engine is not None:
            import ray

            _engine = None
            with _quietly():
                ray.shutdown()


def connected(engine: str) -> Any:
    """The module `ray`, connected with the Ray of this name; raises where that cannot be."""
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
    from ray._private import worker

    # What Ray tells of lost machines stays out of standard output; what matters is an error.
    worker.print_to_stdstream = lambda *_, **__: None
    _engine = engine
    return ray


def _connect(ray: Any, engine: str) -> None:
    if engine == "ray":
        try:
            return _init(ray, "auto")
        except ConnectionError as error:
            if "RAY_ADDRESS" in os.environ:
                raise _unreachable(os.environ["RAY_ADDRESS"], str(error)) from None
        return _init(ray, "local", num_cpus=_work.available_cores(), include_dashboard=False)
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
    """Raise ConnectionError where nobody listens: Ray would try for minutes, a dead cluster too."""
    from ray._private.services import canonicalize_bootstrap_address

    place = canonicalize_bootstrap_address(address.removeprefix("ray://"))
    if place is None:  # RAY_ADDRESS=local
        return
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER).close()
    except OSError as error:
        raise ConnectionError(error.strerror or str(error)) from None


def _unreachable(address: str, why: str) -> InputError:
    where = "on this machine" if address == "auto" else f"at {address}"
    why = why.strip().partition("\n")[0]
    reason = f": {why}" if why and address != "auto" else ""
    return InputError(f"no Ray answers {where}{reason}", hint=_HINT)


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep Ray from saying anything while it starts or ends."""
    before = {name: os.environ[name] for name in _QUIET if name in os.environ}
    os.environ.update(_QUIET)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name in _QUIET:
            del os.environ[name]
        os.environ.update(before)


#: Tasks in Ray's hands for each that can run, so that none waits for this process.
_AHEAD = 3
#: Seconds between two looks at how many cores there are.
LOOK = 2.0
#: How often a task is done again because its process or machine was lost.
_RETRIES = 5
#: A task asks for so little of what its machine must have that any number can run there.
_TRACE = 0.0001


class Needs(NamedTuple):
    """What an item needs where it is worked on."""

    cores: float = 1.0
    resource: str | None = None
    files: Sequence[Path] = ()
    shared: Sequence[Path] = ()


class _Order(NamedTuple):
    """What is the same for all chunks; sent once to each process."""

    mark: str
    versions: dict[str, str]
    files: tuple[_CarriedFile, ...]
    shared: tuple[Path, ...]
    places: tuple[str, ...]  # where modules are looked for, as processes of one machine do
    function: bytes  # with the setting; read only where the versions agree


def run(
    engine: str,
    function: Callable[[Any], Any],
    todo: _work.Todo,
    tally: _work.Tally,
    workers: int | None,
    needs: Needs,
) -> None:
    """Do all that is to be done with the Ray of this name, so many tasks at a time."""
    ray = connected(engine)
    job = _work.packed(function, "the function", ray.cloudpickle.dumps)
    mark = f"yardstone-{uuid.uuid4().hex}"
    with marked(needs.shared, mark):
        files = _carried(ray, needs.files)
        order = ray.put(_Order(mark, versions(), files, tuple(needs.shared), tuple(sys.path), job))
        # Where no machine says that it has the resource, all are taken to have it.
        asked = {needs.resource: _TRACE} if needs.resource in ray.cluster_resources() else {}
        task = ray.remote(_do).options(num_cpus=needs.cores, max_retries=_RETRIES, resources=asked)
        submit = partial(task.remote, [order], mark)
        _hand_out(ray, submit, todo, tally, _room(ray, workers, needs.cores))


def _hand_out(
    ray: Any,
    submit: Callable[[bytes], Any],
    todo: _work.Todo,
    tally: _work.Tally,
    room: Iterator[int],
) -> None:
    """Hand chunks out until all are done.

    After an error what is under way is left to end by itself, or with the connection: Ray (2.60)
    aborts a process that cancels a task at the moment at which it ends.
    """
    pending: dict[Any, _work.Chunk] = {}
    for most in room:
        while len(pending) < most and (chunk := todo.take()) is not None:
            pending[submit(_work.packed(chunk.items, chunk.name(), ray.cloudpickle.dumps))] = chunk
        if not (refs := list(pending)):
            return
        ray.wait(refs, num_returns=1)
        for ref in ray.wait(refs, num_returns=len(refs), timeout=0)[0]:
            chunk = pending.pop(ref)
            tally.put(chunk, _received(ray, ref, chunk))


def _room(ray: Any, workers: int | None, cores: float) -> Iterator[int]:
    """How many tasks to have in Ray's hands, looked up now and then: some more than can run."""
    until = room = 0.0
    while True:
        if time.monotonic() > until:
            slots = max(1, round(ray.cluster_resources().get("CPU", 1.0) / cores))
            room = _AHEAD * slots if workers is None or workers >= slots else workers
            until = time.monotonic() + LOOK
        yield int(room)


def _received(ray: Any, ref: Any, chunk: _work.Chunk) -> Any:
    """The results of a chunk, or the error that its function raised."""
    try:
        answer = pickle.loads(ray.get(ref))
    except ray.exceptions.WorkerCrashedError:
        raise WorkerError(
            f"workers died {_RETRIES + 1} times while working on {chunk.name()}"
        ) from None
    except ray.exceptions.RayError as error:
        raise WorkerError(
            f"Ray gave up working on {chunk.name()}: {str(error).strip()} "
            "(is Yardstone installed on all machines of the cluster?)"
        ) from None
    return _work.checked(answer, chunk)


def _do(order: list[Any], mark: str, parcel: bytes) -> bytes:
    """What a process of Ray does: take the function, unless it has it, and do a chunk."""
    import ray

    try:
        function, copies = _taken(mark, order[0])
        _work.enter(copies)
    except Exception as error:
        return _work.failure_parcel(None, error)
    return _work.work_on(function, parcel, ray.cloudpickle.dumps)


#: The order that this process works on: its mark, and what was taken from it.
_current: tuple[str, Any] = ("", None)


def _taken(mark: str, ref: Any) -> tuple[Callable[[Any], Any], dict[str, Path]]:
    """The function of an order with its files; taken once."""
    global _current
    if _current[0] != mark:
        import ray

        order: _Order = ray.get(ref)
        _check_versions(order.versions)
        _check_shared(order.shared, order.mark)
        sys.path += [place for place in order.places if place not in sys.path]
        copies = {file.path: _kept_copy(ray, file) for file in order.files}
        _current = (mark, (pickle.loads(order.function), copies))
    function, copies = _current[1]
    return function, copies
